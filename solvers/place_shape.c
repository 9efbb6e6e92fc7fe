// SPDX-License-Identifier: Apache-2.0
// Sections with one member say nothing beyond the item's own limit and are left out. Heights on the grid: where all
// offsets of a section's members are equal modulo g, so are the distances between them, and each member but the topmost
// takes up a multiple of g.
#include "solvers/place_shape.h"

#include "model/base/number.h"
#include "solvers/place_symmetry.h"

#include <stdlib.h>

typedef struct shaping {
  const memplan_place_problem *problem;
  memplan_arena *arena;
  memplan_place_shape *shape;
  int32_t *index; // item of the shape, by item of the problem
  int32_t *item, *size, *first, *end, *first_run, *up, *reach, *first_neighbour, *neighbours, *twin, *least,
      *first_member, *slack;
  unsigned char *rounded;
  memplan_shape_run *runs;
  memplan_shape_member *members;
} shaping;

typedef struct sort_key {
  int32_t first, item;
} sort_key;

static int compare_keys(const void *a, const void *b) {
  const sort_key *x = a, *y = b;
  if (x->first != y->first) {
    return x->first < y->first ? -1 : 1;
  }
  return (x->item > y->item) - (x->item < y->item);
}

static int32_t count_members(const memplan_place_problem *problem, int32_t section) {
  int32_t count = 0;
  for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
    count += k == problem->first_member[section] || problem->members[k].item != problem->members[k - 1].item;
  }
  return count;
}

static memplan_status check(const memplan_place_problem *problem, memplan_error *error) {
  if (!problem->bottom) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                        "some buffer occupies bytes above its offset only: lowest-first placements are not enough");
  }
  if (problem->n_items > MEMPLAN_SHAPE_ITEMS) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "%d buffers; the search at a capacity takes at most %d",
                        (int)problem->n_items, MEMPLAN_SHAPE_ITEMS);
  }
  int64_t widest = 0;
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    int64_t end = problem->size[item] + (set->n_ranges > 0 ? set->ranges[0].first : 0);
    widest = end > widest ? end : widest; // the lowest end of the item: no packing is lower
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      widest = problem->exclusions[k].up > widest ? problem->exclusions[k].up : widest;
    }
  }
  int32_t n_sections = 0;
  for (int32_t section = 0; section < problem->n_sections; section++) {
    int64_t total = 0;
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      total = memplan_add_saturated(total, problem->members[k].high);
    }
    widest = total > widest ? total : widest;
    n_sections += count_members(problem, section) > 1;
  }
  if (widest >= MEMPLAN_SHAPE_LIMIT / 2 || n_sections > MEMPLAN_SHAPE_SECTIONS) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                        "sizes of %lld units and %d different times; the search at a capacity takes less than %d and "
                        "at most %d",
                        (long long)widest, (int)n_sections, (int)(MEMPLAN_SHAPE_LIMIT / 2), MEMPLAN_SHAPE_SECTIONS);
  }
  return MEMPLAN_OK;
}

static void fill_item(shaping *work, int32_t index) {
  const memplan_place_problem *problem = work->problem;
  int32_t item = work->item[index];
  const memplan_offset_set *set = &problem->offsets[item];
  int32_t *row = &work->up[(size_t)index * (size_t)problem->n_items];
  work->size[index] = (int32_t)problem->size[item];
  work->least[index] = set->n_ranges > 0 && set->ranges[0].first < MEMPLAN_SHAPE_LIMIT ? (int32_t)set->ranges[0].first
                                                                                       : MEMPLAN_SHAPE_LIMIT;
  work->rounded[index] = set->n_ranges != 1 || set->ranges[0].first != 0 || set->step != 1;
  for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
    int32_t up = (int32_t)problem->exclusions[k].up;
    row[work->index[problem->exclusions[k].other]] = up;
    work->reach[index] = up > work->reach[index] ? up : work->reach[index];
  }
}

static void fill_neighbours(shaping *work) {
  int32_t n = work->problem->n_items, count = 0;
  for (int32_t item = 0; item < n; item++) {
    work->first_neighbour[item] = count;
    for (int32_t other = 0; other < n; other++) {
      if (work->up[(size_t)item * (size_t)n + (size_t)other] > 0) {
        work->neighbours[count++] = other;
      }
    }
  }
  work->first_neighbour[n] = count;
}

static void fill_twins(shaping *work) {
  const memplan_place_problem *problem = work->problem;
  for (int32_t index = 0; index < problem->n_items; index++) {
    work->twin[index] = -1;
    for (int32_t k = work->first_neighbour[index]; k < work->first_neighbour[index + 1]; k++) {
      int32_t other = work->neighbours[k];
      if (other < index && memplan_place_are_twins(problem, work->item[index], work->item[other])) {
        work->twin[index] = other;
      }
    }
  }
}

