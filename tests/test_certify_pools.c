// SPDX-License-Identifier: Apache-2.0
// Certificates of one of several pools: they claim what the buffers that may lie in it alone need, found by trying all
// offsets, and no more, whatever is done to them.
#include "eval/check_proof.h"
#include "model/memplan.h"
#include "tests/support/precedence_case.h"
#include "tests/support/problem_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_TEXT = 8192 };

// The buffers of the case have to lie in the pool "far", which holds so many bytes (-1: any); three more may lie in
// either.
static void read_case(const tight_case *one, int64_t capacity, memplan_problem *problem) {
  char limit[32] = "";
  if (capacity >= 0) {
    (void)snprintf(limit, sizeof limit, ",\"capacity\":%" PRId64, capacity);
  }
  char text[MOST_TEXT];
  int at = snprintf(text, sizeof text,
                    "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":["
                    "{\"id\":\"free\",\"bytes\":3,\"live\":[[0,3]]},"
                    "{\"id\":\"also\",\"bytes\":1,\"live\":[[1,9]],\"pools\":[\"near\",\"far\"]},"
                    "{\"id\":\"near\",\"bytes\":2,\"live\":[[0,9]]}");
  for (int32_t k = 0; k < one->n; k++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   ",{\"id\":\"b%d\",\"bytes\":%d,\"align\":%d,\"live\":[[%d,%d]],\"pools\":[\"far\"]}", (int)k,
                   (int)one->size[k], (int)one->align[k], (int)one->start[k], (int)one->end[k]);
  }
  at += snprintf(text + at, sizeof text - (size_t)at, "],\"pools\":[{\"id\":\"near\"},{\"id\":\"far\"%s}]}", limit);
  assert_true(at < MOST_TEXT);
  support_read_good(problem, "t.json", text);
}

static void make(const memplan_problem *problem, memplan_solution *solution, memplan_certificate *certificate,
                 bool has_plan) {
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  options.limits.work = 20000000;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK || solution->has_plan != has_plan ||
      memplan_certify(problem, solution, &options.limits, INT64_C(1) << 30, certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

static memplan_check_result check(const memplan_problem *problem, const char *text) {
  memplan_check_result result;
  memplan_error error = {0};
  assert_int_equal(memplan_check_certificate(problem, text, strlen(text), &result, &error), MEMPLAN_OK);
  return result;
}

static char *with_claim(const char *text, int64_t claim) {
  const char *at = strstr(text, "\"claim\":");
  assert_non_null(at);
  at += strlen("\"claim\":");
  size_t size = strlen(text) + 32;
  char *changed = malloc(size);
  assert_non_null(changed);
  (void)snprintf(changed, size, "%.*s%" PRId64 "%s", (int)(at - text), text, claim, at + strspn(at, "0123456789"));
  return changed;
}

// Another digit, a line less, or another buffer of the problem for one that is named.
static void change(random_state *random, char *text) {
  size_t length = strlen(text), at = (size_t)random_below(random, (int32_t)length);
  char *line = strchr(text, '\n');
  assert_non_null(line);
  switch (random_below(random, 3)) {
  case 0:
    while (at > 0 && isdigit((unsigned char)text[at]) == 0) {
      at--;
    }
    text[at] = at > 0 ? (char)('0' + random_below(random, 10)) : text[at];
    return;
  case 1: {
    while (at > 0 && text[at - 1] != '\n') {
      at--;
    }
    char *end = strchr(text + at, '\n');
    if (at > 0 && end != NULL) {
      memmove(text + at, end + 1, strlen(end + 1) + 1);
    }
    return;
  }
  default: {
    char *buffers = strstr(text, "\"buffers\":["), *name = buffers != NULL ? strstr(buffers, "\"b") : NULL;
    name = name != NULL ? strstr(name + 2, "\"b") : NULL;
    if (name != NULL) {
      name[2] = (char)('0' + random_below(random, 10));
    }
    return;
  }
  }
}

static void of_random_pools(void **state) {
  (void)state;
  int32_t n_clauses = 0, n_loads = 0, changed = 0, still = 0;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    random_state random = random_start(821, seed);
    tight_case one;
    memplan_problem problem;
    memplan_solution solution;
    memplan_certificate made;
    int32_t load = 15 + random_below(&random, 14);
    bool aligned = random_chance(&random, 30);
    tight_random(&random, 8, load, aligned, &one);
    int64_t optimum = tight_optimum(&one);
    read_case(&one, -1, &problem);
    make(&problem, &solution, &made, true);
    assert_non_null(made.text);
    memplan_check_result result = check(&problem, made.text);
    if (!result.proven || made.claim != optimum) {
      fail_msg("seed %" PRIu64 ": claims %" PRId64 " of %" PRId64 ": %s", seed, made.claim, optimum, result.reason);
    }
    assert_string_equal(result.pool, "far");
    n_clauses += strcmp(made.kind, "clauses") == 0;
    n_loads += strcmp(made.kind, "load") == 0;
    for (int32_t k = 0; k < 10; k++) {
      char *text = with_claim(made.text, optimum + (k % 5 != 0));
      for (int32_t times = random_below(&random, 3); times > 0; times--) {
        change(&random, text);
      }
      result = check(&problem, text);
      if (result.proven && result.claim > optimum) {
        fail_msg("seed %" PRIu64 ": claims %" PRId64 ", the optimum is %" PRId64 ":\n%s", seed, result.claim, optimum,
                 text);
      }
      changed++;
      still += result.proven;
      free(text);
    }
    memplan_certificate_free(&made);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  print_message("%d of clauses, %d of loads; %d changed, %d still prove the optimum\n", (int)n_clauses, (int)n_loads,
                (int)changed, (int)still);
  assert_true(n_clauses > 100 && n_loads > 20 && changed == 5000 && still < changed);
}

// What may lie elsewhere, or in another pool, cannot be named; nor another pool or none.
static void constructed_ones(void **state) {
  (void)state;
  static const char problem_text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":6,\"live\":[[0,2]],"
      "\"pools\":[\"far\"]},{\"id\":\"b\",\"bytes\":5,\"live\":[[1,3]],\"pools\":[\"far\"]},{\"id\":\"c\",\"bytes\":4,"
      "\"live\":[[0,3]]},{\"id\":\"d\",\"bytes\":2,\"live\":[[0,3]],\"pools\":[\"near\"]}],"
      "\"pools\":[{\"id\":\"near\"},{\"id\":\"far\"}]}";
  static const struct {
    const char *claim, *pool, *buffers, *lemma, *why; // NULL: proven
  } cases[] = {
      {"11", "\"far\"", "\"a\",\"b\"", "[0,0,10,0,1]", NULL},
      {"12", "\"far\"", "\"a\",\"b\"", "[0,0,11,0,1]", "they fit"},
      {"15", "\"far\"", "\"a\",\"b\",\"c\"", "[0,0,14,0,1,2]", "may lie in another pool"},
      {"13", "\"far\"", "\"a\",\"b\",\"d\"", "[0,0,12,0,1,2]", "may lie in another pool"},
      {"11", "\"near\"", "\"a\",\"b\"", "[0,0,10,0,1]", "may lie in another pool"},
      {"2", "\"near\"", "\"d\"", "[0,0,1,0]", NULL},
      {"11", "\"sea\"", "\"a\",\"b\"", "[0,0,10,0,1]", "names no pool"},
      {"11", "7", "\"a\",\"b\"", "[0,0,10,0,1]", "names no pool"},
  };
  memplan_problem problem;
  support_read_good(&problem, "t.json", problem_text);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"clauses\","
                   "\"claim\":%s,\"pool\":%s,\"unit\":1,\"buffers\":[%s]}\n{\"c\":[],\"h\":[%s]}\n",
                   problem.fingerprint, cases[k].claim, cases[k].pool, cases[k].buffers, cases[k].lemma);
    memplan_check_result result = check(&problem, text);
    if (result.proven != (cases[k].why == NULL) ||
        (cases[k].why != NULL && strstr(result.reason, cases[k].why) == NULL)) {
      fail_msg("case %d: '%s'", (int)k, result.reason);
    }
  }
  memplan_problem_free(&problem);
}

