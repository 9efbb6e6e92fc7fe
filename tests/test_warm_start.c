// SPDX-License-Identifier: Apache-2.0
// Orders and plans from outside: what is wrong with a listed order is told by line and operator, a right one is
// followed, and what begins with a plan never ends worse.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>

#include "tests/support/order_optimum.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

enum { seed = 20251130 };

static const char diamond[] =
    "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"x\",\"bytes\":1,\"roles\":[\"input\"]},"
    "{\"id\":\"p\",\"bytes\":10},{\"id\":\"q\",\"bytes\":20},{\"id\":\"y\",\"bytes\":1,\"roles\":[\"output\"]}],"
    "\"ops\":[{\"id\":\"left\",\"in\":[\"x\"],\"out\":[\"p\"]},{\"id\":\"right\",\"in\":[\"x\"],\"out\":[\"q\"]},"
    "{\"id\":\"join\",\"in\":[\"p\",\"q\"],\"out\":[\"y\"]}]}";

static memplan_status solve_listed(const memplan_problem *problem, const char *text, memplan_solution *solution,
                                   memplan_error *error) {
  memplan_listed_order listed;
  memplan_listed_order_init(&listed);
  memplan_solve_options options = memplan_solve_options_default();
  options.order = MEMPLAN_ORDER_FILE;
  options.listed = &listed;
  options.fixed_order = true;
  memplan_status status = memplan_listed_order_read_text(text, strlen(text), "o.txt", &listed, error);
  if (status == MEMPLAN_OK) {
    status = memplan_solve(problem, &options, solution, error);
  }
  memplan_listed_order_free(&listed);
  return status;
}

// A problem and what is found of it, twice.
typedef struct trial {
  memplan_problem problem;
  memplan_solution first, second;
  memplan_solve_options options; // of the second time
  memplan_error error;
} trial;

static void begin(trial *run) {
  *run = (trial){.options = memplan_solve_options_default()};
  support_read_good(&run->problem, "g.json", diamond);
  memplan_solution_init(&run->first);
  memplan_solution_init(&run->second);
}

static void end(trial *run) {
  memplan_solution_free(&run->second);
  memplan_solution_free(&run->first);
  memplan_problem_free(&run->problem);
}

static void refuse(const char *text, const char *expected) {
  trial run;
  begin(&run);
  assert_int_equal(solve_listed(&run.problem, text, &run.first, &run.error), MEMPLAN_INPUT);
  assert_string_equal(run.error.message, expected);
  end(&run);
}

static void errors_name_line_and_operator(void **state) {
  (void)state;
  refuse("left\n\nrihgt\njoin\n", "o.txt: line 3: the model has no operator 'rihgt'; is 'right' meant?");
  refuse("left\nsomething else\n", "o.txt: line 2: the model has no operator 'something else'; `memplan solve MODEL -o "
                                   "-` shows the ids, under order");
  refuse("left\nright\nleft\njoin\n", "o.txt: line 3: operator 'left' stands there again, after line 1: leave it out "
                                      "once");
  refuse("left\r\nright", "o.txt: operator 'join' is missing: an order names every operator once");
  refuse("join\n", "o.txt: operator 'left' is missing, and 1 more: an order names every operator once");
  refuse("left\njoin\nright\n",
         "o.txt: line 2: operator 'join' stands before 'right' (line 3), which must run first: move it behind");
  refuse(" \n\n", "o.txt: the file names no operator: an order is one operator id a line, or a plan");
  refuse("{\"format\":\"memplan-graph\"}", "o.txt: format must be \"memplan-plan\"; this is another kind of file");
}

static void texts_in_any_form_are_followed(void **state) {
  (void)state;
  static const char *const texts[] = {"right\nleft\njoin\n", "right\r\nleft\r\njoin",
                                      "\xEF\xBB\xBFright\n\nleft\njoin\n"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    trial run;
    begin(&run);
    assert_int_equal(solve_listed(&run.problem, texts[k], &run.first, &run.error), MEMPLAN_OK);
    assert_string_equal(run.first.order_method, MEMPLAN_ORDER_FILE);
    assert_string_equal(run.first.plan.order[0], "right");
    assert_int_equal(run.first.outcome, MEMPLAN_OPTIMAL);
    end(&run);
  }
}

// Some order of the ordering, drawn at random.
static void draw_order(const memplan_ordering *ordering, random_state *random, int32_t *order) {
  bool done[16] = {false};
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    int32_t ready[16], n = 0;
    for (int32_t op = 0; op < ordering->n_ops; op++) {
      bool good = !done[op];
      for (int32_t k = ordering->pred_first[op]; good && k < ordering->pred_first[op + 1]; k++) {
        good = done[ordering->pred[k]];
      }
      if (good) {
        ready[n++] = op;
      }
    }
    order[t] = ready[random_below(random, n)];
    done[order[t]] = true;
  }
}

