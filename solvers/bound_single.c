// SPDX-License-Identifier: Apache-2.0
// The highest end of anything that stands alone in the one pool: its pin, or the lowest aligned offset at which it
// meets no reserved range. It exceeds the load where pins, reserved ranges or the base keep it away from 0.
//
// Of equal alignment, a larger thing lies no lower than a smaller one. So they are taken by alignment and size, each
// search starts where the last one ended, and one alignment costs one walk over the ranges. What the walks may cost is
// limited: one that is cut short has still shown that the thing lies no lower than where it stopped.
#include "solvers/bounds.h"

#include "model/base/number.h"
#include "model/occupancy.h"

#include <stdlib.h>
#include <string.h>

enum { most_steps = 1 << 25 };

typedef struct ranges {
  memplan_interval *reserved; // sorted, disjoint, not touching
  int32_t count;
  int64_t base;
  int64_t steps; // left
} ranges;

static memplan_status sort_ranges(const memplan_pool *pool, memplan_arena *arena, ranges *sorted,
                                  memplan_error *error) {
  *sorted = (ranges){.base = pool->base, .steps = most_steps};
  sorted->reserved = MEMPLAN_NEW(arena, memplan_interval, pool->n_reserved);
  if (sorted->reserved == NULL) {
    return memplan_fail_nomem(error);
  }
  if (pool->n_reserved > 0) {
    memcpy(sorted->reserved, pool->reserved, (size_t)pool->n_reserved * sizeof *pool->reserved);
  }
  sorted->count = memplan_intervals_merge(sorted->reserved, pool->n_reserved);
  return MEMPLAN_OK;
}

// The first range that ends after `byte`.
static int32_t range_after(const ranges *all, int64_t byte) {
  int32_t low = 0, high = all->count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (all->reserved[middle].end > byte) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

typedef struct lone_item {
  int64_t bytes, align, residue;
  int32_t index;
} lone_item;

static int compare_items(const void *a, const void *b) {
  const lone_item *x = a, *y = b;
  const int64_t p[] = {x->align, x->residue, x->bytes, x->index}, q[] = {y->align, y->residue, y->bytes, y->index};
  for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
    if (p[k] != q[k]) {
      return p[k] < q[k] ? -1 : 1;
    }
  }
  return 0;
}

// The lowest offset from `from` on at which the item meets no range; no item of its alignment and size has a lower one.
static int64_t lowest_offset(ranges *all, const lone_item *item, int64_t from) {
  int64_t offset = memplan_align_up(all->base + from, item->align, item->residue) - all->base;
  int32_t next = range_after(all, offset);
  while (next < all->count && all->reserved[next].start < offset + item->bytes && all->steps > 0) {
    all->steps--;
    offset = memplan_align_up(all->base + all->reserved[next].end, item->align, item->residue) - all->base;
    while (next < all->count && all->reserved[next].end <= offset && all->steps > 0) {
      all->steps--;
      next++;
    }
  }
  return offset;
}

typedef struct highest {
  int64_t end;
  int32_t index; // -1: none
} highest;

static void note_end(highest *best, int64_t end, int32_t index) {
  if (end > best->end) {
    *best = (highest){end, index};
  }
}

static void search_items(ranges *all, lone_item *items, int32_t count, highest *best) {
  if (count > 1) {
    qsort(items, (size_t)count, sizeof *items, compare_items);
  }
  int64_t from = 0;
  for (int32_t k = 0; k < count; k++) {
    if (k > 0 && (items[k].align != items[k - 1].align || items[k].residue != items[k - 1].residue)) {
      from = 0;
    }
    from = lowest_offset(all, &items[k], from);
    note_end(best, from + items[k].bytes, items[k].index);
  }
}

// First offset after `offset` that gets a member off a range, or -1: none is on any. Members count, not the block: a
// range may lie between them.
static int64_t leave_ranges(const memplan_instance *instance, ranges *all, const memplan_block *block, int64_t offset) {
  for (int32_t m = 0; m < block->n_members; m++) {
    const memplan_member *member = &instance->members[block->first_member + m];
    int64_t low = offset + member->delta, high = low + instance->buffers[member->buffer].bytes;
    int32_t range = low < high ? range_after(all, low) : all->count;
    all->steps--;
    if (range < all->count && all->reserved[range].start < high) {
      return all->reserved[range].end - member->delta;
    }
  }
  return -1;
}

