// SPDX-License-Identifier: Apache-2.0
// A body is a graph with an arena of its own, so that its certificate is one like any other. What it claims, on any
// order or on the planned one, is what the operator needs beside its own buffers.
#include "solvers/certify_bodies.h"

#include "model/planned_order.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static memplan_status certify_body(const memplan_problem *problem, const memplan_plan *plan,
                                   const memplan_limits *limits, int64_t most, memplan_certificate *certificate,
                                   memplan_error *error) {
  memplan_solution solution = {.plan = *plan, .has_plan = true, .has_instance = true};
  memplan_instance_init(&solution.instance);
  memplan_status status = memplan_plan_lower(problem, plan, &solution.instance, error);
  if (status == MEMPLAN_OK) {
    status = memplan_certify(problem, &solution, limits, most, certificate, error);
  }
  memplan_instance_free(&solution.instance);
  return status;
}

// The lines of a certificate as an array.
static json_t *read_lines(const memplan_certificate *certificate) {
  json_t *lines = json_array();
  const char *at = certificate->text, *end = certificate->text + certificate->length;
  while (lines != NULL && at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop != NULL ? stop : end;
    if (json_array_append_new(lines, json_loadb(at, (size_t)(stop - at), 0, NULL)) != 0) {
      json_decref(lines);
      return NULL;
    }
    at = stop + 1;
  }
  return lines;
}

void memplan_certified_bodies_free(memplan_certified_bodies *bodies) {
  for (int32_t k = 0; k < bodies->n; k++) {
    memplan_certificate_free(&bodies->certificates[k]);
  }
  free(bodies->certificates);
  *bodies = (memplan_certified_bodies){.certificates = NULL};
}

memplan_status memplan_certify_bodies(const memplan_problem *problem, const memplan_plan *plan,
                                      const memplan_limits *limits, int64_t most_bytes,
                                      memplan_certified_bodies *bodies, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  memplan_limits share = memplan_limits_start(limits);
  share.work = memplan_limits_work(&share) / (plan->n_bodies + 1);
  share.progress = NULL;
  bodies->certificates = calloc((size_t)plan->n_bodies + 1, sizeof *bodies->certificates);
  if (bodies->certificates == NULL) {
    return memplan_fail_nomem(error);
  }
  bodies->n = plan->n_bodies;
  int32_t at = 0; // both lists are in the order of the model
  for (int32_t k = 0; k < plan->n_bodies; k++) {
    const memplan_body_plan *body = &plan->bodies[k];
    while (at < graph->n_bodies && (strcmp(graph->ops[graph->bodies[at].op].id, body->op) != 0 ||
                                    strcmp(graph->bodies[at].name, body->body) != 0)) {
      at++;
    }
    if (at == graph->n_bodies) {
      break;
    }
    memplan_problem inner = memplan_problem_of_body(problem, &graph->bodies[at++]);
    MEMPLAN_TRY(certify_body(&inner, body->plan, &share, most_bytes, &bodies->certificates[k], error));
  }
  return MEMPLAN_OK;
}

// ---- what they claim

// A plan with the claims as its bodies' peaks, and the list of their certificates.
typedef struct claims {
  memplan_arena arena;
  memplan_plan plan;
  char *text;
} claims;

static bool add_entry(const memplan_body_plan *body, const memplan_certificate *certificate, json_t *list) {
  json_t *lines = read_lines(certificate);
  return lines != NULL && json_array_append_new(list, json_pack("{s:s,s:s,s:o}", "op", body->op, "body", body->body,
                                                                "certificate", lines)) == 0;
}

static memplan_status find_claims(const memplan_certified_bodies *bodies, const memplan_plan *plan, bool every_order,
                                  claims *found, memplan_error *error) {
  *found = (claims){.plan = *plan};
  memplan_plan *claimed = &found->plan, *room = MEMPLAN_NEW(&found->arena, memplan_plan, bodies->n);
  claimed->bodies = MEMPLAN_NEW(&found->arena, memplan_body_plan, bodies->n);
  claimed->n_bodies = 0;
  json_t *list = json_array();
  bool good = list != NULL && room != NULL && claimed->bodies != NULL;
  for (int32_t k = 0; k < bodies->n && good; k++) {
    const memplan_certificate *certificate = &bodies->certificates[k];
    if (certificate->text == NULL || (every_order && !certificate->every_order)) {
      continue;
    }
    int32_t at = claimed->n_bodies++;
    good = add_entry(&plan->bodies[k], certificate, list);
    room[at] = *plan->bodies[k].plan;
    room[at].peak = certificate->claim;
    claimed->bodies[at] = plan->bodies[k];
    claimed->bodies[at].plan = &room[at];
  }
  found->text = good ? json_dumps(list, JSON_COMPACT) : NULL;
  json_decref(list);
  return found->text != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_certified_bodies_lower(const memplan_certified_bodies *bodies, const memplan_problem *problem,
                                              const memplan_plan *plan, memplan_instance *instance, char **text,
                                              memplan_error *error) {
  claims found;
  memplan_status status = find_claims(bodies, plan, false, &found, error);
  if (status == MEMPLAN_OK) {
    status = memplan_plan_lower(problem, &found.plan, instance, error);
  }
  memplan_arena_free(&found.arena);
  *text = found.text;
  return status;
}

memplan_status memplan_certified_bodies_prove(const memplan_certified_bodies *bodies, const memplan_problem *problem,
                                              const memplan_plan *plan, memplan_proven_bodies *proven,
                                              memplan_error *error) {
  claims found;
  memplan_status status = find_claims(bodies, plan, true, &found, error);
  proven->workspace = malloc(((size_t)problem->graph.n_ops + 1) * sizeof *proven->workspace);
  if (status == MEMPLAN_OK) {
    status = proven->workspace == NULL ? memplan_fail_nomem(error)
                                       : memplan_plan_find_workspace(problem, &found.plan, proven->workspace, error);
  }
  memplan_arena_free(&found.arena);
  proven->text = found.text;
  return status;
}

void memplan_proven_bodies_free(memplan_proven_bodies *proven) {
  free(proven->workspace);
  free(proven->text);
  *proven = (memplan_proven_bodies){.text = NULL};
}
