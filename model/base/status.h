// SPDX-License-Identifier: Apache-2.0
// Status of a call (did it work?), kept apart from the outcome of a search (what was found?).
#ifndef MEMPLAN_BASE_STATUS_H
#define MEMPLAN_BASE_STATUS_H

#include "model/base/compiler.h"

typedef enum memplan_status {
  MEMPLAN_OK = 0,
  MEMPLAN_NOMEM,       // an allocation failed or a memory limit was reached
  MEMPLAN_INPUT,       // the input contradicts the model or its format
  MEMPLAN_UNSUPPORTED, // well-formed, but uses something memplan does not know
  MEMPLAN_IO,          // the system refused to read or write
  MEMPLAN_INTERNAL     // a bug: a result failed its own check
} memplan_status;

// One message for people: what, where (file, line and column, tensor or row), why, and what to do.
typedef struct memplan_error {
  memplan_status status;
  char message[1024];
} memplan_error;

// Stores the formatted message (cut at the buffer's end) and returns `status`. `error` may be NULL.
memplan_status memplan_fail(memplan_error *error, memplan_status status, const char *format, ...) MEMPLAN_PRINTF(3, 4);

// Shorthand for memplan_fail(error, MEMPLAN_NOMEM, "out of memory").
memplan_status memplan_fail_nomem(memplan_error *error);

// Puts "prefix: " before the message already stored. Does nothing if `error` is NULL or holds no message.
void memplan_error_prefix(memplan_error *error, const char *format, ...) MEMPLAN_PRINTF(2, 3);

// A stable lower-case word for each status ("ok", "out of memory", "bad input", …).
const char *memplan_status_name(memplan_status status);

// Forwards a failure to the caller. The only macro of memplan that returns.
#define MEMPLAN_TRY(call)                                                                                              \
  do {                                                                                                                 \
    memplan_status memplan_try_status = (call);                                                                        \
    if (memplan_try_status != MEMPLAN_OK) {                                                                            \
      return memplan_try_status;                                                                                       \
    }                                                                                                                  \
  } while (0)

#endif
