// SPDX-License-Identifier: Apache-2.0
// Reader of ONNX models (protocol-buffer form), with memplan's own shape inference.
#ifndef MEMPLAN_INSTANCES_READ_ONNX_H
#define MEMPLAN_INSTANCES_READ_ONNX_H

#include "model/graph.h"
#include "model/types.h"

#include <stdio.h>

// Reads a model from a stream, seekable or not, decodes and sorts it, infers its shapes and builds the graph, resolved.
// `graph` must be initialised; on failure it is freed again. `path` (or NULL) is put before messages; no file is
// opened.
//
// Of the options it uses dims and shapes (symbols and inputs; unused ones are errors), fold, views, inplace, bodies
// (with MEMPLAN_BODIES_IGNORE no body is built) and strict (warnings are errors). What becomes of a model:
// - operators: the nodes that `fold` leaves, in file order (topological order if that is not one). The id is the node's
//   name if it has one that none before it has, else the name of its first output, else its type; made unique by "#2"
//   and so on.
// - tensors: graph inputs, outputs of these nodes, and as weights the constants that they read. Ids: value names.
// - operators with bodies read what their bodies capture; in the bodies' own graphs that is a weight. A carried value
// of
//   a loop that would have to move to another place for the next iteration is copied by an operator "NAME#copy".
// - strings have no bytes in an arena: tensors of 0 bytes, and so have maps and sequences of them; both with a warning.
//   A sequence of known length takes the bytes of its elements, an optional value those of its content.
// Errors: MEMPLAN_INPUT (damaged file, contradictions, unknown dimensions of inputs), MEMPLAN_UNSUPPORTED (unknown
// operators, values without size; by name), MEMPLAN_IO, MEMPLAN_NOMEM.
memplan_status memplan_read_onnx(FILE *file, const char *path, const memplan_problem_options *options,
                                 memplan_graph *graph, memplan_error *error);

#endif
