// SPDX-License-Identifier: Apache-2.0
// Definitions are clauses over Booleans; a literal that becomes false visits the clauses it stands in. Each clause and
// rule holds in every plan, if `below` is read as: neither item is gone before the other, no pair ties them, and the
// one lies below the other.
//
// Only the outermost operators of an item count for its birth and death: who follows all that others follow for
// certain. Else a clause would stay open where these others already settle it.
#include "eval/check_joint_replay.h"

#include "model/base/grow.h"

#include <stdlib.h>
#include <string.h>

typedef struct undo {
  int64_t value;
  int32_t side;
} undo;

// If the literal is true, `to` lies at or above `from` + distance.
typedef struct arc {
  int32_t from, to, guard;
  int64_t distance;
} arc;

struct memplan_joint_replay {
  const memplan_check_joint_model *model;
  int32_t n, m, n_variables;
  int32_t turns, choices, dead, unborn, gone, below; // first variables
  int64_t *bound;                                    // by side
  undo *trail;
  int64_t n_trail, most_trail, head, trail_room;
  memplan_check_meter *meter;
  bool failed; // or nothing more can be drawn: nomem, spent
  bool nomem, spent;
  // clauses
  int32_t *literals;
  int64_t n_literals, literal_room;
  int64_t *starts;
  int64_t n_clauses, start_room;
  int64_t *first_of_side; // n sides + 1, into of_side
  int32_t *of_side;       // clauses
  int32_t *same;          // by variable: the literal that its truth is, mostly its own
  arc *arcs;
  int64_t n_arcs, arc_room;
  int32_t *first_leaving, *leaving, *first_entering, *entering; // arcs by item
  int32_t *below_arc;                                           // by pair of items: its arc, -1
  int32_t first_tie;                                            // two arcs for each in-place pair follow
  int32_t *leaders, n_leaders;
  int32_t **births, **deaths; // by item: outermost ones
  int32_t *n_births, *n_deaths;
  int32_t *scratch;
  memplan_arena arena;
};

int64_t memplan_joint_replay_count(const memplan_check_joint_model *model) {
  int64_t n = model->n_ops, m = model->n_items;
  return m + 1 + n * n + model->n_pairs + 2 * m * n + 2 * m * m;
}

int32_t memplan_joint_replay_sides(const memplan_joint_replay *replay) { return 2 * replay->n_variables; }

bool memplan_joint_replay_is_true(const memplan_joint_replay *replay, int32_t side, int64_t value) {
  return replay->bound[side] >= value;
}

int64_t memplan_joint_replay_bound(const memplan_joint_replay *replay, int32_t side) { return replay->bound[side]; }

bool memplan_joint_replay_failed(const memplan_joint_replay *replay) {
  return replay->failed && !replay->nomem && !replay->spent;
}

bool memplan_joint_replay_nomem(const memplan_joint_replay *replay) { return replay->nomem; }

bool memplan_joint_replay_spent(const memplan_joint_replay *replay) { return replay->spent; }

void memplan_joint_replay_contradict(memplan_joint_replay *replay) { replay->failed = true; }

static int64_t truth(int32_t literal) { return 1 - (literal & 1); }

bool memplan_joint_replay_holds(const memplan_joint_replay *replay, int32_t literal) {
  return replay->bound[literal] >= truth(literal);
}

int32_t memplan_joint_replay_dead(const memplan_joint_replay *replay, int32_t item, int32_t op) {
  return 2 * (replay->dead + item * replay->n + op);
}

int32_t memplan_joint_replay_unborn(const memplan_joint_replay *replay, int32_t item, int32_t op) {
  return 2 * (replay->unborn + item * replay->n + op);
}

int32_t memplan_joint_replay_choice(const memplan_joint_replay *replay, int32_t pair) {
  return 2 * (replay->choices + pair);
}

static int32_t gone_literal(const memplan_joint_replay *replay, int32_t a, int32_t b) {
  return 2 * (replay->gone + a * replay->m + b);
}

static int32_t below_literal(const memplan_joint_replay *replay, int32_t a, int32_t b) {
  return 2 * (replay->below + a * replay->m + b);
}

