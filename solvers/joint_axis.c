// SPDX-License-Identifier: Apache-2.0
// An item's offsets are those that it may have in one of its pools: within the limit, beside the reserved ranges,
// aligned after the pool's base. Nothing reaches from one pool into the next, since all of an item lies within the
// limit of its pool, and an in-place pair ties offsets within one pool.
//
// Numbers are divided by the greatest common divisor of all sizes, distances, pins, ends of reserved ranges and least
// aligned offsets: lowest-first placements have no others. What remains of a limit below a unit is of no use to them.
#include "solvers/joint_axis.h"

#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/occupancy.h"
#include "solvers/objective.h"
#include "solvers/pool_mask.h"

#include <string.h>

enum { most_rooms = 4 };

typedef struct builder {
  memplan_joint_axis *axis;
  const memplan_graph *graph;
  const int64_t *limits;       // bytes
  memplan_interval **reserved; // by pool, sorted
  int32_t *n_reserved;
  memplan_arena *arena;
} builder;

// ---- what an item admits

static uint64_t stated_pools(const builder *work, const memplan_joint_item *item) {
  const memplan_graph *graph = work->graph;
  if (item->storage >= 0) {
    return memplan_pool_mask(graph->storages[item->storage].pools, graph->storages[item->storage].n_pools,
                             graph->n_pools);
  }
  return item->op >= 0 ? memplan_pool_mask(graph->ops[item->op].workspace_pools, graph->ops[item->op].n_workspace_pools,
                                           graph->n_pools)
                       : memplan_pool_mask_all(graph->n_pools);
}

// The alignment's residue for offsets within the pool, whose base comes before it.
static int64_t residue_in(const builder *work, const memplan_joint_item *item, int32_t pool) {
  int64_t base = work->graph->pools[pool].base % item->align;
  return (item->residue - base + item->align) % item->align;
}

static bool admits(const memplan_joint_item *item, int32_t pool) { return (item->pools >> pool & 1) != 0; }

static bool is_reserved(const builder *work, const memplan_joint_item *item, int32_t pool, int64_t offset) {
  for (int32_t k = 0; k < work->n_reserved[pool]; k++) {
    const memplan_interval *range = &work->reserved[pool][k];
    if (offset < range->end && range->start < offset + item->bytes) {
      return true;
    }
  }
  return false;
}

// Leaves out the pools in which a pin is misaligned, reserved or too high, and those that are too small.
static void narrow(const builder *work, memplan_joint_item *item) {
  item->pools = stated_pools(work, item);
  for (int32_t pool = 0; pool < work->graph->n_pools; pool++) {
    int64_t start = item->pin >= 0 ? item->pin : 0;
    bool fits = item->bytes <= work->limits[pool] && start <= work->limits[pool] - item->bytes;
    bool good = item->pin < 0 || (fits && item->pin % item->align == residue_in(work, item, pool) &&
                                  !is_reserved(work, item, pool, item->pin));
    item->pools &= fits && good ? UINT64_MAX : ~((uint64_t)1 << pool);
  }
}

// ---- units

