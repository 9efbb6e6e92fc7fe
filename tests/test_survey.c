// SPDX-License-Identifier: Apache-2.0
// memplan_survey_file: what is known of files that cannot be planned, and that it agrees with the reader on the others.
// The zoo is read from $MEMPLAN_DATA.
#include "tests/support/data_index.h"
#include "tests/support/onnx_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/memplan.h"

static memplan_status take(const char *path, const memplan_problem_options *options, memplan_survey *survey,
                           memplan_error *error) {
  *error = (memplan_error){.status = MEMPLAN_OK};
  memplan_survey_init(survey);
  return memplan_survey_file(path, NULL, options, survey, error);
}

static void write_file(char *path, const void *bytes, size_t size) {
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, bytes, size), (ssize_t)size);
  (void)close(descriptor);
}

static memplan_survey survey_bytes(const void *bytes, size_t size, const memplan_problem_options *options) {
  char path[] = "/tmp/memplan-survey-XXXXXX";
  memplan_survey survey;
  memplan_error error;
  write_file(path, bytes, size);
  memplan_status status = take(path, options, &survey, &error);
  (void)unlink(path);
  if (status != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return survey;
}

static memplan_survey survey_graph(onnx_bytes graph, const memplan_problem_options *options) {
  onnx_bytes model = onnx_model(13, graph);
  memplan_survey survey = survey_bytes(model.data, model.size, options);
  onnx_bytes_free(&model);
  return survey;
}

// x [N, M, ?, 4] -> Relu -> t -> Mystery -> u, Relu 'last' of u -> y [K]
static onnx_bytes make_open_graph(void) {
  static const int64_t dims[] = {-1, -1, -1, 4};
  static const char *const symbols[] = {"N", "M", "?", NULL};
  static const int64_t result[] = {-1};
  static const char *const result_symbols[] = {"K"};
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", MEMPLAN_ONNX_FLOAT, 4, dims, symbols));
  onnx_graph_op(&graph, "Relu", "", "x", "t");
  onnx_graph_op(&graph, "Mystery", "guess", "t", "u");
  onnx_graph_op(&graph, "Relu", "last", "u", "y");
  onnx_graph_output(&graph, onnx_value("y", MEMPLAN_ONNX_FLOAT, 1, result, result_symbols));
  return graph;
}

static void open_dimensions(void **state) {
  (void)state;
  memplan_survey survey = survey_graph(make_open_graph(), NULL);
  assert_int_equal(survey.operators, 3);
  assert_int_equal(survey.tensors, 4);
  assert_int_equal(survey.tensors_known, 0);
  assert_int_equal(survey.unknown_tensors_total, 4);
  assert_int_equal(survey.n_unknown_symbols, 3);
  assert_string_equal(survey.unknown_symbols[0], "K");
  assert_string_equal(survey.unknown_symbols[1], "M");
  assert_string_equal(survey.unknown_symbols[2], "N");
  assert_int_equal(survey.n_unknown_listed, 4);
  assert_string_equal(survey.unknown_tensors[0], "'x' (input)");
  assert_string_equal(survey.unknown_tensors[1], "'t' of operator 't' (Relu)");
  assert_string_equal(survey.unknown_tensors[2], "'u' of operator 'guess' (Mystery)");
  assert_string_equal(survey.unknown_tensors[3], "'y' of operator 'last' (Relu)");
  memplan_survey_free(&survey);
}

// Options bind what they can; one that the model has not is another's to report.
static void bound_dimensions(void **state) {
  (void)state;
  static const memplan_dim dims[] = {{"N", 2}, {"nowhere", 3}, {"K", 7}};
  static const int64_t shape[] = {2, 3, 5, 4};
  static const memplan_shape shapes[] = {{"x", 4, shape}};
  memplan_problem_options options = memplan_problem_options_default();
  options.dims = dims;
  options.n_dims = 3;
  options.shapes = shapes;
  options.n_shapes = 1;
  memplan_survey survey = survey_graph(make_open_graph(), &options);
  assert_int_equal(survey.tensors_known, 3);
  assert_int_equal(survey.n_unknown_symbols, 0);
  assert_int_equal(survey.n_unknown_listed, 1);
  assert_string_equal(survey.unknown_tensors[0], "'u' of operator 'guess' (Mystery)");
  memplan_survey_free(&survey);

  static const memplan_dim clash[] = {{"N", 9}}; // --shape gives 2
  options.dims = clash;
  options.n_dims = 1;
  survey = survey_graph(make_open_graph(), &options);
  assert_int_equal(survey.tensors_known, 0);
  assert_int_equal(survey.n_unknown_symbols, 3);
  memplan_survey_free(&survey);
}

// A node whose shapes contradict each other leaves its own results unknown, and nothing else.
static void contradiction(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_input(&graph, onnx_floats("z", 5));
  onnx_graph_op(&graph, "Add", "sum", "x z", "t");
  onnx_graph_op(&graph, "Relu", "fine", "x", "y");
  onnx_graph_output(&graph, onnx_floats("y", 8));
  memplan_survey survey = survey_graph(graph, NULL);
  assert_int_equal(survey.operators, 2);
  assert_int_equal(survey.tensors, 4);
  assert_int_equal(survey.tensors_known, 3);
  assert_string_equal(survey.unknown_tensors[0], "'t' of operator 'sum' (Add)");
  memplan_survey_free(&survey);
}

static void many_unknown(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  for (int i = 0; i < 50; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "t%d", i);
    onnx_graph_op(&graph, "Mystery", "", "x", name);
  }
  memplan_survey survey = survey_graph(graph, NULL);
  assert_int_equal(survey.operators, 50);
  assert_int_equal(survey.unknown_tensors_total, 50);
  assert_int_equal(survey.n_unknown_listed, 20);
  memplan_survey_free(&survey);
}

