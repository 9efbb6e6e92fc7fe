// SPDX-License-Identifier: Apache-2.0
// A section for each operator: what may be live while it runs, each while it surely is. An output that may take over
// an input takes part while no pair of it is chosen; with a chosen pair, the part of it that reaches beyond the input.
#include "solvers/joint_load.h"

#include "model/base/grow.h"
#include "solvers/engine_section.h"

#include <stdlib.h>

typedef struct builder {
  memplan_joint_model *model;
  int32_t *first_member, *first_condition;
  memplan_section_member *members;
  memplan_literal *conditions;
  int64_t member_capacity, condition_capacity, first_capacity;
  int32_t n_members, n_conditions;
} builder;

static bool add_condition(builder *work, memplan_literal literal) {
  memplan_literal *list =
      memplan_grow_heap(work->conditions, work->n_conditions, &work->condition_capacity, sizeof *list);
  if (list == NULL) {
    return false;
  }
  work->conditions = list;
  list[work->n_conditions++] = literal;
  return true;
}

// A member whose conditions follow.
static bool add_member(builder *work, int32_t item, int64_t low, int64_t high) {
  memplan_section_member *members =
      memplan_grow_heap(work->members, work->n_members, &work->member_capacity, sizeof *members);
  int32_t *first = memplan_grow_heap(work->first_condition, work->n_members, &work->first_capacity, sizeof *first);
  work->members = members != NULL ? members : work->members;
  work->first_condition = first != NULL ? first : work->first_condition;
  if (members == NULL || first == NULL) {
    return false;
  }
  members[work->n_members] = (memplan_section_member){item, low, high};
  first[work->n_members++] = work->n_conditions;
  return true;
}

static bool add_live(builder *work, int32_t item, int32_t op) {
  memplan_joint_model *model = work->model;
  const memplan_joint_graph *graph = model->graph;
  memplan_literal dead = memplan_joint_dead(model, item, op), unborn = memplan_joint_unborn(model, item, op);
  if (dead == 0 || unborn == 0) {
    return false;
  }
  if (dead == MEMPLAN_JOINT_YES || unborn == MEMPLAN_JOINT_YES) {
    return true;
  }
  int64_t bytes = graph->items[item].bytes;
  bool good = add_member(work, item, 0, bytes) &&
              (dead == MEMPLAN_JOINT_NO || add_condition(work, memplan_joint_not(dead))) &&
              (unborn == MEMPLAN_JOINT_NO || add_condition(work, memplan_joint_not(unborn)));
  for (int32_t k = model->first_pair[op]; k < model->first_pair[op + 1] && good; k++) {
    if (graph->pairs[k].born == item) {
      good = add_condition(work, memplan_joint_not(model->choice[k]));
    }
  }
  for (int32_t k = model->first_pair[op]; k < model->first_pair[op + 1] && good; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    int64_t beyond = graph->items[pair->dying].bytes - pair->delta;
    if (pair->born == item && beyond < bytes) {
      good = add_member(work, item, beyond, bytes) && add_condition(work, model->choice[k]);
    }
  }
  return good;
}

static bool fill(builder *work) {
  const memplan_joint_graph *graph = work->model->graph;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    work->first_member[op] = work->n_members;
    for (int32_t item = 0; item < graph->n_items; item++) {
      if (!graph->items[item].reserved && !add_live(work, item, op)) {
        return false;
      }
    }
  }
  work->first_member[graph->n_ops] = work->n_members;
  return add_member(work, 0, 0, 0); // an end for the conditions
}

bool memplan_joint_add_sections(memplan_joint_model *model) {
  const memplan_joint_graph *graph = model->graph;
  builder work = {.model = model};
  int64_t *size = malloc(((size_t)graph->n_items + 1) * sizeof *size);
  work.first_member = malloc(((size_t)graph->n_ops + 1) * sizeof *work.first_member);
  bool good = size != NULL && work.first_member != NULL && fill(&work);
  for (int32_t item = 0; item < graph->n_items && good; item++) {
    size[item] = graph->items[item].bytes;
  }
  if (good) {
    const memplan_place_problem problem = {.n_items = graph->n_items,
                                           .size = size,
                                           .n_sections = graph->n_ops,
                                           .first_member = work.first_member,
                                           .members = work.members};
    const memplan_section_conditions conditions = {work.first_condition, work.conditions};
    const memplan_section_settings settings = {
        .overload = model->settings.overload, .edges = model->settings.edges, .lift = true, .drop = true};
    good = memplan_engine_add_sections(model->engine, &problem, &conditions, &settings);
  }
  free(size);
  free(work.first_member);
  free(work.first_condition);
  free(work.members);
  free(work.conditions);
  return good;
}
