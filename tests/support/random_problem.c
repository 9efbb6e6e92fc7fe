// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

random_state random_start(uint64_t seed, uint64_t index) {
  random_state random = {seed * UINT64_C(0x9e3779b97f4a7c15) + index * UINT64_C(0xd1342543de82ef95)};
  (void)random_next(&random);
  return random;
}

uint64_t random_next(random_state *random) {
  random->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = random->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int32_t random_below(random_state *random, int32_t limit) {
  return limit <= 0 ? 0 : (int32_t)(random_next(random) % (uint64_t)limit);
}

bool random_chance(random_state *random, int32_t percent) { return random_below(random, 100) < percent; }

static void *need(void *pointer) {
  if (pointer == NULL) {
    abort();
  }
  return pointer;
}

// ---- graphs

typedef struct graph_maker {
  random_state *random;
  const random_graph_options *wishes;
  memplan_graph *graph;
  int32_t readable[BUILD_TENSORS]; // tensors that hold something by now
  int32_t n_readable;
  int32_t shared;  // root that several operators write piece by piece, -1
  int64_t written; // of it, from its start
  int64_t unit;    // of all sizes; 0: each has its own
} graph_maker;

static const int64_t units[] = {1, 4, 64};

static int64_t random_unit(graph_maker *maker) {
  return maker->unit > 0 ? maker->unit : units[random_below(maker->random, 3)];
}

// `least` ... `most` units.
static int64_t random_units(graph_maker *maker, int32_t least, int64_t most) {
  int64_t unit = random_unit(maker);
  return unit * (least + random_below(maker->random, (int32_t)most - least + 1));
}

static int64_t random_bytes(graph_maker *maker) {
  return random_chance(maker->random, 10) ? 0 : random_units(maker, 1, maker->wishes->max_bytes);
}

static int64_t random_align(graph_maker *maker) {
  static const int64_t choices[] = {1, 1, 1, 1, 1, 1, 2, 3, 4};
  static const int64_t of_units[] = {1, 1, 1, 1, 4, 4, 64};
  return maker->wishes->units ? of_units[random_below(maker->random, (int32_t)(sizeof of_units / sizeof *of_units))]
                              : choices[random_below(maker->random, (int32_t)(sizeof choices / sizeof *choices))];
}

static int32_t new_tensor(graph_maker *maker, const char *prefix, int64_t bytes, unsigned roles) {
  char id[32];
  (void)snprintf(id, sizeof id, "%s%d", prefix, (int)maker->graph->n_tensors);
  int32_t tensor = build_tensor(maker->graph, id, bytes, roles);
  maker->graph->tensors[tensor].align = random_align(maker);
  return tensor;
}

static int32_t new_view(graph_maker *maker, int32_t base, int64_t offset, int64_t bytes) {
  int32_t view = new_tensor(maker, "v", bytes, 0);
  memplan_tensor *tensor = &maker->graph->tensors[view];
  tensor->view_of = base;
  tensor->view_offset = offset;
  tensor->align = random_chance(maker->random, 85) ? 1 : tensor->align;
  tensor->roles = random_chance(maker->random, 8) ? MEMPLAN_ROLE_OUTPUT : 0;
  return view;
}

static int32_t random_view(graph_maker *maker, int32_t base) {
  int64_t room = maker->graph->tensors[base].bytes;
  int64_t offset = random_chance(maker->random, 50) ? 0 : random_below(maker->random, (int32_t)room + 1);
  offset -= offset % random_unit(maker);
  int64_t bytes =
      random_chance(maker->random, 50) ? room - offset : random_below(maker->random, (int32_t)(room - offset) + 1);
  return new_view(maker, base, offset, bytes);
}

static void make_readable(graph_maker *maker, int32_t tensor) { maker->readable[maker->n_readable++] = tensor; }

static int32_t random_readable(graph_maker *maker) {
  // Late ones are preferred, so that chains form.
  int32_t n = maker->n_readable;
  int32_t back =
      random_chance(maker->random, 60) ? random_below(maker->random, n < 3 ? n : 3) : random_below(maker->random, n);
  return maker->readable[n - 1 - back];
}

static void make_sources(graph_maker *maker) {
  int32_t n_inputs = 1 + random_below(maker->random, 2);
  for (int32_t i = 0; i < n_inputs; i++) {
    unsigned roles = MEMPLAN_ROLE_INPUT | (random_chance(maker->random, 10) ? MEMPLAN_ROLE_OUTPUT : 0);
    int32_t input = new_tensor(maker, "x", random_bytes(maker), roles);
    maker->graph->tensors[input].donatable = random_chance(maker->random, 40);
    make_readable(maker, input);
  }
  if (random_chance(maker->random, 25)) {
    make_readable(maker, new_tensor(maker, "w", random_bytes(maker), MEMPLAN_ROLE_WEIGHT));
  }
  if (random_chance(maker->random, 20)) {
    make_readable(maker, new_tensor(maker, "s", random_bytes(maker), MEMPLAN_ROLE_VARIABLE));
  }
  if (random_chance(maker->random, 15)) {
    unsigned roles = random_chance(maker->random, 50) ? 0 : MEMPLAN_ROLE_OUTPUT;
    (void)new_tensor(maker, "u", random_bytes(maker), roles);
  }
}

typedef struct op_lists {
  int32_t in[12], out[8], writes[4];
  int32_t n_in, n_out, n_writes;
} op_lists;

static void add_input(op_lists *lists, int32_t tensor) { lists->in[lists->n_in++] = tensor; }

static void add_output(op_lists *lists, int32_t tensor) {
  for (int32_t k = 0; k < lists->n_out; k++) {
    if (lists->out[k] == tensor) {
      return;
    }
  }
  lists->out[lists->n_out++] = tensor;
}

static int32_t fresh_output(graph_maker *maker) {
  unsigned roles = random_chance(maker->random, 15) ? MEMPLAN_ROLE_OUTPUT : 0;
  return new_tensor(maker, "t", random_bytes(maker), roles);
}

static void plain_op(graph_maker *maker, op_lists *lists) {
  int32_t n_in = random_below(maker->random, 4);
  for (int32_t k = 0; k < n_in; k++) {
    int32_t tensor = random_readable(maker);
    if (random_chance(maker->random, 15)) {
      tensor = random_view(maker, tensor);
      make_readable(maker, tensor);
    }
    add_input(lists, tensor);
  }
  if (n_in > 0 && random_chance(maker->random, 10)) {
    add_input(lists, lists->in[0]);
  }
  int32_t n_out = random_chance(maker->random, 80) ? 1 : random_below(maker->random, 3);
  for (int32_t k = 0; k < n_out; k++) {
    add_output(lists, fresh_output(maker));
  }
}

// An output that lies in a buffer which the operator reads: an alias, or a write if it is forced.
static void view_op(graph_maker *maker, op_lists *lists, bool forced) {
  int32_t tensor = random_readable(maker);
  int32_t view = random_view(maker, tensor);
  add_input(lists, tensor);
  add_output(lists, view);
  if (forced) {
    lists->writes[lists->n_writes++] = view;
  }
}

static void update_op(graph_maker *maker, op_lists *lists) {
  int32_t tensor = random_readable(maker);
  add_input(lists, tensor);
  add_output(lists, tensor);
  if (random_chance(maker->random, 50)) {
    add_output(lists, fresh_output(maker));
  }
}

// Writes the next piece of a buffer that has several writers; pieces may overlap by a byte.
static void piece_op(graph_maker *maker, op_lists *lists) {
  if (maker->shared < 0) {
    unsigned roles = random_chance(maker->random, 15) ? MEMPLAN_ROLE_OUTPUT : 0;
    maker->shared = new_tensor(maker, "m", random_units(maker, 2, 5), roles);
    maker->written = 0;
  }
  int64_t room = maker->graph->tensors[maker->shared].bytes;
  int64_t offset = maker->written > 0 && random_chance(maker->random, 20) ? maker->written - 1 : maker->written;
  int64_t unit = random_unit(maker), left = (room - offset) / unit;
  int64_t bytes = unit * (1 + random_below(maker->random, (int32_t)(left > 1 ? left - 1 : 1)));
  bytes = offset + bytes > room ? room - offset : bytes;
  int32_t piece = random_chance(maker->random, 15) ? maker->shared : new_view(maker, maker->shared, offset, bytes);
  add_output(lists, piece);
  if (random_chance(maker->random, 60)) {
    add_input(lists, random_readable(maker));
  }
  maker->written = piece == maker->shared ? room : offset + bytes;
}

// Concat of the pieces: an alias. After it the buffer is done with.
static void join_op(graph_maker *maker, op_lists *lists) {
  for (int32_t i = 0; i < maker->graph->n_tensors; i++) {
    if (maker->graph->tensors[i].view_of == maker->shared && lists->n_in < 8) {
      add_input(lists, i);
    }
  }
  add_output(lists, maker->shared);
  maker->shared = -1;
}

static void store_op(graph_maker *maker, const op_lists *lists) {
  memplan_arena *arena = &maker->graph->arena;
  char id[32];
  (void)snprintf(id, sizeof id, "op%d", (int)maker->graph->n_ops);
  memplan_op *op = build_op(maker->graph, id, "", "");
  int32_t *in = need(MEMPLAN_NEW(arena, int32_t, lists->n_in));
  int32_t *out = need(MEMPLAN_NEW(arena, int32_t, lists->n_out));
  int32_t *writes = need(MEMPLAN_NEW(arena, int32_t, lists->n_writes));
  memcpy(in, lists->in, (size_t)lists->n_in * sizeof *in);
  memcpy(out, lists->out, (size_t)lists->n_out * sizeof *out);
  memcpy(writes, lists->writes, (size_t)lists->n_writes * sizeof *writes);
  op->in = in;
  op->out = out;
  op->writes = writes;
  op->n_in = lists->n_in;
  op->n_out = lists->n_out;
  op->n_writes = lists->n_writes;
  if (random_chance(maker->random, 25)) {
    op->workspace = random_units(maker, 1, 3);
    op->workspace_align = random_align(maker);
  }
  op->cost = random_below(maker->random, 4);
  for (int32_t k = 0; k < op->n_out; k++) {
    make_readable(maker, op->out[k]);
  }
}

static void make_op(graph_maker *maker) {
  op_lists lists = {.n_in = 0};
  int32_t kind = random_below(maker->random, 100);
  if (maker->shared >= 0 && random_chance(maker->random, 60)) {
    if (maker->written < maker->graph->tensors[maker->shared].bytes) {
      piece_op(maker, &lists);
    } else if (random_chance(maker->random, 50)) {
      join_op(maker, &lists);
    } else {
      add_input(&lists, maker->shared);
      add_output(&lists, fresh_output(maker));
      maker->shared = -1;
    }
  } else if (kind < 62) {
    plain_op(maker, &lists);
  } else if (kind < 74) {
    view_op(maker, &lists, false);
  } else if (kind < 79) {
    view_op(maker, &lists, true);
  } else if (kind < 88) {
    update_op(maker, &lists);
  } else {
    piece_op(maker, &lists);
  }
  store_op(maker, &lists);
}

static void list_inplace(graph_maker *maker, memplan_op *op, int32_t *room) {
  memplan_inplace *pairs = need(MEMPLAN_NEW(&maker->graph->arena, memplan_inplace, 16));
  int32_t count = 0;
  for (int32_t o = 0; o < op->n_out; o++) {
    for (int32_t i = 0; i < op->n_in && count < 16 && *room > 0; i++) {
      if (random_chance(maker->random, 50)) {
        pairs[count++] = (memplan_inplace){op->out[o], op->in[i]};
        (*room)--;
      }
    }
  }
  op->inplace = pairs;
  op->n_inplace = count;
}

static void tie_ops(graph_maker *maker) {
  memplan_graph *graph = maker->graph;
  int32_t room = 8;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    memplan_op *op = &graph->ops[index];
    list_inplace(maker, op, &room);
    bool chained = maker->wishes->chain_percent > 0 && random_chance(maker->random, maker->wishes->chain_percent);
    if (index > 0 && (chained || random_chance(maker->random, 15))) {
      int32_t *after = need(MEMPLAN_NEW(&graph->arena, int32_t, 1));
      after[0] = chained ? index - 1 : random_below(maker->random, index);
      op->after = after;
      op->n_after = 1;
    }
    if (random_chance(maker->random, 12)) {
      int32_t until = index + random_below(maker->random, graph->n_ops - index);
      op->async_until = until;
    }
  }
  if (graph->n_ops > 2 && random_chance(maker->random, 20)) {
    graph->groups[0] = "g";
    graph->n_groups = 1;
    int32_t first = random_below(maker->random, graph->n_ops - 1);
    int32_t size = 2 + random_below(maker->random, 2);
    for (int32_t index = first; index < first + size && index < graph->n_ops; index++) {
      graph->ops[index].group = 0;
    }
  }
}

