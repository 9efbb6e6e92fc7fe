// SPDX-License-Identifier: Apache-2.0
// Checks the part of a certificate that tells why a search of all orders found none (solvers/search_proof.h describes
// its lines), line by line. A line costs what its operators, its commits (of 14 operators at most, or one with its lazy
// predecessors) and the moves from its set touch; each set that is spoken of takes n_ops / 8 bytes. Of these there are
// never more than the lines, read and to come, can close.
#ifndef MEMPLAN_EVAL_CHECK_ORDER_SEARCH_H
#define MEMPLAN_EVAL_CHECK_ORDER_SEARCH_H

#include "eval/check_proof.h"
#include "model/ordering.h"

#include <jansson.h>

typedef struct memplan_search_check memplan_search_check;

// From the line {"search":…}. `before[k]` is known to run before `after[k]` in orders below the claim. What is wrong
// goes into the result's reason; a status only for MEMPLAN_NOMEM. Freed by memplan_search_check_free, also after a
// failure.
memplan_status memplan_search_check_new(const memplan_ordering *ordering, const int32_t *before, const int32_t *after,
                                        int32_t n_edges, const json_t *line, memplan_check_result *result,
                                        memplan_search_check **check, memplan_error *error);
void memplan_search_check_free(memplan_search_check *check);

// `rest`: bytes of the certificate behind the line.
memplan_status memplan_search_check_line(memplan_search_check *check, const json_t *line, size_t rest,
                                         memplan_error *error);

// Is the empty set closed, and each set that one spoken of depends on?
bool memplan_search_check_is_closed(const memplan_search_check *check);

#endif
