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

int64_t memplan_bound_list_of_load(const memplan_bound_list *list) {
  int64_t most = 0;
  for (int32_t k = 0; k < list->count; k++) {
    const memplan_bound *bound = &list->entries[k];
    bool of_load = bound->kind != MEMPLAN_BOUND_ALIGNED_OPERATOR && bound->kind != MEMPLAN_BOUND_BUFFER;
    most = of_load && bound->bytes > most ? bound->bytes : most;
  }
  return most;
}
