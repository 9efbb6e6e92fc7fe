// SPDX-License-Identifier: Apache-2.0
// What certifies a bound: a load its step, a clique its buffers; any other bound of one pool is proven once more by the
// precedence engine, which keeps a log of what it learns. A graph is certified on the order of its plan (the best that
// can be proven of its peak), or on every order, if no other is better and a flow, a closed search, the joint engine
// or orders cut off by nogoods say so. Of several pools, the one that has to hold most at one time of what lies nowhere
// else: on every order of a graph, if that can be proven, else on the plan's own.
#include "model/base/names.h"
#include "model/graph_pool.h"
#include "model/memplan.h"
#include "model/problem_json.h"
#include "solvers/bound_cut.h"
#include "solvers/bounds.h"
#include "solvers/certify_bodies.h"
#include "solvers/cut_proof.h"
#include "solvers/joint_proof.h"
#include "solvers/nogood_proof.h"
#include "solvers/objective.h"
#include "solvers/place_optimal.h"
#include "solvers/pool_capacity.h"
#include "solvers/pool_claim.h"
#include "solvers/proof.h"
#include "solvers/text_sink.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
  const memplan_problem *problem;
  const memplan_solution *solution;
  const memplan_instance *instance;
  const memplan_limits *limits;
  int64_t most;
  char *options;                   // members of the first line that say which problem is meant
  memplan_certified_bodies bodies; // of the plan
  memplan_proven_bodies proven;    // of them, for every order
  memplan_instance lowered;        // with what is proven of bodies
  memplan_certificate *certificate;
  const char *stronger; // why what would say more was not written, or NULL
  memplan_text_sink into;
  FILE *out;
} writer;

