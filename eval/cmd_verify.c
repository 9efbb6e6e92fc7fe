// SPDX-License-Identifier: Apache-2.0
// `memplan verify`: a plan against its problem, by a checker that shares no code with the search.
#include "eval/command.h"
#include "eval/figure.h"
#include "eval/file_kind.h"
#include "eval/inputs.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/plan_solution.h"
#include "eval/verify_hint.h"
#include "eval/witness.h"
#include "model/base/quote.h"
#include "model/problem_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { N_COLUMNS = 7, LINES_SHOWN = 10 };

static const memplan_column columns[N_COLUMNS] = {
    {"kind", "violation", MEMPLAN_CELL_TEXT, 0},    {"first", "first", MEMPLAN_CELL_TEXT, 0},
    {"second", "second", MEMPLAN_CELL_TEXT, 0},     {"step", "step", MEMPLAN_CELL_NUMBER, 0},
    {"low", "from byte", MEMPLAN_CELL_NUMBER, 0},   {"high", "to byte", MEMPLAN_CELL_NUMBER, 0},
    {"text", "what is wrong", MEMPLAN_CELL_TEXT, 0}};

// What a valid plan's own witness shows of the bound that it states.
typedef enum shown {
  SHOWN_NOTHING = 0, // no bound is stated
  SHOWN_OPEN,        // nothing that is recounted here: a search, say
  SHOWN_BOUND
} shown;

// Recounts the witness where no search, and no choice of in-place pairs, stands behind it.
static memplan_status show_bound(const memplan_problem *problem, const memplan_plan *plan, shown *what,
                                 memplan_error *error) {
  const memplan_bound *bound = &plan->bound;
  *what = plan->lower_bound > 0 ? SHOWN_OPEN : SHOWN_NOTHING;
  int32_t n_pools = problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools;
  bool counted = problem->has_graph ? bound->kind == MEMPLAN_BOUND_INPUTS || bound->kind == MEMPLAN_BOUND_OUTPUTS
                                    : bound->kind == MEMPLAN_BOUND_LOAD;
  if (bound->kind == MEMPLAN_BOUND_CLIQUE) {
    *what = SHOWN_BOUND; // of a valid plan it was checked
  }
  if (*what != SHOWN_OPEN || !counted || n_pools > 1) {
    return MEMPLAN_OK;
  }
  memplan_witness witness;
  memplan_status status = memplan_witness_of_bound(problem, NULL, bound, &witness, error);
  *what = status == MEMPLAN_OK && witness.bytes >= plan->lower_bound ? SHOWN_BOUND : SHOWN_OPEN;
  memplan_witness_free(&witness);
  return status;
}

static void write_json(const memplan_problem *problem, const char *plan_path, const memplan_report *report, shown what,
                       FILE *out) {
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_heading(&writer, problem);
  memplan_writer_put_text(&writer, "plan", plan_path);
  memplan_writer_put_boolean(&writer, "valid", report->valid);
  memplan_writer_put_integer(&writer, "peak", report->peak);
  if (report->valid && what != SHOWN_NOTHING) {
    memplan_writer_put_boolean(&writer, "bound_checked", what == SHOWN_BOUND);
  } else {
    memplan_writer_put_number(&writer, "bound_checked", NULL);
  }
  memplan_writer_put_integer(&writer, "n_violations", report->n_found);
  memplan_writer_open(&writer, "violations", '[');
  for (int32_t i = 0; i < report->n_violations; i++) {
    const memplan_violation *violation = &report->violations[i];
    memplan_writer_open(&writer, NULL, '{');
    memplan_writer_put_text(&writer, "kind", memplan_violation_kind_name(violation->kind));
    memplan_writer_put_text(&writer, "first", violation->first);
    memplan_writer_put_text(&writer, "second", violation->second);
    memplan_writer_put_integer(&writer, "step", violation->step);
    memplan_writer_put_integer(&writer, "low", violation->low);
    memplan_writer_put_integer(&writer, "high", violation->high);
    memplan_writer_put_text(&writer, "text", violation->text);
    memplan_writer_close(&writer, '}');
  }
  memplan_writer_close(&writer, ']');
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}

