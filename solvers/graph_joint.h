// SPDX-License-Identifier: Apache-2.0
// Order and placement of one graph together, where the candidates alone do not settle it.
#ifndef MEMPLAN_SOLVERS_GRAPH_JOINT_H
#define MEMPLAN_SOLVERS_GRAPH_JOINT_H

#include "solvers/graph_search.h"

// Is this the default: nothing asked for but the best plan, and a problem that can be searched for it?
bool memplan_graph_wants_joint(const memplan_graph_search *state);

// From an incumbent: the portfolio of candidates and the exact order search by turns, in growing shares of the work,
// until the goal is met or the limits are reached.
memplan_status memplan_graph_join(memplan_graph_search *state, memplan_error *error);

// Where pins and the like contradict each other on every order tried: the first plan of the joint search becomes the
// incumbent. *none: it has proven that there is none within the capacity of the pool. Neither: the work did not do, or
// it does not take the problem.
memplan_status memplan_graph_find_any(memplan_graph_search *state, bool *none, memplan_error *error);

// Is it proven, with a part of the work, that an ordering like that of `state`, but with a pool of its own, admits no
// plan? Nothing else of `state` changes but the nodes.
memplan_status memplan_graph_refute_any(memplan_graph_search *state, const memplan_ordering *ordering, bool *none,
                                        memplan_error *error);

// MEMPLAN_UNSUPPORTED with the reason if the method that state->solve->joint names declines the problem.
memplan_status memplan_graph_check_joint(const memplan_graph_search *state, memplan_error *error);

// Runs the method that state->solve->joint names, which has to beat the incumbent.
memplan_status memplan_graph_improve(memplan_graph_search *state, memplan_error *error);

#endif
