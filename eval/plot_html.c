// SPDX-License-Identifier: Apache-2.0
#include "eval/plot_html.h"

#include "eval/json_writer.h"
#include "eval/markup.h"
#include "eval/numbers.h"
#include "eval/plot_viewer.h"

#include <inttypes.h>

// The largest integer that JavaScript's numbers hold exactly; beyond it, a string keeps every digit.
#define EXACT_LIMIT ((INT64_C(1) << 53) - 1)

static void put_bytes(memplan_writer *writer, const char *key, int64_t value) {
  if (value <= EXACT_LIMIT) {
    memplan_writer_put_integer(writer, key, value);
  } else {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    memplan_writer_put_text(writer, key, text);
  }
}

static void write_looks(const memplan_figure *figure, memplan_writer *writer) {
  uint32_t used = 0;
  for (int32_t i = 0; i < figure->map.n_rects; i++) {
    used |= 1u << memplan_figure_look(figure, figure->map.rects[i].buffer);
  }
  memplan_writer_open(writer, "looks", '[');
  for (int32_t i = 0; i < MEMPLAN_LOOKS; i++) {
    char name[96] = "", bytes[MEMPLAN_NUMBER_SIZE];
    const memplan_look *look = &memplan_figure_looks()[i];
    if ((used >> i & 1) != 0 && i < 8) {
      int32_t shade = i % 4;
      int64_t least = memplan_figure_shade_bytes(figure, shade < 3 ? shade : 2);
      snprintf(name, sizeof name, "%s %s %s", i < 4 ? "buffer" : "activation", shade < 3 ? "≥" : "<",
               memplan_bytes_text(least, bytes));
    } else if ((used >> i & 1) != 0) {
      snprintf(name, sizeof name, "%s", look->name);
    }
    memplan_writer_open(writer, NULL, '{');
    memplan_writer_put_text(writer, "name", name);
    memplan_writer_put_text(writer, "fill", look->fill);
    memplan_writer_put_boolean(writer, "dark", look->dark);
    memplan_writer_close(writer, '}');
  }
  memplan_writer_close(writer, ']');
}

static void write_pools(const memplan_figure *figure, memplan_writer *writer) {
  memplan_writer_open(writer, "pools", '[');
  for (int32_t i = 0; i < figure->map.instance->n_pools; i++) {
    memplan_writer_open(writer, NULL, '{');
    memplan_writer_put_text(writer, "id", figure->map.instance->pools[i].id);
    put_bytes(writer, "peak", figure->map.pool_peak[i]);
    memplan_writer_close(writer, '}');
  }
  memplan_writer_close(writer, ']');
}

static void write_steps(const memplan_figure *figure, memplan_writer *writer) {
  const memplan_instance *instance = figure->map.instance;
  if (figure->problem->has_graph) {
    memplan_writer_open(writer, "ops", '[');
    for (int32_t i = 0; i < figure->problem->graph.n_ops; i++) {
      memplan_writer_put_text(writer, NULL, figure->problem->graph.ops[figure->solution->order[i]].id);
    }
    memplan_writer_close(writer, ']');
  } else {
    memplan_writer_put_number(writer, "ops", NULL);
  }
  memplan_writer_open(writer, "times", '[');
  for (int32_t i = 0; i < instance->n_times; i++) {
    memplan_writer_put_integer(writer, NULL, instance->times[i]);
  }
  memplan_writer_close(writer, ']');
  memplan_writer_open(writer, "load", '[');
  for (int32_t i = 0; i < instance->n_times; i++) {
    put_bytes(writer, NULL, figure->map.load[i]);
  }
  memplan_writer_close(writer, ']');
}

