// SPDX-License-Identifier: Apache-2.0
// What a beam finds depends on how it ranks states as much as on its width, and nothing says beforehand which ranking
// suits a problem: so each worker begins narrow with a ranking of its own and takes another one, and twice the width,
// whenever its search has died (those above the bound begin narrower: they are to find something soon). Half of the
// workers aim at the bound, where a packing is a proof; the others at heights between it and the best packing, and
// begin anew when another one has been there.
#include "solvers/place_beams.h"

#include "heuristics/crew.h"
#include "model/base/arena.h"
#include "model/base/rng.h"
#include "solvers/place_beam.h"

#include <stdlib.h>

enum {
  n_workers = 8,
  first_width = 128, // at the bound
  narrow = 2,        // doublings less of the others
  widest = 1 << 14,
  most_bytes = 24 << 20, // of a worker
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
  int32_t turn;     // searches that died
  bool running;     // a search
  int64_t capacity; // of the search
  memplan_beam_outcome outcome;
} worker;

struct memplan_beams {
  memplan_arena arena;
  const memplan_place_shape *shape;
  const memplan_limits *limits;
  int32_t threads;
  int32_t most_width;
  int64_t budget;
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
  int64_t width = most_bytes / memplan_place_beam_memory(shape, 1);
  made->most_width = width > widest ? widest : width < first_width ? first_width : (int32_t)width;
  made->threads = memplan_crew_size(limits, INT64_MAX);
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

static int64_t find_capacity(int32_t index, int64_t aim, int64_t upper) {
  static const int32_t quarters[n_workers] = {0, 3, 0, 2, 0, 2, 0, 1};
  return aim + (upper - 1 - aim) / 4 * quarters[index] + (upper - 1 - aim) % 4 * quarters[index] / 4;
}

static memplan_beam_rule draw_rule(worker *own, int32_t index) {
  if (own->turn == 0) {
    return first_rules[index];
  }
  return (memplan_beam_rule){.size = (int32_t)memplan_rng_between(&own->rng, 200, 1024),
                             .sections = (int32_t)memplan_rng_between(&own->rng, 200, 1024),
                             .scarcity = (int32_t)memplan_rng_between(&own->rng, 300, 1024)};
}

static bool start_search(memplan_beams *beams, int32_t index, int64_t capacity) {
  worker *own = &beams->workers[index];
  memplan_beam_rule rule = draw_rule(own, index);
  int32_t most = beams->most_width, first = index % 2 == 0 ? first_width : first_width >> narrow;
  if (own->turn >= 16 || first << own->turn > most) { // as wide as can be, or less
    most >>= memplan_rng_below(&own->rng, 3);
    most = most > first_width ? most : first_width;
  } else {
    most = first << own->turn;
  }
  own->capacity = capacity;
  own->running = true;
  return memplan_place_beam_start(own->beam, capacity, most, &rule, memplan_rng_next(&own->rng));
}

static void run_worker(memplan_beams *beams, int32_t index, int64_t aim, int64_t upper) {
  worker *own = &beams->workers[index];
  int64_t end = memplan_place_beam_states(own->beam) + beams->budget;
  own->outcome = MEMPLAN_BEAM_SPENT;
  if (own->running && (own->capacity >= upper || own->capacity < aim)) {
    own->running = false;
  }
  for (int64_t left = beams->budget; left > 0; left = end - memplan_place_beam_states(own->beam)) {
    if (!own->running && !start_search(beams, index, find_capacity(index, aim, upper))) {
      own->outcome = MEMPLAN_BEAM_NOMEM;
      return;
    }
    own->outcome = memplan_place_beam_run(own->beam, left, own->offset);
    own->running = own->outcome == MEMPLAN_BEAM_SPENT;
    if (own->outcome != MEMPLAN_BEAM_DEAD) {
      return;
    }
    own->turn++;
  }
}

memplan_status memplan_beams_step(memplan_beams *beams, int64_t aim, int64_t upper, memplan_beams_news *news,
                                  memplan_error *error) {
  worker *workers = beams->workers;
  for (int32_t w = 0; w < n_workers; w++) {
    if (workers[w].beam == NULL && !make_worker(beams, w)) {
      return memplan_fail_nomem(error);
    }
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(beams->threads)
  for (int32_t w = 0; w < n_workers; w++) {
    run_worker(beams, w, aim, upper);
  }
  *news = (memplan_beams_news){.offset = NULL, .height = upper};
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
