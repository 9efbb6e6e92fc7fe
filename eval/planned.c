// SPDX-License-Identifier: Apache-2.0
#include "eval/planned.h"

#include "eval/inputs.h"
#include "eval/verify_hint.h"
#include "model/base/quote.h"

memplan_status memplan_planned_read(memplan_context *context, const char *path, memplan_problem *problem,
                                    memplan_plan *plan, bool *invalid, memplan_error *error) {
  MEMPLAN_TRY(memplan_plan_read(path, context->settings.problem.strict, plan, error));
  memplan_status status = memplan_settings_adopt(&context->settings, plan->problem, &context->options, error);
  if (status == MEMPLAN_OK) {
    status = memplan_settings_own_capacity(&context->settings, plan->problem, error);
  }
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(path).text);
    return status;
  }
  MEMPLAN_TRY(memplan_inputs_read(context, context->options.arguments[0], problem, error));
  problem->options.capacity = -1;
  memplan_report report;
  memplan_report_init(&report);
  status = memplan_verify(problem, plan, &report, error);
  *invalid = status == MEMPLAN_OK && !report.valid;
  if (*invalid) {
    status = memplan_fail(error, MEMPLAN_INPUT, "%s is not valid for %s: %s", memplan_quote_path(path).text,
                          memplan_quote_path(problem->path).text, report.violations[0].text);
  }
  if (*invalid && report.violations[0].kind == MEMPLAN_VIOLATION_FINGERPRINT) {
    memplan_verify_hint(context, context->options.arguments[0], problem, plan);
  }
  memplan_report_free(&report);
  return status;
}
