// SPDX-License-Identifier: Apache-2.0
// Random graphs in layers of about equal width, the usual shape of small test graphs for orders: each operator reads
// one of the layer before it, and each other one of the two layers before it with the probability asked for.
#include "instances/generators.h"

#include "model/base/rng.h"

enum { usual_n = 40, usual_share = 25, most_bytes = 6 };

// The least whole number whose square is at least n.
static int32_t root_of(int32_t n) {
  int32_t root = 1;
  while (root * root < n) {
    root++;
  }
  return root;
}

typedef struct draft {
  memplan_rng rng;
  int32_t n, width; // operators of a layer
  int64_t share;
  memplan_generator_edge *edges; // room for 2 * width of each operator
  int64_t n_edges;
} draft;

static void draw(draft *d) {
  for (int32_t op = d->width; op < d->n; op++) {
    int32_t first = op / d->width * d->width; // of its layer
    int32_t sure = first - d->width + (int32_t)memplan_rng_below(&d->rng, d->width);
    int32_t farthest = first >= 2 * d->width ? first - 2 * d->width : 0;
    for (int32_t writer = farthest; writer < first; writer++) {
      if (memplan_rng_below(&d->rng, 100) < d->share || writer == sure) {
        d->edges[d->n_edges++] = (memplan_generator_edge){writer, op};
      }
    }
  }
}

static memplan_status make(const memplan_generator_wishes *wishes, memplan_graph *graph, memplan_error *error) {
  draft d = {.n = (int32_t)(wishes->n > 0 ? wishes->n : usual_n),
             .share = wishes->fill > 0 ? wishes->fill : usual_share};
  d.width = root_of(d.n);
  int64_t *bytes = MEMPLAN_NEW(&graph->arena, int64_t, d.n);
  d.edges = MEMPLAN_NEW(&graph->arena, memplan_generator_edge, 2 * (int64_t)d.width * d.n);
  if (bytes == NULL || d.edges == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_rng_start(&d.rng, wishes->seed, (uint64_t)wishes->index);
  for (int32_t op = 0; op < d.n; op++) {
    bytes[op] = memplan_rng_between(&d.rng, 1, most_bytes);
  }
  draw(&d);
  graph->source = "generated: random graph in layers";
  return memplan_generator_fill(graph, d.n, bytes, d.edges, d.n_edges, error);
}

const memplan_generator memplan_generator_layered = {
    .name = "layered",
    .summary = "random graphs in layers, for tests of orders and integer programs",
    .parameters = "--n 2 to 1000 operators (default: 40), --fill percent of the possible edges (default: 25)",
    .things = "operators",
    .least_n = 2,
    .most_n = 1000,
    .takes_fill = true,
    .make_graph = make,
};
