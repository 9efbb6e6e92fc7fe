// SPDX-License-Identifier: Apache-2.0
// A plan to begin with: checked as any plan is, then an order, a choice and a placement by index.
#ifndef MEMPLAN_SOLVERS_WARM_START_H
#define MEMPLAN_SOLVERS_WARM_START_H

#include "model/memplan.h"
#include "model/planned_order.h"
#include "solvers/place.h"

// "start": what stands for the method of such a plan in results.
extern const memplan_method memplan_start_method;

// Is solve->start a valid plan of the problem without its capacity? What it was made under, and what it says about
// itself (status, bounds), is not looked at. MEMPLAN_INPUT: no, with what verify says first. No start: MEMPLAN_OK.
memplan_status memplan_start_check(const memplan_problem *problem, const memplan_solve_options *solve,
                                   memplan_error *error);

// The placement of a plan that memplan_start_check has let through, on the instance it belongs to.
memplan_status memplan_start_place(const memplan_instance *instance, const memplan_plan *start, memplan_arena *arena,
                                   memplan_place_result *result, memplan_error *error);

#endif
