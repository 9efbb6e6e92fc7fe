// SPDX-License-Identifier: Apache-2.0
// Page: title and legend, one panel of time x offset for each pool in use, and the load below on the same time axis.
// Places are integers in hundredths of a pixel.
#include "eval/plot_svg.h"

#include "eval/figure_scale.h"
#include "eval/grid.h"
#include "eval/markup.h"
#include "eval/plot_buffers.h"

#include <inttypes.h>

enum {
  PAGE_WIDTH = 1000,
  LEFT = 74,
  RIGHT = 128,
  TOP = 78,
  PANELS_HEIGHT = 420,
  PANEL_GAP = 22,
  LOAD_HEIGHT = 110,
  BOTTOM = 46,
  LINE_HEIGHT = 13,
  TICK_ROOM = 26,
  MOST_PANELS = 8
};

static void write_line(FILE *out, const char *class_name, int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  fprintf(out, "<path class=\"%s\" d=\"M", class_name);
  memplan_plot_place(out, x0);
  fputc(' ', out);
  memplan_plot_place(out, y0);
  fputc('L', out);
  memplan_plot_place(out, x1);
  fputc(' ', out);
  memplan_plot_place(out, y1);
  fputs("\"/>\n", out);
}

static void open_text(FILE *out, const char *class_name, int32_t x, int32_t y) {
  fprintf(out, "<text class=\"%s\" x=\"", class_name);
  memplan_plot_place(out, x);
  fputs("\" y=\"", out);
  memplan_plot_place(out, y);
  fputs("\">", out);
}

static void write_text(FILE *out, const char *class_name, int32_t x, int32_t y, const char *text) {
  open_text(out, class_name, x, y);
  memplan_markup_write(out, text, 0);
  fputs("</text>\n", out);
}

static void write_style(FILE *out) {
  fputs("<style>\n"
        "text{font-family:Helvetica,Arial,sans-serif;font-size:11px;fill:#222}\n"
        ".t{font-size:15px;font-weight:bold}.m{fill:#555}.e{text-anchor:end}.c{text-anchor:middle}\n"
        ".n{font-size:10px}.d{font-size:10px;fill:#fff}\n"
        ".x{stroke:#333;fill:none}.g{stroke:#ddd;stroke-width:.6;fill:none}\n"
        ".p{stroke:#111;stroke-width:1.3;fill:none}.b{stroke:#b3003c;stroke-width:1.3;stroke-dasharray:6 4;fill:none}\n"
        ".k{stroke:#555;stroke-width:1.1;stroke-dasharray:1.5 3;fill:none}.r{fill:#b3003c}\n"
        ".f{stroke:#333;stroke-width:.8;stroke-dasharray:2 3;fill:none}\n"
        ".s{stroke:#fff;stroke-width:.6}.lo{fill:#5b6b7a}.hi{fill:#a3b0bc}.re{fill:#eee}\n",
        out);
  for (int32_t i = 0; i < MEMPLAN_LOOKS; i++) {
    fprintf(out, ".q%" PRId32 "{fill:%s}", i, memplan_figure_looks()[i].fill);
  }
  fputs("\n</style>\n", out);
}

// Looks of buffers that the figure holds.
static uint32_t looks_in_use(const memplan_figure *figure) {
  uint32_t used = 0;
  for (int32_t i = 0; i < figure->map.n_rects; i++) {
    used |= 1u << memplan_figure_look(figure, figure->map.rects[i].buffer);
  }
  return used;
}

