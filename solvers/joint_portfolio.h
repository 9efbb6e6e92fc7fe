// SPDX-License-Identifier: Apache-2.0
// Order and offsets together, by candidates: orders within the best peak known x in-place choices, each placed by the
// sampling of skylines and by the exact search, in rounds whose slices of work grow.
#ifndef MEMPLAN_SOLVERS_JOINT_PORTFOLIO_H
#define MEMPLAN_SOLVERS_JOINT_PORTFOLIO_H

#include "solvers/graph_search.h"

typedef struct memplan_joint_portfolio memplan_joint_portfolio;

// For a graph with one pool; `state` must outlive it. NULL if memory is out.
memplan_joint_portfolio *memplan_joint_portfolio_new(memplan_graph_search *state);
void memplan_joint_portfolio_free(memplan_joint_portfolio *portfolio); // may be NULL

// Rounds until the goal of the search is met, its limits are reached, about `work` ticks are spent, or no candidate is
// left that could improve the incumbent. The candidates of the search come first, those with the least load before
// others; then orders that are smoothed from the best one, and drawn in-place choices, are added to them. Improves the
// incumbent and raises the bound of the search. *ticks: work done. The same for any number of threads, unless time is
// over.
memplan_status memplan_joint_portfolio_run(memplan_joint_portfolio *portfolio, int64_t work, int64_t *ticks,
                                           memplan_error *error);

#endif
