// SPDX-License-Identifier: Apache-2.0
// An item is surely live at an operator if one of those that write it precedes the operator or is it (or it is there
// from the start), and one of those that have to be done with it follows or is it (or it stays to the end). In the
// window an item lives from the first to the last of the operators at which it is surely live: these are its births
// and its deaths there. Who is live nowhere for sure is left out, and so are inputs that nobody reads.
//
// Why no plan of the graph is lower than all plans of a window. Take a plan, and keep of its order the operators of
// the window, of its pairs those of these operators whose items are kept, and of its offsets those of the items kept.
// That is a plan of the window:
// - Its order: precedences of the window hold in every order of the graph, and between two members of a group of which
//   nobody else ran, nobody runs now.
// - Its lives: an item lives through one stretch of steps in the plan, which holds all steps at which it is surely
//   live, and so all of its life in the window. Two items that meet in the window thus meet in the plan, at a step that
//   is the window's. There they lie apart, unless they are the output and the input of a pair chosen at that step; that
//   pair is kept, with its distance.
// - Its pairs: in the plan the input's life ends and the output's begins at the operator. So all operators at which the
//   one is surely live run before it or are it, and all at which the other is run after it or are it.
// - Its offsets: alignments, pins and reserved ranges are those of the graph, and nothing reaches higher than before.
// Nothing is needed of `ops` for that, neither that they are consecutive in some order nor that they are all.
#include "eval/check_joint_window.h"

#include "eval/check_joint_follow.h"

#include <string.h>

enum { most_items = 2048 };

typedef struct cutter {
  const memplan_check_joint_model *whole;
  memplan_check_joint_model *window;
  memplan_arena *arena;
  const int32_t *ops;
  bool *before, *after; // by operator of the graph: in every order, seen from one operator of the window
  int32_t *stack;
  bool *follows;    // by operator of the window, twice: the second follows the first
  int32_t *slot_of; // by item of the graph: its row, -1: it is live nowhere yet
  bool *live;       // by row and operator of the window
  int32_t n_rows;
} cutter;

// ---- what is surely live

static bool has_any(const int32_t *ops, int32_t n, int32_t own, const bool *mark) {
  bool found = false;
  for (int32_t k = 0; k < n && !found; k++) {
    found = ops[k] == own || mark[ops[k]];
  }
  return found;
}

// False: there are too many.
static bool find_live(cutter *work, int32_t at) {
  const memplan_check_joint_model *whole = work->whole;
  for (int32_t item = 0; item < whole->n_items; item++) {
    const memplan_check_joint_item *entry = &whole->items[item];
    bool born = entry->init || has_any(entry->births, entry->n_births, work->ops[at], work->before);
    bool dying = entry->keep || has_any(entry->deaths, entry->n_deaths, work->ops[at], work->after);
    if (entry->unread || !born || !dying) {
      continue;
    }
    if (work->slot_of[item] < 0) {
      if (work->n_rows == most_items) {
        return false;
      }
      work->slot_of[item] = work->n_rows++;
    }
    work->live[(int64_t)work->slot_of[item] * work->window->n_ops + at] = true;
  }
  return true;
}

static bool look_around(cutter *work) {
  const memplan_check_joint_model *window = work->window;
  for (int32_t at = 0; at < window->n_ops; at++) {
    memplan_check_joint_follow(work->whole, work->ops[at], true, work->after, work->stack);
    memplan_check_joint_follow(work->whole, work->ops[at], false, work->before, work->stack);
    for (int32_t other = 0; other < window->n_ops; other++) {
      work->follows[(int64_t)at * window->n_ops + other] = work->after[work->ops[other]];
    }
    if (!find_live(work, at)) {
      return false;
    }
  }
  return true;
}

// ---- the window

static bool make_order(cutter *work) {
  memplan_check_joint_model *window = work->window;
  int32_t n = window->n_ops, count = 0;
  int32_t *leader = MEMPLAN_NEW(work->arena, int32_t, n), *first = MEMPLAN_NEW(work->arena, int32_t, (int64_t)n + 1);
  int32_t *succ = MEMPLAN_NEW(work->arena, int32_t, (int64_t)n * n);
  if (leader == NULL || first == NULL || succ == NULL) {
    return false;
  }
  for (int32_t a = 0; a < n; a++) {
    leader[a] = a;
    for (int32_t b = a - 1; b >= 0; b--) {
      leader[a] = work->whole->leader[work->ops[a]] == work->whole->leader[work->ops[b]] ? b : leader[a];
    }
    first[a] = count;
    for (int32_t b = 0; b < n; b++) {
      if (work->follows[(int64_t)a * n + b]) {
        succ[count++] = b;
      }
    }
  }
  first[n] = count;
  window->leader = leader;
  window->succ_first = first;
  window->succ = succ;
  return true;
}

