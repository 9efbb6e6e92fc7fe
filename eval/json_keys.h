// SPDX-License-Identifier: Apache-2.0
// Every key of the JSON objects that the command prints, with the commands that print it: those of summary_keys first.
// `list json-keys`, the manual page and the README are made from it.
#ifndef MEMPLAN_EVAL_JSON_KEYS_H
#define MEMPLAN_EVAL_JSON_KEYS_H

#include <stdint.h>

typedef struct memplan_json_key {
  const char *name, *commands, *text;
} memplan_json_key;

int32_t memplan_json_key_count(void);
memplan_json_key memplan_json_key_at(int32_t index);

#endif
