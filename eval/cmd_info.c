// SPDX-License-Identifier: Apache-2.0
// `memplan info`: what a file holds, without planning it.
#include "eval/command.h"
#include "eval/info.h"
#include "eval/inputs.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "model/base/quote.h"

#include <string.h>
#include <sys/stat.h>

static memplan_status write_info(memplan_context *context, const memplan_info *info, memplan_error *error) {
  memplan_output output;
  memplan_style style = context->settings.style;
  memplan_status status = MEMPLAN_OK;
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  if (style == MEMPLAN_STYLE_TEXT) {
    status = memplan_info_write_text(info, context->console.verbose, output.file, error);
  } else if (style == MEMPLAN_STYLE_JSON) {
    memplan_info_write_json(info, output.file);
  } else {
    status = memplan_info_write_buffers(info, style, info->n_buffers, output.file, error);
  }
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

static memplan_status write_survey(memplan_context *context, const memplan_survey *survey, const char *path,
                                   const char *reason, memplan_error *error) {
  memplan_output output;
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  if (context->settings.style == MEMPLAN_STYLE_JSON) {
    memplan_info_write_survey_json(survey, path, reason, output.file);
  } else {
    memplan_info_write_survey(survey, path, output.file);
  }
  return memplan_output_close(&output, error);
}

// A file whose dimensions or shapes are not all known is no problem yet; what it holds is told all the same, before
// the reason why. Standard input and pipes cannot be read twice.
static memplan_status survey_file(memplan_context *context, const char *path, const char *reason,
                                  memplan_error *error) {
  struct stat kind;
  memplan_style style = context->settings.style;
  bool wanted = style == MEMPLAN_STYLE_TEXT || style == MEMPLAN_STYLE_JSON;
  if (!wanted || strcmp(path, "-") == 0 || stat(path, &kind) != 0 || !S_ISREG(kind.st_mode)) {
    return MEMPLAN_OK;
  }
  memplan_survey survey;
  memplan_survey_init(&survey);
  memplan_status status = MEMPLAN_OK;
  if (memplan_survey_file(path, context->settings.from, &context->settings.problem, &survey, NULL) == MEMPLAN_OK &&
      survey.n_unknown_symbols + survey.unknown_tensors_total > 0) {
    status = write_survey(context, &survey, path, reason, error);
  }
  memplan_survey_free(&survey);
  return status;
}

static memplan_status read_file(memplan_context *context, memplan_problem *problem, memplan_error *error) {
  const char *path = context->options.arguments[0];
  memplan_status status = memplan_inputs_read(context, path, problem, error);
  if (status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED) {
    memplan_error second = {0};
    memplan_status written = survey_file(context, path, error->message, &second);
    if (written != MEMPLAN_OK) {
      *error = second;
      return written;
    }
  }
  return status;
}

// Of orders, only those that are known without a search.
static memplan_status check_order(const memplan_solve_options *solve, memplan_error *error) {
  if (solve->order == NULL || solve->fixed_order) {
    return MEMPLAN_OK;
  }
  return memplan_fail(error, MEMPLAN_INPUT,
                      "info plans nothing: --order takes given, or a FILE with an order; `memplan explain --order %s` "
                      "tells of that method's order",
                      solve->order);
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_problem problem;
  memplan_info info = {0};
  const memplan_solve_options *solve = &context->settings.solve;
  memplan_problem_init(&problem);
  memplan_status status = check_order(solve, &error);
  if (status == MEMPLAN_OK) {
    status = read_file(context, &problem, &error);
  }
  if (status == MEMPLAN_OK && !problem.has_graph && solve->order != NULL) {
    status = memplan_fail(&error, MEMPLAN_UNSUPPORTED, "%s: --order orders operators, but lifetimes have no order",
                          memplan_quote_path(problem.path).text);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_info_init(&info, &problem, solve, &error);
    if (status != MEMPLAN_OK) {
      memplan_error_prefix(&error, "%s", memplan_quote_path(problem.path).text);
    }
  }
  if (status == MEMPLAN_OK) {
    status = write_info(context, &info, &error);
  }
  memplan_info_free(&info);
  memplan_problem_free(&problem);
  return status == MEMPLAN_OK ? MEMPLAN_EXIT_GOAL : memplan_context_fail(context, status, &error);
}

const memplan_command memplan_command_info = {
    .name = "info",
    .bit = MEMPLAN_COMMAND_INFO,
    .arguments = "FILE",
    .min_arguments = 1,
    .max_arguments = 1,
    .summary = "what a file holds: operators, tensors, lifetimes, naive size",
    .details =
        "Prints operators by type, tensors by role, views, in-place pairs, control-flow bodies, the load of the "
        "given order (or of that in a file: --order) and the lifetimes of the largest buffers on it (-v: of "
        "all). As CSV or Markdown it is the table of buffers, as JSON everything. Of a model whose dimensions or "
        "shapes are not all known it tells what is known and what has to be given, then the error.",
    .example = "memplan info model.onnx",
    .run = run,
};
