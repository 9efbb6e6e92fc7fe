// SPDX-License-Identifier: Apache-2.0
// Nodes: names become values, references to a function's attributes become the attributes, and bodies are linked with
// the node that they belong to. Graphs grow meanwhile: everything is held by index.
#include "instances/onnx_constant.h"
#include "instances/onnx_link.h"
#include "model/base/grow.h"

#include <string.h>

memplan_link_label memplan_link_describe(const memplan_proto_node *node) {
  memplan_link_label label;
  const char *output = "";
  for (int64_t i = 0; i < node->out.count && output[0] == '\0'; i++) {
    output = node->out.items[i];
  }
  if (node->name[0] != '\0') {
    (void)snprintf(label.text, sizeof label.text, "node '%.100s' (%.60s)", node->name, node->op_type);
  } else {
    (void)snprintf(label.text, sizeof label.text, "an unnamed %.60s node (output '%.100s')", node->op_type, output);
  }
  return label;
}

// The imported version of a domain, 0 if none.
static int64_t find_opset(const memplan_linker *linker, const memplan_link_call *call, const char *domain) {
  const memplan_proto_opsets *lists[2] = {call != NULL ? &call->function->opsets : NULL, &linker->proto->opsets};
  for (int32_t k = 0; k < 2; k++) {
    for (int64_t i = 0; lists[k] != NULL && i < lists[k]->count; i++) {
      if (strcmp(lists[k]->items[i].domain, domain) == 0) {
        return lists[k]->items[i].version;
      }
    }
  }
  return domain[0] == '\0' && linker->proto->ir_version < 3 ? 1 : 0;
}

// ---- attributes

static const memplan_link_attribute *find_attribute(const memplan_link_attribute *attributes, int64_t count,
                                                    const char *name) {
  for (int64_t i = 0; i < count; i++) {
    if (strcmp(attributes[i].value.name, name) == 0) {
      return &attributes[i];
    }
  }
  return NULL;
}

// The attribute that a reference means: the call's, or the function's default. False: neither gives it.
static bool follow_reference(const memplan_proto_attribute *attribute, const memplan_link_call *call,
                             memplan_link_attribute *found) {
  const memplan_link_attribute *given = find_attribute(call->attributes, call->n_attributes, attribute->reference);
  if (given != NULL) {
    *found = *given;
  } else {
    const memplan_proto_attributes *defaults = &call->function->defaults;
    int64_t i = 0;
    while (i < defaults->count && strcmp(defaults->items[i].value.name, attribute->reference) != 0) {
      i++;
    }
    if (i == defaults->count) {
      return false;
    }
    *found = (memplan_link_attribute){.value = defaults->items[i].value, .graph = defaults->items[i].graph};
  }
  found->value.name = attribute->value.name;
  return true;
}

static memplan_status resolve_attributes(memplan_linker *linker, const memplan_proto_node *node,
                                         memplan_link_place place, memplan_link_attribute **attributes,
                                         int64_t *count) {
  *count = 0;
  *attributes = MEMPLAN_NEW(linker->scratch, memplan_link_attribute, node->attributes.count);
  if (*attributes == NULL) {
    return memplan_fail_nomem(linker->error);
  }
  for (int64_t i = 0; i < node->attributes.count; i++) {
    const memplan_proto_attribute *attribute = &node->attributes.items[i];
    memplan_link_attribute *resolved = &(*attributes)[*count];
    if (attribute->reference[0] == '\0') {
      *resolved = (memplan_link_attribute){attribute->value, attribute->graph, place.scope, place.call};
      (*count)++;
    } else if (place.call == NULL) {
      return memplan_fail(linker->error, MEMPLAN_INPUT,
                          "%s: attribute '%.100s' refers to '%.100s', but stands in no function",
                          memplan_link_describe(node).text, attribute->value.name, attribute->reference);
    } else if (follow_reference(attribute, place.call, resolved)) {
      (*count)++;
    }
  }
  return MEMPLAN_OK;
}

// ---- nodes

static memplan_status take_constant(memplan_linker *linker, const memplan_onnx_node *node) {
  if (node->n_out < 1 || node->out[0] < 0) {
    return MEMPLAN_OK;
  }
  memplan_onnx_value *value = &linker->model->values[node->out[0]];
  const memplan_onnx_attribute *stated = memplan_onnx_constant_find(node);
  if (stated == NULL) {
    return memplan_fail(linker->error, MEMPLAN_INPUT, "the Constant node that makes '%.100s' gives no value",
                        value->name);
  }
  value->is_constant = true;
  bool ok = memplan_onnx_constant_type(stated, &linker->model->arena, &value->type) &&
            memplan_onnx_constant_data(stated, &linker->model->arena, &value->data);
  return ok ? MEMPLAN_OK : memplan_fail_nomem(linker->error);
}

