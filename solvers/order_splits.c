// SPDX-License-Identifier: Apache-2.0
// Stretches of an order are split until nothing is left to split: first by the sets that every order passes, then by
// minimum cuts. The least ideals of all are a lattice, through which a chain is taken by putting one operator after the
// other on the source side. Mostly these are the ends of the stretch alone; then the least ideal that holds all first
// operators of the stretch and none of its last ones is tried, and whether it is a split is a minimum cut for each
// operator that can run next (over the ideals in it that hold what that one needs) and for each that may have run last
// (over the ideals around it without what needs that one): an ideal that does not hold S, and is not in it, has one of
// the former and lacks one of the latter.
#include "solvers/order_splits.h"

#include "solvers/cut_network.h"
#include "solvers/order_reach.h"
#include "solvers/order_window.h"

#include <string.h>

enum { most_checks = 256, edges_of_op = 8, more_edges = 1024 };

typedef struct stretch {
  int32_t from, to; // steps
  bool whole;       // no set inside that every order passes
} stretch;

typedef struct splitting {
  const memplan_order_problem *problem;
  int32_t *order; // parts stand one after the other
  bool *ends;     // by step: a part begins there
  bool *valley;   // by step: and not every order passes what is before it
  stretch *open;
  int32_t n_open;
  int64_t work, most_work;
} splitting;

// One stretch as a problem of its own.
typedef struct piece {
  memplan_arena arena;
  memplan_order_problem problem;
  int32_t *ops;         // by its operators: those of the whole problem
  int32_t *topological; // its operators
  uint64_t *above;
  size_t words;
  memplan_cut_network *network;
  int64_t counted;   // work of its flow
  int32_t *level;    // by its operators: part of the piece
  bool *set, *other; // by node of the network
} piece;

static void push(splitting *all, int32_t from, int32_t to, bool whole) {
  if (to - from > 1) {
    all->open[all->n_open++] = (stretch){from, to, whole};
  }
}

static bool needs(const piece *part, int32_t op, int32_t other) {
  return (part->above[(size_t)op * part->words + (size_t)other / 64] >> (other % 64) & 1) != 0;
}

// ---- sets that every order passes

// Splits the stretch at all of them. False if memory is out.
static bool split_at_passes(splitting *all, const stretch *now, piece *part, bool *any) {
  int32_t n = part->problem.n_ops;
  const int32_t *passes = memplan_order_reach_passes(n, part->topological, part->above, &part->arena);
  if (passes == NULL) {
    return false;
  }
  *any = n > 0 && passes[n - 1] > 0;
  for (int32_t at = 0; at < n && *any; at++) {
    all->order[now->from + at] = part->ops[part->topological[at]];
    all->ends[now->from + at] = all->ends[now->from + at] || passes[at] == at;
  }
  for (int32_t from = 0, at = 1; at <= n && *any; at++) {
    if (passes[at] == at) {
      push(all, now->from + from, now->from + at, true);
      from = at;
    }
  }
  return true;
}

// ---- minimum cuts

static void put_all(piece *part, memplan_flow_side side) {
  for (int32_t op = 0; op < part->problem.n_ops; op++) {
    memplan_flow_put(part->network->flow, op, side);
  }
}

// False if there is not enough work left.
static bool cut(splitting *all, piece *part) {
  memplan_flow *flow = part->network->flow;
  all->work += memplan_flow_work(flow) - part->counted;
  int64_t from = memplan_flow_work(flow), left = all->most_work - all->work;
  if (left > 0) {
    (void)memplan_flow_run(flow, MEMPLAN_FLOW_INFINITE - 1, from < INT64_MAX - left ? from + left : INT64_MAX);
  }
  part->counted = memplan_flow_work(flow);
  all->work += part->counted - from;
  return left > 0 && memplan_flow_is_maximum(flow);
}

static int32_t count_inside(const piece *part, const bool *set) {
  int32_t count = 0;
  for (int32_t op = 0; op < part->problem.n_ops; op++) {
    count += set[op];
  }
  return count;
}

