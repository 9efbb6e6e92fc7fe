// SPDX-License-Identifier: Apache-2.0
// Components are solved one after the other; none has to be lower than what an earlier one needs anyway.
#include "solvers/ilp_placement.h"

#include "solvers/ilp_settle.h"
#include "solvers/ilp_search.h"
#include "solvers/place_ceiling.h"
#include "solvers/place_components.h"

#include <inttypes.h>
#include <string.h>

bool memplan_ilp_placement_accepts(const memplan_instance *instance, memplan_error *error) {
  if (instance->n_pools > 1) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d pools, and the integer program knows one",
                       instance->n_pools);
    return false;
  }
  if (!memplan_ilp_available()) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "%s", memplan_ilp_solver_name());
    return false;
  }
  return true;
}

const char **memplan_ilp_item_ids(const memplan_instance *instance, const memplan_place_problem *problem,
                                  memplan_arena *arena) {
  const char **ids = MEMPLAN_NEW(arena, const char *, problem->n_items);
  for (int32_t item = 0; ids != NULL && item < problem->n_items; item++) {
    const memplan_block *block = &instance->blocks[problem->block[item]];
    ids[item] = instance->buffers[instance->members[block->first_member].buffer].id;
  }
  return ids;
}

memplan_status memplan_ilp_place_problem(const memplan_instance *instance, memplan_arena *arena,
                                         memplan_place_problem *problem, memplan_error *error) {
  int32_t *blocks = MEMPLAN_NEW(arena, int32_t, instance->n_blocks);
  int32_t n_blocks = 0;
  if (blocks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0) {
      blocks[n_blocks++] = block;
    }
  }
  int64_t limit = memplan_place_limit(instance, 0);
  return memplan_place_problem_build(instance, blocks, n_blocks, &limit, NULL, arena, problem, error);
}

int64_t memplan_ilp_section_load(const memplan_place_problem *problem) {
  int64_t most = 0;
  for (int32_t section = 0; section < problem->n_sections; section++) {
    int64_t load = 0;
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      load += problem->members[k].high - problem->members[k].low;
    }
    most = load > most ? load : most;
  }
  return most;
}

typedef struct search {
  const memplan_place_problem *problem;
  const memplan_ilp_place *place;
  int64_t *wish, *offset, *best; // by item
  int64_t height;                // of best, units; MEMPLAN_ILP_NONE: none
  const memplan_limits *limits;
} search;

static int64_t take(void *context, const int64_t *value) {
  search *state = context;
  memplan_ilp_place_read(state->place, value, state->wish);
  int64_t height = memplan_ilp_settle(state->problem, state->wish, state->offset);
  if (height == INT64_MAX || !memplan_place_problem_holds(state->problem, state->offset, height)) {
    return MEMPLAN_ILP_NONE;
  }
  if (height < state->height) {
    state->height = height;
    memcpy(state->best, state->offset, (size_t)state->problem->n_items * sizeof *state->best);
    if (state->limits->progress != NULL) {
      const memplan_progress now = {.source = "ilp-place", .peak = height * state->problem->unit};
      state->limits->progress(state->limits->context, &now);
    }
  }
  return height;
}

// The best placement of a component that is lower than `ceiling` (units).
static memplan_status solve_program(search *state, const char *const *ids, int64_t bound, int64_t ceiling,
                                    memplan_ilp_answer *answer, memplan_error *error) {
  memplan_ilp model;
  memplan_ilp_place place;
  memplan_ilp_init(&model);
  model.title = "placement";
  memplan_status status = memplan_ilp_place_build(state->problem, ids, bound, ceiling, &model, &place, error);
  if (status == MEMPLAN_OK) {
    state->place = &place;
    memplan_ilp_run run = {.model = &model,
                           .limits = state->limits,
                           .found = take,
                           .context = state,
                           .memory = state->limits->memory,
                           .objective = place.peak,
                           .goal = bound};
    status = memplan_ilp_search(&run, answer, error);
  }
  memplan_ilp_free(&model);
  return status;
}

typedef struct component {
  const int32_t *blocks;
  int32_t n_blocks;
  int64_t peak; // of the start, bytes; -1: none
} component;

