// SPDX-License-Identifier: Apache-2.0
// Reachability is a bit matrix, filled from the last operator to the first. A lazy operator through which very many
// others would be tied together is called hard instead, which is always right and keeps the lists short.
#include "solvers/order_tables.h"

#include "model/base/compiler.h"
#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/base/rng.h"
#include "solvers/order_reach.h"

#include <stdlib.h>
#include <string.h>

enum { most_hard = 256, most_lazy = 96 };

memplan_order_rules memplan_order_rules_default(void) {
  return (memplan_order_rules){.lazy = true, .intervals = true, .commits = true, .passes = true};
}

// ---- lazy operators

typedef struct reach_matrix {
  const memplan_order_problem *problem;
  uint64_t *bits; // by operator: its descendants; NULL: too many operators
  size_t words;
} reach_matrix;

static bool make_reach(reach_matrix *reach, const memplan_order_tables *tables, memplan_arena *arena) {
  const memplan_order_problem *problem = tables->problem;
  int32_t n = problem->n_ops;
  reach->problem = problem;
  reach->bits = NULL;
  reach->words = ((size_t)n + 63) / 64;
  if (n >= MEMPLAN_ORDER_REACH_OPS) {
    return true;
  }
  reach->bits = MEMPLAN_NEW(arena, uint64_t, reach->words * (size_t)n);
  if (reach->bits == NULL) {
    return false;
  }
  for (int32_t at = n - 1; at >= 0; at--) {
    int32_t op = tables->topological[at];
    uint64_t *row = reach->bits + (size_t)op * reach->words;
    for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
      int32_t next = problem->succ.list[k];
      const uint64_t *below = reach->bits + (size_t)next * reach->words;
      for (size_t word = 0; word < reach->words; word++) {
        row[word] |= below[word];
      }
      row[next / 64] |= UINT64_C(1) << (next % 64);
    }
  }
  return true;
}

static bool is_below(const reach_matrix *reach, int32_t op, int32_t other) {
  if (reach->bits != NULL) {
    return (reach->bits[(size_t)op * reach->words + (size_t)other / 64] >> (other % 64) & 1) != 0;
  }
  const memplan_order_problem *problem = reach->problem;
  const int32_t *first = problem->succ.list + problem->succ.first[op];
  size_t count = (size_t)(problem->succ.first[op + 1] - problem->succ.first[op]);
  return bsearch(&other, first, count, sizeof other, memplan_compare_int32) != NULL;
}

static bool ends_below(const reach_matrix *reach, int32_t op, int32_t cell) {
  const memplan_order_problem *problem = reach->problem;
  for (int32_t k = problem->deaths.first[cell]; k < problem->deaths.first[cell + 1]; k++) {
    if (is_below(reach, op, problem->deaths.list[k])) {
      return true;
    }
  }
  return false;
}

static bool may_be_lazy(const reach_matrix *reach, int32_t op) {
  const memplan_order_problem *problem = reach->problem;
  if (problem->workspace[op] > 0 || problem->group[op] >= 0) {
    return false;
  }
  for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
    if (problem->group[problem->succ.list[k]] >= 0) {
      return false;
    }
  }
  for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
    int32_t cell = problem->op_births.list[k];
    if (!problem->cells[cell].keep && !ends_below(reach, op, cell)) {
      return false;
    }
  }
  for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
    if (!ends_below(reach, op, problem->op_deaths.list[k])) {
      return false;
    }
  }
  return true;
}

static bool find_lazy(memplan_order_tables *tables, bool wanted, memplan_arena *arena) {
  const memplan_order_problem *problem = tables->problem;
  tables->lazy = MEMPLAN_NEW(arena, bool, problem->n_ops);
  memplan_arena scratch = {0};
  reach_matrix reach = {.problem = problem};
  bool done = tables->lazy != NULL && (!wanted || make_reach(&reach, tables, &scratch));
  for (int32_t op = 0; done && wanted && op < problem->n_ops; op++) {
    tables->lazy[op] = may_be_lazy(&reach, op);
  }
  memplan_arena_free(&scratch);
  return done;
}

// ---- hard predecessors

// Lists that are made in any order of their indices.
typedef struct list_bundle {
  int32_t *from, *count; // by operator: its part of `entries`
  int32_t *entries;
  int64_t n, capacity;
} list_bundle;

