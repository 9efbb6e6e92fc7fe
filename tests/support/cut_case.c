// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cut_case.h"

#include "solvers/bound_cut.h"
#include "solvers/cut_network.h"
#include "solvers/order_probe.h"
#include "tests/support/order_optimum.h"
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { most_ops = 9 };

typedef struct cut_counts {
  int64_t graphs, pairs, losses; // graphs; those with pairs, with operators where a pair hangs on other readers
  int64_t exact;                 // operators whose bound has to be what they need at least
  int64_t tight;                 // graphs whose cut bound is the optimum
  int64_t refuted, edges;        // graphs where probing refutes the optimum less 1; edges found at the optimum
} cut_counts;

typedef struct trial {
  memplan_ordering ordering;
  memplan_order_problem problem, turned;
  memplan_arena arena;
  random_state random;
  cut_counts *counts;
  uint64_t index;
  int32_t order[most_ops];
  uint32_t ancestors[most_ops];
  int64_t least[most_ops]; // by operator, over all ideals after which it can run
  bool exact[most_ops];    // the bound has to be that
  int64_t optimum;
} trial;

static bool is_ideal(const trial *state, uint32_t set) {
  for (int32_t op = 0; op < state->ordering.n_ops; op++) {
    if ((set >> op & 1) != 0 && (state->ancestors[op] & ~set) != 0) {
      return false;
    }
  }
  return true;
}

// Without what the first step alone bears.
static int64_t load_of(const trial *state, uint32_t set, int32_t op) {
  return order_load(&state->ordering, set, op) - (set == 0 ? state->ordering.first_step : 0);
}

// One pair at most, and nobody else may have written the output before.
static bool is_exact(const trial *state, int32_t op) {
  const memplan_ordering *ordering = &state->ordering;
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  if (count == 0) {
    return true;
  }
  int32_t output = ordering->cell_of_storage[ordering->pairs[first].output_storage];
  return count == 1 && ordering->cells[output].n_births == 1;
}

static void try_everything(trial *state) {
  int32_t n_ops = state->ordering.n_ops;
  for (int32_t op = 0; op < n_ops; op++) {
    state->order[op] = op;
    state->ancestors[op] = order_predecessors(&state->ordering, op);
    for (int32_t before = 0; before < op; before++) {
      state->ancestors[op] |= (state->ancestors[op] >> before & 1) != 0 ? state->ancestors[before] : 0;
    }
    state->least[op] = INT64_MAX;
    state->exact[op] = is_exact(state, op);
    state->counts->exact += state->exact[op] ? 1 : 0;
  }
  for (uint32_t set = 0; set < UINT32_C(1) << n_ops; set++) {
    for (int32_t op = 0; op < n_ops && is_ideal(state, set); op++) {
      if ((set >> op & 1) == 0 && (state->ancestors[op] & ~set) == 0) {
        int64_t load = load_of(state, set, op);
        state->least[op] = load < state->least[op] ? load : state->least[op];
      }
    }
  }
  state->optimum = order_optimum(&state->ordering);
}

static void expect_bound(const trial *state, int32_t op, int64_t bound) {
  if (bound > state->least[op] || (state->exact[op] && bound != state->least[op])) {
    fail_msg("graph %" PRIu64 ", operator %d: bound %" PRId64 ", it needs %" PRId64 " at least", state->index, (int)op,
             bound, state->least[op]);
  }
}

// The bound of each operator, in any order of focus.
static void check_network(trial *state) {
  memplan_cut_network *network;
  assert_int_equal(memplan_cut_network_new(&state->problem, 0, &state->arena, &network, NULL), MEMPLAN_OK);
  assert_non_null(network);
  for (int32_t k = 0; k < 2 * state->ordering.n_ops; k++) {
    int32_t op = random_below(&state->random, state->ordering.n_ops);
    memplan_cut_network_focus(network, op);
    (void)memplan_flow_run(network->flow, INT64_MAX, INT64_MAX);
    assert_true(memplan_flow_is_maximum(network->flow));
    expect_bound(state, op, memplan_cut_network_bound(network));
    for (int32_t pair = 0; pair < state->problem.n_pairs; pair++) {
      state->counts->losses += network->pair_loss[pair] > 0 ? 1 : 0;
    }
  }
}

static int64_t search_bound(trial *state, const memplan_order_problem *problem, const int32_t *order,
                            const int64_t *upper, int64_t known, memplan_cut *cut) {
  assert_int_equal(memplan_cut_bound(problem, order, upper, known, INT64_MAX, NULL, &state->arena, cut, NULL),
                   MEMPLAN_OK);
  assert_true(cut->done);
  return cut->op >= 0 ? cut->bytes : known;
}

static void check_ideal(const trial *state, const memplan_cut *cut) {
  uint32_t set = 0;
  for (int32_t op = 0; op < state->ordering.n_ops; op++) {
    set |= cut->ideal[op] ? UINT32_C(1) << op : 0;
  }
  assert_true(is_ideal(state, set));
  assert_true((set >> cut->op & 1) == 0 && (state->ancestors[cut->op] & ~set) == 0);
  int64_t load = load_of(state, set, cut->op);
  assert_true(load >= cut->bytes && (!state->exact[cut->op] || load == cut->bytes));
}

