// SPDX-License-Identifier: Apache-2.0
// Each graph is linked in two passes, because real files list nodes in any order: first every name that the graph
// defines gets its value (initializers, inputs, outputs of nodes), then the nodes are put into the graph with their
// values, and their bodies are linked. Values and graphs are numbered in that order, so an outer graph comes before its
// bodies. Arrays grow while bodies are linked: everything is held by index. Rules: ONNX IR specification (SSA, scoping,
// initializers as default values of inputs).
#include "instances/onnx_link.h"

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

int64_t memplan_link_opset(const memplan_linker *linker, const memplan_link_call *call, const char *domain) {
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

memplan_status memplan_link_charge(memplan_linker *linker, int64_t bytes) {
  if (linker->inlining == 0) {
    return MEMPLAN_OK;
  }
  linker->inlined_bytes += bytes;
  if (linker->inlined_bytes > MEMPLAN_LINK_MAX_INLINED_BYTES) {
    return memplan_fail(linker->error, MEMPLAN_INPUT,
                        "the model's functions call each other so often that inlining them takes more than %d MiB",
                        (int)(MEMPLAN_LINK_MAX_INLINED_BYTES >> 20));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_link_nest(memplan_linker *linker, const char *what, const char *name) {
  if (linker->nesting >= MEMPLAN_ONNX_MAX_NESTING) {
    return memplan_fail(linker->error, MEMPLAN_INPUT,
                        "%s '%.100s': bodies and function calls are nested deeper than %d", what, name,
                        (int)MEMPLAN_ONNX_MAX_NESTING);
  }
  linker->nesting++;
  return MEMPLAN_OK;
}

// A name that no value has yet: the given one, or with a number.
static const char *make_unique(memplan_linker *linker, const char *name) {
  memplan_names *used = &linker->used;
  int32_t number = memplan_names_add(used, name, 1);
  size_t length = strlen(name);
  while (number >= 1) {
    if (number == INT32_MAX) {
      return NULL;
    }
    char *numbered = memplan_arena_alloc(&linker->model->arena, length + 16, 1);
    if (numbered == NULL) {
      return NULL;
    }
    number++;
    (void)snprintf(numbered, length + 16, "%s#%d", name, (int)number);
    if (!memplan_names_set(used, name, number)) {
      return NULL;
    }
    int32_t taken = memplan_names_add(used, numbered, 1);
    if (taken == -1) {
      return numbered;
    }
    if (taken == -2) {
      return NULL;
    }
  }
  return number == -1 ? name : NULL;
}

memplan_status memplan_link_add_value(memplan_linker *linker, const char *name, int32_t graph, int32_t *value) {
  memplan_onnx_model *model = linker->model;
  MEMPLAN_TRY(memplan_link_charge(linker, (int64_t)sizeof *model->values + (int64_t)strlen(name)));
  const char *unique = name;
  if (linker->inlining > 0) {
    unique = make_unique(linker, name);
  } else if (memplan_names_add(&linker->used, name, 1) == -2) {
    unique = NULL;
  }
  memplan_onnx_value *values =
      model->n_values < INT32_MAX
          ? memplan_wire_grow(linker->scratch, model->values, model->n_values, &linker->value_capacity, sizeof *values)
          : NULL;
  if (unique == NULL || values == NULL) {
    return memplan_fail_nomem(linker->error);
  }
  model->values = values;
  values[model->n_values] =
      (memplan_onnx_value){.name = unique, .type = {.rank = -1, .length = -1}, .graph = graph, .node = -1};
  *value = model->n_values++;
  return MEMPLAN_OK;
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

static memplan_onnx_type vector_type(int32_t elem_type, int64_t *dims) {
  return (memplan_onnx_type){.kind = MEMPLAN_ONNX_KIND_TENSOR,
                             .elem_type = elem_type,
                             .rank = dims != NULL ? 1 : 0,
                             .dims = dims,
                             .length = -1};
}

static bool copy_numbers(memplan_arena *arena, const memplan_onnx_attribute *attribute, memplan_onnx_data *data) {
  bool real = attribute->type == 1 || attribute->type == 6;
  bool many = attribute->type == 6 || attribute->type == 7;
  int64_t count = !many ? 1 : real ? attribute->n_floats : attribute->n_ints;
  if (count > MEMPLAN_ONNX_MAX_DATA) {
    return true;
  }
  double *reals = real ? MEMPLAN_NEW(arena, double, count) : NULL;
  int64_t *ints = real ? NULL : MEMPLAN_NEW(arena, int64_t, count);
  if (reals == NULL && ints == NULL) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    if (real) {
      reals[i] = (double)(many ? attribute->floats[i] : attribute->f);
    } else {
      ints[i] = many ? attribute->ints[i] : attribute->i;
    }
  }
  *data = (memplan_onnx_data){.ints = ints, .reals = reals, .count = count};
  return true;
}

// The constant that an attribute of a Constant node stands for. False: the attribute gives none.
static bool constant_value(memplan_linker *linker, const memplan_onnx_attribute *attribute, memplan_onnx_value *value,
                           memplan_status *status) {
  static const struct {
    const char *name;
    int32_t type, elem_type;
  } forms[] = {{"value", 4, 0},
               {"sparse_value", 11, 0},
               {"value_float", 1, MEMPLAN_ONNX_FLOAT},
               {"value_int", 2, MEMPLAN_ONNX_INT64},
               {"value_string", 3, MEMPLAN_ONNX_STRING},
               {"value_floats", 6, MEMPLAN_ONNX_FLOAT},
               {"value_ints", 7, MEMPLAN_ONNX_INT64},
               {"value_strings", 8, MEMPLAN_ONNX_STRING}};
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    if (attribute->type != forms[k].type || strcmp(attribute->name, forms[k].name) != 0) {
      continue;
    }
    if (forms[k].elem_type == 0) {
      value->type = attribute->tensor;
      value->data = attribute->tensor_data;
      return true;
    }
    int64_t *dims = NULL;
    bool ok = true;
    if (attribute->type >= 6) {
      dims = MEMPLAN_NEW(&linker->model->arena, int64_t, 1);
      ok = dims != NULL;
      if (ok) {
        dims[0] = attribute->type == 6   ? attribute->n_floats
                  : attribute->type == 7 ? attribute->n_ints
                                         : attribute->n_strings;
      }
    }
    value->type = vector_type(forms[k].elem_type, dims);
    if (ok && forms[k].elem_type != MEMPLAN_ONNX_STRING) {
      ok = copy_numbers(&linker->model->arena, attribute, &value->data);
    }
    *status = ok ? MEMPLAN_OK : memplan_fail_nomem(linker->error);
    return true;
  }
  return false;
}

static memplan_status take_constant(memplan_linker *linker, const memplan_onnx_node *node) {
  if (node->n_out < 1 || node->out[0] < 0) {
    return MEMPLAN_OK;
  }
  memplan_onnx_value *value = &linker->model->values[node->out[0]];
  memplan_status status = MEMPLAN_OK;
  for (int32_t i = 0; i < node->n_attributes; i++) {
    if (constant_value(linker, &node->attributes[i], value, &status)) {
      value->is_constant = true;
      return status;
    }
  }
  return memplan_fail(linker->error, MEMPLAN_INPUT, "the Constant node that makes '%.100s' gives no value",
                      value->name);
}

static memplan_status link_graph(memplan_linker *linker, const memplan_proto_graph *proto, memplan_link_place outer,
                                 int32_t outer_node, int32_t *index);

memplan_status memplan_link_add_node(memplan_linker *linker, memplan_link_place place, memplan_onnx_node node,
                                     const memplan_link_attribute *attributes, int64_t n_attributes) {
  memplan_onnx_model *model = linker->model;
  memplan_link_nodes *list = &linker->nodes[place.graph];
  memplan_onnx_attribute *linked = MEMPLAN_NEW(&model->arena, memplan_onnx_attribute, n_attributes);
  list->items = memplan_wire_grow(linker->scratch, list->items, list->count, &list->capacity, sizeof *list->items);
  if (linked == NULL || list->items == NULL || n_attributes > INT32_MAX || list->count >= INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  int32_t position = (int32_t)list->count++;
  node.opset = memplan_link_opset(linker, place.call, node.domain);
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
      memplan_link_place body = {place.graph, attributes[i].scope, attributes[i].call};
      MEMPLAN_TRY(link_graph(linker, attributes[i].graph, body, position, &linked[i].graph));
    }
  }
  bool constant = strcmp(node.op_type, "Constant") == 0 && node.domain[0] == '\0';
  return constant ? take_constant(linker, &node) : MEMPLAN_OK;
}

// The value of a name, -1 if it is an argument left out; -2 if nothing defines it.
static int32_t resolve_name(const memplan_link_scope *scope, const char *name) {
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
    list[i] = names->items[i][0] != '\0' ? resolve_name(scope, names->items[i]) : -1;
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
    MEMPLAN_TRY(link_node(linker, &nodes->items[i], place));
  }
  return MEMPLAN_OK;
}

