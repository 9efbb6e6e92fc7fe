// SPDX-License-Identifier: Apache-2.0
// Random graphs of 7 to 10 operators with all features of the model, against brute force. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_JOINT_DAG_CASE_H
#define MEMPLAN_TESTS_JOINT_DAG_CASE_H

#include "tests/support/joint_methods_case.h"

typedef struct dag_counts {
  joint_methods_counts methods;
  int64_t by_ops[11];                                                    // graphs of so many operators
  int64_t illegal;                                                       // drawn, and refused by the oracle
  int64_t contradictory;                                                 // without any plan
  int64_t given_up;                                                      // brute force would take too long
  int64_t orders, places;                                                // that it looked at
  int64_t plain_gaps;                                                    // without alignments and pins
  int64_t updates, groups, afters, asyncs, pins, donated, rivals, empty; // graphs with these; rivals: pairs that share
                                                                         // their output or input
} dag_counts;

// Graphs with seeds first ... end - 1: what joint_methods_compare asks of gadgets. Prints what was compared.
const dag_counts *joint_dags_compare(uint64_t first, uint64_t end, int64_t work);

// Brute force itself, on smaller graphs with smaller sizes, against the literal enumeration of orders, choices and all
// offsets. Returns how many graphs were compared.
int64_t joint_dags_check_brute(uint64_t first, uint64_t end);

#endif
