// SPDX-License-Identifier: Apache-2.0
// Valid plans of instances with one thing changed: each is rejected with the exact kind, ids, step and bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/mutated.h"

// A 4 [0,3), B 6 [1,4), C 4 [3,5), at 0, 4, 0.
static void start_instance(mutated *f) {
  build_instance(&f->problem);
  build_buffer(&f->problem.instance, "A", 0, 3, 4);
  build_buffer(&f->problem.instance, "B", 1, 4, 6);
  build_buffer(&f->problem.instance, "C", 3, 5, 4);
  memplan_report_init(&f->report);
}

// The plan puts C at the offset, which is valid.
static void place_instance(mutated *f, int64_t offset_of_c) {
  build_finish(&f->problem);
  build_plan(&f->problem, &f->plan, "");
  build_place(&f->plan, "A", 0);
  build_place(&f->plan, "B", 4);
  build_place(&f->plan, "C", offset_of_c);
  build_peak(&f->problem, &f->plan);
  mutated_valid(f);
}

static void finish_instance(mutated *f) {
  place_instance(f, 0);
  assert_int_equal(f->plan.peak, 10);
}

static void moved_offsets(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  mutated_entry(&f, "A")->offset = 1;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "A", "B", 1, 4, 5);
  mutated_entry(&f, "A")->offset = 0;
  mutated_entry(&f, "B")->offset = 3;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_OVERLAP, "A", "B", 1, 3, 4);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "B", "C", 3, 3, 4);
  // B and C swapped
  mutated_entry(&f, "B")->offset = 0;
  mutated_entry(&f, "C")->offset = 4;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_OVERLAP, "A", "B", 1, 0, 4);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "B", "C", 3, 4, 6);
  // in one step only
  mutated_entry(&f, "B")->offset = 4;
  mutated_entry(&f, "C")->offset = 3;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "B", "C", 3, 4, 7);
  // harmless
  mutated_entry(&f, "C")->offset = 100;
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  assert_int_equal(f.plan.peak, 104);
  mutated_release(&f);
}

static void offsets_out_of_range(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  mutated_entry(&f, "A")->offset = -1;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OFFSET, "A", NULL, -1, -1, -1);
  mutated_entry(&f, "A")->offset = INT64_MIN;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OFFSET, "A", NULL, -1, INT64_MIN, -1);
  mutated_entry(&f, "A")->offset = INT64_MAX;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OFFSET, "A", NULL, -1, INT64_MAX, -1);
  mutated_entry(&f, "A")->offset = ((int64_t)1 << 62) - 3;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OFFSET, "A", NULL, -1, ((int64_t)1 << 62) - 3, -1);
  mutated_entry(&f, "A")->offset = ((int64_t)1 << 62) - 4;
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  mutated_release(&f);
}

static void missing_unknown_and_repeated_entries(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  mutated_drop(&f, "C");
  mutated_rejected(&f, MEMPLAN_VIOLATION_MISSING, "C", NULL, -1, -1, -1);
  build_place(&f.plan, "C", 0);
  build_place(&f.plan, "Z", 0);
  mutated_rejected(&f, MEMPLAN_VIOLATION_UNKNOWN, "Z", NULL, -1, -1, -1);
  mutated_drop(&f, "Z");
  build_place(&f.plan, "B", 4);
  mutated_rejected(&f, MEMPLAN_VIOLATION_DUPLICATE, "B", NULL, -1, -1, -1);
  f.plan.n_placed--;
  f.plan.order[f.plan.n_order++] = "relu";
  mutated_rejected(&f, MEMPLAN_VIOLATION_ORDER, "relu", NULL, 0, -1, -1);
  f.plan.n_order = 0;
  build_choose(&f.plan, "A", "B");
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "A", "B", -1, -1, -1);
  f.plan.n_inplace = 0;
  build_body_plan(&f.plan, "relu", "body", NULL);
  mutated_rejected(&f, MEMPLAN_VIOLATION_BODY, "relu", "body", -1, -1, -1);
  f.plan.n_bodies = 0;
  mutated_valid(&f);
  mutated_release(&f);
}

static void stated_numbers(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  f.plan.peak = 11;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_PEAK, "B", NULL, -1, 10, 11);
  assert_int_equal(f.report.peak, 10);
  f.plan.peak = 9;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_PEAK, "B", NULL, -1, 10, 9);
  f.plan.peak = 10;
  f.plan.lower_bound = 11;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_BOUND, NULL, NULL, -1, 11, 10);
  f.plan.lower_bound = -1;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_BOUND, NULL, NULL, -1, -1, 10);
  f.plan.lower_bound = 9;
  mutated_valid(&f);
  f.plan.outcome = MEMPLAN_OPTIMAL;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_BOUND, NULL, NULL, -1, 9, 10);
  f.plan.lower_bound = 10;
  mutated_valid(&f);
  mutated_release(&f);
}

