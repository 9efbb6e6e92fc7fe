// SPDX-License-Identifier: Apache-2.0
// Lists of numbers, one behind the other, made in two passes over the same entries: the first one counts them.
#ifndef MEMPLAN_BASE_LISTS_H
#define MEMPLAN_BASE_LISTS_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// List i < n is list[first[i]] … list[first[i + 1] - 1]. While entries are counted there is no `list`.
typedef struct memplan_lists {
  int32_t n;
  int32_t *first, *list;
} memplan_lists;

// Begins to count. Memory from `arena`; false if that is out.
bool memplan_lists_begin(memplan_lists *lists, int32_t n, memplan_arena *arena);

// All entries are counted; from now on they are stored. False if memory is out or there are more than INT32_MAX.
bool memplan_lists_store(memplan_lists *lists, memplan_arena *arena);

// Counts or stores an entry of list i. Counts stand two places up and then starts one, so that storing moves each start
// to where it belongs.
static inline void memplan_lists_put(const memplan_lists *lists, int32_t i, int32_t entry) {
  if (lists->list == NULL) {
    lists->first[i + 2]++;
  } else {
    lists->list[lists->first[i + 1]++] = entry;
  }
}

#endif