// `floor`: what other components need anyway. Updates offsets, and the result's peak, bound and state.
static memplan_status solve_component(const memplan_instance *instance, const component *part,
                                      const memplan_limits *limits, int64_t *offset, memplan_ilp_placement *result,
                                      memplan_arena *arena, memplan_error *error) {
  memplan_place_problem problem;
  int64_t limit = memplan_place_limit(instance, 0);
  MEMPLAN_TRY(
      memplan_place_problem_build(instance, part->blocks, part->n_blocks, &limit, limits, arena, &problem, error));
  if (problem.unfinished) {
    result->exhausted = false;
    result->stop = memplan_limits_reached(limits);
    result->peak = part->peak < 0 || part->peak > result->peak ? part->peak : result->peak;
    return MEMPLAN_OK;
  }
  search state = {.problem = &problem, .height = MEMPLAN_ILP_NONE, .limits = limits};
  state.wish = MEMPLAN_NEW(arena, int64_t, problem.n_items);
  state.offset = MEMPLAN_NEW(arena, int64_t, problem.n_items);
  state.best = MEMPLAN_NEW(arena, int64_t, problem.n_items);
  const char **ids = memplan_ilp_item_ids(instance, &problem, arena);
  if (state.wish == NULL || state.offset == NULL || state.best == NULL || ids == NULL) {
    return memplan_fail_nomem(error);
  }
  // What the others need is rounded down, as it is no bound of this component, which may end below.
  int64_t bound = memplan_ilp_section_load(&problem), floor = result->peak / problem.unit;
  bound = floor > bound ? floor : bound;
  int64_t ceiling = problem.pool_start[1];
  if (part->peak >= 0 && (part->peak - 1) / problem.unit < ceiling) {
    ceiling = (part->peak - 1) / problem.unit;
  }
  memplan_ilp_answer answer = {.outcome = MEMPLAN_INFEASIBLE, .bound = bound};
  if (bound <= ceiling) {
    MEMPLAN_TRY(solve_program(&state, ids, bound, ceiling, &answer, error));
    result->nodes += answer.nodes;
    result->stop = answer.stop != MEMPLAN_STOP_DONE ? answer.stop : result->stop;
  }
  int64_t peak = part->peak;
  for (int32_t item = 0; state.height != MEMPLAN_ILP_NONE && item < problem.n_items; item++) {
    offset[problem.block[item]] = state.best[item] * problem.unit;
    peak = state.height * problem.unit;
  }
  bool decided = answer.outcome == MEMPLAN_OPTIMAL || answer.outcome == MEMPLAN_INFEASIBLE ||
                 (state.height != MEMPLAN_ILP_NONE && state.height <= bound);
  int64_t own = answer.bound > bound ? answer.bound : bound;
  own = decided && peak >= 0 && answer.outcome != MEMPLAN_OPTIMAL ? peak : own * problem.unit;
  result->exhausted = result->exhausted && decided;
  result->floating_bound = own > result->floating_bound ? own : result->floating_bound;
  result->peak = peak < 0 ? -1 : peak > result->peak ? peak : result->peak;
  return MEMPLAN_OK;
}

static int64_t start_peak(const memplan_instance *instance, const memplan_placement *start, const int32_t *blocks,
                          int32_t n_blocks) {
  int64_t peak = 0;
  for (int32_t k = 0; k < n_blocks; k++) {
    int64_t end = start->offset[blocks[k]] + instance->blocks[blocks[k]].bytes;
    peak = end > peak ? end : peak;
  }
  return peak;
}

static memplan_status find(const memplan_instance *instance, const memplan_placement *start,
                           const memplan_limits *limits, memplan_arena *arena, int64_t *offset,
                           memplan_ilp_placement *result, memplan_error *error) {
  memplan_place_components parts;
  MEMPLAN_TRY(memplan_place_components_find(instance, arena, &parts, error));
  for (int32_t c = 0; c < parts.n_components && result->peak >= 0; c++) {
    component part = {&parts.blocks[parts.first[c]], parts.first[c + 1] - parts.first[c], -1};
    part.peak = start != NULL ? start_peak(instance, start, part.blocks, part.n_blocks) : -1;
    if (part.peak >= 0 && part.peak <= result->peak) {
      continue;
    }
    MEMPLAN_TRY(solve_component(instance, &part, limits, offset, result, arena, error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_ilp_placement_find(const memplan_instance *instance, const memplan_placement *start,
                                          const memplan_limits *limits, memplan_arena *arena,
                                          memplan_ilp_placement *result, memplan_error *error) {
  *result = (memplan_ilp_placement){.exhausted = true, .stop = MEMPLAN_STOP_DONE};
  if (!memplan_ilp_placement_accepts(instance, error)) {
    return MEMPLAN_UNSUPPORTED;
  }
  int32_t n = instance->n_blocks;
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, n);
  int32_t *pool = MEMPLAN_NEW(arena, int32_t, n);
  if (offset == NULL || pool == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < n; block++) { // of empty blocks only the pin counts
    offset[block] = start != NULL                      ? start->offset[block]
                    : instance->blocks[block].pin >= 0 ? instance->blocks[block].pin
                                                       : 0;
  }
  MEMPLAN_TRY(find(instance, start, limits, arena, offset, result, error));
  if (result->peak >= 0) {
    result->placement = (memplan_placement){.offset = offset, .pool = pool};
  }
  return MEMPLAN_OK;
}
