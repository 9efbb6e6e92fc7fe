// SPDX-License-Identifier: Apache-2.0
// Rectangles come from the buffers' own lifetimes and gaps; an in-place pair shows as an output that starts beside its
// input's bytes and takes them over one step later.
#include "eval/plan_map.h"

#include "model/base/names.h"
#include "model/occupancy.h"

#include <stdlib.h>

const char *memplan_buffer_class_name(memplan_buffer_class class_of_buffer) {
  static const char *const names[MEMPLAN_CLASS_COUNT] = {
      [MEMPLAN_CLASS_BUFFER] = "buffer",       [MEMPLAN_CLASS_ACTIVATION] = "activation",
      [MEMPLAN_CLASS_INPUT] = "input",         [MEMPLAN_CLASS_OUTPUT] = "output",
      [MEMPLAN_CLASS_WORKSPACE] = "workspace", [MEMPLAN_CLASS_WEIGHT] = "weight",
      [MEMPLAN_CLASS_VARIABLE] = "variable"};
  return names[class_of_buffer];
}

static uint8_t class_of_roles(uint8_t roles) {
  if ((roles & MEMPLAN_ROLE_WEIGHT) != 0) {
    return MEMPLAN_CLASS_WEIGHT;
  }
  if ((roles & MEMPLAN_ROLE_VARIABLE) != 0) {
    return MEMPLAN_CLASS_VARIABLE;
  }
  if ((roles & MEMPLAN_ROLE_INPUT) != 0) {
    return MEMPLAN_CLASS_INPUT;
  }
  return (roles & MEMPLAN_ROLE_OUTPUT) != 0 ? MEMPLAN_CLASS_OUTPUT : MEMPLAN_CLASS_ACTIVATION;
}

// Buffers of a graph are named by the root tensor of their storage; the others are workspaces.
static memplan_status find_classes(memplan_plan_map *map, const memplan_problem *problem, memplan_error *error) {
  if (!problem->has_graph) {
    return MEMPLAN_OK; // zeroed: MEMPLAN_CLASS_BUFFER
  }
  const memplan_graph *graph = &problem->graph;
  memplan_names names = {0};
  memplan_status status = MEMPLAN_OK;
  for (int32_t i = 0; i < graph->n_storages && status == MEMPLAN_OK; i++) {
    if (memplan_names_add(&names, graph->tensors[graph->storages[i].root].id, i) == -2) {
      status = memplan_fail_nomem(error);
    }
  }
  for (int32_t i = 0; i < map->instance->n_buffers && status == MEMPLAN_OK; i++) {
    int32_t storage = memplan_names_find(&names, map->instance->buffers[i].id);
    map->class_of[i] = storage < 0 ? MEMPLAN_CLASS_WORKSPACE : class_of_roles(graph->storages[storage].roles);
  }
  memplan_names_free(&names);
  return status;
}

// `pieces`: scratch.
static void add_buffer(memplan_plan_map *map, int32_t index, const memplan_occupancy *occupancy, memplan_gap *pieces) {
  int64_t offset = map->offset[index];
  int32_t count = memplan_occupancy_cut(occupancy, map->instance->buffers[index].bytes, pieces);
  for (int32_t k = 0; k < count; k++) {
    const memplan_gap *piece = &pieces[k];
    map->rects[map->n_rects++] =
        (memplan_rect){piece->start, piece->end, offset + piece->low, offset + piece->high, index, map->pool[index]};
  }
}

static memplan_status find_rects(memplan_plan_map *map, memplan_error *error) {
  const memplan_instance *instance = map->instance;
  size_t limit = 0;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    limit += (size_t)instance->buffers[i].n_live + 2 * (size_t)instance->buffers[i].n_gaps;
  }
  map->rects = MEMPLAN_NEW(&map->arena, memplan_rect, limit);
  if (map->rects == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_arena scratch = {0};
  memplan_status status = MEMPLAN_OK;
  for (int32_t i = 0; i < instance->n_buffers && status == MEMPLAN_OK; i++) {
    memplan_occupancy occupancy;
    memplan_arena_mark mark = memplan_arena_get_mark(&scratch);
    const memplan_buffer *buffer = &instance->buffers[i];
    memplan_gap *pieces = MEMPLAN_NEW(&scratch, memplan_gap, (size_t)buffer->n_live + 2 * (size_t)buffer->n_gaps);
    if (pieces != NULL && memplan_buffer_occupancy(buffer, &scratch, &occupancy)) {
      add_buffer(map, i, &occupancy, pieces);
    } else {
      status = memplan_fail_nomem(error);
    }
    memplan_arena_release(&scratch, mark);
  }
  memplan_arena_free(&scratch);
  return status;
}

typedef struct column_event {
  int64_t at;
  int32_t buffer;
} column_event;

