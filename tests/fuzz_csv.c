// SPDX-License-Identifier: Apache-2.0
// Any bytes as a lifetimes CSV of some dialect, an allocation trace, or pairs of conflicts. What is accepted must come
// back as the same problem from the CSV and the JSON that are written of it. The first byte chooses.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instances/generators.h"
#include "instances/read_conflicts.h"
#include "model/memplan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const memplan_problem *problem, const char *format, const char *path) {
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  memplan_status status = memplan_export_text(problem, NULL, format, NULL, &text, &length, NULL, &error);
  if (status != MEMPLAN_OK) {
    (void)fprintf(stderr, "%s: %s\n", format, error.message);
    abort();
  }
  memplan_problem_options options = memplan_problem_options_default();
  options.pin_offsets = problem->options.pin_offsets && strcmp(format, "csv") == 0;
  memplan_problem again;
  memplan_problem_init(&again);
  status = memplan_read_text(text, length, path, NULL, &options, &again, &error);
  if (status != MEMPLAN_OK || strcmp(again.fingerprint, problem->fingerprint) != 0) {
    (void)fprintf(stderr, "%s: not the same problem: %s\n%s", format, error.message, text);
    abort();
  }
  memplan_problem_free(&again);
  free(text);
}

static void fuzz_conflicts(const char *text, size_t length) {
  memplan_instance instance;
  memplan_error error = {0};
  memplan_instance_init(&instance);
  if (memplan_generator_allocate(&instance, 12, &error) != MEMPLAN_OK) {
    abort();
  }
  memplan_status status = memplan_conflicts_parse(text, length, "fuzz.csv", &instance, &error);
  if ((status == MEMPLAN_OK) != (error.message[0] == '\0') ||
      (status == MEMPLAN_OK && memplan_instance_resolve(&instance, 1, &error) != MEMPLAN_OK)) {
    abort();
  }
  memplan_instance_free(&instance);
}

// A trace that was accepted can be written, and what is written can be read.
static void check_trace(const memplan_problem *problem) {
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  memplan_problem again;
  memplan_problem_init(&again);
  if (memplan_export_text(problem, NULL, "glow", NULL, &text, &length, NULL, &error) != MEMPLAN_OK ||
      memplan_read_text(text, length, "t.txt", "glow", NULL, &again, &error) != MEMPLAN_OK ||
      again.instance.n_buffers != problem->instance.n_buffers) {
    (void)fprintf(stderr, "glow: %s\n", error.message);
    abort();
  }
  memplan_problem_free(&again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const formats[] = {"csv", "omnimalloc", "idealloc", "glow"};
  if (size == 0) {
    return 0;
  }
  const char *format = formats[data[0] >> 4 & 3];
  if (data[0] >> 4 == 4) {
    fuzz_conflicts((const char *)data + 1, size - 1);
    return 0;
  }
  memplan_problem_options options = memplan_problem_options_default();
  options.strict = (data[0] & 1) != 0;
  options.rename_dups = (data[0] & 2) != 0;
  options.pin_offsets = (data[0] & 4) != 0;
  options.lifetimes = (data[0] & 8) != 0 ? MEMPLAN_LIFETIMES_INCLUSIVE : MEMPLAN_LIFETIMES_AUTO;
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  memplan_status status =
      memplan_read_text((const char *)data + 1, size - 1, "fuzz.csv", format, &options, &problem, &error);
  if ((status == MEMPLAN_OK) != (error.message[0] == '\0')) {
    abort();
  }
  if (status == MEMPLAN_OK) {
    check_round_trip(&problem, "instance-json", "t.json");
    if (strcmp(format, "glow") == 0) {
      check_trace(&problem); // it has a name, which a CSV would lose
    } else {
      check_round_trip(&problem, "csv", "t.csv");
    }
  }
  memplan_problem_free(&problem);
  return 0;
}
