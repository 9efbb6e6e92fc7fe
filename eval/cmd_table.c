// SPDX-License-Identifier: Apache-2.0
// `memplan table`: result lines of bench as tables. Averages are of exact millionths, rounded once.
#include "eval/command.h"
#include "eval/numbers.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/variants.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 13 };

// Text of the cells of one row.
typedef struct row_text {
  const char *cells[MOST_COLUMNS];
  char room[MOST_COLUMNS][MEMPLAN_NUMBER_SIZE];
  memplan_style style;
} row_text;

static void set_integer(row_text *row, int32_t column, int64_t value) {
  row->cells[column] = NULL;
  if (value >= 0) {
    snprintf(row->room[column], MEMPLAN_NUMBER_SIZE, "%" PRId64, value);
    row->cells[column] = row->room[column];
  }
}

// A share: percent for people, a decimal in JSON and CSV.
static void set_share(row_text *row, int32_t column, memplan_ratio ratio) {
  bool people = row->style == MEMPLAN_STYLE_TEXT || row->style == MEMPLAN_STYLE_MD;
  row->cells[column] =
      people ? memplan_percent_text(ratio, row->room[column]) : memplan_ratio_text(ratio, 1, 6, row->room[column]);
}

static void set_time(row_text *row, int32_t column, int64_t time_us) {
  row->cells[column] = memplan_ratio_text((memplan_ratio){time_us, 1000000}, 1, 3, row->room[column]);
}

// The last column tells rows of the same names apart. People see it where there is something to tell.
static int32_t shown_columns(int32_t n_columns, bool told, memplan_style style) {
  return told || style == MEMPLAN_STYLE_JSON || style == MEMPLAN_STYLE_CSV ? n_columns : n_columns - 1;
}

static bool has_variants(const memplan_results *results) {
  bool told = false;
  for (int32_t i = 0; i < results->n_lines; i++) {
    told |= results->lines[i].variant[0] != '\0';
  }
  return told;
}

static bool add_runs(const memplan_results *results, memplan_grid *grid, memplan_style style) {
  static const memplan_column columns[] = {
      {"instance", "instance", MEMPLAN_CELL_TEXT, 0}, {"ops", "ops", MEMPLAN_CELL_NUMBER, 0},
      {"buffers", "buffers", MEMPLAN_CELL_NUMBER, 0}, {"order", "order", MEMPLAN_CELL_TEXT, 0},
      {"place", "placement", MEMPLAN_CELL_TEXT, 0},   {"status", "status", MEMPLAN_CELL_TEXT, 0},
      {"peak", "peak", MEMPLAN_CELL_NUMBER, 0},       {"lower_bound", "bound", MEMPLAN_CELL_NUMBER, 0},
      {"gap", "gap", MEMPLAN_CELL_NUMBER, 0},         {"naive_bytes", "naive", MEMPLAN_CELL_NUMBER, 0},
      {"time_s", "time", MEMPLAN_CELL_NUMBER, 0},     {"error", "error", MEMPLAN_CELL_TEXT, 0},
      {"variant", "variant", MEMPLAN_CELL_TEXT, 0}};
  bool good = memplan_grid_init(grid, columns, shown_columns(MOST_COLUMNS, has_variants(results), style));
  for (int32_t i = 0; good && i < results->n_lines; i++) {
    const memplan_result_line *line = &results->lines[i];
    row_text row = {.style = style};
    row.cells[0] = line->instance;
    set_integer(&row, 1, line->ops);
    set_integer(&row, 2, line->buffers);
    row.cells[3] = line->order;
    row.cells[4] = line->place;
    row.cells[5] = line->error == NULL ? line->status : "error";
    set_integer(&row, 6, line->peak);
    set_integer(&row, 7, line->lower_bound);
    if (line->peak >= 0) {
      set_share(&row, 8, memplan_gap_ratio(line->peak, line->lower_bound));
    }
    set_integer(&row, 9, line->naive_bytes);
    set_time(&row, 10, line->time_us);
    row.cells[11] = line->error;
    row.cells[12] = line->variant;
    good = memplan_grid_add(grid, row.cells);
  }
  return good;
}

