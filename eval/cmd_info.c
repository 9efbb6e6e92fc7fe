// SPDX-License-Identifier: Apache-2.0
// `memplan info`: what a file holds, without planning it.
#include "eval/command.h"
#include "eval/info.h"
#include "eval/inputs.h"
#include "eval/option_table.h"
#include "eval/output.h"

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

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_problem problem;
  memplan_info info = {0};
  memplan_problem_init(&problem);
  memplan_status status = memplan_inputs_read(context, context->options.arguments[0], &problem, &error);
  if (status == MEMPLAN_OK) {
    status = memplan_info_init(&info, &problem, &context->settings.solve, &error);
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
    .details = "Prints operators by type, tensors by role, views, in-place pairs, control-flow bodies, the load of the "
               "given order and the lifetimes of the largest buffers on it (-v: of all). As CSV or Markdown it is the "
               "table of buffers, as JSON everything.",
    .example = "memplan info model.onnx",
    .run = run,
};
