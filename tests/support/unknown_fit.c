// SPDX-License-Identifier: Apache-2.0
#include "tests/support/unknown_fit.h"

memplan_status unknown_fit(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                           int64_t ticks, const memplan_limits *limits, memplan_fit *fit, memplan_error *error) {
  (void)instance;
  (void)blocks;
  (void)n_blocks;
  (void)capacity;
  (void)ticks;
  (void)limits;
  (void)error;
  *fit = MEMPLAN_FIT_UNKNOWN;
  return MEMPLAN_OK;
}
