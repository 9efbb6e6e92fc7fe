// SPDX-License-Identifier: Apache-2.0
// What pins say of orders: compared with all orders of tiny graphs, and on graphs that are too large for the joint
// engine, made from a plan that is known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/base/rng.h"
#include "solvers/joint_graph.h"
#include "solvers/pin_order.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
  const memplan_ordering *ordering;
  const memplan_pin_orders *pins;
  int32_t orders, good; // of the graph; on which no pinned buffers meet
  int32_t decided, bad; // orders of the way that was found; on which they meet all the same
  int32_t forced;       // orders of the forced precedences
  bool follows[8][8];   // by two operators: on one of these the first runs after the second
} tally;

// Does the order lower, without in-place pairs or with those of its profile?
static bool lowers(const memplan_ordering *ordering, const int32_t *order) {
  memplan_error error = {.message = ""};
  memplan_arena arena = {0};
  memplan_profile profile;
  assert_int_equal(memplan_ordering_profile(ordering, order, &arena, &profile, &error), MEMPLAN_OK);
  assert_int_equal(memplan_ordering_filter(ordering, profile.choice, &profile.n_choices, &error), MEMPLAN_OK);
  bool good = false;
  for (int32_t k = 0; k < 2 && !good; k++) {
    memplan_instance instance;
    memplan_instance_init(&instance);
    good = memplan_ordering_lower(ordering, order, profile.choice, k == 0 ? 0 : profile.n_choices, &instance, NULL,
                                  NULL, &error) == MEMPLAN_OK;
    memplan_instance_free(&instance);
  }
  memplan_arena_free(&arena);
  return good;
}

static void look_at_order(tally *counts, const int32_t *order) {
  memplan_error error = {.message = ""};
  if (memplan_ordering_check(counts->ordering, order, &error) != MEMPLAN_OK) {
    return;
  }
  bool good = lowers(counts->ordering, order);
  counts->orders++;
  counts->good += good;
  assert_false(good && counts->pins->none);
  if (good && counts->pins->narrows) {
    assert_int_equal(memplan_ordering_check(&counts->pins->forced, order, &error), MEMPLAN_OK);
  }
  if (counts->pins->narrows && memplan_ordering_check(&counts->pins->forced, order, &error) == MEMPLAN_OK) {
    counts->forced++;
    for (int32_t i = 0; i < counts->ordering->n_ops; i++) {
      for (int32_t k = 0; k < i; k++) {
        counts->follows[order[i]][order[k]] = true;
      }
    }
  }
  if (counts->pins->branches && memplan_ordering_check(&counts->pins->decided, order, &error) == MEMPLAN_OK) {
    counts->decided++;
    bool plain = counts->ordering->n_pairs == 0 && counts->ordering->first_step == 0; // but for inputs nobody reads
    counts->bad += !good && plain;
  }
}

static void try_orders(tally *counts, int32_t *order, int32_t n) {
  if (n == counts->ordering->n_ops) {
    look_at_order(counts, order);
    return;
  }
  for (int32_t k = n; k < counts->ordering->n_ops; k++) {
    int32_t kept = order[n];
    order[n] = order[k];
    order[k] = kept;
    try_orders(counts, order, n + 1);
    order[k] = order[n];
    order[n] = kept;
  }
}

// The joint graph of the forced precedences, which may be against the given order, is closed: it knows what holds in
// all of their orders. True if the given order is not one of them.
static bool graph_is_closed(const tally *counts) {
  const memplan_ordering *forced = &counts->pins->forced;
  memplan_joint_graph graph;
  memplan_arena arena = {0};
  memplan_error error = {.message = ""};
  bool against = false;
  if (memplan_joint_graph_outline(&graph, forced, &arena, &error) == MEMPLAN_OK) {
    for (int32_t a = 0; a < forced->n_ops; a++) {
      for (int32_t b = 0; b < forced->n_ops; b++) {
        assert_int_equal(memplan_joint_graph_before(&graph, a, b), a != b && !counts->follows[a][b]);
        against = against || (b < a && memplan_joint_graph_before(&graph, a, b));
      }
    }
  }
  memplan_arena_free(&arena);
  return against;
}

