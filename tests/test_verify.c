// SPDX-License-Identifier: Apache-2.0
// The verifier itself: its sweep against all pairs, its limits, its independence of derived data, large problems.
#include "model/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/verify_overlap.h"
#include "tests/support/random_problem.h"

static void kinds_have_names(void **state) {
  (void)state;
  for (int32_t a = 0; a < MEMPLAN_VIOLATION_KINDS; a++) {
    assert_non_null(memplan_violation_kind_name((memplan_violation_kind)a));
    for (int32_t b = 0; b < a; b++) {
      assert_string_not_equal(memplan_violation_kind_name((memplan_violation_kind)a),
                              memplan_violation_kind_name((memplan_violation_kind)b));
    }
  }
  assert_string_equal(memplan_violation_kind_name(MEMPLAN_VIOLATION_OVERLAP), "overlap");
}

// ---- the sweep

typedef struct meeting {
  int64_t time, low, high;
  bool found;
} meeting;

static meeting first_meeting(const memplan_rectangle *rectangles, int32_t count, int32_t a, int32_t b) {
  meeting best = {.found = false};
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      const memplan_rectangle *x = &rectangles[i];
      const memplan_rectangle *y = &rectangles[j];
      int64_t time = x->start > y->start ? x->start : y->start;
      int64_t low = x->low > y->low ? x->low : y->low;
      int64_t high = x->high < y->high ? x->high : y->high;
      bool meet = x->item == a && y->item == b && x->pool == y->pool && time < x->end && time < y->end && low < high;
      if (meet && (!best.found || time < best.time)) {
        best = (meeting){time, low, high, true};
      }
    }
  }
  return best;
}

static void the_sweep_finds_what_all_pairs_find(void **state) {
  (void)state;
  enum { most = 24, items = 6 };
  int64_t total = 0;
  for (uint64_t index = 0; index < 4000; index++) {
    random_state random = random_start(5, index);
    memplan_rectangle rectangles[most];
    int32_t count = random_below(&random, most);
    int64_t next[items] = {0};
    for (int32_t i = 0; i < count; i++) {
      // Rectangles of one item follow each other in time, as the sweep demands.
      int32_t item = random_below(&random, items);
      rectangles[i].item = item;
      rectangles[i].pool = item % 2 == 0 ? 0 : random_below(&random, 2);
      rectangles[i].start = next[item] + random_below(&random, 3);
      rectangles[i].end = rectangles[i].start + random_below(&random, 4);
      next[item] = rectangles[i].end;
      rectangles[i].low = random_below(&random, 12);
      rectangles[i].high = rectangles[i].low + random_below(&random, 6);
    }
    memplan_arena arena = {0};
    memplan_overlap *overlaps;
    int32_t n_overlaps;
    assert_int_equal(memplan_rectangles_overlap(rectangles, count, 100, &arena, &overlaps, &n_overlaps, NULL),
                     MEMPLAN_OK);
    int32_t expected = 0;
    for (int32_t a = 0; a < items; a++) {
      for (int32_t b = a + 1; b < items; b++) {
        expected += first_meeting(rectangles, count, a, b).found ? 1 : 0;
      }
    }
    assert_int_equal(n_overlaps, expected);
    for (int32_t k = 0; k < n_overlaps; k++) {
      meeting best = first_meeting(rectangles, count, overlaps[k].first, overlaps[k].second);
      assert_true(best.found);
      assert_int_equal(overlaps[k].time, best.time);
      assert_int_equal(overlaps[k].low, best.low);
      assert_int_equal(overlaps[k].high, best.high);
      assert_true(k == 0 || overlaps[k - 1].time <= overlaps[k].time);
    }
    total += n_overlaps;
    memplan_arena_free(&arena);
  }
  assert_true(total > 4000);
}

// ---- independence

static void overwrite(void *bytes, size_t size) { memset(bytes, 0xa5, size); }

static void derived_data_of_graphs_is_not_read(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "x", 3, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "t", 6, 0);
  build_view(graph, "v", 4, "t", 2);
  build_tensor(graph, "r", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "make", "x", "t");
  build_inplace(graph, build_op(graph, "relu", "v", "r"), "r", "v");
  build_finish(&problem);
  memplan_plan plan;
  build_plan(&problem, &plan, "make relu");
  build_choose(&plan, "r", "v");
  build_place(&plan, "x", 6);
  build_place(&plan, "t", 0);
  build_place(&plan, "r", 2);
  plan.peak = 9;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    overwrite(&graph->tensors[i].storage, sizeof graph->tensors[i].storage);
    overwrite(&graph->tensors[i].offset, sizeof graph->tensors[i].offset);
  }
  overwrite(graph->storages, (size_t)graph->n_storages * sizeof *graph->storages);
  overwrite(graph->touches, (size_t)graph->n_touches * sizeof *graph->touches);
  overwrite(graph->pairs, (size_t)graph->n_pairs * sizeof *graph->pairs);
  overwrite(graph->pred_first, 3 * sizeof *graph->pred_first);
  overwrite(graph->op_touch_first, 3 * sizeof *graph->op_touch_first);
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&problem, &plan, &report, NULL), MEMPLAN_OK);
  assert_true(report.valid);
  assert_int_equal(report.peak, 9);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

