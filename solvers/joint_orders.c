// SPDX-License-Identifier: Apache-2.0
// Invariant: each pair of a set and broken nogoods that can be reached within the threshold without a violation is
// known, or one of the same set with more of them broken, and is finished but for moves that a frame still holds. A
// move is an operator together with a choice among those of its pairs that nogoods still speak of; the other pairs are
// chosen as saves most, which leaves the most room for the load and changes nothing for the nogoods.
//
// With a larger threshold, as long as it stays below the least load that was turned away, every move and every commit
// would be the same.
#include "solvers/joint_orders.h"

#include "model/base/grow.h"
#include "model/base/lists.h"
#include "solvers/joint_seen.h"
#include "solvers/joint_watch.h"

#include <stdlib.h>
#include <string.h>

enum { most_asked = 10 }; // pairs of an operator whose choice is tried both ways

typedef struct move {
  int64_t after, load;
  uint64_t mask; // of the pairs that are asked about
  int32_t op;
} move;

// A state whose moves are being tried.
typedef struct frame {
  int32_t line; // of the log
  int32_t n_done;
  int64_t begin, next, end; // its moves on the stack
} frame;

struct memplan_joint_orders {
  memplan_joint_orders_task task;
  memplan_arena arena;
  memplan_order_state state;
  memplan_order_commit commit;
  memplan_joint_watch *watch;
  memplan_joint_seen seen;
  memplan_joint_orders_look look;
  frame *frames;
  int32_t n_frames;
  move *stack;
  int64_t n_stack, stack_capacity;
  bool *available; // scratch, pairs of an operator
  int32_t *chosen;
};