// Common grid of the offsets of a section's members, 1 if there is none, 0 if all are the same single offset.
static int64_t find_grid(const shaping *work, int32_t from, int32_t to) {
  int64_t grid = 0, base = -1;
  for (int32_t k = from; k < to && grid != 1; k++) {
    const memplan_offset_set *set = &work->problem->offsets[work->item[work->members[k].item]];
    for (int32_t r = 0; r < set->n_ranges && grid != 1; r++) {
      base = base < 0 ? set->ranges[r].first : base;
      int64_t apart = set->ranges[r].first - base;
      grid = memplan_gcd(grid, apart < 0 ? -apart : apart);
      grid = set->ranges[r].last > set->ranges[r].first ? memplan_gcd(grid, set->step) : grid;
    }
  }
  return grid;
}

static int compare_shape_members(const void *a, const void *b) {
  const memplan_shape_member *x = a, *y = b;
  return (x->item > y->item) - (x->item < y->item);
}

static void fill_sections(shaping *work, const int32_t *kept, int32_t n_kept) {
  const memplan_place_problem *problem = work->problem;
  int32_t n_members = 0;
  for (int32_t s = 0; s < n_kept; s++) {
    int32_t from = n_members;
    work->first_member[s] = from;
    for (int32_t k = problem->first_member[kept[s]]; k < problem->first_member[kept[s] + 1]; k++) {
      const memplan_section_member *member = &problem->members[k];
      int32_t index = work->index[member->item], height = (int32_t)member->high;
      if (n_members > from && work->members[n_members - 1].item == index) {
        memplan_shape_member *last = &work->members[n_members - 1];
        last->height = height > last->height ? height : last->height;
      } else {
        work->members[n_members++] = (memplan_shape_member){index, height};
      }
    }
    qsort(&work->members[from], (size_t)(n_members - from), sizeof *work->members, compare_shape_members);
    int64_t grid = find_grid(work, from, n_members);
    for (int32_t k = from; k < n_members && grid > 1 && grid < MEMPLAN_SHAPE_LIMIT / 2 / MEMPLAN_SHAPE_ITEMS; k++) {
      int32_t over = work->members[k].height % (int32_t)grid;
      int32_t added = over == 0 ? 0 : (int32_t)grid - over;
      work->members[k].height += added;
      work->slack[s] = added > work->slack[s] ? added : work->slack[s];
    }
  }
  work->first_member[n_kept] = n_members;
}

// Runs by item from the members by section: counts first, then fills.
static bool fill_runs(shaping *work, int32_t n_sections) {
  int32_t n = work->problem->n_items;
  memplan_shape_run *open = MEMPLAN_NEW(work->arena, memplan_shape_run, n);
  if (open == NULL) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t item = 0; item < n; item++) {
      open[item] = (memplan_shape_run){-1, -1, -1};
    }
    for (int32_t s = 0; s < n_sections; s++) {
      for (int32_t k = work->first_member[s]; k < work->first_member[s + 1]; k++) {
        int32_t item = work->members[k].item, height = work->members[k].height;
        if (open[item].end == s && open[item].height == height) {
          open[item].end = s + 1;
          if (pass == 1) {
            work->runs[work->first_run[item] - 1].end = s + 1;
          }
          continue;
        }
        open[item] = (memplan_shape_run){s, s + 1, height};
        if (pass == 0) {
          work->first_run[item + 1]++;
        } else {
          work->runs[work->first_run[item]++] = open[item];
        }
      }
    }
    if (pass == 0) {
      for (int32_t item = 0; item < n; item++) {
        work->first_run[item + 1] += work->first_run[item];
      }
      work->runs = MEMPLAN_NEW(work->arena, memplan_shape_run, work->first_run[n]);
      if (work->runs == NULL) {
        return false;
      }
    }
  }
  for (int32_t item = n; item > 0; item--) {
    work->first_run[item] = work->first_run[item - 1];
  }
  work->first_run[0] = 0;
  for (int32_t item = 0; item < n; item++) {
    if (work->first_run[item] < work->first_run[item + 1]) {
      work->first[item] = work->runs[work->first_run[item]].first;
      work->end[item] = work->runs[work->first_run[item + 1] - 1].end;
    }
  }
  return true;
}

