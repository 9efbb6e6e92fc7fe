// SPDX-License-Identifier: Apache-2.0
// `memplan list`: what the registries and tables hold. README's tables are this command's output.
#include "eval/command.h"
#include "eval/json_keys.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/program_file.h"
#include "instances/formats.h"
#include "instances/generators.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_COLUMNS = 9, TEXT_SIZE = 1024, LINE_WIDTH = 100 };

typedef struct list_topic {
  const char *name;
  const char *summary;
  memplan_column columns[MOST_COLUMNS];
  int32_t n_columns;
  uint32_t detail; // bit i: column i is shown only with -v, and in JSON and CSV
  uint32_t wide;   // bit i: in text too only with -v, as a line has no room for it
  // The cells of the index-th row; false after the last. `room` holds text made for it.
  bool (*row)(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]);
} list_topic;

static const char *yes_or_no(bool value) { return value ? "yes" : "no"; }

static bool method_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  static const char *const kinds[] = {"order", "placement", "joint"};
  static const char unavailable[] = "everything: unavailable in this build, which has no GLPK";
  const memplan_method *method = memplan_method_at(index);
  if (method == NULL) {
    return false;
  }
  const char *all[MOST_COLUMNS] = {method->name,
                                   kinds[method->kind],
                                   yes_or_no(method->exact),
                                   method->summary,
                                   method->available != NULL && !method->available() ? unavailable
                                   : method->declines == NULL                        ? "nothing"
                                                                                     : method->declines,
                                   method->complexity,
                                   method->reference,
                                   yes_or_no(method->seeded),
                                   yes_or_no(method->anytime)};
  memcpy(cells, all, sizeof all);
  return true;
}

static bool format_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  static const char *const kinds[] = {"model", "lifetimes", "plan"};
  if (index >= memplan_format_count()) {
    const memplan_program_format *program = memplan_program_format_at(index - memplan_format_count());
    if (program == NULL) {
      return false;
    }
    const char *own[MOST_COLUMNS] = {program->name,        "program",        "no", "yes", program->extension,
                                     program->description, program->carries, ""};
    memcpy(cells, own, sizeof own);
    return true;
  }
  const memplan_file_format *format = memplan_format_at(index);
  const char *all[MOST_COLUMNS] = {format->name,
                                   kinds[format->kind],
                                   yes_or_no(memplan_format_can(format, MEMPLAN_FORMAT_READ)),
                                   yes_or_no(memplan_format_can(format, MEMPLAN_FORMAT_WRITE)),
                                   format->extensions,
                                   format->description,
                                   format->carries,
                                   format->aliases};
  memcpy(cells, all, sizeof all);
  return true;
}

static void option_range(const memplan_option *option, char *room, size_t size) {
  size_t length = 0;
  room[0] = '\0';
  const char *choice;
  for (int32_t i = 0; (choice = memplan_option_choice(option, i)) != NULL; i++) {
    int written = snprintf(room + length, size - length, "%s%s", i == 0 ? "" : ", ", choice);
    length += written > 0 && (size_t)written < size - length ? (size_t)written : 0;
  }
  if (option->minimum < option->maximum) {
    snprintf(room, size, "%" PRId64 " to %" PRId64 "%s%s", option->minimum, option->maximum,
             option->unit == NULL ? "" : " ", option->unit == NULL ? "" : option->unit);
  }
}

static bool option_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  if (index >= MEMPLAN_OPTION_COUNT) {
    return false;
  }
  const memplan_option *option = &memplan_option_table()[index];
  enum { NAME_SIZE = 64, COMMANDS_SIZE = 128 };
  char *name = room, *commands = name + NAME_SIZE, *range = commands + COMMANDS_SIZE;
  snprintf(name, NAME_SIZE, "--%s", option->name);
  if (option->letter != 0) {
    snprintf(name, NAME_SIZE, "-%c, --%s", option->letter, option->name);
  }
  size_t length = 0;
  commands[0] = '\0';
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    if (((*command)->bit & option->commands) != 0) {
      int written =
          snprintf(commands + length, COMMANDS_SIZE - length, "%s%s", length == 0 ? "" : " ", (*command)->name);
      length += written > 0 && (size_t)written < COMMANDS_SIZE - length ? (size_t)written : 0;
    }
  }
  option_range(option, range, TEXT_SIZE - NAME_SIZE - COMMANDS_SIZE);
  const char *all[MOST_COLUMNS] = {name, option->argument, option->fallback, range, commands, option->text};
  memcpy(cells, all, sizeof all);
  return true;
}

