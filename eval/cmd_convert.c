// SPDX-License-Identifier: Apache-2.0
// `memplan convert`: any input to any output format. What needs an order or offsets is solved first.
#include "eval/command.h"
#include "eval/inputs.h"
#include "eval/interrupt.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/plan_solution.h"
#include "eval/planned.h"
#include "eval/program_file.h"
#include "instances/formats.h"
#include "model/base/file.h"
#include "model/base/quote.h"
#include "model/memplan.h"
#include "solvers/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A plan always needs a solution. A placement problem made from a graph needs an order: the given one, unless a method
// is asked for.
static bool needs_solution(const memplan_context *context, const memplan_problem *problem,
                           const memplan_file_format *target) {
  bool asked = context->settings.solve.order != NULL || context->settings.solve.place != NULL;
  return target->kind == MEMPLAN_FORMAT_PLAN ||
         (target->kind == MEMPLAN_FORMAT_INSTANCE && problem->has_graph && asked);
}

static memplan_status write_target(memplan_context *context, const memplan_problem *problem,
                                   const memplan_solution *solution, const memplan_file_format *target,
                                   memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  const char *path = settings->output == NULL ? "-" : settings->output;
  memplan_prepared prepared = {0};
  memplan_export_options options = {0};
  memplan_export_report report;
  memplan_status status = MEMPLAN_OK;
  memplan_export_report_init(&report);
  // A solution has its bodies planned already.
  bool has_bodies = problem->has_graph && problem->graph.n_bodies > 0;
  if (solution == NULL && has_bodies && problem->options.bodies == MEMPLAN_BODIES_PLAN) {
    status = memplan_prepare(&problem->graph, &problem->options, &settings->solve, &prepared, error);
    options.workspace = prepared.workspace;
  }
  char *pairs = NULL, *text = NULL;
  size_t length = 0;
  options.conflicts = settings->conflicts_out != NULL ? &pairs : NULL;
  if (status == MEMPLAN_OK) {
    status = memplan_export_text(problem, solution, target->name, &options, &text, &length, &report, error);
  }
  if (status == MEMPLAN_OK) {
    const memplan_whole_file files[2] = {{path, text, length},
                                         {settings->conflicts_out, pairs, pairs == NULL ? 0 : strlen(pairs)}};
    status = memplan_output_write_all(files, pairs == NULL ? 1 : 2, error);
  }
  free(text);
  free(pairs);
  if (status == MEMPLAN_OK) {
    memplan_console_warnings(&context->console, path, report.warnings, report.n_warnings);
  }
  memplan_export_report_free(&report);
  memplan_prepared_free(&prepared);
  return status;
}

static memplan_status solve_and_write(memplan_context *context, const memplan_problem *problem,
                                      const memplan_file_format *target, memplan_exit *code, memplan_error *error) {
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_interrupt_defer();
  memplan_status status = context->settings.solution != NULL
                              ? memplan_program_read(context, problem, &solution, error)
                              : memplan_solve(problem, &context->settings.solve, &solution, error);
  memplan_interrupt_resume();
  if (status == MEMPLAN_OK && !memplan_solution_fits(problem, &solution)) {
    *code = solution.outcome == MEMPLAN_INFEASIBLE ? MEMPLAN_EXIT_INFEASIBLE : MEMPLAN_EXIT_NO_PLAN;
    memplan_console_error(&context->console, "%s: no plan to write: %s", memplan_quote_path(problem->path).text,
                          solution.infeasible == NULL ? "none that fits was found" : solution.infeasible);
  } else if (status == MEMPLAN_OK) {
    status = write_target(context, problem, &solution, target, error);
    *code = solution.stop == MEMPLAN_STOP_INTERRUPTED ? MEMPLAN_EXIT_INTERRUPTED : MEMPLAN_EXIT_GOAL;
  }
  memplan_solution_free(&solution);
  return status;
}

// "x.plan.json": solve names plans so, and a folder's problems are told from plans by it.
static bool is_plan_name(const char *path) { return path != NULL && memplan_file_ends_with(path, ".plan.json"); }

static memplan_status reorder(memplan_context *context, const memplan_problem *problem, const memplan_plan *plan,
                              memplan_error *error) {
  const char *path = context->settings.output;
  memplan_export_report report;
  memplan_export_report_init(&report);
  bool deferred = memplan_output_defer(path); // no temporary file remains
  memplan_status status = memplan_reorder(problem, plan, path, &report, error);
  memplan_output_resume(deferred);
  if (status == MEMPLAN_OK) {
    memplan_console_warnings(&context->console, path, report.warnings, report.n_warnings);
  }
  memplan_export_report_free(&report);
  return status;
}

// The plan moves into the solution.
static memplan_status write_planned(memplan_context *context, const memplan_problem *problem, memplan_plan *plan,
                                    memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  if (settings->to == NULL && settings->output != NULL && memplan_file_ends_with(settings->output, ".onnx")) {
    return reorder(context, problem, plan, error);
  }
  const memplan_file_format *target = is_plan_name(settings->output) && settings->to == NULL
                                          ? &memplan_format_plan_json
                                          : memplan_format_for_output(settings->to, settings->output, problem);
  if (target == NULL || !memplan_format_can(target, MEMPLAN_FORMAT_WRITE) || target->kind == MEMPLAN_FORMAT_GRAPH) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "--plan: write NAME.onnx, the model in the plan's order, or a format for lifetimes or plans");
  }
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_status status = memplan_plan_solution(problem, plan, &solution, error);
  if (status == MEMPLAN_OK) {
    status = write_target(context, problem, &solution, target, error);
  }
  memplan_solution_free(&solution);
  return status;
}

