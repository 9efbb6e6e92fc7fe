// SPDX-License-Identifier: Apache-2.0
// Where messages point in a lifetimes CSV, what the dialects of other planners forbid, and pairs of conflicts beside or
// instead of lifetimes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "instances/read_conflicts.h"
#include "tests/support/data_index.h"
#include "tests/support/problem_text.h"

// ---- places

static void expect_two(const char *text, const memplan_problem_options *options, const char *first,
                       const char *second) {
  memplan_problem problem;
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.csv", text, options, &error), MEMPLAN_INPUT);
  if (strstr(error.message, first) == NULL || strstr(error.message, second) == NULL) {
    fail_msg("'%s' or '%s' is not in: %s", first, second, error.message);
  }
  memplan_problem_free(&problem);
}

static void messages_name_line_and_column(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  expect_two("size,lower,upper,id\n4,0,3,a\n\n4,3,9,  a\n", &options, "t.csv:4:9:", "line 2, column 7");
  // The gap that overlaps another one has no row of its own: its cell is named.
  expect_two("id,lower,upper,size,gaps\na,0,10,4,2-5@0:2 4-7@1:3\n", &options, "(line 2, column 10)", "overlap");
  expect_two("id,lower,upper,size,offset\n\"x,y\",0,3,4,0\nb,2,9,4,2\n",
             &(memplan_problem_options){.pin_offsets = true, .align = 1, .capacity = -1}, "'x,y' (line 2, column 13)",
             "'b' (line 3, column 9)");
  options.strict = true;
  expect_two("id,lower,upper,size\nü,5,5,4\nb,0,9,8\n", &options, "(line 2, column 5)", "empty lifetime");
  expect_two("id,lower,note,upper,size\na,0,x,5,4\n", &options, "t.csv:1:10:", "unknown column 'note'");
}

// ---- dialects

static void expect_dialect(const char *format, const char *text, const char *part) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_options options = memplan_problem_options_default();
  memplan_problem_init(&problem);
  memplan_status status = memplan_read_text(text, strlen(text), "t.csv", format, &options, &problem, &error);
  assert_int_equal(status, part == NULL ? MEMPLAN_OK : MEMPLAN_INPUT);
  if (part != NULL && strstr(error.message, part) == NULL) {
    fail_msg("'%s' is not in: %s", part, error.message);
  }
  memplan_problem_free(&problem);
}

static void omnimalloc_is_strict(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"id,lower,upper,size\na,0,3,4\n", NULL},
      {"# pool_offset=16\r\nid,lower,upper,size,offset,kind\r\na,0,3,4,,WORKSPACE\r\n7,0,3,4,8,\r\n", NULL},
      {"size,upper,lower,id\n4,3,0,007\n", NULL},
      {"id,lower,upper,size\na,0,3,0\n", "t.csv:2:7: '0' as a size is below 1"},
      {"id,lower,upper,size\na,-1,3,4\n", "t.csv:2:3: '-1' as a time is below 0"},
      {"id,lower,upper,size\na,3,3,4\n", "t.csv:2:5: '3' ends a lifetime that is empty"},
      {"id,lower,upper,size,kind\na,0,3,4,SCRATCH\n", "t.csv:2:9: 'SCRATCH' is no kind"},
      {"id,lower,upper,size,kind\na,0,3,4,input\n", "'input' is no kind"},
      {"id,lower,upper,size,offset\na,0,3,4,-1\n", "t.csv:2:9: '-1' as an offset is below 0"},
      {"id,start,upper,size\na,0,3,4\n", "t.csv:1:4: 'start' is not what OmniMalloc calls this column"},
      {"id,lower,end,size\na,0,3,4\n", "name it 'upper'"},
      {"buffer,lower,upper,size\na,0,3,4\n", "name it 'id'"},
      {"id,lower,upper,size,alignment\na,0,3,4,8\n", "t.csv:1:21: 'alignment' is a column that OmniMalloc"},
      {"id,lower,upper,size,gaps\na,0,3,4,1-2\n", "'gaps' is a column that OmniMalloc"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    expect_dialect("omnimalloc", rows[i].text, rows[i].part);
  }
  // The same files are good lifetimes CSV, but for the offset.
  expect_dialect("csv", rows[3].text, NULL);
  expect_dialect("csv", rows[4].text, NULL);
  expect_dialect("csv", rows[6].text, NULL);
  expect_dialect("csv", rows[12].text, NULL);
}

