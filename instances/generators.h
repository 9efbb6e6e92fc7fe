// SPDX-License-Identifier: Apache-2.0
// Seeded families of placement problems and graphs, one in each generate_*.c, in the one list of generators.c.
#ifndef MEMPLAN_INSTANCES_GENERATORS_H
#define MEMPLAN_INSTANCES_GENERATORS_H

#include "model/base/status.h"
#include "model/memplan.h"

#include <stdint.h>

typedef struct memplan_generator_wishes {
  uint64_t seed;
  int64_t index; // of the instance among those of one seed
  int64_t n;     // buffers or operators; 0: the family's own choice
  int64_t fill;  // percent; 0: the family's own choice
} memplan_generator_wishes;

typedef struct memplan_generator {
  const char *name;
  const char *summary;    // one line
  const char *parameters; // what --n and --fill mean to it, one line
  const char *things;     // what --n counts
  int64_t least_n, most_n;
  bool takes_fill;
  // One of the two. Fills an initialised instance or graph, which is not resolved; the wishes are in range. Equal
  // wishes give equal problems on every machine. Buffers are called "0", "1", … in the order of the list, tensors "t0",
  // "t1", … and operators "op0", "op1", … in the given order.
  memplan_status (*make)(const memplan_generator_wishes *wishes, memplan_instance *instance, memplan_error *error);
  memplan_status (*make_graph)(const memplan_generator_wishes *wishes, memplan_graph *graph, memplan_error *error);
} memplan_generator;

int32_t memplan_generator_count(void);
const memplan_generator *memplan_generator_at(int32_t index);
const memplan_generator *memplan_generator_find(const char *name); // or NULL

// Checks the wishes (MEMPLAN_INPUT) and makes and resolves the instance; only for families of instances.
memplan_status memplan_generate(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                memplan_instance *instance, memplan_error *error);

// The same for every family: into an initialised problem, whose options and path it sets.
memplan_status memplan_generate_problem(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                        memplan_problem *problem, memplan_error *error);

// ---- for the families

extern const memplan_generator memplan_generator_tight;
extern const memplan_generator memplan_generator_random;
extern const memplan_generator memplan_generator_gap;
extern const memplan_generator memplan_generator_layered;

// Room for `count` buffers, numbered and without lifetimes, alignment 1. MEMPLAN_NOMEM.
memplan_status memplan_generator_allocate(memplan_instance *instance, int64_t count, memplan_error *error);

// Gives buffer `index` its size and one lifetime.
void memplan_generator_set(memplan_instance *instance, int64_t index, int64_t bytes, int64_t start, int64_t end);

// Operator `reader` reads what operator `writer` makes.
typedef struct memplan_generator_edge {
  int32_t writer, reader;
} memplan_generator_edge;

// A graph of n operators, each of which makes one tensor of so many bytes; what nobody reads is an output. Edges may
// repeat. O(n x edges). MEMPLAN_NOMEM.
memplan_status memplan_generator_fill(memplan_graph *graph, int32_t n, const int64_t *bytes,
                                      const memplan_generator_edge *edges, int64_t n_edges, memplan_error *error);

#endif
