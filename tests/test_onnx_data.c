// SPDX-License-Identifier: Apache-2.0
// Reference values of the test data (environment variable MEMPLAN_DATA; skipped without it): numbers of operators and
// tensors, peaks in file order and the shape of every value of real models.
#include "instances/read_onnx.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/support/data_index.h"
#include "tests/support/onnx_graphs.h"

enum { MOST_BINDINGS = 16 };

// Options of the reference values, with room for dims and shapes.
typedef struct data_options {
  memplan_problem_options options;
  memplan_arena arena;
  memplan_dim dims[MOST_BINDINGS];
  memplan_shape shapes[MOST_BINDINGS];
} data_options;

static void start_options(data_options *data) {
  *data = (data_options){.options = memplan_problem_options_default()};
  data->options.inplace = MEMPLAN_INPLACE_NONE;
  data->options.views = MEMPLAN_VIEWS_NONE;
  data->options.bodies = MEMPLAN_BODIES_IGNORE;
  data->options.dims = data->dims;
  data->options.shapes = data->shapes;
}

// "batch=2;seq=128"
static void take_dims(data_options *data, const char *text) {
  char *copy = memplan_arena_text(&data->arena, text, strlen(text));
  assert_non_null(copy);
  for (char *part = strtok(copy, ";"); part != NULL; part = strtok(NULL, ";")) {
    char *equals = strchr(part, '=');
    assert_non_null(equals);
    *equals = '\0';
    assert_true(data->options.n_dims < MOST_BINDINGS);
    data->dims[data->options.n_dims++] = (memplan_dim){part, strtoll(equals + 1, NULL, 10)};
  }
}

// "input=[1  576] state=[2  1  128] sr=[]"
static void take_shapes(data_options *data, const char *text) {
  char *rest = memplan_arena_text(&data->arena, text, strlen(text));
  assert_non_null(rest);
  while (*rest != '\0') {
    char *open = strstr(rest, "=["), *close = strchr(rest, ']');
    assert_true(open != NULL && close != NULL && data->options.n_shapes < MOST_BINDINGS);
    memplan_shape *shape = &data->shapes[data->options.n_shapes++];
    int64_t *dims = MEMPLAN_NEW(&data->arena, int64_t, 16);
    assert_non_null(dims);
    *open = *close = '\0';
    *shape = (memplan_shape){.name = rest, .dims = dims};
    char *end = NULL;
    for (char *at = open + 2; *at != '\0'; at = end) {
      dims[shape->rank] = strtoll(at, &end, 10);
      if (end == at) {
        break;
      }
      shape->rank++;
    }
    rest = close + 1 + strspn(close + 1, " ");
  }
}

static memplan_status read_file(const char *path, const memplan_problem_options *options, memplan_graph *graph,
                                memplan_error *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail_msg("%s cannot be opened", path);
  }
  memplan_graph_init(graph);
  memplan_status status = memplan_read_onnx(file, path, options, graph, error);
  (void)fclose(file);
  return status;
}

static int32_t count_activations(const memplan_graph *graph) {
  int32_t count = 0;
  for (int32_t t = 0; t < graph->n_tensors; t++) {
    count += (graph->tensors[t].roles & MEMPLAN_ROLE_WEIGHT) == 0;
  }
  return count;
}

static bool differs(const char *file, const char *what, int64_t found, int64_t expected) {
  if (found != expected) {
    (void)fprintf(stderr, "%s: %s is %" PRId64 ", not %" PRId64 "\n", file, what, found, expected);
  }
  return found != expected;
}

// ---- zoo

