// SPDX-License-Identifier: Apache-2.0
// For each pool a tree over the time ranks. A node keeps two sets of bytes, each with its spans merged:
//   cover   used throughout the node's time by parts that span it (and do not span its parent's)
//   any     used at some time within it
// The time of a part splits into O(log n) nodes: what is in its way is `any` of these nodes and `cover` of the nodes
// above them. No set holds the others' spans, so the lowest offset is found by asking one set after the other for the
// next room at or above the last answer, until all agree. Merging keeps the sets short: of a thousand buffers that lie
// on each other one span is left.
#include "heuristics/packing.h"

#include "heuristics/spans.h"
#include "model/base/grow.h"
#include "model/base/number.h"

#include <string.h>

// Of the tree. More children make fewer sets above a rank, so that what lies on each other merges more; they also make
// more sets beside each other. Of 2, 4, 8, 16, 32 and 64, eight was fastest over real and generated instances.
enum { ARITY = 8 };

typedef struct tree_node {
  int32_t child[ARITY]; // -1: nothing there
  memplan_spans cover, any;
} tree_node;

// One set in the way of the bytes [offset + low, offset + low + size).
typedef struct obstacle {
  const memplan_spans *set;
  int32_t position; // for memplan_spans_next
  int32_t next;     // the obstacle to ask after this one, -1: none
  int64_t low, size;
} obstacle;

struct memplan_packing {
  const memplan_instance *instance;
  memplan_arena *arena;
  int64_t *offset;
  int32_t *pool; // -1: not placed
  memplan_span_store store;
  tree_node *nodes;
  int32_t n_nodes;
  int64_t node_capacity;
  int32_t *root;           // by pool, -1: nothing there
  memplan_spans *reserved; // by pool
  // the question
  obstacle *obstacles;
  int32_t n_obstacles;
  int64_t obstacle_capacity;
  int32_t first_obstacle; // to ask, -1: none
  memplan_spans *apart;   // one set for each rule of the block, reused
  int32_t apart_capacity;
  int64_t base, align, residue;
  int64_t last; // highest offset that stays below capacity
};

static bool reserve(memplan_packing *packing) {
  const memplan_instance *instance = packing->instance;
  for (int32_t p = 0; p < instance->n_pools; p++) {
    const memplan_pool *pool = &instance->pools[p];
    packing->root[p] = -1;
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      if (pool->reserved[k].start < pool->reserved[k].end &&
          !memplan_spans_add(&packing->store, &packing->reserved[p], pool->reserved[k].start, pool->reserved[k].end)) {
        return false;
      }
    }
  }
  return true;
}

memplan_packing *memplan_packing_new(const memplan_instance *instance, int64_t *offset, int32_t *pool,
                                     memplan_arena *arena) {
  memplan_packing *packing = MEMPLAN_NEW(arena, memplan_packing, 1);
  if (packing == NULL) {
    return NULL;
  }
  *packing = (memplan_packing){
      .instance = instance, .arena = arena, .offset = offset, .pool = pool, .store = {.arena = arena}};
  packing->root = MEMPLAN_NEW(arena, int32_t, instance->n_pools);
  packing->reserved = MEMPLAN_NEW(arena, memplan_spans, instance->n_pools);
  if (packing->root == NULL || packing->reserved == NULL || !reserve(packing)) {
    return NULL;
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    pool[block] = -1;
  }
  return packing;
}

static int32_t add_node(memplan_packing *packing) {
  if (packing->n_nodes == INT32_MAX) {
    return -1;
  }
  tree_node *nodes = memplan_grow_in(packing->arena, packing->nodes, packing->n_nodes, &packing->node_capacity,
                                     sizeof *packing->nodes);
  if (nodes == NULL) {
    return -1;
  }
  packing->nodes = nodes;
  for (int32_t c = 0; c < ARITY; c++) {
    nodes[packing->n_nodes].child[c] = -1;
  }
  return packing->n_nodes++;
}

static int32_t child_width(int32_t begin, int32_t end) { return (int32_t)(((int64_t)end - begin + ARITY - 1) / ARITY); }

