// SPDX-License-Identifier: Apache-2.0
// Checks the in-place pairs that a plan chooses.
#ifndef MEMPLAN_VERIFY_INPLACE_H
#define MEMPLAN_VERIFY_INPLACE_H

#include "model/verify_layout.h"
#include "model/verify_report.h"

// When a buffer is in memory.
typedef struct memplan_span {
  bool in_arena;
  bool persistent; // kept from the first step to the last by the options
  int32_t start, end;
} memplan_span;

// What the check needs to know; by buffer and by operator.
typedef struct memplan_inplace_task {
  const memplan_layout *layout;
  const memplan_problem_options *options;
  const memplan_plan *plan;
  const int32_t *step;       // by operator
  const memplan_span *spans; // by buffer
} memplan_inplace_task;

// For each buffer, the chosen pair by which it may take over another one's bytes at its first step.
typedef struct memplan_takeover {
  int32_t buffer;        // that it takes over, or -1: none
  int32_t output, input; // the pair's tensors
  int64_t delta;         // where the input lies in that buffer
  int32_t op;
} memplan_takeover;

// Fills takeovers (array of n_buffers) with the pairs that are legal in this order; the others become violations.
// O((pairs + accesses) log pairs).
memplan_status memplan_inplace_check(const memplan_inplace_task *task, memplan_findings *findings,
                                     memplan_takeover *takeovers, memplan_arena *arena, memplan_error *error);

#endif
