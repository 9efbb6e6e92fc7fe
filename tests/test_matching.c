// SPDX-License-Identifier: Apache-2.0
// memplan_pairs_match against the enumeration of all matchings.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/ordering.h"

enum { most_pairs = 10 };

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static int64_t best_by_enumeration(const memplan_pair *pairs, int32_t count, const bool *available) {
  int64_t best = 0;
  for (uint32_t set = 0; set < (1u << count); set++) {
    int64_t sum = 0;
    bool legal = true;
    for (int32_t k = 0; k < count && legal; k++) {
      if ((set >> k & 1u) == 0) {
        continue;
      }
      legal = available[k];
      sum += pairs[k].saving;
      for (int32_t other = 0; other < k && legal; other++) {
        legal = (set >> other & 1u) == 0 ||
                (pairs[other].output != pairs[k].output && pairs[other].input != pairs[k].input);
      }
    }
    best = legal && sum > best ? sum : best;
  }
  return best;
}

static void matches_as_well_as_enumeration(void **unused) {
  (void)unused;
  uint64_t state = 1;
  for (int32_t round = 0; round < 20000; round++) {
    memplan_pair pairs[most_pairs] = {0};
    bool available[most_pairs];
    int32_t count = (int32_t)(next_random(&state) % (most_pairs + 1));
    int32_t sides = 1 + (int32_t)(next_random(&state) % 4);
    for (int32_t k = 0; k < count; k++) {
      pairs[k].output = (int32_t)(next_random(&state) % (uint64_t)sides);
      pairs[k].input = 10 + (int32_t)(next_random(&state) % (uint64_t)sides);
      // Pairs come once each, with the bytes of the tensors they name.
      pairs[k].saving = 1 + (pairs[k].output * 7 + pairs[k].input * 3) % 5;
      available[k] = next_random(&state) % 4 != 0;
    }
    int32_t chosen[most_pairs];
    memplan_matching matching;
    assert_true(memplan_pairs_match(pairs, 0, count, available, chosen, &matching));
    int64_t sum = 0;
    for (int32_t k = 0; k < matching.n_chosen; k++) {
      assert_true(available[chosen[k]]);
      sum += pairs[chosen[k]].saving;
      for (int32_t other = 0; other < k; other++) {
        assert_int_not_equal(pairs[chosen[other]].output, pairs[chosen[k]].output);
        assert_int_not_equal(pairs[chosen[other]].input, pairs[chosen[k]].input);
      }
    }
    assert_int_equal(sum, matching.saving);
    assert_int_equal(matching.most, matching.saving);
    assert_int_equal(matching.saving, best_by_enumeration(pairs, count, available));
  }
}

// Many small problems, made one component, too large for a table, by pairs that save nothing.
static void matches_large_components_best(void **unused) {
  (void)unused;
  enum { parts = 1200, room = parts * (most_pairs + 1) };
  uint64_t state = 7;
  memplan_pair *pairs = calloc(room, sizeof *pairs);
  bool *available = malloc(room * sizeof *available);
  int32_t *chosen = malloc(room * sizeof *chosen), n = 0, last = 0;
  bool *output_used = calloc(4 * parts, sizeof *output_used), *input_used = calloc(4 * parts, sizeof *input_used);
  assert_true(pairs != NULL && available != NULL && chosen != NULL && output_used != NULL && input_used != NULL);
  int64_t best = 0, sum = 0;
  for (int32_t part = 0; part < parts; part++) {
    int32_t first = n;
    bool seen[4][4] = {{false}};
    for (int32_t k = 0; k < most_pairs; k++) {
      int32_t a = (int32_t)(next_random(&state) % 4), b = (int32_t)(next_random(&state) % 4);
      if (!seen[a][b]) {
        seen[a][b] = true;
        pairs[n] = (memplan_pair){.output = 4 * part + a, .input = 4 * part + b};
        pairs[n].saving = 1 + (int64_t)(next_random(&state) % 9);
        available[n++] = true;
      }
    }
    best += best_by_enumeration(pairs + first, n - first, available + first);
    int32_t before = pairs[last].input;
    pairs[n] = (memplan_pair){.output = pairs[first].output, .input = before};
    available[n++] = true;
    last = first;
  }
  memplan_matching matching;
  assert_true(memplan_pairs_match(pairs, 0, n, available, chosen, &matching));
  for (int32_t k = 0; k < matching.n_chosen; k++) {
    const memplan_pair *pair = &pairs[chosen[k]];
    assert_true(k == 0 || chosen[k] > chosen[k - 1]);
    assert_false(output_used[pair->output] || input_used[pair->input]);
    output_used[pair->output] = input_used[pair->input] = true;
    sum += pair->saving;
  }
  assert_int_equal(matching.saving, sum);
  assert_int_equal(matching.saving, best);
  assert_int_equal(matching.most, best);
  free(pairs);
  free(available);
  free(chosen);
  free(output_used);
  free(input_used);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(matches_as_well_as_enumeration),
                                     cmocka_unit_test(matches_large_components_best)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
