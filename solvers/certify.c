// SPDX-License-Identifier: Apache-2.0
// The certificate of a lower bound: a load proves itself by its step; any other bound of a placement problem is proven
// once more by the precedence engine, which keeps a log of what it learns.
#include "model/memplan.h"
#include "model/problem_json.h"
#include "solvers/place_optimal.h"
#include "solvers/proof.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static memplan_status write_load(const memplan_problem *problem, const memplan_bound *bound, const char *options,
                                 char **certificate, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_load load = {.bytes = bound->bytes, .time = bound->step};
  memplan_proof_write_load(&load, problem->fingerprint, options, out);
  bool written = ferror(out) == 0;
  if (fclose(out) != 0 || !written) {
    free(text);
    return memplan_fail_nomem(error);
  }
  *certificate = text;
  return MEMPLAN_OK;
}

memplan_status memplan_certify(const memplan_problem *problem, const memplan_bound *bound, const memplan_limits *limits,
                               char **certificate, memplan_error *error) {
  *certificate = NULL;
  if (!problem->has_instance) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                        "certificates speak of placement problems: convert the graph on its order (--to instance-json) "
                        "and solve that");
  }
  if (problem->instance.n_pools > 1) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "certificates speak of problems with one pool");
  }
  json_t *object = memplan_problem_options_json(problem);
  char *options = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  if (options == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_limits started = memplan_limits_start(limits);
  memplan_status status = bound->kind == MEMPLAN_BOUND_LOAD
                              ? write_load(problem, bound, options, certificate, error)
                              : memplan_place_certify(&problem->instance, bound->bytes, problem->fingerprint, options,
                                                      &started, certificate, error);
  free(options);
  return status;
}
