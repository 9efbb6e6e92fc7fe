// SPDX-License-Identifier: Apache-2.0
#include "eval/check_replay.h"

#include <stdlib.h>

struct memplan_replay {
  const memplan_check_model *model;
  int32_t height; // the variable
  memplan_check_bounds bounds;
};

static int64_t round_offset(const void *owner, int32_t side, int64_t value) {
  const memplan_replay *replay = owner;
  const memplan_check_item *item = &replay->model->items[side >> 1];
  if ((side & 1) == 0) {
    return memplan_check_item_up(item, value);
  }
  int64_t down = value > 0 ? -1 : memplan_check_item_down(item, -value);
  return down < 0 ? INT64_MAX : -down;
}

static void set(memplan_replay *replay, int32_t side, int64_t value) {
  memplan_check_bounds_put(&replay->bounds, side, value);
}

static int32_t guard_of(const memplan_replay *replay, int32_t pair) { return 2 * (replay->height + 1 + pair); }

// One pair: what its decision says about the offsets, or the offsets about it.
static void draw_pair(memplan_replay *replay, int32_t index) {
  const memplan_check_pair *pair = &replay->model->pairs[index];
  const int64_t *bound = replay->bounds.value;
  int32_t guard = guard_of(replay, index), a = 2 * pair->a, b = 2 * pair->b;
  // off(b) - off(a) >= high, or <= low
  if (bound[guard] >= 1) {
    set(replay, b, bound[a] + pair->high);
    set(replay, a + 1, bound[b + 1] + pair->high);
  } else if (bound[guard + 1] >= 0) {
    set(replay, a, bound[b] - pair->low);
    set(replay, b + 1, bound[a + 1] - pair->low);
  } else if (bound[a] + pair->high > -bound[b + 1]) {
    set(replay, guard + 1, 0);
  } else if (bound[b] - pair->low > -bound[a + 1]) {
    set(replay, guard, 1);
  }
}

// Several intervals of two items: above a higher one is above the lower one.
static void draw_chain(memplan_replay *replay, int32_t index, bool above) {
  const memplan_check_pair *pairs = replay->model->pairs;
  int32_t next = above ? index - 1 : index + 1;
  if (next >= 0 && next < replay->model->n_pairs && pairs[next].a == pairs[index].a &&
      pairs[next].b == pairs[index].b) {
    set(replay, guard_of(replay, next) + !above, above ? 1 : 0);
  }
}

// What drawing from a bound looks at.
static int64_t count_looks(const memplan_replay *replay, int32_t variable) {
  const memplan_check_model *model = replay->model;
  if (variable < model->n_items) {
    return 1 + model->first_touch[variable + 1] - model->first_touch[variable];
  }
  return variable == replay->height ? 1 + model->n_items : 2;
}

static void draw(void *owner, int32_t side) {
  memplan_replay *replay = owner;
  const memplan_check_model *model = replay->model;
  int32_t variable = side >> 1;
  memplan_check_bounds_charge(&replay->bounds, count_looks(replay, variable));
  if (variable < model->n_items) {
    for (int32_t k = model->first_touch[variable]; k < model->first_touch[variable + 1]; k++) {
      draw_pair(replay, model->touches[k]);
    }
  } else if (variable == replay->height) {
    for (int32_t k = 0; k < model->n_items && (side & 1) != 0; k++) {
      set(replay, 2 * k + 1, replay->bounds.value[side] + model->items[k].size);
    }
  } else {
    int32_t pair = variable - replay->height - 1;
    draw_pair(replay, pair);
    draw_chain(replay, pair, (side & 1) == 0);
  }
}

// Bounds before anything is drawn.
static void set_bounds(memplan_replay *replay, int64_t top) {
  const memplan_check_model *model = replay->model;
  memplan_check_bounds *bounds = &replay->bounds;
  for (int32_t k = 0; k < model->n_items; k++) {
    int64_t room = top - model->items[k].size, low = memplan_check_item_up(&model->items[k], 0);
    int64_t high = room < 0 ? -1 : memplan_check_item_down(&model->items[k], room);
    bounds->stopped = bounds->stopped || low > high;
    bounds->value[2 * k] = bounds->stopped ? 0 : low;
    bounds->value[2 * k + 1] = bounds->stopped ? 0 : -high;
  }
  bounds->value[2 * replay->height + 1] = -top;
  for (int32_t k = 0; k < model->n_pairs; k++) {
    bounds->value[guard_of(replay, k) + 1] = -1;
  }
}

memplan_replay *memplan_replay_new(const memplan_check_model *model, int64_t top, memplan_check_meter *meter,
                                   int64_t most_changes) {
  memplan_replay *replay = calloc(1, sizeof *replay);
  if (replay == NULL) {
    return NULL;
  }
  int32_t n_sides = 2 * (model->n_items + 1 + model->n_pairs);
  int64_t *value = calloc((size_t)n_sides, sizeof *value);
  if (value == NULL) {
    free(replay);
    return NULL;
  }
  replay->model = model;
  replay->height = model->n_items;
  replay->bounds = (memplan_check_bounds){.value = value,
                                          .n_sides = n_sides,
                                          .n_offsets = model->n_items,
                                          .most_changes = most_changes,
                                          .meter = meter,
                                          .round = round_offset,
                                          .draw = draw,
                                          .owner = replay};
  set_bounds(replay, top);
  for (int32_t k = 0; k < model->n_pairs; k++) {
    draw_pair(replay, k);
  }
  memplan_check_bounds_draw(&replay->bounds);
  return replay;
}

void memplan_replay_free(memplan_replay *replay) {
  if (replay != NULL) {
    memplan_check_bounds_free(&replay->bounds);
    free(replay);
  }
}

memplan_check_bounds *memplan_replay_bounds(memplan_replay *replay) { return &replay->bounds; }
