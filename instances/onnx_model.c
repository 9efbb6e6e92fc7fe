// SPDX-License-Identifier: Apache-2.0
// Reading a model: the file's messages in one pass (onnx_decode.c), names and functions (onnx_link.c), captures of
// bodies (onnx_order.c). Strings and constants live in the model's arena from the start; what only linking needs is
// scratch.
#include "instances/onnx_model.h"

#include "instances/onnx_link.h"
#include "instances/onnx_order.h"
#include "instances/onnx_proto.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WARNINGS = 1000 };

memplan_dtype memplan_onnx_dtype(int32_t elem_type) {
  static const memplan_dtype types[] = {
      MEMPLAN_DTYPE_NONE,       MEMPLAN_DTYPE_F32,      MEMPLAN_DTYPE_U8,         MEMPLAN_DTYPE_I8,
      MEMPLAN_DTYPE_U16,        MEMPLAN_DTYPE_I16,      MEMPLAN_DTYPE_I32,        MEMPLAN_DTYPE_I64,
      MEMPLAN_DTYPE_STRING,     MEMPLAN_DTYPE_BOOL,     MEMPLAN_DTYPE_F16,        MEMPLAN_DTYPE_F64,
      MEMPLAN_DTYPE_U32,        MEMPLAN_DTYPE_U64,      MEMPLAN_DTYPE_C64,        MEMPLAN_DTYPE_C128,
      MEMPLAN_DTYPE_BF16,       MEMPLAN_DTYPE_F8E4M3FN, MEMPLAN_DTYPE_F8E4M3FNUZ, MEMPLAN_DTYPE_F8E5M2,
      MEMPLAN_DTYPE_F8E5M2FNUZ, MEMPLAN_DTYPE_U4,       MEMPLAN_DTYPE_I4,         MEMPLAN_DTYPE_F4E2M1,
      MEMPLAN_DTYPE_F8E8M0,     MEMPLAN_DTYPE_U2,       MEMPLAN_DTYPE_I2};
  bool known = elem_type > 0 && (size_t)elem_type < sizeof types / sizeof *types;
  return known ? types[elem_type] : MEMPLAN_DTYPE_NONE;
}

const memplan_onnx_attribute *memplan_onnx_attribute_find(const memplan_onnx_node *node, const char *name) {
  for (int32_t i = 0; i < node->n_attributes; i++) {
    if (strcmp(node->attributes[i].name, name) == 0) {
      return &node->attributes[i];
    }
  }
  return NULL;
}

bool memplan_onnx_model_warn(memplan_onnx_model *model, const char *format, ...) {
  if (model->n_warnings >= MOST_WARNINGS) {
    return true;
  }
  va_list arguments;
  va_start(arguments, format);
  bool good = memplan_arena_append_line(&model->arena, &model->warnings, &model->n_warnings, format, arguments);
  va_end(arguments);
  return good;
}

void memplan_onnx_model_free(memplan_onnx_model *model) {
  memplan_arena_free(&model->arena);
  *model = (memplan_onnx_model){0};
}

static memplan_status read_messages(FILE *file, memplan_arena *arena, memplan_arena *scratch,
                                    memplan_proto_model *proto, memplan_error *error) {
  memplan_wire *wire = malloc(sizeof *wire); // too large for the stack
  if (wire == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_wire_message top;
  memplan_status status = memplan_wire_open(wire, file, arena, scratch, "ModelProto", &top, error);
  if (status == MEMPLAN_OK) {
    status = memplan_proto_read_model(&top, proto);
  }
  memplan_wire_close(wire);
  free(wire);
  return status;
}

static const char *name_producer(memplan_arena *arena, const memplan_proto_model *proto) {
  if (proto->producer_version[0] == '\0') {
    return proto->producer;
  }
  size_t size = strlen(proto->producer) + strlen(proto->producer_version) + 2;
  char *text = memplan_arena_alloc(arena, size, 1);
  if (text != NULL) {
    (void)snprintf(text, size, "%s %s", proto->producer, proto->producer_version);
  }
  return text;
}

static memplan_status read_model(FILE *file, memplan_arena *scratch, memplan_onnx_model *model, memplan_error *error) {
  memplan_proto_model proto = {0};
  MEMPLAN_TRY(read_messages(file, &model->arena, scratch, &proto, error));
  model->ir_version = proto.ir_version;
  model->producer = name_producer(&model->arena, &proto);
  if (model->producer == NULL) {
    return memplan_fail_nomem(error);
  }
  if (proto.has_training && !memplan_onnx_model_warn(model, "the file's training_info is not planned")) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_link_model(&proto, scratch, model, error));
  return memplan_onnx_find_captures(model, error);
}

memplan_status memplan_onnx_model_read(FILE *file, const char *path, memplan_onnx_model *model, memplan_error *error) {
  memplan_arena scratch;
  memplan_arena_init(&scratch);
  *model = (memplan_onnx_model){0};
  memplan_status status = read_model(file, &scratch, model, error);
  memplan_arena_free(&scratch);
  if (status != MEMPLAN_OK) {
    memplan_onnx_model_free(model);
    if (path != NULL) {
      memplan_error_prefix(error, "%s", path);
    }
  }
  return status;
}
