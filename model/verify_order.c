// SPDX-License-Identifier: Apache-2.0
// The bytes of a buffer are cut at the ends of its accesses. A sweep over its accesses in the given order keeps, in two
// segment trees over the pieces, the latest step that a later access has to wait for:
//   written   the largest step of an operator that wrote there (of its async_until, if that is later)
//   touched   the same for all accesses
// An operator that touches bytes must run after all that is `written` there, one that writes after all that is
// `touched`. So one look for each access stands for all pairs, and each order that breaks a pair is found: the pair's
// step is not larger than the maximum. The operator that ends an asynchronous one waits for nothing but itself, and its
// step equals its own; hence the comparisons are strict.
#include "model/verify_order.h"

#include "model/base/names.h"
#include "model/base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static memplan_status add_bad_entry(memplan_findings *findings, const char *id, int64_t step, const char *what,
                                    memplan_error *error) {
  memplan_violation violation = {MEMPLAN_VIOLATION_ORDER, id, NULL, step, -1, -1, NULL};
  return memplan_findings_add(findings, &violation, error, "operator '%s' %s", id, what);
}

memplan_status memplan_order_read(const memplan_graph *graph, const memplan_plan *plan, memplan_findings *findings,
                                  int32_t *step, bool *is_permutation, memplan_error *error) {
  memplan_names names;
  memplan_names_init(&names);
  memplan_status status = MEMPLAN_OK;
  *is_permutation = plan->n_order == graph->n_ops;
  for (int32_t op = 0; op < graph->n_ops && status == MEMPLAN_OK; op++) {
    step[op] = -1;
    if (memplan_names_add(&names, graph->ops[op].id, op) != -1) {
      status = memplan_fail_nomem(error);
    }
  }
  for (int32_t t = 0; t < plan->n_order && status == MEMPLAN_OK; t++) {
    int32_t op = memplan_names_find(&names, plan->order[t]);
    if (op < 0) {
      status = add_bad_entry(findings, plan->order[t], t, "is none of this graph", error);
      *is_permutation = false;
    } else if (step[op] >= 0) {
      status = add_bad_entry(findings, plan->order[t], t, "runs twice", error);
      *is_permutation = false;
    } else {
      step[op] = t;
    }
  }
  for (int32_t op = 0; op < graph->n_ops && status == MEMPLAN_OK; op++) {
    if (step[op] < 0) {
      status = add_bad_entry(findings, graph->ops[op].id, -1, "is missing in the order", error);
      *is_permutation = false;
    }
  }
  memplan_names_free(&names);
  return status;
}

// A step that has to be over, and the operator that runs then.
typedef struct latest {
  int32_t step, op; // -1: none
} latest;

static latest later_of(latest a, latest b) { return b.step > a.step ? b : a; }

static latest nothing(void) { return (latest){-1, -1}; }

// Maximum over ranges of pieces, raised over ranges of pieces.
typedef struct range_maxima {
  latest *whole;   // by node: raised for all of its pieces
  latest *partial; // by node: the largest of any of its pieces, ancestors' `whole` left out
  int32_t n_leaves;
} range_maxima;

typedef struct order_check {
  const memplan_layout *layout;
  const int32_t *step;
  memplan_findings *findings;
  struct {
    int32_t before, after;
  } reported[MEMPLAN_REPORT_KEPT];
  int32_t n_reported;
  range_maxima written, touched;
  int64_t *ends; // of the pieces of the buffer at hand
  int32_t n_ends;
} order_check;

static void raise_range(range_maxima *maxima, int32_t first, int32_t last, latest value) {
  int32_t low = first + maxima->n_leaves;
  int32_t high = last + maxima->n_leaves;
  int32_t left = low;
  int32_t right = high - 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) {
      maxima->whole[low] = later_of(maxima->whole[low], value);
      maxima->partial[low] = later_of(maxima->partial[low], value);
      low++;
    }
    if (high % 2 == 1) {
      high--;
      maxima->whole[high] = later_of(maxima->whole[high], value);
      maxima->partial[high] = later_of(maxima->partial[high], value);
    }
  }
  for (left /= 2, right /= 2; left >= 1; left /= 2, right /= 2) {
    maxima->partial[left] = later_of(maxima->partial[left], value);
    maxima->partial[right] = later_of(maxima->partial[right], value);
  }
}

static latest largest_in(const range_maxima *maxima, int32_t first, int32_t last) {
  latest result = nothing();
  int32_t low = first + maxima->n_leaves;
  int32_t high = last + maxima->n_leaves;
  int32_t left = low;
  int32_t right = high - 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) {
      result = later_of(result, maxima->partial[low++]);
    }
    if (high % 2 == 1) {
      result = later_of(result, maxima->partial[--high]);
    }
  }
  for (; left >= 1; left /= 2, right /= 2) {
    result = later_of(later_of(result, maxima->whole[left]), maxima->whole[right]);
  }
  return result;
}

