// SPDX-License-Identifier: Apache-2.0
// Certificates of graphs whose control-flow bodies are planned: they build on certificates of the bodies, and prove no
// more than the plan has, whatever is done to them.
#include "eval/check_proof.h"
#include "model/memplan.h"
#include "solvers/certify_bodies.h"
#include "solvers/nogood_proof.h"
#include "tests/support/build_problem.h"
#include "tests/support/random_problem.h"
#include "tests/support/temporary_body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// `all`: over all orders, else on the given one.
static bool solve(const memplan_problem *problem, bool all, memplan_solution *solution) {
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  if (!all) {
    options.order = "given";
    options.place = "optimal";
  }
  options.limits.threads = 1;
  options.limits.work = 2000000;
  memplan_solution_init(solution);
  return memplan_solve(problem, &options, solution, &error) == MEMPLAN_OK && solution->has_plan;
}

static memplan_certificate certify(const memplan_problem *problem, const memplan_solution *solution) {
  memplan_limits limits = memplan_limits_default();
  memplan_certificate certificate;
  memplan_error error = {0};
  limits.work = 2000000;
  limits.threads = 1;
  if (memplan_certify(problem, solution, &limits, INT64_C(1) << 30, &certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return certificate;
}

static memplan_check_result check(const memplan_problem *problem, const char *text) {
  memplan_check_result result;
  memplan_error error = {0};
  assert_int_equal(memplan_check_certificate(problem, text, strlen(text), &result, &error), MEMPLAN_OK);
  return result;
}

// ---- random graphs in random graphs

// A resolved random graph, with bodies of its own above depth 0; false if it contradicts itself.
static bool draw_graph(random_state *random, int32_t depth, memplan_problem *problem) {
  random_graph_options wishes = {.max_ops = 5, .max_bytes = 9, .pins = false, .pools = false};
  memplan_error error = {0};
  random_graph(random, &wishes, problem);
  memplan_graph *graph = &problem->graph;
  int32_t n = depth > 0 && graph->n_ops > 0 ? 1 + random_below(random, 3) : 0;
  graph->bodies = MEMPLAN_NEW(&graph->arena, memplan_body, n);
  assert_non_null(graph->bodies);
  problem->options.no_branch_sharing = random_chance(random, 30);
  for (int32_t k = 0; k < n; k++) {
    static const char *const names[] = {"then_branch", "else_branch", "body"};
    memplan_problem inner;
    if (!draw_graph(random, depth - 1, &inner)) {
      memplan_problem_free(&inner);
      continue;
    }
    memplan_graph *body = MEMPLAN_NEW(&graph->arena, memplan_graph, 1);
    assert_non_null(body);
    *body = inner.graph;
    memplan_graph_init(&inner.graph);
    memplan_problem_free(&inner);
    graph->bodies[graph->n_bodies++] =
        (memplan_body){random_below(random, graph->n_ops), names[k], body, random_chance(random, 50)};
  }
  return build_try(problem, &error) == MEMPLAN_OK;
}

static bool same(const json_t *a, const json_t *b, const char *key) {
  const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
  return (x == NULL && y == NULL) || json_equal(x, y) == 1;
}

// Do two first lines speak of the same orders and pairs?
static bool same_orders(const json_t *a, const json_t *b) {
  if (!same(a, b, "order") || !same(a, b, "inplace")) {
    return false;
  }
  const json_t *x = json_object_get(a, "bodies"), *y = json_object_get(b, "bodies");
  for (size_t i = 0; i < json_array_size(y); i++) {
    const json_t *own = json_array_get(y, i), *found = NULL;
    for (size_t k = 0; k < json_array_size(x) && found == NULL; k++) {
      const json_t *other = json_array_get(x, k);
      found = same(own, other, "op") && same(own, other, "body") ? other : NULL;
    }
    if (found == NULL || !same_orders(json_array_get(json_object_get(found, "certificate"), 0),
                                      json_array_get(json_object_get(own, "certificate"), 0))) {
      return false;
    }
  }
  return true;
}

// A list somewhere in the value, or NULL.
static json_t *random_list(random_state *random, json_t *value, int32_t depth) {
  json_t *list = json_is_array(value) ? value : NULL;
  for (int32_t tries = 0; tries < depth; tries++) {
    if (json_is_object(value) && json_object_size(value) > 0) {
      int32_t skip = random_below(random, (int32_t)json_object_size(value));
      void *at = json_object_iter(value);
      while (skip-- > 0) {
        at = json_object_iter_next(value, at);
      }
      value = json_object_iter_value(at);
    } else if (json_is_array(value) && json_array_size(value) > 0) {
      value = json_array_get(value, (size_t)random_below(random, (int32_t)json_array_size(value)));
    }
    list = json_is_array(value) ? value : list;
  }
  return list;
}

// Claims in the certificate: of the graph and all bodies.
static void raise_claims(random_state *random, json_t *head) {
  if (random_chance(random, 50)) {
    int64_t claim = json_integer_value(json_object_get(head, "claim"));
    json_object_set_new(head, "claim", json_integer(claim + 1 + random_below(random, 3)));
  }
  json_t *bodies = json_object_get(head, "bodies");
  for (size_t k = 0; k < json_array_size(bodies); k++) {
    raise_claims(random, json_array_get(json_object_get(json_array_get(bodies, k), "certificate"), 0));
  }
}

static void change(random_state *random, json_t *lines) {
  raise_claims(random, json_array_get(lines, 0));
  for (int32_t times = random_below(random, 3); times > 0; times--) {
    json_t *list = random_list(random, lines, 1 + random_below(random, 9));
    size_t n = json_array_size(list);
    if (list == NULL || n == 0 || (list == lines && n == 1)) {
      continue;
    }
    size_t at = (size_t)random_below(random, (int32_t)n);
    json_t *entry = json_array_get(list, at), *other = json_array_get(list, (size_t)random_below(random, (int32_t)n));
    if (json_is_integer(entry)) {
      json_array_set_new(list, at, json_integer(json_integer_value(entry) + random_below(random, 5) - 2));
    } else if (random_chance(random, 50) && !(list == lines && at == 0)) {
      json_array_remove(list, at);
    } else if (list != lines) {
      json_array_set_new(list, at, json_deep_copy(other));
    }
  }
}

static json_t *read_lines(const char *text) {
  json_t *lines = json_array();
  for (const char *at = text; *at != '\0';) {
    const char *end = strchr(at, '\n');
    assert_non_null(end);
    assert_int_equal(json_array_append_new(lines, json_loadb(at, (size_t)(end - at), 0, NULL)), 0);
    at = end + 1;
  }
  return lines;
}

static char *write_lines(const json_t *lines) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  for (size_t k = 0; k < json_array_size(lines); k++) {
    assert_int_equal(json_dumpf(json_array_get(lines, k), out, JSON_COMPACT), 0);
    fputc('\n', out);
  }
  assert_int_equal(fclose(out), 0);
  return text;
}

typedef struct counts {
  int32_t made, whole, with_bodies, every_order, both, changed, proven, nogoods;
} counts;

static void change_certificate(const memplan_problem *problem, const memplan_solution *solution, const char *made,
                               random_state *random, counts *all) {
  json_t *given = read_lines(made);
  for (int32_t k = 0; k < 12; k++) {
    json_t *lines = json_deep_copy(given);
    change(random, lines);
    char *text = write_lines(lines);
    memplan_check_result result = check(problem, text);
    bool comparable = result.every_order || same_orders(json_array_get(given, 0), json_array_get(lines, 0));
    if (result.proven && comparable && result.claim > solution->plan.peak) {
      fail_msg("claims %" PRId64 " of %" PRId64 ":\n%s\nmade:\n%s", result.claim, solution->plan.peak, text, made);
    }
    all->changed++;
    all->proven += result.proven;
    free(text);
    json_decref(lines);
  }
  json_decref(given);
}

// By nogoods too, where the bodies are proven for every order.
static void cut_off_orders(const memplan_problem *problem, const memplan_solution *solution, random_state *random,
                           counts *all) {
  memplan_limits limits = memplan_limits_default();
  memplan_certified_bodies bodies = {.n = 0};
  memplan_proven_bodies proven = {.text = NULL};
  memplan_certificate made;
  memplan_error error = {0};
  limits.work = 2000000;
  limits.threads = 1;
  assert_int_equal(memplan_certify_bodies(problem, &solution->plan, &limits, INT64_C(1) << 30, &bodies, &error),
                   MEMPLAN_OK);
  assert_int_equal(memplan_certified_bodies_prove(&bodies, problem, &solution->plan, &proven, &error), MEMPLAN_OK);
  const memplan_proof_scope scope = {.workspace = proven.workspace, .bodies = proven.text};
  assert_int_equal(
      memplan_nogood_certify_within(problem, &scope, solution->plan.peak, &limits, INT64_C(1) << 30, &made, &error),
      MEMPLAN_OK);
  if (made.text != NULL) {
    memplan_check_result result = check(problem, made.text);
    if (!result.proven || !result.every_order || result.claim != solution->plan.peak) {
      fail_msg("line %" PRId64 ": %s: %s", result.line, result.reason, made.text);
    }
    if (all->nogoods++ % 3 == 0) {
      change_certificate(problem, solution, made.text, random, all);
    }
  }
  memplan_certificate_free(&made);
  memplan_proven_bodies_free(&proven);
  memplan_certified_bodies_free(&bodies);
}

static void random_ones(void **state) {
  (void)state;
  counts all = {0};
  for (uint64_t seed = 1; seed <= 900; seed++) {
    random_state random = random_start(911, seed);
    memplan_problem problem;
    memplan_solution solution;
    bool good = draw_graph(&random, 2, &problem);
    memplan_solution_init(&solution);
    if (good && solve(&problem, seed % 2 == 0, &solution)) {
      memplan_certificate made = certify(&problem, &solution);
      assert_non_null(made.text);
      memplan_check_result result = check(&problem, made.text);
      if (!result.proven) {
        fail_msg("%" PRIu64 ": line %" PRId64 ": %s: %s", seed, result.line, result.reason, made.text);
      }
      assert_true(made.claim <= solution.plan.peak);
      all.made++;
      all.whole += made.claim == solution.plan.peak;
      all.every_order += made.every_order;
      bool with_bodies = strstr(made.text, "\"certificate\":") != NULL;
      all.with_bodies += with_bodies;
      all.both += with_bodies && made.every_order;
      change_certificate(&problem, &solution, made.text, &random, &all);
      if (made.every_order && with_bodies && made.claim == solution.plan.peak && made.claim > 0) {
        cut_off_orders(&problem, &solution, &random, &all);
      }
      memplan_certificate_free(&made);
    }
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  print_message(
      "%d certificates, %d of the plan's peak, %d with bodies, %d of every order, %d both; %d changed, %d prove less\n",
      (int)all.made, (int)all.whole, (int)all.with_bodies, (int)all.every_order, (int)all.both, (int)all.changed,
      (int)all.proven);
  assert_true(all.made > 600 && all.with_bodies > 400 && all.whole > all.made * 9 / 10 && all.changed > 6000);
  print_message("%d by nogoods\n", (int)all.nogoods);
  assert_true(all.both > 150 && all.nogoods > 100);
}

// ---- constructed ones

// One operator that runs one of two bodies.
static void build_choice(memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "v", 64, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "y", 64, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "if0", "v", "y");
  build_body(graph, "if0", "then_branch", temporary_body(problem, 100), true);
  build_body(graph, "if0", "else_branch", temporary_body(problem, 60), true);
  build_finish(problem);
}

// An If whose branches take 100 and 60 bytes beside 64 and 64: it needs 228.
static void constructed_ones(void **state) {
  (void)state;
  static const char then_good[] = "{\"op\":\"if0\",\"body\":\"then_branch\",\"certificate\":[{\"format\":"
                                  "\"memplan-certificate\",\"version\":1,\"fingerprint\":\"\",\"kind\":\"load\","
                                  "\"claim\":100,\"time\":0,\"order\":[\"inner1\",\"inner2\"],\"inplace\":[]}]}";
  static const char then_more[] = "{\"op\":\"if0\",\"body\":\"then_branch\",\"certificate\":[{\"format\":"
                                  "\"memplan-certificate\",\"version\":1,\"fingerprint\":\"\",\"kind\":\"load\","
                                  "\"claim\":101,\"time\":0,\"order\":[\"inner1\",\"inner2\"],\"inplace\":[]}]}";
  static const char then_late[] = "{\"op\":\"if0\",\"body\":\"then_branch\",\"certificate\":[{\"format\":"
                                  "\"memplan-certificate\",\"version\":1,\"fingerprint\":\"\",\"kind\":\"load\","
                                  "\"claim\":100,\"time\":0,\"order\":[\"inner2\",\"inner1\"],\"inplace\":[]}]}";
  static const char else_good[] = "{\"op\":\"if0\",\"body\":\"else_branch\",\"certificate\":[{\"format\":"
                                  "\"memplan-certificate\",\"version\":1,\"fingerprint\":\"\",\"kind\":\"load\","
                                  "\"claim\":60,\"time\":0,\"order\":[\"inner1\",\"inner2\"],\"inplace\":[]}]}";
  const struct {
    const char *claim, *first, *second, *why; // NULL: proven
  } cases[] = {
      {"228", then_good, else_good, NULL},
      {"228", then_good, NULL, NULL},
      {"229", then_good, else_good, "less than the claim"},
      {"228", else_good, NULL, "less than the claim"},
      {"188", else_good, NULL, NULL},
      {"128", NULL, NULL, NULL},
      {"129", NULL, NULL, "less than the claim"},
      {"229", then_more, NULL, "body 'then_branch' of operator 'if0': less than the claim"},
      {"228", then_late, NULL, "body 'then_branch' of operator 'if0': "},
      {"228", else_good, then_good, "entry 2 of \"bodies\" is no certificate of a body after those before it"},
      {"228", then_good, then_good, "entry 2 of \"bodies\""},
      {"228", "{\"op\":\"if1\",\"body\":\"then_branch\",\"certificate\":[]}", NULL, "entry 1 of \"bodies\""},
      {"228", "{\"op\":\"if0\",\"body\":\"then_branch\",\"certificate\":7}", NULL, "entry 1 of \"bodies\""},
      {"228", "{\"op\":\"if0\",\"body\":\"then_branch\",\"certificate\":[]}", NULL, "ends before its claim is proven"},
      {"228", "{\"op\":\"if0\",\"body\":\"then_branch\",\"certificate\":[8]}", NULL, "no JSON object"},
      {"228", "17", NULL, "entry 1 of \"bodies\""},
  };
  memplan_problem problem;
  build_choice(&problem);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[2048];
    bool both = cases[k].first != NULL && cases[k].second != NULL;
    (void)snprintf(text, sizeof text,
                   "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"load\","
                   "\"claim\":%s,\"time\":0,\"order\":[\"if0\"],\"inplace\":[],\"bodies\":[%s%s%s]}\n",
                   problem.fingerprint, cases[k].claim, cases[k].first != NULL ? cases[k].first : "", both ? "," : "",
                   cases[k].second != NULL ? cases[k].second : "");
    memplan_check_result result = check(&problem, text);
    if (result.proven != (cases[k].why == NULL) ||
        (cases[k].why != NULL && strstr(result.reason, cases[k].why) == NULL)) {
      fail_msg("case %d: '%s'", (int)k, result.reason);
    }
    assert_true(result.on_order && !result.every_order);
  }
  memplan_problem_free(&problem);
}

