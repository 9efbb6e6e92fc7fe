// SPDX-License-Identifier: Apache-2.0
// Every registered order method: its orders are legal, those of the greedy ones are what their definition says, and
// wide graphs take no quadratic time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "heuristics/list_schedule.h"
#include "heuristics/ready.h"
#include "tests/support/oracle.h"
#include "tests/support/order_reference.h"
#include "tests/support/random_problem.h"

static void run_method(const memplan_method *method, const memplan_ordering *ordering, int32_t *order) {
  memplan_params params = memplan_params_default();
  memplan_task task = {.ordering = ordering, .params = &params};
  memplan_limits limits = memplan_limits_default();
  memplan_method_result result = {.order = order, .failed_block = -1};
  memplan_error error = {.message = ""};
  memplan_status status = method->run(&task, &limits, &result, &error);
  if (status != MEMPLAN_OK) {
    print_error("%s: %s\n", method->name, error.message);
  }
  assert_int_equal(status, MEMPLAN_OK);
  assert_int_equal(result.outcome, MEMPLAN_FEASIBLE);
}

static void run_named(const char *name, const memplan_ordering *ordering, int32_t *order) {
  const memplan_method *method = memplan_heuristic_find(MEMPLAN_METHOD_ORDER, name);
  assert_non_null(method);
  run_method(method, ordering, order);
}

