// SPDX-License-Identifier: Apache-2.0
#include "solvers/certify_writer.h"

#include "model/base/names.h"
#include "model/problem_json.h"
#include "solvers/nogood_proof.h"
#include "solvers/place_optimal.h"
#include "solvers/proof.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static memplan_status open_sink(memplan_certify_writer *w, memplan_error *error) {
  w->out = memplan_text_sink_open(&w->into, w->most);
  return w->out != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// Keeps what was written, unless it is nothing or too large.
static memplan_status close_sink(memplan_certify_writer *w, const char *kind, int64_t claim, bool written, bool found,
                                 memplan_error *error) {
  bool good = fclose(w->out) == 0 && written;
  memplan_certificate *certificate = w->certificate;
  if (!good && !w->into.too_large) {
    free(w->into.text);
    return memplan_fail_nomem(error);
  }
  if (found && !w->into.too_large) {
    certificate->text = w->into.text;
    certificate->length = w->into.length;
    certificate->claim = claim;
    certificate->kind = kind;
    certificate->missing = NULL;
  } else {
    free(w->into.text);
    certificate->missing =
        w->into.too_large
            ? memplan_certificate_too_large
            : "no proof of the lower bound was found within the limits; the search for one takes components of at "
              "most 2048 buffers and 2^41 units (see README, Certificates)";
  }
  return MEMPLAN_OK;
}

memplan_status memplan_certify_load(memplan_certify_writer *w, memplan_load load, const char *pool,
                                    memplan_error *error) {
  MEMPLAN_TRY(open_sink(w, error));
  bool written = memplan_proof_write_load(&load, pool, w->problem->fingerprint, w->options, w->out);
  return close_sink(w, "load", load.bytes, written, true, error);
}

memplan_status memplan_certify_clique(memplan_certify_writer *w, const memplan_bound *bound, memplan_error *error) {
  MEMPLAN_TRY(open_sink(w, error));
  bool written = memplan_proof_write_clique(bound, w->problem->fingerprint, w->options, w->out);
  return close_sink(w, "clique", bound->bytes, written, true, error);
}

memplan_status memplan_certify_clauses(memplan_certify_writer *w, int64_t claim, memplan_error *error) {
  bool found = false;
  memplan_limits started = memplan_limits_start(w->limits);
  MEMPLAN_TRY(open_sink(w, error));
  memplan_status status =
      memplan_place_certify(w->instance, claim, w->problem->fingerprint, w->options, &started, w->out, &found, error);
  memplan_status closed = close_sink(w, "clauses", claim, status == MEMPLAN_OK, found, error);
  return w->into.too_large ? closed : status != MEMPLAN_OK ? status : closed;
}

