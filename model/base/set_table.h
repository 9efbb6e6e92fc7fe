// SPDX-License-Identifier: Apache-2.0
// Sets of small numbers, each kept once and known by its own number: two sets have the same number iff they are equal,
// which is looked at bit by bit. Open addressing; expected O(words) a call.
#ifndef MEMPLAN_BASE_SET_TABLE_H
#define MEMPLAN_BASE_SET_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memplan_set_table {
  size_t words;   // of a set
  uint64_t *rows; // of set k: k * words and on
  int32_t n;      // sets
  int64_t memory; // bytes in use
  // private
  int32_t *slots; // number + 1, 0: free
  int64_t n_slots, capacity;
} memplan_set_table;

// An empty table for sets of numbers below `n_elements`. Freed by memplan_set_table_free.
void memplan_set_table_init(memplan_set_table *table, int32_t n_elements);
void memplan_set_table_free(memplan_set_table *table);

// The number of the set, which is added if it is new. -1 if memory is out or numbers are.
int32_t memplan_set_table_add(memplan_set_table *table, const uint64_t *set, bool *is_new);

#endif
