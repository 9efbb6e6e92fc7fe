// SPDX-License-Identifier: Apache-2.0
// Rankings are tried in epochs of sixteen draws. A draw knows the input, the seed, its number and the incumbent of the
// epochs before, never a thread: threads only share them out, and their results are merged by (peak, number). A
// placement is given up as soon as it cannot beat that incumbent.
//
// The first draws are fixed rankings, the very first alone. Then of each sixteen about a third follow the durations
// with a little noise (near ties of long lifetimes are what large training steps turn on), a third keep close to the
// incumbent's ranking, and a third are drawn from the whole family. Of tens of thousands of blocks two thirds follow
// the durations, all of them with little noise.
//
// Where the load comes near its largest value in a few zones of a long instance only, no ranking packs all of them
// well. There the incumbent is repaired zone by zone (zones.h), each by a search of its own, and what that search finds
// by the zones within the zone.
//
// Three ways to place a ranking: plain blocks on bare arrays (valleys.h), blocks with profiles and alignments
// (skyline.h), and with the packing (lowest_first.h) where pins, reserved ranges or separations lie in the way.
#include "heuristics/skyline_search.h"

#include "heuristics/crew.h"
#include "heuristics/lowest_first.h"
#include "heuristics/placing.h"
#include "heuristics/ranking.h"
#include "heuristics/skyline.h"
#include "heuristics/valleys.h"
#include "heuristics/zones.h"
#include "model/base/rng.h"

#include <stdatomic.h>
#include <string.h>

enum {
  DRAWS = 16,
  DRAWN_FROM = 2,      // epoch; the rankings before are fixed
  MOST_QUESTIONS = 64, // of the packing, for each block
  MOST_WORK = 3,       // for each block, in the first layout of the spans
  RANKING_WORK = 8,    // what a ranking costs besides
  ALONE_WORK = 131072, // as many steps, some twenty milliseconds, are done by one thread
  LEAST_FOR_ZONES = 512,
  FIRST_RANKINGS = 32, // of each zone
  MOST_ROUNDS = 25,
  MOST_DOUBLINGS = 6,        // of that
  LEAST_ZONE_WORK = 1 << 17, // of its rankings: a zone of few blocks gets more of them
  MOST_ZONE_WORK = 1 << 18,
  MOST_LEVELS = 2,           // of zones within zones
  FOR_INNER_ZONES = 1 << 19, // work
  TIES = 4096,
  MANY = 65536,
  SOME = 8192,
  FOR_ZONES = 16,        // part of the work
  OF_SOME_FOR_ZONES = 4, // of more blocks than that
  OF_MANY_FOR_ZONES = 2, // of many blocks, for which rankings of all are too slow
  AFTER_ZONES = 8        // part of the work after which none of those is tried if there were zones
};

typedef enum engine { ENGINE_VALLEYS = 0, ENGINE_PROFILES, ENGINE_PACKING } engine;

// Scratch memory of one thread, and the best of the draws that it made in this epoch.
typedef struct member {
  struct search *search;
  memplan_arena arena;
  memplan_status status;
  memplan_error error;
  memplan_valleys *valleys;
  memplan_skyline *skyline;
  int32_t *order;
  uint64_t *scratch;
  int32_t *ranked;               // blocks by rank
  int64_t *by_block;             // offsets
  int32_t *pool;                 // by block
  int32_t *keys, *best_keys;     // by item
  int64_t *offset, *best_offset; // by item
  memplan_key_rule rule, best_rule;
  int32_t draw, best_draw; // best_draw -1: none
  int64_t best_peak;
  int32_t failed; // a block that fits nowhere, or -1
} member;

