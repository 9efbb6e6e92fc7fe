// SPDX-License-Identifier: Apache-2.0
// Cuts of the joint programs: rows that each plan meets, as its values of the columns can be chosen, but that the
// solution of a relaxation violates.
//
// Circle: of three items not each lies below the next one.
// Stack: a set of items that are live at an operator (step) and lie below an item lies below it together, whether the
// item is live there or not: its offset is at least the sum of bytes x ("below" + "live" - 1), less what pairs chosen
// among them save. The same above it, up to the peak.
#ifndef MEMPLAN_SOLVERS_ILP_CUTS_H
#define MEMPLAN_SOLVERS_ILP_CUTS_H

#include "solvers/ilp_order.h"

enum { MEMPLAN_ILP_CUTS = 60 }; // at most at once

// Adds rows to `cuts`, a model of its own whose columns are those of the joint program, and no more than
// MEMPLAN_ILP_CUTS of them. `value`: the relaxation, by column. `without`: MEMPLAN_TECHNIQUE_ILP_… switched off. What
// runs out of memory is marked in `cuts`. Returns how much it has looked at, as limits count work.
// O(items^2 x (items + operators)).
int64_t memplan_ilp_order_cut(const memplan_ilp_order *order, const double *value, uint64_t without, memplan_ilp *cuts);

#endif
