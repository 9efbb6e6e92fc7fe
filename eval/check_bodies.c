// SPDX-License-Identifier: Apache-2.0
#include "eval/check_bodies.h"

#include "eval/check_proof.h"
#include "model/base/quote.h"
#include "model/planned_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static memplan_status check_body(const memplan_problem *problem, const memplan_body *body, const json_t *lines,
                                 memplan_check_result *result, memplan_error *error) {
  memplan_problem inner = memplan_problem_of_body(problem, body);
  return memplan_check_certificate_lines(&inner, lines, NULL, result, error);
}

static bool is_named(const memplan_problem *problem, const memplan_body *body, const char *op, const char *name) {
  return strcmp(problem->graph.ops[body->op].id, op) == 0 && strcmp(body->name, name) == 0;
}

static bool add_body(const memplan_problem *problem, const memplan_body *body, int64_t claim, memplan_plan *plan) {
  memplan_plan *inner = MEMPLAN_NEW(&plan->arena, memplan_plan, 1);
  if (inner == NULL) {
    return false;
  }
  inner->peak = claim;
  plan->bodies[plan->n_bodies++] = (memplan_body_plan){problem->graph.ops[body->op].id, body->name, inner};
  return true;
}

memplan_status memplan_check_bodies(const memplan_problem *problem, const json_t *head, bool every_order,
                                    memplan_plan *plan, bool *good, char *reason, size_t size, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  const json_t *list = json_object_get(head, "bodies");
  int32_t n_bodies = problem->options.bodies == MEMPLAN_BODIES_PLAN ? graph->n_bodies : 0, at = 0;
  *good = true;
  plan->bodies = MEMPLAN_NEW(&plan->arena, memplan_body_plan, n_bodies);
  if (plan->bodies == NULL) {
    return memplan_fail_nomem(error);
  }
  for (size_t k = 0; k < json_array_size(list) && *good; k++) {
    const json_t *entry = json_array_get(list, k), *lines = json_object_get(entry, "certificate");
    const char *op = json_string_value(json_object_get(entry, "op"));
    const char *name = json_string_value(json_object_get(entry, "body"));
    while (at < n_bodies && op != NULL && name != NULL && !is_named(problem, &graph->bodies[at], op, name)) {
      at++;
    }
    if (at == n_bodies || op == NULL || name == NULL || !json_is_array(lines)) {
      (void)snprintf(reason, size, "entry %zu of \"bodies\" is no certificate of a body after those before it", k + 1);
      *good = false;
      break;
    }
    memplan_check_result result;
    MEMPLAN_TRY(check_body(problem, &graph->bodies[at], lines, &result, error));
    if (result.proven && every_order && !result.every_order) {
      (void)snprintf(reason, size, "body '%.60s' of operator '%.60s': its certificate speaks of one order only",
                     memplan_quote(name).text, memplan_quote(op).text);
      *good = false;
    } else if (!result.proven) {
      (void)snprintf(reason, size, "body '%.60s' of operator '%.60s': %.100s", memplan_quote(name).text,
                     memplan_quote(op).text, result.reason);
      *good = false;
    } else if (!add_body(problem, &graph->bodies[at++], result.claim, plan)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_check_bodies_workspace(const memplan_problem *problem, const json_t *head, int64_t **workspace,
                                              bool *good, char *reason, size_t size, memplan_error *error) {
  *workspace = NULL;
  *good = true;
  if (json_object_get(head, "bodies") == NULL) {
    return MEMPLAN_OK;
  }
  memplan_plan plan;
  memplan_error why = {.message = ""};
  memplan_plan_init(&plan);
  *workspace = malloc(((size_t)problem->graph.n_ops + 1) * sizeof **workspace);
  memplan_status status = *workspace == NULL ? memplan_fail_nomem(&why) : MEMPLAN_OK;
  if (status == MEMPLAN_OK) {
    status = memplan_check_bodies(problem, head, true, &plan, good, reason, size, &why);
  }
  if (status == MEMPLAN_OK && *good) {
    status = memplan_plan_find_workspace(problem, &plan, *workspace, &why);
  }
  memplan_plan_free(&plan);
  if (status == MEMPLAN_INPUT) {
    (void)snprintf(reason, size, "%.250s", why.message);
    *good = false;
    return MEMPLAN_OK;
  }
  if (status != MEMPLAN_OK && error != NULL) {
    *error = why;
  }
  return status;
}
