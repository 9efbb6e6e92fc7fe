// SPDX-License-Identifier: Apache-2.0
// What a search of orders with nogoods closes, state by state, for a certificate (solvers/nogood_proof.h). States are
// kept whole and compared bit by bit.
#ifndef MEMPLAN_SOLVERS_JOINT_LOG_H
#define MEMPLAN_SOLVERS_JOINT_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct memplan_joint_log memplan_joint_log;

// `done_words`, `broken_words`: of the two parts of a state. NULL if memory is out.
memplan_joint_log *memplan_joint_log_new(int32_t done_words, int32_t broken_words);
void memplan_joint_log_free(memplan_joint_log *log); // NULL: nothing happens

// *is_new: the state was not known. False if memory is out, or numbers are.
bool memplan_joint_log_note(memplan_joint_log *log, const uint64_t *done, const uint64_t *broken, bool *is_new);

// Adds the line of a state that the operator leads to from that of the line `parent` (0, and the operator -1: nothing
// has run), with these pairs chosen and these operators committed afterwards. Its number, from 1, or -1 if memory is
// out.
int32_t memplan_joint_log_add(memplan_joint_log *log, int32_t parent, int32_t op, const int32_t *chosen,
                              int32_t n_chosen, const int32_t *commits, int32_t n_commits);

int64_t memplan_joint_log_text(const memplan_joint_log *log);   // about how many bytes its lines take
int64_t memplan_joint_log_memory(const memplan_joint_log *log); // bytes in use

// Errors of writing stay in the stream.
void memplan_joint_log_write(const memplan_joint_log *log, FILE *out);

#endif
