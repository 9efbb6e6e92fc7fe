// SPDX-License-Identifier: Apache-2.0
// What a check by clauses may cost, so that no certificate keeps it busy for longer, or takes more memory, than its own
// length and that of its problem explain. Those that the solvers write take a small part of it.
#ifndef MEMPLAN_EVAL_CHECK_METER_H
#define MEMPLAN_EVAL_CHECK_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memplan_check_meter {
  int64_t left; // looks at bounds, literals and pairs
} memplan_check_meter;

// For a certificate of `length` bytes about a problem of `size` variables.
memplan_check_meter memplan_check_meter_start(size_t length, int64_t size);

// False from when it is used up.
static inline bool memplan_check_meter_spend(memplan_check_meter *meter, int64_t looks) {
  meter->left -= looks;
  return meter->left >= 0;
}

// How many bounds may be raised at one time.
int64_t memplan_check_meter_changes(size_t length, int64_t size);

// Why a certificate is refused whose check costs more.
extern const char memplan_check_meter_spent[];

#endif
