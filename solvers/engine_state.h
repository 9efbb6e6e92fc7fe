// SPDX-License-Identifier: Apache-2.0
// The engine's inside, for the engine_*.c files and propagators: trail, clauses, atoms. Contracts are in engine.h.
#ifndef MEMPLAN_SOLVERS_ENGINE_STATE_H
#define MEMPLAN_SOLVERS_ENGINE_STATE_H

#include "solvers/engine.h"

#include <stddef.h>

enum { MEMPLAN_ENGINE_PROPAGATORS = 8 };

// One rise of one bound.
typedef struct memplan_entry {
  int64_t old, new;
  int32_t side;
  int32_t before; // the entry that raised this side before, -1: none
  int32_t level;
  memplan_reason reason;
} memplan_entry;

// Literals follow the header in the clause memory.
typedef struct memplan_clause {
  uint64_t activity;
  int32_t n;
  int32_t distance; // levels in it when it was learned (LBD); 0 for clauses
                    // that hold from the start
  int32_t id;       // in the proof
  int32_t mark;     // scratch of the reduction
} memplan_clause;

typedef struct memplan_watch {
  memplan_literal blocker; // if it is true the clause need not be looked at
  int32_t clause;
} memplan_watch;

typedef struct memplan_watches {
  memplan_watch *list;
  int32_t n;
  int64_t capacity;
} memplan_watches;

// A literal that somebody watches or branches on: `variable >= value`. Its two lists hold the clauses that watch its
// negation (0) and itself (1): those to visit when it becomes true, and false.
typedef struct memplan_atom {
  int64_t value;
  int32_t variable;
  int32_t heap; // place in the heap, -1: not in it
  uint64_t activity;
  memplan_watches watches[2];
  bool phase;
} memplan_atom;

// Atoms of an integer variable by value.
typedef struct memplan_atom_key {
  int64_t value;
  int32_t atom;
  uint32_t watched; // bit k: list k of the atom may hold clauses
} memplan_atom_key;

typedef struct memplan_variable {
  const memplan_offset_set *set; // NULL: no holes
  memplan_atom_key *keys;
  int64_t capacity;
  int32_t n_keys;
  int32_t hint[2]; // where the last search for each side ended
  int32_t boolean; // its atom, -1: not a Boolean
} memplan_variable;

typedef struct memplan_conflict {
  memplan_reason reason;
  memplan_literal needed; // would be true, while its negation is; 0: the
                          // premises contradict each other
} memplan_conflict;

typedef struct memplan_literals {
  memplan_literal *list;
  int32_t n;
  int64_t capacity;
} memplan_literals;

// What minimisation found out about an entry: the largest value shown to follow, the smallest not shown.
typedef struct memplan_memo {
  int64_t good, bad;
  uint32_t stamp; // valid in this run
} memplan_memo;

struct memplan_engine {
  memplan_engine_settings settings;
  bool nomem, started;
  int64_t list_bytes; // of watch lists and keys of atoms
  // variables
  int32_t n_variables;
  memplan_variable *variables;
  int64_t variable_capacity;
  int64_t *bound; // by side
  int32_t *last;  // by side: newest entry, -1
  int64_t bound_capacity, last_capacity;
  int32_t n_undecided; // Booleans
  // roof
  int32_t roof; // variable, -1: none
  int32_t *roofed;
  int32_t n_roofed;
  int64_t *roof_distance; // by side: of upper sides with a roof, else -1
  int64_t roof_capacity, roofed_capacity;
  // trail
  memplan_entry *trail;
  int64_t trail_capacity;
  int32_t n_trail, head;
  int32_t *level_start; // by level: its first entry
  int64_t level_capacity;
  int32_t n_levels; // of decisions
  bool has_assumption;
  memplan_literal assumption;
  memplan_conflict conflict;
  bool root_conflict;
  // clauses
  unsigned char *memory;
  int64_t memory_used, memory_capacity; // in units of 8 bytes
  int32_t *clauses;                     // references, in order of birth
  int64_t clause_capacity;
  int32_t n_clauses, n_learned;
  int32_t learned_limit;
  uint64_t clause_step;
  // atoms
  memplan_atom *atoms;
  int64_t atom_capacity;
  int32_t n_atoms;
  int32_t *heap;
  int64_t heap_capacity;
  int32_t n_heap;
  uint64_t step;
  // analysis
  int64_t *need_value; // by side
  int32_t *need_entry; // by side: entry that made it true, -1: not needed
  int64_t *seen_value; // by side, valid while seen_stamp is the current one
  int32_t *touched;
  int32_t n_touched;
  int64_t need_value_capacity, need_entry_capacity, touched_capacity;
  memplan_literals premises, learned;
  memplan_literals stack;
  memplan_memo *memos; // by entry
  int64_t memo_capacity;
  uint32_t stamp;
  int32_t minimise_budget;
  uint32_t *level_stamp;
  int64_t level_stamp_capacity;
  uint32_t level_stamp_now;
  // search
  int64_t restart_index, restart_conflicts;
  memplan_engine_counts counts;
  memplan_propagator propagators[MEMPLAN_ENGINE_PROPAGATORS];
  int32_t n_propagators;
  void (*look)(void *context, const memplan_literal *literals, int32_t n);
  void *look_context;
  struct memplan_log *log; // of the proof, NULL: none
  memplan_literals news;   // for other engines
  int32_t news_length, news_distance;
};

