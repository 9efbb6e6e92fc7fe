// SPDX-License-Identifier: Apache-2.0
// Allocation traces of Glow: hand-made ones, and those of $MEMPLAN_DATA/glow with the plans that they record.
#include "tests/support/data_index.h"
#include "tests/support/problem_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/base/file.h"

static void reads_events(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.txt",
                    "MODEL  two words \r\nALIGN 64\r\n\r\nALLOC 1 100\r\nALLOC b 50\nFREE 1\n\tALLOC 1  7 \nFREE b\n"
                    "ALLOC last 1\nMEM 192\nEFF 0.781250");
  const memplan_instance *instance = &problem.instance;
  static const struct {
    const char *id;
    int64_t bytes, start, end;
    int32_t row;
  } rows[] = {{"1", 100, 0, 2, 4}, {"b", 50, 1, 4, 5}, {"1#2", 7, 3, 6, 7}, {"last", 1, 5, 7, 9}};
  assert_string_equal(problem.format, "glow");
  assert_string_equal(instance->name, "two words");
  assert_int_equal(instance->n_buffers, 4);
  for (int32_t i = 0; i < 4; i++) {
    assert_string_equal(instance->buffers[i].id, rows[i].id);
    assert_int_equal(instance->buffers[i].bytes, rows[i].bytes);
    assert_int_equal(instance->buffers[i].align, 64);
    assert_int_equal(instance->buffers[i].live[0].start, rows[i].start);
    assert_int_equal(instance->buffers[i].live[0].end, rows[i].end);
    assert_int_equal(instance->buffers[i].row, rows[i].row);
  }
  assert_true(support_has_warning(&problem, "records a plan of 192 bytes"));
  assert_true(support_has_warning(&problem, "2 buffers are never freed"));
  assert_int_equal(support_load(&problem), 150);
  memplan_problem_free(&problem);
}

// Told by its content, whatever it is called.
static void is_told_by_content(void **state) {
  (void)state;
  static const char *const texts[] = {"\xEF\xBB\xBF\n ALLOC 1 4\nFREE 1\n", "ALIGN 8\nALLOC 1 4\n", "MODEL x\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    memplan_problem problem;
    support_read_good(&problem, "trace", texts[i]);
    assert_string_equal(problem.format, "glow");
    memplan_problem_free(&problem);
  }
}

static void refuses_by_line_and_column(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"", "empty"},
      {"\n\n", "the trace is empty"},
      {"MODEL\n", "t.txt:1:1: 'MODEL' must be followed by a name"},
      {"MODEL a\nMODEL b\n", "t.txt:2:1: 'MODEL' stands twice"},
      {"ALIGN 0\n", "t.txt:1:7: '0' as an alignment is outside"},
      {"ALIGN 4K\n", "t.txt:1:7: '4K' is no integer"},
      {"ALIGN 8\nALIGN 8\n", "t.txt:2:1: 'ALIGN' must stand once"},
      {"ALLOC 1 4\nALIGN 8\n", "t.txt:2:1: 'ALIGN' must stand once, before all events"},
      {"ALLOC 1\n", "t.txt:1:1: 'ALLOC' must stand in a line of the form 'ALLOC id size'"},
      {"ALLOC 1 4 5\n", "'ALLOC id size'"},
      {"ALLOC 1 -4\n", "t.txt:1:9: '-4' as a size is outside"},
      {"ALLOC 1 4.5\n", "t.txt:1:9: '4.5' is no integer"},
      {"ALLOC 1 99999999999999999999\n", "does not fit into 64 bits"},
      {"ALLOC 1 4611686018427387905\n", "as a size is outside"},
      {"ALLOC 1 4\n  ALLOC 1 4\n", "t.txt:2:9: '1' is allocated already"},
      {"ALLOC 1 4\nFREE 2\n", "t.txt:2:6: '2' is not allocated here"},
      {"ALLOC 1 4\nFREE 1\nFREE 1\n", "t.txt:3:6: '1' is not allocated here"},
      {"ALLOC 1 4\nMEM 4\nFREE 1\n", "t.txt:3:1: 'FREE' stands behind the recorded result"},
      {"ALLOC 1 4\nMEM -4\n", "t.txt:2:5: '-4'"},
      {"ALLOC 1 4\nMEM 4\nMEM 4\n", "t.txt:3:1: 'MEM' stands twice"},
      {"ALLOC 1 4\nEFF 1,0\n", "t.txt:2:5: '1,0' is no ratio"},
      {"ALLOC 1 4\nEFF .\n", "is no ratio"},
      {"ALLOC 1 4\nalloc 2 4\n", "t.txt:2:1: 'alloc' is no line of a trace"},
      {"ALLOC 1 4\n# note\n", "t.txt:2:1: '#' is no line of a trace"},
      {"MODEL \xFF\n", "t.txt:1:7: byte 0xFF is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    support_expect_error("t.txt", rows[i].text, NULL, MEMPLAN_INPUT, rows[i].part);
  }
}