static int64_t find_unit(const builder *work) {
  const memplan_joint_graph *graph = &work->axis->graph;
  int64_t unit = 0;
  for (int32_t pool = 0; pool < work->graph->n_pools; pool++) {
    for (int32_t k = 0; k < work->n_reserved[pool]; k++) {
      unit = memplan_gcd(unit, work->reserved[pool][k].end);
    }
  }
  for (int32_t k = 0; k < graph->n_items; k++) {
    const memplan_joint_item *item = &graph->items[k];
    unit = memplan_gcd(unit, item->bytes);
    unit = item->pin > 0 ? memplan_gcd(unit, item->pin) : unit;
    for (int32_t pool = 0; pool < work->graph->n_pools; pool++) {
      unit = admits(item, pool) && item->pin < 0 ? memplan_gcd(unit, residue_in(work, item, pool)) : unit;
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    unit = memplan_gcd(memplan_gcd(unit, graph->pairs[k].delta), graph->pairs[k].saving);
  }
  unit = unit > 0 ? unit : 1;
  for (int64_t before = 0; before != unit;) { // a smaller unit may bring an alignment back
    before = unit;
    for (int32_t k = 0; k < graph->n_items; k++) {
      bool free = graph->items[k].pin < 0 && unit % graph->items[k].align != 0;
      unit = free ? memplan_gcd(unit, graph->items[k].align) : unit;
    }
  }
  return unit;
}

// ---- offsets

typedef struct range_list {
  memplan_offset_range *ranges;
  int32_t n;
  int64_t capacity;
} range_list;

// Adds the aligned offsets in [low, high] of a pool, in units; `step` in bytes.
static bool add_range(const builder *work, range_list *list, const memplan_joint_item *item, int32_t pool, int64_t step,
                      int64_t low, int64_t high) {
  int64_t unit = work->axis->graph.unit, start = work->axis->start[pool];
  int64_t first = item->pin >= 0 ? item->pin : memplan_align_up(low, item->align, residue_in(work, item, pool));
  if (first > high) {
    return true;
  }
  memplan_offset_range *ranges =
      memplan_grow_in(work->arena, list->ranges, list->n, &list->capacity, sizeof *list->ranges);
  if (ranges == NULL) {
    return false;
  }
  list->ranges = ranges;
  ranges[list->n++] =
      (memplan_offset_range){start + first / unit, start + (first + (high - first) / step * step) / unit};
  return true;
}

static bool add_pool(const builder *work, range_list *list, const memplan_joint_item *item, int32_t pool,
                     int64_t step) {
  int64_t low = 0, high = work->limits[pool] - item->bytes;
  if (item->pin >= 0) {
    return add_range(work, list, item, pool, step, item->pin, item->pin);
  }
  bool good = true;
  for (int32_t k = 0; k < work->n_reserved[pool] && good && low <= high; k++) {
    const memplan_interval *range = &work->reserved[pool][k];
    int64_t below = range->start - item->bytes;
    if (below >= low) {
      good = add_range(work, list, item, pool, step, low, below < high ? below : high);
    }
    low = range->end > low ? range->end : low;
  }
  return good && (low > high || add_range(work, list, item, pool, step, low, high));
}

// Pools in their order on the axis.
static int32_t pool_at(const memplan_joint_axis *axis, int32_t place) {
  return place == axis->n_pools - 1 ? axis->last : place < axis->last ? place : place + 1;
}

static bool set_offsets(const builder *work, memplan_joint_item *item) {
  const memplan_joint_axis *axis = work->axis;
  int64_t unit = axis->graph.unit, step = item->pin >= 0 || unit % item->align == 0 ? unit : item->align;
  range_list list = {NULL, 0, 0};
  uint64_t pools = 0;
  for (int32_t place = 0; place < axis->n_pools; place++) {
    int32_t pool = pool_at(axis, place), before = list.n;
    if (admits(item, pool) && !add_pool(work, &list, item, pool, step)) {
      return false;
    }
    pools |= list.n > before ? (uint64_t)1 << pool : 0;
  }
  memplan_offset_set *set = MEMPLAN_NEW(work->arena, memplan_offset_set, 1);
  if (set == NULL) {
    return false;
  }
  *set = (memplan_offset_set){list.ranges, list.n, step / unit};
  item->set = set;
  item->pools = pools;
  item->bytes /= unit;
  return true;
}

static void divide_pairs(memplan_joint_graph *graph) {
  int32_t kept = 0;
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    memplan_joint_pair pair = graph->pairs[k];
    if ((graph->items[pair.born].pools & graph->items[pair.dying].pools) != 0) {
      pair.delta /= graph->unit;
      pair.saving /= graph->unit;
      graph->pairs[kept++] = pair;
    }
  }
  graph->n_pairs = kept;
}

// ---- rooms

static int64_t usable(const builder *work, int32_t pool) {
  int64_t bytes = work->limits[pool];
  for (int32_t k = 0; k < work->n_reserved[pool]; k++) {
    const memplan_interval *range = &work->reserved[pool][k];
    int64_t end = range->end < work->limits[pool] ? range->end : work->limits[pool];
    bytes -= end > range->start ? end - range->start : 0;
  }
  return bytes / work->axis->graph.unit;
}

