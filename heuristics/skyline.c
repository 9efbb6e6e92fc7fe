// SPDX-License-Identifier: Apache-2.0
// Segments of equal height form the skyline, as a linked list; a heap holds them by height. A segment that changes is
// replaced by a new one, so that old heap entries are recognised. Neighbours of equal height are joined at once: the
// lowest segment is a valley, and as wide as it can be.
//
// A block is a profile: pieces of time with the height it needs there. Bytes below a window are filled, and holes in
// time keep the valley's height, so that the result is valid for any block; nothing is wasted on blocks that reach down
// to their offset throughout.
//
// Which block? They are sorted by start; a tournament tree over them knows the earliest end and the best rank of each
// subtree. Those that start inside the valley are a range of leaves; subtrees that end too late or rank too low are
// cut.
#include "heuristics/skyline.h"

#include "model/base/heap.h"
#include "model/base/number.h"

#include <stdlib.h>

typedef struct piece {
  int32_t start, end;
  int64_t height;
} piece;

typedef struct segment {
  int32_t start, end;
  int32_t left, right; // neighbours, -1: none
  int64_t height;
  bool gone;
} segment;

typedef struct tree_entry {
  int32_t end, rank; // earliest end and best rank below; INT32_MAX if nothing is left
} tree_entry;

struct memplan_skyline {
  const memplan_instance *instance;
  int32_t n;
  const int32_t *blocks;   // sorted by start
  int32_t *position;       // by block: its place in `blocks`
  int32_t *first_starting; // by time rank, and one more: first place in `blocks` that starts then or later
  int32_t *first_piece;    // by place, and one more
  piece *pieces;
  tree_entry *tree; // the root is 1, leaves begin at n_leaves
  int32_t n_leaves;
  segment *segments;
  int32_t n_segments, n_fresh; // the fresh ones are the last, not in the heap yet
  memplan_heap valleys;        // segments by (height, start)
};

// ---- profiles

typedef struct profile_scratch {
  int32_t *times, *next; // cuts of one block; next cut that is not covered yet
  memplan_part *parts;   // the highest first
} profile_scratch;

static int compare_parts(const void *a, const void *b) {
  const memplan_part *x = a;
  const memplan_part *y = b;
  if (x->high != y->high) {
    return x->high > y->high ? -1 : 1;
  }
  return (x->start > y->start) - (x->start < y->start);
}

