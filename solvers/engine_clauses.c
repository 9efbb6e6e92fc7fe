// SPDX-License-Identifier: Apache-2.0
// Clauses and their watches: each clause is looked at only when one of its first two literals becomes false. Learned
// clauses that take part in few conflicts are dropped from time to time; those whose literals come from at most two
// levels stay (Audemard and Simon, IJCAI 2009).
//
// Invariant at rest: the first two literals of a clause are not false, or one of the two is true and was so on a level
// not higher than that of the false one.
#include "solvers/engine_state.h"

#include "model/base/grow.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

static int32_t clause_words(int32_t n) { return (int32_t)(sizeof(memplan_clause) / 8) + n; }

// The list of the clauses to visit when `literal` becomes false.
static bool watch(memplan_engine *engine, memplan_literal literal, memplan_literal blocker, int32_t clause) {
  int32_t atom = memplan_engine_need_atom(engine, literal);
  if (atom < 0) {
    return false;
  }
  int32_t which = (memplan_literal_side(literal) & 1) == 0;
  memplan_watches *watches = &engine->atoms[atom].watches[which];
  if (watches->n == 0) {
    memplan_engine_mark_watched(engine, atom, which);
  }
  int64_t before = watches->capacity;
  memplan_watch *list = memplan_grow_heap(watches->list, watches->n, &watches->capacity, sizeof *list);
  if (list == NULL) {
    engine->nomem = true;
    return false;
  }
  engine->list_bytes += (watches->capacity - before) * (int64_t)sizeof *list;
  watches->list = list;
  list[watches->n++] = (memplan_watch){blocker, clause};
  return true;
}

int32_t memplan_engine_store_clause(memplan_engine *engine, const memplan_literal *literals, int32_t n,
                                    int32_t distance) {
  int32_t words = clause_words(n);
  while (engine->memory_used + words > engine->memory_capacity) {
    int64_t capacity = engine->memory_capacity < 4096 ? 4096 : 2 * engine->memory_capacity;
    unsigned char *memory = capacity < INT32_MAX ? realloc(engine->memory, (size_t)capacity * 8) : NULL;
    if (memory == NULL) {
      engine->nomem = true;
      return -1;
    }
    engine->memory = memory;
    engine->memory_capacity = capacity;
  }
  int32_t *clauses =
      memplan_grow_heap(engine->clauses, engine->n_clauses, &engine->clause_capacity, sizeof *engine->clauses);
  if (clauses == NULL) {
    engine->nomem = true;
    return -1;
  }
  engine->clauses = clauses;
  int32_t reference = (int32_t)engine->memory_used;
  memplan_clause *clause = memplan_engine_clause(engine, reference);
  *clause = (memplan_clause){.activity = engine->clause_step, .n = n, .distance = distance};
  memcpy(memplan_clause_literals(clause), literals, (size_t)n * sizeof *literals);
  if (!watch(engine, literals[0], literals[1], reference) || !watch(engine, literals[1], literals[0], reference)) {
    return -1;
  }
  engine->memory_used += words;
  clauses[engine->n_clauses++] = reference;
  engine->n_learned += distance > 0;
  return reference;
}

void memplan_engine_bump_clause(memplan_engine *engine, memplan_clause *clause) {
  clause->activity += engine->clause_step;
}

// Finds a literal of the clause that is not false and moves the watch from place 1 there.
static bool move_watch(memplan_engine *engine, memplan_clause *clause, int32_t reference) {
  memplan_literal *literals = memplan_clause_literals(clause);
  for (int32_t k = 2; k < clause->n; k++) {
    if (!memplan_engine_is_false(engine, literals[k])) {
      memplan_literal found = literals[k];
      literals[k] = literals[1];
      literals[1] = found;
      return watch(engine, found, literals[0], reference);
    }
  }
  return false;
}

// Visits the clauses that watch `falsified`.
static bool visit_list(memplan_engine *engine, int32_t atom, int32_t which, memplan_literal falsified) {
  memplan_watches *watches = &engine->atoms[atom].watches[which];
  memplan_watch *list = watches->list;
  int32_t n = watches->n, kept = 0, k = 0;
  bool good = true;
  engine->counts.ticks += n;
  while (k < n && good) {
    memplan_watch entry = list[k++];
    list[kept++] = entry;
    if (memplan_engine_is_true(engine, entry.blocker)) {
      continue;
    }
    memplan_clause *clause = memplan_engine_clause(engine, entry.clause);
    memplan_literal *literals = memplan_clause_literals(clause);
    if (literals[0] == falsified) {
      literals[0] = literals[1];
      literals[1] = falsified;
    }
    memplan_literal other = literals[0];
    list[kept - 1].blocker = other;
    if (memplan_engine_is_true(engine, other)) {
      continue;
    }
    if (move_watch(engine, clause, entry.clause)) {
      kept--;
      continue;
    }
    good = !engine->nomem && memplan_engine_raise(engine, memplan_literal_side(other), memplan_literal_value(other),
                                                  (memplan_reason){MEMPLAN_REASON_CLAUSE, entry.clause});
  }
  if (kept < k) {
    memmove(&list[kept], &list[k], (size_t)(n - k) * sizeof *list);
  }
  engine->atoms[atom].watches[which].n = kept + n - k; // the array of atoms may have moved
  return good;
}

