// SPDX-License-Identifier: Apache-2.0
// With the usable bytes U_i(e) of pool i below its end e and the load L_A of what admits only the pools A: whatever the
// plan, the ends satisfy sum over A of U_i(e_i) >= L_A for each A. A pool's least end follows by taking what the others
// of the set can hold off the load; the least largest end by bisection. Sets tried: those that occur and their unions,
// up to a fixed number, and all pools. A proof fixes one pool after the other: its peak becomes its capacity, so that
// what is larger has to lie elsewhere.
#include "solvers/bound_pools.h"

#include "model/base/number.h"
#include "model/occupancy.h"
#include "solvers/pool_mask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The pools that a thing which ends at `end` or above admits.
static uint64_t mask_of(const memplan_pool_table *table, const int32_t *pools, int32_t count, int64_t end) {
  uint64_t mask = memplan_pool_mask(pools, count, table->n_pools), fits = 0;
  for (int32_t pool = 0; pool < table->n_pools; pool++) {
    int64_t capacity = table->pools[pool].capacity;
    fits |= capacity < 0 || end <= capacity ? (uint64_t)1 << pool : 0;
  }
  return (mask & fits) != 0 ? mask & fits : mask;
}

static bool lies_within(uint64_t inner, uint64_t outer) { return (inner & ~outer) == 0; }

// The last place is kept for the set of all pools, which also stands for sets without room.
static void add_set(memplan_pool_table *table, uint64_t pools) {
  for (int32_t k = 0; k < table->n_sets; k++) {
    if (table->sets[k].pools == pools) {
      return;
    }
  }
  if (table->n_sets < MEMPLAN_POOL_SETS) {
    table->sets[table->n_sets++] = (memplan_pool_set){.pools = pools, .step = -1};
  }
}

static void add_own_set(memplan_pool_table *table, uint64_t pools) {
  if (table->n_sets < MEMPLAN_POOL_SETS / 2) {
    add_set(table, pools);
  }
}

static void add_unions(memplan_pool_table *table) {
  for (int32_t b = 1; b < table->n_sets; b++) {
    for (int32_t a = 0; a < b; a++) {
      add_set(table, table->sets[a].pools | table->sets[b].pools);
    }
  }
}

// The largest end is kept with the set itself, or with that of all pools.
static void note_end(memplan_pool_table *table, uint64_t pools, int64_t end) {
  memplan_pool_set *set = &table->sets[0];
  for (int32_t k = 1; k < table->n_sets; k++) {
    set = table->sets[k].pools == pools ? &table->sets[k] : set;
  }
  set->largest = end > set->largest ? end : set->largest;
}

static void note_load(memplan_pool_set *set, int64_t load, int64_t step, const char *op) {
  if (load > set->load) {
    set->load = load;
    set->step = step;
    set->op = op;
  }
}

static memplan_status begin(memplan_pool_table *table, const memplan_pool *given, int32_t n_pools,
                            const int64_t *capacities, memplan_arena *arena, memplan_error *error) {
  memplan_pool *pools = MEMPLAN_NEW(arena, memplan_pool, n_pools);
  if (pools == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < n_pools; pool++) {
    pools[pool] = given[pool];
    pools[pool].capacity = capacities != NULL ? capacities[pool] : given[pool].capacity;
  }
  table->pools = pools;
  table->n_pools = n_pools;
  memplan_interval **reserved = MEMPLAN_NEW(arena, memplan_interval *, n_pools);
  int32_t *n_reserved = MEMPLAN_NEW(arena, int32_t, n_pools);
  if (reserved == NULL || n_reserved == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < n_pools; pool++) {
    reserved[pool] = MEMPLAN_NEW(arena, memplan_interval, pools[pool].n_reserved);
    if (reserved[pool] == NULL) {
      return memplan_fail_nomem(error);
    }
    if (pools[pool].n_reserved > 0) {
      memcpy(reserved[pool], pools[pool].reserved, (size_t)pools[pool].n_reserved * sizeof **reserved);
    }
    n_reserved[pool] = memplan_intervals_merge(reserved[pool], pools[pool].n_reserved);
  }
  table->reserved = reserved;
  table->n_reserved = n_reserved;
  if (n_pools <= MEMPLAN_MASK_POOLS) {
    add_set(table, memplan_pool_mask_all(n_pools));
  }
  return MEMPLAN_OK;
}

// ---- from an instance

static int64_t block_end(const memplan_block *block) { return (block->pin >= 0 ? block->pin : 0) + block->bytes; }

