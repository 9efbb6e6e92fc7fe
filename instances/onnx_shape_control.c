// SPDX-License-Identifier: Apache-2.0
// If, Loop, Scan and SequenceMap.
//
// A loop's body must be inferred for what it carries. The carried types start as those that enter the loop; after each
// run of the body they lose what the body's results contradict, until nothing changes: a fixed point holds for every
// iteration, and since types only ever lose knowledge, it comes soon. Where that would lose a shape, but the number of
// iterations is a small constant, the iterations are followed one by one instead, which gives exact results (a list
// that grows, a tensor that shrinks).
#include "instances/onnx_shape_body.h"
#include "instances/onnx_shape_families.h"

enum {
  most_passes = 8,       // runs of a body towards the fixed point
  most_iterations = 1024 // iterations that are followed one by one
};

static void take_branch(memplan_call *call, int32_t graph) {
  for (int32_t k = 0; k < call->node->n_out; k++) {
    const memplan_onnx_value *value = memplan_body_output(call, graph, k);
    call->out[k] = value->type;
    call->out_data[k] = value->data;
  }
}

// A branch that its shapes forbid is never taken: models that serve two sampling rates are written so. If both are,
// that is an error.
memplan_status memplan_shape_if(memplan_call *call) {
  int32_t n = call->node->n_out;
  int32_t branches[2];
  MEMPLAN_TRY(memplan_body_find(call, "then_branch", 0, n, &branches[0]));
  MEMPLAN_TRY(memplan_body_find(call, "else_branch", 0, n, &branches[1]));
  int64_t condition = 0;
  if (memplan_call_scalar(call, 0, &condition)) {
    int32_t taken = branches[condition != 0 ? 0 : 1];
    MEMPLAN_TRY(memplan_body_skip(call, branches[condition != 0 ? 1 : 0]));
    MEMPLAN_TRY(memplan_body_run(call, taken));
    take_branch(call, taken);
    return MEMPLAN_OK;
  }
  bool possible[2];
  MEMPLAN_TRY(memplan_body_try(call, branches[0], &possible[0]));
  MEMPLAN_TRY(memplan_body_try(call, branches[1], &possible[1]));
  if (!possible[0] && !possible[1]) {
    return memplan_fail(call->error, MEMPLAN_INPUT, "%s", memplan_body_contradiction(call, branches[0]));
  }
  if (!possible[0] || !possible[1]) {
    int32_t taken = branches[possible[0] ? 0 : 1];
    for (int32_t k = 0; k < n; k++) {
      call->out[k] = memplan_body_output(call, taken, k)->type;
    }
    return MEMPLAN_OK;
  }
  for (int32_t k = 0; k < n; k++) {
    if (!memplan_type_meet(&memplan_body_output(call, branches[0], k)->type,
                           &memplan_body_output(call, branches[1], k)->type, &call->model->arena, &call->out[k])) {
      return memplan_fail_nomem(call->error);
    }
  }
  return MEMPLAN_OK;
}

// Values that enter a body again in each iteration.
typedef struct carried {
  int32_t graph;
  int32_t n;
  int32_t first_input;  // of the body
  int32_t first_output; // of the body
  memplan_onnx_type *types;
  memplan_onnx_data *data;
} carried;

static bool same_type(const memplan_onnx_type *a, const memplan_onnx_type *b) {
  memplan_dims first = memplan_dims_of(a);
  memplan_dims second = memplan_dims_of(b);
  return a->kind == b->kind && a->elem_type == b->elem_type && a->length == b->length &&
         memplan_dims_equal(&first, &second);
}

static memplan_status new_carried(memplan_call *call, carried *c) {
  c->types = MEMPLAN_NEW(&call->model->arena, memplan_onnx_type, c->n);
  c->data = MEMPLAN_NEW(&call->model->arena, memplan_onnx_data, c->n);
  return c->types != NULL && c->data != NULL ? MEMPLAN_OK : memplan_fail_nomem(call->error);
}

static memplan_status enter_body(memplan_call *call, const carried *c, bool exact, bool with_data) {
  for (int32_t k = 0; k < c->n; k++) {
    MEMPLAN_TRY(memplan_body_set_input(call, c->graph, c->first_input + k, &c->types[k], with_data ? &c->data[k] : NULL,
                                       exact));
  }
  return MEMPLAN_OK;
}

