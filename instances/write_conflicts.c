// SPDX-License-Identifier: Apache-2.0
#include "instances/write_conflicts.h"

#include "instances/write_csv.h"
#include "model/conflict_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_pairs = INT64_C(1) << 27;

static memplan_status put_text(const memplan_instance *instance, const memplan_conflict_pairs *found, char **text,
                               memplan_error *error) {
  size_t length = 0;
  FILE *out = open_memstream(text, &length);
  if (out == NULL) {
    return memplan_fail_nomem(error);
  }
  const memplan_buffer *buffers = instance->buffers;
  bool header = true;
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    header = header && strcmp(buffers[k].id, "first") != 0 && strcmp(buffers[k].id, "second") != 0;
  }
  (void)fputs(header ? "first,second\n" : "", out);
  for (int64_t k = 0; k < found->n_pairs; k++) {
    memplan_csv_write_cell(buffers[found->pairs[k].first].id, out);
    (void)fputc(',', out);
    memplan_csv_write_cell(buffers[found->pairs[k].second].id, out);
    (void)fputc('\n', out);
  }
  bool good = ferror(out) == 0;
  good = fclose(out) == 0 && good;
  if (!good) {
    free(*text);
    *text = NULL;
  }
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_conflicts_write(const memplan_instance *instance, char **text, memplan_export_report *report,
                                       memplan_error *error) {
  memplan_conflict_pairs found;
  *text = NULL;
  MEMPLAN_TRY(memplan_conflict_pairs_find(instance, most_pairs, NULL, &found, error));
  memplan_status status;
  if (found.too_many) {
    status = memplan_fail(error, MEMPLAN_UNSUPPORTED, "more than %lld pairs of buffers conflict; write the lifetimes",
                          (long long)most_pairs);
  } else if (!memplan_export_report_add(report, "lifetimes and rules become %lld pairs of conflicts",
                                        (long long)found.n_pairs)) {
    status = memplan_fail_nomem(error);
  } else {
    status = put_text(instance, &found, text, error);
  }
  memplan_conflict_pairs_free(&found);
  return status;
}
