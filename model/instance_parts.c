// SPDX-License-Identifier: Apache-2.0
// Second step: lifetimes and gaps become rectangles of time ranks and byte windows.
#include "model/base/number.h"
#include "model/instance_steps.h"
#include "model/occupancy.h"

#include <stdlib.h>

// The pieces of a checked buffer.
static int32_t cut_buffer(const memplan_instance *instance, int32_t index, memplan_gap *pieces) {
  const memplan_buffer *buffer = &instance->buffers[index];
  const memplan_occupancy occupancy = {buffer->live, buffer->gaps, buffer->n_live, buffer->n_gaps};
  return memplan_occupancy_cut(&occupancy, buffer->bytes, pieces);
}

static int32_t rank_of(const int64_t *times, int32_t n_times, int64_t time) {
  int32_t low = 0, high = n_times;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (times[middle] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

memplan_status memplan_instance_make_parts(memplan_instance *instance, memplan_part **parts, int32_t **first_part,
                                           memplan_error *error) {
  int64_t n_pieces = 0;
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    n_pieces += cut_buffer(instance, index, NULL);
  }
  if (n_pieces > INT32_MAX / 4) {
    return memplan_fail(error, MEMPLAN_INPUT, "the instance has more than 2^29 pieces of lifetimes");
  }
  memplan_arena *arena = &instance->arena;
  memplan_gap *pieces = MEMPLAN_NEW(arena, memplan_gap, n_pieces);
  *first_part = MEMPLAN_NEW(arena, int32_t, instance->n_buffers + 1);
  *parts = MEMPLAN_NEW(arena, memplan_part, n_pieces);
  instance->times = MEMPLAN_NEW(arena, int64_t, 2 * n_pieces + 1);
  if (pieces == NULL || *first_part == NULL || *parts == NULL || instance->times == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    int32_t first = (*first_part)[index];
    (*first_part)[index + 1] = first + cut_buffer(instance, index, &pieces[first]);
    for (int32_t k = first; k < (*first_part)[index + 1]; k++) {
      (*parts)[k].buffer = index;
    }
  }
  int32_t count = 0;
  for (int64_t k = 0; k < n_pieces; k++) {
    instance->times[count++] = pieces[k].start;
    instance->times[count++] = pieces[k].end;
  }
  if (count > 1) {
    qsort(instance->times, (size_t)count, sizeof *instance->times, memplan_compare_int64);
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < count; k++) {
    if (kept == 0 || instance->times[k] != instance->times[kept - 1]) {
      instance->times[kept++] = instance->times[k];
    }
  }
  // The last time only ends lifetimes: ranks 0 ... n_times-1 are the stretches between neighbouring times.
  instance->n_times = kept > 0 ? kept - 1 : 0;
  for (int64_t k = 0; k < n_pieces; k++) {
    memplan_part *part = &(*parts)[k];
    part->start = rank_of(instance->times, kept, pieces[k].start);
    part->end = rank_of(instance->times, kept, pieces[k].end);
    part->low = pieces[k].low;
    part->high = pieces[k].high;
  }
  return MEMPLAN_OK;
}
