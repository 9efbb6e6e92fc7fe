// SPDX-License-Identifier: Apache-2.0
// The search for the plan of one graph: what its parts share. Each part is a file of its own and changes what its
// functions below say.
#ifndef MEMPLAN_SOLVERS_GRAPH_SEARCH_H
#define MEMPLAN_SOLVERS_GRAPH_SEARCH_H

#include "solvers/bound_pools.h"
#include "solvers/graph_candidates.h"
#include "solvers/objective.h"
#include "solvers/order_optimal.h"
#include "solvers/place.h"
#include "solvers/prepare.h"

typedef struct memplan_graph_search {
  const memplan_graph *graph;
  const memplan_problem_options *options;
  const memplan_solve_options *solve;
  const memplan_ordering *ordering;
  const int32_t *fixed; // the order that is part of the problem, or NULL
  bool is_least;        // bounds of `ordering` hold for the problem: its bodies are planned optimally
  memplan_arena *arena; // of the solution
  memplan_solution *solution;
  memplan_candidates candidates;
  int64_t bound; // of the arena: what ends the search when met
  memplan_stop stop;
  int64_t nodes;
  memplan_order_portfolio *orders;  // the exact order search, NULL: not begun
  int64_t order_ticks;              // its work
  int64_t order_states;             // those of the nodes that are its own
  bool order_open;                  // it has ended before it had an answer, by its share of the work
  memplan_place_result declined;    // the last refusal of the method asked for
  const char *unplaced;             // a buffer that found no place
  int32_t n_lowered;                // candidates that became a placement problem
  const memplan_candidate *refused; // one that contradicts itself, without choices rather than with, or NULL
  memplan_error refusal;            // why
  const memplan_candidate *start;   // the plan to begin with, or NULL
  // incumbent
  const memplan_candidate *best;
  const memplan_method *place_method;
  memplan_instance instance;
  memplan_placement placement;
  int64_t peak;
  int64_t floating_bound; // of a method that has one, 0: none
  int64_t *pool_peaks;    // of several pools
  memplan_pool_table table;
  memplan_objective objective;
} memplan_graph_search;

// ---- bounds (graph_bound.c)

// The bounds of the arena and of the order peak from `least` (the order problem for bounds), into the search and the
// solution, and whether they refute the capacity asked for. On the given order, its own order peak is the bound.
memplan_status memplan_graph_find_bound(memplan_graph_search *state, const memplan_ordering *least,
                                        memplan_error *error);

// What an exhausted search of orders has proven holds for every placement in one pool.
void memplan_graph_raise_order_bound(memplan_graph_search *state, int64_t bytes);

// What a search has proven for the arena of every plan in one pool.
void memplan_graph_raise_bound(memplan_graph_search *state, int64_t bytes);

// Is the incumbent as good as was asked for?
bool memplan_graph_goal_met(const memplan_graph_search *state);

// ---- several pools and a capacity (graph_capacity.c)

// Is it asked whether each pool's peak can stay within a capacity?
bool memplan_graph_asks_pools(const memplan_graph_search *state);

// Whether no order, choice and placement can, into the solution (infeasible).
memplan_status memplan_graph_refute_pools(memplan_graph_search *state, const memplan_ordering *least,
                                          memplan_error *error);

// Places a lowered candidate so that each does, by heuristics, and unless they are asked for by the exact search in the
// candidate's share of the work. found->method stays NULL if it finds none; if that is proven and no other problem is
// left, the solution says so (infeasible).
memplan_status memplan_graph_place_within(memplan_graph_search *state, const memplan_instance *instance,
                                          const memplan_place_news *news, memplan_arena *scratch,
                                          memplan_place_result *found, memplan_error *error);

// ---- orders (graph_orders.c)

// Runs the order methods that the options ask for, and fills and sorts the candidates.
memplan_status memplan_graph_find_candidates(memplan_graph_search *state, memplan_error *error);

// Goes on with the exact order search, from the best candidate and with so much work; what it finds is added to the
// candidates.
memplan_status memplan_graph_search_order(memplan_graph_search *state, int64_t work, memplan_error *error);

// ---- a plan to begin with (graph_start.c)

// Makes state->solve->start, if there is one, the incumbent. MEMPLAN_INPUT: its order is not the fixed one.
memplan_status memplan_graph_take_start(memplan_graph_search *state, memplan_error *error);

// ---- placements (graph_place.c)

// Lowers a candidate and places it by the methods asked for; what is better becomes the incumbent. An order on which
// pins, reserved ranges, capacities or sizes contradict each other, or a choice whose colocations do with them, cannot
// be lowered and is left out (state->refused): another one may be possible.
memplan_status memplan_graph_place(memplan_graph_search *state, const memplan_candidate *entry, memplan_error *error);

// A placement of `instance`, which `entry` lowers to, becomes the incumbent; the instance goes over to the search.
memplan_status memplan_graph_set_incumbent(memplan_graph_search *state, const memplan_candidate *entry,
                                           memplan_instance *instance, const memplan_place_result *found,
                                           memplan_error *error);

// A plan that a method over order and placement has found, by block of what its order and choice lower to: the
// incumbent, if its peak, measured anew, is less. Order and choice stay where they are; the placement is copied.
memplan_status memplan_graph_take_plan(memplan_graph_search *state, const memplan_method *method, const int32_t *order,
                                       const int32_t *choice, int32_t n_choices, const memplan_placement *placement,
                                       memplan_error *error);

// ---- order and placement together (graph_joint.c)

// Is this the default: nothing asked for but the best plan, and a problem that can be searched for it?
bool memplan_graph_wants_joint(const memplan_graph_search *state);

// From an incumbent: the portfolio of candidates and the exact order search by turns, in growing shares of the work,
// until the goal is met or the limits are reached.
memplan_status memplan_graph_join(memplan_graph_search *state, memplan_error *error);

// Where pins and the like contradict each other on every order tried: the joint engine's first plan becomes the
// incumbent. *none: it has proven that there is none. Neither: the work did not do, or the engine does not take the
// problem.
memplan_status memplan_graph_find_any(memplan_graph_search *state, bool *none, memplan_error *error);

// Runs the method that state->solve->joint names, which has to beat the incumbent.
memplan_status memplan_graph_improve(memplan_graph_search *state, memplan_error *error);

// ---- the solution (graph_store.c)

// The incumbent as plan of the solution.
memplan_status memplan_graph_store_plan(memplan_graph_search *state, memplan_error *error);

// Body plans move from the prepared bodies into the plan.
memplan_status memplan_graph_store_bodies(const memplan_graph *graph, memplan_prepared *prepared, memplan_plan *plan,
                                          memplan_error *error);

#endif
