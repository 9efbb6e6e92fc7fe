// SPDX-License-Identifier: Apache-2.0
// Flattens an ordering: only cells with bytes stay, what has no effect (births of a cell that is there from the start,
// deaths of one that never dies) is dropped, and turning round is a matter of which array goes where.
#include "solvers/order_problem.h"

#include "model/base/lists.h"

bool memplan_order_lists_turn(const memplan_order_lists *lists, int32_t n, int32_t n_entries,
                              memplan_order_lists *turned, memplan_arena *arena) {
  memplan_lists made;
  if (!memplan_lists_begin(&made, n_entries, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < n; i++) {
      for (int32_t k = lists->first[i]; k < lists->first[i + 1]; k++) {
        memplan_lists_put(&made, lists->list[k], i);
      }
    }
    if (pass == 0 && !memplan_lists_store(&made, arena)) {
      return false;
    }
  }
  *turned = (memplan_order_lists){made.first, made.list};
  return true;
}

// Where each cell of the ordering has gone, -1: it has no bytes.
static int32_t number_cells(const memplan_ordering *ordering, int32_t *number) {
  int32_t count = 0;
  for (int32_t k = 0; k < ordering->n_cells; k++) {
    number[k] = ordering->cells[k].bytes > 0 ? count++ : -1;
  }
  return count;
}

// One side of the cells (births, or deaths), by cell and by operator.
static bool make_side(const memplan_ordering *ordering, const int32_t *number, int32_t n_cells, bool births,
                      memplan_order_lists *by_cell, memplan_order_lists *by_op, memplan_arena *arena) {
  memplan_lists cells, ops;
  if (!memplan_lists_begin(&cells, n_cells, arena) || !memplan_lists_begin(&ops, ordering->n_ops, arena)) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t k = 0; k < ordering->n_cells; k++) {
      const memplan_cell *cell = &ordering->cells[k];
      if (number[k] < 0 || (births ? cell->init : cell->keep)) {
        continue;
      }
      const int32_t *members = births ? ordering->births + cell->first_birth : ordering->deaths + cell->first_death;
      int32_t count = births ? cell->n_births : cell->n_deaths;
      for (int32_t m = 0; m < count; m++) {
        memplan_lists_put(&cells, number[k], members[m]);
        memplan_lists_put(&ops, members[m], number[k]);
      }
    }
    if (pass == 0 && (!memplan_lists_store(&cells, arena) || !memplan_lists_store(&ops, arena))) {
      return false;
    }
  }
  *by_cell = (memplan_order_lists){.first = cells.first, .list = cells.list};
  *by_op = (memplan_order_lists){.first = ops.first, .list = ops.list};
  return true;
}

static bool make_cells(memplan_order_problem *problem, const memplan_ordering *ordering, const int32_t *number,
                       memplan_arena *arena) {
  memplan_order_cell *cells = MEMPLAN_NEW(arena, memplan_order_cell, problem->n_cells);
  if (cells == NULL) {
    return false;
  }
  bool turned = problem->reversed;
  for (int32_t k = 0; k < ordering->n_cells; k++) {
    const memplan_cell *cell = &ordering->cells[k];
    if (number[k] >= 0) {
      cells[number[k]] = (memplan_order_cell){.bytes = cell->bytes,
                                              .init = turned ? cell->keep : cell->init,
                                              .keep = turned ? cell->init : cell->keep,
                                              .source = k};
    }
  }
  problem->cells = cells;
  return make_side(ordering, number, problem->n_cells, true, turned ? &problem->deaths : &problem->births,
                   turned ? &problem->op_deaths : &problem->op_births, arena) &&
         make_side(ordering, number, problem->n_cells, false, turned ? &problem->births : &problem->deaths,
                   turned ? &problem->op_births : &problem->op_deaths, arena);
}

// Pairs of storages that have bytes: an output of an in-place pair is written first by the operator, so it is no init
// cell, and its input is read for the last time, so it is no keep cell.
static bool make_pairs(memplan_order_problem *problem, const memplan_ordering *ordering, const int32_t *number,
                       memplan_arena *arena) {
  memplan_order_pair *pairs = MEMPLAN_NEW(arena, memplan_order_pair, ordering->n_pairs);
  int32_t *first = MEMPLAN_NEW(arena, int32_t, (int64_t)ordering->n_ops + 1);
  if (pairs == NULL || first == NULL) {
    return false;
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    first[op] = problem->n_pairs;
    for (int32_t k = ordering->pair_first[op]; k < ordering->pair_first[op + 1]; k++) {
      const memplan_pair *pair = &ordering->pairs[k];
      int32_t output = number[ordering->cell_of_storage[pair->output_storage]];
      int32_t input = number[ordering->cell_of_storage[pair->input_storage]];
      if (output >= 0 && input >= 0 && pair->saving > 0) {
        pairs[problem->n_pairs++] = (memplan_order_pair){.op = op,
                                                         .born = problem->reversed ? input : output,
                                                         .dying = problem->reversed ? output : input,
                                                         .source = k,
                                                         .saving = pair->saving};
      }
    }
  }
  first[ordering->n_ops] = problem->n_pairs;
  problem->pairs = pairs;
  problem->pair_first = first;
  return true;
}

static bool make_groups(memplan_order_problem *problem, const memplan_ordering *ordering, memplan_arena *arena) {
  int32_t *group = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  for (int32_t op = 0; op < ordering->n_ops && group != NULL; op++) {
    group[op] = ordering->graph->ops[op].group;
  }
  problem->n_groups = ordering->graph->n_groups;
  problem->group = group;
  return group != NULL;
}

memplan_status memplan_order_problem_init(memplan_order_problem *problem, const memplan_ordering *ordering,
                                          bool reversed, memplan_arena *arena, memplan_error *error) {
  memplan_order_lists pred = {.first = ordering->pred_first, .list = ordering->pred};
  memplan_order_lists succ = {.first = ordering->succ_first, .list = ordering->succ};
  *problem = (memplan_order_problem){.n_ops = ordering->n_ops,
                                     .reversed = reversed,
                                     .pred = reversed ? succ : pred,
                                     .succ = reversed ? pred : succ,
                                     .workspace = ordering->workspace,
                                     .base = ordering->base,
                                     .first = reversed ? 0 : ordering->first_step,
                                     .last = reversed ? ordering->first_step : 0};
  int32_t *number = MEMPLAN_NEW(arena, int32_t, ordering->n_cells);
  if (number == NULL) {
    return memplan_fail_nomem(error);
  }
  problem->n_cells = number_cells(ordering, number);
  if (!make_cells(problem, ordering, number, arena) || !make_pairs(problem, ordering, number, arena) ||
      !make_groups(problem, ordering, arena)) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}
