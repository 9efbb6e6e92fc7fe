// SPDX-License-Identifier: Apache-2.0
// The limit on sizes. On the given order the sizes of each time-connected
// component must add up to at most 2^62, so that whatever is live together
// there can be added freely. Another order may put any of the graph's buffers
// side by side: where all of them pass the limit, the given order is the only
// one that is searched.
#include "model/ordering_steps.h"

#include "model/base/number.h"

typedef struct life_sums {
  int64_t *bytes;  // by step: sizes of what begins there, saturated
  int32_t *finish; // by step: the latest end of what begins there
  int32_t horizon;
} life_sums;

static void add_life(life_sums *sums, int32_t start, int32_t end, int64_t bytes, int64_t align) {
  if (bytes > 0) {
    int64_t padded = memplan_add_saturated(bytes, align - 1);
    sums->bytes[start] = memplan_add_saturated(sums->bytes[start], padded);
    sums->finish[start] = end > sums->finish[start] ? end : sums->finish[start];
  }
}

// 1 where the alignments contradict each other: placing refuses them by name.
static int64_t storage_align(const memplan_ordering *ordering, int32_t storage) {
  memplan_congruence offset;
  return memplan_ordering_alignment(ordering, storage, &offset) ? offset.align : 1;
}

static int64_t workspace_align(const memplan_ordering *ordering, int32_t op) {
  int64_t align;
  return memplan_lcm(ordering->graph->ops[op].workspace_align, ordering->options.align, &align) ? align : 1;
}

static void add_cell(const memplan_ordering *ordering, const memplan_cell *cell, life_sums *sums) {
  int32_t start = cell->init || cell->n_births == 0 ? 0 : ordering->births[cell->first_birth];
  for (int32_t k = 1; k < cell->n_births && !cell->init; k++) {
    int32_t birth = ordering->births[cell->first_birth + k];
    start = birth < start ? birth : start;
  }
  // A death set is sorted.
  int32_t end =
      cell->keep || cell->n_deaths == 0 ? sums->horizon : ordering->deaths[cell->first_death + cell->n_deaths - 1] + 1;
  int64_t align = cell->storage >= 0 ? storage_align(ordering, cell->storage) : workspace_align(ordering, cell->op);
  add_life(sums, start, end, cell->bytes, align);
}

static void add_lives(const memplan_ordering *ordering, life_sums *sums) {
  const memplan_graph *graph = ordering->graph;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    if (ordering->cell_of_storage[index] < 0 && memplan_ordering_in_arena(graph, &ordering->options, index)) {
      add_life(sums, 0, sums->horizon, graph->storages[index].bytes, storage_align(ordering, index));
    }
  }
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    add_life(sums, 0, sums->horizon, ordering->residents[k].bytes, ordering->residents[k].align);
  }
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    add_cell(ordering, &ordering->cells[cell], sums);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    add_life(sums, op, op + 1, ordering->workspace[op], workspace_align(ordering, op));
  }
}

static memplan_status check_components(const memplan_ordering *ordering, const life_sums *sums, memplan_error *error) {
  int64_t sum = 0;
  int32_t furthest = 0;
  for (int32_t t = 0; t < sums->horizon; t++) {
    sum = t >= furthest ? sums->bytes[t] : memplan_add_saturated(sum, sums->bytes[t]);
    furthest = sums->finish[t] > furthest ? sums->finish[t] : furthest;
    if (sum > MEMPLAN_SIZE_LIMIT) {
      bool known = ordering->n_ops > 0;
      return memplan_fail(error, MEMPLAN_INPUT,
                          "the sizes and alignments of the buffers that are "
                          "live around operator '%s' add up to more "
                          "than 2^62 bytes; look at the sizes of its tensors",
                          known ? ordering->graph->ops[t].id : "");
    }
  }
  return MEMPLAN_OK;
}

static bool any_order_fits(const memplan_ordering *ordering) {
  int64_t sum = memplan_add_saturated(ordering->base, ordering->first_step);
  int64_t largest = 0;
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    sum = memplan_add_saturated(sum, ordering->cells[cell].bytes);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    largest = ordering->workspace[op] > largest ? ordering->workspace[op] : largest;
  }
  return memplan_add_saturated(sum, largest) <= MEMPLAN_SIZE_LIMIT;
}

memplan_status memplan_ordering_check_sizes(memplan_ordering *ordering, memplan_error *error) {
  memplan_arena scratch = {0};
  life_sums sums = {.horizon = ordering->n_ops > 0 ? ordering->n_ops : 1};
  sums.bytes = MEMPLAN_NEW(&scratch, int64_t, sums.horizon);
  sums.finish = MEMPLAN_NEW(&scratch, int32_t, sums.horizon);
  memplan_status status = MEMPLAN_OK;
  if (sums.bytes == NULL || sums.finish == NULL) {
    status = memplan_fail_nomem(error);
  } else {
    add_lives(ordering, &sums);
    status = check_components(ordering, &sums, error);
  }
  memplan_arena_free(&scratch);
  ordering->one_order = !any_order_fits(ordering);
  return status;
}
