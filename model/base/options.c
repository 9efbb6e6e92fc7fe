// SPDX-License-Identifier: Apache-2.0
// getopt_long over a table made from the options that the command has. getopt_long also accepts shortened names; they
// are refused here, so that a new option never changes the meaning of an old command line.
#include "model/base/options.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONG_BASE = 1000, WORD_LIMIT = 64, CHOICES_LIMIT = 600 };

const char *memplan_option_choice(const memplan_option *option, int32_t index) {
  if (option->kind == MEMPLAN_OPTION_CHOICE) {
    for (int32_t i = 0; option->choices[i] != NULL; i++) {
      if (i == index) {
        return option->choices[i];
      }
    }
    return NULL;
  }
  return option->kind == MEMPLAN_OPTION_NAME ? option->name_at(index) : NULL;
}

static size_t edit_distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b), row[WORD_LIMIT + 1];
  if (n > WORD_LIMIT || m > WORD_LIMIT) {
    return n + m; // farther than any name may be
  }
  for (size_t j = 0; j <= m; j++) {
    row[j] = j;
  }
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t best = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      if (row[j] + 1 < best) {
        best = row[j] + 1;
      }
      if (row[j - 1] + 1 < best) {
        best = row[j - 1] + 1;
      }
      row[j] = best;
    }
  }
  return row[m];
}

int32_t memplan_nearest_name(const char *word, const char *const *names, int32_t n) {
  size_t limit = (strlen(word) + 2) / 3, best = limit + 1;
  int32_t nearest = -1;
  for (int32_t i = 0; i < n; i++) {
    size_t distance = edit_distance(word, names[i]);
    if (distance < best) {
      best = distance;
      nearest = i;
    }
  }
  return nearest;
}

// Digits with an optional sign; *rest points behind them. False if there are none or the number overflows.
static bool parse_digits(const char *text, const char **rest, int64_t *value) {
  bool negative = *text == '-';
  const char *digit = *text == '-' || *text == '+' ? text + 1 : text;
  int64_t number = 0;
  if (*digit < '0' || *digit > '9') {
    return false;
  }
  // Negative numbers reach one further.
  for (; *digit >= '0' && *digit <= '9'; digit++) {
    int64_t next = *digit - '0';
    if (number < (INT64_MIN + next) / 10) {
      return false;
    }
    number = 10 * number - next;
  }
  if (!negative && number == INT64_MIN) {
    return false;
  }
  *rest = digit;
  *value = negative ? number : -number;
  return true;
}

// A non-negative decimal as a multiple of 1/10^places: "1.25" with two places is 125. More digits than places: refused.
static bool parse_decimal(const char *text, int places, const char **rest, int64_t *value) {
  if (*text < '0' || *text > '9' || !parse_digits(text, rest, value)) {
    return false;
  }
  const char *digit = *rest;
  bool fraction = *digit == '.';
  digit += fraction ? 1 : 0;
  if (fraction && (*digit < '0' || *digit > '9')) {
    return false;
  }
  for (int place = 0; place < places; place++) {
    int64_t next = 0;
    if (fraction && *digit >= '0' && *digit <= '9') {
      next = *digit - '0';
      digit++;
    }
    if (*value > (INT64_MAX - next) / 10) {
      return false;
    }
    *value = 10 * *value + next;
  }
  *rest = digit;
  return true;
}

static const char suffixes[] = "KMGT"; // powers of 1024

// "512", "512K", "512k", "512KiB", "512B". *large: the text has the form of a size, but its bytes are no number of 64
// bits.
static bool parse_size(const char *text, int64_t *value, bool *large) {
  const char *digits = text + (*text == '+' ? 1 : 0), *rest = digits + strspn(digits, "0123456789");
  if (rest == digits) {
    return false;
  }
  bool fits = parse_digits(text, &rest, value);
  const char *suffix = *rest == '\0' ? NULL : strchr(suffixes, toupper((unsigned char)*rest));
  int shift = suffix == NULL ? 0 : 10 * (int)(suffix - suffixes + 1);
  rest += suffix != NULL ? 1 : 0;
  if (*rest != '\0' && strcmp(rest, suffix != NULL ? "iB" : "B") != 0) {
    return false;
  }
  if (!fits || *value > (INT64_MAX >> shift)) {
    *large = true;
    return false;
  }
  *value <<= shift;
  return true;
}

