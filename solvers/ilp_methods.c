// SPDX-License-Identifier: Apache-2.0
// Placements and orders begin with what the quick heuristics find, which the program then has to beat; joint methods
// are given a peak to beat. The outcome never is "optimal": that is for bounds in integers to say.
#include "solvers/ilp_methods.h"

#include "model/base/clock.h"
#include "solvers/ilp_joint.h"
#include "solvers/ilp_placement.h"
#include "solvers/ilp_solver.h"
#include "solvers/ilp_start.h"
#include "solvers/joint_graph.h"
#include "solvers/techniques.h"

#include <string.h>

enum { order_share = 4 };

// ---- placement

static bool accepts_placement(const memplan_task *task, memplan_error *error) {
  return memplan_ilp_placement_accepts(task->instance, error);
}

static memplan_status place(const memplan_task *task, const memplan_limits *limits, memplan_arena *arena,
                            memplan_method_result *result, memplan_error *error) {
  const memplan_portfolio_task *best;
  int32_t n = task->instance->n_blocks;
  memplan_ilp_placement found;
  MEMPLAN_TRY(memplan_ilp_start(MEMPLAN_METHOD_PLACE, task, limits, arena, &best, error));
  memplan_placement start = {0};
  if (best != NULL) {
    start = (memplan_placement){.offset = best->result.offset, .pool = best->result.pool};
  }
  MEMPLAN_TRY(memplan_ilp_placement_find(task->instance, best != NULL ? &start : NULL, limits, arena, &found, error));
  result->nodes = found.nodes;
  result->stop = found.stop;
  result->floating_bound = found.floating_bound;
  result->outcome = found.placement.offset != NULL ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN;
  result->failed_block = found.placement.offset == NULL && n > 0 ? 0 : -1;
  if (found.placement.offset != NULL && n > 0) {
    memcpy(result->offset, found.placement.offset, (size_t)n * sizeof *result->offset);
    memset(result->pool, 0, (size_t)n * sizeof *result->pool);
  }
  return MEMPLAN_OK;
}

static memplan_status run_placement(const memplan_task *task, const memplan_limits *limits,
                                    memplan_method_result *result, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(limits);
  memplan_status status = place(task, &started, &arena, result, error);
  memplan_arena_free(&arena);
  return status;
}

// ---- order

static bool accepts_ordering(const memplan_task *task, memplan_error *error) {
  const memplan_ordering *ordering = task->ordering;
  if (!memplan_ilp_available()) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "%s", memplan_ilp_solver_name());
    return false;
  }
  if (ordering->n_ops > MEMPLAN_JOINT_BUILT) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED,
                       "it has %d operators, an integer program over orders takes at most %d", ordering->n_ops,
                       (int)MEMPLAN_JOINT_BUILT);
    return false;
  }
  if (ordering->one_order) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "all its sizes together pass 2^62 bytes");
    return false;
  }
  return true;
}

static memplan_status order(const memplan_task *task, memplan_ilp_form form, const memplan_limits *limits,
                            memplan_arena *arena, memplan_method_result *result, memplan_error *error) {
  const memplan_portfolio_task *best;
  int32_t n = task->ordering->n_ops;
  MEMPLAN_TRY(memplan_ilp_start(MEMPLAN_METHOD_ORDER, task, limits, arena, &best, error));
  memplan_limits own = *limits;
  if (own.deadline_us >= 0) { // the placement needs time too
    int64_t now = memplan_clock_us();
    own.deadline_us -= (own.deadline_us - now) / order_share;
  }
  memplan_ilp_task program = {.ordering = task->ordering, .form = form, .limits = &own, .below = -1};
  const int32_t *found = NULL;
  if (best != NULL) {
    program.below = best->peak;
    found = best->result.order;
  }
  memplan_ilp_plan plan;
  MEMPLAN_TRY(memplan_ilp_order_find(&program, arena, &plan, error));
  found = plan.found ? plan.order : found;
  result->nodes = plan.nodes;
  result->stop = plan.stop;
  result->floating_bound = plan.floating_bound;
  result->outcome = found != NULL ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN;
  if (found != NULL && n > 0) {
    memcpy(result->order, found, (size_t)n * sizeof *result->order);
  }
  return MEMPLAN_OK;
}

static memplan_status run_order(const memplan_task *task, memplan_ilp_form form, const memplan_limits *limits,
                                memplan_method_result *result, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(limits);
  memplan_status status = order(task, form, &started, &arena, result, error);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status run_order_turns(const memplan_task *task, const memplan_limits *limits,
                                      memplan_method_result *result, memplan_error *error) {
  return run_order(task, MEMPLAN_ILP_PRECEDENCE, limits, result, error);
}

static memplan_status run_order_steps(const memplan_task *task, const memplan_limits *limits,
                                      memplan_method_result *result, memplan_error *error) {
  return run_order(task, MEMPLAN_ILP_STEPS, limits, result, error);
}

// ---- joint

static bool accepts_joint(const memplan_task *task, memplan_error *error) {
  if (task->ordering->graph->n_pools > 1) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d pools, and the integer program knows one",
                       task->ordering->graph->n_pools);
    return false;
  }
  return accepts_ordering(task, error);
}

