// SPDX-License-Identifier: Apache-2.0
// What precedes what in an order problem: an order in which the operators can run, and ancestors by bits.
#ifndef MEMPLAN_SOLVERS_ORDER_REACH_H
#define MEMPLAN_SOLVERS_ORDER_REACH_H

#include "solvers/order_problem.h"

enum { MEMPLAN_ORDER_REACH_OPS = 16384 }; // problems with as many operators get no bits

// Operators in an order in which they can run; the same problem gives the same order. NULL if memory is out or the
// precedences form a circle. Memory from `arena`. O(size of the problem).
int32_t *memplan_order_reach_sort(const memplan_order_problem *problem, memplan_arena *arena);

// By operator a row of memplan_order_reach_words(n_ops) words: its ancestors and itself, as bits. `topological`: from
// memplan_order_reach_sort. NULL if memory is out. O(precedences x words).
uint64_t *memplan_order_reach_above(const memplan_order_problem *problem, const int32_t *topological,
                                    memplan_arena *arena);

static inline size_t memplan_order_reach_words(int32_t n_ops) { return ((size_t)n_ops + 63) / 64; }

// By number of operators: the largest number of operators up to it, whose set every order passes when it has run so
// many (there is one such set then). 0 and n_ops are such numbers. NULL if memory is out. O(n_ops x words).
int32_t *memplan_order_reach_passes(int32_t n_ops, const int32_t *topological, const uint64_t *above,
                                    memplan_arena *arena);

#endif
