// SPDX-License-Identifier: Apache-2.0
// Random plans with every change at every place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/mutated.h"
#include "tests/support/oracle.h"
#include "tests/support/semantics_plan.h"

static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

// Each item onto each other one that is live with it: the pair, the first common step and the shared bytes are told.
static void move_onto_each_other(mutated *f, const oracle_items *items) {
  for (int32_t i = 0; i < items->count; i++) {
    for (int32_t j = i + 1; j < items->count; j++) {
      const oracle_item *a = &items->items[i];
      const oracle_item *b = &items->items[j];
      int64_t first_common = max_of(a->start, b->start);
      bool live = a->bytes > 0 && b->bytes > 0 && first_common < a->end && first_common < b->end;
      int64_t kept = f->plan.placed[i].offset;
      f->plan.placed[i].offset = f->plan.placed[j].offset;
      mutated_verify(f);
      int64_t low = f->plan.placed[j].offset;
      int64_t high = low + (a->bytes < b->bytes ? a->bytes : b->bytes);
      assert_int_equal(mutated_has(f, MEMPLAN_VIOLATION_OVERLAP, a->id, b->id, first_common, low, high), live);
      f->plan.placed[i].offset = kept;
    }
  }
}

static void drop_and_repeat(mutated *f, const oracle_items *items) {
  for (int32_t i = 0; i < items->count; i++) {
    memplan_placed kept = f->plan.placed[i];
    f->plan.placed[i] = f->plan.placed[items->count - 1];
    f->plan.n_placed = items->count - 1;
    mutated_verify(f);
    assert_true(mutated_has(f, MEMPLAN_VIOLATION_MISSING, kept.id, NULL, -1, -1, -1));
    f->plan.placed[i] = kept;
    f->plan.placed[items->count] = kept;
    f->plan.n_placed = items->count + 1;
    mutated_verify(f);
    mutated_violation(f, 1, 0, MEMPLAN_VIOLATION_DUPLICATE, kept.id, NULL, -1, -1, -1);
    f->plan.n_placed = items->count;
  }
}

// Neighbours in the order: legal exactly if no rule orders the two and no group is torn.
static void swap_neighbours(mutated *f, const oracle_precedence *precedence, int32_t *order) {
  const memplan_graph *graph = &f->problem.graph;
  for (int32_t t = 0; t + 1 < graph->n_ops; t++) {
    int32_t first = order[t];
    int32_t second = order[t + 1];
    order[t] = second;
    order[t + 1] = first;
    f->plan.order[t] = graph->ops[second].id;
    f->plan.order[t + 1] = graph->ops[first].id;
    mutated_verify(f);
    if (precedence->before[first][second]) {
      assert_true(mutated_has(f, MEMPLAN_VIOLATION_ORDER, graph->ops[first].id, graph->ops[second].id, t, -1, -1));
    }
    bool legal = oracle_order_is_legal(graph, precedence, order);
    bool found = f->report.n_violations > 0 && f->report.violations[0].kind == MEMPLAN_VIOLATION_ORDER;
    assert_int_equal(found, !legal);
    order[t] = first;
    order[t + 1] = second;
    f->plan.order[t] = graph->ops[first].id;
    f->plan.order[t + 1] = graph->ops[second].id;
  }
}

static void changes_of_random_plans(void **state) {
  (void)state;
  int32_t tried = 0;
  for (uint64_t index = 0; index < 400; index++) {
    random_state random = random_start(77, index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 4};
    mutated f;
    memplan_report_init(&f.report);
    random_graph(&random, &wishes, &f.problem);
    f.problem.options.inplace = MEMPLAN_INPLACE_NONE;
    oracle_precedence precedence;
    if (!oracle_graph_is_legal(&f.problem.graph, &precedence)) {
      memplan_problem_free(&f.problem);
      continue;
    }
    build_finish(&f.problem);
    int32_t order[ORACLE_OPS];
    int64_t workspace[ORACLE_OPS];
    for (int32_t op = 0; op < f.problem.graph.n_ops; op++) {
      order[op] = op;
      workspace[op] = f.problem.graph.ops[op].workspace;
    }
    oracle_items items;
    oracle_find_items(&f.problem.graph, &f.problem.options, workspace, order, &items);
    // One beside the other, aligned to 12, which suits every alignment but those of views.
    oracle_place places[ORACLE_ITEMS];
    for (int32_t i = 0; i < items.count; i++) {
      places[i] = (oracle_place){items.items[i].bytes > 0 ? 12 * i : 0, 0};
    }
    oracle_choice none = {.count = 0};
    if (oracle_placement_is_valid(&f.problem.graph, &f.problem.options, &items, order, &none, places)) {
      semantics_make_plan(&f.problem, &items, order, &none, places, &f.plan);
      mutated_valid(&f);
      tried++;
      move_onto_each_other(&f, &items);
      drop_and_repeat(&f, &items);
      swap_neighbours(&f, &precedence, order);
      f.plan.peak++;
      mutated_verify(&f);
      assert_int_equal(f.report.n_violations, 1);
      assert_int_equal(f.report.violations[0].kind, MEMPLAN_VIOLATION_PEAK);
      memplan_plan_free(&f.plan);
    }
    memplan_report_free(&f.report);
    memplan_problem_free(&f.problem);
  }
  assert_true(tried > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_of_random_plans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
