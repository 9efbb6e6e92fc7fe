// SPDX-License-Identifier: Apache-2.0
// Bounds of several pools certified without a plan, and capacities of graphs refuted in one pool: never more than the
// enumerated optimum of what has to lie in that pool.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "eval/check_proof.h"
#include "model/memplan.h"
#include "tests/support/joint_case.h"
#include "tests/support/joint_proof_case.h"
#include "tests/support/problem_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct counts {
  int64_t graphs, bounds, refuted, by_search; // certificates of bounds; of graphs without a plan, above their bound
} counts;

static const int32_t far_only[] = {1}, both[] = {1, 0};

// All has to lie in the second pool, which is that of the graph and holds `capacity`, but for a few that may lie in the
// first one too.
static void spread(const memplan_problem *problem, int32_t share, int64_t capacity, random_state *random,
                   memplan_arena *arena, memplan_problem *pools) {
  *pools = *problem;
  memplan_graph *graph = &pools->graph;
  graph->pools = MEMPLAN_NEW(arena, memplan_pool, 2);
  graph->storages = MEMPLAN_NEW(arena, memplan_storage, graph->n_storages);
  graph->ops = MEMPLAN_NEW(arena, memplan_op, graph->n_ops);
  assert_true(graph->pools != NULL && graph->storages != NULL && graph->ops != NULL);
  graph->pools[0] = (memplan_pool){.id = "near", .capacity = -1};
  graph->pools[1] = problem->graph.n_pools == 1 ? problem->graph.pools[0] : (memplan_pool){.capacity = -1};
  graph->pools[1].id = "far";
  graph->pools[1].capacity = capacity;
  graph->n_pools = 2;
  for (int32_t k = 0; k < graph->n_storages; k++) {
    graph->storages[k] = problem->graph.storages[k];
    graph->storages[k].n_pools = random_chance(random, share) ? 2 : 1;
    graph->storages[k].pools = graph->storages[k].n_pools == 2 ? both : far_only;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    graph->ops[op] = problem->graph.ops[op];
    graph->ops[op].n_workspace_pools = 1;
    graph->ops[op].workspace_pools = far_only;
  }
}

static int64_t listed(const memplan_bounds *bounds, const char *pool) {
  int64_t bytes = 0;
  for (int32_t k = 0; k < bounds->n_bounds; k++) {
    const memplan_bound *bound = &bounds->bounds[k];
    bytes = bound->pool != NULL && strcmp(bound->pool, pool) == 0 ? bound->bytes : bytes;
    assert_true(k == 0 || bound[-1].bytes >= bound->bytes); // the largest first
  }
  return bytes;
}

// The certificate holds for the problem on every order, and says no more than the optimum.
static void must_hold(const memplan_problem *problem, const memplan_certificate *made, int64_t optimum) {
  memplan_check_result result = joint_proof_check(problem, made->text, made->length);
  if (!result.proven) {
    fail_msg("%s: %s", result.reason, made->text);
  }
  assert_true(result.every_order && made->every_order && result.claim == made->claim && made->claim <= optimum);
}

static void certify_bounds(counts *all, const memplan_problem *pools, int64_t optimum) {
  memplan_bounds bounds;
  memplan_certificate made;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits.work = 200000;
  assert_int_equal(memplan_find_bounds(pools, NULL, &bounds, &error), MEMPLAN_OK);
  assert_int_equal(memplan_certify_bounds(pools, &bounds, &limits, JOINT_PROOF_MOST, &made, &error), MEMPLAN_OK);
  assert_true(made.text != NULL || made.missing != NULL);
  if (made.text != NULL) {
    must_hold(pools, &made, optimum);
    assert_true(made.missing != NULL || made.claim >= listed(&bounds, "far"));
    all->bounds += made.missing == NULL && made.claim > 0;
  }
  memplan_certificate_free(&made);
  memplan_bounds_free(&bounds);
}

static void refute(counts *all, const memplan_problem *pools, int64_t optimum, bool fits) {
  memplan_solution solution;
  memplan_certificate made;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  options.limits.work = 200000;
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(pools, &options, &solution, &error), MEMPLAN_OK);
  assert_true(!fits || solution.outcome != MEMPLAN_INFEASIBLE);
  if (solution.outcome == MEMPLAN_INFEASIBLE && !solution.has_plan) {
    int64_t capacity = pools->graph.pools[1].capacity;
    assert_int_equal(memplan_certify(pools, &solution, &options.limits, JOINT_PROOF_MOST, &made, &error), MEMPLAN_OK);
    assert_true(made.text != NULL || made.missing != NULL);
    if (made.text != NULL && made.missing == NULL) {
      must_hold(pools, &made, optimum);
      assert_true(made.claim > capacity);
      all->refuted++;
      all->by_search +=
          strcmp(made.kind, "cut") != 0 && strcmp(made.kind, "inputs") != 0 && strcmp(made.kind, "outputs") != 0;
    }
    memplan_certificate_free(&made);
  }
  memplan_solution_free(&solution);
}

static void look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  counts *all = context;
  memplan_arena arena = {0};
  random_state random = random_start(211, seed);
  memplan_problem pools;
  int32_t share = random_chance(&random, 50) ? 0 : 30;
  spread(problem, share, -1, &random, &arena, &pools);
  all->graphs++;
  certify_bounds(all, &pools, optimum);
  spread(problem, share, optimum - 1, &random, &arena, &pools);
  refute(all, &pools, optimum, false);
  spread(problem, share, optimum, &random, &arena, &pools);
  refute(all, &pools, optimum, true);
  memplan_arena_free(&arena);
}

