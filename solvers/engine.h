// SPDX-License-Identifier: Apache-2.0
// Clause-learning search over integer variables with bounds (lazy clause generation): the exact engine behind the
// placement and the joint solver, which bring their constraints as propagators.
//
// Every variable x is an integer with bounds; a Boolean is one with bounds 0..1. Side 2x speaks of x, side 2x+1 of -x,
// and bound[side] is the largest number that the side is known to reach, so that lower and upper bounds are the same
// code. A literal (side, value) says `the side reaches value`; it is true iff bound[side] >= value. Its negation is
// (side ^ 1, 1 - value).
//
// One engine belongs to one thread. Everything is counted in conflicts and ticks, nothing in time: equal calls give
// equal results. Memory is the engine's own; once an allocation failed every call says so (MEMPLAN_ENGINE_NOMEM).
#ifndef MEMPLAN_SOLVERS_ENGINE_H
#define MEMPLAN_SOLVERS_ENGINE_H

#include "solvers/place_problem.h"

#include <stdbool.h>
#include <stdint.h>

// Absolute values stay below this, so that a literal is one word; and variables below that.
#define MEMPLAN_ENGINE_VALUES (INT64_C(1) << 42)
#define MEMPLAN_ENGINE_VARIABLES (INT32_C(1) << 19)

typedef struct memplan_engine memplan_engine;

typedef uint64_t memplan_literal;

static inline memplan_literal memplan_literal_make(int32_t side, int64_t value) {
  return (uint64_t)side << 44 | (uint64_t)(value + 2 * MEMPLAN_ENGINE_VALUES);
}

static inline int32_t memplan_literal_side(memplan_literal literal) { return (int32_t)(literal >> 44); }

static inline int64_t memplan_literal_value(memplan_literal literal) {
  return (int64_t)(literal & ((UINT64_C(1) << 44) - 1)) - 2 * MEMPLAN_ENGINE_VALUES;
}

static inline memplan_literal memplan_literal_negate(memplan_literal literal) {
  return memplan_literal_make(memplan_literal_side(literal) ^ 1, 1 - memplan_literal_value(literal));
}

// ---- propagators

// Why a bound was raised. Kinds: no reason (a decision or a root fact), a clause (argument: its reference), a roof, or
// a propagator (argument: its own).
typedef struct memplan_reason {
  int32_t kind;
  int32_t argument;
} memplan_reason;

enum {
  MEMPLAN_REASON_NONE = 0,
  MEMPLAN_REASON_CLAUSE,
  MEMPLAN_REASON_ROOF,
  MEMPLAN_REASON_PROPAGATOR // and higher: of the propagator with this number
                            // more
};

typedef struct memplan_propagator {
  void *state;
  // A bound has risen. Consequences that are cheap are drawn at once, the others remembered. False: a conflict.
  bool (*wake)(void *state, memplan_engine *engine, int32_t side);
  // Draws a remembered consequence; called when nothing cheaper is left to do, until `*done`. False: a conflict.
  bool (*propagate)(void *state, memplan_engine *engine, bool *done);
  // Pushes literals (memplan_engine_push) that were true before trail position `position` and imply `needed`, which is
  // what the reason gave or weaker. Conflicts that have no needed literal: `needed` is 0, the literals contradict each
  // other.
  void (*explain)(void *state, memplan_engine *engine, int32_t argument, int32_t position, memplan_literal needed);
  // The trail has been cut to its length.
  void (*backtrack)(void *state, memplan_engine *engine);
  void (*release)(void *state);
} memplan_propagator;

// ---- setting up

typedef struct memplan_engine_settings {
  uint64_t seed;
  int32_t luby;         // conflicts per restart unit
  int32_t decay_part;   // activities grow by 1/decay_part a conflict
  int32_t clauses;      // learned clauses kept before the first reduction
  bool bound_branching; // decide bounds of integer variables too
  bool minimise;        // learned clauses
  bool check_older;     // the rule against circular minimisation; off only to show
                        // in tests what it prevents
  bool proof;           // keep what a proof needs
  int64_t memory;       // bytes that it may hold, without propagators; 0: no limit. From half of them on, learned
                        // clauses are dropped at each restart
} memplan_engine_settings;

