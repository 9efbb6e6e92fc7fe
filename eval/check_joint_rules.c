// SPDX-License-Identifier: Apache-2.0
// Definitions are clauses over Booleans. Each clause holds in every plan, if `below` is read as: neither item is gone
// before the other, no pair ties them, and the one lies below the other.
//
// Only the outermost operators of an item count for its birth and death: who follows all that others follow for
// certain. Else a clause would stay open where these others already settle it.
#include "eval/check_joint_rules.h"

#include "model/base/grow.h"

#include <stdlib.h>

// While the rules are stated.
typedef struct statement {
  memplan_joint_rules *rules;
  const memplan_joint_literals *literals;
  memplan_check_bounds *bounds;
  int32_t *same;              // by variable: the literal that its truth is, mostly its own
  int32_t **births, **deaths; // by item: outermost ones
  int32_t *n_births, *n_deaths;
  int32_t *scratch;
  memplan_arena arena;
} statement;

static bool holds(const statement *on, int32_t literal) {
  return memplan_check_bounds_is_true(on->bounds, literal, memplan_joint_literal_truth(literal));
}

static void put_literal(statement *on, int32_t literal) {
  memplan_check_bounds_put(on->bounds, literal, memplan_joint_literal_truth(literal));
}

// ---- clauses

static bool keep_literal(statement *on, int32_t literal) {
  memplan_joint_rules *rules = on->rules;
  int32_t *list = memplan_grow_heap(rules->list, rules->n_list, &rules->list_room, sizeof *list);
  if (list == NULL) {
    on->bounds->nomem = true;
    return false;
  }
  rules->list = list;
  list[rules->n_list++] = literal;
  return true;
}

// What is settled for certain is left out; those of one literal are facts.
static void add_clause(statement *on, const int32_t *literals, int32_t n) {
  memplan_joint_rules *rules = on->rules;
  int64_t first = rules->n_list;
  for (int32_t k = 0; k < n; k++) {
    if (holds(on, literals[k])) {
      rules->n_list = first;
      return;
    }
    if (!holds(on, literals[k] ^ 1) && !keep_literal(on, literals[k])) {
      return;
    }
  }
  int64_t kept = rules->n_list - first;
  if (kept <= 1) {
    rules->n_list = first;
    on->bounds->stopped = on->bounds->stopped || kept == 0;
    if (kept == 1) {
      put_literal(on, rules->list[first]);
    }
    return;
  }
  int64_t *starts = memplan_grow_heap(rules->starts, rules->n_clauses, &rules->start_room, sizeof *starts);
  if (starts == NULL) {
    on->bounds->nomem = true;
    return;
  }
  rules->starts = starts;
  starts[rules->n_clauses++] = first;
}

static void add_two(statement *on, int32_t a, int32_t b) {
  const int32_t both[2] = {a, b};
  add_clause(on, both, 2);
}

// `all` if and only if each literal of the list, which has room for one more and is changed. Literals that stand for
// others are replaced by these, so that two that exclude each other are seen: propagation alone would not.
static void define(statement *on, int32_t all, int32_t *list, int32_t n) {
  int32_t kept = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t literal = on->same[list[k] >> 1] ^ (list[k] & 1);
    bool again = holds(on, literal), never = holds(on, literal ^ 1);
    for (int32_t l = 0; l < kept; l++) {
      again = again || list[l] == literal;
      never = never || list[l] == (literal ^ 1);
    }
    if (never) {
      put_literal(on, all ^ 1);
      return;
    }
    if (!again) {
      list[kept++] = literal;
    }
  }
  if (kept == 1) {
    on->same[all >> 1] = list[0] ^ (all & 1);
  }
  for (int32_t k = 0; k < kept; k++) {
    add_two(on, all ^ 1, list[k]);
    list[k] ^= 1;
  }
  list[kept] = all;
  add_clause(on, list, kept + 1);
}

// ---- the model

static bool certainly(const statement *on, int32_t a, int32_t b) {
  return a != b && holds(on, memplan_joint_literal_turn(on->literals, a, b));
}