static void expect_trace(const char *text, const char *path, const char *trace) {
  memplan_problem problem;
  support_read_good(&problem, path, text);
  char *written = support_export(&problem, "glow");
  assert_string_equal(written, trace);
  free(written);
  memplan_problem_free(&problem);
}

static void writes_events(void **state) {
  (void)state;
  expect_trace("id,lower,upper,size,alignment\na,0,3,4,8\nb,3,9,4,8\nc,1,4,5,8\n", "t.csv",
               "MODEL memplan\nALIGN 8\nALLOC a 4\nALLOC c 5\nFREE a\nALLOC b 4\nFREE c\nFREE b\n");
  expect_trace("id,lower,upper,size\n", "t.csv", "MODEL memplan\nALIGN 1\n");
  expect_trace("MODEL m\nALIGN 2\nALLOC 9 4\nFREE 9\nMEM 4\nEFF 1.0\n", "t.txt",
               "MODEL m\nALIGN 2\nALLOC 9 4\nFREE 9\n");
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"id,lower,upper,size,gaps\na,0,9,4,2-3\n", "gaps and lifetimes of several parts (first 'a')"},
      {"id,lower,upper,size\na,0,0,4\n", "buffers that are never live"},
      {"id,lower,upper,size,alignment\na,0,1,4,2\nb,0,1,4,4\n", "different alignments (first 'b')"},
      {"id,lower,upper,size\na b,0,1,4\n", "ids with blanks"},
      {"# pool_offset=4\nid,lower,upper,size\na,0,1,4\n", "the base of the arena"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memplan_problem problem;
    support_read_good(&problem, "t.csv", rows[i].text);
    support_expect_refusal(&problem, "glow", rows[i].part);
    memplan_problem_free(&problem);
  }
}

// With a plan: its peak, and the load over it.
static void writes_the_result(void **state) {
  (void)state;
  static const char *const ends[] = {"MEM 13\nEFF 0.769231\n", "MEM 10\nEFF 1.000000\n"};
  static const char *const texts[] = {"MODEL x\nALIGN 8\nALLOC 1 5\nALLOC 2 5\n", "MODEL x\nALLOC 1 5\nALLOC 2 5\n"};
  for (int i = 0; i < 2; i++) {
    memplan_problem problem;
    memplan_solution solution;
    memplan_export_report report;
    memplan_error error = {0};
    char *text = NULL;
    size_t length = 0;
    support_read_good(&problem, "t.txt", texts[i]);
    memplan_solution_init(&solution);
    memplan_export_report_init(&report);
    assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
    assert_int_equal(memplan_export_text(&problem, &solution, "glow", NULL, &text, &length, &report, &error),
                     MEMPLAN_OK);
    assert_true(length > strlen(ends[i]));
    assert_string_equal(text + length - strlen(ends[i]), ends[i]);
    assert_int_equal(report.n_warnings, 1);
    assert_non_null(strstr(report.warnings[0], "offsets are not carried"));
    free(text);
    memplan_export_report_free(&report);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

// The number behind a word at the start of a line.
static int64_t recorded(const char *text, const char *word) {
  const char *at = strstr(text, word);
  assert_non_null(at);
  return strtoll(at + strlen(word), NULL, 10);
}

static void check_file(const char *path) {
  FILE *file = NULL;
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  memplan_problem problem;
  memplan_problem again;
  memplan_solution solution;
  assert_int_equal(memplan_file_open(path, &file, &error), MEMPLAN_OK);
  assert_int_equal(memplan_file_read(file, &text, &length, &error), MEMPLAN_OK);
  memplan_file_close(file);
  memplan_problem_init(&problem);
  if (memplan_read(path, NULL, NULL, &problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(problem.format, "glow");
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
  // EFF is the load over MEM; both have six digits.
  int64_t mem = recorded(text, "\nMEM ");
  assert_int_equal((support_load(&problem) * 10 + mem / 2) / mem, strstr(text, "EFF 1.0") != NULL ? 10 : 9);
  assert_true(support_load(&problem) <= mem);
  assert_true(solution.plan.peak <= mem);
  char *written = support_export(&problem, "glow");
  support_read_good(&again, "again.txt", written);
  assert_string_equal(again.fingerprint, problem.fingerprint);
  assert_memory_equal(written, text, strlen(written)); // all but the recorded plan
  free(written);
  free(text);
  memplan_problem_free(&again);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void all_files(void **state) {
  (void)state;
  const char *data = data_folder();
  if (data == NULL) {
    skip();
  }
  memplan_arena arena = {0};
  int32_t count;
  const char **paths = data_files(&arena, data_path(&arena, data, "glow"), "model", "", &count);
  for (int32_t k = 0; k < count; k++) {
    check_file(paths[k]);
  }
  memplan_arena_free(&arena);
  assert_int_equal(count, 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_events),
      cmocka_unit_test(is_told_by_content),
      cmocka_unit_test(refuses_by_line_and_column),
      cmocka_unit_test(writes_events),
      cmocka_unit_test(writes_the_result),
      cmocka_unit_test(all_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
