// SPDX-License-Identifier: Apache-2.0
// Third step: buffers tied by `colocate` become one block (union-find that carries the distance to the root), and
// blocks are put in canonical order, so that neither the order of the rows nor that of the rules reaches a search.
#include "model/base/keyed.h"
#include "model/base/number.h"
#include "model/instance_steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct forest {
  int32_t *parent;
  int64_t *delta;      // offset relative to the parent's
  int64_t *low, *high; // of a root: extent of the distances in its tree, high - low <= MEMPLAN_OFFSET_LIMIT
  int32_t *size;
} forest;

// Root of `index`; its distance to the root goes to *delta. Halves paths on the way.
static int32_t find_root(forest *trees, int32_t index, int64_t *delta) {
  int64_t sum = 0;
  while (trees->parent[index] != index) {
    int32_t parent = trees->parent[index];
    trees->delta[index] += trees->delta[parent];
    trees->parent[index] = trees->parent[parent];
    sum += trees->delta[index];
    index = trees->parent[index];
  }
  *delta = sum;
  return index;
}

static memplan_status tie(memplan_instance *instance, forest *trees, const memplan_rule *rule, memplan_error *error) {
  int64_t first_delta, second_delta;
  int32_t first = find_root(trees, rule->first, &first_delta), second = find_root(trees, rule->second, &second_delta);
  // off(second root) = off(first root) + distance
  int64_t distance = first_delta + rule->delta - second_delta;
  const char *first_id = instance->buffers[rule->first].id, *second_id = instance->buffers[rule->second].id;
  if (first == second) {
    if (distance != 0) {
      instance->contradiction = true;
      return memplan_fail(error, MEMPLAN_INPUT,
                          "colocate of '%s' and '%s' at distance %" PRId64
                          " contradicts other colocate rules, by which the distance is %" PRId64,
                          first_id, second_id, rule->delta, rule->delta - distance);
    }
    return MEMPLAN_OK;
  }
  bool near = distance <= MEMPLAN_OFFSET_LIMIT && distance >= -MEMPLAN_OFFSET_LIMIT;
  int64_t shift = near ? distance : 0; // so that no sum below passes 2^62
  int64_t low = trees->low[second] + shift, high = trees->high[second] + shift;
  low = trees->low[first] < low ? trees->low[first] : low;
  high = trees->high[first] > high ? trees->high[first] : high;
  if (!near || high - low > MEMPLAN_OFFSET_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "colocate of '%s' and '%s': distances add up to more than 2^61", first_id,
                        second_id);
  }
  bool first_stays = trees->size[first] >= trees->size[second];
  trees->low[first_stays ? first : second] = first_stays ? low : low - distance;
  trees->high[first_stays ? first : second] = first_stays ? high : high - distance;
  if (first_stays) {
    trees->parent[second] = first;
    trees->delta[second] = distance;
    trees->size[first] += trees->size[second];
  } else {
    trees->parent[first] = second;
    trees->delta[first] = -distance;
    trees->size[second] += trees->size[first];
  }
  return MEMPLAN_OK;
}

static memplan_status grow_forest(memplan_instance *instance, forest *trees, memplan_arena *scratch,
                                  memplan_error *error) {
  trees->parent = MEMPLAN_NEW(scratch, int32_t, instance->n_buffers);
  trees->size = MEMPLAN_NEW(scratch, int32_t, instance->n_buffers);
  trees->delta = MEMPLAN_NEW(scratch, int64_t, instance->n_buffers);
  trees->low = MEMPLAN_NEW(scratch, int64_t, instance->n_buffers);
  trees->high = MEMPLAN_NEW(scratch, int64_t, instance->n_buffers);
  if (trees->parent == NULL || trees->size == NULL || trees->delta == NULL || trees->low == NULL ||
      trees->high == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    trees->parent[index] = index;
    trees->size[index] = 1;
  }
  for (int32_t k = 0; k < instance->n_colocate; k++) {
    MEMPLAN_TRY(tie(instance, trees, &instance->colocate[k], error));
  }
  return MEMPLAN_OK;
}

