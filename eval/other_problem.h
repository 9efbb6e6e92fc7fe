// SPDX-License-Identifier: Apache-2.0
// In what a problem differs from the one that a plan or a certificate was made for, as far as those tell.
#ifndef MEMPLAN_EVAL_OTHER_PROBLEM_H
#define MEMPLAN_EVAL_OTHER_PROBLEM_H

#include "model/memplan.h"

#include <jansson.h>

#include <stddef.h>

// What is known of the problem that was meant.
typedef struct memplan_known_problem {
  const char *fingerprint;
  const json_t *options;  // its `problem` object, or NULL
  const char *const *ids; // of a model its operators, else its buffers; without repetition
  int64_t n_ids;          // -1: not known
} memplan_known_problem;

// One phrase: that only the name differs, or how names and ids do, or that something else has to.
// Computes the fingerprint of `problem` under the other name and puts its own back. Returns `text`, NULL if memory is
// out.
const char *memplan_other_problem_text(memplan_problem *problem, const memplan_known_problem *known, char *text,
                                       size_t size);

#endif
