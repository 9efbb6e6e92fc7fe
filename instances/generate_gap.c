// SPDX-License-Identifier: Apache-2.0
// Graphs whose least arena mostly lies above their least order peak: gadgets of seven operators in series, each of
// which by itself has a peak of 96 and needs 120, mutated, with small operators at their sides that leave the order
// open.
//
// The graph has a gap where a gadget that has one decides the peak, so each mutated gadget is scaled to the same peak
// in the given order, which no order that the rest allows makes larger: a side operator reads at most one result and is
// read by a gadget, so it can run at once and keeps no gadget's tensor for longer, and all of them together are small.
#include "instances/generators.h"

#include "model/base/rng.h"

enum { gadget_ops = 7, gadget_edges = 9, usual_n = 40, usual_share = 75, most_edges_of_op = 4, gadget_peak = 96 };

static const int64_t gadget_bytes[gadget_ops] = {8, 8, 4, 4, 4, 8, 8};
static const int32_t gadget_edge[gadget_edges][2] = {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {2, 4},
                                                     {3, 4}, {3, 5}, {4, 5}, {5, 6}};

typedef struct draft {
  memplan_rng rng;
  int32_t n;
  int64_t *bytes;
  bool *side;                    // by operator: it stands beside the gadgets
  memplan_generator_edge *edges; // room for most_edges_of_op * (n + 1)
  int32_t n_edges;
} draft;

static void connect(draft *d, int32_t writer, int32_t reader) {
  d->edges[d->n_edges++] = (memplan_generator_edge){writer, reader};
}

// What the gadget whose edges begin at `first` needs in the given order: an operator runs while all results are there
// that it or a later one reads. Results that nobody reads are read by the gadget's last operator from now on.
static int64_t close_gadget(draft *d, const int32_t *ops, int32_t first) {
  int32_t last[gadget_ops] = {-1, -1, -1, -1, -1, -1, gadget_ops - 1};
  for (int32_t e = first; e < d->n_edges; e++) {
    for (int32_t k = 0; k < gadget_ops; k++) {
      for (int32_t r = k + 1; r < gadget_ops; r++) {
        if (d->edges[e].writer == ops[k] && d->edges[e].reader == ops[r] && r > last[k]) {
          last[k] = r;
        }
      }
    }
  }
  int64_t peak = 0;
  for (int32_t k = 0; k < gadget_ops; k++) {
    if (last[k] < 0) {
      last[k] = gadget_ops - 1;
      connect(d, ops[k], ops[last[k]]);
    }
  }
  for (int32_t step = 0; step < gadget_ops; step++) {
    int64_t load = 0;
    for (int32_t k = 0; k <= step; k++) {
      load += last[k] >= step ? d->bytes[ops[k]] : 0;
    }
    peak = load > peak ? load : peak;
  }
  return peak;
}

// The operators of one gadget, which begins behind the operator `before` (-1: none).
static void add_gadget(draft *d, const int32_t *ops, int32_t before) {
  if (before >= 0) {
    connect(d, before, ops[0]);
  }
  int32_t first = d->n_edges;
  int64_t n_changes = memplan_rng_below(&d->rng, 3);
  int64_t dropped = -1;
  for (int32_t k = 0; k < gadget_ops; k++) {
    d->bytes[ops[k]] = gadget_bytes[k];
  }
  for (int64_t k = 0; k < n_changes; k++) {
    int64_t kind = memplan_rng_below(&d->rng, 3);
    if (kind == 0) {
      dropped = memplan_rng_below(&d->rng, gadget_edges);
    } else if (kind == 1) {
      int32_t from = (int32_t)memplan_rng_below(&d->rng, gadget_ops - 1);
      connect(d, ops[from], ops[memplan_rng_between(&d->rng, from + 1, gadget_ops - 1)]);
    } else {
      int32_t op = ops[memplan_rng_between(&d->rng, 2, 4)];
      d->bytes[op] = memplan_rng_between(&d->rng, 2, 6);
    }
  }
  for (int32_t k = 0; k < gadget_edges; k++) {
    if (k != dropped) {
      connect(d, ops[gadget_edge[k][0]], ops[gadget_edge[k][1]]);
    }
  }
  int64_t peak = close_gadget(d, ops, first);
  for (int32_t k = 0; k < gadget_ops; k++) {
    d->bytes[ops[k]] = d->bytes[ops[k]] * gadget_peak / peak;
  }
}

