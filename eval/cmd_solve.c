// SPDX-License-Identifier: Apache-2.0
// `memplan solve`: the main job, file by file.
#include "eval/command.h"
#include "eval/figure.h"
#include "eval/inputs.h"
#include "eval/interrupt.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/output_paths.h"
#include "eval/summary.h"
#include "model/base/clock.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct batch {
  memplan_context *context;
  memplan_inputs inputs;
  const char **plan_paths;
  memplan_output output;
  memplan_column columns[MEMPLAN_SUMMARY_COLUMNS];
  int32_t n_columns;
  bool report; // something goes to standard output
  int32_t n_failed;
} batch;

static const char interrupted_early[] = "interrupted before a plan was written";

// What is known before the work is told before it.
static void warn_refusal(memplan_context *context, const memplan_problem *problem) {
  const char *path = context->settings.certificate;
  const char *refusal = path != NULL ? memplan_certify_refusal(problem) : NULL;
  if (refusal != NULL) {
    memplan_console_warn(&context->console, "%s: will not be written: %s", memplan_quote_path(path).text, refusal);
  }
}

// Of several pools, the search for the best plan may end with less proven of the largest peak than certificates of the
// pools alone say of every plan.
static void raise_bound(const memplan_problem *problem, const memplan_certificate *certificate,
                        memplan_solution *solution) {
  int32_t n_pools = problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools;
  memplan_plan *plan = &solution->plan;
  if (n_pools > 1 && certificate->text != NULL && certificate->every_order && solution->has_plan &&
      certificate->claim > plan->lower_bound && certificate->claim <= plan->peak) {
    plan->lower_bound = certificate->claim;
    plan->bound = (memplan_bound){.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = certificate->claim, .step = -1};
  }
}

// Of the lower bound, whether a plan meets it or not. Without a proof the result is what it is.
static memplan_status certify(const batch *work, memplan_summary *summary, memplan_solution *solution,
                              memplan_error *error) {
  const memplan_settings *settings = &work->context->settings;
  memplan_certificate *certificate = &summary->certificate;
  int64_t start = memplan_clock_us();
  memplan_interrupt_defer(); // the plan is not written yet
  memplan_status status = memplan_certify(summary->problem, summary->solution, &settings->solve.limits,
                                          settings->certificate_limit, certificate, error);
  memplan_interrupt_resume();
  MEMPLAN_TRY(status);
  raise_bound(summary->problem, certificate, solution);
  summary->certified = true;
  summary->certificate_us = memplan_clock_us() - start;
  if (certificate->text == NULL && memplan_certify_refusal(summary->problem) == NULL) {
    memplan_console_warn(&work->context->console, "%s: not written: %s", memplan_quote_path(settings->certificate).text,
                         certificate->missing);
  }
  return MEMPLAN_OK;
}

// The plan, the certificate and the figure, all or none. A plan that does not fit the capacity is drawn, so that it can
// be seen why, but not written: verify would refuse it. What proves nothing, for want of memory say, keeps no plan
// back.
static memplan_status write_files(const batch *work, int32_t index, memplan_summary *summary,
                                  memplan_solution *solution, memplan_error *error) {
  const memplan_settings *settings = &work->context->settings;
  const char *path = work->plan_paths[index];
  memplan_whole_file files[3];
  int32_t n_files = 0;
  char *plan = NULL, *figure = NULL;
  size_t length = 0;
  memplan_error reason = {0};
  memplan_status certified = settings->certificate != NULL ? certify(work, summary, solution, &reason) : MEMPLAN_OK;
  memplan_status status = MEMPLAN_OK;
  if (path != NULL && memplan_summary_fits(summary)) {
    plan = memplan_plan_text(&solution->plan);
    status = plan == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
    files[n_files++] = (memplan_whole_file){path, plan, plan == NULL ? 0 : strlen(plan)};
  } else if (path != NULL) {
    memplan_console_warn(&work->context->console, "%s: not written, as there is no plan that fits",
                         memplan_quote_path(path).text);
  }
  if (summary->certificate.text != NULL) {
    files[n_files++] =
        (memplan_whole_file){settings->certificate, summary->certificate.text, summary->certificate.length};
  }
  if (status == MEMPLAN_OK && settings->plot != NULL && solution->has_plan) {
    status = memplan_figure_text(summary->problem, solution, settings->plot, &figure, &length, error);
    files[n_files++] = (memplan_whole_file){settings->plot, figure, length};
  }
  memplan_interrupt_tell(NULL, NULL);
  if (status == MEMPLAN_OK) {
    status = memplan_output_write_all(files, n_files, error);
  }
  free(figure);
  free(plan);
  if (status == MEMPLAN_OK && certified != MEMPLAN_OK) {
    *error = reason;
  }
  return status == MEMPLAN_OK ? certified : status;
}

