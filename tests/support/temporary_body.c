// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temporary_body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

memplan_graph *temporary_body(memplan_problem *outer, int64_t bytes) {
  memplan_problem built;
  build_graph(&built);
  build_tensor(&built.graph, "captured", 64, MEMPLAN_ROLE_WEIGHT);
  build_tensor(&built.graph, "temporary", bytes, 0);
  build_tensor(&built.graph, "result", 64, MEMPLAN_ROLE_OUTPUT);
  build_op(&built.graph, "inner1", "captured", "temporary");
  build_op(&built.graph, "inner2", "temporary", "result");
  build_finish(&built);
  memplan_graph *body = MEMPLAN_NEW(&outer->arena, memplan_graph, 1);
  assert_non_null(body);
  *body = built.graph;
  memplan_graph_init(&built.graph);
  memplan_problem_free(&built);
  return body;
}
