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

// Precedences, steps and groups of the window alone: what both it and a slice of a plan begin with.
memplan_status memplan_joint_window_order(memplan_joint_graph *window, const memplan_joint_graph *whole,
                                          const int32_t *ops, memplan_arena *arena, memplan_error *error);

// Of some operators of a window those that no other one of them precedes (follows, if `last`), in memory of `arena`;
// NULL if that is out.
const int32_t *memplan_joint_window_outermost(const memplan_joint_graph *window, const int32_t *ops, int32_t count,
                                              bool last, memplan_arena *arena, int32_t *kept);

// The pairs of operators of the window, by operator, with both items in it. `item_of`: by item of `whole`, or -1.
void memplan_joint_window_pairs(memplan_joint_graph *window, const memplan_joint_graph *whole, const int32_t *ops,
                                const int32_t *item_of);

#endif
