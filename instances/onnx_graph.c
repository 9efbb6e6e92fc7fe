// SPDX-License-Identifier: Apache-2.0
// One pass over the nodes that are left after folding makes operators and tensors; views and in-place pairs follow from
// the kind of operator and the sizes. Bodies are built when the graph around them is complete, so that the map from
// values to tensors, of which there is one for all graphs, belongs to one graph at a time.
#include "instances/onnx_graph.h"

#include "instances/onnx_constant.h"

#include <stdio.h>
#include <string.h>

static bool is_view_operator(const memplan_onnx_node *node) {
  static const char *const types[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
  for (size_t k = 0; node->domain[0] == '\0' && k < sizeof types / sizeof *types; k++) {
    if (strcmp(node->op_type, types[k]) == 0) {
      return node->n_in > 0 && node->n_out > 0 && node->in[0] >= 0 && node->out[0] >= 0;
    }
  }
  return false;
}

static memplan_status keep_nodes(memplan_onnx_work *work) {
  const memplan_onnx_graph *graph = &work->build->model->graphs[work->index];
  work->kept = MEMPLAN_NEW(work->build->scratch, const memplan_onnx_node *, graph->n_nodes);
  if (work->kept == NULL) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t k = 0; k < graph->n_nodes; k++) {
    const memplan_onnx_node *node = &graph->nodes[work->build->order[work->index][k]];
    if (memplan_onnx_is_kept(work->build->model, work->build->options->fold, node)) {
      work->kept[work->n_kept++] = node;
    }
  }
  return MEMPLAN_OK;
}

// ---- ids

// The id of an operator is the name of its node or, if it has none or shares it with another node, that of its first
// output. So ids do not depend on the order of the nodes. Names that one node has come first, so that no other id takes
// them.
static memplan_status name_operators(memplan_onnx_work *work) {
  enum { once = 1, more = 2 };
  memplan_graph *graph = work->graph;
  memplan_names uses = {0};
  bool good = true;
  for (int32_t i = 0; i < work->n_kept && good; i++) {
    const char *name = work->kept[i]->name;
    int32_t before = name[0] != '\0' ? memplan_names_add(&uses, name, once) : more;
    good = before != -2 && (before != once || memplan_names_set(&uses, name, more));
  }
  for (int32_t i = 0; i < work->n_kept && good; i++) {
    const char *name = work->kept[i]->name;
    if (name[0] != '\0' && memplan_names_find(&uses, name) == once) {
      graph->ops[i].id = memplan_arena_text(&graph->arena, name, strlen(name));
      good = graph->ops[i].id != NULL && memplan_names_add(&work->op_ids, name, 1) != -2;
    }
  }
  memplan_names_free(&uses);
  if (!good) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t i = 0; i < work->n_kept; i++) {
    const memplan_onnx_node *node = work->kept[i];
    const char *base = node->op_type;
    for (int32_t k = node->n_out - 1; k >= 0; k--) {
      base = node->out[k] >= 0 ? work->build->model->values[node->out[k]].name : base;
    }
    if (graph->ops[i].id == NULL) {
      graph->ops[i].id = memplan_onnx_unique(&graph->arena, &work->op_ids, base);
    }
    if (graph->ops[i].id == NULL) {
      return memplan_fail_nomem(work->error);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_onnx_name_kept(memplan_onnx_build *build, int32_t index, memplan_graph *graph,
                                      const memplan_onnx_node ***kept, memplan_error *error) {
  memplan_onnx_work work = {.build = build, .index = index, .graph = graph, .error = error};
  memplan_names_init(&work.op_ids);
  memplan_status status = keep_nodes(&work);
  *kept = work.kept;
  graph->n_ops = work.n_kept;
  if (status == MEMPLAN_OK) {
    graph->ops = MEMPLAN_NEW(&graph->arena, memplan_op, work.n_kept);
    status = graph->ops != NULL ? name_operators(&work) : memplan_fail_nomem(error);
  }
  memplan_names_free(&work.op_ids);
  return status;
}

static const char *name_type(memplan_arena *arena, const memplan_onnx_node *node) {
  size_t size = strlen(node->domain) + strlen(node->op_type) + 2;
  char *text = memplan_arena_alloc(arena, size, 1);
  if (text != NULL) {
    (void)snprintf(text, size, "%s%s%s", node->domain, node->domain[0] != '\0' ? "." : "", node->op_type);
  }
  return text;
}

// ---- operators

static memplan_status add_accesses(memplan_onnx_work *work, const memplan_onnx_node *node, memplan_op *op) {
  int32_t *in = MEMPLAN_NEW(&work->graph->arena, int32_t, (size_t)node->n_in + (size_t)node->n_captures);
  int32_t *out = MEMPLAN_NEW(&work->graph->arena, int32_t, node->n_out);
  if (in == NULL || out == NULL || node->n_captures > INT32_MAX - node->n_in) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t i = 0; i < node->n_in + node->n_captures; i++) {
    int32_t value = i < node->n_in ? node->in[i] : node->captures[i - node->n_in];
    if (value >= 0) {
      MEMPLAN_TRY(memplan_onnx_find_tensor(work, value, &in[op->n_in]));
      op->n_in++;
    }
  }
  for (int32_t i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      MEMPLAN_TRY(memplan_onnx_find_tensor(work, node->out[i], &out[op->n_out]));
      work->graph->tensors[out[op->n_out]].roles = 0; // it is written, whatever is known of its value
      op->n_out++;
    }
  }
  op->in = in;
  op->out = out;
  return MEMPLAN_OK;
}

