// SPDX-License-Identifier: Apache-2.0
// Lifetimes CSV: what real files look like, what is wrong with them, and what other planners' dialects carry.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/read_csv.h"
#include "tests/support/problem_text.h"

static const char two_rows[] = "id,lower,upper,size\na,0,3,4\nb,3,9,4\n";

static memplan_problem_options with_lifetimes(memplan_lifetimes lifetimes) {
  memplan_problem_options options = memplan_problem_options_default();
  options.lifetimes = lifetimes;
  return options;
}

static memplan_problem_options strict_options(void) {
  memplan_problem_options options = memplan_problem_options_default();
  options.strict = true;
  return options;
}

static memplan_problem_options pinning_options(void) {
  memplan_problem_options options = memplan_problem_options_default();
  options.pin_offsets = true;
  return options;
}

static void expect_load(const char *text, const memplan_problem_options *options, int32_t n_buffers, int64_t load) {
  memplan_problem problem;
  memplan_error error = {0};
  if (support_read(&problem, "t.csv", text, options, &error) != MEMPLAN_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  assert_true(problem.has_instance);
  assert_string_equal(problem.format, "csv");
  assert_int_equal(problem.instance.n_buffers, n_buffers);
  assert_int_equal(support_load(&problem), load);
  memplan_problem_free(&problem);
}

static void expect_error(const char *text, const char *part) {
  support_expect_error("t.csv", text, NULL, MEMPLAN_INPUT, part);
}

static void test_line_ends(void **state) {
  (void)state;
  expect_load(two_rows, NULL, 2, 4);
  expect_load("id,lower,upper,size\r\na,0,3,4\r\nb,3,9,4\r\n", NULL, 2, 4);
  expect_load("id,lower,upper,size\r\na,0,3,4\r\nb,3,9,4", NULL, 2, 4);
  expect_load("id,lower,upper,size\ra,0,3,4\rb,3,9,4\r", NULL, 2, 4);
  expect_load("id,lower,upper,size\r\r\na,0,3,4\n\r\nb,3,9,4", NULL, 2, 4);
}

static void test_encodings(void **state) {
  (void)state;
  expect_load("\xEF\xBB\xBFid,lower,upper,size\r\na,0,3,4\r\nb,3,9,4\r\n", NULL, 2, 4);
  expect_load("\xEF\xBB\xBF# note\nid,lower,upper,size\na,0,3,4\n", NULL, 1, 4);
  static const struct {
    const char bytes[12];
    size_t length;
    const char *name;
  } marks[] = {{"\xFF\xFEi\0d\0", 6, "UTF-16 (little-endian)"},
               {"\xFE\xFF\0i\0d", 6, "UTF-16 (big-endian)"},
               {"\xFF\xFE\0\0i\0\0\0", 8, "UTF-32 (little-endian)"},
               {"\0\0\xFE\xFF\0\0\0i", 8, "UTF-32 (big-endian)"}};
  memplan_problem_options options = memplan_problem_options_default();
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    assert_int_equal(memplan_read_text(marks[i].bytes, marks[i].length, "t.csv", NULL, &options, &problem, &error),
                     MEMPLAN_INPUT);
    assert_non_null(strstr(error.message, marks[i].name));
    memplan_problem_free(&problem);
  }
  expect_error("id,lower,upper,size\nb\xFCro,0,3,4\n", "t.csv:2:2: byte 0xFC is not UTF-8");
  static const char with_nul[] = "id,lower,upper,size\na\0b,0,3,4\n";
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read_text(with_nul, sizeof with_nul - 1, "t.csv", "csv", &options, &problem, &error),
                   MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "t.csv:2:2: NUL"));
  memplan_problem_free(&problem);
}

