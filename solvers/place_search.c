// SPDX-License-Identifier: Apache-2.0
// Canonical lexicographic branching with nogoods.
//
// State: U, the unplaced items; m(i), the bound that placed neighbours and conclusions put on offset(i); cur, the
// (offset, rank) of the item placed last on the way here. e(i) is the smallest allowed offset >= m(i) with
// (e(i), rank i) after cur. A node refutes the claim "U can be packed with offset >= e", which mentions no placed item.
//
// Branching: among packings of U above e take one with the least sum of offsets, and in it the first item i by (offset,
// rank). All items that i excludes lie above it (each item reaches down to its offset), so i could be moved down to
// e(i): it is there. Child i: items that i excludes get e(j) >= e(i) + up(i, j), the others (e(j), rank j) after
// (e(i), rank i). This needs no more of the allowed offsets than that e(i) is one of them, so alignments, pins,
// reserved ranges and pools (stretches of offsets) are all the same to it.
//
// Among items of equal bound the one that crosses the tightest section goes first where that is asked for: it fills the
// room that has no slack while there is a choice. Many instances then need hardly more nodes than items.
//
// Only items of the nogood U' under construction have to be refuted as the first (the claim for U' alone is what gets
// learned): it begins with one refuted child and takes in what the refutations needed. A need that only the child had,
// not the node, is charged to the item that was placed.
//
// Not the first, without a branch:
//   dominance: e(k) + reach(k) <= e(i) for some k. k could be moved down to e(k), below everything.
//   twins: e(k) <= e(i) for a twin k of i with a smaller index. Exchange the two: of packings with the least sum of
//     offsets take the one whose offsets are the least lexicographically, by index; there i is not below k.
//   limit: e(i) > threshold(s) for a section s. Its first item lies at or below the threshold.
// A failure whose needs the node's bounds already meet makes the node fail as it is (backjump).
#include "solvers/place_search.h"

#include "solvers/place_conflict.h"
#include "solvers/place_section.h"

#include <string.h>

enum { RAISED_BY_ITEM = -1, PLACED = -2 };

typedef struct trail_entry {
  int32_t item;
  int32_t before;  // its bound m
  int32_t section; // where it could not be the first; or one of the above
} trail_entry;

typedef struct part {
  int32_t first, n; // of the list stack
} part;

typedef struct member {
  int32_t item, least;
  bool refuted; // as the first item
} member;

// A node: reached by placing `item`; its parts are packed one after the other.
typedef struct frame {
  int32_t item, at;                               // at: offset
  int32_t placed_trail, raised_trail, done_trail; // before placing it; before conclusions; after them
  int32_t cur_offset, cur_rank;
  int32_t first_part, n_parts, part;
  int32_t first_member, n_members; // nogood of the current part so far
} frame;

struct memplan_place_search {
  const memplan_place_shape *shape;
  int32_t rules;
  int32_t coarseness; // of the tightness by which ties are broken, -1: by rank alone
  int32_t capacity;   // of the stored nogoods, -1: none yet
  int64_t nodes, budget;
  memplan_sections sections;
  memplan_conflict conflict;
  memplan_nogoods *store;
  // by item
  int32_t *m, *e; // e is -1 for placed items
  int32_t *offset, *rank, *latest;
  int32_t *open_neighbours; // unplaced ones
  int32_t *slot;            // scratch
  unsigned char *placed;
  // stacks
  trail_entry *trail;
  int32_t n_trail, trail_room;
  int32_t *lists;
  part *parts;
  member *members;
  frame *frames;
  int32_t depth; // frames in use
  // learned, and not yet in the store
  memplan_literal *learned;
  int32_t n_learned;
};

