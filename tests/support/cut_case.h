// SPDX-License-Identifier: Apache-2.0
// Checks of cut bounds and probing by brute force over all ideals, that several test programs share. They assert.
#ifndef MEMPLAN_TESTS_CUT_CASE_H
#define MEMPLAN_TESTS_CUT_CASE_H

#include "tests/support/random_problem.h"

#include <stdbool.h>
#include <stdint.h>

// `count` random graphs of at most 7 operators with all features of the model, and as many plain ones of at most 9;
// also that enough of them have what is looked for.
void cut_check_graphs(uint64_t seed, int32_t count);

// Of an even number a random graph of at most 7 operators with all features of the model, else a plain one of at most
// 9; resolved. False: it contradicts itself, or has no operators. To be freed in any case.
bool cut_random_graph(random_state *random, uint64_t index, memplan_problem *problem);

#endif
