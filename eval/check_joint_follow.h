// SPDX-License-Identifier: Apache-2.0
// What runs before and after an operator in every order, for checkers of certificates about every plan of a graph.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_FOLLOW_H
#define MEMPLAN_EVAL_CHECK_JOINT_FOLLOW_H

#include "eval/check_joint_model.h"

// Marks the operators of a graph, not of a window of it, that follow (or precede) this one in every order, and no
// others; not itself. `mark`, `stack`: room for all operators. O(size of the graph).
void memplan_check_joint_follow(const memplan_check_joint_model *model, int32_t op, bool forward, bool *mark,
                                int32_t *stack);

#endif
