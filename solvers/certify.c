// SPDX-License-Identifier: Apache-2.0
// What certifies a bound: a load its step, a clique its buffers; any other bound of one pool is proven once more by the
// precedence engine, which keeps a log of what it learns. A graph is certified on the order of its plan (the best that
// can be proven of its peak), or on every order, if no other is better and a flow, a closed search, the joint engine
// or orders cut off by nogoods say so; without a plan on every order only. Several pools: solvers/certify_pools.h.
#include "model/memplan.h"
#include "solvers/certify_bodies.h"
#include "solvers/certify_pools.h"
#include "solvers/certify_writer.h"
#include "solvers/cut_proof.h"
#include "solvers/joint_proof.h"

#include <stdlib.h>

enum { seldom_part = 8 }; // of the work

static const char no_plan[] = "there is no plan on whose order it could be, and no proof for every order was found",
                  by_reuse[] =
                      "the plan is optimal because its reuse cost is 0, which needs no proof; the certificate is "
                      "of its peak",
                  no_whole[] = "no proof for the whole problem was found within the limits";

// From here on the instance is that with what is proven of the bodies.
static memplan_status lower_bodies(memplan_certify_writer *w, memplan_error *error) {
  char *text = NULL;
  memplan_status status =
      memplan_certified_bodies_lower(&w->bodies, w->problem, &w->solution->plan, &w->lowered, &text, error);
  if (status == MEMPLAN_OK) {
    w->instance = &w->lowered;
    status = memplan_certify_add_member(w, "bodies", text, error);
  }
  free(text);
  return status;
}

static memplan_proof_scope scope_of(const memplan_certify_writer *w) {
  return (memplan_proof_scope){.workspace = w->proven.workspace, .bodies = w->proven.text};
}

// From operators that alone need as much, if the bound names any.
static memplan_status certify_window(memplan_certify_writer *w, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  const memplan_joint_claim claim = {
      .bytes = bound->bytes, .ops = bound->ops, .n_ops = bound->n_ops, .scope = scope_of(w)};
  return bound->ops == NULL
             ? MEMPLAN_OK
             : memplan_joint_certify_claim(w->problem, &claim, w->limits, w->most, w->certificate, error);
}

static memplan_status certify_cut(memplan_certify_writer *w, const memplan_bound *bound, const memplan_limits *limits,
                                  memplan_error *error) {
  const memplan_proof_scope scope = scope_of(w);
  return memplan_cut_certify_within(w->problem, &scope, bound, limits, NULL, w->most, w->certificate, error);
}

static bool is_optimal(const memplan_certify_writer *w) { return w->solution->outcome == MEMPLAN_OPTIMAL; }

static bool is_refuted(const memplan_certify_writer *w) { return w->solution->outcome == MEMPLAN_INFEASIBLE; }

// Of a plan's own order and choice its peak, or else of every order the bound, or else of the own order its load.
static memplan_status certify_order(memplan_certify_writer *w, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  int64_t peak = w->solution->plan.peak;
  memplan_load load;
  MEMPLAN_TRY(memplan_instance_load(w->instance, false, &load, error));
  if (load.bytes < peak) {
    MEMPLAN_TRY(memplan_certify_clauses(w, peak, error));
  }
  if ((is_optimal(w) || is_refuted(w)) && !bound->joint && w->certificate->missing == memplan_certificate_too_large) {
    return MEMPLAN_OK;
  }
  bool joint = bound->joint && bound->bytes >= load.bytes && bound->bytes < peak;
  if (!memplan_certify_is_settled(w) && joint) {
    MEMPLAN_TRY(certify_window(w, error));
  }
  if (!memplan_certify_is_settled(w) && joint) {
    MEMPLAN_TRY(certify_cut(w, bound, w->limits, error));
  }
  return memplan_certify_is_settled(w) ? MEMPLAN_OK : memplan_certify_load(w, load, NULL, error);
}

// Of a plan that is as good as any on any order, or where none fits: the bound that says so, if it has a window, a
// flow or a closed search; or else the engines, where they find a proof.
static memplan_status certify_every_order(memplan_certify_writer *w, memplan_error *error) {
  const memplan_solution *solution = w->solution;
  memplan_bound bound = solution->plan.bound;
  memplan_limits own = memplan_limits_start(w->limits);
  bool enough = bound.bytes == solution->plan.peak || !solution->has_plan || is_refuted(w);
  if (!bound.joint || !enough) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(certify_window(w, error));
  if (memplan_certify_is_settled(w)) {
    return MEMPLAN_OK;
  }
  bool searched = bound.kind == MEMPLAN_BOUND_SEARCH;
  bool above = searched && solution->has_plan && solution->order_peak < bound.bytes; // no order peak is so high
  if (!above) {
    MEMPLAN_TRY(certify_cut(w, &bound, &own, error));
  }
  if (!searched && w->certificate->text == NULL && w->certificate->missing == NULL) { // what is shown otherwise
    own.work = memplan_limits_work(&own) / seldom_part;
    bound.kind = MEMPLAN_BOUND_SEARCH;
    MEMPLAN_TRY(certify_cut(w, &bound, &own, error));
  }
  const memplan_joint_claim claim = {.bytes = bound.bytes, .scope = scope_of(w)};
  return w->certificate->text != NULL ? MEMPLAN_OK : memplan_certify_by_engines(w, w->problem, &claim, &own, error);
}

