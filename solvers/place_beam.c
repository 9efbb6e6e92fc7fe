// SPDX-License-Identifier: Apache-2.0
// State: the skyline (a level for each section), the items placed, and the room each section may still lose. A step
// takes the lowest valley [begin, end) of the skyline and places an item whose sections lie in it: at the bottom of the
// valley, since a packing can be pushed down. Items of one valley are placed from left to right, so that each set of
// them comes up once: what lies left of the item is closed up to the lower one of its neighbours, and lost. A valley in
// which nothing is placed is closed up as well, and the next one takes its turn.
//
// Not worth a look: an item whose sections were all closed since something was placed there (it could lie lower); room
// lost into which an unplaced item fits (the same); the second of two items alike.
//
// A search whose states have died may go back a part of the way and on from there under another rule: what comes late
// is tried again for a part of the cost. It goes back from the farthest end that it has come to.
//
// States are looked at in place, and written down only if they are among the best of their size. Weights and worths are
// integers near powers, ranks logarithms of their quotients.
#include "solvers/place_beam.h"

#include "model/base/compiler.h"
#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/base/rng.h"
#include "solvers/best_ranks.h"
#include "solvers/place_beam_states.h"
#include "solvers/place_outlook.h"

#include <stdlib.h>
#include <string.h>

enum {
  full_weight = 16, // logarithm of the weight of a section without slack
  full_worth = 20,  // of the worth of the item that is worth most
  rank_error = 512, // larger than that of memplan_exp2, in 1/65536 of a doubling
  usual_height = 1024,
  seen_of_width = 8,  // size of the hash table
  ceiling_steps = 64, // from the capacity to the ceiling, about
  save_parts = 20,    // the items in so many parts: between saved states
  back_parts = 3,     // from the end of a search to where it goes on, at least
  n_saved = back_parts + 2
};

typedef struct step {
  int32_t before; // -1: none
  int32_t item, offset;
} step;

// The states of a size, to go back to.
typedef struct saved_states {
  memplan_beam_states states;
  int32_t n, depth; // depth -1: none
  int64_t n_steps;
} saved_states;

typedef struct candidate {
  int64_t rank;
  uint64_t key;
  int32_t parent, item;
  int32_t closings; // valleys closed before
} candidate;

typedef struct valley {
  int32_t begin, end, level;
  int32_t left, right; // levels beside it, MEMPLAN_SHAPE_LIMIT: none
} valley;

struct memplan_place_beam {
  const memplan_place_shape *shape;
  memplan_arena arena;
  memplan_beam_sizes sizes;
  int32_t n_placeable;
  int32_t *load;            // by section
  int32_t *weight;          // by section
  int64_t *worth;           // by item
  uint64_t *item_key;       // by item
  uint32_t *section_factor; // by section
  memplan_beam_rule rule;
  uint64_t salt;
  int32_t capacity, ceiling, width, few;
  int64_t scaled_unit; // of lost room: what keeps ranks apart from zero
  int64_t states;
  // the state at hand
  int32_t *level, *slack;
  unsigned char *closed;
  int64_t lost;
  int32_t *open, n_open; // unplaced items, ascending
  memplan_outlook ahead;
  int32_t *tried, n_tried;
  int32_t *least_size; // by section f: of unplaced items within [valley begin, f)
  // generations
  memplan_arena run;
  memplan_beam_states now, next;
  int32_t n_now, depth;
  saved_states saved[n_saved];
  bool saves;
  int32_t farthest;        // depth of an end
  int32_t back;            // to which of `saved` the search goes back, -1: none
  memplan_best_ranks best; // of the candidates so far
  uint64_t *seen;          // hash table of candidates' keys, 0: free
  int32_t seen_size, n_seen;
  candidate *candidates;
  int64_t n_candidates, candidate_capacity;
  step *steps;
  int64_t n_steps, step_capacity;
};

// ---- set-up

