// SPDX-License-Identifier: Apache-2.0
#include "instances/generators.h"

#include <stdio.h>
#include <string.h>

static const memplan_generator *const generators[] = {&memplan_generator_tight, &memplan_generator_random,
                                                      &memplan_generator_gap, &memplan_generator_layered};

int32_t memplan_generator_count(void) { return (int32_t)(sizeof generators / sizeof generators[0]); }

const memplan_generator *memplan_generator_at(int32_t index) {
  return index >= 0 && index < memplan_generator_count() ? generators[index] : NULL;
}

const memplan_generator *memplan_generator_find(const char *name) {
  for (int32_t i = 0; i < memplan_generator_count(); i++) {
    if (strcmp(generators[i]->name, name) == 0) {
      return generators[i];
    }
  }
  return NULL;
}

static memplan_status check_wishes(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                   memplan_error *error) {
  if (wishes->n != 0 && (wishes->n < generator->least_n || wishes->n > generator->most_n)) {
    return memplan_fail(error, MEMPLAN_INPUT, "the family %s has problems of %lld to %lld %s, not of %lld",
                        generator->name, (long long)generator->least_n, (long long)generator->most_n, generator->things,
                        (long long)wishes->n);
  }
  if (wishes->fill != 0 && !generator->takes_fill) {
    return memplan_fail(error, MEMPLAN_INPUT, "the family %s fills nothing; leave --fill out", generator->name);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_generate(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                memplan_instance *instance, memplan_error *error) {
  MEMPLAN_TRY(check_wishes(generator, wishes, error));
  if (generator->make == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "the family %s makes graphs, not placement problems", generator->name);
  }
  MEMPLAN_TRY(generator->make(wishes, instance, error));
  return memplan_instance_resolve(instance, 1, error);
}

memplan_status memplan_generate_problem(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                        memplan_problem *problem, memplan_error *error) {
  problem->path = generator->name;
  problem->options = memplan_problem_options_default();
  if (generator->make != NULL) {
    problem->has_instance = true;
    problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
    return memplan_generate(generator, wishes, &problem->instance, error);
  }
  problem->has_graph = true;
  MEMPLAN_TRY(check_wishes(generator, wishes, error));
  MEMPLAN_TRY(generator->make_graph(wishes, &problem->graph, error));
  problem->graph.name = generator->name;
  return memplan_graph_resolve(&problem->graph, error);
}

memplan_status memplan_generator_allocate(memplan_instance *instance, int64_t count, memplan_error *error) {
  enum { id_size = 12 };
  memplan_arena *arena = &instance->arena;
  memplan_interval *live = MEMPLAN_NEW(arena, memplan_interval, count);
  char *ids = MEMPLAN_NEW(arena, char, count *id_size);
  instance->buffers = MEMPLAN_NEW(arena, memplan_buffer, count);
  if (live == NULL || ids == NULL || instance->buffers == NULL || count > INT32_MAX / 4) {
    return memplan_fail_nomem(error);
  }
  for (int64_t i = 0; i < count; i++) {
    char *id = ids + i * id_size;
    (void)snprintf(id, id_size, "%d", (int)i);
    instance->buffers[i] =
        (memplan_buffer){.id = id, .align = 1, .pin = -1, .offset = -1, .hint = -1, .live = &live[i], .n_live = 1};
  }
  instance->n_buffers = (int32_t)count;
  return MEMPLAN_OK;
}

void memplan_generator_set(memplan_instance *instance, int64_t index, int64_t bytes, int64_t start, int64_t end) {
  memplan_buffer *buffer = &instance->buffers[index];
  memplan_interval *live = (memplan_interval *)(uintptr_t)buffer->live; // made by memplan_generator_allocate
  buffer->bytes = bytes;
  *live = (memplan_interval){start, end};
}

memplan_status memplan_generator_fill(memplan_graph *graph, int32_t n, const int64_t *bytes,
                                      const memplan_generator_edge *edges, int64_t n_edges, memplan_error *error) {
  enum { id_size = 16 };
  memplan_arena *arena = &graph->arena;
  int32_t *in = MEMPLAN_NEW(arena, int32_t, n_edges), *out = MEMPLAN_NEW(arena, int32_t, n), n_in = 0;
  char *ids = MEMPLAN_NEW(arena, char, 2 * (int64_t)n * id_size);
  graph->tensors = MEMPLAN_NEW(arena, memplan_tensor, n);
  graph->ops = MEMPLAN_NEW(arena, memplan_op, n);
  if (in == NULL || out == NULL || ids == NULL || graph->tensors == NULL || graph->ops == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < n; op++) {
    char *tensor_id = ids + (int64_t)2 * op * id_size, *op_id = tensor_id + id_size;
    (void)snprintf(tensor_id, id_size, "t%d", op);
    (void)snprintf(op_id, id_size, "op%d", op);
    out[op] = op;
    graph->tensors[op] = (memplan_tensor){.id = tensor_id,
                                          .bytes = bytes[op],
                                          .align = 1,
                                          .pin = -1,
                                          .view_of = -1,
                                          .roles = MEMPLAN_ROLE_OUTPUT,
                                          .rank = -1};
    graph->ops[op] = (memplan_op){.id = op_id,
                                  .in = &in[n_in],
                                  .out = &out[op],
                                  .n_out = 1,
                                  .workspace_align = 1,
                                  .cost = 1,
                                  .async_until = -1,
                                  .group = -1};
    for (int64_t k = 0; k < n_edges; k++) {
      bool again = edges[k].reader != op;
      for (int32_t l = 0; l < graph->ops[op].n_in && !again; l++) {
        again = graph->ops[op].in[l] == edges[k].writer;
      }
      if (!again) {
        in[n_in++] = edges[k].writer;
        graph->ops[op].n_in++;
      }
    }
  }
  for (int64_t k = 0; k < n_edges; k++) { // read by somebody: no output
    graph->tensors[edges[k].writer].roles = 0;
  }
  graph->n_tensors = n;
  graph->n_ops = n;
  return MEMPLAN_OK;
}
