// SPDX-License-Identifier: Apache-2.0
// A window with the operators before and after it fixed is an order problem of the same kind, mostly a small one, which
// the threshold search decides in both directions; all its rules hold there. Cells that are live from end to end of the
// window are a constant of it. An order with the window's largest load below the old one is taken over: then either the
// peak is lower, or fewer steps have it.
//
// Windows around the first step with the peak grow from one try to the next. Those around the same step that brought
// nothing are passed over in later runs until the order has changed there or all sizes have had their turn; then each
// gets more work.
#include "solvers/order_window.h"

#include "model/base/rng.h"
#include "solvers/order_search.h"
#include "solvers/order_settle.h"

#include <stdlib.h>
#include <string.h>

enum {
  smallest = 16,
  n_shifts = 3,
  n_targets = 3,
  first_effort = 100000, // ticks of a search for a target in one direction
  most_effort = 50000000
};

struct memplan_order_window {
  const memplan_order_tables *tables; // two
  memplan_order_rules rules;
  memplan_arena arena;
  memplan_order_state state;
  int32_t *best;   // the order as the last run left it
  int32_t *known;  // the one that is being worked on
  int32_t *turned; // scratch
  int64_t *rank;   // scratch, by operator
  int64_t *load;   // by step of it
  bool has_order;
  int64_t peak, best_peak;
  int32_t size, shift, n_shaken;
  int64_t effort, most; // ticks of a search; of one in this run
  memplan_order_window_look counts;
};

// ---- windows

typedef struct cutting {
  const memplan_order_problem *problem;
  int32_t from, to;
  int32_t *step;  // by operator
  int32_t *local; // by operator: index in the window, -1
  int32_t *cell;  // by cell: index in the window, -1
} cutting;

static bool is_inside(const cutting *cut, int32_t op) { return cut->step[op] >= cut->from && cut->step[op] < cut->to; }

static bool any_at(const cutting *cut, const memplan_order_lists *lists, int32_t cell, int32_t from, int32_t to) {
  for (int32_t k = lists->first[cell]; k < lists->first[cell + 1]; k++) {
    int32_t step = cut->step[lists->list[k]];
    if (step >= from && step < to) {
      return true;
    }
  }
  return false;
}

// The part of lists that the window keeps: entries by `entry`, of the indices that `index` keeps.
static bool cut_lists(const memplan_order_lists *lists, int32_t n, const int32_t *index, int32_t n_kept,
                      const int32_t *entry, memplan_arena *arena, memplan_order_lists *kept) {
  int32_t *first = MEMPLAN_NEW(arena, int32_t, (int64_t)n_kept + 1), count = 0;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = lists->first[i]; index[i] >= 0 && k < lists->first[i + 1]; k++) {
      count += entry[lists->list[k]] >= 0;
    }
  }
  int32_t *list = MEMPLAN_NEW(arena, int32_t, count);
  if (first == NULL || list == NULL) {
    return false;
  }
  count = 0;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = lists->first[i]; index[i] >= 0 && k < lists->first[i + 1]; k++) {
      if (entry[lists->list[k]] >= 0) {
        list[count++] = entry[lists->list[k]];
      }
    }
    if (index[i] >= 0) {
      first[index[i] + 1] = count;
    }
  }
  *kept = (memplan_order_lists){first, list};
  return true;
}

// Numbers the cells that change in the window; those that live all through it go to its base.
static bool cut_cells(const cutting *cut, memplan_order_problem *window, memplan_arena *arena) {
  const memplan_order_problem *problem = cut->problem;
  memplan_order_cell *cells = MEMPLAN_NEW(arena, memplan_order_cell, problem->n_cells);
  if (cells == NULL) {
    return false;
  }
  window->n_cells = 0;
  for (int32_t k = 0; k < problem->n_cells; k++) {
    const memplan_order_cell *cell = &problem->cells[k];
    bool begun = cell->init || any_at(cut, &problem->births, k, 0, cut->from);
    bool begins = any_at(cut, &problem->births, k, cut->from, cut->to);
    bool stays = cell->keep || any_at(cut, &problem->deaths, k, cut->to, INT32_MAX);
    bool ends = any_at(cut, &problem->deaths, k, cut->from, cut->to);
    cut->cell[k] = -1;
    if (begun && stays) {
      window->base += cell->bytes;
    } else if (begun ? ends : begins) {
      cut->cell[k] = window->n_cells;
      cells[window->n_cells++] =
          (memplan_order_cell){.bytes = cell->bytes, .init = begun, .keep = stays, .source = cell->source};
    }
  }
  window->cells = cells;
  return true;
}