// Lines by instance and fingerprint, in the order in which these first occur: a file with other contents, or read with
// other options, is another problem.
typedef struct group {
  int32_t best; // line with the smallest peak, of equals the first; -1: none
  int32_t n_lines, n_errors;
  int64_t lower_bound, time_us;
  const memplan_result_line *first;
  bool twin; // another group has the same instance
} group;

typedef struct groups {
  memplan_names names;
  memplan_names paths; // the first group of each instance
  bool twins;
  group *list;
  int32_t *of_line;
  int32_t n;
} groups;

static const char *group_name(const memplan_result_line *line, memplan_arena *arena) {
  const char *fingerprint = line->fingerprint == NULL ? "" : line->fingerprint;
  size_t size = strlen(line->instance) + strlen(fingerprint) + 2;
  char *name = MEMPLAN_NEW(arena, char, size);
  if (name != NULL) {
    (void)snprintf(name, size, "%s\n%s", line->instance, fingerprint);
  }
  return name;
}

// What tells a problem from others of the same file: its options as far as they differ, and the start of its
// fingerprint.
static const char *twin_text(const memplan_result_line *line, char *text, size_t size) {
  const char *hash = line->fingerprint == NULL ? "none" : line->fingerprint;
  hash = strncmp(hash, "sha256:", 7) == 0 ? hash + 7 : hash;
  (void)snprintf(text, size, "%s%sfingerprint=%.8s", line->problem_variant, line->problem_variant[0] != '\0' ? " " : "",
                 hash);
  return text;
}

static memplan_status make_groups(const memplan_results *results, memplan_arena *arena, groups *made,
                                  memplan_error *error) {
  *made = (groups){.list = MEMPLAN_NEW(arena, group, results->n_lines),
                   .of_line = MEMPLAN_NEW(arena, int32_t, results->n_lines)};
  if (made->list == NULL || made->of_line == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < results->n_lines; i++) {
    const memplan_result_line *line = &results->lines[i];
    const char *name = group_name(line, arena);
    int32_t at = name == NULL ? -2 : memplan_names_add(&made->names, name, made->n);
    int32_t like = at == -2 ? -2 : memplan_names_add(&made->paths, line->instance, made->n);
    if (at == -2 || like == -2) {
      return memplan_fail_nomem(error);
    }
    if (at == -1) {
      at = made->n++;
      made->list[at] = (group){.best = -1, .lower_bound = -1, .first = line, .twin = like >= 0};
      made->twins |= like >= 0;
    }
    if (like >= 0 && like != at) {
      made->list[like].twin = true;
    }
    group *here = &made->list[at];
    made->of_line[i] = at;
    here->n_lines++;
    here->n_errors += line->error != NULL ? 1 : 0;
    here->time_us += line->time_us;
    if (line->comparable && line->lower_bound > here->lower_bound) {
      here->lower_bound = line->lower_bound;
    }
    if (line->peak >= 0 && (here->best < 0 || line->peak < results->lines[here->best].peak)) {
      here->best = i;
    }
  }
  return MEMPLAN_OK;
}

static bool add_instances(const memplan_results *results, const groups *made, memplan_grid *grid, memplan_style style) {
  static const memplan_column columns[] = {
      {"instance", "instance", MEMPLAN_CELL_TEXT, 0},    {"ops", "ops", MEMPLAN_CELL_NUMBER, 0},
      {"buffers", "buffers", MEMPLAN_CELL_NUMBER, 0},    {"runs", "runs", MEMPLAN_CELL_NUMBER, 0},
      {"errors", "errors", MEMPLAN_CELL_NUMBER, 0},      {"order", "best order", MEMPLAN_CELL_TEXT, 0},
      {"place", "best placement", MEMPLAN_CELL_TEXT, 0}, {"peak", "peak", MEMPLAN_CELL_NUMBER, 0},
      {"lower_bound", "bound", MEMPLAN_CELL_NUMBER, 0},  {"gap", "gap", MEMPLAN_CELL_NUMBER, 0},
      {"naive_bytes", "naive", MEMPLAN_CELL_NUMBER, 0},  {"time_s", "time of all", MEMPLAN_CELL_NUMBER, 0},
      {"variant", "variant", MEMPLAN_CELL_TEXT, 0}};
  bool good = memplan_grid_init(grid, columns, shown_columns(MOST_COLUMNS, made->twins, style));
  char text[800];
  for (int32_t i = 0; good && i < made->n; i++) {
    const group *here = &made->list[i];
    row_text row = {.style = style};
    row.cells[0] = here->first->instance;
    set_integer(&row, 1, here->first->ops);
    set_integer(&row, 3, here->n_lines);
    set_integer(&row, 4, here->n_errors);
    set_integer(&row, 8, here->lower_bound);
    set_time(&row, 11, here->time_us);
    row.cells[12] = here->twin ? twin_text(here->first, text, sizeof text) : "";
    if (here->best >= 0) {
      const memplan_result_line *best = &results->lines[here->best];
      set_integer(&row, 2, best->buffers);
      row.cells[5] = best->order;
      row.cells[6] = best->place;
      set_integer(&row, 7, best->peak);
      if (here->lower_bound >= 0) {
        set_share(&row, 9, memplan_gap_ratio(best->peak, here->lower_bound));
      }
      set_integer(&row, 10, best->naive_bytes);
    }
    good = memplan_grid_add(grid, row.cells);
  }
  return good;
}

