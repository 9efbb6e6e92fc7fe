// SPDX-License-Identifier: Apache-2.0
#include "tests/support/build_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Release builds drop assert; a test that goes on without memory or with a wrong name would prove nothing.
static void *need(void *pointer) {
  if (pointer == NULL) {
    abort();
  }
  return pointer;
}

#define BUILD_NEW(arena, type, count) ((type *)need(MEMPLAN_NEW((arena), type, (count))))

void build_graph(memplan_problem *problem) {
  memplan_problem_init(problem);
  problem->has_graph = true;
  problem->options = memplan_problem_options_default();
  memplan_graph *graph = &problem->graph;
  graph->name = "test";
  graph->tensors = BUILD_NEW(&graph->arena, memplan_tensor, BUILD_TENSORS);
  graph->ops = BUILD_NEW(&graph->arena, memplan_op, BUILD_OPS);
  graph->bodies = BUILD_NEW(&graph->arena, memplan_body, BUILD_OPS);
  graph->groups = BUILD_NEW(&graph->arena, const char *, BUILD_OPS);
}

void build_instance(memplan_problem *problem) {
  memplan_problem_init(problem);
  problem->has_instance = true;
  problem->options = memplan_problem_options_default();
  memplan_instance *instance = &problem->instance;
  instance->name = "test";
  instance->buffers = BUILD_NEW(&instance->arena, memplan_buffer, BUILD_BUFFERS);
  instance->separate = BUILD_NEW(&instance->arena, memplan_rule, BUILD_RULES);
  instance->colocate = BUILD_NEW(&instance->arena, memplan_rule, BUILD_RULES);
  instance->conflicts = BUILD_NEW(&instance->arena, memplan_rule, BUILD_RULES);
}

int32_t build_find_tensor(const memplan_graph *graph, const char *id) {
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (strcmp(graph->tensors[i].id, id) == 0) {
      return i;
    }
  }
  abort();
}

int32_t build_find_op(const memplan_graph *graph, const char *id) {
  for (int32_t i = 0; i < graph->n_ops; i++) {
    if (strcmp(graph->ops[i].id, id) == 0) {
      return i;
    }
  }
  abort();
}

int32_t build_tensor(memplan_graph *graph, const char *id, int64_t bytes, unsigned roles) {
  if (graph->n_tensors == BUILD_TENSORS) {
    abort();
  }
  memplan_tensor *tensor = &graph->tensors[graph->n_tensors];
  *tensor = (memplan_tensor){.id = need(memplan_arena_text(&graph->arena, id, strlen(id))),
                             .bytes = bytes,
                             .align = 1,
                             .pin = -1,
                             .view_of = -1,
                             .roles = (uint8_t)roles,
                             .rank = -1};
  return graph->n_tensors++;
}

int32_t build_view(memplan_graph *graph, const char *id, int64_t bytes, const char *of, int64_t offset) {
  int32_t base = build_find_tensor(graph, of);
  int32_t view = build_tensor(graph, id, bytes, 0);
  graph->tensors[view].view_of = base;
  graph->tensors[view].view_offset = offset;
  return view;
}

// The ids of a list as numbers.
static const int32_t *parse_list(memplan_graph *graph, const char *list, bool ops, int32_t *count) {
  int32_t *numbers = BUILD_NEW(&graph->arena, int32_t, BUILD_TENSORS);
  char *text = need(memplan_arena_text(&graph->arena, list, strlen(list)));
  char *rest = NULL;
  *count = 0;
  for (char *id = strtok_r(text, " ", &rest); id != NULL; id = strtok_r(NULL, " ", &rest)) {
    numbers[(*count)++] = ops ? build_find_op(graph, id) : build_find_tensor(graph, id);
  }
  return numbers;
}

memplan_op *build_op(memplan_graph *graph, const char *id, const char *in, const char *out) {
  if (graph->n_ops == BUILD_OPS) {
    abort();
  }
  memplan_op *op = &graph->ops[graph->n_ops++];
  *op = (memplan_op){.id = need(memplan_arena_text(&graph->arena, id, strlen(id))),
                     .workspace_align = 1,
                     .cost = 1,
                     .async_until = -1,
                     .group = -1};
  op->in = parse_list(graph, in, false, &op->n_in);
  op->out = parse_list(graph, out, false, &op->n_out);
  return op;
}

void build_after(memplan_graph *graph, memplan_op *op, const char *ops) {
  op->after = parse_list(graph, ops, true, &op->n_after);
}

void build_writes(memplan_graph *graph, memplan_op *op, const char *tensors) {
  op->writes = parse_list(graph, tensors, false, &op->n_writes);
}

void build_inplace(memplan_graph *graph, memplan_op *op, const char *output, const char *input) {
  memplan_inplace *pairs = BUILD_NEW(&graph->arena, memplan_inplace, op->n_inplace + 1);
  for (int32_t k = 0; k < op->n_inplace; k++) {
    pairs[k] = op->inplace[k];
  }
  pairs[op->n_inplace++] = (memplan_inplace){build_find_tensor(graph, output), build_find_tensor(graph, input)};
  op->inplace = pairs;
}

