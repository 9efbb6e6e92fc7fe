// SPDX-License-Identifier: Apache-2.0
// Domain ai.onnx.ml: classical models. A vector of features counts as a batch of one.
#include "instances/onnx_shape_families.h"

#include <string.h>

static memplan_status batch_of(memplan_call *call, int64_t *batch) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  *batch = data.rank < 0 ? -1 : data.rank < 2 ? 1 : data.at[0];
  return MEMPLAN_OK;
}

static int64_t list_length(const memplan_call *call, const char *name) {
  const memplan_onnx_attribute *list = memplan_onnx_attribute_find(call->node, name);
  if (list == NULL) {
    return 0;
  }
  return list->n_ints > 0 ? list->n_ints : list->n_floats > 0 ? list->n_floats : list->n_strings;
}

// Class labels under either of two names.
typedef struct labels {
  int32_t elem_type;
  int64_t count;
} labels;

static labels read_labels(const memplan_call *call, const char *strings, const char *numbers) {
  int64_t n = list_length(call, strings);
  if (n > 0) {
    return (labels){MEMPLAN_ONNX_STRING, n};
  }
  return (labels){MEMPLAN_ONNX_INT64, list_length(call, numbers)};
}

static memplan_status set_classifier(memplan_call *call, int32_t label_type, int64_t scores) {
  int64_t batch = -1;
  MEMPLAN_TRY(batch_of(call, &batch));
  memplan_dims label = {.rank = 1, .at = {batch}};
  memplan_dims score = {.rank = 2, .at = {batch, scores}};
  MEMPLAN_TRY(memplan_call_set(call, 0, label_type, &label));
  return memplan_call_set(call, 1, MEMPLAN_ONNX_FLOAT, &score);
}

memplan_status memplan_shape_linear_classifier(memplan_call *call) {
  labels names = read_labels(call, "classlabels_strings", "classlabels_ints");
  int64_t intercepts = list_length(call, "intercepts");
  int64_t scores = names.count > 0 ? names.count : intercepts;
  return set_classifier(call, names.elem_type, scores > 0 ? scores : -1);
}

memplan_status memplan_shape_tree_classifier(memplan_call *call) {
  labels names = read_labels(call, "classlabels_strings", "classlabels_int64s");
  return set_classifier(call, names.elem_type, names.count > 0 ? names.count : -1);
}

// One score per pair of classes, or per class if they are probabilities or the model is linear.
memplan_status memplan_shape_svm_classifier(memplan_call *call) {
  labels names = read_labels(call, "classlabels_strings", "classlabels_ints");
  int64_t n = names.count;
  bool per_class = list_length(call, "prob_a") > 0 || list_length(call, "vectors_per_class") == 0;
  int64_t scores = per_class || n <= 2 ? n : memplan_dim_mul(n, n - 1) / 2;
  return set_classifier(call, names.elem_type, scores > 0 ? scores : -1);
}

static memplan_status set_regressor(memplan_call *call, int32_t elem_type, int64_t targets) {
  int64_t batch = -1;
  MEMPLAN_TRY(batch_of(call, &batch));
  if (targets < 0) {
    return memplan_call_fail(call, "%lld targets", (long long)targets);
  }
  memplan_dims out = {.rank = 2, .at = {batch, targets}};
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_linear_regressor(memplan_call *call) {
  int64_t targets = 1;
  MEMPLAN_TRY(memplan_call_int(call, "targets", &targets));
  return set_regressor(call, MEMPLAN_ONNX_FLOAT, targets);
}

memplan_status memplan_shape_tree_regressor(memplan_call *call) {
  int64_t targets = 1;
  MEMPLAN_TRY(memplan_call_int(call, "n_targets", &targets));
  return set_regressor(call, MEMPLAN_ONNX_FLOAT, targets);
}

memplan_status memplan_shape_tree_ensemble(memplan_call *call) {
  int64_t targets = 1;
  MEMPLAN_TRY(memplan_call_int(call, "n_targets", &targets));
  return set_regressor(call, memplan_call_elem(call, 0), targets);
}

memplan_status memplan_shape_svm_regressor(memplan_call *call) { return set_regressor(call, MEMPLAN_ONNX_FLOAT, 1); }

// Scaler, Normalizer: the same shape in float.
memplan_status memplan_shape_same_float(memplan_call *call) {
  return memplan_call_same_as(call, 0, 0, MEMPLAN_ONNX_FLOAT);
}

memplan_status memplan_shape_label_encoder(memplan_call *call) {
  static const struct {
    const char *name;
    int32_t elem_type;
  } forms[] = {{"values_strings", MEMPLAN_ONNX_STRING},
               {"values_int64s", MEMPLAN_ONNX_INT64},
               {"values_floats", MEMPLAN_ONNX_FLOAT}};
  // The first version maps strings to integers and back.
  int32_t elem_type = memplan_call_elem(call, 0) == MEMPLAN_ONNX_STRING ? MEMPLAN_ONNX_INT64 : MEMPLAN_ONNX_STRING;
  const memplan_onnx_attribute *tensor = memplan_onnx_attribute_find(call->node, "values_tensor");
  if (tensor != NULL) {
    elem_type = tensor->tensor.elem_type;
  }
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    if (memplan_call_has_attribute(call, forms[i].name)) {
      elem_type = forms[i].elem_type;
    }
  }
  return memplan_call_same_as(call, 0, 0, elem_type);
}

