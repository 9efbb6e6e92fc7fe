// SPDX-License-Identifier: Apache-2.0
#include "eval/witness.h"

#include "model/base/names.h"
#include "model/base/quote.h"
#include "model/occupancy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Items stand in index order before the sort, and the sort keeps it: their ids' addresses are never compared.
typedef struct ranked_item {
  memplan_witness_item item;
  int32_t rank;
} ranked_item;

static int compare_items(const void *left, const void *right) {
  const ranked_item *a = left, *b = right;
  if (a->item.bytes != b->item.bytes) {
    return a->item.bytes > b->item.bytes ? -1 : 1;
  }
  return (a->rank > b->rank) - (a->rank < b->rank);
}

static memplan_status sort_items(memplan_witness *witness, ranked_item *ranked, int32_t n, memplan_error *error) {
  if (n > 1) {
    qsort(ranked, (size_t)n, sizeof *ranked, compare_items);
  }
  witness->items = MEMPLAN_NEW(&witness->arena, memplan_witness_item, n);
  if (witness->items == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < n; i++) {
    witness->items[i] = ranked[i].item;
    witness->bytes += ranked[i].item.bytes;
  }
  witness->n_items = n;
  return MEMPLAN_OK;
}

// Bytes that the buffer occupies at the time.
static int64_t bytes_at(const memplan_buffer *buffer, const memplan_occupancy *occupancy, int64_t time) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < occupancy->n_live; i++) {
    if (occupancy->live[i].start <= time && time < occupancy->live[i].end) {
      bytes = buffer->bytes;
    }
  }
  for (int32_t i = 0; i < occupancy->n_gaps && bytes > 0; i++) {
    if (occupancy->gaps[i].start <= time && time < occupancy->gaps[i].end) {
      return occupancy->gaps[i].high - occupancy->gaps[i].low;
    }
  }
  return bytes;
}

// May the buffer lie in the pool? NULL: any pool will do.
static bool is_of_pool(const memplan_instance *instance, int32_t buffer, const char *pool) {
  const memplan_block *block = &instance->blocks[instance->block_of[buffer]];
  bool admitted = pool == NULL;
  for (int32_t k = 0; k < block->n_pools && !admitted; k++) {
    admitted = strcmp(instance->pools[instance->block_pools[block->first_pool + k]].id, pool) == 0;
  }
  return admitted;
}

