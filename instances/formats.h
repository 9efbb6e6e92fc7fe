// SPDX-License-Identifier: Apache-2.0
// The one list of file formats that memplan reads and writes.
#ifndef MEMPLAN_INSTANCES_FORMATS_H
#define MEMPLAN_INSTANCES_FORMATS_H

#include "instances/format.h"

#include <stddef.h>
#include <stdint.h>

int32_t memplan_format_count(void);
const memplan_file_format *memplan_format_at(int32_t index);

// By name or alias; NULL if there is none.
const memplan_file_format *memplan_format_find(const char *name);

// The format of a file from its first `length` bytes and, where these leave it open, from its name (NULL: unknown).
// NULL if neither tells.
const memplan_file_format *memplan_format_detect(const char *head, size_t length, const char *path);

// The format to write a problem in: the one named or, if `name` is NULL, the one of the path's extension. "json" and
// ".json" are the JSON form of the problem. NULL if there is none; it may be one that memplan does not write.
const memplan_file_format *memplan_format_for_output(const char *name, const char *path,
                                                     const memplan_problem *problem);

typedef enum memplan_format_use { MEMPLAN_FORMAT_READ = 0, MEMPLAN_FORMAT_WRITE } memplan_format_use;

bool memplan_format_can(const memplan_file_format *format, memplan_format_use use);

// The names of all that can, for messages: "onnx, csv". Cut if they need more than `size` bytes.
void memplan_format_names(memplan_format_use use, char *text, size_t size);

#endif
