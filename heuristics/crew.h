// SPDX-License-Identifier: Apache-2.0
// How many threads a parallel part may use. Results never depend on it.
#ifndef MEMPLAN_CREW_H
#define MEMPLAN_CREW_H

#include "model/method.h"

// limits->threads, or if that is 0 as many as OpenMP would take.
int32_t memplan_crew_most(const memplan_limits *limits);

// Threads for a part of `work` steps (a block to place, an operator to order): one if they are so few that waking
// threads costs more than it gains, or if the caller runs in a parallel part itself; else at most memplan_crew_most,
// less if the system does not give so many threads. Ask once for a series of parallel parts: it starts threads to see
// whether it can.
int32_t memplan_crew_size(const memplan_limits *limits, int64_t work);

#endif
