// SPDX-License-Identifier: Apache-2.0
// Files are sorted by identity, written ones first; then two that are the same and of which one is written stand side
// by side.
#include "eval/output_paths.h"

#include "model/base/file.h"
#include "model/base/quote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct identity {
  dev_t device;
  ino_t inode;      // of the file, or of the folder that it is to be made in
  char *target;     // owns `name`
  const char *name; // in that folder; "" for a file that is there
  const memplan_used_path *used;
  int64_t index;
} identity;

static int compare_identities(const void *left, const void *right) {
  const identity *a = left, *b = right;
  if (a->device != b->device) {
    return a->device < b->device ? -1 : 1;
  }
  if (a->inode != b->inode) {
    return a->inode < b->inode ? -1 : 1;
  }
  int names = strcmp(a->name, b->name);
  if (names != 0) {
    return names;
  }
  if (a->used->written != b->used->written) {
    return a->used->written ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

// The status of the folder of a path that ends in `slash` (NULL: the working directory).
static bool look_at_folder(const char *path, const char *slash, struct stat *status) {
  if (slash == NULL) {
    return stat(".", status) == 0;
  }
  char *folder = strndup(path, (size_t)(slash - path) + 1);
  bool good = folder != NULL && stat(folder, status) == 0;
  free(folder);
  return good;
}

// False for what has no identity.
static bool identify(const memplan_used_path *used, identity *made) {
  struct stat status;
  if (used->path == NULL || strcmp(used->path, "-") == 0) {
    return false;
  }
  if (stat(used->path, &status) == 0) {
    *made = (identity){.device = status.st_dev, .inode = status.st_ino, .name = "", .used = used};
    return S_ISREG(status.st_mode);
  }
  char *target = used->written ? memplan_file_target(used->path) : NULL;
  const char *slash = target == NULL ? NULL : strrchr(target, '/');
  if (target == NULL || !look_at_folder(target, slash, &status)) {
    free(target);
    return false;
  }
  *made = (identity){.device = status.st_dev,
                     .inode = status.st_ino,
                     .target = target,
                     .name = slash == NULL ? target : slash + 1,
                     .used = used};
  return true;
}

static memplan_status fail_same(const memplan_used_path *written, const memplan_used_path *other,
                                memplan_error *error) {
  const char *option = written->option == NULL ? "-o" : written->option;
  memplan_quoted_path path = memplan_quote_path(written->path);
  if (other->written) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s %.300s: two outputs would be written to this file: give two names",
                        option, path.text);
  }
  return memplan_fail(error, MEMPLAN_INPUT,
                      "%s %.300s: this is the input %.300s, which would be overwritten: give another name", option,
                      path.text, memplan_quote_path(other->path).text);
}

memplan_status memplan_output_paths_check(const memplan_used_path *paths, int64_t n_paths, memplan_error *error) {
  identity *list = calloc((size_t)n_paths + 1, sizeof *list);
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t n = 0;
  for (int64_t i = 0; i < n_paths; i++) {
    if (identify(&paths[i], &list[n])) {
      list[n++].index = i;
    }
  }
  qsort(list, (size_t)n, sizeof *list, compare_identities);
  memplan_status status = MEMPLAN_OK;
  for (int64_t i = 1; i < n && status == MEMPLAN_OK; i++) {
    const identity *a = &list[i - 1], *b = &list[i];
    if (a->used->written && a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0) {
      status = fail_same(a->used, b->used, error);
    }
  }
  for (int64_t i = 0; i < n; i++) {
    free(list[i].target);
  }
  free(list);
  return status;
}

static bool names_stdin(const char *path) {
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 || strcmp(path, "/dev/fd/0") == 0 ||
         strcmp(path, "/proc/self/fd/0") == 0;
}