static memplan_status certify_bodies(memplan_certify_writer *w, memplan_error *error) {
  const memplan_plan *plan = &w->solution->plan;
  MEMPLAN_TRY(memplan_certify_bodies(w->problem, plan, w->limits, w->most, &w->bodies, error));
  return memplan_certified_bodies_prove(&w->bodies, w->problem, plan, &w->proven, error);
}

static memplan_status certify_several(memplan_certify_writer *w, memplan_error *error) {
  const memplan_solution *solution = w->solution;
  if (!solution->has_plan && solution->infeasible != NULL) {
    return memplan_certify_pool_refutation(w, error);
  }
  MEMPLAN_TRY(memplan_certify_pools(w, error));
  if (is_optimal(w) && w->certificate->missing == memplan_certificate_too_large) {
    memplan_certificate_free(w->certificate);
    w->certificate->missing = memplan_certificate_too_large;
  }
  return MEMPLAN_OK;
}

// What the order of the plan says is no proof that it is optimal: where such a proof is too large, there is none.
static memplan_status certify_graph(memplan_certify_writer *w, memplan_error *error) {
  const memplan_plan *plan = &w->solution->plan;
  if (plan->n_bodies > 0) {
    MEMPLAN_TRY(certify_bodies(w, error));
  }
  if (w->problem->graph.n_pools <= 1) {
    MEMPLAN_TRY(certify_every_order(w, error));
    if (memplan_certify_is_settled(w)) {
      return MEMPLAN_OK;
    }
    if (w->stronger != NULL && (is_optimal(w) || is_refuted(w))) {
      w->certificate->missing = w->stronger;
      return MEMPLAN_OK;
    }
  }
  if (w->problem->graph.n_pools > 1 && is_refuted(w) && !w->solution->has_plan) {
    return memplan_certify_pool_refutation(w, error);
  }
  if (w->instance == NULL) {
    w->certificate->missing = w->stronger != NULL ? w->stronger : no_plan;
    return MEMPLAN_OK;
  }
  if (plan->n_bodies > 0) {
    MEMPLAN_TRY(lower_bodies(w, error));
  }
  if (w->instance->n_pools > 1) {
    return certify_several(w, error);
  }
  MEMPLAN_TRY(certify_order(w, error));
  if (w->certificate->text != NULL && !w->certificate->every_order) {
    w->certificate->missing = w->stronger;
  }
  return MEMPLAN_OK;
}

static memplan_status certify(memplan_certify_writer *w, memplan_error *error) {
  const memplan_bound *bound = &w->solution->plan.bound;
  if (w->problem->has_graph) {
    return certify_graph(w, error);
  }
  if (w->instance->n_pools > 1) {
    return certify_several(w, error);
  }
  if (bound->kind == MEMPLAN_BOUND_LOAD) {
    return memplan_certify_load(w, (memplan_load){.bytes = bound->bytes, .time = bound->step}, NULL, error);
  }
  return bound->kind == MEMPLAN_BOUND_CLIQUE ? memplan_certify_clique(w, bound, error)
                                             : memplan_certify_searched(w, bound, error);
}

// Is it of the problem that the plan was made for, not of the plan's own order alone?
static bool is_of_problem(const memplan_certify_writer *w) {
  const memplan_solution *solution = w->solution;
  return w->certificate->every_order || !w->problem->has_graph || solution->of_order ||
         (!solution->plan.bound.joint && w->instance->n_pools == 1);
}

// Does it show that nothing is better, or that nothing fits?
static bool is_whole(const memplan_certify_writer *w) {
  const memplan_problem *problem = w->problem;
  const memplan_certificate *certificate = w->certificate;
  const memplan_pool *pools = problem->has_graph ? problem->graph.pools : problem->instance.pools;
  int32_t n_pools = problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools;
  int64_t most = n_pools == 1 ? pools[0].capacity : -1, least = w->solution->plan.peak;
  if (is_refuted(w)) {
    int64_t capacity = problem->options.capacity;
    most = capacity >= 0 && (most < 0 || capacity < most) ? capacity : most;
    least = most >= 0 && n_pools <= 1 ? most + 1 : 0; // of several pools only one that is refuted is certified
  }
  return certificate->missing == NULL && is_of_problem(w) && certificate->claim >= least;
}

// Why it is not, if the outcome is one that it could show.
static void explain(memplan_certify_writer *w) {
  const memplan_instance *instance = &w->problem->instance;
  if (w->certificate->text == NULL || !(is_optimal(w) || is_refuted(w)) || is_whole(w)) {
    return;
  }
  if (is_optimal(w) && w->problem->has_instance && instance->prefer_low_reuse && instance->n_reuse > 0) {
    w->certificate->missing = by_reuse;
  } else if (w->certificate->missing == NULL) {
    w->certificate->missing = no_whole;
  }
}

