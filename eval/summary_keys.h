// SPDX-License-Identifier: Apache-2.0
// The keys of the objects that `solve --format json` and `bench` print, in their order. eval/json_keys.h lists them
// with those of the other commands.
#ifndef MEMPLAN_EVAL_SUMMARY_KEYS_H
#define MEMPLAN_EVAL_SUMMARY_KEYS_H

#include "eval/summary.h"

typedef enum memplan_summary_key {
  MEMPLAN_KEY_TOOL = 0,
  MEMPLAN_KEY_VERSION,
  MEMPLAN_KEY_INPUT,
  MEMPLAN_KEY_STATUS,
  MEMPLAN_KEY_PEAK,
  MEMPLAN_KEY_LOWER_BOUND,
  MEMPLAN_KEY_GAP,
  MEMPLAN_KEY_ORDER_PEAK,
  MEMPLAN_KEY_ORDER_LOWER_BOUND,
  MEMPLAN_KEY_ORDER_STATUS,
  MEMPLAN_KEY_NAIVE_BYTES,
  MEMPLAN_KEY_REUSE_RATIO,
  MEMPLAN_KEY_METHOD,
  MEMPLAN_KEY_SEED,
  MEMPLAN_KEY_THREADS,
  MEMPLAN_KEY_STOP_REASON,
  MEMPLAN_KEY_TIME_S,
  MEMPLAN_KEY_STAGES_S,
  MEMPLAN_KEY_NODES,
  MEMPLAN_KEY_CERTIFICATE,
  MEMPLAN_KEY_CAPACITY,
  MEMPLAN_KEY_FITS,
  MEMPLAN_KEY_WEIGHT_BYTES,
  MEMPLAN_KEY_EXTERNAL_BYTES,
  MEMPLAN_KEY_FRAGMENTATION,
  MEMPLAN_KEY_FREE_SPACE,
  MEMPLAN_KEY_DEVICE_MEMORY,
  MEMPLAN_KEY_DEVICE_SHARE,
  MEMPLAN_KEY_REUSE_COST,
  MEMPLAN_KEY_FLOATING_BOUND,
  MEMPLAN_KEY_INSTANCE, // from here on of bench alone, but for the last one
  MEMPLAN_KEY_ORDER,
  MEMPLAN_KEY_PLACE,
  MEMPLAN_KEY_OPTIONS,
  MEMPLAN_KEY_LIMITS,
  MEMPLAN_KEY_ERROR,
  MEMPLAN_KEY_COUNT
} memplan_summary_key;

const char *memplan_summary_key_name(memplan_summary_key key);
// Which command prints it, and what it means.
const char *memplan_summary_key_of(memplan_summary_key key);
const char *memplan_summary_key_text(memplan_summary_key key);

#endif