static int32_t find_time(const int32_t *times, int32_t count, int32_t time) {
  int32_t low = 0;
  int32_t high = count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (times[middle] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static int32_t first_uncovered(int32_t *next, int32_t cut) {
  while (next[cut] != cut) {
    next[cut] = next[next[cut]];
    cut = next[cut];
  }
  return cut;
}

// Covers the stretches between the cuts, the highest parts first. Writes the pieces in order of time, and their number.
static int32_t make_profile(const memplan_instance *instance, int32_t block, profile_scratch *scratch, piece *pieces) {
  const memplan_block *entry = &instance->blocks[block];
  const memplan_part *parts = &instance->parts[entry->first_part];
  if (entry->n_parts == 1) {
    pieces[0] = (piece){parts[0].start, parts[0].end, parts[0].high};
    return 1;
  }
  int32_t n_times = 0;
  for (int32_t k = 0; k < entry->n_parts; k++) {
    scratch->parts[k] = parts[k];
    scratch->times[n_times++] = parts[k].start;
    scratch->times[n_times++] = parts[k].end;
  }
  qsort(scratch->parts, (size_t)entry->n_parts, sizeof *scratch->parts, compare_parts);
  qsort(scratch->times, (size_t)n_times, sizeof *scratch->times, memplan_compare_int32);
  for (int32_t k = 0; k < n_times; k++) {
    scratch->next[k] = k;
    pieces[k].height = 0;
  }
  for (int32_t k = 0; k < entry->n_parts; k++) {
    const memplan_part *part = &scratch->parts[k];
    int32_t cut = first_uncovered(scratch->next, find_time(scratch->times, n_times, part->start));
    while (scratch->times[cut] < part->end) {
      pieces[cut] = (piece){scratch->times[cut], scratch->times[cut + 1], part->high};
      scratch->next[cut] = cut + 1;
      cut = first_uncovered(scratch->next, cut);
    }
  }
  int32_t count = 0;
  for (int32_t k = 0; k < n_times; k++) {
    if (pieces[k].height == 0 || pieces[k].start == pieces[k].end) {
      continue;
    }
    if (count > 0 && pieces[count - 1].end == pieces[k].start && pieces[count - 1].height == pieces[k].height) {
      pieces[count - 1].end = pieces[k].end;
    } else {
      pieces[count++] = pieces[k];
    }
  }
  return count;
}

static bool make_profiles(memplan_skyline *skyline, memplan_arena *arena) {
  const memplan_instance *instance = skyline->instance;
  int32_t most = 0;
  for (int32_t k = 0; k < skyline->n; k++) {
    int32_t count = instance->blocks[skyline->blocks[k]].n_parts;
    most = count > most ? count : most;
  }
  profile_scratch scratch = {.times = MEMPLAN_NEW(arena, int32_t, 2 * (int64_t)most),
                             .next = MEMPLAN_NEW(arena, int32_t, 2 * (int64_t)most),
                             .parts = MEMPLAN_NEW(arena, memplan_part, most)};
  if (scratch.times == NULL || scratch.next == NULL || scratch.parts == NULL) {
    return false;
  }
  int32_t used = 0;
  for (int32_t k = 0; k < skyline->n; k++) {
    skyline->first_piece[k] = used;
    used += make_profile(instance, skyline->blocks[k], &scratch, &skyline->pieces[used]);
  }
  skyline->first_piece[skyline->n] = used;
  return true;
}

static bool allocate(memplan_skyline *skyline, memplan_arena *arena) {
  const memplan_instance *instance = skyline->instance;
  int64_t n_pieces = 2 * (int64_t)instance->n_parts;
  // A placement makes at most two segments for each piece and one more; each raise joins two, so there are as many
  // again.
  int64_t n_segments = 2 * (2 * n_pieces + skyline->n + 1);
  if (n_segments > INT32_MAX) {
    return false;
  }
  skyline->n_leaves = 1;
  while (skyline->n_leaves < skyline->n) {
    skyline->n_leaves *= 2;
  }
  skyline->position = MEMPLAN_NEW(arena, int32_t, instance->n_blocks);
  skyline->first_starting = MEMPLAN_NEW(arena, int32_t, (int64_t)instance->n_times + 1);
  skyline->first_piece = MEMPLAN_NEW(arena, int32_t, (int64_t)skyline->n + 1);
  skyline->pieces = MEMPLAN_NEW(arena, piece, n_pieces);
  skyline->tree = MEMPLAN_NEW(arena, tree_entry, 2 * (int64_t)skyline->n_leaves);
  skyline->segments = MEMPLAN_NEW(arena, segment, n_segments);
  skyline->valleys.entries = MEMPLAN_NEW(arena, memplan_heap_entry, n_segments);
  return skyline->position != NULL && skyline->first_starting != NULL && skyline->first_piece != NULL &&
         skyline->pieces != NULL && skyline->tree != NULL && skyline->segments != NULL &&
         skyline->valleys.entries != NULL;
}

memplan_skyline *memplan_skyline_new(const memplan_instance *instance, const int32_t *todo, int32_t n_todo,
                                     memplan_arena *arena) {
  memplan_skyline *skyline = MEMPLAN_NEW(arena, memplan_skyline, 1);
  if (skyline == NULL) {
    return NULL;
  }
  *skyline = (memplan_skyline){.instance = instance, .n = n_todo, .blocks = todo};
  if (!allocate(skyline, arena) || !make_profiles(skyline, arena)) {
    return NULL;
  }
  int32_t place = 0;
  for (int32_t time = 0; time <= instance->n_times; time++) {
    while (place < n_todo && instance->blocks[todo[place]].start < time) {
      place++;
    }
    skyline->first_starting[time] = place;
  }
  for (int32_t k = 0; k < n_todo; k++) {
    skyline->position[todo[k]] = k;
  }
  return skyline;
}

// ---- the blocks left

static void refresh_tree(memplan_skyline *skyline, int32_t node) {
  const tree_entry *left = &skyline->tree[2 * node];
  const tree_entry *right = &skyline->tree[2 * node + 1];
  skyline->tree[node] = (tree_entry){left->end < right->end ? left->end : right->end,
                                     left->rank < right->rank ? left->rank : right->rank};
}

static void plant_tree(memplan_skyline *skyline, const int32_t *ranked) {
  for (int32_t leaf = 0; leaf < skyline->n_leaves; leaf++) {
    skyline->tree[skyline->n_leaves + leaf] = (tree_entry){INT32_MAX, INT32_MAX};
  }
  for (int32_t rank = 0; rank < skyline->n; rank++) {
    skyline->tree[skyline->n_leaves + skyline->position[ranked[rank]]] =
        (tree_entry){skyline->instance->blocks[ranked[rank]].end, rank};
  }
  for (int32_t node = skyline->n_leaves - 1; node > 0; node--) {
    refresh_tree(skyline, node);
  }
}

static void take_out(memplan_skyline *skyline, int32_t place) {
  int32_t node = skyline->n_leaves + place;
  skyline->tree[node] = (tree_entry){INT32_MAX, INT32_MAX};
  for (node /= 2; node > 0; node /= 2) {
    refresh_tree(skyline, node);
  }
}

// Improves on `best` with the best rank below `node` of a block that ends by `end`. The stack holds a node for each
// level.
static int32_t search_tree(const memplan_skyline *skyline, int32_t node, int32_t end, int32_t best) {
  int32_t stack[64];
  int32_t n_stack = 0;
  stack[n_stack++] = node;
  while (n_stack > 0) {
    int32_t at = stack[--n_stack];
    if (skyline->tree[at].end > end || skyline->tree[at].rank >= best) {
      continue;
    }
    if (at >= skyline->n_leaves) {
      best = skyline->tree[at].rank;
      continue;
    }
    int32_t first = skyline->tree[2 * at].rank <= skyline->tree[2 * at + 1].rank ? 2 * at : 2 * at + 1;
    stack[n_stack++] = 4 * at + 1 - first;
    stack[n_stack++] = first;
  }
  return best;
}

// The best rank of a block with its life inside [start, end), INT32_MAX if there is none.
static int32_t find_block(const memplan_skyline *skyline, int32_t start, int32_t end) {
  int32_t best = INT32_MAX;
  int32_t low = skyline->n_leaves + skyline->first_starting[start];
  int32_t high = skyline->n_leaves + skyline->first_starting[end];
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) {
      best = search_tree(skyline, low++, end, best);
    }
    if (high % 2 == 1) {
      best = search_tree(skyline, --high, end, best);
    }
  }
  return best;
}

