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
// took nothing. *good is false, with the reason, if one proves nothing or is of no body of the model, or if they do not
// come in the order of the model. A status only for MEMPLAN_NOMEM.
memplan_status memplan_check_bodies(const memplan_problem *problem, const json_t *head, memplan_plan *plan, bool *good,
                                    char *reason, size_t size, memplan_error *error);

#endif
