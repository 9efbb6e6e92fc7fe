// SPDX-License-Identifier: Apache-2.0
// The canonical JSON of a problem: what `convert` writes and what the fingerprint is taken over.
#ifndef MEMPLAN_PROBLEM_JSON_H
#define MEMPLAN_PROBLEM_JSON_H

#include "model/problem.h"

// memplan_graph_to_json or memplan_instance_to_json of the problem. An instance whose file counts lifetimes inclusively
// keeps that convention ("lifetimes": "inclusive", ends one less), so that the problem read back is the same.
// `workspace`: see memplan_graph_to_json. NULL if memory is out.
json_t *memplan_problem_to_json(const memplan_problem *problem, const int64_t *workspace);

// Names of the options' values, as in `problem` of a plan and on the command line.
const char *memplan_lifetimes_name(memplan_lifetimes lifetimes); // "half-open" for MEMPLAN_LIFETIMES_AUTO too

#endif
