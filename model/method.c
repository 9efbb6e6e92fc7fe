// SPDX-License-Identifier: Apache-2.0
// Names and defaults of what every method shares.
#include "model/method.h"

#include "model/base/clock.h"

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
  memplan_limits limits = {.time_ms = -1, .deadline_us = -1, .work = -1, .threads = 0, .seed = 0};
  return limits;
}

int64_t memplan_limits_work(const memplan_limits *limits) {
  return limits->work >= 0 ? limits->work : MEMPLAN_WORK_DEFAULT;
}

int64_t memplan_limits_memory(const memplan_limits *limits) {
  return limits->memory > 0 ? limits->memory : MEMPLAN_MEMORY_DEFAULT;
}

memplan_limits memplan_limits_slice(const memplan_limits *limits, int64_t work, int32_t parts) {
  memplan_limits slice = *limits;
  slice.work = work;
  slice.progress = NULL;
  if (slice.time_ms >= 0 && slice.deadline_us >= 0) {
    int64_t now = memplan_clock_us(), left = slice.deadline_us > now ? slice.deadline_us - now : 0;
    slice.deadline_us = now + left / parts;
  }
  return slice;
}

memplan_limits memplan_limits_part(const memplan_limits *limits, int32_t parts) {
  memplan_limits part = *limits;
  part.memory = memplan_limits_memory(limits) / parts + 1;
  return part;
}

memplan_limits memplan_limits_start(const memplan_limits *limits) {
  memplan_limits started = *limits;
  if (started.time_ms >= 0 && started.deadline_us < 0) {
    int64_t now = memplan_clock_us();
    started.deadline_us = started.time_ms > (INT64_MAX - now) / 1000 ? INT64_MAX : now + 1000 * started.time_ms;
  }
  return started;
}

memplan_stop memplan_limits_reached(const memplan_limits *limits) {
  if (limits->cancel != NULL && *limits->cancel != 0) {
    return MEMPLAN_STOP_INTERRUPTED;
  }
  return limits->deadline_us >= 0 && memplan_clock_us() >= limits->deadline_us ? MEMPLAN_STOP_TIME : MEMPLAN_STOP_DONE;
}

memplan_params memplan_params_default(void) {
  memplan_params params = {.score_released = 500, .score_path = 300, .score_added = -200};
  return params;
}
