// SPDX-License-Identifier: Apache-2.0
#include "model/base/set_table.h"

#include "model/base/grow.h"
#include "model/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { first_slots = 1024 };

void memplan_set_table_init(memplan_set_table *table, int32_t n_elements) {
  *table = (memplan_set_table){.words = (size_t)n_elements / 64 + 1};
}

void memplan_set_table_free(memplan_set_table *table) {
  free(table->rows);
  free(table->slots);
  *table = (memplan_set_table){.words = table->words};
}

static const uint64_t *row_of(const memplan_set_table *table, int32_t set) {
  return table->rows + (size_t)set * table->words;
}

static uint64_t hash(const uint64_t *set, size_t words) {
  uint64_t sum = 0;
  for (size_t word = 0; word < words; word++) {
    uint64_t mixed = sum ^ set[word];
    sum = memplan_splitmix(&mixed);
  }
  return sum;
}

static bool grow_slots(memplan_set_table *table) {
  int64_t n_slots = table->n_slots == 0 ? first_slots : 2 * table->n_slots;
  int32_t *slots = calloc((size_t)n_slots, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  for (int32_t set = 0; set < table->n; set++) {
    uint64_t at = hash(row_of(table, set), table->words) & (uint64_t)(n_slots - 1);
    while (slots[at] != 0) {
      at = (at + 1) & (uint64_t)(n_slots - 1);
    }
    slots[at] = set + 1;
  }
  free(table->slots);
  table->slots = slots;
  table->n_slots = n_slots;
  return true;
}

int32_t memplan_set_table_add(memplan_set_table *table, const uint64_t *set, bool *is_new) {
  *is_new = false;
  if ((int64_t)table->n * 10 >= table->n_slots * 7 && !grow_slots(table)) {
    return -1;
  }
  size_t bytes = table->words * sizeof *set;
  uint64_t at = hash(set, table->words) & (uint64_t)(table->n_slots - 1);
  while (table->slots[at] != 0) {
    if (memcmp(row_of(table, table->slots[at] - 1), set, bytes) == 0) {
      return table->slots[at] - 1;
    }
    at = (at + 1) & (uint64_t)(table->n_slots - 1);
  }
  uint64_t *rows = table->n < INT32_MAX - 1 ? memplan_grow_heap(table->rows, table->n, &table->capacity, bytes) : NULL;
  if (rows == NULL) {
    return -1;
  }
  table->rows = rows;
  memcpy(rows + (size_t)table->n * table->words, set, bytes);
  table->slots[at] = table->n + 1;
  table->memory = table->capacity * (int64_t)bytes + table->n_slots * (int64_t)sizeof *table->slots;
  *is_new = true;
  return table->n++;
}