static void swap_ops(graph_maker *maker) {
  memplan_graph *graph = maker->graph;
  memplan_op *a = &graph->ops[random_below(maker->random, graph->n_ops)];
  memplan_op *b = &graph->ops[random_below(maker->random, graph->n_ops)];
  memplan_op copy = *a;
  *a = *b;
  *b = copy;
}

static void add_pools(random_state *random, memplan_arena *arena, memplan_pool **pools, int32_t *n_pools) {
  static const char *const names[] = {"fast", "slow", "far"};
  *n_pools = 1 + random_below(random, 3);
  *pools = need(MEMPLAN_NEW(arena, memplan_pool, *n_pools));
  for (int32_t i = 0; i < *n_pools; i++) {
    memplan_pool *pool = &(*pools)[i];
    *pool = (memplan_pool){.id = names[i], .capacity = random_chance(random, 25) ? 4 + random_below(random, 12) : -1};
    pool->base = random_chance(random, 30) ? random_below(random, 5) : 0;
    if (random_chance(random, 30)) {
      memplan_interval *reserved = need(MEMPLAN_NEW(arena, memplan_interval, 2));
      for (int32_t k = 0; k < 2; k++) {
        reserved[k].start = random_below(random, 6);
        reserved[k].end = reserved[k].start + random_below(random, 3);
      }
      pool->reserved = reserved;
      pool->n_reserved = 1 + random_below(random, 2);
    }
  }
}

