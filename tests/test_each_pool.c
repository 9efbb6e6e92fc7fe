// SPDX-License-Identifier: Apache-2.0
// The pools of a graph planned alone, by the rules themselves: what of a graph has to lie in a pool, what its bounds
// and settled peaks say, against the best plans of the joint search, which knows nothing of them.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/graph_pool.h"
#include "solvers/graph_bound.h"
#include "solvers/graph_each_pool.h"
#include "solvers/graph_place.h"
#include "solvers/graph_stages.h"
#include "solvers/prepare.h"
#include "tests/support/random_problem.h"

enum { OBJECTIVES = 4, MOST_POOLS = 3 };

static const memplan_minimize objectives[OBJECTIVES] = {MEMPLAN_MINIMIZE_PEAK, MEMPLAN_MINIMIZE_TOTAL,
                                                        MEMPLAN_MINIMIZE_MAX, MEMPLAN_MINIMIZE_POOL};

static memplan_solve_options options_of(const memplan_graph *graph, int32_t objective) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  options.minimize = objectives[objective];
  options.minimize_pool = options.minimize == MEMPLAN_MINIMIZE_POOL ? graph->pools[0].id : NULL;
  return options;
}

// ---- what lies in a pool

static void what_fits_nowhere_else(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  int32_t both[] = {0, 1}, second[] = {1};
  graph->pools = MEMPLAN_NEW(&graph->arena, memplan_pool, 2);
  assert_non_null(graph->pools);
  graph->pools[graph->n_pools++] = (memplan_pool){.id = "p", .capacity = -1};
  graph->pools[graph->n_pools++] = (memplan_pool){.id = "q", .capacity = -1};
  int32_t wide = build_tensor(graph, "wide", 8, MEMPLAN_ROLE_INPUT);
  int32_t small = build_tensor(graph, "small", 3, 0);
  int32_t far = build_tensor(graph, "far", 2, MEMPLAN_ROLE_OUTPUT);
  graph->tensors[wide].pools = graph->tensors[small].pools = both;
  graph->tensors[wide].n_pools = graph->tensors[small].n_pools = 2;
  graph->tensors[far].pools = second;
  graph->tensors[far].n_pools = 1;
  (void)build_op(graph, "a", "wide", "small");
  (void)build_op(graph, "b", "small", "far");
  build_finish(&problem);

  memplan_arena arena = {0};
  memplan_graph alone;
  const int64_t none[] = {-1, -1}, narrow[] = {-1, 7}, tight[] = {7, 2};
  assert_true(memplan_graph_of_pool_within(graph, 0, none, &arena, &alone));
  assert_int_equal(alone.storages[wide].bytes, 0);
  assert_int_equal(alone.storages[far].bytes, 0);
  assert_true(memplan_graph_of_pool_within(graph, 0, narrow, &arena, &alone)); // 8 bytes do not fit in q
  assert_int_equal(alone.n_pools, 1);
  assert_string_equal(alone.pools[0].id, "p");
  assert_int_equal(alone.storages[wide].bytes, 8);
  assert_int_equal(alone.storages[small].bytes, 0);
  assert_true(memplan_graph_of_pool_within(graph, 1, tight, &arena, &alone)); // nor in p
  assert_int_equal(alone.storages[wide].bytes, 8);
  assert_int_equal(alone.storages[small].bytes, 0);
  assert_int_equal(alone.storages[far].bytes, 2);
  memplan_arena_free(&arena);

  const int64_t nothing[] = {1, -1};
  assert_false(memplan_graph_is_of_pool(graph, 1, none));
  assert_false(memplan_graph_is_of_pool(graph, 1, tight));
  assert_true(memplan_graph_is_of_pool(graph, 1, nothing)); // p holds none of the three
  assert_false(memplan_graph_is_of_pool(graph, 0, nothing));
  memplan_problem_free(&problem);
}

// ---- the search

typedef struct best_peaks {
  bool any;
  int64_t peaks[OBJECTIVES][MOST_POOLS];
} best_peaks;

// By the joint search. False: it does not say.
static bool find_best(const memplan_problem *problem, best_peaks *best) {
  *best = (best_peaks){.any = true};
  for (int32_t k = 0; k < OBJECTIVES; k++) {
    memplan_solve_options options = options_of(&problem->graph, k);
    memplan_solution solution;
    memplan_error error = {.message = ""};
    options.joint = "joint-engine";
    memplan_solution_init(&solution);
    memplan_status status = memplan_solve(problem, &options, &solution, &error);
    bool none = status == MEMPLAN_INPUT || (status == MEMPLAN_OK && solution.outcome == MEMPLAN_INFEASIBLE);
    bool optimal = status == MEMPLAN_OK && solution.outcome == MEMPLAN_OPTIMAL && !solution.of_order;
    best->any = best->any && !none;
    if (optimal) {
      memplan_pool_peaks(&solution.instance, solution.offset, solution.pool, best->peaks[k]);
    }
    memplan_solution_free(&solution);
    if (!none && !optimal) {
      return false;
    }
  }
  return true;
}

static int64_t largest_of(const int64_t *peaks, int32_t n) {
  int64_t largest = 0;
  for (int32_t k = 0; k < n; k++) {
    largest = peaks[k] > largest ? peaks[k] : largest;
  }
  return largest;
}

typedef struct counts {
  int32_t graphs, settled, in_turn, better, refuted, timed;
} counts;

