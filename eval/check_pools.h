// SPDX-License-Identifier: Apache-2.0
// Checks a certificate of several pools (solvers/certify_pools.h describes its lines): are all of the certificates in
// it proven, about one problem? Trusts the problem only.
#ifndef MEMPLAN_EVAL_CHECK_POOLS_H
#define MEMPLAN_EVAL_CHECK_POOLS_H

#include "eval/check_proof.h"

// After memplan_check_certificate has read the first line: *result holds its claim and kind.
memplan_status memplan_check_pools(const memplan_problem *problem, const char *text, size_t length,
                                   memplan_check_result *result, memplan_error *error);

#endif
