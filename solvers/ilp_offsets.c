// SPDX-License-Identifier: Apache-2.0
// Offsets for either form. Two items are one of three things to each other: never live together (no row), live together
// in every order (one binary, as in a placement), or maybe (a binary for each side, one of which an overlap asks for; a
// chosen in-place pair counts as neither).
//
// Rows that say where a pair lies to each other wait for a violation where lifetimes may part the two from either side:
// few of them matter in any one solution.
#include "solvers/ilp_order.h"

static int64_t least_offset(const memplan_joint_item *item) { return item->pin >= 0 ? item->pin : item->residue; }

void memplan_ilp_offset_add(const memplan_ilp_order *order, memplan_ilp *model, int64_t factor, int32_t item) {
  const memplan_joint_item *entry = &order->graph->items[item];
  if (order->offset[item] < 0) {
    memplan_ilp_row_add(model, factor, memplan_ilp_constant(entry->pin));
    return;
  }
  memplan_ilp_row_add(model, factor * entry->align, memplan_ilp_of(order->offset[item]));
  memplan_ilp_row_add(model, factor, memplan_ilp_constant(entry->residue));
}

static void add_offset(const memplan_ilp_order *order, int64_t factor, int32_t item) {
  memplan_ilp_offset_add(order, order->model, factor, item);
}

static void add_item(memplan_ilp_order *order, int32_t item) {
  const memplan_joint_item *entry = &order->graph->items[item];
  int64_t room = order->ceiling - entry->bytes;
  order->offset[item] = -1;
  order->most[item] = entry->pin;
  if (entry->pin < 0) {
    int64_t steps = room < entry->residue ? 0 : (room - entry->residue) / entry->align;
    bool aligned = entry->align > 1;
    order->most[item] = entry->residue + entry->align * steps;
    order->offset[item] = memplan_ilp_column_add(order->model, aligned ? MEMPLAN_ILP_INTEGER : MEMPLAN_ILP_CONTINUOUS,
                                                 0, steps, "%s.%s", aligned ? "step" : "off", order->item_label[item]);
  }
  if (!entry->reserved) {
    memplan_ilp_row_open(order->model);
    memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->peak));
    add_offset(order, -1, item);
    memplan_ilp_row_close(order->model, entry->bytes, MEMPLAN_ILP_NONE, false, "end");
  }
}

// `under` implies that a ends at or below b.
static void add_below(memplan_ilp_order *order, int32_t a, int32_t b, memplan_ilp_literal under, bool lazy) {
  const memplan_joint_item *lower = &order->graph->items[a], *upper = &order->graph->items[b];
  int64_t most = lower->bytes + order->most[a] - least_offset(upper);
  order->side[(int64_t)a * order->graph->n_items + b] = under;
  if (most <= 0 || memplan_ilp_is_constant(under, 0)) {
    return;
  }
  memplan_ilp_row_open(order->model);
  add_offset(order, 1, b);
  add_offset(order, -1, a);
  memplan_ilp_row_add(order->model, most, memplan_ilp_not(under));
  memplan_ilp_row_close(order->model, lower->bytes, MEMPLAN_ILP_NONE, lazy, "below");
}

static memplan_ilp_literal new_below(memplan_ilp_order *order, int32_t a, int32_t b) {
  const memplan_joint_item *lower = &order->graph->items[a];
  if (order->most[b] < least_offset(lower) + lower->bytes) {
    return memplan_ilp_constant(0); // there is no room for a below b
  }
  int32_t column = memplan_ilp_column_add(order->model, MEMPLAN_ILP_BINARY, 0, 1, "below.%s.%s", order->item_label[a],
                                          order->item_label[b]);
  if (order->model->n_columns > column) {
    order->model->columns[column].rank = 1;
  }
  return memplan_ilp_of(column);
}

