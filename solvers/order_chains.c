// SPDX-License-Identifier: Apache-2.0
// Operators are looked at in an order in which they can run. Each has a leader, at first itself; one that joins takes
// the leader of its last predecessor. The predecessors of a chain are ancestors of its leader, so that chains cannot
// wait for each other in a circle.
#include "solvers/order_chains.h"

#include "model/base/lists.h"
#include "model/base/number.h"
#include "solvers/order_reach.h"

#include <stdlib.h>
#include <string.h>

typedef struct contraction {
  const memplan_order_problem *problem;
  const int32_t *topological;
  const uint64_t *above;
  size_t words;
  int32_t *leader;     // by operator, -1: not looked at yet
  int32_t *next;       // by cell: the one made in its place, -1
  bool *made_in_place; // by cell
} contraction;

static bool is_above(const contraction *work, int32_t op, int32_t other) {
  return (work->above[(size_t)op * work->words + (size_t)other / 64] >> (other % 64) & 1) != 0;
}

// Has the other one run when the leader and those that have joined it have, whatever the order?
static bool is_before(const contraction *work, int32_t leader, int32_t other) {
  return work->leader[other] >= 0 && (work->leader[other] == leader || is_above(work, leader, other));
}

static bool is_begun(const contraction *work, int32_t leader, int32_t op, int32_t cell) {
  const memplan_order_lists *births = &work->problem->births;
  for (int32_t k = births->first[cell]; k < births->first[cell + 1]; k++) {
    if (births->list[k] != op && is_before(work, leader, births->list[k])) {
      return true;
    }
  }
  return false;
}

// Does the cell end with the operator, whatever the order, and has it begun before?
static bool ends_surely(const contraction *work, int32_t leader, int32_t op, int32_t cell) {
  const memplan_order_problem *problem = work->problem;
  for (int32_t k = problem->deaths.first[cell]; k < problem->deaths.first[cell + 1]; k++) {
    int32_t death = problem->deaths.list[k];
    if (death != op && !is_before(work, leader, death)) {
      return false;
    }
  }
  return work->next[cell] < 0 && !problem->cells[cell].keep &&
         (problem->cells[cell].init || is_begun(work, leader, op, cell));
}

static bool make_in_place(contraction *work, int32_t leader, int32_t op, int32_t cell) {
  const memplan_order_problem *problem = work->problem;
  int64_t bytes = problem->cells[cell].bytes;
  if (problem->births.first[cell + 1] - problem->births.first[cell] != 1) {
    return false;
  }
  for (int32_t k = problem->pair_first[op]; k < problem->pair_first[op + 1]; k++) {
    const memplan_order_pair *pair = &problem->pairs[k];
    if (pair->born == cell && pair->saving == bytes && problem->cells[pair->dying].bytes == bytes &&
        ends_surely(work, leader, op, pair->dying)) {
      work->next[pair->dying] = cell;
      work->made_in_place[cell] = true;
      return true;
    }
  }
  return false;
}

static void forget_in_place(contraction *work, int32_t op) {
  const memplan_order_problem *problem = work->problem;
  for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
    int32_t cell = problem->op_deaths.list[k], made = work->next[cell];
    if (made >= 0 && problem->births.list[problem->births.first[made]] == op) {
      work->next[cell] = -1;
      work->made_in_place[made] = false;
    }
  }
}

static bool adds_nothing(contraction *work, int32_t leader, int32_t op) {
  const memplan_order_problem *problem = work->problem;
  for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
    int32_t cell = problem->op_births.list[k];
    if (!is_begun(work, leader, op, cell) && !make_in_place(work, leader, op, cell)) {
      forget_in_place(work, op);
      return false;
    }
  }
  return true;
}

static bool joins(contraction *work, int32_t leader, int32_t op) {
  const memplan_order_problem *problem = work->problem;
  if (problem->group[op] >= 0 || problem->group[leader] >= 0 || problem->workspace[op] > problem->workspace[leader]) {
    return false;
  }
  for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
    if (!is_before(work, leader, problem->pred.list[k])) {
      return false;
    }
  }
  return adds_nothing(work, leader, op);
}

// Returns how many have joined another one.
static int32_t find_leaders(contraction *work, int32_t *rank) {
  const memplan_order_problem *problem = work->problem;
  int32_t n_joined = 0;
  for (int32_t at = 0; at < problem->n_ops; at++) {
    rank[work->topological[at]] = at;
    work->leader[at] = -1;
  }
  for (int32_t at = 0; at < problem->n_ops; at++) {
    int32_t op = work->topological[at], last = -1;
    for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
      int32_t before = problem->pred.list[k];
      last = last < 0 || rank[before] > rank[last] ? before : last;
    }
    bool found = last >= 0 && joins(work, work->leader[last], op);
    work->leader[op] = found ? work->leader[last] : op;
    n_joined += found;
  }
  return n_joined;
}