// Gives each operator its place in a chain of ideals with the fewest live bytes; returns the number of places.
static int32_t find_chain(splitting *all, piece *part) {
  int32_t n = part->problem.n_ops, n_levels = 0;
  memplan_flow *flow = part->network->flow;
  if (!cut(all, part)) {
    return 1;
  }
  memplan_flow_largest(flow, part->other);
  memplan_flow_smallest(flow, part->set);
  for (int32_t op = 0; op < n; op++) {
    part->level[op] = part->set[op] ? 0 : -1;
    n_levels = part->set[op] ? 1 : n_levels;
  }
  for (int32_t at = 0; at < n; at++) {
    int32_t op = part->topological[at];
    if (part->level[op] >= 0 || !part->other[op]) {
      continue;
    }
    memplan_flow_put(flow, op, MEMPLAN_FLOW_SOURCE);
    if (!cut(all, part)) {
      break;
    }
    memplan_flow_smallest(flow, part->set);
    for (int32_t k = 0; k < n; k++) {
      part->level[k] = part->set[k] && part->level[k] < 0 ? n_levels : part->level[k];
    }
    n_levels++;
  }
  bool rest = false;
  for (int32_t op = 0; op < n; op++) {
    rest = rest || part->level[op] < 0;
    part->level[op] = part->level[op] < 0 ? n_levels : part->level[op];
  }
  return n_levels + rest;
}

// Is the operator the last of its kind in the set, or could it run next after the set?
static bool is_edge_of(const piece *part, const bool *set, int32_t op) {
  bool inside = set[op];
  const memplan_order_lists *lists = inside ? &part->problem.succ : &part->problem.pred;
  for (int32_t k = lists->first[op]; k < lists->first[op + 1]; k++) {
    if (set[lists->list[k]] == inside) {
      return false;
    }
  }
  return true;
}

// The least live bytes of the ideals that the set has in common with an ideal that holds `op`, which could run next;
// or, if `op` is in the set, of its unions with ideals without `op`. False if work is out. *same: that is the set
// alone.
static bool cut_beside(splitting *all, piece *part, const bool *set, int32_t op, int64_t *least, bool *same) {
  memplan_flow *flow = part->network->flow;
  int32_t n = part->problem.n_ops;
  bool inside = set[op];
  *same = true;
  put_all(part, MEMPLAN_FLOW_FREE);
  memplan_flow_reset(flow);
  for (int32_t other = 0; other < n; other++) {
    bool source = set[other] && (inside || needs(part, op, other));
    bool sink = !set[other] && (!inside || needs(part, other, op));
    if (source || sink) {
      memplan_flow_put(flow, other, source ? MEMPLAN_FLOW_SOURCE : MEMPLAN_FLOW_SINK);
    } else {
      *same = false;
    }
  }
  if (*same) {
    return true;
  }
  if (!cut(all, part)) {
    return false;
  }
  *least = memplan_flow_value(flow);
  return true;
}

// Is the set, with so many live bytes, one that may be passed without loss?
static bool is_split(splitting *all, piece *part, const bool *set, int64_t live) {
  int32_t n = part->problem.n_ops, n_checks = 0;
  for (int32_t op = 0; op < n; op++) {
    int64_t least = live;
    bool same;
    if (!is_edge_of(part, set, op)) {
      continue;
    }
    if (++n_checks > most_checks || !cut_beside(all, part, set, op, &least, &same) || (!same && least < live)) {
      return false;
    }
  }
  return true;
}

