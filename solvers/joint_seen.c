// SPDX-License-Identifier: Apache-2.0
// A table of keys, each with a chain of ways through one array of bits.
#include "solvers/joint_seen.h"

#include "model/base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { first_keys = 1024 };

void memplan_joint_seen_init(memplan_joint_seen *seen, int32_t words) { *seen = (memplan_joint_seen){.words = words}; }

void memplan_joint_seen_free(memplan_joint_seen *seen) {
  free(seen->keys);
  free(seen->newest);
  free(seen->older);
  free(seen->bits);
  *seen = (memplan_joint_seen){.words = seen->words};
}

static int64_t find_slot(uint64_t (*keys)[2], const int64_t *newest, int64_t capacity, const uint64_t *key) {
  uint64_t at = key[0] & (uint64_t)(capacity - 1);
  while (newest[at] != 0 && (keys[at][0] != key[0] || keys[at][1] != key[1])) {
    at = (at + 1) & (uint64_t)(capacity - 1);
  }
  return (int64_t)at;
}

static bool grow_keys(memplan_joint_seen *seen) {
  int64_t capacity = seen->key_capacity > 0 ? 2 * seen->key_capacity : first_keys;
  uint64_t(*keys)[2] = calloc((size_t)capacity, sizeof *keys);
  int64_t *newest = calloc((size_t)capacity, sizeof *newest);
  if (keys == NULL || newest == NULL) {
    free(keys);
    free(newest);
    return false;
  }
  for (int64_t k = 0; k < seen->key_capacity; k++) {
    if (seen->newest[k] != 0) {
      int64_t slot = find_slot(keys, newest, capacity, seen->keys[k]);
      memcpy(keys[slot], seen->keys[k], sizeof keys[slot]);
      newest[slot] = seen->newest[k];
    }
  }
  free(seen->keys);
  free(seen->newest);
  seen->keys = keys;
  seen->newest = newest;
  seen->key_capacity = capacity;
  return true;
}

static bool add_way(memplan_joint_seen *seen, int64_t slot, const uint64_t *broken) {
  int64_t *older = memplan_grow_heap(seen->older, seen->n, &seen->older_capacity, sizeof *older);
  if (older == NULL) {
    return false;
  }
  seen->older = older;
  size_t row = (size_t)seen->words * sizeof *seen->bits;
  uint64_t *bits = memplan_grow_heap(seen->bits, seen->n, &seen->bits_capacity, row);
  if (bits == NULL) {
    return false;
  }
  seen->bits = bits;
  older[seen->n] = seen->newest[slot];
  memcpy(bits + seen->n * seen->words, broken, row);
  seen->newest[slot] = ++seen->n;
  return true;
}

bool memplan_joint_seen_note(memplan_joint_seen *seen, const uint64_t *key, const uint64_t *broken, bool *is_new) {
  if (seen->n_keys * 10 >= seen->key_capacity * 7 && !grow_keys(seen)) {
    return false;
  }
  int64_t slot = find_slot(seen->keys, seen->newest, seen->key_capacity, key);
  *is_new = true;
  for (int64_t way = seen->newest[slot]; way != 0 && *is_new; way = seen->older[way - 1]) {
    const uint64_t *known = seen->bits + (way - 1) * seen->words;
    bool within = true;
    for (int32_t word = 0; word < seen->words && within; word++) {
      within = (broken[word] & ~known[word]) == 0;
    }
    *is_new = !within;
  }
  if (*is_new) {
    if (seen->newest[slot] == 0) {
      seen->n_keys++;
      memcpy(seen->keys[slot], key, sizeof seen->keys[slot]);
    }
    if (!add_way(seen, slot, broken)) {
      return false;
    }
  }
  seen->memory = seen->key_capacity * (int64_t)(sizeof *seen->keys + sizeof *seen->newest) +
                 seen->older_capacity * (int64_t)sizeof *seen->older +
                 seen->bits_capacity * seen->words * (int64_t)sizeof *seen->bits;
  return true;
}
