// SPDX-License-Identifier: Apache-2.0
// Traces of Glow's memory allocator.
#include "instances/format.h"
#include "instances/read_glow.h"
#include "instances/write_glow.h"

#include <stdlib.h>
#include <string.h>

// The first word is one that only a trace begins with, and another one follows.
static bool sniff(const memplan_head *head) {
  static const char *const words[] = {"MODEL ", "ALIGN ", "ALLOC "};
  for (size_t i = 0; head->text && i < sizeof words / sizeof words[0]; i++) {
    size_t size = strlen(words[i]);
    if (head->length - head->start >= size && memcmp(head->bytes + head->start, words[i], size) == 0) {
      return true;
    }
  }
  return false;
}

static memplan_status read(const memplan_source *source, const char *text, size_t length) {
  MEMPLAN_TRY(
      memplan_glow_parse(text, length, source->path, source->options, &source->problem->instance, source->error));
  source->problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  return memplan_source_finish_instance(source);
}

static memplan_status write(const memplan_export_job *job) {
  int64_t peak = job->offset != NULL ? job->solution->plan.peak : -1;
  memplan_status status = memplan_glow_write(job->instance, peak, job->text, job->length, job->report, job->error);
  if (status == MEMPLAN_OK &&
      ((job->offset != NULL && !memplan_export_report_add(job->report, "glow: the plan's offsets are not carried")) ||
       (job->inclusive && !memplan_export_report_add(job->report, "glow: lifetimes are written as half-open; they were "
                                                                  "inclusive")))) {
    status = memplan_fail_nomem(job->error);
  }
  if (status != MEMPLAN_OK) {
    free(*job->text);
    *job->text = NULL;
  }
  return status;
}

const memplan_file_format memplan_format_glow = {
    .name = "glow",
    .aliases = "trace",
    .description = "allocation trace of Glow",
    .extensions = ".txt",
    .carries = "one lifetime a buffer, one alignment",
    .kind = MEMPLAN_FORMAT_INSTANCE,
    .sniff = sniff,
    .read = read,
    .write = write,
};
