// SPDX-License-Identifier: Apache-2.0
// The precedence form. "Dead" and "unborn" have rows in one direction only: they may be 0 where they could be 1, which
// costs load and room but forbids nothing; so they need not be binaries, as they are 0 or 1 wherever the turns are.
#include "solvers/ilp_order.h"

static int32_t turn_column(const memplan_ilp_order *order, int32_t u, int32_t w) {
  return order->turn[(int64_t)u * order->graph->n_ops + w];
}

memplan_ilp_literal memplan_ilp_turn(const memplan_ilp_order *order, int32_t u, int32_t w) {
  const memplan_joint_graph *graph = order->graph;
  if (u == w || memplan_joint_graph_before(graph, w, u)) {
    return memplan_ilp_constant(0);
  }
  if (memplan_joint_graph_before(graph, u, w)) {
    return memplan_ilp_constant(1);
  }
  if (graph->leader[u] != graph->leader[w]) { // groups run as one
    u = graph->leader[u];
    w = graph->leader[w];
  }
  return u < w ? memplan_ilp_of(turn_column(order, u, w)) : memplan_ilp_not(memplan_ilp_of(turn_column(order, w, u)));
}

static bool leads(const memplan_joint_graph *graph, int32_t u, int32_t w) {
  return graph->leader[u] == graph->leader[w] || (graph->leader[u] == u && graph->leader[w] == w);
}

static void add_turns(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  for (int32_t u = 0; u < graph->n_ops; u++) {
    for (int32_t w = u + 1; w < graph->n_ops; w++) {
      if (leads(graph, u, w) && !memplan_joint_graph_before(graph, u, w) && !memplan_joint_graph_before(graph, w, u)) {
        order->turn[(int64_t)u * graph->n_ops + w] =
            memplan_ilp_column_add(order->model, MEMPLAN_ILP_BINARY, graph->twin[w] == u, 1, "before.%s.%s",
                                   order->op_label[u], order->op_label[w]);
      }
    }
  }
}

// Not all three: u before w, w before x, x before u.
static void forbid_cycle(memplan_ilp_order *order, int32_t u, int32_t w, int32_t x) {
  memplan_ilp_literal sides[3] = {memplan_ilp_turn(order, u, w), memplan_ilp_turn(order, w, x),
                                  memplan_ilp_turn(order, x, u)};
  bool lazy = true;
  for (int k = 0; k < 3; k++) {
    if (memplan_ilp_is_constant(sides[k], 0)) {
      return;
    }
    lazy = lazy && sides[k].column >= 0;
  }
  memplan_ilp_row_open(order->model);
  for (int k = 0; k < 3; k++) {
    memplan_ilp_row_add(order->model, 1, sides[k]);
  }
  memplan_ilp_row_close(order->model, -MEMPLAN_ILP_NONE, 2, lazy, "transitive");
}

static void add_transitivity(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  for (int32_t u = 0; u < graph->n_ops; u++) {
    for (int32_t w = u + 1; w < graph->n_ops; w++) {
      for (int32_t x = w + 1; x < graph->n_ops && leads(graph, u, w); x++) {
        if (leads(graph, u, x) && leads(graph, w, x)) {
          forbid_cycle(order, u, w, x);
          forbid_cycle(order, u, x, w);
        }
      }
    }
  }
}

// ---- lifetimes

// An input that nobody reads is gone at v if some operator comes before v.
static memplan_ilp_literal unread_dead(memplan_ilp_order *order, int32_t item, int32_t v) {
  const memplan_joint_graph *graph = order->graph;
  if (graph->earliest[v] > 0) {
    return memplan_ilp_constant(1);
  }
  if (graph->n_ops == 1) {
    return memplan_ilp_constant(0);
  }
  int32_t column = memplan_ilp_column_add(order->model, MEMPLAN_ILP_CONTINUOUS, 0, 1, "dead.%s.%s",
                                          order->item_label[item], order->op_label[v]);
  memplan_ilp_row_open(order->model);
  memplan_ilp_row_add(order->model, -1, memplan_ilp_of(column));
  for (int32_t u = 0; u < graph->n_ops; u++) {
    memplan_ilp_row_add(order->model, 1, memplan_ilp_turn(order, u, v));
  }
  memplan_ilp_row_close(order->model, 0, MEMPLAN_ILP_NONE, false, "dead");
  return memplan_ilp_of(column);
}

// All of some turns: the only one that is not certain, or a new column below each of them.
static memplan_ilp_literal all_turns(memplan_ilp_order *order, const int32_t *ops, int32_t count, int32_t v, bool first,
                                     const char *word, int32_t item) {
  memplan_ilp_literal only = memplan_ilp_constant(1);
  int32_t open = 0;
  for (int32_t k = 0; k < count; k++) {
    memplan_ilp_literal turn = first ? memplan_ilp_turn(order, v, ops[k]) : memplan_ilp_turn(order, ops[k], v);
    if (memplan_ilp_is_constant(turn, 0)) {
      return turn;
    }
    if (turn.column >= 0 && !(open > 0 && turn.column == only.column && turn.factor == only.factor)) {
      only = turn;
      open++;
    }
  }
  if (open <= 1) {
    return only;
  }
  int32_t column = memplan_ilp_column_add(order->model, MEMPLAN_ILP_CONTINUOUS, 0, 1, "%s.%s.%s", word,
                                          order->item_label[item], order->op_label[v]);
  for (int32_t k = 0; k < count; k++) {
    memplan_ilp_literal turn = first ? memplan_ilp_turn(order, v, ops[k]) : memplan_ilp_turn(order, ops[k], v);
    memplan_ilp_imply(order->model, memplan_ilp_of(column), turn, word);
  }
  return memplan_ilp_of(column);
}