static void make_ordering(const memplan_problem *problem, memplan_ordering *ordering) {
  memplan_error error = {.message = ""};
  assert_int_equal(memplan_ordering_init(ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
}

static int64_t peak_of(const memplan_ordering *ordering, const int32_t *order) {
  memplan_arena arena = {0};
  memplan_profile profile;
  assert_int_equal(memplan_ordering_profile(ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
  int64_t peak = profile.peak;
  memplan_arena_free(&arena);
  return peak;
}

static void expect_order(const memplan_problem *problem, const char *method, const char *expected) {
  memplan_ordering ordering;
  make_ordering(problem, &ordering);
  int32_t order[BUILD_OPS];
  run_named(method, &ordering, order);
  char text[256] = "";
  for (int32_t t = 0; t < ordering.n_ops; t++) {
    size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, "%s%s", t > 0 ? " " : "", problem->graph.ops[order[t]].id);
  }
  assert_string_equal(text, expected);
  memplan_ordering_free(&ordering);
}

// ---- hand-made graphs

static void registry_is_sound(void **state) {
  (void)state;
  int32_t count = 0;
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    count++;
    assert_non_null((*entry)->name);
    assert_non_null((*entry)->summary);
    assert_non_null((*entry)->reference);
    assert_non_null((*entry)->complexity);
    assert_non_null((*entry)->run);
    assert_false((*entry)->exact);
    assert_ptr_equal(memplan_heuristic_find((*entry)->kind, (*entry)->name), *entry);
    assert_true(((*entry)->declines == NULL) == ((*entry)->accepts == NULL));
  }
  assert_true(count >= 13);
  assert_null(memplan_heuristic_find(MEMPLAN_METHOD_PLACE, "given"));
  assert_null(memplan_heuristic_find(MEMPLAN_METHOD_ORDER, "no such method"));
}

// The graph of a paper on operator reordering for microcontrollers: the order of the file needs 5216, the best 4960.
static void build_reordering(memplan_problem *problem) {
  static const int64_t sizes[] = {1568, 3136, 1568, 512, 512, 256, 256, 512};
  static const char *const names[] = {"x", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  for (int32_t k = 0; k < 8; k++) {
    (void)build_tensor(graph, names[k], sizes[k], k == 0 ? MEMPLAN_ROLE_INPUT : k == 7 ? MEMPLAN_ROLE_OUTPUT : 0);
  }
  (void)build_op(graph, "1", "x", "t1");
  (void)build_op(graph, "2", "t1", "t2");
  (void)build_op(graph, "3", "t2", "t3");
  (void)build_op(graph, "4", "t1", "t4");
  (void)build_op(graph, "5", "t3", "t5");
  (void)build_op(graph, "6", "t4", "t6");
  (void)build_op(graph, "7", "t5 t6", "t7");
  build_finish(problem);
}

static void reordering_paper(void **state) {
  (void)state;
  memplan_problem problem;
  build_reordering(&problem);
  expect_order(&problem, "given", "1 2 3 4 5 6 7");
  expect_order(&problem, "greedy-peak", "1 4 6 2 3 5 7");
  expect_order(&problem, "lpmf", "1 4 6 2 3 5 7");
  expect_order(&problem, "bfs", "1 2 4 3 6 5 7");
  memplan_ordering ordering;
  make_ordering(&problem, &ordering);
  int32_t order[BUILD_OPS];
  run_named("given", &ordering, order);
  assert_int_equal(peak_of(&ordering, order), 5216);
  run_named("greedy-peak", &ordering, order);
  assert_int_equal(peak_of(&ordering, order), 4960);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

// a and b are ready at once. a: added 10 + 0 - 40 = -30, released 40, path 1: 500*40 + 300 + 200*30 = 26300.
// b: added 90, released 0, path 81: 300*81 - 200*90 = 6300. With a path of 1 + 180: 300*181 - 18000 = 36300.
static void weighted_score_weighs(void **state) {
  (void)state;
  for (int32_t round = 0; round < 2; round++) {
    memplan_problem problem;
    build_graph(&problem);
    memplan_graph *graph = &problem.graph;
    (void)build_tensor(graph, "x", 40, MEMPLAN_ROLE_INPUT);
    (void)build_tensor(graph, "y", 5, MEMPLAN_ROLE_INPUT);
    (void)build_tensor(graph, "p", 10, MEMPLAN_ROLE_OUTPUT);
    (void)build_tensor(graph, "q", 90, 0);
    (void)build_tensor(graph, "r", 1, MEMPLAN_ROLE_OUTPUT);
    (void)build_op(graph, "b", "y", "q");
    build_op(graph, "c", "q y", "r")->cost = round == 0 ? 80 : 180;
    (void)build_op(graph, "a", "x", "p");
    build_finish(&problem);
    expect_order(&problem, "weighted-score", round == 0 ? "a b c" : "b c a");
    memplan_problem_free(&problem);
  }
}

// Sizes and costs near the limits do not overflow: the released 2^60 bytes win.
static void weighted_score_takes_large_numbers(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  (void)build_tensor(graph, "x", INT64_C(1) << 60, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "y", 1, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "p", 1, MEMPLAN_ROLE_OUTPUT);
  (void)build_tensor(graph, "q", INT64_C(1) << 59, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "b", "y", "q")->workspace = INT64_C(1) << 60;
  build_op(graph, "a", "x", "p")->cost = INT64_MAX / 2;
  build_op(graph, "c", "p", "")->cost = INT64_MAX / 2;
  build_op(graph, "d", "p", "")->cost = INT64_MAX / 2;
  build_after(graph, &graph->ops[3], "c");
  build_finish(&problem);
  expect_order(&problem, "weighted-score", "a c d b");
  memplan_problem_free(&problem);
}

// Alike but for the permission to work in place, which keeps the load of `b` at 16.
static void greedy_peak_sees_in_place(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  (void)build_tensor(graph, "s", 8, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "x", 8, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "p", 8, 0);
  (void)build_tensor(graph, "q", 8, 0);
  (void)build_tensor(graph, "z", 1, MEMPLAN_ROLE_OUTPUT);
  graph->tensors[1].donatable = true;
  (void)build_op(graph, "a", "s", "p");
  build_inplace(graph, build_op(graph, "b", "x", "q"), "q", "x");
  (void)build_op(graph, "last", "p q", "z");
  build_finish(&problem);
  expect_order(&problem, "lpmf", "a b last");
  expect_order(&problem, "greedy-peak", "b a last");
  memplan_problem_free(&problem);
}

// Once one of the group has run, the other follows, however good the rest looks; the group waits for `gate`.
static void groups_stay_together(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  (void)build_tensor(graph, "x", 1, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "y", 100, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "g", 50, 0);
  (void)build_tensor(graph, "p", 1, MEMPLAN_ROLE_OUTPUT);
  (void)build_tensor(graph, "q", 60, MEMPLAN_ROLE_OUTPUT);
  (void)build_tensor(graph, "r", 1, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(graph, "gate", "x", "g");
  graph->groups[0] = "pair";
  graph->n_groups = 1;
  build_op(graph, "g1", "x", "p")->group = 0;
  build_op(graph, "g2", "g", "q")->group = 0;
  (void)build_op(graph, "free", "y", "r");
  build_finish(&problem);
  memplan_ordering ordering;
  make_ordering(&problem, &ordering);
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_ORDER) {
      int32_t order[BUILD_OPS];
      run_method(*entry, &ordering, order);
      assert_int_equal(memplan_ordering_check(&ordering, order, NULL), MEMPLAN_OK);
    }
  }
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

static void empty_graph(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_finish(&problem);
  memplan_ordering ordering;
  make_ordering(&problem, &ordering);
  int32_t order[1] = {7};
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_ORDER) {
      run_method(*entry, &ordering, order);
    }
  }
  assert_int_equal(order[0], 7);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

// ---- random graphs

typedef struct coverage {
  int32_t graphs, groups, pairs, async, shared;
} coverage;

static void count_features(const memplan_ordering *ordering, coverage *seen) {
  const memplan_graph *graph = ordering->graph;
  bool async = false;
  bool shared = false;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    async |= graph->ops[op].async_until >= 0;
  }
  for (int32_t c = 0; c < ordering->n_cells; c++) {
    shared |= ordering->cells[c].n_births > 1;
  }
  seen->graphs++;
  seen->groups += graph->n_groups > 0;
  seen->pairs += ordering->n_pairs > 0;
  seen->async += async;
  seen->shared += shared;
}

static void check_order(const memplan_problem *problem, const memplan_ordering *ordering, const char *method,
                        const int32_t *order, int32_t index) {
  oracle_precedence precedence;
  memplan_error error = {.message = ""};
  bool legal = memplan_ordering_check(ordering, order, &error) == MEMPLAN_OK;
  bool oracle =
      oracle_graph_is_legal(&problem->graph, &precedence) && oracle_order_is_legal(&problem->graph, &precedence, order);
  if (!legal || !oracle) {
    print_error("%s on random graph %d: %s\n", method, (int)index, error.message);
  }
  assert_true(legal);
  assert_true(oracle);
}

static void expect_same(const char *method, int32_t index, const int32_t *order, const int32_t *expected, int32_t n) {
  for (int32_t t = 0; t < n; t++) {
    if (order[t] != expected[t]) {
      print_error("%s on random graph %d: operator %d at step %d, by definition %d\n", method, (int)index,
                  (int)order[t], (int)t, (int)expected[t]);
    }
    assert_int_equal(order[t], expected[t]);
  }
}

static const struct {
  const char *name;
  reference_rule rule;
} definitions[] = {{"lpmf", REFERENCE_LPMF},
                   {"greedy-peak", REFERENCE_GREEDY_PEAK},
                   {"weighted-score", REFERENCE_WEIGHTED_SCORE},
                   {"bfs", REFERENCE_BFS}};

static void compare_with_definitions(const memplan_ordering *ordering, int32_t index) {
  int32_t order[BUILD_OPS];
  int32_t expected[REFERENCE_OPS];
  for (size_t k = 0; k < sizeof definitions / sizeof *definitions; k++) {
    run_named(definitions[k].name, ordering, order);
    assert_true(reference_order(ordering, definitions[k].rule, expected));
    expect_same(definitions[k].name, index, order, expected, ordering->n_ops);
  }
  run_named("dfs", ordering, order);
  reference_depth_first(ordering, expected);
  expect_same("dfs", index, order, expected, ordering->n_ops);
}

static void check_all_orders(const memplan_problem *problem, const memplan_ordering *ordering, int32_t index) {
  int32_t order[BUILD_OPS];
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_ORDER) {
      run_method(*entry, ordering, order);
      check_order(problem, ordering, (*entry)->name, order, index);
    }
  }
}

