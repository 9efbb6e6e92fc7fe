// SPDX-License-Identifier: Apache-2.0
// Checks the order of a plan against the dependencies that the model states.
#ifndef MEMPLAN_VERIFY_ORDER_H
#define MEMPLAN_VERIFY_ORDER_H

#include "model/verify_layout.h"
#include "model/verify_report.h"

// Finds the step of each operator (array of n_ops). *is_permutation tells whether there is one; otherwise violations
// name what is unknown, repeated or missing. O(operators).
memplan_status memplan_order_read(const memplan_graph *graph, const memplan_plan *plan, memplan_findings *findings,
                                  int32_t *step, bool *is_permutation, memplan_error *error);

// Checks every dependency of a permutation. A violation names the operator that has to come first and the one that does
// not wait for it: of the bytes of each access, the last operator that it had to wait for; of each maker, `after`,
// `async_until` and group, itself. O(n log n) in accesses and stated dependencies.
memplan_status memplan_order_check(const memplan_layout *layout, const int32_t *step, memplan_findings *findings,
                                   memplan_arena *arena, memplan_error *error);

#endif
