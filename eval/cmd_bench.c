// SPDX-License-Identifier: Apache-2.0
// `memplan bench`: methods x files, one JSON line per run, appended as it is done. A run is named by instance,
// fingerprint, methods and limits; one that the output file already holds is not made again.
#include "eval/command.h"
#include "eval/inputs.h"
#include "eval/interrupt.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/output_paths.h"
#include "eval/results.h"
#include "model/base/clock.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct bench {
  memplan_context *context;
  memplan_inputs inputs;
  FILE *out;
  const char *path; // NULL: standard output
  memplan_arena arena;
  memplan_names done;
  bool unended; // the file's last line lacks its end
  int32_t n_run, n_skipped, n_failed;
} bench;

// Methods of a kind that are to be run; room for MOST_METHODS.
enum { MOST_METHODS = 64 };

static int32_t select_methods(memplan_method_kind kind, const char *name, const char *methods[MOST_METHODS]) {
  int32_t n = 0;
  const memplan_method *method;
  for (int32_t k = 0; (method = memplan_method_at(k)) != NULL && n < MOST_METHODS; k++) {
    if (method->kind == kind && (name == NULL ? !method->on_request : strcmp(method->name, name) == 0)) {
      methods[n++] = method->name;
    }
  }
  return n;
}

static memplan_status flush_line(bench *work, memplan_error *error) {
  errno = 0;
  if (fflush(work->out) == 0 && ferror(work->out) == 0) {
    return MEMPLAN_OK;
  }
  return memplan_fail(error, MEMPLAN_IO, "cannot write %s: %s", work->path == NULL ? "standard output" : work->path,
                      strerror(errno));
}

// Makes a run and writes its line unless that is there already. `problem` NULL: the file is broken, nothing is run.
static memplan_status run_one(bench *work, memplan_summary *summary, const char *order, const char *place,
                              const memplan_problem *problem, memplan_error *error) {
  memplan_context *context = work->context;
  memplan_run run = {summary, order, place};
  char *key = memplan_run_key(&run);
  if (key == NULL) {
    return memplan_fail_nomem(error);
  }
  bool done = memplan_names_find(&work->done, key) >= 0;
  free(key);
  if (done) {
    work->n_skipped++;
    work->n_failed += problem == NULL ? 1 : 0; // it was tried again, and says what is there already
    return MEMPLAN_OK;
  }
  memplan_solution solution;
  memplan_error reason = {0};
  memplan_solution_init(&solution);
  memplan_interrupt_defer();
  if (problem != NULL) {
    memplan_solve_options options = context->settings.solve;
    options.order = options.joint == NULL ? order : NULL;
    options.place = options.joint == NULL ? place : NULL;
    int64_t start = memplan_clock_us();
    summary->status = memplan_solve(problem, &options, &solution, &reason);
    summary->time_us = memplan_clock_us() - start;
    summary->solution = summary->status == MEMPLAN_OK ? &solution : NULL;
    summary->error = reason.message;
  }
  // That a method declines a problem is a result; every other error is a failure.
  work->n_failed +=
      summary->status != MEMPLAN_OK && (problem == NULL || summary->status != MEMPLAN_UNSUPPORTED) ? 1 : 0;
  memplan_status status = MEMPLAN_OK;
  if (solution.stop != MEMPLAN_STOP_INTERRUPTED) {
    bool deferred = memplan_output_defer(work->path); // no torn line
    memplan_interrupt_resume();
    status = memplan_summary_measure(summary, error);
    if (status == MEMPLAN_OK) {
      memplan_run_write(&run, work->out);
      status = flush_line(work, error);
      work->n_run++;
    }
    memplan_output_resume(deferred);
  } else {
    memplan_interrupt_resume();
  }
  summary->solution = NULL;
  if (problem != NULL) { // the reason belongs to this run
    summary->status = MEMPLAN_OK;
    summary->error = NULL;
  }
  memplan_solution_free(&solution);
  return status;
}

