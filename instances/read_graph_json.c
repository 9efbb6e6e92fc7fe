// SPDX-License-Identifier: Apache-2.0
// Two passes over tensors and operators: first their ids, then everything that refers to ids.
#include "instances/read_graph_json.h"

#include "instances/json_reader.h"
#include "model/base/number.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <string.h>

const char *const memplan_graph_json_keys[] = {"format", "version", "name", "source", "pools", "tensors", "ops", NULL};
const char *const memplan_graph_json_tensor_keys[] = {"id",        "name", "bytes", "align", "roles", "view",
                                                      "donatable", "pin",  "dtype", "shape", "pools", NULL};
const char *const memplan_graph_json_view_keys[] = {"of", "offset", NULL};
const char *const memplan_graph_json_op_keys[] = {
    "id",   "type",  "in",          "out",   "writes",          "inplace", "workspace", "workspace_align",
    "cost", "after", "async_until", "group", "workspace_pools", "stream",  NULL};

enum { path_size = 256 };

typedef struct graph_reader {
  memplan_json_reader json;
  memplan_graph *graph;
  memplan_names tensors, ops, groups;
} graph_reader;

// ---- tensors

static memplan_status read_roles(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                 memplan_tensor *tensor) {
  static const struct {
    const char *name;
    memplan_role role;
  } roles[] = {{"input", MEMPLAN_ROLE_INPUT},
               {"output", MEMPLAN_ROLE_OUTPUT},
               {"weight", MEMPLAN_ROLE_WEIGHT},
               {"variable", MEMPLAN_ROLE_VARIABLE}};
  const json_t *array = NULL;
  int32_t count = 0;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "roles", place, false, false, &array, &count));
  memplan_json_place list = {place, "roles", 0};
  for (int32_t i = 0; i < count; i++) {
    const char *text = json_string_value(json_array_get(array, (size_t)i));
    memplan_json_place element = {&list, NULL, (size_t)i};
    bool known = false;
    for (size_t j = 0; text != NULL && j < sizeof roles / sizeof roles[0]; j++) {
      if (strcmp(text, roles[j].name) == 0) {
        tensor->roles |= (uint8_t)roles[j].role;
        known = true;
      }
    }
    if (!known) {
      return memplan_json_fail(&r->json, &element, NULL, "must be \"input\", \"output\", \"weight\" or \"variable\"");
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_view(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                memplan_tensor *tensor) {
  const json_t *view = NULL;
  MEMPLAN_TRY(memplan_json_object(object, "view", place, false, &view, r->json.error));
  if (view == NULL) {
    return MEMPLAN_OK;
  }
  memplan_json_place inner = {place, "view", 0};
  memplan_json_place of = {&inner, "of", 0};
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, view, &inner, "view", memplan_graph_json_view_keys));
  MEMPLAN_TRY(
      memplan_json_read_reference(&r->json, json_object_get(view, "of"), &of, &r->tensors, "tensor", &tensor->view_of));
  return memplan_json_integer(view, "offset", &inner, false, 0, MEMPLAN_SIZE_LIMIT, &tensor->view_offset,
                              r->json.error);
}

static memplan_status read_dtype(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                 memplan_tensor *tensor) {
  const json_t *field = json_object_get(object, "dtype");
  if (field == NULL || json_is_null(field)) {
    return MEMPLAN_OK;
  }
  if (!json_is_string(field)) {
    return memplan_json_fail(&r->json, place, "dtype", "must be a string, as in \"f32\"");
  }
  tensor->dtype = memplan_dtype_parse(json_string_value(field));
  if (tensor->dtype != MEMPLAN_DTYPE_NONE) {
    return MEMPLAN_OK;
  }
  char path[path_size];
  return memplan_remarks_warn(&r->json.remarks, MEMPLAN_REMARK_DTYPE, r->json.error, "%s: unknown type '%s' is ignored",
                              memplan_json_path(place, "dtype", path, sizeof path),
                              memplan_quote(json_string_value(field)).text);
}

