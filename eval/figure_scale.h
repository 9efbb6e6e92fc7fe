// SPDX-License-Identifier: Apache-2.0
// From values to places on paper, and round marks on axes. Integers only, so that equal plans give equal figures on
// every machine. Places are in hundredths of a pixel.
#ifndef MEMPLAN_EVAL_FIGURE_SCALE_H
#define MEMPLAN_EVAL_FIGURE_SCALE_H

#include "eval/numbers.h"

// first -> low, last -> high, linearly; low > high turns the axis. first < last.
typedef struct memplan_scale {
  int64_t first, last;
  int32_t low, high;
} memplan_scale;

// The place of a value in [first, last], rounded down.
int32_t memplan_scale_place(const memplan_scale *scale, int64_t value);

typedef struct memplan_ticks {
  int64_t step;     // between marks
  int64_t unit;     // that labels count in
  const char *name; // of the unit: "MiB", or "" for steps
} memplan_ticks;

// Marks for bytes in [0, last]: a power of two apart, 4 to 8 of them where there is room. Labels count in units in
// which they are integers.
memplan_ticks memplan_ticks_of_bytes(int64_t last);

// Marks for steps or times in [first, last]: 1, 2 or 5 times a power of ten apart, at most `most`.
memplan_ticks memplan_ticks_of_steps(int64_t first, int64_t last, int32_t most);

// The first mark >= first.
int64_t memplan_ticks_start(const memplan_ticks *ticks, int64_t first);

#endif
