// SPDX-License-Identifier: Apache-2.0
// Invariant: each set that can be reached within the threshold is known (possibly by the set that commits lead to from
// it), and is finished but for moves that a frame still holds, or whose load exceeds the threshold; of the latter each
// set has the least in the heap or in its frame. When the last frame closes, the least of the heap is a lower bound:
// any order whose peak is smaller stays within the threshold, so that its last set, that of all operators, would have
// been reached. Sets that every order passes are the exception: once one has been reached, nothing before it matters.
#include "solvers/order_search.h"

#include "model/base/grow.h"
#include "model/base/heap.h"
#include "solvers/order_tree.h"

#include <stdlib.h>

// A state whose moves are being tried.
typedef struct frame {
  int32_t node;
  int64_t begin, next, end; // its moves on the stack
  int64_t rejected;         // least load of a move that is turned away
} frame;

struct memplan_order_search {
  memplan_arena arena;
  memplan_order_state state;
  memplan_order_commit commit;
  memplan_order_tree tree;
  int64_t bound, threshold, ceiling;
  memplan_order_search_outcome outcome;
  int32_t farthest; // operators run at the node with the most
  frame *frames;
  int32_t n_frames;
  int32_t *stack; // operators of moves
  int64_t n_stack, stack_capacity;
  memplan_order_move *moves; // scratch
  memplan_heap heap;         // turned away: least load, node
  int64_t heap_capacity;
};

