// SPDX-License-Identifier: Apache-2.0
// Worked examples of placement from the field: lifetimes, gaps, alignment, pins, capacities, pools, slots.
#include "tests/support/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/solved.h"

#define MIB ((int64_t)1 << 20)

// ---- lifetimes

static void three_lifetimes(memplan_problem *problem, int64_t end_of_a) {
  build_instance(problem);
  build_buffer(&problem->instance, "A", 0, end_of_a, 4 * MIB);
  build_buffer(&problem->instance, "B", 1, 4, 6 * MIB);
  build_buffer(&problem->instance, "C", 3, 5, 4 * MIB);
  build_finish(problem);
}

static void a_longer_lifetime_makes_the_old_plan_invalid(void **state) {
  (void)state;
  memplan_problem before;
  memplan_problem after;
  three_lifetimes(&before, 3);
  three_lifetimes(&after, 5);
  solved old = solved_by(&before, NULL, NULL);
  assert_int_equal(old.solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(old.solution.plan.peak, 10 * MIB);
  assert_int_equal(old.solution.naive_bytes, 14 * MIB);

  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&after, &old.solution.plan, &report, NULL), MEMPLAN_OK);
  assert_false(report.valid);
  assert_int_equal(report.n_violations, 2);
  assert_int_equal(report.violations[0].kind, MEMPLAN_VIOLATION_FINGERPRINT);
  assert_non_null(strstr(report.violations[0].text, after.fingerprint));
  assert_int_equal(report.violations[1].kind, MEMPLAN_VIOLATION_OVERLAP);
  assert_string_equal(report.violations[1].first, "A");
  assert_string_equal(report.violations[1].second, "C");
  assert_int_equal(report.violations[1].step, 3);
  memplan_report_free(&report);

  solved fresh = solved_by(&after, NULL, NULL);
  assert_int_equal(fresh.solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(fresh.solution.plan.peak, 14 * MIB);
  solved_release(&old);
  solved_release(&fresh);
}

// The same lifetimes as operators: `send` reads A, and as an asynchronous copy is unfinished until the last operator.
static void copy_graph(memplan_problem *problem, bool async) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "A", 4 * MIB, 0);
  build_tensor(graph, "B", 6 * MIB, 0);
  build_tensor(graph, "C", 4 * MIB, 0);
  build_op(graph, "make_a", "", "A");
  build_op(graph, "make_b", "", "B");
  memplan_op *send = build_op(graph, "send", "A", "");
  build_op(graph, "make_c", "B", "C");
  build_op(graph, "use_c", "C", "");
  send->async_until = async ? build_find_op(graph, "use_c") : -1;
  build_finish(problem);
}

static void an_asynchronous_copy_keeps_its_buffer(void **state) {
  (void)state;
  memplan_problem before;
  memplan_problem after;
  copy_graph(&before, false);
  copy_graph(&after, true);
  solved old = solved_by(&before, "given", NULL);
  assert_int_equal(old.solution.plan.peak, 10 * MIB);
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&after, &old.solution.plan, &report, NULL), MEMPLAN_OK);
  assert_int_equal(report.n_violations, 2);
  assert_int_equal(report.violations[0].kind, MEMPLAN_VIOLATION_FINGERPRINT);
  assert_int_equal(report.violations[1].kind, MEMPLAN_VIOLATION_OVERLAP);
  assert_string_equal(report.violations[1].first, "A");
  assert_string_equal(report.violations[1].second, "C");
  assert_int_equal(report.violations[1].step, 3);
  memplan_report_free(&report);
  solved fresh = solved_by(&after, "given", NULL);
  assert_int_equal(fresh.solution.plan.peak, 14 * MIB);
  solved_release(&old);
  solved_release(&fresh);
}

static void slots_of_six_buffers(void **state) {
  (void)state;
  static const struct {
    const char *id;
    int64_t start, end, bytes;
    int32_t slot;
  } rows[] = {{"A", 0, 2, 4, 0}, {"B", 1, 4, 6, 1}, {"C", 3, 6, 4, 0},
              {"D", 5, 7, 8, 1}, {"E", 2, 3, 2, 0}, {"F", 4, 5, 2, 1}};
  memplan_problem problem;
  build_instance(&problem);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    build_buffer(&problem.instance, rows[i].id, rows[i].start, rows[i].end, rows[i].bytes);
  }
  build_finish(&problem);
  memplan_load load;
  assert_int_equal(memplan_instance_load(&problem.instance, false, &load, NULL), MEMPLAN_OK);
  assert_int_equal(load.bytes, 12);
  solved result = solved_by(&problem, NULL, "slot-greedy");
  const memplan_plan *plan = &result.solution.plan;
  assert_int_equal(plan->n_slots, 2);
  assert_int_equal(plan->slot_bytes[0], 4);
  assert_int_equal(plan->slot_bytes[1], 8);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(solved_entry(&result, rows[i].id)->slot, rows[i].slot);
  }
  assert_int_equal(plan->peak, 12);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(result.solution.naive_bytes, 26);
  // rho = 1 - 12 / 26 = 0.54, in hundredths, rounded
  assert_int_equal((100 * (26 - plan->peak) + 13) / 26, 54);
  solved_release(&result);
}

