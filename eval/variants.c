// SPDX-License-Identifier: Apache-2.0
// A setting is named if two lines have other values of it. A limit that only some of the lines have, as `without`, was
// asked for in these alone, and is named too; an option of the problem that a line does not have says nothing.
//
// Some options belong to a file as its tensors do: models have dimensions of their own. Between lines of two files they
// differ without telling anything, so they are compared, and named, among the lines of one file alone.
#include "eval/variants.h"

#include "model/base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "a,b" of ["a","b"]: the text without what only JSON needs.
static char *plain_text(const json_t *value, memplan_arena *arena) {
  char *text = memplan_json_text(value);
  char *plain = text == NULL ? NULL : memplan_arena_text(arena, text, strlen(text));
  free(text);
  size_t n = 0;
  for (size_t i = 0; plain != NULL && plain[i] != '\0'; i++) {
    if (strchr("[]{}\"", plain[i]) == NULL) {
      plain[n++] = plain[i];
    }
  }
  if (plain != NULL) {
    plain[n] = '\0';
  }
  return plain;
}

static bool is_of_file(const char *key) {
  static const char *const keys[] = {"dims", "shapes", "pin_space", "lifetimes"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (strcmp(keys[i], key) == 0) {
      return true;
    }
  }
  return false;
}

// The name of a problem stands among its options, and the seed among the limits; neither is a setting.
static bool is_setting(const char *key, bool of_problem) { return strcmp(key, of_problem ? "name" : "seed") != 0; }

static memplan_status read_settings(const json_t *object, bool of_problem, memplan_arena *arena,
                                    memplan_result_line *line, memplan_error *error) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    if (!is_setting(key, of_problem)) {
      continue;
    }
    memplan_result_setting *setting = &line->settings[line->n_settings];
    *setting = (memplan_result_setting){.key = memplan_arena_text(arena, key, strlen(key)),
                                        .value = plain_text(value, arena),
                                        .of_problem = of_problem};
    if (setting->key == NULL || setting->value == NULL) {
      return memplan_fail_nomem(error);
    }
    line->n_settings++;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_variants_read(const json_t *value, memplan_arena *arena, memplan_result_line *line,
                                     memplan_error *error) {
  const json_t *options = json_object_get(value, "options"), *limits = json_object_get(value, "limits");
  line->variant = line->problem_variant = "";
  line->n_settings = 0;
  line->settings = MEMPLAN_NEW(arena, memplan_result_setting, json_object_size(options) + json_object_size(limits));
  if (line->settings == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(read_settings(options, true, arena, line, error));
  return read_settings(limits, false, arena, line, error);
}

typedef struct known_setting {
  const memplan_result_setting *first;
  int32_t n_lines;
  bool differs;
} known_setting;

// Keys of options and of limits never meet: the names of options have no mark. Keys of a file's options name the file.
static const char *marked_key(const memplan_result_line *line, const memplan_result_setting *setting,
                              memplan_arena *arena) {
  const char *file = setting->of_problem && is_of_file(setting->key) ? line->instance : NULL;
  size_t size = strlen(setting->key) + (file == NULL ? 0 : strlen(file)) + 3;
  char *key = MEMPLAN_NEW(arena, char, size);
  if (key != NULL) {
    (void)snprintf(key, size, "%s%s%s%s", setting->of_problem ? "" : "-", setting->key, file == NULL ? "" : "\n",
                   file == NULL ? "" : file);
  }
  return key;
}

static memplan_status count_settings(const memplan_results *results, memplan_arena *arena, memplan_names *names,
                                     known_setting *known, int32_t *of_setting, memplan_error *error) {
  int32_t n = 0;
  int64_t at = 0;
  for (int32_t i = 0; i < results->n_lines; i++) {
    const memplan_result_line *line = &results->lines[i];
    for (int32_t k = 0; k < line->n_settings; k++) {
      const memplan_result_setting *setting = &line->settings[k];
      const char *key = marked_key(line, setting, arena);
      int32_t index = key == NULL ? -2 : memplan_names_add(names, key, n);
      if (index == -2) {
        return memplan_fail_nomem(error);
      }
      if (index == -1) {
        index = n++;
        known[index] = (known_setting){.first = setting};
      }
      known[index].n_lines++;
      known[index].differs |= strcmp(known[index].first->value, setting->value) != 0;
      of_setting[at++] = index;
    }
  }
  for (int32_t k = 0; k < n; k++) {
    known[k].differs |= !known[k].first->of_problem && known[k].n_lines < results->n_lines;
  }
  return MEMPLAN_OK;
}

static const char *join_settings(const memplan_result_line *line, const known_setting *known, const int32_t *of_setting,
                                 bool all, memplan_arena *arena) {
  size_t size = 1;
  for (int32_t k = 0; k < line->n_settings; k++) {
    size += strlen(line->settings[k].key) + strlen(line->settings[k].value) + 2;
  }
  char *text = MEMPLAN_NEW(arena, char, size);
  size_t length = 0;
  for (int32_t k = 0; text != NULL && k < line->n_settings; k++) {
    const memplan_result_setting *setting = &line->settings[k];
    if (known[of_setting[k]].differs && (all || setting->of_problem)) {
      int written =
          snprintf(text + length, size - length, "%s%s=%s", length > 0 ? " " : "", setting->key, setting->value);
      length += written > 0 ? (size_t)written : 0;
    }
  }
  return text;
}

memplan_status memplan_variants_find(memplan_results *results, memplan_error *error) {
  memplan_arena scratch = {0};
  memplan_names names = {0};
  int64_t total = 0;
  for (int32_t i = 0; i < results->n_lines; i++) {
    total += results->lines[i].n_settings;
  }
  known_setting *known = MEMPLAN_NEW(&scratch, known_setting, total);
  int32_t *of_setting = MEMPLAN_NEW(&scratch, int32_t, total);
  memplan_status status = known == NULL || of_setting == NULL
                              ? memplan_fail_nomem(error)
                              : count_settings(results, &scratch, &names, known, of_setting, error);
  int64_t at = 0;
  for (int32_t i = 0; status == MEMPLAN_OK && i < results->n_lines; i++) {
    memplan_result_line *line = &results->lines[i];
    line->variant = join_settings(line, known, of_setting + at, true, &results->arena);
    line->problem_variant = join_settings(line, known, of_setting + at, false, &results->arena);
    if (line->variant == NULL || line->problem_variant == NULL) {
      status = memplan_fail_nomem(error);
    }
    at += line->n_settings;
  }
  memplan_names_free(&names);
  memplan_arena_free(&scratch);
  return status;
}