static memplan_status convert_planned(memplan_context *context, const char *path, memplan_problem *problem,
                                      memplan_exit *code, memplan_error *error) {
  static const memplan_option_id others[] = {MEMPLAN_OPTION_ORDER, MEMPLAN_OPTION_PLACE, MEMPLAN_OPTION_METHOD,
                                             MEMPLAN_OPTION_SOLUTION};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (memplan_option_get(&context->options, others[k])->given) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "--plan and --%s: the plan has its own order and offsets, so give one "
                          "of the two",
                          memplan_option_table()[others[k]].name);
    }
  }
  memplan_plan plan;
  bool invalid = false;
  memplan_plan_init(&plan);
  memplan_status status = memplan_planned_read(context, path, problem, &plan, &invalid, error);
  if (status == MEMPLAN_OK) {
    status = write_planned(context, problem, &plan, error);
  }
  *code = invalid ? MEMPLAN_EXIT_INVALID : *code;
  memplan_plan_free(&plan);
  return status;
}

static memplan_status convert(memplan_context *context, memplan_problem *problem, memplan_exit *code,
                              memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  const memplan_option_value *plan = memplan_option_get(&context->options, MEMPLAN_OPTION_PLAN);
  if (plan->given) {
    return convert_planned(context, plan->text, problem, code, error);
  }
  const memplan_program_format *program =
      settings->solution == NULL ? memplan_program_format_for(settings->to, settings->output) : NULL;
  MEMPLAN_TRY(memplan_inputs_read(context, context->options.arguments[0], problem, error));
  if (program != NULL) {
    return memplan_program_write(context, problem, program, error);
  }
  bool plan_name = is_plan_name(settings->output);
  const memplan_file_format *target = plan_name && settings->to == NULL
                                          ? &memplan_format_plan_json
                                          : memplan_format_for_output(settings->to, settings->output, problem);
  if (plan_name && target != NULL && target->kind != MEMPLAN_FORMAT_PLAN) {
    memplan_console_warn(&context->console, "%s is the name of a plan, but %s is written, as --to says",
                         memplan_quote_path(settings->output).text, target->name);
  }
  bool onnx = (settings->to != NULL && strcmp(settings->to, "onnx") == 0) ||
              (settings->to == NULL && settings->output != NULL && memplan_file_ends_with(settings->output, ".onnx"));
  if (onnx) {
    return memplan_fail(
        error, MEMPLAN_INPUT,
        "only an ONNX model becomes a file .onnx, with its nodes in the order of a plan: give --plan PLAN "
        "for it, or another format, as --to graph-json");
  }
  if (target == NULL || !memplan_format_can(target, MEMPLAN_FORMAT_WRITE)) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "which format shall be written? Give --to FORMAT; `memplan list formats` shows them");
  }
  if (settings->conflicts_out != NULL && strcmp(settings->conflicts_out, "-") == 0 &&
      (settings->output == NULL || strcmp(settings->output, "-") == 0)) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "the sizes and their conflicts would both go to standard output; give -o FILE");
  }
  if (settings->solution != NULL && target->kind == MEMPLAN_FORMAT_GRAPH) {
    return memplan_fail(error, MEMPLAN_INPUT, "--solution gives a plan, which %s cannot hold: write plan-json",
                        target->name);
  }
  if (settings->solution != NULL || needs_solution(context, problem, target)) {
    return solve_and_write(context, problem, target, code, error);
  }
  return write_target(context, problem, NULL, target, error);
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_problem problem;
  memplan_exit code = MEMPLAN_EXIT_GOAL;
  context->settings.solve.limits.cancel = context->cancel;
  memplan_problem_init(&problem);
  memplan_status status = convert(context, &problem, &code, &error);
  if (status != MEMPLAN_OK) {
    memplan_exit failure = memplan_context_fail(context, status, &error);
    code = code == MEMPLAN_EXIT_INVALID ? code : failure;
  }
  memplan_problem_free(&problem);
  return code;
}

const memplan_command memplan_command_convert = {
    .name = "convert",
    .bit = MEMPLAN_COMMAND_CONVERT,
    .arguments = "FILE",
    .min_arguments = 1,
    .max_arguments = 1,
    .summary = "write a problem, or its plan, in another format",
    .details =
        "Reads FILE and writes it in the format --to (default: what the extension of -o says; NAME.plan.json is "
        "a plan). A model becomes "
        "a placement problem on its given order without in-place sharing, or on the order that --order finds; "
        "a plan is solved for first. lp and mps are the integer program of --method ilp-… (default: ilp-joint for "
        "models, ilp-place for lifetimes); what another solver found for it comes back by --solution, as a verified "
        "plan. With --plan it is the order and the offsets of that plan, and NAME.onnx is the model itself with its "
        "nodes in the plan's order and every other byte as it was. What the target cannot hold is refused by name or "
        "warned about, never "
        "dropped silently.",
    .example = "memplan convert model.onnx --to csv -o buffers.csv",
    .run = run,
};
