// SPDX-License-Identifier: Apache-2.0
// What a beam finds depends on how it ranks states as much as on its width, and nothing says beforehand which ranking
// suits a problem: so each worker begins with a ranking of its own and takes another one, and another width, whenever
// its search has died. Half of the workers aim at the bound, where a packing is a proof. The others begin near it too,
// but give way: a search whose states have died goes on a little higher, until it ends below the best packing or is
// past it. Many narrow ones find more there than a wide one, so that width doubles and falls back.
//
// At the bound too: after its first search such a worker takes narrow beams, and where they have come past the middle
// they go back a part of the way, again and again from the farthest point, under another rule. Most of the rules are
// those that come far on MiniMalloc's D and J: little weight on size, much on scarcity. On J (409 buffers) so many
// states were looked at for one packing at the bound, in samples of about 25 million under such rules: narrow and going
// back 5 to 6 million, narrow alone 45 million.
#include "solvers/place_beams.h"

#include "model/base/compiler.h"
#include "model/base/arena.h"
#include "model/base/rng.h"
#include "solvers/place_beam.h"

#include <stdlib.h>

enum {
  n_workers = 8,
  first_width = 128, // at the bound
  widest = 1 << 14,
  most_doublings = 3,    // of the width of the others, and of narrow ones
  narrowest = 32,        // at the bound, after the first search
  most_tries = 6,        // from one point
  unlikely_share = 5,    // one in so many rules of narrow ones
  most_bytes = 24 << 20, // of a worker
  memory_part = 4,       // for all workers
  begin_share = 4,       // of what is between
  most_few = 320,        // in 1/1024 of the width
  first_budget = 1 << 13,
  most_budget = 1 << 16
};

// The first ones: found packings at the bound within the narrowest beams where others did not.
static const memplan_beam_rule first_rules[n_workers] = {
    {.size = 1024, .sections = 512, .scarcity = 512}, {.size = 512, .sections = 256, .scarcity = 512},
    {.size = 256, .sections = 1024, .scarcity = 512}, {.size = 256, .sections = 512, .scarcity = 512},
    {.size = 256, .sections = 512, .scarcity = 1024}, {.size = 512, .sections = 512, .scarcity = 1024},
    {.size = 1024, .sections = 256, .scarcity = 512}, {.size = 512, .sections = 1024, .scarcity = 512}};

typedef struct worker {
  memplan_place_beam *beam;
  memplan_rng rng;
  int64_t *offset;
  int32_t turn; // searches that died
  bool running; // a search
  int64_t aim;  // of the search
  bool goes_back;
  int32_t tries, farthest; // of the search, from this point
  memplan_beam_rule rule;
  memplan_beam_outcome outcome;
} worker;

struct memplan_beams {
  memplan_arena arena;
  const memplan_place_shape *shape;
  const memplan_limits *limits;
  int32_t most_width, most_narrow;
  int64_t budget;
  int64_t aim, upper; // of the epoch
  worker workers[n_workers];
};

memplan_status memplan_beams_new(const memplan_place_shape *shape, const memplan_limits *limits, memplan_beams **beams,
                                 memplan_error *error) {
  *beams = NULL;
  if (!memplan_place_beam_accepts(shape)) {
    return MEMPLAN_OK;
  }
  memplan_beams *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->shape = shape;
  made->limits = limits;
  made->budget = first_budget;
  int64_t bytes = memplan_limits_memory(limits) / memory_part / n_workers;
  bytes = bytes < most_bytes ? bytes : most_bytes;
  int64_t width = bytes / memplan_place_beam_memory(shape, 1, false);
  int64_t narrow = bytes / memplan_place_beam_memory(shape, 1, true);
  made->most_width = width > widest ? widest : width < first_width ? first_width : (int32_t)width;
  made->most_narrow = narrow > widest ? widest : narrow < narrowest ? narrowest : (int32_t)narrow;
  *beams = made;
  return MEMPLAN_OK;
}

void memplan_beams_free(memplan_beams *beams) {
  if (beams != NULL) {
    for (int32_t w = 0; w < n_workers; w++) {
      memplan_place_beam_free(beams->workers[w].beam);
    }
    memplan_arena_free(&beams->arena);
    free(beams);
  }
}

static bool make_worker(memplan_beams *beams, int32_t index) {
  worker *own = &beams->workers[index];
  own->beam = memplan_place_beam_new(beams->shape);
  own->offset = MEMPLAN_NEW(&beams->arena, int64_t, beams->shape->n_items);
  memplan_rng_start(&own->rng, beams->limits->seed, (uint64_t)(n_workers + index));
  return own->beam != NULL && own->offset != NULL;
}

// The others begin in the lowest part of what is between the bound and the best packing.
static int64_t find_capacity(worker *own, bool at_bound, int64_t aim, int64_t upper) {
  return at_bound ? aim : aim + memplan_rng_between(&own->rng, 0, (upper - 1 - aim) / begin_share);
}

// 0 1 0 2 0 1 0 3 …: each number half as often as the one before, so that all widths get the same time.
static int32_t count_doublings(int32_t turn) {
  int32_t doublings = memplan_bit_lowest((uint64_t)turn + 1);
  return doublings < most_doublings ? doublings : most_doublings;
}

static memplan_beam_rule draw_between(worker *own, const memplan_beam_rule *least, const memplan_beam_rule *most) {
  memplan_beam_rule rule = {.size = (int32_t)memplan_rng_between(&own->rng, least->size, most->size)};
  rule.sections = (int32_t)memplan_rng_between(&own->rng, least->sections, most->sections);
  rule.scarcity = (int32_t)memplan_rng_between(&own->rng, least->scarcity, most->scarcity);
  return rule;
}