// a runs before b, which is another one.
static int32_t turn_literal(const memplan_joint_replay *replay, int32_t a, int32_t b) {
  const int32_t *leader = replay->model->leader;
  if (leader[a] != leader[b]) {
    a = leader[a];
    b = leader[b];
  }
  return a < b ? 2 * (replay->turns + a * replay->n + b) : 2 * (replay->turns + b * replay->n + a) + 1;
}

// ---- bounds

// An allowed offset of the item for a bound within the other one's; the item is not pinned.
static int64_t round_offset(const memplan_check_joint_item *item, int32_t side, int64_t value) {
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

static void give_up(memplan_joint_replay *replay) { replay->spent = replay->failed = true; }

static void charge(memplan_joint_replay *replay, int64_t looks) {
  if (!memplan_check_meter_spend(replay->meter, looks)) {
    give_up(replay);
  }
}

static void put(memplan_joint_replay *replay, int32_t side, int64_t value) {
  if (replay->failed || replay->bound[side] >= value) {
    return;
  }
  if (value > -replay->bound[side ^ 1]) {
    replay->failed = true;
    return;
  }
  if (side >> 1 < replay->m) {
    value = round_offset(&replay->model->items[side >> 1], side, value);
    if (value > -replay->bound[side ^ 1]) {
      replay->failed = true;
      return;
    }
  }
  if (replay->n_trail >= replay->most_trail) {
    give_up(replay);
    return;
  }
  undo *trail = memplan_grow_heap(replay->trail, replay->n_trail, &replay->trail_room, sizeof *trail);
  if (trail == NULL) {
    replay->nomem = replay->failed = true;
    return;
  }
  replay->trail = trail;
  trail[replay->n_trail++] = (undo){replay->bound[side], side};
  replay->bound[side] = value;
}

static void put_literal(memplan_joint_replay *replay, int32_t literal) { put(replay, literal, truth(literal)); }

static void push_arc(memplan_joint_replay *replay, const arc *one) {
  put(replay, 2 * one->to, replay->bound[2 * one->from] + one->distance);
  put(replay, 2 * one->from + 1, replay->bound[2 * one->to + 1] + one->distance);
}

static void look_at_arc(memplan_joint_replay *replay, const arc *one) {
  if (memplan_joint_replay_holds(replay, one->guard)) {
    push_arc(replay, one);
  } else if (replay->bound[2 * one->from] + one->distance > -replay->bound[2 * one->to + 1]) {
    put_literal(replay, one->guard ^ 1);
  }
}

static void look_at_clause(memplan_joint_replay *replay, int64_t clause) {
  int32_t open = -1;
  charge(replay, 1 + replay->starts[clause + 1] - replay->starts[clause]);
  for (int64_t k = replay->starts[clause]; k < replay->starts[clause + 1]; k++) {
    int32_t literal = replay->literals[k];
    if (memplan_joint_replay_holds(replay, literal ^ 1)) {
      continue;
    }
    if (open >= 0) {
      return;
    }
    open = literal;
  }
  if (open < 0) {
    replay->failed = true;
  } else {
    put_literal(replay, open);
  }
}

// c before a before b, or a before b before c.
static void join(memplan_joint_replay *replay, int32_t a, int32_t b, int32_t c) {
  if (c == a || c == b) {
    return;
  }
  if (memplan_joint_replay_holds(replay, turn_literal(replay, c, a))) {
    put_literal(replay, turn_literal(replay, c, b));
  }
  if (memplan_joint_replay_holds(replay, turn_literal(replay, b, c))) {
    put_literal(replay, turn_literal(replay, a, c));
  }
}

static void draw_turn(memplan_joint_replay *replay, int32_t side) {
  const int32_t *leader = replay->model->leader;
  charge(replay, replay->n);
  int32_t turn = (side >> 1) - replay->turns, a = turn / replay->n, b = turn % replay->n;
  if (a >= b) {
    return;
  }
  if ((side & 1) != 0) {
    int32_t first = a;
    a = b;
    b = first;
  }
  if (leader[a] == leader[b]) {
    for (int32_t c = 0; c < replay->n && !replay->failed; c++) {
      if (leader[c] == leader[a]) {
        join(replay, a, b, c);
      }
    }
  } else if (leader[a] == a && leader[b] == b) {
    for (int32_t k = 0; k < replay->n_leaders && !replay->failed; k++) {
      join(replay, a, b, replay->leaders[k]);
    }
  }
}

static void draw_offset(memplan_joint_replay *replay, int32_t side) {
  int32_t item = side >> 1;
  bool rises = (side & 1) == 0;
  const int32_t *first = rises ? replay->first_leaving : replay->first_entering;
  const int32_t *list = rises ? replay->leaving : replay->entering;
  charge(replay, 1 + first[item + 1] - first[item]);
  for (int32_t k = first[item]; k < first[item + 1] && !replay->failed; k++) {
    look_at_arc(replay, &replay->arcs[list[k]]);
  }
}

static void draw_height(memplan_joint_replay *replay, int32_t side) {
  charge(replay, replay->m);
  for (int32_t item = 0; item < replay->m && (side & 1) != 0 && !replay->failed; item++) {
    const memplan_check_joint_item *entry = &replay->model->items[item];
    if (!entry->reserved) {
      put(replay, 2 * item + 1, replay->bound[side] + entry->bytes);
    }
  }
}

static void draw(memplan_joint_replay *replay, int32_t side) {
  int32_t variable = side >> 1;
  if (variable < replay->m) {
    draw_offset(replay, side);
    return;
  }
  if (variable == replay->m) {
    draw_height(replay, side);
    return;
  }
  for (int64_t k = replay->first_of_side[side ^ 1]; k < replay->first_of_side[(side ^ 1) + 1] && !replay->failed; k++) {
    look_at_clause(replay, replay->of_side[k]);
  }
  if (variable < replay->choices) {
    draw_turn(replay, side);
  } else if (variable < replay->dead && (side & 1) == 0) {
    int32_t tie = replay->first_tie + 2 * (variable - replay->choices);
    push_arc(replay, &replay->arcs[tie]);
    push_arc(replay, &replay->arcs[tie + 1]);
  } else if (variable >= replay->below && (side & 1) == 0 && replay->below_arc[variable - replay->below] >= 0) {
    push_arc(replay, &replay->arcs[replay->below_arc[variable - replay->below]]);
  }
}

static void draw_all(memplan_joint_replay *replay) {
  while (!replay->failed && replay->head < replay->n_trail) {
    draw(replay, replay->trail[replay->head++].side);
  }
}

void memplan_joint_replay_raise(memplan_joint_replay *replay, int32_t side, int64_t value) {
  put(replay, side, value);
  draw_all(replay);
}

void memplan_joint_replay_set(memplan_joint_replay *replay, int32_t literal) {
  memplan_joint_replay_raise(replay, literal, truth(literal));
}

int64_t memplan_joint_replay_mark(const memplan_joint_replay *replay) { return replay->n_trail; }

void memplan_joint_replay_undo(memplan_joint_replay *replay, int64_t mark) {
  while (replay->n_trail > mark) {
    const undo *last = &replay->trail[--replay->n_trail];
    replay->bound[last->side] = last->value;
  }
  replay->head = mark;
  replay->failed = replay->nomem || replay->spent;
}

// ---- clauses

static bool keep_literal(memplan_joint_replay *replay, int32_t literal) {
  int32_t *list = memplan_grow_heap(replay->literals, replay->n_literals, &replay->literal_room, sizeof *list);
  if (list == NULL) {
    replay->nomem = true;
    return false;
  }
  replay->literals = list;
  list[replay->n_literals++] = literal;
  return true;
}

// What is settled for certain is left out; those of one literal are facts.
static void add_clause(memplan_joint_replay *replay, const int32_t *literals, int32_t n) {
  int64_t first = replay->n_literals;
  for (int32_t k = 0; k < n; k++) {
    if (memplan_joint_replay_holds(replay, literals[k])) {
      replay->n_literals = first;
      return;
    }
    if (!memplan_joint_replay_holds(replay, literals[k] ^ 1) && !keep_literal(replay, literals[k])) {
      return;
    }
  }
  int64_t kept = replay->n_literals - first;
  if (kept <= 1) {
    replay->n_literals = first;
    replay->failed = replay->failed || kept == 0;
    if (kept == 1) {
      put_literal(replay, replay->literals[first]);
    }
    return;
  }
  int64_t *starts = memplan_grow_heap(replay->starts, replay->n_clauses, &replay->start_room, sizeof *starts);
  if (starts == NULL) {
    replay->nomem = true;
    return;
  }
  replay->starts = starts;
  starts[replay->n_clauses++] = first;
}

static void add_two(memplan_joint_replay *replay, int32_t a, int32_t b) {
  const int32_t both[2] = {a, b};
  add_clause(replay, both, 2);
}

// `all` if and only if each literal of the list, which has room for one more and is changed. Literals that stand for
// others are replaced by these, so that two that exclude each other are seen: propagation alone would not.
static void define(memplan_joint_replay *replay, int32_t all, int32_t *list, int32_t n) {
  int32_t kept = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t literal = replay->same[list[k] >> 1] ^ (list[k] & 1);
    bool again = memplan_joint_replay_holds(replay, literal), never = memplan_joint_replay_holds(replay, literal ^ 1);
    for (int32_t l = 0; l < kept; l++) {
      again = again || list[l] == literal;
      never = never || list[l] == (literal ^ 1);
    }
    if (never) {
      put_literal(replay, all ^ 1);
      return;
    }
    if (!again) {
      list[kept++] = literal;
    }
  }
  if (kept == 1) {
    replay->same[all >> 1] = list[0] ^ (all & 1);
  }
  for (int32_t k = 0; k < kept; k++) {
    add_two(replay, all ^ 1, list[k]);
    list[k] ^= 1;
  }
  list[kept] = all;
  add_clause(replay, list, kept + 1);
}

