// SPDX-License-Identifier: Apache-2.0
// Lower bounds for the peaks of several pools.
//
// What follows from two facts: what admits only the pools of a set has to lie in that set, whose usable bytes are its
// capacities less what is reserved; and a thing ends no lower than its own size, or its pin.
#ifndef MEMPLAN_SOLVERS_BOUND_POOLS_H
#define MEMPLAN_SOLVERS_BOUND_POOLS_H

#include "model/memplan.h"
#include "solvers/bounds.h"
#include "solvers/objective.h"

enum { MEMPLAN_POOL_SETS = 32 };

// A set of pools as bits, and what has to lie in it.
typedef struct memplan_pool_set {
  uint64_t pools;
  int64_t load;    // at one time, of all that admits no other pool
  int64_t step;    // a time of the instance, or -1
  const char *op;  // of a graph: the operator that runs then, or NULL
  int64_t largest; // end of the one that ends last if it stands alone, of those that admit just this set
} memplan_pool_set;

typedef struct memplan_pool_table {
  const memplan_instance *instance; // what it was made from: one of the two
  const memplan_ordering *ordering;
  const memplan_pool *pools;
  memplan_interval *const *reserved; // by pool: sorted, disjoint
  const int32_t *n_reserved;
  int32_t n_pools;
  memplan_pool_set sets[MEMPLAN_POOL_SETS];
  int32_t n_sets; // 0: more pools than bits, nothing is known
} memplan_pool_table;

// Memory from `arena`. For an instance; for a graph whatever the order and the in-place choices. `capacities` (by pool,
// -1: none) stand for those of the pools; NULL: their own. What is larger than a capacity does not admit the pool.
// O(sets x (parts or accesses)), and a matching per operator with pairs and set.
memplan_status memplan_pool_table_of_instance(const memplan_instance *instance, const int64_t *capacities,
                                              memplan_arena *arena, memplan_pool_table *table, memplan_error *error);
memplan_status memplan_pool_table_of_graph(const memplan_ordering *ordering, const int64_t *capacities,
                                           memplan_arena *arena, memplan_pool_table *table, memplan_error *error);

// The least peak of one pool, and the set that forces it (or NULL).
int64_t memplan_pool_table_least(const memplan_pool_table *table, int32_t pool, const memplan_pool_set **because);

// The least largest peak, and the least sum of the peaks.
int64_t memplan_pool_table_largest(const memplan_pool_table *table, const memplan_pool_set **because);
int64_t memplan_pool_table_total(const memplan_pool_table *table);

// Is no plan better than one with these peaks, by the objective with all its tie-breaks? False too if memory is out.
// Makes up to one more table for each pool.
bool memplan_pool_table_proves(const memplan_pool_table *table, const memplan_objective *objective,
                               const int64_t *peaks);

// Adds the bound of `peak`, and one for each pool that must be used.
void memplan_pool_table_list(const memplan_pool_table *table, bool joint, memplan_bound_list *list);

// Why the capacities do not hold what the sets need: a sentence of the arena, or NULL.
const char *memplan_pool_table_refutes(const memplan_pool_table *table, memplan_arena *arena);

#endif
