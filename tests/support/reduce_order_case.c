// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reduce_order_case.h"

#include "solvers/order_audit.h"
#include "solvers/order_reduce.h"
#include "tests/support/generated.h"
#include "tests/support/order_optimum.h"
#include "tests/support/problem_optimum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

typedef struct trial {
  const memplan_ordering *ordering;
  random_state *random;
  uint64_t index;
  int64_t optimum;
  reduce_order_counts *counts;
} trial;

static uint32_t set_of(const memplan_order_state *state, int32_t n_done) {
  uint32_t set = 0;
  for (int32_t step = 0; step < n_done; step++) {
    set |= UINT32_C(1) << state->sequence[step];
  }
  return set;
}

// ---- commits

// If any order goes on from before the commit within the threshold, one goes on from after it.
static void check_commit(const trial *run, memplan_order_commit *commit, int32_t from, int32_t end,
                         const int64_t *ways) {
  const memplan_order_state *state = commit->state;
  uint32_t before = set_of(state, from), after = set_of(state, end);
  int64_t threshold = commit->threshold;
  bool kept = ways[before] > threshold || ways[after] <= threshold;
  bool within = true;
  for (int32_t step = from; step < end; step++) {
    uint32_t set = set_of(state, step);
    within = within && problem_may_run(state->problem, set, state->sequence[step]) &&
             problem_load(state->problem, set, state->sequence[step]) <= threshold;
  }
  if (!kept || !within || !memplan_order_audit_commit(commit, from, end)) {
    fail_msg("graph %" PRIu64 ", threshold %" PRId64 ": commit of %d operators after %x: %d %d", run->index, threshold,
             (int)(end - from), (unsigned)before, kept, within);
  }
  run->counts->commits++;
  run->counts->several += end - from > 1;
}

// The last operator run, as a commit that it cannot be.
static void check_refusal(const trial *run, memplan_order_commit *commit) {
  memplan_order_state *state = commit->state;
  int32_t end = state->n_done;
  uint32_t before = set_of(state, end - 1), after = set_of(state, end);
  int64_t load = problem_load(state->problem, before, state->sequence[end - 1]);
  if (load > commit->threshold || problem_live(state->problem, after) > problem_live(state->problem, before)) {
    assert_false(memplan_order_audit_commit(commit, end - 1, end));
    run->counts->refused++;
  }
}

