// SPDX-License-Identifier: Apache-2.0
// Two items are apart in time if all users of one come before all writers of the other ("gone"), and else one lies
// below the other, or a pair is chosen that lets the one take over the other's bytes. A pair asks for what the model
// asks: the other users of the input have finished, the output has no earlier writer.
//
// Every Boolean but the turns, the choices and "below" is defined by a conjunction, in both directions, so that nothing
// is left to decide where the order is known. What lies nowhere near each other is neither below nor above: else equal
// plans would be searched many times.
#include "solvers/joint_model.h"

#include "model/base/grow.h"
#include "model/base/rng.h"
#include "solvers/engine_state.h"

#include <stdlib.h>

static const int64_t most_activity = 1 << 20;
static const int32_t most_booleans = 400000;

// ---- literals and clauses

memplan_literal memplan_joint_boolean(memplan_joint_model *model, memplan_joint_name name, int64_t activity,
                                      bool phase) {
  int32_t base = model->graph->n_items + 1;
  int32_t index = model->engine->n_variables - base;
  bool *phases = memplan_grow_heap(model->phase, index, &model->phase_capacity, sizeof *phases);
  memplan_joint_name *names = memplan_grow_heap(model->names, index, &model->name_capacity, sizeof *names);
  model->phase = phases != NULL ? phases : model->phase;
  model->names = names != NULL ? names : model->names;
  if (phases == NULL || names == NULL || index >= most_booleans || memplan_engine_is_full(model->engine)) {
    model->too_many = model->too_many || (phases != NULL && names != NULL);
    return 0;
  }
  names[index] = name;
  phases[index] = phase;
  if (model->settings.seed != 0) {
    uint64_t noise = model->settings.seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)index;
    activity += (int64_t)(memplan_splitmix(&noise) % (uint64_t)(most_activity / 4));
  }
  int32_t variable = memplan_engine_add_boolean(model->engine, activity, phase);
  return variable < 0 ? 0 : memplan_literal_make(2 * variable, 1);
}

bool memplan_joint_phase(const memplan_joint_model *model, memplan_literal literal) {
  if (memplan_joint_is_constant(literal)) {
    return literal == MEMPLAN_JOINT_YES;
  }
  int32_t side = memplan_literal_side(literal);
  return model->phase[(side >> 1) - model->graph->n_items - 1] == ((side & 1) == 0);
}

bool memplan_joint_clause(memplan_joint_model *model, const memplan_literal *literals, int32_t n) {
  memplan_literal kept[4], *list = n <= 4 ? kept : malloc((size_t)n * sizeof *list);
  int32_t n_kept = 0;
  bool good = list != NULL, holds = false;
  for (int32_t k = 0; k < n && good && !holds; k++) {
    memplan_literal literal = literals[k];
    bool constant = memplan_joint_is_constant(literal);
    holds = literal == MEMPLAN_JOINT_YES || (!constant && memplan_engine_is_true(model->engine, literal));
    bool again = literal == MEMPLAN_JOINT_NO || (!constant && memplan_engine_is_false(model->engine, literal));
    for (int32_t l = 0; l < n_kept && !again; l++) {
      again = list[l] == literal;
      holds = holds || list[l] == memplan_joint_not(literal);
    }
    if (!again) {
      list[n_kept++] = literal;
    }
  }
  if (good && !holds) {
    model->contradiction = model->contradiction || n_kept == 0;
    good = n_kept == 0 || memplan_engine_add_clause(model->engine, list, n_kept) || n_kept == 1;
  }
  if (list != kept) {
    free(list);
  }
  return good;
}

static bool clause2(memplan_joint_model *model, memplan_literal a, memplan_literal b) {
  const memplan_literal both[2] = {a, b};
  return memplan_joint_clause(model, both, 2);
}

// `left` implies `right`.
static bool imply(memplan_joint_model *model, memplan_literal left, memplan_literal right) {
  return clause2(model, memplan_joint_not(left), right);
}

