// SPDX-License-Identifier: Apache-2.0
// What the two forms share: tables, choices, and the way back from values of columns to an order.
#include "solvers/ilp_order.h"

#include <stdlib.h>

void memplan_ilp_imply(memplan_ilp *model, memplan_ilp_literal left, memplan_ilp_literal right, const char *kind) {
  if (memplan_ilp_is_constant(left, 0) || memplan_ilp_is_constant(right, 1)) {
    return;
  }
  memplan_ilp_row_open(model);
  memplan_ilp_row_add(model, 1, right);
  memplan_ilp_row_add(model, -1, left);
  memplan_ilp_row_close(model, 0, MEMPLAN_ILP_NONE, false, kind);
}

static void add_exclusive(memplan_ilp_order *order, int32_t item, bool born) {
  memplan_ilp_row_open(order->model);
  int32_t count = 0;
  for (int32_t k = 0; k < order->graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &order->graph->pairs[k];
    if ((born ? pair->born : pair->dying) == item) {
      memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->choice[k]));
      count++;
    }
  }
  memplan_ilp_row_close(order->model, -MEMPLAN_ILP_NONE, count > 1 ? 1 : MEMPLAN_ILP_NONE, false, "one_pair");
}

void memplan_ilp_choices_add(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    order->choice[k] = memplan_ilp_column_add(order->model, MEMPLAN_ILP_BINARY, 0, 1, "inplace.%s.%s",
                                              order->item_label[pair->born], order->item_label[pair->dying]);
  }
  for (int32_t item = 0; item < graph->n_items && graph->n_pairs > 1; item++) {
    add_exclusive(order, item, true);
    add_exclusive(order, item, false);
  }
}

static bool allocate(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  int64_t n = graph->n_ops, m = graph->n_items;
  order->op_label = MEMPLAN_NEW(order->arena, const char *, n);
  order->item_label = MEMPLAN_NEW(order->arena, const char *, m);
  order->turn = MEMPLAN_NEW(order->arena, int32_t, n * n);
  order->done = MEMPLAN_NEW(order->arena, int32_t, n * n);
  order->dead = MEMPLAN_NEW(order->arena, memplan_ilp_literal, m * n);
  order->unborn = MEMPLAN_NEW(order->arena, memplan_ilp_literal, m * n);
  order->live = MEMPLAN_NEW(order->arena, memplan_ilp_literal, m * n);
  order->choice = MEMPLAN_NEW(order->arena, int32_t, graph->n_pairs);
  order->choice_at = MEMPLAN_NEW(order->arena, int32_t, graph->n_pairs * n);
  order->offset = MEMPLAN_NEW(order->arena, int32_t, m);
  order->most = MEMPLAN_NEW(order->arena, int64_t, m);
  order->below = MEMPLAN_NEW(order->arena, memplan_ilp_literal, order->placed ? m * m : 0);
  order->side = MEMPLAN_NEW(order->arena, memplan_ilp_literal, order->placed ? m * m : 0);
  if (order->op_label == NULL || order->item_label == NULL || order->turn == NULL || order->done == NULL ||
      order->dead == NULL || order->unborn == NULL || order->live == NULL || order->choice == NULL ||
      order->choice_at == NULL || order->offset == NULL || order->most == NULL || order->below == NULL ||
      order->side == NULL) {
    return false;
  }
  for (int64_t k = 0; k < n * n; k++) {
    order->turn[k] = order->done[k] = -1;
  }
  for (int64_t k = 0; k < m * n; k++) {
    order->dead[k].column = order->unborn[k].column = order->live[k].column = -2;
  }
  for (int64_t k = 0; k < graph->n_pairs * n; k++) {
    order->choice_at[k] = -1;
  }
  return true;
}

static memplan_status build(const memplan_joint_graph *graph, bool steps, bool placed, int64_t bound, int64_t ceiling,
                            memplan_ilp *model, memplan_arena *arena, memplan_ilp_order *order, memplan_error *error) {
  *order = (memplan_ilp_order){
      .graph = graph, .model = model, .arena = arena, .steps = steps, .placed = placed, .ceiling = ceiling};
  if (!allocate(order)) {
    return memplan_fail_nomem(error);
  }
  order->peak = memplan_ilp_column_add(model, MEMPLAN_ILP_INTEGER, bound, ceiling, "peak");
  for (int32_t op = 0; op < graph->n_ops; op++) {
    order->op_label[op] = memplan_ilp_label(model, graph->ordering->graph->ops[op].id);
  }
  for (int32_t item = 0; item < graph->n_items; item++) {
    order->item_label[item] = memplan_ilp_label(model, graph->items[item].id);
  }
  if (steps) {
    memplan_ilp_steps_add(order);
  } else {
    memplan_ilp_precedence_add(order);
  }
  if (placed) {
    memplan_ilp_offsets_add(order);
  }
  MEMPLAN_TRY(memplan_ilp_status(model, error));
  model->columns[order->peak].cost = 1;
  return MEMPLAN_OK;
}

memplan_status memplan_ilp_order_build(const memplan_joint_graph *graph, bool steps, int64_t bound, int64_t ceiling,
                                       memplan_ilp *model, memplan_arena *arena, memplan_ilp_order *order,
                                       memplan_error *error) {
  return build(graph, steps, false, bound, ceiling, model, arena, order, error);
}

