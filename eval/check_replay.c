// SPDX-License-Identifier: Apache-2.0
#include "eval/check_replay.h"

#include "model/base/grow.h"

#include <stdlib.h>

typedef struct change {
  int32_t side;
  int64_t old;
} change;

struct memplan_replay {
  const memplan_check_model *model;
  int64_t *bound;
  int32_t n_sides, height;
  change *changes; // also the queue
  int64_t n_changes, most_changes, capacity, head;
  memplan_check_meter *meter;
  bool failed, nomem, spent;
};

static void set(memplan_replay *replay, int32_t side, int64_t value) {
  const memplan_check_model *model = replay->model;
  if (replay->failed || replay->nomem || replay->spent || replay->bound[side] >= value) {
    return;
  }
  int32_t variable = side >> 1;
  if (variable < model->n_items) {
    const memplan_check_item *item = &model->items[variable];
    if ((side & 1) == 0) {
      value = memplan_check_item_up(item, value);
    } else {
      int64_t down = value > 0 ? -1 : memplan_check_item_down(item, -value);
      value = down < 0 ? INT64_MAX : -down;
    }
  }
  if (value > -replay->bound[side ^ 1]) {
    replay->failed = true;
    return;
  }
  if (replay->n_changes >= replay->most_changes) {
    replay->spent = true;
    return;
  }
  change *changes = memplan_grow_heap(replay->changes, replay->n_changes, &replay->capacity, sizeof *changes);
  if (changes == NULL) {
    replay->nomem = true;
    return;
  }
  replay->changes = changes;
  changes[replay->n_changes++] = (change){side, replay->bound[side]};
  replay->bound[side] = value;
}

static int32_t guard_of(const memplan_replay *replay, int32_t pair) { return 2 * (replay->height + 1 + pair); }

// One pair: what its decision says about the offsets, or the offsets about it.
static void draw_pair(memplan_replay *replay, int32_t index) {
  const memplan_check_pair *pair = &replay->model->pairs[index];
  const int64_t *bound = replay->bound;
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

static void draw(memplan_replay *replay) {
  const memplan_check_model *model = replay->model;
  while (replay->head < replay->n_changes && !replay->failed && !replay->nomem && !replay->spent) {
    int32_t side = replay->changes[replay->head++].side, variable = side >> 1;
    replay->spent = !memplan_check_meter_spend(replay->meter, count_looks(replay, variable));
    if (variable < model->n_items) {
      for (int32_t k = model->first_touch[variable]; k < model->first_touch[variable + 1]; k++) {
        draw_pair(replay, model->touches[k]);
      }
    } else if (variable == replay->height) {
      for (int32_t k = 0; k < model->n_items && (side & 1) != 0; k++) {
        set(replay, 2 * k + 1, replay->bound[side] + model->items[k].size);
      }
    } else {
      int32_t pair = variable - replay->height - 1;
      draw_pair(replay, pair);
      draw_chain(replay, pair, (side & 1) == 0);
    }
  }
}

memplan_replay *memplan_replay_new(const memplan_check_model *model, int64_t top, memplan_check_meter *meter,
                                   int64_t most_changes) {
  memplan_replay *replay = calloc(1, sizeof *replay);
  if (replay == NULL) {
    return NULL;
  }
  replay->model = model;
  replay->meter = meter;
  replay->most_changes = most_changes;
  replay->height = model->n_items;
  replay->n_sides = 2 * (model->n_items + 1 + model->n_pairs);
  replay->bound = calloc((size_t)replay->n_sides, sizeof *replay->bound);
  if (replay->bound == NULL) {
    free(replay);
    return NULL;
  }
  for (int32_t k = 0; k < model->n_items; k++) {
    int64_t low = memplan_check_item_up(&model->items[k], 0);
    int64_t high =
        top - model->items[k].size < 0 ? -1 : memplan_check_item_down(&model->items[k], top - model->items[k].size);
    replay->failed = replay->failed || low > high;
    replay->bound[2 * k] = replay->failed ? 0 : low;
    replay->bound[2 * k + 1] = replay->failed ? 0 : -high;
  }
  replay->bound[2 * replay->height + 1] = -top;
  for (int32_t k = 0; k < model->n_pairs; k++) {
    replay->bound[guard_of(replay, k) + 1] = -1;
  }
  for (int32_t k = 0; k < model->n_pairs; k++) {
    draw_pair(replay, k);
  }
  draw(replay);
  return replay;
}

void memplan_replay_free(memplan_replay *replay) {
  if (replay != NULL) {
    free(replay->bound);
    free(replay->changes);
    free(replay);
  }
}

int32_t memplan_replay_sides(const memplan_replay *replay) { return replay->n_sides; }

bool memplan_replay_is_true(const memplan_replay *replay, int32_t side, int64_t value) {
  return replay->bound[side] >= value;
}

void memplan_replay_raise(memplan_replay *replay, int32_t side, int64_t value) {
  set(replay, side, value);
  draw(replay);
}

bool memplan_replay_failed(const memplan_replay *replay) { return replay->failed; }

bool memplan_replay_nomem(const memplan_replay *replay) { return replay->nomem; }

bool memplan_replay_spent(const memplan_replay *replay) { return replay->spent; }

int64_t memplan_replay_mark(const memplan_replay *replay) { return replay->n_changes; }

void memplan_replay_undo(memplan_replay *replay, int64_t mark) {
  while (replay->n_changes > mark) {
    const change *last = &replay->changes[--replay->n_changes];
    replay->bound[last->side] = last->old;
  }
  replay->head = mark;
  replay->failed = false;
}