static memplan_status find_live_items(const memplan_instance *instance, int64_t time, const char *pool,
                                      memplan_witness *witness, memplan_error *error) {
  *witness = (memplan_witness){0};
  ranked_item *ranked = MEMPLAN_NEW(&witness->arena, ranked_item, instance->n_buffers);
  if (ranked == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = 0;
  memplan_arena scratch = {0};
  memplan_status status = MEMPLAN_OK;
  for (int32_t i = 0; i < instance->n_buffers && status == MEMPLAN_OK; i++) {
    memplan_occupancy occupancy;
    memplan_arena_mark mark = memplan_arena_get_mark(&scratch);
    if (!memplan_buffer_occupancy(&instance->buffers[i], &scratch, &occupancy)) {
      status = memplan_fail_nomem(error);
    } else {
      int64_t bytes = bytes_at(&instance->buffers[i], &occupancy, time);
      if (bytes > 0 && is_of_pool(instance, i, pool)) {
        ranked[n] = (ranked_item){{instance->buffers[i].id, bytes, i}, n};
        n++;
      }
    }
    memplan_arena_release(&scratch, mark);
  }
  memplan_arena_free(&scratch);
  return status == MEMPLAN_OK ? sort_items(witness, ranked, n, error) : status;
}

memplan_status memplan_witness_at_time(const memplan_instance *instance, int64_t time, memplan_witness *witness,
                                       memplan_error *error) {
  return find_live_items(instance, time, NULL, witness, error);
}

// The buffers that a clique names; ids that the instance does not have are left out.
static memplan_status find_named_items(const memplan_instance *instance, const memplan_bound *bound,
                                       memplan_witness *witness, memplan_error *error) {
  ranked_item *ranked = MEMPLAN_NEW(&witness->arena, ranked_item, bound->n_buffers);
  memplan_names names = {0};
  bool good = ranked != NULL;
  int32_t n = 0;
  for (int32_t k = 0; k < instance->n_buffers && good; k++) {
    good = memplan_names_add(&names, instance->buffers[k].id, k) != -2;
  }
  for (int32_t k = 0; k < bound->n_buffers && good; k++) {
    int32_t index = memplan_names_find(&names, bound->buffers[k]);
    if (index >= 0) {
      ranked[n] = (ranked_item){{instance->buffers[index].id, instance->buffers[index].bytes, index}, n};
      n++;
    }
  }
  memplan_names_free(&names);
  return good ? sort_items(witness, ranked, n, error) : memplan_fail_nomem(error);
}

// Room for all storages, the weights of bodies and one workspace.
static ranked_item *new_items(const memplan_graph *graph, memplan_witness *witness) {
  return MEMPLAN_NEW(&witness->arena, ranked_item, (int64_t)graph->n_storages + graph->n_inner_weights + 1);
}

// Weights of bodies lie in the arena throughout where weights are resident.
static int32_t add_inner_weights(const memplan_problem *problem, ranked_item *ranked, int32_t n) {
  const memplan_graph *graph = &problem->graph;
  bool resident =
      problem->options.weights == MEMPLAN_WEIGHTS_RESIDENT && problem->options.bodies != MEMPLAN_BODIES_IGNORE;
  for (int32_t k = 0; k < graph->n_inner_weights && resident; k++) {
    const memplan_inner_weight *weight = &graph->inner_weights[k];
    if (weight->touched && weight->bytes > 0) {
      ranked[n] = (ranked_item){{weight->id, weight->bytes, -1}, n};
      n++;
    }
  }
  return n;
}

static int32_t add_storage(const memplan_problem *problem, int32_t storage, ranked_item *ranked, int32_t n) {
  const memplan_graph *graph = &problem->graph;
  int64_t bytes = graph->storages[storage].bytes;
  if (bytes == 0 || !memplan_ordering_in_arena(graph, &problem->options, storage)) {
    return n;
  }
  ranked[n] = (ranked_item){{graph->tensors[graph->storages[storage].root].id, bytes, -1}, n};
  return n + 1;
}

// Live at every step, whatever the order?
static bool is_resident(const memplan_problem *problem, int32_t storage) {
  int32_t roles = problem->graph.storages[storage].roles;
  if ((roles & (MEMPLAN_ROLE_VARIABLE | MEMPLAN_ROLE_WEIGHT)) != 0) {
    return true; // weights in the arena are resident
  }
  const int32_t io = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT;
  return (roles & io) == io || (problem->options.io == MEMPLAN_IO_PERSISTENT && (roles & io) != 0);
}

static memplan_status find_operator_items(const memplan_problem *problem, const int64_t *workspace, int32_t op,
                                          memplan_witness *witness, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  ranked_item *ranked = new_items(graph, witness);
  if (ranked == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = 0;
  for (int32_t i = graph->op_touch_first[op]; i < graph->op_touch_first[op + 1]; i++) {
    int32_t storage = graph->touches[graph->op_touches[i]].storage;
    n = is_resident(problem, storage) ? n : add_storage(problem, storage, ranked, n);
  }
  for (int32_t i = 0; i < graph->n_storages; i++) {
    n = is_resident(problem, i) ? add_storage(problem, i, ranked, n) : n;
  }
  n = add_inner_weights(problem, ranked, n);
  int64_t bytes = workspace == NULL ? graph->ops[op].workspace : workspace[op];
  if (bytes > 0) {
    size_t size = strlen(graph->ops[op].id) + sizeof "#workspace";
    char *id = MEMPLAN_NEW(&witness->arena, char, size);
    if (id == NULL) {
      return memplan_fail_nomem(error);
    }
    snprintf(id, size, "%s#workspace", graph->ops[op].id);
    ranked[n] = (ranked_item){{id, bytes, -1}, n};
    n++;
  }
  return sort_items(witness, ranked, n, error);
}

// Is the cell in memory while the operator runs after those that have run before?
static bool is_live(const memplan_ordering *ordering, const memplan_cell *cell, const bool *before, int32_t op) {
  bool born = cell->init, dead = !cell->keep;
  for (int32_t k = 0; k < cell->n_births && !born; k++) {
    int32_t birth = ordering->births[cell->first_birth + k];
    born = birth == op || before[birth];
  }
  for (int32_t k = 0; k < cell->n_deaths && dead; k++) {
    dead = before[ordering->deaths[cell->first_death + k]];
  }
  return born && !dead;
}

static memplan_status add_item(memplan_witness *witness, const char *id, int64_t bytes, ranked_item *ranked, int32_t *n,
                               memplan_error *error) {
  char *copy = memplan_arena_text(&witness->arena, id, strlen(id));
  if (copy == NULL) {
    return memplan_fail_nomem(error);
  }
  ranked[*n] = (ranked_item){{copy, bytes, -1}, *n};
  (*n)++;
  return MEMPLAN_OK;
}

static memplan_status list_cut_items(const memplan_problem *problem, const memplan_ordering *ordering,
                                     const bool *before, int32_t op, memplan_witness *witness, memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  int64_t room = (int64_t)graph->n_storages + ordering->n_cells + ordering->n_residents + 1;
  ranked_item *ranked = MEMPLAN_NEW(&witness->arena, ranked_item, room);
  if (ranked == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = 0;
  for (int32_t i = 0; i < ordering->n_cells; i++) {
    const memplan_cell *cell = &ordering->cells[i];
    if (cell->bytes > 0 && is_live(ordering, cell, before, op)) {
      const char *id = cell->storage >= 0 ? graph->tensors[graph->storages[cell->storage].root].id
                                          : ordering->workspace_name[cell->op];
      MEMPLAN_TRY(add_item(witness, id, cell->bytes, ranked, &n, error));
    }
  }
  for (int32_t i = 0; i < graph->n_storages; i++) {
    n = is_resident(problem, i) ? add_storage(problem, i, ranked, n) : n;
  }
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    if (ordering->residents[k].bytes > 0) {
      MEMPLAN_TRY(add_item(witness, ordering->residents[k].id, ordering->residents[k].bytes, ranked, &n, error));
    }
  }
  if (ordering->workspace[op] > 0) {
    MEMPLAN_TRY(add_item(witness, ordering->workspace_name[op], ordering->workspace[op], ranked, &n, error));
  }
  return sort_items(witness, ranked, n, error);
}

static memplan_status find_cut_items(const memplan_problem *problem, const memplan_bounds *bounds, int32_t op,
                                     memplan_witness *witness, memplan_error *error) {
  memplan_ordering ordering;
  memplan_status status =
      memplan_ordering_init(&ordering, &problem->graph, &problem->options, bounds->workspace, error);
  if (status == MEMPLAN_OK) {
    status = list_cut_items(problem, &ordering, bounds->before, op, witness, error);
  }
  memplan_ordering_free(&ordering);
  return status;
}

static memplan_status find_role_items(const memplan_problem *problem, memplan_role role, memplan_witness *witness,
                                      memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  ranked_item *ranked = new_items(graph, witness);
  if (ranked == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = 0;
  for (int32_t i = 0; i < graph->n_storages; i++) {
    bool live = (graph->storages[i].roles & role) != 0 || is_resident(problem, i);
    n = live ? add_storage(problem, i, ranked, n) : n;
  }
  n = add_inner_weights(problem, ranked, n);
  return sort_items(witness, ranked, n, error);
}

memplan_status memplan_witness_of_bound(const memplan_problem *problem, const memplan_bounds *bounds,
                                        const memplan_bound *bound, memplan_witness *witness, memplan_error *error) {
  *witness = (memplan_witness){0};
  if (problem->has_instance && bound->buffers != NULL) {
    return find_named_items(&problem->instance, bound, witness, error);
  }
  if (problem->has_instance) {
    return bound->step < 0 ? MEMPLAN_OK : find_live_items(&problem->instance, bound->step, bound->pool, witness, error);
  }
  if (bound->kind == MEMPLAN_BOUND_INPUTS) {
    return find_role_items(problem, MEMPLAN_ROLE_INPUT, witness, error);
  }
  if (bound->kind == MEMPLAN_BOUND_OUTPUTS) {
    return find_role_items(problem, MEMPLAN_ROLE_OUTPUT, witness, error);
  }
  for (int32_t op = 0; bound->op != NULL && op < problem->graph.n_ops; op++) {
    if (strcmp(problem->graph.ops[op].id, bound->op) == 0) {
      return bounds != NULL && bounds->before != NULL && bound->kind == MEMPLAN_BOUND_CUT
                 ? find_cut_items(problem, bounds, op, witness, error)
                 : find_operator_items(problem, bounds != NULL ? bounds->workspace : NULL, op, witness, error);
    }
  }
  return MEMPLAN_OK;
}

const char *memplan_witness_text(const memplan_witness *witness, int32_t limit, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  int32_t shown = witness->n_items < limit ? witness->n_items : limit;
  for (int32_t i = 0; i < shown; i++) {
    int written = snprintf(text + length, size - length, "%s%s (%" PRId64 ")", i == 0 ? "" : ", ",
                           memplan_quote(witness->items[i].id).text, witness->items[i].bytes);
    if (written < 0 || (size_t)written >= size - length) {
      text[length] = '\0';
      shown = i;
      break;
    }
    length += (size_t)written;
  }
  if (shown < witness->n_items) {
    snprintf(text + length, size - length, " and %" PRId32 " more", witness->n_items - shown);
  }
  return text;
}

void memplan_witness_free(memplan_witness *witness) {
  memplan_arena_free(&witness->arena);
  *witness = (memplan_witness){0};
}

const char *memplan_bound_text(const memplan_bound *bound, bool has_graph, char *text, size_t size) {
  const char *scope = !has_graph ? "" : bound->joint ? "for every order: " : "for this order: ";
  const char *at = has_graph ? "step" : "time";
  switch (bound->kind) {
  case MEMPLAN_BOUND_LOAD:
    snprintf(text, size, "%sload at %s %" PRId64, scope, at, bound->step);
    break;
  case MEMPLAN_BOUND_ALIGNED_LOAD:
    snprintf(text, size, "%sload at %s %" PRId64 " with alignment", scope, at, bound->step);
    break;
  case MEMPLAN_BOUND_OPERATOR:
  case MEMPLAN_BOUND_ALIGNED_OPERATOR:
    snprintf(text, size, "%swhat operator '%s' needs at once%s", scope, memplan_quote(bound->op).text,
             bound->kind == MEMPLAN_BOUND_OPERATOR ? "" : ", with alignment");
    break;
  case MEMPLAN_BOUND_CUT:
    snprintf(text, size, "%swhat has to be in memory while operator '%s' runs", scope, memplan_quote(bound->op).text);
    break;
  case MEMPLAN_BOUND_INPUTS:
    snprintf(text, size, "%sall inputs at the first step", scope);
    break;
  case MEMPLAN_BOUND_OUTPUTS:
    snprintf(text, size, "%sall outputs at the last step", scope);
    break;
  case MEMPLAN_BOUND_SEARCH:
    snprintf(text, size, "%sexhausted search", scope);
    break;
  case MEMPLAN_BOUND_BUFFER:
    snprintf(text, size, "%sthe end of one buffer above what is reserved or pinned", scope);
    break;
  case MEMPLAN_BOUND_CLIQUE:
    snprintf(text, size, "%s%" PRId32 " buffers of which no two can share a byte", scope, bound->n_buffers);
    break;
  case MEMPLAN_BOUND_POOLS:
    snprintf(text, size, "%sthe capacities of the pools, and what each has to hold", scope);
    break;
  case MEMPLAN_BOUND_POOL:
    snprintf(text, size, "%swhat pool '%s' has to hold", scope, memplan_quote(bound->pool).text);
    break;
  case MEMPLAN_BOUND_NONE:
  case MEMPLAN_BOUND_KINDS:
    snprintf(text, size, "nothing proven");
    break;
  }
  return text;
}