static void test_columns(void **state) {
  (void)state;
  static const char text[] = "size,note,upper,buffer_id,begin\n18,x,12,1,6\n15,y,10,0,5";
  expect_load(text, NULL, 2, 33);
  memplan_problem problem;
  support_read_good(&problem, "t.csv", text);
  assert_true(support_has_warning(&problem, "'note'"));
  assert_int_equal(support_count_warnings(&problem), 1);
  memplan_problem_free(&problem);
  memplan_problem_options strict = strict_options();
  support_expect_error("t.csv", text, &strict, MEMPLAN_INPUT, "unknown column 'note'");
  expect_load(two_rows, &strict, 2, 4);
  expect_load("buffer,start,upper,size\na,0,3,4\n", &strict, 1, 4);
  expect_load(" id\t, lower ,upper , \"size\" \na,0,3,4\n", &strict, 1, 4);
}

static void test_bad_headers(void **state) {
  (void)state;
  expect_error("", "t.csv:1:1: no header");
  expect_error("\n  \n# only a comment\n", "t.csv:1:1: no header");
  expect_error("id,lower,upper\na,0,3\n", "t.csv:1:1: no column size; the header is: id, lower, upper");
  expect_error("# c\n\nID,lower,upper,size\na,0,3,4\n",
               "t.csv:3:1: no column id (or buffer, buffer_id); the header is: ID, lower");
  expect_error("id;lower;upper;size\na;0;3;4,\n", "by commas, not by semicolons");
  expect_error("id,lower,upper,end,size\na,0,3,2,4\n", "t.csv:1:16: 'end' and the column 'upper' mean the same");
  expect_error("id,buffer,lower,upper,size\n", "t.csv:1:4: 'buffer' and the column 'id' mean the same");
  expect_error("id,lower,size,upper,size\n", "t.csv:1:21: 'size' names a second column");
  expect_error("id,lower,x,upper,x,size\n", "t.csv:1:18: 'x' names a second column");
  expect_error("a,0,3,4\nb,3,9,4\n", "no column id");
}

