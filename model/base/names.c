// SPDX-License-Identifier: Apache-2.0
#include "model/base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text != '\0'; text++) {
    hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  }
  hash ^= hash >> 29;
  return hash * 0xbf58476d1ce4e5b9u;
}

void memplan_names_init(memplan_names *names) { memset(names, 0, sizeof *names); }

void memplan_names_free(memplan_names *names) {
  free(names->slots);
  free(names->keys);
  free(names->values);
  memplan_names_init(names);
}

static size_t slot_of(const memplan_names *names, const char *key) {
  size_t mask = names->n_slots - 1;
  size_t slot = (size_t)(hash_text(key) >> 7) & mask;
  while (names->slots[slot] != 0 && strcmp(names->keys[names->slots[slot] - 1], key) != 0) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

static bool grow(memplan_names *names) {
  size_t capacity = names->capacity == 0 ? 32 : 2 * names->capacity;
  const char **keys = realloc(names->keys, capacity * sizeof *keys);
  if (keys == NULL) {
    return false;
  }
  names->keys = keys;
  int32_t *values = realloc(names->values, capacity * sizeof *values);
  if (values == NULL) {
    return false;
  }
  names->values = values;
  uint32_t *slots = calloc(2 * capacity, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  free(names->slots);
  names->slots = slots;
  names->n_slots = 2 * capacity;
  names->capacity = capacity;
  for (size_t key = 0; key < names->n_keys; key++) {
    names->slots[slot_of(names, names->keys[key])] = (uint32_t)(key + 1);
  }
  return true;
}

int32_t memplan_names_add(memplan_names *names, const char *key, int32_t value) {
  if (names->n_keys == names->capacity && !grow(names)) {
    return -2;
  }
  size_t slot = slot_of(names, key);
  if (names->slots[slot] != 0) {
    return names->values[names->slots[slot] - 1];
  }
  names->keys[names->n_keys] = key;
  names->values[names->n_keys] = value;
  names->n_keys++;
  names->slots[slot] = (uint32_t)names->n_keys;
  return -1;
}

int32_t memplan_names_find(const memplan_names *names, const char *key) {
  if (names->n_keys == 0) {
    return -1;
  }
  size_t slot = slot_of(names, key);
  return names->slots[slot] == 0 ? -1 : names->values[names->slots[slot] - 1];
}

bool memplan_names_set(memplan_names *names, const char *key, int32_t value) {
  if (names->n_keys > 0) {
    size_t slot = slot_of(names, key);
    if (names->slots[slot] != 0) {
      names->values[names->slots[slot] - 1] = value;
      return true;
    }
  }
  return memplan_names_add(names, key, value) == -1;
}

// The value of a base is the number that it was last tried with.
const char *memplan_names_unique(memplan_names *names, memplan_arena *arena, const char *base) {
  int32_t number = memplan_names_add(names, base, 1);
  if (number < 0) {
    return number == -1 ? base : NULL;
  }
  size_t size = strlen(base) + 16;
  char *name = memplan_arena_alloc(arena, size, 1);
  while (name != NULL && number < INT32_MAX) {
    number++;
    (void)snprintf(name, size, "%s#%d", base, (int)number);
    int32_t taken = memplan_names_add(names, name, 1);
    if (taken < 0) {
      return taken == -1 && memplan_names_set(names, base, number) ? name : NULL;
    }
  }
  return NULL;
}
