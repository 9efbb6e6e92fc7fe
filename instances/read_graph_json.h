// SPDX-License-Identifier: Apache-2.0
// memplan's own JSON form of graphs, "memplan-graph" version 1. Such a file states its views and constants itself, so
// that the options for importers (views, fold) change nothing.
#ifndef MEMPLAN_INSTANCES_READ_GRAPH_JSON_H
#define MEMPLAN_INSTANCES_READ_GRAPH_JSON_H

#include "model/graph.h"

#include <jansson.h>

#include <stdbool.h>

// Keys of the form, NULL-terminated.
extern const char *const memplan_graph_json_keys[];
extern const char *const memplan_graph_json_tensor_keys[];
extern const char *const memplan_graph_json_view_keys[];
extern const char *const memplan_graph_json_op_keys[];

// Fills an initialised graph, which is not resolved yet. Unknown keys are warnings, errors if `strict`. Errors name the
// path ("ops[3].in[1]"). Expected time linear in the document.
memplan_status memplan_graph_from_json(const json_t *document, bool strict, memplan_graph *graph, memplan_error *error);

#endif