// Members by root, deltas made >= 0; blocks in order of their first buffer, block_of filled.
static memplan_status gather_members(memplan_instance *instance, forest *trees, memplan_arena *scratch,
                                     memplan_error *error) {
  int32_t n = instance->n_buffers;
  int32_t *block_of_root = MEMPLAN_NEW(scratch, int32_t, n);
  int64_t *lowest = MEMPLAN_NEW(scratch, int64_t, n);
  if (block_of_root == NULL || lowest == NULL) {
    return memplan_fail_nomem(error);
  }
  instance->n_blocks = 0;
  for (int32_t index = 0; index < n; index++) {
    int64_t delta;
    int32_t root = find_root(trees, index, &delta);
    if (block_of_root[root] == 0) {
      lowest[root] = delta;
      block_of_root[root] = ++instance->n_blocks;
      instance->blocks[instance->n_blocks - 1] = (memplan_block){.align = 1, .pin = -1};
    }
    lowest[root] = delta < lowest[root] ? delta : lowest[root];
    instance->block_of[index] = block_of_root[root] - 1;
    instance->blocks[instance->block_of[index]].n_members++;
  }
  int32_t first = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    instance->blocks[block].first_member = first;
    first += instance->blocks[block].n_members;
    instance->blocks[block].n_members = 0;
  }
  for (int32_t index = 0; index < n; index++) {
    int64_t delta;
    int32_t root = find_root(trees, index, &delta);
    memplan_block *block = &instance->blocks[instance->block_of[index]];
    instance->delta_of[index] = delta - lowest[root];
    instance->members[block->first_member + block->n_members++] = (memplan_member){index, instance->delta_of[index]};
  }
  instance->n_members = n;
  return MEMPLAN_OK;
}

static memplan_status join_alignment(memplan_instance *instance, memplan_block *block, const memplan_member *member,
                                     memplan_error *error) {
  const memplan_buffer *buffer = &instance->buffers[member->buffer];
  int64_t residue = (buffer->residue - member->delta) % buffer->align;
  memplan_congruence own = {buffer->align, residue < 0 ? residue + buffer->align : residue}, joined;
  memplan_congruence_result result =
      memplan_congruence_meet((memplan_congruence){block->align, block->residue}, own, &joined);
  if (result != MEMPLAN_CONGRUENCE_OK) {
    char row[MEMPLAN_ROW_TEXT];
    instance->contradiction = result == MEMPLAN_CONGRUENCE_CONTRADICTION;
    return memplan_fail(error, MEMPLAN_INPUT,
                        "buffer '%s'%s: alignment %" PRId64 " %s those of the buffers it is colocated with", buffer->id,
                        memplan_buffer_row(buffer, MEMPLAN_CELL_ALIGN, row), buffer->align,
                        instance->contradiction ? "contradicts" : "leaves no offset below 2^62 with");
  }
  block->align = joined.align;
  block->residue = joined.residue;
  return MEMPLAN_OK;
}

static memplan_status join_pin(memplan_instance *instance, memplan_block *block, const memplan_member *member,
                               memplan_error *error) {
  const memplan_buffer *buffer = &instance->buffers[member->buffer];
  if (buffer->pin < 0) {
    return MEMPLAN_OK;
  }
  int64_t pin = buffer->pin - member->delta;
  if (pin < 0 || (block->pin >= 0 && block->pin != pin)) {
    char row[MEMPLAN_ROW_TEXT];
    instance->contradiction = true;
    return memplan_fail(error, MEMPLAN_INPUT,
                        "buffer '%s'%s: pin %" PRId64 " contradicts the buffers it is colocated with", buffer->id,
                        memplan_buffer_row(buffer, MEMPLAN_CELL_PIN, row), buffer->pin);
  }
  block->pin = pin;
  return MEMPLAN_OK;
}

// A common alignment above 2^62 leaves one offset at most, which becomes the block's pin.
static memplan_status pin_alignment(const memplan_instance *instance, memplan_block *block, memplan_error *error) {
  if (block->align < MEMPLAN_SIZE_LIMIT) {
    return MEMPLAN_OK;
  }
  const char *id = instance->buffers[instance->members[block->first_member].buffer].id;
  int64_t base = instance->pools[instance->block_pools[block->first_pool]].base;
  for (int32_t k = 1; k < block->n_pools; k++) {
    if (instance->pools[instance->block_pools[block->first_pool + k]].base != base) {
      return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                          "buffer '%s': the common alignment of the buffers it is colocated with passes 2^62, and its "
                          "pools have different bases; give it one pool",
                          id);
    }
  }
  int64_t offset = block->residue - base;
  if (offset < 0 || offset > MEMPLAN_OFFSET_LIMIT || (block->pin >= 0 && block->pin != offset)) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "buffer '%s': the common alignment of the buffers it is colocated with passes 2^62, and the "
                        "only offset that it leaves below, %" PRId64 ", is %s",
                        id, offset, block->pin >= 0 ? "not where it is pinned" : "not in 0 ... 2^61");
  }
  block->pin = offset;
  block->align = 1;
  block->residue = 0;
  return MEMPLAN_OK;
}

