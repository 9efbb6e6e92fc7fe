// SPDX-License-Identifier: Apache-2.0
// Tells files that memplan writes from the problems that it reads, so that messages can say which one stands in the
// wrong place.
#ifndef MEMPLAN_EVAL_FILE_KIND_H
#define MEMPLAN_EVAL_FILE_KIND_H

#include <stddef.h>

typedef enum memplan_file_kind {
  MEMPLAN_FILE_OTHER = 0, // a problem, or anything else
  MEMPLAN_FILE_PLAN,
  MEMPLAN_FILE_CERTIFICATE
} memplan_file_kind;

// Of a text, by its first bytes. A damaged file is of the kind that it begins as.
memplan_file_kind memplan_file_kind_of(const char *text, size_t length);

// Of a file. What is no regular file that can be read is OTHER; nothing is taken from a pipe.
memplan_file_kind memplan_file_kind_at(const char *path);

#endif
