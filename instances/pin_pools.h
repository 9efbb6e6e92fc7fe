// SPDX-License-Identifier: Apache-2.0
// Applies --pin-space: a buffer that must lie in one pool.
#ifndef MEMPLAN_INSTANCES_PIN_POOLS_H
#define MEMPLAN_INSTANCES_PIN_POOLS_H

#include "model/problem.h"

// Replaces the admissible pools of the buffers that problem->options.pin_pools names: buffers of an instance; root
// tensors, their views, and "OP#workspace" of a graph. Call before the graph or instance is resolved. Unknown buffers
// and pools are MEMPLAN_INPUT. O(pins x (tensors or buffers)).
memplan_status memplan_pin_pools_apply(memplan_problem *problem, memplan_graph *graph, memplan_instance *instance,
                                       memplan_error *error);

#endif
