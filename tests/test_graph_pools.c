// SPDX-License-Identifier: Apache-2.0
// Graphs whose buffers lie in several pools, by the objective, against trying every order, every assignment of pools
// and every stacking of buffers; and what a status may say of the graph and of one of its orders.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/memplan.h"
#include "solvers/objective.h"
#include "tests/support/oracle.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

enum { POOLS = 2, MOST_ITEMS = 5, MOST_TEXT = 4096 };

static const memplan_objective objectives[] = {
    {MEMPLAN_MINIMIZE_PEAK, -1}, {MEMPLAN_MINIMIZE_TOTAL, -1}, {MEMPLAN_MINIMIZE_MAX, -1}, {MEMPLAN_MINIMIZE_POOL, 0}};

enum { OBJECTIVES = sizeof objectives / sizeof *objectives };

// ---- by trying everything

typedef struct best_peaks {
  int64_t peaks[OBJECTIVES][POOLS];
  bool any;
} best_peaks;

typedef struct trial {
  const memplan_problem *problem;
  oracle_item items[MOST_ITEMS];
  int32_t count;
  int64_t end[MOST_ITEMS];
  int32_t pool[MOST_ITEMS];
  bool placed[MOST_ITEMS];
  best_peaks best;
} trial;

static bool admits(const memplan_graph *graph, int32_t tensor, int32_t pool) {
  bool listed = graph->tensors[tensor].n_pools == 0;
  for (int32_t k = 0; k < graph->tensors[tensor].n_pools; k++) {
    listed = listed || graph->tensors[tensor].pools[k] == pool;
  }
  return listed;
}

static void note(best_peaks *best, const int64_t *peaks) {
  for (int32_t k = 0; k < OBJECTIVES; k++) {
    if (!best->any || memplan_pool_peaks_better(&objectives[k], peaks, best->peaks[k], POOLS)) {
      memcpy(best->peaks[k], peaks, POOLS * sizeof *peaks);
    }
  }
  best->any = true;
}

// Each buffer upon those placed before it that it meets: by ascending offsets no placement is lower.
static void stack(trial *t, int32_t depth, const int64_t *peaks) {
  const memplan_graph *graph = &t->problem->graph;
  if (depth == t->count) {
    note(&t->best, peaks);
    return;
  }
  for (int32_t index = 0; index < t->count; index++) {
    for (int32_t pool = 0; pool < POOLS && !t->placed[index]; pool++) {
      const oracle_item *item = &t->items[index];
      int64_t offset = 0, raised[POOLS];
      for (int32_t other = 0; other < t->count; other++) {
        bool meets = t->placed[other] && t->pool[other] == pool && t->items[other].start < item->end &&
                     item->start < t->items[other].end;
        offset = meets && t->end[other] > offset ? t->end[other] : offset;
      }
      int64_t end = offset + item->bytes, capacity = graph->pools[pool].capacity;
      if (!admits(graph, item->tensor, pool) || (capacity >= 0 && end > capacity)) {
        continue;
      }
      memcpy(raised, peaks, sizeof raised);
      raised[pool] = end > raised[pool] ? end : raised[pool];
      t->end[index] = end;
      t->pool[index] = pool;
      t->placed[index] = true;
      stack(t, depth + 1, raised);
      t->placed[index] = false;
    }
  }
}

static void try_order(const memplan_problem *problem, const int32_t *order, best_peaks *best) {
  static const int64_t no_workspace[ORACLE_OPS] = {0}, nothing[POOLS] = {0};
  trial t = {.problem = problem, .best = *best};
  oracle_items items;
  oracle_find_items(&problem->graph, &problem->options, no_workspace, order, &items);
  for (int32_t k = 0; k < items.count; k++) {
    if (items.items[k].tensor >= 0 && items.items[k].bytes > 0 && items.items[k].start < items.items[k].end) {
      assert_true(t.count < MOST_ITEMS);
      t.items[t.count++] = items.items[k];
    }
  }
  stack(&t, 0, nothing);
  *best = t.best;
}

typedef struct all_orders {
  const memplan_problem *problem;
  best_peaks best;
} all_orders;

static bool visit(void *context, const int32_t *order) {
  all_orders *all = context;
  try_order(all->problem, order, &all->best);
  return true;
}

// ---- problems