static void small_random_graphs(void **state) {
  (void)state;
  coverage seen = {0};
  for (int32_t index = 0; index < 4000; index++) {
    random_state random = random_start(31, (uint64_t)index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 6};
    memplan_problem problem;
    random_graph(&random, &wishes, &problem);
    memplan_error error = {.message = ""};
    memplan_ordering ordering;
    if (build_try(&problem, &error) == MEMPLAN_OK &&
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) == MEMPLAN_OK) {
      count_features(&ordering, &seen);
      check_all_orders(&problem, &ordering, index);
      compare_with_definitions(&ordering, index);
      memplan_ordering_free(&ordering);
    }
    memplan_problem_free(&problem);
  }
  assert_true(seen.graphs > 2000);
  assert_true(seen.groups > 100);
  assert_true(seen.pairs > 500);
  assert_true(seen.async > 300);
  assert_true(seen.shared > 300);
}

// Up to 32 operators with up to three inputs each, in-place permissions, workspaces and groups of neighbours.
static void build_tangle(random_state *random, memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  (void)build_tensor(graph, "t0", 1 + random_below(random, 30), MEMPLAN_ROLE_INPUT);
  int32_t n_ops = 10 + random_below(random, BUILD_OPS - 9);
  int32_t until = 0; // the open group ends before this operator
  for (int32_t op = 0; op < n_ops; op++) {
    char in[64] = "";
    char id[16];
    char out[16];
    char first[16] = "";
    for (int32_t k = random_below(random, 3); k >= 0; k--) {
      int32_t near = graph->n_tensors < 8 ? graph->n_tensors : 8;
      (void)snprintf(first, sizeof first, "t%d", (int)(graph->n_tensors - 1 - random_below(random, near)));
      size_t used = strlen(in);
      (void)snprintf(in + used, sizeof in - used, "%s ", first);
    }
    (void)snprintf(id, sizeof id, "op%d", (int)op);
    (void)snprintf(out, sizeof out, "t%d", (int)graph->n_tensors);
    int32_t bytes = random_below(random, 30);
    (void)build_tensor(graph, out, bytes, random_chance(random, 10) ? MEMPLAN_ROLE_OUTPUT : 0);
    memplan_op *entry = build_op(graph, id, in, out);
    entry->workspace = random_chance(random, 20) ? random_below(random, 30) : 0;
    entry->cost = random_below(random, 5);
    if (random_chance(random, 50)) {
      build_inplace(graph, entry, out, first);
    }
    if (op >= until && random_chance(random, 20)) {
      until = op + 2 + random_below(random, 4);
      graph->groups[graph->n_groups++] = graph->ops[op].id;
    }
    entry->group = op < until ? graph->n_groups - 1 : -1;
  }
  build_finish(problem);
}

