// SPDX-License-Identifier: Apache-2.0
// Each solution of the program gives an order and a choice, which are lowered to a placement problem like those of any
// method, and wishes for its offsets, which are settled there in integers.
#include "solvers/ilp_joint.h"

#include "model/base/clock.h"
#include "solvers/ilp_cuts.h"
#include "solvers/ilp_placement.h"
#include "solvers/ilp_search.h"
#include "solvers/ilp_settle.h"
#include "solvers/ilp_start.h"

#include <string.h>

enum { start_share = 8 };

typedef struct search {
  const memplan_ilp_task *task;
  const memplan_ilp_order *program;
  memplan_arena *arena; // of the result
  memplan_ilp_plan *plan;
  int32_t *order, *choice;
  int32_t *rounded; // order of the last relaxation that was rounded
  int64_t below;    // only peaks below this one are of use, bytes; -1: any
  bool placed;
  memplan_status status;
  memplan_error *error;
} search;

memplan_status memplan_ilp_joint_place(const memplan_ilp_order *program, const int64_t *value,
                                       const memplan_instance *instance, const int32_t *storage_buffer,
                                       const int32_t *op_buffer, memplan_arena *arena, int64_t **offset, int64_t *peak,
                                       memplan_error *error) {
  const memplan_joint_graph *graph = program->graph;
  memplan_place_problem problem;
  *peak = MEMPLAN_ILP_NONE;
  MEMPLAN_TRY(memplan_ilp_place_problem(instance, arena, &problem, error));
  int64_t *wish = MEMPLAN_NEW(arena, int64_t, problem.n_items), *settled = MEMPLAN_NEW(arena, int64_t, problem.n_items);
  int64_t *by_block = MEMPLAN_NEW(arena, int64_t, instance->n_blocks);
  *offset = MEMPLAN_NEW(arena, int64_t, instance->n_blocks);
  if (wish == NULL || settled == NULL || by_block == NULL || *offset == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < graph->n_items; k++) {
    int32_t buffer = memplan_joint_graph_buffer(graph, k, instance, storage_buffer, op_buffer);
    if (buffer >= 0) {
      by_block[instance->block_of[buffer]] =
          memplan_ilp_order_offset(program, value, k) * graph->unit - instance->delta_of[buffer];
    }
  }
  for (int32_t item = 0; item < problem.n_items; item++) {
    wish[item] = by_block[problem.block[item]] / problem.unit;
  }
  int64_t height = memplan_ilp_settle(&problem, wish, settled);
  if (height == INT64_MAX || !memplan_place_problem_holds(&problem, settled, height)) {
    return MEMPLAN_OK;
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) { // of empty blocks only the pin counts
    (*offset)[block] = instance->blocks[block].pin >= 0 ? instance->blocks[block].pin : 0;
  }
  for (int32_t item = 0; item < problem.n_items; item++) {
    (*offset)[problem.block[item]] = settled[item] * problem.unit;
  }
  *peak = memplan_instance_peak(instance, *offset);
  return MEMPLAN_OK;
}

// ---- solutions

static void keep(search *state, int32_t n_choices, int64_t peak) {
  const memplan_ordering *ordering = state->task->ordering;
  memplan_ilp_plan *plan = state->plan;
  int32_t *order = MEMPLAN_NEW(state->arena, int32_t, ordering->n_ops);
  int32_t *choice = MEMPLAN_NEW(state->arena, int32_t, n_choices);
  if (order == NULL || choice == NULL) {
    state->status = memplan_fail_nomem(state->error);
    return;
  }
  if (ordering->n_ops > 0) {
    memcpy(order, state->order, (size_t)ordering->n_ops * sizeof *order);
  }
  if (n_choices > 0) {
    memcpy(choice, state->choice, (size_t)n_choices * sizeof *choice);
  }
  plan->order = order;
  plan->choice = choice;
  plan->n_choices = n_choices;
  plan->peak = peak;
  plan->found = true;
  const memplan_limits *limits = state->task->limits;
  if (limits->progress != NULL) {
    const char *source = state->placed ? "ilp-joint" : "ilp-order";
    limits->progress(limits->context, &(memplan_progress){source, peak, state->task->proven, 0, 0});
  }
}

static int64_t units(const search *state, int64_t bytes) {
  int64_t unit = state->program->graph->unit;
  return bytes / unit + (bytes % unit != 0);
}

static memplan_status read_order(search *state, const int64_t *value, int32_t *n_choices) {
  return memplan_ilp_order_read(state->program, value, state->order, state->choice, n_choices, state->error);
}

// Values that mean no order are no plan, which is no failure of the search.
static void note_failure(search *state, memplan_status status) {
  if (status != MEMPLAN_OK && status != MEMPLAN_INPUT) {
    state->status = status;
  }
}