bool memplan_place_beam_accepts(const memplan_place_shape *shape) {
  for (int32_t section = 0; section < shape->n_sections; section++) {
    if (shape->slack[section] != 0) {
      return false;
    }
  }
  for (int32_t item = 0; item < shape->n_items; item++) {
    int32_t n_runs = shape->first_run[item + 1] - shape->first_run[item];
    int32_t n_neighbours = shape->first_neighbour[item + 1] - shape->first_neighbour[item];
    if (shape->rounded[item] || shape->least[item] != 0 || n_runs > 1 || (n_runs == 0 && n_neighbours > 0) ||
        (n_runs == 1 && shape->runs[shape->first_run[item]].height != shape->size[item])) {
      return false;
    }
    const int32_t *up = &shape->up[(size_t)item * (size_t)shape->n_items];
    for (int32_t other = 0; other < shape->n_items; other++) {
      bool meet = shape->first[item] < shape->end[other] && shape->first[other] < shape->end[item];
      if (other != item && up[other] != (meet ? shape->size[item] : 0)) {
        return false;
      }
    }
  }
  return true;
}

static bool allocate(memplan_place_beam *beam) {
  size_t n = (size_t)beam->shape->n_items, m = (size_t)beam->shape->n_sections;
  memplan_arena *arena = &beam->arena;
  beam->load = MEMPLAN_NEW(arena, int32_t, m);
  beam->weight = MEMPLAN_NEW(arena, int32_t, m);
  beam->worth = MEMPLAN_NEW(arena, int64_t, n);
  beam->item_key = MEMPLAN_NEW(arena, uint64_t, n);
  beam->section_factor = MEMPLAN_NEW(arena, uint32_t, m);
  beam->level = MEMPLAN_NEW(arena, int32_t, m);
  beam->slack = MEMPLAN_NEW(arena, int32_t, m);
  beam->closed = MEMPLAN_NEW(arena, unsigned char, m);
  beam->open = MEMPLAN_NEW(arena, int32_t, n);
  beam->tried = MEMPLAN_NEW(arena, int32_t, n);
  beam->least_size = MEMPLAN_NEW(arena, int32_t, m + 1);
  return beam->load != NULL && beam->weight != NULL && beam->worth != NULL && beam->item_key != NULL &&
         beam->section_factor != NULL && beam->level != NULL && beam->slack != NULL && beam->closed != NULL &&
         beam->open != NULL && beam->tried != NULL && beam->least_size != NULL &&
         memplan_outlook_init(&beam->ahead, beam->shape, beam->level, beam->slack, beam->weight, arena);
}

static memplan_beam_sizes find_sizes(const memplan_place_shape *shape) {
  return (memplan_beam_sizes){.n_sections = shape->n_sections,
                              .n_items = shape->n_items,
                              .section_words = (shape->n_sections + 63) / 64,
                              .item_words = (shape->n_items + 63) / 64};
}

memplan_place_beam *memplan_place_beam_new(const memplan_place_shape *shape) {
  memplan_place_beam *beam = calloc(1, sizeof *beam);
  if (beam == NULL) {
    return NULL;
  }
  beam->shape = shape;
  beam->sizes = find_sizes(shape);
  if (!allocate(beam)) {
    memplan_place_beam_free(beam);
    return NULL;
  }
  uint64_t random = 0;
  for (int32_t item = 0; item < shape->n_items; item++) {
    beam->item_key[item] = memplan_splitmix(&random);
    beam->n_placeable += shape->first[item] < shape->end[item];
  }
  for (int32_t section = 0; section < shape->n_sections; section++) {
    beam->section_factor[section] = (uint32_t)memplan_splitmix(&random) | 1;
    for (int32_t k = shape->first_member[section]; k < shape->first_member[section + 1]; k++) {
      beam->load[section] += shape->members[k].height;
    }
  }
  return beam;
}

void memplan_place_beam_free(memplan_place_beam *beam) {
  if (beam != NULL) {
    memplan_arena_free(&beam->arena);
    memplan_arena_free(&beam->run);
    free(beam->candidates);
    free(beam->steps);
    free(beam);
  }
}

int64_t memplan_place_beam_memory(const memplan_place_shape *shape, int32_t width, bool saves) {
  memplan_beam_sizes sizes = find_sizes(shape);
  int64_t tables = 8 + 2 * 8 * (int64_t)seen_of_width; // heap, keys seen
  int64_t states = memplan_beam_states_bytes(&sizes) * (saves ? 2 + n_saved : 2);
  return width * (states + tables + (int64_t)sizeof(step) * shape->n_items);
}

