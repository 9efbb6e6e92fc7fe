// SPDX-License-Identifier: Apache-2.0
// First step of resolving a graph: every id, index and number is what it may be, so that later steps need not ask.
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/graph_steps.h"

#include <inttypes.h>
#include <string.h>

static memplan_status check_tensor(const memplan_graph *graph, int32_t index, memplan_error *error) {
  const memplan_tensor *tensor = &graph->tensors[index];
  if (tensor->bytes < 0 || tensor->bytes > MEMPLAN_SIZE_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': size %" PRId64 " is not in 0 ... 2^62; give its bytes",
                        tensor->id, tensor->bytes);
  }
  if (tensor->align < 1 || tensor->align > MEMPLAN_SIZE_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': alignment %" PRId64 " is not in 1 ... 2^62; use 1 for none",
                        tensor->id, tensor->align);
  }
  if (tensor->pin < -1 || tensor->pin > MEMPLAN_OFFSET_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': pin %" PRId64 " is not an offset in 0 ... 2^61", tensor->id,
                        tensor->pin);
  }
  if (tensor->view_of < -1 || tensor->view_of >= graph->n_tensors || tensor->view_of == index) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s' is a view of itself or of a tensor that does not exist",
                        tensor->id);
  }
  for (int32_t k = 0; k < tensor->n_pools; k++) {
    if (tensor->pools[k] < 0 || tensor->pools[k] >= graph->n_pools) {
      return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': admissible pool %d does not exist", tensor->id, k);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status add_name(memplan_names *names, const char *id, int32_t index, const char *what,
                               memplan_error *error) {
  if (id == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s %d has no id", what, index);
  }
  int32_t before = memplan_names_add(names, id, index);
  if (before == -2) {
    return memplan_fail_nomem(error);
  }
  if (before >= 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "%ss %d and %d have the same id '%s'; ids must be unique", what, before,
                        index, id);
  }
  return MEMPLAN_OK;
}

