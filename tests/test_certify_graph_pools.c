// SPDX-License-Identifier: Apache-2.0
// Certificates about one pool of a graph with several, on every order: they prove no more than the enumerated optimum
// of the graph in one pool, changed or not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/graph_pool.h"
#include "solvers/cut_proof.h"
#include "tests/support/joint_case.h"
#include "tests/support/joint_proof_case.h"
#include "tests/support/nogood_proof_case.h"
#include "tests/support/problem_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counts {
  joint_proof_counts proofs;
  nogood_proof_counts nogoods;
  int64_t graphs, tight, searches;
} counts;

static const int32_t far_only[] = {1}, both[] = {1, 0}, near_only[] = {0};

// A share of the buffers may lie elsewhere too, or has to; the rest has to lie in the second pool, which is that of the
// graph. Everything in that one is a plan, so that what it needs is no more than the optimum.
static void spread(const memplan_problem *problem, random_state *random, int32_t share, memplan_arena *arena,
                   memplan_problem *pools) {
  *pools = *problem;
  memplan_graph *graph = &pools->graph;
  graph->pools = MEMPLAN_NEW(arena, memplan_pool, 2);
  graph->storages = MEMPLAN_NEW(arena, memplan_storage, graph->n_storages);
  graph->ops = MEMPLAN_NEW(arena, memplan_op, graph->n_ops);
  assert_true(graph->pools != NULL && graph->storages != NULL && graph->ops != NULL);
  graph->pools[0] = (memplan_pool){.id = "near", .capacity = -1};
  graph->pools[1] = (memplan_pool){.capacity = -1};
  if (problem->graph.n_pools == 1) {
    graph->pools[1] = problem->graph.pools[0];
  }
  graph->pools[1].id = "far";
  graph->n_pools = 2;
  for (int32_t k = 0; k < graph->n_storages; k++) {
    memplan_storage *storage = &graph->storages[k];
    *storage = problem->graph.storages[k];
    bool elsewhere = random_chance(random, share);
    storage->n_pools = elsewhere ? random_below(random, 3) : 1;
    storage->pools = storage->n_pools == 2 ? both : elsewhere ? near_only : far_only;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    graph->ops[op] = problem->graph.ops[op];
    graph->ops[op].n_workspace_pools = random_chance(random, share) ? 0 : 1;
    graph->ops[op].workspace_pools = far_only;
  }
}

static void refused(const memplan_problem *problem, const memplan_certificate *certificate, const char *pool,
                    const char *why) {
  json_t *lines = joint_proof_split(certificate->text, certificate->length);
  json_t *head = json_array_get(lines, 0);
  assert_int_equal(pool != NULL ? json_object_set_new(head, "pool", json_string(pool)) : json_object_del(head, "pool"),
                   0);
  size_t length;
  char *text = joint_proof_unite(lines, &length);
  memplan_check_result result = joint_proof_check(problem, text, length);
  if (result.proven || strstr(result.reason, why) == NULL) {
    fail_msg("'%s' is not in '%s'", why, result.reason);
  }
  free(text);
  json_decref(lines);
}

// By the search of orders: the largest claim that it proves of a few.
static void search_orders(counts *all, const memplan_problem *alone, const memplan_problem *pools, int64_t optimum) {
  const memplan_proof_scope scope = {.pool = "far"};
  memplan_error error = {0};
  for (int64_t claim = optimum + 1; claim > 0 && claim > optimum - 3; claim--) {
    const memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = claim, .step = -1};
    memplan_certificate made;
    assert_int_equal(memplan_cut_certify_within(alone, &scope, &bound, NULL, NULL, JOINT_PROOF_MOST, &made, &error),
                     MEMPLAN_OK);
    assert_true(made.text == NULL || claim <= optimum);
    if (made.text != NULL) {
      memplan_check_result result = joint_proof_check(pools, made.text, made.length);
      if (!result.proven) {
        fail_msg("%s: %s", result.reason, made.text);
      }
      assert_true(result.every_order && result.claim == claim);
      assert_string_equal(result.pool, "far");
      refused(pools, &made, NULL, "which has several");
      all->searches++;
    }
    memplan_certificate_free(&made);
  }
}

// By nogoods, what the joint engine has proven.
static void cut_off_orders(counts *all, const memplan_problem *alone, const memplan_problem *pools, int64_t claim,
                           uint64_t seed, int64_t optimum) {
  const memplan_proof_scope scope = {.pool = "far"};
  memplan_certificate made;
  memplan_error error = {0};
  assert_int_equal(memplan_nogood_certify_within(alone, &scope, claim, NULL, JOINT_PROOF_MOST, &made, &error),
                   MEMPLAN_OK);
  if (made.text != NULL) {
    nogood_proof_look_at(&all->nogoods, pools, &made, seed, optimum);
    refused(pools, &made, NULL, "which has several");
    refused(pools, &made, "none", "which has several");
    refused(pools, &made, "near", "");
  }
  memplan_certificate_free(&made);
}

