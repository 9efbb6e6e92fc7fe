// SPDX-License-Identifier: Apache-2.0
// Problems on which a deliberately wrong oracle differs from the right one, or a wrong assertion fails, and what is
// left of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/problem_text.h"
#include "tests/support/shrink.h"
#include "tests/support/tiny_placement.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 22 };

// An oracle that takes the load for the optimum.
static bool load_is_wrong(const memplan_problem *problem, void *context) {
  const int64_t *limits = context;
  memplan_arena arena = {0};
  memplan_place_problem place;
  tiny_place(problem, limits, &arena, &place);
  bool wrong = tiny_optimum(&place, LIMIT) > tiny_load(&place);
  memplan_arena_free(&arena);
  return wrong;
}

// Still a difference, and no further step is left.
static void what_is_left_is_small(void **state) {
  (void)state;
  int32_t shrunk = 0, gone = 0, left[16] = {0};
  for (uint64_t index = 0; shrunk < 6; index++) {
    random_state random = random_start(31, index);
    tiny_placement tiny;
    if (!tiny_make(&random, TINY_TIGHT, 12, true, &tiny)) {
      continue;
    }
    if (load_is_wrong(&tiny.problem, tiny.limits)) {
      char *text = support_export(&tiny.problem, "instance-json");
      char *small = shrink_text(text, NULL, load_is_wrong, tiny.limits);
      assert_non_null(small);
      assert_true(strlen(small) < strlen(text));
      memplan_problem problem;
      support_read_good(&problem, "small.json", small);
      assert_true(load_is_wrong(&problem, tiny.limits));
      assert_true(problem.instance.n_buffers <= tiny.problem.instance.n_buffers);
      gone += tiny.problem.instance.n_buffers - problem.instance.n_buffers;
      left[problem.instance.n_buffers]++;
      memplan_problem_free(&problem);
      char *again = shrink_text(small, NULL, load_is_wrong, tiny.limits);
      assert_non_null(again);
      assert_string_equal(again, small);
      free(again);
      free(small);
      free(text);
      shrunk++;
    }
    tiny_free(&tiny);
  }
  assert_true(gone > 3);
  assert_int_equal(left[0] + left[1] + left[2], 0); // two buffers always fit within the load
}

// An oracle that does not know pins.
static bool pin_is_forgotten(const memplan_problem *problem, void *context) {
  (void)context;
  for (int32_t k = 0; k < problem->instance.n_buffers; k++) {
    if (problem->instance.buffers[k].pin > 0 && problem->instance.buffers[k].bytes >= 3) {
      return true;
    }
  }
  return false;
}

static void one_buffer_is_left_with_its_least_numbers(void **state) {
  (void)state;
  memplan_problem problem, small_problem;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  build_buffer(instance, "a", 0, 9, 12);
  build_buffer(instance, "b", 2, 7, 40)->pin = 64;
  build_buffer(instance, "c", 4, 8, 2)->pin = 16;
  build_separate(instance, "a", "c");
  build_finish(&problem);
  char *text = support_export(&problem, "instance-json");
  char *small = shrink_text(text, NULL, pin_is_forgotten, NULL);
  assert_non_null(small);
  support_read_good(&small_problem, "small.json", small);
  assert_int_equal(small_problem.instance.n_buffers, 1);
  assert_string_equal(small_problem.instance.buffers[0].id, "b");
  assert_int_equal(small_problem.instance.buffers[0].bytes, 3);
  assert_int_equal(small_problem.instance.buffers[0].pin, 1);
  memplan_problem_free(&small_problem);
  free(small);
  free(text);
  memplan_problem_free(&problem);
}

// ---- checks that assert

static void no_pin(const memplan_problem *problem, void *context) {
  assert_false(pin_is_forgotten(problem, context));
  assert_true(problem->instance.n_buffers > 0); // another assertion, which smaller problems must not be taken for
}

static void build_pinned(memplan_problem *problem) {
  build_instance(problem);
  memplan_instance *instance = &problem->instance;
  build_buffer(instance, "a", 0, 9, 12);
  build_buffer(instance, "b", 2, 7, 40)->pin = 64;
  build_separate(instance, "a", "b");
  build_finish(problem);
}

static void fail_in_check(void **state) {
  (void)state;
  memplan_problem problem;
  int context = 7;
  build_pinned(&problem);
  shrink_checked(&problem, no_pin, &context, sizeof context, "pins, seed %d", 5);
  memplan_problem_free(&problem);
}

// A program whose only test fails prints at its end what was checked.
static void run_failing_program(int out) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fail_in_check)};
  int nowhere = open("/dev/null", O_WRONLY);
  (void)dup2(out, STDOUT_FILENO);
  (void)dup2(nowhere, STDERR_FILENO);
  exit(cmocka_run_group_tests(tests, NULL, NULL) == 1 ? 3 : 4);
}

static void a_failed_check_is_shrunk(void **state) {
  (void)state;
  int pipes[2], status = 0;
  char text[8192];
  size_t length = 0;
  (void)fflush(NULL);
  assert_int_equal(pipe(pipes), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    run_failing_program(pipes[1]);
  }
  (void)close(pipes[1]);
  for (ssize_t got = 1; got > 0 && length<sizeof text - 1; length += got> 0 ? (size_t)got : 0) {
    got = read(pipes[0], text + length, sizeof text - 1 - length);
  }
  text[length] = '\0';
  (void)close(pipes[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
  assert_non_null(strstr(text, "pins, seed 5 failed"));
  const char *left = strstr(text, "shrunk:\n");
  assert_non_null(left);
  memplan_problem problem;
  support_read_good(&problem, "left.json", left + strlen("shrunk:\n"));
  assert_int_equal(problem.instance.n_buffers, 1);
  assert_int_equal(problem.instance.buffers[0].bytes, 3);
  assert_int_equal(problem.instance.buffers[0].pin, 1);
  memplan_problem_free(&problem);
}

static void a_check_that_holds_is_silent(void **state) {
  (void)state;
  memplan_problem problem;
  int context = 7;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 9, 12);
  build_finish(&problem);
  shrink_checked(&problem, no_pin, &context, sizeof context, "no pins");
  memplan_problem_free(&problem);
}

// ---- nothing to do

static bool never(const memplan_problem *problem, void *context) {
  (void)problem;
  (void)context;
  return false;
}

static void nothing_is_made_of_what_does_not_differ(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 9, 12);
  build_finish(&problem);
  char *text = support_export(&problem, "instance-json");
  assert_null(shrink_text(text, NULL, never, NULL));
  assert_null(shrink_text("{\"a\": [1, \"\\", NULL, never, NULL));
  free(text);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_left_is_small),
      cmocka_unit_test(one_buffer_is_left_with_its_least_numbers),
      cmocka_unit_test(a_failed_check_is_shrunk),
      cmocka_unit_test(a_check_that_holds_is_silent),
      cmocka_unit_test(nothing_is_made_of_what_does_not_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