// What is read from standard input leaves nothing there for a second reader.
static memplan_status check_stdin(const memplan_used_path *paths, int64_t n_paths, memplan_error *error) {
  const memplan_used_path *first = NULL;
  for (int64_t i = 0; i < n_paths; i++) {
    if (paths[i].path == NULL || paths[i].written || !names_stdin(paths[i].path)) {
      continue;
    }
    if (first != NULL) {
      const char *option = first->option == NULL ? "" : first->option, *second = paths[i].option;
      return memplan_fail(error, MEMPLAN_INPUT,
                          "%s%s%s and %s%s%s are both standard input, which can be read only once; name a file for "
                          "one of them",
                          option, *option == '\0' ? "" : " ", first->path, second == NULL ? "" : second,
                          second == NULL ? "" : " ", paths[i].path);
    }
    first = &paths[i];
  }
  return MEMPLAN_OK;
}

memplan_status memplan_output_paths_check_options(const memplan_options *options, bool arguments,
                                                  memplan_error *error) {
  int64_t n = options->n_arguments;
  for (int32_t i = 0; i < options->n_table; i++) {
    n += 1 + options->values[i].n_list;
  }
  memplan_used_path *paths = calloc((size_t)n + 1, sizeof *paths);
  char(*names)[32] = calloc((size_t)options->n_table + 1, sizeof *names);
  if (paths == NULL || names == NULL) {
    free(paths);
    free(names);
    return memplan_fail_nomem(error);
  }
  n = 0;
  for (int32_t i = 0; arguments && i < options->n_arguments; i++) {
    paths[n++] = (memplan_used_path){.path = options->arguments[i]};
  }
  for (int32_t i = 0; i < options->n_table; i++) {
    const memplan_option *option = &options->table[i];
    const memplan_option_value *value = &options->values[i];
    bool file = option->kind == MEMPLAN_OPTION_FILE || (option->or_file && value->number < 0);
    if (!file || !value->given) {
      continue;
    }
    if (option->letter != 0) {
      names[i][0] = '-';
      names[i][1] = option->letter;
    } else {
      strcat(strcpy(names[i], "--"), option->name);
    }
    for (int32_t j = 0; option->many && j < value->n_list; j++) {
      paths[n++] = (memplan_used_path){value->list[j], names[i], option->written};
    }
    if (!option->many) {
      paths[n++] = (memplan_used_path){value->text, names[i], option->written};
    }
  }
  memplan_status status = check_stdin(paths, n, error);
  if (status == MEMPLAN_OK) {
    status = memplan_output_paths_check(paths, n, error);
  }
  free(paths);
  free(names);
  return status;
}

static bool is_folder(const char *path) {
  struct stat status;
  size_t length = strlen(path);
  return (length > 0 && path[length - 1] == '/') || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

memplan_status memplan_output_paths_check_places(const memplan_options *options, memplan_error *error) {
  for (int32_t i = 0; i < options->n_table; i++) {
    const memplan_option *option = &options->table[i];
    const memplan_option_value *value = &options->values[i];
    bool file = option->kind == MEMPLAN_OPTION_FILE && option->written && value->given;
    if (file && !(option->letter == 'o' && is_folder(value->text))) {
      MEMPLAN_TRY(memplan_file_check(value->text, error));
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_output_paths_check_batch(const char *const *inputs, const char *const *outputs, int32_t n,
                                                const char *extra, const char *extra_option, memplan_error *error) {
  memplan_used_path *paths = calloc(2 * (size_t)n + 1, sizeof *paths);
  if (paths == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t used = 0;
  for (int32_t i = 0; i < n; i++) {
    paths[used++] = (memplan_used_path){.path = inputs[i]};
    if (outputs != NULL && outputs[i] != NULL) {
      paths[used++] = (memplan_used_path){.path = outputs[i], .written = true};
    }
  }
  paths[used++] = (memplan_used_path){extra, extra_option, true};
  memplan_status status = memplan_output_paths_check(paths, used, error);
  free(paths);
  return status;
}
