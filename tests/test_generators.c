// SPDX-License-Identifier: Apache-2.0
// Seeded families: what they promise of their instances, the same instances again, and the numbers below them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "model/base/rng.h"
#include "tests/support/generated.h"

// The first numbers that the authors' xoshiro256** gives after the state 1, 2, 3, 4.
static void rng_is_xoshiro(void **state) {
  (void)state;
  static const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240};
  memplan_rng rng = {{1, 2, 3, 4}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    assert_true(memplan_rng_next(&rng) == expected[i]);
  }
}

static void rng_is_even(void **state) {
  (void)state;
  memplan_rng rng;
  int32_t counts[7] = {0};
  memplan_rng_start(&rng, 1, 0);
  for (int32_t i = 0; i < 70000; i++) {
    counts[memplan_rng_below(&rng, 7)]++;
  }
  for (int32_t k = 0; k < 7; k++) {
    assert_in_range(counts[k], 9500, 10500);
  }
  assert_int_equal(memplan_rng_below(&rng, 0), 0);
  assert_int_equal(memplan_rng_below(&rng, 1), 0);
  assert_int_equal(memplan_rng_between(&rng, -3, -3), -3);
  for (int32_t i = 0; i < 1000; i++) {
    int64_t number = memplan_rng_between(&rng, -5, 5);
    assert_true(number >= -5 && number <= 5);
    assert_true(memplan_rng_below(&rng, INT64_MAX) >= 0);
  }
  memplan_rng other;
  memplan_rng_start(&rng, 1, 0);
  memplan_rng_start(&other, 1, 1);
  assert_true(memplan_rng_next(&rng) != memplan_rng_next(&other));
}

static void make(const char *family, uint64_t seed, int64_t index, int64_t n, int64_t fill,
                 memplan_instance *instance) {
  memplan_generator_wishes wishes = {seed, index, n, fill};
  memplan_error error = {0};
  const memplan_generator *generator = memplan_generator_find(family);
  assert_non_null(generator);
  memplan_instance_init(instance);
  if (memplan_generate(generator, &wishes, instance, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

// Every section of time holds the share of the largest load that was asked for.
static void tight_sections_are_full(void **state) {
  (void)state;
  static const int64_t fills[] = {100, 90, 60};
  for (int64_t n = 8; n <= 200; n += 7) {
    for (size_t f = 0; f < 3; f++) {
      memplan_instance instance;
      memplan_arena arena = {0};
      make("tight", 5, n, n, fills[f], &instance);
      assert_int_equal(instance.n_buffers, n);
      int64_t *load = memplan_instance_profile(&instance, &arena);
      int64_t largest = 0;
      int64_t least = INT64_MAX;
      for (int32_t t = 0; t < instance.n_times; t++) {
        largest = load[t] > largest ? load[t] : largest;
        least = load[t] < least ? load[t] : least;
      }
      assert_true(least >= largest * fills[f] / 100);
      assert_true(fills[f] < 100 || least == largest);
      memplan_arena_free(&arena);
      memplan_instance_free(&instance);
    }
  }
}

static void tight_has_its_usual_size(void **state) {
  (void)state;
  for (int64_t index = 0; index < 200; index++) {
    memplan_instance instance;
    make("tight", 11, index, 0, 0, &instance);
    assert_in_range(instance.n_buffers, 21, 61);
    memplan_instance_free(&instance);
  }
}

static void random_lies_in_its_steps(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 2, 3, 1000, 100000};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    memplan_instance instance;
    make("random", 3, 0, sizes[k], 0, &instance);
    assert_int_equal(instance.n_buffers, sizes[k]);
    for (int32_t i = 0; i < instance.n_buffers; i++) {
      const memplan_buffer *buffer = &instance.buffers[i];
      assert_int_equal(buffer->n_live, 1);
      assert_true(buffer->live[0].start >= 0 && buffer->live[0].start < buffer->live[0].end);
      assert_true(buffer->live[0].end <= sizes[k]);
      assert_true(buffer->bytes >= 64 && buffer->bytes < 1 << 20);
    }
    memplan_instance_free(&instance);
  }
}

static uint64_t digest(const memplan_instance *instance) {
  uint64_t hash = 0;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    const int64_t numbers[] = {buffer->bytes, buffer->live[0].start, buffer->live[0].end};
    for (int k = 0; k < 3; k++) {
      hash = (hash ^ (uint64_t)numbers[k]) * UINT64_C(0x100000001B3);
    }
  }
  return hash;
}

static uint64_t digest_of(const char *family, uint64_t seed, int64_t index, int64_t n) {
  memplan_instance instance;
  make(family, seed, index, n, 0, &instance);
  uint64_t hash = digest(&instance);
  memplan_instance_free(&instance);
  return hash;
}

