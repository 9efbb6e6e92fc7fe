// SPDX-License-Identifier: Apache-2.0
// Nothing here reads what the state has counted: whether an operator has run is known by its step in the sequence, and
// the rest follows from the problem. Keys are noted once more, with the node that they stand for, in a table that only
// debug builds and tests fill.
#include "solvers/order_audit.h"

#include <stdlib.h>
#include <string.h>

enum { small = 64, share = 64, always = 65536, first_slots = 1024 };

// ---- commits

typedef struct touched_cell {
  int64_t bytes;
  uint32_t births, deaths; // by place in the commit
  bool born, endless;      // begun before; kept, or a death is neither before nor in the commit
} touched_cell;

typedef struct commit_audit {
  const memplan_order_problem *problem;
  const int32_t *ops; // of the commit
  int32_t n, from;
  int32_t *step; // by operator, INT32_MAX: not run
  touched_cell *cells;
  int32_t n_cells;
} commit_audit;

// Has the operator run when the first `count` of the sequence have?
static bool has_run(const commit_audit *audit, int32_t op, int32_t count) { return audit->step[op] < count; }

static bool any_has_run(const commit_audit *audit, const memplan_order_lists *lists, int32_t i, int32_t count) {
  for (int32_t k = lists->first[i]; k < lists->first[i + 1]; k++) {
    if (has_run(audit, lists->list[k], count)) {
      return true;
    }
  }
  return false;
}

// How many of the list have not run.
static int32_t count_missing(const commit_audit *audit, const memplan_order_lists *lists, int32_t i, int32_t count) {
  int32_t missing = 0;
  for (int32_t k = lists->first[i]; k < lists->first[i + 1]; k++) {
    missing += !has_run(audit, lists->list[k], count);
  }
  return missing;
}

static bool is_born(const commit_audit *audit, int32_t cell, int32_t count) {
  return audit->problem->cells[cell].init || any_has_run(audit, &audit->problem->births, cell, count);
}

static bool is_live(const commit_audit *audit, int32_t cell, int32_t count) {
  const memplan_order_problem *problem = audit->problem;
  return is_born(audit, cell, count) &&
         (problem->cells[cell].keep || count_missing(audit, &problem->deaths, cell, count) > 0);
}

static bool has(const memplan_order_lists *lists, int32_t i, int32_t entry) {
  for (int32_t k = lists->first[i]; k < lists->first[i + 1]; k++) {
    if (lists->list[k] == entry) {
      return true;
    }
  }
  return false;
}

// *load: while the operator runs when `count` others have. False if memory is out.
static bool find_load(const memplan_order_commit *commit, const commit_audit *audit, int32_t op, int32_t count,
                      int64_t *load) {
  const memplan_order_problem *problem = audit->problem;
  const memplan_order_tables *tables = commit->state->tables;
  *load = problem->base + problem->workspace[op] + (count == 0 ? problem->first : 0) +
          (count == problem->n_ops - 1 ? problem->last : 0);
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    bool begins = !is_born(audit, cell, count) && has(&problem->births, cell, op);
    *load += begins || is_live(audit, cell, count) ? problem->cells[cell].bytes : 0;
  }
  int32_t first = problem->pair_first[op], n_pairs = problem->pair_first[op + 1] - first;
  bool *available = calloc((size_t)n_pairs + 1, sizeof *available);
  int32_t *chosen = calloc((size_t)n_pairs + 1, sizeof *chosen);
  memplan_matching matching = {.most = 0};
  bool good = available != NULL && chosen != NULL;
  for (int32_t k = 0; k < n_pairs && good; k++) {
    const memplan_order_pair *pair = &problem->pairs[first + k];
    available[k] =
        !is_born(audit, pair->born, count) && count_missing(audit, &problem->deaths, pair->dying, count) == 1;
  }
  good = good && (n_pairs == 0 || memplan_pairs_match(tables->pairs, first, n_pairs, available, chosen, &matching));
  *load -= matching.most;
  free(available);
  free(chosen);
  return good;
}

static touched_cell *touch(commit_audit *audit, int32_t *place, int32_t cell) {
  if (place[cell] < 0) {
    place[cell] = audit->n_cells++;
    int32_t missing = count_missing(audit, &audit->problem->deaths, cell, audit->from + audit->n);
    audit->cells[place[cell]] = (touched_cell){.bytes = audit->problem->cells[cell].bytes,
                                               .born = is_born(audit, cell, audit->from),
                                               .endless = audit->problem->cells[cell].keep || missing > 0};
  }
  return &audit->cells[place[cell]];
}

