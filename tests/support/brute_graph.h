// SPDX-License-Identifier: Apache-2.0
// A tiny graph as brute force sees it: what is live, and which in-place pairs are legal, while an operator runs after a
// set of others. Straight from the model's chapter "Semantics", on the raw fields and the literal oracle: shares no
// code with the library. Never benchmark.
#ifndef MEMPLAN_TESTS_BRUTE_GRAPH_H
#define MEMPLAN_TESTS_BRUTE_GRAPH_H

#include "tests/support/oracle.h"

enum { BRUTE_CHOICES = 1 << ORACLE_PAIRS };

// A buffer in the arena, or a workspace. Its offset is `residue` modulo `period`, and `pin` unless that is -1.
typedef struct brute_item {
  int64_t bytes, period, residue, pin;
  uint32_t writers; // operators that bring it to life
  uint32_t ends;    // operators after all of which it is dead
  int32_t tensor;   // root, or -1: a workspace
  bool from_start, to_end, unread;
} brute_item;

typedef struct brute_pair {
  int32_t op, output, input; // tensors
  int32_t born, dying;       // items
  int64_t delta, saving;
  uint32_t others; // operators after which all others that touch the input's buffer are done
} brute_pair;

typedef struct brute_graph {
  const memplan_graph *graph;
  const memplan_problem_options *options;
  brute_item items[ORACLE_ITEMS];
  brute_pair pairs[ORACLE_PAIRS];
  int32_t n_ops, n_items, n_pairs;
  bool hopeless; // a buffer has no admissible offset
  uint32_t before[ORACLE_OPS], group[ORACLE_OPS];
  uint32_t pairs_of[ORACLE_OPS];
  bool together[BRUTE_CHOICES];  // may these pairs be chosen together?
  int64_t saving[BRUTE_CHOICES]; // of pairs of one operator
} brute_graph;

static inline bool brute_holds(uint32_t set, int32_t index) { return (set >> index & 1) != 0; }

// Of a zeroed graph. Pairs that can never lie on each other are left out.
void brute_graph_read(const memplan_graph *graph, const memplan_problem_options *options,
                      const oracle_precedence *precedence, brute_graph *all);

// `offset + shift` is a multiple of `align`, too. False: there is no such offset.
bool brute_add_alignment(int64_t shift, int64_t align, int64_t *period, int64_t *residue);

// May the operator run next?
bool brute_may_follow(const brute_graph *all, uint32_t set, int32_t op);

bool brute_is_live(const brute_item *one, uint32_t set, int32_t op);

// The operator's pairs that are legal there.
uint32_t brute_legal_pairs(const brute_graph *all, uint32_t set, int32_t op);

// Without pairs, and with the best choice of them.
int64_t brute_plain_load(const brute_graph *all, uint32_t set, int32_t op);
int64_t brute_best_load(const brute_graph *all, uint32_t set, int32_t op);

#endif
