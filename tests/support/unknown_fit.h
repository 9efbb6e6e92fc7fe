// SPDX-License-Identifier: Apache-2.0
#ifndef MEMPLAN_TESTS_UNKNOWN_FIT_H
#define MEMPLAN_TESTS_UNKNOWN_FIT_H

#include "solvers/explain_capacity.h"

// A memplan_fits_function that knows nothing.
memplan_status unknown_fit(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                           int64_t ticks, const memplan_limits *limits, memplan_fit *fit, memplan_error *error);

#endif