static void test_conventions(void **state) {
  (void)state;
  static const char with_end[] = "id,start,end,size\na,0,3,4\nb,3,9,4";
  static const char with_upper[] = "id,start,upper,size\na,0,3,4\nb,3,9,4";
  memplan_problem_options half_open = with_lifetimes(MEMPLAN_LIFETIMES_HALF_OPEN);
  memplan_problem_options inclusive = with_lifetimes(MEMPLAN_LIFETIMES_INCLUSIVE);
  expect_load(with_end, NULL, 2, 8);
  expect_load(with_upper, NULL, 2, 4);
  expect_load(with_end, &half_open, 2, 4);
  expect_load(with_upper, &half_open, 2, 4);
  expect_load(with_end, &inclusive, 2, 8);
  expect_load(with_upper, &inclusive, 2, 8);
  static const struct {
    const char *text;
    memplan_lifetimes asked, found;
    const char *warning;
  } cases[] = {
      {with_end, MEMPLAN_LIFETIMES_AUTO, MEMPLAN_LIFETIMES_INCLUSIVE, NULL},
      {with_upper, MEMPLAN_LIFETIMES_AUTO, MEMPLAN_LIFETIMES_HALF_OPEN, NULL},
      {with_end, MEMPLAN_LIFETIMES_HALF_OPEN, MEMPLAN_LIFETIMES_HALF_OPEN, "although the column is named 'end'"},
      {with_upper, MEMPLAN_LIFETIMES_INCLUSIVE, MEMPLAN_LIFETIMES_INCLUSIVE, "although the column is named 'upper'"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_options options = with_lifetimes(cases[i].asked);
    options.strict = true; // what was asked for is no fault
    assert_int_equal(support_read(&problem, "t.csv", cases[i].text, &options, &error), MEMPLAN_OK);
    assert_int_equal(problem.options.lifetimes, cases[i].found);
    assert_int_equal(support_count_warnings(&problem), cases[i].warning != NULL ? 1 : 0);
    assert_true(cases[i].warning == NULL || support_has_warning(&problem, cases[i].warning));
    memplan_problem_free(&problem);
  }
}

static void test_duplicates(void **state) {
  (void)state;
  static const char text[] = "id,lower,upper,size\na,0,3,4\n\na#2,0,3,1\na,3,9,4\na,3,9,4\n";
  expect_error(text, "t.csv:5:1: id 'a' is also that of line 2, column 1;");
  memplan_problem_options options = strict_options();
  options.rename_dups = true;
  memplan_problem problem;
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.csv", text, &options, &error), MEMPLAN_OK);
  assert_string_equal(problem.instance.buffers[0].id, "a");
  assert_string_equal(problem.instance.buffers[1].id, "a#2");
  assert_string_equal(problem.instance.buffers[2].id, "a#3");
  assert_string_equal(problem.instance.buffers[3].id, "a#4");
  assert_true(support_has_warning(&problem, "t.csv:5:1: id 'a' is repeated and becomes 'a#3'"));
  memplan_problem_free(&problem);
}

static void test_empty_lifetimes_and_sizes(void **state) {
  (void)state;
  expect_load("id,lower,upper,size\na,0,3,0\nb,0,3,8\n", NULL, 2, 8);
  expect_load("id,lower,upper,size\na,5,5,4\nb,0,9,8\n", NULL, 2, 8);
  memplan_problem problem;
  support_read_good(&problem, "t.csv", "id,lower,upper,size\na,5,5,4\nb,0,9,8\n");
  assert_true(support_has_warning(&problem, "line 2"));
  memplan_problem_free(&problem);
  expect_error("id,lower,upper,size\na,7,3,4\nb,0,9,8\n",
               "t.csv:2:5: '3' as the upper end lies before the lower end 7");
  expect_error("id,lower,end,size\na,7,6,4\n", "t.csv:2:5: '6'");
  expect_load("id,lower,end,size\na,7,7,4\n", NULL, 1, 4);
}

static void test_signs_and_spaces(void **state) {
  (void)state;
  expect_error("id,lower,upper,size\na,0,3,-4\n", "t.csv:2:7: '-4' as a size is outside");
  expect_load("id,lower,upper,size\na,-5,3,4\n", NULL, 1, 4);
  expect_load("id,lower,upper,size\n a , 0 , +3 ,\t4 \n", NULL, 1, 4);
  memplan_problem problem;
  support_read_good(&problem, "t.csv",
                    "id,lower,upper,size\n a , 0 , +3 , 4 \n\" a \",-9223372036854775808,9223372036854775807,1\n");
  assert_string_equal(problem.instance.buffers[0].id, "a");
  assert_string_equal(problem.instance.buffers[1].id, " a ");
  assert_int_equal(problem.instance.buffers[1].live[0].start, INT64_MIN);
  assert_int_equal(problem.instance.buffers[1].live[0].end, INT64_MAX);
  memplan_problem_free(&problem);
}

static void test_alignments(void **state) {
  (void)state;
  static const struct {
    const char *cell;
    bool good;
  } cases[] = {{"0", false}, {"-8", false}, {"1", true}, {"3", true}, {"48", true}, {"4611686018427387904", false},
               {"", false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[96];
    (void)snprintf(text, sizeof text, "id,lower,upper,size,alignment\na,0,3,4,%s\n", cases[i].cell);
    if (cases[i].good) {
      expect_load(text, NULL, 1, 4);
    } else {
      char part[64];
      (void)snprintf(part, sizeof part, "t.csv:2:9: '%s'", cases[i].cell);
      expect_error(text, part);
    }
  }
}

static void test_empty_files(void **state) {
  (void)state;
  expect_load("id,lower,upper,size\n", NULL, 0, 0);
  expect_load("id,lower,upper,size", NULL, 0, 0);
  memplan_problem problem;
  support_read_good(&problem, "t.csv", "id,lower,upper,size\n");
  static const char *const formats[] = {"csv", "omnimalloc", "idealloc", "instance-json"};
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    char *text = support_export(&problem, formats[i]);
    memplan_problem again;
    support_read_good(&again, i < 3 ? "t.csv" : "t.json", text);
    assert_string_equal(again.fingerprint, problem.fingerprint);
    memplan_problem_free(&again);
    free(text);
  }
  memplan_problem_free(&problem);
}

static void test_malformed_numbers(void **state) {
  (void)state;
  static const char *const cells[] = {"4.5",
                                      "0x10",
                                      "4K",
                                      "4_000",
                                      "1e6",
                                      "",
                                      "NaN",
                                      "-",
                                      "+",
                                      "1 2",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "\xD9\xA3"};
  static const char *const columns[] = {"lower", "upper", "size", "alignment"};
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++) {
      char text[160];
      (void)snprintf(text, sizeof text, "id,lower,upper,size,alignment\n\xC3\xA4,%s,%s,%s,%s\n",
                     j == 0 ? cells[i] : "0", j == 1 ? cells[i] : "3", j == 2 ? cells[i] : "4",
                     j == 3 ? cells[i] : "1");
      char part[64];
      (void)snprintf(part, sizeof part, "t.csv:2:%zu: '%s'", 3 + 2 * j, cells[i]);
      expect_error(text, part);
    }
  }
  expect_error("id,lower,upper,size\n,0,3,4\n", "t.csv:2:1: '' is an empty cell");
  expect_error("id,lower,upper,size\n\"\",0,3,4\n", "is an empty cell");
  expect_error("id,lower,end,size\na,0,9223372036854775807,4\n", "does not fit into 64 bits");
}

