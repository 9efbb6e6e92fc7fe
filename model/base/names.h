// SPDX-License-Identifier: Apache-2.0
// Index of strings: maps a name to the number it was added with. Open addressing over a 64-bit FNV-1a hash with a final
// mix of its bits; expected O(length) per call. Keeps pointers, does not copy the strings.
#ifndef MEMPLAN_BASE_NAMES_H
#define MEMPLAN_BASE_NAMES_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memplan_names {
  uint64_t *slots; // index + 1 into keys, below 32 bits of the hash; 0 = free; power-of-two length
  const char **keys;
  int32_t *values;
  size_t n_slots, n_keys, capacity;
} memplan_names;

// An empty index; `{0}` is one too. Freed by memplan_names_free.
void memplan_names_init(memplan_names *names);
void memplan_names_free(memplan_names *names);

// Adds key -> value. Returns -1 if it was added, the value stored already if the key is there (nothing changes then),
// and -2 if memory is out. `value` must be >= 0.
int32_t memplan_names_add(memplan_names *names, const char *key, int32_t value);

// The value of `key`, or -1.
int32_t memplan_names_find(const memplan_names *names, const char *key);

// Gives the key another value, adding it if it is new. False if memory is out.
bool memplan_names_set(memplan_names *names, const char *key, int32_t value);

// A name that the index does not hold, and adds with value 1: `base` itself, or "base#2", "base#3", … in `arena`. All
// names in the index must have been added so, or with value 1. NULL if memory is out.
const char *memplan_names_unique(memplan_names *names, memplan_arena *arena, const char *base);

#endif