memplan_engine_settings memplan_engine_settings_default(void);

// NULL if memory is out.
memplan_engine *memplan_engine_new(const memplan_engine_settings *settings);
void memplan_engine_free(memplan_engine *engine); // and its propagators' states

// A variable with low <= x <= high. `set`: values allowed, NULL for all between; it must outlive the engine. -1 if
// memory is out or there are too many.
int32_t memplan_engine_add_variable(memplan_engine *engine, int64_t low, int64_t high, const memplan_offset_set *set);

// A variable 0..1 that the search decides, those of larger `activity` (0..2^20) first, and the value `phase` first.
int32_t memplan_engine_add_boolean(memplan_engine *engine, int64_t activity, bool phase);

// x + distance <= roof for the upper bound of the variable `roof`; literals that the roof alone explains are written as
// literals of the roof. One roof in all, raised only by memplan_engine_assume, so that its bound is older than whatever
// follows from it.
void memplan_engine_set_roof(memplan_engine *engine, int32_t variable, int32_t roof, int64_t distance);

// The kind of its reasons. -1: too many.
int32_t memplan_engine_add_propagator(memplan_engine *engine, const memplan_propagator *propagator);

// A clause that holds from the start. False if memory is out; contradictions show in the next run.
bool memplan_engine_add_clause(memplan_engine *engine, const memplan_literal *literals, int32_t n);

// ---- searching

typedef enum memplan_engine_result {
  MEMPLAN_ENGINE_SPENT = 0, // the budget is used up
  MEMPLAN_ENGINE_SOLUTION,  // all Booleans are decided, lower bounds are a
                            // solution
  MEMPLAN_ENGINE_FAILED,    // the assumption contradicts what holds at the root
  MEMPLAN_ENGINE_EMPTY,     // there is no solution at all
  MEMPLAN_ENGINE_FULL,      // it holds as much as it may: nothing is done any more
  MEMPLAN_ENGINE_NOMEM
} memplan_engine_result;

// The literal that every later decision stands on. Takes back all decisions. Learned clauses stay: they name it where
// they depend on it.
void memplan_engine_assume(memplan_engine *engine, memplan_literal assumption);

// A fact for good, which proofs take as given: a choice between symmetric solutions. Takes back all decisions. False:
// it contradicts the root.
bool memplan_engine_assert(memplan_engine *engine, memplan_literal fact);

// Searches until `ticks` of work are done (checked between propagations) or something is found. May be called again
// after any result but EMPTY and NOMEM.
memplan_engine_result memplan_engine_run(memplan_engine *engine, int64_t ticks);

typedef struct memplan_engine_counts {
  int64_t conflicts, decisions, propagations, ticks, restarts;
  int64_t learned_literals;
  int32_t clauses; // learned and kept
} memplan_engine_counts;

memplan_engine_counts memplan_engine_count(const memplan_engine *engine);

// Does it hold more than its settings allow?
bool memplan_engine_is_full(const memplan_engine *engine);

// A bound, for reading solutions and root bounds.
int64_t memplan_engine_bound(const memplan_engine *engine, int32_t side);
int64_t memplan_engine_root_bound(const memplan_engine *engine, int32_t side);

// ---- several engines on one problem
//
// Engines that were set up alike (the same variables, first bounds, propagators and facts) may learn from each other.

// Learned clauses of at most `length` literals from at most `distance` levels are kept as news from now on.
void memplan_engine_gather(memplan_engine *engine, int32_t length, int32_t distance);

// The news since the last memplan_engine_forget_news: number of levels, number of literals, literals, and so on;
// `*n` words in all. Valid until the next run.
const uint64_t *memplan_engine_news(const memplan_engine *engine, int64_t *n);
void memplan_engine_forget_news(memplan_engine *engine);

// Takes over the news of another engine. Takes back all decisions if there are any news. Not for engines that keep what
// a proof needs: the proof would lack the reasons. False if memory is out; contradictions show in the next run.
bool memplan_engine_take_news(memplan_engine *engine, const uint64_t *news, int64_t n);

// Tests look at each learned clause as it comes.
void memplan_engine_watch_learning(memplan_engine *engine,
                                   void (*look)(void *context, const memplan_literal *literals, int32_t n),
                                   void *context);

#endif
