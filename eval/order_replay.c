// SPDX-License-Identifier: Apache-2.0
// A predecessor is met if it has run, or is lazy and has all of its own predecessors met: it can run together with what
// needs it. Running a lazy operator changes nothing of this, so that only hard ones are passed on.
#include "eval/order_replay.h"

#include "model/base/number.h"

#include <stdlib.h>

enum { most_reach_ops = 16384 };

// ---- lists

static bool lists_allocate(memplan_replay_lists *lists, int32_t n, int64_t entries, memplan_arena *arena) {
  lists->first = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 2);
  lists->list = MEMPLAN_NEW(arena, int32_t, entries);
  return lists->first != NULL && lists->list != NULL;
}

static void lists_sum(const memplan_replay_lists *lists, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    lists->first[i + 2] += lists->first[i + 1];
  }
}

// Counts of i stand at i + 2 until they are summed; then each entry moves the first of i to where it belongs.
static void lists_put(const memplan_replay_lists *lists, bool counting, int32_t i, int32_t entry) {
  if (counting) {
    lists->first[i + 2]++;
  } else {
    lists->list[lists->first[i + 1]++] = entry;
  }
}

static bool make_edges(memplan_order_replay *replay, const int32_t *before, const int32_t *after, int32_t n_edges,
                       memplan_arena *arena) {
  const memplan_ordering *ordering = replay->ordering;
  int32_t n = ordering->n_ops;
  int64_t entries = (int64_t)ordering->pred_first[n] + n_edges;
  memplan_replay_lists *pred = replay->reversed ? &replay->succ : &replay->pred;
  memplan_replay_lists *succ = replay->reversed ? &replay->pred : &replay->succ;
  if (entries > INT32_MAX || !lists_allocate(pred, n, entries, arena) || !lists_allocate(succ, n, entries, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t op = 0; op < n; op++) {
      for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
        lists_put(pred, pass == 0, op, ordering->pred[k]);
        lists_put(succ, pass == 0, ordering->pred[k], op);
      }
    }
    for (int32_t k = 0; k < n_edges; k++) {
      lists_put(pred, pass == 0, after[k], before[k]);
      lists_put(succ, pass == 0, before[k], after[k]);
    }
    if (pass == 0) {
      lists_sum(pred, n);
      lists_sum(succ, n);
    }
  }
  return true;
}

// One side of the cells, by cell and by operator.
static bool make_side(const memplan_ordering *ordering, bool births, memplan_replay_lists *by_cell,
                      memplan_replay_lists *by_op, memplan_arena *arena) {
  int64_t entries = 0;
  for (int32_t c = 0; c < ordering->n_cells; c++) {
    entries += births ? ordering->cells[c].n_births : ordering->cells[c].n_deaths;
  }
  if (!lists_allocate(by_cell, ordering->n_cells, entries, arena) ||
      !lists_allocate(by_op, ordering->n_ops, entries, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t c = 0; c < ordering->n_cells; c++) {
      const memplan_cell *cell = &ordering->cells[c];
      const int32_t *members = births ? ordering->births + cell->first_birth : ordering->deaths + cell->first_death;
      int32_t count = (births ? cell->init : cell->keep) ? 0 : births ? cell->n_births : cell->n_deaths;
      for (int32_t k = 0; k < count; k++) {
        lists_put(by_cell, pass == 0, c, members[k]);
        lists_put(by_op, pass == 0, members[k], c);
      }
    }
    if (pass == 0) {
      lists_sum(by_cell, ordering->n_cells);
      lists_sum(by_op, ordering->n_ops);
    }
  }
  return true;
}

static bool make_cells(memplan_order_replay *replay, memplan_arena *arena) {
  const memplan_ordering *ordering = replay->ordering;
  bool turned = replay->reversed;
  return make_side(ordering, true, turned ? &replay->deaths : &replay->births,
                   turned ? &replay->op_deaths : &replay->op_births, arena) &&
         make_side(ordering, false, turned ? &replay->births : &replay->deaths,
                   turned ? &replay->op_births : &replay->op_deaths, arena);
}

static bool is_there(const memplan_order_replay *replay, int32_t cell) {
  return replay->reversed ? replay->ordering->cells[cell].keep : replay->ordering->cells[cell].init;
}

static bool stays(const memplan_order_replay *replay, int32_t cell) {
  return replay->reversed ? replay->ordering->cells[cell].init : replay->ordering->cells[cell].keep;
}

// ---- set-up

static void add_ready(memplan_order_replay *replay, int32_t op) {
  replay->ready_at[op] = replay->n_ready;
  replay->ready[replay->n_ready++] = op;
}