static void larger_random_graphs(void **state) {
  (void)state;
  for (int32_t index = 0; index < 300; index++) {
    random_state random = random_start(35, (uint64_t)index);
    memplan_problem problem;
    memplan_ordering ordering;
    build_tangle(&random, &problem);
    make_ordering(&problem, &ordering);
    for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
      if ((*entry)->kind == MEMPLAN_METHOD_ORDER) {
        int32_t order[BUILD_OPS];
        run_method(*entry, &ordering, order);
        assert_int_equal(memplan_ordering_check(&ordering, order, NULL), MEMPLAN_OK);
      }
    }
    compare_with_definitions(&ordering, index);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

// The schedule's own bookkeeping against the profile of the finished order.
static void schedule_knows_its_peak(void **state) {
  (void)state;
  int32_t checked = 0;
  for (int32_t index = 0; index < 1500; index++) {
    random_state random = random_start(32, (uint64_t)index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 6};
    memplan_problem problem;
    random_graph(&random, &wishes, &problem);
    memplan_error error = {.message = ""};
    memplan_ordering ordering;
    if (build_try(&problem, &error) != MEMPLAN_OK ||
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) != MEMPLAN_OK) {
      memplan_problem_free(&problem);
      continue;
    }
    int32_t order[BUILD_OPS];
    memplan_arena arena = {0};
    memplan_schedule schedule;
    assert_int_equal(memplan_schedule_init(&schedule, &ordering, order, &arena, &error), MEMPLAN_OK);
    int64_t *load = MEMPLAN_NEW(&arena, int64_t, BUILD_OPS);
    assert_non_null(load);
    for (int32_t op = 0; op < ordering.n_ops; op++) {
      memplan_gain gain = memplan_schedule_gain(&schedule, op);
      load[op] = memplan_schedule_load(&schedule, &gain);
      memplan_schedule_run(&schedule, op);
    }
    memplan_profile profile;
    assert_int_equal(memplan_ordering_profile(&ordering, order, &arena, &profile, &error), MEMPLAN_OK);
    for (int32_t t = 0; t < ordering.n_ops; t++) {
      assert_int_equal(load[t], profile.load[t]);
    }
    // Without operators the inputs still count; a schedule has no step for them.
    if (ordering.n_ops > 0) {
      assert_int_equal(schedule.peak, profile.peak);
    }
    checked++;
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  assert_true(checked > 700);
}

// ---- the ready set

enum { READY_OPS = 300 };

typedef struct ready_keys {
  int64_t key[READY_OPS];
  int64_t weight[READY_OPS];
} ready_keys;

static bool key_before(const void *context, int32_t a, int32_t b) {
  const ready_keys *keys = context;
  return keys->key[a] != keys->key[b] ? keys->key[a] < keys->key[b] : a < b;
}

static int32_t select_by_scan(const memplan_ready *ready, const ready_keys *keys, int32_t set, int64_t threshold) {
  int32_t best = -1;
  for (int32_t op = 0; op < READY_OPS; op++) {
    if (ready->set[op] != set) {
      continue;
    }
    if (best < 0) {
      best = op;
      continue;
    }
    bool fits = keys->weight[op] <= threshold;
    bool best_fits = keys->weight[best] <= threshold;
    bool lighter =
        keys->weight[op] < keys->weight[best] || (keys->weight[op] == keys->weight[best] && key_before(keys, op, best));
    if (fits != best_fits ? fits : fits ? key_before(keys, op, best) : lighter) {
      best = op;
    }
  }
  return best;
}

static void ready_set_selects(void **state) {
  (void)state;
  memplan_arena arena = {0};
  ready_keys keys;
  memplan_ready ready;
  memset(&keys, 0, sizeof keys);
  assert_true(memplan_ready_init(&ready, READY_OPS, key_before, &keys, &arena));
  random_state random = random_start(33, 0);
  for (int32_t round = 0; round < 20000; round++) {
    int32_t op = random_below(&random, READY_OPS);
    if (ready.set[op] >= 0) {
      memplan_ready_remove(&ready, op);
    } else {
      keys.key[op] = random_below(&random, 40);
      keys.weight[op] = random_below(&random, 40) - 10;
      memplan_ready_insert(&ready, random_below(&random, MEMPLAN_READY_SETS), op, keys.weight[op]);
    }
    for (int32_t set = 0; set < MEMPLAN_READY_SETS; set++) {
      int64_t threshold = random_below(&random, 60) - 20;
      assert_int_equal(memplan_ready_select(&ready, set, threshold), select_by_scan(&ready, &keys, set, threshold));
    }
  }
  memplan_arena_free(&arena);
}

// ---- wide graphs

// `width` chains of `length` operators between one source and one sink, all intermediate sizes different.
static void build_wide(memplan_problem *problem, int32_t width, int32_t length) {
  memplan_problem_init(problem);
  problem->has_graph = true;
  problem->options = memplan_problem_options_default();
  memplan_graph *graph = &problem->graph;
  graph->name = "wide";
  int32_t n_tensors = width * length + 2;
  graph->tensors = MEMPLAN_NEW(&graph->arena, memplan_tensor, n_tensors);
  graph->ops = MEMPLAN_NEW(&graph->arena, memplan_op, width * length + 1);
  int32_t *lists = MEMPLAN_NEW(&graph->arena, int32_t, n_tensors + width);
  assert_non_null(graph->tensors);
  assert_non_null(graph->ops);
  assert_non_null(lists);
  random_state random = random_start(34, 0);
  for (int32_t k = 0; k < n_tensors; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "t%d", (int)k);
    graph->tensors[k] = (memplan_tensor){.id = memplan_arena_text(&graph->arena, id, strlen(id)),
                                         .bytes = 1 + random_below(&random, 1000000),
                                         .align = 1,
                                         .pin = -1,
                                         .view_of = -1,
                                         .rank = -1,
                                         .roles = (uint8_t)(k == 0               ? MEMPLAN_ROLE_INPUT
                                                            : k == n_tensors - 1 ? MEMPLAN_ROLE_OUTPUT
                                                                                 : 0)};
    lists[k] = k;
  }
  graph->n_tensors = n_tensors;
  for (int32_t layer = 0; layer < length; layer++) {
    for (int32_t chain = 0; chain < width; chain++) {
      int32_t out = 1 + layer * width + chain;
      graph->ops[graph->n_ops++] = (memplan_op){.in = &lists[layer == 0 ? 0 : out - width],
                                                .n_in = 1,
                                                .out = &lists[out],
                                                .n_out = 1,
                                                .workspace = random_below(&random, 1000),
                                                .workspace_align = 1,
                                                .cost = 1,
                                                .async_until = -1,
                                                .group = -1};
    }
  }
  graph->ops[graph->n_ops++] = (memplan_op){.in = &lists[1 + (length - 1) * width],
                                            .n_in = width,
                                            .out = &lists[n_tensors - 1],
                                            .n_out = 1,
                                            .workspace_align = 1,
                                            .cost = 1,
                                            .async_until = -1,
                                            .group = -1};
  for (int32_t op = 0; op < graph->n_ops; op++) {
    char id[16];
    (void)snprintf(id, sizeof id, "op%d", (int)op);
    graph->ops[op].id = memplan_arena_text(&graph->arena, id, strlen(id));
  }
  memplan_error error = {.message = ""};
  assert_int_equal(memplan_graph_resolve(graph, &error), MEMPLAN_OK);
}