static memplan_beam_rule draw_rule(worker *own, int32_t index) {
  static const memplan_beam_rule wide[] = {{.size = 200, .sections = 200, .scarcity = 300},
                                           {.size = 1024, .sections = 1024, .scarcity = 1024}};
  static const memplan_beam_rule likely[] = {{.size = 100, .sections = 300, .scarcity = 700},
                                             {.size = 400, .sections = 900, .scarcity = 1400}};
  if (own->turn == 0) {
    return first_rules[index];
  }
  bool any = !own->goes_back || memplan_rng_below(&own->rng, unlikely_share) == 0;
  return any ? draw_between(own, &wide[0], &wide[1]) : draw_between(own, &likely[0], &likely[1]);
}

static int32_t find_width(const memplan_beams *beams, const worker *own) {
  if (own->goes_back) {
    int32_t width = narrowest << count_doublings(own->turn);
    return width < beams->most_narrow ? width : beams->most_narrow;
  }
  int32_t width = first_width << count_doublings(own->turn);
  return width < beams->most_width ? width : beams->most_width;
}

static bool start_search(memplan_beams *beams, int32_t index, int64_t aim, int64_t upper) {
  worker *own = &beams->workers[index];
  bool at_bound = index % 2 == 0;
  own->goes_back = at_bound && own->turn > 0;
  own->tries = own->farthest = 0;
  own->rule = draw_rule(own, index);
  int32_t width = find_width(beams, own);
  int64_t capacity = find_capacity(own, at_bound, aim, upper);
  if (!at_bound) {
    own->rule.few = (int32_t)memplan_rng_below(&own->rng, 3) * most_few / 2;
  }
  own->running = true;
  own->aim = aim;
  return memplan_place_beam_start(own->beam, capacity, at_bound ? aim : upper - 1, width, &own->rule,
                                  memplan_rng_next(&own->rng)) &&
         (!own->goes_back || memplan_place_beam_save(own->beam));
}

// After a search has died: whether it goes on from before its end.
static bool go_back(worker *own, int32_t index) {
  int32_t depth = memplan_place_beam_depth(own->beam);
  if (!own->goes_back) {
    return false;
  }
  if (depth > own->farthest) {
    own->farthest = depth;
    own->tries = 0;
  }
  if (own->tries == most_tries || 2 * own->farthest < memplan_place_beam_items(own->beam)) {
    return false;
  }
  own->tries++;
  own->rule = draw_rule(own, index);
  return memplan_place_beam_again(own->beam, &own->rule);
}

static void run_worker(void *search, int32_t index) {
  memplan_beams *beams = search;
  int64_t aim = beams->aim, upper = beams->upper;
  worker *own = &beams->workers[index];
  int64_t end = memplan_place_beam_states(own->beam) + beams->budget;
  own->outcome = MEMPLAN_BEAM_SPENT;
  own->running = own->running && own->aim == aim && memplan_place_beam_lower(own->beam, upper - 1);
  for (int64_t left = beams->budget; left > 0; left = end - memplan_place_beam_states(own->beam)) {
    if (!own->running && !start_search(beams, index, aim, upper)) {
      own->outcome = MEMPLAN_BEAM_NOMEM;
      return;
    }
    own->outcome = memplan_place_beam_run(own->beam, left, own->offset);
    own->running = own->outcome == MEMPLAN_BEAM_SPENT || (own->outcome == MEMPLAN_BEAM_DEAD && go_back(own, index));
    own->turn += !own->running;
    if (own->outcome != MEMPLAN_BEAM_DEAD) {
      return;
    }
  }
}

memplan_status memplan_beams_begin(memplan_beams *beams, int64_t aim, int64_t upper, memplan_epoch_part *part,
                                   memplan_error *error) {
  for (int32_t w = 0; w < n_workers; w++) {
    if (beams->workers[w].beam == NULL && !make_worker(beams, w)) {
      return memplan_fail_nomem(error);
    }
  }
  beams->aim = aim;
  beams->upper = upper;
  *part = (memplan_epoch_part){beams, n_workers, run_worker};
  return MEMPLAN_OK;
}

memplan_status memplan_beams_end(memplan_beams *beams, memplan_beams_news *news, memplan_error *error) {
  const worker *workers = beams->workers;
  *news = (memplan_beams_news){.offset = NULL, .height = beams->upper};
  for (int32_t w = 0; w < n_workers; w++) {
    if (workers[w].outcome == MEMPLAN_BEAM_NOMEM) {
      return memplan_fail_nomem(error);
    }
    if (workers[w].outcome != MEMPLAN_BEAM_FOUND) {
      continue;
    }
    int64_t height = 0;
    for (int32_t item = 0; item < beams->shape->n_items; item++) {
      int64_t top = workers[w].offset[beams->shape->item[item]] + beams->shape->size[item];
      height = top > height ? top : height;
    }
    if (height < news->height) {
      news->height = height;
      news->offset = workers[w].offset;
    }
  }
  beams->budget = 2 * beams->budget < most_budget ? 2 * beams->budget : most_budget;
  return MEMPLAN_OK;
}

int64_t memplan_beams_states(const memplan_beams *beams) {
  int64_t states = 0;
  for (int32_t w = 0; w < n_workers; w++) {
    states += beams->workers[w].beam != NULL ? memplan_place_beam_states(beams->workers[w].beam) : 0;
  }
  return states;
}
