// SPDX-License-Identifier: Apache-2.0
// The skyline is a list of segments of equal height, the widest possible. A valley is a segment with higher neighbours:
// the best-ranked item with its span inside is laid on its floor, or it is raised to the lower neighbour if there is
// none. What can lie in a valley is no business of any other valley, so that the result does not depend on which one is
// taken next, and no heap is needed: the search walks downhill from where it is, and else towards the section with the
// largest load.
//
// Raising wastes bytes in every section below. The height of a section plus what is still to come never shrinks, so
// that a placement is given up as soon as waste and demand of one section pass the limit. The order of the walk makes
// that early; keeping only the sections close to the largest load makes it cheap.
#include "heuristics/valleys.h"

#include "heuristics/span_tree.h"
#include "model/base/number.h"

#include <stdlib.h>

enum {
  MOST_CRITICAL = 1024,
  CRITICAL_PART = 64, // within a 64th of the largest load
  VISITS_A_STEP = 8   // nodes of the tree that cost about as much as a block placed
};

struct memplan_valleys {
  const memplan_terrain *terrain;
  memplan_span_tree *tree;
  int64_t *slack; // by critical section
  // by section at which a segment starts
  int64_t *height;
  int32_t *end, *left; // its end, which is the start of the next one; start of
                       // the one before, -1: none
};

// ---- the problem

static bool is_idle(const memplan_block *block) { return block->bytes == 0 || block->n_parts == 0; }

bool memplan_terrain_accepts(const memplan_instance *instance) {
  if (instance->n_pools != 1 || instance->pools[0].n_reserved > 0) {
    return false;
  }
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->pin >= 0 || block->n_apart > 0) {
      return false;
    }
    const memplan_part *part = &instance->parts[block->first_part];
    if (!is_idle(block) && (block->n_parts > 1 || part->low != 0 || part->high != block->bytes)) {
      return false;
    }
  }
  return true;
}

// The offset of a block modulo its alignment.
static int64_t find_residue(const memplan_instance *instance, const memplan_block *block) {
  int64_t base = instance->pools[0].base % block->align;
  return block->residue >= base ? block->residue - base : block->residue - base + block->align;
}

// Sizes are rounded up to the alignment that all blocks share if their offsets agree modulo it: nothing can begin in
// between. Alignments are kept only if some block has more than that.
static bool make_sizes(memplan_terrain *terrain, memplan_arena *arena) {
  const memplan_instance *instance = terrain->instance;
  int32_t n = terrain->sections.n;
  terrain->bytes = MEMPLAN_NEW(arena, int64_t, n);
  terrain->size = MEMPLAN_NEW(arena, int64_t, n);
  if (terrain->bytes == NULL || terrain->size == NULL) {
    return false;
  }
  int64_t shared = 0;
  for (int32_t item = 0; item < n; item++) {
    shared = memplan_gcd(shared, instance->blocks[terrain->sections.block[item]].align);
  }
  bool agree = true;
  bool more = false;
  for (int32_t item = 0; item < n; item++) {
    const memplan_block *block = &instance->blocks[terrain->sections.block[item]];
    int64_t residue = find_residue(instance, block) % shared;
    terrain->floor = item == 0 ? residue : terrain->floor;
    agree = agree && residue == terrain->floor;
    more = more || block->align != shared;
  }
  shared = agree ? shared : 1;
  terrain->floor = agree ? terrain->floor : 0;
  for (int32_t item = 0; item < n; item++) {
    terrain->size[item] = instance->blocks[terrain->sections.block[item]].bytes;
    terrain->bytes[item] = memplan_align_up(terrain->size[item], shared, 0);
  }
  if (agree && !more) {
    return true;
  }
  terrain->align = MEMPLAN_NEW(arena, int64_t, n);
  terrain->offset = MEMPLAN_NEW(arena, int64_t, n);
  if (terrain->align == NULL || terrain->offset == NULL) {
    return false;
  }
  for (int32_t item = 0; item < n; item++) {
    const memplan_block *block = &instance->blocks[terrain->sections.block[item]];
    terrain->align[item] = block->align;
    terrain->offset[item] = find_residue(instance, block);
  }
  return true;
}

typedef struct loaded_section {
  int64_t load;
  int32_t section;
} loaded_section;

static int compare_loads(const void *a, const void *b) {
  const loaded_section *x = a;
  const loaded_section *y = b;
  if (x->load != y->load) {
    return x->load > y->load ? -1 : 1;
  }
  return (x->section > y->section) - (x->section < y->section);
}

// The topmost item of a section may be short of its rounding; all others are not.
static bool find_demand(memplan_terrain *terrain, memplan_arena *scratch) {
  const memplan_sections *sections = &terrain->sections;
  int64_t *rounded = MEMPLAN_NEW(scratch, int64_t, (int64_t)sections->n_sections + 1);
  if (rounded == NULL) {
    return false;
  }
  int64_t rounding = 0;
  for (int32_t item = 0; item < sections->n; item++) {
    int32_t span = sections->span[item];
    int64_t own = terrain->bytes[item] - terrain->size[item];
    rounding = own > rounding ? own : rounding;
    rounded[sections->span_first[span]] += terrain->bytes[item];
    rounded[sections->span_end[span]] -= terrain->bytes[item];
  }
  for (int32_t section = 1; section < sections->n_sections; section++) {
    rounded[section] += rounded[section - 1];
  }
  for (int32_t k = 0; k < terrain->n_critical; k++) {
    int32_t section = terrain->critical[k];
    int64_t least = rounded[section] - rounding;
    terrain->demand[k] = least > sections->load[section] ? least : sections->load[section];
  }
  return true;
}

