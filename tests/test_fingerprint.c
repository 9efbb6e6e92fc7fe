// SPDX-License-Identifier: Apache-2.0
// The fingerprint: the same for the same problem however it is spelt, another one for every change of meaning.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sha256.h>

#include "model/base/json.h"
#include "model/problem_json.h"
#include "tests/support/problem_text.h"

typedef struct print {
  char text[MEMPLAN_FINGERPRINT_SIZE];
} print;

static print take(const char *path, const char *text, const memplan_problem_options *options) {
  memplan_problem problem;
  memplan_error error = {0};
  if (support_read(&problem, path, text, options, &error) != MEMPLAN_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  print result;
  memcpy(result.text, problem.fingerprint, sizeof result.text);
  memplan_problem_free(&problem);
  return result;
}

// SHA-256 of what `convert` writes, without its line break, followed by the options.
static void expect_definition(const char *path, const char *text, const char *format,
                              const memplan_problem_options *options) {
  memplan_problem problem;
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, path, text, options, &error), MEMPLAN_OK);
  char *canonical = support_export(&problem, format);
  json_t *value = memplan_problem_options_json(&problem);
  char *rest = memplan_json_text(value);
  size_t length = strlen(canonical) - 1;
  char *joined = malloc(length + strlen(rest) + 1);
  memcpy(joined, canonical, length);
  strcpy(joined + length, rest);
  char digest[SHA256_DIGEST_STRING_LENGTH];
  assert_non_null(SHA256Data((const uint8_t *)joined, strlen(joined), digest));
  assert_int_equal(strncmp(problem.fingerprint, "sha256:", 7), 0);
  assert_string_equal(problem.fingerprint + 7, digest);
  free(joined);
  free(rest);
  json_decref(value);
  free(canonical);
  memplan_problem_free(&problem);
}

static const char small_graph[] =
    "{\"format\":\"memplan-graph\",\"version\":1,\"name\":\"g\",\"tensors\":["
    "{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"]},{\"id\":\"t\",\"bytes\":8},{\"id\":\"y\",\"bytes\":8,\"roles\":["
    "\"output\"]}],"
    "\"ops\":[{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"]},{\"id\":\"p\",\"in\":[\"t\"],\"out\":[\"y\"]}]}";

static void test_definition(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  expect_definition("t.csv", "id,lower,upper,size\nb,0,3,4\na,3,9,4\n", "instance-json", &options);
  expect_definition("t.csv", "id,lower,end,size\nb,0,3,4\na,3,9,4\n", "instance-json", &options);
  expect_definition("t.json", small_graph, "graph-json", &options);
  options.align = 64;
  options.capacity = 4096;
  expect_definition("t.csv", "id,lower,upper,size\nb,0,3,4\na,3,9,4\n", "instance-json", &options);
}

static void test_options_text(void **state) {
  (void)state;
  static const memplan_dim dims[] = {{"past", 128}, {"N", 4}, {"past", 64}};
  memplan_problem_options options = memplan_problem_options_default();
  options.dims = dims;
  options.n_dims = 3;
  options.capacity = 77;
  memplan_problem problem;
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.json", small_graph, &options, &error), MEMPLAN_OK);
  assert_int_equal(problem.options.n_dims, 0); // the graph has no dimensions of these names
  problem.options.dims = dims;
  problem.options.n_dims = 3;
  json_t *value = memplan_problem_options_json(&problem);
  char *text = memplan_json_text(value);
  assert_string_equal(
      text,
      "{\"name\":\"g\",\"io\":\"arena\",\"weights\":\"external\",\"inplace\":\"safe\",\"views\":\"reshape\","
      "\"fold\":\"shapes\",\"bodies\":\"plan\",\"branch_sharing\":true,\"inputs_writable\":false,"
      "\"lifetimes\":\"half-open\",\"dims\":{\"N\":4,\"past\":64},\"capacity\":77,\"target\":\"none\",\"align\":1}");
  free(text);
  json_decref(value);
  memplan_problem_free(&problem);
}

static void test_spellings(void **state) {
  (void)state;
  static const char *const csv[] = {
      "id,lower,upper,size\na,0,3,4\nb,3,9,4\n",
      "id,lower,upper,size\nb,3,9,4\na,0,3,4\n",
      "\xEF\xBB\xBF# comment\r\nsize,upper,start,buffer\r\n+4,9, 3 ,\"b\"\r\n4,3,0,a",
      "id,lower,upper,size,alignment,gaps,hint,offset\na,0,3,4,1,,,\nb,3,9,4,1,,-1,-1\n",
      "id,lower,upper,size,gaps\na,0,3,4,7-9\nb,3,9,4,4-4 5-6@0:4\n",
      "id,lower,upper,size,hint,offset\na,0,3,4,8,64\nb,3,9,4,0,128\n",
  };
  static const char *const json[] = {
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":4,\"live\":[[0,3]]},{\"id\":"
      "\"b\",\"bytes\":4,\"live\":[[3,9]]}]}",
      "{\"version\":1,\"buffers\":[{\"live\":[[5,9],[3,5]],\"bytes\":4,\"id\":\"b\",\"align\":null},{\"id\":\"a\","
      "\"live\":[[0,3],[1,2]],"
      "\"bytes\":4}],\"format\":\"memplan-instance\",\"lifetimes\":\"half-open\"}",
  };
  print wanted = take("t.csv", csv[0], NULL);
  for (size_t i = 0; i < sizeof csv / sizeof csv[0]; i++) {
    assert_string_equal(take("u.csv", csv[i], NULL).text, wanted.text);
  }
  for (size_t i = 0; i < sizeof json / sizeof json[0]; i++) {
    assert_string_equal(take("u.json", json[i], NULL).text, wanted.text);
  }
}

static void expect_all_different(const print *prints, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(strlen(prints[i].text), 71);
    for (size_t j = 0; j < i; j++) {
      if (strcmp(prints[i].text, prints[j].text) == 0) {
        fail_msg("cases %zu and %zu have one fingerprint", j, i);
      }
    }
  }
}

