// SPDX-License-Identifier: Apache-2.0
#include "instances/read_conflicts.h"

#include "instances/csv_rows.h"
#include "model/base/file.h"
#include "model/base/grow.h"
#include "model/base/names.h"
#include "model/base/quote.h"

#include <stdlib.h>
#include <string.h>

typedef struct pairs {
  memplan_csv_rows rows;
  memplan_names ids;
  memplan_arena scratch;
  memplan_instance *instance;
  memplan_rule *list;
  int32_t count;
  int64_t capacity;
  memplan_error *error;
} pairs;

static memplan_status index_ids(pairs *p) {
  for (int32_t i = 0; i < p->instance->n_buffers; i++) {
    if (memplan_names_add(&p->ids, p->instance->buffers[i].id, i) == -2) {
      return memplan_fail_nomem(p->error);
    }
  }
  return MEMPLAN_OK;
}

// *index is -1 if no buffer has this id.
static memplan_status find_id(pairs *p, const memplan_csv_cell *cell, int32_t *index) {
  memplan_arena_mark mark = memplan_arena_get_mark(&p->scratch);
  const char *id = memplan_arena_text(&p->scratch, cell->text, cell->length);
  if (id == NULL) {
    return memplan_fail_nomem(p->error);
  }
  *index = memplan_names_find(&p->ids, id);
  memplan_arena_release(&p->scratch, mark);
  return MEMPLAN_OK;
}

static memplan_status add_pair(pairs *p, int32_t first, int32_t second) {
  if (p->count >= INT32_MAX / 4) {
    return memplan_csv_fail(&p->rows, &p->rows.cells[0], MEMPLAN_INPUT, p->error,
                            "starts one pair more than memplan can hold");
  }
  memplan_rule *list = memplan_grow_heap(p->list, p->count, &p->capacity, sizeof *list);
  if (list == NULL) {
    return memplan_fail_nomem(p->error);
  }
  p->list = list;
  p->list[p->count++] = (memplan_rule){.first = first, .second = second};
  return MEMPLAN_OK;
}

static memplan_status read_row(pairs *p, bool first_row) {
  const memplan_csv_cell *cells = p->rows.cells;
  int32_t ends[2];
  if (p->rows.n_cells != 2) {
    return memplan_csv_fail(&p->rows, &cells[0], MEMPLAN_INPUT, p->error,
                            "starts a row of %d cells; a conflict is two ids, separated by a comma", p->rows.n_cells);
  }
  for (int side = 0; side < 2; side++) {
    MEMPLAN_TRY(find_id(p, &cells[side], &ends[side]));
  }
  if (first_row && ends[0] < 0 && ends[1] < 0) {
    return MEMPLAN_OK;
  }
  for (int side = 0; side < 2; side++) {
    if (ends[side] < 0) {
      return memplan_csv_fail(&p->rows, &cells[side], MEMPLAN_INPUT, p->error,
                              "is the id of no buffer; correct it, or add its row to the sizes");
    }
  }
  if (ends[0] == ends[1]) {
    return memplan_csv_fail(&p->rows, &cells[1], MEMPLAN_INPUT, p->error,
                            "conflicts with itself; a conflict needs two buffers");
  }
  return add_pair(p, ends[0], ends[1]);
}

static memplan_status read_rows(pairs *p) {
  bool found = false;
  for (bool first = true;; first = false) {
    MEMPLAN_TRY(memplan_csv_rows_next(&p->rows, &found, p->error));
    if (!found) {
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(read_row(p, first));
  }
}

static memplan_status store_pairs(const pairs *p) {
  memplan_instance *instance = p->instance;
  int64_t total = (int64_t)instance->n_conflicts + p->count;
  memplan_rule *all = total < INT32_MAX / 2 ? MEMPLAN_NEW_RAW(&instance->arena, memplan_rule, total) : NULL;
  if (all == NULL) {
    return memplan_fail_nomem(p->error);
  }
  if (instance->n_conflicts > 0) {
    memcpy(all, instance->conflicts, (size_t)instance->n_conflicts * sizeof *all);
  }
  if (p->count > 0) {
    memcpy(all + instance->n_conflicts, p->list, (size_t)p->count * sizeof *all);
  }
  instance->conflicts = all;
  instance->n_conflicts = (int32_t)total;
  return MEMPLAN_OK;
}

memplan_status memplan_conflicts_parse(const char *text, size_t length, const char *path, memplan_instance *instance,
                                       memplan_error *error) {
  pairs p = {.instance = instance, .error = error};
  memplan_status status = memplan_csv_rows_init(&p.rows, text, length, path, error);
  if (status == MEMPLAN_OK) {
    status = index_ids(&p);
  }
  if (status == MEMPLAN_OK) {
    status = read_rows(&p);
  }
  if (status == MEMPLAN_OK) {
    status = store_pairs(&p);
  }
  free(p.list);
  memplan_csv_rows_free(&p.rows);
  memplan_names_free(&p.ids);
  memplan_arena_free(&p.scratch);
  return status;
}

memplan_status memplan_conflicts_read(const char *path, memplan_instance *instance, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_file_load(path, &text, &length, error));
  memplan_status status = memplan_conflicts_parse(text, length, memplan_quote_path(path).text, instance, error);
  free(text);
  return status;
}
