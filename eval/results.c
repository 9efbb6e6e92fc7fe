// SPDX-License-Identifier: Apache-2.0
#include "eval/results.h"

#include "eval/summary_keys.h"
#include "eval/variants.h"
#include "model/base/grow.h"
#include "model/base/json.h"
#include "model/base/quote.h"
#include "model/problem_json.h"
#include "solvers/order_optimal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_limit(memplan_writer *writer, const char *key, int64_t value) {
  if (value < 0) {
    memplan_writer_put_number(writer, key, NULL);
  } else {
    memplan_writer_put_integer(writer, key, value);
  }
}

static const char *minimize_name(const memplan_solve_options *solve) {
  static const char *const words[] = {"peak", "total", "max"};
  return solve->minimize == MEMPLAN_MINIMIZE_POOL ? solve->minimize_pool : words[solve->minimize];
}

static void write_limits(const memplan_run *run, memplan_writer *writer) {
  const memplan_settings *settings = run->summary->settings;
  const memplan_limits *limits = &settings->solve.limits;
  memplan_writer_open(writer, memplan_summary_key_name(MEMPLAN_KEY_LIMITS), '{');
  put_limit(writer, "time_ms", limits->time_ms);
  put_limit(writer, "work", limits->work);
  memplan_writer_put_integer(writer, "threads", limits->threads);
  memplan_writer_put_integer(writer, "seed", (int64_t)limits->seed);
  put_limit(writer, "capacity", settings->problem.capacity);
  memplan_writer_put_integer(writer, "gap_millionths", settings->solve.gap_millionths);
  memplan_writer_open(writer, "score_weights", '[');
  memplan_writer_put_integer(writer, NULL, settings->solve.params.score_released);
  memplan_writer_put_integer(writer, NULL, settings->solve.params.score_path);
  memplan_writer_put_integer(writer, NULL, settings->solve.params.score_added);
  memplan_writer_close(writer, ']');
  memplan_writer_put_text(writer, "minimize", minimize_name(&settings->solve));
  if (settings->solve.own_objective && settings->solve.minimize == MEMPLAN_MINIMIZE_PEAK) {
    memplan_writer_put_boolean(writer, "own_objective", true); // else "peak" is what problems without a wish get
  }
  if (limits->memory != MEMPLAN_MEMORY_DEFAULT) {
    memplan_writer_put_integer(writer, "memory", limits->memory);
  }
  if (settings->solve.listed != NULL) {
    memplan_writer_put_text(writer, "order_file", settings->solve.listed->path);
    memplan_writer_put_text(writer, "order_digest", settings->solve.listed->digest);
  }
  if (settings->solve.without != 0) {
    memplan_writer_open(writer, "without", '[');
    const memplan_technique *technique;
    for (int32_t k = 0; (technique = memplan_technique_at(k)) != NULL; k++) {
      if ((settings->solve.without >> k & 1) != 0) {
        memplan_writer_put_text(writer, NULL, technique->name);
      }
    }
    memplan_writer_close(writer, ']');
  }
  memplan_writer_close(writer, '}');
}

static void write_options(const memplan_run *run, memplan_writer *writer) {
  const memplan_problem *problem = run->summary->problem;
  json_t *options = problem == NULL ? NULL : memplan_problem_reading_json(problem);
  char *text = options == NULL ? NULL : memplan_json_text(options);
  memplan_writer_put_json(writer, memplan_summary_key_name(MEMPLAN_KEY_OPTIONS), text);
  free(text);
  json_decref(options);
}

void memplan_run_write(const memplan_run *run, FILE *out) {
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_summary_write_keys(run->summary, &writer);
  memplan_writer_put_text(&writer, memplan_summary_key_name(MEMPLAN_KEY_INSTANCE), run->summary->path);
  memplan_writer_put_text(&writer, memplan_summary_key_name(MEMPLAN_KEY_ORDER), run->order);
  memplan_writer_put_text(&writer, memplan_summary_key_name(MEMPLAN_KEY_PLACE), run->place);
  write_options(run, &writer);
  write_limits(run, &writer);
  memplan_writer_put_text(&writer, memplan_summary_key_name(MEMPLAN_KEY_ERROR),
                          run->summary->status == MEMPLAN_OK ? NULL : run->summary->error);
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}

