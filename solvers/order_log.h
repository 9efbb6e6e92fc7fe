// SPDX-License-Identifier: Apache-2.0
// A search of one direction that shows that no order keeps within a threshold, and says of each set of operators it has
// met why nothing can go on from there: what a certificate of an order bound is written from.
//
// As memplan_order_search with one threshold that stays, but each set is kept whole and compared bit by bit, so that
// nothing rests on keys. Memory: n_ops / 8 bytes a set, and the log. Deterministic.
#ifndef MEMPLAN_SOLVERS_ORDER_LOG_H
#define MEMPLAN_SOLVERS_ORDER_LOG_H

#include "solvers/order_tables.h"

#include <stdio.h>

typedef struct memplan_order_log memplan_order_log;

typedef enum memplan_order_log_outcome {
  MEMPLAN_ORDER_LOG_RUNNING = 0,
  MEMPLAN_ORDER_LOG_CLOSED,    // no order keeps within the threshold
  MEMPLAN_ORDER_LOG_FOUND,     // one does
  MEMPLAN_ORDER_LOG_TOO_LARGE, // more text than wanted
  MEMPLAN_ORDER_LOG_FULL       // more memory than allowed
} memplan_order_log_outcome;

// `most_text`: bytes of text at most, `most_memory`: bytes in use at most. Freed by memplan_order_log_free.
memplan_status memplan_order_log_new(const memplan_order_tables *tables, int64_t threshold, int64_t most_text,
                                     int64_t most_memory, memplan_order_log **log, memplan_error *error);
void memplan_order_log_free(memplan_order_log *log);

// Works for about `ticks` more.
memplan_status memplan_order_log_run(memplan_order_log *log, int64_t ticks, memplan_error *error);

memplan_order_log_outcome memplan_order_log_state(const memplan_order_log *log);

// The lines of a closed log, as solvers/search_proof.h describes them.
void memplan_order_log_write(const memplan_order_log *log, FILE *out);

#endif
