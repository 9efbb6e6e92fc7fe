// SPDX-License-Identifier: Apache-2.0
// Propagator of loads, and the sections of what is live while an operator runs.
//
// What is surely live at an operator fits below the height; an item that would not fit any more is dead or unborn then,
// and where only a chosen pair makes room it is chosen. O(items) for an operator at which something has changed.
#ifndef MEMPLAN_SOLVERS_JOINT_LOAD_H
#define MEMPLAN_SOLVERS_JOINT_LOAD_H

#include "solvers/joint_model.h"

// The model must be filled. Reserved ranges are no load and in no section. False if memory is out or the model has
// become too large.
bool memplan_joint_add_loads(memplan_joint_model *model);
bool memplan_joint_add_sections(memplan_joint_model *model);

#endif
