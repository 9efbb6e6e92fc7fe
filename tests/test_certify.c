// SPDX-License-Identifier: Apache-2.0
// Certificates of whole solutions: of graphs on the order of their plan, of several pools, of cliques, and none where
// the proof would be too large. None that claims more than a plan has is accepted.
#include "eval/check_proof.h"
#include "model/memplan.h"
#include "tests/support/build_problem.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int64_t any_size = INT64_C(1) << 30;

static memplan_solution solve_by(const memplan_problem *problem, const char *order, const char *place) {
  memplan_solution solution;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  options.order = order;
  options.place = place;
  options.limits.threads = 1;
  options.limits.work = 20000000;
  memplan_solution_init(&solution);
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return solution;
}

static memplan_solution solve(const memplan_problem *problem, const char *order) {
  return solve_by(problem, order, "optimal");
}

static memplan_certificate certify(const memplan_problem *problem, const memplan_solution *solution, int64_t most) {
  memplan_limits limits = memplan_limits_default();
  memplan_certificate certificate;
  memplan_error error = {0};
  limits.work = 20000000;
  limits.threads = 1;
  if (memplan_certify(problem, solution, &limits, most, &certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  bool optimal = solution->outcome == MEMPLAN_OPTIMAL;
  assert_true(certificate.text != NULL || certificate.missing != NULL);
  assert_true(!optimal || certificate.missing != NULL || certificate.claim == solution->plan.peak);
  assert_true(!optimal || certificate.missing != NULL || certificate.every_order || !problem->has_graph ||
              !solution->plan.bound.joint);
  assert_true(certificate.text != NULL || strcmp(certificate.kind, "none") == 0);
  return certificate;
}

static memplan_check_result check(const memplan_problem *problem, const char *text) {
  memplan_check_result result;
  memplan_error error = {0};
  assert_int_equal(memplan_check_certificate(problem, text, strlen(text), &result, &error), MEMPLAN_OK);
  return result;
}

// A copy with the first occurrence of `old` after `key` replaced.
static char *replace(const char *text, const char *key, const char *old, const char *new) {
  const char *at = strstr(text, key);
  assert_non_null(at);
  at = strstr(at, old);
  assert_non_null(at);
  size_t size = strlen(text) + strlen(new) + 1;
  char *changed = malloc(size);
  assert_non_null(changed);
  (void)snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  return changed;
}

static void refused(const memplan_problem *problem, const char *text, const char *key, const char *old, const char *new,
                    const char *why) {
  char *changed = replace(text, key, old, new);
  memplan_check_result result = check(problem, changed);
  if (result.proven || strstr(result.reason, why) == NULL) {
    fail_msg("'%s' is not in '%s', for %.600s", why, result.reason, changed);
  }
  free(changed);
}

static void claims_no_more(const memplan_problem *problem, const memplan_certificate *certificate, int64_t more) {
  char old[40], new[40];
  (void)snprintf(old, sizeof old, "\"claim\":%" PRId64, certificate->claim);
  (void)snprintf(new, sizeof new, "\"claim\":%" PRId64, more);
  refused(problem, certificate->text, "\"claim\"", old, new, "");
}

// ---- graphs

// Three tensors in a row, the second at a multiple of 8: 3 + 8 at the second step, but it cannot start at 3.
static void build_row(memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "x", 3, MEMPLAN_ROLE_INPUT);
  graph->tensors[build_tensor(graph, "a", 8, 0)].align = 8;
  build_tensor(graph, "b", 5, 0);
  build_tensor(graph, "y", 5, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "one", "x", "a");
  build_op(graph, "two", "x a", "b");
  build_inplace(graph, build_op(graph, "three", "b", "y"), "y", "b");
  build_finish(problem);
}

static void of_an_order(void **state) {
  (void)state;
  memplan_problem problem;
  build_row(&problem);
  memplan_solution solution = solve(&problem, NULL);
  memplan_certificate made = certify(&problem, &solution, any_size);
  assert_true(made.every_order);
  assert_string_equal(made.kind, "cut");
  memplan_check_result every = check(&problem, made.text);
  assert_true(every.proven && every.every_order && every.claim == solution.plan.peak);
  claims_no_more(&problem, &made, made.claim + 1);
  memplan_certificate_free(&made);
  solution.plan.bound.joint = false; // as if nothing were known of other orders
  made = certify(&problem, &solution, any_size);
  assert_non_null(made.text);
  assert_int_equal(made.claim, solution.plan.peak);
  assert_string_equal(made.kind, "load");
  memplan_check_result result = check(&problem, made.text);
  assert_true(result.proven);
  assert_true(result.on_order);
  assert_int_equal(result.claim, made.claim);
  claims_no_more(&problem, &made, made.claim + 1);
  static const char order[] = "[\"one\",\"two\",\"three\"]";
  refused(&problem, made.text, "\"order\"", order, "[\"one\",\"three\",\"two\"]", "'three'");
  refused(&problem, made.text, "\"order\"", order, "[\"one\",\"two\"]", "");
  refused(&problem, made.text, "\"order\"", order, "[\"one\",\"two\",\"four\"]", "four");
  refused(&problem, made.text, "\"order\"", order, "[\"one\",\"two\",3]", "lacks the order and in-place pairs");
  refused(&problem, made.text, "\"order\"", "\"order\"", "\"disorder\"", "lacks the order and in-place pairs");
  refused(&problem, made.text, "\"inplace\"", "\"inplace\":[", "\"inplace\":[[\"b\",\"a\"],", "");
  refused(&problem, made.text, "\"fingerprint\"", "sha256:", "sha257:", "another problem");
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Whatever the random graphs have: what is proven is no more than the plan's peak, and with an optimal placement it is
// the peak.
static void of_random_orders(void **state) {
  (void)state;
  int32_t n_made = 0, n_clauses = 0, n_pairs = 0;
  for (uint64_t index = 0; index < 1500; index++) {
    random_state random = random_start(303, index);
    random_graph_options wishes = {.max_ops = 6, .max_bytes = 9, .pins = index % 5 == 0, .pools = index % 4 == 3};
    memplan_problem problem;
    memplan_error error = {0};
    random_graph(&random, &wishes, &problem);
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      memplan_solution solution;
      memplan_solve_options options = memplan_solve_options_default();
      options.limits.threads = 1;
      options.limits.work = 20000000;
      options.order = index % 2 == 0 ? "given" : NULL;
      memplan_solution_init(&solution);
      bool solved = memplan_solve(&problem, &options, &solution, &error) == MEMPLAN_OK && solution.has_plan;
      memplan_certificate made = {.kind = "none"};
      if (solved) {
        made = certify(&problem, &solution, any_size);
      }
      if (made.text != NULL) {
        memplan_check_result result = check(&problem, made.text);
        if (!result.proven) {
          fail_msg("%" PRIu64 ": line %" PRId64 ": %s: %s", index, result.line, result.reason, made.text);
        }
        n_made++;
        n_clauses += strcmp(made.kind, "clauses") == 0 ? 1 : 0;
        n_pairs += solution.plan.n_inplace;
        assert_true(made.claim <= solution.plan.peak);
        claims_no_more(&problem, &made, solution.plan.peak + 1);
      }
      memplan_certificate_free(&made);
      memplan_solution_free(&solution);
    }
    memplan_problem_free(&problem);
  }
  print_message("%d certificates, %d of clauses, %d in-place pairs\n", (int)n_made, (int)n_clauses, (int)n_pairs);
  assert_true(n_made > 700 && n_clauses > 20 && n_pairs > 100);
}

// ---- what is optimal is shown

enum { KINDS = 5 };

// Graphs, with pins, with pools; instances, with pools. False: it contradicts itself.
static bool draw(int32_t kind, uint64_t index, memplan_problem *problem) {
  random_state random = random_start(304, index);
  memplan_error error = {0};
  if (kind < 3) {
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 9, .pins = kind == 1, .pools = kind == 2};
    random_graph(&random, &wishes, problem);
  } else {
    random_instance_options wishes = {
        .max_buffers = 8, .max_bytes = 9, .pools = kind == 4, .pins = true, .rules = true};
    random_instance(&random, &wishes, problem);
  }
  if (random_chance(&random, 25)) {
    problem->options.capacity = 4 + random_below(&random, 30);
  }
  return build_try(problem, &error) == MEMPLAN_OK;
}

