// SPDX-License-Identifier: Apache-2.0
// Exact placement by clause learning over above/below decisions: the engine for optima above the load, with proofs.
//
// The height is a variable of the search, so that what was learned at one capacity holds at every other one. Work is
// counted in ticks, so that equal calls give equal results; one object belongs to one thread. Source: lazy clause
// generation (Ohrimenko, Stuckey and Codish, Constraints 2009) over the disjunctive model of rectangle packing;
// measured against CP-SAT's no-overlap-2d.
#ifndef MEMPLAN_SOLVERS_PLACE_PRECEDENCE_H
#define MEMPLAN_SOLVERS_PLACE_PRECEDENCE_H

#include "model/base/status.h"
#include "solvers/engine.h"
#include "solvers/place_problem.h"
#include "solvers/proof.h"

typedef enum memplan_precedence_driver {
  MEMPLAN_PRECEDENCE_DOWN = 0, // from the incumbent downwards
  MEMPLAN_PRECEDENCE_UP,       // from the bound upwards: no plan before the optimum
  MEMPLAN_PRECEDENCE_BISECT
} memplan_precedence_driver;

typedef struct memplan_precedence_settings {
  uint64_t seed; // 0: no noise in the first choices
  memplan_precedence_driver driver;
  bool overload, edges, lift, drop; // section rules
  bool symmetry, minimise, bound_branching, start_activity;
  bool proof;     // keep what memplan_precedence_proof needs
  int64_t memory; // bytes that the engine may hold, 0: no limit
} memplan_precedence_settings;

memplan_precedence_settings memplan_precedence_settings_default(void);

typedef struct memplan_precedence memplan_precedence;

// Is the problem small enough? Else `reason` (of a buffer of 256 bytes) says what is too large.
bool memplan_precedence_accepts(const memplan_place_problem *problem, int64_t upper, char *reason);

// The search for a placement in which every item ends at or below a height < `upper`, where no height < `lower` is
// possible. Heights are in units of the problem's axis (several pools: stacked). `problem` must be accepted and outlive
// the object. NULL if memory is out.
memplan_precedence *memplan_precedence_new(const memplan_place_problem *problem, int64_t lower, int64_t upper,
                                           const memplan_precedence_settings *settings);
void memplan_precedence_free(memplan_precedence *search);

typedef enum memplan_precedence_result {
  MEMPLAN_PRECEDENCE_SPENT = 0, // the budget is used up
  MEMPLAN_PRECEDENCE_IMPROVED,  // a placement below the upper bound, which it
                                // now is
  MEMPLAN_PRECEDENCE_RAISED,    // the lower bound has risen
  MEMPLAN_PRECEDENCE_CLOSED,    // lower = upper: nothing lies below the upper
                                // bound
  MEMPLAN_PRECEDENCE_FULL,      // it holds as much memory as it may: nothing more will come
  MEMPLAN_PRECEDENCE_NOMEM
} memplan_precedence_result;

// Runs for about `ticks` of work, or until there is news. Call it again after every result but the last three.
memplan_precedence_result memplan_precedence_run(memplan_precedence *search, int64_t ticks);

int64_t memplan_precedence_lower(const memplan_precedence *search);
int64_t memplan_precedence_upper(const memplan_precedence *search);

// Offsets by item of the last placement found, NULL if none was.
const int64_t *memplan_precedence_offsets(const memplan_precedence *search);

// News from outside, between runs: a proven bound, the height of another placement. Weaker ones change nothing.
void memplan_precedence_set_lower(memplan_precedence *search, int64_t lower);
void memplan_precedence_set_upper(memplan_precedence *search, int64_t upper);

// The proof that no placement is lower than memplan_precedence_lower, as far as that bound comes from this search and
// settings.proof was on. `*found` is false if it came from outside (set_lower, new) or the log grew too large, and
// where there are several pools. Memory of `arena`; false if it is out.
bool memplan_precedence_prove(const memplan_precedence *search, memplan_arena *arena, memplan_proof *proof,
                              bool *found);

memplan_engine_counts memplan_precedence_count(const memplan_precedence *search);

// For tests: variables are the items, then the height, then the guards of the pairs (a, b), a < b, in order.
memplan_engine *memplan_precedence_engine(memplan_precedence *search);

#endif
