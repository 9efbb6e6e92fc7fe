// SPDX-License-Identifier: Apache-2.0
// The valley skyline under several rankings of the buffers, of which the best placement is kept. Long lifetimes first
// make broad flat floors; large buffers first leave the small ones for the cracks; the rankings between weigh lifetime
// against size with different powers. Ends at once when a placement meets the load.
// Reference: the lowest-gap rule of Burke, Kendall, Whitwell: A new placement heuristic for the orthogonal
// stock-cutting problem. Operations Research 52 (2004), with lifetimes for widths and their places given.
#include "heuristics/heuristic.h"

#include "heuristics/place_first_fit.h"
#include "heuristics/placing.h"
#include "heuristics/skyline.h"

#include <string.h>

// Steps are time ranks: where much begins and ends, time counts more than where nothing happens. Over the recorded
// instances each of the six gives the best placement of some; bytes x time and time alone never added one.
typedef enum ranking {
  BY_STEPS_1 = 0, // steps x bytes
  BY_STEPS,       // steps, then bytes
  BY_STEPS_4,     // steps^4 x bytes
  BY_STEPS_2,     // steps^2 x bytes
  BY_STEPS_HALF,  // steps x bytes^2
  BY_SIZE,        // bytes, then steps
  N_RANKINGS
} ranking;

// Products stay below 2^126: steps^4 x bytes of 4 x 16 + 62 bits, steps x bytes^2 of 31 + 2 x 46. What is longer is
// cut.
enum { STEP_BITS = 16, SIZE_BITS = 46 };

typedef struct trial {
  memplan_skyline *skyline;
  int32_t step_shift, size_shift;
  memplan_fit_key *keys;
  int32_t *ranked;
  int64_t *offset; // by block
  int64_t load;
} trial;

static int32_t bits_above(int64_t value, int32_t bits) {
  int32_t shift = 0;
  while ((value >> shift) >= (INT64_C(1) << bits)) {
    shift++;
  }
  return shift;
}

