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
//
// Bodies: a known condition decides which branch of an If runs, and a branch that its shapes forbid counts as never
// taken (warning); loops of a small constant number of iterations are followed one by one where shapes change between
// them, and then the values of the body have the largest of their sizes. Bodies that never run are marked unreachable.
// With MEMPLAN_BODIES_IGNORE shapes inside bodies may stay unknown. A --dim may also name a dimension that only
// value_info or an output has: it settles what depends on data.
//
// Work and memory are bounded by the size of the model plus constants, whatever the file claims. The operators:
// onnx_registry.c.
memplan_status memplan_onnx_infer(memplan_onnx_model *model, const int32_t *const *order,
                                  const memplan_problem_options *options, memplan_error *error);

// The same as far as it gets: open dimensions, unknown operators, nodes whose shapes contradict each other and options
// that do not fit leave values unknown. Fails only where memory is out or an initializer is impossible.
memplan_status memplan_onnx_infer_known(memplan_onnx_model *model, const int32_t *const *order,
                                        const memplan_problem_options *options, memplan_error *error);

#endif
