// SPDX-License-Identifier: Apache-2.0
// Rectangles too small to be drawn one by one, painted into a grid of pixels and read back as few larger ones, so that
// the size of a figure is bounded by its area and not by the number of buffers.
#ifndef MEMPLAN_EVAL_PLOT_RASTER_H
#define MEMPLAN_EVAL_PLOT_RASTER_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_raster {
  int32_t width, height; // pixels
  uint8_t *look;         // by row and column: look + 1, 0 for nothing
  int64_t *weight;       // of what is painted there
} memplan_raster;

typedef struct memplan_tile {
  int32_t x, y, width, height, look; // pixels
} memplan_tile;

// False if memory is out.
bool memplan_raster_init(memplan_raster *raster, memplan_arena *arena, int32_t width, int32_t height);

// Paints every pixel that the rectangle touches; its sides are in hundredths of a pixel. Where rectangles meet, the
// largest weight is seen, of equals the first.
void memplan_raster_paint(memplan_raster *raster, int32_t left, int32_t right, int32_t top, int32_t bottom,
                          int32_t look, int64_t weight);

// The painted pixels as rectangles, from top to bottom: runs of a row, joined with equal runs below. Returns NULL if
// memory is out.
memplan_tile *memplan_raster_tiles(const memplan_raster *raster, memplan_arena *arena, int32_t *n_tiles);

#endif
