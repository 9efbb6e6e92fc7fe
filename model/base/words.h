// SPDX-License-Identifier: Apache-2.0
// Lists of words in one text, separated by single spaces; "" is the empty list.
#ifndef MEMPLAN_BASE_WORDS_H
#define MEMPLAN_BASE_WORDS_H

#include <stdbool.h>

// Is `word` one of them?
bool memplan_words_hold(const char *words, const char *word);

#endif
