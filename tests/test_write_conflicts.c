// SPDX-License-Identifier: Apache-2.0
// Problems written as sizes and pairs of conflicts, and read back.
#include "model/memplan.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static memplan_status export(const memplan_problem *problem, char **sizes, char **pairs, memplan_error *error) {
  memplan_export_report report;
  memplan_export_options options = {.conflicts = pairs};
  size_t length;
  *pairs = NULL;
  memplan_export_report_init(&report);
  memplan_status status = memplan_export_text(problem, NULL, "csv", &options, sizes, &length, &report, error);
  memplan_export_report_free(&report);
  assert_true((status == MEMPLAN_OK) == (*pairs != NULL));
  return status;
}

static void read_back(const char *sizes, const char *pairs, memplan_problem *problem) {
  char path[] = "/tmp/memplan-pairs-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, pairs, strlen(pairs)), (ssize_t)strlen(pairs));
  (void)close(descriptor);
  memplan_problem_options options = memplan_problem_options_default();
  options.conflicts_path = path;
  memplan_error error = {0};
  memplan_status status = support_read(problem, "t.csv", sizes, &options, &error);
  (void)unlink(path);
  if (status != MEMPLAN_OK) {
    fail_msg("%s: %s", error.message, sizes);
  }
}

// By the parts and rules that resolve has derived: may the two never share a byte?
static bool conflict(const memplan_instance *instance, int32_t first, int32_t second) {
  const memplan_block *a = &instance->blocks[instance->block_of[first]];
  int32_t other = instance->block_of[second];
  const memplan_block *b = &instance->blocks[other];
  for (int32_t k = a->first_apart; k < a->first_apart + a->n_apart; k++) {
    if (instance->apart[k].block == other) {
      return true;
    }
  }
  for (int32_t k = a->first_part; k < a->first_part + a->n_parts; k++) {
    for (int32_t l = b->first_part; l < b->first_part + b->n_parts; l++) {
      if (instance->parts[k].start < instance->parts[l].end && instance->parts[l].start < instance->parts[k].end) {
        return true;
      }
    }
  }
  return false;
}

static int32_t find(const memplan_instance *instance, const char *id) {
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    if (strcmp(instance->buffers[k].id, id) == 0) {
      return k;
    }
  }
  fail_msg("no buffer %s", id);
  return -1;
}

static void same_conflicts(const memplan_instance *from, const memplan_instance *to) {
  assert_int_equal(from->n_buffers, to->n_buffers);
  for (int32_t i = 0; i < from->n_buffers; i++) {
    int32_t k = find(to, from->buffers[i].id);
    assert_int_equal(from->buffers[i].bytes, to->buffers[k].bytes);
    assert_int_equal(from->buffers[i].align, to->buffers[k].align);
    assert_int_equal(to->buffers[k].n_live, 0);
    for (int32_t j = 0; j < i; j++) {
      bool empty = from->buffers[i].bytes == 0 || from->buffers[j].bytes == 0;
      bool expected = !empty && conflict(from, i, j);
      assert_int_equal(conflict(to, k, find(to, from->buffers[j].id)), expected);
    }
  }
}

static void round_trips(void **state) {
  (void)state;
  int32_t n_written = 0, n_refused = 0;
  for (uint64_t index = 0; index < 2000; index++) {
    random_state random = random_start(515, index);
    random_instance_options wishes = {.max_buffers = 6, .max_bytes = 9, .rules = index % 2 == 0};
    memplan_problem problem, again;
    memplan_error error = {0};
    random_instance(&random, &wishes, &problem);
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      char *sizes = NULL, *pairs = NULL, *more_sizes = NULL, *more_pairs = NULL;
      if (export(&problem, &sizes, &pairs, &error) == MEMPLAN_OK) {
        n_written++;
        read_back(sizes, pairs, &again);
        same_conflicts(&problem.instance, &again.instance);
        assert_int_equal(export(&again, &more_sizes, &more_pairs, &error), MEMPLAN_OK);
        assert_string_equal(sizes, more_sizes);
        assert_string_equal(pairs, more_pairs);
        memplan_problem_free(&again);
      } else {
        n_refused++;
        assert_int_equal(error.status, MEMPLAN_UNSUPPORTED);
        assert_non_null(strstr(error.message, "csv with --conflicts-out cannot carry: "));
      }
      free(sizes);
      free(pairs);
      free(more_sizes);
      free(more_pairs);
    }
    memplan_problem_free(&problem);
  }
  assert_true(n_written > 300 && n_refused > 100);
}

static void by_hand(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"x,1\",\"bytes\":4,\"align\":2,"
      "\"live\":[[0,2],[5,6]]},{\"id\":\"first\",\"bytes\":3,\"live\":[[2,5]]},{\"id\":\"c\",\"bytes\":5,"
      "\"live\":[[-3,1],[5,9]]},{\"id\":\"d\",\"bytes\":0,\"live\":[[0,9]]},{\"id\":\"e\",\"bytes\":1}],"
      "\"separate\":[[\"e\",\"c\"]],\"conflicts\":[[\"first\",\"x,1\"]]}";
  memplan_problem problem;
  memplan_error error = {0};
  char *sizes = NULL, *pairs = NULL;
  support_read_good(&problem, "t.json", text);
  assert_int_equal(export(&problem, &sizes, &pairs, &error), MEMPLAN_OK);
  assert_string_equal(sizes, "id,size,alignment\n\"x,1\",4,2\nfirst,3,1\nc,5,1\nd,0,1\ne,1,1\n");
  // No header, since one of its words is an id.
  assert_string_equal(pairs, "\"x,1\",first\n\"x,1\",c\nc,e\n");
  memplan_problem again;
  read_back(sizes, pairs, &again);
  assert_int_equal(again.instance.n_conflicts, 3);
  memplan_problem_free(&again);
  memplan_problem_free(&problem);
  free(sizes);
  free(pairs);
}

#define START "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":8,\"live\":[[0,9]]"

static void refuses_by_name(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {",\"gaps\":[{\"at\":[1,2],\"bytes\":[0,4]}]}]}", "gaps in which a part stays (1, first 'a')"},
      {"}],\"pools\":[{\"id\":\"p\"},{\"id\":\"q\"}]}", "several pools (2)"},
      {"}],\"pools\":[{\"id\":\"p\",\"reserved\":[[0,4]]}]}", "reserved ranges (1)"},
      {"},{\"id\":\"b\",\"bytes\":2,\"live\":[[9,10]]}],\"colocate\":[[\"a\",\"b\"]]}", "rules `colocate` (1)"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[300];
    memplan_problem problem;
    memplan_error error = {0};
    char *sizes = NULL, *pairs = NULL;
    (void)snprintf(text, sizeof text, "%s%s", START, rows[k][0]);
    support_read_good(&problem, "t.json", text);
    assert_int_equal(export(&problem, &sizes, &pairs, &error), MEMPLAN_UNSUPPORTED);
    if (strstr(error.message, rows[k][1]) == NULL) {
      fail_msg("'%s' is not in: %s", rows[k][1], error.message);
    }
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(refuses_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
