// SPDX-License-Identifier: Apache-2.0
#include "solvers/explain.h"

#include "model/base/names.h"
#include "solvers/bounds.h"

#include <stdlib.h>

static int compare_items(const void *left, const void *right) {
  const memplan_filling_item *a = left, *b = right;
  if (a->bytes != b->bytes) {
    return a->bytes > b->bytes ? -1 : 1;
  }
  return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

// Where a part ends in the plan, -1 without one.
static int64_t end_of(const memplan_subject *subject, const memplan_part *part) {
  if (subject->offset == NULL || subject->offset[part->buffer] < 0) {
    return -1;
  }
  return subject->offset[part->buffer] - subject->instance->delta_of[part->buffer] + part->high;
}

// The rank whose load is largest among those that have a part ending highest.
static int32_t find_rank(const memplan_subject *subject, const int64_t *load, int32_t *marks, int64_t *reach) {
  const memplan_instance *instance = subject->instance;
  *reach = -1;
  for (int32_t k = 0; k < instance->n_parts; k++) {
    int64_t end = end_of(subject, &instance->parts[k]);
    *reach = end > *reach ? end : *reach;
  }
  for (int32_t k = 0; k < instance->n_parts; k++) {
    if (end_of(subject, &instance->parts[k]) == *reach) {
      marks[instance->parts[k].start]++;
      marks[instance->parts[k].end]--;
    }
  }
  int32_t best = -1, high = 0;
  for (int32_t rank = 0; rank < instance->n_times; rank++) {
    high += marks[rank];
    if (high > 0 && load[rank] > 0 && (best < 0 || load[rank] > load[best])) {
      best = rank;
    }
  }
  return best;
}

static memplan_status name_items(const memplan_instance *instance, const memplan_bound *clique,
                                 memplan_filling_item *items, memplan_filling *filling, memplan_error *error) {
  memplan_names names = {0};
  bool good = true;
  for (int32_t k = 0; k < instance->n_buffers && good; k++) {
    good = memplan_names_add(&names, instance->buffers[k].id, k) != -2;
  }
  for (int32_t k = 0; k < clique->n_buffers && good; k++) {
    int32_t buffer = memplan_names_find(&names, clique->buffers[k]);
    items[filling->n_items++] = (memplan_filling_item){buffer, instance->buffers[buffer].bytes};
    filling->load += instance->buffers[buffer].bytes;
  }
  memplan_names_free(&names);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// Of buffers without lifetimes.
static memplan_status fill_clique(memplan_subject *subject, memplan_filling *filling, memplan_error *error) {
  memplan_bound_list list = {.count = 0};
  MEMPLAN_TRY(memplan_bound_clique(subject->instance, NULL, &subject->arena, &list, error));
  memplan_bound clique = memplan_bound_list_best(&list);
  memplan_filling_item *items = MEMPLAN_NEW(&subject->arena, memplan_filling_item, clique.n_buffers);
  if (items == NULL) {
    return memplan_fail_nomem(error);
  }
  filling->items = items;
  MEMPLAN_TRY(name_items(subject->instance, &clique, items, filling, error));
  if (filling->n_items > 1) {
    qsort(items, (size_t)filling->n_items, sizeof *items, compare_items);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_subject_filling(memplan_subject *subject, memplan_filling *filling, memplan_error *error) {
  const memplan_instance *instance = subject->instance;
  *filling = (memplan_filling){.rank = -1, .reach = -1};
  int64_t *load = memplan_instance_profile(instance, &subject->arena);
  int32_t *marks = MEMPLAN_NEW(&subject->arena, int32_t, instance->n_times + 1);
  memplan_filling_item *items = MEMPLAN_NEW(&subject->arena, memplan_filling_item, instance->n_parts);
  if (load == NULL || marks == NULL || items == NULL) {
    return memplan_fail_nomem(error);
  }
  filling->rank = find_rank(subject, load, marks, &filling->reach);
  filling->items = items;
  if (filling->rank < 0) {
    return memplan_instance_is_timeless(instance) ? fill_clique(subject, filling, error) : MEMPLAN_OK;
  }
  filling->time = instance->times[filling->rank];
  for (int32_t k = 0; k < instance->n_parts; k++) {
    const memplan_part *part = &instance->parts[k];
    if (part->start <= filling->rank && filling->rank < part->end) {
      items[filling->n_items++] = (memplan_filling_item){part->buffer, part->high - part->low};
      filling->load += part->high - part->low;
    }
  }
  if (filling->n_items > 1) {
    qsort(items, (size_t)filling->n_items, sizeof *items, compare_items);
  }
  return MEMPLAN_OK;
}
