// SPDX-License-Identifier: Apache-2.0
// Tight problems: random lifetimes, then every time is filled up to the load with pieces of one to three times.
#include "tests/support/tiny_placement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { TINY_TIMES = 7, TINY_ITEMS = 32 };

static memplan_buffer *add_buffer(memplan_instance *instance, int64_t start, int64_t end, int64_t bytes) {
  char id[16];
  (void)snprintf(id, sizeof id, "b%d", (int)instance->n_buffers);
  return build_buffer(instance, id, start, end, bytes);
}

static void fill_up(random_state *random, memplan_instance *instance, int32_t max_buffers) {
  int64_t load[TINY_TIMES + 2] = {0}, target = 0;
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    for (int64_t t = instance->buffers[k].live[0].start; t < instance->buffers[k].live[0].end; t++) {
      load[t] += instance->buffers[k].bytes;
      target = load[t] > target ? load[t] : target;
    }
  }
  for (int64_t t = 0; t < TINY_TIMES; t++) {
    while (load[t] < target && instance->n_buffers < max_buffers) {
      int64_t end = t + 1 + random_below(random, 3), room = target;
      end = end > TINY_TIMES ? TINY_TIMES : end;
      for (int64_t u = t; u < end; u++) {
        room = target - load[u] < room ? target - load[u] : room;
      }
      if (room == 0) {
        end = t + 1;
        room = target - load[t];
      }
      int64_t bytes = 1 + random_below(random, (int32_t)room);
      bytes = random_chance(random, 50) ? room : bytes;
      add_buffer(instance, t, end, bytes);
      for (int64_t u = t; u < end; u++) {
        load[u] += bytes;
      }
    }
  }
}

static void complicate(random_state *random, memplan_instance *instance) {
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    memplan_buffer *buffer = &instance->buffers[k];
    int64_t start = buffer->live[0].start, end = buffer->live[0].end;
    if (end - start > 1 && random_chance(random, 30)) {
      int64_t cut = start + random_below(random, (int32_t)(end - start));
      build_gap(instance, buffer, cut, cut + 1, 0, random_below(random, (int32_t)buffer->bytes + 1));
    }
    if (random_chance(random, 15)) {
      build_live(instance, buffer, end + 1, end + 2);
    }
    if (random_chance(random, 12)) {
      buffer->pin = random_below(random, 9);
    }
    if (random_chance(random, 20)) {
      buffer->align = 1 + random_below(random, 4);
      buffer->residue = random_below(random, (int32_t)buffer->align);
    }
  }
  for (int32_t k = random_below(random, 3); k > 0 && instance->n_buffers > 1; k--) {
    int32_t first = random_below(random, instance->n_buffers), second = random_below(random, instance->n_buffers);
    if (first != second) {
      build_separate(instance, instance->buffers[first].id, instance->buffers[second].id);
    }
  }
}

static void reserve(random_state *random, memplan_instance *instance, int32_t n_pools) {
  memplan_pool *pools = MEMPLAN_NEW(&instance->arena, memplan_pool, n_pools);
  memplan_interval *reserved = MEMPLAN_NEW(&instance->arena, memplan_interval, n_pools);
  assert_non_null(pools);
  assert_non_null(reserved);
  for (int32_t k = 0; k < n_pools; k++) {
    int64_t low = random_below(random, 8);
    reserved[k] = (memplan_interval){low, low + 1 + random_below(random, 3)};
    pools[k] = (memplan_pool){
        .id = k == 0 ? "p0" : "p1", .capacity = -1, .base = random_below(random, 3), .reserved = &reserved[k]};
    pools[k].n_reserved = random_chance(random, 50);
  }
  instance->pools = pools;
  instance->n_pools = n_pools;
}

static void make_instance(random_state *random, tiny_kind kind, int32_t max_buffers, memplan_problem *problem) {
  build_instance(problem);
  memplan_instance *instance = &problem->instance;
  if (kind == TINY_POOLS || (kind == TINY_MIXED && random_chance(random, 40))) {
    reserve(random, instance, kind == TINY_POOLS ? 2 : 1);
  }
  bool tight = kind == TINY_TIGHT || kind == TINY_ALIGNED || (kind != TINY_PLAIN && random_chance(random, 50));
  int32_t n = 1 + random_below(random, tight ? max_buffers / 2 : max_buffers);
  for (int32_t k = 0; k < n; k++) {
    int64_t start = random_below(random, TINY_TIMES - 1);
    int64_t end = start + 1 + random_below(random, (int32_t)(TINY_TIMES - start));
    add_buffer(instance, start, end > TINY_TIMES ? TINY_TIMES : end,
               1 + random_below(random, kind == TINY_TIGHT ? 8 : 5));
  }
  if (tight) {
    fill_up(random, instance, max_buffers);
  }
  for (int32_t k = 0; k < instance->n_buffers && kind == TINY_ALIGNED; k++) {
    instance->buffers[k].align = random_chance(random, 60) ? 2 : 1 + random_below(random, 4);
    instance->buffers[k].residue =
        random_chance(random, 80) ? 0 : random_below(random, (int32_t)instance->buffers[k].align);
  }
  if (kind == TINY_MIXED || kind == TINY_POOLS) {
    complicate(random, instance);
  }
}

