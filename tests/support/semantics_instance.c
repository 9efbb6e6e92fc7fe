// SPDX-License-Identifier: Apache-2.0
#include "tests/support/semantics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/semantics_plan.h"

typedef struct instance_trial {
  memplan_problem problem;
  random_state random;
  semantics_counts *counts;
  char *message;
  size_t size;
} instance_trial;

static bool verdict_is_right(instance_trial *state, const oracle_place *places) {
  bool valid = oracle_instance_placement_is_valid(&state->problem.instance, &state->problem.options, places);
  memplan_plan plan;
  semantics_make_instance_plan(&state->problem, places, &plan);
  char text[512];
  bool verified = semantics_verifies(&state->problem, &plan, text, sizeof text);
  memplan_plan_free(&plan);
  state->counts->valid += valid ? 1 : 0;
  state->counts->invalid += valid ? 0 : 1;
  if (verified != valid) {
    (void)snprintf(state->message, state->size, "a placement is %s, but verify says: %s", valid ? "valid" : "invalid",
                   text);
    return false;
  }
  return true;
}

static bool loads_are_right(instance_trial *state) {
  memplan_load load;
  memplan_error error = {.message = ""};
  int64_t expected = oracle_instance_load(&state->problem.instance);
  if (memplan_instance_load(&state->problem.instance, false, &load, &error) != MEMPLAN_OK || load.bytes != expected) {
    (void)snprintf(state->message, state->size, "load %" PRId64 ", oracle %" PRId64 " %s", load.bytes, expected,
                   error.message);
    return false;
  }
  return true;
}

static bool optimum_is_right(instance_trial *state, int64_t optimum) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1; // starting threads would cost more than these problems do
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_error error = {.message = ""};
  const memplan_plan *plan = &solution.plan;
  bool right = memplan_solve(&state->problem, &options, &solution, &error) == MEMPLAN_OK;
  if (!right) {
    (void)snprintf(state->message, state->size, "solve: %s", error.message);
  } else if (solution.has_plan && (plan->peak < optimum || plan->lower_bound > optimum ||
                                   (solution.outcome == MEMPLAN_OPTIMAL && plan->peak != optimum))) {
    right = false;
    (void)snprintf(state->message, state->size,
                   "solve: peak %" PRId64 ", bound %" PRId64 ", outcome '%s', optimum %" PRId64, plan->peak,
                   plan->lower_bound, memplan_outcome_name(solution.outcome), optimum);
  }
  memplan_solution_free(&solution);
  state->counts->optima++;
  return right;
}

static bool placements_are_right(instance_trial *state) {
  const memplan_instance *instance = &state->problem.instance;
  int32_t n_pools = instance->n_pools;
  oracle_place places[ORACLE_ITEMS];
  int64_t bytes[ORACLE_ITEMS] = {0};
  memset(places, 0, sizeof places);
  int64_t optimum = -1;
  if (n_pools == 1 && instance->n_buffers <= 6) {
    optimum = oracle_instance_optimum(instance, &state->problem.options, 60, places);
  }
  int64_t next = 0;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    bytes[i] = instance->buffers[i].bytes;
    if (optimum < 0) {
      places[i] = (oracle_place){bytes[i] > 0 ? next : 0, random_below(&state->random, n_pools)};
      next += bytes[i];
    }
  }
  bool right = verdict_is_right(state, places);
  for (int32_t round = 0; round < 6 && right; round++) {
    oracle_place moved[ORACLE_ITEMS];
    memcpy(moved, places, sizeof moved);
    semantics_disturb(&state->random, instance->n_buffers, n_pools, bytes, moved);
    right = verdict_is_right(state, moved);
  }
  return right && (optimum < 0 || optimum_is_right(state, optimum));
}

bool semantics_check_instance(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size) {
  instance_trial state = {.random = random_start(seed, index), .counts = counts, .message = message, .size = size};
  bool pools = random_chance(&state.random, 30);
  random_instance_options wishes = {
      .max_buffers = pools ? 9 : 6, .max_bytes = 5, .pools = pools, .pins = true, .rules = true};
  random_instance(&state.random, &wishes, &state.problem);
  memplan_error error = {.message = ""};
  memplan_status status = build_try(&state.problem, &error);
  counts->accepted += status == MEMPLAN_OK ? 1 : 0;
  counts->rejected += status == MEMPLAN_OK ? 0 : 1;
  bool right = true;
  if (status == MEMPLAN_OK) {
    right = loads_are_right(&state) && placements_are_right(&state);
  } else if (status == MEMPLAN_INPUT) {
    // What is refused must not have a placement. But gaps that overlap have no meaning, and alignments are refused on
    // empty buffers too.
    oracle_place places[ORACLE_ITEMS];
    bool meaningful = strstr(error.message, "gap") == NULL && strstr(error.message, "alignment asked of every") == NULL;
    if (meaningful && state.problem.instance.n_pools == 1 &&
        oracle_instance_optimum(&state.problem.instance, &state.problem.options, 24, places) >= 0) {
      right = false;
      (void)snprintf(message, size, "resolve refuses an instance that has a placement: %s", error.message);
    }
  } else {
    right = false;
    (void)snprintf(message, size, "resolve: %s", error.message);
  }
  memplan_problem_free(&state.problem);
  return right;
}