typedef struct search {
  const memplan_instance *instance;
  const memplan_limits *limits;
  engine kind;
  memplan_span_layout layout;
  bool excessive;          // the layout of the spans does not suit the instance
  bool sure;               // the first ranking is finished whatever the limits
  memplan_terrain terrain; // its sections are made for all engines
  memplan_key_family family;
  const int32_t *todo;
  int64_t goal; // peaks that are no larger count as equal to it
  member *members;
  int32_t n_members; // equipped so far
  bool crew_called;
  // the epoch
  int64_t epoch;
  int32_t n_draws;
  _Atomic int32_t next;   // draw to be taken
  _Atomic int32_t winner; // first draw that met the goal; n_draws: none yet
  _Atomic int32_t stop;   // memplan_stop
  int64_t cost[DRAWS];    // work of each draw
  // incumbent
  int64_t peak; // INT64_MAX: none
  int64_t *offset;
  int32_t *keys;
  memplan_key_rule rule;
  int64_t work, rankings;
  int32_t failed;
} search;

// ---- drawing rankings

enum { POWER = MEMPLAN_KEY_POWER, UNIT = MEMPLAN_KEY_UNIT };

static const memplan_key_rule fixed_rules[DRAWS] = {
    {.sections = POWER, .size = 1},
    {.sections = POWER, .size = POWER / 4},
    {.sections = POWER, .size = POWER / 2},
    {.sections = POWER, .size = POWER},
    {.sections = POWER, .size = 2 * POWER},
    {.size = POWER, .sections = 1},
    {.duration = POWER, .size = 1},
    {.duration = POWER, .size = POWER / 32},
    {.duration = POWER, .size = POWER / 4},
    {.duration = POWER / 2, .sections = POWER / 2},
    {.duration = POWER / 2, .sections = POWER / 2, .size = POWER / 4},
    {.sections = POWER, .tightness = 4 * POWER},
    {.sections = POWER, .size = POWER / 4, .tightness = 16 * POWER},
    {.sections = POWER, .reversed = true},
    {.duration = POWER, .reversed = true},
    {.duration = POWER, .size = POWER / 8, .tightness = 4 * POWER},
};

static int32_t between(uint64_t *random, int32_t low, int32_t high) {
  return low + (int32_t)(memplan_splitmix(random) % (uint64_t)(high - low + 1));
}

// Up to half a doubling, smaller ones as likely as larger ones.
static int32_t draw_noise(uint64_t *random) {
  int32_t least = UNIT >> between(random, 2, 9);
  return between(random, least, 2 * least);
}

static void draw_widths(uint64_t *random, memplan_key_rule *rule) {
  int32_t kind = between(random, 0, 2);
  rule->duration = kind == 0 ? POWER : kind == 1 ? 0 : between(random, 0, POWER);
  rule->sections = POWER - rule->duration;
}

static memplan_key_rule draw_by_duration(uint64_t *random, bool loose) {
  int32_t least = loose ? UNIT / 8 : UNIT / 80;
  memplan_key_rule rule = {.noise = between(random, least, 4 * least)};
  draw_widths(random, &rule);
  rule.size = between(random, 0, 2) == 0 ? between(random, 0, POWER / 48) : 0;
  return rule;
}

static memplan_key_rule draw_from_family(uint64_t *random) {
  memplan_key_rule rule = {0};
  draw_widths(random, &rule);
  rule.size = between(random, 0, 2) == 0 ? 0 : between(random, 0, 5 * POWER / 4);
  rule.tightness = between(random, 0, 1) == 0 ? 0 : between(random, POWER, 2 * POWER) << between(random, 0, 4);
  rule.noise = between(random, 0, 3) == 0 ? 0 : draw_noise(random);
  return rule;
}

static int32_t shift(uint64_t *random, int32_t value, int32_t part, int32_t least) {
  int32_t reach = (value < 0 ? -value : value) / part + least;
  return value + between(random, -reach, reach);
}

static memplan_key_rule draw_near(uint64_t *random, const memplan_key_rule *best) {
  memplan_key_rule rule = *best;
  rule.duration = shift(random, rule.duration, 16, POWER / 32);
  rule.sections = shift(random, rule.sections, 16, POWER / 32);
  rule.size = shift(random, rule.size, 8, POWER / 32);
  rule.tightness = rule.tightness != 0 ? shift(random, rule.tightness, 4, 0) : 0;
  rule.noise = draw_noise(random);
  return rule;
}

