// SPDX-License-Identifier: Apache-2.0
// The step form, by "done by" instead of "runs at": each precedence, lifetime and choice is then a comparison of two
// binaries.
#include "solvers/ilp_order.h"

memplan_ilp_literal memplan_ilp_done(const memplan_ilp_order *order, int32_t op, int32_t t) {
  const memplan_joint_graph *graph = order->graph;
  if (t < graph->earliest[op]) {
    return memplan_ilp_constant(0);
  }
  if (t >= graph->latest[op]) {
    return memplan_ilp_constant(1);
  }
  return memplan_ilp_of(order->done[(int64_t)op * graph->n_ops + t]);
}

static void add_columns(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t t = graph->earliest[op]; t < graph->latest[op]; t++) {
      order->done[(int64_t)op * graph->n_ops + t] =
          memplan_ilp_column_add(order->model, MEMPLAN_ILP_BINARY, 0, 1, "done.%s.%d", order->op_label[op], t);
    }
    for (int32_t t = graph->earliest[op]; t < graph->latest[op]; t++) {
      memplan_ilp_imply(order->model, memplan_ilp_done(order, op, t), memplan_ilp_done(order, op, t + 1), "stays_done");
    }
  }
}

static void add_precedence(memplan_ilp_order *order, int32_t u, int32_t w) {
  for (int32_t t = 0; t < order->graph->n_ops; t++) {
    memplan_ilp_imply(order->model, memplan_ilp_done(order, w, t), memplan_ilp_done(order, u, t - 1), "precedence");
  }
}

static void add_precedences(memplan_ilp_order *order) {
  const memplan_ordering *ordering = order->graph->ordering;
  for (int32_t op = 0; op < order->graph->n_ops; op++) {
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
      add_precedence(order, op, ordering->succ[k]);
    }
    if (order->graph->twin[op] >= 0) {
      add_precedence(order, order->graph->twin[op], op);
    }
  }
  for (int32_t t = 0; t < order->graph->n_ops; t++) {
    memplan_ilp_row_open(order->model);
    for (int32_t op = 0; op < order->graph->n_ops; op++) {
      memplan_ilp_row_add(order->model, 1, memplan_ilp_done(order, op, t));
    }
    memplan_ilp_row_close(order->model, t + 1, t + 1, false, "one_each_step");
  }
}

// step(op) = number of steps that it is not done by.
static void add_step(memplan_ilp_order *order, int64_t factor, int32_t op) {
  for (int32_t t = 0; t < order->graph->n_ops; t++) {
    memplan_ilp_row_add(order->model, factor, memplan_ilp_not(memplan_ilp_done(order, op, t)));
  }
}

static void add_groups(memplan_ilp_order *order) {
  const memplan_ordering *ordering = order->graph->ordering;
  for (int32_t group = 0; group < ordering->graph->n_groups; group++) {
    int32_t first = ordering->group_first[group], end = ordering->group_first[group + 1];
    for (int32_t a = first; a < end; a++) {
      for (int32_t b = a + 1; b < end; b++) {
        memplan_ilp_row_open(order->model);
        add_step(order, 1, ordering->group_ops[b]);
        add_step(order, -1, ordering->group_ops[a]);
        memplan_ilp_row_close(order->model, first - end + 1, end - first - 1, false, "group");
      }
    }
  }
}

// ---- lifetimes

// Births and deaths that are certain make it certain; else a column above "one birth done, one death not yet".
static memplan_ilp_literal make_live(memplan_ilp_order *order, int32_t item, int32_t t) {
  const memplan_joint_item *entry = &order->graph->items[item];
  if (entry->unread) {
    return memplan_ilp_constant(t == 0);
  }
  memplan_ilp_literal one = memplan_ilp_constant(1), none = memplan_ilp_constant(0);
  int32_t n_births = entry->init ? 1 : entry->n_births, n_deaths = entry->keep ? 1 : entry->n_deaths;
  bool certain = false, possible = false;
  for (int32_t b = 0; b < n_births; b++) {
    memplan_ilp_literal born = entry->init ? one : memplan_ilp_done(order, entry->births[b], t);
    for (int32_t d = 0; d < n_deaths; d++) {
      memplan_ilp_literal gone = entry->keep ? none : memplan_ilp_done(order, entry->deaths[d], t - 1);
      certain |= memplan_ilp_is_constant(born, 1) && memplan_ilp_is_constant(gone, 0);
      possible |= !memplan_ilp_is_constant(born, 0) && !memplan_ilp_is_constant(gone, 1);
      if (n_births == 1 && n_deaths == 1 && (memplan_ilp_is_constant(born, 1) || memplan_ilp_is_constant(gone, 0))) {
        return memplan_ilp_is_constant(born, 1) ? memplan_ilp_not(gone) : born;
      }
    }
  }
  if (certain || !possible) {
    return memplan_ilp_constant(certain);
  }
  int32_t column =
      memplan_ilp_column_add(order->model, MEMPLAN_ILP_CONTINUOUS, 0, 1, "live.%s.%d", order->item_label[item], t);
  for (int32_t b = 0; b < n_births; b++) {
    memplan_ilp_literal born = entry->init ? one : memplan_ilp_done(order, entry->births[b], t);
    for (int32_t d = 0; d < n_deaths; d++) {
      memplan_ilp_literal gone = entry->keep ? none : memplan_ilp_done(order, entry->deaths[d], t - 1);
      memplan_ilp_row_open(order->model);
      memplan_ilp_row_add(order->model, 1, memplan_ilp_of(column));
      memplan_ilp_row_add(order->model, -1, born);
      memplan_ilp_row_add(order->model, 1, gone);
      memplan_ilp_row_close(order->model, 0, MEMPLAN_ILP_NONE, false, "live");
    }
  }
  return memplan_ilp_of(column);
}