// ---- the model

static void find_turns(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  for (int32_t op = 0; op < replay->n; op++) {
    if (replay->model->leader[op] == op) {
      replay->leaders[replay->n_leaders++] = op;
    }
  }
  for (int32_t op = 0; op < replay->n && !replay->failed; op++) {
    for (int32_t k = model->succ_first[op]; k < model->succ_first[op + 1]; k++) {
      put_literal(replay, turn_literal(replay, op, model->succ[k]));
    }
  }
  while (!replay->failed && replay->head < replay->n_trail) {
    draw_turn(replay, replay->trail[replay->head++].side);
  }
  replay->head = 0; // there are no clauses yet
}

static bool certainly(const memplan_joint_replay *replay, int32_t a, int32_t b) {
  return a != b && memplan_joint_replay_holds(replay, turn_literal(replay, a, b));
}

static int32_t *outermost(memplan_joint_replay *replay, const int32_t *ops, int32_t count, bool last, int32_t *kept) {
  int32_t *result = MEMPLAN_NEW(&replay->arena, int32_t, count);
  *kept = 0;
  replay->nomem = replay->nomem || result == NULL;
  for (int32_t k = 0; k < count && result != NULL; k++) {
    bool outer = true;
    for (int32_t l = 0; l < count && outer; l++) {
      outer = !(last ? certainly(replay, ops[k], ops[l]) : certainly(replay, ops[l], ops[k])) &&
              !(ops[l] == ops[k] && l < k);
    }
    if (outer) {
      result[(*kept)++] = ops[k];
    }
  }
  return result;
}

