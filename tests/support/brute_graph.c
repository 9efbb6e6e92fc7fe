// SPDX-License-Identifier: Apache-2.0
// What is live hangs on the set and the operator alone, since an operator is finished once another one is done.
#include "tests/support/brute_graph.h"

#include <stdlib.h>

static uint32_t end_of(const memplan_graph *graph, int32_t op) {
  int32_t until = graph->ops[op].async_until;
  return UINT32_C(1) << (until >= 0 ? until : op);
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

bool brute_add_alignment(int64_t shift, int64_t align, int64_t *period, int64_t *residue) {
  for (int64_t k = 0; k < align; k++) {
    int64_t offset = *residue + k * *period;
    if ((offset + shift) % align == 0) {
      int64_t common = *period;
      while (common % align != 0) {
        common += *period;
      }
      *period = common;
      *residue = offset % common;
      return true;
    }
  }
  return false;
}

static void add_item(brute_graph *all, const brute_item *one, int64_t align) {
  brute_item *added = &all->items[all->n_items++];
  *added = *one;
  added->period = 1;
  added->residue = 0;
  added->pin = -1;
  bool fits = brute_add_alignment(0, all->options->align, &added->period, &added->residue) &&
              brute_add_alignment(0, align, &added->period, &added->residue);
  for (int32_t k = 0; one->tensor >= 0 && k < all->graph->n_tensors; k++) {
    const memplan_tensor *tensor = &all->graph->tensors[k];
    if (oracle_root(all->graph, k) == one->tensor) {
      int64_t shift = oracle_offset(all->graph, k);
      fits = fits && brute_add_alignment(shift, tensor->align, &added->period, &added->residue);
      added->pin = tensor->pin >= 0 ? tensor->pin - shift : added->pin;
    }
  }
  all->hopeless = all->hopeless || (!fits && one->bytes > 0);
}

// Adds the buffer of a root, unless it lies outside the arena.
static void add_buffer(brute_graph *all, int32_t root) {
  const memplan_graph *graph = all->graph;
  uint8_t roles = oracle_roles(graph, root);
  bool io = (roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT)) != 0, touched = false;
  brute_item one = {.bytes = graph->tensors[root].bytes, .tensor = root};
  for (int32_t op = 0; op < graph->n_ops; op++) {
    one.writers |= writes_to(graph, op, root) ? UINT32_C(1) << op : 0;
    one.ends |= oracle_touches(graph, op, root) ? end_of(graph, op) : 0;
    touched = touched || oracle_touches(graph, op, root);
  }
  if (!touched && (roles & MEMPLAN_ROLE_INPUT) == 0) {
    return;
  }
  if ((roles & (MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0) {
    one.from_start = one.to_end = true;
    if ((roles & MEMPLAN_ROLE_WEIGHT) != 0 && all->options->weights != MEMPLAN_WEIGHTS_RESIDENT) {
      return;
    }
  } else if (io) {
    bool persistent = all->options->io == MEMPLAN_IO_PERSISTENT;
    one.from_start = persistent || (roles & MEMPLAN_ROLE_INPUT) != 0;
    one.to_end = persistent || (roles & MEMPLAN_ROLE_OUTPUT) != 0;
    one.unread = !touched && !one.to_end;
    if (all->options->io == MEMPLAN_IO_EXTERNAL) {
      return;
    }
  }
  add_item(all, &one, 1);
}

static bool may_be_overwritten(const brute_graph *all, int32_t root) {
  for (int32_t k = 0; k < all->graph->n_tensors; k++) {
    const memplan_tensor *tensor = &all->graph->tensors[k];
    bool input = (tensor->roles & MEMPLAN_ROLE_INPUT) != 0 && !tensor->donatable && !all->options->inputs_writable;
    if (oracle_root(all->graph, k) == root &&
        (input || (tensor->roles & (MEMPLAN_ROLE_OUTPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0)) {
      return false;
    }
  }
  return true;
}

static int32_t find_item(const brute_graph *all, int32_t root) {
  for (int32_t k = 0; k < all->n_items; k++) {
    if (all->items[k].tensor == root) {
      return k;
    }
  }
  return -1;
}

static bool touches_otherwise(const memplan_graph *graph, const brute_pair *one, int32_t root) {
  const memplan_op *op = &graph->ops[one->op];
  for (int32_t k = 0; k < op->n_in; k++) {
    if (op->in[k] != one->input && oracle_root(graph, op->in[k]) == root) {
      return true;
    }
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (oracle_root(graph, op->out[k]) == root) {
      return true;
    }
  }
  return false;
}

// What holds of a pair in every order. Those of empty buffers bring nothing and bind nothing.
static bool may_be_chosen(const brute_graph *all, const brute_pair *one) {
  const memplan_graph *graph = all->graph;
  int32_t target = oracle_root(graph, one->output), source = oracle_root(graph, one->input);
  uint8_t roles = oracle_roles(graph, target), io = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT;
  if (all->options->inplace == MEMPLAN_INPLACE_NONE || target != one->output || one->born < 0 || one->dying < 0 ||
      all->items[one->born].bytes == 0 || all->items[one->dying].bytes == 0) {
    return false;
  }
  if ((roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0 ||
      !may_be_overwritten(all, source) || !writes_to(graph, one->op, target) ||
      end_of(graph, one->op) != UINT32_C(1) << one->op) {
    return false;
  }
  if (all->options->io == MEMPLAN_IO_PERSISTENT && ((roles | oracle_roles(graph, source)) & io) != 0) {
    return false;
  }
  return !touches_otherwise(graph, one, source);
}

static void add_pairs(brute_graph *all, int32_t op) {
  const memplan_op *entry = &all->graph->ops[op];
  for (int32_t k = 0; k < entry->n_inplace; k++) {
    brute_pair one = {.op = op, .output = entry->inplace[k].output, .input = entry->inplace[k].input};
    one.born = find_item(all, oracle_root(all->graph, one.output));
    one.dying = find_item(all, oracle_root(all->graph, one.input));
    if (!may_be_chosen(all, &one)) {
      continue;
    }
    brute_item born = all->items[one.born], dying = all->items[one.dying];
    one.delta = oracle_offset(all->graph, one.input);
    for (int32_t other = 0; other < all->n_ops; other++) {
      bool touches = other != op && oracle_touches(all->graph, other, dying.tensor);
      one.others |= touches ? end_of(all->graph, other) : 0;
    }
    int64_t common = dying.bytes - one.delta < born.bytes ? dying.bytes - one.delta : born.bytes;
    one.saving = common > 0 ? common : 0;
    bool pinned = dying.pin >= 0 && born.pin >= 0 && dying.pin + one.delta != born.pin;
    bool aligned = brute_add_alignment(one.delta - born.residue, born.period, &dying.period, &dying.residue);
    int64_t pin = dying.pin >= 0 ? dying.pin : born.pin >= 0 ? born.pin - one.delta : -1;
    if (pinned || !aligned || ((dying.pin >= 0 || born.pin >= 0) && (pin < 0 || pin % dying.period != dying.residue))) {
      continue; // never on each other
    }
    if (all->n_pairs == ORACLE_PAIRS) {
      abort();
    }
    all->pairs[all->n_pairs++] = one;
  }
}

static bool go_together(const brute_graph *all, uint32_t choice) {
  for (int32_t a = 0; a < all->n_pairs; a++) {
    for (int32_t b = 0; b < a; b++) {
      if (brute_holds(choice, a) && brute_holds(choice, b) &&
          (all->pairs[a].output == all->pairs[b].output || all->pairs[a].input == all->pairs[b].input)) {
        return false;
      }
    }
  }
  return true;
}

void brute_graph_read(const memplan_graph *graph, const memplan_problem_options *options,
                      const oracle_precedence *precedence, brute_graph *all) {
  all->graph = graph;
  all->options = options;
  all->n_ops = graph->n_ops;
  for (int32_t root = 0; root < graph->n_tensors; root++) {
    if (graph->tensors[root].view_of < 0) {
      add_buffer(all, root);
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (graph->ops[op].workspace > 0) {
      brute_item one = {.bytes = graph->ops[op].workspace, .writers = UINT32_C(1) << op, .tensor = -1};
      one.ends = end_of(graph, op);
      add_item(all, &one, graph->ops[op].workspace_align);
    }
    for (int32_t other = 0; other < graph->n_ops; other++) {
      bool together = graph->ops[op].group >= 0 && graph->ops[op].group == graph->ops[other].group;
      all->before[op] |= precedence->before[other][op] ? UINT32_C(1) << other : 0;
      all->group[op] |= together ? UINT32_C(1) << other : 0;
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    add_pairs(all, op);
  }
  for (uint32_t choice = 0; choice < UINT32_C(1) << all->n_pairs; choice++) {
    all->together[choice] = go_together(all, choice);
    for (int32_t k = 0; k < all->n_pairs; k++) {
      all->saving[choice] += brute_holds(choice, k) ? all->pairs[k].saving : 0;
    }
  }
  for (int32_t k = 0; k < all->n_pairs; k++) {
    all->pairs_of[all->pairs[k].op] |= UINT32_C(1) << k;
  }
}

// ---- loads

// Groups run consecutively: one that has begun goes on.
bool brute_may_follow(const brute_graph *all, uint32_t set, int32_t op) {
  if (brute_holds(set, op) || (all->before[op] & ~set) != 0) {
    return false;
  }
  for (int32_t other = 0; other < all->n_ops; other++) {
    bool open = brute_holds(set, other) && (all->group[other] & ~set) != 0;
    if (open && !brute_holds(all->group[other], op)) {
      return false;
    }
  }
  return true;
}

bool brute_is_live(const brute_item *one, uint32_t set, int32_t op) {
  bool born = one->from_start || (one->writers & (set | UINT32_C(1) << op)) != 0;
  bool dead = one->unread ? set != 0 : !one->to_end && (one->ends & ~set) == 0;
  return born && !dead;
}

// Is the output born here, and has every other operator that touches the input's buffer finished?
static bool is_legal(const brute_graph *all, const brute_pair *one, uint32_t set) {
  return (all->items[one->born].writers & set) == 0 && (one->others & ~set) == 0;
}

uint32_t brute_legal_pairs(const brute_graph *all, uint32_t set, int32_t op) {
  uint32_t legal = 0;
  for (int32_t k = 0; k < all->n_pairs; k++) {
    legal |= all->pairs[k].op == op && is_legal(all, &all->pairs[k], set) ? UINT32_C(1) << k : 0;
  }
  return legal;
}

int64_t brute_plain_load(const brute_graph *all, uint32_t set, int32_t op) {
  int64_t load = 0;
  for (int32_t k = 0; k < all->n_items; k++) {
    load += brute_is_live(&all->items[k], set, op) ? all->items[k].bytes : 0;
  }
  return load;
}

int64_t brute_best_load(const brute_graph *all, uint32_t set, int32_t op) {
  uint32_t legal = brute_legal_pairs(all, set, op);
  int64_t saving = 0;
  for (uint32_t choice = legal; choice != 0; choice = (choice - 1) & legal) {
    saving = all->together[choice] && all->saving[choice] > saving ? all->saving[choice] : saving;
  }
  return brute_plain_load(all, set, op) - saving;
}
