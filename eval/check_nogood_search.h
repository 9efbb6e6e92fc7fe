// SPDX-License-Identifier: Apache-2.0
// Checks the part of a certificate by nogoods that tells why a search of all orders found none (solvers/nogood_proof.h
// describes its lines), line by line. A line costs what its operators and the moves from its set touch, each move with
// the overlaps of the nogoods that its operator takes part in; each set that is spoken of takes
// (n_ops + nogoods) / 8 bytes, and of these there are never more than the lines, read and to come, can close.
#ifndef MEMPLAN_EVAL_CHECK_NOGOOD_SEARCH_H
#define MEMPLAN_EVAL_CHECK_NOGOOD_SEARCH_H

#include "eval/check_nogood.h"
#include "eval/check_proof.h"

typedef struct memplan_nogood_search memplan_nogood_search;

// From the line {"search":...}. What is wrong goes into the result's reason; a status only for MEMPLAN_NOMEM. `model`,
// `nogoods` and the meter, from which all work is taken, have to stay. Freed by memplan_nogood_search_free, also after
// a failure.
memplan_status memplan_nogood_search_new(const memplan_check_joint_model *model, const memplan_check_nogood *nogoods,
                                         int32_t n_nogoods, const json_t *line, memplan_check_meter *meter,
                                         memplan_check_result *result, memplan_nogood_search **search,
                                         memplan_error *error);
void memplan_nogood_search_free(memplan_nogood_search *search);

// `rest`: bytes of the certificate behind the line.
memplan_status memplan_nogood_search_line(memplan_nogood_search *search, const json_t *line, size_t rest,
                                          memplan_error *error);

// Is the empty set closed, and each set that one spoken of depends on?
bool memplan_nogood_search_is_closed(const memplan_nogood_search *search);

#endif
