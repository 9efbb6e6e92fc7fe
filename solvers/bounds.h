// SPDX-License-Identifier: Apache-2.0
// Lower bounds with witnesses. Each function adds what it proves to a list.
#ifndef MEMPLAN_SOLVERS_BOUNDS_H
#define MEMPLAN_SOLVERS_BOUNDS_H

#include "model/memplan.h"

// Bounds by kind; `best` is the largest, of equals the first added.
typedef struct memplan_bound_list {
  memplan_bound entries[16];
  int32_t count;
} memplan_bound_list;

void memplan_bound_list_add(memplan_bound_list *list, memplan_bound bound);
// The largest bound; of kind NONE and 0 bytes for an empty list.
memplan_bound memplan_bound_list_best(const memplan_bound_list *list);

// The largest of those that bound the order peak too, not only the arena; 0 if there is none.
int64_t memplan_bound_list_of_load(const memplan_bound_list *list);

// For every order (joint): inputs + outputs + workspace of each operator less the best matching of its in-place pairs;
// all inputs at the first step; all outputs at the last one; the load of the given order where it is the only one. With
// alignments also the aligned form of the first. O(size of the graph) and a matching per operator with pairs. Source:
// the in+out bound of OLLA (Steiner et al. 2023), with workspace and in-place.
memplan_status memplan_bound_order(const memplan_ordering *ordering, memplan_bound_list *list, memplan_error *error);

// Is the given order the only one, as each operator has to run directly after the one before? O(edges).
bool memplan_bound_has_one_order(const memplan_ordering *ordering);

// The largest number that divides every offset of a plan; 1 if there is nothing in the arena. O(size of the graph).
int64_t memplan_bound_alignment(const memplan_ordering *ordering);

// For every order, of graphs with one pool whose offsets have a common divisor: the cut bound of the sizes rounded up
// to it, less the largest rounding. Only what exceeds `known` is sought: *bytes is 0 if nothing was found. Limited
// work.
memplan_status memplan_bound_rounded(const memplan_ordering *ordering, int64_t known, const memplan_limits *limits,
                                     int64_t *bytes, memplan_error *error);

// For every placement of an instance with one pool: load, aligned load, each block alone above what is reserved or
// pinned, and a clique of conflicts, whose search `limits` may end early. Witnesses of more than one word lie in
// `arena`, their ids in the instance.
memplan_status memplan_bound_placement(const memplan_instance *instance, const memplan_limits *limits,
                                       memplan_arena *arena, memplan_bound_list *list, memplan_error *error);

// The part of it that rules `conflicts` and `separate` ask for, beside lifetimes or without any: the heaviest set of
// buffers that pairwise conflict (model/clique.h), as far as a greedy search of limited work finds it. Adds nothing
// where there are no such rules, or several pools; what has been found when `limits` (NULL: none) are reached holds.
memplan_status memplan_bound_clique(const memplan_instance *instance, const memplan_limits *limits,
                                    memplan_arena *arena, memplan_bound_list *list, memplan_error *error);

// Parts of the two above: anything that stands alone, in the one pool; adds nothing for a graph with several.
// O(n log n + (n + alignments x reserved ranges)) up to a fixed number of steps, after which it is weaker, but holds.
memplan_status memplan_bound_single_block(const memplan_instance *instance, memplan_bound_list *list,
                                          memplan_error *error);
memplan_status memplan_bound_single_storage(const memplan_ordering *ordering, memplan_bound_list *list,
                                            memplan_error *error);

#endif
