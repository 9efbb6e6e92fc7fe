// SPDX-License-Identifier: Apache-2.0
#include "eval/summary.h"

#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "eval/summary_keys.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <string.h>

bool memplan_summary_fits(const memplan_summary *summary) {
  return memplan_solution_fits(summary->problem, summary->solution);
}

// gap <= limit, exactly: (peak - bound) / peak <= millionths / 10^6.
static bool within_gap(const memplan_summary *summary) {
  const memplan_plan *plan = &summary->solution->plan;
  memplan_ratio limit = {summary->settings->solve.gap_millionths, 1000000};
  return limit.numerator > 0 && memplan_ratio_compare(memplan_gap_ratio(plan->peak, plan->lower_bound), limit) <= 0;
}

memplan_exit memplan_summary_exit(const memplan_summary *summary) {
  if (summary->status != MEMPLAN_OK) {
    return memplan_exit_of_status(summary->status);
  }
  const memplan_solution *solution = summary->solution;
  if (solution->stop == MEMPLAN_STOP_INTERRUPTED) {
    return MEMPLAN_EXIT_INTERRUPTED;
  }
  if (solution->outcome == MEMPLAN_INFEASIBLE) {
    return MEMPLAN_EXIT_INFEASIBLE;
  }
  if (!memplan_summary_fits(summary)) {
    return MEMPLAN_EXIT_NO_PLAN;
  }
  bool goal = summary->problem->options.capacity >= 0 || solution->outcome == MEMPLAN_OPTIMAL || within_gap(summary);
  return goal ? MEMPLAN_EXIT_GOAL : MEMPLAN_EXIT_FEASIBLE;
}

bool memplan_summary_has_reuse(const memplan_summary *summary) {
  return summary->problem != NULL && summary->problem->has_instance && summary->problem->instance.n_reuse > 0;
}

int64_t memplan_summary_reuse_cost(const memplan_summary *summary) {
  return memplan_instance_reuse_cost(&summary->problem->instance, summary->solution->offset, summary->solution->pool);
}

const char *memplan_summary_method(const memplan_summary *summary, char *text, size_t size) {
  const memplan_solution *solution = summary->solution;
  const char *order = NULL, *place = NULL;
  if (solution != NULL && solution->has_plan) {
    order = solution->order_method;
    place = solution->place_method;
  }
  snprintf(text, size, "%s%s%s", order == NULL ? "" : order, order == NULL || place == NULL ? "" : "+",
           place == NULL ? "" : place);
  return text;
}

void memplan_summary_write_json(const memplan_summary *summary, FILE *out) {
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_summary_write_keys(summary, &writer);
  if (summary->status != MEMPLAN_OK) {
    memplan_writer_put_text(&writer, memplan_summary_key_name(MEMPLAN_KEY_ERROR), summary->error);
  }
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}

enum column_id {
  COLUMN_FILE,
  COLUMN_OPS,
  COLUMN_TENSORS,
  COLUMN_BUFFERS,
  COLUMN_STATUS,
  COLUMN_PEAK,
  COLUMN_BOUND,
  COLUMN_GAP,
  COLUMN_ORDER_PEAK,
  COLUMN_NAIVE,
  COLUMN_REUSE,
  COLUMN_METHOD,
  COLUMN_STOP,
  COLUMN_TIME,
  COLUMN_ERROR
};

static const struct {
  memplan_column column;
  bool csv_only;
} all_columns[MEMPLAN_SUMMARY_COLUMNS] = {
    [COLUMN_FILE] = {{"file", "file", MEMPLAN_CELL_TEXT, 4}, false},
    [COLUMN_OPS] = {{"ops", "ops", MEMPLAN_CELL_NUMBER, 5}, false},
    [COLUMN_TENSORS] = {{"tensors", "tensors", MEMPLAN_CELL_NUMBER, 7}, true},
    [COLUMN_BUFFERS] = {{"buffers", "buffers", MEMPLAN_CELL_NUMBER, 7}, false},
    [COLUMN_STATUS] = {{"status", "status", MEMPLAN_CELL_TEXT, 10}, false},
    [COLUMN_PEAK] = {{"peak", "peak", MEMPLAN_CELL_NUMBER, 12}, false},
    [COLUMN_BOUND] = {{"lower_bound", "bound", MEMPLAN_CELL_NUMBER, 12}, false},
    [COLUMN_GAP] = {{"gap", "gap", MEMPLAN_CELL_NUMBER, 8}, false},
    [COLUMN_ORDER_PEAK] = {{"order_peak", "order peak", MEMPLAN_CELL_NUMBER, 12}, true},
    [COLUMN_NAIVE] = {{"naive_bytes", "naive", MEMPLAN_CELL_NUMBER, 13}, false},
    [COLUMN_REUSE] = {{"reuse_ratio", "reuse", MEMPLAN_CELL_NUMBER, 5}, false},
    [COLUMN_METHOD] = {{"method", "method", MEMPLAN_CELL_TEXT, 6}, true},
    [COLUMN_STOP] = {{"stop_reason", "stop", MEMPLAN_CELL_TEXT, 4}, true},
    [COLUMN_TIME] = {{"time_s", "time", MEMPLAN_CELL_NUMBER, 8}, false},
    [COLUMN_ERROR] = {{"error", "", MEMPLAN_CELL_TEXT, 0}, false},
};

