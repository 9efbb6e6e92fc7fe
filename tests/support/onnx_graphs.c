// SPDX-License-Identifier: Apache-2.0
#include "tests/support/onnx_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/read_onnx.h"
#include "model/ordering.h"

static memplan_status read_graph(onnx_bytes *bytes, const memplan_problem_options *options, memplan_graph *graph,
                                 memplan_error *error) {
  FILE *file = onnx_open(bytes);
  memplan_graph_init(graph);
  memplan_status status = memplan_read_onnx(file, "model.onnx", options, graph, error);
  (void)fclose(file);
  onnx_bytes_free(bytes);
  return status;
}

memplan_graph onnx_read_graph(onnx_bytes bytes, const memplan_problem_options *options) {
  memplan_graph graph;
  memplan_error error = {0};
  if (read_graph(&bytes, options, &graph, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return graph;
}

void onnx_expect_no_graph(onnx_bytes bytes, const memplan_problem_options *options, memplan_status expected,
                          const char *part) {
  memplan_graph graph;
  memplan_error error = {0};
  memplan_status status = read_graph(&bytes, options, &graph, &error);
  memplan_graph_free(&graph);
  assert_int_equal(status, expected);
  if (strstr(error.message, part) == NULL) {
    fail_msg("'%s' is not in: %s", part, error.message);
  }
}

int32_t onnx_find_tensor(const memplan_graph *graph, const char *id) {
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (strcmp(graph->tensors[i].id, id) == 0) {
      return i;
    }
  }
  fail_msg("no tensor '%s'", id);
  return -1;
}

int64_t onnx_given_peak(const memplan_graph *graph, const memplan_problem_options *options) {
  memplan_arena arena = {0};
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_profile profile;
  if (memplan_ordering_init(&ordering, graph, options, NULL, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  int32_t *order = MEMPLAN_NEW(&arena, int32_t, graph->n_ops);
  assert_non_null(order);
  for (int32_t i = 0; i < graph->n_ops; i++) {
    order[i] = i;
  }
  if (memplan_ordering_profile(&ordering, order, &arena, &profile, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  int64_t peak = profile.peak;
  memplan_ordering_free(&ordering);
  memplan_arena_free(&arena);
  return peak;
}

static int32_t root_of(const memplan_graph *graph, int32_t tensor) {
  while (graph->tensors[tensor].view_of >= 0) {
    tensor = graph->tensors[tensor].view_of;
  }
  return tensor;
}

int64_t onnx_simulated_peak(const memplan_graph *graph) {
  size_t count = (size_t)graph->n_tensors;
  int32_t *first = malloc((count + 1) * sizeof *first), *last = malloc((count + 1) * sizeof *last);
  unsigned *roles = calloc(count + 1, sizeof *roles);
  int64_t *change = calloc((size_t)graph->n_ops + 2, sizeof *change);
  assert_true(first != NULL && last != NULL && roles != NULL && change != NULL);
  for (int32_t t = 0; t < graph->n_tensors; t++) {
    first[t] = last[t] = -1;
    roles[root_of(graph, t)] |= graph->tensors[t].roles;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t k = 0; k < graph->ops[op].n_in + graph->ops[op].n_out; k++) {
      bool input = k < graph->ops[op].n_in;
      int32_t root = root_of(graph, input ? graph->ops[op].in[k] : graph->ops[op].out[k - graph->ops[op].n_in]);
      first[root] = first[root] < 0 ? op : first[root];
      last[root] = op;
    }
  }
  for (int32_t t = 0; t < graph->n_tensors; t++) {
    if (graph->tensors[t].view_of >= 0 || (roles[t] & MEMPLAN_ROLE_WEIGHT) != 0) {
      continue;
    }
    bool input = (roles[t] & MEMPLAN_ROLE_INPUT) != 0, output = (roles[t] & MEMPLAN_ROLE_OUTPUT) != 0;
    int32_t start = input ? 0 : first[t], end = output ? graph->n_ops : last[t] + 1;
    if (start >= 0) {
      change[start] += graph->tensors[t].bytes;
      change[end > start ? end : start + 1] -= graph->tensors[t].bytes;
    }
  }
  int64_t load = 0, peak = 0;
  for (int32_t step = 0; step <= graph->n_ops; step++) {
    load += change[step];
    peak = load > peak ? load : peak;
  }
  free(first);
  free(last);
  free(roles);
  free(change);
  return peak;
}
