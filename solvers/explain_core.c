// SPDX-License-Identifier: Apache-2.0
// "These blocks do not fit" is monotone: it stays true when blocks are added. So a block without which the rest was
// seen to fit is needed by every later, smaller set too, and one pass over single blocks proves minimality. Runs of
// neighbours in canonical order (which is an order in time) go first, halved until they are single blocks: what is far
// from the core in time leaves in few questions.
#include "solvers/explain_core.h"

#include "model/base/number.h"
#include "model/occupancy.h"

#include <stdlib.h>
#include <string.h>

int64_t memplan_core_load(memplan_core *core, const int32_t *blocks, int32_t n_blocks, int32_t *rank) {
  const memplan_instance *instance = core->task->instance;
  int32_t first = instance->n_times, last = 0;
  for (int32_t b = 0; b < n_blocks; b++) {
    const memplan_block *block = &instance->blocks[blocks[b]];
    for (int32_t k = 0; k < block->n_parts; k++) {
      const memplan_part *part = &instance->parts[block->first_part + k];
      core->change[part->start] += part->high - part->low;
      core->change[part->end] -= part->high - part->low;
    }
    first = block->n_parts > 0 && block->start < first ? block->start : first;
    last = block->end > last ? block->end : last;
  }
  int64_t load = 0, most = 0;
  *rank = -1;
  for (int32_t time = first; time <= last && first < instance->n_times; time++) {
    load += core->change[time];
    core->change[time] = 0;
    if (load > most) {
      most = load;
      *rank = time;
    }
  }
  return most;
}

int64_t memplan_core_height(const memplan_instance *instance, int32_t pool, int64_t bytes, memplan_arena *scratch) {
  const memplan_pool *entry = &instance->pools[pool];
  memplan_interval *reserved = MEMPLAN_NEW(scratch, memplan_interval, entry->n_reserved);
  if (reserved == NULL) {
    return -1;
  }
  if (entry->n_reserved > 0) {
    memcpy(reserved, entry->reserved, (size_t)entry->n_reserved * sizeof *reserved);
  }
  int32_t count = memplan_intervals_merge(reserved, entry->n_reserved);
  int64_t height = bytes;
  for (int32_t k = 0; k < count && reserved[k].start < height; k++) {
    height += reserved[k].end - reserved[k].start;
  }
  return height;
}

static int compare_align(const void *left, const void *right) {
  const memplan_block *const *a = left, *const *b = right;
  if ((*a)->align != (*b)->align) {
    return (*a)->align > (*b)->align ? -1 : 1;
  }
  return ((*a)->first_member > (*b)->first_member) - ((*a)->first_member < (*b)->first_member);
}

int64_t memplan_core_stack(const memplan_core *core, const int32_t *blocks, int32_t n_blocks) {
  const memplan_instance *instance = core->task->instance;
  if (core->room.pool < 0 || instance->pools[core->room.pool].n_reserved > 0) {
    return -1;
  }
  memplan_arena scratch = {0};
  const memplan_block **sorted = MEMPLAN_NEW(&scratch, const memplan_block *, n_blocks);
  int64_t base = instance->pools[core->room.pool].base, top = sorted == NULL ? -1 : 0;
  for (int32_t b = 0; b < n_blocks && top >= 0; b++) {
    sorted[b] = &instance->blocks[blocks[b]];
    top = sorted[b]->pin >= 0 ? -1 : top;
  }
  if (n_blocks > 1 && top >= 0) {
    qsort(sorted, (size_t)n_blocks, sizeof *sorted, compare_align);
  }
  for (int32_t b = 0; b < n_blocks && top >= 0; b++) {
    // Blocks that are never live together may sum up to more than any number here may hold.
    bool small = top < MEMPLAN_OFFSET_LIMIT && sorted[b]->bytes < MEMPLAN_OFFSET_LIMIT &&
                 sorted[b]->align < MEMPLAN_OFFSET_LIMIT;
    top = small ? memplan_align_up(base + top, sorted[b]->align, sorted[b]->residue) - base + sorted[b]->bytes : -1;
  }
  memplan_arena_free(&scratch);
  return top;
}

int64_t memplan_core_pinned(const memplan_core *core, const int32_t *blocks, int32_t n_blocks) {
  int64_t end = 0;
  for (int32_t b = 0; b < n_blocks; b++) {
    const memplan_block *block = &core->task->instance->blocks[blocks[b]];
    end = block->pin >= 0 && block->pin + block->bytes > end ? block->pin + block->bytes : end;
  }
  return end;
}

memplan_status memplan_core_decide(memplan_core *core, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                                   int64_t ticks, memplan_fit *fit, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  bool limited = core->room.capacity >= 0;
  int32_t rank;
  *fit = MEMPLAN_FIT_UNKNOWN;
  if (limited && capacity == core->room.capacity &&
      memplan_core_load(core, blocks, n_blocks, &rank) > core->room.bytes) {
    *fit = MEMPLAN_FIT_NO;
    return MEMPLAN_OK;
  }
  if (limited && core->room.pool >= 0 && memplan_core_pinned(core, blocks, n_blocks) > capacity) {
    *fit = MEMPLAN_FIT_NO;
    return MEMPLAN_OK;
  }
  int64_t stack = limited ? memplan_core_stack(core, blocks, n_blocks) : -1;
  if (n_blocks == 0 || (stack >= 0 && stack <= capacity)) {
    *fit = MEMPLAN_FIT_YES;
    return MEMPLAN_OK;
  }
  if (memplan_limits_reached(&core->task->solve->limits) != MEMPLAN_STOP_DONE) {
    return MEMPLAN_OK;
  }
  // Several pools have their own capacities, which no question changes.
  return core->task->fits(instance, blocks, n_blocks, instance->n_pools > 1 ? core->task->capacity : capacity, ticks,
                          &core->task->solve->limits, fit, error);
}