memplan_ilp_literal memplan_ilp_dead(memplan_ilp_order *order, int32_t item, int32_t v) {
  const memplan_joint_item *entry = &order->graph->items[item];
  memplan_ilp_literal *known = &order->dead[(int64_t)item * order->graph->n_ops + v];
  if (known->column == -2) {
    *known = entry->keep     ? memplan_ilp_constant(0)
             : entry->unread ? unread_dead(order, item, v)
                             : all_turns(order, entry->deaths, entry->n_deaths, v, false, "dead", item);
  }
  return *known;
}

memplan_ilp_literal memplan_ilp_unborn(memplan_ilp_order *order, int32_t item, int32_t v) {
  const memplan_joint_item *entry = &order->graph->items[item];
  memplan_ilp_literal *known = &order->unborn[(int64_t)item * order->graph->n_ops + v];
  if (known->column == -2) {
    *known = entry->init ? memplan_ilp_constant(0)
                         : all_turns(order, entry->births, entry->n_births, v, true, "unborn", item);
  }
  return *known;
}

// ---- choices and loads

static void add_choices(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  memplan_ilp_choices_add(order);
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    const memplan_joint_item *born = &graph->items[pair->born], *dying = &graph->items[pair->dying];
    memplan_ilp_literal chosen = memplan_ilp_of(order->choice[k]);
    for (int32_t d = 0; d < dying->n_deaths; d++) {
      if (dying->deaths[d] != pair->op) {
        memplan_ilp_imply(order->model, chosen, memplan_ilp_turn(order, dying->deaths[d], pair->op), "last_user");
      }
    }
    for (int32_t b = 0; b < born->n_births; b++) {
      if (born->births[b] != pair->op) {
        memplan_ilp_imply(order->model, chosen, memplan_ilp_turn(order, pair->op, born->births[b]), "first_writer");
      }
    }
  }
}

static memplan_ilp_literal make_live(memplan_ilp_order *order, int32_t item, int32_t v) {
  memplan_ilp_literal dead = memplan_ilp_dead(order, item, v);
  if (memplan_ilp_is_constant(dead, 1)) {
    return memplan_ilp_constant(0);
  }
  memplan_ilp_literal unborn = memplan_ilp_unborn(order, item, v);
  if (unborn.column < 0 && unborn.constant == 1) {
    return memplan_ilp_constant(0);
  }
  if (dead.column < 0 || unborn.column < 0) {
    return memplan_ilp_not(dead.column < 0 ? unborn : dead);
  }
  int32_t column = memplan_ilp_column_add(order->model, MEMPLAN_ILP_CONTINUOUS, 0, 1, "live.%s.%s",
                                          order->item_label[item], order->op_label[v]);
  memplan_ilp_row_open(order->model);
  memplan_ilp_row_add(order->model, 1, memplan_ilp_of(column));
  memplan_ilp_row_add(order->model, 1, dead);
  memplan_ilp_row_add(order->model, 1, unborn);
  memplan_ilp_row_close(order->model, 1, MEMPLAN_ILP_NONE, false, "live");
  return memplan_ilp_of(column);
}

static memplan_ilp_literal live_at(memplan_ilp_order *order, int32_t item, int32_t v) {
  memplan_ilp_literal *known = &order->live[(int64_t)item * order->graph->n_ops + v];
  if (known->column == -2) {
    *known = make_live(order, item, v);
  }
  return *known;
}

static void add_load(memplan_ilp_order *order, int32_t v) {
  const memplan_joint_graph *graph = order->graph;
  // Columns and rows of lifetimes come first: a row that is open takes no other one.
  for (int32_t item = 0; item < graph->n_items; item++) {
    if (!graph->items[item].reserved) {
      (void)live_at(order, item, v);
    }
  }
  memplan_ilp_row_open(order->model);
  memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->peak));
  for (int32_t item = 0; item < graph->n_items; item++) {
    if (!graph->items[item].reserved) {
      memplan_ilp_row_add(order->model, -graph->items[item].bytes, order->live[(int64_t)item * graph->n_ops + v]);
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    if (graph->pairs[k].op == v) {
      memplan_ilp_row_add(order->model, graph->pairs[k].saving, memplan_ilp_of(order->choice[k]));
    }
  }
  memplan_ilp_row_close(order->model, 0, MEMPLAN_ILP_NONE, false, "load");
}

void memplan_ilp_precedence_add(memplan_ilp_order *order) {
  add_turns(order);
  add_transitivity(order);
  add_choices(order);
  for (int32_t v = 0; v < order->graph->n_ops; v++) {
    add_load(order, v);
  }
}
