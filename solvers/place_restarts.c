// SPDX-License-Identifier: Apache-2.0
// Heavy-tailed searches are cut off and started again elsewhere: budgets follow Luby's sequence (Luby, Sinclair,
// Zuckerman 1993). Rankings: fixed ones first, by tightness T (the fullest section of an item), duration W, area A,
// sections C, size times sections K; then those of the skyline's key family; then noise around the ranking behind the
// last improvement. Most workers aim at the bound, where a packing is a proof; the others at heights between it and the
// best packing, so that this one becomes better meanwhile.
//
// Nogoods stay with their worker: they hold for the height they were learned at and for smaller ones, and workers at
// the bound never raise theirs. Sharing them was measured and is not worth it: at the end of each epoch up to 64 new
// ones of each worker, of at most 16 or 64 literals, went to all others; restarts alone, up to 30 thousand nodes a
// seed. MiniMalloc's E, I and A from five seeds: 40,485, 10,170 and 6,860 nodes until the load was met, without and
// with either. Of the first eight of data/tight from two seeds one is decided, after 47,801 nodes without, 47,805 and
// 47,813 with them. What one ranking learns lies where the others do not come.
#include "solvers/place_restarts.h"

#include "heuristics/ranking.h"
#include "model/base/number.h"
#include "model/base/rng.h"
#include "solvers/place_search.h"
#include "solvers/techniques.h"

#include <stdlib.h>
#include <string.h>

enum {
  n_workers = 8,
  n_fixed = 8,     // rankings
  first_width = 2, // workers of an epoch while fixed rankings are left
  restart_nodes = 1500,
  store_nogoods = 4096,
  longest_nogood = 128,
  bytes_of_literal = 8,
  memory_part = 4 // for the stores of all workers
};

// The first ones end most searches that can end at the bound: tight sections first, and then what crosses most of them.
typedef struct fixed_ranking {
  const char *letters;
  int32_t coarseness; // of the search's order
  int64_t nodes;
} fixed_ranking;

static const fixed_ranking fixed_rankings[n_fixed] = {{"CW", 2, 1200}, {"TA", 3, 1200},  {"T", 1, 3000},
                                                      {"CA", 5, 3000}, {"WA", 2, 2000},  {"TWA", -1, 2000},
                                                      {"KT", 4, 2000}, {"TKA", -1, 2000}};

typedef struct worker {
  memplan_place_search *search;
  memplan_rng rng;
  int32_t *keys;
  int32_t *rank;
  int64_t *offset;
  uint64_t *scratch;
  int32_t *order;
  // task and result of the epoch
  const int32_t *fixed; // ranking to use, or NULL: drawn from the keys
  int32_t coarseness;
  int64_t capacity, budget;
  memplan_search_outcome outcome;
} worker;

struct memplan_restarts {
  memplan_arena arena;
  const memplan_place_problem *problem;
  const memplan_limits *limits;
  memplan_place_shape shape;
  memplan_key_family family;
  int32_t *fixed[n_fixed]; // ranks by item
  int32_t *elite;          // keys behind the best packing
  bool has_elite;
  uint64_t without; // techniques
  int64_t epoch;
  int32_t n_tasks; // of the epoch
  int64_t lower, upper;
  worker workers[n_workers];
};

// ---- rankings

typedef struct ranked_item {
  int64_t key[3];
  int32_t item;
} ranked_item;

static int compare_ranked(const void *a, const void *b) {
  const ranked_item *x = a, *y = b;
  for (int k = 0; k < 3; k++) {
    if (x->key[k] != y->key[k]) {
      return x->key[k] > y->key[k] ? -1 : 1;
    }
  }
  return (x->item > y->item) - (x->item < y->item);
}

typedef struct features {
  int64_t *tightness, *duration, *area, *sections, *volume;
} features;

static int64_t feature_of(const features *all, char letter, int32_t item) {
  switch (letter) {
  case 'T':
    return all->tightness[item];
  case 'W':
    return all->duration[item];
  case 'A':
    return all->area[item];
  case 'C':
    return all->sections[item];
  default:
    return all->volume[item];
  }
}

static int64_t multiply_saturated(int64_t a, int64_t b) { return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b; }

