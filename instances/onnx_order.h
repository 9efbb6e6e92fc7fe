// SPDX-License-Identifier: Apache-2.0
// Which values bodies capture, and the order in which the nodes of a graph can run.
#ifndef MEMPLAN_INSTANCES_ONNX_ORDER_H
#define MEMPLAN_INSTANCES_ONNX_ORDER_H

#include "instances/onnx_model.h"

// Fills node.captures of every node. O(uses of values x depth of the bodies).
memplan_status memplan_onnx_find_captures(memplan_onnx_model *model, memplan_error *error);

// order[g]: the nodes of graph g in the topological order that always takes the ready node first in the file; captures
// count as inputs. A graph that was not sorted: a warning in the model. MEMPLAN_INPUT with the cycle if there is none.
// Memory from `arena`. O((nodes + inputs) log nodes).
memplan_status memplan_onnx_sort(memplan_onnx_model *model, memplan_arena *arena, const int32_t *const **order,
                                 memplan_error *error);

#endif