static void test_widths(void **state) {
  (void)state;
  expect_error("id,lower,upper,size\na,0,3\n", "t.csv:2:1: 'a' starts a row of 3 cells where the header has 4");
  expect_error("id,lower,upper,size\na,0,3,4,\n", "a row of 5 cells");
  expect_error("id,lower,upper,size\na,b,0,3,4\n", "quote cells that hold commas");
}

static void test_gaps(void **state) {
  (void)state;
  expect_load("id,lower,upper,size,gaps\na,0,10,4,2-5\nb,2,5,4,\n", NULL, 2, 4);
  expect_load("id,lower,upper,size,gaps\na,0,10,4,2-5@0:1\nb,2,5,4,\n", NULL, 2, 5);
  expect_load("id,lower,end,size,gaps\na,0,10,4,2-4\nb,2,4,4,\n", NULL, 2, 4);
  expect_load("id,lower,upper,size,gaps\na,0,10,4,0-10\nb,2,5,4,\n", NULL, 2, 4);
  expect_load("id,lower,upper,size,gaps\na,0,10,4,2-5 4-7\nb,2,7,4,\n", NULL, 2, 4);
  expect_load("id,lower,upper,size,gaps\na,0,10,4, 4-7   2-5 \nb,2,7,4,\n", NULL, 2, 4);
  expect_load("id,lower,upper,size,gaps\na,-9,10,4,-5--2\nb,-5,-2,4,\n", NULL, 2, 4);
  memplan_problem problem;
  support_read_good(&problem, "t.csv", "id,lower,upper,size,gaps\na,0,10,4,12-15\n");
  assert_true(support_has_warning(&problem, "outside its lifetime"));
  memplan_problem_free(&problem);
  expect_error("id,lower,upper,size,gaps\na,0,10,4,2-5@0:1 4-7@0:2\n", "overlap with different byte windows");
  expect_error("id,lower,upper,size,gaps\na,0,10,4,5-2\n",
               "t.csv:2:10: '5-2' holds the gap '5-2', which ends before it starts");
  expect_error("id,lower,upper,size,gaps\na,0,10,4,2-5@1:5\n", "which keeps bytes that are not inside the buffer");
  expect_error("id,lower,upper,size,gaps\na,0,10,4,2-5@-1:2\n", "which keeps bytes");
  static const char *const bad[] = {
      "2", "2-", "-5", "2-5@", "2-5@1", "2-5@1:", "2-5@1:2:3", "2-5@1:2x", "2:5", "a-b", "2-99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[96];
    (void)snprintf(text, sizeof text, "id,lower,upper,size,gaps\na,0,10,4,%s\n", bad[i]);
    expect_error(text, "must be LOW-HIGH or LOW-HIGH@FIRST:LAST");
  }
}

