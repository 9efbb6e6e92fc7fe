// SPDX-License-Identifier: Apache-2.0
// Does an instance fit into a capacity, and if not, which buffers block it already? The answer is a core: a set of
// blocks that does not fit although everything else is gone, and of which none can be left out (each was tried:
// deletion of one block at a time is enough, as what fits still fits when more is taken away).
#ifndef MEMPLAN_SOLVERS_EXPLAIN_CAPACITY_H
#define MEMPLAN_SOLVERS_EXPLAIN_CAPACITY_H

#include "model/memplan.h"
#include "solvers/explain.h"
#include "solvers/place_duel.h"

// Do the blocks (ascending, each with bytes) alone fit into `capacity` bytes of the pool; of several pools: into that
// much of each, at most its own capacity (-1: its own)? memplan_blocks_fit, or what stands in for it in a test.
typedef memplan_status (*memplan_fits_function)(const memplan_instance *instance, const int32_t *blocks,
                                                int32_t n_blocks, int64_t capacity, int64_t ticks,
                                                const memplan_limits *limits, memplan_fit *fit, memplan_error *error);

typedef struct memplan_capacity_task {
  const memplan_instance *instance;
  int64_t capacity;                   // of each pool, at most its own; -1: the pools' own alone
  const memplan_solve_options *solve; // limits started
  memplan_fits_function fits;
  int64_t ticks;      // work budget for each component of the whole instance; 0: the default
  int64_t ticks_each; // for each smaller question; 0: the default
} memplan_capacity_task;

enum { MEMPLAN_CAPACITY_TICKS = 1 << 27, MEMPLAN_CAPACITY_TICKS_EACH = 1 << 23 };

typedef enum memplan_core_kind {
  MEMPLAN_CORE_NONE = 0, // it fits, or nothing is proven
  MEMPLAN_CORE_BUFFER,   // one block that is larger than every pool that admits it, or pinned above its end
  MEMPLAN_CORE_LOAD,     // blocks that need more at one time than there is
  MEMPLAN_CORE_SEARCH    // blocks that need no more at any time, and yet do not fit: proven by search
} memplan_core_kind;

const char *memplan_core_kind_name(memplan_core_kind kind); // "none", "buffer", "load", "search"

typedef struct memplan_capacity_answer {
  memplan_fit fit;
  int64_t peak; // YES: of a plan that fits, -1: proven without one
  // NO
  memplan_core_kind kind;
  int32_t pool;          // the pool that is too small, -1: all of them together
  int64_t capacity;      // of it, or their sum, -1 if one of them has none
  int64_t room;          // bytes of it that are not reserved
  int64_t needs;         // no plan for the whole instance gets by with a smaller capacity than this, > capacity; -1: a
                         // core of several pools together that no load explains
  int64_t core_needs;    // the core alone needs as much, or -1
  bool core_exact;       // and fits then
  int64_t load;          // LOAD: bytes of the core at `time`
  int32_t rank;          // LOAD: time rank, else -1
  int64_t time;          // LOAD
  const int32_t *blocks; // the core, ascending
  int32_t n_blocks;
  int32_t
      n_unproven; // blocks of the core of which it is not proven that the core fits without them: 0 if it is minimal
} memplan_capacity_answer;

// Memory belongs to `arena`. Complete up to the budgets. MEMPLAN_INPUT: neither the task nor a pool has a capacity.
// Work: O(parts + times) and a search for each block of the core and each halving of the instance.
memplan_status memplan_capacity_explain(const memplan_capacity_task *task, memplan_arena *arena,
                                        memplan_capacity_answer *answer, memplan_error *error);

// For what a "does not fit" holds.
typedef enum memplan_scope {
  MEMPLAN_SCOPE_PROBLEM = 0, // every plan: an instance, or whatever the order of a graph
  MEMPLAN_SCOPE_ORDER,       // this order, whatever the in-place pairs
  MEMPLAN_SCOPE_CHOICE       // this order with these in-place pairs
} memplan_scope;

const char *memplan_scope_name(memplan_scope scope); // "problem", "order", "choice"

// The widest scope that is proven. *bound: PROBLEM of a graph: a bound above the capacity that holds for every order
// (of several pools mostly that of the pool of the answer, or else of another one that is too small), else of kind
// NONE; its strings belong to the problem. The answer's `needs` rises to what bounds of the scope say.
memplan_status memplan_capacity_scope(const memplan_subject *subject, memplan_capacity_answer *answer,
                                      const memplan_solve_options *solve, memplan_scope *scope, memplan_bound *bound,
                                      memplan_error *error);

#endif
