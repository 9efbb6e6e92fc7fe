// SPDX-License-Identifier: Apache-2.0
// What refutes all plans may be the rules, which is an error of the input, or a capacity, which is an answer. Which of
// the two it is says one more search, for any plan at all of the same graph with pools that hold everything: with these
// there is a plan wherever the rules admit one.
#include "solvers/graph_refusal.h"

#include "solvers/graph_join_pools.h"
#include "solvers/graph_joint.h"

#include <string.h>

// Does a buffer contradict the pools or its alignment by itself, whatever the order? MEMPLAN_INPUT then.
static memplan_status check_alone(const memplan_graph_search *state, memplan_error *error) {
  memplan_instance together, alone;
  memplan_instance_init(&together);
  memplan_instance_init(&alone);
  memplan_status status =
      memplan_ordering_lower(state->ordering, state->obstacles.refused->order, NULL, 0, &together, NULL, NULL, error);
  if (status == MEMPLAN_INPUT) {
    int32_t n = together.n_buffers;
    memplan_interval *live = MEMPLAN_NEW(&alone.arena, memplan_interval, n);
    alone.buffers = MEMPLAN_NEW(&alone.arena, memplan_buffer, n);
    alone.pools = together.pools;
    alone.n_pools = together.n_pools;
    if (live == NULL || alone.buffers == NULL) {
      status = memplan_fail_nomem(error);
    }
    for (int32_t k = 0; k < n && status == MEMPLAN_INPUT; k++) {
      live[k] = (memplan_interval){k, k + 1};
      alone.buffers[k] = together.buffers[k];
      alone.buffers[k].live = &live[k];
      alone.buffers[k].n_live = 1;
      alone.n_buffers = k + 1;
    }
    if (status == MEMPLAN_INPUT) {
      status = memplan_instance_resolve(&alone, state->ordering->options.align, error);
    }
  }
  memplan_instance_free(&alone);
  memplan_instance_free(&together);
  return status;
}

// The ordering with pools that have no capacity; shares all but these. False: memory is out.
static bool lift(const memplan_graph_search *state, memplan_graph *graph, memplan_ordering *lifted) {
  memplan_pool *pools = MEMPLAN_NEW(state->arena, memplan_pool, state->graph->n_pools);
  for (int32_t pool = 0; pool < state->graph->n_pools && pools != NULL; pool++) {
    pools[pool] = state->graph->pools[pool];
    pools[pool].capacity = -1;
  }
  *graph = *state->graph;
  graph->pools = pools;
  *lifted = *state->plain;
  lifted->graph = graph;
  return pools != NULL;
}

// None was found within the capacities: do the rules alone admit none?
static memplan_status ask_rules(memplan_graph_search *state, bool *none, memplan_error *error) {
  memplan_graph graph;
  memplan_ordering lifted;
  if (!lift(state, &graph, &lifted)) {
    return memplan_fail_nomem(error);
  }
  return state->graph->n_pools > 1 ? memplan_graph_refute_join_pools(state, &lifted, none, error)
                                   : memplan_graph_refute_any(state, &lifted, none, error);
}

static memplan_status refuse_capacity(memplan_graph_search *state, memplan_error *error) {
  static const char why[] = "a search of all orders, in-place choices and offsets has ended without a plan";
  state->solution->infeasible = memplan_arena_text(state->arena, why, strlen(why));
  return state->solution->infeasible != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// *none: of the rules alone.
static memplan_status find_other(memplan_graph_search *state, bool *none, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  *none = false;
  if (graph->n_pools > 1) {
    if (state->solution->infeasible == NULL) {
      MEMPLAN_TRY(memplan_graph_join_pools(state, error));
    }
    return state->solution->infeasible != NULL ? ask_rules(state, none, error) : MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_graph_find_any(state, none, error));
  if (!*none || graph->n_pools == 0 || graph->pools[0].capacity < 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(ask_rules(state, none, error));
  return *none || !state->is_least ? MEMPLAN_OK : refuse_capacity(state, error);
}

memplan_status memplan_graph_settle_refusal(memplan_graph_search *state, memplan_error *error) {
  bool only = state->fixed != NULL || state->graph->n_ops <= 1, none = state->pins != NULL && state->pins->none;
  if (!only && !none) {
    memplan_status alone = check_alone(state, error);
    if (alone != MEMPLAN_OK && alone != MEMPLAN_INPUT) {
      return alone;
    }
    only = alone == MEMPLAN_INPUT;
  }
  if (!only && !none) {
    MEMPLAN_TRY(find_other(state, &none, error));
  }
  if (state->best.candidate == NULL && (only || none)) {
    return memplan_fail(error, MEMPLAN_INPUT, "no order%s admits a plan; in that of '%s', %s", none ? "" : " tried",
                        state->obstacles.refused->method, state->obstacles.refusal.message);
  }
  return MEMPLAN_OK;
}