static int32_t *outermost(statement *on, const int32_t *ops, int32_t count, bool last, int32_t *kept) {
  int32_t *result = MEMPLAN_NEW(&on->arena, int32_t, count);
  *kept = 0;
  on->bounds->nomem = on->bounds->nomem || result == NULL;
  for (int32_t k = 0; k < count && result != NULL; k++) {
    bool outer = true;
    for (int32_t l = 0; l < count && outer; l++) {
      outer = !(last ? certainly(on, ops[k], ops[l]) : certainly(on, ops[l], ops[k])) && !(ops[l] == ops[k] && l < k);
    }
    if (outer) {
      result[(*kept)++] = ops[k];
    }
  }
  return result;
}

static void define_life(statement *on, int32_t item, int32_t op) {
  const memplan_check_joint_item *entry = &on->rules->model->items[item];
  int32_t dead = memplan_joint_literal_dead(on->literals, item, op),
          unborn = memplan_joint_literal_unborn(on->literals, item, op);
  int32_t *list = on->scratch, count = 0;
  bool own = false;
  if (entry->unread) {
    for (int32_t other = 0; other < on->literals->n; other++) {
      if (other != op) {
        list[count++] = memplan_joint_literal_turn(on->literals, op, other);
      }
    }
    define(on, dead ^ 1, list, count);
  } else {
    for (int32_t k = 0; k < on->n_deaths[item]; k++) {
      own = own || on->deaths[item][k] == op;
      list[count++] =
          on->deaths[item][k] != op ? memplan_joint_literal_turn(on->literals, on->deaths[item][k], op) : dead;
    }
    if (entry->keep || own) {
      put_literal(on, dead ^ 1);
    } else {
      define(on, dead, list, count);
    }
  }
  own = false;
  for (int32_t k = count = 0; k < on->n_births[item]; k++) {
    own = own || on->births[item][k] == op;
    list[count++] =
        on->births[item][k] != op ? memplan_joint_literal_turn(on->literals, op, on->births[item][k]) : unborn;
  }
  if (entry->init || own) {
    put_literal(on, unborn ^ 1);
  } else {
    define(on, unborn, list, count);
  }
}

static void define_gone(statement *on, int32_t a, int32_t b) {
  const memplan_check_joint_item *dying = &on->rules->model->items[a], *born = &on->rules->model->items[b];
  int32_t gone = memplan_joint_literal_gone(on->literals, a, b);
  if (a == b || born->init || dying->keep) {
    put_literal(on, gone ^ 1);
    return;
  }
  for (int32_t k = 0; k < on->n_births[b]; k++) {
    on->scratch[k] = memplan_joint_literal_dead(on->literals, a, on->births[b][k]);
  }
  define(on, gone, on->scratch, on->n_births[b]);
}

static void add_arc(statement *on, int32_t from, int32_t to, int32_t guard, int64_t distance) {
  memplan_joint_rules *rules = on->rules;
  memplan_joint_arc *arcs = memplan_grow_heap(rules->arcs, rules->n_arcs, &rules->arc_room, sizeof *arcs);
  if (arcs == NULL) {
    on->bounds->nomem = true;
    return;
  }
  rules->arcs = arcs;
  arcs[rules->n_arcs++] = (memplan_joint_arc){from, to, guard, distance};
}

// One way or another: gone, tied by a pair, or one below the other.
static void separate(statement *on, int32_t a, int32_t b) {
  memplan_joint_rules *rules = on->rules;
  const memplan_check_joint_model *model = rules->model;
  const memplan_joint_literals *literals = on->literals;
  int32_t ways[2] = {memplan_joint_literal_gone(literals, a, b), memplan_joint_literal_gone(literals, b, a)};
  bool fixed = model->items[a].reserved && model->items[b].reserved;
  if (fixed || holds(on, ways[0]) || holds(on, ways[1])) {
    return;
  }
  int32_t below = memplan_joint_literal_below(literals, a, b), above = memplan_joint_literal_below(literals, b, a),
          n = 0;
  int32_t *list = on->scratch;
  list[n++] = ways[0];
  list[n++] = ways[1];
  for (int32_t k = 0; k < model->n_pairs; k++) {
    if (memplan_check_joint_pair_ties(&model->pairs[k], a, b)) {
      list[n++] = memplan_joint_literal_choice(literals, k);
    }
  }
  for (int32_t k = 0; k < n; k++) {
    add_two(on, list[k] ^ 1, below ^ 1);
    add_two(on, list[k] ^ 1, above ^ 1);
  }
  list[n++] = below;
  list[n++] = above;
  add_clause(on, list, n);
  add_two(on, below ^ 1, above ^ 1);
  rules->below_arc[a * literals->m + b] = (int32_t)rules->n_arcs;
  add_arc(on, a, b, below, model->items[a].bytes);
  rules->below_arc[b * literals->m + a] = (int32_t)rules->n_arcs;
  add_arc(on, b, a, above, model->items[b].bytes);
}

