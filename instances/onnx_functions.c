// SPDX-License-Identifier: Apache-2.0
// Model-local functions are inlined: the call node is replaced by the function's nodes. The function's inputs and
// outputs are the call's own values; every other name of the function becomes a value "CALL/NAME". References to
// attributes are resolved against the call (onnx_link.c). An output that is an input, or that stands twice, is copied
// by an Identity.
//
// Functions may call each other, never themselves. Calls can multiply exponentially, so what they make is counted.
#include "instances/onnx_link.h"

#include <string.h>

static char *make_key(memplan_arena *arena, const char *domain, const char *name, const char *overload) {
  size_t size = strlen(domain) + strlen(name) + strlen(overload) + 3;
  char *key = memplan_arena_alloc(arena, size, 1);
  if (key != NULL) {
    (void)snprintf(key, size, "%s\n%s\n%s", domain, name, overload);
  }
  return key;
}

memplan_status memplan_link_index_functions(memplan_linker *linker) {
  const memplan_proto_functions *functions = &linker->proto->functions;
  for (int64_t i = 0; i < functions->count; i++) {
    const memplan_proto_function *function = &functions->items[i];
    char *key = make_key(linker->scratch, function->domain, function->name, function->overload);
    int32_t other = key != NULL && i < INT32_MAX ? memplan_names_add(&linker->functions, key, (int32_t)i) : -2;
    if (other == -2) {
      return memplan_fail_nomem(linker->error);
    }
    if (other >= 0) {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "function '%.100s' of domain '%.100s' is defined twice",
                          function->name, function->domain);
    }
  }
  return MEMPLAN_OK;
}

const memplan_proto_function *memplan_link_find_function(memplan_linker *linker, const memplan_proto_node *node,
                                                         memplan_status *status) {
  if (linker->proto->functions.count == 0) {
    return NULL;
  }
  memplan_arena_mark mark = memplan_arena_get_mark(linker->scratch);
  char *key = make_key(linker->scratch, node->domain, node->op_type, node->overload);
  if (key == NULL) {
    *status = memplan_fail_nomem(linker->error);
    return NULL;
  }
  int32_t index = memplan_names_find(&linker->functions, key);
  memplan_arena_release(linker->scratch, mark);
  return index >= 0 ? &linker->proto->functions.items[index] : NULL;
}

static memplan_status check_recursion(memplan_linker *linker, const memplan_proto_function *function,
                                      const memplan_link_call *call) {
  for (const memplan_link_call *open = call; open != NULL; open = open->outer) {
    if (open->function == function) {
      return memplan_fail(linker->error, MEMPLAN_INPUT,
                          "function '%.100s' calls itself (by way of '%.100s'); functions of a model must not recurse",
                          function->name, call->function->name);
    }
  }
  return MEMPLAN_OK;
}

// State of one call: which of the function's outputs are the call's values, and which of them have been made.
typedef struct inlined_call {
  memplan_linker *linker;
  const memplan_proto_function *function;
  const memplan_onnx_node *node; // the call
  memplan_link_call call;
  memplan_link_place outside;
  memplan_link_scope scope;
  memplan_names outputs; // name -> its first position among the function's outputs
  bool *made, *copied;   // by output: a node has made it; it has to be copied at the end
} inlined_call;

static int32_t call_output(const inlined_call *inlined, int64_t i) {
  return i < inlined->node->n_out ? inlined->node->out[i] : -1;
}