static memplan_status write_report(batch *work, memplan_summary *summary, memplan_error *error) {
  FILE *out = work->output.file;
  memplan_style style = work->context->settings.style;
  if (!work->report) {
    return MEMPLAN_OK;
  }
  if (style == MEMPLAN_STYLE_JSON) {
    MEMPLAN_TRY(memplan_summary_measure(summary, error));
    memplan_summary_write_json(summary, out);
  } else if (style == MEMPLAN_STYLE_TEXT && work->inputs.single) {
    MEMPLAN_TRY(memplan_summary_write_text(summary, work->context->console.verbose, out, error));
  } else {
    memplan_summary_write_row(summary, style, work->columns, work->n_columns, out);
  }
  return memplan_output_flush(&work->output, error);
}

// Solves one file. *code: its exit code. A failure of the file itself is reported here; what comes back is a failure of
// the report.
static memplan_status solve_file(batch *work, int32_t index, memplan_exit *code, memplan_error *error) {
  memplan_context *context = work->context;
  memplan_error reason = {0};
  memplan_problem problem;
  memplan_solution solution;
  memplan_summary summary = {.path = work->inputs.paths[index], .settings = &context->settings};
  memplan_problem_init(&problem);
  memplan_solution_init(&solution);
  memplan_interrupt_tell(memplan_quote_path(summary.path).text, interrupted_early);
  int64_t start = memplan_clock_us();
  memplan_solve_options options = context->settings.solve;
  options.limits = memplan_limits_start(&options.limits); // reading takes its share of the time
  summary.status = memplan_inputs_read(context, summary.path, &problem, &reason);
  if (summary.status == MEMPLAN_OK) {
    summary.problem = &problem;
    warn_refusal(context, &problem);
    memplan_interrupt_defer();
    summary.status = memplan_solve(&problem, &options, &solution, &reason);
    memplan_interrupt_resume();
    if (summary.status != MEMPLAN_OK) {
      memplan_error_prefix(&reason, "%s", memplan_quote_path(summary.path).text);
    }
  }
  summary.time_us = memplan_clock_us() - start;
  if (summary.status == MEMPLAN_OK) {
    summary.solution = &solution;
    summary.status = write_files(work, index, &summary, &solution, &reason);
  }
  memplan_interrupt_tell(NULL, NULL);
  memplan_console_end(&context->console);
  summary.error = reason.message;
  *code = memplan_summary_exit(&summary);
  memplan_status status = MEMPLAN_OK;
  if (summary.status != MEMPLAN_OK) {
    work->n_failed++;
    if (work->inputs.single || !work->report) {
      memplan_context_fail(context, summary.status, &reason);
    }
  }
  if (summary.status == MEMPLAN_OK || !work->inputs.single) {
    status = write_report(work, &summary, error);
  }
  memplan_certificate_free(&summary.certificate);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return status;
}

static memplan_status solve_files(batch *work, memplan_exit *code, memplan_error *error) {
  memplan_context *context = work->context;
  bool keep_going = memplan_option_get(&context->options, MEMPLAN_OPTION_KEEP_GOING)->number != 0;
  memplan_style style = context->settings.style;
  bool block = style == MEMPLAN_STYLE_JSON || (style == MEMPLAN_STYLE_TEXT && work->inputs.single);
  if (work->report && !block) {
    memplan_summary_columns(style, work->inputs.path_width, work->columns, &work->n_columns);
    memplan_grid_write_head(work->output.file, style, work->columns, work->n_columns);
  }
  for (int32_t i = 0; i < work->inputs.n_paths && *context->cancel == 0; i++) {
    char label[400];
    snprintf(label, sizeof label, "[%" PRId32 "/%" PRId32 "] %s", i + 1, work->inputs.n_paths,
             memplan_quote_path(work->inputs.paths[i]).text);
    memplan_console_begin(&context->console, label);
    memplan_exit own = MEMPLAN_EXIT_GOAL;
    int32_t failed = work->n_failed;
    MEMPLAN_TRY(solve_file(work, i, &own, error));
    if (work->inputs.single) {
      *code = own;
    } else {
      *code = memplan_exit_worse(*code, work->n_failed > failed ? MEMPLAN_EXIT_PARTIAL : own);
    }
    if (work->n_failed > failed && !keep_going) {
      break;
    }
  }
  if (*context->cancel != 0) {
    *code = work->inputs.single ? memplan_exit_interrupted(*code) : MEMPLAN_EXIT_INTERRUPTED;
  }
  return MEMPLAN_OK;
}

