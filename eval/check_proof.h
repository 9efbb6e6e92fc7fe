// SPDX-License-Identifier: Apache-2.0
// Replays a certificate (solvers/proof.h describes its lines): is it proven that no placement of the instance has a
// peak below the claim? Of a graph: no placement on the order and with the in-place pairs that the first line states,
// or (solvers/cut_proof.h, solvers/joint_proof.h) no plan at all. Trusts the problem only. Time: proportional to the
// certificate, times what a decision propagates; no search.
#ifndef MEMPLAN_EVAL_CHECK_PROOF_H
#define MEMPLAN_EVAL_CHECK_PROOF_H

#include "eval/check_meter.h"
#include "model/graph_pool.h"
#include "model/memplan.h"

#include <jansson.h>

// What is proven of one of several pools.
typedef struct memplan_check_pool {
  int32_t pool;  // of the problem
  int64_t claim; // bytes
} memplan_check_pool;

typedef struct memplan_check_result {
  bool proven;
  int64_t claim;    // bytes
  char kind[16];    // "load", "clique", "clauses"; of every order of a graph "cut", "probe", "order-search", "inputs",
                    // "outputs", "joint-clauses", "nogoods"; of several pools "pools"
  bool every_order; // of every plan of a graph
  bool on_order;    // of placements on the order and with the in-place pairs that it states; else of every placement
  char pool[160];   // whose peak is meant, as it is printed; "": of the only pool, or of kind pools the largest
  memplan_check_pool pools[MEMPLAN_MOST_CERTIFIED_POOLS]; // of kind pools, each once
  int32_t n_pools;
  int64_t line; // where it fails, from 1
  int64_t steps;
  char reason[256]; // why it is not proven
  bool other;       // it is about another problem
} memplan_check_result;

// Checks a certificate in memory. What is wrong with it is in the result; a status is returned only for what keeps the
// check from being made: MEMPLAN_NOMEM.
memplan_status memplan_check_certificate(const memplan_problem *problem, const char *text, size_t length,
                                         memplan_check_result *result, memplan_error *error);

// A certificate within another one, as the array of its lines. `meter` pays for its clauses (NULL: none does).
memplan_status memplan_check_certificate_lines(const memplan_problem *problem, const json_t *lines,
                                               memplan_check_meter *meter, memplan_check_result *result,
                                               memplan_error *error);

#endif
