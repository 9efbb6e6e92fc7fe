// SPDX-License-Identifier: Apache-2.0
// The model is read once for its meaning, from which the new order of its nodes follows, and once for its bytes.
#include "instances/onnx_arrange.h"
#include "instances/onnx_infer.h"
#include "instances/onnx_order.h"
#include "instances/onnx_splice.h"
#include "model/base/quote.h"
#include "model/memplan.h"

#include <string.h>

static memplan_status arrange(FILE *file, const memplan_problem_options *options, const memplan_plan *plan,
                              memplan_arena *arena, memplan_onnx_arrangement *arrangement, memplan_error *error) {
  memplan_onnx_model model;
  const int32_t *const *order = NULL;
  MEMPLAN_TRY(memplan_onnx_model_read(file, NULL, &model, error));
  memplan_status status = memplan_onnx_sort(&model, arena, &order, error);
  if (status == MEMPLAN_OK) {
    status = memplan_onnx_infer(&model, order, options, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_onnx_arrange(&model, order, options, plan, arena, arrangement, error);
  }
  memplan_onnx_model_free(&model);
  return status;
}

static bool same_folder(const char *a, const char *b) {
  const char *end = strrchr(a, '/'), *other = strrchr(b, '/');
  size_t length = end == NULL ? 0 : (size_t)(end - a), width = other == NULL ? 0 : (size_t)(other - b);
  return length == width && memcmp(a, b, length) == 0;
}

static memplan_status write_pieces(FILE *file, const memplan_problem *problem, const memplan_plan *plan,
                                   const char *path, memplan_arena *arena, memplan_export_report *report,
                                   memplan_error *error) {
  memplan_onnx_arrangement arrangement;
  memplan_onnx_splice splice;
  memplan_status status = arrange(file, &problem->options, plan, arena, &arrangement, error);
  if (status == MEMPLAN_OK && fseek(file, 0, SEEK_SET) != 0) {
    status = memplan_fail(error, MEMPLAN_UNSUPPORTED, "the model has to be a file, since it is read twice");
  }
  if (status == MEMPLAN_OK) {
    status = memplan_onnx_splice_read(file, &arrangement, arena, &splice, error);
  }
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(problem->path).text);
    return status;
  }
  if (splice.external && report != NULL && !same_folder(problem->path, path)) {
    static const char text[] = "weights of the model lie in other files beside it: copy those too";
    report->warnings = MEMPLAN_NEW(&report->arena, const char *, 1);
    if (report->warnings == NULL) {
      return memplan_fail_nomem(error);
    }
    report->warnings[report->n_warnings++] = text;
  }
  return memplan_file_copy(path, file, splice.pieces, splice.n_pieces, error);
}

memplan_status memplan_reorder(const memplan_problem *problem, const memplan_plan *plan, const char *path,
                               memplan_export_report *report, memplan_error *error) {
  if (strcmp(problem->format, "onnx") != 0 || strcmp(problem->path, "-") == 0) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                        "%s is not a file of format onnx, the one whose nodes are reordered",
                        memplan_quote_path(problem->path).text);
  }
  FILE *file = NULL;
  memplan_arena arena = {0};
  memplan_status status = memplan_file_open(problem->path, &file, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(problem->path).text);
    return status;
  }
  status = write_pieces(file, problem, plan, path, &arena, report, error);
  memplan_file_close(file);
  memplan_arena_free(&arena);
  return status;
}