static void derived_data_of_instances_is_not_read(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  build_gap(instance, build_buffer(instance, "a", 0, 9, 4), 2, 5, 0, 2);
  build_buffer(instance, "b", 2, 5, 2);
  build_colocate(instance, "a", "b", 2);
  build_finish(&problem);
  memplan_plan plan;
  build_plan(&problem, &plan, "");
  build_place(&plan, "a", 0);
  build_place(&plan, "b", 2);
  plan.peak = 4;
  overwrite(instance->times, (size_t)instance->n_times * sizeof *instance->times);
  overwrite(instance->blocks, (size_t)instance->n_blocks * sizeof *instance->blocks);
  overwrite(instance->parts, (size_t)instance->n_parts * sizeof *instance->parts);
  overwrite(instance->members, (size_t)instance->n_members * sizeof *instance->members);
  overwrite(instance->block_of, (size_t)instance->n_buffers * sizeof *instance->block_of);
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&problem, &plan, &report, NULL), MEMPLAN_OK);
  assert_true(report.valid);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

// ---- names of workspaces

static void workspace_names_give_way(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "op#workspace", 5, MEMPLAN_ROLE_INPUT);
  build_op(graph, "op", "op#workspace", "")->workspace = 7;
  build_finish(&problem);
  memplan_plan plan;
  build_plan(&problem, &plan, "op");
  build_place(&plan, "op#workspace", 0);
  build_place(&plan, "op#workspace#", 5);
  plan.peak = 12;
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&problem, &plan, &report, NULL), MEMPLAN_OK);
  assert_true(report.valid);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_solution solution;
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, NULL, &solution, NULL), MEMPLAN_OK);
  assert_int_equal(solution.plan.peak, 12);
  assert_string_equal(solution.plan.placed[1].id, "op#workspace#");
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// ---- limits and sizes

// `count` buffers, all live together, each `step` bytes behind the one before.
static void stack_of_buffers(int32_t count, int64_t bytes, int64_t step, memplan_report *report) {
  memplan_problem problem;
  memplan_problem_init(&problem);
  problem.has_instance = true;
  problem.options = memplan_problem_options_default();
  memplan_instance *instance = &problem.instance;
  memplan_plan plan;
  memplan_plan_init(&plan);
  instance->buffers = MEMPLAN_NEW(&instance->arena, memplan_buffer, count);
  memplan_interval *live = MEMPLAN_NEW(&instance->arena, memplan_interval, count);
  char(*ids)[16] = memplan_arena_alloc(&instance->arena, (size_t)count, sizeof *ids);
  plan.placed = MEMPLAN_NEW(&plan.arena, memplan_placed, count);
  assert_true(instance->buffers != NULL && live != NULL && ids != NULL && plan.placed != NULL);
  instance->n_buffers = plan.n_placed = count;
  for (int32_t i = 0; i < count; i++) {
    (void)snprintf(ids[i], sizeof ids[i], "b%d", (int)i);
    live[i] = (memplan_interval){i % 7, 8 + i % 5};
    instance->buffers[i] = (memplan_buffer){
        .id = ids[i], .bytes = bytes, .align = 1, .pin = -1, .offset = -1, .hint = -1, .live = &live[i], .n_live = 1};
    plan.placed[i] = (memplan_placed){.id = ids[i], .offset = step * i, .slot = -1};
  }
  build_finish(&problem);
  plan.fingerprint = problem.fingerprint;
  plan.peak = step * (count - 1) + bytes;
  assert_int_equal(memplan_verify(&problem, &plan, report, NULL), MEMPLAN_OK);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

static void many_buffers(void **state) {
  (void)state;
  memplan_report report;
  memplan_report_init(&report);
  stack_of_buffers(60000, 16, 16, &report);
  assert_true(report.valid);
  assert_int_equal(report.peak, 960000);
  memplan_report_free(&report);
  // All at one place: the report ends after a hundred pairs, and outlives the problem.
  stack_of_buffers(60000, 16, 0, &report);
  assert_false(report.valid);
  assert_int_equal(report.n_violations, 100);
  for (int32_t k = 0; k < report.n_violations; k++) {
    assert_int_equal(report.violations[k].kind, MEMPLAN_VIOLATION_OVERLAP);
    assert_int_equal(report.violations[k].step, 0);
    assert_string_not_equal(report.violations[k].first, report.violations[k].second);
  }
  memplan_report_free(&report);
  // Each one byte into the next.
  stack_of_buffers(60000, 17, 16, &report);
  assert_int_equal(report.n_violations, 100);
  assert_int_equal(report.violations[0].high - report.violations[0].low, 1);
  memplan_report_free(&report);
}

static void a_hundred_of_each_kind_are_enough(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_finish(&problem);
  memplan_plan plan;
  build_plan(&problem, &plan, "");
  plan.placed = MEMPLAN_NEW(&plan.arena, memplan_placed, 250);
  const char **order = MEMPLAN_NEW(&plan.arena, const char *, 30);
  assert_true(plan.placed != NULL && order != NULL);
  for (int32_t i = 0; i < 250; i++) {
    build_place(&plan, "stranger", i);
  }
  for (int32_t i = 0; i < 30; i++) {
    order[i] = "nobody";
  }
  plan.order = order;
  plan.n_order = 30;
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&problem, &plan, &report, NULL), MEMPLAN_OK);
  assert_int_equal(report.n_found, 280);
  assert_int_equal(report.n_violations, 100);
  assert_int_equal(report.violations[29].kind, MEMPLAN_VIOLATION_ORDER);
  assert_int_equal(report.violations[30].kind, MEMPLAN_VIOLATION_UNKNOWN);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

