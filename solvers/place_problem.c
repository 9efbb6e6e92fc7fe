// SPDX-License-Identifier: Apache-2.0
// Pairs come from a merge of the parts of each two blocks; sections from a sweep over time that stops where a
// start is followed by an end (each other set of parts that are live together is contained in one of these), and from a
// greedy cover of the pairs that rules alone exclude.
#include "solvers/place_problem.h"

#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/part_meetings.h"

#include <stdlib.h>
#include <string.h>

// ---- sets of offsets

// Index of the first range whose last offset is >= value.
static int32_t range_at(const memplan_offset_set *set, int64_t value) {
  int32_t low = 0, high = set->n_ranges;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (set->ranges[middle].last < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

int64_t memplan_offset_set_up(const memplan_offset_set *set, int64_t value) {
  int32_t index = range_at(set, value);
  if (index == set->n_ranges) {
    return INT64_MAX;
  }
  const memplan_offset_range *range = &set->ranges[index];
  if (value <= range->first) {
    return range->first;
  }
  int64_t over = (value - range->first) % set->step;
  return over == 0 ? value : value - over + set->step;
}

int64_t memplan_offset_set_down(const memplan_offset_set *set, int64_t value) {
  int32_t index = range_at(set, value);
  if (index < set->n_ranges && set->ranges[index].first <= value) {
    return value - (value - set->ranges[index].first) % set->step;
  }
  return index == 0 ? -1 : set->ranges[index - 1].last;
}

int64_t memplan_offset_set_weaken(const memplan_offset_set *set, int64_t value) {
  return value <= 0 ? 0 : memplan_offset_set_down(set, value - 1) + 1;
}

// ---- building

typedef struct builder {
  const memplan_instance *instance;
  memplan_arena *arena;
  memplan_arena scratch;
  memplan_place_problem *problem;
  int32_t *item_of; // by block of the instance: item or -1
  int32_t *block;
  int64_t *start; // of the pools, in bytes
  const int64_t *limits;
  memplan_offset_set *offsets;
  int64_t *size;
  // forbidden stretches of a set of offsets, or exclusions of a pair, open intervals
  memplan_interval *stretches;
  int32_t n_stretches;
  int64_t stretch_capacity;
  int32_t *first_exclusion;
  memplan_exclusion *exclusions;
  int32_t n_exclusions;
  int64_t exclusion_capacity;
  memplan_section_member *members;
  int32_t n_members;
  int64_t member_capacity;
  int32_t *first_member; // grows
  int32_t *time;
  int32_t n_sections;
  int64_t section_capacity, time_capacity;
  int32_t *room; // for a walk over the parts of two blocks
  int32_t form;
  const memplan_limits *run;
  int64_t effort; // since the limits were last looked at
} builder;

enum { effort_between_looks = 1 << 16 }; // parts, members and comparisons: well below a millisecond

// Counts work that has been done. True once the limits of the run are reached: then the building ends.
static bool is_over(builder *work, int64_t effort) {
  work->effort += effort;
  if (work->run != NULL && work->effort >= effort_between_looks) {
    work->effort = 0;
    work->problem->unfinished = memplan_limits_reached(work->run) != MEMPLAN_STOP_DONE;
  }
  return work->problem->unfinished;
}

static int compare_stretches(const void *a, const void *b) {
  const memplan_interval *x = a, *y = b;
  if (x->start != y->start) {
    return (x->start > y->start) - (x->start < y->start);
  }
  return (x->end > y->end) - (x->end < y->end);
}

static bool add_stretch(builder *work, int64_t low, int64_t high) {
  memplan_interval *stretches = memplan_grow_in(&work->scratch, work->stretches, work->n_stretches,
                                                &work->stretch_capacity, sizeof *work->stretches);
  if (stretches == NULL) {
    return false;
  }
  work->stretches = stretches;
  stretches[work->n_stretches++] = (memplan_interval){low, high};
  return true;
}

// Joins open intervals that overlap: the point between two that only touch stays allowed.
static void join_stretches(builder *work) {
  if (work->n_stretches < 2) {
    return;
  }
  qsort(work->stretches, (size_t)work->n_stretches, sizeof *work->stretches, compare_stretches);
  int32_t kept = 0;
  for (int32_t k = 1; k < work->n_stretches; k++) {
    if (work->stretches[k].start < work->stretches[kept].end) {
      work->stretches[kept].end =
          work->stretches[k].end > work->stretches[kept].end ? work->stretches[k].end : work->stretches[kept].end;
    } else {
      work->stretches[++kept] = work->stretches[k];
    }
  }
  work->n_stretches = kept + 1;
}

// The offsets that reserved ranges of the pool forbid to the block. Members count, not the block: a reserved range may
// lie between them.
static bool forbid_reserved(builder *work, const memplan_block *block, const memplan_pool *pool) {
  work->n_stretches = 0;
  for (int32_t k = 0; k < pool->n_reserved; k++) {
    const memplan_interval *range = &pool->reserved[k];
    for (int32_t m = 0; m < block->n_members && range->start < range->end; m++) {
      const memplan_member *member = &work->instance->members[block->first_member + m];
      int64_t bytes = work->instance->buffers[member->buffer].bytes;
      if (bytes > 0 && !add_stretch(work, range->start - member->delta - bytes, range->end - member->delta)) {
        return false;
      }
    }
  }
  join_stretches(work);
  return true;
}

typedef struct range_list {
  memplan_offset_range *ranges;
  int32_t n;
  int64_t capacity;
} range_list;

// Adds the aligned offsets in [low, high] of a pool.
static bool add_range(builder *work, range_list *list, const memplan_block *block, int32_t pool, int64_t low,
                      int64_t high) {
  int64_t base = work->instance->pools[pool].base;
  if (low > high) {
    return true;
  }
  int64_t first = memplan_align_up(base + low, block->align, block->residue) - base;
  if (first > high) {
    return true;
  }
  int64_t last = first + (high - first) / block->align * block->align;
  memplan_offset_range *ranges =
      memplan_grow_in(&work->scratch, list->ranges, list->n, &list->capacity, sizeof *list->ranges);
  if (ranges == NULL) {
    return false;
  }
  list->ranges = ranges;
  ranges[list->n++] = (memplan_offset_range){work->start[pool] + first, work->start[pool] + last};
  return true;
}

static bool admits(const memplan_instance *instance, const memplan_block *block, int32_t pool) {
  for (int32_t k = 0; k < block->n_pools; k++) {
    if (instance->block_pools[block->first_pool + k] == pool) {
      return true;
    }
  }
  return false;
}

static bool build_offsets(builder *work, int32_t item) {
  const memplan_instance *instance = work->instance;
  const memplan_block *block = &instance->blocks[work->block[item]];
  range_list list = {NULL, 0, 0};
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t low = 0, high = work->limits[pool] - block->bytes;
    if (!admits(instance, block, pool)) {
      continue;
    }
    if (block->pin >= 0) {
      low = block->pin;
      high = block->pin < high ? block->pin : high;
    }
    if (!forbid_reserved(work, block, &instance->pools[pool])) {
      return false;
    }
    for (int32_t k = 0; k < work->n_stretches && low <= high; k++) {
      const memplan_interval *stretch = &work->stretches[k];
      if (!add_range(work, &list, block, pool, low, stretch->start < high ? stretch->start : high)) {
        return false;
      }
      low = stretch->end > low ? stretch->end : low;
    }
    if (!add_range(work, &list, block, pool, low, high)) {
      return false;
    }
  }
  memplan_offset_range *ranges = MEMPLAN_NEW(work->arena, memplan_offset_range, list.n);
  if (ranges == NULL) {
    return false;
  }
  if (list.n > 0) {
    memcpy(ranges, list.ranges, (size_t)list.n * sizeof *ranges);
  }
  work->offsets[item] = (memplan_offset_set){ranges, list.n, block->align};
  work->size[item] = block->bytes;
  return true;
}

// ---- pairs

// off(b) - off(a) may not lie in the open interval (-(high of b - low of a), high of a - low of b).
static bool forbid_overlaps(builder *work, const memplan_block *a, const memplan_block *b) {
  const memplan_part *parts = work->instance->parts;
  memplan_part_meetings walk;
  int32_t k, l;
  memplan_part_meetings_begin(&walk, parts, a, b, work->room);
  while (memplan_part_meetings_next(&walk, &k, &l)) {
    int64_t low = parts[k].low - parts[l].high, high = parts[k].high - parts[l].low;
    const memplan_interval *last = work->n_stretches > 0 ? &work->stretches[work->n_stretches - 1] : NULL;
    bool again = last != NULL && last->start == low && last->end == high;
    if (is_over(work, 1) || (!again && !add_stretch(work, low, high))) {
      return false;
    }
  }
  return !is_over(work, (int64_t)a->n_parts + b->n_parts);
}

static bool forbid_apart(builder *work, const memplan_block *a, int32_t other) {
  for (int32_t k = a->first_apart; k < a->first_apart + a->n_apart; k++) {
    const memplan_apart *apart = &work->instance->apart[k];
    if (apart->block == other && !add_stretch(work, apart->low - apart->other_high, apart->high - apart->other_low)) {
      return false;
    }
  }
  return true;
}

static bool add_exclusions(builder *work, int32_t other) {
  join_stretches(work);
  for (int32_t k = 0; k < work->n_stretches; k++) {
    memplan_exclusion *exclusions = memplan_grow_in(&work->scratch, work->exclusions, work->n_exclusions,
                                                    &work->exclusion_capacity, sizeof *work->exclusions);
    if (exclusions == NULL) {
      return false;
    }
    work->exclusions = exclusions;
    exclusions[work->n_exclusions++] =
        (memplan_exclusion){.other = other, .up = work->stretches[k].end, .down = -work->stretches[k].start};
  }
  return true;
}

static bool build_exclusions(builder *work) {
  const memplan_instance *instance = work->instance;
  int32_t n = work->problem->n_items;
  work->first_exclusion = MEMPLAN_NEW(work->arena, int32_t, n + 1);
  if (work->first_exclusion == NULL) {
    return false;
  }
  work->problem->bottom = true;
  for (int32_t item = 0; item < n; item++) {
    const memplan_block *a = &instance->blocks[work->block[item]];
    work->first_exclusion[item] = work->n_exclusions;
    for (int32_t other = 0; other < n; other++) {
      const memplan_block *b = &instance->blocks[work->block[other]];
      work->n_stretches = 0;
      if (other == item || ((a->start < b->end && b->start < a->end) && !forbid_overlaps(work, a, b)) ||
          (a->n_apart > 0 && !forbid_apart(work, a, work->block[other]))) {
        if (other == item) {
          continue;
        }
        return false;
      }
      int32_t before = work->n_exclusions;
      if (!add_exclusions(work, other)) {
        return false;
      }
      work->problem->bottom = work->problem->bottom && work->n_exclusions - before < 2;
    }
    if (is_over(work, n + (int64_t)n * a->n_apart)) {
      return false;
    }
    for (int32_t k = a->first_part; k < a->first_part + a->n_parts; k++) {
      work->problem->bottom = work->problem->bottom && instance->parts[k].low == 0;
    }
    for (int32_t k = a->first_apart; k < a->first_apart + a->n_apart; k++) {
      work->problem->bottom =
          work->problem->bottom && (instance->apart[k].low == 0 || work->item_of[instance->apart[k].block] < 0);
    }
  }
  work->first_exclusion[n] = work->n_exclusions;
  return true;
}

// ---- sections

static bool open_section(builder *work, int32_t time) {
  int32_t *first = memplan_grow_in(&work->scratch, work->first_member, work->n_sections, &work->section_capacity,
                                   sizeof *work->first_member);
  int32_t *times =
      memplan_grow_in(&work->scratch, work->time, work->n_sections, &work->time_capacity, sizeof *work->time);
  if (first == NULL || times == NULL) {
    return false;
  }
  work->first_member = first;
  work->time = times;
  first[work->n_sections] = work->n_members;
  times[work->n_sections++] = time;
  return true;
}

static bool add_member(builder *work, int32_t item, int64_t low, int64_t high) {
  memplan_section_member *members =
      memplan_grow_in(&work->scratch, work->members, work->n_members, &work->member_capacity, sizeof *work->members);
  if (members == NULL) {
    return false;
  }
  work->members = members;
  members[work->n_members++] = (memplan_section_member){item, low, high};
  return true;
}

typedef struct edge_of_life {
  int32_t time;
  int32_t part;
  bool start;
} edge_of_life;

static int compare_edges(const void *a, const void *b) {
  const edge_of_life *x = a, *y = b;
  if (x->time != y->time) {
    return x->time < y->time ? -1 : 1;
  }
  if (x->start != y->start) {
    return x->start ? 1 : -1; // ends first
  }
  return (x->part > y->part) - (x->part < y->part);
}

static int compare_members(const void *a, const void *b) {
  const memplan_section_member *x = a, *y = b;
  if (x->item != y->item) {
    return x->item < y->item ? -1 : 1;
  }
  return (x->low > y->low) - (x->low < y->low);
}

static bool close_section(builder *work, const int32_t *live, int32_t n_live, int32_t time) {
  if (is_over(work, n_live) || !open_section(work, time)) {
    return false;
  }
  int32_t first = work->n_members;
  for (int32_t k = 0; k < n_live; k++) {
    const memplan_part *part = &work->instance->parts[live[k]];
    int32_t item = work->item_of[work->instance->block_of[part->buffer]];
    if (!add_member(work, item, part->low, part->high)) {
      return false;
    }
  }
  if (n_live > 1) {
    qsort(&work->members[first], (size_t)n_live, sizeof *work->members, compare_members);
  }
  return true;
}

static bool build_time_sections(builder *work) {
  const memplan_instance *instance = work->instance;
  int32_t n_edges = 0;
  for (int32_t item = 0; item < work->problem->n_items; item++) {
    n_edges += 2 * instance->blocks[work->block[item]].n_parts;
  }
  edge_of_life *edges = MEMPLAN_NEW(&work->scratch, edge_of_life, n_edges);
  int32_t *live = MEMPLAN_NEW(&work->scratch, int32_t, n_edges);
  int32_t *place = MEMPLAN_NEW(&work->scratch, int32_t, instance->n_parts);
  if (edges == NULL || live == NULL || place == NULL) {
    return false;
  }
  n_edges = 0;
  for (int32_t item = 0; item < work->problem->n_items; item++) {
    const memplan_block *block = &instance->blocks[work->block[item]];
    for (int32_t k = block->first_part; k < block->first_part + block->n_parts; k++) {
      edges[n_edges++] = (edge_of_life){instance->parts[k].start, k, true};
      edges[n_edges++] = (edge_of_life){instance->parts[k].end, k, false};
    }
  }
  if (n_edges > 1) {
    qsort(edges, (size_t)n_edges, sizeof *edges, compare_edges);
  }
  int32_t n_live = 0;
  bool grown = false, maximal = (work->form & MEMPLAN_FORM_CLIQUES) != 0;
  for (int32_t k = 0; k < n_edges; k++) {
    bool later = k > 0 && edges[k].time != edges[k - 1].time;
    if (!maximal && later && n_live > 0 && !close_section(work, live, n_live, edges[k].time - 1)) {
      return false;
    }
    if (edges[k].start) {
      place[edges[k].part] = n_live;
      live[n_live++] = edges[k].part;
      grown = true;
      continue;
    }
    if (maximal && grown && !close_section(work, live, n_live, edges[k].time - 1)) {
      return false;
    }
    grown = false;
    live[place[edges[k].part]] = live[--n_live];
    place[live[n_live]] = place[edges[k].part];
  }
  return true;
}

static const memplan_exclusion *find_exclusion(const builder *work, int32_t item, int32_t other) {
  int32_t low = work->first_exclusion[item], high = work->first_exclusion[item + 1];
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (work->exclusions[middle].other < other) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < work->first_exclusion[item + 1] && work->exclusions[low].other == other ? &work->exclusions[low] : NULL;
}

static bool excludes_wholly(const builder *work, int32_t item, int32_t other) {
  const memplan_exclusion *exclusion = find_exclusion(work, item, other);
  return exclusion != NULL && exclusion->up == work->size[item] && exclusion->down == work->size[other];
}

// Are the two live together at some time?
static bool meet_in_time(builder *work, int32_t item, int32_t other) {
  const memplan_block *a = &work->instance->blocks[work->block[item]];
  const memplan_block *b = &work->instance->blocks[work->block[other]];
  memplan_part_meetings walk;
  int32_t k, l;
  if (a->start >= b->end || b->start >= a->end) {
    return false;
  }
  memplan_part_meetings_begin(&walk, work->instance->parts, a, b, work->room);
  bool meet = memplan_part_meetings_next(&walk, &k, &l);
  work->effort += meet ? 1 : (int64_t)a->n_parts + b->n_parts;
  return meet;
}

// Pairs that only rules exclude: each uncovered one is grown to a clique of items that exclude each other over their
// whole sizes; where the rule concerns a window, the pair alone becomes a section.
static bool build_rule_sections(builder *work) {
  const memplan_instance *instance = work->instance;
  int32_t n = work->problem->n_items;
  unsigned char *covered = MEMPLAN_NEW(&work->scratch, unsigned char, work->n_exclusions);
  int32_t *clique = MEMPLAN_NEW(&work->scratch, int32_t, n);
  if (covered == NULL || clique == NULL) {
    return false;
  }
  for (int32_t item = 0; item < n; item++) {
    const memplan_block *block = &instance->blocks[work->block[item]];
    for (int32_t k = block->first_apart; k < block->first_apart + block->n_apart; k++) {
      const memplan_apart *apart = &instance->apart[k];
      int32_t other = work->item_of[apart->block];
      if (is_over(work, 1)) {
        return false;
      }
      if (other <= item || meet_in_time(work, item, other)) {
        continue;
      }
      const memplan_exclusion *exclusion = find_exclusion(work, item, other);
      if (exclusion == NULL || covered[exclusion - work->exclusions]) {
        continue;
      }
      if (!open_section(work, -1)) {
        return false;
      }
      if (!excludes_wholly(work, item, other)) {
        if (!add_member(work, item, apart->low, apart->high) ||
            !add_member(work, other, apart->other_low, apart->other_high)) {
          return false;
        }
        continue;
      }
      int32_t n_clique = 0, first = work->n_members;
      clique[n_clique++] = item;
      clique[n_clique++] = other;
      for (int32_t e = work->first_exclusion[item]; e < work->first_exclusion[item + 1]; e++) {
        int32_t candidate = work->exclusions[e].other;
        bool joins = candidate != other;
        for (int32_t c = 0; c < n_clique && joins; c++) {
          joins = excludes_wholly(work, clique[c], candidate);
          work->effort++;
        }
        if (joins) {
          clique[n_clique++] = candidate;
        }
      }
      for (int32_t c = 0; c < n_clique; c++) {
        if (!add_member(work, clique[c], 0, work->size[clique[c]])) {
          return false;
        }
        work->effort += n_clique;
        for (int32_t d = 0; d < n_clique; d++) {
          if (c != d) {
            covered[find_exclusion(work, clique[c], clique[d]) - work->exclusions] = 1;
          }
        }
      }
      qsort(&work->members[first], (size_t)n_clique, sizeof *work->members, compare_members);
    }
  }
  return true;
}

// ---- units

static int64_t find_unit(const builder *work) {
  const memplan_instance *instance = work->instance;
  int64_t unit = 0;
  for (int32_t item = 0; item < work->problem->n_items; item++) {
    unit = memplan_gcd(unit, work->size[item]);
    for (int32_t k = 0; k < work->offsets[item].n_ranges; k++) {
      unit = memplan_gcd(unit, work->offsets[item].ranges[k].first);
    }
  }
  for (int32_t k = 0; k < work->n_exclusions; k++) {
    unit = memplan_gcd(unit, work->exclusions[k].up < 0 ? -work->exclusions[k].up : work->exclusions[k].up);
    unit = memplan_gcd(unit, work->exclusions[k].down < 0 ? -work->exclusions[k].down : work->exclusions[k].down);
  }
  for (int32_t k = 0; k < work->n_members; k++) {
    unit = memplan_gcd(memplan_gcd(unit, work->members[k].low), work->members[k].high);
  }
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    unit = memplan_gcd(unit, work->start[pool]);
  }
  // an alignment that the unit is a multiple of has disappeared: such offsets are all allowed. A smaller unit may bring
  // an alignment back.
  for (int64_t before = 0; before != unit;) {
    before = unit;
    for (int32_t item = 0; item < work->problem->n_items; item++) {
      if (work->offsets[item].step > 1 && unit % work->offsets[item].step != 0) {
        unit = memplan_gcd(unit, work->offsets[item].step);
      }
    }
  }
  return unit > 0 ? unit : 1;
}

