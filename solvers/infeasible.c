// SPDX-License-Identifier: Apache-2.0
#include "solvers/infeasible.h"

#include "model/base/number.h"
#include "solvers/explain_capacity.h"
#include "solvers/explain_fits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { most_named = 5, core_ticks = 1 << 22 };

static const char *keep(memplan_arena *arena, const char *text) {
  return text[0] == '\0' ? NULL : memplan_arena_text(arena, text, strlen(text));
}

static int64_t room_of(const memplan_pool *pools, int32_t n_pools) {
  int64_t room = 0;
  for (int32_t pool = 0; pool < n_pools; pool++) {
    if (pools[pool].capacity < 0) {
      return INT64_MAX;
    }
    room = memplan_add_saturated(room, pools[pool].capacity);
  }
  return room;
}

// A block larger than every pool that admits it.
static void find_large_block(const memplan_instance *instance, char *text, size_t size) {
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    bool fits = block->bytes == 0;
    for (int32_t k = 0; k < block->n_pools && !fits; k++) {
      int64_t capacity = instance->pools[instance->block_pools[block->first_pool + k]].capacity;
      fits = capacity < 0 || capacity >= block->bytes;
    }
    if (!fits) {
      const memplan_pool *pool = &instance->pools[instance->block_pools[block->first_pool]];
      (void)snprintf(text, size, "buffer '%s' needs %" PRId64 " bytes, more than the %" PRId64 " of pool '%s'%s",
                     instance->buffers[instance->members[block->first_member].buffer].id, block->bytes, pool->capacity,
                     pool->id, block->n_pools > 1 ? " and than every other pool that admits it" : "");
      return;
    }
  }
}

static bool only_in(const memplan_instance *instance, const memplan_block *block, int32_t pool) {
  return block->n_pools == 1 && instance->block_pools[block->first_pool] == pool;
}

// Largest load of the blocks that only `pool` admits (of all blocks: pool < 0), and its time rank. False if memory is
// out.
static bool find_load(const memplan_instance *instance, int32_t pool, int64_t *load, int32_t *rank) {
  memplan_arena scratch = {0};
  int64_t *change = MEMPLAN_NEW(&scratch, int64_t, instance->n_times + 1);
  if (change == NULL) {
    return false;
  }
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    for (int32_t k = 0; k < block->n_parts && (pool < 0 || only_in(instance, block, pool)); k++) {
      const memplan_part *part = &instance->parts[block->first_part + k];
      change[part->start] += part->high - part->low;
      change[part->end] -= part->high - part->low;
    }
  }
  int64_t sum = 0;
  *load = 0;
  *rank = 0;
  for (int32_t time = 0; time < instance->n_times; time++) {
    sum += change[time];
    if (sum > *load) {
      *load = sum;
      *rank = time;
    }
  }
  memplan_arena_free(&scratch);
  return true;
}

// " 'A' (60), 'B' (60) and 3 more" of the parts live at a time rank.
static void name_buffers(const memplan_instance *instance, int32_t pool, int32_t rank, char *text, size_t size) {
  int32_t count = 0;
  size_t used = 0;
  text[0] = '\0';
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    for (int32_t k = 0; k < block->n_parts && (pool < 0 || only_in(instance, block, pool)); k++) {
      const memplan_part *part = &instance->parts[block->first_part + k];
      if (part->start > rank || part->end <= rank) {
        continue;
      }
      count++;
      if (count <= most_named && used < size) {
        int written = snprintf(text + used, size - used, "%s'%.60s' (%" PRId64 ")", count > 1 ? ", " : "",
                               instance->buffers[part->buffer].id, part->high - part->low);
        used += written > 0 ? (size_t)written : 0;
      }
    }
  }
  if (count > most_named && used < size) {
    (void)snprintf(text + used, size - used, " and %d more", count - most_named);
  }
}

// The blocks that a single pool must hold, then all blocks against all pools.
static void find_full_pool(const memplan_instance *instance, char *text, size_t size) {
  char names[512];
  int64_t load;
  int32_t rank;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t capacity = instance->pools[pool].capacity;
    if (capacity >= 0 && find_load(instance, pool, &load, &rank) && load > capacity) {
      name_buffers(instance, pool, rank, names, sizeof names);
      (void)snprintf(text, size,
                     "pool '%s' holds %" PRId64 " bytes, but at %" PRId64 " %s need %" PRId64 " there, %" PRId64
                     " too many",
                     instance->pools[pool].id, capacity, instance->times[rank], names, load, load - capacity);
      return;
    }
  }
  int64_t room = room_of(instance->pools, instance->n_pools);
  if (find_load(instance, -1, &load, &rank) && load > room) {
    name_buffers(instance, -1, rank, names, sizeof names);
    (void)snprintf(text, size,
                   "the pools hold %" PRId64 " bytes, but at %" PRId64 " %s need %" PRId64 ", %" PRId64 " too many",
                   room, instance->times[rank], names, load, load - room);
  }
}

