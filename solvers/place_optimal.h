// SPDX-License-Identifier: Apache-2.0
// The least peak of an instance, proven: bounds, components, presolve, the nogood search and beams (plans at the
// bound) and the precedence engine (proofs above it), taking turns on the component that decides the peak.
#ifndef MEMPLAN_SOLVERS_PLACE_OPTIMAL_H
#define MEMPLAN_SOLVERS_PLACE_OPTIMAL_H

#include "model/memplan.h"
#include "solvers/assemble.h"
#include "solvers/objective.h"
#include "solvers/place.h"

#include <stdio.h>

// The descriptor by which lists, benchmarks and plans name the search.
extern const memplan_method memplan_place_optimal_method;

// Is this the name of a placement method that ends with a proof? NULL is none.
bool memplan_is_exact(const char *place);

// The largest peak that is good enough: within the gap of a bound, or within the capacity asked about (-1: none).
int64_t memplan_goal(int64_t bound, int64_t capacity, int64_t gap_millionths);

typedef struct memplan_optimal_task {
  const memplan_instance *instance;
  const memplan_limits *limits;   // started
  int64_t goal;                   // a plan whose peak is no larger is enough; 0: only the optimum
  int64_t capacity;               // a bound above it answers the question that is asked; -1: none
  const memplan_placement *start; // a valid placement to begin with, or NULL
  int64_t bound;                  // a lower bound known before
  memplan_objective objective;    // of several pools
  uint64_t without;               // as in memplan_solve_options
  const memplan_place_news *news; // for progress reports; NULL: the instance is the whole problem
} memplan_optimal_task;

typedef struct memplan_optimal_result {
  memplan_outcome outcome; // INFEASIBLE: nothing fits into the pools' capacities
  memplan_stop stop;
  memplan_placement placement; // arrays of the arena given; offset == NULL: no plan
  int64_t peak;
  int64_t bound;       // of the peak; with several pools that of the task
  const int32_t *core; // some blocks of a large component that need the bound by themselves, in the arena, or NULL
  int32_t n_core;
  int64_t nodes; // of the search, and conflicts of the engine
  int64_t ticks; // work done, one pool
} memplan_optimal_result;

// One pool: the least peak. Several pools: the objective of the model, each step decided by a search; where that names
// no number (MEMPLAN_MINIMIZE_PEAK), a first packing within the task's capacity is enough. Deterministic for any number
// of threads; a wall-clock limit is looked at between epochs.
memplan_status memplan_place_optimal(const memplan_optimal_task *task, memplan_arena *arena,
                                     memplan_optimal_result *result, memplan_error *error);

// memplan_place_optimal from the best placement that other methods have found (task->start is set here);
// what it finds takes that one's place, unless it is no better.
memplan_status memplan_place_improve(const memplan_optimal_task *task, memplan_arena *arena, memplan_place_result *best,
                                     memplan_optimal_result *result, memplan_error *error);

// Proves by the precedence engine that no placement of the one-pool instance has a peak below `claim`, within the
// limits, and writes the certificate. *found is false, and nothing written, if the proof was not found or grew too
// large. Errors of writing stay in the stream.
memplan_status memplan_place_certify(const memplan_instance *instance, int64_t claim, const char *fingerprint,
                                     const char *options, const memplan_limits *limits, FILE *out, bool *found,
                                     memplan_error *error);

// The same from some blocks (ascending, with bytes) alone.
memplan_status memplan_place_certify_core(const memplan_instance *instance, const int32_t *core, int32_t n_core,
                                          int64_t claim, const char *fingerprint, const char *options,
                                          const memplan_limits *limits, FILE *out, bool *found, memplan_error *error);

#endif
