// SPDX-License-Identifier: Apache-2.0
// Stretches of steps are laid over the given order until each step is as full as the fullest; each becomes a tensor
// that its first step writes and its last step reads, or a workspace.
#include "tests/support/tight_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { most_ops = 10, most_stretches = 22, most_tensors = 40, most_units = 8, line = 256 };

typedef struct stretch {
  int32_t first, last; // steps
  int64_t bytes;
} stretch;

typedef struct tight {
  random_state *random;
  memplan_graph *graph;
  int32_t n, n_stretches;
  int64_t unit;
  int32_t seldom; // percent: how often something is beside the plain form
  stretch stretches[most_stretches];
  char in[most_ops][line], out[most_ops][line];
  int64_t workspace[most_ops];
} tight;

static void add(char *list, const char *id) {
  size_t used = strlen(list);
  assert_true(used + strlen(id) + 2 < line);
  (void)snprintf(list + used, line - used, "%s%s", used > 0 ? " " : "", id);
}

static bool is_rare(tight *made) { return random_chance(made->random, made->seldom); }

static void lay(tight *made, int64_t *load, int32_t first, int32_t last, int64_t bytes) {
  made->stretches[made->n_stretches++] = (stretch){first, last, bytes};
  for (int32_t t = first; t <= last; t++) {
    load[t] += bytes;
  }
}

// Some stretches anywhere, and then as many as it takes, or as there is room for, to fill every step up.
static void fill(tight *made) {
  random_state *random = made->random;
  int64_t load[most_ops] = {0}, target = 0;
  int32_t n_free = 3 + random_below(random, 4), largest = 2 + random_below(random, most_units - 1);
  for (int32_t k = 0; k < n_free; k++) {
    int32_t first = random_below(random, made->n - 1), length = 1 + random_below(random, made->n - first - 1);
    lay(made, load, first, first + length, 1 + random_below(random, largest));
  }
  for (int32_t t = 0; t < made->n; t++) {
    target = load[t] > target ? load[t] : target;
  }
  for (int32_t t = 0; t < made->n; t++) {
    while (load[t] < target && made->n_stretches < most_stretches) {
      int32_t last = t + random_below(random, 3);
      last = last < made->n ? last : made->n - 1;
      int64_t room = target;
      for (int32_t u = t; u <= last; u++) {
        room = target - load[u] < room ? target - load[u] : room;
      }
      last = room > 0 ? last : t;
      room = room > 0 ? room : target - load[t];
      room = room < most_units ? room : most_units;
      lay(made, load, t, last, random_chance(random, 50) ? room : 1 + random_below(random, (int32_t)room));
    }
  }
}

// The id by which a reader names the tensor: now and then a view of it.
static void read(tight *made, int32_t op, int32_t tensor) {
  const memplan_tensor *whole = &made->graph->tensors[tensor];
  if (is_rare(made) && made->graph->n_tensors < most_tensors) {
    char id[32];
    (void)snprintf(id, sizeof id, "v%d_%d", (int)op, (int)tensor);
    int64_t offset = random_chance(made->random, 50) ? 0 : made->unit * random_below(made->random, 2);
    offset = offset < whole->bytes ? offset : 0;
    (void)build_view(made->graph, id, whole->bytes - offset, whole->id, offset);
    add(made->in[op], id);
  } else {
    add(made->in[op], whole->id);
  }
}

// Two writers, one after the other, of the two parts of a tensor.
static void write_twice(tight *made, const stretch *one, int32_t tensor) {
  char id[2][32];
  const memplan_tensor *whole = &made->graph->tensors[tensor];
  int64_t bytes = whole->bytes, part = made->unit * (1 + random_below(made->random, (int32_t)one->bytes - 1));
  for (int32_t k = 0; k < 2; k++) {
    (void)snprintf(id[k], sizeof id[k], "p%d_%d", (int)k, (int)tensor);
    (void)build_view(made->graph, id[k], k == 0 ? part : bytes - part, whole->id, k == 0 ? 0 : part);
    add(made->out[one->first + k], id[k]);
  }
}