static void other_formats(void **state) {
  (void)state;
  static const char csv[] = "id,lower,upper,size\na,0,3,4\nb,3,9,4\n";
  memplan_survey survey = survey_bytes(csv, sizeof csv - 1, NULL);
  assert_int_equal(survey.operators, -1);
  assert_int_equal(survey.tensors, 2);
  assert_int_equal(survey.tensors_known, 2);
  memplan_survey_free(&survey);
  static const char json[] =
      "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"x\",\"bytes\":4,\"roles\":[\"input\"]},"
      "{\"id\":\"w\",\"bytes\":4,\"roles\":[\"weight\"]},{\"id\":\"y\",\"bytes\":4}],"
      "\"ops\":[{\"id\":\"o\",\"in\":[\"x\",\"w\"],\"out\":[\"y\"]}]}";
  survey = survey_bytes(json, sizeof json - 1, NULL);
  assert_int_equal(survey.operators, 1);
  assert_int_equal(survey.tensors, 2);
  memplan_survey_free(&survey);
}

static void refused_files(void **state) {
  (void)state;
  memplan_survey survey;
  memplan_error error;
  assert_int_equal(take("/nowhere/at/all.onnx", NULL, &survey, &error), MEMPLAN_INPUT);
  memplan_survey_free(&survey);
  char path[] = "/tmp/memplan-survey-XXXXXX";
  onnx_bytes model = onnx_model(13, make_open_graph());
  write_file(path, model.data, model.size - 3);
  assert_int_equal(take(path, NULL, &survey, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, path));
  (void)unlink(path);
  onnx_bytes_free(&model);
  memplan_survey_free(&survey);
}

// The index counts what `--fold constants` leaves.
static void zoo_counts(void **state) {
  (void)state;
  data_index index;
  const char *folder = data_index_open(&index, "zoo/onnx");
  memplan_problem_options options = memplan_problem_options_default();
  options.fold = MEMPLAN_FOLD_CONSTANTS;
  int32_t open = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    const char *path = data_path(&index.arena, folder, data_cell(&index, row, "file"));
    int64_t ops = 0;
    int64_t tensors = 0;
    assert_true(data_number(&index, row, "ops", &ops) && data_number(&index, row, "tensors", &tensors));
    memplan_survey survey;
    memplan_error error;
    if (take(path, &options, &survey, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    if (survey.operators != ops || survey.tensors != tensors) {
      fail_msg("%s: %lld operators, %lld tensors", path, (long long)survey.operators, (long long)survey.tensors);
    }
    assert_int_equal(survey.tensors, survey.tensors_known + survey.unknown_tensors_total);
    open += survey.unknown_tensors_total > 0 ? 1 : 0;
    memplan_survey_free(&survey);
  }
  assert_true(index.n_rows > 20 && open > 0);
  data_index_free(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(open_dimensions), cmocka_unit_test(bound_dimensions), cmocka_unit_test(contradiction),
      cmocka_unit_test(many_unknown),    cmocka_unit_test(other_formats),    cmocka_unit_test(refused_files),
      cmocka_unit_test(zoo_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
