// SPDX-License-Identifier: Apache-2.0
// memplan's JSON forms of graphs and instances: every field read and written, every fault named with its path, and the
// schemas kept in step with the readers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/formats.h"
#include "instances/json_reader.h"
#include "instances/read_graph_json.h"
#include "instances/read_instance_json.h"
#include "model/base/file.h"
#include "model/base/json.h"
#include "model/form_json.h"
#include "model/plan_json.h"
#include "tests/support/problem_text.h"

#define GRAPH(tensors, ops) "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[" tensors "],\"ops\":[" ops "]}"
#define INSTANCE(buffers, rest) "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[" buffers "]" rest "}"

// Every field with a value that is not its default, in canonical form.
static const char full_graph[] =
    "{\"format\":\"memplan-graph\",\"version\":1,\"name\":\"n\",\"source\":\"s\","
    "\"pools\":[{\"id\":\"p\",\"capacity\":4096,\"base\":64,\"reserved\":[[0,16],[128,256]]},{\"id\":\"q\"}],"
    "\"tensors\":["
    "{\"id\":\"a\",\"name\":\"first\",\"bytes\":64,\"align\":16,\"dtype\":\"f32\",\"shape\":[4,4],\"pools\":[\"q\","
    "\"p\"]},"
    "{\"id\":\"b\",\"bytes\":32,\"view\":{\"of\":\"a\",\"offset\":32}},"
    "{\"id\":\"c\",\"bytes\":0,\"pin\":512,\"dtype\":\"bool\",\"shape\":[0]},"
    "{\"id\":\"v\",\"bytes\":8,\"roles\":[\"variable\"]},"
    "{\"id\":\"w\",\"bytes\":8,\"roles\":[\"weight\"]},"
    "{\"id\":\"x\",\"bytes\":64,\"roles\":[\"input\"],\"donatable\":true},"
    "{\"id\":\"y\",\"bytes\":64,\"roles\":[\"output\"]},"
    "{\"id\":\"z\",\"bytes\":4,\"dtype\":\"i4\",\"shape\":[7]}],"
    "\"ops\":["
    "{\"id\":\"o1\",\"type\":\"Relu\",\"in\":[\"x\",\"w\"],\"out\":[\"a\"],\"inplace\":[[\"a\",\"x\"]],\"workspace\":"
    "100,"
    "\"workspace_align\":8,\"cost\":7,\"workspace_pools\":[\"q\"],\"stream\":2},"
    "{\"id\":\"o2\",\"in\":[\"a\",\"v\"],\"out\":[\"b\",\"v\"],\"writes\":[\"b\"],\"group\":\"g\"},"
    "{\"id\":\"o3\",\"in\":[\"b\"],\"out\":[\"c\",\"z\"],\"cost\":0,\"async_until\":\"o4\",\"group\":\"g\"},"
    "{\"id\":\"o4\",\"in\":[\"a\"],\"out\":[\"y\"],\"after\":[\"o1\",\"o2\"]}]}\n";

static const char full_instance[] =
    "{\"format\":\"memplan-instance\",\"version\":1,\"name\":\"n\",\"source\":\"s\",\"buffers\":["
    "{\"id\":\"a\",\"bytes\":4096,\"align\":64,\"live\":[[0,3],[7,9]],\"gaps\":[{\"at\":[1,2],\"bytes\":[0,64]}],"
    "\"pin\":256,"
    "\"pools\":[\"sram\",\"dram\"]},"
    "{\"id\":\"b\",\"bytes\":16,\"live\":[[-4,2]],\"pools\":[\"dram\"]},"
    "{\"id\":\"c\",\"bytes\":16,\"live\":[[20,22]]},"
    "{\"id\":\"d\",\"bytes\":16,\"live\":[[22,24]]},"
    "{\"id\":\"e\",\"bytes\":16}],"
    "\"pools\":[{\"id\":\"sram\",\"capacity\":65536,\"base\":64,\"reserved\":[[0,256]]},{\"id\":\"dram\"}],"
    "\"separate\":[[\"a\",\"b\"]],\"colocate\":[[\"c\",\"d\",64]],\"conflicts\":[[\"a\",\"c\"],[\"c\",\"e\"]]}\n";

static void expect_same_text(const char *text, const char *canonical, const char *format) {
  memplan_problem problem;
  support_read_good(&problem, "t.json", text);
  assert_int_equal(support_count_warnings(&problem), 0);
  char *written = support_export(&problem, format);
  assert_string_equal(written, canonical);
  free(written);
  memplan_problem_free(&problem);
}

static void test_every_field(void **state) {
  (void)state;
  expect_same_text(full_graph, full_graph, "graph-json");
  expect_same_text(full_instance, full_instance, "instance-json");
  expect_same_text(full_instance, full_instance, "json");
}