// The least order peak first, which is quickly found beside the whole: no arena is smaller.
static memplan_status bound_by_order(const memplan_ilp_task *program, memplan_arena *arena, memplan_ilp_plan *plan,
                                     memplan_error *error) {
  memplan_ilp_task task = *program;
  memplan_limits limits = *program->limits;
  limits.work = limits.work >= 0 ? limits.work / order_share : -1;
  limits.progress = NULL;
  if (limits.deadline_us >= 0) {
    int64_t now = memplan_clock_us();
    limits.deadline_us = now + (limits.deadline_us - now) / order_share;
  }
  task.limits = &limits;
  task.below = -1;
  return memplan_ilp_order_find(&task, arena, plan, error);
}

static memplan_status run_joint(const memplan_task *task, memplan_ilp_form form, const memplan_limits *limits,
                                memplan_method_result *result, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(limits);
  memplan_ilp_task program = {.ordering = task->ordering,
                              .form = form,
                              .limits = &started,
                              .below = task->below > 0 ? task->below : -1,
                              .bound = task->bound,
                              .proven = task->bound,
                              .without = task->without};
  memplan_ilp_plan plan = {.found = false}, least;
  memplan_status status = bound_by_order(&program, &arena, &least, error);
  program.bound = least.floating_bound > program.bound ? least.floating_bound : program.bound;
  if (status == MEMPLAN_OK && least.found && (task->without & MEMPLAN_TECHNIQUE_ILP_ROUNDING) == 0) {
    program.first = &least;
  }
  if (status == MEMPLAN_OK) {
    status = memplan_ilp_joint_find(&program, &arena, &plan, error);
  }
  if (status == MEMPLAN_OK) {
    result->nodes = least.nodes + plan.nodes;
    result->stop = plan.stop;
    result->floating_bound = plan.floating_bound;
    result->outcome = plan.found ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN;
    result->n_choices = plan.n_choices;
  }
  if (status == MEMPLAN_OK && plan.found) {
    int32_t n_ops = task->ordering->n_ops;
    for (int32_t t = 0; t < n_ops; t++) {
      result->order[t] = plan.order[t];
    }
    for (int32_t k = 0; k < plan.n_choices; k++) {
      result->choice[k] = plan.choice[k];
    }
    for (int32_t block = 0; block < plan.n_blocks; block++) {
      result->offset[block] = plan.placement.offset[block];
      result->pool[block] = plan.placement.pool[block];
    }
  }
  memplan_arena_free(&arena);
  return status;
}

static memplan_status run_joint_turns(const memplan_task *task, const memplan_limits *limits,
                                      memplan_method_result *result, memplan_error *error) {
  return run_joint(task, MEMPLAN_ILP_PRECEDENCE, limits, result, error);
}

static memplan_status run_joint_steps(const memplan_task *task, const memplan_limits *limits,
                                      memplan_method_result *result, memplan_error *error) {
  return run_joint(task, MEMPLAN_ILP_STEPS, limits, result, error);
}

// ---- descriptors

static const char reference[] = "integer programs by GLPK's branch and cut; offsets recomputed in integers";
static const char complexity[] = "exponential at worst";

const memplan_method memplan_ilp_place_method = {.name = "ilp-place",
                                                 .kind = MEMPLAN_METHOD_PLACE,
                                                 .summary = "integer program: which of two buffers lies above",
                                                 .reference = reference,
                                                 .complexity = complexity,
                                                 .exact = true,
                                                 .anytime = true,
                                                 .on_request = true,
                                                 .available = memplan_ilp_available,
                                                 .declines = "several pools; more than 4,000 buffers",
                                                 .accepts = accepts_placement,
                                                 .run = run_placement};

const memplan_method memplan_ilp_order_method = {.name = "ilp-order",
                                                 .kind = MEMPLAN_METHOD_ORDER,
                                                 .summary = "integer program: which of two operators runs first",
                                                 .reference = reference,
                                                 .complexity = complexity,
                                                 .exact = true,
                                                 .anytime = true,
                                                 .on_request = true,
                                                 .available = memplan_ilp_available,
                                                 .declines = "more than 400 operators",
                                                 .accepts = accepts_ordering,
                                                 .run = run_order_turns};

const memplan_method memplan_ilp_order_steps_method = {.name = "ilp-order-steps",
                                                       .kind = MEMPLAN_METHOD_ORDER,
                                                       .summary = "integer program: which operators each step has done",
                                                       .reference = reference,
                                                       .complexity = complexity,
                                                       .exact = true,
                                                       .anytime = true,
                                                       .on_request = true,
                                                       .available = memplan_ilp_available,
                                                       .declines = "more than 400 operators",
                                                       .accepts = accepts_ordering,
                                                       .run = run_order_steps};

const memplan_method memplan_ilp_joint_method = {.name = "ilp-joint",
                                                 .kind = MEMPLAN_METHOD_JOINT,
                                                 .summary = "integer program: ilp-order and offsets in one",
                                                 .reference = reference,
                                                 .complexity = complexity,
                                                 .exact = true,
                                                 .anytime = true,
                                                 .on_request = true,
                                                 .available = memplan_ilp_available,
                                                 .declines = "several pools; more than 400 operators; lifetimes",
                                                 .accepts = accepts_joint,
                                                 .run = run_joint_turns};

const memplan_method memplan_ilp_joint_steps_method = {.name = "ilp-joint-steps",
                                                       .kind = MEMPLAN_METHOD_JOINT,
                                                       .summary = "integer program: ilp-order-steps and offsets in one",
                                                       .reference = reference,
                                                       .complexity = complexity,
                                                       .exact = true,
                                                       .anytime = true,
                                                       .on_request = true,
                                                       .available = memplan_ilp_available,
                                                       .declines = "several pools; more than 400 operators; lifetimes",
                                                       .accepts = accepts_joint,
                                                       .run = run_joint_steps};
