// SPDX-License-Identifier: Apache-2.0
// ModelProto, GraphProto, NodeProto, AttributeProto and FunctionProto: one switch over field numbers each. Everything
// is kept in file order and nothing is looked up, so that one pass suffices wherever functions stand. The depth of the
// recursion (graph, node, attribute, graph) is limited by memplan_wire_enter.
#include "instances/onnx_proto.h"
#include "model/base/grow.h"

#include <string.h>

// Lists that are searched from end to end; no real file comes near.
enum { MOST_ATTRIBUTES = 1024, MOST_OPSETS = 1024 };

// One more, zeroed item at the end of a list of any type; NULL if memory is out.
#define ADD_ITEM(wire, list)                                                                                           \
  ((list)->items =                                                                                                     \
       memplan_grow_in((wire)->scratch, (list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items),       \
   (list)->items != NULL ? &(list)->items[(list)->count++] : NULL)

static memplan_status read_strings(memplan_wire_message *message, memplan_wire_field field,
                                   memplan_proto_strings *list) {
  memplan_wire *wire = message->wire;
  const char *text = NULL;
  MEMPLAN_TRY(memplan_wire_string(message, field, &text));
  const char **item = ADD_ITEM(wire, list);
  if (item == NULL) {
    return memplan_fail_nomem(wire->error);
  }
  *item = text;
  return MEMPLAN_OK;
}

static memplan_status read_value(memplan_wire_message *message, memplan_wire_field field, const char *type,
                                 memplan_status (*read)(memplan_wire_message *, memplan_proto_value *),
                                 memplan_proto_values *list) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, type, &inner));
  memplan_proto_value *value = ADD_ITEM(message->wire, list);
  return value != NULL ? read(&inner, value) : memplan_fail_nomem(message->wire->error);
}

static memplan_status read_node(memplan_wire_message *message, memplan_wire_field field, memplan_proto_nodes *list);

static memplan_status read_graph(memplan_wire_message *message, memplan_wire_field field, memplan_proto_graph *graph) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "GraphProto", &inner));
  graph->name = graph->name != NULL ? graph->name : "";
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    switch (field.number) {
    case 0:
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(read_node(&inner, field, &graph->nodes));
      break;
    case 2:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &graph->name));
      break;
    case 5:
      MEMPLAN_TRY(read_value(&inner, field, "TensorProto", memplan_proto_read_tensor, &graph->initializers));
      break;
    case 11:
      MEMPLAN_TRY(read_value(&inner, field, "ValueInfoProto", memplan_proto_read_value_info, &graph->inputs));
      break;
    case 12:
      MEMPLAN_TRY(read_value(&inner, field, "ValueInfoProto", memplan_proto_read_value_info, &graph->outputs));
      break;
    case 13:
      MEMPLAN_TRY(read_value(&inner, field, "ValueInfoProto", memplan_proto_read_value_info, &graph->value_info));
      break;
    case 15:
      MEMPLAN_TRY(read_value(&inner, field, "SparseTensorProto", memplan_proto_read_sparse, &graph->initializers));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(&inner, field));
    }
  }
}

typedef struct attribute_lists {
  memplan_wire_list floats, ints;
  memplan_proto_strings strings;
  bool has_float, has_int, has_string, has_tensor, has_sparse, has_type;
  int64_t tensors, graphs;
} attribute_lists;

// Files of the first IR version leave the type out: it is that of the one field that is there.
static int32_t guess_type(const memplan_proto_attribute *attribute, const attribute_lists *lists) {
  return lists->has_float           ? MEMPLAN_ONNX_ATTRIBUTE_FLOAT
         : lists->has_int           ? MEMPLAN_ONNX_ATTRIBUTE_INT
         : lists->has_string        ? MEMPLAN_ONNX_ATTRIBUTE_STRING
         : lists->has_tensor        ? MEMPLAN_ONNX_ATTRIBUTE_TENSOR
         : attribute->graph != NULL ? MEMPLAN_ONNX_ATTRIBUTE_GRAPH
         : lists->has_sparse        ? MEMPLAN_ONNX_ATTRIBUTE_SPARSE_TENSOR
         : lists->has_type          ? MEMPLAN_ONNX_ATTRIBUTE_TYPE_PROTO
         : lists->floats.count > 0  ? MEMPLAN_ONNX_ATTRIBUTE_FLOATS
         : lists->ints.count > 0    ? MEMPLAN_ONNX_ATTRIBUTE_INTS
         : lists->strings.count > 0 ? MEMPLAN_ONNX_ATTRIBUTE_STRINGS
         : lists->tensors > 0       ? MEMPLAN_ONNX_ATTRIBUTE_TENSORS
         : lists->graphs > 0        ? MEMPLAN_ONNX_ATTRIBUTE_GRAPHS
                                    : 0;
}

