// SPDX-License-Identifier: Apache-2.0
// The certificates of control-flow bodies that the first line of a graph's certificate holds
// (solvers/certify_bodies.h writes them).
#ifndef MEMPLAN_EVAL_CHECK_BODIES_H
#define MEMPLAN_EVAL_CHECK_BODIES_H

#include "model/memplan.h"

#include <jansson.h>

#include <stddef.h>

// Replays the certificates in `bodies` of the head, each against its body, and gives the plan (initialised, without
// bodies) those bodies with what was proven of them as their peaks; a body without certificate is left out, as if it
// took nothing. *good is false, with the reason, if one proves nothing or is of no body of the model, if they do not
// come in the order of the model, or if `every_order` is asked for and one of them speaks of one order. A status only
// for MEMPLAN_NOMEM.
memplan_status memplan_check_bodies(const memplan_problem *problem, const json_t *head, bool every_order,
                                    memplan_plan *plan, bool *good, char *reason, size_t size, memplan_error *error);

// What operators need at least on every order, by the certificates in `bodies` of the head: by operator, malloc'd; NULL
// if there are none. *good and the status as above.
memplan_status memplan_check_bodies_workspace(const memplan_problem *problem, const json_t *head, int64_t **workspace,
                                              bool *good, char *reason, size_t size, memplan_error *error);

#endif
