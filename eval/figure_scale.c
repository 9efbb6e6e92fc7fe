// SPDX-License-Identifier: Apache-2.0
#include "eval/figure_scale.h"

int32_t memplan_scale_place(const memplan_scale *scale, int64_t value) {
  // Beyond 2^40 the last bits are far below a hundredth of a pixel.
  uint64_t span = (uint64_t)scale->last - (uint64_t)scale->first, part = (uint64_t)value - (uint64_t)scale->first;
  while (span >= UINT64_C(1) << 40) {
    span >>= 1;
    part >>= 1;
  }
  int64_t length = scale->high - scale->low;
  int64_t place = span == 0 ? 0 : (int64_t)part * (length < 0 ? -length : length) / (int64_t)span;
  return (int32_t)(scale->low + (length < 0 ? -place : place));
}

memplan_ticks memplan_ticks_of_bytes(int64_t last) {
  static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  memplan_ticks ticks = {.step = 1, .unit = 1, .name = names[0]};
  while (last / ticks.step >= 8) {
    ticks.step *= 2;
  }
  for (int32_t i = 1; i < 7 && ticks.step / ticks.unit >= 1024; i++) {
    ticks.unit *= 1024;
    ticks.name = names[i];
  }
  return ticks;
}

memplan_ticks memplan_ticks_of_steps(int64_t first, int64_t last, int32_t most) {
  memplan_ticks ticks = {.step = 1, .unit = 1, .name = ""};
  uint64_t span = (uint64_t)last - (uint64_t)first;
  for (int32_t i = 0; span / (uint64_t)ticks.step >= (uint64_t)most && ticks.step <= INT64_MAX / 10; i++) {
    ticks.step = i % 3 == 1 ? ticks.step / 2 * 5 : ticks.step * 2;
  }
  return ticks;
}

int64_t memplan_ticks_start(const memplan_ticks *ticks, int64_t first) {
  int64_t rest = first % ticks->step;
  if (rest == 0) {
    return first;
  }
  return rest > 0 ? first + (ticks->step - rest) : first - rest;
}