void tiny_place(const memplan_problem *problem, const int64_t *limits, memplan_arena *arena,
                memplan_place_problem *place) {
  const memplan_instance *instance = &problem->instance;
  int32_t blocks[TINY_ITEMS], n_blocks = 0;
  memplan_error error = {0};
  for (int32_t k = 0; k < instance->n_blocks; k++) {
    if (instance->blocks[k].bytes > 0) {
      blocks[n_blocks++] = k;
    }
  }
  assert_int_equal(memplan_place_problem_build(instance, blocks, n_blocks, limits, NULL, arena, place, &error),
                   MEMPLAN_OK);
}

bool tiny_make(random_state *random, tiny_kind kind, int32_t max_buffers, bool bottom, tiny_placement *tiny) {
  *tiny = (tiny_placement){0};
  make_instance(random, kind, max_buffers, &tiny->problem);
  memplan_error error = {0};
  bool ok = build_try(&tiny->problem, &error) == MEMPLAN_OK;
  bool pools = kind == TINY_POOLS;
  tiny->limits[0] = pools ? 4 + random_below(random, 6) : 40;
  tiny->limits[1] = pools ? 4 + random_below(random, 8) : 40;
  if (ok) {
    tiny_place(&tiny->problem, tiny->limits, &tiny->arena, &tiny->place);
    ok = tiny->place.bottom || !bottom;
  }
  if (!ok) {
    tiny_free(tiny);
  }
  return ok;
}

void tiny_free(tiny_placement *tiny) {
  memplan_arena_free(&tiny->arena);
  memplan_problem_free(&tiny->problem);
}

static bool clashes(const memplan_place_problem *place, int32_t item, const int64_t *offset) {
  for (int32_t k = place->first_exclusion[item]; k < place->first_exclusion[item + 1]; k++) {
    const memplan_exclusion *exclusion = &place->exclusions[k];
    int64_t other = offset[exclusion->other];
    if (other >= 0 && other < offset[item] + exclusion->up && offset[item] < other + exclusion->down) {
      return true;
    }
  }
  return false;
}

static bool pack_from(const memplan_place_problem *place, const int32_t *items, const int64_t *least, int32_t n_items,
                      int32_t index, int64_t height, int64_t *offset) {
  if (index == n_items) {
    return true;
  }
  int32_t item = items[index];
  const memplan_offset_set *set = &place->offsets[item];
  for (int32_t r = 0; r < set->n_ranges; r++) {
    for (int64_t at = set->ranges[r].first; at <= set->ranges[r].last && at + place->size[item] <= height;
         at += set->step) {
      offset[item] = at;
      if (at >= least[index] && !clashes(place, item, offset) &&
          pack_from(place, items, least, n_items, index + 1, height, offset)) {
        return true;
      }
    }
  }
  offset[item] = -1;
  return false;
}

bool tiny_packs(const memplan_place_problem *place, const int32_t *items, const int64_t *least, int32_t n_items,
                int64_t height, int64_t *offset) {
  int64_t own[TINY_ITEMS];
  assert_true(place->n_items <= TINY_ITEMS);
  offset = offset == NULL ? own : offset;
  for (int32_t item = 0; item < place->n_items; item++) {
    offset[item] = -1;
  }
  return pack_from(place, items, least, n_items, 0, height, offset);
}

int64_t tiny_optimum(const memplan_place_problem *place, int64_t limit) {
  int32_t items[TINY_ITEMS];
  int64_t least[TINY_ITEMS] = {0};
  for (int32_t item = 0; item < place->n_items; item++) {
    items[item] = item;
  }
  for (int64_t height = place->bottom ? tiny_load(place) : 0; height <= limit; height++) {
    if (tiny_packs(place, items, least, place->n_items, height, NULL)) {
      return height;
    }
  }
  return -1;
}

int64_t tiny_load(const memplan_place_problem *place) {
  int64_t load = 0;
  for (int32_t section = 0; section < place->n_sections; section++) {
    int64_t sum = 0;
    for (int32_t k = place->first_member[section]; k < place->first_member[section + 1]; k++) {
      sum += place->members[k].high - place->members[k].low;
    }
    load = sum > load ? sum : load;
  }
  return load;
}

void tiny_print(const memplan_place_problem *place) {
  for (int32_t item = 0; item < place->n_items; item++) {
    const memplan_offset_set *set = &place->offsets[item];
    printf("item %d size %lld step %lld offsets", (int)item, (long long)place->size[item], (long long)set->step);
    for (int32_t r = 0; r < set->n_ranges; r++) {
      printf(" %lld-%lld", (long long)set->ranges[r].first, (long long)set->ranges[r].last);
    }
    printf(" excludes");
    for (int32_t k = place->first_exclusion[item]; k < place->first_exclusion[item + 1]; k++) {
      const memplan_exclusion *exclusion = &place->exclusions[k];
      printf(" %d(%lld,%lld)", (int)exclusion->other, (long long)exclusion->up, (long long)exclusion->down);
    }
    printf("\n");
  }
}
