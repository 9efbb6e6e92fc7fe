// SPDX-License-Identifier: Apache-2.0
// Inputs that are fully known are inputs or constants of the model; the others come from a node of an unknown operator,
// whose declared type is all that inference has of them.
#include "tests/support/onnx_case.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { most_values = 24 };

// A value as the text says it.
typedef struct parsed {
  bool present;
  memplan_onnx_type type;
  memplan_onnx_data data;
} parsed;

static const char *const type_names[] = {
    [1] = "f32",  [2] = "u8",   [3] = "i8",   [4] = "u16",  [5] = "i16",  [6] = "i32",  [7] = "i64",  [8] = "str",
    [9] = "bool", [10] = "f16", [11] = "f64", [12] = "u32", [13] = "u64", [14] = "c64", [16] = "bf16"};

static int32_t parse_type_name(const char **text) {
  for (int32_t i = 1; i < (int32_t)(sizeof type_names / sizeof type_names[0]); i++) {
    size_t n = type_names[i] != NULL ? strlen(type_names[i]) : 0;
    if (n > 0 && strncmp(*text, type_names[i], n) == 0 && (*text)[n] == '[') {
      *text += n;
      return i;
    }
  }
  assert_int_equal(**text, '?');
  (*text)++;
  return 0;
}

static bool is_real(int32_t elem_type) {
  return elem_type == 1 || elem_type == 10 || elem_type == 11 || elem_type == 16;
}

static void parse_dims(memplan_arena *arena, const char **text, memplan_onnx_type *type) {
  int64_t *dims = MEMPLAN_NEW(arena, int64_t, MEMPLAN_ONNX_MAX_RANK);
  assert_non_null(dims);
  assert_int_equal(**text, '[');
  (*text)++;
  type->dims = dims;
  type->rank = 0;
  if (strncmp(*text, "...", 3) == 0) {
    type->rank = -1;
    *text += 3;
  }
  while (**text != ']') {
    char *end = NULL;
    dims[type->rank] = **text == '?' ? -1 : strtoll(*text, &end, 10);
    *text = end != NULL ? end : *text + 1;
    type->rank++;
    *text += **text == ',' ? 1 : 0;
  }
  (*text)++;
}

static void parse_data(memplan_arena *arena, const char **text, parsed *value) {
  if (strncmp(*text, "={", 2) != 0) {
    return;
  }
  int64_t *ints = MEMPLAN_NEW(arena, int64_t, 64);
  double *reals = MEMPLAN_NEW(arena, double, 64);
  uint8_t *known = MEMPLAN_NEW(arena, uint8_t, 64);
  assert_true(ints != NULL && reals != NULL && known != NULL);
  bool all = true;
  int64_t n = 0;
  for (*text += 2; **text != '}'; n++) {
    char *end = NULL;
    known[n] = **text != '?';
    all = all && known[n] != 0;
    if (known[n] == 0) {
      (*text)++;
    } else if (is_real(value->type.elem_type)) {
      reals[n] = strtod(*text, &end);
      *text = end;
    } else {
      ints[n] = strtoll(*text, &end, 10);
      *text = end;
    }
    *text += **text == ',' ? 1 : 0;
  }
  (*text)++;
  value->data = (memplan_onnx_data){.count = n, .known = all ? NULL : known};
  if (is_real(value->type.elem_type)) {
    value->data.reals = reals;
  } else {
    value->data.ints = ints;
  }
}

