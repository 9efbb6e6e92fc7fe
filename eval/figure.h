// SPDX-License-Identifier: Apache-2.0
// Figures of a plan: rectangles of time and offset above the curve of the load, with the lines of peak and lower bound.
#ifndef MEMPLAN_EVAL_FIGURE_H
#define MEMPLAN_EVAL_FIGURE_H

#include "eval/plan_map.h"
#include "model/memplan.h"

// The figure in the form that the extension of `path` names (.svg or .html), malloc'd, from a solution that has a plan.
// Equal plans give equal texts. MEMPLAN_INPUT for another extension.
memplan_status memplan_figure_text(const memplan_problem *problem, const memplan_solution *solution, const char *path,
                                   char **text, size_t *length, memplan_error *error);

// Writes it to `path`.
memplan_status memplan_figure_write(const memplan_problem *problem, const memplan_solution *solution, const char *path,
                                    memplan_error *error);

// MEMPLAN_OK if the extension is one that memplan_figure_write knows.
memplan_status memplan_figure_check_path(const char *path, memplan_error *error);

// What all forms draw.
typedef struct memplan_figure {
  const memplan_problem *problem;
  const memplan_solution *solution;
  memplan_plan_map map;
  char title[320];
  char numbers[320];    // peak, bound, gap, reuse ratio
  char methods[320];    // what was planned, and how
  memplan_load fullest; // largest load
  bool has_bound;       // one pool, and something is proven
  int64_t largest;      // bytes of the largest buffer or activation
} memplan_figure;

memplan_status memplan_figure_init(memplan_figure *figure, const memplan_problem *problem,
                                   const memplan_solution *solution, memplan_error *error);
void memplan_figure_free(memplan_figure *figure);

// The look of a buffer: its class, and for buffers and activations one of four shades by size. Index into the styles.
enum { MEMPLAN_LOOKS = 13 };
typedef struct memplan_look {
  const char *name; // for the legend, "" where it is made from sizes
  const char *fill; // "#9ecae1"
  bool dark;        // white text on it
} memplan_look;
const memplan_look *memplan_figure_looks(void);
int32_t memplan_figure_look(const memplan_figure *figure, int32_t buffer);
// Smallest size of the shade 0 … 3 of buffers and activations.
int64_t memplan_figure_shade_bytes(const memplan_figure *figure, int32_t shade);

#endif
