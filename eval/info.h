// SPDX-License-Identifier: Apache-2.0
// What a file holds, gathered for `info`: counts, sizes, and the buffers on the given order, or a listed one, without
// in-place sharing.
#ifndef MEMPLAN_EVAL_INFO_H
#define MEMPLAN_EVAL_INFO_H

#include "eval/grid.h"
#include "model/memplan.h"

typedef struct memplan_info_type {
  const char *name;
  int32_t count;
} memplan_info_type;

typedef struct memplan_info_role {
  const char *name;
  int32_t tensors;
  int64_t bytes; // of tensors that are no views; saturated
} memplan_info_role;

enum { MEMPLAN_INFO_ROLES = 5 }; // input, output, weight, variable, activation

typedef struct memplan_info {
  memplan_arena arena;
  const memplan_problem *problem;
  memplan_info_type *types; // by falling count, then name
  int32_t n_types;
  memplan_info_role roles[MEMPLAN_INFO_ROLES];
  int32_t n_views, n_pairs;
  int64_t naive_bytes, weight_bytes, external_bytes;
  bool naive_saturated;
  const char *order_path;           // of the file that lists the order, NULL: the given one
  memplan_load load;                // of the order with its best in-place choice, or of the lifetimes in the file
  const char *load_op;              // operator at that step, or NULL
  memplan_instance lowered;         // of a graph
  const memplan_instance *instance; // the buffers: lowered, or the problem's own
  int32_t *largest;                 // buffers by falling bytes
  int32_t n_buffers;
} memplan_info;

// Plans the bodies of control flow, whose peaks are part of the load. `solve`: limits for that, and a listed order.
memplan_status memplan_info_init(memplan_info *info, const memplan_problem *problem, const memplan_solve_options *solve,
                                 memplan_error *error);
void memplan_info_free(memplan_info *info);

memplan_status memplan_info_write_text(const memplan_info *info, bool verbose, FILE *out, memplan_error *error);
void memplan_info_write_json(const memplan_info *info, FILE *out);
// The table of the `limit` largest buffers with lifetimes.
memplan_status memplan_info_write_buffers(const memplan_info *info, memplan_style style, int32_t limit, FILE *out,
                                          memplan_error *error);

// What a survey tells of a file that cannot be read as a problem because of `reason`: counts, the dimensions to give,
// the tensors without a size.
void memplan_info_write_survey(const memplan_survey *survey, const char *path, FILE *out);
void memplan_info_write_survey_json(const memplan_survey *survey, const char *path, const char *reason, FILE *out);

#endif
