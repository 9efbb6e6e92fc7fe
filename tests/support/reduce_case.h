// SPDX-License-Identifier: Apache-2.0
// The exact placement with presolve and without, on instances in which its rules find something to do.
#ifndef MEMPLAN_TESTS_REDUCE_CASE_H
#define MEMPLAN_TESTS_REDUCE_CASE_H

#include <stdint.h>

typedef struct reduce_tally {
  int64_t instances;
  int64_t infeasible, above; // of them: nothing fits; the optimum is above the load
  int64_t bottoms, holes;    // items that went to the bottom; that were left out
  int64_t splits;            // instances of which more than one part was left
  int64_t reduced;           // instances that became smaller
} reduce_tally;

// Instances with these numbers: every subset of the rules, from a known placement and without one, must end with the
// same proven outcome, and with placements that the model allows. Fails with the number of one that differs.
reduce_tally reduce_compare(uint64_t first, uint64_t last);

#endif
