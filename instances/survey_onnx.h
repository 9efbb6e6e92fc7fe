// SPDX-License-Identifier: Apache-2.0
// What an ONNX model holds, as far as shape inference gets.
#ifndef MEMPLAN_INSTANCES_SURVEY_ONNX_H
#define MEMPLAN_INSTANCES_SURVEY_ONNX_H

#include "model/memplan.h"

#include <stdio.h>

enum { MEMPLAN_SURVEY_LISTED = 20 }; // tensors without a size that are named

// Adds to a survey whose counts are 0. Of the options it uses dims, shapes, fold and bodies. Messages name no file.
memplan_status memplan_survey_onnx(FILE *file, const memplan_problem_options *options, memplan_survey *survey,
                                   memplan_error *error);

#endif
