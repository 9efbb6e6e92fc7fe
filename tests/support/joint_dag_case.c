// SPDX-License-Identifier: Apache-2.0
#include "tests/support/joint_dag_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/brute_force.h"
#include "tests/support/shrink.h"
#include "tests/support/tight_graph.h"

#include <inttypes.h>

enum { most_orders = 20000, most_draws = 80 };

// A graph with alignments or pins, whose gap may come from them alone, is not plain.
static bool is_plain(const memplan_problem *problem) {
  bool plain = problem->options.align == 1;
  for (int32_t k = 0; k < problem->graph.n_ops; k++) {
    plain = plain && problem->graph.ops[k].workspace_align == 1;
  }
  for (int32_t k = 0; k < problem->graph.n_tensors; k++) {
    plain = plain && problem->graph.tensors[k].align == 1 && problem->graph.tensors[k].pin < 0;
  }
  return plain;
}

static void draw_mixed(random_state *random, memplan_problem *problem) {
  random_graph_options wishes = {.min_ops = 7, .max_ops = ORACLE_OPS, .units = random_chance(random, 80)};
  wishes.max_bytes = random_chance(random, 50) ? 8 : 3;
  wishes.chain_percent = random_below(random, 4) * 30;
  wishes.pins = random_chance(random, 70);
  random_graph(random, &wishes, problem);
  if (random_chance(random, 15)) {
    problem->options.align = random_chance(random, 50) ? 4 : 2;
  }
}

static bool is_legal(const memplan_problem *problem, oracle_precedence *precedence) {
  return problem->graph.n_tensors <= ORACLE_TENSORS && oracle_graph_is_legal(&problem->graph, precedence);
}

// Half of all are drawn with everything, a third is full at each step, and of the others each is drawn until the
// placement alone costs something.
static void draw(uint64_t seed, memplan_problem *problem) {
  int32_t kind = (int32_t)(seed % 6);
  random_state random = random_start(401, seed);
  if (kind < 3) {
    draw_mixed(&random, problem);
    return;
  }
  tight_graph(&random, 7, ORACLE_OPS, problem);
  for (int32_t k = 1; kind == 5 && k < most_draws; k++) {
    oracle_precedence precedence;
    brute_result result = {.order_optimum = 0};
    if (is_plain(problem) && is_legal(problem, &precedence)) {
      brute_force(&problem->graph, &problem->options, &precedence, most_orders / 10, &result);
    }
    if (!result.gave_up && result.optimum > result.order_optimum) {
      return;
    }
    memplan_problem_free(problem);
    tight_graph(&random, 7, ORACLE_OPS, problem);
  }
}

static bool has_rivals(const memplan_op *op) {
  for (int32_t a = 0; a < op->n_inplace; a++) {
    for (int32_t b = 0; b < a; b++) {
      if (op->inplace[a].output == op->inplace[b].output || op->inplace[a].input == op->inplace[b].input) {
        return true;
      }
    }
  }
  return false;
}

static bool is_update(const memplan_op *op) {
  for (int32_t a = 0; a < op->n_in; a++) {
    for (int32_t b = 0; b < op->n_out; b++) {
      if (op->in[a] == op->out[b]) {
        return true;
      }
    }
  }
  return op->n_writes > 0;
}

static void count_features(const memplan_problem *problem, bool gap, dag_counts *counts) {
  const memplan_graph *graph = &problem->graph;
  bool update = false, after = false, async = false, pin = false, donated = false, rivals = false, empty = false;
  for (int32_t k = 0; k < graph->n_ops; k++) {
    const memplan_op *op = &graph->ops[k];
    update = update || is_update(op);
    after = after || op->n_after > 0;
    async = async || (op->async_until >= 0 && op->async_until != k);
    rivals = rivals || has_rivals(op);
  }
  for (int32_t k = 0; k < graph->n_tensors; k++) {
    const memplan_tensor *tensor = &graph->tensors[k];
    pin = pin || tensor->pin >= 0;
    donated = donated || tensor->donatable;
    empty = empty || tensor->bytes == 0;
  }
  counts->by_ops[graph->n_ops]++;
  counts->updates += update;
  counts->groups += graph->n_groups > 0;
  counts->afters += after;
  counts->asyncs += async;
  counts->pins += pin;
  counts->donated += donated;
  counts->rivals += rivals;
  counts->empty += empty;
  counts->plain_gaps += gap && is_plain(problem);
}

