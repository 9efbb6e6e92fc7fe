// SPDX-License-Identifier: Apache-2.0
// Readers and writers of other planners' formats, generators and surveys while the k-th allocation fails, for every k:
// the result is MEMPLAN_NOMEM or the same as ever.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "instances/read_conflicts.h"
#include "instances/survey_onnx.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/onnx_writer.h"

static const char dsa_text[] =
    "{\"schema_version\":1,\"profile\":\"pypto_research_v1\",\"instance\":\"i\",\"problem\":{\"pools\":["
    "{\"id\":3,\"name\":\"L1\",\"capacity\":128,\"reserved_ranges\":[{\"begin\":0,\"end\":16}],\"bank_geometry\":{}}],"
    "\"buffers\":[{\"id\":0,\"name\":\"p\",\"size\":32,\"alignment\":16,\"live_intervals\":[{\"lower\":0,\"upper\":2},"
    "{\"lower\":4,\"upper\":6}],\"allowed_pools\":[3]},{\"id\":7,\"name\":\"\",\"size\":16,\"alignment\":1,"
    "\"live_intervals\":[{\"lower\":1,\"upper\":5}],\"allowed_pools\":[3]},{\"id\":2,\"name\":\"q\",\"size\":16,"
    "\"alignment\":16,\"live_intervals\":[{\"lower\":5,\"upper\":6}],\"allowed_pools\":[3]}],\"constraints\":{"
    "\"colocations\":[{\"first\":2,\"second\":7}],\"separations\":[{\"first\":0,\"second\":7,\"reasons\":[\"generic\"]}"
    "],"
    "\"temporal_exclusions\":[{\"first\":0,\"second\":2}],\"pinned_allocations\":[{\"buffer\":0,\"pool\":3,"
    "\"offset\":16,\"exclusive_for_all_time\":false}]},\"cost_model\":{\"reuse_penalties\":[{\"first\":0,\"second\":7,"
    "\"cost\":5,\"reason\":\"generic\"}]},\"objective\":{\"aggregation\":\"lexicographic\",\"terms\":[\"total_peak\"]}}"
    "}";
static const char glow_text[] =
    "MODEL m\nALIGN 8\nALLOC 1 100\nALLOC 2 50\nFREE 1\nALLOC 1 7\nFREE 2\nALLOC 3 1\nMEM 192\nEFF 0.78\n";

// Reads a text and writes it again.
typedef struct conversion {
  const char *text, *format;
} conversion;

static memplan_status convert(const void *data, uint64_t *result, memplan_error *error) {
  const conversion *c = data;
  char *written = NULL;
  size_t length = 0;
  memplan_problem problem;
  memplan_export_report report;
  memplan_problem_init(&problem);
  memplan_export_report_init(&report);
  memplan_status status = memplan_read_text(c->text, strlen(c->text), "t", NULL, NULL, &problem, error);
  if (status == MEMPLAN_OK) {
    status = memplan_export_text(&problem, NULL, c->format, NULL, &written, &length, &report, error);
  }
  for (size_t i = 0; i < length && written != NULL; i++) {
    *result = *result * 31 + (unsigned char)written[i];
  }
  assert_true(status == MEMPLAN_OK || written == NULL);
  free(written);
  memplan_export_report_free(&report);
  memplan_problem_free(&problem);
  return status;
}

static memplan_status generate(const void *data, uint64_t *result, memplan_error *error) {
  memplan_generator_wishes wishes = {.seed = 1, .n = 30};
  memplan_problem problem;
  memplan_problem_init(&problem);
  memplan_status status = memplan_generate_problem(data, &wishes, &problem, error);
  for (int32_t i = 0; status == MEMPLAN_OK && i < problem.instance.n_buffers; i++) {
    *result = *result * 31 + (uint64_t)problem.instance.buffers[i].bytes;
  }
  for (int32_t i = 0; status == MEMPLAN_OK && i < problem.graph.n_tensors; i++) {
    *result = *result * 31 + (uint64_t)problem.graph.tensors[i].bytes;
  }
  memplan_problem_free(&problem);
  return status;
}

static memplan_status add_conflicts(const void *data, uint64_t *result, memplan_error *error) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = memplan_generator_allocate(&instance, 4, error);
  if (status == MEMPLAN_OK) {
    status = memplan_conflicts_parse(data, strlen(data), "pairs", &instance, error);
  }
  *result = (uint64_t)instance.n_conflicts;
  memplan_instance_free(&instance);
  return status;
}

static memplan_status survey(const void *data, uint64_t *result, memplan_error *error) {
  memplan_problem_options options = memplan_problem_options_default();
  memplan_survey found;
  memplan_survey_init(&found);
  found.operators = found.tensors = 0;
  FILE *file = onnx_open(data);
  memplan_status status = memplan_survey_onnx(file, &options, &found, error);
  (void)fclose(file);
  *result = status == MEMPLAN_OK ? (uint64_t)(found.operators * 100 + found.tensors * 10 + found.n_unknown_symbols) : 0;
  memplan_survey_free(&found);
  return status;
}

static void sweep(memplan_status (*run)(const void *data, uint64_t *result, memplan_error *error), const void *data) {
  memplan_error error = {0};
  uint64_t wanted = 0;
  if (run(data, &wanted, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  for (int64_t k = 0;; k++) {
    uint64_t result = 0;
    failing_malloc_once(k);
    memplan_status status = run(data, &result, &error);
    bool reached = failing_malloc_stop();
    if (status != MEMPLAN_OK && status != MEMPLAN_NOMEM) {
      fail_msg("allocation %lld: %s: %s", (long long)k, memplan_status_name(status), error.message);
    }
    assert_true(status != MEMPLAN_OK || result == wanted);
    if (!reached) {
      assert_true(k > 1);
      return;
    }
  }
}

static void formats(void **state) {
  (void)state;
  static const conversion list[] = {{dsa_text, "instance-json"}, {glow_text, "glow"}, {glow_text, "dsa"}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    sweep(convert, &list[i]);
  }
}

static void families(void **state) {
  (void)state;
  for (int32_t i = 0; i < memplan_generator_count(); i++) {
    sweep(generate, memplan_generator_at(i));
  }
}

static void conflicts(void **state) {
  (void)state;
  sweep(add_conflicts, "a,b\n0,1\n\"2\",3\n0,3\n");
}

static void surveys(void **state) {
  (void)state;
  static const int64_t dims[] = {-1, 4};
  static const char *const symbols[] = {"N", NULL};
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", 1, 2, dims, symbols));
  onnx_graph_op(&graph, "Relu", "", "x", "t");
  onnx_graph_op(&graph, "Mystery", "m", "t", "y");
  onnx_bytes model = onnx_model(17, graph);
  sweep(survey, &model);
  onnx_bytes_free(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formats), cmocka_unit_test(families), cmocka_unit_test(conflicts),
                                     cmocka_unit_test(surveys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
