// SPDX-License-Identifier: Apache-2.0
// What orders decide of nogoods, compared with the definition on random graphs with random nogoods, both ways; and what
// it costs to begin with many of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/joint_slice.h"
#include "solvers/joint_watch.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { most_nogoods = 70, most_of_one = 5 };

typedef struct trial {
  memplan_joint_graph graph;
  memplan_joint_nogood nogoods[most_nogoods];
  const memplan_joint_nogood *list[most_nogoods];
  memplan_joint_overlap overlaps[most_nogoods][most_of_one];
  int32_t links[most_nogoods][most_of_one];
  int32_t n_nogoods;
  bool turned;
} trial;

static bool is_plain(const memplan_joint_item *item) {
  return !item->unread && !item->reserved && (item->init || item->n_births > 0) && (item->keep || item->n_deaths > 0);
}

static void make_nogoods(random_state *random, trial *made) {
  const memplan_joint_graph *graph = &made->graph;
  int32_t wanted = 1 + random_below(random, most_nogoods);
  made->n_nogoods = 0;
  for (int32_t k = 0; k < wanted; k++) {
    int32_t g = made->n_nogoods, n_open = random_below(random, most_of_one), n_links = random_below(random, 3);
    memplan_joint_nogood *nogood = &made->nogoods[g];
    *nogood = (memplan_joint_nogood){.overlaps = made->overlaps[g], .links = made->links[g]};
    for (int32_t l = 0; l < n_open; l++) {
      memplan_joint_overlap overlap = {random_below(random, graph->n_items), random_below(random, graph->n_items)};
      if (overlap.first != overlap.second && is_plain(&graph->items[overlap.first]) &&
          is_plain(&graph->items[overlap.second])) {
        made->overlaps[g][nogood->n_open++] = overlap;
      }
    }
    for (int32_t l = 0; l < n_links && graph->n_pairs > 0; l++) {
      made->links[g][nogood->n_links++] = random_below(random, graph->n_pairs);
    }
    nogood->n_overlaps = nogood->n_open;
    made->list[g] = nogood;
    made->n_nogoods += nogood->n_open + nogood->n_links > 0;
  }
}

static bool speaks_of(const trial *made, const memplan_joint_nogood *nogood, int32_t pair) {
  bool speaks = false;
  for (int32_t k = 0; k < nogood->n_links; k++) {
    speaks = speaks || nogood->links[k] == pair;
  }
  for (int32_t k = 0; k < nogood->n_open; k++) {
    speaks = speaks ||
             memplan_joint_may_link(&made->graph.pairs[pair], nogood->overlaps[k].first, nogood->overlaps[k].second);
  }
  return speaks;
}

static bool is_born_at(const trial *made, int32_t item, int32_t op) {
  const memplan_joint_item *entry = &made->graph.items[item];
  const int32_t *births = made->turned ? entry->deaths : entry->births;
  bool born = false;
  for (int32_t k = 0; k < (made->turned ? entry->n_deaths : entry->n_births); k++) {
    born = born || births[k] == op;
  }
  return born && !(made->turned ? entry->keep : entry->init);
}

static bool holds(const trial *made, const memplan_joint_nogood *nogood, int32_t op) {
  bool held = false;
  for (int32_t k = 0; k < nogood->n_open; k++) {
    held = held || is_born_at(made, nogood->overlaps[k].first, op) || is_born_at(made, nogood->overlaps[k].second, op);
  }
  for (int32_t k = 0; k < made->graph.n_pairs; k++) {
    const memplan_joint_pair *pair = &made->graph.pairs[k];
    held = held || (speaks_of(made, nogood, k) &&
                    (pair->op == op || is_born_at(made, pair->born, op) || is_born_at(made, pair->dying, op)));
  }
  return held;
}

static bool is_broken(const memplan_joint_watch *watch, int32_t g) {
  return (memplan_joint_watch_broken(watch)[g / 64] >> (g % 64) & 1) != 0;
}