static bool allocate(shaping *work) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = problem->n_items, n_members = problem->first_member[problem->n_sections];
  work->index = MEMPLAN_NEW(work->arena, int32_t, n);
  work->item = MEMPLAN_NEW(work->arena, int32_t, n);
  work->size = MEMPLAN_NEW(work->arena, int32_t, n);
  work->first = MEMPLAN_NEW(work->arena, int32_t, n);
  work->end = MEMPLAN_NEW(work->arena, int32_t, n);
  work->first_run = MEMPLAN_NEW(work->arena, int32_t, n + 1);
  work->up = MEMPLAN_NEW(work->arena, int32_t, (size_t)n * (size_t)n);
  work->reach = MEMPLAN_NEW(work->arena, int32_t, n);
  work->first_neighbour = MEMPLAN_NEW(work->arena, int32_t, n + 1);
  work->neighbours = MEMPLAN_NEW(work->arena, int32_t, problem->first_exclusion[n]);
  work->twin = MEMPLAN_NEW(work->arena, int32_t, n);
  work->least = MEMPLAN_NEW(work->arena, int32_t, n);
  work->rounded = MEMPLAN_NEW(work->arena, unsigned char, n);
  work->first_member = MEMPLAN_NEW(work->arena, int32_t, problem->n_sections + 1);
  work->slack = MEMPLAN_NEW(work->arena, int32_t, problem->n_sections);
  work->members = MEMPLAN_NEW(work->arena, memplan_shape_member, n_members);
  return work->index != NULL && work->item != NULL && work->size != NULL && work->first != NULL && work->end != NULL &&
         work->first_run != NULL && work->up != NULL && work->reach != NULL && work->first_neighbour != NULL &&
         work->neighbours != NULL && work->twin != NULL && work->least != NULL && work->rounded != NULL &&
         work->first_member != NULL && work->slack != NULL && work->members != NULL;
}

static bool fill(shaping *work) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = problem->n_items, n_kept = 0;
  sort_key *keys = MEMPLAN_NEW(work->arena, sort_key, n);
  int32_t *kept = MEMPLAN_NEW(work->arena, int32_t, problem->n_sections);
  if (!allocate(work) || keys == NULL || kept == NULL) {
    return false;
  }
  for (int32_t item = 0; item < n; item++) {
    keys[item] = (sort_key){INT32_MAX, item};
  }
  for (int32_t section = 0; section < problem->n_sections; section++) {
    if (count_members(problem, section) < 2) {
      continue;
    }
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      sort_key *key = &keys[problem->members[k].item];
      key->first = key->first == INT32_MAX ? n_kept : key->first;
    }
    kept[n_kept++] = section;
  }
  if (n > 1) {
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
  }
  for (int32_t index = 0; index < n; index++) {
    work->item[index] = keys[index].item;
    work->index[keys[index].item] = index;
    work->first[index] = work->end[index] = n_kept; // an item without sections lies behind all of them
  }
  for (int32_t index = 0; index < n; index++) {
    fill_item(work, index);
  }
  fill_neighbours(work);
  fill_twins(work);
  fill_sections(work, kept, n_kept);
  work->shape->n_sections = n_kept;
  return fill_runs(work, n_kept);
}

memplan_status memplan_place_shape_build(const memplan_place_problem *problem, memplan_arena *arena,
                                         memplan_place_shape *shape, memplan_error *error) {
  MEMPLAN_TRY(check(problem, error));
  shaping work = {.problem = problem, .arena = arena, .shape = shape};
  *shape = (memplan_place_shape){.problem = problem, .n_items = problem->n_items};
  if (!fill(&work)) {
    return memplan_fail_nomem(error);
  }
  shape->item = work.item;
  shape->size = work.size;
  shape->first = work.first;
  shape->end = work.end;
  shape->first_run = work.first_run;
  shape->runs = work.runs;
  shape->up = work.up;
  shape->reach = work.reach;
  shape->first_neighbour = work.first_neighbour;
  shape->neighbours = work.neighbours;
  shape->twin = work.twin;
  shape->least = work.least;
  shape->rounded = work.rounded;
  shape->first_member = work.first_member;
  shape->members = work.members;
  shape->slack = work.slack;
  return MEMPLAN_OK;
}

int32_t memplan_place_shape_up(const memplan_place_shape *shape, int32_t item, int32_t value) {
  if (!shape->rounded[item]) {
    return value;
  }
  int64_t up = memplan_offset_set_up(&shape->problem->offsets[shape->item[item]], value);
  return up < MEMPLAN_SHAPE_LIMIT ? (int32_t)up : MEMPLAN_SHAPE_LIMIT;
}

int32_t memplan_place_shape_weaken(const memplan_place_shape *shape, int32_t item, int32_t value) {
  if (!shape->rounded[item]) {
    return value;
  }
  int64_t weak = memplan_offset_set_weaken(&shape->problem->offsets[shape->item[item]], value);
  return weak < MEMPLAN_SHAPE_LIMIT ? (int32_t)weak : MEMPLAN_SHAPE_LIMIT;
}

int32_t memplan_place_shape_latest(const memplan_place_shape *shape, int32_t item, int32_t capacity) {
  int32_t highest = capacity - shape->size[item];
  if (highest < 0) {
    return -1;
  }
  int64_t latest = memplan_offset_set_down(&shape->problem->offsets[shape->item[item]], highest);
  return latest < MEMPLAN_SHAPE_LIMIT ? (int32_t)latest : MEMPLAN_SHAPE_LIMIT;
}
