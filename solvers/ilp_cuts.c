// SPDX-License-Identifier: Apache-2.0
// Circles are looked through, and the best stack at an operator is known by its signs: what adds to the sum is in it.
//
// What decides whether a row is worth adding is in floating point; the row itself is made of integers, and does not
// depend on the values: it holds whatever they are.
#include "solvers/ilp_cuts.h"

#include "solvers/techniques.h"

typedef struct separator {
  const memplan_ilp_order *order;
  const double *value;
  memplan_ilp *cuts;
  bool *in; // by item: of the stack at hand
} separator;

static const double least_violation = 0.05;

static bool is_known(memplan_ilp_literal literal) {
  return literal.column >= 0 || literal.constant == 0 || literal.constant == 1;
}

static double value_of(const separator *work, memplan_ilp_literal literal) {
  double value = literal.column >= 0 ? work->value[literal.column] : 0.0;
  return (double)literal.constant + (double)literal.factor * value;
}

static double offset_of(const separator *work, int32_t item) {
  const memplan_joint_item *entry = &work->order->graph->items[item];
  int32_t column = work->order->offset[item];
  return column < 0 ? (double)entry->pin : (double)entry->residue + (double)entry->align * work->value[column];
}

static bool is_full(const separator *work) {
  return work->cuts->n_rows >= MEMPLAN_ILP_CUTS || work->cuts->out_of_memory;
}

static memplan_ilp_literal side_of(const separator *work, int32_t a, int32_t b) {
  return work->order->side[(int64_t)a * work->order->graph->n_items + b];
}

// ---- circles

static void cut_circle(const separator *work, int32_t a, int32_t b, int32_t c) {
  const memplan_joint_item *items = work->order->graph->items;
  memplan_ilp_literal sides[3] = {side_of(work, a, b), side_of(work, b, c), side_of(work, c, a)};
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    if (!is_known(sides[k])) {
      return;
    }
    sum += value_of(work, sides[k]);
  }
  if (sum < 2.0 + least_violation || items[a].bytes + items[b].bytes + items[c].bytes == 0) {
    return;
  }
  memplan_ilp_row_open(work->cuts);
  for (int k = 0; k < 3; k++) {
    memplan_ilp_row_add(work->cuts, 1, sides[k]);
  }
  memplan_ilp_row_close(work->cuts, -MEMPLAN_ILP_NONE, 2, false, "circle");
}

static void cut_circles(const separator *work) {
  int32_t m = work->order->graph->n_items;
  for (int32_t a = 0; a < m; a++) {
    for (int32_t b = a + 1; b < m; b++) {
      for (int32_t c = b + 1; c < m && !is_full(work); c++) {
        cut_circle(work, a, b, c);
        cut_circle(work, a, c, b);
      }
    }
  }
}

// ---- stacks

static memplan_ilp_literal live_at(const separator *work, int32_t item, int32_t at) {
  const memplan_joint_graph *graph = work->order->graph;
  memplan_ilp_literal live = work->order->live[(int64_t)item * graph->n_ops + at];
  bool counts = !graph->items[item].reserved && live.column != -2; // -2: was never asked for
  return counts ? live : memplan_ilp_constant(0);
}

static memplan_ilp_literal between(const separator *work, int32_t top, int32_t item, bool hang) {
  return hang ? side_of(work, top, item) : side_of(work, item, top);
}

// Both ends of the pair are in the stack.
static bool saves(const separator *work, const memplan_joint_pair *pair) {
  return work->in[pair->born] && work->in[pair->dying];
}

static double weigh_stack(const separator *work, int32_t top, int32_t at, bool hang) {
  const memplan_joint_graph *graph = work->order->graph;
  double sum = 0.0;
  for (int32_t item = 0; item < graph->n_items; item++) {
    memplan_ilp_literal side = between(work, top, item, hang);
    work->in[item] = false;
    if (item == top || !is_known(side)) {
      continue;
    }
    double more = value_of(work, side) + value_of(work, live_at(work, item, at)) - 1.0;
    work->in[item] = more > 0.01;
    sum += work->in[item] ? more * (double)graph->items[item].bytes : 0.0;
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    if (saves(work, &graph->pairs[k])) {
      sum -= (double)graph->pairs[k].saving * work->value[work->order->choice[k]];
    }
  }
  return sum;
}

static void cut_stack(const separator *work, int32_t top, int32_t at, bool hang) {
  const memplan_ilp_order *order = work->order;
  const memplan_joint_graph *graph = order->graph;
  const memplan_joint_item *entry = &graph->items[top];
  double room = offset_of(work, top);
  if (hang) {
    room = work->value[order->peak] - room - (double)entry->bytes;
  }
  if (weigh_stack(work, top, at, hang) < room + least_violation) {
    return;
  }
  memplan_ilp_row_open(work->cuts);
  for (int32_t item = 0; item < graph->n_items; item++) {
    if (work->in[item]) {
      memplan_ilp_row_add(work->cuts, -graph->items[item].bytes, between(work, top, item, hang));
      memplan_ilp_row_add(work->cuts, -graph->items[item].bytes, live_at(work, item, at));
      memplan_ilp_row_add(work->cuts, graph->items[item].bytes, memplan_ilp_constant(1));
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    if (saves(work, &graph->pairs[k])) {
      memplan_ilp_row_add(work->cuts, graph->pairs[k].saving, memplan_ilp_of(order->choice[k]));
    }
  }
  if (hang) {
    memplan_ilp_row_add(work->cuts, 1, memplan_ilp_of(order->peak));
  }
  memplan_ilp_offset_add(order, work->cuts, hang ? -1 : 1, top);
  memplan_ilp_row_close(work->cuts, hang ? entry->bytes : 0, MEMPLAN_ILP_NONE, false, hang ? "hang" : "stack");
}

static void cut_stacks(const separator *work) {
  const memplan_joint_graph *graph = work->order->graph;
  for (int32_t top = 0; top < graph->n_items; top++) {
    for (int32_t at = 0; at < graph->n_ops && !is_full(work); at++) {
      cut_stack(work, top, at, false);
      cut_stack(work, top, at, true);
    }
  }
}

int64_t memplan_ilp_order_cut(const memplan_ilp_order *order, const double *value, uint64_t without,
                              memplan_ilp *cuts) {
  const memplan_joint_graph *graph = order->graph;
  separator work = {.order = order, .value = value, .cuts = cuts};
  work.in = MEMPLAN_NEW(&cuts->arena, bool, graph->n_items);
  if (work.in == NULL) {
    cuts->out_of_memory = true;
    return 0;
  }
  int64_t m = graph->n_items, looked = 0;
  if ((without & MEMPLAN_TECHNIQUE_ILP_STACKS) == 0) {
    cut_stacks(&work);
    looked += 2 * m * m * graph->n_ops;
  }
  if ((without & MEMPLAN_TECHNIQUE_ILP_CIRCLES) == 0) {
    cut_circles(&work);
    looked += m * m * m;
  }
  return looked;
}