static void test_offsets(void **state) {
  (void)state;
  static const char good[] = "id,lower,upper,size,offset\na,0,3,4,0\nb,2,9,4,4\nc,2,9,4,\nd,2,9,4,-1\n";
  memplan_problem problem;
  support_read_good(&problem, "t.csv", good);
  static const int64_t offsets[] = {0, 4, -1, -1};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(problem.instance.buffers[i].offset, offsets[i]);
    assert_int_equal(problem.instance.buffers[i].pin, -1);
  }
  assert_true(support_has_warning(&problem, "the column 'offset' is kept for checking"));
  memplan_problem_free(&problem);
  memplan_problem_options pinning = pinning_options();
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.csv", good, &pinning, &error), MEMPLAN_OK);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(problem.instance.buffers[i].pin, offsets[i]);
  }
  assert_int_equal(support_count_warnings(&problem), 0);
  memplan_problem_free(&problem);
  static const char colliding[] = "id,lower,upper,size,offset\na,0,3,4,0\nb,2,9,4,0\n";
  support_expect_error("t.csv", colliding, &pinning, MEMPLAN_INPUT, "(line 2, column 9)");
  support_expect_error("t.csv", colliding, &pinning, MEMPLAN_INPUT, "(line 3, column 9)");
  support_expect_error("t.csv", "id,lower,upper,size,alignment,offset\na,0,3,4,8,4\n", &pinning, MEMPLAN_INPUT,
                       "(line 2, column 11)");
  expect_load(colliding, NULL, 2, 8);
  expect_error("id,lower,upper,size,offset\na,0,3,4,-2\n", "t.csv:2:9: '-2' as an offset is outside");
  pinning.strict = true;
  support_expect_error("t.csv", two_rows, &pinning, MEMPLAN_INPUT, "no offsets to pin");
}

static void test_ids(void **state) {
  (void)state;
  char text[1024];
  char long_id[301];
  memset(long_id, 'x', 300);
  long_id[300] = '\0';
  (void)snprintf(text, sizeof text,
                 "id,lower,upper,size\n\"conv1/Relu:0,x\",0,1,1\n007,0,1,1\n7,0,1,1\n%s,0,1,1\n"
                 "\"say \"\"hi\"\"\",0,1,1\na\"b,0,1,1\n\"two\r\nlines\",0,1,1\n\"#1\",0,1,1\n<&>,0,1,1\n",
                 long_id);
  static const char *const ids[] = {"conv1/Relu:0,x", "007",          "7",  NULL, "say \"hi\"",
                                    "a\"b",           "two\r\nlines", "#1", "<&>"};
  memplan_problem problem;
  support_read_good(&problem, "t.csv", text);
  assert_int_equal(problem.instance.n_buffers, 9);
  for (int i = 0; i < 9; i++) {
    assert_string_equal(problem.instance.buffers[i].id, ids[i] != NULL ? ids[i] : long_id);
  }
  assert_int_equal(problem.instance.buffers[7].row, 10); // a quoted line break counts
  char *written = support_export(&problem, "csv");
  memplan_problem again;
  support_read_good(&again, "t.csv", written);
  assert_string_equal(again.fingerprint, problem.fingerprint);
  free(written);
  memplan_problem_free(&again);
  memplan_problem_free(&problem);
  expect_error("id,lower,upper,size\n\"a,0,3,4\n", "t.csv:2:1: '\"a,0,3,4");
  expect_error("id,lower,upper,size\n\"a\"b,0,3,4\n", "behind its closing quote");
}

static void test_comments(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.csv", "# one\nid,lower,upper,size\n\n  # two\na#b,0,3,4\n\t\n#c,0,3,4\nb,0,3,4");
  assert_int_equal(problem.instance.n_buffers, 2);
  assert_string_equal(problem.instance.buffers[0].id, "a#b");
  assert_int_equal(problem.instance.buffers[1].row, 8);
  memplan_problem_free(&problem);
}

