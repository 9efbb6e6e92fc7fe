// SPDX-License-Identifier: Apache-2.0
// From a file to a resolved problem with its fingerprint. Every message is prefixed with the path once.
#include "instances/formats.h"
#include "instances/pin_pools.h"
#include "instances/read_csv.h"
#include "instances/read_graph_json.h"
#include "instances/read_instance_json.h"
#include "instances/read_onnx.h"
#include "model/base/file.h"
#include "model/base/json.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t head_size = (size_t)64 << 10;

// One file on its way to a problem.
typedef struct source {
  const char *path; // shortened, as messages show it
  const memplan_problem_options *options;
  memplan_problem *problem;
  memplan_error *error;
} source;

static memplan_status prefix(const source *s, memplan_status status) {
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(s->error, "%s", s->path);
  }
  return status;
}

// Under --strict a warning that resolving added is an error.
static memplan_status check_strict(const source *s, const char *const *warnings, int32_t before, int32_t after) {
  if (!s->options->strict || after == before) {
    return MEMPLAN_OK;
  }
  return memplan_fail(s->error, MEMPLAN_INPUT, "%s: %s", s->path, warnings[before]);
}

// ---- what the formats do

static memplan_status resolve_instance(const source *s) {
  memplan_instance *instance = &s->problem->instance;
  MEMPLAN_TRY(prefix(s, memplan_pin_pools_apply(s->problem, NULL, instance, s->error)));
  int32_t before = instance->n_warnings;
  MEMPLAN_TRY(prefix(s, memplan_instance_resolve(instance, s->options->align, s->error)));
  MEMPLAN_TRY(check_strict(s, instance->warnings, before, instance->n_warnings));
  s->problem->has_instance = true;
  return MEMPLAN_OK;
}

static memplan_status read_csv(const source *s, const char *text, size_t length) {
  MEMPLAN_TRY(memplan_csv_parse(text, length, s->path, s->options, &s->problem->instance,
                                &s->problem->options.lifetimes, s->error));
  return resolve_instance(s);
}

static memplan_status read_onnx(const source *s, FILE *file) {
  if (s->options->n_pin_pools > 0) {
    return memplan_fail(s->error, MEMPLAN_INPUT, "%s: an ONNX model defines no pools to put buffers into", s->path);
  }
  MEMPLAN_TRY(memplan_read_onnx(file, s->path, s->options, &s->problem->graph, s->error));
  s->problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  s->problem->has_graph = true;
  return MEMPLAN_OK;
}

static memplan_status read_onnx_text(const source *s, const char *text, size_t length) {
  // A stream for reading changes nothing, though its buffer is not const.
  FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");
  if (file == NULL) {
    return memplan_fail_nomem(s->error);
  }
  memplan_status status = read_onnx(s, file);
  (void)fclose(file);
  return status;
}

static memplan_status read_graph(const source *s, const json_t *document) {
  memplan_graph *graph = &s->problem->graph;
  MEMPLAN_TRY(prefix(s, memplan_graph_from_json(document, s->options->strict, graph, s->error)));
  MEMPLAN_TRY(prefix(s, memplan_pin_pools_apply(s->problem, graph, NULL, s->error)));
  int32_t before = graph->n_warnings;
  MEMPLAN_TRY(prefix(s, memplan_graph_resolve(graph, s->error)));
  MEMPLAN_TRY(check_strict(s, graph->warnings, before, graph->n_warnings));
  s->problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  s->problem->has_graph = true;
  return MEMPLAN_OK;
}

static memplan_status read_instance(const source *s, const json_t *document) {
  MEMPLAN_TRY(prefix(s, memplan_instance_from_json(document, s->options, &s->problem->instance,
                                                   &s->problem->options.lifetimes, s->error)));
  return resolve_instance(s);
}

// The document's own `format` decides, unless the caller named another one.
static memplan_status read_document(const source *s, const json_t *document, bool named,
                                    const memplan_file_format *format) {
  const char *stated = json_string_value(json_object_get(document, "format"));
  if (stated != NULL && strcmp(stated, "memplan-plan") == 0) {
    return memplan_fail(s->error, MEMPLAN_INPUT, "%s: this is a plan; give the file of the problem instead", s->path);
  }
  if (!named && (stated == NULL || strncmp(stated, "memplan-", 8) != 0)) {
    return memplan_fail(
        s->error, MEMPLAN_UNSUPPORTED,
        "%s: JSON, but \"format\" is neither \"memplan-graph\" nor \"memplan-instance\"; memplan reads no other",
        s->path);
  }
  bool instance = named ? format->kind == MEMPLAN_FORMAT_INSTANCE : strcmp(stated, "memplan-instance") == 0;
  s->problem->format = instance ? "instance-json" : "graph-json";
  return instance ? read_instance(s, document) : read_graph(s, document);
}

static memplan_status read_json(const source *s, const char *text, size_t length, bool named,
                                const memplan_file_format *format) {
  json_t *document = NULL;
  MEMPLAN_TRY(prefix(s, memplan_json_parse(text, length, &document, s->error)));
  memplan_status status = read_document(s, document, named, format);
  json_decref(document);
  return status;
}

// ---- choosing

static void list_formats(char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    const memplan_file_format *format = memplan_format_at(i);
    if (format->reads && used < size) {
      int count = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", format->name);
      used += count > 0 ? (size_t)count : 0;
    }
  }
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

