// SPDX-License-Identifier: Apache-2.0
// Leaves are spans; inner nodes know the latest start, the earliest end and the best rank below, so that a search skips
// what begins too early, ends too late or ranks too low. Items of one span wait in a queue: the tree is no larger than
// the number of different spans.
//
// In the plane the leaves lie along the curve of Morton (A computer oriented geodetic data base, 1966), which makes
// each node a small rectangle of starts and ends, as in a quadtree.
#include "heuristics/span_tree.h"

#include <stdlib.h>

enum {
  ARITY = 8,
  MOST_LEVELS = 12 // 8^11 > 2^31
};

typedef struct tree_level {
  int32_t *end,
      *rank;      // INT32_MAX if nothing is left; padded to a multiple of ARITY
  int32_t *start; // in the plane: the latest start of all its spans, -1 in the
                  // padding
  int32_t n;
} tree_level;

struct memplan_span_tree {
  const memplan_sections *sections;
  tree_level levels[MOST_LEVELS]; // the leaves first
  int32_t n_levels;
  int32_t *leaf, *span; // in the plane: leaf by span and span by leaf; else
                        // NULL: they are the same
  int32_t *queue;       // ranks by span, ascending
  int32_t *head;        // by span: next of its queue
  int64_t visits;
};

typedef struct curve_point {
  uint64_t place;
  int32_t span;
} curve_point;

static uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 16) & UINT64_C(0x0000FFFF0000FFFF);
  bits = (bits | bits << 8) & UINT64_C(0x00FF00FF00FF00FF);
  bits = (bits | bits << 4) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  bits = (bits | bits << 2) & UINT64_C(0x3333333333333333);
  return (bits | bits << 1) & UINT64_C(0x5555555555555555);
}

static int compare_points(const void *a, const void *b) {
  const curve_point *x = a;
  const curve_point *y = b;
  if (x->place != y->place) {
    return x->place < y->place ? -1 : 1;
  }
  return (x->span > y->span) - (x->span < y->span);
}

static bool lay_along_curve(memplan_span_tree *tree, memplan_arena *arena) {
  const memplan_sections *sections = tree->sections;
  int32_t n = sections->n_spans;
  memplan_arena scratch = {0};
  curve_point *points = MEMPLAN_NEW(&scratch, curve_point, n);
  tree->leaf = MEMPLAN_NEW(arena, int32_t, n);
  tree->span = MEMPLAN_NEW(arena, int32_t, n);
  bool good = points != NULL && tree->leaf != NULL && tree->span != NULL;
  for (int32_t span = 0; span < n && good; span++) {
    uint64_t start = spread((uint64_t)sections->span_first[span]);
    points[span] = (curve_point){start << 1 | spread((uint64_t)sections->span_end[span]), span};
  }
  if (good && n > 1) {
    qsort(points, (size_t)n, sizeof *points, compare_points);
  }
  for (int32_t leaf = 0; leaf < n && good; leaf++) {
    tree->span[leaf] = points[leaf].span;
    tree->leaf[points[leaf].span] = leaf;
  }
  memplan_arena_free(&scratch);
  return good;
}

static bool allocate_levels(memplan_span_tree *tree, bool in_plane, memplan_arena *arena) {
  int32_t n = tree->sections->n_spans;
  do {
    int32_t parents = (int32_t)(((int64_t)n + ARITY - 1) / ARITY);
    int64_t padded = (int64_t)parents * ARITY;
    tree_level *level = &tree->levels[tree->n_levels++];
    level->n = n;
    level->end = MEMPLAN_NEW(arena, int32_t, padded);
    level->rank = MEMPLAN_NEW(arena, int32_t, padded);
    level->start = in_plane ? MEMPLAN_NEW(arena, int32_t, padded) : NULL;
    if (level->end == NULL || level->rank == NULL || (in_plane && level->start == NULL)) {
      return false;
    }
    for (int64_t k = 0; k < padded; k++) {
      level->end[k] = INT32_MAX;
      level->rank[k] = INT32_MAX;
      if (in_plane) {
        level->start[k] = -1;
      }
    }
    n = parents;
  } while (n > 1);
  return true;
}