static bool find_critical(memplan_terrain *terrain, memplan_arena *arena, memplan_arena *scratch) {
  const memplan_sections *sections = &terrain->sections;
  int32_t n_sections = sections->n_sections;
  loaded_section *loaded = MEMPLAN_NEW(scratch, loaded_section, n_sections);
  terrain->critical = MEMPLAN_NEW(arena, int32_t, MOST_CRITICAL);
  terrain->demand = MEMPLAN_NEW(arena, int64_t, MOST_CRITICAL);
  terrain->first_critical = MEMPLAN_NEW(arena, int32_t, (int64_t)n_sections + 1);
  if (loaded == NULL || terrain->critical == NULL || terrain->demand == NULL || terrain->first_critical == NULL) {
    return false;
  }
  int64_t largest = 0;
  for (int32_t section = 0; section < n_sections; section++) {
    if (sections->load[section] > largest) {
      largest = sections->load[section];
      terrain->centre = section;
    }
  }
  int32_t count = 0;
  for (int32_t section = 0; section < n_sections; section++) {
    if (sections->load[section] >= largest - largest / CRITICAL_PART) {
      loaded[count++] = (loaded_section){sections->load[section], section};
    }
  }
  if (count > MOST_CRITICAL) {
    qsort(loaded, (size_t)count, sizeof *loaded, compare_loads);
    count = MOST_CRITICAL;
  }
  for (int32_t k = 0; k < count; k++) {
    terrain->critical[k] = loaded[k].section;
  }
  if (count > 1) {
    qsort(terrain->critical, (size_t)count, sizeof *terrain->critical, memplan_compare_int32);
  }
  terrain->n_critical = count;
  int32_t k = 0;
  for (int32_t section = 0; section <= n_sections; section++) {
    while (k < count && terrain->critical[k] < section) {
      k++;
    }
    terrain->first_critical[section] = k;
  }
  return find_demand(terrain, scratch);
}

bool memplan_terrain_make(const memplan_instance *instance, const int32_t *todo, int32_t n_todo,
                          memplan_terrain *terrain, memplan_arena *arena) {
  *terrain = (memplan_terrain){.instance = instance};
  memplan_arena scratch = {0};
  bool good = memplan_sections_make(instance, todo, n_todo, &terrain->sections, arena) && make_sizes(terrain, arena) &&
              find_critical(terrain, arena, &scratch);
  memplan_arena_free(&scratch);
  return good;
}

memplan_valleys *memplan_valleys_new(const memplan_terrain *terrain, memplan_span_layout layout, memplan_arena *arena) {
  const memplan_sections *sections = &terrain->sections;
  memplan_valleys *valleys = MEMPLAN_NEW(arena, memplan_valleys, 1);
  if (valleys == NULL) {
    return NULL;
  }
  valleys->terrain = terrain;
  valleys->slack = MEMPLAN_NEW(arena, int64_t, terrain->n_critical);
  valleys->height = MEMPLAN_NEW(arena, int64_t, sections->n_sections);
  valleys->end = MEMPLAN_NEW(arena, int32_t, sections->n_sections);
  valleys->left = MEMPLAN_NEW(arena, int32_t, sections->n_sections);
  valleys->tree = memplan_span_tree_new(sections, layout, arena);
  return valleys->slack != NULL && valleys->height != NULL && valleys->end != NULL && valleys->left != NULL &&
                 valleys->tree != NULL
             ? valleys
             : NULL;
}

// ---- the skyline

// Joins the segment with the one that begins at its end.
static void absorb_next(memplan_valleys *valleys, int32_t segment) {
  int32_t end = valleys->end[valleys->end[segment]];
  valleys->end[segment] = end;
  if (end < valleys->terrain->sections.n_sections) {
    valleys->left[end] = segment;
  }
}

// Takes `waste` off the slack of the critical sections in [start, end). False if one has not so much.
static bool pay(memplan_valleys *valleys, int32_t start, int32_t end, int64_t waste) {
  const int32_t *first = valleys->terrain->first_critical;
  int64_t least = 0;
  for (int32_t k = first[start]; k < first[end]; k++) {
    valleys->slack[k] -= waste;
    least = valleys->slack[k] < least ? valleys->slack[k] : least;
  }
  return least >= 0;
}