static void write_legend(const memplan_figure *figure, FILE *out) {
  uint32_t used = looks_in_use(figure);
  int32_t x = 100 * LEFT, y = 100 * (TOP - 18);
  bool sizes = false;
  for (int32_t look = 0; look < MEMPLAN_LOOKS; look++) {
    char text[96];
    if ((used >> look & 1) == 0) {
      continue;
    }
    if (look < 8) {
      char bytes[MEMPLAN_NUMBER_SIZE];
      int32_t shade = look % 4;
      int64_t least = memplan_figure_shade_bytes(figure, shade < 3 ? shade : 2);
      snprintf(text, sizeof text, "%s%s %s",
               sizes      ? ""
               : look < 4 ? "buffer "
                          : "activation ",
               shade < 3 ? "≥" : "<", memplan_bytes_text(least, bytes));
      sizes = true;
    } else {
      snprintf(text, sizeof text, "%s", memplan_figure_looks()[look].name);
    }
    fprintf(out, "<rect class=\"q%" PRId32 "\" x=\"", look);
    memplan_plot_place(out, x);
    fputs("\" y=\"", out);
    memplan_plot_place(out, y - 900);
    fputs("\" width=\"14\" height=\"10\"/>\n", out);
    write_text(out, "n", x + 1900, y, text);
    x += 100 * (34 + 6 * memplan_text_width(text));
  }
}

static void write_head(const memplan_figure *figure, int32_t height, FILE *out) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRId32 "\" viewBox=\"0 0 %d %" PRId32
          "\" role=\"img\">\n<title>",
          PAGE_WIDTH, height, PAGE_WIDTH, height);
  memplan_markup_write(out, figure->title, 0);
  fputs("</title>\n<desc>", out);
  memplan_markup_write(out, figure->numbers, 0);
  fputs("; ", out);
  memplan_markup_write(out, figure->methods, 0);
  fputs("</desc>\n", out);
  write_style(out);
  fprintf(out, "<rect width=\"%d\" height=\"%" PRId32 "\" fill=\"#fff\"/>\n", PAGE_WIDTH, height);
  write_text(out, "t", 100 * LEFT, 2000, figure->title);
  write_text(out, "", 100 * LEFT, 3700, figure->numbers);
  open_text(out, "m e", 100 * (PAGE_WIDTH - 12), 2000);
  memplan_markup_write(out, figure->methods, 0);
  fputs("</text>\n", out);
}

static void write_offset_axis(const memplan_scale *y, int32_t x0, int32_t x1, int64_t last, const char *title,
                              FILE *out) {
  memplan_ticks ticks = memplan_ticks_of_bytes(last);
  while (ticks.step < last && memplan_scale_place(y, 0) - memplan_scale_place(y, ticks.step) < 100 * TICK_ROOM) {
    ticks.step *= 2;
  }
  for (int64_t at = 0; at <= last; at += ticks.step) {
    char text[32];
    int32_t place = memplan_scale_place(y, at);
    if (at > 0) {
      write_line(out, "g", x0, place, x1, place);
    }
    snprintf(text, sizeof text, "%" PRId64, at / ticks.unit);
    write_line(out, "x", x0 - 400, place, x0, place);
    write_text(out, "e", x0 - 700, place + 400, text);
  }
  write_line(out, "x", x0, y->low, x0, y->high);
  int32_t middle = (y->low + y->high) / 2;
  fputs("<text class=\"c\" transform=\"translate(", out);
  memplan_plot_place(out, 1600);
  fputc(' ', out);
  memplan_plot_place(out, middle);
  fputs(") rotate(-90)\">", out);
  memplan_markup_write(out, title, 24);
  fprintf(out, ", %s</text>\n", ticks.name);
}

static void write_time_axis(const memplan_figure *figure, const memplan_scale *x, int32_t y, FILE *out) {
  memplan_ticks ticks = memplan_ticks_of_steps(x->first, x->last, 12);
  write_line(out, "x", x->low, y, x->high, y);
  for (int64_t at = memplan_ticks_start(&ticks, x->first); at <= x->last; at += ticks.step) {
    char text[32];
    int32_t place = memplan_scale_place(x, at);
    snprintf(text, sizeof text, "%" PRId64, at);
    write_line(out, "x", place, y, place, y + 400);
    write_text(out, "c", place, y + 1600, text);
    if (at > x->last - ticks.step) {
      break; // the next one could overflow
    }
  }
  write_text(out, "c", (x->low + x->high) / 2, y + 3300, figure->problem->has_graph ? "step" : "time");
}

// Below columns of buffers there is no time to show, nor a load.
static void write_columns(const memplan_scale *x, int32_t y, FILE *out) {
  write_line(out, "x", x->low, y, x->high, y);
  write_text(out, "c", (x->low + x->high) / 2, y + 1600, "no lifetimes: buffers side by side");
}

