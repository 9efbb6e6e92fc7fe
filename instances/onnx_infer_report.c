// SPDX-License-Identifier: Apache-2.0
// After inference: which tensors that a plan needs have no shape, and whose fault it is.
//
// A node is to blame if all its inputs are known and an output is not: its operator is unknown, or its results depend
// on data. The tensors behind it only inherit the lack.
#include "instances/onnx_infer_run.h"

#include "instances/onnx_constant.h"
#include "instances/onnx_registry.h"

#include <string.h>

enum {
  most_operators = 12, // operator types that a message lists
  most_tensors = 5,
  most_warnings = 5
};

typedef struct blame {
  const char *domain, *type;
  bool unknown;
  int32_t count;
} blame;

typedef struct findings {
  blame operators[most_operators];
  int32_t n_operators;
  const char *tensors[most_tensors];
  int32_t n_tensors;
  const char *symbol; // a dimension name that the file gives to what is unknown
  uint8_t *listed;    // of each value
} findings;

static void note_tensor(memplan_infer *infer, findings *found, int32_t v) {
  const memplan_onnx_value *value = v >= 0 ? &infer->model->values[v] : NULL;
  if (value == NULL || memplan_infer_complete(&value->type) || found->listed[v] != 0) {
    return;
  }
  found->listed[v] = 1;
  if (found->n_tensors < most_tensors) {
    found->tensors[found->n_tensors] = value->name;
  }
  found->n_tensors++;
  memplan_dims dims = memplan_dims_of(&value->type);
  for (int32_t d = 0; value->symbols != NULL && dims.rank == infer->declared[v].rank && d < dims.rank; d++) {
    if (dims.at[d] < 0 && value->symbols[d] != NULL && strcmp(value->symbols[d], "?") != 0 && found->symbol == NULL) {
      found->symbol = value->symbols[d];
    }
  }
}

static void note_operator(findings *found, const memplan_onnx_node *node) {
  bool unknown = memplan_onnx_op_find(node->domain, node->op_type, node->opset) == NULL;
  for (int32_t i = 0; i < found->n_operators; i++) {
    if (strcmp(found->operators[i].type, node->op_type) == 0 && strcmp(found->operators[i].domain, node->domain) == 0) {
      found->operators[i].count++;
      return;
    }
  }
  if (found->n_operators < most_operators) {
    found->operators[found->n_operators++] = (blame){node->domain, node->op_type, unknown, 1};
  }
}

static bool all_complete(const memplan_onnx_model *model, const int32_t *values, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    if (values[k] >= 0 && !memplan_infer_complete(&model->values[values[k]].type)) {
      return false;
    }
  }
  return true;
}

// An operator that gives its body elements of no known shape, as SequenceMap may, is to blame for what is in there.
static void look_at_entry(memplan_infer *infer, findings *found, int32_t graph) {
  const memplan_onnx_graph *g = &infer->model->graphs[graph];
  if (g->outer < 0 || all_complete(infer->model, g->inputs, g->n_inputs)) {
    return;
  }
  const memplan_onnx_node *node = &infer->model->graphs[g->outer].nodes[g->outer_node];
  if (all_complete(infer->model, node->in, node->n_in)) {
    note_operator(found, node);
  }
}

static void look_at_graph(memplan_infer *infer, findings *found, int32_t graph) {
  const memplan_onnx_model *model = infer->model;
  look_at_entry(infer, found, graph);
  for (int32_t i = 0; i < model->graphs[graph].n_nodes; i++) {
    const memplan_onnx_node *node = &model->graphs[graph].nodes[infer->order[graph][i]];
    bool inputs_complete =
        all_complete(model, node->in, node->n_in) && all_complete(model, node->captures, node->n_captures);
    // A folded operator matters only if one that is kept reads its result; it may be to blame all the same.
    if (inputs_complete && !all_complete(model, node->out, node->n_out)) {
      note_operator(found, node);
    }
    if (!memplan_onnx_is_kept(infer->model, infer->options->fold, node)) {
      continue;
    }
    for (int32_t k = 0; k < node->n_in; k++) {
      note_tensor(infer, found, node->in[k]);
    }
    for (int32_t k = 0; k < node->n_captures; k++) {
      note_tensor(infer, found, node->captures[k]);
    }
    for (int32_t k = 0; k < node->n_out; k++) {
      note_tensor(infer, found, node->out[k]);
    }
  }
}

typedef struct list_text {
  char text[360];
  size_t used;
} list_text;

static void add_operators(const findings *found, bool unknown, list_text *list) {
  for (int32_t i = 0; i < found->n_operators; i++) {
    const blame *b = &found->operators[i];
    if (b->unknown != unknown || list->used + 1 >= sizeof list->text) {
      continue;
    }
    int n = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s%s%s (%d)",
                     list->used > 0 ? ", " : "", b->domain, b->domain[0] != '\0' ? "." : "", b->type, (int)b->count);
    size_t rest = sizeof list->text - 1 - list->used;
    list->used += n > 0 ? ((size_t)n < rest ? (size_t)n : rest) : 0;
  }
}

