// SPDX-License-Identifier: Apache-2.0
// Inference inside the bodies of If, Loop, Scan and SequenceMap. Implemented by the inference run (onnx_infer.c).
#ifndef MEMPLAN_INSTANCES_ONNX_SHAPE_BODY_H
#define MEMPLAN_INSTANCES_ONNX_SHAPE_BODY_H

#include "instances/onnx_shape.h"

// The body that attribute `name` holds; an error unless it has so many inputs (-1: any number) and at least so many
// outputs.
memplan_status memplan_body_find(memplan_call *call, const char *name, int32_t n_inputs, int32_t n_outputs,
                                 int32_t *graph);

// Sets formal input k; what `type` leaves unknown is as the file declares it, unless `exact`. `data` may be NULL.
memplan_status memplan_body_set_input(memplan_call *call, int32_t graph, int32_t k, const memplan_onnx_type *type,
                                      const memplan_onnx_data *data, bool exact);

// Rank of formal input k as the file declares it, -1 if it does not.
int32_t memplan_body_declared_rank(const memplan_call *call, int32_t graph, int32_t k);

// Infers all values of the body. May be called again with other inputs.
memplan_status memplan_body_run(memplan_call *call, int32_t graph);

// The same, but where the shapes contradict an operator in the body, *possible is false and the body counts as one that
// never runs (a warning says why in the end).
memplan_status memplan_body_try(memplan_call *call, int32_t graph, bool *possible);

// Why a tried body cannot run, or NULL.
const char *memplan_body_contradiction(const memplan_call *call, int32_t graph);

// Whether the work limit allows another `times` runs of the body; if so they are charged to it. The first run of a body
// is free. Once somebody has given up, nothing is affordable any more: bodies in bodies would else double the work at
// each level.
bool memplan_body_affordable(memplan_call *call, int32_t graph, int64_t times);
void memplan_body_give_up(memplan_call *call);

const memplan_onnx_value *memplan_body_input(const memplan_call *call, int32_t graph, int32_t k);
const memplan_onnx_value *memplan_body_output(const memplan_call *call, int32_t graph, int32_t k);

// The body never runs. It is inferred all the same, as far as that goes, but errors in it are none.
memplan_status memplan_body_skip(memplan_call *call, int32_t graph);

// What several runs of a body have in common: of each dimension of its values (and those of bodies in it) the largest,
// so that a plan for them fits every run; bodies that no run needs. `finish` makes that the state of the values.
typedef struct memplan_body_record {
  int32_t graph;
  int32_t n_runs;
  memplan_onnx_type *largest; // by value
  bool *never;                // by body: no run needs it
} memplan_body_record;

memplan_status memplan_body_record_start(memplan_call *call, int32_t graph, memplan_body_record *record);
memplan_status memplan_body_record_add(memplan_call *call, memplan_body_record *record);
void memplan_body_record_finish(memplan_call *call, const memplan_body_record *record);

#endif