// ---- graphs

// Adds a value to the graph's scope. `node`: whose output it is, or NULL and `what` it is, for messages.
static memplan_status define(memplan_linker *linker, memplan_link_scope *scope, int32_t graph, const char *name,
                             const memplan_proto_node *node, const char *what, int32_t *value) {
  if (memplan_names_find(&scope->names, name) >= 0) {
    return memplan_fail(linker->error, MEMPLAN_INPUT,
                        "value '%.200s' is defined twice (the second time as %s%s); every value is made once", name,
                        what, node != NULL ? memplan_link_describe(node).text : "");
  }
  MEMPLAN_TRY(memplan_link_add_value(linker, name, graph, value));
  return memplan_names_add(&scope->names, name, *value + 1) == -1 ? MEMPLAN_OK : memplan_fail_nomem(linker->error);
}

static memplan_status define_initializers(memplan_linker *linker, const memplan_proto_graph *proto,
                                          memplan_link_scope *scope, int32_t graph) {
  for (int64_t i = 0; i < proto->initializers.count; i++) {
    const memplan_proto_value *initializer = &proto->initializers.items[i];
    if (initializer->name[0] == '\0') {
      continue; // nothing can read it
    }
    int32_t index = 0;
    MEMPLAN_TRY(define(linker, scope, graph, initializer->name, NULL, "an initializer", &index));
    memplan_onnx_value *value = &linker->model->values[index];
    value->type = initializer->type;
    value->data = initializer->data;
    value->is_constant = value->is_initializer = true;
  }
  return MEMPLAN_OK;
}

