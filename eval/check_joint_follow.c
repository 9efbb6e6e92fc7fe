// SPDX-License-Identifier: Apache-2.0
// Along the edges. A group runs at one go, so that an edge between two groups holds for all of their members, and no
// path leaves a group and comes back to it.
#include "eval/check_joint_follow.h"

#include <string.h>

typedef struct walker {
  const memplan_check_joint_model *model;
  const int32_t *first, *next; // edges in the direction of the walk
  bool *mark;
  int32_t *stack, height;
} walker;

// The operators that run at one go with their leader.
static const int32_t *members_of(const walker *work, const int32_t *leader, int32_t *n) {
  const memplan_ordering *ordering = work->model->ordering;
  int32_t group = ordering->graph->ops[*leader].group;
  if (group < 0) {
    *n = 1;
    return leader;
  }
  *n = ordering->group_first[group + 1] - ordering->group_first[group];
  return ordering->group_ops + ordering->group_first[group];
}

// Marks all members of the groups next to this one, other than `own`, and puts their leaders on the stack.
static void step_to_groups(walker *work, int32_t leader, int32_t own) {
  const int32_t *leaders = work->model->leader;
  int32_t n;
  const int32_t *members = members_of(work, &leaders[leader], &n);
  for (int32_t k = 0; k < n; k++) {
    for (int32_t at = work->first[members[k]]; at < work->first[members[k] + 1]; at++) {
      int32_t other = leaders[work->next[at]], count;
      if (other == own || work->mark[other]) {
        continue;
      }
      const int32_t *marked = members_of(work, &leaders[other], &count);
      for (int32_t l = 0; l < count; l++) {
        work->mark[marked[l]] = true;
      }
      work->stack[work->height++] = other;
    }
  }
}

static void step_in_group(walker *work, int32_t op, int32_t from) {
  const int32_t *leaders = work->model->leader;
  for (int32_t at = work->first[op]; at < work->first[op + 1]; at++) {
    int32_t other = work->next[at];
    if (leaders[other] == leaders[from] && other != from && !work->mark[other]) {
      work->mark[other] = true;
      work->stack[work->height++] = other;
    }
  }
}

void memplan_check_joint_follow(const memplan_check_joint_model *model, int32_t op, bool forward, bool *mark,
                                int32_t *stack) {
  const memplan_ordering *ordering = model->ordering;
  int32_t own = model->leader[op];
  walker work = {.model = model,
                 .first = forward ? ordering->succ_first : ordering->pred_first,
                 .next = forward ? ordering->succ : ordering->pred,
                 .mark = mark,
                 .stack = stack};
  memset(mark, 0, (size_t)model->n_ops * sizeof *mark);
  step_to_groups(&work, own, own);
  while (work.height > 0) {
    step_to_groups(&work, stack[--work.height], own);
  }
  step_in_group(&work, op, op);
  while (work.height > 0) {
    step_in_group(&work, stack[--work.height], op);
  }
}
