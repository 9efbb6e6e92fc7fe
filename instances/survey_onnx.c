// SPDX-License-Identifier: Apache-2.0
// The model is sorted and inferred as far as it gets; then the main graph is counted as the reader would build it:
// operators are the nodes that folding leaves, tensors the inputs and the results of these operators.
#include "instances/survey_onnx.h"

#include "instances/onnx_constant.h"
#include "instances/onnx_graph.h"
#include "instances/onnx_infer.h"
#include "instances/onnx_order.h"

#include <stdlib.h>
#include <string.h>

typedef struct count {
  const memplan_onnx_model *model;
  memplan_survey *survey;
  memplan_error *error;
} count;

static const char *make_label(count *c, const memplan_onnx_value *value, const memplan_onnx_node *node) {
  const char *name = node != NULL ? node->name : "";
  for (int32_t k = 0; node != NULL && name[0] == '\0' && k < node->n_out; k++) {
    name = node->out[k] >= 0 ? c->model->values[node->out[k]].name : name;
  }
  size_t size = strlen(value->name) + strlen(name) + 32;
  size += node != NULL ? strlen(node->domain) + strlen(node->op_type) : 0;
  char *label = memplan_arena_alloc(&c->survey->arena, size, 1);
  if (label != NULL && node == NULL) {
    (void)snprintf(label, size, "'%s' (input)", value->name);
  } else if (label != NULL) {
    (void)snprintf(label, size, "'%s' of operator '%s' (%s%s%s)", value->name, name, node->domain,
                   node->domain[0] != '\0' ? "." : "", node->op_type);
  }
  return label;
}

// `node`: that makes the value, NULL for an input of the graph.
static memplan_status count_value(count *c, int32_t index, const memplan_onnx_node *node) {
  const memplan_onnx_value *value = &c->model->values[index];
  int64_t bytes = 0;
  c->survey->tensors++;
  if (memplan_onnx_value_bytes(c->model, value, &bytes, NULL) == MEMPLAN_OK) {
    c->survey->tensors_known++;
    return MEMPLAN_OK;
  }
  c->survey->unknown_tensors_total++;
  if (c->survey->n_unknown_listed >= MEMPLAN_SURVEY_LISTED) {
    return MEMPLAN_OK;
  }
  const char *label = make_label(c, value, node);
  if (label == NULL) {
    return memplan_fail_nomem(c->error);
  }
  c->survey->unknown_tensors[c->survey->n_unknown_listed++] = label;
  return MEMPLAN_OK;
}

static memplan_status count_graph(count *c, const int32_t *order, memplan_fold fold) {
  const memplan_onnx_graph *graph = &c->model->graphs[0];
  c->survey->unknown_tensors = MEMPLAN_NEW(&c->survey->arena, const char *, MEMPLAN_SURVEY_LISTED);
  if (c->survey->unknown_tensors == NULL) {
    return memplan_fail_nomem(c->error);
  }
  for (int32_t i = 0; i < graph->n_inputs; i++) {
    MEMPLAN_TRY(count_value(c, graph->inputs[i], NULL));
  }
  for (int32_t i = 0; i < graph->n_nodes; i++) {
    const memplan_onnx_node *node = &graph->nodes[order[i]];
    if (!memplan_onnx_is_kept(c->model, fold, node)) {
      continue;
    }
    c->survey->operators++;
    for (int32_t k = 0; k < node->n_out; k++) {
      if (node->out[k] >= 0) {
        MEMPLAN_TRY(count_value(c, node->out[k], node));
      }
    }
  }
  return MEMPLAN_OK;
}

