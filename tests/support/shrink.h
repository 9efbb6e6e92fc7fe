// SPDX-License-Identifier: Apache-2.0
// The smallest problem near a given one on which two answers still differ.
#ifndef MEMPLAN_TESTS_SUPPORT_SHRINK_H
#define MEMPLAN_TESTS_SUPPORT_SHRINK_H

#include "model/memplan.h"

#include <stdbool.h>

// Do the answers differ? Called with problems that the reader accepts.
typedef bool (*shrink_differs)(const memplan_problem *problem, void *context);

// `text`: a graph or an instance in memplan's JSON. Takes elements and members out of it and lowers its numbers, as
// long as it stays readable and the answers differ; no single such step is left. Malloc'd; NULL: they do not differ on
// the text itself, or memory is out. Deterministic if the question is. O(length^2) questions at worst.
char *shrink_text(const char *text, shrink_differs differs, void *context);

// Prints what is left of a problem on which answers differ, as JSON.
void shrink_print(const memplan_problem *problem, shrink_differs differs, void *context);

#endif
