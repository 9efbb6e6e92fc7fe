// SPDX-License-Identifier: Apache-2.0
#include "model/occupancy.h"

#include <stdlib.h>

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_intervals(const void *left, const void *right) {
  const memplan_interval *a = left;
  const memplan_interval *b = right;
  int order = compare_numbers(a->start, b->start);
  return order != 0 ? order : compare_numbers(a->end, b->end);
}

static int compare_gaps(const void *left, const void *right) {
  const memplan_gap *a = left;
  const memplan_gap *b = right;
  int order = compare_numbers(a->start, b->start);
  if (order == 0) {
    order = compare_numbers(a->end, b->end);
  }
  if (order == 0) {
    order = compare_numbers(a->low, b->low);
  }
  return order != 0 ? order : compare_numbers(a->high, b->high);
}

int32_t memplan_intervals_merge(memplan_interval *intervals, int32_t count) {
  if (count > 1) {
    qsort(intervals, (size_t)count, sizeof *intervals, compare_intervals);
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++) {
    if (intervals[i].start >= intervals[i].end) {
      continue;
    }
    if (kept > 0 && intervals[i].start <= intervals[kept - 1].end) {
      if (intervals[i].end > intervals[kept - 1].end) {
        intervals[kept - 1].end = intervals[i].end;
      }
    } else {
      intervals[kept++] = intervals[i];
    }
  }
  return kept;
}

// live minus holes, both merged; `rest` has room for n_live + n_holes.
static int32_t subtract(const memplan_interval *live, int32_t n_live, const memplan_interval *holes, int32_t n_holes,
                        memplan_interval *rest) {
  int32_t kept = 0;
  int32_t next = 0;
  for (int32_t i = 0; i < n_live; i++) {
    int64_t start = live[i].start;
    while (next < n_holes && holes[next].end <= start) {
      next++;
    }
    int32_t hole = next;
    while (hole < n_holes && holes[hole].start < live[i].end) {
      if (holes[hole].start > start) {
        rest[kept++] = (memplan_interval){start, holes[hole].start};
      }
      start = holes[hole].end;
      hole++;
    }
    if (start < live[i].end) {
      rest[kept++] = (memplan_interval){start, live[i].end};
    }
  }
  return kept;
}

// How many pieces the live intervals cut the gaps into; stores them unless `pieces` is NULL.
static int32_t clip(const memplan_gap *gaps, int32_t n_gaps, const memplan_interval *live, int32_t n_live,
                    memplan_gap *pieces) {
  int32_t count = 0;
  int32_t next = 0;
  for (int32_t i = 0; i < n_gaps; i++) {
    while (next < n_live && live[next].end <= gaps[i].start) {
      next++;
    }
    for (int32_t j = next; j < n_live && live[j].start < gaps[i].end; j++) {
      if (pieces != NULL) {
        pieces[count] = gaps[i];
        pieces[count].start = gaps[i].start > live[j].start ? gaps[i].start : live[j].start;
        pieces[count].end = gaps[i].end < live[j].end ? gaps[i].end : live[j].end;
      }
      count++;
    }
  }
  return count;
}

int32_t memplan_gaps_merge(memplan_gap *gaps, int32_t count) {
  if (count > 1) {
    qsort(gaps, (size_t)count, sizeof *gaps, compare_gaps);
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++) {
    memplan_gap *last = kept > 0 ? &gaps[kept - 1] : NULL;
    if (last != NULL && gaps[i].start <= last->end && gaps[i].low == last->low && gaps[i].high == last->high) {
      if (gaps[i].end > last->end) {
        last->end = gaps[i].end;
      }
    } else {
      gaps[kept++] = gaps[i];
    }
  }
  return kept;
}

bool memplan_buffer_occupancy(const memplan_buffer *buffer, memplan_arena *arena, memplan_occupancy *occupancy) {
  *occupancy = (memplan_occupancy){0};
  if (buffer->n_live == 0) {
    return true;
  }
  int64_t room = (int64_t)buffer->n_live + buffer->n_gaps;
  memplan_interval *live = MEMPLAN_NEW(arena, memplan_interval, buffer->n_live);
  memplan_interval *holes = MEMPLAN_NEW(arena, memplan_interval, buffer->n_gaps);
  memplan_gap *windows = MEMPLAN_NEW(arena, memplan_gap, buffer->n_gaps);
  memplan_interval *rest = MEMPLAN_NEW(arena, memplan_interval, room);
  if (live == NULL || holes == NULL || windows == NULL || rest == NULL) {
    return false;
  }
  for (int32_t i = 0; i < buffer->n_live; i++) {
    live[i] = buffer->live[i];
  }
  int32_t n_live = memplan_intervals_merge(live, buffer->n_live);
  int32_t n_holes = 0;
  int32_t n_windows = 0;
  for (int32_t i = 0; i < buffer->n_gaps; i++) {
    const memplan_gap *gap = &buffer->gaps[i];
    if (gap->start >= gap->end) {
      continue;
    }
    if (gap->low == gap->high) {
      holes[n_holes++] = (memplan_interval){gap->start, gap->end};
    } else if (gap->low > 0 || gap->high < buffer->bytes) {
      windows[n_windows++] = *gap;
    }
  }
  int32_t n_rest = subtract(live, n_live, holes, memplan_intervals_merge(holes, n_holes), rest);
  occupancy->live = rest;
  occupancy->n_live = n_rest;
  n_windows = memplan_gaps_merge(windows, n_windows);
  int32_t n_pieces = clip(windows, n_windows, rest, n_rest, NULL);
  memplan_gap *pieces = MEMPLAN_NEW(arena, memplan_gap, n_pieces);
  if (pieces == NULL) {
    return false;
  }
  occupancy->gaps = pieces;
  occupancy->n_gaps = clip(windows, n_windows, rest, n_rest, pieces);
  return true;
}

static int32_t put_piece(memplan_gap *pieces, int32_t count, memplan_gap piece) {
  if (piece.start >= piece.end || piece.low >= piece.high) {
    return count;
  }
  if (pieces != NULL) {
    pieces[count] = piece;
  }
  return count + 1;
}

int32_t memplan_occupancy_cut(const memplan_occupancy *occupancy, int64_t bytes, memplan_gap *pieces) {
  int32_t count = 0;
  int32_t first = 0;
  for (int32_t k = 0; k < occupancy->n_live; k++) {
    int64_t at = occupancy->live[k].start;
    int64_t end = occupancy->live[k].end;
    while (first < occupancy->n_gaps && occupancy->gaps[first].end <= at) {
      first++;
    }
    for (int32_t g = first; g < occupancy->n_gaps && occupancy->gaps[g].start < end; g++) {
      memplan_gap gap = occupancy->gaps[g];
      gap.start = gap.start > at ? gap.start : at;
      gap.end = gap.end < end ? gap.end : end;
      count = put_piece(pieces, count, (memplan_gap){at, gap.start, 0, bytes});
      count = put_piece(pieces, count, gap);
      at = gap.end;
    }
    count = put_piece(pieces, count, (memplan_gap){at, end, 0, bytes});
  }
  return count;
}
