// SPDX-License-Identifier: Apache-2.0
// The exact order search on trees, where the optimum is known by merging hills and valleys (J. W. H. Liu, "An
// application of generalized tree pebbling to sparse matrix factorization", SIAM J. Alg. Disc. Meth. 8, 1987): of each
// subtree the sequence of its peaks and of the troughs after them; those of the subtrees of a node are merged by
// falling (peak - trough), the node's own step is put behind, and what is no peak of the rest is dropped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <stdlib.h>

#include "solvers/order_optimal.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

enum { seed = 20251201, most_nodes = 500 };

typedef struct tree {
  int32_t n;
  int32_t parent[most_nodes]; // larger than the node; of the last one -1
  int64_t bytes[most_nodes], workspace[most_nodes];
} tree;

typedef struct segment {
  int64_t hill, valley;
  int32_t child, position; // of the segment in the profile of its subtree
  int64_t before;          // the valley before it there
} segment;

typedef struct profile {
  segment *segments;
  int32_t n;
} profile;

static int compare_segments(const void *left, const void *right) {
  const segment *a = left, *b = right;
  int64_t x = a->hill - a->valley, y = b->hill - b->valley;
  if (x != y) {
    return x > y ? -1 : 1;
  }
  if (a->child != b->child) {
    return a->child < b->child ? -1 : 1;
  }
  return (a->position > b->position) - (a->position < b->position);
}

// Keeps the highest hill, the lowest valley behind it, the highest hill behind that, and so on; the last of equals.
static int32_t reduce(segment *list, int32_t n) {
  int32_t kept = 0;
  for (int32_t first = 0; first < n;) {
    int32_t hill = first, valley;
    for (int32_t k = first; k < n; k++) {
      hill = list[k].hill >= list[hill].hill ? k : hill;
    }
    valley = hill;
    for (int32_t k = hill; k < n; k++) {
      valley = list[k].valley <= list[valley].valley ? k : valley;
    }
    list[kept++] = (segment){.hill = list[hill].hill, .valley = list[valley].valley};
    first = valley + 1;
  }
  return kept;
}

static int64_t merged_peak(const tree *t) {
  profile *profiles = calloc((size_t)t->n, sizeof *profiles);
  segment *list = calloc((size_t)t->n + 1, sizeof *list);
  assert_true(profiles != NULL && list != NULL);
  int64_t peak = 0;
  for (int32_t node = 0; node < t->n; node++) {
    int32_t n = 0;
    for (int32_t child = 0; child < node; child++) {
      for (int32_t k = 0; t->parent[child] == node && k < profiles[child].n; k++) {
        list[n] = profiles[child].segments[k];
        list[n].child = child;
        list[n].position = k;
        list[n++].before = k == 0 ? 0 : profiles[child].segments[k - 1].valley;
      }
    }
    qsort(list, (size_t)n, sizeof *list, compare_segments);
    int64_t now = 0;
    for (int32_t k = 0; k < n; k++) {
      int64_t step = list[k].valley - list[k].before;
      list[k].hill += now - list[k].before;
      now += step;
      list[k].valley = now;
    }
    list[n++] = (segment){.hill = now + t->bytes[node] + t->workspace[node], .valley = t->bytes[node]};
    n = reduce(list, n);
    profiles[node] = (profile){malloc((size_t)n * sizeof *list), n};
    assert_non_null(profiles[node].segments);
    memcpy(profiles[node].segments, list, (size_t)n * sizeof *list);
    peak = list[0].hill;
  }
  for (int32_t node = 0; node < t->n; node++) {
    free(profiles[node].segments);
  }
  free(profiles);
  free(list);
  return peak;
}

// Parents within `reach` make long chains, far ones bushes.
static void draw_tree(random_state *random, int32_t n, int32_t reach, int32_t most_bytes, bool workspaces, tree *t) {
  t->n = n;
  for (int32_t node = 0; node < n; node++) {
    int32_t far = n - 1 - node < reach ? n - 1 - node : reach;
    t->parent[node] = node == n - 1 ? -1 : node + 1 + random_below(random, far);
    t->bytes[node] = 1 + random_below(random, most_bytes);
    t->workspace[node] = workspaces && random_chance(random, 30) ? random_below(random, most_bytes) : 0;
  }
}

static char *write_tree(const tree *t, bool turned) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[", out);
  for (int32_t node = 0; node < t->n; node++) {
    bool last = t->parent[node] < 0;
    fprintf(out, "%s{\"id\":\"t%d\",\"bytes\":%d%s}", node == 0 ? "" : ",", (int)node, (int)t->bytes[node],
            !last    ? ""
            : turned ? ",\"roles\":[\"input\"]"
                     : ",\"roles\":[\"output\"]");
  }
  fputs("],\"ops\":[", out);
  for (int32_t k = 0; k < t->n; k++) {
    int32_t node = turned ? t->n - 1 - k : k;
    fprintf(out, "%s{\"id\":\"n%d\",\"workspace\":%d,\"%s\":[", k == 0 ? "" : ",", (int)node, (int)t->workspace[node],
            turned ? "out" : "in");
    bool first = true;
    for (int32_t child = 0; child < node; child++) {
      if (t->parent[child] == node) {
        fprintf(out, "%s\"t%d\"", first ? "" : ",", (int)child);
        first = false;
      }
    }
    fprintf(out, "],\"%s\":[\"t%d\"]}", turned ? "in" : "out", (int)node);
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  return text;
}

// Turned: the same tree from its root to its leaves, whose best order is the other one backwards.
static void compare(const tree *t, bool turned) {
  char *text = write_tree(t, turned);
  memplan_problem problem;
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_error error = {.message = ""};
  support_read_good(&problem, "tree.json", text);
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits = memplan_limits_start(&limits);
  memplan_order_optimal_task task = {.ordering = &ordering, .limits = &limits};
  memplan_order_optimal_result result;
  assert_int_equal(memplan_order_optimal(&task, &arena, &result, &error), MEMPLAN_OK);
  assert_int_equal(result.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(result.peak, merged_peak(t));
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
  free(text);
}

static void small_trees(void **state) {
  (void)state;
  tree *t = calloc(1, sizeof *t);
  assert_non_null(t);
  for (uint64_t index = 0; index < 500; index++) {
    random_state random = random_start(seed, index);
    draw_tree(&random, 3 + random_below(&random, 38), 1 + random_below(&random, 12), 100, index % 3 == 0, t);
    compare(t, index % 2 == 1);
  }
  free(t);
}

static void large_trees(void **state) {
  (void)state;
  tree *t = calloc(1, sizeof *t);
  assert_non_null(t);
  static const int32_t sizes[] = {200, 300, 500};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    random_state random = random_start(seed + 1, k);
    draw_tree(&random, sizes[k], 8, 1000, k % 2 == 0, t);
    compare(t, k % 2 == 1);
  }
  free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_trees),
      cmocka_unit_test(large_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