// The lines of peak, bound and capacity with their labels at the right, which keep apart.
static void write_levels(const memplan_figure *figure, const memplan_scale *x, const memplan_scale *y, bool labels,
                         FILE *out) {
  const memplan_plan *plan = &figure->solution->plan;
  int64_t capacity = figure->problem->options.capacity;
  char text[96], bytes[MEMPLAN_NUMBER_SIZE];
  int32_t peak = memplan_scale_place(y, plan->peak), label = x->high + 600, taken = peak + 400;
  write_line(out, "p", x->low, peak, x->high, peak);
  bool met = figure->has_bound && plan->lower_bound == plan->peak;
  if (labels) {
    snprintf(text, sizeof text, "peak %s", memplan_bytes_text(plan->peak, bytes));
    write_text(out, "", label, taken, text);
  }
  if (met && labels) {
    taken += 100 * LINE_HEIGHT;
    write_text(out, "r", label, taken, "= lower bound");
  } else if (figure->has_bound && !met) {
    int32_t bound = memplan_scale_place(y, plan->lower_bound);
    write_line(out, "b", x->low, bound, x->high, bound);
    if (labels) {
      int32_t free_place = taken + 100 * LINE_HEIGHT;
      taken = bound + 400 > free_place ? bound + 400 : free_place;
      snprintf(text, sizeof text, "bound %s", memplan_bytes_text(plan->lower_bound, bytes));
      write_text(out, "r", label, taken, text);
    }
  }
  if (capacity >= 0 && capacity <= y->last) {
    int32_t place = memplan_scale_place(y, capacity);
    write_line(out, "k", x->low, place, x->high, place);
    if (labels) {
      int32_t above = place + 400 < peak - 800 ? place + 400 : taken + 100 * LINE_HEIGHT;
      snprintf(text, sizeof text, "capacity %s", memplan_bytes_text(capacity, bytes));
      write_text(out, "m", label, above, text);
    }
  }
}

// The step with the largest load, named in the space above the load.
static void write_fullest(const memplan_figure *figure, const memplan_scale *x, int32_t load_top, FILE *out) {
  const memplan_load *load = &figure->fullest;
  if (load->bytes == 0 || load->time < x->first || load->time >= x->last) {
    return;
  }
  int32_t place = (memplan_scale_place(x, load->time) + memplan_scale_place(x, load->time + 1)) / 2;
  char text[160];
  write_line(out, "f", place, 100 * TOP, place, 100 * (load_top + LOAD_HEIGHT));
  bool graph = figure->problem->has_graph;
  snprintf(text, sizeof text, "fullest %s %" PRId64, graph ? "step" : "time", load->time);
  bool right = place > (x->low + x->high) / 2;
  open_text(out, right ? "n e" : "n", right ? place - 400 : place + 400, 100 * load_top - 700);
  memplan_markup_write(out, text, 0);
  const memplan_op *op =
      graph ? memplan_graph_op_at(&figure->problem->graph, figure->solution->order, load->time) : NULL;
  if (op != NULL) {
    fputs(": ", out);
    memplan_markup_write(out, op->id, 48);
  }
  fputs("</text>\n", out);
}

// Largest and smallest load in each pixel column, or the load itself where there is one time per column.
static void write_load_area(const memplan_figure *figure, const memplan_scale *x, const memplan_scale *y, bool largest,
                            FILE *out) {
  const memplan_instance *instance = figure->map.instance;
  fprintf(out, "<path class=\"%s\" d=\"M", largest ? "hi" : "lo");
  memplan_plot_place(out, x->low);
  fputc(' ', out);
  memplan_plot_place(out, y->low);
  for (int32_t i = 0; i < instance->n_times;) {
    int32_t left = memplan_scale_place(x, instance->times[i] < x->first ? x->first : instance->times[i]);
    int64_t load = figure->map.load[i];
    int64_t end = x->last;
    do {
      int64_t here = figure->map.load[i];
      load = largest == (here > load) ? here : load;
      i++;
      end = i < instance->n_times ? instance->times[i] : x->last;
      end = end > x->last ? x->last : end;
    } while (i < instance->n_times && memplan_scale_place(x, end) - left < 50);
    fputc('L', out);
    memplan_plot_place(out, left);
    fputc(' ', out);
    memplan_plot_place(out, memplan_scale_place(y, load));
    fputc('H', out);
    memplan_plot_place(out, memplan_scale_place(x, end));
  }
  fputc('V', out);
  memplan_plot_place(out, y->low);
  fputs("z\"/>\n", out);
}