static uint64_t block_mask(const memplan_pool_table *table, const memplan_block *block) {
  return mask_of(table, table->instance->block_pools + block->first_pool, block->n_pools, block_end(block));
}

static void load_instance(const memplan_pool_table *table, memplan_pool_set *set, int64_t *load) {
  const memplan_instance *instance = table->instance;
  memset(load, 0, ((size_t)instance->n_times + 1) * sizeof *load);
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    int32_t n_parts = lies_within(block_mask(table, block), set->pools) ? block->n_parts : 0;
    for (int32_t k = 0; k < n_parts; k++) {
      const memplan_part *part = &instance->parts[block->first_part + k];
      load[part->start] += part->high - part->low;
      load[part->end] -= part->high - part->low;
    }
  }
  for (int32_t time = 0; time < instance->n_times; time++) {
    load[time] += time > 0 ? load[time - 1] : 0;
    note_load(set, load[time], instance->times[time], NULL);
  }
}

memplan_status memplan_pool_table_of_instance(const memplan_instance *instance, const int64_t *capacities,
                                              memplan_arena *arena, memplan_pool_table *table, memplan_error *error) {
  *table = (memplan_pool_table){.instance = instance};
  MEMPLAN_TRY(begin(table, instance->pools, instance->n_pools, capacities, arena, error));
  int64_t *load = MEMPLAN_NEW(arena, int64_t, (int64_t)instance->n_times + 1);
  if (load == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < instance->n_blocks && table->n_sets > 0; index++) {
    add_own_set(table, block_mask(table, &instance->blocks[index]));
  }
  add_unions(table);
  for (int32_t k = 0; k < table->n_sets; k++) {
    load_instance(table, &table->sets[k], load);
  }
  for (int32_t index = 0; index < instance->n_blocks && table->n_sets > 0; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->bytes > 0) {
      note_end(table, block_mask(table, block), block_end(block));
    }
  }
  return MEMPLAN_OK;
}

// ---- from a graph

typedef struct graph_work {
  const memplan_ordering *ordering;
  const memplan_pool_table *table;
  uint64_t *storages, *workspaces; // masks, by storage and operator
  bool *available;                 // by pair of one operator
  int32_t *chosen;
} graph_work;

static int64_t storage_end(const memplan_storage *storage) {
  return (storage->pin >= 0 ? storage->pin : 0) + storage->bytes;
}

static int64_t workspace_bytes(const memplan_ordering *ordering, int32_t op) {
  int32_t cell = ordering->workspace_cell[op];
  return cell >= 0 ? ordering->cells[cell].bytes : ordering->workspace[op];
}

static uint64_t cell_mask(const graph_work *work, int32_t cell) {
  const memplan_cell *entry = &work->ordering->cells[cell];
  return entry->storage >= 0 ? work->storages[entry->storage] : work->workspaces[entry->op];
}

static memplan_status make_work(const memplan_ordering *ordering, const memplan_pool_table *table, memplan_arena *arena,
                                graph_work *work, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  int32_t most = 0;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t count = ordering->pair_first[op + 1] - ordering->pair_first[op];
    most = count > most ? count : most;
  }
  *work = (graph_work){.ordering = ordering, .table = table};
  work->storages = MEMPLAN_NEW(arena, uint64_t, graph->n_storages);
  work->workspaces = MEMPLAN_NEW(arena, uint64_t, graph->n_ops);
  work->available = MEMPLAN_NEW(arena, bool, most);
  work->chosen = MEMPLAN_NEW(arena, int32_t, most);
  if (work->storages == NULL || work->workspaces == NULL || work->available == NULL || work->chosen == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < graph->n_storages && table->n_sets > 0; index++) {
    const memplan_storage *storage = &graph->storages[index];
    work->storages[index] = mask_of(table, storage->pools, storage->n_pools, storage_end(storage));
  }
  for (int32_t op = 0; op < graph->n_ops && table->n_sets > 0; op++) {
    work->workspaces[op] =
        mask_of(table, graph->ops[op].workspace_pools, graph->ops[op].n_workspace_pools, workspace_bytes(ordering, op));
  }
  return MEMPLAN_OK;
}

// At most what in-place pairs take off the load of a set at an operator: pairs with both buffers outside of it do not.
static int64_t most_saved(const graph_work *work, int32_t op, uint64_t pools) {
  const memplan_ordering *ordering = work->ordering;
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  int64_t sum = 0;
  for (int32_t k = 0; k < count; k++) {
    const memplan_pair *pair = &ordering->pairs[first + k];
    work->available[k] = lies_within(work->storages[pair->output_storage], pools) ||
                         lies_within(work->storages[pair->input_storage], pools);
    sum = memplan_add_saturated(sum, work->available[k] ? pair->saving : 0);
  }
  memplan_matching matching;
  return memplan_pairs_match(ordering->pairs, first, count, work->available, work->chosen, &matching) ? matching.most
                                                                                                      : sum;
}

