// SPDX-License-Identifier: Apache-2.0
#include "solvers/ilp_probe.h"

memplan_status memplan_ilp_prober_init(memplan_ilp_prober *prober, memplan_ilp_propagator *work, memplan_arena *arena,
                                       memplan_error *error) {
  int32_t n = work->model->n_columns;
  *prober = (memplan_ilp_prober){.work = work};
  prober->zero = MEMPLAN_NEW_RAW(arena, memplan_ilp_change, n);
  prober->both = MEMPLAN_NEW_RAW(arena, memplan_ilp_change, n);
  prober->at = MEMPLAN_NEW_RAW(arena, int32_t, n);
  if (prober->zero == NULL || prober->both == NULL || prober->at == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < n; k++) {
    prober->at[k] = -1;
  }
  return MEMPLAN_OK;
}

// Marks, and fixes the column.
static bool enter(memplan_ilp_propagator *work, int32_t column, int64_t value) {
  memplan_ilp_mark(work);
  return memplan_ilp_tighten(work, column, value, value) && memplan_ilp_propagate(work);
}

int64_t memplan_ilp_try(memplan_ilp_propagator *work, int32_t column, int64_t value) {
  int64_t before = work->n_trail, count = -1;
  if (enter(work, column, value)) {
    count = work->n_trail - before;
  }
  memplan_ilp_undo(work);
  return count;
}

// The bounds that hold under both values. The column's own change is the first one of either side.
static int32_t join(memplan_ilp_prober *prober, int32_t n_zero, int64_t before) {
  const memplan_ilp_propagator *work = prober->work;
  int32_t n_both = 0;
  for (int32_t k = 0; k < n_zero; k++) {
    prober->at[prober->zero[k].column] = k;
  }
  for (int64_t k = before; k < work->n_trail; k++) {
    int32_t column = work->trail[k].column, other = prober->at[column];
    if (other < 0) {
      continue;
    }
    int64_t low = prober->zero[other].lower, high = prober->zero[other].upper;
    low = work->lower[column] < low ? work->lower[column] : low;
    high = work->upper[column] > high ? work->upper[column] : high;
    if (low > work->trail[k].lower || high < work->trail[k].upper) {
      prober->both[n_both++] = (memplan_ilp_change){.column = column, .lower = low, .upper = high};
    }
  }
  for (int32_t k = 0; k < n_zero; k++) {
    prober->at[prober->zero[k].column] = -1;
  }
  return n_both;
}

static bool try_both(memplan_ilp_prober *prober, int32_t column, bool *news) {
  memplan_ilp_propagator *work = prober->work;
  int64_t before = work->n_trail;
  int32_t n_zero = 0, n_both = 0;
  bool zero = enter(work, column, 0);
  for (int64_t k = before; k < work->n_trail && zero; k++) {
    int32_t changed = work->trail[k].column;
    prober->zero[n_zero++] =
        (memplan_ilp_change){.column = changed, .lower = work->lower[changed], .upper = work->upper[changed]};
  }
  memplan_ilp_undo(work);
  bool one = enter(work, column, 1);
  if (zero && one) {
    n_both = join(prober, n_zero, before);
  }
  memplan_ilp_undo(work);
  *news = !zero || !one || n_both > 0;
  if (!zero && !one) {
    return false;
  }
  if (zero != one && !memplan_ilp_tighten(work, column, one, one)) {
    return false;
  }
  for (int32_t k = 0; k < n_both; k++) {
    if (!memplan_ilp_tighten(work, prober->both[k].column, prober->both[k].lower, prober->both[k].upper)) {
      return false;
    }
  }
  return !*news || memplan_ilp_propagate(work);
}

bool memplan_ilp_probe(memplan_ilp_prober *prober, int64_t looks, const memplan_limits *limits) {
  memplan_ilp_propagator *work = prober->work;
  const memplan_ilp *model = work->model;
  int64_t end = work->looked + looks;
  for (bool again = true; again;) {
    again = false;
    for (int32_t k = 0; k < model->n_columns; k++) {
      if (model->columns[k].kind != MEMPLAN_ILP_BINARY || work->lower[k] == work->upper[k]) {
        continue;
      }
      bool news = false;
      if (work->looked > end || memplan_limits_reached(limits) != MEMPLAN_STOP_DONE) {
        return true;
      }
      if (!try_both(prober, k, &news)) {
        return false;
      }
      again |= news;
    }
  }
  return true;
}
