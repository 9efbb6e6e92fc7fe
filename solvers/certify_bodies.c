// SPDX-License-Identifier: Apache-2.0
// A body is a graph with an arena of its own, so that its certificate is one like any other. What it claims, on any
// order or on the planned one, is what the operator needs beside its own buffers.
#include "solvers/certify_bodies.h"

#include "model/planned_order.h"

#include <jansson.h>

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

// Appends one entry of the list, and to `claimed` the body with what is claimed of it.
static memplan_status add_body(const memplan_body_plan *body, const memplan_certificate *certificate, json_t *list,
                               memplan_plan *claimed, memplan_plan *room, memplan_error *error) {
  json_t *lines = read_lines(certificate);
  json_t *entry = json_pack("{s:s,s:s,s:o*}", "op", body->op, "body", body->body, "certificate", lines);
  if (lines == NULL || json_array_append_new(list, entry) != 0) {
    return memplan_fail_nomem(error);
  }
  memplan_body_plan *own = &claimed->bodies[claimed->n_bodies];
  room[claimed->n_bodies] = *body->plan;
  room[claimed->n_bodies].peak = certificate->claim;
  *own = *body;
  own->plan = &room[claimed->n_bodies++];
  return MEMPLAN_OK;
}

static memplan_status certify_all(const memplan_problem *problem, const memplan_plan *plan,
                                  const memplan_limits *limits, int64_t most, json_t *list, memplan_plan *claimed,
                                  memplan_plan *room, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  memplan_limits share = memplan_limits_start(limits);
  share.work = memplan_limits_work(&share) / (plan->n_bodies + 1);
  share.progress = NULL;
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
    memplan_certificate made = {.kind = "none"};
    memplan_status status = certify_body(&inner, body->plan, &share, most, &made, error);
    if (status == MEMPLAN_OK && made.text != NULL) {
      status = add_body(body, &made, list, claimed, room, error);
    }
    memplan_certificate_free(&made);
    MEMPLAN_TRY(status);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_certify_bodies(const memplan_problem *problem, const memplan_plan *plan,
                                      const memplan_limits *limits, int64_t most_bytes, memplan_instance *instance,
                                      char **text, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_plan claimed = *plan, *room = MEMPLAN_NEW(&arena, memplan_plan, plan->n_bodies);
  json_t *list = json_array();
  claimed.bodies = MEMPLAN_NEW(&arena, memplan_body_plan, plan->n_bodies);
  claimed.n_bodies = 0;
  *text = NULL;
  bool good = list != NULL && room != NULL && claimed.bodies != NULL;
  memplan_status status = good ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    status = certify_all(problem, plan, limits, most_bytes, list, &claimed, room, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_plan_lower(problem, &claimed, instance, error);
  }
  if (status == MEMPLAN_OK) {
    *text = json_dumps(list, JSON_COMPACT);
    status = *text != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  json_decref(list);
  memplan_arena_free(&arena);
  return status;
}