// Bytes that are there from the first step to the last, and those of all inputs that are there at the first.
static void sum_ends(const graph_work *work, uint64_t pools, int64_t *base, int64_t *first, int64_t *last) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_graph *graph = ordering->graph;
  *base = *first = *last = 0;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    bool counts = ordering->cell_of_storage[index] < 0 && memplan_ordering_in_arena(graph, &ordering->options, index) &&
                  lies_within(work->storages[index], pools);
    const memplan_storage *storage = &graph->storages[index];
    // An input that nobody reads is there at the first step alone, unless the options keep it.
    bool once = storage->n_touches == 0 && ordering->options.io == MEMPLAN_IO_ARENA &&
                (storage->roles & (MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE | MEMPLAN_ROLE_OUTPUT)) == 0;
    *(once ? first : base) += counts ? storage->bytes : 0;
  }
  for (int32_t k = 0; k < ordering->n_residents && pools == memplan_pool_mask_all(graph->n_pools); k++) {
    *base += ordering->residents[k].bytes;
  }
  *first += *base;
  *last = *base;
  for (int32_t k = 0; k < ordering->n_cells; k++) {
    const memplan_cell *cell = &ordering->cells[k];
    bool counts = lies_within(cell_mask(work, k), pools);
    *first += counts && cell->init ? cell->bytes : 0;
    *last += counts && cell->keep ? cell->bytes : 0;
  }
}

static void load_graph(const graph_work *work, memplan_pool_set *set) {
  const memplan_ordering *ordering = work->ordering;
  int64_t base, first, last;
  sum_ends(work, set->pools, &base, &first, &last);
  note_load(set, first, -1, NULL);
  note_load(set, last, -1, NULL);
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int64_t load = base;
    for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
      int32_t cell = ordering->op_cells[k];
      load += lies_within(cell_mask(work, cell), set->pools) ? ordering->cells[cell].bytes : 0;
    }
    load += lies_within(work->workspaces[op], set->pools) ? ordering->workspace[op] : 0;
    if (load > set->load) {
      note_load(set, load - most_saved(work, op, set->pools), -1, ordering->graph->ops[op].id);
    }
  }
}