static void add_room(const builder *work, memplan_joint_room *rooms, uint64_t pools) {
  memplan_joint_axis *axis = work->axis;
  memplan_joint_room room = {.pools = pools, .open = (pools >> axis->last & 1) != 0};
  for (int32_t k = 0; k < axis->graph.n_rooms; k++) {
    if (rooms[k].pools == pools) {
      return;
    }
  }
  for (int32_t pool = 0; pool < axis->n_pools; pool++) {
    room.units += (pools >> pool & 1) != 0 && pool != axis->last ? usable(work, pool) : 0;
  }
  room.units -= room.open ? axis->start[axis->last] : 0;
  if (axis->graph.n_rooms < most_rooms) {
    rooms[axis->graph.n_rooms++] = room;
  }
}

// Of all items, of those that admit the last pool only, and of other sets as they come.
static bool find_rooms(const builder *work) {
  memplan_joint_axis *axis = work->axis;
  memplan_joint_room *rooms = MEMPLAN_NEW(work->arena, memplan_joint_room, most_rooms);
  if (rooms == NULL) {
    return false;
  }
  axis->graph.rooms = rooms;
  add_room(work, rooms, memplan_pool_mask_all(axis->n_pools));
  add_room(work, rooms, (uint64_t)1 << axis->last);
  for (int32_t k = 0; k < axis->graph.n_items; k++) {
    if (axis->graph.items[k].pools != 0) {
      add_room(work, rooms, axis->graph.items[k].pools);
    }
  }
  return true;
}

// ---- all of it

static memplan_status sort_reserved(builder *work, memplan_error *error) {
  const memplan_graph *graph = work->graph;
  work->reserved = MEMPLAN_NEW(work->arena, memplan_interval *, graph->n_pools);
  work->n_reserved = MEMPLAN_NEW(work->arena, int32_t, graph->n_pools);
  if (work->reserved == NULL || work->n_reserved == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    int32_t n = graph->pools[pool].n_reserved;
    work->reserved[pool] = MEMPLAN_NEW(work->arena, memplan_interval, n);
    if (work->reserved[pool] == NULL) {
      return memplan_fail_nomem(error);
    }
    if (n > 0) {
      memcpy(work->reserved[pool], graph->pools[pool].reserved, (size_t)n * sizeof **work->reserved);
    }
    work->n_reserved[pool] = memplan_intervals_merge(work->reserved[pool], n);
  }
  return MEMPLAN_OK;
}

// The pools one behind the other, with a unit between them. False: too long an axis.
static bool lay_out(const builder *work) {
  memplan_joint_axis *axis = work->axis;
  int64_t at = 0, unit = axis->graph.unit;
  for (int32_t place = 0; place < axis->n_pools; place++) {
    int32_t pool = pool_at(axis, place);
    axis->start[pool] = at;
    axis->limit[pool] = work->limits[pool] / unit;
    if (axis->limit[pool] >= MEMPLAN_ENGINE_VALUES / 8 - at) {
      return false;
    }
    at += axis->limit[pool] + 1;
  }
  return at + 1 < MEMPLAN_SIZE_LIMIT / unit;
}

memplan_status memplan_joint_axis_init(memplan_joint_axis *axis, const memplan_ordering *ordering,
                                       const int64_t *limits, int32_t last, memplan_arena *arena,
                                       memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  *axis = (memplan_joint_axis){.n_pools = graph->n_pools, .last = last};
  builder work = {.axis = axis, .graph = graph, .limits = limits, .arena = arena};
  if (graph->n_pools > MEMPLAN_MASK_POOLS) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d pools, the joint search takes at most %d",
                        graph->n_pools, (int)MEMPLAN_MASK_POOLS);
  }
  memplan_status status = memplan_joint_graph_unplaced(&axis->graph, ordering, arena, error);
  if (status != MEMPLAN_OK) {
    return status == MEMPLAN_NOMEM ? status : MEMPLAN_UNSUPPORTED;
  }
  axis->start = MEMPLAN_NEW(arena, int64_t, axis->n_pools);
  axis->limit = MEMPLAN_NEW(arena, int64_t, axis->n_pools);
  if (axis->start == NULL || axis->limit == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(sort_reserved(&work, error));
  for (int32_t k = 0; k < axis->graph.n_items; k++) {
    narrow(&work, &axis->graph.items[k]);
  }
  axis->graph.unit = find_unit(&work);
  if (!lay_out(&work)) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "its pools have more units of size than the joint search takes");
  }
  for (int32_t k = 0; k < axis->graph.n_items; k++) {
    if (!set_offsets(&work, &axis->graph.items[k])) {
      return memplan_fail_nomem(error);
    }
  }
  divide_pairs(&axis->graph);
  return find_rooms(&work) ? memplan_joint_graph_find_twins(&axis->graph, arena, error) : memplan_fail_nomem(error);
}

