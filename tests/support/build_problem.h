// SPDX-License-Identifier: Apache-2.0
// Small problems and plans written down in tests. Everything asserts that memory is there and that names exist.
#ifndef MEMPLAN_TESTS_BUILD_PROBLEM_H
#define MEMPLAN_TESTS_BUILD_PROBLEM_H

#include "model/memplan.h"

enum { BUILD_TENSORS = 64, BUILD_OPS = 32, BUILD_BUFFERS = 64, BUILD_RULES = 16 };

// An initialised problem with an empty graph or instance that has room for the numbers above; options are the defaults.
void build_graph(memplan_problem *problem);
void build_instance(memplan_problem *problem);

// Tensors and operators are named by number or id; roles are memplan_role bits. Lists of ids are separated by spaces.
int32_t build_tensor(memplan_graph *graph, const char *id, int64_t bytes, unsigned roles);
int32_t build_view(memplan_graph *graph, const char *id, int64_t bytes, const char *of, int64_t offset);
memplan_op *build_op(memplan_graph *graph, const char *id, const char *in, const char *out);
void build_after(memplan_graph *graph, memplan_op *op, const char *ops);
void build_writes(memplan_graph *graph, memplan_op *op, const char *tensors);
void build_inplace(memplan_graph *graph, memplan_op *op, const char *output, const char *input); // adds one pair
void build_body(memplan_graph *graph, const char *op, const char *name, memplan_graph *body, bool io_external);
int32_t build_find_tensor(const memplan_graph *graph, const char *id);
int32_t build_find_op(const memplan_graph *graph, const char *id);

// One lifetime; more by build_live. build_gap adds a gap; rules by ids.
memplan_buffer *build_buffer(memplan_instance *instance, const char *id, int64_t start, int64_t end, int64_t bytes);
void build_live(memplan_instance *instance, memplan_buffer *buffer, int64_t start, int64_t end);
void build_gap(memplan_instance *instance, memplan_buffer *buffer, int64_t start, int64_t end, int64_t low,
               int64_t high);
void build_separate(memplan_instance *instance, const char *first, const char *second);
void build_colocate(memplan_instance *instance, const char *first, const char *second, int64_t delta);
void build_conflict(memplan_instance *instance, const char *first, const char *second);

// Resolves the problem under its options and computes its fingerprint; asserts that this works.
void build_finish(memplan_problem *problem);
// The same, but returns the status with its message.
memplan_status build_try(memplan_problem *problem, memplan_error *error);

// A plan for the problem: its fingerprint, the given order ("" for an instance), status feasible, lower bound 0, room
// for entries. Offsets are added by id; build_peak then states their peak.
void build_plan(const memplan_problem *problem, memplan_plan *plan, const char *order);
memplan_placed *build_place(memplan_plan *plan, const char *id, int64_t offset);
void build_choose(memplan_plan *plan, const char *output, const char *input);
void build_body_plan(memplan_plan *plan, const char *op, const char *body, memplan_plan *inner);
void build_peak(const memplan_problem *problem, memplan_plan *plan);

#endif