static void test_graph_values(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.json", full_graph);
  const memplan_graph *graph = &problem.graph;
  assert_true(problem.has_graph && !problem.has_instance);
  assert_string_equal(problem.format, "graph-json");
  assert_int_equal(problem.options.lifetimes, MEMPLAN_LIFETIMES_HALF_OPEN);
  assert_int_equal(graph->tensors[0].dtype, MEMPLAN_DTYPE_F32);
  assert_int_equal(graph->tensors[0].n_pools, 2);
  assert_int_equal(graph->tensors[0].pools[0], 1);
  assert_int_equal(graph->tensors[1].view_of, 0);
  assert_int_equal(graph->tensors[1].view_offset, 32);
  assert_int_equal(graph->tensors[2].pin, 512);
  assert_int_equal(graph->tensors[3].roles, MEMPLAN_ROLE_VARIABLE);
  assert_true(graph->tensors[5].donatable);
  assert_int_equal(graph->ops[0].workspace, 100);
  assert_int_equal(graph->ops[0].workspace_align, 8);
  assert_int_equal(graph->ops[0].stream, 2);
  assert_int_equal(graph->ops[1].writes[0], 1);
  assert_int_equal(graph->ops[2].cost, 0);
  assert_int_equal(graph->ops[2].async_until, 3);
  assert_int_equal(graph->ops[2].group, graph->ops[1].group);
  assert_int_equal(graph->ops[3].n_after, 2);
  assert_int_equal(graph->pools[0].reserved[1].end, 256);
  memplan_problem_free(&problem);
}

// null is absent; defaults may be written out; ids may come in any order and with any white space.
static void test_defaults(void **state) {
  (void)state;
  static const char wordy[] =
      "\xEF\xBB\xBF {\"ops\": [{\"id\": \"o\", \"type\": null, \"in\": [\"x\", \"x\"], \"out\": [\"t\"], \"writes\": "
      "null, \"inplace\": [], "
      "\"workspace\": 0, \"workspace_align\": 1, \"cost\": 1, \"after\": [], \"async_until\": null, \"group\": null, "
      "\"workspace_pools\": null, \"stream\": 0}],\n \"pools\": [], \"name\": \"\", \"source\": null,"
      "\"tensors\": [{\"id\": \"x\", \"bytes\": 8, \"roles\": [\"input\", \"input\"], \"align\": 1, \"name\": null, "
      "\"view\": null,"
      "\"donatable\": false, \"pin\": null, \"dtype\": \"float32\", \"shape\": [2], \"pools\": []}, "
      "{\"bytes\": 4, \"id\": \"t\", \"roles\": [], \"dtype\": null, \"shape\": null}], \"version\": 1, \"format\": "
      "\"memplan-graph\"}";
  static const char canonical[] = GRAPH(
      "{\"id\":\"t\",\"bytes\":4},{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"],\"dtype\":\"f32\",\"shape\":[2]}",
      "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"]}") "\n";
  expect_same_text(wordy, canonical, "graph-json");
  expect_same_text(GRAPH("", ""), GRAPH("", "") "\n", "graph-json");
  expect_same_text(INSTANCE("", ""), INSTANCE("", "") "\n", "instance-json");
  // Equal occupations are equal texts.
  expect_same_text(INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[7,9],[0,2],[2,5]],\"gaps\":[{\"at\":[3,6]},{\"at\":["
                            "0,1],\"bytes\":[0,4]}]}",
                            ",\"lifetimes\":\"half-open\",\"separate\":[],\"colocate\":null"),
                   INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,3],[7,9]]}", "") "\n", "instance-json");
  expect_same_text(INSTANCE("{\"id\":\"b\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]}",
                            ",\"separate\":[[\"b\",\"a\"],[\"a\",\"b\"]]"),
                   INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[0,1]]}",
                            ",\"separate\":[[\"a\",\"b\"]]") "\n",
                   "instance-json");
}

