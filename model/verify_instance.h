// SPDX-License-Identifier: Apache-2.0
// Checks the plan of a placement instance.
#ifndef MEMPLAN_VERIFY_INSTANCE_H
#define MEMPLAN_VERIFY_INSTANCE_H

#include "model/verify_report.h"

// *peak receives that of the plan's offsets.
memplan_status memplan_instance_verify(const memplan_instance *instance, const memplan_problem_options *options,
                                       const memplan_plan *plan, memplan_findings *findings, int64_t *peak,
                                       memplan_error *error);

#endif
