// SPDX-License-Identifier: Apache-2.0
// Invariant: the operators run are those of a prefix X of the order and a set S of others that commits have brought
// forward, with M(X + S) <= M(X). So each operator of the order bears no more after X + S than it did after X (M is
// submodular, and what it brings and loses shrinks), and what commits run stays below the peak.
#include "solvers/order_settle.h"

#include <string.h>

static void follow(memplan_order_state *state, memplan_order_commit *commit, const int32_t *order) {
  int32_t n = state->problem->n_ops, from_step = -1;
  int64_t from_live = 0;
  for (int32_t t = 0; t < n; t++) {
    if (state->ops[order[t]].done) {
      continue;
    }
    memplan_order_commit_run(commit, true, from_step, from_live);
    from_step = state->n_done;
    from_live = state->live;
    if (!state->ops[order[t]].done) {
      memplan_order_state_run(state, order[t]);
    }
  }
}

memplan_status memplan_order_settle(const memplan_order_tables *tables, const memplan_order_rules *rules, int64_t peak,
                                    int32_t *order, int64_t *ticks, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_order_state state;
  memplan_order_commit commit;
  *ticks = 0;
  memplan_status status = memplan_order_state_init(&state, tables, &arena, error);
  if (status == MEMPLAN_OK) {
    status = memplan_order_commit_init(&commit, &state, rules, &arena, error);
  }
  if (status == MEMPLAN_OK) {
    commit.threshold = peak - 1;
    follow(&state, &commit, order);
    *ticks = state.ticks;
    status = state.out_of_memory ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    memcpy(order, state.sequence, (size_t)tables->problem->n_ops * sizeof *order);
  }
  memplan_arena_free(&arena);
  return status;
}