static void idealloc_ids_have_32_bits(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"h,e,a,d\n0,0,3,4\n4294967295,0,3,4\n", NULL},
      {"id,lower,upper,size,offset\n1,0,3,4,8\n", NULL},
      {"id,lower,upper,size\n4294967296,0,3,4\n", "t.csv:2:1: '4294967296' is no id of idealloc"},
      {"id,lower,upper,size\n99999999999999999999999,0,3,4\n", "is no id of idealloc"},
      {"id,lower,upper,size\na,0,3,4\n", "'a' is no id of idealloc"},
      {"id,lower,upper,size\n-1,0,3,4\n", "'-1' is no id of idealloc"},
      {"id,lower,upper,size\n+1,0,3,4\n", "'+1' is no id of idealloc"},
      {"id,lower,upper,size\n07,0,3,4\n", "'07' is no id of idealloc"},
      {"id,lower,upper,size\n1,-2,3,4\n", "t.csv:2:3: '-2' has a sign"},
      {"id,lower,upper,size,offset\n1,0,3,4,-1\n", "t.csv:2:9: '-1' has a sign"},
      {"id,lower,upper,size,offset\n1,0,3,4,\n", "t.csv:2:9: '' is an empty cell"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    expect_dialect("idealloc", rows[i].text, rows[i].part);
  }
}

// ---- conflicts

static const char sizes[] = "id,size,alignment\na,4,1\nb,6,1\nc,2,1\n";

static void read_with_pairs(const char *text, const char *pairs, memplan_status expected, memplan_problem *problem,
                            memplan_error *error) {
  char path[] = "/tmp/memplan-pairs-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, pairs, strlen(pairs)), (ssize_t)strlen(pairs));
  (void)close(descriptor);
  memplan_problem_options options = memplan_problem_options_default();
  options.conflicts_path = path;
  *error = (memplan_error){.status = MEMPLAN_OK};
  memplan_status status = support_read(problem, "t.csv", text, &options, error);
  (void)unlink(path);
  if (status != expected) {
    fail_msg("%s", error->message);
  }
}