static void of_random_graphs(void **state) {
  (void)state;
  counts all = {0};
  joint_counts joint = {.look = look, .context = &all};
  for (uint64_t seed = 91000; seed < 91150; seed++) {
    joint_compare_random(seed, &joint);
    joint_compare_gadget(seed, &joint);
  }
  print_message("%lld graphs, %lld with all bounds certified, %lld refuted, %lld of them by a search\n",
                (long long)all.graphs, (long long)all.bounds, (long long)all.refuted, (long long)all.by_search);
  assert_true(all.graphs > 150 && all.bounds > 80 && all.refuted > 50 && all.by_search > 10);
}

// ---- cases

#define CHAIN(capacity, more)                                                                                          \
  "{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"sram\"" capacity "},{\"id\":\"dram\"" more "}],"   \
  "\"tensors\":[{\"id\":\"x\",\"bytes\":4096,\"roles\":[\"input\"],\"pools\":[\"dram\"]},"                             \
  "{\"id\":\"h\",\"bytes\":4096,\"pools\":[\"sram\"]},{\"id\":\"k\",\"bytes\":3000,\"pools\":[\"sram\"]},"             \
  "{\"id\":\"y\",\"bytes\":1024,\"roles\":[\"output\"],\"pools\":[\"dram\"]}],"                                        \
  "\"ops\":[{\"id\":\"a\",\"in\":[\"x\"],\"out\":[\"h\"]},{\"id\":\"b\",\"in\":[\"h\"],\"out\":[\"k\"]},"              \
  "{\"id\":\"c\",\"in\":[\"k\"],\"out\":[\"y\"]}]}"

static void refute_chain(const char *text, int64_t capacity) {
  memplan_problem problem;
  memplan_solution solution;
  memplan_certificate made;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  support_read_good(&problem, "t.json", text);
  problem.options.capacity = capacity;
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK);
  assert_int_equal(solution.outcome, MEMPLAN_INFEASIBLE);
  assert_int_equal(solution.plan.lower_bound, 7096);
  assert_int_equal(memplan_certify(&problem, &solution, &options.limits, JOINT_PROOF_MOST, &made, &error), MEMPLAN_OK);
  assert_true(made.text != NULL && made.missing == NULL && made.claim == 7096);
  memplan_check_result result = joint_proof_check(&problem, made.text, made.length);
  assert_true(result.proven && result.every_order);
  assert_string_equal(result.pool, "sram");
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void of_capacities(void **state) {
  (void)state;
  refute_chain(CHAIN(",\"capacity\":7000", ""), -1);
  refute_chain(CHAIN("", ""), 7095);
}

static void of_bounds(void **state) {
  (void)state;
  static const char *const texts[] = {CHAIN("", ""), CHAIN(",\"capacity\":7000", ""),
                                      CHAIN("", ",\"reserved\":[[0,64]]")};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    memplan_problem problem;
    memplan_bounds bounds;
    memplan_certificate made;
    memplan_error error = {0};
    memplan_limits limits = memplan_limits_default();
    support_read_good(&problem, "t.json", texts[k]);
    assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
    assert_int_equal(bounds.bounds[0].bytes, 7096);
    assert_int_equal(listed(&bounds, "sram"), 7096);
    assert_int_equal(memplan_certify_bounds(&problem, &bounds, &limits, JOINT_PROOF_MOST, &made, &error), MEMPLAN_OK);
    assert_true(made.text != NULL && made.missing == NULL && made.claim == 7096);
    assert_string_equal(made.kind, "pools");
    memplan_check_result result = joint_proof_check(&problem, made.text, made.length);
    assert_true(result.proven && result.n_pools == 2 && result.pools[0].claim == 7096);
    assert_int_equal(result.pools[1].claim, listed(&bounds, "dram"));
    memplan_certificate_free(&made);
    memplan_bounds_free(&bounds);
    memplan_problem_free(&problem);
  }
}

// What two pools have to hold together has no certificate, what one of them has to hold has.
static void of_an_instance(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_bounds bounds;
  memplan_certificate made;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  support_read_good(&problem, "t.json",
                    "{\"format\":\"memplan-instance\",\"version\":1,\"pools\":[{\"id\":\"p\"},{\"id\":\"q\"}],"
                    "\"buffers\":[{\"id\":\"a\",\"bytes\":6,\"live\":[[0,2]],\"pools\":[\"p\"]},"
                    "{\"id\":\"b\",\"bytes\":9,\"live\":[[0,3]]}]}");
  assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
  assert_int_equal(bounds.bounds[0].bytes, 9);
  assert_int_equal(memplan_certify_bounds(&problem, &bounds, &limits, JOINT_PROOF_MOST, &made, &error), MEMPLAN_OK);
  assert_non_null(made.text);
  assert_int_equal(made.claim, 6);
  assert_non_null(strstr(made.missing, "together"));
  memplan_check_result result = joint_proof_check(&problem, made.text, made.length);
  assert_true(result.proven && result.claim == 6);
  memplan_certificate_free(&made);
  memplan_bounds_free(&bounds);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_capacities),
      cmocka_unit_test(of_bounds),
      cmocka_unit_test(of_an_instance),
      cmocka_unit_test(of_random_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
