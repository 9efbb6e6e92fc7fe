// SPDX-License-Identifier: Apache-2.0
// What tells result lines apart that name the same file and methods: the options of the problem and the limits of the
// search in which some of the lines differ. Seeds are left out: runs of several seeds belong together.
#ifndef MEMPLAN_EVAL_VARIANTS_H
#define MEMPLAN_EVAL_VARIANTS_H

#include "eval/results.h"

// The settings of a line, into `arena`: keys of its objects options and limits with their values as text. A line
// without these objects has none.
memplan_status memplan_variants_read(const json_t *value, memplan_arena *arena, memplan_result_line *line,
                                     memplan_error *error);

// Sets `variant` and `problem_variant` of every line, in the results' arena. O(settings) expected.
memplan_status memplan_variants_find(memplan_results *results, memplan_error *error);

#endif
