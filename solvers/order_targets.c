// SPDX-License-Identifier: Apache-2.0
// Probing looks below the best peak first: the precedences found there hold for every better order, so that all later
// targets begin with them. Then it seeks the least target that cannot be refuted by bisection.
#include "solvers/order_targets.h"

#include <stdlib.h>
#include <string.h>

enum {
  patience = 60,   // operators that probing looks at without a new precedence
  fine_share = 32, // of the gap: bisection goes no further
  top_share = 8    // of the gap: so far the best peak has to fall before probing begins there again
};

void memplan_order_targets_init(memplan_order_targets *targets) {
  *targets = (memplan_order_targets){
      .target = -1, .open = INT64_MAX, .top = INT64_MAX, .wide = {.target = -1}, .narrow = {.target = -1}};
}

void memplan_order_targets_free(memplan_order_targets *targets) {
  memplan_order_prober_free(targets->prober);
  free(targets->wide.list);
  free(targets->narrow.list);
}

const memplan_order_edges *memplan_order_targets_edges(const memplan_order_targets *targets, int64_t target) {
  const memplan_order_edges *narrow = &targets->narrow, *wide = &targets->wide;
  const memplan_order_edges *edges = narrow->target >= target && narrow->count > 0 ? narrow : wide;
  return edges->target >= target && edges->count > 0 ? edges : NULL;
}

// Below the best peak if that has fallen much since; else the middle of what bisection has left; -1: none.
static int64_t choose_target(memplan_order_targets *targets, int64_t bound, int64_t peak) {
  int64_t gap = peak - bound, high = targets->open < peak ? targets->open : peak;
  bool fine = high - bound <= gap / fine_share;
  targets->at_top =
      targets->top == INT64_MAX || (targets->top >= peak && (fine || targets->top - peak >= gap / top_share));
  if (targets->at_top) {
    return peak - 1;
  }
  return fine || high <= bound ? -1 : bound + (high - bound) / 2;
}

static memplan_status keep_edges(memplan_order_edges *edges, int64_t target, const memplan_order_probe *found,
                                 memplan_error *error) {
  size_t count = (size_t)found->n_edges;
  memplan_order_edge *list = malloc((count + 1) * sizeof *list);
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  if (count > 0) {
    memcpy(list, found->edges, count * sizeof *list);
  }
  free(edges->list);
  *edges = (memplan_order_edges){.list = list, .count = found->n_edges, .target = target};
  return MEMPLAN_OK;
}

// The prober ends, and what it has found stays.
static memplan_status end(memplan_order_targets *targets, memplan_error *error) {
  const memplan_order_probe *found = memplan_order_prober_look(targets->prober);
  memplan_status status = MEMPLAN_OK;
  if (!found->refuted) {
    status = keep_edges(targets->at_top ? &targets->wide : &targets->narrow, targets->target, found, error);
  }
  memplan_order_prober_free(targets->prober);
  targets->prober = NULL;
  return status;
}

memplan_status memplan_order_targets_choose(memplan_order_targets *targets, int64_t bound, int64_t peak, bool *wants,
                                            memplan_error *error) {
  *wants = false;
  targets->open = targets->open < bound ? INT64_MAX : targets->open;
  if (targets->prober != NULL && (targets->target < bound || targets->target >= peak)) {
    MEMPLAN_TRY(end(targets, error));
  }
  if (targets->prober == NULL && !targets->closed) {
    targets->target = choose_target(targets, bound, peak);
    *wants = targets->target >= 0;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_order_targets_begin(memplan_order_targets *targets, const memplan_order_problem *problem,
                                           const int32_t *order, memplan_error *error) {
  int64_t target = targets->target;
  const memplan_order_edges *known = targets->narrow.target >= target ? &targets->narrow : &targets->wide;
  targets->top = targets->at_top ? target : targets->top;
  targets->seen = 0;
  MEMPLAN_TRY(memplan_order_prober_new(problem, target, order, known->list, known->target >= target ? known->count : 0,
                                       patience, &targets->prober, error));
  targets->closed = targets->prober == NULL;
  return MEMPLAN_OK;
}

memplan_status memplan_order_targets_run(memplan_order_targets *targets, int64_t work, const memplan_limits *limits,
                                         memplan_error *error) {
  return targets->prober != NULL ? memplan_order_prober_run(targets->prober, work, limits, error) : MEMPLAN_OK;
}

memplan_status memplan_order_targets_merge(memplan_order_targets *targets, int64_t *bound, int64_t *ticks,
                                           memplan_error *error) {
  if (targets->prober == NULL) {
    return MEMPLAN_OK;
  }
  const memplan_order_probe *found = memplan_order_prober_look(targets->prober);
  bool stands = found->work == targets->seen; // out of room, or stopped
  *ticks += found->work - targets->seen;
  targets->seen = found->work;
  int64_t proven = found->refuted || found->bound > targets->target ? targets->target + 1 : found->bound;
  *bound = proven > *bound ? proven : *bound;
  if (!found->done && !stands) {
    return MEMPLAN_OK;
  }
  if (!found->refuted) {
    targets->open = targets->target < targets->open ? targets->target : targets->open;
  }
  return end(targets, error);
}
