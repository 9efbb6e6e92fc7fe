// SPDX-License-Identifier: Apache-2.0
// What the placement methods stand on, against plain definitions: sets of spans, first-fit with all rules, the skyline;
// and the methods themselves on instances that are too large for the oracle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/skyline.h"
#include "heuristics/spans.h"
#include "tests/support/place_method.h"

// ---- sets of spans

enum { SPAN_BYTES = 6000 };

static void spans_are_sets(void **state) {
  (void)state;
  for (int32_t density = 1; density <= 40; density += 13) {
    memplan_arena arena = {0};
    memplan_span_store store = {.arena = &arena};
    memplan_spans set = {0};
    bool used[SPAN_BYTES + 100] = {false};
    random_state random = random_start(45, (uint64_t)density);
    for (int32_t round = 0; round < 3000; round++) {
      int32_t low = random_below(&random, SPAN_BYTES);
      int32_t high = low + 1 + random_below(&random, round % 500 == 499 ? 100 : density);
      assert_true(memplan_spans_add(&store, &set, low, high));
      memset(&used[low], 1, (size_t)(high - low));
      int64_t at = random_below(&random, SPAN_BYTES);
      int64_t size = 1 + random_below(&random, 30);
      int32_t position = 0;
      int64_t free_from = memplan_spans_next(&set, &position, at, size);
      int64_t expected = at;
      for (int64_t byte = expected; byte < expected + size && byte < SPAN_BYTES + 100; byte++) {
        if (used[byte]) {
          expected = byte + 1;
        }
      }
      assert_int_equal(free_from, expected);
      assert_true(position == set.n || set.spans[position].high > free_from);
      assert_true(position == 0 || set.spans[position - 1].high <= free_from);
    }
    for (int32_t k = 1; k < set.n; k++) {
      assert_true(set.spans[k - 1].high < set.spans[k].low);
    }
    memplan_arena_free(&arena);
  }
}

// ---- larger random instances, with rectangles instead of bytes

static void larger_instances_are_valid(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t index = 0; index < 40; index++) {
    random_state random = random_start(42, (uint64_t)index);
    place_make_many(&random, 100 + random_below(&random, MANY_BUFFERS - 99), 60, index % 4 != 0, made);
    const memplan_instance *instance = &made->instance;
    memplan_load load;
    assert_int_equal(memplan_instance_load(instance, false, &load, NULL), MEMPLAN_OK);
    for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
      placement placed;
      if ((*entry)->kind != MEMPLAN_METHOD_PLACE || !place_run(*entry, instance, &placed)) {
        continue;
      }
      assert_int_equal(placed.result.failed_block, -1);
      for (int32_t a = 0; a < instance->n_blocks; a++) {
        int64_t at = placed.result.offset[a];
        assert_true(at >= 0);
        assert_int_equal(at % instance->blocks[a].align, instance->blocks[a].residue);
        for (int32_t b = 0; b < instance->n_blocks; b++) {
          if (a != b && !place_agree(instance, a, at, b, placed.result.offset[b])) {
            fail_msg("%s, instance %d: blocks %d and %d", (*entry)->name, (int)index, (int)a, (int)b);
          }
        }
      }
      assert_true(memplan_instance_peak(instance, placed.result.offset) >= load.bytes);
      memplan_arena_free(&placed.arena);
    }
    memplan_instance_free(&made->instance);
  }
  free(made);
}

// Lowest legal offset by trying the ends of what is placed, rounded up.
static int64_t lowest_by_trying(const memplan_instance *instance, int32_t block, const int64_t *offset,
                                const bool *placed) {
  const memplan_block *entry = &instance->blocks[block];
  int64_t at = entry->residue;
  for (int32_t other = 0; other < instance->n_blocks; other++) {
    if (placed[other] && !place_agree(instance, block, at, other, offset[other])) {
      at += entry->align;
      other = -1;
    }
  }
  return at;
}

