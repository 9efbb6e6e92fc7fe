// SPDX-License-Identifier: Apache-2.0
#include "tests/support/joint_example.h"

#include "tests/support/build_problem.h"

#include <stdio.h>
#include <string.h>

const joint_example joint_examples[JOINT_EXAMPLES] = {
    {"gap", "2211122", "01 123 234 345 45 56", "1", -1, 4, 5},
    {"order", "2211122", "01 13 24 35 45 56", "", -1, 4, 4},
    {"two stages", "6632466", "01 123 24 35 45", "", -1, 12, 13},
    {"declining helps", "22111122", "01 12 234 13 345 456 56", "", 5, 4, 4},
    {"which input", "12211122", "12 234 34 05 35 45 456 56 67", "", 5, 4, 4},
};

static bool reads(const joint_example *one, int32_t reader, int32_t writer) {
  bool found = false;
  for (const char *at = one->edges; *at != '\0'; at++) {
    bool start = at == one->edges || at[-1] == ' ';
    if (start && at[0] - '0' == writer) {
      for (const char *to = at + 1; *to != '\0' && *to != ' '; to++) {
        found = found || *to - '0' == reader;
      }
    }
  }
  return found;
}

void joint_example_build(const joint_example *one, memplan_problem *problem) {
  build_graph(problem);
  int32_t n = (int32_t)strlen(one->sizes);
  bool read[16] = {false};
  for (int32_t w = 0; w < n; w++) {
    for (int32_t r = 0; r < n; r++) {
      read[w] = read[w] || reads(one, r, w);
    }
  }
  for (int32_t op = 0; op < n; op++) {
    char id[16];
    (void)snprintf(id, sizeof id, "t%d", op);
    build_tensor(&problem->graph, id, one->sizes[op] - '0', read[op] ? 0 : MEMPLAN_ROLE_OUTPUT);
  }
  for (int32_t op = 0; op < n; op++) {
    char in[64] = "", id[16], out[16], before[16];
    (void)snprintf(id, sizeof id, "o%d", op);
    (void)snprintf(out, sizeof out, "t%d", op);
    for (int32_t w = 0; w < n; w++) {
      if (reads(one, op, w)) {
        size_t used = strlen(in);
        (void)snprintf(in + used, sizeof in - used, "%st%d", used > 0 ? " " : "", w);
      }
    }
    memplan_op *made = build_op(&problem->graph, id, in, out);
    if (one->chain[0] != '\0' && op > 0) {
      (void)snprintf(before, sizeof before, "o%d", op - 1);
      build_after(&problem->graph, made, before);
    }
    for (int32_t w = 0; w < n && op == one->overwriter; w++) {
      if (reads(one, op, w) && one->sizes[w] == one->sizes[op]) {
        char input[16];
        (void)snprintf(input, sizeof input, "t%d", w);
        build_inplace(&problem->graph, made, out, input);
      }
    }
  }
  build_finish(problem);
}
