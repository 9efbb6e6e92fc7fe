// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"

#include "tests/support/oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

memplan_joint_settings joint_settings(random_state *random) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  if (random_chance(random, 50)) {
    return settings;
  }
  settings.seed = random_next(random);
  settings.driver = (memplan_joint_driver)random_below(random, 4);
  settings.load = random_chance(random, 60);
  settings.overload = random_chance(random, 60);
  settings.edges = random_chance(random, 60);
  settings.symmetry = random_chance(random, 70);
  settings.minimise = random_chance(random, 70);
  settings.bound_branching = random_chance(random, 70);
  settings.proof = random_chance(random, 30);
  return settings;
}

// ---- plans

static int64_t offset_of(const memplan_instance *instance, const memplan_joint_plan *plan, int32_t buffer) {
  return buffer < 0 ? 0 : plan->placement.offset[instance->block_of[buffer]] + instance->delta_of[buffer];
}

static void check_plan(const memplan_problem *problem, const memplan_ordering *ordering,
                       const memplan_joint_plan *plan) {
  const memplan_graph *graph = &problem->graph;
  memplan_error error = {0};
  memplan_instance instance;
  memplan_instance_init(&instance);
  int32_t storage_buffer[ORACLE_TENSORS], op_buffer[ORACLE_OPS];
  assert_true(graph->n_storages <= ORACLE_TENSORS && graph->n_ops <= ORACLE_OPS);
  assert_int_equal(memplan_ordering_check(ordering, plan->order, &error), MEMPLAN_OK);
  assert_int_equal(memplan_ordering_lower(ordering, plan->order, plan->choice, plan->n_choices, &instance,
                                          storage_buffer, op_buffer, &error),
                   MEMPLAN_OK);
  assert_int_equal(instance.n_blocks, plan->n_blocks);
  assert_int_equal(memplan_instance_peak(&instance, plan->placement.offset), plan->peak);
  int64_t workspace[ORACLE_OPS];
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = graph->ops[op].workspace;
  }
  oracle_items items;
  oracle_find_items(graph, &problem->options, workspace, plan->order, &items);
  oracle_choice choice = {.count = plan->n_choices};
  for (int32_t k = 0; k < plan->n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[plan->choice[k]];
    choice.pairs[k] = (oracle_pair){pair->op, pair->output, pair->input};
  }
  assert_true(oracle_choice_is_legal(graph, &problem->options, &items, plan->order, &choice));
  oracle_place places[ORACLE_ITEMS];
  memset(places, 0, sizeof places);
  for (int32_t k = 0; k < items.count; k++) {
    int32_t buffer = items.items[k].op >= 0 ? op_buffer[items.items[k].op] : -1;
    for (int32_t storage = 0; storage < graph->n_storages && items.items[k].op < 0; storage++) {
      buffer = graph->storages[storage].root == items.items[k].tensor ? storage_buffer[storage] : buffer;
    }
    places[k].offset = offset_of(&instance, plan, buffer);
  }
  assert_true(oracle_placement_is_valid(graph, &problem->options, &items, plan->order, &choice, places));
  memplan_instance_free(&instance);
}

static void hint(memplan_joint *search, const memplan_ordering *ordering, const memplan_joint_settings *settings) {
  if (settings->seed % 3 == 1) {
    memplan_error error = {0};
    int32_t order[ORACLE_OPS];
    for (int32_t op = 0; op < ordering->n_ops; op++) {
      order[op] = op;
    }
    const memplan_joint_plan plan = {.order = order};
    assert_true(memplan_joint_start(search, &plan, &error));
  }
}

