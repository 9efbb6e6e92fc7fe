// SPDX-License-Identifier: Apache-2.0
// Single operators first, then those with their lazy predecessors, then intervals: the closure of what a live cell
// still waits for. Within an interval a depth-first search that takes the state with the fewest live bytes first looks
// for an S with M(S) <= M(X); of the ideals between X and S, all of which are listed by bit masks, the union of the
// least ones is the one to commit (the least ones of a submodular function are closed under union). The path restricted
// to it keeps within the threshold, which is looked at once more.
#include "solvers/order_commit.h"

#include "model/base/compiler.h"
#include "solvers/order_audit.h"

#include <assert.h>
#include <string.h>

enum { most_nodes = 200, most_closures = 64, most_ops = MEMPLAN_ORDER_INTERVAL };

// A cell that the operators of a path touch, seen from the state before it.
typedef struct local_cell {
  int64_t bytes;
  uint32_t births, deaths; // by place on the path
  bool born, endless;      // begun before; has deaths outside the path or is kept
} local_cell;

struct memplan_order_interval {
  int32_t ops[most_ops];
  int32_t n_ops;
  int32_t n_nodes; // of the search in the interval
  uint8_t visited[1 << most_ops >> 3];
  int32_t *cells;                      // copy of the state's dying cells
  int32_t *ready;                      // copy of its ready operators
  uint64_t closures[most_closures][2]; // looked at in this state
  int32_t n_closures;
  int32_t *touched; // by cell: the last round that marked it
  int32_t touched_round;
  int32_t *cell_stamp; // by cell
  int32_t *place;      // by cell: in `local`
  local_cell *local;   // of the path
  int32_t n_local, cell_round;
};

static bool allocate(memplan_order_commit *commit, memplan_arena *arena) {
  const memplan_order_problem *problem = commit->state->problem;
  memplan_order_interval *interval = MEMPLAN_NEW(arena, memplan_order_interval, 1);
  commit->interval = interval;
  if (interval == NULL) {
    return false;
  }
  interval->cells = MEMPLAN_NEW(arena, int32_t, problem->n_cells);
  interval->ready = MEMPLAN_NEW(arena, int32_t, problem->n_ops);
  interval->touched = MEMPLAN_NEW(arena, int32_t, problem->n_cells);
  interval->cell_stamp = MEMPLAN_NEW(arena, int32_t, problem->n_cells);
  interval->place = MEMPLAN_NEW(arena, int32_t, problem->n_cells);
  interval->local = MEMPLAN_NEW(arena, local_cell, problem->n_cells);
  return interval->cells != NULL && interval->ready != NULL && interval->touched != NULL &&
         interval->cell_stamp != NULL && interval->place != NULL && interval->local != NULL;
}

static bool may_be_last(const memplan_order_problem *problem, int32_t op) {
  return problem->succ.first[op + 1] == problem->succ.first[op];
}

// The largest load of an operator that comes last: from the full set each is taken out once.
static int64_t find_last_load(memplan_order_state *state) {
  const memplan_order_problem *problem = state->problem;
  int64_t most = 0;
  for (int32_t at = 0; at < problem->n_ops; at++) {
    memplan_order_state_run(state, state->tables->topological[at]);
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    int64_t load = may_be_last(problem, op) ? memplan_order_state_last_load(state, op) : 0;
    most = load > most ? load : most;
  }
  while (state->n_done > 0) {
    memplan_order_state_undo(state);
  }
  return most;
}

memplan_status memplan_order_commit_init(memplan_order_commit *commit, memplan_order_state *state,
                                         const memplan_order_rules *rules, memplan_arena *arena, memplan_error *error) {
  *commit = (memplan_order_commit){.state = state, .rules = *rules};
  if (!allocate(commit, arena)) {
    return memplan_fail_nomem(error);
  }
  commit->last_load = state->problem->last > 0 ? find_last_load(state) : 0;
  return MEMPLAN_OK;
}

// May the operator be committed as far as groups, the last step and what is held are concerned?
static bool may_commit(const memplan_order_commit *commit, int32_t op) {
  const memplan_order_state *state = commit->state;
  int32_t group = state->problem->group[op];
  if (commit->last_load > commit->threshold && may_be_last(state->problem, op)) {
    return false;
  }
  if (commit->held != NULL && commit->held[op] > 0) {
    return false;
  }
  if (state->open_group >= 0) {
    return group == state->open_group;
  }
  return group < 0 || (state->tables->group_size[group] == 1 && state->group_missing[group] == 0);
}