static bool admits(const memplan_buffer *buffer, int32_t pool) {
  for (int32_t k = 0; k < buffer->n_pools; k++) {
    if (buffer->pools[k] == pool) {
      return true;
    }
  }
  return buffer->n_pools == 0;
}

// The pools that every member admits, in the first member's order of preference that states one.
static memplan_status join_pools(memplan_instance *instance, memplan_block *block, int32_t *used,
                                 memplan_error *error) {
  const memplan_member *members = instance->members + block->first_member;
  const memplan_buffer *first = &instance->buffers[members[0].buffer];
  for (int32_t k = 0; k < block->n_members && first->n_pools == 0; k++) {
    first = &instance->buffers[members[k].buffer];
  }
  int32_t count = first->n_pools > 0 ? first->n_pools : instance->n_pools;
  block->first_pool = *used;
  for (int32_t k = 0; k < count; k++) {
    int32_t pool = first->n_pools > 0 ? first->pools[k] : k;
    bool all = true;
    for (int32_t m = 0; m < block->n_members && all; m++) {
      all = admits(&instance->buffers[members[m].buffer], pool);
    }
    for (int32_t before = block->first_pool; before < *used && all; before++) {
      all = instance->block_pools[before] != pool;
    }
    if (all) {
      instance->block_pools[(*used)++] = pool;
    }
  }
  block->n_pools = *used - block->first_pool;
  if (block->n_pools == 0) {
    instance->contradiction = true;
    return memplan_fail(error, MEMPLAN_INPUT, "buffer '%s' and the buffers it is colocated with have no pool in common",
                        first->id);
  }
  return MEMPLAN_OK;
}

static memplan_status fill_block(memplan_instance *instance, memplan_block *block, const memplan_part *parts,
                                 const int32_t *first_part, memplan_error *error) {
  block->first_part = instance->n_parts;
  block->start = INT32_MAX;
  for (int32_t m = 0; m < block->n_members; m++) {
    const memplan_member *member = &instance->members[block->first_member + m];
    const memplan_buffer *buffer = &instance->buffers[member->buffer];
    // An empty buffer takes no byte that could be aligned.
    if (buffer->bytes > 0) {
      MEMPLAN_TRY(join_alignment(instance, block, member, error));
    }
    MEMPLAN_TRY(join_pin(instance, block, member, error));
    if (member->delta > MEMPLAN_OFFSET_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT, "buffer '%s': colocate puts it more than 2^61 bytes away", buffer->id);
    }
    if (buffer->bytes > 0 && member->delta + buffer->bytes > block->bytes) {
      block->bytes = member->delta + buffer->bytes;
    }
    for (int32_t k = first_part[member->buffer]; k < first_part[member->buffer + 1]; k++) {
      memplan_part part = parts[k];
      part.low += member->delta;
      part.high += member->delta;
      block->start = part.start < block->start ? part.start : block->start;
      block->end = part.end > block->end ? part.end : block->end;
      instance->parts[instance->n_parts++] = part;
    }
  }
  MEMPLAN_TRY(pin_alignment(instance, block, error));
  block->n_parts = instance->n_parts - block->first_part;
  if (block->n_parts == 0) {
    block->start = block->end = 0;
  }
  return MEMPLAN_OK;
}

typedef struct rank {
  const memplan_instance *instance;
  int32_t block;
  const char *id; // of the lowest member, of equals the first by id
} rank;

static int compare_ranks(const void *a, const void *b) {
  const rank *x = a, *y = b;
  const memplan_block *p = &x->instance->blocks[x->block], *q = &y->instance->blocks[y->block];
  if (p->start != q->start) {
    return (p->start > q->start) - (p->start < q->start);
  }
  if (p->end != q->end) {
    return (p->end > q->end) - (p->end < q->end);
  }
  if (p->bytes != q->bytes) {
    return (p->bytes > q->bytes) - (p->bytes < q->bytes);
  }
  if (p->align != q->align) {
    return (p->align > q->align) - (p->align < q->align);
  }
  int order = strcmp(x->id, y->id);
  return order != 0 ? order : (x->block > y->block) - (x->block < y->block);
}

