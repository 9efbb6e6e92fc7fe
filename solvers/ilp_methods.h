// SPDX-License-Identifier: Apache-2.0
// The integer programs as methods. They are there in every build, so that lists show them; without GLPK they decline.
#ifndef MEMPLAN_SOLVERS_ILP_METHODS_H
#define MEMPLAN_SOLVERS_ILP_METHODS_H

#include "model/memplan.h"

extern const memplan_method memplan_ilp_place_method;
extern const memplan_method memplan_ilp_order_method;
extern const memplan_method memplan_ilp_order_steps_method;
extern const memplan_method memplan_ilp_joint_method;
extern const memplan_method memplan_ilp_joint_steps_method;

#endif
