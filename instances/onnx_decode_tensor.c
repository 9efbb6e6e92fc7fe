// SPDX-License-Identifier: Apache-2.0
// TensorProto and SparseTensorProto: dimensions, element type, and the data of small tensors.
//
// Data stands in raw_data (little-endian) or in the typed field of its element type, and may come before the
// dimensions; so at most MEMPLAN_ONNX_MAX_DATA elements of each field are held until the message has ended. A tensor
// without any data (weights taken out, or stored in another file, which is never opened) is a constant of unknown
// content.
#include "instances/onnx_proto.h"

#include <math.h>
#include <string.h>

enum { EXTERNAL = 1, LARGEST_ELEMENT = 8 };

typedef struct tensor_fields {
  memplan_wire_list dims, int32s, int64s, uint64s, floats, doubles;
  const char *raw; // NULL: none or too much
  int64_t raw_bytes;
  int64_t data_type, location;
  bool has_raw;
} tensor_fields;

static memplan_status read_fields(memplan_wire_message *message, memplan_proto_value *tensor, tensor_fields *fields) {
  const int64_t limit = MEMPLAN_ONNX_MAX_DATA;
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    switch (field.number) {
    case 0:
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(memplan_wire_ints(message, field, MEMPLAN_ONNX_MAX_RANK, &fields->dims));
      break;
    case 2:
      MEMPLAN_TRY(memplan_wire_int(message, field, &fields->data_type));
      break;
    case 4:
      MEMPLAN_TRY(memplan_wire_floats(message, field, limit, &fields->floats));
      break;
    case 5:
      MEMPLAN_TRY(memplan_wire_ints(message, field, limit, &fields->int32s));
      break;
    case 7:
      MEMPLAN_TRY(memplan_wire_ints(message, field, limit, &fields->int64s));
      break;
    case 8:
      MEMPLAN_TRY(memplan_wire_string(message, field, &tensor->name));
      break;
    case 9:
      fields->has_raw = true;
      MEMPLAN_TRY(memplan_wire_short_bytes(message, field, limit * LARGEST_ELEMENT, &fields->raw, &fields->raw_bytes));
      break;
    case 10:
      MEMPLAN_TRY(memplan_wire_doubles(message, field, limit, &fields->doubles));
      break;
    case 11:
      MEMPLAN_TRY(memplan_wire_ints(message, field, limit, &fields->uint64s));
      break;
    case 14:
      MEMPLAN_TRY(memplan_wire_int(message, field, &fields->location));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
    }
  }
}

// Elements of the shape, saturated.
static int64_t count_elements(const memplan_onnx_type *type) {
  int64_t count = 1;
  for (int32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] == 0) {
      return 0;
    }
    count = count > INT64_MAX / type->dims[i] ? INT64_MAX : count * type->dims[i];
  }
  return count;
}

// Bytes of one element in raw_data; 0: its data is not kept.
static int32_t element_bytes(int64_t data_type) {
  switch (data_type) {
  case MEMPLAN_ONNX_UINT8:
  case MEMPLAN_ONNX_INT8:
  case MEMPLAN_ONNX_BOOL:
    return 1;
  case MEMPLAN_ONNX_UINT16:
  case MEMPLAN_ONNX_INT16:
  case MEMPLAN_ONNX_FLOAT16:
  case MEMPLAN_ONNX_BFLOAT16:
    return 2;
  case MEMPLAN_ONNX_FLOAT:
  case MEMPLAN_ONNX_INT32:
  case MEMPLAN_ONNX_UINT32:
    return 4;
  case MEMPLAN_ONNX_DOUBLE:
  case MEMPLAN_ONNX_INT64:
  case MEMPLAN_ONNX_UINT64:
    return 8;
  default:
    return 0;
  }
}

static bool is_real(int64_t data_type) {
  return data_type == MEMPLAN_ONNX_FLOAT || data_type == MEMPLAN_ONNX_DOUBLE || data_type == MEMPLAN_ONNX_FLOAT16 ||
         data_type == MEMPLAN_ONNX_BFLOAT16;
}

