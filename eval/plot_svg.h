// SPDX-License-Identifier: Apache-2.0
// The figure as SVG, for papers and web pages: no script, no external resource. Rectangles that can be seen carry their
// numbers as tooltips and, where it fits, their name; the others are merged, so that a plan of 30,000 buffers stays
// within a few megabytes.
#ifndef MEMPLAN_EVAL_PLOT_SVG_H
#define MEMPLAN_EVAL_PLOT_SVG_H

#include "eval/figure.h"

#include <stdio.h>

memplan_status memplan_plot_svg_write(const memplan_figure *figure, FILE *out, memplan_error *error);

#endif
