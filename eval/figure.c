// SPDX-License-Identifier: Apache-2.0
// Colours: four blues of falling lightness for sizes, so that print in grey keeps their order, and for the other
// classes colours of Okabe and Ito's palette, which stay apart for colour-blind readers.
#include "eval/figure.h"

#include "eval/numbers.h"
#include "eval/output.h"
#include "eval/plot_html.h"
#include "eval/plot_svg.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHADES = 4 };

static const memplan_look looks[MEMPLAN_LOOKS] = {
    {"", "#2b6ca3", true},          {"", "#6aa5cf", false},          {"", "#a0c9e5", false},
    {"", "#cde1f0", false},         {"", "#2b6ca3", true},           {"", "#6aa5cf", false},
    {"", "#a0c9e5", false},         {"", "#cde1f0", false},          {"input", "#f2c75c", false},
    {"output", "#d55e00", true},    {"workspace", "#8f8f8f", false}, {"weight", "#cc79a7", false},
    {"variable", "#8ccbb4", false},
};

const memplan_look *memplan_figure_looks(void) { return looks; }

static int64_t largest_bytes(const memplan_figure *figure) {
  int64_t largest = 0;
  for (int32_t i = 0; i < figure->map.instance->n_buffers; i++) {
    int64_t bytes = figure->map.instance->buffers[i].bytes;
    bool shaded = figure->map.class_of[i] <= MEMPLAN_CLASS_ACTIVATION;
    largest = shaded && bytes > largest ? bytes : largest;
  }
  return largest;
}

int64_t memplan_figure_shade_bytes(const memplan_figure *figure, int32_t shade) {
  static const int64_t divisors[SHADES] = {2, 8, 64, INT64_MAX};
  int64_t power = 1; // the least one above all sizes, so that the limits are round
  while (power <= figure->largest) {
    power *= 2;
  }
  return power / divisors[shade];
}

int32_t memplan_figure_look(const memplan_figure *figure, int32_t buffer) {
  int32_t class_of = figure->map.class_of[buffer];
  if (class_of > MEMPLAN_CLASS_ACTIVATION) {
    return 2 * SHADES + class_of - MEMPLAN_CLASS_INPUT;
  }
  int32_t shade = 0;
  while (figure->map.instance->buffers[buffer].bytes < memplan_figure_shade_bytes(figure, shade)) {
    shade++;
  }
  return SHADES * class_of + shade;
}

static void describe(memplan_figure *figure) {
  const memplan_problem *problem = figure->problem;
  const memplan_solution *solution = figure->solution;
  const memplan_plan *plan = &solution->plan;
  char peak[MEMPLAN_NUMBER_SIZE], bytes[MEMPLAN_NUMBER_SIZE], bound[MEMPLAN_NUMBER_SIZE], gap[MEMPLAN_NUMBER_SIZE],
      reuse[MEMPLAN_NUMBER_SIZE], count[MEMPLAN_NUMBER_SIZE];
  const char *slash = strrchr(problem->path, '/'), *name = slash == NULL ? problem->path : slash + 1;
  snprintf(figure->title, sizeof figure->title, "%s", memplan_quote_path(name).text);
  int length = snprintf(figure->numbers, sizeof figure->numbers, "%s: peak %s bytes",
                        memplan_outcome_name(solution->outcome), memplan_grouped_text(plan->peak, bytes));
  if (plan->peak >= 1024) {
    length += snprintf(figure->numbers + length, sizeof figure->numbers - (size_t)length, " (%s)",
                       memplan_bytes_text(plan->peak, peak));
  }
  if (figure->has_bound) {
    snprintf(figure->numbers + length, sizeof figure->numbers - (size_t)length, ", lower bound %s, gap %s, reuse %s",
             memplan_bytes_text(plan->lower_bound, bound),
             memplan_percent_text(memplan_gap_ratio(plan->peak, plan->lower_bound), gap),
             memplan_ratio_text(memplan_reuse_ratio(plan->peak, solution->naive_bytes), 1, 2, reuse));
  }
  if (problem->options.capacity >= 0) {
    length = (int)strlen(figure->numbers);
    snprintf(figure->numbers + length, sizeof figure->numbers - (size_t)length, ", capacity %s: %s",
             memplan_bytes_text(problem->options.capacity, bound),
             memplan_solution_fits(problem, solution) ? "fits" : "does not fit");
  }
  length = 0;
  if (problem->has_graph) {
    length = snprintf(figure->methods, sizeof figure->methods, "%s operators, ",
                      memplan_grouped_text(problem->graph.n_ops, count));
  }
  length += snprintf(figure->methods + length, sizeof figure->methods - (size_t)length, "%s buffers",
                     memplan_grouped_text(figure->map.instance->n_buffers, count));
  if (solution->place_method != NULL) { // which a plan that was read does not tell
    snprintf(figure->methods + length, sizeof figure->methods - (size_t)length, "; %s%s%splacement %s",
             solution->order_method == NULL ? "" : "order ",
             solution->order_method == NULL ? "" : solution->order_method, solution->order_method == NULL ? "" : ", ",
             solution->place_method);
  }
}

memplan_status memplan_figure_init(memplan_figure *figure, const memplan_problem *problem,
                                   const memplan_solution *solution, memplan_error *error) {
  *figure = (memplan_figure){.problem = problem, .solution = solution};
  MEMPLAN_TRY(memplan_plan_map_init(&figure->map, problem, solution, error));
  MEMPLAN_TRY(memplan_instance_load(figure->map.instance, false, &figure->fullest, error));
  figure->has_bound = figure->map.instance->n_pools == 1 && solution->plan.bound.kind != MEMPLAN_BOUND_NONE;
  figure->largest = largest_bytes(figure);
  describe(figure);
  return MEMPLAN_OK;
}

void memplan_figure_free(memplan_figure *figure) { memplan_plan_map_free(&figure->map); }

static bool has_extension(const char *path, const char *extension) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, extension) == 0;
}

memplan_status memplan_figure_check_path(const char *path, memplan_error *error) {
  if (has_extension(path, ".svg") || has_extension(path, ".html")) {
    return MEMPLAN_OK;
  }
  return memplan_fail(error, MEMPLAN_INPUT, "--plot %s: give a name that ends in .svg or .html",
                      memplan_quote_path(path).text);
}

memplan_status memplan_figure_text(const memplan_problem *problem, const memplan_solution *solution, const char *path,
                                   char **text, size_t *length, memplan_error *error) {
  memplan_figure figure;
  *text = NULL;
  MEMPLAN_TRY(memplan_figure_check_path(path, error));
  FILE *out = open_memstream(text, length);
  if (out == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = memplan_figure_init(&figure, problem, solution, error);
  if (status == MEMPLAN_OK) {
    bool svg = has_extension(path, ".svg");
    status = svg ? memplan_plot_svg_write(&figure, out, error) : memplan_plot_html_write(&figure, out, error);
  }
  memplan_figure_free(&figure);
  bool good = ferror(out) == 0;
  good = fclose(out) == 0 && good;
  if (status == MEMPLAN_OK && !good) {
    status = memplan_fail_nomem(error);
  }
  if (status != MEMPLAN_OK) {
    free(*text);
    *text = NULL;
  }
  return status;
}

memplan_status memplan_figure_write(const memplan_problem *problem, const memplan_solution *solution, const char *path,
                                    memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_figure_text(problem, solution, path, &text, &length, error));
  const memplan_whole_file file = {path, text, length};
  memplan_status status = memplan_output_write_all(&file, 1, error);
  free(text);
  return status;
}
