// SPDX-License-Identifier: Apache-2.0
#include "eval/command.h"

#include <string.h>

static const memplan_command *const commands[] = {
    &memplan_command_solve,   &memplan_command_info,    &memplan_command_bound, &memplan_command_verify,
    &memplan_command_convert, &memplan_command_bench,   &memplan_command_table, &memplan_command_list,
    &memplan_command_gen,     &memplan_command_explain, &memplan_command_check, NULL,
};

const memplan_command *const *memplan_commands(void) { return commands; }

const memplan_command *memplan_command_find(const char *name) {
  for (int32_t i = 0; commands[i] != NULL; i++) {
    if (strcmp(commands[i]->name, name) == 0) {
      return commands[i];
    }
  }
  return NULL;
}

memplan_exit memplan_context_fail(memplan_context *context, memplan_status status, const memplan_error *error) {
  if (error->message[0] != '\0') {
    memplan_console_error(&context->console, "%s", error->message);
  }
  return memplan_exit_of_status(status);
}
