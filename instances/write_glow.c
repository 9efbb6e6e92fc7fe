// SPDX-License-Identifier: Apache-2.0
#include "instances/write_glow.h"

#include "model/base/quote.h"
#include "model/occupancy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct event {
  int64_t time;
  bool alloc; // behind those that free at the same time: lifetimes are half-open
  int32_t buffer;
} event;

static int compare_events(const void *left, const void *right) {
  const event *a = left;
  const event *b = right;
  if (a->time != b->time) {
    return (a->time > b->time) - (a->time < b->time);
  }
  if (a->alloc != b->alloc) {
    return (int)a->alloc - (int)b->alloc;
  }
  return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static memplan_status refuse(const char *what, const char *id, memplan_error *error) {
  return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                      "the format glow cannot carry %s (first '%s'); write instance-json instead", what,
                      memplan_quote(id).text);
}

static bool is_one_word(const char *id) { return id[0] != '\0' && strpbrk(id, " \t\r\n") == NULL; }

// Fills two events for each buffer.
static memplan_status list_events(const memplan_instance *instance, memplan_arena *arena, event *events,
                                  memplan_error *error) {
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    memplan_occupancy life;
    memplan_arena_mark mark = memplan_arena_get_mark(arena);
    if (!memplan_buffer_occupancy(buffer, arena, &life)) {
      return memplan_fail_nomem(error);
    }
    const char *what = life.n_live > 1 || life.n_gaps > 0            ? "gaps and lifetimes of several parts"
                       : life.n_live == 0                            ? "buffers that are never live"
                       : buffer->align != instance->buffers[0].align ? "different alignments"
                       : buffer->residue != 0                        ? "alignments of views"
                       : buffer->pin >= 0                            ? "pins"
                       : !is_one_word(buffer->id)                    ? "ids with blanks"
                                                                     : NULL;
    if (what != NULL) {
      return refuse(what, buffer->id, error);
    }
    events[2 * (int64_t)i] = (event){life.live[0].start, true, i};
    events[2 * (int64_t)i + 1] = (event){life.live[0].end, false, i};
    memplan_arena_release(arena, mark);
  }
  return MEMPLAN_OK;
}

static memplan_status check_rules(const memplan_instance *instance, memplan_error *error) {
  const char *what = instance->n_separate > 0    ? "rules `separate`"
                     : instance->n_colocate > 0  ? "rules `colocate`"
                     : instance->n_conflicts > 0 ? "rules `conflicts`"
                     : instance->n_pools > 1     ? "several pools"
                                                 : NULL;
  for (int32_t i = 0; what == NULL && i < instance->n_pools; i++) {
    what = instance->pools[i].n_reserved > 0 ? "reserved ranges"
           : instance->pools[i].base != 0    ? "the base of the arena"
                                             : NULL;
  }
  return what == NULL ? MEMPLAN_OK
                      : memplan_fail(error, MEMPLAN_UNSUPPORTED,
                                     "the format glow cannot carry %s; write instance-json instead", what);
}

static bool is_number(const char *id) { return strspn(id, "0123456789") == strlen(id); }

// The name stands in one line.
static bool is_line(const char *name) {
  for (const char *c = name; *c != '\0'; c++) {
    if (iscntrl((unsigned char)*c)) {
      return false;
    }
  }
  return name[0] != '\0';
}

static memplan_status note_losses(const memplan_instance *instance, memplan_export_report *report,
                                  memplan_error *error) {
  bool numbers = true;
  bool offsets = false;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    numbers = numbers && is_number(instance->buffers[i].id);
    offsets = offsets || instance->buffers[i].offset >= 0;
  }
  bool named = is_line(instance->name);
  bool good =
      (numbers || memplan_export_report_add(report, "glow: ids that are no numbers are written, but Glow itself does "
                                                    "not read them")) &&
      (!offsets || memplan_export_report_add(report, "glow: offsets are not carried")) &&
      (named || memplan_export_report_add(report, "glow: the problem has no name of one line; it is called memplan")) &&
      (instance->pools[0].capacity < 0 ||
       memplan_export_report_add(report, "glow: the capacity is not carried; give --capacity again"));
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// load / peak with six decimals, rounded, in integers.
static void write_ratio(FILE *stream, int64_t load, int64_t peak) {
  static const int64_t most = INT64_MAX / 16;
  while (load > most || peak > most) {
    load /= 2;
    peak /= 2;
  }
  int64_t millionths = peak > 0 ? load / peak : 1;
  int64_t rest = peak > 0 ? load % peak : 0;
  for (int digit = 0; digit < 6; digit++) {
    millionths = millionths * 10 + (peak > 0 ? rest * 10 / peak : 0);
    rest = peak > 0 ? rest * 10 % peak : 0;
  }
  millionths += peak > 0 && rest >= peak - rest ? 1 : 0;
  (void)fprintf(stream, "EFF %lld.%06lld\n", (long long)(millionths / 1000000), (long long)(millionths % 1000000));
}

static void write_lines(const memplan_instance *instance, const event *events, FILE *stream) {
  (void)fprintf(stream, "MODEL %s\n", is_line(instance->name) ? instance->name : "memplan");
  (void)fprintf(stream, "ALIGN %lld\n", (long long)(instance->n_buffers > 0 ? instance->buffers[0].align : 1));
  for (int64_t k = 0; k < 2 * (int64_t)instance->n_buffers; k++) {
    const memplan_buffer *buffer = &instance->buffers[events[k].buffer];
    if (events[k].alloc) {
      (void)fprintf(stream, "ALLOC %s %lld\n", buffer->id, (long long)buffer->bytes);
    } else {
      (void)fprintf(stream, "FREE %s\n", buffer->id);
    }
  }
}

static memplan_status write_trace(const memplan_instance *instance, int64_t peak, memplan_arena *arena, char **text,
                                  size_t *length, memplan_error *error) {
  int64_t count = 2 * (int64_t)instance->n_buffers;
  event *events = MEMPLAN_NEW(arena, event, count);
  memplan_load load = {0};
  if (events == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(list_events(instance, arena, events, error));
  MEMPLAN_TRY(memplan_instance_load(instance, false, &load, error));
  if (count > 1) {
    qsort(events, (size_t)count, sizeof *events, compare_events);
  }
  FILE *stream = open_memstream(text, length);
  if (stream == NULL) {
    return memplan_fail_nomem(error);
  }
  write_lines(instance, events, stream);
  if (peak >= 0) {
    (void)fprintf(stream, "MEM %lld\n", (long long)peak);
    write_ratio(stream, load.bytes, peak);
  }
  bool good = ferror(stream) == 0;
  good = fclose(stream) == 0 && good;
  if (!good) {
    free(*text);
    *text = NULL;
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_glow_write(const memplan_instance *instance, int64_t peak, char **text, size_t *length,
                                  memplan_export_report *report, memplan_error *error) {
  *text = NULL;
  *length = 0;
  MEMPLAN_TRY(check_rules(instance, error));
  memplan_arena arena = {0};
  memplan_status status = write_trace(instance, peak, &arena, text, length, error);
  memplan_arena_free(&arena);
  return status == MEMPLAN_OK ? note_losses(instance, report, error) : status;
}