static void test_inclusive_instance(void **state) {
  (void)state;
  static const char text[] = "{\"format\":\"memplan-instance\",\"version\":1,\"lifetimes\":\"inclusive\",\"buffers\":["
                             "{\"id\":\"a\",\"bytes\":4,\"live\":[[0,3]],\"gaps\":[{\"at\":[1,1],\"bytes\":[0,2]}]},"
                             "{\"id\":\"b\",\"bytes\":4,\"live\":[[3,9]]}]}\n";
  expect_same_text(text, text, "instance-json");
  memplan_problem problem;
  support_read_good(&problem, "t.json", text);
  assert_int_equal(problem.instance.buffers[0].live[0].end, 4);
  assert_int_equal(problem.instance.buffers[0].gaps[0].end, 2);
  assert_int_equal(problem.options.lifetimes, MEMPLAN_LIFETIMES_INCLUSIVE);
  assert_int_equal(support_load(&problem), 8);
  memplan_problem_free(&problem);
  memplan_problem_options options = memplan_problem_options_default();
  options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  memplan_error error = {0};
  static const char simple[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"lifetimes\":\"inclusive\",\"buffers\":["
      "{\"id\":\"a\",\"bytes\":4,\"live\":[[0,3]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[3,9]]}]}";
  assert_int_equal(support_read(&problem, "t.json", simple, &options, &error), MEMPLAN_OK);
  assert_int_equal(support_load(&problem), 4);
  assert_true(support_has_warning(&problem, "although the file says inclusive"));
  memplan_problem_free(&problem);
}

typedef struct fault {
  const char *text;
  const char *part;
} fault;

static void expect_faults(const fault *faults, size_t count) {
  for (size_t i = 0; i < count; i++) {
    support_expect_error("t.json", faults[i].text, NULL, MEMPLAN_INPUT, faults[i].part);
  }
}

#define T "{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"]},{\"id\":\"t\",\"bytes\":4}"
#define O(fields) GRAPH(T, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"]" fields "}")

static void test_graph_faults(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"format\":\"memplan-graph\",\"tensors\":[],\"ops\":[]}", "version is missing"},
      {"{\"format\":\"memplan-graph\",\"version\":\"1\",\"tensors\":[],\"ops\":[]}",
       "version must be an integer, not a string"},
      {"{\"format\":\"memplan-graph\",\"version\":1,\"ops\":[]}", "tensors is missing"},
      {"{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[]}", "ops is missing"},
      {GRAPH("1", ""), "tensors[0] must be an object"},
      {GRAPH("{\"bytes\":1}", ""), "tensors[0].id is missing"},
      {GRAPH("{\"id\":7,\"bytes\":1}", ""), "tensors[0].id must be a string, not an integer"},
      {GRAPH("{\"id\":\"\",\"bytes\":1}", ""), "tensors[0].id must not be empty"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1},{\"id\":\"b\",\"bytes\":1},{\"id\":\"a\",\"bytes\":1}", ""),
       "tensors[2].id 'a' is also that of tensors[0]"},
      {GRAPH("{\"id\":\"a\"}", ""), "tensors[0].bytes is missing"},
      {GRAPH("{\"id\":\"a\",\"bytes\":-1}", ""), "tensors[0].bytes is -1, outside 0 …"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1.0}", ""),
       "tensors[0].bytes must be an integer, not a number with a fraction or exponent"},
      {GRAPH("{\"id\":\"a\",\"bytes\":\"1\"}", ""), "tensors[0].bytes must be an integer, not a string"},
      {GRAPH("{\"id\":\"a\",\"bytes\":99999999999999999999}", ""), "not valid JSON"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"align\":0}", ""), "tensors[0].align is 0"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"roles\":[\"input\",\"wieght\"]}", ""),
       "tensors[0].roles[1] must be \"input\""},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"roles\":\"input\"}", ""), "tensors[0].roles must be an array, not a string"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"view\":{\"of\":\"b\"}}", ""), "tensors[0].view.of: there is no tensor 'b'"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"view\":{}}", ""), "tensors[0].view.of must be a string"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"view\":\"b\"}", ""), "tensors[0].view must be an object"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"donatable\":1}", ""), "tensors[0].donatable must be true or false"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"pin\":-1}", ""), "tensors[0].pin is -1"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"dtype\":3}", ""), "tensors[0].dtype must be a string"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"shape\":[2,-1]}", ""), "tensors[0].shape[1] must be an integer >= 0"},
      {GRAPH("{\"id\":\"a\",\"bytes\":9,\"dtype\":\"f32\",\"shape\":[2]}", ""),
       "tensors[0].bytes is 9, but dtype f32 and shape make 8"},
      {GRAPH("{\"id\":\"a\",\"bytes\":0,\"dtype\":\"f32\",\"shape\":[4611686018427387904]}", ""),
       "more elements than 64 bits can count"},
      {GRAPH("{\"id\":\"a\",\"bytes\":1,\"pools\":[\"p\"]}", ""), "tensors[0].pools[0]: there is no pool 'p'"},
      {GRAPH(T, "{\"id\":\"o\",\"in\":[\"x\",\"u\"]}"), "ops[0].in[1]: there is no tensor 'u'"},
      {GRAPH(T, "{\"id\":\"o\",\"in\":\"x\"}"), "ops[0].in must be an array"},
      {GRAPH(T, "{\"id\":\"o\"},{\"id\":\"o\"}"), "ops[1].id 'o' is also that of ops[0]"},
      {O(",\"inplace\":[[\"t\"]]"), "ops[0].inplace[0] must be [output, input]"},
      {O(",\"inplace\":[[\"t\",\"q\"]]"), "ops[0].inplace[0][1]: there is no tensor 'q'"},
      {O(",\"workspace\":-4"), "ops[0].workspace is -4"},
      {O(",\"workspace_align\":0"), "ops[0].workspace_align is 0"},
      {O(",\"cost\":-1"), "ops[0].cost is -1"},
      {O(",\"after\":[\"p\"]"), "ops[0].after[0]: there is no operator 'p'"},
      {O(",\"async_until\":\"p\""), "ops[0].async_until: there is no operator 'p'"},
      {O(",\"group\":[]"), "ops[0].group must be a non-empty string or an integer"},
      {O(",\"stream\":4294967296"), "ops[0].stream is 4294967296"},
      {O(",\"writes\":[\"x\"]"), "'writes' names 'x'"},
      {O(",\"in\":[]"), "not valid JSON: duplicate object key"},
      {"{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{}],\"tensors\":[],\"ops\":[]}",
       "pools[0].id is missing"},
      {"{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"p\",\"reserved\":[[4,2]]}],\"tensors\":[],"
       "\"ops\":[]}",
       "pools[0].reserved[0] must be a range"},
      {"{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[],\"ops\":[]} x", "line 1, column"},
      {"{\"format\":\n\"memplan-graph\",,", "line 2, column"},
      {"{\"format\":\"memplan-plan\",\"version\":1}", "this is a plan"},
  };
  expect_faults(faults, sizeof faults / sizeof faults[0]);
  support_expect_error("t.json", "{\"format\":\"memplan-graph\",\"version\":2,\"tensors\":[],\"ops\":[]}", NULL,
                       MEMPLAN_UNSUPPORTED, "version is 2");
  support_expect_error("t.json", "{\"format\":\"memplan-grahp\",\"version\":1}", NULL, MEMPLAN_INPUT,
                       "format is 'memplan-grahp'");
  support_expect_error("t.json", "{\"a\":1}", NULL, MEMPLAN_UNSUPPORTED, "\"format\" is neither");
}

