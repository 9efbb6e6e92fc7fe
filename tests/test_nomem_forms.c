// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k, in reading and writing each form: the answer is "out of memory" or the same
// result as ever, and nothing leaks (which a sanitizer build sees). jansson's own allocations take part in writing
// only: when its parser cannot enlarge the text of a token, it goes on with a shorter one and tells nobody.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "model/memplan.h"
#include "tests/support/failing_malloc.h"

static const char csv_text[] =
    "# pool_offset=8\nid,lower,end,size,alignment,gaps,hint,offset,note\n\"a,\"\"1\",-3,9,64,8,1-2 4-5@0:32,4,0,x\n"
    "b,0,3,4,1,,,,\nb,0,3,4,1,,,,\n";
static const char graph_text[] =
    "{\"format\":\"memplan-graph\",\"version\":1,\"name\":\"n\",\"source\":\"s\",\"pools\":[{\"id\":\"p\",\"reserved\":"
    "[[0,16]]}],\"tensors\":["
    "{\"id\":\"a\",\"name\":\"f\",\"bytes\":64,\"dtype\":\"f32\",\"shape\":[4,4],\"pools\":[\"p\"],\"note\":1},{\"id\":"
    "\"b\",\"bytes\":32,"
    "\"view\":{\"of\":\"a\"}},{\"id\":\"x\",\"bytes\":64,\"roles\":[\"input\"]},{\"id\":\"y\",\"bytes\":64,\"roles\":["
    "\"output\"]}],"
    "\"ops\":[{\"id\":\"o1\",\"type\":\"Relu\",\"in\":[\"x\"],\"out\":[\"a\"],\"inplace\":[[\"a\",\"x\"]],"
    "\"workspace\":100,"
    "\"workspace_pools\":[\"p\"]},{\"id\":\"o2\",\"in\":[\"a\"],\"out\":[\"b\"],\"writes\":[\"b\"],\"group\":\"g\"},"
    "{\"id\":\"o4\",\"in\":[\"b\"],\"out\":[\"y\"],\"after\":[\"o1\"]}]}";
static const char instance_text[] = "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\","
                                    "\"bytes\":64,\"live\":[[0,3],[7,9]],\"gaps\":[{\"at\":[1,2],"
                                    "\"bytes\":[0,32]}],\"pools\":[\"s\"]},{\"id\":\"b\",\"bytes\":4,\"live\":[[5,6]]},"
                                    "{\"id\":\"c\",\"bytes\":4,\"live\":[[7,9]]}],"
                                    "\"pools\":[{\"id\":\"s\"},{\"id\":\"d\"}],\"separate\":[[\"a\",\"b\"]],"
                                    "\"colocate\":[[\"b\",\"c\",4]],\"conflicts\":[[\"b\",\"a\"]]}";
static const char plan_text[] = "{\"format\":\"memplan-plan\",\"version\":1,\"tool\":\"t\",\"fingerprint\":\"f\","
                                "\"problem\":{\"a\":1},\"status\":\"optimal\",\"peak\":12,"
                                "\"lower_bound\":12,\"bound\":{\"kind\":\"operator\",\"op\":\"o\"},\"order\":[\"o\"],"
                                "\"inplace\":[[\"r\",\"v\"]],\"offsets\":{\"b\":4,\"a\":0},"
                                "\"pools\":{\"a\":\"s\"},\"slots\":{\"count\":1,\"bytes\":[4],\"slot\":{\"a\":0}},"
                                "\"bodies\":{\"o\":{\"b\":{\"format\":\"memplan-plan\","
                                "\"version\":1,\"fingerprint\":\"\",\"problem\":{},\"status\":\"unknown\",\"peak\":0,"
                                "\"lower_bound\":0,\"offsets\":{}}}}}";

// One thing to do, on a text: reading it, writing it, or both. *text is the result.
typedef struct task {
  const char *source, *path, *format; // format NULL: a plan
  memplan_problem *problem;           // read before, or NULL
  memplan_plan *plan;                 // read before, or NULL
} task;

static memplan_status read_problem(const task *t, memplan_problem *problem, memplan_error *error) {
  memplan_problem_options options = memplan_problem_options_default();
  options.rename_dups = true;
  memplan_problem_init(problem);
  return memplan_read_text(t->source, strlen(t->source), t->path, NULL, &options, problem, error);
}

