// SPDX-License-Identifier: Apache-2.0
// Plans as JSON: keys in their order, the same bytes after reading and writing, faults with their paths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/base/json.h"
#include "model/plan_json.h"
#include "tests/support/problem_text.h"

static const char inner_plan[] =
    "{\"format\":\"memplan-plan\",\"version\":1,\"tool\":\"memplan "
    "0.1.0\",\"fingerprint\":\"sha256:22\",\"problem\":{},"
    "\"status\":\"feasible\",\"peak\":4,\"lower_bound\":3,\"bound\":null,\"order\":[\"j\"],\"inplace\":[],"
    "\"offsets\":{\"i\":0},\"pools\":{},\"slots\":null,\"bodies\":{}}";

static const char full_plan[] = "{\n"
                                " \"format\": \"memplan-plan\",\n"
                                " \"version\": 1,\n"
                                " \"tool\": \"memplan 0.1.0\",\n"
                                " \"fingerprint\": \"sha256:11\",\n"
                                " \"problem\": {\"name\":\"n\",\"capacity\":null},\n"
                                " \"status\": \"optimal\",\n"
                                " \"peak\": 12,\n"
                                " \"lower_bound\": 12,\n"
                                " \"bound\": {\"kind\":\"operator\",\"step\":1,\"op\":\"o2\",\"joint\":true},\n"
                                " \"order\": [\"o1\",\"o2\"],\n"
                                " \"inplace\": [[\"r\",\"v1\"]],\n"
                                " \"offsets\": {\n"
                                "  \"a\": 0,\n"
                                "  \"b \\\"q\\\"\": 4,\n"
                                "  \"o1#workspace\": 8\n"
                                " },\n"
                                " \"pools\": {\"a\":\"sram\",\"o1#workspace\":\"dram\"},\n"
                                " \"slots\": {\"count\":2,\"bytes\":[4,8],\"slot\":{\"a\":1,\"b \\\"q\\\"\":0}},\n"
                                " \"bodies\": {\"o1\":{\"else_branch\":%s,\"then_branch\":%s},\"o2\":{\"body\":%s}}\n"
                                "}\n";

static char *full_text(void) {
  size_t size = sizeof full_plan + 3 * sizeof inner_plan;
  char *text = malloc(size);
  (void)snprintf(text, size, full_plan, inner_plan, inner_plan, inner_plan);
  return text;
}

