// SPDX-License-Identifier: Apache-2.0
// A component lies between two operators: an edge (one tensor), two components one after the other with an operator
// between them, or two side by side. What is in memory for a component while it is worked off goes from a first value
// over hills (while an operator runs) to valleys (after it). Components are put in one line from the inside out: those
// one after the other as they stand, those side by side each cut at its lowest valley; what comes after is merged by
// segments (up to the highest hill, down to the lowest valley behind it) of falling hill - valley, and what comes
// before in the same way from its end. References: J. W. H. Liu, "An application of generalized tree pebbling to sparse
// matrix factorization", SIAM J. Alg. Disc. Meth. 8, 1987; E. Kayaaslan, T. Lambert, L. Marchal, B. Ucar, "Scheduling
// series-parallel task graphs to minimize peak memory", Theoretical Computer Science 707, 2018.
#include "tests/support/series_parallel.h"

#include "solvers/order_optimal.h"
#include "solvers/techniques.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ops = 64, most_parts = 4 * most_ops };

typedef enum part_kind { part_edge, part_series, part_parallel } part_kind;

// A component; its two halves come before it.
typedef struct component {
  part_kind kind;
  int32_t left, right;
  int64_t bytes;     // of an edge
  int64_t workspace; // of the operator between two in series
} component;

typedef struct sp_graph {
  component parts[most_parts];
  int32_t n_parts, n_ops;
  int64_t first_workspace, last_workspace;
} sp_graph;

typedef struct profile {
  int64_t start, hill[most_ops], valley[most_ops];
  int32_t n;
} profile;

// ---- random graphs

static int64_t draw_workspace(random_state *random, bool workspaces) {
  return workspaces && random_chance(random, 30) ? random_below(random, 100) : 0;
}

// With `budget` operators inside.
static int32_t draw(random_state *random, sp_graph *graph, int32_t budget, bool workspaces, bool serial) {
  component part = {.kind = part_edge, .left = -1, .right = -1};
  if (budget == 0) {
    part.bytes = 1 + random_below(random, 100);
  } else if (serial || budget == 1 || random_chance(random, 45)) {
    int32_t left = random_below(random, budget);
    part.kind = part_series;
    part.workspace = draw_workspace(random, workspaces);
    part.left = draw(random, graph, left, workspaces, false);
    part.right = draw(random, graph, budget - 1 - left, workspaces, false);
  } else {
    int32_t left = random_chance(random, 15) ? 0 : 1 + random_below(random, budget - 1);
    part.kind = part_parallel;
    part.left = draw(random, graph, left, workspaces, false);
    part.right = draw(random, graph, budget - left, workspaces, left == 0);
  }
  assert_true(graph->n_parts < most_parts);
  graph->parts[graph->n_parts] = part;
  return graph->n_parts++;
}

// ---- text

typedef struct writer {
  const sp_graph *graph;
  int64_t bytes[most_parts];                // by tensor
  int32_t from[most_parts], to[most_parts]; // operators
  int64_t workspace[most_ops];
  int32_t n_tensors, n_ops;
} writer;

// Operators get their numbers in an order in which they can run; the component leads from `from` to the operator that
// comes next: its tensors into that one get -1 as their end, and the caller sets it.
static void number_part(writer *out, int32_t index, int32_t from, int32_t *open, int32_t *n_open) {
  const component *part = &out->graph->parts[index];
  if (part->kind == part_edge) {
    out->bytes[out->n_tensors] = part->bytes;
    out->from[out->n_tensors] = from;
    open[(*n_open)++] = out->n_tensors++;
    return;
  }
  if (part->kind == part_parallel) {
    number_part(out, part->left, from, open, n_open);
    number_part(out, part->right, from, open, n_open);
    return;
  }
  int32_t before = *n_open;
  number_part(out, part->left, from, open, n_open);
  int32_t middle = out->n_ops++;
  out->workspace[middle] = part->workspace;
  for (; *n_open > before; (*n_open)--) {
    out->to[open[*n_open - 1]] = middle;
  }
  number_part(out, part->right, middle, open, n_open);
}

