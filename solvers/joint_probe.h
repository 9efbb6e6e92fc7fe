// SPDX-License-Identifier: Apache-2.0
// Precedences that the joint search may take as given at a capacity: no plan within it has an order with a larger peak,
// and so all that probing (solvers/order_probe.h) finds about the orders within that peak holds for its plans.
#ifndef MEMPLAN_SOLVERS_JOINT_PROBE_H
#define MEMPLAN_SOLVERS_JOINT_PROBE_H

#include "model/method.h"
#include "solvers/joint_search.h"
#include "solvers/order_probe.h"

typedef struct memplan_joint_probe memplan_joint_probe;

// For searches of the whole ordering, which has to outlive it. `order`: an order to look at operators in, or NULL.
// *probe is NULL if the ordering is too large for it.
memplan_status memplan_joint_probe_new(const memplan_ordering *ordering, const int32_t *order,
                                       memplan_joint_probe **probe, memplan_error *error);
void memplan_joint_probe_free(memplan_joint_probe *probe); // may be NULL

// The work that probing may spend now beside a search of `ticks`, of which it has spent `probed`: an eighth as much in
// all. 0: so little that operators would be passed over.
int64_t memplan_joint_probe_allowance(int64_t ticks, int64_t probed);

// About `work` more at this capacity in bytes, of which the search is told the precedences found: it loses its
// decisions then. *ticks: the work done, 0 if nothing is left to do there. *refuted: no plan is within the capacity.
memplan_status memplan_joint_probe_run(memplan_joint_probe *probe, memplan_joint_search *search, int64_t capacity,
                                       int64_t work, const memplan_limits *limits, int64_t *ticks, bool *refuted,
                                       memplan_error *error);

// What has been found at the last capacity, NULL if there was none; the probe's, until the next run.
const memplan_order_probe *memplan_joint_probe_look(const memplan_joint_probe *probe);

#endif
