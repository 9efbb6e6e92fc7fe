// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals. While the elements of a sequence are known one by one they are kept (`items`), so that lists
// of dimensions that exporters build element by element keep their values; the type in common is kept in any case.
#include "instances/onnx_shape_families.h"

enum {
  largest_sequence = 256, // items kept one by one
  words_per_item = 12     // what an item counts against the data limit
};

static memplan_onnx_type sequence_type(int64_t length) {
  return (memplan_onnx_type){
      .kind = MEMPLAN_ONNX_KIND_SEQUENCE, .element_kind = MEMPLAN_ONNX_KIND_TENSOR, .rank = -1, .length = length};
}

static memplan_onnx_type element_type(const memplan_onnx_type *sequence) {
  return (memplan_onnx_type){.kind = sequence->element_kind,
                             .elem_type = sequence->elem_type,
                             .rank = sequence->rank,
                             .dims = sequence->dims,
                             .length = -1};
}

static memplan_status sequence_input(memplan_call *call, int32_t k, memplan_onnx_type *type) {
  const memplan_onnx_type *given = memplan_call_type(call, k);
  *type = sequence_type(-1);
  if (given == NULL) {
    return memplan_call_fail(call, "input %d is missing", (int)k);
  }
  if (given->kind == MEMPLAN_ONNX_KIND_SEQUENCE) {
    *type = *given;
  } else if (given->kind == MEMPLAN_ONNX_KIND_OPTIONAL) {
    *type = *given;
    type->kind = MEMPLAN_ONNX_KIND_SEQUENCE;
    type->element_kind = MEMPLAN_ONNX_KIND_TENSOR;
  } else if (given->kind != MEMPLAN_ONNX_KIND_UNKNOWN) {
    return memplan_call_fail(call, "input %d is not a sequence", (int)k);
  }
  return MEMPLAN_OK;
}

// Room for `count` items; *items stays NULL if there are too many to keep.
static memplan_status new_items(memplan_call *call, int64_t count, memplan_onnx_item **items) {
  *items = NULL;
  if (count < 0 || count > largest_sequence || *call->data_budget < words_per_item * count) {
    return MEMPLAN_OK;
  }
  *call->data_budget -= words_per_item * count;
  *items = MEMPLAN_NEW(&call->model->arena, memplan_onnx_item, count);
  return *items != NULL ? MEMPLAN_OK : memplan_fail_nomem(call->error);
}

static memplan_onnx_item item_of_input(const memplan_call *call, int32_t k) {
  const memplan_onnx_value *value = &call->model->values[call->node->in[k]];
  return (memplan_onnx_item){.type = value->type, .data = value->data};
}

// The element type that all of the sequence's elements and one more have in common.
static memplan_status widen(memplan_call *call, memplan_onnx_type *sequence, const memplan_onnx_type *element,
                            bool first) {
  if (first) {
    sequence->element_kind = element->kind;
    sequence->elem_type = element->elem_type;
    sequence->rank = element->rank;
    sequence->dims = element->dims;
    return MEMPLAN_OK;
  }
  memplan_dims a = memplan_dims_of(sequence);
  memplan_dims b = memplan_dims_of(element);
  memplan_dims dims = memplan_dims_meet(&a, &b);
  memplan_onnx_type met;
  int32_t elem_type = sequence->elem_type != 0 ? sequence->elem_type : element->elem_type;
  if (!memplan_type_tensor(&met, elem_type, &dims, &call->model->arena)) {
    return memplan_fail_nomem(call->error);
  }
  sequence->elem_type = met.elem_type;
  sequence->rank = met.rank;
  sequence->dims = met.dims;
  return MEMPLAN_OK;
}

