// SPDX-License-Identifier: Apache-2.0
#include "eval/inputs.h"

#include "eval/folder_entry.h"
#include "eval/option_table.h"
#include "model/base/grow.h"
#include "model/base/quote.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char plan_extension[] = ".plan.json";

static int compare_names(const void *left, const void *right) {
  const char *a = *(const char *const *)left, *b = *(const char *const *)right;
  return strcmp(a, b);
}

typedef struct path_list {
  const char **paths;
  int32_t count;
  int64_t capacity;
  int32_t n_skipped; // files of folders that might be problems by their names, but are none
  int32_t n_folders; // in the folders
} path_list;

static bool append(memplan_arena *arena, path_list *list, const char *path) {
  const char **paths = memplan_grow_in(arena, list->paths, list->count, &list->capacity, sizeof *paths);
  if (paths == NULL) {
    return false;
  }
  list->paths = paths;
  list->paths[list->count++] = path;
  return true;
}

// FOLDER/NAME, without doubling the slash.
static char *join_path(memplan_arena *arena, const char *folder, const char *name, const char *extension) {
  size_t length = strlen(folder), size = length + strlen(name) + strlen(extension) + 2;
  char *path = MEMPLAN_NEW(arena, char, size);
  if (path != NULL) {
    snprintf(path, size, "%s%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name, extension);
  }
  return path;
}

static memplan_status append_entry(memplan_inputs *inputs, path_list *list, memplan_console *console,
                                   const char *folder, const char *name, memplan_error *error) {
  struct stat kind;
  char *path = join_path(&inputs->arena, folder, name, "");
  if (path == NULL) {
    return memplan_fail_nomem(error);
  }
  if (name[0] == '.') {
    return MEMPLAN_OK;
  }
  // A link to nothing is reported where it is read. Pipes would block, and devices have no end.
  if (stat(path, &kind) == 0 && !S_ISREG(kind.st_mode)) {
    bool folder_inside = S_ISDIR(kind.st_mode);
    list->n_folders += folder_inside ? 1 : 0;
    list->n_skipped += folder_inside ? 0 : 1;
    if (console->verbose) {
      memplan_console_note(console, "%s: skipped: %s", memplan_quote_path(path).text,
                           folder_inside ? "a folder inside the folder; to read its files, name it"
                                         : "a pipe or device; to read it, name it");
    }
    return MEMPLAN_OK;
  }
  memplan_folder_entry entry = memplan_folder_entry_of(path, name);
  if (entry == MEMPLAN_ENTRY_PROBLEM) {
    return append(&inputs->arena, list, path) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  list->n_skipped += entry == MEMPLAN_ENTRY_OTHER_CONTENT ? 1 : 0;
  if (console->verbose) {
    memplan_console_note(console, "%s: skipped: %s", memplan_quote_path(path).text,
                         entry == MEMPLAN_ENTRY_OTHER_NAME ? "no format that is read has this extension"
                                                           : "it holds no model and no lifetimes");
  }
  return MEMPLAN_OK;
}

static memplan_status append_folder(memplan_inputs *inputs, path_list *list, memplan_console *console,
                                    const char *folder, memplan_error *error) {
  DIR *stream = opendir(folder);
  if (stream == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s: cannot read the folder: %s", memplan_quote_path(folder).text,
                        strerror(errno));
  }
  memplan_status status = MEMPLAN_OK;
  int32_t first = list->count;
  for (struct dirent *entry; status == MEMPLAN_OK && (entry = readdir(stream)) != NULL;) {
    status = append_entry(inputs, list, console, folder, entry->d_name, error);
  }
  closedir(stream);
  if (status == MEMPLAN_OK && list->count == first) {
    return memplan_fail(
        error, MEMPLAN_INPUT, "%s: no file in this folder is of a format that is read (`memplan list formats`)%s",
        memplan_quote_path(folder).text, list->n_folders > 0 ? "; folders inside it are not entered: name them" : "");
  }
  if (list->count - first > 1) {
    qsort(list->paths + first, (size_t)(list->count - first), sizeof *list->paths, compare_names);
  }
  return status;
}

memplan_status memplan_inputs_collect(memplan_inputs *inputs, memplan_context *context, memplan_error *error) {
  const memplan_options *options = &context->options;
  *inputs = (memplan_inputs){0};
  path_list list = {0};
  bool folders = false;
  for (int32_t i = 0; i < options->n_arguments; i++) {
    struct stat kind;
    if (stat(options->arguments[i], &kind) == 0 && S_ISDIR(kind.st_mode)) {
      folders = true;
      MEMPLAN_TRY(append_folder(inputs, &list, &context->console, options->arguments[i], error));
    } else if (!append(&inputs->arena, &list, options->arguments[i])) {
      return memplan_fail_nomem(error);
    }
  }
  inputs->paths = list.paths;
  inputs->n_paths = list.count;
  inputs->n_skipped = list.n_skipped;
  inputs->single = list.count == 1 && !folders;
  for (int32_t i = 0; i < list.count; i++) {
    int32_t width = memplan_text_width(list.paths[i]);
    inputs->path_width = width > inputs->path_width ? width : inputs->path_width;
  }
  return MEMPLAN_OK;
}

void memplan_inputs_free(memplan_inputs *inputs) {
  memplan_arena_free(&inputs->arena);
  *inputs = (memplan_inputs){0};
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static int compare_base_names(const void *left, const void *right) {
  const char *const *a = left, *const *b = right;
  int order = strcmp(base_name(*a), base_name(*b));
  return order != 0 ? order : strcmp(*a, *b);
}

static memplan_status check_names(memplan_inputs *inputs, memplan_error *error) {
  const char **paths = MEMPLAN_NEW(&inputs->arena, const char *, inputs->n_paths);
  if (paths == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < inputs->n_paths; i++) {
    paths[i] = inputs->paths[i];
  }
  qsort(paths, (size_t)inputs->n_paths, sizeof *paths, compare_base_names);
  for (int32_t i = 1; i < inputs->n_paths; i++) {
    if (strcmp(base_name(paths[i - 1]), base_name(paths[i])) == 0) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "-o: the plans of %.300s and %.300s would have one name, so that one would overwrite the "
                          "other: run them apart, each with a folder of its own",
                          memplan_quote_path(paths[i - 1]).text, memplan_quote_path(paths[i]).text);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_inputs_plan_paths(memplan_inputs *inputs, const char *output, const char ***paths,
                                         memplan_error *error) {
  *paths = MEMPLAN_NEW(&inputs->arena, const char *, inputs->n_paths);
  if (*paths == NULL) {
    return memplan_fail_nomem(error);
  }
  if (output == NULL) {
    return MEMPLAN_OK;
  }
  struct stat kind;
  size_t length = strlen(output);
  bool exists = stat(output, &kind) == 0, slash = length > 0 && output[length - 1] == '/';
  bool folder = slash || (exists && S_ISDIR(kind.st_mode));
  if (!folder && inputs->single) {
    (*paths)[0] = output;
    return MEMPLAN_OK;
  }
  if (!folder) {
    return memplan_fail(error, MEMPLAN_INPUT, "-o %s: the plans of several files need a folder: -o %s/", output,
                        output);
  }
  MEMPLAN_TRY(check_names(inputs, error));
  if (!exists && mkdir(output, 0777) != 0) {
    return memplan_fail(error, MEMPLAN_IO, "-o %s: cannot make the folder: %s", output, strerror(errno));
  }
  for (int32_t i = 0; i < inputs->n_paths; i++) {
    const char *name = strcmp(inputs->paths[i], "-") == 0 ? "stdin" : base_name(inputs->paths[i]);
    (*paths)[i] = join_path(&inputs->arena, output, name, plan_extension);
    if ((*paths)[i] == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

// The first --dim or --shape that no file had use for so far, as it was given; NULL if there is none.
static const char *find_unknown_name(const memplan_settings *settings, int32_t *at, bool *shape) {
  const memplan_problem_options *problem = &settings->problem;
  for (; *at < problem->n_dims + problem->n_shapes; (*at)++) {
    if (!problem->known_names[*at]) {
      *shape = *at >= problem->n_dims;
      return *shape ? problem->shapes[*at - problem->n_dims].name : problem->dims[*at].name;
    }
  }
  return NULL;
}

static memplan_status check_names_known(const memplan_settings *settings, const char *path, memplan_error *error) {
  int32_t at = 0;
  bool shape = false;
  const char *name = find_unknown_name(settings, &at, &shape);
  if (name == NULL) {
    return MEMPLAN_OK;
  }
  return memplan_fail(error, MEMPLAN_INPUT, "%s: --%s %s: the file has no %s of this name",
                      memplan_quote_path(path).text, shape ? "shape" : "dim", memplan_quote(name).text,
                      shape ? "input" : "dimension");
}

// Options that say something of models alone, given for a file of lifetimes, or the other way round: a warning, as the
// same options may be meant for a folder that holds both.
static void warn_unused_options(memplan_context *context, const char *path, const memplan_problem *problem) {
  static const memplan_option_id of_models[] = {
      MEMPLAN_OPTION_FOLD,   MEMPLAN_OPTION_VIEWS,   MEMPLAN_OPTION_INPLACE,           MEMPLAN_OPTION_IO,
      MEMPLAN_OPTION_BODIES, MEMPLAN_OPTION_WEIGHTS, MEMPLAN_OPTION_NO_BRANCH_SHARING, MEMPLAN_OPTION_INPUTS_WRITABLE,
      MEMPLAN_OPTION_ORDER,  MEMPLAN_OPTION_COUNT};
  static const memplan_option_id of_lifetimes[] = {MEMPLAN_OPTION_LIFETIMES, MEMPLAN_OPTION_DUP_IDS, MEMPLAN_OPTION_PIN,
                                                   MEMPLAN_OPTION_COUNT};
  const memplan_options *options = &context->options;
  bool named = options->n_arguments > 0 && strcmp(options->arguments[0], path) == 0;
  const memplan_option_id *others = problem->has_instance ? of_models : of_lifetimes;
  for (; named && *others != MEMPLAN_OPTION_COUNT; others++) {
    if (memplan_option_get(options, *others)->given) {
      memplan_console_warn(&context->console, "%s: --%s has no effect: it is for %s", memplan_quote_path(path).text,
                           options->table[*others].name,
                           problem->has_instance ? "models, and this file holds lifetimes"
                                                 : "files of lifetimes, and this one holds a model");
    }
  }
}

memplan_status memplan_inputs_read(memplan_context *context, const char *path, memplan_problem *problem,
                                   memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  MEMPLAN_TRY(memplan_read(path, settings->from, &settings->problem, problem, error));
  if (!settings->problem.dims_optional && settings->problem.known_names != NULL) {
    MEMPLAN_TRY(check_names_known(settings, path, error));
  }
  if (problem->has_graph) {
    memplan_console_warnings(&context->console, path, problem->graph.warnings, problem->graph.n_warnings);
  } else {
    memplan_console_warnings(&context->console, path, problem->instance.warnings, problem->instance.n_warnings);
  }
  warn_unused_options(context, path, problem);
  return MEMPLAN_OK;
}

void memplan_inputs_close(const memplan_inputs *inputs, memplan_context *context) {
  const memplan_settings *settings = &context->settings;
  bool shape = false;
  for (int32_t at = 0; !inputs->single && settings->problem.known_names != NULL; at++) {
    const char *name = find_unknown_name(settings, &at, &shape);
    if (name == NULL) {
      break;
    }
    memplan_console_warn(&context->console, "--%s %s: no file that was read has %s of this name",
                         shape ? "shape" : "dim", memplan_quote(name).text, shape ? "an input" : "a dimension");
  }
  if (inputs->n_skipped > 0) {
    memplan_console_note(&context->console, "%" PRId32 " other file%s of the folder hold%s no problem: skipped%s",
                         inputs->n_skipped, inputs->n_skipped == 1 ? "" : "s", inputs->n_skipped == 1 ? "s" : "",
                         context->console.verbose ? "" : " (-v names them)");
  }
}