int64_t memplan_joint_axis_lower(const memplan_joint_axis *axis, int64_t least) {
  int64_t unit = axis->graph.unit, units = least / unit + (least % unit != 0);
  return (axis->start[axis->last] + units) * unit;
}

int64_t memplan_joint_axis_upper(const memplan_joint_axis *axis) {
  return (axis->start[axis->last] + axis->limit[axis->last] + 1) * axis->graph.unit;
}

// ---- plans

// The pool that holds a place on the axis.
static int32_t pool_of(const memplan_joint_axis *axis, int64_t offset) {
  int32_t found = pool_at(axis, 0);
  for (int32_t place = 1; place < axis->n_pools; place++) {
    int32_t pool = pool_at(axis, place);
    found = axis->start[pool] <= offset ? pool : found;
  }
  return found;
}

static memplan_status place(const memplan_joint_axis *axis, const memplan_joint_lowered *own,
                            const memplan_joint_solution *solution, memplan_arena *arena, memplan_joint_plan *plan,
                            int64_t **peaks, memplan_error *error) {
  const memplan_instance *instance = &own->instance;
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, instance->n_blocks);
  int32_t *pool = MEMPLAN_NEW(arena, int32_t, instance->n_blocks);
  *peaks = MEMPLAN_NEW(arena, int64_t, axis->n_pools);
  if (offset == NULL || pool == NULL || *peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) { // of empty blocks only the pin counts
    offset[block] = instance->blocks[block].pin >= 0 ? instance->blocks[block].pin : 0;
    pool[block] = instance->block_pools[instance->blocks[block].first_pool];
  }
  for (int32_t item = 0; item < axis->graph.n_items; item++) {
    int32_t buffer = own->buffer[item], block = instance->block_of[buffer];
    pool[block] = pool_of(axis, solution->offset[item]);
    offset[block] = (solution->offset[item] - axis->start[pool[block]]) * axis->graph.unit - instance->delta_of[buffer];
  }
  plan->placement = (memplan_placement){.offset = offset, .pool = pool};
  plan->n_blocks = instance->n_blocks;
  plan->peak = memplan_instance_peak(instance, offset);
  memplan_pool_peaks(instance, offset, pool, *peaks);
  return MEMPLAN_OK;
}

memplan_status memplan_joint_axis_read(const memplan_joint_axis *axis, const memplan_joint_solution *solution,
                                       memplan_arena *arena, memplan_joint_plan *plan, int64_t **peaks,
                                       memplan_error *error) {
  const memplan_joint_graph *graph = &axis->graph;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  int32_t *choice = MEMPLAN_NEW(arena, int32_t, solution->n_choices);
  if (order == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(order, solution->order, (size_t)graph->n_ops * sizeof *order);
  for (int32_t k = 0; k < solution->n_choices; k++) {
    choice[k] = graph->pairs[solution->choice[k]].index;
  }
  *plan = (memplan_joint_plan){.order = order, .choice = choice, .n_choices = solution->n_choices};
  memplan_joint_lowered own;
  memplan_status status = memplan_joint_lower(graph, plan, &own, error);
  if (status == MEMPLAN_OK) {
    status = place(axis, &own, solution, arena, plan, peaks, error);
  }
  memplan_joint_lowered_free(&own);
  return status;
}
