// SPDX-License-Identifier: Apache-2.0
// Cuts a proof out of the engine's log.
#ifndef MEMPLAN_SOLVERS_ENGINE_PROOF_H
#define MEMPLAN_SOLVERS_ENGINE_PROOF_H

#include "solvers/engine.h"
#include "solvers/proof.h"

// The steps that the unit clause of `fact` (0: the empty clause) needs, backwards from it; unit clauses before it are
// all kept, since hints do not name them. `*found` is false if the log does not hold such a step, or grew too large.
// Memory of `arena`; false if it is out. proof->claim is not set.
bool memplan_engine_prove(const memplan_engine *engine, memplan_literal fact, memplan_arena *arena,
                          memplan_proof *proof, bool *found);

#endif