static memplan_status read_tensor_attribute(memplan_wire_message *message, memplan_wire_field field,
                                            memplan_onnx_attribute *value, bool sparse) {
  memplan_wire_message inner;
  memplan_proto_value tensor = {0};
  MEMPLAN_TRY(memplan_wire_enter(message, field, sparse ? "SparseTensorProto" : "TensorProto", &inner));
  MEMPLAN_TRY(sparse ? memplan_proto_read_sparse(&inner, &tensor) : memplan_proto_read_tensor(&inner, &tensor));
  value->tensor = tensor.type;
  value->tensor_data = tensor.data;
  return MEMPLAN_OK;
}

static memplan_status read_attribute_string(memplan_wire_message *message, memplan_wire_field field,
                                            memplan_proto_strings *list) {
  memplan_wire *wire = message->wire;
  int64_t length = 0;
  const char *text = NULL;
  MEMPLAN_TRY(memplan_wire_bytes(message, field, &text, &length));
  const char **item = ADD_ITEM(wire, list);
  if (item == NULL) {
    return memplan_fail_nomem(wire->error);
  }
  *item = text;
  return MEMPLAN_OK;
}

// The fields that hold the attribute's value.
static memplan_status read_attribute_value(memplan_wire_message *message, memplan_wire_field field,
                                           memplan_proto_attribute *attribute, attribute_lists *lists) {
  memplan_onnx_attribute *value = &attribute->value;
  memplan_wire_message inner;
  const char *const *symbols = NULL;
  int64_t length = 0;
  switch (field.number) {
  case 2:
    lists->has_float = true;
    return memplan_wire_float(message, field, &value->f);
  case 3:
    lists->has_int = true;
    return memplan_wire_int(message, field, &value->i);
  case 4:
    lists->has_string = true;
    return memplan_wire_bytes(message, field, &value->s, &length);
  case 5:
    lists->has_tensor = true;
    return read_tensor_attribute(message, field, value, false);
  case 6:
    if (attribute->graph == NULL) {
      attribute->graph = MEMPLAN_NEW(message->wire->scratch, memplan_proto_graph, 1);
    }
    return attribute->graph != NULL ? read_graph(message, field, attribute->graph)
                                    : memplan_fail_nomem(message->wire->error);
  case 7:
    return memplan_wire_floats(message, field, INT32_MAX, &lists->floats);
  case 8:
    return memplan_wire_ints(message, field, INT32_MAX, &lists->ints);
  case 9:
    return read_attribute_string(message, field, &lists->strings);
  case 10:
    lists->tensors++;
    return memplan_wire_skip(message, field);
  case 11:
    lists->graphs++;
    return memplan_wire_skip(message, field);
  case 14:
    lists->has_type = true;
    MEMPLAN_TRY(memplan_wire_enter(message, field, "TypeProto", &inner));
    return memplan_proto_read_type(&inner, &value->type_proto, &symbols);
  case 22:
    lists->has_sparse = true;
    return read_tensor_attribute(message, field, value, true);
  default:
    return memplan_wire_skip(message, field);
  }
}

static void *keep(memplan_arena *arena, const void *items, int64_t count, size_t size) {
  void *copy = memplan_arena_alloc(arena, (size_t)count, size);
  if (copy != NULL && count > 0) {
    memcpy(copy, items, (size_t)count * size);
  }
  return copy;
}

static bool keep_lists(memplan_arena *arena, memplan_onnx_attribute *value, const attribute_lists *lists) {
  value->n_floats = lists->floats.count;
  value->n_ints = lists->ints.count;
  value->n_strings = lists->strings.count;
  value->floats = keep(arena, lists->floats.items, value->n_floats, sizeof *value->floats);
  value->ints = keep(arena, lists->ints.items, value->n_ints, sizeof *value->ints);
  value->strings = keep(arena, lists->strings.items, value->n_strings, sizeof *value->strings);
  return value->floats != NULL && value->ints != NULL && value->strings != NULL;
}

static memplan_status read_attribute(memplan_wire_message *message, memplan_wire_field field,
                                     memplan_proto_attributes *list) {
  memplan_wire *wire = message->wire;
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "AttributeProto", &inner));
  if (list->count >= MOST_ATTRIBUTES) {
    return memplan_wire_fail(wire, "a %s has more than %d attributes", message->type, (int)MOST_ATTRIBUTES);
  }
  memplan_proto_attribute *attribute = ADD_ITEM(wire, list);
  if (attribute == NULL) {
    return memplan_fail_nomem(wire->error);
  }
  memplan_onnx_attribute *value = &attribute->value;
  attribute_lists lists = {0};
  int64_t type = 0;
  value->name = attribute->reference = value->s = "";
  value->graph = -1;
  value->tensor = value->type_proto = (memplan_onnx_type){.rank = -1, .length = -1};
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    if (field.number == 0) {
      break;
    }
    switch (field.number) {
    case 1:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &value->name));
      break;
    case 20:
      MEMPLAN_TRY(memplan_wire_int(&inner, field, &type));
      break;
    case 21:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &attribute->reference));
      break;
    default:
      MEMPLAN_TRY(read_attribute_value(&inner, field, attribute, &lists));
    }
  }
  if (!keep_lists(wire->arena, value, &lists)) {
    return memplan_fail_nomem(wire->error);
  }
  value->type = type > 0 && type <= MEMPLAN_ONNX_ATTRIBUTE_TYPE_PROTOS ? (int32_t)type : guess_type(attribute, &lists);
  if (value->type == MEMPLAN_ONNX_ATTRIBUTE_GRAPHS || lists.graphs > 0) {
    return memplan_fail(wire->error, MEMPLAN_UNSUPPORTED,
                        "byte %llu: attribute '%.100s' is a list of graphs, which memplan does not know",
                        (unsigned long long)wire->offset, value->name);
  }
  return MEMPLAN_OK;
}

