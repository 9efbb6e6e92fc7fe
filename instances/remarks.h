// SPDX-License-Identifier: Apache-2.0
// Warnings of a reader: lines of the graph or instance that is read, few of each kind, and errors under --strict.
#ifndef MEMPLAN_INSTANCES_REMARKS_H
#define MEMPLAN_INSTANCES_REMARKS_H

#include "model/graph.h"
#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum memplan_remark_kind {
  MEMPLAN_REMARK_KEY = 0, // unknown keys and columns
  MEMPLAN_REMARK_DTYPE,
  MEMPLAN_REMARK_NAME,
  MEMPLAN_REMARK_OTHER,
  MEMPLAN_REMARK_KINDS
} memplan_remark_kind;

// Exactly one of graph and instance is set. A zeroed struct but for those and `strict` is ready for use.
typedef struct memplan_remarks {
  memplan_graph *graph;
  memplan_instance *instance;
  bool strict;
  int64_t counts[MEMPLAN_REMARK_KINDS];
} memplan_remarks;

enum { MEMPLAN_REMARKS_SHOWN = 10 }; // of one kind

// A warning. Under `strict` MEMPLAN_INPUT with the same text.
memplan_status memplan_remarks_warn(memplan_remarks *remarks, memplan_remark_kind kind, memplan_error *error,
                                    const char *format, ...) MEMPLAN_PRINTF(4, 5);

// Something to know, which is no fault of the file: never an error.
memplan_status memplan_remarks_note(memplan_remarks *remarks, memplan_error *error, const char *format, ...)
    MEMPLAN_PRINTF(3, 4);

// Says how many warnings were not shown. Call once, at the end.
memplan_status memplan_remarks_finish(memplan_remarks *remarks, memplan_error *error);

#endif