// Where alignments or pins leave no plan, none may be found.
static void expect_no_plan(const memplan_problem *problem, uint64_t seed) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  memplan_solution_init(&solution);
  if (memplan_solve(problem, &options, &solution, &error) == MEMPLAN_OK && solution.has_plan) {
    fail_msg("seed %" PRIu64 ": a plan of %" PRId64 " where there is none", seed, solution.plan.peak);
  }
  memplan_solution_free(&solution);
}

typedef struct dag_question {
  uint64_t seed;
  dag_counts counts;
} dag_question;

static void check(const memplan_problem *problem, void *context) {
  dag_question *question = context;
  dag_counts *counts = &question->counts;
  oracle_precedence precedence;
  brute_result result;
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  brute_force(&problem->graph, &problem->options, &precedence, most_orders, &result);
  counts->orders += result.orders;
  counts->places += result.placements;
  if (result.gave_up) {
    counts->given_up++;
    return;
  }
  if (result.optimum < 0) {
    expect_no_plan(problem, question->seed);
    counts->contradictory++;
    return;
  }
  joint_methods_look(problem, question->seed, result.optimum, &counts->methods);
  bool gap = result.optimum > result.order_optimum;
  counts->methods.graphs.compared++;
  counts->methods.graphs.gaps += gap;
  count_features(problem, gap, counts);
}

static void report(const dag_counts *counts) {
  joint_methods_report(&counts->methods);
  print_message("%" PRId64 " orders and %" PRId64 " placements by brute force; %" PRId64 " of 7, %" PRId64
                " of 8, %" PRId64 " of 9, %" PRId64 " of 10 operators; %" PRId64 " gaps without alignments and pins\n",
                counts->orders, counts->places, counts->by_ops[7], counts->by_ops[8], counts->by_ops[9],
                counts->by_ops[10], counts->plain_gaps);
  print_message("%" PRId64 " with updates, %" PRId64 " with groups, %" PRId64 " with extra precedence, %" PRId64
                " asynchronous, %" PRId64 " with pins, %" PRId64 " with donatable inputs, %" PRId64
                " with rival pairs, %" PRId64 " with empty tensors; not compared: %" PRId64 " illegal, %" PRId64
                " without a plan, %" PRId64 " too long\n",
                counts->updates, counts->groups, counts->afters, counts->asyncs, counts->pins, counts->donated,
                counts->rivals, counts->empty, counts->illegal, counts->contradictory, counts->given_up);
}

const dag_counts *joint_dags_compare(uint64_t first, uint64_t end, int64_t work) {
  static dag_question question;
  question = (dag_question){.seed = first};
  question.counts.methods.work = work;
  for (; question.seed < end; question.seed++) {
    memplan_problem problem;
    oracle_precedence precedence;
    draw(question.seed, &problem);
    if (is_legal(&problem, &precedence)) {
      build_finish(&problem);
      shrink_checked(&problem, check, &question, sizeof question, "joint optimum, seed %" PRIu64, question.seed);
    } else {
      question.counts.illegal++;
    }
    memplan_problem_free(&problem);
  }
  report(&question.counts);
  return &question.counts;
}

// ---- brute force itself

static void check_brute(const memplan_problem *problem, void *context) {
  enum { most_items = 7, limit = 40 }; // more take too long to enumerate
  int64_t *compared = context, optimum, order_optimum;
  const memplan_graph *graph = &problem->graph;
  oracle_precedence precedence;
  brute_result result;
  assert_true(oracle_graph_is_legal(graph, &precedence));
  if (!oracle_small_optimum(graph, &problem->options, &precedence, most_items, limit, &optimum, &order_optimum)) {
    return;
  }
  brute_force(graph, &problem->options, &precedence, most_orders, &result);
  assert_int_equal(result.order_optimum, order_optimum);
  assert_int_equal(brute_order_optimum(graph, &problem->options, &precedence), order_optimum);
  if (optimum >= 0 && !result.gave_up) {
    assert_int_equal(result.optimum, optimum);
    ++*compared;
  }
}

int64_t joint_dags_check_brute(uint64_t first, uint64_t end) {
  int64_t compared = 0;
  for (uint64_t seed = first; seed < end; seed++) {
    random_state random = random_start(402, seed);
    random_graph_options wishes = {.max_ops = 6, .max_bytes = 4, .pins = random_chance(&random, 30)};
    memplan_problem problem;
    oracle_precedence precedence;
    random_graph(&random, &wishes, &problem);
    problem.options.align = random_chance(&random, 20) ? 2 : 1;
    if (oracle_graph_is_legal(&problem.graph, &precedence)) {
      build_finish(&problem);
      shrink_checked(&problem, check_brute, &compared, sizeof compared, "brute force, seed %" PRIu64, seed);
    }
    memplan_problem_free(&problem);
  }
  return compared;
}
