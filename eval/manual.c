// SPDX-License-Identifier: Apache-2.0
// The manual page, and the completion, from the same tables as the help texts.
#include "eval/help.h"
#include "eval/option_table.h"
#include "eval/json_keys.h"
#include "instances/generators.h"
#include "model/memplan.h"

#include <string.h>

// Text with what troff would take for a request or an escape written out. "\n\n" starts a paragraph.
static void write_troff(FILE *out, const char *text) {
  bool line_start = true;
  for (; *text != '\0'; text++) {
    if (strncmp(text, "\n\n", 2) == 0) {
      fputs("\n.PP\n", out);
      line_start = true;
      text++;
      continue;
    }
    if (line_start && (*text == '.' || *text == '\'')) {
      fputs("\\&", out);
    }
    if (*text == '-') {
      fputs("\\-", out);
    } else if (*text == '\\') {
      fputs("\\e", out);
    } else if (strncmp(text, "…", strlen("…")) == 0) {
      fputs("...", out);
      text += strlen("…") - 1;
    } else {
      fputc(*text, out);
    }
    line_start = false;
  }
}

static void write_option(const memplan_option *option, FILE *out) {
  fputs(".TP\n", out);
  if (option->letter != 0) {
    fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  }
  fputs("\\fB\\-\\-", out);
  write_troff(out, option->name);
  fputs("\\fR", out);
  if (option->argument != NULL) {
    fputs(" \\fI", out);
    write_troff(out, option->argument);
    fputs("\\fR", out);
  }
  fputc('\n', out);
  write_troff(out, option->text);
  const char *choice;
  for (int32_t i = 0; (choice = memplan_option_choice(option, i)) != NULL; i++) {
    fputs(i == 0 ? ". One of " : ", ", out);
    write_troff(out, choice);
  }
  if (option->fallback != NULL && option->argument != NULL) {
    fputs("; default ", out);
    write_troff(out, option->fallback);
  }
  fputs(" (", out);
  bool first = true;
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    if (((*command)->bit & option->commands) != 0) {
      fprintf(out, "%s%s", first ? "" : ", ", (*command)->name);
      first = false;
    }
  }
  fputs(").\n", out);
}

void memplan_manual_write(FILE *out) {
  fprintf(out, ".TH MEMPLAN 1 \"\" \"memplan %s\" \"User Commands\"\n", memplan_version());
  fputs(".SH NAME\nmemplan \\- plan the memory of neural\\-network graphs, exactly\n"
        ".SH SYNOPSIS\n\\fBmemplan\\fR \\fISUBCOMMAND\\fR [\\fIOPTION\\fR...] \\fIFILE\\fR...\n"
        ".SH DESCRIPTION\n"
        "memplan chooses the execution order of a graph's operators and the offset of every buffer in one arena, so "
        "that the arena is as small as possible, and proves how small is possible.\n"
        "Results go to standard output, messages and progress to standard error.\n",
        out);
  fputs(".SH SUBCOMMANDS\n", out);
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    fprintf(out, ".SS memplan %s ", (*command)->name);
    write_troff(out, (*command)->arguments);
    fputc('\n', out);
    write_troff(out, (*command)->details);
    fputs("\n.PP\nExample:\n.RS\n.nf\n", out);
    write_troff(out, (*command)->example);
    fputs("\n.fi\n.RE\n", out);
  }
  fputs(".SH OPTIONS\nSizes are in bytes; K, M, G and T stand for powers of 1024. In brackets: the subcommands that "
        "have the option.\n",
        out);
  const char *group = NULL;
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &memplan_option_table()[i];
    if (group == NULL || strcmp(group, option->group) != 0) {
      group = option->group;
      fprintf(out, ".SS %s\n", group);
    }
    write_option(option, out);
  }
  fputs(".SH EXIT STATUS\n", out);
  int32_t n;
  const memplan_exit_text *texts = memplan_exit_texts(&n);
  for (int32_t i = 0; i < n; i++) {
    fprintf(out, ".TP\n\\fB%d\\fR\n", (int)texts[i].code);
    write_troff(out, texts[i].text);
    fputs(".\n", out);
  }
  fputs(".SH JSON KEYS\nOf the objects that \\fB\\-\\-format json\\fR and \\fBbench\\fR print, in this order. Numbers "
        "are exact integers of bytes, or decimals of ratios and seconds.\n",
        out);
  for (int32_t i = 0; i < memplan_json_key_count(); i++) {
    memplan_json_key key = memplan_json_key_at(i);
    fprintf(out, ".TP\n\\fB%s\\fR (%s)\n", key.name, key.commands);
    write_troff(out, key.text);
    fputs(".\n", out);
  }
  fputs(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nIf set and not empty, messages are not coloured.\n"
        ".TP\n\\fBOMP_NUM_THREADS\\fR\nThreads to use where \\fB\\-\\-threads\\fR does not say.\n",
        out);
}

