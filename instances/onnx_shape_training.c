// SPDX-License-Identifier: Apache-2.0
// Domain ai.onnx.preview.training: optimizers. Rate and step, then groups of tensors: parameters, gradients, states.
#include "instances/onnx_shape_families.h"

static memplan_status optimizer(memplan_call *call, int32_t n_states) {
  int32_t groups = 2 + n_states;
  int32_t n = call->node->n_in - 2;
  if (n < groups || n % groups != 0) {
    return memplan_call_fail(call, "%d tensors are not %d groups", (int)n, (int)groups);
  }
  n /= groups;
  for (int32_t group = 0; group <= n_states; group++) {
    int32_t from = group == 0 ? 2 : 2 + (group + 1) * n;
    for (int32_t i = 0; i < n; i++) {
      MEMPLAN_TRY(memplan_call_same(call, group * n + i, from + i));
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_optimizer_one_state(memplan_call *call) { return optimizer(call, 1); }

memplan_status memplan_shape_optimizer_two_states(memplan_call *call) { return optimizer(call, 2); }

// One gradient for each of the inputs named by `xs`, which come first.
memplan_status memplan_shape_gradient(memplan_call *call) {
  for (int32_t k = 0; k < call->node->n_out; k++) {
    if (memplan_call_has(call, k)) {
      MEMPLAN_TRY(memplan_call_same(call, k, k));
    }
  }
  return MEMPLAN_OK;
}
