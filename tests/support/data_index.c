// SPDX-License-Identifier: Apache-2.0
#include "tests/support/data_index.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include <cmocka.h>

const char *data_folder(void) {
  const char *folder = getenv("MEMPLAN_DATA");
  if (folder == NULL || folder[0] == '\0') {
    (void)fprintf(stderr, "skipped: MEMPLAN_DATA names no folder of test data\n");
    return NULL;
  }
  return folder;
}

const char *data_path(memplan_arena *arena, const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = memplan_arena_alloc(arena, size, 1);
  assert_non_null(path);
  (void)snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **data_files(memplan_arena *arena, const char *folder, const char *prefix, const char *suffix,
                        int32_t *n_files) {
  const char **paths = NULL;
  *n_files = 0;
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    size_t length = strlen(entry->d_name), tail = strlen(suffix);
    if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && length >= tail &&
        strcmp(entry->d_name + length - tail, suffix) == 0) {
      assert_true(memplan_arena_append(arena, &paths, n_files, data_path(arena, folder, entry->d_name)));
    }
  }
  (void)closedir(entries);
  if (*n_files > 1) {
    qsort(paths, (size_t)*n_files, sizeof *paths, compare_paths);
  }
  return paths;
}

// Takes one cell off *text (RFC 4180), ending it with a zero; *end becomes the separator.
static char *take_cell(char **text, char *end) {
  char *read = *text, *cell = read, *write = read;
  bool quoted = *read == '"';
  read += quoted;
  while (*read != '\0' && (quoted || (*read != ',' && *read != '\n' && *read != '\r'))) {
    if (quoted && *read == '"' && *++read != '"') {
      quoted = false;
      continue;
    }
    *write++ = *read++;
  }
  read += *read == '\r';
  *end = *read;
  *text = *read != '\0' ? read + 1 : read;
  *write = '\0';
  return cell;
}

static void read_index(data_index *index, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail_msg("%s cannot be opened", path);
  }
  size_t size = (size_t)1 << 20;
  char *text = memplan_arena_alloc(&index->arena, size, 1);
  assert_non_null(text);
  size_t length = fread(text, 1, size - 1, file);
  assert_true(length < size - 1);
  (void)fclose(file);
  int32_t rows = 0;
  for (size_t i = 0; i < length; i++) {
    rows += text[i] == '\n';
  }
  index->cells = MEMPLAN_NEW(&index->arena, const char *, (size_t)(rows + 1) * DATA_INDEX_COLUMNS);
  assert_non_null(index->cells);
  int32_t cells = 0;
  while (*text != '\0') {
    char end = ',';
    int32_t columns = 0;
    while (end == ',') {
      assert_true(columns < DATA_INDEX_COLUMNS);
      index->cells[cells++] = take_cell(&text, &end);
      columns++;
    }
    if (index->n_columns == 0) {
      index->n_columns = columns;
    } else {
      assert_int_equal(columns, index->n_columns);
      index->n_rows++;
    }
  }
}

static const char *folder_or_skip(void) {
  const char *folder = data_folder();
  if (folder == NULL) {
    skip();
  }
  return folder;
}

const char *data_index_open(data_index *index, const char *name) {
  const char *data = folder_or_skip();
  *index = (data_index){0};
  const char *folder = data_path(&index->arena, data, name);
  read_index(index, data_path(&index->arena, folder, "index.csv"));
  return folder;
}

void data_read(const char *name, memplan_problem *problem) {
  const char *data = folder_or_skip();
  memplan_arena arena = {0};
  memplan_error error = {.message = ""};
  memplan_problem_init(problem);
  if (memplan_read(data_path(&arena, data, name), NULL, NULL, problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  memplan_arena_free(&arena);
}

void data_index_free(data_index *index) { memplan_arena_free(&index->arena); }

const char *data_cell(const data_index *index, int32_t row, const char *column) {
  for (int32_t i = 0; i < index->n_columns; i++) {
    if (strcmp(index->cells[i], column) == 0) {
      return index->cells[(row + 1) * index->n_columns + i];
    }
  }
  fail_msg("no column '%s'", column);
  return "";
}

bool data_number(const data_index *index, int32_t row, const char *column, int64_t *number) {
  const char *cell = data_cell(index, row, column);
  return sscanf(cell, "%" SCNd64, number) == 1;
}