// ---- the skyline

// The lowest segment that is still part of the skyline.
static int32_t pop_valley(memplan_skyline *skyline) {
  for (;;) {
    int32_t index = memplan_heap_pop(&skyline->valleys).item;
    if (!skyline->segments[index].gone) {
      return index;
    }
  }
}

// Appends [start, end) to the right of segment `last` (-1: nothing there), joined with it if the heights are equal.
// Returns the segment that now ends at `end`.
static int32_t append(memplan_skyline *skyline, int32_t last, int32_t start, int32_t end, int64_t height) {
  if (start == end) {
    return last;
  }
  segment *segments = skyline->segments;
  int32_t left = last;
  if (last >= 0 && segments[last].height == height) {
    if (last >= skyline->n_segments - skyline->n_fresh) {
      segments[last].end = end;
      return last;
    }
    segments[last].gone = true;
    start = segments[last].start;
    left = segments[last].left;
  }
  int32_t index = skyline->n_segments++;
  skyline->n_fresh++;
  segments[index] = (segment){.start = start, .end = end, .left = left, .right = -1, .height = height};
  if (left >= 0) {
    segments[left].right = index;
  }
  return index;
}

// Ties the last fresh segment to what follows on the right, and hands the fresh ones to the heap.
static void tie(memplan_skyline *skyline, int32_t last, int32_t right) {
  segment *segments = skyline->segments;
  if (right >= 0 && segments[right].height == segments[last].height) {
    segments[right].gone = true;
    segments[last].end = segments[right].end;
    right = segments[right].right;
  }
  segments[last].right = right;
  if (right >= 0) {
    segments[right].left = last;
  }
  for (; skyline->n_fresh > 0; skyline->n_fresh--) {
    int32_t index = skyline->n_segments - skyline->n_fresh;
    memplan_heap_push(&skyline->valleys, (memplan_heap_entry){segments[index].height, segments[index].start, index});
  }
}