static memplan_status fail_unknown(memplan_infer *infer, const findings *found) {
  list_text unknown = {.used = 0};
  list_text dependent = {.used = 0};
  list_text tensors = {.used = 0};
  add_operators(found, true, &unknown);
  add_operators(found, false, &dependent);
  int32_t shown = found->n_tensors < most_tensors ? found->n_tensors : most_tensors;
  for (int32_t i = 0; i < shown; i++) {
    int n = snprintf(tensors.text + tensors.used, sizeof tensors.text - tensors.used, "%s'%.60s'", i > 0 ? ", " : "",
                     found->tensors[i]);
    tensors.used += n > 0 && (size_t)n < sizeof tensors.text - tensors.used ? (size_t)n : 0;
  }
  char more[40] = "";
  if (found->n_tensors > shown) {
    (void)snprintf(more, sizeof more, " and %d more", (int)(found->n_tensors - shown));
  }
  char hint[200] =
      "; a shape that the file states in its value_info is taken, and --dim settles dimensions named there";
  if (found->symbol != NULL) {
    (void)snprintf(hint, sizeof hint, "; the file calls a dimension '%.40s', which --dim %.40s=... may settle",
                   found->symbol, found->symbol);
  }
  return memplan_fail(infer->error, MEMPLAN_UNSUPPORTED, "%s%s%s%s%s%stensors without shape: %s%s%s",
                      unknown.used > 0 ? "unknown operators: " : "", unknown.text, unknown.used > 0 ? "; " : "",
                      dependent.used > 0 ? "results that depend on data: " : "", dependent.text,
                      dependent.used > 0 ? "; " : "", tensors.text, more, hint);
}

// Whether the file's own declaration contradicts what was inferred.
static bool disagrees(const memplan_onnx_type *inferred, const memplan_onnx_type *declared) {
  if (inferred->kind != MEMPLAN_ONNX_KIND_TENSOR || declared->kind != MEMPLAN_ONNX_KIND_TENSOR) {
    return false;
  }
  if (inferred->elem_type != 0 && declared->elem_type != 0 && inferred->elem_type != declared->elem_type) {
    return true;
  }
  memplan_dims a = memplan_dims_of(inferred);
  memplan_dims b = memplan_dims_of(declared);
  if (a.rank < 0 || b.rank < 0) {
    return false;
  }
  bool differ = a.rank != b.rank;
  for (int32_t d = 0; !differ && d < a.rank; d++) {
    differ = a.at[d] >= 0 && b.at[d] >= 0 && a.at[d] != b.at[d];
  }
  return differ;
}

static memplan_status warn_of_declarations(memplan_infer *infer) {
  memplan_onnx_model *model = infer->model;
  int32_t n = 0;
  for (int32_t v = 0; v < model->n_values; v++) {
    const memplan_onnx_value *value = &model->values[v];
    if (value->node < 0 || model->graphs[value->graph].unreachable || !disagrees(&value->type, &infer->declared[v])) {
      continue;
    }
    n++;
    if (n <= most_warnings &&
        !memplan_onnx_model_warn(model, "the file declares another shape or type for '%s' than its operator gives",
                                 value->name)) {
      return memplan_fail_nomem(infer->error);
    }
  }
  if (n > most_warnings && !memplan_onnx_model_warn(model, "the same for %d more tensors", (int)(n - most_warnings))) {
    return memplan_fail_nomem(infer->error);
  }
  return MEMPLAN_OK;
}

static memplan_status warn_of_branches(memplan_infer *infer) {
  memplan_onnx_model *model = infer->model;
  for (int32_t g = 1; g < model->n_graphs; g++) {
    int32_t outer = model->graphs[g].outer;
    if (infer->contradiction[g] == NULL || model->graphs[outer].unreachable) {
      continue;
    }
    const memplan_onnx_node *node = &model->graphs[outer].nodes[model->graphs[g].outer_node];
    if (!memplan_onnx_model_warn(model, "a branch of %s '%s' cannot run with these shapes and is left out: %s",
                                 node->op_type, node->name, infer->contradiction[g])) {
      return memplan_fail_nomem(infer->error);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_infer_report(memplan_infer *infer) {
  const memplan_onnx_model *model = infer->model;
  MEMPLAN_TRY(warn_of_branches(infer));
  MEMPLAN_TRY(warn_of_declarations(infer));
  findings found = {.listed = MEMPLAN_NEW(&infer->scratch, uint8_t, model->n_values)};
  if (found.listed == NULL) {
    return memplan_fail_nomem(infer->error);
  }
  for (int32_t g = 0; g < model->n_graphs; g++) {
    if (!model->graphs[g].unreachable && (g == 0 || infer->options->bodies == MEMPLAN_BODIES_PLAN)) {
      look_at_graph(infer, &found, g);
    }
  }
  return found.n_tensors > 0 ? fail_unknown(infer, &found) : MEMPLAN_OK;
}