static void fill_starts(memplan_span_tree *tree) {
  for (int32_t leaf = 0; leaf < tree->levels[0].n; leaf++) {
    tree->levels[0].start[leaf] = tree->sections->span_first[tree->span[leaf]];
  }
  for (int32_t level = 1; level < tree->n_levels; level++) {
    for (int32_t node = 0; node < tree->levels[level].n; node++) {
      const int32_t *below = &tree->levels[level - 1].start[node * ARITY];
      for (int32_t k = 0; k < ARITY; k++) {
        int32_t *start = &tree->levels[level].start[node];
        *start = below[k] > *start ? below[k] : *start;
      }
    }
  }
}

memplan_span_tree *memplan_span_tree_new(const memplan_sections *sections, memplan_span_layout layout,
                                         memplan_arena *arena) {
  bool in_plane = layout == MEMPLAN_SPANS_IN_PLANE;
  memplan_span_tree *tree = MEMPLAN_NEW(arena, memplan_span_tree, 1);
  if (tree == NULL) {
    return NULL;
  }
  tree->sections = sections;
  tree->queue = MEMPLAN_NEW(arena, int32_t, sections->n);
  tree->head = MEMPLAN_NEW(arena, int32_t, sections->n_spans);
  if (tree->queue == NULL || tree->head == NULL || !allocate_levels(tree, in_plane, arena)) {
    return NULL;
  }
  if (in_plane) {
    if (!lay_along_curve(tree, arena)) {
      return NULL;
    }
    fill_starts(tree);
  }
  return tree;
}

static void refresh(memplan_span_tree *tree, int32_t level, int32_t node) {
  const tree_level *below = &tree->levels[level - 1];
  const int32_t *ends = &below->end[node * ARITY];
  const int32_t *ranks = &below->rank[node * ARITY];
  int32_t end = INT32_MAX;
  int32_t rank = INT32_MAX;
  for (int32_t k = 0; k < ARITY; k++) {
    end = ends[k] < end ? ends[k] : end;
    rank = ranks[k] < rank ? ranks[k] : rank;
  }
  tree->levels[level].end[node] = end;
  tree->levels[level].rank[node] = rank;
}

void memplan_span_tree_plant(memplan_span_tree *tree, const int32_t *order) {
  const memplan_sections *sections = tree->sections;
  tree->visits = 0;
  for (int32_t span = 0; span < sections->n_spans; span++) {
    tree->head[span] = sections->span_item[span];
  }
  for (int32_t rank = 0; rank < sections->n; rank++) {
    tree->queue[tree->head[sections->span[order[rank]]]++] = rank;
  }
  for (int32_t span = 0; span < sections->n_spans; span++) {
    int32_t leaf = tree->leaf != NULL ? tree->leaf[span] : span;
    tree->head[span] = sections->span_item[span];
    tree->levels[0].end[leaf] = sections->span_end[span];
    tree->levels[0].rank[leaf] = tree->queue[sections->span_item[span]];
  }
  for (int32_t level = 1; level < tree->n_levels; level++) {
    for (int32_t node = 0; node < tree->levels[level].n; node++) {
      refresh(tree, level, node);
    }
  }
}

void memplan_span_tree_take(memplan_span_tree *tree, int32_t span) {
  int32_t next = ++tree->head[span];
  bool left = next < tree->sections->span_item[span + 1];
  int32_t node = tree->leaf != NULL ? tree->leaf[span] : span;
  tree->levels[0].rank[node] = left ? tree->queue[next] : INT32_MAX;
  tree->levels[0].end[node] = left ? tree->levels[0].end[node] : INT32_MAX;
  for (int32_t level = 1; level < tree->n_levels; level++) {
    node /= ARITY;
    int32_t end = tree->levels[level].end[node];
    int32_t rank = tree->levels[level].rank[node];
    refresh(tree, level, node);
    if (end == tree->levels[level].end[node] && rank == tree->levels[level].rank[node]) {
      return;
    }
  }
}

typedef struct found_leaf {
  int32_t rank, leaf; // INT32_MAX, -1: none yet
} found_leaf;

