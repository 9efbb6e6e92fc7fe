// SPDX-License-Identifier: Apache-2.0
#include "model/base/file.h"
#include "model/base/json.h"
#include "model/base/quote.h"
#include "model/memplan.h"
#include "model/plan_json.h"

#include <stdlib.h>
#include <string.h>

static memplan_status read_plan(const char *text, size_t length, bool strict, memplan_plan *plan,
                                memplan_error *error) {
  json_t *document = NULL;
  MEMPLAN_TRY(memplan_json_parse(text, length, &document, error));
  memplan_status status = memplan_plan_from_json(document, strict, plan, error);
  json_decref(document);
  return status;
}

memplan_status memplan_plan_read_text(const char *text, size_t length, const char *path, bool strict,
                                      memplan_plan *plan, memplan_error *error) {
  memplan_status status = read_plan(text, length, strict, plan, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(path).text);
    memplan_plan_free(plan);
  }
  return status;
}

memplan_status memplan_plan_read(const char *path, bool strict, memplan_plan *plan, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_file_load(path, &text, &length, error));
  memplan_status status = memplan_plan_read_text(text, length, path, strict, plan, error);
  free(text);
  return status;
}

memplan_status memplan_plan_write(const memplan_plan *plan, const char *path, memplan_error *error) {
  char *text = memplan_plan_text(plan);
  if (text == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = memplan_file_write(path, text, strlen(text), error);
  free(text);
  return status;
}
