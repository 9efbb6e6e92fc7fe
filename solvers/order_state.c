// SPDX-License-Identifier: Apache-2.0
// What an operator would do changes at two events: a cell that it may begin is begun by another one, and it becomes the
// last death of a cell. Both are noted at the operator when they happen, so that asking costs O(1), and a matching for
// those that have several in-place pairs available. The last missing death is known by the sum of the missing indices.
#include "solvers/order_state.h"

static bool allocate(memplan_order_state *state, memplan_arena *arena) {
  const memplan_order_problem *problem = state->problem;
  state->sequence = MEMPLAN_NEW(arena, int32_t, problem->n_ops);
  state->done = MEMPLAN_NEW(arena, uint64_t, state->tables->words);
  state->ready = MEMPLAN_NEW(arena, int32_t, problem->n_ops);
  state->dying = MEMPLAN_NEW(arena, int32_t, problem->n_cells);
  state->ops = MEMPLAN_NEW(arena, memplan_order_op_state, problem->n_ops);
  state->cells = MEMPLAN_NEW(arena, memplan_order_cell_state, problem->n_cells);
  state->group_left = MEMPLAN_NEW(arena, int32_t, problem->n_groups);
  state->group_missing = MEMPLAN_NEW(arena, int32_t, problem->n_groups);
  state->available = MEMPLAN_NEW(arena, bool, state->tables->most_pairs);
  state->chosen = MEMPLAN_NEW(arena, int32_t, state->tables->most_pairs);
  return state->sequence != NULL && state->done != NULL && state->ready != NULL && state->dying != NULL &&
         state->ops != NULL && state->cells != NULL && state->group_left != NULL && state->group_missing != NULL &&
         state->available != NULL && state->chosen != NULL;
}

static void add_ready(memplan_order_state *state, int32_t op) {
  state->ops[op].ready_at = state->n_ready;
  state->ready[state->n_ready++] = op;
}

static void drop_ready(memplan_order_state *state, int32_t op) {
  int32_t at = state->ops[op].ready_at, last = state->ready[--state->n_ready];
  state->ready[at] = last;
  state->ops[last].ready_at = at;
  state->ops[op].ready_at = -1;
}

static void add_dying(memplan_order_state *state, int32_t cell) {
  state->cells[cell].live_at = state->n_dying;
  state->dying[state->n_dying++] = cell;
}

static void drop_dying(memplan_order_state *state, int32_t cell) {
  int32_t at = state->cells[cell].live_at, last = state->dying[--state->n_dying];
  state->dying[at] = last;
  state->cells[last].live_at = at;
  state->cells[cell].live_at = -1;
}

static void start_cells(memplan_order_state *state) {
  const memplan_order_problem *problem = state->problem;
  for (int32_t c = 0; c < problem->n_cells; c++) {
    const memplan_order_cell *cell = &problem->cells[c];
    memplan_order_cell_state *now = &state->cells[c];
    now->live_at = -1;
    for (int32_t k = problem->deaths.first[c]; k < problem->deaths.first[c + 1]; k++) {
      now->death_sum += problem->deaths.list[k];
      now->missing++;
    }
    if (now->missing == 1) {
      state->ops[now->death_sum].freed += cell->bytes;
    }
    for (int32_t k = problem->births.first[c]; k < problem->births.first[c + 1]; k++) {
      state->ops[problem->births.list[k]].born += cell->bytes;
    }
    if (cell->init) {
      state->live += cell->bytes;
      if (!cell->keep) {
        add_dying(state, c);
      }
    }
  }
}

