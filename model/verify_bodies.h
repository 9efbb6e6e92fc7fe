// SPDX-License-Identifier: Apache-2.0
// Checks the plans of the bodies of control-flow operators, and adds their peaks to the operators' workspaces.
#ifndef MEMPLAN_VERIFY_BODIES_H
#define MEMPLAN_VERIFY_BODIES_H

#include "model/verify_report.h"

// workspace (array of n_ops) receives each operator's own workspace plus the largest peak of its bodies' plans, or
// their sum without branch sharing. A body without plan is a violation, and counts nothing.
memplan_status memplan_bodies_check(const memplan_graph *graph, const memplan_problem_options *options,
                                    const memplan_plan *plan, int32_t depth, memplan_findings *findings,
                                    int64_t *workspace, memplan_error *error);

#endif
