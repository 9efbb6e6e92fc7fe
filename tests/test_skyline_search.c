// SPDX-License-Identifier: Apache-2.0
// The skyline search and its parts: sections, rankings, the fast skyline against the others, limits, threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/crew.h"
#include "heuristics/lowest_first.h"
#include "heuristics/ranking.h"
#include "heuristics/skyline.h"
#include "heuristics/skyline_search.h"
#include "heuristics/valleys.h"
#include "model/base/clock.h"
#include "tests/support/place_method.h"

static int32_t find_todo(const memplan_instance *instance, int32_t *todo) {
  int32_t count = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].n_parts > 0 && instance->blocks[block].bytes > 0) {
      todo[count++] = block;
    }
  }
  return count;
}

static void shuffle(random_state *random, int32_t *items, int32_t n) {
  for (int32_t k = n - 1; k > 0; k--) {
    int32_t other = random_below(random, k + 1);
    int32_t kept = items[k];
    items[k] = items[other];
    items[other] = kept;
  }
}

// ---- sections

static bool contains(const memplan_sections *sections, int32_t item, int32_t section) {
  int32_t span = sections->span[item];
  return sections->span_first[span] <= section && section < sections->span_end[span];
}

static void check_section(const memplan_instance *instance, const memplan_sections *sections, int32_t section) {
  int64_t load = 0;
  for (int32_t item = 0; item < sections->n; item++) {
    load += contains(sections, item, section) ? instance->blocks[sections->block[item]].bytes : 0;
  }
  assert_int_equal(sections->load[section], load);
  for (int32_t other = section - 1; other <= section + 1; other += 2) {
    bool inside = other >= 0 && other < sections->n_sections;
    for (int32_t item = 0; item < sections->n && inside; item++) {
      inside = !contains(sections, item, section) || contains(sections, item, other);
    }
    assert_false(inside);
  }
}

// Two blocks share a section if and only if they share a time, and no section lies within its neighbours.
static void sections_are_maximal_cliques(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t index = 0; index < 30; index++) {
    random_state random = random_start(71, (uint64_t)index);
    int32_t size = 1 + random_below(&random, 80), horizon = 1 + random_below(&random, 60);
    place_make_many(&random, size, horizon, false, made);
    const memplan_instance *instance = &made->instance;
    int32_t todo[MANY_BUFFERS];
    int32_t n = find_todo(instance, todo);
    memplan_arena arena = {0};
    memplan_sections sections;
    assert_true(memplan_sections_make(instance, todo, n, &sections, &arena));
    assert_int_equal(sections.n, n);
    for (int32_t a = 0; a < n; a++) {
      int32_t span = sections.span[a];
      assert_true(a == 0 || sections.span[a - 1] <= span);
      assert_in_range(a, sections.span_item[span], sections.span_item[span + 1] - 1);
      int64_t tightest = 0;
      for (int32_t section = sections.span_first[span]; section < sections.span_end[span]; section++) {
        tightest = sections.load[section] > tightest ? sections.load[section] : tightest;
      }
      assert_int_equal(sections.tightest[span], tightest);
      for (int32_t b = 0; b < a; b++) {
        const memplan_block *x = &instance->blocks[sections.block[a]];
        const memplan_block *y = &instance->blocks[sections.block[b]];
        int32_t other = sections.span[b];
        assert_int_equal(x->start < y->end && y->start < x->end,
                         sections.span_first[span] < sections.span_end[other] &&
                             sections.span_first[other] < sections.span_end[span]);
      }
    }
    for (int32_t section = 0; section < sections.n_sections; section++) {
      check_section(instance, &sections, section);
    }
    memplan_arena_free(&arena);
    memplan_instance_free(&made->instance);
  }
  free(made);
}

// ---- rankings

