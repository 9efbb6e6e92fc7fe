// SPDX-License-Identifier: Apache-2.0
#include "tests/support/order_reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct reference {
  const memplan_ordering *ordering;
  bool done[REFERENCE_OPS];
  int32_t step_of[REFERENCE_OPS];
  int64_t path[REFERENCE_OPS];
  int32_t n_steps, open_group;
  int64_t peak; // as the rule sees it
} reference;

typedef struct rank {
  int64_t numbers[3];
  int32_t steps[REFERENCE_OPS]; // of the predecessors, sorted
  int32_t n_steps, op;
} rank;

static bool holds(const int32_t *list, int32_t count, int32_t op) {
  for (int32_t k = 0; k < count; k++) {
    if (list[k] == op) {
      return true;
    }
  }
  return false;
}

// Is the cell there after the operators done and, if `op` >= 0, that one?
static bool is_born(const reference *state, const memplan_cell *cell, int32_t op) {
  bool born = cell->init;
  for (int32_t k = 0; k < cell->n_births; k++) {
    int32_t birth = state->ordering->births[cell->first_birth + k];
    born |= state->done[birth] || birth == op;
  }
  return born;
}

static bool is_dead(const reference *state, const memplan_cell *cell, int32_t op) {
  bool dead = !cell->keep;
  for (int32_t k = 0; k < cell->n_deaths; k++) {
    int32_t death = state->ordering->deaths[cell->first_death + k];
    dead &= state->done[death] || death == op;
  }
  return dead;
}

static bool waits_for_nobody_else(const reference *state, const memplan_cell *cell, int32_t op) {
  bool found = false;
  for (int32_t k = 0; k < cell->n_deaths; k++) {
    int32_t death = state->ordering->deaths[cell->first_death + k];
    found |= death == op;
    if (death != op && !state->done[death]) {
      return false;
    }
  }
  return found;
}

// Largest saving of the pairs from `pair` on; recursion depth: the operator's pairs.
static int64_t saving(const reference *state, int32_t op, int32_t pair, bool *used) {
  const memplan_ordering *ordering = state->ordering;
  if (pair == ordering->pair_first[op + 1]) {
    return 0;
  }
  int64_t best = saving(state, op, pair + 1, used);
  const memplan_pair *entry = &ordering->pairs[pair];
  int32_t output = ordering->cell_of_storage[entry->output_storage];
  int32_t input = ordering->cell_of_storage[entry->input_storage];
  if (!used[output] && !used[input] && !is_born(state, &ordering->cells[output], -1) &&
      waits_for_nobody_else(state, &ordering->cells[input], op)) {
    used[output] = true;
    used[input] = true;
    int64_t with = entry->saving + saving(state, op, pair + 1, used);
    used[output] = false;
    used[input] = false;
    best = with > best ? with : best;
  }
  return best;
}

static bool can_run(const reference *state, int32_t op) {
  const memplan_ordering *ordering = state->ordering;
  if (state->done[op]) {
    return false;
  }
  for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
    if (!state->done[ordering->pred[k]]) {
      return false;
    }
  }
  int32_t group = ordering->graph->ops[op].group;
  if (state->open_group >= 0 || group < 0) {
    return group == state->open_group;
  }
  for (int32_t other = 0; other < ordering->n_ops; other++) {
    for (int32_t k = ordering->pred_first[other]; k < ordering->pred_first[other + 1]; k++) {
      if (ordering->graph->ops[other].group == group && ordering->graph->ops[ordering->pred[k]].group != group &&
          !state->done[ordering->pred[k]]) {
        return false;
      }
    }
  }
  return true;
}

// Bytes live now (op < 0), during `op` or after it.
static int64_t live(const reference *state, int32_t op, bool after) {
  int64_t sum = state->ordering->base;
  for (int32_t c = 0; c < state->ordering->n_cells; c++) {
    const memplan_cell *cell = &state->ordering->cells[c];
    if (is_born(state, cell, op) && !is_dead(state, cell, after ? op : -1)) {
      sum += cell->bytes;
    }
  }
  return sum;
}

static int64_t released(const reference *state, int32_t op) {
  int64_t sum = 0;
  for (int32_t c = 0; c < state->ordering->n_cells; c++) {
    const memplan_cell *cell = &state->ordering->cells[c];
    if (is_born(state, cell, -1) && !is_dead(state, cell, -1) && is_dead(state, cell, op)) {
      sum += cell->bytes;
    }
  }
  return sum;
}

static int compare_int32(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a;
  int32_t y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static rank rank_of(const reference *state, reference_rule rule, int32_t op) {
  const memplan_ordering *ordering = state->ordering;
  rank result = {.op = op};
  int64_t now = live(state, -1, false);
  int64_t during = live(state, op, false);
  int64_t afterwards = live(state, op, true);
  bool used[REFERENCE_CELLS] = {false};
  int64_t freed = released(state, op);
  switch (rule) {
  case REFERENCE_LPMF:
    result.numbers[0] = during > state->peak ? during : state->peak;
    result.numbers[1] = afterwards - now;
    break;
  case REFERENCE_GREEDY_PEAK:
    during += ordering->workspace[op] - saving(state, op, ordering->pair_first[op], used) +
              (state->n_steps == 0 ? ordering->first_step : 0);
    result.numbers[0] = during > state->peak ? during : state->peak;
    result.numbers[1] = afterwards;
    break;
  case REFERENCE_WEIGHTED_SCORE:
    result.numbers[0] = -(500 * freed + 300 * state->path[op] - 200 * (during - now + ordering->workspace[op] - freed));
    break;
  case REFERENCE_BFS:
    for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
      result.steps[result.n_steps++] = state->step_of[ordering->pred[k]];
    }
    if (result.n_steps > 1) {
      qsort(result.steps, (size_t)result.n_steps, sizeof *result.steps, compare_int32);
    }
    break;
  }
  return result;
}