static memplan_status prepare(const memplan_placing *placing, trial *state, memplan_error *error) {
  const memplan_instance *instance = placing->instance;
  int64_t longest = 0;
  int64_t largest = 0;
  for (int32_t k = 0; k < placing->n_todo; k++) {
    const memplan_block *entry = &instance->blocks[placing->todo[k]];
    longest = entry->end - entry->start > longest ? entry->end - entry->start : longest;
    largest = entry->bytes > largest ? entry->bytes : largest;
  }
  state->step_shift = bits_above(longest, STEP_BITS);
  state->size_shift = bits_above(largest, SIZE_BITS);
  state->skyline = memplan_skyline_new(instance, placing->todo, placing->n_todo, placing->arena);
  state->keys = MEMPLAN_NEW(placing->arena, memplan_fit_key, placing->n_todo);
  state->ranked = MEMPLAN_NEW(placing->arena, int32_t, placing->n_todo);
  state->offset = MEMPLAN_NEW(placing->arena, int64_t, instance->n_blocks);
  if (state->skyline == NULL || state->keys == NULL || state->ranked == NULL || state->offset == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_load load;
  MEMPLAN_TRY(memplan_instance_load(instance, false, &load, error));
  state->load = load.bytes;
  return MEMPLAN_OK;
}

static memplan_fit_key rank_block(const memplan_instance *instance, const trial *state, ranking rule, int32_t block) {
  const memplan_block *entry = &instance->blocks[block];
  int64_t bytes = entry->bytes;
  int64_t steps = entry->end - entry->start;
  memplan_int128 cut_steps = steps >> state->step_shift;
  memplan_int128 cut_bytes = bytes >> state->size_shift;
  memplan_fit_key key = {.second = steps, .third = bytes, .block = block};
  switch (rule) {
  case BY_STEPS_4:
    key.first = cut_steps * cut_steps * cut_steps * cut_steps * bytes;
    break;
  case BY_STEPS_2:
    key.first = (memplan_int128)steps * steps * bytes;
    break;
  case BY_STEPS_1:
    key.first = (memplan_int128)steps * bytes;
    break;
  case BY_STEPS_HALF:
    key.first = cut_bytes * cut_bytes * steps;
    break;
  case BY_SIZE:
    key.first = bytes;
    break;
  case BY_STEPS:
  case N_RANKINGS:
    break;
  }
  return key;
}

static bool is_over(void *context) {
  memplan_placing *placing = context;
  placing->result->stop = memplan_limits_reached(placing->limits);
  return placing->result->stop != MEMPLAN_STOP_DONE;
}

// Keeps the best placement in result->offset and returns its peak; -1 if none stays within the limit of sizes or was
// complete before a limit was reached.
static int64_t try_rankings(memplan_placing *placing, const trial *state) {
  const memplan_instance *instance = placing->instance;
  int64_t peak = -1;
  for (int32_t rule = 0; rule < N_RANKINGS && peak != state->load && placing->result->stop == MEMPLAN_STOP_DONE;
       rule++) {
    for (int32_t k = 0; k < placing->n_todo; k++) {
      state->keys[k] = rank_block(instance, state, (ranking)rule, placing->todo[k]);
    }
    memplan_fit_keys_sort(state->keys, placing->n_todo);
    for (int32_t k = 0; k < placing->n_todo; k++) {
      state->ranked[k] = state->keys[k].block;
    }
    memplan_fill fill = {.limit = peak >= 0 ? peak : INT64_MAX, .stopped = is_over, .context = placing};
    int64_t found = memplan_skyline_place(state->skyline, state->ranked, &fill, state->offset);
    if (found >= 0) {
      peak = found;
      memcpy(placing->result->offset, state->offset, (size_t)instance->n_blocks * sizeof *state->offset);
    }
  }
  return peak;
}

static memplan_status place(memplan_placing *placing, void *context, memplan_error *error) {
  (void)context;
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  trial state = {0};
  MEMPLAN_TRY(prepare(placing, &state, error));
  int64_t capacity = instance->pools[0].capacity;
  int64_t peak = try_rankings(placing, &state);
  placing->stopped = peak < 0 && result->stop != MEMPLAN_STOP_DONE;
  for (int32_t k = 0; k < placing->n_todo && result->failed_block < 0 && !placing->stopped; k++) {
    int32_t block = placing->todo[k];
    result->pool[block] = 0;
    if (peak < 0 || (capacity >= 0 && result->offset[block] > capacity - instance->blocks[block].bytes)) {
      result->failed_block = block;
    }
  }
  return MEMPLAN_OK;
}

static bool accepts(const memplan_task *task, memplan_error *error) {
  const memplan_instance *instance = task->instance;
  if (instance->n_pools > 1) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED,
                       "skyline fills one pool, and the instance has %d: choose another placement method",
                       (int)instance->n_pools);
    return false;
  }
  if (instance->pools[0].n_reserved > 0) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED,
                       "skyline does not know reserved ranges, and pool '%s' has some: choose another placement method",
                       instance->pools[0].id);
    return false;
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    if (entry->pin >= 0 || entry->n_apart > 0) {
      (void)memplan_fail(error, MEMPLAN_UNSUPPORTED,
                         "skyline does not know %s, as buffer '%s' has: choose another placement method",
                         entry->pin >= 0 ? "fixed offsets" : "separations",
                         instance->buffers[instance->members[entry->first_member].buffer].id);
      return false;
    }
  }
  return true;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  return memplan_placing_run(task->instance, place, NULL, limits, result, error);
}

const memplan_method memplan_place_skyline = {
    .name = "skyline",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "fills the lowest valley with the best-ranked buffer that fits; the best of six rankings",
    .reference = "lowest-gap skyline (Burke, Kendall, Whitwell, 2004)",
    .complexity = "O(n log n)",
    .declines = "several pools, reserved ranges, fixed offsets, separations",
    .accepts = accepts,
    .run = run,
};
