// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers in integer arithmetic alone, the same on every machine: xoshiro256** by Blackman and Vigna,
// seeded by splitmix64. Not for secrets.
#ifndef MEMPLAN_RNG_H
#define MEMPLAN_RNG_H

#include <stdint.h>

// The next number of SplitMix64 (Steele, Lea and Flood 2014), whose whole state is one number: for seeds, hashes and
// short streams.
uint64_t memplan_splitmix(uint64_t *state);

typedef struct memplan_rng {
  uint64_t state[4];
} memplan_rng;

// Streams of one seed are unrelated to each other.
void memplan_rng_start(memplan_rng *rng, uint64_t seed, uint64_t stream);

uint64_t memplan_rng_next(memplan_rng *rng);

// Uniform in 0 … limit-1, without bias; 0 if limit <= 0.
int64_t memplan_rng_below(memplan_rng *rng, int64_t limit);

// Uniform in low … high.
int64_t memplan_rng_between(memplan_rng *rng, int64_t low, int64_t high);

#endif
