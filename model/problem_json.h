// SPDX-License-Identifier: Apache-2.0
// The JSON of a problem: what `convert` writes, and its canonical form, which the fingerprint is taken over.
#ifndef MEMPLAN_PROBLEM_JSON_H
#define MEMPLAN_PROBLEM_JSON_H

#include "model/problem.h"

#include <jansson.h>

// One spelling: fields at their default left out, tensors (buffers, rules) sorted by id, operators in the given order.
// `workspace` (by operator, or NULL) replaces the graph's, so that planned bodies are kept as workspace. NULL if memory
// is out.
json_t *memplan_graph_to_json(const memplan_graph *graph, const int64_t *workspace);

// The same with the operators sorted by id too, as far as what must run before what allows: of the operators that can
// come next always the one with the least id. So it is the same for each given order that has the same dependencies.
// NULL if memory is out. Time: O(tensors + operators + edges) up to sorting.
json_t *memplan_graph_canonical_json(const memplan_graph *graph);

// That of the problem's graph or instance. An instance whose file counts lifetimes inclusively keeps that convention
// ("lifetimes": "inclusive", ends one less), so that the problem read back is the same.
json_t *memplan_problem_to_json(const memplan_problem *problem, const int64_t *workspace);

// The `problem` object of a plan: the options as JSON, in a fixed order of keys. NULL if memory is out.
json_t *memplan_problem_options_json(const memplan_problem *problem);

// These, and the options that say how the file was read where they are not the defaults: `pin` (true), `dup_ids`
// ("rename"), `pin_space` (ids to pools), `conflicts` (true: a file of pairs). NULL if memory is out.
json_t *memplan_problem_reading_json(const memplan_problem *problem);

#endif