static void make_view(memplan_onnx_work *work, const memplan_onnx_node *node) {
  if (work->build->options->views != MEMPLAN_VIEWS_RESHAPE || !is_view_operator(node)) {
    return;
  }
  int32_t base = work->build->tensor_of[node->in[0]];
  memplan_tensor *tensor = &work->graph->tensors[work->build->tensor_of[node->out[0]]];
  if (tensor->bytes == work->graph->tensors[base].bytes) {
    // All views begin where their buffer begins, so a view of a view is one of the buffer's root.
    int32_t root = work->graph->tensors[base].view_of;
    tensor->view_of = root >= 0 ? root : base;
  }
}

static bool lies_in_weight(const memplan_graph *graph, int32_t tensor) {
  int32_t root = graph->tensors[tensor].view_of;
  return (graph->tensors[root >= 0 ? root : tensor].roles & MEMPLAN_ROLE_WEIGHT) != 0;
}

static memplan_status add_inplace(memplan_onnx_work *work, const memplan_onnx_node *node, memplan_op *op) {
  const memplan_graph *graph = work->graph;
  if (work->build->options->inplace != MEMPLAN_INPLACE_SAFE || node->n_out < 1 || node->out[0] < 0 ||
      !memplan_onnx_may_overwrite(node, 0)) {
    return MEMPLAN_OK;
  }
  int32_t output = work->build->tensor_of[node->out[0]];
  int32_t output_bits = memplan_dtype_bits(graph->tensors[output].dtype);
  memplan_inplace *pairs = MEMPLAN_NEW(&work->graph->arena, memplan_inplace, node->n_in);
  if (pairs == NULL) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t k = 0; k < node->n_in; k++) {
    if (node->in[k] < 0 || !memplan_onnx_may_overwrite(node, k)) {
      continue;
    }
    int32_t input = work->build->tensor_of[node->in[k]];
    bool same = output_bits > 0 && memplan_dtype_bits(graph->tensors[input].dtype) == output_bits &&
                graph->tensors[input].bytes == graph->tensors[output].bytes;
    bool listed = false;
    for (int32_t i = 0; i < op->n_inplace; i++) {
      listed = listed || pairs[i].input == input;
    }
    if (same && !listed && !lies_in_weight(graph, input)) {
      pairs[op->n_inplace++] = (memplan_inplace){output, input};
    }
  }
  op->inplace = pairs;
  return MEMPLAN_OK;
}

static memplan_status add_operators(memplan_onnx_work *work) {
  for (int32_t i = 0; i < work->n_kept; i++) {
    const memplan_onnx_node *node = work->kept[i];
    memplan_op *op = &work->graph->ops[i];
    op->type = name_type(&work->graph->arena, node);
    op->workspace_align = op->cost = 1;
    op->async_until = op->group = -1;
    if (op->type == NULL) {
      return memplan_fail_nomem(work->error);
    }
    MEMPLAN_TRY(add_accesses(work, node, op));
    make_view(work, node);
    MEMPLAN_TRY(add_inplace(work, node, op));
  }
  return MEMPLAN_OK;
}

// ---- graph inputs and outputs

static memplan_status add_inputs(memplan_onnx_work *work) {
  const memplan_onnx_graph *graph = &work->build->model->graphs[work->index];
  for (int32_t i = 0; i < graph->n_inputs; i++) {
    int32_t tensor = 0;
    MEMPLAN_TRY(memplan_onnx_find_tensor(work, graph->inputs[i], &tensor));
    work->graph->tensors[tensor].roles = MEMPLAN_ROLE_INPUT;
  }
  return MEMPLAN_OK;
}

static memplan_status find_outputs(memplan_onnx_work *work) {
  const memplan_onnx_graph *graph = &work->build->model->graphs[work->index];
  work->outputs = MEMPLAN_NEW(work->build->scratch, int32_t, graph->n_outputs);
  if (work->outputs == NULL) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t i = 0; i < graph->n_outputs; i++) {
    MEMPLAN_TRY(memplan_onnx_find_tensor(work, graph->outputs[i], &work->outputs[i]));
  }
  return MEMPLAN_OK;
}

