// SPDX-License-Identifier: Apache-2.0
// A graph is lowered on the order that is asked about, so that every explanation speaks of an instance, with the way
// back from buffers to storages and operators.
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"
#include "model/planned_order.h"
#include "solvers/explain.h"

#include <string.h>

memplan_status memplan_subject_order(const memplan_ordering *ordering, const memplan_solve_options *solve,
                                     memplan_arena *arena, const int32_t **order, memplan_error *error) {
  const char *name = solve->order != NULL ? solve->order : "given";
  if (solve->listed != NULL && strcmp(name, MEMPLAN_ORDER_FILE) == 0) {
    return memplan_fixed_order(ordering, solve, arena, order, error);
  }
  const memplan_method *method = NULL;
  for (int32_t k = 0; (method = memplan_method_at(k)) != NULL; k++) {
    if (method->kind == MEMPLAN_METHOD_ORDER && strcmp(method->name, name) == 0) {
      break;
    }
  }
  if (method == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "order '%s' is unknown: memplan list methods names them",
                        memplan_quote(name).text);
  }
  memplan_task task = {.ordering = ordering, .params = &solve->params};
  memplan_method_result result = {.order = MEMPLAN_NEW(arena, int32_t, ordering->n_ops), .failed_block = -1};
  if (result.order == NULL) {
    return memplan_fail_nomem(error);
  }
  if (method->accepts != NULL && !method->accepts(&task, error)) {
    return MEMPLAN_UNSUPPORTED;
  }
  MEMPLAN_TRY(method->run(&task, &solve->limits, &result, error));
  MEMPLAN_TRY(memplan_ordering_check(ordering, result.order, error));
  *order = result.order;
  return MEMPLAN_OK;
}

static memplan_status prepare_planned(memplan_subject *subject, const memplan_plan *plan, const int32_t **choice,
                                      memplan_error *error) {
  memplan_planned_order found;
  MEMPLAN_TRY(memplan_plan_find_order(subject->problem, plan, &subject->planned, &found, &subject->arena, error));
  subject->ordering = &subject->planned;
  subject->order_name = "plan";
  subject->order = found.order;
  subject->n_choices = found.n_choices;
  *choice = found.choice;
  return MEMPLAN_OK;
}

static memplan_status prepare_order(memplan_subject *subject, const memplan_subject_options *options,
                                    const int32_t **choice, memplan_error *error) {
  const memplan_problem *problem = subject->problem;
  const memplan_solve_options *solve = options->solve;
  MEMPLAN_TRY(memplan_prepare(&problem->graph, &problem->options, solve, &subject->prepared, error));
  subject->ordering = &subject->prepared.ordering;
  subject->order_name = solve->order != NULL ? solve->order : "given";
  MEMPLAN_TRY(memplan_subject_order(subject->ordering, solve, &subject->arena, &subject->order, error));
  memplan_profile least, profile;
  MEMPLAN_TRY(memplan_ordering_profile(memplan_prepared_least(&subject->prepared), subject->order, &subject->arena,
                                       &least, error));
  MEMPLAN_TRY(memplan_ordering_profile(subject->ordering, subject->order, &subject->arena, &profile, error));
  MEMPLAN_TRY(memplan_ordering_filter(subject->ordering, profile.choice, &profile.n_choices, error));
  subject->order_bound = least.bound;
  *choice = profile.choice;
  subject->n_choices = options->plain ? 0 : profile.n_choices;
  return MEMPLAN_OK;
}