// Improves on `best` with the children of a node that end by `end`. As deep as the tree.
static void search_children(memplan_span_tree *tree, int32_t level, int32_t node, int32_t end, found_leaf *best) {
  const int32_t *ends = &tree->levels[level].end[node * ARITY];
  const int32_t *ranks = &tree->levels[level].rank[node * ARITY];
  int32_t first = -1;
  int32_t rank = best->rank;
  tree->visits++;
  for (int32_t k = 0; k < ARITY; k++) {
    if (ends[k] <= end && ranks[k] < rank) {
      rank = ranks[k];
      first = k;
    }
  }
  if (first < 0) {
    return;
  }
  if (level == 0) {
    *best = (found_leaf){rank, node * ARITY + first};
    return;
  }
  search_children(tree, level - 1, node * ARITY + first, end, best);
  for (int32_t k = 0; k < ARITY && best->rank != rank; k++) {
    if (k != first && ends[k] <= end && ranks[k] < best->rank) {
      search_children(tree, level - 1, node * ARITY + k, end, best);
    }
  }
}

static void search_nodes(memplan_span_tree *tree, int32_t level, int32_t from, int32_t to, int32_t end,
                         found_leaf *best) {
  const tree_level *nodes = &tree->levels[level];
  for (int32_t k = from; k < to; k++) {
    if (nodes->end[k] <= end && nodes->rank[k] < best->rank) {
      if (level == 0) {
        *best = (found_leaf){nodes->rank[k], k};
      } else {
        search_children(tree, level - 1, k, end, best);
      }
    }
  }
}

static found_leaf search_by_start(memplan_span_tree *tree, int32_t start, int32_t end) {
  found_leaf best = {INT32_MAX, -1};
  int32_t low = tree->sections->first_span[start];
  int32_t high = tree->sections->first_span[end];
  for (int32_t level = 0; low < high; level++) {
    int32_t inner_low = (low + ARITY - 1) / ARITY;
    int32_t inner_high = high / ARITY;
    if (inner_low >= inner_high || level == tree->n_levels - 1) {
      search_nodes(tree, level, low, high, end, &best);
      break;
    }
    search_nodes(tree, level, low, inner_low * ARITY, end, &best);
    search_nodes(tree, level, inner_high * ARITY, high, end, &best);
    low = inner_low;
    high = inner_high;
  }
  return best;
}

// As search_children, for what also starts no earlier than `start`.
static void search_plane(memplan_span_tree *tree, int32_t level, int32_t node, int32_t start, int32_t end,
                         found_leaf *best) {
  const tree_level *nodes = &tree->levels[level];
  int32_t base = node * ARITY;
  int32_t first = -1;
  int32_t rank = best->rank;
  tree->visits++;
  for (int32_t k = base; k < base + ARITY; k++) {
    if (nodes->start[k] >= start && nodes->end[k] <= end && nodes->rank[k] < rank) {
      rank = nodes->rank[k];
      first = k;
    }
  }
  if (first < 0) {
    return;
  }
  if (level == 0) {
    *best = (found_leaf){rank, first};
    return;
  }
  search_plane(tree, level - 1, first, start, end, best);
  for (int32_t k = base; k < base + ARITY && best->rank != rank; k++) {
    if (k != first && nodes->start[k] >= start && nodes->end[k] <= end && nodes->rank[k] < best->rank) {
      search_plane(tree, level - 1, k, start, end, best);
    }
  }
}

int32_t memplan_span_tree_find(memplan_span_tree *tree, int32_t start, int32_t end, int32_t *span) {
  if (tree->leaf == NULL) {
    found_leaf best = search_by_start(tree, start, end);
    *span = best.leaf;
    return best.leaf >= 0 ? best.rank : -1;
  }
  found_leaf best = {INT32_MAX, -1};
  search_plane(tree, tree->n_levels - 1, 0, start, end, &best);
  *span = best.leaf >= 0 ? tree->span[best.leaf] : -1;
  return best.leaf >= 0 ? best.rank : -1;
}

int64_t memplan_span_tree_visits(const memplan_span_tree *tree) { return tree->visits; }
