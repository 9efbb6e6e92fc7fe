// SPDX-License-Identifier: Apache-2.0
// Under which options a problem was read, for reports whose claim holds for these alone.
#ifndef MEMPLAN_EVAL_READING_H
#define MEMPLAN_EVAL_READING_H

#include "model/problem.h"

#include <jansson.h>

#include <stdio.h>

// The options of memplan_problem_reading_json that are not the defaults; `lifetimes` only where the file by itself
// would be read otherwise. A new reference, or NULL if memory is out.
json_t *memplan_reading_options(const memplan_problem *problem);

// Writes them as the command takes them, " with --align 64 --pin" with the space before; nothing if there are none.
// Names are shown as memplan_quote does.
void memplan_reading_write_text(const json_t *options, const memplan_problem *problem, FILE *out);

#endif
