// SPDX-License-Identifier: Apache-2.0
// Propagator of transitivity: u before w and w before x ask for u before x. Operators of one group stand to all others
// as their first one does. O(operators) for each literal that becomes true; no clauses are stored.
#ifndef MEMPLAN_SOLVERS_JOINT_ORDER_H
#define MEMPLAN_SOLVERS_JOINT_ORDER_H

#include "solvers/joint_model.h"

// The model's turns must be there. False if memory is out.
bool memplan_joint_add_transitivity(const memplan_joint_model *model);

#endif