// By item of the graph, in its order; slots become the items' numbers in the window.
static bool make_items(cutter *work) {
  const memplan_check_joint_model *whole = work->whole;
  memplan_check_joint_model *window = work->window;
  window->items = MEMPLAN_NEW(work->arena, memplan_check_joint_item, work->n_rows);
  if (window->items == NULL) {
    return false;
  }
  for (int32_t item = 0; item < whole->n_items; item++) {
    if (work->slot_of[item] < 0) {
      continue;
    }
    const bool *live = work->live + (int64_t)work->slot_of[item] * window->n_ops;
    int32_t *ops = MEMPLAN_NEW(work->arena, int32_t, window->n_ops), count = 0;
    if (ops == NULL) {
      return false;
    }
    for (int32_t op = 0; op < window->n_ops; op++) {
      if (live[op]) {
        ops[count++] = op;
      }
    }
    memplan_check_joint_item *made = &window->items[window->n_items];
    *made = whole->items[item];
    made->births = made->deaths = ops;
    made->n_births = made->init ? 0 : count;
    made->n_deaths = made->keep ? 0 : count;
    work->slot_of[item] = window->n_items++;
  }
  return true;
}

static bool make_pairs(cutter *work) {
  const memplan_check_joint_model *whole = work->whole;
  memplan_check_joint_model *window = work->window;
  window->pairs = MEMPLAN_NEW(work->arena, memplan_check_joint_pair, whole->n_pairs);
  for (int32_t op = 0; op < window->n_ops && window->pairs != NULL; op++) {
    for (int32_t k = 0; k < whole->n_pairs; k++) {
      memplan_check_joint_pair pair = whole->pairs[k];
      if (pair.op == work->ops[op] && work->slot_of[pair.born] >= 0 && work->slot_of[pair.dying] >= 0) {
        pair.op = op;
        pair.born = work->slot_of[pair.born];
        pair.dying = work->slot_of[pair.dying];
        window->pairs[window->n_pairs++] = pair;
      }
    }
  }
  return window->pairs != NULL;
}

static bool allocate(cutter *work) {
  int64_t n = work->whole->n_ops, own = work->window->n_ops;
  work->before = MEMPLAN_NEW(work->arena, bool, n);
  work->after = MEMPLAN_NEW(work->arena, bool, n);
  work->stack = MEMPLAN_NEW(work->arena, int32_t, n);
  work->follows = MEMPLAN_NEW(work->arena, bool, own *own);
  work->slot_of = MEMPLAN_NEW(work->arena, int32_t, work->whole->n_items);
  work->live = MEMPLAN_NEW(work->arena, bool, most_items *own);
  return work->before != NULL && work->after != NULL && work->stack != NULL && work->follows != NULL &&
         work->slot_of != NULL && work->live != NULL;
}

// `before` serves as marks.
static bool are_distinct(cutter *work) {
  bool good = true;
  for (int32_t k = 0; k < work->window->n_ops; k++) {
    good = good && !work->before[work->ops[k]];
    work->before[work->ops[k]] = true;
  }
  return good;
}

memplan_status memplan_check_joint_window_cut(const memplan_check_joint_model *whole, const int32_t *ops, int32_t n_ops,
                                              memplan_arena *arena, memplan_check_joint_model *window,
                                              const char **reason, memplan_error *error) {
  *window = (memplan_check_joint_model){.ordering = whole->ordering, .n_ops = n_ops, .ops = ops, .unit = 1};
  *reason = NULL;
  cutter work = {.whole = whole, .window = window, .arena = arena, .ops = ops};
  if (!allocate(&work)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t item = 0; item < whole->n_items; item++) {
    work.slot_of[item] = -1;
  }
  if (!are_distinct(&work)) {
    *reason = "an operator of the window is named twice";
    return MEMPLAN_OK;
  }
  if (!look_around(&work)) {
    *reason = "the window has more items than such a certificate is checked for";
    return MEMPLAN_OK;
  }
  return make_order(&work) && make_items(&work) && make_pairs(&work) ? MEMPLAN_OK : memplan_fail_nomem(error);
}