static memplan_status report(order_check *state, int32_t before, int32_t after, const char *because, const char *what,
                             memplan_error *error) {
  for (int32_t i = 0; i < state->n_reported; i++) {
    if (state->reported[i].before == before && state->reported[i].after == after) {
      return MEMPLAN_OK;
    }
  }
  if (state->n_reported < MEMPLAN_REPORT_KEPT) {
    state->reported[state->n_reported].before = before;
    state->reported[state->n_reported++].after = after;
  }
  const memplan_op *ops = state->layout->graph->ops;
  memplan_violation violation = {
      MEMPLAN_VIOLATION_ORDER, ops[before].id, ops[after].id, state->step[after], -1, -1, NULL};
  return memplan_findings_add(state->findings, &violation, error,
                              "operator '%s' runs at step %" PRId32 ", but '%s' (step %" PRId32
                              ") has to come first: %s%s%s%s",
                              ops[after].id, state->step[after], ops[before].id, state->step[before], because,
                              what != NULL ? " '" : "", what != NULL ? what : "", what != NULL ? "'" : "");
}

static int32_t piece_at(const order_check *state, int64_t byte) {
  int32_t first = 0;
  int32_t last = state->n_ends;
  while (first < last) {
    int32_t middle = first + (last - first) / 2;
    if (state->ends[middle] < byte) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

static void cut_buffer(order_check *state, int32_t first, int32_t last) {
  int32_t count = 0;
  for (int32_t i = first; i < last; i++) {
    state->ends[count++] = state->layout->accesses[i].low;
    state->ends[count++] = state->layout->accesses[i].high;
  }
  if (count > 1) {
    qsort(state->ends, (size_t)count, sizeof *state->ends, memplan_compare_int64);
  }
  state->n_ends = 0;
  for (int32_t i = 0; i < count; i++) {
    if (state->n_ends == 0 || state->ends[state->n_ends - 1] != state->ends[i]) {
      state->ends[state->n_ends++] = state->ends[i];
    }
  }
  int32_t leaves = 1;
  while (leaves < state->n_ends) {
    leaves *= 2;
  }
  state->written.n_leaves = state->touched.n_leaves = leaves;
  for (int32_t node = 0; node < 2 * leaves; node++) {
    state->written.whole[node] = state->written.partial[node] = nothing();
    state->touched.whole[node] = state->touched.partial[node] = nothing();
  }
}

static latest end_of(const order_check *state, int32_t op) {
  latest own = {state->step[op], op};
  int32_t until = memplan_layout_until(state->layout->graph, op);
  return until < 0 ? own : later_of(own, (latest){state->step[until], until});
}

static memplan_status look(order_check *state, const memplan_layout_access *access, memplan_error *error) {
  if (access->low == access->high) {
    return MEMPLAN_OK;
  }
  const memplan_graph *graph = state->layout->graph;
  int32_t first = piece_at(state, access->low);
  int32_t last = piece_at(state, access->high);
  latest wait = largest_in(access->writes ? &state->touched : &state->written, first, last);
  if (wait.step <= state->step[access->op]) {
    return MEMPLAN_OK;
  }
  return report(state, wait.op, access->op,
                access->writes ? "it must have finished before bytes are overwritten of"
                               : "it must have finished with the bytes of",
                graph->tensors[access->tensor].id, error);
}

static void remember(order_check *state, const memplan_layout_access *access) {
  if (access->low == access->high) {
    return;
  }
  int32_t first = piece_at(state, access->low);
  int32_t last = piece_at(state, access->high);
  latest end = end_of(state, access->op);
  raise_range(&state->touched, first, last, end);
  if (access->writes) {
    raise_range(&state->written, first, last, end);
  }
}

// Who reads no bytes waits for all that has written the buffer.
static memplan_status look_empty(order_check *state, latest wait, const memplan_layout_access *access,
                                 memplan_error *error) {
  bool reads = !access->writes && !access->alias;
  if (access->low < access->high || !reads || wait.step <= state->step[access->op]) {
    return MEMPLAN_OK;
  }
  return report(state, wait.op, access->op, "it writes the buffer of the empty",
                state->layout->graph->tensors[access->tensor].id, error);
}

static memplan_status check_buffer(order_check *state, int32_t buffer, memplan_error *error) {
  const memplan_layout *layout = state->layout;
  latest writers = nothing(); // of those before in the given order, the one that ends last
  int32_t end = layout->first_access[buffer + 1];
  cut_buffer(state, layout->first_access[buffer], end);
  int32_t first_of_op = layout->first_access[buffer];
  while (first_of_op < end) {
    int32_t op = layout->accesses[first_of_op].op;
    bool writes = false;
    int32_t next = first_of_op;
    while (next < end && layout->accesses[next].op == op) {
      writes |= layout->accesses[next].writes;
      MEMPLAN_TRY(look(state, &layout->accesses[next], error));
      MEMPLAN_TRY(look_empty(state, writers, &layout->accesses[next++], error));
    }
    writers = writes ? later_of(writers, end_of(state, op)) : writers;
    for (int32_t i = first_of_op; i < next; i++) {
      remember(state, &layout->accesses[i]);
    }
    first_of_op = next;
  }
  return MEMPLAN_OK;
}

static memplan_status check_buffers(order_check *state, memplan_arena *arena, memplan_error *error) {
  const memplan_layout *layout = state->layout;
  int32_t most = 1;
  for (int32_t buffer = 0; buffer < layout->n_buffers; buffer++) {
    int32_t count = layout->first_access[buffer + 1] - layout->first_access[buffer];
    most = count > most ? count : most;
  }
  state->ends = MEMPLAN_NEW(arena, int64_t, 2 * (size_t)most);
  range_maxima *all[] = {&state->written, &state->touched};
  for (int32_t i = 0; i < 2; i++) {
    all[i]->whole = MEMPLAN_NEW(arena, latest, 8 * (size_t)most);
    all[i]->partial = MEMPLAN_NEW(arena, latest, 8 * (size_t)most);
    if (all[i]->whole == NULL || all[i]->partial == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  if (state->ends == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t buffer = 0; buffer < layout->n_buffers; buffer++) {
    MEMPLAN_TRY(check_buffer(state, buffer, error));
  }
  return MEMPLAN_OK;
}

// A reader comes after the operator that makes what it reads: the first one that has it among its outputs. This adds to
// the bytes the outputs of view operators, which write none, and empty tensors.
static memplan_status check_makers(order_check *state, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = state->layout->graph;
  int32_t *maker = MEMPLAN_NEW(arena, int32_t, graph->n_tensors);
  if (maker == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_in; k++) {
      int32_t from = maker[op->in[k]] - 1;
      if (from >= 0 && state->step[from] > state->step[index]) {
        MEMPLAN_TRY(report(state, from, index, "it makes", graph->tensors[op->in[k]].id, error));
      }
    }
    for (int32_t k = 0; k < op->n_out; k++) {
      if (maker[op->out[k]] == 0) {
        maker[op->out[k]] = index + 1;
      }
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_stated(order_check *state, memplan_error *error) {
  const memplan_graph *graph = state->layout->graph;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_after; k++) {
      if (state->step[op->after[k]] > state->step[index]) {
        MEMPLAN_TRY(report(state, op->after[k], index, "stated by `after`", NULL, error));
      }
    }
    int32_t until = memplan_layout_until(graph, index);
    if (until >= 0 && state->step[until] < state->step[index]) {
      MEMPLAN_TRY(report(state, index, until, "it is finished by this one (`async_until`)", NULL, error));
    }
  }
  return MEMPLAN_OK;
}

// The operator that runs right after a member of the group although a later one of its members is still to come.
static memplan_status check_groups(order_check *state, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = state->layout->graph;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  int32_t *missing = MEMPLAN_NEW(arena, int32_t, graph->n_groups);
  if (order == NULL || missing == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    order[state->step[op]] = op;
    if (graph->ops[op].group >= 0) {
      missing[graph->ops[op].group]++;
    }
  }
  for (int32_t t = 0; t < graph->n_ops; t++) {
    int32_t group = graph->ops[order[t]].group;
    if (group < 0 || --missing[group] == 0 || graph->ops[order[t + 1]].group == group) {
      continue;
    }
    const char *member = graph->ops[order[t]].id;
    const char *stranger = graph->ops[order[t + 1]].id;
    memplan_violation violation = {MEMPLAN_VIOLATION_ORDER, member, stranger, t + 1, -1, -1, NULL};
    MEMPLAN_TRY(memplan_findings_add(state->findings, &violation, error,
                                     "operator '%s' runs at step %" PRId32
                                     ", between operators of group '%s' such as '%s'",
                                     stranger, t + 1, graph->groups[group], member));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_order_check(const memplan_layout *layout, const int32_t *step, memplan_findings *findings,
                                   memplan_arena *arena, memplan_error *error) {
  order_check state = {.layout = layout, .step = step, .findings = findings};
  MEMPLAN_TRY(check_buffers(&state, arena, error));
  MEMPLAN_TRY(check_makers(&state, arena, error));
  MEMPLAN_TRY(check_stated(&state, error));
  return check_groups(&state, arena, error);
}
