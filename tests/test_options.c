// SPDX-License-Identifier: Apache-2.0
// The option table and everything made from it.
#include "eval/command.h"
#include "eval/help.h"
#include "eval/option_table.h"
#include "model/base/file.h"
#include "solvers/order_optimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 32 };

typedef struct command_line {
  char *words[MOST_WORDS];
  int n;
} command_line;

// Splits at blanks; the words are freed by free_line.
static command_line split(const char *text) {
  command_line line = {.n = 0};
  char *copy = strdup(text);
  for (char *word = strtok(copy, " "); word != NULL && line.n < MOST_WORDS - 1; word = strtok(NULL, " ")) {
    line.words[line.n++] = strdup(word);
  }
  free(copy);
  return line;
}

static void free_line(command_line *line) {
  for (int i = 0; i < line->n; i++) {
    free(line->words[i]);
  }
}

// getopt permutes the array, not the words.
static memplan_status parse(memplan_options *options, command_line *line, uint32_t command, memplan_error *error) {
  char *words[MOST_WORDS];
  memcpy(words, line->words, sizeof words);
  return memplan_options_parse(options, memplan_option_table(), MEMPLAN_OPTION_COUNT, command, line->n, words, error);
}

static void expect_error(const char *text, uint32_t command, const char *expected) {
  memplan_options options;
  memplan_error error = {0};
  command_line line = split(text);
  assert_int_equal(parse(&options, &line, command, &error), MEMPLAN_INPUT);
  if (strstr(error.message, expected) == NULL) {
    fail_msg("'%s' says: %s", text, error.message);
  }
  memplan_options_free(&options);
  free_line(&line);
}

static void table_is_complete(void **state) {
  (void)state;
  const memplan_option *table = memplan_option_table();
  const char *group = "";
  const char *groups_seen[8];
  int32_t n_groups = 0;
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &table[i];
    assert_non_null(option->name);
    assert_non_null(option->text);
    assert_non_null(option->group);
    assert_int_not_equal(option->commands, 0);
    bool flag = option->kind == MEMPLAN_OPTION_FLAG || option->kind == MEMPLAN_OPTION_NEGATION;
    assert_int_equal(flag, option->argument == NULL);
    for (int32_t j = 0; j < i; j++) {
      assert_string_not_equal(option->name, table[j].name);
      assert_true(option->letter == 0 || option->letter != table[j].letter);
    }
    if (strcmp(group, option->group) != 0) {
      group = option->group;
      for (int32_t j = 0; j < n_groups; j++) {
        assert_string_not_equal(groups_seen[j], group);
      }
      groups_seen[n_groups++] = group;
    }
    if (option->kind == MEMPLAN_OPTION_CHOICE || option->kind == MEMPLAN_OPTION_NAME) {
      const char *choice;
      int32_t n = 0;
      for (; (choice = memplan_option_choice(option, n)) != NULL; n++) {
        int64_t number = -1;
        assert_int_equal(memplan_option_parse(option, choice, &number, NULL), MEMPLAN_OK);
        assert_int_equal(number, n);
      }
      assert_true(n >= 2);
    }
    bool ranged = option->kind == MEMPLAN_OPTION_INTEGER || option->kind == MEMPLAN_OPTION_SIZE ||
                  option->kind == MEMPLAN_OPTION_TIME || option->kind == MEMPLAN_OPTION_PERCENT;
    assert_int_equal(ranged, option->minimum < option->maximum);
  }
}

// "NO_KEEP_GOING" for "no-keep-going", "GEN_COUNT" for what `gen` alone calls "count".
static void identifier(const memplan_option *option, char *text) {
  const char *name = option->name;
  strcpy(text, option->commands == MEMPLAN_COMMAND_GEN ? "MEMPLAN_OPTION_GEN_" : "MEMPLAN_OPTION_");
  char *at = text + strlen(text);
  for (; *name != '\0'; name++) {
    *at++ = *name == '-' ? '_' : (char)toupper((unsigned char)*name);
  }
  *at = '\0';
}

