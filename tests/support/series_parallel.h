// SPDX-License-Identifier: Apache-2.0
// Random series-parallel graphs, whose least order peak is known by merging hills and valleys: an oracle that shares
// nothing with the search. Checks assert.
#ifndef MEMPLAN_TESTS_SERIES_PARALLEL_H
#define MEMPLAN_TESTS_SERIES_PARALLEL_H

#include <stdint.h>

// `count` graphs of 2 to `most` operators, with and without workspaces: the exact order search finds and proves the
// peak that merging gives, with all its techniques and without those that reduce the graph.
void series_parallel_check(uint64_t seed, int32_t count, int32_t most);

#endif
