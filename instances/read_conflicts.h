// SPDX-License-Identifier: Apache-2.0
// Pairs of buffers that may not share memory, as planners give them that know no lifetimes (TVM's USMP, MindSpore's
// SOMAS): a CSV of two ids a row. The first row is a header if neither of its cells is an id.
#ifndef MEMPLAN_INSTANCES_READ_CONFLICTS_H
#define MEMPLAN_INSTANCES_READ_CONFLICTS_H

#include "model/base/status.h"
#include "model/instance.h"

#include <stddef.h>

// Adds the pairs to the conflicts of an instance that is not resolved yet. `path` names the file in messages, each of
// which says FILE:LINE:COLUMN. MEMPLAN_INPUT for unknown ids and pairs of a buffer with itself; a pair may be repeated.
memplan_status memplan_conflicts_parse(const char *text, size_t length, const char *path, memplan_instance *instance,
                                       memplan_error *error);

// The same from a file ("-": standard input).
memplan_status memplan_conflicts_read(const char *path, memplan_instance *instance, memplan_error *error);

#endif