// Live together in every order, and never one over the other: exactly one lies below.
static void exclude_always(memplan_ilp_order *order, int32_t a, int32_t b) {
  memplan_ilp_literal below = new_below(order, a, b), above = memplan_ilp_constant(0);
  int32_t m = order->graph->n_items;
  const memplan_joint_item *upper = &order->graph->items[b];
  if (order->most[a] >= least_offset(upper) + upper->bytes) {
    above = memplan_ilp_not(below);
  } else if (below.column >= 0) {
    below = memplan_ilp_constant(1);
  } else { // no room for both at all
    memplan_ilp_row_open(order->model);
    memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->peak));
    memplan_ilp_row_close(order->model, order->ceiling + 1, MEMPLAN_ILP_NONE, false, "no_room");
  }
  add_below(order, a, b, below, false);
  add_below(order, b, a, above, false);
  order->below[(int64_t)a * m + b] = below;
  order->below[(int64_t)b * m + a] = above;
}

// A binary for each side; an overlap asks for one of them.
static void new_sides(memplan_ilp_order *order, int32_t a, int32_t b, memplan_ilp_literal *below,
                      memplan_ilp_literal *above, bool lazy) {
  *below = new_below(order, a, b);
  *above = new_below(order, b, a);
  add_below(order, a, b, *below, lazy);
  add_below(order, b, a, *above, lazy);
}

static bool has_pair(const memplan_joint_graph *graph, int32_t a, int32_t b) {
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    if ((pair->born == a && pair->dying == b) || (pair->born == b && pair->dying == a)) {
      return true;
    }
  }
  return false;
}

static void add_chosen(const memplan_ilp_order *order, int32_t a, int32_t b, int32_t t) {
  const memplan_joint_graph *graph = order->graph;
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    if ((pair->born == a && pair->dying == b) || (pair->born == b && pair->dying == a)) {
      int32_t column = t < 0 ? order->choice[k] : order->choice_at[(int64_t)k * graph->n_ops + t];
      if (column >= 0) {
        memplan_ilp_row_add(order->model, 1, memplan_ilp_of(column));
      }
    }
  }
}

// ---- precedence form

// All deaths of a come before all births of b: 1 only if so.
static memplan_ilp_literal gone_before(memplan_ilp_order *order, int32_t a, int32_t b) {
  const memplan_joint_item *born = &order->graph->items[b];
  if (born->init) {
    return memplan_ilp_constant(0);
  }
  memplan_ilp_literal only = memplan_ilp_constant(1);
  int32_t open = 0;
  for (int32_t k = 0; k < born->n_births; k++) {
    memplan_ilp_literal dead = memplan_ilp_dead(order, a, born->births[k]);
    if (memplan_ilp_is_constant(dead, 0)) {
      return dead;
    }
    if (dead.column >= 0) {
      only = dead;
      open++;
    }
  }
  if (open <= 1) {
    return only;
  }
  int32_t column = memplan_ilp_column_add(order->model, MEMPLAN_ILP_CONTINUOUS, 0, 1, "gone.%s.%s",
                                          order->item_label[a], order->item_label[b]);
  for (int32_t k = 0; k < born->n_births; k++) {
    memplan_ilp_imply(order->model, memplan_ilp_of(column), memplan_ilp_dead(order, a, born->births[k]), "gone");
  }
  return memplan_ilp_of(column);
}

static void exclude_by_turns(memplan_ilp_order *order, int32_t a, int32_t b) {
  memplan_ilp_literal first = gone_before(order, a, b);
  if (memplan_ilp_is_constant(first, 1)) {
    return;
  }
  memplan_ilp_literal second = gone_before(order, b, a);
  if (memplan_ilp_is_constant(second, 1)) {
    return;
  }
  bool always = first.column < 0 && second.column < 0;
  if (always && !has_pair(order->graph, a, b)) {
    exclude_always(order, a, b);
    return;
  }
  memplan_ilp_literal below, above;
  new_sides(order, a, b, &below, &above, first.column >= 0 && second.column >= 0);
  memplan_ilp_row_open(order->model);
  memplan_ilp_row_add(order->model, 1, below);
  memplan_ilp_row_add(order->model, 1, above);
  memplan_ilp_row_add(order->model, 1, first);
  memplan_ilp_row_add(order->model, 1, second);
  add_chosen(order, a, b, -1);
  memplan_ilp_row_close(order->model, 1, MEMPLAN_ILP_NONE, false, "apart");
}

