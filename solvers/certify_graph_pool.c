// SPDX-License-Identifier: Apache-2.0
// The pool alone is a graph with one pool, so what is proven of every order of that one is: by its bounds, which cost
// little, or else by a search of orders or by the engines.
#include "solvers/certify_graph_pool.h"

#include "model/graph_pool.h"
#include "solvers/bound_cut.h"
#include "solvers/bounds.h"
#include "solvers/cut_proof.h"
#include "solvers/joint_proof.h"
#include "solvers/pool_capacity.h"

#include <string.h>

// A pool alone, while it is looked at.
typedef struct alone {
  memplan_problem problem; // shares all but the graph
  memplan_proof_scope scope;
  memplan_limits limits; // the pool's share, started
  memplan_bound best;    // the largest that has a proof of its own, or of kind none
} alone;

static bool is_provable(const memplan_bound *bound) {
  return bound->joint && (bound->kind == MEMPLAN_BOUND_CUT || bound->kind == MEMPLAN_BOUND_OPERATOR ||
                          bound->kind == MEMPLAN_BOUND_INPUTS || bound->kind == MEMPLAN_BOUND_OUTPUTS);
}

static memplan_status find_best(alone *one, memplan_arena *arena, memplan_error *error) {
  memplan_ordering ordering = {.n_ops = 0};
  memplan_bound_list list = {.count = 0};
  memplan_status status =
      memplan_ordering_init(&ordering, &one->problem.graph, &one->problem.options, one->scope.workspace, error);
  if (status == MEMPLAN_OK) {
    status = memplan_bound_order(&ordering, &list, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_bound_cut(&ordering, &one->limits, arena, &list, NULL, error);
  }
  memplan_ordering_free(&ordering);
  one->best = (memplan_bound){.kind = MEMPLAN_BOUND_NONE, .step = -1};
  for (int32_t k = 0; k < list.count && status == MEMPLAN_OK; k++) {
    if (is_provable(&list.entries[k]) && list.entries[k].bytes > one->best.bytes) {
      one->best = list.entries[k];
    }
  }
  return status;
}

// What is proven of bodies for every order counts where it has to lie in the pool.
static memplan_status find_workspace(const memplan_certify_writer *w, int32_t pool, memplan_arena *arena,
                                     memplan_proof_scope *scope, memplan_error *error) {
  if (w->proven.workspace == NULL) {
    return MEMPLAN_OK;
  }
  const memplan_graph *graph = &w->problem->graph;
  int64_t *workspace = MEMPLAN_NEW(arena, int64_t, graph->n_ops);
  if (workspace == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(workspace, w->proven.workspace, (size_t)graph->n_ops * sizeof *workspace);
  memplan_graph_pool_workspace(graph, pool, workspace);
  scope->workspace = workspace;
  scope->bodies = w->proven.text;
  return MEMPLAN_OK;
}

static memplan_status look_at(const memplan_certify_writer *w, int32_t pool, memplan_arena *arena, alone *one,
                              memplan_error *error) {
  const memplan_graph *graph = &w->problem->graph;
  *one = (alone){.problem = *w->problem, .scope = {.pool = graph->pools[pool].id}};
  one->limits = memplan_limits_start(w->limits);
  one->limits.work = memplan_limits_work(&one->limits) / graph->n_pools;
  if (!memplan_graph_of_pool(graph, pool, arena, &one->problem.graph)) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(find_workspace(w, pool, arena, &one->scope, error));
  return find_best(one, arena, error);
}

static memplan_status by_bound(memplan_certify_writer *w, const alone *one, const memplan_bound *bound,
                               memplan_error *error) {
  return memplan_cut_certify_within(&one->problem, &one->scope, bound, &one->limits, NULL, w->most, w->certificate,
                                    error);
}

static memplan_status by_search(memplan_certify_writer *w, const alone *one, int64_t bytes, memplan_error *error) {
  const memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = bytes, .step = -1};
  const memplan_joint_claim claim = {.bytes = bytes, .scope = one->scope};
  MEMPLAN_TRY(by_bound(w, one, &bound, error));
  return w->certificate->text != NULL ? MEMPLAN_OK
                                      : memplan_certify_by_engines(w, &one->problem, &claim, &one->limits, error);
}

memplan_status memplan_certify_graph_pool(memplan_certify_writer *w, int32_t pool, int64_t bytes, bool weaker,
                                          memplan_arena *arena, memplan_error *error) {
  alone one;
  MEMPLAN_TRY(look_at(w, pool, arena, &one, error));
  if (one.best.bytes >= bytes) {
    return by_bound(w, &one, &one.best, error);
  }
  MEMPLAN_TRY(by_search(w, &one, bytes, error));
  return weaker && w->certificate->text == NULL && one.best.kind != MEMPLAN_BOUND_NONE
             ? by_bound(w, &one, &one.best, error)
             : MEMPLAN_OK;
}

// One pool in one round: by bounds alone in the first one.
static memplan_status try_pool(memplan_certify_writer *w, int32_t pool, bool search, memplan_arena *arena,
                               memplan_error *error) {
  const memplan_pool *entry = &w->problem->graph.pools[pool];
  int64_t capacity = w->problem->options.capacity;
  int64_t most = capacity >= 0 ? memplan_pool_capacity_within(entry, capacity) : entry->capacity;
  alone one;
  if (most < 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(look_at(w, pool, arena, &one, error));
  if (one.best.bytes > most) {
    return search ? MEMPLAN_OK : by_bound(w, &one, &one.best, error);
  }
  return search && one.best.bytes > 0 ? by_search(w, &one, most + 1, error) : MEMPLAN_OK;
}

memplan_status memplan_certify_graph_pool_refutation(memplan_certify_writer *w, memplan_error *error) {
  const int32_t n_rounds = 2;
  memplan_status status = MEMPLAN_OK;
  for (int32_t round = 0; round < n_rounds; round++) {
    for (int32_t pool = 0; pool < w->problem->graph.n_pools; pool++) {
      memplan_arena arena = {0};
      if (status == MEMPLAN_OK && w->certificate->text == NULL &&
          w->certificate->missing != memplan_certificate_too_large) {
        status = try_pool(w, pool, round > 0, &arena, error);
      }
      memplan_arena_free(&arena);
    }
  }
  return status;
}