memplan_status memplan_order_state_init(memplan_order_state *state, const memplan_order_tables *tables,
                                        memplan_arena *arena, memplan_error *error) {
  const memplan_order_problem *problem = tables->problem;
  *state = (memplan_order_state){.problem = problem, .tables = tables, .live = problem->base, .open_group = -1};
  if (!allocate(state, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    memplan_order_op_state *now = &state->ops[op];
    now->missing = problem->pred.first[op + 1] - problem->pred.first[op];
    now->missing_hard = tables->hard_pred.first[op + 1] - tables->hard_pred.first[op];
    now->ready_at = -1;
    if (tables->lazy[op] ? now->missing == 0 : now->missing_hard == 0) {
      add_ready(state, op);
    }
  }
  start_cells(state);
  for (int32_t group = 0; group < problem->n_groups; group++) {
    state->group_left[group] = tables->group_size[group];
    state->group_missing[group] = tables->group_edges[group];
  }
  return MEMPLAN_OK;
}

// ---- running and undoing

static void run_cells(memplan_order_state *state, int32_t op) {
  const memplan_order_problem *problem = state->problem;
  for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
    int32_t c = problem->op_births.list[k];
    if (state->cells[c].births++ > 0) {
      continue;
    }
    int64_t bytes = problem->cells[c].bytes;
    state->live += bytes;
    for (int32_t m = problem->births.first[c]; m < problem->births.first[c + 1]; m++) {
      state->ops[problem->births.list[m]].born -= bytes;
    }
    state->ticks += problem->births.first[c + 1] - problem->births.first[c];
    if (!problem->cells[c].keep) {
      add_dying(state, c);
    }
  }
  for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
    int32_t c = problem->op_deaths.list[k];
    memplan_order_cell_state *now = &state->cells[c];
    now->death_sum -= op;
    if (--now->missing == 1) {
      state->ops[now->death_sum].freed += problem->cells[c].bytes;
    } else if (now->missing == 0) {
      state->live -= problem->cells[c].bytes;
      drop_dying(state, c);
    }
  }
}

static void undo_cells(memplan_order_state *state, int32_t op) {
  const memplan_order_problem *problem = state->problem;
  for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
    int32_t c = problem->op_deaths.list[k];
    memplan_order_cell_state *now = &state->cells[c];
    if (now->missing == 1) {
      state->ops[now->death_sum].freed -= problem->cells[c].bytes;
    } else if (now->missing == 0) {
      state->live += problem->cells[c].bytes;
      add_dying(state, c);
    }
    now->missing++;
    now->death_sum += op;
  }
  for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
    int32_t c = problem->op_births.list[k];
    if (--state->cells[c].births > 0) {
      continue;
    }
    int64_t bytes = problem->cells[c].bytes;
    state->live -= bytes;
    for (int32_t m = problem->births.first[c]; m < problem->births.first[c + 1]; m++) {
      state->ops[problem->births.list[m]].born += bytes;
    }
    if (!problem->cells[c].keep) {
      drop_dying(state, c);
    }
  }
}

static void run_edges(memplan_order_state *state, int32_t op) {
  const memplan_order_problem *problem = state->problem;
  const memplan_order_tables *tables = state->tables;
  for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
    int32_t next = problem->succ.list[k];
    if (--state->ops[next].missing == 0 && tables->lazy[next]) {
      add_ready(state, next);
    }
  }
  if (!tables->lazy[op]) {
    for (int32_t k = tables->hard_succ.first[op]; k < tables->hard_succ.first[op + 1]; k++) {
      int32_t next = tables->hard_succ.list[k];
      if (--state->ops[next].missing_hard == 0 && !tables->lazy[next]) {
        add_ready(state, next);
      }
    }
  }
  state->ticks += problem->succ.first[op + 1] - problem->succ.first[op];
}

static void undo_edges(memplan_order_state *state, int32_t op) {
  const memplan_order_problem *problem = state->problem;
  const memplan_order_tables *tables = state->tables;
  for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
    int32_t next = problem->succ.list[k];
    if (state->ops[next].missing++ == 0 && tables->lazy[next]) {
      drop_ready(state, next);
    }
  }
  if (!tables->lazy[op]) {
    for (int32_t k = tables->hard_succ.first[op]; k < tables->hard_succ.first[op + 1]; k++) {
      int32_t next = tables->hard_succ.list[k];
      if (state->ops[next].missing_hard++ == 0 && !tables->lazy[next]) {
        drop_ready(state, next);
      }
    }
  }
}