static memplan_status check_ids(const memplan_graph *graph, memplan_names *names, memplan_error *error) {
  for (int32_t tensor = 0; tensor < graph->n_tensors; tensor++) {
    MEMPLAN_TRY(add_name(names, graph->tensors[tensor].id, tensor, "tensor", error));
    MEMPLAN_TRY(check_tensor(graph, tensor, error));
  }
  memplan_names_free(names);
  for (int32_t op = 0; op < graph->n_ops; op++) {
    MEMPLAN_TRY(add_name(names, graph->ops[op].id, op, "operator", error));
  }
  memplan_names_free(names);
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    MEMPLAN_TRY(add_name(names, graph->pools[pool].id, pool, "pool", error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_graph_check_names(memplan_graph *graph, memplan_error *error) {
  memplan_names names = {0};
  memplan_status status = check_ids(graph, &names, error);
  memplan_names_free(&names);
  return status;
}

static memplan_status check_numbers(const memplan_graph *graph, int32_t index, memplan_error *error) {
  const memplan_op *op = &graph->ops[index];
  if (op->workspace < 0 || op->workspace > MEMPLAN_SIZE_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': workspace %" PRId64 " is not in 0 ... 2^62", op->id,
                        op->workspace);
  }
  if (op->workspace_align < 1 || op->workspace_align > MEMPLAN_SIZE_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': workspace_align %" PRId64 " is not in 1 ... 2^62", op->id,
                        op->workspace_align);
  }
  if (op->cost < 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': cost %" PRId64 " is negative", op->id, op->cost);
  }
  if (op->async_until < -1 || op->async_until >= graph->n_ops) {
    return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': async_until names no operator", op->id);
  }
  if (op->group < -1 || op->group >= graph->n_groups) {
    return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': its group does not exist", op->id);
  }
  for (int32_t k = 0; k < op->n_after; k++) {
    if (op->after[k] < 0 || op->after[k] >= graph->n_ops || op->after[k] == index) {
      return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': 'after' names itself or no operator", op->id);
    }
  }
  for (int32_t k = 0; k < op->n_workspace_pools; k++) {
    if (op->workspace_pools[k] < 0 || op->workspace_pools[k] >= graph->n_pools) {
      return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': a workspace pool does not exist", op->id);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_tensors_exist(const memplan_graph *graph, const memplan_op *op, const int32_t *list,
                                          int32_t count, const char *what, memplan_error *error) {
  for (int32_t k = 0; k < count; k++) {
    if (list[k] < 0 || list[k] >= graph->n_tensors) {
      return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': %s %d names no tensor", op->id, what, k);
    }
  }
  return MEMPLAN_OK;
}

// `seen[tensor] == stamp` tells what the list at hand holds already.
static memplan_status merge_inputs(memplan_graph *graph, memplan_op *op, int32_t *seen, int32_t stamp,
                                   memplan_error *error) {
  int32_t *merged = MEMPLAN_NEW(&graph->arena, int32_t, op->n_in);
  if (merged == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t k = 0; k < op->n_in; k++) {
    if (seen[op->in[k]] != stamp) {
      seen[op->in[k]] = stamp;
      merged[count++] = op->in[k];
    }
  }
  op->in = merged;
  op->n_in = count;
  return MEMPLAN_OK;
}

static memplan_status check_inplace(const memplan_graph *graph, const memplan_op *op, const int32_t *seen_in,
                                    const int32_t *seen_out, int32_t stamp, memplan_error *error) {
  for (int32_t k = 0; k < op->n_inplace; k++) {
    int32_t output = op->inplace[k].output, input = op->inplace[k].input;
    bool exist = output >= 0 && output < graph->n_tensors && input >= 0 && input < graph->n_tensors;
    if (!exist || seen_out[output] != stamp || seen_in[input] != stamp) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "operator '%s': in-place pair %d must name one of its outputs and one of its inputs", op->id,
                          k);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_op(memplan_graph *graph, int32_t index, int32_t *seen_in, int32_t *seen_out,
                               memplan_error *error) {
  memplan_op *op = &graph->ops[index];
  if (op->async_until == index) {
    op->async_until = -1;
  }
  MEMPLAN_TRY(check_numbers(graph, index, error));
  MEMPLAN_TRY(check_tensors_exist(graph, op, op->in, op->n_in, "input", error));
  MEMPLAN_TRY(check_tensors_exist(graph, op, op->out, op->n_out, "output", error));
  MEMPLAN_TRY(check_tensors_exist(graph, op, op->writes, op->n_writes, "entry of 'writes'", error));
  int32_t stamp = index + 1;
  MEMPLAN_TRY(merge_inputs(graph, op, seen_in, stamp, error));
  for (int32_t k = 0; k < op->n_out; k++) {
    if (seen_out[op->out[k]] == stamp) {
      return memplan_fail(error, MEMPLAN_INPUT, "operator '%s' lists output '%s' twice", op->id,
                          graph->tensors[op->out[k]].id);
    }
    seen_out[op->out[k]] = stamp;
  }
  for (int32_t k = 0; k < op->n_writes; k++) {
    if (seen_out[op->writes[k]] != stamp) {
      return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': 'writes' names '%s', which is not among its outputs",
                          op->id, graph->tensors[op->writes[k]].id);
    }
  }
  return check_inplace(graph, op, seen_in, seen_out, stamp, error);
}

memplan_status memplan_graph_check_ops(memplan_graph *graph, memplan_error *error) {
  int32_t *seen_in = MEMPLAN_NEW(&graph->arena, int32_t, graph->n_tensors);
  int32_t *seen_out = MEMPLAN_NEW(&graph->arena, int32_t, graph->n_tensors);
  if (seen_in == NULL || seen_out == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    MEMPLAN_TRY(check_op(graph, op, seen_in, seen_out, error));
  }
  for (int32_t body = 0; body < graph->n_bodies; body++) {
    const memplan_body *entry = &graph->bodies[body];
    if (entry->op < 0 || entry->op >= graph->n_ops || entry->graph == NULL || entry->name == NULL) {
      return memplan_fail(error, MEMPLAN_INPUT, "body %d belongs to no operator", body);
    }
    graph->nesting = entry->graph->nesting >= graph->nesting ? entry->graph->nesting + 1 : graph->nesting;
    if (graph->nesting > MEMPLAN_MAX_NESTING) {
      return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                          "body '%s' of operator '%s': bodies of control flow are nested more than %d deep",
                          entry->name, graph->ops[entry->op].id, (int)MEMPLAN_MAX_NESTING);
    }
  }
  return MEMPLAN_OK;
}
