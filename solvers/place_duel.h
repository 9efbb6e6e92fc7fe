// SPDX-License-Identifier: Apache-2.0
// Exact search on one component: the nogood search and beams (find packings at the bound) and the precedence engine
// (proves optima above it) take turns, and each starts from the best packing and the best bound that any of them knows.
#ifndef MEMPLAN_SOLVERS_PLACE_DUEL_H
#define MEMPLAN_SOLVERS_PLACE_DUEL_H

#include "model/memplan.h"

#include <stdint.h>
#include <stdio.h>

typedef struct memplan_duel memplan_duel;

typedef struct memplan_duel_state {
  bool found;               // a packing within the limits
  int64_t peak;             // one pool: of the best packing, in bytes; without one: one more than the limit
  int64_t bound;            // one pool: proven for every packing, in bytes
  bool finished;            // one pool: peak == bound, or no packing within the limit; several: decided either way
  bool stuck;               // the memory is full, and nothing else is left that could work on it
  int64_t nodes, conflicts; // of the nogood search and beams; of the precedence engine
  int64_t ticks;            // of all
} memplan_duel_state;

// The search for a packing of some blocks of an instance (ascending, each with bytes > 0, tied to no others) in which
// pool p is used up to limits[p] bytes. One pool: for the packing with the least peak; several: for any. NULL with
// MEMPLAN_OK: too large for the engines, or the limits of the run ended the set-up. `start`: offsets by block of a
// packing known, or NULL. `proof`: only what ends in a proof counts, so that nothing is taken for granted and only the
// precedence engine runs. `without`: techniques that are switched off, a sum of MEMPLAN_TECHNIQUE_*; an engine goes on
// where the other one does not take the problem.
memplan_status memplan_duel_new(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                const int64_t *limits, const int64_t *start, bool proof, uint64_t without,
                                const memplan_limits *run, memplan_duel **duel, memplan_error *error);
void memplan_duel_free(memplan_duel *duel); // may be NULL

// A packing of so many bytes is good enough (one pool; the peak of another component, or a capacity asked for):
// restarts aim at it rather than at the component's own bound. 0 at first.
void memplan_duel_aim(memplan_duel *duel, int64_t bytes);

// One epoch: a fixed amount of work, larger from epoch to epoch up to a point, the same for any number of threads.
memplan_status memplan_duel_step(memplan_duel *duel, memplan_error *error);

typedef enum memplan_fit { MEMPLAN_FIT_UNKNOWN = 0, MEMPLAN_FIT_YES, MEMPLAN_FIT_NO } memplan_fit;

// Epochs until the first packing, or the proof that there is none, or until so many ticks (-1: no such end) are spent
// or a limit is reached.
memplan_status memplan_duel_decide(memplan_duel *duel, int64_t ticks, const memplan_limits *limits, memplan_fit *fit,
                                   memplan_error *error);

const memplan_duel_state *memplan_duel_look(const memplan_duel *duel);

// The best packing: offsets and pools of the component's blocks, into arrays by block of the instance.
void memplan_duel_store(const memplan_duel *duel, int64_t *offset, int32_t *pool);

// The certificate that no packing is lower than the state's bound, for one pool and a search made for a proof. *found:
// whether there is one.
memplan_status memplan_duel_certify(const memplan_duel *duel, const memplan_instance *instance, const char *fingerprint,
                                    const char *options, FILE *out, bool *found, memplan_error *error);

#endif
