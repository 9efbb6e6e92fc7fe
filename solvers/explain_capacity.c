// SPDX-License-Identifier: Apache-2.0
// Cheap answers first: single blocks, loads, the plan of a quick method; then a search for each component.
#include "solvers/explain_capacity.h"

#include "model/base/number.h"
#include "model/occupancy.h"
#include "solvers/explain_core.h"
#include "solvers/objective.h"
#include "solvers/place.h"
#include "solvers/place_components.h"

#include <stdlib.h>
#include <string.h>

const char *memplan_core_kind_name(memplan_core_kind kind) {
  static const char *const names[] = {"none", "buffer", "load", "search"};
  return names[kind];
}

static bool admits(const memplan_instance *instance, const memplan_block *block, int32_t pool) {
  for (int32_t k = 0; k < block->n_pools; k++) {
    if (instance->block_pools[block->first_pool + k] == pool) {
      return true;
    }
  }
  return false;
}

// Blocks with bytes that only `pool` admits (-1: all), ascending.
static int32_t list_blocks(const memplan_instance *instance, int32_t pool, int32_t *blocks) {
  int32_t count = 0;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->bytes > 0 && (pool < 0 || (block->n_pools == 1 && admits(instance, block, pool)))) {
      blocks[count++] = index;
    }
  }
  return count;
}

static memplan_status find_limits(memplan_core *core, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  int64_t *limits = MEMPLAN_NEW(core->arena, int64_t, instance->n_pools);
  if (limits == NULL) {
    return memplan_fail_nomem(error);
  }
  bool any = false;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t own = instance->pools[pool].capacity, asked = core->task->capacity;
    limits[pool] = own >= 0 && (asked < 0 || own < asked) ? own : asked;
    any |= limits[pool] >= 0;
  }
  core->limits = limits;
  return any ? MEMPLAN_OK
             : memplan_fail(error, MEMPLAN_INPUT, "no pool has a capacity: give one with --capacity, as in 512K");
}

// Bytes of the pool below its limit that are not reserved.
static memplan_status find_room(memplan_core *core, int32_t pool, memplan_room *room, memplan_error *error) {
  const memplan_pool *entry = &core->task->instance->pools[pool];
  int64_t limit = core->limits[pool];
  *room = (memplan_room){.pool = pool, .capacity = limit, .bytes = limit};
  memplan_arena_mark mark = memplan_arena_get_mark(&core->scratch);
  memplan_interval *reserved = MEMPLAN_NEW(&core->scratch, memplan_interval, entry->n_reserved);
  if (reserved == NULL) {
    return memplan_fail_nomem(error);
  }
  if (entry->n_reserved > 0) {
    memcpy(reserved, entry->reserved, (size_t)entry->n_reserved * sizeof *reserved);
  }
  int32_t count = memplan_intervals_merge(reserved, entry->n_reserved);
  for (int32_t k = 0; k < count && limit >= 0; k++) {
    int64_t end = reserved[k].end < limit ? reserved[k].end : limit;
    room->bytes -= reserved[k].start < end ? end - reserved[k].start : 0;
  }
  memplan_arena_release(&core->scratch, mark);
  return MEMPLAN_OK;
}

// A plan of the placement methods (`place`: of one of them) that fits.
static memplan_status try_methods(memplan_core *core, const char *place, memplan_capacity_answer *answer,
                                  memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  memplan_place_result best;
  memplan_place_news news = {.peak = INT64_MAX};
  memplan_solve_options solve = *core->task->solve;
  solve.place = place;
  MEMPLAN_TRY(memplan_place_best(instance, &solve, &news, &core->scratch, &best, error));
  int64_t *peaks = MEMPLAN_NEW(&core->scratch, int64_t, instance->n_pools);
  if (peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  if (best.method == NULL) {
    return MEMPLAN_OK;
  }
  memplan_pool_peaks(instance, best.placement.offset, best.placement.pool, peaks);
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    if (core->limits[pool] >= 0 && peaks[pool] > core->limits[pool]) {
      return MEMPLAN_OK;
    }
  }
  answer->fit = MEMPLAN_FIT_YES;
  answer->peak = best.peak;
  return MEMPLAN_OK;
}

