// SPDX-License-Identifier: Apache-2.0
// The precedence search on tiny placement problems, against plain enumeration.
#ifndef MEMPLAN_TESTS_PRECEDENCE_CASE_H
#define MEMPLAN_TESTS_PRECEDENCE_CASE_H

#include "solvers/place_precedence.h"
#include "tests/support/random_problem.h"

// The normal form of all blocks with bytes, each pool limited to `limit` bytes
// and its capacity.
void precedence_build(const memplan_instance *instance, int64_t limit, memplan_arena *arena,
                      memplan_place_problem *problem);

// Least height in units, -1 if there is no placement. Runs in small budgets;
// asserts that every placement that is reported holds, that bounds move towards
// each other, and that the end is reached.
int64_t precedence_optimum(const memplan_place_problem *problem, const memplan_precedence_settings *settings,
                           int64_t lower);

// One third each: all on; everything drawn; and other drivers.
memplan_precedence_settings precedence_settings(random_state *random);

// Buffers that fill each step to nearly the same load, so that the optimum is
// often above it.
typedef struct tight_case {
  int32_t n;
  int32_t start[16], end[16];
  int64_t size[16];
  int64_t align[16];
  int64_t load;
} tight_case;

void tight_random(random_state *random, int32_t steps, int64_t load, bool aligned, tight_case *one);
// With steps, load and alignments drawn too, small enough for tight_optimum.
void tight_draw(random_state *random, tight_case *one);
void tight_problem(const tight_case *one, memplan_problem *problem); // resolved
// The case of a problem that is one, or is what has been left of one.
void tight_read(const memplan_problem *problem, tight_case *one);

// Least height by trying all offsets, on bit sets of bytes (heights below 64).
int64_t tight_optimum(const tight_case *one);

// Checks every clause that the search learns on the problem against every
// placement below `upper` with every height: returns how many clauses were
// checked. A problem of at most 6 items.
int64_t precedence_check_clauses(const memplan_place_problem *problem, memplan_precedence_settings settings);

// Compares the optima of the random problems with these numbers with
// enumeration: how many there were; and of the tight ones: how many have an
// optimum above the load. One that differs is told and shrunk (shrink_checked).
int64_t precedence_compare_random(uint64_t first, uint64_t last);
int64_t precedence_compare_tight(uint64_t first, uint64_t last);

#endif
