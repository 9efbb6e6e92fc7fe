// SPDX-License-Identifier: Apache-2.0
// The clauses of a certificate as they are read, for the checkers that replay them.
#ifndef MEMPLAN_EVAL_CHECK_LOG_H
#define MEMPLAN_EVAL_CHECK_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

static const int64_t memplan_check_number_limit = INT64_C(1) << 60; // of values from outside

// An integer within the limit, either side of 0?
bool memplan_check_read_number(const json_t *value, int64_t *number);

// The line of a certificate that begins at *at, as JSON for the caller, or NULL if it is none; *at moves behind it.
json_t *memplan_check_read_line(const char *text, size_t length, size_t *at);

// Begins as zeroes. A clause is a run of literals, each a side and a value; steps are clauses that count from 1.
typedef struct memplan_check_log {
  int64_t *numbers; // of all clauses: side, value, side, value, …
  int64_t n_numbers, number_room;
  int64_t *starts; // by step: its place in numbers
  int64_t n_steps, start_room;
  int64_t *lemma; // numbers of the last one read
  int64_t lemma_room;
  const char *reason; // after a false answer: why; NULL: memory is out
} memplan_check_log;

void memplan_check_log_free(memplan_check_log *log);

// Numbers within the limit.
bool memplan_check_log_read_lemma(memplan_check_log *log, const json_t *array, int64_t *n);

// Adds literals behind the others; sides are below n_sides.
bool memplan_check_log_read_clause(memplan_check_log *log, const json_t *clause, int32_t n_sides);
bool memplan_check_log_add(memplan_check_log *log, int64_t side, int64_t value);

// What was added from `first` on is a step.
bool memplan_check_log_add_step(memplan_check_log *log, int64_t first);

// Where its literals lie in numbers.
bool memplan_check_log_find_step(memplan_check_log *log, int64_t step, int64_t *first, int64_t *end);

#endif