// One pair of methods with one choice of settings over all instances.
typedef struct method_row {
  const char *order, *place, *variant;
  int32_t n_lines, n_errors, n_best, n_optimal, n_planned, n_bounded;
  int64_t gap_sum, excess_sum; // millionths
  int64_t time_us;
} method_row;

static int64_t to_millionths(memplan_ratio ratio) {
  char text[MEMPLAN_NUMBER_SIZE];
  return strtoll(memplan_ratio_text(ratio, 1, 6, text), NULL, 10) * 1000000 + strtoll(strchr(text, '.') + 1, NULL, 10);
}

static bool same_text(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static void count_line(method_row *row, const memplan_result_line *line, const group *here,
                       const memplan_results *results) {
  row->n_lines++;
  row->n_errors += line->error != NULL ? 1 : 0;
  row->time_us += line->time_us;
  if (line->peak < 0) {
    return;
  }
  int64_t best = results->lines[here->best].peak;
  row->n_planned++;
  row->n_best += line->peak == best ? 1 : 0;
  row->n_optimal += line->peak == here->lower_bound ? 1 : 0;
  if (here->lower_bound >= 0) {
    row->n_bounded++;
    row->gap_sum += to_millionths(memplan_gap_ratio(line->peak, here->lower_bound));
  }
  row->excess_sum += best > 0 ? to_millionths((memplan_ratio){line->peak - best, best}) : 0;
}

static bool add_methods(const memplan_results *results, const groups *made, memplan_grid *grid, memplan_style style) {
  static const memplan_column columns[] = {
      {"order", "order", MEMPLAN_CELL_TEXT, 0},          {"place", "placement", MEMPLAN_CELL_TEXT, 0},
      {"runs", "runs", MEMPLAN_CELL_NUMBER, 0},          {"errors", "declined or failed", MEMPLAN_CELL_NUMBER, 0},
      {"best", "best known", MEMPLAN_CELL_NUMBER, 0},    {"optimal", "optimal", MEMPLAN_CELL_NUMBER, 0},
      {"mean_gap", "mean gap", MEMPLAN_CELL_NUMBER, 0},  {"mean_excess", "mean above best", MEMPLAN_CELL_NUMBER, 0},
      {"time_s", "time of all", MEMPLAN_CELL_NUMBER, 0}, {"variant", "variant", MEMPLAN_CELL_TEXT, 0}};
  bool good = memplan_grid_init(grid, columns, shown_columns(10, has_variants(results), style));
  method_row *rows = MEMPLAN_NEW(&grid->arena, method_row, results->n_lines);
  int32_t n = 0;
  for (int32_t i = 0; rows != NULL && i < results->n_lines; i++) {
    const memplan_result_line *line = &results->lines[i];
    int32_t at = 0;
    while (at < n && !(same_text(rows[at].order, line->order) && same_text(rows[at].place, line->place) &&
                       strcmp(rows[at].variant, line->variant) == 0)) {
      at++;
    }
    if (line->place == NULL) {
      continue; // a file that could not be read
    }
    if (at == n) {
      rows[n++] = (method_row){.order = line->order, .place = line->place, .variant = line->variant};
    }
    count_line(&rows[at], line, &made->list[made->of_line[i]], results);
  }
  for (int32_t i = 0; good && rows != NULL && i < n; i++) {
    row_text row = {.style = style};
    row.cells[0] = rows[i].order;
    row.cells[1] = rows[i].place;
    set_integer(&row, 2, rows[i].n_lines);
    set_integer(&row, 3, rows[i].n_errors);
    set_integer(&row, 4, rows[i].n_best);
    set_integer(&row, 5, rows[i].n_optimal);
    if (rows[i].n_bounded > 0) {
      set_share(&row, 6, (memplan_ratio){rows[i].gap_sum, INT64_C(1000000) * rows[i].n_bounded});
    }
    if (rows[i].n_planned > 0) {
      set_share(&row, 7, (memplan_ratio){rows[i].excess_sum, INT64_C(1000000) * rows[i].n_planned});
    }
    set_time(&row, 8, rows[i].time_us);
    row.cells[9] = rows[i].variant;
    good = memplan_grid_add(grid, row.cells);
  }
  return good && rows != NULL;
}

static memplan_status read_results(const memplan_options *options, memplan_console *console, memplan_results *results,
                                   memplan_error *error) {
  for (int32_t i = 0; i < options->n_arguments; i++) {
    const char *path = options->arguments[i];
    char *text = NULL;
    size_t length = 0;
    MEMPLAN_TRY(memplan_file_load(path, &text, &length, error));
    size_t whole = memplan_results_whole(text, length);
    if (whole < length) {
      memplan_console_warn(console, "%s: the last line is not complete, it is left out", memplan_quote_path(path).text);
    }
    memplan_status status = memplan_results_parse(results, path, text, whole, error);
    free(text);
    MEMPLAN_TRY(status);
  }
  MEMPLAN_TRY(memplan_results_drop_outdated(results, error));
  return memplan_variants_find(results, error);
}

static memplan_status write_table(memplan_context *context, const memplan_results *results, memplan_error *error) {
  memplan_style style = context->settings.style;
  memplan_arena arena = {0};
  memplan_grid grid = {0};
  memplan_output output;
  groups made;
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  memplan_status status = make_groups(results, &arena, &made, error);
  if (status == MEMPLAN_OK) {
    int64_t rows = memplan_option_get(&context->options, MEMPLAN_OPTION_ROWS)->number;
    bool good = rows == 0   ? add_runs(results, &grid, style)
                : rows == 1 ? add_instances(results, &made, &grid, style)
                            : add_methods(results, &made, &grid, style);
    status = good ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK) {
    memplan_grid_write(&grid, output.file, style);
  }
  memplan_names_free(&made.names);
  memplan_names_free(&made.paths);
  memplan_grid_free(&grid);
  memplan_arena_free(&arena);
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_results results = {0};
  memplan_status status = read_results(&context->options, &context->console, &results, &error);
  if (status == MEMPLAN_OK) {
    status = write_table(context, &results, &error);
  }
  memplan_results_free(&results);
  return status == MEMPLAN_OK ? MEMPLAN_EXIT_GOAL : memplan_context_fail(context, status, &error);
}

const memplan_command memplan_command_table = {
    .name = "table",
    .bit = MEMPLAN_COMMAND_TABLE,
    .arguments = "FILE…",
    .min_arguments = 1,
    .max_arguments = INT32_MAX,
    .summary = "result lines of bench as a table",
    .details =
        "Reads files of result lines (- for standard input) and prints a table: a row for each run, the best "
        "run of each instance, or a summary of each pair of methods. An instance is a file as it was read: with "
        "other contents, or other options that make the problem, it is another one. Options and limits that "
        "not all runs share are named, and runs are summed up apart by them, but for the seed; dimensions and other "
        "options that belong to a file (dims, shapes, pin_space, lifetimes) only where runs of this file differ "
        "in them. A bound is the "
        "best one of any run on the instance; 'best known' counts the instances on which no other run is "
        "smaller.",
    .example = "memplan table results.jsonl --rows instances --format md",
    .run = run,
};