// Solves on an order from a text; its peak is that of the order, and the plan read as an order gives the same plan.
static void follow(const memplan_problem *problem, const memplan_ordering *ordering, const int32_t *order) {
  char text[512] = "";
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    strcat(strcat(text, problem->graph.ops[order[t]].id), "\n");
  }
  memplan_arena arena = {0};
  memplan_profile profile;
  memplan_error error = {.message = ""};
  assert_int_equal(memplan_ordering_profile(ordering, order, &arena, &profile, &error), MEMPLAN_OK);
  memplan_solution first, second;
  memplan_solution_init(&first);
  memplan_solution_init(&second);
  assert_int_equal(solve_listed(problem, text, &first, &error), MEMPLAN_OK);
  assert_true(first.has_plan);
  assert_int_equal(first.order_peak, profile.peak);
  assert_true(first.plan.lower_bound >= profile.bound);
  assert_memory_equal(first.order, order, (size_t)ordering->n_ops * sizeof *order);
  char *plan = memplan_plan_text(&first.plan);
  assert_non_null(plan);
  assert_int_equal(solve_listed(problem, plan, &second, &error), MEMPLAN_OK);
  assert_memory_equal(second.order, order, (size_t)ordering->n_ops * sizeof *order);
  assert_int_equal(second.plan.peak, first.plan.peak);
  free(plan);
  memplan_solution_free(&second);
  memplan_solution_free(&first);
  memplan_arena_free(&arena);
}

static void random_orders_are_followed(void **state) {
  (void)state;
  for (uint64_t index = 0; index < 200; index++) {
    random_state random = random_start(seed, index);
    memplan_problem problem;
    memplan_ordering ordering;
    int32_t order[16];
    order_random_dag(&random, 4 + (int32_t)(index % 8), 12, &problem);
    build_finish(&problem);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
    draw_order(&ordering, &random, order);
    follow(&problem, &ordering, order);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

// Solves with a method that is often bad, then from its plan with others that do nothing better or search.
static bool improve(const memplan_problem *problem, const char *order, const char *place, int64_t work) {
  memplan_solve_options options = memplan_solve_options_default();
  memplan_solution first, second;
  memplan_error error = {.message = ""};
  memplan_solution_init(&first);
  memplan_solution_init(&second);
  options.order = problem->has_graph ? "given" : NULL;
  options.place = "naive";
  memplan_status status = memplan_solve(problem, &options, &first, &error);
  bool compared = status == MEMPLAN_OK && first.has_plan;
  if (compared) {
    options.order = order;
    options.place = place;
    options.limits.work = work;
    options.start = &first.plan;
    status = memplan_solve(problem, &options, &second, &error);
    if (status != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    assert_true(second.has_plan);
    bool pools = problem->has_graph ? problem->graph.n_pools > 1 : problem->instance.n_pools > 1;
    assert_true(pools || second.plan.peak <= first.plan.peak);
    assert_true(second.plan.lower_bound <= second.plan.peak || pools);
  }
  memplan_solution_free(&second);
  memplan_solution_free(&first);
  return compared;
}

static void a_start_is_never_made_worse(void **state) {
  (void)state;
  int32_t compared = 0;
  memplan_error error = {.message = ""};
  for (uint64_t index = 0; index < 400; index++) {
    random_state random = random_start(seed + 1, index);
    memplan_problem problem;
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 60, .pools = index % 4 == 0, .pins = index % 4 == 1};
    random_graph(&random, &wishes, &problem);
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      compared += improve(&problem, NULL, NULL, 20000) ? 1 : 0;
      compared += improve(&problem, "lpmf", "naive", 0) ? 1 : 0;
      compared += improve(&problem, "optimal", "optimal", 1000) ? 1 : 0;
    }
    memplan_problem_free(&problem);
    random_instance_options lifetimes = {.max_buffers = 9, .max_bytes = 40, .pools = index % 3 == 0, .rules = true};
    random_instance(&random, &lifetimes, &problem);
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      compared += improve(&problem, NULL, NULL, 20000) ? 1 : 0;
      compared += improve(&problem, NULL, "naive", 0) ? 1 : 0;
    }
    memplan_problem_free(&problem);
  }
  assert_true(compared > 500);
}

// What keeps a plan from being a start is what verify says of it.
static void a_wrong_start_is_refused(void **state) {
  (void)state;
  trial run;
  begin(&run);
  assert_int_equal(memplan_solve(&run.problem, NULL, &run.first, &run.error), MEMPLAN_OK);
  run.first.plan.order[2] = run.first.plan.order[1];
  run.options.start = &run.first.plan;
  run.options.start_path = "p.json";
  assert_int_equal(memplan_solve(&run.problem, &run.options, &run.second, &run.error), MEMPLAN_INPUT);
  assert_non_null(strstr(run.error.message, "p.json is not valid here: "));
  assert_non_null(strstr(run.error.message, run.first.plan.order[1]));
  end(&run);
}

// A capacity, and bounds and a status that do not hold, are no part of a start.
static void a_start_may_come_from_elsewhere(void **state) {
  (void)state;
  trial run;
  begin(&run);
  assert_int_equal(memplan_solve(&run.problem, NULL, &run.first, &run.error), MEMPLAN_OK);
  run.first.plan.fingerprint = "sha256:0";
  run.first.plan.lower_bound = run.first.plan.peak + 1;
  run.options.start = &run.first.plan;
  assert_int_equal(memplan_solve(&run.problem, &run.options, &run.second, &run.error), MEMPLAN_OK);
  assert_int_equal(run.second.plan.peak, run.first.plan.peak);
  assert_string_equal(run.second.order_method, "start");
  end(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_name_line_and_operator), cmocka_unit_test(texts_in_any_form_are_followed),
      cmocka_unit_test(random_orders_are_followed),    cmocka_unit_test(a_start_is_never_made_worse),
      cmocka_unit_test(a_wrong_start_is_refused),      cmocka_unit_test(a_start_may_come_from_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