static int32_t slots_needed(const int64_t (*lifetimes)[2], int32_t count) {
  memplan_problem problem;
  build_instance(&problem);
  for (int32_t i = 0; i < count; i++) {
    char id[2] = {(char)('a' + i), '\0'};
    build_buffer(&problem.instance, id, lifetimes[i][0], lifetimes[i][1], 16);
  }
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, "slot-greedy");
  int32_t n_slots = result.solution.plan.n_slots;
  solved_release(&result);
  return n_slots;
}

// Closed lifetimes [a, b] are half-open ones [a, b + 1).
static void closed_lifetimes_need_more_slots(void **state) {
  (void)state;
  const int64_t closed[][2] = {{0, 4}, {2, 6}, {4, 8}, {6, 9}};
  const int64_t touching_closed[][2] = {{0, 4}, {3, 6}};
  const int64_t touching_open[][2] = {{0, 3}, {3, 5}};
  assert_int_equal(slots_needed(closed, 4), 2);
  assert_int_equal(slots_needed(touching_closed, 2), 2);
  assert_int_equal(slots_needed(touching_open, 2), 1);
}

// ---- placement

static void empty_and_never_live_buffers_do_not_block(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  problem.options.capacity = 8;
  build_buffer(&problem.instance, "a", 0, 3, 0);
  build_buffer(&problem.instance, "b", 0, 3, 8);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 8);
  assert_int_equal(solved_offset(&result, "a"), 0);
  solved_release(&result);

  build_instance(&problem);
  build_buffer(&problem.instance, "a", 5, 5, 4);
  build_buffer(&problem.instance, "b", 0, 9, 8);
  build_finish(&problem);
  result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 8);
  solved_release(&result);

  build_instance(&problem);
  build_buffer(&problem.instance, "a", 7, 3, 4);
  build_buffer(&problem.instance, "b", 0, 9, 8);
  solved_refused(&problem, "'a'", "ends before it starts");
}

static void times_may_be_negative_and_alignments_any_number(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", -5, 3, 4)->align = 3;
  build_buffer(&problem.instance, "b", -6, -4, 48)->align = 48;
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 52);
  solved_release(&result);
  static const int64_t bad[] = {0, -8, (int64_t)1 << 62};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    build_instance(&problem);
    build_buffer(&problem.instance, "a", 0, 3, 4)->align = bad[i];
    solved_refused(&problem, "'a'", "alignment");
  }
}

static void gaps_leave_room_for_others(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_gap(&problem.instance, build_buffer(&problem.instance, "a", 0, 10, 4), 2, 5, 0, 0);
  build_buffer(&problem.instance, "b", 2, 5, 4);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 4);
  solved_release(&result);

  build_instance(&problem);
  memplan_buffer *a = build_buffer(&problem.instance, "a", 0, 10, 4);
  build_gap(&problem.instance, a, 0, 10, 0, 0);
  build_buffer(&problem.instance, "b", 0, 10, 4);
  build_finish(&problem);
  result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 4);
  solved_release(&result);

  build_instance(&problem);
  a = build_buffer(&problem.instance, "a", 0, 10, 4);
  build_gap(&problem.instance, a, 2, 5, 0, 0);
  build_gap(&problem.instance, a, 4, 7, 0, 0);
  build_buffer(&problem.instance, "b", 2, 7, 4);
  build_finish(&problem);
  result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 4);
  solved_release(&result);

  build_instance(&problem);
  a = build_buffer(&problem.instance, "a", 0, 10, 4);
  build_gap(&problem.instance, a, 2, 5, 0, 2);
  build_gap(&problem.instance, a, 4, 7, 0, 3);
  solved_refused(&problem, "'a'", "different byte windows");

  build_instance(&problem);
  a = build_buffer(&problem.instance, "a", 0, 10, 4);
  build_gap(&problem.instance, a, 5, 2, 0, 0);
  solved_refused(&problem, "'a'", "ends before it starts");
}