#define B "{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[0,1]]}"

static void test_instance_faults(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"format\":\"memplan-instance\",\"version\":1}", "buffers is missing"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4}", ""), "buffers[0].live is missing"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[]}", ""), "buffers[0].live is missing"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[3]]}", ""),
       "buffers[0].live[0] must be an array of two integers"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[3,2.5]]}", ""),
       "buffers[0].live[0] must be an array of two integers"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1],[3,2]]}", ""), "buffers[0].live[1] ends before it starts"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,9]],\"gaps\":[{}]}", ""),
       "buffers[0].gaps[0].at must be an array of two integers"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,9]],\"gaps\":[[1,2]]}", ""),
       "buffers[0].gaps[0] must be an object"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,9]],\"gaps\":[{\"at\":[1,2],\"bytes\":[0,5]}]}", ""),
       "buffers[0].gaps[0].bytes must be"},
      {INSTANCE(B, ",\"separate\":[[\"a\",\"c\"]]"), "separate[0][1]: there is no buffer 'c'"},
      {INSTANCE(B, ",\"separate\":[[\"a\",\"b\",1]]"), "separate[0] must be [first, second]"},
      {INSTANCE(B, ",\"separate\":[[\"a\",\"a\"]]"), "separate[0] names one buffer twice"},
      {INSTANCE(B, ",\"colocate\":[[\"a\",\"b\",\"4\"]]"), "colocate[0][2] must be an integer"},
      {INSTANCE(B, ",\"colocate\":[[\"a\"]]"), "colocate[0] must be [first, second] or [first, second, bytes]"},
      {INSTANCE(B, ",\"conflicts\":[\"a\"]"), "conflicts[0] must be [first, second]"},
      {INSTANCE(B, ",\"lifetimes\":\"closed\""), "lifetimes must be \"half-open\" or \"inclusive\""},
      {INSTANCE(B, ",\"pools\":[{\"id\":\"p\"},{\"id\":\"p\"}]"), "pools[1].id 'p' is also that of pools[0]"},
      {INSTANCE(B, ",\"pools\":[{\"id\":\"p\",\"capacity\":-5}]"), "pools[0].capacity is -5"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,9223372036854775807]]}", ",\"lifetimes\":\"inclusive\""),
       "does not fit into 64 bits"},
      // contradictory rules name their buffers
      {INSTANCE(B, ",\"colocate\":[[\"a\",\"b\"]]"), "'a'"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[1,2]]}",
                ",\"colocate\":[[\"a\",\"b\"]],\"separate\":[[\"a\",\"b\"]]"),
       "'b'"},
      {INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[1,2]]}",
                ",\"colocate\":[[\"a\",\"b\"],[\"b\",\"a\",4]]"),
       "colocate"},
  };
  expect_faults(faults, sizeof faults / sizeof faults[0]);
  memplan_problem problem;
  support_read_good(
      &problem, "t.json",
      INSTANCE("{\"id\":\"a\",\"bytes\":4},{\"id\":\"b\",\"bytes\":5}", ",\"conflicts\":[[\"b\",\"a\"]]"));
  assert_int_equal(problem.instance.buffers[0].n_live, 0);
  assert_int_equal(problem.instance.n_conflicts, 1);
  support_expect_refusal(&problem, "csv", "rules `conflicts` (1)");
  memplan_problem_free(&problem);
}

// The innermost fault is reported for nested documents too deep to be a graph, and nothing overflows.
static void test_deep_nesting(void **state) {
  (void)state;
  enum { depth = 100000 };
  char *text = malloc(depth + 64);
  size_t used = (size_t)sprintf(text, "{\"format\":");
  memset(text + used, '[', depth);
  text[used + depth] = '\0';
  support_expect_error("t.json", text, NULL, MEMPLAN_INPUT, "not valid JSON");
  free(text);
}

