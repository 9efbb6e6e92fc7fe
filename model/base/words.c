// SPDX-License-Identifier: Apache-2.0
#include "model/base/words.h"

#include <stddef.h>
#include <string.h>

bool memplan_words_hold(const char *words, const char *word) {
  size_t length = strlen(word);
  while (*words != '\0') {
    size_t next = strcspn(words, " ");
    if (next == length && memcmp(words, word, length) == 0) {
      return true;
    }
    words += next;
    words += strspn(words, " ");
  }
  return false;
}
