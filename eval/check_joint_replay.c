// SPDX-License-Identifier: Apache-2.0
// A literal that becomes false visits the clauses it stands in, a bound of an offset the arcs from and to its item, and
// a turn is joined with those before and behind it.
#include "eval/check_joint_replay.h"

#include "eval/check_joint_rules.h"

#include <stdlib.h>

struct memplan_joint_replay {
  const memplan_check_joint_model *model;
  memplan_joint_literals literals;
  memplan_joint_rules rules;
  memplan_check_bounds bounds;
  int32_t *leaders, n_leaders; // operators that are the first of their group
};

int64_t memplan_joint_replay_count(const memplan_check_joint_model *model) {
  return memplan_joint_literals_count(model);
}

memplan_check_bounds *memplan_joint_replay_bounds(memplan_joint_replay *replay) { return &replay->bounds; }

bool memplan_joint_replay_holds(const memplan_joint_replay *replay, int32_t literal) {
  return memplan_check_bounds_is_true(&replay->bounds, literal, memplan_joint_literal_truth(literal));
}

int32_t memplan_joint_replay_dead(const memplan_joint_replay *replay, int32_t item, int32_t op) {
  return memplan_joint_literal_dead(&replay->literals, item, op);
}

int32_t memplan_joint_replay_unborn(const memplan_joint_replay *replay, int32_t item, int32_t op) {
  return memplan_joint_literal_unborn(&replay->literals, item, op);
}

int32_t memplan_joint_replay_turn(const memplan_joint_replay *replay, int32_t first, int32_t second) {
  return memplan_joint_literal_turn(&replay->literals, first, second);
}

int32_t memplan_joint_replay_choice(const memplan_joint_replay *replay, int32_t pair) {
  return memplan_joint_literal_choice(&replay->literals, pair);
}

void memplan_joint_replay_set(memplan_joint_replay *replay, int32_t literal) {
  memplan_check_bounds_raise(&replay->bounds, literal, memplan_joint_literal_truth(literal));
}

// ---- drawing

// An allowed offset of the item for a bound within the other one's; the item is not pinned.
static int64_t round_offset(const void *owner, int32_t side, int64_t value) {
  const memplan_joint_replay *replay = owner;
  const memplan_check_joint_item *item = &replay->model->items[side >> 1];
  if (item->align == 1) {
    return value;
  }
  if ((side & 1) == 0) {
    int64_t over = (value - item->residue) % item->align;
    over = over < 0 ? over + item->align : over;
    return over == 0 ? value : value + item->align - over;
  }
  int64_t over = (-value - item->residue) % item->align;
  over = over < 0 ? over + item->align : over;
  return value + over;
}

static void set(memplan_joint_replay *replay, int32_t side, int64_t value) {
  memplan_check_bounds_put(&replay->bounds, side, value);
}

static void put_literal(memplan_joint_replay *replay, int32_t literal) {
  set(replay, literal, memplan_joint_literal_truth(literal));
}

static void push_arc(memplan_joint_replay *replay, const memplan_joint_arc *one) {
  set(replay, 2 * one->to, replay->bounds.value[2 * one->from] + one->distance);
  set(replay, 2 * one->from + 1, replay->bounds.value[2 * one->to + 1] + one->distance);
}

static void look_at_arc(memplan_joint_replay *replay, const memplan_joint_arc *one) {
  if (memplan_joint_replay_holds(replay, one->guard)) {
    push_arc(replay, one);
  } else if (replay->bounds.value[2 * one->from] + one->distance > -replay->bounds.value[2 * one->to + 1]) {
    put_literal(replay, one->guard ^ 1);
  }
}

static void look_at_clause(memplan_joint_replay *replay, int64_t clause) {
  const memplan_joint_rules *rules = &replay->rules;
  int64_t end = rules->starts[clause + 1];
  int32_t open = -1;
  memplan_check_bounds_charge(&replay->bounds, 1 + end - rules->starts[clause]);
  for (int64_t k = rules->starts[clause]; k < end; k++) {
    int32_t literal = rules->list[k];
    if (memplan_joint_replay_holds(replay, literal ^ 1)) {
      continue;
    }
    if (open >= 0) {
      return;
    }
    open = literal;
  }
  if (open < 0) {
    memplan_check_bounds_contradict(&replay->bounds);
  } else {
    put_literal(replay, open);
  }
}

