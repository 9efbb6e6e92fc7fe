// SPDX-License-Identifier: Apache-2.0
// What `explain` found, as text, as one JSON object, or as the rows of a table.
#ifndef MEMPLAN_EVAL_EXPLAIN_REPORT_H
#define MEMPLAN_EVAL_EXPLAIN_REPORT_H

#include "eval/grid.h"
#include "solvers/explain.h"
#include "solvers/explain_capacity.h"
#include "solvers/explain_pair.h"

#include <stdio.h>

typedef struct memplan_explanation {
  const memplan_problem *problem;
  const memplan_subject *subject;
  const char *plan_path;  // or NULL
  int64_t plan_peak;      // with a plan
  const char *order_path; // of --order FILE, or NULL
  bool verbose;           // text: all buffers, not only the largest
  bool has_pair;          // then nothing else
  memplan_pair_answer pair;
  memplan_filling filling;
  bool has_capacity;
  memplan_capacity_answer capacity;
  memplan_scope scope;
  memplan_bound bound; // behind the scope
} memplan_explanation;

void memplan_explanation_write_text(const memplan_explanation *explanation, FILE *out);

void memplan_explanation_write_json(const memplan_explanation *explanation, FILE *out);

// The buffers of the core if there is one, else those of the fullest time; of a pair, what forbids it.
memplan_status memplan_explanation_write_grid(const memplan_explanation *explanation, memplan_style style, FILE *out,
                                              memplan_error *error);

// One sentence about a kind that forbids the pair to share bytes. Returns `text`.
const char *memplan_explanation_tie_text(const memplan_explanation *explanation, memplan_tie tie, char *text,
                                         size_t size);

// Whether another order could keep the two apart in time; direction 0: the first one gone before the second is born.
const char *memplan_explanation_order_text(const memplan_explanation *explanation, int32_t direction, char *text,
                                           size_t size);

// Id of the operator that makes a buffer of the instance, NULL for none.
const char *memplan_explanation_maker(const memplan_explanation *explanation, int32_t buffer);

#endif
