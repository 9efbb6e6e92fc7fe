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

// The sections of kind "probe" by themselves, line by line, for certificates that take the precedences they show as
// known: each holds in every order with a peak below the result's claim. What is wrong goes into the result's reason; a
// status only for MEMPLAN_NOMEM. `length`: of the certificate.
typedef struct memplan_precedence_check memplan_precedence_check;

memplan_status memplan_precedence_check_new(const memplan_problem *problem, const int64_t *workspace, size_t length,
                                            memplan_check_result *result, memplan_precedence_check **check,
                                            memplan_error *error);
void memplan_precedence_check_free(memplan_precedence_check *check); // may be NULL

memplan_status memplan_precedence_check_line(memplan_precedence_check *check, const json_t *line, memplan_error *error);
// After the last line: ends its section. *n: precedences shown.
memplan_status memplan_precedence_check_end(memplan_precedence_check *check, int64_t *n, memplan_error *error);
// One of them, counted from 0.
void memplan_precedence_check_get(const memplan_precedence_check *check, int64_t index, int32_t *before,
                                  int32_t *after);

#endif
