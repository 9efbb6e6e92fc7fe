// SPDX-License-Identifier: Apache-2.0
// A control-flow body whose own peak is known.
#ifndef MEMPLAN_TESTS_TEMPORARY_BODY_H
#define MEMPLAN_TESTS_TEMPORARY_BODY_H

#include "tests/support/build_problem.h"

// A body with one temporary that two operators pass on: its own peak is `bytes`. Memory of `outer`.
memplan_graph *temporary_body(memplan_problem *outer, int64_t bytes);

#endif