static void divide(builder *work) {
  const memplan_instance *instance = work->instance;
  int64_t unit = (work->form & MEMPLAN_FORM_UNITS) != 0 ? find_unit(work) : 1;
  work->problem->unit = unit;
  for (int32_t item = 0; item < work->problem->n_items; item++) {
    work->size[item] /= unit;
    memplan_offset_set *set = &work->offsets[item];
    set->step = set->step % unit == 0 ? set->step / unit : 1;
    memplan_offset_range *ranges = (memplan_offset_range *)set->ranges; // memory of the builder
    for (int32_t k = 0; k < set->n_ranges; k++) {
      ranges[k].first /= unit;
      ranges[k].last = ranges[k].first + (ranges[k].last / unit - ranges[k].first) / set->step * set->step;
    }
  }
  for (int32_t k = 0; k < work->n_exclusions; k++) {
    work->exclusions[k].up /= unit;
    work->exclusions[k].down /= unit;
  }
  for (int32_t k = 0; k < work->n_members; k++) {
    work->members[k].low /= unit;
    work->members[k].high /= unit;
  }
  for (int32_t pool = 0; pool <= instance->n_pools; pool++) {
    work->start[pool] /= unit;
  }
}

// ---- the whole

static void *copy_out(memplan_arena *arena, const void *from, int32_t count, size_t size) {
  void *copy = memplan_arena_alloc(arena, (size_t)count, size);
  if (copy != NULL && count > 0) {
    memcpy(copy, from, (size_t)count * size);
  }
  return copy;
}

