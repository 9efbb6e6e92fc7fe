// SPDX-License-Identifier: Apache-2.0
// Of one order and choice, each assignment of items to pools is as good as the least peaks of its pools, which do not
// depend on each other: an in-place pair lies in one pool. Those least peaks are kept by pool and set of items.
#include "tests/support/pool_graph_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/objective.h"
#include "tests/support/oracle.h"
#include "tests/support/random_problem.h"
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { POOLS = 3, ITEMS = 7, OBJECTIVES = 4, most_orders = 120, most_height = 40 };

static const memplan_objective objectives[OBJECTIVES] = {
    {MEMPLAN_MINIMIZE_PEAK, -1}, {MEMPLAN_MINIMIZE_TOTAL, -1}, {MEMPLAN_MINIMIZE_MAX, -1}, {MEMPLAN_MINIMIZE_POOL, 0}};

typedef struct trial {
  const memplan_problem *problem;
  const int64_t *workspace;
  bool any, too_long, differs;
  bool any_size; // there is a plan if the pools hold everything, and no pin lies outside of its pool
  int64_t best[OBJECTIVES][POOLS];
  int64_t capacity; // the least that all peaks can stay within
  // while it runs
  const oracle_items *items;
  const int32_t *order;
  int32_t sized[ITEMS], n_sized;
  int64_t n_orders;
  int64_t known[POOLS][1 << ITEMS]; // least peaks, -3: not looked for yet
} trial;

static void note(trial *t, const int64_t *peaks) {
  int32_t n = t->problem->graph.n_pools;
  int64_t largest = 0;
  for (int32_t k = 0; k < n; k++) {
    largest = peaks[k] > largest ? peaks[k] : largest;
  }
  t->capacity = !t->any || largest < t->capacity ? largest : t->capacity;
  for (int32_t k = 0; k < OBJECTIVES; k++) {
    bool better = !t->any || memplan_pool_peaks_better(&objectives[k], peaks, t->best[k], n);
    t->differs |= t->any && k == 0 && t->n_orders > 1 && better;
    if (better) {
      memcpy(t->best[k], peaks, (size_t)n * sizeof *peaks);
    }
  }
  t->any = true;
}

static int64_t least_peak(trial *t, const oracle_choice *choice, int32_t pool, uint32_t set) {
  int64_t *known = &t->known[pool][set];
  if (*known == -3) {
    bool within[ORACLE_ITEMS] = {false};
    for (int32_t k = 0; k < t->n_sized; k++) {
      within[t->sized[k]] = (set >> k & 1) != 0;
    }
    *known = oracle_pool_optimum(&t->problem->graph, &t->problem->options, t->items, t->order, choice, pool, within,
                                 most_height);
  }
  t->too_long |= *known == ORACLE_TOO_LONG;
  return *known;
}

static bool is_torn(const trial *t, const oracle_choice *choice, const int32_t *pools) {
  for (int32_t p = 0; p < choice->count; p++) {
    int32_t input = oracle_root(&t->problem->graph, choice->pairs[p].input), own = -1, other = -1;
    for (int32_t k = 0; k < t->n_sized; k++) {
      int32_t tensor = t->items->items[t->sized[k]].tensor;
      own = tensor == choice->pairs[p].output ? pools[k] : own;
      other = tensor == input ? pools[k] : other;
    }
    if (own >= 0 && other >= 0 && own != other) {
      return true;
    }
  }
  return false;
}

static void try_choice(void *context, const oracle_choice *choice) {
  trial *t = context;
  int32_t n = t->problem->graph.n_pools, pools[ITEMS] = {0};
  for (int32_t pool = 0; pool < n; pool++) {
    for (int32_t set = 0; set < 1 << t->n_sized; set++) {
      t->known[pool][set] = -3;
    }
  }
  for (;;) {
    int64_t peaks[POOLS];
    bool good = !is_torn(t, choice, pools);
    for (int32_t k = 0; k < t->n_sized && good; k++) {
      good = least_peak(t, choice, pools[k], (uint32_t)1 << k) >= 0; // it may lie there at all
    }
    for (int32_t pool = 0; pool < n && good && !t->too_long; pool++) {
      uint32_t set = 0;
      for (int32_t k = 0; k < t->n_sized; k++) {
        set |= pools[k] == pool ? (uint32_t)1 << k : 0;
      }
      peaks[pool] = least_peak(t, choice, pool, set);
      good = peaks[pool] >= 0;
    }
    if (good && !t->too_long) {
      note(t, peaks);
    }
    int32_t digit = 0;
    while (digit < t->n_sized && ++pools[digit] == n) {
      pools[digit++] = 0;
    }
    if (digit == t->n_sized || t->too_long) {
      return;
    }
  }
}