// Lays an item on the floor of a valley; returns where to go on: towards the centre.
static int32_t lay(memplan_valleys *valleys, int32_t valley, int32_t span, int64_t top) {
  const memplan_sections *sections = &valleys->terrain->sections;
  int32_t start = sections->span_first[span];
  int32_t end = sections->span_end[span];
  int32_t valley_end = valleys->end[valley];
  int32_t before = start > valley ? valley : valleys->left[valley];
  if (start > valley) {
    valleys->end[valley] = start;
  }
  int64_t floor = valleys->height[valley];
  valleys->height[start] = top;
  valleys->end[start] = end;
  valleys->left[start] = before;
  if (end < valley_end) {
    valleys->height[end] = floor;
    valleys->end[end] = valley_end;
    valleys->left[end] = start;
  }
  if (valley_end < sections->n_sections) {
    valleys->left[valley_end] = end < valley_end ? end : start;
    if (end == valley_end && valleys->height[end] == top) {
      absorb_next(valleys, start);
    }
  }
  int32_t laid = start;
  if (before >= 0 && valleys->height[before] == top) {
    absorb_next(valleys, before);
    laid = before;
  }
  if (valleys->terrain->centre < start && valleys->left[laid] >= 0) {
    return valleys->left[laid];
  }
  if (valleys->terrain->centre >= end && valleys->end[laid] < sections->n_sections) {
    return valleys->end[laid];
  }
  return laid;
}

// Raises a valley to the lower of its neighbours; returns the segment it is then part of, -1 if that is given up.
static int32_t lift(memplan_valleys *valleys, int32_t valley, int64_t left, int64_t right) {
  int64_t height = left < right ? left : right;
  if (!pay(valleys, valley, valleys->end[valley], height - valleys->height[valley])) {
    return -1;
  }
  valleys->height[valley] = height;
  if (right == height) {
    absorb_next(valleys, valley);
  }
  if (left == height) {
    valley = valleys->left[valley];
    absorb_next(valleys, valley);
  }
  return valley;
}

static void begin(memplan_valleys *valleys, int64_t limit) {
  const memplan_terrain *terrain = valleys->terrain;
  for (int32_t k = 0; k < terrain->n_critical; k++) {
    valleys->slack[k] = limit - 1 - terrain->floor - terrain->demand[k];
  }
  valleys->height[0] = terrain->floor;
  valleys->end[0] = terrain->sections.n_sections;
  valleys->left[0] = -1;
}

// Lays the item on the floor of the valley, moved up to its alignment. -1 if that is given up, else its top.
static int64_t settle(memplan_valleys *valleys, int32_t valley, int32_t item, const memplan_fill *fill,
                      int64_t *offset) {
  const memplan_terrain *terrain = valleys->terrain;
  int64_t height = valleys->height[valley];
  int32_t span = terrain->sections.span[item];
  int64_t place = height;
  if (terrain->align != NULL) {
    place = memplan_align_up(height, terrain->align[item], terrain->offset[item]);
    if (place > height &&
        !pay(valleys, terrain->sections.span_first[span], terrain->sections.span_end[span], place - height)) {
      return -1;
    }
  }
  offset[item] = place;
  return place + terrain->size[item] < fill->limit ? place + terrain->size[item] : -1;
}

static int64_t fill_all(memplan_valleys *valleys, const int32_t *order, memplan_fill *fill, int64_t *offset) {
  const memplan_terrain *terrain = valleys->terrain;
  int32_t n_sections = terrain->sections.n_sections;
  int64_t peak = 0;
  int32_t at = 0;
  for (int32_t placed = 0; placed < terrain->sections.n;) {
    int32_t end = valleys->end[at];
    int64_t height = valleys->height[at];
    int64_t left = valleys->left[at] >= 0 ? valleys->height[valleys->left[at]] : INT64_MAX;
    int64_t right = end < n_sections ? valleys->height[end] : INT64_MAX;
    if (left < height || right < height) {
      at = left < right ? valleys->left[at] : end;
      continue;
    }
    int32_t span;
    int32_t rank = memplan_span_tree_find(valleys->tree, at, end, &span);
    if (rank < 0) {
      at = lift(valleys, at, left, right);
      if (at < 0) {
        return -1;
      }
      continue;
    }
    int32_t item = order[rank];
    int64_t top = settle(valleys, at, item, fill, offset);
    if (top < 0) {
      return -1;
    }
    peak = top > peak ? top : peak;
    memplan_span_tree_take(valleys->tree, span);
    at = lay(valleys, at, span, offset[item] + terrain->bytes[item]);
    fill->work = ++placed;
    if (memplan_fill_is_stopped(fill, placed, memplan_span_tree_visits(valleys->tree) / VISITS_A_STEP)) {
      return -1;
    }
  }
  return peak;
}

int64_t memplan_valleys_place(memplan_valleys *valleys, const int32_t *order, memplan_fill *fill, int64_t *offset) {
  fill->work = 0;
  if (valleys->terrain->sections.n == 0) {
    return 0;
  }
  memplan_span_tree_plant(valleys->tree, order);
  begin(valleys, fill->limit);
  int64_t peak =
      pay(valleys, 0, valleys->terrain->sections.n_sections, 0) ? fill_all(valleys, order, fill, offset) : -1;
  fill->work += memplan_span_tree_visits(valleys->tree) / VISITS_A_STEP;
  return peak;
}
