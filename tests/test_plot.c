// SPDX-License-Identifier: Apache-2.0
// Figures: scales, marks, merged rectangles, escaping, and the whole in both forms.
#include "eval/figure.h"
#include "eval/figure_scale.h"
#include "eval/markup.h"
#include "eval/plot_html.h"
#include "eval/plot_raster.h"
#include "eval/plot_svg.h"
#include "instances/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 7;

static int64_t random_below(int64_t limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((random_state >> 16) % (uint64_t)limit);
}

static void scales(void **state) {
  (void)state;
  static const int64_t spans[] = {1, 2, 7, 1000, INT64_C(1) << 40, INT64_C(1) << 62, INT64_MAX};
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
    memplan_scale up = {0, spans[i], 100, 80100}, down = {0, spans[i], 42000, 0};
    assert_int_equal(memplan_scale_place(&up, 0), 100);
    assert_int_equal(memplan_scale_place(&up, spans[i]), 80100);
    assert_int_equal(memplan_scale_place(&down, 0), 42000);
    assert_int_equal(memplan_scale_place(&down, spans[i]), 0);
    int64_t last = 0;
    int32_t place = 100;
    for (int32_t j = 0; j < 100; j++) {
      int64_t value = last + random_below((spans[i] - last) / 4 + 1);
      int32_t next = memplan_scale_place(&up, value);
      assert_true(next >= place && next <= 80100);
      place = next;
      last = value;
    }
  }
  memplan_scale turned = {INT64_MIN / 2, INT64_MAX / 2, 0, 1000};
  assert_int_equal(memplan_scale_place(&turned, 0), 500);
}

static void marks(void **state) {
  (void)state;
  for (int32_t i = 0; i < 4000; i++) {
    int64_t drawn = random_below(INT64_C(1) << 47);
    int64_t last = 1 + (drawn >> random_below(47)) * (i % 5 == 0 ? 30000 : 1);
    memplan_ticks bytes = memplan_ticks_of_bytes(last);
    assert_int_equal(bytes.step & (bytes.step - 1), 0);
    assert_true(last / bytes.step < 8 && (last < 8 || last / bytes.step >= 4));
    assert_int_equal(bytes.step % bytes.unit, 0);
    assert_true(bytes.step / bytes.unit < 1024);
    int64_t first = random_below(1000000) - 500000, end = first + 1 + random_below(1 << 30);
    memplan_ticks steps = memplan_ticks_of_steps(first, end, 12);
    int64_t digit = steps.step;
    while (digit % 10 == 0) {
      digit /= 10;
    }
    assert_true(digit == 1 || digit == 2 || digit == 5);
    assert_true((end - first) / steps.step < 12);
    int64_t start = memplan_ticks_start(&steps, first);
    assert_true(start >= first && start - first < steps.step && start % steps.step == 0);
  }
  memplan_ticks widest = memplan_ticks_of_steps(INT64_MIN / 2, INT64_MAX / 2, 12);
  assert_true(widest.step > 0);
}

// The tiles are disjoint and show exactly the painted pixels.
static void tiles_cover_the_pixels(void **state) {
  (void)state;
  enum { WIDTH = 37, HEIGHT = 23 };
  for (int32_t round = 0; round < 300; round++) {
    memplan_arena arena = {0};
    memplan_raster raster;
    assert_true(memplan_raster_init(&raster, &arena, WIDTH, HEIGHT));
    for (int32_t i = 0; i < 12; i++) {
      int32_t left = (int32_t)random_below(100 * WIDTH), top = (int32_t)random_below(100 * HEIGHT);
      int32_t width = (int32_t)random_below(900), height = (int32_t)random_below(400),
              colour = (int32_t)random_below(3);
      memplan_raster_paint(&raster, left, left + width, top, top + height, colour, random_below(4));
    }
    int32_t n, covered[HEIGHT][WIDTH] = {{0}};
    const memplan_tile *tiles = memplan_raster_tiles(&raster, &arena, &n);
    assert_non_null(tiles);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t y = tiles[i].y; y < tiles[i].y + tiles[i].height; y++) {
        for (int32_t x = tiles[i].x; x < tiles[i].x + tiles[i].width; x++) {
          assert_int_equal(covered[y][x], 0);
          covered[y][x] = tiles[i].look + 1;
        }
      }
    }
    for (int32_t y = 0; y < HEIGHT; y++) {
      for (int32_t x = 0; x < WIDTH; x++) {
        assert_int_equal(covered[y][x], raster.look[y * WIDTH + x]);
      }
    }
    memplan_arena_free(&arena);
  }
}