// A literal for all of `list` (which is changed); 0 if that failed.
static memplan_literal conjunction(memplan_joint_model *model, memplan_joint_name name, memplan_literal *list,
                                   int32_t n, int64_t activity) {
  int32_t kept = 0;
  for (int32_t k = 0; k < n; k++) {
    bool again = list[k] == MEMPLAN_JOINT_YES;
    for (int32_t l = 0; l < kept && !again; l++) {
      again = list[l] == list[k];
      if (list[l] == memplan_joint_not(list[k])) {
        return MEMPLAN_JOINT_NO;
      }
    }
    if (list[k] == 0 || list[k] == MEMPLAN_JOINT_NO) {
      return list[k];
    }
    if (!again) {
      list[kept++] = list[k];
    }
  }
  if (kept <= 1) {
    return kept == 0 ? MEMPLAN_JOINT_YES : list[0];
  }
  bool phase = true;
  for (int32_t k = 0; k < kept; k++) {
    phase = phase && memplan_joint_phase(model, list[k]);
  }
  memplan_literal all = memplan_joint_boolean(model, name, activity, phase);
  for (int32_t k = 0; k < kept && all != 0; k++) {
    if (!imply(model, all, list[k])) {
      return 0;
    }
    list[k] = memplan_joint_not(list[k]);
  }
  if (all == 0) {
    return 0;
  }
  list[kept] = all;
  return memplan_joint_clause(model, list, kept + 1) ? all : 0;
}

// ---- offsets and height

static bool add_offset(memplan_joint_model *model, int32_t item) {
  const memplan_joint_item *entry = &model->graph->items[item];
  if (entry->set != NULL) {
    int32_t n = entry->set->n_ranges;
    int64_t first = n > 0 ? entry->set->ranges[0].first : 0, last = n > 0 ? entry->set->ranges[n - 1].last : 0;
    model->contradiction = model->contradiction || n == 0;
    return memplan_engine_add_variable(model->engine, first, last, n > 0 ? entry->set : NULL) >= 0;
  }
  int64_t room = model->upper - 1 - entry->bytes;
  if (entry->pin >= 0) {
    bool fits = entry->reserved || entry->pin <= room;
    int64_t pin = entry->pin < model->upper ? entry->pin : model->upper;
    model->contradiction = model->contradiction || !fits;
    return memplan_engine_add_variable(model->engine, pin, pin, NULL) >= 0;
  }
  if (room < entry->residue) {
    model->contradiction = true;
    return memplan_engine_add_variable(model->engine, 0, 0, NULL) >= 0;
  }
  int64_t high = room - (room - entry->residue) % entry->align;
  memplan_offset_set *set = NULL;
  if (entry->align > 1) {
    memplan_offset_range *range = MEMPLAN_NEW(model->arena, memplan_offset_range, 1);
    set = MEMPLAN_NEW(model->arena, memplan_offset_set, 1);
    if (set == NULL || range == NULL) {
      return false;
    }
    *range = (memplan_offset_range){entry->residue, high};
    *set = (memplan_offset_set){range, 1, entry->align};
  }
  return memplan_engine_add_variable(model->engine, entry->residue, high, set) >= 0;
}

bool memplan_joint_model_start(memplan_joint_model *model) {
  const memplan_joint_graph *graph = model->graph;
  int64_t n = graph->n_ops, m = graph->n_items, turns = n * (n - 1) / 2;
  model->turn = MEMPLAN_NEW(model->arena, memplan_literal, n * n);
  model->turn_first = MEMPLAN_NEW(model->arena, int32_t, turns);
  model->turn_second = MEMPLAN_NEW(model->arena, int32_t, turns);
  model->dead = MEMPLAN_NEW(model->arena, memplan_literal, m * n);
  model->unborn = MEMPLAN_NEW(model->arena, memplan_literal, m * n);
  model->choice = MEMPLAN_NEW(model->arena, memplan_literal, graph->n_pairs);
  model->first_pair = MEMPLAN_NEW(model->arena, int32_t, n + 1);
  model->paired = MEMPLAN_NEW(model->arena, bool, m);
  if (model->first_pair == NULL || model->paired == NULL || model->turn == NULL || model->turn_first == NULL ||
      model->turn_second == NULL || model->dead == NULL || model->unborn == NULL || model->choice == NULL) {
    return false;
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) { // they stand by operator
    model->first_pair[graph->pairs[k].op + 1] = k + 1;
    model->paired[graph->pairs[k].born] = true;
    model->paired[graph->pairs[k].dying] = true;
  }
  for (int32_t op = 0; op < n; op++) {
    int32_t *first = model->first_pair;
    first[op + 1] = first[op + 1] > first[op] ? first[op + 1] : first[op];
  }
  model->largest = 1;
  for (int32_t item = 0; item < graph->n_items; item++) {
    int64_t bytes = graph->items[item].bytes;
    model->largest = bytes > model->largest && !graph->items[item].reserved ? bytes : model->largest;
    if (!add_offset(model, item)) {
      return false;
    }
  }
  int64_t low = model->lower < model->upper ? model->lower : model->upper - 1;
  int32_t height = memplan_engine_add_variable(model->engine, low, model->upper - 1, NULL);
  for (int32_t item = 0; item < graph->n_items && height >= 0; item++) {
    if (!graph->items[item].reserved) {
      memplan_engine_set_roof(model->engine, item, height, graph->items[item].bytes);
    }
  }
  return height >= 0;
}

