// SPDX-License-Identifier: Apache-2.0
// Builds the order problem of a graph: which storages are cells, who gives
// birth to them and who ends them.
#include "model/ordering.h"

#include "model/base/number.h"
#include "model/ordering_steps.h"

#include <stdlib.h>
#include <string.h>

static bool is_io(uint8_t roles) { return (roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT)) != 0; }

// Never touched and no graph input: not part of any plan.
static bool is_ignored(const memplan_storage *storage) {
  return storage->n_touches == 0 && (storage->roles & MEMPLAN_ROLE_INPUT) == 0;
}

bool memplan_ordering_alignment(const memplan_ordering *ordering, int32_t storage, memplan_congruence *offset) {
  const memplan_storage *entry = &ordering->graph->storages[storage];
  memplan_congruence own = {entry->align, entry->residue}, all = {ordering->options.align, 0};
  return memplan_congruence_join(own, all, offset) == MEMPLAN_CONGRUENCE_OK;
}

bool memplan_ordering_in_arena(const memplan_graph *graph, const memplan_problem_options *options, int32_t storage) {
  const memplan_storage *entry = &graph->storages[storage];
  if (is_ignored(entry)) {
    return false;
  }
  if ((entry->roles & MEMPLAN_ROLE_WEIGHT) != 0) {
    return options->weights == MEMPLAN_WEIGHTS_RESIDENT;
  }
  if ((entry->roles & MEMPLAN_ROLE_VARIABLE) != 0) {
    return true;
  }
  return !(is_io(entry->roles) && options->io == MEMPLAN_IO_EXTERNAL);
}

// Live from the first step to the last, so that no order changes its part of
// the load.
static bool is_live_throughout(const memplan_problem_options *options, uint8_t roles) {
  if ((roles & (MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0) {
    return true;
  }
  bool both = (roles & MEMPLAN_ROLE_INPUT) != 0 && (roles & MEMPLAN_ROLE_OUTPUT) != 0;
  return both || (is_io(roles) && options->io == MEMPLAN_IO_PERSISTENT);
}

static void count_bytes(memplan_ordering *ordering, int64_t bytes) {
  ordering->naive_bytes = memplan_add_saturated(ordering->naive_bytes, bytes);
  ordering->naive_saturated |= ordering->naive_bytes == INT64_MAX;
}

// Sorts the entries from `first` on and drops repeated ones; returns how many
// remain.
static int32_t make_set(int32_t *entries, int32_t count) {
  if (count > 1) {
    qsort(entries, (size_t)count, sizeof *entries, memplan_compare_int32);
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < count; k++) {
    if (kept == 0 || entries[k] != entries[kept - 1]) {
      entries[kept++] = entries[k];
    }
  }
  return kept;
}

typedef struct fill {
  int32_t n_births, n_deaths;
} fill;

static void add_storage_cell(memplan_ordering *ordering, int32_t index, fill *used) {
  const memplan_graph *graph = ordering->graph;
  const memplan_storage *storage = &graph->storages[index];
  memplan_cell *cell = &ordering->cells[ordering->n_cells];
  *cell = (memplan_cell){.bytes = storage->bytes,
                         .storage = index,
                         .op = -1,
                         .first_birth = used->n_births,
                         .first_death = used->n_deaths,
                         .keep = (storage->roles & MEMPLAN_ROLE_OUTPUT) != 0};
  for (int32_t k = 0; k < storage->n_touches; k++) {
    const memplan_touch *touch = &graph->touches[storage->first_touch + k];
    if (touch->writes) {
      ordering->births[used->n_births++] = touch->op;
    }
    ordering->deaths[used->n_deaths++] = touch->op;
    if (graph->ops[touch->op].async_until >= 0) {
      ordering->deaths[used->n_deaths++] = graph->ops[touch->op].async_until;
    }
  }
  cell->init = (storage->roles & MEMPLAN_ROLE_INPUT) != 0 || used->n_births == cell->first_birth;
  if (cell->init) {
    used->n_births = cell->first_birth;
  }
  cell->n_births = used->n_births - cell->first_birth;
  cell->n_deaths = make_set(ordering->deaths + cell->first_death, used->n_deaths - cell->first_death);
  used->n_deaths = cell->first_death + cell->n_deaths;
  ordering->cell_of_storage[index] = ordering->n_cells++;
}

static void add_storages(memplan_ordering *ordering, fill *used) {
  const memplan_graph *graph = ordering->graph;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    const memplan_storage *storage = &graph->storages[index];
    ordering->cell_of_storage[index] = -1;
    if ((storage->roles & MEMPLAN_ROLE_WEIGHT) != 0) {
      ordering->weight_bytes = memplan_add_saturated(ordering->weight_bytes, storage->bytes);
    }
    if (!memplan_ordering_in_arena(graph, &ordering->options, index)) {
      if (!is_ignored(storage) && (storage->roles & MEMPLAN_ROLE_WEIGHT) == 0) {
        ordering->external_bytes = memplan_add_saturated(ordering->external_bytes, storage->bytes);
      }
      continue;
    }
    count_bytes(ordering, storage->bytes);
    if (is_live_throughout(&ordering->options, storage->roles)) {
      ordering->base = memplan_add_saturated(ordering->base, storage->bytes);
    } else if (storage->n_touches == 0) {
      ordering->first_step = memplan_add_saturated(ordering->first_step, storage->bytes);
    } else {
      add_storage_cell(ordering, index, used);
    }
  }
}

static void add_workspaces(memplan_ordering *ordering, const int64_t *workspace, fill *used) {
  const memplan_graph *graph = ordering->graph;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    int64_t bytes = workspace != NULL ? workspace[index] : graph->ops[index].workspace;
    count_bytes(ordering, bytes);
    ordering->workspace[index] = bytes;
    ordering->workspace_cell[index] = -1;
    if (graph->ops[index].async_until < 0 || bytes == 0) {
      continue;
    }
    ordering->workspace[index] = 0;
    ordering->workspace_cell[index] = ordering->n_cells;
    memplan_cell *cell = &ordering->cells[ordering->n_cells++];
    *cell = (memplan_cell){.bytes = bytes,
                           .storage = -1,
                           .op = index,
                           .first_birth = used->n_births,
                           .n_births = 1,
                           .first_death = used->n_deaths,
                           .n_deaths = 2};
    ordering->births[used->n_births++] = index;
    int32_t *deaths = ordering->deaths + used->n_deaths;
    deaths[0] = index;
    deaths[1] = graph->ops[index].async_until;
    used->n_deaths += make_set(deaths, 2);
  }
}

