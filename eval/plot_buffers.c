// SPDX-License-Identifier: Apache-2.0
// Three kinds of rectangles, by what can be seen of them: elements of their own with a tooltip and perhaps a label;
// shapes joined into one path per colour; and pixels. How many of the first two kinds there may be is bounded, and the
// size from which a rectangle belongs to them rises until the bound is met.
#include "eval/plot_buffers.h"

#include "eval/grid.h"
#include "eval/markup.h"
#include "eval/plot_raster.h"

#include <inttypes.h>
#include <string.h>

enum {
  MOST_ELEMENTS = 10000,
  MOST_SHAPES = 40000,
  ELEMENT_AREA = 30 * 10000, // 30 square pixels
  SHAPE_SIDE = 100,
  CHARACTER_WIDTH = 560, // of a label of 10 pixels
  LABEL_HEIGHT = 1150,
  NAME_LIMIT = 300
};

// A rectangle on paper.
typedef struct placed {
  int32_t left, right, top, bottom;
} placed;

typedef struct drawing {
  const memplan_figure *figure;
  const memplan_scale *x, *y;
  FILE *out;
  int32_t pool;
  int64_t element_area; // from which on a rectangle is an element
  bool shapes;          // shapes are drawn; else they are pixels too
} drawing;

typedef enum kind { ELEMENT, SHAPE, PIXELS } kind;

void memplan_plot_place(FILE *out, int32_t place) {
  int32_t whole = place / 100, rest = place % 100;
  if (rest == 0) {
    fprintf(out, "%" PRId32, whole);
  } else if (rest % 10 == 0) {
    fprintf(out, "%" PRId32 ".%" PRId32, whole, rest / 10);
  } else {
    fprintf(out, "%" PRId32 ".%02" PRId32, whole, rest);
  }
}

static placed place_rect(const drawing *d, const memplan_rect *rect) {
  return (placed){memplan_scale_place(d->x, rect->start), memplan_scale_place(d->x, rect->end),
                  memplan_scale_place(d->y, rect->high), memplan_scale_place(d->y, rect->low)};
}

static int64_t area_of(const placed *at) { return (int64_t)(at->right - at->left) * (at->bottom - at->top); }

static kind kind_of(const drawing *d, const placed *at) {
  int32_t width = at->right - at->left, height = at->bottom - at->top;
  if (width < SHAPE_SIDE || height < SHAPE_SIDE) {
    return PIXELS;
  }
  if (area_of(at) >= d->element_area) {
    return ELEMENT;
  }
  return d->shapes ? SHAPE : PIXELS;
}

static void count_kinds(const drawing *d, int32_t counts[3]) {
  memset(counts, 0, 3 * sizeof *counts);
  for (int32_t i = 0; i < d->figure->map.n_rects; i++) {
    const memplan_rect *rect = &d->figure->map.rects[i];
    if (rect->pool == d->pool) {
      placed at = place_rect(d, rect);
      counts[kind_of(d, &at)]++;
    }
  }
}

static void bound_counts(drawing *d) {
  int32_t counts[3];
  for (count_kinds(d, counts); counts[ELEMENT] > MOST_ELEMENTS; count_kinds(d, counts)) {
    d->element_area *= 2;
  }
  d->shapes = counts[SHAPE] <= MOST_SHAPES;
}

static void write_shape(FILE *out, const placed *at) {
  fputc('M', out);
  memplan_plot_place(out, at->left);
  fputc(' ', out);
  memplan_plot_place(out, at->top);
  fputc('h', out);
  memplan_plot_place(out, at->right - at->left);
  fputc('v', out);
  memplan_plot_place(out, at->bottom - at->top);
  fputs("h-", out);
  memplan_plot_place(out, at->right - at->left);
  fputc('z', out);
}

static memplan_status write_pixels(const drawing *d, memplan_arena *arena, memplan_error *error) {
  const memplan_figure *figure = d->figure;
  memplan_raster raster;
  int32_t left = d->x->low, top = d->y->high, n_tiles = 0;
  if (!memplan_raster_init(&raster, arena, (d->x->high - left + 99) / 100, (d->y->low - top + 99) / 100)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < figure->map.n_rects; i++) {
    const memplan_rect *rect = &figure->map.rects[i];
    placed at = place_rect(d, rect);
    if (rect->pool == d->pool && kind_of(d, &at) == PIXELS) {
      memplan_raster_paint(&raster, at.left - left, at.right - left, at.top - top, at.bottom - top,
                           memplan_figure_look(figure, rect->buffer), rect->high - rect->low);
    }
  }
  const memplan_tile *tiles = memplan_raster_tiles(&raster, arena, &n_tiles);
  if (tiles == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t look = 0; look < MEMPLAN_LOOKS; look++) {
    bool open = false;
    for (int32_t i = 0; i < n_tiles; i++) {
      if (tiles[i].look == look) {
        if (!open) {
          fprintf(d->out, "<path class=\"q%" PRId32 "\" d=\"", look);
        }
        open = true;
        placed at = {left + 100 * tiles[i].x, left + 100 * (tiles[i].x + tiles[i].width), top + 100 * tiles[i].y,
                     top + 100 * (tiles[i].y + tiles[i].height)};
        write_shape(d->out, &at);
      }
    }
    fputs(open ? "\"/>\n" : "", d->out);
  }
  return MEMPLAN_OK;
}

