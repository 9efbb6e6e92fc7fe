// SPDX-License-Identifier: Apache-2.0
// When the placement of one ranking is given up, and what it cost.
#ifndef MEMPLAN_FILL_H
#define MEMPLAN_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memplan_fill {
  int64_t limit;                  // a peak >= limit is of no use; INT64_MAX: any is
  bool (*stopped)(void *context); // asked now and then; NULL: never stops
  bool (*hurried)(
      void *context); // asked as often: the placement is to be finished, but in the quickest way; NULL: never
  void *context;
  int64_t most_work; // 0: any; what costs more is given up, `excessive` says so
  bool excessive;    // out
  int64_t work;      // out: blocks placed and what costs as much
} memplan_fill;

// To be asked after each step; looks at the limits at every 1024th. `more`: work besides the steps.
static inline bool memplan_fill_is_stopped(memplan_fill *fill, int64_t step, int64_t more) {
  if (step % 1024 != 0) {
    return false;
  }
  fill->excessive = fill->most_work > 0 && step + more > fill->most_work;
  return fill->excessive || (fill->stopped != NULL && fill->stopped(fill->context));
}

// After the same steps.
static inline bool memplan_fill_is_hurried(const memplan_fill *fill, int64_t step) {
  return step % 1024 == 0 && fill->hurried != NULL && fill->hurried(fill->context);
}

#endif
