// SPDX-License-Identifier: Apache-2.0
// Small problems with little room: some buffers with random lifetimes set a load; then every section of time is filled
// to a share of it with pieces of one to three sections. The optimum is often above the load, which only a proof can
// tell. With a wished number of buffers, drafts are made until one has it.
#include "instances/generators.h"

#include "model/base/rng.h"

#include <string.h>

enum { most_buffers = 200, most_sections = 80, most_drafts = 20000 };

typedef struct piece {
  int64_t bytes;
  int32_t start, end;
} piece;

typedef struct draft {
  piece pieces[most_buffers];
  int64_t load[most_sections];
  int32_t n_pieces, n_sections;
} draft;

static void add(draft *d, int64_t bytes, int32_t start, int32_t end) {
  d->pieces[d->n_pieces++] = (piece){bytes, start, end};
  for (int32_t t = start; t < end; t++) {
    d->load[t] += bytes;
  }
}

// Uniform in 8 … 80, or with logarithms spread evenly over 8 … 255.
static int64_t draw_size(memplan_rng *rng, bool uniform) {
  int64_t low = uniform ? 8 : INT64_C(8) << memplan_rng_below(rng, 5);
  return memplan_rng_between(rng, low, uniform ? 80 : 2 * low - 1);
}

// How many bytes of the sections start … end-1 are free below `goal` at once.
static int64_t find_room(const draft *d, int32_t start, int32_t end, int64_t goal) {
  int64_t room = goal;
  for (int32_t t = start; t < end; t++) {
    int64_t free = goal - d->load[t];
    room = free < room ? free : room;
  }
  return room;
}

// False if the pieces are too many.
static bool fill_sections(draft *d, memplan_rng *rng, int64_t goal, bool uniform) {
  for (int32_t t = 0; t < d->n_sections; t++) {
    while (d->load[t] < goal) {
      int32_t end = t + 1 + (int32_t)memplan_rng_below(rng, 3);
      end = end > d->n_sections ? d->n_sections : end;
      int64_t bytes = draw_size(rng, uniform);
      while (end > t + 1 && find_room(d, t, end, goal) < bytes) {
        end--;
      }
      int64_t room = find_room(d, t, end, goal);
      if (d->n_pieces >= most_buffers) {
        return false;
      }
      // A remainder too small for a piece of its own goes into this one.
      add(d, room - bytes < 8 ? room : bytes, t, end);
    }
  }
  return true;
}

static bool make_draft(draft *d, memplan_rng *rng, int64_t n, int64_t fill) {
  memset(d, 0, sizeof *d);
  bool uniform = memplan_rng_below(rng, 2) == 0;
  int64_t about = n > 0 ? n : memplan_rng_between(rng, 21, 61);
  d->n_sections = (int32_t)(memplan_rng_between(rng, about / 4, about / 3 + 2));
  d->n_sections = d->n_sections < 2 ? 2 : d->n_sections > most_sections ? most_sections : d->n_sections;
  int64_t n_random = memplan_rng_between(rng, about / 4, about / 2) + 1;
  for (int64_t k = 0; k < n_random && d->n_pieces < most_buffers; k++) {
    int32_t start = (int32_t)memplan_rng_below(rng, d->n_sections);
    int32_t longest = d->n_sections - start < 8 ? d->n_sections - start : 8;
    int32_t length = 1 + (int32_t)memplan_rng_below(rng, longest);
    add(d, draw_size(rng, uniform), start, start + length);
  }
  int64_t load = 0;
  for (int32_t t = 0; t < d->n_sections; t++) {
    load = d->load[t] > load ? d->load[t] : load;
  }
  int64_t percent = fill > 0 ? fill : memplan_rng_below(rng, 2) == 0 ? 90 : 100;
  return fill_sections(d, rng, load * percent / 100, uniform);
}

static bool has_wished_number(const draft *d, int64_t n) {
  return n > 0 ? d->n_pieces == n : d->n_pieces >= 21 && d->n_pieces <= 61;
}

static memplan_status make(const memplan_generator_wishes *wishes, memplan_instance *instance, memplan_error *error) {
  draft *d = MEMPLAN_NEW(&instance->arena, draft, 1);
  memplan_rng rng;
  bool found = false;
  if (d == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_rng_start(&rng, wishes->seed, (uint64_t)wishes->index);
  for (int32_t k = 0; k < most_drafts && !found; k++) {
    found = make_draft(d, &rng, wishes->n, wishes->fill) && has_wished_number(d, wishes->n);
  }
  if (!found) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "seed %llu gives no tight instance of %lld buffers at this --fill; try another number",
                        (unsigned long long)wishes->seed, (long long)wishes->n);
  }
  MEMPLAN_TRY(memplan_generator_allocate(instance, d->n_pieces, error));
  // In an order that tells nothing of how they came about.
  for (int32_t left = d->n_pieces; left > 0; left--) {
    int32_t at = (int32_t)memplan_rng_below(&rng, left);
    memplan_generator_set(instance, d->n_pieces - left, d->pieces[at].bytes, d->pieces[at].start, d->pieces[at].end);
    d->pieces[at] = d->pieces[left - 1];
  }
  return MEMPLAN_OK;
}

const memplan_generator memplan_generator_tight = {
    .name = "tight",
    .summary = "random lifetimes, then every section of time filled to a share of the load: often no plan at the load",
    .parameters = "--n 8 to 200 buffers (default: 21 to 61), --fill percent of the load (default: 90 or 100)",
    .things = "buffers",
    .least_n = 8,
    .most_n = most_buffers,
    .takes_fill = true,
    .make = make,
};
