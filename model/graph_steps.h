// SPDX-License-Identifier: Apache-2.0
// The steps of memplan_graph_resolve, in their order. Internal to model/.
#ifndef MEMPLAN_GRAPH_STEPS_H
#define MEMPLAN_GRAPH_STEPS_H

#include "model/graph.h"

// Ids are there and unique; sizes, alignments, pins and roles of tensors are in range.
memplan_status memplan_graph_check_names(memplan_graph *graph, memplan_error *error);

// Indices and numbers of operators are in range; repeated inputs are merged; bodies name operators.
memplan_status memplan_graph_check_ops(memplan_graph *graph, memplan_error *error);

// Resolves views to storages, with roles, alignment and pin of each.
memplan_status memplan_graph_make_storages(memplan_graph *graph, memplan_error *error);

// One touch for each operator and storage; tells writes from aliases.
memplan_status memplan_graph_make_touches(memplan_graph *graph, memplan_error *error);

// Predecessors and successors; checks that the given order respects them.
memplan_status memplan_graph_make_edges(memplan_graph *graph, memplan_error *error);

// In-place pairs that are legal under some order and some options.
memplan_status memplan_graph_make_pairs(memplan_graph *graph, memplan_error *error);

// The weights that lie in bodies.
memplan_status memplan_graph_make_inner_weights(memplan_graph *graph, memplan_error *error);

#endif