// A pool that is one byte too small: there is no plan, and what is certified says why.
static void of_pools_too_small(void **state) {
  (void)state;
  int32_t n_clauses = 0, n_loads = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_state random = random_start(822, seed);
    tight_case one;
    memplan_problem problem;
    memplan_solution solution;
    memplan_certificate made;
    int32_t load = 15 + random_below(&random, 14);
    tight_random(&random, 8, load, random_chance(&random, 30), &one);
    int64_t optimum = tight_optimum(&one);
    read_case(&one, optimum - 1, &problem);
    make(&problem, &solution, &made, false);
    assert_int_equal(solution.outcome, MEMPLAN_INFEASIBLE);
    assert_non_null(made.text);
    memplan_check_result result = check(&problem, made.text);
    if (!result.proven || made.claim != optimum) {
      fail_msg("seed %" PRIu64 ": claims %" PRId64 " of %" PRId64 ": %s", seed, made.claim, optimum, result.reason);
    }
    assert_string_equal(result.pool, "far");
    n_clauses += strcmp(made.kind, "clauses") == 0;
    n_loads += strcmp(made.kind, "load") == 0;
    memplan_certificate_free(&made);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  print_message("%d of clauses, %d of loads\n", (int)n_clauses, (int)n_loads);
  assert_true(n_clauses > 20 && n_loads > 5);
}

#define POOLS_HEAD "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":["

