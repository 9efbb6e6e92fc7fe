// SPDX-License-Identifier: Apache-2.0
// Branch and bound for one question: does the problem have a packing of a given height? Learns nogoods from failures,
// which stay valid over restarts and for smaller heights.
#ifndef MEMPLAN_SOLVERS_PLACE_SEARCH_H
#define MEMPLAN_SOLVERS_PLACE_SEARCH_H

#include "solvers/place_nogood.h"
#include "solvers/place_shape.h"

typedef enum memplan_search_outcome {
  MEMPLAN_SEARCH_FOUND = 0, // a packing
  MEMPLAN_SEARCH_REFUTED,   // proven: none
  MEMPLAN_SEARCH_BUDGET     // undecided
} memplan_search_outcome;

// Techniques that can be switched off, for ablation and tests: any subset of them is complete.
typedef enum memplan_search_rule {
  MEMPLAN_RULE_SECTION = 1,   // bounds from sections (with the late sets)
  MEMPLAN_RULE_RISE = 2,      // bounds of items that cannot be the first of a section
  MEMPLAN_RULE_DOMINANCE = 4, // an item below which another one fits is not the first
  MEMPLAN_RULE_LIMIT = 8,     // nor one that lies above the threshold of some section
  MEMPLAN_RULE_HATLESS = 16,  // an item without unplaced neighbours is placed at once
  MEMPLAN_RULE_SPLIT = 32,    // parts without common section are packed one by one
  MEMPLAN_RULE_BACKJUMP = 64,
  MEMPLAN_RULE_STORE = 128,
  MEMPLAN_RULE_TWINS = 256, // of twins with equal bounds only the one with the least index is tried as the first
  MEMPLAN_RULE_ALL = 511
} memplan_search_rule;

typedef struct memplan_place_search memplan_place_search;

typedef struct memplan_search_options {
  int32_t n_nogoods; // room of the store
  int32_t longest;   // longest nogood that is stored
  int32_t rules;     // sum of memplan_search_rule
} memplan_search_options;

// One search; allocates nothing afterwards. `shape` must outlive it. NULL if memory is out. Memory O(n^2 + store).
memplan_place_search *memplan_place_search_new(const memplan_place_shape *shape, const memplan_search_options *options,
                                               memplan_arena *arena);

// Which of the items that could lie lowest is tried first.
typedef struct memplan_search_order {
  const int32_t *rank; // by item of the problem; a permutation of 0 … n-1
  // Before the rank counts how tight the tightest section of the item is: capacity less the heights of its unplaced
  // items, divided by 2^coarseness. -1: the rank alone counts.
  int32_t coarseness;
} memplan_search_order;

// Looks for a packing in which every item ends at or below `capacity` (units), trying items in the order given. At most
// `node_budget` items are placed. Found: the offsets by item of the problem. Nogoods are kept from call to call where
// that is valid. Deterministic: a function of the calls so far.
memplan_search_outcome memplan_place_search_run(memplan_place_search *search, int64_t capacity,
                                                memplan_search_order order, int64_t node_budget, int64_t *offset);

// Items placed in all runs so far, and roots refuted at once.
int64_t memplan_place_search_nodes(const memplan_place_search *search);

// The store. Its nogoods speak of items of the shape, and hold for the returned capacity and all smaller ones.
memplan_nogoods *memplan_place_search_store(memplan_place_search *search, int64_t *capacity);

#endif
