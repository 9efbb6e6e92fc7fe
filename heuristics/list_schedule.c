// SPDX-License-Identifier: Apache-2.0
// Invariant: an operator that may run is in one of two sets, with the rank that its present gain gives: the members of
// the open group in one, all others in the other. Only what the schedule reports as ready or changed is touched.
#include "heuristics/list_schedule.h"

#include "heuristics/ready.h"

enum { AT_LARGE = 0, IN_GROUP = 1, POLL = 64 };

static void enter(memplan_ready *ready, const memplan_list_rule *rule, void *context, const memplan_schedule *schedule,
                  int32_t set, int32_t op) {
  int64_t weight = rule->rank(context, schedule, op);
  memplan_ready_insert(ready, set, op, weight);
}

static int32_t choose(const memplan_ready *ready, const memplan_list_rule *rule, const void *context,
                      const memplan_schedule *schedule) {
  int64_t threshold = rule->threshold != NULL ? rule->threshold(context, schedule) : INT64_MAX;
  return memplan_ready_select(ready, schedule->open_group >= 0 ? IN_GROUP : AT_LARGE, threshold);
}

// Moves the members that were ready before their group was started.
static void move_group(memplan_ready *ready, const memplan_ordering *ordering, int32_t group) {
  for (int32_t k = ordering->group_first[group]; k < ordering->group_first[group + 1]; k++) {
    int32_t op = ordering->group_ops[k];
    if (ready->set[op] == AT_LARGE) {
      memplan_ready_remove(ready, op);
      memplan_ready_insert(ready, IN_GROUP, op, ready->weight[op]);
    }
  }
}

static void update(memplan_ready *ready, const memplan_list_rule *rule, void *context,
                   const memplan_schedule *schedule) {
  for (int32_t k = 0; k < schedule->n_changed; k++) {
    int32_t op = schedule->changed[k];
    int32_t set = ready->set[op];
    if (set >= 0) {
      memplan_ready_remove(ready, op);
      enter(ready, rule, context, schedule, set, op);
    }
  }
  for (int32_t k = 0; k < schedule->n_ready; k++) {
    int32_t op = schedule->ready[k];
    bool in_group = schedule->open_group >= 0 && schedule->ordering->graph->ops[op].group == schedule->open_group;
    enter(ready, rule, context, schedule, in_group ? IN_GROUP : AT_LARGE, op);
  }
}

memplan_status memplan_list_schedule(const memplan_ordering *ordering, const memplan_list_rule *rule, void *context,
                                     const memplan_limits *limits, memplan_arena *arena, memplan_method_result *result,
                                     memplan_error *error) {
  memplan_schedule schedule;
  memplan_ready ready;
  MEMPLAN_TRY(memplan_schedule_init(&schedule, ordering, result->order, arena, error));
  if (!memplan_ready_init(&ready, ordering->n_ops, rule->before, context, arena)) {
    return memplan_fail_nomem(error);
  }
  update(&ready, rule, context, &schedule);
  while (schedule.n_steps < ordering->n_ops) {
    result->stop = schedule.n_steps % POLL == POLL - 1 ? memplan_limits_reached(limits) : MEMPLAN_STOP_DONE;
    if (result->stop != MEMPLAN_STOP_DONE) {
      return MEMPLAN_OK;
    }
    int32_t op = choose(&ready, rule, context, &schedule);
    if (op < 0) {
      return memplan_fail(error, MEMPLAN_INTERNAL, "no operator can run at step %d: predecessors form a cycle",
                          (int)schedule.n_steps);
    }
    bool was_open = schedule.open_group >= 0;
    memplan_ready_remove(&ready, op);
    if (rule->step != NULL) {
      rule->step(context, &schedule, op);
    }
    memplan_schedule_run(&schedule, op);
    if (schedule.open_group >= 0 && !was_open) {
      move_group(&ready, ordering, schedule.open_group);
    }
    update(&ready, rule, context, &schedule);
  }
  result->outcome = MEMPLAN_FEASIBLE;
  return MEMPLAN_OK;
}
