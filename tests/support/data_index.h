// SPDX-License-Identifier: Apache-2.0
// The test data's index.csv files: rows by file, fields by column. Everything asserts.
#ifndef MEMPLAN_TESTS_DATA_INDEX_H
#define MEMPLAN_TESTS_DATA_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/memplan.h"

enum { DATA_INDEX_COLUMNS = 64 };

typedef struct data_index {
  memplan_arena arena;
  int32_t n_columns, n_rows;
  const char **cells; // row by row, the header first
} data_index;

// Folder of the test data, or NULL (with a message on stderr that the test is skipped): environment variable
// MEMPLAN_DATA.
const char *data_folder(void);

// Path of a file in the test data; memory of the arena.
const char *data_path(memplan_arena *arena, const char *folder, const char *name);

// Reads a problem of the test data, as in "order/graph.json", under default options. Without test data the test is
// skipped.
void data_read(const char *name, memplan_problem *problem);

// Paths of the folder's files whose names begin with `prefix` and end with `suffix`, sorted; memory of the arena.
const char **data_files(memplan_arena *arena, const char *folder, const char *prefix, const char *suffix,
                        int32_t *n_files);

// The index of a folder of the test data; its path, in memory of the index. Without test data the test is skipped.
const char *data_index_open(data_index *index, const char *name);
void data_index_free(data_index *index);

// The cell; rows are counted from 0 below the header. The column must exist.
const char *data_cell(const data_index *index, int32_t row, const char *column);

// The number in a cell. False if the cell is empty.
bool data_number(const data_index *index, int32_t row, const char *column, int64_t *number);

#endif
