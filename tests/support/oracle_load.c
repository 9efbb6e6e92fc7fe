// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include "model/base/number.h"

#include <stdio.h>
#include <string.h>

static int32_t step_of(const memplan_graph *graph, const int32_t *order, int32_t op) {
  for (int32_t t = 0; t < graph->n_ops; t++) {
    if (order[t] == op) {
      return t;
    }
  }
  return -1;
}

// The last step at which the operator is unfinished.
static int32_t last_step(const memplan_graph *graph, const int32_t *order, int32_t op) {
  int32_t until = graph->ops[op].async_until;
  return step_of(graph, order, until >= 0 ? until : op);
}

static bool is_async(const memplan_graph *graph, int32_t op) {
  return graph->ops[op].async_until >= 0 && graph->ops[op].async_until != op;
}

static bool is_untouched(const memplan_graph *graph, int32_t root) {
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (oracle_touches(graph, op, root)) {
      return false;
    }
  }
  return true;
}

static bool writes_to(const memplan_graph *graph, int32_t op, int32_t root) {
  for (int32_t k = 0; k < graph->ops[op].n_out; k++) {
    int32_t output = graph->ops[op].out[k];
    if (oracle_root(graph, output) == root && oracle_writes(graph, op, output)) {
      return true;
    }
  }
  return false;
}

// [step of its first writer, last step at which an operator that touches it is unfinished, + 1)
static void find_activation_life(const memplan_graph *graph, const int32_t *order, oracle_item *item) {
  item->start = -1;
  item->end = -1;
  for (int32_t t = 0; t < graph->n_ops; t++) {
    if (item->start < 0 && writes_to(graph, order[t], item->tensor)) {
      item->start = t;
    }
    if (oracle_touches(graph, order[t], item->tensor)) {
      int32_t end = last_step(graph, order, order[t]) + 1;
      item->end = end > item->end ? end : item->end;
    }
  }
}

// Fills the lifetime. False: outside the arena, or ignored.
static bool find_life(const memplan_graph *graph, const memplan_problem_options *options, const int32_t *order,
                      oracle_item *item) {
  uint8_t roles = oracle_roles(graph, item->tensor);
  bool untouched = is_untouched(graph, item->tensor);
  if (untouched && (roles & MEMPLAN_ROLE_INPUT) == 0) {
    return false;
  }
  find_activation_life(graph, order, item);
  int32_t n = graph->n_ops > 0 ? graph->n_ops : 1; // without operators there is one step
  if ((roles & MEMPLAN_ROLE_WEIGHT) != 0) {
    item->start = 0;
    item->end = n;
    return options->weights == MEMPLAN_WEIGHTS_RESIDENT;
  }
  if ((roles & MEMPLAN_ROLE_VARIABLE) != 0) {
    item->start = 0;
    item->end = n;
    return true;
  }
  if ((roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT)) != 0) {
    if (options->io == MEMPLAN_IO_EXTERNAL) {
      return false;
    }
    if ((roles & MEMPLAN_ROLE_INPUT) != 0) {
      item->start = 0;
      item->end = untouched ? 1 : item->end;
    }
    if ((roles & MEMPLAN_ROLE_OUTPUT) != 0) {
      item->end = n;
    }
    if (options->io == MEMPLAN_IO_PERSISTENT) {
      item->start = 0;
      item->end = n;
    }
  }
  return true;
}

static bool is_taken(const oracle_items *items, const char *id) {
  for (int32_t i = 0; i < items->count; i++) {
    if (strcmp(items->items[i].id, id) == 0) {
      return true;
    }
  }
  return false;
}

// Names live in the graph's arena, as the ids that they stand beside.
static const char *workspace_name(const memplan_graph *graph, const oracle_items *items, int32_t op) {
  char name[256];
  (void)snprintf(name, sizeof name, "%s#workspace", graph->ops[op].id);
  while (is_taken(items, name)) {
    size_t length = strlen(name);
    name[length] = '#';
    name[length + 1] = '\0';
  }
  memplan_arena *arena = (memplan_arena *)&graph->arena;
  return memplan_arena_text(arena, name, strlen(name));
}

void oracle_find_items(const memplan_graph *graph, const memplan_problem_options *options, const int64_t *workspace,
                       const int32_t *order, oracle_items *items) {
  items->count = 0;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    oracle_item item = {.id = graph->tensors[i].id, .tensor = i, .op = -1, .bytes = graph->tensors[i].bytes};
    if (graph->tensors[i].view_of < 0 && find_life(graph, options, order, &item)) {
      items->items[items->count++] = item;
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (workspace[op] > 0) {
      items->items[items->count] = (oracle_item){.id = workspace_name(graph, items, op),
                                                 .tensor = -1,
                                                 .op = op,
                                                 .bytes = workspace[op],
                                                 .start = step_of(graph, order, op),
                                                 .end = last_step(graph, order, op) + 1};
      items->count++;
    }
  }
}

