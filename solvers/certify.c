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

// *found: something was written.
static memplan_status write_certificate(const memplan_problem *problem, const memplan_bound *bound, const char *options,
                                        const memplan_limits *limits, FILE *out, bool *found, memplan_error *error) {
  if (bound->kind == MEMPLAN_BOUND_LOAD) {
    memplan_load load = {.bytes = bound->bytes, .time = bound->step};
    *found = true;
    return memplan_proof_write_load(&load, problem->fingerprint, options, out) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  memplan_limits started = memplan_limits_start(limits);
  return memplan_place_certify(&problem->instance, bound->bytes, problem->fingerprint, options, &started, out, found,
                               error);
}

// As text in memory, NULL if nothing was found.
static memplan_status make_certificate(const memplan_problem *problem, const memplan_bound *bound, const char *options,
                                       const memplan_limits *limits, char **certificate, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  bool found = false;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = write_certificate(problem, bound, options, limits, out, &found, error);
  bool written = ferror(out) == 0;
  written = fclose(out) == 0 && written;
  if (status == MEMPLAN_OK && !written) {
    status = memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK && found) {
    *certificate = text;
  } else {
    free(text);
  }
  return status;
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
  json_t *object = memplan_problem_reading_json(problem);
  char *options = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  if (options == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = make_certificate(problem, bound, options, limits, certificate, error);
  free(options);
  return status;
}