static void test_unknown_keys(void **state) {
  (void)state;
  static const char text[] = "{\"format\":\"memplan-graph\",\"version\":1,\"extra\":1,\"tensors\":[{\"id\":\"x\","
                             "\"bytes\":8,\"roles\":[\"input\"],\"note\":1},"
                             "{\"id\":\"t\",\"bytes\":4,\"note\":2,\"dtype\":\"f33\"}],\"ops\":[{\"id\":\"o\",\"in\":["
                             "\"x\"],\"out\":[\"t\"],\"strange key\":{}}]}";
  memplan_problem problem;
  support_read_good(&problem, "t.json", text);
  assert_int_equal(support_count_warnings(&problem), 4);
  assert_true(support_has_warning(&problem, "unknown key extra is ignored"));
  assert_true(support_has_warning(&problem, "unknown key tensors[0].note is ignored"));
  assert_true(support_has_warning(&problem, "unknown key ops[0][\"strange key\"] is ignored"));
  assert_true(support_has_warning(&problem, "tensors[1].dtype: unknown type 'f33'"));
  memplan_problem_free(&problem);
  memplan_problem_options strict = memplan_problem_options_default();
  strict.strict = true;
  support_expect_error("t.json", text, &strict, MEMPLAN_INPUT, "unknown key extra");
  support_expect_error("t.json", INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]],\"lif\":1}", ""), &strict,
                       MEMPLAN_INPUT, "unknown key buffers[0].lif");
  support_expect_error(
      "t.json", INSTANCE("{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]],\"gaps\":[{\"at\":[0,1],\"byte\":[0,1]}]}", ""),
      &strict, MEMPLAN_INPUT, "unknown key buffers[0].gaps[0].byte");
  support_expect_error(
      "t.json",
      "{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"p\",\"size\":1}],\"tensors\":[],\"ops\":[]}",
      &strict, MEMPLAN_INPUT, "unknown key pools[0].size");
  support_expect_error("t.json",
                       GRAPH("{\"id\":\"a\",\"bytes\":1,\"roles\":[\"input\"]},{\"id\":\"b\",\"bytes\":1,\"view\":{"
                             "\"of\":\"a\",\"at\":0}}",
                             ""),
                       &strict, MEMPLAN_INPUT, "unknown key tensors[1].view.at");
}

static void test_groups_and_pins(void **state) {
  (void)state;
  expect_same_text(GRAPH(T, "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"group\":7}"),
                   GRAPH("{\"id\":\"t\",\"bytes\":4},{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"]}",
                         "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"group\":\"7\"}") "\n",
                   "graph-json");
  static const memplan_pin_pool pins[] = {{"b", "p"}, {"o1#workspace", "p"}};
  memplan_problem_options options = memplan_problem_options_default();
  options.pin_pools = pins;
  options.n_pin_pools = 2;
  memplan_problem problem;
  memplan_error error = {0};
  assert_int_equal(support_read(&problem, "t.json", full_graph, &options, &error), MEMPLAN_OK);
  assert_int_equal(problem.graph.tensors[0].n_pools, 1); // b is a view of a
  assert_int_equal(problem.graph.tensors[0].pools[0], 0);
  assert_int_equal(problem.graph.ops[0].workspace_pools[0], 0);
  memplan_problem_free(&problem);
  options.n_pin_pools = 1;
  assert_int_equal(support_read(&problem, "t.json", full_instance, &options, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "'b' cannot be put into pool 'p': there is no such pool"));
  memplan_problem_free(&problem);
  support_expect_error("t.json", GRAPH(T, ""), &options, MEMPLAN_INPUT, "the file defines no pools");
  support_expect_error("t.csv", "id,lower,upper,size\na,0,1,1\n", &options, MEMPLAN_INPUT, "the file defines no pools");
}

static void test_graph_to_lifetimes(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.json",
                    GRAPH("{\"id\":\"x\",\"bytes\":8,\"roles\":[\"input\"]},{\"id\":\"t\",\"bytes\":4},{\"id\":\"y\","
                          "\"bytes\":2,\"roles\":[\"output\"]}",
                          "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"],\"workspace\":3},{\"id\":\"p\",\"in\":[\"t\"],"
                          "\"out\":[\"y\"]}"));
  char *text = support_export(&problem, "csv");
  assert_string_equal(text, "id,lower,upper,size\nx,0,1,8\nt,0,2,4\ny,1,2,2\no#workspace,0,1,3\n");
  free(text);
  text = support_export(&problem, "instance-json");
  assert_string_equal(
      text,
      INSTANCE("{\"id\":\"o#workspace\",\"bytes\":3,\"live\":[[0,1]]},{\"id\":\"t\",\"bytes\":4,\"live\":[[0,2]]},"
               "{\"id\":\"x\",\"bytes\":8,\"live\":[[0,1]]},{\"id\":\"y\",\"bytes\":2,\"live\":[[1,2]]}",
               "") "\n");
  free(text);
  memplan_problem_free(&problem);
}