static memplan_status write_grid(const memplan_report *report, memplan_style style, FILE *out, memplan_error *error) {
  memplan_grid grid;
  bool good = memplan_grid_init(&grid, columns, N_COLUMNS);
  for (int32_t i = 0; good && i < report->n_violations; i++) {
    const memplan_violation *violation = &report->violations[i];
    char step[MEMPLAN_NUMBER_SIZE], low[MEMPLAN_NUMBER_SIZE], high[MEMPLAN_NUMBER_SIZE];
    snprintf(step, sizeof step, "%" PRId64, violation->step);
    snprintf(low, sizeof low, "%" PRId64, violation->low);
    snprintf(high, sizeof high, "%" PRId64, violation->high);
    const char *cells[N_COLUMNS] = {memplan_violation_kind_name(violation->kind),
                                    violation->first,
                                    violation->second,
                                    violation->step < 0 ? NULL : step,
                                    violation->low < 0 ? NULL : low,
                                    violation->high < 0 ? NULL : high,
                                    violation->text};
    good = memplan_grid_add(&grid, cells);
  }
  if (good) {
    memplan_grid_write(&grid, out, style);
  }
  memplan_grid_free(&grid);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// Of buffers that end beyond the same capacity, the one that ends last speaks for all. False: another one does.
// *like_it: how many it speaks for.
static bool is_worst(const memplan_report *report, int32_t index, int32_t *like_it) {
  const memplan_violation *own = &report->violations[index];
  *like_it = 0;
  for (int32_t k = 0; k < report->n_violations && own->kind == MEMPLAN_VIOLATION_CAPACITY; k++) {
    const memplan_violation *other = &report->violations[k];
    bool same_pool = (own->second == NULL) == (other->second == NULL) &&
                     (own->second == NULL || strcmp(own->second, other->second) == 0);
    if (k == index || other->kind != MEMPLAN_VIOLATION_CAPACITY || !same_pool || own->low != other->low) {
      continue;
    }
    if (other->high > own->high || (other->high == own->high && k < index)) {
      return false;
    }
    (*like_it)++;
  }
  return true;
}

static void write_text(const memplan_problem *problem, const memplan_plan *plan, const char *plan_path,
                       const memplan_report *report, shown what, bool verbose, FILE *out) {
  char number[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "%s: ", memplan_quote_path(plan_path).text);
  if (report->valid) {
    fprintf(out, "valid for %s: peak %s bytes, ", memplan_quote_path(problem->path).text,
            memplan_grouped_text(report->peak, number));
    if (problem->has_graph) {
      fprintf(out, "%" PRId32 " operators ordered, ", plan->n_order);
    }
    fprintf(out, "%" PRId32 " buffers placed", plan->n_placed);
    if (what != SHOWN_NOTHING) {
      fprintf(out, "; lower bound %s ", memplan_grouped_text(plan->lower_bound, number));
      fputs(what == SHOWN_BOUND ? "shown by its witness" : "not checked: see memplan check", out);
    }
    fputc('\n', out);
    return;
  }
  fprintf(out, "not valid for %s: %" PRId64 " violation%s\n", memplan_quote_path(problem->path).text, report->n_found,
          report->n_found == 1 ? "" : "s");
  int64_t left = report->n_found;
  int32_t lines = 0;
  for (int32_t i = 0; i < report->n_violations && (verbose || lines < LINES_SHOWN); i++) {
    int32_t like_it = 0;
    if (!verbose && !is_worst(report, i, &like_it)) {
      continue;
    }
    lines++;
    left -= 1 + like_it;
    fprintf(out, "  %s: ", memplan_violation_kind_name(report->violations[i].kind));
    memplan_text_write(out, report->violations[i].text);
    if (like_it > 0) {
      fprintf(out, "; %s%" PRId32 " more end%s beyond it too, see -v",
              report->n_violations < report->n_found ? "at least " : "", like_it, like_it == 1 ? "s" : "");
    }
    fputc('\n', out);
  }
  if (left > 0) {
    bool listed = !verbose && left > report->n_found - report->n_violations;
    fprintf(out, "  and %" PRId64 " more%s\n", left, listed ? ", see -v" : "");
  }
}

static memplan_status write_report(memplan_context *context, const memplan_problem *problem, const memplan_plan *plan,
                                   const char *plan_path, const memplan_report *report, memplan_error *error) {
  memplan_output output;
  memplan_status status = MEMPLAN_OK;
  memplan_style style = context->settings.style;
  if (context->console.quiet && !context->settings.style_given) {
    return MEMPLAN_OK;
  }
  shown what = SHOWN_NOTHING;
  if (report->valid) {
    MEMPLAN_TRY(show_bound(problem, plan, &what, error));
  }
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  if (style == MEMPLAN_STYLE_TEXT) {
    write_text(problem, plan, plan_path, report, what, context->console.verbose, output.file);
  } else if (style == MEMPLAN_STYLE_JSON) {
    write_json(problem, plan_path, report, what, output.file);
  } else {
    status = write_grid(report, style, output.file, error);
  }
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

// The offsets that stand in a file of lifetimes, as a plan for it. A buffer without one is not placed.
static memplan_status plan_of_file(const memplan_problem *problem, memplan_plan *plan, memplan_error *error) {
  const memplan_instance *instance = &problem->instance;
  if (!problem->has_instance) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s: a model holds no offsets: give the plan too, verify MODEL PLAN",
                        memplan_quote_path(problem->path).text);
  }
  plan->placed = MEMPLAN_NEW(&plan->arena, memplan_placed, instance->n_buffers);
  plan->tool = "memplan";
  plan->fingerprint = problem->fingerprint;
  plan->problem = memplan_problem_options_json(problem);
  plan->outcome = MEMPLAN_FEASIBLE;
  if (plan->placed == NULL || plan->problem == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    if (buffer->offset < 0) {
      continue;
    }
    plan->placed[plan->n_placed++] = (memplan_placed){.id = buffer->id, .offset = buffer->offset, .slot = -1};
    if (buffer->bytes > 0 && buffer->offset <= INT64_MAX - buffer->bytes &&
        buffer->offset + buffer->bytes > plan->peak) {
      plan->peak = buffer->offset + buffer->bytes;
    }
  }
  if (plan->n_placed == 0 && instance->n_buffers > 0) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "%s: no buffer has an offset: give a file with a column 'offset', or verify FILE PLAN",
                        memplan_quote_path(problem->path).text);
  }
  return MEMPLAN_OK;
}