// All of eval/*.c but the table itself.
static char *read_sources(void) {
  char folder[1024], path[2048];
  snprintf(folder, sizeof folder, "%s/eval", getenv("MEMPLAN_SOURCE_DIR"));
  char *all = strdup("");
  DIR *stream = opendir(folder);
  assert_non_null(stream);
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
    size_t n = strlen(entry->d_name);
    if (n < 3 || strcmp(entry->d_name + n - 2, ".c") != 0 || strcmp(entry->d_name, "option_table.c") == 0) {
      continue;
    }
    FILE *file;
    char *text;
    size_t length;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    assert_int_equal(memplan_file_open(path, &file, NULL), MEMPLAN_OK);
    assert_int_equal(memplan_file_read(file, &text, &length, NULL), MEMPLAN_OK);
    memplan_file_close(file);
    size_t old = strlen(all);
    all = realloc(all, old + length + 1);
    assert_non_null(all);
    memcpy(all + old, text, length + 1);
    free(text);
  }
  closedir(stream);
  return all;
}

static bool is_mentioned(const char *sources, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(sources, name); at != NULL; at = strstr(at + 1, name)) {
    if (!isalnum((unsigned char)at[length]) && at[length] != '_') {
      return true;
    }
  }
  return false;
}

static void every_option_is_read(void **state) {
  (void)state;
  if (getenv("MEMPLAN_SOURCE_DIR") == NULL) {
    skip();
  }
  char *sources = read_sources();
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &memplan_option_table()[i];
    char name[80];
    if (option->kind == MEMPLAN_OPTION_NEGATION) {
      option = &memplan_option_table()[option->negates];
    }
    identifier(option, name);
    if (!is_mentioned(sources, name)) {
      fail_msg("--%s is in the table, but nothing reads %s", option->name, name);
    }
  }
  free(sources);
}

static char *printed(void (*print)(FILE *)) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  print(stream);
  fclose(stream);
  return text;
}

static void texts_name_every_option(void **state) {
  (void)state;
  char *manual = printed(memplan_manual_write), *completion = printed(memplan_completion_write);
  char *help = printed(memplan_help_write);
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    assert_non_null(strstr(help, (*command)->name));
    assert_non_null(strstr(manual, (*command)->name));
    assert_non_null(strstr((*command)->example, "memplan "));
    char *own = NULL, *brief = NULL;
    size_t length;
    FILE *stream = open_memstream(&own, &length);
    memplan_help_write_command(*command, true, stream);
    fclose(stream);
    stream = open_memstream(&brief, &length);
    memplan_help_write_command(*command, false, stream);
    fclose(stream);
    for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
      const memplan_option *option = &memplan_option_table()[i];
      char name[80];
      snprintf(name, sizeof name, "  %s--%s", option->letter == 0 ? "    " : "", option->name);
      if (option->letter != 0) {
        snprintf(name, sizeof name, "  -%c, --%s", option->letter, option->name);
      }
      bool has = (option->commands & (*command)->bit) != 0;
      assert_int_equal(has, is_mentioned(own, name));
      assert_int_equal(has && !option->seldom, is_mentioned(brief, name));
      snprintf(name, sizeof name, "--%s", option->name);
      assert_true(!has || is_mentioned(brief, name));
      assert_non_null(strstr(completion, name));
    }
    free(own);
    free(brief);
  }
  free(manual);
  free(completion);
  free(help);
}

