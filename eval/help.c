// SPDX-License-Identifier: Apache-2.0
#include "eval/help.h"

#include "eval/option_table.h"

#include <string.h>

enum { LINE_WIDTH = 80, TEXT_COLUMN = 28 };

// Words of `text` from `column` on, further lines indented by `indent`; "\n\n" starts a paragraph.
static void write_wrapped(FILE *out, const char *text, int32_t column, int32_t indent) {
  bool line_start = true;
  while (*text != '\0') {
    if (strncmp(text, "\n\n", 2) == 0) {
      fprintf(out, "\n\n%*s", indent, "");
      column = indent;
      line_start = true;
      text += 2;
      continue;
    }
    size_t length = strcspn(text, " \n");
    int32_t width = 0;
    for (size_t i = 0; i < length; i++) {
      width += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    if (!line_start && column + 1 + width > LINE_WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
      line_start = true;
    }
    fprintf(out, "%s%.*s", line_start ? "" : " ", (int)length, text);
    column += width + (line_start ? 0 : 1);
    line_start = false;
    text += length;
    text += *text == ' ' ? 1 : 0;
  }
  fputc('\n', out);
}

static void write_option(const memplan_option *option, FILE *out) {
  char head[80], text[1024];
  snprintf(head, sizeof head, "  %c%c%s--%s%s%s", option->letter == 0 ? ' ' : '-',
           option->letter == 0 ? ' ' : option->letter, option->letter == 0 ? "  " : ", ", option->name,
           option->argument == NULL ? "" : " ", option->argument == NULL ? "" : option->argument);
  size_t length = (size_t)snprintf(text, sizeof text, "%s", option->text);
  const char *choice;
  for (int32_t i = 0; (choice = memplan_option_choice(option, i)) != NULL && length < sizeof text; i++) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? ". One of " : ", ", choice);
  }
  if (option->fallback != NULL && option->argument != NULL && length < sizeof text) {
    snprintf(text + length, sizeof text - length, " [%s]", option->fallback);
  }
  int32_t width = (int32_t)strlen(head);
  fputs(head, out);
  if (width + 2 > TEXT_COLUMN) {
    fprintf(out, "\n%*s", TEXT_COLUMN, "");
  } else {
    fprintf(out, "%*s", TEXT_COLUMN - width, "");
  }
  write_wrapped(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static bool is_in(const memplan_option *option, const memplan_command *command, const char *group) {
  return (option->commands & command->bit) != 0 && strcmp(option->group, group) == 0;
}

// Those that are seldom needed are only named, unless all are asked for. True if some were.
static bool write_group(const memplan_command *command, const char *group, bool all, FILE *out) {
  char names[400] = "and ";
  size_t length = strlen(names), start = length;
  fprintf(out, "\n%s:\n", group);
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &memplan_option_table()[i];
    if (!is_in(option, command, group)) {
      continue;
    }
    if (all || !option->seldom) {
      write_option(option, out);
    } else if (length < sizeof names) {
      length +=
          (size_t)snprintf(names + length, sizeof names - length, "%s--%s", length == start ? "" : ", ", option->name);
    }
  }
  if (length > start) {
    fputs("  ", out);
    write_wrapped(out, names, 2, 4);
  }
  return length > start;
}

void memplan_help_write_command(const memplan_command *command, bool all, FILE *out) {
  fprintf(out, "Usage: memplan %s [OPTION…] %s\n\n", command->name, command->arguments);
  write_wrapped(out, command->details, 0, 0);
  const char *group = "";
  bool more = false;
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &memplan_option_table()[i];
    if ((option->commands & command->bit) != 0 && strcmp(group, option->group) != 0) {
      group = option->group;
      more = write_group(command, group, all, out) || more;
    }
  }
  if (more) {
    fprintf(out, "\n`memplan %s --help -v` explains all of them.\n", command->name);
  }
  fprintf(out, "\nExample:\n  %s\n", command->example);
}

void memplan_help_write(FILE *out) {
  fputs("Usage: memplan SUBCOMMAND [OPTION…] FILE…\n\n"
        "Plans the memory of a neural-network graph: the order of its operators and the\n"
        "offset of every buffer in one arena, as small as possible, with a proof of how\n"
        "small is possible.\n\nSubcommands:\n",
        out);
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    fprintf(out, "  %-10s", (*command)->name);
    write_wrapped(out, (*command)->summary, 12, 12);
  }
  fputs("\n`memplan SUBCOMMAND --help` explains one; `memplan --version` tells the version.\n\nExit codes:\n", out);
  int32_t n;
  const memplan_exit_text *texts = memplan_exit_texts(&n);
  for (int32_t i = 0; i < n; i++) {
    fprintf(out, "  %3d  ", (int)texts[i].code);
    write_wrapped(out, texts[i].text, 7, 7);
  }
  fputs("\nExample:\n  memplan solve model.onnx -o plan.json --plot plan.svg\n", out);
}