static void add_choice(statement *on, int32_t index) {
  const memplan_check_joint_model *model = on->rules->model;
  const memplan_check_joint_pair *pair = &model->pairs[index];
  int32_t chosen = memplan_joint_literal_choice(on->literals, index);
  for (int32_t k = 0; k < on->n_deaths[pair->dying]; k++) {
    int32_t other = on->deaths[pair->dying][k];
    if (other != pair->op) {
      add_two(on, chosen ^ 1, memplan_joint_literal_turn(on->literals, other, pair->op));
    }
  }
  for (int32_t k = 0; k < on->n_births[pair->born]; k++) {
    int32_t other = on->births[pair->born][k];
    if (other != pair->op) {
      add_two(on, chosen ^ 1, memplan_joint_literal_turn(on->literals, pair->op, other));
    }
  }
  for (int32_t k = 0; k < index; k++) {
    if (model->pairs[k].born == pair->born || model->pairs[k].dying == pair->dying) {
      add_two(on, chosen ^ 1, memplan_joint_literal_choice(on->literals, k) ^ 1);
    }
  }
  add_arc(on, pair->dying, pair->born, chosen, pair->delta);
  add_arc(on, pair->born, pair->dying, chosen, -pair->delta);
}

static void state_model(statement *on) {
  const memplan_check_joint_model *model = on->rules->model;
  for (int32_t item = 0; item < on->literals->m && !on->bounds->nomem; item++) {
    const memplan_check_joint_item *entry = &model->items[item];
    on->births[item] = outermost(on, entry->births, entry->n_births, false, &on->n_births[item]);
    on->deaths[item] = outermost(on, entry->deaths, entry->n_deaths, true, &on->n_deaths[item]);
  }
  for (int32_t item = 0; item < on->literals->m && !on->bounds->nomem; item++) {
    for (int32_t op = 0; op < on->literals->n; op++) {
      define_life(on, item, op);
    }
  }
  for (int32_t a = 0; a < on->literals->m && !on->bounds->nomem; a++) {
    for (int32_t b = 0; b < on->literals->m; b++) {
      define_gone(on, a, b);
    }
  }
  for (int32_t a = 0; a < on->literals->m && !on->bounds->nomem; a++) {
    for (int32_t b = a + 1; b < on->literals->m; b++) {
      separate(on, a, b);
    }
  }
  on->rules->first_tie = (int32_t)on->rules->n_arcs;
  for (int32_t k = 0; k < model->n_pairs && !on->bounds->nomem; k++) {
    add_choice(on, k);
  }
}

// ---- finding them

static bool index_clauses(memplan_joint_rules *rules) {
  int64_t *starts = memplan_grow_heap(rules->starts, rules->n_clauses, &rules->start_room, sizeof *starts);
  int64_t n_sides = 2 * (int64_t)rules->literals->n_variables;
  rules->starts = starts != NULL ? starts : rules->starts;
  rules->first_of_side = calloc((size_t)n_sides + 2, sizeof *rules->first_of_side);
  rules->of_side = malloc(((size_t)rules->n_list + 1) * sizeof *rules->of_side);
  if (starts == NULL || rules->first_of_side == NULL || rules->of_side == NULL || rules->n_clauses >= INT32_MAX) {
    return false;
  }
  starts[rules->n_clauses] = rules->n_list;
  int64_t *first = rules->first_of_side + 1; // one place ahead: filling moves it home
  for (int64_t k = 0; k < rules->n_list; k++) {
    first[rules->list[k] + 1]++;
  }
  for (int64_t side = 0; side < n_sides; side++) {
    first[side + 1] += first[side];
  }
  for (int64_t clause = 0; clause < rules->n_clauses; clause++) {
    for (int64_t k = starts[clause]; k < starts[clause + 1]; k++) {
      rules->of_side[first[rules->list[k]]++] = (int32_t)clause;
    }
  }
  return true;
}

