// SPDX-License-Identifier: Apache-2.0
// What a shape function of an ONNX operator works with: one call = one node whose input types are known as far as they
// can be.
//
// A shape function reads types, data and attributes of its node, and sets the types of its outputs; outputs it leaves
// alone stay unknown. It never needs to check that an output exists. A dimension of -1 is unknown; rank -1: nothing is
// known of the shape. Dimension arithmetic saturates at MEMPLAN_DIM_LIMIT, and the caller of the shape function rejects
// tensors that reach it. Source: the operator definitions of ONNX (opsets 1 to 25) and of onnxruntime's own domains.
#ifndef MEMPLAN_INSTANCES_ONNX_SHAPE_H
#define MEMPLAN_INSTANCES_ONNX_SHAPE_H

#include "instances/onnx_model.h"

#define MEMPLAN_DIM_LIMIT ((int64_t)1 << 62)

enum { MEMPLAN_ONNX_LAST_ELEM_TYPE = 26 }; // the largest TensorProto.DataType

typedef struct memplan_dims {
  int32_t rank; // -1 unknown
  int64_t at[MEMPLAN_ONNX_MAX_RANK];
} memplan_dims;

struct memplan_onnx_op;
struct memplan_infer;

typedef struct memplan_call {
  memplan_onnx_model *model;
  const memplan_onnx_node *node;
  const struct memplan_onnx_op *op;
  struct memplan_infer *infer; // the run this call belongs to, for operators with bodies
  int64_t opset;               // of the node's domain
  memplan_onnx_type *out;      // n_out entries, at first all unknown
  memplan_onnx_data *out_data; // n_out entries, at first all without data
  int64_t *data_budget;        // elements of data that may still be made in this run
  bool random;                 // set by a shape function: equal inputs need not give equal outputs
  memplan_error *error;
} memplan_call;

// A list of integers whose entries may be unknown one by one: the data of an input, or an attribute.
typedef struct memplan_list {
  bool present;
  int64_t count;         // -1: unknown
  const int64_t *values; // NULL: all entries unknown
  const uint8_t *known;  // NULL: all of `values` are known
} memplan_list;

bool memplan_list_known(const memplan_list *list, int64_t i);
bool memplan_list_complete(const memplan_list *list); // present, and count and all entries known

// MEMPLAN_INPUT: the message names the operator, the node and the types of its inputs.
memplan_status memplan_call_fail(memplan_call *call, const char *format, ...) MEMPLAN_PRINTF(2, 3);

// Inputs. Absent inputs ("" or beyond the list) have no type and element type 0.
bool memplan_call_has(const memplan_call *call, int32_t k);
bool memplan_call_wants(const memplan_call *call, int32_t k); // the output exists
const memplan_onnx_type *memplan_call_type(const memplan_call *call, int32_t k);
int32_t memplan_call_elem(const memplan_call *call, int32_t k);
const memplan_onnx_data *memplan_call_data(const memplan_call *call, int32_t k); // NULL: no data
// Shape of a tensor input that must be there; unknown rank if its type is unknown.
memplan_status memplan_call_dims(memplan_call *call, int32_t k, memplan_dims *dims);
// The same, and a known rank must lie between the limits.
memplan_status memplan_call_dims_ranked(memplan_call *call, int32_t k, int32_t least, int32_t most, memplan_dims *dims);
// Integer data of an input of rank 0 or 1; not present if the input is absent.
memplan_status memplan_call_list(memplan_call *call, int32_t k, memplan_list *list);
// Entry i of a list, -1 if it is not known; one below `least` is an error.
memplan_status memplan_call_entry(memplan_call *call, const memplan_list *list, int64_t i, int64_t least,
                                  int64_t *value);
// A single integer from the data of an input. False if it is not known.
bool memplan_call_scalar(const memplan_call *call, int32_t k, int64_t *value);

// Attributes. The value given stays if the attribute is absent; one of another type is an error.
bool memplan_call_has_attribute(const memplan_call *call, const char *name);
memplan_status memplan_call_int(memplan_call *call, const char *name, int64_t *value);
memplan_status memplan_call_ints(memplan_call *call, const char *name, memplan_list *list);
memplan_status memplan_call_text(memplan_call *call, const char *name, const char **value);
memplan_status memplan_call_floats(memplan_call *call, const char *name, const float **values, int64_t *count);
// Like the two above, but absence is an error.
memplan_status memplan_call_int_required(memplan_call *call, const char *name, int64_t *value);
memplan_status memplan_call_ints_required(memplan_call *call, const char *name, memplan_list *list);
// A list from attribute `name` before opset `since`, from input k from then on.
memplan_status memplan_call_list_since(memplan_call *call, const char *name, int32_t k, int64_t since,
                                       memplan_list *list);

// Outputs.
memplan_status memplan_call_set(memplan_call *call, int32_t k, int32_t elem_type, const memplan_dims *dims);
void memplan_call_set_type(memplan_call *call, int32_t k, const memplan_onnx_type *type);
// Output k has the type of input `from`.
memplan_status memplan_call_same(memplan_call *call, int32_t k, int32_t from);
// The same with another element type.
memplan_status memplan_call_same_as(memplan_call *call, int32_t k, int32_t from, int32_t elem_type);

// Shapes.
memplan_dims memplan_dims_none(void);            // unknown rank
memplan_dims memplan_dims_unknown(int32_t rank); // known rank, unknown entries
memplan_dims memplan_dims_make(int32_t rank, const int64_t *at);
memplan_dims memplan_dims_of(const memplan_onnx_type *type);
int64_t memplan_dim_add(int64_t a, int64_t b);
int64_t memplan_dim_mul(int64_t a, int64_t b);
// Product of the entries from..to-1; -1 if unknown.
int64_t memplan_dims_product(const memplan_dims *dims, int32_t from, int32_t to);
int64_t memplan_dims_count(const memplan_dims *dims); // of all entries; -1 if unknown
bool memplan_dims_known(const memplan_dims *dims);    // rank and all entries
// What is known of a shape that is one of the two.
memplan_dims memplan_dims_meet(const memplan_dims *a, const memplan_dims *b);
bool memplan_dims_equal(const memplan_dims *a, const memplan_dims *b);
// Multidirectional broadcasting; MEMPLAN_INPUT if the shapes do not agree.
memplan_status memplan_call_broadcast(memplan_call *call, const memplan_dims *a, const memplan_dims *b,
                                      memplan_dims *out);
// Adds a dimension at the end; an error if the rank passes MEMPLAN_ONNX_MAX_RANK.
memplan_status memplan_call_append(memplan_call *call, memplan_dims *dims, int64_t value);
// Brings an axis of a tensor of `rank` dimensions into 0..rank-1.
memplan_status memplan_call_axis(memplan_call *call, int64_t axis, int32_t rank, int32_t *out);
// Marks the axes of the list in `marks` (rank entries); repeated axes are an error. The list must be complete.
memplan_status memplan_call_axes(memplan_call *call, const memplan_list *axes, int32_t rank, bool *marks);

// Types.
bool memplan_type_tensor(memplan_onnx_type *type, int32_t elem_type, const memplan_dims *dims, memplan_arena *arena);
// What is known of a type that is one of the two. False if memory is out.
bool memplan_type_meet(const memplan_onnx_type *a, const memplan_onnx_type *b, memplan_arena *arena,
                       memplan_onnx_type *out);

#endif
