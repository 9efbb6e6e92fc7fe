// SPDX-License-Identifier: Apache-2.0
// Checks a plan against its problem from scratch: from the graph's operators and tensors, or the instance's buffers, by
// the model's definitions alone. Shares no code with any search, and uses neither ordering.h nor lowered instances nor
// anything that a resolve has derived.
#ifndef MEMPLAN_VERIFY_H
#define MEMPLAN_VERIFY_H

#include "model/plan.h"

typedef enum memplan_violation_kind {
  MEMPLAN_VIOLATION_FINGERPRINT = 0, // the plan was made for another problem
  MEMPLAN_VIOLATION_ORDER,           // not a permutation, or against a dependency, group or async rule
  MEMPLAN_VIOLATION_INPLACE,         // a chosen pair that is not legal in this order, or whose offsets differ
  MEMPLAN_VIOLATION_MISSING,         // a buffer without offset
  MEMPLAN_VIOLATION_UNKNOWN,         // an offset for something that is not in the arena
  MEMPLAN_VIOLATION_DUPLICATE,       // a second offset for the same buffer
  MEMPLAN_VIOLATION_OFFSET,          // negative, past the limit of sizes, or an empty buffer that is not at 0
  MEMPLAN_VIOLATION_ALIGNMENT,
  MEMPLAN_VIOLATION_PIN,
  MEMPLAN_VIOLATION_POOL,     // unknown or not admissible
  MEMPLAN_VIOLATION_CAPACITY, // of a pool, or the problem's
  MEMPLAN_VIOLATION_RESERVED,
  MEMPLAN_VIOLATION_OVERLAP,
  MEMPLAN_VIOLATION_SEPARATE, // `separate` or `conflicts`
  MEMPLAN_VIOLATION_COLOCATE,
  MEMPLAN_VIOLATION_PEAK,  // the stated peak is not that of the offsets
  MEMPLAN_VIOLATION_BOUND, // the stated bound exceeds the peak, or with one pool "optimal" and a gap (but not where the
                           // file asks for the least reuse cost and the plan has none)
  MEMPLAN_VIOLATION_SLOT,
  MEMPLAN_VIOLATION_BODY, // a body without plan, or a plan without body
  MEMPLAN_VIOLATION_KINDS
} memplan_violation_kind;

const char *memplan_violation_kind_name(memplan_violation_kind kind); // "fingerprint", "order", …

typedef struct memplan_violation {
  memplan_violation_kind kind;
  const char *first, *second; // ids, or NULL; order: `second` runs although `first` has to run, or finish, before it
  int64_t step;               // first step (time) at which it shows, or -1
  int64_t low, high;          // byte range in question, half-open, or -1
  const char *text;           // one sentence for people
} memplan_violation;

typedef struct memplan_report {
  memplan_arena arena;           // holds everything below: a report outlives its problem and plan
  memplan_violation *violations; // at most 100 kept, in a fixed order: by kind, then as found
  int32_t n_violations;          // kept
  int64_t n_found;               // all; the search for overlaps ends after its hundredth pair
  int64_t peak;                  // of the plan's offsets, as far as they are known
  bool valid;                    // n_found == 0
} memplan_report;

void memplan_report_init(memplan_report *report);
void memplan_report_free(memplan_report *report);

// OK whenever the check could be made; its answer is report->valid. O(n log n) time, O(n) memory in operators, buffers
// and accesses. A fingerprint that differs is one violation, and the check of the geometry goes on. An order that is no
// permutation leaves lifetimes unknown: then everything is checked that does not hang on them. What is wrong inside a
// body's plan is reported with the ids of the body, and its text names the body. `report` must be initialised and
// empty.
memplan_status memplan_verify(const memplan_problem *problem, const memplan_plan *plan, memplan_report *report,
                              memplan_error *error);

#endif