// No pool holds the block in less than this.
static int64_t reach_of(const memplan_block *block) { return (block->pin >= 0 ? block->pin : 0) + block->bytes; }

// The widest pool that admits the block is too small for it: that pool, else -1.
static int32_t find_narrow(const memplan_core *core, const memplan_block *block) {
  const memplan_instance *instance = core->task->instance;
  int32_t widest = -1;
  for (int32_t k = 0; k < block->n_pools && block->bytes > 0; k++) {
    int32_t pool = instance->block_pools[block->first_pool + k];
    if (core->limits[pool] < 0 || core->limits[pool] >= reach_of(block)) {
      return -1;
    }
    widest = widest < 0 || core->limits[pool] > core->limits[widest] ? pool : widest;
  }
  return widest;
}

// Of the blocks that reach highest the first that no pool that admits it can hold.
static memplan_status try_blocks(memplan_core *core, memplan_capacity_answer *answer, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  int32_t largest = -1, narrow = -1;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    int32_t pool = find_narrow(core, &instance->blocks[index]);
    if (pool >= 0 && (largest < 0 || reach_of(&instance->blocks[index]) > reach_of(&instance->blocks[largest]))) {
      largest = index;
      narrow = pool;
    }
  }
  if (largest < 0) {
    return MEMPLAN_OK;
  }
  int32_t *blocks = MEMPLAN_NEW(core->arena, int32_t, 1);
  if (blocks == NULL) {
    return memplan_fail_nomem(error);
  }
  blocks[0] = largest;
  answer->fit = MEMPLAN_FIT_NO;
  answer->kind = MEMPLAN_CORE_BUFFER;
  answer->blocks = blocks;
  answer->n_blocks = 1;
  answer->core_needs = reach_of(&instance->blocks[largest]);
  MEMPLAN_TRY(find_room(core, narrow, &core->room, error));
  if (instance->n_pools > 1) {
    return MEMPLAN_OK;
  }
  // Other buffers may need still more at once.
  int32_t rank, *all = MEMPLAN_NEW(&core->scratch, int32_t, instance->n_blocks);
  if (all == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t load = memplan_core_load(core, all, list_blocks(instance, -1, all), &rank);
  answer->needs = memplan_core_height(instance, 0, load, &core->scratch);
  return answer->needs < 0 ? memplan_fail_nomem(error)
                           : memplan_core_measure(core, blocks, 1, &answer->core_needs, &answer->core_exact, error);
}

typedef struct weighed {
  int64_t bytes;
  int32_t block;
} weighed;

static int compare_weighed(const void *left, const void *right) {
  const weighed *a = left, *b = right;
  if (a->bytes != b->bytes) {
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
  }
  return (a->block > b->block) - (a->block < b->block);
}

static int64_t bytes_at(const memplan_instance *instance, int32_t index, int32_t rank) {
  const memplan_block *block = &instance->blocks[index];
  int64_t bytes = 0;
  for (int32_t k = 0; k < block->n_parts; k++) {
    const memplan_part *part = &instance->parts[block->first_part + k];
    bytes += part->start <= rank && rank < part->end ? part->high - part->low : 0;
  }
  return bytes;
}