static bool find_touched(commit_audit *audit) {
  const memplan_order_problem *problem = audit->problem;
  int32_t *place = malloc(((size_t)problem->n_cells + 1) * sizeof *place);
  audit->cells = calloc((size_t)problem->n_cells + 1, sizeof *audit->cells);
  bool good = place != NULL && audit->cells != NULL;
  for (int32_t cell = 0; cell < problem->n_cells && good; cell++) {
    place[cell] = -1;
  }
  for (int32_t at = 0; at < audit->n && good; at++) {
    int32_t op = audit->ops[at];
    for (int32_t k = problem->op_births.first[op]; k < problem->op_births.first[op + 1]; k++) {
      touch(audit, place, problem->op_births.list[k])->births |= UINT32_C(1) << at;
    }
    for (int32_t k = problem->op_deaths.first[op]; k < problem->op_deaths.first[op + 1]; k++) {
      touch(audit, place, problem->op_deaths.list[k])->deaths |= UINT32_C(1) << at;
    }
  }
  free(place);
  return good;
}

// Live bytes of the cells touched, after the operators of the commit that the mask holds.
static int64_t live_after(const commit_audit *audit, uint32_t mask) {
  int64_t live = 0;
  for (int32_t k = 0; k < audit->n_cells; k++) {
    const touched_cell *cell = &audit->cells[k];
    bool lives = (cell->born || (cell->births & mask) != 0) && (cell->endless || (cell->deaths & ~mask) != 0);
    live += lives ? cell->bytes : 0;
  }
  return live;
}