static int compare_blocks(const void *left, const void *right) {
  const int32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

// The blocks of the buffers that the bound rests on; none if it names none, or foreign ones.
static memplan_status find_core(const memplan_certify_writer *w, const memplan_bound *bound, memplan_arena *arena,
                                int32_t **core, int32_t *n_core, memplan_error *error) {
  memplan_names names = {0};
  bool good = true;
  *core = MEMPLAN_NEW(arena, int32_t, bound->n_buffers);
  for (int32_t k = 0; k < w->instance->n_buffers && good && *core != NULL; k++) {
    good = memplan_names_add(&names, w->instance->buffers[k].id, k) != -2;
  }
  good = good && *core != NULL;
  *n_core = 0;
  for (int32_t k = 0; k < bound->n_buffers && good; k++) {
    int32_t buffer = memplan_names_find(&names, bound->buffers[k]);
    if (buffer < 0) {
      *n_core = 0;
      break;
    }
    (*core)[(*n_core)++] = w->instance->block_of[buffer];
  }
  memplan_names_free(&names);
  if (*n_core > 0) {
    qsort(*core, (size_t)*n_core, sizeof **core, compare_blocks);
  }
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// The bound of a search: from the buffers that it names, if they suffice, else from those that are found anew.
memplan_status memplan_certify_searched(memplan_certify_writer *w, const memplan_bound *bound, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(w->limits);
  int32_t *core = NULL, n_core = 0;
  bool found = false;
  memplan_status status = MEMPLAN_OK;
  if (bound->n_buffers > 0) {
    status = find_core(w, bound, &arena, &core, &n_core, error);
  }
  if (status == MEMPLAN_OK && n_core > 0) {
    status = open_sink(w, error);
  }
  if (status == MEMPLAN_OK && n_core > 0) {
    status = memplan_place_certify_core(w->instance, core, n_core, bound->bytes, w->problem->fingerprint, w->options,
                                        &started, w->out, &found, error);
    memplan_status closed = close_sink(w, "clauses", bound->bytes, status == MEMPLAN_OK, found, error);
    status = status == MEMPLAN_OK || w->into.too_large ? closed : status;
  }
  memplan_arena_free(&arena);
  return status != MEMPLAN_OK || w->certificate->text != NULL ? status
                                                              : memplan_certify_clauses(w, bound->bytes, error);
}

memplan_status memplan_certify_add_member(memplan_certify_writer *w, const char *key, const char *text,
                                          memplan_error *error) {
  size_t size = text != NULL ? strlen(w->options) + strlen(key) + strlen(text) + sizeof ",\"\":" : 0;
  char *options = text != NULL ? malloc(size) : NULL;
  if (options == NULL) {
    return memplan_fail_nomem(error);
  }
  (void)snprintf(options, size, "%s,\"%s\":%s", w->options, key, text);
  free(w->options);
  w->options = options;
  return MEMPLAN_OK;
}

// Where a log of orders was too large, one of order and placement, which starts without the bound of orders, is larger.
memplan_status memplan_certify_by_engines(memplan_certify_writer *w, const memplan_problem *problem,
                                          const memplan_joint_claim *claim, const memplan_limits *limits,
                                          memplan_error *error) {
  if (w->certificate->missing == memplan_certificate_too_large) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_joint_certify_claim(problem, claim, limits, w->most, w->certificate, error));
  if (w->certificate->text != NULL) {
    return MEMPLAN_OK;
  }
  const char *missing = w->certificate->missing;
  MEMPLAN_TRY(
      memplan_nogood_certify_within(problem, &claim->scope, claim->bytes, limits, w->most, w->certificate, error));
  if (w->certificate->text == NULL && w->certificate->missing == NULL) {
    w->certificate->missing = missing;
  }
  return MEMPLAN_OK;
}

bool memplan_certify_is_settled(memplan_certify_writer *w) {
  if (w->certificate->missing == memplan_certificate_too_large) {
    w->stronger = memplan_certificate_too_large;
  }
  w->certificate->missing = NULL;
  return w->certificate->text != NULL;
}

memplan_status memplan_certify_describe(memplan_certify_writer *w, memplan_error *error) {
  const memplan_plan *plan = &w->solution->plan;
  json_t *object = memplan_problem_reading_json(w->problem), *order = json_array(), *inplace = json_array();
  bool good = object != NULL && order != NULL && inplace != NULL;
  for (int32_t k = 0; good && k < plan->n_order; k++) {
    good = json_array_append_new(order, json_string(plan->order[k])) == 0;
  }
  for (int32_t k = 0; good && k < plan->n_inplace; k++) {
    good = json_array_append_new(inplace, json_pack("[ss]", plan->inplace[k].output, plan->inplace[k].input)) == 0;
  }
  char *own = good ? json_dumps(object, JSON_COMPACT) : NULL, *steps = good ? json_dumps(order, JSON_COMPACT) : NULL;
  char *pairs = good ? json_dumps(inplace, JSON_COMPACT) : NULL;
  good = own != NULL && steps != NULL && pairs != NULL;
  if (good && w->problem->has_graph) {
    size_t size = strlen(own) + strlen(steps) + strlen(pairs) + sizeof ",\"order\":,\"inplace\":";
    w->options = malloc(size);
    good = w->options != NULL;
    if (good) {
      (void)snprintf(w->options, size, "%s,\"order\":%s,\"inplace\":%s", own, steps, pairs);
    }
    free(own);
  } else {
    w->options = own;
  }
  free(steps);
  free(pairs);
  json_decref(object);
  json_decref(order);
  json_decref(inplace);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}