// ---- turns

static int64_t share(int64_t a, int64_t b, int64_t largest) {
  a = a < largest ? a : largest;
  b = b < largest ? b : largest;
  int64_t scale = largest >> 20 != 0 ? largest >> 10 : 1; // products stay small
  return scale > 1 ? a / scale * (b / scale) : a * 1024 / largest * (b * 1024 / largest);
}

static int64_t written_bytes(const memplan_joint_graph *graph, int32_t op) {
  int64_t most = 0;
  for (int32_t item = 0; item < graph->n_items; item++) {
    const memplan_joint_item *entry = &graph->items[item];
    for (int32_t k = 0; k < entry->n_births; k++) {
      if (entry->births[k] == op && entry->bytes > most) {
        most = entry->bytes;
      }
    }
  }
  return most;
}

static bool add_turn(memplan_joint_model *model, int32_t u, int32_t w, int64_t activity) {
  const memplan_joint_name name = {MEMPLAN_JOINT_TURN, u, w};
  memplan_literal literal = memplan_joint_boolean(model, name, activity, model->step[u] < model->step[w]);
  if (literal == 0) {
    return false;
  }
  model->turn_first[model->n_turns] = u;
  model->turn_second[model->n_turns++] = w;
  int64_t n = model->graph->n_ops;
  model->turn[u * n + w] = literal;
  model->turn[w * n + u] = memplan_joint_not(literal);
  return true;
}

static bool add_turns(memplan_joint_model *model) {
  const memplan_joint_graph *graph = model->graph;
  int32_t n = graph->n_ops;
  int64_t *written = MEMPLAN_NEW(model->arena, int64_t, n);
  if (written == NULL) {
    return false;
  }
  for (int32_t op = 0; op < n; op++) {
    written[op] = written_bytes(graph, op);
  }
  model->first_turn = graph->n_items + 1;
  for (int32_t u = 0; u < n; u++) {
    for (int32_t w = u + 1; w < n; w++) {
      bool leads = graph->leader[u] == graph->leader[w] || (graph->leader[u] == u && graph->leader[w] == w);
      int64_t activity = share(written[u], written[w], model->largest);
      if (leads && !memplan_joint_graph_before(graph, u, w) && !memplan_joint_graph_before(graph, w, u) &&
          !add_turn(model, u, w, activity + activity / 8 + 1)) {
        return false;
      }
    }
  }
  for (int32_t u = 0; u < n; u++) {
    for (int32_t w = 0; w < n; w++) {
      memplan_literal *literal = &model->turn[(int64_t)u * n + w];
      bool led = graph->leader[u] != graph->leader[w];
      *literal = u == w || memplan_joint_graph_before(graph, w, u) ? MEMPLAN_JOINT_NO
                 : memplan_joint_graph_before(graph, u, w)         ? MEMPLAN_JOINT_YES
                 : led ? model->turn[(int64_t)graph->leader[u] * n + graph->leader[w]]
                       : *literal;
    }
  }
  return true;
}

// ---- lifetimes

