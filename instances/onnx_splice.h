// SPDX-License-Identifier: Apache-2.0
// The bytes of a model file in another order: those of the nodes exchanged, everything else as it was. All lengths that
// the file states stay right, since a graph keeps its bytes.
#ifndef MEMPLAN_INSTANCES_ONNX_SPLICE_H
#define MEMPLAN_INSTANCES_ONNX_SPLICE_H

#include "instances/onnx_arrange.h"
#include "model/base/file.h"

#include <stdio.h>

typedef struct memplan_onnx_splice {
  memplan_file_piece *pieces; // of the file, which one after the other make the new one
  int64_t n_pieces, capacity;
  bool external; // an initializer of the main graph lies in another file
} memplan_onnx_splice;

// Reads the file, regular and at its start, and keeps positions alone. The pieces belong to `arena`.
// MEMPLAN_UNSUPPORTED: a graph is stored in several parts, as protocol buffers allow.
memplan_status memplan_onnx_splice_read(FILE *file, const memplan_onnx_arrangement *arrangement, memplan_arena *arena,
                                        memplan_onnx_splice *splice, memplan_error *error);

#endif
