// SPDX-License-Identifier: Apache-2.0
// Pins as constraints on orders: two buffers that are pinned to bytes in common may not live at one time, so that one
// of them has to end before the other begins.
#ifndef MEMPLAN_SOLVERS_PIN_ORDER_H
#define MEMPLAN_SOLVERS_PIN_ORDER_H

#include "model/method.h"

// The two orderings share everything but their precedences with the one that they come from, and must not be freed.
typedef struct memplan_pin_orders {
  bool none;                // proven: whatever the order, some of them meet
  bool narrows;             // `forced` has precedences that the ordering does not have
  bool branches;            // some pairs may go either way, and one way was found for each of them: `decided`
  memplan_ordering forced;  // with the precedences that hold in every order on which none of them meet
  memplan_ordering decided; // none of its orders lets any of them meet
} memplan_pin_orders;

// For a graph with one pool; of one with several, with more than 16,384 operators, or with too many such pairs nothing
// is said. An output and an input of an in-place pair may meet while its operator runs. The way of each open pair is
// sought by depth-first search with propagation. All of it stays within a fixed amount of work, counted in words,
// precedences and pairs looked at; what is not known by then, or when `limits` (started) are reached, is not said. The
// given order of `ordering` may be against its precedences, as it may be against those of `forced` and `decided`.
// Memory from `arena`: operators^2 / 4 bytes. O(operators^2 / 64) for each precedence that is added.
memplan_status memplan_pin_orders_find(const memplan_ordering *ordering, const memplan_limits *limits,
                                       memplan_arena *arena, memplan_pin_orders *found, memplan_error *error);

#endif
