// SPDX-License-Identifier: Apache-2.0
// One spelling for each graph: fields at their default are left out, keys stand
// in one order, tensors are sorted by id.
//
// The canonical form also sorts the operators by id, as far as that may be: it
// takes the one with the least id among those whose predecessors all stand. What
// must run before what follows from the given order (writes to the same bytes
// keep it), and the other way round: such an order has the same dependencies, so
// that two graphs share this form only if they are the same problem.
#include "model/base/heap.h"
#include "model/base/ids.h"
#include "model/base/json.h"
#include "model/base/json_write.h"
#include "model/base/names.h"
#include "model/form_json.h"
#include "model/problem.h"
#include "model/problem_json.h"

static json_t *roles_json(uint8_t roles) {
  static const struct {
    memplan_role role;
    const char *name;
  } names[] = {{MEMPLAN_ROLE_INPUT, "input"},
               {MEMPLAN_ROLE_OUTPUT, "output"},
               {MEMPLAN_ROLE_WEIGHT, "weight"},
               {MEMPLAN_ROLE_VARIABLE, "variable"}};
  json_t *array = json_array();
  bool good = array != NULL;
  for (size_t i = 0; good && i < sizeof names / sizeof names[0]; i++) {
    good = (roles & names[i].role) == 0 || memplan_json_add(array, json_string(names[i].name));
  }
  return memplan_json_finish(array, good);
}

static json_t *view_json(const memplan_graph *graph, const memplan_tensor *tensor) {
  json_t *object = json_object();
  return memplan_json_finish(object, memplan_json_set_string(object, "of", graph->tensors[tensor->view_of].id) &&
                                         memplan_json_set_unless(object, "offset", tensor->view_offset, 0));
}

static json_t *shape_json(const memplan_tensor *tensor) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < tensor->rank; i++) {
    good = memplan_json_add(array, json_integer(tensor->shape[i]));
  }
  return memplan_json_finish(array, good);
}

static json_t *tensor_json(const memplan_graph *graph, const memplan_tensor *tensor) {
  json_t *object = json_object();
  return memplan_json_finish(
      object, memplan_json_set_string(object, "id", tensor->id) &&
                  memplan_json_set_text(object, "name", tensor->name) &&
                  memplan_json_set_integer(object, "bytes", tensor->bytes) &&
                  memplan_json_set_unless(object, "align", tensor->align, 1) &&
                  (tensor->roles == 0 || memplan_json_set(object, "roles", roles_json(tensor->roles))) &&
                  (tensor->view_of < 0 || memplan_json_set(object, "view", view_json(graph, tensor))) &&
                  memplan_json_set_true(object, "donatable", tensor->donatable) &&
                  memplan_json_set_unless(object, "pin", tensor->pin, -1) &&
                  memplan_json_set_text(object, "dtype", memplan_dtype_name(tensor->dtype)) &&
                  (tensor->rank < 0 || memplan_json_set(object, "shape", shape_json(tensor))) &&
                  memplan_form_put_pool_ids(object, "pools", graph->pools, tensor->pools, tensor->n_pools));
}

// The weights of bodies under ids of their own, for a form that has no bodies.
// Empty for one that keeps them apart.
typedef struct inner_ids {
  const char **ids; // by inner weight
  int32_t count;
  int32_t *first, *by_op; // by operator: the inner weights that its bodies
                          // read; NULL without any
} inner_ids;

static json_t *inner_json(const memplan_inner_weight *weight, const char *id) {
  json_t *object = json_object();
  return memplan_json_finish(
      object, memplan_json_set_string(object, "id", id) && memplan_json_set_integer(object, "bytes", weight->bytes) &&
                  memplan_json_set_unless(object, "align", weight->residue == 0 ? weight->align : 1, 1) &&
                  memplan_json_set(object, "roles", roles_json(MEMPLAN_ROLE_WEIGHT)));
}

// An operator reads its own inputs, and the weights that its bodies read.
static bool put_inputs(json_t *object, const memplan_graph *graph, int32_t index, const inner_ids *inner) {
  const memplan_op *op = &graph->ops[index];
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < op->n_in; i++) {
    good = memplan_json_add(array, json_string(graph->tensors[op->in[i]].id));
  }
  for (int32_t k = 0; good && k < inner->count; k++) {
    const memplan_inner_weight *weight = &graph->inner_weights[k];
    good = weight->op != index || !weight->touched || memplan_json_add(array, json_string(inner->ids[k]));
  }
  if (good && json_array_size(array) == 0) {
    json_decref(array);
    return true;
  }
  return memplan_json_set(object, "in", memplan_json_finish(array, good));
}