static void colliding_or_misaligned_pins_are_refused(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 3, 4)->pin = 0;
  build_buffer(&problem.instance, "b", 2, 9, 4)->pin = 0;
  solved_refused(&problem, "'a'", "'b'");
  build_instance(&problem);
  memplan_buffer *buffer = build_buffer(&problem.instance, "a", 0, 3, 4);
  buffer->align = 8;
  buffer->pin = 4;
  solved_refused(&problem, "'a'", "pin 4");
}

static void assert_optimum(memplan_problem *problem, int64_t load, int64_t optimum) {
  build_finish(problem);
  oracle_place places[ORACLE_ITEMS];
  assert_int_equal(oracle_instance_load(&problem->instance), load);
  assert_int_equal(oracle_instance_optimum(&problem->instance, &problem->options, 300, places), optimum);
  solved result = solved_by(problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, optimum);
  solved_release(&result);
}

static void a_leading_gap_is_used(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "A", 0, 2, 10);
  build_buffer(&problem.instance, "B", 1, 3, 8);
  build_buffer(&problem.instance, "C", 2, 4, 6);
  assert_optimum(&problem, 18, 18);
}

static void alignment_breaks_the_sum_bound(void **state) {
  (void)state;
  for (int32_t third = 0; third < 2; third++) {
    memplan_problem problem;
    build_instance(&problem);
    build_buffer(&problem.instance, "a", 0, 2, 5)->align = 8;
    build_buffer(&problem.instance, "b", 0, 2, 5)->align = 8;
    if (third == 1) {
      build_buffer(&problem.instance, "c", 0, 2, 3);
    }
    build_finish(&problem);
    memplan_load aligned;
    assert_int_equal(memplan_instance_load(&problem.instance, true, &aligned, NULL), MEMPLAN_OK);
    assert_int_equal(aligned.bytes, 13);
    solved result = solved_by(&problem, NULL, NULL);
    assert_int_equal(result.solution.plan.peak, 13);
    assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
    solved_release(&result);
  }
}

static void it_fits_exactly(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  problem.options.capacity = 2097152;
  build_buffer(&problem.instance, "A", 0, 2, 524288);
  build_buffer(&problem.instance, "B", 1, 3, 1048576);
  build_buffer(&problem.instance, "C", 2, 4, 1048576);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 2097152);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  solved_release(&result);
}

static void one_byte_short(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  problem.options.capacity = 12;
  build_buffer(&problem.instance, "A", 0, 2, 8);
  build_buffer(&problem.instance, "B", 1, 3, 5);
  for (int32_t i = 0; i < 5; i++) {
    char id[2] = {(char)('p' + i), '\0'};
    build_buffer(&problem.instance, id, 4 + i, 5 + i, 3);
  }
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.outcome, MEMPLAN_INFEASIBLE);
  assert_int_equal(result.solution.plan.lower_bound, 13);
  assert_int_equal(result.solution.plan.bound.step, 1);
  assert_non_null(result.solution.infeasible);
  assert_non_null(strstr(result.solution.infeasible, "needs 13"));
  assert_non_null(strstr(result.solution.infeasible, "1 byte short"));
  solved_release(&result);
}

static void equal_buffers_in_one_clique(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  for (int32_t i = 0; i < 6; i++) {
    char id[2] = {(char)('a' + i), '\0'};
    build_buffer(&problem.instance, id, 0, 1, 4);
  }
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 24);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  solved_release(&result);
}

static void alignment_counts_from_the_base_of_the_pool(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  const memplan_interval reserved[] = {{0, 16}};
  memplan_pool pool = {.id = "arena", .capacity = -1, .base = 4, .reserved = reserved, .n_reserved = 1};
  problem.instance.pools = &pool;
  problem.instance.n_pools = 1;
  build_buffer(&problem.instance, "a", 0, 1, 8)->align = 8;
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(solved_offset(&result, "a"), 20);
  assert_int_equal(result.solution.plan.peak, 28);
  solved_release(&result);
}

// a and b are 5 bytes apart; b has to leave [5, 7), and a reserved range between the two is in nobody's way.
static void reserved_bytes_concern_buffers_not_blocks(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  const memplan_interval reserved[] = {{5, 7}, {4, 5}, {6, 6}};
  memplan_pool pool = {.id = "arena", .capacity = -1, .reserved = reserved, .n_reserved = 3};
  problem.instance.pools = &pool;
  problem.instance.n_pools = 1;
  build_buffer(&problem.instance, "a", 0, 1, 2);
  build_buffer(&problem.instance, "b", 0, 1, 2);
  build_colocate(&problem.instance, "a", "b", 5);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(solved_offset(&result, "a"), 2);
  assert_int_equal(result.solution.plan.peak, 9);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  solved_release(&result);
}