// One input, and up to four operators of one output each.
static void random_text(random_state *random, char *text) {
  int32_t n_ops = 2 + random_below(random, 3);
  int at = snprintf(text, MOST_TEXT, "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[");
  for (int32_t k = 0; k <= n_ops; k++) {
    static const char *const pools[] = {"", "", ",\"pools\":[\"near\"]", ",\"pools\":[\"far\",\"near\"]",
                                        ",\"pools\":[\"far\"]"};
    const char *role = k == 0 ? ",\"roles\":[\"input\"]" : k == n_ops ? ",\"roles\":[\"output\"]" : "";
    at += snprintf(text + at, MOST_TEXT - (size_t)at, "%s{\"id\":\"t%d\",\"bytes\":%d%s%s}", k > 0 ? "," : "", (int)k,
                   1 + (int)random_below(random, 9), role, pools[random_below(random, 5)]);
  }
  at += snprintf(text + at, MOST_TEXT - (size_t)at, "],\"ops\":[");
  for (int32_t k = 1; k <= n_ops; k++) {
    int32_t first = random_below(random, k), second = random_below(random, k);
    at += snprintf(text + at, MOST_TEXT - (size_t)at, "%s{\"id\":\"o%d\",\"in\":[\"t%d\",\"t%d\"],\"out\":[\"t%d\"]}",
                   k > 1 ? "," : "", (int)k, (int)first, (int)second, (int)k);
  }
  at += snprintf(text + at, MOST_TEXT - (size_t)at,
                 "],\"pools\":[{\"id\":\"near\",\"capacity\":%d},{\"id\":\"far\",\"capacity\":%d}]}",
                 4 + (int)random_below(random, 12), 8 + (int)random_below(random, 20));
  assert_true(at < MOST_TEXT);
}