static bool try_order(void *context, const int32_t *order) {
  trial *t = context;
  oracle_items items;
  oracle_find_items(&t->problem->graph, &t->problem->options, t->workspace, order, &items);
  t->items = &items;
  t->order = order;
  t->n_sized = 0;
  t->n_orders++;
  for (int32_t k = 0; k < items.count; k++) {
    if (items.items[k].bytes > 0) {
      if (t->n_sized == ITEMS) {
        t->too_long = true;
        return false;
      }
      t->sized[t->n_sized++] = k;
    }
  }
  oracle_for_each_choice(&t->problem->graph, &t->problem->options, &items, order, try_choice, t);
  t->too_long |= t->n_orders > most_orders;
  return !t->too_long;
}

// False: it would take too long.
static bool try_all(const memplan_problem *problem, int64_t capacity, trial *t) {
  int64_t workspace[ORACLE_OPS];
  memplan_problem own = *problem;
  oracle_precedence precedence;
  own.options.capacity = capacity;
  for (int32_t op = 0; op < problem->graph.n_ops; op++) {
    workspace[op] = problem->graph.ops[op].workspace;
  }
  *t = (trial){.problem = &own, .workspace = workspace};
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  (void)oracle_for_each_order(&problem->graph, &precedence, try_order, t);
  return !t->too_long;
}

// ---- what is found

// `work`: -1: enough.
static memplan_status solve(const memplan_problem *problem, const memplan_objective *objective, int64_t capacity,
                            int64_t work, memplan_solution *solution, memplan_error *error) {
  memplan_problem own = *problem;
  memplan_solve_options options = memplan_solve_options_default();
  own.options.capacity = capacity;
  options.limits.threads = 1;
  options.limits.work = work >= 0 ? work : options.limits.work;
  options.minimize = objective->minimize;
  options.minimize_pool = objective->minimize == MEMPLAN_MINIMIZE_POOL ? problem->graph.pools[0].id : NULL;
  memplan_solution_init(solution);
  return memplan_solve(&own, &options, solution, error);
}

typedef struct question {
  uint64_t index;
  pool_graph_counts counts;
} question;

// Is a tensor pinned past the end of the only pool that admits it? That is an error, as of a placement problem.
static bool is_pinned_outside(const memplan_graph *graph) {
  for (int32_t k = 0; k < graph->n_storages; k++) {
    const memplan_storage *storage = &graph->storages[k];
    int64_t capacity = storage->n_pools == 1 ? graph->pools[storage->pools[0]].capacity : -1;
    if (storage->pin >= 0 && capacity >= 0 && storage->pin + storage->bytes > capacity) {
      return true;
    }
  }
  return false;
}

// Is there a plan if the pools hold everything?
static bool has_plan_of_any_size(const memplan_problem *problem) {
  memplan_problem own = *problem;
  memplan_pool pools[POOLS];
  for (int32_t pool = 0; pool < own.graph.n_pools; pool++) {
    pools[pool] = problem->graph.pools[pool];
    pools[pool].capacity = -1;
  }
  own.graph.pools = pools;
  trial *lifted = malloc(sizeof *lifted);
  assert_non_null(lifted);
  bool any = try_all(&own, -1, lifted) && lifted->any;
  free(lifted);
  return any;
}

// An error says that the rules admit no plan, whatever the pools hold; else it is said what no plan stays within.
static void expect_none(uint64_t index, const trial *t, int64_t capacity, memplan_status status,
                        const memplan_solution *solution, const memplan_error *error) {
  static const char asked[] = "no plan keeps each pool within";
  bool refuted = status == MEMPLAN_OK && solution->outcome == MEMPLAN_INFEASIBLE && solution->infeasible != NULL;
  if (status != MEMPLAN_INPUT && !refuted) {
    fail_msg("index %" PRIu64 ": there is no plan, but it says %s", index,
             status == MEMPLAN_OK ? memplan_outcome_name(solution->outcome) : error->message);
  }
  if (!refuted && t->any_size) {
    fail_msg("index %" PRIu64 ", capacity %" PRId64 ": no plan fits, but it says %s", index, capacity, error->message);
  }
  if (refuted && strncmp(solution->infeasible, asked, strlen(asked)) == 0) {
    assert_true(capacity >= 0);
  } else if (refuted && t->any) {
    fail_msg("index %" PRIu64 ", capacity %" PRId64 ": there is a plan, but it says %s", index, capacity,
             solution->infeasible);
  }
}