const char *memplan_infeasible_instance(const memplan_instance *instance, const memplan_bound *bound,
                                        memplan_arena *arena) {
  char text[1024] = "";
  find_large_block(instance, text, sizeof text);
  if (text[0] == '\0') {
    find_full_pool(instance, text, sizeof text);
  }
  int64_t room = room_of(instance->pools, instance->n_pools);
  if (text[0] == '\0' && instance->n_pools == 1 && bound->bytes > room) {
    (void)snprintf(
        text, sizeof text, "pool '%s' holds %" PRId64 " bytes, but the %s bound is %" PRId64 ", %" PRId64 " too many",
        instance->pools[0].id, room, memplan_bound_kind_name(bound->kind), bound->bytes, bound->bytes - room);
  }
  return keep(arena, text);
}

static void name_core(const memplan_instance *instance, const memplan_capacity_answer *answer, char *text,
                      size_t size) {
  size_t used = 0;
  int32_t shown = answer->n_blocks < most_named ? answer->n_blocks : most_named;
  text[0] = '\0';
  for (int32_t k = 0; k < shown && used < size; k++) {
    const memplan_block *block = &instance->blocks[answer->blocks[k]];
    int written = snprintf(text + used, size - used, "%s'%.60s' (%" PRId64 ")", k > 0 ? ", " : "",
                           instance->buffers[instance->members[block->first_member].buffer].id, block->bytes);
    used += written > 0 ? (size_t)written : 0;
  }
  if (shown < answer->n_blocks && used < size) {
    (void)snprintf(text + used, size - used, " and %" PRId32 " more", answer->n_blocks - shown);
  }
}

// "pools 'near', 'far' do": those that admit a block of the core; "pool 'near' does".
static void name_pools(const memplan_instance *instance, const memplan_capacity_answer *answer, char *text,
                       size_t size) {
  int32_t count = 0;
  size_t used = 0;
  char names[400] = "";
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    bool admits = false;
    for (int32_t k = 0; k < answer->n_blocks && !admits; k++) {
      const memplan_block *block = &instance->blocks[answer->blocks[k]];
      for (int32_t p = 0; p < block->n_pools; p++) {
        admits = admits || instance->block_pools[block->first_pool + p] == pool;
      }
    }
    count += admits ? 1 : 0;
    if (admits && count <= most_named && used < sizeof names) {
      int written =
          snprintf(names + used, sizeof names - used, "%s'%.60s'", count > 1 ? ", " : "", instance->pools[pool].id);
      used += written > 0 ? (size_t)written : 0;
    }
  }
  (void)snprintf(text, size, "pool%s %s%s %s", count == 1 ? "" : "s", names, count > most_named ? " and others" : "",
                 count == 1 ? "does" : "do");
}

memplan_status memplan_infeasible_core(const memplan_instance *instance, const memplan_solve_options *solve,
                                       const char *why, memplan_arena *arena, const char **reason,
                                       memplan_error *error) {
  memplan_solve_options quick = *solve; // no placement is sought that is known not to be there
  quick.place = "best-fit";
  const memplan_capacity_task task = {.instance = instance,
                                      .capacity = -1,
                                      .solve = &quick,
                                      .fits = memplan_blocks_fit,
                                      .ticks = core_ticks,
                                      .ticks_each = core_ticks / 4};
  memplan_arena scratch = {0};
  memplan_capacity_answer answer;
  char names[512], pools[512], text[1600];
  bool limited = false;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    limited = limited || instance->pools[pool].capacity >= 0;
  }
  *reason = why != NULL ? why
            : limited   ? "an exhausted search has found no placement within the capacities"
                        : "an exhausted search has found no placement beside what is pinned and reserved";
  if (!limited) { // there is no question of a capacity
    return MEMPLAN_OK;
  }
  memplan_status status = memplan_capacity_explain(&task, &scratch, &answer, error);
  if (status == MEMPLAN_OK && answer.fit == MEMPLAN_FIT_NO) {
    name_core(instance, &answer, names, sizeof names);
    name_pools(instance, &answer, pools, sizeof pools);
    (void)snprintf(text, sizeof text, "%s%s%s not hold %s together, wherever they lie", why != NULL ? why : "",
                   why != NULL ? ": " : "", pools, names);
    *reason = memplan_arena_text(arena, text, strlen(text));
    status = *reason != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  memplan_arena_free(&scratch);
  return status;
}

const char *memplan_infeasible_graph(const memplan_graph *graph, const memplan_bound *bound, memplan_arena *arena) {
  char text[1024] = "";
  int64_t room = room_of(graph->pools, graph->n_pools);
  if (graph->n_pools == 1 && bound->bytes > room && bound->kind == MEMPLAN_BOUND_BUFFER) {
    (void)snprintf(text, sizeof text,
                   "pool '%s' holds %" PRId64 " bytes, but one buffer alone ends at %" PRId64
                   " or above, by its pin or what is reserved, %" PRId64 " too many",
                   graph->pools[0].id, room, bound->bytes, bound->bytes - room);
  } else if (graph->n_pools > 0 && bound->bytes > room) {
    (void)snprintf(text, sizeof text,
                   "%s%s%s %" PRId64 " bytes, but %s%s needs %" PRId64 " at once, %" PRId64 " too many",
                   graph->n_pools == 1 ? "pool '" : "the pools", graph->n_pools == 1 ? graph->pools[0].id : "",
                   graph->n_pools == 1 ? "' holds" : " hold", room, bound->op != NULL ? "operator " : "the graph",
                   bound->op != NULL ? bound->op : "", bound->bytes, bound->bytes - room);
  }
  return keep(arena, text);
}
