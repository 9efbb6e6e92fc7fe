// SPDX-License-Identifier: Apache-2.0
#include "solvers/explain_pair.h"

#include "model/base/number.h"
#include "model/base/options.h"
#include "model/base/quote.h"
#include "solvers/explain_ties.h"

#include <string.h>

const char *memplan_tie_name(memplan_tie tie) {
  static const char *const names[MEMPLAN_TIE_COUNT] = {
      [MEMPLAN_TIE_EMPTY] = "empty",         [MEMPLAN_TIE_OUTSIDE] = "outside",
      [MEMPLAN_TIE_ALIAS] = "alias",         [MEMPLAN_TIE_LIFETIME] = "lifetime",
      [MEMPLAN_TIE_RULE] = "rule",           [MEMPLAN_TIE_PIN] = "pin",
      [MEMPLAN_TIE_ALIGNMENT] = "alignment", [MEMPLAN_TIE_COLOCATION] = "colocation",
      [MEMPLAN_TIE_POOL] = "pool",           [MEMPLAN_TIE_RESERVED] = "reserved",
      [MEMPLAN_TIE_CAPACITY] = "capacity"};
  return names[tie];
}

static memplan_status fail_unknown(const memplan_subject *subject, const char *id, memplan_error *error) {
  const memplan_instance *instance = subject->instance;
  int32_t n_tensors = subject->problem->has_graph ? subject->problem->graph.n_tensors : 0, n = 0;
  const char *what = subject->problem->has_graph ? "tensor or workspace" : "buffer";
  memplan_arena scratch = {0};
  const char **names = MEMPLAN_NEW(&scratch, const char *, (int64_t)instance->n_buffers + n_tensors);
  if (names == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < n_tensors; k++) {
    names[n++] = subject->problem->graph.tensors[k].id;
  }
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    names[n++] = instance->buffers[k].id;
  }
  int32_t nearest = memplan_nearest_name(id, names, n);
  memplan_status status =
      nearest >= 0 ? memplan_fail(error, MEMPLAN_INPUT, "--pair: there is no %s '%s': did you mean '%s'?", what,
                                  memplan_quote(id).text, memplan_quote(names[nearest]).text)
                   : memplan_fail(error, MEMPLAN_INPUT, "--pair: there is no %s '%s': memplan info -v lists them", what,
                                  memplan_quote(id).text);
  memplan_arena_free(&scratch);
  return status;
}

static memplan_status find_side(const memplan_subject *subject, const char *id, memplan_pair_side *side,
                                memplan_error *error) {
  const memplan_instance *instance = subject->instance;
  const memplan_graph *graph = &subject->problem->graph;
  for (int32_t k = 0; subject->problem->has_graph && k < graph->n_tensors; k++) {
    const memplan_tensor *tensor = &graph->tensors[k];
    if (strcmp(tensor->id, id) == 0) {
      *side = (memplan_pair_side){tensor->id,     subject->buffer_of[tensor->storage], tensor->storage, -1,
                                  tensor->offset, tensor->offset + tensor->bytes};
      return MEMPLAN_OK;
    }
  }
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    if (strcmp(instance->buffers[k].id, id) == 0) {
      *side = (memplan_pair_side){instance->buffers[k].id, k, -1, -1, 0, instance->buffers[k].bytes};
      for (int32_t op = 0; subject->problem->has_graph && op < graph->n_ops; op++) {
        side->op = subject->buffer_of_op[op] == k ? op : side->op;
      }
      return MEMPLAN_OK;
    }
  }
  return fail_unknown(subject, id, error);
}

// Bytes that [low, high) of both have in common, the second one lying `distance` after the first.
static int64_t common_bytes(const memplan_pair_side *side, int64_t distance) {
  int64_t low = side[1].low + distance, high = side[1].high + distance;
  low = side[0].low > low ? side[0].low : low;
  high = side[0].high < high ? side[0].high : high;
  return high > low ? high - low : 0;
}

static void find_planned(const memplan_subject *subject, memplan_pair_answer *answer) {
  int32_t a = answer->side[0].buffer, b = answer->side[1].buffer;
  if (subject->offset != NULL && a >= 0 && b >= 0 && subject->offset[a] >= 0 && subject->offset[b] >= 0) {
    answer->planned_bytes =
        subject->pool[a] == subject->pool[b] ? common_bytes(answer->side, subject->offset[b] - subject->offset[a]) : 0;
  }
}

// ---- which kinds forbid it