// Reads one of the operators not far before it, mostly; the graph's last one, which others wait for, none from here.
static void add_side(draft *d, int32_t op) {
  d->bytes[op] = memplan_rng_between(&d->rng, 1, 2);
  if (op > 0 && op + 1 < d->n && memplan_rng_below(&d->rng, 5) != 0) {
    int32_t first = op > gadget_ops ? op - gadget_ops : 0;
    connect(d, (int32_t)memplan_rng_between(&d->rng, first, op - 1), op);
  }
}

// Only the last operator's result is an output: all others are read, not long after, those of sides by a gadget.
static void read_all(draft *d) {
  for (int32_t op = 0; op + 1 < d->n; op++) {
    bool read = false;
    for (int32_t k = 0; k < d->n_edges && !read; k++) {
      read = d->edges[k].writer == op;
    }
    if (!read) {
      int32_t last = op + gadget_ops < d->n ? op + gadget_ops : d->n - 1;
      int32_t reader = (int32_t)memplan_rng_between(&d->rng, op + 1, last);
      while (reader + 1 < d->n && d->side[reader]) {
        reader++;
      }
      connect(d, op, reader);
    }
  }
}

static void draw(draft *d, int64_t share) {
  int32_t n_gadgets = (int32_t)(d->n * share / 100 / gadget_ops);
  n_gadgets = n_gadgets > 0 ? n_gadgets : 1;
  int32_t n_sides = d->n - gadget_ops * n_gadgets, ops[gadget_ops], n_ops = 0, before = -1;
  for (int32_t op = 0; op < d->n; op++) {
    d->side[op] = memplan_rng_below(&d->rng, d->n - op) < n_sides;
    if (d->side[op]) {
      n_sides--;
      continue;
    }
    ops[n_ops++] = op;
    if (n_ops == gadget_ops) {
      add_gadget(d, ops, before);
      before = op;
      n_ops = 0;
    }
  }
  for (int32_t op = 0; op < d->n; op++) {
    if (d->side[op]) {
      add_side(d, op);
    }
  }
  read_all(d);
}

static memplan_status make(const memplan_generator_wishes *wishes, memplan_graph *graph, memplan_error *error) {
  draft d = {.n = (int32_t)(wishes->n > 0 ? wishes->n : usual_n)};
  d.bytes = MEMPLAN_NEW(&graph->arena, int64_t, d.n);
  d.side = MEMPLAN_NEW(&graph->arena, bool, d.n);
  d.edges = MEMPLAN_NEW(&graph->arena, memplan_generator_edge, most_edges_of_op * ((int64_t)d.n + 1));
  if (d.bytes == NULL || d.side == NULL || d.edges == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_rng_start(&d.rng, wishes->seed, (uint64_t)wishes->index);
  draw(&d, wishes->fill > 0 ? wishes->fill : usual_share);
  graph->source = "generated: gadgets in series with side operators";
  return memplan_generator_fill(graph, d.n, d.bytes, d.edges, d.n_edges, error);
}

const memplan_generator memplan_generator_gap = {
    .name = "gap",
    .summary = "graphs of small gadgets in series with side operators: mostly no plan at the least order peak",
    .parameters = "--n 7 to 2000 operators (default: 40), --fill percent of them in gadgets of seven (default: 75)",
    .things = "operators",
    .least_n = gadget_ops,
    .most_n = 2000,
    .takes_fill = true,
    .make_graph = make,
};
