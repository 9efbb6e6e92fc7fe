// SPDX-License-Identifier: Apache-2.0
#include "tests/support/order_search_case.h"

#include "eval/check_proof.h"
#include "solvers/cut_proof.h"
#include "solvers/order_optimal.h"
#include "solvers/search_proof.h"
#include "tests/support/order_optimum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { changes = 8, most_edges = 12 };

static FILE *open_text(char **text, size_t *length) {
  FILE *out = open_memstream(text, length);
  assert_non_null(out);
  return out;
}

// The lines of a search of an ordering, which need not be that of the problem, in one direction.
static char *write_search(const memplan_problem *problem, const memplan_ordering *ordering, bool reversed,
                          const memplan_order_edge *edges, int32_t n_edges, int64_t claim) {
  memplan_search_proof proof;
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(memplan_search_proof_begin(&proof, ordering, edges, n_edges, claim, INT64_MAX, 0, NULL), MEMPLAN_OK);
  memplan_order_log *log = proof.logs[reversed];
  while (memplan_order_log_state(log) == MEMPLAN_ORDER_LOG_RUNNING) {
    assert_int_equal(memplan_order_log_run(log, 1000, NULL), MEMPLAN_OK);
  }
  if (memplan_order_log_state(log) == MEMPLAN_ORDER_LOG_CLOSED) {
    FILE *out = open_text(&text, &length);
    fprintf(out,
            "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"order-search\","
            "\"claim\":%" PRId64 "}\n",
            problem->fingerprint, claim);
    proof.closed = reversed;
    assert_true(memplan_search_proof_write(&proof, ordering->graph, out));
    assert_int_equal(fclose(out), 0);
  } else {
    assert_int_equal(memplan_order_log_state(log), MEMPLAN_ORDER_LOG_FOUND);
  }
  memplan_search_proof_free(&proof);
  return text;
}

static memplan_ordering order_problem_of(const memplan_problem *problem) {
  memplan_ordering ordering;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  return ordering;
}

char *search_certificate(const memplan_problem *problem, bool reversed, int64_t claim) {
  memplan_ordering ordering = order_problem_of(problem);
  char *text = write_search(problem, &ordering, reversed, NULL, 0, claim);
  memplan_ordering_free(&ordering);
  return text;
}

static memplan_check_result check(const memplan_problem *problem, const char *text) {
  memplan_check_result result;
  memplan_error error;
  assert_int_equal(memplan_check_certificate(problem, text, strlen(text), &result, &error), MEMPLAN_OK);
  assert_true(result.proven == (result.reason[0] == '\0'));
  return result;
}

// ---- changes

static int32_t count_lines(const char *text) {
  int32_t count = 0;
  for (; *text != '\0'; text++) {
    count += *text == '\n';
  }
  return count;
}

static const char *find_line(const char *text, int32_t index) {
  for (; index > 0; index--) {
    text = strchr(text, '\n') + 1;
  }
  return text;
}

// `text` with `length` bytes from `at` on replaced by `with`; frees it.
static char *replace(char *text, const char *at, size_t length, const char *with, size_t with_length) {
  size_t before = (size_t)(at - text), after = strlen(at + length);
  char *changed = malloc(before + with_length + after + 1);
  assert_non_null(changed);
  memcpy(changed, text, before);
  memcpy(changed + before, with, with_length);
  memcpy(changed + before + with_length, at + length, after + 1);
  free(text);
  return changed;
}

static char *claim_more(char *text, int64_t claim) {
  char number[32];
  const char *at = strstr(text, "\"claim\":") + strlen("\"claim\":");
  int length = snprintf(number, sizeof number, "%" PRId64, claim);
  return replace(text, at, strspn(at, "0123456789"), number, (size_t)length);
}

// A line less, a line of another certificate more, another number, a commit less, or a number moved from one list to
// another one. The first line stays.
static char *change(random_state *random, char *text, const char *other) {
  int32_t n = count_lines(text);
  const char *line = find_line(text, 1 + random_below(random, n - 1)), *end = strchr(line, '\n');
  switch (random_below(random, 5)) {
  case 0:
    return replace(text, line, (size_t)(end - line) + 1, "", 0);
  case 1: {
    const char *more = find_line(other, 1 + random_below(random, count_lines(other) - 1));
    return replace(text, line, 0, more, (size_t)(strchr(more, '\n') - more) + 1);
  }
  case 2: {
    const char *commit = strstr(line, ",\"commit\"");
    return commit != NULL && commit < end ? replace(text, commit, (size_t)(end - commit), "}", 1) : text;
  }
  case 3: {
    const char *list = strstr(line, "],\"commit\":[");
    return list != NULL && list < end ? replace(text, list, strlen("],\"commit\":["), ",", 1) : text;
  }
  default:
    break;
  }
  for (const char *at = line; at < end; at++) {
    if (*at >= '0' && *at <= '9' && random_chance(random, 30)) {
      char digit = (char)('0' + random_below(random, 10));
      return replace(text, at, 1, &digit, 1);
    }
  }
  return text;
}