static void keys_are_sorted(void **state) {
  (void)state;
  static const int32_t sizes[] = {1, 2, 47, 48, 49, 1000, 9000};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int32_t n = sizes[k];
    int32_t *keys = calloc((size_t)n, sizeof *keys);
    int32_t *order = calloc((size_t)n, sizeof *order);
    uint64_t *scratch = calloc(2 * (size_t)n, sizeof *scratch);
    assert_non_null(keys);
    assert_non_null(order);
    assert_non_null(scratch);
    random_state random = random_start(72, k);
    for (int32_t item = 0; item < n; item++) {
      keys[item] = random_chance(&random, 50)   ? random_below(&random, 7) - 3
                   : random_chance(&random, 50) ? -(1 << 30) + random_below(&random, 1 << 20)
                                                : (1 << 30) - random_below(&random, 1 << 20);
    }
    for (int32_t reversed = 0; reversed < 2; reversed++) {
      memplan_key_sort(keys, n, reversed == 1, scratch, order);
      for (int32_t r = 1; r < n; r++) {
        bool tie = keys[order[r - 1]] == keys[order[r]];
        assert_true(keys[order[r - 1]] > keys[order[r]] || (tie && (order[r - 1] < order[r]) == (reversed == 0)));
      }
    }
    free(keys);
    free(order);
    free(scratch);
  }
}