// Without a unit: seconds.
static bool parse_time(const char *text, int64_t *value) {
  static const struct {
    const char *suffix;
    int64_t milliseconds;
  } units[] = {{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60000}, {"h", 3600000}};
  const char *rest;
  int64_t thousandths;
  if (!parse_decimal(text, 3, &rest, &thousandths)) {
    return false;
  }
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(rest, units[i].suffix) == 0) {
      int64_t factor = units[i].milliseconds;
      if (thousandths > INT64_MAX / factor || thousandths * factor % 1000 != 0) {
        return false;
      }
      *value = thousandths * factor / 1000;
      return true;
    }
  }
  return false;
}

static bool parse_percent(const char *text, int64_t *value) {
  const char *rest;
  return parse_decimal(text, 4, &rest, value) && strcmp(rest, "%") == 0;
}

// A bound of an option's range as it would be typed.
static const char *limit_text(const memplan_option *option, int64_t limit, char *text, size_t size) {
  if (option->kind == MEMPLAN_OPTION_PERCENT) {
    (void)snprintf(text, size, "%" PRId64 "%%", limit / 10000);
  } else if (option->kind == MEMPLAN_OPTION_TIME) {
    (void)snprintf(text, size, "%" PRId64 "%s", limit, limit == 0 ? "" : "ms");
  } else if (option->kind == MEMPLAN_OPTION_SIZE) {
    int power = 0;
    for (; suffixes[power] != '\0' && limit > 0 && limit % 1024 == 0; power++) {
      limit /= 1024;
    }
    (void)snprintf(text, size, "%" PRId64 "%.1s", limit, power > 0 ? &suffixes[power - 1] : "");
  } else {
    (void)snprintf(text, size, "%" PRId64, limit);
  }
  return text;
}

static memplan_status fail_range(const memplan_option *option, const char *text, memplan_error *error) {
  char least[32], most[32];
  bool bytes = option->kind == MEMPLAN_OPTION_SIZE && strspn(text, "+0123456789") == strlen(text);
  return memplan_fail(error, MEMPLAN_INPUT, "--%s: %s%s is out of range: give %s to %s", option->name, text,
                      bytes ? " bytes" : "", limit_text(option, option->minimum, least, sizeof least),
                      limit_text(option, option->maximum, most, sizeof most));
}

static memplan_status fail_choice(const memplan_option *option, const char *text, memplan_error *error) {
  char list[CHOICES_LIMIT] = "";
  const char *names[WORD_LIMIT];
  int32_t n = 0;
  size_t length = 0;
  for (const char *name; n < WORD_LIMIT && (name = memplan_option_choice(option, n)) != NULL; n++) {
    names[n] = name;
    int written = snprintf(list + length, sizeof list - length, "%s%s", n == 0 ? "" : ", ", name);
    length += written > 0 && (size_t)written < sizeof list - length ? (size_t)written : 0;
  }
  int32_t nearest = memplan_nearest_name(text, names, n);
  const char *no_file = option->or_file ? " and no file" : "", *other = option->or_file ? ", or a file" : "";
  if (nearest >= 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "--%s: '%s' is unknown%s, did you mean '%s'? Give one of: %s%s",
                        option->name, text, no_file, names[nearest], list, other);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "--%s: '%s' is unknown%s: give one of: %s%s", option->name, text, no_file,
                      list, other);
}

