// SPDX-License-Identifier: Apache-2.0
// The parts of the exact placement, of the exact order search, of the joint integer programs and of the joint search
// that can be switched off one by one, to measure what each is worth. None of them changes a proven result.
#ifndef MEMPLAN_SOLVERS_TECHNIQUES_H
#define MEMPLAN_SOLVERS_TECHNIQUES_H

#include <stdint.h>

// Bits of memplan_solve_options.without, in the order of memplan_technique_at: first those of memplan_search_rule, from
// `parts` on those of MEMPLAN_REDUCE_*.
enum {
  MEMPLAN_TECHNIQUE_SECTIONS = 1 << 0,
  MEMPLAN_TECHNIQUE_FORCED_FIRST = 1 << 1,
  MEMPLAN_TECHNIQUE_DOMINANCE = 1 << 2,
  MEMPLAN_TECHNIQUE_OFFMAX = 1 << 3,
  MEMPLAN_TECHNIQUE_HATLESS = 1 << 4,
  MEMPLAN_TECHNIQUE_CUTS = 1 << 5,
  MEMPLAN_TECHNIQUE_BACKJUMPING = 1 << 6,
  MEMPLAN_TECHNIQUE_NOGOODS = 1 << 7,
  MEMPLAN_TECHNIQUE_TWINS = 1 << 8,
  MEMPLAN_TECHNIQUE_TIGHTEST = 1 << 9,
  MEMPLAN_TECHNIQUE_RESTARTS = 1 << 10,
  MEMPLAN_TECHNIQUE_ELITE = 1 << 11,
  MEMPLAN_TECHNIQUE_NOGOOD_SEARCH = 1 << 12,
  MEMPLAN_TECHNIQUE_OVERLOAD = 1 << 13,
  MEMPLAN_TECHNIQUE_EDGES = 1 << 14,
  MEMPLAN_TECHNIQUE_LIFTING = 1 << 15,
  MEMPLAN_TECHNIQUE_DROPPING = 1 << 16,
  MEMPLAN_TECHNIQUE_SYMMETRY = 1 << 17,
  MEMPLAN_TECHNIQUE_MINIMISATION = 1 << 18,
  MEMPLAN_TECHNIQUE_BOUND_BRANCHING = 1 << 19,
  MEMPLAN_TECHNIQUE_START_ACTIVITY = 1 << 20,
  MEMPLAN_TECHNIQUE_CLAUSE_LEARNING = 1 << 21,
  MEMPLAN_TECHNIQUE_PARTS = 1 << 22,
  MEMPLAN_TECHNIQUE_BOTTOM = 1 << 23,
  MEMPLAN_TECHNIQUE_PIGEONHOLE = 1 << 24,
  MEMPLAN_TECHNIQUE_GCD = 1 << 25,
  MEMPLAN_TECHNIQUE_CLIQUES = 1 << 26,
  MEMPLAN_TECHNIQUE_SUMS = 1 << 27,
  MEMPLAN_TECHNIQUE_BEAM = 1 << 28
};

// Those of the exact order search follow.
#define MEMPLAN_TECHNIQUE_ORDER_COMMITS (UINT64_C(1) << 29)
#define MEMPLAN_TECHNIQUE_ORDER_INTERVALS (UINT64_C(1) << 30)
#define MEMPLAN_TECHNIQUE_ORDER_LAZY (UINT64_C(1) << 31)
#define MEMPLAN_TECHNIQUE_ORDER_BEAM (UINT64_C(1) << 32)
#define MEMPLAN_TECHNIQUE_ORDER_REVERSED (UINT64_C(1) << 33)
#define MEMPLAN_TECHNIQUE_ORDER_WINDOWS (UINT64_C(1) << 34)
#define MEMPLAN_TECHNIQUE_ORDER_DECISIONS (UINT64_C(1) << 35)
#define MEMPLAN_TECHNIQUE_ORDER_PROBING (UINT64_C(1) << 36)
#define MEMPLAN_TECHNIQUE_ORDER_CHAINS (UINT64_C(1) << 37)
#define MEMPLAN_TECHNIQUE_ORDER_VALLEYS (UINT64_C(1) << 38)

// And those of the joint integer programs.
#define MEMPLAN_TECHNIQUE_ILP_KNOWN (UINT64_C(1) << 39)
#define MEMPLAN_TECHNIQUE_ILP_PROBING (UINT64_C(1) << 40)
#define MEMPLAN_TECHNIQUE_ILP_GUIDE (UINT64_C(1) << 41)
#define MEMPLAN_TECHNIQUE_ILP_WINDOWS (UINT64_C(1) << 42)

// And those of order and placement together; the rules of clause learning above are the joint engine's too.
#define MEMPLAN_TECHNIQUE_JOINT_ENGINE (UINT64_C(1) << 43)
#define MEMPLAN_TECHNIQUE_JOINT_LOAD (UINT64_C(1) << 44)
#define MEMPLAN_TECHNIQUE_JOINT_PROBING (UINT64_C(1) << 45)
#define MEMPLAN_TECHNIQUE_JOINT_WINDOWS (UINT64_C(1) << 46)
#define MEMPLAN_TECHNIQUE_JOINT_SLICES (UINT64_C(1) << 47)
#define MEMPLAN_TECHNIQUE_JOINT_NOGOODS (UINT64_C(1) << 48)
#define MEMPLAN_TECHNIQUE_JOINT_SMOOTHING (UINT64_C(1) << 49)
#define MEMPLAN_TECHNIQUE_JOINT_CHOICES (UINT64_C(1) << 50)

// More of the joint integer programs.
#define MEMPLAN_TECHNIQUE_ILP_LAZY (UINT64_C(1) << 51)
#define MEMPLAN_TECHNIQUE_ILP_ROUNDING (UINT64_C(1) << 52)
#define MEMPLAN_TECHNIQUE_ILP_CIRCLES (UINT64_C(1) << 53)
#define MEMPLAN_TECHNIQUE_ILP_STACKS (UINT64_C(1) << 54)
#define MEMPLAN_TECHNIQUE_ILP_AT_ONCE (UINT64_C(1) << 55)
#define MEMPLAN_TECHNIQUE_ILP_MIR (UINT64_C(1) << 56)
#define MEMPLAN_TECHNIQUE_ILP_GOMORY (UINT64_C(1) << 57)
#define MEMPLAN_TECHNIQUE_ILP_CLIQUES (UINT64_C(1) << 58)
#define MEMPLAN_TECHNIQUE_ILP_COVERS (UINT64_C(1) << 59)

// The rules that are left, as the search (memplan_search_rule) and presolve (MEMPLAN_REDUCE_*) name them.
int32_t memplan_techniques_search_rules(uint64_t without);
int32_t memplan_techniques_reduce_rules(uint64_t without);
// And the forms of the placement problem (MEMPLAN_FORM_*).
int32_t memplan_techniques_forms(uint64_t without);

#endif
