// SPDX-License-Identifier: Apache-2.0
#ifndef MEMPLAN_EVAL_PLOT_VIEWER_H
#define MEMPLAN_EVAL_PLOT_VIEWER_H

#include <stddef.h>

// Lines of JavaScript, NULL-terminated. They expect the elements #data (JSON), #plan (canvas), #tip, #search, #legend.
extern const char *const memplan_plot_viewer[];

#endif
