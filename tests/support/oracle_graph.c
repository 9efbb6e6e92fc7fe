// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <string.h>

int32_t oracle_root(const memplan_graph *graph, int32_t tensor) {
  while (graph->tensors[tensor].view_of >= 0) {
    tensor = graph->tensors[tensor].view_of;
  }
  return tensor;
}

int64_t oracle_offset(const memplan_graph *graph, int32_t tensor) {
  int64_t offset = 0;
  while (graph->tensors[tensor].view_of >= 0) {
    offset += graph->tensors[tensor].view_offset;
    tensor = graph->tensors[tensor].view_of;
  }
  return offset;
}

uint8_t oracle_roles(const memplan_graph *graph, int32_t root) {
  uint8_t roles = 0;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (oracle_root(graph, i) == root) {
      roles |= graph->tensors[i].roles;
    }
  }
  return roles;
}

static bool holds(const int32_t *list, int32_t count, int32_t value) {
  for (int32_t k = 0; k < count; k++) {
    if (list[k] == value) {
      return true;
    }
  }
  return false;
}

static bool reads_buffer(const memplan_graph *graph, int32_t op, int32_t root) {
  for (int32_t k = 0; k < graph->ops[op].n_in; k++) {
    if (oracle_root(graph, graph->ops[op].in[k]) == root) {
      return true;
    }
  }
  return false;
}

bool oracle_writes(const memplan_graph *graph, int32_t op, int32_t output) {
  const memplan_op *entry = &graph->ops[op];
  bool alias = reads_buffer(graph, op, oracle_root(graph, output)) && !holds(entry->in, entry->n_in, output) &&
               !holds(entry->writes, entry->n_writes, output);
  return !alias;
}

bool oracle_touches(const memplan_graph *graph, int32_t op, int32_t root) {
  if (reads_buffer(graph, op, root)) {
    return true;
  }
  for (int32_t k = 0; k < graph->ops[op].n_out; k++) {
    if (oracle_root(graph, graph->ops[op].out[k]) == root) {
      return true;
    }
  }
  return false;
}

// The bytes of one buffer that an operator reads (or lies on, as an alias) and writes.
typedef struct byte_use {
  bool reads[ORACLE_BYTES], writes[ORACLE_BYTES];
} byte_use;

static void add_bytes(const memplan_graph *graph, int32_t root, int32_t tensor, bool *bytes) {
  if (oracle_root(graph, tensor) != root) {
    return;
  }
  int64_t low = oracle_offset(graph, tensor);
  for (int64_t byte = low; byte < low + graph->tensors[tensor].bytes; byte++) {
    bytes[byte] = true;
  }
}

static byte_use find_use(const memplan_graph *graph, int32_t op, int32_t root) {
  byte_use use;
  memset(&use, 0, sizeof use);
  const memplan_op *entry = &graph->ops[op];
  for (int32_t k = 0; k < entry->n_in; k++) {
    add_bytes(graph, root, entry->in[k], use.reads);
  }
  for (int32_t k = 0; k < entry->n_out; k++) {
    add_bytes(graph, root, entry->out[k], oracle_writes(graph, op, entry->out[k]) ? use.writes : use.reads);
  }
  return use;
}

static int32_t until_of(const memplan_graph *graph, int32_t op) {
  int32_t until = graph->ops[op].async_until;
  return until == op ? -1 : until;
}

// a stands before b in the given order.
static void compare_ops(const memplan_graph *graph, int32_t a, int32_t b, oracle_precedence *precedence) {
  for (int32_t root = 0; root < graph->n_tensors; root++) {
    if (graph->tensors[root].view_of >= 0 || !oracle_touches(graph, a, root) || !oracle_touches(graph, b, root)) {
      continue;
    }
    byte_use first = find_use(graph, a, root);
    byte_use second = find_use(graph, b, root);
    for (int32_t byte = 0; byte < ORACLE_BYTES; byte++) {
      bool b_touches = second.reads[byte] || second.writes[byte];
      bool a_touches = first.reads[byte] || first.writes[byte];
      if ((first.writes[byte] && b_touches) || (second.writes[byte] && a_touches)) {
        precedence->before[a][b] = true;
        int32_t until = until_of(graph, a);
        if (until >= 0 && until != b) {
          precedence->before[until][b] = true;
        }
      }
    }
  }
}

