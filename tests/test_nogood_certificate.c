// SPDX-License-Identifier: Apache-2.0
// Certificates by nogoods about every plan of a graph: those of small graphs prove the enumerated optimum, and nothing
// that is changed in them proves more.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "tests/support/joint_case.h"
#include "tests/support/joint_example.h"
#include "tests/support/nogood_case.h"
#include "tests/support/nogood_proof_case.h"
#include "tests/support/problem_text.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const nogood_proof_counts *proofs) {
  print_message("%lld certificates: %lld with nogoods, %lld with a search, %lld with commits, %lld with choices; %lld "
                "lines; %lld mutants, %lld refused, %lld with too large a claim\n",
                (long long)proofs->certificates, (long long)proofs->nogoods, (long long)proofs->searches,
                (long long)proofs->commits, (long long)proofs->choices, (long long)proofs->steps,
                (long long)proofs->made, (long long)proofs->refused, (long long)proofs->raised);
  print_message("%lld of groups\n", (long long)proofs->groups);
}

static void of_enumerated_graphs(void **state) {
  (void)state;
  static nogood_proof_counts proofs;
  proofs = (nogood_proof_counts){.mutants = 4};
  joint_counts counts = {.look = nogood_proof_look, .context = &proofs};
  for (uint64_t seed = 700000; seed < 700500; seed++) {
    joint_compare_random(seed, &counts);
    joint_compare_gadget(seed, &counts);
  }
  report(&proofs);
  assert_true(proofs.certificates > 400 && proofs.nogoods > 30 && proofs.searches > 200 && proofs.commits > 100);
  assert_true(proofs.choices > 0 && proofs.raised > 1000);
}

static void of_worked_examples(void **state) {
  (void)state;
  nogood_proof_counts proofs = {.mutants = 250};
  for (int32_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    joint_example_build(&joint_examples[k], &problem);
    nogood_proof_look(&proofs, &problem, (uint64_t)k, joint_examples[k].optimum);
    memplan_problem_free(&problem);
  }
  report(&proofs);
  assert_true(proofs.made == 1250);
}

static void of_gap_graphs(void **state) {
  (void)state;
  nogood_proof_counts proofs = {.mutants = 12};
  for (uint64_t seed = 0; seed < 80; seed++) {
    const memplan_generator_wishes wishes = {.n = 12 + (int64_t)(seed % 9), .fill = 60, .seed = seed};
    memplan_problem problem;
    memplan_ordering ordering;
    int32_t n_nogoods;
    memplan_problem_init(&problem);
    assert_int_equal(memplan_generate_problem(memplan_generator_find("gap"), &wishes, &problem, NULL), MEMPLAN_OK);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
    int64_t optimum = nogood_optimum(&ordering, 0, true, &n_nogoods);
    nogood_proof_look(&proofs, &problem, seed, optimum);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  report(&proofs);
  assert_true(proofs.certificates == 80 && proofs.made == 960 && proofs.nogoods > 5);
}

// Operators that stand side by side form groups.
static void form_groups(memplan_problem *problem, random_state *random) {
  static const char *const names[] = {"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7"};
  memplan_graph *graph = &problem->graph;
  graph->groups = MEMPLAN_NEW(&graph->arena, const char *, 8);
  assert_non_null(graph->groups);
  int32_t until = 0;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (op >= until && graph->n_groups < 8 && random_chance(random, 40)) {
      until = op + 2 + random_below(random, 2);
      graph->groups[graph->n_groups] = names[graph->n_groups];
      graph->n_groups++;
    }
    graph->ops[op].group = op < until ? graph->n_groups - 1 : -1;
  }
}

static void of_groups(void **state) {
  (void)state;
  nogood_proof_counts proofs = {.mutants = 12};
  for (uint64_t seed = 0; seed < 100; seed++) {
    const memplan_generator_wishes wishes = {.n = 10 + (int64_t)(seed % 9), .fill = 60, .seed = 500 + seed};
    memplan_problem problem;
    memplan_ordering ordering;
    int32_t n_nogoods;
    random_state random = random_start(411, seed);
    if (seed < 80) {
      memplan_problem_init(&problem);
      assert_int_equal(memplan_generate_problem(memplan_generator_find("gap"), &wishes, &problem, NULL), MEMPLAN_OK);
    } else {
      nogood_make_swap((int32_t)(seed % 4), 10, &problem);
    }
    form_groups(&problem, &random);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
    int64_t optimum = nogood_optimum(&ordering, 0, false, &n_nogoods);
    nogood_proof_look(&proofs, &problem, seed, optimum);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  report(&proofs);
  assert_true(proofs.groups > 90 && proofs.searches > 20 && proofs.commits > 10 && proofs.made > 1100);
}

// ---- constructed cases

typedef struct lines_of {
  const memplan_problem *problem;
  json_t *lines;
  size_t n_nogoods; // lines 1 to n_nogoods; the next one begins the search
} lines_of;

static lines_of read_lines(const memplan_problem *problem, const memplan_certificate *certificate) {
  lines_of read = {.problem = problem, .lines = json_array()};
  const char *at = certificate->text, *end = at + certificate->length;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    assert_non_null(stop);
    assert_int_equal(json_array_append_new(read.lines, json_loadb(at, (size_t)(stop - at), 0, NULL)), 0);
    at = stop + 1;
  }
  while (json_object_get(json_array_get(read.lines, read.n_nogoods + 1), "items") != NULL) {
    read.n_nogoods++;
  }
  return read;
}

