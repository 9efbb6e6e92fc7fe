// SPDX-License-Identifier: Apache-2.0
// The conditions of the model, one after the other, for each chosen pair (q, p). "Every other operator that touches p's
// buffer has finished" needs only the two latest finishing operators of each buffer: one of them is not the pair's own.
#include "model/verify_inplace.h"

#include "model/base/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct listed_pair {
  int32_t output, input, op;
} listed_pair;

typedef struct last_finish {
  int32_t op, step; // op -1: none
} last_finish;

typedef struct pair_check {
  const memplan_inplace_task *task;
  memplan_findings *findings;
  memplan_names tensors;
  listed_pair *listed; // of all operators, sorted
  int32_t n_listed;
  last_finish (*last)[2]; // by buffer: the two operators that finish last
  int32_t *first_writer;  // by buffer: operator, -1: none
  bool *used_input;       // by tensor
  memplan_takeover *takeovers;
} pair_check;

static int compare_listed(const void *left, const void *right) {
  const listed_pair *a = left;
  const listed_pair *b = right;
  if (a->output != b->output) {
    return a->output < b->output ? -1 : 1;
  }
  if (a->input != b->input) {
    return a->input < b->input ? -1 : 1;
  }
  return a->op < b->op ? -1 : a->op > b->op;
}

static memplan_status list_pairs(pair_check *state, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = state->task->layout->graph;
  size_t total = 0;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    total += (size_t)graph->ops[op].n_inplace;
  }
  state->listed = MEMPLAN_NEW(arena, listed_pair, total);
  if (state->listed == NULL || total > INT32_MAX) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t k = 0; k < graph->ops[op].n_inplace; k++) {
      memplan_inplace pair = graph->ops[op].inplace[k];
      state->listed[state->n_listed++] = (listed_pair){pair.output, pair.input, op};
    }
  }
  if (state->n_listed > 1) {
    qsort(state->listed, (size_t)state->n_listed, sizeof *state->listed, compare_listed);
  }
  return MEMPLAN_OK;
}

static bool is_listed(const pair_check *state, int32_t output, int32_t input, int32_t op) {
  listed_pair wanted = {output, input, op};
  return state->n_listed > 0 &&
         bsearch(&wanted, state->listed, (size_t)state->n_listed, sizeof wanted, compare_listed) != NULL;
}

static void note_finish(last_finish last[2], int32_t op, int32_t step) {
  if (last[0].op == op || last[1].op == op) {
    return;
  }
  if (last[0].op < 0 || step > last[0].step) {
    last[1] = last[0];
    last[0] = (last_finish){op, step};
  } else if (last[1].op < 0 || step > last[1].step) {
    last[1] = (last_finish){op, step};
  }
}

static memplan_status scan_accesses(pair_check *state, memplan_arena *arena, memplan_error *error) {
  const memplan_layout *layout = state->task->layout;
  const int32_t *step = state->task->step;
  state->last = memplan_arena_alloc(arena, (size_t)layout->n_buffers, sizeof *state->last);
  state->first_writer = MEMPLAN_NEW(arena, int32_t, layout->n_buffers);
  state->used_input = MEMPLAN_NEW(arena, bool, layout->graph->n_tensors);
  if (state->last == NULL || state->first_writer == NULL || state->used_input == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t buffer = 0; buffer < layout->n_buffers; buffer++) {
    state->first_writer[buffer] = -1;
    state->last[buffer][0].op = state->last[buffer][1].op = -1;
    for (int32_t i = layout->first_access[buffer]; i < layout->first_access[buffer + 1]; i++) {
      const memplan_layout_access *access = &layout->accesses[i];
      int32_t until = memplan_layout_until(layout->graph, access->op);
      int32_t finish = until >= 0 && step[until] > step[access->op] ? step[until] : step[access->op];
      note_finish(state->last[buffer], access->op, finish);
      int32_t *first = &state->first_writer[buffer];
      if (access->writes && (*first < 0 || step[access->op] < step[*first])) {
        *first = access->op;
      }
    }
  }
  return MEMPLAN_OK;
}

static const char *reject_output(const pair_check *state, int32_t output, int32_t op) {
  const memplan_inplace_task *task = state->task;
  int32_t buffer = task->layout->buffer[output];
  const uint8_t fixed = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE;
  if (task->layout->root[buffer] != output) {
    return "the output is a view";
  }
  if ((task->layout->roles[buffer] & fixed) != 0) {
    return "the output's buffer is an input, weight or variable";
  }
  if (!task->spans[buffer].in_arena || task->spans[buffer].persistent) {
    return "the output's buffer is outside the arena or persistent";
  }
  if (memplan_layout_until(task->layout->graph, op) >= 0) {
    return "the operator is asynchronous";
  }
  if (state->takeovers[buffer].buffer >= 0) {
    return "the output is in another chosen pair";
  }
  return NULL;
}