static void set_weights(memplan_place_beam *beam) {
  const memplan_place_shape *shape = beam->shape;
  const memplan_beam_rule *rule = &beam->rule;
  for (int32_t section = 0; section < shape->n_sections; section++) {
    int64_t slack = (int64_t)(beam->capacity - beam->load[section]) * usual_height / beam->capacity;
    int64_t power = (int64_t)rule->scarcity * memplan_log2(slack + 2) / 1024;
    beam->weight[section] = (int32_t)memplan_exp2((INT64_C(65536) * full_weight) - power);
  }
  int64_t most = INT64_MIN;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t item = 0; item < shape->n_items; item++) {
      int32_t sections = shape->end[item] - shape->first[item];
      int64_t log = (int64_t)rule->size * memplan_log2(shape->size[item]) / 1024 +
                    (int64_t)rule->sections * memplan_log2(sections > 0 ? sections : 1) / 1024;
      most = log > most ? log : most;
      beam->worth[item] = memplan_exp2(log - most + INT64_C(65536) * full_worth);
    }
  }
  beam->scaled_unit = ((int64_t)beam->capacity << full_weight) / usual_height + 1;
}

static int32_t clamp_height(int64_t height) {
  return height < MEMPLAN_SHAPE_LIMIT / 2 ? (int32_t)height : MEMPLAN_SHAPE_LIMIT / 2;
}

bool memplan_place_beam_start(memplan_place_beam *beam, int64_t capacity, int64_t ceiling, int32_t width,
                              const memplan_beam_rule *rule, uint64_t salt) {
  const memplan_place_shape *shape = beam->shape;
  memplan_arena_free(&beam->run);
  memplan_arena_init(&beam->run);
  beam->rule = *rule;
  beam->salt = salt;
  beam->capacity = clamp_height(capacity);
  beam->ceiling = clamp_height(ceiling);
  beam->width = width;
  beam->few = (int32_t)((int64_t)width * rule->few / 1024);
  beam->n_steps = 0;
  beam->depth = 0;
  beam->n_now = 0;
  beam->saves = false;
  for (beam->seen_size = 64; beam->seen_size < seen_of_width * width; beam->seen_size *= 2) {
  }
  beam->best = (memplan_best_ranks){.heap = MEMPLAN_NEW_RAW(&beam->run, int64_t, width), .most = width};
  beam->seen = MEMPLAN_NEW_RAW(&beam->run, uint64_t, beam->seen_size);
  if (beam->best.heap == NULL || beam->seen == NULL ||
      !memplan_beam_states_make(&beam->now, width, &beam->sizes, &beam->run) ||
      !memplan_beam_states_make(&beam->next, width, &beam->sizes, &beam->run)) {
    return false;
  }
  for (int32_t item = 0; item < shape->n_items; item++) {
    if (shape->size[item] > beam->capacity) {
      return true; // dead
    }
  }
  for (int32_t section = 0; section < shape->n_sections; section++) {
    beam->now.level[section] = 0;
    beam->now.slack[section] = beam->capacity - beam->load[section];
    if (beam->now.slack[section] < 0) {
      return true;
    }
  }
  set_weights(beam);
  memset(beam->now.placed, 0, (size_t)beam->sizes.item_words * sizeof *beam->now.placed);
  memset(beam->now.closed, 0, (size_t)beam->sizes.section_words * sizeof *beam->now.closed);
  int32_t n_open = 0;
  for (int32_t item = 0; item < shape->n_items; item++) {
    if (shape->first[item] >= shape->end[item]) { // meets nothing: lies at the bottom
      beam->now.placed[item / 64] |= UINT64_C(1) << item % 64;
      continue;
    }
    beam->now.least[item] = 0;
    beam->now.sorted[n_open++] = (uint16_t)item;
  }
  beam->now.lost[0] = beam->now.worth[0] = 0;
  beam->now.key[0] = 0;
  beam->now.last[0] = -1;
  beam->n_now = 1;
  return true;
}

// ---- the state at hand