static int compare_names(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// "past + 1", "2*N", "floor(H/2)": follows from other dimensions.
static bool is_expression(const char *name) { return strpbrk(name, "+*/%(),") != NULL || strstr(name, " - ") != NULL; }

// Is dimension d of the value unknown and named? Exporters write "?" for dimensions that have nothing to do with each
// other, which no --dim can give, and expressions for those that follow from others: these count for inputs alone.
static const char *open_symbol(const memplan_onnx_value *value, int32_t d, bool input) {
  const char *name = value->symbols != NULL ? value->symbols[d] : NULL;
  if (name != NULL && !input && is_expression(name)) {
    return NULL;
  }
  bool open = name != NULL && name[0] != '\0' && strcmp(name, "?") != 0 && value->type.dims[d] < 0;
  return open ? name : NULL;
}

static memplan_status list_symbols(count *c, const int32_t *declared_rank) {
  int64_t found = 0;
  const char **names = NULL;
  const memplan_onnx_graph *graph = &c->model->graphs[0];
  bool *input = MEMPLAN_NEW(&c->survey->arena, bool, c->model->n_values);
  if (input == NULL) {
    return memplan_fail_nomem(c->error);
  }
  for (int32_t i = 0; i < graph->n_inputs; i++) {
    input[graph->inputs[i]] = true;
  }
  for (int pass = 0; pass < 2; pass++) {
    int64_t next = 0;
    for (int32_t v = 0; v < c->model->n_values; v++) {
      const memplan_onnx_value *value = &c->model->values[v];
      int32_t rank =
          value->type.rank == declared_rank[v] && !c->model->graphs[value->graph].unreachable ? value->type.rank : 0;
      for (int32_t d = 0; d < rank; d++) {
        const char *name = open_symbol(value, d, input[v]);
        if (name != NULL && names != NULL) {
          names[next] = name;
        }
        next += name != NULL ? 1 : 0;
      }
    }
    found = next;
    names = pass == 0 ? MEMPLAN_NEW(&c->survey->arena, const char *, found) : names;
    if (names == NULL) {
      return memplan_fail_nomem(c->error);
    }
  }
  if (found > 1) {
    qsort(names, (size_t)found, sizeof *names, compare_names);
  }
  for (int64_t i = 0; i < found && c->survey->n_unknown_symbols < INT32_MAX; i++) {
    if (i > 0 && strcmp(names[i], names[i - 1]) == 0) {
      continue;
    }
    // The text belongs to the model, which does not last.
    const char *name = memplan_arena_text(&c->survey->arena, names[i], strlen(names[i]));
    if (name == NULL) {
      return memplan_fail_nomem(c->error);
    }
    names[i] = name;
    names[c->survey->n_unknown_symbols++] = name;
  }
  c->survey->unknown_symbols = names;
  return MEMPLAN_OK;
}

static memplan_status survey_model(memplan_onnx_model *model, memplan_arena *scratch,
                                   const memplan_problem_options *options, memplan_survey *survey,
                                   memplan_error *error) {
  count c = {model, survey, error};
  const int32_t *const *order = NULL;
  int32_t *declared_rank = MEMPLAN_NEW(scratch, int32_t, model->n_values);
  if (declared_rank == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t v = 0; v < model->n_values; v++) {
    declared_rank[v] = model->values[v].type.rank;
  }
  MEMPLAN_TRY(memplan_onnx_sort(model, scratch, &order, error));
  MEMPLAN_TRY(memplan_onnx_infer_known(model, order, options, error));
  if (model->n_graphs > 0) {
    MEMPLAN_TRY(count_graph(&c, order[0], options->fold));
  }
  return list_symbols(&c, declared_rank);
}

memplan_status memplan_survey_onnx(FILE *file, const memplan_problem_options *options, memplan_survey *survey,
                                   memplan_error *error) {
  memplan_arena scratch;
  memplan_onnx_model model;
  memplan_arena_init(&scratch);
  memplan_status status = memplan_onnx_model_read(file, NULL, &model, error);
  if (status == MEMPLAN_OK) {
    status = survey_model(&model, &scratch, options, survey, error);
    memplan_onnx_model_free(&model);
  }
  memplan_arena_free(&scratch);
  return status;
}