memplan_status memplan_certify(const memplan_problem *problem, const memplan_solution *solution,
                               const memplan_limits *limits, int64_t most_bytes, memplan_certificate *certificate,
                               memplan_error *error) {
  *certificate = (memplan_certificate){.kind = "none"};
  memplan_certify_writer w = {.problem = problem,
                              .solution = solution,
                              .instance = memplan_solution_instance(problem, solution),
                              .limits = limits,
                              .most = most_bytes,
                              .certificate = certificate};
  memplan_instance_init(&w.lowered);
  certificate->missing = memplan_certify_refusal(problem);
  if (certificate->missing != NULL) {
    return MEMPLAN_OK;
  }
  if (w.instance == NULL && !problem->has_graph) {
    certificate->missing = no_plan;
    return MEMPLAN_OK;
  }
  memplan_status status = memplan_certify_describe(&w, error);
  if (status == MEMPLAN_OK) {
    status = certify(&w, error);
  }
  if (certificate->text != NULL && problem->has_graph && problem->graph.n_ops == 0) {
    certificate->every_order = true; // there is but one
  }
  if (status == MEMPLAN_OK) {
    explain(&w);
  }
  free(w.options);
  memplan_certified_bodies_free(&w.bodies);
  memplan_proven_bodies_free(&w.proven);
  memplan_instance_free(&w.lowered);
  return status;
}

// Of an instance with the bound in the place of that of a plan, or of several pools with all that are listed.
static memplan_status certify_planless(memplan_certify_writer *w, const memplan_bound *bound,
                                       const memplan_bounds *of_pools, memplan_error *error) {
  memplan_solution solution = {.plan = {.bound = *bound, .lower_bound = bound->bytes}};
  w->solution = &solution;
  w->instance = w->problem->has_instance ? &w->problem->instance : NULL;
  memplan_status status = memplan_certify_describe(w, error);
  if (status == MEMPLAN_OK) {
    status = of_pools != NULL ? memplan_certify_pool_bounds(w, of_pools, error) : certify(w, error);
  }
  free(w->options);
  w->options = NULL;
  return status;
}

static memplan_status certify_bound(const memplan_problem *problem, const memplan_bound *bound,
                                    const memplan_limits *limits, int64_t most_bytes, memplan_certificate *certificate,
                                    memplan_error *error) {
  memplan_certify_writer w = {.problem = problem, .limits = limits, .most = most_bytes, .certificate = certificate};
  return problem->has_graph ? memplan_cut_certify(problem, bound, limits, NULL, most_bytes, certificate, error)
                            : certify_planless(&w, bound, NULL, error);
}

static memplan_status certify_several_bounds(const memplan_problem *problem, const memplan_bounds *bounds,
                                             const memplan_limits *limits, int64_t most_bytes,
                                             memplan_certificate *certificate, memplan_error *error) {
  memplan_certify_writer w = {.problem = problem, .limits = limits, .most = most_bytes, .certificate = certificate};
  certificate->missing = memplan_certify_refusal(problem);
  return certificate->missing != NULL ? MEMPLAN_OK : certify_planless(&w, &bounds->bounds[0], bounds, error);
}

memplan_status memplan_certify_bounds(const memplan_problem *problem, const memplan_bounds *bounds,
                                      const memplan_limits *limits, int64_t most_bytes,
                                      memplan_certificate *certificate, memplan_error *error) {
  static const char one_order[] =
      "a bound of one order is proven with a plan on it: solve with this --order and --certificate",
                    none[] = "no proof of a lower bound was found within the limits";
  *certificate = (memplan_certificate){.kind = "none"};
  memplan_limits started = memplan_limits_start(limits);
  const char *reason = NULL;
  if ((problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools) > 1 && bounds->n_bounds > 0) {
    return certify_several_bounds(problem, bounds, &started, most_bytes, certificate, error);
  }
  for (int32_t k = 0; k < bounds->n_bounds && certificate->text == NULL; k++) {
    const memplan_bound *bound = &bounds->bounds[k];
    if (problem->has_graph && !bound->joint) {
      reason = reason != NULL ? reason : one_order;
      continue;
    }
    MEMPLAN_TRY(certify_bound(problem, bound, &started, most_bytes, certificate, error));
    if (certificate->text == NULL && reason == NULL) {
      reason = certificate->missing != NULL ? certificate->missing : none;
    }
  }
  bool largest = certificate->text != NULL && certificate->claim >= bounds->bounds[0].bytes;
  reason = largest ? NULL : reason;
  certificate->missing = certificate->text == NULL && reason == NULL ? none : reason;
  return MEMPLAN_OK;
}

void memplan_certificate_free(memplan_certificate *certificate) {
  free(certificate->text);
  *certificate = (memplan_certificate){.kind = "none"};
}