memplan_place_search *memplan_place_search_new(const memplan_place_shape *shape, const memplan_search_options *options,
                                               memplan_arena *arena) {
  memplan_place_search *s = MEMPLAN_NEW(arena, memplan_place_search, 1);
  if (s == NULL) {
    return NULL;
  }
  size_t n = (size_t)shape->n_items, stack = n * (n + 1) / 2 + 2 * n + 2;
  s->shape = shape;
  s->rules = options->rules;
  s->capacity = -1;
  s->trail_room = (int32_t)(stack + 64 * n);
  s->m = MEMPLAN_NEW(arena, int32_t, n);
  s->e = MEMPLAN_NEW(arena, int32_t, n);
  s->offset = MEMPLAN_NEW(arena, int32_t, n);
  s->rank = MEMPLAN_NEW(arena, int32_t, n);
  s->latest = MEMPLAN_NEW(arena, int32_t, n);
  s->open_neighbours = MEMPLAN_NEW(arena, int32_t, n);
  s->slot = MEMPLAN_NEW(arena, int32_t, n);
  s->placed = MEMPLAN_NEW(arena, unsigned char, n);
  s->trail = MEMPLAN_NEW_RAW(arena, trail_entry, s->trail_room);
  s->lists = MEMPLAN_NEW_RAW(arena, int32_t, stack);
  s->parts = MEMPLAN_NEW_RAW(arena, part, 2 * n + 2);
  s->members = MEMPLAN_NEW_RAW(arena, member, stack);
  s->frames = MEMPLAN_NEW_RAW(arena, frame, n + 2);
  s->learned = MEMPLAN_NEW(arena, memplan_literal, n);
  s->store = memplan_nogoods_new(shape->n_items, options->n_nogoods, options->longest, arena);
  bool ok = s->m != NULL && s->e != NULL && s->offset != NULL && s->rank != NULL && s->latest != NULL &&
            s->open_neighbours != NULL && s->slot != NULL && s->placed != NULL && s->trail != NULL &&
            s->lists != NULL && s->parts != NULL && s->members != NULL && s->frames != NULL && s->learned != NULL &&
            s->store != NULL && memplan_sections_init(&s->sections, shape, arena) &&
            memplan_conflict_init(&s->conflict, shape, arena);
  return ok ? s : NULL;
}

static bool uses(const memplan_place_search *s, memplan_search_rule rule) { return (s->rules & (int32_t)rule) != 0; }

// ---- bounds and trail

// With ties broken by tightness, items of equal offset have no order that all nodes agree on: then it is enough that
// the others lie at or above the item placed last.
static int32_t comes_before(const memplan_place_search *s, int32_t item, int32_t cur_rank) {
  return s->coarseness < 0 && s->rank[item] < cur_rank;
}

static int32_t bound_at(const memplan_place_search *s, int32_t item, int32_t cur_offset, int32_t cur_rank) {
  int32_t lexicographic = cur_offset + comes_before(s, item, cur_rank);
  if (s->m[item] >= lexicographic) {
    return s->m[item];
  }
  return s->shape->rounded[item] ? memplan_place_shape_up(s->shape, item, lexicographic) : lexicographic;
}

static void set_bounds(memplan_place_search *s, const int32_t *items, int32_t n, int32_t cur_offset, int32_t cur_rank) {
  for (int32_t k = 0; k < n; k++) {
    s->e[items[k]] = bound_at(s, items[k], cur_offset, cur_rank);
  }
}

static void push_trail(memplan_place_search *s, int32_t item, int32_t section) {
  s->trail[s->n_trail++] = (trail_entry){item, s->m[item], section};
}

static void place_item(memplan_place_search *s, int32_t item, int32_t at) {
  push_trail(s, item, PLACED);
  s->placed[item] = 1;
  s->e[item] = -1;
  s->offset[item] = at;
  memplan_sections_remove(&s->sections, item);
}

static void undo_to(memplan_place_search *s, int32_t n_trail) {
  const memplan_place_shape *shape = s->shape;
  while (s->n_trail > n_trail) {
    const trail_entry *entry = &s->trail[--s->n_trail];
    s->m[entry->item] = entry->before;
    if (entry->section != PLACED) {
      continue;
    }
    s->placed[entry->item] = 0;
    memplan_sections_restore(&s->sections, entry->item);
    for (int32_t k = shape->first_neighbour[entry->item]; k < shape->first_neighbour[entry->item + 1]; k++) {
      s->open_neighbours[shape->neighbours[k]] += !s->placed[shape->neighbours[k]];
    }
  }
}

