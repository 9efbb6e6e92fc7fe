// SPDX-License-Identifier: Apache-2.0
// A gadget with a joint gap joined to a net of cells: with the large one there are too many operators for the joint
// engine on the whole of it, so that windows and nogoods have to prove the gap.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "eval/check_proof.h"
#include "model/memplan.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { gadget_ops = 7 };
static const int64_t sizes[gadget_ops] = {2, 2, 1, 1, 1, 2, 2}; // of what each writes, in units
static const char *const reads[gadget_ops] = {"", "0", "1", "12", "23", "34", "5"};

static void add_gadget(json_t *net, int64_t unit, size_t at, const char *input) {
  json_t *ops = json_object_get(net, "ops"), *tensors = json_object_get(net, "tensors");
  for (int k = 0; k < gadget_ops; k++) {
    char id[8], op[8];
    (void)snprintf(id, sizeof id, "gap%d", k);
    (void)snprintf(op, sizeof op, "gop%d", k);
    json_t *in = json_array();
    for (const char *from = reads[k]; *from != '\0'; from++) {
      json_array_append_new(in, json_sprintf("gap%c", *from));
    }
    if (k == 0 && input != NULL) {
      json_array_append_new(in, json_string(input));
    }
    json_array_append_new(tensors, json_pack("{s:s,s:I}", "id", id, "bytes", (json_int_t)(sizes[k] * unit)));
    json_array_insert_new(ops, at + (size_t)k, json_pack("{s:s,s:o,s:[s]}", "id", op, "in", in, "out", id));
  }
}

// Percent: the share of the net's operators before the one that the gadget reads from; 30 operators later it is read.
// -1: nothing ties it to the net.
static void join(const char *folder, const char *file, int64_t unit, int32_t percent, memplan_problem *problem) {
  char path[4096];
  memplan_error error = {0};
  assert_true(snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path);
  json_t *net = json_load_file(path, 0, NULL);
  assert_non_null(net);
  json_t *ops = json_object_get(net, "ops");
  size_t n = json_array_size(ops), at = percent < 0 ? n : n * (size_t)percent / 100 + 1;
  json_t *reader = json_array_get(ops, at + 29 < n ? at + 29 : n - 1);
  const char *input =
      percent < 0 ? NULL : json_string_value(json_array_get(json_object_get(json_array_get(ops, at - 1), "out"), 0));
  if (percent >= 0) {
    json_array_append_new(json_object_get(reader, "in"), json_string("gap6"));
  }
  add_gadget(net, unit, at, input);
  char *text = json_dumps(net, JSON_COMPACT);
  assert_non_null(text);
  memplan_problem_init(problem);
  if (memplan_read_text(text, strlen(text), "joined.json", NULL, NULL, problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  free(text);
  json_decref(net);
}

// Proven, with a certificate that holds.
static void proven(const memplan_problem *problem, int64_t optimum) {
  memplan_solution solution;
  memplan_certificate certificate;
  memplan_error error = {0};
  memplan_check_result result;
  const memplan_limits limits = memplan_limits_default();
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(problem, NULL, &solution, &error), MEMPLAN_OK);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(solution.plan.peak, optimum);
  assert_true(solution.order_lower_bound < optimum);
  assert_int_equal(memplan_certify(problem, &solution, &limits, 1 << 26, &certificate, &error), MEMPLAN_OK);
  assert_non_null(certificate.text);
  assert_int_equal(memplan_check_certificate(problem, certificate.text, certificate.length, &result, &error),
                   MEMPLAN_OK);
  assert_true(result.proven && result.every_order && result.claim == optimum);
  print_message("%d operators: order bound %lld, arena %lld, certificate of kind %s, %zu bytes\n", problem->graph.n_ops,
                (long long)solution.order_lower_bound, (long long)optimum, certificate.kind, certificate.length);
  memplan_certificate_free(&certificate);
  memplan_solution_free(&solution);
}

static void beside_cells(void **state) {
  (void)state;
  const char *folder = getenv("MEMPLAN_SOURCE_DIR");
  if (folder == NULL) {
    print_message("MEMPLAN_SOURCE_DIR is not set: there is no net\n");
    skip();
  }
  static const char net[] = "instances/examples/nasnet_cells.json";
  memplan_problem problem;
  join(folder, net, 2104256, -1, &problem);
  proven(&problem, 10521280);
  memplan_problem_free(&problem);
  join(folder, net, 1900000, 70, &problem);
  proven(&problem, 9775968);
  memplan_problem_free(&problem);
}

static void beside_a_large_net(void **state) {
  (void)state;
  const char *folder = getenv("MEMPLAN_DATA");
  if (folder == NULL) {
    print_message("MEMPLAN_DATA is not set: there is no net\n");
    skip();
  }
  memplan_problem problem;
  join(folder, "order/nasnet-cifar-k6-f32.json", 507904, -1, &problem);
  proven(&problem, 2539520);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beside_cells),
      cmocka_unit_test(beside_a_large_net),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