// Edges from outside into groups, for all of the operator's successors.
static void count_group_edges(memplan_order_state *state, int32_t op, int32_t by) {
  const memplan_order_problem *problem = state->problem;
  for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
    int32_t group = problem->group[problem->succ.list[k]];
    if (group >= 0 && group != problem->group[op]) {
      state->group_missing[group] += by;
    }
  }
}

static void toggle_key(memplan_order_state *state, int32_t op) {
  state->done[op / 64] ^= UINT64_C(1) << (op % 64);
  state->key[0] ^= state->tables->zobrist[op][0];
  state->key[1] ^= state->tables->zobrist[op][1];
}

void memplan_order_state_run(memplan_order_state *state, int32_t op) {
  int32_t group = state->problem->group[op];
  state->sequence[state->n_done++] = op;
  state->ops[op].done = true;
  drop_ready(state, op);
  toggle_key(state, op);
  run_cells(state, op);
  run_edges(state, op);
  state->ticks += 4;
  if (state->problem->n_groups > 0) {
    count_group_edges(state, op, -1);
    if (group >= 0) {
      state->open_group = --state->group_left[group] > 0 ? group : -1;
    }
  }
}

static void take_out(memplan_order_state *state, int32_t op) {
  int32_t group = state->problem->group[op];
  if (state->problem->n_groups > 0) {
    count_group_edges(state, op, 1);
    if (group >= 0) {
      state->open_group = ++state->group_left[group] < state->tables->group_size[group] ? group : -1;
    }
  }
  undo_edges(state, op);
  undo_cells(state, op);
  toggle_key(state, op);
  state->ops[op].done = false;
  add_ready(state, op);
}

void memplan_order_state_undo(memplan_order_state *state) { take_out(state, state->sequence[--state->n_done]); }

// ---- questions

bool memplan_order_state_admits(const memplan_order_state *state, int32_t op) {
  int32_t group = state->problem->group[op];
  if (state->open_group >= 0) {
    return group == state->open_group;
  }
  return group < 0 || state->group_missing[group] == 0;
}

static int64_t best_saving(memplan_order_state *state, int32_t op) {
  const memplan_order_problem *problem = state->problem;
  int32_t first = problem->pair_first[op], count = problem->pair_first[op + 1] - first, n_available = 0;
  int64_t most = 0, sum = 0;
  for (int32_t k = 0; k < count; k++) {
    const memplan_order_pair *pair = &problem->pairs[first + k];
    bool available = state->cells[pair->born].births == 0 && state->cells[pair->dying].missing == 1;
    state->available[k] = available;
    if (available) {
      n_available++;
      most = pair->saving > most ? pair->saving : most;
      sum += pair->saving;
    }
  }
  if (n_available <= 1 || state->tables->single_sided[op]) {
    return most;
  }
  memplan_matching matching;
  if (!memplan_pairs_match(state->tables->pairs, first, count, state->available, state->chosen, &matching)) {
    state->out_of_memory = true;
    return sum;
  }
  state->ticks += 4 * (int64_t)count;
  return matching.most;
}

int64_t memplan_order_state_load(memplan_order_state *state, int32_t op) {
  const memplan_order_problem *problem = state->problem;
  int64_t load = state->live + state->ops[op].born + problem->workspace[op];
  if (problem->pair_first[op + 1] > problem->pair_first[op]) {
    load -= best_saving(state, op);
  }
  load += state->n_done == 0 ? problem->first : 0;
  state->ticks++;
  return load + (state->n_done == problem->n_ops - 1 ? problem->last : 0);
}

int64_t memplan_order_state_after(const memplan_order_state *state, int32_t op) {
  return state->live + state->ops[op].born - state->ops[op].freed;
}

int64_t memplan_order_state_last_load(memplan_order_state *state, int32_t op) {
  int32_t n_done = state->n_done;
  take_out(state, op);
  state->n_done = n_done - 1;
  int64_t load = memplan_order_state_load(state, op);
  int32_t displaced = state->sequence[n_done - 1];
  memplan_order_state_run(state, op);
  state->sequence[n_done - 1] = displaced;
  return load;
}
