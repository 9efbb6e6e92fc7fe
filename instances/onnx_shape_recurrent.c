// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM. X is [seq, batch, input]; with layout = 1 the batch comes first, in the states, too.
#include "instances/onnx_shape_families.h"

#include <string.h>

static memplan_status recurrent(memplan_call *call, int32_t gates) {
  memplan_dims x;
  memplan_dims weights;
  memplan_dims recurrence;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &x));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 3, 3, &weights));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 2, 3, 3, &recurrence));
  const char *direction = "forward";
  int64_t layout = 0;
  int64_t hidden = -1;
  MEMPLAN_TRY(memplan_call_text(call, "direction", &direction));
  MEMPLAN_TRY(memplan_call_int(call, "layout", &layout));
  MEMPLAN_TRY(memplan_call_int(call, "hidden_size", &hidden));
  if (memplan_call_has_attribute(call, "hidden_size") && hidden < 1) {
    return memplan_call_fail(call, "attribute 'hidden_size' is %lld", (long long)hidden);
  }
  if (hidden < 0 && recurrence.rank == 3) {
    hidden = recurrence.at[2];
  }
  if (hidden < 0 && weights.rank == 3 && weights.at[1] >= 0 && weights.at[1] % gates == 0) {
    hidden = weights.at[1] / gates;
  }
  if (hidden >= 0 && recurrence.rank == 3 && recurrence.at[2] >= 0 && recurrence.at[2] != hidden) {
    return memplan_call_fail(call, "hidden_size is %lld, the weights have %lld", (long long)hidden,
                             (long long)recurrence.at[2]);
  }
  int64_t directions = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
  int64_t sequence = x.rank < 0 ? -1 : x.at[layout != 0 ? 1 : 0];
  int64_t batch = x.rank < 0 ? -1 : x.at[layout != 0 ? 0 : 1];
  memplan_dims all = {.rank = 4, .at = {sequence, directions, batch, hidden}};
  memplan_dims last = {.rank = 3, .at = {directions, batch, hidden}};
  if (layout != 0) {
    all = (memplan_dims){.rank = 4, .at = {batch, sequence, directions, hidden}};
    last = (memplan_dims){.rank = 3, .at = {batch, directions, hidden}};
  }
  int32_t elem_type = memplan_call_elem(call, 0);
  MEMPLAN_TRY(memplan_call_set(call, 0, elem_type, &all));
  MEMPLAN_TRY(memplan_call_set(call, 1, elem_type, &last));
  return memplan_call_set(call, 2, elem_type, &last);
}

memplan_status memplan_shape_rnn(memplan_call *call) { return recurrent(call, 1); }

memplan_status memplan_shape_gru(memplan_call *call) { return recurrent(call, 3); }

memplan_status memplan_shape_lstm(memplan_call *call) { return recurrent(call, 4); }

// DynamicQuantizeLSTM has its weights transposed: W [directions, input, 4 hidden], R [directions, hidden, 4 hidden].
memplan_status memplan_shape_quantized_lstm(memplan_call *call) {
  memplan_dims x;
  memplan_dims recurrence;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &x));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 2, 3, 3, &recurrence));
  int64_t hidden = recurrence.rank == 3 ? recurrence.at[1] : -1;
  const char *direction = "forward";
  MEMPLAN_TRY(memplan_call_int(call, "hidden_size", &hidden));
  MEMPLAN_TRY(memplan_call_text(call, "direction", &direction));
  if (hidden < -1) {
    return memplan_call_fail(call, "attribute 'hidden_size' is %lld", (long long)hidden);
  }
  int64_t directions = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
  memplan_dims all = {.rank = 4, .at = {x.rank < 0 ? -1 : x.at[0], directions, x.rank < 0 ? -1 : x.at[1], hidden}};
  memplan_dims last = {.rank = 3, .at = {directions, all.at[2], hidden}};
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &all));
  MEMPLAN_TRY(memplan_call_set(call, 1, memplan_call_elem(call, 0), &last));
  return memplan_call_set(call, 2, memplan_call_elem(call, 0), &last);
}