static bool index_sections(builder *work) {
  memplan_place_problem *problem = work->problem;
  int32_t *first = MEMPLAN_NEW(work->arena, int32_t, problem->n_items + 1);
  int32_t *sections = MEMPLAN_NEW(work->arena, int32_t, work->n_members);
  int32_t *last = MEMPLAN_NEW(&work->scratch, int32_t, problem->n_items);
  if (first == NULL || sections == NULL || last == NULL) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t item = 0; item < problem->n_items; item++) {
      last[item] = -1;
    }
    for (int32_t section = 0; section < work->n_sections; section++) {
      for (int32_t k = work->first_member[section]; k < work->first_member[section + 1]; k++) {
        int32_t item = work->members[k].item;
        if (last[item] == section) {
          continue;
        }
        last[item] = section;
        if (pass == 0) {
          first[item + 1]++;
        } else {
          sections[first[item]++] = section;
        }
      }
    }
    if (pass == 0) {
      for (int32_t item = 0; item < problem->n_items; item++) {
        first[item + 1] += first[item];
      }
    } else {
      for (int32_t item = problem->n_items; item > 0; item--) {
        first[item] = first[item - 1];
      }
      first[0] = 0;
    }
  }
  problem->first_section = first;
  problem->sections = sections;
  return true;
}