// The ranking of one draw, in member->keys and its order.
static void rank_items(member *own) {
  const search *all = own->search;
  uint64_t random = all->limits->seed;
  random = memplan_splitmix(&random) ^ ((uint64_t)all->epoch * DRAWS + (uint64_t)own->draw);
  (void)memplan_splitmix(&random);
  const int32_t *base = NULL;
  enum { CLOSELY_MANY = 5, CLOSELY_FEW = 3, BY_DURATION = 8, NEAR = 10, PERTURBED = 11 };
  // Near ties are more where there are more blocks. Where they are most, but not so many that only zones are of use,
  // hardly anything but them meets the load.
  bool ties_only = all->family.n > SOME && all->family.n <= MANY;
  int32_t closely = ties_only ? BY_DURATION : all->family.n >= TIES ? CLOSELY_MANY : CLOSELY_FEW;
  if (all->epoch < DRAWN_FROM) {
    own->rule = fixed_rules[all->epoch + own->draw];
  } else if (own->draw < BY_DURATION) {
    own->rule = draw_by_duration(&random, own->draw >= closely);
  } else if (own->draw < PERTURBED && all->peak != INT64_MAX) {
    own->rule = draw_near(&random, &all->rule);
    base = own->draw >= NEAR ? all->keys : NULL;
  } else {
    bool by_duration = ties_only && own->draw % 2 == 1;
    own->rule = by_duration ? draw_by_duration(&random, false) : draw_from_family(&random);
  }
  own->rule.reversed = all->epoch < DRAWN_FROM ? own->rule.reversed : between(&random, 0, 1) == 1;
  memplan_key_fill(&all->family, &own->rule, base, random, own->keys);
  memplan_key_sort(own->keys, all->family.n, own->rule.reversed, own->scratch, own->order);
}

// ---- one draw

static bool is_over(void *context) {
  const member *own = context;
  search *all = own->search;
  if (atomic_load(&all->stop) != MEMPLAN_STOP_DONE || atomic_load(&all->winner) < own->draw) {
    return true;
  }
  if (all->sure && all->epoch == 0) {
    return false;
  }
  memplan_stop stop = memplan_limits_reached(all->limits);
  if (stop != MEMPLAN_STOP_DONE) {
    atomic_store(&all->stop, (int32_t)stop);
    return true;
  }
  return false;
}

// The first ranking of a search that is to be sure of a placement, once the limits are reached.
static bool is_hurried(void *context) {
  const search *all = ((const member *)context)->search;
  return all->sure && all->epoch == 0 && memplan_limits_reached(all->limits) != MEMPLAN_STOP_DONE;
}

static memplan_status place_ranked(member *own, memplan_fill *fill, int64_t *peak, memplan_error *error) {
  const search *all = own->search;
  const memplan_sections *sections = &all->terrain.sections;
  int32_t n = sections->n;
  if (all->kind == ENGINE_VALLEYS) {
    *peak = memplan_valleys_place(own->valleys, own->order, fill, own->offset);
    return MEMPLAN_OK;
  }
  for (int32_t rank = 0; rank < n; rank++) {
    own->ranked[rank] = sections->block[own->order[rank]];
  }
  if (all->kind == ENGINE_PROFILES) {
    *peak = memplan_skyline_place(own->skyline, own->ranked, fill, own->by_block);
    fill->work *= 2;
  } else {
    memplan_lowest_first task = {
        .instance = all->instance, .ranked = own->ranked, .n = n, .offset = own->by_block, .pool = own->pool};
    int64_t questions = own->draw % 2 == 0 ? MOST_QUESTIONS * (int64_t)n : 0;
    MEMPLAN_TRY(memplan_lowest_first_place(&task, questions, fill, error));
    *peak = task.peak;
    own->failed = own->failed < 0 ? task.failed : own->failed;
    fill->work *= 4;
  }
  for (int32_t item = 0; item < n && *peak >= 0; item++) {
    own->offset[item] = own->by_block[sections->block[item]];
  }
  return MEMPLAN_OK;
}