// A constant stays a weight: it need not be in the arena to be given out.
static memplan_status mark_outputs(memplan_onnx_work *work) {
  const memplan_onnx_graph *graph = &work->build->model->graphs[work->index];
  for (int32_t i = 0; i < graph->n_outputs; i++) {
    memplan_tensor *tensor = &work->graph->tensors[work->outputs[i]];
    if ((tensor->roles & MEMPLAN_ROLE_WEIGHT) == 0) {
      tensor->roles |= MEMPLAN_ROLE_OUTPUT;
    } else if (graph->outer < 0) {
      MEMPLAN_TRY(memplan_remarks_warn(work->build->remarks, MEMPLAN_REMARK_OTHER, work->error,
                                       "output '%.200s' is a constant: counted among the weights", tensor->id));
    }
  }
  return MEMPLAN_OK;
}

// ---- bodies

// Is the attribute a body that may run? Of one that never does, inference need not know the shapes.
static bool runs(const memplan_onnx_work *work, const memplan_onnx_attribute *attribute) {
  return attribute->graph >= 0 && !work->build->model->graphs[attribute->graph].unreachable;
}

static memplan_status build_bodies(memplan_onnx_work *work) {
  memplan_graph *graph = work->graph;
  int32_t count = 0;
  for (int32_t i = 0; i < work->n_kept; i++) {
    for (int32_t k = 0; k < work->kept[i]->n_attributes; k++) {
      count += runs(work, &work->kept[i]->attributes[k]);
    }
  }
  graph->bodies = MEMPLAN_NEW(&graph->arena, memplan_body, count);
  if (graph->bodies == NULL) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t i = 0; i < work->n_kept; i++) {
    const memplan_onnx_node *node = work->kept[i];
    for (int32_t k = 0; k < node->n_attributes; k++) {
      if (!runs(work, &node->attributes[k])) {
        continue;
      }
      const char *name = node->attributes[k].name;
      memplan_body body = {.op = i, .io_external = strcmp(node->op_type, "If") == 0 && node->domain[0] == '\0'};
      body.name = memplan_arena_text(&graph->arena, name, strlen(name));
      body.graph = MEMPLAN_NEW(&graph->arena, memplan_graph, 1);
      if (body.name == NULL || body.graph == NULL) {
        return memplan_fail_nomem(work->error);
      }
      memplan_graph_init(body.graph);
      graph->bodies[graph->n_bodies++] = body;
      MEMPLAN_TRY(memplan_onnx_build_graph(work->build, node->attributes[k].graph, body.graph, work->error));
    }
  }
  return MEMPLAN_OK;
}

// ---- the whole

static memplan_status build(memplan_onnx_work *work) {
  memplan_graph *graph = work->graph;
  const char *name = work->build->model->graphs[work->index].name;
  int32_t carried = 0, first_input = 0;
  MEMPLAN_TRY(keep_nodes(work));
  memplan_onnx_find_carried(work, &carried, &first_input);
  graph->name = memplan_arena_text(&graph->arena, name, strlen(name));
  graph->ops = MEMPLAN_NEW(&graph->arena, memplan_op, (size_t)work->n_kept + (size_t)carried);
  if (graph->name == NULL || graph->ops == NULL || work->n_kept > INT32_MAX - carried) {
    return memplan_fail_nomem(work->error);
  }
  graph->n_ops = work->n_kept;
  MEMPLAN_TRY(name_operators(work));
  MEMPLAN_TRY(add_inputs(work));
  MEMPLAN_TRY(add_operators(work));
  MEMPLAN_TRY(find_outputs(work));
  MEMPLAN_TRY(memplan_onnx_separate_carried(work));
  MEMPLAN_TRY(mark_outputs(work));
  if (work->build->options->bodies == MEMPLAN_BODIES_PLAN) {
    MEMPLAN_TRY(build_bodies(work));
  }
  return memplan_graph_resolve(graph, work->error);
}

memplan_status memplan_onnx_build_graph(memplan_onnx_build *shared, int32_t index, memplan_graph *graph,
                                        memplan_error *error) {
  memplan_onnx_work work = {.build = shared, .index = index, .graph = graph, .error = error};
  memplan_names_init(&work.tensor_ids);
  memplan_names_init(&work.op_ids);
  memplan_arena_mark mark = memplan_arena_get_mark(shared->scratch);
  memplan_status status = build(&work);
  memplan_arena_release(shared->scratch, mark);
  memplan_names_free(&work.tensor_ids);
  memplan_names_free(&work.op_ids);
  return status;
}