// Cells by operator: the union of birth and death sets, inverted. Births lie
// within deaths except for none.
static memplan_status index_cells(memplan_ordering *ordering, memplan_error *error) {
  int32_t total = 0;
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    total += ordering->cells[cell].n_deaths;
  }
  ordering->op_cells = MEMPLAN_NEW(&ordering->arena, int32_t, total);
  if (ordering->op_cells == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t *first = ordering->op_cell_first;
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    for (int32_t k = 0; k < ordering->cells[cell].n_deaths; k++) {
      first[ordering->deaths[ordering->cells[cell].first_death + k] + 1]++;
    }
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    first[op + 1] += first[op];
  }
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    for (int32_t k = 0; k < ordering->cells[cell].n_deaths; k++) {
      ordering->op_cells[first[ordering->deaths[ordering->cells[cell].first_death + k]]++] = cell;
    }
  }
  for (int32_t op = ordering->n_ops; op > 0; op--) {
    first[op] = first[op - 1];
  }
  first[0] = 0;
  return MEMPLAN_OK;
}

// Pairs between cells (so both in the arena, neither live throughout) whose
// input may be written over.
static void select_pairs(memplan_ordering *ordering) {
  const memplan_graph *graph = ordering->graph;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    ordering->pair_first[op] = ordering->n_pairs;
    for (int32_t k = graph->pair_first[op]; k < graph->pair_first[op + 1]; k++) {
      const memplan_pair *pair = &graph->pairs[k];
      const memplan_storage *source = &graph->storages[pair->input_storage];
      bool writable =
          (source->roles & MEMPLAN_ROLE_INPUT) == 0 || source->donatable || ordering->options.inputs_writable;
      if (ordering->options.inplace != MEMPLAN_INPLACE_NONE && writable &&
          ordering->cell_of_storage[pair->output_storage] >= 0 && ordering->cell_of_storage[pair->input_storage] >= 0 &&
          memplan_pair_can_lie(ordering, pair)) {
        ordering->pairs[ordering->n_pairs++] = *pair;
      }
    }
  }
  ordering->pair_first[ordering->n_ops] = ordering->n_pairs;
}

static memplan_status collect_groups(memplan_ordering *ordering, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  ordering->group_first = MEMPLAN_NEW(&ordering->arena, int32_t, graph->n_groups + 1);
  ordering->group_ops = MEMPLAN_NEW(&ordering->arena, int32_t, graph->n_ops);
  if (ordering->group_first == NULL || ordering->group_ops == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (graph->ops[op].group >= 0) {
      ordering->group_first[graph->ops[op].group + 1]++;
    }
  }
  for (int32_t group = 0; group < graph->n_groups; group++) {
    ordering->group_first[group + 1] += ordering->group_first[group];
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (graph->ops[op].group >= 0) {
      ordering->group_ops[ordering->group_first[graph->ops[op].group]++] = op;
    }
  }
  for (int32_t group = graph->n_groups; group > 0; group--) {
    ordering->group_first[group] = ordering->group_first[group - 1];
  }
  ordering->group_first[0] = 0;
  return MEMPLAN_OK;
}

