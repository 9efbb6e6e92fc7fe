// SPDX-License-Identifier: Apache-2.0
// A set is made when its parent is expanded, put on the list of its size, and expanded when that size is due. Those of
// one size are expanded in the order in which they were made, so that the state has short ways to go from each to the
// next.
#include "solvers/order_beam.h"

#include "model/base/grow.h"
#include "model/base/rng.h"
#include "solvers/order_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  int64_t rank, live;
  int32_t next; // of the same size, -1: none
} entry;

typedef struct ranked {
  int64_t rank, live;
  int32_t node;
} ranked;

struct memplan_order_beam {
  memplan_arena arena;
  memplan_order_state state;
  memplan_order_commit commit;
  memplan_order_tree tree;
  memplan_order_beam_options options;
  memplan_order_search_outcome outcome;
  bool complete;
  int32_t *first; // by size: its list
  entry *entries; // by node
  int64_t entry_capacity;
  ranked *level; // of the size at hand: those that go on, by node
  int64_t level_capacity;
  int32_t size, n_level, at_level;
  memplan_order_move *moves;
};

static bool add_entry(memplan_order_beam *beam, int32_t node) {
  entry *entries = memplan_grow_heap(beam->entries, node, &beam->entry_capacity, sizeof *entries);
  if (entries == NULL) {
    return false;
  }
  beam->entries = entries;
  const memplan_order_state *state = &beam->state;
  int64_t rank = state->live;
  if (beam->options.noise > 0) {
    uint64_t stream = state->key[0] ^ beam->options.salt;
    rank += (int64_t)(memplan_splitmix(&stream) % (uint64_t)beam->options.noise);
  }
  entries[node] = (entry){.rank = rank, .live = state->live, .next = beam->first[state->n_done]};
  beam->first[state->n_done] = node;
  return true;
}

static memplan_status create(memplan_order_beam *beam, const memplan_order_tables *tables,
                             const memplan_order_rules *rules, memplan_error *error) {
  int64_t n = tables->problem->n_ops;
  MEMPLAN_TRY(memplan_order_state_init(&beam->state, tables, &beam->arena, error));
  MEMPLAN_TRY(memplan_order_commit_init(&beam->commit, &beam->state, rules, &beam->arena, error));
  MEMPLAN_TRY(memplan_order_tree_init(&beam->tree, &beam->state, &beam->arena, error));
  beam->tree.audit_all = rules->audit_all;
  beam->commit.threshold = beam->options.ceiling - 1;
  beam->first = MEMPLAN_NEW(&beam->arena, int32_t, n + 1);
  beam->moves = MEMPLAN_NEW(&beam->arena, memplan_order_move, n + 1);
  if (beam->first == NULL || beam->moves == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int64_t size = 0; size <= n; size++) {
    beam->first[size] = -1;
  }
  return add_entry(beam, 0) ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_order_beam_new(const memplan_order_tables *tables, const memplan_order_rules *rules,
                                      const memplan_order_beam_options *options, memplan_order_beam **beam,
                                      memplan_error *error) {
  *beam = calloc(1, sizeof **beam);
  if (*beam == NULL) {
    return memplan_fail_nomem(error);
  }
  (*beam)->options = *options;
  (*beam)->complete = true;
  (*beam)->size = -1;
  memplan_status status = create(*beam, tables, rules, error);
  if (status != MEMPLAN_OK) {
    memplan_order_beam_free(*beam);
    *beam = NULL;
  }
  return status;
}

void memplan_order_beam_free(memplan_order_beam *beam) {
  if (beam != NULL) {
    memplan_order_tree_free(&beam->tree);
    free(beam->entries);
    free(beam->level);
    memplan_arena_free(&beam->arena);
    free(beam);
  }
}

static int compare_ranks(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->rank != y->rank) {
    return x->rank > y->rank ? 1 : -1;
  }
  if (x->live != y->live) {
    return x->live > y->live ? 1 : -1;
  }
  return (x->node > y->node) - (x->node < y->node);
}

static int compare_nodes(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return (x->node > y->node) - (x->node < y->node);
}

// Goes on to the next size with a list.
static bool start_level(memplan_order_beam *beam) {
  int32_t n = beam->state.problem->n_ops;
  beam->n_level = beam->at_level = 0;
  do {
    if (++beam->size > n) {
      beam->outcome = MEMPLAN_ORDER_EXHAUSTED;
      return true;
    }
  } while (beam->first[beam->size] < 0);
  if (beam->size == n) {
    memplan_order_tree_go(&beam->tree, beam->first[n]);
    beam->outcome = MEMPLAN_ORDER_FOUND;
    return true;
  }
  for (int32_t node = beam->first[beam->size]; node >= 0; node = beam->entries[node].next) {
    ranked *level = memplan_grow_heap(beam->level, beam->n_level, &beam->level_capacity, sizeof *level);
    if (level == NULL) {
      return false;
    }
    beam->level = level;
    level[beam->n_level++] = (ranked){.rank = beam->entries[node].rank, .live = beam->entries[node].live, .node = node};
  }
  beam->state.ticks += 4 * (int64_t)beam->n_level;
  if (beam->n_level > beam->options.width) {
    qsort(beam->level, (size_t)beam->n_level, sizeof *beam->level, compare_ranks);
    beam->n_level = beam->options.width;
    beam->complete = false;
  }
  qsort(beam->level, (size_t)beam->n_level, sizeof *beam->level, compare_nodes);
  return true;
}

