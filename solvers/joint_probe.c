// SPDX-License-Identifier: Apache-2.0
// What holds at a capacity holds at every smaller one: the precedences of the smallest capacity done with that is no
// smaller than the one asked for are given to the next prober. To the search each precedence is told with the capacity
// as its premise, so that what it learns stays valid wherever it goes next.
#include "solvers/joint_probe.h"

#include "solvers/order_problem.h"

#include <stdlib.h>
#include <string.h>

enum {
  patience = 100,
  part = 8,            // of the search's ticks
  least_work = 1 << 14 // at a time: with much less, operators would be passed over
};

typedef struct edge_list {
  memplan_order_edge *list;
  int32_t count;
  int64_t target; // -1: none
} edge_list;

struct memplan_joint_probe {
  memplan_arena arena;
  memplan_order_problem problem;
  const int32_t *order;
  memplan_order_prober *prober; // of `target`, or NULL
  int64_t target;
  int32_t n_told; // edges of the prober that the search knows
  bool ended;     // the prober is done, or out of room
  edge_list done; // of the last prober that has ended
};

static memplan_status set_up(memplan_joint_probe *probe, const memplan_ordering *ordering, const int32_t *order,
                             memplan_error *error) {
  int32_t *own = MEMPLAN_NEW(&probe->arena, int32_t, ordering->n_ops);
  if (own == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t step = 0; step < ordering->n_ops; step++) {
    own[step] = order != NULL ? order[step] : step;
  }
  probe->order = own;
  probe->target = -1;
  probe->done.target = -1;
  return memplan_order_problem_init(&probe->problem, ordering, false, &probe->arena, error);
}

memplan_status memplan_joint_probe_new(const memplan_ordering *ordering, const int32_t *order,
                                       memplan_joint_probe **probe, memplan_error *error) {
  *probe = NULL;
  if (ordering->one_order) {
    return MEMPLAN_OK;
  }
  memplan_joint_probe *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = set_up(made, ordering, order, error);
  if (status != MEMPLAN_OK) {
    memplan_joint_probe_free(made);
    return status;
  }
  *probe = made;
  return MEMPLAN_OK;
}

int64_t memplan_joint_probe_allowance(int64_t ticks, int64_t probed) {
  int64_t allowed = ticks / part - probed;
  return allowed < least_work ? 0 : allowed;
}

void memplan_joint_probe_free(memplan_joint_probe *probe) {
  if (probe != NULL) {
    memplan_order_prober_free(probe->prober);
    free(probe->done.list);
    memplan_arena_free(&probe->arena);
    free(probe);
  }
}

static memplan_status keep(memplan_joint_probe *probe, const memplan_order_probe *found, memplan_error *error) {
  size_t count = (size_t)found->n_edges;
  memplan_order_edge *list = malloc((count + 1) * sizeof *list);
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  if (count > 0) {
    memcpy(list, found->edges, count * sizeof *list);
  }
  free(probe->done.list);
  probe->done = (edge_list){.list = list, .count = found->n_edges, .target = probe->target};
  return MEMPLAN_OK;
}

static memplan_status start(memplan_joint_probe *probe, int64_t target, memplan_error *error) {
  memplan_order_prober_free(probe->prober);
  probe->prober = NULL;
  probe->target = target;
  bool holds = probe->done.target >= target;
  probe->n_told = holds ? probe->done.count : 0;
  MEMPLAN_TRY(memplan_order_prober_new(&probe->problem, target, probe->order, probe->done.list, probe->n_told, patience,
                                       &probe->prober, error));
  probe->ended = probe->prober == NULL;
  return MEMPLAN_OK;
}

memplan_status memplan_joint_probe_run(memplan_joint_probe *probe, memplan_joint_search *search, int64_t capacity,
                                       int64_t work, const memplan_limits *limits, int64_t *ticks, bool *refuted,
                                       memplan_error *error) {
  *ticks = 0;
  *refuted = false;
  if (capacity != probe->target) {
    MEMPLAN_TRY(start(probe, capacity, error));
  }
  if (probe->ended) {
    return MEMPLAN_OK;
  }
  const memplan_order_probe *found = memplan_order_prober_look(probe->prober);
  int64_t before = found->work;
  MEMPLAN_TRY(memplan_order_prober_run(probe->prober, work, limits, error));
  *ticks = found->work - before;
  *refuted = found->refuted;
  for (; probe->n_told < found->n_edges && !found->refuted; probe->n_told++) {
    memplan_order_edge edge = found->edges[probe->n_told];
    if (!memplan_joint_search_precede(search, capacity, edge.before, edge.after)) {
      return memplan_fail_nomem(error);
    }
  }
  probe->ended = found->done || *ticks == 0;
  return probe->ended && !found->refuted ? keep(probe, found, error) : MEMPLAN_OK;
}

const memplan_order_probe *memplan_joint_probe_look(const memplan_joint_probe *probe) {
  return probe->prober != NULL ? memplan_order_prober_look(probe->prober) : NULL;
}
