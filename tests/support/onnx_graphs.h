// SPDX-License-Identifier: Apache-2.0
// Graphs read from ONNX bytes or files, and their load in the given order. Everything asserts.
#ifndef MEMPLAN_TESTS_ONNX_GRAPHS_H
#define MEMPLAN_TESTS_ONNX_GRAPHS_H

#include "model/graph.h"
#include "tests/support/onnx_writer.h"

// Reads and frees the bytes; they must give a graph.
memplan_graph onnx_read_graph(onnx_bytes bytes, const memplan_problem_options *options);

// Reads and frees the bytes, called model.onnx; they must be refused with that status and a message that holds `part`.
void onnx_expect_no_graph(onnx_bytes bytes, const memplan_problem_options *options, memplan_status expected,
                          const char *part);

// Index of the tensor of that id; there must be one.
int32_t onnx_find_tensor(const memplan_graph *graph, const char *id);

// Order peak of the given order.
int64_t onnx_given_peak(const memplan_graph *graph, const memplan_problem_options *options);

// The same with inputs and outputs in the arena, weights outside and no in-place, walked through step by step from the
// operators' lists alone.
int64_t onnx_simulated_peak(const memplan_graph *graph);

#endif