MEMPLAN_CLONES
static int32_t lowest(const int32_t *level, int32_t n) {
  int32_t least = MEMPLAN_SHAPE_LIMIT;
  for (int32_t s = 0; s < n; s++) {
    least = level[s] < least ? level[s] : least;
  }
  return least;
}

static void load_state(memplan_place_beam *beam, const memplan_beam_states *from, int32_t index) {
  size_t m = (size_t)beam->shape->n_sections;
  const uint64_t *closed = &from->closed[(size_t)index * (size_t)beam->sizes.section_words];
  memcpy(beam->level, &from->level[(size_t)index * m], m * sizeof *beam->level);
  memcpy(beam->slack, &from->slack[(size_t)index * m], m * sizeof *beam->slack);
  for (int32_t s = 0; s < beam->shape->n_sections; s++) {
    beam->closed[s] = (unsigned char)(closed[s / 64] >> s % 64 & 1);
  }
  beam->lost = from->lost[index];
  size_t n = (size_t)beam->shape->n_items;
  memplan_outlook_load(&beam->ahead, beam->n_placeable - beam->depth, &from->sorted[(size_t)index * n],
                       &from->least[(size_t)index * n]);
}

static void list_open(memplan_place_beam *beam, const uint64_t *placed) {
  beam->n_open = 0;
  for (int32_t item = 0; item < beam->shape->n_items; item++) {
    if ((placed[item / 64] >> item % 64 & 1) == 0) {
      beam->open[beam->n_open++] = item;
    }
  }
}

static valley find_valley(const memplan_place_beam *beam) {
  int32_t m = beam->shape->n_sections;
  valley found = {.level = lowest(beam->level, m), .left = MEMPLAN_SHAPE_LIMIT, .right = MEMPLAN_SHAPE_LIMIT};
  while (beam->level[found.begin] != found.level) {
    found.begin++;
  }
  for (found.end = found.begin; found.end < m && beam->level[found.end] == found.level; found.end++) {
  }
  if (found.begin > 0) {
    found.left = beam->level[found.begin - 1];
  }
  if (found.end < m) {
    found.right = beam->level[found.end];
  }
  return found;
}

// Raises a stretch of one level, whose room is lost. False, and nothing done, if a section has not so much to lose.
static bool close_up(memplan_place_beam *beam, int32_t from, int32_t to, int32_t by) {
  for (int32_t s = from; s < to; s++) {
    if (beam->slack[s] < by) {
      return false;
    }
  }
  for (int32_t s = from; s < to; s++) {
    beam->slack[s] -= by;
    beam->level[s] += by;
    beam->lost += (int64_t)by * beam->weight[s];
  }
  return true;
}

static bool close_valley(memplan_place_beam *beam, const valley *at) {
  int32_t to = at->left < at->right ? at->left : at->right;
  if (to == MEMPLAN_SHAPE_LIMIT || !close_up(beam, at->begin, at->end, to - at->level)) {
    return false;
  }
  memset(&beam->closed[at->begin], 1, (size_t)(at->end - at->begin));
  memplan_outlook_raise(&beam->ahead, at->begin, at->end, to);
  return true;
}

// How far the part of the valley left of the item rises.
static int32_t gap_beside(const memplan_place_beam *beam, const valley *at, int32_t item) {
  int32_t size = beam->shape->size[item];
  return at->left - at->level < size ? at->left - at->level : size;
}

MEMPLAN_CLONES
static uint32_t hash_levels(int32_t n, const int32_t *level, const uint32_t *factor) {
  uint32_t sum = 0;
  for (int32_t s = 0; s < n; s++) {
    sum += (uint32_t)level[s] * factor[s];
  }
  return sum;
}

// ---- candidates

// Keys that came before are the same state on another way.
static bool is_new(memplan_place_beam *beam, uint64_t key) {
  if (2 * beam->n_seen > beam->seen_size) {
    return true;
  }
  uint64_t mask = (uint64_t)beam->seen_size - 1, at = (key ^ key >> 32) & mask;
  for (; beam->seen[at] != 0; at = (at + 1) & mask) {
    if (beam->seen[at] == key) {
      return false;
    }
  }
  beam->seen[at] = key;
  beam->n_seen++;
  return true;
}