static void expect_truncations(const char *text, const char *path) {
  size_t size = strlen(text);
  memplan_problem_options options = memplan_problem_options_default();
  for (size_t length = 0; length < size - 1; length++) {
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    memplan_status status = memplan_read_text(copy, length, path, NULL, &options, &problem, &error);
    assert_true(status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED);
    assert_string_not_equal(error.message, "");
    memplan_problem_free(&problem);
    free(copy);
  }
}

static void test_truncations(void **state) {
  (void)state;
  char text[sizeof full_graph];
  memcpy(text, full_graph, sizeof full_graph);
  text[strlen(text) - 1] = '\0'; // the closing line break is not needed
  expect_truncations(text, "t.json");
  expect_truncations(full_instance, "t.json");
}

// ---- random instances, written as CSV and JSON and read back

static uint64_t next_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

static size_t add_random_buffer(char *text, size_t size, uint64_t *seed, int index) {
  int64_t start = (int64_t)(next_random(seed) % 20);
  int64_t bytes = (int64_t)(next_random(seed) % 9);
  size_t used = (size_t)snprintf(text, size, "%s{\"id\":\"b %d,\",\"bytes\":%lld,\"align\":%lld,\"live\":[",
                                 index > 0 ? "," : "", index, (long long)bytes, (long long)(1 + next_random(seed) % 3));
  int intervals = 1 + (int)(next_random(seed) % 3);
  for (int i = 0; i < intervals; i++) {
    int64_t end = start + (int64_t)(next_random(seed) % 6);
    used +=
        (size_t)snprintf(text + used, size - used, "%s[%lld,%lld]", i > 0 ? "," : "", (long long)start, (long long)end);
    start = end + (int64_t)(next_random(seed) % 4);
  }
  used += (size_t)snprintf(text + used, size - used, "]");
  if (next_random(seed) % 2 == 0) {
    int64_t at = (int64_t)(next_random(seed) % 20);
    int64_t at_end = at + (int64_t)(next_random(seed) % 8);
    int64_t low = bytes > 0 ? (int64_t)(next_random(seed) % (uint64_t)bytes) : 0;
    int64_t high = low + (int64_t)(next_random(seed) % (uint64_t)(bytes - low + 1));
    used +=
        (size_t)snprintf(text + used, size - used, ",\"gaps\":[{\"at\":[%lld,%lld]", (long long)at, (long long)at_end);
    if (next_random(seed) % 2 == 0) {
      used += (size_t)snprintf(text + used, size - used, ",\"bytes\":[%lld,%lld]", (long long)low, (long long)high);
    }
    used += (size_t)snprintf(text + used, size - used, "}]");
  }
  return used + (size_t)snprintf(text + used, size - used, "}");
}

static void expect_equal_problem(const char *text, const char *path, const memplan_problem *wanted, uint64_t seed) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_status status = support_read(&problem, path, text, NULL, &error);
  if (status != MEMPLAN_OK || strcmp(problem.fingerprint, wanted->fingerprint) != 0) {
    fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, error.message, text);
  }
  memplan_problem_free(&problem);
}