// An input that is an initializer too is a constant: the initializer is its default value.
static memplan_status define_inputs(memplan_linker *linker, const memplan_proto_graph *proto, memplan_link_scope *scope,
                                    int32_t graph) {
  int32_t *inputs = MEMPLAN_NEW(&linker->model->arena, int32_t, proto->inputs.count);
  int32_t count = 0;
  if (inputs == NULL || proto->inputs.count > INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  for (int64_t i = 0; i < proto->inputs.count; i++) {
    const memplan_proto_value *input = &proto->inputs.items[i];
    int32_t found = memplan_names_find(&scope->names, input->name);
    if (found > 0 && linker->model->values[found - 1].is_initializer) {
      continue;
    }
    if (input->name[0] == '\0') {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "input %lld of graph '%.100s' has no name", (long long)i,
                          proto->name);
    }
    int32_t index = 0;
    MEMPLAN_TRY(define(linker, scope, graph, input->name, NULL, "an input", &index));
    linker->model->values[index].type = input->type;
    linker->model->values[index].symbols = input->symbols;
    inputs[count++] = index;
  }
  linker->model->graphs[graph].inputs = inputs;
  linker->model->graphs[graph].n_inputs = count;
  return MEMPLAN_OK;
}

static memplan_status define_outputs_of_nodes(memplan_linker *linker, const memplan_proto_graph *proto,
                                              memplan_link_scope *scope, int32_t graph) {
  for (int64_t i = 0; i < proto->nodes.count; i++) {
    const memplan_proto_node *node = &proto->nodes.items[i];
    for (int64_t k = 0; k < node->out.count; k++) {
      const char *name = node->out.items[k];
      int32_t index = 0;
      if (name[0] == '\0') {
        continue;
      }
      if (resolve_name(scope->outer, name) >= 0 && memplan_names_find(&scope->names, name) < 0 &&
          !memplan_onnx_model_warn(linker->model,
                                   "%s in a body makes '%.100s', which hides an outer value of that name",
                                   memplan_link_describe(node).text, name)) {
        return memplan_fail_nomem(linker->error);
      }
      MEMPLAN_TRY(define(linker, scope, graph, name, node, "an output of ", &index));
    }
  }
  return MEMPLAN_OK;
}

static void declare(memplan_onnx_value *value, const memplan_proto_value *declared) {
  if (value->type.kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    value->type = declared->type;
    value->symbols = declared->symbols;
  }
}

static memplan_status take_outputs(memplan_linker *linker, const memplan_proto_graph *proto,
                                   const memplan_link_scope *scope, int32_t graph) {
  int32_t *outputs = MEMPLAN_NEW(&linker->model->arena, int32_t, proto->outputs.count);
  if (outputs == NULL || proto->outputs.count > INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  for (int64_t i = 0; i < proto->outputs.count; i++) {
    outputs[i] = resolve_name(scope, proto->outputs.items[i].name);
    if (outputs[i] < 0) {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "output '%.200s' of graph '%.100s' is made by no node",
                          proto->outputs.items[i].name, proto->name);
    }
    declare(&linker->model->values[outputs[i]], &proto->outputs.items[i]);
  }
  for (int64_t i = 0; i < proto->value_info.count; i++) {
    int32_t found = memplan_names_find(&scope->names, proto->value_info.items[i].name);
    if (found > 0) {
      declare(&linker->model->values[found - 1], &proto->value_info.items[i]);
    }
  }
  linker->model->graphs[graph].outputs = outputs;
  linker->model->graphs[graph].n_outputs = (int32_t)proto->outputs.count;
  return MEMPLAN_OK;
}

