// SPDX-License-Identifier: Apache-2.0
// Exact integer arithmetic on sizes and alignments, with overflow told instead of wrapped.
#ifndef MEMPLAN_BASE_NUMBER_H
#define MEMPLAN_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// No sum of sizes that search code forms passes this number; single offsets (pins, reserved ranges, bases) stay below
// half of it.
#define MEMPLAN_SIZE_LIMIT (INT64_C(1) << 62)
#define MEMPLAN_OFFSET_LIMIT (INT64_C(1) << 61)

// a + b for a, b >= 0, INT64_MAX if it overflows.
int64_t memplan_add_saturated(int64_t a, int64_t b);

// Greatest common divisor of a, b >= 0; gcd(0, 0) = 0.
int64_t memplan_gcd(int64_t a, int64_t b);

// Least common multiple of a, b >= 1. False if it passes MEMPLAN_SIZE_LIMIT.
bool memplan_lcm(int64_t a, int64_t b, int64_t *result);

// Smallest x >= value with x = residue (modulo align); align >= 1, 0 <= residue < align, value + align must not
// overflow.
int64_t memplan_align_up(int64_t value, int64_t align, int64_t residue);

// A condition x = residue (modulo align), 0 <= residue < align.
typedef struct memplan_congruence {
  int64_t align, residue;
} memplan_congruence;

typedef enum memplan_congruence_result {
  MEMPLAN_CONGRUENCE_OK = 0,
  MEMPLAN_CONGRUENCE_CONTRADICTION,
  MEMPLAN_CONGRUENCE_TOO_LARGE // the common alignment passes MEMPLAN_SIZE_LIMIT
} memplan_congruence_result;

// Both conditions as one, by the Chinese remainder theorem. O(log align).
memplan_congruence_result memplan_congruence_join(memplan_congruence a, memplan_congruence b, memplan_congruence *both);

// The same for numbers below MEMPLAN_SIZE_LIMIT: where the common alignment passes it, the only one that both
// conditions admit there is told as the residue of the alignment MEMPLAN_SIZE_LIMIT, which may be joined with more
// conditions. MEMPLAN_CONGRUENCE_TOO_LARGE: none is there, but there may be larger ones.
memplan_congruence_result memplan_congruence_meet(memplan_congruence a, memplan_congruence b, memplan_congruence *both);

// 65536 log2(value), rounded down; value >= 1.
int32_t memplan_log2(int64_t value);

// About 2^(log / 65536), within a factor of 2^(1 / 128) and then rounded down; at least 1, at most 2^62. Monotonic.
int64_t memplan_exp2(int64_t log);

// The order of two numbers, for qsort.
int memplan_compare_int32(const void *left, const void *right);
int memplan_compare_int64(const void *left, const void *right);

#endif