static bool number_chains(const contraction *work, memplan_order_chains *chains, memplan_arena *arena) {
  int32_t n = work->problem->n_ops;
  chains->chain = MEMPLAN_NEW(arena, int32_t, n);
  memplan_lists members;
  if (chains->chain == NULL) {
    return false;
  }
  chains->n_ops = 0;
  for (int32_t op = 0; op < n; op++) {
    if (work->leader[op] == op) {
      chains->chain[op] = chains->n_ops++;
    }
  }
  for (int32_t op = 0; op < n; op++) {
    chains->chain[op] = chains->chain[work->leader[op]];
  }
  if (!memplan_lists_begin(&members, chains->n_ops, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t at = 0; at < n; at++) {
      memplan_lists_put(&members, chains->chain[work->topological[at]], work->topological[at]);
    }
    if (pass == 0 && !memplan_lists_store(&members, arena)) {
      return false;
    }
  }
  chains->members = (memplan_order_lists){members.first, members.list};
  return true;
}

// ---- the contracted problem

// Lists with their indices (all, or those that are kept) and entries renumbered, sorted, without repetition; of
// operators by operators, without the index itself.
static bool map_lists(const memplan_order_lists *lists, int32_t n, const int32_t *index, int32_t n_new,
                      const int32_t *entry, bool others, memplan_order_lists *mapped, memplan_arena *arena) {
  memplan_lists made;
  if (!memplan_lists_begin(&made, n_new, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < n; i++) {
      for (int32_t k = lists->first[i]; index[i] >= 0 && k < lists->first[i + 1]; k++) {
        memplan_lists_put(&made, index[i], entry[lists->list[k]]);
      }
    }
    if (pass == 0 && !memplan_lists_store(&made, arena)) {
      return false;
    }
  }
  int32_t *first = made.first, *list = made.list, kept = 0;
  for (int32_t i = 0, from = 0; i < n_new; i++) {
    int32_t end = first[i + 1], begin = kept;
    if (end - from > 1) {
      qsort(list + from, (size_t)(end - from), sizeof *list, memplan_compare_int32);
    }
    for (int32_t k = from; k < end; k++) {
      if (!(others && list[k] == i) && (kept == begin || list[kept - 1] != list[k])) {
        list[kept++] = list[k];
      }
    }
    from = end;
    first[i + 1] = kept;
  }
  *mapped = (memplan_order_lists){first, list};
  return true;
}

// Cells that are made in place go with the one that they take the place of: a new cell has the births of the first and
// the deaths of the last. `head`, `tail`: by cell the new number, -1 unless it is the first, or the last.
static bool make_cells(const contraction *work, const memplan_order_chains *chains, int32_t *head, int32_t *tail,
                       int32_t *number, memplan_order_problem *contracted, memplan_arena *arena) {
  const memplan_order_problem *problem = work->problem;
  memplan_order_cell *cells = MEMPLAN_NEW(arena, memplan_order_cell, problem->n_cells);
  if (cells == NULL) {
    return false;
  }
  int32_t n = 0;
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    head[cell] = tail[cell] = -1;
  }
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    if (work->made_in_place[cell]) {
      continue;
    }
    int32_t last = cell;
    for (number[last] = n; work->next[last] >= 0; number[last] = n) {
      last = work->next[last];
    }
    head[cell] = tail[last] = n;
    cells[n] = problem->cells[cell];
    cells[n++].keep = problem->cells[last].keep;
  }
  contracted->n_cells = n;
  contracted->cells = cells;
  return map_lists(&problem->births, problem->n_cells, head, n, chains->chain, false, &contracted->births, arena) &&
         map_lists(&problem->deaths, problem->n_cells, tail, n, chains->chain, false, &contracted->deaths, arena) &&
         memplan_order_lists_turn(&contracted->births, n, chains->n_ops, &contracted->op_births, arena) &&
         memplan_order_lists_turn(&contracted->deaths, n, chains->n_ops, &contracted->op_deaths, arena);
}

static bool touches(const memplan_order_lists *lists, int32_t i, int32_t entry) {
  for (int32_t k = lists->first[i]; k < lists->first[i + 1]; k++) {
    if (lists->list[k] == entry) {
      return true;
    }
  }
  return false;
}

// Pairs of the leader whose dying cell another member touches are never available; nor do those of operators that have
// joined save anything more.
static bool keeps_pair(const contraction *work, const memplan_order_chains *chains, int32_t chain,
                       const memplan_order_pair *pair) {
  for (int32_t k = chains->members.first[chain] + 1; k < chains->members.first[chain + 1]; k++) {
    if (touches(&work->problem->deaths, pair->dying, chains->members.list[k])) {
      return false;
    }
  }
  return work->next[pair->dying] < 0;
}