static memplan_status create(memplan_order_search *search, const memplan_order_tables *tables,
                             const memplan_order_rules *rules, memplan_error *error) {
  int64_t n = tables->problem->n_ops;
  MEMPLAN_TRY(memplan_order_state_init(&search->state, tables, &search->arena, error));
  MEMPLAN_TRY(memplan_order_commit_init(&search->commit, &search->state, rules, &search->arena, error));
  MEMPLAN_TRY(memplan_order_tree_init(&search->tree, &search->state, &search->arena, error));
  search->tree.audit_all = rules->audit_all;
  search->frames = MEMPLAN_NEW(&search->arena, frame, n + 1);
  search->moves = MEMPLAN_NEW(&search->arena, memplan_order_move, n + 1);
  bool is_new;
  if (search->frames == NULL || search->moves == NULL || !memplan_order_tree_note(&search->tree, &is_new)) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

static bool reject(memplan_order_search *search, int64_t load, int32_t node) {
  memplan_heap_entry *entries =
      memplan_grow_heap(search->heap.entries, search->heap.n, &search->heap_capacity, sizeof *entries);
  if (entries == NULL) {
    return false;
  }
  search->heap.entries = entries;
  memplan_heap_push(&search->heap, (memplan_heap_entry){.key = load, .tie = node, .item = node});
  return true;
}

memplan_status memplan_order_search_new(const memplan_order_tables *tables, const memplan_order_rules *rules,
                                        int64_t bound, int64_t threshold, int64_t ceiling,
                                        memplan_order_search **search, memplan_error *error) {
  *search = calloc(1, sizeof **search);
  if (*search == NULL) {
    return memplan_fail_nomem(error);
  }
  (*search)->bound = bound;
  (*search)->threshold = threshold;
  (*search)->ceiling = ceiling;
  memplan_status status = create(*search, tables, rules, error);
  // The empty set: all of its moves are open.
  if (status == MEMPLAN_OK && !reject(*search, INT64_MIN, 0)) {
    status = memplan_fail_nomem(error);
  }
  if (status != MEMPLAN_OK) {
    memplan_order_search_free(*search);
    *search = NULL;
    return status;
  }
  (*search)->commit.threshold = threshold;
  return MEMPLAN_OK;
}

void memplan_order_search_free(memplan_order_search *search) {
  if (search != NULL) {
    memplan_order_tree_free(&search->tree);
    free(search->stack);
    free(search->heap.entries);
    memplan_arena_free(&search->arena);
    free(search);
  }
}

static void raise_threshold(memplan_order_search *search, int64_t threshold) {
  if (threshold > search->threshold) {
    search->threshold = threshold;
    search->commit.threshold = threshold;
  }
}

void memplan_order_search_tell(memplan_order_search *search, int64_t bound, int64_t ceiling) {
  search->ceiling = ceiling < search->ceiling ? ceiling : search->ceiling;
  search->bound = bound > search->bound ? bound : search->bound;
  if (search->bound >= search->ceiling) {
    search->bound = search->ceiling;
    search->outcome = MEMPLAN_ORDER_EXHAUSTED;
  }
  raise_threshold(search, search->bound);
}

// ---- states

static int compare_moves(const void *a, const void *b) {
  const memplan_order_move *x = a, *y = b;
  if (x->after != y->after) {
    return x->after > y->after ? 1 : -1;
  }
  return (x->op > y->op) - (x->op < y->op);
}

// Opens the last node of the path: its moves with loads of at least `from`.
static bool open_frame(memplan_order_search *search, int32_t node, int64_t from) {
  frame *top = &search->frames[search->n_frames];
  *top = (frame){.node = node, .begin = search->n_stack, .next = search->n_stack, .rejected = INT64_MAX};
  int32_t count = memplan_order_commit_moves(&search->commit, search->moves), kept = 0;
  for (int32_t k = 0; k < count; k++) {
    memplan_order_move move = search->moves[k];
    if (move.load > search->threshold) {
      top->rejected = move.load < top->rejected ? move.load : top->rejected;
    } else if (move.load >= from) {
      search->moves[kept++] = move;
    }
  }
  if (kept > 1) {
    qsort(search->moves, (size_t)kept, sizeof *search->moves, compare_moves);
  }
  search->state.ticks += 8 + 4 * (int64_t)kept;
  for (int32_t k = 0; k < kept; k++) {
    int32_t *stack = memplan_grow_heap(search->stack, search->n_stack, &search->stack_capacity, sizeof *stack);
    if (stack == NULL) {
      return false;
    }
    search->stack = stack;
    stack[search->n_stack++] = search->moves[k].op;
  }
  top->end = search->n_stack;
  search->n_frames++;
  return true;
}

// Since `met` operators had run, the state has come by a set that every order passes, and gone on by commits alone: all
// that is still open before that set, or beside the commits, leads nowhere else. Not if a set beyond it has been met
// before, on a move that passed it unseen: that one is known, and may itself be what is still open.
static bool has_passed(const memplan_order_search *search, int32_t met) {
  const memplan_order_tables *tables = search->state.tables;
  int32_t passed = tables->passes != NULL ? tables->passes[search->state.n_done] : 0;
  return met > 0 && passed >= met && search->farthest < passed;
}

// The state may be new: what is safe is run, and if its set is unknown it is opened. Else the state goes back to the
// path's last node. `met`: how many operators had run before commits.
static bool enter(memplan_order_search *search, int32_t met) {
  const memplan_order_tree *tree = &search->tree;
  int32_t from_step = search->n_frames > 0 ? tree->path_steps[tree->n_path - 1] : -1;
  memplan_order_commit_run(&search->commit, true, from_step, tree->path_live[tree->n_path - 1]);
  bool is_new;
  if (!memplan_order_tree_note(&search->tree, &is_new)) {
    return false;
  }
  if (search->state.n_done == search->state.problem->n_ops) {
    search->outcome = MEMPLAN_ORDER_FOUND;
    return true;
  }
  if (!is_new) {
    memplan_order_tree_back(&search->tree);
    return true;
  }
  if (has_passed(search, met)) {
    search->n_frames = 0;
    search->n_stack = 0;
    search->heap.n = 0;
  }
  search->farthest = search->state.n_done > search->farthest ? search->state.n_done : search->farthest;
  int32_t node = memplan_order_tree_add(&search->tree);
  return node >= 0 && open_frame(search, node, INT64_MIN);
}

static bool close_frame(memplan_order_search *search) {
  frame *top = &search->frames[--search->n_frames];
  search->n_stack = top->begin;
  bool done = top->rejected == INT64_MAX || reject(search, top->rejected, top->node);
  if (search->n_frames > 0) {
    memplan_order_tree_leave(&search->tree);
  }
  return done;
}

// No frame is open: goes on with the least load that was turned away.
static bool reopen(memplan_order_search *search) {
  if (search->heap.n == 0 || search->heap.entries[0].key >= search->ceiling) {
    search->bound = search->ceiling;
    search->outcome = MEMPLAN_ORDER_EXHAUSTED;
    return true;
  }
  memplan_heap_entry entry = memplan_heap_pop(&search->heap);
  search->bound = entry.key > search->bound ? entry.key : search->bound;
  raise_threshold(search, search->bound);
  memplan_order_tree_go(&search->tree, entry.item);
  int32_t before = search->state.n_done;
  if (before == search->state.problem->n_ops) {
    search->outcome = MEMPLAN_ORDER_FOUND;
    return true;
  }
  memplan_order_commit_run(&search->commit, true, -1, 0);
  if (search->state.n_done > before) {
    return enter(search, before + 1);
  }
  return open_frame(search, entry.item, entry.key);
}

static bool step(memplan_order_search *search) {
  if (search->n_frames == 0) {
    return reopen(search);
  }
  frame *top = &search->frames[search->n_frames - 1];
  if (top->next == top->end) {
    return close_frame(search);
  }
  memplan_order_commit_move(&search->commit, search->stack[top->next++]);
  return enter(search, search->state.n_done);
}

memplan_status memplan_order_search_run(memplan_order_search *search, int64_t ticks, memplan_error *error) {
  int64_t end = search->state.ticks + ticks;
  while (search->outcome == MEMPLAN_ORDER_RUNNING && search->state.ticks < end) {
    if (!step(search) || search->state.out_of_memory) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

void memplan_order_search_state(const memplan_order_search *search, memplan_order_search_look *look) {
  *look = (memplan_order_search_look){.outcome = search->outcome,
                                      .bound = search->bound,
                                      .threshold = search->threshold,
                                      .order = search->outcome == MEMPLAN_ORDER_FOUND ? search->state.sequence : NULL,
                                      .states = search->tree.n_nodes,
                                      .ticks = search->state.ticks,
                                      .memory = search->tree.memory +
                                                search->heap_capacity * (int64_t)sizeof *search->heap.entries +
                                                search->stack_capacity * (int64_t)sizeof *search->stack};
}
