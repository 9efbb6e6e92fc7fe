// SPDX-License-Identifier: Apache-2.0
// One spelling for each graph: fields at their default are left out, keys stand in one order, tensors are sorted by id.
#include "model/base/ids.h"
#include "model/base/json.h"
#include "model/base/json_write.h"
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

static json_t *op_json(const memplan_graph *graph, const memplan_op *op, int64_t workspace) {
  json_t *object = json_object();
  return memplan_json_finish(
      object,
      memplan_json_set_string(object, "id", op->id) && memplan_json_set_text(object, "type", op->type) &&
          put_tensors(object, "in", graph, op->in, op->n_in) && put_tensors(object, "out", graph, op->out, op->n_out) &&
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

static json_t *tensors_json(const memplan_graph *graph) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, graph->n_tensors);
  json_t *array = json_array();
  bool good = ids != NULL && array != NULL;
  if (good) {
    for (int32_t i = 0; i < graph->n_tensors; i++) {
      ids[i] = (memplan_id){graph->tensors[i].id, i};
    }
    memplan_ids_sort(ids, graph->n_tensors);
  }
  for (int32_t i = 0; good && i < graph->n_tensors; i++) {
    good = memplan_json_add(array, tensor_json(graph, &graph->tensors[ids[i].index]));
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(array, good);
}

static json_t *ops_json(const memplan_graph *graph, const int64_t *workspace) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < graph->n_ops; i++) {
    const memplan_op *op = &graph->ops[i];
    good = memplan_json_add(array, op_json(graph, op, workspace != NULL ? workspace[i] : op->workspace));
  }
  return memplan_json_finish(array, good);
}

json_t *memplan_graph_to_json(const memplan_graph *graph, const int64_t *workspace) {
  json_t *object = memplan_form_heading("memplan-graph", graph->name, graph->source);
  return memplan_json_finish(object, object != NULL && memplan_form_put_pools(object, graph->pools, graph->n_pools) &&
                                         memplan_json_set(object, "tensors", tensors_json(graph)) &&
                                         memplan_json_set(object, "ops", ops_json(graph, workspace)));
}