// The table repeats the library's defaults; typed out they change nothing.
static void fallbacks_are_the_defaults(void **state) {
  (void)state;
  memplan_options options;
  memplan_settings settings;
  memplan_error error = {0};
  const memplan_problem_options expected = memplan_problem_options_default();
  const memplan_params params = memplan_params_default();
  char text[1024] = "solve x --capacity 0";
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &memplan_option_table()[i];
    if ((option->commands & MEMPLAN_COMMAND_SOLVE) != 0 && option->fallback != NULL && option->argument != NULL) {
      sprintf(text + strlen(text), " --%s=%s", option->name, option->fallback);
    }
  }
  for (int32_t round = 0; round < 2; round++) {
    command_line line = split(round == 0 ? "solve x" : text);
    assert_int_equal(parse(&options, &line, MEMPLAN_COMMAND_SOLVE, &error), MEMPLAN_OK);
    assert_int_equal(memplan_settings_read(&settings, &options, &error), MEMPLAN_OK);
    const memplan_problem_options *problem = &settings.problem;
    assert_int_equal(problem->io, expected.io);
    assert_int_equal(problem->weights, expected.weights);
    assert_int_equal(problem->inplace, expected.inplace);
    assert_int_equal(problem->views, expected.views);
    assert_int_equal(problem->fold, expected.fold);
    assert_int_equal(problem->bodies, expected.bodies);
    assert_int_equal(problem->lifetimes, expected.lifetimes);
    assert_int_equal(problem->align, expected.align);
    assert_int_equal(problem->rename_dups, expected.rename_dups);
    assert_int_equal(problem->capacity, round == 0 ? -1 : 0);
    assert_int_equal(settings.solve.params.score_released, params.score_released);
    assert_int_equal(settings.solve.params.score_path, params.score_path);
    assert_int_equal(settings.solve.params.score_added, params.score_added);
    assert_int_equal(settings.solve.gap_millionths, 0);
    assert_int_equal(settings.solve.limits.time_ms, -1);
    assert_int_equal(settings.solve.limits.threads, 0);
    assert_int_equal(settings.solve.limits.memory, MEMPLAN_MEMORY_DEFAULT);
    assert_null(settings.solve.order);
    memplan_settings_free(&settings);
    memplan_options_free(&options);
    free_line(&line);
  }
}

static void settings_take_every_value(void **state) {
  (void)state;
  memplan_options options;
  memplan_settings settings;
  memplan_error error = {0};
  command_line line =
      split("solve a.onnx --dim=batch=4 --dim a=b=2 --shape in=1x3 --io external b.onnx --align 64 --capacity 2K "
            "--time-limit 1.5s --gap 0.25% --threads 3 --memory-limit 3M --seed 7");
  assert_int_equal(parse(&options, &line, MEMPLAN_COMMAND_SOLVE, &error), MEMPLAN_OK);
  assert_int_equal(memplan_settings_read(&settings, &options, &error), MEMPLAN_OK);
  assert_int_equal(options.n_arguments, 2);
  assert_string_equal(options.arguments[0], "a.onnx");
  assert_string_equal(options.arguments[1], "b.onnx");
  assert_int_equal(settings.problem.n_dims, 2);
  assert_string_equal(settings.problem.dims[0].name, "batch");
  assert_int_equal(settings.problem.dims[0].value, 4);
  assert_string_equal(settings.problem.dims[1].name, "a=b");
  assert_int_equal(settings.problem.n_shapes, 1);
  assert_int_equal(settings.problem.shapes[0].rank, 2);
  assert_int_equal(settings.problem.shapes[0].dims[1], 3);
  assert_int_equal(settings.problem.io, MEMPLAN_IO_EXTERNAL);
  assert_int_equal(settings.problem.align, 64);
  assert_int_equal(settings.problem.capacity, 2048);
  assert_int_equal(settings.solve.limits.time_ms, 1500);
  assert_int_equal(settings.solve.gap_millionths, 2500);
  assert_int_equal(settings.solve.limits.threads, 3);
  assert_int_equal(settings.solve.limits.memory, 3 << 20);
  assert_int_equal(settings.solve.limits.seed, 7);
  memplan_settings_free(&settings);
  memplan_options_free(&options);
  free_line(&line);
}

// A search that may hold next to nothing would end at once, without a word.
static void little_memory_is_refused(void **state) {
  (void)state;
  memplan_options options;
  memplan_error error = {0};
  command_line line = split("solve x --memory-limit 1048575");
  assert_int_equal(parse(&options, &line, MEMPLAN_COMMAND_SOLVE, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "--memory-limit: 1048575 bytes is out of range: give 1M to 1024T"));
  memplan_options_free(&options);
  free_line(&line);
}