void memplan_summary_columns(memplan_style style, int32_t path_width, memplan_column columns[MEMPLAN_SUMMARY_COLUMNS],
                             int32_t *n_columns) {
  *n_columns = 0;
  for (int32_t i = 0; i < MEMPLAN_SUMMARY_COLUMNS; i++) {
    if (style == MEMPLAN_STYLE_CSV || !all_columns[i].csv_only) {
      columns[(*n_columns)++] = all_columns[i].column;
    }
  }
  columns[0].width = path_width < columns[0].width ? columns[0].width : path_width;
}

// The message without the path that stands in the row anyway.
static const char *message_in_row(const memplan_summary *summary) {
  memplan_quoted_path path = memplan_quote_path(summary->path);
  size_t length = strlen(path.text);
  bool prefixed = strncmp(summary->error, path.text, length) == 0 && strncmp(summary->error + length, ": ", 2) == 0;
  return prefixed ? summary->error + length + 2 : summary->error;
}

// Cells by column id; text of numbers lies in `room`.
static void fill_cells(const memplan_summary *summary, memplan_style style, const char *cells[MEMPLAN_SUMMARY_COLUMNS],
                       char room[MEMPLAN_SUMMARY_COLUMNS][128]) {
  const memplan_problem *problem = summary->problem;
  const memplan_solution *solution = summary->solution;
  bool csv = style == MEMPLAN_STYLE_CSV;
  for (int32_t i = 0; i < MEMPLAN_SUMMARY_COLUMNS; i++) {
    cells[i] = NULL;
  }
  cells[COLUMN_FILE] = summary->path;
  if (problem != NULL && problem->has_graph) {
    snprintf(room[COLUMN_OPS], sizeof room[0], "%" PRId32, problem->graph.n_ops);
    snprintf(room[COLUMN_TENSORS], sizeof room[0], "%" PRId32, problem->graph.n_tensors);
    cells[COLUMN_OPS] = room[COLUMN_OPS];
    cells[COLUMN_TENSORS] = room[COLUMN_TENSORS];
  }
  cells[COLUMN_TIME] = memplan_ratio_text((memplan_ratio){summary->time_us, 1000000}, 1, 3, room[COLUMN_TIME]);
  if (summary->status != MEMPLAN_OK) {
    cells[COLUMN_STATUS] = "error";
    cells[COLUMN_ERROR] = message_in_row(summary);
    return;
  }
  const memplan_plan *plan = &solution->plan;
  cells[COLUMN_STATUS] = memplan_outcome_name(solution->outcome);
  cells[COLUMN_STOP] = memplan_stop_name(solution->stop);
  snprintf(room[COLUMN_BOUND], sizeof room[0], "%" PRId64, plan->lower_bound);
  cells[COLUMN_BOUND] = room[COLUMN_BOUND];
  snprintf(room[COLUMN_NAIVE], sizeof room[0], "%" PRId64, solution->naive_bytes);
  cells[COLUMN_NAIVE] = room[COLUMN_NAIVE];
  if (problem->has_instance || solution->has_instance) {
    snprintf(room[COLUMN_BUFFERS], sizeof room[0], "%" PRId32,
             problem->has_instance ? problem->instance.n_buffers : solution->instance.n_buffers);
    cells[COLUMN_BUFFERS] = room[COLUMN_BUFFERS];
  }
  if (!solution->has_plan) {
    cells[COLUMN_ERROR] = solution->infeasible;
    return;
  }
  snprintf(room[COLUMN_PEAK], sizeof room[0], "%" PRId64, plan->peak);
  snprintf(room[COLUMN_ORDER_PEAK], sizeof room[0], "%" PRId64, solution->order_peak);
  cells[COLUMN_PEAK] = room[COLUMN_PEAK];
  cells[COLUMN_ORDER_PEAK] = room[COLUMN_ORDER_PEAK];
  memplan_ratio gap = memplan_gap_ratio(plan->peak, plan->lower_bound);
  cells[COLUMN_GAP] =
      csv ? memplan_ratio_text(gap, 1, 6, room[COLUMN_GAP]) : memplan_percent_text(gap, room[COLUMN_GAP]);
  cells[COLUMN_REUSE] =
      memplan_ratio_text(memplan_reuse_ratio(plan->peak, solution->naive_bytes), 1, csv ? 6 : 2, room[COLUMN_REUSE]);
  cells[COLUMN_METHOD] = memplan_summary_method(summary, room[COLUMN_METHOD], sizeof room[0]);
}

void memplan_summary_write_row(const memplan_summary *summary, memplan_style style, const memplan_column *columns,
                               int32_t n_columns, FILE *out) {
  const char *cells[MEMPLAN_SUMMARY_COLUMNS], *chosen[MEMPLAN_SUMMARY_COLUMNS];
  char room[MEMPLAN_SUMMARY_COLUMNS][128];
  fill_cells(summary, style, cells, room);
  int32_t n = 0;
  for (int32_t i = 0; i < MEMPLAN_SUMMARY_COLUMNS; i++) {
    if (style == MEMPLAN_STYLE_CSV || !all_columns[i].csv_only) {
      chosen[n++] = cells[i];
    }
  }
  memplan_grid_write_row(out, style, columns, n_columns, chosen);
}