static void lift(memplan_skyline *skyline, int32_t index) {
  segment old = skyline->segments[index];
  int64_t left = old.left >= 0 ? skyline->segments[old.left].height : INT64_MAX;
  int64_t right = old.right >= 0 ? skyline->segments[old.right].height : INT64_MAX;
  skyline->segments[index].gone = true;
  tie(skyline, append(skyline, old.left, old.start, old.end, left < right ? left : right), old.right);
}

// Offset of the block on a valley of that height; -1 if it would pass the limit of sizes.
static int64_t offset_on(const memplan_instance *instance, const memplan_block *entry, int64_t height) {
  int64_t base = instance->pools[0].base % entry->align;
  int64_t residue = entry->residue >= base ? entry->residue - base : entry->residue - base + entry->align;
  if (height >= MEMPLAN_SIZE_LIMIT) {
    return -1;
  }
  int64_t offset = memplan_align_up(height, entry->align, residue);
  return offset <= MEMPLAN_SIZE_LIMIT - entry->bytes ? offset : -1;
}

static void lay(memplan_skyline *skyline, int32_t index, int32_t place, int64_t offset) {
  segment old = skyline->segments[index];
  skyline->segments[index].gone = true;
  int32_t last = old.left;
  int32_t at = old.start;
  for (int32_t k = skyline->first_piece[place]; k < skyline->first_piece[place + 1]; k++) {
    const piece *entry = &skyline->pieces[k];
    last = append(skyline, last, at, entry->start, old.height);
    last = append(skyline, last, entry->start, entry->end, offset + entry->height);
    at = entry->end;
  }
  tie(skyline, append(skyline, last, at, old.end, old.height), old.right);
}

int64_t memplan_skyline_place(memplan_skyline *skyline, const int32_t *ranked, memplan_fill *fill, int64_t *offset) {
  const memplan_instance *instance = skyline->instance;
  int64_t peak = 0;
  fill->work = 0;
  if (skyline->n == 0) {
    return 0;
  }
  plant_tree(skyline, ranked);
  skyline->n_segments = 0;
  skyline->n_fresh = 0;
  skyline->valleys.n = 0;
  tie(skyline, append(skyline, -1, 0, instance->n_times, 0), -1);
  for (int32_t left = skyline->n; left > 0;) {
    int32_t index = pop_valley(skyline);
    int32_t rank = find_block(skyline, skyline->segments[index].start, skyline->segments[index].end);
    if (rank == INT32_MAX) {
      lift(skyline, index);
      continue;
    }
    int32_t block = ranked[rank];
    const memplan_block *entry = &instance->blocks[block];
    offset[block] = offset_on(instance, entry, skyline->segments[index].height);
    if (offset[block] < 0 || offset[block] + entry->bytes >= fill->limit) {
      return -1;
    }
    peak = offset[block] + entry->bytes > peak ? offset[block] + entry->bytes : peak;
    take_out(skyline, skyline->position[block]);
    lay(skyline, index, skyline->position[block], offset[block]);
    left--;
    fill->work++;
    if (memplan_fill_is_stopped(fill, fill->work, 0)) {
      return -1;
    }
  }
  return peak;
}
