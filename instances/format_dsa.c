// SPDX-License-Identifier: Apache-2.0
// dsa-solver's structured JSON.
#include "instances/format.h"
#include "instances/read_dsa.h"
#include "instances/write_dsa.h"
#include "model/base/json.h"

#include <stdlib.h>
#include <string.h>

static bool holds(const memplan_head *head, const char *word) {
  return memmem(head->bytes, head->length, word, strlen(word)) != NULL;
}

// Exporters sort the keys, so that the version may stand at the end of a long file.
static bool sniff(const memplan_head *head) {
  return head->text && head->start < head->length && head->bytes[head->start] == '{' &&
         (holds(head, "\"schema_version\"") || holds(head, "\"live_intervals\"")) && !holds(head, "\"memplan-");
}

static memplan_status read_document(const memplan_source *source, const json_t *document) {
  MEMPLAN_TRY(memplan_source_prefix(
      source, memplan_dsa_from_json(document, source->options, &source->problem->instance, source->error)));
  source->problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  return memplan_source_finish_instance(source);
}

static memplan_status read(const memplan_source *source, const char *text, size_t length) {
  json_t *document = NULL;
  if (length == 0) {
    return memplan_source_fail_empty(source);
  }
  MEMPLAN_TRY(memplan_source_prefix(source, memplan_json_parse(text, length, &document, source->error)));
  memplan_status status = read_document(source, document);
  json_decref(document);
  return status;
}

static memplan_status write(const memplan_export_job *job) {
  json_t *document = NULL;
  MEMPLAN_TRY(memplan_dsa_to_json(job->instance, job->report, &document, job->error));
  if ((job->offset != NULL && !memplan_export_report_add(job->report, "dsa: the plan's offsets are not carried")) ||
      (job->inclusive && !memplan_export_report_add(job->report, "dsa: lifetimes are written as half-open; they were "
                                                                 "inclusive"))) {
    json_decref(document);
    return memplan_fail_nomem(job->error);
  }
  return memplan_export_store_json(job, document);
}

const memplan_file_format memplan_format_dsa = {
    .name = "dsa",
    .aliases = "dsa-solver dsa-json",
    .description = "structured JSON of dsa-solver",
    .extensions = "", // .json is that of memplan's own forms
    .carries = "lifetimes, alignments, pins, pools, rules, reuse penalties",
    .kind = MEMPLAN_FORMAT_INSTANCE,
    .sniff = sniff,
    .read = read,
    .write = write,
};
