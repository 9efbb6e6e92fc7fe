// SPDX-License-Identifier: Apache-2.0
// The first t operators of any order that can run are a set that every order passes iff each of the others has t
// ancestors or more: those of them that can run next have no others than these, so that they have all of them.
#include "solvers/order_reach.h"

#include "model/base/compiler.h"

int32_t *memplan_order_reach_sort(const memplan_order_problem *problem, memplan_arena *arena) {
  int32_t *order = MEMPLAN_NEW(arena, int32_t, problem->n_ops);
  int32_t *missing = MEMPLAN_NEW(arena, int32_t, problem->n_ops);
  if (order == NULL || missing == NULL) {
    return NULL;
  }
  int32_t count = 0;
  for (int32_t op = 0; op < problem->n_ops; op++) {
    missing[op] = problem->pred.first[op + 1] - problem->pred.first[op];
    if (missing[op] == 0) {
      order[count++] = op;
    }
  }
  for (int32_t at = 0; at < count; at++) {
    int32_t op = order[at];
    for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
      if (--missing[problem->succ.list[k]] == 0) {
        order[count++] = problem->succ.list[k];
      }
    }
  }
  return count == problem->n_ops ? order : NULL;
}

uint64_t *memplan_order_reach_above(const memplan_order_problem *problem, const int32_t *topological,
                                    memplan_arena *arena) {
  size_t words = memplan_order_reach_words(problem->n_ops);
  uint64_t *above = MEMPLAN_NEW(arena, uint64_t, words * (size_t)problem->n_ops);
  for (int32_t at = 0; above != NULL && at < problem->n_ops; at++) {
    int32_t op = topological[at];
    uint64_t *row = above + (size_t)op * words;
    for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
      const uint64_t *before = above + (size_t)problem->pred.list[k] * words;
      for (size_t word = 0; word < words; word++) {
        row[word] |= before[word];
      }
    }
    row[op / 64] |= UINT64_C(1) << (op % 64);
  }
  return above;
}

int32_t *memplan_order_reach_passes(int32_t n_ops, const int32_t *topological, const uint64_t *above,
                                    memplan_arena *arena) {
  size_t words = memplan_order_reach_words(n_ops);
  int32_t *passes = MEMPLAN_NEW(arena, int32_t, (int64_t)n_ops + 1);
  if (passes == NULL) {
    return NULL;
  }
  passes[n_ops] = n_ops;
  int32_t fewest = n_ops;
  for (int32_t at = n_ops - 1; at >= 0; at--) {
    const uint64_t *row = above + (size_t)topological[at] * words;
    int32_t ancestors = -1;
    for (size_t word = 0; word < words; word++) {
      ancestors += memplan_bit_count(row[word]);
    }
    fewest = ancestors < fewest ? ancestors : fewest;
    passes[at] = fewest >= at ? at : 0;
  }
  for (int32_t at = 1; at <= n_ops; at++) {
    passes[at] = passes[at] > 0 ? passes[at] : passes[at - 1];
  }
  return passes;
}
