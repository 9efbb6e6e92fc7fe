// SPDX-License-Identifier: Apache-2.0
// A program outside memplan: plans the model named by its argument. Built against the installed library, as C and as
// C++, through find_package (CMakeLists.txt here) and through pkg-config.
#include <memplan.h>
#include <stdio.h>

int main(int argc, char **argv) {
  memplan_error error;
  memplan_problem problem;
  memplan_solution solution;
  memplan_problem_init(&problem);
  memplan_solution_init(&solution);
  memplan_status status = argc == 2 ? memplan_read(argv[1], NULL, NULL, &problem, &error) : MEMPLAN_INPUT;
  if (status == MEMPLAN_OK) {
    status = memplan_solve(&problem, NULL, &solution, &error);
  }
  if (status == MEMPLAN_OK) {
    printf("memplan %s: %s, peak %lld, lower bound %lld\n", memplan_version(), memplan_outcome_name(solution.outcome),
           (long long)solution.plan.peak, (long long)solution.plan.lower_bound);
  } else {
    fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: consumer MODEL");
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return status == MEMPLAN_OK ? 0 : 1;
}
