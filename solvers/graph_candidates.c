// SPDX-License-Identifier: Apache-2.0
// An order becomes up to three candidates, by how many of its in-place pairs are chosen; an order that is there already
// brings nothing. Loads follow from those of the best choice: a pair that is left out adds its saving at its step.
#include "solvers/graph_candidates.h"

#include "model/base/grow.h"

#include <stdlib.h>
#include <string.h>

static bool same_order(const int32_t *a, const int32_t *b, int32_t n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

memplan_status memplan_candidates_append(memplan_candidates *list, const memplan_candidate *entry,
                                         memplan_error *error) {
  memplan_candidate *copy = MEMPLAN_NEW(list->arena, memplan_candidate, 1);
  const memplan_candidate **entries =
      memplan_grow_in(list->arena, list->entries, list->count, &list->capacity, sizeof *entries);
  if (copy == NULL || entries == NULL) {
    return memplan_fail_nomem(error);
  }
  *copy = *entry;
  list->entries = entries;
  list->entries[list->count++] = copy;
  return MEMPLAN_OK;
}

// Adds the order of `full` with those of its pairs that `keep` marks.
static memplan_status add_choice(memplan_candidates *list, const memplan_candidate *full, const bool *keep,
                                 const int32_t *step, memplan_error *error) {
  const memplan_ordering *ordering = list->ordering;
  memplan_candidate variant = *full;
  int32_t *choice = MEMPLAN_NEW(list->arena, int32_t, full->n_choices);
  int64_t *load = MEMPLAN_NEW(list->arena, int64_t, ordering->n_ops);
  if (choice == NULL || load == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(load, full->load, (size_t)ordering->n_ops * sizeof *load);
  variant.index = list->n_added++;
  variant.choice = choice;
  variant.load = load;
  variant.n_choices = 0;
  for (int32_t k = 0; k < full->n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[full->choice[k]];
    if (keep[k]) {
      choice[variant.n_choices++] = full->choice[k];
    } else {
      load[step[pair->op]] += pair->saving;
      variant.peak = load[step[pair->op]] > variant.peak ? load[step[pair->op]] : variant.peak;
    }
  }
  return memplan_candidates_append(list, &variant, error);
}

// In-place costs freedom in placing (off(q) = off(p)), so two more choices: only the pairs of steps that would pass the
// order peak without them, and none at all.
static memplan_status add_other_choices(memplan_candidates *list, const memplan_candidate *full, memplan_error *error) {
  const memplan_ordering *ordering = list->ordering;
  int32_t *step = MEMPLAN_NEW(list->arena, int32_t, ordering->n_ops);
  int64_t *saving = MEMPLAN_NEW(list->arena, int64_t, ordering->n_ops);
  bool *keep = MEMPLAN_NEW(list->arena, bool, full->n_choices);
  if (step == NULL || saving == NULL || keep == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    step[full->order[t]] = t;
  }
  for (int32_t k = 0; k < full->n_choices; k++) {
    saving[ordering->pairs[full->choice[k]].op] += ordering->pairs[full->choice[k]].saving;
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < full->n_choices; k++) {
    int32_t op = ordering->pairs[full->choice[k]].op;
    keep[k] = full->load[step[op]] + saving[op] > full->order_peak;
    kept += keep[k];
  }
  if (kept > 0 && kept < full->n_choices) {
    MEMPLAN_TRY(add_choice(list, full, keep, step, error));
  }
  if (full->n_choices > 0) {
    memset(keep, 0, (size_t)full->n_choices * sizeof *keep);
    MEMPLAN_TRY(add_choice(list, full, keep, step, error));
  }
  return MEMPLAN_OK;
}

// Loads without the pairs that the filter has dropped from the profile's choice (`kept` is what it has left of `all`).
static memplan_status restore_loads(memplan_candidates *list, const int32_t *order, const int32_t *all, int32_t n_all,
                                    memplan_candidate *kept, int64_t *load, memplan_error *error) {
  const memplan_ordering *ordering = list->ordering;
  memplan_arena scratch = {0};
  int32_t *step = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops);
  if (step == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    step[order[t]] = t;
  }
  for (int32_t k = 0, next = 0; k < n_all; k++) {
    if (next < kept->n_choices && kept->choice[next] == all[k]) {
      next++;
      continue;
    }
    int64_t *at = &load[step[ordering->pairs[all[k]].op]];
    *at += ordering->pairs[all[k]].saving;
    kept->peak = *at > kept->peak ? *at : kept->peak;
  }
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}

memplan_status memplan_candidates_add(memplan_candidates *list, const int32_t *order, const char *method,
                                      memplan_error *error) {
  for (int32_t k = 0; k < list->count; k++) {
    if (same_order(order, list->entries[k]->order, list->ordering->n_ops)) {
      return MEMPLAN_OK;
    }
  }
  memplan_profile profile;
  MEMPLAN_TRY(memplan_ordering_profile(list->ordering, order, list->arena, &profile, error));
  int32_t n_all = profile.n_choices, *all = MEMPLAN_NEW(list->arena, int32_t, n_all);
  if (all == NULL) {
    return memplan_fail_nomem(error);
  }
  if (n_all > 0) {
    memcpy(all, profile.choice, (size_t)n_all * sizeof *all);
  }
  MEMPLAN_TRY(memplan_ordering_filter(list->ordering, profile.choice, &profile.n_choices, error));
  memplan_candidate full = {.index = list->n_added++,
                            .order = order,
                            .choice = profile.choice,
                            .n_choices = profile.n_choices,
                            .order_peak = profile.peak,
                            .peak = profile.peak,
                            .load = profile.load,
                            .method = method};
  if (profile.n_choices < n_all) {
    MEMPLAN_TRY(restore_loads(list, order, all, n_all, &full, profile.load, error));
  }
  MEMPLAN_TRY(memplan_candidates_append(list, &full, error));
  return add_other_choices(list, &full, error);
}

const memplan_candidate *memplan_candidates_best(const memplan_candidates *list) {
  const memplan_candidate *best = NULL;
  for (int32_t k = 0; k < list->count; k++) {
    const memplan_candidate *entry = list->entries[k];
    bool better = best == NULL || entry->order_peak < best->order_peak ||
                  (entry->order_peak == best->order_peak && entry->peak < best->peak);
    best = better ? entry : best;
  }
  return best;
}

static int compare_candidates(const void *a, const void *b) {
  const memplan_candidate *x = *(const memplan_candidate *const *)a, *y = *(const memplan_candidate *const *)b;
  if (x->peak != y->peak) {
    return (x->peak > y->peak) - (x->peak < y->peak);
  }
  return (x->index > y->index) - (x->index < y->index);
}

void memplan_candidates_sort(memplan_candidates *list) {
  if (list->count > 1) {
    qsort(list->entries, (size_t)list->count, sizeof *list->entries, compare_candidates);
  }
}

memplan_status memplan_candidate_make(const memplan_ordering *ordering, const int32_t *order, const int32_t *choice,
                                      int32_t n_choices, const memplan_instance *instance, const char *method,
                                      memplan_arena *arena, memplan_candidate *entry, memplan_error *error) {
  memplan_profile profile;
  MEMPLAN_TRY(memplan_ordering_profile(ordering, order, arena, &profile, error));
  int64_t *loads = memplan_instance_profile(instance, arena), *load = profile.load;
  if (loads == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t peak = 0;
  for (int32_t t = 0, rank = 0; t < ordering->n_ops; t++) {
    while (rank + 1 < instance->n_times && instance->times[rank + 1] <= t) {
      rank++;
    }
    load[t] = instance->n_times > 0 && instance->times[rank] <= t && t < instance->times[rank + 1] ? loads[rank] : 0;
    peak = load[t] > peak ? load[t] : peak;
  }
  *entry = (memplan_candidate){.index = INT32_MAX,
                               .order = order,
                               .choice = choice,
                               .n_choices = n_choices,
                               .order_peak = profile.peak,
                               .peak = peak,
                               .load = load,
                               .method = method};
  return MEMPLAN_OK;
}
