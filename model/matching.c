// SPDX-License-Identifier: Apache-2.0
// Best choice among the in-place pairs of one operator: a maximum-weight bipartite matching of outputs and inputs.
//
// Operators have few pairs, mostly of one output, so that case needs no memory. Else the pairs fall apart into
// connected components, each solved by the Hungarian method with potentials (Kuhn 1955, Munkres 1957), O(rows^2 x
// columns). A component too large for its table is matched over lists of pairs; where that is given up, `most` says how
// far it can be from the best.
#include "model/base/number.h"
#include "model/ordering.h"
#include "model/sparse_matching.h"

#include <stdlib.h>
#include <string.h>

enum {
  most_cells = 1 << 20,   // of one table
  sparse_effort = 1 << 26 // edges looked at
};

typedef struct assignment {
  int32_t rows, columns; // each row has a private dummy column, so that rows <= columns
  int64_t *weight;       // rows x columns, >= 0; 0: nothing gained
  int32_t *pair;         // rows x columns, the pair behind the weight or -1
  int64_t *row_potential, *column_potential, *slack;
  int32_t *row_of, *previous;
  bool *visited;
} assignment;

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

typedef struct matcher {
  const memplan_pair *pairs;
  int32_t *index;          // available pairs, by component in the end
  int32_t *output, *input; // ranks of their tensors
  int32_t *component;      // union-find over outputs, then inputs
  int32_t *local;          // rank within a table, by node
  int32_t n_pairs, n_outputs, n_inputs;
  memplan_arena arena;
} matcher;

// Replaces tensors by their ranks; returns how many differ. `sorted` has room for n.
static int32_t rank_tensors(int32_t *tensors, int32_t n, int32_t *sorted) {
  memcpy(sorted, tensors, (size_t)n * sizeof *sorted);
  qsort(sorted, (size_t)n, sizeof *sorted, memplan_compare_int32);
  int32_t kept = 0;
  for (int32_t k = 0; k < n; k++) {
    if (kept == 0 || sorted[k] != sorted[kept - 1]) {
      sorted[kept++] = sorted[k];
    }
  }
  for (int32_t k = 0; k < n; k++) {
    const int32_t *found = bsearch(&tensors[k], sorted, (size_t)kept, sizeof *sorted, memplan_compare_int32);
    tensors[k] = (int32_t)(found - sorted);
  }
  return kept;
}

static int32_t root_of(int32_t *parent, int32_t node) {
  while (parent[node] != node) {
    parent[node] = parent[parent[node]];
    node = parent[node];
  }
  return node;
}

static bool collect(matcher *work, int32_t first, int32_t count, const bool *available) {
  work->index = MEMPLAN_NEW(&work->arena, int32_t, count);
  work->output = MEMPLAN_NEW(&work->arena, int32_t, count);
  work->input = MEMPLAN_NEW(&work->arena, int32_t, count);
  work->component = MEMPLAN_NEW(&work->arena, int32_t, 2 * (int64_t)count);
  work->local = MEMPLAN_NEW(&work->arena, int32_t, 2 * (int64_t)count);
  if (work->index == NULL || work->output == NULL || work->input == NULL || work->component == NULL ||
      work->local == NULL) {
    return false;
  }
  for (int32_t k = 0; k < count; k++) {
    if (available[k]) {
      work->index[work->n_pairs] = first + k;
      work->output[work->n_pairs] = work->pairs[first + k].output;
      work->input[work->n_pairs++] = work->pairs[first + k].input;
    }
  }
  work->n_outputs = rank_tensors(work->output, work->n_pairs, work->local);
  work->n_inputs = rank_tensors(work->input, work->n_pairs, work->local);
  for (int32_t node = 0; node < work->n_outputs + work->n_inputs; node++) {
    work->component[node] = node;
  }
  for (int32_t k = 0; k < work->n_pairs; k++) {
    int32_t a = root_of(work->component, work->output[k]);
    int32_t b = root_of(work->component, work->n_outputs + work->input[k]);
    work->component[a > b ? a : b] = a > b ? b : a;
  }
  return true;
}

