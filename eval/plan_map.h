// SPDX-License-Identifier: Apache-2.0
// A plan seen as rectangles of time and bytes: what figures draw and what fragmentation is measured on.
#ifndef MEMPLAN_EVAL_PLAN_MAP_H
#define MEMPLAN_EVAL_PLAN_MAP_H

#include "model/memplan.h"

typedef enum memplan_buffer_class {
  MEMPLAN_CLASS_BUFFER = 0, // of a placement problem, which tells no more
  MEMPLAN_CLASS_ACTIVATION,
  MEMPLAN_CLASS_INPUT,
  MEMPLAN_CLASS_OUTPUT,
  MEMPLAN_CLASS_WORKSPACE,
  MEMPLAN_CLASS_WEIGHT,
  MEMPLAN_CLASS_VARIABLE,
  MEMPLAN_CLASS_COUNT
} memplan_buffer_class;

const char *memplan_buffer_class_name(memplan_buffer_class class_of_buffer);

// `buffer` occupies the bytes [low, high) of its pool at the times [start, end).
typedef struct memplan_rect {
  int64_t start, end, low, high;
  int32_t buffer, pool;
} memplan_rect;

typedef struct memplan_plan_map {
  memplan_arena arena;
  const memplan_instance *instance; // not owned
  memplan_rect *rects;              // by buffer, then time; none is empty
  int64_t *offset;                  // by buffer
  int32_t *pool;                    // by buffer
  uint8_t *class_of;                // by buffer: memplan_buffer_class
  int64_t *pool_peak;               // by pool
  int64_t *load;                    // by time rank of the instance
  bool timeless;                    // no lifetimes: rectangles lie in columns, side by side, instead of times
  int64_t first_time, last_time;    // times of the rectangles, or the steps of the order: [first, last)
  int32_t n_rects;
} memplan_plan_map;

// Of the solution's plan, which must be there. Only MEMPLAN_NOMEM can happen. O(n log n).
memplan_status memplan_plan_map_init(memplan_plan_map *map, const memplan_problem *problem,
                                     const memplan_solution *solution, memplan_error *error);
void memplan_plan_map_free(memplan_plan_map *map);

#endif
