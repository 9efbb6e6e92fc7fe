// SPDX-License-Identifier: Apache-2.0
// The search for the plan of one graph: what its parts share. Each part is a file of its own (graph_*.h), which says
// what it changes.
#ifndef MEMPLAN_SOLVERS_GRAPH_SEARCH_H
#define MEMPLAN_SOLVERS_GRAPH_SEARCH_H

#include "solvers/bound_pools.h"
#include "solvers/graph_candidates.h"
#include "solvers/objective.h"
#include "solvers/order_optimal.h"
#include "solvers/pin_order.h"
#include "solvers/place.h"

// The best plan so far (graph_incumbent.h).
typedef struct memplan_graph_incumbent {
  const memplan_candidate *candidate; // NULL: none yet
  const memplan_method *method;       // of the placement
  memplan_instance instance;
  memplan_placement placement;
  int64_t peak;        // INT64_MAX: none yet
  int64_t *pool_peaks; // of several pools
  bool proven;         // of several pools: by the table, none is better on any order
} memplan_graph_incumbent;

// The exact search of orders (graph_orders.h), which goes on where it has stopped.
typedef struct memplan_graph_order_search {
  memplan_order_portfolio *portfolio; // NULL: not begun
  int64_t ticks;                      // its work
  int64_t states;                     // those of the nodes of the whole search that are its own
  bool open;                          // it has ended before it had an answer, by its share of the work
} memplan_graph_order_search;

// What kept candidates from being placed (graph_place.h).
typedef struct memplan_graph_obstacles {
  memplan_place_result declined;    // the last refusal of the method asked for
  const char *unplaced;             // a buffer that found no place
  const memplan_candidate *refused; // one that contradicts itself, without choices rather than with, or NULL
  memplan_error refusal;            // why
} memplan_graph_obstacles;

typedef struct memplan_graph_search {
  // the problem
  const memplan_graph *graph;
  const memplan_problem_options *options;
  const memplan_solve_options *solve;
  const memplan_ordering *plain;    // the order problem of the graph: its given order is one of its orders
  const memplan_ordering *ordering; // the same with the precedences that pins imply
  const memplan_pin_orders *pins;   // NULL: the order is part of the problem
  const int32_t *fixed;             // the order that is part of the problem, or NULL
  bool is_least;                    // bounds of `ordering` hold for the problem: its bodies are planned optimally
  memplan_arena *arena;             // of the solution
  memplan_solution *solution;
  // several pools
  memplan_pool_table table;
  memplan_objective objective;
  bool settled; // nothing is better than the incumbent: the only placement problem, the joint search or the pools alone
                // have been searched to their end. It stays so: later incumbents are as good
  // how far it is
  memplan_candidates candidates;
  const memplan_candidate *start; // the plan to begin with, or NULL
  int32_t n_lowered;              // candidates that became a placement problem
  int64_t bound;                  // of the arena: what ends the search when met
  int64_t floating_bound;         // of a method that has one, 0: none
  memplan_stop stop;
  bool cut; // a part of the search had a part of the time (memplan_limits_slice), which was over: the clock has decided
  int64_t nodes;
  int64_t lap_us; // clock at the last lap (graph_stages.h)
  memplan_graph_order_search order_search;
  memplan_graph_obstacles obstacles;
  memplan_graph_incumbent best;
} memplan_graph_search;

#endif
