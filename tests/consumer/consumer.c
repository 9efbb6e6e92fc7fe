// SPDX-License-Identifier: Apache-2.0
// A program outside memplan: plans the model named by its argument, prints the peak, and converts the problem in
// memory. Built against the installed library, as C and as C++, through find_package (CMakeLists.txt here) and through
// pkg-config.
#include <memplan.h>

#include <stdio.h>
#include <stdlib.h>

static memplan_status convert(const memplan_problem *problem, const memplan_solution *solution, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  memplan_problem again;
  memplan_problem_init(&again);
  memplan_status status = memplan_export_text(problem, solution, "instance-json", NULL, &text, &length, NULL, error);
  if (status == MEMPLAN_OK) {
    status = memplan_read_text(text, length, "placement.json", NULL, NULL, &again, error);
  }
  if (status == MEMPLAN_OK) {
    printf("%d buffers\n", (int)again.instance.n_buffers);
  }
  memplan_problem_free(&again);
  free(text);
  return status;
}

int main(int argc, char **argv) {
  memplan_error error;
  memplan_problem problem;
  memplan_solution solution;
  if (argc != 2) {
    fprintf(stderr, "usage: consumer FILE\n");
    return 2;
  }
  memplan_problem_init(&problem);
  memplan_solution_init(&solution);
  memplan_status status = memplan_read(argv[1], NULL, NULL, &problem, &error);
  if (status == MEMPLAN_OK) {
    status = memplan_solve(&problem, NULL, &solution, &error);
  }
  if (status == MEMPLAN_OK) {
    printf("memplan %s: %s, peak %lld, lower bound %lld\n", memplan_version(), memplan_outcome_name(solution.outcome),
           (long long)solution.plan.peak, (long long)solution.plan.lower_bound);
    status = convert(&problem, &solution, &error);
  }
  if (status != MEMPLAN_OK) {
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return status == MEMPLAN_OK ? 0 : 1;
}
