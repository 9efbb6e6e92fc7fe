// SPDX-License-Identifier: Apache-2.0
// TypeProto and ValueInfoProto. A type is flattened: of a sequence or optional the kind of its element and, at the
// bottom, that element's tensor type. TypeProto.value is a oneof: another member of it starts the type afresh.
#include "instances/onnx_proto.h"
#include "model/base/grow.h"

typedef struct dimensions {
  int64_t *items;
  const char **symbols;
  int64_t count, capacity, symbol_capacity;
  bool any_symbol;
} dimensions;

static memplan_status read_dimension(memplan_wire_message *message, int64_t *value, const char **symbol) {
  *value = -1;
  *symbol = NULL;
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    switch (field.number) {
    case 0:
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(memplan_wire_int(message, field, value));
      *value = *value < 0 ? -1 : *value;
      *symbol = NULL;
      break;
    case 2:
      MEMPLAN_TRY(memplan_wire_string(message, field, symbol));
      *symbol = (*symbol)[0] != '\0' ? *symbol : NULL;
      *value = -1;
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
    }
  }
}

static memplan_status read_shape(memplan_wire_message *message, dimensions *dims) {
  memplan_wire *wire = message->wire;
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    if (field.number == 0) {
      return MEMPLAN_OK;
    }
    if (field.number != 1) {
      MEMPLAN_TRY(memplan_wire_skip(message, field));
      continue;
    }
    if (dims->count >= MEMPLAN_ONNX_MAX_RANK) {
      return memplan_wire_fail(wire, "a shape has more than %d dimensions", (int)MEMPLAN_ONNX_MAX_RANK);
    }
    dims->items = memplan_grow_in(wire->arena, dims->items, dims->count, &dims->capacity, sizeof *dims->items);
    dims->symbols =
        memplan_grow_in(wire->arena, dims->symbols, dims->count, &dims->symbol_capacity, sizeof *dims->symbols);
    if (dims->items == NULL || dims->symbols == NULL) {
      return memplan_fail_nomem(wire->error);
    }
    memplan_wire_message inner;
    MEMPLAN_TRY(memplan_wire_enter(message, field, "TensorShapeProto.Dimension", &inner));
    MEMPLAN_TRY(read_dimension(&inner, &dims->items[dims->count], &dims->symbols[dims->count]));
    dims->any_symbol = dims->any_symbol || dims->symbols[dims->count] != NULL;
    dims->count++;
  }
}

// TypeProto.Tensor and TypeProto.SparseTensor. A shape given twice is merged: its dimensions follow each other.
static memplan_status read_tensor_type(memplan_wire_message *message, memplan_onnx_type *type,
                                       const char *const **symbols) {
  dimensions dims = {0};
  for (;;) {
    memplan_wire_field field;
    int64_t number = 0;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    switch (field.number) {
    case 0:
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(memplan_wire_int(message, field, &number));
      type->elem_type = number > 0 && number <= INT32_MAX ? (int32_t)number : 0;
      break;
    case 2: {
      memplan_wire_message inner;
      MEMPLAN_TRY(memplan_wire_enter(message, field, "TensorShapeProto", &inner));
      MEMPLAN_TRY(read_shape(&inner, &dims));
      type->rank = (int32_t)dims.count;
      type->dims = dims.items;
      *symbols = dims.any_symbol ? dims.symbols : NULL;
      break;
    }
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
    }
  }
}

// TypeProto.Sequence, .Optional and .Map, which hold a TypeProto in the given field. The map's own content is not
// needed.
static memplan_status read_container(memplan_wire_message *message, memplan_onnx_type *type,
                                     const char *const **symbols) {
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    if (field.number == 0) {
      return MEMPLAN_OK;
    }
    if (field.number != 1 || type->kind == MEMPLAN_ONNX_KIND_MAP) {
      MEMPLAN_TRY(memplan_wire_skip(message, field));
      continue;
    }
    memplan_wire_message inner;
    memplan_onnx_type element = {0};
    MEMPLAN_TRY(memplan_wire_enter(message, field, "TypeProto", &inner));
    MEMPLAN_TRY(memplan_proto_read_type(&inner, &element, symbols));
    memplan_onnx_kind kind = type->kind;
    *type = element;
    type->kind = kind;
    type->element_kind = element.kind;
    type->length = -1;
  }
}

memplan_status memplan_proto_read_type(memplan_wire_message *message, memplan_onnx_type *type,
                                       const char *const **symbols) {
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    memplan_onnx_kind kind = MEMPLAN_ONNX_KIND_UNKNOWN;
    switch (field.number) {
    case 0:
      return MEMPLAN_OK;
    case 1:
      kind = MEMPLAN_ONNX_KIND_TENSOR;
      break;
    case 4:
      kind = MEMPLAN_ONNX_KIND_SEQUENCE;
      break;
    case 5:
      kind = MEMPLAN_ONNX_KIND_MAP;
      break;
    case 8:
      kind = MEMPLAN_ONNX_KIND_SPARSE;
      break;
    case 9:
      kind = MEMPLAN_ONNX_KIND_OPTIONAL;
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
      continue;
    }
    if (type->kind != kind) {
      *type = (memplan_onnx_type){.kind = kind, .rank = -1, .length = -1};
      *symbols = NULL;
    }
    memplan_wire_message inner;
    bool tensor = kind == MEMPLAN_ONNX_KIND_TENSOR || kind == MEMPLAN_ONNX_KIND_SPARSE;
    MEMPLAN_TRY(memplan_wire_enter(message, field, tensor ? "TypeProto.Tensor" : "TypeProto", &inner));
    MEMPLAN_TRY(tensor ? read_tensor_type(&inner, type, symbols) : read_container(&inner, type, symbols));
  }
}

memplan_status memplan_proto_read_value_info(memplan_wire_message *message, memplan_proto_value *value) {
  value->name = value->name != NULL ? value->name : "";
  value->type.rank = value->type.kind == MEMPLAN_ONNX_KIND_UNKNOWN ? -1 : value->type.rank;
  value->type.length = value->type.kind == MEMPLAN_ONNX_KIND_UNKNOWN ? -1 : value->type.length;
  for (;;) {
    memplan_wire_field field;
    memplan_wire_message inner;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    switch (field.number) {
    case 0:
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(memplan_wire_string(message, field, &value->name));
      break;
    case 2:
      MEMPLAN_TRY(memplan_wire_enter(message, field, "TypeProto", &inner));
      MEMPLAN_TRY(memplan_proto_read_type(&inner, &value->type, &value->symbols));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
    }
  }
}
