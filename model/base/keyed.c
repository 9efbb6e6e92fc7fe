// SPDX-License-Identifier: Apache-2.0
// Radix sort of the distances from the smallest key, the lowest digit first.
#include "model/base/keyed.h"

#include <string.h>

enum { FEW = 64, BITS = 11, N_DIGITS = 1 << BITS };

static void sort_few(memplan_keyed *items, int32_t n) {
  for (int32_t k = 1; k < n; k++) {
    memplan_keyed item = items[k];
    int32_t hole = k;
    for (; hole > 0 && items[hole - 1].key > item.key; hole--) {
      items[hole] = items[hole - 1];
    }
    items[hole] = item;
  }
}

static uint32_t digit_of(const memplan_keyed *item, int64_t least, int32_t shift) {
  return (uint32_t)(((uint64_t)item->key - (uint64_t)least) >> shift) & (N_DIGITS - 1);
}

void memplan_keyed_sort(memplan_keyed *items, int32_t n, memplan_keyed *scratch) {
  if (n <= FEW) {
    sort_few(items, n);
    return;
  }
  int64_t least = items[0].key;
  int64_t largest = items[0].key;
  for (int32_t k = 1; k < n; k++) {
    least = items[k].key < least ? items[k].key : least;
    largest = items[k].key > largest ? items[k].key : largest;
  }
  uint64_t range = (uint64_t)largest - (uint64_t)least;
  memplan_keyed *from = items;
  memplan_keyed *to = scratch;
  for (int32_t shift = 0; shift < 64 && range >> shift != 0; shift += BITS) {
    int32_t count[N_DIGITS] = {0};
    for (int32_t k = 0; k < n; k++) {
      count[digit_of(&from[k], least, shift)]++;
    }
    int32_t sum = 0;
    for (int32_t digit = 0; digit < N_DIGITS; digit++) {
      int32_t own = count[digit];
      count[digit] = sum;
      sum += own;
    }
    for (int32_t k = 0; k < n; k++) {
      to[count[digit_of(&from[k], least, shift)]++] = from[k];
    }
    memplan_keyed *spare = from;
    from = to;
    to = spare;
  }
  if (from != items) {
    memcpy(items, from, (size_t)n * sizeof *items);
  }
}