// The least ideals with all first operators and without all last ones. Returns 2 if one is a split, and 1 if not.
static int32_t find_inner(splitting *all, piece *part) {
  const memplan_order_problem *problem = &part->problem;
  memplan_flow *flow = part->network->flow;
  put_all(part, MEMPLAN_FLOW_FREE);
  memplan_flow_reset(flow);
  for (int32_t op = 0; op < problem->n_ops; op++) {
    bool first = problem->pred.first[op + 1] == problem->pred.first[op];
    bool last = problem->succ.first[op + 1] == problem->succ.first[op];
    if (first && last) {
      return 1;
    }
    if (first || last) {
      memplan_flow_put(flow, op, first ? MEMPLAN_FLOW_SOURCE : MEMPLAN_FLOW_SINK);
    }
  }
  if (!cut(all, part)) {
    return 1;
  }
  int64_t live = memplan_flow_value(flow);
  memplan_flow_smallest(flow, part->set);
  memplan_flow_largest(flow, part->other);
  bool found = is_split(all, part, part->set, live);
  if (!found && count_inside(part, part->set) < count_inside(part, part->other)) {
    memcpy(part->set, part->other, (size_t)problem->n_ops * sizeof *part->set);
    found = is_split(all, part, part->set, live);
  }
  for (int32_t op = 0; op < problem->n_ops && found; op++) {
    part->level[op] = part->set[op] ? 0 : 1;
  }
  return found ? 2 : 1;
}

static bool may_be_split(const memplan_order_problem *problem) {
  for (int32_t op = 0; op < problem->n_ops; op++) {
    if (problem->group[op] >= 0) {
      return false;
    }
  }
  return problem->first == 0 && problem->last == 0;
}

// The stretch in the order of its levels, each as the topological order has it.
static void take_levels(splitting *all, const stretch *now, const piece *part, int32_t n_levels) {
  int32_t at = now->from;
  for (int32_t level = 0; level < n_levels; level++) {
    int32_t from = at;
    for (int32_t k = 0; k < part->problem.n_ops; k++) {
      int32_t op = part->topological[k];
      if (part->level[op] == level) {
        all->order[at++] = part->ops[op];
      }
    }
    all->ends[from] = true;
    all->valley[from] = all->valley[from] || level > 0;
    push(all, from, at, false);
  }
}

