// SPDX-License-Identifier: Apache-2.0
// Resolving an instance: parts, blocks, canonical order, load bounds, and each contradiction with the rows it must
// name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/instance.h"

// A buffer of up to two lifetimes and two gaps; unused ones have start == end == 0.
typedef struct row {
  const char *id;
  int64_t bytes, align, pin;
  memplan_interval live[2];
  memplan_gap gaps[2];
} row;

static void fill(memplan_instance *instance, const row *rows, int32_t count) {
  memplan_instance_init(instance);
  instance->buffers = MEMPLAN_NEW(&instance->arena, memplan_buffer, count);
  assert_non_null(instance->buffers);
  instance->n_buffers = count;
  for (int32_t k = 0; k < count; k++) {
    memplan_buffer *buffer = &instance->buffers[k];
    *buffer = (memplan_buffer){.id = rows[k].id,
                               .bytes = rows[k].bytes,
                               .align = rows[k].align > 0 ? rows[k].align : 1,
                               .pin = rows[k].pin > 0 ? rows[k].pin - 1 : -1, // pins are given plus one
                               .offset = -1,
                               .hint = -1,
                               .live = rows[k].live,
                               .gaps = rows[k].gaps,
                               .row = k + 2};
    while (buffer->n_live < 2 && rows[k].live[buffer->n_live].end != rows[k].live[buffer->n_live].start) {
      buffer->n_live++;
    }
    while (buffer->n_gaps < 2 && rows[k].gaps[buffer->n_gaps].end != rows[k].gaps[buffer->n_gaps].start) {
      buffer->n_gaps++;
    }
  }
}

static void expect_error(memplan_instance *instance, const char *first, const char *second) {
  memplan_error error = {0};
  assert_int_equal(memplan_instance_resolve(instance, 1, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, first));
  assert_non_null(strstr(error.message, second));
  memplan_instance_free(instance);
}

static int64_t load_of(memplan_instance *instance, bool aligned) {
  memplan_load load;
  assert_int_equal(memplan_instance_load(instance, aligned, &load, NULL), MEMPLAN_OK);
  return load.bytes;
}

static void gaps_cut_lifetimes_into_parts(void **state) {
  (void)state;
  const row rows[] = {{"a", 10, 1, 0, {{0, 10}}, {{2, 4, 0, 3}, {6, 8, 0, 0}}},
                      {"b", 1, 1, 0, {{0, 2}, {2, 5}}, {{0}}}};
  memplan_instance instance;
  fill(&instance, rows, 2);
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_OK);
  const memplan_block *a = &instance.blocks[instance.block_of[0]], *b = &instance.blocks[instance.block_of[1]];
  const int64_t expected[][4] = {{0, 2, 0, 10}, {2, 4, 0, 3}, {4, 6, 0, 10}, {8, 10, 0, 10}};
  assert_int_equal(a->n_parts, 4);
  for (int32_t k = 0; k < 4; k++) {
    const memplan_part *part = &instance.parts[a->first_part + k];
    assert_int_equal(instance.times[part->start], expected[k][0]);
    assert_int_equal(instance.times[part->end], expected[k][1]);
    assert_int_equal(part->low, expected[k][2]);
    assert_int_equal(part->high, expected[k][3]);
  }
  assert_int_equal(b->n_parts, 1); // touching lifetimes are one
  assert_int_equal(load_of(&instance, false), 11);
  memplan_instance_free(&instance);
}

