// SPDX-License-Identifier: Apache-2.0
// `memplan check`: a certificate against its problem, by a checker that shares no code with the search.
#include "eval/check_proof.h"
#include "eval/command.h"
#include "eval/file_kind.h"
#include "eval/inputs.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "eval/option_table.h"
#include "eval/other_problem.h"
#include "eval/output.h"
#include "eval/reading.h"
#include "model/base/file.h"
#include "model/base/quote.h"
#include "model/problem_json.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The options of the problem that the certificate's first line states, unless they are given here.
static memplan_status adopt_options(memplan_context *context, const char *path, const char *text, size_t length,
                                    memplan_error *error) {
  const char *end = memchr(text, '\n', length);
  json_t *head = json_loadb(text, end != NULL ? (size_t)(end - text) : length, 0, NULL);
  const json_t *options = json_object_get(head, "problem");
  memplan_status status = MEMPLAN_OK;
  if (json_is_object(options)) {
    status = memplan_settings_adopt(&context->settings, options, &context->options, error);
    if (status == MEMPLAN_OK) {
      status = memplan_settings_own_capacity(&context->settings, options, error);
    }
  }
  json_decref(head);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(path).text);
  }
  return status;
}

static void write_value(const char *key, const json_t *value, FILE *out) {
  char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
  fprintf(out, "%s %s", key, value == NULL ? "none" : text != NULL ? text : "?");
  free(text);
}

// "align 8 (here 4), pin true (here none)": what a certificate states of its problem and what this one has, as far as
// they differ. NULL: in nothing, or memory is out.
static char *list_differences(const json_t *stated, const json_t *own) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) {
    return NULL;
  }
  int32_t count = 0;
  const json_t *const sides[2] = {stated, own};
  for (int32_t side = 0; side < 2; side++) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)sides[side], key, value) {
      const json_t *first = json_object_get(stated, key), *second = json_object_get(own, key);
      bool seen = side == 1 && first != NULL;
      if (seen || strcmp(key, "name") == 0 || json_equal(first, second) == 1) {
        continue;
      }
      fputs(count++ > 0 ? ", " : "", out);
      write_value(memplan_quote(key).text, first, out);
      fputs(" (", out);
      write_value("here", second, out);
      fputc(')', out);
    }
  }
  bool good = fclose(out) == 0 && count > 0;
  if (!good) {
    free(text);
  }
  return good ? text : NULL;
}

// What the file is now, as far as the certificate tells what it was.
static void hint_difference(memplan_context *context, memplan_problem *problem, const json_t *head) {
  memplan_arena arena = {0};
  char phrase[800];
  const json_t *order = json_object_get(head, "order");
  size_t n = json_array_size(order);
  const char *fingerprint = json_string_value(json_object_get(head, "fingerprint"));
  const char **ids = MEMPLAN_NEW(&arena, const char *, n);
  bool good = ids != NULL && fingerprint != NULL;
  for (size_t k = 0; k < n && good; k++) {
    ids[k] = json_string_value(json_array_get(order, k));
    good = ids[k] != NULL;
  }
  const memplan_known_problem known = {.fingerprint = fingerprint,
                                       .options = json_object_get(head, "problem"),
                                       .ids = ids,
                                       .n_ids = problem->has_graph && n > 0 ? (int64_t)n : -1};
  if (good && memplan_other_problem_text(problem, &known, phrase, sizeof phrase) != NULL) {
    memplan_console_note(&context->console,
                         "the options are those that the certificate was made with, but the file has "
                         "changed, or is another one: %s. Make a new certificate for it",
                         phrase);
  }
  memplan_arena_free(&arena);
}

// Why a certificate is about another problem, as far as its first line tells.
static void hint_options(memplan_context *context, memplan_problem *problem, const char *text, size_t length) {
  const char *end = memchr(text, '\n', length);
  json_t *head = json_loadb(text, end != NULL ? (size_t)(end - text) : length, 0, NULL);
  const json_t *stated = json_object_get(head, "problem");
  json_t *own = memplan_problem_reading_json(problem);
  char *differences = stated != NULL && own != NULL ? list_differences(stated, own) : NULL;
  if (differences != NULL) {
    memplan_console_note(
        &context->console, "the certificate was made with %s: read the file as it was then%s", differences,
        json_is_true(json_object_get(stated, "conflicts")) ? ", with the same file for --conflicts" : "");
  } else if (stated != NULL) {
    hint_difference(context, problem, head);
  } else {
    memplan_console_note(&context->console, "the certificate does not state its options: give those that it was made "
                                            "with, as --align or --pin");
  }
  free(differences);
  json_decref(own);
  json_decref(head);
}

