// SPDX-License-Identifier: Apache-2.0
// The rectangles of one pool in the SVG figure.
#ifndef MEMPLAN_EVAL_PLOT_BUFFERS_H
#define MEMPLAN_EVAL_PLOT_BUFFERS_H

#include "eval/figure.h"
#include "eval/figure_scale.h"

#include <stdio.h>

// Writes a place in hundredths of a pixel as a decimal: 1250 is "12.5".
void memplan_plot_place(FILE *out, int32_t place);

memplan_status memplan_plot_buffers_write(const memplan_figure *figure, int32_t pool, const memplan_scale *x,
                                          const memplan_scale *y, FILE *out, memplan_error *error);

#endif