static bool touches_otherwise(const pair_check *state, int32_t buffer, int32_t input, int32_t op) {
  const memplan_layout *layout = state->task->layout;
  const memplan_op *entry = &layout->graph->ops[op];
  for (int32_t k = 0; k < entry->n_in; k++) {
    if (entry->in[k] != input && layout->buffer[entry->in[k]] == buffer) {
      return true;
    }
  }
  for (int32_t k = 0; k < entry->n_out; k++) {
    if (layout->buffer[entry->out[k]] == buffer) {
      return true;
    }
  }
  return false;
}

static const char *reject_input(const pair_check *state, int32_t input, int32_t op) {
  const memplan_inplace_task *task = state->task;
  int32_t buffer = task->layout->buffer[input];
  const uint8_t fixed = MEMPLAN_ROLE_OUTPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE;
  if ((task->layout->roles[buffer] & fixed) != 0) {
    return "the input's buffer is an output, weight or variable";
  }
  if ((task->layout->roles[buffer] & MEMPLAN_ROLE_INPUT) != 0 && !task->layout->donatable[buffer] &&
      !task->options->inputs_writable) {
    return "the input's buffer is a graph input that may not be written over";
  }
  if (!task->spans[buffer].in_arena || task->spans[buffer].persistent) {
    return "the input's buffer is outside the arena or persistent";
  }
  if (state->used_input[input]) {
    return "the input is in another chosen pair";
  }
  if (touches_otherwise(state, buffer, input, op)) {
    return "the operator touches the input's buffer through another tensor too";
  }
  return NULL;
}

// The operator that still needs the input's buffer at the step of `op`, or -1.
static int32_t unfinished_other(const pair_check *state, int32_t buffer, int32_t op) {
  const last_finish *last = state->last[buffer];
  const last_finish *other = &last[last[0].op == op ? 1 : 0];
  return other->op >= 0 && other->step >= state->task->step[op] ? other->op : -1;
}

static memplan_status check_pair(pair_check *state, const memplan_plan_pair *pair, memplan_error *error) {
  const memplan_inplace_task *task = state->task;
  const memplan_graph *graph = task->layout->graph;
  int32_t output = memplan_names_find(&state->tensors, pair->output);
  int32_t input = memplan_names_find(&state->tensors, pair->input);
  memplan_violation violation = {.kind = MEMPLAN_VIOLATION_INPLACE,
                                 .first = pair->output,
                                 .second = pair->input,
                                 .step = -1,
                                 .low = -1,
                                 .high = -1};
  if (output < 0 || input < 0) {
    return memplan_findings_add(state->findings, &violation, error, "'%s' cannot take over '%s': '%s' is no tensor",
                                pair->output, pair->input, output < 0 ? pair->output : pair->input);
  }
  int32_t target = task->layout->buffer[output];
  int32_t source = task->layout->buffer[input];
  int32_t op = state->first_writer[target];
  const char *reason = NULL;
  if (task->options->inplace == MEMPLAN_INPLACE_NONE) {
    reason = "the problem allows no in-place pairs";
  } else if (op < 0 || !is_listed(state, output, input, op)) {
    reason = "the operator that first writes the output's buffer does not list this pair";
  }
  violation.step = op >= 0 ? task->step[op] : -1;
  reason = reason != NULL ? reason : reject_output(state, output, op);
  reason = reason != NULL ? reason : reject_input(state, input, op);
  if (reason != NULL) {
    return memplan_findings_add(state->findings, &violation, error, "'%s' may not take over '%s': %s", pair->output,
                                pair->input, reason);
  }
  int32_t holder = unfinished_other(state, source, op);
  if (holder >= 0) {
    return memplan_findings_add(state->findings, &violation, error,
                                "'%s' may not take over '%s' at step %" PRId32
                                ": operator '%s' has not finished with the buffer",
                                pair->output, pair->input, task->step[op], graph->ops[holder].id);
  }
  state->used_input[input] = true;
  state->takeovers[target] = (memplan_takeover){source, output, input, task->layout->offset[input], op};
  return MEMPLAN_OK;
}

static memplan_status check_pairs(pair_check *state, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = state->task->layout->graph;
  for (int32_t buffer = 0; buffer < state->task->layout->n_buffers; buffer++) {
    state->takeovers[buffer] = (memplan_takeover){-1, -1, -1, 0, -1};
  }
  MEMPLAN_TRY(list_pairs(state, arena, error));
  MEMPLAN_TRY(scan_accesses(state, arena, error));
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (memplan_names_add(&state->tensors, graph->tensors[i].id, i) == -2) {
      return memplan_fail_nomem(error);
    }
  }
  for (int32_t i = 0; i < state->task->plan->n_inplace; i++) {
    MEMPLAN_TRY(check_pair(state, &state->task->plan->inplace[i], error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_inplace_check(const memplan_inplace_task *task, memplan_findings *findings,
                                     memplan_takeover *takeovers, memplan_arena *arena, memplan_error *error) {
  pair_check state = {.task = task, .findings = findings, .takeovers = takeovers};
  memplan_names_init(&state.tensors);
  memplan_status status = check_pairs(&state, arena, error);
  memplan_names_free(&state.tensors);
  return status;
}
