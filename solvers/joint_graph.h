// SPDX-License-Identifier: Apache-2.0
// What the integer programs over orders and the joint engine see of a graph: operators with all that is known of their
// order, and items, the things that occupy memory from some operators to some others.
//
// All bytes are in units: the greatest common divisor of all sizes, distances and fixed offsets, and of those
// alignments that it is no multiple of already.
#ifndef MEMPLAN_SOLVERS_JOINT_GRAPH_H
#define MEMPLAN_SOLVERS_JOINT_GRAPH_H

#include "model/ordering.h"
#include "solvers/place_problem.h"

#include <stdbool.h>
#include <stdint.h>

// Live from the first of `births` (init: from the start) until all of `deaths` have run (keep: to the end). Births hold
// only those that no other birth precedes in every order, deaths only those that no other death follows.
typedef struct memplan_joint_item {
  int64_t bytes, align, residue, pin; // offset = residue (modulo align); pin -1: none
  int32_t storage, op, resident;      // which one it is; the others are -1. All -1: a reserved range
  const int32_t *births, *deaths;
  int32_t n_births, n_deaths;
  bool init, keep;
  bool unread;   // an input that nobody reads: live at the first step only
  bool reserved; // takes room, but is no load
  const char *id;
  // of a graph with several pools (solvers/joint_axis.h); else 0 and NULL
  uint64_t pools;                // admissible ones by bit
  const memplan_offset_set *set; // allowed offsets, instead of alignment, residue and pin
} memplan_joint_item;

// The capacity of a set of pools for the load: live items that admit no other pools take at most so many units at a
// time.
typedef struct memplan_joint_room {
  uint64_t pools;
  int64_t units; // `open`: of them and what lies below the arena's height, together
  bool open;
} memplan_joint_room;

typedef struct memplan_joint_pair {
  int32_t op, born, dying; // items: the output takes over the input's bytes
  int64_t delta, saving;
  int32_t index; // in ordering.pairs
} memplan_joint_pair;

typedef struct memplan_joint_graph {
  const memplan_ordering *ordering;
  int32_t n_ops, n_items, n_pairs;
  memplan_joint_item *items;
  memplan_joint_pair *pairs;
  bool *before;                     // n_ops x n_ops: the first one precedes the second in every order
  const int32_t *earliest, *latest; // by operator: steps
  const int32_t *leader;            // by operator: the first of its group, or itself
  const int32_t *twin;              // by operator: an earlier one that it could change places with, or -1
  int64_t unit;                     // bytes
  int64_t naive;                    // units: sum of the sizes and paddings, above which no plan needs to reach
  const memplan_joint_room *rooms;  // of several pools
  int32_t n_rooms;
} memplan_joint_graph;

enum { MEMPLAN_JOINT_BUILT = 400, MEMPLAN_JOINT_OUTLINED = 4000 }; // operators at most

// For graphs of up to MEMPLAN_JOINT_BUILT operators. `placed`: offsets are asked for too; then alignments, pins and
// reserved ranges count, and several pools are refused. MEMPLAN_UNSUPPORTED says what an integer program cannot take.
// O(ops^3). Memory belongs to `arena`.
memplan_status memplan_joint_graph_init(memplan_joint_graph *graph, const memplan_ordering *ordering, bool placed,
                                        memplan_arena *arena, memplan_error *error);

// The same with offsets, but in bytes (unit 1) and without twins (NULL), for graphs of up to MEMPLAN_JOINT_OUTLINED
// operators, of which windows are made. Time O(operators x edges), memory O(operators^2).
memplan_status memplan_joint_graph_outline(memplan_joint_graph *graph, const memplan_ordering *ordering,
                                           memplan_arena *arena, memplan_error *error);

// The same with offsets, of a graph with any number of pools, for up to the operators of memplan_joint_graph_init: in
// bytes, without twins; alignments are what the buffers themselves ask for, and there are no items for reserved ranges.
memplan_status memplan_joint_graph_unplaced(memplan_joint_graph *graph, const memplan_ordering *ordering,
                                            memplan_arena *arena, memplan_error *error);

// Finds the twins of a graph without. O(operators^2 (operators + items)).
memplan_status memplan_joint_graph_find_twins(memplan_joint_graph *graph, memplan_arena *arena, memplan_error *error);

// Divides all that is in units by their greatest common divisor, which the unit is multiplied by, and sums `naive`.
void memplan_joint_graph_divide(memplan_joint_graph *graph);

// Is the pair's operator one of those that bear its output, and one of those that end its input?
bool memplan_joint_pair_is_direct(const memplan_joint_graph *graph, const memplan_joint_pair *pair);

bool memplan_joint_graph_before(const memplan_joint_graph *graph, int32_t first, int32_t second);

// The buffer of an item in the instance that memplan_ordering_lower has made with these arrays, -1: a reserved range.
int32_t memplan_joint_graph_buffer(const memplan_joint_graph *graph, int32_t item, const memplan_instance *instance,
                                   const int32_t *storage_buffer, const int32_t *op_buffer);

#endif
