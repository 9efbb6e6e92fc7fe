// SPDX-License-Identifier: Apache-2.0
// Parts of memplan_ordering_init. Internal to model/.
#ifndef MEMPLAN_ORDERING_STEPS_H
#define MEMPLAN_ORDERING_STEPS_H

#include "model/ordering.h"

// Counts the weights of bodies, and under `weights resident` puts them among what is live throughout.
memplan_status memplan_ordering_add_residents(memplan_ordering *ordering, memplan_error *error);

// Fills workspace_name and the ids of residents.
memplan_status memplan_ordering_name(memplan_ordering *ordering, memplan_error *error);

// Can the output lie on the input, whatever else is chosen? Not if alignments, pins or pools of the two buffers
// contradict each other.
bool memplan_pair_can_lie(const memplan_ordering *ordering, const memplan_pair *pair);

// Refuses sizes that search could not add up (MODEL: the sum of bytes + alignment - 1 within one time-connected
// component on the given order), and tells whether other orders may be searched: one_order.
memplan_status memplan_ordering_check_sizes(memplan_ordering *ordering, memplan_error *error);

#endif
