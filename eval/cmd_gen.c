// SPDX-License-Identifier: Apache-2.0
// `memplan gen`: problems of a seeded family, one to a file or to standard output, several into a folder.
#include "eval/command.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "instances/formats.h"
#include "instances/generators.h"
#include "model/base/quote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct generation {
  memplan_context *context;
  const memplan_generator *generator;
  memplan_generator_wishes wishes;
  int64_t count;
  const char *folder; // or NULL: one instance to `path`
  const char *path;
} generation;

static memplan_status find_family(const memplan_context *context, const memplan_generator **generator,
                                  memplan_error *error) {
  const char *name = context->options.arguments[0];
  *generator = memplan_generator_find(name);
  if (*generator != NULL) {
    return MEMPLAN_OK;
  }
  char names[128] = "";
  for (int32_t i = 0; i < memplan_generator_count(); i++) {
    strncat(names, i > 0 ? ", " : "", sizeof names - strlen(names) - 1);
    strncat(names, memplan_generator_at(i)->name, sizeof names - strlen(names) - 1);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "there is no family '%s'; there are: %s", memplan_quote(name).text, names);
}

// How many things a problem has, within the range of the family.
static memplan_status read_n(generation *g, memplan_error *error) {
  const memplan_generator *family = g->generator;
  const memplan_option_value *n = memplan_option_get(&g->context->options, MEMPLAN_OPTION_GEN_N);
  g->wishes.n = n->number;
  if (n->given && (n->number < family->least_n || n->number > family->most_n)) {
    return memplan_fail(error, MEMPLAN_INPUT, "--n: %s is out of range: give %lld to %lld, %s of the family %s",
                        n->text, (long long)family->least_n, (long long)family->most_n, family->things, family->name);
  }
  return MEMPLAN_OK;
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static memplan_status choose_target(generation *g, memplan_error *error) {
  const char *output = g->context->settings.output;
  g->path = output == NULL ? "-" : output;
  if (output != NULL && is_folder(output)) {
    g->folder = output;
    return MEMPLAN_OK;
  }
  if (g->count == 1) {
    return MEMPLAN_OK;
  }
  if (output == NULL || strcmp(output, "-") == 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "%lld instances need a folder to be written to: give -o FOLDER",
                        (long long)g->count);
  }
  g->folder = output;
  if (mkdir(output, 0777) != 0) {
    return memplan_fail(error, MEMPLAN_IO, "%s: the folder cannot be made: %s", memplan_quote_path(output).text,
                        strerror(errno));
  }
  return MEMPLAN_OK;
}

// The format, and the path in the folder: FAMILY_SEED_INDEX and the usual extension of the format.
static memplan_status name_file(const generation *g, const memplan_problem *problem, const memplan_file_format **format,
                                char *path, size_t size, memplan_error *error) {
  const memplan_settings *settings = &g->context->settings;
  bool by_path = settings->to == NULL && g->folder == NULL && strcmp(g->path, "-") != 0;
  *format = settings->to != NULL ? memplan_format_for_output(settings->to, NULL, problem)
            : by_path            ? memplan_format_for_output(NULL, g->path, problem)
            : problem->has_graph ? &memplan_format_graph_json
                                 : &memplan_format_csv;
  if (*format == NULL || (*format)->kind != (problem->has_graph ? MEMPLAN_FORMAT_GRAPH : MEMPLAN_FORMAT_INSTANCE) ||
      !memplan_format_can(*format, MEMPLAN_FORMAT_WRITE)) {
    bool unknown = *format == NULL && settings->to == NULL;
    return memplan_fail(
        error, MEMPLAN_INPUT,
        "%s makes %s, which %s%s cannot hold: give %s, or another format that `memplan list formats` shows "
        "as written for them (plans and integer programs are made of a problem by `solve -o` and `convert`)",
        g->generator->name, problem->has_graph ? "graphs" : "placement problems",
        unknown ? "a file of this ending" : "the format ",
        unknown           ? ""
        : *format == NULL ? settings->to
                          : (*format)->name,
        problem->has_graph ? "--to graph-json or a file .json" : "--to csv or a file .csv");
  }
  if (g->folder == NULL) {
    (void)snprintf(path, size, "%s", g->path);
    return MEMPLAN_OK;
  }
  const char *extensions = (*format)->extensions;
  int length = extensions[0] != '\0' ? (int)strcspn(extensions, " ") : 5;
  int used =
      snprintf(path, size, "%s/%s_%llu_%03lld%.*s", g->folder, g->generator->name, (unsigned long long)g->wishes.seed,
               (long long)g->wishes.index, length, extensions[0] != '\0' ? extensions : ".json");
  return used > 0 && (size_t)used < size
             ? MEMPLAN_OK
             : memplan_fail(error, MEMPLAN_INPUT, "%s: the path is too long", memplan_quote_path(g->folder).text);
}

static memplan_status write_one(const generation *g, memplan_problem *problem, memplan_error *error) {
  char path[4096];
  const memplan_file_format *format = NULL;
  memplan_export_report report;
  MEMPLAN_TRY(memplan_generate_problem(g->generator, &g->wishes, problem, error));
  MEMPLAN_TRY(name_file(g, problem, &format, path, sizeof path, error));
  memplan_export_report_init(&report);
  bool deferred = memplan_output_defer(path);
  memplan_status status = memplan_export(problem, NULL, format->name, NULL, path, &report, error);
  memplan_output_resume(deferred);
  if (status == MEMPLAN_OK) {
    memplan_console_warnings(&g->context->console, path, report.warnings, report.n_warnings);
  }
  memplan_export_report_free(&report);
  return status;
}

static memplan_status generate(memplan_context *context, memplan_error *error) {
  generation g = {.context = context};
  MEMPLAN_TRY(find_family(context, &g.generator, error));
  g.count = memplan_option_get(&context->options, MEMPLAN_OPTION_GEN_COUNT)->number;
  MEMPLAN_TRY(read_n(&g, error));
  g.wishes.fill = memplan_option_get(&context->options, MEMPLAN_OPTION_GEN_FILL)->number;
  g.wishes.seed = (uint64_t)memplan_option_get(&context->options, MEMPLAN_OPTION_SEED)->number;
  MEMPLAN_TRY(choose_target(&g, error));
  for (int64_t i = 0; i < g.count && *context->cancel == 0; i++) {
    memplan_problem problem;
    memplan_problem_init(&problem);
    g.wishes.index = i;
    memplan_status status = write_one(&g, &problem, error);
    memplan_problem_free(&problem);
    MEMPLAN_TRY(status);
  }
  return MEMPLAN_OK;
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  memplan_status status = generate(context, &error);
  return status == MEMPLAN_OK ? MEMPLAN_EXIT_GOAL : memplan_context_fail(context, status, &error);
}

const memplan_command memplan_command_gen = {
    .name = "gen",
    .bit = MEMPLAN_COMMAND_GEN,
    .arguments = "FAMILY",
    .min_arguments = 1,
    .max_arguments = 1,
    .summary = "make instances of a seeded family",
    .details =
        "Writes a problem of the family (`memplan list generators` shows them) as lifetimes CSV, of a family of graphs "
        "as graph JSON, or in the format --to, to standard output or -o. Several instances (--count) go into the "
        "folder -o, which is made if it "
        "is not there, under the names FAMILY_SEED_INDEX. Equal options give equal files on every machine.",
    .example = "memplan gen tight --count 20 --n 45 --fill 100 --seed 7 -o tight/",
    .run = run,
};