static int compare_events(const void *left, const void *right) {
  const column_event *a = left, *b = right;
  if (a->at != b->at) {
    return a->at < b->at ? -1 : 1;
  }
  return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

// Each buffer goes into a column that is free at its bytes, of these the one left last; so there are as many columns as
// buffers that share a byte.
static memplan_status find_columns(memplan_plan_map *map, memplan_error *error) {
  int32_t n = 0, n_free = 0, n_columns = 0, ended = 0;
  int32_t n_buffers = map->instance->n_buffers;
  memplan_arena scratch = {0};
  column_event *starts = MEMPLAN_NEW(&scratch, column_event, n_buffers);
  column_event *ends = MEMPLAN_NEW(&scratch, column_event, n_buffers);
  int32_t *column = MEMPLAN_NEW(&scratch, int32_t, n_buffers), *unused = MEMPLAN_NEW(&scratch, int32_t, n_buffers);
  map->rects = MEMPLAN_NEW(&map->arena, memplan_rect, n_buffers);
  if (starts == NULL || ends == NULL || column == NULL || unused == NULL || map->rects == NULL) {
    memplan_arena_free(&scratch);
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < n_buffers; i++) {
    if (map->instance->buffers[i].bytes > 0) {
      starts[n] = (column_event){map->offset[i], i};
      ends[n++] = (column_event){map->offset[i] + map->instance->buffers[i].bytes, i};
    }
  }
  qsort(starts, (size_t)n, sizeof *starts, compare_events);
  qsort(ends, (size_t)n, sizeof *ends, compare_events);
  for (int32_t k = 0; k < n; k++) {
    while (ends[ended].at <= starts[k].at) {
      unused[n_free++] = column[ends[ended++].buffer];
    }
    column[starts[k].buffer] = n_free > 0 ? unused[--n_free] : n_columns++;
  }
  for (int32_t i = 0; i < n_buffers; i++) {
    int64_t bytes = map->instance->buffers[i].bytes, low = map->offset[i];
    if (bytes > 0) {
      map->rects[map->n_rects++] = (memplan_rect){column[i], column[i] + 1, low, low + bytes, i, map->pool[i]};
    }
  }
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}

static void find_offsets(memplan_plan_map *map, const memplan_solution *solution) {
  const memplan_instance *instance = map->instance;
  for (int32_t i = 0; i < instance->n_blocks; i++) {
    const memplan_block *block = &instance->blocks[i];
    for (int32_t j = 0; j < block->n_members; j++) {
      const memplan_member *member = &instance->members[block->first_member + j];
      map->offset[member->buffer] = solution->offset[i] + member->delta;
      map->pool[member->buffer] = solution->pool[i];
    }
  }
}

static void find_extent(memplan_plan_map *map, const memplan_problem *problem) {
  map->last_time = problem->has_graph ? problem->graph.n_ops : 0;
  for (int32_t i = 0; i < map->n_rects; i++) {
    const memplan_rect *rect = &map->rects[i];
    bool first = i == 0 && !problem->has_graph;
    map->first_time = first || rect->start < map->first_time ? rect->start : map->first_time;
    map->last_time = first || rect->end > map->last_time ? rect->end : map->last_time;
  }
  for (int32_t i = 0; i < map->instance->n_buffers; i++) {
    int64_t bytes = map->instance->buffers[i].bytes, *peak = &map->pool_peak[map->pool[i]];
    if (bytes > 0 && map->offset[i] + bytes > *peak) {
      *peak = map->offset[i] + bytes;
    }
  }
}

memplan_status memplan_plan_map_init(memplan_plan_map *map, const memplan_problem *problem,
                                     const memplan_solution *solution, memplan_error *error) {
  const memplan_instance *instance = memplan_solution_instance(problem, solution);
  *map = (memplan_plan_map){.instance = instance};
  map->offset = MEMPLAN_NEW(&map->arena, int64_t, instance->n_buffers);
  map->pool = MEMPLAN_NEW(&map->arena, int32_t, instance->n_buffers);
  map->class_of = MEMPLAN_NEW(&map->arena, uint8_t, instance->n_buffers);
  map->pool_peak = MEMPLAN_NEW(&map->arena, int64_t, instance->n_pools);
  map->load = memplan_instance_profile(instance, &map->arena);
  if (map->offset == NULL || map->pool == NULL || map->class_of == NULL || map->pool_peak == NULL ||
      map->load == NULL) {
    return memplan_fail_nomem(error);
  }
  find_offsets(map, solution);
  MEMPLAN_TRY(find_classes(map, problem, error));
  map->timeless = memplan_instance_is_timeless(instance);
  MEMPLAN_TRY(map->timeless ? find_columns(map, error) : find_rects(map, error));
  find_extent(map, problem);
  return MEMPLAN_OK;
}

void memplan_plan_map_free(memplan_plan_map *map) {
  memplan_arena_free(&map->arena);
  *map = (memplan_plan_map){0};
}
