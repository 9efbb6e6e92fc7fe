// SPDX-License-Identifier: Apache-2.0
// The lists by which certificates about every plan number operators, items and pairs.
#ifndef MEMPLAN_SOLVERS_JOINT_LISTS_H
#define MEMPLAN_SOLVERS_JOINT_LISTS_H

#include "solvers/joint_graph.h"
#include "solvers/proof_scope.h"

#include <jansson.h>

#include <stdbool.h>
#include <stdio.h>

// ,"key":value, which is given up. False if memory is out. Errors of writing stay in the stream.
bool memplan_joint_lists_member(json_t *value, const char *key, FILE *out);

// ,"ops":[ids],"items":[ids],"pairs":[[output,input],...] of a graph or an outline, or of a window of these
// operators (NULL: all).
bool memplan_joint_lists_write(const memplan_joint_graph *graph, const int32_t *window, FILE *out);

// ,"pool":id and ,"bodies":[...], as far as the scope has them.
bool memplan_joint_lists_scope(const memplan_proof_scope *scope, FILE *out);

#endif