static int64_t run(const memplan_problem *problem, const memplan_ordering *ordering, const memplan_joint_graph *graph,
                   const memplan_joint_settings *settings, int64_t lower, int64_t upper, int32_t *n_choices) {
  memplan_error error = {0};
  memplan_joint *search;
  assert_int_equal(memplan_joint_new(graph, lower, upper, settings, &search, &error), MEMPLAN_OK);
  hint(search, ordering, settings);
  int64_t low = memplan_joint_lower(search), high = upper, best = -1;
  for (int round = 0;; round++) {
    assert_true(round < 20000);
    memplan_joint_result result = memplan_joint_run(search, 500);
    assert_true(result != MEMPLAN_JOINT_NOMEM);
    assert_true(memplan_joint_lower(search) >= low && memplan_joint_upper(search) <= high);
    low = memplan_joint_lower(search);
    if (result == MEMPLAN_JOINT_IMPROVED) {
      assert_true(memplan_joint_has_plan(search) && memplan_joint_upper(search) < high);
      memplan_arena arena = {0};
      memplan_joint_plan plan;
      assert_int_equal(memplan_joint_read(search, &arena, &plan, &error), MEMPLAN_OK);
      best = plan.peak;
      *n_choices = plan.n_choices;
      assert_int_equal(best, memplan_joint_upper(search));
      check_plan(problem, ordering, &plan);
      memplan_joint_plan again = plan;
      assert_true(memplan_joint_start(search, &again, &error));
      memplan_arena_free(&arena);
    }
    high = memplan_joint_upper(search);
    if (result == MEMPLAN_JOINT_CLOSED) {
      assert_int_equal(low, high);
      break;
    }
  }
  memplan_joint_free(search);
  return best;
}

int64_t joint_optimum(const memplan_problem *problem, const memplan_joint_settings *settings, int64_t lower,
                      int64_t upper, int32_t *n_choices) {
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph graph;
  char reason[256];
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_true(memplan_joint_accepts(&ordering, reason));
  assert_int_equal(memplan_joint_graph_init(&graph, &ordering, true, &arena, &error), MEMPLAN_OK);
  int64_t optimum = run(problem, &ordering, &graph, settings, lower, upper, n_choices);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  return optimum;
}

// ---- comparisons

static void compare(const memplan_problem *problem, uint64_t seed, random_state *random, int64_t expected,
                    int64_t order_optimum, joint_counts *counts) {
  memplan_joint_settings settings = joint_settings(random);
  int64_t lower = random_chance(random, 50) ? 0 : order_optimum, upper = expected + 1 + random_below(random, 30);
  int32_t n_choices = 0;
  int64_t optimum = joint_optimum(problem, &settings, lower, upper, &n_choices);
  if (optimum != expected) {
    fail_msg("seed %" PRIu64 ": %" PRId64 " instead of %" PRId64, seed, optimum, expected);
  }
  counts->choices += n_choices > 0;
  if (random_chance(random, 25)) {
    assert_int_equal(joint_optimum(problem, &settings, 0, expected, &n_choices), -1);
  }
  counts->compared++;
  counts->gaps += expected > order_optimum;
}

void joint_compare_random(uint64_t seed, int32_t most_ops, int32_t most_items, joint_counts *counts) {
  random_state random = random_start(191, seed);
  random_graph_options wishes = {
      .max_ops = most_ops, .max_bytes = 4, .illegal_percent = 0, .pins = random_chance(&random, 30)};
  memplan_problem problem;
  random_graph(&random, &wishes, &problem);
  problem.options.align = random_chance(&random, 20) ? 2 : 1;
  memplan_graph *graph = &problem.graph;
  oracle_precedence precedence;
  memplan_error error = {0};
  if (oracle_graph_is_legal(graph, &precedence) && build_try(&problem, &error) == MEMPLAN_OK) {
    int64_t workspace[ORACLE_OPS];
    int32_t given[ORACLE_OPS];
    oracle_items items;
    for (int32_t op = 0; op < graph->n_ops; op++) {
      workspace[op] = graph->ops[op].workspace;
      given[op] = op;
    }
    oracle_find_items(graph, &problem.options, workspace, given, &items);
    if (items.count <= most_items) {
      enum { limit = 40 };
      int64_t order_optimum = -1;
      int64_t optimum = oracle_joint_optimum(graph, &problem.options, workspace, &precedence, limit, &order_optimum);
      if (optimum >= 0) {
        compare(&problem, seed, &random, optimum, order_optimum, counts);
      }
    }
  }
  memplan_problem_free(&problem);
}