// ---- step form

static void exclude_by_steps(memplan_ilp_order *order, int32_t a, int32_t b) {
  const memplan_joint_graph *graph = order->graph;
  bool ever = false, always = false;
  for (int32_t t = 0; t < graph->n_ops; t++) {
    memplan_ilp_literal x = memplan_ilp_live(order, a, t), y = memplan_ilp_live(order, b, t);
    ever |= !memplan_ilp_is_constant(x, 0) && !memplan_ilp_is_constant(y, 0);
    always |= memplan_ilp_is_constant(x, 1) && memplan_ilp_is_constant(y, 1);
  }
  if (!ever && graph->n_ops > 0) {
    return;
  }
  if ((always || graph->n_ops == 0) && !has_pair(graph, a, b)) {
    exclude_always(order, a, b);
    return;
  }
  memplan_ilp_literal below, above;
  new_sides(order, a, b, &below, &above, !always);
  for (int32_t t = 0; t < graph->n_ops; t++) {
    memplan_ilp_literal x = memplan_ilp_live(order, a, t), y = memplan_ilp_live(order, b, t);
    if (memplan_ilp_is_constant(x, 0) || memplan_ilp_is_constant(y, 0)) {
      continue;
    }
    memplan_ilp_row_open(order->model);
    memplan_ilp_row_add(order->model, 1, below);
    memplan_ilp_row_add(order->model, 1, above);
    memplan_ilp_row_add(order->model, -1, x);
    memplan_ilp_row_add(order->model, -1, y);
    add_chosen(order, a, b, t);
    memplan_ilp_row_close(order->model, -1, MEMPLAN_ILP_NONE, false, "apart");
  }
}

// ---- ties, stacks, symmetry

// A chosen pair: off(output) = off(input) + delta.
static void add_tie(memplan_ilp_order *order, int32_t index) {
  const memplan_joint_pair *pair = &order->graph->pairs[index];
  const memplan_joint_item *born = &order->graph->items[pair->born], *dying = &order->graph->items[pair->dying];
  memplan_ilp_literal idle = memplan_ilp_not(memplan_ilp_of(order->choice[index]));
  memplan_ilp_row_open(order->model);
  add_offset(order, 1, pair->born);
  add_offset(order, -1, pair->dying);
  memplan_ilp_row_add(order->model, order->most[pair->dying] + pair->delta - least_offset(born), idle);
  memplan_ilp_row_close(order->model, pair->delta, MEMPLAN_ILP_NONE, false, "tie");
  memplan_ilp_row_open(order->model);
  add_offset(order, 1, pair->born);
  add_offset(order, -1, pair->dying);
  memplan_ilp_row_add(order->model, -(order->most[pair->born] - least_offset(dying) - pair->delta), idle);
  memplan_ilp_row_close(order->model, -MEMPLAN_ILP_NONE, pair->delta, false, "tie");
}

// Live while the operator runs, in every order.
static bool holds_at(const memplan_joint_graph *graph, int32_t item, int32_t op) {
  const memplan_joint_item *entry = &graph->items[item];
  bool born = entry->init && !entry->unread, alive = entry->keep;
  for (int32_t k = 0; k < entry->n_births; k++) {
    born |= entry->births[k] == op || memplan_joint_graph_before(graph, entry->births[k], op);
  }
  for (int32_t k = 0; k < entry->n_deaths; k++) {
    alive |= entry->deaths[k] == op || memplan_joint_graph_before(graph, op, entry->deaths[k]);
  }
  return born && alive;
}