// log2 of 1, 2, 3, and of a quarter of the load.
static void keys_are_logarithms(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  (void)build_buffer(&problem.instance, "a", 0, 1, 1);
  (void)build_buffer(&problem.instance, "b", 2, 4, 3);
  (void)build_buffer(&problem.instance, "c", 4, 9, 12);
  build_finish(&problem);
  int32_t todo[3] = {0, 1, 2};
  memplan_arena arena = {0};
  memplan_sections sections;
  memplan_key_family family;
  assert_true(memplan_sections_make(&problem.instance, todo, 3, &sections, &arena));
  assert_true(memplan_key_family_make(&problem.instance, &sections, &family, &arena));
  int32_t keys[3];
  memplan_key_rule rule = {.size = MEMPLAN_KEY_POWER};
  memplan_key_fill(&family, &rule, NULL, 0, keys);
  assert_int_equal(keys[0], 0);
  assert_int_equal(keys[1], 103872); // 65536 log2(3) = 103872.09…
  assert_int_equal(keys[2], 103872 + 2 * 65536);
  rule = (memplan_key_rule){.duration = 2 * MEMPLAN_KEY_POWER, .sections = MEMPLAN_KEY_POWER};
  memplan_key_fill(&family, &rule, NULL, 0, keys);
  assert_int_equal(keys[0], 0);
  assert_int_equal(keys[1], 2 * 65536);
  rule = (memplan_key_rule){.tightness = MEMPLAN_KEY_POWER / 2};
  memplan_key_fill(&family, &rule, NULL, 0, keys);
  assert_int_equal(keys[1], -65536);
  assert_int_equal(keys[2], 0);
  rule = (memplan_key_rule){.noise = 100};
  static const int32_t base[3] = {5000, 6000, 7000};
  for (uint64_t seed = 0; seed < 1000; seed++) {
    memplan_key_fill(&family, &rule, base, seed, keys);
    for (int32_t item = 0; item < 3; item++) {
      assert_in_range(keys[item], base[item] - 100, base[item] + 100);
    }
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

// ---- one placement

typedef struct bench {
  memplan_arena arena;
  memplan_terrain terrain;
  memplan_valleys *by_start, *in_plane;
  memplan_skyline *skyline;
  int32_t todo[MANY_BUFFERS];
  int32_t n;
} bench;

static void set_up(const memplan_instance *instance, bench *used) {
  *used = (bench){.n = 0};
  used->n = find_todo(instance, used->todo);
  assert_true(memplan_terrain_accepts(instance));
  assert_true(memplan_terrain_make(instance, used->todo, used->n, &used->terrain, &used->arena));
  used->by_start = memplan_valleys_new(&used->terrain, MEMPLAN_SPANS_BY_START, &used->arena);
  used->in_plane = memplan_valleys_new(&used->terrain, MEMPLAN_SPANS_IN_PLANE, &used->arena);
  used->skyline = memplan_skyline_new(instance, used->todo, used->n, &used->arena);
  assert_non_null(used->by_start);
  assert_non_null(used->in_plane);
  assert_non_null(used->skyline);
}

// Four programs, one placement: both layouts, the skyline with profiles, and without alignments lowest-first by the
// packing. A limit ends a placement exactly if its peak would reach it.
static void check_order(const memplan_instance *instance, bench *used, const int32_t *order, bool aligned) {
  int64_t offset[MANY_BUFFERS];
  int32_t ranked[MANY_BUFFERS];
  int64_t other[MANY_BUFFERS];
  int64_t by_block[MANY_BUFFERS];
  int32_t pool[MANY_BUFFERS];
  int32_t n = used->n;
  for (int32_t rank = 0; rank < n; rank++) {
    ranked[rank] = used->terrain.sections.block[order[rank]];
  }
  memplan_fill fill = {.limit = INT64_MAX};
  int64_t peak = memplan_valleys_place(used->by_start, order, &fill, offset);
  assert_true(fill.work >= n);
  assert_int_equal(memplan_valleys_place(used->in_plane, order, &fill, other), peak);
  assert_memory_equal(other, offset, (size_t)n * sizeof *other);
  assert_int_equal(memplan_skyline_place(used->skyline, ranked, &fill, by_block), peak);
  for (int32_t item = 0; item < n; item++) {
    assert_int_equal(by_block[used->terrain.sections.block[item]], offset[item]);
  }
  memplan_lowest_first task = {.instance = instance, .ranked = ranked, .n = n, .offset = by_block, .pool = pool};
  assert_int_equal(memplan_lowest_first_place(&task, INT64_MAX, &fill, NULL), MEMPLAN_OK);
  int64_t lowest = task.peak;
  for (int32_t item = 0; item < n && !aligned; item++) {
    assert_int_equal(by_block[used->terrain.sections.block[item]], offset[item]);
  }
  for (int64_t limit = lowest; limit <= lowest + 1; limit++) {
    fill.limit = limit;
    assert_int_equal(memplan_lowest_first_place(&task, INT64_MAX, &fill, NULL), MEMPLAN_OK);
    assert_int_equal(task.peak, limit > lowest ? lowest : -1);
    assert_int_equal(task.failed, -1);
  }
  for (int64_t limit = peak - 1; limit <= peak + 1; limit++) {
    fill.limit = limit;
    int64_t expected = limit > peak ? peak : -1;
    assert_int_equal(memplan_valleys_place(used->by_start, order, &fill, other), expected);
    assert_int_equal(memplan_valleys_place(used->in_plane, order, &fill, other), expected);
    assert_int_equal(memplan_skyline_place(used->skyline, ranked, &fill, by_block), expected);
  }
}

static void four_programs_one_placement(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t index = 0; index < 200; index++) {
    random_state random = random_start(73, (uint64_t)index);
    int32_t size = 1 + random_below(&random, 120), horizon = 1 + random_below(&random, 60);
    place_make_many(&random, size, horizon, false, made);
    if (index % 2 == 1) { // alignments of any kind, but none that all share: there the fast skyline rounds sizes
      for (int32_t block = 0; block < made->instance.n_blocks; block++) {
        made->instance.blocks[block].align = block == 0 ? 1 : 1 + random_below(&random, 64);
        made->instance.blocks[block].residue = random_below(&random, (int32_t)made->instance.blocks[block].align);
      }
      made->instance.pools[0].base = random_below(&random, 100);
    }
    bench used;
    set_up(&made->instance, &used);
    int32_t order[MANY_BUFFERS];
    for (int32_t item = 0; item < used.n; item++) {
      order[item] = item;
    }
    for (int32_t round = 0; round < 3; round++) {
      shuffle(&random, order, used.n);
      check_order(&made->instance, &used, order, index % 2 == 1);
    }
    memplan_arena_free(&used.arena);
    memplan_instance_free(&made->instance);
  }
  free(made);
}

// An alignment that all share: sizes count as rounded up, whatever the base.
static void shared_alignment(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t index = 0; index < 100; index++) {
    random_state random = random_start(74, (uint64_t)index);
    place_make_many(&random, 60, 30, false, made);
    int64_t residue = random_below(&random, 16);
    for (int32_t block = 0; block < made->instance.n_blocks; block++) {
      made->instance.blocks[block].align = random_chance(&random, 20) && index % 2 == 0 ? 48 : 16;
      made->instance.blocks[block].residue = residue;
    }
    made->instance.pools[0].base = random_below(&random, 100);
    bench used;
    set_up(&made->instance, &used);
    int32_t order[MANY_BUFFERS];
    int64_t offset[MANY_BUFFERS];
    for (int32_t item = 0; item < used.n; item++) {
      order[item] = item;
    }
    shuffle(&random, order, used.n);
    memplan_fill fill = {.limit = INT64_MAX};
    int64_t peak = memplan_valleys_place(used.by_start, order, &fill, offset);
    int64_t highest = 0;
    for (int32_t a = 0; a < used.n; a++) {
      const memplan_block *block = &made->instance.blocks[used.terrain.sections.block[a]];
      assert_int_equal((made->instance.pools[0].base + offset[a]) % block->align, residue);
      highest = offset[a] + block->bytes > highest ? offset[a] + block->bytes : highest;
      for (int32_t b = 0; b < a; b++) {
        assert_true(place_agree(&made->instance, used.terrain.sections.block[a], offset[a],
                                used.terrain.sections.block[b], offset[b]));
      }
    }
    assert_int_equal(peak, highest);
    for (int64_t limit = peak; limit <= peak + 1; limit++) {
      fill.limit = limit;
      assert_int_equal(memplan_valleys_place(used.by_start, order, &fill, offset), limit > peak ? peak : -1);
    }
    memplan_arena_free(&used.arena);
    memplan_instance_free(&made->instance);
  }
  free(made);
}

