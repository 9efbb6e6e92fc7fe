// SPDX-License-Identifier: Apache-2.0
// From a file to a resolved problem with its fingerprint. Every message is prefixed with the path once.
#include "instances/formats.h"
#include "instances/pin_pools.h"
#include "instances/read_conflicts.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t head_size = (size_t)64 << 10;

memplan_status memplan_source_prefix(const memplan_source *source, memplan_status status) {
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(source->error, "%s", source->path);
  }
  return status;
}

memplan_status memplan_source_fail_empty(const memplan_source *source) {
  return memplan_fail(source->error, MEMPLAN_INPUT, "%s: the file is empty", source->path);
}

// Under --strict a warning that resolving added is an error.
static memplan_status check_strict(const memplan_source *s, const char *const *warnings, int32_t before,
                                   int32_t after) {
  if (!s->options->strict || after == before) {
    return MEMPLAN_OK;
  }
  return memplan_fail(s->error, MEMPLAN_INPUT, "%s: %s", s->path, warnings[before]);
}

memplan_status memplan_source_refuse_conflicts(const memplan_source *source) {
  if (source->options->conflicts_path == NULL) {
    return MEMPLAN_OK;
  }
  return memplan_fail(source->error, MEMPLAN_INPUT,
                      "%s: conflicts are given between buffers, but this file holds a graph; leave --conflicts out",
                      source->path);
}

memplan_status memplan_source_finish_graph(const memplan_source *source) {
  memplan_graph *graph = &source->problem->graph;
  MEMPLAN_TRY(memplan_source_refuse_conflicts(source));
  MEMPLAN_TRY(memplan_source_prefix(source, memplan_pin_pools_apply(source->problem, graph, NULL, source->error)));
  int32_t before = graph->n_warnings;
  MEMPLAN_TRY(memplan_source_prefix(source, memplan_graph_resolve(graph, source->error)));
  MEMPLAN_TRY(check_strict(source, graph->warnings, before, graph->n_warnings));
  source->problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  source->problem->has_graph = true;
  return MEMPLAN_OK;
}

memplan_status memplan_source_finish_instance(const memplan_source *source) {
  memplan_instance *instance = &source->problem->instance;
  if (source->options->conflicts_path != NULL) {
    MEMPLAN_TRY(memplan_conflicts_read(source->options->conflicts_path, instance, source->error));
  }
  MEMPLAN_TRY(memplan_source_prefix(source, memplan_pin_pools_apply(source->problem, NULL, instance, source->error)));
  int32_t before = instance->n_warnings;
  MEMPLAN_TRY(memplan_source_prefix(source, memplan_instance_resolve(instance, source->options->align, source->error)));
  MEMPLAN_TRY(check_strict(source, instance->warnings, before, instance->n_warnings));
  source->problem->has_instance = true;
  return MEMPLAN_OK;
}

// What a file is that memplan does not read, from well-known marks; NULL if it is none of these.
static const char *name_foreign(const char *head, size_t length) {
  static const struct {
    size_t at;
    const char *mark;
    const char *name;
  } marks[] = {{4, "TFL3", "a TensorFlow Lite model"},
               {4, "ET12", "an ExecuTorch program"},
               {0, "\x1F\x8B", "compressed by gzip"},
               {0, "PK\x03\x04", "a ZIP archive"}};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    size_t size = strlen(marks[i].mark);
    if (length >= marks[i].at + size && memcmp(head + marks[i].at, marks[i].mark, size) == 0) {
      return marks[i].name;
    }
  }
  return NULL;
}

static memplan_status fail_unknown(const memplan_source *s, const char *head, size_t length) {
  char names[128];
  memplan_format_names(MEMPLAN_FORMAT_READ, names, sizeof names);
  const char *foreign = name_foreign(head, length);
  if (length == 0) {
    return memplan_source_fail_empty(s);
  }
  if (foreign != NULL) {
    return memplan_fail(s->error, MEMPLAN_UNSUPPORTED, "%s: the file is %s, which memplan does not read; it reads: %s",
                        s->path, foreign, names);
  }
  return memplan_fail(s->error, MEMPLAN_UNSUPPORTED,
                      "%s: unknown format; memplan reads: %s; if it is one of these, name it by --from", s->path,
                      names);
}

// The format that the caller named.
static memplan_status find_named(const memplan_source *s, const memplan_file_format **format) {
  *format = memplan_format_find(s->name);
  if (*format != NULL && memplan_format_can(*format, MEMPLAN_FORMAT_READ)) {
    return MEMPLAN_OK;
  }
  char names[128];
  memplan_format_names(MEMPLAN_FORMAT_READ, names, sizeof names);
  return memplan_fail(s->error, MEMPLAN_UNSUPPORTED, "%s: memplan reads no problems in the format '%s'; it reads: %s",
                      s->path, memplan_quote(s->name).text, names);
}

static memplan_status read_text(const memplan_source *s, const char *text, size_t length) {
  const memplan_file_format *format = NULL;
  if (s->name != NULL) {
    MEMPLAN_TRY(find_named(s, &format));
  } else {
    size_t head = length < head_size ? length : head_size;
    format = memplan_format_detect(text, head, s->problem->path);
    if (format == NULL) {
      return fail_unknown(s, text, head);
    }
    // A plan: its document is looked at by the reader of the other JSON forms, which says so.
    format = format->read != NULL ? format : &memplan_format_graph_json;
  }
  s->problem->format = format->name;
  return format->read(s, text, length);
}

static memplan_status read_all(const memplan_source *s, FILE *file) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_source_prefix(s, memplan_file_read(file, &text, &length, s->error)));
  memplan_status status = read_text(s, text, length);
  free(text);
  return status;
}

