// SPDX-License-Identifier: Apache-2.0
// Each buffer is one row: its life is the hull of its lifetimes, and what is missing in between becomes gaps.
#include "instances/write_csv.h"

#include "instances/csv_survey.h"
#include "model/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct layout {
  const memplan_instance *instance;
  const int64_t *offset; // by buffer, or NULL
  FILE *stream;
  const char *line_end;
  int64_t end_shift; // 1 if ends are inclusive
  bool lives, alignment, hint, gaps;
  bool plan_offsets, pins, file_offsets; // what the column `offset` holds; all false: no such column
} layout;

void memplan_csv_write_cell(const char *text, FILE *out) {
  if (!memplan_csv_needs_quotes(text)) {
    (void)fputs(text, out);
    return;
  }
  (void)fputc('"', out);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"') {
      (void)fputc('"', out);
    }
    (void)fputc(*c, out);
  }
  (void)fputc('"', out);
}

static void write_gap(const layout *l, const memplan_gap *gap, bool *first) {
  (void)fprintf(l->stream, "%s%lld-%lld", *first ? "" : " ", (long long)gap->start,
                (long long)(gap->end - l->end_shift));
  if (gap->low != gap->high) {
    (void)fprintf(l->stream, "@%lld:%lld", (long long)gap->low, (long long)gap->high);
  }
  *first = false;
}

// Gaps with windows lie inside lifetimes, so that both kinds are written in the order of time by walking the lifetimes.
static void write_gaps(const layout *l, const memplan_occupancy *occupancy) {
  bool first = true;
  int32_t next = 0;
  for (int32_t i = 0; i < occupancy->n_live; i++) {
    if (i > 0) {
      memplan_gap hole = {occupancy->live[i - 1].end, occupancy->live[i].start, 0, 0};
      write_gap(l, &hole, &first);
    }
    while (next < occupancy->n_gaps && occupancy->gaps[next].start < occupancy->live[i].end) {
      write_gap(l, &occupancy->gaps[next++], &first);
    }
  }
  if (occupancy->n_live == 0 && l->end_shift > 0) {
    memplan_gap all = {0, 1, 0, 0};
    write_gap(l, &all, &first);
  }
}

static void write_offset(const layout *l, int32_t index) {
  const memplan_buffer *buffer = &l->instance->buffers[index];
  int64_t offset = l->plan_offsets ? l->offset[index] : l->pins ? buffer->pin : buffer->offset;
  (void)fputc(',', l->stream);
  if (offset >= 0) {
    (void)fprintf(l->stream, "%lld", (long long)offset);
  }
}

static bool write_row(const layout *l, int32_t index, memplan_arena *arena) {
  const memplan_buffer *buffer = &l->instance->buffers[index];
  memplan_occupancy occupancy;
  if (!memplan_buffer_occupancy(buffer, arena, &occupancy)) {
    return false;
  }
  // A buffer that is never live has an empty lifetime, or, with inclusive ends, one that is a gap throughout.
  int64_t lower = occupancy.n_live > 0 ? occupancy.live[0].start : 0;
  int64_t upper = occupancy.n_live > 0 ? occupancy.live[occupancy.n_live - 1].end - l->end_shift : 0;
  memplan_csv_write_cell(buffer->id, l->stream);
  if (l->lives) {
    (void)fprintf(l->stream, ",%lld,%lld", (long long)lower, (long long)upper);
  }
  (void)fprintf(l->stream, ",%lld", (long long)buffer->bytes);
  if (l->alignment) {
    (void)fprintf(l->stream, ",%lld", (long long)buffer->align);
  }
  if (l->hint) {
    (void)fprintf(l->stream, ",%lld", (long long)buffer->hint);
  }
  if (l->gaps) {
    (void)fputc(',', l->stream);
    write_gaps(l, &occupancy);
  }
  if (l->plan_offsets || l->pins || l->file_offsets) {
    write_offset(l, index);
  }
  (void)fputs(l->line_end, l->stream);
  return true;
}

static bool write_file(const layout *l) {
  (void)fprintf(l->stream, "id%s,size%s%s%s%s%s",
                !l->lives          ? ""
                : l->end_shift > 0 ? ",lower,end"
                                   : ",lower,upper",
                l->alignment ? ",alignment" : "", l->hint ? ",hint" : "", l->gaps ? ",gaps" : "",
                l->plan_offsets || l->pins || l->file_offsets ? ",offset" : "", l->line_end);
  memplan_arena arena = {0};
  bool good = true;
  for (int32_t i = 0; good && i < l->instance->n_buffers; i++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&arena);
    good = write_row(l, i, &arena);
    memplan_arena_release(&arena, mark);
  }
  memplan_arena_free(&arena);
  return good && ferror(l->stream) == 0;
}

static memplan_status note_texts(const memplan_instance *instance, bool inclusive_lost, memplan_export_report *report,
                                 memplan_error *error) {
  bool good = (instance->name[0] == '\0' && instance->source[0] == '\0') ||
              memplan_export_report_add(report, "the name and the source of the problem are not carried");
  good = good && (instance->default_pool || instance->n_pools != 1 || strcmp(instance->pools[0].id, "arena") == 0 ||
                  memplan_export_report_add(report, "the pool's id is not carried; it becomes 'arena'"));
  good = good && (!inclusive_lost ||
                  memplan_export_report_add(report, "lifetimes are written as half-open; they were inclusive"));
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_csv_write(const memplan_instance *instance, const int64_t *offset, memplan_csv_dialect dialect,
                                 bool inclusive, char **text, size_t *length, memplan_export_report *report,
                                 memplan_error *error) {
  *text = NULL;
  *length = 0;
  memplan_csv_survey survey;
  if (!memplan_csv_survey_take(&survey, instance)) {
    return memplan_fail_nomem(error);
  }
  bool sizes = dialect == MEMPLAN_CSV_SIZES, own = sizes || dialect == MEMPLAN_CSV_LIFETIMES;
  MEMPLAN_TRY(memplan_csv_survey_check(&survey, dialect, offset != NULL, report, error));
  MEMPLAN_TRY(note_texts(instance, inclusive && !own, report, error));
  layout l = {.instance = instance, .offset = offset, .line_end = dialect == MEMPLAN_CSV_OMNIMALLOC ? "\r\n" : "\n"};
  l.lives = !sizes;
  l.end_shift = own && inclusive ? 1 : 0;
  l.alignment = own && survey.count[MEMPLAN_CSV_HAS_ALIGNMENT] > 0;
  l.hint = own && survey.count[MEMPLAN_CSV_HAS_HINT] > 0;
  l.gaps =
      own && !sizes &&
      (survey.count[MEMPLAN_CSV_HAS_GAPS] > 0 || (l.end_shift > 0 && survey.count[MEMPLAN_CSV_HAS_EMPTY_LIFE] > 0));
  l.plan_offsets = offset != NULL;
  l.pins = own && offset == NULL && survey.count[MEMPLAN_CSV_HAS_PIN] > 0;
  l.file_offsets = own && offset == NULL && !l.pins && survey.count[MEMPLAN_CSV_HAS_OFFSET] > 0;
  l.stream = open_memstream(text, length);
  if (l.stream == NULL) {
    return memplan_fail_nomem(error);
  }
  if (survey.count[MEMPLAN_CSV_HAS_BASE] > 0) {
    (void)fprintf(l.stream, "# pool_offset=%lld%s", (long long)instance->pools[0].base, l.line_end);
  }
  bool good = write_file(&l);
  good = fclose(l.stream) == 0 && good;
  if (!good) {
    free(*text);
    *text = NULL;
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}