static bool bundle_init(list_bundle *bundle, int32_t n_ops, memplan_arena *arena) {
  memset(bundle, 0, sizeof *bundle);
  bundle->from = MEMPLAN_NEW(arena, int32_t, n_ops);
  bundle->count = MEMPLAN_NEW(arena, int32_t, n_ops);
  return bundle->from != NULL && bundle->count != NULL;
}

// Adds an entry to the operator's part, which must be the last one, unless `seen` says that it is there.
static bool bundle_add(list_bundle *bundle, int32_t op, int32_t entry, int32_t *seen, memplan_arena *arena) {
  if (seen[entry] == op + 1) {
    return true;
  }
  seen[entry] = op + 1;
  int32_t *entries = memplan_grow_in(arena, bundle->entries, bundle->n, &bundle->capacity, sizeof *entries);
  if (entries == NULL || bundle->n >= INT32_MAX - 1) {
    return false;
  }
  bundle->entries = entries;
  entries[bundle->n++] = entry;
  bundle->count[op]++;
  return true;
}

static bool add_all(list_bundle *to, int32_t op, const list_bundle *from, int32_t source, int32_t *seen,
                    memplan_arena *arena) {
  for (int32_t k = 0; k < from->count[source]; k++) {
    if (!bundle_add(to, op, from->entries[from->from[source] + k], seen, arena)) {
      return false;
    }
  }
  return true;
}

static bool bundle_lists(const list_bundle *bundle, int32_t n_ops, memplan_order_lists *lists, memplan_arena *arena) {
  int32_t *first = MEMPLAN_NEW(arena, int32_t, (int64_t)n_ops + 1), *list = MEMPLAN_NEW(arena, int32_t, bundle->n);
  if (first == NULL || list == NULL) {
    return false;
  }
  for (int32_t op = 0; op < n_ops; op++) {
    first[op + 1] = first[op] + bundle->count[op];
    for (int32_t k = 0; k < bundle->count[op]; k++) {
      list[first[op] + k] = bundle->entries[bundle->from[op] + k];
    }
  }
  *lists = (memplan_order_lists){first, list};
  return true;
}

// In topological order: what reaches a lazy predecessor reaches the operator.
static bool fill_hard(memplan_order_tables *tables, list_bundle *hard, list_bundle *lazy, int32_t *seen,
                      int32_t *seen_lazy, memplan_arena *arena) {
  const memplan_order_problem *problem = tables->problem;
  for (int32_t at = 0; at < problem->n_ops; at++) {
    int32_t op = tables->topological[at];
    hard->from[op] = (int32_t)hard->n;
    lazy->from[op] = (int32_t)lazy->n;
    for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
      int32_t before = problem->pred.list[k];
      bool added = tables->lazy[before] ? add_all(hard, op, hard, before, seen, arena) &&
                                              add_all(lazy, op, lazy, before, seen_lazy, arena) &&
                                              bundle_add(lazy, op, before, seen_lazy, arena)
                                        : bundle_add(hard, op, before, seen, arena);
      if (!added) {
        return false;
      }
    }
    tables->lazy[op] &= hard->count[op] <= most_hard && lazy->count[op] <= most_lazy;
    tables->n_lazy += tables->lazy[op];
  }
  return true;
}

static bool find_hard(memplan_order_tables *tables, memplan_arena *arena) {
  int32_t n = tables->problem->n_ops;
  memplan_arena scratch = {0};
  list_bundle hard, lazy;
  int32_t *seen = MEMPLAN_NEW(&scratch, int32_t, n), *seen_lazy = MEMPLAN_NEW(&scratch, int32_t, n);
  bool done = seen != NULL && seen_lazy != NULL && bundle_init(&hard, n, &scratch) && bundle_init(&lazy, n, &scratch) &&
              fill_hard(tables, &hard, &lazy, seen, seen_lazy, &scratch) &&
              bundle_lists(&hard, n, &tables->hard_pred, arena) &&
              bundle_lists(&lazy, n, &tables->lazy_before, arena) &&
              memplan_order_lists_turn(&tables->hard_pred, n, n, &tables->hard_succ, arena);
  memplan_arena_free(&scratch);
  return done;
}

// ---- closures

