// SPDX-License-Identifier: Apache-2.0
// Works on the text, so that it knows nothing of problems: whatever a step breaks (a pair whose buffer is gone, a form
// that is no longer named), the reader refuses, and the step is not taken. Each step taken shortens the text or lowers
// a number, hence the end.
#include "tests/support/shrink.h"

#include "tests/support/problem_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shrinking {
  char *text;
  const memplan_problem_options *options;
  shrink_differs differs;
  void *context;
} shrinking;

static bool asks_yes(const shrinking *work, const char *text) {
  memplan_problem problem;
  memplan_error error = {0};
  bool yes = support_read(&problem, "shrunk.json", text, work->options, &error) == MEMPLAN_OK;
  yes = yes && work->differs(&problem, work->context);
  memplan_problem_free(&problem);
  return yes;
}

static size_t skip_space(const char *text, size_t at) { return at + strspn(text + at, " \n\r\t"); }

static size_t skip_string(const char *text, size_t at) {
  for (at++; text[at] != '"' && text[at] != '\0'; at++) {
    at += text[at] == '\\' && text[at + 1] != '\0';
  }
  return text[at] == '"' ? at + 1 : at;
}

// The end of the element or member that begins here.
static size_t skip_element(const char *text, size_t at) {
  int32_t depth = 0;
  while (text[at] != '\0') {
    if (text[at] == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (depth == 0 && strchr(",]}", text[at]) != NULL) {
      break;
    }
    depth += (text[at] == '[' || text[at] == '{') - (text[at] == ']' || text[at] == '}');
    at++;
  }
  return at;
}

// Replaces [from, to) by `with` if the answers differ then.
static bool try_step(shrinking *work, size_t from, size_t to, const char *with) {
  size_t length = strlen(work->text), added = strlen(with);
  char *next = malloc(length + added + 1);
  if (next == NULL) {
    return false;
  }
  memcpy(next, work->text, from);
  memcpy(next + from, with, added);
  memcpy(next + from + added, work->text + to, length - to + 1);
  if (!asks_yes(work, next)) {
    free(next);
    return false;
  }
  free(work->text);
  work->text = next;
  return true;
}

// Takes out what begins here, with the comma behind it or, of the last one, before it.
static bool take_out(shrinking *work, size_t from) {
  size_t to = skip_element(work->text, from), before = from;
  if (work->text[to] == ',') {
    return try_step(work, from, skip_space(work->text, to + 1), "");
  }
  while (before > 0 && strchr(" \n\r\t", work->text[before - 1]) != NULL) {
    before--;
  }
  before -= before > 0 && work->text[before - 1] == ',';
  return try_step(work, before, to, "");
}

static bool lower(shrinking *work, size_t from) {
  size_t to = from + strspn(work->text + from, "0123456789");
  int64_t value = strtoll(work->text + from, NULL, 10), tried[] = {0, 1, value / 2, value - 1};
  for (size_t k = 0; k < sizeof tried / sizeof tried[0]; k++) {
    char with[24];
    (void)snprintf(with, sizeof with, "%lld", (long long)tried[k]);
    if (tried[k] >= 0 && tried[k] < value && try_step(work, from, to, with)) {
      return true;
    }
  }
  return false;
}

// Every step at every place once. False: none was taken.
static bool pass(shrinking *work) {
  bool changed = false;
  for (size_t at = 0; work->text[at] != '\0';) {
    char here = work->text[at];
    if (here == '[' || here == '{' || here == ',') {
      size_t from = skip_space(work->text, at + 1);
      if (strchr("]}", work->text[from]) == NULL && take_out(work, from)) {
        changed = true;
        at -= work->text[at] == '\0' || (here == ',' && work->text[at] != ','); // a comma went with its element
        continue;
      }
    } else if (here == '"') {
      at = skip_string(work->text, at);
      continue;
    } else if (here >= '0' && here <= '9') {
      while (lower(work, at)) {
        changed = true;
      }
      at += strspn(work->text + at, "0123456789");
      continue;
    }
    at++;
  }
  return changed;
}

char *shrink_text(const char *text, const memplan_problem_options *options, shrink_differs differs, void *context) {
  shrinking work = {.text = strdup(text), .options = options, .differs = differs, .context = context};
  if (work.text == NULL || !asks_yes(&work, text)) {
    free(work.text);
    return NULL;
  }
  while (pass(&work)) {
  }
  return work.text;
}

void shrink_print(const memplan_problem *problem, shrink_differs differs, void *context) {
  char *text = support_export(problem, problem->has_graph ? "graph-json" : "instance-json");
  char *small = shrink_text(text, &problem->options, differs, context);
  const memplan_problem_options *options = &problem->options;
  static const char *const io[] = {"arena", "external", "persistent"};
  printf("--io %s --weights %s --inplace %s%s --align %lld\n", io[options->io],
         options->weights == MEMPLAN_WEIGHTS_RESIDENT ? "resident" : "external",
         options->inplace == MEMPLAN_INPLACE_NONE ? "none" : "safe",
         options->inputs_writable ? " --inputs-writable" : "", (long long)options->align);
  printf("%s:\n%s\n", small != NULL ? "shrunk" : "as written, without a difference when read again",
         small != NULL ? small : text);
  free(small);
  free(text);
}
