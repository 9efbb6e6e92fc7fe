// SPDX-License-Identifier: Apache-2.0
// Access to the parts of a node, and dimension arithmetic in which -1 means unknown.
#include "instances/onnx_shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool memplan_list_known(const memplan_list *list, int64_t i) {
  return list->values != NULL && i >= 0 && i < list->count && (list->known == NULL || list->known[i] != 0);
}

bool memplan_list_complete(const memplan_list *list) {
  if (!list->present || list->count < 0) {
    return false;
  }
  for (int64_t i = 0; i < list->count; i++) {
    if (!memplan_list_known(list, i)) {
      return false;
    }
  }
  return true;
}

// Appends formatted text to a fixed buffer, cutting it at the end.
typedef struct text_buffer {
  char text[512];
  size_t used;
} text_buffer;

static void add_text(text_buffer *buffer, const char *format, ...) MEMPLAN_PRINTF(2, 3);

static void add_text(text_buffer *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(buffer->text + buffer->used, sizeof buffer->text - buffer->used, format, arguments);
  va_end(arguments);
  if (length > 0) {
    size_t rest = sizeof buffer->text - 1 - buffer->used;
    buffer->used += (size_t)length < rest ? (size_t)length : rest;
  }
}

static void describe_type(text_buffer *buffer, const memplan_onnx_type *type) {
  static const char *const kinds[] = {"?", "", "sequence of ", "optional ", "map", "sparse "};
  const char *dtype = memplan_dtype_name(memplan_onnx_dtype(type->elem_type));
  add_text(buffer, "%s%s", kinds[type->kind], dtype != NULL ? dtype : "?");
  if (type->rank < 0) {
    add_text(buffer, "[...]");
    return;
  }
  add_text(buffer, "[");
  for (int32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] < 0) {
      add_text(buffer, "%s?", d > 0 ? "," : "");
    } else {
      add_text(buffer, "%s%lld", d > 0 ? "," : "", (long long)type->dims[d]);
    }
  }
  add_text(buffer, "]");
}

memplan_status memplan_call_fail(memplan_call *call, const char *format, ...) {
  const memplan_onnx_node *node = call->node;
  text_buffer inputs = {.used = 0};
  for (int32_t k = 0; k < node->n_in && inputs.used + 1 < sizeof inputs.text; k++) {
    const memplan_onnx_type *type = memplan_call_type(call, k);
    add_text(&inputs, k > 0 ? ", " : "");
    if (type == NULL) {
      add_text(&inputs, "none");
    } else {
      describe_type(&inputs, type);
    }
  }
  char reason[320];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  const char *name = node->name[0] != '\0' ? node->name : "";
  if (name[0] == '\0' && node->n_out > 0 && node->out[0] >= 0) {
    name = call->model->values[node->out[0]].name;
  }
  return memplan_fail(call->error, MEMPLAN_INPUT, "%s '%.120s' (inputs: %s): %s", node->op_type, name,
                      inputs.used > 0 ? inputs.text : "none", reason);
}

bool memplan_call_has(const memplan_call *call, int32_t k) {
  return k >= 0 && k < call->node->n_in && call->node->in[k] >= 0;
}

bool memplan_call_wants(const memplan_call *call, int32_t k) {
  return k >= 0 && k < call->node->n_out && call->node->out[k] >= 0;
}

const memplan_onnx_type *memplan_call_type(const memplan_call *call, int32_t k) {
  return memplan_call_has(call, k) ? &call->model->values[call->node->in[k]].type : NULL;
}

int32_t memplan_call_elem(const memplan_call *call, int32_t k) {
  const memplan_onnx_type *type = memplan_call_type(call, k);
  return type != NULL ? type->elem_type : 0;
}

const memplan_onnx_data *memplan_call_data(const memplan_call *call, int32_t k) {
  if (!memplan_call_has(call, k)) {
    return NULL;
  }
  const memplan_onnx_data *data = &call->model->values[call->node->in[k]].data;
  return data->ints != NULL || data->reals != NULL ? data : NULL;
}

memplan_status memplan_call_dims(memplan_call *call, int32_t k, memplan_dims *dims) {
  *dims = memplan_dims_none();
  const memplan_onnx_type *type = memplan_call_type(call, k);
  if (type == NULL) {
    return memplan_call_fail(call, "input %d is missing", (int)k);
  }
  if (type->kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    return MEMPLAN_OK;
  }
  if (type->kind != MEMPLAN_ONNX_KIND_TENSOR && type->kind != MEMPLAN_ONNX_KIND_SPARSE) {
    return memplan_call_fail(call, "input %d is not a tensor", (int)k);
  }
  *dims = memplan_dims_of(type);
  return MEMPLAN_OK;
}

