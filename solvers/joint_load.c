// SPDX-License-Identifier: Apache-2.0
// At each operator: the bytes that are certain, terms that count while their literals are true, and for each output
// that may take over an input what the best pair still possible would save. All savings are taken off first; as pairs
// fall away the difference to the next best comes back.
//
// The same for a part of the items that has a room of its own, within the height or of a fixed size.
//
// Reasons are made when asked for: terms are dropped while what remains still passes the height.
#include "solvers/joint_load.h"

#include "model/base/grow.h"
#include "solvers/engine_log.h"
#include "solvers/engine_state.h"
#include "solvers/proof.h"

#include <stdlib.h>

// Counts while all literals are true; 0: none.
typedef struct term {
  int64_t bytes;
  memplan_literal when[2];
} term;

// Pairs of one output at one operator, by falling saving.
typedef struct gain {
  int32_t first, n; // in pairs
} gain;

typedef struct pair {
  int64_t saving;
  memplan_literal chosen;
} pair;

typedef struct loads {
  int32_t kind, n, height;
  int64_t most;                     // of the loads, -1: the height
  const memplan_joint_room *room;   // of the items that count, NULL: all of them
  int64_t *certain;                 // by operator, all savings taken off
  int32_t *first_term, *first_gain; // by operator, and one more
  term *terms;
  gain *gains;
  pair *pairs;
  int32_t n_terms, n_gains, n_pairs;
  int64_t term_capacity, gain_capacity, pair_capacity;
  int32_t n_sides;
  int32_t *first_of_side, *of_side; // operators with a term or a pair on each side, either way round
  int32_t *queue;
  bool *queued;
  int32_t n_queued;
} loads;

// Arguments of reasons: an operator, n + a term, n + n_terms + a pair, each at the operator that holds it.

static bool is_fixed(const loads *all) { return all->most >= 0; }

static bool was_true(const memplan_engine *engine, memplan_literal literal, int32_t position) {
  return memplan_engine_bound_before(engine, memplan_literal_side(literal), position) >= memplan_literal_value(literal);
}

// The saving still possible.
static int64_t best_saving(const loads *all, const memplan_engine *engine, const gain *one) {
  for (int32_t k = one->first; k < one->first + one->n; k++) {
    if (!memplan_engine_is_false(engine, all->pairs[k].chosen)) {
      return all->pairs[k].saving;
    }
  }
  return 0;
}

static int64_t first_saving(const loads *all, const gain *one) {
  return one->n > 0 ? all->pairs[one->first].saving : 0;
}

static int64_t sum_load(const loads *all, const memplan_engine *engine, int32_t op) {
  int64_t sum = all->certain[op];
  for (int32_t k = all->first_term[op]; k < all->first_term[op + 1]; k++) {
    const term *one = &all->terms[k];
    if (memplan_engine_is_true(engine, one->when[0]) &&
        (one->when[1] == 0 || memplan_engine_is_true(engine, one->when[1]))) {
      sum += one->bytes;
    }
  }
  for (int32_t k = all->first_gain[op]; k < all->first_gain[op + 1]; k++) {
    sum += first_saving(all, &all->gains[k]) - best_saving(all, engine, &all->gains[k]);
  }
  return sum;
}

static bool deny(memplan_engine *engine, memplan_literal literal, memplan_reason reason) {
  literal = memplan_literal_negate(literal);
  return memplan_engine_raise(engine, memplan_literal_side(literal), memplan_literal_value(literal), reason);
}

// One literal of a term too many must be false if the other one is true.
static bool deny_term(const loads *all, memplan_engine *engine, int32_t index) {
  const term *one = &all->terms[index];
  memplan_reason reason = {all->kind, all->n + index};
  for (int k = 0; k < 2; k++) {
    memplan_literal own = one->when[k], other = one->when[1 - k];
    if (own != 0 && (other == 0 || memplan_engine_is_true(engine, other)) && !memplan_engine_is_true(engine, own) &&
        !memplan_engine_is_false(engine, own)) {
      return deny(engine, own, reason);
    }
  }
  return true;
}

