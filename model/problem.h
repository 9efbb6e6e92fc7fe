// SPDX-License-Identifier: Apache-2.0
// A problem: a graph or an instance, with the options that say what is asked, and its fingerprint.
#ifndef MEMPLAN_PROBLEM_H
#define MEMPLAN_PROBLEM_H

#include "model/graph.h"
#include "model/instance.h"
#include "model/types.h"

enum { MEMPLAN_FINGERPRINT_SIZE = 72 }; // "sha256:" + 64 hexadecimal digits + zero

// Exactly one of `has_graph` and `has_instance` holds. Owns both and the options' arrays (in `arena`).
typedef struct memplan_problem {
  memplan_arena arena;
  memplan_graph graph;
  memplan_instance instance;
  bool has_graph, has_instance;
  const char *path;                // as given, or "-"
  const char *format;              // name of the reader, "onnx"
  memplan_problem_options options; // `lifetimes` resolved: half-open or inclusive
  char fingerprint[MEMPLAN_FINGERPRINT_SIZE];
} memplan_problem;

void memplan_problem_init(memplan_problem *problem);
void memplan_problem_free(memplan_problem *problem);

// The problem of planning a body of the problem's graph into an arena of its own. It shares everything with the outer
// one and is not to be freed; its fingerprint is "".
memplan_problem memplan_problem_of_body(const memplan_problem *outer, const memplan_body *body);

// Copies the options with their arrays into the problem's arena. False if memory is out.
bool memplan_problem_set_options(memplan_problem *problem, const memplan_problem_options *options);

// Computes problem->fingerprint: SHA-256 of the JSON of the graph or instance (as `convert` writes it, operators sorted
// by id too as far as their dependencies allow) and of those of its bodies with what they capture, followed by the
// `problem` object. Everything that changes a plan's meaning changes it; another order of the operators with the same
// dependencies, as that of a model that `convert --plan` has written, does not.
memplan_status memplan_problem_fingerprint(memplan_problem *problem, memplan_error *error);

#endif
