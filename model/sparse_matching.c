// SPDX-License-Identifier: Apache-2.0
// Successive shortest augmenting paths over reduced costs, with a heap (Kuhn 1955; Edmonds and Karp 1972): potentials
// u(row) + v(column) >= weight, both >= 0, with equality at matched edges. A path ends at a free column, or at a row
// that stays without one at the price of its potential. The potentials sum up to a bound of every matching at any
// time, so that the search may be given up: then rows take what is free.
#include "model/sparse_matching.h"

#include "model/base/number.h"

typedef struct entry {
  int64_t distance;
  int32_t column;
} entry;

typedef struct matcher {
  const memplan_sparse_edge *edges;
  int32_t n_rows, n_columns;
  int32_t *first;   // by row, and one more
  int32_t *matched; // by row: edge, -1
  int32_t *row_of;  // by column, -1: free
  int64_t *row_potential, *column_potential;
  int64_t *row_distance, *column_distance; // of the search
  int32_t *reached_by;                     // by column: edge
  int32_t *rows, *columns;                 // that were settled
  int32_t n_settled_rows, n_settled_columns;
  int32_t *touched, n_touched; // columns with a distance
  bool *settled;               // by column
  entry *heap;
  int64_t n_heap;
  int64_t effort;
} matcher;

static bool is_before(const entry *a, const entry *b) {
  return a->distance != b->distance ? a->distance < b->distance : a->column < b->column;
}

static void push(matcher *work, int64_t distance, int32_t column) {
  int64_t at = work->n_heap++;
  entry added = {distance, column};
  while (at > 0 && is_before(&added, &work->heap[(at - 1) / 2])) {
    work->heap[at] = work->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  work->heap[at] = added;
}

static entry pop(matcher *work) {
  entry top = work->heap[0], last = work->heap[--work->n_heap];
  int64_t at = 0;
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= work->n_heap) {
      break;
    }
    child += child + 1 < work->n_heap && is_before(&work->heap[child + 1], &work->heap[child]);
    if (!is_before(&work->heap[child], &last)) {
      break;
    }
    work->heap[at] = work->heap[child];
    at = child;
  }
  work->heap[at] = last;
  return top;
}

static void settle_row(matcher *work, int32_t row, int64_t distance) {
  work->row_distance[row] = distance;
  work->rows[work->n_settled_rows++] = row;
  for (int32_t k = work->first[row]; k < work->first[row + 1]; k++) {
    int32_t column = work->edges[k].column;
    int64_t reach = distance + work->row_potential[row] + work->column_potential[column] - work->edges[k].weight;
    if (work->column_distance[column] > reach) {
      if (work->column_distance[column] == INT64_MAX) {
        work->touched[work->n_touched++] = column;
      }
      work->column_distance[column] = reach;
      work->reached_by[column] = k;
      push(work, reach, column);
    }
  }
  work->effort -= work->first[row + 1] - work->first[row] + 1;
}

// Makes the row at the end of a path free of its column's claim, back to the row where the path began.
static void flip(matcher *work, int32_t column) {
  for (;;) {
    int32_t edge = work->reached_by[column], row = work->edges[edge].row, before = work->matched[row];
    work->matched[row] = edge;
    work->row_of[column] = row;
    if (before < 0) {
      return;
    }
    column = work->edges[before].column;
  }
}

static void augment(matcher *work, int32_t row) {
  int32_t best_row = row, best_column = -1;
  int64_t best = work->row_potential[row];
  work->n_heap = 0;
  work->n_settled_rows = work->n_settled_columns = work->n_touched = 0;
  settle_row(work, row, 0);
  while (work->n_heap > 0 && work->heap[0].distance < best) {
    entry next = pop(work);
    if (work->settled[next.column] || next.distance > work->column_distance[next.column]) {
      continue;
    }
    int32_t other = work->row_of[next.column];
    if (other < 0) {
      best = next.distance;
      best_column = next.column;
      break;
    }
    work->settled[next.column] = true;
    work->columns[work->n_settled_columns++] = next.column;
    settle_row(work, other, next.distance);
    if (next.distance + work->row_potential[other] < best) {
      best = next.distance + work->row_potential[other];
      best_row = other;
    }
  }
  for (int32_t k = 0; k < work->n_settled_rows; k++) {
    int32_t settled = work->rows[k];
    int64_t less = best - work->row_distance[settled];
    work->row_potential[settled] -= less > 0 ? less : 0;
  }
  for (int32_t k = 0; k < work->n_settled_columns; k++) {
    int64_t more = best - work->column_distance[work->columns[k]];
    work->column_potential[work->columns[k]] += more > 0 ? more : 0;
  }
  if (best_column >= 0) {
    flip(work, best_column);
  } else if (best_row != row) {
    int32_t column = work->edges[work->matched[best_row]].column;
    work->matched[best_row] = -1;
    flip(work, column);
  }
  for (int32_t k = 0; k < work->n_touched; k++) {
    work->column_distance[work->touched[k]] = INT64_MAX;
    work->settled[work->touched[k]] = false;
  }
}

