// SPDX-License-Identifier: Apache-2.0
// Room of a skyline that is bound to be lost: an unplaced item lies at or above the highest level of its sections, so
// that what the lowest such bound of a section is above its level stays empty.
#ifndef MEMPLAN_SOLVERS_PLACE_OUTLOOK_H
#define MEMPLAN_SOLVERS_PLACE_OUTLOOK_H

#include "model/base/arena.h"
#include "solvers/place_shape.h"

typedef struct memplan_outlook_owner {
  int32_t item;
  int64_t lost; // of the sections whose bound it is, weighted
} memplan_outlook_owner;

// Of a skyline whose levels and slacks (room that a section may still lose) belong to the caller.
typedef struct memplan_outlook {
  const memplan_place_shape *shape;
  const int32_t *level, *slack, *weight; // by section
  int32_t n_open;                        // unplaced items
  int32_t *sorted;                       // by their bounds
  int32_t *least;                        // by item: its bound
  int64_t lost;                          // bound to be, weighted: what the last survey found
  int32_t n_words;                       // of a set of sections
  int32_t n_owners;
  memplan_outlook_owner *owners;
  uint64_t *owned;          // by owner: set of sections
  uint64_t *uncovered;      // set of sections whose bound is not known yet
  int32_t *to_gap, *to_top; // items whose bounds rise
} memplan_outlook;

// False if memory is out.
bool memplan_outlook_init(memplan_outlook *outlook, const memplan_place_shape *shape, const int32_t *level,
                          const int32_t *slack, const int32_t *weight, memplan_arena *arena);

// From and to what a state keeps: bounds by item and the unplaced items sorted by them, the one without `placed`.
void memplan_outlook_load(memplan_outlook *outlook, int32_t n_open, const uint16_t *sorted, const int32_t *least);
void memplan_outlook_store(const memplan_outlook *outlook, int32_t placed, uint16_t *sorted, int32_t *least);

// The sections [from, to), all below `level` before, have risen to it. O(unplaced items).
void memplan_outlook_raise(memplan_outlook *outlook, int32_t from, int32_t to, int32_t level);

// Surveys the skyline as it is. False: some section loses more than it may.
bool memplan_outlook_survey(memplan_outlook *outlook);

typedef struct memplan_outlook_step {
  int32_t item, begin; // placed; what lies between `begin` and it is closed up
  int32_t gap_level, top;
} memplan_outlook_step;

// What is bound to be lost after a step from the skyline last surveyed, whose levels and slacks have been changed; -1:
// more than some section may lose, or than `most`.
int64_t memplan_outlook_after(memplan_outlook *outlook, const memplan_outlook_step *step, int64_t most);

#endif