static void drop_ready(memplan_order_replay *replay, int32_t op) {
  int32_t at = replay->ready_at[op], last = replay->ready[--replay->n_ready];
  replay->ready[at] = last;
  replay->ready_at[last] = at;
  replay->ready_at[op] = -1;
}

// Leaves the order in `sequence` too.
static void sort_topologically(memplan_order_replay *replay, bool *cyclic) {
  int32_t n = replay->ordering->n_ops, count = 0;
  int32_t *queue = replay->sequence;
  for (int32_t op = 0; op < n; op++) {
    if (replay->missing[op] == 0) {
      queue[count++] = op;
    }
  }
  for (int32_t at = 0; at < count; at++) {
    int32_t op = queue[at];
    replay->topological[op] = at;
    replay->by_place[at] = op;
    for (int32_t k = replay->succ.first[op]; k < replay->succ.first[op + 1]; k++) {
      if (--replay->missing[replay->succ.list[k]] == 0) {
        queue[count++] = replay->succ.list[k];
      }
    }
  }
  *cyclic = count < n;
}

static bool allocate(memplan_order_replay *replay, memplan_arena *arena) {
  const memplan_ordering *ordering = replay->ordering;
  int32_t n = ordering->n_ops, n_groups = ordering->graph->n_groups;
  int32_t **const by_op[] = {&replay->topological, &replay->by_place, &replay->sequence,
                             &replay->missing,     &replay->unmet,    &replay->ready,
                             &replay->ready_at,    &replay->stack,    &replay->needs};
  bool good = true;
  for (size_t k = 0; k < sizeof by_op / sizeof *by_op; k++) {
    *by_op[k] = MEMPLAN_NEW(arena, int32_t, n);
    good = good && *by_op[k] != NULL;
  }
  replay->done = MEMPLAN_NEW(arena, uint64_t, n / 64 + 1);
  replay->lazy = MEMPLAN_NEW(arena, bool, n);
  replay->marked = MEMPLAN_NEW(arena, bool, n);
  replay->born = MEMPLAN_NEW(arena, int32_t, ordering->n_cells);
  replay->to_die = MEMPLAN_NEW(arena, int32_t, ordering->n_cells);
  replay->group_size = MEMPLAN_NEW(arena, int32_t, n_groups);
  replay->group_left = MEMPLAN_NEW(arena, int32_t, n_groups);
  replay->group_missing = MEMPLAN_NEW(arena, int32_t, n_groups);
  replay->available = MEMPLAN_NEW(arena, bool, ordering->n_pairs);
  replay->chosen = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs);
  return good && replay->done != NULL && replay->lazy != NULL && replay->marked != NULL && replay->born != NULL &&
         replay->to_die != NULL && replay->group_size != NULL && replay->group_left != NULL &&
         replay->group_missing != NULL && replay->available != NULL && replay->chosen != NULL;
}

static int32_t group_of(const memplan_order_replay *replay, int32_t op) {
  return replay->ordering->graph->ops[op].group;
}

