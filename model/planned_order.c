// SPDX-License-Identifier: Apache-2.0
#include "model/planned_order.h"

#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"

#include <stdlib.h>
#include <string.h>

// The workspace of each operator with what the plan's bodies take.
static memplan_status find_workspace(const memplan_problem *problem, const memplan_plan *plan, const memplan_names *ops,
                                     int64_t *workspace, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  int64_t *extra = MEMPLAN_NEW(arena, int64_t, graph->n_ops);
  if (extra == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < plan->n_bodies; body++) {
    int32_t op = memplan_names_find(ops, plan->bodies[body].op);
    int64_t peak = plan->bodies[body].plan->peak;
    if (op < 0 || peak < 0) {
      return memplan_fail(error, MEMPLAN_INPUT, "the plan has a body of operator '%s', which the model has not",
                          memplan_quote(plan->bodies[body].op).text);
    }
    if (problem->options.no_branch_sharing) {
      extra[op] = memplan_add_saturated(extra[op], peak);
    } else {
      extra[op] = peak > extra[op] ? peak : extra[op];
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = memplan_add_saturated(graph->ops[op].workspace, extra[op]);
    if (workspace[op] > MEMPLAN_SIZE_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT, "the plan's bodies of operator '%s' pass 2^62 bytes",
                          memplan_quote(graph->ops[op].id).text);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status find_order(const memplan_ordering *ordering, const memplan_plan *plan, const memplan_names *ops,
                                 int32_t *order, int32_t *step, memplan_error *error) {
  int32_t n = ordering->n_ops;
  if (plan->n_order != n) {
    return memplan_fail(error, MEMPLAN_INPUT, "the plan orders %d operators, and the model has %d", (int)plan->n_order,
                        (int)n);
  }
  for (int32_t t = 0; t < n; t++) {
    order[t] = memplan_names_find(ops, plan->order[t]);
    if (order[t] < 0) {
      return memplan_fail(error, MEMPLAN_INPUT, "the plan orders '%s', which the model has not",
                          memplan_quote(plan->order[t]).text);
    }
    step[order[t]] = t;
  }
  return memplan_ordering_check(ordering, order, error);
}

typedef struct chosen_pair {
  int32_t step, pair;
} chosen_pair;

static int compare_chosen(const void *left, const void *right) {
  const chosen_pair *a = left, *b = right;
  if (a->step != b->step) {
    return a->step < b->step ? -1 : 1;
  }
  return (a->pair > b->pair) - (a->pair < b->pair);
}

static memplan_status find_pairs(const memplan_ordering *ordering, const memplan_plan *plan, const int32_t *step,
                                 const int32_t *next, const memplan_names *outputs, chosen_pair *chosen,
                                 memplan_error *error) {
  const memplan_tensor *tensors = ordering->graph->tensors;
  for (int32_t k = 0; k < plan->n_inplace; k++) {
    const memplan_plan_pair *wanted = &plan->inplace[k];
    int32_t pair = memplan_names_find(outputs, wanted->output);
    while (pair >= 0 && strcmp(tensors[ordering->pairs[pair].input].id, wanted->input) != 0) {
      pair = next[pair] - 1;
    }
    if (pair < 0) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "the plan puts '%s' in the place of '%s', which the model does not allow",
                          memplan_quote(wanted->output).text, memplan_quote(wanted->input).text);
    }
    chosen[k] = (chosen_pair){step[ordering->pairs[pair].op], pair};
  }
  return MEMPLAN_OK;
}

static memplan_status find_choice(const memplan_ordering *ordering, const memplan_plan *plan, const int32_t *step,
                                  memplan_arena *arena, int32_t *choice, memplan_error *error) {
  chosen_pair *chosen = MEMPLAN_NEW(arena, chosen_pair, plan->n_inplace);
  int32_t *next = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs); // pair + 1 with the same output, 0: none
  memplan_names outputs = {0};
  memplan_status status = chosen == NULL || next == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t pair = ordering->n_pairs - 1; pair >= 0 && status == MEMPLAN_OK; pair--) {
    const char *id = ordering->graph->tensors[ordering->pairs[pair].output].id;
    next[pair] = memplan_names_find(&outputs, id) + 1;
    status = memplan_names_set(&outputs, id, pair) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK) {
    status = find_pairs(ordering, plan, step, next, &outputs, chosen, error);
  }
  memplan_names_free(&outputs);
  if (status == MEMPLAN_OK && plan->n_inplace > 1) {
    qsort(chosen, (size_t)plan->n_inplace, sizeof *chosen, compare_chosen);
  }
  for (int32_t k = 0; k < plan->n_inplace && status == MEMPLAN_OK; k++) {
    choice[k] = chosen[k].pair;
  }
  return status;
}