static char *copy(const char *text) {
  char *copied = malloc(strlen(text) + 1);
  assert_non_null(copied);
  return strcpy(copied, text);
}

static void must_not_prove(const memplan_problem *problem, const char *text, int64_t optimum, search_counts *all) {
  memplan_check_result result = check(problem, text);
  all->still_right += result.proven;
  if (result.proven && result.claim > optimum) {
    fail_msg("proves %" PRId64 ", optimum %" PRId64 "\n%s", result.claim, optimum, text);
  }
}

static void change_certificate(const memplan_problem *problem, random_state *random, char *const *texts,
                               int64_t optimum, search_counts *all) {
  for (int32_t k = 0; k < changes; k++) {
    char *text = copy(texts[random_below(random, 2)]);
    text = random_chance(random, 50) ? claim_more(text, optimum + 1) : text;
    for (int32_t times = 1 + random_below(random, 3); times > 0 && count_lines(text) > 2; times--) {
      text = change(random, text, texts[random_below(random, 2)]);
    }
    must_not_prove(problem, text, optimum, all);
    all->changed++;
    free(text);
  }
}

// ---- certificates of something else

// Of the graph with precedences that need not hold.
static void narrow_wrongly(const memplan_problem *problem, const memplan_ordering *ordering, random_state *random,
                           int64_t optimum, search_counts *all) {
  memplan_order_edge edges[most_edges];
  int32_t n_edges = 0, wanted = 1 + random_below(random, most_edges);
  for (int32_t k = 0; k < wanted; k++) {
    int32_t after = random_below(random, ordering->n_ops), before = random_below(random, ordering->n_ops);
    if (before < after) {
      edges[n_edges++] = (memplan_order_edge){before, after};
    }
  }
  for (int32_t reversed = 0; reversed < 2; reversed++) {
    char *text = write_search(problem, ordering, reversed == 1, edges, n_edges, optimum + 1);
    if (text != NULL) {
      must_not_prove(problem, text, optimum, all);
      all->wrong++;
    }
    free(text);
  }
}

// Of the graph with one cell, or one workspace, larger.
static void enlarge(const memplan_problem *problem, memplan_ordering *ordering, random_state *random, int64_t optimum,
                    search_counts *all) {
  int64_t *bytes = ordering->n_cells > 0 && random_chance(random, 70)
                       ? &ordering->cells[random_below(random, ordering->n_cells)].bytes
                       : &ordering->workspace[random_below(random, ordering->n_ops)];
  int64_t more = 1 + random_below(random, 20);
  *bytes += more;
  for (int32_t reversed = 0; reversed < 2; reversed++) {
    char *text = write_search(problem, ordering, reversed == 1, NULL, 0, optimum + 1);
    if (text != NULL) {
      must_not_prove(problem, text, optimum, all);
      all->wrong++;
    }
    free(text);
  }
  *bytes -= more;
}

// ---- graphs

static void count_features(const memplan_ordering *ordering, const char *text, search_counts *all) {
  all->certificates++;
  all->groups += ordering->graph->n_groups > 0;
  all->pairs += ordering->n_pairs > 0;
  all->first += ordering->first_step > 0;
  all->lazy += strstr(text, "\"lazy\":[]") == NULL;
  all->commits += strstr(text, "\"commit\":[") != NULL;
  all->intervals += strstr(text, "\"commit\":[[") != NULL || strstr(text, ",[") != NULL;
}

// By the way that commands take, with what probing has found.
static void check_narrowed(const memplan_problem *problem, int64_t optimum, search_counts *all) {
  static const memplan_proof_effort none = {.first = 0};
  memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = optimum};
  memplan_certificate certificate;
  assert_int_equal(memplan_cut_certify(problem, &bound, NULL, &none, INT64_MAX, &certificate, NULL), MEMPLAN_OK);
  assert_non_null(certificate.text);
  memplan_check_result result = check(problem, certificate.text);
  if (!result.proven) {
    fail_msg("not accepted: line %" PRId64 ": %s\n%s", result.line, result.reason, certificate.text);
  }
  bool narrowed = strcmp(certificate.kind, "order-search") == 0 && strstr(certificate.text, "before\":") != NULL;
  all->narrowed += narrowed;
  if (narrowed) {
    char *more = claim_more(copy(certificate.text), optimum + 1);
    must_not_prove(problem, more, optimum, all);
    free(more);
  }
  memplan_certificate_free(&certificate);
  bound.bytes++;
  assert_int_equal(memplan_cut_certify(problem, &bound, NULL, &none, INT64_MAX, &certificate, NULL), MEMPLAN_OK);
  assert_null(certificate.text);
}

