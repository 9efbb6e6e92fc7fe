// SPDX-License-Identifier: Apache-2.0
// Certificates of several pools at once: of no pool do they claim more than the least peak that it has in any plan,
// found by trying all, and where nothing is said to be missing, all peaks of the plan; changed or not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "eval/check_proof.h"
#include "model/memplan.h"
#include "tests/support/build_problem.h"
#include "tests/support/joint_proof_case.h"
#include "tests/support/pool_case.h"
#include "tests/support/problem_text.h"
#include "tests/support/temporary_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static memplan_certificate certify(const memplan_problem *problem, const memplan_solution *solution, int64_t most) {
  memplan_limits limits = memplan_limits_default();
  memplan_certificate certificate;
  memplan_error error = {0};
  limits.work = 20000000;
  limits.threads = 1;
  if (memplan_certify(problem, solution, &limits, most, &certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return certificate;
}

static void solve(const memplan_problem *problem, memplan_solution *solution) {
  memplan_solve_options options = memplan_solve_options_default();
  memplan_error error = {0};
  options.limits.threads = 1;
  options.limits.work = 20000000;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

// ---- mutants

static json_t *part_of(const json_t *lines, size_t line) {
  return json_object_get(json_array_get(lines, line), "certificate");
}

// Some list within the value, or NULL.
static json_t *random_list(random_state *random, json_t *value, int32_t depth) {
  json_t *list = json_is_array(value) ? value : NULL;
  for (int32_t k = 0; k < depth; k++) {
    size_t n = json_is_array(value) ? json_array_size(value) : json_object_size(value);
    if (n == 0) {
      break;
    }
    size_t at = (size_t)random_below(random, (int32_t)n);
    if (json_is_array(value)) {
      value = json_array_get(value, at);
    } else {
      void *entry = json_object_iter(value);
      while (at-- > 0) {
        entry = json_object_iter_next(value, entry);
      }
      value = json_object_iter_value(entry);
    }
    list = json_is_array(value) ? value : list;
  }
  return list;
}

// A dropped, doubled or changed entry of a list: a premise, a number, an id, a line or a whole certificate.
static void change_entry(random_state *random, json_t *lines) {
  json_t *list = random_list(random, lines, 1 + random_below(random, 7));
  size_t n = json_array_size(list), at = n > 0 ? (size_t)random_below(random, (int32_t)n) : 0;
  if (n == 0 || (list == lines && at == 0)) {
    return;
  }
  json_t *entry = json_array_get(list, at);
  if (json_is_integer(entry) && random_chance(random, 70)) {
    json_array_set_new(list, at, json_integer(json_integer_value(entry) + random_below(random, 5) - 2));
  } else if (random_chance(random, 50)) {
    json_array_remove(list, at);
  } else {
    json_array_insert_new(list, at, json_deep_copy(json_array_get(list, (size_t)random_below(random, (int32_t)n))));
  }
}

// Claims, pools, times, buffers.
static void change_head(random_state *random, json_t *lines) {
  size_t n = json_array_size(lines), line = (size_t)random_below(random, (int32_t)n);
  json_t *head = line == 0 ? json_array_get(lines, 0) : json_array_get(part_of(lines, line), 0);
  static const char *const pools[] = {"p", "q", "r"}, *const buffers[] = {"a", "b", "c", "d"};
  if (!json_is_object(head)) {
    return;
  }
  switch (random_below(random, 4)) {
  case 0:
    json_object_set_new(head, "pool", json_string(pools[random_below(random, 3)]));
    break;
  case 1:
    json_object_set_new(head, "time", json_integer(random_below(random, 6)));
    break;
  case 2:
    json_array_append_new(json_object_get(head, "buffers"), json_string(buffers[random_below(random, 4)]));
    break;
  default:
    break;
  }
  int64_t claim = json_integer_value(json_object_get(head, "claim"));
  json_object_set_new(head, "claim", json_integer(claim + random_below(random, 3)));
}

typedef struct counts {
  int64_t made, pools, whole, clauses; // certificates; of kind pools; of them, that say all, with clauses in them
  int64_t mutants, proven;
} counts;

// What is proven is no more than the least peaks.
static bool is_true(const pool_trial *trial, const memplan_check_result *result) {
  bool good = result->n_pools > 0;
  int64_t most = 0;
  for (int32_t k = 0; k < result->n_pools; k++) {
    good = good && result->pools[k].claim <= trial->least[result->pools[k].pool];
    most = result->pools[k].claim > most ? result->pools[k].claim : most;
  }
  return good && result->claim <= most;
}

static void try_mutants(counts *all, const memplan_problem *problem, const memplan_certificate *made,
                        const pool_trial *trial, random_state *random) {
  for (int32_t k = 0; k < 10; k++) {
    json_t *lines = joint_proof_split(made->text, made->length);
    change_head(random, lines);
    for (int32_t times = random_below(random, 3); times > 0; times--) {
      change_entry(random, lines);
    }
    size_t length;
    char *text = joint_proof_unite(lines, &length);
    memplan_check_result result = joint_proof_check(problem, text, length);
    if (result.proven && !is_true(trial, &result)) {
      fail_msg("too much is proven by\n%s", text);
    }
    all->mutants++;
    all->proven += result.proven;
    free(text);
    json_decref(lines);
  }
}

static void look_at(counts *all, const memplan_problem *problem, const pool_trial *trial, uint64_t index,
                    random_state *random) {
  memplan_solution solution;
  solve(problem, &solution);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  memplan_certificate made = certify(problem, &solution, JOINT_PROOF_MOST);
  assert_true(made.text != NULL || made.missing != NULL);
  all->made += made.text != NULL;
  if (made.text != NULL) {
    int64_t peaks[POOL_POOLS];
    memplan_check_result result = joint_proof_check(problem, made.text, made.length);
    memplan_pool_peaks(&problem->instance, solution.offset, solution.pool, peaks);
    bool several = strcmp(made.kind, "pools") == 0;
    if (!result.proven || (several && !is_true(trial, &result)) || result.claim != made.claim) {
      fail_msg("%" PRIu64 ": %s: %s", index, result.reason, made.text);
    }
    if (made.missing == NULL) { // whatever is minimised
      assert_true(made.claim == solution.plan.peak && memcmp(peaks, trial->least, sizeof peaks[0] * 2) == 0);
    }
    if (several) {
      all->pools++;
      all->whole += made.missing == NULL;
      all->clauses += strstr(made.text, "\"clauses\"") != NULL;
      for (int32_t k = 0; k < result.n_pools; k++) {
        assert_true(made.missing != NULL || result.pools[k].claim == peaks[result.pools[k].pool]);
      }
      try_mutants(all, problem, &made, trial, random);
    }
  }
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
}

static void of_random_pools(void **state) {
  (void)state;
  static const int32_t each[] = {0, 1, 2};
  counts all = {0};
  for (uint64_t index = 0; index < 1200; index++) {
    random_state random = random_start(977, index);
    memplan_problem problem;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    pool_draw(&random, index % 4 == 0 ? 4 : 3, &problem.instance);
    bool forced = random_chance(&random, 60);
    for (int32_t k = 0; k < problem.instance.n_buffers && forced; k++) {
      memplan_buffer *buffer = &problem.instance.buffers[k];
      buffer->pools = &each[random_below(&random, problem.instance.n_pools)];
      buffer->n_pools = 1;
    }
    problem.has_instance = true;
    pool_trial trial = {.instance = &problem.instance};
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      pool_try_all(&trial);
    }
    if (trial.any) {
      look_at(&all, &problem, &trial, index, &random);
    }
    memplan_problem_free(&problem);
  }
  print_message("%lld certificates, %lld of several pools, %lld say all, %lld with clauses; %lld mutants, %lld prove "
                "less\n",
                (long long)all.made, (long long)all.pools, (long long)all.whole, (long long)all.clauses,
                (long long)all.mutants, (long long)all.proven);
  assert_true(all.made > 400 && all.pools > 150 && all.whole > 100 && all.clauses > 20 && all.mutants > 1500);
}

// ---- constructed cases

#define POOLS "\"pools\":[{\"id\":\"near\"},{\"id\":\"far\"}]"

static void expect(const memplan_problem *problem, json_t *lines, const char *why) {
  size_t length;
  char *text = joint_proof_unite(lines, &length);
  memplan_check_result result = joint_proof_check(problem, text, length);
  if (result.proven != (why == NULL) || (why != NULL && strstr(result.reason, why) == NULL)) {
    fail_msg("'%s' is not in '%s'", why != NULL ? why : "proven", result.reason);
  }
  free(text);
  json_decref(lines);
}

static void what_is_changed_fails(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":6,\"live\":[[0,2]],"
      "\"pools\":[\"far\"]},{\"id\":\"b\",\"bytes\":5,\"live\":[[1,3]],\"pools\":[\"far\"]},"
      "{\"id\":\"d\",\"bytes\":2,\"live\":[[0,3]],\"pools\":[\"near\"]}]," POOLS "}";
  static const char one_pool[] = "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\","
                                 "\"bytes\":6,\"live\":[[0,2]]}]}";
  memplan_problem problem, other;
  memplan_solution solution;
  support_read_good(&problem, "t.json", text);
  solve(&problem, &solution);
  memplan_certificate made = certify(&problem, &solution, JOINT_PROOF_MOST);
  assert_string_equal(made.kind, "pools");
  assert_true(made.missing == NULL && made.claim == 11 && !made.every_order);
  expect(&problem, joint_proof_split(made.text, made.length), NULL);
  // a premise less: what is left still says how large the other pool is
  json_t *lines = joint_proof_split(made.text, made.length);
  json_array_remove(lines, 2);
  expect(&problem, lines, "ends before its claim is proven");
  lines = joint_proof_split(made.text, made.length);
  json_array_remove(lines, 1);
  expect(&problem, lines, NULL);
  lines = joint_proof_split(made.text, made.length);
  json_array_clear(lines);
  json_array_append_new(lines, json_loadb(made.text, strcspn(made.text, "\n"), 0, NULL));
  expect(&problem, lines, "ends before its claim is proven");
  lines = joint_proof_split(made.text, made.length);
  json_array_clear(part_of(lines, 1));
  expect(&problem, lines, "no certificate of one pool");
  // a number changed
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(lines, 0), "claim", json_integer(12));
  expect(&problem, lines, "ends before its claim is proven");
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(lines, 0), "claim", json_integer(12));
  json_object_set_new(json_array_get(part_of(lines, 2), 0), "claim", json_integer(12));
  expect(&problem, lines, "line 1 of the certificate in it: less than the claim");
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(part_of(lines, 2), 0), "time", json_integer(2));
  expect(&problem, lines, "less than the claim");
  // a foreign one
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(part_of(lines, 1), 0), "pool", json_string("far"));
  expect(&problem, lines, "of the same pool");
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(part_of(lines, 1), 0), "pool", json_string("sea"));
  expect(&problem, lines, "names no pool");
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(part_of(lines, 1), 0), "kind", json_string("pools"));
  expect(&problem, lines, "no certificate of one pool");
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(part_of(lines, 1), 0), "fingerprint", json_string(""));
  expect(&problem, lines, "another problem");
  lines = joint_proof_split(made.text, made.length);
  json_array_append_new(lines, json_array());
  expect(&problem, lines, "no certificate of one pool");
  support_read_good(&other, "t.json", one_pool);
  lines = joint_proof_split(made.text, made.length);
  json_object_set_new(json_array_get(lines, 0), "fingerprint", json_string(other.fingerprint));
  expect(&other, lines, "of a problem with several");
  memplan_problem_free(&other);
  // a limit that each of them keeps and both together do not
  memplan_certificate less = certify(&problem, &solution, (int64_t)made.length - 1);
  assert_null(less.text);
  assert_non_null(strstr(less.missing, "larger than the limit"));
  memplan_certificate_free(&less);
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Two tensors in each of two pools, in a chain of which the order is given, or is not.
static void of_graphs(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-graph\",\"version\":1," POOLS ",\"tensors\":["
      "{\"id\":\"a\",\"bytes\":4,\"pools\":[\"far\"]},{\"id\":\"b\",\"bytes\":3,\"pools\":[\"near\"]},"
      "{\"id\":\"c\",\"bytes\":5,\"pools\":[\"far\"]},{\"id\":\"d\",\"bytes\":7,\"pools\":[\"near\"]}],"
      "\"ops\":[{\"id\":\"one\",\"in\":[],\"out\":[\"a\",\"b\"]},{\"id\":\"two\",\"in\":[],\"out\":[\"c\"]},"
      "{\"id\":\"three\",\"in\":[\"a\",\"c\"],\"out\":[\"d\"]},{\"id\":\"four\",\"in\":[\"b\",\"d\"],"
      "\"out\":[]}]}";
  memplan_problem problem;
  memplan_solution solution;
  support_read_good(&problem, "t.json", text);
  solve(&problem, &solution);
  memplan_certificate every = certify(&problem, &solution, JOINT_PROOF_MOST);
  assert_string_equal(every.kind, "pools");
  assert_true(every.every_order && every.missing == NULL && every.claim == 10);
  memplan_check_result result = joint_proof_check(&problem, every.text, every.length);
  assert_true(result.proven && result.every_order && !result.on_order && result.n_pools == 2);
  assert_true(result.pools[0].claim == 10 && result.pools[1].claim == 9);
  // of one order: loads on two different ones say nothing together
  char own[2048];
  const char *const orders[] = {"\"one\",\"two\",\"three\",\"four\"", "\"two\",\"one\",\"three\",\"four\""};
  for (int32_t other = 0; other < 3; other++) {
#define HEAD "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":"
    (void)snprintf(own, sizeof own,
                   HEAD "\"pools\",\"claim\":10}\n"
                        "{\"certificate\":[" HEAD "\"load\",\"claim\":10,\"pool\":\"near\",\"time\":2,\"order\":[%s],"
                        "\"inplace\":[]}]}\n"
                        "{\"certificate\":[" HEAD "\"load\",\"claim\":9,\"pool\":\"far\",\"time\":1,\"order\":[%s],"
                        "\"inplace\":[]%s}]}\n",
                   problem.fingerprint, problem.fingerprint, orders[0], problem.fingerprint, orders[other % 2],
                   other == 2 ? ",\"bodies\":[]" : "");
#undef HEAD
    result = joint_proof_check(&problem, own, strlen(own));
    assert_int_equal(result.proven, other == 0);
    assert_true(result.on_order && !result.every_order);
    if (other > 0) {
      assert_non_null(strstr(result.reason, "about different orders"));
    }
  }
  memplan_certificate_free(&every);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// A body counts where its operator's workspace has to lie.
static void of_bodies(void **state) {
  (void)state;
  static const int32_t near_only[] = {0}, far_only[] = {1};
  memplan_problem problem;
  memplan_solution solution;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  graph->pools = MEMPLAN_NEW(&graph->arena, memplan_pool, 2);
  assert_non_null(graph->pools);
  graph->pools[0] = (memplan_pool){.id = "near", .capacity = -1};
  graph->pools[1] = (memplan_pool){.id = "far", .capacity = -1};
  graph->n_pools = 2;
  memplan_tensor *v = &graph->tensors[build_tensor(graph, "v", 64, MEMPLAN_ROLE_INPUT)];
  v->pools = near_only;
  v->n_pools = 1;
  memplan_tensor *y = &graph->tensors[build_tensor(graph, "y", 48, MEMPLAN_ROLE_OUTPUT)];
  y->pools = far_only;
  y->n_pools = 1;
  memplan_op *op = build_op(graph, "if0", "v", "y");
  op->workspace_pools = far_only;
  op->n_workspace_pools = 1;
  build_body(graph, "if0", "then_branch", temporary_body(&problem, 100), true);
  build_body(graph, "if0", "else_branch", temporary_body(&problem, 60), true);
  build_finish(&problem);
  solve(&problem, &solution);
  memplan_certificate made = certify(&problem, &solution, JOINT_PROOF_MOST);
  assert_non_null(made.text);
  assert_true(made.every_order && made.missing == NULL && made.claim == 148);
  memplan_check_result result = joint_proof_check(&problem, made.text, made.length);
  assert_true(result.proven && result.every_order && result.n_pools == 2);
  assert_true(result.pools[0].claim == 64 && result.pools[1].claim == 148);
  json_t *lines = joint_proof_split(made.text, made.length);
  json_object_del(json_array_get(part_of(lines, 2), 0), "bodies");
  expect(&problem, lines, "");
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_pools),
      cmocka_unit_test(what_is_changed_fails),
      cmocka_unit_test(of_graphs),
      cmocka_unit_test(of_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