memplan_status memplan_joint_orders_new(const memplan_joint_orders_task *task, memplan_joint_orders **orders,
                                        memplan_error *error) {
  memplan_joint_orders *made = calloc(1, sizeof *made);
  *orders = made;
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_order_rules rules = {
      .lazy = false, .intervals = task->commits && task->log == NULL, .commits = task->commits};
  made->task = *task;
  made->look.rejected = INT64_MAX;
  memplan_status status = memplan_order_state_init(&made->state, task->tables, &made->arena, error);
  if (status == MEMPLAN_OK) {
    status = memplan_order_commit_init(&made->commit, &made->state, &rules, &made->arena, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_joint_watch_new(task->whole, task->nogoods, task->n_nogoods, task->tables->problem->reversed,
                                     &made->arena, &made->watch, error);
  }
  if (status == MEMPLAN_OK) {
    int32_t n_pairs = task->whole->ordering->n_pairs;
    made->frames = MEMPLAN_NEW(&made->arena, frame, (int64_t)task->whole->n_ops + 1);
    made->available = MEMPLAN_NEW(&made->arena, bool, n_pairs);
    made->chosen = MEMPLAN_NEW(&made->arena, int32_t, n_pairs);
    bool good = made->frames != NULL && made->available != NULL && made->chosen != NULL;
    status = good ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  if (status != MEMPLAN_OK) {
    memplan_joint_orders_free(made);
    *orders = NULL;
    return status;
  }
  made->state.ticks += memplan_joint_watch_ticks(made->watch);
  memplan_joint_seen_init(&made->seen, memplan_joint_watch_words(made->watch));
  made->commit.threshold = task->threshold;
  made->commit.held = memplan_joint_watch_held(made->watch);
  if (task->log != NULL && task->tables->problem->last > 0) {
    made->commit.last_load = INT64_MAX; // what may come last is not committed: the largest such load is not told
  }
  return MEMPLAN_OK;
}

void memplan_joint_orders_free(memplan_joint_orders *orders) {
  if (orders != NULL) {
    memplan_joint_seen_free(&orders->seen);
    free(orders->stack);
    memplan_arena_free(&orders->arena);
    free(orders);
  }
}

// ---- moves

static int64_t plain_load(const memplan_joint_orders *orders, int32_t op) {
  const memplan_order_state *state = &orders->state;
  const memplan_order_problem *problem = state->problem;
  int64_t load = state->live + state->ops[op].born + problem->workspace[op];
  load += state->n_done == 0 ? problem->first : 0;
  return load + (state->n_done == problem->n_ops - 1 ? problem->last : 0);
}

// What the pairs of an operator save, with these of the pairs asked about chosen and the others of them not. False:
// these cannot be chosen together.
static bool find_saving(memplan_joint_orders *orders, int32_t op, const int32_t *pairs, int32_t n_pairs, uint64_t mask,
                        int64_t *saving) {
  memplan_order_state *state = &orders->state;
  const memplan_order_problem *problem = state->problem;
  const memplan_joint_graph *whole = orders->task.whole;
  int32_t first = problem->pair_first[op], count = problem->pair_first[op + 1] - first;
  *saving = 0;
  for (int32_t k = 0; k < n_pairs; k++) {
    const memplan_joint_pair *pair = &whole->pairs[pairs[k]];
    for (int32_t l = 0; l < k && (mask >> k & 1) != 0; l++) {
      const memplan_joint_pair *other = &whole->pairs[pairs[l]];
      if ((mask >> l & 1) != 0 && (pair->born == other->born || pair->dying == other->dying)) {
        return false;
      }
    }
  }
  for (int32_t k = 0; k < count; k++) {
    const memplan_order_pair *pair = &problem->pairs[first + k];
    orders->available[k] = state->cells[pair->born].births == 0 && state->cells[pair->dying].missing == 1;
  }
  for (int32_t k = 0; k < n_pairs; k++) {
    for (int32_t l = 0; l < count; l++) {
      if (problem->pairs[first + l].source != whole->pairs[pairs[k]].index) {
        continue;
      }
      orders->available[l] = false;
      for (int32_t m = 0; m < count && (mask >> k & 1) != 0; m++) {
        if (problem->pairs[first + m].born == problem->pairs[first + l].born ||
            problem->pairs[first + m].dying == problem->pairs[first + l].dying) {
          orders->available[m] = false;
        }
      }
      *saving += (mask >> k & 1) != 0 ? problem->pairs[first + l].saving : 0;
    }
  }
  memplan_matching matching;
  if (!memplan_pairs_match(state->tables->pairs, first, count, orders->available, orders->chosen, &matching)) {
    state->out_of_memory = true;
    return false;
  }
  *saving += matching.most;
  state->ticks += 4 * (int64_t)count;
  return true;
}

static bool push(memplan_joint_orders *orders, move entry) {
  if (entry.load > orders->task.threshold) {
    orders->look.rejected = entry.load < orders->look.rejected ? entry.load : orders->look.rejected;
    return true;
  }
  move *stack = memplan_grow_heap(orders->stack, orders->n_stack, &orders->stack_capacity, sizeof *stack);
  if (stack == NULL) {
    return false;
  }
  orders->stack = stack;
  stack[orders->n_stack++] = entry;
  return true;
}

static bool push_moves_of(memplan_joint_orders *orders, int32_t op) {
  memplan_order_state *state = &orders->state;
  int32_t pairs[most_asked], n_asked = memplan_joint_watch_ask(orders->watch, op, pairs, most_asked);
  move entry = {.after = memplan_order_state_after(state, op), .op = op};
  if (n_asked > most_asked) {
    orders->look.outcome = MEMPLAN_JOINT_ORDERS_FULL;
    return true;
  }
  if (n_asked == 0) {
    entry.load = memplan_order_state_load(state, op);
    return push(orders, entry);
  }
  for (uint64_t mask = 0; mask < UINT64_C(1) << n_asked; mask++) {
    int64_t saving;
    if (find_saving(orders, op, pairs, n_asked, mask, &saving)) {
      entry.mask = mask;
      entry.load = plain_load(orders, op) - saving;
      if (!push(orders, entry)) {
        return false;
      }
    }
  }
  return true;
}

static int compare_moves(const void *a, const void *b) {
  const move *x = a, *y = b;
  if (x->after != y->after) {
    return x->after > y->after ? 1 : -1;
  }
  if (x->op != y->op) {
    return x->op > y->op ? 1 : -1;
  }
  if (x->load != y->load) {
    return x->load > y->load ? 1 : -1;
  }
  return (x->mask > y->mask) - (x->mask < y->mask);
}

static bool open_frame(memplan_joint_orders *orders) {
  memplan_order_state *state = &orders->state;
  frame *top = &orders->frames[orders->n_frames++];
  *top = (frame){.line = top->line, .n_done = state->n_done, .begin = orders->n_stack, .next = orders->n_stack};
  for (int32_t at = 0; at < state->n_ready; at++) {
    int32_t op = state->ready[at];
    if (state->ops[op].missing == 0 && memplan_order_state_admits(state, op) && !push_moves_of(orders, op)) {
      return false;
    }
  }
  top->end = orders->n_stack;
  if (top->end - top->begin > 1) {
    qsort(orders->stack + top->begin, (size_t)(top->end - top->begin), sizeof *orders->stack, compare_moves);
  }
  state->ticks += 8 + 4 * (top->end - top->begin);
  orders->look.states++;
  return true;
}

// ---- states

static void go_back(memplan_joint_orders *orders, int32_t n_done) {
  while (orders->state.n_done > n_done) {
    memplan_order_state_undo(&orders->state);
    memplan_joint_watch_undo(orders->watch);
  }
}

// Runs what is safe. No nogood can be violated by it, since those that are not broken hold the operators that would
// decide them.
static void run_commits(memplan_joint_orders *orders) {
  memplan_order_state *state = &orders->state;
  int32_t before = state->n_done;
  memplan_order_commit_run(&orders->commit, true, -1, 0);
  for (int32_t step = before; step < state->n_done; step++) {
    (void)memplan_joint_watch_run(orders->watch, state->sequence[step], NULL, 0, 0);
  }
}

// The state may be new: what is safe is run, and if it is unknown it is opened. Else it goes back.
static bool enter(memplan_joint_orders *orders, int32_t from) {
  bool is_new;
  run_commits(orders);
  if (orders->state.n_done == orders->state.problem->n_ops) {
    orders->look.outcome = MEMPLAN_JOINT_ORDERS_FOUND;
    return true;
  }
  if (!memplan_joint_seen_note(&orders->seen, orders->state.key, memplan_joint_watch_broken(orders->watch), &is_new)) {
    return false;
  }
  if (!is_new) {
    go_back(orders, from);
    return true;
  }
  return open_frame(orders);
}

// As enter, for the log: what the operator leads to, with these pairs chosen, is told, and what is committed then. An
// operator of -1: nothing has run.
static bool enter_log(memplan_joint_orders *orders, int32_t from, int32_t op, const int32_t *chosen, int32_t n_chosen) {
  memplan_order_state *state = &orders->state;
  memplan_joint_log *log = orders->task.log;
  const uint64_t *broken = memplan_joint_watch_broken(orders->watch);
  int32_t parent = orders->n_frames > 0 ? orders->frames[orders->n_frames - 1].line : 0, met = state->n_done;
  bool is_new;
  if (!memplan_joint_log_note(log, state->done, broken, &is_new)) {
    return false;
  }
  if (!is_new) {
    go_back(orders, from);
    return true;
  }
  run_commits(orders);
  int32_t line = memplan_joint_log_add(log, parent, op, chosen, n_chosen, state->sequence + met, state->n_done - met);
  if (line < 0 || (state->n_done > met && !memplan_joint_log_note(log, state->done, broken, &is_new))) {
    return false;
  }
  if (state->n_done == state->problem->n_ops) {
    orders->look.outcome = MEMPLAN_JOINT_ORDERS_FOUND;
    return true;
  }
  if (!is_new) {
    go_back(orders, from);
    return true;
  }
  orders->frames[orders->n_frames].line = line;
  return open_frame(orders);
}

static bool make_move(memplan_joint_orders *orders, move entry, int32_t from) {
  int32_t pairs[most_asked], n_asked = memplan_joint_watch_ask(orders->watch, entry.op, pairs, most_asked);
  memplan_order_state_run(&orders->state, entry.op);
  if (!memplan_joint_watch_run(orders->watch, entry.op, pairs, n_asked, entry.mask)) {
    go_back(orders, from);
    return true;
  }
  if (orders->task.log == NULL) {
    return enter(orders, from);
  }
  int32_t n_chosen = 0;
  for (int32_t k = 0; k < n_asked; k++) {
    pairs[n_chosen] = pairs[k];
    n_chosen += (entry.mask >> k & 1) != 0;
  }
  return enter_log(orders, from, entry.op, pairs, n_chosen);
}

static bool step(memplan_joint_orders *orders) {
  if (orders->n_frames == 0) {
    if (orders->look.states > 0) {
      orders->look.outcome = MEMPLAN_JOINT_ORDERS_EXHAUSTED;
      return true;
    }
    return orders->task.log == NULL ? enter(orders, 0) : enter_log(orders, 0, -1, NULL, 0);
  }
  frame *top = &orders->frames[orders->n_frames - 1];
  if (top->next == top->end) {
    orders->n_stack = top->begin;
    orders->n_frames--;
    go_back(orders, orders->n_frames > 0 ? orders->frames[orders->n_frames - 1].n_done : 0);
    return true;
  }
  return make_move(orders, orders->stack[top->next++], top->n_done);
}

memplan_status memplan_joint_orders_run(memplan_joint_orders *orders, int64_t ticks, memplan_error *error) {
  int64_t end = orders->state.ticks + ticks;
  while (orders->look.outcome == MEMPLAN_JOINT_ORDERS_RUNNING && orders->state.ticks < end) {
    if (!step(orders) || orders->state.out_of_memory) {
      return memplan_fail_nomem(error);
    }
    int64_t memory = orders->task.log == NULL ? orders->seen.memory : memplan_joint_log_memory(orders->task.log);
    if (memory > orders->task.most_memory && orders->look.outcome == MEMPLAN_JOINT_ORDERS_RUNNING) {
      orders->look.outcome = MEMPLAN_JOINT_ORDERS_FULL;
    }
  }
  return MEMPLAN_OK;
}

memplan_joint_orders_look memplan_joint_orders_state(const memplan_joint_orders *orders) {
  memplan_joint_orders_look look = orders->look;
  look.ticks = orders->state.ticks;
  return look;
}

// ---- the choice of an order

// Births and deaths as the order runs forwards.
typedef struct walk {
  const memplan_joint_graph *whole;
  memplan_lists births, deaths; // by operator: items
  int32_t *born, *missing;      // by item
  int32_t *pair_of;             // by pair of the ordering: pair of the graph, or -1
} walk;

static bool start_walk(walk *on, memplan_arena *arena) {
  const memplan_joint_graph *whole = on->whole;
  on->born = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  on->missing = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  on->pair_of = MEMPLAN_NEW(arena, int32_t, whole->ordering->n_pairs);
  if (on->born == NULL || on->missing == NULL || on->pair_of == NULL ||
      !memplan_lists_begin(&on->births, whole->n_ops, arena) ||
      !memplan_lists_begin(&on->deaths, whole->n_ops, arena)) {
    return false;
  }
  for (int32_t k = 0; k < whole->ordering->n_pairs; k++) {
    on->pair_of[k] = -1;
  }
  for (int32_t k = 0; k < whole->n_pairs; k++) {
    on->pair_of[whole->pairs[k].index] = k;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t item = 0; item < whole->n_items; item++) {
      const memplan_joint_item *entry = &whole->items[item];
      on->missing[item] = entry->n_deaths;
      for (int32_t k = 0; k < entry->n_births; k++) {
        memplan_lists_put(&on->births, entry->births[k], item);
      }
      for (int32_t k = 0; k < entry->n_deaths; k++) {
        memplan_lists_put(&on->deaths, entry->deaths[k], item);
      }
    }
    if (pass == 0 && (!memplan_lists_store(&on->births, arena) || !memplan_lists_store(&on->deaths, arena))) {
      return false;
    }
  }
  return true;
}

static bool is_available(const walk *on, const memplan_joint_pair *pair) {
  const memplan_joint_item *born = &on->whole->items[pair->born], *dying = &on->whole->items[pair->dying];
  return !born->init && on->born[pair->born] == 0 && !dying->keep && on->missing[pair->dying] == 1 &&
         memplan_joint_pair_is_direct(on->whole, pair);
}

static void walk_on(walk *on, int32_t op) {
  for (int32_t k = on->births.first[op]; k < on->births.first[op + 1]; k++) {
    on->born[on->births.list[k]]++;
  }
  for (int32_t k = on->deaths.first[op]; k < on->deaths.first[op + 1]; k++) {
    on->missing[on->deaths.list[k]]--;
  }
}

// Appends the choice of one operator.
static bool choose(memplan_joint_orders *orders, const walk *on, int32_t op, int32_t *choice, int32_t *n_choices) {
  const memplan_ordering *ordering = on->whole->ordering;
  const uint8_t *decision = memplan_joint_watch_decisions(orders->watch);
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  for (int32_t k = 0; k < count; k++) {
    int32_t pair = on->pair_of[first + k];
    orders->available[k] =
        pair >= 0 && decision[pair] == MEMPLAN_WATCH_FREE && is_available(on, &on->whole->pairs[pair]);
  }
  for (int32_t k = 0; k < count; k++) {
    int32_t pair = on->pair_of[first + k];
    if (pair < 0 || decision[pair] != MEMPLAN_WATCH_CHOSEN) {
      continue;
    }
    choice[(*n_choices)++] = first + k;
    for (int32_t l = 0; l < count; l++) {
      const memplan_pair *own = &ordering->pairs[first + k], *other = &ordering->pairs[first + l];
      if (own->output_storage == other->output_storage || own->input_storage == other->input_storage) {
        orders->available[l] = false;
      }
    }
  }
  memplan_matching matching;
  if (count == 0) {
    return true;
  }
  if (!memplan_pairs_match(ordering->pairs, first, count, orders->available, orders->chosen, &matching)) {
    return false;
  }
  memcpy(choice + *n_choices, orders->chosen, (size_t)matching.n_chosen * sizeof *choice);
  *n_choices += matching.n_chosen;
  return true;
}

memplan_status memplan_joint_orders_read(memplan_joint_orders *orders, int32_t *order, int32_t *choice,
                                         int32_t *n_choices, memplan_error *error) {
  const memplan_joint_graph *whole = orders->task.whole;
  memplan_arena scratch = {0};
  walk on = {.whole = whole};
  int32_t n = whole->n_ops;
  bool good = start_walk(&on, &scratch), turned = orders->state.problem->reversed;
  *n_choices = 0;
  for (int32_t at = 0; at < n && good; at++) {
    order[at] = orders->state.sequence[turned ? n - 1 - at : at];
    good = choose(orders, &on, order[at], choice, n_choices);
    walk_on(&on, order[at]);
  }
  memplan_arena_free(&scratch);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}
