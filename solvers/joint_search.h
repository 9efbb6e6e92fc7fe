// SPDX-License-Identifier: Apache-2.0
// The joint optimum by clause learning: order, in-place choices and offsets in one search, with the height of the arena
// as one of its variables, so that what was learned at one capacity holds at every other one.
//
// Peaks are in bytes. Work is counted in ticks, so that equal calls give equal results; one object belongs to one
// thread. Source: lazy clause generation (Ohrimenko, Stuckey and Codish, Constraints 2009) over precedences of
// operators and of buffers along the arena; measured against CP-SAT.
#ifndef MEMPLAN_SOLVERS_JOINT_SEARCH_H
#define MEMPLAN_SOLVERS_JOINT_SEARCH_H

#include "model/base/status.h"
#include "solvers/engine.h"
#include "solvers/joint_graph.h"
#include "solvers/joint_plan.h"

typedef enum memplan_joint_driver {
  MEMPLAN_JOINT_AUTO = 0, // upwards, but by bisection where that would be many steps
  MEMPLAN_JOINT_UP,       // from the bound upwards: no plan before the optimum
  MEMPLAN_JOINT_DOWN,     // from the incumbent downwards
  MEMPLAN_JOINT_BISECT
} memplan_joint_driver;

typedef struct memplan_joint_settings {
  uint64_t seed; // 0: no noise in the first choices
  memplan_joint_driver driver;
  bool load, overload, edges; // rules of operators and of what is live at them
  bool symmetry, minimise, bound_branching;
  bool proof;     // keep what a proof needs
  int64_t memory; // bytes that the engine may hold, 0: no limit
} memplan_joint_settings;

memplan_joint_settings memplan_joint_settings_default(void);
// Those without the rules that `without` switches off (solvers/techniques.h).
memplan_joint_settings memplan_joint_settings_without(uint64_t without);

typedef struct memplan_joint_search memplan_joint_search;

// Does the search take the problem (one pool, at most 400 operators)? Else `reason` (of 256 bytes) says what is too
// large or not modelled. O(pairs of items that may meet). Ask before memplan_joint_graph_init, which takes O(ops^3).
bool memplan_joint_search_accepts(const memplan_ordering *ordering, char *reason);
// The same for any number of pools, which solvers/joint_axis.h makes one of.
bool memplan_joint_search_takes(const memplan_ordering *ordering, char *reason);

// The search for a plan with a peak < `upper`, where none is < `lower`. `graph` must have been made with `placed` of an
// ordering that is accepted (or by solvers/joint_axis.h), and outlive the object. MEMPLAN_UNSUPPORTED: too many
// decisions, also for the memory;
// `*search` is NULL then.
memplan_status memplan_joint_search_new(const memplan_joint_graph *graph, int64_t lower, int64_t upper,
                                        const memplan_joint_settings *settings, memplan_joint_search **search,
                                        memplan_error *error);
void memplan_joint_search_free(memplan_joint_search *search);

// First choices of the search are those of this plan: of any peak, and valid for its order and choice; `placement` with
// offset NULL: unknown. Before the first run.
memplan_status memplan_joint_search_start(memplan_joint_search *search, const memplan_joint_plan *plan,
                                          memplan_error *error);

typedef enum memplan_joint_result {
  MEMPLAN_JOINT_SPENT = 0, // the budget is used up
  MEMPLAN_JOINT_IMPROVED,  // a plan below the upper bound, whose peak that now is
  MEMPLAN_JOINT_RAISED,    // the lower bound has risen
  MEMPLAN_JOINT_CLOSED,    // lower = upper: no plan lies below the upper bound
  MEMPLAN_JOINT_FULL,      // it holds as much memory as it may: nothing more will come
  MEMPLAN_JOINT_NOMEM
} memplan_joint_result;

// Runs for about `ticks` of work, or until there is news. Call it again after every result but the last
// three.
memplan_joint_result memplan_joint_search_run(memplan_joint_search *search, int64_t ticks);

int64_t memplan_joint_search_lower(const memplan_joint_search *search);
int64_t memplan_joint_search_upper(const memplan_joint_search *search);

// News from outside, between runs: a proven bound, the peak of another plan. Weaker ones change nothing.
void memplan_joint_search_set_lower(memplan_joint_search *search, int64_t lower);
void memplan_joint_search_set_upper(memplan_joint_search *search, int64_t upper);

// The capacity that the next run tries, in bytes: every plan within it has a peak of at most so much. -1: closed.
int64_t memplan_joint_search_capacity(const memplan_joint_search *search);

// News from outside too: in every plan with a peak <= `capacity` the one operator runs before the other. Takes back all
// decisions. False if memory is out.
bool memplan_joint_search_precede(memplan_joint_search *search, int64_t capacity, int32_t before, int32_t after);

// Has a plan been found? The last one found, in memory of `arena`.
bool memplan_joint_search_has_plan(const memplan_joint_search *search);
memplan_status memplan_joint_search_read(const memplan_joint_search *search, memplan_arena *arena,
                                         memplan_joint_plan *plan, memplan_error *error);

// The last plan found as the graph of the search sees it, which may be a window of a larger one: operators by step,
// pairs of the graph in step order, and offsets by item in its units. Valid until the next run.
typedef struct memplan_joint_solution {
  const int32_t *order, *choice;
  int32_t n_choices;
  const int64_t *offset;
} memplan_joint_solution;

memplan_joint_solution memplan_joint_search_look(const memplan_joint_search *search);

memplan_engine_counts memplan_joint_search_count(const memplan_joint_search *search);

#endif