static void wishes_decide_alone(void **state) {
  (void)state;
  static const char *const families[] = {"tight", "random"};
  for (int k = 0; k < 2; k++) {
    uint64_t first = digest_of(families[k], 1, 0, 40);
    assert_true(digest_of(families[k], 1, 0, 40) == first);
    assert_true(digest_of(families[k], 2, 0, 40) != first);
    assert_true(digest_of(families[k], 1, 1, 40) != first);
    assert_true(digest_of(families[k], 1, 0, 41) != first);
  }
}

// As many operators as were asked for, one tensor each, all but the last one read; equal wishes, equal graphs.
static void gaps_are_graphs(void **state) {
  (void)state;
  for (int64_t n = 7; n <= 400; n += 13) {
    for (int64_t fill = 20; fill <= 100; fill += 40) {
      memplan_problem problem, again;
      generated("gap", (uint64_t)n, n, fill, &problem);
      generated("gap", (uint64_t)n, n, fill, &again);
      const memplan_graph *graph = &problem.graph;
      assert_true(problem.has_graph && graph->n_ops == n && graph->n_tensors == n);
      for (int32_t op = 0; op < graph->n_ops; op++) {
        bool last = op + 1 == graph->n_ops;
        assert_int_equal(graph->tensors[op].roles, last ? MEMPLAN_ROLE_OUTPUT : 0);
        assert_int_equal(graph->storages[op].n_touches > 1, !last);
        assert_true(graph->tensors[op].bytes >= 1 && graph->tensors[op].bytes <= 48);
        assert_int_equal(again.graph.tensors[op].bytes, graph->tensors[op].bytes);
        assert_int_equal(again.graph.ops[op].n_in, graph->ops[op].n_in);
      }
      memplan_problem_free(&again);
      memplan_problem_free(&problem);
    }
  }
}

// Every operator but those of the first layer reads the layer before it; a full one reads all of two layers.
static void layers_are_joined(void **state) {
  (void)state;
  for (int64_t n = 2; n <= 200; n += 11) {
    for (int64_t fill = 1; fill <= 100; fill += 33) {
      memplan_problem problem, again;
      generated("layered", (uint64_t)n, n, fill, &problem);
      generated("layered", (uint64_t)n, n, fill, &again);
      const memplan_graph *graph = &problem.graph;
      int32_t width = 1;
      while (width * width < n) {
        width++;
      }
      assert_true(problem.has_graph && graph->n_ops == n && graph->n_tensors == n);
      for (int32_t op = 0; op < n; op++) {
        int32_t layer = op / width, n_in = graph->ops[op].n_in;
        bool near = layer == 0;
        for (int32_t k = 0; k < n_in; k++) {
          int32_t writer = graph->ops[op].in[k];
          assert_true(writer / width < layer && writer / width >= layer - 2);
          near |= writer / width == layer - 1;
        }
        assert_true(near);
        assert_true(fill < 100 || n_in == (layer < 2 ? layer : 2) * width);
        assert_true(graph->tensors[op].bytes >= 1 && graph->tensors[op].bytes <= 6);
        assert_int_equal(again.graph.ops[op].n_in, n_in);
        assert_int_equal(again.graph.tensors[op].bytes, graph->tensors[op].bytes);
      }
      memplan_problem_free(&again);
      memplan_problem_free(&problem);
    }
  }
}

static void wishes_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *family;
    int64_t n, fill;
    const char *part;
  } rows[] = {{"tight", 7, 0, "8 to 200 buffers, not of 7"},  {"tight", 201, 0, "not of 201"},
              {"random", 1000001, 0, "not of 1000001"},       {"random", 10, 90, "leave --fill out"},
              {"gap", 6, 0, "7 to 2000 operators, not of 6"}, {"gap", 20, 0, "makes graphs"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memplan_generator_wishes wishes = {.n = rows[i].n, .fill = rows[i].fill};
    memplan_instance instance;
    memplan_error error = {0};
    memplan_instance_init(&instance);
    assert_int_equal(memplan_generate(memplan_generator_find(rows[i].family), &wishes, &instance, &error),
                     MEMPLAN_INPUT);
    assert_non_null(strstr(error.message, rows[i].part));
    memplan_instance_free(&instance);
  }
  assert_null(memplan_generator_find("nothing"));
  assert_null(memplan_generator_at(-1));
  assert_null(memplan_generator_at(memplan_generator_count()));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rng_is_xoshiro),           cmocka_unit_test(rng_is_even),
      cmocka_unit_test(tight_sections_are_full),  cmocka_unit_test(tight_has_its_usual_size),
      cmocka_unit_test(random_lies_in_its_steps), cmocka_unit_test(wishes_decide_alone),
      cmocka_unit_test(gaps_are_graphs),          cmocka_unit_test(layers_are_joined),
      cmocka_unit_test(wishes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
