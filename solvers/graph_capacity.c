// SPDX-License-Identifier: Apache-2.0
// A placement within the capacity answers the question, on whatever order it is found. That there is none is proven by
// what any order needs of sets of pools, or by a search if the graph becomes one placement problem only.
#include "solvers/graph_capacity.h"

#include "solvers/graph_pools.h"
#include "solvers/infeasible.h"
#include "solvers/place_optimal.h"
#include "solvers/pool_capacity.h"
#include "solvers/pool_search.h"

bool memplan_graph_asks_pools(const memplan_graph_search *state) {
  return state->graph->n_pools > 1 && state->options->capacity >= 0;
}

static memplan_status refuse(memplan_graph_search *state, const char *why, memplan_error *error) {
  state->solution->infeasible = memplan_pool_capacity_text(state->options->capacity, why, state->arena);
  return state->solution->infeasible != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_graph_refute_pools(memplan_graph_search *state, const memplan_ordering *least,
                                          memplan_error *error) {
  const memplan_graph *graph = state->graph;
  memplan_pool_table table;
  int64_t *limits = MEMPLAN_NEW(state->arena, int64_t, graph->n_pools);
  if (limits == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    limits[pool] = memplan_pool_capacity_within(&graph->pools[pool], state->options->capacity);
  }
  MEMPLAN_TRY(memplan_pool_table_of_graph(least, limits, state->arena, &table, error));
  const char *why = memplan_pool_table_refutes(&table, state->arena);
  return why != NULL ? refuse(state, why, error) : MEMPLAN_OK;
}

static memplan_status decide(memplan_graph_search *state, const memplan_instance *limited,
                             const memplan_place_news *news, memplan_arena *scratch, memplan_place_result *found,
                             memplan_error *error) {
  memplan_limits share = state->solve->limits;
  int64_t all = memplan_limits_work(&share);
  share.work = all / (state->candidates.count > 0 ? state->candidates.count : 1);
  memplan_optimal_task task = {.instance = limited,
                               .limits = &share,
                               .goal = state->options->capacity,
                               .capacity = state->options->capacity,
                               .objective = state->objective,
                               .without = state->solve->without,
                               .news = news};
  memplan_optimal_result result;
  MEMPLAN_TRY(memplan_place_improve(&task, scratch, found, &result, error));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  if (result.outcome != MEMPLAN_INFEASIBLE || !memplan_graph_is_one_problem(state)) {
    return MEMPLAN_OK;
  }
  const char *why;
  MEMPLAN_TRY(memplan_infeasible_core(limited, state->solve, NULL, state->arena, &why, error));
  return refuse(state, why, error);
}

memplan_status memplan_graph_place_within(memplan_graph_search *state, const memplan_instance *instance,
                                          const memplan_place_news *news, memplan_arena *scratch,
                                          memplan_place_result *found, memplan_error *error) {
  memplan_instance limited;
  bool exact = memplan_is_exact(state->solve->place);
  memplan_solve_options quick = *state->solve;
  quick.place = exact ? NULL : quick.place;
  MEMPLAN_TRY(memplan_pool_capacity_limit(instance, state->options->capacity, scratch, &limited, error));
  MEMPLAN_TRY(memplan_pool_search(&limited, &quick, news, scratch, found, error));
  bool searched = exact || state->solve->place == NULL;
  return found->method == NULL && searched ? decide(state, &limited, news, scratch, found, error) : MEMPLAN_OK;
}
