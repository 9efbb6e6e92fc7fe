// SPDX-License-Identifier: Apache-2.0
// The JSON form of the options is compared with that of a problem without any. Its keys are the names of the options
// with '_' for '-', but for the few that stand in a table.
#include "eval/reading.h"

#include "model/base/quote.h"
#include "model/problem_json.h"

#include <inttypes.h>
#include <string.h>

json_t *memplan_reading_options(const memplan_problem *problem) {
  memplan_problem empty;
  memplan_problem_init(&empty);
  json_t *own = memplan_problem_reading_json(problem), *defaults = memplan_problem_reading_json(&empty);
  json_t *options = json_object();
  bool good = own != NULL && defaults != NULL && options != NULL;
  const char *key;
  json_t *value;
  json_object_foreach(good ? own : NULL, key, value) {
    bool lifetimes = strcmp(key, "lifetimes") == 0;
    bool named = lifetimes ? problem->instance.lifetimes_forced
                           : strcmp(key, "name") != 0 && json_equal(value, json_object_get(defaults, key)) != 1;
    good = good && (!named || json_object_set(options, key, value) == 0);
  }
  json_decref(own);
  json_decref(defaults);
  memplan_problem_free(&empty);
  if (!good) {
    json_decref(options);
    return NULL;
  }
  return options;
}

static void write_name(const char *key, FILE *out) {
  static const char *const names[][2] = {
      {"branch_sharing", "no-branch-sharing"}, {"dims", "dim"}, {"shapes", "shape"}, {NULL, NULL}};
  for (int32_t i = 0; names[i][0] != NULL; i++) {
    if (strcmp(names[i][0], key) == 0) {
      fprintf(out, " --%s", names[i][1]);
      return;
    }
  }
  fputs(" --", out);
  for (const char *at = key; *at != '\0'; at++) {
    fputc(*at == '_' ? '-' : *at, out);
  }
}

// A number, a word, or the sizes of a shape.
static void write_value(const json_t *value, FILE *out) {
  if (json_is_string(value)) {
    fputs(memplan_quote(json_string_value(value)).text, out);
  } else if (json_is_integer(value)) {
    fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  } else if (json_is_array(value)) {
    size_t rank = json_array_size(value);
    fputs(rank == 0 ? "scalar" : "", out);
    for (size_t d = 0; d < rank; d++) {
      fprintf(out, "%s%" JSON_INTEGER_FORMAT, d == 0 ? "" : "x", json_integer_value(json_array_get(value, d)));
    }
  }
}

void memplan_reading_write_text(const json_t *options, const memplan_problem *problem, FILE *out) {
  const char *key, *name;
  json_t *value, *entry;
  fputs(json_object_size(options) > 0 ? " with" : "", out);
  json_object_foreach((json_t *)options, key, value) {
    if (strcmp(key, "conflicts") == 0) {
      fprintf(out, " --conflicts %s", memplan_quote_path(problem->options.conflicts_path).text);
    } else if (json_is_object(value)) {
      json_object_foreach(value, name, entry) {
        write_name(key, out);
        fprintf(out, " %s=", memplan_quote(name).text);
        write_value(entry, out);
      }
    } else {
      write_name(key, out);
      fputs(json_is_boolean(value) ? "" : " ", out);
      write_value(value, out);
    }
  }
}