static void test_changes_of_instances(void **state) {
  (void)state;
  static const char *const csv[] = {
      "id,lower,upper,size\na,0,3,4\nb,3,9,4\n",
      "id,lower,upper,size\na,0,3,5\nb,3,9,4\n",
      "id,lower,upper,size\na,0,4,4\nb,3,9,4\n",
      "id,lower,upper,size\na,0,3,4\nc,3,9,4\n",
      "id,lower,upper,size\nb,0,3,4\na,3,9,4\n",
      "id,lower,upper,size\na,0,3,4\n",
      "id,lower,end,size\na,0,3,4\nb,3,9,4\n",
      "id,lower,end,size\na,0,2,4\nb,3,8,4\n",
      "# pool_offset=4\nid,lower,upper,size\na,0,3,4\nb,3,9,4\n",
      "id,lower,upper,size,alignment\na,0,3,4,2\nb,3,9,4,1\n",
      "id,lower,upper,size,gaps\na,0,3,4,1-2\nb,3,9,4,\n",
      "id,lower,upper,size,gaps\na,0,3,4,1-2@0:1\nb,3,9,4,\n",
      "id,lower,upper,size,gaps\na,0,3,4,0-3\nb,3,9,4,\n",
  };
  enum { count = sizeof csv / sizeof csv[0] };
  print prints[count + 3];
  for (size_t i = 0; i < count; i++) {
    prints[i] = take("t.csv", csv[i], NULL);
  }
  memplan_problem_options options = memplan_problem_options_default();
  options.pin_offsets = true;
  prints[count] = take("t.csv", "id,lower,upper,size,offset\na,0,3,4,64\nb,3,9,4,\n", &options);
  options = memplan_problem_options_default();
  options.align = 8;
  prints[count + 1] = take("t.csv", csv[0], &options);
  options = memplan_problem_options_default();
  options.capacity = 8;
  prints[count + 2] = take("t.csv", csv[0], &options);
  expect_all_different(prints, count + 3);
}

