// SPDX-License-Identifier: Apache-2.0
// Order, in-place choice, and with them offsets, as integer programs, in two forms.
//
// Precedence form: one binary "u before w" for each two operators (two groups) that every order may turn round, with
// transitivity; an item is dead at operator v if all its deaths come before v, unborn if v comes before all its births.
// Step form: one binary "v done by step t" for each operator between its earliest and its latest step; an item is live
// at a step if one of its births is done by it and one of its deaths was not done by the step before.
// Both: a binary for each in-place pair that asks for what the model asks (the other users of the input are done, the
// output is not born), and the peak is no smaller than the load of each operator (step).
//
// With offsets (joint): two items that are ever live together lie on each other, by binaries "a below b"; a chosen pair
// ties its two offsets. Items that are live at an operator in every order form a stack there.
//
// Symmetry: of operators that could change places the earlier one comes first; of one pair of items that always
// exclude each other the lower one is given where turning the arena round changes nothing.
#ifndef MEMPLAN_SOLVERS_ILP_ORDER_H
#define MEMPLAN_SOLVERS_ILP_ORDER_H

#include "solvers/ilp_model.h"
#include "solvers/joint_graph.h"

typedef struct memplan_ilp_order {
  const memplan_joint_graph *graph;
  memplan_ilp *model;
  memplan_arena *arena; // of the build's tables
  bool steps, placed;
  int64_t ceiling; // units: of the peak
  int32_t peak;    // column
  const char **op_label, **item_label;
  int32_t *turn; // precedence: n_ops x n_ops, column of "row before column" for row < column, -1: none
  int32_t *done; // steps: n_ops x n_ops, column of "op done by step", -1: none
  memplan_ilp_literal *dead, *unborn; // precedence: n_items x n_ops; factor and constant 0 with column -2: not made yet
  memplan_ilp_literal *live;          // n_items x n_ops, by operator or by step; likewise
  int32_t *choice;                    // by pair of the graph: column
  int32_t *choice_at;                 // steps: n_pairs x n_ops, column or -1
  int32_t *offset;                    // by item: column of (offset - residue) / align, -1: pinned, or no offsets
  int64_t *most;                      // by item: largest offset
  memplan_ilp_literal *below;         // n_items x n_items: always exclude each other; "row below column", -1: none
  memplan_ilp_literal *side;          // the same of all that may exclude each other; 1 only if so
} memplan_ilp_order;

// `bound` <= peak <= `ceiling` (units). Memory of the result belongs to `arena`, of names and rows to the model.
memplan_status memplan_ilp_order_build(const memplan_joint_graph *graph, bool steps, int64_t bound, int64_t ceiling,
                                       memplan_ilp *model, memplan_arena *arena, memplan_ilp_order *order,
                                       memplan_error *error);
// The same with offsets. The graph must have been made with `placed`.
memplan_status memplan_ilp_joint_build(const memplan_joint_graph *graph, bool steps, int64_t bound, int64_t ceiling,
                                       memplan_ilp *model, memplan_arena *arena, memplan_ilp_order *order,
                                       memplan_error *error);

// Order and in-place choice (in step order, as memplan_ordering_lower takes it) that values of the columns mean.
// `choice` has room for all pairs. MEMPLAN_INPUT: they mean no legal order.
memplan_status memplan_ilp_order_read(const memplan_ilp_order *order, const int64_t *value, int32_t *operators,
                                      int32_t *choice, int32_t *n_choices, memplan_error *error);
// A legal order near values of a relaxation: what most others come before comes late.
memplan_status memplan_ilp_order_round(const memplan_ilp_order *order, const double *value, int32_t *operators,
                                       memplan_error *error);
// Offset of an item in units; joint only.
int64_t memplan_ilp_order_offset(const memplan_ilp_order *order, const int64_t *value, int32_t item);

// ---- for the files that build them

void memplan_ilp_precedence_add(memplan_ilp_order *order); // columns, transitivity, choices, loads
void memplan_ilp_steps_add(memplan_ilp_order *order);
void memplan_ilp_offsets_add(memplan_ilp_order *order);

// "u runs before w".
memplan_ilp_literal memplan_ilp_turn(const memplan_ilp_order *order, int32_t u, int32_t w);
// "All deaths of the item come before v": 1 only if so. "v comes before all births": likewise.
memplan_ilp_literal memplan_ilp_dead(memplan_ilp_order *order, int32_t item, int32_t v);
memplan_ilp_literal memplan_ilp_unborn(memplan_ilp_order *order, int32_t item, int32_t v);
// "The operator is done by the end of step t"; before step 0 nothing is.
memplan_ilp_literal memplan_ilp_done(const memplan_ilp_order *order, int32_t op, int32_t t);
// "The item is live at step t": may be 0 only if it is not.
memplan_ilp_literal memplan_ilp_live(memplan_ilp_order *order, int32_t item, int32_t t);

// Adds factor x offset of the item to the open row of a model with these columns.
void memplan_ilp_offset_add(const memplan_ilp_order *order, memplan_ilp *model, int64_t factor, int32_t item);

// left <= right for literals.
void memplan_ilp_imply(memplan_ilp *model, memplan_ilp_literal left, memplan_ilp_literal right, const char *kind);

// At most one chosen pair for each output and each input.
void memplan_ilp_choices_add(memplan_ilp_order *order);

#endif