static void another_fingerprint(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  f.plan.fingerprint = "sha256:0";
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_FINGERPRINT, NULL, NULL, -1, -1, -1);
  f.plan.fingerprint = NULL;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_FINGERPRINT, NULL, NULL, -1, -1, -1);
  // The geometry is checked all the same.
  mutated_entry(&f, "A")->offset = 1;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "A", "B", 1, 4, 5);
  mutated_release(&f);
}

// Two buffers of one size exchange their sizes with nobody: only the fingerprint tells a plan of another problem.
static void a_stale_plan_whose_geometry_passes(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  mutated changed;
  start_instance(&changed);
  changed.problem.instance.buffers[1].bytes = 5;
  build_finish(&changed.problem);
  assert_int_equal(memplan_verify(&changed.problem, &f.plan, &changed.report, NULL), MEMPLAN_OK);
  mutated_violation(&changed, 2, 0, MEMPLAN_VIOLATION_FINGERPRINT, NULL, NULL, -1, -1, -1);
  mutated_violation(&changed, 2, 1, MEMPLAN_VIOLATION_PEAK, "B", NULL, -1, 9, 10);
  memplan_report_free(&changed.report);
  memplan_problem_free(&changed.problem);
  mutated_release(&f);
}

static void capacities(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  f.problem.options.capacity = 10;
  finish_instance(&f);
  mutated_entry(&f, "B")->offset = 5;
  mutated_rejected(&f, MEMPLAN_VIOLATION_CAPACITY, "B", NULL, -1, 10, 11);
  mutated_release(&f);

  start_instance(&f);
  memplan_pool pools[] = {{.id = "fast", .capacity = 10}, {.id = "slow", .capacity = -1}};
  f.problem.instance.pools = pools;
  f.problem.instance.n_pools = 2;
  const int32_t only_fast[] = {0};
  f.problem.instance.buffers[0].pools = only_fast;
  f.problem.instance.buffers[0].n_pools = 1;
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "");
  build_place(&f.plan, "A", 0)->pool = "fast";
  build_place(&f.plan, "B", 0)->pool = "slow";
  build_place(&f.plan, "C", 6)->pool = "slow";
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  assert_int_equal(f.plan.peak, 10);
  mutated_entry(&f, "A")->offset = 7;
  mutated_rejected(&f, MEMPLAN_VIOLATION_CAPACITY, "A", "fast", -1, 10, 11);
  mutated_entry(&f, "A")->offset = 0;
  mutated_entry(&f, "A")->pool = "slow";
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_POOL, "A", "slow", -1, -1, -1);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "A", "B", 1, 0, 4);
  mutated_entry(&f, "A")->pool = "huge";
  mutated_rejected(&f, MEMPLAN_VIOLATION_POOL, "A", "huge", -1, -1, -1);
  mutated_entry(&f, "A")->pool = NULL;
  mutated_rejected(&f, MEMPLAN_VIOLATION_POOL, "A", NULL, -1, -1, -1);
  mutated_release(&f);
}

static void alignments_pins_and_reserved_bytes(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  const memplan_interval reserved[] = {{30, 34}, {20, 22}, {21, 25}};
  memplan_pool pool = {.id = "arena", .capacity = -1, .base = 4, .reserved = reserved, .n_reserved = 3};
  f.problem.instance.pools = &pool;
  f.problem.instance.n_pools = 1;
  f.problem.instance.buffers[1].align = 8;
  f.problem.instance.buffers[2].pin = 0;
  finish_instance(&f);
  mutated_entry(&f, "B")->offset = 8;
  mutated_rejected(&f, MEMPLAN_VIOLATION_ALIGNMENT, "B", "B", -1, 8, -1);
  mutated_entry(&f, "B")->offset = 4;
  mutated_entry(&f, "C")->offset = 10;
  mutated_rejected(&f, MEMPLAN_VIOLATION_PIN, "C", "C", -1, 10, 0);
  mutated_entry(&f, "C")->offset = 0;
  mutated_entry(&f, "A")->offset = 24;
  mutated_rejected(&f, MEMPLAN_VIOLATION_RESERVED, "A", NULL, -1, 24, 25);
  mutated_entry(&f, "A")->offset = 25;
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  mutated_entry(&f, "A")->offset = 27;
  mutated_rejected(&f, MEMPLAN_VIOLATION_RESERVED, "A", NULL, -1, 30, 31);
  mutated_release(&f);

  start_instance(&f);
  f.problem.options.align = 2;
  f.problem.instance.buffers[0].align = 4;
  finish_instance(&f);
  mutated_entry(&f, "C")->offset = 11;
  mutated_rejected(&f, MEMPLAN_VIOLATION_ALIGNMENT, "C", "C", -1, 11, -1);
  mutated_release(&f);
}