// Types of which nothing but the kind and the element type is known: a fixed point at once.
static memplan_status settle_unknown(memplan_call *call, carried *c) {
  for (int32_t k = 0; k < c->n; k++) {
    c->types[k].rank = -1;
    c->types[k].length = -1;
    c->types[k].items = NULL;
  }
  MEMPLAN_TRY(enter_body(call, c, true, false));
  return memplan_body_run(call, c->graph);
}

// Leaves the types of the fixed point in c->types. *constant: no carried type changed.
static memplan_status settle(memplan_call *call, carried *c, bool *constant) {
  *constant = memplan_body_affordable(call, c->graph, 0);
  if (!*constant) {
    return settle_unknown(call, c);
  }
  for (int32_t pass = 0;; pass++) {
    MEMPLAN_TRY(enter_body(call, c, pass > 0, false));
    MEMPLAN_TRY(memplan_body_run(call, c->graph));
    bool changed = false;
    for (int32_t k = 0; k < c->n; k++) {
      const memplan_onnx_type *in = &memplan_body_input(call, c->graph, c->first_input + k)->type;
      const memplan_onnx_type *out = &memplan_body_output(call, c->graph, c->first_output + k)->type;
      memplan_onnx_type met;
      if (!memplan_type_meet(in, out, &call->model->arena, &met)) {
        return memplan_fail_nomem(call->error);
      }
      changed = changed || !same_type(&met, in);
      c->types[k] = met;
    }
    if (!changed) {
      return MEMPLAN_OK;
    }
    *constant = false;
    bool affordable = memplan_body_affordable(call, c->graph, 1);
    if (!affordable) {
      memplan_body_give_up(call);
    }
    if (!affordable || pass + 1 >= most_passes) {
      return settle_unknown(call, c);
    }
  }
}

typedef struct loop {
  carried state;
  int32_t n_scans;
  int64_t trips;    // -1: unknown
  bool conditional; // the body's own condition may end it
} loop;

static memplan_status set_counters(memplan_call *call, const loop *l, int64_t iteration) {
  static const int64_t yes = 1;
  for (int32_t k = 0; k < 2; k++) {
    // Some exporters declare vectors of one element where scalars are meant, and the runtimes follow them.
    memplan_dims dims = {.rank = memplan_body_declared_rank(call, l->state.graph, k) == 1 ? 1 : 0, .at = {1}};
    memplan_onnx_type type;
    if (!memplan_type_tensor(&type, k == 0 ? MEMPLAN_ONNX_INT64 : MEMPLAN_ONNX_BOOL, &dims, &call->model->arena)) {
      return memplan_fail_nomem(call->error);
    }
    memplan_onnx_data data = {.ints = &yes, .count = 1};
    if (k == 0 && iteration >= 0) {
      int64_t *number = MEMPLAN_NEW(&call->model->arena, int64_t, 1);
      if (number == NULL) {
        return memplan_fail_nomem(call->error);
      }
      *number = iteration;
      data.ints = number;
    }
    // The condition is true whenever the body runs, if the loop looks at it at all.
    bool known = k == 1 ? l->conditional : iteration >= 0;
    MEMPLAN_TRY(memplan_body_set_input(call, l->state.graph, k, &type, known ? &data : NULL, true));
  }
  return MEMPLAN_OK;
}

// The body's condition, given that it was true before: known to stay true?
static bool stays_true(const memplan_call *call, const loop *l) {
  const memplan_onnx_data *data = &memplan_body_output(call, l->state.graph, 0)->data;
  return data->ints != NULL && data->count == 1 && data->known == NULL && data->ints[0] != 0;
}

static memplan_status set_scan_output(memplan_call *call, int32_t k, const memplan_onnx_type *slice, int64_t axis,
                                      int64_t length) {
  memplan_dims dims = memplan_dims_of(slice);
  if (slice->kind != MEMPLAN_ONNX_KIND_TENSOR && slice->kind != MEMPLAN_ONNX_KIND_UNKNOWN) {
    return memplan_call_fail(call, "scan output %d is not a tensor", (int)k);
  }
  if (dims.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, dims.rank + 1, &at));
    MEMPLAN_TRY(memplan_call_append(call, &dims, 0));
    for (int32_t d = dims.rank - 1; d > at; d--) {
      dims.at[d] = dims.at[d - 1];
    }
    dims.at[at] = length;
  }
  return memplan_call_set(call, k, slice->elem_type, &dims);
}

