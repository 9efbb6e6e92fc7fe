// SPDX-License-Identifier: Apache-2.0
// Which stage of the search of a graph took how long (memplan_solution.stage_us), for reports alone: what has passed
// since the lap before belongs to the stage that ends now.
#ifndef MEMPLAN_SOLVERS_GRAPH_STAGES_H
#define MEMPLAN_SOLVERS_GRAPH_STAGES_H

#include "solvers/graph_search.h"

// The first lap begins.
void memplan_graph_start_laps(memplan_graph_search *state);

void memplan_graph_lap(memplan_graph_search *state, memplan_stage stage);

// A search within this one, which has told its own stages (stage_us), has its time taken off the lap that goes on.
void memplan_graph_add_stages(memplan_graph_search *state, const int64_t stage_us[MEMPLAN_STAGE_COUNT]);

// Stages that ran side by side share the lap in proportion to their work; without any it is `idle`'s.
void memplan_graph_share_lap(memplan_graph_search *state, const int64_t ticks[MEMPLAN_STAGE_COUNT], memplan_stage idle);

#endif
