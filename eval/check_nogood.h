// SPDX-License-Identifier: Apache-2.0
// One nogood of a certificate by nogoods (solvers/nogood_proof.h describes its line): overlaps and in-place links that
// no placement below the claim satisfies.
#ifndef MEMPLAN_EVAL_CHECK_NOGOOD_H
#define MEMPLAN_EVAL_CHECK_NOGOOD_H

#include "eval/check_joint_model.h"
#include "eval/check_meter.h"

#include <jansson.h>

#include <stddef.h>

// What may be otherwise in some plan.
typedef struct memplan_check_nogood {
  int32_t *overlaps; // two items each: both live while some operator runs, and no chosen pair ties them
  int32_t n_overlaps;
  int32_t *links; // pairs of the model that are chosen
  int32_t n_links;
} memplan_check_nogood;

// Reads the line and checks its proof: the placement problem is rebuilt from the model, and what the line says is there
// in every order is looked at, which the meter pays for. `reason` (of `size` bytes, empty before) says what is wrong. A
// status only for MEMPLAN_NOMEM. Memory from `arena`.
memplan_status memplan_check_nogood_read(const memplan_check_joint_model *model, const json_t *line, int64_t claim,
                                         memplan_check_meter *meter, memplan_arena *arena, memplan_check_nogood *nogood,
                                         char *reason, size_t size, memplan_error *error);

#endif