// The saving without the best pair.
static int64_t next_saving(const loads *all, const memplan_engine *engine, const gain *one, int32_t *best) {
  *best = -1;
  for (int32_t k = one->first; k < one->first + one->n; k++) {
    if (memplan_engine_is_false(engine, all->pairs[k].chosen)) {
      continue;
    }
    if (*best >= 0) {
      return all->pairs[k].saving;
    }
    *best = k;
  }
  return 0;
}

static bool look_at(loads *all, memplan_engine *engine, int32_t op) {
  int64_t sum = sum_load(all, engine, op), most = is_fixed(all) ? all->most : -engine->bound[2 * all->height + 1];
  engine->counts.ticks += (all->first_term[op + 1] - all->first_term[op]) / 2 + 1;
  memplan_reason reason = {all->kind, op};
  if ((engine->n_levels > 0 || is_fixed(all)) && sum > most) {
    return memplan_engine_clash(engine, reason);
  }
  if (engine->n_levels == 0 && !is_fixed(all) && !memplan_engine_raise(engine, 2 * all->height, sum, reason)) {
    return false;
  }
  for (int32_t k = all->first_term[op]; k < all->first_term[op + 1]; k++) {
    if (sum + all->terms[k].bytes > most && !deny_term(all, engine, k)) {
      return false;
    }
  }
  for (int32_t k = all->first_gain[op]; k < all->first_gain[op + 1]; k++) {
    int32_t best;
    int64_t next = next_saving(all, engine, &all->gains[k], &best);
    if (best < 0 || memplan_engine_is_true(engine, all->pairs[best].chosen) ||
        sum + all->pairs[best].saving - next <= most) {
      continue;
    }
    memplan_literal chosen = all->pairs[best].chosen;
    if (!memplan_engine_raise(engine, memplan_literal_side(chosen), memplan_literal_value(chosen),
                              (memplan_reason){all->kind, all->n + all->n_terms + best})) {
      return false;
    }
  }
  return true;
}

static bool propagate(void *state, memplan_engine *engine, bool *done) {
  loads *all = state;
  *done = all->n_queued == 0;
  if (*done) {
    return true;
  }
  int32_t op = all->queue[--all->n_queued];
  all->queued[op] = false;
  return look_at(all, engine, op);
}

static void queue_op(loads *all, int32_t op) {
  if (!all->queued[op]) {
    all->queued[op] = true;
    all->queue[all->n_queued++] = op;
  }
}

static bool wake(void *state, memplan_engine *engine, int32_t side) {
  loads *all = state;
  (void)engine;
  if (side == 2 * all->height + 1 && !is_fixed(all)) {
    for (int32_t op = all->n - 1; op >= 0; op--) {
      queue_op(all, op);
    }
  } else if (side < all->n_sides) {
    for (int32_t k = all->first_of_side[side]; k < all->first_of_side[side + 1]; k++) {
      queue_op(all, all->of_side[k]);
    }
  }
  return true;
}

static void backtrack(void *state, memplan_engine *engine) {
  loads *all = state;
  (void)engine;
  while (all->n_queued > 0) {
    all->queued[all->queue[--all->n_queued]] = false;
  }
}

// ---- reasons