static void other_settings(void **state) {
  (void)state;
  memplan_options options;
  memplan_settings settings;
  memplan_error error = {0};
  command_line line = split("solve --weights resident --inplace none --views none --fold none --bodies ignore -q");
  command_line more =
      split("solve --no-branch-sharing --inputs-writable --strict --pin --pin-space a=b=c --dup-ids rename "
            "--lifetimes inclusive --score-weights 1,-2,3");
  assert_int_equal(parse(&options, &line, MEMPLAN_COMMAND_SOLVE, &error), MEMPLAN_OK);
  assert_int_equal(memplan_settings_read(&settings, &options, &error), MEMPLAN_OK);
  assert_int_equal(settings.problem.weights, MEMPLAN_WEIGHTS_RESIDENT);
  assert_int_equal(settings.problem.inplace, MEMPLAN_INPLACE_NONE);
  assert_int_equal(settings.problem.views, MEMPLAN_VIEWS_NONE);
  assert_int_equal(settings.problem.fold, MEMPLAN_FOLD_NONE);
  assert_int_equal(settings.problem.bodies, MEMPLAN_BODIES_IGNORE);
  assert_true(memplan_option_get(&options, MEMPLAN_OPTION_QUIET)->given);
  memplan_settings_free(&settings);
  memplan_options_free(&options);
  assert_int_equal(parse(&options, &more, MEMPLAN_COMMAND_SOLVE, &error), MEMPLAN_OK);
  assert_int_equal(memplan_settings_read(&settings, &options, &error), MEMPLAN_OK);
  assert_true(settings.problem.no_branch_sharing && settings.problem.inputs_writable && settings.problem.strict);
  assert_true(settings.problem.pin_offsets && settings.problem.rename_dups);
  assert_int_equal(settings.problem.lifetimes, MEMPLAN_LIFETIMES_INCLUSIVE);
  assert_int_equal(settings.problem.n_pin_pools, 1);
  assert_string_equal(settings.problem.pin_pools[0].buffer, "a=b");
  assert_string_equal(settings.problem.pin_pools[0].pool, "c");
  assert_int_equal(settings.solve.params.score_released, 1);
  assert_int_equal(settings.solve.params.score_path, -2);
  assert_int_equal(settings.solve.params.score_added, 3);
  memplan_settings_free(&settings);
  memplan_options_free(&options);
  free_line(&line);
  free_line(&more);
}

static void plan_options_are_adopted(void **state) {
  (void)state;
  memplan_options options;
  memplan_settings settings;
  memplan_error error = {0};
  json_t *problem = json_pack("{s:s, s:s, s:s, s:b, s:b, s:{s:i, s:i}, s:i, s:i}", "io", "persistent", "inplace",
                              "none", "lifetimes", "inclusive", "branch_sharing", 0, "inputs_writable", 1, "dims",
                              "batch", 2, "past", 8, "capacity", 99, "align", 16);
  command_line line = split("verify m p --dim past=9 --align 32");
  assert_non_null(problem);
  assert_int_equal(parse(&options, &line, MEMPLAN_COMMAND_VERIFY, &error), MEMPLAN_OK);
  assert_int_equal(memplan_settings_read(&settings, &options, &error), MEMPLAN_OK);
  assert_int_equal(memplan_settings_adopt(&settings, problem, &options, &error), MEMPLAN_OK);
  assert_int_equal(settings.problem.io, MEMPLAN_IO_PERSISTENT);
  assert_int_equal(settings.problem.inplace, MEMPLAN_INPLACE_NONE);
  assert_int_equal(settings.problem.lifetimes, MEMPLAN_LIFETIMES_INCLUSIVE);
  assert_true(settings.problem.no_branch_sharing && settings.problem.inputs_writable);
  assert_int_equal(settings.problem.capacity, 99);
  assert_int_equal(settings.problem.align, 32);
  assert_int_equal(settings.problem.n_dims, 2);
  for (int32_t i = 0; i < 2; i++) {
    bool past = strcmp(settings.problem.dims[i].name, "past") == 0;
    assert_int_equal(settings.problem.dims[i].value, past ? 9 : 2);
  }
  json_object_set_new(problem, "io", json_string("nowhere"));
  assert_int_equal(memplan_settings_adopt(&settings, problem, &options, &error), MEMPLAN_INPUT);
  json_object_set_new(problem, "io", json_integer(1));
  assert_int_equal(memplan_settings_adopt(&settings, problem, &options, &error), MEMPLAN_INPUT);
  json_object_del(problem, "io");
  json_object_set_new(problem, "dims", json_pack("{s:s}", "a", "b"));
  assert_int_equal(memplan_settings_adopt(&settings, problem, &options, &error), MEMPLAN_INPUT);
  json_decref(problem);
  memplan_settings_free(&settings);
  memplan_options_free(&options);
  free_line(&line);
}