static bool expand(memplan_order_beam *beam, int32_t parent) {
  memplan_order_state *state = &beam->state;
  memplan_order_tree_go(&beam->tree, parent);
  int32_t count = memplan_order_commit_moves(&beam->commit, beam->moves);
  for (int32_t k = 0; k < count; k++) {
    memplan_order_move move = beam->moves[k];
    if (move.load >= beam->options.ceiling) {
      continue;
    }
    memplan_order_commit_move(&beam->commit, move.op);
    memplan_order_commit_run(&beam->commit, false, -1, 0);
    bool is_new;
    if (!memplan_order_tree_note(&beam->tree, &is_new)) {
      return false;
    }
    if (!is_new) {
      memplan_order_tree_back(&beam->tree);
      continue;
    }
    int32_t node = memplan_order_tree_add(&beam->tree);
    if (node < 0 || !add_entry(beam, node)) {
      return false;
    }
    bool is_end = state->n_done == state->problem->n_ops;
    memplan_order_tree_leave(&beam->tree);
    if (is_end) { // sizes between may still bring a better order, but this one will do
      beam->size = state->problem->n_ops - 1;
      beam->n_level = beam->at_level = 0;
      return true;
    }
  }
  return true;
}

memplan_status memplan_order_beam_run(memplan_order_beam *beam, int64_t ticks, memplan_error *error) {
  int64_t end = beam->state.ticks + ticks;
  while (beam->outcome == MEMPLAN_ORDER_RUNNING && beam->state.ticks < end) {
    bool done = beam->at_level < beam->n_level ? expand(beam, beam->level[beam->at_level++].node) : start_level(beam);
    if (!done || beam->state.out_of_memory) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

void memplan_order_beam_state(const memplan_order_beam *beam, memplan_order_beam_look *look) {
  *look =
      (memplan_order_beam_look){.outcome = beam->outcome,
                                .complete = beam->complete,
                                .bound = beam->options.ceiling,
                                .order = beam->outcome == MEMPLAN_ORDER_FOUND ? beam->state.sequence : NULL,
                                .states = beam->tree.n_nodes,
                                .ticks = beam->state.ticks,
                                .memory = beam->tree.memory + beam->entry_capacity * (int64_t)sizeof *beam->entries +
                                          beam->level_capacity * (int64_t)sizeof *beam->level};
}

static memplan_status greedy(const memplan_order_tables *tables, bool by_load, int32_t *order, int64_t *ticks,
                             memplan_arena *arena, memplan_error *error) {
  memplan_order_state state;
  memplan_order_commit commit;
  memplan_order_rules rules = memplan_order_rules_default();
  int32_t n = tables->problem->n_ops;
  MEMPLAN_TRY(memplan_order_state_init(&state, tables, arena, error));
  MEMPLAN_TRY(memplan_order_commit_init(&commit, &state, &rules, arena, error));
  memplan_order_move *moves = MEMPLAN_NEW(arena, memplan_order_move, n);
  if (moves == NULL) {
    return memplan_fail_nomem(error);
  }
  commit.threshold = INT64_MAX;
  for (;;) {
    memplan_order_commit_run(&commit, false, -1, 0);
    if (state.n_done == n) {
      break;
    }
    int32_t count = memplan_order_commit_moves(&commit, moves), best = 0;
    for (int32_t k = 1; k < count; k++) {
      int64_t first = by_load ? moves[k].load - moves[best].load : moves[k].after - moves[best].after;
      int64_t second = by_load ? moves[k].after - moves[best].after : moves[k].load - moves[best].load;
      bool less = first != 0 ? first < 0 : second != 0 ? second < 0 : moves[k].op < moves[best].op;
      best = less ? k : best;
    }
    memplan_order_commit_move(&commit, moves[best].op);
  }
  memcpy(order, state.sequence, (size_t)n * sizeof *order);
  *ticks = state.ticks;
  return state.out_of_memory ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

memplan_status memplan_order_greedy(const memplan_order_tables *tables, bool by_load, int32_t *order, int64_t *ticks,
                                    memplan_error *error) {
  memplan_arena arena = {0};
  memplan_status status = greedy(tables, by_load, order, ticks, &arena, error);
  memplan_arena_free(&arena);
  return status;
}