static void test_changes_of_rules(void **state) {
  (void)state;
  static const char *const rests[] = {"",
                                      ",\"separate\":[[\"a\",\"b\"]]",
                                      ",\"colocate\":[[\"a\",\"b\"]]",
                                      ",\"colocate\":[[\"a\",\"b\",8]]",
                                      ",\"colocate\":[[\"b\",\"a\",8]]",
                                      ",\"conflicts\":[[\"a\",\"b\"]]",
                                      ",\"pools\":[{\"id\":\"p\"}]",
                                      ",\"pools\":[{\"id\":\"q\"}]",
                                      ",\"pools\":[{\"id\":\"p\",\"capacity\":64}]",
                                      ",\"pools\":[{\"id\":\"p\",\"reserved\":[[0,8]]}]",
                                      ",\"pools\":[{\"id\":\"p\"},{\"id\":\"q\"}]",
                                      ",\"pools\":[{\"id\":\"q\"},{\"id\":\"p\"}]",
                                      ",\"name\":\"n\"",
                                      ",\"source\":\"n\""};
  enum { count = sizeof rests / sizeof rests[0] };
  print prints[count];
  for (size_t i = 0; i < count; i++) {
    char text[512];
    (void)snprintf(
        text, sizeof text,
        "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":4,\"live\":[[0,3]]},"
        "{\"id\":\"b\",\"bytes\":4,\"live\":[[3,9]]}]%s}",
        rests[i]);
    prints[i] = take("t.json", text, NULL);
  }
  expect_all_different(prints, count);
}

#define HEAD "{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"p\"},{\"id\":\"q\"}],\"tensors\":["
#define X "{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"]}"
#define T "{\"id\":\"t\",\"bytes\":8}"
#define Y "{\"id\":\"y\",\"bytes\":8,\"roles\":[\"output\"]}"
#define O1 "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"]}"
#define O2 "{\"id\":\"p\",\"in\":[\"x\",\"t\"],\"out\":[\"y\"]}"
#define MAKE(x, t, y, o1, o2) HEAD x "," t "," y "],\"ops\":[" o1 "," o2 "]}"

static void test_changes_of_graphs(void **state) {
  (void)state;
  static const char *const graphs[] = {
      MAKE(X, T, Y, O1, O2),
      MAKE("{\"id\":\"x\",\"bytes\":9,\"roles\":[\"input\"]}", T, Y, O1, O2),
      MAKE("{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"],\"donatable\":true}", T, Y, O1, O2),
      MAKE("{\"id\":\"x\",\"bytes\":8,\"roles\":[\"weight\"]}", T, Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"align\":2}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"pin\":0}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"dtype\":\"f32\"}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"dtype\":\"f32\",\"shape\":[2]}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"dtype\":\"f32\",\"shape\":[1,2]}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"view\":{\"of\":\"x\"}}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":4,\"view\":{\"of\":\"x\",\"offset\":4}}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"pools\":[\"p\"]}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"pools\":[\"q\",\"p\"]}", Y, O1, O2),
      MAKE(X, "{\"id\":\"t\",\"bytes\":8,\"name\":\"t\"}", Y, O1, O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"type\":\"Relu\"}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"inplace\":[[\"t\",\"x\"]]}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"workspace\":1}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"workspace\":1,\"workspace_align\":2}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"workspace\":1,\"workspace_pools\":[\"p\"]}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"cost\":2}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"stream\":1}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"async_until\":\"p\"}", O2),
      MAKE(X, T, Y, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"group\":\"g\"}", O2),
      MAKE(X, T, Y, O1, "{\"id\":\"p\",\"in\":[\"x\",\"t\"],\"out\":[\"y\"],\"after\":[\"o\"]}"),
      MAKE(X, T, Y, O1, "{\"id\":\"p\",\"in\":[\"t\"],\"out\":[\"y\"]}"),
      MAKE(X, T, Y, O1, "{\"id\":\"p\",\"in\":[\"x\"],\"out\":[\"y\"]}"),
  };
  enum { count = sizeof graphs / sizeof graphs[0] };
  print prints[count + 8];
  size_t used = 0;
  for (; used < count; used++) {
    prints[used] = take("t.json", graphs[used], NULL);
  }
  memplan_problem_options changed[8];
  for (size_t i = 0; i < 8; i++) {
    changed[i] = memplan_problem_options_default();
  }
  changed[0].io = MEMPLAN_IO_EXTERNAL;
  changed[1].io = MEMPLAN_IO_PERSISTENT;
  changed[2].weights = MEMPLAN_WEIGHTS_RESIDENT;
  changed[3].inplace = MEMPLAN_INPLACE_NONE;
  changed[4].bodies = MEMPLAN_BODIES_IGNORE;
  changed[5].no_branch_sharing = true;
  changed[6].inputs_writable = true;
  changed[7].align = 16;
  for (size_t i = 0; i < 8; i++) {
    prints[used++] = take("t.json", graphs[0], &changed[i]);
  }
  expect_all_different(prints, used);
}