// The operators run since step `from` were a commit.
static void note_commit(memplan_order_commit *commit, int32_t from) {
  (void)from; // without assertions
  assert(memplan_order_audit_commit(commit, from, commit->state->n_done));
  if (commit->ends != NULL) {
    commit->ends[commit->n_ends++] = commit->state->n_done;
  }
}

static bool at_first_step(const memplan_order_state *state) { return state->n_done == 0 && state->problem->first > 0; }

// ---- single operators

static int32_t run_lazy_before(memplan_order_state *state, int32_t op) {
  const memplan_order_lists *lazy = &state->tables->lazy_before;
  int32_t n_done = state->n_done;
  for (int32_t k = lazy->first[op]; state->ops[op].missing > 0 && k < lazy->first[op + 1]; k++) {
    if (!state->ops[lazy->list[k]].done) {
      memplan_order_state_run(state, lazy->list[k]);
    }
  }
  return state->n_done - n_done;
}

static void undo_to(memplan_order_state *state, int32_t n_done) {
  while (state->n_done > n_done) {
    memplan_order_state_undo(state);
  }
}

static bool commit_single(memplan_order_commit *commit) {
  memplan_order_state *state = commit->state;
  bool any = false;
  for (int32_t at = 0; at < state->n_ready;) {
    int32_t op = state->ready[at];
    const memplan_order_op_state *now = &state->ops[op];
    state->ticks++;
    if (now->missing == 0 && now->born <= now->freed && may_commit(commit, op) &&
        memplan_order_state_load(state, op) <= commit->threshold) {
      memplan_order_state_run(state, op);
      note_commit(commit, state->n_done - 1);
      any = true;
      at = 0;
    } else {
      at++;
    }
  }
  return any;
}

// Lazy operators end nothing, so that their bytes come on top.
static bool commit_with_lazy(memplan_order_commit *commit) {
  memplan_order_state *state = commit->state;
  if (state->tables->n_lazy == 0 || state->open_group >= 0) {
    return false;
  }
  int32_t *ready = commit->interval->ready, n_ready = state->n_ready;
  memcpy(ready, state->ready, (size_t)n_ready * sizeof *ready);
  for (int32_t at = 0; at < n_ready; at++) {
    int32_t op = ready[at], n_done = state->n_done;
    if (state->ops[op].missing == 0 || !may_commit(commit, op)) {
      continue;
    }
    int64_t live = state->live;
    run_lazy_before(state, op);
    if (memplan_order_state_after(state, op) <= live && memplan_order_state_load(state, op) <= commit->threshold) {
      memplan_order_state_run(state, op);
      note_commit(commit, n_done);
      return true;
    }
    undo_to(state, n_done);
  }
  return false;
}

// ---- intervals

// Collects what has to run before the cell ends; false if that is too much, which the number of operators run says for
// most cells at once, or may not be committed.
static bool collect_closure(memplan_order_commit *commit, int32_t cell) {
  memplan_order_state *state = commit->state;
  const memplan_order_tables *tables = state->tables;
  memplan_order_interval *interval = commit->interval;
  state->ticks++;
  if (state->cells[cell].missing > most_ops || tables->closure_size[cell] - state->n_done > most_ops) {
    return false;
  }
  const uint64_t *row = tables->closure + (size_t)cell * tables->words;
  state->ticks += (int64_t)tables->words / 4;
  interval->n_ops = 0;
  for (size_t word = 0; word < tables->words; word++) {
    for (uint64_t left = row[word] & ~state->done[word]; left != 0; left &= left - 1) {
      if (interval->n_ops == most_ops) {
        return false;
      }
      interval->ops[interval->n_ops++] = (int32_t)word * 64 + memplan_bit_lowest(left);
    }
  }
  for (int32_t at = 0; at < interval->n_ops; at++) {
    if (state->problem->group[interval->ops[at]] >= 0 || !may_commit(commit, interval->ops[at])) {
      return false;
    }
  }
  return true;
}

