// SPDX-License-Identifier: Apache-2.0
#include "eval/check_bounds.h"

#include "model/base/grow.h"

#include <stdlib.h>

static void give_up(memplan_check_bounds *bounds) { bounds->spent = bounds->stopped = true; }

void memplan_check_bounds_charge(memplan_check_bounds *bounds, int64_t looks) {
  if (!memplan_check_meter_spend(bounds->meter, looks)) {
    give_up(bounds);
  }
}

void memplan_check_bounds_put(memplan_check_bounds *bounds, int32_t side, int64_t value) {
  if (bounds->stopped || bounds->value[side] >= value) {
    return;
  }
  int64_t most = -bounds->value[side ^ 1];
  if (value <= most && side >> 1 < bounds->n_offsets) {
    value = bounds->round(bounds->owner, side, value);
  }
  if (value > most) {
    bounds->stopped = true;
    return;
  }
  if (bounds->n_changes >= bounds->most_changes) {
    give_up(bounds);
    return;
  }
  memplan_check_change *changes = memplan_grow_heap(bounds->changes, bounds->n_changes, &bounds->room, sizeof *changes);
  if (changes == NULL) {
    bounds->nomem = bounds->stopped = true;
    return;
  }
  bounds->changes = changes;
  changes[bounds->n_changes++] = (memplan_check_change){bounds->value[side], side};
  bounds->value[side] = value;
}

void memplan_check_bounds_draw(memplan_check_bounds *bounds) {
  while (!bounds->stopped && bounds->head < bounds->n_changes) {
    bounds->draw(bounds->owner, bounds->changes[bounds->head++].side);
  }
}

void memplan_check_bounds_raise(memplan_check_bounds *bounds, int32_t side, int64_t value) {
  memplan_check_bounds_put(bounds, side, value);
  memplan_check_bounds_draw(bounds);
}

int64_t memplan_check_bounds_mark(const memplan_check_bounds *bounds) { return bounds->n_changes; }

void memplan_check_bounds_undo(memplan_check_bounds *bounds, int64_t mark) {
  while (bounds->n_changes > mark) {
    const memplan_check_change *last = &bounds->changes[--bounds->n_changes];
    bounds->value[last->side] = last->old;
  }
  bounds->head = mark;
  bounds->stopped = bounds->nomem || bounds->spent;
}

void memplan_check_bounds_free(memplan_check_bounds *bounds) {
  free(bounds->value);
  free(bounds->changes);
}
