// SPDX-License-Identifier: Apache-2.0
// The lowest offset comes from the packing, so that nothing here knows of overlaps.
#include "heuristics/place_first_fit.h"

#include "heuristics/placing.h"

#include <stdlib.h>

typedef struct fit {
  memplan_fit_rank *rank;
} fit;

static int64_t time_between(const memplan_instance *instance, int32_t start, int32_t end) {
  uint64_t span = (uint64_t)instance->times[end] - (uint64_t)instance->times[start];
  return span < (uint64_t)INT64_MAX ? (int64_t)span : INT64_MAX;
}

int64_t memplan_block_duration(const memplan_instance *instance, int32_t block) {
  return time_between(instance, instance->blocks[block].start, instance->blocks[block].end);
}

memplan_int128 memplan_block_area(const memplan_instance *instance, int32_t block) {
  const memplan_block *entry = &instance->blocks[block];
  memplan_int128 area = 0;
  for (int32_t k = entry->first_part; k < entry->first_part + entry->n_parts; k++) {
    const memplan_part *part = &instance->parts[k];
    area += (memplan_int128)(part->high - part->low) * time_between(instance, part->start, part->end);
  }
  return area;
}

static int compare_keys(const void *a, const void *b) {
  const memplan_fit_key *x = a;
  const memplan_fit_key *y = b;
  if (x->first != y->first) {
    return x->first > y->first ? -1 : 1;
  }
  if (x->second != y->second) {
    return x->second > y->second ? -1 : 1;
  }
  if (x->third != y->third) {
    return x->third > y->third ? -1 : 1;
  }
  return (x->block > y->block) - (x->block < y->block);
}

void memplan_fit_keys_sort(memplan_fit_key *keys, int32_t count) {
  if (count > 1) {
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
  }
}

static memplan_status place(memplan_placing *placing, void *context, memplan_error *error) {
  const fit *rule = context;
  memplan_fit_key *keys = MEMPLAN_NEW(placing->arena, memplan_fit_key, placing->n_todo);
  if (keys == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < placing->n_todo; k++) {
    rule->rank(placing->instance, placing->todo[k], &keys[k]);
    keys[k].block = placing->todo[k];
  }
  memplan_fit_keys_sort(keys, placing->n_todo);
  for (int32_t k = 0; k < placing->n_todo && placing->result->failed_block < 0 && !memplan_placing_stops(placing);
       k++) {
    MEMPLAN_TRY(memplan_placing_lowest(placing, keys[k].block, error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_place_first_fit(const memplan_instance *instance, memplan_fit_rank *rank,
                                       const memplan_limits *limits, memplan_method_result *result,
                                       memplan_error *error) {
  fit rule = {rank};
  return memplan_placing_run(instance, place, &rule, limits, result, error);
}
