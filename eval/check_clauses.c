// SPDX-License-Identifier: Apache-2.0
// The negation of a clause is put on the bounds, and taken back when the hints have led to a contradiction. What is
// known without assumptions stays on them: literals that are proven by themselves.
#include "eval/check_clauses.h"

#include <stdio.h>

void memplan_check_clauses_free(memplan_check_clauses *clauses) { memplan_check_log_free(&clauses->log); }

bool memplan_check_clauses_refuse(memplan_check_clauses *clauses, const char *reason) {
  memplan_check_result *result = clauses->result;
  if (result->reason[0] == '\0') {
    (void)snprintf(result->reason, sizeof result->reason, "%.255s", reason);
  }
  return false;
}

bool memplan_check_clauses_spend(memplan_check_clauses *clauses, int64_t looks) {
  return memplan_check_meter_spend(clauses->bounds->meter, looks) ||
         memplan_check_clauses_refuse(clauses, memplan_check_meter_spent);
}

// What the log has refused.
static bool log_failed(memplan_check_clauses *clauses) {
  clauses->nomem = clauses->nomem || clauses->log.reason == NULL;
  return clauses->log.reason != NULL && memplan_check_clauses_refuse(clauses, clauses->log.reason);
}

bool memplan_check_clauses_read_lemma(memplan_check_clauses *clauses, const json_t *array, int64_t *n) {
  return memplan_check_log_read_lemma(&clauses->log, array, n) || log_failed(clauses);
}

bool memplan_check_clauses_read_window(const memplan_check_clauses *clauses, int64_t n, int64_t *at,
                                       memplan_check_window *window) {
  const int64_t *lemma = clauses->log.lemma;
  if (*at >= n) {
    return false;
  }
  int64_t first = lemma[(*at)++];
  bool whole = first >= 0;
  int64_t item = whole ? first : -1 - first;
  if (item >= clauses->bounds->n_offsets || (!whole && *at + 2 > n)) {
    return false;
  }
  int64_t size = clauses->size_of(clauses->owner, (int32_t)item);
  *window = (memplan_check_window){(int32_t)item, 0, size};
  if (!whole) {
    window->low = lemma[(*at)++];
    window->high = lemma[(*at)++];
  }
  return 0 <= window->low && window->low < window->high && window->high <= size;
}

bool memplan_check_clauses_starts_from(const memplan_check_clauses *clauses, const memplan_check_window *window,
                                       int64_t d, int64_t start) {
  int64_t shift = d == 0 ? window->low : -window->high;
  return memplan_check_bounds_is_true(clauses->bounds, 2 * window->item + (int32_t)d, start - shift);
}

bool memplan_check_clauses_ends_by(const memplan_check_clauses *clauses, const memplan_check_window *window, int64_t d,
                                   int64_t end) {
  int64_t shift = d == 0 ? window->high : -window->low;
  return memplan_check_bounds_is_true(clauses->bounds, 2 * window->item + 1 - (int32_t)d, shift - end);
}

// An earlier step: its last literal, if all others are false.
static bool use_step(memplan_check_clauses *clauses, int64_t number) {
  memplan_check_bounds *bounds = clauses->bounds;
  int64_t first, end, open = -1;
  if (!memplan_check_log_find_step(&clauses->log, number, &first, &end)) {
    return log_failed(clauses);
  }
  if (!memplan_check_clauses_spend(clauses, 1 + end - first)) {
    return false;
  }
  const int64_t *numbers = clauses->log.numbers;
  for (int64_t at = first; at < end; at += 2) {
    if (memplan_check_bounds_is_true(bounds, (int32_t)numbers[at] ^ 1, 1 - numbers[at + 1])) {
      continue;
    }
    if (open >= 0) {
      return true;
    }
    open = at;
  }
  if (open < 0) {
    memplan_check_bounds_contradict(bounds);
  } else {
    memplan_check_bounds_raise(bounds, (int32_t)numbers[open], numbers[open + 1]);
  }
  return true;
}

static bool use_hint(memplan_check_clauses *clauses, const json_t *hint) {
  int64_t number;
  if (json_is_array(hint)) {
    return clauses->use_lemma(clauses->owner, hint);
  }
  return memplan_check_read_number(hint, &number) ? use_step(clauses, number)
                                                  : memplan_check_clauses_refuse(clauses, "a hint is no number");
}

static bool run_hints(memplan_check_clauses *clauses, const json_t *hints) {
  memplan_check_bounds *bounds = clauses->bounds;
  if (!json_is_array(hints)) {
    return memplan_check_clauses_refuse(clauses, "a clause has no array of hints");
  }
  for (size_t k = 0; k < json_array_size(hints) && !memplan_check_bounds_failed(bounds); k++) {
    if (!use_hint(clauses, json_array_get(hints, k))) {
      return false;
    }
  }
  clauses->nomem = clauses->nomem || bounds->nomem;
  if (clauses->nomem) {
    return false;
  }
  return memplan_check_bounds_failed(bounds) ||
         memplan_check_clauses_refuse(clauses,
                                      bounds->spent ? memplan_check_meter_spent : "the hints lead to no contradiction");
}

// What the literals of a step of its own say, if it is one or none.
static bool keep(memplan_check_clauses *clauses, int64_t first) {
  memplan_check_bounds *bounds = clauses->bounds;
  const int64_t *numbers = clauses->log.numbers;
  int64_t n = clauses->log.n_numbers - first;
  if (n == 2) {
    memplan_check_bounds_raise(bounds, (int32_t)numbers[first], numbers[first + 1]);
  }
  clauses->nomem = clauses->nomem || bounds->nomem;
  clauses->proven = n == 0 || memplan_check_bounds_failed(bounds);
  return !clauses->nomem;
}

bool memplan_check_clauses_step(memplan_check_clauses *clauses, const json_t *step) {
  memplan_check_bounds *bounds = clauses->bounds;
  int64_t first = clauses->log.n_numbers, mark = memplan_check_bounds_mark(bounds);
  if (!memplan_check_log_read_clause(&clauses->log, json_object_get(step, "c"), bounds->n_sides)) {
    return log_failed(clauses);
  }
  const int64_t *numbers = clauses->log.numbers;
  for (int64_t at = first; at < clauses->log.n_numbers && !memplan_check_bounds_failed(bounds); at += 2) {
    memplan_check_bounds_raise(bounds, (int32_t)numbers[at] ^ 1, 1 - numbers[at + 1]);
  }
  if (!run_hints(clauses, json_object_get(step, "h"))) {
    return false;
  }
  memplan_check_bounds_undo(bounds, mark);
  return memplan_check_log_add_step(&clauses->log, first) ? keep(clauses, first) : log_failed(clauses);
}

bool memplan_check_clauses_add(memplan_check_clauses *clauses, int32_t side, int64_t value) {
  int64_t first = clauses->log.n_numbers;
  if (!memplan_check_log_add(&clauses->log, side, value) || !memplan_check_log_add_step(&clauses->log, first)) {
    return log_failed(clauses);
  }
  return keep(clauses, first);
}