static memplan_status open_sink(writer *w, memplan_error *error) {
  w->out = memplan_text_sink_open(&w->into, w->most);
  return w->out != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// Keeps what was written, unless it is nothing or too large.
static memplan_status close_sink(writer *w, const char *kind, int64_t claim, bool written, bool found,
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

static memplan_status write_load(writer *w, memplan_load load, const char *pool, memplan_error *error) {
  MEMPLAN_TRY(open_sink(w, error));
  bool written = memplan_proof_write_load(&load, pool, w->problem->fingerprint, w->options, w->out);
  return close_sink(w, "load", load.bytes, written, true, error);
}

static memplan_status write_clique(writer *w, const memplan_bound *bound, memplan_error *error) {
  MEMPLAN_TRY(open_sink(w, error));
  bool written = memplan_proof_write_clique(bound, w->problem->fingerprint, w->options, w->out);
  return close_sink(w, "clique", bound->bytes, written, true, error);
}

static memplan_status write_clauses(writer *w, int64_t claim, memplan_error *error) {
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
static memplan_status find_core(const writer *w, const memplan_bound *bound, memplan_arena *arena, int32_t **core,
                                int32_t *n_core, memplan_error *error) {
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
static memplan_status write_searched(writer *w, const memplan_bound *bound, memplan_error *error) {
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
  return status != MEMPLAN_OK || w->certificate->text != NULL ? status : write_clauses(w, bound->bytes, error);
}

static const char no_pool[] = "every buffer may lie in more than one pool, and certificates speak of one",
                  no_refutation[] =
                      "no pool was found that does not hold what has to lie in it alone, and certificates "
                      "speak of one pool";

const char *memplan_certify_refusal(const memplan_problem *problem) {
  bool pools = problem->has_instance && problem->instance.n_pools > 1;
  return pools && !memplan_pool_claim_exists(&problem->instance) ? no_pool : NULL;
}

// A member more after those that say which problem is meant; `text` is its value as JSON, NULL: memory is out.
static memplan_status add_member(writer *w, const char *key, const char *text, memplan_error *error) {
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

static memplan_status name_pool(writer *w, const char *pool, memplan_error *error) {
  json_t *id = json_string(pool);
  char *text = id != NULL ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
  memplan_status status = add_member(w, "pool", text, error);
  free(text);
  json_decref(id);
  return status;
}

// From here on the instance is that with what is proven of the bodies.
static memplan_status lower_bodies(writer *w, memplan_error *error) {
  char *text = NULL;
  memplan_status status =
      memplan_certified_bodies_lower(&w->bodies, w->problem, &w->solution->plan, &w->lowered, &text, error);
  if (status == MEMPLAN_OK) {
    w->instance = &w->lowered;
    status = add_member(w, "bodies", text, error);
  }
  free(text);
  return status;
}

static memplan_status write_pool_clauses(writer *w, const memplan_pool_claim *claim, memplan_error *error) {
  MEMPLAN_TRY(name_pool(w, w->instance->pools[claim->pool].id, error));
  w->instance = &claim->alone;
  return write_clauses(w, claim->bytes, error);
}

static memplan_status certify_claim(writer *w, const memplan_pool_claim *claim, memplan_error *error) {
  MEMPLAN_TRY(write_load(w, claim->load, w->instance->pools[claim->pool].id, error));
  if (claim->bytes == claim->load.bytes || w->certificate->text == NULL) {
    return MEMPLAN_OK;
  }
  memplan_certificate load = *w->certificate;
  w->certificate->text = NULL;
  memplan_status status = write_pool_clauses(w, claim, error);
  if (w->certificate->text != NULL || status != MEMPLAN_OK) {
    free(load.text);
  } else {
    *w->certificate = load;
  }
  return status;
}

// Makes room for what says less, unless there is a certificate. That a peak is not proven is no news, that a proof is
// too large is.
static bool is_settled(writer *w) {
  if (w->certificate->missing == memplan_certificate_too_large) {
    w->stronger = memplan_certificate_too_large;
  }
  w->certificate->missing = NULL;
  return w->certificate->text != NULL;
}

// The bound of a graph that is as large as the claim; else one of a search, which may find it.
static memplan_status find_bound(const memplan_ordering *ordering, int64_t bytes, const memplan_limits *limits,
                                 memplan_arena *arena, memplan_bound *bound, memplan_error *error) {
  memplan_bound_list list = {.count = 0};
  MEMPLAN_TRY(memplan_bound_order(ordering, &list, error));
  MEMPLAN_TRY(memplan_bound_cut(ordering, limits, arena, &list, NULL, error));
  *bound = (memplan_bound){.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = bytes, .step = -1};
  for (int32_t k = 0; k < list.count; k++) {
    memplan_bound_kind kind = list.entries[k].kind;
    bool provable = kind == MEMPLAN_BOUND_CUT || kind == MEMPLAN_BOUND_OPERATOR || kind == MEMPLAN_BOUND_INPUTS ||
                    kind == MEMPLAN_BOUND_OUTPUTS;
    if (provable && list.entries[k].joint && list.entries[k].bytes >= bytes) {
      *bound = list.entries[k];
      return MEMPLAN_OK;
    }
  }
  return MEMPLAN_OK;
}

// On every order as much has to lie in the pool as on the plan's own.
static memplan_status certify_pool_of_graph(writer *w, const memplan_pool_claim *claim, memplan_arena *arena,
                                            memplan_error *error) {
  memplan_problem problem = *w->problem; // shares all but the graph
  memplan_ordering ordering = {.n_ops = 0};
  memplan_bound bound;
  memplan_limits started = memplan_limits_start(w->limits);
  if (!memplan_graph_of_pool(&w->problem->graph, claim->pool, arena, &problem.graph)) {
    return memplan_fail_nomem(error);
  }
  const memplan_joint_claim joint = {.bytes = claim->bytes, .scope = {.pool = w->instance->pools[claim->pool].id}};
  memplan_status status = memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, error);
  if (status == MEMPLAN_OK) {
    status = find_bound(&ordering, claim->bytes, &started, arena, &bound, error);
  }
  memplan_ordering_free(&ordering);
  if (status == MEMPLAN_OK) {
    status =
        memplan_cut_certify_within(&problem, &joint.scope, &bound, w->limits, NULL, w->most, w->certificate, error);
  }
  if (status != MEMPLAN_OK || is_settled(w) || bound.kind != MEMPLAN_BOUND_SEARCH) {
    return status;
  }
  MEMPLAN_TRY(memplan_joint_certify_claim(&problem, &joint, w->limits, w->most, w->certificate, error));
  return is_settled(w) ? MEMPLAN_OK
                       : memplan_nogood_certify_within(&problem, &joint.scope, joint.bytes, w->limits, w->most,
                                                       w->certificate, error);
}

// There is no plan: a pool that does not hold what lies nowhere else says so alone. What says less is no certificate of
// that.
static memplan_status certify_refutation(writer *w, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(w->limits);
  memplan_pool_claim claim = {.pool = -1};
  const memplan_instance *instance = w->instance;
  int64_t *most = MEMPLAN_NEW(&arena, int64_t, instance->n_pools), capacity = w->problem->options.capacity;
  memplan_status status = most == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK) {
    for (int32_t pool = 0; pool < instance->n_pools; pool++) {
      const memplan_pool *entry = &instance->pools[pool];
      most[pool] = capacity >= 0 ? memplan_pool_capacity_within(entry, capacity) : entry->capacity;
    }
    status = memplan_pool_claim_refute(instance, most, &started, &arena, &claim, error);
  }
  if (status == MEMPLAN_OK && claim.pool < 0) {
    w->certificate->missing = no_refutation;
  } else if (status == MEMPLAN_OK && claim.load.bytes > most[claim.pool]) {
    status = write_load(w, claim.load, instance->pools[claim.pool].id, error);
  } else if (status == MEMPLAN_OK) {
    status = write_pool_clauses(w, &claim, error);
  }
  w->instance = instance;
  memplan_arena_free(&arena);
  return status;
}

// Of no plan the peaks are 0: loads alone are of use.
static memplan_status certify_pools(writer *w, memplan_error *error) {
  if (!w->solution->has_plan && w->solution->infeasible != NULL) {
    return certify_refutation(w, error);
  }
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(w->limits);
  memplan_pool_claim claim = {.pool = -1};
  int64_t *peaks = MEMPLAN_NEW(&arena, int64_t, w->instance->n_pools);
  memplan_status status = peaks == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK && w->solution->has_plan) {
    memplan_pool_peaks(w->instance, w->solution->offset, w->solution->pool, peaks);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_pool_claim_find(w->instance, peaks, &started, &arena, &claim, error);
  }
  if (status == MEMPLAN_OK && claim.pool >= 0 && w->problem->has_graph) {
    status = certify_pool_of_graph(w, &claim, &arena, error);
  }
  if (status == MEMPLAN_OK && claim.pool >= 0 && !is_settled(w)) {
    status = certify_claim(w, &claim, error);
  } else if (status == MEMPLAN_OK && claim.pool < 0) {
    w->certificate->missing = no_pool;
  }
  memplan_arena_free(&arena);
  return status;
}

static memplan_proof_scope scope_of(const writer *w) {
  return (memplan_proof_scope){.workspace = w->proven.workspace, .bodies = w->proven.text};
}

// Of every order the bound, by the joint engine.
static memplan_status certify_joint(writer *w, bool window, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  const memplan_joint_claim claim = {.bytes = bound->bytes,
                                     .ops = window ? bound->ops : NULL,
                                     .n_ops = window ? bound->n_ops : 0,
                                     .scope = scope_of(w)};
  return memplan_joint_certify_claim(w->problem, &claim, w->limits, w->most, w->certificate, error);
}

// From operators that alone need as much, if the bound names any.
static memplan_status certify_window(writer *w, memplan_error *error) {
  return w->solution->plan.bound.ops == NULL ? MEMPLAN_OK : certify_joint(w, true, error);
}

static memplan_status certify_cut(writer *w, memplan_error *error) {
  const memplan_proof_scope scope = scope_of(w);
  return memplan_cut_certify_within(w->problem, &scope, &w->solution->plan.bound, w->limits, NULL, w->most,
                                    w->certificate, error);
}

// Of a plan's own order and choice its peak, or else of every order the bound, or else of the own order its load.
static memplan_status certify_order(writer *w, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  int64_t peak = w->solution->plan.peak;
  memplan_load load;
  MEMPLAN_TRY(memplan_instance_load(w->instance, false, &load, error));
  if (load.bytes < peak) {
    MEMPLAN_TRY(write_clauses(w, peak, error));
  }
  bool joint = bound->joint && bound->bytes >= load.bytes && bound->bytes < peak;
  if (!is_settled(w) && joint) {
    MEMPLAN_TRY(certify_window(w, error));
  }
  if (!is_settled(w) && joint) {
    MEMPLAN_TRY(certify_cut(w, error));
  }
  return is_settled(w) ? MEMPLAN_OK : write_load(w, load, NULL, error);
}

// Of a plan that is as good as any on any order: the bound that says so, if it has a window, a flow or a closed search;
// or else the joint engine, where it finds a proof.
static memplan_status certify_every_order(writer *w, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  if (!bound->joint || bound->bytes != w->solution->plan.peak) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(certify_window(w, error));
  if (is_settled(w)) {
    return MEMPLAN_OK;
  }
  bool above =
      bound->kind == MEMPLAN_BOUND_SEARCH && w->solution->order_peak < bound->bytes; // no order peak is so high
  if (!above) {
    MEMPLAN_TRY(certify_cut(w, error));
  }
  bool settled = w->certificate->text != NULL || w->certificate->missing != NULL || bound->kind != MEMPLAN_BOUND_SEARCH;
  if (settled) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(certify_joint(w, false, error));
  if (w->certificate->text != NULL) {
    return MEMPLAN_OK;
  }
  const char *missing = w->certificate->missing;
  const memplan_proof_scope scope = scope_of(w);
  MEMPLAN_TRY(
      memplan_nogood_certify_within(w->problem, &scope, bound->bytes, w->limits, w->most, w->certificate, error));
  if (w->certificate->text == NULL && w->certificate->missing == NULL) {
    w->certificate->missing = missing;
  }
  return MEMPLAN_OK;
}

static memplan_status certify_bodies(writer *w, memplan_error *error) {
  const memplan_plan *plan = &w->solution->plan;
  MEMPLAN_TRY(memplan_certify_bodies(w->problem, plan, w->limits, w->most, &w->bodies, error));
  return memplan_certified_bodies_prove(&w->bodies, w->problem, plan, &w->proven, error);
}

static memplan_status certify_graph(writer *w, memplan_error *error) {
  if (w->solution->plan.n_bodies > 0) {
    MEMPLAN_TRY(certify_bodies(w, error));
  }
  if (w->instance->n_pools == 1) {
    MEMPLAN_TRY(certify_every_order(w, error));
    if (is_settled(w)) {
      return MEMPLAN_OK;
    }
  }
  if (w->solution->plan.n_bodies > 0) {
    MEMPLAN_TRY(lower_bodies(w, error));
  }
  MEMPLAN_TRY(w->instance->n_pools > 1 ? certify_pools(w, error) : certify_order(w, error));
  if (w->certificate->text != NULL && !w->certificate->every_order) {
    w->certificate->missing = w->stronger;
  }
  return MEMPLAN_OK;
}

static memplan_status certify(writer *w, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  if (w->problem->has_graph) {
    return certify_graph(w, error);
  }
  if (w->instance->n_pools > 1) {
    return certify_pools(w, error);
  }
  if (bound->kind == MEMPLAN_BOUND_LOAD) {
    return write_load(w, (memplan_load){.bytes = bound->bytes, .time = bound->step}, NULL, error);
  }
  return bound->kind == MEMPLAN_BOUND_CLIQUE ? write_clique(w, bound, error) : write_searched(w, bound, error);
}

// {…} or, of a graph, {…},"order":[…],"inplace":[…]
static memplan_status describe(writer *w, memplan_error *error) {
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

memplan_status memplan_certify(const memplan_problem *problem, const memplan_solution *solution,
                               const memplan_limits *limits, int64_t most_bytes, memplan_certificate *certificate,
                               memplan_error *error) {
  *certificate = (memplan_certificate){.kind = "none"};
  writer w = {.problem = problem,
              .solution = solution,
              .instance = memplan_solution_instance(problem, solution),
              .limits = limits,
              .most = most_bytes,
              .certificate = certificate};
  memplan_instance_init(&w.lowered);
  if (w.instance == NULL) {
    certificate->missing = "there is no plan on whose order it could be";
    return MEMPLAN_OK;
  }
  certificate->missing = memplan_certify_refusal(problem);
  if (certificate->missing != NULL) {
    return MEMPLAN_OK;
  }
  memplan_status status = describe(&w, error);
  if (status == MEMPLAN_OK) {
    status = certify(&w, error);
  }
  free(w.options);
  memplan_certified_bodies_free(&w.bodies);
  memplan_proven_bodies_free(&w.proven);
  memplan_instance_free(&w.lowered);
  return status;
}

static memplan_status certify_instance_bound(writer *w, const memplan_bound *bound, memplan_error *error) {
  memplan_solution solution = {.plan = {.bound = *bound, .lower_bound = bound->bytes}};
  w->solution = &solution;
  w->instance = &w->problem->instance;
  memplan_status status = describe(w, error);
  if (status == MEMPLAN_OK) {
    status = certify(w, error);
  }
  free(w->options);
  w->options = NULL;
  return status;
}

memplan_status memplan_certify_bounds(const memplan_problem *problem, const memplan_bounds *bounds,
                                      const memplan_limits *limits, int64_t most_bytes,
                                      memplan_certificate *certificate, memplan_error *error) {
  static const char several_pools[] = "bounds of several pools are proven of a plan alone: solve --certificate",
                    one_order[] =
                        "a bound of one order is proven with a plan on it: solve with this --order and --certificate",
                    none[] = "no proof of a lower bound was found within the limits";
  *certificate = (memplan_certificate){.kind = "none"};
  memplan_limits started = memplan_limits_start(limits);
  const char *reason = NULL;
  int32_t n_pools = problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools;
  for (int32_t k = 0; k < bounds->n_bounds && certificate->text == NULL && n_pools <= 1; k++) {
    const memplan_bound *bound = &bounds->bounds[k];
    if (problem->has_graph && !bound->joint) {
      reason = reason != NULL ? reason : one_order;
      continue;
    }
    writer w = {.problem = problem, .limits = &started, .most = most_bytes, .certificate = certificate};
    MEMPLAN_TRY(problem->has_graph ? memplan_cut_certify(problem, bound, &started, NULL, most_bytes, certificate, error)
                                   : certify_instance_bound(&w, bound, error));
    if (certificate->text == NULL && reason == NULL) {
      reason = certificate->missing != NULL ? certificate->missing : none;
    }
  }
  bool largest = certificate->text != NULL && certificate->claim >= bounds->bounds[0].bytes;
  reason = n_pools > 1 ? several_pools : largest ? NULL : reason;
  certificate->missing = certificate->text == NULL && reason == NULL ? none : reason;
  return MEMPLAN_OK;
}

void memplan_certificate_free(memplan_certificate *certificate) {
  free(certificate->text);
  *certificate = (memplan_certificate){.kind = "none"};
}