memplan_status memplan_link_add_node(memplan_linker *linker, memplan_link_place place, memplan_onnx_node node,
                                     const memplan_link_attribute *attributes, int64_t n_attributes) {
  memplan_onnx_model *model = linker->model;
  memplan_link_nodes *list = &linker->nodes[place.graph];
  memplan_onnx_attribute *linked = MEMPLAN_NEW(&model->arena, memplan_onnx_attribute, n_attributes);
  list->items = memplan_grow_in(linker->scratch, list->items, list->count, &list->capacity, sizeof *list->items);
  if (linked == NULL || list->items == NULL || n_attributes > INT32_MAX || list->count >= INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  int32_t position = (int32_t)list->count++;
  node.opset = find_opset(linker, place.call, node.domain);
  node.listed = place.listed - 1;
  node.inlined = place.inlined;
  node.attributes = linked;
  node.n_attributes = (int32_t)n_attributes;
  list->items[position] = node;
  for (int32_t i = 0; i < node.n_out; i++) {
    if (node.out[i] >= 0) {
      model->values[node.out[i]].node = position;
    }
  }
  for (int64_t i = 0; i < n_attributes; i++) {
    linked[i] = attributes[i].value;
    linked[i].graph = -1;
    if (attributes[i].graph != NULL) {
      memplan_link_place body = {.graph = place.graph, .scope = attributes[i].scope, .call = attributes[i].call};
      MEMPLAN_TRY(memplan_link_graph(linker, attributes[i].graph, body, position, &linked[i].graph));
    }
  }
  return memplan_onnx_is_constant_node(&node) ? take_constant(linker, &node) : MEMPLAN_OK;
}

int32_t memplan_link_resolve(const memplan_link_scope *scope, const char *name) {
  for (; scope != NULL; scope = scope->outer) {
    int32_t found = memplan_names_find(&scope->names, name);
    if (found >= 0) {
      return found - 1;
    }
  }
  return -2;
}

static memplan_status resolve_names(memplan_linker *linker, const memplan_proto_node *node,
                                    const memplan_proto_strings *names, const memplan_link_scope *scope,
                                    const int32_t **values, int32_t *count) {
  int32_t *list = MEMPLAN_NEW(&linker->model->arena, int32_t, names->count);
  if (list == NULL || names->count > INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  for (int64_t i = 0; i < names->count; i++) {
    list[i] = names->items[i][0] != '\0' ? memplan_link_resolve(scope, names->items[i]) : -1;
    if (list[i] == -2) {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "%s reads '%.200s', which nothing defines",
                          memplan_link_describe(node).text, names->items[i]);
    }
  }
  *values = list;
  *count = (int32_t)names->count;
  return MEMPLAN_OK;
}

static const char *node_name(memplan_linker *linker, const memplan_proto_node *node, const memplan_link_call *call) {
  if (call == NULL || node->name[0] == '\0') {
    return node->name;
  }
  size_t size = strlen(call->name) + strlen(node->name) + 2;
  char *name = memplan_arena_alloc(&linker->model->arena, size, 1);
  if (name != NULL) {
    (void)snprintf(name, size, "%s/%s", call->name, node->name);
  }
  return name;
}

static memplan_status link_node(memplan_linker *linker, const memplan_proto_node *proto, memplan_link_place place) {
  memplan_onnx_node node = {.op_type = proto->op_type, .domain = proto->domain};
  memplan_link_attribute *attributes = NULL;
  int64_t n_attributes = 0;
  int64_t bytes = 256 + 16 * (proto->in.count + proto->out.count) +
                  (int64_t)sizeof *attributes * 2 * proto->attributes.count +
                  (place.call != NULL ? (int64_t)(strlen(place.call->name) + strlen(proto->name)) : 0);
  MEMPLAN_TRY(memplan_link_charge(linker, bytes));
  node.name = node_name(linker, proto, place.call);
  if (node.name == NULL) {
    return memplan_fail_nomem(linker->error);
  }
  MEMPLAN_TRY(resolve_names(linker, proto, &proto->in, place.scope, &node.in, &node.n_in));
  MEMPLAN_TRY(resolve_names(linker, proto, &proto->out, place.scope, &node.out, &node.n_out));
  MEMPLAN_TRY(resolve_attributes(linker, proto, place, &attributes, &n_attributes));
  memplan_status status = MEMPLAN_OK;
  const memplan_proto_function *function = memplan_link_find_function(linker, proto, &status);
  MEMPLAN_TRY(status);
  if (function != NULL) {
    return memplan_link_inline(linker, function, &node, attributes, n_attributes, place);
  }
  return memplan_link_add_node(linker, place, node, attributes, n_attributes);
}

memplan_status memplan_link_node_list(memplan_linker *linker, const memplan_proto_nodes *nodes,
                                      memplan_link_place place) {
  for (int64_t i = 0; i < nodes->count; i++) {
    memplan_link_place at = place;
    at.listed = place.inlined || i >= INT32_MAX ? place.listed : (int32_t)i + 1;
    MEMPLAN_TRY(link_node(linker, &nodes->items[i], at));
  }
  return MEMPLAN_OK;
}
