// SPDX-License-Identifier: Apache-2.0
// Counters only: predecessors left of an operator, death operators left of a cell, edges left into a group. The gain
// of an operator depends on nothing but whether the cells that it begins are born and whether it is the last death
// operator of the cells it ends, so it changes at two events only: a birth (seen by the other birth operators) and the
// last but one death operator (seen by the one that is left). Both happen once for each cell, which keeps a whole order
// linear in the graph.
#include "heuristics/schedule.h"

#include "model/base/lists.h"

static int32_t group_of(const memplan_ordering *ordering, int32_t op) { return ordering->graph->ops[op].group; }

// Lists for each operator the cells whose birth set holds it.
static bool list_births(memplan_schedule *schedule, memplan_arena *arena) {
  const memplan_ordering *ordering = schedule->ordering;
  memplan_lists lists;
  if (!memplan_lists_begin(&lists, ordering->n_ops, arena)) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t c = 0; c < ordering->n_cells; c++) {
      const memplan_cell *cell = &ordering->cells[c];
      for (int32_t k = cell->first_birth; k < cell->first_birth + cell->n_births; k++) {
        memplan_lists_put(&lists, ordering->births[k], c);
      }
    }
    if (pass == 0 && !memplan_lists_store(&lists, arena)) {
      return false;
    }
  }
  schedule->op_birth_first = lists.first;
  schedule->op_births = lists.list;
  return true;
}

static bool allocate(memplan_schedule *schedule, memplan_arena *arena) {
  const memplan_ordering *ordering = schedule->ordering;
  int32_t n_groups = ordering->graph->n_groups;
  int32_t most_pairs = 0;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t count = ordering->pair_first[op + 1] - ordering->pair_first[op];
    most_pairs = count > most_pairs ? count : most_pairs;
  }
  size_t n_births = 0;
  for (int32_t c = 0; c < ordering->n_cells; c++) {
    n_births += (size_t)ordering->cells[c].n_births;
  }
  schedule->ready = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  schedule->changed = MEMPLAN_NEW(arena, int32_t, n_births + (size_t)ordering->n_cells);
  schedule->done = MEMPLAN_NEW(arena, bool, ordering->n_ops);
  schedule->born = MEMPLAN_NEW(arena, bool, ordering->n_cells);
  schedule->missing_preds = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  schedule->missing_deaths = MEMPLAN_NEW(arena, int32_t, ordering->n_cells);
  schedule->death_sum = MEMPLAN_NEW(arena, int64_t, ordering->n_cells);
  schedule->group_missing = MEMPLAN_NEW(arena, int32_t, n_groups);
  schedule->group_left = MEMPLAN_NEW(arena, int32_t, n_groups);
  schedule->available = MEMPLAN_NEW(arena, bool, most_pairs);
  schedule->chosen = MEMPLAN_NEW(arena, int32_t, most_pairs);
  return schedule->ready != NULL && schedule->changed != NULL && schedule->done != NULL && schedule->born != NULL &&
         schedule->missing_preds != NULL && schedule->missing_deaths != NULL && schedule->death_sum != NULL &&
         schedule->group_missing != NULL && schedule->group_left != NULL && schedule->available != NULL &&
         schedule->chosen != NULL && list_births(schedule, arena);
}

static bool may_run(const memplan_schedule *schedule, int32_t op) {
  int32_t group = group_of(schedule->ordering, op);
  return schedule->missing_preds[op] == 0 && (group < 0 || schedule->group_missing[group] == 0);
}

memplan_status memplan_schedule_init(memplan_schedule *schedule, const memplan_ordering *ordering, int32_t *order,
                                     memplan_arena *arena, memplan_error *error) {
  *schedule = (memplan_schedule){.ordering = ordering, .order = order, .live = ordering->base, .open_group = -1};
  if (!allocate(schedule, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t c = 0; c < ordering->n_cells; c++) {
    const memplan_cell *cell = &ordering->cells[c];
    schedule->missing_deaths[c] = cell->n_deaths;
    for (int32_t k = 0; k < cell->n_deaths; k++) {
      schedule->death_sum[c] += ordering->deaths[cell->first_death + k];
    }
    if (cell->init) {
      schedule->born[c] = true;
      schedule->live += cell->bytes;
    }
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t group = group_of(ordering, op);
    schedule->missing_preds[op] = ordering->pred_first[op + 1] - ordering->pred_first[op];
    if (group >= 0) {
      schedule->group_left[group]++;
      for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
        schedule->group_missing[group] += group_of(ordering, ordering->pred[k]) != group;
      }
    }
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    if (may_run(schedule, op)) {
      schedule->ready[schedule->n_ready++] = op;
    }
  }
  return MEMPLAN_OK;
}

// May the pair be chosen if its operator ran now?
static bool pair_is_available(const memplan_schedule *schedule, const memplan_pair *pair) {
  const int32_t *cell_of = schedule->ordering->cell_of_storage;
  int32_t output = cell_of[pair->output_storage];
  int32_t input = cell_of[pair->input_storage];
  return output >= 0 && input >= 0 && !schedule->born[output] && schedule->born[input] &&
         schedule->missing_deaths[input] == 1;
}

