// SPDX-License-Identifier: Apache-2.0
#include "instances/export.h"

#include "instances/write_csv.h"
#include "model/base/file.h"
#include "model/base/quote.h"
#include "model/form_json.h"

#include <stdlib.h>
#include <string.h>

// What is written, and where it goes.
typedef struct job {
  const memplan_problem *problem;
  const memplan_solution *solution; // with a plan, or NULL
  const int64_t *workspace;
  char **text;
  size_t *length;
  memplan_export_report *report;
  memplan_error *error;
} job;

static memplan_status fail_target(memplan_error *error, const char *name) {
  char names[128] = "";
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    const memplan_file_format *format = memplan_format_at(i);
    if (format->writes) {
      strncat(names, names[0] != '\0' ? ", " : "", sizeof names - strlen(names) - 1);
      strncat(names, format->name, sizeof names - strlen(names) - 1);
    }
  }
  return memplan_fail(error, MEMPLAN_UNSUPPORTED, "memplan does not write the format '%s'; it writes: %s",
                      memplan_quote(name).text, names);
}

static const char *own_json(const memplan_problem *problem) {
  return problem->has_graph ? "graph-json" : "instance-json";
}

static memplan_status find_target(const job *j, const char *name, const char *path,
                                  const memplan_file_format **format) {
  if (name == NULL && path != NULL) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    if (dot != NULL && strcmp(dot, ".csv") == 0) {
      name = "csv";
    } else if (dot != NULL && strcmp(dot, ".json") == 0) {
      name = "json";
    }
  }
  if (name == NULL) {
    return memplan_fail(j->error, MEMPLAN_INPUT, "the format to write cannot be told from the path; name one");
  }
  *format = memplan_format_find(strcmp(name, "json") == 0 ? own_json(j->problem) : name);
  return *format != NULL && (*format)->writes ? MEMPLAN_OK : fail_target(j->error, name);
}

// Takes over `value`; NULL is memory that ran out.
static memplan_status store_json(const job *j, json_t *value) {
  char *line = value != NULL ? memplan_json_text(value) : NULL;
  json_decref(value);
  size_t length = line != NULL ? strlen(line) : 0;
  char *text = line != NULL ? realloc(line, length + 2) : NULL;
  if (text == NULL) {
    free(line);
    return memplan_fail_nomem(j->error);
  }
  text[length] = '\n';
  text[length + 1] = '\0';
  *j->text = text;
  *j->length = length + 1;
  return MEMPLAN_OK;
}

// ---- graphs

static memplan_status write_graph(const job *j) {
  const memplan_problem *problem = j->problem;
  if (!problem->has_graph) {
    return memplan_fail(j->error, MEMPLAN_UNSUPPORTED,
                        "the format graph-json needs a graph, but %s holds buffers with lifetimes",
                        memplan_quote_path(problem->path).text);
  }
  if (problem->graph.n_bodies > 0) {
    bool ignored = problem->options.bodies == MEMPLAN_BODIES_IGNORE;
    if (!ignored && j->workspace == NULL) {
      return memplan_fail(
          j->error, MEMPLAN_UNSUPPORTED,
          "the format graph-json cannot carry the %d bodies of control flow; plan them, so that they become "
          "workspace, or ignore them",
          problem->graph.n_bodies);
    }
    if (!memplan_export_report_add(j->report, "graph-json: %d bodies of control flow are not carried%s",
                                   problem->graph.n_bodies,
                                   j->workspace != NULL ? "; their peaks are workspace of their operators" : "")) {
      return memplan_fail_nomem(j->error);
    }
  }
  return store_json(j, memplan_graph_to_json(&problem->graph, j->workspace));
}

// ---- instances

static memplan_status write_instance_json(const job *j, const memplan_instance *instance, bool inclusive) {
  bool offsets = j->solution != NULL;
  bool hints = false;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    if (buffer->residue != 0) {
      return memplan_fail(
          j->error, MEMPLAN_UNSUPPORTED,
          "the format instance-json cannot carry the alignment of a view in buffer '%s' (offset %lld modulo %lld)",
          memplan_quote(buffer->id).text, (long long)buffer->residue, (long long)buffer->align);
    }
    offsets = offsets || (buffer->offset >= 0 && buffer->pin < 0);
    hints = hints || buffer->hint >= 0;
  }
  if ((offsets && !memplan_export_report_add(
                      j->report, "instance-json: offsets are not carried; write plan-json or csv for them")) ||
      (hints && !memplan_export_report_add(j->report, "instance-json: hints are not carried"))) {
    return memplan_fail_nomem(j->error);
  }
  return store_json(j, memplan_form_instance(instance, inclusive));
}

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