// Rows whose shapes are known must be read; the others may be refused by name.
static bool check_zoo_row(const data_index *index, int32_t row, const char *folder) {
  const char *name = data_cell(index, row, "file");
  data_options data;
  start_options(&data);
  data.options.fold = MEMPLAN_FOLD_CONSTANTS;
  take_dims(&data, data_cell(index, row, "dims"));
  const char *path = data_path(&data.arena, folder, name);
  memplan_graph graph;
  memplan_error error = {0};
  int64_t ops = 0, tensors = 0, peak = 0, naive = 0;
  bool known = data_number(index, row, "given_peak", &peak);
  bool bad = false;
  struct timespec start, end;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  memplan_status status = read_file(path, &data.options, &graph, &error);
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  if (status == MEMPLAN_OK) {
    assert_true(data_number(index, row, "ops", &ops) && data_number(index, row, "tensors", &tensors));
    bad |= differs(name, "ops", graph.n_ops, ops);
    bad |= differs(name, "tensors", count_activations(&graph), tensors);
    if (known) {
      assert_true(data_number(index, row, "naive", &naive));
      int64_t sum = 0;
      for (int32_t t = 0; t < graph.n_tensors; t++) {
        sum += (graph.tensors[t].roles & MEMPLAN_ROLE_WEIGHT) == 0 ? graph.tensors[t].bytes : 0;
      }
      bad |= differs(name, "naive", sum, naive);
      bad |= differs(name, "given_peak", onnx_given_peak(&graph, &data.options), peak);
      bad |= differs(name, "simulated peak", onnx_simulated_peak(&graph), peak);
    }
  } else if (known || status != MEMPLAN_UNSUPPORTED) {
    (void)fprintf(stderr, "%s\n", error.message);
    bad = true;
  }
  double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  if (seconds > 0.5) {
    (void)fprintf(stderr, "%s: reading took %.2f s of processor time\n", name, seconds);
    bad = true;
  }
  memplan_graph_free(&graph);
  memplan_arena_free(&data.arena);
  return !bad;
}

// Checks all rows of DATA/NAME/index.csv.
static void check_rows(const char *name, bool (*check)(const data_index *index, int32_t row, const char *folder)) {
  data_index index;
  const char *folder = data_index_open(&index, name);
  int32_t good = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    good += check(&index, row, folder);
  }
  int32_t rows = index.n_rows;
  data_index_free(&index);
  assert_true(rows > 0);
  assert_int_equal(good, rows);
}

static void zoo(void **state) {
  (void)state;
  check_rows("zoo/onnx", check_zoo_row);
}

// ---- real models

// Compares the shapes of all values that are in the graph with those that were measured. Returns how many differ.
static int32_t compare_shapes(const char *name, const memplan_graph *graph, const char *path) {
  json_error_t problem;
  json_t *shapes = json_load_file(path, 0, &problem);
  if (shapes == NULL) {
    fail_msg("%s: %s", path, problem.text);
  }
  int32_t bad = 0;
  for (int32_t t = 0; t < graph->n_tensors; t++) {
    const memplan_tensor *tensor = &graph->tensors[t];
    const json_t *measured = json_object_get(shapes, tensor->id);
    if (!json_is_array(measured) || tensor->rank < 0) {
      continue;
    }
    bool same = (size_t)tensor->rank + 1 == json_array_size(measured) &&
                memplan_dtype_parse(json_string_value(json_array_get(measured, 0))) == tensor->dtype;
    for (int32_t i = 0; same && i < tensor->rank; i++) {
      same = json_integer_value(json_array_get(measured, (size_t)i + 1)) == tensor->shape[i];
    }
    if (!same) {
      (void)fprintf(stderr, "%s: shape of '%s' differs from the measured one\n", name, tensor->id);
      bad++;
    }
  }
  json_decref(shapes);
  return bad;
}

