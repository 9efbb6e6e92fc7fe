// SPDX-License-Identifier: Apache-2.0
// What must be known before a graph's own order is sought: the plans of its control-flow bodies, and from them the
// workspace of each operator.
#ifndef MEMPLAN_SOLVERS_PREPARE_H
#define MEMPLAN_SOLVERS_PREPARE_H

#include "model/memplan.h"

typedef struct memplan_prepared {
  memplan_arena arena;
  int64_t *workspace; // by operator: its own plus the largest body's planned peak (without branch sharing: the sum)
  int64_t *least_workspace;  // the same from the bodies' lower bounds
  memplan_solution **bodies; // by body of the graph; none where bodies are ignored
  int32_t n_bodies;
  memplan_ordering ordering; // with that workspace
  memplan_ordering least;    // with the workspace that the bodies' lower bounds give: what bounds may build on
  bool has_least;            // false: the bodies are optimal (or there are none), and `ordering` serves
  memplan_stop stop;         // why the search in a body ended early, or MEMPLAN_STOP_DONE
} memplan_prepared;

// Is one order part of the problem: the given one, or the one that a file lists?
bool memplan_order_is_fixed(const memplan_solve_options *solve);

// That order, or of a file that lists one without being part of the problem that one. The array belongs to `arena`.
// MEMPLAN_INPUT: the file's order is not one of the graph.
memplan_status memplan_fixed_order(const memplan_ordering *ordering, const memplan_solve_options *solve,
                                   memplan_arena *arena, const int32_t **order, memplan_error *error);

// The order problem for bounds.
const memplan_ordering *memplan_prepared_least(const memplan_prepared *prepared);

// Plans the bodies (each as a graph of its own, with io external where the body's inputs and outputs are the operator's
// own) and builds the order problem. `solve` may be NULL for defaults.
memplan_status memplan_prepare(const memplan_graph *graph, const memplan_problem_options *options,
                               const memplan_solve_options *solve, memplan_prepared *prepared, memplan_error *error);
void memplan_prepared_free(memplan_prepared *prepared);

// Solves a graph that is part of a problem, without fingerprint and verification (memplan_solve adds both).
memplan_status memplan_solve_graph(const memplan_graph *graph, const memplan_problem_options *options,
                                   const memplan_solve_options *solve, memplan_solution *solution,
                                   memplan_error *error);

// `capacity`: a plan within it is good enough, -1: only the best.
memplan_status memplan_solve_instance(const memplan_instance *instance, const memplan_solve_options *solve,
                                      int64_t capacity, memplan_solution *solution, memplan_error *error);

#endif