static memplan_status read_shape(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                 memplan_tensor *tensor) {
  const json_t *array = NULL;
  int32_t count = 0;
  tensor->rank = -1;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "shape", place, false, false, &array, &count));
  if (array == NULL) {
    return MEMPLAN_OK;
  }
  int64_t *shape = MEMPLAN_NEW(r->json.arena, int64_t, count);
  if (shape == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, "shape", 0};
  for (int32_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(array, (size_t)i);
    memplan_json_place element = {&list, NULL, (size_t)i};
    if (!json_is_integer(item) || json_integer_value(item) < 0) {
      return memplan_json_fail(&r->json, &element, NULL, "must be an integer >= 0");
    }
    shape[i] = json_integer_value(item);
  }
  tensor->shape = shape;
  tensor->rank = count;
  return MEMPLAN_OK;
}

static memplan_status check_size(const graph_reader *r, const memplan_json_place *place, const memplan_tensor *tensor) {
  if (tensor->rank < 0 || memplan_dtype_bits(tensor->dtype) == 0) {
    return MEMPLAN_OK;
  }
  int64_t bytes = memplan_dtype_tensor_bytes(tensor->dtype, tensor->rank, tensor->shape);
  if (bytes == tensor->bytes) {
    return MEMPLAN_OK;
  }
  char path[path_size];
  (void)memplan_json_path(place, "bytes", path, sizeof path);
  if (bytes < 0) {
    return memplan_fail(r->json.error, MEMPLAN_INPUT, "%s: the shape has more elements than 64 bits can count", path);
  }
  return memplan_fail(
      r->json.error, MEMPLAN_INPUT,
      "%s is %lld, but dtype %s and shape make %lld; correct one, or leave shape out if the tensor is not contiguous",
      path, (long long)tensor->bytes, memplan_dtype_name(tensor->dtype), (long long)bytes);
}

static memplan_status read_tensor(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                  memplan_tensor *tensor) {
  memplan_error *error = r->json.error;
  tensor->align = 1;
  tensor->pin = -1;
  tensor->view_of = -1;
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, place, "tensors[]", memplan_graph_json_tensor_keys));
  MEMPLAN_TRY(memplan_json_string(object, "name", place, false, r->json.arena, &tensor->name, error));
  MEMPLAN_TRY(memplan_json_integer(object, "bytes", place, true, 0, MEMPLAN_SIZE_LIMIT, &tensor->bytes, error));
  MEMPLAN_TRY(memplan_json_integer(object, "align", place, false, 1, MEMPLAN_SIZE_LIMIT - 1, &tensor->align, error));
  MEMPLAN_TRY(read_roles(r, object, place, tensor));
  MEMPLAN_TRY(read_view(r, object, place, tensor));
  MEMPLAN_TRY(memplan_json_boolean(object, "donatable", place, &tensor->donatable, error));
  MEMPLAN_TRY(memplan_json_integer(object, "pin", place, false, 0, MEMPLAN_OFFSET_LIMIT, &tensor->pin, error));
  MEMPLAN_TRY(read_dtype(r, object, place, tensor));
  MEMPLAN_TRY(read_shape(r, object, place, tensor));
  MEMPLAN_TRY(check_size(r, place, tensor));
  return memplan_json_read_references(&r->json, object, "pools", place, &r->json.pools, "pool", &tensor->pools,
                                      &tensor->n_pools);
}

// ---- operators

