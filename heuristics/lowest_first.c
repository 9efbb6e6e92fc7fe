// SPDX-License-Identifier: Apache-2.0
// A heap holds the blocks by (offset at which they fitted when last asked, rank). Placing a block can only drive others
// up, so that the first of the heap that still fits where it was is the one.
#include "heuristics/lowest_first.h"

#include "heuristics/packing.h"
#include "model/base/heap.h"

typedef struct state {
  memplan_lowest_first *task;
  memplan_packing *packing;
  memplan_heap heap; // tie: rank
  memplan_fill *fill;
  int64_t steps;
} state;

static memplan_status ask(state *at, int32_t block, int64_t from, int64_t *offset, memplan_error *error) {
  if (!memplan_packing_ask(at->packing, block, 0)) {
    return memplan_fail_nomem(error);
  }
  *offset = memplan_packing_lowest(at->packing, from);
  return MEMPLAN_OK;
}

static memplan_status add_pinned(const state *at, memplan_error *error) {
  const memplan_instance *instance = at->task->instance;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    if (entry->pin < 0) {
      continue;
    }
    if (!memplan_packing_add(at->packing, block, 0, entry->pin)) {
      return memplan_fail_nomem(error);
    }
    int64_t end = entry->bytes > 0 ? entry->pin + entry->bytes : 0;
    at->task->peak = end > at->task->peak ? end : at->task->peak;
  }
  return MEMPLAN_OK;
}

// Places the block at an offset that is legal, or at -1, which means that there is none. False if that ends the
// placement.
static bool settle(state *at, int32_t block, int64_t offset, memplan_status *status, memplan_error *error) {
  memplan_lowest_first *task = at->task;
  if (offset < 0) {
    task->failed = block;
    return false;
  }
  int64_t top = offset + task->instance->blocks[block].bytes;
  if (top >= at->fill->limit) {
    return false;
  }
  task->peak = top > task->peak ? top : task->peak;
  if (!memplan_packing_add(at->packing, block, 0, offset)) {
    *status = memplan_fail_nomem(error);
    return false;
  }
  return true;
}

// False: given up.
static bool place_all(state *at, int64_t most_questions, memplan_status *status, memplan_error *error) {
  memplan_lowest_first *task = at->task;
  for (int32_t rank = 0; rank < task->n; rank++) {
    memplan_heap_push(&at->heap, (memplan_heap_entry){.key = 0, .tie = rank, .item = rank});
  }
  while (at->heap.n > 0 && most_questions > 0) {
    memplan_heap_entry first = memplan_heap_pop(&at->heap);
    int32_t block = task->ranked[first.item];
    int64_t offset = -1;
    *status = ask(at, block, first.key, &offset, error);
    most_questions--;
    at->fill->work++;
    if (*status != MEMPLAN_OK || memplan_fill_is_stopped(at->fill, ++at->steps, 0)) {
      return false;
    }
    most_questions = memplan_fill_is_hurried(at->fill, at->steps) ? 0 : most_questions;
    if (offset > first.key) {
      memplan_heap_push(&at->heap, (memplan_heap_entry){.key = offset, .tie = first.tie, .item = first.item});
    } else if (!settle(at, block, offset, status, error)) {
      return false;
    }
  }
  // What is left, by rank.
  for (int32_t k = 0; k < at->heap.n; k++) {
    at->heap.entries[k].key = 0;
  }
  memplan_heap rest = {.entries = at->heap.entries};
  for (int32_t k = 0; k < at->heap.n; k++) {
    memplan_heap_push(&rest, at->heap.entries[k]);
  }
  while (rest.n > 0) {
    int32_t block = task->ranked[memplan_heap_pop(&rest).item];
    int64_t offset = -1;
    *status = ask(at, block, 0, &offset, error);
    at->fill->work++;
    if (*status != MEMPLAN_OK || memplan_fill_is_stopped(at->fill, ++at->steps, 0) ||
        !settle(at, block, offset, status, error)) {
      return false;
    }
  }
  return true;
}

memplan_status memplan_lowest_first_place(memplan_lowest_first *task, int64_t most_questions, memplan_fill *fill,
                                          memplan_error *error) {
  memplan_arena arena = {0};
  state at = {.task = task, .fill = fill};
  task->peak = 0;
  task->failed = -1;
  fill->work = 0;
  at.packing = memplan_packing_new(task->instance, task->offset, task->pool, &arena);
  at.heap.entries = MEMPLAN_NEW(&arena, memplan_heap_entry, task->n);
  memplan_status status = at.packing == NULL || at.heap.entries == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK) {
    status = add_pinned(&at, error);
  }
  if (status == MEMPLAN_OK && (task->peak >= fill->limit || !place_all(&at, most_questions, &status, error))) {
    task->peak = -1;
  }
  memplan_arena_free(&arena);
  return status;
}