static memplan_status split_by_cuts(splitting *all, const stretch *now, piece *part, memplan_error *error) {
  if (!may_be_split(&part->problem)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_cut_network_new(&part->problem, 0, &part->arena, &part->network, error));
  if (part->network == NULL) {
    return MEMPLAN_OK;
  }
  int64_t n_nodes = memplan_flow_nodes(part->network->flow);
  part->level = MEMPLAN_NEW(&part->arena, int32_t, part->problem.n_ops);
  part->set = MEMPLAN_NEW(&part->arena, bool, n_nodes);
  part->other = MEMPLAN_NEW(&part->arena, bool, n_nodes);
  if (part->level == NULL || part->set == NULL || part->other == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n_levels = find_chain(all, part);
  n_levels = n_levels > 1 ? n_levels : find_inner(all, part);
  if (n_levels > 1) {
    take_levels(all, now, part, n_levels);
  }
  return MEMPLAN_OK;
}

static memplan_status split(splitting *all, stretch now, piece *part, memplan_error *error) {
  const memplan_order_problem *problem = all->problem;
  part->ops = MEMPLAN_NEW(&part->arena, int32_t, now.to - now.from);
  if (part->ops == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_order_window_problem(problem, all->order, now.from, now.to, &part->arena, &part->problem,
                                           part->ops, error));
  all->work += (int64_t)problem->n_ops + problem->deaths.first[problem->n_cells] +
               problem->births.first[problem->n_cells] + problem->pred.first[problem->n_ops];
  part->words = memplan_order_reach_words(part->problem.n_ops);
  part->topological = memplan_order_reach_sort(&part->problem, &part->arena);
  part->above =
      part->topological != NULL ? memplan_order_reach_above(&part->problem, part->topological, &part->arena) : NULL;
  bool any = false;
  if (part->above == NULL || (!now.whole && !split_at_passes(all, &now, part, &any))) {
    return memplan_fail_nomem(error);
  }
  return any ? MEMPLAN_OK : split_by_cuts(all, &now, part, error);
}

// ---- precedences

// Operators of the steps without predecessor (first) or successor among them. Returns their number.
static int32_t find_edge(const splitting *all, const int32_t *step, int32_t from, int32_t to, bool first,
                         int32_t *ops) {
  const memplan_order_lists *lists = first ? &all->problem->pred : &all->problem->succ;
  int32_t count = 0;
  for (int32_t t = from; t < to; t++) {
    int32_t op = all->order[t];
    bool tied = false;
    for (int32_t k = lists->first[op]; k < lists->first[op + 1] && !tied; k++) {
      tied = step[lists->list[k]] >= from && step[lists->list[k]] < to;
    }
    if (!tied) {
      ops[count++] = op;
    }
  }
  return count;
}

static int32_t end_of_part(const splitting *all, int32_t from) {
  do {
    from++;
  } while (from < all->problem->n_ops && !all->ends[from]);
  return from;
}

// All operators of a part before all of the next one. More precedences than are worth it: none at all.
static bool tie_parts(const splitting *all, memplan_arena *arena, memplan_order_splits *splits) {
  int32_t n = all->problem->n_ops;
  int64_t most = edges_of_op * (int64_t)n + more_edges;
  int32_t *step = MEMPLAN_NEW(arena, int32_t, n);
  int32_t *before = MEMPLAN_NEW(arena, int32_t, n), *after = MEMPLAN_NEW(arena, int32_t, n);
  splits->edges = MEMPLAN_NEW(arena, memplan_order_edge, most);
  if (step == NULL || before == NULL || after == NULL || splits->edges == NULL) {
    return false;
  }
  for (int32_t t = 0; t < n; t++) {
    step[all->order[t]] = t;
  }
  for (int32_t from = 0, to = n > 0 ? end_of_part(all, 0) : n; to < n;) {
    int32_t end = end_of_part(all, to);
    if (all->valley[to]) {
      int32_t n_before = find_edge(all, step, from, to, false, before);
      int32_t n_after = find_edge(all, step, to, end, true, after);
      if ((int64_t)n_before * n_after > most - splits->n_edges) {
        splits->n_edges = splits->n_valleys = 0;
        splits->n_parts = 1;
        memset(splits->part, 0, (size_t)n * sizeof *splits->part);
        return true;
      }
      for (int32_t k = 0; k < n_before * n_after; k++) {
        splits->edges[splits->n_edges++] = (memplan_order_edge){before[k / n_after], after[k % n_after]};
      }
    }
    from = to;
    to = end;
  }
  return true;
}

static bool allocate(splitting *all, memplan_order_splits *splits, memplan_arena *scratch, memplan_arena *arena) {
  int32_t n = all->problem->n_ops;
  all->order = memplan_order_reach_sort(all->problem, scratch);
  all->ends = MEMPLAN_NEW(scratch, bool, (int64_t)n + 1);
  all->valley = MEMPLAN_NEW(scratch, bool, (int64_t)n + 1);
  all->open = MEMPLAN_NEW(scratch, stretch, (int64_t)n + 1);
  splits->part = MEMPLAN_NEW(arena, int32_t, n);
  return all->order != NULL && all->ends != NULL && all->valley != NULL && all->open != NULL && splits->part != NULL;
}

memplan_status memplan_order_splits_find(const memplan_order_problem *problem, int64_t work, memplan_arena *arena,
                                         memplan_order_splits *splits, memplan_error *error) {
  memplan_arena scratch = {0};
  splitting all = {.problem = problem, .most_work = work};
  *splits = (memplan_order_splits){.n_parts = 1};
  memplan_status status = allocate(&all, splits, &scratch, arena) ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK && problem->n_ops < MEMPLAN_ORDER_REACH_OPS) {
    push(&all, 0, problem->n_ops, false);
  }
  while (status == MEMPLAN_OK && all.n_open > 0 && all.work < work) {
    piece part = {.problem = {.n_ops = 0}};
    status = split(&all, all.open[--all.n_open], &part, error);
    memplan_arena_free(&part.arena);
  }
  if (status == MEMPLAN_OK) {
    int32_t at = 0;
    for (int32_t t = 0; t < problem->n_ops; t++) {
      at += t > 0 && all.ends[t];
      splits->n_valleys += all.valley[t];
      splits->part[all.order[t]] = at;
    }
    splits->n_parts = problem->n_ops > 0 ? at + 1 : 1;
    splits->work = all.work;
    status = tie_parts(&all, arena, splits) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  memplan_arena_free(&scratch);
  return status;
}
