// SPDX-License-Identifier: Apache-2.0
// Foreign text in messages: cut to a readable length at a character's border; control characters of ASCII and invalid
// UTF-8 are shown as \xNN, other control characters, line separators and marks of the writing direction as \uNNNN, so
// that no file can break a message into lines or drive a terminal. Showing a text that is shown already changes
// nothing.
#ifndef MEMPLAN_BASE_QUOTE_H
#define MEMPLAN_BASE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct memplan_quoted {
  char text[104];
} memplan_quoted;

// Meant for use inside a call, as in memplan_fail(error, MEMPLAN_INPUT, "no tensor '%s'", memplan_quote(id).text).
// NULL gives the empty text.
memplan_quoted memplan_quote(const char *text);
memplan_quoted memplan_quote_bytes(const char *text, size_t length);

// The end of a path, which tells more than its start; at most 300 bytes.
typedef struct memplan_quoted_path {
  char text[304];
} memplan_quoted_path;
memplan_quoted_path memplan_quote_path(const char *path);

// One character of a text, as it is shown.
typedef struct memplan_shown {
  char text[12];
  size_t bytes; // of it
  int width;    // columns on a terminal
} memplan_shown;

// Shows the first character of `text`, of `length` > 0 bytes; returns how many of them it takes.
size_t memplan_shown_next(const char *text, size_t length, memplan_shown *shown);

// Replaces a text in a buffer of `size` <= 2048 bytes by what is shown of it, as far as that fits. `cut`: the text was
// cut somewhere, maybe inside its last character, which then is left out.
void memplan_show_in_place(char *text, size_t size, bool cut);

// Length of the UTF-8 character that starts at text[0], of `length` > 0 bytes: 1 … 4, or 0 if it is not valid.
size_t memplan_utf8_length(const char *text, size_t length);

#endif
