// SPDX-License-Identifier: Apache-2.0
// memplan's own two JSON forms of problems. The document's own `format` decides which of them it is, unless the caller
// named one; so a guess from the first bytes need not be right between them.
#include "instances/format.h"
#include "instances/read_graph_json.h"
#include "instances/read_instance_json.h"
#include "model/base/json.h"
#include "model/base/quote.h"
#include "model/form_json.h"
#include "model/problem_json.h"

#include <stdlib.h>
#include <string.h>

// ---- content

static bool holds(const memplan_head *head, const char *word) {
  return memmem(head->bytes, head->length, word, strlen(word)) != NULL;
}

static bool is_object(const memplan_head *head) {
  return head->text && head->start < head->length && head->bytes[head->start] == '{';
}

static bool sniff_plan(const memplan_head *head) { return is_object(head) && holds(head, "\"memplan-plan\""); }

static bool sniff_instance(const memplan_head *head) {
  return is_object(head) && !sniff_plan(head) && holds(head, "\"memplan-instance\"");
}

static bool sniff_graph(const memplan_head *head) {
  return is_object(head) && !sniff_plan(head) && !sniff_instance(head);
}

// ---- reading

static memplan_status read_graph(const memplan_source *s, const json_t *document) {
  s->problem->format = memplan_format_graph_json.name;
  MEMPLAN_TRY(
      memplan_source_prefix(s, memplan_graph_from_json(document, s->options->strict, &s->problem->graph, s->error)));
  return memplan_source_finish_graph(s);
}

static memplan_status read_instance(const memplan_source *s, const json_t *document) {
  s->problem->format = memplan_format_instance_json.name;
  MEMPLAN_TRY(memplan_source_prefix(s, memplan_instance_from_json(document, s->options, &s->problem->instance,
                                                                  &s->problem->options.lifetimes, s->error)));
  return memplan_source_finish_instance(s);
}

// `asked`: the form that the caller may have named.
static memplan_status read_document(const memplan_source *s, const json_t *document, memplan_format_kind asked) {
  const char *stated = json_string_value(json_object_get(document, "format"));
  bool named = s->name != NULL && strcmp(s->name, "json") != 0; // "json" is either form
  if (stated != NULL && strcmp(stated, "memplan-plan") == 0) {
    return memplan_fail(s->error, MEMPLAN_INPUT,
                        "%s: this is a plan; give the file of the problem, and the plan to `memplan verify FILE PLAN`",
                        s->path);
  }
  if (!named && (stated == NULL || strncmp(stated, "memplan-", 8) != 0)) {
    return memplan_fail(
        s->error, MEMPLAN_UNSUPPORTED,
        "%s: JSON, but \"format\" is neither \"memplan-graph\" nor \"memplan-instance\"; memplan reads no other",
        s->path);
  }
  bool instance = named ? asked == MEMPLAN_FORMAT_INSTANCE : strcmp(stated, "memplan-instance") == 0;
  return instance ? read_instance(s, document) : read_graph(s, document);
}

// Certificates are JSON lines: the first one tells.
static bool is_certificate(const char *text, size_t length) {
  static const char mark[] = "\"memplan-certificate\"";
  const char *end = memchr(text, '\n', length);
  return text[0] == '{' && memmem(text, end != NULL ? (size_t)(end - text) : length, mark, strlen(mark)) != NULL;
}

static memplan_status read_text(const memplan_source *s, const char *text, size_t length, memplan_format_kind asked) {
  json_t *document = NULL;
  if (length == 0) {
    return memplan_source_fail_empty(s);
  }
  if (is_certificate(text, length)) {
    return memplan_fail(s->error, MEMPLAN_INPUT,
                        "%s: this is a certificate; give the file of the problem, and the certificate to `memplan "
                        "check FILE CERTIFICATE`",
                        s->path);
  }
  MEMPLAN_TRY(memplan_source_prefix(s, memplan_json_parse(text, length, &document, s->error)));
  memplan_status status = read_document(s, document, asked);
  json_decref(document);
  return status;
}

static memplan_status read_graph_text(const memplan_source *s, const char *text, size_t length) {
  return read_text(s, text, length, MEMPLAN_FORMAT_GRAPH);
}

static memplan_status read_instance_text(const memplan_source *s, const char *text, size_t length) {
  return read_text(s, text, length, MEMPLAN_FORMAT_INSTANCE);
}

// ---- writing

