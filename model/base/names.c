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

static size_t key_of(uint64_t slot) { return (size_t)(slot & UINT32_MAX) - 1; }

// Where the key is, or would be added. The bits of the hash spare most looks at other keys.
static size_t find_slot(const memplan_names *names, const char *key, uint64_t hash) {
  size_t mask = names->n_slots - 1;
  size_t place = (size_t)(hash >> 32) & mask;
  for (; names->slots[place] != 0; place = (place + 1) & mask) {
    uint64_t slot = names->slots[place];
    if (slot >> 32 == hash >> 32 && strcmp(names->keys[key_of(slot)], key) == 0) {
      break;
    }
  }
  return place;
}

static size_t slot_of(const memplan_names *names, const char *key) { return find_slot(names, key, hash_text(key)); }

static bool grow_slots(memplan_names *names, size_t n_slots) {
  uint64_t *slots = calloc(n_slots, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  for (size_t k = 0; k < names->n_slots; k++) {
    if (names->slots[k] != 0) {
      size_t place = (size_t)(names->slots[k] >> 32) & (n_slots - 1);
      while (slots[place] != 0) {
        place = (place + 1) & (n_slots - 1);
      }
      slots[place] = names->slots[k];
    }
  }
  free(names->slots);
  names->slots = slots;
  names->n_slots = n_slots;
  return true;
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
  if (!grow_slots(names, 2 * capacity)) {
    return false;
  }
  names->capacity = capacity;
  return true;
}

int32_t memplan_names_add(memplan_names *names, const char *key, int32_t value) {
  if (names->n_keys == names->capacity && !grow(names)) {
    return -2;
  }
  uint64_t hash = hash_text(key);
  size_t slot = find_slot(names, key, hash);
  if (names->slots[slot] != 0) {
    return names->values[key_of(names->slots[slot])];
  }
  names->keys[names->n_keys] = key;
  names->values[names->n_keys] = value;
  names->n_keys++;
  names->slots[slot] = (hash >> 32 << 32) | (uint64_t)names->n_keys;
  return -1;
}

int32_t memplan_names_find(const memplan_names *names, const char *key) {
  if (names->n_keys == 0) {
    return -1;
  }
  size_t slot = slot_of(names, key);
  return names->slots[slot] == 0 ? -1 : names->values[key_of(names->slots[slot])];
}

bool memplan_names_set(memplan_names *names, const char *key, int32_t value) {
  if (names->n_keys > 0) {
    size_t slot = slot_of(names, key);
    if (names->slots[slot] != 0) {
      names->values[key_of(names->slots[slot])] = value;
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