static bool is_signed(int64_t data_type) {
  return data_type == MEMPLAN_ONNX_INT8 || data_type == MEMPLAN_ONNX_INT16 || data_type == MEMPLAN_ONNX_INT32 ||
         data_type == MEMPLAN_ONNX_INT64;
}

static double half_value(uint64_t bits) {
  int exponent = (int)(bits >> 10 & 31);
  double fraction = (double)(bits & 1023);
  double value = exponent == 0    ? ldexp(fraction, -24)
                 : exponent == 31 ? (bits & 1023) != 0 ? (double)NAN : (double)INFINITY
                                  : ldexp(fraction + 1024.0, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

static double real_value(int64_t data_type, uint64_t bits) {
  float single = 0;
  double value = 0;
  uint32_t half = 0;
  switch (data_type) {
  case MEMPLAN_ONNX_DOUBLE:
    memcpy(&value, &bits, sizeof value);
    return value;
  case MEMPLAN_ONNX_FLOAT16:
    return half_value(bits & 0xffff);
  default: // bf16 is the upper half of f32
    half = data_type == MEMPLAN_ONNX_BFLOAT16 ? (uint32_t)(bits & 0xffff) << 16 : (uint32_t)bits;
    memcpy(&single, &half, sizeof single);
    return (double)single;
  }
}

// The integer that the low `bytes` bytes stand for.
static int64_t int_value(int64_t data_type, uint64_t bits, int32_t bytes) {
  if (data_type == MEMPLAN_ONNX_BOOL) {
    return (bits & 0xff) != 0;
  }
  int shift = 64 - 8 * bytes;
  int64_t value = 0;
  bits <<= shift;
  if (!is_signed(data_type)) {
    bits >>= shift;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  memcpy(&value, &bits, sizeof value);
  return value / ((int64_t)1 << shift); // exact: the low bits are zero
}

static uint64_t raw_element(const tensor_fields *fields, int64_t i, int32_t bytes) {
  const unsigned char *raw = (const unsigned char *)fields->raw + i * bytes;
  uint64_t bits = 0;
  for (int32_t k = bytes; k > 0; k--) {
    bits = bits << 8 | raw[k - 1];
  }
  return bits;
}

// The typed field that holds elements of this type.
static const memplan_wire_list *typed_field(const tensor_fields *fields, int64_t data_type) {
  switch (data_type) {
  case MEMPLAN_ONNX_FLOAT:
    return &fields->floats;
  case MEMPLAN_ONNX_DOUBLE:
    return &fields->doubles;
  case MEMPLAN_ONNX_INT64:
    return &fields->int64s;
  case MEMPLAN_ONNX_UINT32:
  case MEMPLAN_ONNX_UINT64:
    return &fields->uint64s;
  default:
    return &fields->int32s;
  }
}

static double typed_real(const memplan_wire_list *list, int64_t data_type, int64_t i) {
  if (data_type == MEMPLAN_ONNX_FLOAT) {
    return (double)((const float *)list->items)[i];
  }
  if (data_type == MEMPLAN_ONNX_DOUBLE) {
    return ((const double *)list->items)[i];
  }
  return real_value(data_type, (uint64_t)((const int64_t *)list->items)[i]);
}

static memplan_status convert(memplan_wire *wire, const tensor_fields *fields, int64_t count, memplan_onnx_data *data) {
  int64_t type = fields->data_type;
  int32_t bytes = element_bytes(type);
  const memplan_wire_list *list = typed_field(fields, type);
  bool real = is_real(type);
  double *reals = real ? MEMPLAN_NEW(wire->arena, double, count) : NULL;
  int64_t *ints = real ? NULL : MEMPLAN_NEW(wire->arena, int64_t, count);
  if (reals == NULL && ints == NULL) {
    return memplan_fail_nomem(wire->error);
  }
  for (int64_t i = 0; i < count; i++) {
    if (real) {
      reals[i] = fields->has_raw ? real_value(type, raw_element(fields, i, bytes)) : typed_real(list, type, i);
    } else {
      uint64_t bits = fields->has_raw ? raw_element(fields, i, bytes) : (uint64_t)((const int64_t *)list->items)[i];
      ints[i] = int_value(type, bits, bytes);
    }
  }
  *data = (memplan_onnx_data){.ints = ints, .reals = reals, .count = count};
  return MEMPLAN_OK;
}

static memplan_status take_data(memplan_wire *wire, tensor_fields *fields, memplan_proto_value *tensor) {
  int64_t count = count_elements(&tensor->type);
  int32_t bytes = element_bytes(fields->data_type);
  const memplan_wire_list *list = typed_field(fields, fields->data_type);
  if (fields->location == EXTERNAL || bytes == 0) {
    return MEMPLAN_OK;
  }
  fields->has_raw = fields->has_raw && fields->raw_bytes > 0;
  if (!fields->has_raw && list->count == 0 && !list->overflowed && count > 0) {
    return MEMPLAN_OK;
  }
  bool agrees = fields->has_raw    ? fields->raw_bytes % bytes == 0 && fields->raw_bytes / bytes == count
                : list->overflowed ? count > MEMPLAN_ONNX_MAX_DATA
                                   : list->count == count;
  if (!agrees) {
    return memplan_wire_fail(wire, "tensor '%.100s' has %lld elements by its dimensions, but data of %lld %s",
                             tensor->name, (long long)count,
                             (long long)(fields->has_raw ? fields->raw_bytes : list->count),
                             fields->has_raw    ? "bytes"
                             : list->overflowed ? "elements at least"
                                                : "elements");
  }
  if (count > MEMPLAN_ONNX_MAX_DATA) {
    return MEMPLAN_OK;
  }
  return convert(wire, fields, count, &tensor->data);
}

static memplan_status take_dims(memplan_wire *wire, const memplan_wire_list *dims, memplan_proto_value *tensor) {
  if (dims->overflowed) {
    return memplan_wire_fail(wire, "tensor '%.100s' has more than %d dimensions", tensor->name,
                             (int)MEMPLAN_ONNX_MAX_RANK);
  }
  int64_t *items = MEMPLAN_NEW(wire->arena, int64_t, dims->count);
  if (items == NULL) {
    return memplan_fail_nomem(wire->error);
  }
  for (int64_t i = 0; i < dims->count; i++) {
    items[i] = ((const int64_t *)dims->items)[i];
    if (items[i] < 0) {
      return memplan_wire_fail(wire, "dimension %lld of tensor '%.100s' is %lld", (long long)i, tensor->name,
                               (long long)items[i]);
    }
  }
  tensor->type.rank = (int32_t)dims->count;
  tensor->type.dims = items;
  return MEMPLAN_OK;
}

memplan_status memplan_proto_read_tensor(memplan_wire_message *message, memplan_proto_value *tensor) {
  tensor_fields fields = {0};
  tensor->name = tensor->name != NULL ? tensor->name : "";
  MEMPLAN_TRY(read_fields(message, tensor, &fields));
  tensor->type = (memplan_onnx_type){.kind = MEMPLAN_ONNX_KIND_TENSOR, .length = -1};
  if (fields.data_type > 0 && fields.data_type <= INT32_MAX) {
    tensor->type.elem_type = (int32_t)fields.data_type;
  }
  MEMPLAN_TRY(take_dims(message->wire, &fields.dims, tensor));
  return take_data(message->wire, &fields, tensor);
}

// The dense tensor that a sparse one stands for; its few values say nothing about the dense content.
memplan_status memplan_proto_read_sparse(memplan_wire_message *message, memplan_proto_value *tensor) {
  memplan_wire_list dims = {0};
  memplan_proto_value values = {0};
  for (;;) {
    memplan_wire_field field;
    memplan_wire_message inner;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    if (field.number == 0) {
      break;
    }
    switch (field.number) {
    case 1:
      MEMPLAN_TRY(memplan_wire_enter(message, field, "TensorProto", &inner));
      MEMPLAN_TRY(memplan_proto_read_tensor(&inner, &values));
      break;
    case 3:
      MEMPLAN_TRY(memplan_wire_ints(message, field, MEMPLAN_ONNX_MAX_RANK, &dims));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
    }
  }
  tensor->name = values.name != NULL ? values.name : "";
  tensor->type = values.type;
  tensor->type.kind = MEMPLAN_ONNX_KIND_TENSOR;
  tensor->type.length = -1;
  return take_dims(message->wire, &dims, tensor);
}
