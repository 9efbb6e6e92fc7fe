// SPDX-License-Identifier: Apache-2.0
// The usual propagation of linear rows: a row's least and largest sum under the bounds leave each of its columns so
// much room, and no more.
#include "solvers/ilp_propagate.h"

#include <string.h>

enum { looks_per_term = 32 };

static const int64_t most_sum = INT64_C(1) << 62;

// Can sums of the row be counted in 64 bits, whatever its columns are?
static bool is_countable(const memplan_ilp *model, const memplan_ilp_row *row) {
  memplan_int128 most = 0;
  for (int32_t t = 0; t < row->n_terms; t++) {
    const memplan_ilp_term *term = &model->terms[row->first + t];
    const memplan_ilp_column *column = &model->columns[term->column];
    if (column->upper == MEMPLAN_ILP_NONE) {
      return false;
    }
    int64_t low = column->lower < 0 ? -column->lower : column->lower;
    int64_t high = column->upper < 0 ? -column->upper : column->upper;
    most += (memplan_int128)(term->factor < 0 ? -term->factor : term->factor) * (low > high ? low : high);
  }
  return most < most_sum && (row->lower == -MEMPLAN_ILP_NONE || row->lower > -most_sum) &&
         (row->upper == MEMPLAN_ILP_NONE || row->upper < most_sum);
}

static void push(memplan_ilp_propagator *work, int32_t row) {
  int32_t n_rows = work->model->n_rows;
  if (!work->queued[row]) {
    int64_t end = (int64_t)work->head + work->waiting;
    work->queued[row] = true;
    work->queue[end < n_rows ? end : end - n_rows] = row;
    work->waiting++;
  }
}

static bool find_uses(memplan_ilp_propagator *work, memplan_arena *arena) {
  const memplan_ilp *model = work->model;
  int64_t *first = MEMPLAN_NEW(arena, int64_t, (int64_t)model->n_columns + 2);
  int32_t *use = MEMPLAN_NEW_RAW(arena, int32_t, model->n_terms);
  bool *countable = MEMPLAN_NEW(arena, bool, model->n_rows);
  if (first == NULL || use == NULL || countable == NULL) {
    return false;
  }
  for (int32_t r = 0; r < model->n_rows; r++) {
    const memplan_ilp_row *row = &model->rows[r];
    countable[r] = is_countable(model, row);
    for (int32_t t = 0; t < row->n_terms && countable[r]; t++) {
      first[model->terms[row->first + t].column + 2]++;
    }
  }
  for (int32_t k = 0; k < model->n_columns; k++) {
    first[k + 2] += first[k + 1];
  }
  for (int32_t r = 0; r < model->n_rows; r++) {
    const memplan_ilp_row *row = &model->rows[r];
    for (int32_t t = 0; t < row->n_terms && countable[r]; t++) {
      use[first[model->terms[row->first + t].column + 1]++] = r;
    }
    if (countable[r]) {
      push(work, r);
    }
  }
  work->first_use = first;
  work->use = use;
  return true;
}