// Takes back what the last node did. The conflict explains its failure with the bounds after its conclusions; it gets
// rid of the conclusions on the way.
static void unwind(memplan_place_search *s, const frame *node) {
  undo_to(s, node->done_trail);
  while (s->n_trail > node->raised_trail) {
    const trail_entry *entry = &s->trail[--s->n_trail];
    int32_t item = entry->item, section = entry->section;
    s->m[item] = entry->before;
    s->e[item] = bound_at(s, item, node->cur_offset, node->cur_rank);
    if (s->conflict.need[item] <= s->e[item]) {
      continue;
    }
    const memplan_place_shape *shape = s->shape;
    for (int32_t k = shape->first_member[section]; k < shape->first_member[section + 1]; k++) {
      int32_t other = shape->members[k].item;
      s->e[other] = s->placed[other] ? -1 : bound_at(s, other, node->cur_offset, node->cur_rank);
    }
    memplan_conflict_replace_rise(&s->conflict, item, section, s->sections.threshold[section], s->e);
  }
  undo_to(s, node->placed_trail);
}

// ---- conclusions at a node

static bool raise(memplan_place_search *s, int32_t item, int32_t bound, int32_t section) {
  push_trail(s, item, section);
  s->m[item] = memplan_place_shape_up(s->shape, item, bound);
  s->e[item] = s->m[item];
  if (s->m[item] <= s->latest[item]) {
    return true;
  }
  memplan_conflict_clear(&s->conflict);
  memplan_conflict_add(&s->conflict, item, s->latest[item] + 1);
  return false;
}

// Does each bound leave room for its item? False: failed, with the conflict.
static bool all_fit(memplan_place_search *s, const int32_t *items, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    if (s->e[items[k]] > s->latest[items[k]]) {
      memplan_conflict_clear(&s->conflict);
      memplan_conflict_add(&s->conflict, items[k], s->latest[items[k]] + 1);
      return false;
    }
  }
  return true;
}

// Bounds from sections until nothing changes; [from, to): sections with changes. False: failed, with the conflict.
static bool conclude(memplan_place_search *s, const int32_t *items, int32_t n, int32_t from, int32_t to) {
  const memplan_place_shape *shape = s->shape;
  memplan_sections *sections = &s->sections;
  while (from < to && uses(s, MEMPLAN_RULE_SECTION)) {
    int32_t failed = memplan_sections_check(sections, items, n, s->e, from, to);
    if (failed >= 0) {
      memplan_conflict_clear(&s->conflict);
      memplan_conflict_add_overflow(&s->conflict, failed, sections->level[failed], s->e);
      return false;
    }
    from = shape->n_sections;
    to = 0;
    // room on the trail for the placements that may follow is never used up
    int32_t room = s->trail_room - s->n_trail - n * (n + 1) / 2 - n;
    for (int32_t k = 0; k < n && shape->first[items[k]] < sections->to && uses(s, MEMPLAN_RULE_RISE); k++) {
      int32_t item = items[k], bound = s->e[item];
      int32_t rise = memplan_sections_rise(sections, item, bound);
      if (rise == 0 || room-- <= 0) {
        continue;
      }
      if (!raise(s, item, rise, memplan_sections_rise_reason(sections, item, bound, rise))) {
        return false;
      }
      from = shape->first[item] < from ? shape->first[item] : from;
      to = shape->end[item] > to ? shape->end[item] : to;
    }
  }
  return true;
}

// Cuts the items (a list on the stack) where no section holds items of both sides.
static void split(memplan_place_search *s, frame *node, int32_t first, int32_t n) {
  const memplan_place_shape *shape = s->shape;
  node->n_parts = 0;
  node->part = 0;
  int32_t end = -1, begin = first;
  for (int32_t k = first; k < first + n; k++) {
    int32_t item = s->lists[k];
    if (k > begin && uses(s, MEMPLAN_RULE_SPLIT) && shape->first[item] >= end) {
      s->parts[node->first_part + node->n_parts++] = (part){begin, k - begin};
      begin = k;
    }
    end = shape->end[item] > end ? shape->end[item] : end;
  }
  if (begin < first + n) {
    s->parts[node->first_part + node->n_parts++] = (part){begin, first + n - begin};
  }
}

