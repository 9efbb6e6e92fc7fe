// SPDX-License-Identifier: Apache-2.0
// Checks a certificate by nogoods about every plan of a graph (solvers/nogood_proof.h describes its lines): is it
// proven that no order, in-place choice and placement together have a peak below the claim? Trusts the graph only. No
// search.
#ifndef MEMPLAN_EVAL_CHECK_NOGOODS_H
#define MEMPLAN_EVAL_CHECK_NOGOODS_H

#include "eval/check_proof.h"

// For a problem with a graph, after memplan_check_certificate has read the first line: *result holds its claim and
// kind. `workspace` by operator, with what is proven of bodies, or NULL: the graph's.
memplan_status memplan_check_nogoods(const memplan_problem *problem, const int64_t *workspace, const char *text,
                                     size_t length, memplan_check_result *result, memplan_error *error);

#endif