static void define_life(memplan_joint_replay *replay, int32_t item, int32_t op) {
  const memplan_check_joint_item *entry = &replay->model->items[item];
  int32_t dead = memplan_joint_replay_dead(replay, item, op), unborn = memplan_joint_replay_unborn(replay, item, op);
  int32_t *list = replay->scratch, count = 0;
  bool own = false;
  if (entry->unread) {
    for (int32_t other = 0; other < replay->n; other++) {
      if (other != op) {
        list[count++] = turn_literal(replay, op, other);
      }
    }
    define(replay, dead ^ 1, list, count);
  } else {
    for (int32_t k = 0; k < replay->n_deaths[item]; k++) {
      own = own || replay->deaths[item][k] == op;
      list[count++] = replay->deaths[item][k] != op ? turn_literal(replay, replay->deaths[item][k], op) : dead;
    }
    if (entry->keep || own) {
      put_literal(replay, dead ^ 1);
    } else {
      define(replay, dead, list, count);
    }
  }
  own = false;
  for (int32_t k = count = 0; k < replay->n_births[item]; k++) {
    own = own || replay->births[item][k] == op;
    list[count++] = replay->births[item][k] != op ? turn_literal(replay, op, replay->births[item][k]) : unborn;
  }
  if (entry->init || own) {
    put_literal(replay, unborn ^ 1);
  } else {
    define(replay, unborn, list, count);
  }
}