static bool closure_is_new(memplan_order_commit *commit) {
  memplan_order_interval *interval = commit->interval;
  uint64_t key[2] = {0, 0};
  for (int32_t k = 0; k < interval->n_ops; k++) {
    key[0] ^= commit->state->tables->zobrist[interval->ops[k]][0];
    key[1] ^= commit->state->tables->zobrist[interval->ops[k]][1];
  }
  for (int32_t k = 0; k < interval->n_closures; k++) {
    if (interval->closures[k][0] == key[0] && interval->closures[k][1] == key[1]) {
      return false;
    }
  }
  if (interval->n_closures < most_closures) {
    memcpy(interval->closures[interval->n_closures++], key, sizeof key);
  }
  return true;
}

// Live bytes after all of the interval has run: what of it begins, less what of it ends.
static int64_t live_after_all(memplan_order_commit *commit) {
  memplan_order_state *state = commit->state;
  const memplan_order_problem *problem = state->problem;
  memplan_order_interval *interval = commit->interval;
  int64_t live = state->live;
  interval->cell_round++;
  for (int32_t at = 0; at < interval->n_ops; at++) {
    int32_t op = interval->ops[at];
    for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
      int32_t cell = problem->op_deaths.list[k];
      bool first = interval->cell_stamp[cell] != interval->cell_round;
      interval->cell_stamp[cell] = interval->cell_round;
      interval->place[cell] = first ? 1 : interval->place[cell] + 1;
      live -= interval->place[cell] == state->cells[cell].missing ? problem->cells[cell].bytes : 0;
    }
  }
  interval->cell_round++;
  for (int32_t at = 0; at < interval->n_ops; at++) {
    int32_t op = interval->ops[at];
    for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
      int32_t cell = problem->op_births.list[k];
      bool begins = state->cells[cell].births == 0 && interval->cell_stamp[cell] != interval->cell_round;
      interval->cell_stamp[cell] = interval->cell_round;
      live += begins ? problem->cells[cell].bytes : 0;
    }
    state->ticks += 2;
  }
  return live;
}

typedef struct local_move {
  int64_t after;
  int32_t at;
} local_move;

static bool visit(memplan_order_interval *interval, uint32_t mask) {
  uint8_t bit = (uint8_t)(1U << (mask % 8));
  bool first = (interval->visited[mask / 8] & bit) == 0;
  interval->visited[mask / 8] |= bit;
  return first;
}

// Looks for a state with at most `live` live bytes below the state, which is left standing there. Its depth is at most
// that of the interval.
static bool search_interval(memplan_order_commit *commit, uint32_t mask, int64_t live) {
  memplan_order_state *state = commit->state;
  memplan_order_interval *interval = commit->interval;
  local_move moves[most_ops];
  int32_t n_moves = 0;
  if (++interval->n_nodes > most_nodes) {
    return false;
  }
  for (int32_t at = 0; at < interval->n_ops; at++) {
    int32_t op = interval->ops[at];
    if ((mask >> at & 1) != 0 || state->ops[op].missing > 0 ||
        memplan_order_state_load(state, op) > commit->threshold) {
      continue;
    }
    local_move move = {memplan_order_state_after(state, op), at};
    int32_t place = n_moves++;
    for (; place > 0 && moves[place - 1].after > move.after; place--) {
      moves[place] = moves[place - 1];
    }
    moves[place] = move;
  }
  for (int32_t k = 0; k < n_moves; k++) {
    uint32_t next = mask | UINT32_C(1) << moves[k].at;
    if (!visit(interval, next)) {
      continue;
    }
    memplan_order_state_run(state, interval->ops[moves[k].at]);
    if (moves[k].after <= live || search_interval(commit, next, live)) {
      return true;
    }
    memplan_order_state_undo(state);
  }
  return false;
}

// ---- the least ideals of a path

static local_cell *find_local(memplan_order_commit *commit, int32_t cell) {
  const memplan_order_state *state = commit->state;
  memplan_order_interval *interval = commit->interval;
  if (interval->cell_stamp[cell] != interval->cell_round) {
    interval->cell_stamp[cell] = interval->cell_round;
    interval->place[cell] = interval->n_local;
    interval->local[interval->n_local++] =
        (local_cell){.bytes = state->problem->cells[cell].bytes,
                     .born = state->cells[cell].births > 0 || state->problem->cells[cell].init};
  }
  return &interval->local[interval->place[cell]];
}