memplan_status memplan_option_parse(const memplan_option *option, const char *text, int64_t *number,
                                    memplan_error *error) {
  const char *rest, *form = "an integer of 64 bits, as in 1000: give all digits and no unit";
  bool good = true, large = false;
  switch (option->kind) {
  case MEMPLAN_OPTION_FLAG:
  case MEMPLAN_OPTION_NEGATION:
  case MEMPLAN_OPTION_TEXT:
  case MEMPLAN_OPTION_FILE:
    *number = 0;
    return MEMPLAN_OK;
  case MEMPLAN_OPTION_CHOICE:
  case MEMPLAN_OPTION_NAME: {
    int32_t index = 0;
    for (const char *name; (name = memplan_option_choice(option, index)) != NULL; index++) {
      if (strcmp(name, text) == 0) {
        *number = index;
        return MEMPLAN_OK;
      }
    }
    if (option->kind == MEMPLAN_OPTION_NAME && option->accepts != NULL && option->accepts(text)) {
      *number = -1;
      return MEMPLAN_OK;
    }
    if (option->or_file && (strcmp(text, "-") == 0 || access(text, F_OK) == 0)) {
      *number = -1;
      return MEMPLAN_OK;
    }
    return fail_choice(option, text, error);
  }
  case MEMPLAN_OPTION_INTEGER:
    good = parse_digits(text, &rest, number) && *rest == '\0';
    break;
  case MEMPLAN_OPTION_SIZE:
    good = parse_size(text, number, &large);
    form = "a whole number of bytes, with K, M, G or T (or KiB and so on) for powers of 1024, as in 512K";
    break;
  case MEMPLAN_OPTION_TIME:
    good = parse_time(text, number);
    form = "a time with ms, s, m or h, as in 500ms, 10s or 2m (without a unit: seconds)";
    break;
  case MEMPLAN_OPTION_PERCENT:
    good = parse_percent(text, number);
    form = "a percentage: write its sign, and at most four decimals, as in 1% or 0.25%";
    break;
  }
  if (!good && !large) {
    return memplan_fail(error, MEMPLAN_INPUT, "--%s: '%s' is not %s", option->name, text, form);
  }
  if (large || *number < option->minimum || *number > option->maximum) {
    return fail_range(option, text, error);
  }
  return MEMPLAN_OK;
}

// What getopt_long needs, for the options that this command has.
typedef struct getopt_tables {
  struct option *longs;
  char *shorts;
} getopt_tables;

static bool make_tables(memplan_options *options, uint32_t command, getopt_tables *tables) {
  tables->longs = MEMPLAN_NEW(&options->arena, struct option, options->n_table + 1);
  tables->shorts = MEMPLAN_NEW(&options->arena, char, 2 * options->n_table + 2);
  if (tables->longs == NULL || tables->shorts == NULL) {
    return false;
  }
  int32_t n_longs = 0, length = 0;
  tables->shorts[length++] = ':';
  for (int32_t i = 0; i < options->n_table; i++) {
    const memplan_option *option = &options->table[i];
    if ((option->commands & command) == 0) {
      continue;
    }
    int has_argument = option->argument == NULL ? no_argument : required_argument;
    tables->longs[n_longs++] = (struct option){option->name, has_argument, NULL, LONG_BASE + i};
    if (option->letter != 0) {
      tables->shorts[length++] = option->letter;
      if (has_argument == required_argument) {
        tables->shorts[length++] = ':';
      }
    }
  }
  return true;
}

static int32_t find_letter(const memplan_options *options, uint32_t command, int letter) {
  for (int32_t i = 0; i < options->n_table; i++) {
    if (options->table[i].letter == letter && (options->table[i].commands & command) != 0) {
      return i;
    }
  }
  return -1;
}

static memplan_status fail_unknown(const memplan_options *options, uint32_t command, const char *word,
                                   memplan_error *error) {
  char name[WORD_LIMIT + 1];
  size_t length = strcspn(word, "=");
  snprintf(name, sizeof name, "%.*s", length > WORD_LIMIT ? WORD_LIMIT : (int)length, word);
  const char *names[2 * WORD_LIMIT];
  int32_t n = 0;
  for (int32_t i = 0; i < options->n_table && n < 2 * WORD_LIMIT; i++) {
    const memplan_option *option = &options->table[i];
    if ((option->commands & command) != 0) {
      names[n++] = option->name;
    } else if (strcmp(option->name, name) == 0) {
      return memplan_fail(error, MEMPLAN_INPUT, "this subcommand has no option --%s: --help lists those it has", name);
    }
  }
  int32_t nearest = memplan_nearest_name(name, names, n);
  if (nearest >= 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "unknown option --%s: did you mean --%s?", name, names[nearest]);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "unknown option --%s: --help lists the options", name);
}

static memplan_status store(memplan_options *options, int32_t index, const char *argument, memplan_error *error) {
  const memplan_option *option = &options->table[index];
  memplan_option_value *value = &options->values[index];
  if (option->kind == MEMPLAN_OPTION_NEGATION) {
    options->values[option->negates].number = 0;
    options->values[option->negates].given = true;
    value->given = true;
    return MEMPLAN_OK;
  }
  if (option->kind == MEMPLAN_OPTION_FLAG) {
    value->number = 1;
  } else {
    MEMPLAN_TRY(memplan_option_parse(option, argument, &value->number, error));
  }
  value->given = true;
  value->text = argument;
  if (option->many) {
    value->list[value->n_list++] = argument;
  }
  return MEMPLAN_OK;
}

