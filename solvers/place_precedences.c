// SPDX-License-Identifier: Apache-2.0
// How long a refutation takes depends on the first choices, and what one worker learns holds for the others too: the
// clauses speak of offsets, pairs and the height alone. So each epoch ends with an exchange of short clauses, of bounds
// and of the height of the best packing; it is the only one, so that workers may run on any number of threads.
//
// On 15 tight instances, six first choices each, two workers do 22 % more work than one and need 38 % less time. The
// second one is best a bisection (from above: 3 % more work; from below: 15 %). Longer clauses (12 or 20 literals),
// fewer (6) and epochs half and a quarter as long change less than the noise.
#include "solvers/place_precedences.h"

#include <stdlib.h>

enum {
  n_workers = 2,
  news_length = 8, // literals of a clause that is passed on
  news_distance = 3
};

typedef struct worker {
  memplan_precedence *search;
  memplan_precedence_result result;
} worker;

struct memplan_precedences {
  const memplan_place_problem *problem;
  memplan_precedence_settings settings;
  int64_t alone;
  int64_t first_lower, first_upper; // that engines are set up with
  int32_t n_workers;
  int64_t lower, aim, upper, ticks; // of the epoch
  worker workers[n_workers];
};

memplan_precedences *memplan_precedences_new(const memplan_place_problem *problem, int64_t lower, int64_t upper,
                                             const memplan_precedence_settings *settings, int64_t alone) {
  memplan_precedences *searches = calloc(1, sizeof *searches);
  if (searches != NULL) {
    *searches = (memplan_precedences){
        .problem = problem, .settings = *settings, .alone = alone, .first_lower = lower, .first_upper = upper};
  }
  return searches;
}

void memplan_precedences_free(memplan_precedences *searches) {
  if (searches != NULL) {
    for (int32_t w = 0; w < searches->n_workers; w++) {
      memplan_precedence_free(searches->workers[w].search);
    }
    free(searches);
  }
}

// Workers are set up with the bounds of the first one, so that what they learn means the same.
static bool add_worker(memplan_precedences *searches) {
  memplan_precedence_settings settings = searches->settings;
  settings.memory /= settings.proof || searches->alone == INT64_MAX ? 1 : n_workers;
  if (searches->n_workers > 0) {
    settings.seed = settings.seed + (uint64_t)searches->n_workers;
    settings.driver = MEMPLAN_PRECEDENCE_BISECT;
  }
  memplan_precedence *search =
      memplan_precedence_new(searches->problem, searches->first_lower, searches->first_upper, &settings);
  if (search == NULL) {
    return false;
  }
  if (!settings.proof && searches->alone < INT64_MAX) {
    memplan_engine_gather(memplan_precedence_engine(search), news_length, news_distance);
  }
  searches->workers[searches->n_workers++].search = search;
  return true;
}

static void run_worker(void *state, int32_t index) {
  memplan_precedences *searches = state;
  worker *own = &searches->workers[index];
  memplan_precedence *search = own->search;
  int64_t left = searches->ticks, end = memplan_precedence_count(search).ticks + left;
  memplan_precedence_set_lower(search, searches->lower);
  memplan_precedence_set_upper(search, searches->upper);
  do {
    own->result = memplan_precedence_run(search, left);
    left = end - memplan_precedence_count(search).ticks;
  } while (left > 0 &&
           (own->result == MEMPLAN_PRECEDENCE_RAISED ||
            (own->result == MEMPLAN_PRECEDENCE_IMPROVED && memplan_precedence_upper(search) > searches->aim)));
}

memplan_status memplan_precedences_begin(memplan_precedences *searches, int64_t lower, int64_t aim, int64_t upper,
                                         int64_t ticks, memplan_epoch_part *part, memplan_error *error) {
  bool several = !searches->settings.proof && memplan_precedences_count(searches).ticks >= searches->alone;
  while (searches->n_workers < (several ? n_workers : 1)) {
    if (!add_worker(searches)) {
      return memplan_fail_nomem(error);
    }
  }
  searches->lower = lower;
  searches->aim = aim;
  searches->upper = upper;
  searches->ticks = ticks;
  *part = (memplan_epoch_part){searches, searches->n_workers, run_worker};
  return MEMPLAN_OK;
}

// Every worker hears what the others have learned. (One that begins later is not told what the first one learned
// before: that made it 3 % slower.)
static bool exchange(memplan_precedences *searches) {
  for (int32_t to = 0; to < searches->n_workers; to++) {
    for (int32_t from = 0; from < searches->n_workers; from++) {
      int64_t n;
      const uint64_t *news = memplan_engine_news(memplan_precedence_engine(searches->workers[from].search), &n);
      if (from != to && !memplan_engine_take_news(memplan_precedence_engine(searches->workers[to].search), news, n)) {
        return false;
      }
    }
  }
  for (int32_t w = 0; w < searches->n_workers; w++) {
    memplan_engine_forget_news(memplan_precedence_engine(searches->workers[w].search));
  }
  return true;
}

memplan_status memplan_precedences_end(memplan_precedences *searches, memplan_precedences_news *news,
                                       memplan_error *error) {
  *news = (memplan_precedences_news){.offset = NULL, .height = searches->upper, .lower = searches->lower};
  for (int32_t w = 0; w < searches->n_workers; w++) {
    const memplan_precedence *search = searches->workers[w].search;
    if (searches->workers[w].result == MEMPLAN_PRECEDENCE_NOMEM) {
      return memplan_fail_nomem(error);
    }
    news->full = news->full || searches->workers[w].result == MEMPLAN_PRECEDENCE_FULL;
    if (memplan_precedence_upper(search) < news->height) {
      news->height = memplan_precedence_upper(search);
      news->offset = memplan_precedence_offsets(search);
    }
    int64_t lower = memplan_precedence_lower(search);
    news->lower = lower > news->lower ? lower : news->lower;
  }
  return exchange(searches) ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_engine_counts memplan_precedences_count(const memplan_precedences *searches) {
  memplan_engine_counts sum = {0};
  for (int32_t w = 0; w < searches->n_workers; w++) {
    memplan_engine_counts own = memplan_precedence_count(searches->workers[w].search);
    sum.conflicts += own.conflicts;
    sum.ticks += own.ticks;
  }
  return sum;
}

bool memplan_precedences_prove(const memplan_precedences *searches, memplan_arena *arena, memplan_proof *proof,
                               bool *found) {
  *found = false;
  return searches->n_workers == 0 || memplan_precedence_prove(searches->workers[0].search, arena, proof, found);
}