static json_t *member(const lines_of *from, size_t line, const char *key) {
  return json_object_get(json_array_get(from->lines, line), key);
}

// The changed lines are refused for this reason, and given up.
static void refused(lines_of *changed, const char *why) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  for (size_t k = 0; k < json_array_size(changed->lines); k++) {
    assert_int_equal(json_dumpf(json_array_get(changed->lines, k), out, JSON_COMPACT), 0);
    fputc('\n', out);
  }
  assert_int_equal(fclose(out), 0);
  memplan_check_result result = nogood_proof_check(changed->problem, text, length);
  if (result.proven || strstr(result.reason, why) == NULL) {
    fail_msg("'%s' is not in '%s'", why, result.reason);
  }
  free(text);
  json_decref(changed->lines);
}

static void what_is_changed_fails(void **state) {
  (void)state;
  memplan_problem problem;
  nogood_make_swap(2, 10, &problem);
  memplan_certificate made = nogood_proof_certify(&problem, 30);
  assert_non_null(made.text);
  lines_of own = read_lines(&problem, &made);
  size_t search = own.n_nogoods + 1;
  assert_true(own.n_nogoods > 2 && member(&own, search, "search") != NULL);
  json_decref(own.lines);
  // a dropped premise
  own = read_lines(&problem, &made);
  json_array_remove(own.lines, 1);
  refused(&own, "");
  own = read_lines(&problem, &made);
  json_array_remove(own.lines, json_array_size(own.lines) - 1);
  refused(&own, "ends before its claim");
  own = read_lines(&problem, &made);
  while (json_array_size(own.lines) > search) {
    json_array_remove(own.lines, search);
  }
  refused(&own, "ends before its claim");
  own = read_lines(&problem, &made);
  json_array_clear(member(&own, 1, "overlaps"));
  refused(&own, "the proof of a nogood");
  own = read_lines(&problem, &made);
  json_array_clear(member(&own, 1, "always"));
  refused(&own, "the proof of a nogood");
  own = read_lines(&problem, &made);
  json_array_remove(member(&own, 1, "proof"), json_array_size(member(&own, 1, "proof")) - 1);
  refused(&own, "the proof of a nogood");
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, 1), "proof", json_null());
  refused(&own, "the proof of a nogood");
  // a changed number
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, 0), "claim", json_integer(31));
  refused(&own, "less than the claim");
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(member(&own, 1, "proof"), 0), "claim", json_integer(29));
  refused(&own, "");
  own = read_lines(&problem, &made);
  json_array_append(member(&own, 1, "always"), json_array_get(member(&own, 1, "overlaps"), 0));
  json_array_append(member(&own, 1, "always"), json_array_get(member(&own, 1, "overlaps"), 1));
  json_array_append_new(member(&own, 1, "always"), json_integer(0));
  refused(&own, "need not");
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, search + 2), "from", json_integer(7));
  refused(&own, "not on its way");
  // a foreign one
  own = read_lines(&problem, &made);
  json_array_set_new(member(&own, 1, "items"), 0, json_integer(1000));
  refused(&own, "the model does not have");
  own = read_lines(&problem, &made);
  json_array_append_new(member(&own, 1, "links"), json_integer(0));
  refused(&own, "no in-place pair");
  own = read_lines(&problem, &made);
  json_array_set_new(member(&own, 1, "overlaps"), 0, json_integer(3));
  refused(&own, "");
  own = read_lines(&problem, &made);
  json_array_set_new(member(&own, 0, "ops"), 1, json_string("o1"));
  refused(&own, "not those of the model");
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, search), "search", json_string("sideways"));
  refused(&own, "neither forward nor reversed");
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, search + 2), "run", json_integer(6));
  refused(&own, "before it can");
  own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, search + 2), "choose", json_pack("[i]", 0));
  refused(&own, "a pair is chosen");
  // a nogood keeps what it would decide from being committed: x or y by `swap`, the operator before the last one
  own = read_lines(&problem, &made);
  bool forward = strcmp(json_string_value(member(&own, search, "search")), "forward") == 0;
  json_object_set_new(json_array_get(own.lines, search + 1), "commit", json_pack("[i]", forward ? 0 : 12));
  refused(&own, "");
  memplan_certificate_free(&made);
  memplan_problem_free(&problem);
}