// For each cell the union of the ancestors of its deaths, with the deaths themselves.
static bool find_closures(memplan_order_tables *tables, bool passes, memplan_arena *arena) {
  const memplan_order_problem *problem = tables->problem;
  int32_t n = problem->n_ops;
  tables->words = memplan_order_reach_words(n);
  if (n >= MEMPLAN_ORDER_REACH_OPS) {
    return true;
  }
  memplan_arena scratch = {0};
  uint64_t *above = memplan_order_reach_above(problem, tables->topological, &scratch);
  tables->closure = MEMPLAN_NEW(arena, uint64_t, tables->words * (size_t)problem->n_cells);
  tables->closure_size = MEMPLAN_NEW(arena, int32_t, problem->n_cells);
  bool good = above != NULL && tables->closure != NULL && tables->closure_size != NULL;
  if (good && passes) {
    tables->passes = memplan_order_reach_passes(n, tables->topological, above, arena);
    good = tables->passes != NULL;
  }
  if (!good) {
    memplan_arena_free(&scratch);
    return false;
  }
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    uint64_t *row = tables->closure + (size_t)cell * tables->words;
    for (int32_t k = problem->deaths.first[cell]; k < problem->deaths.first[cell + 1]; k++) {
      const uint64_t *before = above + (size_t)problem->deaths.list[k] * tables->words;
      for (size_t word = 0; word < tables->words; word++) {
        row[word] |= before[word];
      }
    }
    for (size_t word = 0; word < tables->words; word++) {
      tables->closure_size[cell] += memplan_bit_count(row[word]);
    }
  }
  memplan_arena_free(&scratch);
  return true;
}

// ---- the rest

static bool make_pairs(memplan_order_tables *tables, memplan_arena *arena) {
  const memplan_order_problem *problem = tables->problem;
  tables->pairs = MEMPLAN_NEW(arena, memplan_pair, problem->n_pairs);
  tables->single_sided = MEMPLAN_NEW(arena, bool, problem->n_ops);
  if (tables->pairs == NULL || tables->single_sided == NULL) {
    return false;
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    int32_t first = problem->pair_first[op], count = problem->pair_first[op + 1] - first;
    bool one_born = true, one_dying = true;
    for (int32_t k = first; k < first + count; k++) {
      const memplan_order_pair *pair = &problem->pairs[k];
      one_born &= pair->born == problem->pairs[first].born;
      one_dying &= pair->dying == problem->pairs[first].dying;
      tables->pairs[k] = (memplan_pair){.op = op,
                                        .output = pair->born,
                                        .input = pair->dying,
                                        .output_storage = pair->born,
                                        .input_storage = pair->dying,
                                        .saving = pair->saving};
    }
    tables->single_sided[op] = one_born || one_dying;
    tables->most_pairs = count > tables->most_pairs ? count : tables->most_pairs;
  }
  return true;
}

static bool make_groups(memplan_order_tables *tables, memplan_arena *arena) {
  const memplan_order_problem *problem = tables->problem;
  tables->group_size = MEMPLAN_NEW(arena, int32_t, problem->n_groups);
  tables->group_edges = MEMPLAN_NEW(arena, int32_t, problem->n_groups);
  if (tables->group_size == NULL || tables->group_edges == NULL) {
    return false;
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    int32_t group = problem->group[op];
    if (group < 0) {
      continue;
    }
    tables->group_size[group]++;
    for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
      tables->group_edges[group] += problem->group[problem->pred.list[k]] != group;
    }
  }
  return true;
}

static bool make_keys(memplan_order_tables *tables, memplan_arena *arena) {
  tables->zobrist = memplan_arena_alloc(arena, (size_t)tables->problem->n_ops, sizeof *tables->zobrist);
  if (tables->zobrist == NULL) {
    return false;
  }
  uint64_t stream = 0;
  for (int32_t op = 0; op < tables->problem->n_ops; op++) {
    tables->zobrist[op][0] = memplan_splitmix(&stream);
    tables->zobrist[op][1] = memplan_splitmix(&stream);
  }
  return true;
}

memplan_status memplan_order_tables_init(memplan_order_tables *tables, const memplan_order_problem *problem,
                                         const memplan_order_rules *rules, memplan_arena *arena, memplan_error *error) {
  *tables = (memplan_order_tables){.problem = problem};
  tables->topological = memplan_order_reach_sort(problem, arena);
  if (tables->topological == NULL || !find_lazy(tables, rules->lazy, arena) || !find_hard(tables, arena) ||
      !find_closures(tables, rules->passes, arena) || !make_pairs(tables, arena) || !make_groups(tables, arena) ||
      !make_keys(tables, arena)) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}
