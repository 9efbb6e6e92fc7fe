// SPDX-License-Identifier: Apache-2.0
// Seeded tiny problems that together show every feature of the model.
#ifndef MEMPLAN_TESTS_RANDOM_PROBLEM_H
#define MEMPLAN_TESTS_RANDOM_PROBLEM_H

#include "tests/support/build_problem.h"

// SplitMix64 (Steele, Lea and Flood 2014): the same numbers everywhere.
typedef struct random_state {
  uint64_t state;
} random_state;

random_state random_start(uint64_t seed, uint64_t index);
uint64_t random_next(random_state *random);
int32_t random_below(random_state *random, int32_t limit); // 0 … limit-1; 0 if limit <= 0
bool random_chance(random_state *random, int32_t percent);

typedef struct random_graph_options {
  int32_t min_ops;         // 0: 1
  int32_t max_ops;         // <= 10
  int64_t max_bytes;       // of one tensor
  int32_t illegal_percent; // graphs that are shuffled so that they are probably illegal
  bool pools;              // several pools, with bases, reserved ranges and capacities
  bool pins;
  bool units;            // `max_bytes` counts units of 1, 4 or 64 bytes, and alignments are 1, 4 or 64
  int32_t chain_percent; // operators that come after the one before them, whatever they read
} random_graph_options;

// Views (partial, in several levels, with and without an operator that makes them), several writers of one buffer,
// `writes`, updates, in-place pairs (larger outputs and views too), asynchronous operators, `after`, groups,
// workspaces, all roles, donatable inputs, empty tensors, alignments, repeated inputs, tensors that nobody reads or
// touches. Not resolved yet; the options are random too. Structurally right: only the order of the operators, what they
// read, and alignments may be illegal.
void random_graph(random_state *random, const random_graph_options *wishes, memplan_problem *problem);

typedef struct random_instance_options {
  int32_t max_buffers;
  int64_t max_bytes;
  bool pools, pins, rules;
} random_instance_options;

// Several lifetimes, gaps with and without window, empty and never-live buffers, alignments, pins, pools, rules. Not
// resolved yet; it may contradict itself.
void random_instance(random_state *random, const random_instance_options *wishes, memplan_problem *problem);

#endif
