// SPDX-License-Identifier: Apache-2.0
// A sweep over the lifetimes: each one that starts meets those that are open. A pair is one number, so that sorting
// brings it to its place and its repetitions beside it.
#include "instances/write_conflicts.h"

#include "instances/write_csv.h"
#include "model/base/grow.h"
#include "model/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_pairs = INT64_C(1) << 27;

typedef struct life {
  int64_t start, end;
  int32_t buffer;
} life;

typedef struct writer {
  const memplan_instance *instance;
  memplan_arena arena;
  life *lives;
  int64_t n_lives;
  int32_t *open; // lives under way
  int64_t n_open;
  uint64_t *pairs; // earlier buffer in the upper half
  int64_t n_pairs, n_sorted, capacity;
  memplan_error *error;
} writer;

static int compare_lives(const void *a, const void *b) {
  const life *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  if (x->end != y->end) {
    return x->end < y->end ? -1 : 1;
  }
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static int compare_pairs(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void sort_pairs(writer *w) {
  if (w->n_pairs > 1) {
    qsort(w->pairs, (size_t)w->n_pairs, sizeof *w->pairs, compare_pairs);
  }
  int64_t kept = 0;
  for (int64_t k = 0; k < w->n_pairs; k++) {
    if (kept == 0 || w->pairs[k] != w->pairs[kept - 1]) {
      w->pairs[kept++] = w->pairs[k];
    }
  }
  w->n_pairs = w->n_sorted = kept;
}

static memplan_status add_pair(writer *w, int32_t a, int32_t b) {
  if (a == b || w->instance->buffers[a].bytes == 0 || w->instance->buffers[b].bytes == 0) {
    return MEMPLAN_OK;
  }
  if (w->n_pairs >= most_pairs && w->n_sorted < w->n_pairs) {
    sort_pairs(w); // lifetimes of several parts repeat pairs
  }
  if (w->n_pairs >= most_pairs) {
    return memplan_fail(w->error, MEMPLAN_UNSUPPORTED,
                        "more than %lld pairs of buffers conflict; write the lifetimes instead", (long long)most_pairs);
  }
  uint64_t *pairs = memplan_grow_heap(w->pairs, w->n_pairs, &w->capacity, sizeof *pairs);
  if (pairs == NULL) {
    return memplan_fail_nomem(w->error);
  }
  w->pairs = pairs;
  pairs[w->n_pairs++] = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
  return MEMPLAN_OK;
}

static memplan_status collect_lives(writer *w) {
  int64_t most = 0;
  for (int32_t k = 0; k < w->instance->n_buffers; k++) {
    most += (int64_t)w->instance->buffers[k].n_live + w->instance->buffers[k].n_gaps;
  }
  w->lives = MEMPLAN_NEW(&w->arena, life, most);
  w->open = MEMPLAN_NEW(&w->arena, int32_t, most);
  bool ok = w->lives != NULL && w->open != NULL;
  for (int32_t k = 0; k < w->instance->n_buffers && ok; k++) {
    memplan_arena scratch = {0};
    memplan_occupancy occupancy;
    ok = memplan_buffer_occupancy(&w->instance->buffers[k], &scratch, &occupancy);
    for (int32_t part = 0; ok && part < occupancy.n_live; part++) {
      w->lives[w->n_lives++] = (life){occupancy.live[part].start, occupancy.live[part].end, k};
    }
    memplan_arena_free(&scratch);
  }
  if (ok && w->n_lives > 1) {
    qsort(w->lives, (size_t)w->n_lives, sizeof *w->lives, compare_lives);
  }
  return ok ? MEMPLAN_OK : memplan_fail_nomem(w->error);
}

static memplan_status add_live_together(writer *w) {
  MEMPLAN_TRY(collect_lives(w));
  for (int64_t k = 0; k < w->n_lives; k++) {
    int64_t kept = 0;
    for (int64_t at = 0; at < w->n_open; at++) {
      const life *other = &w->lives[w->open[at]];
      if (other->end > w->lives[k].start) {
        w->open[kept++] = w->open[at];
        MEMPLAN_TRY(add_pair(w, other->buffer, w->lives[k].buffer));
      }
    }
    w->open[kept] = (int32_t)k;
    w->n_open = kept + 1;
  }
  return MEMPLAN_OK;
}

static memplan_status add_rules(writer *w, const memplan_rule *rules, int32_t n_rules) {
  for (int32_t k = 0; k < n_rules; k++) {
    MEMPLAN_TRY(add_pair(w, rules[k].first, rules[k].second));
  }
  return MEMPLAN_OK;
}

static memplan_status put_text(const writer *w, char **text) {
  size_t length = 0;
  FILE *out = open_memstream(text, &length);
  if (out == NULL) {
    return memplan_fail_nomem(w->error);
  }
  const memplan_buffer *buffers = w->instance->buffers;
  bool header = true;
  for (int32_t k = 0; k < w->instance->n_buffers; k++) {
    header = header && strcmp(buffers[k].id, "first") != 0 && strcmp(buffers[k].id, "second") != 0;
  }
  (void)fputs(header ? "first,second\n" : "", out);
  for (int64_t k = 0; k < w->n_pairs; k++) {
    memplan_csv_write_cell(buffers[w->pairs[k] >> 32].id, out);
    (void)fputc(',', out);
    memplan_csv_write_cell(buffers[w->pairs[k] & UINT32_MAX].id, out);
    (void)fputc('\n', out);
  }
  bool good = ferror(out) == 0;
  good = fclose(out) == 0 && good;
  if (!good) {
    free(*text);
    *text = NULL;
  }
  return good ? MEMPLAN_OK : memplan_fail_nomem(w->error);
}

memplan_status memplan_conflicts_write(const memplan_instance *instance, char **text, memplan_export_report *report,
                                       memplan_error *error) {
  writer w = {.instance = instance, .error = error};
  *text = NULL;
  memplan_status status = add_live_together(&w);
  if (status == MEMPLAN_OK) {
    status = add_rules(&w, instance->separate, instance->n_separate);
  }
  if (status == MEMPLAN_OK) {
    status = add_rules(&w, instance->conflicts, instance->n_conflicts);
  }
  if (status == MEMPLAN_OK) {
    sort_pairs(&w);
    bool noted =
        memplan_export_report_add(report, "lifetimes and rules become %lld pairs of conflicts", (long long)w.n_pairs);
    status = noted ? put_text(&w, text) : memplan_fail_nomem(error);
  }
  free(w.pairs);
  memplan_arena_free(&w.arena);
  return status;
}