memplan_status memplan_shape_category_mapper(memplan_call *call) {
  int32_t from = memplan_call_elem(call, 0);
  return memplan_call_same_as(call, 0, 0, from == MEMPLAN_ONNX_STRING ? MEMPLAN_ONNX_INT64 : MEMPLAN_ONNX_STRING);
}

memplan_status memplan_shape_one_hot_encoder(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  labels names = read_labels(call, "cats_strings", "cats_int64s");
  if (names.count == 0) {
    return memplan_call_fail(call, "no categories");
  }
  if (data.rank >= 0) {
    MEMPLAN_TRY(memplan_call_append(call, &data, names.count));
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_FLOAT, &data);
}

memplan_status memplan_shape_array_feature_extractor(memplan_call *call) {
  memplan_dims data;
  memplan_dims indices;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_dims(call, 1, &indices));
  int64_t n = memplan_dims_count(&indices);
  memplan_dims out = data;
  if (data.rank == 1) {
    out = (memplan_dims){.rank = 2, .at = {1, n}};
  } else if (data.rank > 1) {
    out.at[data.rank - 1] = n;
  } else if (data.rank == 0) {
    return memplan_call_fail(call, "a scalar has no features");
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_feature_vectorizer(memplan_call *call) {
  memplan_list sizes;
  MEMPLAN_TRY(memplan_call_ints(call, "inputdimensions", &sizes));
  int64_t batch = -1;
  int64_t total = 0;
  MEMPLAN_TRY(batch_of(call, &batch));
  for (int32_t k = 0; k < call->node->n_in; k++) {
    memplan_dims data;
    MEMPLAN_TRY(memplan_call_dims(call, k, &data));
    int64_t size = data.rank < 0 ? -1 : data.rank == 0 ? 1 : data.at[data.rank - 1];
    if (sizes.present && k < sizes.count) {
      MEMPLAN_TRY(memplan_call_entry(call, &sizes, k, 0, &size));
    }
    total = memplan_dim_add(total, size);
  }
  memplan_dims out = {.rank = 2, .at = {batch, total}};
  return memplan_call_set(call, 0, MEMPLAN_ONNX_FLOAT, &out);
}

memplan_status memplan_shape_cast_map(memplan_call *call) {
  const char *to = "TO_FLOAT";
  const char *form = "DENSE";
  int64_t largest = 1;
  MEMPLAN_TRY(memplan_call_text(call, "cast_to", &to));
  MEMPLAN_TRY(memplan_call_text(call, "map_form", &form));
  MEMPLAN_TRY(memplan_call_int(call, "max_map", &largest));
  memplan_dims out = {.rank = 2, .at = {1, strcmp(form, "SPARSE") == 0 && largest >= 0 ? largest : -1}};
  int32_t elem_type = strcmp(to, "TO_STRING") == 0  ? MEMPLAN_ONNX_STRING
                      : strcmp(to, "TO_INT64") == 0 ? MEMPLAN_ONNX_INT64
                                                    : MEMPLAN_ONNX_FLOAT;
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_dict_vectorizer(memplan_call *call) {
  labels names = read_labels(call, "string_vocabulary", "int64_vocabulary");
  memplan_dims out = {.rank = 2, .at = {1, names.count}};
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_zip_map(memplan_call *call) {
  int64_t batch = -1;
  MEMPLAN_TRY(batch_of(call, &batch));
  memplan_onnx_type type = {.kind = MEMPLAN_ONNX_KIND_SEQUENCE,
                            .element_kind = MEMPLAN_ONNX_KIND_MAP,
                            .elem_type = memplan_call_elem(call, 0),
                            .rank = -1,
                            .length = batch};
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}