static void test_round_trips(void **state) {
  (void)state;
  for (uint64_t first = 0; first < 2000; first++) {
    uint64_t seed = first;
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[");
    int count = (int)(next_random(&seed) % 6);
    for (int i = 0; i < count; i++) {
      used += add_random_buffer(text + used, sizeof text - used, &seed, i);
    }
    (void)snprintf(text + used, sizeof text - used, "]}");
    memplan_problem problem;
    memplan_error error = {0};
    if (support_read(&problem, "t.json", text, NULL, &error) != MEMPLAN_OK) {
      fail_msg("seed %llu: %s", (unsigned long long)first, error.message);
    }
    char *csv = support_export(&problem, "csv");
    expect_equal_problem(csv, "t.csv", &problem, first);
    char *json = support_export(&problem, "instance-json");
    expect_equal_problem(json, "t.json", &problem, first);
    // and with inclusive lifetimes
    memplan_problem closed;
    memplan_problem_options options = memplan_problem_options_default();
    options.lifetimes = MEMPLAN_LIFETIMES_INCLUSIVE;
    assert_int_equal(support_read(&closed, "t.json", text, &options, &error), MEMPLAN_OK);
    char *closed_csv = support_export(&closed, "csv");
    expect_equal_problem(closed_csv, "t.csv", &closed, first);
    char *closed_json = support_export(&closed, "instance-json");
    expect_equal_problem(closed_json, "t.json", &closed, first);
    free(csv);
    free(json);
    free(closed_csv);
    free(closed_json);
    memplan_problem_free(&closed);
    memplan_problem_free(&problem);
  }
}

// ---- schemas

static json_t *load_schema(const char *name) {
  char path[1024];
  const char *root = getenv("MEMPLAN_SOURCE_DIR");
  if (root != NULL) {
    (void)snprintf(path, sizeof path, "%s/instances/schema/%s.schema.json", root, name);
  } else {
    const char *slash = strrchr(__FILE__, '/');
    (void)snprintf(path, sizeof path, "%.*s/../instances/schema/%s.schema.json",
                   slash != NULL ? (int)(slash - __FILE__) : 1, slash != NULL ? __FILE__ : ".", name);
  }
  FILE *file = NULL;
  memplan_error error = {0};
  char *text = NULL;
  size_t length = 0;
  if (memplan_file_open(path, &file, &error) != MEMPLAN_OK) {
    fail_msg("%s: %s", path, error.message);
  }
  assert_int_equal(memplan_file_read(file, &text, &length, &error), MEMPLAN_OK);
  memplan_file_close(file);
  json_t *schema = NULL;
  if (memplan_json_parse(text, length, &schema, &error) != MEMPLAN_OK) {
    fail_msg("%s: %s", path, error.message);
  }
  free(text);
  return schema;
}

// Steps down the keys in `path`, separated by spaces.
static const json_t *find_part(const json_t *schema, const char *path) {
  char key[64];
  while (*path != '\0') {
    size_t length = strcspn(path, " ");
    (void)snprintf(key, sizeof key, "%.*s", (int)length, path);
    schema = json_object_get(schema, key);
    path += length;
    path += strspn(path, " ");
  }
  return schema;
}

static void expect_keys(const json_t *schema, const char *path, const char *const *keys) {
  const json_t *object = find_part(schema, path);
  const json_t *properties = json_object_get(object, "properties");
  assert_non_null(properties);
  assert_true(json_is_false(json_object_get(object, "additionalProperties")));
  size_t count = 0;
  for (; keys[count] != NULL; count++) {
    if (json_object_get(properties, keys[count]) == NULL) {
      fail_msg("the schema lacks %s %s", path, keys[count]);
    }
  }
  assert_int_equal(json_object_size(properties), count);
}

static void test_schemas(void **state) {
  (void)state;
  json_t *graph = load_schema("graph");
  expect_keys(graph, "", memplan_graph_json_keys);
  expect_keys(graph, "$defs tensor", memplan_graph_json_tensor_keys);
  expect_keys(graph, "$defs tensor properties view", memplan_graph_json_view_keys);
  expect_keys(graph, "$defs op", memplan_graph_json_op_keys);
  expect_keys(graph, "$defs pool", memplan_json_pool_keys);
  json_decref(graph);
  json_t *instance = load_schema("instance");
  expect_keys(instance, "", memplan_instance_json_keys);
  expect_keys(instance, "$defs buffer", memplan_instance_json_buffer_keys);
  expect_keys(instance, "$defs buffer properties gaps items", memplan_instance_json_gap_keys);
  expect_keys(instance, "$defs pool", memplan_json_pool_keys);
  json_decref(instance);
  json_t *plan = load_schema("plan");
  expect_keys(plan, "", memplan_plan_keys);
  expect_keys(plan, "properties bound", memplan_plan_bound_keys);
  expect_keys(plan, "properties slots", memplan_plan_slots_keys);
  const json_t *kinds = find_part(plan, "properties bound properties kind enum");
  assert_int_equal(json_array_size(kinds), MEMPLAN_BOUND_POOLS);
  for (int kind = MEMPLAN_BOUND_NONE + 1; kind <= MEMPLAN_BOUND_POOLS; kind++) {
    assert_string_equal(json_string_value(json_array_get(kinds, (size_t)kind - 1)),
                        memplan_bound_kind_name((memplan_bound_kind)kind));
  }
  json_decref(plan);
}

static void test_detection(void **state) {
  (void)state;
  static const struct {
    const char *head;
    size_t length;
    const char *path;
    const char *format;
  } cases[] = {{"id,lower", 8, "x.json", "csv"},
               {" \n{\"format\":\"memplan-instance\"", 30, "x.csv", "instance-json"},
               {"{\"version\":1", 12, NULL, "graph-json"},
               {"{\"format\":\"memplan-plan\"", 24, NULL, "plan-json"},
               {"\x08\x07\x12\x07pytorch", 11, "x.txt", "onnx"},
               {"\x12\x07pytorch\x3A\x80\x80\x04", 13, NULL, "onnx"},
               {"# a,b\nid", 8, NULL, NULL},
               {"id\na\n", 5, "dir.json/x.csv", "csv"},
               {"id\na\n", 5, "dir.csv/x", NULL},
               {"\x1C\0\0\0TFL3", 8, "x.tflite", NULL},
               {"\x1C\0\0\0TFL3", 8, "x.onnx", "onnx"},
               {"", 0, "x.csv", "csv"},
               {"", 0, NULL, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const memplan_file_format *format = memplan_format_detect(cases[i].head, cases[i].length, cases[i].path);
    if (cases[i].format == NULL) {
      assert_null(format);
    } else {
      assert_non_null(format);
      assert_string_equal(format->name, cases[i].format);
    }
  }
  assert_string_equal(memplan_format_find("minimalloc")->name, "csv");
  assert_null(memplan_format_find("mini"));
  assert_null(memplan_format_at(memplan_format_count()));
  support_expect_error("t.bin", "nothing known", NULL, MEMPLAN_UNSUPPORTED,
                       "memplan reads: onnx, graph-json, instance-json, csv");
  support_expect_error("t.bin", "", NULL, MEMPLAN_INPUT, "the file is empty");
}

// Without options the defaults hold.
static void test_no_options(void **state) {
  (void)state;
  static const char text[] = "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[],\"ops\":[]}";
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read_text(text, sizeof text - 1, "t.json", NULL, NULL, &problem, &error), MEMPLAN_OK);
  assert_int_equal(problem.options.capacity, -1);
  assert_int_equal(problem.options.align, 1);
  memplan_problem_free(&problem);
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read("/nowhere/t.json", NULL, NULL, &problem, &error), MEMPLAN_INPUT);
  memplan_problem_free(&problem);
}

