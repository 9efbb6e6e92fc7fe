// SPDX-License-Identifier: Apache-2.0
// Maximum-weight matching of a large sparse bipartite graph.
#ifndef MEMPLAN_MODEL_SPARSE_MATCHING_H
#define MEMPLAN_MODEL_SPARSE_MATCHING_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_sparse_edge {
  int32_t row, column;
  int64_t weight; // >= 0
} memplan_sparse_edge;

// `edges` stand by row. `matched` (by row) receives the index of the row's edge, or -1; *most: no matching weighs more.
// That is the weight of this one unless the search has looked at `effort` edges before it was through. False if memory
// is out. O(rows x edges x log columns) at worst; deterministic.
bool memplan_sparse_match(const memplan_sparse_edge *edges, int32_t n_edges, int32_t n_rows, int32_t n_columns,
                          int64_t effort, memplan_arena *arena, int32_t *matched, int64_t *most);

#endif
