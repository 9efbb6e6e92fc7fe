// SPDX-License-Identifier: Apache-2.0
// May two tensors or buffers share bytes, and if not, what forbids it? The two are looked at alone: what other buffers
// leave of the arena is another question.
//
// Everything that ties the two together is a condition on their offsets, of one of the kinds below. "Forbidden by a
// kind" means: with the conditions of this kind alone no offsets let them share a byte. Where only several kinds
// together forbid it, a set of kinds is given of which none can be left out. The answer is exact.
#ifndef MEMPLAN_SOLVERS_EXPLAIN_PAIR_H
#define MEMPLAN_SOLVERS_EXPLAIN_PAIR_H

#include "solvers/explain.h"
#include "solvers/explain_order.h"

typedef enum memplan_tie {
  MEMPLAN_TIE_EMPTY = 0,  // one of them has no bytes
  MEMPLAN_TIE_OUTSIDE,    // one of them lies outside the arena
  MEMPLAN_TIE_ALIAS,      // views of one buffer at different bytes
  MEMPLAN_TIE_LIFETIME,   // both are in memory at a time
  MEMPLAN_TIE_RULE,       // separate or conflicts
  MEMPLAN_TIE_COLOCATION, // rules or in-place pairs that tie one of them, or both, to something
  MEMPLAN_TIE_ALIGNMENT,  // alignments that never let their bytes meet
  MEMPLAN_TIE_PIN,        // fixed offsets
  MEMPLAN_TIE_POOL,       // no pool admits both
  MEMPLAN_TIE_RESERVED,   // reserved ranges of the pools
  MEMPLAN_TIE_CAPACITY,   // capacities of the pools, and the one asked about
  MEMPLAN_TIE_COUNT
} memplan_tie;

const char *memplan_tie_name(memplan_tie tie); // "lifetime", …

// One of the two.
typedef struct memplan_pair_side {
  const char *id;      // as asked for; memory of the problem or subject
  int32_t buffer;      // of the instance, -1: not in the arena
  int32_t storage, op; // graphs: its storage, or the operator whose workspace it is; else -1
  int64_t low, high;   // bytes of the buffer that it is: a view is a part of it
} memplan_pair_side;

typedef struct memplan_pair_answer {
  memplan_pair_side side[2];
  bool may_share;
  bool same_buffer; // both lie in one buffer: may_share says whether their bytes meet there
  bool forbids[MEMPLAN_TIE_COUNT];
  bool together; // those that `forbids` names do so only together
  // LIFETIME: the first time at which both are in memory
  bool meet;
  int64_t meet_start, meet_end; // half-open
  // RULE: "separate" or "conflicts", NULL
  const char *rule;
  // COLOCATION: both at a fixed distance, offset of the second minus that of the first
  bool tied;
  int64_t distance;
  // ALIGNMENT: that distance is residue (modulo align)
  int64_t align, residue;
  // graphs: [0] can the first be gone before the second is born in some order, [1] the other way round
  bool has_order;
  memplan_precede precede[2];
  // graphs: an operator that may write the one over the other in this order (an in-place pair), -1: none
  int32_t inplace_op;
  bool inplace_chosen; // it is what ties them
  // graphs, where inplace_op is -1: an operator that might write the one over the other on another order, -1: none, and
  // the one that stands in its way on this: it needs the input later, or writes the output earlier
  int32_t blocked_op, blocking_op;
  // with a plan that places both in one pool: bytes that they share there, else -1
  int64_t planned_bytes;
} memplan_pair_answer;

// `first` and `second` are ids of buffers of an instance; of tensors, workspaces ("OP#workspace") or weights of bodies
// of a graph. `capacity`: of each pool, -1: their own. MEMPLAN_INPUT: an id is unknown (with the nearest one), or both
// are the same. Time: O(overlapping parts + ranges, with the graph once or twice).
memplan_status memplan_pair_explain(const memplan_subject *subject, const char *first, const char *second,
                                    int64_t capacity, memplan_pair_answer *answer, memplan_error *error);

// Can y - x be in [low, high] with x in [x_first, x_last], x = x_residue (modulo x_align), and y likewise? All numbers
// between -2^62 and 2^62. Exact, O(log align).
typedef struct memplan_progression {
  int64_t first, last, align, residue;
} memplan_progression;
bool memplan_progressions_meet(const memplan_progression *x, const memplan_progression *y, int64_t low, int64_t high);

#endif
