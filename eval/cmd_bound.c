// SPDX-License-Identifier: Apache-2.0
// `memplan bound`: what is proven about every plan, without searching for one.
#include "eval/command.h"
#include "eval/inputs.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/witness.h"
#include "model/base/quote.h"
#include "solvers/order_optimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS_SHOWN = 5, N_COLUMNS = 6 };

static const memplan_column columns[N_COLUMNS] = {
    {"kind", "bound", MEMPLAN_CELL_TEXT, 0},      {"bytes", "bytes", MEMPLAN_CELL_NUMBER, 12},
    {"problem", "problem", MEMPLAN_CELL_TEXT, 0}, {"step", "step", MEMPLAN_CELL_NUMBER, 0},
    {"op", "operator", MEMPLAN_CELL_TEXT, 0},     {"witness", "largest buffers of the witness", MEMPLAN_CELL_TEXT, 0}};

static memplan_status add_row(memplan_grid *grid, const memplan_problem *problem, const memplan_bounds *bounds,
                              const memplan_bound *bound, memplan_error *error) {
  memplan_witness witness;
  memplan_status status = memplan_witness_of_bound(problem, bounds, bound, &witness, error);
  if (status == MEMPLAN_OK) {
    char bytes[MEMPLAN_NUMBER_SIZE], step[MEMPLAN_NUMBER_SIZE], text[512], scope[256];
    snprintf(scope, sizeof scope, "%s%s%s", bound->joint ? "every order" : "placement",
             bound->pool != NULL ? ", pool " : "", bound->pool != NULL ? memplan_quote(bound->pool).text : "");
    snprintf(bytes, sizeof bytes, "%" PRId64, bound->bytes);
    snprintf(step, sizeof step, "%" PRId64, bound->step);
    const char *cells[N_COLUMNS] = {memplan_bound_kind_name(bound->kind),
                                    bytes,
                                    scope,
                                    bound->step < 0 ? NULL : step,
                                    bound->op,
                                    memplan_witness_text(&witness, ITEMS_SHOWN, text, sizeof text)};
    status = memplan_grid_add(grid, cells) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  memplan_witness_free(&witness);
  return status;
}

// Of a cut: the operators after which its own needs the least.
static void put_before(const memplan_graph *graph, const bool *before, memplan_writer *writer) {
  memplan_writer_open(writer, "before", '[');
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (before[op]) {
      memplan_writer_put_text(writer, NULL, graph->ops[op].id);
    }
  }
  memplan_writer_close(writer, ']');
}

static void put_certificate(const memplan_problem *problem, const memplan_certificate *certificate,
                            memplan_writer *writer) {
  memplan_writer_open(writer, "certificate", '{');
  memplan_writer_put_text(writer, "kind", certificate->kind);
  if (certificate->text != NULL) {
    memplan_writer_put_text(writer, "problem", problem->has_graph ? "joint" : "placement");
    memplan_writer_put_integer(writer, "bytes", certificate->claim);
  }
  if (certificate->missing != NULL) {
    memplan_writer_put_text(writer, "reason", certificate->missing);
  }
  memplan_writer_close(writer, '}');
}

static void write_json(const memplan_problem *problem, const memplan_bounds *bounds,
                       const memplan_certificate *certificate, FILE *out) {
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_heading(&writer, problem);
  memplan_writer_put_integer(&writer, "lower_bound", bounds->n_bounds > 0 ? bounds->bounds[0].bytes : 0);
  memplan_writer_open(&writer, "bounds", '[');
  for (int32_t i = 0; i < bounds->n_bounds; i++) {
    const memplan_bound *bound = &bounds->bounds[i];
    memplan_writer_open(&writer, NULL, '{');
    memplan_writer_put_text(&writer, "kind", memplan_bound_kind_name(bound->kind));
    memplan_writer_put_text(&writer, "problem", bound->joint ? "joint" : "placement");
    memplan_writer_put_integer(&writer, "bytes", bound->bytes);
    if (bound->step >= 0) {
      memplan_writer_put_integer(&writer, "step", bound->step);
    }
    if (bound->op != NULL) {
      memplan_writer_put_text(&writer, "op", bound->op);
    }
    if (bound->pool != NULL) {
      memplan_writer_put_text(&writer, "pool", bound->pool);
    }
    if (bound->buffers != NULL) {
      memplan_writer_open(&writer, "buffers", '[');
      for (int32_t k = 0; k < bound->n_buffers; k++) {
        memplan_writer_put_text(&writer, NULL, bound->buffers[k]);
      }
      memplan_writer_close(&writer, ']');
    }
    if (bound->kind == MEMPLAN_BOUND_CUT && bounds->before != NULL) {
      put_before(&problem->graph, bounds->before, &writer);
    }
    memplan_writer_close(&writer, '}');
  }
  memplan_writer_close(&writer, ']');
  if (certificate != NULL) {
    put_certificate(problem, certificate, &writer);
  }
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}

// `most`: the largest bound.
static void write_certified(const memplan_certificate *certificate, int64_t most, FILE *out) {
  char claim[MEMPLAN_NUMBER_SIZE], size[MEMPLAN_NUMBER_SIZE];
  if (certificate->text != NULL) {
    fprintf(out, "\ncertificate: %s, %s bytes: nothing is below %s bytes\n", certificate->kind,
            memplan_grouped_text((int64_t)certificate->length, size), memplan_grouped_text(certificate->claim, claim));
  }
  if (certificate->missing != NULL) {
    const char *what = certificate->claim >= most ? "not of all bounds: " : "of no larger bound: ";
    fprintf(out, "%s%s\n", certificate->text != NULL ? what : "\ncertificate: none: ", certificate->missing);
  }
}