// Conclusions and stored nogoods for the unplaced items, a list on the stack; then the parts. False: failed, with the
// conflict.
static bool open_node(memplan_place_search *s, frame *node, int32_t first, int32_t n, int32_t from, int32_t to) {
  const int32_t *items = &s->lists[first];
  node->raised_trail = s->n_trail;
  set_bounds(s, items, n, node->cur_offset, node->cur_rank);
  bool ok = all_fit(s, items, n) && conclude(s, items, n, from, to);
  node->done_trail = s->n_trail;
  if (!ok) {
    return false;
  }
  int32_t nogood = uses(s, MEMPLAN_RULE_STORE) ? memplan_nogoods_find(s->store, items, n, s->e) : -1;
  if (nogood >= 0) {
    int32_t n_literals;
    const memplan_literal *literals = memplan_nogoods_get(s->store, nogood, &n_literals);
    memplan_conflict_clear(&s->conflict);
    for (int32_t k = 0; k < n_literals; k++) {
      memplan_conflict_add(&s->conflict, literals[k].item, literals[k].least);
    }
    return false;
  }
  split(s, node, first, n);
  return true;
}

// Places `item` of the top frame's current part at its bound. False: failed, with the conflict; all is undone except
// that e is not up to date.
static bool descend(memplan_place_search *s, int32_t item) {
  const memplan_place_shape *shape = s->shape;
  frame *above = &s->frames[s->depth - 1], *node = &s->frames[s->depth];
  const part *from_part = &s->parts[above->first_part + above->part];
  int32_t at = s->e[item], first = above->first_part + above->n_parts;
  const part *last_part = &s->parts[first - 1];
  *node = (frame){.item = item,
                  .at = at,
                  .placed_trail = s->n_trail,
                  .cur_offset = at,
                  .cur_rank = s->rank[item],
                  .first_part = first,
                  .first_member = above->first_member + above->n_members};
  int32_t list = last_part->first + last_part->n, n = 0;
  int32_t from = shape->first[item], to = shape->end[item];
  const int32_t *up = &shape->up[(size_t)item * (size_t)shape->n_items];
  bool ok = true;
  place_item(s, item, at);
  for (int32_t k = from_part->first; k < from_part->first + from_part->n; k++) {
    int32_t other = s->lists[k];
    if (other == item) {
      continue;
    }
    if (up[other] > 0) {
      s->open_neighbours[other]--;
      if (s->m[other] < at + up[other] && ok) {
        ok = raise(s, other, at + up[other], RAISED_BY_ITEM);
        from = shape->first[other] < from ? shape->first[other] : from;
        to = shape->end[other] > to ? shape->end[other] : to;
      }
      if (ok && s->open_neighbours[other] == 0 && uses(s, MEMPLAN_RULE_HATLESS)) {
        place_item(s, other, s->m[other]);
        continue;
      }
    }
    s->lists[list + n++] = other;
  }
  node->raised_trail = node->done_trail = s->n_trail;
  if (ok && open_node(s, node, list, n, from, to)) {
    s->depth++;
    return true;
  }
  unwind(s, node);
  return false;
}

// ---- the nogood of a part

// The choice of the item that is tried next as the first one: the lowest; among equals one that crosses the tightest
// section (coarsely: thresholds divided by a power of two), then by rank.
typedef struct choice {
  int32_t item; // -1: none yet
  int32_t tightness;
} choice;

static int32_t tightness_of(const memplan_place_search *s, int32_t item) {
  const memplan_place_shape *shape = s->shape;
  int32_t least = INT32_MAX;
  for (int32_t r = shape->first_run[item]; r < shape->first_run[item + 1] && s->coarseness >= 0; r++) {
    int32_t here = memplan_sections_lowest(&s->sections, shape->runs[r].first, shape->runs[r].end);
    least = here < least ? here : least;
  }
  return s->coarseness >= 0 ? least >> s->coarseness : 0;
}

