// SPDX-License-Identifier: Apache-2.0
// A window of a graph, for certificates about every plan of it: some of its operators, and of each item what of its
// life is certain among them. No plan of the graph is lower than the lowest plan of a window.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_WINDOW_H
#define MEMPLAN_EVAL_CHECK_JOINT_WINDOW_H

#include "eval/check_joint_model.h"

// `ops`: some operators of the graph, in the order in which the window numbers them; they become part of the window.
// `whole` is not scaled, nor is the window. *reason is set where they are not distinct, or hold more items than such
// certificates speak of, else NULL. A status only for MEMPLAN_NOMEM. Time O(operators of the window x size of the
// graph); memory, from `arena`, O(size of the graph, operators of the window x its items and operators).
memplan_status memplan_check_joint_window_cut(const memplan_check_joint_model *whole, const int32_t *ops, int32_t n_ops,
                                              memplan_arena *arena, memplan_check_joint_model *window,
                                              const char **reason, memplan_error *error);

#endif