static void test_omnimalloc(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.csv",
                    "# pool_offset=3\r\nid,lower,upper,size,offset,kind\r\n0,0,2,4,,WORKSPACE\r\n1,1,3,4,4,INPUT\r\n");
  assert_int_equal(problem.instance.n_pools, 1);
  assert_int_equal(problem.instance.pools[0].base, 3);
  assert_int_equal(problem.instance.buffers[1].offset, 4);
  assert_true(support_has_warning(&problem, "'kind' is information"));
  char *text = support_export(&problem, "omnimalloc");
  assert_string_equal(text, "# pool_offset=3\r\nid,lower,upper,size\r\n0,0,2,4\r\n1,1,3,4\r\n");
  free(text);
  memplan_problem_free(&problem);
  memplan_problem_options strict = strict_options();
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.csv", "id,lower,upper,size,kind\n0,0,2,4,WORKSPACE\n", &strict, &error),
                   MEMPLAN_OK);
  memplan_problem_free(&problem);
  expect_error("# pool_offset=x\nid,lower,upper,size\n", "t.csv:1:15: 'x' is no integer");
  expect_error("# pool_offset=-8\nid,lower,upper,size\n", "t.csv:1:15: '-8' as a pool offset is outside");
  expect_error("# pool_offset=\nid,lower,upper,size\n", "is an empty cell");
  expect_load("# pool_offset of nothing\nid,lower,upper,size\n", NULL, 0, 0);
  support_expect_error("t.csv", "id,lower,upper,size\n0,0,2,4\n1,0:2,3:0,4\n", NULL, MEMPLAN_UNSUPPORTED,
                       "t.csv:3:3: '0:2' as the lower end is a vector clock");
  support_expect_error("t.csv", "id,lower,upper,size\n1,0,3:0:1,4\n", NULL, MEMPLAN_UNSUPPORTED, "t.csv:2:5: '3:0:1'");
}

static void test_refusals(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.csv", "id,lower,upper,size,alignment,gaps,hint\na,0,9,4,8,2-5,0\nb,0,9,0,1,,\n");
  support_expect_refusal(&problem, "omnimalloc", "alignments (1, first 'a')");
  support_expect_refusal(&problem, "omnimalloc", "gaps and lifetimes of several parts (1, first 'a')");
  support_expect_refusal(&problem, "omnimalloc", "sizes of 0 (1, first 'b')");
  support_expect_refusal(&problem, "idealloc", "ids that are no 32-bit numbers (2, first 'a')");
  support_expect_refusal(&problem, "graph-json", "needs a graph");
  support_expect_refusal(&problem, "plan-json", "needs a plan");
  support_expect_refusal(&problem, "onnx", "does not write the format 'onnx'");
  support_expect_refusal(&problem, "nonsense", "it writes: graph-json, instance-json, csv");
  char *text = support_export(&problem, "csv");
  assert_string_equal(text, "id,lower,upper,size,alignment,hint,gaps\na,0,9,4,8,0,2-5\nb,0,9,0,1,-1,\n");
  free(text);
  memplan_problem_free(&problem);
  support_read_good(&problem, "t.csv", "id,lower,upper,size\n0,0,2,4\n4294967295,1,3,4\n");
  text = support_export(&problem, "idealloc");
  assert_string_equal(text, "id,lower,upper,size\n0,0,2,4\n4294967295,1,3,4\n");
  free(text);
  memplan_problem_free(&problem);
}