// Time reversed, the same ranks give the same offsets.
static void time_has_no_direction(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  many *mirrored = calloc(1, sizeof *mirrored);
  assert_non_null(made);
  assert_non_null(mirrored);
  for (int32_t index = 0; index < 50; index++) {
    random_state random = random_start(75, (uint64_t)index);
    place_make_many(&random, 200, 60, false, made);
    int32_t n = made->instance.n_buffers;
    memplan_instance_init(&mirrored->instance);
    for (int32_t k = 0; k < n; k++) {
      mirrored->live[k][0] = (memplan_interval){-made->live[k][0].end, -made->live[k][0].start};
      mirrored->buffers[k] = made->buffers[k];
      mirrored->buffers[k].live = mirrored->live[k];
    }
    mirrored->instance.buffers = mirrored->buffers;
    mirrored->instance.n_buffers = n;
    assert_int_equal(memplan_instance_resolve(&mirrored->instance, 1, NULL), MEMPLAN_OK);
    bench there;
    bench back;
    set_up(&made->instance, &there);
    set_up(&mirrored->instance, &back);
    int32_t buffers[MANY_BUFFERS];
    int32_t order[MANY_BUFFERS];
    int32_t order_back[MANY_BUFFERS];
    int32_t item_of[2][MANY_BUFFERS];
    for (int32_t k = 0; k < n; k++) {
      buffers[k] = k;
      item_of[0][there.terrain.sections.block[k]] = k;
      item_of[1][back.terrain.sections.block[k]] = k;
    }
    shuffle(&random, buffers, n);
    for (int32_t k = 0; k < n; k++) {
      order[k] = item_of[0][made->instance.block_of[buffers[k]]];
      order_back[k] = item_of[1][mirrored->instance.block_of[buffers[k]]];
    }
    int64_t offset[MANY_BUFFERS];
    int64_t offset_back[MANY_BUFFERS];
    memplan_fill fill = {.limit = INT64_MAX};
    int64_t peak = memplan_valleys_place(there.by_start, order, &fill, offset);
    assert_int_equal(memplan_valleys_place(back.by_start, order_back, &fill, offset_back), peak);
    for (int32_t k = 0; k < n; k++) {
      assert_int_equal(offset[order[k]], offset_back[order_back[k]]);
    }
    memplan_arena_free(&there.arena);
    memplan_arena_free(&back.arena);
    memplan_instance_free(&made->instance);
    memplan_instance_free(&mirrored->instance);
  }
  free(made);
  free(mirrored);
}

// ---- the search

typedef struct found {
  memplan_arena arena;
  memplan_method_result result;
  memplan_skyline_outcome outcome;
} found;

