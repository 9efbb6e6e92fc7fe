// SPDX-License-Identifier: Apache-2.0
// Checks a certificate about every order of a graph (solvers/cut_proof.h describes its lines): is it proven that no
// plan has a peak below the claim? Trusts the graph only. Linear in the certificate and the graph.
#ifndef MEMPLAN_EVAL_CHECK_CUT_H
#define MEMPLAN_EVAL_CHECK_CUT_H

#include "eval/check_proof.h"

// For a problem with a graph, after memplan_check_certificate has read the first line: *result holds its claim and
// kind. `workspace`: by operator, with what the first line proves of control-flow bodies; NULL: nothing.
memplan_status memplan_check_cut(const memplan_problem *problem, const int64_t *workspace, const char *text,
                                 size_t length, memplan_check_result *result, memplan_error *error);

#endif
