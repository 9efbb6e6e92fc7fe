// SPDX-License-Identifier: Apache-2.0
// Any bytes as one of memplan's JSON forms: graph, instance or plan, as the document says; and as a problem of
// dsa-solver. What is accepted must come back unchanged from the text that is written of it.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memplan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_dsa(const char *text, size_t length, bool strict) {
  memplan_problem_options options = memplan_problem_options_default();
  options.strict = strict;
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  memplan_status status = memplan_read_text(text, length, "fuzz.json", "dsa", &options, &problem, &error);
  if ((status == MEMPLAN_OK) != (error.message[0] == '\0')) {
    abort();
  }
  static const char *const targets[] = {"instance-json", "dsa"};
  for (int i = 0; i < 2 && status == MEMPLAN_OK; i++) {
    char *written = NULL;
    size_t written_length = 0;
    memplan_problem again;
    memplan_problem_init(&again);
    memplan_status result =
        memplan_export_text(&problem, NULL, targets[i], NULL, &written, &written_length, NULL, &error);
    bool same = result == MEMPLAN_OK &&
                memplan_read_text(written, written_length, "t.json", targets[i], NULL, &again, &error) == MEMPLAN_OK &&
                (i == 1 || strcmp(again.fingerprint, problem.fingerprint) == 0);
    // Of what dsa-solver's form says in another way only the size is the same; times next to 2^63 leave no room for it.
    if (!same && !(i == 1 && result == MEMPLAN_UNSUPPORTED)) {
      (void)fprintf(stderr, "%s: %s\n", targets[i], error.message);
      abort();
    }
    memplan_problem_free(&again);
    free(written);
  }
  memplan_problem_free(&problem);
}

static void fuzz_problem(const char *text, size_t length, bool strict) {
  memplan_problem_options options = memplan_problem_options_default();
  options.strict = strict;
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  memplan_status status = memplan_read_text(text, length, "fuzz.json", "json", &options, &problem, &error);
  if ((status == MEMPLAN_OK) != (error.message[0] == '\0')) {
    abort();
  }
  char *written = NULL;
  size_t written_length = 0;
  if (status == MEMPLAN_OK &&
      memplan_export_text(&problem, NULL, "json", NULL, &written, &written_length, NULL, &error) == MEMPLAN_OK) {
    memplan_problem again;
    memplan_problem_init(&again);
    options.strict = false; // a tensor that nothing touches is written again, and warned about again
    status = memplan_read_text(written, written_length, "t.json", NULL, &options, &again, &error);
    if (status != MEMPLAN_OK || strcmp(again.fingerprint, problem.fingerprint) != 0) {
      (void)fprintf(stderr, "not the same problem: %s\n%s", error.message, written);
      abort();
    }
    memplan_problem_free(&again);
  }
  free(written);
  memplan_problem_free(&problem);
}

static void fuzz_plan(const char *text, size_t length, bool strict) {
  memplan_plan plan;
  memplan_error error = {0};
  memplan_plan_init(&plan);
  if (memplan_plan_read_text(text, length, "fuzz.json", strict, &plan, &error) == MEMPLAN_OK) {
    char *written = memplan_plan_text(&plan);
    memplan_plan again;
    memplan_plan_init(&again);
    if (written == NULL ||
        memplan_plan_read_text(written, strlen(written), "t.json", true, &again, &error) != MEMPLAN_OK) {
      (void)fprintf(stderr, "%s\n", error.message);
      abort();
    }
    char *rewritten = memplan_plan_text(&again);
    if (rewritten == NULL || strcmp(written, rewritten) != 0) {
      abort();
    }
    free(rewritten);
    free(written);
    memplan_plan_free(&again);
  }
  memplan_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const char *text = (const char *)data + 1;
  fuzz_problem(text, size - 1, (data[0] & 1) != 0);
  fuzz_plan(text, size - 1, (data[0] & 1) != 0);
  fuzz_dsa(text, size - 1, (data[0] & 1) != 0);
  return 0;
}
