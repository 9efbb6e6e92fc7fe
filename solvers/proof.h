// SPDX-License-Identifier: Apache-2.0
// A proof that no placement of some buffers has a peak below a claimed number, as steps that can be checked one by one
// without search; written as a certificate, one JSON object a line, which `memplan check` replays.
//
// Line 1: {"format":"memplan-certificate","version":1,"fingerprint":"…","problem":{…},"kind":"clauses","claim":bytes,
// "unit":bytes,"buffers":[ids]}. The buffers are the items of the proof, 0, 1, …; one that is colocated with others
// stands for all of them. Variables: item i is its offset, the number of items n is the height, then come the
// exclusions (a, b), a < b, in order of a, b and distance: 1 if b lies above a. Side 2x says x >= value, side 2x + 1
// says -x >= value; values in units.
//
// {"g":[a,b]}: a lies below b, by a symmetry of the problem.
// {"c":[side,value,…],"h":[…]}: a clause. Hints, in an order in which each of them is unit or false when the clause is
// assumed to be false: the number of an earlier step (the line after the first is step 1), or a lemma, an array:
//   [0,A,B,member,…]: the members lie inside [A,B) and are longer than that.
//   [1,d,F,P,B,goal,member,(pushes,member)…]: with d = 0 as it stands, with d = 1 on the reversed axis. All but the
//     first start at or after F (P if pushes is 1) and end by B, the first starts at or after F, and all together do
//     not fit in [F,B); so the first comes after one of those that push, and starts at or after `goal` <= P + their
//     sum.
// A member is an item over its whole size, or three numbers: -1 - item, low, high.
//
// Kind "load" has one line only, with "time" instead of "unit" and "buffers": a time at which so much is live. Of
// several pools "pool", of this kind and of clauses, names the one that is meant: what may lie elsewhere does not
// count, nor may it be among the buffers (of all of them: kind "pools", solvers/certify_pools.h). Kind "clique" has one
// line, without "unit": no two of its buffers share a byte in any placement, and together they have so many. Of a
// graph, the first line has "order" and "inplace" as a plan has them: they make the instance that is meant. Where
// control-flow bodies are planned it also has "bodies":
// [{"op":id,"body":name,"certificate":[lines]},…], in the order of the model: what each claims of the peak of its body
// (a problem with the fingerprint "") is workspace of the operator; a body that is not there counts nothing. The kinds
// about every order (solvers/cut_proof.h, solvers/joint_proof.h, solvers/nogood_proof.h) have "bodies" too, whose
// certificates are about every order then, and of a graph with several pools "pool": they speak of
// model/graph_pool.h's graph of that pool.
#ifndef MEMPLAN_SOLVERS_PROOF_H
#define MEMPLAN_SOLVERS_PROOF_H

#include "model/base/status.h"
#include "model/instance.h"
#include "model/plan.h"
#include "solvers/place_problem.h"

#include <stdint.h>
#include <stdio.h>

enum { MEMPLAN_LEMMA_OVERLOAD = 0, MEMPLAN_LEMMA_EDGE = 1, MEMPLAN_LEMMA_LOAD = 2 };

typedef struct memplan_proof_step {
  int64_t first_literal, n_literals; // pairs (side, value) in numbers
  int64_t first_hint, n_hints;       // in hints
  bool given;
} memplan_proof_step;

// hint > 0: step (from 1); < 0: lemma -1 - hint. Belongs to an arena.
typedef struct memplan_proof {
  int64_t claim; // bytes: no peak is smaller
  const memplan_proof_step *steps;
  const int32_t *hints;
  const int64_t *lemma_starts; // in lemma_numbers, n_lemmas + 1
  const int64_t *lemma_numbers, *literal_numbers;
  int64_t n_steps, n_lemmas;
} memplan_proof;

// Writes a proof about `problem`, which was built from blocks of the instance. `options`: the options of the problem as
// JSON (memplan_problem_reading_json), so that the certificate can be checked without repeating them; NULL: left out.
// Errors of writing stay in the stream; false if memory is out.
bool memplan_proof_write(const memplan_proof *proof, const memplan_instance *instance,
                         const memplan_place_problem *problem, const char *fingerprint, const char *options, FILE *out);

// The certificate of a load bound: of the plain load, not of one with alignments; `pool` NULL: of the only pool. That
// of a clique. The text of `options` may go on with further members after the object.
bool memplan_proof_write_load(const memplan_load *load, const char *pool, const char *fingerprint, const char *options,
                              FILE *out);
bool memplan_proof_write_clique(const memplan_bound *clique, const char *fingerprint, const char *options, FILE *out);

#endif