// A plan as the solver hands it over: offsets by block.
static void export_solution(const memplan_solution *solution, const memplan_problem *problem, const char *format,
                            const char *wanted, const char *note) {
  memplan_export_report report;
  memplan_error error = {0};
  memplan_export_report_init(&report);
  char *text = NULL;
  size_t length = 0;
  if (memplan_export_text(problem, solution, format, NULL, &text, &length, &report, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(text, wanted);
  for (int32_t i = 0; i < report.n_warnings; i++) {
    if (note == NULL || strstr(report.warnings[i], note) == NULL) {
      fail_msg("%s", report.warnings[i]);
    }
  }
  assert_int_equal(report.n_warnings, note != NULL ? 1 : 0);
  assert_true(note == NULL || strstr(report.warnings[0], note) != NULL);
  free(text);
  memplan_export_report_free(&report);
}

static void test_solutions(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(
      &problem, "t.json",
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"1\",\"bytes\":8,\"live\":[[0,2]]},"
      "{\"id\":\"2\",\"bytes\":4,\"live\":[[2,3]]},{\"id\":\"3\",\"bytes\":4,\"align\":2,\"live\":[[0,3]]}],"
      "\"colocate\":[[\"1\",\"2\",4]]}");
  support_expect_refusal(&problem, "csv", "rules `colocate` (1)");
  int64_t offset[3] = {0};
  offset[problem.instance.block_of[0]] = 4;
  offset[problem.instance.block_of[2]] = 0;
  memplan_solution solution = {.has_plan = true, .offset = offset};
  export_solution(&solution, &problem, "csv",
                  "id,lower,upper,size,alignment,offset\n1,0,2,8,1,4\n2,2,3,4,1,8\n3,0,3,4,2,0\n",
                  "rules `colocate` (1): not carried");
  problem.instance.n_colocate = 0;
  problem.instance.buffers[2].align = 1;
  export_solution(&solution, &problem, "omnimalloc",
                  "id,lower,upper,size,offset\r\n1,0,2,8,4\r\n2,2,3,4,8\r\n3,0,3,4,0\r\n", NULL);
  export_solution(&solution, &problem, "idealloc", "id,lower,upper,size,offset\n1,0,2,8,4\n2,2,3,4,8\n3,0,3,4,0\n",
                  NULL);
  solution.has_plan = false;
  memplan_error error = {0};
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(memplan_export_text(&problem, &solution, "csv", NULL, &text, &length, NULL, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "holds no plan"));
  memplan_problem_free(&problem);
}

static void test_export_to_files(void **state) {
  (void)state;
  char folder[] = "/tmp/memplan-test-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  (void)snprintf(path, sizeof path, "%s/out.csv", folder);
  memplan_problem problem;
  memplan_error error = {0};
  support_read_good(&problem, "t.csv", two_rows);
  assert_int_equal(memplan_export(&problem, NULL, NULL, NULL, path, NULL, &error), MEMPLAN_OK);
  memplan_problem_options options = memplan_problem_options_default();
  memplan_problem again;
  memplan_problem_init(&again);
  assert_int_equal(memplan_read(path, NULL, &options, &again, &error), MEMPLAN_OK);
  assert_string_equal(again.fingerprint, problem.fingerprint);
  assert_string_equal(again.path, path);
  memplan_problem_free(&again);
  assert_int_equal(memplan_export(&problem, NULL, NULL, NULL, folder, NULL, &error), MEMPLAN_INPUT);
  assert_int_equal(memplan_export(&problem, NULL, "csv", NULL, folder, NULL, &error), MEMPLAN_IO);
  assert_int_equal(memplan_export(&problem, NULL, "csv", NULL, "/dev/full", NULL, &error), MEMPLAN_IO);
  memplan_problem_free(&problem);
  assert_int_equal(remove(path), 0);
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read(path, NULL, &options, &problem, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "No such file"));
  memplan_problem_free(&problem);
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read(folder, NULL, &options, &problem, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "is a directory"));
  memplan_problem_free(&problem);
  assert_int_equal(remove(folder), 0);
}

// Whatever is cut off, the answer is a status, and an accepted prefix can be written and read again.
static void test_truncations(void **state) {
  (void)state;
  static const char text[] = "\xEF\xBB\xBF# pool_offset=8\r\nid,lower,end,size,alignment,gaps,offset,note\r\n"
                             "\"a,\"\"1\",-3,9,64,8,1-2 4-5@0:32,0,\"x\r\ny\"\r\n\xC3\xA4,0,3,+4,1,,,\r\n";
  memplan_problem_options options = memplan_problem_options_default();
  int accepted = 0;
  for (size_t length = 0; length < sizeof text; length++) {
    char *copy = malloc(length + 1); // exactly as long, so that a sanitizer sees reads past the end
    memcpy(copy, text, length);
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    memplan_status status = memplan_read_text(copy, length, "t.csv", "csv", &options, &problem, &error);
    assert_true(status == MEMPLAN_OK || status == MEMPLAN_INPUT);
    assert_int_equal(status == MEMPLAN_OK, error.message[0] == '\0');
    accepted += status == MEMPLAN_OK ? 1 : 0;
    memplan_problem_free(&problem);
    free(copy);
  }
  assert_true(accepted >= 3);
}