static void define_gone(memplan_joint_replay *replay, int32_t a, int32_t b) {
  const memplan_check_joint_item *dying = &replay->model->items[a], *born = &replay->model->items[b];
  int32_t gone = gone_literal(replay, a, b);
  if (a == b || born->init || dying->keep) {
    put_literal(replay, gone ^ 1);
    return;
  }
  for (int32_t k = 0; k < replay->n_births[b]; k++) {
    replay->scratch[k] = memplan_joint_replay_dead(replay, a, replay->births[b][k]);
  }
  define(replay, gone, replay->scratch, replay->n_births[b]);
}

static void add_arc(memplan_joint_replay *replay, int32_t from, int32_t to, int32_t guard, int64_t distance) {
  arc *arcs = memplan_grow_heap(replay->arcs, replay->n_arcs, &replay->arc_room, sizeof *arcs);
  if (arcs == NULL) {
    replay->nomem = true;
    return;
  }
  replay->arcs = arcs;
  arcs[replay->n_arcs++] = (arc){from, to, guard, distance};
}

// One way or another: gone, tied by a pair, or one below the other.
static void separate(memplan_joint_replay *replay, int32_t a, int32_t b) {
  const memplan_check_joint_model *model = replay->model;
  int32_t ways[2] = {gone_literal(replay, a, b), gone_literal(replay, b, a)};
  bool fixed = model->items[a].reserved && model->items[b].reserved;
  if (fixed || memplan_joint_replay_holds(replay, ways[0]) || memplan_joint_replay_holds(replay, ways[1])) {
    return;
  }
  int32_t below = below_literal(replay, a, b), above = below_literal(replay, b, a), n = 0;
  int32_t *list = replay->scratch;
  list[n++] = ways[0];
  list[n++] = ways[1];
  for (int32_t k = 0; k < model->n_pairs; k++) {
    const memplan_check_joint_pair *pair = &model->pairs[k];
    if ((pair->born == a && pair->dying == b) || (pair->born == b && pair->dying == a)) {
      list[n++] = memplan_joint_replay_choice(replay, k);
    }
  }
  for (int32_t k = 0; k < n; k++) {
    add_two(replay, list[k] ^ 1, below ^ 1);
    add_two(replay, list[k] ^ 1, above ^ 1);
  }
  list[n++] = below;
  list[n++] = above;
  add_clause(replay, list, n);
  add_two(replay, below ^ 1, above ^ 1);
  replay->below_arc[a * replay->m + b] = (int32_t)replay->n_arcs;
  add_arc(replay, a, b, below, model->items[a].bytes);
  replay->below_arc[b * replay->m + a] = (int32_t)replay->n_arcs;
  add_arc(replay, b, a, above, model->items[b].bytes);
}

static void add_choice(memplan_joint_replay *replay, int32_t index) {
  const memplan_check_joint_model *model = replay->model;
  const memplan_check_joint_pair *pair = &model->pairs[index];
  int32_t chosen = memplan_joint_replay_choice(replay, index);
  for (int32_t k = 0; k < replay->n_deaths[pair->dying]; k++) {
    int32_t other = replay->deaths[pair->dying][k];
    if (other != pair->op) {
      add_two(replay, chosen ^ 1, turn_literal(replay, other, pair->op));
    }
  }
  for (int32_t k = 0; k < replay->n_births[pair->born]; k++) {
    int32_t other = replay->births[pair->born][k];
    if (other != pair->op) {
      add_two(replay, chosen ^ 1, turn_literal(replay, pair->op, other));
    }
  }
  for (int32_t k = 0; k < index; k++) {
    if (model->pairs[k].born == pair->born || model->pairs[k].dying == pair->dying) {
      add_two(replay, chosen ^ 1, memplan_joint_replay_choice(replay, k) ^ 1);
    }
  }
  add_arc(replay, pair->dying, pair->born, chosen, pair->delta);
  add_arc(replay, pair->born, pair->dying, chosen, -pair->delta);
}

