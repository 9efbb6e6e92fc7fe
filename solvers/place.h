// SPDX-License-Identifier: Apache-2.0
// The best placement that the chosen methods find for one instance.
#ifndef MEMPLAN_SOLVERS_PLACE_H
#define MEMPLAN_SOLVERS_PLACE_H

#include "model/memplan.h"
#include "solvers/assemble.h"

typedef struct memplan_place_result {
  const memplan_method *method; // NULL: nothing fits
  memplan_placement placement;  // arrays of the arena given
  int64_t peak;
  memplan_stop stop;
  int64_t nodes;
  bool declined; // the only method asked for does not take this instance
  char reason[256];
  int64_t floating_bound; // of the method that ran, 0: none
  const char *unplaced;   // where nothing fits: a buffer that found no place, or NULL
} memplan_place_result;

// MEMPLAN_UNSUPPORTED with the reason of a declined method.
memplan_status memplan_fail_declined(const char *place, const memplan_place_result *result, memplan_error *error);

// What progress reports say about the placements of one instance.
typedef struct memplan_place_news {
  const char *order; // method behind the order, or NULL
  int64_t bound;     // lower bound of the whole problem
  int64_t peak;      // incumbent so far: only smaller peaks are news
} memplan_place_news;

// The methods' names, as progress reports show them. `source` has room for MEMPLAN_SOURCE_SIZE.
enum { MEMPLAN_SOURCE_SIZE = 128 };
void memplan_place_source(const memplan_place_news *news, const memplan_method *method, char *source);

// Runs the placement methods (solve->place, or all that accept the instance) in parallel and keeps the smallest peak
// (several pools: the objective of the model), of equals the first registered. MEMPLAN_INPUT if no method has the name
// asked for.
memplan_status memplan_place_best(const memplan_instance *instance, const memplan_solve_options *solve,
                                  const memplan_place_news *news, memplan_arena *arena, memplan_place_result *result,
                                  memplan_error *error);

// The methods of a kind: the one named (NULL: all), into `methods` with room for `capacity`; returns how many. 0: no
// such name, with the known names in the message.
int32_t memplan_select_methods(memplan_method_kind kind, const char *name, const memplan_method **methods,
                               int32_t capacity, memplan_error *error);

#endif