// The operator that writes a storage first on the order, -1: it is there from the start.
static int32_t find_maker(const memplan_subject *subject, int32_t index) {
  const memplan_graph *graph = &subject->problem->graph;
  const memplan_storage *storage = &graph->storages[index];
  int32_t maker = -1;
  if ((storage->roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0) {
    return -1;
  }
  for (int32_t k = 0; k < storage->n_touches; k++) {
    const memplan_touch *touch = &graph->touches[storage->first_touch + k];
    if (touch->writes && (maker < 0 || subject->step[touch->op] < subject->step[maker])) {
      maker = touch->op;
    }
  }
  return maker;
}

static memplan_status index_graph(memplan_subject *subject, const int32_t *choice, memplan_error *error) {
  const memplan_graph *graph = &subject->problem->graph;
  int32_t *step = MEMPLAN_NEW(&subject->arena, int32_t, graph->n_ops);
  int32_t *buffer_of = MEMPLAN_NEW(&subject->arena, int32_t, graph->n_storages);
  int32_t *buffer_of_op = MEMPLAN_NEW(&subject->arena, int32_t, graph->n_ops);
  if (step == NULL || buffer_of == NULL || buffer_of_op == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < graph->n_ops; t++) {
    step[subject->order[t]] = t;
  }
  subject->step = step;
  subject->buffer_of = buffer_of;
  subject->buffer_of_op = buffer_of_op;
  MEMPLAN_TRY(memplan_ordering_lower(subject->ordering, subject->order, choice, subject->n_choices, &subject->lowered,
                                     buffer_of, buffer_of_op, error));
  subject->instance = &subject->lowered;
  int32_t *maker = MEMPLAN_NEW(&subject->arena, int32_t, subject->instance->n_buffers);
  if (maker == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t buffer = 0; buffer < subject->instance->n_buffers; buffer++) {
    maker[buffer] = -1;
  }
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    if (buffer_of[storage] >= 0) {
      maker[buffer_of[storage]] = find_maker(subject, storage);
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (buffer_of_op[op] >= 0) {
      maker[buffer_of_op[op]] = op;
    }
  }
  subject->maker = maker;
  return MEMPLAN_OK;
}

static memplan_status find_offsets(memplan_subject *subject, const memplan_plan *plan, memplan_error *error) {
  const memplan_instance *instance = subject->instance;
  int64_t *offset = MEMPLAN_NEW(&subject->arena, int64_t, instance->n_buffers);
  int32_t *pool = MEMPLAN_NEW(&subject->arena, int32_t, instance->n_buffers);
  if (offset == NULL || pool == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    offset[k] = -1;
    pool[k] = -1;
  }
  memplan_names ids = {0};
  memplan_status status = MEMPLAN_OK;
  for (int32_t k = 0; k < instance->n_buffers && status == MEMPLAN_OK; k++) {
    status = memplan_names_add(&ids, instance->buffers[k].id, k) == -2 ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  for (int32_t k = 0; k < plan->n_placed && status == MEMPLAN_OK; k++) {
    const memplan_placed *placed = &plan->placed[k];
    int32_t buffer = memplan_names_find(&ids, placed->id);
    if (buffer >= 0 && placed->offset >= 0 && placed->offset <= MEMPLAN_SIZE_LIMIT) {
      offset[buffer] = placed->offset;
      pool[buffer] = memplan_instance_find_pool(instance, placed->pool);
    }
  }
  memplan_names_free(&ids);
  subject->offset = offset;
  subject->pool = pool;
  return status;
}

memplan_status memplan_subject_init(memplan_subject *subject, const memplan_problem *problem,
                                    const memplan_subject_options *options, memplan_error *error) {
  memset(subject, 0, sizeof *subject);
  memplan_instance_init(&subject->lowered);
  subject->problem = problem;
  subject->instance = &problem->instance;
  if (problem->has_graph) {
    const int32_t *choice = NULL;
    if (options->plan != NULL) {
      MEMPLAN_TRY(prepare_planned(subject, options->plan, &choice, error));
    } else {
      MEMPLAN_TRY(prepare_order(subject, options, &choice, error));
    }
    MEMPLAN_TRY(index_graph(subject, choice, error));
  }
  return options->plan != NULL ? find_offsets(subject, options->plan, error) : MEMPLAN_OK;
}

void memplan_subject_free(memplan_subject *subject) {
  memplan_instance_free(&subject->lowered);
  memplan_prepared_free(&subject->prepared);
  memplan_ordering_free(&subject->planned);
  memplan_arena_free(&subject->arena);
  memset(subject, 0, sizeof *subject);
}
