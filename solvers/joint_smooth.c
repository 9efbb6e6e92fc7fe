// SPDX-License-Identifier: Apache-2.0
// A move takes one operator out and puts it back elsewhere; the operators between shift by one step. What is live
// before the first and after the last step that changes stays as it was, so that a move costs what lies between. Loads
// are compared as shares of the limit, of which 2^20 make the whole: fourth powers of those can be summed in 128 bits
// over any number of steps.
#include "solvers/joint_smooth.h"

#include "model/base/compiler.h"
#include "model/base/rng.h"
#include "solvers/order_problem.h"

#include <string.h>

enum {
  share_bits = 20,
  free_share = (7 << share_bits) / 10, // of EXCESS
  moves_between_looks = 64             // at the limits of the run
};

typedef struct smoother {
  const memplan_smooth_task *task;
  memplan_order_problem problem;
  int32_t *order, *place; // place: step of each operator
  int64_t *load, *before; // by step; before: bytes of the cells that are live when it begins
  int64_t *new_load, *new_before;
  bool *available; // scratch of the matching, by pair
  int32_t *chosen;
  int64_t ticks;
  bool out_of_memory;
} smoother;

// ---- loads

static bool is_first_birth(smoother *state, int32_t cell, int32_t step) {
  const memplan_order_lists *births = &state->problem.births;
  bool first = !state->problem.cells[cell].init;
  for (int32_t k = births->first[cell]; k < births->first[cell + 1] && first; k++) {
    first = state->place[births->list[k]] >= step;
    state->ticks++;
  }
  return first;
}

static bool is_last_death(smoother *state, int32_t cell, int32_t step) {
  const memplan_order_lists *deaths = &state->problem.deaths;
  bool last = !state->problem.cells[cell].keep;
  for (int32_t k = deaths->first[cell]; k < deaths->first[cell + 1] && last; k++) {
    last = state->place[deaths->list[k]] <= step;
    state->ticks++;
  }
  return last;
}

static int64_t best_saving(smoother *state, int32_t op, int32_t step) {
  const memplan_order_problem *problem = &state->problem;
  const memplan_ordering *ordering = state->task->ordering;
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first, n_available = 0;
  int64_t most = 0;
  for (int32_t k = 0; k < count; k++) {
    state->available[k] = false;
  }
  for (int32_t k = problem->pair_first[op]; k < problem->pair_first[op + 1]; k++) {
    const memplan_order_pair *pair = &problem->pairs[k];
    if (is_first_birth(state, pair->born, step) && is_last_death(state, pair->dying, step)) {
      state->available[pair->source - first] = true;
      most = pair->saving > most ? pair->saving : most;
      n_available++;
    }
  }
  if (n_available <= 1) {
    return most;
  }
  memplan_matching matching;
  if (!memplan_pairs_match(ordering->pairs, first, count, state->available, state->chosen, &matching)) {
    state->out_of_memory = true;
    return 0;
  }
  state->ticks += 4 * (int64_t)count;
  return matching.saving;
}

// The load of a step, from what is live before it; *live becomes what is live after it.
static int64_t run_step(smoother *state, int32_t op, int32_t step, int64_t *live) {
  const memplan_order_problem *problem = &state->problem;
  for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
    int32_t cell = problem->op_births.list[k];
    *live += is_first_birth(state, cell, step) ? problem->cells[cell].bytes : 0;
  }
  int64_t load = problem->base + *live + problem->workspace[op];
  load += (step == 0 ? problem->first : 0) + (step == problem->n_ops - 1 ? problem->last : 0);
  if (problem->pair_first[op + 1] > problem->pair_first[op]) {
    load -= best_saving(state, op, step);
  }
  for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
    int32_t cell = problem->op_deaths.list[k];
    *live -= is_last_death(state, cell, step) ? problem->cells[cell].bytes : 0;
  }
  state->ticks++;
  return load;
}

static void measure(smoother *state) {
  int64_t live = 0;
  for (int32_t cell = 0; cell < state->problem.n_cells; cell++) {
    live += state->problem.cells[cell].init ? state->problem.cells[cell].bytes : 0;
  }
  for (int32_t step = 0; step < state->problem.n_ops; step++) {
    state->before[step] = live;
    state->load[step] = run_step(state, state->order[step], step, &live);
  }
}

// ---- moves

static memplan_int128 cost_of(const smoother *state, int64_t load) {
  int64_t limit = state->task->limit;
  int64_t share = limit > 0 ? (int64_t)(((memplan_int128)load << share_bits) / limit) : 0;
  memplan_int128 square = (memplan_int128)share * share;
  switch (state->task->cost) {
  case MEMPLAN_SMOOTH_FOURTH:
    return square * square;
  case MEMPLAN_SMOOTH_EXCESS:
    return share > free_share ? (memplan_int128)(share - free_share) * (share - free_share) : 0;
  case MEMPLAN_SMOOTH_SUM:
    return share;
  default:
    return 0;
  }
}

