// SPDX-License-Identifier: Apache-2.0
// Reference for the family: what worked in experiments on recorded training steps and on the MiniMalloc benchmark;
// duration, size and tightness are the criteria of Maas et al.: TelaMalloc (ASPLOS 2023) and MiniMalloc (ASPLOS 2024).
#include "heuristics/ranking.h"

#include "model/base/number.h"
#include "model/base/rng.h"

#include <string.h>

bool memplan_key_family_make(const memplan_instance *instance, const memplan_sections *sections,
                             memplan_key_family *family, memplan_arena *arena) {
  int32_t n = sections->n;
  *family = (memplan_key_family){.n = n,
                                 .duration = MEMPLAN_NEW(arena, int32_t, n),
                                 .sections = MEMPLAN_NEW(arena, int32_t, n),
                                 .size = MEMPLAN_NEW(arena, int32_t, n),
                                 .tightness = MEMPLAN_NEW(arena, int32_t, n)};
  if (family->duration == NULL || family->sections == NULL || family->size == NULL || family->tightness == NULL) {
    return false;
  }
  int64_t largest = 1;
  for (int32_t section = 0; section < sections->n_sections; section++) {
    largest = sections->load[section] > largest ? sections->load[section] : largest;
  }
  int32_t log_load = memplan_log2(largest);
  for (int32_t item = 0; item < n; item++) {
    const memplan_block *block = &instance->blocks[sections->block[item]];
    int32_t span = sections->span[item];
    uint64_t time = (uint64_t)instance->times[block->end] - (uint64_t)instance->times[block->start];
    family->duration[item] = memplan_log2(time < INT64_MAX ? (int64_t)time : INT64_MAX);
    family->sections[item] = memplan_log2(sections->span_end[span] - sections->span_first[span]);
    family->size[item] = memplan_log2(block->bytes);
    family->tightness[item] = memplan_log2(sections->tightest[span]) - log_load;
  }
  return true;
}

// Keys of a base may have come from a base themselves: so that they cannot grow for ever.
enum { KEY_LIMIT = 1 << 30 };

static int32_t cut_key(int64_t key) {
  key = key < KEY_LIMIT ? key : KEY_LIMIT;
  return (int32_t)(key > -KEY_LIMIT ? key : -KEY_LIMIT);
}

void memplan_key_fill(const memplan_key_family *family, const memplan_key_rule *rule, const int32_t *base,
                      uint64_t random, int32_t *keys) {
  for (int32_t item = 0; item < family->n; item++) {
    int64_t key = (int64_t)rule->duration * family->duration[item] + (int64_t)rule->sections * family->sections[item] +
                  (int64_t)rule->size * family->size[item] + (int64_t)rule->tightness * family->tightness[item];
    key = base != NULL ? base[item] : key / MEMPLAN_KEY_POWER;
    if (rule->noise > 0) {
      // The mean of three draws from [-2^20, 2^20).
      uint64_t bits = memplan_splitmix(&random);
      int64_t sum = (int64_t)(bits & 0x1FFFFF) + (int64_t)(bits >> 21 & 0x1FFFFF) + (int64_t)(bits >> 42 & 0x1FFFFF);
      key += (sum - INT64_C(3) * (1 << 20)) * rule->noise / (INT64_C(3) * (1 << 20));
    }
    keys[item] = cut_key(key);
  }
}

// Radix sort by the upper halves, the lowest digit first; returns which of the two arrays holds the result.
static uint64_t *sort_radix(uint64_t *from, uint64_t *to, int32_t n, int32_t bits) {
  enum { MOST_PASSES = 4, MOST_BITS = 11 };
  int32_t count[MOST_PASSES][1 << MOST_BITS];
  int32_t n_passes = (32 + bits - 1) / bits;
  int32_t n_digits = 1 << bits;
  uint32_t mask = (uint32_t)n_digits - 1;
  for (int32_t pass = 0; pass < n_passes; pass++) {
    memset(count[pass], 0, (size_t)n_digits * sizeof count[pass][0]);
  }
  for (int32_t k = 0; k < n; k++) {
    uint32_t key = (uint32_t)(from[k] >> 32);
    for (int32_t pass = 0; pass < n_passes; pass++) {
      count[pass][key >> (bits * pass) & mask]++;
    }
  }
  for (int32_t pass = 0; pass < n_passes; pass++) {
    int32_t sum = 0;
    for (int32_t digit = 0; digit < n_digits; digit++) {
      int32_t own = count[pass][digit];
      count[pass][digit] = sum;
      sum += own;
    }
    for (int32_t k = 0; k < n; k++) {
      uint32_t key = (uint32_t)(from[k] >> 32);
      to[count[pass][key >> (bits * pass) & mask]++] = from[k];
    }
    uint64_t *spare = from;
    from = to;
    to = spare;
  }
  return from;
}

static void sort_few(uint64_t *entries, int32_t n) {
  for (int32_t k = 1; k < n; k++) {
    uint64_t entry = entries[k];
    int32_t hole = k;
    for (; hole > 0 && entries[hole - 1] >> 32 > entry >> 32; hole--) {
      entries[hole] = entries[hole - 1];
    }
    entries[hole] = entry;
  }
}

void memplan_key_sort(const int32_t *keys, int32_t n, bool reversed, uint64_t *scratch, int32_t *order) {
  enum { FEW = 48, MANY = 8192 };
  uint64_t *entries = scratch;
  for (int32_t k = 0; k < n; k++) {
    int32_t item = reversed ? n - 1 - k : k;
    uint32_t key = (uint32_t)KEY_LIMIT - (uint32_t)keys[item]; // the largest becomes the smallest
    entries[k] = (uint64_t)key << 32 | (uint32_t)item;
  }
  if (n <= FEW) {
    sort_few(entries, n);
  } else {
    entries = sort_radix(entries, scratch + n, n, n < MANY ? 8 : 11);
  }
  for (int32_t k = 0; k < n; k++) {
    order[k] = (int32_t)(uint32_t)entries[k];
  }
}