static memplan_status read_inplace(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                   memplan_op *op) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "inplace", place, false, false, &array, &op->n_inplace));
  memplan_inplace *pairs = MEMPLAN_NEW(r->json.arena, memplan_inplace, op->n_inplace);
  if (pairs == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, "inplace", 0};
  for (int32_t i = 0; i < op->n_inplace; i++) {
    const json_t *pair = json_array_get(array, (size_t)i);
    memplan_json_place element = {&list, NULL, (size_t)i};
    if (!json_is_array(pair) || json_array_size(pair) != 2) {
      return memplan_json_fail(&r->json, &element, NULL, "must be [output, input], two ids of tensors");
    }
    memplan_json_place output = {&element, NULL, 0};
    memplan_json_place input = {&element, NULL, 1};
    MEMPLAN_TRY(memplan_json_read_reference(&r->json, json_array_get(pair, 0), &output, &r->tensors, "tensor",
                                            &pairs[i].output));
    MEMPLAN_TRY(
        memplan_json_read_reference(&r->json, json_array_get(pair, 1), &input, &r->tensors, "tensor", &pairs[i].input));
  }
  op->inplace = pairs;
  return MEMPLAN_OK;
}

static memplan_status read_async(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                 memplan_op *op) {
  const json_t *field = json_object_get(object, "async_until");
  if (field == NULL || json_is_null(field)) {
    return MEMPLAN_OK;
  }
  memplan_json_place inner = {place, "async_until", 0};
  return memplan_json_read_reference(&r->json, field, &inner, &r->ops, "operator", &op->async_until);
}

// A group is a string, or a number that stands for its decimal digits.
static memplan_status read_group(graph_reader *r, const json_t *object, const memplan_json_place *place,
                                 memplan_op *op) {
  const json_t *field = json_object_get(object, "group");
  if (field == NULL || json_is_null(field)) {
    return MEMPLAN_OK;
  }
  char digits[24];
  const char *text = json_string_value(field);
  if (json_is_integer(field)) {
    (void)snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(field));
    text = digits;
  }
  if (text == NULL || text[0] == '\0') {
    return memplan_json_fail(&r->json, place, "group", "must be a non-empty string or an integer");
  }
  op->group = memplan_names_find(&r->groups, text);
  if (op->group >= 0) {
    return MEMPLAN_OK;
  }
  const char *name = memplan_arena_text(r->json.arena, text, strlen(text));
  op->group = r->graph->n_groups;
  if (name == NULL || !memplan_arena_append(r->json.arena, &r->graph->groups, &r->graph->n_groups, name) ||
      memplan_names_add(&r->groups, name, op->group) != -1) {
    return memplan_fail_nomem(r->json.error);
  }
  return MEMPLAN_OK;
}

static memplan_status read_op(graph_reader *r, const json_t *object, const memplan_json_place *place, memplan_op *op) {
  memplan_error *error = r->json.error;
  op->workspace_align = 1;
  op->cost = 1;
  op->async_until = -1;
  op->group = -1;
  int64_t stream = 0;
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, place, "ops[]", memplan_graph_json_op_keys));
  MEMPLAN_TRY(memplan_json_string(object, "type", place, false, r->json.arena, &op->type, error));
  MEMPLAN_TRY(memplan_json_read_references(&r->json, object, "in", place, &r->tensors, "tensor", &op->in, &op->n_in));
  MEMPLAN_TRY(
      memplan_json_read_references(&r->json, object, "out", place, &r->tensors, "tensor", &op->out, &op->n_out));
  MEMPLAN_TRY(memplan_json_read_references(&r->json, object, "writes", place, &r->tensors, "tensor", &op->writes,
                                           &op->n_writes));
  MEMPLAN_TRY(read_inplace(r, object, place, op));
  MEMPLAN_TRY(memplan_json_integer(object, "workspace", place, false, 0, MEMPLAN_SIZE_LIMIT, &op->workspace, error));
  MEMPLAN_TRY(memplan_json_integer(object, "workspace_align", place, false, 1, MEMPLAN_SIZE_LIMIT - 1,
                                   &op->workspace_align, error));
  MEMPLAN_TRY(memplan_json_integer(object, "cost", place, false, 0, INT64_MAX, &op->cost, error));
  MEMPLAN_TRY(
      memplan_json_read_references(&r->json, object, "after", place, &r->ops, "operator", &op->after, &op->n_after));
  MEMPLAN_TRY(read_async(r, object, place, op));
  MEMPLAN_TRY(read_group(r, object, place, op));
  MEMPLAN_TRY(memplan_json_read_references(&r->json, object, "workspace_pools", place, &r->json.pools, "pool",
                                           &op->workspace_pools, &op->n_workspace_pools));
  MEMPLAN_TRY(memplan_json_integer(object, "stream", place, false, 0, INT32_MAX, &stream, error));
  op->stream = (int32_t)stream;
  return MEMPLAN_OK;
}

