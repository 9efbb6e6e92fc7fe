// SPDX-License-Identifier: Apache-2.0
// The least peak of an instance by integer programs, one for each component.
#ifndef MEMPLAN_SOLVERS_ILP_PLACEMENT_H
#define MEMPLAN_SOLVERS_ILP_PLACEMENT_H

#include "solvers/assemble.h"
#include "solvers/ilp_place.h"

typedef struct memplan_ilp_placement {
  memplan_placement placement; // arrays of the arena given; offset == NULL: none was found
  int64_t peak;                // bytes, exact
  int64_t floating_bound;      // no placement has a smaller peak, as the solver claims in floating point
  bool exhausted;              // every program was solved to its end: `placement` is the best, or there is none
  memplan_stop stop;
  int64_t nodes;
} memplan_ilp_placement;

// One pool. `start`: a placement to be improved upon, or NULL; without an improvement it is the result. `limits` must
// be started; work is counted for each component. MEMPLAN_UNSUPPORTED: no solver, several pools, or too large.
memplan_status memplan_ilp_placement_find(const memplan_instance *instance, const memplan_placement *start,
                                          const memplan_limits *limits, memplan_arena *arena,
                                          memplan_ilp_placement *result, memplan_error *error);

// Does the method take the instance? False with the reason in `error`.
bool memplan_ilp_placement_accepts(const memplan_instance *instance, memplan_error *error);

// A name for each item of the place problem: the id of its lowest buffer. NULL if memory is out.
const char **memplan_ilp_item_ids(const memplan_instance *instance, const memplan_place_problem *problem,
                                  memplan_arena *arena);

// The place problem of all blocks with bytes, under the pool's capacity or a height that is enough.
memplan_status memplan_ilp_place_problem(const memplan_instance *instance, memplan_arena *arena,
                                         memplan_place_problem *problem, memplan_error *error);

// The largest load of a section, in units.
int64_t memplan_ilp_section_load(const memplan_place_problem *problem);

#endif