static void write_options_case(const memplan_command *command, FILE *out) {
  fprintf(out, "    %s) options=\"", command->name);
  bool first = true;
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option *option = &memplan_option_table()[i];
    if ((option->commands & command->bit) != 0) {
      fprintf(out, "%s--%s", first ? "" : " ", option->name);
      if (option->letter != 0) {
        fprintf(out, " -%c", option->letter);
      }
      first = false;
    }
  }
  fputs("\" ;;\n", out);
}

static void write_value_case(const memplan_option *option, FILE *out) {
  if (option->argument == NULL || option->kind == MEMPLAN_OPTION_FILE) {
    return;
  }
  fprintf(out, "    --%s) values=\"", option->name);
  const char *choice;
  for (int32_t i = 0; (choice = memplan_option_choice(option, i)) != NULL; i++) {
    fprintf(out, "%s%s", i == 0 ? "" : " ", choice);
  }
  fprintf(out, "\"%s ;;\n", option->or_file ? " files=yes" : "");
}

void memplan_completion_write(FILE *out) {
  fputs("# bash completion for memplan                                  -*- shell-script -*-\n"
        "_memplan() {\n"
        "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
        "  local options=\"\" values=\"\" files=\"\"\n"
        "  COMPREPLY=()\n"
        "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"",
        out);
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    fprintf(out, "%s ", (*command)->name);
  }
  fputs("--help --version\" -- \"$current\")\n"
        "    return\n"
        "  fi\n"
        "  # Bash splits --option=value at the equals sign.\n"
        "  if [[ $current == = ]]; then\n"
        "    current=\"\"\n"
        "  elif [[ $previous == = ]]; then\n"
        "    previous=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n"
        "  fi\n"
        "  case \"$previous\" in\n",
        out);
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    write_value_case(&memplan_option_table()[i], out);
  }
  fputs("    *) values=\"*\" ;;\n"
        "  esac\n"
        "  if [[ $values != \"*\" ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$current\")\n"
        "    if [[ -n $files ]]; then\n"
        "      compopt -o filenames 2>/dev/null\n"
        "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n"
        "    fi\n"
        "    return\n"
        "  fi\n"
        "  case \"${COMP_WORDS[1]}\" in\n",
        out);
  for (const memplan_command *const *command = memplan_commands(); *command != NULL; command++) {
    write_options_case(*command, out);
  }
  fputs("  esac\n"
        "  if [[ $current == -* ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
        "  elif [[ ${COMP_WORDS[1]} == list ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"topics methods formats generators techniques options commands "
        "exit-codes "
        "json-keys\" -- "
        "\"$current\")\n"
        "  elif [[ ${COMP_WORDS[1]} == gen ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"",
        out);
  for (int32_t i = 0; memplan_generator_at(i) != NULL; i++) {
    fprintf(out, "%s ", memplan_generator_at(i)->name);
  }
  fputs("\" -- \"$current\")\n"
        "  else\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
        "  fi\n"
        "}\n"
        "complete -F _memplan memplan\n",
        out);
}