static void consider(const memplan_place_search *s, choice *best, int32_t item) {
  if (best->item >= 0 && s->e[item] > s->e[best->item]) {
    return;
  }
  choice other = {item, tightness_of(s, item)};
  bool better = best->item < 0 || s->e[item] < s->e[best->item] || other.tightness < best->tightness ||
                (other.tightness == best->tightness && s->rank[item] < s->rank[best->item]);
  *best = better ? other : *best;
}

// The item of the list with the least top; -1 for an empty list.
static int32_t least_top(const memplan_place_search *s, const int32_t *items, int32_t n) {
  int32_t best = -1;
  for (int32_t k = 0; k < n; k++) {
    if (best < 0 || s->e[items[k]] + s->shape->reach[items[k]] < s->e[best] + s->shape->reach[best]) {
      best = items[k];
    }
  }
  return best;
}

static void add_member(memplan_place_search *s, frame *node, int32_t item, int32_t least) {
  if (s->slot[item] < 0) {
    s->slot[item] = node->first_member + node->n_members++;
    s->members[s->slot[item]] = (member){item, 0, false};
  }
  member *m = &s->members[s->slot[item]];
  m->least = least > m->least ? least : m->least;
}

// Refutes a member as the first item by dominance or by the threshold of a section, if that can be.
static bool refute_cheaply(memplan_place_search *s, frame *node, int32_t index, int32_t dominator, int32_t lowest) {
  const memplan_place_shape *shape = s->shape;
  const part *p = &s->parts[node->first_part + node->part];
  int32_t item = s->members[index].item, at = s->e[item];
  if (at >= s->e[dominator] + shape->reach[dominator] && uses(s, MEMPLAN_RULE_DOMINANCE)) {
    for (int32_t k = node->first_member; k < node->first_member + node->n_members; k++) {
      int32_t known = s->members[k].item; // one that is in the nogood anyway costs nothing
      if (s->e[known] + shape->reach[known] <= at) {
        dominator = known;
        break;
      }
    }
    int32_t need = memplan_place_shape_weaken(shape, item, s->e[dominator] + shape->reach[dominator]);
    add_member(s, node, item, need);
    add_member(s, node, dominator, 0);
    return true;
  }
  for (int32_t twin = shape->twin[item]; twin >= 0 && uses(s, MEMPLAN_RULE_TWINS); twin = shape->twin[twin]) {
    if (s->e[twin] >= 0 && s->e[twin] <= at) {
      add_member(s, node, item, memplan_place_shape_weaken(shape, item, s->e[twin]));
      add_member(s, node, twin, 0);
      return true;
    }
  }
  if (at > lowest && uses(s, MEMPLAN_RULE_LIMIT)) {
    int32_t end = 0;
    for (int32_t k = p->first; k < p->first + p->n; k++) {
      end = shape->end[s->lists[k]] > end ? shape->end[s->lists[k]] : end;
    }
    int32_t section = shape->first[s->lists[p->first]];
    while (s->sections.threshold[section] != lowest) {
      section++;
    }
    add_member(s, node, item, memplan_place_shape_weaken(shape, item, lowest + 1 > 0 ? lowest + 1 : 0));
    for (int32_t k = shape->first_member[section]; k < shape->first_member[section + 1]; k++) {
      if (!s->placed[shape->members[k].item]) {
        add_member(s, node, shape->members[k].item, 0);
      }
    }
    return true;
  }
  return false;
}

static int32_t lowest_threshold(const memplan_place_search *s, const part *p) {
  int32_t end = 0;
  for (int32_t k = p->first; k < p->first + p->n; k++) {
    end = s->shape->end[s->lists[k]] > end ? s->shape->end[s->lists[k]] : end;
  }
  return memplan_sections_lowest(&s->sections, s->shape->first[s->lists[p->first]], end);
}