enum { pieces = 8000 };

typedef struct piece_graph {
  memplan_problem problem;
  memplan_plan plan;
} piece_graph;

// `pieces` operators write one byte each of one buffer; as many others read eight neighbouring bytes each.
static void build_pieces(piece_graph *built) {
  memplan_problem_init(&built->problem);
  built->problem.has_graph = true;
  built->problem.options = memplan_problem_options_default();
  memplan_graph *graph = &built->problem.graph;
  memplan_arena *arena = &graph->arena;
  memplan_plan_init(&built->plan);
  graph->tensors = MEMPLAN_NEW(arena, memplan_tensor, 1 + 2 * pieces);
  graph->ops = MEMPLAN_NEW(arena, memplan_op, 2 * pieces);
  char(*ids)[16] = memplan_arena_alloc(arena, 2 * pieces, sizeof *ids);
  int32_t *lists = MEMPLAN_NEW(arena, int32_t, 2 * pieces);
  built->plan.order = MEMPLAN_NEW(&built->plan.arena, const char *, 2 * pieces);
  built->plan.placed = MEMPLAN_NEW(&built->plan.arena, memplan_placed, 1);
  assert_true(graph->tensors != NULL && graph->ops != NULL && ids != NULL && lists != NULL &&
              built->plan.order != NULL && built->plan.placed != NULL);
  graph->n_tensors = 1 + 2 * pieces;
  graph->n_ops = 2 * pieces;
  graph->tensors[0] =
      (memplan_tensor){.id = "all", .bytes = pieces + 8, .align = 1, .pin = -1, .view_of = -1, .rank = -1};
  for (int32_t i = 0; i < 2 * pieces; i++) {
    (void)snprintf(ids[i], sizeof ids[i], "n%d", (int)i);
    lists[i] = 1 + i;
    bool writes = i < pieces;
    graph->tensors[1 + i] = (memplan_tensor){.id = ids[i],
                                             .bytes = writes ? 1 : 8,
                                             .align = 1,
                                             .pin = -1,
                                             .view_of = 0,
                                             .view_offset = i % pieces,
                                             .rank = -1};
    graph->ops[i] = (memplan_op){.id = ids[i], .workspace_align = 1, .cost = 1, .async_until = -1, .group = -1};
    if (writes) {
      graph->ops[i].out = &lists[i];
      graph->ops[i].n_out = 1;
    } else {
      graph->ops[i].in = &lists[i];
      graph->ops[i].n_in = 1;
    }
    built->plan.order[i] = ids[i];
  }
  build_finish(&built->problem);
  built->plan.n_order = 2 * pieces;
  built->plan.placed[0] = (memplan_placed){.id = "all", .slot = -1};
  built->plan.n_placed = 1;
  built->plan.fingerprint = built->problem.fingerprint;
  built->plan.peak = pieces + 8;
}