static bool put_tensors(json_t *object, const char *key, const memplan_graph *graph, const int32_t *list,
                        int32_t count) {
  if (count == 0) {
    return true;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_add(array, json_string(graph->tensors[list[i]].id));
  }
  return memplan_json_set(object, key, memplan_json_finish(array, good));
}

static bool put_after(json_t *object, const memplan_graph *graph, const memplan_op *op) {
  if (op->n_after == 0) {
    return true;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < op->n_after; i++) {
    good = memplan_json_add(array, json_string(graph->ops[op->after[i]].id));
  }
  return memplan_json_set(object, "after", memplan_json_finish(array, good));
}

static bool put_inplace(json_t *object, const memplan_graph *graph, const memplan_op *op) {
  if (op->n_inplace == 0) {
    return true;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < op->n_inplace; i++) {
    const memplan_inplace *pair = &op->inplace[i];
    good =
        memplan_json_add(array, memplan_json_strings(graph->tensors[pair->output].id, graph->tensors[pair->input].id));
  }
  return memplan_json_set(object, "inplace", memplan_json_finish(array, good));
}

static json_t *op_json(const memplan_graph *graph, int32_t index, const inner_ids *inner, int64_t workspace) {
  const memplan_op *op = &graph->ops[index];
  json_t *object = json_object();
  return memplan_json_finish(
      object,
      memplan_json_set_string(object, "id", op->id) && memplan_json_set_text(object, "type", op->type) &&
          put_inputs(object, graph, index, inner) && put_tensors(object, "out", graph, op->out, op->n_out) &&
          put_tensors(object, "writes", graph, op->writes, op->n_writes) && put_inplace(object, graph, op) &&
          memplan_json_set_unless(object, "workspace", workspace, 0) &&
          memplan_json_set_unless(object, "workspace_align", op->workspace_align, 1) &&
          memplan_json_set_unless(object, "cost", op->cost, 1) && put_after(object, graph, op) &&
          (op->async_until < 0 || memplan_json_set_string(object, "async_until", graph->ops[op->async_until].id)) &&
          (op->group < 0 || memplan_json_set_string(object, "group", graph->groups[op->group])) &&
          memplan_form_put_pool_ids(object, "workspace_pools", graph->pools, op->workspace_pools,
                                    op->n_workspace_pools) &&
          memplan_json_set_unless(object, "stream", op->stream, 0));
}

static json_t *tensors_json(const memplan_graph *graph, const inner_ids *inner) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, (int64_t)graph->n_tensors + inner->count);
  json_t *array = json_array();
  bool good = ids != NULL && array != NULL && inner->count <= INT32_MAX - graph->n_tensors;
  int32_t count = good ? graph->n_tensors + inner->count : 0;
  for (int32_t i = 0; i < count; i++) {
    ids[i] = (memplan_id){i < graph->n_tensors ? graph->tensors[i].id : inner->ids[i - graph->n_tensors], i};
  }
  if (good) {
    memplan_ids_sort(ids, count);
  }
  for (int32_t i = 0; good && i < count; i++) {
    int32_t weight = ids[i].index - graph->n_tensors;
    good = memplan_json_add(array, weight < 0 ? tensor_json(graph, &graph->tensors[ids[i].index])
                                              : inner_json(&graph->inner_weights[weight], ids[i].text));
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(array, good);
}

// `order` NULL: the given one.
static json_t *ops_json(const memplan_graph *graph, const int32_t *order, const int64_t *workspace,
                        const inner_ids *inner) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < graph->n_ops; i++) {
    int32_t op = order != NULL ? order[i] : i;
    good = memplan_json_add(array,
                            op_json(graph, op, inner, workspace != NULL ? workspace[op] : graph->ops[op].workspace));
  }
  return memplan_json_finish(array, good);
}

