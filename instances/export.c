// SPDX-License-Identifier: Apache-2.0
// From a problem, and its solution if there is one, to what the target format is written from: a graph as it is, or a
// placement problem, which a graph first has to become.
#include "instances/formats.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <stdlib.h>

// Offsets by buffer from those by block.
static int64_t *buffer_offsets(const memplan_instance *instance, const int64_t *block_offset, memplan_arena *arena) {
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, instance->n_buffers);
  if (offset == NULL) {
    return NULL;
  }
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    offset[i] = block_offset[instance->block_of[i]] + instance->delta_of[i];
  }
  return offset;
}

static memplan_status write_instance(memplan_export_job *job, const memplan_instance *instance,
                                     const memplan_file_format *format) {
  memplan_arena arena = {0};
  job->instance = instance;
  job->inclusive = job->problem->has_instance && job->problem->options.lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE;
  job->offset = NULL;
  if (job->solution != NULL) {
    job->offset = buffer_offsets(instance, job->solution->offset, &arena);
    if (job->offset == NULL) {
      memplan_arena_free(&arena);
      return memplan_fail_nomem(job->error);
    }
  }
  memplan_status status = format->write(job);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status lower_given(const memplan_export_job *job, const memplan_ordering *ordering,
                                  memplan_instance *instance) {
  memplan_arena arena = {0};
  int32_t *order = MEMPLAN_NEW(&arena, int32_t, ordering->n_ops);
  for (int32_t i = 0; order != NULL && i < ordering->n_ops; i++) {
    order[i] = i;
  }
  memplan_status status = order != NULL
                              ? memplan_ordering_lower(ordering, order, NULL, 0, instance, NULL, NULL, job->error)
                              : memplan_fail_nomem(job->error);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status write_lowered(memplan_export_job *job, const memplan_ordering *ordering,
                                    const memplan_file_format *format) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = lower_given(job, ordering, &instance);
  if (status == MEMPLAN_OK) {
    status = write_instance(job, &instance, format);
  }
  memplan_instance_free(&instance);
  return status;
}

// Without a plan, a graph is written on its given order.
static memplan_status write_given(memplan_export_job *job, const memplan_file_format *format) {
  const memplan_graph *graph = &job->problem->graph;
  if (graph->n_bodies > 0 && job->workspace == NULL && job->problem->options.bodies != MEMPLAN_BODIES_IGNORE) {
    return memplan_fail(job->error, MEMPLAN_UNSUPPORTED,
                        "the format %s cannot carry the %d bodies of control flow; plan them, so that they become "
                        "workspace, or ignore them",
                        format->name, graph->n_bodies);
  }
  if (!memplan_export_report_add(job->report, "%s: lifetimes are those of the given order, without in-place choices",
                                 format->name)) {
    return memplan_fail_nomem(job->error);
  }
  memplan_ordering ordering;
  memplan_status status = memplan_ordering_init(&ordering, graph, &job->problem->options, job->workspace, job->error);
  if (status == MEMPLAN_OK) {
    status = write_lowered(job, &ordering, format);
  }
  memplan_ordering_free(&ordering);
  return status;
}

static memplan_status write_target(memplan_export_job *job, const memplan_file_format *format) {
  if (format->kind != MEMPLAN_FORMAT_INSTANCE) {
    return format->write(job);
  }
  if (job->solution != NULL) {
    return write_instance(job, memplan_solution_instance(job->problem, job->solution), format);
  }
  return job->problem->has_graph ? write_given(job, format) : write_instance(job, &job->problem->instance, format);
}

static memplan_status find_target(const memplan_problem *problem, const char *name, const char *path,
                                  const memplan_file_format **format, memplan_error *error) {
  *format = memplan_format_for_output(name, path, problem);
  if (*format == NULL && name == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "the format to write cannot be told from the path; name one");
  }
  if (*format == NULL || !memplan_format_can(*format, MEMPLAN_FORMAT_WRITE)) {
    char names[128];
    memplan_format_names(MEMPLAN_FORMAT_WRITE, names, sizeof names);
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "memplan does not write the format '%s'; it writes: %s",
                        memplan_quote(name != NULL ? name : (*format)->name).text, names);
  }
  return MEMPLAN_OK;
}

static memplan_status export_to(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                                const char *path, const memplan_export_options *options, char **text, size_t *length,
                                memplan_export_report *report, memplan_error *error) {
  *text = NULL;
  *length = 0;
  if (solution != NULL && (!solution->has_plan || memplan_solution_instance(problem, solution) == NULL)) {
    return memplan_fail(error, MEMPLAN_INPUT, "the solution holds no plan that could be written");
  }
  memplan_export_job job = {.problem = problem,
                            .solution = solution,
                            .workspace = options != NULL ? options->workspace : NULL,
                            .conflicts = options != NULL ? options->conflicts : NULL,
                            .text = text,
                            .length = length,
                            .report = report,
                            .error = error};
  const memplan_file_format *target = NULL;
  MEMPLAN_TRY(find_target(problem, format, path, &target, error));
  if (job.conflicts != NULL) {
    *job.conflicts = NULL;
    if (target != &memplan_format_csv) {
      return memplan_fail(error, MEMPLAN_UNSUPPORTED, "pairs of conflicts are written beside the format csv, not %s",
                          target->name);
    }
  }
  return write_target(&job, target);
}

memplan_status memplan_export_text(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                                   const memplan_export_options *options, char **text, size_t *length,
                                   memplan_export_report *report, memplan_error *error) {
  return export_to(problem, solution, format, NULL, options, text, length, report, error);
}

memplan_status memplan_export(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                              const memplan_export_options *options, const char *path, memplan_export_report *report,
                              memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(export_to(problem, solution, format, path, options, &text, &length, report, error));
  memplan_status status = memplan_file_write(path, text, length, error);
  free(text);
  return status;
}
