// SPDX-License-Identifier: Apache-2.0
// The command: finds the subcommand, parses its options, runs it. The only place that ends the process.
#include "eval/command.h"
#include "eval/help.h"
#include "eval/interrupt.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/output_paths.h"
#include "model/memplan.h"

#include <string.h>
#include <unistd.h>

enum { MOST_COMMANDS = 32 };

static memplan_exit finish_stdout(memplan_console *console) {
  memplan_output output;
  memplan_error error = {0};
  memplan_status status = memplan_output_open(&output, NULL, &error);
  if (status == MEMPLAN_OK) {
    status = memplan_output_close(&output, &error);
  }
  if (status != MEMPLAN_OK && error.message[0] != '\0') {
    memplan_console_error(console, "%s", error.message);
  }
  return memplan_exit_of_status(status);
}

static memplan_exit fail_subcommand(memplan_console *console, const char *word) {
  const char *names[MOST_COMMANDS];
  int32_t n = 0;
  for (const memplan_command *const *command = memplan_commands(); *command != NULL && n < MOST_COMMANDS; command++) {
    names[n++] = (*command)->name;
  }
  int32_t nearest = memplan_nearest_name(word, names, n);
  if (access(word, F_OK) == 0) {
    memplan_console_error(console, "unknown subcommand '%.64s': did you mean 'solve %.64s'?", word, word);
  } else if (nearest >= 0) {
    memplan_console_error(console, "unknown subcommand '%.64s': did you mean '%s'?", word, names[nearest]);
  } else {
    memplan_console_error(console, "unknown subcommand '%.64s': memplan --help lists them", word);
  }
  return MEMPLAN_EXIT_INPUT;
}

// `memplan --help`, `--version` and `--generate man|bash-completion`.
static memplan_exit run_global(memplan_console *console, int argc, char **argv) {
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    memplan_help_write(stdout);
  } else if (strcmp(argv[1], "--version") == 0) {
    printf("memplan %s\n", memplan_version());
  } else if (strcmp(argv[1], "--generate") == 0) {
    bool manual = argc == 3 && strcmp(argv[2], "man") == 0;
    if (!manual && (argc != 3 || strcmp(argv[2], "bash-completion") != 0)) {
      memplan_console_error(console, "--generate needs man or bash-completion");
      return MEMPLAN_EXIT_INPUT;
    }
    (manual ? memplan_manual_write : memplan_completion_write)(stdout);
  } else {
    memplan_console_error(console, "unknown option %.64s: the subcommand comes first, see memplan --help", argv[1]);
    return MEMPLAN_EXIT_INPUT;
  }
  return finish_stdout(console);
}

static memplan_status check_arguments(const memplan_context *context, memplan_error *error) {
  const memplan_command *command = context->command;
  if (context->options.n_arguments < command->min_arguments) {
    const memplan_option_value *pair = memplan_option_get(&context->options, MEMPLAN_OPTION_PAIR);
    if (pair->given) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "%s needs %s: --pair has taken '%.64s' and '%.64s' as the ids of two buffers; give both ids, "
                          "and the file besides",
                          command->name, command->arguments, pair->list[0], pair->list[1]);
    }
    return memplan_fail(error, MEMPLAN_INPUT, "%s needs %s: memplan %s --help explains", command->name,
                        command->arguments, command->name);
  }
  if (context->options.n_arguments > command->max_arguments) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s takes %s, but there is '%.64s' too", command->name,
                        command->arguments, context->options.arguments[command->max_arguments]);
  }
  return MEMPLAN_OK;
}

static memplan_exit run_command(const memplan_command *command, memplan_console *console, int argc, char **argv) {
  memplan_context context = {.command = command, .console = *console, .cancel = memplan_interrupt_flag()};
  memplan_error error = {0};
  memplan_exit code = MEMPLAN_EXIT_GOAL;
  memplan_status status = memplan_options_parse(&context.options, memplan_option_table(), MEMPLAN_OPTION_COUNT,
                                                command->bit, argc, argv, &error);
  bool help = status == MEMPLAN_OK && memplan_option_get(&context.options, MEMPLAN_OPTION_HELP)->given;
  if (status == MEMPLAN_OK && !help) {
    memplan_console_init(&context.console, stderr, memplan_option_get(&context.options, MEMPLAN_OPTION_QUIET)->given,
                         memplan_option_get(&context.options, MEMPLAN_OPTION_VERBOSE)->given,
                         memplan_option_get(&context.options, MEMPLAN_OPTION_NO_PROGRESS)->given);
    status = check_arguments(&context, &error);
  }
  bool reads_files = command != &memplan_command_gen; // a family is no file
  if (status == MEMPLAN_OK && !help && reads_files) {
    bool files = (command->bit & (MEMPLAN_COMMAND_LIST | MEMPLAN_COMMAND_GEN)) == 0;
    status = memplan_output_paths_check_options(&context.options, files, &error);
  }
  if (status == MEMPLAN_OK && !help) {
    status = memplan_settings_read(&context.settings, &context.options, &error);
  }
  // bench appends, and opens its file at once; gen may make a folder.
  bool whole_files = (command->bit & (MEMPLAN_COMMAND_BENCH | MEMPLAN_COMMAND_GEN)) == 0;
  if (status == MEMPLAN_OK && !help && whole_files) {
    status = memplan_output_paths_check_places(&context.options, &error);
  }
  if (status != MEMPLAN_OK) {
    code = memplan_context_fail(&context, status, &error);
  } else if (help) {
    memplan_help_write_command(command, memplan_option_get(&context.options, MEMPLAN_OPTION_VERBOSE)->given, stdout);
    code = finish_stdout(&context.console);
  } else {
    code = command->run(&context);
    code = *context.cancel != 0 ? memplan_exit_interrupted(code) : code;
  }
  memplan_settings_free(&context.settings);
  memplan_options_free(&context.options);
  return code;
}

int main(int argc, char **argv) {
  memplan_console console;
  memplan_interrupt_install();
  memplan_console_init(&console, stderr, false, false, true);
  if (argc < 2) {
    memplan_help_write(stderr);
    return MEMPLAN_EXIT_INPUT;
  }
  if (argv[1][0] == '-') {
    return (int)run_global(&console, argc, argv);
  }
  const memplan_command *command = memplan_command_find(argv[1]);
  if (command == NULL) {
    return (int)fail_subcommand(&console, argv[1]);
  }
  return (int)run_command(command, &console, argc - 1, argv + 1);
}
