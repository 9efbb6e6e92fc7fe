// SPDX-License-Identifier: Apache-2.0
// Life cycle of solutions and bounds, and the defaults of solving.
#include "model/memplan.h"

#include <stdlib.h>
#include <string.h>

const char *memplan_version(void) { return MEMPLAN_VERSION_STRING; }

const char *memplan_stage_name(memplan_stage stage) {
  static const char *const names[MEMPLAN_STAGE_COUNT] = {"bounds",  "orders",  "placement", "engine",
                                                         "windows", "nogoods", "program"};
  return names[stage];
}

memplan_solve_options memplan_solve_options_default(void) {
  memplan_solve_options options = {.limits = memplan_limits_default(), .params = memplan_params_default()};
  options.limits.work = MEMPLAN_WORK_DEFAULT;
  return options;
}

const memplan_instance *memplan_solution_instance(const memplan_problem *problem, const memplan_solution *solution) {
  if (problem->has_instance) {
    return &problem->instance;
  }
  return solution->has_instance ? &solution->instance : NULL;
}

bool memplan_solution_fits(const memplan_problem *problem, const memplan_solution *solution) {
  int64_t capacity = problem->options.capacity;
  return solution->has_plan && (capacity < 0 || solution->plan.peak <= capacity);
}

void memplan_solution_init(memplan_solution *solution) {
  memset(solution, 0, sizeof *solution);
  memplan_plan_init(&solution->plan);
  memplan_instance_init(&solution->instance);
}

void memplan_solution_free(memplan_solution *solution) {
  memplan_plan_free(&solution->plan);
  memplan_instance_free(&solution->instance);
  memplan_arena_free(&solution->arena);
  memplan_solution_init(solution);
}

void memplan_bounds_free(memplan_bounds *bounds) {
  memplan_arena_free(&bounds->arena);
  memset(bounds, 0, sizeof *bounds);
}
