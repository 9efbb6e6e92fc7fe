// SPDX-License-Identifier: Apache-2.0
// Each search holds for all that is still possible: the peaks of the pools before it in the objective are limits by
// then, and a search that ends without a plan says that there is none within the limits. The sum of all peaks and their
// largest are sought by such questions alone.
//
// A pool without a capacity is limited to what lies one behind the other above all that is fixed. Whatever reaches
// higher in a pool is worse than the same order without the in-place choices in that pool (which may tie offsets of
// alignments with a large common multiple), with all that lies there one behind the other; the other pools stay.
#include "solvers/joint_pools.h"

#include "model/base/number.h"
#include "solvers/bound_pools.h"
#include "solvers/joint_axis.h"
#include "solvers/pool_boxes.h"
#include "solvers/pool_capacity.h"
#include "solvers/pool_mask.h"

#include <stdio.h>
#include <string.h>

enum {
  piece = 1 << 20, // ticks between looks at the limits of the run
  most_items = 900,
  ticks_of_cell = 4 // making a search: of a pair of items, or of an item and an operator
};

typedef enum answer { ANSWER_UNDECIDED = 0, ANSWER_YES, ANSWER_NO } answer;

typedef struct search {
  const memplan_joint_pools_task *task;
  memplan_joint_pools_result *result;
  memplan_arena *arena;
  int32_t n_pools;
  bool any;                  // peaks are those of something
  int64_t *ceiling, *limits; // by pool
  int64_t *found;            // by pool, of the last plan found
} search;

static bool out_of_limits(search *state) {
  memplan_stop stop = memplan_limits_reached(state->task->limits);
  if (stop == MEMPLAN_STOP_DONE && state->result->ticks >= state->task->work) {
    stop = MEMPLAN_STOP_WORK;
  }
  state->result->stop = stop;
  return stop != MEMPLAN_STOP_DONE;
}

// ---- one search

// The plan just found is kept if it is better than what there is, or within a capacity that is asked about.
static memplan_status take(search *state, const memplan_joint_axis *axis, const memplan_joint_search *engine,
                           memplan_error *error) {
  memplan_joint_solution solution = memplan_joint_search_look(engine);
  memplan_joint_plan plan;
  int64_t *peaks;
  MEMPLAN_TRY(memplan_joint_axis_read(axis, &solution, state->arena, &plan, &peaks, error));
  size_t bytes = (size_t)state->n_pools * sizeof *peaks;
  memcpy(state->found, peaks, bytes);
  if (!state->any || state->task->capacity >= 0 ||
      memplan_pool_peaks_better(&state->task->objective, peaks, state->result->peaks, state->n_pools)) {
    memcpy(state->result->peaks, peaks, bytes);
    state->result->plan = plan;
    state->result->has_plan = true;
  }
  state->any = true;
  return MEMPLAN_OK;
}

static memplan_status start(const search *state, memplan_joint_search *engine, memplan_error *error) {
  const memplan_joint_pools_task *task = state->task;
  const memplan_joint_pools_result *result = state->result;
  memplan_joint_plan first = {.order = task->order, .choice = task->choice, .n_choices = task->n_choices};
  if (result->has_plan) {
    first.order = result->plan.order;
    first.choice = result->plan.choice;
    first.n_choices = result->plan.n_choices;
  }
  return first.order != NULL ? memplan_joint_search_start(engine, &first, error) : MEMPLAN_OK;
}

static memplan_status run(search *state, const memplan_joint_axis *axis, memplan_joint_search *engine, bool first_only,
                          answer *reply, memplan_error *error) {
  memplan_joint_pools_result *result = state->result;
  int64_t before = result->ticks, conflicts = result->conflicts;
  bool found = false;
  while (!out_of_limits(state)) {
    int64_t left = state->task->work - result->ticks;
    memplan_joint_result news = memplan_joint_search_run(engine, left < piece ? left : piece);
    memplan_engine_counts counts = memplan_joint_search_count(engine);
    result->ticks = before + counts.ticks;
    result->conflicts = conflicts + counts.conflicts;
    if (news == MEMPLAN_JOINT_NOMEM) {
      return memplan_fail_nomem(error);
    }
    if (news == MEMPLAN_JOINT_FULL) {
      result->stop = MEMPLAN_STOP_MEMORY;
      return MEMPLAN_OK;
    }
    if (news == MEMPLAN_JOINT_IMPROVED) {
      found = true;
      MEMPLAN_TRY(take(state, axis, engine, error));
    }
    if (news == MEMPLAN_JOINT_CLOSED || (news == MEMPLAN_JOINT_IMPROVED && first_only)) {
      *reply = found ? ANSWER_YES : ANSWER_NO;
      return MEMPLAN_OK;
    }
    result->ticks++; // so that even a run without work comes to an end
  }
  return MEMPLAN_OK;
}

