// SPDX-License-Identifier: Apache-2.0
// Offsets of two buffers of one instance under conditions of chosen kinds. Internal to explain_pair.
#ifndef MEMPLAN_SOLVERS_EXPLAIN_TIES_H
#define MEMPLAN_SOLVERS_EXPLAIN_TIES_H

#include "solvers/explain_pair.h"

// A set of kinds.
typedef uint32_t memplan_ties;
static inline memplan_ties memplan_ties_of(memplan_tie tie) { return UINT32_C(1) << tie; }

typedef struct memplan_two_buffers {
  const memplan_instance *instance;
  int32_t buffer[2];       // different ones
  int64_t low[2], high[2]; // the bytes of each that are asked about, low < high
  int64_t capacity;        // of each pool, -1: their own
} memplan_two_buffers;

// Are there offsets that meet the conditions of these kinds (MEMPLAN_TIE_LIFETIME and later ones) and let the bytes
// asked about meet? Without pools among them any pool will do. Memory is taken from `scratch` and given back.
memplan_status memplan_ties_admit(const memplan_two_buffers *two, memplan_ties ties, memplan_arena *scratch,
                                  bool *admitted, memplan_error *error);

// The first stretch of times at which both are in memory; false if there is none, or memory is out.
bool memplan_ties_meeting(const memplan_two_buffers *two, memplan_arena *scratch, memplan_interval *times);

// "separate" or "conflicts" if such a rule names both, else NULL.
const char *memplan_ties_rule(const memplan_instance *instance, int32_t first, int32_t second);

#endif