static bool make_ops(const contraction *work, const memplan_order_chains *chains, const int32_t *number,
                     memplan_order_problem *contracted, memplan_arena *arena) {
  const memplan_order_problem *problem = work->problem;
  int32_t n = chains->n_ops;
  int64_t *workspace = MEMPLAN_NEW(arena, int64_t, n);
  int32_t *group = MEMPLAN_NEW(arena, int32_t, n), *first = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 1);
  memplan_order_pair *pairs = MEMPLAN_NEW(arena, memplan_order_pair, problem->n_pairs);
  if (workspace == NULL || group == NULL || first == NULL || pairs == NULL) {
    return false;
  }
  int32_t n_pairs = 0;
  for (int32_t op = 0; op < n; op++) {
    int32_t leader = chains->members.list[chains->members.first[op]];
    workspace[op] = problem->workspace[leader];
    group[op] = problem->group[leader];
    for (int32_t k = problem->pair_first[leader]; k < problem->pair_first[leader + 1]; k++) {
      const memplan_order_pair *pair = &problem->pairs[k];
      if (keeps_pair(work, chains, op, pair)) {
        pairs[n_pairs++] = (memplan_order_pair){.op = op,
                                                .born = number[pair->born],
                                                .dying = number[pair->dying],
                                                .source = pair->source,
                                                .saving = pair->saving};
      }
    }
    first[op + 1] = n_pairs;
  }
  contracted->n_ops = n;
  contracted->n_pairs = n_pairs;
  contracted->workspace = workspace;
  contracted->group = group;
  contracted->pairs = pairs;
  contracted->pair_first = first;
  return true;
}

static bool make_problem(const contraction *work, const memplan_order_chains *chains, memplan_order_problem *contracted,
                         memplan_arena *scratch, memplan_arena *arena) {
  const memplan_order_problem *problem = work->problem;
  int32_t n = problem->n_ops, n_new = chains->n_ops;
  const int32_t *chain = chains->chain;
  int32_t *head = MEMPLAN_NEW(scratch, int32_t, problem->n_cells);
  int32_t *tail = MEMPLAN_NEW(scratch, int32_t, problem->n_cells);
  int32_t *number = MEMPLAN_NEW(scratch, int32_t, problem->n_cells);
  return head != NULL && tail != NULL && number != NULL &&
         make_cells(work, chains, head, tail, number, contracted, arena) &&
         make_ops(work, chains, number, contracted, arena) &&
         map_lists(&problem->pred, n, chain, n_new, chain, true, &contracted->pred, arena) &&
         map_lists(&problem->succ, n, chain, n_new, chain, true, &contracted->succ, arena);
}

static bool has_bits(const memplan_order_problem *problem) {
  return problem->n_ops < MEMPLAN_ORDER_REACH_OPS && problem->last == 0;
}

memplan_status memplan_order_chains_contract(const memplan_order_problem *problem, memplan_arena *arena,
                                             memplan_order_problem *contracted, memplan_order_chains *chains,
                                             memplan_error *error) {
  memplan_arena scratch = {0};
  int32_t n = problem->n_ops, n_joined = 0;
  contraction work = {.problem = problem, .words = memplan_order_reach_words(n)};
  work.leader = MEMPLAN_NEW(&scratch, int32_t, n);
  work.next = MEMPLAN_NEW(&scratch, int32_t, problem->n_cells);
  work.made_in_place = MEMPLAN_NEW(&scratch, bool, problem->n_cells);
  int32_t *rank = MEMPLAN_NEW(&scratch, int32_t, n);
  work.topological = memplan_order_reach_sort(problem, &scratch);
  bool done = work.leader != NULL && work.next != NULL && work.made_in_place != NULL && rank != NULL &&
              work.topological != NULL;
  for (int32_t cell = 0; cell < problem->n_cells && done; cell++) {
    work.next[cell] = -1;
  }
  for (int32_t op = 0; op < n && done; op++) {
    work.leader[op] = op;
  }
  if (done && has_bits(problem)) {
    work.above = memplan_order_reach_above(problem, work.topological, &scratch);
    done = work.above != NULL;
    n_joined = done ? find_leaders(&work, rank) : 0;
  }
  done = done && number_chains(&work, chains, arena);
  *contracted = *problem;
  if (done && n_joined > 0) {
    done = make_problem(&work, chains, contracted, &scratch, arena);
  }
  memplan_arena_free(&scratch);
  return done ? MEMPLAN_OK : memplan_fail_nomem(error);
}