memplan_status memplan_pool_table_of_graph(const memplan_ordering *ordering, const int64_t *capacities,
                                           memplan_arena *arena, memplan_pool_table *table, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  graph_work work;
  *table = (memplan_pool_table){.ordering = ordering};
  MEMPLAN_TRY(begin(table, graph->pools, graph->n_pools, capacities, arena, error));
  MEMPLAN_TRY(make_work(ordering, table, arena, &work, error));
  if (table->n_sets == 0) {
    return MEMPLAN_OK;
  }
  for (int32_t index = 0; index < graph->n_storages; index++) {
    add_own_set(table, work.storages[index]);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    add_own_set(table, work.workspaces[op]);
  }
  add_unions(table);
  for (int32_t k = 0; k < table->n_sets; k++) {
    load_graph(&work, &table->sets[k]);
  }
  for (int32_t index = 0; index < graph->n_storages; index++) {
    if (graph->storages[index].bytes > 0 && memplan_ordering_in_arena(graph, &ordering->options, index)) {
      note_end(table, work.storages[index], storage_end(&graph->storages[index]));
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    note_end(table, work.workspaces[op], workspace_bytes(ordering, op));
  }
  return MEMPLAN_OK;
}

// ---- what follows

// Bytes of a pool below `end` that are not reserved.
static int64_t usable(const memplan_pool_table *table, int32_t pool, int64_t end) {
  int64_t bytes = end;
  for (int32_t k = 0; k < table->n_reserved[pool]; k++) {
    const memplan_interval *range = &table->reserved[pool][k];
    int64_t high = range->end < end ? range->end : end;
    bytes -= high > range->start ? high - range->start : 0;
  }
  return bytes;
}

// The least end of a pool below which that many bytes are usable.
static int64_t least_end(const memplan_pool_table *table, int32_t pool, int64_t bytes) {
  int64_t end = bytes;
  for (int32_t k = 0; bytes > 0 && k < table->n_reserved[pool]; k++) {
    const memplan_interval *range = &table->reserved[pool][k];
    end += range->start < end ? range->end - range->start : 0;
  }
  return bytes > 0 ? end : 0;
}

// What the pools of a set but one can hold, or -1: no limit. *largest: the largest thing that one of them can.
static int64_t held_beside(const memplan_pool_table *table, uint64_t pools, int32_t except, int64_t *largest) {
  int64_t held = 0;
  *largest = 0;
  for (int32_t pool = 0; pool < table->n_pools; pool++) {
    if ((pools >> pool & 1) == 0 || pool == except) {
      continue;
    }
    int64_t capacity = table->pools[pool].capacity;
    if (capacity < 0) {
      return -1;
    }
    held = memplan_add_saturated(held, usable(table, pool, capacity));
    *largest = capacity > *largest ? capacity : *largest;
  }
  return held;
}

int64_t memplan_pool_table_least(const memplan_pool_table *table, int32_t pool, const memplan_pool_set **because) {
  int64_t least = 0;
  *because = NULL;
  for (int32_t k = 0; k < table->n_sets; k++) {
    const memplan_pool_set *set = &table->sets[k];
    int64_t largest = 0;
    int64_t held = (set->pools >> pool & 1) != 0 ? held_beside(table, set->pools, pool, &largest) : -1;
    if (held < 0) {
      continue;
    }
    int64_t end = set->load > held ? least_end(table, pool, set->load - held) : 0;
    end = set->largest > largest && set->largest > end ? set->largest : end;
    if (end > least) {
      least = end;
      *because = set;
    }
  }
  return least;
}

static bool holds(const memplan_pool_table *table, const memplan_pool_set *set, int64_t end) {
  int64_t sum = 0;
  for (int32_t pool = 0; pool < table->n_pools; pool++) {
    if ((set->pools >> pool & 1) != 0) {
      int64_t capacity = table->pools[pool].capacity;
      sum = memplan_add_saturated(sum, usable(table, pool, capacity >= 0 && capacity < end ? capacity : end));
    }
  }
  return sum >= set->load;
}

// The least end that lets the set's pools hold its load, if they all may end there; capacities may forbid every one.
static int64_t least_common(const memplan_pool_table *table, const memplan_pool_set *set) {
  int64_t low = 0, high = MEMPLAN_SIZE_LIMIT;
  if (!holds(table, set, high)) {
    return 0;
  }
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (holds(table, set, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int64_t memplan_pool_table_largest(const memplan_pool_table *table, const memplan_pool_set **because) {
  int64_t largest = 0;
  *because = NULL;
  for (int32_t k = 0; k < table->n_sets; k++) {
    int64_t end = least_common(table, &table->sets[k]);
    // Wherever it lies, it ends there or above.
    end = table->sets[k].largest > end ? table->sets[k].largest : end;
    if (end > largest) {
      largest = end;
      *because = &table->sets[k];
    }
  }
  return largest;
}

int64_t memplan_pool_table_total(const memplan_pool_table *table) {
  int64_t sum = 0, load = 0;
  const memplan_pool_set *because;
  for (int32_t pool = 0; pool < table->n_pools; pool++) {
    sum = memplan_add_saturated(sum, memplan_pool_table_least(table, pool, &because));
  }
  for (int32_t k = 0; k < table->n_sets; k++) {
    load = table->sets[k].load > load ? table->sets[k].load : load;
  }
  return sum > load ? sum : load;
}

static bool make_again(const memplan_pool_table *table, const int64_t *capacities, memplan_arena *arena,
                       memplan_pool_table *again) {
  memplan_status status = table->instance != NULL
                              ? memplan_pool_table_of_instance(table->instance, capacities, arena, again, NULL)
                              : memplan_pool_table_of_graph(table->ordering, capacities, arena, again, NULL);
  return status == MEMPLAN_OK;
}

static void limit(int64_t *capacity, int64_t end) { *capacity = *capacity < 0 || end < *capacity ? end : *capacity; }

// Fixes one pool after the other at its peak, from the last one to `first`, and asks whether it could end lower.
static bool proves_peaks(const memplan_pool_table *table, const int64_t *peaks, int64_t *capacities, int32_t first) {
  const memplan_pool_set *because;
  bool proven = true;
  for (int32_t pool = table->n_pools - 1; pool >= first && proven; pool--) {
    memplan_arena arena = {0};
    memplan_pool_table fixed;
    proven = make_again(table, capacities, &arena, &fixed) &&
             memplan_pool_table_least(&fixed, pool, &because) >= peaks[pool];
    memplan_arena_free(&arena);
    limit(&capacities[pool], peaks[pool]);
  }
  return proven;
}

bool memplan_pool_table_proves(const memplan_pool_table *table, const memplan_objective *objective,
                               const int64_t *peaks) {
  int64_t capacities[MEMPLAN_MASK_POOLS];
  const memplan_pool_set *because;
  if (table->n_sets == 0) {
    return false;
  }
  for (int32_t pool = 0; pool < table->n_pools; pool++) {
    capacities[pool] = table->pools[pool].capacity;
  }
  int64_t value = memplan_objective_value(objective, peaks, table->n_pools);
  switch (objective->minimize) {
  case MEMPLAN_MINIMIZE_PEAK:
    return proves_peaks(table, peaks, capacities, 0);
  case MEMPLAN_MINIMIZE_TOTAL:
    // With the sum and all peaks but the first one settled, so is the first one.
    return memplan_pool_table_total(table) >= value && proves_peaks(table, peaks, capacities, 1);
  case MEMPLAN_MINIMIZE_MAX:
    for (int32_t pool = 0; pool < table->n_pools; pool++) {
      limit(&capacities[pool], value);
    }
    return memplan_pool_table_largest(table, &because) >= value && proves_peaks(table, peaks, capacities, 0);
  case MEMPLAN_MINIMIZE_POOL:
    limit(&capacities[objective->pool], value);
    return memplan_pool_table_least(table, objective->pool, &because) >= value &&
           proves_peaks(table, peaks, capacities, 0);
  }
  return false;
}

void memplan_pool_table_list(const memplan_pool_table *table, bool joint, memplan_bound_list *list) {
  const memplan_pool_set *because;
  int64_t largest = memplan_pool_table_largest(table, &because);
  for (int32_t pool = 0; pool < table->n_pools && table->n_sets > 0; pool++) { // more where no plan can be
    const memplan_pool_set *own;
    int64_t least = memplan_pool_table_least(table, pool, &own);
    because = least > largest ? own : because;
    largest = least > largest ? least : largest;
  }
  memplan_bound bound = {.kind = MEMPLAN_BOUND_POOLS, .joint = joint, .bytes = largest, .step = -1};
  if (because != NULL) {
    bound.step = because->step;
    bound.op = because->op;
  }
  memplan_bound_list_add(list, bound);
  for (int32_t pool = table->n_pools - 1; pool >= 0 && table->n_sets > 0; pool--) {
    int64_t least = memplan_pool_table_least(table, pool, &because);
    if (least > 0) {
      memplan_bound_list_add(list, (memplan_bound){.kind = MEMPLAN_BOUND_POOL,
                                                   .joint = joint,
                                                   .bytes = least,
                                                   .step = because->step,
                                                   .op = because->op,
                                                   .pool = table->pools[pool].id});
    }
  }
}

static void name_pools(const memplan_pool_table *table, uint64_t pools, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int32_t pool = 0; pool < table->n_pools && used < size; pool++) {
    if ((pools >> pool & 1) != 0) {
      int written = snprintf(text + used, size - used, "%s'%.60s'", used > 0 ? ", " : "", table->pools[pool].id);
      used += written > 0 ? (size_t)written : 0;
    }
  }
}

const char *memplan_pool_table_refutes(const memplan_pool_table *table, memplan_arena *arena) {
  for (int32_t k = 0; k < table->n_sets; k++) {
    const memplan_pool_set *set = &table->sets[k];
    int64_t largest;
    int64_t held = held_beside(table, set->pools, -1, &largest);
    if (held < 0 || (set->load <= held && set->largest <= largest)) {
      continue;
    }
    char names[256], when[160] = "", text[640];
    name_pools(table, set->pools, names, sizeof names);
    if (set->load > held && set->op != NULL) {
      (void)snprintf(when, sizeof when, " while operator '%.100s' runs", set->op);
    } else if (set->load > held && set->step >= 0) {
      (void)snprintf(when, sizeof when, " at %" PRId64, set->step);
    }
    bool several = (set->pools & (set->pools - 1)) != 0;
    int64_t needed = set->load > held ? set->load : set->largest, there = set->load > held ? held : largest;
    (void)snprintf(text, sizeof text,
                   "the pool%s %s hold%s %" PRId64 " bytes%s, but what admits no other pool needs %" PRId64
                   "%s, %" PRId64 " too many",
                   several ? "s" : "", names, several ? "" : "s", there, set->load > held ? "" : " in one piece",
                   needed, when, needed - there);
    return memplan_arena_text(arena, text, strlen(text));
  }
  return NULL;
}
