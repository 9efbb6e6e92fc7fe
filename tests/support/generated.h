// SPDX-License-Identifier: Apache-2.0
// Problems of the seeded families (instances/generators.h).
#ifndef MEMPLAN_TESTS_GENERATED_H
#define MEMPLAN_TESTS_GENERATED_H

#include "model/memplan.h"

// Initialises the problem; n and fill 0: the family's own choice. The test fails if there is none.
void generated(const char *family, uint64_t seed, int64_t n, int64_t fill, memplan_problem *problem);

#endif
