// SPDX-License-Identifier: Apache-2.0
// The figure as one HTML page to explore: zoom, pan, search, and the numbers of whatever lies under the pointer. The
// page holds all data and its own script, and loads nothing.
#ifndef MEMPLAN_EVAL_PLOT_HTML_H
#define MEMPLAN_EVAL_PLOT_HTML_H

#include "eval/figure.h"

#include <stdio.h>

memplan_status memplan_plot_html_write(const memplan_figure *figure, FILE *out, memplan_error *error);

#endif
