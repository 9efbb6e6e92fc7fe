// SPDX-License-Identifier: Apache-2.0
// Problems from texts, for tests of readers and writers.
#ifndef MEMPLAN_TESTS_SUPPORT_PROBLEM_TEXT_H
#define MEMPLAN_TESTS_SUPPORT_PROBLEM_TEXT_H

#include "model/memplan.h"

// Initialises `problem` and reads the text as a file called `path`; `options` NULL: defaults.
memplan_status support_read(memplan_problem *problem, const char *path, const char *text,
                            const memplan_problem_options *options, memplan_error *error);

// Reads with default options; a failure fails the test.
void support_read_good(memplan_problem *problem, const char *path, const char *text);

// Reading must fail with this status and a message that holds `part`.
void support_expect_error(const char *path, const char *text, const memplan_problem_options *options,
                          memplan_status status, const char *part);

// Does a warning of the problem hold `part`?
bool support_has_warning(const memplan_problem *problem, const char *part);
int32_t support_count_warnings(const memplan_problem *problem);

// The problem in another format, malloc'd; a failure fails the test.
char *support_export(const memplan_problem *problem, const char *format);

// Exporting must be refused with a message that holds `part`.
void support_expect_refusal(const memplan_problem *problem, const char *format, const char *part);

// The largest load of an instance.
int64_t support_load(const memplan_problem *problem);

#endif