// With too little work nothing has to be found, but what is said has to hold. Returns whether it is said to be the
// best.
static bool check_objective(const memplan_problem *problem, const trial *t, int32_t objective, int64_t work,
                            uint64_t index) {
  memplan_solution solution;
  memplan_error error = {.message = ""};
  int64_t peaks[POOLS];
  memplan_status status = solve(problem, &objectives[objective], -1, work, &solution, &error);
  bool open = work >= 0 && status == MEMPLAN_OK &&
              (solution.outcome == MEMPLAN_FEASIBLE || solution.outcome == MEMPLAN_UNKNOWN);
  if (open) {
    assert_true(t->any || !solution.has_plan);
    assert_true(!t->any || solution.plan.lower_bound <= t->capacity);
  } else if (!t->any) {
    expect_none(index, t, -1, status, &solution, &error);
  } else if (status != MEMPLAN_OK || solution.outcome != MEMPLAN_OPTIMAL || solution.of_order) {
    fail_msg("index %" PRIu64 ", objective %d: %s", index, (int)objective,
             status == MEMPLAN_OK ? memplan_outcome_name(solution.outcome) : error.message);
  } else {
    memplan_pool_peaks(&solution.instance, solution.offset, solution.pool, peaks);
    for (int32_t pool = 0; pool < problem->graph.n_pools; pool++) {
      if (peaks[pool] != t->best[objective][pool]) {
        fail_msg("index %" PRIu64 ", objective %d: pool %d has %" PRId64 ", best %" PRId64, index, (int)objective,
                 (int)pool, peaks[pool], t->best[objective][pool]);
      }
    }
    if (solution.plan.lower_bound > t->capacity) {
      fail_msg("index %" PRIu64 ", objective %d: the bound %" PRId64 " is above %" PRId64, index, (int)objective,
               solution.plan.lower_bound, t->capacity);
    }
  }
  memplan_solution_free(&solution);
  return !open;
}

static void check_capacity(const memplan_problem *problem, const trial *t, int64_t capacity, question *what) {
  memplan_solution solution;
  memplan_error error = {.message = ""};
  memplan_status status = solve(problem, &objectives[0], capacity, -1, &solution, &error);
  what->counts.capacities++;
  if (!t->any || capacity < t->capacity) {
    what->counts.refuted++;
    expect_none(what->index, t, capacity, status, &solution, &error);
  } else if (status != MEMPLAN_OK || !solution.has_plan || solution.plan.peak > capacity) {
    fail_msg("index %" PRIu64 ", capacity %" PRId64 ": %s", what->index, capacity,
             status == MEMPLAN_OK ? memplan_outcome_name(solution.outcome) : error.message);
  }
  memplan_solution_free(&solution);
}

static void count(const memplan_problem *problem, const trial *t, pool_graph_counts *counts) {
  const memplan_graph *graph = &problem->graph;
  bool forced = true, pairs = false, pins = false, workspaces = false, bases = false, reserved = false;
  for (int32_t k = 0; k < graph->n_storages; k++) {
    forced = forced && graph->storages[k].n_pools == 1;
    pins = pins || graph->storages[k].pin >= 0;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    forced = forced && (graph->ops[op].workspace == 0 || graph->ops[op].n_workspace_pools == 1);
    workspaces = workspaces || graph->ops[op].workspace > 0;
    pairs = pairs || graph->ops[op].n_inplace > 0;
  }
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    bases = bases || graph->pools[pool].base > 0;
    reserved = reserved || graph->pools[pool].n_reserved > 0;
  }
  counts->graphs++;
  counts->infeasible += !t->any;
  counts->forced += forced;
  counts->free += !forced;
  counts->orders += t->differs;
  counts->pairs += pairs;
  counts->pins += pins;
  counts->workspaces += workspaces;
  counts->bases += bases;
  counts->reserved += reserved;
  counts->three += graph->n_pools == 3;
}

static void check(const memplan_problem *problem, void *context) {
  question *what = context;
  trial t;
  if (problem->graph.n_pools < 2 || problem->graph.n_pools > POOLS || !try_all(problem, -1, &t)) {
    return;
  }
  t.any_size = t.any || (!is_pinned_outside(&problem->graph) && has_plan_of_any_size(problem));
  for (int32_t k = 0; k < OBJECTIVES; k++) {
    (void)check_objective(problem, &t, k, -1, what->index);
    what->counts.hurried++;
    what->counts.hurried_best += check_objective(problem, &t, k, (int64_t)1 << (4 + what->index % 12), what->index);
  }
  int64_t asked = t.any ? t.capacity : 6;
  check_capacity(problem, &t, asked, what);
  if (asked > 0) {
    check_capacity(problem, &t, asked - 1, what);
  }
  count(problem, &t, &what->counts);
}