static void search(const memplan_instance *instance, const memplan_skyline_wishes *wishes, const memplan_limits *limits,
                   found *made) {
  *made = (found){.result = {.failed_block = -1}};
  made->result.offset = MEMPLAN_NEW(&made->arena, int64_t, instance->n_blocks);
  made->result.pool = MEMPLAN_NEW(&made->arena, int32_t, instance->n_blocks);
  assert_non_null(made->result.offset);
  assert_non_null(made->result.pool);
  memplan_limits started = memplan_limits_start(limits);
  memplan_error error = {.message = ""};
  assert_int_equal(memplan_skyline_search(instance, wishes, &started, &made->result, &made->outcome, &error),
                   MEMPLAN_OK);
}

static void check_found(const memplan_instance *instance, const found *made) {
  assert_int_equal(made->result.outcome, MEMPLAN_FEASIBLE);
  assert_int_equal(made->outcome.peak, memplan_instance_peak(instance, made->result.offset));
  assert_true(made->outcome.peak >= made->outcome.bound);
  assert_int_equal(made->outcome.met, made->outcome.peak == made->outcome.bound);
  for (int32_t a = 0; a < instance->n_blocks; a++) {
    const memplan_block *block = &instance->blocks[a];
    assert_true(block->bytes == 0 ||
                (instance->pools[0].base + made->result.offset[a]) % block->align == block->residue);
    for (int32_t b = 0; b < a; b++) {
      assert_true(place_agree(instance, a, made->result.offset[a], b, made->result.offset[b]));
    }
  }
}

// The same for any number of threads and for the same seed only; with profiles and with separations too.
static void same_for_any_number_of_threads(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t kind = 0; kind < 3; kind++) {
    random_state random = random_start(76, (uint64_t)kind);
    place_make_many(&random, MANY_BUFFERS, 60, kind > 0, made);
    for (int32_t block = 0; block < made->instance.n_blocks && kind == 1; block++) {
      made->instance.blocks[block].n_apart = 0;
    }
    const memplan_instance *instance = &made->instance;
    memplan_limits limits = memplan_limits_default();
    memplan_skyline_wishes wishes = {.work = (kind == 2 ? 4000 : 1500) * MANY_BUFFERS, .goal = -1};
    found first;
    static const int32_t threads[] = {1, 2, 3, 8};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
      found other;
      limits.threads = threads[k];
      search(instance, &wishes, &limits, k == 0 ? &first : &other);
      if (k == 0) {
        check_found(instance, &first);
        continue;
      }
      assert_memory_equal(first.result.offset, other.result.offset, (size_t)instance->n_blocks * sizeof(int64_t));
      assert_int_equal(first.result.nodes, other.result.nodes);
      assert_int_equal(first.outcome.rankings, other.outcome.rankings);
      memplan_arena_free(&other.arena);
    }
    int32_t different = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
      found other;
      limits.seed = seed;
      search(instance, &wishes, &limits, &other);
      check_found(instance, &other);
      different += memcmp(first.result.offset, other.result.offset, (size_t)instance->n_blocks * sizeof(int64_t)) != 0;
      memplan_arena_free(&other.arena);
    }
    assert_true(first.outcome.met || different > 0);
    memplan_arena_free(&first.arena);
    memplan_instance_free(&made->instance);
  }
  free(made);
}

// A goal ends the search at the first draw that meets it, for any number of threads; without work there is one ranking.
static void goals_and_work(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  random_state random = random_start(77, 0);
  place_make_many(&random, MANY_BUFFERS, 40, false, made);
  memplan_limits limits = memplan_limits_default();
  found one;
  search(&made->instance, &(memplan_skyline_wishes){.work = 0, .goal = -1}, &limits, &one);
  check_found(&made->instance, &one);
  assert_int_equal(one.outcome.rankings, 1);
  assert_false(one.outcome.met);
  found best;
  search(&made->instance, &(memplan_skyline_wishes){.work = -1, .goal = -1}, &limits, &best);
  assert_true(best.outcome.peak < one.outcome.peak);
  int64_t goal = one.outcome.peak - (one.outcome.peak - best.outcome.peak) / 2;
  for (int32_t threads = 1; threads <= 8; threads *= 2) {
    found met;
    limits.threads = threads;
    search(&made->instance, &(memplan_skyline_wishes){.work = -1, .goal = goal}, &limits, &met);
    check_found(&made->instance, &met);
    assert_true(met.outcome.peak <= goal);
    assert_true(met.outcome.rankings <= best.outcome.rankings);
    if (threads > 1) {
      assert_memory_equal(one.result.offset, met.result.offset, (size_t)made->instance.n_blocks * sizeof(int64_t));
      assert_int_equal(one.result.nodes, met.result.nodes);
    }
    memplan_arena_free(&one.arena);
    one = met;
  }
  memplan_arena_free(&one.arena);
  memplan_arena_free(&best.arena);
  memplan_instance_free(&made->instance);
  free(made);
}