static const char *normal_domain(const char *domain) { return strcmp(domain, "ai.onnx") == 0 ? "" : domain; }

static memplan_status read_node(memplan_wire_message *message, memplan_wire_field field, memplan_proto_nodes *list) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "NodeProto", &inner));
  memplan_proto_node *node = ADD_ITEM(message->wire, list);
  if (node == NULL) {
    return memplan_fail_nomem(message->wire->error);
  }
  node->name = node->op_type = node->domain = node->overload = "";
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    switch (field.number) {
    case 0:
      node->domain = normal_domain(node->domain);
      if (node->op_type[0] == '\0') {
        return memplan_wire_fail(message->wire, "node '%.100s' has no operator type", node->name);
      }
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(read_strings(&inner, field, &node->in));
      break;
    case 2:
      MEMPLAN_TRY(read_strings(&inner, field, &node->out));
      break;
    case 3:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &node->name));
      break;
    case 4:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &node->op_type));
      break;
    case 5:
      MEMPLAN_TRY(read_attribute(&inner, field, &node->attributes));
      break;
    case 7:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &node->domain));
      break;
    case 8:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &node->overload));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(&inner, field));
    }
  }
}

static memplan_status read_opset(memplan_wire_message *message, memplan_wire_field field, memplan_proto_opsets *list) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "OperatorSetIdProto", &inner));
  if (list->count >= MOST_OPSETS) {
    return memplan_wire_fail(message->wire, "a %s imports more than %d operator sets", message->type, (int)MOST_OPSETS);
  }
  memplan_proto_opset *opset = ADD_ITEM(message->wire, list);
  if (opset == NULL) {
    return memplan_fail_nomem(message->wire->error);
  }
  opset->domain = "";
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    switch (field.number) {
    case 0:
      opset->domain = normal_domain(opset->domain);
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &opset->domain));
      break;
    case 2:
      MEMPLAN_TRY(memplan_wire_int(&inner, field, &opset->version));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(&inner, field));
    }
  }
}

static memplan_status read_function_field(memplan_wire_message *message, memplan_wire_field field,
                                          memplan_proto_function *function) {
  switch (field.number) {
  case 1:
    return memplan_wire_string(message, field, &function->name);
  case 4:
    return read_strings(message, field, &function->in);
  case 5:
    return read_strings(message, field, &function->out);
  case 7:
    return read_node(message, field, &function->nodes);
  case 9:
    return read_opset(message, field, &function->opsets);
  case 10:
    return memplan_wire_string(message, field, &function->domain);
  case 11:
    return read_attribute(message, field, &function->defaults);
  case 13:
    return memplan_wire_string(message, field, &function->overload);
  default:
    return memplan_wire_skip(message, field);
  }
}

static memplan_status read_function(memplan_wire_message *message, memplan_wire_field field,
                                    memplan_proto_functions *list) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "FunctionProto", &inner));
  memplan_proto_function *function = ADD_ITEM(message->wire, list);
  if (function == NULL) {
    return memplan_fail_nomem(message->wire->error);
  }
  function->name = function->domain = function->overload = "";
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    if (field.number == 0) {
      function->domain = normal_domain(function->domain);
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(read_function_field(&inner, field, function));
  }
}

memplan_status memplan_proto_read_model(memplan_wire_message *message, memplan_proto_model *model) {
  model->producer = model->producer_version = "";
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(message, &field));
    switch (field.number) {
    case 0:
      if (!model->has_graph) {
        return memplan_wire_fail(message->wire, "the file holds no graph; it is empty or not an ONNX model");
      }
      return MEMPLAN_OK;
    case 1:
      MEMPLAN_TRY(memplan_wire_int(message, field, &model->ir_version));
      break;
    case 2:
      MEMPLAN_TRY(memplan_wire_string(message, field, &model->producer));
      break;
    case 3:
      MEMPLAN_TRY(memplan_wire_string(message, field, &model->producer_version));
      break;
    case 7:
      model->has_graph = true;
      MEMPLAN_TRY(read_graph(message, field, &model->graph));
      break;
    case 8:
      MEMPLAN_TRY(read_opset(message, field, &model->opsets));
      break;
    case 20:
      model->has_training = true;
      MEMPLAN_TRY(memplan_wire_skip(message, field));
      break;
    case 25:
      MEMPLAN_TRY(read_function(message, field, &model->functions));
      break;
    default:
      MEMPLAN_TRY(memplan_wire_skip(message, field));
    }
  }
}