static bool is_before(const rank *a, const rank *b) {
  for (int32_t k = 0; k < 3; k++) {
    if (a->numbers[k] != b->numbers[k]) {
      return a->numbers[k] < b->numbers[k];
    }
  }
  for (int32_t k = 0; k < a->n_steps && k < b->n_steps; k++) {
    if (a->steps[k] != b->steps[k]) {
      return a->steps[k] < b->steps[k];
    }
  }
  if (a->n_steps != b->n_steps) {
    return a->n_steps < b->n_steps;
  }
  return a->op < b->op;
}

static void run_op(reference *state, const rank *choice, reference_rule rule, int32_t *order) {
  const memplan_ordering *ordering = state->ordering;
  int32_t op = choice->op;
  state->peak = rule == REFERENCE_LPMF || rule == REFERENCE_GREEDY_PEAK ? choice->numbers[0] : 0;
  state->step_of[op] = state->n_steps;
  order[state->n_steps++] = op;
  state->done[op] = true;
  int32_t group = ordering->graph->ops[op].group;
  state->open_group = -1;
  for (int32_t other = 0; other < ordering->n_ops && group >= 0; other++) {
    if (ordering->graph->ops[other].group == group && !state->done[other]) {
      state->open_group = group;
    }
  }
}

bool reference_order(const memplan_ordering *ordering, reference_rule rule, int32_t *order) {
  reference state = {.ordering = ordering, .open_group = -1};
  for (int32_t op = ordering->n_ops - 1; op >= 0; op--) {
    for (int32_t next = op + 1; next < ordering->n_ops; next++) {
      if (holds(&ordering->pred[ordering->pred_first[next]],
                ordering->pred_first[next + 1] - ordering->pred_first[next], op) &&
          state.path[next] > state.path[op]) {
        state.path[op] = state.path[next];
      }
    }
    state.path[op] += ordering->cost[op];
  }
  while (state.n_steps < ordering->n_ops) {
    rank best = {.op = -1};
    for (int32_t op = 0; op < ordering->n_ops; op++) {
      if (can_run(&state, op)) {
        rank other = rank_of(&state, rule, op);
        if (best.op < 0 || is_before(&other, &best)) {
          best = other;
        }
      }
    }
    if (best.op < 0) {
      return false;
    }
    run_op(&state, &best, rule, order);
  }
  return true;
}

// ---- depth first

typedef struct descent {
  const memplan_ordering *ordering;
  bool seen[REFERENCE_OPS];
  int64_t size[REFERENCE_OPS]; // of the operator, or of its group
  int32_t *order;
  int32_t n_steps;
} descent;

static bool same_node(const descent *state, int32_t a, int32_t b) {
  int32_t group = state->ordering->graph->ops[a].group;
  return a == b || (group >= 0 && group == state->ordering->graph->ops[b].group);
}

// First member of the operator's group, which stands for all.
static int32_t stand_in(const descent *state, int32_t op) {
  int32_t first = op;
  for (int32_t other = op; other >= 0; other--) {
    first = same_node(state, op, other) ? other : first;
  }
  return first;
}

static bool comes_after(const descent *state, int32_t op, int32_t before) {
  const memplan_ordering *ordering = state->ordering;
  for (int32_t member = 0; member < ordering->n_ops; member++) {
    for (int32_t k = ordering->pred_first[member]; k < ordering->pred_first[member + 1]; k++) {
      if (same_node(state, op, member) && same_node(state, ordering->pred[k], before) &&
          !same_node(state, op, before)) {
        return true;
      }
    }
  }
  return false;
}

// The smallest of the nodes not seen that `op` comes after (op < 0: that no one comes after); -1 if there is none. Of
// two equal ones that with the lower number; a group's number is above all operators'.
static int32_t next_child(const descent *state, int32_t op) {
  int32_t best = -1;
  for (int32_t node = 0; node < state->ordering->n_ops; node++) {
    if (state->seen[node] || stand_in(state, node) != node) {
      continue;
    }
    bool is_child = op < 0 || comes_after(state, op, node);
    for (int32_t other = 0; other < state->ordering->n_ops && op < 0; other++) {
      is_child &= !comes_after(state, other, node);
    }
    if (!is_child) {
      continue;
    }
    int32_t group = state->ordering->graph->ops[node].group;
    int32_t best_group = best >= 0 ? state->ordering->graph->ops[best].group : -1;
    if (best < 0 || state->size[node] < state->size[best] ||
        (state->size[node] == state->size[best] && group < best_group)) {
      best = node;
    }
  }
  return best;
}

// Recursion depth: operators.
static void descend(descent *state, int32_t op) {
  state->seen[op] = true;
  for (int32_t child = next_child(state, op); child >= 0; child = next_child(state, op)) {
    descend(state, child);
  }
  for (int32_t member = 0; member < state->ordering->n_ops; member++) {
    if (same_node(state, op, member)) {
      state->order[state->n_steps++] = member;
    }
  }
}

void reference_depth_first(const memplan_ordering *ordering, int32_t *order) {
  descent state = {.ordering = ordering, .order = order};
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t node = stand_in(&state, op);
    state.size[node] += ordering->workspace[op];
    for (int32_t c = 0; c < ordering->n_cells; c++) {
      const memplan_cell *cell = &ordering->cells[c];
      if (holds(&ordering->births[cell->first_birth], cell->n_births, op) ||
          holds(&ordering->deaths[cell->first_death], cell->n_deaths, op)) {
        state.size[node] += cell->bytes;
      }
    }
  }
  for (int32_t root = next_child(&state, -1); root >= 0; root = next_child(&state, -1)) {
    descend(&state, root);
  }
}