// Adds [low, high) during the part's time to the node of ranks [begin, end). Recursion is as deep as the tree: at
// most 11.
static bool occupy(memplan_packing *packing, int32_t node, int32_t begin, int32_t end, const memplan_part *part,
                   int64_t low, int64_t high) {
  if (!memplan_spans_add(&packing->store, &packing->nodes[node].any, low, high)) {
    return false;
  }
  if (end - begin == 1) {
    return true;
  }
  if (part->start <= begin && end <= part->end) {
    return memplan_spans_add(&packing->store, &packing->nodes[node].cover, low, high);
  }
  int32_t width = child_width(begin, end);
  for (int32_t c = (part->start > begin ? part->start - begin : 0) / width; c < ARITY; c++) {
    int32_t from = begin + c * width;
    int32_t to = end - from > width ? from + width : end;
    if (from >= end || from >= part->end) {
      break;
    }
    if (packing->nodes[node].child[c] < 0) {
      int32_t child = add_node(packing);
      if (child < 0) {
        return false;
      }
      packing->nodes[node].child[c] = child;
    }
    if (!occupy(packing, packing->nodes[node].child[c], from, to, part, low, high)) {
      return false;
    }
  }
  return true;
}

bool memplan_packing_add(memplan_packing *packing, int32_t block, int32_t pool, int64_t offset) {
  const memplan_instance *instance = packing->instance;
  const memplan_block *entry = &instance->blocks[block];
  if (entry->n_parts > 0 && packing->root[pool] < 0) {
    packing->root[pool] = add_node(packing);
    if (packing->root[pool] < 0) {
      return false;
    }
  }
  for (int32_t k = entry->first_part; k < entry->first_part + entry->n_parts; k++) {
    const memplan_part *part = &instance->parts[k];
    if (!occupy(packing, packing->root[pool], 0, instance->n_times, part, offset + part->low, offset + part->high)) {
      return false;
    }
  }
  packing->offset[block] = offset;
  packing->pool[block] = pool;
  return true;
}

static bool add_obstacle(memplan_packing *packing, const memplan_spans *set, int64_t low, int64_t high) {
  if (set->n == 0 || low >= high) {
    return true;
  }
  obstacle *obstacles = memplan_grow_in(packing->arena, packing->obstacles, packing->n_obstacles,
                                        &packing->obstacle_capacity, sizeof *packing->obstacles);
  if (obstacles == NULL || packing->n_obstacles == INT32_MAX) {
    return false;
  }
  packing->obstacles = obstacles;
  obstacles[packing->n_obstacles++] =
      (obstacle){.set = set, .next = packing->first_obstacle, .low = low, .size = high - low};
  packing->first_obstacle = packing->n_obstacles - 1;
  return true;
}

static bool collect(memplan_packing *packing, int32_t node, int32_t begin, int32_t end, const memplan_part *part) {
  const tree_node *entry = &packing->nodes[node];
  if ((part->start <= begin && end <= part->end) || end - begin == 1) {
    return add_obstacle(packing, &entry->any, part->low, part->high);
  }
  if (!add_obstacle(packing, &entry->cover, part->low, part->high)) {
    return false;
  }
  int32_t width = child_width(begin, end);
  for (int32_t c = (part->start > begin ? part->start - begin : 0) / width; c < ARITY; c++) {
    int32_t from = begin + c * width;
    int32_t to = end - from > width ? from + width : end;
    if (from >= end || from >= part->end) {
      break;
    }
    if (entry->child[c] >= 0 && !collect(packing, entry->child[c], from, to, part)) {
      return false;
    }
  }
  return true;
}

