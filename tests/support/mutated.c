// SPDX-License-Identifier: Apache-2.0
#include "tests/support/mutated.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

void mutated_release(mutated *f) {
  memplan_report_free(&f->report);
  memplan_plan_free(&f->plan);
  memplan_problem_free(&f->problem);
}

void mutated_verify(mutated *f) {
  memplan_report_free(&f->report);
  memplan_error error = {.message = ""};
  if (memplan_verify(&f->problem, &f->plan, &f->report, &error) != MEMPLAN_OK) {
    fail_msg("verify: %s", error.message);
  }
  assert_int_equal(f->report.valid, f->report.n_found == 0);
  for (int32_t k = 1; k < f->report.n_violations; k++) {
    assert_true(f->report.violations[k - 1].kind <= f->report.violations[k].kind);
  }
}

void mutated_valid(mutated *f) {
  mutated_verify(f);
  if (!f->report.valid) {
    fail_msg("%s", f->report.violations[0].text);
  }
}

bool mutated_same_id(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

// The report holds `count` violations, and number `index` is this one.
void mutated_violation(const mutated *f, int32_t count, int32_t index, memplan_violation_kind kind, const char *first,
                       const char *second, int64_t step, int64_t low, int64_t high) {
  if (f->report.n_violations != count || f->report.n_found != count) {
    for (int32_t k = 0; k < f->report.n_violations; k++) {
      (void)fprintf(stderr, "  %s\n", f->report.violations[k].text);
    }
    fail_msg("%d violations, not %d", (int)f->report.n_violations, (int)count);
  }
  const memplan_violation *found = &f->report.violations[index];
  if (found->kind != kind || !mutated_same_id(found->first, first) || !mutated_same_id(found->second, second) ||
      found->step != step || found->low != low || found->high != high) {
    fail_msg("%s: %s, %s, step %d, [%d, %d): %s", memplan_violation_kind_name(found->kind),
             found->first != NULL ? found->first : "-", found->second != NULL ? found->second : "-", (int)found->step,
             (int)found->low, (int)found->high, found->text);
  }
  assert_true(strlen(found->text) > 10);
}

// The only violation. The peak is made to fit first, so that only the change itself shows.
void mutated_rejected(mutated *f, memplan_violation_kind kind, const char *first, const char *second, int64_t step,
                      int64_t low, int64_t high) {
  build_peak(&f->problem, &f->plan);
  mutated_verify(f);
  mutated_violation(f, 1, 0, kind, first, second, step, low, high);
}

memplan_placed *mutated_entry(mutated *f, const char *id) {
  for (int32_t i = 0; i < f->plan.n_placed; i++) {
    if (strcmp(f->plan.placed[i].id, id) == 0) {
      return &f->plan.placed[i];
    }
  }
  fail_msg("'%s' is not placed", id);
  return NULL;
}

void mutated_drop(mutated *f, const char *id) {
  memplan_placed *dropped = mutated_entry(f, id);
  *dropped = f->plan.placed[--f->plan.n_placed];
}

bool mutated_has(const mutated *f, memplan_violation_kind kind, const char *first, const char *second, int64_t step,
                 int64_t low, int64_t high) {
  for (int32_t k = 0; k < f->report.n_violations; k++) {
    const memplan_violation *v = &f->report.violations[k];
    if (v->kind == kind && mutated_same_id(v->first, first) && mutated_same_id(v->second, second) && v->step == step &&
        v->low == low && v->high == high) {
      return true;
    }
  }
  return false;
}
