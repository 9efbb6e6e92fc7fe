// SPDX-License-Identifier: Apache-2.0
// A proof by clause learning that no plan of a graph, whatever its order, in-place choices and offsets, has a peak
// below a claim: what the joint engine learned, for `memplan check`. One JSON object a line.
//
// Line 1: {"format":"memplan-certificate","version":1,"fingerprint":"…","problem":{…},"kind":"joint-clauses",
// "claim":bytes,"unit":bytes,"ops":[ids],"items":[ids],"pairs":[[output,input],…]}. All three lists are those of the
// model, in its order: operators; what lies in the arena and is not empty (storages by their root tensors, workspaces,
// resident weights of bodies, reserved ranges as "reserved"); the in-place pairs between them. With n, m and p entries
// they number the variables, in this order:
//   offsets of items (units), 0 … m-1; the height of the arena, m; then Booleans:
//   turn       n x n   (v, w), v < w: operator v runs before w
//   choice     p       the pair is chosen
//   dead       m x n   (i, v): all that touch item i have finished when v runs; unread inputs: v is not the first
//   unborn     m x n   (i, v): v runs before all that write item i
//   gone       m x m   (a, b): item a is dead when the first writer of b runs
//   below      m x m   (a, b): neither is gone before the other, no pair ties them, and a lies below b
// Side 2x says x >= value, side 2x + 1 says -x >= value. A group runs at one go: of two groups, only the turns of their
// first members are spoken of.
//
// Of a window, "window" is true and "ops" are some of the operators, in any order: eval/check_joint_window.c says what
// it is, and why no plan of the model is lower than all plans of the window. "items" are those that are surely live at
// one of these operators, "pairs" those of these operators, in this order, between such items; an item is dead (unborn)
// when all operators at which it is surely live have finished (follow).
//
// Where the engine was told precedences of operators, of the whole model only, there stand next the sections of kind
// "probe" (solvers/cut_proof.h) that show them: in orders below the claim the one operator runs before the other. From
// then on their turns are known.
//
// Further lines: {"c":[side,value,…],"h":[…]}: a clause and its hints, as in solvers/proof.h. A hint is the number of
// an earlier step or a lemma. Lemmas speak of what is live while operator v runs; members are those of solvers/proof.h,
// and take part if their items are neither dead nor unborn and either whole, while no pair gives them room, or, with a
// chosen pair, in a window beyond the input.
//   [0,v,A,B,member,…], [1,v,d,F,P,B,goal,member,(pushes,member)…]: as in solvers/proof.h.
//   [2,v]: what is surely live, less what pairs can still save, fits below the height.
#ifndef MEMPLAN_SOLVERS_JOINT_PROOF_H
#define MEMPLAN_SOLVERS_JOINT_PROOF_H

#include "model/memplan.h"
#include "solvers/proof_scope.h"

// The certificate that no plan has a peak below `claim`, of at most `most` bytes, to be freed by
// memplan_certificate_free. Its text is NULL if the engine does not take the graph or finds no proof within the limits
// (NULL: none but those of a solve's usual work), as where the claim rests on plans of bodies; `missing` says why only
// if it would have been too large.
memplan_status memplan_joint_certify(const memplan_problem *problem, int64_t claim, const memplan_limits *limits,
                                     int64_t most, memplan_certificate *certificate, memplan_error *error);

// What is to be proven, and from what.
typedef struct memplan_joint_claim {
  int64_t bytes;
  const char *const *ops; // operators of a window, by their ids, distinct, in the order of some plan; NULL: all
  int32_t n_ops;
  memplan_proof_scope scope;
  int64_t probing; // work of probing at first, beyond its share of all: mostly 0, so that easy claims go without
} memplan_joint_claim;

// The same of such a claim.
memplan_status memplan_joint_certify_claim(const memplan_problem *problem, const memplan_joint_claim *claim,
                                           const memplan_limits *limits, int64_t most, memplan_certificate *certificate,
                                           memplan_error *error);

#endif
