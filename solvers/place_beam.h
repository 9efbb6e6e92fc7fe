// SPDX-License-Identifier: Apache-2.0
// Beam search for a packing of a given height: builds many packings at once from the bottom up, an item a step, and
// keeps after each step those that have lost the least room. What it finds is a packing; that it finds none means
// nothing.
//
// Source: the shape of the search is that of beam searches for strip packing guided by waste (Libralesso and Fontan,
// EJOR 2021); the state is the skyline of PLACEMENT's section 3.
#ifndef MEMPLAN_SOLVERS_PLACE_BEAM_H
#define MEMPLAN_SOLVERS_PLACE_BEAM_H

#include "solvers/place_shape.h"

// States of one size are ranked by (lost room + room that is bound to be lost) / worth of the items placed.
typedef struct memplan_beam_rule {
  int32_t size, sections; // worth of an item: size^a * sections^b, powers in 1/1024
  int32_t scarcity;       // a lost unit weighs 1 / (slack of its section)^c, power in 1/1024
  int32_t noise;          // ranks are moved up to this far, in 1/65536 of a doubling
  int32_t few;            // states, in 1/1024 of the width: so many or less are as good as none
} memplan_beam_rule;

typedef enum memplan_beam_outcome {
  MEMPLAN_BEAM_FOUND = 0,
  MEMPLAN_BEAM_DEAD, // no state is left
  MEMPLAN_BEAM_SPENT,
  MEMPLAN_BEAM_NOMEM
} memplan_beam_outcome;

typedef struct memplan_place_beam memplan_place_beam;

// Only problems whose items have one height and may lie at every offset: there the sections say everything.
bool memplan_place_beam_accepts(const memplan_place_shape *shape);

// `shape` must be accepted and outlive the object. NULL if memory is out. O(items + sections) memory.
memplan_place_beam *memplan_place_beam_new(const memplan_place_shape *shape);
void memplan_place_beam_free(memplan_place_beam *beam); // may be NULL

// Bytes that a search of this width takes: at most two generations of states and the steps that lead to them, and what
// it saves.
int64_t memplan_place_beam_memory(const memplan_place_shape *shape, int32_t width, bool saves);

// Begins anew: for packings in which every item ends at or below `capacity` (units), with at most `width` > 0 states of
// a size. When none (or few) are left, the last ones go on at a larger capacity, up to `ceiling` >= capacity. `salt`:
// of the noise. False if memory is out.
bool memplan_place_beam_start(memplan_place_beam *beam, int64_t capacity, int64_t ceiling, int32_t width,
                              const memplan_beam_rule *rule, uint64_t salt);

// After a start with ceiling == capacity: keeps some states on the way, to go back to. False if memory is out.
bool memplan_place_beam_save(memplan_place_beam *beam);

// After an end in which no state was left: the search can go on, under another rule, some way before the farthest end
// that it has come to since its start. False: it cannot, for want of states saved so far back. Allocates nothing.
bool memplan_place_beam_again(memplan_place_beam *beam, const memplan_beam_rule *rule);

// For a search that goes on: a lower ceiling. False: its states have passed it.
bool memplan_place_beam_lower(memplan_place_beam *beam, int64_t ceiling);

// Goes on until `budget` more states have been looked at (checked after each step), or to the end. Found: offsets by
// item of the problem. After an end it has to be started again. Deterministic: a function of the calls since the start.
memplan_beam_outcome memplan_place_beam_run(memplan_place_beam *beam, int64_t budget, int64_t *offset);

// Items that the states at hand have placed, at an end those of the last ones; and how many are to be placed.
int32_t memplan_place_beam_depth(const memplan_place_beam *beam);
int32_t memplan_place_beam_items(const memplan_place_beam *beam);

// States looked at since the object was made.
int64_t memplan_place_beam_states(const memplan_place_beam *beam);

#endif
