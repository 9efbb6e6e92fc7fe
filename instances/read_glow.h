// SPDX-License-Identifier: Apache-2.0
// Traces of Glow's memory allocator: one event a line.
//
//   MODEL name       at most once
//   ALIGN bytes      at most once, before the first event: alignment of every buffer; 1 without it
//   ALLOC id size    the id must not be live
//   FREE id          the id must be live
//   MEM bytes        what the recorded plan took, and
//   EFF ratio        its load over that; each at most once, behind all events
//
// Time is the number of the event; lifetimes are half-open. What is never freed is freed at the end, in the order of
// its allocation. An id that is allocated again becomes another buffer "ID#2", "ID#3", ….
#ifndef MEMPLAN_INSTANCES_READ_GLOW_H
#define MEMPLAN_INSTANCES_READ_GLOW_H

#include "model/base/status.h"
#include "model/instance.h"
#include "model/types.h"

#include <stddef.h>

// Fills an initialised instance, which is not resolved yet. `path` names the file in messages, each of which says
// FILE:LINE:COLUMN. Of the options: strict. Expected time O(length).
memplan_status memplan_glow_parse(const char *text, size_t length, const char *path,
                                  const memplan_problem_options *options, memplan_instance *instance,
                                  memplan_error *error);

#endif