static void rules_between_buffers(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  build_separate(&f.problem.instance, "C", "A");
  place_instance(&f, 10);
  mutated_entry(&f, "C")->offset = 0;
  mutated_rejected(&f, MEMPLAN_VIOLATION_SEPARATE, "C", "A", -1, 0, 4);
  mutated_release(&f);

  start_instance(&f);
  build_conflict(&f.problem.instance, "A", "C");
  place_instance(&f, 10);
  mutated_entry(&f, "C")->offset = 0;
  mutated_rejected(&f, MEMPLAN_VIOLATION_SEPARATE, "A", "C", -1, 0, 4);
  mutated_release(&f);

  start_instance(&f);
  build_colocate(&f.problem.instance, "C", "A", 0);
  finish_instance(&f);
  mutated_entry(&f, "C")->offset = 10;
  mutated_rejected(&f, MEMPLAN_VIOLATION_COLOCATE, "C", "A", -1, 10, 0);
  mutated_release(&f);
}

static void windows_of_gaps(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  build_gap(&f.problem.instance, &f.problem.instance.buffers[1], 2, 4, 3, 6);
  build_live(&f.problem.instance, &f.problem.instance.buffers[2], 8, 9);
  build_buffer(&f.problem.instance, "D", 2, 4, 3);
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "");
  build_place(&f.plan, "A", 0);
  build_place(&f.plan, "B", 4);
  build_place(&f.plan, "C", 0);
  build_place(&f.plan, "D", 4);
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  mutated_entry(&f, "D")->offset = 5;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "B", "D", 2, 7, 8);
  mutated_entry(&f, "D")->offset = 3;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_OVERLAP, "A", "D", 2, 3, 4);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "C", "D", 3, 3, 4);
  mutated_release(&f);
}

static void slots(void **state) {
  (void)state;
  mutated f;
  start_instance(&f);
  finish_instance(&f);
  int64_t bytes[] = {4, 6};
  f.plan.slot_bytes = bytes;
  f.plan.n_slots = 2;
  mutated_entry(&f, "A")->slot = 0;
  mutated_entry(&f, "B")->slot = 1;
  mutated_entry(&f, "C")->slot = 0;
  mutated_valid(&f);
  mutated_entry(&f, "C")->slot = 2;
  mutated_rejected(&f, MEMPLAN_VIOLATION_SLOT, "C", NULL, -1, -1, -1);
  mutated_entry(&f, "C")->slot = -2;
  mutated_rejected(&f, MEMPLAN_VIOLATION_SLOT, "C", NULL, -1, -1, -1);
  mutated_entry(&f, "C")->slot = 0;
  bytes[1] = 5;
  mutated_rejected(&f, MEMPLAN_VIOLATION_SLOT, "B", "B", -1, 4, 10);
  bytes[1] = 6;
  mutated_entry(&f, "A")->slot = 1;
  mutated_entry(&f, "B")->slot = 0;
  mutated_entry(&f, "C")->slot = -1;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 3, 0, MEMPLAN_VIOLATION_SLOT, "C", NULL, -1, -1, -1);
  mutated_violation(&f, 3, 1, MEMPLAN_VIOLATION_SLOT, "B", "B", -1, 4, 10);
  mutated_violation(&f, 3, 2, MEMPLAN_VIOLATION_SLOT, "B", "A", -1, 0, 10);
  f.plan.n_slots = 0;
  f.plan.slot_bytes = NULL;
  mutated_verify(&f);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_SLOT, "B", NULL, -1, -1, -1);
  mutated_release(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moved_offsets),
      cmocka_unit_test(offsets_out_of_range),
      cmocka_unit_test(missing_unknown_and_repeated_entries),
      cmocka_unit_test(stated_numbers),
      cmocka_unit_test(another_fingerprint),
      cmocka_unit_test(a_stale_plan_whose_geometry_passes),
      cmocka_unit_test(capacities),
      cmocka_unit_test(alignments_pins_and_reserved_bytes),
      cmocka_unit_test(rules_between_buffers),
      cmocka_unit_test(windows_of_gaps),
      cmocka_unit_test(slots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