static const char *id_of(const memplan_problem *problem, int32_t pool) {
  return problem->has_graph ? problem->graph.pools[pool].id : problem->instance.pools[pool].id;
}

static void put_pools(const memplan_problem *problem, const memplan_check_result *result, memplan_writer *writer) {
  if (!result->proven || result->n_pools == 0) {
    memplan_writer_put_number(writer, "pools", NULL);
    return;
  }
  memplan_writer_open(writer, "pools", '{');
  for (int32_t k = 0; k < result->n_pools; k++) {
    memplan_writer_put_integer(writer, id_of(problem, result->pools[k].pool), result->pools[k].claim);
  }
  memplan_writer_close(writer, '}');
}

static memplan_status write_json(const memplan_problem *problem, const char *path, const memplan_check_result *result,
                                 const json_t *options, FILE *out, memplan_error *error) {
  char *text = json_dumps(options, JSON_COMPACT | JSON_ENSURE_ASCII);
  if (text == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_heading(&writer, problem);
  memplan_writer_put_number(&writer, "options", text);
  memplan_writer_put_text(&writer, "certificate", path);
  memplan_writer_put_boolean(&writer, "proven", result->proven);
  memplan_writer_put_text(&writer, "kind", result->kind[0] != '\0' ? result->kind : NULL);
  memplan_writer_put_text(&writer, "scope", result->every_order ? "joint" : result->on_order ? "order" : "placement");
  memplan_writer_put_text(&writer, "pool", result->pool[0] != '\0' ? result->pool : NULL);
  put_pools(problem, result, &writer);
  memplan_writer_put_integer(&writer, "claim", result->claim);
  memplan_writer_put_integer(&writer, "steps", result->steps);
  memplan_writer_put_text(&writer, "reason", result->proven ? NULL : result->reason);
  if (result->proven) {
    memplan_writer_put_number(&writer, "line", NULL);
  } else {
    memplan_writer_put_integer(&writer, "line", result->line);
  }
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
  free(text);
  return MEMPLAN_OK;
}

static const char on_its_order[] = " on the order and with the in-place pairs that it states";

static void write_pools(const memplan_problem *problem, const memplan_check_result *result, FILE *out) {
  char number[MEMPLAN_NUMBER_SIZE];
  fprintf(out, ": no %s%s has a peak", result->every_order ? "plan" : "placement",
          result->on_order ? on_its_order : "");
  for (int32_t k = 0; k < result->n_pools; k++) {
    fprintf(out, "%s of pool '%s' below %s bytes", k > 0 ? ", or" : "",
            memplan_quote(id_of(problem, result->pools[k].pool)).text,
            memplan_grouped_text(result->pools[k].claim, number));
  }
  fprintf(out, " (%s, %" PRId64 " step%s)\n", result->kind, result->steps, result->steps == 1 ? "" : "s");
}

static void write_text(const memplan_problem *problem, const char *path, const memplan_check_result *result,
                       const json_t *options, FILE *out) {
  char number[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "%s: %s for %s", memplan_quote_path(path).text, result->proven ? "proven" : "proves nothing",
          memplan_quote_path(problem->path).text);
  memplan_reading_write_text(options, problem, out);
  if (result->proven && result->n_pools > 0) {
    write_pools(problem, result, out);
  } else if (result->proven) {
    fprintf(out, ": no %s%s has a peak%s%s%s below %s bytes (%s, %" PRId64 " step%s)\n",
            result->every_order ? "plan" : "placement", result->on_order ? on_its_order : "",
            result->pool[0] != '\0' ? " of pool '" : "", result->pool, result->pool[0] != '\0' ? "'" : "",
            memplan_grouped_text(result->claim, number), result->kind, result->steps, result->steps == 1 ? "" : "s");
  } else {
    fprintf(out, ": line %" PRId64 ": %s\n", result->line, result->reason);
  }
}

static memplan_status write_result(memplan_context *context, const memplan_problem *problem, const char *path,
                                   const memplan_check_result *result, memplan_error *error) {
  memplan_output output;
  if (context->console.quiet && !context->settings.style_given) {
    return MEMPLAN_OK;
  }
  json_t *options = memplan_reading_options(problem);
  if (options == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = memplan_output_open(&output, context->settings.output, error);
  if (status == MEMPLAN_OK && context->settings.style == MEMPLAN_STYLE_JSON) {
    status = write_json(problem, path, result, options, output.file, error);
  } else if (status == MEMPLAN_OK) {
    write_text(problem, path, result, options, output.file);
  }
  json_decref(options);
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

// A plan, or the two files the wrong way round. What else is no certificate proves nothing.
static memplan_status refuse_others(const memplan_context *context, const char *text, size_t length,
                                    memplan_error *error) {
  const char *first = context->options.arguments[0], *second = context->options.arguments[1];
  memplan_file_kind kind = memplan_file_kind_of(text, length);
  if (kind == MEMPLAN_FILE_PLAN) {
    return memplan_fail(
        error, MEMPLAN_INPUT, "%.300s is a plan, not a certificate: memplan verify %.300s %.300s checks plans",
        memplan_quote_path(second).text, memplan_quote_path(first).text, memplan_quote_path(second).text);
  }
  if (kind == MEMPLAN_FILE_OTHER && memplan_file_kind_at(first) == MEMPLAN_FILE_CERTIFICATE) {
    return memplan_fail(
        error, MEMPLAN_INPUT, "%.300s is the certificate: the problem comes first, memplan check %.300s %.300s",
        memplan_quote_path(first).text, memplan_quote_path(second).text, memplan_quote_path(first).text);
  }
  return MEMPLAN_OK;
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_problem problem;
  memplan_check_result result = {.proven = false};
  const char *path = context->options.arguments[1];
  char *text = NULL;
  size_t length = 0;
  memplan_problem_init(&problem);
  memplan_status status = memplan_file_load(path, &text, &length, &error);
  if (status == MEMPLAN_OK) {
    status = refuse_others(context, text, length, &error);
  }
  if (status == MEMPLAN_OK) {
    status = adopt_options(context, path, text, length, &error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_inputs_read(context, context->options.arguments[0], &problem, &error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_check_certificate(&problem, text, length, &result, &error);
  }
  if (status == MEMPLAN_OK) {
    status = write_result(context, &problem, path, &result, &error);
  }
  if (status == MEMPLAN_OK && result.other) {
    hint_options(context, &problem, text, length);
  }
  memplan_exit code = result.proven ? MEMPLAN_EXIT_GOAL : MEMPLAN_EXIT_INVALID;
  if (status != MEMPLAN_OK) {
    code = memplan_context_fail(context, status, &error);
  }
  free(text);
  memplan_problem_free(&problem);
  return code;
}

const memplan_command memplan_command_check = {
    .name = "check",
    .bit = MEMPLAN_COMMAND_CHECK,
    .arguments = "FILE CERTIFICATE",
    .min_arguments = 2,
    .max_arguments = 2,
    .summary = "replay a certificate of optimality",
    .details =
        "Replays CERTIFICATE, as `solve --certificate` writes it, against the problem in FILE: each of its "
        "steps must follow from the problem and from earlier steps. Nothing is searched, and nothing is "
        "trusted but the problem. The problem is read with the options that the certificate was made with, "
        "unless they are given here (the file of --conflicts has to be); the answer names those that are not the "
        "defaults. It also says what the claim is about: every plan, every placement of lifetimes, one of several "
        "pools, or the placements on the order that the certificate states (scope in JSON: joint, placement, order). "
        "Exit code 0: nothing of that has a smaller peak than the certificate claims; "
        "1: the certificate does not prove that.",
    .example = "memplan check lifetimes.csv lifetimes.certificate.jsonl",
    .run = run,
};
