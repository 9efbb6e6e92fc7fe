// SPDX-License-Identifier: Apache-2.0
// What a message says may come from a file: control characters are written out here once, whoever prints it.
#include "model/base/status.h"

#include "model/base/quote.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

memplan_status memplan_fail(memplan_error *error, memplan_status status, const char *format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    memplan_show_in_place(error->message, sizeof error->message, length >= (int)sizeof error->message);
  }
  return status;
}

memplan_status memplan_fail_nomem(memplan_error *error) { return memplan_fail(error, MEMPLAN_NOMEM, "out of memory"); }

void memplan_error_prefix(memplan_error *error, const char *format, ...) {
  if (error == NULL || error->message[0] == '\0') {
    return;
  }
  char text[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (used < 0) {
    return;
  }
  size_t length = (size_t)used < sizeof text - 4 ? (size_t)used : sizeof text - 4;
  int rest = snprintf(text + length, sizeof text - length, ": %s", error->message);
  memcpy(error->message, text, sizeof text);
  bool cut = used != (int)length || rest < 0 || length + (size_t)rest >= sizeof text;
  memplan_show_in_place(error->message, sizeof error->message, cut);
}

const char *memplan_status_name(memplan_status status) {
  switch (status) {
  case MEMPLAN_OK:
    return "ok";
  case MEMPLAN_NOMEM:
    return "out of memory";
  case MEMPLAN_INPUT:
    return "bad input";
  case MEMPLAN_UNSUPPORTED:
    return "unsupported";
  case MEMPLAN_IO:
    return "input/output error";
  case MEMPLAN_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}
