// SPDX-License-Identifier: Apache-2.0
// Epochs of searches that run side by side. A part is one search that has set the tasks of its epoch; tasks know
// nothing of each other, and what they found is looked at by their searches afterwards, in a fixed order. So results do
// not depend on the number of threads.
#ifndef MEMPLAN_SOLVERS_EPOCH_H
#define MEMPLAN_SOLVERS_EPOCH_H

#include <stdint.h>

typedef struct memplan_epoch_part {
  void *search;
  int32_t n_tasks;
  void (*run)(void *search, int32_t task); // by any thread, at the same time as other tasks
} memplan_epoch_part;

// Runs all tasks; with one thread in their order. Threads take them in that order, so that long ones belong in front.
void memplan_epoch_run(const memplan_epoch_part *parts, int32_t n_parts, int32_t threads);

#endif
