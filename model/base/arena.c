// SPDX-License-Identifier: Apache-2.0
// Chunks grow geometrically; each allocation is rounded up so that the next one is aligned for any type.
#include "model/base/arena.h"

#include "model/base/quote.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memplan_arena_chunk {
  memplan_arena_chunk *older;
  size_t used;
  size_t size;
  max_align_t data[];
};

static const size_t first_chunk_bytes = 4096;
static const size_t largest_growth_bytes = (size_t)64 << 20;

void memplan_arena_init(memplan_arena *arena) { arena->head = NULL; }

void memplan_arena_free(memplan_arena *arena) {
  memplan_arena_chunk *chunk = arena->head;
  while (chunk != NULL) {
    memplan_arena_chunk *older = chunk->older;
    free(chunk);
    chunk = older;
  }
  arena->head = NULL;
}

static memplan_arena_chunk *add_chunk(memplan_arena *arena, size_t bytes) {
  size_t size = first_chunk_bytes;
  if (arena->head != NULL) {
    size = arena->head->size < largest_growth_bytes ? 2 * arena->head->size : largest_growth_bytes;
  }
  if (size < bytes) {
    size = bytes;
  }
  memplan_arena_chunk *chunk = malloc(sizeof *chunk + size);
  if (chunk == NULL) {
    return NULL;
  }
  chunk->older = arena->head;
  chunk->used = 0;
  chunk->size = size;
  arena->head = chunk;
  return chunk;
}

// Rounded up so that the next allocation is aligned.
static size_t rounded_bytes(size_t count, size_t size) {
  return (count * size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

void *memplan_arena_alloc_raw(memplan_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX / 4) / size) {
    return NULL;
  }
  size_t bytes = rounded_bytes(count, size);
  memplan_arena_chunk *chunk = arena->head;
  if (chunk == NULL || chunk->size - chunk->used < bytes) {
    chunk = add_chunk(arena, bytes);
    if (chunk == NULL) {
      return NULL;
    }
  }
  char *place = (char *)chunk->data + chunk->used;
  chunk->used += bytes;
  return place;
}

void *memplan_arena_alloc(memplan_arena *arena, size_t count, size_t size) {
  void *place = memplan_arena_alloc_raw(arena, count, size);
  if (place != NULL) {
    memset(place, 0, rounded_bytes(count, size));
  }
  return place;
}

char *memplan_arena_text(memplan_arena *arena, const char *text, size_t length) {
  char *copy = memplan_arena_alloc(arena, length + 1, 1);
  if (copy != NULL && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

bool memplan_arena_append(memplan_arena *arena, const char ***lines, int32_t *n_lines, const char *line) {
  int32_t count = *n_lines;
  if ((count & (count - 1)) == 0) {
    const char **grown = MEMPLAN_NEW(arena, const char *, count == 0 ? 1 : 2 * count);
    if (grown == NULL) {
      return false;
    }
    if (count > 0) {
      memcpy(grown, *lines, (size_t)count * sizeof *grown);
    }
    *lines = grown;
  }
  (*lines)[count] = line;
  *n_lines = count + 1;
  return true;
}

bool memplan_arena_append_line(memplan_arena *arena, const char ***lines, int32_t *n_lines, const char *format,
                               va_list arguments) {
  char line[512];
  int length = vsnprintf(line, sizeof line, format, arguments);
  memplan_show_in_place(line, sizeof line, length >= (int)sizeof line);
  const char *text = memplan_arena_text(arena, line, strlen(line));
  return text != NULL && memplan_arena_append(arena, lines, n_lines, text);
}

memplan_arena_mark memplan_arena_get_mark(const memplan_arena *arena) {
  memplan_arena_mark mark = {arena->head, arena->head != NULL ? arena->head->used : 0};
  return mark;
}

void memplan_arena_release(memplan_arena *arena, memplan_arena_mark mark) {
  while (arena->head != mark.head) {
    memplan_arena_chunk *chunk = arena->head;
    arena->head = chunk->older;
    free(chunk);
  }
  if (arena->head != NULL) {
    arena->head->used = mark.used;
  }
}
