// SPDX-License-Identifier: Apache-2.0
#include "eval/info.h"

#include "model/base/number.h"
#include "solvers/prepare.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int compare_types(const void *left, const void *right) {
  const memplan_info_type *a = left, *b = right;
  return a->count != b->count ? (a->count < b->count ? 1 : -1) : strcmp(a->name, b->name);
}

static memplan_status count_types(memplan_info *info, const memplan_graph *graph, memplan_error *error) {
  const char **names = MEMPLAN_NEW(&info->arena, const char *, graph->n_ops);
  info->types = MEMPLAN_NEW(&info->arena, memplan_info_type, graph->n_ops);
  if (names == NULL || info->types == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < graph->n_ops; i++) {
    names[i] = graph->ops[i].type == NULL ? "(no type)" : graph->ops[i].type;
  }
  if (graph->n_ops > 1) {
    qsort(names, (size_t)graph->n_ops, sizeof *names, compare_texts);
  }
  for (int32_t i = 0; i < graph->n_ops; i++) {
    if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
      info->types[info->n_types++].name = names[i];
    }
    info->types[info->n_types - 1].count++;
  }
  if (info->n_types > 1) {
    qsort(info->types, (size_t)info->n_types, sizeof *info->types, compare_types);
  }
  return MEMPLAN_OK;
}

static void count_roles(memplan_info *info, const memplan_graph *graph) {
  static const char *const names[MEMPLAN_INFO_ROLES] = {"input", "output", "weight", "variable", "activation"};
  for (int32_t r = 0; r < MEMPLAN_INFO_ROLES; r++) {
    info->roles[r].name = names[r];
  }
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    const memplan_tensor *tensor = &graph->tensors[i];
    info->n_views += tensor->view_of >= 0 ? 1 : 0;
    for (int32_t r = 0; r < MEMPLAN_INFO_ROLES; r++) {
      bool has_role = r < MEMPLAN_INFO_ROLES - 1 ? (tensor->roles >> r & 1) != 0 : tensor->roles == 0;
      if (has_role) {
        info->roles[r].tensors++;
        int64_t bytes = tensor->view_of >= 0 ? 0 : tensor->bytes;
        info->roles[r].bytes = memplan_add_saturated(info->roles[r].bytes, bytes);
      }
    }
  }
}

static memplan_status read_ordering(memplan_info *info, const memplan_ordering *ordering,
                                    const memplan_solve_options *solve, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  const int32_t *order;
  memplan_profile profile;
  MEMPLAN_TRY(memplan_fixed_order(ordering, solve, &info->arena, &order, error));
  MEMPLAN_TRY(memplan_ordering_profile(ordering, order, &info->arena, &profile, error));
  info->load = (memplan_load){profile.peak, profile.step};
  info->load_op = profile.step < 0 ? NULL : graph->ops[order[profile.step]].id;
  info->n_pairs = ordering->n_pairs;
  info->naive_bytes = ordering->naive_bytes;
  info->naive_saturated = ordering->naive_saturated;
  info->weight_bytes = ordering->weight_bytes;
  info->external_bytes = ordering->external_bytes;
  MEMPLAN_TRY(memplan_ordering_lower(ordering, order, NULL, 0, &info->lowered, NULL, NULL, error));
  info->instance = &info->lowered;
  return MEMPLAN_OK;
}

static memplan_status read_graph(memplan_info *info, const memplan_solve_options *solve, memplan_error *error) {
  const memplan_problem *problem = info->problem;
  memplan_prepared prepared;
  MEMPLAN_TRY(count_types(info, &problem->graph, error));
  count_roles(info, &problem->graph);
  memplan_status status = memplan_prepare(&problem->graph, &problem->options, solve, &prepared, error);
  if (status == MEMPLAN_OK) {
    status = read_ordering(info, &prepared.ordering, solve, error);
  }
  memplan_prepared_free(&prepared);
  return status;
}

// A buffer with what it is sorted by.
typedef struct sized_buffer {
  int64_t bytes;
  int32_t index;
} sized_buffer;

static int compare_sizes(const void *left, const void *right) {
  const sized_buffer *a = left, *b = right;
  if (a->bytes != b->bytes) {
    return a->bytes > b->bytes ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static memplan_status sort_buffers(memplan_info *info, memplan_error *error) {
  int32_t n = info->instance->n_buffers;
  sized_buffer *sized = MEMPLAN_NEW(&info->arena, sized_buffer, n);
  info->largest = MEMPLAN_NEW(&info->arena, int32_t, n);
  if (sized == NULL || info->largest == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < n; i++) {
    sized[i] = (sized_buffer){info->instance->buffers[i].bytes, i};
  }
  if (n > 1) {
    qsort(sized, (size_t)n, sizeof *sized, compare_sizes);
  }
  for (int32_t i = 0; i < n; i++) {
    info->largest[i] = sized[i].index;
  }
  info->n_buffers = n;
  return MEMPLAN_OK;
}

memplan_status memplan_info_init(memplan_info *info, const memplan_problem *problem, const memplan_solve_options *solve,
                                 memplan_error *error) {
  *info = (memplan_info){.problem = problem, .order_path = solve->listed != NULL ? solve->listed->path : NULL};
  memplan_instance_init(&info->lowered);
  if (problem->has_graph) {
    MEMPLAN_TRY(read_graph(info, solve, error));
  } else {
    info->instance = &problem->instance;
    info->naive_bytes = problem->instance.naive_bytes;
    info->naive_saturated = info->naive_bytes == INT64_MAX;
    MEMPLAN_TRY(memplan_instance_load(&problem->instance, false, &info->load, error));
  }
  return sort_buffers(info, error);
}

void memplan_info_free(memplan_info *info) {
  memplan_instance_free(&info->lowered);
  memplan_arena_free(&info->arena);
  *info = (memplan_info){0};
}