// Follows the iterations of a loop of `trips` iterations one by one.
static memplan_status follow(memplan_call *call, loop *l) {
  carried *c = &l->state;
  memplan_body_record record;
  MEMPLAN_TRY(memplan_body_record_start(call, c->graph, &record));
  for (int64_t i = 0; i < l->trips; i++) {
    MEMPLAN_TRY(set_counters(call, l, i));
    MEMPLAN_TRY(enter_body(call, c, i > 0, true));
    MEMPLAN_TRY(memplan_body_run(call, c->graph));
    MEMPLAN_TRY(memplan_body_record_add(call, &record));
    for (int32_t k = 0; k < c->n; k++) {
      const memplan_onnx_value *value = memplan_body_output(call, c->graph, c->first_output + k);
      c->types[k] = value->type;
      c->data[k] = value->data;
    }
    for (int32_t k = 0; k < l->n_scans; k++) {
      memplan_onnx_type seen = call->out[c->n + k];
      const memplan_onnx_value *slice = memplan_body_output(call, c->graph, c->first_output + c->n + k);
      MEMPLAN_TRY(set_scan_output(call, c->n + k, &slice->type, 0, l->trips));
      if (i > 0 && memplan_call_wants(call, c->n + k) &&
          !memplan_type_meet(&seen, &call->out[c->n + k], &call->model->arena, &call->out[c->n + k])) {
        return memplan_fail_nomem(call->error);
      }
    }
  }
  memplan_body_record_finish(call, &record);
  return MEMPLAN_OK;
}

// Reads count and condition as they enter the loop.
static void count_trips(memplan_call *call, loop *l) {
  int64_t condition = 1;
  bool condition_known = !memplan_call_has(call, 1) || memplan_call_scalar(call, 1, &condition);
  l->trips = -1;
  l->conditional = memplan_call_has(call, 1);
  if (condition_known && condition == 0) {
    l->trips = 0;
  } else if (condition_known && memplan_call_scalar(call, 0, &l->trips)) {
    l->trips = l->trips < 0 ? 0 : l->trips;
  } else {
    l->trips = -1;
  }
}

static void enter_types(memplan_call *call, carried *c, int32_t first) {
  for (int32_t k = 0; k < c->n; k++) {
    const memplan_onnx_type *type = memplan_call_type(call, first + k);
    const memplan_onnx_data *data = memplan_call_data(call, first + k);
    c->types[k] = type != NULL ? *type : (memplan_onnx_type){.rank = -1, .length = -1};
    c->data[k] = data != NULL ? *data : (memplan_onnx_data){.count = 0};
  }
}