// A pair of one component: positions in the matcher's arrays, sorted by (component, position).
typedef struct member {
  int32_t component, at;
} member;

static int compare_members(const void *a, const void *b) {
  const member *x = a, *y = b;
  return x->component != y->component ? (x->component > y->component) - (x->component < y->component)
                                      : (x->at > y->at) - (x->at < y->at);
}

static bool make_table(assignment *table, matcher *work, const member *members, int32_t n) {
  int64_t cells = (int64_t)table->rows * table->columns;
  memplan_arena *arena = &work->arena;
  table->weight = MEMPLAN_NEW(arena, int64_t, cells);
  table->pair = MEMPLAN_NEW(arena, int32_t, cells);
  table->row_potential = MEMPLAN_NEW(arena, int64_t, table->rows + 1);
  table->column_potential = MEMPLAN_NEW(arena, int64_t, table->columns + 1);
  table->slack = MEMPLAN_NEW(arena, int64_t, table->columns + 1);
  table->row_of = MEMPLAN_NEW(arena, int32_t, table->columns + 1);
  table->previous = MEMPLAN_NEW(arena, int32_t, table->columns + 1);
  table->visited = MEMPLAN_NEW(arena, bool, table->columns + 1);
  if (table->weight == NULL || table->pair == NULL || table->row_potential == NULL || table->column_potential == NULL ||
      table->slack == NULL || table->row_of == NULL || table->previous == NULL || table->visited == NULL) {
    return false;
  }
  memset(table->pair, -1, (size_t)cells * sizeof *table->pair);
  for (int32_t k = 0; k < n; k++) {
    int32_t at = members[k].at;
    int64_t cell =
        (int64_t)work->local[work->output[at]] * table->columns + work->local[work->n_outputs + work->input[at]];
    if (table->pair[cell] < 0) {
      table->pair[cell] = work->index[at];
      table->weight[cell] = work->pairs[work->index[at]].saving;
    }
  }
  return true;
}

static void take(const matcher *work, int32_t pair, int32_t *chosen, memplan_matching *result) {
  chosen[result->n_chosen++] = pair;
  result->saving = memplan_add_saturated(result->saving, work->pairs[pair].saving);
}

static bool solve_table(matcher *work, const member *members, int32_t n, int32_t rows, int32_t columns, int32_t *chosen,
                        memplan_matching *result) {
  assignment table = {.rows = rows, .columns = columns + rows};
  if (!make_table(&table, work, members, n)) {
    return false;
  }
  for (int32_t row = 1; row <= rows; row++) {
    augment(&table, row);
  }
  int64_t before = result->saving;
  for (int32_t column = 1; column <= table.columns; column++) {
    int32_t row = table.row_of[column];
    int32_t pair = row != 0 ? table.pair[(int64_t)(row - 1) * table.columns + column - 1] : -1;
    if (pair >= 0) {
      take(work, pair, chosen, result);
    }
  }
  result->most = memplan_add_saturated(result->most, result->saving - before);
  return true;
}

static int compare_edges(const void *a, const void *b) {
  const memplan_sparse_edge *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->column > y->column) - (x->column < y->column);
}

