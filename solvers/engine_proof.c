// SPDX-License-Identifier: Apache-2.0
#include "solvers/engine_proof.h"

#include "solvers/engine_log.h"

static int64_t end_of_literals(const memplan_log *log, int64_t step) {
  return step + 1 < log->n_steps ? log->steps[step + 1].first_literal : log->n_literals;
}

static int64_t end_of_hints(const memplan_log *log, int64_t step) {
  return step + 1 < log->n_steps ? log->steps[step + 1].first_hint : log->n_hints;
}

// The first step that gives the fact, -1.
static int64_t find_step(const memplan_log *log, memplan_literal fact) {
  for (int64_t step = 0; step < log->n_steps; step++) {
    int64_t first = log->steps[step].first_literal, n = end_of_literals(log, step) - first;
    if (n == 0 || (fact != 0 && n == 1 && !log->steps[step].given &&
                   memplan_literal_side(log->literals[first]) == memplan_literal_side(fact) &&
                   memplan_literal_value(log->literals[first]) >= memplan_literal_value(fact))) {
      return step;
    }
  }
  return -1;
}

// Marks what the steps up to `last` need, and counts.
static void mark(const memplan_log *log, int64_t last, int32_t *number, memplan_proof *proof, int64_t *n_hints,
                 int64_t *n_literals, int64_t *n_numbers) {
  for (int64_t step = last; step >= 0; step--) {
    int64_t n = end_of_literals(log, step) - log->steps[step].first_literal;
    if (n > 1 && number[step] == 0) {
      continue;
    }
    number[step] = 1;
    proof->n_steps++;
    *n_literals += n;
    for (int64_t k = log->steps[step].first_hint; k < end_of_hints(log, step); k++) {
      (*n_hints)++;
      if (log->hints[k] > 0) {
        number[log->hints[k] - 1] = 1;
      } else {
        int64_t lemma = -1 - log->hints[k];
        int64_t end = lemma + 1 < log->n_lemmas ? log->lemma_starts[lemma + 1] : log->n_numbers;
        proof->n_lemmas++;
        *n_numbers += end - log->lemma_starts[lemma];
      }
    }
  }
}

bool memplan_engine_prove(const memplan_engine *engine, memplan_literal fact, memplan_arena *arena,
                          memplan_proof *proof, bool *found) {
  const memplan_log *log = engine->log;
  *proof = (memplan_proof){.claim = 0};
  *found = false;
  int64_t last = log == NULL || log->full ? -1 : find_step(log, fact);
  if (last < 0) {
    return true;
  }
  int64_t n_hints = 0, n_literals = 0, n_numbers = 0;
  int32_t *number = MEMPLAN_NEW(arena, int32_t, last + 1);
  if (number == NULL) {
    return false;
  }
  mark(log, last, number, proof, &n_hints, &n_literals, &n_numbers);
  memplan_proof_step *steps = MEMPLAN_NEW(arena, memplan_proof_step, proof->n_steps);
  int32_t *hints = MEMPLAN_NEW(arena, int32_t, n_hints);
  int64_t *starts = MEMPLAN_NEW(arena, int64_t, proof->n_lemmas + 1);
  int64_t *lemma_numbers = MEMPLAN_NEW(arena, int64_t, n_numbers);
  int64_t *literal_numbers = MEMPLAN_NEW(arena, int64_t, 2 * n_literals);
  if (steps == NULL || hints == NULL || starts == NULL || lemma_numbers == NULL || literal_numbers == NULL) {
    return false;
  }
  n_hints = n_literals = n_numbers = 0;
  int64_t n_steps = 0, n_lemmas = 0;
  for (int64_t step = 0; step <= last; step++) {
    if (number[step] == 0) {
      continue;
    }
    memplan_proof_step *own = &steps[n_steps++];
    number[step] = (int32_t)n_steps;
    *own = (memplan_proof_step){.first_literal = n_literals, .first_hint = n_hints, .given = log->steps[step].given};
    for (int64_t k = log->steps[step].first_literal; k < end_of_literals(log, step); k++) {
      literal_numbers[n_literals++] = memplan_literal_side(log->literals[k]);
      literal_numbers[n_literals++] = memplan_literal_value(log->literals[k]);
      own->n_literals++;
    }
    for (int64_t k = log->steps[step].first_hint; k < end_of_hints(log, step); k++) {
      own->n_hints++;
      if (log->hints[k] > 0) {
        hints[n_hints++] = number[log->hints[k] - 1];
        continue;
      }
      int64_t lemma = -1 - log->hints[k];
      int64_t end = lemma + 1 < log->n_lemmas ? log->lemma_starts[lemma + 1] : log->n_numbers;
      starts[n_lemmas++] = n_numbers;
      for (int64_t at = log->lemma_starts[lemma]; at < end; at++) {
        lemma_numbers[n_numbers++] = log->numbers[at];
      }
      hints[n_hints++] = (int32_t)-n_lemmas;
    }
  }
  starts[n_lemmas] = n_numbers;
  proof->steps = steps;
  proof->hints = hints;
  proof->lemma_starts = starts;
  proof->lemma_numbers = lemma_numbers;
  proof->literal_numbers = literal_numbers;
  *found = true;
  return true;
}