// Logarithm of what is placed once the item is.
static int64_t find_worth(const memplan_place_beam *beam, int32_t parent, int32_t item) {
  return memplan_log2(beam->now.worth[parent] + beam->worth[item]);
}

// Adds a state to the candidates that has the item placed, if it is among the best so far. The room lost may be larger
// than what the rank's logarithm is taken of by the error of memplan_exp2, and the candidate then be left out later.
static bool add_candidate(memplan_place_beam *beam, const valley *at, const candidate *chosen) {
  const memplan_place_shape *shape = beam->shape;
  int64_t worth = find_worth(beam, chosen->parent, chosen->item);
  int64_t most = INT64_MAX, sure = beam->lost + beam->scaled_unit;
  if (!memplan_best_ranks_take(&beam->best, memplan_log2(sure) - worth)) {
    return true;
  }
  if (beam->best.n == beam->best.most) {
    most = memplan_exp2(beam->best.heap[0] + worth + rank_error) - sure;
  }
  memplan_outlook_step taken = {.item = chosen->item,
                                .begin = at->begin,
                                .gap_level = at->level + gap_beside(beam, at, chosen->item),
                                .top = at->level + shape->size[chosen->item]};
  int64_t ahead = memplan_outlook_after(&beam->ahead, &taken, most);
  if (ahead < 0) {
    return true;
  }
  candidate made = *chosen;
  made.key = beam->now.key[made.parent] + beam->item_key[made.item] +
             ((uint64_t)hash_levels(shape->n_sections, beam->level, beam->section_factor) << 32);
  made.rank = memplan_log2(sure + ahead) - worth;
  if (beam->rule.noise > 0) {
    uint64_t stream = made.key ^ beam->salt;
    made.rank += (int64_t)(memplan_splitmix(&stream) % (uint64_t)beam->rule.noise);
  }
  if (!memplan_best_ranks_take(&beam->best, made.rank) || !is_new(beam, made.key)) {
    return true;
  }
  candidate *candidates =
      memplan_grow_heap(beam->candidates, beam->n_candidates, &beam->candidate_capacity, sizeof *candidates);
  if (candidates == NULL) {
    return false;
  }
  beam->candidates = candidates;
  candidates[beam->n_candidates++] = made;
  memplan_best_ranks_add(&beam->best, made.rank);
  return true;
}

// Looks at the state after the item is placed in the valley, and leaves the state at hand as it was. False: memory is
// out.
static bool look(memplan_place_beam *beam, const valley *at, const candidate *chosen) {
  const memplan_place_shape *shape = beam->shape;
  int32_t item = chosen->item, first = shape->first[item], end = shape->end[item], by = gap_beside(beam, at, item);
  int64_t lost = beam->lost;
  if (first > at->begin && !close_up(beam, at->begin, first, by)) {
    return true;
  }
  for (int32_t s = first; s < end; s++) {
    beam->level[s] += shape->size[item];
  }
  bool ok = add_candidate(beam, at, chosen);
  for (int32_t s = first; s < end; s++) {
    beam->level[s] -= shape->size[item];
  }
  for (int32_t s = at->begin; s < first; s++) {
    beam->level[s] -= by;
    beam->slack[s] += by;
  }
  beam->lost = lost;
  return ok;
}

// ---- steps

static bool is_like_one_before(const memplan_place_beam *beam, int32_t item) {
  const memplan_place_shape *shape = beam->shape;
  for (int32_t k = beam->n_tried - 1; k >= 0 && shape->first[beam->tried[k]] == shape->first[item]; k--) {
    if (shape->end[beam->tried[k]] == shape->end[item] && shape->size[beam->tried[k]] == shape->size[item]) {
      return true;
    }
  }
  return false;
}

static bool is_held(const memplan_place_beam *beam, int32_t item) {
  for (int32_t s = beam->shape->first[item]; s < beam->shape->end[item]; s++) {
    if (!beam->closed[s]) {
      return true;
    }
  }
  return false;
}