static bool build(builder *work) {
  memplan_place_problem *problem = work->problem;
  const memplan_instance *instance = work->instance;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    work->start[pool + 1] = work->start[pool] + work->limits[pool];
  }
  for (int32_t item = 0; item < problem->n_items; item++) {
    if (!build_offsets(work, item)) {
      return false;
    }
  }
  if (!build_exclusions(work) || !build_time_sections(work) || !build_rule_sections(work) || !open_section(work, -1)) {
    return false;
  }
  work->n_sections--; // the last one only ends the list
  int64_t axis = work->start[instance->n_pools];
  divide(work);
  problem->exclusions = copy_out(work->arena, work->exclusions, work->n_exclusions, sizeof *work->exclusions);
  problem->members = copy_out(work->arena, work->members, work->n_members, sizeof *work->members);
  problem->first_member = copy_out(work->arena, work->first_member, work->n_sections + 1, sizeof *work->first_member);
  problem->time = copy_out(work->arena, work->time, work->n_sections, sizeof *work->time);
  problem->n_sections = work->n_sections;
  problem->first_exclusion = work->first_exclusion;
  problem->offsets = work->offsets;
  problem->size = work->size;
  problem->block = work->block;
  problem->pool_start = work->start;
  problem->axis = axis;
  problem->n_pools = instance->n_pools;
  return problem->exclusions != NULL && problem->members != NULL && problem->first_member != NULL &&
         problem->time != NULL && index_sections(work);
}