static memplan_status write_instance(const job *j, const memplan_instance *instance,
                                     const memplan_file_format *format) {
  bool inclusive = j->problem->has_instance && j->problem->options.lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE;
  if (strcmp(format->name, "instance-json") == 0) {
    return write_instance_json(j, instance, inclusive);
  }
  memplan_csv_dialect dialect = strcmp(format->name, "omnimalloc") == 0 ? MEMPLAN_CSV_OMNIMALLOC
                                : strcmp(format->name, "idealloc") == 0 ? MEMPLAN_CSV_IDEALLOC
                                                                        : MEMPLAN_CSV_LIFETIMES;
  memplan_arena arena = {0};
  const int64_t *offset = NULL;
  if (j->solution != NULL) {
    offset = buffer_offsets(instance, j->solution->offset, &arena);
    if (offset == NULL) {
      memplan_arena_free(&arena);
      return memplan_fail_nomem(j->error);
    }
  }
  memplan_status status =
      memplan_csv_write(instance, offset, dialect, inclusive, j->text, j->length, j->report, j->error);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status lower_given(const job *j, const memplan_ordering *ordering, memplan_instance *instance) {
  memplan_arena arena = {0};
  int32_t *order = MEMPLAN_NEW(&arena, int32_t, ordering->n_ops);
  for (int32_t i = 0; order != NULL && i < ordering->n_ops; i++) {
    order[i] = i;
  }
  memplan_status status = order != NULL
                              ? memplan_ordering_lower(ordering, order, NULL, 0, instance, NULL, NULL, j->error)
                              : memplan_fail_nomem(j->error);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status write_lowered(const job *j, const memplan_ordering *ordering, const memplan_file_format *format) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = lower_given(j, ordering, &instance);
  if (status == MEMPLAN_OK) {
    status = write_instance(j, &instance, format);
  }
  memplan_instance_free(&instance);
  return status;
}

// Without a plan, a graph is written on its given order.
static memplan_status write_given(const job *j, const memplan_file_format *format) {
  const memplan_graph *graph = &j->problem->graph;
  if (graph->n_bodies > 0 && j->workspace == NULL && j->problem->options.bodies != MEMPLAN_BODIES_IGNORE) {
    return memplan_fail(j->error, MEMPLAN_UNSUPPORTED,
                        "the format %s cannot carry the %d bodies of control flow; plan them, so that they become "
                        "workspace, or ignore them",
                        format->name, graph->n_bodies);
  }
  if (!memplan_export_report_add(j->report, "%s: lifetimes are those of the given order, without in-place choices",
                                 format->name)) {
    return memplan_fail_nomem(j->error);
  }
  memplan_ordering ordering;
  memplan_status status = memplan_ordering_init(&ordering, graph, &j->problem->options, j->workspace, j->error);
  if (status == MEMPLAN_OK) {
    status = write_lowered(j, &ordering, format);
  }
  memplan_ordering_free(&ordering);
  return status;
}

static memplan_status write_plan(const job *j) {
  if (j->solution == NULL) {
    return memplan_fail(j->error, MEMPLAN_UNSUPPORTED,
                        "the format plan-json needs a plan; solve the problem and write its plan");
  }
  *j->text = memplan_plan_text(&j->solution->plan);
  if (*j->text == NULL) {
    return memplan_fail_nomem(j->error);
  }
  *j->length = strlen(*j->text);
  return MEMPLAN_OK;
}

static memplan_status write_target(const job *j, const memplan_file_format *format) {
  if (format->kind == MEMPLAN_FORMAT_PLAN) {
    return write_plan(j);
  }
  if (format->kind == MEMPLAN_FORMAT_GRAPH) {
    return write_graph(j);
  }
  if (j->solution != NULL) {
    return write_instance(j, memplan_solution_instance(j->problem, j->solution), format);
  }
  return j->problem->has_graph ? write_given(j, format) : write_instance(j, &j->problem->instance, format);
}

static memplan_status export_to(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                                const char *path, const memplan_export_options *options, char **text, size_t *length,
                                memplan_export_report *report, memplan_error *error) {
  *text = NULL;
  *length = 0;
  if (solution != NULL && (!solution->has_plan || memplan_solution_instance(problem, solution) == NULL)) {
    return memplan_fail(error, MEMPLAN_INPUT, "the solution holds no plan that could be written");
  }
  job j = {problem, solution, options != NULL ? options->workspace : NULL, text, length, report, error};
  const memplan_file_format *target = NULL;
  MEMPLAN_TRY(find_target(&j, format, path, &target));
  return write_target(&j, target);
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