static parsed parse_value(memplan_arena *arena, const char **text) {
  parsed value = {.present = true, .type = {.kind = MEMPLAN_ONNX_KIND_TENSOR, .length = -1}};
  bool sequence = strncmp(*text, "seq(", 4) == 0;
  bool optional = strncmp(*text, "opt(", 4) == 0;
  if (**text == '-') {
    (*text)++;
    return (parsed){.present = false};
  }
  *text += sequence || optional ? 4 : 0;
  value.type.elem_type = parse_type_name(text);
  parse_dims(arena, text, &value.type);
  if (sequence || optional) {
    value.type.kind = sequence ? MEMPLAN_ONNX_KIND_SEQUENCE : MEMPLAN_ONNX_KIND_OPTIONAL;
    value.type.element_kind = MEMPLAN_ONNX_KIND_TENSOR;
    assert_int_equal(*(*text)++, ')');
  }
  if (sequence) {
    assert_int_equal(*(*text)++, '*');
    char *end = NULL;
    value.type.length = **text == '?' ? -1 : strtoll(*text, &end, 10);
    *text = end != NULL ? end : *text + 1;
  }
  parse_data(arena, text, &value);
  return value;
}

static int32_t parse_values(memplan_arena *arena, const char *text, parsed *values) {
  int32_t n = 0;
  while (true) {
    text += strspn(text, " ");
    if (*text == '\0') {
      return n;
    }
    assert_true(n < most_values);
    values[n++] = parse_value(arena, &text);
  }
}

// Numbers separated by commas; with a point in them they are reals.
static void parse_numbers(memplan_arena *arena, const char **text, memplan_onnx_attribute *attribute) {
  int64_t *ints = MEMPLAN_NEW(arena, int64_t, 64);
  float *floats = MEMPLAN_NEW(arena, float, 64);
  assert_true(ints != NULL && floats != NULL);
  size_t length = strcspn(*text, " ");
  bool reals = memchr(*text, '.', length) != NULL;
  bool list = memchr(*text, ',', length) != NULL;
  const char *end = *text + length;
  int64_t n = 0;
  while (*text < end) {
    char *next = NULL;
    if (reals) {
      floats[n] = strtof(*text, &next);
    } else {
      ints[n] = strtoll(*text, &next, 10);
    }
    *text = next < end && *next == ',' ? next + 1 : next;
    n++;
  }
  if (reals) {
    attribute->type = list ? MEMPLAN_ONNX_ATTRIBUTE_FLOATS : MEMPLAN_ONNX_ATTRIBUTE_FLOAT;
  } else {
    attribute->type = list ? MEMPLAN_ONNX_ATTRIBUTE_INTS : MEMPLAN_ONNX_ATTRIBUTE_INT;
  }
  attribute->f = floats[0];
  attribute->i = ints[0];
  attribute->floats = floats;
  attribute->ints = ints;
  attribute->n_floats = reals ? n : 0;
  attribute->n_ints = reals ? 0 : n;
}

static int32_t parse_attributes(memplan_arena *arena, const char *text, memplan_onnx_attribute *attributes) {
  int32_t n = 0;
  while (true) {
    text += strspn(text, " ");
    if (*text == '\0') {
      return n;
    }
    assert_true(n < most_values);
    memplan_onnx_attribute *attribute = &attributes[n++];
    *attribute = (memplan_onnx_attribute){.graph = -1};
    size_t length = strcspn(text, "=");
    attribute->name = memplan_arena_text(arena, text, length);
    text += length + 1;
    if (*text == '"') {
      length = strcspn(text + 1, "\"");
      attribute->type = MEMPLAN_ONNX_ATTRIBUTE_STRING;
      attribute->s = memplan_arena_text(arena, text + 1, length);
      text += length + 2;
    } else if (*text == '<') {
      // A list of strings, of which only the number matters.
      length = strcspn(text, ">");
      attribute->type = MEMPLAN_ONNX_ATTRIBUTE_STRINGS;
      attribute->n_strings = strtoll(text + 1, NULL, 10);
      text += length + 1;
    } else if (isalpha((unsigned char)*text)) {
      parsed value = parse_value(arena, &text);
      attribute->type = MEMPLAN_ONNX_ATTRIBUTE_TENSOR;
      attribute->tensor = value.type;
      attribute->tensor_data = value.data;
    } else {
      parse_numbers(arena, &text, attribute);
    }
  }
}