// What makes two runs the same, as one JSON array. That a file cannot be read for another reason is news.
static char *key_of_line(const json_t *line) {
  const json_t *input = json_object_get(line, "input"), *place = json_object_get(line, "place");
  json_t *key =
      json_pack("[O?, O?, O?, O?, O?, O?]", json_object_get(line, "instance"), json_object_get(input, "fingerprint"),
                json_object_get(line, "order"), place, json_object_get(line, "limits"),
                json_is_string(place) ? NULL : json_object_get(line, "error"));
  char *text = key == NULL ? NULL : memplan_json_text(key);
  json_decref(key);
  return text;
}

char *memplan_run_key(const memplan_run *run) {
  char *text = NULL, *key = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) {
    return NULL;
  }
  memplan_run_write(run, stream);
  json_t *line = NULL;
  if (fclose(stream) == 0 && memplan_json_parse(text, length, &line, NULL) == MEMPLAN_OK) {
    key = key_of_line(line);
  }
  json_decref(line);
  free(text);
  return key;
}

// The next line of a text that is not blank, from *at on. False at the end.
static bool next_line(const char *text, size_t length, size_t *at, int64_t *number, const char **line, size_t *size) {
  while (*at < length) {
    const char *start = text + *at, *end = memchr(start, '\n', length - *at);
    *size = end == NULL ? length - *at : (size_t)(end - start);
    *at += *size + 1;
    *number += 1;
    for (size_t i = 0; i < *size; i++) {
      if (start[i] != ' ' && start[i] != '\r' && start[i] != '\t') {
        *line = start;
        return true;
      }
    }
  }
  return false;
}

static memplan_status read_line(memplan_arena *arena, const json_t *value, memplan_result_line *line,
                                memplan_error *error) {
  const json_t *input;
  *line = (memplan_result_line){.ops = -1, .buffers = -1, .peak = -1, .lower_bound = -1, .naive_bytes = -1};
  MEMPLAN_TRY(memplan_json_string(value, "instance", NULL, true, arena, &line->instance, error));
  MEMPLAN_TRY(memplan_json_string(value, "order", NULL, false, arena, &line->order, error));
  MEMPLAN_TRY(memplan_json_string(value, "place", NULL, false, arena, &line->place, error));
  MEMPLAN_TRY(memplan_json_string(value, "status", NULL, true, arena, &line->status, error));
  MEMPLAN_TRY(memplan_json_string(value, "error", NULL, false, arena, &line->error, error));
  MEMPLAN_TRY(memplan_json_object(value, "input", NULL, true, &input, error));
  const memplan_json_place place = {.key = "input"};
  MEMPLAN_TRY(memplan_json_string(input, "fingerprint", &place, false, arena, &line->fingerprint, error));
  MEMPLAN_TRY(memplan_variants_read(value, arena, line, error));
  MEMPLAN_TRY(memplan_json_integer(input, "ops", &place, false, 0, INT32_MAX, &line->ops, error));
  MEMPLAN_TRY(memplan_json_integer(input, "buffers", &place, false, 0, INT32_MAX, &line->buffers, error));
  MEMPLAN_TRY(memplan_json_integer(value, "peak", NULL, false, 0, INT64_MAX, &line->peak, error));
  MEMPLAN_TRY(memplan_json_integer(value, "lower_bound", NULL, false, 0, INT64_MAX, &line->lower_bound, error));
  MEMPLAN_TRY(memplan_json_integer(value, "naive_bytes", NULL, false, 0, INT64_MAX, &line->naive_bytes, error));
  const char *scope = json_string_value(json_object_get(json_object_get(value, "certificate"), "problem"));
  line->comparable = line->lower_bound >= 0 && (line->ops < 0 || (scope != NULL && strcmp(scope, "joint") == 0));
  double seconds = json_number_value(json_object_get(value, "time_s"));
  line->time_us = seconds >= 0 && seconds < 1e12 ? (int64_t)(seconds * 1e6 + 0.5) : 0;
  return MEMPLAN_OK;
}

static memplan_status add_line(memplan_results *results, const memplan_result_line *line, memplan_error *error) {
  memplan_result_line *lines =
      memplan_grow_in(&results->arena, results->lines, results->n_lines, &results->capacity, sizeof *lines);
  if (lines == NULL) {
    return memplan_fail_nomem(error);
  }
  results->lines = lines;
  results->lines[results->n_lines++] = *line;
  return MEMPLAN_OK;
}