memplan_status memplan_source_peek(const memplan_source *s, FILE *file, const memplan_file_format **format) {
  *format = NULL;
  if (s->name != NULL) {
    MEMPLAN_TRY(find_named(s, format));
  } else if (fseeko(file, 0, SEEK_CUR) == 0) {
    char *head = malloc(head_size);
    if (head == NULL) {
      return memplan_fail_nomem(s->error);
    }
    size_t length = fread(head, 1, head_size, file);
    *format = length > 0 ? memplan_format_detect(head, length, s->problem->path) : NULL;
    memplan_status status =
        *format == NULL && ferror(file) == 0 ? fail_unknown(s, head, length) : MEMPLAN_OK; // more would tell no more
    free(head);
    MEMPLAN_TRY(status);
    if (fseeko(file, -(off_t)length, SEEK_CUR) != 0) {
      return memplan_fail(s->error, MEMPLAN_INPUT, "%s: cannot go back to the start of the file", s->path);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_stream(const memplan_source *s, FILE *file) {
  const memplan_file_format *format = NULL;
  MEMPLAN_TRY(memplan_source_peek(s, file, &format));
  if (format != NULL && format->read_stream != NULL) {
    s->problem->format = format->name;
    return format->read_stream(s, file);
  }
  return read_all(s, file);
}

static bool is_utf8(const char *text) {
  size_t length = strlen(text);
  for (size_t i = 0; i < length;) {
    size_t step = memplan_utf8_length(text + i, length - i);
    if (step == 0) {
      return false;
    }
    i += step;
  }
  return true;
}

// `own` becomes the options of the source: the caller's with flags of this file alone for the names that it has.
static memplan_status start(memplan_source *s, memplan_problem_options *own, const char *path) {
  memplan_problem *problem = s->problem;
  *own = *s->options;
  own->known_names = MEMPLAN_NEW(&problem->arena, bool, own->n_dims + own->n_shapes);
  for (int32_t i = 0; i < s->options->n_dims; i++) {
    if (!is_utf8(s->options->dims[i].name)) {
      return memplan_fail(s->error, MEMPLAN_INPUT, "the name of the dimension '%s' is not UTF-8",
                          memplan_quote(s->options->dims[i].name).text);
    }
  }
  problem->path = memplan_arena_text(&problem->arena, path, strlen(path));
  if (problem->path == NULL || own->known_names == NULL || !memplan_problem_set_options(problem, s->options)) {
    return memplan_fail_nomem(s->error);
  }
  s->options = own;
  return MEMPLAN_OK;
}

// Dimensions and shapes that this model does not have are meant for others: its problem, and with it its fingerprint,
// is the one that it has alone.
static memplan_status keep_known(const memplan_source *s, const bool *known) {
  memplan_problem_options *options = &s->problem->options;
  memplan_dim *dims = MEMPLAN_NEW(&s->problem->arena, memplan_dim, options->n_dims);
  memplan_shape *shapes = MEMPLAN_NEW(&s->problem->arena, memplan_shape, options->n_shapes);
  if (dims == NULL || shapes == NULL) {
    return memplan_fail_nomem(s->error);
  }
  int32_t n_dims = 0, n_shapes = 0;
  for (int32_t i = 0; i < options->n_dims; i++) {
    if (known[i]) {
      dims[n_dims++] = options->dims[i];
    }
  }
  for (int32_t i = 0; i < options->n_shapes; i++) {
    if (known[options->n_dims + i]) {
      shapes[n_shapes++] = options->shapes[i];
    }
  }
  options->dims = dims;
  options->n_dims = n_dims;
  options->shapes = shapes;
  options->n_shapes = n_shapes;
  options->known_names = NULL;
  return MEMPLAN_OK;
}

// `callers` are the caller's flags, for the names of all files; NULL: it has none.
static memplan_status finish(const memplan_source *s, bool *callers, memplan_status status) {
  for (int32_t i = 0; callers != NULL && i < s->options->n_dims + s->options->n_shapes; i++) {
    callers[i] |= s->options->known_names[i];
  }
  if (status == MEMPLAN_OK) {
    status = keep_known(s, s->options->known_names);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_source_prefix(s, memplan_problem_fingerprint(s->problem, s->error));
  }
  if (status != MEMPLAN_OK) {
    memplan_graph_free(&s->problem->graph);
    memplan_instance_free(&s->problem->instance);
    s->problem->has_graph = s->problem->has_instance = false;
  }
  return status;
}

memplan_status memplan_read_text(const char *text, size_t length, const char *path, const char *format,
                                 const memplan_problem_options *options, memplan_problem *problem,
                                 memplan_error *error) {
  const memplan_problem_options defaults = memplan_problem_options_default();
  memplan_quoted_path shown = memplan_quote_path(path);
  memplan_source s = {shown.text, format, options != NULL ? options : &defaults, problem, error};
  bool *known_names = s.options->known_names;
  memplan_problem_options own;
  MEMPLAN_TRY(start(&s, &own, path));
  return finish(&s, known_names, read_text(&s, text, length));
}

memplan_status memplan_read(const char *path, const char *format, const memplan_problem_options *options,
                            memplan_problem *problem, memplan_error *error) {
  const memplan_problem_options defaults = memplan_problem_options_default();
  memplan_quoted_path shown = memplan_quote_path(path);
  memplan_source s = {shown.text, format, options != NULL ? options : &defaults, problem, error};
  bool *known_names = s.options->known_names;
  memplan_problem_options own;
  MEMPLAN_TRY(start(&s, &own, path));
  FILE *file = NULL;
  MEMPLAN_TRY(memplan_source_prefix(&s, memplan_file_open(path, &file, error)));
  memplan_status status = read_stream(&s, file);
  memplan_file_close(file);
  return finish(&s, known_names, status);
}
