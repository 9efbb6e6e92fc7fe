// SPDX-License-Identifier: Apache-2.0
// The one list of heuristics. A new method is one file and one line here; the command, the tests and the
// benchmark iterate this list. Its order decides ties between methods.
#include "model/memplan.h"

#include "heuristics/heuristic.h"

#include <string.h>

static const memplan_method *const registry[] = {
    &memplan_order_given,
    &memplan_order_dfs,
    &memplan_order_bfs,
    &memplan_order_lpmf,
    &memplan_order_greedy_peak,
    &memplan_order_weighted_score,
    &memplan_place_naive,
    &memplan_place_slot_greedy,
    &memplan_place_first_fit_size,
    &memplan_place_first_fit_duration,
    &memplan_place_first_fit_area,
    &memplan_place_first_fit_start,
    &memplan_place_best_fit,
    &memplan_place_skyline,
    &memplan_place_skyline_search,
    NULL,
};

const memplan_method *const *memplan_heuristics(void) { return registry; }

const memplan_method *memplan_heuristic_find(memplan_method_kind kind, const char *name) {
  for (size_t i = 0; registry[i] != NULL; i++) {
    if (registry[i]->kind == kind && strcmp(registry[i]->name, name) == 0) {
      return registry[i];
    }
  }
  return NULL;
}
