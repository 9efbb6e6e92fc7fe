// SPDX-License-Identifier: Apache-2.0
// Last step: contradictions that show only between the members of a block or between pinned blocks, and the limit on
// sizes.
#include "model/base/number.h"
#include "model/instance_steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
  int32_t start, end; // time ranks
  int64_t low, high;  // bytes, absolute or relative to a block
  int32_t buffer, pool;
} piece;

static int compare_pieces(const void *a, const void *b) {
  const piece *x = a, *y = b;
  if (x->start != y->start) {
    return (x->start > y->start) - (x->start < y->start);
  }
  if (x->low != y->low) {
    return (x->low > y->low) - (x->low < y->low);
  }
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

// Pieces in order of start; the active ones are kept sorted by (pool, low), without overlap, so that only neighbours
// can collide. The first collision found goes to *first, *second (pieces). False if memory is out.
static bool find_collision(piece *pieces, int32_t count, memplan_arena *scratch, int32_t *first, int32_t *second) {
  int32_t *active = MEMPLAN_NEW(scratch, int32_t, count);
  if (active == NULL) {
    return false;
  }
  *first = *second = -1;
  if (count > 1) {
    qsort(pieces, (size_t)count, sizeof *pieces, compare_pieces);
  }
  int32_t n_active = 0, stale_from = INT32_MIN;
  for (int32_t k = 0; k < count; k++) {
    const piece *entry = &pieces[k];
    if (entry->start != stale_from) {
      int32_t kept = 0;
      for (int32_t a = 0; a < n_active; a++) {
        if (pieces[active[a]].end > entry->start) {
          active[kept++] = active[a];
        }
      }
      n_active = kept;
      stale_from = entry->start;
    }
    int32_t low = 0, high = n_active;
    while (low < high) {
      int32_t middle = low + (high - low) / 2;
      const piece *other = &pieces[active[middle]];
      if (other->pool < entry->pool || (other->pool == entry->pool && other->low < entry->low)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int32_t a = low > 0 ? low - 1 : low; a < n_active && a <= low; a++) {
      const piece *other = &pieces[active[a]];
      if (other->pool == entry->pool && other->low < entry->high && entry->low < other->high) {
        *first = active[a];
        *second = k;
        return true;
      }
    }
    memmove(active + low + 1, active + low, (size_t)(n_active - low) * sizeof *active);
    active[low] = k;
    n_active++;
  }
  return true;
}

static memplan_status fail_collision(const memplan_instance *instance, const piece *a, const piece *b, const char *why,
                                     memplan_error *error) {
  const memplan_buffer *first = &instance->buffers[a->buffer], *second = &instance->buffers[b->buffer];
  char first_row[MEMPLAN_ROW_TEXT], second_row[MEMPLAN_ROW_TEXT];
  memplan_buffer_cell cell = first->pin >= 0 && second->pin >= 0 ? MEMPLAN_CELL_PIN : MEMPLAN_CELL_ID;
  int32_t rank = a->start > b->start ? a->start : b->start;
  return memplan_fail(error, MEMPLAN_INPUT, "buffers '%s'%s and '%s'%s %s and are both live at %" PRId64, first->id,
                      memplan_buffer_row(first, cell, first_row), second->id,
                      memplan_buffer_row(second, cell, second_row), why, instance->times[rank]);
}

// Adds the parts of a block, shifted by `offset`.
static int32_t add_pieces(const memplan_instance *instance, int32_t index, int64_t offset, int32_t pool, piece *pieces,
                          int32_t count) {
  const memplan_block *block = &instance->blocks[index];
  for (int32_t k = 0; k < block->n_parts; k++) {
    const memplan_part *part = &instance->parts[block->first_part + k];
    pieces[count++] = (piece){part->start, part->end, offset + part->low, offset + part->high, part->buffer, pool};
  }
  return count;
}

static memplan_status check_members(const memplan_instance *instance, piece *pieces, memplan_arena *scratch,
                                    memplan_error *error) {
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    if (instance->blocks[index].n_members == 1) {
      continue;
    }
    int32_t count = add_pieces(instance, index, 0, 0, pieces, 0), first, second;
    memplan_arena_mark mark = memplan_arena_get_mark(scratch);
    if (!find_collision(pieces, count, scratch, &first, &second)) {
      return memplan_fail_nomem(error);
    }
    memplan_arena_release(scratch, mark);
    if (first >= 0) {
      return fail_collision(instance, &pieces[first], &pieces[second], "are colocated on the same bytes", error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_separate(const memplan_instance *instance, const memplan_rule *rules, int32_t count,
                                     const char *what, memplan_error *error) {
  for (int32_t k = 0; k < count; k++) {
    int32_t first = rules[k].first, second = rules[k].second;
    bool empty = instance->buffers[first].bytes == 0 || instance->buffers[second].bytes == 0;
    if (empty || instance->block_of[first] != instance->block_of[second]) {
      continue;
    }
    int64_t first_low = instance->delta_of[first], second_low = instance->delta_of[second];
    if (first_low < second_low + instance->buffers[second].bytes &&
        second_low < first_low + instance->buffers[first].bytes) {
      char first_row[MEMPLAN_ROW_TEXT], second_row[MEMPLAN_ROW_TEXT];
      return memplan_fail(
          error, MEMPLAN_INPUT, "buffers '%s'%s and '%s'%s: colocate contradicts %s", instance->buffers[first].id,
          memplan_buffer_row(&instance->buffers[first], MEMPLAN_CELL_ID, first_row), instance->buffers[second].id,
          memplan_buffer_row(&instance->buffers[second], MEMPLAN_CELL_ID, second_row), what);
    }
  }
  return MEMPLAN_OK;
}

// Members, not blocks: a reserved range may lie between them.
static memplan_status check_reserved(const memplan_instance *instance, const memplan_pool *pool,
                                     const memplan_member *member, int64_t pin, memplan_error *error) {
  const memplan_buffer *buffer = &instance->buffers[member->buffer];
  int64_t low = pin + member->delta, high = low + buffer->bytes;
  for (int32_t k = 0; k < pool->n_reserved; k++) {
    const memplan_interval *range = &pool->reserved[k];
    if (low < high && range->start < range->end && range->start < high && low < range->end) {
      char row[MEMPLAN_ROW_TEXT];
      return memplan_fail(
          error, MEMPLAN_INPUT,
          "buffer '%s'%s: pin %" PRId64 " puts it into the reserved range [%" PRId64 ", %" PRId64 ") of pool '%s'",
          buffer->id, memplan_buffer_row(buffer, MEMPLAN_CELL_PIN, row), low, range->start, range->end, pool->id);
    }
  }
  return MEMPLAN_OK;
}

// A pinned block with a single admissible pool: its place is known.
static memplan_status check_pin(const memplan_instance *instance, int32_t index, memplan_error *error) {
  const memplan_block *block = &instance->blocks[index];
  const memplan_pool *pool = &instance->pools[instance->block_pools[block->first_pool]];
  const memplan_buffer *buffer = &instance->buffers[instance->members[block->first_member].buffer];
  char row[MEMPLAN_ROW_TEXT];
  memplan_buffer_row(buffer, MEMPLAN_CELL_PIN, row);
  if ((pool->base + block->pin) % block->align != block->residue) {
    return memplan_fail(error, MEMPLAN_INPUT, "buffer '%s'%s: pin %" PRId64 " breaks its alignment %" PRId64,
                        buffer->id, row, block->pin, block->align);
  }
  if (pool->capacity >= 0 && block->bytes > 0 && block->pin + block->bytes > pool->capacity) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "buffer '%s'%s: pin %" PRId64 " puts it past the capacity %" PRId64 " of pool '%s'", buffer->id,
                        row, block->pin, pool->capacity, pool->id);
  }
  for (int32_t m = 0; m < block->n_members; m++) {
    MEMPLAN_TRY(check_reserved(instance, pool, &instance->members[block->first_member + m], block->pin, error));
  }
  return MEMPLAN_OK;
}

static memplan_status check_apart_pins(const memplan_instance *instance, int32_t index, memplan_error *error) {
  const memplan_block *block = &instance->blocks[index];
  for (int32_t k = 0; k < block->n_apart; k++) {
    const memplan_apart *apart = &instance->apart[block->first_apart + k];
    const memplan_block *other = &instance->blocks[apart->block];
    if (other->pin >= 0 && block->n_pools == 1 && other->n_pools == 1 &&
        instance->block_pools[block->first_pool] == instance->block_pools[other->first_pool] &&
        block->pin + apart->low < other->pin + apart->other_high &&
        other->pin + apart->other_low < block->pin + apart->high) {
      return memplan_fail(error, MEMPLAN_INPUT, "the pins of '%s' and '%s' make them share bytes, which a rule forbids",
                          instance->buffers[instance->members[block->first_member].buffer].id,
                          instance->buffers[instance->members[other->first_member].buffer].id);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_pins(const memplan_instance *instance, piece *pieces, memplan_arena *scratch,
                                 memplan_error *error) {
  int32_t count = 0, first, second;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->pin >= 0 && block->n_pools == 1) {
      MEMPLAN_TRY(check_pin(instance, index, error));
      MEMPLAN_TRY(check_apart_pins(instance, index, error));
      count = add_pieces(instance, index, block->pin, instance->block_pools[block->first_pool], pieces, count);
    }
  }
  if (!find_collision(pieces, count, scratch, &first, &second)) {
    return memplan_fail_nomem(error);
  }
  if (first >= 0) {
    return fail_collision(instance, &pieces[first], &pieces[second], "are pinned to the same bytes", error);
  }
  return MEMPLAN_OK;
}

// Blocks come sorted by start, so that a component ends where the next start reaches the furthest end so far. Rules
// that keep blocks apart whatever their times tie all components into one.
static memplan_status check_sizes(const memplan_instance *instance, memplan_error *error) {
  int64_t sum = 0;
  int32_t furthest = 0;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->start >= furthest && instance->n_apart == 0) {
      sum = 0;
    }
    furthest = block->end > furthest ? block->end : furthest;
    sum = memplan_add_saturated(sum, memplan_add_saturated(block->bytes, block->align - 1));
    if (sum > MEMPLAN_SIZE_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "the sizes and alignments of the buffers that are live around %" PRId64
                          " add up to more than 2^62 bytes (at buffer '%s')",
                          instance->n_times > 0 ? instance->times[block->start] : 0,
                          instance->buffers[instance->members[block->first_member].buffer].id);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_instance_check_blocks(memplan_instance *instance, memplan_error *error) {
  memplan_arena scratch = {0};
  piece *pieces = MEMPLAN_NEW(&scratch, piece, instance->n_parts);
  memplan_status status = pieces != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    status = check_separate(instance, instance->separate, instance->n_separate, "separate", error);
  }
  if (status == MEMPLAN_OK) {
    status = check_separate(instance, instance->conflicts, instance->n_conflicts, "their conflict", error);
  }
  if (status == MEMPLAN_OK) {
    status = check_members(instance, pieces, &scratch, error);
  }
  bool limit = false;
  if (status == MEMPLAN_OK) {
    status = check_sizes(instance, error);
    limit = status != MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    status = check_pins(instance, pieces, &scratch, error);
  }
  instance->contradiction = status == MEMPLAN_INPUT && !limit;
  memplan_arena_free(&scratch);
  return status;
}