// Without a plan: a load of one pool, or nothing, with the reason.
static void of_no_plan(void **state) {
  (void)state;
  static const struct {
    const char *text, *pool; // NULL: no certificate
    int64_t claim;
  } cases[] = {
      {POOLS_HEAD "{\"id\":\"A\",\"bytes\":60,\"live\":[[0,2]],\"pools\":[\"near\"]},"
                  "{\"id\":\"B\",\"bytes\":60,\"live\":[[1,3]],\"pools\":[\"near\"]},"
                  "{\"id\":\"C\",\"bytes\":30,\"live\":[[1,2]]}],"
                  "\"pools\":[{\"id\":\"near\",\"capacity\":100},{\"id\":\"far\",\"capacity\":1000}]}",
       "near", 120},
      {POOLS_HEAD "{\"id\":\"A\",\"bytes\":60,\"live\":[[0,2]]},{\"id\":\"B\",\"bytes\":60,\"live\":[[1,3]]},"
                  "{\"id\":\"C\",\"bytes\":30,\"live\":[[1,2]],\"pools\":[\"near\"]}],"
                  "\"pools\":[{\"id\":\"near\",\"capacity\":60},{\"id\":\"far\",\"capacity\":60}]}",
       NULL, 0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    memplan_problem problem;
    memplan_solution solution;
    memplan_certificate made;
    support_read_good(&problem, "t.json", cases[k].text);
    make(&problem, &solution, &made, false);
    assert_int_equal(solution.outcome, MEMPLAN_INFEASIBLE);
    if (cases[k].pool == NULL) {
      assert_null(made.text);
      assert_non_null(strstr(made.missing, "certificates speak of one pool"));
    } else {
      assert_non_null(made.text);
      memplan_check_result result = check(&problem, made.text);
      assert_true(result.proven);
      assert_string_equal(made.kind, "load");
      assert_string_equal(result.pool, cases[k].pool);
      assert_int_equal(made.claim, cases[k].claim);
    }
    memplan_certificate_free(&made);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

static void append(char **text, size_t *length, const char *more) {
  size_t size = strlen(more);
  char *grown = realloc(*text, *length + size + 1);
  assert_non_null(grown);
  memcpy(grown + *length, more, size + 1);
  *text = grown;
  *length += size;
}

// Pools with a buffer in each.
static void read_pools(int32_t n, memplan_problem *problem) {
  char *text = NULL, entry[96];
  size_t length = 0;
  append(&text, &length, POOLS_HEAD);
  for (int32_t k = 0; k < n; k++) {
    (void)snprintf(entry, sizeof entry, "%s{\"id\":\"b%d\",\"bytes\":%d,\"live\":[[0,2]],\"pools\":[\"p%d\"]}",
                   k > 0 ? "," : "", (int)k, (int)(k % 7 + 1), (int)k);
    append(&text, &length, entry);
  }
  for (int32_t k = 0; k < n; k++) {
    (void)snprintf(entry, sizeof entry, "%s{\"id\":\"p%d\"}", k > 0 ? "," : "],\"pools\":[", (int)k);
    append(&text, &length, entry);
  }
  append(&text, &length, "]}");
  support_read_good(problem, "t.json", text);
  free(text);
}

// The certificate `made` with one part more, of one of the pools that it does not speak of.
static char *with_another(const memplan_problem *problem, const char *made, int32_t pool) {
  char *text = NULL, part[512];
  size_t length = 0;
  append(&text, &length, made);
  (void)snprintf(part, sizeof part,
                 "{\"certificate\":[{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\","
                 "\"kind\":\"load\",\"claim\":1,\"pool\":\"p%d\",\"time\":0}]}\n",
                 problem->fingerprint, (int)pool);
  append(&text, &length, part);
  return text;
}

// As many as a certificate may speak of are written and proven; of more there is none, but a reason.
static void of_many_pools(void **state) {
  (void)state;
  static const int32_t numbers[] = {32, 33, MEMPLAN_MOST_CERTIFIED_POOLS, MEMPLAN_MOST_CERTIFIED_POOLS + 1};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    memplan_problem problem;
    memplan_solution solution;
    memplan_certificate made;
    memplan_error error = {0};
    memplan_limits limits = memplan_solve_options_default().limits;
    read_pools(numbers[k], &problem);
    memplan_solution_init(&solution); // what is loaded needs no plan to be proven
    assert_int_equal(memplan_certify(&problem, &solution, &limits, INT64_C(1) << 30, &made, &error), MEMPLAN_OK);
    if (numbers[k] > MEMPLAN_MOST_CERTIFIED_POOLS) {
      assert_null(made.text);
      assert_non_null(strstr(made.missing, "more than 256 pools"));
    } else {
      assert_non_null(made.text);
      assert_string_equal(made.kind, "pools");
      memplan_check_result result = check(&problem, made.text);
      if (!result.proven || result.n_pools != numbers[k]) {
        fail_msg("%d pools: %s", (int)numbers[k], result.reason);
      }
      for (int32_t pool = 0; pool < numbers[k]; pool++) {
        assert_int_equal(result.pools[pool].pool, pool);
        assert_int_equal(result.pools[pool].claim, pool % 7 + 1);
      }
      char *text = with_another(&problem, made.text, numbers[k] - 1);
      bool full = numbers[k] == MEMPLAN_MOST_CERTIFIED_POOLS;
      result = check(&problem, text);
      assert_false(result.proven);
      assert_non_null(strstr(result.reason, full ? "more than 256 pools" : "of the same pool"));
      free(text);
    }
    memplan_certificate_free(&made);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_pools), cmocka_unit_test(constructed_ones), cmocka_unit_test(of_pools_too_small),
      cmocka_unit_test(of_no_plan),      cmocka_unit_test(of_many_pools),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
