// SPDX-License-Identifier: Apache-2.0
// Better plans from slices of one: where it ends above a limit, the joint engine makes a few of its steps anew, order,
// choices and offsets at once, with all the others held.
#ifndef MEMPLAN_SOLVERS_JOINT_REPAIR_H
#define MEMPLAN_SOLVERS_JOINT_REPAIR_H

#include "model/method.h"
#include "solvers/joint_piece.h"

typedef struct memplan_joint_repair memplan_joint_repair;

enum { MEMPLAN_REPAIR_NARROWEST = 8, MEMPLAN_REPAIR_WIDEST = 128 };

// `whole` is an outline and must outlive the object. Slices have `narrowest` steps, twice as many, and so on until
// there are `widest` or more; more where a group asks for them. NULL if memory is out.
memplan_joint_repair *memplan_joint_repair_new(const memplan_joint_graph *whole, int32_t narrowest, int32_t widest);
void memplan_joint_repair_free(memplan_joint_repair *repair); // may be NULL

// The plan to be improved from now on, if its peak is below that of the one before; with its placement.
memplan_status memplan_joint_repair_set_plan(memplan_joint_repair *repair, const memplan_joint_plan *plan,
                                             memplan_error *error);

typedef struct memplan_joint_repair_news {
  bool improved;           // there is a better plan than before the call, as memplan_joint_repair_read says
  memplan_joint_work work; // of this call
} memplan_joint_repair_news;

// About `ticks` of work after a plan has been set; ends before when a plan has a peak of at most `goal`, or when no
// slice is left to be tried. The goal is tried first, then limits between it and the peak. A function of the calls
// alone, unless time is over.
memplan_status memplan_joint_repair_run(memplan_joint_repair *repair, int64_t goal, int64_t ticks,
                                        const memplan_limits *limits, memplan_joint_repair_news *news,
                                        memplan_error *error);

bool memplan_joint_repair_is_exhausted(const memplan_joint_repair *repair);
int64_t memplan_joint_repair_peak(const memplan_joint_repair *repair); // of the best plan known

// The best plan known, which is the one set unless that was improved. Memory from `arena`.
memplan_status memplan_joint_repair_read(const memplan_joint_repair *repair, memplan_arena *arena,
                                         memplan_joint_plan *plan, memplan_error *error);

#endif