static bool allocate(matcher *work, int32_t n_edges, memplan_arena *arena) {
  int64_t rows = work->n_rows, columns = work->n_columns;
  work->first = MEMPLAN_NEW(arena, int32_t, rows + 1);
  work->row_of = MEMPLAN_NEW(arena, int32_t, columns);
  work->row_potential = MEMPLAN_NEW(arena, int64_t, rows);
  work->column_potential = MEMPLAN_NEW(arena, int64_t, columns);
  work->row_distance = MEMPLAN_NEW(arena, int64_t, rows);
  work->column_distance = MEMPLAN_NEW(arena, int64_t, columns);
  work->reached_by = MEMPLAN_NEW(arena, int32_t, columns);
  work->rows = MEMPLAN_NEW(arena, int32_t, rows);
  work->columns = MEMPLAN_NEW(arena, int32_t, columns);
  work->touched = MEMPLAN_NEW(arena, int32_t, columns);
  work->settled = MEMPLAN_NEW(arena, bool, columns);
  work->heap = MEMPLAN_NEW(arena, entry, (int64_t)n_edges + 1);
  return work->first != NULL && work->row_of != NULL && work->row_potential != NULL && work->column_potential != NULL &&
         work->row_distance != NULL && work->column_distance != NULL && work->reached_by != NULL &&
         work->rows != NULL && work->columns != NULL && work->touched != NULL && work->settled != NULL &&
         work->heap != NULL;
}

static void start(matcher *work, int32_t n_edges) {
  for (int32_t column = 0; column < work->n_columns; column++) {
    work->row_of[column] = -1;
    work->column_distance[column] = INT64_MAX;
  }
  for (int32_t row = 0; row < work->n_rows; row++) {
    work->matched[row] = -1;
  }
  for (int32_t k = 0; k < n_edges; k++) {
    int32_t row = work->edges[k].row;
    work->first[row + 1] = k + 1;
    work->row_potential[row] =
        work->edges[k].weight > work->row_potential[row] ? work->edges[k].weight : work->row_potential[row];
  }
  for (int32_t row = 0; row < work->n_rows; row++) {
    work->first[row + 1] = work->first[row + 1] > work->first[row] ? work->first[row + 1] : work->first[row];
  }
}

bool memplan_sparse_match(const memplan_sparse_edge *edges, int32_t n_edges, int32_t n_rows, int32_t n_columns,
                          int64_t effort, memplan_arena *arena, int32_t *matched, int64_t *most) {
  matcher work = {.edges = edges, .n_rows = n_rows, .n_columns = n_columns, .matched = matched, .effort = effort};
  if (!allocate(&work, n_edges, arena)) {
    return false;
  }
  start(&work, n_edges);
  for (int32_t row = 0; row < n_rows; row++) {
    if (work.effort > 0) {
      augment(&work, row);
      continue;
    }
    for (int32_t k = work.first[row]; k < work.first[row + 1] && matched[row] < 0; k++) {
      if (work.row_of[edges[k].column] < 0) {
        matched[row] = k;
        work.row_of[edges[k].column] = row;
      }
    }
  }
  *most = 0;
  for (int32_t row = 0; row < n_rows; row++) {
    *most = memplan_add_saturated(*most, work.row_potential[row]);
  }
  for (int32_t column = 0; column < n_columns; column++) {
    *most = memplan_add_saturated(*most, work.column_potential[column]);
  }
  return true;
}