static void write_load(const memplan_figure *figure, const memplan_scale *x, int32_t top, int64_t last, FILE *out) {
  memplan_scale y = {0, last, 100 * (top + LOAD_HEIGHT), 100 * top};
  write_offset_axis(&y, x->low, x->high, last, "load", out);
  write_load_area(figure, x, &y, true, out);
  write_load_area(figure, x, &y, false, out);
  if (figure->map.instance->n_pools == 1) {
    write_levels(figure, x, &y, false, out);
  }
}

// The pools that hold something, at most the first MOST_PANELS of them; the first pool if none does.
static int32_t pools_in_use(const memplan_figure *figure, int32_t pools[MOST_PANELS]) {
  int32_t n = 0;
  for (int32_t pool = 0; pool < figure->map.instance->n_pools && n < MOST_PANELS; pool++) {
    if (figure->map.pool_peak[pool] > 0) {
      pools[n++] = pool;
    }
  }
  if (n == 0) {
    pools[n++] = 0;
  }
  return n;
}

// What the offset axis must reach: the peak with some air above, and a capacity that is not far from it.
static int64_t axis_end(const memplan_figure *figure, int32_t pool) {
  int64_t peak = figure->map.pool_peak[pool], capacity = figure->map.instance->pools[pool].capacity;
  capacity = capacity < 0 && figure->map.instance->n_pools == 1 ? figure->problem->options.capacity : capacity;
  int64_t end = capacity > peak && capacity - peak <= peak ? capacity : peak;
  return end + end / 25 + 1;
}

memplan_status memplan_plot_svg_write(const memplan_figure *figure, FILE *out, memplan_error *error) {
  int32_t pools[MOST_PANELS], n_pools = pools_in_use(figure, pools);
  int32_t panel = (PANELS_HEIGHT - (n_pools - 1) * PANEL_GAP) / n_pools, top = TOP;
  int32_t load_top = TOP + n_pools * (panel + PANEL_GAP);
  int32_t height = load_top + (figure->map.timeless ? 0 : LOAD_HEIGHT) + BOTTOM;
  memplan_scale x = {figure->map.first_time, figure->map.last_time, 100 * LEFT, 100 * (PAGE_WIDTH - RIGHT)};
  x.last = x.last > x.first ? x.last : x.first + 1;
  write_head(figure, height, out);
  write_legend(figure, out);
  int64_t load_end = figure->fullest.bytes + figure->fullest.bytes / 25 + 1;
  for (int32_t i = 0; i < n_pools; i++, top += panel + PANEL_GAP) {
    const memplan_pool *pool = &figure->map.instance->pools[pools[i]];
    int64_t end = axis_end(figure, pools[i]);
    memplan_scale y = {0, end, 100 * (top + panel), 100 * top};
    char title[80];
    snprintf(title, sizeof title, "offset%s%.40s", n_pools > 1 ? " in " : "", n_pools > 1 ? pool->id : "");
    write_offset_axis(&y, x.low, x.high, end, title, out);
    MEMPLAN_TRY(memplan_plot_buffers_write(figure, pools[i], &x, &y, out, error));
    if (figure->map.instance->n_pools == 1) {
      write_levels(figure, &x, &y, true, out);
      load_end = end;
    }
    write_line(out, "x", x.low, y.low, x.high, y.low);
  }
  if (figure->map.timeless) {
    write_columns(&x, 100 * (load_top - PANEL_GAP), out);
  } else {
    write_load(figure, &x, load_top, load_end, out);
    write_fullest(figure, &x, load_top, out);
    write_time_axis(figure, &x, 100 * (load_top + LOAD_HEIGHT), out);
  }
  fputs("</svg>\n", out);
  return MEMPLAN_OK;
}
