// SPDX-License-Identifier: Apache-2.0
// When and where a buffer occupies memory, in one normal form: two buffers that occupy the same bytes at the same times
// have the same form, however their file spells it (several lifetimes, or one with gaps).
#ifndef MEMPLAN_OCCUPANCY_H
#define MEMPLAN_OCCUPANCY_H

#include "model/instance.h"

// live: sorted, disjoint, not touching, without the times at which the buffer occupies nothing; none for a buffer that
// never does. gaps: sorted, inside the live intervals, only those that leave a part of the buffer.
typedef struct memplan_occupancy {
  memplan_interval *live;
  memplan_gap *gaps;
  int32_t n_live, n_gaps;
} memplan_occupancy;

// Memory comes from `arena`. False if it is out. O(n log n) in the buffer's intervals and gaps.
bool memplan_buffer_occupancy(const memplan_buffer *buffer, memplan_arena *arena, memplan_occupancy *occupancy);

#endif
