// SPDX-License-Identifier: Apache-2.0
// Rankings of items for the skyline, drawn from one family of keys:
//   duration^a x sections^b x size^c x (tightness / load)^d x noise
// A key is the logarithm of that, in integers. Tightness is the largest load that an item is part of.
#ifndef MEMPLAN_RANKING_H
#define MEMPLAN_RANKING_H

#include "heuristics/sections.h"

#include <stdbool.h>
#include <stdint.h>

// One member of the family. Powers in 1/1024; noise: largest distance of a key's random part from 0, in 1/65536 of a
// doubling.
typedef struct memplan_key_rule {
  int32_t duration, sections, size, tightness;
  int32_t noise;
  bool reversed; // equal keys: the later item first
} memplan_key_rule;

enum { MEMPLAN_KEY_POWER = 1024, MEMPLAN_KEY_UNIT = 65536 };

// The logarithms, by item: made once, then const and shared.
typedef struct memplan_key_family {
  int32_t n;
  int32_t *duration, *sections, *size, *tightness; // base 2, in 1/65536; tightness <= 0
} memplan_key_family;

// False if memory is out.
bool memplan_key_family_make(const memplan_instance *instance, const memplan_sections *sections,
                             memplan_key_family *family, memplan_arena *arena);

// The keys by item; `base` (may be NULL) replaces all but the noise.
void memplan_key_fill(const memplan_key_family *family, const memplan_key_rule *rule, const int32_t *base,
                      uint64_t random, int32_t *keys);

// order[r]: the item with the r-th largest key; equal keys in the order of items or against it. `scratch` has room for
// 2 n numbers. O(n).
void memplan_key_sort(const int32_t *keys, int32_t n, bool reversed, uint64_t *scratch, int32_t *order);

#endif
