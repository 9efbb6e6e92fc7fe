// SPDX-License-Identifier: Apache-2.0
#include "model/plan.h"

#include "model/base/json.h"

#include <stddef.h>
#include <string.h>

const char *memplan_bound_kind_name(memplan_bound_kind kind) {
  static const char *const names[] = {
      [MEMPLAN_BOUND_NONE] = "none",
      [MEMPLAN_BOUND_LOAD] = "load",
      [MEMPLAN_BOUND_ALIGNED_LOAD] = "aligned-load",
      [MEMPLAN_BOUND_OPERATOR] = "operator",
      [MEMPLAN_BOUND_ALIGNED_OPERATOR] = "aligned-operator",
      [MEMPLAN_BOUND_INPUTS] = "inputs",
      [MEMPLAN_BOUND_OUTPUTS] = "outputs",
      [MEMPLAN_BOUND_BUFFER] = "buffer",
      [MEMPLAN_BOUND_CLIQUE] = "clique",
      [MEMPLAN_BOUND_SEARCH] = "search",
      [MEMPLAN_BOUND_CUT] = "cut",
      [MEMPLAN_BOUND_POOLS] = "pools",
      [MEMPLAN_BOUND_POOL] = "pool",
  };
  size_t index = (size_t)kind;
  return index < sizeof names / sizeof names[0] && names[index] != NULL ? names[index] : "unknown";
}

void memplan_plan_init(memplan_plan *plan) {
  memset(plan, 0, sizeof *plan);
  memplan_arena_init(&plan->arena);
  plan->tool = "";
  plan->fingerprint = "";
  plan->bound.step = -1;
}

// Readers and the solver limit how deep bodies are nested (MEMPLAN_MAX_NESTING), and with it this recursion.
void memplan_plan_free(memplan_plan *plan) {
  for (int32_t i = 0; i < plan->n_bodies; i++) {
    if (plan->bodies[i].plan != NULL) {
      memplan_plan_free(plan->bodies[i].plan);
    }
  }
  json_decref(plan->problem);
  memplan_arena_free(&plan->arena);
  memplan_plan_init(plan);
}

const memplan_plan *memplan_plan_find_body(const memplan_plan *plan, const char *op, const char *body) {
  for (int32_t k = 0; plan != NULL && k < plan->n_bodies; k++) {
    if (strcmp(plan->bodies[k].op, op) == 0 && strcmp(plan->bodies[k].body, body) == 0) {
      return plan->bodies[k].plan;
    }
  }
  return NULL;
}