static bool command_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  const memplan_command *command = memplan_commands()[index];
  if (command == NULL) {
    return false;
  }
  cells[0] = command->name;
  cells[1] = command->arguments;
  cells[2] = command->summary;
  cells[3] = command->example;
  return true;
}

static bool exit_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  int32_t n;
  const memplan_exit_text *texts = memplan_exit_texts(&n);
  if (index >= n) {
    return false;
  }
  snprintf(room, TEXT_SIZE, "%d", (int)texts[index].code);
  cells[0] = room;
  cells[1] = texts[index].text;
  return true;
}

static bool key_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  if (index >= memplan_json_key_count()) {
    return false;
  }
  memplan_json_key key = memplan_json_key_at(index);
  cells[0] = key.name;
  cells[1] = key.commands;
  cells[2] = key.text;
  return true;
}

static bool generator_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  const memplan_generator *generator = memplan_generator_at(index);
  if (generator == NULL) {
    return false;
  }
  cells[0] = generator->name;
  cells[1] = generator->summary;
  cells[2] = generator->parameters;
  return true;
}

static bool technique_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  const memplan_technique *technique = memplan_technique_at(index);
  if (technique == NULL) {
    return false;
  }
  cells[0] = technique->name;
  cells[1] = technique->text;
  return true;
}

static bool topic_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]);

#define TEXT_COLUMN(key, title)                                                                                        \
  { key, title, MEMPLAN_CELL_TEXT, 0 }

static const list_topic topics[] = {
    {"topics", "these lists", {TEXT_COLUMN("name", "topic"), TEXT_COLUMN("summary", "lists")}, 2, 0, 0, topic_row},
    {"methods",
     "registered order and placement methods",
     {TEXT_COLUMN("name", "method"), TEXT_COLUMN("kind", "finds"), TEXT_COLUMN("exact", "exact"),
      TEXT_COLUMN("summary", "how"), TEXT_COLUMN("declines", "declines"), TEXT_COLUMN("complexity", "time"),
      TEXT_COLUMN("reference", "source"), TEXT_COLUMN("seeded", "seeded"), TEXT_COLUMN("anytime", "anytime")},
     9,
     1u << 5 | 1u << 6 | 1u << 7 | 1u << 8,
     1u << 4,
     method_row},
    {"formats",
     "file formats that are read and written",
     {TEXT_COLUMN("name", "format"), TEXT_COLUMN("kind", "holds"), TEXT_COLUMN("reads", "read"),
      TEXT_COLUMN("writes", "written"), TEXT_COLUMN("extensions", "extensions"),
      TEXT_COLUMN("description", "description"), TEXT_COLUMN("carries", "carries"), TEXT_COLUMN("aliases", "aliases")},
     8,
     1u << 6 | 1u << 7,
     0,
     format_row},
    {"generators",
     "families of instances that gen makes",
     {TEXT_COLUMN("name", "family"), TEXT_COLUMN("summary", "instances"), TEXT_COLUMN("parameters", "parameters")},
     3,
     0,
     0,
     generator_row},
    {"techniques",
     "parts of the exact searches that bench --without switches off",
     {TEXT_COLUMN("name", "technique"), TEXT_COLUMN("text", "meaning")},
     2,
     0,
     0,
     technique_row},
    {"options",
     "options with default, range and the subcommands that have them",
     {TEXT_COLUMN("option", "option"), TEXT_COLUMN("argument", "argument"), TEXT_COLUMN("default", "default"),
      TEXT_COLUMN("range", "range"), TEXT_COLUMN("subcommands", "subcommands"), TEXT_COLUMN("text", "meaning")},
     6,
     1u << 3 | 1u << 4,
     0,
     option_row},
    {"commands",
     "subcommands",
     {TEXT_COLUMN("name", "subcommand"), TEXT_COLUMN("arguments", "arguments"), TEXT_COLUMN("summary", "does"),
      TEXT_COLUMN("example", "example")},
     4,
     1u << 3,
     0,
     command_row},
    {"exit-codes",
     "exit codes",
     {{"code", "code", MEMPLAN_CELL_NUMBER, 0}, TEXT_COLUMN("meaning", "meaning")},
     2,
     0,
     0,
     exit_row},
    {"json-keys",
     "keys of the JSON objects that commands print",
     {TEXT_COLUMN("key", "key"), TEXT_COLUMN("commands", "printed by"), TEXT_COLUMN("text", "meaning")},
     3,
     0,
     0,
     key_row},
};