// The line as JSON, which the caller owns, and what tables need of it. MEMPLAN_INPUT if it is no result line.
static memplan_status parse_line(memplan_arena *arena, const char *start, size_t size, json_t **value,
                                 memplan_result_line *line, memplan_error *error) {
  MEMPLAN_TRY(memplan_json_parse(start, size, value, error));
  memplan_status status = json_is_object(*value) ? read_line(arena, *value, line, error)
                                                 : memplan_fail(error, MEMPLAN_INPUT, "a JSON object is needed");
  if (status != MEMPLAN_OK) {
    json_decref(*value);
    *value = NULL;
  }
  return status;
}

static memplan_status fail_line(const char *path, int64_t number, memplan_status status, memplan_error *error) {
  if (status == MEMPLAN_INPUT) {
    memplan_error_prefix(error, "%s:%" PRId64 ": no result line of memplan bench (remove it, or name another file)",
                         memplan_quote_path(path).text, number);
  }
  return status;
}

size_t memplan_results_whole(const char *text, size_t length) {
  static const char start[] = "{\"tool\":\"memplan\",";
  size_t whole = length;
  while (whole > 0 && text[whole - 1] != '\n') {
    whole--;
  }
  size_t rest = length - whole, compared = rest < sizeof start - 1 ? rest : sizeof start - 1;
  json_t *value = NULL;
  bool torn =
      memcmp(text + whole, start, compared) == 0 && memplan_json_parse(text + whole, rest, &value, NULL) != MEMPLAN_OK;
  json_decref(value);
  return torn ? whole : length;
}

memplan_status memplan_results_keys(const char *path, const char *text, size_t length, memplan_arena *arena,
                                    memplan_names *keys, memplan_error *error) {
  memplan_arena scratch = {0};
  size_t at = 0, size;
  int64_t number = 0;
  memplan_status status = MEMPLAN_OK;
  for (const char *start; status == MEMPLAN_OK && next_line(text, length, &at, &number, &start, &size);) {
    json_t *value = NULL;
    memplan_result_line line;
    memplan_arena_mark mark = memplan_arena_get_mark(&scratch);
    status = fail_line(path, number, parse_line(&scratch, start, size, &value, &line, error), error);
    memplan_arena_release(&scratch, mark);
    char *key = status == MEMPLAN_OK ? key_of_line(value) : NULL;
    char *kept = key == NULL ? NULL : memplan_arena_text(arena, key, strlen(key));
    json_decref(value);
    free(key);
    if (status == MEMPLAN_OK && (kept == NULL || memplan_names_add(keys, kept, 1) == -2)) {
      status = memplan_fail_nomem(error);
    }
  }
  memplan_arena_free(&scratch);
  return status;
}

memplan_status memplan_results_parse(memplan_results *results, const char *path, const char *text, size_t length,
                                     memplan_error *error) {
  size_t at = 0, size;
  int64_t number = 0;
  for (const char *start; next_line(text, length, &at, &number, &start, &size);) {
    json_t *value = NULL;
    memplan_result_line line;
    MEMPLAN_TRY(fail_line(path, number, parse_line(&results->arena, start, size, &value, &line, error), error));
    json_decref(value);
    MEMPLAN_TRY(add_line(results, &line, error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_results_drop_outdated(memplan_results *results, memplan_error *error) {
  memplan_names later = {0};
  bool good = true;
  int32_t at = results->n_lines;
  for (int32_t i = results->n_lines - 1; i >= 0 && good; i--) {
    int32_t seen = memplan_names_add(&later, results->lines[i].instance, 1);
    good = seen != -2;
    if (seen == -1 || results->lines[i].place != NULL) {
      results->lines[--at] = results->lines[i];
    }
  }
  memplan_names_free(&later);
  if (!good) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = at; i < results->n_lines; i++) {
    results->lines[i - at] = results->lines[i];
  }
  results->n_lines -= at;
  return MEMPLAN_OK;
}

void memplan_results_free(memplan_results *results) {
  memplan_arena_free(&results->arena);
  *results = (memplan_results){0};
}