static bool is_in_arena(const oracle_items *items, int32_t root) {
  for (int32_t i = 0; i < items->count; i++) {
    if (items->items[i].tensor == root) {
      return true;
    }
  }
  return false;
}

static bool is_io(const memplan_graph *graph, int32_t root) {
  return (oracle_roles(graph, root) & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT)) != 0;
}

static bool may_be_overwritten(const memplan_graph *graph, const memplan_problem_options *options, int32_t root) {
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    const memplan_tensor *tensor = &graph->tensors[i];
    if (oracle_root(graph, i) != root) {
      continue;
    }
    bool fixed_input = (tensor->roles & MEMPLAN_ROLE_INPUT) != 0 && !tensor->donatable && !options->inputs_writable;
    if (fixed_input || (tensor->roles & (MEMPLAN_ROLE_OUTPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0) {
      return false;
    }
  }
  return true;
}

static bool touches_through_input_only(const memplan_graph *graph, const oracle_pair *pair, int32_t root) {
  const memplan_op *op = &graph->ops[pair->op];
  for (int32_t k = 0; k < op->n_in; k++) {
    if (oracle_root(graph, op->in[k]) == root && op->in[k] != pair->input) {
      return false;
    }
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (oracle_root(graph, op->out[k]) == root) {
      return false;
    }
  }
  return true;
}

static bool pair_is_legal(const memplan_graph *graph, const memplan_problem_options *options, const oracle_items *items,
                          const int32_t *order, const oracle_pair *pair) {
  int32_t target = oracle_root(graph, pair->output);
  int32_t source = oracle_root(graph, pair->input);
  int32_t step = step_of(graph, order, pair->op);
  const uint8_t fixed = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE;
  if (options->inplace == MEMPLAN_INPLACE_NONE || target != pair->output || is_async(graph, pair->op) ||
      (oracle_roles(graph, target) & fixed) != 0 || !may_be_overwritten(graph, options, source) ||
      !touches_through_input_only(graph, pair, source) || !is_in_arena(items, target) || !is_in_arena(items, source)) {
    return false;
  }
  if (options->io == MEMPLAN_IO_PERSISTENT && (is_io(graph, target) || is_io(graph, source))) {
    return false;
  }
  if (!writes_to(graph, pair->op, target)) {
    return false;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (op == pair->op) {
      continue;
    }
    if (writes_to(graph, op, target) && step_of(graph, order, op) < step) {
      return false;
    }
    if (oracle_touches(graph, op, source) && last_step(graph, order, op) >= step) {
      return false;
    }
  }
  return true;
}

bool oracle_choice_is_legal(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_items *items, const int32_t *order, const oracle_choice *choice) {
  for (int32_t a = 0; a < choice->count; a++) {
    if (!pair_is_legal(graph, options, items, order, &choice->pairs[a])) {
      return false;
    }
    for (int32_t b = 0; b < a; b++) {
      if (choice->pairs[a].output == choice->pairs[b].output || choice->pairs[a].input == choice->pairs[b].input) {
        return false;
      }
    }
  }
  return true;
}

// What the tensors of two buffers, one on the other, ask of the offset of the lower one.
typedef struct wishes {
  int64_t shift[ORACLE_TENSORS + 2], align[ORACLE_TENSORS + 2], pin[ORACLE_TENSORS + 2];
  int32_t count;
  int64_t period; // of all alignments
} wishes;

static void add_wish(wishes *all, int64_t shift, int64_t align, int64_t pin) {
  all->shift[all->count] = shift;
  all->align[all->count] = align;
  all->pin[all->count++] = pin;
  all->period *= align / memplan_gcd(all->period, align);
}

static void add_wishes(const memplan_graph *graph, const memplan_problem_options *options, int32_t root, int64_t shift,
                       wishes *all) {
  add_wish(all, shift, options->align, -1);
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (oracle_root(graph, i) == root) {
      add_wish(all, shift + oracle_offset(graph, i), graph->tensors[i].align, graph->tensors[i].pin);
    }
  }
}

static bool may_lie_at(const wishes *all, int64_t base, int64_t offset) {
  for (int32_t k = 0; k < all->count; k++) {
    int64_t own = offset + all->shift[k];
    if ((base + own) % all->align[k] != 0 || (all->pin[k] >= 0 && all->pin[k] != own)) {
      return false;
    }
  }
  return true;
}