// ---- the document

static memplan_status read_ids(graph_reader *r, const json_t *tensors, const json_t *ops) {
  memplan_graph *graph = r->graph;
  memplan_json_place tensor_list = {NULL, "tensors", 0};
  memplan_json_place op_list = {NULL, "ops", 0};
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    MEMPLAN_TRY(memplan_json_read_id(&r->json, json_array_get(tensors, (size_t)i), &tensor_list, (size_t)i, &r->tensors,
                                     &graph->tensors[i].id));
  }
  for (int32_t i = 0; i < graph->n_ops; i++) {
    MEMPLAN_TRY(memplan_json_read_id(&r->json, json_array_get(ops, (size_t)i), &op_list, (size_t)i, &r->ops,
                                     &graph->ops[i].id));
  }
  return MEMPLAN_OK;
}

static memplan_status read_document(graph_reader *r, const json_t *document) {
  memplan_graph *graph = r->graph;
  memplan_error *error = r->json.error;
  const json_t *tensors = NULL;
  const json_t *ops = NULL;
  MEMPLAN_TRY(memplan_json_check_heading(&r->json, document, "memplan-graph"));
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, document, NULL, "", memplan_graph_json_keys));
  MEMPLAN_TRY(memplan_json_string(document, "name", NULL, false, r->json.arena, &graph->name, error));
  MEMPLAN_TRY(memplan_json_string(document, "source", NULL, false, r->json.arena, &graph->source, error));
  MEMPLAN_TRY(memplan_json_read_pools(&r->json, document, &graph->pools, &graph->n_pools));
  MEMPLAN_TRY(memplan_json_read_list(&r->json, document, "tensors", NULL, true, true, &tensors, &graph->n_tensors));
  MEMPLAN_TRY(memplan_json_read_list(&r->json, document, "ops", NULL, true, true, &ops, &graph->n_ops));
  graph->tensors = MEMPLAN_NEW(r->json.arena, memplan_tensor, graph->n_tensors);
  graph->ops = MEMPLAN_NEW(r->json.arena, memplan_op, graph->n_ops);
  if (graph->tensors == NULL || graph->ops == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(read_ids(r, tensors, ops));
  memplan_json_place tensor_list = {NULL, "tensors", 0};
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    memplan_json_place place = {&tensor_list, NULL, (size_t)i};
    MEMPLAN_TRY(read_tensor(r, json_array_get(tensors, (size_t)i), &place, &graph->tensors[i]));
  }
  memplan_json_place op_list = {NULL, "ops", 0};
  for (int32_t i = 0; i < graph->n_ops; i++) {
    memplan_json_place place = {&op_list, NULL, (size_t)i};
    MEMPLAN_TRY(read_op(r, json_array_get(ops, (size_t)i), &place, &graph->ops[i]));
  }
  return memplan_remarks_finish(&r->json.remarks, error);
}

memplan_status memplan_graph_from_json(const json_t *document, bool strict, memplan_graph *graph,
                                       memplan_error *error) {
  graph_reader r = {.graph = graph};
  r.json.arena = &graph->arena;
  r.json.remarks.graph = graph;
  r.json.remarks.strict = strict;
  r.json.error = error;
  memplan_status status = read_document(&r, document);
  memplan_names_free(&r.tensors);
  memplan_names_free(&r.ops);
  memplan_names_free(&r.groups);
  memplan_json_reader_free(&r.json);
  return status;
}