static void keep_best(member *own, int64_t peak) {
  int64_t goal = own->search->goal;
  peak = peak > goal ? peak : goal;
  if (own->best_draw >= 0 && own->best_peak <= peak) {
    return;
  }
  int64_t *offset = own->offset;
  own->offset = own->best_offset;
  own->best_offset = offset;
  int32_t *keys = own->keys;
  own->keys = own->best_keys;
  own->best_keys = keys;
  own->best_rule = own->rule;
  own->best_peak = peak;
  own->best_draw = own->draw;
}

static void announce(search *all, int32_t draw) {
  int32_t winner = atomic_load(&all->winner);
  while (draw < winner && !atomic_compare_exchange_weak(&all->winner, &winner, draw)) {
  }
}

// Takes draws until none is left. They come in ascending order, so that of equal peaks the first is kept.
static void work(member *own) {
  search *all = own->search;
  for (;;) {
    own->draw = atomic_fetch_add(&all->next, 1);
    if (own->draw >= all->n_draws || is_over(own)) {
      return;
    }
    rank_items(own);
    memplan_fill fill = {.limit = all->peak, .stopped = is_over, .hurried = is_hurried, .context = own};
    if (all->epoch == 0 && all->layout == MEMPLAN_SPANS_BY_START) {
      fill.most_work = MOST_WORK * (int64_t)all->family.n;
    }
    int64_t peak = -1;
    own->status = place_ranked(own, &fill, &peak, &own->error);
    all->cost[own->draw] = fill.work + RANKING_WORK + all->family.n / 8;
    if (all->epoch == 0) {
      all->excessive = fill.excessive;
    }
    if (own->status != MEMPLAN_OK) {
      return;
    }
    if (peak >= 0) {
      keep_best(own, peak);
      if (peak <= all->goal) {
        announce(all, own->draw);
      }
    }
  }
}

// ---- epochs

static memplan_status merge(search *all, memplan_error *error) {
  const member *best = NULL;
  for (int32_t k = 0; k < all->n_members; k++) {
    const member *own = &all->members[k];
    if (own->status != MEMPLAN_OK) {
      if (error != NULL) {
        *error = own->error;
      }
      return own->status;
    }
    all->failed = all->failed < 0 ? own->failed : all->failed;
    if (own->best_draw >= 0 && (best == NULL || own->best_peak < best->best_peak ||
                                (own->best_peak == best->best_peak && own->best_draw < best->best_draw))) {
      best = own;
    }
  }
  // What later draws did depends on when the winner was found.
  int32_t winner = atomic_load(&all->winner);
  for (int32_t draw = 0; draw < all->n_draws && draw <= winner; draw++) {
    all->work += all->cost[draw];
    all->rankings += all->cost[draw] > 0;
  }
  if (best != NULL) {
    all->peak = best->best_peak;
    all->rule = best->best_rule;
    memcpy(all->offset, best->best_offset, (size_t)all->family.n * sizeof *all->offset);
    memcpy(all->keys, best->best_keys, (size_t)all->family.n * sizeof *all->keys);
  }
  return MEMPLAN_OK;
}

static memplan_status run_epoch(search *all, int32_t n_draws, memplan_error *error) {
  all->n_draws = n_draws;
  atomic_store(&all->next, 0);
  atomic_store(&all->winner, n_draws);
  memset(all->cost, 0, sizeof all->cost);
  int32_t crew = all->n_members < n_draws ? all->n_members : n_draws;
  for (int32_t k = 0; k < all->n_members; k++) {
    all->members[k].best_draw = -1;
  }
  if (crew > 1) {
#pragma omp parallel for schedule(static, 1) num_threads(crew)
    for (int32_t k = 0; k < crew; k++) {
      work(&all->members[k]);
    }
  } else {
    work(&all->members[0]);
  }
  return merge(all, error);
}