static bool topic_row(int32_t index, const char *cells[MOST_COLUMNS], char room[TEXT_SIZE]) {
  (void)room;
  if (index >= (int32_t)(sizeof topics / sizeof *topics)) {
    return false;
  }
  cells[0] = topics[index].name;
  cells[1] = topics[index].summary;
  return true;
}

static const list_topic *find_topic(const char *name) {
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    if (strcmp(topics[i].name, name) == 0) {
      return &topics[i];
    }
  }
  return NULL;
}

static memplan_status fill(memplan_grid *grid, const list_topic *topic, uint32_t hidden, memplan_error *error) {
  const char *cells[MOST_COLUMNS] = {0}, *shown[MOST_COLUMNS];
  char room[TEXT_SIZE];
  for (int32_t index = 0; topic->row(index, cells, room); index++) {
    int32_t n = 0;
    for (int32_t i = 0; i < topic->n_columns; i++) {
      if ((hidden >> i & 1) == 0) {
        shown[n++] = cells[i];
      }
    }
    if (!memplan_grid_add(grid, shown)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status list(memplan_context *context, memplan_error *error) {
  const list_topic *topic = context->options.n_arguments == 0 ? topics : find_topic(context->options.arguments[0]);
  if (topic == NULL) {
    return memplan_fail(
        error, MEMPLAN_INPUT,
        "list: '%.64s' is unknown: give topics, methods, formats, generators, techniques, options, commands, "
        "exit-codes or json-keys",
        context->options.arguments[0]);
  }
  memplan_style style = context->settings.style;
  bool brief = (style == MEMPLAN_STYLE_TEXT || style == MEMPLAN_STYLE_MD) && !context->console.verbose;
  uint32_t hidden = !brief ? 0 : style == MEMPLAN_STYLE_TEXT ? topic->detail | topic->wide : topic->detail;
  memplan_column columns[MOST_COLUMNS];
  int32_t n = 0;
  for (int32_t i = 0; i < topic->n_columns; i++) {
    if ((hidden >> i & 1) == 0) {
      columns[n++] = topic->columns[i];
    }
  }
  memplan_grid grid;
  memplan_output output;
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  memplan_status status =
      memplan_grid_init(&grid, columns, n) ? fill(&grid, topic, hidden, error) : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    grid.line_width = brief ? LINE_WIDTH : 0;
    memplan_grid_write(&grid, output.file, style);
  }
  memplan_grid_free(&grid);
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_status status = list(context, &error);
  return status == MEMPLAN_OK ? MEMPLAN_EXIT_GOAL : memplan_context_fail(context, status, &error);
}

const memplan_command memplan_command_list = {
    .name = "list",
    .bit = MEMPLAN_COMMAND_LIST,
    .arguments = "[TOPIC]",
    .min_arguments = 0,
    .max_arguments = 1,
    .summary = "registered methods, file formats, generators, techniques, options, subcommands, exit codes, JSON keys",
    .details = "Prints one of the lists from which the command itself works, without TOPIC what there are. TOPIC is "
               "methods, formats, generators, techniques, options, commands, exit-codes or json-keys. -v shows all "
               "columns; JSON and CSV always hold "
               "them.",
    .example = "memplan list methods",
    .run = run,
};