static int64_t lowest_block(const memplan_instance *instance, ranges *all, const memplan_block *block) {
  int64_t next = 0, offset = 0;
  while (next >= 0) {
    offset = memplan_align_up(all->base + next, block->align, block->residue) - all->base;
    next = all->steps > 0 ? leave_ranges(instance, all, block, offset) : -1;
  }
  return offset;
}

static memplan_status search_instance(const memplan_instance *instance, memplan_arena *arena, highest *best,
                                      memplan_error *error) {
  ranges all;
  lone_item *items = MEMPLAN_NEW(arena, lone_item, instance->n_blocks);
  if (items == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(sort_ranges(&instance->pools[0], arena, &all, error));
  int32_t count = 0;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->bytes > 0 && block->pin >= 0) {
      note_end(best, block->pin + block->bytes, index);
    } else if (block->bytes > 0 && block->n_members == 1) {
      items[count++] = (lone_item){block->bytes, block->align, block->residue, index};
    }
  }
  search_items(&all, items, count, best);
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->bytes > 0 && block->pin < 0 && block->n_members > 1) {
      note_end(best, lowest_block(instance, &all, block) + block->bytes, index);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_bound_single_block(const memplan_instance *instance, memplan_bound_list *list,
                                          memplan_error *error) {
  memplan_arena arena = {0};
  highest best = {0, -1};
  memplan_status status = search_instance(instance, &arena, &best, error);
  memplan_arena_free(&arena);
  if (status == MEMPLAN_OK) {
    bool lives = best.index >= 0 && instance->blocks[best.index].n_parts > 0;
    memplan_bound_list_add(list,
                           (memplan_bound){.kind = MEMPLAN_BOUND_BUFFER,
                                           .bytes = best.end,
                                           .step = lives ? instance->times[instance->blocks[best.index].start] : -1});
  }
  return status;
}

static void add_item(lone_item *items, int32_t *count, int64_t bytes, memplan_congruence own, int64_t align) {
  memplan_congruence all = {align, 0}, joined;
  if (bytes > 0 && memplan_congruence_join(own, all, &joined) == MEMPLAN_CONGRUENCE_OK) {
    items[*count] = (lone_item){bytes, joined.align, joined.residue, *count};
    (*count)++;
  }
}

static memplan_status search_graph(const memplan_ordering *ordering, memplan_arena *arena, highest *best,
                                   memplan_error *error) {
  static const memplan_pool whole = {.id = "", .capacity = -1};
  const memplan_graph *graph = ordering->graph;
  int64_t align = ordering->options.align;
  ranges all;
  lone_item *items = MEMPLAN_NEW(arena, lone_item, (int64_t)graph->n_storages + ordering->n_residents + graph->n_ops);
  if (items == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(sort_ranges(graph->n_pools > 0 ? &graph->pools[0] : &whole, arena, &all, error));
  int32_t count = 0;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    const memplan_storage *storage = &graph->storages[index];
    if (storage->bytes == 0 || !memplan_ordering_in_arena(graph, &ordering->options, index)) {
      continue;
    }
    if (storage->pin >= 0) {
      note_end(best, storage->pin + storage->bytes, index);
    } else {
      add_item(items, &count, storage->bytes, (memplan_congruence){storage->align, storage->residue}, align);
    }
  }
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    const memplan_inner_weight *weight = &ordering->residents[k];
    add_item(items, &count, weight->bytes, (memplan_congruence){weight->align, weight->residue}, align);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    int32_t cell = ordering->workspace_cell[op];
    int64_t bytes = cell >= 0 ? ordering->cells[cell].bytes : ordering->workspace[op];
    add_item(items, &count, bytes, (memplan_congruence){graph->ops[op].workspace_align, 0}, align);
  }
  search_items(&all, items, count, best);
  return MEMPLAN_OK;
}

memplan_status memplan_bound_single_storage(const memplan_ordering *ordering, memplan_bound_list *list,
                                            memplan_error *error) {
  if (ordering->graph->n_pools > 1) {
    return MEMPLAN_OK;
  }
  memplan_arena arena = {0};
  highest best = {0, -1};
  memplan_status status = search_graph(ordering, &arena, &best, error);
  memplan_arena_free(&arena);
  if (status == MEMPLAN_OK && best.end > 0) {
    memplan_bound_list_add(list,
                           (memplan_bound){.kind = MEMPLAN_BOUND_BUFFER, .joint = true, .bytes = best.end, .step = -1});
  }
  return status;
}