static memplan_status find_reasons(const memplan_two_buffers *two, memplan_pair_answer *answer, memplan_error *error) {
  memplan_arena scratch = {0};
  memplan_ties all = 0;
  for (int32_t tie = MEMPLAN_TIE_LIFETIME; tie < MEMPLAN_TIE_COUNT; tie++) {
    all |= memplan_ties_of((memplan_tie)tie);
  }
  bool any = false, admitted;
  memplan_status status = memplan_ties_admit(two, all, &scratch, &answer->may_share, error);
  for (int32_t tie = MEMPLAN_TIE_LIFETIME; status == MEMPLAN_OK && !answer->may_share && tie < MEMPLAN_TIE_COUNT;
       tie++) {
    status = memplan_ties_admit(two, memplan_ties_of((memplan_tie)tie), &scratch, &admitted, error);
    answer->forbids[tie] = !admitted;
    any |= !admitted;
  }
  // None does alone: drop one kind after the other while the rest still forbids it.
  for (int32_t tie = MEMPLAN_TIE_LIFETIME;
       status == MEMPLAN_OK && !answer->may_share && !any && tie < MEMPLAN_TIE_COUNT; tie++) {
    status = memplan_ties_admit(two, all & ~memplan_ties_of((memplan_tie)tie), &scratch, &admitted, error);
    answer->together = true;
    answer->forbids[tie] = admitted;
    all &= admitted ? all : ~memplan_ties_of((memplan_tie)tie);
  }
  memplan_interval times;
  if (status == MEMPLAN_OK && memplan_ties_meeting(two, &scratch, &times)) {
    answer->meet = true;
    answer->meet_start = times.start;
    answer->meet_end = times.end;
  }
  memplan_arena_free(&scratch);
  return status;
}

static void find_fixed(const memplan_two_buffers *two, memplan_pair_answer *answer) {
  const memplan_instance *instance = two->instance;
  const memplan_buffer *a = &instance->buffers[two->buffer[0]], *b = &instance->buffers[two->buffer[1]];
  answer->rule = memplan_ties_rule(instance, two->buffer[0], two->buffer[1]);
  answer->tied = instance->block_of[two->buffer[0]] == instance->block_of[two->buffer[1]];
  answer->distance = answer->tied ? instance->delta_of[two->buffer[1]] - instance->delta_of[two->buffer[0]] : 0;
  answer->align = memplan_gcd(a->align, b->align);
  answer->residue = (b->residue - a->residue) % answer->align;
  answer->residue += answer->residue < 0 ? answer->align : 0;
}

// ---- graphs

static memplan_presence presence_of(const memplan_subject *subject, const memplan_pair_side *side,
                                    int32_t workspace[2]) {
  const memplan_ordering *ordering = subject->ordering;
  const memplan_graph *graph = &subject->problem->graph;
  int32_t index = side->storage >= 0 ? ordering->cell_of_storage[side->storage] : -1;
  if (index >= 0) {
    const memplan_cell *cell = &ordering->cells[index];
    return (memplan_presence){.births = ordering->births + cell->first_birth,
                              .n_births = cell->n_births,
                              .deaths = ordering->deaths + cell->first_death,
                              .n_deaths = cell->n_deaths,
                              .init = cell->init,
                              .keep = cell->keep};
  }
  if (side->op >= 0) {
    workspace[0] = side->op;
    workspace[1] = graph->ops[side->op].async_until;
    return (memplan_presence){
        .births = workspace, .n_births = 1, .deaths = workspace, .n_deaths = workspace[1] >= 0 ? 2 : 1};
  }
  // Live at one step in this order though the graph has more, and no cell: an input that nobody reads.
  bool alone =
      side->storage >= 0 && graph->storages[side->storage].n_touches == 0 &&
      subject->problem->options.io == MEMPLAN_IO_ARENA &&
      (graph->storages[side->storage].roles & (MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE | MEMPLAN_ROLE_OUTPUT)) == 0;
  return (memplan_presence){.init = true, .keep = !alone, .first_only = alone};
}

static memplan_status find_orders(const memplan_subject *subject, memplan_pair_answer *answer, memplan_error *error) {
  int32_t workspaces[2][2];
  memplan_presence presence[2];
  for (int32_t side = 0; side < 2; side++) {
    presence[side] = presence_of(subject, &answer->side[side], workspaces[side]);
  }
  answer->has_order = true;
  MEMPLAN_TRY(memplan_presence_precede(subject->ordering, &presence[0], &presence[1], &answer->precede[0], error));
  return memplan_presence_precede(subject->ordering, &presence[1], &presence[0], &answer->precede[1], error);
}