static void agrees_with_all_orders(void **state) {
  (void)state;
  int32_t against = 0;
  int32_t none = 0, narrowed = 0, branched = 0;
  for (uint64_t index = 0; index < 2500; index++) {
    random_state random = random_start(92, index);
    random_graph_options wishes = {.max_ops = 5, .max_bytes = 12, .pins = true};
    memplan_problem problem;
    memplan_ordering ordering = {0};
    memplan_error error = {.message = ""};
    random_graph(&random, &wishes, &problem);
    problem.options.inplace = random_chance(&random, 50) ? MEMPLAN_INPLACE_NONE : MEMPLAN_INPLACE_SAFE;
    for (int32_t k = 0; k < problem.graph.n_tensors; k++) {
      memplan_tensor *tensor = &problem.graph.tensors[k];
      tensor->pin = tensor->view_of < 0 && random_chance(&random, 50) ? random_below(&random, 12) : tensor->pin;
    }
    if (build_try(&problem, &error) == MEMPLAN_OK && problem.graph.n_ops > 1 &&
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) == MEMPLAN_OK) {
      memplan_arena arena = {0};
      memplan_pin_orders pins;
      memplan_limits limits = memplan_limits_default();
      assert_int_equal(memplan_pin_orders_find(&ordering, &limits, &arena, &pins, &error), MEMPLAN_OK);
      int32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
      tally counts = {.ordering = &ordering, .pins = &pins};
      try_orders(&counts, order, 0);
      assert_true(!pins.branches || counts.decided > 0);
      assert_true(counts.good == 0 || counts.bad == 0); // what lives throughout may meet others on every order
      against += counts.forced > 0 && graph_is_closed(&counts);
      none += pins.none;
      narrowed += pins.narrows;
      branched += pins.branches;
      memplan_arena_free(&arena);
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  print_message("%d without an order, %d narrowed, %d of them against the given one, %d with a choice\n", (int)none,
                (int)narrowed, (int)against, (int)branched);
  assert_true(none > 100 && narrowed > 20 && against > 10 && branched > 20);
}

// ---- large graphs with a known plan

enum { n_ops = 450, reach = 24 };

typedef struct hidden {
  int32_t in[n_ops][2]; // operators whose outputs are read, -1: none
  int32_t depth[n_ops];
  int32_t last[n_ops]; // last reader, or itself
  int64_t bytes[n_ops], offset[n_ops];
  int32_t listed[n_ops]; // in the order of the file
} hidden;

static void make_hidden(memplan_rng *rng, hidden *made) {
  for (int32_t k = 0; k < n_ops; k++) {
    made->bytes[k] = 1 + memplan_rng_below(rng, 100);
    made->last[k] = k;
    made->depth[k] = 0;
    for (int32_t side = 0; side < 2; side++) {
      int32_t most = k < reach ? k : reach, from = most > 0 ? k - 1 - (int32_t)memplan_rng_below(rng, most) : -1;
      made->in[k][side] = from;
      if (from >= 0) {
        made->last[from] = k;
        made->depth[k] = made->depth[from] >= made->depth[k] ? made->depth[from] + 1 : made->depth[k];
      }
    }
  }
  for (int32_t k = 0; k < n_ops; k++) { // first fit among those that are live together
    int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (int32_t other = 0; other < k; other++) {
        if (made->last[other] >= k && made->offset[other] < at + made->bytes[k] &&
            at < made->offset[other] + made->bytes[other]) {
          at = made->offset[other] + made->bytes[other];
          moved = true;
        }
      }
    }
    made->offset[k] = at;
  }
  int32_t count = 0;
  for (int32_t depth = 0; count < n_ops; depth++) {
    for (int32_t k = 0; k < n_ops; k++) {
      if (made->depth[k] == depth) {
        made->listed[count++] = k;
      }
    }
  }
}