// The set without blocks[from … to-1].
static int32_t leave_out(const int32_t *blocks, int32_t n_blocks, int32_t from, int32_t to, int32_t *rest) {
  int32_t kept = 0;
  for (int32_t k = 0; k < n_blocks; k++) {
    if (k < from || k >= to) {
      rest[kept++] = blocks[k];
    }
  }
  return kept;
}

// One pass over runs of `size` blocks.
static memplan_status delete_runs(memplan_core *core, int32_t *blocks, int32_t *n_blocks, int32_t size, int32_t *rest,
                                  int32_t *unproven, memplan_error *error) {
  int32_t at = 0;
  *unproven = 0;
  while (at < *n_blocks) {
    int32_t end = *n_blocks - at > size ? at + size : *n_blocks;
    int32_t kept = leave_out(blocks, *n_blocks, at, end, rest);
    memplan_fit fit;
    MEMPLAN_TRY(memplan_core_decide(core, rest, kept, core->room.capacity,
                                    core->task->ticks_each > 0 ? core->task->ticks_each : MEMPLAN_CAPACITY_TICKS_EACH,
                                    &fit, error));
    if (fit == MEMPLAN_FIT_NO) {
      memcpy(blocks, rest, (size_t)kept * sizeof *blocks);
      *n_blocks = kept;
    } else {
      *unproven += fit == MEMPLAN_FIT_UNKNOWN ? 1 : 0;
      at = end;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_core_shrink(memplan_core *core, int32_t *blocks, int32_t *n_blocks, int32_t *unproven,
                                   memplan_error *error) {
  int32_t *rest = MEMPLAN_NEW(core->arena, int32_t, *n_blocks);
  if (rest == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t size = *n_blocks / 2; size > 1; size = (size < *n_blocks ? size : *n_blocks) / 2) {
    MEMPLAN_TRY(delete_runs(core, blocks, n_blocks, size, rest, unproven, error));
  }
  // A search that gave up on the larger set may succeed on the smaller one.
  int32_t before;
  do {
    before = *n_blocks;
    MEMPLAN_TRY(delete_runs(core, blocks, n_blocks, 1, rest, unproven, error));
  } while (*unproven > 0 && *n_blocks < before);
  return MEMPLAN_OK;
}

memplan_status memplan_core_measure(memplan_core *core, const int32_t *blocks, int32_t n_blocks, int64_t *needs,
                                    bool *exact, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  int64_t ticks = core->task->ticks_each > 0 ? core->task->ticks_each : MEMPLAN_CAPACITY_TICKS_EACH;
  int32_t rank;
  int64_t load = memplan_core_load(core, blocks, n_blocks, &rank);
  int64_t least = memplan_core_height(instance, core->room.pool, load, &core->scratch);
  if (least < 0) {
    return memplan_fail_nomem(error);
  }
  // Not below `least`; `high` is enough, once one is known.
  int64_t pinned = memplan_core_pinned(core, blocks, n_blocks);
  least = least > core->room.capacity + 1 ? least : core->room.capacity + 1;
  least = least > pinned ? least : pinned;
  int64_t high = memplan_core_stack(core, blocks, n_blocks);
  if (n_blocks == 1 && core->task->instance->blocks[blocks[0]].pin >= 0) {
    high = pinned; // a pin on a reserved range is an error of the input
  }
  int64_t next = least;
  bool bounded = high >= least;
  if (instance->n_pools > 1) {
    *needs = least;
    *exact = bounded && least == high;
    return MEMPLAN_OK;
  }
  for (int64_t stride = 1; !bounded || least < high; stride = stride < MEMPLAN_OFFSET_LIMIT ? 2 * stride : stride) {
    memplan_fit fit;
    MEMPLAN_TRY(memplan_core_decide(core, blocks, n_blocks, next, ticks, &fit, error));
    if (fit == MEMPLAN_FIT_UNKNOWN || (fit == MEMPLAN_FIT_NO && next >= MEMPLAN_OFFSET_LIMIT)) {
      *needs = fit == MEMPLAN_FIT_NO ? next + 1 : least;
      *exact = false;
      return MEMPLAN_OK;
    }
    if (fit == MEMPLAN_FIT_YES) {
      high = next;
      bounded = true;
    } else {
      least = next + 1;
    }
    // The optimum is likely near: strides that double first, halving as soon as they pass the middle.
    int64_t middle = least + (bounded ? (high - least) / 2 : stride), far = least + stride;
    next = bounded && middle < far ? middle : far;
  }
  *needs = least;
  *exact = true;
  return MEMPLAN_OK;
}