static bool index_arcs(memplan_joint_rules *rules, bool leaving) {
  int32_t *start = calloc((size_t)rules->literals->m + 2, sizeof *start);
  int32_t *list = malloc(((size_t)rules->n_arcs + 1) * sizeof *list);
  *(leaving ? &rules->first_leaving : &rules->first_entering) = start;
  *(leaving ? &rules->leaving : &rules->entering) = list;
  if (start == NULL || list == NULL) {
    return false;
  }
  int32_t *first = start + 1;
  for (int64_t k = 0; k < rules->n_arcs; k++) {
    first[(leaving ? rules->arcs[k].from : rules->arcs[k].to) + 1]++;
  }
  for (int32_t item = 0; item < rules->literals->m; item++) {
    first[item + 1] += first[item];
  }
  for (int64_t k = 0; k < rules->n_arcs; k++) {
    list[first[leaving ? rules->arcs[k].from : rules->arcs[k].to]++] = (int32_t)k;
  }
  return true;
}

// ---- the whole

static bool allocate(statement *on) {
  const memplan_check_joint_model *model = on->rules->model;
  int32_t n = model->n_ops, m = model->n_items, n_variables = on->literals->n_variables, longest = 0;
  for (int32_t item = 0; item < m; item++) {
    const memplan_check_joint_item *entry = &model->items[item];
    longest = entry->n_births > longest ? entry->n_births : longest;
    longest = entry->n_deaths > longest ? entry->n_deaths : longest;
  }
  size_t pairs = (size_t)m * (size_t)m;
  on->rules->below_arc = malloc((pairs + 1) * sizeof *on->rules->below_arc);
  on->same = MEMPLAN_NEW(&on->arena, int32_t, n_variables);
  on->births = MEMPLAN_NEW(&on->arena, int32_t *, m);
  on->deaths = MEMPLAN_NEW(&on->arena, int32_t *, m);
  on->n_births = MEMPLAN_NEW(&on->arena, int32_t, m);
  on->n_deaths = MEMPLAN_NEW(&on->arena, int32_t, m);
  on->scratch = MEMPLAN_NEW(&on->arena, int32_t, (int64_t)n + longest + model->n_pairs + 4);
  if (on->rules->below_arc == NULL || on->same == NULL || on->births == NULL || on->deaths == NULL ||
      on->n_births == NULL || on->n_deaths == NULL || on->scratch == NULL) {
    return false;
  }
  for (size_t k = 0; k < pairs; k++) {
    on->rules->below_arc[k] = -1;
  }
  for (int32_t variable = 0; variable < n_variables; variable++) {
    on->same[variable] = 2 * variable;
  }
  return true;
}

bool memplan_joint_rules_init(memplan_joint_rules *rules, const memplan_check_joint_model *model,
                              const memplan_joint_literals *literals, memplan_check_bounds *bounds) {
  *rules = (memplan_joint_rules){.model = model, .literals = literals};
  statement on = {.rules = rules, .literals = literals, .bounds = bounds};
  bool made = allocate(&on);
  if (made) {
    state_model(&on);
    made = !bounds->nomem && index_clauses(rules) && index_arcs(rules, true) && index_arcs(rules, false);
  }
  memplan_arena_free(&on.arena);
  return made;
}

void memplan_joint_rules_free(memplan_joint_rules *rules) {
  free(rules->list);
  free(rules->starts);
  free(rules->first_of_side);
  free(rules->of_side);
  free(rules->arcs);
  free(rules->first_leaving);
  free(rules->leaving);
  free(rules->first_entering);
  free(rules->entering);
  free(rules->below_arc);
}
