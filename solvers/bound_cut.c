// SPDX-License-Identifier: Apache-2.0
// Operators are taken by falling load in known orders, in batches that double, each by the order's steps: the first
// ones raise the bound to where most others need no look, and neighbours share most of their flow. An operator whose
// load is within the bound cannot raise it.
#include "solvers/bound_cut.h"

#include "solvers/cut_network.h"

#include <stdlib.h>
#include <string.h>

enum { first_batch = 4, default_work = 1 << 27 };

typedef struct entry {
  int64_t load;
  int32_t step, op;
} entry;

static int by_load(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->load != y->load) {
    return x->load > y->load ? -1 : 1;
  }
  return (x->step > y->step) - (x->step < y->step);
}

static int by_step(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return (x->step > y->step) - (x->step < y->step);
}

static void sort(entry *entries, int32_t count, int (*compare)(const void *, const void *)) {
  if (count > 1) {
    qsort(entries, (size_t)count, sizeof *entries, compare);
  }
}

typedef struct search {
  memplan_cut_network *network;
  memplan_cut *cut;
  bool *inside; // by node
  int64_t most_work;
  const memplan_limits *limits;
} search;

static bool out_of_limits(const search *state) {
  return memplan_flow_work(state->network->flow) >= state->most_work ||
         (state->limits != NULL && memplan_limits_reached(state->limits) != MEMPLAN_STOP_DONE);
}

static void look_at(search *state, int32_t op) {
  memplan_cut_network *network = state->network;
  memplan_cut_network_focus(network, op);
  (void)memplan_flow_run(network->flow, INT64_MAX, state->most_work);
  state->cut->flows++;
  if (!memplan_flow_is_maximum(network->flow)) { // out of work within this flow
    state->cut->done = false;
    return;
  }
  int64_t bytes = memplan_cut_network_bound(network);
  if (bytes > state->cut->bytes) {
    state->cut->bytes = bytes;
    state->cut->op = op;
    memplan_flow_smallest(network->flow, state->inside);
    memcpy(state->cut->ideal, state->inside, (size_t)network->problem->n_ops * sizeof *state->inside);
  }
}

static void look_at_all(search *state, entry *entries, int32_t count) {
  int32_t batch = first_batch;
  sort(entries, count, by_load);
  for (int32_t first = 0; first < count && entries[first].load > state->cut->bytes; first += batch, batch *= 2) {
    batch = batch < count - first ? batch : count - first;
    sort(entries + first, batch, by_step);
    for (int32_t k = first; k < first + batch; k++) {
      if (entries[k].load <= state->cut->bytes) {
        continue;
      }
      if (out_of_limits(state)) {
        state->cut->done = false;
        return;
      }
      look_at(state, entries[k].op);
    }
  }
}

static memplan_status find(const memplan_order_problem *problem, const int32_t *order, const int64_t *upper,
                           search *state, memplan_arena *scratch, memplan_error *error) {
  entry *entries = MEMPLAN_NEW(scratch, entry, problem->n_ops);
  if (entries == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t step = 0; step < problem->n_ops; step++) {
    if (upper[order[step]] > state->cut->bytes) {
      entries[count++] = (entry){upper[order[step]], step, order[step]};
    }
  }
  if (count == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_cut_network_new(problem, 0, scratch, &state->network, error));
  if (state->network == NULL) {
    state->cut->done = false;
    return MEMPLAN_OK;
  }
  state->inside = MEMPLAN_NEW(scratch, bool, memplan_flow_nodes(state->network->flow));
  if (state->inside == NULL) {
    return memplan_fail_nomem(error);
  }
  look_at_all(state, entries, count);
  state->cut->work = memplan_flow_work(state->network->flow);
  return MEMPLAN_OK;
}

memplan_status memplan_cut_bound(const memplan_order_problem *problem, const int32_t *order, const int64_t *upper,
                                 int64_t known, int64_t work, const memplan_limits *limits, memplan_arena *arena,
                                 memplan_cut *cut, memplan_error *error) {
  *cut = (memplan_cut){.bytes = known, .op = -1, .done = true};
  search state = {.cut = cut, .most_work = work, .limits = limits};
  cut->ideal = MEMPLAN_NEW(arena, bool, problem->n_ops);
  if (cut->ideal == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_arena scratch = {0};
  memplan_status status = find(problem, order, upper, &state, &scratch, error);
  memplan_arena_free(&scratch);
  if (cut->op < 0) {
    cut->bytes = 0;
    cut->ideal = NULL;
  }
  return status;
}

// Loads of the given order.
static memplan_status given_loads(const memplan_ordering *ordering, int32_t *order, int64_t *upper,
                                  memplan_arena *arena, memplan_error *error) {
  memplan_profile profile;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    order[op] = op;
  }
  MEMPLAN_TRY(memplan_ordering_profile(ordering, order, arena, &profile, error));
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    upper[op] = profile.load[op];
  }
  return MEMPLAN_OK;
}

static memplan_status add_cut(const memplan_ordering *ordering, const memplan_limits *limits, memplan_arena *scratch,
                              memplan_arena *arena, memplan_bound_list *list, memplan_cut *cut, memplan_error *error) {
  int64_t known = 0;
  for (int32_t k = 0; k < list->count; k++) {
    bool of_load =
        list->entries[k].kind != MEMPLAN_BOUND_ALIGNED_OPERATOR && list->entries[k].kind != MEMPLAN_BOUND_BUFFER;
    known = of_load && list->entries[k].bytes > known ? list->entries[k].bytes : known;
  }
  int32_t *order = MEMPLAN_NEW(scratch, int32_t, ordering->n_ops);
  int64_t *upper = MEMPLAN_NEW(scratch, int64_t, ordering->n_ops);
  memplan_order_problem problem;
  if (order == NULL || upper == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(given_loads(ordering, order, upper, scratch, error));
  MEMPLAN_TRY(memplan_order_problem_init(&problem, ordering, false, scratch, error));
  MEMPLAN_TRY(memplan_cut_bound(&problem, order, upper, known, default_work, limits, arena, cut, error));
  if (cut->op >= 0) {
    memplan_bound_list_add(list, (memplan_bound){.kind = MEMPLAN_BOUND_CUT,
                                                 .joint = true,
                                                 .bytes = cut->bytes,
                                                 .step = -1,
                                                 .op = ordering->graph->ops[cut->op].id});
  }
  return MEMPLAN_OK;
}

memplan_status memplan_bound_cut(const memplan_ordering *ordering, const memplan_limits *limits, memplan_arena *arena,
                                 memplan_bound_list *list, memplan_cut *cut, memplan_error *error) {
  memplan_cut own;
  cut = cut != NULL ? cut : &own;
  *cut = (memplan_cut){.op = -1, .done = true};
  if (ordering->one_order || ordering->n_ops == 0) {
    return MEMPLAN_OK;
  }
  memplan_arena scratch = {0};
  memplan_status status = add_cut(ordering, limits, &scratch, arena, list, cut, error);
  memplan_arena_free(&scratch);
  return status;
}
