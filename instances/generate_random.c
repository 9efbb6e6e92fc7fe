// SPDX-License-Identifier: Apache-2.0
// Large problems of independent buffers: starts spread evenly over as many steps as there are buffers, lengths and
// sizes of every magnitude alike, most of them short and a few very long. Memory and time are linear in the buffers.
#include "instances/generators.h"

#include "model/base/rng.h"

enum { usual_n = 1000 };

// Uniform in 2^k … 2^(k+1)-1 for a uniform k in low … high.
static int64_t draw_magnitude(memplan_rng *rng, int64_t low, int64_t high) {
  int64_t base = INT64_C(1) << memplan_rng_between(rng, low, high);
  return base + memplan_rng_below(rng, base);
}

static memplan_status make(const memplan_generator_wishes *wishes, memplan_instance *instance, memplan_error *error) {
  int64_t n = wishes->n > 0 ? wishes->n : usual_n;
  int64_t longest = 0; // half the digits of n: a share of all steps that shrinks as n grows
  while (longest < 62 && (INT64_C(1) << (2 * longest)) < n) {
    longest++;
  }
  memplan_rng rng;
  memplan_rng_start(&rng, wishes->seed, (uint64_t)wishes->index);
  MEMPLAN_TRY(memplan_generator_allocate(instance, n, error));
  for (int64_t i = 0; i < n; i++) {
    int64_t start = memplan_rng_below(&rng, n);
    int64_t length = draw_magnitude(&rng, 0, longest);
    int64_t end = start + length > n ? n : start + length;
    memplan_generator_set(instance, i, draw_magnitude(&rng, 6, 19), start, end);
  }
  return MEMPLAN_OK;
}

const memplan_generator memplan_generator_random = {
    .name = "random",
    .summary = "independent buffers of all magnitudes, up to a million of them",
    .parameters = "--n 1 to 1000000 buffers (default: 1000)",
    .things = "buffers",
    .least_n = 1,
    .most_n = 1000000,
    .make = make,
};