static void check_state(const trial *made, const memplan_joint_watch *watch) {
  for (int32_t op = 0; op < made->graph.n_ops; op++) {
    int32_t held = 0;
    for (int32_t g = 0; g < made->n_nogoods; g++) {
      held += !is_broken(watch, g) && holds(made, made->list[g], op);
    }
    assert_int_equal(memplan_joint_watch_held(watch)[op], held);
  }
}

// Only pairs of the operator that an unbroken nogood speaks of, ascending.
static void check_asked(const trial *made, const memplan_joint_watch *watch, int32_t op, const int32_t *pairs,
                        int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    bool spoken = false;
    for (int32_t g = 0; g < made->n_nogoods; g++) {
      spoken = spoken || (!is_broken(watch, g) && speaks_of(made, made->list[g], pairs[k]));
    }
    assert_true(spoken && made->graph.pairs[pairs[k]].op == op && (k == 0 || pairs[k - 1] < pairs[k]));
  }
}

// Broken are those that have an overlap or link which the order and the choice do not have.
static int32_t check_end(const trial *made, const memplan_joint_watch *watch, memplan_joint_layout *layout) {
  int32_t n_broken = 0;
  memplan_joint_layout_live(&made->graph, layout);
  for (int32_t g = 0; g < made->n_nogoods; g++) {
    const memplan_joint_nogood *nogood = made->list[g];
    bool broken = false;
    for (int32_t k = 0; k < nogood->n_links; k++) {
      broken = broken || !layout->chosen[nogood->links[k]];
    }
    for (int32_t k = 0; k < nogood->n_open; k++) {
      int32_t a = nogood->overlaps[k].first, b = nogood->overlaps[k].second;
      broken = broken || layout->first[a] > layout->last[b] || layout->first[b] > layout->last[a];
      for (int32_t pair = 0; pair < made->graph.n_pairs; pair++) {
        broken = broken || (layout->chosen[pair] && memplan_joint_may_link(&made->graph.pairs[pair], a, b));
      }
    }
    assert_int_equal(is_broken(watch, g), broken);
    n_broken += broken;
  }
  return n_broken;
}

typedef struct tally {
  int32_t asked, chosen, broken, whole;
} tally;

// Runs the given order, from its start or its end, with random choices, and takes it back.
static void run_order(trial *made, random_state *random, tally *counts) {
  memplan_arena arena = {0};
  memplan_error error = {.message = ""};
  memplan_joint_watch *watch;
  const memplan_joint_graph *graph = &made->graph;
  int32_t n = graph->n_ops, *pairs = MEMPLAN_NEW(&arena, int32_t, graph->n_pairs);
  memplan_joint_layout layout = {.order = MEMPLAN_NEW(&arena, int32_t, n),
                                 .chosen = MEMPLAN_NEW(&arena, bool, graph->n_pairs),
                                 .step = MEMPLAN_NEW(&arena, int32_t, n),
                                 .first = MEMPLAN_NEW(&arena, int32_t, graph->n_items),
                                 .last = MEMPLAN_NEW(&arena, int32_t, graph->n_items)};
  assert_int_equal(memplan_joint_watch_new(graph, made->list, made->n_nogoods, made->turned, &arena, &watch, &error),
                   MEMPLAN_OK);
  for (int32_t at = 0; at < n; at++) {
    int32_t op = layout.order[made->turned ? n - 1 - at : at] = made->turned ? n - 1 - at : at;
    check_state(made, watch);
    int32_t n_asked = memplan_joint_watch_ask(watch, op, pairs, graph->n_pairs);
    check_asked(made, watch, op, pairs, n_asked);
    uint64_t mask = n_asked > 0 && random_chance(random, 60) ? UINT64_C(1) << random_below(random, n_asked) : 0;
    for (int32_t k = 0; k < n_asked; k++) {
      layout.chosen[pairs[k]] = (mask >> k & 1) != 0;
    }
    memplan_joint_watch_run(watch, op, pairs, n_asked, mask);
    counts->asked += n_asked;
    counts->chosen += mask != 0;
  }
  check_state(made, watch);
  int32_t n_broken = check_end(made, watch, &layout);
  counts->broken += n_broken;
  counts->whole += made->n_nogoods - n_broken;
  for (int32_t at = 0; at < n; at++) {
    memplan_joint_watch_undo(watch);
  }
  for (int32_t g = 0; g < made->n_nogoods; g++) {
    assert_false(is_broken(watch, g));
  }
  check_state(made, watch);
  memplan_arena_free(&arena);
}