// The state stands before the path.
static void find_local_cells(memplan_order_commit *commit, const int32_t *path, int32_t length) {
  const memplan_order_state *state = commit->state;
  const memplan_order_problem *problem = state->problem;
  memplan_order_interval *interval = commit->interval;
  interval->n_local = 0;
  interval->cell_round++;
  for (int32_t at = 0; at < length; at++) {
    int32_t op = path[at];
    for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
      find_local(commit, problem->op_births.list[k])->births |= UINT32_C(1) << at;
    }
    for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
      int32_t cell = problem->op_deaths.list[k];
      local_cell *local = find_local(commit, cell);
      local->deaths |= UINT32_C(1) << at;
    }
  }
  for (int32_t at = 0; at < length; at++) {
    int32_t op = path[at];
    for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
      int32_t cell = problem->op_births.list[k];
      local_cell *local = find_local(commit, cell);
      local->endless = memplan_bit_count(local->deaths) < state->cells[cell].missing || problem->cells[cell].keep;
    }
    for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
      int32_t cell = problem->op_deaths.list[k];
      local_cell *local = find_local(commit, cell);
      local->endless = memplan_bit_count(local->deaths) < state->cells[cell].missing || problem->cells[cell].keep;
    }
  }
}

static int64_t local_live(const memplan_order_interval *interval, uint32_t mask) {
  int64_t live = 0;
  for (int32_t k = 0; k < interval->n_local; k++) {
    const local_cell *cell = &interval->local[k];
    bool lives = (cell->born || (cell->births & mask) != 0) && (cell->endless || (cell->deaths & ~mask) != 0);
    live += lives ? cell->bytes : 0;
  }
  return live;
}

// The union of the ideals within the path that have the fewest live bytes.
static uint32_t find_valley(memplan_order_commit *commit, const int32_t *path, int32_t length) {
  const memplan_order_state *state = commit->state;
  const memplan_order_problem *problem = state->problem;
  memplan_order_interval *interval = commit->interval;
  uint32_t before[most_ops] = {0}, best = 0;
  find_local_cells(commit, path, length);
  for (int32_t at = 0; at < length; at++) {
    for (int32_t k = problem->pred.first[path[at]]; k < problem->pred.first[path[at] + 1]; k++) {
      for (int32_t other = 0; other < at; other++) {
        before[at] |= path[other] == problem->pred.list[k] ? UINT32_C(1) << other : 0;
      }
    }
  }
  int64_t least = local_live(interval, 0);
  uint8_t *ideal = interval->visited; // one bit for each mask
  memset(ideal, 0, sizeof interval->visited);
  ideal[0] = 1;
  for (uint32_t mask = 1; mask < UINT32_C(1) << length; mask++) {
    int32_t top = memplan_bit_highest(mask);
    uint32_t rest = mask ^ UINT32_C(1) << top;
    if ((ideal[rest / 8] >> (rest % 8) & 1) == 0 || (before[top] & ~mask) != 0) {
      continue;
    }
    ideal[mask / 8] |= (uint8_t)(1U << (mask % 8));
    int64_t live = local_live(interval, mask);
    if (live < least) {
      least = live;
      best = 0;
    }
    best |= live == least ? mask : 0;
  }
  commit->state->ticks += (INT64_C(1) << length) / 8 + 8 * length;
  return best;
}

// The state stands at the end of a path of `length`; in its place comes the part of it that leads to the valley.
static bool commit_valley(memplan_order_commit *commit, int32_t length) {
  memplan_order_state *state = commit->state;
  int32_t path[most_ops];
  int32_t start = state->n_done - length;
  memcpy(path, state->sequence + start, (size_t)length * sizeof *path);
  undo_to(state, start);
  uint32_t valley = find_valley(commit, path, length);
  for (int32_t at = 0; at < length; at++) {
    if ((valley >> at & 1) == 0) {
      continue;
    }
    if (memplan_order_state_load(state, path[at]) > commit->threshold) {
      undo_to(state, start);
      return false;
    }
    memplan_order_state_run(state, path[at]);
  }
  return state->n_done > start;
}

// Marks the cells that the operators run from a step on touch.
static void mark_touched(memplan_order_commit *commit, int32_t from_step) {
  const memplan_order_state *state = commit->state;
  const memplan_order_problem *problem = state->problem;
  memplan_order_interval *interval = commit->interval;
  interval->touched_round++;
  for (int32_t step = from_step; step < state->n_done; step++) {
    int32_t op = state->sequence[step];
    for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
      interval->touched[problem->op_births.list[k]] = interval->touched_round;
    }
    for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
      interval->touched[problem->op_deaths.list[k]] = interval->touched_round;
    }
  }
}

