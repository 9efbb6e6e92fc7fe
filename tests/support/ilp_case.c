// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/ilp_case.h"

#include "solvers/ilp_joint.h"
#include "solvers/ilp_placement.h"
#include "solvers/techniques.h"
#include "tests/support/oracle.h"
#include "tests/support/random_problem.h"

#include <inttypes.h>

void ilp_compare_place(uint64_t seed, ilp_counts *counts) {
  random_state random = random_start(172, seed);
  bool pins = random_chance(&random, 40), rules = random_chance(&random, 50);
  random_instance_options wishes = {.max_buffers = 6, .max_bytes = 4, .pins = pins, .rules = rules};
  memplan_problem problem;
  random_instance(&random, &wishes, &problem);
  memplan_error error = {0};
  if (build_try(&problem, &error) == MEMPLAN_OK && problem.instance.n_pools == 1) {
    enum { limit = 20 };
    oracle_place places[ORACLE_ITEMS];
    memplan_arena arena = {0};
    memplan_limits limits = memplan_limits_default();
    memplan_ilp_placement found;
    int64_t expected = oracle_instance_optimum(&problem.instance, &problem.options, limit, places);
    if (memplan_ilp_placement_find(&problem.instance, NULL, &limits, &arena, &found, &error) != MEMPLAN_OK) {
      fail_msg("seed %" PRIu64 ": %s", seed, error.message);
    }
    assert_true(found.exhausted);
    bool answered = expected >= -1;                                            // else the enumeration ran out of tries
    if (answered && (expected >= 0 || found.peak < 0 || found.peak < limit)) { // or does not reach as far
      if (found.peak != expected || (expected >= 0 && found.floating_bound != expected)) {
        fail_msg("seed %" PRIu64 ": %" PRId64 " (bound %" PRId64 ") instead of %" PRId64, seed, found.peak,
                 found.floating_bound, expected);
      }
      counts->compared++;
      counts->gaps += expected > oracle_instance_load(&problem.instance);
    }
    memplan_arena_free(&arena);
  }
  memplan_problem_free(&problem);
}

static void compare_plan(uint64_t seed, const char *what, memplan_status status, const memplan_ilp_plan *plan,
                         int64_t expected, const memplan_error *error) {
  if (status != MEMPLAN_OK) {
    fail_msg("seed %" PRIu64 ", %s: %s", seed, what, error->message);
  }
  if (!plan->found || !plan->exhausted || plan->peak != expected || plan->floating_bound != expected) {
    fail_msg("seed %" PRIu64 ", %s: %s, peak %" PRId64 ", bound %" PRId64 " instead of %" PRId64, seed, what,
             plan->exhausted ? "exhausted" : "not exhausted", plan->found ? plan->peak : -1, plan->floating_bound,
             expected);
  }
}

static void add_up(const memplan_ilp_plan *plan, ilp_counts *counts) {
  counts->cuts += plan->cuts;
  counts->lazy_rows += plan->lazy_rows;
  counts->rounded += plan->rounded;
}

static void compare_forms(uint64_t seed, const memplan_ordering *ordering, int64_t optimum, int64_t order_optimum,
                          uint64_t without, ilp_counts *counts) {
  static const char *const words[] = {"precedence", "steps"};
  memplan_limits limits = memplan_limits_default();
  for (int form = 0; form < 2; form++) {
    memplan_arena arena = {0};
    memplan_error error = {0};
    memplan_ilp_plan plan;
    memplan_ilp_task task = {.ordering = ordering,
                             .form = (memplan_ilp_form)form,
                             .limits = &limits,
                             .below = -1,
                             .bound = 0,
                             .without = without};
    memplan_status status = memplan_ilp_order_find(&task, &arena, &plan, &error);
    compare_plan(seed, words[form], status, &plan, order_optimum, &error);
    status = memplan_ilp_joint_find(&task, &arena, &plan, &error);
    compare_plan(seed, form == 0 ? "joint precedence" : "joint steps", status, &plan, optimum, &error);
    counts->choices += plan.n_choices > 0;
    add_up(&plan, counts);
    // From the order that has the least peak.
    memplan_ilp_plan first;
    assert_int_equal(memplan_ilp_order_find(&task, &arena, &first, &error), MEMPLAN_OK);
    task.first = &first;
    task.bound = first.floating_bound;
    status = memplan_ilp_joint_find(&task, &arena, &plan, &error);
    compare_plan(seed, "joint from an order", status, &plan, optimum, &error);
    task.first = NULL;
    task.bound = 0;
    // Below the optimum there is nothing.
    task.below = optimum;
    status = memplan_ilp_joint_find(&task, &arena, &plan, &error);
    assert_int_equal(status, MEMPLAN_OK);
    assert_true(!plan.found && plan.exhausted && plan.floating_bound == optimum);
    memplan_arena_free(&arena);
  }
}

void ilp_compare_graph(uint64_t seed, int32_t most_ops, uint64_t without, ilp_counts *counts) {
  random_state random = random_start(173, seed);
  random_graph_options wishes = {
      .max_ops = most_ops, .max_bytes = 4, .illegal_percent = 0, .pins = random_chance(&random, 30)};
  memplan_problem problem;
  random_graph(&random, &wishes, &problem);
  problem.options.align = random_chance(&random, 20) ? 2 : 1;
  memplan_graph *graph = &problem.graph;
  oracle_precedence precedence;
  memplan_error error = {0};
  memplan_ordering ordering;
  if (oracle_graph_is_legal(graph, &precedence) && build_try(&problem, &error) == MEMPLAN_OK) {
    enum { most_items = 7, limit = 40 };
    int64_t optimum, order_optimum;
    assert_int_equal(memplan_ordering_init(&ordering, graph, &problem.options, NULL, &error), MEMPLAN_OK);
    if (oracle_small_optimum(graph, &problem.options, &precedence, most_items, limit, &optimum, &order_optimum) &&
        optimum >= 0) {
      compare_forms(seed, &ordering, optimum, order_optimum, without, counts);
      counts->compared++;
      counts->gaps += optimum > order_optimum;
    }
    memplan_ordering_free(&ordering);
  }
  memplan_problem_free(&problem);
}

uint64_t ilp_switches(uint64_t seed) {
  static const uint64_t all[] = {
      MEMPLAN_TECHNIQUE_ILP_PROBING, MEMPLAN_TECHNIQUE_ILP_GUIDE,    MEMPLAN_TECHNIQUE_ILP_WINDOWS,
      MEMPLAN_TECHNIQUE_ILP_LAZY,    MEMPLAN_TECHNIQUE_ILP_ROUNDING, MEMPLAN_TECHNIQUE_ILP_CIRCLES,
      MEMPLAN_TECHNIQUE_ILP_STACKS,  MEMPLAN_TECHNIQUE_ILP_MIR,      MEMPLAN_TECHNIQUE_ILP_GOMORY,
      MEMPLAN_TECHNIQUE_ILP_CLIQUES, MEMPLAN_TECHNIQUE_ILP_COVERS,   MEMPLAN_TECHNIQUE_ILP_AT_ONCE};
  random_state random = random_start(182, seed);
  uint64_t without = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all && seed % 4 != 0; k++) {
    without |= random_chance(&random, 35) ? all[k] : 0;
  }
  return seed % 4 == 1 ? (without & ~MEMPLAN_TECHNIQUE_ILP_LAZY) | MEMPLAN_TECHNIQUE_ILP_AT_ONCE : without;
}
