// SPDX-License-Identifier: Apache-2.0
// Checks a certificate by clauses about every plan of a graph (solvers/joint_proof.h describes its lines): is it proven
// that no order, in-place choice and placement together have a peak below the claim? Trusts the graph only. Time: the
// model's own (eval/check_joint_replay.h), and then proportional to the certificate, times what a decision propagates;
// no search.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_H
#define MEMPLAN_EVAL_CHECK_JOINT_H

#include "eval/check_proof.h"

// For a problem with a graph, after memplan_check_certificate has read the first line: *result holds its claim and
// kind. `workspace`: by operator, with what the first line proves of control-flow bodies; NULL: nothing.
memplan_status memplan_check_joint(const memplan_problem *problem, const int64_t *workspace, const char *text,
                                   size_t length, memplan_check_result *result, memplan_error *error);

#endif
