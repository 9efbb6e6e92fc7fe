// SPDX-License-Identifier: Apache-2.0
// A graph of which all orders tried contradict its pins, alignments or pools.
#ifndef MEMPLAN_SOLVERS_GRAPH_REFUSAL_H
#define MEMPLAN_SOLVERS_GRAPH_REFUSAL_H

#include "solvers/graph_search.h"

// Looks for another order, but where the order is part of the problem. MEMPLAN_INPUT if it is proven that the rules
// admit no plan, however much the pools hold. If a plan is refuted only within the capacities of the pools, or within
// the one that is asked about, the solution says so (infeasible); else nothing is known without an incumbent.
memplan_status memplan_graph_settle_refusal(memplan_graph_search *state, memplan_error *error);

#endif
