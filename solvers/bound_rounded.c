// SPDX-License-Identifier: Apache-2.0
// Let a divide every offset. Of two disjoint buffers the upper one begins at a multiple of a, so that the lower one may
// be taken to reach up to the next multiple: sizes rounded up to a still do not overlap. At each step, the rounded
// sizes add up to no more than the topmost buffer's rounded end, and that one really ends less than its rounding
// earlier. So for each order arena >= order peak of the rounded sizes - largest rounding. An in-place pair counts as
// one buffer at its step, whose size is that of both together. Of the rounded order problem the cut bound is taken,
// which holds for every order.
#include "model/base/number.h"
#include "solvers/bound_cut.h"
#include "solvers/bounds.h"
#include "solvers/order_state.h"

#include <string.h>

enum {
  most_ops = 8192, // with more the loads of an order cost too much for what they are good for
  most_work = 1 << 26
};

typedef struct rounding {
  const memplan_ordering *ordering;
  int64_t align;
  int64_t most; // largest rounding so far
} rounding;

static int64_t round_up(rounding *state, int64_t bytes) {
  int64_t rounded = memplan_align_up(bytes, state->align, 0);
  state->most = rounded - bytes > state->most ? rounded - bytes : state->most;
  return rounded;
}

// Bytes live throughout. Where they cannot be told from the inputs that nobody reads, they stay as they are, which can
// only make the bound smaller; the largest rounding is theirs too.
static int64_t round_base(rounding *state) {
  const memplan_ordering *ordering = state->ordering;
  const memplan_graph *graph = ordering->graph;
  int64_t plain = 0, rounded = 0;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    if (ordering->cell_of_storage[index] < 0 && memplan_ordering_in_arena(graph, &ordering->options, index)) {
      plain += graph->storages[index].bytes;
      rounded += round_up(state, graph->storages[index].bytes);
    }
  }
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    plain += ordering->residents[k].bytes;
    rounded += round_up(state, ordering->residents[k].bytes);
  }
  return plain == ordering->base ? rounded : ordering->base;
}

static memplan_status round_problem(rounding *state, memplan_order_problem *problem, memplan_arena *arena,
                                    memplan_error *error) {
  const memplan_ordering *ordering = state->ordering;
  memplan_order_cell *cells = MEMPLAN_NEW(arena, memplan_order_cell, problem->n_cells);
  memplan_order_pair *pairs = MEMPLAN_NEW(arena, memplan_order_pair, problem->n_pairs);
  int64_t *workspace = MEMPLAN_NEW(arena, int64_t, problem->n_ops);
  if (cells == NULL || pairs == NULL || workspace == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    cells[cell] = problem->cells[cell];
    cells[cell].bytes = round_up(state, cells[cell].bytes);
  }
  for (int32_t k = 0; k < problem->n_pairs; k++) {
    pairs[k] = problem->pairs[k];
    int64_t together = problem->cells[pairs[k].born].bytes + problem->cells[pairs[k].dying].bytes - pairs[k].saving;
    pairs[k].saving = cells[pairs[k].born].bytes + cells[pairs[k].dying].bytes - round_up(state, together);
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    workspace[op] = round_up(state, ordering->workspace[op]);
  }
  problem->cells = cells;
  problem->pairs = pairs;
  problem->workspace = workspace;
  problem->base = round_base(state);
  return MEMPLAN_OK;
}

// Rounded loads of the given order, by operator.
static memplan_status find_loads(const memplan_order_problem *problem, int64_t *upper, memplan_arena *arena,
                                 memplan_error *error) {
  memplan_order_tables tables;
  memplan_order_state state;
  memplan_order_rules rules = {.lazy = false};
  MEMPLAN_TRY(memplan_order_tables_init(&tables, problem, &rules, arena, error));
  MEMPLAN_TRY(memplan_order_state_init(&state, &tables, arena, error));
  for (int32_t op = 0; op < problem->n_ops; op++) {
    upper[op] = memplan_order_state_load(&state, op);
    memplan_order_state_run(&state, op);
  }
  return state.out_of_memory ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

static memplan_status find(rounding *state, int64_t known, const memplan_limits *limits, memplan_arena *arena,
                           int64_t *bytes, memplan_error *error) {
  int32_t n_ops = state->ordering->n_ops;
  memplan_order_problem problem;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, n_ops);
  int64_t *upper = MEMPLAN_NEW(arena, int64_t, n_ops);
  if (order == NULL || upper == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_order_problem_init(&problem, state->ordering, false, arena, error));
  MEMPLAN_TRY(round_problem(state, &problem, arena, error));
  if (state->most == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(find_loads(&problem, upper, arena, error));
  for (int32_t op = 0; op < n_ops; op++) {
    order[op] = op;
  }
  memplan_cut cut;
  MEMPLAN_TRY(memplan_cut_bound(&problem, order, upper, known + state->most, most_work, limits, arena, &cut, error));
  *bytes = cut.op >= 0 ? cut.bytes - state->most : 0;
  return MEMPLAN_OK;
}

memplan_status memplan_bound_rounded(const memplan_ordering *ordering, int64_t known, const memplan_limits *limits,
                                     int64_t *bytes, memplan_error *error) {
  rounding state = {.ordering = ordering, .align = 1};
  *bytes = 0;
  if (ordering->one_order || ordering->graph->n_pools > 1 || ordering->n_ops == 0 || ordering->n_ops > most_ops) {
    return MEMPLAN_OK;
  }
  state.align = memplan_bound_alignment(ordering);
  // Rounded sizes must be safe to add.
  if (state.align <= 1 || state.align > MEMPLAN_SIZE_LIMIT / 4 / ((int64_t)ordering->n_cells + ordering->n_ops + 1) ||
      ordering->naive_saturated || ordering->naive_bytes > MEMPLAN_SIZE_LIMIT / 4) {
    return MEMPLAN_OK;
  }
  memplan_arena arena = {0};
  memplan_status status = find(&state, known, limits, &arena, bytes, error);
  memplan_arena_free(&arena);
  return status;
}