static bool check_real_row(const data_index *index, int32_t row, const char *folder) {
  static const struct {
    memplan_fold fold;
    memplan_views views;
    const char *ops, *tensors, *peak;
  } columns[] = {
      {MEMPLAN_FOLD_NONE, MEMPLAN_VIEWS_NONE, NULL, "tensors", "given_peak"},
      {MEMPLAN_FOLD_SHAPES, MEMPLAN_VIEWS_NONE, "operators_folded", "tensors_folded", "given_peak_folded"},
      {MEMPLAN_FOLD_SHAPES, MEMPLAN_VIEWS_RESHAPE, "operators_folded", "tensors_folded", "given_peak_views"},
  };
  const char *name = data_cell(index, row, "file");
  bool bad = false;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    data_options data;
    start_options(&data);
    data.options.fold = columns[i].fold;
    data.options.views = columns[i].views;
    take_shapes(&data, data_cell(index, row, "input_shapes"));
    memplan_graph graph;
    memplan_error error = {0};
    int64_t expected = 0;
    if (read_file(data_path(&data.arena, folder, name), &data.options, &graph, &error) != MEMPLAN_OK) {
      (void)fprintf(stderr, "%s\n", error.message);
      memplan_arena_free(&data.arena);
      return false;
    }
    if (columns[i].ops != NULL && data_number(index, row, columns[i].ops, &expected)) {
      bad |= differs(name, columns[i].ops, graph.n_ops, expected);
    }
    if (data_number(index, row, columns[i].tensors, &expected)) {
      bad |= differs(name, columns[i].tensors, count_activations(&graph), expected);
    }
    assert_true(data_number(index, row, columns[i].peak, &expected));
    bad |= differs(name, columns[i].peak, onnx_given_peak(&graph, &data.options), expected);
    bad |= differs(name, "simulated peak", onnx_simulated_peak(&graph), expected);
    if (i == 0) {
      char shapes[256];
      (void)snprintf(shapes, sizeof shapes, "%.*s.shapes.json", (int)(strlen(name) - strlen(".onnx")), name);
      bad |= compare_shapes(name, &graph, data_path(&data.arena, folder, shapes)) > 0;
    }
    memplan_graph_free(&graph);
    memplan_arena_free(&data.arena);
  }
  return !bad;
}

static void real_models(void **state) {
  (void)state;
  check_rows("onnx-real", check_real_row);
}

// Every real model is read with the default options too: views, in-place pairs and bodies.
static bool check_defaults(const data_index *index, int32_t row, const char *folder) {
  data_options data;
  start_options(&data);
  data.options.inplace = MEMPLAN_INPLACE_SAFE;
  data.options.views = MEMPLAN_VIEWS_RESHAPE;
  data.options.bodies = MEMPLAN_BODIES_PLAN;
  take_shapes(&data, data_cell(index, row, "input_shapes"));
  memplan_graph graph;
  memplan_error error = {0};
  int64_t peak = 0;
  if (read_file(data_path(&data.arena, folder, data_cell(index, row, "file")), &data.options, &graph, &error) !=
      MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  bool good = data_number(index, row, "given_peak_views", &peak) && onnx_given_peak(&graph, &data.options) <= peak;
  memplan_graph_free(&graph);
  memplan_arena_free(&data.arena);
  return good;
}

static void defaults(void **state) {
  (void)state;
  check_rows("onnx-real", check_defaults);
}

// ---- models without shapes inside

static void light_models(void **state) {
  (void)state;
  static const struct {
    const char *file;
    int64_t peak;
    int32_t ops, tensors; // 0: not measured
  } rows[] = {
      {"light_bvlc_alexnet.onnx", 2239488, 0, 0}, {"light_squeezenet.onnx", 6308352, 66, 68},
      {"light_resnet50.onnx", 9633792, 0, 0},     {"light_inception_v1.onnx", 6422528, 0, 0},
      {"light_vgg19.onnx", 25690112, 0, 0},
  };
  const char *folder = data_folder();
  if (folder == NULL) {
    skip();
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    data_options data;
    start_options(&data);
    data.options.fold = MEMPLAN_FOLD_CONSTANTS;
    const char *light = data_path(&data.arena, folder, "onnx-light");
    memplan_graph graph;
    memplan_error error = {0};
    if (read_file(data_path(&data.arena, light, rows[i].file), &data.options, &graph, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    bool bad = differs(rows[i].file, "peak", onnx_given_peak(&graph, &data.options), rows[i].peak);
    if (rows[i].ops > 0) {
      bad |= differs(rows[i].file, "ops", graph.n_ops, rows[i].ops);
      bad |= differs(rows[i].file, "tensors", count_activations(&graph), rows[i].tensors);
    }
    assert_false(bad);
    memplan_graph_free(&graph);
    memplan_arena_free(&data.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zoo),
      cmocka_unit_test(real_models),
      cmocka_unit_test(defaults),
      cmocka_unit_test(light_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
