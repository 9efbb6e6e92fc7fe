// SPDX-License-Identifier: Apache-2.0
// In-place choices of one order: which inputs are overwritten is open wherever the peak leaves it open.
#ifndef MEMPLAN_SOLVERS_JOINT_CHOICE_H
#define MEMPLAN_SOLVERS_JOINT_CHOICE_H

#include "solvers/graph_candidates.h"

// Draws a choice for the order of `full`, whose own choice must be the best one that can lie: at each operator pairs in
// random order until its load is within `limit`, and where it is so without any, none or a random one. `entry`: a
// candidate of its own (index 0), not added to a list; nothing but the seed decides. Operators that keep their load
// above the limit in this way keep the pairs of `full`. Memory from `arena`. O(size of the graph).
memplan_status memplan_joint_choose(const memplan_ordering *ordering, const memplan_candidate *full, int64_t limit,
                                    uint64_t seed, memplan_arena *arena, memplan_candidate *entry,
                                    memplan_error *error);

#endif
