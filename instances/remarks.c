// SPDX-License-Identifier: Apache-2.0
#include "instances/remarks.h"

#include <stdarg.h>
#include <stdio.h>

enum { line_size = 512 };

static memplan_status store(memplan_remarks *remarks, const char *line, memplan_error *error) {
  bool stored = remarks->graph != NULL ? memplan_graph_warn(remarks->graph, "%s", line)
                                       : memplan_instance_warn(remarks->instance, "%s", line);
  return stored ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_remarks_warn(memplan_remarks *remarks, memplan_remark_kind kind, memplan_error *error,
                                    const char *format, ...) {
  if (!remarks->strict && remarks->counts[kind]++ >= MEMPLAN_REMARKS_SHOWN) {
    return MEMPLAN_OK;
  }
  char line[line_size];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (remarks->strict) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s (an error because of strict)", line);
  }
  return store(remarks, line, error);
}

memplan_status memplan_remarks_note(memplan_remarks *remarks, memplan_error *error, const char *format, ...) {
  char line[line_size];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return store(remarks, line, error);
}

memplan_status memplan_remarks_finish(memplan_remarks *remarks, memplan_error *error) {
  static const char *const names[MEMPLAN_REMARK_KINDS] = {
      [MEMPLAN_REMARK_KEY] = "unknown keys or columns",
      [MEMPLAN_REMARK_DTYPE] = "unknown types",
      [MEMPLAN_REMARK_NAME] = "renamed ids",
      [MEMPLAN_REMARK_OTHER] = "warnings of this file",
  };
  for (int kind = 0; kind < MEMPLAN_REMARK_KINDS; kind++) {
    int64_t hidden = remarks->counts[kind] - MEMPLAN_REMARKS_SHOWN;
    if (hidden > 0) {
      MEMPLAN_TRY(memplan_remarks_note(remarks, error, "%lld more %s are not listed", (long long)hidden, names[kind]));
    }
  }
  return MEMPLAN_OK;
}