static memplan_status resolve(const memplan_ordering *ordering, const memplan_plan *plan, const memplan_names *ops,
                              memplan_planned_order *found, memplan_arena *arena, memplan_error *error) {
  int32_t *order = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  int32_t *step = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  int32_t *choice = MEMPLAN_NEW(arena, int32_t, plan->n_inplace);
  if (order == NULL || step == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(find_order(ordering, plan, ops, order, step, error));
  MEMPLAN_TRY(find_choice(ordering, plan, step, arena, choice, error));
  *found = (memplan_planned_order){.order = order, .choice = choice, .n_choices = plan->n_inplace};
  return MEMPLAN_OK;
}

static memplan_status find_all(const memplan_problem *problem, const memplan_plan *plan, const memplan_names *ops,
                               memplan_ordering *ordering, memplan_planned_order *found, memplan_arena *arena,
                               memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  int64_t *workspace = MEMPLAN_NEW(arena, int64_t, graph->n_ops);
  if (workspace == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(find_workspace(problem, plan, ops, workspace, arena, error));
  MEMPLAN_TRY(memplan_ordering_init(ordering, graph, &problem->options, workspace, error));
  return resolve(ordering, plan, ops, found, arena, error);
}

static memplan_status index_ops(const memplan_graph *graph, memplan_names *ops, memplan_error *error) {
  memplan_status status = MEMPLAN_OK;
  for (int32_t op = 0; op < graph->n_ops && status == MEMPLAN_OK; op++) {
    status = memplan_names_add(ops, graph->ops[op].id, op) == -2 ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  return status;
}

memplan_status memplan_plan_find_order(const memplan_problem *problem, const memplan_plan *plan,
                                       memplan_ordering *ordering, memplan_planned_order *found, memplan_arena *arena,
                                       memplan_error *error) {
  memplan_names ops = {0};
  memplan_status status = index_ops(&problem->graph, &ops, error);
  if (status == MEMPLAN_OK) {
    status = find_all(problem, plan, &ops, ordering, found, arena, error);
  }
  memplan_names_free(&ops);
  return status;
}

memplan_status memplan_plan_find_workspace(const memplan_problem *problem, const memplan_plan *plan, int64_t *workspace,
                                           memplan_error *error) {
  memplan_names ops = {0};
  memplan_arena arena = {0};
  memplan_status status = index_ops(&problem->graph, &ops, error);
  if (status == MEMPLAN_OK) {
    status = find_workspace(problem, plan, &ops, workspace, &arena, error);
  }
  memplan_arena_free(&arena);
  memplan_names_free(&ops);
  return status;
}

memplan_status memplan_plan_lower(const memplan_problem *problem, const memplan_plan *plan, memplan_instance *instance,
                                  memplan_error *error) {
  memplan_ordering ordering = {0};
  memplan_planned_order found;
  memplan_arena arena = {0};
  memplan_status status = memplan_plan_find_order(problem, plan, &ordering, &found, &arena, error);
  if (status == MEMPLAN_OK) {
    status = memplan_ordering_lower(&ordering, found.order, found.choice, found.n_choices, instance, NULL, NULL, error);
  }
  memplan_ordering_free(&ordering);
  memplan_arena_free(&arena);
  return status;
}

memplan_status memplan_plan_resolve_order(const memplan_ordering *ordering, const memplan_plan *plan,
                                          memplan_planned_order *found, memplan_arena *arena, memplan_error *error) {
  memplan_names ops = {0};
  memplan_status status = index_ops(ordering->graph, &ops, error);
  if (status == MEMPLAN_OK) {
    status = resolve(ordering, plan, &ops, found, arena, error);
  }
  memplan_names_free(&ops);
  return status;
}

memplan_status memplan_plan_find_offsets(const memplan_instance *instance, const memplan_plan *plan,
                                         const int64_t **offsets, const int32_t **pools, memplan_arena *arena,
                                         memplan_error *error) {
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, instance->n_blocks);
  int32_t *pool = MEMPLAN_NEW(arena, int32_t, instance->n_blocks);
  memplan_names placed = {0};
  memplan_status status = offset == NULL || pool == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t i = 0; i < plan->n_placed && status == MEMPLAN_OK; i++) {
    status = memplan_names_add(&placed, plan->placed[i].id, i) == -2 ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  for (int32_t block = 0; block < instance->n_blocks && status == MEMPLAN_OK; block++) {
    const memplan_member *member = &instance->members[instance->blocks[block].first_member];
    const char *id = instance->buffers[member->buffer].id;
    int32_t entry = memplan_names_find(&placed, id);
    pool[block] = entry < 0 ? -1 : memplan_instance_find_pool(instance, plan->placed[entry].pool);
    if (pool[block] < 0) {
      status = memplan_fail(error, MEMPLAN_INPUT, "the plan has no offset for '%s'", memplan_quote(id).text);
    } else {
      offset[block] = plan->placed[entry].offset - member->delta;
    }
  }
  memplan_names_free(&placed);
  *offsets = offset;
  *pools = pool;
  return status;
}