static void check_bound(trial *state) {
  int32_t n_ops = state->ordering.n_ops, backwards[most_ops];
  int64_t all[most_ops], given[most_ops];
  memplan_profile profile;
  assert_int_equal(memplan_ordering_profile(&state->ordering, state->order, &state->arena, &profile, NULL), MEMPLAN_OK);
  for (int32_t op = 0; op < n_ops; op++) {
    backwards[op] = n_ops - 1 - op;
    all[op] = INT64_MAX;
    given[op] = profile.load[op];
  }
  memplan_cut cut, again;
  int64_t bound = search_bound(state, &state->problem, state->order, all, 0, &cut);
  assert_int_equal(cut.flows, n_ops);
  if (bound > state->optimum) {
    fail_msg("graph %" PRIu64 ": cut bound %" PRId64 ", optimum %" PRId64, state->index, bound, state->optimum);
  }
  if (cut.op >= 0) {
    expect_bound(state, cut.op, bound);
    check_ideal(state, &cut);
  }
  assert_int_equal(search_bound(state, &state->problem, state->order, given, 0, &again), bound);
  assert_true(again.flows <= cut.flows);
  assert_int_equal(search_bound(state, &state->problem, state->order, given, bound, &again), bound);
  assert_int_equal(again.op, -1);
  assert_true(search_bound(state, &state->turned, backwards, all, 0, &again) <= state->optimum);
  state->counts->tight += bound == state->optimum ? 1 : 0;
}

static void probe(trial *state, const memplan_order_problem *problem, int64_t target, const memplan_order_probe *given,
                  memplan_order_probe *result) {
  int32_t order[most_ops], n_ops = state->ordering.n_ops;
  for (int32_t op = 0; op < n_ops; op++) {
    order[op] = problem->reversed ? n_ops - 1 - op : op;
  }
  assert_int_equal(memplan_order_probe_run(problem, target, order, given != NULL ? given->edges : NULL,
                                           given != NULL ? given->n_edges : 0, -1, INT64_MAX, NULL, &state->arena,
                                           result, NULL),
                   MEMPLAN_OK);
  assert_true(result->done);
}

// Orders within the target stay possible with the edges.
static void check_edges(const trial *state, const memplan_order_probe *result, bool reversed) {
  uint32_t before[most_ops] = {0};
  for (int32_t k = 0; k < result->n_edges; k++) {
    int32_t from = reversed ? result->edges[k].after : result->edges[k].before;
    int32_t to = reversed ? result->edges[k].before : result->edges[k].after;
    before[to] |= UINT32_C(1) << from;
  }
  if (result->refuted || order_optimum_with(&state->ordering, before) != state->optimum) {
    fail_msg("graph %" PRIu64 ": probing loses the optimum %" PRId64, state->index, state->optimum);
  }
}

static void check_probe(trial *state) {
  memplan_order_probe result, wide, turned;
  probe(state, &state->problem, state->optimum, NULL, &result);
  check_edges(state, &result, false);
  assert_true(result.bound <= state->optimum);
  state->counts->edges += result.n_edges;
  probe(state, &state->problem, state->optimum + random_below(&state->random, 4), NULL, &wide);
  check_edges(state, &wide, false);
  probe(state, &state->problem, state->optimum, &wide, &result);
  check_edges(state, &result, false);
  probe(state, &state->turned, state->optimum, NULL, &turned);
  check_edges(state, &turned, true);
  probe(state, &state->problem, state->optimum - 1, NULL, &result);
  state->counts->refuted += result.refuted ? 1 : 0;
}

typedef struct cut_question {
  random_state random;
  uint64_t index;
  cut_counts counts;
} cut_question;

static void check(const memplan_problem *made, void *context) {
  cut_question *question = context;
  cut_counts *counts = &question->counts;
  trial state = {.random = question->random, .index = question->index, .counts = counts};
  assert_int_equal(memplan_ordering_init(&state.ordering, &made->graph, &made->options, NULL, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_problem_init(&state.problem, &state.ordering, false, &state.arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_problem_init(&state.turned, &state.ordering, true, &state.arena, NULL), MEMPLAN_OK);
  counts->graphs++;
  counts->pairs += state.problem.n_pairs > 0 ? 1 : 0;
  try_everything(&state);
  check_network(&state);
  check_bound(&state);
  check_probe(&state);
  memplan_arena_free(&state.arena);
  memplan_ordering_free(&state.ordering);
}

bool cut_random_graph(random_state *random, uint64_t index, memplan_problem *problem) {
  if (index % 2 == 0) {
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 9};
    random_graph(random, &wishes, problem);
  } else {
    order_random_dag(random, 2 + random_below(random, 8), 12, problem);
  }
  return build_try(problem, NULL) == MEMPLAN_OK && problem->graph.n_ops > 0;
}

static cut_counts check_graphs(uint64_t seed, int32_t count) {
  cut_question question = {.index = 0};
  for (; question.index < 2 * (uint64_t)count; question.index++) {
    question.random = random_start(seed, question.index);
    memplan_problem problem;
    if (cut_random_graph(&question.random, question.index, &problem)) {
      shrink_checked(&problem, check, &question, sizeof question, "cut bounds, seed %" PRIu64 ", %" PRIu64, seed,
                     question.index);
    }
    memplan_problem_free(&problem);
  }
  return question.counts;
}

void cut_check_graphs(uint64_t seed, int32_t count) {
  cut_counts counts = check_graphs(seed, count);
  print_message("%" PRId64 " graphs, %" PRId64 " with pairs, %" PRId64 " losses, %" PRId64
                " exact operators; cut bound "
                "tight on %" PRId64 ", optimum less 1 refuted on %" PRId64 ", %" PRId64 " edges\n",
                counts.graphs, counts.pairs, counts.losses, counts.exact, counts.tight, counts.refuted, counts.edges);
  assert_true(counts.graphs > 3 * count / 2);
  assert_true(counts.pairs > count / 2 && counts.losses > count / 4 && counts.exact > 4 * count);
  assert_true(counts.tight > counts.graphs / 2 && counts.refuted > counts.tight && counts.edges > count);
}
