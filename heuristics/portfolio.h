// SPDX-License-Identifier: Apache-2.0
// Runs methods in parallel, with results that do not depend on the number of threads: each task has its own slot for
// its result, and the choice among them is made serially, by (value, index).
#ifndef MEMPLAN_PORTFOLIO_H
#define MEMPLAN_PORTFOLIO_H

#include "model/method.h"

typedef struct memplan_portfolio_task {
  const memplan_method *method;
  memplan_task task;
  // set by the run
  memplan_status status; // of this task; a declined task has ran == false and status OK
  bool ran;              // false: declined, not needed any more, or not started or not finished because of a limit
  memplan_method_result result;
  int64_t peak; // placements: peak of the offsets; orders: order peak. INT64_MAX if there is none (failed, did not fit)
  memplan_error error;
} memplan_portfolio_task;

// Runs all tasks with limits->threads threads (0: as many as OpenMP gives), small ones with one. Result arrays are
// allocated from `arena`, before the parallel part. Methods that search for as long as they may come last, one after
// the other, and only if none of the others met the load of the instance. Task 0 is always started, whatever the time
// limit; the others are not started, and running ones stop (but for those whose files say otherwise), once the time
// limit is over or *cancel is set, and *stop then says so. A task whose method fails (not: declines) makes the call
// fail with the error of the lowest index.
memplan_status memplan_portfolio_run(memplan_portfolio_task *tasks, int32_t n_tasks, const memplan_limits *limits,
                                     memplan_arena *arena, memplan_stop *stop, memplan_error *error);

// How many threads a run with these limits gets at most.
int32_t memplan_portfolio_threads(const memplan_limits *limits);

// Index of the task with the smallest peak, of equals the first; -1 if none has one.
int32_t memplan_portfolio_best(const memplan_portfolio_task *tasks, int32_t n_tasks);

#endif