static int64_t solved_peak(const memplan_problem *problem) {
  memplan_solution solution;
  memplan_error error = {0};
  memplan_solution_init(&solution);
  if (memplan_solve(problem, NULL, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(solution.has_plan);
  int64_t peak = solution.plan.peak;
  memplan_solution_free(&solution);
  return peak;
}

// Only the pairs keep buffers apart; without one all lie on each other.
static void pairs_instead_of_lifetimes(void **state) {
  (void)state;
  static const struct {
    const char *pairs;
    int32_t count;
    int64_t peak;
  } rows[] = {{"", 0, 6},
              {"first,second\n", 0, 6},
              {"a,b\n", 1, 10},
              {"a,b\nb,a\nb,c\n", 3, 10},
              {"# all\nx,y\na,b\n\n\"b\",c\n a , c \n", 3, 12}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memplan_problem problem;
    memplan_error error;
    read_with_pairs(sizes, rows[i].pairs, MEMPLAN_OK, &problem, &error);
    assert_int_equal(problem.instance.n_conflicts, rows[i].count);
    assert_int_equal(problem.instance.buffers[1].n_live, 0);
    assert_int_equal(support_count_warnings(&problem), 0);
    assert_int_equal(solved_peak(&problem), rows[i].peak);
    char *json = support_export(&problem, "instance-json");
    memplan_problem again;
    support_read_good(&again, "t.json", json);
    assert_string_equal(again.fingerprint, problem.fingerprint);
    memplan_problem_free(&again);
    free(json);
    memplan_problem_free(&problem);
  }
}

static void pairs_beside_lifetimes(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_error error;
  read_with_pairs("id,lower,upper,size\na,0,2,4\nb,2,4,6\nc,4,5,7\n", "a,b\n", MEMPLAN_OK, &problem, &error);
  assert_int_equal(solved_peak(&problem), 10);
  memplan_problem_free(&problem);
}

static void bad_pairs(void **state) {
  (void)state;
  static const struct {
    const char *text, *pairs, *part;
  } rows[] = {
      {sizes, "a,b\na,d\n", ":2:3: 'd' is the id of no buffer"},
      {sizes, "a,B\n", ":1:3: 'B' is the id of no buffer"}, // a misspelt pair is no header
      {sizes, "x,y\nx,y\n", ":2:1: 'x' is the id of no buffer"},
      {sizes, "a,a\n", ":1:3: 'a' conflicts with itself"},
      {sizes, "a\n", ":1:1: 'a' starts a row of 1 cells"},
      {sizes, "a,b,c\n", "starts a row of 3 cells"},
      {sizes, "a,\"b\n", "quote"},
      {"id,lower,size\na,0,4\n", "a,b\n", "t.csv:1:1: no column upper"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memplan_problem problem;
    memplan_error error;
    read_with_pairs(rows[i].text, rows[i].pairs, MEMPLAN_INPUT, &problem, &error);
    if (strstr(error.message, rows[i].part) == NULL) {
      fail_msg("'%s' is not in: %s", rows[i].part, error.message);
    }
    memplan_problem_free(&problem);
  }
  support_expect_error("t.csv", sizes, NULL, MEMPLAN_INPUT, "need --conflicts FILE");
  memplan_problem_options options = memplan_problem_options_default();
  options.conflicts_path = "/nowhere/pairs.csv";
  memplan_problem problem;
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.csv", sizes, &options, &error), MEMPLAN_INPUT);
  assert_ptr_equal(strstr(error.message, "/nowhere/pairs.csv: "), error.message);
  memplan_problem_free(&problem);
  static const char graph[] = "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[],\"ops\":[]}";
  support_expect_error("t.json", graph, &options, MEMPLAN_INPUT, "holds a graph");
}

// A plan in which two buffers of a pair overlap is no plan.
static void verify_sees_pairs(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error;
  read_with_pairs(sizes, "a,b\n", MEMPLAN_OK, &problem, &error);
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
  assert_int_equal(solution.plan.n_placed, 3);
  for (int64_t shift = 0; shift < 2; shift++) {
    memplan_report report;
    memplan_report_init(&report);
    solution.plan.placed[0].offset = shift == 0 ? 0 : 5;
    solution.plan.placed[1].offset = shift == 0 ? 4 : 0; // b: [0, 6)
    assert_int_equal(memplan_verify(&problem, &solution.plan, &report, &error), MEMPLAN_OK);
    int32_t apart = 0;
    for (int32_t k = 0; k < report.n_violations; k++) {
      apart += report.violations[k].kind == MEMPLAN_VIOLATION_SEPARATE ? 1 : 0;
    }
    assert_int_equal(apart, shift);
    memplan_report_free(&report);
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void tvm_fanout(void **state) {
  (void)state;
  const char *data = data_folder();
  if (data == NULL) {
    skip();
  }
  memplan_arena arena = {0};
  const char *folder = data_path(&arena, data, "published");
  memplan_problem_options options = memplan_problem_options_default();
  options.conflicts_path = data_path(&arena, folder, "tvm-usmp-fanout.conflicts.csv");
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  if (memplan_read(data_path(&arena, folder, "tvm-usmp-fanout.csv"), NULL, &options, &problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(problem.instance.n_buffers, 12);
  assert_int_equal(problem.instance.n_conflicts, 24);
  assert_int_equal(solved_peak(&problem), 7200256);
  memplan_problem_free(&problem);
  memplan_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_name_line_and_column),
      cmocka_unit_test(omnimalloc_is_strict),
      cmocka_unit_test(idealloc_ids_have_32_bits),
      cmocka_unit_test(pairs_instead_of_lifetimes),
      cmocka_unit_test(pairs_beside_lifetimes),
      cmocka_unit_test(bad_pairs),
      cmocka_unit_test(verify_sees_pairs),
      cmocka_unit_test(tvm_fanout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
