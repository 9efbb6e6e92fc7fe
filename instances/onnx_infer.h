// SPDX-License-Identifier: Apache-2.0
// Shape inference and constant folding over a decoded ONNX model.
#ifndef MEMPLAN_INSTANCES_ONNX_INFER_H
#define MEMPLAN_INSTANCES_ONNX_INFER_H

#include "instances/onnx_model.h"

// Binds the symbols and input shapes of `options` (dims, shapes), then visits every graph's nodes in dependency order,
// bodies where their operator stands, and fills type, data, is_constant and the flags of every value. `order`: for each
// graph a topological order of its nodes that takes the ready node first in the file (order[g][k], made by the caller).
//
// Constants: a node all of whose inputs (and captures) are constants makes constants, whatever its size and whether or
// not its data can be computed; Shape and Size of a tensor with known shape too, marked folded_shape with all that
// hangs on them. Random operators and operators with bodies whose result may differ are not folded. The reader decides
// by `--fold` which of these it uses.
//
// MEMPLAN_INPUT: an unknown dimension of an input (the message lists the symbols and the inputs, with the option to
// give), a --dim or --shape that nothing uses, shapes that contradict the operator (named, with the node and its input
// shapes). MEMPLAN_UNSUPPORTED: unknown operators, or shapes that depend on data: the message lists operator types with
// counts and the first tensors without shape. Exporters' value_info may fill in what inference cannot know, and is
// ignored where it disagrees (warning).
memplan_status memplan_onnx_infer(memplan_onnx_model *model, const int32_t *const *order,
                                  const memplan_problem_options *options, memplan_error *error);

#endif
