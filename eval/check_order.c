// SPDX-License-Identifier: Apache-2.0
// What the head states becomes a plan without offsets. `verify` finds whatever is wrong with its order and pairs; that
// it has no offsets is no matter here. Bodies take what is proven of them.
#include "eval/check_order.h"

#include "eval/check_bodies.h"
#include "model/planned_order.h"

#include <stdio.h>
#include <string.h>

static bool reject(char *reason, size_t size, const char *why) {
  (void)snprintf(reason, size, "%.250s", why);
  return false;
}

static const char *copy_text(memplan_plan *plan, const json_t *value, bool *nomem) {
  const char *text = json_string_value(value);
  const char *copy = text == NULL ? NULL : memplan_arena_text(&plan->arena, text, strlen(text));
  *nomem = *nomem || (text != NULL && copy == NULL);
  return copy;
}

// False: not two lists of ids.
static bool read_choice(const json_t *head, memplan_plan *plan, bool *nomem) {
  const json_t *order = json_object_get(head, "order"), *inplace = json_object_get(head, "inplace");
  if (!json_is_array(order) || !json_is_array(inplace) || json_array_size(order) > INT32_MAX / 4 ||
      json_array_size(inplace) > INT32_MAX / 4) {
    return false;
  }
  plan->order = MEMPLAN_NEW(&plan->arena, const char *, json_array_size(order));
  plan->inplace = MEMPLAN_NEW(&plan->arena, memplan_plan_pair, json_array_size(inplace));
  *nomem = plan->order == NULL || plan->inplace == NULL;
  bool good = true;
  for (size_t k = 0; k < json_array_size(order) && good && !*nomem; k++) {
    plan->order[plan->n_order++] = copy_text(plan, json_array_get(order, k), nomem);
    good = plan->order[k] != NULL;
  }
  for (size_t k = 0; k < json_array_size(inplace) && good && !*nomem; k++) {
    const json_t *pair = json_array_get(inplace, k);
    memplan_plan_pair *own = &plan->inplace[plan->n_inplace++];
    own->output = copy_text(plan, json_array_get(pair, 0), nomem);
    own->input = copy_text(plan, json_array_get(pair, 1), nomem);
    good = json_array_size(pair) == 2 && own->output != NULL && own->input != NULL;
  }
  return good;
}

static memplan_status check_legal(const memplan_problem *problem, const memplan_plan *plan, bool *good, char *reason,
                                  size_t size, memplan_error *error) {
  memplan_report report;
  memplan_problem outer = *problem; // bodies have no say in it
  outer.options.bodies = MEMPLAN_BODIES_IGNORE;
  memplan_report_init(&report);
  memplan_status status = memplan_verify(&outer, plan, &report, error);
  for (int32_t k = 0; status == MEMPLAN_OK && k < report.n_violations && *good; k++) {
    memplan_violation_kind kind = report.violations[k].kind;
    if (kind == MEMPLAN_VIOLATION_ORDER || kind == MEMPLAN_VIOLATION_INPLACE) {
      *good = reject(reason, size, report.violations[k].text);
    }
  }
  memplan_report_free(&report);
  return status;
}

memplan_status memplan_check_lower(const memplan_problem *problem, const json_t *head, memplan_instance *instance,
                                   bool *good, char *reason, size_t size, memplan_error *error) {
  memplan_error why = {.message = ""};
  memplan_plan plan;
  bool nomem = false;
  *good = true;
  memplan_plan_init(&plan);
  if (!read_choice(head, &plan, &nomem)) {
    *good = nomem || reject(reason, size, "the first line lacks the order and in-place pairs that it speaks of");
  }
  memplan_status status = nomem ? memplan_fail_nomem(&why) : MEMPLAN_OK;
  if (status == MEMPLAN_OK && *good) {
    status = check_legal(problem, &plan, good, reason, size, &why);
  }
  if (status == MEMPLAN_OK && *good) {
    status = memplan_check_bodies(problem, head, false, &plan, good, reason, size, &why);
  }
  if (status == MEMPLAN_OK && *good) {
    status = memplan_plan_lower(problem, &plan, instance, &why);
  }
  memplan_plan_free(&plan);
  if (status == MEMPLAN_INPUT) {
    *good = reject(reason, size, why.message);
    return MEMPLAN_OK;
  }
  if (status != MEMPLAN_OK && error != NULL) {
    *error = why;
  }
  return status;
}