static void write_hidden(const hidden *from, memplan_rng *rng, int32_t percent, FILE *out) {
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"x\",\"bytes\":0,\"roles\":[\"input\"]}",
        out);
  for (int32_t k = 0; k < n_ops; k++) {
    fprintf(out, ",{\"id\":\"t%d\",\"bytes\":%lld", (int)k, (long long)from->bytes[k]);
    if (memplan_rng_below(rng, 100) < percent) {
      fprintf(out, ",\"pin\":%lld", (long long)from->offset[k]);
    }
    fputs("}", out);
  }
  fputs("],\"ops\":[", out);
  for (int32_t at = 0; at < n_ops; at++) {
    int32_t k = from->listed[at];
    fprintf(out, "%s{\"id\":\"o%d\",\"in\":[\"x\"", at > 0 ? "," : "", (int)k);
    for (int32_t side = 0; side < 2; side++) {
      if (from->in[k][side] >= 0) {
        fprintf(out, ",\"t%d\"", (int)from->in[k][side]);
      }
    }
    fprintf(out, "],\"out\":[\"t%d\"]}", (int)k);
  }
  fputs("]}", out);
}

static bool is_solved(uint64_t seed, int32_t percent, const char *order) {
  hidden *made = calloc(1, sizeof *made);
  memplan_rng rng;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_true(made != NULL && out != NULL);
  memplan_rng_start(&rng, seed, 7);
  make_hidden(&rng, made);
  write_hidden(made, &rng, percent, out);
  assert_int_equal(fclose(out), 0);
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  support_read_good(&problem, "pinned.json", text);
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.work = 20000000;
  options.order = order;
  memplan_solution_init(&solution);
  if (memplan_solve(&problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("seed %d: %s", (int)seed, error.message);
  }
  assert_int_not_equal(solution.outcome, MEMPLAN_INFEASIBLE);
  bool solved = solution.has_plan;
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  free(text);
  free(made);
  return solved;
}

static void large_graphs_with_pins(void **state) {
  (void)state;
  int32_t solved = 0, tried = 0;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    for (int32_t percent = 3; percent <= 12; percent += 9) {
      solved += is_solved(seed, percent, NULL);
      solved += is_solved(seed, percent, "dfs");
      tried += 2;
    }
  }
  print_message("%d of %d\n", (int)solved, (int)tried);
  assert_int_equal(solved, tried);
}

// ---- many pairs

// Operators that need nothing of each other, with outputs at one place, each read by `n_readers` operators.
static void make_fan(int32_t n_outputs, int32_t n_readers, memplan_problem *problem) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"x\",\"bytes\":0,\"roles\":[\"input\"]}",
        out);
  for (int32_t k = 0; k < n_outputs; k++) {
    fprintf(out, ",{\"id\":\"t%d\",\"bytes\":64,\"pin\":0}", (int)k);
  }
  fputs("],\"ops\":[", out);
  for (int32_t k = 0; k < n_outputs; k++) {
    fprintf(out, "%s{\"id\":\"o%d\",\"in\":[\"x\"],\"out\":[\"t%d\"]}", k > 0 ? "," : "", (int)k, (int)k);
  }
  for (int32_t k = 0; k < n_outputs * n_readers; k++) {
    fprintf(out, ",{\"id\":\"r%d\",\"in\":[\"t%d\"],\"out\":[]}", (int)k, (int)(k % n_outputs));
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  support_read_good(problem, "fan.json", text);
  free(text);
}

typedef struct fan {
  int32_t n_outputs, n_readers;
  bool branches; // is the way of all pairs found before the work is spent?
} fan;

// Thousands of pairs take a fixed amount of work, whether that is enough or not, and no more once a limit is reached.
static void many_pairs_end(void **state) {
  (void)state;
  const fan fans[] = {{360, 0, true}, {120, 2, true}, {150, 40, false}};
  for (size_t k = 0; k < sizeof fans / sizeof *fans; k++) {
    memplan_problem problem;
    memplan_ordering ordering;
    memplan_error error = {.message = ""};
    make_fan(fans[k].n_outputs, fans[k].n_readers, &problem);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
    for (int32_t reached = 0; reached < 2; reached++) {
      memplan_arena arena = {0};
      memplan_pin_orders pins;
      memplan_limits limits = memplan_limits_default();
      volatile int cancelled = 1;
      limits.cancel = reached ? &cancelled : NULL;
      assert_int_equal(memplan_pin_orders_find(&ordering, &limits, &arena, &pins, &error), MEMPLAN_OK);
      assert_false(pins.none || pins.narrows);
      assert_int_equal(pins.branches, fans[k].branches && !reached);
      memplan_arena_free(&arena);
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_all_orders),
      cmocka_unit_test(large_graphs_with_pins),
      cmocka_unit_test(many_pairs_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
