// SPDX-License-Identifier: Apache-2.0
// Each graph is linked in two passes, because real files list nodes in any order: first every name that the graph
// defines gets its value (initializers, inputs, outputs of nodes), then the nodes are put into the graph with their
// values, and their bodies are linked. Values and graphs are numbered in that order, so an outer graph comes before its
// bodies. Arrays grow while bodies are linked: everything is held by index. Rules: ONNX IR specification (SSA, scoping,
// initializers as default values of inputs).
#include "instances/onnx_link.h"

#include "model/base/grow.h"

#include <string.h>

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

memplan_status memplan_link_add_value(memplan_linker *linker, const char *name, int32_t graph, int32_t *value) {
  memplan_onnx_model *model = linker->model;
  MEMPLAN_TRY(memplan_link_charge(linker, (int64_t)sizeof *model->values + (int64_t)strlen(name)));
  const char *unique = name;
  if (linker->inlining > 0) {
    unique = memplan_names_unique(&linker->used, &linker->model->arena, name);
  } else if (memplan_names_add(&linker->used, name, 1) == -2) {
    unique = NULL;
  }
  memplan_onnx_value *values =
      model->n_values < INT32_MAX
          ? memplan_grow_in(linker->scratch, model->values, model->n_values, &linker->value_capacity, sizeof *values)
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
      if (memplan_link_resolve(scope->outer, name) >= 0 && memplan_names_find(&scope->names, name) < 0 &&
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
    outputs[i] = memplan_link_resolve(scope, proto->outputs.items[i].name);
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
  memplan_link_place place = {.graph = graph, .scope = scope, .call = call};
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
  linker->model->graphs[graph].n_listed = proto->nodes.count < INT32_MAX ? (int32_t)proto->nodes.count : INT32_MAX;
  return MEMPLAN_OK;
}

memplan_status memplan_link_graph(memplan_linker *linker, const memplan_proto_graph *proto, memplan_link_place outer,
                                  int32_t outer_node, int32_t *index) {
  memplan_onnx_model *model = linker->model;
  MEMPLAN_TRY(memplan_link_nest(linker, "graph", proto->name));
  model->graphs =
      memplan_grow_in(linker->scratch, model->graphs, model->n_graphs, &linker->graph_capacity, sizeof *model->graphs);
  linker->nodes =
      memplan_grow_in(linker->scratch, linker->nodes, model->n_graphs, &linker->nodes_capacity, sizeof *linker->nodes);
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
    status = memplan_link_graph(&linker, &proto->graph, nowhere, -1, &main_graph);
  }
  if (status == MEMPLAN_OK) {
    status = finish(&linker);
  }
  memplan_names_free(&linker.functions);
  memplan_names_free(&linker.used);
  return status;
}
