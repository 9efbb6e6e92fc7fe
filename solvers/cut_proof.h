// SPDX-License-Identifier: Apache-2.0
// Certificates of bounds that hold for every order of a graph, one JSON object a line, for `memplan check`.
//
// Line 1: {"format":"memplan-certificate","version":1,"fingerprint":"…","problem":{…},"kind":…,"claim":bytes}. Kinds
// "inputs" and "outputs" have no more: all graph inputs are in memory at the first step, all outputs at the last one.
//
// Kind "cut" has "op" in line 1: an operator while which runs as much is in memory, whatever has run before it. Then,
// in any order:
// {"ideal":[ids]}: operators after which it needs the least. For the reader; it must be possible that they run first.
// {"cell":id,"bytes":f,"in":[[op,bytes],…],"out":[[op,bytes],…]}: a flow through what is live between operators: a
//   storage, by its root tensor, or an asynchronous workspace, by its id, that `op` does not touch, or that stays to
//   the end and that `op` only reads. f is no more than its bytes. "in": operators that first write it, which give f;
//   missing for what is there from the start. "out": operators that end it, which get f; missing for what stays to the
//   end.
// {"pair":[output,input],"bytes":f,"out":[[op,bytes],…]}: a flow to operators that also have to be done with the input
//   before the in-place pair of `op` is available. f is no more than what the best choice of pairs loses without this
//   one. Of pairs with an output or an input in common, directly or through others, only one may be named.
// {"before":p,"after":w,"bytes":f}: a flow from w to its predecessor p.
//
// Let S be the ancestors of `op`, T itself and its descendants. Any ideal that holds S and nothing of T lets out no
// more of a flow than what is live after it and the pairs that are lost with it. So while `op` runs there is in memory:
// what it touches, its workspace, what is live throughout, less what its pairs save at most, plus what S gives (with
// what comes from the start and from pairs), less what ends in operators of neither set.
//
// Kind "probe": sections that each start with a line {"op":v} or {"op":v,"before":u} or {"op":v,"not_before":u}, go on
// with lines as above but no ideal, and end at the next one. On the assumption that u runs before v (or not before it;
// none in the last section), u and its ancestors belong to S (u and its descendants to T); the section shows that then
// at least the claim is in memory while v runs. So orders below the claim have v before u (u before v), and this
// precedence may be used from then on. The last one ends it; it needs no lines if v has to run before itself.
#ifndef MEMPLAN_SOLVERS_CUT_PROOF_H
#define MEMPLAN_SOLVERS_CUT_PROOF_H

#include "model/memplan.h"
#include "solvers/order_probe.h"
#include "solvers/proof_scope.h"

#include <stdio.h>

// Kind "order-search": solvers/search_proof.h. "bodies" and "pool" in line 1: solvers/proof.h.

// How long what is mostly enough is tried for a bound of a search: ticks of a first search, edges looked at by probing,
// ticks of a further search.
typedef struct memplan_proof_effort {
  int64_t first, probing, search;
} memplan_proof_effort;

memplan_proof_effort memplan_proof_effort_default(void);

// The certificate of a bound of a graph, of at most `most` bytes, to be freed by memplan_certificate_free: a cut for
// kinds cut and operator, inputs, outputs, and for a search in every order what probing and another search find within
// the limits (NULL: none). If there is none, as where the bound rests on plans of bodies, its text is NULL, and
// `missing` only if it would have been too large. `effort` NULL: the default.
memplan_status memplan_cut_certify(const memplan_problem *problem, const memplan_bound *bound,
                                   const memplan_limits *limits, const memplan_proof_effort *effort, int64_t most,
                                   memplan_certificate *certificate, memplan_error *error);

// The same within a scope; NULL: none.
memplan_status memplan_cut_certify_within(const memplan_problem *problem, const memplan_proof_scope *scope,
                                          const memplan_bound *bound, const memplan_limits *limits,
                                          const memplan_proof_effort *effort, int64_t most,
                                          memplan_certificate *certificate, memplan_error *error);

// The sections of kind "probe" for precedences alone, those of what probing at the target claim - 1 has found, in its
// order, for certificates of other kinds that take them as known. `flat`: the problem of the ordering. *good: false if
// the limits ended it. Memory from `arena`.
memplan_status memplan_cut_write_precedences(const memplan_ordering *ordering, const memplan_order_problem *flat,
                                             int64_t claim, const memplan_order_probe *probe,
                                             const memplan_limits *limits, FILE *out, memplan_arena *arena, bool *good,
                                             memplan_error *error);

#endif
