// SPDX-License-Identifier: Apache-2.0
// When and where a buffer occupies memory, in one normal form: two buffers that occupy the same bytes at the same times
// have the same form, however their file spells it (several lifetimes, or one with gaps).
#ifndef MEMPLAN_OCCUPANCY_H
#define MEMPLAN_OCCUPANCY_H

#include "model/instance.h"

// live: sorted, disjoint, not touching, without the times at which the buffer occupies nothing; none for a buffer that
// never does. gaps: sorted, inside the live intervals, only those that leave a part of the buffer.
typedef struct memplan_occupancy {
  const memplan_interval *live;
  const memplan_gap *gaps;
  int32_t n_live, n_gaps;
} memplan_occupancy;

// Memory comes from `arena`. False if it is out. O(n log n) in the buffer's intervals and gaps.
bool memplan_buffer_occupancy(const memplan_buffer *buffer, memplan_arena *arena, memplan_occupancy *occupancy);

// The rectangles of time and bytes that a buffer of `bytes` bytes occupies, by time; empty ones are left out. Returns
// their number, at most n_live + 2 n_gaps, and stores them unless `pieces` is NULL. Lifetimes and gaps must be sorted
// and disjoint; gaps may reach beyond the lifetimes. O(n).
int32_t memplan_occupancy_cut(const memplan_occupancy *occupancy, int64_t bytes, memplan_gap *pieces);

// Sorts, drops empty intervals, and joins those that overlap or touch. Returns how many are left. O(n log n).
int32_t memplan_intervals_merge(memplan_interval *intervals, int32_t count);

// Sorts gaps, and joins those with one window that overlap or touch. Returns how many are left. O(n log n).
int32_t memplan_gaps_merge(memplan_gap *gaps, int32_t count);

#endif