memplan_ilp_literal memplan_ilp_live(memplan_ilp_order *order, int32_t item, int32_t t) {
  memplan_ilp_literal *known = &order->live[(int64_t)item * order->graph->n_ops + t];
  if (known->column == -2) {
    *known = make_live(order, item, t);
  }
  return *known;
}

// ---- choices

// A pair chosen at step t: its operator runs then, the others that use the input are done, the output is not born.
static void add_choice_at(memplan_ilp_order *order, int32_t index, int32_t t) {
  const memplan_joint_graph *graph = order->graph;
  const memplan_joint_pair *pair = &graph->pairs[index];
  const memplan_joint_item *born = &graph->items[pair->born], *dying = &graph->items[pair->dying];
  int32_t column = memplan_ilp_column_add(order->model, MEMPLAN_ILP_CONTINUOUS, 0, 1, "inplace.%s.%s.%d",
                                          order->item_label[pair->born], order->item_label[pair->dying], t);
  memplan_ilp_literal chosen = memplan_ilp_of(column);
  order->choice_at[(int64_t)index * graph->n_ops + t] = column;
  memplan_ilp_row_open(order->model);
  memplan_ilp_row_add(order->model, 1, memplan_ilp_done(order, pair->op, t));
  memplan_ilp_row_add(order->model, -1, memplan_ilp_done(order, pair->op, t - 1));
  memplan_ilp_row_add(order->model, -1, chosen);
  memplan_ilp_row_close(order->model, 0, MEMPLAN_ILP_NONE, false, "runs_now");
  for (int32_t d = 0; d < dying->n_deaths; d++) {
    if (dying->deaths[d] != pair->op) {
      memplan_ilp_imply(order->model, chosen, memplan_ilp_done(order, dying->deaths[d], t - 1), "last_user");
    }
  }
  for (int32_t b = 0; b < born->n_births; b++) {
    if (born->births[b] != pair->op) {
      memplan_ilp_imply(order->model, chosen, memplan_ilp_not(memplan_ilp_done(order, born->births[b], t)),
                        "first_writer");
    }
  }
}

static void add_choices(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  memplan_ilp_choices_add(order);
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    int32_t op = graph->pairs[k].op;
    for (int32_t t = graph->earliest[op]; t <= graph->latest[op]; t++) {
      add_choice_at(order, k, t);
    }
    memplan_ilp_row_open(order->model);
    memplan_ilp_row_add(order->model, -1, memplan_ilp_of(order->choice[k]));
    for (int32_t t = graph->earliest[op]; t <= graph->latest[op]; t++) {
      memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->choice_at[(int64_t)k * graph->n_ops + t]));
    }
    memplan_ilp_row_close(order->model, 0, 0, false, "inplace");
  }
}

static void add_load(memplan_ilp_order *order, int32_t t) {
  const memplan_joint_graph *graph = order->graph;
  for (int32_t item = 0; item < graph->n_items; item++) { // their rows first: a row that is open takes no other one
    (void)memplan_ilp_live(order, item, t);
  }
  memplan_ilp_row_open(order->model);
  memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->peak));
  for (int32_t item = 0; item < graph->n_items; item++) {
    if (!graph->items[item].reserved) {
      memplan_ilp_row_add(order->model, -graph->items[item].bytes, memplan_ilp_live(order, item, t));
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    int32_t column = order->choice_at[(int64_t)k * graph->n_ops + t];
    if (column >= 0) {
      memplan_ilp_row_add(order->model, graph->pairs[k].saving, memplan_ilp_of(column));
    }
  }
  memplan_ilp_row_close(order->model, 0, MEMPLAN_ILP_NONE, false, "load");
}

void memplan_ilp_steps_add(memplan_ilp_order *order) {
  add_columns(order);
  add_precedences(order);
  add_groups(order);
  add_choices(order);
  for (int32_t t = 0; t < order->graph->n_ops; t++) {
    add_load(order, t);
  }
}