memplan_status memplan_shape_sequence_construct(memplan_call *call) {
  memplan_onnx_type type = sequence_type(call->node->n_in);
  memplan_onnx_item *items = NULL;
  MEMPLAN_TRY(new_items(call, call->node->n_in, &items));
  for (int32_t k = 0; k < call->node->n_in; k++) {
    if (!memplan_call_has(call, k)) {
      return memplan_call_fail(call, "input %d is missing", (int)k);
    }
    MEMPLAN_TRY(widen(call, &type, memplan_call_type(call, k), k == 0));
    if (items != NULL) {
      items[k] = item_of_input(call, k);
    }
  }
  type.items = items;
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_sequence_empty(memplan_call *call) {
  memplan_onnx_type type = sequence_type(0);
  int64_t elem_type = MEMPLAN_ONNX_FLOAT;
  MEMPLAN_TRY(memplan_call_int(call, "dtype", &elem_type));
  type.elem_type = memplan_elem_type_checked(elem_type);
  memplan_onnx_item *items = NULL;
  MEMPLAN_TRY(new_items(call, 0, &items));
  type.items = items;
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

// Position from input k, or `absent`; -1 if it is not known. A position may equal the length where `past_end` allows
// it.
static memplan_status position(memplan_call *call, int32_t k, int64_t length, bool past_end, int64_t absent,
                               int64_t *out) {
  *out = -1;
  int64_t value = 0;
  if (!memplan_call_has(call, k)) {
    *out = absent;
  } else if (length >= 0 && memplan_call_scalar(call, k, &value)) {
    if (value < -length || value > length || (value == length && !past_end)) {
      return memplan_call_fail(call, "position %lld in a sequence of %lld", (long long)value, (long long)length);
    }
    *out = value < 0 ? value + length : value;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_sequence_insert(memplan_call *call) {
  memplan_onnx_type type;
  MEMPLAN_TRY(sequence_input(call, 0, &type));
  const memplan_onnx_type *element = memplan_call_type(call, 1);
  if (element == NULL) {
    return memplan_call_fail(call, "input 1 is missing");
  }
  int64_t at = -1;
  MEMPLAN_TRY(position(call, 2, type.length, true, type.length, &at));
  memplan_onnx_item *items = NULL;
  if (type.items != NULL && at >= 0) {
    MEMPLAN_TRY(new_items(call, type.length + 1, &items));
    for (int64_t i = 0; items != NULL && i <= type.length; i++) {
      items[i] = i == at ? item_of_input(call, 1) : type.items[i < at ? i : i - 1];
    }
  }
  MEMPLAN_TRY(widen(call, &type, element, type.length == 0));
  type.items = items;
  type.length = memplan_dim_add(type.length, 1);
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_sequence_erase(memplan_call *call) {
  memplan_onnx_type type;
  MEMPLAN_TRY(sequence_input(call, 0, &type));
  if (type.length == 0) {
    return memplan_call_fail(call, "the sequence is empty");
  }
  int64_t at = -1;
  MEMPLAN_TRY(position(call, 1, type.length, false, type.length - 1, &at));
  memplan_onnx_item *items = NULL;
  if (type.items != NULL && at >= 0) {
    MEMPLAN_TRY(new_items(call, type.length - 1, &items));
    for (int64_t i = 0; items != NULL && i + 1 < type.length; i++) {
      items[i] = type.items[i < at ? i : i + 1];
    }
  }
  type.items = items;
  type.length = type.length < 0 ? -1 : type.length - 1;
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_sequence_at(memplan_call *call) {
  memplan_onnx_type type;
  MEMPLAN_TRY(sequence_input(call, 0, &type));
  int64_t at = -1;
  MEMPLAN_TRY(position(call, 1, type.length, false, -1, &at));
  memplan_onnx_type element = element_type(&type);
  if (type.items != NULL && at >= 0) {
    element = type.items[at].type;
    if (memplan_call_wants(call, 0)) {
      call->out_data[0] = type.items[at].data;
    }
  }
  memplan_call_set_type(call, 0, &element);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_sequence_length(memplan_call *call) { return memplan_shape_size(call); }

// The shape of the concatenation if the elements are known one by one, else if they are all alike.
static memplan_status joined(memplan_call *call, const memplan_onnx_type *type, int64_t axis, bool new_axis,
                             memplan_dims *out) {
  *out = memplan_dims_of(type->items != NULL && type->length > 0 ? &type->items[0].type : type);
  if (out->rank < 0) {
    return MEMPLAN_OK;
  }
  int32_t at = 0;
  MEMPLAN_TRY(memplan_call_axis(call, axis, out->rank + (new_axis ? 1 : 0), &at));
  if (new_axis) {
    MEMPLAN_TRY(memplan_call_append(call, out, 0));
    for (int32_t d = out->rank - 1; d > at; d--) {
      out->at[d] = out->at[d - 1];
    }
    out->at[at] = type->length;
    return MEMPLAN_OK;
  }
  if (type->items == NULL) {
    out->at[at] = memplan_dim_mul(out->at[at], type->length);
    return MEMPLAN_OK;
  }
  for (int64_t i = 1; i < type->length; i++) {
    memplan_dims next = memplan_dims_of(&type->items[i].type);
    if (next.rank != out->rank) {
      *out = memplan_dims_none();
      return MEMPLAN_OK;
    }
    out->at[at] = memplan_dim_add(out->at[at], next.at[at]);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_concat_from_sequence(memplan_call *call) {
  memplan_onnx_type type;
  MEMPLAN_TRY(sequence_input(call, 0, &type));
  int64_t axis = 0;
  int64_t new_axis = 0;
  MEMPLAN_TRY(memplan_call_int_required(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_int(call, "new_axis", &new_axis));
  if (type.length == 0) {
    return memplan_call_fail(call, "the sequence is empty");
  }
  memplan_dims out;
  MEMPLAN_TRY(joined(call, &type, axis, new_axis != 0, &out));
  return memplan_call_set(call, 0, type.elem_type, &out);
}

// Sizes of the pieces along the axis: *each for all of them, or one by one in `sizes`.
static memplan_status piece_sizes(memplan_call *call, int64_t whole, memplan_list *sizes, int64_t *each,
                                  int64_t *pieces) {
  *each = -1;
  *pieces = -1;
  if (!memplan_call_has(call, 1)) {
    *each = 1;
    *pieces = whole;
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_call_list(call, 1, sizes));
  if (memplan_call_type(call, 1)->rank == 0) {
    if (memplan_list_known(sizes, 0)) {
      MEMPLAN_TRY(memplan_call_entry(call, sizes, 0, 1, each));
      *pieces = whole < 0 ? -1 : whole / *each + (whole % *each != 0 ? 1 : 0);
    }
  } else if (memplan_call_type(call, 1)->rank == 1) {
    *pieces = sizes->count;
  }
  return MEMPLAN_OK;
}

// Shape of the pieces along axis `at`, and how large piece i is.
typedef struct pieces {
  memplan_dims shape;
  int32_t at;
  int64_t whole;
  int64_t each; // -1: as `sizes` says
  memplan_list sizes;
  bool single; // keepdims = 0: the axis is gone
} pieces;

static memplan_status keep_pieces(memplan_call *call, pieces *how, memplan_onnx_type *type) {
  memplan_onnx_item *items = NULL;
  if (how->each >= 0 || memplan_list_complete(&how->sizes)) {
    MEMPLAN_TRY(new_items(call, type->length, &items));
  }
  for (int64_t i = 0; items != NULL && i < type->length; i++) {
    if (!how->single && how->each < 0) {
      MEMPLAN_TRY(memplan_call_entry(call, &how->sizes, i, 0, &how->shape.at[how->at]));
    } else if (!how->single) {
      int64_t left = how->whole - i * how->each;
      how->shape.at[how->at] = left < how->each ? left : how->each;
    }
    if (!memplan_type_tensor(&items[i].type, type->elem_type, &how->shape, &call->model->arena)) {
      return memplan_fail_nomem(call->error);
    }
    MEMPLAN_TRY(widen(call, type, &items[i].type, i == 0));
  }
  type->items = items;
  return MEMPLAN_OK;
}

memplan_status memplan_shape_split_to_sequence(memplan_call *call) {
  pieces how = {.sizes = {.count = -1}};
  MEMPLAN_TRY(memplan_call_dims(call, 0, &how.shape));
  int64_t axis = 0;
  int64_t keepdims = 1;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_int(call, "keepdims", &keepdims));
  memplan_onnx_type type = sequence_type(-1);
  type.elem_type = memplan_call_elem(call, 0);
  if (how.shape.rank >= 0) {
    MEMPLAN_TRY(memplan_call_axis(call, axis, how.shape.rank, &how.at));
    how.whole = how.shape.at[how.at];
    how.single = keepdims == 0 && !memplan_call_has(call, 1);
    MEMPLAN_TRY(piece_sizes(call, how.whole, &how.sizes, &how.each, &type.length));
    if (how.single) {
      for (int32_t d = how.at; d + 1 < how.shape.rank; d++) {
        how.shape.at[d] = how.shape.at[d + 1];
      }
      how.shape.rank--;
    } else {
      bool even = how.each > 0 && how.whole >= 0 && how.whole % how.each == 0;
      how.shape.at[how.at] = even ? how.each : -1;
    }
    memplan_onnx_type element;
    if (!memplan_type_tensor(&element, type.elem_type, &how.shape, &call->model->arena)) {
      return memplan_fail_nomem(call->error);
    }
    MEMPLAN_TRY(widen(call, &type, &element, true));
    MEMPLAN_TRY(keep_pieces(call, &how, &type));
  }
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_identity(memplan_call *call) {
  memplan_call_set_type(call, 0, memplan_call_type(call, 0));
  return MEMPLAN_OK;
}

memplan_status memplan_shape_optional(memplan_call *call) {
  const memplan_onnx_type *given = memplan_call_type(call, 0);
  memplan_onnx_type type = {.kind = MEMPLAN_ONNX_KIND_OPTIONAL, .rank = -1, .length = -1};
  if (given == NULL) {
    const memplan_onnx_attribute *element = memplan_onnx_attribute_find(call->node, "type");
    given = element != NULL ? &element->type_proto : NULL;
  }
  if (given != NULL) {
    type = *given;
    type.kind = MEMPLAN_ONNX_KIND_OPTIONAL;
    type.element_kind = given->kind;
  }
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_optional_get(memplan_call *call) {
  const memplan_onnx_type *given = memplan_call_type(call, 0);
  if (given != NULL && given->kind == MEMPLAN_ONNX_KIND_OPTIONAL) {
    memplan_onnx_type type = *given;
    type.kind = given->element_kind;
    type.element_kind = type.kind == MEMPLAN_ONNX_KIND_SEQUENCE ? MEMPLAN_ONNX_KIND_TENSOR : MEMPLAN_ONNX_KIND_UNKNOWN;
    memplan_call_set_type(call, 0, &type);
  } else {
    memplan_call_set_type(call, 0, given);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_optional_has(memplan_call *call) { return memplan_shape_scalar_bool(call); }