// Something is there before any operator writes: the buffer is an input, a weight or a variable.
static bool holds_from_start(const memplan_graph *graph, int32_t tensor) {
  const uint8_t roles = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE;
  return (oracle_roles(graph, oracle_root(graph, tensor)) & roles) != 0;
}

static bool writes_buffer(const memplan_graph *graph, int32_t op, int32_t root) {
  for (int32_t k = 0; k < graph->ops[op].n_out; k++) {
    int32_t output = graph->ops[op].out[k];
    if (oracle_root(graph, output) == root && oracle_writes(graph, op, output)) {
      return true;
    }
  }
  return false;
}

static bool writes_byte_of(const memplan_graph *graph, int32_t op, int32_t tensor) {
  byte_use use = find_use(graph, op, oracle_root(graph, tensor));
  int64_t low = oracle_offset(graph, tensor);
  for (int64_t byte = low; byte < low + graph->tensors[tensor].bytes; byte++) {
    if (use.writes[byte]) {
      return true;
    }
  }
  return false;
}

// Is what `op` reads there when it runs in the given order?
static bool check_read(const memplan_graph *graph, int32_t op, int32_t tensor) {
  int32_t root = oracle_root(graph, tensor);
  if (holds_from_start(graph, tensor) || writes_buffer(graph, op, root)) {
    return true;
  }
  for (int32_t earlier = 0; earlier < op; earlier++) {
    if (graph->tensors[tensor].bytes == 0 ? writes_buffer(graph, earlier, root)
                                          : writes_byte_of(graph, earlier, tensor)) {
      return true;
    }
  }
  return false;
}

// A reader of an empty tensor waits for every operator before that writes its buffer.
static void wait_for_writers(const memplan_graph *graph, int32_t op, int32_t tensor, oracle_precedence *precedence) {
  for (int32_t earlier = 0; earlier < op && graph->tensors[tensor].bytes == 0; earlier++) {
    if (writes_buffer(graph, earlier, oracle_root(graph, tensor))) {
      precedence->before[earlier][op] = true;
      int32_t until = until_of(graph, earlier);
      if (until >= 0 && until != op) {
        precedence->before[until][op] = true;
      }
    }
  }
}

// A reader comes after the operator that makes the tensor, unless it reads what was there before.
static void check_maker(const memplan_graph *graph, int32_t op, int32_t tensor, oracle_precedence *precedence) {
  int32_t maker = -1;
  for (int32_t other = graph->n_ops - 1; other >= 0; other--) {
    if (holds(graph->ops[other].out, graph->ops[other].n_out, tensor)) {
      maker = other;
    }
  }
  if (maker < 0 || maker == op) {
    return;
  }
  bool old_value = maker > op && oracle_writes(graph, maker, tensor) &&
                   (holds_from_start(graph, tensor) || graph->tensors[tensor].bytes > 0);
  if (!old_value) {
    precedence->before[maker][op] = true;
  }
}

static void close_transitively(int32_t n, oracle_precedence *precedence) {
  for (int32_t k = 0; k < n; k++) {
    for (int32_t a = 0; a < n; a++) {
      for (int32_t b = 0; b < n; b++) {
        precedence->before[a][b] |= precedence->before[a][k] && precedence->before[k][b];
      }
    }
  }
}

// Is there an offset at which every tensor of the buffer has its alignment (if asked for), and its pin (if asked for)?
static bool has_offset(const memplan_graph *graph, int32_t root, bool aligned, bool pinned) {
  for (int64_t offset = 0; offset < 5000; offset++) {
    bool fits = true;
    for (int32_t i = 0; i < graph->n_tensors && fits; i++) {
      const memplan_tensor *tensor = &graph->tensors[i];
      if (oracle_root(graph, i) == root) {
        int64_t own = offset + oracle_offset(graph, i);
        fits = (!aligned || own % tensor->align == 0) && (!pinned || tensor->pin < 0 || tensor->pin == own);
      }
    }
    if (fits) {
      return true;
    }
  }
  return false;
}

