// SPDX-License-Identifier: Apache-2.0
// Both kinds of problem are checked by the same steps, on things to be placed and rectangles of time and bytes:
//   verify_report    collects what is found
//   verify_check     the plan's offsets, each alone: presence, range, alignment, pin, pool, peak, bound
//   verify_overlap   rectangles that meet
//   verify_graph     from operators and an order to rectangles, with verify_layout, verify_order, verify_inplace and
//                    verify_bodies
//   verify_instance  from intervals and gaps to rectangles; rules between buffers
#include "model/verify.h"

#include "model/verify_graph.h"
#include "model/verify_instance.h"

#include <string.h>

static memplan_status check_fingerprint(const memplan_problem *problem, const memplan_plan *plan,
                                        memplan_findings *findings, memplan_error *error) {
  const char *stated = plan->fingerprint != NULL ? plan->fingerprint : "";
  if (strcmp(stated, problem->fingerprint) == 0) {
    return MEMPLAN_OK;
  }
  memplan_violation violation = {.kind = MEMPLAN_VIOLATION_FINGERPRINT, .step = -1, .low = -1, .high = -1};
  return memplan_findings_add(findings, &violation, error,
                              "the plan was made for another problem: its fingerprint is '%s', this problem's is '%s'",
                              stated, problem->fingerprint);
}

static memplan_status refuse_clique(const memplan_plan *plan, memplan_findings *findings, memplan_error *error) {
  if (plan->bound.kind != MEMPLAN_BOUND_CLIQUE) {
    return MEMPLAN_OK;
  }
  memplan_violation violation = {
      .kind = MEMPLAN_VIOLATION_BOUND, .step = -1, .low = plan->lower_bound, .high = plan->peak};
  return memplan_findings_add(findings, &violation, error,
                              "the plan's bound is a clique of buffers, which only a placement problem has");
}

memplan_status memplan_verify(const memplan_problem *problem, const memplan_plan *plan, memplan_report *report,
                              memplan_error *error) {
  memplan_findings findings;
  memplan_findings_init(&findings, report);
  MEMPLAN_TRY(check_fingerprint(problem, plan, &findings, error));
  if (problem->has_graph) {
    MEMPLAN_TRY(refuse_clique(plan, &findings, error));
    MEMPLAN_TRY(memplan_graph_verify(&problem->graph, &problem->options, plan, 0, &findings, &report->peak, error));
  } else {
    MEMPLAN_TRY(memplan_instance_verify(&problem->instance, &problem->options, plan, &findings, &report->peak, error));
  }
  return memplan_findings_close(&findings, error);
}
