// SPDX-License-Identifier: Apache-2.0
// Runs placement methods in cmocka tests, and makes instances that are too large for the oracle.
#ifndef MEMPLAN_TESTS_PLACE_METHOD_H
#define MEMPLAN_TESTS_PLACE_METHOD_H

#include "tests/support/random_problem.h"

typedef struct placement {
  memplan_arena arena; // owns the arrays of the result
  memplan_method_result result;
} placement;

// Runs the method; asserts that it works and that outcome and failed block agree. Free the arena afterwards. False if
// it declines the instance: there is nothing to free then.
bool place_run(const memplan_method *method, const memplan_instance *instance, placement *placed);

// The registered method of that name; there must be one.
const memplan_method *place_find(const char *name);

// Peak with the method of that name, which must accept the instance and place everything.
int64_t place_peak(const char *name, const memplan_instance *instance);

// The block of the buffer of that id; there must be one.
int32_t place_block_of(const memplan_instance *instance, const char *id);

enum { MANY_BUFFERS = 300 };

typedef struct many {
  memplan_instance instance;
  memplan_buffer buffers[MANY_BUFFERS];
  memplan_interval live[MANY_BUFFERS][2];
  memplan_gap gaps[MANY_BUFFERS];
  memplan_rule separate[20], colocate[20];
  char ids[MANY_BUFFERS][16];
} many;

// Plain buffers if not `rich`; else a fifth each have two lifetimes or a gap, all have alignments, and some lie in
// others or must stay apart from others. n >= 100 if rich. Resolved; to be freed by memplan_instance_free.
void place_make_many(random_state *random, int32_t n, int32_t horizon, bool rich, many *made);

// May the two blocks of one pool lie there? Compares all their parts.
bool place_agree(const memplan_instance *instance, int32_t a, int64_t offset_a, int32_t b, int64_t offset_b);

#endif