// Random ways through the sets of operators, with commits at random thresholds.
static void walk(const trial *run, const memplan_order_tables *tables, const memplan_order_rules *rules,
                 const int64_t *ways) {
  memplan_arena arena = {0};
  const memplan_order_problem *problem = tables->problem;
  memplan_order_state state;
  memplan_order_commit commit;
  assert_int_equal(memplan_order_state_init(&state, tables, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_commit_init(&commit, &state, rules, &arena, NULL), MEMPLAN_OK);
  commit.ends = MEMPLAN_NEW(&arena, int32_t, (int64_t)problem->n_ops + 1);
  memplan_order_move *moves = MEMPLAN_NEW(&arena, memplan_order_move, (int64_t)problem->n_ops + 1);
  assert_true(commit.ends != NULL && moves != NULL);
  while (state.n_done < problem->n_ops) {
    commit.threshold = run->optimum + random_below(run->random, 12) - 4;
    int32_t from = state.n_done;
    memplan_order_commit_run(&commit, true, -1, 0);
    for (int32_t k = 0; k < commit.n_ends; k++) {
      check_commit(run, &commit, from, commit.ends[k], ways);
      from = commit.ends[k];
    }
    assert_true(from == state.n_done);
    if (from == problem->n_ops) {
      break;
    }
    int32_t count = memplan_order_commit_moves(&commit, moves);
    assert_true(count > 0);
    memplan_order_commit_move(&commit, moves[random_below(run->random, count)].op);
    check_refusal(run, &commit);
  }
  memplan_arena_free(&arena);
}

// ---- keys

// Sets that are added, and met again, are themselves; one that has the key of another is not.
static void check_keys(const trial *run, const memplan_order_tables *tables) {
  memplan_arena arena = {0};
  memplan_order_state state;
  memplan_order_tree tree;
  assert_int_equal(memplan_order_state_init(&state, tables, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_tree_init(&tree, &state, &arena, NULL), MEMPLAN_OK);
  uint64_t last[2] = {0, 0};
  while (state.n_ready > 0) {
    int32_t op = state.ready[random_below(run->random, state.n_ready)];
    if (state.ops[op].missing > 0) {
      break;
    }
    memplan_order_state_run(&state, op);
    assert_true(memplan_order_tree_add(&tree) > 0);
    assert_true(memplan_order_audit_added(&tree) && memplan_order_audit_known(&tree));
    run->counts->nodes++;
    if (state.n_done > 1) {
      uint64_t own[2] = {state.key[0], state.key[1]};
      state.key[0] = last[0];
      state.key[1] = last[1];
      assert_false(memplan_order_audit_known(&tree));
      state.key[0] = own[0];
      state.key[1] = own[1];
      run->counts->known++;
    }
    last[0] = state.key[0];
    last[1] = state.key[1];
  }
  memplan_order_tree_free(&tree);
  memplan_arena_free(&arena);
}

// ---- large graphs

// A move, which the audit of all has to tell from a commit each time.
static void move_large(const trial *run, memplan_order_commit *commit, int32_t op) {
  memplan_order_state *state = commit->state;
  int64_t load = memplan_order_state_load(state, op), before = state->live;
  memplan_order_state_run(state, op);
  if (load > commit->threshold || state->live > before) {
    assert_false(memplan_order_audit_commit(commit, state->n_done - 1, state->n_done));
    run->counts->refused++;
  }
}

static void walk_large(const trial *run, const memplan_order_tables *tables, const memplan_order_rules *rules) {
  memplan_arena arena = {0};
  const memplan_order_problem *problem = tables->problem;
  memplan_order_state state;
  memplan_order_commit commit;
  assert_int_equal(memplan_order_state_init(&state, tables, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_commit_init(&commit, &state, rules, &arena, NULL), MEMPLAN_OK);
  commit.ends = MEMPLAN_NEW(&arena, int32_t, (int64_t)problem->n_ops + 1);
  memplan_order_move *moves = MEMPLAN_NEW(&arena, memplan_order_move, (int64_t)problem->n_ops + 1);
  assert_true(commit.ends != NULL && moves != NULL);
  while (state.n_done < problem->n_ops) {
    commit.threshold = run->optimum * (50 + random_below(run->random, 60)) / 100;
    int32_t from = state.n_done;
    memplan_order_commit_run(&commit, true, -1, 0);
    for (int32_t k = 0; k < commit.n_ends; k++) {
      if (!memplan_order_audit_commit(&commit, from, commit.ends[k])) {
        fail_msg("graph %" PRIu64 ", threshold %" PRId64 ": commit of %d operators after %d", run->index,
                 commit.threshold, (int)(commit.ends[k] - from), (int)from);
      }
      run->counts->commits++;
      run->counts->several += commit.ends[k] - from > 1;
      from = commit.ends[k];
    }
    if (from < problem->n_ops) {
      int32_t count = memplan_order_commit_moves(&commit, moves);
      assert_true(count > 0);
      move_large(run, &commit, moves[random_below(run->random, count)].op);
    }
  }
  assert_false(state.out_of_memory);
  memplan_arena_free(&arena);
}

// ---- reductions

static int64_t peak_of(const trial *run, const int32_t *order) {
  memplan_arena arena = {0};
  memplan_profile profile;
  memplan_error error = {.message = ""};
  if (memplan_ordering_check(run->ordering, order, &error) != MEMPLAN_OK) {
    fail_msg("graph %" PRIu64 ": %s", run->index, error.message);
  }
  assert_int_equal(memplan_ordering_profile(run->ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
  int64_t peak = profile.peak;
  memplan_arena_free(&arena);
  return peak;
}

// A random order, and its peak; -1 if groups left no way on.
static int64_t draw_order(const trial *run, const memplan_order_problem *problem, const int64_t *ways, int32_t *order) {
  int64_t peak = 0;
  uint32_t set = 0;
  for (int32_t t = 0; t < problem->n_ops; t++) {
    int32_t may[PROBLEM_OPTIMUM_OPS], count = 0;
    for (int32_t op = 0; op < problem->n_ops; op++) {
      uint32_t with = set | UINT32_C(1) << op;
      if (with != set && problem_may_run(problem, set, op) && ways[with] < INT64_MAX) {
        may[count++] = op;
      }
    }
    assert_true(count > 0);
    order[t] = may[random_below(run->random, count)];
    int64_t load = problem_load(problem, set, order[t]);
    peak = load > peak ? load : peak;
    set |= UINT32_C(1) << order[t];
  }
  return peak;
}

// Orders of the reduced problem have the peak that it says; those of the given one get no worse on the way there.
static void check_orders(const trial *run, const memplan_order_problem *given, const memplan_order_reduction *reduced,
                         const int64_t *given_ways, const int64_t *reduced_ways, bool reversed) {
  int32_t order[PROBLEM_OPTIMUM_OPS], own[PROBLEM_OPTIMUM_OPS], room[2 * PROBLEM_OPTIMUM_OPS + 2];
  for (int32_t k = 0; k < 3; k++) {
    int64_t peak = draw_order(run, &reduced->problems[reversed], reduced_ways, own);
    memplan_order_reduction_expand(reduced, own, reversed, order);
    if (given->n_ops > 0 && peak_of(run, order) != peak) {
      fail_msg("graph %" PRIu64 ": %" PRId64 " reduced, %" PRId64 " given", run->index, peak, peak_of(run, order));
    }
    if (!reversed) {
      int64_t before = draw_order(run, given, given_ways, order);
      memplan_order_reduction_project(reduced, order, room, own);
      memplan_order_reduction_expand(reduced, own, false, order);
      if (peak_of(run, order) > before) {
        fail_msg("graph %" PRIu64 ": projected from %" PRId64 " to %" PRId64, run->index, before, peak_of(run, order));
      }
    }
  }
}

static void check_reduction(const trial *run, const memplan_order_problem given[2], int32_t rules) {
  memplan_arena arena = {0};
  memplan_order_reduction reduced;
  assert_int_equal(memplan_order_reduce(given, rules, &arena, &reduced, NULL), MEMPLAN_OK);
  int64_t *given_ways = problem_ways_from(&given[0]);
  for (int32_t reversed = 0; reversed < 2; reversed++) {
    int64_t *ways = problem_ways_from(&reduced.problems[reversed]);
    if (ways[0] != run->optimum) {
      fail_msg("graph %" PRIu64 ", rules %d, %s: %" PRId64 " reduced, optimum %" PRId64, run->index, (int)rules,
               reversed ? "reversed" : "forwards", ways[0], run->optimum);
    }
    check_orders(run, &given[0], &reduced, given_ways, ways, reversed == 1);
    free(ways);
  }
  run->counts->joined += rules == MEMPLAN_ORDER_CHAINS ? reduced.n_joined : 0;
  free(given_ways);
  memplan_arena_free(&arena);
}

// Some optimal order passes each end of a part: the way there and the way on together are no worse than the optimum.
static void check_splits(const trial *run, const memplan_order_problem *problem) {
  memplan_arena arena = {0};
  memplan_order_splits splits;
  assert_int_equal(memplan_order_splits_find(problem, INT64_MAX, &arena, &splits, NULL), MEMPLAN_OK);
  int64_t *to = problem_ways_to(problem), *from = problem_ways_from(problem);
  for (int32_t part = 1; part < splits.n_parts; part++) {
    uint32_t set = 0;
    for (int32_t op = 0; op < problem->n_ops; op++) {
      set |= splits.part[op] < part ? UINT32_C(1) << op : 0;
    }
    if (to[set] > run->optimum || from[set] > run->optimum) {
      fail_msg("graph %" PRIu64 ": %" PRId64 " to %x, %" PRId64 " from there, optimum %" PRId64, run->index, to[set],
               (unsigned)set, from[set], run->optimum);
    }
  }
  run->counts->valleys += splits.n_valleys;
  run->counts->passes += splits.n_parts - 1 - splits.n_valleys;
  free(to);
  free(from);
  memplan_arena_free(&arena);
}

static void check_ordering(const trial *run) {
  memplan_arena arena = {0};
  memplan_order_problem problems[2];
  memplan_order_rules rules = memplan_order_rules_default();
  rules.lazy = random_chance(run->random, 50);
  for (int32_t reversed = 0; reversed < 2; reversed++) {
    memplan_order_tables tables;
    memplan_order_problem *problem = &problems[reversed];
    assert_int_equal(memplan_order_problem_init(problem, run->ordering, reversed == 1, &arena, NULL), MEMPLAN_OK);
    assert_int_equal(memplan_order_tables_init(&tables, problem, &rules, &arena, NULL), MEMPLAN_OK);
    int64_t *ways = problem_ways_from(problem);
    assert_true(ways[0] == run->optimum);
    for (int32_t k = 0; k < 4; k++) {
      walk(run, &tables, &rules, ways);
    }
    free(ways);
    check_keys(run, &tables);
  }
  for (int32_t which = MEMPLAN_ORDER_CHAINS; which <= (MEMPLAN_ORDER_CHAINS | MEMPLAN_ORDER_VALLEYS); which++) {
    check_reduction(run, problems, which);
  }
  check_splits(run, &problems[0]);
  run->counts->graphs++;
  run->counts->groups += run->ordering->graph->n_groups > 0;
  run->counts->pairs += run->ordering->n_pairs > 0;
  memplan_arena_free(&arena);
}

void reduce_order_audit_all(uint64_t seed, int32_t count, reduce_order_counts *counts) {
  *counts = (reduce_order_counts){.graphs = 0};
  memplan_order_rules rules = memplan_order_rules_default();
  rules.lazy = false;
  rules.audit_all = true;
  for (int32_t index = 0; index < count; index++) {
    random_state random = random_start(seed, (uint64_t)index);
    memplan_arena arena = {0};
    memplan_problem problem;
    memplan_ordering ordering;
    memplan_profile profile;
    generated("layered", seed + (uint64_t)index, 65 + random_below(&random, 56), 0, &problem);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
    int32_t *order = MEMPLAN_NEW(&arena, int32_t, ordering.n_ops);
    assert_non_null(order);
    for (int32_t op = 0; op < ordering.n_ops; op++) {
      order[op] = op;
    }
    assert_int_equal(memplan_ordering_profile(&ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
    trial run = {.ordering = &ordering,
                 .random = &random,
                 .index = (uint64_t)index,
                 .optimum = profile.peak, // of the given order
                 .counts = counts};
    for (int32_t reversed = 0; reversed < 2; reversed++) {
      memplan_order_problem flat;
      memplan_order_tables tables;
      assert_int_equal(memplan_order_problem_init(&flat, &ordering, reversed == 1, &arena, NULL), MEMPLAN_OK);
      assert_int_equal(memplan_order_tables_init(&tables, &flat, &rules, &arena, NULL), MEMPLAN_OK);
      walk_large(&run, &tables, &rules);
    }
    counts->graphs++;
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
    memplan_arena_free(&arena);
  }
  print_message("%" PRId64 " graphs, %" PRId64 " commits, %" PRId64 " of several operators, %" PRId64 " refused\n",
                counts->graphs, counts->commits, counts->several, counts->refused);
}

void reduce_order_check(uint64_t seed, int32_t count, reduce_order_counts *counts) {
  *counts = (reduce_order_counts){.graphs = 0};
  for (int32_t index = 0; index < 2 * count; index++) {
    random_state random = random_start(seed, (uint64_t)index);
    memplan_problem problem;
    memplan_ordering ordering;
    if (index % 2 == 0) {
      random_graph_options wishes = {.max_ops = 9, .max_bytes = index % 3 == 0 ? 3 : 12};
      random_graph(&random, &wishes, &problem);
    } else {
      order_random_dag(&random, 3 + random_below(&random, 9), index % 3 == 0 ? 3 : 20, &problem);
    }
    if (build_try(&problem, NULL) == MEMPLAN_OK && problem.graph.n_ops > 0) {
      assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
      trial run = {.ordering = &ordering,
                   .random = &random,
                   .index = (uint64_t)index,
                   .optimum = order_optimum(&ordering),
                   .counts = counts};
      check_ordering(&run);
      memplan_ordering_free(&ordering);
    }
    memplan_problem_free(&problem);
  }
  print_message("%" PRId64 " graphs, %" PRId64 " with groups, %" PRId64 " with pairs; %" PRId64 " commits, %" PRId64
                " of several operators, %" PRId64 " refused; %" PRId64 " operators joined, %" PRId64 " splits, %" PRId64
                " sets that every order passes; %" PRId64 " sets of trees, %" PRId64 " with another's key\n",
                counts->graphs, counts->groups, counts->pairs, counts->commits, counts->several, counts->refused,
                counts->joined, counts->valleys, counts->passes, counts->nodes, counts->known);
}
