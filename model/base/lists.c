// SPDX-License-Identifier: Apache-2.0
#include "model/base/lists.h"

bool memplan_lists_begin(memplan_lists *lists, int32_t n, memplan_arena *arena) {
  *lists = (memplan_lists){.n = n, .first = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 2)};
  return lists->first != NULL;
}

bool memplan_lists_store(memplan_lists *lists, memplan_arena *arena) {
  int64_t sum = 0;
  for (int32_t i = 0; i < lists->n; i++) {
    sum += lists->first[i + 2];
    if (sum > INT32_MAX) {
      return false;
    }
    lists->first[i + 2] = (int32_t)sum;
  }
  lists->list = MEMPLAN_NEW(arena, int32_t, sum);
  return lists->list != NULL;
}