static bool is_known(const memplan_onnx_type *type) {
  for (int32_t d = 0; d < type->rank; d++) {
    if (type->dims[d] < 0) {
      return false;
    }
  }
  return type->rank >= 0;
}

// A node of an operator that nobody knows, for the values whose types are not fully known.
static memplan_onnx_node source_node(const int32_t *out, int32_t n) {
  return (memplan_onnx_node){.name = "", .op_type = "Source", .domain = "test", .out = out, .n_out = n};
}

static void fill_model(const onnx_case *row, const parsed *in, int32_t n_in, int32_t n_out, memplan_onnx_model *model) {
  memplan_arena *arena = &model->arena;
  memplan_onnx_graph *graph = MEMPLAN_NEW(arena, memplan_onnx_graph, 1);
  memplan_onnx_node *nodes = MEMPLAN_NEW(arena, memplan_onnx_node, 2);
  int32_t *numbers = MEMPLAN_NEW(arena, int32_t, 4 * most_values);
  memplan_onnx_attribute *attributes = MEMPLAN_NEW(arena, memplan_onnx_attribute, most_values);
  model->values = MEMPLAN_NEW(arena, memplan_onnx_value, n_in + n_out);
  assert_true(graph != NULL && nodes != NULL && numbers != NULL && attributes != NULL && model->values != NULL);
  int32_t *node_in = numbers;
  int32_t *node_out = numbers + most_values;
  int32_t *inputs = numbers + 2 * most_values;
  int32_t *sourced = numbers + 3 * most_values;
  int32_t n_sourced = 0;
  for (int32_t k = 0; k < n_in; k++) {
    node_in[k] = in[k].present ? k : -1;
    bool constant = in[k].data.ints != NULL || in[k].data.reals != NULL;
    bool known = in[k].present && is_known(&in[k].type) && (!constant || in[k].data.known == NULL);
    model->values[k] = (memplan_onnx_value){.name = "in",
                                            .type = in[k].type,
                                            .data = in[k].data,
                                            .is_constant = constant && known,
                                            .is_initializer = constant && known,
                                            .node = known || !in[k].present ? -1 : 0};
    if (!in[k].present) {
      model->values[k].type = (memplan_onnx_type){.rank = -1, .length = -1};
    } else if (!known) {
      sourced[n_sourced++] = k;
    } else if (!constant) {
      inputs[graph->n_inputs++] = k;
    }
  }
  for (int32_t k = 0; k < n_out; k++) {
    node_out[k] = n_in + k;
    model->values[n_in + k] = (memplan_onnx_value){.name = "out", .type = {.rank = -1, .length = -1}, .node = 1};
  }
  const char *colon = strrchr(row->op, ':');
  nodes[0] = source_node(sourced, n_sourced);
  nodes[1] =
      (memplan_onnx_node){.name = "node",
                          .op_type = colon != NULL ? colon + 1 : row->op,
                          .domain = colon != NULL ? memplan_arena_text(arena, row->op, (size_t)(colon - row->op)) : "",
                          .opset = row->opset,
                          .in = node_in,
                          .out = node_out,
                          .n_in = n_in,
                          .n_out = n_out,
                          .attributes = attributes,
                          .n_attributes = parse_attributes(arena, row->attributes, attributes)};
  graph->name = "";
  graph->nodes = nodes;
  graph->n_nodes = 2;
  graph->inputs = inputs;
  graph->outputs = node_out;
  graph->n_outputs = n_out;
  graph->outer = -1;
  model->graphs = graph;
  model->n_graphs = 1;
  model->n_values = n_in + n_out;
  model->producer = "";
}

memplan_status onnx_case_infer(const onnx_case *row, int32_t n_out, memplan_onnx_model *model, memplan_error *error) {
  static const int32_t order[] = {0, 1};
  static const int32_t *const orders[] = {order};
  *model = (memplan_onnx_model){.n_values = 0};
  memplan_arena_init(&model->arena);
  parsed in[most_values];
  int32_t n_in = parse_values(&model->arena, row->in, in);
  fill_model(row, in, n_in, n_out, model);
  memplan_problem_options options = memplan_problem_options_default();
  return memplan_onnx_infer(model, orders, &options, error);
}

