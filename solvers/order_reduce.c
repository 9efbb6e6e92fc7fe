// SPDX-License-Identifier: Apache-2.0
// Chains are contracted forwards, then in the result turned round, which joins what runs directly before another
// operator; splits are sought in what is left. A chain's place in an order is that of the operator that the others have
// joined, since it is they that were moved.
#include "solvers/order_reduce.h"

#include "solvers/order_chains.h"
#include "solvers/order_extend.h"
#include "solvers/order_window.h"

#include <stdlib.h>

static const int64_t most_split_work = 10000000;

// ---- chains

// The members of two contractions, of which the second was made of the first one's problem turned round.
static bool join_members(const memplan_order_chains *first, const memplan_order_chains *second,
                         memplan_order_reduction *reduction, memplan_arena *arena) {
  int32_t n = second->n_ops;
  int32_t *from = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 1), *list = MEMPLAN_NEW(arena, int32_t, reduction->n_given);
  reduction->anchor = MEMPLAN_NEW(arena, int32_t, n);
  if (from == NULL || list == NULL || reduction->anchor == NULL) {
    return false;
  }
  for (int32_t op = 0; op < n; op++) {
    from[op + 1] = from[op];
    for (int32_t k = second->members.first[op + 1] - 1; k >= second->members.first[op]; k--) {
      int32_t middle = second->members.list[k];
      for (int32_t m = first->members.first[middle]; m < first->members.first[middle + 1]; m++) {
        list[from[op + 1]++] = first->members.list[m];
      }
    }
    int32_t leader = second->members.list[second->members.first[op]];
    reduction->anchor[op] = first->members.list[first->members.first[leader]];
  }
  reduction->members = (memplan_order_lists){from, list};
  return true;
}

static memplan_status contract(memplan_order_reduction *reduction, memplan_arena *arena, memplan_error *error) {
  memplan_order_problem joined, turned, *now = reduction->problems;
  memplan_order_chains first, second;
  MEMPLAN_TRY(memplan_order_chains_contract(&now[0], arena, &joined, &first, error));
  MEMPLAN_TRY(memplan_order_problem_turn(&joined, arena, &turned, error));
  memplan_order_problem both;
  MEMPLAN_TRY(memplan_order_chains_contract(&turned, arena, &both, &second, error));
  reduction->n_joined = reduction->n_given - second.n_ops;
  if (reduction->n_joined > 0) {
    now[1] = both;
    MEMPLAN_TRY(memplan_order_problem_turn(&now[1], arena, &now[0], error));
  }
  return join_members(&first, &second, reduction, arena) ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static bool keep_members(memplan_order_reduction *reduction, memplan_arena *arena) {
  int32_t n = reduction->n_given;
  int32_t *from = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 1), *list = MEMPLAN_NEW(arena, int32_t, n);
  if (from == NULL || list == NULL) {
    return false;
  }
  for (int32_t op = 0; op < n; op++) {
    list[op] = op;
    from[op + 1] = op + 1;
  }
  reduction->members = (memplan_order_lists){from, list};
  reduction->anchor = list;
  return true;
}

// ---- splits

static memplan_status split(memplan_order_reduction *reduction, memplan_arena *arena, memplan_error *error) {
  memplan_order_problem *now = reduction->problems;
  memplan_order_splits splits;
  MEMPLAN_TRY(memplan_order_splits_find(&now[0], most_split_work, arena, &splits, error));
  reduction->n_valleys = splits.n_valleys;
  reduction->n_edges = splits.n_edges;
  reduction->part = splits.part;
  reduction->work = splits.work;
  for (int32_t k = 0; k < 2 && splits.n_edges > 0; k++) {
    memplan_order_problem plain = now[k];
    MEMPLAN_TRY(memplan_order_extend(&plain, splits.edges, splits.n_edges, arena, &now[k], error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_order_reduce(const memplan_order_problem given[2], int32_t rules, memplan_arena *arena,
                                    memplan_order_reduction *reduction, memplan_error *error) {
  *reduction = (memplan_order_reduction){.problems = {given[0], given[1]}, .n_given = given[0].n_ops};
  if ((rules & MEMPLAN_ORDER_CHAINS) != 0) {
    MEMPLAN_TRY(contract(reduction, arena, error));
  } else if (!keep_members(reduction, arena)) {
    return memplan_fail_nomem(error);
  }
  if ((rules & MEMPLAN_ORDER_VALLEYS) != 0) {
    return split(reduction, arena, error);
  }
  reduction->part = MEMPLAN_NEW(arena, int32_t, reduction->problems[0].n_ops);
  return reduction->part != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// ---- orders

void memplan_order_reduction_expand(const memplan_order_reduction *reduction, const int32_t *order, bool reversed,
                                    int32_t *given) {
  int32_t n = reduction->problems[0].n_ops, count = 0;
  for (int32_t t = 0; t < n; t++) {
    int32_t op = order[reversed ? n - 1 - t : t];
    for (int32_t k = reduction->members.first[op]; k < reduction->members.first[op + 1]; k++) {
      given[count++] = reduction->members.list[k];
    }
  }
}

// By parts, and in a part as the anchors stand: the order of the anchors, then a stable counting sort by part.
void memplan_order_reduction_project(const memplan_order_reduction *reduction, const int32_t *given, int32_t *scratch,
                                     int32_t *order) {
  int32_t n = reduction->problems[0].n_ops, count = 0;
  int32_t *place = scratch, *anchored = scratch + reduction->n_given + 1;
  for (int32_t t = 0; t < reduction->n_given; t++) {
    place[t] = -1;
  }
  for (int32_t op = 0; op < n; op++) {
    place[reduction->anchor[op]] = op;
  }
  for (int32_t t = 0; t < reduction->n_given; t++) {
    if (place[given[t]] >= 0) {
      anchored[count++] = place[given[t]];
    }
  }
  for (int32_t part = 0; part <= n; part++) {
    place[part] = 0;
  }
  for (int32_t op = 0; op < n; op++) {
    place[reduction->part[op] + 1]++;
  }
  for (int32_t part = 0; part < n; part++) {
    place[part + 1] += place[part];
  }
  for (int32_t t = 0; t < n; t++) {
    order[place[reduction->part[anchored[t]]]++] = anchored[t];
  }
}