// First-fit by size and by start on instances with alignments, holes, windows and rules, against plain search.
static void first_fit_is_first(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t index = 0; index < 20; index++) {
    random_state random = random_start(43, (uint64_t)index);
    place_make_many(&random, 100, 40, index % 4 != 0, made);
    const memplan_instance *instance = &made->instance;
    int64_t offset[MANY_BUFFERS];
    bool placed[MANY_BUFFERS] = {false};
    for (int32_t count = 0; count < instance->n_blocks; count++) {
      int32_t best = -1;
      for (int32_t block = 0; block < instance->n_blocks; block++) {
        const memplan_block *entry = &instance->blocks[block];
        const memplan_block *first = best >= 0 ? &instance->blocks[best] : NULL;
        int64_t longer = first == NULL ? 1
                                       : (instance->times[entry->end] - instance->times[entry->start]) -
                                             (instance->times[first->end] - instance->times[first->start]);
        if (!placed[block] && entry->n_parts > 0 &&
            (first == NULL || entry->bytes > first->bytes || (entry->bytes == first->bytes && longer > 0))) {
          best = block;
        }
      }
      if (best < 0) {
        break;
      }
      offset[best] = lowest_by_trying(instance, best, offset, placed);
      placed[best] = true;
    }
    placement result;
    assert_true(place_run(place_find("first-fit-size"), instance, &result));
    for (int32_t block = 0; block < instance->n_blocks; block++) {
      if (placed[block] && offset[block] != result.result.offset[block]) {
        fail_msg("instance %d: block %d at %lld, by definition at %lld", (int)index, (int)block,
                 (long long)result.result.offset[block], (long long)offset[block]);
      }
    }
    memplan_arena_free(&result.arena);
    memplan_instance_free(&made->instance);
  }
  free(made);
}

// The skyline by its definition: of the blocks left, the one whose floor (the highest top during its life) is lowest,
// then the best-ranked, lies on it; its top replaces the floor where it is live.
static void skyline_by_definition(const memplan_instance *instance, const int32_t *ranked, int32_t count,
                                  int64_t *offset) {
  int64_t top[MANY_BUFFERS * 8] = {0};
  bool placed[MANY_BUFFERS] = {false};
  assert_true(instance->n_times <= MANY_BUFFERS * 8);
  for (int32_t round = 0; round < count; round++) {
    int32_t best = -1;
    int64_t lowest = 0;
    for (int32_t rank = 0; rank < count; rank++) {
      const memplan_block *entry = &instance->blocks[ranked[rank]];
      int64_t floor = 0;
      for (int32_t time = entry->start; time < entry->end; time++) {
        floor = top[time] > floor ? top[time] : floor;
      }
      if (!placed[ranked[rank]] && (best < 0 || floor < lowest)) {
        best = ranked[rank];
        lowest = floor;
      }
    }
    const memplan_block *entry = &instance->blocks[best];
    offset[best] = lowest;
    while (offset[best] % entry->align != entry->residue) {
      offset[best]++;
    }
    placed[best] = true;
    for (int32_t time = entry->start; time < entry->end; time++) {
      top[time] = lowest;
    }
    for (int32_t k = entry->first_part; k < entry->first_part + entry->n_parts; k++) {
      const memplan_part *part = &instance->parts[k];
      for (int32_t time = part->start; time < part->end; time++) {
        top[time] = offset[best] + part->high > top[time] ? offset[best] + part->high : top[time];
      }
    }
  }
}

static void skyline_fills_valleys(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  for (int32_t index = 0; index < 40; index++) {
    random_state random = random_start(47, (uint64_t)index);
    place_make_many(&random, 100 + random_below(&random, 150), 60, index % 2 != 0, made);
    const memplan_instance *instance = &made->instance;
    int32_t todo[MANY_BUFFERS];
    int32_t ranked[MANY_BUFFERS];
    int32_t count = 0;
    for (int32_t block = 0; block < instance->n_blocks; block++) {
      if (instance->blocks[block].n_parts > 0) {
        todo[count++] = block;
      }
    }
    memplan_arena arena = {0};
    memplan_skyline *skyline = memplan_skyline_new(instance, todo, count, &arena);
    assert_non_null(skyline);
    for (int32_t round = 0; round < 3; round++) {
      memcpy(ranked, todo, sizeof ranked);
      for (int32_t k = count - 1; k > 0; k--) {
        int32_t other = random_below(&random, k + 1);
        int32_t kept = ranked[k];
        ranked[k] = ranked[other];
        ranked[other] = kept;
      }
      int64_t offset[MANY_BUFFERS] = {0};
      int64_t expected[MANY_BUFFERS] = {0};
      memplan_fill fill = {.limit = INT64_MAX};
      int64_t peak = memplan_skyline_place(skyline, ranked, &fill, offset);
      skyline_by_definition(instance, ranked, count, expected);
      int64_t highest = 0;
      for (int32_t k = 0; k < count; k++) {
        assert_int_equal(offset[todo[k]], expected[todo[k]]);
        int64_t end = offset[todo[k]] + instance->blocks[todo[k]].bytes;
        highest = end > highest ? end : highest;
      }
      assert_int_equal(peak, highest);
    }
    memplan_arena_free(&arena);
    memplan_instance_free(&made->instance);
  }
  free(made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_are_sets),
      cmocka_unit_test(larger_instances_are_valid),
      cmocka_unit_test(first_fit_is_first),
      cmocka_unit_test(skyline_fills_valleys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