static memplan_status write_problem(const task *t, memplan_problem *problem, char **text, memplan_error *error) {
  memplan_export_report report;
  memplan_export_report_init(&report);
  size_t length = 0;
  memplan_status status = memplan_problem_fingerprint(problem, error);
  if (status == MEMPLAN_OK) {
    status = memplan_export_text(problem, NULL, t->format, NULL, text, &length, &report, error);
  }
  memplan_export_report_free(&report);
  return status;
}

static memplan_status read_plan(const task *t, memplan_plan *plan, memplan_error *error) {
  memplan_plan_init(plan);
  return memplan_plan_read_text(t->source, strlen(t->source), t->path, false, plan, error);
}

static memplan_status write_plan(const memplan_plan *plan, char **text) {
  *text = memplan_plan_text(plan);
  return *text != NULL ? MEMPLAN_OK : MEMPLAN_NOMEM;
}

static memplan_status run(const task *t, char **text, memplan_error *error) {
  *text = NULL;
  if (t->problem != NULL) {
    return write_problem(t, t->problem, text, error);
  }
  if (t->plan != NULL) {
    return write_plan(t->plan, text);
  }
  if (t->format == NULL) {
    memplan_plan plan;
    memplan_status status = read_plan(t, &plan, error);
    status = status == MEMPLAN_OK ? write_plan(&plan, text) : status;
    memplan_plan_free(&plan);
    return status;
  }
  memplan_problem problem;
  memplan_status status = read_problem(t, &problem, error);
  status = status == MEMPLAN_OK ? write_problem(t, &problem, text, error) : status;
  memplan_problem_free(&problem);
  return status;
}

// Returns how many allocations could fail.
static int64_t sweep(const task *t) {
  char *wanted = NULL;
  memplan_error error = {0};
  if (run(t, &wanted, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  int64_t blocks = failing_malloc_blocks();
  for (int64_t k = 0;; k++) {
    char *text = NULL;
    failing_malloc_once(k);
    memplan_status status = run(t, &text, &error);
    bool reached = failing_malloc_stop();
    if (status == MEMPLAN_OK) {
      assert_string_equal(text, wanted);
    } else {
      if (status != MEMPLAN_NOMEM) {
        fail_msg("allocation %lld: %s: %s", (long long)k, memplan_status_name(status), error.message);
      }
      assert_null(text);
      if (failing_malloc_blocks() > blocks) { // fewer: what the C library allocated was freed here
        fail_msg("allocation %lld: %lld blocks leak", (long long)k, (long long)(failing_malloc_blocks() - blocks));
      }
    }
    free(text);
    if (!reached) {
      free(wanted);
      return k;
    }
  }
}

static const task tasks[] = {{csv_text, "t.csv", "csv", NULL, NULL},
                             {csv_text, "t.csv", "instance-json", NULL, NULL},
                             {graph_text, "t.json", "graph-json", NULL, NULL},
                             {graph_text, "t.json", "instance-json", NULL, NULL},
                             {instance_text, "t.json", "instance-json", NULL, NULL},
                             {plan_text, "p.json", NULL, NULL, NULL}};

static void test_reading(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
    assert_true(sweep(&tasks[i]) > 1);
  }
}

static void test_writing(void **state) {
  (void)state;
  json_malloc_t old_malloc;
  json_free_t old_free;
  json_get_alloc_funcs(&old_malloc, &old_free);
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
  for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
    task t = tasks[i];
    memplan_problem problem;
    memplan_plan plan;
    memplan_error error = {0};
    if (t.format != NULL) {
      assert_int_equal(read_problem(&t, &problem, &error), MEMPLAN_OK);
      t.problem = &problem;
    } else {
      assert_int_equal(read_plan(&t, &plan, &error), MEMPLAN_OK);
      t.plan = &plan;
    }
    assert_true(sweep(&t) > 100);
    if (t.format != NULL) {
      memplan_problem_free(&problem);
    } else {
      memplan_plan_free(&plan);
    }
  }
  json_set_alloc_funcs(old_malloc, old_free);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading), cmocka_unit_test(test_writing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
