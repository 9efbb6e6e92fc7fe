// SPDX-License-Identifier: Apache-2.0
// The order problem: what an order method and an order bound see of a graph under given options.
//
// A cell is anything that has bytes from some operators' step to some others': a storage in the arena that is not live
// throughout, or the workspace of an asynchronous operator. It is born when the first of its `birth` operators runs (or
// is there from the start: init), and dies after the step in which the last of its `death` operators runs (or never:
// keep). The death set holds every operator that touches it, writers included, and for an asynchronous one the operator
// that finishes it. Bytes live throughout (variables, persistent and resident ones) are summed in `base`. Turning the
// edges and exchanging birth with death, init with keep, gives the reversed problem.
//
// Operators are numbered as the graph gives them, and as memplan_ordering_init makes it, an ordering has this given
// order as a valid one. One with more precedences (of pins: solvers/pin_order.h) need not: nobody may take the given
// order for a topological one without asking memplan_ordering_check.
//
// The load of a step = base + cells live + workspace - saving of the best in-place choice + (step 0 only) first_step:
// the inputs that nobody reads.
#ifndef MEMPLAN_ORDERING_H
#define MEMPLAN_ORDERING_H

#include "model/base/number.h"
#include "model/graph.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_cell {
  int64_t bytes;
  int32_t storage;               // or -1
  int32_t op;                    // operator whose workspace it is, or -1
  int32_t first_birth, n_births; // in ordering.births
  int32_t first_death, n_deaths; // in ordering.deaths, sorted, without repetition
  bool init, keep;
} memplan_cell;

typedef struct memplan_ordering {
  memplan_arena arena;
  const memplan_graph *graph; // not owned
  memplan_problem_options options;
  int32_t n_ops, n_cells, n_pairs;
  const int32_t *pred_first, *pred, *succ_first, *succ; // of the graph
  const int64_t *cost;                                  // by operator
  int64_t *workspace;                                   // by operator; 0 for an asynchronous one (it is a cell then)
  const char **workspace_name; // by operator, for those with workspace: "OP#workspace", with '#' appended until no
                               // tensor and no workspace before it has that id
  int32_t *workspace_cell;     // by operator: cell of its workspace, -1 unless asynchronous
  memplan_cell *cells;
  int32_t *births, *deaths;
  int32_t *op_cell_first, *op_cells; // n_ops + 1: cells whose death set (which includes births) holds the op
  int32_t *cell_of_storage;          // or -1: not in the arena, or live throughout
  memplan_pair *pairs; // those that the options admit, and alignments, pins and pools of the two, by operator
  int32_t *pair_first; // n_ops + 1
  int32_t *group_first, *group_ops; // n_groups + 1: members in given order
  memplan_inner_weight *residents;  // weights of bodies that are in the arena (resident), live throughout; their ids
                                    // are made unique as those of workspaces are
  int32_t n_residents;
  bool one_order; // all sizes together pass 2^62: the given order alone may be searched
  int64_t base, first_step;
  int64_t weight_bytes;   // of weights, wherever they are, those of bodies that are planned among them
  int64_t external_bytes; // of inputs and outputs outside the arena
  int64_t naive_bytes;    // storages and residents in the arena, and workspaces, saturated
  bool naive_saturated;
} memplan_ordering;

// `workspace` overrides the operators' own (by operator, in bytes), for planned bodies; NULL: the graph's.
// MEMPLAN_INPUT if the bytes + alignment - 1 of a time-connected component pass 2^62 on the given order. O(size of the
// graph).
memplan_status memplan_ordering_init(memplan_ordering *ordering, const memplan_graph *graph,
                                     const memplan_problem_options *options, const int64_t *workspace,
                                     memplan_error *error);
void memplan_ordering_free(memplan_ordering *ordering);

// What the options and the storage's own alignments ask of its offset, joined. False if they contradict each other or
// their common alignment passes MEMPLAN_SIZE_LIMIT.
bool memplan_ordering_alignment(const memplan_ordering *ordering, int32_t storage, memplan_congruence *offset);

// Is the storage in the arena under these options?
bool memplan_ordering_in_arena(const memplan_graph *graph, const memplan_problem_options *options, int32_t storage);

// The order peak of an order: its largest load with the best in-place choice at each step.
typedef struct memplan_profile {
  int64_t peak;
  int32_t step;    // first step with that load, -1 if there is none
  int64_t *load;   // by step, or NULL if not asked for
  int32_t *choice; // chosen pairs (indices into ordering.pairs), n_choices of them, by step
  int32_t n_choices;
  int64_t bound; // no in-place choice gives this order a smaller peak; equals `peak` where the matchings are exact
} memplan_profile;

// Walks the order once. Memory comes from `arena`. O(size of the graph) plus a matching per operator with pairs.
memplan_status memplan_ordering_profile(const memplan_ordering *ordering, const int32_t *order, memplan_arena *arena,
                                        memplan_profile *profile, memplan_error *error);

// Checks that `order` is a permutation that respects predecessors and groups; names the first operator that does not.
memplan_status memplan_ordering_check(const memplan_ordering *ordering, const int32_t *order, memplan_error *error);

// The placement problem of an order and in-place choice (`choice`: pairs, all available in that order). Buffers: the
// storages in the arena, named by their root tensors, then workspaces, then residents. `storage_buffer` and `op_buffer`
// (arrays of n_storages and n_ops, or NULL) receive the buffer of each, or -1. A chosen pair becomes a colocation; at
// the operator's step the output occupies only what lies outside the input's buffer.
memplan_status memplan_ordering_lower(const memplan_ordering *ordering, const int32_t *order, const int32_t *choice,
                                      int32_t n_choices, memplan_instance *instance, int32_t *storage_buffer,
                                      int32_t *op_buffer, memplan_error *error);

// Drops from a choice (in step order) each pair whose colocation contradicts the alignments, pins or pools of the
// storages it ties together through pairs kept before; returns how many remain, in place.
memplan_status memplan_ordering_filter(const memplan_ordering *ordering, int32_t *choice, int32_t *n_choices,
                                       memplan_error *error);

// What a matching of in-place pairs gains.
typedef struct memplan_matching {
  int32_t n_chosen;
  int64_t saving; // bytes that the chosen pairs save
  int64_t most;   // no matching saves more; equals `saving` unless the operator has very many entangled pairs
} memplan_matching;

// Best matching by saving of those pairs first … first+count-1 that are available[0 … count-1]. `chosen` has room for
// count and receives pair indices in increasing order. Ties go to the earlier pair. False if memory is out.
bool memplan_pairs_match(const memplan_pair *pairs, int32_t first, int32_t count, const bool *available,
                         int32_t *chosen, memplan_matching *result);

#endif