static memplan_status set_loop_outputs(memplan_call *call, loop *l) {
  carried *c = &l->state;
  for (int32_t k = 0; k < c->n; k++) {
    memplan_call_set_type(call, k, &c->types[k]);
  }
  for (int32_t k = 0; k < l->n_scans; k++) {
    const memplan_onnx_value *slice = memplan_body_output(call, c->graph, c->first_output + c->n + k);
    MEMPLAN_TRY(set_scan_output(call, c->n + k, &slice->type, 0, l->trips));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_loop(memplan_call *call) {
  loop l = {.state = {.first_input = 2, .first_output = 1}};
  carried *c = &l.state;
  c->n = call->node->n_in > 2 ? call->node->n_in - 2 : 0;
  l.n_scans = call->node->n_out - c->n;
  if (l.n_scans < 0) {
    return memplan_call_fail(call, "fewer outputs than carried values");
  }
  MEMPLAN_TRY(memplan_body_find(call, "body", 2 + c->n, 1 + call->node->n_out, &c->graph));
  MEMPLAN_TRY(new_carried(call, c));
  enter_types(call, c, 2);
  count_trips(call, &l);
  MEMPLAN_TRY(set_counters(call, &l, -1));
  if (l.trips == 0) {
    // The body never runs, but the types of its scan outputs are those of the empty results; let errors in it be.
    for (int32_t k = 0; k < c->n; k++) {
      call->out_data[k] = c->data[k];
    }
    MEMPLAN_TRY(enter_body(call, c, false, true));
    MEMPLAN_TRY(memplan_body_skip(call, c->graph));
    return set_loop_outputs(call, &l);
  }
  bool constant = false;
  MEMPLAN_TRY(settle(call, c, &constant));
  if (l.conditional && !stays_true(call, &l)) {
    l.trips = -1;
  }
  MEMPLAN_TRY(set_loop_outputs(call, &l));
  if (!constant && l.trips > 0 && l.trips <= most_iterations && memplan_body_affordable(call, c->graph, l.trips)) {
    enter_types(call, c, 2);
    MEMPLAN_TRY(follow(call, &l));
    for (int32_t k = 0; k < c->n; k++) {
      memplan_call_set_type(call, k, &c->types[k]);
      call->out_data[k] = c->data[k];
    }
  }
  return MEMPLAN_OK;
}

// Scan. From version 9 on the states come first, then the tensors that are cut into slices; version 8 has sequence
// lengths before them and a batch in front of everything, which the body does not see.
typedef struct scan {
  carried state;
  int32_t n_inputs; // scan inputs
  int32_t first;    // node input where the states begin
  int32_t batched;  // 1: a batch comes first
  int64_t batch;
  int64_t length;
} scan;

// Leaves out `n` dimensions from `at` on.
static memplan_status without_dims(memplan_call *call, const memplan_onnx_type *from, int32_t at, int32_t n,
                                   memplan_onnx_type *to) {
  memplan_dims dims = memplan_dims_of(from);
  if (dims.rank >= 0) {
    if (dims.rank < at + n) {
      return memplan_call_fail(call, "an input of rank %d has too few dimensions", (int)dims.rank);
    }
    for (int32_t d = at; d + n < dims.rank; d++) {
      dims.at[d] = dims.at[d + n];
    }
    dims.rank -= n;
  }
  return memplan_type_tensor(to, from->elem_type, &dims, &call->model->arena) ? MEMPLAN_OK
                                                                              : memplan_fail_nomem(call->error);
}

static memplan_status agree(memplan_call *call, int64_t *known, int64_t size) {
  if (*known >= 0 && size >= 0 && *known != size) {
    return memplan_call_fail(call, "scanned lengths %lld and %lld differ", (long long)*known, (long long)size);
  }
  *known = *known < 0 ? size : *known;
  return MEMPLAN_OK;
}

static memplan_status scan_axis(memplan_call *call, const memplan_list *axes, int32_t k, int64_t *axis) {
  *axis = 0;
  if (axes->present && axes->count > 0) {
    if (k >= axes->count) {
      return memplan_call_fail(call, "fewer axes than scanned tensors");
    }
    *axis = axes->values[k];
  }
  return MEMPLAN_OK;
}

static memplan_status enter_scan(memplan_call *call, scan *s) {
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_ints(call, "scan_input_axes", &axes));
  for (int32_t k = 0; k < s->n_inputs; k++) {
    int32_t from = s->first + s->state.n + k;
    memplan_dims dims;
    MEMPLAN_TRY(memplan_call_dims(call, from, &dims));
    int64_t axis = 0;
    int32_t at = s->batched;
    if (s->batched == 0) {
      MEMPLAN_TRY(scan_axis(call, &axes, k, &axis));
    }
    if (dims.rank >= 0 && s->batched == 0) {
      MEMPLAN_TRY(memplan_call_axis(call, axis, dims.rank, &at));
    }
    if (dims.rank > at) {
      MEMPLAN_TRY(agree(call, &s->length, dims.at[at]));
    }
    if (s->batched != 0 && dims.rank > 0) {
      MEMPLAN_TRY(agree(call, &s->batch, dims.at[0]));
    }
    memplan_onnx_type slice;
    MEMPLAN_TRY(without_dims(call, memplan_call_type(call, from), s->batched != 0 ? 0 : at, 1 + s->batched, &slice));
    MEMPLAN_TRY(memplan_body_set_input(call, s->state.graph, s->state.n + k, &slice, NULL, false));
  }
  for (int32_t k = 0; k < s->state.n; k++) {
    const memplan_onnx_type *type = memplan_call_type(call, s->first + k);
    if (type == NULL) {
      return memplan_call_fail(call, "input %d is missing", (int)(s->first + k));
    }
    MEMPLAN_TRY(without_dims(call, type, 0, s->batched, &s->state.types[k]));
  }
  return MEMPLAN_OK;
}

static memplan_status leave_scan(memplan_call *call, const scan *s) {
  const carried *c = &s->state;
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_ints(call, "scan_output_axes", &axes));
  for (int32_t k = 0; k < call->node->n_out; k++) {
    const memplan_onnx_type *type = &memplan_body_output(call, c->graph, k)->type;
    if (k < c->n && s->batched == 0) {
      memplan_call_set_type(call, k, &c->types[k]);
    } else if (k < c->n) {
      MEMPLAN_TRY(set_scan_output(call, k, &c->types[k], 0, s->batch));
    } else {
      int64_t axis = 0;
      if (s->batched == 0) {
        MEMPLAN_TRY(scan_axis(call, &axes, k - c->n, &axis));
      }
      MEMPLAN_TRY(set_scan_output(call, k, type, axis, s->length));
      if (s->batched != 0 && memplan_call_wants(call, k)) {
        memplan_onnx_type sequence = call->out[k];
        MEMPLAN_TRY(set_scan_output(call, k, &sequence, 0, s->batch));
      }
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_scan(memplan_call *call) {
  scan s = {.batched = call->opset < 9 ? 1 : 0, .batch = -1, .length = -1};
  int64_t n_inputs = 0;
  MEMPLAN_TRY(memplan_call_int_required(call, "num_scan_inputs", &n_inputs));
  s.first = s.batched;
  if (n_inputs < 1 || n_inputs > call->node->n_in - s.first) {
    return memplan_call_fail(call, "attribute 'num_scan_inputs' is %lld", (long long)n_inputs);
  }
  s.n_inputs = (int32_t)n_inputs;
  s.state.n = call->node->n_in - s.first - s.n_inputs;
  if (s.state.n > call->node->n_out) {
    return memplan_call_fail(call, "fewer outputs than states");
  }
  MEMPLAN_TRY(memplan_body_find(call, "body", s.state.n + s.n_inputs, call->node->n_out, &s.state.graph));
  MEMPLAN_TRY(new_carried(call, &s.state));
  MEMPLAN_TRY(enter_scan(call, &s));
  bool constant = false;
  MEMPLAN_TRY(settle(call, &s.state, &constant));
  return leave_scan(call, &s);
}

memplan_status memplan_shape_sequence_map(memplan_call *call) {
  int32_t graph = -1;
  MEMPLAN_TRY(memplan_body_find(call, "body", call->node->n_in, call->node->n_out, &graph));
  int64_t length = -1;
  for (int32_t k = 0; k < call->node->n_in; k++) {
    const memplan_onnx_type *type = memplan_call_type(call, k);
    if (type == NULL) {
      return memplan_call_fail(call, "input %d is missing", (int)k);
    }
    memplan_onnx_type element = *type;
    if (type->kind == MEMPLAN_ONNX_KIND_SEQUENCE) {
      MEMPLAN_TRY(agree(call, &length, type->length));
      element.kind = type->element_kind;
      element.element_kind = MEMPLAN_ONNX_KIND_UNKNOWN;
      element.length = -1;
      element.items = NULL;
    } else if (k == 0 && type->kind != MEMPLAN_ONNX_KIND_UNKNOWN) {
      return memplan_call_fail(call, "input 0 is not a sequence");
    }
    MEMPLAN_TRY(memplan_body_set_input(call, graph, k, &element, NULL, false));
  }
  MEMPLAN_TRY(memplan_body_run(call, graph));
  for (int32_t k = 0; k < call->node->n_out; k++) {
    memplan_onnx_type type = memplan_body_output(call, graph, k)->type;
    type.element_kind = type.kind;
    type.kind = MEMPLAN_ONNX_KIND_SEQUENCE;
    type.length = length;
    type.items = NULL;
    memplan_call_set_type(call, k, &type);
  }
  return MEMPLAN_OK;
}