void build_body(memplan_graph *graph, const char *op, const char *name, memplan_graph *body, bool io_external) {
  graph->bodies[graph->n_bodies++] = (memplan_body){build_find_op(graph, op), name, body, io_external};
}

static int32_t find_buffer(const memplan_instance *instance, const char *id) {
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    if (strcmp(instance->buffers[i].id, id) == 0) {
      return i;
    }
  }
  abort();
}

memplan_buffer *build_buffer(memplan_instance *instance, const char *id, int64_t start, int64_t end, int64_t bytes) {
  if (instance->n_buffers == BUILD_BUFFERS) {
    abort();
  }
  memplan_buffer *buffer = &instance->buffers[instance->n_buffers++];
  *buffer = (memplan_buffer){.id = need(memplan_arena_text(&instance->arena, id, strlen(id))),
                             .bytes = bytes,
                             .align = 1,
                             .pin = -1,
                             .offset = -1,
                             .hint = -1};
  build_live(instance, buffer, start, end);
  return buffer;
}

void build_live(memplan_instance *instance, memplan_buffer *buffer, int64_t start, int64_t end) {
  memplan_interval *live = BUILD_NEW(&instance->arena, memplan_interval, buffer->n_live + 1);
  for (int32_t k = 0; k < buffer->n_live; k++) {
    live[k] = buffer->live[k];
  }
  live[buffer->n_live++] = (memplan_interval){start, end};
  buffer->live = live;
}

void build_gap(memplan_instance *instance, memplan_buffer *buffer, int64_t start, int64_t end, int64_t low,
               int64_t high) {
  memplan_gap *gaps = BUILD_NEW(&instance->arena, memplan_gap, buffer->n_gaps + 1);
  for (int32_t k = 0; k < buffer->n_gaps; k++) {
    gaps[k] = buffer->gaps[k];
  }
  gaps[buffer->n_gaps++] = (memplan_gap){start, end, low, high};
  buffer->gaps = gaps;
}

void build_separate(memplan_instance *instance, const char *first, const char *second) {
  instance->separate[instance->n_separate++] =
      (memplan_rule){find_buffer(instance, first), find_buffer(instance, second), 0};
}

void build_colocate(memplan_instance *instance, const char *first, const char *second, int64_t delta) {
  instance->colocate[instance->n_colocate++] =
      (memplan_rule){find_buffer(instance, first), find_buffer(instance, second), delta};
}

void build_conflict(memplan_instance *instance, const char *first, const char *second) {
  instance->conflicts[instance->n_conflicts++] =
      (memplan_rule){find_buffer(instance, first), find_buffer(instance, second), 0};
}

memplan_status build_try(memplan_problem *problem, memplan_error *error) {
  if (problem->has_graph) {
    MEMPLAN_TRY(memplan_graph_resolve(&problem->graph, error));
  } else {
    MEMPLAN_TRY(memplan_instance_resolve(&problem->instance, problem->options.align, error));
  }
  return memplan_problem_fingerprint(problem, error);
}

void build_finish(memplan_problem *problem) {
  memplan_error error = {.message = ""};
  if (build_try(problem, &error) != MEMPLAN_OK) {
    (void)fprintf(stderr, "%s\n", error.message);
    abort();
  }
}

void build_plan(const memplan_problem *problem, memplan_plan *plan, const char *order) {
  memplan_plan_init(plan);
  plan->fingerprint = need(memplan_arena_text(&plan->arena, problem->fingerprint, strlen(problem->fingerprint)));
  plan->outcome = MEMPLAN_FEASIBLE;
  plan->order = BUILD_NEW(&plan->arena, const char *, BUILD_OPS);
  plan->inplace = BUILD_NEW(&plan->arena, memplan_plan_pair, BUILD_OPS);
  plan->placed = BUILD_NEW(&plan->arena, memplan_placed, 2 * BUILD_TENSORS);
  plan->bodies = BUILD_NEW(&plan->arena, memplan_body_plan, BUILD_OPS);
  char *text = need(memplan_arena_text(&plan->arena, order, strlen(order)));
  char *rest = NULL;
  for (char *id = strtok_r(text, " ", &rest); id != NULL; id = strtok_r(NULL, " ", &rest)) {
    plan->order[plan->n_order++] = id;
  }
}

memplan_placed *build_place(memplan_plan *plan, const char *id, int64_t offset) {
  memplan_placed *placed = &plan->placed[plan->n_placed++];
  *placed =
      (memplan_placed){.id = need(memplan_arena_text(&plan->arena, id, strlen(id))), .offset = offset, .slot = -1};
  return placed;
}

void build_choose(memplan_plan *plan, const char *output, const char *input) {
  plan->inplace[plan->n_inplace++] = (memplan_plan_pair){output, input};
}

void build_body_plan(memplan_plan *plan, const char *op, const char *body, memplan_plan *inner) {
  plan->bodies[plan->n_bodies++] = (memplan_body_plan){op, body, inner};
}

void build_peak(const memplan_problem *problem, memplan_plan *plan) {
  memplan_report report;
  memplan_report_init(&report);
  if (memplan_verify(problem, plan, &report, NULL) != MEMPLAN_OK) {
    abort();
  }
  plan->peak = report.peak;
  memplan_report_free(&report);
}