// NULL if memory is out.
static int32_t *sort_operators(const memplan_graph *graph, memplan_arena *arena) {
  memplan_id *ids = MEMPLAN_NEW(arena, memplan_id, graph->n_ops);
  int32_t *rank = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  int32_t *waiting = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  int32_t *order = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  memplan_heap ready = {.entries = MEMPLAN_NEW(arena, memplan_heap_entry, graph->n_ops)};
  if (ids == NULL || rank == NULL || waiting == NULL || order == NULL || ready.entries == NULL) {
    return NULL;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    ids[op] = (memplan_id){graph->ops[op].id, op};
  }
  memplan_ids_sort(ids, graph->n_ops);
  for (int32_t k = 0; k < graph->n_ops; k++) {
    rank[ids[k].index] = k;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    waiting[op] = graph->pred_first[op + 1] - graph->pred_first[op];
    if (waiting[op] == 0) {
      memplan_heap_push(&ready, (memplan_heap_entry){rank[op], op, op});
    }
  }
  for (int32_t n = 0; ready.n > 0; n++) {
    int32_t op = memplan_heap_pop(&ready).item;
    order[n] = op;
    for (int32_t k = graph->succ_first[op]; k < graph->succ_first[op + 1]; k++) {
      if (--waiting[graph->succ[k]] == 0) {
        memplan_heap_push(&ready, (memplan_heap_entry){rank[graph->succ[k]], graph->succ[k], graph->succ[k]});
      }
    }
  }
  return order;
}

static bool name_inner(const memplan_graph *graph, memplan_arena *arena, inner_ids *inner) {
  memplan_names names = {0};
  inner->ids = MEMPLAN_NEW(arena, const char *, graph->n_inner_weights);
  bool good = inner->ids != NULL;
  for (int32_t i = 0; good && i < graph->n_tensors; i++) {
    good = memplan_names_add(&names, graph->tensors[i].id, 1) != -2;
  }
  for (int32_t k = 0; good && k < graph->n_inner_weights; k++) {
    inner->ids[k] = memplan_names_unique(&names, arena, graph->inner_weights[k].id);
    good = inner->ids[k] != NULL;
  }
  inner->count = graph->n_inner_weights;
  memplan_names_free(&names);
  return good;
}

static bool index_inner(const memplan_graph *graph, memplan_arena *arena, inner_ids *inner) {
  int32_t *next = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  inner->first = MEMPLAN_NEW(arena, int32_t, (int64_t)graph->n_ops + 1);
  inner->by_op = MEMPLAN_NEW(arena, int32_t, graph->n_inner_weights);
  if (next == NULL || inner->first == NULL || inner->by_op == NULL) {
    return false;
  }
  for (int32_t k = 0; k < graph->n_inner_weights; k++) {
    inner->first[graph->inner_weights[k].op + 1] += graph->inner_weights[k].touched ? 1 : 0;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    inner->first[op + 1] += inner->first[op];
    next[op] = inner->first[op];
  }
  for (int32_t k = 0; k < graph->n_inner_weights; k++) {
    if (graph->inner_weights[k].touched) {
      inner->by_op[next[graph->inner_weights[k].op]++] = k;
    }
  }
  return true;
}

static json_t *graph_json(const memplan_graph *graph, const int32_t *order, const int64_t *workspace,
                          const inner_ids *inner) {
  json_t *object = memplan_form_heading("memplan-graph", graph->name, graph->source);
  return memplan_json_finish(object, object != NULL && memplan_form_put_pools(object, graph->pools, graph->n_pools) &&
                                         memplan_json_set(object, "tensors", tensors_json(graph, inner)) &&
                                         memplan_json_set(object, "ops", ops_json(graph, order, workspace, inner)));
}

json_t *memplan_graph_to_json(const memplan_graph *graph, const int64_t *workspace) {
  memplan_arena arena = {0};
  inner_ids inner = {.count = 0};
  bool named = workspace == NULL || graph->n_inner_weights == 0 ||
               (name_inner(graph, &arena, &inner) && index_inner(graph, &arena, &inner));
  json_t *result = named ? graph_json(graph, NULL, workspace, &inner) : NULL;
  memplan_arena_free(&arena);
  return result;
}

json_t *memplan_graph_canonical_json(const memplan_graph *graph) {
  memplan_arena arena = {0};
  const inner_ids none = {.count = 0};
  const int32_t *order = sort_operators(graph, &arena);
  json_t *result = order != NULL ? graph_json(graph, order, NULL, &none) : NULL;
  memplan_arena_free(&arena);
  return result;
}
