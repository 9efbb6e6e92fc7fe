// SPDX-License-Identifier: Apache-2.0
// The steps of a certificate by clauses, for the checkers of placements (eval/check_proof.h) and of every plan of a
// graph (eval/check_joint.h), which differ in what their variables mean and in their lemmas.
#ifndef MEMPLAN_EVAL_CHECK_CLAUSES_H
#define MEMPLAN_EVAL_CHECK_CLAUSES_H

#include "eval/check_bounds.h"
#include "eval/check_log.h"
#include "eval/check_proof.h"

typedef struct memplan_check_clauses {
  memplan_check_result *result;
  memplan_check_bounds *bounds; // with all that has been proven so far; NULL: the first line has not been read
  memplan_check_log log;        // clauses so far
  bool proven, nomem;
  // The owner's: draws from a lemma, an array of numbers; false, with the reason (or nomem), if it is none.
  bool (*use_lemma)(void *owner, const json_t *array);
  void *owner;
} memplan_check_clauses;

void memplan_check_clauses_free(memplan_check_clauses *clauses); // what they hold

// False, and the reason in the result unless there is one already.
bool memplan_check_clauses_refuse(memplan_check_clauses *clauses, const char *reason);

// Counts work; false, with the reason, if it is too much.
bool memplan_check_clauses_spend(memplan_check_clauses *clauses, int64_t looks);

// The numbers of a lemma, in the log; false, with the reason, if they are none.
bool memplan_check_clauses_read_lemma(memplan_check_clauses *clauses, const json_t *array, int64_t *n);

// A step: "c" holds if the negation of its literals leads to a contradiction through the hints "h", earlier steps by
// number and lemmas. Hints that are not unit are passed over: they prove nothing.
bool memplan_check_clauses_step(memplan_check_clauses *clauses, const json_t *step);

// A step of one literal that another rule gives.
bool memplan_check_clauses_add(memplan_check_clauses *clauses, int32_t side, int64_t value);

#endif
