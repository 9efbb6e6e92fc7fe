// SPDX-License-Identifier: Apache-2.0
// A body is a graph like any other, planned into an arena of its own. What it captures, and its constants, lie outside
// of it; so do its inputs and outputs if they are the operator's own.
#include "model/verify_bodies.h"

#include "model/base/number.h"
#include "model/verify_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct body_key {
  const char *op, *body;
  int32_t index; // in the plan's bodies
} body_key;

static int compare_names(const body_key *a, const body_key *b) {
  int order = strcmp(a->op, b->op);
  return order != 0 ? order : strcmp(a->body, b->body);
}

static int compare_keys(const void *left, const void *right) {
  const body_key *a = left;
  const body_key *b = right;
  int order = compare_names(a, b);
  return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

// First key that is not before the wanted one.
static int32_t find_key(const body_key *keys, int32_t n_keys, const body_key *wanted) {
  int32_t first = 0;
  int32_t last = n_keys;
  while (first < last) {
    int32_t middle = first + (last - first) / 2;
    if (compare_names(&keys[middle], wanted) < 0) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

static memplan_status add_finding(memplan_findings *findings, const char *op, const char *body, const char *what,
                                  memplan_error *error) {
  memplan_violation violation = {
      .kind = MEMPLAN_VIOLATION_BODY, .first = op, .second = body, .step = -1, .low = -1, .high = -1};
  return memplan_findings_add(findings, &violation, error, "body '%s' of operator '%s' %s", body, op, what);
}

static memplan_status check_body(const memplan_graph *graph, const memplan_body *body,
                                 const memplan_problem_options *outer, const memplan_plan *plan, int32_t depth,
                                 memplan_findings *findings, int64_t *peak, memplan_error *error) {
  memplan_problem_options options = *outer;
  options.io = body->io_external ? MEMPLAN_IO_EXTERNAL : MEMPLAN_IO_ARENA;
  options.weights = MEMPLAN_WEIGHTS_EXTERNAL;
  options.capacity = -1;
  memplan_report inner;
  memplan_report_init(&inner);
  memplan_findings inner_findings;
  memplan_findings_init(&inner_findings, &inner);
  memplan_status status = memplan_graph_verify(body->graph, &options, plan, depth + 1, &inner_findings, peak, error);
  if (status == MEMPLAN_OK) {
    status = memplan_findings_close(&inner_findings, error);
  }
  if (status == MEMPLAN_OK) {
    char prefix[512];
    (void)snprintf(prefix, sizeof prefix, "in body '%s' of operator '%s'", body->name, graph->ops[body->op].id);
    status = memplan_findings_merge(findings, &inner, prefix, error);
  }
  memplan_report_free(&inner);
  return status;
}

static memplan_status check_bodies(const memplan_graph *graph, const memplan_problem_options *options,
                                   const memplan_plan *plan, int32_t depth, memplan_findings *findings,
                                   int64_t *workspace, memplan_arena *arena, memplan_error *error) {
  body_key *keys = MEMPLAN_NEW(arena, body_key, plan->n_bodies);
  bool *used = MEMPLAN_NEW(arena, bool, plan->n_bodies);
  int64_t *inner = MEMPLAN_NEW(arena, int64_t, graph->n_ops);
  if (keys == NULL || used == NULL || inner == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < plan->n_bodies; i++) {
    keys[i] = (body_key){plan->bodies[i].op, plan->bodies[i].body, i};
  }
  if (plan->n_bodies > 1) {
    qsort(keys, (size_t)plan->n_bodies, sizeof *keys, compare_keys);
  }
  int32_t n_bodies = options->bodies == MEMPLAN_BODIES_IGNORE ? 0 : graph->n_bodies;
  for (int32_t i = 0; i < n_bodies; i++) {
    const memplan_body *body = &graph->bodies[i];
    body_key wanted = {graph->ops[body->op].id, body->name, -1};
    int32_t at = find_key(keys, plan->n_bodies, &wanted);
    if (at == plan->n_bodies || compare_names(&keys[at], &wanted) != 0 || plan->bodies[keys[at].index].plan == NULL) {
      MEMPLAN_TRY(add_finding(findings, wanted.op, wanted.body, "has no plan", error));
      continue;
    }
    used[keys[at].index] = true;
    int64_t peak;
    MEMPLAN_TRY(check_body(graph, body, options, plan->bodies[keys[at].index].plan, depth, findings, &peak, error));
    int64_t *sum = &inner[body->op];
    *sum = options->no_branch_sharing ? memplan_add_saturated(*sum, peak) : peak > *sum ? peak : *sum;
  }
  for (int32_t i = 0; i < plan->n_bodies; i++) {
    if (!used[i]) {
      MEMPLAN_TRY(add_finding(findings, plan->bodies[i].op, plan->bodies[i].body, "has a plan too many", error));
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = memplan_add_saturated(graph->ops[op].workspace, inner[op]);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_bodies_check(const memplan_graph *graph, const memplan_problem_options *options,
                                    const memplan_plan *plan, int32_t depth, memplan_findings *findings,
                                    int64_t *workspace, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_status status = check_bodies(graph, options, plan, depth, findings, workspace, &arena, error);
  memplan_arena_free(&arena);
  return status;
}
