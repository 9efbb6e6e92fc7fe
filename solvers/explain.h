// SPDX-License-Identifier: Apache-2.0
// What explanations speak of: one placement problem (an instance, or what a graph became on one order with one in-place
// choice), with the offsets of a plan if there is one; and what fills it where it is fullest.
#ifndef MEMPLAN_SOLVERS_EXPLAIN_H
#define MEMPLAN_SOLVERS_EXPLAIN_H

#include "model/memplan.h"
#include "solvers/prepare.h"

typedef struct memplan_subject {
  memplan_arena arena;
  const memplan_problem *problem;
  const memplan_instance *instance; // the problem's own, or `lowered`
  memplan_instance lowered;
  const int64_t *offset; // by buffer: those of the plan, -1 for one that it does not place; NULL: no plan
  const int32_t *pool;   // by buffer: pool in the plan, -1 for one that it does not place; NULL: no plan
  // graphs
  memplan_prepared prepared; // without a plan
  memplan_ordering planned;  // with a plan: the workspace of its bodies
  const memplan_ordering *ordering;
  const int32_t *order;        // operators by step
  const int32_t *step;         // by operator
  const char *order_name;      // of the method, or "plan"
  const int32_t *buffer_of;    // by storage: its buffer, -1: not in the arena
  const int32_t *buffer_of_op; // by operator: the buffer of its workspace, -1: none
  const int32_t *maker;        // by buffer: first operator that writes it, or whose workspace it is; -1: there before
  int32_t n_choices;           // in-place pairs chosen
  int64_t order_bound;         // no in-place choice gives this order a smaller load; 0 with a plan
} memplan_subject;

typedef struct memplan_subject_options {
  const memplan_solve_options *solve; // limits started; `order` NULL: the given one
  const memplan_plan *plan;           // accepted by memplan_verify, or NULL
  bool plain;                         // of a graph without a plan: no in-place pair is chosen, else the best choice
} memplan_subject_options;

// Fills `subject`, which memplan_subject_free frees whatever came out. It points into the problem and, for ids, into
// nothing of the plan. MEMPLAN_INPUT: no such order method; pins, capacities and alignments contradict each other on
// the order; a plan that does not belong to the problem.
memplan_status memplan_subject_init(memplan_subject *subject, const memplan_problem *problem,
                                    const memplan_subject_options *options, memplan_error *error);
void memplan_subject_free(memplan_subject *subject);

// Runs the order method `name` (NULL: given) and checks its order, an array of the arena.
memplan_status memplan_subject_order(const memplan_ordering *ordering, const memplan_solve_options *solve,
                                     memplan_arena *arena, const int32_t **order, memplan_error *error);

typedef struct memplan_filling_item {
  int32_t buffer;
  int64_t bytes; // that it occupies then
} memplan_filling_item;

// What is in memory at one time; without any lifetimes the buffers of the heaviest clique of conflicts found.
typedef struct memplan_filling {
  int32_t rank;                      // time rank of the instance, -1: nothing is ever live: no items, or a clique
  int64_t time;                      // its first time: a step of the order, or a time of the file
  int64_t load;                      // sum of the items
  int64_t reach;                     // with a plan: where the highest of them ends, -1 without one
  const memplan_filling_item *items; // by falling bytes, then by index
  int32_t n_items;
} memplan_filling;

// Without a plan the fullest time (of equals the first). With a plan, of the times at which a buffer is live that
// reaches highest, the fullest. Memory belongs to the subject. O(parts + times), and a sort.
memplan_status memplan_subject_filling(memplan_subject *subject, memplan_filling *filling, memplan_error *error);

#endif