// `verify PLAN FILE` for `verify FILE PLAN`: what the plan cannot be read as is a problem, and the problem is a plan.
static memplan_status fail_plan(memplan_context *context, memplan_status status, memplan_error *error) {
  const char *first = context->options.arguments[0], *second = context->options.arguments[1];
  memplan_plan plan;
  memplan_plan_init(&plan);
  if (status == MEMPLAN_INPUT && strcmp(first, "-") != 0 &&
      memplan_plan_read(first, false, &plan, NULL) == MEMPLAN_OK) {
    status =
        memplan_fail(error, MEMPLAN_INPUT, "%.300s is the plan: the problem comes first, memplan verify %.300s %.300s",
                     memplan_quote_path(first).text, memplan_quote_path(second).text, memplan_quote_path(first).text);
  }
  memplan_plan_free(&plan);
  if (status == MEMPLAN_INPUT && memplan_file_kind_at(second) == MEMPLAN_FILE_CERTIFICATE) {
    status = memplan_fail(
        error, MEMPLAN_INPUT, "%.300s is a certificate, not a plan: memplan check %.300s %.300s replays it",
        memplan_quote_path(second).text, memplan_quote_path(first).text, memplan_quote_path(second).text);
  }
  return status;
}

static memplan_status read_both(memplan_context *context, memplan_problem *problem, memplan_plan *plan,
                                memplan_error *error) {
  const memplan_options *options = &context->options;
  if (options->n_arguments == 1) {
    MEMPLAN_TRY(memplan_inputs_read(context, options->arguments[0], problem, error));
    return plan_of_file(problem, plan, error);
  }
  memplan_status status = memplan_plan_read(options->arguments[1], context->settings.problem.strict, plan, error);
  if (status != MEMPLAN_OK) {
    return fail_plan(context, status, error);
  }
  status = memplan_settings_adopt(&context->settings, plan->problem, options, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(options->arguments[1]).text);
    return status;
  }
  // A capacity given here is asked of the plan; the problem's own, which the fingerprint covers, stays the plan's.
  int64_t asked = context->settings.problem.capacity;
  MEMPLAN_TRY(memplan_settings_own_capacity(&context->settings, plan->problem, error));
  MEMPLAN_TRY(memplan_inputs_read(context, options->arguments[0], problem, error));
  problem->options.capacity = asked;
  return MEMPLAN_OK;
}