// Stopped before the first ranking: no placement, unless that is asked for. Stopped later: the best so far, soon.
static void limits_stop_it(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  random_state random = random_start(78, 0);
  place_make_many(&random, MANY_BUFFERS, 40, true, made);
  memplan_limits limits = memplan_limits_default();
  memplan_skyline_wishes wishes = {.work = INT64_MAX / 4, .goal = -1};
  found stopped;
  limits.time_ms = 0;
  search(&made->instance, &wishes, &limits, &stopped);
  assert_int_equal(stopped.result.outcome, MEMPLAN_UNKNOWN);
  assert_int_equal(stopped.result.stop, MEMPLAN_STOP_TIME);
  assert_int_equal(stopped.result.failed_block, -1);
  assert_int_equal(stopped.outcome.peak, INT64_MAX);
  memplan_arena_free(&stopped.arena);
  volatile int cancel = 1;
  limits = memplan_limits_default();
  limits.cancel = &cancel;
  search(&made->instance, &wishes, &limits, &stopped);
  assert_int_equal(stopped.result.outcome, MEMPLAN_UNKNOWN);
  assert_int_equal(stopped.result.stop, MEMPLAN_STOP_INTERRUPTED);
  memplan_arena_free(&stopped.arena);
  wishes.sure = true;
  search(&made->instance, &wishes, &limits, &stopped);
  check_found(&made->instance, &stopped);
  assert_int_equal(stopped.result.stop, MEMPLAN_STOP_INTERRUPTED);
  assert_true(stopped.outcome.rankings <= 2); // the first one, and again if it shows that the spans are laid out badly
  int64_t hurried = stopped.result.nodes;
  memplan_arena_free(&stopped.arena);
  wishes = (memplan_skyline_wishes){.work = 0, .goal = -1};
  limits = memplan_limits_default();
  search(&made->instance, &wishes, &limits, &stopped);
  check_found(&made->instance, &stopped);
  print_message("work of the first ranking: %lld, in a hurry %lld\n", (long long)stopped.result.nodes,
                (long long)hurried);
  assert_true(hurried < stopped.result.nodes);
  memplan_arena_free(&stopped.arena);
  wishes.work = INT64_MAX / 4;
  limits.time_ms = 200;
  int64_t start = memplan_clock_us();
  search(&made->instance, &wishes, &limits, &stopped);
  int64_t taken = memplan_clock_us() - start;
  check_found(&made->instance, &stopped);
  assert_false(stopped.outcome.met);
  assert_int_equal(stopped.result.stop, MEMPLAN_STOP_TIME);
  assert_true(taken >= 200000 && taken < 2000000);
  memplan_arena_free(&stopped.arena);
  memplan_instance_free(&made->instance);
  free(made);
}