// The given order, placed by the heuristics, is all that is known before.
static memplan_status start(memplan_graph_search *state, const memplan_ordering *least, memplan_error *error) {
  int32_t *order = MEMPLAN_NEW(state->arena, int32_t, state->graph->n_ops);
  assert_non_null(order);
  for (int32_t op = 0; op < state->graph->n_ops; op++) {
    order[op] = op;
  }
  MEMPLAN_TRY(memplan_graph_find_bound(state, least, error));
  MEMPLAN_TRY(memplan_candidates_add(&state->candidates, order, "given", error));
  return memplan_graph_place(state, state->candidates.entries[state->candidates.count - 1], error);
}

static void check(const memplan_graph_search *state, const best_peaks *best, const int64_t *bounds, int32_t objective,
                  uint64_t index, counts *seen) {
  int32_t n = state->graph->n_pools;
  bool met = true;
  if (!best->any) {
    assert_null(state->best.candidate);
    return;
  }
  assert_null(state->solution->infeasible);
  for (int32_t pool = 0; pool < n; pool++) {
    for (int32_t k = 0; k < OBJECTIVES; k++) {
      if (bounds[pool] > best->peaks[k][pool]) {
        fail_msg("index %" PRIu64 ": pool %d needs %" PRId64 " bytes, but has %" PRId64, index, (int)pool, bounds[pool],
                 best->peaks[k][pool]);
      }
    }
    met = met && state->best.candidate != NULL && state->best.pool_peaks[pool] <= bounds[pool];
  }
  for (int32_t k = 0; k < OBJECTIVES; k++) {
    assert_true(state->bound <= largest_of(best->peaks[k], n));
  }
  if (state->settled) {
    seen->settled++;
    seen->in_turn += !met;
    for (int32_t pool = 0; pool < n; pool++) {
      if (state->best.pool_peaks[pool] != best->peaks[objective][pool]) {
        fail_msg("index %" PRIu64 ", objective %d: settled with %" PRId64 " in pool %d, best %" PRId64, index,
                 (int)objective, state->best.pool_peaks[pool], (int)pool, best->peaks[objective][pool]);
      }
    }
  }
}

static void plan_pools(const memplan_problem *problem, const best_peaks *best, int32_t objective, uint64_t index,
                       counts *seen) {
  const memplan_graph *graph = &problem->graph;
  const memplan_solve_options solve = options_of(graph, objective);
  memplan_prepared prepared;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  int64_t before[MOST_POOLS], bounds[MOST_POOLS] = {0};
  memplan_solution_init(&solution);
  assert_int_equal(memplan_prepare(graph, &problem->options, &solve, &prepared, &error), MEMPLAN_OK);
  memplan_graph_search state = {.graph = graph,
                                .options = &problem->options,
                                .solve = &solve,
                                .plain = &prepared.ordering,
                                .ordering = &prepared.ordering,
                                .is_least = true,
                                .arena = &solution.arena,
                                .candidates = {.ordering = &prepared.ordering, .arena = &solution.arena},
                                .solution = &solution,
                                .best = {.peak = INT64_MAX}};
  memplan_instance_init(&state.best.instance);
  state.best.pool_peaks = MEMPLAN_NEW(state.arena, int64_t, graph->n_pools);
  assert_non_null(state.best.pool_peaks);
  memplan_graph_start_laps(&state);
  assert_int_equal(start(&state, memplan_prepared_least(&prepared), &error), MEMPLAN_OK);
  bool had = state.best.candidate != NULL;
  memcpy(before, state.best.pool_peaks, (size_t)graph->n_pools * sizeof *before);
  if (solution.infeasible == NULL && !memplan_graph_goal_met(&state)) {
    assert_int_equal(memplan_graph_plan_pools(&state, INT64_C(1) << 24, bounds, &error), MEMPLAN_OK);
    seen->graphs++;
    seen->refuted += solution.infeasible != NULL;
    seen->better += state.best.candidate != NULL &&
                    (!had || memcmp(before, state.best.pool_peaks, (size_t)graph->n_pools * sizeof *before) != 0);
    seen->timed += solution.stage_us[MEMPLAN_STAGE_ORDERS] > 0;
    check(&state, best, bounds, objective, index, seen);
  }
  memplan_instance_free(&state.best.instance);
  memplan_prepared_free(&prepared);
  memplan_solution_free(&solution);
}

static void agree_with_the_joint_search(void **state) {
  (void)state;
  const random_graph_options wishes = {.max_ops = 6, .max_bytes = 6, .pools = true, .pins = true};
  counts seen = {.graphs = 0};
  for (uint64_t index = 0; index < 1500; index++) {
    random_state random = random_start(91, index);
    memplan_problem problem;
    memplan_error error = {.message = ""};
    best_peaks best;
    random_graph(&random, &wishes, &problem);
    problem.options.capacity = -1;
    bool several = problem.graph.n_pools > 1 && problem.graph.n_pools <= MOST_POOLS;
    if (several && build_try(&problem, &error) == MEMPLAN_OK && find_best(&problem, &best)) {
      for (int32_t k = 0; k < OBJECTIVES; k++) {
        plan_pools(&problem, &best, k, index, &seen);
      }
    }
    memplan_problem_free(&problem);
  }
  print_message("%d searches, %d settled, %d of them in turn; %d better plans, %d refuted\n", (int)seen.graphs,
                (int)seen.settled, (int)seen.in_turn, (int)seen.better, (int)seen.refuted);
  assert_true(seen.graphs > 100 && seen.settled > 20 && seen.in_turn > 5 && seen.better > 5 && seen.timed > 0 &&
              seen.refuted > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_nowhere_else),
      cmocka_unit_test(agree_with_the_joint_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