static void check_markup(const char *text, size_t limit, const char *expected) {
  char *written = NULL;
  size_t length;
  FILE *stream = open_memstream(&written, &length);
  memplan_markup_write(stream, text, limit);
  fclose(stream);
  assert_string_equal(written, expected);
  free(written);
}

static void markup(void **state) {
  (void)state;
  check_markup("a<b> & \"c\" 'd'", 0, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  check_markup("é\x01\xFF", 0, "é\xEF\xBF\xBD\xEF\xBF\xBD");
  check_markup("\xEF\xBF\xBF", 0, "\xEF\xBF\xBD");
  check_markup("éééé", 2, "éé…");
  check_markup("ab", 2, "ab");
  check_markup("", 0, "");
}

// ---- whole figures

typedef enum form { SVG, HTML } form;

static char *draw(const char *text, const char *path, form kind, size_t *length, int32_t *n_rects) {
  memplan_error error = {0};
  memplan_problem_options options = memplan_problem_options_default();
  memplan_solve_options solve = memplan_solve_options_default();
  memplan_problem problem;
  memplan_solution solution;
  memplan_figure figure;
  memplan_problem_init(&problem);
  memplan_solution_init(&solution);
  solve.place = "first-fit-size";
  if (memplan_read_text(text, strlen(text), path, NULL, &options, &problem, &error) != MEMPLAN_OK ||
      memplan_solve(&problem, &solve, &solution, &error) != MEMPLAN_OK ||
      memplan_figure_init(&figure, &problem, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  char *written = NULL;
  FILE *stream = open_memstream(&written, length);
  memplan_status status =
      kind == SVG ? memplan_plot_svg_write(&figure, stream, &error) : memplan_plot_html_write(&figure, stream, &error);
  fclose(stream);
  assert_int_equal(status, MEMPLAN_OK);
  *n_rects = figure.map.n_rects;
  memplan_figure_free(&figure);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return written;
}

static int32_t count(const char *text, const char *part) {
  int32_t n = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    n++;
  }
  return n;
}

// Every element that is opened is closed, in order; attributes are quoted.
static void check_well_formed(const char *svg) {
  char open[64][16];
  int32_t depth = 0;
  for (const char *at = strchr(svg, '<'); at != NULL; at = strchr(at, '<')) {
    const char *end = strchr(at, '>');
    assert_non_null(end);
    size_t name = strcspn(at + 1, " />\n");
    if (at[1] == '/') {
      name = strcspn(at + 2, ">");
      assert_true(depth > 0);
      depth--;
      assert_int_equal(strlen(open[depth]), name);
      assert_memory_equal(open[depth], at + 2, name);
    } else if (end[-1] != '/') {
      assert_true(depth < 64 && name < 16);
      memcpy(open[depth], at + 1, name);
      open[depth++][name] = '\0';
    }
    at = end;
  }
  assert_int_equal(depth, 0);
}

static void few_buffers(void **state) {
  (void)state;
  size_t length;
  int32_t n_rects;
  char *svg = draw("id,lower,upper,size\nA<1>,0,3,4194304\nB,1,4,6291456\nC,3,5,4194304\n", "dir/a&b.csv", SVG, &length,
                   &n_rects);
  check_well_formed(svg);
  assert_int_equal(n_rects, 3);
  assert_int_equal(count(svg, " s\" x=\""), 3);
  assert_non_null(strstr(svg, "<title>a&amp;b.csv</title>"));
  assert_non_null(strstr(svg, "<title>A&lt;1&gt;\n4,194,304 bytes at "));
  assert_non_null(strstr(svg, "\n[0, 3) buffer</title>"));
  assert_non_null(strstr(svg, ">A&lt;1&gt;</text>"));
  assert_non_null(strstr(svg, ">peak 10 MiB</text>"));
  assert_non_null(strstr(svg, ">= lower bound</text>"));
  assert_non_null(strstr(svg, ", MiB</text>"));
  char *again = draw("id,lower,upper,size\nC,3,5,4194304\nA<1>,0,3,4194304\nB,1,4,6291456\n", "dir/a&b.csv", SVG,
                     &length, &n_rects);
  assert_int_equal(count(again, "<rect"), count(svg, "<rect"));
  free(again);
  free(svg);
}

static char *random_csv(int32_t n, int64_t span, int64_t longest, int64_t largest) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  fputs("id,lower,upper,size\n", stream);
  for (int32_t i = 0; i < n; i++) {
    int64_t start = random_below(span), end = start + 1 + random_below(longest);
    fprintf(stream, "%d,%lld,%lld,%lld\n", i, (long long)start, (long long)end, (long long)(1 + random_below(largest)));
  }
  fclose(stream);
  return text;
}

static void many_buffers(void **state) {
  (void)state;
  static const struct {
    int32_t n;
    int64_t span, longest, largest;
  } cases[] = {{30000, 20000, 300, 100000}, {30000, 60000, 2, 1000}, {20000, 100, 100, 1000000}, {3000, 1, 1, 9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = random_csv(cases[i].n, cases[i].span, cases[i].longest, cases[i].largest);
    for (int32_t kind = SVG; kind <= HTML; kind++) {
      size_t length;
      int32_t n_rects;
      char *drawn = draw(text, "many.csv", (form)kind, &length, &n_rects);
      assert_int_equal(n_rects, cases[i].n);
      if (length >= 5000000) {
        fail_msg("case %d has %d bytes", (int)i, (int)length);
      }
      if (kind == SVG) {
        check_well_formed(drawn);
      }
      free(drawn);
    }
    free(text);
  }
}

static void extreme_numbers(void **state) {
  (void)state;
  static const char *const texts[] = {
      "id,lower,upper,size\n",
      "id,lower,upper,size\na,0,1,0\n",
      "id,lower,upper,size\na,5,5,3\n",
      "id,lower,upper,size\na,0,1,1\n",
      "id,lower,upper,size\na,-4611686018427387904,4611686018427387903,2305843009213693951\n",
      "id,lower,upper,size\na,0,9223372036854775806,1\nb,9223372036854775806,9223372036854775807,2305843009213693951\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t length;
    int32_t n_rects;
    char *svg = draw(texts[i], "extreme.csv", SVG, &length, &n_rects),
         *html = draw(texts[i], "extreme.csv", HTML, &length, &n_rects);
    check_well_formed(svg);
    assert_null(strstr(svg, "--"));
    const char *data = strstr(html, "id=\"data\">") + strlen("id=\"data\">");
    json_t *value = json_loadb(data, (size_t)(strstr(data, "</script>") - data), 0, NULL);
    assert_non_null(value);
    json_decref(value);
    free(svg);
    free(html);
  }
}

static void graph_with_hostile_names(void **state) {
  (void)state;
  static const char graph[] =
      "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":["
      "{\"id\":\"</script><b>\",\"bytes\":256,\"roles\":[\"input\"]},"
      "{\"id\":\"layer/with/a/long/name/\\\"q\\\"\",\"bytes\":512,\"roles\":[\"output\"]}],\"ops\":["
      "{\"id\":\"<op>&\",\"type\":\"F\",\"in\":[\"</script><b>\"],\"out\":[\"layer/with/a/long/name/\\\"q\\\"\"],"
      "\"workspace\":128}]}";
  size_t length;
  int32_t n_rects;
  char *svg = draw(graph, "g.json", SVG, &length, &n_rects), *html = draw(graph, "g.json", HTML, &length, &n_rects);
  check_well_formed(svg);
  assert_int_equal(n_rects, 3);
  assert_non_null(strstr(svg, "&lt;op&gt;&amp;"));
  assert_int_equal(count(html, "</script>"), 2);
  assert_int_equal(count(html, "<b>"), 0);
  free(svg);
  free(html);
}

static void paths(void **state) {
  (void)state;
  assert_int_equal(memplan_figure_check_path("a.svg", NULL), MEMPLAN_OK);
  assert_int_equal(memplan_figure_check_path("b.c/a.html", NULL), MEMPLAN_OK);
  assert_int_equal(memplan_figure_check_path("a.png", NULL), MEMPLAN_INPUT);
  assert_int_equal(memplan_figure_check_path("svg", NULL), MEMPLAN_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scales),
      cmocka_unit_test(marks),
      cmocka_unit_test(tiles_cover_the_pixels),
      cmocka_unit_test(markup),
      cmocka_unit_test(few_buffers),
      cmocka_unit_test(many_buffers),
      cmocka_unit_test(extreme_numbers),
      cmocka_unit_test(graph_with_hostile_names),
      cmocka_unit_test(paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