static void find_least_sizes(memplan_place_beam *beam, const valley *at) {
  const memplan_place_shape *shape = beam->shape;
  for (int32_t s = at->begin; s <= at->end; s++) {
    beam->least_size[s] = MEMPLAN_SHAPE_LIMIT;
  }
  for (int32_t k = 0; k < beam->n_open && shape->first[beam->open[k]] < at->end; k++) {
    int32_t item = beam->open[k];
    if (shape->first[item] >= at->begin && shape->end[item] <= at->end) {
      int32_t *size = &beam->least_size[shape->end[item]];
      *size = shape->size[item] < *size ? shape->size[item] : *size;
    }
  }
  for (int32_t s = at->begin + 1; s <= at->end; s++) {
    beam->least_size[s] = beam->least_size[s - 1] < beam->least_size[s] ? beam->least_size[s - 1] : beam->least_size[s];
  }
}

// Adds what may follow a state to the candidates. False: memory is out.
static bool expand(memplan_place_beam *beam, int32_t parent) {
  const memplan_place_shape *shape = beam->shape;
  load_state(beam, &beam->now, parent);
  list_open(beam, &beam->now.placed[(size_t)parent * (size_t)beam->sizes.item_words]);
  for (int32_t closings = 0;; closings++) {
    valley at = find_valley(beam);
    if (!memplan_outlook_survey(&beam->ahead)) {
      return true;
    }
    int64_t sure = beam->lost + beam->ahead.lost + beam->scaled_unit;
    find_least_sizes(beam, &at);
    beam->n_tried = 0;
    for (int32_t k = 0; k < beam->n_open && shape->first[beam->open[k]] < at.end; k++) {
      int32_t item = beam->open[k];
      if (shape->first[item] < at.begin || shape->end[item] > at.end || is_like_one_before(beam, item)) {
        continue;
      }
      beam->tried[beam->n_tried++] = item;
      if (!is_held(beam, item) || beam->least_size[shape->first[item]] <= gap_beside(beam, &at, item)) {
        continue;
      }
      beam->states++;
      int64_t least_rank = memplan_log2(sure) - find_worth(beam, parent, item);
      if (!memplan_best_ranks_take(&beam->best, least_rank)) {
        continue;
      }
      candidate chosen = {.parent = parent, .item = item, .closings = closings};
      if (!look(beam, &at, &chosen)) {
        return false;
      }
    }
    int32_t to = at.left < at.right ? at.left : at.right;
    if (beam->least_size[at.end] <= to - at.level || !close_valley(beam, &at)) {
      return true;
    }
  }
}

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->rank != y->rank) {
    return x->rank < y->rank ? -1 : 1;
  }
  if (x->key != y->key) {
    return x->key < y->key ? -1 : 1;
  }
  if (x->parent != y->parent) {
    return x->parent < y->parent ? -1 : 1;
  }
  return x->closings != y->closings ? (x->closings < y->closings ? -1 : 1) : (x->item > y->item) - (x->item < y->item);
}

// Writes the state down that a candidate stands for.
static bool keep(memplan_place_beam *beam, const candidate *chosen, int32_t index) {
  const memplan_place_shape *shape = beam->shape;
  size_t m = (size_t)shape->n_sections, words = (size_t)beam->sizes.item_words, parent = (size_t)chosen->parent;
  memplan_beam_states *next = &beam->next;
  int32_t item = chosen->item;
  load_state(beam, &beam->now, chosen->parent);
  valley at = find_valley(beam);
  for (int32_t k = 0; k < chosen->closings; k++) {
    close_valley(beam, &at);
    at = find_valley(beam);
  }
  int32_t first = shape->first[item], by = gap_beside(beam, &at, item);
  if (first > at.begin) {
    close_up(beam, at.begin, first, by);
    memset(&beam->closed[at.begin], 1, (size_t)(first - at.begin));
    memplan_outlook_raise(&beam->ahead, at.begin, first, at.level + by);
  }
  for (int32_t s = first; s < shape->end[item]; s++) {
    beam->level[s] += shape->size[item];
    beam->closed[s] = 0;
  }
  memplan_outlook_raise(&beam->ahead, first, shape->end[item], at.level + shape->size[item]);
  size_t n = (size_t)shape->n_items;
  memplan_outlook_store(&beam->ahead, item, &next->sorted[(size_t)index * n], &next->least[(size_t)index * n]);
  memcpy(&next->level[(size_t)index * m], beam->level, m * sizeof *beam->level);
  memcpy(&next->slack[(size_t)index * m], beam->slack, m * sizeof *beam->slack);
  uint64_t *closed = &next->closed[(size_t)index * (size_t)beam->sizes.section_words];
  memset(closed, 0, (size_t)beam->sizes.section_words * sizeof *closed);
  for (int32_t s = 0; s < shape->n_sections; s++) {
    closed[s / 64] |= (uint64_t)beam->closed[s] << s % 64;
  }
  uint64_t *placed = &next->placed[(size_t)index * words];
  memcpy(placed, &beam->now.placed[parent * words], words * sizeof *placed);
  placed[item / 64] |= UINT64_C(1) << item % 64;
  next->lost[index] = beam->lost;
  next->worth[index] = beam->now.worth[parent] + beam->worth[item];
  next->key[index] = beam->now.key[parent] + beam->item_key[item];
  step *steps = memplan_grow_heap(beam->steps, beam->n_steps, &beam->step_capacity, sizeof *steps);
  if (steps == NULL) {
    return false;
  }
  beam->steps = steps;
  next->last[index] = (int32_t)beam->n_steps;
  steps[beam->n_steps++] = (step){beam->now.last[parent], item, at.level};
  return true;
}

