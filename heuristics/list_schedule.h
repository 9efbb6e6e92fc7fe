// SPDX-License-Identifier: Apache-2.0
// List scheduling: at each step the best of the operators that may run, by a rule. A greedy order method is its rule.
#ifndef MEMPLAN_LIST_SCHEDULE_H
#define MEMPLAN_LIST_SCHEDULE_H

#include "heuristics/schedule.h"
#include "model/method.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_list_rule {
  // Called when the operator becomes ready and again whenever its gain may have changed: stores its rank in `context`
  // and returns its weight.
  int64_t (*rank)(void *context, const memplan_schedule *schedule, int32_t op);
  // Strict total order by rank, then index.
  bool (*before)(const void *context, int32_t a, int32_t b);
  // Operators up to this weight compete by rank; if there is none, the lightest runs. NULL: all compete.
  int64_t (*threshold)(const void *context, const memplan_schedule *schedule);
  // Called before the operator runs. NULL: nothing.
  void (*step)(void *context, const memplan_schedule *schedule, int32_t op);
} memplan_list_rule;

// Fills result->order, unless a limit stops it: outcome MEMPLAN_UNKNOWN and the reason in result->stop. O((operators +
// cells + edges) log(ready operators)) calls of the rule.
memplan_status memplan_list_schedule(const memplan_ordering *ordering, const memplan_list_rule *rule, void *context,
                                     const memplan_limits *limits, memplan_arena *arena, memplan_method_result *result,
                                     memplan_error *error);

#endif
