// SPDX-License-Identifier: Apache-2.0
// Nothing here says whether a clause holds: each checker replays the literals on bounds of its own.
#include "eval/check_log.h"

#include "model/base/grow.h"

#include <stdlib.h>
#include <string.h>

bool memplan_check_read_number(const json_t *value, int64_t *number) {
  *number = json_integer_value(value);
  return json_is_integer(value) && *number <= memplan_check_number_limit && *number >= -memplan_check_number_limit;
}

json_t *memplan_check_read_line(const char *text, size_t length, size_t *at) {
  const char *start = text + *at, *end = memchr(start, '\n', length - *at);
  size_t own = end != NULL ? (size_t)(end - start) : length - *at;
  *at += own + 1;
  return json_loadb(start, own, JSON_REJECT_DUPLICATES, NULL);
}

void memplan_check_log_free(memplan_check_log *log) {
  free(log->numbers);
  free(log->starts);
  free(log->lemma);
}

static bool fail(memplan_check_log *log, const char *reason) {
  log->reason = reason;
  return false;
}

static bool append(memplan_check_log *log, int64_t **array, int64_t *count, int64_t *room, int64_t number) {
  int64_t *grown = memplan_grow_heap(*array, *count, room, sizeof *grown);
  if (grown == NULL) {
    return fail(log, NULL);
  }
  *array = grown;
  grown[(*count)++] = number;
  return true;
}

bool memplan_check_log_read_lemma(memplan_check_log *log, const json_t *array, int64_t *n) {
  *n = (int64_t)json_array_size(array);
  if (*n > log->lemma_room) {
    int64_t *lemma = realloc(log->lemma, (size_t)*n * sizeof *lemma);
    if (lemma == NULL) {
      return fail(log, NULL);
    }
    log->lemma = lemma;
    log->lemma_room = *n;
  }
  for (int64_t k = 0; k < *n; k++) {
    if (!memplan_check_read_number(json_array_get(array, (size_t)k), &log->lemma[k])) {
      return fail(log, "a lemma holds something else than numbers in range");
    }
  }
  return true;
}

bool memplan_check_log_add(memplan_check_log *log, int64_t side, int64_t value) {
  return append(log, &log->numbers, &log->n_numbers, &log->number_room, side) &&
         append(log, &log->numbers, &log->n_numbers, &log->number_room, value);
}

bool memplan_check_log_read_clause(memplan_check_log *log, const json_t *clause, int32_t n_sides) {
  size_t n = json_array_size(clause);
  if (!json_is_array(clause) || n % 2 != 0) {
    return fail(log, "a clause is no array of sides and values");
  }
  for (size_t k = 0; k < n; k += 2) {
    int64_t side, value;
    if (!memplan_check_read_number(json_array_get(clause, k), &side) || side < 0 || side >= n_sides ||
        !memplan_check_read_number(json_array_get(clause, k + 1), &value)) {
      return fail(log, "a clause names no side of the problem, or a value out of range");
    }
    if (!memplan_check_log_add(log, side, value)) {
      return false;
    }
  }
  return true;
}

bool memplan_check_log_add_step(memplan_check_log *log, int64_t first) {
  return append(log, &log->starts, &log->n_steps, &log->start_room, first);
}

bool memplan_check_log_find_step(memplan_check_log *log, int64_t step, int64_t *first, int64_t *end) {
  if (step < 1 || step > log->n_steps) {
    return fail(log, "a hint names no earlier step");
  }
  *first = log->starts[step - 1];
  *end = step < log->n_steps ? log->starts[step] : log->n_numbers;
  return true;
}
