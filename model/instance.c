// SPDX-License-Identifier: Apache-2.0
// Life cycle of an instance, its load and the peak of a placement.
#include "model/instance.h"

#include "model/instance_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void memplan_instance_init(memplan_instance *instance) {
  memset(instance, 0, sizeof *instance);
  instance->name = "";
  instance->source = "";
}

void memplan_instance_free(memplan_instance *instance) {
  memplan_arena_free(&instance->arena);
  memplan_instance_init(instance);
}

int32_t memplan_pool_find(const memplan_pool *pools, int32_t n_pools, const char *id) {
  for (int32_t pool = 0; id != NULL && pool < n_pools; pool++) {
    if (strcmp(pools[pool].id, id) == 0) {
      return pool;
    }
  }
  return -1;
}

int32_t memplan_instance_find_pool(const memplan_instance *instance, const char *id) {
  return id == NULL && instance->n_pools == 1 ? 0 : memplan_pool_find(instance->pools, instance->n_pools, id);
}

const char *memplan_buffer_row(const memplan_buffer *buffer, memplan_buffer_cell cell, char *text) {
  text[0] = '\0';
  if (buffer->row > 0 && buffer->column[cell] > 0) {
    (void)snprintf(text, MEMPLAN_ROW_TEXT, " (line %d, column %d)", buffer->row, buffer->column[cell]);
  } else if (buffer->row > 0) {
    (void)snprintf(text, MEMPLAN_ROW_TEXT, " (line %d)", buffer->row);
  }
  return text;
}

bool memplan_instance_warn(memplan_instance *instance, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bool good =
      memplan_arena_append_line(&instance->arena, &instance->warnings, &instance->n_warnings, format, arguments);
  va_end(arguments);
  return good;
}

memplan_status memplan_instance_resolve(memplan_instance *instance, int64_t align, memplan_error *error) {
  memplan_part *parts;
  int32_t *first_part;
  instance->contradiction = false;
  MEMPLAN_TRY(memplan_instance_check(instance, align, error));
  MEMPLAN_TRY(memplan_instance_make_parts(instance, &parts, &first_part, error));
  MEMPLAN_TRY(memplan_instance_make_blocks(instance, parts, first_part, error));
  return memplan_instance_check_blocks(instance, error);
}

bool memplan_instance_is_timeless(const memplan_instance *instance) {
  return instance->n_parts == 0 && instance->naive_bytes > 0 && instance->n_conflicts + instance->n_separate > 0;
}

int64_t *memplan_instance_profile(const memplan_instance *instance, memplan_arena *arena) {
  int64_t *load = MEMPLAN_NEW(arena, int64_t, instance->n_times + 1);
  if (load == NULL) {
    return NULL;
  }
  for (int32_t k = 0; k < instance->n_parts; k++) {
    const memplan_part *part = &instance->parts[k];
    load[part->start] += part->high - part->low;
    load[part->end] -= part->high - part->low;
  }
  for (int32_t time = 1; time < instance->n_times; time++) {
    load[time] += load[time - 1];
  }
  return load;
}

int64_t memplan_instance_peak(const memplan_instance *instance, const int64_t *block_offset) {
  int64_t peak = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0) {
      int64_t end = block_offset[block] + instance->blocks[block].bytes;
      peak = end > peak ? end : peak;
    }
  }
  return peak;
}