static memplan_status draw_plan(memplan_context *context, const memplan_problem *problem, memplan_plan *plan,
                                const memplan_report *report, memplan_error *error) {
  const char *path = context->settings.plot;
  if (path == NULL) {
    return MEMPLAN_OK;
  }
  if (!report->valid) {
    memplan_console_warn(&context->console, "%s: not drawn, as the plan is not valid", memplan_quote_path(path).text);
    return MEMPLAN_OK;
  }
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_status status = memplan_plan_solution(problem, plan, &solution, error);
  if (status == MEMPLAN_OK) {
    status = memplan_figure_write(problem, &solution, path, error);
  }
  memplan_solution_free(&solution);
  return status;
}

static void hint_options(memplan_context *context, memplan_problem *problem, const memplan_plan *plan,
                         const memplan_report *report) {
  bool other = report->n_violations > 0 && report->violations[0].kind == MEMPLAN_VIOLATION_FINGERPRINT;
  if (other && context->options.n_arguments == 2) {
    memplan_verify_hint(context, context->options.arguments[0], problem, plan);
  }
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_problem problem;
  memplan_plan plan;
  memplan_report report;
  memplan_problem_init(&problem);
  memplan_plan_init(&plan);
  memplan_report_init(&report);
  memplan_status status =
      context->settings.plot == NULL ? MEMPLAN_OK : memplan_figure_check_path(context->settings.plot, &error);
  if (status == MEMPLAN_OK) {
    status = read_both(context, &problem, &plan, &error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_verify(&problem, &plan, &report, &error);
  }
  if (status == MEMPLAN_OK) {
    const char *plan_path = context->options.arguments[context->options.n_arguments - 1];
    status = write_report(context, &problem, &plan, plan_path, &report, &error);
  }
  if (status == MEMPLAN_OK) {
    hint_options(context, &problem, &plan, &report);
    status = draw_plan(context, &problem, &plan, &report, &error);
  }
  memplan_exit code = report.valid ? MEMPLAN_EXIT_GOAL : MEMPLAN_EXIT_INVALID;
  if (status != MEMPLAN_OK) {
    code = memplan_context_fail(context, status, &error);
  }
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
  return code;
}

const memplan_command memplan_command_verify = {
    .name = "verify",
    .bit = MEMPLAN_COMMAND_VERIFY,
    .arguments = "FILE [PLAN]",
    .min_arguments = 1,
    .max_arguments = 2,
    .summary = "check a plan against its problem",
    .details =
        "Checks PLAN against the model or placement problem in FILE from scratch: order, in-place pairs, every "
        "byte at every step, alignment, pins, pools, the stated peak. A stated lower bound must not lie above the "
        "peak; it is recounted where its witness is buffers that are all live at one time or all conflict, or a "
        "model's inputs or outputs, and else reported as not checked: `memplan check` replays a certificate of "
        "it (solve --certificate). The problem is read with the "
        "options that the plan was made with, unless they are given here (--pin, --pin-space, --dup-ids and "
        "--conflicts must be: they change the problem itself). A changed problem is reported by its "
        "fingerprint, and the check "
        "goes on. Without PLAN the offsets in a CSV file itself are checked. --plot draws a valid plan.",
    .example = "memplan verify model.onnx plan.json",
    .run = run,
};