static bool find_features(memplan_restarts *restarts, const memplan_instance *instance, features *all) {
  const memplan_place_problem *problem = restarts->problem;
  int32_t n = problem->n_items;
  int64_t **arrays[] = {&all->tightness, &all->duration, &all->area, &all->sections, &all->volume};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
    *arrays[k] = MEMPLAN_NEW(&restarts->arena, int64_t, n);
    if (*arrays[k] == NULL) {
      return false;
    }
  }
  for (int32_t section = 0; section < problem->n_sections; section++) {
    int64_t total = 0;
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      total += problem->members[k].high - problem->members[k].low;
    }
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      int64_t *tightness = &all->tightness[problem->members[k].item];
      *tightness = total > *tightness ? total : *tightness;
    }
  }
  for (int32_t item = 0; item < n; item++) {
    const memplan_block *block = &instance->blocks[problem->block[item]];
    // times of a file may be as far apart as 2^64; only their order counts here
    uint64_t time =
        block->n_parts > 0 ? (uint64_t)instance->times[block->end] - (uint64_t)instance->times[block->start] : 1;
    all->duration[item] = time < INT64_MAX ? (int64_t)time : INT64_MAX;
    all->sections[item] = problem->first_section[item + 1] - problem->first_section[item];
    all->area[item] = multiply_saturated(problem->size[item], all->duration[item]);
    all->volume[item] = multiply_saturated(problem->size[item], all->sections[item]);
  }
  return true;
}

static bool make_rankings(memplan_restarts *restarts, const memplan_instance *instance) {
  int32_t n = restarts->problem->n_items;
  features all;
  ranked_item *items = MEMPLAN_NEW(&restarts->arena, ranked_item, n);
  if (items == NULL || !find_features(restarts, instance, &all)) {
    return false;
  }
  for (int32_t f = 0; f < n_fixed; f++) {
    restarts->fixed[f] = MEMPLAN_NEW(&restarts->arena, int32_t, n);
    if (restarts->fixed[f] == NULL) {
      return false;
    }
    for (int32_t item = 0; item < n; item++) {
      const char *letters = fixed_rankings[f].letters;
      items[item] = (ranked_item){.item = item};
      for (int32_t k = 0; k < 3 && letters[k] != '\0'; k++) {
        items[item].key[k] = feature_of(&all, letters[k], item);
      }
    }
    if (n > 1) {
      qsort(items, (size_t)n, sizeof *items, compare_ranked);
    }
    for (int32_t r = 0; r < n; r++) {
      restarts->fixed[f][items[r].item] = r;
    }
  }
  memplan_key_family *family = &restarts->family;
  *family = (memplan_key_family){.n = n,
                                 .duration = MEMPLAN_NEW(&restarts->arena, int32_t, n),
                                 .sections = MEMPLAN_NEW(&restarts->arena, int32_t, n),
                                 .size = MEMPLAN_NEW(&restarts->arena, int32_t, n),
                                 .tightness = MEMPLAN_NEW(&restarts->arena, int32_t, n)};
  restarts->elite = MEMPLAN_NEW(&restarts->arena, int32_t, n);
  if (family->duration == NULL || family->sections == NULL || family->size == NULL || family->tightness == NULL ||
      restarts->elite == NULL) {
    return false;
  }
  int64_t largest = 1;
  for (int32_t item = 0; item < n; item++) {
    largest = all.tightness[item] > largest ? all.tightness[item] : largest;
  }
  for (int32_t item = 0; item < n; item++) {
    family->duration[item] = memplan_log2(all.duration[item] > 0 ? all.duration[item] : 1);
    family->sections[item] = memplan_log2(all.sections[item] > 0 ? all.sections[item] : 1);
    family->size[item] = memplan_log2(restarts->problem->size[item]);
    family->tightness[item] = memplan_log2(all.tightness[item] > 0 ? all.tightness[item] : 1) - memplan_log2(largest);
  }
  return true;
}

