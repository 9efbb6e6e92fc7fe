// SPDX-License-Identifier: Apache-2.0
#include "model/base/grow.h"

#include <stdlib.h>
#include <string.h>

static const int64_t first_capacity = 4;

// The next capacity; 0 if it cannot be addressed.
static int64_t next_capacity(int64_t capacity, size_t size) {
  int64_t most = INT64_MAX / 2 / (int64_t)size;
  if (capacity > most / 2) {
    return 0;
  }
  return capacity < first_capacity ? first_capacity : 2 * capacity;
}

void *memplan_grow_in(memplan_arena *arena, void *entries, int64_t count, int64_t *capacity, size_t size) {
  if (count < *capacity) {
    return entries;
  }
  int64_t larger = next_capacity(*capacity, size);
  void *copy = larger > 0 ? memplan_arena_alloc(arena, (size_t)larger, size) : NULL;
  if (copy == NULL) {
    return NULL;
  }
  if (count > 0) {
    memcpy(copy, entries, (size_t)count * size);
  }
  *capacity = larger;
  return copy;
}

void *memplan_grow_heap(void *entries, int64_t count, int64_t *capacity, size_t size) {
  if (count < *capacity) {
    return entries;
  }
  int64_t larger = next_capacity(*capacity, size);
  void *grown = larger > 0 ? realloc(entries, (size_t)larger * size) : NULL;
  if (grown != NULL) {
    *capacity = larger;
  }
  return grown;
}
