// SPDX-License-Identifier: Apache-2.0
// Hints are collected while a conflict is analysed and put in the order of the trail: every reason stands on older
// entries, on literals of the clause, or on facts of the root, which have steps of their own.
#include "solvers/engine_log.h"

#include "model/base/grow.h"

#include <stdlib.h>

static const int64_t most_numbers = INT64_C(1) << 27; // of lemmas, literals and hints together

typedef struct memplan_log_use {
  int32_t position, order;
  int32_t hint;
} memplan_log_use;

memplan_log *memplan_log_new(void) { return calloc(1, sizeof(memplan_log)); }

void memplan_log_free(memplan_log *log) {
  if (log != NULL) {
    free(log->steps);
    free(log->literals);
    free(log->hints);
    free(log->lemma_starts);
    free(log->numbers);
    free(log->uses);
    free(log->lemma);
    free(log);
  }
}

// Appends one entry to an array of the log; false if memory is out.
#define APPEND(engine, array, count, capacity, entry)                                                                  \
  append((engine), (void **)&(array), &(count), &(capacity), sizeof *(array)) ? ((array)[(count)-1] = (entry), true)   \
                                                                              : false

static bool append(memplan_engine *engine, void **array, int64_t *count, int64_t *capacity, size_t size) {
  void *grown = memplan_grow_heap(*array, *count, capacity, size);
  if (grown == NULL) {
    engine->nomem = true;
    return false;
  }
  *array = grown;
  (*count)++;
  return true;
}

void memplan_engine_lemma(memplan_engine *engine, int64_t number) {
  memplan_log *log = engine->log;
  if (log != NULL && !log->full) {
    (void)(APPEND(engine, log->lemma, log->n_lemma, log->lemma_room, number));
  }
}

// The lemma under way, as a hint; 0 if memory is out.
static int32_t store_lemma(memplan_engine *engine) {
  memplan_log *log = engine->log;
  if (!(APPEND(engine, log->lemma_starts, log->n_lemmas, log->lemma_capacity, log->n_numbers))) {
    return 0;
  }
  for (int64_t k = 0; k < log->n_lemma; k++) {
    if (!(APPEND(engine, log->numbers, log->n_numbers, log->number_capacity, log->lemma[k]))) {
      return 0;
    }
  }
  return (int32_t)-log->n_lemmas;
}

void memplan_log_add_use(memplan_engine *engine, memplan_reason reason, int32_t position) {
  memplan_log *log = engine->log;
  int32_t hint = 0;
  if (log->full) {
    return;
  }
  if (reason.kind == MEMPLAN_REASON_CLAUSE) {
    hint = memplan_engine_clause(engine, reason.argument)->id;
  } else if (log->n_lemma > 0) {
    hint = store_lemma(engine);
  }
  log->n_lemma = 0;
  if (hint != 0) {
    memplan_log_use use = {position, (int32_t)log->n_uses, hint};
    (void)(APPEND(engine, log->uses, log->n_uses, log->use_capacity, use));
  }
}

static int compare_uses(const void *a, const void *b) {
  const memplan_log_use *x = a, *y = b;
  if (x->position != y->position) {
    return x->position < y->position ? -1 : 1;
  }
  return (x->order > y->order) - (x->order < y->order);
}

int32_t memplan_log_finish(memplan_engine *engine, const memplan_literal *literals, int32_t n, bool given) {
  memplan_log *log = engine->log;
  log->full = log->full || log->n_numbers + log->n_literals + log->n_hints > most_numbers || log->n_steps == INT32_MAX;
  if (log->full) {
    return 0;
  }
  memplan_log_step step = {log->n_literals, log->n_hints, given};
  if (!(APPEND(engine, log->steps, log->n_steps, log->step_capacity, step))) {
    return 0;
  }
  for (int32_t k = 0; k < n; k++) {
    if (!(APPEND(engine, log->literals, log->n_literals, log->literal_capacity, literals[k]))) {
      return 0;
    }
  }
  if (log->n_uses > 1) {
    qsort(log->uses, (size_t)log->n_uses, sizeof *log->uses, compare_uses);
  }
  for (int64_t k = 0; k < log->n_uses; k++) {
    bool again = k > 0 && log->uses[k].hint == log->uses[k - 1].hint;
    if (!again && !(APPEND(engine, log->hints, log->n_hints, log->hint_capacity, log->uses[k].hint))) {
      return 0;
    }
  }
  log->n_uses = 0;
  return (int32_t)log->n_steps;
}

void memplan_log_root(memplan_engine *engine) {
  memplan_log *log = engine->log;
  int32_t root = memplan_engine_root_length(engine);
  for (; log->root < root && !log->full; log->root++) {
    memplan_entry entry = engine->trail[log->root];
    memplan_literal literal = memplan_engine_weaken(engine, memplan_literal_make(entry.side, entry.new));
    if (entry.reason.kind == MEMPLAN_REASON_NONE || entry.reason.kind == MEMPLAN_REASON_ROOF) {
      continue;
    }
    memplan_engine_explain(engine, entry.reason, log->root, literal);
    memplan_log_add_use(engine, entry.reason, log->root);
    if (log->n_uses > 0) {
      (void)memplan_log_finish(engine, &literal, 1, false);
    }
  }
}
