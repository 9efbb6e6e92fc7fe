// SPDX-License-Identifier: Apache-2.0
// Can some items of a joint problem be placed, if only some of their overlaps and in-place links are asked for?
#ifndef MEMPLAN_SOLVERS_JOINT_REFUTE_H
#define MEMPLAN_SOLVERS_JOINT_REFUTE_H

#include "model/method.h"
#include "solvers/joint_graph.h"
#include "solvers/place_duel.h"

typedef struct memplan_joint_overlap {
  int32_t first, second; // items, first < second
} memplan_joint_overlap;

// Each two of `overlaps` share no byte, and of each pair of `links` the output lies where the input does. Nothing else
// keeps the items apart but reserved ranges of the pool.
typedef struct memplan_joint_question {
  const memplan_joint_graph *whole; // an outline
  const int32_t *items;             // ascending, no reserved ranges; all that overlaps and links name
  int32_t n_items;
  const memplan_joint_overlap *overlaps;
  int32_t n_overlaps;
  const int32_t *links; // pairs of `whole`
  int32_t n_links;
} memplan_joint_question;

typedef struct memplan_joint_answer {
  memplan_fit fit; // NO: no placement ends at or below the capacity
  int64_t height;  // proven: none ends below it; INT64_MAX: there is none at all
  int64_t ticks;   // work done
} memplan_joint_answer;

// The instance of the question: a buffer for each item, in their order. MEMPLAN_INPUT or MEMPLAN_UNSUPPORTED: it
// contradicts itself, so that nothing can be placed, if instance->contradiction is set; else it passes a limit, and
// nothing is known. `instance` must be initialised.
memplan_status memplan_joint_refute_instance(const memplan_joint_question *question, memplan_instance *instance,
                                             memplan_error *error);

// Decides whether there is a placement within `capacity` bytes, in about `ticks` of work. `further`: goes on after a
// packing has been found, so that answer->height rises as far as it does. `without`: techniques of the placement, as
// memplan_solve_options.without. A function of the question, the capacity and
// the ticks alone, unless time is over.
memplan_status memplan_joint_refute(const memplan_joint_question *question, int64_t capacity, bool further,
                                    int64_t ticks, uint64_t without, const memplan_limits *limits,
                                    memplan_joint_answer *answer, memplan_error *error);

#endif
