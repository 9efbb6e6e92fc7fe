// SPDX-License-Identifier: Apache-2.0
// Repair of placements zone by zone: what comes out is a placement, never a higher one, and the same for any number of
// threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/skyline_search.h"
#include "heuristics/valleys.h"
#include "heuristics/zones.h"
#include "instances/generators.h"
#include "model/method.h"

// A random instance; alignments of 1 to 16 if `aligned`.
static void make_instance(int64_t n, int64_t index, bool aligned, memplan_instance *instance) {
  memplan_generator_wishes wishes = {.n = n, .seed = 91, .index = index};
  memplan_error error = {0};
  memplan_instance_init(instance);
  assert_int_equal(memplan_generate(memplan_generator_find("random"), &wishes, instance, &error), MEMPLAN_OK);
  for (int32_t block = 0; block < instance->n_blocks && aligned; block++) {
    instance->blocks[block].align = INT64_C(1) << (block % 5);
  }
}

typedef struct ground {
  const memplan_instance *instance;
  memplan_arena arena;
  memplan_terrain terrain;
  int64_t *offset; // by item
  int64_t peak;
} ground;

static int compare_sizes(const void *a, const void *b) {
  const int64_t *x = a;
  const int64_t *y = b;
  return x[0] != y[0] ? (x[0] < y[0]) - (x[0] > y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// The skyline of the blocks, the largest first, or as they come.
static void place_blocks(const memplan_instance *instance, const int32_t *blocks, int32_t n, bool by_size,
                         ground *made) {
  *made = (ground){.instance = instance};
  assert_true(memplan_terrain_make(instance, blocks, n, &made->terrain, &made->arena));
  memplan_valleys *valleys = memplan_valleys_new(&made->terrain, MEMPLAN_SPANS_BY_START, &made->arena);
  int64_t *keys = MEMPLAN_NEW(&made->arena, int64_t, 2 * (int64_t)n);
  int32_t *order = MEMPLAN_NEW(&made->arena, int32_t, n);
  made->offset = MEMPLAN_NEW(&made->arena, int64_t, n);
  assert_true(valleys != NULL && keys != NULL && order != NULL && made->offset != NULL);
  for (int32_t item = 0; item < n; item++) {
    keys[2 * (int64_t)item] = by_size ? instance->blocks[made->terrain.sections.block[item]].bytes : 0;
    keys[2 * (int64_t)item + 1] = item;
  }
  qsort(keys, (size_t)n, 2 * sizeof *keys, compare_sizes);
  for (int32_t rank = 0; rank < n; rank++) {
    order[rank] = (int32_t)keys[2 * (int64_t)rank + 1];
  }
  memplan_fill fill = {.limit = INT64_MAX};
  made->peak = memplan_valleys_place(valleys, order, &fill, made->offset);
  assert_true(made->peak >= 0);
}

static memplan_status pack(void *context, const int32_t *blocks, int32_t n, int64_t goal, int64_t *offset,
                           int64_t *peak, memplan_error *error) {
  (void)goal;
  (void)error;
  ground core;
  place_blocks(context, blocks, n, true, &core);
  *peak = core.peak;
  for (int32_t item = 0; item < n; item++) {
    offset[core.terrain.sections.block[item]] = core.offset[item];
  }
  memplan_arena_free(&core.arena);
  return MEMPLAN_OK;
}

static memplan_status pack_nothing(void *context, const int32_t *blocks, int32_t n, int64_t goal, int64_t *offset,
                                   int64_t *peak, memplan_error *error) {
  (void)context;
  (void)blocks;
  (void)n;
  (void)goal;
  (void)offset;
  (void)error;
  *peak = INT64_MAX;
  return MEMPLAN_OK;
}

// Largest end; asserts that the offsets are aligned and that no two blocks meet.
static int64_t check_placement(const ground *made) {
  const memplan_sections *sections = &made->terrain.sections;
  int64_t peak = 0;
  int32_t n_wrong = 0;
  for (int32_t a = 0; a < sections->n; a++) {
    const memplan_block *x = &made->instance->blocks[sections->block[a]];
    int64_t top = made->offset[a] + x->bytes;
    peak = top > peak ? top : peak;
    n_wrong += made->offset[a] < 0 || made->offset[a] % x->align != x->residue;
    for (int32_t b = 0; b < a; b++) {
      const memplan_block *y = &made->instance->blocks[sections->block[b]];
      n_wrong += x->start < y->end && y->start < x->end && made->offset[a] < made->offset[b] + y->bytes &&
                 made->offset[b] < top;
    }
  }
  assert_int_equal(n_wrong, 0);
  return peak;
}

static void repairs_are_placements(void **state) {
  (void)state;
  int32_t n_lower = 0;
  int32_t n_tried = 0;
  for (int32_t index = 0; index < 24; index++) {
    memplan_instance instance;
    ground made;
    make_instance(600 + 60 * index, index, index % 3 == 0, &instance);
    int32_t *todo = calloc((size_t)instance.n_blocks, sizeof *todo);
    assert_non_null(todo);
    for (int32_t block = 0; block < instance.n_blocks; block++) {
      todo[block] = block;
    }
    place_blocks(&instance, todo, instance.n_blocks, false, &made);
    memplan_load load;
    memplan_error error = {0};
    assert_int_equal(memplan_instance_load(&instance, true, &load, &error), MEMPLAN_OK);
    for (int32_t depth = 0; depth <= 6; depth += 2) {
      memplan_zones task = {.instance = &instance,
                            .sections = &made.terrain.sections,
                            .offset = made.offset,
                            .goal = load.bytes + load.bytes / 50,
                            .depth = depth,
                            .reach = depth == 4 ? 3 : 0,
                            .pack = pack_nothing,
                            .context = &instance};
      assert_int_equal(memplan_zones_repair(&task, &error), MEMPLAN_OK);
      assert_int_equal(task.peak, made.peak);
      task.pack = pack;
      assert_int_equal(memplan_zones_repair(&task, &error), MEMPLAN_OK);
      assert_true(task.peak <= made.peak);
      assert_int_equal(check_placement(&made), task.peak);
      n_lower += task.peak < made.peak;
      n_tried += task.n_zones > 0;
      made.peak = task.peak;
    }
    free(todo);
    memplan_arena_free(&made.arena);
    memplan_instance_free(&instance);
  }
  assert_true(n_tried > 10);
  assert_true(n_lower > 5);
}

static void meets_the_load_of_long_instances(void **state) {
  (void)state;
  memplan_instance instance;
  make_instance(12000, 1, false, &instance);
  size_t n = (size_t)instance.n_blocks;
  int64_t *first = calloc(n, sizeof *first);
  int64_t *offset = calloc(n, sizeof *offset);
  int32_t *pool = calloc(n, sizeof *pool);
  assert_true(first != NULL && offset != NULL && pool != NULL);
  for (int32_t threads = 1; threads <= 3; threads++) {
    memplan_limits limits = memplan_limits_default();
    limits.threads = threads;
    memplan_skyline_wishes wishes = {.work = -1, .goal = -1};
    memplan_method_result result = {.offset = threads == 1 ? first : offset, .pool = pool};
    memplan_skyline_outcome outcome;
    memplan_error error = {0};
    assert_int_equal(memplan_skyline_search(&instance, &wishes, &limits, &result, &outcome, &error), MEMPLAN_OK);
    assert_true(outcome.met);
    assert_true(threads == 1 || memcmp(first, offset, n * sizeof *offset) == 0);
  }
  free(first);
  free(offset);
  free(pool);
  memplan_instance_free(&instance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repairs_are_placements),
      cmocka_unit_test(meets_the_load_of_long_instances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
