// SPDX-License-Identifier: Apache-2.0
// Source of the form: glow/tests/unittests/MemoryAllocatorTestModels.
#include "instances/read_glow.h"

#include "instances/csv_cells.h"
#include "instances/csv_rows.h"
#include "instances/remarks.h"
#include "model/base/grow.h"
#include "model/base/names.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

enum { most_words = 3, most_buffers = INT32_MAX / 4 };

typedef struct trace {
  memplan_csv_rows rows; // the place in the text
  memplan_csv_cell words[most_words];
  int32_t n_words; // of the line, those beyond most_words not kept
  memplan_remarks remarks;
  memplan_instance *instance;
  memplan_buffer *buffers;
  memplan_interval **lives; // by buffer; the end is open until it is freed
  int32_t n_buffers;
  int64_t capacity, lives_capacity;
  memplan_names live; // id -> buffer + 1, 0 once it is freed
  memplan_names ids;  // of all buffers
  int64_t align;      // -1 before ALIGN
  int64_t mem;        // -1 before MEM
  int64_t n_events;
  bool named, rated;
  memplan_error *error;
} trace;

static memplan_status fail_word(const trace *t, int32_t word, const char *message) {
  return memplan_csv_fail(&t->rows, &t->words[word], MEMPLAN_INPUT, t->error, "%s", message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Splits the next line into words. False at the end of the text.
static bool next_line(trace *t) {
  memplan_csv_rows *rows = &t->rows;
  if (rows->next >= rows->end) {
    return false;
  }
  const char *at = rows->next;
  rows->line_start = at;
  t->n_words = 0;
  while (at < rows->end && *at != '\n' && *at != '\r') {
    if (is_blank(*at)) {
      at++;
      continue;
    }
    const char *start = at;
    while (at < rows->end && *at != '\n' && *at != '\r' && !is_blank(*at)) {
      at++;
    }
    if (t->n_words < most_words) {
      t->words[t->n_words] = (memplan_csv_cell){start, (size_t)(at - start), rows->line, rows->line_start, start};
    }
    t->n_words++;
  }
  at += at + 1 < rows->end && at[0] == '\r' && at[1] == '\n' ? 1 : 0;
  rows->next = at < rows->end ? at + 1 : at;
  return true;
}

static bool is_word(const trace *t, const char *word) {
  return strlen(word) == t->words[0].length && memcmp(word, t->words[0].text, t->words[0].length) == 0;
}

static memplan_status need_words(const trace *t, int32_t count, const char *form) {
  if (t->n_words == count) {
    return MEMPLAN_OK;
  }
  return memplan_csv_fail(&t->rows, &t->words[0], MEMPLAN_INPUT, t->error, "must stand in a line of the form '%s'",
                          form);
}

// ---- lines

// The name is the rest of the line, blanks and all.
static memplan_status read_model(trace *t) {
  if (t->named) {
    return fail_word(t, 0, "stands twice; a trace has one name");
  }
  if (t->n_words < 2) {
    return fail_word(t, 0, "must be followed by a name");
  }
  const char *end = t->words[1].text;
  for (const char *at = end; at < t->rows.end && *at != '\n' && *at != '\r'; at++) {
    end = is_blank(*at) ? end : at + 1;
  }
  t->named = true;
  t->instance->name = memplan_arena_text(&t->instance->arena, t->words[1].text, (size_t)(end - t->words[1].text));
  return t->instance->name != NULL ? MEMPLAN_OK : memplan_fail_nomem(t->error);
}

static memplan_status read_align(trace *t) {
  MEMPLAN_TRY(need_words(t, 2, "ALIGN bytes"));
  if (t->align >= 0 || t->n_events > 0) {
    return fail_word(t, 0, "must stand once, before all events");
  }
  MEMPLAN_TRY(memplan_csv_integer(&t->rows, &t->words[1], "the alignment", &t->align, t->error));
  return t->align >= 1 && t->align < MEMPLAN_SIZE_LIMIT
             ? MEMPLAN_OK
             : fail_word(t, 1, "as an alignment is outside 1 … 2^62 - 1; write 1 where there is none");
}

static memplan_status read_alloc(trace *t) {
  memplan_arena *arena = &t->instance->arena;
  MEMPLAN_TRY(need_words(t, 3, "ALLOC id size"));
  const memplan_csv_cell *word = &t->words[1];
  char *id = memplan_arena_text(arena, word->text, word->length);
  int32_t before = id != NULL ? memplan_names_find(&t->live, id) : 0;
  if (before > 0) {
    return fail_word(t, 1, "is allocated already; it has to be freed first");
  }
  if (t->n_buffers >= most_buffers) {
    return fail_word(t, 1, "is one buffer more than memplan can hold");
  }
  memplan_buffer *buffers = memplan_grow_heap(t->buffers, t->n_buffers, &t->capacity, sizeof *buffers);
  t->buffers = buffers != NULL ? buffers : t->buffers;
  memplan_interval **lives = memplan_grow_heap(t->lives, t->n_buffers, &t->lives_capacity, sizeof(void *));
  t->lives = lives != NULL ? lives : t->lives;
  memplan_interval *live = MEMPLAN_NEW(arena, memplan_interval, 1);
  if (id == NULL || buffers == NULL || lives == NULL || live == NULL ||
      !memplan_names_set(&t->live, id, t->n_buffers + 1)) {
    return memplan_fail_nomem(t->error);
  }
  memplan_buffer buffer = {.align = t->align > 0 ? t->align : 1, .pin = -1, .offset = -1, .hint = -1};
  int64_t column = memplan_csv_column(word);
  *live = (memplan_interval){t->n_events, INT64_MAX};
  buffer.id = memplan_names_unique(&t->ids, arena, id);
  buffer.live = live;
  buffer.n_live = 1;
  buffer.row = word->line <= INT32_MAX ? (int32_t)word->line : 0;
  buffer.column[MEMPLAN_CELL_ID] = column <= INT32_MAX ? (int32_t)column : 0;
  if (buffer.id == NULL) {
    return memplan_fail_nomem(t->error);
  }
  MEMPLAN_TRY(memplan_csv_integer(&t->rows, &t->words[2], "the size", &buffer.bytes, t->error));
  if (buffer.bytes < 0 || buffer.bytes > MEMPLAN_SIZE_LIMIT) {
    return fail_word(t, 2, "as a size is outside 0 … 2^62 bytes");
  }
  t->lives[t->n_buffers] = live;
  t->buffers[t->n_buffers++] = buffer;
  t->n_events++;
  return MEMPLAN_OK;
}

static memplan_status read_free(trace *t) {
  MEMPLAN_TRY(need_words(t, 2, "FREE id"));
  memplan_arena_mark mark = memplan_arena_get_mark(&t->instance->arena);
  const char *id = memplan_arena_text(&t->instance->arena, t->words[1].text, t->words[1].length);
  int32_t index = id != NULL ? memplan_names_find(&t->live, id) - 1 : -1;
  if (id == NULL || (index >= 0 && !memplan_names_set(&t->live, id, 0))) {
    return memplan_fail_nomem(t->error);
  }
  memplan_arena_release(&t->instance->arena, mark);
  if (index < 0) {
    return fail_word(t, 1, "is not allocated here; a buffer is freed once, behind its allocation");
  }
  t->lives[index]->end = t->n_events++;
  return MEMPLAN_OK;
}

static memplan_status read_mem(trace *t) {
  MEMPLAN_TRY(need_words(t, 2, "MEM bytes"));
  if (t->mem >= 0) {
    return fail_word(t, 0, "stands twice; a trace records one plan");
  }
  MEMPLAN_TRY(memplan_csv_integer(&t->rows, &t->words[1], "the recorded peak", &t->mem, t->error));
  if (t->mem < 0) {
    return fail_word(t, 1, "as a number of bytes is below 0");
  }
  return memplan_remarks_note(&t->remarks, t->error, "%s:%lld: the trace records a plan of %lld bytes", t->rows.name,
                              (long long)t->words[0].line, (long long)t->mem);
}

// Digits, with a point among or before them; nothing is done with the number.
static memplan_status read_eff(trace *t) {
  MEMPLAN_TRY(need_words(t, 2, "EFF ratio"));
  const memplan_csv_cell *word = &t->words[1];
  size_t digits = 0;
  size_t points = 0;
  for (size_t i = 0; i < word->length; i++) {
    digits += word->text[i] >= '0' && word->text[i] <= '9' ? 1 : 0;
    points += word->text[i] == '.' ? 1 : 0;
  }
  if (t->rated) {
    return fail_word(t, 0, "stands twice; a trace records one plan");
  }
  t->rated = true;
  return digits > 0 && points <= 1 && digits + points == word->length
             ? MEMPLAN_OK
             : fail_word(t, 1, "is no ratio; write it in decimal digits");
}

static memplan_status read_line(trace *t) {
  static const struct {
    const char *word;
    memplan_status (*read)(trace *t);
    bool event;
  } kinds[] = {{"MODEL", read_model, false}, {"ALIGN", read_align, false}, {"ALLOC", read_alloc, true},
               {"FREE", read_free, true},    {"MEM", read_mem, false},     {"EFF", read_eff, false}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (!is_word(t, kinds[i].word)) {
      continue;
    }
    if (kinds[i].event && (t->mem >= 0 || t->rated)) {
      return fail_word(t, 0, "stands behind the recorded result, which ends a trace");
    }
    return kinds[i].read(t);
  }
  return fail_word(t, 0, "is no line of a trace; each begins with MODEL, ALIGN, ALLOC, FREE, MEM or EFF");
}

// ---- the trace

static memplan_status finish(trace *t) {
  memplan_instance *instance = t->instance;
  instance->buffers = MEMPLAN_NEW(&instance->arena, memplan_buffer, t->n_buffers);
  if (instance->buffers == NULL) {
    return memplan_fail_nomem(t->error);
  }
  int64_t never_freed = 0;
  for (int32_t i = 0; i < t->n_buffers; i++) {
    if (t->lives[i]->end == INT64_MAX) {
      t->lives[i]->end = t->n_events + never_freed++;
    }
    instance->buffers[i] = t->buffers[i];
  }
  instance->n_buffers = t->n_buffers;
  if (never_freed > 0) {
    MEMPLAN_TRY(memplan_remarks_note(&t->remarks, t->error, "%s: %lld buffers are never freed: they live to the end",
                                     t->rows.name, (long long)never_freed));
  }
  return memplan_remarks_finish(&t->remarks, t->error);
}

static memplan_status read_lines(trace *t) {
  for (; next_line(t); t->rows.line++) {
    if (t->n_words > 0) {
      MEMPLAN_TRY(read_line(t));
    }
  }
  if (!t->named && t->align < 0 && t->n_buffers == 0) {
    return memplan_fail(t->error, MEMPLAN_INPUT, "%s:1:1: the trace is empty; it needs lines such as ALLOC 1 4096",
                        t->rows.name);
  }
  return finish(t);
}

memplan_status memplan_glow_parse(const char *text, size_t length, const char *path,
                                  const memplan_problem_options *options, memplan_instance *instance,
                                  memplan_error *error) {
  trace t = {.instance = instance, .align = -1, .mem = -1, .error = error};
  t.remarks.instance = instance;
  t.remarks.strict = options->strict;
  memplan_status status = memplan_csv_rows_init(&t.rows, text, length, path, error);
  if (status == MEMPLAN_OK) {
    status = read_lines(&t);
  }
  free(t.buffers);
  free(t.lives);
  memplan_names_free(&t.live);
  memplan_names_free(&t.ids);
  memplan_csv_rows_free(&t.rows);
  return status;
}
