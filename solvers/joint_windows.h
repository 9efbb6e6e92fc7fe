// SPDX-License-Identifier: Apache-2.0
// Bounds of the arena from windows of an order, for graphs that the joint engine does not take or does not finish: each
// window, its own order free, is searched by the engine, and its optimum is a bound for the whole graph.
#ifndef MEMPLAN_SOLVERS_JOINT_WINDOWS_H
#define MEMPLAN_SOLVERS_JOINT_WINDOWS_H

#include "model/method.h"
#include "solvers/joint_piece.h"

typedef struct memplan_joint_windows memplan_joint_windows;

enum { MEMPLAN_WINDOW_NARROWEST = 8 };

// Windows of `narrowest` operators, an even number, and of 2, 4, 8 and 16 times as many, if the problem has more.
// *windows is NULL for a problem that it does not take: several pools, at most `narrowest` or more than 4000 operators,
// sizes that pass 2^62.
memplan_status memplan_joint_windows_new(const memplan_ordering *ordering, int32_t narrowest,
                                         memplan_joint_windows **windows, memplan_error *error);
void memplan_joint_windows_free(memplan_joint_windows *windows); // may be NULL

// The windows are those of this plan from now on, if it is another one than before.
memplan_status memplan_joint_windows_set_plan(memplan_joint_windows *windows, const memplan_joint_plan *plan,
                                              memplan_error *error);

// No window of the plan can raise the bound any more.
bool memplan_joint_windows_is_exhausted(const memplan_joint_windows *windows);

// The outline of the whole problem; lives as long as the object.
const memplan_joint_graph *memplan_joint_windows_outline(const memplan_joint_windows *windows);

typedef struct memplan_joint_windows_news {
  int64_t lower;      // proven: no plan has a smaller peak
  const int32_t *ops; // operators of the window that has proven it, NULL: it was known; valid until the next plan
  int32_t n_ops;
  memplan_joint_work work; // of this call
} memplan_joint_windows_news;

// About `ticks` of work from a known bound, `lower`, on, after a plan has been set; ends before when the bound meets
// the peak of the plan, or when nothing is left to do. Small windows come first; what its share of the work does not
// decide is tried anew with four times that. A function of the calls alone, unless time is over.
memplan_status memplan_joint_windows_run(memplan_joint_windows *windows, int64_t lower, int64_t ticks,
                                         const memplan_limits *limits, memplan_joint_windows_news *news,
                                         memplan_error *error);

#endif