// Is there a pool that every tensor of the buffer admits?
static bool has_pool(const memplan_graph *graph, int32_t root) {
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    bool admitted = true;
    for (int32_t i = 0; i < graph->n_tensors; i++) {
      const memplan_tensor *tensor = &graph->tensors[i];
      admitted &= oracle_root(graph, i) != root || tensor->n_pools == 0 || holds(tensor->pools, tensor->n_pools, pool);
    }
    if (admitted) {
      return true;
    }
  }
  return graph->n_pools == 0;
}

static bool groups_are_consecutive(const memplan_graph *graph, const int32_t *order) {
  for (int32_t a = 0; a < graph->n_ops; a++) {
    for (int32_t b = a + 1; b < graph->n_ops; b++) {
      for (int32_t c = b + 1; c < graph->n_ops; c++) {
        int32_t group = graph->ops[order[a]].group;
        if (group >= 0 && group == graph->ops[order[c]].group && group != graph->ops[order[b]].group) {
          return false;
        }
      }
    }
  }
  return true;
}

bool oracle_graph_is_legal(const memplan_graph *graph, oracle_precedence *precedence) {
  memset(precedence, 0, sizeof *precedence);
  bool legal = true;
  int32_t given[ORACLE_OPS];
  for (int32_t a = 0; a < graph->n_ops; a++) {
    given[a] = a;
    for (int32_t b = a + 1; b < graph->n_ops; b++) {
      compare_ops(graph, a, b, precedence);
    }
    for (int32_t k = 0; k < graph->ops[a].n_in; k++) {
      legal &= check_read(graph, a, graph->ops[a].in[k]);
      wait_for_writers(graph, a, graph->ops[a].in[k], precedence);
      check_maker(graph, a, graph->ops[a].in[k], precedence);
    }
    for (int32_t k = 0; k < graph->ops[a].n_after; k++) {
      precedence->before[graph->ops[a].after[k]][a] = true;
    }
    if (until_of(graph, a) >= 0) {
      precedence->before[a][until_of(graph, a)] = true;
    }
  }
  close_transitively(graph->n_ops, precedence);
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    // The base of a pool comes before the alignment, so that with pools the two are asked apart.
    bool apart = graph->n_pools > 0;
    legal &= graph->tensors[i].view_of >= 0 || has_pool(graph, i);
    legal &= graph->tensors[i].view_of >= 0 ||
             (apart ? has_offset(graph, i, true, false) && has_offset(graph, i, false, true)
                    : has_offset(graph, i, true, true));
  }
  return legal && oracle_order_is_legal(graph, precedence, given);
}

bool oracle_order_is_legal(const memplan_graph *graph, const oracle_precedence *precedence, const int32_t *order) {
  for (int32_t s = 0; s < graph->n_ops; s++) {
    for (int32_t t = s; t < graph->n_ops; t++) {
      if (precedence->before[order[t]][order[s]]) {
        return false;
      }
    }
  }
  return groups_are_consecutive(graph, order);
}

typedef struct order_walk {
  const memplan_graph *graph;
  const oracle_precedence *precedence;
  bool (*visit)(void *context, const int32_t *order);
  void *context;
  int32_t order[ORACLE_OPS];
  bool used[ORACLE_OPS];
  int64_t visited;
  bool stopped;
} order_walk;

// Recursion depth: operators, at most ORACLE_OPS.
static void extend(order_walk *walk, int32_t step) {
  int32_t n = walk->graph->n_ops;
  if (step == n) {
    if (groups_are_consecutive(walk->graph, walk->order)) {
      walk->visited++;
      walk->stopped = !walk->visit(walk->context, walk->order);
    }
    return;
  }
  for (int32_t op = 0; op < n && !walk->stopped; op++) {
    bool ready = !walk->used[op];
    for (int32_t other = 0; other < n && ready; other++) {
      ready = walk->used[other] || !walk->precedence->before[other][op];
    }
    if (ready) {
      walk->used[op] = true;
      walk->order[step] = op;
      extend(walk, step + 1);
      walk->used[op] = false;
    }
  }
}

int64_t oracle_for_each_order(const memplan_graph *graph, const oracle_precedence *precedence,
                              bool (*visit)(void *context, const int32_t *order), void *context) {
  order_walk walk = {.graph = graph, .precedence = precedence, .visit = visit, .context = context};
  extend(&walk, 0);
  return walk.visited;
}