static bool is_ideal(const commit_audit *audit, uint32_t mask) {
  const memplan_order_lists *pred = &audit->problem->pred;
  for (int32_t at = 0; at < audit->n; at++) {
    for (int32_t k = pred->first[audit->ops[at]]; (mask >> at & 1) != 0 && k < pred->first[audit->ops[at] + 1]; k++) {
      int32_t place = audit->step[pred->list[k]] - audit->from;
      if (place >= audit->n || (place >= 0 && (mask >> place & 1) == 0)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_valley(const commit_audit *audit) {
  uint32_t full = (UINT32_C(1) << audit->n) - 1;
  int64_t end = live_after(audit, full);
  for (uint32_t mask = 0; mask < full; mask++) {
    if (is_ideal(audit, mask) && live_after(audit, mask) < end) {
      return false;
    }
  }
  return true;
}

// Of a commit that is too large for masks.
static bool ends_no_higher(const commit_audit *audit) {
  int64_t change = 0;
  for (int32_t cell = 0; cell < audit->problem->n_cells; cell++) {
    int64_t bytes = audit->problem->cells[cell].bytes;
    change += is_live(audit, cell, audit->from + audit->n) ? bytes : 0;
    change -= is_live(audit, cell, audit->from) ? bytes : 0;
  }
  return change <= 0;
}

static bool may_be_committed(const memplan_order_commit *commit, const commit_audit *audit) {
  const memplan_order_problem *problem = audit->problem;
  if (audit->from == 0 && problem->first > 0) {
    return false;
  }
  for (int32_t at = 0; at < audit->n; at++) {
    int32_t op = audit->ops[at];
    bool may_be_last = problem->succ.first[op + 1] == problem->succ.first[op];
    bool grouped = problem->group[op] >= 0 && commit->state->tables->group_size[problem->group[op]] > 1;
    if ((may_be_last && problem->last > 0 && commit->last_load > commit->threshold) || (grouped && audit->n > 1)) {
      return false;
    }
  }
  return true;
}

static bool keeps_within(const memplan_order_commit *commit, const commit_audit *audit) {
  for (int32_t at = 0; at < audit->n; at++) {
    int32_t op = audit->ops[at], count = audit->from + at;
    int64_t load;
    if (count_missing(audit, &audit->problem->pred, op, count) > 0) {
      return false;
    }
    if (!find_load(commit, audit, op, count, &load)) {
      commit->state->out_of_memory = true;
      return true;
    }
    if (load > commit->threshold) {
      return false;
    }
  }
  return true;
}

bool memplan_order_audit_commit(memplan_order_commit *commit, int32_t from, int32_t end) {
  const memplan_order_state *state = commit->state;
  const memplan_order_problem *problem = state->problem;
  if (!commit->rules.audit_all && problem->n_ops > small && commit->n_audited++ % share != 0) {
    return true;
  }
  commit_audit audit = {.problem = problem, .ops = state->sequence + from, .n = end - from, .from = from};
  audit.step = malloc(((size_t)problem->n_ops + 1) * sizeof *audit.step);
  if (audit.step == NULL) {
    commit->state->out_of_memory = true;
    return true;
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    audit.step[op] = INT32_MAX;
  }
  for (int32_t step = 0; step < end; step++) {
    audit.step[state->sequence[step]] = step;
  }
  bool safe = may_be_committed(commit, &audit) && keeps_within(commit, &audit);
  if (safe && audit.n <= (commit->rules.audit_all ? MEMPLAN_ORDER_AUDIT_MOST : MEMPLAN_ORDER_AUDIT_OPS)) {
    bool found = find_touched(&audit);
    commit->state->out_of_memory = commit->state->out_of_memory || !found;
    safe = !found || is_valley(&audit);
  } else if (safe) {
    safe = ends_no_higher(&audit);
  }
  free(audit.cells);
  free(audit.step);
  return safe;
}

// ---- keys

typedef struct noted_key {
  uint64_t key[2];
  int32_t node; // + 1, 0: free
} noted_key;

struct memplan_order_audit {
  noted_key *slots;
  uint64_t *set; // scratch
  int64_t n_slots, n_noted, n_asked;
};

static memplan_order_audit *open_audit(memplan_order_tree *tree) {
  if (tree->audit != NULL) {
    return tree->audit;
  }
  memplan_order_audit *made = calloc(1, sizeof *made);
  if (made != NULL) {
    made->slots = calloc(first_slots, sizeof *made->slots);
    made->set = calloc(tree->state->tables->words + 1, sizeof *made->set);
    made->n_slots = first_slots;
  }
  if (made == NULL || made->slots == NULL || made->set == NULL) {
    tree->state->out_of_memory = true;
    memplan_order_audit_free(made);
    return NULL;
  }
  tree->audit = made;
  return made;
}

void memplan_order_audit_free(memplan_order_audit *audit) {
  if (audit != NULL) {
    free(audit->slots);
    free(audit->set);
    free(audit);
  }
}

static noted_key *find_slot(noted_key *slots, int64_t n_slots, const uint64_t key[2]) {
  uint64_t at = key[1] & (uint64_t)(n_slots - 1);
  while (slots[at].node > 0 && (slots[at].key[0] != key[0] || slots[at].key[1] != key[1])) {
    at = (at + 1) & (uint64_t)(n_slots - 1);
  }
  return &slots[at];
}

static bool grow_slots(memplan_order_audit *audit) {
  int64_t n_slots = 2 * audit->n_slots;
  noted_key *slots = calloc((size_t)n_slots, sizeof *slots);
  for (int64_t k = 0; slots != NULL && k < audit->n_slots; k++) {
    if (audit->slots[k].node > 0) {
      *find_slot(slots, n_slots, audit->slots[k].key) = audit->slots[k];
    }
  }
  if (slots == NULL) {
    return false;
  }
  free(audit->slots);
  audit->slots = slots;
  audit->n_slots = n_slots;
  return true;
}

static bool is_set_of(const memplan_order_tree *tree, int32_t node, uint64_t *set) {
  size_t size = tree->state->tables->words * sizeof *set;
  memset(set, 0, size);
  memplan_order_tree_rebuild(tree, node, set);
  return size == 0 || memcmp(set, tree->state->done, size) == 0;
}

bool memplan_order_audit_added(memplan_order_tree *tree) {
  memplan_order_audit *audit = open_audit(tree);
  if (audit == NULL) {
    return true;
  }
  if (2 * audit->n_noted >= audit->n_slots && !grow_slots(audit)) {
    tree->state->out_of_memory = true;
    return true;
  }
  int32_t node = tree->n_nodes - 1;
  noted_key *slot = find_slot(audit->slots, audit->n_slots, tree->state->key);
  if (slot->node == 0) {
    *slot = (noted_key){.key = {tree->state->key[0], tree->state->key[1]}, .node = node + 1};
    audit->n_noted++;
  }
  return is_set_of(tree, node, audit->set);
}

bool memplan_order_audit_known(memplan_order_tree *tree) {
  memplan_order_audit *audit = open_audit(tree);
  if (audit == NULL || (!tree->audit_all && audit->n_asked++ >= always && audit->n_asked % share != 0)) {
    return true;
  }
  const noted_key *slot = find_slot(audit->slots, audit->n_slots, tree->state->key);
  return slot->node == 0 || is_set_of(tree, slot->node - 1, audit->set);
}