static memplan_status allocate(memplan_ordering *ordering, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  memplan_arena *arena = &ordering->arena;
  int64_t entries = 2 * ((int64_t)graph->n_touches + graph->n_ops);
  int64_t cells = (int64_t)graph->n_storages + graph->n_ops;
  int64_t *cost = MEMPLAN_NEW(arena, int64_t, graph->n_ops);
  ordering->workspace = MEMPLAN_NEW(arena, int64_t, graph->n_ops);
  ordering->workspace_cell = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  ordering->cells = MEMPLAN_NEW(arena, memplan_cell, cells);
  ordering->births = MEMPLAN_NEW(arena, int32_t, entries);
  ordering->deaths = MEMPLAN_NEW(arena, int32_t, entries);
  ordering->op_cell_first = MEMPLAN_NEW(arena, int32_t, graph->n_ops + 1);
  ordering->cell_of_storage = MEMPLAN_NEW(arena, int32_t, graph->n_storages);
  ordering->pairs = MEMPLAN_NEW(arena, memplan_pair, graph->n_pairs);
  ordering->pair_first = MEMPLAN_NEW(arena, int32_t, graph->n_ops + 1);
  if (cost == NULL || ordering->workspace == NULL || ordering->workspace_cell == NULL || ordering->cells == NULL ||
      ordering->births == NULL || ordering->deaths == NULL || ordering->op_cell_first == NULL ||
      ordering->cell_of_storage == NULL || ordering->pairs == NULL || ordering->pair_first == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    cost[op] = graph->ops[op].cost;
  }
  ordering->cost = cost;
  return MEMPLAN_OK;
}

memplan_status memplan_ordering_init(memplan_ordering *ordering, const memplan_graph *graph,
                                     const memplan_problem_options *options, const int64_t *workspace,
                                     memplan_error *error) {
  memset(ordering, 0, sizeof *ordering);
  ordering->graph = graph;
  ordering->options = *options;
  ordering->n_ops = graph->n_ops;
  ordering->pred_first = graph->pred_first;
  ordering->pred = graph->pred;
  ordering->succ_first = graph->succ_first;
  ordering->succ = graph->succ;
  MEMPLAN_TRY(allocate(ordering, error));
  fill used = {0, 0};
  add_storages(ordering, &used);
  add_workspaces(ordering, workspace, &used);
  MEMPLAN_TRY(memplan_ordering_add_residents(ordering, error));
  MEMPLAN_TRY(memplan_ordering_name(ordering, error));
  MEMPLAN_TRY(memplan_ordering_check_sizes(ordering, error));
  MEMPLAN_TRY(index_cells(ordering, error));
  select_pairs(ordering);
  return collect_groups(ordering, error);
}

void memplan_ordering_free(memplan_ordering *ordering) {
  memplan_arena_free(&ordering->arena);
  memset(ordering, 0, sizeof *ordering);
}

memplan_status memplan_ordering_check(const memplan_ordering *ordering, const int32_t *order, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  memplan_arena scratch = {0};
  int32_t *step = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops);
  if (step == NULL) {
    memplan_arena_free(&scratch);
    return memplan_fail_nomem(error);
  }
  memplan_status status = MEMPLAN_OK;
  for (int32_t t = 0; t < ordering->n_ops && status == MEMPLAN_OK; t++) {
    int32_t op = order[t];
    if (op < 0 || op >= ordering->n_ops || step[op] != 0) {
      status = memplan_fail(error, MEMPLAN_INPUT, "step %d of the order holds %s", t,
                            op < 0 || op >= ordering->n_ops ? "no operator" : "an operator that ran before");
      break;
    }
    step[op] = t + 1;
    for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
      if (step[ordering->pred[k]] == 0) {
        status = memplan_fail(error, MEMPLAN_INPUT, "operator '%s' stands before '%s', which must run first",
                              graph->ops[op].id, graph->ops[ordering->pred[k]].id);
        break;
      }
    }
  }
  for (int32_t group = 0; group < graph->n_groups && status == MEMPLAN_OK; group++) {
    int32_t low = INT32_MAX, high = 0, members = ordering->group_first[group + 1] - ordering->group_first[group];
    for (int32_t k = ordering->group_first[group]; k < ordering->group_first[group + 1]; k++) {
      int32_t at = step[ordering->group_ops[k]];
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
    if (members > 0 && high - low != members - 1) {
      status = memplan_fail(error, MEMPLAN_INPUT, "the operators of group '%s' do not run one after the other",
                            graph->groups[group]);
    }
  }
  memplan_arena_free(&scratch);
  return status;
}
