// SPDX-License-Identifier: Apache-2.0
#include "eval/plot_raster.h"

#include <stddef.h>

bool memplan_raster_init(memplan_raster *raster, memplan_arena *arena, int32_t width, int32_t height) {
  size_t n = (size_t)width * (size_t)height;
  *raster = (memplan_raster){width, height, MEMPLAN_NEW(arena, uint8_t, n), MEMPLAN_NEW(arena, int64_t, n)};
  return raster->look != NULL && raster->weight != NULL;
}

static int32_t clamp(int32_t value, int32_t high) { return value < 0 ? 0 : value > high ? high : value; }

void memplan_raster_paint(memplan_raster *raster, int32_t left, int32_t right, int32_t top, int32_t bottom,
                          int32_t look, int64_t weight) {
  int32_t x0 = clamp(left / 100, raster->width - 1), x1 = clamp((right + 99) / 100, raster->width);
  int32_t y0 = clamp(top / 100, raster->height - 1), y1 = clamp((bottom + 99) / 100, raster->height);
  for (int32_t y = y0; y < y1 || y == y0; y++) {
    for (int32_t x = x0; x < x1 || x == x0; x++) {
      size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
      if (raster->look[at] == 0 || weight > raster->weight[at]) {
        raster->look[at] = (uint8_t)(look + 1);
        raster->weight[at] = weight;
      }
    }
  }
}

// The run of equal pixels of row y that starts at x.
static memplan_tile run_at(const memplan_raster *raster, int32_t x, int32_t y) {
  const uint8_t *row = raster->look + (size_t)y * (size_t)raster->width;
  int32_t end = x + 1;
  while (end < raster->width && row[end] == row[x]) {
    end++;
  }
  return (memplan_tile){x, y, end - x, 1, row[x] - 1};
}

memplan_tile *memplan_raster_tiles(const memplan_raster *raster, memplan_arena *arena, int32_t *n_tiles) {
  // The tile that ends above each column, or -1.
  int32_t *open = MEMPLAN_NEW(arena, int32_t, raster->width);
  memplan_tile *tiles = MEMPLAN_NEW(arena, memplan_tile, (size_t)raster->width * (size_t)raster->height);
  if (open == NULL || tiles == NULL) {
    return NULL;
  }
  *n_tiles = 0;
  for (int32_t x = 0; x < raster->width; x++) {
    open[x] = -1;
  }
  for (int32_t y = 0; y < raster->height; y++) {
    for (int32_t x = 0; x < raster->width;) {
      memplan_tile run = run_at(raster, x, y);
      int32_t above = open[x];
      bool joins =
          above >= 0 && tiles[above].x == x && tiles[above].width == run.width && tiles[above].look == run.look;
      open[x] = -1;
      if (run.look >= 0 && joins) {
        tiles[above].height++;
        open[x] = above;
      } else if (run.look >= 0) {
        tiles[*n_tiles] = run;
        open[x] = (*n_tiles)++;
      }
      for (int32_t i = x + 1; i < x + run.width; i++) {
        open[i] = -1;
      }
      x += run.width;
    }
  }
  return tiles;
}
