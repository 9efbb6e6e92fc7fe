// SPDX-License-Identifier: Apache-2.0
#include "model/base/number.h"

#include "model/base/compiler.h"

int64_t memplan_add_saturated(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

int64_t memplan_gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

bool memplan_lcm(int64_t a, int64_t b, int64_t *result) {
  int64_t factor = a / memplan_gcd(a, b);
  if (factor > MEMPLAN_SIZE_LIMIT / b) {
    return false;
  }
  *result = factor * b;
  return true;
}

int64_t memplan_align_up(int64_t value, int64_t align, int64_t residue) {
  int64_t above = (value - residue) % align;
  if (above < 0) {
    above += align;
  }
  return above == 0 ? value : value + (align - above);
}

// Inverse of a modulo m, for gcd(a, m) = 1 and m >= 1, by the extended Euclidean algorithm.
static int64_t inverse(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    int64_t quotient = r0 / r1;
    int64_t r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;
    r0 = r1;
    r1 = r2;
    t0 = t1;
    t1 = t2;
  }
  return t0 < 0 ? t0 + m : t0;
}

// False: the conditions contradict each other. Alignments of up to 2^62 keep every product below 2^124.
static bool solve(memplan_congruence a, memplan_congruence b, memplan_int128 *align, memplan_int128 *residue) {
  int64_t divisor = memplan_gcd(a.align, b.align);
  int64_t difference = b.residue - a.residue;
  if (difference % divisor != 0) {
    return false;
  }
  int64_t modulus = b.align / divisor;
  int64_t factor = (difference / divisor) % modulus;
  if (factor < 0) {
    factor += modulus;
  }
  int64_t steps = (int64_t)((memplan_int128)factor * inverse(a.align / divisor, modulus) % modulus);
  *align = (memplan_int128)a.align * modulus;
  *residue = ((memplan_int128)a.align * steps + a.residue) % *align;
  return true;
}

memplan_congruence_result memplan_congruence_join(memplan_congruence a, memplan_congruence b,
                                                  memplan_congruence *both) {
  memplan_int128 align, residue;
  if (!solve(a, b, &align, &residue)) {
    return MEMPLAN_CONGRUENCE_CONTRADICTION;
  }
  if (align > MEMPLAN_SIZE_LIMIT) {
    return MEMPLAN_CONGRUENCE_TOO_LARGE;
  }
  *both = (memplan_congruence){(int64_t)align, (int64_t)residue};
  return MEMPLAN_CONGRUENCE_OK;
}

memplan_congruence_result memplan_congruence_meet(memplan_congruence a, memplan_congruence b,
                                                  memplan_congruence *both) {
  memplan_int128 align, residue;
  bool single = a.align >= MEMPLAN_SIZE_LIMIT || b.align >= MEMPLAN_SIZE_LIMIT;
  if (!solve(a, b, &align, &residue)) {
    return single ? MEMPLAN_CONGRUENCE_TOO_LARGE : MEMPLAN_CONGRUENCE_CONTRADICTION;
  }
  if (residue >= MEMPLAN_SIZE_LIMIT) {
    return MEMPLAN_CONGRUENCE_TOO_LARGE;
  }
  both->align = align < MEMPLAN_SIZE_LIMIT ? (int64_t)align : MEMPLAN_SIZE_LIMIT;
  both->residue = (int64_t)residue;
  return MEMPLAN_CONGRUENCE_OK;
}

int memplan_compare_int32(const void *left, const void *right) {
  int32_t a = *(const int32_t *)left;
  int32_t b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

int memplan_compare_int64(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left;
  int64_t b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

// Squaring the mantissa yields one more bit of the logarithm at a time.
int32_t memplan_log2(int64_t value) {
  int32_t whole = 0;
  while (value >> whole > 1) {
    whole++;
  }
  uint64_t mantissa = (uint64_t)value << (62 - whole) >> 31; // in [2^31, 2^32)
  int32_t result = whole;
  for (int32_t bit = 0; bit < 16; bit++) {
    mantissa = mantissa * mantissa >> 31;
    bool above = mantissa >> 32 != 0;
    mantissa >>= above;
    result = 2 * result + above;
  }
  return result;
}

int64_t memplan_exp2(int64_t log) {
  if (log <= 0) {
    return 1;
  }
  if (log >= INT64_C(62) << 16) {
    return INT64_C(1) << 62;
  }
  int64_t whole = log >> 16, part = log & 65535;
  int64_t mantissa = 65536 + (part * (43024 + (part * 22512 >> 16)) >> 16); // a parabola, in [2^16, 2^17)
  return whole < 16 ? mantissa >> (16 - whole) : mantissa << (whole - 16);
}