static void test_round_trip(void **state) {
  (void)state;
  char *text = full_text();
  memplan_plan plan;
  memplan_error error = {0};
  memplan_plan_init(&plan);
  if (memplan_plan_read_text(text, strlen(text), "p.json", true, &plan, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(plan.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(plan.bound.kind, MEMPLAN_BOUND_OPERATOR);
  assert_int_equal(plan.bound.bytes, 12);
  assert_true(plan.bound.joint);
  assert_string_equal(plan.order[1], "o2");
  assert_int_equal(plan.n_placed, 3);
  assert_string_equal(plan.placed[1].id, "b \"q\"");
  assert_int_equal(plan.placed[1].offset, 4);
  assert_null(plan.placed[1].pool);
  assert_int_equal(plan.placed[1].slot, 0);
  assert_int_equal(plan.placed[2].slot, -1);
  assert_string_equal(plan.placed[2].pool, "dram");
  assert_int_equal(plan.n_bodies, 3);
  assert_string_equal(plan.bodies[2].op, "o2");
  assert_int_equal(plan.bodies[2].plan->peak, 4);
  char *again = memplan_plan_text(&plan);
  assert_string_equal(again, text);
  free(again);
  free(text);
  memplan_plan_free(&plan);
}

// Keys and offsets may stand in any order; what is written is canonical.
static void test_canonical(void **state) {
  (void)state;
  static const char text[] =
      "{\"offsets\":{\"z\":1,\"B\":2,\"a\":3},\"lower_bound\":0,\"peak\":9,\"status\":\"unknown\",\"problem\":{},"
      "\"fingerprint\":\"\",\"version\":1,\"format\":\"memplan-plan\",\"bound\":{\"kind\":\"load\"}}";
  memplan_plan plan;
  memplan_error error = {0};
  memplan_plan_init(&plan);
  assert_int_equal(memplan_plan_read_text(text, strlen(text), "p.json", true, &plan, &error), MEMPLAN_OK);
  assert_string_equal(plan.placed[0].id, "B");
  assert_string_equal(plan.placed[1].id, "a");
  assert_string_equal(plan.placed[2].id, "z");
  assert_int_equal(plan.bound.step, -1);
  json_t *value = memplan_plan_to_json(&plan);
  char *compact = memplan_json_text(value);
  assert_string_equal(compact, "{\"format\":\"memplan-plan\",\"version\":1,\"tool\":\"\",\"fingerprint\":\"\","
                               "\"problem\":{},\"status\":\"unknown\","
                               "\"peak\":9,\"lower_bound\":0,\"bound\":{\"kind\":\"load\"},\"order\":[],\"inplace\":[],"
                               "\"offsets\":{\"B\":2,\"a\":3,\"z\":1},\"pools\":{},\"slots\":null,\"bodies\":{}}");
  free(compact);
  json_decref(value);
  memplan_plan_free(&plan);
}

static void test_files(void **state) {
  (void)state;
  char path[] = "/tmp/memplan-test-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  (void)close(descriptor);
  char *text = full_text();
  memplan_plan plan;
  memplan_plan again;
  memplan_error error = {0};
  memplan_plan_init(&plan);
  memplan_plan_init(&again);
  assert_int_equal(memplan_plan_read_text(text, strlen(text), "p.json", true, &plan, &error), MEMPLAN_OK);
  assert_int_equal(memplan_plan_write(&plan, path, &error), MEMPLAN_OK);
  assert_int_equal(memplan_plan_read(path, true, &again, &error), MEMPLAN_OK);
  char *written = memplan_plan_text(&again);
  assert_string_equal(written, text);
  assert_int_equal(memplan_plan_write(&plan, "/dev/full", &error), MEMPLAN_IO);
  free(written);
  free(text);
  memplan_plan_free(&plan);
  memplan_plan_free(&again);
  assert_int_equal(remove(path), 0);
}

static void test_empty_plan(void **state) {
  (void)state;
  memplan_plan plan;
  memplan_plan_init(&plan);
  plan.tool = "memplan 0.1.0";
  char *text = memplan_plan_text(&plan);
  assert_non_null(strstr(text, "\n \"offsets\": {},\n"));
  memplan_plan again;
  memplan_error error = {0};
  memplan_plan_init(&again);
  assert_int_equal(memplan_plan_read_text(text, strlen(text), "p.json", true, &again, &error), MEMPLAN_OK);
  free(text);
  memplan_plan_free(&again);
  memplan_plan_free(&plan);
}

#define PLAN(rest)                                                                                                     \
  "{\"format\":\"memplan-plan\",\"version\":1,\"fingerprint\":\"\",\"problem\":{},\"status\":\"optimal\",\"peak\":1,"  \
  "\"lower_bound\":1" rest "}"

static void test_faults(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *part;
  } faults[] = {
      {"[]", "(top level) must be an object"},
      {"{\"format\":\"memplan-graph\"}", "format must be \"memplan-plan\""},
      {"{\"format\":\"memplan-plan\"}", "version is missing"},
      {PLAN(""), "offsets is missing"},
      {PLAN(",\"offsets\":[]"), "offsets must be an object"},
      {PLAN(",\"offsets\":{\"a\":null}"), "offsets.a is missing"},
      {PLAN(",\"offsets\":{\"a b\":0.5}"), "offsets[\"a b\"] must be an integer"},
      {PLAN(",\"offsets\":{},\"order\":[1]"), "order[0] must be a string"},
      {PLAN(",\"offsets\":{},\"inplace\":[[\"a\"]]"), "inplace[0] must be [output, input]"},
      {PLAN(",\"offsets\":{},\"inplace\":[[\"a\",1]]"), "inplace[0][1] must be a string"},
      {PLAN(",\"offsets\":{},\"bound\":{\"kind\":\"guess\"}"), "bound.kind is no kind of bound"},
      {PLAN(",\"offsets\":{},\"bound\":{\"kind\":\"none\"}"), "bound.kind is no kind of bound"},
      {PLAN(",\"offsets\":{\"a\":0},\"pools\":{\"a\":1}"), "pools.a must be a string"},
      {PLAN(",\"offsets\":{\"a\":0},\"slots\":{\"count\":2,\"bytes\":[1],\"slot\":{}}"),
       "slots.bytes must hold one size"},
      {PLAN(",\"offsets\":{\"a\":0},\"slots\":{\"count\":1,\"bytes\":[1],\"slot\":{\"a\":-1}}"),
       "slots.slot.a is -1, outside 0 … 2147483647"},
      {PLAN(",\"offsets\":{},\"bodies\":{\"o\":1}"), "bodies.o must be an object of plans"},
      {PLAN(",\"offsets\":{},\"bodies\":{\"o\":{\"then\":{}}}"), "bodies.o.then.format must be"},
      {PLAN(",\"offsets\":{},\"extra\":1"), "unknown key extra"},
      {"{\"format\":\"memplan-plan\",\"version\":1,\"fingerprint\":\"\",\"problem\":{},\"status\":\"good\"}",
       "status must be \"optimal\""},
      {"{", "not valid JSON"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    memplan_plan plan;
    memplan_error error = {0};
    memplan_plan_init(&plan);
    memplan_status status =
        memplan_plan_read_text(faults[i].text, strlen(faults[i].text), "p.json", true, &plan, &error);
    memplan_plan_free(&plan);
    if (status != MEMPLAN_INPUT || strstr(error.message, faults[i].part) == NULL ||
        strncmp(error.message, "p.json: ", 8) != 0) {
      fail_msg("wanted '%s', got: %s", faults[i].part, error.message);
    }
  }
  memplan_plan plan;
  memplan_error error = {0};
  memplan_plan_init(&plan);
  assert_int_equal(memplan_plan_read_text(PLAN(",\"offsets\":{},\"extra\":1"),
                                          strlen(PLAN(",\"offsets\":{},\"extra\":1")), "p.json", false, &plan, &error),
                   MEMPLAN_OK);
  memplan_plan_free(&plan);
  memplan_plan_init(&plan);
  assert_int_equal(memplan_plan_read("/nonexistent/p.json", false, &plan, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "/nonexistent/p.json: cannot open the file: No such file"));
  memplan_plan_free(&plan);
}

static void test_nesting(void **state) {
  (void)state;
  static const char head[] = PLAN(",\"offsets\":{},\"bodies\":{\"o\":{\"b\":");
  for (int depth = 60; depth < 70; depth++) {
    size_t size = (size_t)(depth + 1) * (sizeof head + 8);
    char *text = malloc(size);
    size_t used = 0;
    for (int i = 0; i < depth; i++) {
      used += (size_t)snprintf(text + used, size - used, "%.*s", (int)(sizeof head - 2), head);
    }
    used += (size_t)snprintf(text + used, size - used, "%s", PLAN(",\"offsets\":{}"));
    for (int i = 0; i < depth; i++) {
      used += (size_t)snprintf(text + used, size - used, "}}}");
    }
    memplan_plan plan;
    memplan_error error = {0};
    memplan_plan_init(&plan);
    memplan_status status = memplan_plan_read_text(text, used, "p.json", true, &plan, &error);
    assert_int_equal(status, depth <= MEMPLAN_MAX_NESTING ? MEMPLAN_OK : MEMPLAN_INPUT);
    memplan_plan_free(&plan);
    free(text);
  }
}

static void test_truncations(void **state) {
  (void)state;
  char *text = full_text();
  size_t size = strlen(text);
  for (size_t length = 0; length + 2 < size; length++) {
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    memplan_plan plan;
    memplan_error error = {0};
    memplan_plan_init(&plan);
    assert_int_equal(memplan_plan_read_text(copy, length, "p.json", true, &plan, &error), MEMPLAN_INPUT);
    memplan_plan_free(&plan);
    free(copy);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_canonical), cmocka_unit_test(test_empty_plan),
      cmocka_unit_test(test_files),       cmocka_unit_test(test_faults),    cmocka_unit_test(test_nesting),
      cmocka_unit_test(test_truncations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