static const int32_t *some_pools(random_state *random, memplan_arena *arena, int32_t n_pools, int32_t *count) {
  int32_t *pools = need(MEMPLAN_NEW(arena, int32_t, 2));
  pools[0] = random_below(random, n_pools);
  pools[1] = (pools[0] + 1) % n_pools;
  *count = n_pools > 1 && random_chance(random, 50) ? 2 : 1;
  return pools;
}

static void spread_pools(graph_maker *maker) {
  memplan_graph *graph = maker->graph;
  add_pools(maker->random, &graph->arena, &graph->pools, &graph->n_pools);
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (random_chance(maker->random, graph->tensors[i].view_of < 0 ? 30 : 10)) {
      graph->tensors[i].pools = some_pools(maker->random, &graph->arena, graph->n_pools, &graph->tensors[i].n_pools);
    }
  }
  for (int32_t i = 0; i < graph->n_ops; i++) {
    if (random_chance(maker->random, 30)) {
      graph->ops[i].workspace_pools =
          some_pools(maker->random, &graph->arena, graph->n_pools, &graph->ops[i].n_workspace_pools);
    }
  }
}

static void random_options(random_state *random, memplan_problem_options *options) {
  *options = memplan_problem_options_default();
  options->io = (memplan_io)(random_chance(random, 60) ? 0 : random_below(random, 3));
  options->weights = random_chance(random, 40) ? MEMPLAN_WEIGHTS_RESIDENT : MEMPLAN_WEIGHTS_EXTERNAL;
  options->inplace = random_chance(random, 85) ? MEMPLAN_INPLACE_SAFE : MEMPLAN_INPLACE_NONE;
  options->inputs_writable = random_chance(random, 30);
}