// The first of a group is not committed: what has to run within the group could have to wait for others.
static void groups_begin_by_no_commit(void **state) {
  (void)state;
  static const char *names[] = {"g"};
  memplan_problem problem;
  nogood_make_swap(2, 10, &problem);
  problem.graph.groups = names;
  problem.graph.n_groups = 1;
  problem.graph.ops[1].group = problem.graph.ops[2].group = 0;
  memplan_certificate made = nogood_proof_certify(&problem, 30);
  assert_non_null(made.text);
  lines_of own = read_lines(&problem, &made);
  json_object_set_new(json_array_get(own.lines, own.n_nogoods + 1), "search", json_string("forward"));
  while (json_array_size(own.lines) > own.n_nogoods + 2) {
    json_array_remove(own.lines, own.n_nogoods + 2);
  }
  json_array_append_new(own.lines, json_object());
  json_array_append_new(own.lines, json_pack("{s:i,s:[i]}", "run", 0, "commit", 1));
  refused(&own, "its group keeps from it");
  memplan_certificate_free(&made);
  memplan_problem_free(&problem);
}

// Alignments whose common multiple passes 2^62 contradict nothing: all three lie at 0.
static const char far_alignments[] =
    "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"t0\",\"bytes\":100,\"align\":2097143},"
    "{\"id\":\"t1\",\"bytes\":100,\"align\":2097151},{\"id\":\"t2\",\"bytes\":100,\"align\":2097152}],"
    "\"ops\":[{\"id\":\"o0\",\"in\":[],\"out\":[\"t0\"]},"
    "{\"id\":\"o1\",\"in\":[\"t0\"],\"out\":[\"t1\"],\"inplace\":[[\"t1\",\"t0\"]]},"
    "{\"id\":\"o2\",\"in\":[\"t1\"],\"out\":[\"t2\"],\"inplace\":[[\"t2\",\"t1\"]]}]}";

static void limits_prove_nothing(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_ordering ordering;
  int32_t n_nogoods;
  support_read_good(&problem, "chain.json", far_alignments);
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
  assert_int_equal(nogood_optimum(&ordering, 0, true, &n_nogoods), 100);
  memplan_ordering_free(&ordering);
  memplan_certificate made = nogood_proof_certify(&problem, 101);
  assert_null(made.text);
  memplan_certificate_free(&made);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  fprintf(out,
          "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"nogoods\","
          "\"claim\":2097243,\"ops\":[\"o0\",\"o1\",\"o2\"],\"items\":[\"t0\",\"t1\",\"t2\"],"
          "\"pairs\":[[\"t1\",\"t0\"],[\"t2\",\"t1\"]]}\n"
          "{\"items\":[0,1,2],\"overlaps\":[],\"always\":[],\"links\":[0,1],\"proof\":null}\n",
          problem.fingerprint);
  assert_int_equal(fclose(out), 0);
  memplan_check_result result = nogood_proof_check(&problem, text, length);
  assert_false(result.proven);
  assert_non_null(strstr(result.reason, "the proof of a nogood"));
  free(text);
  memplan_problem_free(&problem);
}

// The searches for a certificate keep to the memory given.
static void memory_is_limited(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_limits limits = memplan_limits_default();
  nogood_make_swap(2, 10, &problem);
  for (int32_t k = 0; k < 2; k++) {
    memplan_certificate made;
    limits.memory = k == 0 ? 1 : INT64_C(1) << 24;
    assert_int_equal(memplan_nogood_certify(&problem, 30, &limits, INT64_C(1) << 20, &made, NULL), MEMPLAN_OK);
    assert_int_equal(made.text != NULL, k == 1);
    memplan_certificate_free(&made);
  }
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_enumerated_graphs),
                                     cmocka_unit_test(of_worked_examples),
                                     cmocka_unit_test(of_gap_graphs),
                                     cmocka_unit_test(what_is_changed_fails),
                                     cmocka_unit_test(of_groups),
                                     cmocka_unit_test(groups_begin_by_no_commit),
                                     cmocka_unit_test(limits_prove_nothing),
                                     cmocka_unit_test(memory_is_limited)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