// About a second for a thousand blocks and seven for thirty thousand, on one core.
int64_t memplan_skyline_search_work(int32_t n_blocks) {
  int64_t n = n_blocks;
  enum { SMALL = 1000, LARGE = 30000, SMALL_WORK = 4000000, LARGE_WORK = 30000000, LEAST_RANKINGS = 256 };
  if (n <= SMALL) {
    return (SMALL_WORK / SMALL / SMALL * n + LEAST_RANKINGS) * n;
  }
  return n < LARGE ? SMALL_WORK + (n - SMALL) * ((LARGE_WORK - SMALL_WORK) / (LARGE - SMALL)) : LARGE_WORK;
}

// ---- setting up

static bool equip(search *all, member *own) {
  int32_t n = all->family.n;
  memplan_arena *arena = &own->arena;
  own->search = all;
  own->failed = -1;
  own->order = MEMPLAN_NEW(arena, int32_t, n);
  own->scratch = MEMPLAN_NEW(arena, uint64_t, 2 * (int64_t)n);
  own->keys = MEMPLAN_NEW(arena, int32_t, n);
  own->best_keys = MEMPLAN_NEW(arena, int32_t, n);
  own->offset = MEMPLAN_NEW(arena, int64_t, n);
  own->best_offset = MEMPLAN_NEW(arena, int64_t, n);
  if (own->order == NULL || own->scratch == NULL || own->keys == NULL || own->best_keys == NULL ||
      own->offset == NULL || own->best_offset == NULL) {
    return false;
  }
  if (all->kind == ENGINE_VALLEYS) {
    own->valleys = memplan_valleys_new(&all->terrain, all->layout, arena);
    return own->valleys != NULL;
  }
  own->ranked = MEMPLAN_NEW(arena, int32_t, n);
  own->by_block = MEMPLAN_NEW(arena, int64_t, all->instance->n_blocks);
  own->pool = MEMPLAN_NEW(arena, int32_t, all->instance->n_blocks);
  if (all->kind == ENGINE_PROFILES) {
    own->skyline = memplan_skyline_new(all->instance, all->todo, n, arena);
  }
  return own->ranked != NULL && own->by_block != NULL && own->pool != NULL &&
         (all->kind != ENGINE_PROFILES || own->skyline != NULL);
}

static engine choose_engine(const memplan_instance *instance) {
  if (memplan_terrain_accepts(instance)) {
    return ENGINE_VALLEYS;
  }
  bool free_of_rules = instance->pools[0].n_reserved == 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    free_of_rules = free_of_rules && instance->blocks[block].pin < 0 && instance->blocks[block].n_apart == 0;
  }
  return free_of_rules ? ENGINE_PROFILES : ENGINE_PACKING;
}

static memplan_status find_bound(const memplan_instance *instance, int64_t *bound, memplan_error *error) {
  memplan_load load;
  MEMPLAN_TRY(memplan_instance_load(instance, true, &load, error));
  *bound = load.bytes;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    int64_t end = entry->bytes > 0 && entry->pin >= 0 ? entry->pin + entry->bytes : entry->bytes;
    *bound = end > *bound ? end : *bound;
  }
  return MEMPLAN_OK;
}

