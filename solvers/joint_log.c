// SPDX-License-Identifier: Apache-2.0
// By line: the line it comes from, the operator, the number of pairs and these, the number of commits and these.
#include "solvers/joint_log.h"

#include "model/base/grow.h"
#include "model/base/set_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct memplan_joint_log {
  int32_t done_words, broken_words;
  memplan_set_table states;
  uint64_t *state; // scratch
  int32_t *numbers;
  int64_t n_numbers, number_capacity, text;
  int32_t n_lines;
};

memplan_joint_log *memplan_joint_log_new(int32_t done_words, int32_t broken_words) {
  memplan_joint_log *log = calloc(1, sizeof *log);
  if (log == NULL) {
    return NULL;
  }
  int32_t words = done_words + broken_words;
  log->done_words = done_words;
  log->broken_words = broken_words;
  memplan_set_table_init(&log->states, 64 * words);
  log->state = calloc((size_t)words + 1, sizeof *log->state); // a set has room for one element more
  if (log->state == NULL) {
    memplan_joint_log_free(log);
    return NULL;
  }
  return log;
}

void memplan_joint_log_free(memplan_joint_log *log) {
  if (log != NULL) {
    memplan_set_table_free(&log->states);
    free(log->state);
    free(log->numbers);
    free(log);
  }
}

bool memplan_joint_log_note(memplan_joint_log *log, const uint64_t *done, const uint64_t *broken, bool *is_new) {
  memcpy(log->state, done, (size_t)log->done_words * sizeof *done);
  memcpy(log->state + log->done_words, broken, (size_t)log->broken_words * sizeof *broken);
  return memplan_set_table_add(&log->states, log->state, is_new) >= 0;
}

static bool put(memplan_joint_log *log, int32_t number) {
  int32_t *numbers = memplan_grow_heap(log->numbers, log->n_numbers, &log->number_capacity, sizeof *numbers);
  if (numbers == NULL) {
    return false;
  }
  log->numbers = numbers;
  numbers[log->n_numbers++] = number;
  log->text += 2;
  for (; number >= 10; number /= 10) {
    log->text++;
  }
  return true;
}

static bool put_all(memplan_joint_log *log, const int32_t *numbers, int32_t n) {
  bool good = put(log, n);
  for (int32_t k = 0; k < n && good; k++) {
    good = put(log, numbers[k]);
  }
  return good;
}

int32_t memplan_joint_log_add(memplan_joint_log *log, int32_t parent, int32_t op, const int32_t *chosen,
                              int32_t n_chosen, const int32_t *commits, int32_t n_commits) {
  bool good = log->n_lines < INT32_MAX && put(log, parent) && put(log, op) && put_all(log, chosen, n_chosen) &&
              put_all(log, commits, n_commits);
  return good ? ++log->n_lines : -1;
}

int64_t memplan_joint_log_text(const memplan_joint_log *log) {
  enum { of_line = 24 }; // besides its numbers
  return log->text + of_line * (int64_t)log->n_lines;
}

int64_t memplan_joint_log_memory(const memplan_joint_log *log) {
  return log->states.memory + log->number_capacity * (int64_t)sizeof *log->numbers;
}

// ,"key":[1,2]; nothing without numbers. Returns where the next ones are.
static int64_t write_numbers(const memplan_joint_log *log, int64_t at, const char *key, FILE *out) {
  int32_t n = log->numbers[at++];
  for (int32_t k = 0; k < n; k++) {
    if (k == 0) {
      fprintf(out, ",\"%s\":[", key);
    }
    fprintf(out, k == 0 ? "%" PRId32 : ",%" PRId32, log->numbers[at++]);
  }
  if (n > 0) {
    fputc(']', out);
  }
  return at;
}

void memplan_joint_log_write(const memplan_joint_log *log, FILE *out) {
  int64_t at = 0;
  for (int32_t line = 1; line <= log->n_lines && !ferror(out); line++) {
    int32_t parent = log->numbers[at++], op = log->numbers[at++];
    fprintf(out, "{\"run\":%" PRId32, op);
    at = write_numbers(log, at, "choose", out);
    if (parent != line - 1) {
      fprintf(out, ",\"from\":%" PRId32, parent);
    }
    at = write_numbers(log, at, "commit", out);
    fputs("}\n", out);
  }
}
