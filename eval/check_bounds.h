// SPDX-License-Identifier: Apache-2.0
// Bounds of the variables of a check by clauses, raised under assumptions and taken back. Each of an even side 2x says
// x >= value, of an odd one 2x + 1: -x >= value. What follows from a bound is the business of who owns them.
#ifndef MEMPLAN_EVAL_CHECK_BOUNDS_H
#define MEMPLAN_EVAL_CHECK_BOUNDS_H

#include "eval/check_meter.h"

typedef struct memplan_check_change {
  int64_t old;
  int32_t side;
} memplan_check_change;

typedef struct memplan_check_bounds {
  int64_t *value; // by side
  int32_t n_sides;
  int32_t n_offsets;             // variables before it: offsets, which are rounded
  memplan_check_change *changes; // oldest first; from `head` on nothing has been drawn yet
  int64_t n_changes, most_changes, room, head;
  memplan_check_meter *meter;
  bool stopped; // by a contradiction, or for good: nomem, spent
  bool nomem, spent;
  // The owner's: the smallest allowed bound >= value of an offset (INT64_MAX: none), and what follows from a side.
  int64_t (*round)(const void *owner, int32_t side, int64_t value);
  void (*draw)(void *owner, int32_t side);
  void *owner;
} memplan_check_bounds;

static inline bool memplan_check_bounds_is_true(const memplan_check_bounds *bounds, int32_t side, int64_t value) {
  return bounds->value[side] >= value;
}

// Do they contradict each other, until that is taken back?
static inline bool memplan_check_bounds_failed(const memplan_check_bounds *bounds) {
  return bounds->stopped && !bounds->nomem && !bounds->spent;
}

static inline void memplan_check_bounds_contradict(memplan_check_bounds *bounds) { bounds->stopped = true; }

// Makes a bound true, or notes that this contradicts another one. Nothing happens once they have stopped. O(1) and the
// owner's rounding.
void memplan_check_bounds_put(memplan_check_bounds *bounds, int32_t side, int64_t value);

// Draws all that follows from what was put.
void memplan_check_bounds_draw(memplan_check_bounds *bounds);

// Both; O(1) if it is true already.
void memplan_check_bounds_raise(memplan_check_bounds *bounds, int32_t side, int64_t value);

// Counts looks at the meter, which stops them for good when it is used up.
void memplan_check_bounds_charge(memplan_check_bounds *bounds, int64_t looks);

// Takes back everything since the mark, contradictions too.
int64_t memplan_check_bounds_mark(const memplan_check_bounds *bounds);
void memplan_check_bounds_undo(memplan_check_bounds *bounds, int64_t mark);

void memplan_check_bounds_free(memplan_check_bounds *bounds); // what they hold

#endif
