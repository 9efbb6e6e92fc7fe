// SPDX-License-Identifier: Apache-2.0
// A graph's plan is lowered as the search lowered it: on its order, with its in-place pairs, and with the peaks of its
// body plans as workspace.
#include "eval/plan_solution.h"

#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"

#include <stdlib.h>
#include <string.h>

static memplan_status fail_unknown(const char *what, const char *id, memplan_error *error) {
  return memplan_fail(error, MEMPLAN_INPUT, "the plan names %s '%s', which the problem has not", what,
                      memplan_quote(id).text);
}

// The workspace of each operator: its own, and that of its bodies as they were planned.
static memplan_status find_workspace(const memplan_problem *problem, const memplan_plan *plan, const memplan_names *ops,
                                     int64_t *workspace, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  memplan_arena scratch = {0};
  int64_t *extra = MEMPLAN_NEW(&scratch, int64_t, graph->n_ops);
  memplan_status status = extra == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t i = 0; i < plan->n_bodies && status == MEMPLAN_OK; i++) {
    int32_t op = memplan_names_find(ops, plan->bodies[i].op);
    int64_t bytes = plan->bodies[i].plan->peak;
    if (op < 0) {
      status = fail_unknown("the operator", plan->bodies[i].op, error);
    } else if (problem->options.no_branch_sharing) {
      extra[op] = memplan_add_saturated(extra[op], bytes);
    } else {
      extra[op] = bytes > extra[op] ? bytes : extra[op];
    }
  }
  for (int32_t op = 0; op < graph->n_ops && status == MEMPLAN_OK; op++) {
    workspace[op] = memplan_add_saturated(graph->ops[op].workspace, extra[op]);
  }
  memplan_arena_free(&scratch);
  return status;
}