static void write_buffers(const memplan_figure *figure, memplan_writer *writer) {
  const memplan_plan_map *map = &figure->map;
  memplan_writer_open(writer, "buffers", '[');
  for (int32_t i = 0; i < map->instance->n_buffers; i++) {
    memplan_writer_open(writer, NULL, '[');
    memplan_writer_put_text(writer, NULL, map->instance->buffers[i].id);
    put_bytes(writer, NULL, map->instance->buffers[i].bytes);
    put_bytes(writer, NULL, map->offset[i]);
    memplan_writer_put_integer(writer, NULL, map->pool[i]);
    memplan_writer_put_integer(writer, NULL, memplan_figure_look(figure, i));
    memplan_writer_put_text(writer, NULL, memplan_buffer_class_name((memplan_buffer_class)map->class_of[i]));
    memplan_writer_close(writer, ']');
  }
  memplan_writer_close(writer, ']');
  memplan_writer_open(writer, "rects", '[');
  for (int32_t i = 0; i < map->n_rects; i++) {
    const memplan_rect *rect = &map->rects[i];
    memplan_writer_open(writer, NULL, '[');
    memplan_writer_put_integer(writer, NULL, rect->buffer);
    memplan_writer_put_integer(writer, NULL, rect->start);
    memplan_writer_put_integer(writer, NULL, rect->end);
    put_bytes(writer, NULL, rect->low);
    put_bytes(writer, NULL, rect->high);
    memplan_writer_close(writer, ']');
  }
  memplan_writer_close(writer, ']');
}

static void write_data(const memplan_figure *figure, FILE *out) {
  memplan_writer writer = {.out = out, .in_html = true};
  int64_t capacity = figure->problem->options.capacity;
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_integer(&writer, "first", figure->map.first_time);
  memplan_writer_put_integer(&writer, "last", figure->map.last_time);
  memplan_writer_put_boolean(&writer, "columns", figure->map.timeless);
  put_bytes(&writer, "peak", figure->solution->plan.peak);
  if (figure->has_bound) {
    put_bytes(&writer, "bound", figure->solution->plan.lower_bound);
  } else {
    memplan_writer_put_number(&writer, "bound", NULL);
  }
  if (capacity >= 0) {
    put_bytes(&writer, "capacity", capacity);
  } else {
    memplan_writer_put_number(&writer, "capacity", NULL);
  }
  write_pools(figure, &writer);
  write_looks(figure, &writer);
  write_steps(figure, &writer);
  write_buffers(figure, &writer);
  memplan_writer_close(&writer, '}');
}

memplan_status memplan_plot_html_write(const memplan_figure *figure, FILE *out, memplan_error *error) {
  (void)error; // what can fail is the stream, which its owner asks
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", out);
  memplan_markup_write(out, figure->title, 0);
  fputs(" - memory plan</title>\n<style>\n"
        "body{font:13px Helvetica,Arial,sans-serif;color:#222;background:#fff;margin:12px}\n"
        "h1{font-size:17px;margin:0 0 4px}p{margin:2px 0;color:#555}\n"
        "canvas{display:block;width:100%;height:calc(100vh - 130px);min-height:420px;cursor:crosshair}\n"
        "#tip{position:absolute;background:#fff;border:1px solid #555;padding:6px 8px;white-space:pre;font-size:12px;"
        "pointer-events:none;box-shadow:1px 2px 6px #0003;max-width:90vw;overflow:hidden}\n"
        "#legend span{white-space:nowrap}\n"
        "#legend i{display:inline-block;width:14px;height:10px;margin:0 5px 0 14px}\n"
        "#search{float:right;width:16em}\n"
        "</style>\n</head>\n<body>\n<input id=\"search\" type=\"search\" placeholder=\"find buffers\" "
        "aria-label=\"find buffers\">\n<h1>",
        out);
  memplan_markup_write(out, figure->title, 0);
  fputs("</h1>\n<p>", out);
  memplan_markup_write(out, figure->numbers, 0);
  fputs(". ", out);
  memplan_markup_write(out, figure->methods, 0);
  fputs(".</p>\n<p id=\"legend\">Wheel: zoom (Shift: time only, Alt: offset only); drag: move; double click: all.</p>\n"
        "<canvas id=\"plan\" role=\"img\" aria-label=\"buffers by time and offset, with the load below\"></canvas>\n"
        "<div id=\"tip\" hidden></div>\n<noscript>This page draws its figure with a script; "
        "the SVG form of the figure needs none.</noscript>\n<script type=\"application/json\" id=\"data\">",
        out);
  write_data(figure, out);
  fputs("</script>\n<script>\n", out);
  for (int32_t i = 0; memplan_plot_viewer[i] != NULL; i++) {
    fputs(memplan_plot_viewer[i], out);
  }
  fputs("</script>\n</body>\n</html>\n", out);
  return MEMPLAN_OK;
}