static int64_t best_saving(const memplan_schedule *schedule, int32_t op) {
  const memplan_ordering *ordering = schedule->ordering;
  int32_t first = ordering->pair_first[op];
  int32_t count = ordering->pair_first[op + 1] - first;
  int32_t n_available = 0;
  int64_t saving = 0;
  for (int32_t i = 0; i < count; i++) {
    schedule->available[i] = pair_is_available(schedule, &ordering->pairs[first + i]);
    if (schedule->available[i]) {
      n_available++;
      saving = ordering->pairs[first + i].saving;
    }
  }
  if (n_available > 1) {
    memplan_matching matching;
    // Without memory for a matching the last pair alone will do: a schedule is a guess, its order is measured
    // afterwards.
    if (memplan_pairs_match(ordering->pairs, first, count, schedule->available, schedule->chosen, &matching)) {
      saving = matching.saving;
    }
  }
  return saving;
}

memplan_gain memplan_schedule_gain(const memplan_schedule *schedule, int32_t op) {
  const memplan_ordering *ordering = schedule->ordering;
  memplan_gain gain = {.workspace = ordering->workspace[op], .saving = best_saving(schedule, op)};
  for (int32_t k = schedule->op_birth_first[op]; k < schedule->op_birth_first[op + 1]; k++) {
    int32_t c = schedule->op_births[k];
    gain.born += schedule->born[c] ? 0 : ordering->cells[c].bytes;
  }
  for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
    int32_t c = ordering->op_cells[k];
    if (schedule->missing_deaths[c] == 1 && !ordering->cells[c].keep) {
      if (schedule->born[c]) {
        gain.freed += ordering->cells[c].bytes;
      } else {
        gain.spent += ordering->cells[c].bytes;
      }
    }
  }
  return gain;
}

int64_t memplan_schedule_load(const memplan_schedule *schedule, const memplan_gain *gain) {
  int64_t first_step = schedule->n_steps == 0 ? schedule->ordering->first_step : 0;
  return schedule->live + gain->born + gain->workspace - gain->saving + first_step;
}

static void begin_cells(memplan_schedule *schedule, int32_t op) {
  const memplan_ordering *ordering = schedule->ordering;
  for (int32_t k = schedule->op_birth_first[op]; k < schedule->op_birth_first[op + 1]; k++) {
    int32_t c = schedule->op_births[k];
    const memplan_cell *cell = &ordering->cells[c];
    if (schedule->born[c]) {
      continue;
    }
    schedule->born[c] = true;
    schedule->live += cell->bytes;
    for (int32_t b = cell->first_birth; b < cell->first_birth + cell->n_births; b++) {
      if (!schedule->done[ordering->births[b]]) {
        schedule->changed[schedule->n_changed++] = ordering->births[b];
      }
    }
  }
}

static void end_cells(memplan_schedule *schedule, int32_t op) {
  const memplan_ordering *ordering = schedule->ordering;
  for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
    int32_t c = ordering->op_cells[k];
    schedule->missing_deaths[c]--;
    schedule->death_sum[c] -= op;
    if (schedule->missing_deaths[c] == 1) {
      schedule->changed[schedule->n_changed++] = (int32_t)schedule->death_sum[c];
    } else if (schedule->missing_deaths[c] == 0 && !ordering->cells[c].keep) {
      schedule->live -= ordering->cells[c].bytes;
    }
  }
}

// An outside edge into the group has gone; if it was the last one, the members without predecessors become ready.
static void relax_group(memplan_schedule *schedule, int32_t group) {
  const memplan_ordering *ordering = schedule->ordering;
  if (--schedule->group_missing[group] > 0) {
    return;
  }
  for (int32_t k = ordering->group_first[group]; k < ordering->group_first[group + 1]; k++) {
    if (schedule->missing_preds[ordering->group_ops[k]] == 0) {
      schedule->ready[schedule->n_ready++] = ordering->group_ops[k];
    }
  }
}

void memplan_schedule_run(memplan_schedule *schedule, int32_t op) {
  const memplan_ordering *ordering = schedule->ordering;
  memplan_gain gain = memplan_schedule_gain(schedule, op);
  int64_t load = memplan_schedule_load(schedule, &gain);
  schedule->peak = load > schedule->peak ? load : schedule->peak;
  schedule->order[schedule->n_steps++] = op;
  schedule->done[op] = true;
  schedule->n_ready = 0;
  schedule->n_changed = 0;
  begin_cells(schedule, op);
  end_cells(schedule, op);
  int32_t group = group_of(ordering, op);
  if (group >= 0) {
    schedule->open_group = --schedule->group_left[group] > 0 ? group : -1;
  }
  for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
    int32_t next = ordering->succ[k];
    int32_t next_group = group_of(ordering, next);
    schedule->missing_preds[next]--;
    if (next_group >= 0 && next_group != group) {
      relax_group(schedule, next_group);
    } else if (may_run(schedule, next)) {
      schedule->ready[schedule->n_ready++] = next;
    }
  }
}