memplan_status memplan_order_replay_init(memplan_order_replay *replay, const memplan_ordering *ordering, bool reversed,
                                         const int32_t *before, const int32_t *after, int32_t n_edges, bool *cyclic,
                                         memplan_arena *arena, memplan_error *error) {
  *replay = (memplan_order_replay){.ordering = ordering,
                                   .reversed = reversed,
                                   .first = reversed ? 0 : ordering->first_step,
                                   .last = reversed ? ordering->first_step : 0};
  *cyclic = false;
  if (!allocate(replay, arena) || !make_edges(replay, before, after, n_edges, arena) || !make_cells(replay, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    replay->missing[op] = replay->pred.first[op + 1] - replay->pred.first[op];
  }
  sort_topologically(replay, cyclic);
  return MEMPLAN_OK;
}

// ---- lazy operators

// Marks the descendants of an operator, or takes the marks away.
static void mark_below(memplan_order_replay *replay, int32_t op, bool mark) {
  bool direct = replay->ordering->n_ops >= most_reach_ops;
  int32_t count = 0;
  replay->stack[count++] = op;
  while (count > 0) {
    int32_t at = replay->stack[--count];
    for (int32_t k = replay->succ.first[at]; k < replay->succ.first[at + 1]; k++) {
      int32_t next = replay->succ.list[k];
      if (replay->marked[next] != mark) {
        replay->marked[next] = mark;
        if (!direct) {
          replay->stack[count++] = next;
        }
      }
    }
  }
}

static bool outlives(const memplan_order_replay *replay, int32_t cell) {
  for (int32_t k = replay->deaths.first[cell]; k < replay->deaths.first[cell + 1]; k++) {
    if (replay->marked[replay->deaths.list[k]]) {
      return true;
    }
  }
  return stays(replay, cell) || replay->ordering->cells[cell].bytes == 0;
}

bool memplan_order_replay_set_lazy(memplan_order_replay *replay, int32_t op) {
  bool good = !replay->lazy[op] && replay->ordering->workspace[op] == 0 && group_of(replay, op) < 0;
  for (int32_t k = replay->succ.first[op]; k < replay->succ.first[op + 1] && good; k++) {
    good = group_of(replay, replay->succ.list[k]) < 0;
  }
  if (!good) {
    return false;
  }
  mark_below(replay, op, true);
  for (int32_t k = replay->op_births.first[op]; k < replay->op_births.first[op + 1] && good; k++) {
    good = outlives(replay, replay->op_births.list[k]);
  }
  for (int32_t k = replay->op_deaths.first[op]; k < replay->op_deaths.first[op + 1] && good; k++) {
    good = outlives(replay, replay->op_deaths.list[k]);
  }
  mark_below(replay, op, false);
  if (!good) {
    return false;
  }
  replay->lazy[op] = true;
  return true;
}

// ---- start

static void count_group(memplan_order_replay *replay, int32_t op) {
  int32_t group = group_of(replay, op);
  if (group >= 0) {
    replay->group_size[group]++;
    replay->group_left[group]++;
    for (int32_t k = replay->pred.first[op]; k < replay->pred.first[op + 1]; k++) {
      replay->group_missing[group] += group_of(replay, replay->pred.list[k]) != group;
    }
  }
}

void memplan_order_replay_begin(memplan_order_replay *replay) {
  const memplan_ordering *ordering = replay->ordering;
  replay->live = ordering->base;
  replay->open_group = -1;
  for (int32_t c = 0; c < ordering->n_cells; c++) {
    replay->to_die[c] = replay->deaths.first[c + 1] - replay->deaths.first[c];
    replay->live += is_there(replay, c) ? ordering->cells[c].bytes : 0;
  }
  for (int32_t at = 0; at < ordering->n_ops; at++) {
    int32_t op = replay->sequence[at], unmet = 0;
    for (int32_t k = replay->pred.first[op]; k < replay->pred.first[op + 1]; k++) {
      int32_t before = replay->pred.list[k];
      unmet += !replay->lazy[before] || replay->unmet[before] > 0;
    }
    replay->missing[op] = replay->pred.first[op + 1] - replay->pred.first[op];
    replay->unmet[op] = unmet;
    replay->ready_at[op] = -1;
    if (unmet == 0 && !replay->lazy[op]) {
      add_ready(replay, op);
    }
    replay->n_hard += !replay->lazy[op];
    count_group(replay, op);
  }
}

// ---- running

static bool has_run(const memplan_order_replay *replay, int32_t op) {
  return (replay->done[op / 64] >> (op % 64) & 1) != 0;
}

bool memplan_order_replay_admits(const memplan_order_replay *replay, int32_t op) {
  int32_t group = group_of(replay, op);
  if (replay->open_group >= 0) {
    return group == replay->open_group;
  }
  return group < 0 || replay->group_missing[group] == 0;
}

bool memplan_order_replay_may_run(const memplan_order_replay *replay, int32_t op) {
  return !has_run(replay, op) && replay->missing[op] == 0 && memplan_order_replay_admits(replay, op);
}

// An operator has come to be met (by -1) or is met no longer (by 1): tells those after it, and through lazy ones on.
static void tell_met(memplan_order_replay *replay, int32_t op, int32_t by) {
  int32_t count = 0;
  replay->stack[count++] = op;
  while (count > 0) {
    int32_t at = replay->stack[--count];
    for (int32_t k = replay->succ.first[at]; k < replay->succ.first[at + 1]; k++) {
      int32_t next = replay->succ.list[k];
      bool changes = by < 0 ? replay->unmet[next] == 1 : replay->unmet[next] == 0;
      replay->unmet[next] += by;
      if (changes && replay->lazy[next]) {
        replay->stack[count++] = next;
      } else if (changes && by < 0) {
        add_ready(replay, next);
      } else if (changes) {
        drop_ready(replay, next);
      }
    }
  }
}

static void count_edges(memplan_order_replay *replay, int32_t op, int32_t by) {
  int32_t group = group_of(replay, op);
  for (int32_t k = replay->succ.first[op]; k < replay->succ.first[op + 1]; k++) {
    int32_t next = replay->succ.list[k], other = group_of(replay, next);
    replay->missing[next] += by;
    if (other >= 0 && other != group) {
      replay->group_missing[other] += by;
    }
  }
}

void memplan_order_replay_run(memplan_order_replay *replay, int32_t op) {
  const memplan_cell *cells = replay->ordering->cells;
  int32_t group = group_of(replay, op);
  replay->sequence[replay->n_done++] = op;
  replay->done[op / 64] |= UINT64_C(1) << (op % 64);
  for (int32_t k = replay->op_births.first[op]; k < replay->op_births.first[op + 1]; k++) {
    int32_t c = replay->op_births.list[k];
    replay->live += replay->born[c]++ == 0 ? cells[c].bytes : 0;
  }
  for (int32_t k = replay->op_deaths.first[op]; k < replay->op_deaths.first[op + 1]; k++) {
    int32_t c = replay->op_deaths.list[k];
    replay->live -= --replay->to_die[c] == 0 ? cells[c].bytes : 0;
  }
  count_edges(replay, op, -1);
  if (!replay->lazy[op]) {
    replay->n_hard_done++;
    drop_ready(replay, op);
    tell_met(replay, op, -1);
  }
  if (group >= 0) {
    replay->open_group = --replay->group_left[group] > 0 ? group : -1;
  }
}

void memplan_order_replay_undo(memplan_order_replay *replay) {
  const memplan_cell *cells = replay->ordering->cells;
  int32_t op = replay->sequence[--replay->n_done], group = group_of(replay, op);
  if (group >= 0) {
    replay->open_group = ++replay->group_left[group] < replay->group_size[group] ? group : -1;
  }
  if (!replay->lazy[op]) {
    tell_met(replay, op, 1);
    add_ready(replay, op);
    replay->n_hard_done--;
  }
  count_edges(replay, op, 1);
  for (int32_t k = replay->op_deaths.first[op]; k < replay->op_deaths.first[op + 1]; k++) {
    int32_t c = replay->op_deaths.list[k];
    replay->live += replay->to_die[c]++ == 0 ? cells[c].bytes : 0;
  }
  for (int32_t k = replay->op_births.first[op]; k < replay->op_births.first[op + 1]; k++) {
    int32_t c = replay->op_births.list[k];
    replay->live -= --replay->born[c] == 0 ? cells[c].bytes : 0;
  }
  replay->done[op / 64] &= ~(UINT64_C(1) << (op % 64));
}

// ---- questions

static int64_t best_saving(memplan_order_replay *replay, int32_t op) {
  const memplan_ordering *ordering = replay->ordering;
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first, n_available = 0;
  for (int32_t k = 0; k < count; k++) {
    const memplan_pair *pair = &ordering->pairs[first + k];
    int32_t output = ordering->cell_of_storage[pair->output_storage];
    int32_t input = ordering->cell_of_storage[pair->input_storage];
    int32_t born = replay->reversed ? input : output, dying = replay->reversed ? output : input;
    replay->available[k] = replay->born[born] == 0 && replay->to_die[dying] == 1;
    n_available += replay->available[k];
  }
  memplan_matching matching = {.most = 0};
  if (n_available > 0 &&
      !memplan_pairs_match(ordering->pairs, first, count, replay->available, replay->chosen, &matching)) {
    return -1;
  }
  return matching.most;
}

int64_t memplan_order_replay_load(memplan_order_replay *replay, int32_t op) {
  const memplan_ordering *ordering = replay->ordering;
  int64_t saving = best_saving(replay, op);
  if (saving < 0) {
    return -1;
  }
  int64_t load = replay->live + ordering->workspace[op] - saving;
  for (int32_t k = replay->op_births.first[op]; k < replay->op_births.first[op + 1]; k++) {
    int32_t c = replay->op_births.list[k];
    load += replay->born[c] == 0 ? ordering->cells[c].bytes : 0;
  }
  load += replay->n_done == 0 ? replay->first : 0;
  return load + (replay->n_done == ordering->n_ops - 1 ? replay->last : 0);
}

int32_t memplan_order_replay_find_needs(memplan_order_replay *replay, int32_t op) {
  int32_t count = 0, n_stack = 0, *needs = replay->needs;
  replay->stack[n_stack++] = op;
  while (n_stack > 0) {
    int32_t at = replay->stack[--n_stack];
    for (int32_t k = replay->pred.first[at]; k < replay->pred.first[at + 1] && replay->missing[at] > 0; k++) {
      int32_t before = replay->pred.list[k];
      if (!replay->marked[before] && !has_run(replay, before)) {
        replay->marked[before] = true;
        replay->stack[n_stack++] = before;
        needs[count++] = replay->topological[before];
      }
    }
  }
  if (count > 1) {
    qsort(needs, (size_t)count, sizeof *needs, memplan_compare_int32);
  }
  for (int32_t k = 0; k < count; k++) {
    needs[k] = replay->by_place[needs[k]];
    replay->marked[needs[k]] = false;
  }
  return count;
}