void random_graph(random_state *random, const random_graph_options *wishes, memplan_problem *problem) {
  build_graph(problem);
  graph_maker maker = {.random = random, .wishes = wishes, .graph = &problem->graph, .shared = -1, .unit = 1};
  if (wishes->units) {
    maker.unit = random_chance(random, 40) ? 0 : units[random_below(random, 3)];
  }
  make_sources(&maker);
  int32_t least = wishes->min_ops > 0 ? wishes->min_ops : 1;
  int32_t n_ops = least + random_below(random, wishes->max_ops - least + 1);
  for (int32_t i = 0; i < n_ops; i++) {
    make_op(&maker);
  }
  tie_ops(&maker);
  if (random_chance(random, wishes->illegal_percent)) {
    swap_ops(&maker);
  }
  if (wishes->pins && random_chance(random, 30)) {
    memplan_tensor *pinned = &problem->graph.tensors[random_below(random, problem->graph.n_tensors)];
    pinned->pin = random_units(&maker, 0, 5);
  }
  if (wishes->pools) {
    spread_pools(&maker);
  }
  random_options(random, &problem->options);
}

// ---- instances

static void random_life(random_state *random, memplan_instance *instance, memplan_buffer *buffer) {
  int32_t n_live = random_chance(random, 70) ? 0 : 1 + random_below(random, 2);
  for (int32_t k = 0; k < n_live; k++) {
    int64_t start = random_below(random, 8);
    build_live(instance, buffer, start, start + random_below(random, 4));
  }
  int32_t n_gaps = random_chance(random, 65) ? 0 : 1 + random_below(random, 2);
  for (int32_t k = 0; k < n_gaps; k++) {
    int64_t start = random_below(random, 8);
    int64_t low = random_chance(random, 50) ? 0 : random_below(random, (int32_t)buffer->bytes + 1);
    int64_t high = low + (random_chance(random, 50) ? 0 : random_below(random, (int32_t)(buffer->bytes - low) + 1));
    build_gap(instance, buffer, start, start + 1 + random_below(random, 3), low, high);
  }
}