static memplan_status prepare(search *all, const int32_t *todo, int32_t n, memplan_arena *arena, memplan_error *error) {
  const memplan_instance *instance = all->instance;
  all->todo = todo;
  bool good = all->kind == ENGINE_VALLEYS ? memplan_terrain_make(instance, todo, n, &all->terrain, arena)
                                          : memplan_sections_make(instance, todo, n, &all->terrain.sections, arena);
  if (!good || !memplan_key_family_make(instance, &all->terrain.sections, &all->family, arena)) {
    return memplan_fail_nomem(error);
  }
  all->members = MEMPLAN_NEW(arena, member, DRAWS);
  all->offset = MEMPLAN_NEW(arena, int64_t, n);
  all->keys = MEMPLAN_NEW(arena, int32_t, n);
  return all->members == NULL || all->offset == NULL || all->keys == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

static memplan_status equip_up_to(search *all, int32_t count, memplan_error *error) {
  for (; all->n_members < count; all->n_members++) {
    if (!equip(all, &all->members[all->n_members])) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static bool is_done(search *all) { return all->peak <= all->goal || atomic_load(&all->stop) != MEMPLAN_STOP_DONE; }

// The first ranking is often enough, and tells whether the spans are laid out well.
static memplan_status run_first(search *all, memplan_error *error) {
  MEMPLAN_TRY(equip_up_to(all, 1, error));
  MEMPLAN_TRY(run_epoch(all, 1, error));
  if (!all->excessive || is_done(all)) {
    return MEMPLAN_OK;
  }
  all->layout = MEMPLAN_SPANS_IN_PLANE;
  memplan_arena_free(&all->members[0].arena);
  all->members[0] = (member){0};
  all->n_members = 0;
  MEMPLAN_TRY(equip_up_to(all, 1, error));
  return run_epoch(all, 1, error);
}

// Other threads are called when they are worth it: many small problems are over before they would be awake.
static memplan_status call_crew(search *all, memplan_error *error) {
  int64_t epoch = DRAWS * (int64_t)all->family.n;
  if (all->crew_called || (epoch < ALONE_WORK && all->work < ALONE_WORK)) {
    return MEMPLAN_OK;
  }
  all->crew_called = true;
  int32_t crew = memplan_crew_size(all->limits, epoch);
  MEMPLAN_TRY(equip_up_to(all, crew < DRAWS ? crew : DRAWS, error));
  // Their memory may have taken the room that threads need.
  crew = memplan_crew_size(all->limits, epoch);
  all->n_members = crew < all->n_members ? crew : all->n_members;
  return MEMPLAN_OK;
}

// Epochs after the first ranking.
static memplan_status sample(search *all, int64_t work_limit, memplan_error *error) {
  for (all->epoch++; !is_done(all) && all->work < work_limit; all->epoch++) {
    MEMPLAN_TRY(call_crew(all, error));
    int64_t mean = all->work / all->rankings > 0 ? all->work / all->rankings : 1;
    int64_t left = (work_limit - all->work + mean - 1) / mean;
    int32_t most = all->epoch == 1 ? DRAWS - 1 : DRAWS;
    MEMPLAN_TRY(run_epoch(all, left < most ? (int32_t)left : most, error));
  }
  return MEMPLAN_OK;
}

static void free_members(const search *all) {
  for (int32_t k = 0; k < DRAWS && all->members != NULL; k++) {
    memplan_arena_free(&all->members[k].arena);
  }
}

// ---- zones

typedef struct zone_search {
  search *all;
  int64_t rankings;   // for each zone
  int64_t work_limit; // of all
  int32_t n_packed;
  int32_t level; // zones within zones
  int32_t round;
} zone_search;

static memplan_status repair_zones(search *all, int32_t level, int64_t work_limit, bool *few, memplan_error *error);

// A search of its own for some of the blocks, as if they were alone, and a repair of the zones within them. After the
// first round fixed rankings would give the packings of that round again.
static memplan_status pack_zone(void *context, const int32_t *blocks, int32_t n, int64_t goal, int64_t *offset,
                                int64_t *peak, memplan_error *error) {
  zone_search *zones = context;
  search *all = zones->all;
  *peak = INT64_MAX;
  if (all->work >= zones->work_limit) {
    return MEMPLAN_OK;
  }
  memplan_limits limits = *all->limits;
  uint64_t random = limits.seed ^ (uint64_t)++zones->n_packed;
  limits.seed = memplan_splitmix(&random);
  search own = {.instance = all->instance,
                .limits = &limits,
                .kind = ENGINE_VALLEYS,
                .epoch = zones->round > 0 ? DRAWN_FROM : 0,
                .peak = INT64_MAX,
                .goal = goal,
                .failed = -1};
  memplan_arena arena = {0};
  memplan_status status = prepare(&own, blocks, n, &arena, error);
  if (status == MEMPLAN_OK) {
    status = run_first(&own, error);
  }
  if (status == MEMPLAN_OK && !is_done(&own)) {
    int64_t left = zones->work_limit - all->work;
    int64_t most = zones->rankings * n > LEAST_ZONE_WORK ? zones->rankings * n : LEAST_ZONE_WORK;
    most = most < MOST_ZONE_WORK ? most : MOST_ZONE_WORK;
    status = sample(&own, most < left ? most : left, error);
  }
  if (status == MEMPLAN_OK && !is_done(&own) && own.peak != INT64_MAX && n >= LEAST_FOR_ZONES &&
      zones->level < MOST_LEVELS) {
    bool few = false;
    status = repair_zones(&own, zones->level + 1, own.work + FOR_INNER_ZONES, &few, error);
  }
  for (int32_t item = 0; item < n && status == MEMPLAN_OK && own.peak != INT64_MAX; item++) {
    offset[own.terrain.sections.block[item]] = own.offset[item];
  }
  *peak = own.peak;
  all->work += own.work;
  all->rankings += own.rankings;
  if (atomic_load(&own.stop) != MEMPLAN_STOP_DONE) {
    atomic_store(&all->stop, atomic_load(&own.stop));
  }
  free_members(&own);
  memplan_arena_free(&arena);
  return status;
}

// Packs the zones of the incumbent anew as long as there are few: narrow zones, which are packed more easily, wider
// ones, around which the rest fits more easily, and again with more rankings. *few: there were.
static memplan_status repair_zones(search *all, int32_t level, int64_t work_limit, bool *few, memplan_error *error) {
  static const int32_t depth[] = {2, 1, 4, 2, 6, 4};
  static const int32_t reach[] = {0, 0, 0, 4, 2, 8};
  enum { N_WIDTHS = sizeof depth / sizeof *depth };
  zone_search zones = {.all = all, .work_limit = work_limit, .level = level};
  for (int32_t round = 0; round < MOST_ROUNDS && !is_done(all) && all->work < work_limit; round++) {
    zones.round = round;
    zones.rankings = FIRST_RANKINGS << (round / 2 < MOST_DOUBLINGS ? round / 2 : MOST_DOUBLINGS);
    memplan_zones task = {.instance = all->instance,
                          .sections = &all->terrain.sections,
                          .offset = all->offset,
                          .goal = all->goal,
                          .depth = depth[round % N_WIDTHS],
                          .reach = reach[round % N_WIDTHS],
                          .pack = pack_zone,
                          .context = &zones};
    memplan_status status = memplan_zones_repair(&task, error);
    all->work += task.work;
    MEMPLAN_TRY(status);
    if (task.n_zones == 0) {
      return MEMPLAN_OK;
    }
    *few = true;
    all->peak = task.peak > all->goal ? task.peak : all->goal;
  }
  return MEMPLAN_OK;
}

static void take_over(search *all, const int64_t *offset, int64_t peak) {
  memcpy(all->offset, offset, (size_t)all->family.n * sizeof *offset);
  all->peak = peak;
}

// The rankings go on from the best of them and not from what has been made of it: what they learn from is the ranking.
static memplan_status search_zones(search *all, int64_t work_limit, memplan_arena *scratch, memplan_error *error) {
  bool few = false;
  bool many = all->family.n > MANY;
  int64_t part = many ? OF_MANY_FOR_ZONES : all->family.n > SOME ? OF_SOME_FOR_ZONES : FOR_ZONES;
  int64_t *ranked = MEMPLAN_NEW_RAW(scratch, int64_t, all->family.n);
  int64_t *repaired = MEMPLAN_NEW_RAW(scratch, int64_t, all->family.n);
  if (ranked == NULL || repaired == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t ranked_peak = all->peak;
  memcpy(ranked, all->offset, (size_t)all->family.n * sizeof *ranked);
  MEMPLAN_TRY(repair_zones(all, 0, work_limit / part, &few, error));
  if (is_done(all)) {
    return MEMPLAN_OK;
  }
  int64_t peak = all->peak;
  memcpy(repaired, all->offset, (size_t)all->family.n * sizeof *repaired);
  take_over(all, ranked, ranked_peak);
  MEMPLAN_TRY(sample(all, many && few ? work_limit / AFTER_ZONES : work_limit, error));
  if (peak < all->peak) {
    take_over(all, repaired, peak);
  }
  return MEMPLAN_OK;
}

static memplan_status run_search(search *all, int64_t work_limit, memplan_error *error) {
  MEMPLAN_TRY(run_first(all, error));
  if (all->sure && all->peak > all->goal) {
    atomic_store(&all->stop, (int32_t)memplan_limits_reached(all->limits));
  }
  if (is_done(all)) {
    return MEMPLAN_OK;
  }
  if (all->peak == INT64_MAX || all->kind != ENGINE_VALLEYS || all->family.n < LEAST_FOR_ZONES) {
    return sample(all, work_limit, error);
  }
  memplan_arena scratch = {0};
  memplan_status status = search_zones(all, work_limit, &scratch, error);
  memplan_arena_free(&scratch);
  return status;
}

// ---- as a placement method

// Hands the incumbent over, or says why there is none.
static void hand_over(const search *all, memplan_placing *placing) {
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  result->stop = (memplan_stop)atomic_load(&all->stop);
  result->nodes = all->work;
  int64_t capacity = instance->pools[0].capacity;
  if (all->peak == INT64_MAX) {
    result->failed_block = all->failed;
    placing->stopped = all->failed < 0;
    return;
  }
  for (int32_t item = 0; item < all->family.n; item++) {
    int32_t block = all->terrain.sections.block[item];
    result->offset[block] = all->offset[item];
    result->pool[block] = 0;
    if (capacity >= 0 && all->offset[item] > capacity - instance->blocks[block].bytes && result->failed_block < 0) {
      result->failed_block = block;
    }
  }
}

typedef struct request {
  const memplan_skyline_wishes *wishes;
  const memplan_limits *limits;
  int64_t bound, rankings;
} request;

static memplan_status place(memplan_placing *placing, void *context, memplan_error *error) {
  request *asked = context;
  if (placing->n_todo == 0) {
    return MEMPLAN_OK;
  }
  search all = {.instance = placing->instance,
                .limits = asked->limits,
                .kind = choose_engine(placing->instance),
                .sure = asked->wishes->sure,
                .peak = INT64_MAX,
                .failed = -1};
  all.goal = asked->wishes->goal > asked->bound ? asked->wishes->goal : asked->bound;
  MEMPLAN_TRY(prepare(&all, placing->todo, placing->n_todo, placing->arena, error));
  int64_t work_limit = asked->wishes->work >= 0 ? asked->wishes->work : memplan_skyline_search_work(placing->n_todo);
  memplan_status status = run_search(&all, work_limit, error);
  free_members(&all);
  asked->rankings = all.rankings;
  if (status == MEMPLAN_OK) {
    hand_over(&all, placing);
  }
  return status;
}

bool memplan_skyline_search_accepts(const memplan_instance *instance, memplan_error *error) {
  if (instance->n_pools > 1) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED,
                       "skyline-search fills one pool, and the instance has "
                       "%d: choose another placement method",
                       (int)instance->n_pools);
    return false;
  }
  return true;
}

memplan_status memplan_skyline_search(const memplan_instance *instance, const memplan_skyline_wishes *wishes,
                                      const memplan_limits *limits, memplan_method_result *result,
                                      memplan_skyline_outcome *outcome, memplan_error *error) {
  request asked = {.wishes = wishes, .limits = limits};
  MEMPLAN_TRY(find_bound(instance, &asked.bound, error));
  MEMPLAN_TRY(memplan_placing_run(instance, place, &asked, limits, result, error));
  if (outcome != NULL) {
    *outcome = (memplan_skyline_outcome){.peak = INT64_MAX, .bound = asked.bound, .rankings = asked.rankings};
    if (result->outcome == MEMPLAN_FEASIBLE) {
      outcome->peak = memplan_instance_peak(instance, result->offset);
      outcome->met = outcome->peak == asked.bound;
    }
  }
  return MEMPLAN_OK;
}