static void expect_type(const onnx_case *row, int32_t k, const memplan_onnx_type *got, const memplan_onnx_type *want) {
  bool same = got->kind == want->kind && got->elem_type == want->elem_type && got->rank == want->rank &&
              got->length == want->length;
  for (int32_t d = 0; same && d < want->rank; d++) {
    same = got->dims[d] == want->dims[d];
  }
  if (!same) {
    char text[256] = "";
    size_t used = 0;
    for (int32_t d = 0; d < got->rank && used < sizeof text - 24; d++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%" PRId64 ",", got->dims[d]);
    }
    fail_msg("%s-%d (%s) (%s): output %d is kind %d, type %d, rank %d [%s], length %d", row->op, (int)row->opset,
             row->in, row->attributes, (int)k, (int)got->kind, (int)got->elem_type, (int)got->rank, text,
             (int)got->length);
  }
}

static void expect_data(const onnx_case *row, int32_t k, const memplan_onnx_data *got, const memplan_onnx_data *want) {
  bool same = got->count == want->count && (got->ints == NULL) == (want->ints == NULL) &&
              (got->reals == NULL) == (want->reals == NULL);
  for (int64_t i = 0; same && i < want->count; i++) {
    bool known = want->known == NULL || want->known[i] != 0;
    same = known == (got->known == NULL || got->known[i] != 0);
    if (same && known) {
      same = want->ints != NULL ? want->ints[i] == got->ints[i]
                                : fabs(want->reals[i] - got->reals[i]) <= 1e-6 * fabs(want->reals[i]);
    }
    if (!same) {
      fail_msg("%s-%d (%s) (%s): entry %d of output %d is %s, %d or %g", row->op, (int)row->opset, row->in,
               row->attributes, (int)i, (int)k, got->known == NULL || got->known[i] != 0 ? "known" : "unknown",
               got->ints != NULL ? (int)got->ints[i] : 0, got->reals != NULL ? got->reals[i] : 0.0);
    }
  }
  if (!same) {
    fail_msg("%s-%d (%s) (%s): output %d has %d entries of data, or of another class", row->op, (int)row->opset,
             row->in, row->attributes, (int)k, (int)got->count);
  }
}

void onnx_case_check(const onnx_case *row) {
  memplan_arena arena;
  memplan_arena_init(&arena);
  parsed want[most_values];
  bool refused = row->out[0] == '!';
  int32_t n_out = refused ? 1 : parse_values(&arena, row->out, want);
  memplan_onnx_model model;
  memplan_error error = {.status = MEMPLAN_OK};
  memplan_status status = onnx_case_infer(row, n_out, &model, &error);
  if (refused) {
    if (status != MEMPLAN_INPUT || strstr(error.message, row->out + 1) == NULL) {
      fail_msg("%s-%d (%s) (%s): status %d, %s", row->op, (int)row->opset, row->in, row->attributes, (int)status,
               error.message);
    }
  } else {
    // Sources are unknown operators, and unknown results are wanted in some rows.
    if (status != MEMPLAN_OK && status != MEMPLAN_UNSUPPORTED) {
      fail_msg("%s-%d (%s) (%s): %s", row->op, (int)row->opset, row->in, row->attributes, error.message);
    }
    for (int32_t k = 0; k < n_out; k++) {
      const memplan_onnx_value *value = &model.values[model.n_values - n_out + k];
      if (want[k].present) {
        expect_type(row, k, &value->type, &want[k].type);
      }
      if (want[k].present && (want[k].data.ints != NULL || want[k].data.reals != NULL)) {
        expect_data(row, k, &value->data, &want[k].data);
      }
    }
  }
  memplan_arena_free(&model.arena);
  memplan_arena_free(&arena);
}