static void blocks_do_not_depend_on_row_order(void **state) {
  (void)state;
  const row rows[] = {{"x", 4, 1, 0, {{0, 3}}, {{0}}},
                      {"y", 4, 1, 0, {{0, 3}}, {{0}}},
                      {"z", 9, 1, 0, {{0, 1}}, {{0}}},
                      {"w", 2, 8, 0, {{0, 3}}, {{0}}}};
  const row shuffled[] = {rows[3], rows[1], rows[0], rows[2]};
  const char *expected[] = {"z", "w", "x", "y"};
  memplan_instance first, second;
  fill(&first, rows, 4);
  fill(&second, shuffled, 4);
  assert_int_equal(memplan_instance_resolve(&first, 1, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_instance_resolve(&second, 1, NULL), MEMPLAN_OK);
  for (int32_t block = 0; block < 4; block++) {
    assert_string_equal(first.buffers[first.members[first.blocks[block].first_member].buffer].id, expected[block]);
    assert_string_equal(second.buffers[second.members[second.blocks[block].first_member].buffer].id, expected[block]);
  }
  memplan_instance_free(&first);
  memplan_instance_free(&second);
}

static void colocation_makes_one_block(void **state) {
  (void)state;
  // b stands 6 above a, c 2 below a: the block starts at c.
  const row rows[] = {
      {"a", 4, 2, 0, {{0, 2}}, {{0}}}, {"b", 5, 4, 0, {{2, 4}}, {{0}}}, {"c", 3, 1, 0, {{4, 6}}, {{0}}}};
  memplan_rule colocate[] = {{0, 1, 6}, {0, 2, -2}, {2, 1, 8}};
  memplan_instance instance;
  fill(&instance, rows, 3);
  instance.colocate = colocate;
  instance.n_colocate = 3;
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_OK);
  assert_int_equal(instance.n_blocks, 1);
  assert_int_equal(instance.delta_of[0], 2);
  assert_int_equal(instance.delta_of[1], 8);
  assert_int_equal(instance.delta_of[2], 0);
  assert_int_equal(instance.blocks[0].bytes, 13);
  // a at +2 is even, b at +8 is a multiple of 4: the block is a multiple of 4.
  assert_int_equal(instance.blocks[0].align, 4);
  assert_int_equal(instance.blocks[0].residue, 0);
  memplan_instance_free(&instance);
}

static void contradictions_name_both_rows(void **state) {
  (void)state;
  memplan_instance instance;
  const row twice[] = {{"a", 4, 1, 0, {{0, 3}}, {{0}}}, {"a", 4, 1, 0, {{0, 3}}, {{0}}}};
  fill(&instance, twice, 2);
  expect_error(&instance, "line 2", "line 3");

  const row pins[] = {{"p", 4, 1, 1, {{0, 3}}, {{0}}}, {"q", 4, 1, 4, {{2, 9}}, {{0}}}};
  fill(&instance, pins, 2);
  expect_error(&instance, "'p' (line 2)", "'q' (line 3)");

  const row misaligned[] = {{"m", 4, 8, 5, {{0, 3}}, {{0}}}};
  fill(&instance, misaligned, 1);
  expect_error(&instance, "'m' (line 2)", "alignment 8");

  const row pair[] = {
      {"c", 4, 1, 0, {{0, 3}}, {{0}}}, {"d", 4, 1, 0, {{3, 9}}, {{0}}}, {"e", 4, 1, 0, {{5, 9}}, {{0}}}};
  memplan_rule separate[] = {{0, 1, 0}}, colocate[] = {{0, 1, 0}}, together[] = {{1, 2, 2}},
               cycle[] = {{0, 1, 1}, {1, 0, 0}};
  fill(&instance, pair, 3);
  instance.separate = separate;
  instance.colocate = colocate;
  instance.n_separate = instance.n_colocate = 1;
  expect_error(&instance, "'c' (line 2)", "separate");
  fill(&instance, pair, 3);
  instance.colocate = together;
  instance.n_colocate = 1;
  expect_error(&instance, "'d' (line 3)", "'e' (line 4)");
  fill(&instance, pair, 3);
  instance.colocate = cycle;
  instance.n_colocate = 2;
  expect_error(&instance, "colocate", "contradicts");

  const row windows[] = {{"w", 4, 1, 0, {{0, 9}}, {{2, 5, 0, 1}, {4, 7, 0, 2}}}};
  fill(&instance, windows, 1);
  expect_error(&instance, "'w' (line 2)", "overlap");

  const row negative[] = {{"n", -4, 1, 0, {{0, 9}}, {{0}}}};
  fill(&instance, negative, 1);
  expect_error(&instance, "'n' (line 2)", "-4");
  const row inverted[] = {{"i", 4, 1, 0, {{9, 3}}, {{0}}}};
  fill(&instance, inverted, 1);
  expect_error(&instance, "'i' (line 2)", "[9, 3)");
}

