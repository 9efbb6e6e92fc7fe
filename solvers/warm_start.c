// SPDX-License-Identifier: Apache-2.0
// The plan is verified in a copy that claims nothing: a plan made under another capacity or with a bound that does not
// hold here is a good start all the same.
#include "solvers/warm_start.h"

#include "model/base/quote.h"
#include "model/verify.h"

const memplan_method memplan_start_method = {
    .name = "start",
    .kind = MEMPLAN_METHOD_JOINT,
    .summary = "the plan that was given to begin with",
    .reference = "--start PLAN",
    .complexity = "O(n log n)",
};

static memplan_status copy_plain(const memplan_plan *plan, const char *fingerprint, memplan_arena *arena,
                                 memplan_plan *copy, memplan_error *error) {
  *copy = *plan;
  copy->fingerprint = fingerprint;
  copy->outcome = MEMPLAN_FEASIBLE;
  copy->lower_bound = 0;
  copy->bound = (memplan_bound){.step = -1};
  copy->bodies = MEMPLAN_NEW(arena, memplan_body_plan, plan->n_bodies);
  if (copy->bodies == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < plan->n_bodies; body++) {
    copy->bodies[body] = plan->bodies[body];
    copy->bodies[body].plan = MEMPLAN_NEW(arena, memplan_plan, 1);
    if (copy->bodies[body].plan == NULL) {
      return memplan_fail_nomem(error);
    }
    MEMPLAN_TRY(copy_plain(plan->bodies[body].plan, fingerprint, arena, copy->bodies[body].plan, error));
  }
  return MEMPLAN_OK;
}

static memplan_status verify_copy(const memplan_problem *problem, const memplan_solve_options *solve,
                                  memplan_arena *arena, memplan_report *report, memplan_error *error) {
  memplan_problem unlimited = *problem;
  memplan_plan copy;
  unlimited.options.capacity = -1;
  MEMPLAN_TRY(copy_plain(solve->start, problem->fingerprint, arena, &copy, error));
  MEMPLAN_TRY(memplan_verify(&unlimited, &copy, report, error));
  if (report->valid) {
    return MEMPLAN_OK;
  }
  const char *path = solve->start_path != NULL ? solve->start_path : "the plan to begin with";
  return memplan_fail(error, MEMPLAN_INPUT, "%s is not valid here: %s", memplan_quote_path(path).text,
                      report->violations[0].text);
}

memplan_status memplan_start_check(const memplan_problem *problem, const memplan_solve_options *solve,
                                   memplan_error *error) {
  if (solve->start == NULL) {
    return MEMPLAN_OK;
  }
  memplan_arena arena = {0};
  memplan_report report;
  memplan_report_init(&report);
  memplan_status status = verify_copy(problem, solve, &arena, &report, error);
  memplan_report_free(&report);
  memplan_arena_free(&arena);
  return status;
}

memplan_status memplan_start_place(const memplan_instance *instance, const memplan_plan *start, memplan_arena *arena,
                                   memplan_place_result *result, memplan_error *error) {
  *result = (memplan_place_result){.method = &memplan_start_method, .stop = MEMPLAN_STOP_DONE};
  MEMPLAN_TRY(
      memplan_plan_find_offsets(instance, start, &result->placement.offset, &result->placement.pool, arena, error));
  result->peak = memplan_instance_peak(instance, result->placement.offset);
  return MEMPLAN_OK;
}