// An operator that keeps the pair from its own on this order: it writes the output before, or needs the input after, or
// is unfinished then. -1: none.
static int32_t find_blocking(const memplan_subject *subject, const memplan_pair *pair) {
  const memplan_ordering *ordering = subject->ordering;
  const memplan_cell *output = &ordering->cells[ordering->cell_of_storage[pair->output_storage]];
  const memplan_cell *input = &ordering->cells[ordering->cell_of_storage[pair->input_storage]];
  int32_t blocking = -1;
  for (int32_t k = 0; k < output->n_births; k++) {
    int32_t op = ordering->births[output->first_birth + k];
    blocking = subject->step[op] < subject->step[pair->op] ? op : blocking;
  }
  for (int32_t k = 0; k < input->n_deaths; k++) {
    int32_t op = ordering->deaths[input->first_death + k];
    blocking = subject->step[op] > subject->step[pair->op] ? op : blocking;
  }
  return blocking;
}

static memplan_status find_inplace(const memplan_subject *subject, memplan_pair_answer *answer, memplan_error *error) {
  const memplan_ordering *ordering = subject->ordering;
  const memplan_pair_side *side = answer->side;
  for (int32_t k = 0; k < ordering->n_pairs; k++) {
    const memplan_pair *pair = &ordering->pairs[k];
    int32_t out = pair->output_storage == side[0].storage ? 0 : 1;
    bool theirs = pair->output_storage == side[out].storage && pair->input_storage == side[1 - out].storage;
    // off(output) = off(input) + delta
    int64_t distance = out == 1 ? pair->delta : -pair->delta;
    int32_t choice = k, n_kept = 1;
    if (!theirs || common_bytes(side, distance) == 0) {
      continue;
    }
    int32_t blocking = find_blocking(subject, pair);
    if (blocking >= 0) {
      answer->blocked_op = pair->op;
      answer->blocking_op = blocking;
      continue;
    }
    MEMPLAN_TRY(memplan_ordering_filter(ordering, &choice, &n_kept, error));
    if (n_kept == 1) {
      answer->inplace_op = pair->op;
      answer->inplace_chosen = answer->tied;
      return MEMPLAN_OK;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_pair_explain(const memplan_subject *subject, const char *first, const char *second,
                                    int64_t capacity, memplan_pair_answer *answer, memplan_error *error) {
  *answer =
      (memplan_pair_answer){.inplace_op = -1, .blocked_op = -1, .blocking_op = -1, .planned_bytes = -1, .align = 1};
  memplan_pair_side *side = answer->side;
  MEMPLAN_TRY(find_side(subject, first, &side[0], error));
  MEMPLAN_TRY(find_side(subject, second, &side[1], error));
  if (strcmp(first, second) == 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "--pair: '%s' is given twice: give two different ones",
                        memplan_quote(first).text);
  }
  find_planned(subject, answer);
  answer->forbids[MEMPLAN_TIE_OUTSIDE] = side[0].buffer < 0 || side[1].buffer < 0;
  answer->forbids[MEMPLAN_TIE_EMPTY] = side[0].low == side[0].high || side[1].low == side[1].high;
  answer->same_buffer = side[0].buffer >= 0 && side[0].buffer == side[1].buffer;
  if (answer->forbids[MEMPLAN_TIE_OUTSIDE] || answer->forbids[MEMPLAN_TIE_EMPTY]) {
    return MEMPLAN_OK;
  }
  if (answer->same_buffer) {
    answer->may_share = common_bytes(side, 0) > 0;
    answer->forbids[MEMPLAN_TIE_ALIAS] = !answer->may_share;
    return MEMPLAN_OK;
  }
  const memplan_two_buffers two = {.instance = subject->instance,
                                   .buffer = {side[0].buffer, side[1].buffer},
                                   .low = {side[0].low, side[1].low},
                                   .high = {side[0].high, side[1].high},
                                   .capacity = capacity};
  find_fixed(&two, answer);
  MEMPLAN_TRY(find_reasons(&two, answer, error));
  if (!subject->problem->has_graph) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(find_orders(subject, answer, error));
  MEMPLAN_TRY(find_inplace(subject, answer, error));
  if (answer->inplace_op >= 0 && subject->offset == NULL && !answer->may_share) {
    answer->may_share = true;
    answer->together = false;
    memset(answer->forbids, 0, sizeof answer->forbids);
  }
  return MEMPLAN_OK;
}
