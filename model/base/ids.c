// SPDX-License-Identifier: Apache-2.0
#include "model/base/ids.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right) {
  const memplan_id *a = left;
  const memplan_id *b = right;
  int order = strcmp(a->text, b->text);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

void memplan_ids_sort(memplan_id *ids, int32_t count) {
  if (count > 1) {
    qsort(ids, (size_t)count, sizeof *ids, compare);
  }
}

int32_t memplan_ids_find(const memplan_id *ids, int32_t count, const char *text) {
  int32_t low = 0;
  int32_t high = count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (strcmp(ids[middle].text, text) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && strcmp(ids[low].text, text) == 0 ? low : -1;
}
