// SPDX-License-Identifier: Apache-2.0
#include "solvers/epoch.h"

static void run_task(const memplan_epoch_part *part, int32_t task) {
  while (task >= part->n_tasks) {
    task -= part->n_tasks;
    part++;
  }
  part->run(part->search, task);
}

void memplan_epoch_run(const memplan_epoch_part *parts, int32_t n_parts, int32_t threads) {
  int32_t n = 0;
  for (int32_t k = 0; k < n_parts; k++) {
    n += parts[k].n_tasks;
  }
  (void)threads; // a build without OpenMP runs the tasks one after the other
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (int32_t task = 0; task < n; task++) {
    run_task(parts, task);
  }
}
