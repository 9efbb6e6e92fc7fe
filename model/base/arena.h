// SPDX-License-Identifier: Apache-2.0
// Arena allocator: one arena owns all memory of one object or one solve, so that ownership is one sentence and an early
// return needs no clean-up ladder. Not thread-safe: one arena per thread.
#ifndef MEMPLAN_BASE_ARENA_H
#define MEMPLAN_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memplan_arena_chunk memplan_arena_chunk;

typedef struct memplan_arena {
  memplan_arena_chunk *head; // newest chunk; NULL for an empty arena
} memplan_arena;

// A position in an arena, to which it can be rolled back.
typedef struct memplan_arena_mark {
  memplan_arena_chunk *head;
  size_t used;
} memplan_arena_mark;

// An empty arena; allocates nothing. `{0}` is an empty arena too.
void memplan_arena_init(memplan_arena *arena);

// Frees everything. The arena is empty afterwards and may be used again.
void memplan_arena_free(memplan_arena *arena);

// `count` objects of `size` bytes, zeroed, aligned for any type. NULL if memory is out or the product overflows.
// A count of zero gives a valid pointer that must not be read.
void *memplan_arena_alloc(memplan_arena *arena, size_t count, size_t size);

// As memplan_arena_alloc, but with undefined contents: for large stacks of which little is ever touched.
void *memplan_arena_alloc_raw(memplan_arena *arena, size_t count, size_t size);

// A copy of `length` bytes of `text` with a closing zero. NULL if memory is out.
char *memplan_arena_text(memplan_arena *arena, const char *text, size_t length);

// Appends `line` to a list of lines that grows in the arena (by doubling; old copies stay there). False if memory is
// out.
bool memplan_arena_append(memplan_arena *arena, const char ***lines, int32_t *n_lines, const char *line);

// Formats a line (cut at 511 bytes, control characters written out as model/base/quote.h says) and appends it.
bool memplan_arena_append_line(memplan_arena *arena, const char ***lines, int32_t *n_lines, const char *format,
                               va_list arguments);

memplan_arena_mark memplan_arena_get_mark(const memplan_arena *arena);

// Frees all that was allocated after the mark was taken.
void memplan_arena_release(memplan_arena *arena, memplan_arena_mark mark);

#define MEMPLAN_NEW(arena, type, count) ((type *)memplan_arena_alloc((arena), (size_t)(count), sizeof(type)))
#define MEMPLAN_NEW_RAW(arena, type, count) ((type *)memplan_arena_alloc_raw((arena), (size_t)(count), sizeof(type)))

#endif