// Keeps of the blocks those live at the rank, and drops from the smallest on what is not needed to pass the room.
static memplan_status trim_load(memplan_core *core, int32_t rank, int32_t *blocks, int32_t *n_blocks,
                                memplan_error *error) {
  weighed *live = MEMPLAN_NEW(&core->scratch, weighed, *n_blocks);
  if (live == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0, kept = 0;
  int64_t sum = 0;
  for (int32_t k = 0; k < *n_blocks; k++) {
    int64_t bytes = bytes_at(core->task->instance, blocks[k], rank);
    if (bytes > 0) {
      live[count++] = (weighed){bytes, blocks[k]};
      sum += bytes;
    }
  }
  if (count > 1) {
    qsort(live, (size_t)count, sizeof *live, compare_weighed);
  }
  for (int32_t k = 0; k < count; k++) {
    if (sum - live[k].bytes > core->room.bytes) {
      sum -= live[k].bytes;
    } else {
      blocks[kept++] = live[k].block;
    }
  }
  if (kept > 1) {
    qsort(blocks, (size_t)kept, sizeof *blocks, memplan_compare_int32);
  }
  *n_blocks = kept;
  return MEMPLAN_OK;
}

// The one pool that all of the blocks have to lie in, or -1.
static int32_t find_only_pool(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks) {
  int32_t only = -1;
  for (int32_t k = 0; k < n_blocks; k++) {
    const memplan_block *block = &instance->blocks[blocks[k]];
    int32_t pool = block->n_pools == 1 ? instance->block_pools[block->first_pool] : -1;
    if (pool < 0 || (k > 0 && pool != only)) {
      return -1;
    }
    only = pool;
  }
  return only;
}

// The core's own numbers, once it is there. One that was found in all pools together may lie in one of them alone.
static memplan_status finish_core(memplan_core *core, int32_t *blocks, int32_t n_blocks,
                                  memplan_capacity_answer *answer, memplan_error *error) {
  int32_t rank;
  MEMPLAN_TRY(memplan_core_shrink(core, blocks, &n_blocks, &answer->n_unproven, error));
  int32_t only = core->room.pool < 0 ? find_only_pool(core->task->instance, blocks, n_blocks) : -1;
  if (only >= 0 && core->limits[only] >= 0) {
    MEMPLAN_TRY(find_room(core, only, &core->room, error));
  }
  int64_t load = memplan_core_load(core, blocks, n_blocks, &rank);
  answer->fit = MEMPLAN_FIT_NO;
  bool by_load = core->room.capacity >= 0 && load > core->room.bytes;
  answer->kind = by_load ? MEMPLAN_CORE_LOAD : MEMPLAN_CORE_SEARCH;
  answer->blocks = blocks;
  answer->n_blocks = n_blocks;
  if (answer->kind == MEMPLAN_CORE_LOAD) {
    answer->load = load;
    answer->rank = rank;
    answer->time = core->task->instance->times[rank];
  }
  if (core->room.pool < 0) {
    answer->core_needs = by_load ? core->room.capacity + (load - core->room.bytes) : -1;
    return MEMPLAN_OK;
  }
  return memplan_core_measure(core, blocks, n_blocks, &answer->core_needs, &answer->core_exact, error);
}

// A room whose blocks need more at one time.
static memplan_status try_load(memplan_core *core, int32_t pool, memplan_capacity_answer *answer,
                               memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  int32_t *blocks = MEMPLAN_NEW(core->arena, int32_t, instance->n_blocks), rank;
  if (blocks == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n_blocks = list_blocks(instance, pool, blocks);
  int64_t load = memplan_core_load(core, blocks, n_blocks, &rank);
  if (load <= core->room.bytes) {
    return MEMPLAN_OK;
  }
  answer->needs = core->room.capacity + (load - core->room.bytes);
  if (pool >= 0) {
    answer->needs = memplan_core_height(instance, pool, load, &core->scratch);
    if (answer->needs < 0) {
      return memplan_fail_nomem(error);
    }
  }
  MEMPLAN_TRY(trim_load(core, rank, blocks, &n_blocks, error));
  return finish_core(core, blocks, n_blocks, answer, error);
}

// All pools together; without a capacity if one of them has none.
static memplan_status find_sum(memplan_core *core, memplan_room *all, memplan_error *error) {
  *all = (memplan_room){.pool = -1};
  for (int32_t pool = 0; pool < core->task->instance->n_pools; pool++) {
    memplan_room room;
    MEMPLAN_TRY(find_room(core, pool, &room, error));
    bool limited = room.capacity >= 0 && all->capacity >= 0;
    all->capacity = limited ? memplan_add_saturated(all->capacity, room.capacity) : -1;
    all->bytes = limited ? memplan_add_saturated(all->bytes, room.bytes) : -1;
  }
  return MEMPLAN_OK;
}

static memplan_status try_loads(memplan_core *core, memplan_capacity_answer *answer, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  for (int32_t pool = 0; pool < instance->n_pools && answer->fit == MEMPLAN_FIT_UNKNOWN; pool++) {
    MEMPLAN_TRY(find_room(core, pool, &core->room, error));
    if (core->room.capacity >= 0) {
      MEMPLAN_TRY(try_load(core, pool, answer, error));
    }
  }
  if (instance->n_pools == 1 || answer->fit != MEMPLAN_FIT_UNKNOWN) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(find_sum(core, &core->room, error));
  return core->room.capacity < 0 ? MEMPLAN_OK : try_load(core, -1, answer, error);
}

// Components never influence each other, so the first that does not fit is the answer.
static memplan_status try_search(memplan_core *core, memplan_capacity_answer *answer, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  memplan_place_components components;
  int64_t ticks = core->task->ticks > 0 ? core->task->ticks : MEMPLAN_CAPACITY_TICKS;
  bool all = true;
  MEMPLAN_TRY(instance->n_pools == 1 ? find_room(core, 0, &core->room, error) : find_sum(core, &core->room, error));
  MEMPLAN_TRY(memplan_place_components_find(instance, core->arena, &components, error));
  for (int32_t k = 0; k < components.n_components; k++) {
    const int32_t *members = components.blocks + components.first[k];
    int32_t count = components.first[k + 1] - components.first[k];
    memplan_fit fit;
    MEMPLAN_TRY(memplan_core_decide(core, members, count, core->room.capacity, ticks, &fit, error));
    all &= fit == MEMPLAN_FIT_YES;
    if (fit == MEMPLAN_FIT_NO) {
      int32_t *blocks = MEMPLAN_NEW(core->arena, int32_t, count);
      if (blocks == NULL) {
        return memplan_fail_nomem(error);
      }
      memcpy(blocks, members, (size_t)count * sizeof *blocks);
      MEMPLAN_TRY(finish_core(core, blocks, count, answer, error));
      answer->needs = answer->core_needs;
      return MEMPLAN_OK;
    }
  }
  answer->fit = all ? MEMPLAN_FIT_YES : MEMPLAN_FIT_UNKNOWN;
  return MEMPLAN_OK;
}

static memplan_status explain(memplan_core *core, memplan_capacity_answer *answer, memplan_error *error) {
  const memplan_instance *instance = core->task->instance;
  core->change = MEMPLAN_NEW(core->arena, int64_t, instance->n_times + 1);
  if (core->change == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(find_limits(core, error));
  MEMPLAN_TRY(try_blocks(core, answer, error));
  if (answer->fit == MEMPLAN_FIT_UNKNOWN) {
    MEMPLAN_TRY(try_loads(core, answer, error));
  }
  // One quick method, a search for a proof either way, and what else may find a plan.
  const char *place = core->task->solve->place;
  if (answer->fit == MEMPLAN_FIT_UNKNOWN) {
    MEMPLAN_TRY(try_methods(core, place != NULL ? place : "best-fit", answer, error));
  }
  if (answer->fit == MEMPLAN_FIT_UNKNOWN) {
    MEMPLAN_TRY(try_search(core, answer, error));
  }
  if (answer->fit == MEMPLAN_FIT_UNKNOWN && place == NULL) {
    MEMPLAN_TRY(try_methods(core, NULL, answer, error));
  }
  answer->pool = core->room.pool;
  answer->capacity = core->room.capacity;
  answer->room = core->room.bytes;
  answer->needs = answer->core_needs > answer->needs ? answer->core_needs : answer->needs;
  return MEMPLAN_OK;
}

memplan_status memplan_capacity_explain(const memplan_capacity_task *task, memplan_arena *arena,
                                        memplan_capacity_answer *answer, memplan_error *error) {
  // Questions about a single pool may go beyond its own capacity: what would be enough?
  memplan_instance wider = *task->instance;
  memplan_capacity_task wide = *task;
  memplan_pool pool = task->instance->pools[0];
  if (wider.n_pools == 1) {
    wide.capacity =
        pool.capacity >= 0 && (task->capacity < 0 || pool.capacity < task->capacity) ? pool.capacity : task->capacity;
    pool.capacity = -1;
    wider.pools = &pool;
    wide.instance = &wider;
  }
  memplan_core core = {.task = &wide, .arena = arena, .room = {.pool = -1, .capacity = -1, .bytes = -1}};
  *answer = (memplan_capacity_answer){.peak = -1, .rank = -1, .pool = -1};
  memplan_status status = explain(&core, answer, error);
  memplan_arena_free(&core.scratch);
  return status;
}