static void numbers_are_exact(void **state) {
  (void)state;
  static const struct {
    memplan_option_kind kind;
    const char *text;
    int64_t number; // -1: refused
  } cases[] = {
      {MEMPLAN_OPTION_SIZE, "0", 0},
      {MEMPLAN_OPTION_SIZE, "512K", 524288},
      {MEMPLAN_OPTION_SIZE, "+3M", 3145728},
      {MEMPLAN_OPTION_SIZE, "4G", INT64_C(4) << 30},
      {MEMPLAN_OPTION_SIZE, "9223372036854775807", INT64_MAX},
      {MEMPLAN_OPTION_SIZE, "9223372036854775808", -1},
      {MEMPLAN_OPTION_SIZE, "8388607T", INT64_C(8388607) << 40},
      {MEMPLAN_OPTION_SIZE, "8388608T", -1},
      {MEMPLAN_OPTION_SIZE, "4k", 4096},
      {MEMPLAN_OPTION_SIZE, "4KiB", 4096},
      {MEMPLAN_OPTION_SIZE, "3B", 3},
      {MEMPLAN_OPTION_SIZE, "4KB", -1},
      {MEMPLAN_OPTION_SIZE, "4iB", -1},
      {MEMPLAN_OPTION_SIZE, "4Ki", -1},
      {MEMPLAN_OPTION_SIZE, "K", -1},
      {MEMPLAN_OPTION_SIZE, "", -1},
      {MEMPLAN_OPTION_SIZE, " 4", -1},
      {MEMPLAN_OPTION_SIZE, "0x10", -1},
      {MEMPLAN_OPTION_SIZE, "1e6", -1},
      {MEMPLAN_OPTION_SIZE, "1.5K", -1},
      {MEMPLAN_OPTION_TIME, "0", 0},
      {MEMPLAN_OPTION_TIME, "500ms", 500},
      {MEMPLAN_OPTION_TIME, "0.1s", 100},
      {MEMPLAN_OPTION_TIME, "10s", 10000},
      {MEMPLAN_OPTION_TIME, "1.5m", 90000},
      {MEMPLAN_OPTION_TIME, "2h", 7200000},
      {MEMPLAN_OPTION_TIME, "0.5ms", -1},
      {MEMPLAN_OPTION_TIME, "10", 10000},
      {MEMPLAN_OPTION_TIME, "0.5", 500},
      {MEMPLAN_OPTION_TIME, "10 s", -1},
      {MEMPLAN_OPTION_TIME, "1.", -1},
      {MEMPLAN_OPTION_TIME, ".5s", -1},
      {MEMPLAN_OPTION_TIME, "1.0001s", -1},
      {MEMPLAN_OPTION_TIME, "-1s", -1},
      {MEMPLAN_OPTION_TIME, "9223372036854775807h", -1},
      {MEMPLAN_OPTION_PERCENT, "1%", 10000},
      {MEMPLAN_OPTION_PERCENT, "0.0001%", 1},
      {MEMPLAN_OPTION_PERCENT, "100%", 1000000},
      {MEMPLAN_OPTION_PERCENT, "1", -1},
      {MEMPLAN_OPTION_PERCENT, "0.00001%", -1},
      {MEMPLAN_OPTION_INTEGER, "12", 12},
      {MEMPLAN_OPTION_INTEGER, "12x", -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memplan_option option = {.name = "x", .kind = cases[i].kind, .minimum = 0, .maximum = INT64_MAX};
    int64_t number = -1;
    memplan_status status = memplan_option_parse(&option, cases[i].text, &number, NULL);
    if (status != (cases[i].number < 0 ? MEMPLAN_INPUT : MEMPLAN_OK) ||
        (status == MEMPLAN_OK && number != cases[i].number)) {
      fail_msg("'%s' gives %lld", cases[i].text, (long long)number);
    }
  }
}

static void wrong_options_are_refused(void **state) {
  (void)state;
  expect_error("solve --tim 3", MEMPLAN_COMMAND_SOLVE, "unknown option --tim");
  expect_error("solve --time-limi 3s", MEMPLAN_COMMAND_SOLVE, "did you mean --time-limit?");
  expect_error("solve --time-limi=3s", MEMPLAN_COMMAND_SOLVE, "did you mean --time-limit?");
  expect_error("solve --nothing-like-it", MEMPLAN_COMMAND_SOLVE, "unknown option --nothing-like-it");
  expect_error("bound --gap 1%", MEMPLAN_COMMAND_BOUND, "has no option --gap");
  expect_error("solve --strict=yes", MEMPLAN_COMMAND_SOLVE, "takes no argument");
  expect_error("solve --capacity", MEMPLAN_COMMAND_SOLVE, "needs an argument");
  expect_error("solve -o", MEMPLAN_COMMAND_SOLVE, "-o needs an argument");
  expect_error("solve -qx", MEMPLAN_COMMAND_SOLVE, "unknown option -x");
  expect_error("solve --io", MEMPLAN_COMMAND_SOLVE, "needs an argument");
  expect_error("solve --io nowhere", MEMPLAN_COMMAND_SOLVE, "arena, external, persistent");
  expect_error("solve --threads 5000", MEMPLAN_COMMAND_SOLVE, "give 0 to 1024");
}

static void forms_of_options(void **state) {
  (void)state;
  memplan_options options;
  memplan_error error = {0};
  command_line line = split("solve -qo plan x --keep-going --no-keep-going --threads 1 --threads=2 -- --y");
  assert_int_equal(parse(&options, &line, MEMPLAN_COMMAND_SOLVE, &error), MEMPLAN_OK);
  assert_true(memplan_option_get(&options, MEMPLAN_OPTION_QUIET)->given);
  assert_string_equal(memplan_option_get(&options, MEMPLAN_OPTION_OUTPUT)->text, "plan");
  assert_int_equal(memplan_option_get(&options, MEMPLAN_OPTION_KEEP_GOING)->number, 0);
  assert_int_equal(memplan_option_get(&options, MEMPLAN_OPTION_THREADS)->number, 2);
  assert_int_equal(options.n_arguments, 2);
  assert_string_equal(options.arguments[1], "--y");
  memplan_options_free(&options);
  free_line(&line);
  line = split("solve --from minimalloc x");
  memplan_status status = parse(&options, &line, MEMPLAN_COMMAND_SOLVE, &error);
  // Aliases of formats are accepted where the registry has them.
  assert_true(status == MEMPLAN_OK || strstr(error.message, "--from") != NULL);
  memplan_options_free(&options);
  free_line(&line);
}

static void nearest_names(void **state) {
  (void)state;
  static const char *const names[] = {"solve", "info", "verify"};
  assert_int_equal(memplan_nearest_name("sovle", names, 3), 0);
  assert_int_equal(memplan_nearest_name("inf", names, 3), 1);
  assert_int_equal(memplan_nearest_name("verfiy", names, 3), 2);
  assert_int_equal(memplan_nearest_name("bench", names, 3), -1);
  char word[200];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  assert_int_equal(memplan_nearest_name(word, names, 3), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_complete),
      cmocka_unit_test(every_option_is_read),
      cmocka_unit_test(texts_name_every_option),
      cmocka_unit_test(fallbacks_are_the_defaults),
      cmocka_unit_test(settings_take_every_value),
      cmocka_unit_test(little_memory_is_refused),
      cmocka_unit_test(other_settings),
      cmocka_unit_test(plan_options_are_adopted),
      cmocka_unit_test(numbers_are_exact),
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test(forms_of_options),
      cmocka_unit_test(nearest_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