// Does the closure touch a marked cell?
static bool closure_has_changed(const memplan_order_commit *commit) {
  const memplan_order_problem *problem = commit->state->problem;
  const memplan_order_interval *interval = commit->interval;
  for (int32_t at = 0; at < interval->n_ops; at++) {
    int32_t op = interval->ops[at];
    for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
      if (interval->touched[problem->op_births.list[k]] == interval->touched_round) {
        return true;
      }
    }
    for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
      if (interval->touched[problem->op_deaths.list[k]] == interval->touched_round) {
        return true;
      }
    }
  }
  return false;
}

// With no fewer live bytes than where no interval was safe, one that shares no cell with what has run since then is not
// safe either: it changes the live bytes by as much as there, and its loads are no smaller.
static bool commit_interval(memplan_order_commit *commit, int32_t from_step, int64_t from_live) {
  memplan_order_state *state = commit->state;
  memplan_order_interval *interval = commit->interval;
  int32_t n_cells = state->n_dying, n_done = state->n_done;
  bool only_changed = from_step >= 0 && state->live >= from_live;
  if (only_changed) {
    mark_touched(commit, from_step);
  }
  memcpy(interval->cells, state->dying, (size_t)n_cells * sizeof *interval->cells);
  interval->n_closures = 0;
  for (int32_t k = 0; k < n_cells; k++) {
    int32_t cell = interval->cells[k];
    if (!collect_closure(commit, cell) || (only_changed && !closure_has_changed(commit)) || !closure_is_new(commit) ||
        live_after_all(commit) > state->live) {
      continue;
    }
    memset(interval->visited, 0, (size_t)((UINT32_C(1) << interval->n_ops) + 7) / 8);
    interval->n_nodes = 0;
    if (search_interval(commit, 0, state->live) && commit_valley(commit, state->n_done - n_done)) {
      note_commit(commit, n_done);
      return true;
    }
  }
  return false;
}

void memplan_order_commit_run(memplan_order_commit *commit, bool intervals, int32_t from_step, int64_t from_live) {
  memplan_order_state *state = commit->state;
  commit->n_ends = 0;
  if (!commit->rules.commits || at_first_step(state)) {
    return;
  }
  intervals = intervals && commit->rules.intervals && state->tables->closure != NULL;
  bool again = true;
  while (again) {
    commit_single(commit);
    again = commit_with_lazy(commit) ||
            (intervals && state->open_group < 0 && commit_interval(commit, from_step, from_live));
  }
}

// ---- moves

void memplan_order_commit_move(memplan_order_commit *commit, int32_t op) {
  run_lazy_before(commit->state, op);
  memplan_order_state_run(commit->state, op);
}

static memplan_order_move plain_move(memplan_order_state *state, int32_t op) {
  return (memplan_order_move){
      .after = memplan_order_state_after(state, op), .load = memplan_order_state_load(state, op), .op = op};
}

int32_t memplan_order_commit_moves(memplan_order_commit *commit, memplan_order_move *moves) {
  memplan_order_state *state = commit->state;
  bool plain = at_first_step(state);
  int32_t count = 0, first_lazy = -1, n_ready = state->n_ready, *ready = commit->interval->ready;
  memcpy(ready, state->ready, (size_t)n_ready * sizeof *ready);
  for (int32_t at = 0; at < n_ready; at++) {
    int32_t op = ready[at], n_done = state->n_done;
    if (!memplan_order_state_admits(state, op)) {
      continue;
    }
    if (state->tables->lazy[op] && !plain) {
      first_lazy = first_lazy < 0 || op < first_lazy ? op : first_lazy;
      continue;
    }
    if (state->ops[op].missing == 0) {
      moves[count++] = plain_move(state, op);
    } else if (!plain) {
      run_lazy_before(state, op);
      moves[count++] = plain_move(state, op);
      undo_to(state, n_done);
    }
  }
  if (count == 0 && first_lazy >= 0) { // none but lazy ones are left: any order of them has the same peak
    moves[count++] = plain_move(state, first_lazy);
  }
  return count;
}