// What cannot lie on the ground: between a pin and a reserved range, in a pool that ends.
static void pins_and_reserved_ranges(void **state) {
  (void)state;
  static const memplan_interval reserved[] = {{20, 30}};
  for (int64_t capacity = 38; capacity <= 40; capacity++) {
    memplan_pool pools[] = {{.id = "ram", .capacity = capacity, .reserved = reserved, .n_reserved = 1}};
    memplan_problem problem;
    build_instance(&problem);
    problem.instance.pools = pools;
    problem.instance.n_pools = 1;
    build_buffer(&problem.instance, "pinned", 0, 4, 5)->pin = 8;
    (void)build_buffer(&problem.instance, "a", 0, 2, 8);
    (void)build_buffer(&problem.instance, "b", 1, 3, 7);
    (void)build_buffer(&problem.instance, "c", 0, 4, 10);
    (void)build_buffer(&problem.instance, "idle", 3, 3, 12);
    build_finish(&problem);
    memplan_limits limits = memplan_limits_default();
    found made;
    search(&problem.instance, &(memplan_skyline_wishes){.work = -1, .goal = -1}, &limits, &made);
    assert_int_equal(made.result.outcome, capacity < 40 ? MEMPLAN_UNKNOWN : MEMPLAN_FEASIBLE);
    assert_int_equal(made.result.failed_block >= 0, capacity < 40);
    if (capacity == 40) {
      check_found(&problem.instance, &made);
      assert_int_equal(made.outcome.peak, 40);
      assert_int_equal(made.result.offset[place_block_of(&problem.instance, "a")], 0);
      assert_int_equal(made.result.offset[place_block_of(&problem.instance, "b")], 13);
      assert_int_equal(made.result.offset[place_block_of(&problem.instance, "c")], 30);
      assert_int_equal(made.result.offset[place_block_of(&problem.instance, "idle")], 0);
    }
    memplan_arena_free(&made.arena);
    memplan_problem_free(&problem);
  }
}

// Many long lifetimes that start anywhere: the layout by start is given up for the plane.
static void spans_all_over_the_plane(void **state) {
  (void)state;
  enum { BUFFERS = 6000 };
  memplan_instance instance;
  memplan_instance_init(&instance);
  instance.buffers = MEMPLAN_NEW(&instance.arena, memplan_buffer, BUFFERS);
  memplan_interval *live = MEMPLAN_NEW(&instance.arena, memplan_interval, BUFFERS);
  assert_non_null(instance.buffers);
  assert_non_null(live);
  random_state random = random_start(79, 0);
  for (int32_t k = 0; k < BUFFERS; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "b%d", (int)k);
    int64_t a = random_below(&random, 100000);
    int64_t b = random_below(&random, 100000);
    live[k] = (memplan_interval){a < b ? a : b, (a < b ? b : a) + 1};
    instance.buffers[k] = (memplan_buffer){.id = memplan_arena_text(&instance.arena, id, strlen(id)),
                                           .bytes = 1 + random_below(&random, 100000),
                                           .align = 1,
                                           .pin = -1,
                                           .offset = -1,
                                           .hint = -1,
                                           .live = &live[k],
                                           .n_live = 1};
  }
  instance.n_buffers = BUFFERS;
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_OK);
  memplan_limits limits = memplan_limits_default();
  found first;
  found other;
  limits.threads = 1;
  search(&instance, &(memplan_skyline_wishes){.work = 100 * BUFFERS, .goal = -1}, &limits, &first);
  limits.threads = 4;
  search(&instance, &(memplan_skyline_wishes){.work = 100 * BUFFERS, .goal = -1}, &limits, &other);
  assert_memory_equal(first.result.offset, other.result.offset, (size_t)instance.n_blocks * sizeof(int64_t));
  assert_true(first.outcome.peak >= first.outcome.bound);
  assert_true(first.outcome.peak - first.outcome.bound < first.outcome.bound / 50);
  memplan_arena_free(&first.arena);
  memplan_arena_free(&other.arena);
  memplan_instance_free(&instance);
}

static void crews(void **state) {
  (void)state;
  memplan_limits limits = memplan_limits_default();
  assert_in_range(memplan_crew_most(&limits), 1, 1024);
  limits.threads = 3;
  assert_int_equal(memplan_crew_size(&limits, 100), 1);
  assert_in_range(memplan_crew_size(&limits, 1000000), 1, memplan_crew_most(&limits));
  assert_in_range(memplan_crew_most(&limits), 1, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_are_maximal_cliques),
      cmocka_unit_test(keys_are_sorted),
      cmocka_unit_test(keys_are_logarithms),
      cmocka_unit_test(four_programs_one_placement),
      cmocka_unit_test(shared_alignment),
      cmocka_unit_test(time_has_no_direction),
      cmocka_unit_test(same_for_any_number_of_threads),
      cmocka_unit_test(goals_and_work),
      cmocka_unit_test(limits_stop_it),
      cmocka_unit_test(pins_and_reserved_ranges),
      cmocka_unit_test(spans_all_over_the_plane),
      cmocka_unit_test(crews),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
