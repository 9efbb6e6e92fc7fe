// SPDX-License-Identifier: Apache-2.0
// The joint problem as literals of an engine, for the joint_*.c files: what is before what, dead, unborn, chosen.
#ifndef MEMPLAN_SOLVERS_JOINT_MODEL_H
#define MEMPLAN_SOLVERS_JOINT_MODEL_H

#include "model/base/arena.h"
#include "solvers/engine.h"
#include "solvers/engine_arc.h"
#include "solvers/joint_search.h"
#include "solvers/joint_graph.h"

#include <stdbool.h>
#include <stdint.h>

// Literals that are no variable's. They differ from all others, whose side and value are in range.
#define MEMPLAN_JOINT_YES UINT64_C(1)
#define MEMPLAN_JOINT_NO UINT64_C(2)

// What a Boolean says, for proofs (solvers/joint_proof.h).
typedef enum memplan_joint_kind {
  MEMPLAN_JOINT_TURN = 0, // operator a runs before operator b
  MEMPLAN_JOINT_CHOICE,   // pair a of the graph is chosen
  MEMPLAN_JOINT_DEAD,     // item a is dead when operator b runs
  MEMPLAN_JOINT_ALIVE,    // the opposite
  MEMPLAN_JOINT_UNBORN,   // item a is not born yet when operator b runs
  MEMPLAN_JOINT_GONE,     // item a is dead when item b is born
  MEMPLAN_JOINT_BELOW     // items a and b meet, and a lies below b
} memplan_joint_kind;

typedef struct memplan_joint_name {
  memplan_joint_kind kind;
  int32_t a, b;
} memplan_joint_name;

// Variables of the engine: the offsets of the items, the height, and then the Booleans.
typedef struct memplan_joint_model {
  const memplan_joint_graph *graph;
  memplan_joint_settings settings;
  memplan_engine *engine;
  memplan_arena *arena;
  int64_t lower, upper;              // units
  int64_t largest;                   // size of an item
  memplan_literal *turn;             // n_ops x n_ops: the row's operator runs before the column's
  int32_t first_turn, n_turns;       // Booleans of turns, which are those of two operators each
  int32_t *turn_first, *turn_second; // by turn
  memplan_literal *dead;             // n_items x n_ops: all users of the item come before the operator; 0: not made yet
  memplan_literal *unborn;           // n_items x n_ops: the operator comes before all writers; 0: not made yet
  memplan_literal *choice;           // by pair of the graph
  int32_t *first_pair;               // by operator, and one more: its pairs
  bool *paired;                      // by item: it takes part in a pair
  bool *phase;                       // by Boolean from the height on: its value in the first order
  int64_t phase_capacity;
  memplan_joint_name *names; // by Boolean from the height on
  int64_t name_capacity;
  int32_t *step;     // by operator: in the first order
  memplan_arc *arcs; // grow in the heap
  int64_t arc_capacity;
  int32_t n_arcs;
  bool contradiction; // a clause of the start is false
  bool too_many;      // Booleans
} memplan_joint_model;

static inline memplan_literal memplan_joint_not(memplan_literal literal) {
  return literal == MEMPLAN_JOINT_YES  ? MEMPLAN_JOINT_NO
         : literal == MEMPLAN_JOINT_NO ? MEMPLAN_JOINT_YES
                                       : memplan_literal_negate(literal);
}

static inline bool memplan_joint_is_constant(memplan_literal literal) {
  return literal == MEMPLAN_JOINT_YES || literal == MEMPLAN_JOINT_NO;
}

// Tables and variables of offsets and height. False if memory is out.
bool memplan_joint_model_start(memplan_joint_model *model);
// Turns, lifetimes, choices, exclusions, and what is symmetric. False: out of memory, or too_many.
bool memplan_joint_model_fill(memplan_joint_model *model);
// The propagators that need them.
bool memplan_joint_model_arcs(memplan_joint_model *model);
void memplan_joint_model_free(memplan_joint_model *model); // what is in the heap

// Literals, made when first asked for; 0 if that failed.
memplan_literal memplan_joint_dead(memplan_joint_model *model, int32_t item, int32_t op);
memplan_literal memplan_joint_unborn(memplan_joint_model *model, int32_t item, int32_t op);

// A new Boolean, as a literal; 0 if that failed.
memplan_literal memplan_joint_boolean(memplan_joint_model *model, memplan_joint_name name, int64_t activity,
                                      bool phase);
// A clause that holds from the start, constants among its literals.
bool memplan_joint_clause(memplan_joint_model *model, const memplan_literal *literals, int32_t n);
// First and last step at which the item is live in the first order; an input that nobody reads: [0, 0].
void memplan_joint_life(const memplan_joint_model *model, int32_t item, int32_t *first, int32_t *last);
// The model that a search runs on.
const memplan_joint_model *memplan_joint_search_model(const memplan_joint_search *search);
// Truth in the first order.
bool memplan_joint_phase(const memplan_joint_model *model, memplan_literal literal);

#endif