// c before a before b, or a before b before c.
static void join(memplan_joint_replay *replay, int32_t a, int32_t b, int32_t c) {
  const memplan_joint_literals *literals = &replay->literals;
  if (c == a || c == b) {
    return;
  }
  if (memplan_joint_replay_holds(replay, memplan_joint_literal_turn(literals, c, a))) {
    put_literal(replay, memplan_joint_literal_turn(literals, c, b));
  }
  if (memplan_joint_replay_holds(replay, memplan_joint_literal_turn(literals, b, c))) {
    put_literal(replay, memplan_joint_literal_turn(literals, a, c));
  }
}

static void draw_turn(void *owner, int32_t side) {
  memplan_joint_replay *replay = owner;
  const memplan_joint_literals *literals = &replay->literals;
  const int32_t *leader = literals->leader;
  memplan_check_bounds_charge(&replay->bounds, literals->n);
  int32_t turn = (side >> 1) - literals->turns, a = turn / literals->n, b = turn % literals->n;
  if (a >= b) {
    return;
  }
  if ((side & 1) != 0) {
    int32_t first = a;
    a = b;
    b = first;
  }
  if (leader[a] == leader[b]) {
    for (int32_t c = 0; c < literals->n && !replay->bounds.stopped; c++) {
      if (leader[c] == leader[a]) {
        join(replay, a, b, c);
      }
    }
  } else if (leader[a] == a && leader[b] == b) {
    for (int32_t k = 0; k < replay->n_leaders && !replay->bounds.stopped; k++) {
      join(replay, a, b, replay->leaders[k]);
    }
  }
}

static void draw_offset(memplan_joint_replay *replay, int32_t side) {
  int32_t item = side >> 1;
  bool rises = (side & 1) == 0;
  const int32_t *first = rises ? replay->rules.first_leaving : replay->rules.first_entering;
  const int32_t *list = rises ? replay->rules.leaving : replay->rules.entering;
  memplan_check_bounds_charge(&replay->bounds, 1 + first[item + 1] - first[item]);
  for (int32_t k = first[item]; k < first[item + 1] && !replay->bounds.stopped; k++) {
    look_at_arc(replay, &replay->rules.arcs[list[k]]);
  }
}

static void draw_height(memplan_joint_replay *replay, int32_t side) {
  memplan_check_bounds_charge(&replay->bounds, replay->literals.m);
  for (int32_t item = 0; item < replay->literals.m && (side & 1) != 0 && !replay->bounds.stopped; item++) {
    const memplan_check_joint_item *entry = &replay->model->items[item];
    if (!entry->reserved) {
      set(replay, 2 * item + 1, replay->bounds.value[side] + entry->bytes);
    }
  }
}

static void draw(void *owner, int32_t side) {
  memplan_joint_replay *replay = owner;
  const memplan_joint_rules *rules = &replay->rules;
  const memplan_joint_literals *literals = &replay->literals;
  int32_t variable = side >> 1;
  if (variable < literals->m) {
    draw_offset(replay, side);
    return;
  }
  if (variable == literals->m) {
    draw_height(replay, side);
    return;
  }
  int64_t end = rules->first_of_side[(side ^ 1) + 1];
  for (int64_t k = rules->first_of_side[side ^ 1]; k < end && !replay->bounds.stopped; k++) {
    look_at_clause(replay, rules->of_side[k]);
  }
  if (variable < literals->choices) {
    draw_turn(replay, side);
  } else if (variable < literals->dead && (side & 1) == 0) {
    int32_t tie = rules->first_tie + 2 * (variable - literals->choices);
    push_arc(replay, &rules->arcs[tie]);
    push_arc(replay, &rules->arcs[tie + 1]);
  } else if (variable >= literals->below && (side & 1) == 0 && rules->below_arc[variable - literals->below] >= 0) {
    push_arc(replay, &rules->arcs[rules->below_arc[variable - literals->below]]);
  }
}

// ---- making