bool memplan_engine_visit_clauses(memplan_engine *engine, int32_t side, int64_t old, int64_t new) {
  int32_t index = side >> 1, which = side & 1;
  memplan_variable *variable = &engine->variables[index];
  if (variable->boolean >= 0) {
    return engine->atoms[variable->boolean].watches[which].n == 0 ||
           visit_list(engine, variable->boolean, which, memplan_literal_make(side ^ 1, which));
  }
  int64_t low = which == 0 ? old : -new, high = which == 0 ? new : -old;
  for (int32_t k = memplan_engine_key_near(variable, side, low); k < variable->n_keys; k++) {
    memplan_atom_key *key = &variable->keys[k];
    if (key->value > high) {
      break;
    }
    if ((key->watched >> which & 1) == 0) {
      continue;
    }
    int64_t value = key->value;
    int32_t atom = key->atom;
    if (engine->atoms[atom].watches[which].n == 0) {
      key->watched &= ~(1U << which);
      continue;
    }
    // new atoms of this variable may shift the keys: what is visited twice does no harm, and nothing is left out
    memplan_literal falsified = memplan_literal_make(side ^ 1, which == 0 ? 1 - value : value);
    if (!visit_list(engine, atom, which, falsified)) {
      return false;
    }
  }
  return true;
}

// ---- reduction

static int compare_activity(const void *a, const void *b) {
  const uint64_t *x = a, *y = b; // activity and reference
  if (x[0] != y[0]) {
    return x[0] < y[0] ? -1 : 1;
  }
  return (x[1] > y[1]) - (x[1] < y[1]);
}

static bool is_true_at_root(const memplan_engine *engine, memplan_clause *clause) {
  const memplan_literal *literals = memplan_clause_literals(clause);
  int32_t root = memplan_engine_root_length(engine);
  for (int32_t k = 0; k < clause->n; k++) {
    if (memplan_engine_is_true(engine, literals[k]) && memplan_engine_find_entry(engine, literals[k]) < root) {
      return true;
    }
  }
  return false;
}

// Marks what goes: the less active half, and what holds at the root.
static bool mark_clauses(memplan_engine *engine) {
  uint64_t *order = malloc((size_t)engine->n_clauses * 2 * sizeof *order);
  if (order == NULL) {
    return false;
  }
  int32_t n = 0;
  for (int32_t k = 0; k < engine->n_clauses; k++) {
    memplan_clause *clause = memplan_engine_clause(engine, engine->clauses[k]);
    clause->mark = is_true_at_root(engine, clause) ? 1 : 0;
    if (clause->distance > 2 && clause->mark == 0) {
      order[2 * n] = clause->activity;
      order[2 * n + 1] = (uint64_t)engine->clauses[k];
      n++;
    }
  }
  if (n > 1) {
    qsort(order, (size_t)n, 2 * sizeof *order, compare_activity);
  }
  for (int32_t k = 0; k < n / 2; k++) {
    memplan_engine_clause(engine, (int32_t)order[2 * k + 1])->mark = 1;
  }
  free(order);
  for (int32_t k = 0; k < engine->n_trail; k++) {
    if (engine->trail[k].reason.kind == MEMPLAN_REASON_CLAUSE) {
      memplan_engine_clause(engine, engine->trail[k].reason.argument)->mark = -1;
    }
  }
  return true;
}

void memplan_engine_reduce_clauses(memplan_engine *engine) {
  if (!mark_clauses(engine)) {
    engine->nomem = true;
    return;
  }
  for (int32_t k = 0; k < engine->n_atoms; k++) {
    engine->atoms[k].watches[0].n = 0;
    engine->atoms[k].watches[1].n = 0;
  }
  int64_t used = 0;
  int32_t kept = 0;
  int scale = engine->clause_step >> 40 != 0 ? 30 : 0;
  engine->clause_step >>= scale;
  engine->n_learned = 0;
  for (int32_t k = 0; k < engine->n_clauses; k++) {
    int32_t reference = engine->clauses[k];
    memplan_clause *clause = memplan_engine_clause(engine, reference);
    if (clause->mark > 0) {
      continue;
    }
    int32_t words = clause_words(clause->n);
    int32_t target = (int32_t)used;
    memmove(engine->memory + 8 * (size_t)target, clause, 8 * (size_t)words);
    clause = memplan_engine_clause(engine, target);
    clause->mark = reference;
    clause->activity >>= scale;
    engine->clauses[kept++] = target;
    engine->n_learned += clause->distance > 0;
    used += words;
    const memplan_literal *literals = memplan_clause_literals(clause);
    if (!watch(engine, literals[0], literals[1], target) || !watch(engine, literals[1], literals[0], target)) {
      return;
    }
  }
  engine->n_clauses = kept;
  engine->memory_used = used;
  // reasons follow: the clauses kept their order, so old references are sorted
  for (int32_t k = 0; k < engine->n_trail; k++) {
    memplan_reason *reason = &engine->trail[k].reason;
    if (reason->kind != MEMPLAN_REASON_CLAUSE) {
      continue;
    }
    int32_t low = 0, high = kept;
    while (low < high) {
      int32_t middle = low + (high - low) / 2;
      if (memplan_engine_clause(engine, engine->clauses[middle])->mark < reason->argument) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    reason->argument = engine->clauses[low];
  }
}
