// SPDX-License-Identifier: Apache-2.0
// A plan: order, in-place choices and offsets, by the ids of the problem, with status, bound and fingerprint. This is
// the stable form that leaves the library; it means nothing without its problem, against which verify checks it.
#ifndef MEMPLAN_PLAN_H
#define MEMPLAN_PLAN_H

#include "model/method.h"
#include "model/problem.h"

struct json_t; // of jansson

typedef enum memplan_bound_kind {
  MEMPLAN_BOUND_NONE = 0,
  MEMPLAN_BOUND_LOAD,             // the load of a step
  MEMPLAN_BOUND_ALIGNED_LOAD,     // the aligned load of a step
  MEMPLAN_BOUND_OPERATOR,         // inputs + outputs + workspace of an operator, less its best in-place pairs
  MEMPLAN_BOUND_ALIGNED_OPERATOR, // the same with sizes rounded up to their common alignment
  MEMPLAN_BOUND_INPUTS,           // all graph inputs and variables, at the first step
  MEMPLAN_BOUND_OUTPUTS,          // all graph outputs and variables, at the last step
  MEMPLAN_BOUND_BUFFER,           // one buffer alone, with the base and what is reserved below it
  MEMPLAN_BOUND_CLIQUE,           // buffers that pairwise conflict
  MEMPLAN_BOUND_SEARCH,           // an exhausted search: of orders (joint), or of placements on the plan's own order
  MEMPLAN_BOUND_CUT,              // the least that can be in memory while an operator runs, in any order
  MEMPLAN_BOUND_POOLS, // several pools: what their capacities and admissible buffers make of the largest peak
  MEMPLAN_BOUND_POOL,  // the peak of one of several pools; never in a plan
  MEMPLAN_BOUND_KINDS
} memplan_bound_kind;

const char *memplan_bound_kind_name(memplan_bound_kind kind); // "load", "aligned-load", "operator", …

// A number proven to be <= every valid peak: of the plan's own order and in-place choices (`joint` false), or of every
// order and choice (`joint` true).
typedef struct memplan_bound {
  memplan_bound_kind kind;
  bool joint;
  int64_t bytes;
  int64_t step;               // witness: step of the plan's order (a time of the file for an instance), or -1
  const char *op;             // witness: operator, or NULL
  const char *pool;           // for MEMPLAN_BOUND_POOL, else NULL
  const char *const *buffers; // witness of MEMPLAN_BOUND_CLIQUE; of MEMPLAN_BOUND_SEARCH buffers that alone need as
                              // much, or NULL; else NULL: their ids
  const char *const *ops;     // of MEMPLAN_BOUND_SEARCH: operators that alone need as much, in any order; or NULL
  int32_t n_buffers, n_ops;
} memplan_bound;

typedef struct memplan_placed {
  const char *id; // buffer, root tensor, or "OP#workspace"
  int64_t offset;
  const char *pool; // NULL: the only one
  int32_t slot;     // or -1
} memplan_placed;

typedef struct memplan_plan_pair {
  const char *output, *input; // tensors
} memplan_plan_pair;

typedef struct memplan_body_plan {
  const char *op, *body;
  struct memplan_plan *plan;
} memplan_body_plan;

// A buffer that `pools` or `slots` of a file name, although `offsets` does not.
typedef struct memplan_stray {
  const char *id;
  bool in_slots;
} memplan_stray;

typedef struct memplan_plan {
  memplan_arena arena;
  const char *tool; // "memplan 0.1.0"
  const char *fingerprint;
  struct json_t *problem; // the options, an object; owned
  memplan_outcome outcome;
  int64_t peak, lower_bound;
  memplan_bound bound;
  const char **order; // operators; none for an instance
  memplan_plan_pair *inplace;
  memplan_placed *placed; // sorted by id in bytes' order
  int64_t *slot_bytes;
  memplan_body_plan *bodies;
  memplan_stray *strays; // of a plan that was read: never written, and a violation each
  int32_t n_order, n_inplace, n_placed, n_slots, n_bodies, n_strays;
} memplan_plan;

void memplan_plan_init(memplan_plan *plan);
void memplan_plan_free(memplan_plan *plan);

// The plan of a body, by the ids that its operator and itself have; NULL: none, as of a `plan` that is NULL.
const memplan_plan *memplan_plan_find_body(const memplan_plan *plan, const char *op, const char *body);

// The file's text: the JSON form with one line for each key and an ending newline; malloc'd. NULL if memory is out.
char *memplan_plan_text(const memplan_plan *plan);

#endif
