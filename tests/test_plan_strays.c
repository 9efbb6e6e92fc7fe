// SPDX-License-Identifier: Apache-2.0
// What a plan file says of pools and slots is checked, not required: a buffer named there without an offset, one left
// out, sizes that are too small are violations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/problem_text.h"

static const char csv[] = "id,lower,upper,size\na,0,4,4\nb,4,6,6\nc,0,6,2\n";

// Slots: a and b in slot 0 at 0, c in slot 1 at 6.
static void check(const char *offsets, const char *slots, const char *pools, int64_t peak, const char *expected) {
  memplan_problem problem;
  support_read_good(&problem, "abc.csv", csv);
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "{\"format\":\"memplan-plan\",\"version\":1,\"fingerprint\":\"%s\",\"problem\":{},\"status\":"
                 "\"feasible\",\"peak\":%d,\"lower_bound\":0,\"offsets\":{%s},\"slots\":%s,\"pools\":{%s}}",
                 problem.fingerprint, (int)peak, offsets, slots, pools);
  memplan_plan plan;
  memplan_error error = {.message = ""};
  memplan_plan_init(&plan);
  if (memplan_plan_read_text(text, strlen(text), "p.json", true, &plan, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&problem, &plan, &report, &error), MEMPLAN_OK);
  char found[512] = "";
  for (int32_t k = 0; k < report.n_violations; k++) {
    size_t used = strlen(found);
    const memplan_violation *violation = &report.violations[k];
    (void)snprintf(found + used, sizeof found - used, "%s%s %s", k > 0 ? ", " : "",
                   memplan_violation_kind_name(violation->kind), violation->first != NULL ? violation->first : "-");
  }
  assert_string_equal(found, expected);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

#define ALL "\"a\":0,\"b\":0,\"c\":6"

static void slots_are_complete_and_large_enough(void **state) {
  (void)state;
  check(ALL, "null", "", 8, "");
  check(ALL, "{\"count\":2,\"bytes\":[6,2],\"slot\":{\"a\":0,\"b\":0,\"c\":1}}", "", 8, "");
  check(ALL, "{\"count\":2,\"bytes\":[6,2],\"slot\":{\"a\":0,\"c\":1}}", "", 8, "slot b");
  check(ALL, "{\"count\":2,\"bytes\":[5,2],\"slot\":{\"a\":0,\"b\":0,\"c\":1}}", "", 8, "slot a");
  check(ALL, "{\"count\":3,\"bytes\":[6,2,-1],\"slot\":{\"a\":0,\"b\":0,\"c\":1}}", "", 8, "slot -");
  check(ALL, "{\"count\":2,\"bytes\":[6,2],\"slot\":{\"a\":0,\"b\":0,\"c\":7}}", "", 8, "slot c");
}

static void a_row_dropped_while_its_slot_or_pool_stays(void **state) {
  (void)state;
  check("\"a\":0,\"c\":6", "{\"count\":2,\"bytes\":[6,2],\"slot\":{\"a\":0,\"b\":0,\"c\":1}}", "", 8,
        "missing b, slot b");
  check("\"a\":0,\"b\":0", "null", "\"c\":\"arena\"", 6, "missing c, pool c");
  check(ALL, "null", "\"d\":\"arena\"", 8, "pool d");
}

static void pinned_buffers_may_stand_outside(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":["
      "{\"id\":\"a\",\"bytes\":4,\"live\":[[0,4]],\"pin\":0},{\"id\":\"b\",\"bytes\":6,\"live\":[[2,6]]}]}";
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  support_read_good(&problem, "p.json", text);
  memplan_solve_options options = memplan_solve_options_default();
  options.place = "slot-greedy";
  memplan_solution_init(&solution);
  if (memplan_solve(&problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(solution.plan.n_slots, 1);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slots_are_complete_and_large_enough),
      cmocka_unit_test(a_row_dropped_while_its_slot_or_pool_stays),
      cmocka_unit_test(pinned_buffers_may_stand_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
