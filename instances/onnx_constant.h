// SPDX-License-Identifier: Apache-2.0
// Which values of a model are constants, and what the Constant operator stands for.
#ifndef MEMPLAN_INSTANCES_ONNX_CONSTANT_H
#define MEMPLAN_INSTANCES_ONNX_CONSTANT_H

#include "instances/onnx_model.h"

// Is the value a constant under `--fold`? Valid after inference.
bool memplan_onnx_is_folded(const memplan_onnx_model *model, memplan_fold fold, const memplan_onnx_value *value);

// Does the node become an operator under `--fold`? Not if it is a Constant, nor if all its outputs are constants.
bool memplan_onnx_is_kept(const memplan_onnx_model *model, memplan_fold fold, const memplan_onnx_node *node);

// Is the node the Constant operator of the default domain?
bool memplan_onnx_is_constant_node(const memplan_onnx_node *node);

// The attribute that states the value of a Constant node, or NULL.
const memplan_onnx_attribute *memplan_onnx_constant_find(const memplan_onnx_node *node);

// Its type; of kind UNKNOWN if the attribute lacks its tensor. False if memory is out.
bool memplan_onnx_constant_type(const memplan_onnx_attribute *attribute, memplan_arena *arena, memplan_onnx_type *type);

// Its data, which may point into the attribute; none of strings and of more than MEMPLAN_ONNX_MAX_DATA elements. False
// if memory is out.
bool memplan_onnx_constant_data(const memplan_onnx_attribute *attribute, memplan_arena *arena, memplan_onnx_data *data);

#endif