// Gives all sections of all states more room.
static void raise_capacity(memplan_place_beam *beam) {
  int32_t by = 1 + (beam->ceiling - beam->capacity) / ceiling_steps;
  size_t n = (size_t)beam->n_now * (size_t)beam->shape->n_sections;
  beam->capacity += by;
  for (size_t k = 0; k < n; k++) {
    beam->now.slack[k] += by;
  }
}

// Expands all states, and keeps the best of what follows; if that is too little, the states stay, with more room.
// False: memory is out.
static bool advance(memplan_place_beam *beam) {
  beam->n_candidates = 0;
  beam->best.n = 0;
  beam->n_seen = 0;
  memset(beam->seen, 0, (size_t)beam->seen_size * sizeof *beam->seen);
  for (int32_t k = 0; k < beam->n_now; k++) {
    if (!expand(beam, k)) {
      return false;
    }
  }
  if (beam->n_candidates > 1) {
    qsort(beam->candidates, (size_t)beam->n_candidates, sizeof *beam->candidates, compare_candidates);
  }
  int32_t kept = 0;
  for (int64_t k = 0; k < beam->n_candidates && kept < beam->width; k++) {
    const candidate *here = &beam->candidates[k];
    if (k > 0 && here[-1].rank == here->rank && here[-1].key == here->key) {
      continue; // the same state on another way
    }
    if (!keep(beam, here, kept)) {
      return false;
    }
    kept++;
  }
  if (kept <= beam->few && beam->capacity < beam->ceiling) {
    beam->n_steps -= kept;
    raise_capacity(beam);
    return true;
  }
  memplan_beam_states swapped = beam->now;
  beam->now = beam->next;
  beam->next = swapped;
  beam->n_now = kept;
  beam->depth++;
  return true;
}

// ---- going back

static int32_t save_spacing(const memplan_place_beam *beam) { return beam->n_placeable / save_parts + 1; }

bool memplan_place_beam_save(memplan_place_beam *beam) {
  for (int32_t k = 0; k < n_saved; k++) {
    beam->saved[k].depth = -1;
    if (!memplan_beam_states_make(&beam->saved[k].states, beam->width, &beam->sizes, &beam->run)) {
      return false;
    }
  }
  beam->saves = true;
  beam->farthest = 0;
  beam->back = -1;
  return true;
}

// In place of the states that are farthest back, but for those that the search goes back to. All that is kept lies on
// the way of the search.
static void save(memplan_place_beam *beam) {
  if (!beam->saves || beam->depth % save_spacing(beam) != 0) {
    return;
  }
  int32_t chosen = -1;
  for (int32_t k = 0; k < n_saved; k++) {
    if (beam->saved[k].depth == beam->depth) {
      return;
    }
    if (k != beam->back && (chosen < 0 || beam->saved[k].depth < beam->saved[chosen].depth)) {
      chosen = k;
    }
  }
  saved_states *entry = &beam->saved[chosen];
  memplan_beam_states_copy(&entry->states, &beam->now, beam->n_now, &beam->sizes);
  entry->n = beam->n_now;
  entry->depth = beam->depth;
  entry->n_steps = beam->n_steps;
}

