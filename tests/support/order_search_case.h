// SPDX-License-Identifier: Apache-2.0
// Checks of the certificates of closed order searches, that several test programs share. They assert.
#ifndef MEMPLAN_TESTS_ORDER_SEARCH_CASE_H
#define MEMPLAN_TESTS_ORDER_SEARCH_CASE_H

#include "model/memplan.h"

typedef struct search_counts {
  int64_t graphs, certificates;
  int64_t groups, pairs, lazy, first, commits, intervals, narrowed; // certificates of graphs with groups, in-place
                                                                    // pairs, unread inputs; with lazy operators,
                                                                    // commits, those of several operators, precedences
                                                                    // of probing
  int64_t changed, still_right, wrong; // certificates changed, those of them that prove what is true, and those made
                                       // of other graphs
} search_counts;

// `count` random graphs of at most 7 operators with all features of the model, and as many plain ones of at most 12:
// searches in both directions are closed below the optimum of brute force and nowhere above, their certificates are
// accepted, and never prove more; nor do changed ones, nor those of graphs with other sizes or more precedences.
void search_check_graphs(uint64_t seed, int32_t count, search_counts *counts);

// `count` plain graphs of `low` to `high` (<= 30) operators: as above, with the optimum of the exact search.
void search_check_dags(uint64_t seed, int32_t count, int32_t low, int32_t high, search_counts *counts);

// The certificate of a closed search below the claim, malloc'd; NULL: it is not closed.
char *search_certificate(const memplan_problem *problem, bool reversed, int64_t claim);

#endif