// Powers that fit the fixed rankings too: duration, sections or both first, little of the size, tightness from nothing
// to all that counts. Tightness gets no noise when it leads: its near ties are what is worth keeping.
static void draw_keys(memplan_restarts *restarts, worker *own) {
  memplan_rng *rng = &own->rng;
  if (restarts->has_elite && (restarts->without & MEMPLAN_TECHNIQUE_ELITE) == 0 && memplan_rng_below(rng, 10) < 5) {
    memplan_key_rule rule = {.noise = (int32_t)memplan_rng_between(rng, 2048, MEMPLAN_KEY_UNIT)};
    memplan_key_fill(&restarts->family, &rule, restarts->elite, memplan_rng_next(rng), own->keys);
    return;
  }
  memplan_key_rule rule = {.size = (int32_t)memplan_rng_between(rng, 0, MEMPLAN_KEY_POWER / 2)};
  rule.noise = (int32_t)memplan_rng_between(rng, 0, MEMPLAN_KEY_UNIT / 2);
  int64_t width = memplan_rng_below(rng, 3);
  rule.duration = width == 0 ? MEMPLAN_KEY_POWER : width == 1 ? 0 : MEMPLAN_KEY_POWER / 2;
  rule.sections = MEMPLAN_KEY_POWER - rule.duration;
  static const int32_t powers[] = {0, 2, 8, 32};
  rule.tightness = MEMPLAN_KEY_POWER * powers[memplan_rng_below(rng, 4)];
  if (memplan_rng_below(rng, 4) == 0) { // size times sections
    rule.size = MEMPLAN_KEY_POWER;
  }
  memplan_key_fill(&restarts->family, &rule, NULL, memplan_rng_next(rng), own->keys);
}

static void run_worker(void *search, int32_t index) {
  memplan_restarts *restarts = search;
  worker *own = &restarts->workers[index];
  const int32_t *rank = own->fixed;
  if (rank == NULL) {
    draw_keys(restarts, own);
    memplan_key_sort(own->keys, restarts->family.n, false, own->scratch, own->order);
    for (int32_t r = 0; r < restarts->family.n; r++) {
      own->rank[own->order[r]] = r;
    }
    rank = own->rank;
    own->coarseness = (int32_t)memplan_rng_below(&own->rng, 7) - 1;
  }
  bool ties = (restarts->without & MEMPLAN_TECHNIQUE_TIGHTEST) == 0;
  memplan_search_order order = {rank, ties ? own->coarseness : -1};
  own->outcome = memplan_place_search_run(own->search, own->capacity, order, own->budget, own->offset);
}

// ---- epochs

// 1, 1, 2, 1, 1, 2, 4, …; index from 1.
static int64_t luby(int64_t index) {
  for (;;) {
    int32_t bits = 0;
    while (((INT64_C(1) << bits) - 1) < index) {
      bits++;
    }
    if ((INT64_C(1) << bits) - 1 == index) {
      return INT64_C(1) << (bits - 1);
    }
    index -= (INT64_C(1) << (bits - 1)) - 1;
  }
}

// Workers are made when they are first needed: easy problems end before most of them are.
static bool make_worker(memplan_restarts *restarts, int32_t index) {
  int64_t room = memplan_limits_memory(restarts->limits) / memory_part / n_workers / longest_nogood / bytes_of_literal;
  memplan_search_options options = {room < store_nogoods ? (int32_t)room : store_nogoods, longest_nogood,
                                    memplan_techniques_search_rules(restarts->without)};
  worker *own = &restarts->workers[index];
  int32_t n = restarts->problem->n_items;
  own->search = memplan_place_search_new(&restarts->shape, &options, &restarts->arena);
  own->keys = MEMPLAN_NEW(&restarts->arena, int32_t, n);
  own->rank = MEMPLAN_NEW(&restarts->arena, int32_t, n);
  own->order = MEMPLAN_NEW(&restarts->arena, int32_t, n);
  own->offset = MEMPLAN_NEW(&restarts->arena, int64_t, n);
  own->scratch = MEMPLAN_NEW(&restarts->arena, uint64_t, 2 * (int64_t)n);
  memplan_rng_start(&own->rng, restarts->limits->seed, (uint64_t)index);
  return own->search != NULL && own->keys != NULL && own->rank != NULL && own->order != NULL && own->offset != NULL &&
         own->scratch != NULL;
}

void memplan_restarts_switch_off(memplan_restarts *restarts, uint64_t techniques) { restarts->without = techniques; }