// Another given order is another problem only if something has to run in another order.
static void test_given_order(void **state) {
  (void)state;
  static const char free_op[] = "{\"id\":\"p\",\"in\":[\"x\"],\"out\":[\"y\"]}";
  static const char early[] = "{\"id\":\"a\",\"in\":[\"t\"],\"out\":[\"y\"]}"; // sorted before what it reads
  print first, second;
  char text[1024];
  (void)snprintf(text, sizeof text, HEAD X "," T "," Y "],\"ops\":[%s,%s]}", O1, free_op);
  first = take("t.json", text, NULL);
  (void)snprintf(text, sizeof text, HEAD X "," T "," Y "],\"ops\":[%s,%s]}", free_op, O1);
  assert_string_equal(take("t.json", text, NULL).text, first.text);
  (void)snprintf(text, sizeof text, HEAD X "," T "," Y "],\"ops\":[%s,%s]}", O1, early);
  assert_string_not_equal(take("t.json", text, NULL).text, first.text);
  // Both update one variable, so that the first has to stay the first.
  static const char head[] = HEAD "{\"id\":\"v\",\"bytes\":8,\"roles\":[\"variable\"]}],\"ops\":[";
  static const char update[] = "{\"id\":\"%s\",\"in\":[\"v\"],\"out\":[\"v\"]}";
  for (int k = 0; k < 2; k++) {
    size_t length = (size_t)snprintf(text, sizeof text, "%s", head);
    length += (size_t)snprintf(text + length, sizeof text - length, update, k == 0 ? "a" : "b");
    length += (size_t)snprintf(text + length, sizeof text - length, ",");
    length += (size_t)snprintf(text + length, sizeof text - length, update, k == 0 ? "b" : "a");
    (void)snprintf(text + length, sizeof text - length, "]}");
    *(k == 0 ? &first : &second) = take("t.json", text, NULL);
  }
  assert_string_not_equal(first.text, second.text);
}

// What is hashed is the graph itself: read back, it is the same problem.
static void test_canonical_form(void **state) {
  (void)state;
  static const char text[] = HEAD X "," T "," Y "],\"ops\":["
                                    "{\"id\":\"q\",\"in\":[\"x\"],\"out\":[\"y\"]},"
                                    "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"]},"
                                    "{\"id\":\"a\",\"in\":[\"t\",\"y\"]}]}";
  memplan_problem problem;
  support_read_good(&problem, "t.json", text);
  json_t *value = memplan_graph_canonical_json(&problem.graph);
  assert_non_null(value);
  const json_t *ops = json_object_get(value, "ops");
  static const char *const sorted[] = {"o", "q", "a"};
  for (size_t k = 0; k < 3; k++) {
    assert_string_equal(json_string_value(json_object_get(json_array_get(ops, k), "id")), sorted[k]);
  }
  char *canonical = memplan_json_text(value);
  assert_string_equal(take("u.json", canonical, NULL).text, problem.fingerprint);
  free(canonical);
  json_decref(value);
  memplan_problem_free(&problem);
}