static memplan_status bind_inputs(inlined_call *inlined) {
  memplan_linker *linker = inlined->linker;
  const memplan_proto_strings *names = &inlined->function->in;
  for (int32_t i = 0; i < inlined->node->n_in; i++) {
    if (i >= names->count && inlined->node->in[i] >= 0) {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "a call of function '%.100s' gives %d inputs, it takes %lld",
                          inlined->function->name, (int)inlined->node->n_in, (long long)names->count);
    }
  }
  for (int64_t i = 0; i < names->count; i++) {
    int32_t value = i < inlined->node->n_in ? inlined->node->in[i] : -1;
    int32_t other = memplan_names_add(&inlined->scope.names, names->items[i], value + 1);
    if (other == -2) {
      return memplan_fail_nomem(linker->error);
    }
    if (other != -1) {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "function '%.100s' has two inputs '%.100s'",
                          inlined->function->name, names->items[i]);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status bind_outputs(inlined_call *inlined) {
  memplan_linker *linker = inlined->linker;
  const memplan_proto_strings *names = &inlined->function->out;
  for (int32_t i = 0; i < inlined->node->n_out; i++) {
    if (i >= names->count && inlined->node->out[i] >= 0) {
      return memplan_fail(linker->error, MEMPLAN_INPUT, "a call of function '%.100s' takes %d outputs, it has %lld",
                          inlined->function->name, (int)inlined->node->n_out, (long long)names->count);
    }
  }
  for (int64_t i = 0; i < names->count; i++) {
    const char *name = names->items[i];
    if (memplan_names_find(&inlined->scope.names, name) >= 0 || memplan_names_find(&inlined->outputs, name) >= 0) {
      inlined->copied[i] = true;
      continue;
    }
    int32_t value = call_output(inlined, i);
    if (memplan_names_add(&inlined->outputs, name, (int32_t)i) == -2 ||
        (value >= 0 && memplan_names_add(&inlined->scope.names, name, value + 1) == -2)) {
      return memplan_fail_nomem(linker->error);
    }
  }
  return MEMPLAN_OK;
}

// Gives one output of a node its value: the call's own for an output of the function, else a new one.
static memplan_status define_name(inlined_call *inlined, const char *name) {
  memplan_linker *linker = inlined->linker;
  int32_t output = memplan_names_find(&inlined->outputs, name);
  bool known = memplan_names_find(&inlined->scope.names, name) >= 0;
  if (output >= 0 && known && !inlined->made[output]) {
    inlined->made[output] = true;
    return MEMPLAN_OK;
  }
  if (known) {
    return memplan_fail(linker->error, MEMPLAN_INPUT, "value '%.100s' is defined twice in function '%.100s'", name,
                        inlined->function->name);
  }
  size_t size = strlen(inlined->call.name) + strlen(name) + 2;
  MEMPLAN_TRY(memplan_link_charge(linker, (int64_t)size));
  char *full = memplan_arena_alloc(&linker->model->arena, size, 1);
  if (full == NULL) {
    return memplan_fail_nomem(linker->error);
  }
  (void)snprintf(full, size, "%s/%s", inlined->call.name, name);
  int32_t value = 0;
  MEMPLAN_TRY(memplan_link_add_value(linker, full, inlined->outside.graph, &value));
  if (output >= 0) {
    inlined->made[output] = true;
  }
  return memplan_names_add(&inlined->scope.names, name, value + 1) == -1 ? MEMPLAN_OK
                                                                         : memplan_fail_nomem(linker->error);
}

static memplan_status define_names(inlined_call *inlined) {
  const memplan_proto_nodes *nodes = &inlined->function->nodes;
  for (int64_t i = 0; i < nodes->count; i++) {
    const memplan_proto_strings *out = &nodes->items[i].out;
    for (int64_t k = 0; k < out->count; k++) {
      if (out->items[k][0] != '\0') {
        MEMPLAN_TRY(define_name(inlined, out->items[k]));
      }
    }
  }
  for (int64_t i = 0; i < inlined->function->out.count; i++) {
    if (!inlined->copied[i] && !inlined->made[i] && call_output(inlined, i) >= 0) {
      return memplan_fail(inlined->linker->error, MEMPLAN_INPUT,
                          "output '%.100s' of function '%.100s' is made by no node", inlined->function->out.items[i],
                          inlined->function->name);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status copy_outputs(inlined_call *inlined) {
  memplan_linker *linker = inlined->linker;
  for (int64_t i = 0; i < inlined->function->out.count; i++) {
    int32_t target = call_output(inlined, i);
    if (!inlined->copied[i] || target < 0) {
      continue;
    }
    int32_t source = memplan_names_find(&inlined->scope.names, inlined->function->out.items[i]) - 1;
    if (source < 0) {
      return memplan_fail(linker->error, MEMPLAN_INPUT,
                          "output '%.100s' of function '%.100s' has no value: the call leaves the input out",
                          inlined->function->out.items[i], inlined->function->name);
    }
    int32_t *values = MEMPLAN_NEW(&linker->model->arena, int32_t, 2);
    if (values == NULL) {
      return memplan_fail_nomem(linker->error);
    }
    values[0] = source;
    values[1] = target;
    memplan_onnx_node node = {
        .name = "", .op_type = "Identity", .domain = "", .in = values, .out = values + 1, .n_in = 1, .n_out = 1};
    memplan_link_place place = {inlined->outside.graph, &inlined->scope, &inlined->call, inlined->outside.listed, true};
    MEMPLAN_TRY(memplan_link_add_node(linker, place, node, NULL, 0));
  }
  return MEMPLAN_OK;
}

static memplan_status inline_in(inlined_call *inlined) {
  memplan_linker *linker = inlined->linker;
  int64_t n_out = inlined->function->out.count;
  inlined->made = MEMPLAN_NEW(linker->scratch, bool, n_out);
  inlined->copied = MEMPLAN_NEW(linker->scratch, bool, n_out);
  if (inlined->made == NULL || inlined->copied == NULL || n_out > INT32_MAX) {
    return memplan_fail_nomem(linker->error);
  }
  MEMPLAN_TRY(memplan_link_charge(linker, 512 + 64 * (inlined->function->in.count + n_out)));
  MEMPLAN_TRY(bind_inputs(inlined));
  MEMPLAN_TRY(bind_outputs(inlined));
  MEMPLAN_TRY(define_names(inlined));
  memplan_link_place place = {inlined->outside.graph, &inlined->scope, &inlined->call, inlined->outside.listed, true};
  MEMPLAN_TRY(memplan_link_node_list(linker, &inlined->function->nodes, place));
  return copy_outputs(inlined);
}

// The call's name: the node's, else its first output's, else the function's.
static const char *call_name(const memplan_linker *linker, const memplan_onnx_node *node,
                             const memplan_proto_function *function) {
  if (node->name[0] != '\0') {
    return node->name;
  }
  for (int32_t i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      return linker->model->values[node->out[i]].name;
    }
  }
  return function->name;
}

memplan_status memplan_link_inline(memplan_linker *linker, const memplan_proto_function *function,
                                   const memplan_onnx_node *call, const memplan_link_attribute *attributes,
                                   int64_t n_attributes, memplan_link_place place) {
  MEMPLAN_TRY(check_recursion(linker, function, place.call));
  MEMPLAN_TRY(memplan_link_nest(linker, "function", function->name));
  inlined_call inlined = {.linker = linker, .function = function, .node = call, .outside = place};
  inlined.call = (memplan_link_call){place.call, function, attributes, n_attributes, call_name(linker, call, function)};
  memplan_names_init(&inlined.scope.names);
  memplan_names_init(&inlined.outputs);
  linker->inlining++;
  memplan_status status = inline_in(&inlined);
  linker->inlining--;
  linker->nesting--;
  memplan_names_free(&inlined.scope.names);
  memplan_names_free(&inlined.outputs);
  return status;
}
