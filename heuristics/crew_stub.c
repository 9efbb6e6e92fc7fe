// SPDX-License-Identifier: Apache-2.0
// Without OpenMP everything runs in the caller's thread.
#include "heuristics/crew.h"

int32_t memplan_crew_most(const memplan_limits *limits) {
  (void)limits;
  return 1;
}

int32_t memplan_crew_size(const memplan_limits *limits, int64_t work) {
  (void)limits;
  (void)work;
  return 1;
}