static memplan_literal *scratch_literals(const memplan_joint_model *model, int64_t n, memplan_arena_mark *mark) {
  *mark = memplan_arena_get_mark(model->arena);
  return MEMPLAN_NEW(model->arena, memplan_literal, n + 1);
}

// An input that nobody reads is gone at `op` unless that is the first one.
static memplan_literal unread_dead(memplan_joint_model *model, int32_t item, int32_t op) {
  int32_t n = model->graph->n_ops, count = 0;
  memplan_arena_mark mark;
  memplan_literal *list = scratch_literals(model, n, &mark), first = 0;
  for (int32_t other = 0; other < n && list != NULL; other++) {
    if (other != op) {
      list[count++] = model->turn[(int64_t)op * n + other];
    }
  }
  if (list != NULL) {
    const memplan_joint_name name = {MEMPLAN_JOINT_ALIVE, item, op};
    first = conjunction(model, name, list, count, model->graph->items[item].bytes * 1024 / model->largest);
  }
  memplan_arena_release(model->arena, mark);
  return first == 0 ? 0 : memplan_joint_not(first);
}

static memplan_literal all_turns(memplan_joint_model *model, int32_t item, int32_t op, bool births) {
  const memplan_joint_item *entry = &model->graph->items[item];
  int32_t n = births ? entry->n_births : entry->n_deaths, n_ops = model->graph->n_ops;
  const int32_t *ops = births ? entry->births : entry->deaths;
  memplan_arena_mark mark;
  memplan_literal *list = scratch_literals(model, n, &mark), result = 0;
  for (int32_t k = 0; k < n && list != NULL; k++) {
    list[k] = births ? model->turn[(int64_t)op * n_ops + ops[k]] : model->turn[(int64_t)ops[k] * n_ops + op];
  }
  if (list != NULL) {
    const memplan_joint_name name = {births ? MEMPLAN_JOINT_UNBORN : MEMPLAN_JOINT_DEAD, item, op};
    result = conjunction(model, name, list, n, entry->bytes * 1024 / model->largest);
  }
  memplan_arena_release(model->arena, mark);
  return result;
}

memplan_literal memplan_joint_dead(memplan_joint_model *model, int32_t item, int32_t op) {
  const memplan_joint_item *entry = &model->graph->items[item];
  memplan_literal *known = &model->dead[(int64_t)item * model->graph->n_ops + op];
  if (*known == 0) {
    *known = entry->keep     ? MEMPLAN_JOINT_NO
             : entry->unread ? unread_dead(model, item, op)
                             : all_turns(model, item, op, false);
  }
  return *known;
}

memplan_literal memplan_joint_unborn(memplan_joint_model *model, int32_t item, int32_t op) {
  memplan_literal *known = &model->unborn[(int64_t)item * model->graph->n_ops + op];
  if (*known == 0) {
    *known = model->graph->items[item].init ? MEMPLAN_JOINT_NO : all_turns(model, item, op, true);
  }
  return *known;
}

// All users of a come before all writers of b.
static memplan_literal gone_before(memplan_joint_model *model, int32_t a, int32_t b) {
  const memplan_joint_item *born = &model->graph->items[b];
  if (born->init || model->graph->items[a].keep) {
    return MEMPLAN_JOINT_NO;
  }
  memplan_arena_mark mark;
  // literals of "dead" are made first: they use the arena's scratch too
  for (int32_t k = 0; k < born->n_births; k++) {
    if (memplan_joint_dead(model, a, born->births[k]) == 0) {
      return 0;
    }
  }
  memplan_literal *list = scratch_literals(model, born->n_births, &mark), result = 0;
  for (int32_t k = 0; k < born->n_births && list != NULL; k++) {
    list[k] = memplan_joint_dead(model, a, born->births[k]);
  }
  if (list != NULL) {
    const memplan_joint_name name = {MEMPLAN_JOINT_GONE, a, b};
    int64_t activity = share(model->graph->items[a].bytes, born->bytes, model->largest) / 2;
    result = conjunction(model, name, list, born->n_births, activity);
  }
  memplan_arena_release(model->arena, mark);
  return result;
}

// ---- choices