// The same If on every order: its bodies count as far as that is proven on every order of theirs.
static void constructed_ones_of_every_order(void **state) {
  (void)state;
#define BODY(name, kind, claim, rest)                                                                                  \
  "{\"op\":\"if0\",\"body\":\"" name "\",\"certificate\":[{\"format\":\"memplan-certificate\",\"version\":1,"          \
  "\"fingerprint\":\"\",\"kind\":\"" kind "\",\"claim\":" claim "," rest "}]}"
#define ORDER "\"time\":0,\"order\":[\"inner1\",\"inner2\"],\"inplace\":[]"
  static const char then_good[] = BODY("then_branch", "cut", "100", "\"op\":\"inner1\"");
  static const char then_more[] = BODY("then_branch", "cut", "101", "\"op\":\"inner1\"");
  static const char then_foreign[] = BODY("then_branch", "cut", "100", "\"op\":\"if0\"");
  static const char then_once[] = BODY("then_branch", "load", "100", ORDER);
  static const char else_good[] = BODY("else_branch", "cut", "60", "\"op\":\"inner2\"");
  static const char else_as_then[] = BODY("else_branch", "cut", "100", "\"op\":\"inner1\"");
#undef ORDER
#undef BODY
  const struct {
    const char *kind, *claim, *bodies, *why; // NULL: proven
  } cases[] = {
      {"cut", "228", then_good, NULL},
      {"cut", "229", then_good, "less"},
      {"cut", "188", else_good, NULL},
      {"cut", "189", else_good, "less"},
      {"cut", "228", "", "less"},
      {"cut", "128", "", NULL},
      {"cut", "229", then_more, "body 'then_branch' of operator 'if0': "},
      {"cut", "228", then_foreign, "body 'then_branch' of operator 'if0': "},
      {"cut", "228", then_once, "speaks of one order only"},
      {"cut", "228", else_as_then, "body 'else_branch' of operator 'if0': "},
      {"inputs", "64", then_good, NULL},
      {"inputs", "65", then_good, "smaller than the claim"},
      {"joint-clauses", "228", then_good, NULL},
      {"joint-clauses", "229", then_good, "no contradiction"},
      {"joint-clauses", "228", else_good, "no contradiction"},
  };
  memplan_problem problem;
  build_choice(&problem);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"%s\","
                   "\"claim\":%s,\"op\":\"if0\",\"unit\":1,\"ops\":[\"if0\"],\"items\":[\"v\",\"y\",\"if0#workspace\"],"
                   "\"pairs\":[],\"bodies\":[%s]}\n%s",
                   problem.fingerprint, cases[k].kind, cases[k].claim, cases[k].bodies,
                   cases[k].kind[0] == 'j' ? "{\"c\":[],\"h\":[[2,0]]}\n" : "");
    memplan_check_result result = check(&problem, text);
    if (result.proven != (cases[k].why == NULL) ||
        (cases[k].why != NULL && strstr(result.reason, cases[k].why) == NULL)) {
      fail_msg("case %d: '%s'", (int)k, result.reason);
    }
  }
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_ones),
      cmocka_unit_test(constructed_ones),
      cmocka_unit_test(constructed_ones_of_every_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
