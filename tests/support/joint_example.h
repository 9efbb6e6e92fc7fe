// SPDX-License-Identifier: Apache-2.0
// The worked examples of joint order and placement: an operator for each tensor, tensors without readers are outputs.
#ifndef MEMPLAN_TESTS_JOINT_EXAMPLE_H
#define MEMPLAN_TESTS_JOINT_EXAMPLE_H

#include "model/memplan.h"

typedef struct joint_example {
  const char *name;
  const char *sizes;  // one digit for each operator
  const char *edges;  // "012": operator 0 is read by 1 and 2; separated by spaces
  const char *chain;  // "1": the given order is the only one
  int32_t overwriter; // operator that may overwrite each input of its size, -1: none
  int64_t order_optimum, optimum;
} joint_example;

enum { JOINT_EXAMPLES = 5 };
extern const joint_example joint_examples[JOINT_EXAMPLES];

void joint_example_build(const joint_example *one, memplan_problem *problem); // resolved

#endif