// Turns that are certain, before there are any clauses.
static void find_turns(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  const memplan_joint_literals *literals = &replay->literals;
  for (int32_t op = 0; op < literals->n; op++) {
    if (literals->leader[op] == op) {
      replay->leaders[replay->n_leaders++] = op;
    }
  }
  for (int32_t op = 0; op < literals->n && !replay->bounds.stopped; op++) {
    for (int32_t k = model->succ_first[op]; k < model->succ_first[op + 1]; k++) {
      put_literal(replay, memplan_joint_literal_turn(literals, op, model->succ[k]));
    }
  }
  replay->bounds.draw = draw_turn;
  memplan_check_bounds_draw(&replay->bounds);
  replay->bounds.draw = draw;
  replay->bounds.head = 0; // what the clauses make of them is still to be drawn
}

// Bounds before anything is known. False: an item has no room.
static bool set_bounds(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  int64_t *value = replay->bounds.value;
  int32_t m = replay->literals.m;
  bool fits = true;
  for (int32_t item = 0; item < m; item++) {
    const memplan_check_joint_item *entry = &model->items[item];
    bool pinned = entry->pin >= 0;
    int64_t room = entry->reserved ? model->top : model->top - entry->bytes;
    int64_t low = pinned ? entry->pin : entry->residue;
    fits = fits && low <= room;
    int64_t high = pinned || low > room ? low : room - (room - low) % entry->align;
    value[2 * item] = low;
    value[2 * item + 1] = -high;
  }
  value[2 * m] = 0;
  value[2 * m + 1] = -model->top;
  for (int32_t variable = m + 1; variable < replay->literals.n_variables; variable++) {
    value[2 * variable] = 0;
    value[2 * variable + 1] = -1;
  }
  return fits;
}

// Looks at every rule once.
static void draw_rules(memplan_joint_replay *replay) {
  const memplan_joint_rules *rules = &replay->rules;
  for (int64_t k = 0; k < rules->n_arcs && !replay->bounds.stopped; k++) {
    look_at_arc(replay, &rules->arcs[k]);
  }
  for (int64_t clause = 0; clause < rules->n_clauses && !replay->bounds.stopped; clause++) {
    look_at_clause(replay, clause);
  }
  memplan_check_bounds_draw(&replay->bounds);
}

static bool make(memplan_joint_replay *replay, memplan_check_meter *meter, int64_t most_changes) {
  replay->literals = memplan_joint_literals_of(replay->model);
  int32_t n_sides = 2 * replay->literals.n_variables;
  replay->bounds = (memplan_check_bounds){.value = malloc((size_t)n_sides * sizeof *replay->bounds.value),
                                          .n_sides = n_sides,
                                          .n_offsets = replay->literals.m,
                                          .most_changes = most_changes,
                                          .meter = meter,
                                          .round = round_offset,
                                          .draw = draw,
                                          .owner = replay};
  replay->leaders = malloc(((size_t)replay->literals.n + 1) * sizeof *replay->leaders);
  if (replay->bounds.value == NULL || replay->leaders == NULL) {
    return false;
  }
  bool fits = set_bounds(replay);
  find_turns(replay);
  if (!memplan_joint_rules_init(&replay->rules, replay->model, &replay->literals, &replay->bounds)) {
    return false;
  }
  replay->bounds.stopped = replay->bounds.stopped || !fits;
  draw_rules(replay);
  return !replay->bounds.nomem;
}

memplan_joint_replay *memplan_joint_replay_new(const memplan_check_joint_model *model, memplan_check_meter *meter,
                                               int64_t most_changes) {
  memplan_joint_replay *replay = calloc(1, sizeof *replay);
  if (replay == NULL) {
    return NULL;
  }
  replay->model = model;
  if (!make(replay, meter, most_changes)) {
    memplan_joint_replay_free(replay);
    return NULL;
  }
  return replay;
}

void memplan_joint_replay_free(memplan_joint_replay *replay) {
  if (replay != NULL) {
    memplan_check_bounds_free(&replay->bounds);
    memplan_joint_rules_free(&replay->rules);
    free(replay->leaders);
    free(replay);
  }
}
