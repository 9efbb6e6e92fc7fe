// SPDX-License-Identifier: Apache-2.0
// A proof by nogoods that no plan of a graph has a peak below a claim, for `memplan check`: kind "nogoods". One JSON
// object a line.
//
// Line 1: {"format":"memplan-certificate","version":1,"fingerprint":"...","problem":{...},"kind":"nogoods",
// "claim":bytes,"ops":[ids],"items":[ids],"pairs":[[output,input],...]}: the lists of solvers/joint_proof.h, by whose
// places, from 0, everything else is known.
//
// {"items":[item,...],"overlaps":[a,b,...],"always":[a,b,operator,...],"links":[pair,...],"proof":[lines]}: a nogood.
// If the two items of each of "overlaps" and "always" share no byte, and the output of each of "links" lies where its
// pair says of the input, then these items cannot be placed below the claim: "proof" is a certificate of that, of kind
// clauses, about the problem with a buffer for each item ("0", "1", ... in their order), conflicts and colocations;
// null where these contradict each other by themselves (to pass a limit is no contradiction). Nothing is named twice.
// Two items overlap if both are live while some operator runs and no chosen pair ties them. Those of "always" do so in
// every order: at the operator each has a birth that is or precedes it, and a death that is or follows it, and the
// operator has no pair of the two; with -1 both are there from the start, or both stay to the end, and no pair has the
// two.
//
// A nogood without "overlaps" and "links" ends the proof. Else {"search":"forward"} or "reversed" (as in
// solvers/search_proof.h) follows, and lines, counted from 1, of which each closes a state: the operators that have
// run, and which nogoods are broken. The first line closes the state in which nothing has run. Another one,
// {"run":operator,"choose":[pair,...],"from":line,"commit":[operator,...]}, closes that which the state of "from"
// (missing: the line before) leads to when the operator runs and just these are chosen of the pairs that it could
// choose and nogoods that are not broken speak of: by a link, or an overlap of its two items. An overlap is decided
// when the later of its items is born, a link when its operator runs; a nogood is broken once something of it is
// decided otherwise, and violated once all of it is decided and it is not broken. Closed means: no order and choice
// that go on from there have a peak below the claim and violate no nogood.
//
// By commits the state leads to that which is the state of this line for others. A committed operator passes the claim
// no more than others may, leaves no more live than before, comes after the first step if that bears more, cannot come
// last if the last step does, and would bear no item and run no pair of a nogood that is not broken. That state is
// closed because each operator that can run next, with each choice of the pairs asked about (at most 10), has a load
// that is not below the claim, or violates a nogood, or leads to a state that is closed by some line. A member of a
// group is committed after another one of its group only. "bodies" and "pool" in line 1: solvers/proof.h.
#ifndef MEMPLAN_SOLVERS_NOGOOD_PROOF_H
#define MEMPLAN_SOLVERS_NOGOOD_PROOF_H

#include "model/memplan.h"
#include "solvers/proof_scope.h"

// The certificate that no plan has a peak below `claim`, of at most `most` bytes, to be freed by
// memplan_certificate_free. Its text is NULL if no proof is found within the limits (NULL: none but those of a solve's
// usual work); `missing` says why only if it would have been too large.
memplan_status memplan_nogood_certify(const memplan_problem *problem, int64_t claim, const memplan_limits *limits,
                                      int64_t most, memplan_certificate *certificate, memplan_error *error);

// The same within a scope; NULL: none.
memplan_status memplan_nogood_certify_within(const memplan_problem *problem, const memplan_proof_scope *scope,
                                             int64_t claim, const memplan_limits *limits, int64_t most,
                                             memplan_certificate *certificate, memplan_error *error);

#endif