// The second argument is the next word, which getopt_long has not looked at.
static memplan_status store_second(memplan_options *options, int32_t index, char **argv, memplan_error *error) {
  memplan_option_value *value = &options->values[index];
  const char *second = argv[optind];
  if (second == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "--%s needs two arguments: --%s %s", options->table[index].name,
                        options->table[index].name, options->table[index].argument);
  }
  optind++;
  value->list[0] = value->text;
  value->list[1] = second;
  value->n_list = 2;
  return MEMPLAN_OK;
}

// The long option just read, as typed: "--name", "--name=value".
static const char *typed_option(char **argv) {
  return argv[optind - 1] == optarg ? argv[optind - 2] : argv[optind - 1];
}

static memplan_status parse_one(memplan_options *options, uint32_t command, int code, char **argv,
                                memplan_error *error) {
  if (code >= LONG_BASE) {
    int32_t index = code - LONG_BASE;
    const char *typed = typed_option(argv) + 2;
    if (strcspn(typed, "=") != strlen(options->table[index].name)) {
      return fail_unknown(options, command, typed, error);
    }
    MEMPLAN_TRY(store(options, index, optarg, error));
    return options->table[index].pair ? store_second(options, index, argv, error) : MEMPLAN_OK;
  }
  if (code != ':' && code != '?') {
    return store(options, find_letter(options, command, code), optarg, error);
  }
  if (optopt >= LONG_BASE) {
    const char *name = options->table[optopt - LONG_BASE].name, *argument = options->table[optopt - LONG_BASE].argument;
    if (code == ':') {
      return memplan_fail(error, MEMPLAN_INPUT, "--%s needs an argument: --%s %s", name, name, argument);
    }
    return memplan_fail(error, MEMPLAN_INPUT, "--%s takes no argument", name);
  }
  if (optopt == 0) {
    return fail_unknown(options, command, argv[optind - 1] + 2, error);
  }
  int32_t index = find_letter(options, command, optopt);
  if (index >= 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "-%c needs an argument: -%c %s", optopt, optopt,
                        options->table[index].argument);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "unknown option -%c: --help lists the options", optopt);
}

static memplan_status set_defaults(memplan_options *options, int argc, memplan_error *error) {
  for (int32_t i = 0; i < options->n_table; i++) {
    const memplan_option *option = &options->table[i];
    memplan_option_value *value = &options->values[i];
    value->text = option->fallback;
    if (option->fallback != NULL && option->kind == MEMPLAN_OPTION_FLAG) {
      value->number = 1;
    } else if (option->fallback != NULL) {
      MEMPLAN_TRY(memplan_option_parse(option, option->fallback, &value->number, error));
    }
    if (option->many || option->pair) {
      value->list = MEMPLAN_NEW(&options->arena, const char *, argc + 1);
      if (value->list == NULL) {
        return memplan_fail_nomem(error);
      }
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_options_parse(memplan_options *options, const memplan_option *table, int32_t n_table,
                                     uint32_t command, int argc, char **argv, memplan_error *error) {
  *options = (memplan_options){.table = table, .n_table = n_table};
  options->values = MEMPLAN_NEW(&options->arena, memplan_option_value, n_table);
  options->arguments = MEMPLAN_NEW(&options->arena, const char *, argc);
  getopt_tables tables;
  if (options->values == NULL || options->arguments == NULL || !make_tables(options, command, &tables)) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(set_defaults(options, argc, error));
  optind = 0; // restarts getopt
  opterr = 0;
  for (;;) {
    optarg = NULL;
    int code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
    if (code == -1) {
      break;
    }
    MEMPLAN_TRY(parse_one(options, command, code, argv, error));
  }
  for (int i = optind; i < argc; i++) {
    options->arguments[options->n_arguments++] = argv[i];
  }
  return MEMPLAN_OK;
}

void memplan_options_free(memplan_options *options) {
  memplan_arena_free(&options->arena);
  *options = (memplan_options){0};
}