static memplan_status run_methods(bench *work, memplan_summary *summary, const memplan_problem *problem,
                                  memplan_error *error) {
  const memplan_solve_options *solve = &work->context->settings.solve;
  const char *orders[MOST_METHODS] = {NULL}, *places[MOST_METHODS];
  bool listed = problem->has_graph && solve->listed != NULL;
  if (solve->joint != NULL) {
    return run_one(work, summary, solve->joint, solve->joint, problem, error);
  }
  int32_t n_orders = problem->has_graph && !listed ? select_methods(MEMPLAN_METHOD_ORDER, solve->order, orders) : 1;
  orders[0] = listed ? solve->order : orders[0];
  int32_t n_places = select_methods(MEMPLAN_METHOD_PLACE, solve->place, places);
  for (int32_t i = 0; i < n_orders; i++) {
    for (int32_t j = 0; j < n_places && *work->context->cancel == 0; j++) {
      MEMPLAN_TRY(run_one(work, summary, orders[i], places[j], problem, error));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status bench_file(bench *work, const char *path, memplan_error *error) {
  memplan_problem problem;
  memplan_error reason = {0};
  memplan_summary summary = {.path = path, .settings = &work->context->settings};
  memplan_problem_init(&problem);
  summary.status = memplan_inputs_read(work->context, path, &problem, &reason);
  memplan_status status;
  if (summary.status == MEMPLAN_OK) {
    summary.problem = &problem;
    status = run_methods(work, &summary, &problem, error);
  } else {
    summary.error = reason.message;
    status = run_one(work, &summary, NULL, NULL, NULL, error);
  }
  memplan_problem_free(&problem);
  return status;
}

// Finds the runs that are done, and cuts off a last line that a killed run left unfinished. A file with anything else
// in it is somebody's, and stays as it is.
static memplan_status read_done(bench *work, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_file_load(work->path, &text, &length, error));
  size_t whole = memplan_results_whole(text, length);
  memplan_status status = memplan_results_keys(work->path, text, whole, &work->arena, &work->done, error);
  work->unended = whole == length && length > 0 && text[length - 1] != '\n';
  free(text);
  if (status == MEMPLAN_OK && whole < length) {
    memplan_console_note(&work->context->console, "%s: the last line is not complete, it is dropped", work->path);
    if (truncate(work->path, (off_t)whole) != 0) {
      status = memplan_fail(error, MEMPLAN_IO, "cannot shorten %s: %s", work->path, strerror(errno));
    }
  }
  return status;
}

static memplan_status open_bench(bench *work, memplan_error *error) {
  const char *output = work->context->settings.output;
  work->out = stdout;
  if (output == NULL || strcmp(output, "-") == 0) {
    return MEMPLAN_OK;
  }
  work->path = output;
  // Pipes and devices hold no earlier lines.
  struct stat kind;
  if (stat(output, &kind) == 0 && S_ISREG(kind.st_mode)) {
    MEMPLAN_TRY(read_done(work, error));
  }
  work->out = fopen(output, "ae");
  if (work->out == NULL) {
    return memplan_fail(error, MEMPLAN_IO, "cannot write %s: %s; check the path and its permissions", output,
                        strerror(errno));
  }
  if (work->unended) {
    fputc('\n', work->out);
  }
  return MEMPLAN_OK;
}

static memplan_status run_bench(bench *work, memplan_error *error) {
  memplan_context *context = work->context;
  bool keep_going = memplan_option_get(&context->options, MEMPLAN_OPTION_KEEP_GOING)->number != 0;
  MEMPLAN_TRY(memplan_inputs_collect(&work->inputs, context, error));
  context->settings.problem.dims_optional = !work->inputs.single;
  MEMPLAN_TRY(memplan_output_paths_check_batch(work->inputs.paths, NULL, work->inputs.n_paths, context->settings.output,
                                               "-o", error));
  MEMPLAN_TRY(open_bench(work, error));
  for (int32_t i = 0; i < work->inputs.n_paths && *context->cancel == 0; i++) {
    char label[400];
    snprintf(label, sizeof label, "[%" PRId32 "/%" PRId32 "] %s", i + 1, work->inputs.n_paths,
             memplan_quote_path(work->inputs.paths[i]).text);
    memplan_console_begin(&context->console, label);
    memplan_status status = bench_file(work, work->inputs.paths[i], error);
    memplan_console_end(&context->console);
    MEMPLAN_TRY(status);
    if (work->n_failed > 0 && !keep_going) {
      break;
    }
  }
  return MEMPLAN_OK;
}

static memplan_exit run(memplan_context *context) {
  bench work = {.context = context};
  memplan_error error = {0};
  memplan_exit code = MEMPLAN_EXIT_GOAL;
  context->settings.solve.limits.cancel = context->cancel;
  memplan_status status = run_bench(&work, &error);
  if (work.out != NULL && work.out != stdout && fclose(work.out) != 0 && status == MEMPLAN_OK) {
    status = memplan_fail(&error, MEMPLAN_IO, "cannot write %s: %s", work.path, strerror(errno));
  }
  if (status != MEMPLAN_OK) {
    code = memplan_context_fail(context, status, &error);
  } else {
    memplan_inputs_close(&work.inputs, context);
    memplan_console_note(&context->console, "%" PRId32 " runs made, %" PRId32 " were there, %" PRId32 " failed",
                         work.n_run, work.n_skipped, work.n_failed);
    code = work.n_failed > 0 ? MEMPLAN_EXIT_PARTIAL : MEMPLAN_EXIT_GOAL;
    code = *context->cancel != 0 ? MEMPLAN_EXIT_INTERRUPTED : code;
  }
  memplan_names_free(&work.done);
  memplan_arena_free(&work.arena);
  memplan_inputs_free(&work.inputs);
  return code;
}

const memplan_command memplan_command_bench = {
    .name = "bench",
    .bit = MEMPLAN_COMMAND_BENCH,
    .arguments = "FILE…",
    .min_arguments = 1,
    .max_arguments = INT32_MAX,
    .summary = "run every method on every file, one JSON line per run",
    .details =
        "Runs each order method with each placement method on each FILE (a folder stands for the problems in it, not "
        "for those in folders inside it) "
        "and writes one JSON object per run: the keys of solve --format json, then instance, order, place, "
        "options, limits and error. With -o FILE the lines are appended, and runs that FILE already holds are skipped, "
        "so "
        "that an interrupted bench goes on where it stopped. time_s is the time of the solve alone.\n\n"
        "A file that could not be read is tried again each time; `table` leaves its error out once a later line shows "
        "that it was read.\n\n"
        "The exit code is 4 if a file could not be read or a run failed; a method that declines a problem is "
        "not a failure.",
    .example = "memplan bench models/ -o results.jsonl && memplan table results.jsonl --rows methods",
    .run = run,
};