// Births of cells that are there, and deaths of those that stay, have no effect; the form does not hold them.
static bool cut_sides(const cutting *cut, memplan_order_problem *window, memplan_arena *arena) {
  const memplan_order_problem *problem = cut->problem;
  memplan_arena scratch = {0};
  int32_t *born = MEMPLAN_NEW(&scratch, int32_t, problem->n_cells);
  int32_t *dying = MEMPLAN_NEW(&scratch, int32_t, problem->n_cells);
  bool done = born != NULL && dying != NULL;
  for (int32_t k = 0; done && k < problem->n_cells; k++) {
    int32_t at = cut->cell[k];
    born[k] = at >= 0 && !window->cells[at].init ? at : -1;
    dying[k] = at >= 0 && !window->cells[at].keep ? at : -1;
  }
  int32_t *first[2] = {NULL, NULL};
  for (int32_t side = 0; done && side < 2; side++) {
    const int32_t *wanted = side == 0 ? born : dying;
    memplan_order_lists *by_op = side == 0 ? &window->op_births : &window->op_deaths;
    memplan_order_lists *by_cell = side == 0 ? &window->births : &window->deaths;
    memplan_order_lists all;
    done = cut_lists(side == 0 ? &problem->op_births : &problem->op_deaths, problem->n_ops, cut->local, window->n_ops,
                     wanted, arena, by_op) &&
           cut_lists(side == 0 ? &problem->births : &problem->deaths, problem->n_cells, cut->cell, window->n_cells,
                     cut->local, arena, &all);
    first[side] = MEMPLAN_NEW(arena, int32_t, (int64_t)window->n_cells + 1);
    int32_t *list = done ? MEMPLAN_NEW(arena, int32_t, by_op->first[window->n_ops]) : NULL;
    done = done && first[side] != NULL && list != NULL;
    int32_t count = 0;
    for (int32_t at = 0; done && at < window->n_cells; at++) {
      bool none = side == 0 ? window->cells[at].init : window->cells[at].keep;
      for (int32_t k = all.first[at]; !none && k < all.first[at + 1]; k++) {
        list[count++] = all.list[k];
      }
      first[side][at + 1] = count;
    }
    *by_cell = (memplan_order_lists){first[side], list};
  }
  memplan_arena_free(&scratch);
  return done;
}

static bool cut_pairs(const cutting *cut, const int32_t *ops, memplan_order_problem *window, memplan_arena *arena) {
  const memplan_order_problem *problem = cut->problem;
  int32_t most = 0;
  for (int32_t at = 0; at < window->n_ops; at++) {
    most += problem->pair_first[ops[at] + 1] - problem->pair_first[ops[at]];
  }
  memplan_order_pair *pairs = MEMPLAN_NEW(arena, memplan_order_pair, most);
  int32_t *first = MEMPLAN_NEW(arena, int32_t, (int64_t)window->n_ops + 1);
  if (pairs == NULL || first == NULL) {
    return false;
  }
  window->n_pairs = 0;
  for (int32_t at = 0; at < window->n_ops; at++) {
    for (int32_t k = problem->pair_first[ops[at]]; k < problem->pair_first[ops[at] + 1]; k++) {
      const memplan_order_pair *pair = &problem->pairs[k];
      int32_t born = cut->cell[pair->born], dying = cut->cell[pair->dying];
      if (born >= 0 && dying >= 0 && !window->cells[born].init && !window->cells[dying].keep) {
        pairs[window->n_pairs++] = (memplan_order_pair){
            .op = at, .born = born, .dying = dying, .source = pair->source, .saving = pair->saving};
      }
    }
    first[at + 1] = window->n_pairs;
  }
  window->pairs = pairs;
  window->pair_first = first;
  return true;
}