static int32_t op_of(const int32_t *first, int32_t n, int32_t index) {
  int32_t low = 0, high = n - 1;
  while (low < high) {
    int32_t middle = low + (high - low + 1) / 2;
    if (first[middle] <= index) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

static int32_t gain_of(const loads *all, int32_t index) {
  int32_t low = 0, high = all->n_gains - 1;
  while (low < high) {
    int32_t middle = low + (high - low + 1) / 2;
    if (all->gains[middle].first <= index) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// What counted at the time, all but one term and one gain.
typedef struct question {
  int32_t op, position, term, gain;
} question;

static bool counted(const loads *all, const memplan_engine *engine, const question *what, int32_t index) {
  const term *one = &all->terms[index];
  return index != what->term && was_true(engine, one->when[0], what->position) &&
         (one->when[1] == 0 || was_true(engine, one->when[1], what->position));
}

static int64_t came_back(const loads *all, const memplan_engine *engine, const question *what, int32_t index) {
  const gain *one = &all->gains[index];
  if (index == what->gain) {
    return 0;
  }
  for (int32_t k = one->first; k < one->first + one->n; k++) {
    if (!was_true(engine, memplan_literal_negate(all->pairs[k].chosen), what->position)) {
      return first_saving(all, one) - all->pairs[k].saving;
    }
  }
  return first_saving(all, one);
}

// Premises by which certain bytes, terms and gains reach the sum less `spare`; what is spare is dropped.
static int64_t push_sum(const loads *all, memplan_engine *engine, const question *what, int64_t spare) {
  for (int32_t k = all->first_term[what->op]; k < all->first_term[what->op + 1]; k++) {
    if (!counted(all, engine, what, k)) {
      continue;
    }
    if (all->terms[k].bytes <= spare) {
      spare -= all->terms[k].bytes;
      continue;
    }
    for (int l = 0; l < 2 && all->terms[k].when[l] != 0; l++) {
      memplan_engine_push(engine, all->terms[k].when[l]);
    }
  }
  for (int32_t k = all->first_gain[what->op]; k < all->first_gain[what->op + 1]; k++) {
    const gain *one = &all->gains[k];
    int64_t back = came_back(all, engine, what, k);
    if (back <= spare) {
      spare -= back;
      continue;
    }
    for (int32_t l = one->first; l < one->first + one->n && first_saving(all, one) - all->pairs[l].saving < back; l++) {
      memplan_engine_push(engine, memplan_literal_negate(all->pairs[l].chosen));
    }
  }
  return spare;
}

static int64_t sum_counted(const loads *all, const memplan_engine *engine, const question *what) {
  int64_t sum = all->certain[what->op];
  for (int32_t k = all->first_term[what->op]; k < all->first_term[what->op + 1]; k++) {
    sum += counted(all, engine, what, k) ? all->terms[k].bytes : 0;
  }
  for (int32_t k = all->first_gain[what->op]; k < all->first_gain[what->op + 1]; k++) {
    sum += came_back(all, engine, what, k);
  }
  return sum;
}

static void name_load(memplan_engine *engine, int32_t op) {
  memplan_engine_lemma(engine, MEMPLAN_LEMMA_LOAD);
  memplan_engine_lemma(engine, op);
}

// What does not count itself but would bring `more` bytes is denied: they pass the height.
static void explain_denial(const loads *all, memplan_engine *engine, const question *what, int64_t more) {
  name_load(engine, what->op);
  int64_t most = is_fixed(all) ? all->most : -memplan_engine_bound_before(engine, 2 * all->height + 1, what->position);
  int64_t spare = push_sum(all, engine, what, sum_counted(all, engine, what) + more - most - 1);
  if (!is_fixed(all)) {
    memplan_engine_push(engine, memplan_literal_make(2 * all->height + 1, -(most + spare)));
  }
}

static void explain(void *state, memplan_engine *engine, int32_t argument, int32_t position, memplan_literal needed) {
  const loads *all = state;
  if (argument < all->n && needed == 0) {
    question what = {argument, position, -1, -1};
    explain_denial(all, engine, &what, 0);
  } else if (argument < all->n) {
    question what = {argument, position, -1, -1};
    name_load(engine, argument);
    (void)push_sum(all, engine, &what, sum_counted(all, engine, &what) - memplan_literal_value(needed));
  } else if (argument < all->n + all->n_terms) {
    int32_t index = argument - all->n;
    question what = {op_of(all->first_term, all->n, index), position, index, -1};
    const term *one = &all->terms[index];
    int own = memplan_literal_side(one->when[0]) == (memplan_literal_side(needed) ^ 1) ? 0 : 1;
    explain_denial(all, engine, &what, one->bytes);
    if (one->when[1 - own] != 0) {
      memplan_engine_push(engine, one->when[1 - own]);
    }
  } else {
    int32_t index = argument - all->n - all->n_terms, number = gain_of(all, index);
    const gain *one = &all->gains[number];
    question what = {op_of(all->first_gain, all->n, number), position, -1, number};
    int64_t next = 0; // best that is left without the pair
    for (int32_t k = one->first; k < one->first + one->n; k++) {
      if (k != index && !was_true(engine, memplan_literal_negate(all->pairs[k].chosen), position)) {
        next = all->pairs[k].saving;
        break;
      }
    }
    explain_denial(all, engine, &what, first_saving(all, one) - next);
    for (int32_t k = one->first; k < one->first + one->n && all->pairs[k].saving > next; k++) {
      if (k != index) {
        memplan_engine_push(engine, memplan_literal_negate(all->pairs[k].chosen));
      }
    }
  }
}

// ---- making

static void release(void *state) {
  loads *all = state;
  if (all != NULL) {
    void *const parts[] = {all->certain, all->first_term,    all->first_gain, all->terms, all->gains,
                           all->pairs,   all->first_of_side, all->of_side,    all->queue, all->queued};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      free(parts[k]);
    }
    free(all);
  }
}

static bool add_term(loads *all, int64_t bytes, memplan_literal first, memplan_literal second) {
  term *terms = memplan_grow_heap(all->terms, all->n_terms, &all->term_capacity, sizeof *terms);
  if (terms == NULL) {
    return false;
  }
  all->terms = terms;
  terms[all->n_terms++] = (term){bytes, {first, second}};
  return true;
}

// Literals by which the item is live at the operator: none (certain), one, or two. False if it never is.
static bool live_literals(memplan_joint_model *model, int32_t item, int32_t op, memplan_literal *when, bool *good) {
  memplan_literal dead = memplan_joint_dead(model, item, op), unborn = memplan_joint_unborn(model, item, op);
  int n = 0;
  when[0] = when[1] = 0;
  *good = *good && dead != 0 && unborn != 0;
  if (!*good || dead == MEMPLAN_JOINT_YES || unborn == MEMPLAN_JOINT_YES) {
    return false;
  }
  if (dead != MEMPLAN_JOINT_NO) {
    when[n++] = memplan_joint_not(dead);
  }
  if (unborn != MEMPLAN_JOINT_NO && !(n == 1 && when[0] == memplan_joint_not(unborn))) {
    when[n++] = memplan_joint_not(unborn);
  }
  return true;
}

static bool takes_part(const loads *all, const memplan_joint_item *item) {
  return !item->reserved && (all->room == NULL || (item->pools & ~all->room->pools) == 0);
}

static bool add_gain(loads *all, const memplan_joint_model *model, int32_t op, int32_t item) {
  const memplan_joint_graph *graph = model->graph;
  int32_t first = all->n_pairs;
  for (int32_t k = model->first_pair[op]; k < model->first_pair[op + 1]; k++) {
    if (graph->pairs[k].born != item || graph->pairs[k].saving <= 0 ||
        !takes_part(all, &graph->items[graph->pairs[k].dying])) {
      continue;
    }
    pair *pairs = memplan_grow_heap(all->pairs, all->n_pairs, &all->pair_capacity, sizeof *pairs);
    if (pairs == NULL) {
      return false;
    }
    all->pairs = pairs;
    int32_t at = all->n_pairs++;
    for (; at > first && pairs[at - 1].saving < graph->pairs[k].saving; at--) {
      pairs[at] = pairs[at - 1];
    }
    pairs[at] = (pair){graph->pairs[k].saving, model->choice[k]};
  }
  if (all->n_pairs == first) {
    return true;
  }
  gain *gains = memplan_grow_heap(all->gains, all->n_gains, &all->gain_capacity, sizeof *gains);
  if (gains == NULL) {
    return false;
  }
  all->gains = gains;
  gains[all->n_gains++] = (gain){first, all->n_pairs - first};
  all->certain[op] -= all->pairs[first].saving;
  return true;
}

static bool fill_op(loads *all, memplan_joint_model *model, int32_t op) {
  const memplan_joint_graph *graph = model->graph;
  bool good = true;
  for (int32_t item = 0; item < graph->n_items; item++) {
    memplan_literal when[2];
    if (!takes_part(all, &graph->items[item]) || !live_literals(model, item, op, when, &good)) {
      if (!good) {
        return false;
      }
      continue;
    }
    if (when[0] == 0) {
      all->certain[op] += graph->items[item].bytes;
    } else if (!add_term(all, graph->items[item].bytes, when[0], when[1])) {
      return false;
    }
  }
  for (int32_t item = 0; item < graph->n_items; item++) {
    if (takes_part(all, &graph->items[item]) && !add_gain(all, model, op, item)) {
      return false;
    }
  }
  return true;
}

static void count_literal(loads *all, memplan_literal literal, int32_t op, bool store) {
  for (int32_t way = 0; way < 2; way++) {
    int32_t side = memplan_literal_side(literal) ^ way;
    if (store) {
      all->of_side[all->first_of_side[side + 1]++] = op;
    } else {
      all->first_of_side[side + 2]++;
    }
  }
}

static void count_literals(loads *all, bool store) {
  for (int32_t op = 0; op < all->n; op++) {
    for (int32_t k = all->first_term[op]; k < all->first_term[op + 1]; k++) {
      for (int l = 0; l < 2 && all->terms[k].when[l] != 0; l++) {
        count_literal(all, all->terms[k].when[l], op, store);
      }
    }
    for (int32_t k = all->first_gain[op]; k < all->first_gain[op + 1]; k++) {
      for (int32_t l = all->gains[k].first; l < all->gains[k].first + all->gains[k].n; l++) {
        count_literal(all, all->pairs[l].chosen, op, store);
      }
    }
  }
}

static bool index_sides(loads *all, const memplan_joint_model *model) {
  all->n_sides = 2 * model->engine->n_variables;
  all->first_of_side = calloc((size_t)all->n_sides + 3, sizeof(int32_t));
  all->of_side = malloc((4 * (size_t)all->n_terms + 2 * (size_t)all->n_pairs + 1) * sizeof(int32_t));
  if (all->first_of_side == NULL || all->of_side == NULL) {
    return false;
  }
  count_literals(all, false);
  for (int32_t side = 0; side < all->n_sides; side++) {
    all->first_of_side[side + 2] += all->first_of_side[side + 1];
  }
  count_literals(all, true);
  return true;
}

static bool add_loads(memplan_joint_model *model, const memplan_joint_room *room) {
  loads *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return false;
  }
  size_t n = (size_t)model->graph->n_ops;
  all->n = model->graph->n_ops;
  all->height = model->graph->n_items;
  all->room = room;
  all->most = room != NULL && !room->open ? room->units : -1;
  all->certain = calloc(n + 1, sizeof *all->certain);
  all->first_term = calloc(n + 1, sizeof *all->first_term);
  all->first_gain = calloc(n + 1, sizeof *all->first_gain);
  all->queue = malloc((n + 1) * sizeof *all->queue);
  all->queued = calloc(n + 1, sizeof *all->queued);
  bool good = all->certain != NULL && all->first_term != NULL && all->first_gain != NULL && all->queue != NULL &&
              all->queued != NULL;
  for (int32_t op = 0; op < all->n && good; op++) {
    all->certain[op] = room != NULL && room->open ? -room->units : 0;
    good = fill_op(all, model, op);
    all->first_term[op + 1] = all->n_terms;
    all->first_gain[op + 1] = all->n_gains;
  }
  const memplan_propagator propagator = {all, wake, propagate, explain, backtrack, release};
  if (!good || !index_sides(all, model) ||
      (all->kind = memplan_engine_add_propagator(model->engine, &propagator)) < 0) {
    release(all);
    return false;
  }
  return true;
}

bool memplan_joint_add_loads(memplan_joint_model *model) {
  bool good = add_loads(model, NULL);
  for (int32_t k = 0; k < model->graph->n_rooms && good; k++) {
    good = add_loads(model, &model->graph->rooms[k]);
  }
  return good;
}
