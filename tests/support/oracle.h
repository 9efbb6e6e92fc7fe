// SPDX-License-Identifier: Apache-2.0
// Slow, literal re-implementation of the model for tiny problems: never benchmark. It reads the fields that a reader
// fills, nothing derived, and shares no code with the library: sets of bytes are arrays of bool, minima are found by
// trying everything.
#ifndef MEMPLAN_TESTS_ORACLE_H
#define MEMPLAN_TESTS_ORACLE_H

#include "model/memplan.h"

enum {
  ORACLE_OPS = 10,     // operators
  ORACLE_TENSORS = 48, // tensors
  ORACLE_BYTES = 544,  // bytes of one buffer, its views included
  ORACLE_PAIRS = 10,   // in-place pairs that are listed anywhere
  ORACLE_ITEMS = 48,   // things to be placed
  ORACLE_STEPS = 40,   // steps, or stretches of time of an instance
  ORACLE_ARENA = 400   // bytes of the arena
};

// ---- the graph by itself

int32_t oracle_root(const memplan_graph *graph, int32_t tensor);
int64_t oracle_offset(const memplan_graph *graph, int32_t tensor);
uint8_t oracle_roles(const memplan_graph *graph, int32_t root); // of all tensors of the buffer
bool oracle_writes(const memplan_graph *graph, int32_t op, int32_t output);
bool oracle_touches(const memplan_graph *graph, int32_t op, int32_t root);

// before[a][b]: operator a has to run before b; closed under transitivity; groups left out.
typedef struct oracle_precedence {
  bool before[ORACLE_OPS][ORACLE_OPS];
} oracle_precedence;

// Does the given order respect the graph's own rules, and is everything written before it is read? Fills `precedence`
// in any case (may be cyclic then). Ids and indices must be right.
bool oracle_graph_is_legal(const memplan_graph *graph, oracle_precedence *precedence);

// Does a permutation respect precedence and groups?
bool oracle_order_is_legal(const memplan_graph *graph, const oracle_precedence *precedence, const int32_t *order);

// Calls `visit` for each legal order until it returns false. Returns how many were visited.
int64_t oracle_for_each_order(const memplan_graph *graph, const oracle_precedence *precedence,
                              bool (*visit)(void *context, const int32_t *order), void *context);

// ---- the graph on an order

typedef struct oracle_pair {
  int32_t op, output, input;
} oracle_pair;

typedef struct oracle_choice {
  oracle_pair pairs[ORACLE_PAIRS];
  int32_t count;
} oracle_choice;

// One thing to be placed: a root tensor, or a workspace (tensor -1).
typedef struct oracle_item {
  const char *id;
  int32_t tensor, op;
  int64_t bytes;
  int32_t start, end; // live steps; equal: never
} oracle_item;

typedef struct oracle_items {
  oracle_item items[ORACLE_ITEMS];
  int32_t count;
} oracle_items;

// `workspace` by operator.
void oracle_find_items(const memplan_graph *graph, const memplan_problem_options *options, const int64_t *workspace,
                       const int32_t *order, oracle_items *items);

// May the pairs be chosen together on this order?
bool oracle_choice_is_legal(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_items *items, const int32_t *order, const oracle_choice *choice);

// Calls `visit` for each legal choice of pairs that can lie on each other, the empty one first.
void oracle_for_each_choice(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_items *items, const int32_t *order,
                            void (*visit)(void *context, const oracle_choice *choice), void *context);

// Largest load of a choice; and the least over all choices.
int64_t oracle_load(const memplan_graph *graph, const oracle_items *items, const int32_t *order,
                    const oracle_choice *choice);
int64_t oracle_order_peak(const memplan_graph *graph, const memplan_problem_options *options, const oracle_items *items,
                          const int32_t *order);

// ---- placements of a graph

enum { ORACLE_TOO_LONG = -2 };

typedef struct oracle_place {
  int64_t offset;
  int32_t pool;
} oracle_place;

// Byte-by-byte simulation: every step, every byte. `choice` must be legal.
bool oracle_placement_is_valid(const memplan_graph *graph, const memplan_problem_options *options,
                               const oracle_items *items, const int32_t *order, const oracle_choice *choice,
                               const oracle_place *places);

// Least peak of one order and choice by trying all offsets below `limit`; -1 if there is none, or if it would take too
// long. One pool. `places` (array of ORACLE_ITEMS, or NULL) receives a placement with that peak.
int64_t oracle_placement_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                                 const oracle_items *items, const int32_t *order, const oracle_choice *choice,
                                 int64_t limit, oracle_place *places);

// Least peak of one pool that holds just these items (by item), as oracle_placement_optimum; ORACLE_TOO_LONG if it
// would take too long.
int64_t oracle_pool_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_items *items, const int32_t *order, const oracle_choice *choice, int32_t pool,
                            const bool *within, int64_t limit);

// Least peak over orders, choices and offsets; -1 if none is below `limit`, or if a placement would take too long. One
// pool. `order_optimum` receives the least order peak.
int64_t oracle_joint_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                             const int64_t *workspace, const oracle_precedence *precedence, int64_t limit,
                             int64_t *order_optimum);

// The same with the operators' own workspaces. False: in the given order the graph has more than `most_items` items, of
// which the enumeration would take too long.
bool oracle_small_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                          const oracle_precedence *precedence, int32_t most_items, int64_t limit, int64_t *optimum,
                          int64_t *order_optimum);

// ---- instances. Times must be in 0 … ORACLE_STEPS-1.

bool oracle_instance_placement_is_valid(const memplan_instance *instance, const memplan_problem_options *options,
                                        const oracle_place *places);
int64_t oracle_instance_load(const memplan_instance *instance);
// As oracle_placement_optimum, for one pool; ORACLE_TOO_LONG if it would take too long.
int64_t oracle_instance_optimum(const memplan_instance *instance, const memplan_problem_options *options, int64_t limit,
                                oracle_place *places);

#endif
