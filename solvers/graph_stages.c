// SPDX-License-Identifier: Apache-2.0
#include "solvers/graph_stages.h"

#include "model/base/clock.h"

enum { exact_bits = 20 }; // of the work: products with microseconds stay below 2^63 for centuries

static int64_t end_lap(memplan_graph_search *state) {
  int64_t now = memplan_clock_us(), passed = now - state->lap_us;
  state->lap_us = now;
  return passed;
}

void memplan_graph_start_laps(memplan_graph_search *state) { state->lap_us = memplan_clock_us(); }

void memplan_graph_lap(memplan_graph_search *state, memplan_stage stage) {
  state->solution->stage_us[stage] += end_lap(state);
}

void memplan_graph_add_stages(memplan_graph_search *state, const int64_t stage_us[MEMPLAN_STAGE_COUNT]) {
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    state->solution->stage_us[stage] += stage_us[stage];
    state->lap_us += stage_us[stage];
  }
}

void memplan_graph_share_lap(memplan_graph_search *state, const int64_t ticks[MEMPLAN_STAGE_COUNT],
                             memplan_stage idle) {
  int64_t passed = end_lap(state), left = passed, largest = 0;
  int32_t shift = 0;
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    largest = ticks[stage] > largest ? ticks[stage] : largest;
  }
  while (largest >> shift >= (int64_t)1 << exact_bits) {
    shift++;
  }
  int64_t all = 0;
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    all += ticks[stage] >> shift;
    idle = largest > 0 && ticks[stage] == largest ? (memplan_stage)stage : idle; // takes what rounding leaves
  }
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT && all > 0; stage++) {
    int64_t share = passed * (ticks[stage] >> shift) / all;
    state->solution->stage_us[stage] += share;
    left -= share;
  }
  state->solution->stage_us[idle] += left;
}