static bool cut_ops(const cutting *cut, const int32_t *ops, memplan_order_problem *window, memplan_arena *arena) {
  const memplan_order_problem *problem = cut->problem;
  int64_t *workspace = MEMPLAN_NEW(arena, int64_t, window->n_ops);
  int32_t *group = MEMPLAN_NEW(arena, int32_t, window->n_ops);
  if (workspace == NULL || group == NULL) {
    return false;
  }
  for (int32_t at = 0; at < window->n_ops; at++) {
    workspace[at] = problem->workspace[ops[at]];
    group[at] = problem->group[ops[at]];
  }
  window->workspace = workspace;
  window->group = group;
  return cut_lists(&problem->pred, problem->n_ops, cut->local, window->n_ops, cut->local, arena, &window->pred) &&
         cut_lists(&problem->succ, problem->n_ops, cut->local, window->n_ops, cut->local, arena, &window->succ);
}

memplan_status memplan_order_window_problem(const memplan_order_problem *problem, const int32_t *order, int32_t from,
                                            int32_t to, memplan_arena *arena, memplan_order_problem *window,
                                            int32_t *ops, memplan_error *error) {
  *window = (memplan_order_problem){.n_groups = problem->n_groups,
                                    .reversed = problem->reversed,
                                    .base = problem->base,
                                    .first = from == 0 ? problem->first : 0,
                                    .last = to == problem->n_ops ? problem->last : 0};
  memplan_arena scratch = {0};
  cutting cut = {.problem = problem,
                 .from = from,
                 .to = to,
                 .step = MEMPLAN_NEW(&scratch, int32_t, problem->n_ops),
                 .local = MEMPLAN_NEW(&scratch, int32_t, problem->n_ops),
                 .cell = MEMPLAN_NEW(&scratch, int32_t, problem->n_cells)};
  bool done = cut.step != NULL && cut.local != NULL && cut.cell != NULL;
  for (int32_t t = 0; done && t < problem->n_ops; t++) {
    cut.step[order[t]] = t;
  }
  for (int32_t op = 0; done && op < problem->n_ops; op++) {
    cut.local[op] = is_inside(&cut, op) ? window->n_ops : -1;
    if (cut.local[op] >= 0) {
      ops[window->n_ops++] = op;
    }
  }
  done = done && cut_cells(&cut, window, arena) && cut_sides(&cut, window, arena) &&
         cut_pairs(&cut, ops, window, arena) && cut_ops(&cut, ops, window, arena);
  memplan_arena_free(&scratch);
  return done ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_order_problem_turn(const memplan_order_problem *problem, memplan_arena *arena,
                                          memplan_order_problem *turned, memplan_error *error) {
  memplan_order_cell *cells = MEMPLAN_NEW(arena, memplan_order_cell, problem->n_cells);
  memplan_order_pair *pairs = MEMPLAN_NEW(arena, memplan_order_pair, problem->n_pairs);
  if (cells == NULL || pairs == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < problem->n_cells; k++) {
    cells[k] = problem->cells[k];
    cells[k].init = problem->cells[k].keep;
    cells[k].keep = problem->cells[k].init;
  }
  for (int32_t k = 0; k < problem->n_pairs; k++) {
    pairs[k] = problem->pairs[k];
    pairs[k].born = problem->pairs[k].dying;
    pairs[k].dying = problem->pairs[k].born;
  }
  *turned = *problem;
  turned->reversed = !problem->reversed;
  turned->pred = problem->succ;
  turned->succ = problem->pred;
  turned->births = problem->deaths;
  turned->deaths = problem->births;
  turned->op_births = problem->op_deaths;
  turned->op_deaths = problem->op_births;
  turned->cells = cells;
  turned->pairs = pairs;
  turned->first = problem->last;
  turned->last = problem->first;
  return MEMPLAN_OK;
}

// ---- local search

memplan_order_window *memplan_order_window_new(const memplan_order_tables tables[2], const memplan_order_rules *rules) {
  memplan_order_window *window = calloc(1, sizeof *window);
  if (window == NULL) {
    return NULL;
  }
  window->tables = tables;
  window->rules = *rules;
  window->known = MEMPLAN_NEW(&window->arena, int32_t, tables->problem->n_ops);
  window->turned = MEMPLAN_NEW(&window->arena, int32_t, tables->problem->n_ops);
  window->load = MEMPLAN_NEW(&window->arena, int64_t, tables->problem->n_ops);
  window->best = MEMPLAN_NEW(&window->arena, int32_t, tables->problem->n_ops);
  window->rank = MEMPLAN_NEW(&window->arena, int64_t, tables->problem->n_ops);
  if (window->known == NULL || window->best == NULL || window->rank == NULL || window->turned == NULL ||
      window->load == NULL || memplan_order_state_init(&window->state, tables, &window->arena, NULL) != MEMPLAN_OK) {
    memplan_order_window_free(window);
    return NULL;
  }
  return window;
}

void memplan_order_window_free(memplan_order_window *window) {
  if (window != NULL) {
    memplan_arena_free(&window->arena);
    free(window);
  }
}

static void measure(memplan_order_window *window, const int32_t *order) {
  memplan_order_state *state = &window->state;
  int32_t n = window->tables->problem->n_ops;
  window->peak = 0;
  for (int32_t t = 0; t < n; t++) {
    window->load[t] = memplan_order_state_load(state, order[t]);
    window->peak = window->load[t] > window->peak ? window->load[t] : window->peak;
    memplan_order_state_run(state, order[t]);
  }
  while (state->n_done > 0) {
    memplan_order_state_undo(state);
  }
}

static void start_again(memplan_order_window *window) {
  window->size = smallest;
  window->shift = 0;
}

static void turn(const int32_t *from, int32_t n, int32_t *to) {
  for (int32_t t = 0; t < n; t++) {
    to[t] = from[n - 1 - t];
  }
}

// Both directions by turns, until neither changes the peak.
static memplan_status settle(memplan_order_window *window, memplan_error *error) {
  int32_t n = window->tables->problem->n_ops;
  int64_t before, ticks;
  do {
    before = window->peak;
    MEMPLAN_TRY(memplan_order_settle(&window->tables[0], &window->rules, window->peak, window->known, &ticks, error));
    window->counts.ticks += ticks;
    measure(window, window->known);
    turn(window->known, n, window->turned);
    MEMPLAN_TRY(memplan_order_settle(&window->tables[1], &window->rules, window->peak, window->turned, &ticks, error));
    window->counts.ticks += ticks;
    turn(window->turned, n, window->known);
    measure(window, window->known);
  } while (window->peak < before);
  return MEMPLAN_OK;
}

static memplan_status adopt(memplan_order_window *window, const int32_t *order, memplan_error *error) {
  size_t bytes = (size_t)window->tables->problem->n_ops * sizeof *order;
  if (window->has_order && memcmp(window->best, order, bytes) == 0) {
    return MEMPLAN_OK;
  }
  memcpy(window->known, order, bytes);
  memcpy(window->best, order, bytes);
  window->has_order = true;
  window->effort = first_effort;
  measure(window, order);
  window->best_peak = window->peak;
  start_again(window);
  return settle(window, error);
}

// ---- shaking

// The order at hand again, each operator up to `reach` steps away from its place as far as it can be without passing
// the peak; where none can, the least load is taken.
static void shake(memplan_order_window *window, int64_t reach) {
  memplan_order_state *state = &window->state;
  int32_t n = window->tables->problem->n_ops;
  uint64_t stream = (uint64_t)window->n_shaken << 32;
  for (int32_t t = 0; t < n; t++) {
    window->rank[window->best[t]] = t + (int64_t)(memplan_splitmix(&stream) % (uint64_t)reach);
  }
  while (state->n_done < n) {
    int32_t chosen = -1;
    int64_t chosen_load = INT64_MAX;
    for (int32_t k = 0; k < state->n_ready; k++) {
      int32_t op = state->ready[k];
      if (state->ops[op].missing > 0 || !memplan_order_state_admits(state, op)) {
        continue;
      }
      int64_t load = memplan_order_state_load(state, op);
      load = load < window->best_peak ? 0 : load;
      bool before = chosen < 0 || load < chosen_load ||
                    (load == chosen_load && (window->rank[op] < window->rank[chosen] ||
                                             (window->rank[op] == window->rank[chosen] && op < chosen)));
      chosen_load = before ? load : chosen_load;
      chosen = before ? op : chosen;
    }
    memplan_order_state_run(state, chosen);
  }
  memcpy(window->known, state->sequence, (size_t)n * sizeof *window->known);
  window->counts.ticks += (int64_t)n * 8;
  while (state->n_done > 0) {
    memplan_order_state_undo(state);
  }
}

static void keep_best(memplan_order_window *window) {
  if (window->peak <= window->best_peak) {
    window->best_peak = window->peak;
    memcpy(window->best, window->known, (size_t)window->tables->problem->n_ops * sizeof *window->best);
  }
}

// Windows bring nothing more: the best order is shaken.
static memplan_status begin_anew(memplan_order_window *window, memplan_error *error) {
  int32_t n = window->tables->problem->n_ops;
  int64_t reach = INT64_C(8) << 2 * (window->n_shaken % 4);
  keep_best(window);
  shake(window, reach < n ? reach : n);
  window->n_shaken++;
  window->effort = window->n_shaken % 8 == 0 && window->effort < most_effort ? window->effort * 2 : window->effort;
  measure(window, window->known);
  start_again(window);
  return settle(window, error);
}

// The window at hand, never through a group.
static void place(const memplan_order_window *window, int32_t *from, int32_t *to) {
  const memplan_order_problem *problem = window->tables->problem;
  int32_t n = problem->n_ops, at = 0, size = window->size < n ? window->size : n;
  while (window->load[at] < window->peak) {
    at++;
  }
  int32_t before = window->shift == 0 ? size / 2 : window->shift == 1 ? size / 4 : size - size / 4;
  int32_t begin = at - before < 0 ? 0 : at - before;
  begin = begin > n - size ? n - size : begin;
  int32_t end = begin + size;
  const int32_t *order = window->known, *group = problem->group;
  while (begin > 0 && group[order[begin]] >= 0 && group[order[begin]] == group[order[begin - 1]]) {
    begin--;
  }
  while (end < n && group[order[end - 1]] >= 0 && group[order[end - 1]] == group[order[end]]) {
    end++;
  }
  *from = begin;
  *to = end;
}

// Goes on to the next window; after the last one, to more work.
static memplan_status advance(memplan_order_window *window, memplan_error *error) {
  bool whole = window->size >= window->tables->problem->n_ops;
  if (++window->shift == n_shifts || whole) {
    window->shift = 0;
    window->size *= 2;
    if (whole) {
      return begin_anew(window, error);
    }
  }
  return MEMPLAN_OK;
}

// An order of the window with a peak below the ceiling, sought from a threshold on; found: in `order`.
static memplan_status search_once(memplan_order_window *window, const memplan_order_tables *tables, int64_t threshold,
                                  int64_t ceiling, int32_t *order, memplan_order_search_outcome *outcome,
                                  memplan_error *error) {
  memplan_order_search *search;
  int32_t n = tables->problem->n_ops;
  MEMPLAN_TRY(memplan_order_search_new(tables, &window->rules, 0, threshold, ceiling, &search, error));
  int64_t effort = window->effort < window->most ? window->effort : window->most;
  memplan_status status = memplan_order_search_run(search, effort, error);
  memplan_order_search_look look;
  memplan_order_search_state(search, &look);
  for (int32_t t = 0; t < n && look.outcome == MEMPLAN_ORDER_FOUND; t++) {
    order[tables->problem->reversed == window->tables->problem->reversed ? t : n - 1 - t] = look.order[t];
  }
  window->counts.ticks += look.ticks;
  window->counts.states += look.states;
  *outcome = look.outcome;
  memplan_order_search_free(search);
  return status;
}

static memplan_status search_window(memplan_order_window *window, int32_t from, int32_t to, int64_t low,
                                    memplan_arena *arena, bool *bettered, memplan_error *error) {
  static const int32_t eighths[n_targets] = {0, 5, 8};
  memplan_order_problem problems[2];
  memplan_order_tables tables[2];
  int32_t n = to - from;
  int32_t *ops = MEMPLAN_NEW(arena, int32_t, n), *order = MEMPLAN_NEW(arena, int32_t, n);
  if (ops == NULL || order == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(
      memplan_order_window_problem(window->tables->problem, window->known, from, to, arena, &problems[0], ops, error));
  MEMPLAN_TRY(memplan_order_problem_turn(&problems[0], arena, &problems[1], error));
  for (int32_t side = 0; side < 2; side++) {
    MEMPLAN_TRY(memplan_order_tables_init(&tables[side], &problems[side], &window->rules, arena, error));
  }
  window->counts.ticks += 4 * (int64_t)window->tables->problem->n_ops + 16 * (int64_t)n;
  *bettered = false;
  int64_t last = -1;
  for (int32_t k = 0; k < 2 * n_targets && !*bettered; k++) {
    int64_t target = low + (window->peak - 1 - low) / 8 * eighths[k / 2];
    target = k / 2 == n_targets - 1 ? window->peak - 1 : target;
    if (k % 2 == 0 && target == last) {
      break;
    }
    last = k % 2 == 1 ? target : last;
    memplan_order_search_outcome outcome;
    MEMPLAN_TRY(search_once(window, &tables[1 - k % 2], target, window->peak, order, &outcome, error));
    if (outcome == MEMPLAN_ORDER_EXHAUSTED) {
      break;
    }
    *bettered = outcome == MEMPLAN_ORDER_FOUND;
  }
  for (int32_t t = 0; t < n && *bettered; t++) {
    window->known[from + t] = ops[order[t]];
  }
  return MEMPLAN_OK;
}

// The largest load outside of the window: there is no use in going below it.
static int64_t find_rest(const memplan_order_window *window, int32_t from, int32_t to) {
  int64_t most = 0;
  for (int32_t t = 0; t < window->tables->problem->n_ops; t++) {
    most = (t < from || t >= to) && window->load[t] > most ? window->load[t] : most;
  }
  return most;
}

static memplan_status try_window(memplan_order_window *window, int64_t bound, memplan_error *error) {
  int32_t from, to;
  place(window, &from, &to);
  int64_t low = find_rest(window, from, to);
  low = low < bound ? bound : low;
  low = low >= window->peak ? bound + (window->peak - 1 - bound) / 2 : low;
  memplan_arena arena = {0};
  bool bettered = false;
  memplan_status status = search_window(window, from, to, low, &arena, &bettered, error);
  memplan_arena_free(&arena);
  window->counts.tried++;
  if (bettered) {
    window->counts.bettered++;
    measure(window, window->known);
    start_again(window);
  } else if (status == MEMPLAN_OK) {
    status = advance(window, error);
  }
  return status;
}

memplan_status memplan_order_window_run(memplan_order_window *window, int32_t *order, int64_t bound, int64_t ticks,
                                        memplan_error *error) {
  int32_t n = window->tables->problem->n_ops;
  int64_t end = window->counts.ticks + ticks;
  window->most = ticks / 4 + 1;
  memplan_status status = adopt(window, order, error);
  while (status == MEMPLAN_OK && window->peak > bound && window->counts.ticks < end) {
    status = try_window(window, bound, error);
  }
  keep_best(window);
  memcpy(order, window->best, (size_t)n * sizeof *order);
  return status;
}

void memplan_order_window_state(const memplan_order_window *window, memplan_order_window_look *look) {
  *look = window->counts;
  look->peak = window->best_peak;
}
