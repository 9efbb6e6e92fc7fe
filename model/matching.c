// SPDX-License-Identifier: Apache-2.0
// Best choice among the in-place pairs of one operator: a maximum-weight bipartite matching of outputs and inputs, by
// the Hungarian method with potentials (Kuhn 1955, Munkres 1957), O(rows^2 x columns). Operators have a few pairs,
// mostly one.
#include <stdlib.h>
#include <string.h>

#include "model/ordering.h"

typedef struct assignment {
  int32_t rows, columns; // rows <= columns after adding one private dummy column to each row
  int64_t *weight;       // rows x columns, >= 0; 0: nothing gained
  int32_t *pair;         // rows x columns, the pair behind the weight or -1
  int64_t *row_potential, *column_potential, *slack;
  int32_t *row_of, *previous;
  bool *visited;
} assignment;

// Index of `key` among the first *count keys, added if new.
static int32_t find_side(int32_t *keys, int32_t *count, int32_t key) {
  for (int32_t k = 0; k < *count; k++) {
    if (keys[k] == key) {
      return k;
    }
  }
  keys[*count] = key;
  return (*count)++;
}

// Inserts row `row` (1-based) by one shortest augmenting path over reduced costs (cost = -weight).
static void augment(assignment *problem, int32_t row) {
  int32_t columns = problem->columns;
  problem->row_of[0] = row;
  for (int32_t column = 0; column <= columns; column++) {
    problem->slack[column] = INT64_MAX;
    problem->visited[column] = false;
  }
  int32_t column = 0;
  do {
    problem->visited[column] = true;
    int32_t at_row = problem->row_of[column], next = 0;
    int64_t delta = INT64_MAX;
    for (int32_t other = 1; other <= columns; other++) {
      if (problem->visited[other]) {
        continue;
      }
      int64_t reduced = -problem->weight[(int64_t)(at_row - 1) * columns + other - 1] - problem->row_potential[at_row] -
                        problem->column_potential[other];
      if (reduced < problem->slack[other]) {
        problem->slack[other] = reduced;
        problem->previous[other] = column;
      }
      if (problem->slack[other] < delta) {
        delta = problem->slack[other];
        next = other;
      }
    }
    for (int32_t other = 0; other <= columns; other++) {
      if (problem->visited[other]) {
        problem->row_potential[problem->row_of[other]] += delta;
        problem->column_potential[other] -= delta;
      } else {
        problem->slack[other] -= delta;
      }
    }
    column = next;
  } while (problem->row_of[column] != 0);
  do {
    int32_t before = problem->previous[column];
    problem->row_of[column] = problem->row_of[before];
    column = before;
  } while (column != 0);
}

static int32_t solve(assignment *problem, int32_t *chosen, int64_t *saving) {
  for (int32_t row = 1; row <= problem->rows; row++) {
    augment(problem, row);
  }
  int32_t count = 0;
  for (int32_t column = 1; column <= problem->columns; column++) {
    int32_t row = problem->row_of[column];
    if (row != 0) {
      int64_t at = (int64_t)(row - 1) * problem->columns + column - 1;
      if (problem->pair[at] >= 0) {
        *saving += problem->weight[at];
        chosen[count++] = problem->pair[at];
      }
    }
  }
  for (int32_t k = 1; k < count; k++) {
    int32_t value = chosen[k], at = k;
    for (; at > 0 && chosen[at - 1] > value; at--) {
      chosen[at] = chosen[at - 1];
    }
    chosen[at] = value;
  }
  return count;
}

// One available pair, or none: nothing to decide. Otherwise fills the table; falls back to the best single pairs in
// index order if memory is out, which is still a valid choice.
static int32_t match_table(const memplan_pair *pairs, int32_t first, int32_t count, const bool *available,
                           int32_t *chosen, int64_t *saving) {
  memplan_arena arena = {0};
  int32_t *outputs = MEMPLAN_NEW(&arena, int32_t, count), *inputs = MEMPLAN_NEW(&arena, int32_t, count);
  int32_t rows = 0, real_columns = 0;
  if (outputs == NULL || inputs == NULL) {
    memplan_arena_free(&arena);
    return -1;
  }
  for (int32_t k = 0; k < count; k++) {
    if (available[k]) {
      (void)find_side(outputs, &rows, pairs[first + k].output);
      (void)find_side(inputs, &real_columns, pairs[first + k].input);
    }
  }
  int32_t columns = real_columns + rows;
  assignment problem = {.rows = rows, .columns = columns};
  problem.weight = MEMPLAN_NEW(&arena, int64_t, (int64_t)rows * columns);
  problem.pair = MEMPLAN_NEW(&arena, int32_t, (int64_t)rows * columns);
  problem.row_potential = MEMPLAN_NEW(&arena, int64_t, columns + 1);
  problem.column_potential = MEMPLAN_NEW(&arena, int64_t, columns + 1);
  problem.slack = MEMPLAN_NEW(&arena, int64_t, columns + 1);
  problem.row_of = MEMPLAN_NEW(&arena, int32_t, columns + 1);
  problem.previous = MEMPLAN_NEW(&arena, int32_t, columns + 1);
  problem.visited = MEMPLAN_NEW(&arena, bool, columns + 1);
  int32_t n_chosen = -1;
  if (problem.weight != NULL && problem.pair != NULL && problem.row_potential != NULL &&
      problem.column_potential != NULL && problem.slack != NULL && problem.row_of != NULL && problem.previous != NULL &&
      problem.visited != NULL) {
    memset(problem.pair, -1, sizeof *problem.pair * (size_t)rows * (size_t)columns);
    for (int32_t k = 0; k < count; k++) {
      if (available[k]) {
        int64_t at = (int64_t)find_side(outputs, &rows, pairs[first + k].output) * columns +
                     find_side(inputs, &real_columns, pairs[first + k].input);
        if (problem.pair[at] < 0) {
          problem.pair[at] = first + k;
          problem.weight[at] = pairs[first + k].saving;
        }
      }
    }
    n_chosen = solve(&problem, chosen, saving);
  }
  memplan_arena_free(&arena);
  return n_chosen;
}

int32_t memplan_pairs_match(const memplan_pair *pairs, int32_t first, int32_t count, const bool *available,
                            int32_t *chosen, int64_t *saving) {
  *saving = 0;
  int32_t n_available = 0, last = -1;
  bool one_output = true;
  for (int32_t k = 0; k < count; k++) {
    if (available[k]) {
      one_output &= last < 0 || pairs[first + k].output == pairs[first + last].output;
      if (last < 0 || (one_output && pairs[first + k].saving > pairs[first + last].saving)) {
        last = k;
      }
      n_available++;
    }
  }
  if (n_available == 0) {
    return 0;
  }
  if (!one_output) {
    int32_t n_chosen = match_table(pairs, first, count, available, chosen, saving);
    if (n_chosen >= 0) {
      return n_chosen;
    }
  }
  *saving = pairs[first + last].saving;
  chosen[0] = first + last;
  return 1;
}
