// SPDX-License-Identifier: Apache-2.0
// The smallest problem near a given one on which two answers still differ.
#ifndef MEMPLAN_TESTS_SUPPORT_SHRINK_H
#define MEMPLAN_TESTS_SUPPORT_SHRINK_H

#include "model/base/compiler.h"
#include "model/memplan.h"

#include <stdbool.h>
#include <stddef.h>

// Do the answers differ? Called with problems that the reader accepts.
typedef bool (*shrink_differs)(const memplan_problem *problem, void *context);

// `text`: a graph or an instance in memplan's JSON. Takes elements and members out of it and lowers its numbers, as
// long as it stays readable under the options (NULL: defaults) and the answers differ; no single such step is left.
// Malloc'd; NULL: they do not differ on the text itself, or memory is out. Deterministic if the question is.
// O(length^2) questions at worst.
char *shrink_text(const char *text, const memplan_problem_options *options, shrink_differs differs, void *context);

// Prints what is left of a problem on which answers differ, as JSON, and the options that
// random problems have.
void shrink_print(const memplan_problem *problem, shrink_differs differs, void *context);

// Asserts what should hold of the problem. It reads nothing but the two, and changes only what the context holds.
typedef void (*shrink_check)(const memplan_problem *problem, void *context);

// Runs the check. If an assertion fails in it, or it crashes under a handler of cmocka, the program prints at its end
// the label (as printf has it), which should hold the seed, and what is left of the problem on which the same assertion
// fails, as JSON. `context` has `size` bytes and no pointers into the stack.
void shrink_checked(const memplan_problem *problem, shrink_check check, void *context, size_t size, const char *label,
                    ...) MEMPLAN_PRINTF(5, 6);

#endif