// Of one pool, a certificate of the whole problem, with nothing missing; of several, that or the reason. What no order
// or placement fits has a certificate that says so, or the reason.
static void look_at_outcome(const memplan_problem *problem, uint64_t index, int32_t *shown, int32_t *refuted) {
  memplan_solution solution = solve_by(problem, NULL, NULL);
  memplan_certificate made = certify(problem, &solution, any_size);
  const memplan_bound *bound = &solution.plan.bound;
  bool one_pool = problem->has_graph ? problem->graph.n_pools <= 1 : problem->instance.n_pools == 1;
  bool every_order = !problem->has_graph || made.every_order;
  if (made.text != NULL) {
    memplan_check_result result = check(problem, made.text);
    if (!result.proven || result.claim != made.claim || result.every_order != made.every_order) {
      fail_msg("%" PRIu64 ": %s: %s", index, result.reason, made.text);
    }
  }
  if (solution.outcome == MEMPLAN_OPTIMAL && made.missing == NULL) {
    *shown += 1;
    assert_true(every_order && made.claim == solution.plan.peak);
  } else if (solution.outcome == MEMPLAN_OPTIMAL && one_pool) {
    fail_msg("%" PRIu64 ": optimal, and its certificate is %s: %s", index, made.kind, made.missing);
  } else if (solution.outcome == MEMPLAN_INFEASIBLE && one_pool) {
    const memplan_pool *pools = problem->has_graph ? problem->graph.pools : problem->instance.pools;
    bool pool = !problem->has_graph || problem->graph.n_pools == 1;
    int64_t most = problem->options.capacity, own = pool ? pools[0].capacity : -1;
    most = own >= 0 && (most < 0 || own < most) ? own : most;
    bool good = made.text != NULL && made.missing == NULL && every_order && made.claim > most && most >= 0;
    if (!good) {
      fail_msg("%" PRIu64 ": infeasible, and of %" PRId64 " its certificate is %s: %s", index, bound->bytes, made.kind,
               made.missing != NULL ? made.missing : "");
    }
    *refuted += 1;
  }
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
}

