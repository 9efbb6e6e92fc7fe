// SPDX-License-Identifier: Apache-2.0
// Certificates of the control-flow bodies of a plan, which certificates of their graph build on.
#ifndef MEMPLAN_SOLVERS_CERTIFY_BODIES_H
#define MEMPLAN_SOLVERS_CERTIFY_BODIES_H

#include "model/memplan.h"

// Certifies each body of the plan, and lowers the graph on the plan's order into `instance` (initialised) with what
// those certificates claim as the bodies' peaks. *text (malloc'd) is the list for the first line of the graph's
// certificate: [{"op":id,"body":name,"certificate":[lines]},…], in the order of the model's bodies. The bodies and
// their graph share the work of the limits. What is larger than `most_bytes` is left out, and so claims nothing.
memplan_status memplan_certify_bodies(const memplan_problem *problem, const memplan_plan *plan,
                                      const memplan_limits *limits, int64_t most_bytes, memplan_instance *instance,
                                      char **text, memplan_error *error);

#endif
