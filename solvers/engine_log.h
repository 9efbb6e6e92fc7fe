// SPDX-License-Identifier: Apache-2.0
// The engine's record of what it learned and why, from which a proof is cut (solvers/proof.h). Kept only if the
// settings ask for it.
//
// A step is a clause with hints: earlier steps, and lemmas of propagators as lists of numbers, in an order in which
// each hint is unit when the clause is assumed to be false. What the checker propagates by itself (guarded differences,
// roofs, clauses that hold from the start) gives no hints.
#ifndef MEMPLAN_SOLVERS_ENGINE_LOG_H
#define MEMPLAN_SOLVERS_ENGINE_LOG_H

#include "solvers/engine_state.h"

typedef struct memplan_log_step {
  int64_t first_literal,
      first_hint; // n literals and hints end where those of the next step begin
  bool given;     // not derived: a choice between symmetric solutions
} memplan_log_step;

// hint > 0: step with that number (the first is 1); hint < 0: lemma -hint - 1.
typedef struct memplan_log {
  memplan_log_step *steps;
  memplan_literal *literals;
  int32_t *hints;
  int64_t *lemma_starts; // in numbers, one more than there are lemmas
  int64_t *numbers;
  int64_t n_steps, n_literals, n_hints, n_lemmas, n_numbers;
  int64_t step_capacity, literal_capacity, hint_capacity, lemma_capacity, number_capacity;
  // of the step that is being made
  struct memplan_log_use *uses;
  int64_t n_uses, use_capacity;
  int64_t *lemma; // numbers that the explanation under way has left
  int64_t n_lemma, lemma_room;
  int32_t root; // entries of the root that are in the log
  bool full;    // too large: nothing more is recorded
} memplan_log;

memplan_log *memplan_log_new(void); // NULL if memory is out
void memplan_log_free(memplan_log *log);

// For propagators that explain: a number of the lemma behind the premises. Does nothing without a log.
void memplan_engine_lemma(memplan_engine *engine, int64_t number);

// What analysis has resolved on: call after the explanation.
void memplan_log_add_use(memplan_engine *engine, memplan_reason reason, int32_t position);
// Ends a step, returns its number.
int32_t memplan_log_finish(memplan_engine *engine, const memplan_literal *literals, int32_t n, bool given);
// Steps for what clauses and lemmas made true at the root.
void memplan_log_root(memplan_engine *engine);

#endif
