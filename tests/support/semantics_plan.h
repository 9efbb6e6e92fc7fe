// SPDX-License-Identifier: Apache-2.0
// Plans made from the oracle's items and places.
#ifndef MEMPLAN_TESTS_SEMANTICS_PLAN_H
#define MEMPLAN_TESTS_SEMANTICS_PLAN_H

#include "tests/support/oracle.h"
#include "tests/support/random_problem.h"

// A plan with that order, choice and placement, and the peak that belongs to it.
void semantics_make_plan(const memplan_problem *problem, const oracle_items *items, const int32_t *order,
                         const oracle_choice *choice, const oracle_place *places, memplan_plan *plan);

// The same for an instance.
void semantics_make_instance_plan(const memplan_problem *problem, const oracle_place *places, memplan_plan *plan);

// Does memplan_verify accept the plan? The first violation goes to `text`.
bool semantics_verifies(const memplan_problem *problem, const memplan_plan *plan, char *text, size_t size);

// Moves one or two things a little: places that are valid become nearly valid ones.
void semantics_disturb(random_state *random, int32_t n_items, int32_t n_pools, const int64_t *bytes,
                       oracle_place *places);

#endif
