// SPDX-License-Identifier: Apache-2.0
// A window of a joint problem: some of its operators, and of each item only what of its life is certain among them.
//
// Every plan of the whole problem, restricted to the window, is a plan of the window that is no higher: what no plan of
// the window reaches, no plan of the whole one does.
#ifndef MEMPLAN_SOLVERS_JOINT_WINDOW_H
#define MEMPLAN_SOLVERS_JOINT_WINDOW_H

#include "solvers/joint_graph.h"

// Is the item of the whole problem in every order live while one of the operators runs?
bool memplan_joint_window_holds(const memplan_joint_graph *whole, int32_t item, const int32_t *ops, int32_t n_ops);

// `ops`: distinct operators of `whole`, in the order of some plan: operator k of the window is ops[k]. `whole` is an
// outline. No twins (all -1); `ordering` is that of the whole problem, so that plans of a window cannot be read. Memory
// from `arena`. O(n_ops x (n_ops + pairs + items x their births and deaths)).
memplan_status memplan_joint_window_init(memplan_joint_graph *window, const memplan_joint_graph *whole,
                                         const int32_t *ops, int32_t n_ops, memplan_arena *arena, memplan_error *error);

#endif