memplan_status memplan_ilp_propagator_init(memplan_ilp_propagator *work, const memplan_ilp *model, memplan_arena *arena,
                                           memplan_error *error) {
  int64_t n = model->n_columns;
  *work = (memplan_ilp_propagator){.model = model};
  work->lower = MEMPLAN_NEW(arena, int64_t, n);
  work->upper = MEMPLAN_NEW(arena, int64_t, n);
  work->queue = MEMPLAN_NEW(arena, int32_t, model->n_rows);
  work->queued = MEMPLAN_NEW(arena, bool, model->n_rows);
  work->trail = MEMPLAN_NEW_RAW(arena, memplan_ilp_change, MEMPLAN_ILP_LEVELS * n);
  work->level = MEMPLAN_NEW(arena, int32_t, n);
  if (work->lower == NULL || work->upper == NULL || work->queue == NULL || work->queued == NULL ||
      work->trail == NULL || work->level == NULL || !find_uses(work, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < n; k++) {
    work->lower[k] = model->columns[k].lower;
    work->upper[k] = model->columns[k].upper;
  }
  return MEMPLAN_OK;
}

bool memplan_ilp_tighten(memplan_ilp_propagator *work, int32_t column, int64_t lower, int64_t upper) {
  lower = lower > work->lower[column] ? lower : work->lower[column];
  upper = upper < work->upper[column] ? upper : work->upper[column];
  if (lower == work->lower[column] && upper == work->upper[column]) {
    return lower <= upper;
  }
  if (lower > upper) {
    return false;
  }
  if (work->depth > 0 && work->level[column] != work->depth) {
    work->trail[work->n_trail++] =
        (memplan_ilp_change){column, work->level[column], work->lower[column], work->upper[column]};
    work->level[column] = work->depth;
  }
  work->lower[column] = lower;
  work->upper[column] = upper;
  for (int64_t k = work->first_use[column]; k < work->first_use[column + 1]; k++) {
    push(work, work->use[k]);
  }
  return true;
}

// The sums are those of before the row's own changes, which only makes them weaker.
static bool look(memplan_ilp_propagator *work, const memplan_ilp_row *row) {
  const memplan_ilp_term *terms = row->n_terms > 0 ? work->model->terms + row->first : NULL;
  int64_t least = 0, most = 0;
  for (int32_t t = 0; t < row->n_terms; t++) {
    int64_t factor = terms[t].factor, low = work->lower[terms[t].column], high = work->upper[terms[t].column];
    least += factor * (factor > 0 ? low : high);
    most += factor * (factor > 0 ? high : low);
  }
  work->looked += row->n_terms;
  bool over = row->upper != MEMPLAN_ILP_NONE && most > row->upper;
  bool under = row->lower != -MEMPLAN_ILP_NONE && least < row->lower;
  if ((over && least > row->upper) || (under && most < row->lower)) {
    return false;
  }
  for (int32_t t = 0; t < row->n_terms && (over || under); t++) {
    int32_t column = terms[t].column;
    int64_t factor = terms[t].factor, low = work->lower[column], high = work->upper[column];
    int64_t size = factor < 0 ? -factor : factor, new_low = low, new_high = high;
    if (low == high) {
      continue;
    }
    if (over) {
      int64_t steps = (row->upper - least) / size;
      new_high = factor > 0 && low + steps < new_high ? low + steps : new_high;
      new_low = factor < 0 && high - steps > new_low ? high - steps : new_low;
    }
    if (under) {
      int64_t steps = (most - row->lower) / size;
      new_low = factor > 0 && high - steps > new_low ? high - steps : new_low;
      new_high = factor < 0 && low + steps < new_high ? low + steps : new_high;
    }
    if ((new_low > low || new_high < high) && !memplan_ilp_tighten(work, column, new_low, new_high)) {
      return false;
    }
  }
  return true;
}

static void forget_queue(memplan_ilp_propagator *work) {
  for (; work->waiting > 0; work->waiting--) {
    work->queued[work->queue[work->head]] = false;
    work->head = work->head + 1 < work->model->n_rows ? work->head + 1 : 0;
  }
}

bool memplan_ilp_propagate(memplan_ilp_propagator *work) {
  int64_t end = work->looked + looks_per_term * (work->model->n_terms + 1);
  bool good = true;
  while (good && work->waiting > 0 && work->looked < end) {
    int32_t row = work->queue[work->head];
    work->head = work->head + 1 < work->model->n_rows ? work->head + 1 : 0;
    work->waiting--;
    work->queued[row] = false;
    good = look(work, &work->model->rows[row]);
  }
  forget_queue(work);
  return good;
}

void memplan_ilp_mark(memplan_ilp_propagator *work) { work->marks[work->depth++] = work->n_trail; }

void memplan_ilp_undo(memplan_ilp_propagator *work) {
  int64_t mark = work->marks[--work->depth];
  forget_queue(work);
  while (work->n_trail > mark) {
    const memplan_ilp_change *change = &work->trail[--work->n_trail];
    work->lower[change->column] = change->lower;
    work->upper[change->column] = change->upper;
    work->level[change->column] = change->level;
  }
}