static void many_pieces_of_one_buffer(void **state) {
  (void)state;
  piece_graph built;
  build_pieces(&built);
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&built.problem, &built.plan, &report, NULL), MEMPLAN_OK);
  assert_true(report.valid);
  memplan_report_free(&report);
  // The reader of bytes [100, 108) may run after their writers, n100 … n107, at the earliest.
  const char *reader = built.plan.order[pieces + 100];
  memmove(built.plan.order + 108, built.plan.order + 107, (pieces - 7) * sizeof *built.plan.order);
  built.plan.order[107] = reader;
  assert_int_equal(memplan_verify(&built.problem, &built.plan, &report, NULL), MEMPLAN_OK);
  assert_int_equal(report.n_found, 1);
  assert_int_equal(report.violations[0].kind, MEMPLAN_VIOLATION_ORDER);
  assert_string_equal(report.violations[0].first, "n107");
  assert_string_equal(report.violations[0].second, reader);
  assert_int_equal(report.violations[0].step, 107);
  memplan_report_free(&report);
  built.plan.order[107] = built.plan.order[108];
  built.plan.order[108] = reader;
  assert_int_equal(memplan_verify(&built.problem, &built.plan, &report, NULL), MEMPLAN_OK);
  assert_true(report.valid);
  memplan_report_free(&report);
  memplan_plan_free(&built.plan);
  memplan_problem_free(&built.problem);
}

// ---- bodies within bodies

// A graph of one operator without tensors, with a body of that kind, `depth` times; and the plan of it.
static void nest(memplan_arena *arena, memplan_graph *graph, memplan_plan *plan, int32_t depth) {
  for (int32_t level = 0; level <= depth; level++) {
    memplan_op *op = MEMPLAN_NEW(&graph->arena, memplan_op, 1);
    const char **order = MEMPLAN_NEW(&plan->arena, const char *, 1);
    assert_true(op != NULL && order != NULL);
    *op = (memplan_op){.id = "op", .workspace_align = 1, .cost = 1, .async_until = -1, .group = -1};
    graph->ops = op;
    graph->n_ops = 1;
    order[0] = "op";
    plan->order = order;
    plan->n_order = 1;
    if (level < depth) {
      memplan_body *body = MEMPLAN_NEW(&graph->arena, memplan_body, 1);
      memplan_body_plan *body_plan = MEMPLAN_NEW(&plan->arena, memplan_body_plan, 1);
      memplan_graph *inner = MEMPLAN_NEW(arena, memplan_graph, 1);
      memplan_plan *inner_plan = MEMPLAN_NEW(arena, memplan_plan, 1);
      assert_true(body != NULL && body_plan != NULL && inner != NULL && inner_plan != NULL);
      memplan_graph_init(inner);
      memplan_plan_init(inner_plan);
      *body = (memplan_body){.op = 0, .name = "body", .graph = inner};
      *body_plan = (memplan_body_plan){.op = "op", .body = "body", .plan = inner_plan};
      graph->bodies = body;
      graph->n_bodies = 1;
      plan->bodies = body_plan;
      plan->n_bodies = 1;
      graph = inner;
      plan = inner_plan;
    }
  }
}

static memplan_status verify_nested(int32_t depth, bool *valid) {
  memplan_arena arena = {0};
  memplan_problem problem;
  memplan_problem_init(&problem);
  problem.has_graph = true;
  problem.options = memplan_problem_options_default();
  memplan_plan plan;
  memplan_plan_init(&plan);
  nest(&arena, &problem.graph, &plan, depth);
  memplan_report report;
  memplan_report_init(&report);
  memplan_error error = {.message = ""};
  memplan_status status = memplan_verify(&problem, &plan, &report, &error);
  *valid = report.valid;
  assert_true(status == MEMPLAN_OK || strlen(error.message) > 0);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
  memplan_arena_free(&arena);
  return status;
}

static void bodies_are_nested_to_a_limit(void **state) {
  (void)state;
  bool valid;
  assert_int_equal(verify_nested(0, &valid), MEMPLAN_OK);
  assert_true(valid);
  assert_int_equal(verify_nested(60, &valid), MEMPLAN_OK);
  assert_true(valid);
  assert_int_equal(verify_nested(2000, &valid), MEMPLAN_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_have_names),
      cmocka_unit_test(the_sweep_finds_what_all_pairs_find),
      cmocka_unit_test(derived_data_of_graphs_is_not_read),
      cmocka_unit_test(derived_data_of_instances_is_not_read),
      cmocka_unit_test(workspace_names_give_way),
      cmocka_unit_test(many_buffers),
      cmocka_unit_test(a_hundred_of_each_kind_are_enough),
      cmocka_unit_test(many_pieces_of_one_buffer),
      cmocka_unit_test(bodies_are_nested_to_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