// The steps [*low, *high] between which the operator may lie without another one being moved past a neighbour of it.
static void find_range(const smoother *state, int32_t op, int32_t *low, int32_t *high) {
  const memplan_order_problem *problem = &state->problem;
  *low = 0;
  *high = problem->n_ops - 1;
  for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
    int32_t least = state->place[problem->pred.list[k]] + 1;
    *low = least > *low ? least : *low;
  }
  for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
    int32_t most = state->place[problem->succ.list[k]] - 1;
    *high = most < *high ? most : *high;
  }
}

// Would an operator at this step, come from another one, lie inside a group?
static bool splits_group(const smoother *state, int32_t from, int32_t to) {
  const memplan_order_problem *problem = &state->problem;
  int32_t left = to < from ? to - 1 : to, right = left + 1;
  if (problem->n_groups == 0 || left < 0 || right >= problem->n_ops) {
    return false;
  }
  int32_t group = problem->group[state->order[left]];
  return group >= 0 && group == problem->group[state->order[right]];
}

// Takes the operator at step `from` to step `to`.
static void shift(smoother *state, int32_t from, int32_t to) {
  int32_t op = state->order[from], low = from < to ? from : to, high = from < to ? to : from;
  if (from < to) {
    memmove(&state->order[from], &state->order[from + 1], (size_t)(to - from) * sizeof *state->order);
  } else {
    memmove(&state->order[to + 1], &state->order[to], (size_t)(from - to) * sizeof *state->order);
  }
  state->order[to] = op;
  for (int32_t step = low; step <= high; step++) {
    state->place[state->order[step]] = step;
  }
}

// Tries a move; one that passes the limit or raises the cost is taken back.
static void try_move(smoother *state, int32_t from, int32_t to) {
  int32_t low = from < to ? from : to, high = from < to ? to : from;
  memplan_int128 more = 0;
  int64_t live = state->before[low];
  bool good = true;
  shift(state, from, to);
  for (int32_t step = low; step <= high && good; step++) {
    state->new_before[step] = live;
    state->new_load[step] = run_step(state, state->order[step], step, &live);
    more += cost_of(state, state->new_load[step]) - cost_of(state, state->load[step]);
    good = state->new_load[step] <= state->task->limit;
  }
  if (!good || more > 0 || state->out_of_memory) {
    shift(state, to, from);
    return;
  }
  size_t bytes = (size_t)(high - low + 1) * sizeof *state->load;
  memcpy(&state->load[low], &state->new_load[low], bytes);
  memcpy(&state->before[low], &state->new_before[low], bytes);
}

static void run(smoother *state) {
  const memplan_smooth_task *task = state->task;
  memplan_rng random;
  memplan_rng_start(&random, task->seed, (uint64_t)task->cost);
  for (int64_t move = 0; move < task->moves && state->ticks < task->ticks && !state->out_of_memory; move++) {
    if (move % moves_between_looks == 0 && memplan_limits_reached(task->limits) != MEMPLAN_STOP_DONE) {
      return;
    }
    int32_t op = (int32_t)memplan_rng_below(&random, state->problem.n_ops), low, high;
    int64_t kind = memplan_rng_below(&random, 4);
    find_range(state, op, &low, &high);
    int32_t to = kind == 0 ? low : kind == 1 ? high : (int32_t)memplan_rng_between(&random, low, high);
    int32_t from = state->place[op];
    state->ticks++;
    if (to != from && state->problem.group[op] < 0 && !splits_group(state, from, to)) {
      try_move(state, from, to);
    }
  }
}

memplan_status memplan_joint_smooth(const memplan_smooth_task *task, int32_t *order, int64_t *ticks,
                                    memplan_error *error) {
  memplan_arena arena = {0};
  int32_t n = task->ordering->n_ops;
  smoother state = {.task = task,
                    .order = order,
                    .place = MEMPLAN_NEW(&arena, int32_t, n),
                    .load = MEMPLAN_NEW(&arena, int64_t, n),
                    .before = MEMPLAN_NEW(&arena, int64_t, n),
                    .new_load = MEMPLAN_NEW(&arena, int64_t, n),
                    .new_before = MEMPLAN_NEW(&arena, int64_t, n),
                    .available = MEMPLAN_NEW(&arena, bool, task->ordering->n_pairs),
                    .chosen = MEMPLAN_NEW(&arena, int32_t, task->ordering->n_pairs)};
  bool good = state.place != NULL && state.load != NULL && state.before != NULL && state.new_load != NULL &&
              state.new_before != NULL && state.available != NULL && state.chosen != NULL;
  memplan_status status = good ? memplan_order_problem_init(&state.problem, task->ordering, false, &arena, error)
                               : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK && n > 1) {
    for (int32_t step = 0; step < n; step++) {
      state.place[order[step]] = step;
    }
    measure(&state);
    run(&state);
    status = state.out_of_memory ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  *ticks = state.ticks;
  memplan_arena_free(&arena);
  return status;
}
