// SPDX-License-Identifier: Apache-2.0
// Second step: lifetimes and gaps become rectangles of time ranks and byte windows.
#include "model/base/keyed.h"
#include "model/instance_steps.h"
#include "model/occupancy.h"

// The pieces of a checked buffer.
static int32_t cut_buffer(const memplan_instance *instance, int32_t index, memplan_gap *pieces) {
  const memplan_buffer *buffer = &instance->buffers[index];
  const memplan_occupancy occupancy = {buffer->live, buffer->gaps, buffer->n_live, buffer->n_gaps};
  return memplan_occupancy_cut(&occupancy, buffer->bytes, pieces);
}

// The times at which something begins or ends, each once, and their ranks in the parts; -1 - k stands for the end of
// part k. False if memory is out.
static bool rank_times(memplan_instance *instance, const memplan_gap *pieces, int64_t n_pieces, memplan_part *parts) {
  memplan_arena scratch = {0};
  memplan_keyed *events = MEMPLAN_NEW_RAW(&scratch, memplan_keyed, 2 * n_pieces);
  memplan_keyed *spare = MEMPLAN_NEW_RAW(&scratch, memplan_keyed, 2 * n_pieces);
  bool good = events != NULL && spare != NULL;
  int32_t count = 0;
  for (int32_t k = 0; good && k < n_pieces; k++) {
    events[count++] = (memplan_keyed){pieces[k].start, k};
    events[count++] = (memplan_keyed){pieces[k].end, -1 - k};
  }
  int32_t kept = 0;
  if (good) {
    memplan_keyed_sort(events, count, spare);
  }
  for (int32_t k = 0; k < count; k++) {
    if (kept == 0 || events[k].key != instance->times[kept - 1]) {
      instance->times[kept++] = events[k].key;
    }
    if (events[k].index >= 0) {
      parts[events[k].index].start = kept - 1;
    } else {
      parts[-1 - events[k].index].end = kept - 1;
    }
  }
  // The last time only ends lifetimes: ranks 0 ... n_times-1 are the stretches between neighbouring times.
  instance->n_times = kept > 0 ? kept - 1 : 0;
  memplan_arena_free(&scratch);
  return good;
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
  if (!rank_times(instance, pieces, n_pieces, *parts)) {
    return memplan_fail_nomem(error);
  }
  for (int64_t k = 0; k < n_pieces; k++) {
    (*parts)[k].low = pieces[k].low;
    (*parts)[k].high = pieces[k].high;
  }
  return MEMPLAN_OK;
}