// The next item to try; e must be up to date for the part.
static int32_t choose(memplan_place_search *s, frame *node) {
  const part *p = &s->parts[node->first_part + node->part];
  choice best = {-1, 0};
  if (node->n_members == 0) {
    for (int32_t k = p->first; k < p->first + p->n; k++) {
      consider(s, &best, s->lists[k]);
    }
    return best.item;
  }
  for (int32_t k = p->first; k < p->first + p->n; k++) {
    s->slot[s->lists[k]] = -1;
  }
  for (int32_t k = node->first_member; k < node->first_member + node->n_members; k++) {
    s->slot[s->members[k].item] = k;
  }
  int32_t dominator = least_top(s, &s->lists[p->first], p->n);
  int32_t lowest = lowest_threshold(s, p);
  for (int32_t k = node->first_member; k < node->first_member + node->n_members; k++) {
    if (s->members[k].refuted) {
      continue;
    }
    if (refute_cheaply(s, node, k, dominator, lowest)) {
      s->members[k].refuted = true;
    } else {
      consider(s, &best, s->members[k].item);
    }
  }
  return best.item;
}

// Takes the failure of child `item` into the nogood of the current part.
static void merge(memplan_place_search *s, frame *node, int32_t item) {
  const memplan_place_shape *shape = s->shape;
  const int32_t *up = &shape->up[(size_t)item * (size_t)shape->n_items];
  const part *p = &s->parts[node->first_part + node->part];
  for (int32_t k = p->first; k < p->first + p->n; k++) {
    s->slot[s->lists[k]] = -1;
  }
  for (int32_t k = node->first_member; k < node->first_member + node->n_members; k++) {
    s->slot[s->members[k].item] = k;
  }
  int32_t own = 0;
  for (int32_t k = 0; k < s->conflict.n_items; k++) {
    int32_t other = s->conflict.items[k], need = s->conflict.need[other];
    if (need <= s->e[other]) {
      add_member(s, node, other, need);
      continue;
    }
    add_member(s, node, other, 0);
    int32_t charge = up[other] > 0 ? need - up[other] : need - comes_before(s, other, s->rank[item]);
    own = charge > own ? charge : own;
  }
  add_member(s, node, item, memplan_place_shape_weaken(shape, item, own));
  s->members[s->slot[item]].refuted = true;
}

// The complete nogood of the current part becomes the conflict, and is kept for the store.
static void learn(memplan_place_search *s, const frame *node) {
  memplan_conflict_clear(&s->conflict);
  s->n_learned = 0;
  for (int32_t k = node->first_member; k < node->first_member + node->n_members; k++) {
    const member *m = &s->members[k];
    memplan_conflict_add(&s->conflict, m->item, m->least);
    s->learned[s->n_learned++] = (memplan_literal){m->item, m->least};
  }
}

static void store_learned(memplan_place_search *s) {
  if (s->n_learned > 0 && uses(s, MEMPLAN_RULE_STORE) &&
      memplan_nogoods_add(s->store, s->learned, s->n_learned, s->e)) {
    s->n_learned = 0;
  }
}

static bool conflict_holds(const memplan_place_search *s) {
  for (int32_t k = 0; k < s->conflict.n_items; k++) {
    int32_t item = s->conflict.items[k];
    if (s->conflict.need[item] > s->e[item]) {
      return false;
    }
  }
  return true;
}

static void open_part(memplan_place_search *s, frame *node) {
  node->n_members = 0;
  if (node->part < node->n_parts) {
    const part *p = &s->parts[node->first_part + node->part];
    set_bounds(s, &s->lists[p->first], p->n, node->cur_offset, node->cur_rank);
  }
}

// A child of the top frame has failed, with the conflict. Fails further up as far as that is the reason of the failure
// of the nodes there too. False: refuted.
static bool fail_child(memplan_place_search *s, int32_t item) {
  for (;;) {
    frame *node = &s->frames[s->depth - 1];
    const part *p = &s->parts[node->first_part + node->part];
    set_bounds(s, &s->lists[p->first], p->n, node->cur_offset, node->cur_rank);
    store_learned(s);
    if (!(conflict_holds(s) && uses(s, MEMPLAN_RULE_BACKJUMP))) {
      merge(s, node, item);
      return true;
    }
    if (--s->depth == 0) {
      return false;
    }
    unwind(s, node);
    item = node->item;
  }
}

// ---- the run

