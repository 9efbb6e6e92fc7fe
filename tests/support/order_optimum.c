// SPDX-License-Identifier: Apache-2.0
#include "tests/support/order_optimum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static bool holds(uint32_t set, int32_t op) { return (set >> op & 1) != 0; }

static uint32_t set_of(const int32_t *members, int32_t count) {
  uint32_t set = 0;
  for (int32_t k = 0; k < count; k++) {
    set |= UINT32_C(1) << members[k];
  }
  return set;
}

static bool is_born(const memplan_ordering *ordering, const memplan_cell *cell, uint32_t set) {
  return cell->init || (set_of(ordering->births + cell->first_birth, cell->n_births) & set) != 0;
}

// Deaths of the cell that are not in the set.
static uint32_t missing(const memplan_ordering *ordering, const memplan_cell *cell, uint32_t set) {
  return set_of(ordering->deaths + cell->first_death, cell->n_deaths) & ~set;
}

int64_t order_load(const memplan_ordering *ordering, uint32_t set, int32_t op) {
  uint32_t with = set | UINT32_C(1) << op;
  int64_t load = ordering->base + ordering->workspace[op] + (set == 0 ? ordering->first_step : 0);
  for (int32_t c = 0; c < ordering->n_cells; c++) {
    const memplan_cell *cell = &ordering->cells[c];
    bool lives = is_born(ordering, cell, with) && (cell->keep || missing(ordering, cell, set) != 0);
    load += lives ? cell->bytes : 0;
  }
  bool available[64] = {false};
  int32_t chosen[64], first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  assert_true(count <= 64);
  for (int32_t k = 0; k < count; k++) {
    const memplan_pair *pair = &ordering->pairs[first + k];
    const memplan_cell *output = &ordering->cells[ordering->cell_of_storage[pair->output_storage]];
    const memplan_cell *input = &ordering->cells[ordering->cell_of_storage[pair->input_storage]];
    available[k] = !is_born(ordering, output, set) && missing(ordering, input, set) == UINT32_C(1) << op;
  }
  memplan_matching matching;
  assert_true(memplan_pairs_match(ordering->pairs, first, count, available, chosen, &matching));
  return load - matching.saving;
}

uint32_t order_predecessors(const memplan_ordering *ordering, int32_t op) {
  return set_of(ordering->pred + ordering->pred_first[op], ordering->pred_first[op + 1] - ordering->pred_first[op]);
}

static bool may_run(const memplan_ordering *ordering, uint32_t set, int32_t op) {
  const memplan_graph *graph = ordering->graph;
  for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
    if (!holds(set, ordering->pred[k])) {
      return false;
    }
  }
  for (int32_t group = 0; group < graph->n_groups; group++) {
    int32_t first = ordering->group_first[group], count = ordering->group_first[group + 1] - first;
    uint32_t members = set_of(ordering->group_ops + first, count);
    bool open = (members & set) != 0 && (members & ~set) != 0;
    if (open && !holds(members, op)) {
      return false;
    }
  }
  return true;
}

int64_t order_optimum_with(const memplan_ordering *ordering, const uint32_t *before) {
  int32_t n = ordering->n_ops;
  assert_true(n <= ORDER_OPTIMUM_OPS);
  uint32_t n_sets = UINT32_C(1) << n;
  int64_t *best = malloc(n_sets * sizeof *best);
  assert_non_null(best);
  for (uint32_t set = 0; set < n_sets; set++) {
    best[set] = INT64_MAX;
  }
  best[0] = 0;
  for (uint32_t set = 0; set < n_sets; set++) {
    for (int32_t op = 0; op < n && best[set] < INT64_MAX; op++) {
      if (holds(set, op) || !may_run(ordering, set, op) || (before != NULL && (before[op] & ~set) != 0)) {
        continue;
      }
      int64_t load = order_load(ordering, set, op), peak = load > best[set] ? load : best[set];
      int64_t *next = &best[set | UINT32_C(1) << op];
      *next = peak < *next ? peak : *next;
    }
  }
  int64_t optimum = best[n_sets - 1];
  free(best);
  return optimum;
}

int64_t order_optimum(const memplan_ordering *ordering) { return order_optimum_with(ordering, NULL); }

void order_random_dag(random_state *random, int32_t n, int32_t max_bytes, memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  int32_t inplace = random_below(random, 80), workspace = random_chance(random, 50) ? 25 : 0;
  int32_t reach = 2 + random_below(random, n);
  char id[64][16];
  (void)snprintf(id[0], sizeof id[0], "x");
  int32_t input = build_tensor(graph, "x", 1 + random_below(random, max_bytes), MEMPLAN_ROLE_INPUT);
  graph->tensors[input].donatable = random_chance(random, 50);
  for (int32_t k = 1; k <= n; k++) {
    (void)snprintf(id[k], sizeof id[k], "t%d", (int)k);
    (void)build_tensor(graph, id[k], 1 + random_below(random, max_bytes),
                       random_chance(random, 8) ? MEMPLAN_ROLE_OUTPUT : 0);
    char in[64] = "", op_id[16];
    int32_t n_in = 1 + random_below(random, 3), source[3], length = 0;
    for (int32_t i = 0; i < n_in; i++) {
      int32_t back = 1 + random_below(random, reach);
      source[i] = k - back > 0 ? k - back : random_below(random, k);
      bool repeated = (i > 0 && source[0] == source[i]) || (i > 1 && source[1] == source[i]);
      length +=
          repeated ? 0 : snprintf(in + length, sizeof in - (size_t)length, length > 0 ? " %s" : "%s", id[source[i]]);
    }
    (void)snprintf(op_id, sizeof op_id, "o%d", (int)k);
    memplan_op *op = build_op(graph, op_id, in, id[k]);
    op->workspace = random_chance(random, workspace) ? random_below(random, 2 * max_bytes) : 0;
    if (random_chance(random, inplace)) {
      build_inplace(graph, op, id[k], id[source[0]]);
    }
    if (k > 2 && random_chance(random, 5)) {
      (void)snprintf(op_id, sizeof op_id, "o%d", (int)(1 + random_below(random, k - 1)));
      build_after(graph, op, op_id);
    }
  }
}
