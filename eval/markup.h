// SPDX-License-Identifier: Apache-2.0
// Text in XML and HTML.
#ifndef MEMPLAN_EVAL_MARKUP_H
#define MEMPLAN_EVAL_MARKUP_H

#include <stdio.h>

// Writes at most `limit` characters of `text` (0: all) as the content of an element or of a quoted attribute. What XML
// cannot hold (control characters, bytes that are no UTF-8) becomes U+FFFD; a cut ends in an ellipsis.
void memplan_markup_write(FILE *out, const char *text, size_t limit);

#endif