memplan_status memplan_call_dims_ranked(memplan_call *call, int32_t k, int32_t least, int32_t most,
                                        memplan_dims *dims) {
  MEMPLAN_TRY(memplan_call_dims(call, k, dims));
  if (dims->rank >= 0 && (dims->rank < least || dims->rank > most)) {
    if (least == most) {
      return memplan_call_fail(call, "input %d has rank %d, not %d", (int)k, (int)dims->rank, (int)least);
    }
    return memplan_call_fail(call, "input %d has rank %d, not one from %d to %d", (int)k, (int)dims->rank, (int)least,
                             (int)most);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_call_list(memplan_call *call, int32_t k, memplan_list *list) {
  *list = (memplan_list){.count = -1};
  if (!memplan_call_has(call, k)) {
    return MEMPLAN_OK;
  }
  list->present = true;
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, k, 0, 1, &dims));
  if (dims.rank < 0) {
    return MEMPLAN_OK;
  }
  list->count = dims.rank == 0 ? 1 : dims.at[0];
  const memplan_onnx_data *data = memplan_call_data(call, k);
  if (data != NULL && data->ints == NULL) {
    return memplan_call_fail(call, "input %d must hold integers", (int)k);
  }
  if (data != NULL && data->count == list->count) {
    list->values = data->ints;
    list->known = data->known;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_call_entry(memplan_call *call, const memplan_list *list, int64_t i, int64_t least,
                                  int64_t *value) {
  *value = -1;
  if (memplan_list_known(list, i)) {
    if (list->values[i] < least) {
      return memplan_call_fail(call, "%lld where at least %lld is needed", (long long)list->values[i],
                               (long long)least);
    }
    *value = list->values[i];
  }
  return MEMPLAN_OK;
}

bool memplan_call_scalar(const memplan_call *call, int32_t k, int64_t *value) {
  const memplan_onnx_data *data = memplan_call_data(call, k);
  if (data == NULL || data->ints == NULL || data->count != 1 || (data->known != NULL && data->known[0] == 0)) {
    return false;
  }
  *value = data->ints[0];
  return true;
}

static memplan_status find_attribute(memplan_call *call, const char *name, int32_t type,
                                     const memplan_onnx_attribute **attribute) {
  *attribute = memplan_onnx_attribute_find(call->node, name);
  if (*attribute == NULL || (*attribute)->type == type) {
    return MEMPLAN_OK;
  }
  const char *const names[] = {[MEMPLAN_ONNX_ATTRIBUTE_FLOAT] = "a number",
                               [MEMPLAN_ONNX_ATTRIBUTE_INT] = "an integer",
                               [MEMPLAN_ONNX_ATTRIBUTE_STRING] = "a string",
                               [MEMPLAN_ONNX_ATTRIBUTE_FLOATS] = "a list of numbers",
                               [MEMPLAN_ONNX_ATTRIBUTE_INTS] = "a list of integers"};
  return memplan_call_fail(call, "attribute '%.60s' must be %s", name, names[type]);
}

bool memplan_call_has_attribute(const memplan_call *call, const char *name) {
  return memplan_onnx_attribute_find(call->node, name) != NULL;
}

memplan_status memplan_call_int(memplan_call *call, const char *name, int64_t *value) {
  const memplan_onnx_attribute *attribute = NULL;
  MEMPLAN_TRY(find_attribute(call, name, MEMPLAN_ONNX_ATTRIBUTE_INT, &attribute));
  if (attribute != NULL) {
    *value = attribute->i;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_call_ints(memplan_call *call, const char *name, memplan_list *list) {
  static const int64_t nothing = 0;
  *list = (memplan_list){.count = -1};
  const memplan_onnx_attribute *attribute = NULL;
  MEMPLAN_TRY(find_attribute(call, name, MEMPLAN_ONNX_ATTRIBUTE_INTS, &attribute));
  if (attribute != NULL) {
    *list = (memplan_list){.present = true, .count = attribute->n_ints, .values = attribute->ints};
    if (list->values == NULL) {
      list->count = 0;
      list->values = &nothing;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_call_text(memplan_call *call, const char *name, const char **value) {
  const memplan_onnx_attribute *attribute = NULL;
  MEMPLAN_TRY(find_attribute(call, name, MEMPLAN_ONNX_ATTRIBUTE_STRING, &attribute));
  if (attribute != NULL && attribute->s != NULL) {
    *value = attribute->s;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_call_floats(memplan_call *call, const char *name, const float **values, int64_t *count) {
  const memplan_onnx_attribute *attribute = NULL;
  MEMPLAN_TRY(find_attribute(call, name, MEMPLAN_ONNX_ATTRIBUTE_FLOATS, &attribute));
  if (attribute != NULL) {
    *values = attribute->floats;
    *count = attribute->floats != NULL ? attribute->n_floats : 0;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_call_int_required(memplan_call *call, const char *name, int64_t *value) {
  if (!memplan_call_has_attribute(call, name)) {
    return memplan_call_fail(call, "attribute '%.60s' is missing", name);
  }
  return memplan_call_int(call, name, value);
}

memplan_status memplan_call_ints_required(memplan_call *call, const char *name, memplan_list *list) {
  if (!memplan_call_has_attribute(call, name)) {
    return memplan_call_fail(call, "attribute '%.60s' is missing", name);
  }
  return memplan_call_ints(call, name, list);
}

memplan_status memplan_call_list_since(memplan_call *call, const char *name, int32_t k, int64_t since,
                                       memplan_list *list) {
  return call->opset >= since ? memplan_call_list(call, k, list) : memplan_call_ints(call, name, list);
}

memplan_status memplan_call_set(memplan_call *call, int32_t k, int32_t elem_type, const memplan_dims *dims) {
  if (!memplan_call_wants(call, k)) {
    return MEMPLAN_OK;
  }
  if (!memplan_type_tensor(&call->out[k], elem_type, dims, &call->model->arena)) {
    return memplan_fail_nomem(call->error);
  }
  return MEMPLAN_OK;
}

void memplan_call_set_type(memplan_call *call, int32_t k, const memplan_onnx_type *type) {
  if (memplan_call_wants(call, k) && type != NULL) {
    call->out[k] = *type;
  }
}

memplan_status memplan_call_same(memplan_call *call, int32_t k, int32_t from) {
  return memplan_call_same_as(call, k, from, memplan_call_elem(call, from));
}

memplan_status memplan_call_same_as(memplan_call *call, int32_t k, int32_t from, int32_t elem_type) {
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims(call, from, &dims));
  return memplan_call_set(call, k, elem_type, &dims);
}

memplan_dims memplan_dims_none(void) { return (memplan_dims){.rank = -1}; }

memplan_dims memplan_dims_unknown(int32_t rank) {
  memplan_dims dims = {.rank = rank};
  for (int32_t d = 0; d < rank; d++) {
    dims.at[d] = -1;
  }
  return dims;
}

memplan_dims memplan_dims_make(int32_t rank, const int64_t *at) {
  memplan_dims dims = {.rank = rank};
  for (int32_t d = 0; d < rank; d++) {
    dims.at[d] = at[d] < 0 ? -1 : at[d];
  }
  return dims;
}

memplan_dims memplan_dims_of(const memplan_onnx_type *type) {
  if (type == NULL || type->rank < 0 || type->rank > MEMPLAN_ONNX_MAX_RANK) {
    return memplan_dims_none();
  }
  return memplan_dims_make(type->rank, type->dims);
}

int64_t memplan_dim_add(int64_t a, int64_t b) {
  if (a < 0 || b < 0) {
    return -1;
  }
  return a > MEMPLAN_DIM_LIMIT - b ? MEMPLAN_DIM_LIMIT : a + b;
}

int64_t memplan_dim_mul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) {
    return 0;
  }
  if (a < 0 || b < 0) {
    return -1;
  }
  return a > MEMPLAN_DIM_LIMIT / b ? MEMPLAN_DIM_LIMIT : a * b;
}

int64_t memplan_dims_product(const memplan_dims *dims, int32_t from, int32_t to) {
  bool unknown = false;
  int64_t product = 1;
  for (int32_t d = from; d < to; d++) {
    if (dims->at[d] == 0) {
      return 0;
    }
    if (dims->at[d] < 0) {
      unknown = true;
    } else {
      product = memplan_dim_mul(product, dims->at[d]);
    }
  }
  return unknown ? -1 : product;
}

int64_t memplan_dims_count(const memplan_dims *dims) {
  return dims->rank < 0 ? -1 : memplan_dims_product(dims, 0, dims->rank);
}

bool memplan_dims_known(const memplan_dims *dims) {
  for (int32_t d = 0; d < dims->rank; d++) {
    if (dims->at[d] < 0) {
      return false;
    }
  }
  return dims->rank >= 0;
}

memplan_status memplan_call_append(memplan_call *call, memplan_dims *dims, int64_t value) {
  if (dims->rank < 0 || dims->rank >= MEMPLAN_ONNX_MAX_RANK) {
    return memplan_call_fail(call, "more than %d dimensions", MEMPLAN_ONNX_MAX_RANK);
  }
  dims->at[dims->rank++] = value < 0 ? -1 : value;
  return MEMPLAN_OK;
}

memplan_dims memplan_dims_meet(const memplan_dims *a, const memplan_dims *b) {
  if (a->rank < 0 || a->rank != b->rank) {
    return memplan_dims_none();
  }
  memplan_dims dims = *a;
  for (int32_t d = 0; d < a->rank; d++) {
    if (a->at[d] != b->at[d]) {
      dims.at[d] = -1;
    }
  }
  return dims;
}

bool memplan_dims_equal(const memplan_dims *a, const memplan_dims *b) {
  return a->rank == b->rank && (a->rank <= 0 || memcmp(a->at, b->at, (size_t)a->rank * sizeof a->at[0]) == 0);
}

memplan_status memplan_call_broadcast(memplan_call *call, const memplan_dims *a, const memplan_dims *b,
                                      memplan_dims *out) {
  if (a->rank < 0 || b->rank < 0) {
    *out = memplan_dims_none();
    return MEMPLAN_OK;
  }
  int32_t rank = a->rank > b->rank ? a->rank : b->rank;
  memplan_dims dims = {.rank = rank};
  for (int32_t d = 0; d < rank; d++) {
    int32_t in_a = d - (rank - a->rank);
    int32_t in_b = d - (rank - b->rank);
    int64_t x = in_a >= 0 ? a->at[in_a] : 1;
    int64_t y = in_b >= 0 ? b->at[in_b] : 1;
    if (x == y || y == 1) {
      dims.at[d] = x;
    } else if (x == 1) {
      dims.at[d] = y;
    } else if (x < 0 || y < 0) {
      dims.at[d] = x < 0 ? y : x;
    } else {
      return memplan_call_fail(call, "the shapes cannot be broadcast: %lld against %lld", (long long)x, (long long)y);
    }
  }
  *out = dims;
  return MEMPLAN_OK;
}

memplan_status memplan_call_axis(memplan_call *call, int64_t axis, int32_t rank, int32_t *out) {
  if (axis < -(int64_t)rank || axis >= rank) {
    return memplan_call_fail(call, "axis %lld is outside a tensor of rank %d", (long long)axis, (int)rank);
  }
  *out = (int32_t)(axis < 0 ? axis + rank : axis);
  return MEMPLAN_OK;
}

memplan_status memplan_call_axes(memplan_call *call, const memplan_list *axes, int32_t rank, bool *marks) {
  memset(marks, 0, (size_t)rank * sizeof *marks);
  for (int64_t i = 0; i < axes->count; i++) {
    int32_t axis = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axes->values[i], rank, &axis));
    if (marks[axis]) {
      return memplan_call_fail(call, "axis %lld is given twice", (long long)axes->values[i]);
    }
    marks[axis] = true;
  }
  return MEMPLAN_OK;
}

bool memplan_type_tensor(memplan_onnx_type *type, int32_t elem_type, const memplan_dims *dims, memplan_arena *arena) {
  int64_t *at = NULL;
  if (dims->rank > 0) {
    at = MEMPLAN_NEW(arena, int64_t, dims->rank);
    if (at == NULL) {
      return false;
    }
    memcpy(at, dims->at, (size_t)dims->rank * sizeof *at);
  }
  *type = (memplan_onnx_type){
      .kind = MEMPLAN_ONNX_KIND_TENSOR, .elem_type = elem_type, .rank = dims->rank, .dims = at, .length = -1};
  return true;
}

bool memplan_type_meet(const memplan_onnx_type *a, const memplan_onnx_type *b, memplan_arena *arena,
                       memplan_onnx_type *out) {
  // An empty sequence says nothing of its elements.
  const memplan_onnx_type *left = a;
  const memplan_onnx_type *right = b;
  if (a->kind == MEMPLAN_ONNX_KIND_SEQUENCE && b->kind == MEMPLAN_ONNX_KIND_SEQUENCE) {
    left = a->length == 0 ? b : a;
    right = b->length == 0 ? a : b;
  }
  memplan_dims first = memplan_dims_of(left);
  memplan_dims second = memplan_dims_of(right);
  memplan_dims dims = memplan_dims_meet(&first, &second);
  memplan_onnx_type type;
  if (!memplan_type_tensor(&type, left->elem_type == right->elem_type ? left->elem_type : 0, &dims, arena)) {
    return false;
  }
  type.kind = a->kind == b->kind ? a->kind : MEMPLAN_ONNX_KIND_UNKNOWN;
  type.element_kind = left->element_kind == right->element_kind ? left->element_kind : MEMPLAN_ONNX_KIND_UNKNOWN;
  type.length = a->length == b->length ? a->length : -1;
  type.items = a->items == b->items && a->length == b->length ? a->items : NULL;
  *out = type;
  return true;
}