static void look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  counts *all = context;
  memplan_arena arena = {0};
  random_state random = random_start(199, seed);
  memplan_problem pools, alone;
  int32_t share = random_chance(&random, 40) ? 0 : random_below(&random, 50);
  spread(problem, &random, share, &arena, &pools);
  alone = pools;
  assert_true(memplan_graph_of_pool(&pools.graph, 1, &arena, &alone.graph));
  all->graphs++;
  memplan_joint_claim claim = {.bytes = optimum + 1, .scope = {.pool = "far"}};
  memplan_certificate certificate = joint_proof_certify_claim(&alone, &claim);
  assert_null(certificate.text);
  for (int32_t tries = 0; tries < 4 && certificate.text == NULL && claim.bytes > 1; tries++) {
    claim.bytes -= tries == 0 ? 1 : 1 + random_below(&random, (int32_t)(claim.bytes / 2));
    certificate = joint_proof_certify_claim(&alone, &claim);
  }
  if (certificate.text != NULL) {
    all->tight += certificate.claim == optimum;
    joint_proof_look_at(&all->proofs, &pools, &certificate, false, seed, optimum, &random);
    refused(&pools, &certificate, NULL, "which has several");
    refused(&pools, &certificate, "none", "which has several");
    refused(&pools, &certificate, "near", "");
    assert_true(share > 0 || certificate.claim == optimum);
    cut_off_orders(all, &alone, &pools, certificate.claim, seed, optimum);
  }
  memplan_certificate_free(&certificate);
  search_orders(all, &alone, &pools, optimum);
  memplan_arena_free(&arena);
}

static void of_random_graphs(void **state) {
  (void)state;
  counts all = {.proofs = {.mutants = 4}, .nogoods = {.mutants = 2}};
  joint_counts joint = {.look = look, .context = &all};
  for (uint64_t seed = 70000; seed < 70600; seed++) {
    joint_compare_random(seed, &joint);
    joint_compare_gadget(seed, &joint);
  }
  print_message("%lld graphs, %lld joint certificates, %lld of the optimum, %lld of searches; %lld mutants, %lld "
                "refused\n",
                (long long)all.graphs, (long long)all.proofs.certificates, (long long)all.tight,
                (long long)all.searches, (long long)all.proofs.made, (long long)all.proofs.refused);
  print_message("%lld by nogoods, %lld with a search; %lld mutants, %lld refused\n",
                (long long)all.nogoods.certificates, (long long)all.nogoods.searches, (long long)all.nogoods.made,
                (long long)all.nogoods.refused);
  assert_true(all.nogoods.certificates > 400 && all.nogoods.searches > 100 && all.nogoods.made > 800);
  assert_true(all.proofs.certificates > 400 && all.tight > 150 && all.searches > 300);
}

// ---- of a solve

// A chain of two operators in the pool "far"; what is beside it may lie anywhere.
static void of_a_solve(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  memplan_certificate certificate;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  support_read_good(
      &problem, "t.json",
      "{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"near\",\"capacity\":64},{\"id\":\"far\"}],"
      "\"tensors\":[{\"id\":\"x\",\"bytes\":16,\"roles\":[\"input\"]},"
      "{\"id\":\"a\",\"bytes\":40,\"pools\":[\"far\"]},{\"id\":\"b\",\"bytes\":40,\"pools\":[\"far\"]},"
      "{\"id\":\"c\",\"bytes\":8},{\"id\":\"y\",\"bytes\":16,\"roles\":[\"output\"],\"pools\":[\"near\",\"far\"]}],"
      "\"ops\":[{\"id\":\"one\",\"in\":[\"x\"],\"out\":[\"a\"]},{\"id\":\"two\",\"in\":[\"a\"],\"out\":[\"b\"]},"
      "{\"id\":\"three\",\"in\":[\"b\"],\"out\":[\"c\"]},{\"id\":\"four\",\"in\":[\"c\"],\"out\":[\"y\"]}]}");
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK);
  assert_true(solution.has_plan);
  assert_int_equal(memplan_certify(&problem, &solution, &options.limits, JOINT_PROOF_MOST, &certificate, &error),
                   MEMPLAN_OK);
  assert_non_null(certificate.text);
  assert_true(certificate.every_order);
  assert_int_equal(certificate.claim, 80);
  memplan_check_result result = joint_proof_check(&problem, certificate.text, certificate.length);
  assert_true(result.proven && result.every_order && result.claim == 80);
  assert_string_equal(result.pool, "far");
  refused(&problem, &certificate, "near", "");
  refused(&problem, &certificate, NULL, "which has several");
  memplan_certificate_free(&certificate);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_graphs),
      cmocka_unit_test(of_a_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