static int64_t take_order(void *context, const int64_t *value) {
  search *state = context;
  const memplan_ordering *ordering = state->task->ordering;
  memplan_arena scratch = {0};
  memplan_profile profile = {.peak = 0};
  int32_t n_choices = 0;
  int64_t peak = MEMPLAN_ILP_NONE;
  memplan_status status = read_order(state, value, &n_choices);
  if (status == MEMPLAN_OK) {
    status = memplan_ordering_profile(ordering, state->order, &scratch, &profile, state->error);
    peak = status == MEMPLAN_OK ? profile.peak : peak;
  }
  note_failure(state, status);
  if (peak != MEMPLAN_ILP_NONE && (!state->plan->found || peak < state->plan->peak)) {
    memcpy(state->choice, profile.choice, (size_t)profile.n_choices * sizeof *state->choice);
    keep(state, profile.n_choices, peak);
  }
  memplan_arena_free(&scratch);
  return peak == MEMPLAN_ILP_NONE ? peak : units(state, peak);
}

static memplan_status place(search *state, const int64_t *value, memplan_arena *scratch, memplan_instance *instance,
                            int32_t n_choices, int64_t *peak) {
  const memplan_ordering *ordering = state->task->ordering;
  int32_t *storage_buffer = MEMPLAN_NEW(scratch, int32_t, ordering->graph->n_storages);
  int32_t *op_buffer = MEMPLAN_NEW(scratch, int32_t, ordering->n_ops);
  int64_t *offset = NULL;
  if (storage_buffer == NULL || op_buffer == NULL) {
    return memplan_fail_nomem(state->error);
  }
  memplan_status status = memplan_ordering_lower(ordering, state->order, state->choice, n_choices, instance,
                                                 storage_buffer, op_buffer, state->error);
  if (status == MEMPLAN_INPUT) { // the choice contradicts itself: no plan
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(status);
  MEMPLAN_TRY(memplan_ilp_joint_place(state->program, value, instance, storage_buffer, op_buffer, scratch, &offset,
                                      peak, state->error));
  if (*peak == MEMPLAN_ILP_NONE || (state->plan->found && *peak >= state->plan->peak)) {
    return MEMPLAN_OK;
  }
  int32_t *pool = MEMPLAN_NEW(scratch, int32_t, instance->n_blocks);
  if (pool == NULL) {
    return memplan_fail_nomem(state->error);
  }
  state->plan->placement = (memplan_placement){.offset = offset, .pool = pool};
  state->plan->n_blocks = instance->n_blocks;
  MEMPLAN_TRY(memplan_placement_copy(&state->plan->placement, instance->n_blocks, state->arena, state->error));
  keep(state, n_choices, *peak);
  return state->status;
}

static int64_t take_joint(void *context, const int64_t *value) {
  search *state = context;
  int64_t peak = MEMPLAN_ILP_NONE;
  int32_t n_choices = 0;
  memplan_arena scratch = {0};
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = read_order(state, value, &n_choices);
  if (status == MEMPLAN_OK) {
    status = place(state, value, &scratch, &instance, n_choices, &peak);
  }
  note_failure(state, status);
  memplan_instance_free(&instance);
  memplan_arena_free(&scratch);
  return peak == MEMPLAN_ILP_NONE ? peak : units(state, peak);
}

// ---- rounding

// Is it of use to place an order of that peak?
static bool is_wanted(const search *state, int64_t peak) {
  return (!state->plan->found || peak < state->plan->peak) && (state->task->below < 0 || peak < state->task->below);
}

static memplan_status take_placement(search *state, const memplan_instance *instance,
                                     const memplan_placement *placement, int32_t n_choices, int64_t peak) {
  if (!is_wanted(state, peak)) {
    return MEMPLAN_OK;
  }
  state->plan->placement = (memplan_placement){.offset = placement->offset, .pool = placement->pool};
  state->plan->n_blocks = instance->n_blocks;
  MEMPLAN_TRY(memplan_placement_copy(&state->plan->placement, instance->n_blocks, state->arena, state->error));
  keep(state, n_choices, peak);
  return state->status;
}

// Places the order and choice at hand by heuristics, whose work is added, with one thread: the solver waits for them;
// if `work` is NULL, with as many as there are, and then by a program of its own.
static memplan_status place_order(search *state, int32_t n_choices, int64_t *work, memplan_arena *scratch,
                                  memplan_instance *instance, int64_t *peak) {
  const memplan_portfolio_task *best;
  memplan_limits limits = *state->task->limits;
  limits.progress = NULL;
  limits.threads = work != NULL ? 1 : limits.threads;
  MEMPLAN_TRY(memplan_ordering_lower(state->task->ordering, state->order, state->choice, n_choices, instance, NULL,
                                     NULL, state->error));
  const memplan_task task = {.instance = instance};
  MEMPLAN_TRY(memplan_ilp_start(MEMPLAN_METHOD_PLACE, &task, &limits, scratch, &best, state->error));
  if (work != NULL) {
    *work += memplan_ilp_start_work(MEMPLAN_METHOD_PLACE, instance->n_blocks);
  }
  memplan_placement placement = {0};
  if (best != NULL) {
    placement = (memplan_placement){.offset = best->result.offset, .pool = best->result.pool};
    *peak = best->peak;
  }
  if (work == NULL) {
    memplan_ilp_placement found;
    limits.work = limits.work >= 0 ? limits.work / start_share : -1;
    if (limits.deadline_us >= 0) {
      int64_t now = memplan_clock_us();
      limits.deadline_us = now + (limits.deadline_us - now) / start_share;
    }
    MEMPLAN_TRY(
        memplan_ilp_placement_find(instance, best != NULL ? &placement : NULL, &limits, scratch, &found, state->error));
    placement = found.placement;
    *peak = placement.offset != NULL ? found.peak : MEMPLAN_ILP_NONE;
  }
  return placement.offset != NULL ? take_placement(state, instance, &placement, n_choices, *peak) : MEMPLAN_OK;
}

static int64_t try_order(search *state, int32_t n_choices, int64_t *work) {
  memplan_arena scratch = {0};
  memplan_instance instance;
  int64_t peak = MEMPLAN_ILP_NONE;
  memplan_instance_init(&instance);
  note_failure(state, place_order(state, n_choices, work, &scratch, &instance, &peak));
  memplan_instance_free(&instance);
  memplan_arena_free(&scratch);
  return peak;
}

// The same order as last time leads to nothing new.
static bool round_order(search *state, const double *value, memplan_profile *profile, memplan_arena *scratch) {
  const memplan_ordering *ordering = state->task->ordering;
  memplan_status status = memplan_ilp_order_round(state->program, value, state->order, state->error);
  size_t size = (size_t)ordering->n_ops * sizeof *state->order;
  if (status != MEMPLAN_OK || size == 0 || memcmp(state->order, state->rounded, size) == 0) {
    note_failure(state, status);
    return false;
  }
  memcpy(state->rounded, state->order, size);
  status = memplan_ordering_profile(ordering, state->order, scratch, profile, state->error);
  if (status == MEMPLAN_OK && state->program->placed) {
    status = memplan_ordering_filter(ordering, profile->choice, &profile->n_choices, state->error);
  }
  note_failure(state, status);
  if (status != MEMPLAN_OK || !is_wanted(state, profile->peak)) {
    return false;
  }
  if (profile->n_choices > 0) {
    memcpy(state->choice, profile->choice, (size_t)profile->n_choices * sizeof *state->choice);
  }
  return true;
}

static int64_t round_up(void *context, const double *value, int64_t *work) {
  search *state = context;
  const memplan_ordering *ordering = state->task->ordering;
  memplan_arena scratch = {0};
  memplan_profile profile;
  int64_t peak = MEMPLAN_ILP_NONE;
  *work += ordering->n_ops + ordering->graph->n_storages;
  if (state->status == MEMPLAN_OK && round_order(state, value, &profile, &scratch)) {
    if (state->program->placed) {
      peak = try_order(state, profile.n_choices, work);
    } else {
      peak = profile.peak;
      keep(state, profile.n_choices, peak);
    }
  }
  memplan_arena_free(&scratch);
  return peak == MEMPLAN_ILP_NONE ? peak : units(state, peak);
}

static int64_t cut(void *context, const double *value, memplan_ilp *cuts) {
  const search *state = context;
  return memplan_ilp_order_cut(state->program, value, state->task->without, cuts);
}

// ---- the whole

static memplan_status run(search *state, const memplan_ilp *model, int64_t bound, memplan_error *error) {
  memplan_ilp_plan *plan = state->plan;
  memplan_ilp_answer answer;
  memplan_ilp_run task = {.model = model,
                          .limits = state->task->limits,
                          .found = state->program->placed ? take_joint : take_order,
                          .round = round_up,
                          .cut = state->placed ? cut : NULL,
                          .context = state,
                          .memory = state->task->limits->memory,
                          .without = state->task->without,
                          .objective = state->program->peak,
                          .goal = bound};
  MEMPLAN_TRY(memplan_ilp_search(&task, &answer, error));
  MEMPLAN_TRY(state->status);
  int64_t unit = state->program->graph->unit;
  plan->nodes = answer.nodes;
  plan->lazy_rows = answer.lazy_rows;
  plan->cuts = answer.cuts;
  plan->rounded = answer.rounded;
  plan->stop = answer.stop;
  plan->exhausted = answer.outcome == MEMPLAN_OPTIMAL || answer.outcome == MEMPLAN_INFEASIBLE ||
                    (plan->found && answer.best <= bound);
  bound = answer.bound > bound ? answer.bound : bound;
  plan->floating_bound = answer.outcome == MEMPLAN_INFEASIBLE && state->below >= 0 ? state->below : bound * unit;
  return MEMPLAN_OK;
}

// The pool's capacity is a ceiling too.
static int64_t find_ceiling(const search *state, const memplan_joint_graph *graph) {
  const memplan_graph *model = state->task->ordering->graph;
  int64_t ceiling = graph->naive;
  if (state->placed && model->n_pools == 1 && model->pools[0].capacity >= 0 &&
      model->pools[0].capacity / graph->unit < ceiling) {
    ceiling = model->pools[0].capacity / graph->unit;
  }
  if (state->below >= 0 && state->below <= graph->unit * ceiling) {
    ceiling = (state->below - 1) / graph->unit;
  }
  return ceiling;
}

// The order and choice that were found without offsets, with the best offsets for them.
static memplan_status try_first(search *state) {
  const memplan_ilp_plan *first = state->task->first;
  int32_t n_ops = state->task->ordering->n_ops;
  if (n_ops > 0) {
    memcpy(state->order, first->order, (size_t)n_ops * sizeof *state->order);
  }
  int32_t n_choices = first->n_choices;
  if (n_choices > 0) {
    memcpy(state->choice, first->choice, (size_t)n_choices * sizeof *state->choice);
  }
  MEMPLAN_TRY(memplan_ordering_filter(state->task->ordering, state->choice, &n_choices, state->error));
  (void)try_order(state, n_choices, NULL);
  state->below = state->plan->found ? state->plan->peak : state->below;
  return state->status;
}

static memplan_status find(search *state, memplan_arena *scratch, memplan_ilp *model) {
  const memplan_ilp_task *task = state->task;
  memplan_joint_graph graph;
  memplan_ilp_order program;
  memplan_error *error = state->error;
  MEMPLAN_TRY(memplan_joint_graph_init(&graph, task->ordering, state->placed, scratch, error));
  state->order = MEMPLAN_NEW(scratch, int32_t, graph.n_ops);
  state->rounded = MEMPLAN_NEW(scratch, int32_t, graph.n_ops);
  state->choice = MEMPLAN_NEW(scratch, int32_t, task->ordering->n_pairs);
  if (state->order == NULL || state->rounded == NULL || state->choice == NULL) {
    return memplan_fail_nomem(error);
  }
  if (task->first != NULL && task->below != 0) {
    MEMPLAN_TRY(try_first(state));
  }
  int64_t ceiling = find_ceiling(state, &graph);
  int64_t bound = task->bound / graph.unit + (task->bound % graph.unit != 0);
  if (state->below == 0 || bound > ceiling) {
    state->plan->exhausted = true;
    state->plan->floating_bound = state->below >= 0 ? state->below : bound * graph.unit;
    return MEMPLAN_OK;
  }
  bool steps = task->form == MEMPLAN_ILP_STEPS;
  MEMPLAN_TRY(state->placed ? memplan_ilp_joint_build(&graph, steps, bound, ceiling, model, scratch, &program, error)
                            : memplan_ilp_order_build(&graph, steps, bound, ceiling, model, scratch, &program, error));
  state->program = &program;
  return run(state, model, bound, error);
}

static memplan_status find_plan(const memplan_ilp_task *task, bool placed, memplan_arena *arena, memplan_ilp_plan *plan,
                                memplan_error *error) {
  memplan_arena scratch = {0};
  memplan_ilp model;
  memplan_ilp_init(&model);
  model.title = placed ? "joint order and placement" : "order";
  *plan = (memplan_ilp_plan){.stop = MEMPLAN_STOP_DONE};
  search state = {.task = task,
                  .arena = arena,
                  .plan = plan,
                  .below = task->below,
                  .placed = placed,
                  .status = MEMPLAN_OK,
                  .error = error};
  memplan_status status = find(&state, &scratch, &model);
  memplan_ilp_free(&model);
  memplan_arena_free(&scratch);
  return status;
}

memplan_status memplan_ilp_order_find(const memplan_ilp_task *task, memplan_arena *arena, memplan_ilp_plan *plan,
                                      memplan_error *error) {
  return find_plan(task, false, arena, plan, error);
}

memplan_status memplan_ilp_joint_find(const memplan_ilp_task *task, memplan_arena *arena, memplan_ilp_plan *plan,
                                      memplan_error *error) {
  return find_plan(task, true, arena, plan, error);
}
