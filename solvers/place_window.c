// SPDX-License-Identifier: Apache-2.0
// Parts are cut to the stretch and counted from its start. A block keeps its pin if it has one; one that is free here
// lies inside with its whole hull, and all that it has to stay apart from is in the window too.
#include "solvers/place_window.h"

static bool is_inside(const memplan_instance *whole, const memplan_block *block, int32_t start, int32_t end,
                      const int32_t *index) {
  if (block->pin >= 0 || block->start < start || block->end > end) {
    return false;
  }
  for (int32_t k = block->first_apart; k < block->first_apart + block->n_apart; k++) {
    if (index[whole->apart[k].block] < 0) {
      return false;
    }
  }
  return true;
}

static bool is_live(const memplan_instance *whole, const memplan_block *block, int32_t start, int32_t end) {
  if (block->start >= end || block->end <= start) {
    return false;
  }
  for (int32_t k = block->first_part; k < block->first_part + block->n_parts; k++) {
    if (whole->parts[k].start < end && whole->parts[k].end > start) {
      return true;
    }
  }
  return false;
}

typedef struct counts {
  int32_t blocks, members, parts, apart;
} counts;

static bool allocate(const memplan_instance *whole, const counts *most, memplan_arena *arena,
                     memplan_place_window *window, int32_t **block) {
  memplan_instance *made = &window->instance;
  *made = (memplan_instance){.name = whole->name,
                             .source = whole->source,
                             .pools = whole->pools,
                             .n_pools = whole->n_pools,
                             .block_pools = whole->block_pools};
  made->buffers = MEMPLAN_NEW_RAW(arena, memplan_buffer, most->members);
  made->members = MEMPLAN_NEW_RAW(arena, memplan_member, most->members);
  made->block_of = MEMPLAN_NEW_RAW(arena, int32_t, most->members);
  made->delta_of = MEMPLAN_NEW_RAW(arena, int64_t, most->members);
  made->blocks = MEMPLAN_NEW_RAW(arena, memplan_block, most->blocks);
  made->parts = MEMPLAN_NEW_RAW(arena, memplan_part, most->parts);
  made->apart = MEMPLAN_NEW_RAW(arena, memplan_apart, most->apart);
  *block = MEMPLAN_NEW_RAW(arena, int32_t, most->blocks);
  return made->buffers != NULL && made->members != NULL && made->block_of != NULL && made->delta_of != NULL &&
         made->blocks != NULL && made->parts != NULL && made->apart != NULL && *block != NULL;
}

static void copy_members(const memplan_instance *whole, const memplan_block *block, int32_t at, int32_t *buffer_index,
                         memplan_instance *made) {
  for (int32_t k = block->first_member; k < block->first_member + block->n_members; k++) {
    const memplan_member *member = &whole->members[k];
    int32_t buffer = made->n_buffers++;
    made->buffers[buffer] = whole->buffers[member->buffer];
    made->members[made->n_members++] = (memplan_member){buffer, member->delta};
    buffer_index[member->buffer] = buffer;
    made->block_of[buffer] = at;
    made->delta_of[buffer] = member->delta;
  }
}

static void copy_parts(const memplan_instance *whole, const memplan_block *block, int32_t start, int32_t end,
                       const int32_t *buffer_index, memplan_block *copy, memplan_instance *made) {
  copy->first_part = made->n_parts;
  copy->start = copy->end = 0;
  for (int32_t k = block->first_part; k < block->first_part + block->n_parts; k++) {
    memplan_part part = whole->parts[k];
    if (part.start >= end || part.end <= start) {
      continue;
    }
    part.start = (part.start > start ? part.start : start) - start;
    part.end = (part.end < end ? part.end : end) - start;
    part.buffer = buffer_index[part.buffer];
    bool first = made->n_parts == copy->first_part;
    copy->start = first || part.start < copy->start ? part.start : copy->start;
    copy->end = part.end > copy->end ? part.end : copy->end;
    made->parts[made->n_parts++] = part;
  }
  copy->n_parts = made->n_parts - copy->first_part;
}

static void copy_rules(const memplan_instance *whole, const memplan_block *block, const int32_t *index,
                       memplan_block *copy, memplan_instance *made) {
  copy->first_apart = made->n_apart;
  for (int32_t k = block->first_apart; k < block->first_apart + block->n_apart; k++) {
    memplan_apart rule = whole->apart[k];
    if (index[rule.block] >= 0) {
      rule.block = index[rule.block];
      made->apart[made->n_apart++] = rule;
    }
  }
  copy->n_apart = made->n_apart - copy->first_apart;
}

bool memplan_place_window_make(const memplan_instance *whole, const int32_t *blocks, int32_t n, const int64_t *offset,
                               int32_t start, int32_t end, memplan_window_scratch *scratch, memplan_arena *arena,
                               memplan_place_window *window) {
  int32_t *index = scratch->block_index;
  counts most = {0};
  for (int32_t k = 0; k < n; k++) {
    const memplan_block *block = &whole->blocks[blocks[k]];
    if (is_live(whole, block, start, end)) {
      index[blocks[k]] = most.blocks++;
      most.members += block->n_members;
      most.parts += block->n_parts;
      most.apart += block->n_apart;
    }
  }
  int32_t *block_of_whole;
  *window = (memplan_place_window){.n_free = 0};
  bool good = allocate(whole, &most, arena, window, &block_of_whole);
  memplan_instance *made = &window->instance;
  for (int32_t k = 0; k < n && good; k++) {
    if (index[blocks[k]] < 0) {
      continue;
    }
    const memplan_block *block = &whole->blocks[blocks[k]];
    memplan_block *copy = &made->blocks[made->n_blocks];
    *copy = *block;
    copy->first_member = made->n_members;
    copy_members(whole, block, made->n_blocks, scratch->buffer_index, made);
    copy_parts(whole, block, start, end, scratch->buffer_index, copy, made);
    copy_rules(whole, block, index, copy, made);
    bool free = is_inside(whole, block, start, end, index);
    copy->pin = free ? -1 : offset[blocks[k]];
    window->n_free += free;
    block_of_whole[made->n_blocks++] = blocks[k];
  }
  made->n_times = end - start;
  made->times = &whole->times[start];
  window->block = block_of_whole;
  for (int32_t k = 0; k < n; k++) {
    index[blocks[k]] = -1;
  }
  return good;
}
