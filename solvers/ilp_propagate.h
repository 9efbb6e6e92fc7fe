// SPDX-License-Identifier: Apache-2.0
// Bounds of the columns of an integer program that follow from its rows, lazy ones included.
//
// All columns count as integers here. Of the programs that memplan builds some best solution is integral throughout
// (offsets are sums of sizes, lifetimes are 0 or 1 wherever the decisions are), so that fractions need not be kept, and
// all is exact: what is found to have no solution has none.
//
// Bounds are changed in levels: what was tightened after a mark is taken back by memplan_ilp_undo. Marks nest to a
// depth of MEMPLAN_ILP_LEVELS.
#ifndef MEMPLAN_SOLVERS_ILP_PROPAGATE_H
#define MEMPLAN_SOLVERS_ILP_PROPAGATE_H

#include "model/base/arena.h"
#include "solvers/ilp_model.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEMPLAN_ILP_LEVELS = 6 };

typedef struct memplan_ilp_change {
  int32_t column, level; // level: the one in which it had been recorded before
  int64_t lower, upper;  // before
} memplan_ilp_change;

typedef struct memplan_ilp_propagator {
  const memplan_ilp *model;
  int64_t *lower, *upper;        // by column
  const int64_t *first_use;      // by column, and one more: its rows in `use`
  const int32_t *use;            // rows that are propagated
  int32_t *queue, head, waiting; // rows to be looked at
  bool *queued;                  // by row
  memplan_ilp_change *trail;     // each column once in each level
  int32_t *level;                // by column: the level in which it was recorded last, 0: in none
  int64_t n_trail;
  int32_t depth;
  int64_t marks[MEMPLAN_ILP_LEVELS];
  int64_t looked; // terms looked at so far
} memplan_ilp_propagator;

// The bounds of the model, and all rows waiting. Rows with a column without upper bound, and such whose sums pass 2^62,
// are left out. MEMPLAN_NOMEM. O(terms), memory in `arena`.
memplan_status memplan_ilp_propagator_init(memplan_ilp_propagator *work, const memplan_ilp *model, memplan_arena *arena,
                                           memplan_error *error);

// Brings the column within the bounds; its rows wait. False: nothing is left of it.
bool memplan_ilp_tighten(memplan_ilp_propagator *work, int32_t column, int64_t lower, int64_t upper);

// Looks at the waiting rows until none waits, or, as bounds may creep, until many more terms were looked at than there
// are. False: no solution. No row waits afterwards.
bool memplan_ilp_propagate(memplan_ilp_propagator *work);

void memplan_ilp_mark(memplan_ilp_propagator *work);
// Back to the bounds of the last mark, which is gone then.
void memplan_ilp_undo(memplan_ilp_propagator *work);

#endif
