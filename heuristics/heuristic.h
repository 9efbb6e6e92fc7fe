// SPDX-License-Identifier: Apache-2.0
// The descriptors of the registered heuristics, one for each method file, and what their files share.
#ifndef MEMPLAN_HEURISTIC_H
#define MEMPLAN_HEURISTIC_H

#include "model/method.h"

extern const memplan_method memplan_order_given;
extern const memplan_method memplan_order_dfs;
extern const memplan_method memplan_order_bfs;
extern const memplan_method memplan_order_lpmf;
extern const memplan_method memplan_order_greedy_peak;
extern const memplan_method memplan_order_weighted_score;

extern const memplan_method memplan_place_naive;
extern const memplan_method memplan_place_slot_greedy;
extern const memplan_method memplan_place_first_fit_size;
extern const memplan_method memplan_place_first_fit_duration;
extern const memplan_method memplan_place_first_fit_area;
extern const memplan_method memplan_place_first_fit_start;
extern const memplan_method memplan_place_best_fit;
extern const memplan_method memplan_place_skyline;
extern const memplan_method memplan_place_skyline_search;

#endif