static void sizes_are_limited_by_component(void **state) {
  (void)state;
  const int64_t half = INT64_C(1) << 61;
  const row apart[] = {
      {"a", half, 1, 0, {{0, 3}}, {{0}}}, {"b", half, 1, 0, {{3, 5}}, {{0}}}, {"c", half, 1, 0, {{5, 6}}, {{0}}}};
  const row met[] = {
      {"a", half, 1, 0, {{0, 3}}, {{0}}}, {"b", half, 1, 0, {{2, 5}}, {{0}}}, {"c", 1, 1, 0, {{4, 6}}, {{0}}}};
  memplan_instance instance;
  fill(&instance, apart, 3);
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_OK);
  memplan_instance_free(&instance);
  fill(&instance, met, 3);
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_INPUT);
  assert_false(instance.contradiction); // a limit proves nothing
  memplan_instance_free(&instance);
  fill(&instance, met, 3);
  expect_error(&instance, "2^62", "'c'");
}

// Alignments without a common multiple below 2^62 leave one offset, which becomes a pin.
static void alignment_past_the_limit_is_a_pin(void **state) {
  (void)state;
  const int64_t p = (INT64_C(1) << 32) - 5, q = INT64_C(1) << 32;
  const row rows[] = {{"a", 100, p, 0, {{0, 2}}, {{0}}}, {"b", 100, q, 0, {{2, 4}}, {{0}}}};
  for (int32_t k = 0; k < 6; k++) {
    memplan_instance instance;
    fill(&instance, rows, 2);
    memplan_rule rule = {0, 1, k == 1 ? q : k == 2 ? 1 : k == 5 ? 5 : 0};
    memplan_pool pools[2] = {{.id = "x", .capacity = -1, .base = k == 3 ? 4096 : 0},
                             {.id = "y", .capacity = -1, .base = k == 4 ? 4096 : 0}};
    instance.colocate = &rule;
    instance.n_colocate = 1;
    instance.pools = pools;
    instance.n_pools = k == 4 ? 2 : 1;
    instance.buffers[1].pin = k == 5 ? 4 : -1;
    memplan_status status = memplan_instance_resolve(&instance, 1, NULL);
    if (k < 2) { // both at the base, or the second a multiple of its own alignment after it
      assert_int_equal(status, MEMPLAN_OK);
      assert_true(instance.n_blocks == 1 && instance.blocks[0].pin == 0 && instance.blocks[0].align == 1);
    } else if (k == 4) { // not the same in both pools
      assert_int_equal(status, MEMPLAN_UNSUPPORTED);
    } else { // past the limits, below the base: no proof; k == 5: a pin below the distance
      assert_int_equal(status, MEMPLAN_INPUT);
    }
    assert_int_equal(instance.contradiction, k == 5);
    memplan_instance_free(&instance);
  }
}

static void aligned_load_counts_the_padding(void **state) {
  (void)state;
  // Two buffers of 5 with alignment 8 need 13 whatever their order; a third one without alignment fits into the
  // padding.
  const row rows[] = {
      {"a", 5, 8, 0, {{0, 2}}, {{0}}}, {"b", 5, 8, 0, {{1, 3}}, {{0}}}, {"c", 3, 1, 0, {{1, 2}}, {{0}}}};
  memplan_instance instance;
  fill(&instance, rows, 2);
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_OK);
  assert_int_equal(load_of(&instance, false), 10);
  assert_int_equal(load_of(&instance, true), 13);
  memplan_instance_free(&instance);
  fill(&instance, rows, 3);
  assert_int_equal(memplan_instance_resolve(&instance, 1, NULL), MEMPLAN_OK);
  assert_int_equal(load_of(&instance, false), 13);
  assert_int_equal(load_of(&instance, true), 13);
  memplan_instance_free(&instance);
  // Asked of every buffer, 16 makes it 16 + 16 + 3 or better: the topmost one keeps its size.
  fill(&instance, rows, 3);
  assert_int_equal(memplan_instance_resolve(&instance, 16, NULL), MEMPLAN_OK);
  assert_int_equal(load_of(&instance, true), 16 + 16 + 16 - 13);
  memplan_instance_free(&instance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_cut_lifetimes_into_parts),     cmocka_unit_test(blocks_do_not_depend_on_row_order),
      cmocka_unit_test(colocation_makes_one_block),        cmocka_unit_test(contradictions_name_both_rows),
      cmocka_unit_test(alignment_past_the_limit_is_a_pin), cmocka_unit_test(sizes_are_limited_by_component),
      cmocka_unit_test(aligned_load_counts_the_padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