// A graph with one operator whose body has one operator.
static void make_graph_with_body(memplan_problem *problem, int64_t bytes, const char *name, bool io_external) {
  support_read_good(problem, "t.json", small_graph);
  memplan_graph *graph = &problem->graph;
  memplan_graph *inner = MEMPLAN_NEW(&graph->arena, memplan_graph, 1);
  memplan_graph_init(inner);
  inner->tensors = MEMPLAN_NEW(&inner->arena, memplan_tensor, 1);
  inner->ops = MEMPLAN_NEW(&inner->arena, memplan_op, 1);
  inner->n_tensors = inner->n_ops = 1;
  inner->tensors[0] = (memplan_tensor){.id = "i", .bytes = bytes, .align = 1, .pin = -1, .view_of = -1, .rank = -1};
  int32_t *out = MEMPLAN_NEW(&inner->arena, int32_t, 1);
  inner->ops[0] =
      (memplan_op){.id = "j", .out = out, .n_out = 1, .workspace_align = 1, .cost = 1, .async_until = -1, .group = -1};
  memplan_error error = {0};
  assert_int_equal(memplan_graph_resolve(inner, &error), MEMPLAN_OK);
  graph->bodies = MEMPLAN_NEW(&graph->arena, memplan_body, 1);
  graph->bodies[0] = (memplan_body){.op = 0, .name = name, .graph = inner, .io_external = io_external};
  graph->n_bodies = 1;
  assert_int_equal(memplan_problem_fingerprint(problem, &error), MEMPLAN_OK);
}

static void test_bodies(void **state) {
  (void)state;
  static const struct {
    int64_t bytes;
    const char *name;
    bool io_external;
  } cases[] = {{8, "then_branch", true}, {9, "then_branch", true}, {8, "else_branch", true}, {8, "then_branch", false}};
  print prints[5];
  prints[4] = take("t.json", small_graph, NULL);
  for (size_t i = 0; i < 4; i++) {
    memplan_problem problem;
    make_graph_with_body(&problem, cases[i].bytes, cases[i].name, cases[i].io_external);
    memcpy(prints[i].text, problem.fingerprint, sizeof prints[i].text);
    support_expect_refusal(&problem, "graph-json", "1 bodies of control flow");
    support_expect_refusal(&problem, "csv", "1 bodies of control flow");
    // Bodies that are ignored do not count.
    memplan_error error = {0};
    problem.options.bodies = MEMPLAN_BODIES_IGNORE;
    assert_int_equal(memplan_problem_fingerprint(&problem, &error), MEMPLAN_OK);
    memplan_problem_options ignore = memplan_problem_options_default();
    ignore.bodies = MEMPLAN_BODIES_IGNORE;
    assert_string_equal(problem.fingerprint, take("t.json", small_graph, &ignore).text);
    free(support_export(&problem, "csv"));
    memplan_problem_free(&problem);
  }
  expect_all_different(prints, 5);
}

// Converting with the peaks of bodies as workspace.
static void test_export_of_bodies(void **state) {
  (void)state;
  memplan_problem problem;
  make_graph_with_body(&problem, 8, "body", false);
  static const int64_t workspace[] = {8, 0};
  memplan_export_options options = {.workspace = workspace};
  memplan_export_report report;
  memplan_export_report_init(&report);
  memplan_error error = {0};
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(memplan_export_text(&problem, NULL, "json", &options, &text, &length, &report, &error), MEMPLAN_OK);
  assert_non_null(strstr(text, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"workspace\":8}"));
  assert_int_equal(report.n_warnings, 1);
  assert_non_null(strstr(report.warnings[0], "1 bodies of control flow are not carried"));
  memplan_export_report_free(&report);
  free(text);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_definition),       cmocka_unit_test(test_options_text),
      cmocka_unit_test(test_spellings),        cmocka_unit_test(test_changes_of_instances),
      cmocka_unit_test(test_changes_of_rules), cmocka_unit_test(test_changes_of_graphs),
      cmocka_unit_test(test_given_order),      cmocka_unit_test(test_canonical_form),
      cmocka_unit_test(test_bodies),           cmocka_unit_test(test_export_of_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