static void state_model(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  find_turns(replay);
  for (int32_t item = 0; item < replay->m && !replay->nomem; item++) {
    const memplan_check_joint_item *entry = &model->items[item];
    replay->births[item] = outermost(replay, entry->births, entry->n_births, false, &replay->n_births[item]);
    replay->deaths[item] = outermost(replay, entry->deaths, entry->n_deaths, true, &replay->n_deaths[item]);
  }
  for (int32_t item = 0; item < replay->m && !replay->nomem; item++) {
    for (int32_t op = 0; op < replay->n; op++) {
      define_life(replay, item, op);
    }
  }
  for (int32_t a = 0; a < replay->m && !replay->nomem; a++) {
    for (int32_t b = 0; b < replay->m; b++) {
      define_gone(replay, a, b);
    }
  }
  for (int32_t a = 0; a < replay->m && !replay->nomem; a++) {
    for (int32_t b = a + 1; b < replay->m; b++) {
      separate(replay, a, b);
    }
  }
  replay->first_tie = (int32_t)replay->n_arcs;
  for (int32_t k = 0; k < model->n_pairs && !replay->nomem; k++) {
    add_choice(replay, k);
  }
}

// ---- making

static bool index_clauses(memplan_joint_replay *replay) {
  int64_t *starts = memplan_grow_heap(replay->starts, replay->n_clauses, &replay->start_room, sizeof *starts);
  int64_t n_sides = 2 * (int64_t)replay->n_variables;
  replay->starts = starts != NULL ? starts : replay->starts;
  replay->first_of_side = calloc((size_t)n_sides + 2, sizeof *replay->first_of_side);
  replay->of_side = malloc(((size_t)replay->n_literals + 1) * sizeof *replay->of_side);
  if (starts == NULL || replay->first_of_side == NULL || replay->of_side == NULL || replay->n_clauses >= INT32_MAX) {
    return false;
  }
  starts[replay->n_clauses] = replay->n_literals;
  int64_t *first = replay->first_of_side + 1; // one place ahead: filling moves it home
  for (int64_t k = 0; k < replay->n_literals; k++) {
    first[replay->literals[k] + 1]++;
  }
  for (int64_t side = 0; side < n_sides; side++) {
    first[side + 1] += first[side];
  }
  for (int64_t clause = 0; clause < replay->n_clauses; clause++) {
    for (int64_t k = starts[clause]; k < starts[clause + 1]; k++) {
      replay->of_side[first[replay->literals[k]]++] = (int32_t)clause;
    }
  }
  return true;
}

static bool index_arcs(memplan_joint_replay *replay, bool leaving) {
  int32_t *start = calloc((size_t)replay->m + 2, sizeof *start);
  int32_t *list = malloc(((size_t)replay->n_arcs + 1) * sizeof *list);
  *(leaving ? &replay->first_leaving : &replay->first_entering) = start;
  *(leaving ? &replay->leaving : &replay->entering) = list;
  if (start == NULL || list == NULL) {
    return false;
  }
  int32_t *first = start + 1;
  for (int64_t k = 0; k < replay->n_arcs; k++) {
    first[(leaving ? replay->arcs[k].from : replay->arcs[k].to) + 1]++;
  }
  for (int32_t item = 0; item < replay->m; item++) {
    first[item + 1] += first[item];
  }
  for (int64_t k = 0; k < replay->n_arcs; k++) {
    list[first[leaving ? replay->arcs[k].from : replay->arcs[k].to]++] = (int32_t)k;
  }
  return true;
}

static bool allocate(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  int64_t n = model->n_ops, m = model->n_items, longest = 0;
  for (int32_t item = 0; item < model->n_items; item++) {
    const memplan_check_joint_item *entry = &model->items[item];
    longest = entry->n_births > longest ? entry->n_births : longest;
    longest = entry->n_deaths > longest ? entry->n_deaths : longest;
  }
  replay->bound = malloc((size_t)(2 * memplan_joint_replay_count(model)) * sizeof *replay->bound);
  replay->same = malloc((size_t)memplan_joint_replay_count(model) * sizeof *replay->same);
  replay->below_arc = malloc((size_t)(m * m + 1) * sizeof *replay->below_arc);
  replay->leaders = MEMPLAN_NEW(&replay->arena, int32_t, n);
  replay->births = MEMPLAN_NEW(&replay->arena, int32_t *, m);
  replay->deaths = MEMPLAN_NEW(&replay->arena, int32_t *, m);
  replay->n_births = MEMPLAN_NEW(&replay->arena, int32_t, m);
  replay->n_deaths = MEMPLAN_NEW(&replay->arena, int32_t, m);
  replay->scratch = MEMPLAN_NEW(&replay->arena, int32_t, n + longest + model->n_pairs + 4);
  return replay->bound != NULL && replay->same != NULL && replay->below_arc != NULL && replay->leaders != NULL &&
         replay->births != NULL && replay->deaths != NULL && replay->n_births != NULL && replay->n_deaths != NULL &&
         replay->scratch != NULL;
}