memplan_status memplan_ilp_joint_build(const memplan_joint_graph *graph, bool steps, int64_t bound, int64_t ceiling,
                                       memplan_ilp *model, memplan_arena *arena, memplan_ilp_order *order,
                                       memplan_error *error) {
  return build(graph, steps, true, bound, ceiling, model, arena, order, error);
}

// ---- back

static int64_t value_of(memplan_ilp_literal literal, const int64_t *value) {
  return literal.constant + (literal.column >= 0 ? literal.factor * value[literal.column] : 0);
}

typedef struct ranked {
  int64_t key;
  int32_t op;
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->key != y->key) {
    return (x->key > y->key) - (x->key < y->key);
  }
  return (x->op > y->op) - (x->op < y->op);
}

// How many operators run before it; or how many steps it is not done by.
static int64_t rank_of(const memplan_ilp_order *order, const int64_t *value, int32_t op) {
  int64_t rank = 0;
  for (int32_t other = 0; other < order->graph->n_ops; other++) {
    rank += order->steps ? 1 - value_of(memplan_ilp_done(order, op, other), value)
                         : value_of(memplan_ilp_turn(order, other, op), value);
  }
  return rank;
}

static memplan_status sort_operators(const memplan_ilp_order *order, const int64_t *value, int32_t *operators,
                                     memplan_error *error) {
  int32_t n = order->graph->n_ops;
  memplan_arena scratch = {0};
  ranked *ranks = MEMPLAN_NEW(&scratch, ranked, n);
  if (ranks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < n; op++) {
    ranks[op] = (ranked){rank_of(order, value, op), op};
  }
  if (n > 1) {
    qsort(ranks, (size_t)n, sizeof *ranks, compare_ranked);
  }
  for (int32_t t = 0; t < n; t++) {
    operators[t] = ranks[t].op;
  }
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}

memplan_status memplan_ilp_order_read(const memplan_ilp_order *order, const int64_t *value, int32_t *operators,
                                      int32_t *choice, int32_t *n_choices, memplan_error *error) {
  const memplan_joint_graph *graph = order->graph;
  *n_choices = 0;
  MEMPLAN_TRY(sort_operators(order, value, operators, error));
  for (int32_t t = 0; t < graph->n_ops; t++) {
    for (int32_t k = 0; k < graph->n_pairs; k++) {
      if (graph->pairs[k].op == operators[t] && value[order->choice[k]] != 0) {
        choice[(*n_choices)++] = graph->pairs[k].index;
      }
    }
  }
  return memplan_ordering_check(graph->ordering, operators, error);
}

static double relaxed(memplan_ilp_literal literal, const double *value) {
  return (double)literal.constant + (literal.column >= 0 ? (double)literal.factor * value[literal.column] : 0.0);
}

static void rank_relaxed(const memplan_ilp_order *order, const double *value, double *rank) {
  for (int32_t op = 0; op < order->graph->n_ops; op++) {
    rank[op] = 0.0;
    for (int32_t other = 0; other < order->graph->n_ops; other++) {
      rank[op] += order->steps ? 1.0 - relaxed(memplan_ilp_done(order, op, other), value)
                               : relaxed(memplan_ilp_turn(order, other, op), value);
    }
  }
}

// Of the operators whose predecessors have run the one of least rank comes next, the first one of equals; of a group
// that has begun, one of its own.
static int32_t choose_next(const memplan_ilp_order *order, const double *rank, const int32_t *missing, int32_t group) {
  int32_t best = -1;
  for (int32_t op = 0; op < order->graph->n_ops; op++) {
    if (missing[op] == 0 && (group < 0 || order->graph->leader[op] == group) && (best < 0 || rank[op] < rank[best])) {
      best = op;
    }
  }
  return best >= 0 || group < 0 ? best : choose_next(order, rank, missing, -1);
}

memplan_status memplan_ilp_order_round(const memplan_ilp_order *order, const double *value, int32_t *operators,
                                       memplan_error *error) {
  const memplan_ordering *ordering = order->graph->ordering;
  int32_t n = order->graph->n_ops, group = -1;
  memplan_arena scratch = {0};
  double *rank = MEMPLAN_NEW(&scratch, double, n);
  int32_t *missing = MEMPLAN_NEW(&scratch, int32_t, n);
  if (rank == NULL || missing == NULL) {
    memplan_arena_free(&scratch);
    return memplan_fail_nomem(error);
  }
  rank_relaxed(order, value, rank);
  for (int32_t op = 0; op < n; op++) {
    missing[op] = ordering->pred_first[op + 1] - ordering->pred_first[op];
  }
  for (int32_t t = 0; t < n; t++) {
    int32_t op = choose_next(order, rank, missing, group);
    operators[t] = op;
    missing[op] = -1;
    group = order->graph->leader[op];
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
      missing[ordering->succ[k]]--;
    }
  }
  memplan_arena_free(&scratch);
  return memplan_ordering_check(ordering, operators, error);
}

int64_t memplan_ilp_order_offset(const memplan_ilp_order *order, const int64_t *value, int32_t item) {
  const memplan_joint_item *entry = &order->graph->items[item];
  return order->offset[item] < 0 ? entry->pin : entry->residue + entry->align * value[order->offset[item]];
}