static bool open_root(memplan_place_search *s, int32_t capacity) {
  const memplan_place_shape *shape = s->shape;
  frame *root = &s->frames[0];
  *root = (frame){.item = -1, .cur_rank = -1};
  s->n_trail = 0;
  s->n_learned = 0;
  memplan_sections_reset(&s->sections, capacity);
  int32_t n = 0;
  bool ok = true;
  for (int32_t item = 0; item < shape->n_items; item++) {
    s->m[item] = shape->least[item];
    s->placed[item] = 0;
    s->open_neighbours[item] = shape->first_neighbour[item + 1] - shape->first_neighbour[item];
    s->latest[item] = memplan_place_shape_latest(shape, item, capacity);
    ok = ok && s->m[item] <= s->latest[item];
    if (s->open_neighbours[item] == 0) {
      s->placed[item] = 1;
      s->offset[item] = s->m[item];
      s->e[item] = -1;
    } else {
      s->lists[n++] = item;
    }
  }
  s->depth = 1;
  return ok && open_node(s, root, 0, n, 0, shape->n_sections);
}

static memplan_search_outcome search_from_root(memplan_place_search *s) {
  for (open_part(s, &s->frames[0]);;) {
    frame *node = &s->frames[s->depth - 1];
    if (node->part == node->n_parts) {
      if (--s->depth == 0) {
        return MEMPLAN_SEARCH_FOUND;
      }
      node = &s->frames[s->depth - 1];
      node->part++;
      open_part(s, node);
      continue;
    }
    int32_t item = choose(s, node);
    if (item < 0) {
      learn(s, node);
      int32_t above = node->item;
      if (--s->depth == 0) {
        return MEMPLAN_SEARCH_REFUTED;
      }
      unwind(s, node);
      if (!fail_child(s, above)) {
        return MEMPLAN_SEARCH_REFUTED;
      }
      continue;
    }
    if (s->budget-- <= 0) {
      return MEMPLAN_SEARCH_BUDGET;
    }
    s->nodes++;
    if (descend(s, item)) {
      open_part(s, &s->frames[s->depth - 1]);
    } else if (!fail_child(s, item)) {
      return MEMPLAN_SEARCH_REFUTED;
    }
  }
}

// Of twins that are equally good the one with the least index is tried first: sorts it into the ranks of those before.
static void rank_twin(memplan_place_search *s, int32_t item) {
  const int32_t *before = s->shape->twin;
  for (int32_t twin = before[item]; twin >= 0 && s->rank[item] < s->rank[twin]; item = twin, twin = before[twin]) {
    int32_t rank = s->rank[item];
    s->rank[item] = s->rank[twin];
    s->rank[twin] = rank;
  }
}

memplan_search_outcome memplan_place_search_run(memplan_place_search *s, int64_t capacity, memplan_search_order order,
                                                int64_t node_budget, int64_t *offset) {
  const memplan_place_shape *shape = s->shape;
  int32_t height = capacity < MEMPLAN_SHAPE_LIMIT / 2 ? (int32_t)capacity : MEMPLAN_SHAPE_LIMIT / 2;
  if (s->capacity < 0 || height > s->capacity) {
    memplan_nogoods_clear(s->store);
  }
  s->capacity = height;
  s->budget = node_budget;
  s->coarseness = order.coarseness;
  for (int32_t item = 0; item < shape->n_items; item++) {
    s->rank[item] = order.rank[shape->item[item]];
    if (uses(s, MEMPLAN_RULE_TWINS)) {
      rank_twin(s, item);
    }
  }
  memplan_search_outcome outcome = MEMPLAN_SEARCH_REFUTED;
  if (open_root(s, height)) {
    outcome = search_from_root(s);
  } else {
    s->nodes++; // so that no number of runs is free of work
  }
  if (outcome == MEMPLAN_SEARCH_FOUND) {
    for (int32_t item = 0; item < shape->n_items; item++) {
      offset[shape->item[item]] = s->offset[item];
    }
  }
  bool beyond = height < capacity; // a refutation of less than was asked for proves nothing
  return outcome == MEMPLAN_SEARCH_REFUTED && beyond ? MEMPLAN_SEARCH_BUDGET : outcome;
}

int64_t memplan_place_search_nodes(const memplan_place_search *s) { return s->nodes; }

memplan_nogoods *memplan_place_search_store(memplan_place_search *s, int64_t *capacity) {
  *capacity = s->capacity;
  return s->store;
}