static void test_real_graphs(void **state) {
  (void)state;
  const char *data = getenv("MEMPLAN_DATA");
  if (data == NULL) {
    print_message("MEMPLAN_DATA is not set: real files are skipped\n");
    skip();
  }
  static const char *const files[] = {"order/nasnet-cifar-k6-f32.json", "joint/gadget-n08-s0.json",
                                      "zoo/graph/f-resnet18-b1.json", "zoo/graph/f-clip_b32-b2.json"};
  memplan_problem_options options = memplan_problem_options_default();
  options.strict = true;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", data, files[i]);
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    if (memplan_read(path, NULL, &options, &problem, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    char *text = support_export(&problem, "graph-json");
    expect_equal_problem(text, "t.json", &problem, i);
    free(text);
    memplan_problem_free(&problem);
  }
}

// ---- the streamed form

typedef struct collected {
  char text[1024];
  size_t length;
} collected;

static void collect(void *context, const char *text, size_t length) {
  collected *all = context;
  assert_true(all->length + length < sizeof all->text);
  memcpy(all->text + all->length, text, length);
  all->length += length;
}

// Rules that repeat, turned and not, and colocations of the same two buffers at two distances.
static void test_streamed_form(void **state) {
  (void)state;
  static const char id[][8] = {"b", "a", "\"q\\", "\xC3\xBC"};
  memplan_buffer buffers[4];
  for (int32_t k = 0; k < 4; k++) {
    buffers[k] = (memplan_buffer){.id = id[k], .bytes = k + 1, .align = 1, .pin = -1};
  }
  memplan_rule separate[] = {{0, 1, 0}, {1, 0, 0}, {2, 1, 0}, {0, 1, 0}};
  memplan_rule colocate[] = {{1, 0, 5}, {0, 1, 7}, {0, 1, -3}, {0, 1, 7}, {0, 1, -3}};
  memplan_rule conflicts[] = {{3, 0, 0}, {2, 3, 0}, {3, 2, 0}};
  memplan_pool pool = {.id = "p", .capacity = -1};
  for (int32_t n = 0; n < 16; n++) {
    memplan_instance instance;
    memplan_instance_init(&instance);
    instance.buffers = buffers;
    instance.n_buffers = 4;
    instance.pools = &pool;
    instance.n_pools = 1;
    instance.default_pool = n % 2 != 0;
    instance.separate = separate;
    instance.n_separate = n & 2 ? 4 : 0;
    instance.colocate = colocate;
    instance.n_colocate = n & 4 ? 5 : 0;
    instance.conflicts = conflicts;
    instance.n_conflicts = n & 8 ? 3 : 0;
    collected all = {.length = 0};
    assert_true(memplan_form_instance_put(&instance, false, collect, &all));
    all.text[all.length] = '\0';
    json_t *form = memplan_form_instance(&instance, false);
    char *text = memplan_json_text(form);
    assert_string_equal(all.text, text);
    json_decref(form);
    free(text);
    memplan_arena_free(&instance.arena);
    if (n == 15) {
      assert_non_null(strstr(all.text,
                             "\"separate\":[[\"\\\"q\\\\\",\"a\"],[\"a\",\"b\"]],\"colocate\":[[\"a\",\"b\",5],"
                             "[\"b\",\"a\",-3],[\"b\",\"a\",7]],\"conflicts\":[[\"\\\"q\\\\\","));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_field),     cmocka_unit_test(test_graph_values),
      cmocka_unit_test(test_defaults),        cmocka_unit_test(test_inclusive_instance),
      cmocka_unit_test(test_graph_faults),    cmocka_unit_test(test_instance_faults),
      cmocka_unit_test(test_deep_nesting),    cmocka_unit_test(test_unknown_keys),
      cmocka_unit_test(test_groups_and_pins), cmocka_unit_test(test_graph_to_lifetimes),
      cmocka_unit_test(test_truncations),     cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_schemas),         cmocka_unit_test(test_detection),
      cmocka_unit_test(test_no_options),      cmocka_unit_test(test_real_graphs),
      cmocka_unit_test(test_streamed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