static bool add_choice(memplan_joint_model *model, int32_t index) {
  const memplan_joint_graph *graph = model->graph;
  const memplan_joint_pair *pair = &graph->pairs[index];
  const memplan_joint_item *born = &graph->items[pair->born], *dying = &graph->items[pair->dying];
  int64_t n = graph->n_ops;
  bool phase = true;
  for (int32_t k = 0; k < dying->n_deaths; k++) {
    phase = phase &&
            (dying->deaths[k] == pair->op || memplan_joint_phase(model, model->turn[dying->deaths[k] * n + pair->op]));
  }
  const memplan_joint_name name = {MEMPLAN_JOINT_CHOICE, index, -1};
  memplan_literal chosen = memplan_joint_boolean(model, name, share(born->bytes, dying->bytes, model->largest), phase);
  model->choice[index] = chosen;
  bool good = chosen != 0;
  for (int32_t k = 0; k < dying->n_deaths && good; k++) {
    good = dying->deaths[k] == pair->op || imply(model, chosen, model->turn[dying->deaths[k] * n + pair->op]);
  }
  for (int32_t k = 0; k < born->n_births && good; k++) {
    good = born->births[k] == pair->op || imply(model, chosen, model->turn[pair->op * n + born->births[k]]);
  }
  for (int32_t k = 0; k < index && good; k++) {
    const memplan_joint_pair *other = &graph->pairs[k];
    if (other->born == pair->born || other->dying == pair->dying) {
      good = clause2(model, memplan_joint_not(chosen), memplan_joint_not(model->choice[k]));
    }
  }
  return good;
}

// ---- exclusions

static bool add_arc(memplan_joint_model *model, int32_t from, int32_t to, memplan_literal guard, int64_t distance) {
  memplan_arc *arcs = memplan_grow_heap(model->arcs, model->n_arcs, &model->arc_capacity, sizeof *arcs);
  if (arcs == NULL) {
    return false;
  }
  model->arcs = arcs;
  arcs[model->n_arcs++] = (memplan_arc){from, to, memplan_literal_side(guard), distance};
  return true;
}

static int64_t reach(const memplan_joint_model *model, int32_t item) {
  const memplan_joint_item *entry = &model->graph->items[item];
  int64_t start = entry->pin > 0 ? entry->pin : 0;
  return entry->reserved && entry->bytes > model->upper - start ? model->upper - start : entry->bytes;
}

void memplan_joint_life(const memplan_joint_model *model, int32_t item, int32_t *first, int32_t *last) {
  const memplan_joint_item *entry = &model->graph->items[item];
  int32_t n = model->graph->n_ops;
  *first = entry->init ? 0 : n;
  *last = entry->keep ? n : 0;
  for (int32_t k = 0; k < entry->n_births; k++) {
    *first = model->step[entry->births[k]] < *first ? model->step[entry->births[k]] : *first;
  }
  for (int32_t k = 0; k < entry->n_deaths; k++) {
    *last = model->step[entry->deaths[k]] > *last ? model->step[entry->deaths[k]] : *last;
  }
}

static int32_t life(const memplan_joint_model *model, int32_t item) {
  int32_t first, last;
  memplan_joint_life(model, item, &first, &last);
  return last - first;
}

static bool add_sides(memplan_joint_model *model, int32_t a, int32_t b, memplan_literal below, memplan_literal above) {
  return add_arc(model, a, b, below, reach(model, a)) && add_arc(model, b, a, above, reach(model, b));
}

