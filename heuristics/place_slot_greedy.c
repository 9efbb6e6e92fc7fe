// SPDX-License-Identifier: Apache-2.0
// Slots: in the order of starts each buffer takes the first slot whose last occupant has ended, else a new one; a slot
// is as large as its largest occupant. The slots are laid out one above the other. A buffer with several lifetimes
// keeps its slot from the first to the last; buffers that must stay apart take different slots; pinned buffers keep
// their places and the slots step over them. All occupants of a slot begin at one offset if one suits the alignments of
// all.
#include "heuristics/heuristic.h"
#include "heuristics/placing.h"
#include "model/base/heap.h"
#include "model/base/lists.h"

typedef struct slots {
  memplan_heap free;           // the lowest first
  memplan_heap used;           // the first to end first
  memplan_heap_entry *refused; // scratch
  int32_t *slot;               // by block, -1: none
  int32_t *refused_by;         // by slot: last block that may not enter it
  int32_t n;
} slots;

static bool allocate(slots *state, int32_t n_blocks, memplan_arena *arena) {
  state->free.entries = MEMPLAN_NEW(arena, memplan_heap_entry, n_blocks);
  state->used.entries = MEMPLAN_NEW(arena, memplan_heap_entry, n_blocks);
  state->refused = MEMPLAN_NEW(arena, memplan_heap_entry, n_blocks);
  state->slot = MEMPLAN_NEW(arena, int32_t, n_blocks);
  state->refused_by = MEMPLAN_NEW(arena, int32_t, n_blocks);
  if (state->free.entries == NULL || state->used.entries == NULL || state->refused == NULL || state->slot == NULL ||
      state->refused_by == NULL) {
    return false;
  }
  for (int32_t block = 0; block < n_blocks; block++) {
    state->slot[block] = -1;
    state->refused_by[block] = -1;
  }
  return true;
}

static void assign(slots *state, const memplan_instance *instance, int32_t block) {
  const memplan_block *entry = &instance->blocks[block];
  while (state->used.n > 0 && state->used.entries[0].key <= entry->start) {
    int32_t slot = memplan_heap_pop(&state->used).item;
    memplan_heap_push(&state->free, (memplan_heap_entry){.key = slot, .item = slot});
  }
  for (int32_t k = entry->first_apart; k < entry->first_apart + entry->n_apart; k++) {
    int32_t other = state->slot[instance->apart[k].block];
    if (other >= 0) {
      state->refused_by[other] = block;
    }
  }
  int32_t n_refused = 0;
  int32_t slot = -1;
  while (slot < 0 && state->free.n > 0) {
    memplan_heap_entry top = memplan_heap_pop(&state->free);
    if (state->refused_by[top.item] == block) {
      state->refused[n_refused++] = top;
    } else {
      slot = top.item;
    }
  }
  while (n_refused > 0) {
    memplan_heap_push(&state->free, state->refused[--n_refused]);
  }
  state->slot[block] = slot >= 0 ? slot : state->n++;
  memplan_heap_push(&state->used,
                    (memplan_heap_entry){.key = entry->end, .tie = state->slot[block], .item = state->slot[block]});
}

// The lowest offset >= from that suits all the blocks, found in a few rounds; -1 if there is none or it takes longer.
static memplan_status find_common(memplan_placing *placing, const int32_t *blocks, int32_t count, int64_t from,
                                  int64_t *offset, memplan_error *error) {
  enum { ROUNDS = 8 };
  int64_t at = from;
  for (int32_t round = 0; round < ROUNDS && at >= 0; round++) {
    int64_t before = at;
    for (int32_t k = 0; k < count && at >= 0; k++) {
      if (!memplan_packing_ask(placing->packing, blocks[k], 0)) {
        return memplan_fail_nomem(error);
      }
      at = memplan_packing_lowest(placing->packing, at);
    }
    if (at == before) {
      *offset = at;
      return MEMPLAN_OK;
    }
  }
  *offset = -1;
  return MEMPLAN_OK;
}

// Lays the slot out from *end on and moves *end to its end.
static memplan_status lay_out(memplan_placing *placing, const int32_t *blocks, int32_t count, int64_t *end,
                              memplan_error *error) {
  memplan_method_result *result = placing->result;
  int64_t common = -1;
  MEMPLAN_TRY(find_common(placing, blocks, count, *end, &common, error));
  int64_t top = *end;
  for (int32_t k = 0; k < count; k++) {
    int64_t offset = common;
    if (memplan_placing_stops(placing)) {
      return MEMPLAN_OK;
    }
    if (offset < 0) {
      int32_t pool;
      MEMPLAN_TRY(memplan_placing_find(placing, blocks[k], end, &pool, &offset, error));
      if (result->failed_block >= 0) {
        return MEMPLAN_OK;
      }
    }
    result->offset[blocks[k]] = offset;
    result->pool[blocks[k]] = 0;
    int64_t high = offset + placing->instance->blocks[blocks[k]].bytes;
    top = high > top ? high : top;
  }
  *end = top;
  return MEMPLAN_OK;
}

static memplan_status place(memplan_placing *placing, void *context, memplan_error *error) {
  (void)context;
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  slots state = {0};
  memplan_lists occupants; // blocks by slot
  if (!memplan_lists_begin(&occupants, instance->n_blocks, placing->arena) ||
      !allocate(&state, instance->n_blocks, placing->arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < placing->n_todo && !memplan_placing_stops(placing); k++) {
    assign(&state, instance, placing->todo[k]);
    memplan_lists_put(&occupants, state.slot[placing->todo[k]], placing->todo[k]);
  }
  if (!memplan_lists_store(&occupants, placing->arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < placing->n_todo && !placing->stopped; k++) {
    memplan_lists_put(&occupants, state.slot[placing->todo[k]], placing->todo[k]);
  }
  int64_t end = 0;
  for (int32_t slot = 0; slot < state.n && result->failed_block < 0 && !placing->stopped; slot++) {
    int32_t from = occupants.first[slot], to = occupants.first[slot + 1];
    MEMPLAN_TRY(lay_out(placing, &occupants.list[from], to - from, &end, error));
  }
  result->n_slots = state.n;
  for (int32_t k = 0; k < placing->n_todo && result->slot != NULL; k++) {
    result->slot[placing->todo[k]] = state.slot[placing->todo[k]];
  }
  return MEMPLAN_OK;
}

static bool accepts(const memplan_task *task, memplan_error *error) {
  if (task->instance->n_pools > 1) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED,
                       "slot-greedy fills one pool, and the instance has %d: choose another placement method",
                       (int)task->instance->n_pools);
    return false;
  }
  return true;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  return memplan_placing_run(task->instance, place, NULL, limits, result, error);
}

const memplan_method memplan_place_slot_greedy = {
    .name = "slot-greedy",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "each buffer takes the first free slot; a slot is as large as its largest buffer",
    .reference = "linear scan, as in register allocation (Poletto, Sarkar, 1999), with slots for registers",
    .complexity = "O(n log n)",
    .declines = "several pools",
    .accepts = accepts,
    .run = run,
};
