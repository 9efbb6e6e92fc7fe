// SPDX-License-Identifier: Apache-2.0
// Names and defaults of what every method shares.
#include "model/method.h"

const char *memplan_outcome_name(memplan_outcome outcome) {
  switch (outcome) {
  case MEMPLAN_UNKNOWN:
    return "unknown";
  case MEMPLAN_FEASIBLE:
    return "feasible";
  case MEMPLAN_OPTIMAL:
    return "optimal";
  case MEMPLAN_INFEASIBLE:
    return "infeasible";
  }
  return "unknown";
}

const char *memplan_stop_name(memplan_stop stop) {
  switch (stop) {
  case MEMPLAN_STOP_DONE:
    return "done";
  case MEMPLAN_STOP_TIME:
    return "time";
  case MEMPLAN_STOP_WORK:
    return "work";
  case MEMPLAN_STOP_MEMORY:
    return "memory";
  case MEMPLAN_STOP_INTERRUPTED:
    return "interrupted";
  }
  return "done";
}

memplan_limits memplan_limits_default(void) {
  memplan_limits limits = {.time_ms = -1, .work = -1, .memory_bytes = -1, .threads = 0, .seed = 0};
  return limits;
}

memplan_params memplan_params_default(void) {
  memplan_params params = {.score_released = 500, .score_path = 300, .score_added = -200};
  return params;
}