// `certificate` NULL: none was asked for.
static memplan_status write_bounds(memplan_context *context, const memplan_problem *problem, memplan_bounds *bounds,
                                   const memplan_certificate *certificate, memplan_error *error) {
  memplan_style style = context->settings.style;
  memplan_output output;
  memplan_grid grid;
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  memplan_status status = memplan_grid_init(&grid, columns, N_COLUMNS) ? MEMPLAN_OK : memplan_fail_nomem(error);
  for (int32_t i = 0; i < bounds->n_bounds && status == MEMPLAN_OK && style != MEMPLAN_STYLE_JSON; i++) {
    status = add_row(&grid, problem, bounds, &bounds->bounds[i], error);
  }
  if (status == MEMPLAN_OK && style == MEMPLAN_STYLE_JSON) {
    write_json(problem, bounds, certificate, output.file);
  } else if (status == MEMPLAN_OK) {
    if (style == MEMPLAN_STYLE_TEXT) {
      char number[MEMPLAN_NUMBER_SIZE];
      bool fixed = problem->has_graph && context->settings.solve.fixed_order;
      fprintf(output.file, "%s: no plan%s has a peak below %s bytes\n\n", memplan_quote_path(problem->path).text,
              fixed ? " on this order" : "",
              memplan_grouped_text(bounds->n_bounds > 0 ? bounds->bounds[0].bytes : 0, number));
    }
    memplan_grid_write(&grid, output.file, style);
    if (style == MEMPLAN_STYLE_TEXT && certificate != NULL) {
      write_certified(certificate, bounds->n_bounds > 0 ? bounds->bounds[0].bytes : 0, output.file);
    }
    if (style == MEMPLAN_STYLE_TEXT && context->settings.solve.order == NULL) {
      fprintf(output.file, "\n`memplan solve` searches further and often proves more%s.\n",
              problem->has_graph ? "; so does `memplan bound --order optimal`" : "");
    }
  }
  memplan_grid_free(&grid);
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

// What has no proof is still a bound.
static memplan_status write_certificate(memplan_context *context, const memplan_problem *problem,
                                        const memplan_bounds *bounds, const memplan_limits *limits,
                                        memplan_certificate *certificate, memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  MEMPLAN_TRY(memplan_certify_bounds(problem, bounds, limits, settings->certificate_limit, certificate, error));
  if (certificate->text == NULL) {
    memplan_console_warn(&context->console, "%s: not written: %s", memplan_quote_path(settings->certificate).text,
                         certificate->missing);
    return MEMPLAN_OK;
  }
  memplan_whole_file file = {settings->certificate, certificate->text, certificate->length};
  return memplan_output_write_all(&file, 1, error);
}

static memplan_status bound_file(memplan_context *context, const char *path, memplan_error *error) {
  memplan_problem problem;
  memplan_bounds bounds = {0};
  memplan_certificate certificate = {.kind = "none"};
  memplan_limits limits = memplan_limits_start(&context->settings.solve.limits);
  memplan_problem_init(&problem);
  memplan_status status = memplan_inputs_read(context, path, &problem, error);
  if (status == MEMPLAN_OK) {
    status = memplan_find_bounds(&problem, &context->settings.solve, &bounds, error);
    if (status != MEMPLAN_OK) {
      memplan_error_prefix(error, "%s", memplan_quote_path(path).text);
    }
  }
  bool asked = context->settings.certificate != NULL;
  if (status == MEMPLAN_OK && asked) {
    status = write_certificate(context, &problem, &bounds, &limits, &certificate, error);
  }
  if (status == MEMPLAN_OK) {
    status = write_bounds(context, &problem, &bounds, asked ? &certificate : NULL, error);
  }
  memplan_certificate_free(&certificate);
  memplan_bounds_free(&bounds);
  memplan_problem_free(&problem);
  return status;
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  const char *order = context->settings.solve.order;
  if (order != NULL && !memplan_order_is_exact(order) && !context->settings.solve.fixed_order) {
    memplan_status refused = memplan_fail(
        &error, MEMPLAN_INPUT,
        "order method '%s' proves no bound; --order optimal does, which searches all orders, as do --order "
        "given and --order FILE of plans on one order",
        order);
    return memplan_context_fail(context, refused, &error);
  }
  const char *certificate = context->settings.certificate, *output = context->settings.output;
  if (certificate != NULL && strcmp(certificate, "-") == 0 && (output == NULL || strcmp(output, "-") == 0)) {
    memplan_status refused = memplan_fail(
        &error, MEMPLAN_INPUT, "the bounds and --certificate - would both go to standard output; name a file");
    return memplan_context_fail(context, refused, &error);
  }
  memplan_status status = bound_file(context, context->options.arguments[0], &error);
  return status == MEMPLAN_OK ? MEMPLAN_EXIT_GOAL : memplan_context_fail(context, status, &error);
}

const memplan_command memplan_command_bound = {
    .name = "bound",
    .bit = MEMPLAN_COMMAND_BOUND,
    .arguments = "FILE",
    .min_arguments = 1,
    .max_arguments = 1,
    .summary = "lower bounds of a problem with their witnesses",
    .details = "Prints every lower bound on the peak, the largest first, with what proves it: the time at which the "
               "buffers live together need as much, buffers that all conflict, or, of a model, the operator that needs "
               "as much at once or while which as much has to stay in memory (a cut). For models the bounds hold for "
               "every order. `memplan solve` searches further; --order optimal does so for the order of a model. "
               "--certificate writes a proof of the largest bound that has one, of several pools of the bound of each.",
    .example = "memplan bound model.onnx",
    .run = run,
};
