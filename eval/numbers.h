// SPDX-License-Identifier: Apache-2.0
// Exact numbers for people: quotients of integers printed in decimal without floating point, and sizes with units.
#ifndef MEMPLAN_EVAL_NUMBERS_H
#define MEMPLAN_EVAL_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

enum { MEMPLAN_NUMBER_SIZE = 48 }; // room for every text of this file

typedef struct memplan_ratio {
  int64_t numerator, denominator; // denominator >= 0; 0 means that the value is 0
} memplan_ratio;

// The value in decimal with 0 to 15 places, rounded half away from zero: {1, 3} with 2 places is "0.33". `scale` is 1,
// or 100 for percent. Returns `text`.
const char *memplan_ratio_text(memplan_ratio ratio, int32_t scale, int32_t places, char text[MEMPLAN_NUMBER_SIZE]);

// "12.50 %"; a positive value that would round to nothing is "<0.01 %", so that only 0 reads as 0.
const char *memplan_percent_text(memplan_ratio ratio, char text[MEMPLAN_NUMBER_SIZE]);

// -1, 0, 1 as a < b, a = b, a > b, for values >= 0. Exact.
int32_t memplan_ratio_compare(memplan_ratio a, memplan_ratio b);

// (peak - bound) / peak, reuse 1 - peak / naive: 0 where the denominator is 0.
memplan_ratio memplan_gap_ratio(int64_t peak, int64_t lower_bound);
memplan_ratio memplan_reuse_ratio(int64_t peak, int64_t naive_bytes);

// "602 B", "588 KiB" where that is exact, "9.19 MiB" where it is rounded, …
const char *memplan_bytes_text(int64_t bytes, char text[MEMPLAN_NUMBER_SIZE]);

// "9633792" in groups of three: "9,633,792".
const char *memplan_grouped_text(int64_t number, char text[MEMPLAN_NUMBER_SIZE]);

#endif
