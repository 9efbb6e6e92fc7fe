// SPDX-License-Identifier: Apache-2.0
// The least order peak by dynamic programming over all sets of operators, straight from the definitions of
// model/ordering.h. Never benchmark.
#ifndef MEMPLAN_TESTS_ORDER_OPTIMUM_H
#define MEMPLAN_TESTS_ORDER_OPTIMUM_H

#include "model/memplan.h"
#include "tests/support/random_problem.h"

enum { ORDER_OPTIMUM_OPS = 20 };

// n_ops <= ORDER_OPTIMUM_OPS in all of them. The load while an operator runs after a set of others.
int64_t order_load(const memplan_ordering *ordering, uint32_t set, int32_t op);

// The operators that must have run before an operator can.
uint32_t order_predecessors(const memplan_ordering *ordering, int32_t op);

// NULL, or by operator further ones that have to run before it.
int64_t order_optimum_with(const memplan_ordering *ordering, const uint32_t *before);
int64_t order_optimum(const memplan_ordering *ordering);

// A graph of exactly `n` operators (<= 30), each with one output, reading up to three earlier ones; with in-place
// pairs, workspaces and extra precedence as the random numbers say. Not resolved yet.
void order_random_dag(random_state *random, int32_t n, int32_t max_bytes, memplan_problem *problem);

#endif