static void solve(const memplan_problem *problem, const memplan_objective *objective, const char *order,
                  const char *place, memplan_solution *solution) {
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  options.minimize = objective->minimize;
  options.minimize_pool = objective->minimize == MEMPLAN_MINIMIZE_POOL ? "near" : NULL;
  options.order = order;
  options.fixed_order = order != NULL;
  options.place = place;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

// Are the plan's peaks as good as the best?
static bool is_best(const memplan_solution *solution, const memplan_objective *objective, const int64_t *best) {
  int64_t peaks[POOLS];
  memplan_pool_peaks(&solution->instance, solution->offset, solution->pool, peaks);
  assert_false(memplan_pool_peaks_better(objective, peaks, best, POOLS)); // or trying everything has missed it
  return !memplan_pool_peaks_better(objective, best, peaks, POOLS);
}

static void of_the_given_order(const memplan_problem *problem, int32_t objective, const best_peaks *given,
                               const char *place, bool one_order, uint64_t seed) {
  memplan_solution solution;
  solve(problem, &objectives[objective], "given", place, &solution);
  bool right = given->any ? solution.outcome == MEMPLAN_OPTIMAL && solution.has_plan : !solution.has_plan;
  right = right && (given->any || solution.outcome == MEMPLAN_INFEASIBLE);
  if (!right || (given->any && !is_best(&solution, &objectives[objective], given->peaks[objective]))) {
    fail_msg("seed %" PRIu64 ", objective %d: %s on the given order", seed, (int)objective,
             memplan_outcome_name(solution.outcome));
  }
  assert_false(one_order && solution.of_order);
  memplan_solution_free(&solution);
}

static void of_random_graphs(void **state) {
  (void)state;
  int32_t n_best = 0, n_plans = 0, n_optimal = 0, n_infeasible = 0, n_only = 0, n_worse_given = 0;
  for (uint64_t seed = 1; seed <= 250; seed++) {
    random_state random = random_start(823, seed);
    char text[MOST_TEXT];
    memplan_problem problem;
    oracle_precedence precedence;
    static const int32_t as_given[ORACLE_OPS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    best_peaks given = {.any = false};
    random_text(&random, text);
    support_read_good(&problem, "g.json", text);
    assert_true(oracle_graph_is_legal(&problem.graph, &precedence));
    all_orders all = {.problem = &problem};
    bool only = oracle_for_each_order(&problem.graph, &precedence, visit, &all) == 1;
    try_order(&problem, as_given, &given);
    n_only += only && given.any;
    for (int32_t k = 0; k < OBJECTIVES; k++) {
      memplan_solution solution;
      of_the_given_order(&problem, k, &given, NULL, only, seed);
      of_the_given_order(&problem, k, &given, "optimal", only, seed);
      n_worse_given += given.any && memcmp(given.peaks[k], all.best.peaks[k], sizeof given.peaks[k]) != 0;
      solve(&problem, &objectives[k], NULL, NULL, &solution);
      if (solution.outcome == MEMPLAN_INFEASIBLE) {
        assert_false(all.best.any);
        n_infeasible++;
      } else if (solution.has_plan) {
        bool best = is_best(&solution, &objectives[k], all.best.peaks[k]);
        bool optimal = solution.outcome == MEMPLAN_OPTIMAL;
        if ((optimal || only) && (!best || !optimal || solution.of_order)) {
          fail_msg("seed %" PRIu64 ", objective %d: %s, but not the best", seed, (int)k,
                   memplan_outcome_name(solution.outcome));
        }
        n_plans++;
        n_best += best;
        n_optimal += optimal;
      } else {
        assert_false(only); // of one order everything is decided
      }
      memplan_solution_free(&solution);
    }
    memplan_problem_free(&problem);
  }
  print_message("%d plans, %d of them best, %d optimal; %d infeasible; %d graphs of one order; %d worse as given\n",
                (int)n_plans, (int)n_best, (int)n_optimal, (int)n_infeasible, (int)n_only, (int)n_worse_given);
  assert_true(n_plans > 500 && n_best > n_plans / 20 * 19 && n_optimal > n_plans / 2);
  assert_true(n_infeasible > 5 && n_only > 20 && n_worse_given > 5);
}

// ---- by hand

#define TENSOR(id, bytes, more) "{\"id\":\"" id "\",\"bytes\":" bytes more "}"
#define OP(id, in, out) "{\"id\":\"" id "\",\"in\":[" in "],\"out\":[\"" out "\"]}"
#define GRAPH(tensors, ops, near)                                                                                      \
  "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[" tensors "],\"ops\":[" ops                                \
  "],\"pools\":[{\"id\":\"near\",\"capacity\":" near "},{\"id\":\"far\",\"capacity\":1000}]}"

// A chain: x into a into b into c.
static void the_only_order(void **state) {
  (void)state;
  static const char *const places[] = {NULL, "optimal"}, *const orders[] = {NULL, "given"};
  memplan_problem problem;
  support_read_good(&problem, "chain.json",
                    GRAPH(TENSOR("x", "10", ",\"roles\":[\"input\"]") "," TENSOR("a", "60", "") "," TENSOR(
                              "b", "60", "") "," TENSOR("c", "30", ",\"roles\":[\"output\"]"),
                          OP("p", "\"x\"", "a") "," OP("q", "\"a\"", "b") "," OP("r", "\"b\"", "c"), "100"));
  for (int32_t k = 0; k < 4; k++) {
    memplan_solution solution;
    const int64_t best[POOLS] = {60, 60};
    solve(&problem, &objectives[0], orders[k / 2], places[k % 2], &solution);
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    assert_false(solution.of_order);
    assert_true(is_best(&solution, &objectives[0], best));
    memplan_solution_free(&solution);
  }
  memplan_problem_free(&problem);
}

// Two chains from x, of which the large one should be over before the small one begins: as given, a large and a small
// tensor are live together, and "far" has to hold the small one.
static void the_given_one_of_several(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  support_read_good(
      &problem, "fork.json",
      GRAPH(TENSOR("x", "1", ",\"roles\":[\"input\"]") "," TENSOR("a", "60", "") "," TENSOR("b", "60", "") "," TENSOR(
                "c", "1", ",\"roles\":[\"output\"]") "," TENSOR("d", "1", ",\"roles\":[\"output\"]"),
            OP("p", "\"x\"", "a") "," OP("q", "\"x\"", "b") "," OP("r", "\"a\"", "c") "," OP("s", "\"b\"", "d"), "70"));
  const int64_t given[POOLS] = {61, 60}, best[POOLS] = {62, 0};
  solve(&problem, &objectives[0], "given", NULL, &solution);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  assert_true(solution.of_order);
  assert_true(is_best(&solution, &objectives[0], given));
  memplan_solution_free(&solution);
  solve(&problem, &objectives[0], NULL, NULL, &solution);
  assert_true(is_best(&solution, &objectives[0], best));
  assert_false(solution.of_order);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_graphs),
      cmocka_unit_test(the_only_order),
      cmocka_unit_test(the_given_one_of_several),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
