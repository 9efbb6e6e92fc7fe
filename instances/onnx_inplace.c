// SPDX-License-Identifier: Apache-2.0
// In-place by kind of operator: element i of the output depends on element i of that input alone (and on inputs that
// are smaller, or read at i only), so each element may be written where it was read. Softmax reads a row before it
// writes it.
#include "instances/onnx_graph.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 64 }; // operands of a variadic operator that are looked at

// Elementwise operators, sorted. `operands`: how many of the first inputs the output may take over.
typedef struct elementwise {
  const char *op_type;
  int32_t operands;
} elementwise;

static const elementwise standard[] = {{"Abs", 1},
                                       {"Acos", 1},
                                       {"Acosh", 1},
                                       {"Add", 2},
                                       {"And", 2},
                                       {"Asin", 1},
                                       {"Asinh", 1},
                                       {"Atan", 1},
                                       {"Atanh", 1},
                                       {"BitShift", 2},
                                       {"BitwiseAnd", 2},
                                       {"BitwiseNot", 1},
                                       {"BitwiseOr", 2},
                                       {"BitwiseXor", 2},
                                       {"Cast", 1},
                                       {"CastLike", 1},
                                       {"Ceil", 1},
                                       {"Celu", 1},
                                       {"Clip", 1},
                                       {"Cos", 1},
                                       {"Cosh", 1},
                                       {"Div", 2},
                                       {"Dropout", 1},
                                       {"Elu", 1},
                                       {"Equal", 2},
                                       {"Erf", 1},
                                       {"Exp", 1},
                                       {"Floor", 1},
                                       {"Gelu", 1},
                                       {"Greater", 2},
                                       {"GreaterOrEqual", 2},
                                       {"HardSigmoid", 1},
                                       {"HardSwish", 1},
                                       {"IsInf", 1},
                                       {"IsNaN", 1},
                                       {"LeakyRelu", 1},
                                       {"Less", 2},
                                       {"LessOrEqual", 2},
                                       {"Log", 1},
                                       {"Max", MANY},
                                       {"Mean", MANY},
                                       {"Min", MANY},
                                       {"Mish", 1},
                                       {"Mod", 2},
                                       {"Mul", 2},
                                       {"Neg", 1},
                                       {"Not", 1},
                                       {"Or", 2},
                                       {"PRelu", 2},
                                       {"Pow", 2},
                                       {"Reciprocal", 1},
                                       {"Relu", 1},
                                       {"Round", 1},
                                       {"Selu", 1},
                                       {"Shrink", 1},
                                       {"Sigmoid", 1},
                                       {"Sign", 1},
                                       {"Sin", 1},
                                       {"Sinh", 1},
                                       {"Softmax", 1},
                                       {"Softplus", 1},
                                       {"Softsign", 1},
                                       {"Sqrt", 1},
                                       {"Sub", 2},
                                       {"Sum", MANY},
                                       {"Swish", 1},
                                       {"Tan", 1},
                                       {"Tanh", 1},
                                       {"ThresholdedRelu", 1},
                                       {"Xor", 2}};

static const elementwise microsoft[] = {{"BiasGelu", 1}, {"FastGelu", 1}, {"Gelu", 1}, {"QuickGelu", 1}};

static int compare(const void *key, const void *row) { return strcmp(key, ((const elementwise *)row)->op_type); }

// Inference: statistics come from the inputs. Before opset 7 `is_test` says so; until 13 further outputs mean training.
static bool infers(const memplan_onnx_node *node) {
  const memplan_onnx_attribute *test = memplan_onnx_attribute_find(node, "is_test");
  const memplan_onnx_attribute *training = memplan_onnx_attribute_find(node, "training_mode");
  for (int32_t i = 1; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      return false;
    }
  }
  return (training == NULL || training->i == 0) && (node->opset >= 7 || (test != NULL && test->i != 0));
}

bool memplan_onnx_may_overwrite(const memplan_onnx_node *node, int32_t k) {
  const elementwise *row = NULL;
  if (node->domain[0] == '\0') {
    if (strcmp(node->op_type, "BatchNormalization") == 0) {
      return k == 0 && infers(node);
    }
    row = bsearch(node->op_type, standard, sizeof standard / sizeof *standard, sizeof *standard, compare);
  } else if (strcmp(node->domain, "com.microsoft") == 0) {
    row = bsearch(node->op_type, microsoft, sizeof microsoft / sizeof *microsoft, sizeof *microsoft, compare);
  }
  return row != NULL && k < row->operands;
}