static void what_is_optimal_is_shown(void **state) {
  (void)state;
  int32_t shown = 0, refuted = 0;
  for (uint64_t index = 0; index < 2500; index++) {
    memplan_problem problem;
    if (draw((int32_t)(index % KINDS), index, &problem)) {
      look_at_outcome(&problem, index, &shown, &refuted);
    }
    memplan_problem_free(&problem);
  }
  print_message("%d shown, %d refuted\n", (int)shown, (int)refuted);
  assert_true(shown > 1200 && refuted > 30);
}

// ---- several pools

static void of_a_pool(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":6,\"live\":[[0,2]],"
      "\"pools\":[\"far\"]},{\"id\":\"b\",\"bytes\":5,\"live\":[[1,3]],\"pools\":[\"far\"]},{\"id\":\"c\",\"bytes\":4,"
      "\"live\":[[0,3]]},{\"id\":\"d\",\"bytes\":2,\"live\":[[0,3]]}],"
      "\"pools\":[{\"id\":\"near\"},{\"id\":\"far\"}]}";
  memplan_problem problem;
  support_read_good(&problem, "t.json", text);
  memplan_solution solution = solve(&problem, NULL);
  memplan_certificate made = certify(&problem, &solution, any_size);
  assert_non_null(made.text);
  assert_non_null(made.missing);    // of the other pool nothing is said
  assert_int_equal(made.claim, 11); // a and b; c may lie elsewhere
  memplan_check_result result = check(&problem, made.text);
  assert_true(result.proven);
  assert_string_equal(result.pool, "far");
  claims_no_more(&problem, &made, 12);
  refused(&problem, made.text, "\"pool\"", "\"far\"", "\"near\"", "less than the claim");
  refused(&problem, made.text, "\"pool\"", "\"far\"", "\"sea\"", "names no pool");
  refused(&problem, made.text, "\"pool\"", "\"pool\"", "\"loop\"", "names no pool");
  refused(&problem, made.text, "\"time\"", "\"time\":1", "\"time\":2", "less than the claim");
  refused(&problem, made.text, "\"kind\"", "\"load\"", "\"clique\"", "are of kind load, clauses or pools");
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// ---- cliques

static void of_a_clique(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":6},{\"id\":\"b\","
      "\"bytes\":5},{\"id\":\"c\",\"bytes\":4},{\"id\":\"d\",\"bytes\":2}],\"conflicts\":[[\"a\",\"b\"],"
      "[\"b\",\"c\"],[\"a\",\"c\"],[\"c\",\"d\"]]}";
  memplan_problem problem;
  support_read_good(&problem, "t.json", text);
  memplan_solution solution = solve(&problem, NULL);
  memplan_certificate made = certify(&problem, &solution, any_size);
  assert_non_null(made.text);
  assert_string_equal(made.kind, "clique");
  assert_int_equal(made.claim, 15);
  memplan_check_result result = check(&problem, made.text);
  assert_true(result.proven);
  assert_false(result.on_order);
  claims_no_more(&problem, &made, 16);
  static const char own[] = "[\"a\",\"b\",\"c\"]";
  refused(&problem, made.text, "\"buffers\"", own, "[\"a\",\"b\"]", "have 11 bytes");
  refused(&problem, made.text, "\"buffers\"", own, "[\"a\",\"b\",\"c\",\"d\"]", "may share bytes");
  refused(&problem, made.text, "\"buffers\"", own, "[\"a\",\"b\",\"b\"]", "named twice");
  refused(&problem, made.text, "\"buffers\"", own, "[\"a\",\"b\",\"e\"]", "is no buffer");
  refused(&problem, made.text, "\"buffers\"", own, "[\"a\",\"b\",7]", "not named by its id");
  refused(&problem, made.text, "\"buffers\"", own, "17", "lacks the list");
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// ---- limits

// Every limit up to the size of the certificate leaves it out.
static void too_large(void **state) {
  (void)state;
  memplan_problem problem;
  build_row(&problem);
  memplan_solution solution = solve(&problem, NULL);
  memplan_certificate made = certify(&problem, &solution, any_size);
  assert_non_null(made.text);
  assert_int_equal(made.length, strlen(made.text));
  for (int64_t most = 1; most <= (int64_t)made.length; most++) {
    memplan_certificate less = certify(&problem, &solution, most);
    assert_true((less.text != NULL) == (most == (int64_t)made.length));
    if (less.text != NULL) {
      assert_string_equal(less.text, made.text);
    } else {
      assert_non_null(strstr(less.missing, "larger than the limit"));
    }
    memplan_certificate_free(&less);
  }
  memplan_certificate_free(&made);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_an_order), cmocka_unit_test(of_random_orders),
      cmocka_unit_test(of_a_pool),   cmocka_unit_test(what_is_optimal_is_shown),
      cmocka_unit_test(of_a_clique), cmocka_unit_test(too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