static void write_list(const writer *list, const int32_t *ends, int32_t op, FILE *out) {
  bool first = true;
  for (int32_t k = 0; k < list->n_tensors; k++) {
    if (ends[k] == op) {
      fprintf(out, first ? "\"t%d\"" : ",\"t%d\"", (int)k);
      first = false;
    }
  }
}

static char *write_graph(const sp_graph *graph) {
  writer list = {.graph = graph, .n_ops = 1};
  int32_t open[most_parts], n_open = 0;
  list.workspace[0] = graph->first_workspace;
  number_part(&list, graph->n_parts - 1, 0, open, &n_open);
  int32_t last = list.n_ops++;
  list.workspace[last] = graph->last_workspace;
  for (int32_t k = 0; k < n_open; k++) {
    list.to[open[k]] = last;
  }
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs("{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[", out);
  for (int32_t k = 0; k < list.n_tensors; k++) {
    fprintf(out, "%s{\"id\":\"t%d\",\"bytes\":%" PRId64 "}", k == 0 ? "" : ",", (int)k, list.bytes[k]);
  }
  fputs("],\"ops\":[", out);
  for (int32_t op = 0; op < list.n_ops; op++) {
    fprintf(out, "%s{\"id\":\"n%d\",\"workspace\":%" PRId64 ",\"in\":[", op == 0 ? "" : ",", (int)op,
            list.workspace[op]);
    write_list(&list, list.to, op, out);
    fputs("],\"out\":[", out);
    write_list(&list, list.from, op, out);
    fputs("]}", out);
  }
  fputs("]}", out);
  assert_int_equal(fclose(out), 0);
  return text;
}

// ---- hills and valleys

typedef struct segment {
  int64_t drop; // its hill less its valley
  int32_t side, position, steps;
} segment;

static int64_t valley_at(const profile *of, int32_t at) { return at == 0 ? of->start : of->valley[at - 1]; }

static int32_t lowest(const profile *of) {
  int32_t best = 0;
  for (int32_t at = 1; at <= of->n; at++) {
    best = valley_at(of, at) < valley_at(of, best) ? at : best;
  }
  return best;
}

// Steps from the lowest valley on (or, backwards, from there to the start), as walked.
static int32_t walk(const profile *of, int32_t low, bool backwards, int64_t *hill, int64_t *valley) {
  int32_t n = backwards ? low : of->n - low;
  for (int32_t k = 0; k < n; k++) {
    hill[k] = of->hill[backwards ? low - 1 - k : low + k];
    valley[k] = valley_at(of, backwards ? low - 1 - k : low + k + 1);
  }
  return n;
}

static int32_t cut_segments(const int64_t *hill, const int64_t *valley, int32_t n, int32_t side, segment *list) {
  int32_t count = 0;
  for (int32_t from = 0; from < n;) {
    int32_t top = from;
    for (int32_t k = from; k < n; k++) {
      top = hill[k] >= hill[top] ? k : top;
    }
    int32_t bottom = top;
    for (int32_t k = top; k < n; k++) {
      bottom = valley[k] <= valley[bottom] ? k : bottom;
    }
    list[count] = (segment){hill[top] - valley[bottom], side, count, bottom + 1 - from};
    count++;
    from = bottom + 1;
  }
  return count;
}

static int compare_segments(const void *left, const void *right) {
  const segment *a = left, *b = right;
  if (a->drop != b->drop) {
    return a->drop > b->drop ? -1 : 1;
  }
  if (a->side != b->side) {
    return a->side < b->side ? -1 : 1;
  }
  return (a->position > b->position) - (a->position < b->position);
}

// Which side each step belongs to, as walked. Returns the number of steps.
static int32_t merge_steps(const profile *const of[2], const int32_t low[2], bool backwards, int32_t *sides) {
  int64_t hill[most_ops], valley[most_ops];
  segment list[2 * most_ops];
  int32_t count = 0, n = 0;
  for (int32_t side = 0; side < 2; side++) {
    int32_t steps = walk(of[side], low[side], backwards, hill, valley);
    count += cut_segments(hill, valley, steps, side, list + count);
  }
  qsort(list, (size_t)count, sizeof *list, compare_segments);
  for (int32_t k = 0; k < count; k++) {
    for (int32_t step = 0; step < list[k].steps; step++) {
      sides[n++] = list[k].side;
    }
  }
  return n;
}