// What the states have lost and placed, as the rule weighs it.
static void weigh(memplan_place_beam *beam) {
  const memplan_place_shape *shape = beam->shape;
  size_t m = (size_t)shape->n_sections;
  for (int32_t k = 0; k < beam->n_now; k++) {
    const int32_t *slack = &beam->now.slack[(size_t)k * m];
    const uint64_t *placed = &beam->now.placed[(size_t)k * (size_t)beam->sizes.item_words];
    int64_t lost = 0, worth = 0;
    for (int32_t s = 0; s < shape->n_sections; s++) {
      lost += (int64_t)(beam->capacity - beam->load[s] - slack[s]) * beam->weight[s];
    }
    for (int32_t item = 0; item < shape->n_items; item++) {
      bool counts = shape->first[item] < shape->end[item] && (placed[item / 64] >> item % 64 & 1) != 0;
      worth += counts ? beam->worth[item] : 0;
    }
    beam->now.lost[k] = lost;
    beam->now.worth[k] = worth;
  }
}

// The last states saved that are far enough behind the end, -1: none.
static int32_t find_saved(const memplan_place_beam *beam) {
  int32_t best = -1, last = beam->depth - back_parts * save_spacing(beam);
  for (int32_t k = 0; k < n_saved; k++) {
    const saved_states *entry = &beam->saved[k];
    if (entry->depth >= 0 && entry->depth <= last && (best < 0 || entry->depth > beam->saved[best].depth)) {
      best = k;
    }
  }
  return best;
}

bool memplan_place_beam_again(memplan_place_beam *beam, const memplan_beam_rule *rule) {
  if (beam->saves && beam->depth > beam->farthest) {
    int32_t found = find_saved(beam);
    beam->farthest = beam->depth;
    beam->back = found >= 0 ? found : beam->back;
  }
  if (!beam->saves || beam->back < 0) {
    return false;
  }
  const saved_states *from = &beam->saved[beam->back];
  for (int32_t k = 0; k < n_saved; k++) { // what is ahead lies on the way that has ended
    beam->saved[k].depth = beam->saved[k].depth > from->depth ? -1 : beam->saved[k].depth;
  }
  memplan_beam_states_copy(&beam->now, &from->states, from->n, &beam->sizes);
  beam->n_now = from->n;
  beam->depth = from->depth;
  beam->n_steps = from->n_steps;
  beam->rule = *rule;
  set_weights(beam);
  weigh(beam);
  return true;
}

int32_t memplan_place_beam_depth(const memplan_place_beam *beam) { return beam->depth; }

int32_t memplan_place_beam_items(const memplan_place_beam *beam) { return beam->n_placeable; }

// ---- the run

memplan_beam_outcome memplan_place_beam_run(memplan_place_beam *beam, int64_t budget, int64_t *offset) {
  const memplan_place_shape *shape = beam->shape;
  int64_t end = beam->states + budget;
  while (beam->n_now > 0 && beam->depth < beam->n_placeable) {
    if (beam->states >= end) {
      return MEMPLAN_BEAM_SPENT;
    }
    save(beam);
    if (!advance(beam)) {
      return MEMPLAN_BEAM_NOMEM;
    }
  }
  if (beam->n_now == 0) {
    beam->states++; // so that no number of runs is free of work
    return MEMPLAN_BEAM_DEAD;
  }
  for (int32_t item = 0; item < shape->n_items; item++) {
    offset[shape->item[item]] = 0;
  }
  for (int32_t at = beam->now.last[0]; at >= 0; at = beam->steps[at].before) {
    offset[shape->item[beam->steps[at].item]] = beam->steps[at].offset;
  }
  return MEMPLAN_BEAM_FOUND;
}

bool memplan_place_beam_lower(memplan_place_beam *beam, int64_t ceiling) {
  if (clamp_height(ceiling) < beam->ceiling) {
    beam->ceiling = clamp_height(ceiling);
  }
  return beam->capacity <= beam->ceiling;
}

int64_t memplan_place_beam_states(const memplan_place_beam *beam) { return beam->states; }
