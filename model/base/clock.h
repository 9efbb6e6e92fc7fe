// SPDX-License-Identifier: Apache-2.0
// Wall clock for time limits and reports; never decides anything else.
#ifndef MEMPLAN_BASE_CLOCK_H
#define MEMPLAN_BASE_CLOCK_H

#include <stdint.h>

// Monotonic time in microseconds from an arbitrary start.
int64_t memplan_clock_us(void);

#endif