// The tasks of an epoch; returns how many workers take part.
static int32_t set_tasks(memplan_restarts *restarts, int64_t aim, int64_t upper) {
  int64_t epoch = restarts->epoch++;
  if (epoch * first_width < n_fixed) {
    for (int32_t w = 0; w < first_width; w++) {
      worker *own = &restarts->workers[w];
      const fixed_ranking *ranking = &fixed_rankings[epoch * first_width + w];
      int64_t least = 2 * (int64_t)restarts->problem->n_items;
      own->fixed = restarts->fixed[epoch * first_width + w];
      own->coarseness = ranking->coarseness;
      own->capacity = aim;
      own->budget = ranking->nodes > least ? ranking->nodes : least;
    }
    return first_width;
  }
  int64_t round = epoch - n_fixed / first_width;
  bool doubled = (restarts->without & MEMPLAN_TECHNIQUE_RESTARTS) != 0;
  int64_t budget = restart_nodes * (doubled ? INT64_C(1) << (round < 10 ? round : 10) : luby(round + 1));
  for (int32_t w = 0; w < n_workers; w++) {
    worker *own = &restarts->workers[w];
    own->fixed = NULL;
    own->budget = budget;
    own->capacity = aim;
    if (w % 4 == 3) { // a part of the way down from the best packing
      int64_t way = upper - 1 - aim;
      own->capacity = upper - 1 - (way >> (1 + (epoch + w / 4) % 5));
    }
  }
  return n_workers;
}

memplan_status memplan_restarts_begin(memplan_restarts *restarts, int64_t lower, int64_t aim, int64_t upper,
                                      memplan_epoch_part *part, memplan_error *error) {
  restarts->n_tasks = set_tasks(restarts, aim, upper);
  restarts->lower = lower;
  restarts->upper = upper;
  for (int32_t w = 0; w < restarts->n_tasks; w++) {
    if (restarts->workers[w].search == NULL && !make_worker(restarts, w)) {
      return memplan_fail_nomem(error);
    }
  }
  *part = (memplan_epoch_part){restarts, restarts->n_tasks, run_worker};
  return MEMPLAN_OK;
}

void memplan_restarts_end(memplan_restarts *restarts, memplan_restarts_news *news) {
  int32_t n = restarts->problem->n_items;
  const worker *workers = restarts->workers;
  *news = (memplan_restarts_news){.offset = NULL, .height = restarts->upper, .lower = restarts->lower};
  for (int32_t w = 0; w < restarts->n_tasks; w++) {
    if (workers[w].outcome == MEMPLAN_SEARCH_REFUTED) {
      news->lower = workers[w].capacity + 1 > news->lower ? workers[w].capacity + 1 : news->lower;
    } else if (workers[w].outcome == MEMPLAN_SEARCH_FOUND) {
      int64_t height = 0;
      for (int32_t item = 0; item < n; item++) {
        int64_t end = workers[w].offset[item] + restarts->problem->size[item];
        height = end > height ? end : height;
      }
      if (height < news->height) {
        news->height = height;
        news->offset = workers[w].offset;
        if (workers[w].fixed == NULL) {
          memcpy(restarts->elite, workers[w].keys, (size_t)n * sizeof *restarts->elite);
          restarts->has_elite = true;
        }
      }
    }
  }
}

int64_t memplan_restarts_nodes(const memplan_restarts *restarts) {
  int64_t nodes = 0;
  for (int32_t w = 0; w < n_workers; w++) {
    nodes += restarts->workers[w].search != NULL ? memplan_place_search_nodes(restarts->workers[w].search) : 0;
  }
  return nodes;
}

const memplan_place_shape *memplan_restarts_shape(const memplan_restarts *restarts) { return &restarts->shape; }

// ---- set-up

memplan_status memplan_restarts_new(const memplan_instance *instance, const memplan_place_problem *problem,
                                    const memplan_limits *limits, memplan_restarts **restarts, memplan_error *error) {
  *restarts = NULL;
  memplan_restarts *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->problem = problem;
  made->limits = limits;
  memplan_status status = memplan_place_shape_build(problem, &made->arena, &made->shape, NULL);
  if (status == MEMPLAN_UNSUPPORTED) {
    memplan_restarts_free(made);
    return MEMPLAN_OK;
  }
  bool ok = status == MEMPLAN_OK && make_rankings(made, instance);
  if (!ok) {
    memplan_restarts_free(made);
    return memplan_fail_nomem(error);
  }
  *restarts = made;
  return MEMPLAN_OK;
}

void memplan_restarts_free(memplan_restarts *restarts) {
  if (restarts != NULL) {
    memplan_arena_free(&restarts->arena);
    free(restarts);
  }
}
