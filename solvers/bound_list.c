// SPDX-License-Identifier: Apache-2.0
#include "solvers/bounds.h"

void memplan_bound_list_add(memplan_bound_list *list, memplan_bound bound) {
  if (list->count < (int32_t)(sizeof list->entries / sizeof *list->entries)) {
    list->entries[list->count++] = bound;
  }
}

memplan_bound memplan_bound_list_best(const memplan_bound_list *list) {
  memplan_bound best = {.kind = MEMPLAN_BOUND_NONE, .step = -1};
  for (int32_t k = 0; k < list->count; k++) {
    if (best.kind == MEMPLAN_BOUND_NONE || list->entries[k].bytes > best.bytes) {
      best = list->entries[k];
    }
  }
  return best;
}
