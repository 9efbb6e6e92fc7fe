// SPDX-License-Identifier: Apache-2.0
// The joint search of a whole graph, beside those of its windows and slices: as a part of the search for its plan,
// begun when it is first worth it and run in slices of work, and as the method joint-engine.
#ifndef MEMPLAN_SOLVERS_JOINT_WHOLE_H
#define MEMPLAN_SOLVERS_JOINT_WHOLE_H

#include "model/method.h"
#include "solvers/joint_search.h"

// The descriptor by which lists, benchmarks and plans name it.
extern const memplan_method memplan_joint_engine_method;

typedef struct memplan_joint_whole memplan_joint_whole;

// The search for a plan with a peak in [lower, upper), with the seed and the memory of the limits. `start`: a plan
// whose choices come first, or NULL. `without`: solvers/techniques.h. *whole is NULL where the search does not take the
// problem.
memplan_status memplan_joint_whole_new(const memplan_ordering *ordering, const memplan_joint_plan *start, int64_t lower,
                                       int64_t upper, const memplan_limits *limits, uint64_t without,
                                       memplan_joint_whole **whole, memplan_error *error);
void memplan_joint_whole_free(memplan_joint_whole *whole); // may be NULL

typedef struct memplan_joint_whole_news {
  int64_t lower; // proven: no plan has a smaller peak
  bool closed;   // no plan is below the best one known; nothing is left to do
  bool full;     // it holds as much memory as it may: nothing more will come
  bool improved; // by the last call, as memplan_joint_whole_read says
  int64_t ticks; // of the last call
  int64_t conflicts;
} memplan_joint_whole_news;

// About `ticks` of work, with the bound and the best peak known now; ends before when the search is closed or a plan
// has a peak of at most `goal`.
memplan_status memplan_joint_whole_run(memplan_joint_whole *whole, int64_t lower, int64_t upper, int64_t goal,
                                       int64_t ticks, const memplan_limits *limits, memplan_joint_whole_news *news,
                                       memplan_error *error);

// The best plan found. Memory from `arena`.
memplan_status memplan_joint_whole_read(const memplan_joint_whole *whole, memplan_arena *arena,
                                        memplan_joint_plan *plan, memplan_error *error);

#endif