// A plan is JSON: under the name of another form it would be taken for that.
static memplan_status check_plan_name(const char *path, memplan_error *error) {
  static const struct {
    const char *extension, *instead;
  } others[] = {{".csv", "`memplan convert FILE --plan PLAN.json -o NAME.csv` writes its offsets as a table"},
                {".onnx", "`memplan convert MODEL.onnx --plan PLAN.json -o NAME.onnx` writes the model in its order"},
                {".svg", "--plot NAME.svg draws it"},
                {".html", "--plot NAME.html draws it"},
                {".lp", "`memplan convert FILE -o NAME.lp` writes the integer program"},
                {".mps", "`memplan convert FILE -o NAME.mps` writes the integer program"}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (memplan_file_ends_with(path, others[k].extension)) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "-o %.300s: solve writes the plan there, as JSON: name it NAME.json; %s",
                          memplan_quote_path(path).text, others[k].instead);
    }
  }
  return MEMPLAN_OK;
}

static bool is_stdout(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

static memplan_status prepare(batch *work, memplan_error *error) {
  memplan_settings *settings = &work->context->settings;
  MEMPLAN_TRY(memplan_inputs_collect(&work->inputs, work->context, error));
  settings->problem.dims_optional = !work->inputs.single;
  MEMPLAN_TRY(memplan_inputs_plan_paths(&work->inputs, settings->output, &work->plan_paths, error));
  for (int32_t i = 0; i < work->inputs.n_paths; i++) {
    MEMPLAN_TRY(work->plan_paths[i] == NULL ? MEMPLAN_OK : check_plan_name(work->plan_paths[i], error));
  }
  if (settings->plot != NULL) {
    if (!work->inputs.single) {
      return memplan_fail(error, MEMPLAN_INPUT, "--plot draws one plan: give one file");
    }
    MEMPLAN_TRY(memplan_figure_check_path(settings->plot, error));
  }
  if (settings->certificate != NULL && !work->inputs.single) {
    return memplan_fail(error, MEMPLAN_INPUT, "--certificate proves one bound: give one file");
  }
  MEMPLAN_TRY(memplan_output_paths_check_batch(work->inputs.paths, work->plan_paths, work->inputs.n_paths,
                                               settings->plot, "--plot", error));
  // A plan or a certificate on standard output is the data; a report would not let it be read.
  bool data_on_stdout = is_stdout(settings->output) || is_stdout(settings->certificate);
  if (is_stdout(settings->output) && is_stdout(settings->certificate)) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "--output - and --certificate -: standard output takes one of them; name "
                        "a file for the other");
  }
  work->report = !data_on_stdout && (!work->context->console.quiet || settings->style_given);
  return memplan_output_open(&work->output, NULL, error);
}

static memplan_exit run(memplan_context *context) {
  batch work = {.context = context};
  memplan_error error = {0};
  memplan_exit code = MEMPLAN_EXIT_GOAL;
  memplan_limits *limits = &context->settings.solve.limits;
  limits->cancel = context->cancel;
  if (context->console.verbose || context->console.progress) {
    limits->progress = memplan_console_progress;
    limits->context = &context->console;
  }
  memplan_interrupt_tell(NULL, interrupted_early);
  memplan_status status = prepare(&work, &error);
  if (status == MEMPLAN_OK) {
    status = solve_files(&work, &code, &error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_output_close(&work.output, &error);
  }
  if (status == MEMPLAN_OK) {
    memplan_inputs_close(&work.inputs, context);
  }
  if (status != MEMPLAN_OK) {
    code = memplan_context_fail(context, status, &error);
  } else if (work.n_failed > 0 && !work.inputs.single) {
    memplan_console_error(&context->console, "%" PRId32 " of %" PRId32 " files failed%s", work.n_failed,
                          work.inputs.n_paths, work.report ? "; their rows say why" : "");
  }
  memplan_inputs_free(&work.inputs);
  return code;
}

const memplan_command memplan_command_solve = {
    .name = "solve",
    .bit = MEMPLAN_COMMAND_SOLVE,
    .arguments = "FILE…",
    .min_arguments = 1,
    .max_arguments = INT32_MAX,
    .summary = "plan the memory of models: order, offsets, lower bound, gap",
    .details = "Reads each FILE (a folder stands for the problems in it, not for those in folders inside it, - for "
               "standard input), takes the best of all "
               "order and placement methods, proves a lower bound, verifies the plan and reports. One file gives a "
               "block, several give a table with one row each; a file that fails becomes an error row, and the "
               "others go on. With several files, --dim and --shape hold for those that have the name.\n\n"
               "A plan (-o) names what it speaks of. Operators of ONNX models have the name of their node or, where it "
               "has none or shares it with another, that of its first output.\n\n"
               "With several files the exit code is 130 if interrupted, else 4 if any file failed, else 30, 20 or 10 "
               "if any plan was not found, is proven not to exist or is not proven optimal, else 0.",
    .example = "memplan solve model.onnx -o plan.json --plot plan.svg",
    .run = run,
};
