// SPDX-License-Identifier: Apache-2.0
#include "tests/support/joint_methods_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_joint.h"
#include "solvers/ilp_solver.h"
#include "tests/support/oracle.h"

#include <inttypes.h>

static void count_features(const memplan_graph *graph, joint_methods_counts *counts) {
  bool view = false, workspace = false, writers = false, aligned[2] = {false, false};
  int32_t n_pairs = 0;
  for (int32_t k = 0; k < graph->n_tensors; k++) {
    int32_t n_writers = 0;
    for (int32_t op = 0; op < graph->n_ops; op++) {
      for (int32_t out = 0; out < graph->ops[op].n_out; out++) {
        n_writers += oracle_root(graph, graph->ops[op].out[out]) == k;
      }
    }
    writers = writers || n_writers > 1;
    view = view || graph->tensors[k].view_of >= 0;
    aligned[0] = aligned[0] || graph->tensors[k].align == 4;
    aligned[1] = aligned[1] || graph->tensors[k].align == 64;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace = workspace || graph->ops[op].workspace > 0;
    n_pairs += graph->ops[op].n_inplace;
  }
  counts->largest += graph->n_ops == 10;
  counts->pairs += n_pairs > 0;
  counts->workspaces += workspace;
  counts->views += view;
  counts->writers += writers;
  counts->aligned[0] += aligned[0];
  counts->aligned[1] += aligned[1];
}

static void solve_by_default(const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_error error = {.message = ""};
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("seed %" PRIu64 ": %s", seed, error.message);
  }
  if (solution.outcome != MEMPLAN_OPTIMAL || solution.plan.peak != optimum || solution.plan.lower_bound != optimum) {
    fail_msg("seed %" PRIu64 ": the outcome is '%s' with %" PRId64 " and the bound %" PRId64 " instead of %" PRId64,
             seed, memplan_outcome_name(solution.outcome), solution.plan.peak, solution.plan.lower_bound, optimum);
  }
  memplan_solution_free(&solution);
}

static void solve_program(const memplan_problem *problem, uint64_t seed, int64_t optimum,
                          joint_methods_counts *counts) {
  memplan_error error = {.message = ""};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_ilp_plan plan;
  memplan_limits limits = memplan_limits_default();
  limits.work = counts->work;
  limits = memplan_limits_start(&limits);
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  memplan_ilp_task task = {.ordering = &ordering,
                           .form = seed % 8 == 0 ? MEMPLAN_ILP_STEPS : MEMPLAN_ILP_PRECEDENCE,
                           .limits = &limits,
                           .below = -1};
  if (memplan_ilp_joint_find(&task, &arena, &plan, &error) != MEMPLAN_OK) {
    fail_msg("seed %" PRIu64 ": %s", seed, error.message);
  }
  bool right = plan.exhausted ? plan.found && plan.peak == optimum && plan.floating_bound == optimum
                              : plan.floating_bound <= optimum && (!plan.found || plan.peak >= optimum);
  if (!right) {
    fail_msg("seed %" PRIu64 ": %s with %" PRId64 ", bound %" PRId64 " instead of %" PRId64, seed,
             plan.exhausted ? "exhausted" : "not exhausted", plan.found ? plan.peak : -1, plan.floating_bound, optimum);
  }
  counts->programs += plan.exhausted;
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

void joint_methods_look(const memplan_problem *problem, uint64_t seed, int64_t optimum, joint_methods_counts *counts) {
  random_state random = random_start(313, seed);
  memplan_joint_settings settings = joint_settings(&random);
  int32_t n_choices;
  assert_true(problem->graph.n_ops >= 7 && problem->graph.n_ops <= 10);
  int64_t found = joint_optimum(problem, &settings, 0, optimum + 1 + random_below(&random, 20), &n_choices);
  if (found != optimum) {
    fail_msg("seed %" PRIu64 ": %" PRId64 " instead of %" PRId64, seed, found, optimum);
  }
  nogood_look(&counts->nogoods, problem, seed, optimum);
  solve_by_default(problem, seed, optimum);
  if (memplan_ilp_available()) {
    solve_program(problem, seed, optimum, counts);
  }
  count_features(&problem->graph, counts);
}

static void look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  joint_methods_look(problem, seed, optimum, context);
}

void joint_methods_report(const joint_methods_counts *counts) {
  print_message("%" PRId64 " graphs, %" PRId64 " with a joint gap, %" PRId64 " of 10 operators, %" PRId64
                " integer programs solved; %" PRId64 " undecided by nogoods; %" PRId64 " with pairs, %" PRId64
                " with workspaces, %" PRId64 " with views, %" PRId64 " with several writers, %" PRId64 " and %" PRId64
                " with alignments\n",
                counts->graphs.compared, counts->graphs.gaps, counts->largest, counts->programs,
                counts->nogoods.undecided, counts->pairs, counts->workspaces, counts->views, counts->writers,
                counts->aligned[0], counts->aligned[1]);
}

const joint_methods_counts *joint_methods_compare(uint64_t first, uint64_t end, int64_t work) {
  static joint_methods_counts counts;
  counts = (joint_methods_counts){.work = work};
  counts.graphs = (joint_counts){.look = look, .context = &counts, .larger = true};
  joint_compare_all(joint_compare_gadget, first, end, &counts.graphs);
  joint_methods_report(&counts);
  return &counts;
}