static bool exclude_maybe(memplan_joint_model *model, int32_t a, int32_t b, const memplan_literal *ways, int32_t n) {
  int64_t activity = share(model->graph->items[a].bytes, model->graph->items[b].bytes, model->largest);
  bool apart = false, down = life(model, a) >= life(model, b);
  for (int32_t k = 0; k < n; k++) {
    apart = apart || memplan_joint_phase(model, ways[k]);
  }
  const memplan_joint_name names[2] = {{MEMPLAN_JOINT_BELOW, a, b}, {MEMPLAN_JOINT_BELOW, b, a}};
  memplan_literal below = memplan_joint_boolean(model, names[0], activity, !apart && down);
  memplan_literal above = memplan_joint_boolean(model, names[1], activity, !apart && !down);
  memplan_arena_mark mark;
  memplan_literal *list = scratch_literals(model, n + 2, &mark);
  bool good = below != 0 && above != 0 && list != NULL;
  for (int32_t k = 0; k < n && good; k++) {
    list[k] = ways[k];
    good = imply(model, ways[k], memplan_joint_not(below)) && imply(model, ways[k], memplan_joint_not(above));
  }
  if (good) {
    list[n] = below;
    list[n + 1] = above;
    good = memplan_joint_clause(model, list, n + 2) && imply(model, below, memplan_joint_not(above));
  }
  memplan_arena_release(model->arena, mark);
  return good && add_sides(model, a, b, below, above);
}

static bool exclude(memplan_joint_model *model, int32_t a, int32_t b, memplan_literal *ways) {
  const memplan_joint_graph *graph = model->graph;
  const memplan_joint_item *x = &graph->items[a], *y = &graph->items[b];
  if ((x->reserved && y->reserved) || (x->reserved && x->pin >= model->upper) ||
      (y->reserved && y->pin >= model->upper) || (x->pools != 0 && (x->pools & y->pools) == 0)) {
    return true;
  }
  int32_t n = 0;
  for (int way = 0; way < 2; way++) {
    memplan_literal gone = way == 0 ? gone_before(model, a, b) : gone_before(model, b, a);
    if (gone == 0 || gone == MEMPLAN_JOINT_YES) {
      return gone != 0;
    }
    if (gone != MEMPLAN_JOINT_NO) {
      ways[n++] = gone;
    }
  }
  for (int32_t k = 0; k < graph->n_pairs && model->paired[a] && model->paired[b]; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    if ((pair->born == a && pair->dying == b) || (pair->born == b && pair->dying == a)) {
      ways[n++] = model->choice[k];
    }
  }
  if (n > 0) {
    return exclude_maybe(model, a, b, ways, n);
  }
  const memplan_joint_name name = {MEMPLAN_JOINT_BELOW, a, b};
  int64_t activity = share(x->bytes, y->bytes, model->largest);
  memplan_literal below = memplan_joint_boolean(model, name, activity, life(model, a) >= life(model, b));
  return below != 0 && add_sides(model, a, b, below, memplan_joint_not(below));
}

static bool add_ties(memplan_joint_model *model) {
  for (int32_t k = 0; k < model->graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &model->graph->pairs[k];
    if (!add_arc(model, pair->dying, pair->born, model->choice[k], pair->delta) ||
        !add_arc(model, pair->born, pair->dying, model->choice[k], -pair->delta)) {
      return false;
    }
  }
  return true;
}

static bool add_symmetry(memplan_joint_model *model) {
  const memplan_joint_graph *graph = model->graph;
  for (int32_t op = 0; op < graph->n_ops && model->settings.symmetry; op++) {
    if (graph->twin[op] >= 0) {
      memplan_literal first = model->turn[(int64_t)graph->twin[op] * graph->n_ops + op];
      if (!memplan_joint_clause(model, &first, 1)) {
        return false;
      }
    }
  }
  return true;
}

bool memplan_joint_model_fill(memplan_joint_model *model) {
  const memplan_joint_graph *graph = model->graph;
  if (!add_turns(model)) {
    return false;
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    if (!add_choice(model, k)) {
      return false;
    }
  }
  memplan_literal *ways = MEMPLAN_NEW(model->arena, memplan_literal, graph->n_pairs + 2);
  if (ways == NULL) {
    return false;
  }
  for (int32_t a = 0; a < graph->n_items; a++) {
    for (int32_t b = a + 1; b < graph->n_items; b++) {
      if (!exclude(model, a, b, ways)) {
        return false;
      }
    }
  }
  return add_ties(model) && add_symmetry(model);
}

bool memplan_joint_model_arcs(memplan_joint_model *model) {
  return memplan_engine_add_arcs(model->engine, model->arcs, model->n_arcs, model->graph->n_items);
}

void memplan_joint_model_free(memplan_joint_model *model) {
  free(model->phase);
  free(model->names);
  free(model->arcs);
}