static void test_many_rows(void **state) {
  (void)state;
  enum { rows = 100000 };
  char *text = malloc((size_t)rows * 40 + 64);
  size_t used = (size_t)sprintf(text, "id,lower,upper,size\n");
  for (int i = 0; i < rows; i++) {
    used +=
        (size_t)sprintf(text + used, "%s%d,%d,%d,1\n", i % 2 == 0 ? "buffer" : "same", i % 2 == 0 ? i : 0, i, i + 2);
  }
  memplan_problem_options options = memplan_problem_options_default();
  options.rename_dups = true;
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read_text(text, used, "t.csv", NULL, &options, &problem, &error), MEMPLAN_OK);
  assert_int_equal(problem.instance.n_buffers, rows);
  assert_int_equal(support_load(&problem), 2);
  assert_string_equal(problem.instance.buffers[rows - 1].id, "same0#50000");
  assert_true(support_count_warnings(&problem) < 20);
  assert_true(support_has_warning(&problem, "49989 more renamed ids"));
  memplan_problem_free(&problem);
  free(text);
}

static void check_round_trip(const memplan_problem *problem, const char *format, const char *path) {
  char *text = support_export(problem, format);
  memplan_problem again;
  support_read_good(&again, path, text);
  assert_string_equal(again.fingerprint, problem->fingerprint);
  free(text);
  memplan_problem_free(&again);
}

static void test_real_files(void **state) {
  (void)state;
  const char *data = getenv("MEMPLAN_DATA");
  if (data == NULL) {
    print_message("MEMPLAN_DATA is not set: real files are skipped\n");
    skip();
  }
  static const struct {
    const char *path;
    int32_t n_buffers;
    int64_t load;
  } files[] = {{"minimalloc/A.1048576.csv", 154, 1048576}, {"minimalloc/C.1048576.csv", 203, 1039360},
               {"minimalloc/D.1048576.csv", 213, 986112},  {"minimalloc/J.1048576.csv", 409, 989184},
               {"minimalloc/input.12.csv", 5, 12},         {"idealloc/G_1.csv", 816, 3030937746},
               {"idealloc/S_1.csv", 28526, 1498635932},    {"idealloc/resnet50.csv", 1042, 1515472556}};
  memplan_problem_options options = memplan_problem_options_default();
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", data, files[i].path);
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    if (memplan_read(path, NULL, &options, &problem, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(problem.instance.n_buffers, files[i].n_buffers);
    assert_int_equal(support_load(&problem), files[i].load);
    check_round_trip(&problem, "csv", "t.csv");
    check_round_trip(&problem, "instance-json", "t.json");
    memplan_problem_free(&problem);
  }
}

static void test_idealloc_columns_by_position(void **state) {
  (void)state;
  static const char text[] = "buffer,x,end,bytes\n0,1,5,64\n1,4,9,32\n";
  static const char three[] = "id,lower,upper\n0,1,5\n";
  memplan_problem_options options = memplan_problem_options_default();
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read_text(text, strlen(text), "p.csv", "idealloc", &options, &problem, &error), MEMPLAN_OK);
  assert_int_equal(problem.instance.n_buffers, 2);
  assert_int_equal(problem.instance.buffers[0].live[0].end, 5); // half-open, though a column is called end
  assert_int_equal(problem.instance.buffers[1].bytes, 32);
  memplan_problem_free(&problem);
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read_text(three, strlen(three), "p.csv", "idealloc", &options, &problem, &error),
                   MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "p.csv:1:1"));
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_idealloc_columns_by_position),
      cmocka_unit_test(test_line_ends),
      cmocka_unit_test(test_encodings),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_bad_headers),
      cmocka_unit_test(test_conventions),
      cmocka_unit_test(test_duplicates),
      cmocka_unit_test(test_empty_lifetimes_and_sizes),
      cmocka_unit_test(test_signs_and_spaces),
      cmocka_unit_test(test_alignments),
      cmocka_unit_test(test_empty_files),
      cmocka_unit_test(test_malformed_numbers),
      cmocka_unit_test(test_widths),
      cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_offsets),
      cmocka_unit_test(test_ids),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_omnimalloc),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_solutions),
      cmocka_unit_test(test_export_to_files),
      cmocka_unit_test(test_truncations),
      cmocka_unit_test(test_many_rows),
      cmocka_unit_test(test_real_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