static void follows_its_definition(void **state) {
  (void)state;
  tally counts = {.asked = 0};
  for (uint64_t index = 0; index < 1200; index++) {
    random_state random = random_start(411, index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 12};
    memplan_problem problem;
    memplan_ordering ordering = {0};
    memplan_arena arena = {0};
    memplan_error error = {.message = ""};
    trial *made = calloc(1, sizeof *made);
    assert_non_null(made);
    random_graph(&random, &wishes, &problem);
    problem.options.inplace = MEMPLAN_INPLACE_SAFE;
    if (build_try(&problem, &error) == MEMPLAN_OK && problem.graph.n_ops > 0 &&
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) == MEMPLAN_OK &&
        memplan_joint_graph_outline(&made->graph, &ordering, &arena, &error) == MEMPLAN_OK && made->graph.n_items > 0) {
      make_nogoods(&random, made);
      for (int32_t k = 0; k < 2; k++) {
        made->turned = k == 1;
        run_order(made, &random, &counts);
      }
    }
    free(made);
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  print_message("%d pairs asked about, %d chosen; %d nogoods broken, %d not\n", (int)counts.asked, (int)counts.chosen,
                (int)counts.broken, (int)counts.whole);
  assert_true(counts.asked > 500 && counts.chosen > 200 && counts.broken > 2000 && counts.whole > 2000);
}

// ---- many nogoods

enum { n_links = 1200, n_large = 250, n_overlaps = 300 };

// A chain of operators each of which may work in place, and nogoods over it, cost what they are large.
static void many_nogoods_begin_soon(void **state) {
  (void)state;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"t0\",\"bytes\":8,\"roles\":[\"input\"]}",
        out);
  for (int32_t k = 1; k <= n_links; k++) {
    fprintf(out, ",{\"id\":\"t%d\",\"bytes\":8}", (int)k);
  }
  fputs("],\"ops\":[", out);
  for (int32_t k = 0; k < n_links; k++) {
    fprintf(out, "%s{\"id\":\"o%d\",\"in\":[\"t%d\"],\"out\":[\"t%d\"],\"inplace\":[[\"t%d\",\"t%d\"]]}",
            k > 0 ? "," : "", (int)k, (int)k, (int)k + 1, (int)k + 1, (int)k);
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  memplan_problem problem;
  memplan_ordering ordering;
  memplan_joint_graph graph;
  memplan_joint_watch *watch;
  memplan_arena arena = {0};
  memplan_error error = {.message = ""};
  support_read_good(&problem, "chain.json", text);
  problem.options.inplace = MEMPLAN_INPLACE_SAFE;
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_outline(&graph, &ordering, &arena, &error), MEMPLAN_OK);
  assert_true(graph.n_pairs > n_links / 2 && graph.n_items > n_overlaps);
  memplan_joint_overlap *overlaps = MEMPLAN_NEW(&arena, memplan_joint_overlap, n_overlaps);
  const memplan_joint_nogood **list = MEMPLAN_NEW(&arena, const memplan_joint_nogood *, n_large);
  for (int32_t k = 0; k < n_overlaps; k++) {
    overlaps[k] = (memplan_joint_overlap){k, k + 1};
  }
  memplan_joint_nogood nogood = {.overlaps = overlaps, .n_open = n_overlaps, .n_overlaps = n_overlaps};
  for (int32_t k = 0; k < n_large; k++) {
    list[k] = &nogood;
  }
  assert_int_equal(memplan_joint_watch_new(&graph, list, n_large, false, &arena, &watch, &error), MEMPLAN_OK);
  assert_in_range(memplan_joint_watch_ticks(watch), n_large * n_overlaps, 32 * (n_large * n_overlaps + n_links));
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_its_definition),
      cmocka_unit_test(many_nogoods_begin_soon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
