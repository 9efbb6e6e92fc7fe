// SPDX-License-Identifier: Apache-2.0
// The steps of a certificate by clauses, for the checkers of placements (eval/check_proof.h) and of every plan of a
// graph (eval/check_joint.h), which differ in what their variables mean and in their lemmas.
#ifndef MEMPLAN_EVAL_CHECK_CLAUSES_H
#define MEMPLAN_EVAL_CHECK_CLAUSES_H

#include "eval/check_bounds.h"
#include "eval/check_log.h"
#include "eval/check_proof.h"

// Units [low, high) of an item, as a member of a lemma.
typedef struct memplan_check_window {
  int32_t item;
  int64_t low, high;
} memplan_check_window;

typedef struct memplan_check_clauses {
  memplan_check_result *result;
  memplan_check_bounds *bounds; // with all that has been proven so far; NULL: the first line has not been read
  memplan_check_log log;        // clauses so far
  bool proven, nomem;
  // The owner's: draws from a lemma, an array of numbers; false, with the reason (or nomem), if it is none.
  bool (*use_lemma)(void *owner, const json_t *array);
  int64_t (*size_of)(const void *owner, int32_t item); // 0: it is no member of lemmas
  void *owner;
} memplan_check_clauses;

void memplan_check_clauses_free(memplan_check_clauses *clauses); // what they hold

// False, and the reason in the result unless there is one already.
bool memplan_check_clauses_refuse(memplan_check_clauses *clauses, const char *reason);

// Counts work; false, with the reason, if it is too much.
bool memplan_check_clauses_spend(memplan_check_clauses *clauses, int64_t looks);

// The numbers of a lemma, in the log; false, with the reason, if they are none.
bool memplan_check_clauses_read_lemma(memplan_check_clauses *clauses, const json_t *array, int64_t *n);

// A member from *at on of the lemma that was read last, of n numbers; false at the end or if it is none.
bool memplan_check_clauses_read_window(const memplan_check_clauses *clauses, int64_t n, int64_t *at,
                                       memplan_check_window *window);

// Is it known to start at or above, to end at or below a place? In direction d the axis is reversed if d is 1: a window
// [low, high) then is [-high, -low).
bool memplan_check_clauses_starts_from(const memplan_check_clauses *clauses, const memplan_check_window *window,
                                       int64_t d, int64_t start);
bool memplan_check_clauses_ends_by(const memplan_check_clauses *clauses, const memplan_check_window *window, int64_t d,
                                   int64_t end);

// A step: "c" holds if the negation of its literals leads to a contradiction through the hints "h", earlier steps by
// number and lemmas. Hints that are not unit are passed over: they prove nothing.
bool memplan_check_clauses_step(memplan_check_clauses *clauses, const json_t *step);

// A step of one literal that another rule gives.
bool memplan_check_clauses_add(memplan_check_clauses *clauses, int32_t side, int64_t value);

#endif
