// SPDX-License-Identifier: Apache-2.0
// May two share bytes? Against brute force over all offsets of the two, and over all orders of tiny graphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/explain_pair.h"
#include "tests/support/oracle.h"
#include "tests/support/random_problem.h"

static memplan_status start(memplan_subject *subject, const memplan_problem *problem, memplan_error *error) {
  static memplan_solve_options solve;
  solve = memplan_solve_options_default();
  solve.limits = memplan_limits_start(&solve.limits);
  solve.limits.threads = 1;
  const memplan_subject_options options = {.solve = &solve, .plain = true};
  return memplan_subject_init(subject, problem, &options, error);
}

static void ask(const memplan_problem *problem, const char *first, const char *second, int64_t capacity,
                memplan_pair_answer *answer) {
  memplan_subject subject;
  memplan_error error = {.message = ""};
  if (start(&subject, problem, &error) != MEMPLAN_OK ||
      memplan_pair_explain(&subject, first, second, capacity, answer, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  memplan_subject_free(&subject);
}

// Exactly these kinds forbid it; none: the two may share.
static void expect_ties(const memplan_pair_answer *answer, const char *names) {
  char found[256] = "";
  for (int32_t tie = 0; tie < MEMPLAN_TIE_COUNT; tie++) {
    if (answer->forbids[tie]) {
      size_t length = strlen(found);
      (void)snprintf(found + length, sizeof found - length, "%s%s", length > 0 ? " " : "",
                     memplan_tie_name((memplan_tie)tie));
    }
  }
  assert_string_equal(found, names);
  assert_int_equal(answer->may_share, names[0] == '\0');
}

// ---- each kind

static void kinds_of_instances(void **state) {
  (void)state;
  static const int32_t near[] = {0}, far[] = {1};
  static const memplan_interval reserved[] = {{6, 12}};
  memplan_pool pools[2] = {{.id = "near", .capacity = 40, .reserved = reserved, .n_reserved = 1},
                           {.id = "far", .capacity = -1}};
  memplan_problem problem;
  memplan_pair_answer answer;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  instance->pools = pools;
  instance->n_pools = 2;
  (void)build_buffer(instance, "a", 0, 4, 8);
  (void)build_buffer(instance, "b", 3, 6, 8);
  (void)build_buffer(instance, "c", 8, 9, 8);
  (void)build_buffer(instance, "none", 8, 9, 0);
  memplan_buffer *even = build_buffer(instance, "even", 10, 11, 3), *odd = build_buffer(instance, "odd", 12, 13, 3);
  even->align = odd->align = 8;
  odd->residue = 4;
  build_buffer(instance, "low", 14, 15, 4)->pin = 0;
  build_buffer(instance, "high", 16, 17, 4)->pin = 20;
  memplan_buffer *in_near = build_buffer(instance, "near", 18, 19, 4),
                 *in_far = build_buffer(instance, "far", 20, 21, 4);
  in_near->pools = near;
  in_near->n_pools = 1;
  in_far->pools = far;
  in_far->n_pools = 1;
  memplan_buffer *before = build_buffer(instance, "before", 22, 23, 6),
                 *at_end = build_buffer(instance, "end", 24, 25, 4);
  before->pools = at_end->pools = near;
  before->n_pools = at_end->n_pools = 1;
  before->pin = 0;
  at_end->align = 7; // at 0 it would meet "before", at 7 it meets what is reserved
  at_end->residue = 5;
  (void)build_buffer(instance, "friend", 3, 5, 8);
  build_separate(instance, "a", "c");
  build_colocate(instance, "c", "friend", 0);
  build_conflict(instance, "low", "even");
  build_finish(&problem);
  ask(&problem, "a", "b", -1, &answer);
  expect_ties(&answer, "lifetime");
  assert_true(answer.meet);
  assert_int_equal(answer.meet_start, 3);
  assert_int_equal(answer.meet_end, 4);
  ask(&problem, "b", "low", -1, &answer);
  expect_ties(&answer, "");
  assert_false(answer.meet);
  ask(&problem, "c", "a", -1, &answer);
  expect_ties(&answer, "rule colocation");
  assert_string_equal(answer.rule, "separate");
  ask(&problem, "low", "even", -1, &answer);
  expect_ties(&answer, "rule");
  assert_string_equal(answer.rule, "conflicts");
  ask(&problem, "b", "c", -1, &answer);
  expect_ties(&answer, "colocation"); // with its friend, which is live with b
  ask(&problem, "c", "friend", -1, &answer);
  expect_ties(&answer, "");
  assert_true(answer.tied);
  assert_int_equal(answer.distance, 0);
  ask(&problem, "none", "a", -1, &answer);
  expect_ties(&answer, "empty");
  ask(&problem, "even", "odd", -1, &answer);
  expect_ties(&answer, "alignment");
  assert_int_equal(answer.align, 8);
  assert_int_equal(answer.residue, 4);
  ask(&problem, "low", "high", -1, &answer);
  expect_ties(&answer, "pin");
  ask(&problem, "near", "far", -1, &answer);
  expect_ties(&answer, "pool");
  ask(&problem, "before", "end", -1, &answer);
  expect_ties(&answer, "alignment pin pool reserved");
  assert_true(answer.together);
  ask(&problem, "high", "b", 20, &answer);
  expect_ties(&answer, "pin capacity");
  assert_true(answer.together);
  ask(&problem, "a", "b", 7, &answer);
  expect_ties(&answer, "lifetime capacity");
  memplan_problem_free(&problem);
}

static void windows_leave_room(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_pair_answer answer;
  build_instance(&problem);
  memplan_buffer *wide = build_buffer(&problem.instance, "wide", 0, 9, 10);
  build_gap(&problem.instance, wide, 2, 5, 0, 4); // bytes 4 to 9 are free then
  (void)build_buffer(&problem.instance, "guest", 3, 5, 6);
  (void)build_buffer(&problem.instance, "long", 3, 6, 6);
  build_finish(&problem);
  ask(&problem, "wide", "guest", -1, &answer);
  expect_ties(&answer, "");
  assert_true(answer.meet);
  ask(&problem, "wide", "long", -1, &answer);
  expect_ties(&answer, "lifetime");
  memplan_problem_free(&problem);
}

static void unknown_names(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_subject subject;
  memplan_pair_answer answer;
  memplan_error error = {.message = ""};
  build_instance(&problem);
  (void)build_buffer(&problem.instance, "first", 0, 9, 10);
  (void)build_buffer(&problem.instance, "second", 0, 9, 10);
  build_finish(&problem);
  assert_int_equal(start(&subject, &problem, &error), MEMPLAN_OK);
  assert_int_equal(memplan_pair_explain(&subject, "first", "secnd", -1, &answer, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "did you mean 'second'"));
  assert_int_equal(memplan_pair_explain(&subject, "first", "first", -1, &answer, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "given twice"));
  assert_int_equal(memplan_pair_explain(&subject, "", "first", -1, &answer, &error), MEMPLAN_INPUT);
  memplan_subject_free(&subject);
  memplan_problem_free(&problem);
}

static void kinds_of_graphs(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_pair_answer answer;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  (void)build_tensor(graph, "x", 8, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "w", 8, MEMPLAN_ROLE_WEIGHT);
  (void)build_tensor(graph, "a", 8, 0);
  (void)build_tensor(graph, "b", 8, 0);
  (void)build_tensor(graph, "c", 8, 0);
  (void)build_tensor(graph, "d", 8, 0);
  (void)build_tensor(graph, "y", 8, MEMPLAN_ROLE_OUTPUT);
  (void)build_view(graph, "a1", 4, "a", 0);
  (void)build_view(graph, "a2", 4, "a", 4);
  (void)build_op(graph, "first", "x w", "a");
  (void)build_op(graph, "left", "a1 a2", "b");
  build_inplace(graph, build_op(graph, "relu", "b", "c"), "c", "b");
  build_op(graph, "right", "a", "d")->workspace = 16;
  (void)build_op(graph, "join", "c d", "y");
  build_finish(&problem);
  ask(&problem, "a1", "a2", -1, &answer);
  expect_ties(&answer, "alias");
  assert_true(answer.same_buffer);
  ask(&problem, "a", "a2", -1, &answer);
  expect_ties(&answer, "");
  assert_true(answer.same_buffer);
  ask(&problem, "w", "a", -1, &answer);
  expect_ties(&answer, "outside");
  ask(&problem, "b", "c", -1, &answer);
  expect_ties(&answer, "");
  assert_string_equal(graph->ops[answer.inplace_op].id, "relu");
  assert_false(answer.inplace_chosen);
  problem.options.inplace = MEMPLAN_INPLACE_NONE;
  ask(&problem, "b", "c", -1, &answer);
  expect_ties(&answer, "lifetime");
  assert_int_equal(answer.precede[0].result, MEMPLAN_PRECEDE_OPS); // relu does both
  assert_int_equal(answer.precede[0].birth, answer.precede[0].death);
  // In the given order c waits while "right" runs; that could be the other way round.
  ask(&problem, "right#workspace", "c", -1, &answer);
  expect_ties(&answer, "lifetime");
  assert_int_equal(answer.meet_start, 3);
  assert_int_equal(answer.precede[0].result, MEMPLAN_PRECEDE_POSSIBLE);
  assert_int_equal(answer.precede[1].result, MEMPLAN_PRECEDE_OPS);
  assert_string_equal(graph->ops[answer.precede[1].birth].id, "right");
  assert_string_equal(graph->ops[answer.precede[1].death].id, "join");
  ask(&problem, "x", "y", -1, &answer);
  expect_ties(&answer, "");
  assert_int_equal(answer.precede[1].result, MEMPLAN_PRECEDE_KEPT);
  memplan_problem_free(&problem);
}

// ---- progressions

static void progressions(void **state) {
  (void)state;
  random_state random = random_start(99, 0);
  int32_t hits = 0;
  for (int32_t k = 0; k < 100000; k++) {
    memplan_progression p[2];
    for (int32_t side = 0; side < 2; side++) {
      p[side].align = 1 + random_below(&random, 12);
      p[side].residue = random_below(&random, (int32_t)p[side].align);
      p[side].first = random_below(&random, 40) - 20;
      p[side].last = p[side].first + random_below(&random, 40) - 3;
    }
    int64_t low = random_below(&random, 60) - 30, high = low + random_below(&random, 8) - 1;
    bool found = false;
    for (int64_t x = p[0].first; x <= p[0].last; x++) {
      for (int64_t y = p[1].first; y <= p[1].last; y++) {
        found |= (x - p[0].residue) % p[0].align == 0 && (y - p[1].residue) % p[1].align == 0 && low <= y - x &&
                 y - x <= high;
      }
    }
    assert_int_equal(memplan_progressions_meet(&p[0], &p[1], low, high), found);
    hits += found;
  }
  assert_true(hits > 20000 && hits < 80000);
  // 2^61 and 2^61 - 1 have no common multiple but 0 below 2^62; their multiples come within 1 of each other at once.
  const int64_t big = INT64_C(1) << 61;
  const memplan_progression x = {1, 2 * big, big, 0}, y = {1, 2 * big, big - 1, 0};
  assert_false(memplan_progressions_meet(&x, &y, 0, 0));
  assert_true(memplan_progressions_meet(&x, &y, -1, 0));
  assert_false(memplan_progressions_meet(&x, &y, 1, 5));
}

// ---- random instances

enum { REACH = 26 }; // offsets tried

// A problem of the buffers in the blocks of two buffers, with the same rules among them.
static void extract(const memplan_instance *from, int32_t a, int32_t b, memplan_instance *to, int32_t *copy_of) {
  for (int32_t k = 0; k < from->n_buffers; k++) {
    copy_of[k] = -1;
    if (from->block_of[k] == from->block_of[a] || from->block_of[k] == from->block_of[b]) {
      copy_of[k] = to->n_buffers;
      to->buffers[to->n_buffers++] = from->buffers[k];
    }
  }
  const memplan_rule *lists[] = {from->separate, from->conflicts, from->colocate};
  memplan_rule *copies[] = {to->separate, to->conflicts, to->colocate};
  int32_t counts[] = {from->n_separate, from->n_conflicts, from->n_colocate};
  int32_t *kept[] = {&to->n_separate, &to->n_conflicts, &to->n_colocate};
  for (int32_t list = 0; list < 3; list++) {
    for (int32_t k = 0; k < counts[list]; k++) {
      int32_t first = copy_of[lists[list][k].first], second = copy_of[lists[list][k].second];
      if (first >= 0 && second >= 0) {
        copies[list][(*kept[list])++] = (memplan_rule){first, second, lists[list][k].delta};
      }
    }
  }
  to->pools = from->pools;
  to->n_pools = from->n_pools;
}

static bool shared_by_force(const memplan_problem *problem, int32_t a, int32_t b) {
  const memplan_instance *from = &problem->instance;
  int32_t copy_of[BUILD_BUFFERS];
  memplan_problem part;
  build_instance(&part);
  extract(from, a, b, &part.instance, copy_of);
  bool tied = from->block_of[a] == from->block_of[b], found = false;
  oracle_place places[ORACLE_ITEMS];
  for (int32_t pool = 0; pool < from->n_pools && !found; pool++) {
    for (int64_t x = 0; x < REACH && !found; x++) {
      for (int64_t y = 0; y < REACH && !found; y++) {
        if ((tied && y != x)) {
          continue;
        }
        for (int32_t k = 0; k < from->n_buffers; k++) {
          if (copy_of[k] >= 0) {
            places[copy_of[k]] =
                (oracle_place){(from->block_of[k] == from->block_of[a] ? x : y) + from->delta_of[k], pool};
          }
        }
        int64_t at = places[copy_of[a]].offset, bt = places[copy_of[b]].offset;
        found = at < bt + from->buffers[b].bytes && bt < at + from->buffers[a].bytes &&
                oracle_instance_placement_is_valid(&part.instance, &problem->options, places);
      }
    }
  }
  memplan_problem_free(&part);
  return found;
}

static void pairs_of_instances(void **state) {
  (void)state;
  int32_t n_shared = 0, n_apart = 0, n_together = 0, seen[MEMPLAN_TIE_COUNT] = {0};
  for (uint64_t index = 0; index < 2500; index++) {
    const random_instance_options wishes = {
        .max_buffers = 5, .max_bytes = 5, .pools = true, .pins = true, .rules = true};
    random_state random = random_start(815, index);
    memplan_problem problem;
    memplan_subject subject;
    memplan_error error;
    random_instance(&random, &wishes, &problem);
    problem.options.capacity = 8 + random_below(&random, 10);
    if (build_try(&problem, &error) != MEMPLAN_OK) {
      memplan_problem_free(&problem);
      continue;
    }
    assert_int_equal(start(&subject, &problem, &error), MEMPLAN_OK);
    const memplan_instance *instance = &problem.instance;
    for (int32_t a = 0; a < instance->n_buffers; a++) {
      for (int32_t b = 0; b < instance->n_buffers; b++) {
        memplan_pair_answer answer;
        if (a == b) {
          continue;
        }
        assert_int_equal(memplan_pair_explain(&subject, instance->buffers[a].id, instance->buffers[b].id,
                                              problem.options.capacity, &answer, &error),
                         MEMPLAN_OK);
        bool empty = instance->buffers[a].bytes == 0 || instance->buffers[b].bytes == 0, any = false;
        bool force = !empty && shared_by_force(&problem, a, b);
        if (answer.may_share != force) {
          fail_msg("seed 815, index %d: '%s' and '%s'", (int)index, answer.side[0].id, answer.side[1].id);
        }
        for (int32_t tie = 0; tie < MEMPLAN_TIE_COUNT; tie++) {
          any |= answer.forbids[tie];
          seen[tie] += answer.forbids[tie];
        }
        assert_int_equal(any, !answer.may_share);
        n_shared += answer.may_share;
        n_apart += !answer.may_share;
        n_together += answer.together;
      }
    }
    memplan_subject_free(&subject);
    memplan_problem_free(&problem);
  }
  assert_true(n_shared > 1000 && n_apart > 1000 && n_together > 20);
  for (int32_t tie = MEMPLAN_TIE_LIFETIME; tie < MEMPLAN_TIE_COUNT; tie++) {
    assert_true(seen[tie] > 5);
  }
  assert_true(seen[MEMPLAN_TIE_EMPTY] > 5);
}

// ---- random graphs

typedef struct orders {
  const memplan_problem *problem;
  const int64_t *workspace;
  const char *first, *second;
  bool possible;
} orders;

static const oracle_item *find_item(const oracle_items *items, const char *id) {
  for (int32_t k = 0; k < items->count; k++) {
    if (strcmp(items->items[k].id, id) == 0) {
      return &items->items[k];
    }
  }
  return NULL;
}

static bool visit(void *context, const int32_t *order) {
  orders *search = context;
  oracle_items items;
  oracle_find_items(&search->problem->graph, &search->problem->options, search->workspace, order, &items);
  const oracle_item *first = find_item(&items, search->first), *second = find_item(&items, search->second);
  assert_non_null(first);
  assert_non_null(second);
  search->possible = first->end <= second->start;
  return !search->possible;
}

// Is the pair one that may be chosen in the given order, on its own, with bytes to share?
static bool inplace_by_force(const memplan_problem *problem, const oracle_items *items, const oracle_item *a,
                             const oracle_item *b) {
  const memplan_graph *graph = &problem->graph;
  int32_t order[ORACLE_OPS];
  for (int32_t op = 0; op < graph->n_ops; op++) {
    order[op] = op;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t k = 0; k < graph->ops[op].n_inplace; k++) {
      const memplan_inplace *pair = &graph->ops[op].inplace[k];
      int32_t input = oracle_root(graph, pair->input);
      const oracle_choice choice = {.pairs = {{op, pair->output, pair->input}}, .count = 1};
      bool theirs =
          (pair->output == a->tensor && input == b->tensor) || (pair->output == b->tensor && input == a->tensor);
      if (theirs && oracle_offset(graph, pair->input) < graph->tensors[input].bytes &&
          oracle_choice_is_legal(graph, &problem->options, items, order, &choice)) {
        return true;
      }
    }
  }
  return false;
}

// Alignments and pins may forbid a legal pair.
static bool is_choosy(const memplan_problem *problem, const oracle_item *a, const oracle_item *b) {
  const memplan_graph *graph = &problem->graph;
  const memplan_storage *first = &graph->storages[graph->tensors[a->tensor].storage];
  const memplan_storage *second = &graph->storages[graph->tensors[b->tensor].storage];
  return first->align > 1 || second->align > 1 || first->pin >= 0 || second->pin >= 0;
}

static void check_items(const memplan_problem *problem, const memplan_subject *subject,
                        const oracle_precedence *precedence, int32_t seen[4]) {
  int64_t workspace[ORACLE_OPS];
  int32_t order[ORACLE_OPS];
  oracle_items items;
  for (int32_t op = 0; op < problem->graph.n_ops; op++) {
    workspace[op] = problem->graph.ops[op].workspace;
    order[op] = op;
  }
  oracle_find_items(&problem->graph, &problem->options, workspace, order, &items);
  for (int32_t a = 0; a < items.count; a++) {
    for (int32_t b = a + 1; b < items.count; b++) {
      memplan_pair_answer answer;
      memplan_error error;
      assert_int_equal(memplan_pair_explain(subject, items.items[a].id, items.items[b].id, -1, &answer, &error),
                       MEMPLAN_OK);
      if (items.items[a].bytes == 0 || items.items[b].bytes == 0) {
        assert_true(answer.forbids[MEMPLAN_TIE_EMPTY]);
        continue;
      }
      bool both = items.items[a].tensor >= 0 && items.items[b].tensor >= 0;
      bool inplace = both && inplace_by_force(problem, &items, &items.items[a], &items.items[b]);
      assert_true(answer.inplace_op < 0 || inplace);
      assert_true(answer.inplace_op >= 0 || !inplace || is_choosy(problem, &items.items[a], &items.items[b]));
      bool meet = items.items[a].start < items.items[b].end && items.items[b].start < items.items[a].end;
      assert_int_equal(answer.meet, meet);
      assert_true(!answer.may_share || answer.inplace_op >= 0 || !meet);
      for (int32_t side = 0; side < 2; side++) {
        orders search = {.problem = problem,
                         .workspace = workspace,
                         .first = answer.side[side].id,
                         .second = answer.side[1 - side].id};
        (void)oracle_for_each_order(&problem->graph, precedence, visit, &search);
        assert_int_equal(answer.precede[side].result == MEMPLAN_PRECEDE_POSSIBLE, search.possible);
        seen[search.possible]++;
        seen[2] += answer.precede[side].result == MEMPLAN_PRECEDE_GROUPS;
        seen[3] += inplace;
      }
    }
  }
}

static void pairs_of_graphs(void **state) {
  (void)state;
  int32_t seen[4] = {0};
  for (uint64_t index = 0; index < 1200; index++) {
    const random_graph_options wishes = {.max_ops = 5, .max_bytes = 6, .pins = index % 2 == 0};
    random_state random = random_start(2024, index);
    memplan_problem problem;
    memplan_subject subject;
    memplan_error error = {.message = ""};
    oracle_precedence precedence;
    random_graph(&random, &wishes, &problem);
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      assert_true(oracle_graph_is_legal(&problem.graph, &precedence));
      memplan_status status = start(&subject, &problem, &error);
      if (status == MEMPLAN_OK) {
        check_items(&problem, &subject, &precedence, seen);
      }
      memplan_subject_free(&subject);
      assert_true(status == MEMPLAN_OK || status == MEMPLAN_INPUT);
    }
    memplan_problem_free(&problem);
  }
  assert_true(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 5 && seen[3] > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_of_instances), cmocka_unit_test(windows_leave_room),
                                     cmocka_unit_test(unknown_names),      cmocka_unit_test(kinds_of_graphs),
                                     cmocka_unit_test(progressions),       cmocka_unit_test(pairs_of_instances),
                                     cmocka_unit_test(pairs_of_graphs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
