// SPDX-License-Identifier: Apache-2.0
// ONNX's own test models (Debian package libonnx-testdata; skipped if absent): each is read, or refused with its
// operators or values named, and the shapes of what is read are those of the recorded outputs.
#include "instances/read_onnx.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/onnx_model.h"
#include "instances/onnx_proto.h"
#include "tests/support/onnx_graphs.h"

// Of the 1072 models of version 1.12, so many at least are read; the others have shapes that depend on data, or
// sequences as inputs.
enum { IMPORTED = 1044, MODELS = 1072 };

static const char root[] = "/usr/share/libonnx-testdata/data";

typedef struct tally {
  int32_t models, imported, wrong_shapes, compared, bad_refusals;
} model_tally;

// Dimensions of a file that holds one TensorProto. False if it is none.
static bool read_dims(const char *path, memplan_arena *arena, memplan_onnx_type *type) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  memplan_wire *wire = malloc(sizeof *wire);
  assert_non_null(wire);
  memplan_wire_message top;
  memplan_proto_value tensor = {0};
  memplan_error error = {0};
  bool good = memplan_wire_open(wire, file, arena, arena, "TensorProto", &top, &error) == MEMPLAN_OK &&
              memplan_proto_read_tensor(&top, &tensor) == MEMPLAN_OK;
  memplan_wire_close(wire);
  free(wire);
  (void)fclose(file);
  *type = tensor.type;
  return good;
}

static const memplan_tensor *find_tensor(const memplan_graph *graph, const char *id) {
  for (int32_t t = 0; t < graph->n_tensors; t++) {
    if (strcmp(graph->tensors[t].id, id) == 0) {
      return &graph->tensors[t];
    }
  }
  return NULL;
}

static void compare_outputs(const char *folder, const memplan_graph *graph, model_tally *tally) {
  char path[700];
  (void)snprintf(path, sizeof path, "%s/model.onnx", folder);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  memplan_onnx_model model;
  memplan_error error = {0};
  assert_int_equal(memplan_onnx_model_read(file, NULL, &model, &error), MEMPLAN_OK);
  (void)fclose(file);
  for (int32_t k = 0; k < model.graphs[0].n_outputs; k++) {
    const char *name = model.values[model.graphs[0].outputs[k]].name;
    const memplan_tensor *tensor = find_tensor(graph, name);
    memplan_onnx_type type;
    (void)snprintf(path, sizeof path, "%s/test_data_set_0/output_%d.pb", folder, (int)k);
    if (tensor == NULL || tensor->rank < 0 || !read_dims(path, &model.arena, &type)) {
      continue;
    }
    // Outputs of type bfloat16 were recorded as other types.
    bool same = tensor->rank == type.rank &&
                (memplan_onnx_dtype(type.elem_type) == tensor->dtype || tensor->dtype == MEMPLAN_DTYPE_BF16);
    for (int32_t i = 0; same && i < type.rank; i++) {
      same = type.dims[i] == tensor->shape[i];
    }
    if (!same) {
      (void)fprintf(stderr, "%s: shape or type of output '%s' differs from the recorded one\n", folder, name);
    }
    tally->compared++;
    tally->wrong_shapes += !same;
  }
  memplan_onnx_model_free(&model);
}

static void read_model(const char *folder, model_tally *tally) {
  char path[700];
  (void)snprintf(path, sizeof path, "%s/model.onnx", folder);
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return;
  }
  tally->models++;
  memplan_problem_options options = memplan_problem_options_default();
  memplan_graph graph;
  memplan_error error = {0};
  memplan_graph_init(&graph);
  memplan_status status = memplan_read_onnx(file, path, &options, &graph, &error);
  (void)fclose(file);
  if (status == MEMPLAN_OK) {
    tally->imported++;
    compare_outputs(folder, &graph, tally);
    options.inplace = MEMPLAN_INPLACE_NONE;
    assert_int_equal(onnx_given_peak(&graph, &options), onnx_simulated_peak(&graph));
  } else {
    bool named = strchr(error.message, '\'') != NULL || strstr(error.message, "operator") != NULL;
    if ((status != MEMPLAN_UNSUPPORTED && status != MEMPLAN_INPUT) || !named) {
      (void)fprintf(stderr, "badly refused: %s\n", error.message);
      tally->bad_refusals++;
    } else if (getenv("MEMPLAN_VERBOSE") != NULL) {
      (void)fprintf(stderr, "refused: %s\n", error.message);
    }
  }
  memplan_graph_free(&graph);
}

static void each_model_is_read_or_refused(void **state) {
  (void)state;
  DIR *parents = opendir(root);
  if (parents == NULL) {
    (void)fprintf(stderr, "skipped: %s is not there (Debian: libonnx-testdata)\n", root);
    skip();
  }
  model_tally tally = {0};
  for (struct dirent *parent = readdir(parents); parent != NULL; parent = readdir(parents)) {
    char folder[300], model[600];
    (void)snprintf(folder, sizeof folder, "%s/%s", root, parent->d_name);
    DIR *models = parent->d_name[0] != '.' ? opendir(folder) : NULL;
    if (models == NULL) {
      continue;
    }
    for (struct dirent *entry = readdir(models); entry != NULL; entry = readdir(models)) {
      if (entry->d_name[0] != '.') {
        (void)snprintf(model, sizeof model, "%s/%s", folder, entry->d_name);
        read_model(model, &tally);
      }
    }
    (void)closedir(models);
  }
  (void)closedir(parents);
  (void)fprintf(stderr, "%d models, %d read, %d outputs compared\n", (int)tally.models, (int)tally.imported,
                (int)tally.compared);
  assert_int_equal(tally.bad_refusals, 0);
  assert_int_equal(tally.wrong_shapes, 0);
  if (tally.models == MODELS) {
    assert_true(tally.imported >= IMPORTED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_model_is_read_or_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
