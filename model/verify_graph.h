// SPDX-License-Identifier: Apache-2.0
// Checks the plan of a graph, and the plans of its bodies.
#ifndef MEMPLAN_VERIFY_GRAPH_H
#define MEMPLAN_VERIFY_GRAPH_H

#include "model/verify_report.h"

// `depth`: how deep this graph lies within bodies; beyond a fixed limit MEMPLAN_UNSUPPORTED. *peak receives that of the
// plan's offsets.
memplan_status memplan_graph_verify(const memplan_graph *graph, const memplan_problem_options *options,
                                    const memplan_plan *plan, int32_t depth, memplan_findings *findings, int64_t *peak,
                                    memplan_error *error);

#endif
