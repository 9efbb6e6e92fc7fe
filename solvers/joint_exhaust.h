// SPDX-License-Identifier: Apache-2.0
// The joint optimum by orders and nogoods: an order within a capacity that violates no nogood is placed; if it cannot
// be, the reason becomes a nogood, and if no order is left, no plan fits into the capacity.
//
// For graphs that the joint engine does not take or does not finish: it knows no offsets while it orders, and no order
// while it places. Complexity: exponential at worst, in both. Deterministic. Source: logic-based Benders decomposition
// (Hooker and Ottosson 2003); its own are the commits of solvers/joint_orders.h.
#ifndef MEMPLAN_SOLVERS_JOINT_EXHAUST_H
#define MEMPLAN_SOLVERS_JOINT_EXHAUST_H

#include "model/method.h"
#include "solvers/joint_nogood.h"
#include "solvers/joint_plan.h"

// The descriptor by which lists, benchmarks and plans name it.
extern const memplan_method memplan_joint_nogoods_method;

typedef struct memplan_joint_exhaust memplan_joint_exhaust;

typedef struct memplan_joint_exhaust_task {
  const memplan_joint_graph *whole; // an outline
  int64_t lower, upper;             // no plan is below `lower`; only plans below `upper` are of interest
  int64_t memory;                   // bytes of its nogoods and the states of its searches, 0: its own default
  uint64_t without;                 // techniques of the placement, as memplan_solve_options.without
  bool commits;                     // off for tests
  const memplan_limits *limits;     // started: seed, threads, time and interrupts; their work counts for nothing
} memplan_joint_exhaust_task;

// What the task points to has to stay, but for its limits, which are copied. Freed by memplan_joint_exhaust_free
// (NULL: nothing happens).
memplan_status memplan_joint_exhaust_new(const memplan_joint_exhaust_task *task, memplan_joint_exhaust **exhaust,
                                         memplan_error *error);
void memplan_joint_exhaust_free(memplan_joint_exhaust *exhaust);

typedef struct memplan_joint_exhaust_news {
  int64_t lower;         // proven: no plan has a smaller peak
  bool closed;           // no plan is below the best one known
  bool ended;            // nothing is left to be tried: closed, or memory, work for placements or nogoods too small;
                         // with other bounds there may be: memplan_joint_exhaust_can_run
  bool improved;         // by the last call: the plan that memplan_joint_exhaust_plan gives is a better one
  int64_t ticks, states; // of the last call
} memplan_joint_exhaust_news;

// About `ticks` of work, with the bound and the best peak known now; ends before when a plan has a peak of at most
// `goal`, or with nothing left to be tried. A function of the calls alone, unless time is over.
memplan_status memplan_joint_exhaust_run(memplan_joint_exhaust *exhaust, int64_t lower, int64_t upper, int64_t goal,
                                         int64_t ticks, memplan_joint_exhaust_news *news, memplan_error *error);

// Is there something to be tried with these bounds, also after it has ended? The capacity at which it did may lie
// outside of them.
bool memplan_joint_exhaust_can_run(const memplan_joint_exhaust *exhaust, int64_t lower, int64_t upper);

// The best plan found, valid until the next run; its order is NULL if there is none.
const memplan_joint_plan *memplan_joint_exhaust_plan(const memplan_joint_exhaust *exhaust);

// The nogoods found so far, by index from 0, also those of every order; NULL after the last.
const memplan_joint_nogood *memplan_joint_exhaust_nogood(const memplan_joint_exhaust *exhaust, int32_t index);

#endif