static void number_variables(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  int32_t n = model->n_ops, m = model->n_items;
  replay->n = n;
  replay->m = m;
  replay->turns = m + 1;
  replay->choices = replay->turns + n * n;
  replay->dead = replay->choices + model->n_pairs;
  replay->unborn = replay->dead + m * n;
  replay->gone = replay->unborn + m * n;
  replay->below = replay->gone + m * m;
  replay->n_variables = replay->below + m * m;
}

// Bounds before anything is known.
static void set_bounds(memplan_joint_replay *replay) {
  const memplan_check_joint_model *model = replay->model;
  for (int32_t item = 0; item < replay->m; item++) {
    const memplan_check_joint_item *entry = &model->items[item];
    bool pinned = entry->pin >= 0;
    int64_t room = entry->reserved ? model->top : model->top - entry->bytes;
    int64_t low = pinned ? entry->pin : entry->residue;
    replay->failed = replay->failed || low > room;
    int64_t high = pinned || low > room ? low : room - (room - low) % entry->align;
    replay->bound[2 * item] = low;
    replay->bound[2 * item + 1] = -high;
  }
  replay->bound[2 * replay->m] = 0;
  replay->bound[2 * replay->m + 1] = -model->top;
  for (int32_t variable = replay->m + 1; variable < replay->n_variables; variable++) {
    replay->bound[2 * variable] = 0;
    replay->bound[2 * variable + 1] = -1;
  }
  for (int32_t variable = 0; variable < replay->n_variables; variable++) {
    replay->same[variable] = 2 * variable;
  }
}

memplan_joint_replay *memplan_joint_replay_new(const memplan_check_joint_model *model, memplan_check_meter *meter,
                                               int64_t most_changes) {
  memplan_joint_replay *replay = calloc(1, sizeof *replay);
  if (replay == NULL) {
    return NULL;
  }
  replay->model = model;
  replay->meter = meter;
  replay->most_trail = most_changes;
  number_variables(replay);
  if (!allocate(replay)) {
    memplan_joint_replay_free(replay);
    return NULL;
  }
  for (int64_t k = 0; k < (int64_t)replay->m * replay->m; k++) {
    replay->below_arc[k] = -1;
  }
  set_bounds(replay);
  bool failed = replay->failed;
  replay->failed = false;
  state_model(replay);
  if (replay->nomem || !index_clauses(replay) || !index_arcs(replay, true) || !index_arcs(replay, false)) {
    memplan_joint_replay_free(replay);
    return NULL;
  }
  replay->failed = replay->failed || failed;
  for (int64_t k = 0; k < replay->n_arcs && !replay->failed; k++) {
    look_at_arc(replay, &replay->arcs[k]);
  }
  for (int64_t clause = 0; clause < replay->n_clauses && !replay->failed; clause++) {
    look_at_clause(replay, clause);
  }
  draw_all(replay);
  if (replay->nomem) {
    memplan_joint_replay_free(replay);
    return NULL;
  }
  return replay;
}

void memplan_joint_replay_free(memplan_joint_replay *replay) {
  if (replay != NULL) {
    free(replay->bound);
    free(replay->trail);
    free(replay->literals);
    free(replay->starts);
    free(replay->first_of_side);
    free(replay->of_side);
    free(replay->arcs);
    free(replay->first_leaving);
    free(replay->leaving);
    free(replay->first_entering);
    free(replay->entering);
    free(replay->same);
    free(replay->below_arc);
    memplan_arena_free(&replay->arena);
    free(replay);
  }
}