static void make_stretch(tight *made, const stretch *one) {
  random_state *random = made->random;
  bool source = one->first == 0 && random_chance(random, 30),
       sink = one->last == made->n - 1 && random_chance(random, 50);
  if (one->first == one->last && !source && !sink && made->workspace[one->first] == 0 && random_chance(random, 40)) {
    made->workspace[one->first] = made->unit * one->bytes;
    return;
  }
  char id[32];
  (void)snprintf(id, sizeof id, "t%d", (int)made->graph->n_tensors);
  unsigned roles = (source ? MEMPLAN_ROLE_INPUT : 0U) | (sink ? MEMPLAN_ROLE_OUTPUT : 0U);
  int32_t tensor = build_tensor(made->graph, id, made->unit * one->bytes, roles);
  made->graph->tensors[tensor].donatable = source && random_chance(random, 50);
  if (source) {
    read(made, 0, tensor);
  } else if (one->bytes > 1 && one->last > one->first && made->graph->n_tensors < most_tensors && is_rare(made)) {
    write_twice(made, one, tensor);
  } else {
    add(made->out[one->first], id);
  }
  for (int32_t t = one->first + 1; t <= one->last; t++) {
    bool updates = is_rare(made);
    if (t == one->last || updates || random_chance(random, 20)) {
      read(made, t, tensor);
      if (updates) {
        add(made->out[t], id);
      }
    }
  }
}

static void list_pairs(tight *made, memplan_op *op, int32_t *room) {
  for (int32_t o = 0; o < op->n_out; o++) {
    for (int32_t i = 0; i<op->n_in && * room> 0; i++) {
      if (op->in[i] != op->out[o] && random_chance(made->random, 2 * made->seldom)) {
        build_inplace(made->graph, op, made->graph->tensors[op->out[o]].id, made->graph->tensors[op->in[i]].id);
        --*room;
      }
    }
  }
}

static void make_ops(tight *made, int32_t chain_percent) {
  int32_t room = 8;
  for (int32_t t = 0; t < made->n; t++) {
    char id[16], before[16];
    (void)snprintf(id, sizeof id, "o%d", (int)t);
    memplan_op *op = build_op(made->graph, id, made->in[t], made->out[t]);
    op->workspace = made->workspace[t];
    if (t > 0 && random_chance(made->random, chain_percent)) {
      (void)snprintf(before, sizeof before, "o%d", (int)t - 1);
      build_after(made->graph, op, before);
    }
    op->async_until =
        is_rare(made) && random_chance(made->random, 15) ? t + random_below(made->random, made->n - t) : -1;
    list_pairs(made, op, &room);
  }
  if (is_rare(made)) {
    made->graph->groups[0] = "g";
    made->graph->n_groups = 1;
    int32_t first = random_below(made->random, made->n - 1);
    made->graph->ops[first].group = made->graph->ops[first + 1].group = 0;
  }
}

void tight_graph(random_state *random, int32_t least, int32_t most, memplan_problem *problem) {
  static const int64_t units[] = {1, 4, 64};
  assert_true(most <= most_ops);
  build_graph(problem);
  tight made = {.random = random, .graph = &problem->graph, .unit = units[random_below(random, 3)]};
  made.n = least + random_below(random, most - least + 1);
  made.seldom = random_chance(random, 60) ? 2 : 10;
  fill(&made);
  for (int32_t k = 0; k < made.n_stretches; k++) {
    make_stretch(&made, &made.stretches[k]);
  }
  make_ops(&made, 30 * random_below(random, 4));
  if (random_chance(random, 30)) {
    for (int32_t k = random_below(random, 3); k >= 0; k--) {
      problem->graph.tensors[random_below(random, problem->graph.n_tensors)].align = units[random_below(random, 3)];
    }
  }
}