memplan_status memplan_export_store_json(const memplan_export_job *job, json_t *value) {
  char *line = value != NULL ? memplan_json_text(value) : NULL;
  json_decref(value);
  size_t length = line != NULL ? strlen(line) : 0;
  char *text = line != NULL ? realloc(line, length + 2) : NULL;
  if (text == NULL) {
    free(line);
    return memplan_fail_nomem(job->error);
  }
  text[length] = '\n';
  text[length + 1] = '\0';
  *job->text = text;
  *job->length = length + 1;
  return MEMPLAN_OK;
}

static memplan_status write_graph(const memplan_export_job *job) {
  const memplan_problem *problem = job->problem;
  if (!problem->has_graph) {
    return memplan_fail(job->error, MEMPLAN_UNSUPPORTED,
                        "the format graph-json needs a graph, but %s holds buffers with lifetimes",
                        memplan_quote_path(problem->path).text);
  }
  if (problem->graph.n_bodies > 0) {
    bool ignored = problem->options.bodies == MEMPLAN_BODIES_IGNORE;
    if (!ignored && job->workspace == NULL) {
      return memplan_fail(
          job->error, MEMPLAN_UNSUPPORTED,
          "the format graph-json cannot carry the %d bodies of control flow; plan them, so that they become "
          "workspace, or ignore them",
          problem->graph.n_bodies);
    }
    if (!memplan_export_report_add(job->report, "graph-json: %d bodies of control flow are not carried%s",
                                   problem->graph.n_bodies,
                                   job->workspace != NULL ? "; their peaks are workspace of their operators" : "")) {
      return memplan_fail_nomem(job->error);
    }
  }
  return memplan_export_store_json(job, memplan_graph_to_json(&problem->graph, job->workspace));
}

static memplan_status write_instance(const memplan_export_job *job) {
  const memplan_instance *instance = job->instance;
  bool offsets = job->offset != NULL;
  bool hints = false;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    if (buffer->residue != 0) {
      return memplan_fail(
          job->error, MEMPLAN_UNSUPPORTED,
          "the format instance-json cannot carry the alignment of a view in buffer '%s' (offset %lld modulo %lld)",
          memplan_quote(buffer->id).text, (long long)buffer->residue, (long long)buffer->align);
    }
    offsets = offsets || (buffer->offset >= 0 && buffer->pin < 0);
    hints = hints || buffer->hint >= 0;
  }
  if ((offsets && !memplan_export_report_add(
                      job->report, "instance-json: offsets are not carried; write plan-json or csv for them")) ||
      (hints && !memplan_export_report_add(job->report, "instance-json: hints are not carried"))) {
    return memplan_fail_nomem(job->error);
  }
  return memplan_export_store_json(job, memplan_form_instance(instance, job->inclusive));
}

static memplan_status write_plan(const memplan_export_job *job) {
  if (job->solution == NULL) {
    return memplan_fail(job->error, MEMPLAN_UNSUPPORTED,
                        "the format plan-json needs a plan; solve the problem and write its plan");
  }
  *job->text = memplan_plan_text(&job->solution->plan);
  if (*job->text == NULL) {
    return memplan_fail_nomem(job->error);
  }
  *job->length = strlen(*job->text);
  return MEMPLAN_OK;
}

const memplan_file_format memplan_format_graph_json = {
    .name = "graph-json",
    .aliases = "json graph memplan-graph",
    .description = "memplan's own form of graphs",
    .extensions = ".json",
    .carries = "everything of a graph but control-flow bodies",
    .kind = MEMPLAN_FORMAT_GRAPH,
    .sniff = sniff_graph,
    .read = read_graph_text,
    .write = write_graph,
};

const memplan_file_format memplan_format_instance_json = {
    .name = "instance-json",
    .aliases = "instance memplan-instance",
    .description = "memplan's own form of placement problems",
    .extensions = ".json",
    .carries = "lifetimes, gaps, alignments, pins, pools, rules",
    .kind = MEMPLAN_FORMAT_INSTANCE,
    .sniff = sniff_instance,
    .read = read_instance_text,
    .write = write_instance,
};

const memplan_file_format memplan_format_plan_json = {
    .name = "plan-json",
    .aliases = "plan memplan-plan",
    .description = "memplan's plans",
    .extensions = ".json",
    .carries = "order, in-place choices, offsets, bound",
    .kind = MEMPLAN_FORMAT_PLAN,
    .sniff = sniff_plan,
    .write = write_plan,
};