static bool is_member(const int32_t *members, int32_t count, int32_t item) {
  for (int32_t k = 0; k < count; k++) {
    if (members[k] == item) {
      return true;
    }
  }
  return false;
}

// Everything that surely is live at an operator and lies below an item lies below it together; a pair chosen among them
// counts once.
static void add_stack(memplan_ilp_order *order, const int32_t *members, int32_t count, int32_t top, bool hang) {
  const memplan_joint_graph *graph = order->graph;
  int32_t m = graph->n_items;
  bool any = false;
  memplan_ilp_row_open(order->model);
  for (int32_t k = 0; k < count; k++) {
    int32_t from = hang ? top : members[k], to = hang ? members[k] : top;
    memplan_ilp_literal below = members[k] != top ? order->below[(int64_t)from * m + to] : memplan_ilp_constant(-1);
    if (members[k] != top && below.constant >= 0) {
      memplan_ilp_row_add(order->model, -graph->items[members[k]].bytes, below);
      any = true;
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    if (pair->born != top && pair->dying != top && is_member(members, count, pair->born) &&
        is_member(members, count, pair->dying)) {
      memplan_ilp_row_add(order->model, pair->saving, memplan_ilp_of(order->choice[k]));
    }
  }
  if (hang) {
    memplan_ilp_row_add(order->model, 1, memplan_ilp_of(order->peak));
    add_offset(order, -1, top);
    memplan_ilp_row_close(order->model, any ? graph->items[top].bytes : -MEMPLAN_ILP_NONE, MEMPLAN_ILP_NONE, false,
                          "hang");
  } else {
    add_offset(order, 1, top);
    memplan_ilp_row_close(order->model, any ? 0 : -MEMPLAN_ILP_NONE, MEMPLAN_ILP_NONE, false, "stack");
  }
}

static void add_stacks(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  int32_t *members = MEMPLAN_NEW(order->arena, int32_t, graph->n_items);
  if (members == NULL) {
    order->model->out_of_memory = true;
    return;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    int32_t count = 0;
    for (int32_t item = 0; item < graph->n_items; item++) {
      if (holds_at(graph, item, op) && !graph->items[item].reserved) {
        members[count++] = item;
      }
    }
    for (int32_t k = 0; k < count && count > 2; k++) {
      add_stack(order, members, count, members[k], false);
      add_stack(order, members, count, members[k], true);
    }
  }
}

static void break_symmetry(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  int32_t best = -1, m = graph->n_items;
  int64_t most = 0;
  for (int32_t a = 0; a < m; a++) {
    if (graph->items[a].align != 1 || graph->items[a].pin >= 0 || graph->n_pairs > 0) {
      return;
    }
    for (int32_t b = a + 1; b < m; b++) {
      int64_t weight = graph->items[a].bytes + graph->items[b].bytes;
      if (order->below[(int64_t)a * m + b].column >= 0 && weight > most) {
        most = weight;
        best = order->below[(int64_t)a * m + b].column;
      }
    }
  }
  if (best >= 0 && !order->model->out_of_memory) {
    order->model->columns[best].lower = 1;
  }
}

void memplan_ilp_offsets_add(memplan_ilp_order *order) {
  const memplan_joint_graph *graph = order->graph;
  int32_t m = graph->n_items;
  for (int64_t k = 0; k < (int64_t)m * m; k++) {
    order->below[k] = order->side[k] = memplan_ilp_constant(-1);
  }
  for (int32_t item = 0; item < m; item++) {
    add_item(order, item);
  }
  for (int32_t a = 0; a < m; a++) {
    for (int32_t b = a + 1; b < m; b++) {
      if (graph->items[a].reserved && graph->items[b].reserved) {
        continue;
      }
      if (order->steps) {
        exclude_by_steps(order, a, b);
      } else {
        exclude_by_turns(order, a, b);
      }
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    add_tie(order, k);
  }
  add_stacks(order);
  break_symmetry(order);
}