static bool admits_pool(const memplan_graph *graph, int32_t root, int32_t pool) {
  bool admits = true;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    const memplan_tensor *tensor = &graph->tensors[i];
    bool listed = tensor->n_pools == 0;
    for (int32_t k = 0; k < tensor->n_pools; k++) {
      listed |= tensor->pools[k] == pool;
    }
    admits &= oracle_root(graph, i) != root || listed;
  }
  return admits;
}

// Is there a place for the input's buffer, and on it one for the output's, in a pool that both admit?
static bool can_lie(const memplan_graph *graph, const memplan_problem_options *options, const oracle_pair *pair) {
  int32_t source = oracle_root(graph, pair->input);
  wishes all = {.period = 1};
  add_wishes(graph, options, source, 0, &all);
  add_wishes(graph, options, pair->output, oracle_offset(graph, pair->input), &all);
  int64_t end = all.period;
  for (int32_t k = 0; k < all.count; k++) {
    end = all.pin[k] >= end ? all.pin[k] + 1 : end;
  }
  for (int32_t pool = 0; pool < graph->n_pools || pool == 0; pool++) {
    bool pooled = graph->n_pools == 0 || (admits_pool(graph, source, pool) && admits_pool(graph, pair->output, pool));
    int64_t base = graph->n_pools == 0 ? 0 : graph->pools[pool].base;
    for (int64_t offset = 0; offset < end && pooled; offset++) {
      if (may_lie_at(&all, base, offset)) {
        return true;
      }
    }
  }
  return false;
}

void oracle_for_each_choice(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_items *items, const int32_t *order,
                            void (*visit)(void *context, const oracle_choice *choice), void *context) {
  oracle_choice all = {.count = 0};
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t k = 0; k < graph->ops[op].n_inplace && all.count < ORACLE_PAIRS; k++) {
      oracle_pair pair = {op, graph->ops[op].inplace[k].output, graph->ops[op].inplace[k].input};
      if (pair_is_legal(graph, options, items, order, &pair) && can_lie(graph, options, &pair)) {
        all.pairs[all.count++] = pair;
      }
    }
  }
  for (uint32_t subset = 0; subset < (uint32_t)1 << all.count; subset++) {
    oracle_choice choice = {.count = 0};
    for (int32_t i = 0; i < all.count; i++) {
      if ((subset >> i & 1) != 0) {
        choice.pairs[choice.count++] = all.pairs[i];
      }
    }
    if (oracle_choice_is_legal(graph, options, items, order, &choice)) {
      visit(context, &choice);
    }
  }
}

// Bytes that the two buffers of a pair have in common when the output lies on the input.
static int64_t shared_bytes(const memplan_graph *graph, const oracle_pair *pair) {
  int64_t low = oracle_offset(graph, pair->input);
  int64_t shared = 0;
  for (int64_t byte = low; byte < low + graph->tensors[pair->output].bytes; byte++) {
    shared += byte < graph->tensors[oracle_root(graph, pair->input)].bytes ? 1 : 0;
  }
  return shared;
}

int64_t oracle_load(const memplan_graph *graph, const oracle_items *items, const int32_t *order,
                    const oracle_choice *choice) {
  int64_t largest = 0;
  for (int32_t t = 0; t < graph->n_ops || t == 0; t++) {
    int64_t load = 0;
    for (int32_t i = 0; i < items->count; i++) {
      load += items->items[i].start <= t && t < items->items[i].end ? items->items[i].bytes : 0;
    }
    for (int32_t i = 0; i < choice->count; i++) {
      load -= t < graph->n_ops && choice->pairs[i].op == order[t] ? shared_bytes(graph, &choice->pairs[i]) : 0;
    }
    largest = load > largest ? load : largest;
  }
  return largest;
}

typedef struct peak_search {
  const memplan_graph *graph;
  const oracle_items *items;
  const int32_t *order;
  int64_t least;
} peak_search;

static void lower_peak(void *context, const oracle_choice *choice) {
  peak_search *search = context;
  int64_t load = oracle_load(search->graph, search->items, search->order, choice);
  search->least = search->least < 0 || load < search->least ? load : search->least;
}

int64_t oracle_order_peak(const memplan_graph *graph, const memplan_problem_options *options, const oracle_items *items,
                          const int32_t *order) {
  peak_search search = {graph, items, order, -1};
  oracle_for_each_choice(graph, options, items, order, lower_peak, &search);
  return search.least;
}