static void hints_are_not_part_of_a_plan(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_buffer *a = build_buffer(&problem.instance, "a", 0, 3, 4);
  a->hint = 100;
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 4);
  solved_release(&result);
}

// The normal form of PLACEMENT fails here: no placement that puts each buffer as low as possible reaches 5.
static void windows_may_keep_buffers_off_the_ground(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_buffer *a = build_buffer(&problem.instance, "a", 0, 3, 4);
  build_gap(&problem.instance, a, 1, 2, 0, 1);
  build_gap(&problem.instance, a, 2, 3, 3, 4);
  memplan_buffer *b = build_buffer(&problem.instance, "b", 1, 4, 2);
  build_gap(&problem.instance, b, 3, 4, 0, 1);
  build_buffer(&problem.instance, "c", 3, 4, 1)->pin = 1;
  build_finish(&problem);
  oracle_place places[ORACLE_ITEMS];
  assert_int_equal(oracle_instance_optimum(&problem.instance, &problem.options, 20, places), 5);
  memplan_problem_free(&problem);
}

// Two banks, the small one preferred: at least one of A and B has to leave it.
static void two_banks(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_pool pools[] = {{.id = "dtcm", .capacity = 100}, {.id = "sram", .capacity = 1000}};
  problem.instance.pools = pools;
  problem.instance.n_pools = 2;
  build_buffer(&problem.instance, "A", 0, 2, 60);
  build_buffer(&problem.instance, "B", 1, 3, 60);
  build_buffer(&problem.instance, "C", 1, 2, 30);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  int64_t peak[2] = {0, 0};
  const int64_t bytes[] = {60, 60, 30};
  for (int32_t i = 0; i < 3; i++) {
    const memplan_placed *placed = solved_entry(&result, problem.instance.buffers[i].id);
    int32_t pool = strcmp(placed->pool, "sram") == 0;
    int64_t end = placed->offset + bytes[i];
    peak[pool] = end > peak[pool] ? end : peak[pool];
  }
  assert_true(peak[0] <= 100);
  assert_int_equal(peak[1], 60);
  solved_release(&result);
}

static void contradictory_rules_are_named(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 3, 4);
  build_buffer(&problem.instance, "b", 5, 6, 4);
  build_colocate(&problem.instance, "a", "b", 0);
  build_separate(&problem.instance, "a", "b");
  solved_refused(&problem, "colocate", "separate");
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 3, 4);
  build_buffer(&problem.instance, "b", 2, 6, 4);
  build_colocate(&problem.instance, "a", "b", 0);
  solved_refused(&problem, "'a'", "'b'");
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 1, 4);
  build_buffer(&problem.instance, "b", 1, 2, 4);
  build_buffer(&problem.instance, "c", 2, 3, 4);
  build_colocate(&problem.instance, "a", "b", 1);
  build_colocate(&problem.instance, "b", "c", 1);
  build_colocate(&problem.instance, "c", "a", 1);
  solved_refused(&problem, "colocate", "contradicts");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_longer_lifetime_makes_the_old_plan_invalid),
      cmocka_unit_test(an_asynchronous_copy_keeps_its_buffer),
      cmocka_unit_test(slots_of_six_buffers),
      cmocka_unit_test(closed_lifetimes_need_more_slots),
      cmocka_unit_test(empty_and_never_live_buffers_do_not_block),
      cmocka_unit_test(times_may_be_negative_and_alignments_any_number),
      cmocka_unit_test(gaps_leave_room_for_others),
      cmocka_unit_test(colliding_or_misaligned_pins_are_refused),
      cmocka_unit_test(a_leading_gap_is_used),
      cmocka_unit_test(alignment_breaks_the_sum_bound),
      cmocka_unit_test(it_fits_exactly),
      cmocka_unit_test(one_byte_short),
      cmocka_unit_test(equal_buffers_in_one_clique),
      cmocka_unit_test(alignment_counts_from_the_base_of_the_pool),
      cmocka_unit_test(reserved_bytes_concern_buffers_not_blocks),
      cmocka_unit_test(hints_are_not_part_of_a_plan),
      cmocka_unit_test(windows_may_keep_buffers_off_the_ground),
      cmocka_unit_test(two_banks),
      cmocka_unit_test(contradictory_rules_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