static void random_rule(random_state *random, memplan_instance *instance) {
  const char *first = instance->buffers[random_below(random, instance->n_buffers)].id;
  const char *second = instance->buffers[random_below(random, instance->n_buffers)].id;
  if (strcmp(first, second) == 0) {
    return;
  }
  switch (random_below(random, 3)) {
  case 0:
    build_separate(instance, first, second);
    break;
  case 1:
    build_conflict(instance, first, second);
    break;
  default:
    build_colocate(instance, first, second, random_below(random, 7) - 3);
    break;
  }
}

void random_instance(random_state *random, const random_instance_options *wishes, memplan_problem *problem) {
  static const int64_t aligns[] = {1, 1, 1, 1, 2, 3, 4};
  build_instance(problem);
  memplan_instance *instance = &problem->instance;
  if (wishes->pools) {
    add_pools(random, &instance->arena, &instance->pools, &instance->n_pools);
  }
  int32_t n_buffers = 1 + random_below(random, wishes->max_buffers);
  for (int32_t i = 0; i < n_buffers; i++) {
    char id[32];
    (void)snprintf(id, sizeof id, "b%d", (int)i);
    int64_t start = random_below(random, 6);
    int64_t bytes = random_chance(random, 8) ? 0 : 1 + random_below(random, (int32_t)wishes->max_bytes);
    memplan_buffer *buffer = build_buffer(instance, id, start, start + random_below(random, 5), bytes);
    random_life(random, instance, buffer);
    buffer->align = aligns[random_below(random, (int32_t)(sizeof aligns / sizeof *aligns))];
    buffer->residue = random_chance(random, 80) ? 0 : random_below(random, (int32_t)buffer->align);
    if (wishes->pins && random_chance(random, 15)) {
      buffer->pin = random_below(random, 8);
    }
    if (wishes->pools && random_chance(random, 40)) {
      buffer->pools = some_pools(random, &instance->arena, instance->n_pools, &buffer->n_pools);
    }
  }
  for (int32_t k = wishes->rules ? random_below(random, 4) : 0; k > 0; k--) {
    random_rule(random, instance);
  }
  problem->options.align = random_chance(random, 15) ? 2 : 1;
}