memplan_status memplan_place_problem_build_as(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                              const int64_t *limits, int32_t form, const memplan_limits *run,
                                              memplan_arena *arena, memplan_place_problem *problem,
                                              memplan_error *error) {
  *problem = (memplan_place_problem){.n_items = n_blocks};
  builder work = {.instance = instance, .arena = arena, .problem = problem, .limits = limits, .form = form, .run = run};
  work.item_of = MEMPLAN_NEW(&work.scratch, int32_t, instance->n_blocks);
  work.block = copy_out(arena, blocks, n_blocks, sizeof *blocks);
  work.start = MEMPLAN_NEW(arena, int64_t, instance->n_pools + 1);
  work.offsets = MEMPLAN_NEW(arena, memplan_offset_set, n_blocks);
  work.size = MEMPLAN_NEW(arena, int64_t, n_blocks);
  work.room = MEMPLAN_NEW(&work.scratch, int32_t, instance->n_parts);
  bool ok = work.item_of != NULL && work.block != NULL && work.start != NULL && work.offsets != NULL &&
            work.size != NULL && work.room != NULL;
  if (ok) {
    for (int32_t block = 0; block < instance->n_blocks; block++) {
      work.item_of[block] = -1;
    }
    for (int32_t item = 0; item < n_blocks; item++) {
      work.item_of[blocks[item]] = item;
    }
    ok = build(&work);
  }
  memplan_arena_free(&work.scratch);
  return ok || problem->unfinished ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_place_problem_build(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                           const int64_t *limits, const memplan_limits *run, memplan_arena *arena,
                                           memplan_place_problem *problem, memplan_error *error) {
  return memplan_place_problem_build_as(instance, blocks, n_blocks, limits, MEMPLAN_FORM_ALL, run, arena, problem,
                                        error);
}

bool memplan_place_problem_holds(const memplan_place_problem *problem, const int64_t *offset, int64_t height) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    if (offset[item] < 0 || memplan_offset_set_up(&problem->offsets[item], offset[item]) != offset[item] ||
        offset[item] + problem->size[item] > height) {
      return false;
    }
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      const memplan_exclusion *exclusion = &problem->exclusions[k];
      if (offset[exclusion->other] < offset[item] + exclusion->up &&
          offset[item] < offset[exclusion->other] + exclusion->down) {
        return false;
      }
    }
  }
  return true;
}
