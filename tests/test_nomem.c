// SPDX-License-Identifier: Apache-2.0
// Every allocation fails once: reading, solving, verifying and writing must either work or say that memory is out,
// leave nothing behind (checked under AddressSanitizer) and never report anything else. The linker wraps malloc and its
// relatives for memplan's own code. jansson's are left alone: its lexer drops characters without a word when one of its
// own allocations fails.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "instances/formats.h"
#include "model/memplan.h"
#include "tests/support/failing_malloc.h"

static const char csv_text[] = "id,lower,upper,size,alignment,gaps,offset\n"
                               "a,0,3,4,8,,\n"
                               "b,1,9,5,4,2-4@0:2 5-6,0\n"
                               "\"c,d\",3,7,6,1,,\n";

static const char instance_text[] =
    "{\"format\":\"memplan-instance\",\"version\":1,\"name\":\"i\",\"buffers\":["
    "{\"id\":\"a\",\"bytes\":60,\"live\":[[0,2],[5,6]],\"pools\":[\"fast\",\"slow\"]},"
    "{\"id\":\"b\",\"bytes\":60,\"live\":[[1,3]]},{\"id\":\"c\",\"bytes\":30,\"live\":[[1,2]],\"align\":8},"
    "{\"id\":\"d\",\"bytes\":8,\"live\":[[4,5]]},{\"id\":\"e\",\"bytes\":8,\"live\":[[6,7]]}],"
    "\"pools\":[{\"id\":\"fast\",\"capacity\":100,\"reserved\":[[0,4]]},{\"id\":\"slow\",\"capacity\":1000}],"
    "\"separate\":[[\"a\",\"d\"]],\"colocate\":[[\"d\",\"e\",4]],\"conflicts\":[[\"a\",\"e\"]]}";

static const char graph_text[] =
    "{\"format\":\"memplan-graph\",\"version\":1,\"name\":\"g\",\"tensors\":["
    "{\"id\":\"x\",\"bytes\":64,\"roles\":[\"input\"],\"dtype\":\"f32\",\"shape\":[16]},"
    "{\"id\":\"w\",\"bytes\":32,\"roles\":[\"weight\"]},{\"id\":\"v\",\"bytes\":16,\"roles\":[\"variable\"]},"
    "{\"id\":\"t1\",\"bytes\":64,\"align\":16},{\"id\":\"t2\",\"bytes\":64},"
    "{\"id\":\"s\",\"bytes\":32,\"view\":{\"of\":\"t2\",\"offset\":32}},{\"id\":\"y\",\"bytes\":32,\"roles\":["
    "\"output\"]}],"
    "\"ops\":[{\"id\":\"o1\",\"type\":\"A\",\"in\":[\"x\",\"w\"],\"out\":[\"t1\"],\"workspace\":40},"
    "{\"id\":\"o2\",\"in\":[\"t1\"],\"out\":[\"t2\"],\"inplace\":[[\"t2\",\"t1\"]]},"
    "{\"id\":\"o3\",\"in\":[\"t2\"],\"out\":[\"s\"],\"group\":\"k\"},"
    "{\"id\":\"o4\",\"in\":[\"s\",\"v\"],\"out\":[\"y\"],\"after\":[\"o1\"],\"group\":\"k\",\"async_until\":\"o5\"},"
    "{\"id\":\"o5\",\"in\":[\"y\"],\"out\":[]}]}";

typedef struct input {
  const char *text, *path;
} input;

// The whole way of one file. Returns the status of the first step that does not work.
static memplan_status run(const input *file) {
  memplan_problem problem;
  memplan_solution solution;
  memplan_plan plan;
  memplan_report report;
  memplan_export_report exported;
  memplan_error error = {0};
  memplan_problem_options options = memplan_problem_options_default();
  memplan_solve_options solve = memplan_solve_options_default();
  solve.limits.threads = 1;
  memplan_problem_init(&problem);
  memplan_solution_init(&solution);
  memplan_plan_init(&plan);
  memplan_report_init(&report);
  memplan_export_report_init(&exported);
  char *text = NULL, *json = NULL;
  size_t length = 0;
  memplan_status status =
      memplan_read_text(file->text, strlen(file->text), file->path, NULL, &options, &problem, &error);
  if (status == MEMPLAN_OK) {
    status = memplan_solve(&problem, &solve, &solution, &error);
  }
  if (status == MEMPLAN_OK) {
    text = memplan_plan_text(&solution.plan);
    status =
        text != NULL ? memplan_plan_read_text(text, strlen(text), "plan.json", true, &plan, &error) : MEMPLAN_NOMEM;
  }
  if (status == MEMPLAN_OK) {
    status = memplan_verify(&problem, &plan, &report, &error);
    if (status == MEMPLAN_OK && !report.valid) {
      print_message("%s: %s\n%s\n", file->path, report.violations[0].text, text);
      status = MEMPLAN_INTERNAL;
    }
  }
  if (status == MEMPLAN_OK) {
    status = memplan_export_text(&problem, &solution, problem.has_graph ? "graph-json" : "instance-json", NULL, &json,
                                 &length, &exported, &error);
  }
  if (status != MEMPLAN_OK && status != MEMPLAN_NOMEM) {
    print_message("%s: %s\n", file->path, error.message);
  }
  free(text);
  free(json);
  memplan_export_report_free(&exported);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  const input files[] = {{csv_text, "a.csv"}, {instance_text, "i.json"}, {graph_text, "g.json"}};
  for (size_t file = 0; file < sizeof files / sizeof *files; file++) {
    assert_int_equal(run(&files[file]), MEMPLAN_OK);
    int64_t k = 0;
    bool failed = false;
    do {
      failing_malloc_once(k);
      memplan_status status = run(&files[file]);
      failed = failing_malloc_stop();
      if (failed && status != MEMPLAN_OK && status != MEMPLAN_NOMEM) {
        fail_msg("%s, allocation %d: status %d", files[file].path, (int)k, (int)status);
      }
      assert_true(failed || status == MEMPLAN_OK);
      k++;
    } while (failed);
    assert_true(k > 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
