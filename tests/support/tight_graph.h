// SPDX-License-Identifier: Apache-2.0
// Seeded graphs whose given order is full at almost every step, so that the offsets often cost more than the load.
#ifndef MEMPLAN_TESTS_TIGHT_GRAPH_H
#define MEMPLAN_TESTS_TIGHT_GRAPH_H

#include "tests/support/random_problem.h"

// `least` ... `most` operators, most <= 10. With, here and there, views, several writers, updates, in-place pairs,
// graph inputs and outputs, workspaces, groups, asynchronous operators and alignments. Not resolved yet; legal as it is
// but for alignments of views.
void tight_graph(random_state *random, int32_t least, int32_t most, memplan_problem *problem);

#endif
