// SPDX-License-Identifier: Apache-2.0
// A turn that becomes true, x before y, is joined with each third operator: who comes before x comes before y, and who
// comes after y comes after x. Certain precedences are closed under transitivity from the start, so that nothing
// follows from them alone. The reason of a turn is the operator between its two.
#include "solvers/joint_order.h"

#include "solvers/engine_state.h"

#include <stdlib.h>

enum { always = -1, never = -2 };

typedef struct transitivity {
  int32_t kind, n, first_turn, n_turns;
  const int32_t *first, *second; // by turn: its operators
  const int32_t *leader;
  int32_t *side;               // n x n
  int32_t *leaders, n_leaders; // operators that stand for others, or for themselves
  int32_t *next;               // of the same group, the last one's is its first
  int32_t clash[3];            // a, b, c: a before b, b before c, and c before a for certain
} transitivity;

static bool is_before(const transitivity *all, const memplan_engine *engine, int32_t a, int32_t b) {
  int32_t side = all->side[(int64_t)a * all->n + b];
  return side == always || (side >= 0 && engine->bound[side] >= 1 - (side & 1));
}

static bool set(transitivity *all, memplan_engine *engine, int32_t a, int32_t middle, int32_t b) {
  int32_t side = all->side[(int64_t)a * all->n + b];
  if (side == always) {
    return true;
  }
  if (side == never) {
    all->clash[0] = a;
    all->clash[1] = middle;
    all->clash[2] = b;
    return memplan_engine_clash(engine, (memplan_reason){all->kind, middle});
  }
  return memplan_engine_raise(engine, side, 1 - (side & 1), (memplan_reason){all->kind, middle});
}

static bool join(transitivity *all, memplan_engine *engine, int32_t a, int32_t b, int32_t third) {
  if (third == a || third == b) {
    return true;
  }
  return (!is_before(all, engine, third, a) || set(all, engine, third, a, b)) &&
         (!is_before(all, engine, b, third) || set(all, engine, a, b, third));
}

static bool wake(void *state, memplan_engine *engine, int32_t side) {
  transitivity *all = state;
  int32_t turn = (side >> 1) - all->first_turn;
  if (turn < 0 || turn >= all->n_turns || engine->bound[side] < 1 - (side & 1)) {
    return true;
  }
  bool forward = (side & 1) == 0;
  int32_t a = forward ? all->first[turn] : all->second[turn], b = forward ? all->second[turn] : all->first[turn];
  if (all->leader[a] == all->leader[b]) {
    for (int32_t third = all->next[a]; third != a; third = all->next[third]) {
      engine->counts.ticks++;
      if (!join(all, engine, a, b, third)) {
        return false;
      }
    }
    return true;
  }
  engine->counts.ticks += all->n_leaders / 4;
  for (int32_t k = 0; k < all->n_leaders; k++) {
    if (!join(all, engine, a, b, all->leaders[k])) {
      return false;
    }
  }
  return true;
}

static bool propagate(void *state, memplan_engine *engine, bool *done) {
  (void)state;
  (void)engine;
  *done = true;
  return true;
}

static void push(const transitivity *all, memplan_engine *engine, int32_t a, int32_t b) {
  int32_t side = all->side[(int64_t)a * all->n + b];
  if (side >= 0) {
    memplan_engine_push(engine, memplan_literal_make(side, 1 - (side & 1)));
  }
}

static void explain(void *state, memplan_engine *engine, int32_t argument, int32_t position, memplan_literal needed) {
  const transitivity *all = state;
  (void)position;
  if (needed == 0) {
    push(all, engine, all->clash[0], all->clash[1]);
    push(all, engine, all->clash[1], all->clash[2]);
    return;
  }
  int32_t side = memplan_literal_side(needed), turn = (side >> 1) - all->first_turn;
  int32_t a = (side & 1) == 0 ? all->first[turn] : all->second[turn];
  int32_t b = (side & 1) == 0 ? all->second[turn] : all->first[turn];
  push(all, engine, a, argument);
  push(all, engine, argument, b);
}

static void backtrack(void *state, memplan_engine *engine) {
  (void)state;
  (void)engine;
}

static void release(void *state) {
  transitivity *all = state;
  if (all != NULL) {
    free(all->side);
    free(all->leaders);
    free(all->next);
    free(all);
  }
}

static void fill(transitivity *all, const memplan_joint_model *model) {
  const memplan_joint_graph *graph = model->graph;
  for (int64_t k = 0; k < (int64_t)all->n * all->n; k++) {
    memplan_literal literal = model->turn[k];
    all->side[k] = literal == MEMPLAN_JOINT_YES  ? always
                   : literal == MEMPLAN_JOINT_NO ? never
                                                 : memplan_literal_side(literal);
  }
  for (int32_t op = 0; op < all->n; op++) {
    int32_t leader = graph->leader[op];
    if (leader == op) {
      all->leaders[all->n_leaders++] = op;
      all->next[op] = op;
    } else {
      all->next[op] = all->next[leader];
      all->next[leader] = op;
    }
  }
}

bool memplan_joint_add_transitivity(const memplan_joint_model *model) {
  transitivity *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return false;
  }
  size_t n = (size_t)model->graph->n_ops;
  all->n = model->graph->n_ops;
  all->first_turn = model->first_turn;
  all->n_turns = model->n_turns;
  all->first = model->turn_first;
  all->second = model->turn_second;
  all->leader = model->graph->leader;
  all->side = malloc((n * n + 1) * sizeof *all->side);
  all->leaders = malloc((n + 1) * sizeof *all->leaders);
  all->next = malloc((n + 1) * sizeof *all->next);
  const memplan_propagator propagator = {all, wake, propagate, explain, backtrack, release};
  if (all->side == NULL || all->leaders == NULL || all->next == NULL ||
      (all->kind = memplan_engine_add_propagator(model->engine, &propagator)) < 0) {
    release(all);
    return false;
  }
  fill(all, model);
  return true;
}
