// SPDX-License-Identifier: Apache-2.0
#include "model/base/rng.h"

uint64_t memplan_splitmix(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

void memplan_rng_start(memplan_rng *rng, uint64_t seed, uint64_t stream) {
  uint64_t state = seed;
  uint64_t mixed = memplan_splitmix(&state) ^ stream;
  for (int i = 0; i < 4; i++) {
    rng->state[i] = memplan_splitmix(&mixed);
  }
}

uint64_t memplan_rng_next(memplan_rng *rng) {
  uint64_t *s = rng->state;
  uint64_t result = rotate(s[1] * 5, 7) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate(s[3], 45);
  return result;
}

int64_t memplan_rng_below(memplan_rng *rng, int64_t limit) {
  if (limit <= 0) {
    return 0;
  }
  // The numbers below 2^64 mod limit are drawn again, so that what is left is a multiple of limit.
  uint64_t range = (uint64_t)limit;
  uint64_t least = (0 - range) % range;
  uint64_t number = memplan_rng_next(rng);
  while (number < least) {
    number = memplan_rng_next(rng);
  }
  return (int64_t)(number % range);
}

int64_t memplan_rng_between(memplan_rng *rng, int64_t low, int64_t high) {
  return low + memplan_rng_below(rng, high - low + 1);
}