static void merge(const profile *left, const profile *right, profile *merged) {
  const profile *of[2] = {left, right};
  int32_t low[2] = {lowest(left), lowest(right)}, at[2] = {0, 0}, sides[2 * most_ops], turned[2 * most_ops];
  int32_t n_before = merge_steps(of, low, true, turned);
  for (int32_t k = 0; k < n_before; k++) {
    sides[k] = turned[n_before - 1 - k];
  }
  int32_t n = n_before + merge_steps(of, low, false, sides + n_before);
  *merged = (profile){.start = left->start + right->start, .n = n};
  for (int32_t k = 0; k < n; k++) {
    int32_t side = sides[k];
    int64_t beside = valley_at(of[1 - side], at[1 - side]);
    merged->hill[k] = of[side]->hill[at[side]++] + beside;
    merged->valley[k] = valley_at(of[side], at[side]) + beside;
  }
}

static void join(const profile *left, const profile *right, int64_t workspace, profile *joined) {
  *joined = *left;
  joined->hill[joined->n] = valley_at(left, left->n) + right->start + workspace;
  joined->valley[joined->n++] = right->start;
  for (int32_t k = 0; k < right->n; k++) {
    joined->hill[joined->n] = right->hill[k];
    joined->valley[joined->n++] = right->valley[k];
  }
}

static int64_t merged_peak(const sp_graph *graph) {
  profile *profiles = calloc((size_t)graph->n_parts, sizeof *profiles);
  assert_non_null(profiles);
  for (int32_t k = 0; k < graph->n_parts; k++) {
    const component *part = &graph->parts[k];
    if (part->kind == part_edge) {
      profiles[k].start = part->bytes;
    } else if (part->kind == part_series) {
      join(&profiles[part->left], &profiles[part->right], part->workspace, &profiles[k]);
    } else {
      merge(&profiles[part->left], &profiles[part->right], &profiles[k]);
    }
  }
  const profile *all = &profiles[graph->n_parts - 1];
  int64_t first = all->start + graph->first_workspace, last = valley_at(all, all->n) + graph->last_workspace;
  int64_t peak = first > last ? first : last;
  for (int32_t k = 0; k < all->n; k++) {
    peak = all->hill[k] > peak ? all->hill[k] : peak;
  }
  free(profiles);
  return peak;
}

// ---- comparison

static void compare(const memplan_ordering *ordering, uint64_t without, int64_t peak, uint64_t index) {
  memplan_arena arena = {0};
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits = memplan_limits_start(&limits);
  memplan_order_optimal_task task = {.ordering = ordering, .limits = &limits, .without = without};
  memplan_order_optimal_result result;
  assert_int_equal(memplan_order_optimal(&task, &arena, &result, NULL), MEMPLAN_OK);
  if (result.outcome != MEMPLAN_OPTIMAL || result.peak != peak) {
    fail_msg("graph %" PRIu64 ": peak %" PRId64 ", bound %" PRId64 ", by merging %" PRId64, index, result.peak,
             result.bound, peak);
  }
  memplan_arena_free(&arena);
}

void series_parallel_check(uint64_t seed, int32_t count, int32_t most) {
  sp_graph *graph = calloc(1, sizeof *graph);
  assert_non_null(graph);
  assert_true(most <= most_ops);
  for (uint64_t index = 0; index < (uint64_t)count; index++) {
    random_state random = random_start(seed, index);
    int32_t inner = random_below(&random, most - 1);
    bool workspaces = index % 3 == 0;
    *graph = (sp_graph){.n_ops = inner + 2,
                        .first_workspace = draw_workspace(&random, workspaces),
                        .last_workspace = draw_workspace(&random, workspaces)};
    (void)draw(&random, graph, inner, workspaces, false);
    int64_t peak = merged_peak(graph);
    char *text = write_graph(graph);
    memplan_problem problem;
    memplan_ordering ordering;
    support_read_good(&problem, "series_parallel.json", text);
    assert_int_equal(problem.graph.n_ops, graph->n_ops);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
    compare(&ordering, 0, peak, index);
    compare(&ordering, MEMPLAN_TECHNIQUE_ORDER_CHAINS | MEMPLAN_TECHNIQUE_ORDER_VALLEYS, peak, index);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
    free(text);
  }
  free(graph);
}
