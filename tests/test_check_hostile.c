// SPDX-License-Identifier: Apache-2.0
// Certificates made to keep a check busy: each is refused for what it asks for, after work and memory that its own
// length explains.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "eval/check_proof.h"
#include "tests/support/build_problem.h"
#include "tests/support/problem_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char too_much[] = "more work than one of a certificate of this length should";

typedef struct hostile {
  char *text;
  size_t length;
  FILE *out;
} hostile;

// With the first line, which ends with `rest`.
static void begin(hostile *made, const memplan_problem *problem, const char *kind, const char *claim,
                  const char *rest) {
  *made = (hostile){.text = NULL};
  made->out = open_memstream(&made->text, &made->length);
  assert_non_null(made->out);
  fprintf(made->out,
          "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"%s\",\"claim\":%s%s}\n",
          problem->fingerprint, kind, claim, rest);
}

static void refused(const memplan_problem *problem, hostile *made, const char *reason) {
  memplan_check_result result;
  memplan_error error = {.message = ""};
  assert_int_equal(fclose(made->out), 0);
  if (memplan_check_certificate(problem, made->text, made->length, &result, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  free(made->text);
  assert_false(result.proven);
  if (strstr(result.reason, reason) == NULL) {
    fail_msg("line %" PRId64 ": %s, expected: %s", result.line, result.reason, reason);
  }
}

// Operators that read one input, each with an output of its own.
static void read_star(memplan_problem *problem, int32_t n) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"x\",\"bytes\":1,\"roles\":[\"input\"]}",
        out);
  for (int32_t k = 0; k < n; k++) {
    fprintf(out, ",{\"id\":\"y%d\",\"bytes\":1,\"roles\":[\"output\"]}", (int)k);
  }
  for (int32_t k = 0; k < n; k++) {
    fprintf(out, "%s{\"id\":\"o%d\",\"in\":[\"x\"],\"out\":[\"y%d\"]}", k == 0 ? "],\"ops\":[" : ",", (int)k, (int)k);
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  support_read_good(problem, "star.json", text);
  free(text);
}

// Operators that all can run at any time: each line would have as many sets noted.
static void sets_that_cannot_be_closed(void **state) {
  (void)state;
  enum { n_ops = 2000, n_lines = 1500 };
  memplan_problem problem;
  read_star(&problem, n_ops);
  hostile made;
  begin(&made, &problem, "order-search", "1000000", "");
  fputs("{\"search\":\"forward\",\"ops\":[", made.out);
  for (int32_t k = 0; k < n_ops; k++) {
    fprintf(made.out, "%s\"o%d\"", k > 0 ? "," : "", (int)k);
  }
  fputs("]}\n{\"run\":[]}\n", made.out);
  for (int32_t k = 0; k < n_lines; k++) {
    fprintf(made.out, "{\"run\":[%d],\"from\":1}\n", (int)k);
  }
  refused(&problem, &made, "more sets are open than the rest of it can close");
  memplan_problem_free(&problem);
}

// Buffers of one byte that live at one time.
static void read_stack(memplan_problem *problem, int32_t n) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[", out);
  for (int32_t k = 0; k < n; k++) {
    fprintf(out, "%s{\"id\":\"b%d\",\"bytes\":1,\"live\":[[0,1]]}", k > 0 ? "," : "", (int)k);
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  support_read_good(problem, "stack.json", text);
  free(text);
}

static void list_stack(FILE *out, int32_t n) {
  fputs(",\"unit\":1,\"buffers\":[", out);
  for (int32_t k = 0; k < n; k++) {
    fprintf(out, "%s\"b%d\"", k > 0 ? "," : "", (int)k);
  }
  fputs("]", out);
}

static void begin_stack(hostile *made, const memplan_problem *problem, int32_t n, const char *claim) {
  char *list = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&list, &length);
  assert_non_null(out);
  list_stack(out, n);
  assert_int_equal(fclose(out), 0);
  begin(made, problem, "clauses", claim, list);
  free(list);
}

// Three buffers, each above the one before and the first one above the last: they chase each other up an arena that has
// no end to speak of.
static void buffers_in_a_circle(void **state) {
  (void)state;
  memplan_problem problem;
  read_stack(&problem, 3);
  hostile made;
  begin_stack(&made, &problem, 3, "2305843009213693952");
  fputs("{\"c\":[9,0,13,0,10,1],\"h\":[]}\n", made.out);
  refused(&problem, &made, too_much);
  begin_stack(&made, &problem, 3, "3"); // in a small arena the circle is a contradiction
  fputs("{\"c\":[9,0,13,0,10,1],\"h\":[]}\n", made.out);
  refused(&problem, &made, "ends before its claim");
  memplan_problem_free(&problem);
}

// The same of a graph.
static void items_in_a_circle(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_tensor(&problem.graph, "x", 1, MEMPLAN_ROLE_INPUT);
  build_tensor(&problem.graph, "y", 1, MEMPLAN_ROLE_INPUT);
  build_tensor(&problem.graph, "z", 1, MEMPLAN_ROLE_INPUT);
  build_tensor(&problem.graph, "w", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(&problem.graph, "one", "x y z", "w");
  build_finish(&problem);
  static const char lists[] = ",\"unit\":1,\"ops\":[\"one\"],\"items\":[\"x\",\"y\",\"z\",\"w\"],\"pairs\":[]";
  // sides: offsets 0 to 7, height, one turn, 8 lives, 16 ways to be gone, and from 60 on who lies below whom
  static const char circle[] = "{\"c\":[63,0,73,0,77,0],\"h\":[]}\n";
  hostile made;
  begin(&made, &problem, "joint-clauses", "1152921504606846976", lists);
  fputs(circle, made.out);
  refused(&problem, &made, too_much);
  begin(&made, &problem, "joint-clauses", "3", lists);
  fputs(circle, made.out);
  refused(&problem, &made, "ends before its claim");
  memplan_problem_free(&problem);
}

// A long clause that is looked at again and again.
static void hints_to_a_long_clause(void **state) {
  (void)state;
  enum { n_literals = 40000, n_hints = 100000 };
  memplan_problem problem;
  read_stack(&problem, 3);
  hostile made;
  begin_stack(&made, &problem, 3, "9");
  fputs("{\"c\":[", made.out);
  for (int32_t k = 0; k < n_literals; k++) {
    fputs("9,0,", made.out);
  }
  fputs("8,1,0,1],\"h\":[]}\n{\"c\":[9,0],\"h\":[1", made.out);
  for (int32_t k = 1; k < n_hints; k++) {
    fputs(",1", made.out);
  }
  fputs("]}\n", made.out);
  refused(&problem, &made, too_much);
  memplan_problem_free(&problem);
}

// A lemma whose members have to be compared one by one.
static void lemma_of_many_members(void **state) {
  (void)state;
  enum { n = 1400, times = 8 };
  memplan_problem problem;
  read_stack(&problem, n);
  hostile made;
  begin_stack(&made, &problem, n, "1401");
  for (int32_t line = 0; line < times; line++) {
    fputs("{\"c\":[0,1],\"h\":[", made.out);
    for (int32_t again = 0; again < times; again++) {
      fputs(again > 0 ? ",[0,0,1399" : "[0,0,1399", made.out);
      for (int32_t k = 0; k < n; k++) {
        fprintf(made.out, ",%d", (int)k);
      }
      fputs("]", made.out);
    }
    fputs("]}\n", made.out);
  }
  refused(&problem, &made, "");
  memplan_problem_free(&problem);
}

static void pairs_without_number(void **state) {
  (void)state;
  enum { n = 1500 };
  memplan_problem problem;
  read_stack(&problem, n);
  hostile made;
  begin_stack(&made, &problem, n, "1500");
  refused(&problem, &made, "pairs of its buffers meet");
  memplan_problem_free(&problem);
}

static void one_ideal_only(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_tensor(&problem.graph, "x", 4, MEMPLAN_ROLE_INPUT);
  build_tensor(&problem.graph, "y", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(&problem.graph, "a", "x", "y");
  build_finish(&problem);
  hostile made;
  begin(&made, &problem, "cut", "8", ",\"op\":\"a\"");
  fputs("{\"ideal\":[]}\n{\"ideal\":[]}\n", made.out);
  refused(&problem, &made, "an ideal is stated twice");
  memplan_problem_free(&problem);
}

// ---- nogoods

enum { n_twins = 10, first_p = 2, first_q = first_p + n_twins, first_free = first_q + n_twins };

// Two that cannot share the room below 1000, ten that ten others may take the place of, and `n` that are free.
static void read_twins(memplan_problem *problem, int32_t n) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"t0\",\"bytes\":50,\"align\":1000},"
        "{\"id\":\"t1\",\"bytes\":50,\"align\":1000}",
        out);
  for (int32_t k = first_p; k < first_free + n; k++) {
    fprintf(out, ",{\"id\":\"t%d\",\"bytes\":1}", (int)k);
  }
  fputs("],\"ops\":[{\"id\":\"o0\",\"in\":[],\"out\":[\"t0\"]},{\"id\":\"o1\",\"in\":[],\"out\":[\"t1\"]}", out);
  for (int32_t op = 2; op < 4; op++) {
    fprintf(out, ",{\"id\":\"o%d\",\"in\":[", (int)op);
    for (int32_t k = 0; k < n_twins && op == 3; k++) {
      fprintf(out, "%s\"t%d\"", k > 0 ? "," : "", (int)(first_p + k));
    }
    fputs("],\"out\":[", out);
    for (int32_t k = 0; k < n_twins; k++) {
      fprintf(out, "%s\"t%d\"", k > 0 ? "," : "", (int)((op == 2 ? first_p : first_q) + k));
    }
    for (int32_t k = 0; k < n_twins && op == 3; k++) {
      fprintf(out, "%s[\"t%d\",\"t%d\"]", k > 0 ? "," : "],\"inplace\":[", (int)(first_q + k), (int)(first_p + k));
    }
    fputs("]}", out);
  }
  for (int32_t k = 0; k < n; k++) {
    fprintf(out, ",{\"id\":\"o%d\",\"in\":[],\"out\":[\"t%d\"]}", (int)(4 + k), (int)(first_free + k));
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  support_read_good(problem, "twins.json", text);
  free(text);
}

static void begin_twins(hostile *made, const memplan_problem *problem, int32_t n) {
  char *lists = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&lists, &length);
  assert_non_null(out);
  for (int32_t k = 0; k < 4 + n; k++) {
    fprintf(out, "%s\"o%d\"", k > 0 ? "," : ",\"ops\":[", (int)k);
  }
  for (int32_t k = 0; k < first_free + n; k++) {
    fprintf(out, "%s\"t%d\"", k > 0 ? "," : "],\"items\":[", (int)k);
  }
  for (int32_t k = 0; k < n_twins; k++) {
    fprintf(out, "%s[\"t%d\",\"t%d\"]", k > 0 ? "," : "],\"pairs\":[", (int)(first_q + k), (int)(first_p + k));
  }
  fputs("]", out);
  assert_int_equal(fclose(out), 0);
  begin(made, problem, "nogoods", "1000", lists);
  free(lists);
}

// A nogood of the two, and of all pairs of the twins, with more overlaps and with links.
static void add_twins(hostile *made, const char *overlaps, const char *links) {
  fputs("{\"items\":[0", made->out);
  for (int32_t k = 1; k < first_free; k++) {
    fprintf(made->out, ",%d", (int)k);
  }
  fputs("],\"overlaps\":[0,1", made->out);
  for (int32_t k = 0; k < n_twins * n_twins; k++) {
    fprintf(made->out, ",%d,%d", (int)(first_p + k / n_twins), (int)(first_q + k % n_twins));
  }
  fprintf(made->out,
          "%s],\"always\":[],\"links\":[%s],\"proof\":[{\"format\":\"memplan-certificate\",\"version\":1,"
          "\"fingerprint\":\"\",\"kind\":\"clauses\",\"claim\":1000,\"unit\":1,\"buffers\":[\"0\",\"1\"]},"
          "{\"c\":[],\"h\":[]}]}\n",
          overlaps, links);
}

static void nogoods_that_repeat_themselves(void **state) {
  (void)state;
  memplan_problem problem;
  read_twins(&problem, 1);
  hostile made;
  begin_twins(&made, &problem, 1);
  add_twins(&made, ",3,12", "");
  refused(&problem, &made, "an overlap is named twice");
  begin_twins(&made, &problem, 1);
  add_twins(&made, ",12,3", "");
  refused(&problem, &made, "an overlap is named twice");
  begin_twins(&made, &problem, 1);
  add_twins(&made, "", "4,5,4");
  refused(&problem, &made, "a link is named twice");
  memplan_problem_free(&problem);
}

// Each line asks every nogood about each choice of the ten pairs.
static void choices_that_ask_everything(void **state) {
  (void)state;
  enum { n_free = 20, n_nogoods = 120 };
  memplan_problem problem;
  read_twins(&problem, n_free);
  hostile made;
  begin_twins(&made, &problem, n_free);
  for (int32_t k = 0; k < n_nogoods; k++) {
    add_twins(&made, "", "");
  }
  fputs("{\"search\":\"forward\"}\n{\"run\":-1}\n{\"run\":2}\n", made.out);
  for (int32_t k = 0; k < n_free; k++) {
    fprintf(made.out, "{\"run\":%d}\n", (int)(4 + k));
  }
  fprintf(made.out, "%*s\n", 20000, "");
  refused(&problem, &made, too_much);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sets_that_cannot_be_closed),
                                     cmocka_unit_test(buffers_in_a_circle),
                                     cmocka_unit_test(items_in_a_circle),
                                     cmocka_unit_test(hints_to_a_long_clause),
                                     cmocka_unit_test(lemma_of_many_members),
                                     cmocka_unit_test(pairs_without_number),
                                     cmocka_unit_test(one_ideal_only),
                                     cmocka_unit_test(nogoods_that_repeat_themselves),
                                     cmocka_unit_test(choices_that_ask_everything)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
