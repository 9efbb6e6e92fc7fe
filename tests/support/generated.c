// SPDX-License-Identifier: Apache-2.0
#include "tests/support/generated.h"

#include "instances/generators.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

void generated(const char *family, uint64_t seed, int64_t n, int64_t fill, memplan_problem *problem) {
  const memplan_generator_wishes wishes = {.seed = seed, .n = n, .fill = fill};
  memplan_error error = {.message = ""};
  memplan_problem_init(problem);
  if (memplan_generate_problem(memplan_generator_find(family), &wishes, problem, &error) != MEMPLAN_OK) {
    fail_msg("%s %llu: %s", family, (unsigned long long)seed, error.message);
  }
}
