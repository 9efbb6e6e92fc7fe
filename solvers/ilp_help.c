// SPDX-License-Identifier: Apache-2.0
// Rows that only say again what others say, but say it before all is decided. The number of them grows with the cube of
// the items, so that large programs go without.
#include "solvers/ilp_order.h"

enum { most_items = 48 };

static int64_t least_offset(const memplan_joint_item *item) { return item->pin >= 0 ? item->pin : item->residue; }

static memplan_ilp_literal under(const memplan_ilp_order *order, int32_t a, int32_t b) {
  return order->under[(int64_t)a * order->graph->n_items + b];
}

static bool may_overlap(const memplan_ilp_order *order, int32_t a, int32_t b) {
  return under(order, a, b).constant >= 0;
}

// At most two of: a below b, b below c, c below a. Of three that lie below each other in a ring none is below another.
static void forbid_ring(memplan_ilp_order *order, int32_t a, int32_t b, int32_t c) {
  memplan_ilp_literal sides[3] = {under(order, a, b), under(order, b, c), under(order, c, a)};
  memplan_ilp_row_open(order->model);
  for (int k = 0; k < 3; k++) {
    if (memplan_ilp_is_constant(sides[k], 0)) {
      memplan_ilp_row_close(order->model, -MEMPLAN_ILP_NONE, MEMPLAN_ILP_NONE, true, "ring");
      return;
    }
    memplan_ilp_row_add(order->model, 1, sides[k]);
  }
  memplan_ilp_row_close(order->model, -MEMPLAN_ILP_NONE, 2, true, "ring");
}

static void add_rings(memplan_ilp_order *order) {
  int32_t m = order->graph->n_items;
  for (int32_t a = 0; a < m; a++) {
    for (int32_t b = a + 1; b < m; b++) {
      for (int32_t c = b + 1; c < m && may_overlap(order, a, b); c++) {
        if (may_overlap(order, a, c) && may_overlap(order, b, c)) {
          forbid_ring(order, a, b, c);
          forbid_ring(order, a, c, b);
        }
      }
    }
  }
}

static memplan_ilp_literal live(memplan_ilp_order *order, int32_t item, int32_t at) {
  if (order->graph->items[item].reserved) {
    return memplan_ilp_constant(0);
  }
  return order->steps ? memplan_ilp_live(order, item, at) : memplan_ilp_live_at(order, item, at);
}

static void add_offset(const memplan_ilp_order *order, int64_t factor, int32_t item) {
  const memplan_joint_item *entry = &order->graph->items[item];
  if (order->offset[item] >= 0) {
    memplan_ilp_row_add(order->model, factor * entry->align, memplan_ilp_of(order->offset[item]));
  }
  memplan_ilp_row_add(order->model, factor, memplan_ilp_constant(least_offset(entry)));
}

// Is one item of the pair the other one's output in place? Then they may share bytes.
static bool shares(const memplan_joint_graph *graph, int32_t item) {
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    if (graph->pairs[k].born == item || graph->pairs[k].dying == item) {
      return true;
    }
  }
  return false;
}

// off(top) >= sum of bytes(k) [k live and below top], if top is live: each product of two as their sum less one.
// `hang`: the same from above.
static void add_stack(memplan_ilp_order *order, int32_t top, int32_t at, bool hang) {
  const memplan_joint_graph *graph = order->graph;
  memplan_ilp_literal here = live(order, top, at);
  int32_t n_open = 0;
  if (memplan_ilp_is_constant(here, 0)) {
    return;
  }
  memplan_ilp_row_open(order->model);
  for (int32_t k = 0; k < graph->n_items; k++) {
    if (k == top || !may_overlap(order, k, top) || shares(graph, k)) {
      continue;
    }
    memplan_ilp_literal alive = live(order, k, at), side = hang ? under(order, top, k) : under(order, k, top);
    if (memplan_ilp_is_constant(alive, 0) || memplan_ilp_is_constant(side, 0)) {
      continue;
    }
    int64_t bytes = graph->items[k].bytes;
    memplan_ilp_row_add(order->model, -bytes, side);
    memplan_ilp_row_add(order->model, bytes, memplan_ilp_not(alive));
    n_open += alive.column >= 0 || here.column >= 0;
  }
  memplan_ilp_row_add(order->model, order->ceiling, memplan_ilp_not(here));
  if (hang) {
    memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->peak));
  }
  add_offset(order, hang ? -1 : 1, top);
  // Where all of them are live in every order, the program has the row already.
  int64_t least = n_open > 0 ? (hang ? graph->items[top].bytes : 0) : -MEMPLAN_ILP_NONE;
  memplan_ilp_row_close(order->model, least, MEMPLAN_ILP_NONE, true, hang ? "hang" : "stack");
}

memplan_status memplan_ilp_joint_help(memplan_ilp_order *order, memplan_error *error) {
  const memplan_joint_graph *graph = order->graph;
  if (graph->n_items > most_items) {
    return MEMPLAN_OK;
  }
  add_rings(order);
  for (int32_t at = 0; at < graph->n_ops; at++) {
    for (int32_t top = 0; top < graph->n_items; top++) {
      (void)live(order, top, at); // its columns and rows first: a row that is open takes no other one
    }
    for (int32_t top = 0; top < graph->n_items; top++) {
      add_stack(order, top, at, false);
      add_stack(order, top, at, true);
    }
  }
  return memplan_ilp_status(order->model, error);
}