static void write_shapes(const drawing *d) {
  const memplan_figure *figure = d->figure;
  for (int32_t look = 0; look < MEMPLAN_LOOKS; look++) {
    bool open = false;
    for (int32_t i = 0; i < figure->map.n_rects; i++) {
      const memplan_rect *rect = &figure->map.rects[i];
      placed at = place_rect(d, rect);
      if (rect->pool == d->pool && kind_of(d, &at) == SHAPE && memplan_figure_look(figure, rect->buffer) == look) {
        if (!open) {
          fprintf(d->out, "<path class=\"q%" PRId32 "\" d=\"", look);
        }
        open = true;
        write_shape(d->out, &at);
      }
    }
    fputs(open ? "\"/>\n" : "", d->out);
  }
}

// As much of the end of a name as fits into `room` characters, cut at slashes. NULL: not even its last part does.
static const char *fitting_name(const char *name, int32_t room) {
  while (memplan_text_width(name) > room) {
    const char *slash = strchr(name, '/');
    if (slash == NULL) {
      return NULL;
    }
    name = slash + 1;
  }
  return name;
}

static void write_label(const drawing *d, const placed *at, const char *name, bool dark) {
  int32_t width = at->right - at->left, height = at->bottom - at->top;
  bool upright = height >= LABEL_HEIGHT, turned = false;
  const char *text = upright ? fitting_name(name, (width - 500) / CHARACTER_WIDTH) : NULL;
  if (text == NULL && width >= LABEL_HEIGHT && height > width) {
    text = fitting_name(name, (height - 500) / CHARACTER_WIDTH);
    turned = text != NULL;
  }
  if (text == NULL || text[0] == '\0') {
    return;
  }
  int32_t x = (at->left + at->right) / 2, y = (at->top + at->bottom) / 2;
  fprintf(d->out, "<text class=\"%s c\" ", dark ? "d" : "n");
  if (turned) {
    fputs("transform=\"translate(", d->out);
    memplan_plot_place(d->out, x + 350);
    fputc(' ', d->out);
    memplan_plot_place(d->out, y);
    fputs(") rotate(-90)\">", d->out);
  } else {
    fputs("x=\"", d->out);
    memplan_plot_place(d->out, x);
    fputs("\" y=\"", d->out);
    memplan_plot_place(d->out, y + 350);
    fputs("\">", d->out);
  }
  memplan_markup_write(d->out, text, 0);
  fputs("</text>\n", d->out);
}

static void write_element(const drawing *d, const memplan_rect *rect, const placed *at) {
  const memplan_buffer *buffer = &d->figure->map.instance->buffers[rect->buffer];
  int32_t look = memplan_figure_look(d->figure, rect->buffer);
  bool edged = at->right - at->left >= 300 && at->bottom - at->top >= 300;
  char number[MEMPLAN_NUMBER_SIZE];
  fprintf(d->out, "<rect class=\"q%" PRId32 "%s\" x=\"", look, edged ? " s" : "");
  memplan_plot_place(d->out, at->left);
  fputs("\" y=\"", d->out);
  memplan_plot_place(d->out, at->top);
  fputs("\" width=\"", d->out);
  memplan_plot_place(d->out, at->right - at->left);
  fputs("\" height=\"", d->out);
  memplan_plot_place(d->out, at->bottom - at->top);
  fputs("\"><title>", d->out);
  memplan_markup_write(d->out, buffer->id, NAME_LIMIT);
  fprintf(d->out, "\n%s bytes at ", memplan_grouped_text(rect->high - rect->low, number));
  fprintf(d->out, "%s\n[%" PRId64 ", %" PRId64 ") %s</title></rect>\n", memplan_grouped_text(rect->low, number),
          rect->start, rect->end,
          memplan_buffer_class_name((memplan_buffer_class)d->figure->map.class_of[rect->buffer]));
  write_label(d, at, buffer->id, memplan_figure_looks()[look].dark);
}

static void write_reserved(const drawing *d) {
  const memplan_pool *pool = &d->figure->map.instance->pools[d->pool];
  for (int32_t i = 0; i < pool->n_reserved; i++) {
    if (pool->reserved[i].start < d->y->last) {
      int64_t end = pool->reserved[i].end < d->y->last ? pool->reserved[i].end : d->y->last;
      placed at = {d->x->low, d->x->high, memplan_scale_place(d->y, end),
                   memplan_scale_place(d->y, pool->reserved[i].start)};
      fputs("<path class=\"re\" d=\"", d->out);
      write_shape(d->out, &at);
      fputs("\"/>\n", d->out);
    }
  }
}

memplan_status memplan_plot_buffers_write(const memplan_figure *figure, int32_t pool, const memplan_scale *x,
                                          const memplan_scale *y, FILE *out, memplan_error *error) {
  drawing d = {
      .figure = figure, .x = x, .y = y, .out = out, .pool = pool, .element_area = ELEMENT_AREA, .shapes = true};
  memplan_arena arena = {0};
  bound_counts(&d);
  write_reserved(&d);
  memplan_status status = write_pixels(&d, &arena, error);
  memplan_arena_free(&arena);
  if (status != MEMPLAN_OK) {
    return status;
  }
  write_shapes(&d);
  for (int32_t i = 0; i < figure->map.n_rects; i++) {
    const memplan_rect *rect = &figure->map.rects[i];
    placed at = place_rect(&d, rect);
    if (rect->pool == pool && kind_of(&d, &at) == ELEMENT) {
      write_element(&d, rect, &at);
    }
  }
  return MEMPLAN_OK;
}