// Too large for a table. A pair stands in the list once, so that row and column name it.
static bool solve_sparsely(matcher *work, const member *members, int32_t n, int32_t rows, int32_t columns,
                           int32_t *chosen, memplan_matching *result) {
  memplan_arena *arena = &work->arena;
  memplan_sparse_edge *edges = MEMPLAN_NEW(arena, memplan_sparse_edge, n);
  int32_t *matched = MEMPLAN_NEW(arena, int32_t, rows), *partner = MEMPLAN_NEW(arena, int32_t, rows);
  int64_t most;
  if (edges == NULL || matched == NULL || partner == NULL) {
    return false;
  }
  for (int32_t k = 0; k < n; k++) {
    int32_t at = members[k].at;
    edges[k] = (memplan_sparse_edge){work->local[work->output[at]], work->local[work->n_outputs + work->input[at]],
                                     work->pairs[work->index[at]].saving};
  }
  qsort(edges, (size_t)n, sizeof *edges, compare_edges);
  if (!memplan_sparse_match(edges, n, rows, columns, sparse_effort, arena, matched, &most)) {
    return false;
  }
  for (int32_t row = 0; row < rows; row++) {
    partner[row] = matched[row] >= 0 ? edges[matched[row]].column : -1;
  }
  for (int32_t k = 0; k < n; k++) {
    int32_t at = members[k].at, row = work->local[work->output[at]];
    if (partner[row] == work->local[work->n_outputs + work->input[at]]) {
      take(work, work->index[at], chosen, result);
      partner[row] = -1;
    }
  }
  result->most = memplan_add_saturated(result->most, most);
  return true;
}

static bool solve_component(matcher *work, const member *members, int32_t n, int32_t *chosen,
                            memplan_matching *result) {
  int32_t rows = 0, columns = 0;
  for (int32_t k = 0; k < n; k++) {
    work->local[work->output[members[k].at]] = work->local[work->n_outputs + work->input[members[k].at]] = -1;
  }
  for (int32_t k = 0; k < n; k++) {
    int32_t *row = &work->local[work->output[members[k].at]];
    int32_t *column = &work->local[work->n_outputs + work->input[members[k].at]];
    *row = *row < 0 ? rows++ : *row;
    *column = *column < 0 ? columns++ : *column;
  }
  if ((int64_t)rows * ((int64_t)columns + rows) > most_cells) {
    return solve_sparsely(work, members, n, rows, columns, chosen, result);
  }
  return solve_table(work, members, n, rows, columns, chosen, result);
}

static bool match_components(matcher *work, int32_t first, int32_t count, const bool *available, int32_t *chosen,
                             memplan_matching *result) {
  if (!collect(work, first, count, available)) {
    return false;
  }
  member *members = MEMPLAN_NEW(&work->arena, member, work->n_pairs);
  if (members == NULL) {
    return false;
  }
  for (int32_t k = 0; k < work->n_pairs; k++) {
    members[k] = (member){root_of(work->component, work->output[k]), k};
  }
  qsort(members, (size_t)work->n_pairs, sizeof *members, compare_members);
  for (int32_t from = 0, to; from < work->n_pairs; from = to) {
    for (to = from + 1; to < work->n_pairs && members[to].component == members[from].component; to++) {
    }
    memplan_arena_mark mark = memplan_arena_get_mark(&work->arena);
    if (!solve_component(work, members + from, to - from, chosen, result)) {
      return false;
    }
    memplan_arena_release(&work->arena, mark);
  }
  qsort(chosen, (size_t)result->n_chosen, sizeof *chosen, memplan_compare_int32);
  return true;
}

bool memplan_pairs_match(const memplan_pair *pairs, int32_t first, int32_t count, const bool *available,
                         int32_t *chosen, memplan_matching *result) {
  *result = (memplan_matching){0};
  int32_t best = -1;
  bool one_output = true;
  for (int32_t k = 0; k < count; k++) {
    if (available[k]) {
      one_output &= best < 0 || pairs[first + k].output == pairs[first + best].output;
      if (best < 0 || pairs[first + k].saving > pairs[first + best].saving) {
        best = k;
      }
    }
  }
  if (best < 0) {
    return true;
  }
  if (one_output) {
    chosen[0] = first + best;
    *result =
        (memplan_matching){.n_chosen = 1, .saving = pairs[first + best].saving, .most = pairs[first + best].saving};
    return true;
  }
  matcher work = {.pairs = pairs};
  bool done = match_components(&work, first, count, available, chosen, result);
  memplan_arena_free(&work.arena);
  return done;
}