static int compare_parts(const void *a, const void *b) {
  const memplan_part *x = a, *y = b;
  if (x->start != y->start) {
    return (x->start > y->start) - (x->start < y->start);
  }
  return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->end > y->end) - (x->end < y->end);
}

static const char *lowest_id(const memplan_instance *instance, const memplan_block *block) {
  const char *best = NULL;
  for (int32_t m = 0; m < block->n_members; m++) {
    const memplan_member *member = &instance->members[block->first_member + m];
    const char *id = instance->buffers[member->buffer].id;
    if (member->delta == 0 && (best == NULL || strcmp(id, best) < 0)) {
      best = id;
    }
  }
  return best;
}

// First by start and end, which is nearly all of the order; then what agrees in both.
static void sort_ranks(const memplan_instance *instance, rank *ranks, memplan_keyed *keyed, memplan_keyed *spare,
                       rank *sorted) {
  int32_t n = instance->n_blocks;
  for (int32_t k = 0; k < n; k++) {
    const memplan_block *entry = &instance->blocks[ranks[k].block];
    keyed[k] = (memplan_keyed){((int64_t)entry->start << 32) + entry->end, k};
  }
  memplan_keyed_sort(keyed, n, spare);
  for (int32_t k = 0; k < n; k++) {
    sorted[k] = ranks[keyed[k].index];
  }
  for (int32_t first = 0, end = 0; first < n; first = end) {
    while (end < n && keyed[end].key == keyed[first].key) {
      end++;
    }
    if (end - first > 1) {
      qsort(&sorted[first], (size_t)(end - first), sizeof *sorted, compare_ranks);
    }
  }
}

static memplan_status sort_blocks(memplan_instance *instance, memplan_arena *scratch, memplan_error *error) {
  rank *ranks = MEMPLAN_NEW(scratch, rank, instance->n_blocks);
  memplan_block *sorted = MEMPLAN_NEW(&instance->arena, memplan_block, instance->n_blocks);
  int32_t *place = MEMPLAN_NEW(scratch, int32_t, instance->n_blocks);
  rank *ordered = MEMPLAN_NEW(scratch, rank, instance->n_blocks);
  memplan_keyed *keyed = MEMPLAN_NEW(scratch, memplan_keyed, 2 * (int64_t)instance->n_blocks);
  if (ranks == NULL || sorted == NULL || place == NULL || ordered == NULL || keyed == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    ranks[block] = (rank){instance, block, lowest_id(instance, entry)};
    if (entry->n_parts > 1) {
      qsort(instance->parts + entry->first_part, (size_t)entry->n_parts, sizeof *instance->parts, compare_parts);
    }
  }
  sort_ranks(instance, ranks, keyed, keyed + instance->n_blocks, ordered);
  for (int32_t at = 0; at < instance->n_blocks; at++) {
    sorted[at] = instance->blocks[ordered[at].block];
    place[ordered[at].block] = at;
  }
  instance->blocks = sorted;
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    instance->block_of[index] = place[instance->block_of[index]];
  }
  return MEMPLAN_OK;
}

// Entries of the same two blocks.
static int compare_aparts(const void *a, const void *b) {
  const memplan_apart *x = a, *y = b;
  const int64_t p[] = {x->low, x->other_low, x->high, x->other_high};
  const int64_t q[] = {y->low, y->other_low, y->high, y->other_high};
  for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
    if (p[k] != q[k]) {
      return (p[k] > q[k]) - (p[k] < q[k]);
    }
  }
  return 0;
}

static int32_t drop_repeated(memplan_apart *aparts, int32_t count) {
  if (count < 2) {
    return count;
  }
  qsort(aparts, (size_t)count, sizeof *aparts, compare_aparts);
  int32_t kept = 1;
  for (int32_t k = 1; k < count; k++) {
    if (compare_aparts(&aparts[k], &aparts[kept - 1]) != 0) {
      aparts[kept++] = aparts[k];
    }
  }
  return kept;
}

static const memplan_rule *rule_at(const memplan_instance *instance, int32_t index) {
  return index < instance->n_separate ? &instance->separate[index] : &instance->conflicts[index - instance->n_separate];
}

// What the rule means to the block of its first buffer, or (`turned`) of its second one.
static memplan_apart apart_of(const memplan_instance *instance, const memplan_rule *rule, bool turned) {
  int32_t own = turned ? rule->second : rule->first, other = turned ? rule->first : rule->second;
  int64_t low = instance->delta_of[own], other_low = instance->delta_of[other];
  return (memplan_apart){instance->block_of[other], low, low + instance->buffers[own].bytes, other_low,
                         other_low + instance->buffers[other].bytes};
}

