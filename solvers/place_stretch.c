// SPDX-License-Identifier: Apache-2.0
// Blocks are sorted by start, so that those that start before a time are a range; the latest end so far tells where a
// range of those that may still be live begins.
#include "solvers/place_stretch.h"

static const memplan_block *block_at(const memplan_timeline *timeline, int32_t place) {
  return &timeline->instance->blocks[timeline->blocks[place]];
}

bool memplan_timeline_make(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                           memplan_arena *arena, memplan_timeline *timeline) {
  int32_t *latest = MEMPLAN_NEW_RAW(arena, int32_t, n_blocks);
  *timeline = (memplan_timeline){.instance = instance,
                                 .blocks = blocks,
                                 .n_blocks = n_blocks,
                                 .load = memplan_instance_profile(instance, arena),
                                 .latest = latest};
  if (latest == NULL || timeline->load == NULL) {
    return false;
  }
  int32_t so_far = 0;
  for (int32_t place = 0; place < n_blocks; place++) {
    so_far = block_at(timeline, place)->end > so_far ? block_at(timeline, place)->end : so_far;
    latest[place] = so_far;
  }
  return true;
}

int32_t memplan_timeline_fullest(const memplan_timeline *timeline, int32_t start, int32_t end) {
  int32_t fullest = start;
  for (int32_t time = start; time < end; time++) {
    fullest = timeline->load[time] > timeline->load[fullest] ? time : fullest;
  }
  return fullest;
}

// The first place whose latest end is after `time`.
static int32_t first_after(const memplan_timeline *timeline, int32_t time) {
  int32_t low = 0;
  int32_t high = timeline->n_blocks;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (timeline->latest[middle] > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The first place that starts at `time` or later.
static int32_t first_from(const memplan_timeline *timeline, int32_t time) {
  int32_t low = 0;
  int32_t high = timeline->n_blocks;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (block_at(timeline, middle)->start >= time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

bool memplan_stretch_meets(const memplan_timeline *timeline, const memplan_stretch *stretch, int32_t place) {
  return block_at(timeline, place)->end > stretch->start && block_at(timeline, place)->start < stretch->end;
}

static int32_t count_live(const memplan_timeline *timeline, memplan_stretch *stretch) {
  int32_t count = 0;
  stretch->first = first_after(timeline, stretch->start);
  stretch->last = first_from(timeline, stretch->end);
  for (int32_t place = stretch->first; place < stretch->last; place++) {
    count += memplan_stretch_meets(timeline, stretch, place);
  }
  return count;
}

static int32_t find_emptiest(const memplan_timeline *timeline, int32_t from, int32_t to) {
  int32_t emptiest = from;
  for (int32_t time = from; time < to; time++) {
    emptiest = timeline->load[time] < timeline->load[emptiest] ? time : emptiest;
  }
  return emptiest;
}

static memplan_stretch reach_out(const memplan_timeline *timeline, int32_t centre, int32_t reach) {
  int32_t n_times = timeline->instance->n_times;
  return (memplan_stretch){.start = centre > reach ? centre - reach : 0,
                           .end = n_times - centre > reach ? centre + reach : n_times};
}

memplan_stretch memplan_stretch_around(const memplan_timeline *timeline, int32_t centre, int32_t n_wanted) {
  int32_t n_times = timeline->instance->n_times;
  int32_t reach = 1;
  memplan_stretch stretch = reach_out(timeline, centre, reach);
  while (count_live(timeline, &stretch) < n_wanted && (stretch.start > 0 || stretch.end < n_times)) {
    reach = reach > n_times / 2 ? n_times : reach * 2;
    stretch = reach_out(timeline, centre, reach);
  }
  for (int32_t step = reach / 4; step > 0; step /= 2) { // as wide as it can be without more than that
    memplan_stretch narrower = reach_out(timeline, centre, reach - step);
    if (reach - step > 0 && count_live(timeline, &narrower) >= n_wanted) {
      reach -= step;
      stretch = narrower;
    }
  }
  if (stretch.start > 0) {
    stretch.start = find_emptiest(timeline, stretch.start, stretch.start + (centre - stretch.start) / 2);
  }
  if (stretch.end < n_times) {
    stretch.end = find_emptiest(timeline, centre + (stretch.end - centre) / 2, stretch.end) + 1;
  }
  (void)count_live(timeline, &stretch);
  return stretch;
}
