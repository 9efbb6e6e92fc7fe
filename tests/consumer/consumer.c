// SPDX-License-Identifier: Apache-2.0
// A program outside memplan: plans the model named by its argument and prints the peak. Built against the installed
// library, through find_package (CMakeLists.txt here) and through pkg-config.
#include <memplan.h>

#include <stdio.h>

int main(int argc, char **argv) {
  memplan_error error = {0};
  memplan_problem problem;
  memplan_solution solution;
  memplan_problem_options options = memplan_problem_options_default();
  if (argc != 2) {
    fprintf(stderr, "usage: consumer FILE\n");
    return 2;
  }
  memplan_problem_init(&problem);
  memplan_solution_init(&solution);
  memplan_status status = memplan_read(argv[1], NULL, &options, &problem, &error);
  if (status == MEMPLAN_OK) {
    status = memplan_solve(&problem, NULL, &solution, &error);
  }
  if (status == MEMPLAN_OK) {
    printf("memplan %s: %s, peak %lld, lower bound %lld\n", memplan_version(), memplan_outcome_name(solution.outcome),
           (long long)solution.plan.peak, (long long)solution.plan.lower_bound);
  } else {
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return status == MEMPLAN_OK ? 0 : 1;
}
