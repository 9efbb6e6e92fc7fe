// SPDX-License-Identifier: Apache-2.0
#include "tests/support/semantics_plan.h"

#include <stdio.h>
#include <stdlib.h>

static void place(memplan_plan *plan, const memplan_pool *pools, int32_t n_pools, const char *id, int64_t bytes,
                  const oracle_place *at) {
  memplan_placed *placed = build_place(plan, id, at->offset);
  placed->pool = n_pools > 1 ? pools[at->pool].id : NULL;
  if (bytes > 0 && at->offset + bytes > plan->peak) {
    plan->peak = at->offset + bytes;
  }
}

void semantics_make_plan(const memplan_problem *problem, const oracle_items *items, const int32_t *order,
                         const oracle_choice *choice, const oracle_place *places, memplan_plan *plan) {
  const memplan_graph *graph = &problem->graph;
  build_plan(problem, plan, "");
  for (int32_t t = 0; t < graph->n_ops; t++) {
    plan->order[plan->n_order++] = graph->ops[order[t]].id;
  }
  for (int32_t k = 0; k < choice->count; k++) {
    build_choose(plan, graph->tensors[choice->pairs[k].output].id, graph->tensors[choice->pairs[k].input].id);
  }
  for (int32_t i = 0; i < items->count; i++) {
    place(plan, graph->pools, graph->n_pools, items->items[i].id, items->items[i].bytes, &places[i]);
  }
}

void semantics_make_instance_plan(const memplan_problem *problem, const oracle_place *places, memplan_plan *plan) {
  const memplan_instance *instance = &problem->instance;
  build_plan(problem, plan, "");
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    place(plan, instance->pools, instance->n_pools, instance->buffers[i].id, instance->buffers[i].bytes, &places[i]);
  }
}

bool semantics_verifies(const memplan_problem *problem, const memplan_plan *plan, char *text, size_t size) {
  memplan_report report;
  memplan_report_init(&report);
  memplan_error error = {.message = ""};
  if (memplan_verify(problem, plan, &report, &error) != MEMPLAN_OK) {
    (void)fprintf(stderr, "verify failed: %s\n", error.message);
    abort();
  }
  bool valid = report.valid;
  if (valid != (report.n_violations == 0)) {
    abort();
  }
  (void)snprintf(text, size, "%s", valid ? "no violation" : report.violations[0].text);
  memplan_report_free(&report);
  return valid;
}

void semantics_disturb(random_state *random, int32_t n_items, int32_t n_pools, const int64_t *bytes,
                       oracle_place *places) {
  for (int32_t moves = 1 + random_below(random, 2); moves > 0 && n_items > 0; moves--) {
    oracle_place *moved = &places[random_below(random, n_items)];
    const oracle_place *other = &places[random_below(random, n_items)];
    if (bytes[moved - places] == 0) {
      continue;
    }
    switch (random_below(random, 4)) {
    case 0:
      moved->offset += 1;
      break;
    case 1:
      moved->offset -= moved->offset > 0 ? 1 : 0;
      break;
    case 2:
      moved->offset = other->offset + random_below(random, 3);
      break;
    default:
      moved->pool = random_below(random, n_pools);
      break;
    }
  }
}