// Separate rules and explicit conflicts as entries by block. Rules inside one block are left to the next step.
static memplan_status make_aparts(memplan_instance *instance, memplan_arena *scratch, memplan_error *error) {
  int64_t n_rules = (int64_t)instance->n_separate + instance->n_conflicts;
  if (n_rules > INT32_MAX / 4) {
    return memplan_fail(error, MEMPLAN_INPUT, "%" PRId64 " rules keep buffers apart; memplan takes at most %d", n_rules,
                        INT32_MAX / 4);
  }
  memplan_keyed *keyed = MEMPLAN_NEW_RAW(scratch, memplan_keyed, 4 * n_rules);
  instance->apart = MEMPLAN_NEW_RAW(&instance->arena, memplan_apart, 2 * n_rules);
  if (keyed == NULL || instance->apart == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t k = 0; k < n_rules; k++) {
    const memplan_rule *rule = rule_at(instance, k);
    int64_t first = instance->block_of[rule->first], second = instance->block_of[rule->second];
    bool empty = instance->buffers[rule->first].bytes == 0 || instance->buffers[rule->second].bytes == 0;
    if (first != second && !empty) {
      keyed[count++] = (memplan_keyed){first * instance->n_blocks + second, 2 * k};
      keyed[count++] = (memplan_keyed){second * instance->n_blocks + first, 2 * k + 1};
    }
  }
  memplan_keyed_sort(keyed, count, keyed + count);
  instance->n_apart = 0;
  for (int32_t from = 0, end = 0; from < count; from = end) {
    memplan_apart *group = &instance->apart[instance->n_apart];
    for (; end < count && keyed[end].key == keyed[from].key; end++) {
      group[end - from] = apart_of(instance, rule_at(instance, keyed[end].index / 2), keyed[end].index % 2 != 0);
    }
    memplan_block *block = &instance->blocks[keyed[from].key / instance->n_blocks];
    if (block->n_apart == 0) {
      block->first_apart = instance->n_apart;
    }
    int32_t kept = drop_repeated(group, end - from);
    block->n_apart += kept;
    instance->n_apart += kept;
  }
  return MEMPLAN_OK;
}

static memplan_status make_blocks(memplan_instance *instance, const memplan_part *parts, const int32_t *first_part,
                                  memplan_arena *scratch, memplan_error *error) {
  forest trees;
  MEMPLAN_TRY(grow_forest(instance, &trees, scratch, error));
  MEMPLAN_TRY(gather_members(instance, &trees, scratch, error));
  int32_t used = 0;
  instance->n_parts = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    MEMPLAN_TRY(join_pools(instance, &instance->blocks[block], &used, error));
    MEMPLAN_TRY(fill_block(instance, &instance->blocks[block], parts, first_part, error));
  }
  MEMPLAN_TRY(sort_blocks(instance, scratch, error));
  return make_aparts(instance, scratch, error);
}

// Room for the pools of all blocks: a block has at most as many as its first member that states some, else all of them.
static int64_t count_pools(const memplan_instance *instance) {
  int64_t count = 0;
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    int32_t own = instance->buffers[index].n_pools;
    count += own > instance->n_pools ? own : instance->n_pools;
  }
  return count;
}

memplan_status memplan_instance_make_blocks(memplan_instance *instance, const memplan_part *parts,
                                            const int32_t *first_part, memplan_error *error) {
  memplan_arena *arena = &instance->arena;
  instance->blocks = MEMPLAN_NEW(arena, memplan_block, instance->n_buffers);
  instance->members = MEMPLAN_NEW(arena, memplan_member, instance->n_buffers);
  instance->parts = MEMPLAN_NEW(arena, memplan_part, first_part[instance->n_buffers]);
  instance->block_of = MEMPLAN_NEW(arena, int32_t, instance->n_buffers);
  instance->delta_of = MEMPLAN_NEW(arena, int64_t, instance->n_buffers);
  instance->block_pools = MEMPLAN_NEW(arena, int32_t, count_pools(instance));
  if (instance->blocks == NULL || instance->members == NULL || instance->parts == NULL || instance->block_of == NULL ||
      instance->delta_of == NULL || instance->block_pools == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_arena scratch = {0};
  memplan_status status = make_blocks(instance, parts, first_part, &scratch, error);
  memplan_arena_free(&scratch);
  return status;
}
