// SPDX-License-Identifier: Apache-2.0
// Local search for better orders: windows of an order, around the steps with the largest load, are ordered anew while
// what runs before and after them stays.
#ifndef MEMPLAN_SOLVERS_ORDER_WINDOW_H
#define MEMPLAN_SOLVERS_ORDER_WINDOW_H

#include "solvers/order_tables.h"

typedef struct memplan_order_window memplan_order_window;

// A window as an order problem of its own: steps `from` … `to` - 1 of an order of `problem`, cells that were begun
// before it are there from the start, those that end after it are kept. Any order of it in the place of the old one
// gives an order of the whole, in which the other steps bear what they did. `ops` receives its operators, by index in
// the window. Memory from `arena`, but for what it shares with `problem`. O(size of the problem).
memplan_status memplan_order_window_problem(const memplan_order_problem *problem, const int32_t *order, int32_t from,
                                            int32_t to, memplan_arena *arena, memplan_order_problem *window,
                                            int32_t *ops, memplan_error *error);

// The problem turned round. Memory from `arena`, but for what it shares with `problem`.
memplan_status memplan_order_problem_turn(const memplan_order_problem *problem, memplan_arena *arena,
                                          memplan_order_problem *turned, memplan_error *error);

// `tables`: of a problem, and of the same turned round. NULL if memory is out. Freed by memplan_order_window_free.
memplan_order_window *memplan_order_window_new(const memplan_order_tables tables[2], const memplan_order_rules *rules);
void memplan_order_window_free(memplan_order_window *window);

// Works for about `ticks` on an order with a peak above `bound`, which is changed in place; it never gets worse. It is
// settled in both directions (order_settle.h) before windows and whenever they bring nothing more. Windows are tried
// from small to large; one that could not be bettered is not tried again with the same order until all have been, and
// then with more work. Deterministic: what it does depends on the calls before and on nothing else.
memplan_status memplan_order_window_run(memplan_order_window *window, int32_t *order, int64_t bound, int64_t ticks,
                                        memplan_error *error);

typedef struct memplan_order_window_look {
  int64_t peak; // of the order as the last run left it
  int64_t tried, bettered, states, ticks;
} memplan_order_window_look;

void memplan_order_window_state(const memplan_order_window *window, memplan_order_window_look *look);

#endif