// In both directions, and nothing is closed above the optimum.
static void check_directions(const memplan_problem *problem, const memplan_ordering *ordering, int64_t optimum,
                             char **texts, search_counts *all) {
  for (int32_t reversed = 0; reversed < 2; reversed++) {
    texts[reversed] = write_search(problem, ordering, reversed == 1, NULL, 0, optimum);
    assert_non_null(texts[reversed]);
    memplan_check_result result = check(problem, texts[reversed]);
    if (!result.proven || result.claim != optimum) {
      fail_msg("not accepted: line %" PRId64 ": %s\n%s", result.line, result.reason, texts[reversed]);
    }
    count_features(ordering, texts[reversed], all);
    assert_null(write_search(problem, ordering, reversed == 1, NULL, 0, optimum + 1));
    char *more = claim_more(copy(texts[reversed]), optimum + 1);
    must_not_prove(problem, more, optimum, all);
    free(more);
  }
}

static void check_graph(const memplan_problem *problem, random_state *random, search_counts *all) {
  memplan_ordering ordering = order_problem_of(problem);
  int64_t optimum = order_optimum(&ordering);
  char *texts[2];
  check_directions(problem, &ordering, optimum, texts, all);
  change_certificate(problem, random, texts, optimum, all);
  narrow_wrongly(problem, &ordering, random, optimum, all);
  enlarge(problem, &ordering, random, optimum, all);
  check_narrowed(problem, optimum, all);
  free(texts[0]);
  free(texts[1]);
  all->graphs++;
  memplan_ordering_free(&ordering);
}

static void print_counts(const search_counts *counts) {
  print_message("%" PRId64 " graphs, %" PRId64 " certificates: %" PRId64 " of graphs with groups, %" PRId64
                " with pairs, %" PRId64 " with unread inputs; %" PRId64 " with lazy operators, %" PRId64
                " with commits, %" PRId64 " with intervals, %" PRId64 " with precedences found; %" PRId64
                " changed, %" PRId64 " of them still right, %" PRId64 " of other graphs\n",
                counts->graphs, counts->certificates, counts->groups, counts->pairs, counts->first, counts->lazy,
                counts->commits, counts->intervals, counts->narrowed, counts->changed, counts->still_right,
                counts->wrong);
}

void search_check_graphs(uint64_t seed, int32_t count, search_counts *counts) {
  *counts = (search_counts){.graphs = 0};
  for (int32_t index = 0; index < 2 * count; index++) {
    random_state random = random_start(seed, (uint64_t)index);
    memplan_problem problem;
    if (index % 2 == 0) {
      random_graph_options wishes = {.max_ops = 7, .max_bytes = 9};
      random_graph(&random, &wishes, &problem);
    } else {
      order_random_dag(&random, 2 + random_below(&random, 11), 12, &problem);
    }
    memplan_error error;
    if (build_try(&problem, &error) == MEMPLAN_OK && problem.graph.n_ops > 0) {
      check_graph(&problem, &random, counts);
    }
    memplan_problem_free(&problem);
  }
  print_counts(counts);
}

void search_check_dags(uint64_t seed, int32_t count, int32_t low, int32_t high, search_counts *counts) {
  *counts = (search_counts){.graphs = 0};
  for (int32_t index = 0; index < count; index++) {
    random_state random = random_start(seed, (uint64_t)index);
    memplan_problem problem;
    order_random_dag(&random, low + random_below(&random, high - low + 1), 30, &problem);
    build_finish(&problem);
    memplan_ordering ordering = order_problem_of(&problem);
    memplan_limits limits = memplan_limits_default();
    limits.threads = 1;
    memplan_arena arena = {0};
    memplan_order_optimal_task task = {.ordering = &ordering, .limits = &limits};
    memplan_order_optimal_result found;
    assert_int_equal(memplan_order_optimal(&task, &arena, &found, NULL), MEMPLAN_OK);
    assert_true(found.peak == found.bound);
    char *texts[2];
    check_directions(&problem, &ordering, found.peak, texts, counts);
    change_certificate(&problem, &random, texts, found.peak, counts);
    narrow_wrongly(&problem, &ordering, &random, found.peak, counts);
    enlarge(&problem, &ordering, &random, found.peak, counts);
    free(texts[0]);
    free(texts[1]);
    counts->graphs++;
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  print_counts(counts);
}