static void wide_graphs_are_quick(void **state) {
  (void)state;
  static const struct { int32_t width, length; } shapes[] = {{10000, 3}, {30000, 1}, {100, 300}, {1, 30000}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    memplan_problem problem;
    build_wide(&problem, shapes[k].width, shapes[k].length);
    memplan_ordering ordering;
    make_ordering(&problem, &ordering);
    int32_t *order = MEMPLAN_NEW(&problem.graph.arena, int32_t, ordering.n_ops);
    assert_non_null(order);
    for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
      if ((*entry)->kind != MEMPLAN_METHOD_ORDER) {
        continue;
      }
      clock_t start = clock();
      run_method(*entry, &ordering, order);
      double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
      assert_int_equal(memplan_ordering_check(&ordering, order, NULL), MEMPLAN_OK);
      print_message("%d chains of %d: %-15s peak %lld in %.3f s\n", (int)shapes[k].width, (int)shapes[k].length,
                    (*entry)->name, (long long)peak_of(&ordering, order), seconds);
      // A scan of all ready operators at each step takes minutes; the sanitizers cost a factor of ten.
      assert_true(seconds < 15);
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

// A method that is stopped has no order; the given one is always there.
static void limits_stop_methods(void **state) {
  (void)state;
  memplan_problem problem;
  build_wide(&problem, 100, 100);
  memplan_ordering ordering;
  make_ordering(&problem, &ordering);
  volatile int cancel = 1;
  memplan_limits limits = memplan_limits_default();
  limits.cancel = &cancel;
  memplan_params params = memplan_params_default();
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind != MEMPLAN_METHOD_ORDER) {
      continue;
    }
    memplan_arena arena = {0};
    memplan_task task = {.ordering = &ordering, .params = &params};
    memplan_method_result result = {.order = MEMPLAN_NEW(&arena, int32_t, ordering.n_ops)};
    assert_non_null(result.order);
    assert_int_equal((*entry)->run(&task, &limits, &result, NULL), MEMPLAN_OK);
    bool given = strcmp((*entry)->name, "given") == 0;
    assert_int_equal(result.outcome, given ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN);
    assert_int_equal(result.stop, given ? MEMPLAN_STOP_DONE : MEMPLAN_STOP_INTERRUPTED);
    memplan_arena_free(&arena);
  }
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry_is_sound),
      cmocka_unit_test(reordering_paper),
      cmocka_unit_test(weighted_score_weighs),
      cmocka_unit_test(weighted_score_takes_large_numbers),
      cmocka_unit_test(greedy_peak_sees_in_place),
      cmocka_unit_test(groups_stay_together),
      cmocka_unit_test(empty_graph),
      cmocka_unit_test(small_random_graphs),
      cmocka_unit_test(larger_random_graphs),
      cmocka_unit_test(schedule_knows_its_peak),
      cmocka_unit_test(ready_set_selects),
      cmocka_unit_test(wide_graphs_are_quick),
      cmocka_unit_test(limits_stop_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