static memplan_status find_order(const memplan_plan *plan, const memplan_names *ops, int32_t n_ops, int32_t *order,
                                 int32_t *step, memplan_error *error) {
  if (plan->n_order != n_ops) {
    return memplan_fail(error, MEMPLAN_INPUT, "the plan orders %d operators of %d", plan->n_order, n_ops);
  }
  for (int32_t t = 0; t < n_ops; t++) {
    order[t] = memplan_names_find(ops, plan->order[t]);
    if (order[t] < 0) {
      return fail_unknown("the operator", plan->order[t], error);
    }
    step[order[t]] = t;
  }
  return MEMPLAN_OK;
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

// The plan's in-place pairs as indices, by step.
static memplan_status find_choice(const memplan_ordering *ordering, const memplan_plan *plan, const int32_t *step,
                                  memplan_arena *arena, int32_t *choice, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  chosen_pair *chosen = MEMPLAN_NEW(arena, chosen_pair, plan->n_inplace);
  int32_t *next = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs); // pair + 1 with the same output, 0: none
  memplan_names outputs = {0};
  memplan_status status = chosen == NULL || next == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t pair = ordering->n_pairs - 1; pair >= 0 && status == MEMPLAN_OK; pair--) {
    const char *id = graph->tensors[ordering->pairs[pair].output].id;
    next[pair] = memplan_names_find(&outputs, id) + 1;
    status = memplan_names_set(&outputs, id, pair) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < plan->n_inplace && status == MEMPLAN_OK; k++) {
    int32_t pair = memplan_names_find(&outputs, plan->inplace[k].output);
    while (pair >= 0 && strcmp(graph->tensors[ordering->pairs[pair].input].id, plan->inplace[k].input) != 0) {
      pair = next[pair] - 1;
    }
    if (pair < 0) {
      status = fail_unknown("the in-place output", plan->inplace[k].output, error);
    } else {
      chosen[k] = (chosen_pair){step[ordering->pairs[pair].op], pair};
    }
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

static memplan_status lower_on(const memplan_ordering *ordering, const memplan_plan *plan, const memplan_names *ops,
                               memplan_solution *solution, memplan_error *error) {
  int32_t n_ops = ordering->n_ops;
  int32_t *order = MEMPLAN_NEW(&solution->arena, int32_t, n_ops);
  int32_t *step = MEMPLAN_NEW(&solution->arena, int32_t, n_ops);
  int32_t *choice = MEMPLAN_NEW(&solution->arena, int32_t, plan->n_inplace);
  if (order == NULL || step == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(find_order(plan, ops, n_ops, order, step, error));
  MEMPLAN_TRY(find_choice(ordering, plan, step, &solution->arena, choice, error));
  MEMPLAN_TRY(memplan_ordering_lower(ordering, order, choice, plan->n_inplace, &solution->instance, NULL, NULL, error));
  solution->has_instance = true;
  solution->order = order;
  solution->naive_bytes = ordering->naive_bytes;
  solution->naive_saturated = ordering->naive_saturated;
  solution->weight_bytes = ordering->weight_bytes;
  solution->external_bytes = ordering->external_bytes;
  return MEMPLAN_OK;
}

static memplan_status lower_plan(const memplan_problem *problem, const memplan_plan *plan, memplan_solution *solution,
                                 memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  memplan_names ops = {0};
  memplan_ordering ordering = {0};
  int64_t *workspace = MEMPLAN_NEW(&solution->arena, int64_t, graph->n_ops);
  memplan_status status = workspace == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t op = 0; op < graph->n_ops && status == MEMPLAN_OK; op++) {
    status = memplan_names_add(&ops, graph->ops[op].id, op) == -2 ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    status = find_workspace(problem, plan, &ops, workspace, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_ordering_init(&ordering, graph, &problem->options, workspace, error);
  }
  if (status == MEMPLAN_OK) {
    status = lower_on(&ordering, plan, &ops, solution, error);
  }
  memplan_ordering_free(&ordering);
  memplan_names_free(&ops);
  return status;
}

static int32_t find_pool(const memplan_instance *instance, const char *id) {
  for (int32_t pool = 0; id != NULL && pool < instance->n_pools; pool++) {
    if (strcmp(instance->pools[pool].id, id) == 0) {
      return pool;
    }
  }
  return id == NULL ? 0 : -1;
}

static memplan_status find_offsets(const memplan_instance *instance, const memplan_plan *plan,
                                   memplan_solution *solution, memplan_error *error) {
  int64_t *offset = MEMPLAN_NEW(&solution->arena, int64_t, instance->n_blocks);
  int32_t *pool = MEMPLAN_NEW(&solution->arena, int32_t, instance->n_blocks);
  memplan_names placed = {0};
  memplan_status status = offset == NULL || pool == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t i = 0; i < plan->n_placed && status == MEMPLAN_OK; i++) {
    status = memplan_names_add(&placed, plan->placed[i].id, i) == -2 ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  for (int32_t block = 0; block < instance->n_blocks && status == MEMPLAN_OK; block++) {
    const memplan_member *member = &instance->members[instance->blocks[block].first_member];
    const char *id = instance->buffers[member->buffer].id;
    int32_t entry = memplan_names_find(&placed, id);
    pool[block] = entry < 0 ? -1 : find_pool(instance, plan->placed[entry].pool);
    if (pool[block] < 0) {
      status = memplan_fail(error, MEMPLAN_INPUT, "the plan has no offset for '%s'", memplan_quote(id).text);
    } else {
      offset[block] = plan->placed[entry].offset - member->delta;
    }
  }
  memplan_names_free(&placed);
  solution->offset = offset;
  solution->pool = pool;
  return status;
}

memplan_status memplan_plan_solution(const memplan_problem *problem, memplan_plan *plan, memplan_solution *solution,
                                     memplan_error *error) {
  if (problem->has_graph) {
    MEMPLAN_TRY(lower_plan(problem, plan, solution, error));
  } else {
    solution->naive_bytes = problem->instance.naive_bytes;
    solution->naive_saturated = solution->naive_bytes == INT64_MAX;
  }
  const memplan_instance *instance = memplan_solution_instance(problem, solution);
  memplan_load load;
  MEMPLAN_TRY(find_offsets(instance, plan, solution, error));
  MEMPLAN_TRY(memplan_instance_load(instance, false, &load, error));
  solution->order_peak = load.bytes;
  solution->outcome = plan->outcome;
  solution->plan = *plan;
  memplan_plan_init(plan);
  solution->has_plan = true;
  return MEMPLAN_OK;
}