// What the block must stay apart from: one set for each stretch of rules about the same bytes of it.
static bool collect_apart(memplan_packing *packing, const memplan_block *entry, int32_t pool) {
  if (entry->n_apart > packing->apart_capacity) {
    packing->apart = MEMPLAN_NEW(packing->arena, memplan_spans, entry->n_apart);
    packing->apart_capacity = packing->apart != NULL ? entry->n_apart : 0;
    if (packing->apart == NULL) {
      return false;
    }
  }
  const memplan_apart *rules = &packing->instance->apart[entry->first_apart];
  int32_t first = 0;
  while (first < entry->n_apart) {
    memplan_spans *set = &packing->apart[first];
    set->n = 0;
    int32_t k = first;
    for (; k < entry->n_apart && rules[k].low == rules[first].low && rules[k].high == rules[first].high; k++) {
      int64_t offset = packing->offset[rules[k].block];
      if (packing->pool[rules[k].block] == pool && rules[k].other_low < rules[k].other_high &&
          !memplan_spans_add(&packing->store, set, offset + rules[k].other_low, offset + rules[k].other_high)) {
        return false;
      }
    }
    if (!add_obstacle(packing, set, rules[first].low, rules[first].high)) {
      return false;
    }
    first = k;
  }
  return true;
}

bool memplan_packing_ask(memplan_packing *packing, int32_t block, int32_t pool) {
  const memplan_instance *instance = packing->instance;
  const memplan_block *entry = &instance->blocks[block];
  packing->n_obstacles = 0;
  packing->first_obstacle = -1;
  packing->base = instance->pools[pool].base;
  packing->align = entry->align;
  packing->residue = entry->residue;
  packing->last =
      (instance->pools[pool].capacity >= 0 ? instance->pools[pool].capacity : MEMPLAN_SIZE_LIMIT) - entry->bytes;
  for (int32_t k = entry->first_part; k < entry->first_part + entry->n_parts && packing->root[pool] >= 0; k++) {
    if (!collect(packing, packing->root[pool], 0, instance->n_times, &instance->parts[k])) {
      return false;
    }
  }
  for (int32_t k = entry->first_member; k < entry->first_member + entry->n_members; k++) {
    const memplan_member *member = &instance->members[k];
    if (!add_obstacle(packing, &packing->reserved[pool], member->delta,
                      member->delta + instance->buffers[member->buffer].bytes)) {
      return false;
    }
  }
  return collect_apart(packing, entry, pool);
}

// The lowest aligned offset >= offset, or more than packing->last if that is passed.
static int64_t align_offset(const memplan_packing *packing, int64_t offset) {
  if (packing->align == 1 || offset > packing->last) {
    return offset;
  }
  int64_t past = (offset % packing->align + packing->base % packing->align) % packing->align;
  int64_t step = packing->residue >= past ? packing->residue - past : packing->residue - past + packing->align;
  return step <= packing->last - offset ? offset + step : packing->last + 1;
}

// Asks one obstacle after the other until all agree. One that objects moves to the front, since it will object again:
// measured, a third to a ninth of the questions of a fixed order.
int64_t memplan_packing_lowest(memplan_packing *packing, int64_t from) {
  obstacle *obstacles = packing->obstacles;
  int64_t offset = align_offset(packing, from);
  int32_t before = -1;
  int32_t k = packing->first_obstacle;
  while (offset <= packing->last && k >= 0) {
    obstacle *asked = &obstacles[k];
    int64_t free = memplan_spans_next(asked->set, &asked->position, offset + asked->low, asked->size) - asked->low;
    if (free == offset) {
      before = k;
      k = asked->next;
      continue;
    }
    offset = align_offset(packing, free);
    if (before >= 0) {
      obstacles[before].next = asked->next;
      asked->next = packing->first_obstacle;
      packing->first_obstacle = k;
    }
    // It agrees with its own answer, but not with what alignment makes of it.
    before = offset == free ? k : -1;
    k = offset == free ? asked->next : k;
  }
  return offset <= packing->last ? offset : -1;
}

void memplan_packing_room(const memplan_packing *packing, int64_t offset, int64_t *below, int64_t *above) {
  *below = offset;
  *above = INT64_MAX;
  for (int32_t k = 0; k < packing->n_obstacles; k++) {
    const obstacle *way = &packing->obstacles[k];
    int64_t low = offset + way->low;
    if (way->position > 0) {
      int64_t room = low - way->set->spans[way->position - 1].high;
      *below = room < *below ? room : *below;
    }
    if (way->position < way->set->n) {
      int64_t room = way->set->spans[way->position].low - (low + way->size);
      *above = room < *above ? room : *above;
    }
  }
}