static memplan_status fail_unknown(const source *s, const char *head, size_t length) {
  char names[128];
  list_formats(names, sizeof names);
  const char *foreign = name_foreign(head, length);
  if (length == 0) {
    return memplan_fail(s->error, MEMPLAN_INPUT, "%s: the file is empty", s->path);
  }
  if (foreign != NULL) {
    return memplan_fail(s->error, MEMPLAN_UNSUPPORTED, "%s: the file is %s, which memplan does not read; it reads: %s",
                        s->path, foreign, names);
  }
  return memplan_fail(s->error, MEMPLAN_UNSUPPORTED,
                      "%s: unknown format; memplan reads: %s; if it is one of these, give its name", s->path, names);
}

static memplan_status find_named(const source *s, const char *name, const memplan_file_format **format) {
  *format = memplan_format_find(name);
  if (*format != NULL && (*format)->reads) {
    return MEMPLAN_OK;
  }
  char names[128];
  list_formats(names, sizeof names);
  return memplan_fail(s->error, MEMPLAN_UNSUPPORTED, "%s: memplan reads no problems in the format '%s'; it reads: %s",
                      s->path, memplan_quote(name).text, names);
}

// `json` names both forms, of which the document's own `format` chooses.
static bool is_one_form(const char *name) { return name != NULL && strcmp(name, "json") != 0; }

static memplan_status read_as(const source *s, const char *text, size_t length, const char *name,
                              const memplan_file_format *format) {
  s->problem->format = format->name;
  if (strcmp(format->name, "onnx") == 0) {
    return read_onnx_text(s, text, length);
  }
  if (strcmp(format->extensions, ".json") == 0) {
    return read_json(s, text, length, is_one_form(name), format);
  }
  return read_csv(s, text, length);
}

static memplan_status read_whole(const source *s, const char *text, size_t length, const char *name) {
  const memplan_file_format *format = NULL;
  if (name != NULL) {
    MEMPLAN_TRY(find_named(s, name, &format));
  } else {
    size_t head = length < head_size ? length : head_size;
    format = memplan_format_detect(text, head, s->problem->path);
    if (format == NULL || (length == 0 && strcmp(format->extensions, ".csv") != 0)) {
      return fail_unknown(s, text, head);
    }
  }
  return read_as(s, text, length, name, format);
}

static memplan_status read_all(const source *s, FILE *file, const char *name) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(prefix(s, memplan_file_read(file, &text, &length, s->error)));
  memplan_status status = read_whole(s, text, length, name);
  free(text);
  return status;
}

// Models can be larger than memory, so that they are read from the file itself wherever that can be told beforehand.
static memplan_status read_stream(const source *s, FILE *file, const char *name) {
  const memplan_file_format *format = NULL;
  if (name != NULL) {
    MEMPLAN_TRY(find_named(s, name, &format));
  } else if (fseeko(file, 0, SEEK_CUR) == 0) {
    char *head = malloc(head_size);
    if (head == NULL) {
      return memplan_fail_nomem(s->error);
    }
    size_t length = fread(head, 1, head_size, file);
    format = length > 0 ? memplan_format_detect(head, length, s->problem->path) : NULL;
    free(head);
    if (fseeko(file, -(off_t)length, SEEK_CUR) != 0) {
      return memplan_fail(s->error, MEMPLAN_INPUT, "%s: cannot go back to the start of the file", s->path);
    }
  }
  if (format != NULL && strcmp(format->name, "onnx") == 0) {
    s->problem->format = format->name;
    return read_onnx(s, file);
  }
  return read_all(s, file, name);
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

static memplan_status start(source *s, const char *path) {
  memplan_problem *problem = s->problem;
  for (int32_t i = 0; i < s->options->n_dims; i++) {
    if (!is_utf8(s->options->dims[i].name)) {
      return memplan_fail(s->error, MEMPLAN_INPUT, "the name of the dimension '%s' is not UTF-8",
                          memplan_quote(s->options->dims[i].name).text);
    }
  }
  problem->path = memplan_arena_text(&problem->arena, path, strlen(path));
  if (problem->path == NULL || !memplan_problem_set_options(problem, s->options)) {
    return memplan_fail_nomem(s->error);
  }
  return MEMPLAN_OK;
}

static memplan_status finish(const source *s, memplan_status status) {
  if (status == MEMPLAN_OK) {
    status = prefix(s, memplan_problem_fingerprint(s->problem, s->error));
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
  memplan_quoted_path shown = memplan_quote_path(path);
  source s = {shown.text, options, problem, error};
  MEMPLAN_TRY(start(&s, path));
  return finish(&s, read_whole(&s, text, length, format));
}

memplan_status memplan_read(const char *path, const char *format, const memplan_problem_options *options,
                            memplan_problem *problem, memplan_error *error) {
  memplan_quoted_path shown = memplan_quote_path(path);
  source s = {shown.text, options, problem, error};
  MEMPLAN_TRY(start(&s, path));
  FILE *file = NULL;
  MEMPLAN_TRY(prefix(&s, memplan_file_open(path, &file, error)));
  memplan_status status = read_stream(&s, file, format);
  memplan_file_close(file);
  return finish(&s, status);
}
