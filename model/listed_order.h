// SPDX-License-Identifier: Apache-2.0
// An order that somebody has written down: the operators' ids in a file, one a line, or those of a plan.
#ifndef MEMPLAN_LISTED_ORDER_H
#define MEMPLAN_LISTED_ORDER_H

#include "model/ordering.h"
#include "model/plan.h"

typedef struct memplan_listed_order {
  memplan_arena arena;
  const char *path;         // of the file, for messages
  const char *const *ops;   // ids by step
  const int64_t *line;      // of the file, from 1, by step; NULL: the order of a plan
  const memplan_plan *plan; // that the order is of, or NULL; its bodies have orders of their own
  memplan_plan own;         // what `plan` points at, of an order that was read
  int32_t n_ops;
  char
      digest[MEMPLAN_FINGERPRINT_SIZE]; // "sha256:" and that of the file's text, by which results know the order again;
                                        // "" for one that was not read
} memplan_listed_order;

// The name of such an order among methods: in results, and in memplan_solve_options.order.
#define MEMPLAN_ORDER_FILE "file"

void memplan_listed_order_init(memplan_listed_order *listed);
void memplan_listed_order_free(memplan_listed_order *listed);

// Sets the digest to that of a text. O(length).
void memplan_listed_order_set_digest(memplan_listed_order *listed, const char *text, size_t length);

// From ids to operators, into `order` (n_ops of the ordering). MEMPLAN_INPUT names the file, the line (of a plan: the
// step, from 0), the operator and what to do: an id that the model has not, one that stands there twice, one that is
// missing, an operator before one that must run first, a group torn apart. O(size of the graph) and a hash table.
memplan_status memplan_listed_order_resolve(const memplan_listed_order *listed, const memplan_ordering *ordering,
                                            int32_t *order, memplan_error *error);

// The order of a body's plan, which shares everything with `outer` and is not freed. False: there is none, as in a list
// of ids, or where the plan does not plan the body.
bool memplan_listed_order_of_body(const memplan_listed_order *outer, const char *op, const char *body,
                                  memplan_listed_order *inner);

#endif