// ---- engine_trail.c

static inline bool memplan_engine_is_true(const memplan_engine *engine, memplan_literal literal) {
  return engine->bound[memplan_literal_side(literal)] >= memplan_literal_value(literal);
}

static inline bool memplan_engine_is_false(const memplan_engine *engine, memplan_literal literal) {
  return engine->bound[memplan_literal_side(literal) ^ 1] >= 1 - memplan_literal_value(literal);
}

// Makes `side` reach `value`. False: a conflict, which is then stored.
bool memplan_engine_raise(memplan_engine *engine, int32_t side, int64_t value, memplan_reason reason);

// Stores a conflict whose premises contradict each other. Always false.
bool memplan_engine_clash(memplan_engine *engine, memplan_reason reason);

// Draws all consequences. False: a conflict.
bool memplan_engine_propagate(memplan_engine *engine);

// The entry that made the literal true, -1 if it held from the start.
int32_t memplan_engine_find_entry(const memplan_engine *engine, memplan_literal literal);

// The side's bound before the entry at `position` was made.
int64_t memplan_engine_bound_before(const memplan_engine *engine, int32_t side, int32_t position);

bool memplan_engine_decide(memplan_engine *engine, memplan_literal literal);
void memplan_engine_backtrack(memplan_engine *engine, int32_t level);

static inline int32_t memplan_engine_root_length(const memplan_engine *engine) {
  return engine->n_levels > 0 ? engine->level_start[0] : engine->n_trail;
}

// The weakest literal that asks for the same.
memplan_literal memplan_engine_weaken(const memplan_engine *engine, memplan_literal literal);

// ---- engine_clauses.c

static inline memplan_clause *memplan_engine_clause(const memplan_engine *engine, int32_t reference) {
  return (memplan_clause *)(void *)(engine->memory + 8 * (size_t)reference);
}

static inline memplan_literal *memplan_clause_literals(memplan_clause *clause) {
  return (memplan_literal *)(void *)(clause + 1);
}

// Stores a clause of at least two literals and watches the first two. -1 if memory is out.
int32_t memplan_engine_store_clause(memplan_engine *engine, const memplan_literal *literals, int32_t n,
                                    int32_t distance);
// Visits the clauses of the atoms in (old, new] of a side.
bool memplan_engine_visit_clauses(memplan_engine *engine, int32_t side, int64_t old, int64_t new);
void memplan_engine_reduce_clauses(memplan_engine *engine);
void memplan_engine_bump_clause(memplan_engine *engine, memplan_clause *clause);

// ---- engine_atoms.c

// The atom of a literal or of its negation, -1 if there is none.
int32_t memplan_engine_find_atom(const memplan_engine *engine, memplan_literal literal);
// The same, made if there is none; -1 if memory is out.
int32_t memplan_engine_need_atom(memplan_engine *engine, memplan_literal literal);
// The first key of the variable with a value above `value`. The second form begins where the last search for that side
// ended: bounds move in small steps.
int32_t memplan_engine_key_above(const memplan_variable *variable, int64_t value);
int32_t memplan_engine_key_near(memplan_variable *variable, int32_t side, int64_t value);
// List `which` of the atom gets its first clause.
void memplan_engine_mark_watched(memplan_engine *engine, int32_t atom, int32_t which);
void memplan_engine_bump_literal(memplan_engine *engine, memplan_literal literal);
void memplan_engine_grow_step(memplan_engine *engine);
// A bound has been taken back from `new` to `old`: its atoms may be decided again, and their phases are kept.
void memplan_engine_reopen_atoms(memplan_engine *engine, int32_t side, int64_t old, int64_t new);
// The literal to decide next, 0 if nothing is open.
memplan_literal memplan_engine_pick(memplan_engine *engine);

// ---- engine_analyze.c

// Learns from the stored conflict: takes decisions back, stores the clause and draws its first consequence. False: the
// root is contradictory.
bool memplan_engine_learn(memplan_engine *engine);

// Keeps a learned clause for other engines, if it is short enough.
void memplan_engine_keep_news(memplan_engine *engine, const memplan_literal *literals, int32_t n, int32_t distance);

// Fills `premises` with the reason of `needed`, which `reason` gave before `position`.
void memplan_engine_explain(memplan_engine *engine, memplan_reason reason, int32_t position, memplan_literal needed);
void memplan_engine_push(memplan_engine *engine, memplan_literal literal);
void memplan_literals_push(memplan_engine *engine, memplan_literals *literals, memplan_literal literal);

#endif