// A part of the graphs has each tensor and workspace in one pool only.
static void force(random_state *random, memplan_graph *graph) {
  for (int32_t k = 0; k < graph->n_tensors; k++) {
    memplan_tensor *tensor = &graph->tensors[k];
    int32_t *pool = MEMPLAN_NEW(&graph->arena, int32_t, 1);
    assert_non_null(pool);
    pool[0] = random_below(random, graph->n_pools);
    bool root = tensor->view_of < 0;
    tensor->pools = root ? pool : NULL;
    tensor->n_pools = root;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    int32_t *pool = MEMPLAN_NEW(&graph->arena, int32_t, 1);
    assert_non_null(pool);
    pool[0] = random_below(random, graph->n_pools);
    graph->ops[op].workspace_pools = pool;
    graph->ops[op].n_workspace_pools = 1;
  }
}

static void add_pool(random_state *random, memplan_graph *graph, const char *id) {
  memplan_pool *pool = &graph->pools[graph->n_pools++];
  *pool = (memplan_pool){.id = id, .capacity = random_chance(random, 70) ? 3 + random_below(random, 10) : -1};
  pool->base = random_chance(random, 20) ? random_below(random, 5) : 0;
}

// An input, and operators that read some of what was written before, or the input.
static void draw_wide(random_state *random, int32_t max_ops, memplan_problem *problem) {
  static const char *const tensors[] = {"x", "a", "b", "c", "d", "e", "f"}, *const ops[] = {"p", "q", "r",
                                                                                            "s", "t", "u"};
  memplan_graph *graph = &problem->graph;
  build_graph(problem);
  graph->pools = MEMPLAN_NEW(&graph->arena, memplan_pool, POOLS);
  assert_non_null(graph->pools);
  add_pool(random, graph, "near");
  add_pool(random, graph, "far");
  if (random_chance(random, 40)) {
    add_pool(random, graph, "outer");
  }
  (void)build_tensor(graph, "x", 1 + random_below(random, 3), MEMPLAN_ROLE_INPUT);
  int32_t n_ops = max_ops - random_below(random, 2);
  for (int32_t k = 0; k < n_ops; k++) {
    int32_t read = random_chance(random, 50) ? 0 : random_below(random, k + 1);
    unsigned roles = random_chance(random, 30) ? MEMPLAN_ROLE_OUTPUT : 0;
    (void)build_tensor(graph, tensors[k + 1], 1 + random_below(random, 5), roles);
    memplan_op *op = build_op(graph, ops[k], tensors[read], tensors[k + 1]);
    if (random_chance(random, 30)) {
      build_inplace(graph, op, tensors[k + 1], tensors[read]);
    }
    op->workspace = random_chance(random, 15) ? 1 + random_below(random, 3) : 0;
  }
  for (int32_t k = 0; k < graph->n_tensors; k++) {
    int32_t *pools = MEMPLAN_NEW(&graph->arena, int32_t, 2);
    assert_non_null(pools);
    pools[0] = random_below(random, graph->n_pools);
    pools[1] = (pools[0] + 1) % graph->n_pools;
    graph->tensors[k].pools = pools;
    graph->tensors[k].n_pools = random_below(random, 3);
    graph->tensors[k].align = random_chance(random, 20) ? 2 : 1;
  }
}

static int32_t count_items(const memplan_graph *graph) {
  int32_t n = 0;
  for (int32_t k = 0; k < graph->n_tensors; k++) {
    n += graph->tensors[k].view_of < 0 && graph->tensors[k].bytes > 0;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    n += graph->ops[op].workspace > 0;
  }
  return n;
}

void pool_graph_compare(uint64_t index, const pool_graph_wishes *wishes, pool_graph_counts *counts) {
  random_state random = random_start(77, index);
  memplan_problem problem;
  memplan_error error = {.message = ""};
  oracle_precedence precedence;
  const random_graph_options options = {.max_ops = wishes->max_ops, .max_bytes = 5, .pools = true, .pins = true};
  if (random_chance(&random, wishes->wide_percent)) {
    draw_wide(&random, wishes->max_ops, &problem);
  } else {
    random_graph(&random, &options, &problem);
  }
  if (problem.graph.n_pools > 1 && random_chance(&random, wishes->forced_percent)) {
    force(&random, &problem.graph);
  }
  bool good = problem.graph.n_pools > 1 && count_items(&problem.graph) <= wishes->most_items &&
              oracle_graph_is_legal(&problem.graph, &precedence) && build_try(&problem, &error) == MEMPLAN_OK;
  if (good) {
    question what = {index, *counts};
    shrink_checked(&problem, check, &what, sizeof what, "graph with pools, index %" PRIu64, index);
    *counts = what.counts;
  }
  memplan_problem_free(&problem);
}
