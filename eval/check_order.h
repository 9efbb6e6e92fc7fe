// SPDX-License-Identifier: Apache-2.0
// The placement problem that a certificate about a graph speaks of: that of the order and the in-place pairs which its
// first line states. Built by the model, without solver code.
#ifndef MEMPLAN_EVAL_CHECK_ORDER_H
#define MEMPLAN_EVAL_CHECK_ORDER_H

#include "model/memplan.h"

#include <jansson.h>

#include <stddef.h>

// From `order` (ids of operators) and `inplace` (pairs of ids) of the head into an initialised instance. The order has
// to be legal and the pairs allowed together on it, which `verify`'s own rules decide; of control-flow bodies it counts
// what the certificates in `bodies` prove. *good is false, with the reason, where they are not. A status only for
// MEMPLAN_NOMEM.
memplan_status memplan_check_lower(const memplan_problem *problem, const json_t *head, memplan_instance *instance,
                                   bool *good, char *reason, size_t size, memplan_error *error);

#endif