// What the capacities, as limits, leave: the least peak of the pool, or nothing at all.
static memplan_status find_least(search *state, int32_t pool, int64_t *least, bool *refuted, memplan_error *error) {
  memplan_pool_table table;
  const memplan_pool_set *because;
  memplan_arena scratch = {0};
  memplan_status status = memplan_pool_table_of_graph(state->task->ordering, state->limits, &scratch, &table, error);
  if (status == MEMPLAN_OK) {
    *refuted = memplan_pool_table_refutes(&table, &scratch) != NULL;
    *least = memplan_pool_table_least(&table, pool, &because);
    if (state->task->bounds != NULL) {
      *least = state->task->bounds[pool] > *least ? state->task->bounds[pool] : *least;
    }
  }
  memplan_arena_free(&scratch);
  return status;
}

// The plan with the least peak of the pool within all limits, or the first one (`first_only`). Yes: there is one, which
// was taken; without first_only, none has a smaller peak of the pool. What is too large stays undecided.
static memplan_status ask(search *state, int32_t pool, bool first_only, answer *reply, memplan_error *error) {
  int64_t least;
  bool refuted;
  *reply = ANSWER_UNDECIDED;
  if (out_of_limits(state)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(find_least(state, pool, &least, &refuted, error));
  if (refuted || least > state->limits[pool]) {
    *reply = ANSWER_NO;
    return MEMPLAN_OK;
  }
  memplan_arena arena = {0};
  memplan_joint_axis axis;
  memplan_joint_search *engine = NULL;
  memplan_joint_settings settings = memplan_joint_settings_without(state->task->without);
  settings.seed = state->task->limits->seed;
  settings.memory = memplan_limits_memory(state->task->limits);
  memplan_status status = memplan_joint_axis_init(&axis, state->task->ordering, state->limits, pool, &arena, error);
  if (status == MEMPLAN_OK && axis.graph.n_items <= most_items) {
    int64_t items = axis.graph.n_items;
    state->result->ticks += ticks_of_cell * items * (axis.graph.n_ops + items / 2);
    status = memplan_joint_search_new(&axis.graph, memplan_joint_axis_lower(&axis, least),
                                      memplan_joint_axis_upper(&axis), &settings, &engine, error);
  }
  if (status == MEMPLAN_OK && engine != NULL) {
    status = start(state, engine, error);
  }
  if (status == MEMPLAN_OK && engine != NULL) {
    status = run(state, &axis, engine, first_only, reply, error);
  }
  memplan_joint_search_free(engine);
  memplan_arena_free(&arena);
  bool declined = status == MEMPLAN_UNSUPPORTED || status == MEMPLAN_INPUT;
  state->result->stop =
      (declined || (status == MEMPLAN_OK && *reply == ANSWER_UNDECIDED)) && state->result->stop == MEMPLAN_STOP_DONE
          ? MEMPLAN_STOP_WORK
          : state->result->stop;
  if (declined) {
    *reply = ANSWER_UNDECIDED;
  }
  return declined ? MEMPLAN_OK : status;
}

// Any plan within the limits.
static memplan_status ask_any(search *state, answer *reply, memplan_error *error) {
  return ask(state, state->n_pools - 1, true, reply, error);
}

// ---- objectives

// The pool's least peak becomes its limit.
static memplan_status settle_pool(search *state, int32_t pool, bool *settled, memplan_error *error) {
  memplan_joint_pools_result *result = state->result;
  answer reply = ANSWER_NO;
  int64_t below =
      state->any && result->peaks[pool] <= state->limits[pool] ? result->peaks[pool] - 1 : state->limits[pool];
  state->limits[pool] = below;
  if (below >= 0) {
    MEMPLAN_TRY(ask(state, pool, false, &reply, error));
  }
  *settled = reply != ANSWER_UNDECIDED;
  result->none = reply == ANSWER_NO && !state->any;
  state->limits[pool] = state->any ? result->peaks[pool] : below;
  return MEMPLAN_OK;
}

static void limit_all(search *state, int64_t limit) {
  for (int32_t pool = 0; pool < state->n_pools; pool++) {
    state->limits[pool] = state->ceiling[pool] < limit ? state->ceiling[pool] : limit;
  }
}

static int64_t largest_of(const int64_t *peaks, int32_t n) {
  int64_t largest = 0;
  for (int32_t k = 0; k < n; k++) {
    largest = peaks[k] > largest ? peaks[k] : largest;
  }
  return largest;
}

// The least number that all peaks may be limited to, by halving between what was refused and what there is.
static memplan_status settle_largest(search *state, bool *settled, memplan_error *error) {
  memplan_joint_pools_result *result = state->result;
  int64_t refused = -1;
  *settled = true;
  for (;;) {
    int64_t largest = largest_of(result->peaks, state->n_pools);
    limit_all(state, largest);
    if (largest - refused <= 1) {
      result->largest = largest;
      return MEMPLAN_OK;
    }
    answer reply;
    int64_t middle = refused + (largest - refused) / 2;
    limit_all(state, middle);
    MEMPLAN_TRY(ask_any(state, &reply, error));
    refused = reply == ANSWER_NO ? middle : refused;
    result->largest = refused + 1;
    if (reply == ANSWER_UNDECIDED) {
      *settled = false;
      return MEMPLAN_OK;
    }
  }
}

static memplan_status settle_sum(search *state, bool *settled, memplan_error *error) {
  memplan_pool_boxes boxes;
  bool better;
  if (!memplan_pool_boxes_start(&boxes, state->ceiling, state->result->peaks, state->n_pools, state->arena)) {
    return memplan_fail_nomem(error);
  }
  *settled = true;
  while (*settled && memplan_pool_boxes_next(&boxes, state->limits)) {
    answer reply;
    MEMPLAN_TRY(ask_any(state, &reply, error));
    *settled = reply != ANSWER_UNDECIDED;
    if (reply == ANSWER_YES && !memplan_pool_boxes_take(&boxes, state->found, &better)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status settle_in_turn(search *state, memplan_error *error) {
  const memplan_objective *objective = &state->task->objective;
  bool settled = true;
  if (objective->minimize == MEMPLAN_MINIMIZE_POOL) {
    MEMPLAN_TRY(settle_pool(state, objective->pool, &settled, error));
  }
  for (int32_t pool = state->n_pools - 1; pool >= 0 && settled && !state->result->none; pool--) {
    if (objective->minimize != MEMPLAN_MINIMIZE_POOL || pool != objective->pool) {
      MEMPLAN_TRY(settle_pool(state, pool, &settled, error));
    }
  }
  state->result->settled = settled && !state->result->none;
  return MEMPLAN_OK;
}

static memplan_status settle(search *state, memplan_error *error) {
  memplan_joint_pools_result *result = state->result;
  memplan_minimize minimize = state->task->objective.minimize;
  answer reply = ANSWER_YES;
  bool asks = state->task->capacity >= 0, sums = minimize == MEMPLAN_MINIMIZE_TOTAL || minimize == MEMPLAN_MINIMIZE_MAX;
  if (asks || (sums && !state->any)) {
    MEMPLAN_TRY(ask_any(state, &reply, error));
    result->none = reply == ANSWER_NO;
    result->settled = asks && reply == ANSWER_YES;
    if (asks || reply != ANSWER_YES) {
      return MEMPLAN_OK;
    }
  }
  if (minimize == MEMPLAN_MINIMIZE_TOTAL) {
    return settle_sum(state, &result->settled, error);
  }
  if (minimize == MEMPLAN_MINIMIZE_MAX) {
    bool settled;
    MEMPLAN_TRY(settle_largest(state, &settled, error));
    if (!settled) {
      return MEMPLAN_OK;
    }
  }
  return settle_in_turn(state, error);
}

// ---- all of it

static int64_t workspace_bytes(const memplan_ordering *ordering, int32_t op) {
  int32_t cell = ordering->workspace_cell[op];
  return cell >= 0 ? ordering->cells[cell].bytes : ordering->workspace[op];
}

static int64_t add_padded(int64_t sum, int64_t bytes, int64_t align, int64_t all) {
  int64_t common, padding = memplan_lcm(align, all, &common) ? common - 1 : MEMPLAN_SIZE_LIMIT;
  return bytes > 0 ? memplan_add_saturated(sum, memplan_add_saturated(bytes, padding)) : sum;
}

// All that may lie in a pool, one behind the other.
static int64_t sum_padded(const memplan_ordering *ordering) {
  const memplan_graph *graph = ordering->graph;
  int64_t sum = 0, all = ordering->options.align;
  for (int32_t k = 0; k < graph->n_storages; k++) {
    sum = add_padded(sum, graph->storages[k].bytes, graph->storages[k].align, all);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    sum = add_padded(sum, workspace_bytes(ordering, op), graph->ops[op].workspace_align, all);
  }
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    sum = add_padded(sum, ordering->residents[k].bytes, ordering->residents[k].align, all);
  }
  return sum;
}

static int64_t highest_fixed(const memplan_graph *graph, int32_t pool) {
  int64_t high = 0;
  for (int32_t k = 0; k < graph->pools[pool].n_reserved; k++) {
    high = graph->pools[pool].reserved[k].end > high ? graph->pools[pool].reserved[k].end : high;
  }
  for (int32_t k = 0; k < graph->n_storages; k++) {
    int64_t end =
        graph->storages[k].pin >= 0 ? memplan_add_saturated(graph->storages[k].pin, graph->storages[k].bytes) : 0;
    high = end > high ? end : high;
  }
  return high;
}

static void find_ceilings(search *state) {
  const memplan_joint_pools_task *task = state->task;
  const memplan_graph *graph = task->ordering->graph;
  int64_t sum = sum_padded(task->ordering);
  for (int32_t pool = 0; pool < state->n_pools; pool++) {
    int64_t ceiling = memplan_add_saturated(sum, highest_fixed(graph, pool)), capacity = graph->pools[pool].capacity;
    ceiling = ceiling < MEMPLAN_SIZE_LIMIT ? ceiling : MEMPLAN_SIZE_LIMIT;
    ceiling = capacity >= 0 && capacity < ceiling ? capacity : ceiling;
    ceiling = task->capacity >= 0 && task->capacity < ceiling ? task->capacity : ceiling;
    state->ceiling[pool] = state->limits[pool] = ceiling;
  }
}

bool memplan_joint_pools_accepts(const memplan_ordering *ordering, char *reason) {
  if (ordering->graph->n_pools > MEMPLAN_MASK_POOLS) {
    (void)snprintf(reason, 256, "it has %d pools, the joint search takes at most %d", ordering->graph->n_pools,
                   (int)MEMPLAN_MASK_POOLS);
    return false;
  }
  return memplan_joint_search_takes(ordering, reason);
}

memplan_status memplan_joint_pools_run(const memplan_joint_pools_task *task, memplan_arena *arena,
                                       memplan_joint_pools_result *result, memplan_error *error) {
  int32_t n = task->ordering->graph->n_pools;
  *result = (memplan_joint_pools_result){.stop = MEMPLAN_STOP_DONE};
  search state = {.task = task, .result = result, .arena = arena, .n_pools = n};
  state.ceiling = MEMPLAN_NEW(arena, int64_t, n);
  state.limits = MEMPLAN_NEW(arena, int64_t, n);
  state.found = MEMPLAN_NEW(arena, int64_t, n);
  result->peaks = MEMPLAN_NEW(arena, int64_t, n);
  if (state.ceiling == NULL || state.limits == NULL || state.found == NULL || result->peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  find_ceilings(&state);
  if (task->order != NULL && task->capacity < 0) {
    memcpy(result->peaks, task->peaks, (size_t)n * sizeof *result->peaks);
    state.any = true;
  }
  MEMPLAN_TRY(settle(&state, error));
  if (result->settled) {
    result->stop = MEMPLAN_STOP_DONE;
  }
  return MEMPLAN_OK;
}
