// SPDX-License-Identifier: Apache-2.0
// Lifetimes CSV: one reader for all dialects, of which the header tells which columns there are; a writer for each.
#include "instances/format.h"

#include "instances/read_csv.h"
#include "instances/write_conflicts.h"
#include "instances/write_csv.h"

#include <stdlib.h>
#include <string.h>

// The first line that is neither blank nor a comment has a comma, and the text is no JSON object. Wide characters are
// not read, but the reader names their encoding.
static bool sniff(const memplan_head *head) {
  size_t at = head->start;
  if (head->wide) {
    return true;
  }
  if (!head->text || (at < head->length && head->bytes[at] == '{')) {
    return false;
  }
  while (at < head->length) {
    const char *line = head->bytes + at;
    size_t size = 0;
    while (at + size < head->length && line[size] != '\n' && line[size] != '\r') {
      size++;
    }
    size_t blank = 0;
    while (blank < size && (line[blank] == ' ' || line[blank] == '\t')) {
      blank++;
    }
    if (blank < size && line[blank] != '#') {
      return memchr(line, ',', size) != NULL;
    }
    at += size + 1;
  }
  return false;
}

static memplan_status read_dialect(const memplan_source *source, const char *text, size_t length,
                                   memplan_csv_dialect dialect) {
  MEMPLAN_TRY(memplan_csv_parse(text, length, source->path, dialect, source->options, &source->problem->instance,
                                &source->problem->options.lifetimes, source->error));
  return memplan_source_finish_instance(source);
}

static memplan_status read_lifetimes(const memplan_source *source, const char *text, size_t length) {
  return read_dialect(source, text, length, MEMPLAN_CSV_LIFETIMES);
}

static memplan_status read_omnimalloc(const memplan_source *source, const char *text, size_t length) {
  return read_dialect(source, text, length, MEMPLAN_CSV_OMNIMALLOC);
}

static memplan_status read_idealloc(const memplan_source *source, const char *text, size_t length) {
  return read_dialect(source, text, length, MEMPLAN_CSV_IDEALLOC);
}

static memplan_status write_dialect(const memplan_export_job *job, memplan_csv_dialect dialect) {
  return memplan_csv_write(job->instance, job->offset, dialect, job->inclusive, job->text, job->length, job->report,
                           job->error);
}

static memplan_status write_pairs(const memplan_export_job *job) {
  MEMPLAN_TRY(write_dialect(job, MEMPLAN_CSV_SIZES));
  memplan_status status = memplan_conflicts_write(job->instance, job->conflicts, job->report, job->error);
  if (status != MEMPLAN_OK) {
    free(*job->text);
    *job->text = NULL;
  }
  return status;
}

static memplan_status write_lifetimes(const memplan_export_job *job) {
  if (job->conflicts != NULL) {
    return write_pairs(job);
  }
  return write_dialect(job, MEMPLAN_CSV_LIFETIMES);
}

static memplan_status write_omnimalloc(const memplan_export_job *job) {
  return write_dialect(job, MEMPLAN_CSV_OMNIMALLOC);
}

static memplan_status write_idealloc(const memplan_export_job *job) { return write_dialect(job, MEMPLAN_CSV_IDEALLOC); }

const memplan_file_format memplan_format_csv = {
    .name = "csv",
    .aliases = "minimalloc lifetimes",
    .description = "lifetimes CSV of MiniMalloc",
    .extensions = ".csv",
    .carries = "lifetimes, gaps, alignments, hints, offsets",
    .kind = MEMPLAN_FORMAT_INSTANCE,
    .sniff = sniff,
    .read = read_lifetimes,
    .write = write_lifetimes,
};

const memplan_file_format memplan_format_omnimalloc = {
    .name = "omnimalloc",
    .aliases = "",
    .description = "lifetimes CSV of OmniMalloc (no vector clocks)",
    .extensions = ".csv",
    .carries = "lifetimes, base, offsets",
    .kind = MEMPLAN_FORMAT_INSTANCE,
    .read = read_omnimalloc,
    .write = write_omnimalloc,
};

const memplan_file_format memplan_format_idealloc = {
    .name = "idealloc",
    .aliases = "",
    .description = "lifetimes CSV of idealloc: columns by position",
    .extensions = ".csv",
    .carries = "lifetimes, offsets; numeric ids",
    .kind = MEMPLAN_FORMAT_INSTANCE,
    .read = read_idealloc,
    .write = write_idealloc,
};