static memplan_status link_graph_in(memplan_linker *linker, const memplan_proto_graph *proto, memplan_link_scope *scope,
                                    const memplan_link_call *call, int32_t graph) {
  memplan_link_place place = {graph, scope, call};
  MEMPLAN_TRY(define_initializers(linker, proto, scope, graph));
  MEMPLAN_TRY(define_inputs(linker, proto, scope, graph));
  MEMPLAN_TRY(define_outputs_of_nodes(linker, proto, scope, graph));
  MEMPLAN_TRY(take_outputs(linker, proto, scope, graph));
  MEMPLAN_TRY(memplan_link_node_list(linker, &proto->nodes, place));
  // Only now does the graph's list stop growing.
  memplan_link_nodes *list = &linker->nodes[graph];
  memplan_onnx_node *nodes = MEMPLAN_NEW(&linker->model->arena, memplan_onnx_node, list->count);
  if (nodes == NULL) {
    return memplan_fail_nomem(linker->error);
  }
  if (list->count > 0) {
    memcpy(nodes, list->items, (size_t)list->count * sizeof *nodes);
  }
  linker->model->graphs[graph].nodes = nodes;
  linker->model->graphs[graph].n_nodes = (int32_t)list->count;
  return MEMPLAN_OK;
}

// `outer`: the graph in which the body's operator stands, and the scope and call in which the body was written.
static memplan_status link_graph(memplan_linker *linker, const memplan_proto_graph *proto, memplan_link_place outer,
                                 int32_t outer_node, int32_t *index) {
  memplan_onnx_model *model = linker->model;
  MEMPLAN_TRY(memplan_link_nest(linker, "graph", proto->name));
  model->graphs = memplan_wire_grow(linker->scratch, model->graphs, model->n_graphs, &linker->graph_capacity,
                                    sizeof *model->graphs);
  linker->nodes = memplan_wire_grow(linker->scratch, linker->nodes, model->n_graphs, &linker->nodes_capacity,
                                    sizeof *linker->nodes);
  if (model->graphs == NULL || linker->nodes == NULL || model->n_graphs == INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  *index = model->n_graphs++;
  model->graphs[*index] = (memplan_onnx_graph){.name = proto->name, .outer = outer.graph, .outer_node = outer_node};
  memplan_link_scope scope = {.outer = outer.scope};
  memplan_names_init(&scope.names);
  memplan_status status = link_graph_in(linker, proto, &scope, outer.call, *index);
  memplan_names_free(&scope.names);
  linker->nesting--;
  return status;
}

static memplan_status finish(memplan_linker *linker) {
  memplan_onnx_model *model = linker->model;
  memplan_onnx_value *values = MEMPLAN_NEW(&model->arena, memplan_onnx_value, model->n_values);
  memplan_onnx_graph *graphs = MEMPLAN_NEW(&model->arena, memplan_onnx_graph, model->n_graphs);
  if (values == NULL || graphs == NULL) {
    return memplan_fail_nomem(linker->error);
  }
  if (model->n_values > 0) {
    memcpy(values, model->values, (size_t)model->n_values * sizeof *values);
  }
  memcpy(graphs, model->graphs, (size_t)model->n_graphs * sizeof *graphs);
  model->values = values;
  model->graphs = graphs;
  return MEMPLAN_OK;
}

memplan_status memplan_link_model(const memplan_proto_model *proto, memplan_arena *scratch, memplan_onnx_model *model,
                                  memplan_error *error) {
  memplan_linker linker = {.model = model, .proto = proto, .scratch = scratch, .error = error};
  memplan_link_place nowhere = {.graph = -1};
  int32_t main_graph = 0;
  memplan_names_init(&linker.functions);
  memplan_names_init(&linker.used);
  memplan_status status = memplan_link_index_functions(&linker);
  if (status == MEMPLAN_OK) {
    status = link_graph(&linker, &proto->graph, nowhere, -1, &main_graph);
  }
  if (status == MEMPLAN_OK) {
    status = finish(&linker);
  }
  memplan_names_free(&linker.functions);
  memplan_names_free(&linker.used);
  return status;
}
