// SPDX-License-Identifier: Apache-2.0
// An item is surely live at an operator of the window that is, or follows, one of its births (or it is there from the
// start) and that is, or precedes, one of its deaths (or it stays to the end). These operators are both its births and
// its deaths in the window: it lives from the first to the last of them that an order of the window runs.
//
// Why that is a relaxation. Take a plan of the whole problem and keep of its order the operators of the window. The
// precedences of the window are among those of the whole problem, closed under transitivity before anything was left
// out, so that they hold; members of a group between which nobody runs still have nobody between them. At a step of the
// window between two operators at which an item is surely live, it is live in the plan too, since a life is an
// interval. So two items that meet in the window meet in the plan while the same operator runs, and lie apart there,
// unless they are a chosen pair whose operator it is. A pair of an operator of the window may be chosen there when it
// is in the plan: all others that touch the input have run before, and the output is born at the operator, so in the
// window, too, the one's life ends and the other's begins there. The offsets of the plan hold for the items kept, by
// their alignments, pins and ties, and reach no higher. Items that nobody reads, live at the first step only, are left
// out, since the first step of a window need not be the first one of all.
#include "solvers/joint_window.h"

#include <string.h>

typedef struct cutting {
  memplan_joint_graph *window;
  const memplan_joint_graph *whole;
  const int32_t *ops; // of the whole problem, by operator of the window
  memplan_arena *arena;
} cutting;

static bool is_surely_live(const memplan_joint_graph *whole, const memplan_joint_item *item, int32_t op) {
  bool born = item->init, dying = item->keep;
  for (int32_t k = 0; k < item->n_births && !born; k++) {
    born = item->births[k] == op || memplan_joint_graph_before(whole, item->births[k], op);
  }
  for (int32_t k = 0; k < item->n_deaths && born && !dying; k++) {
    dying = item->deaths[k] == op || memplan_joint_graph_before(whole, op, item->deaths[k]);
  }
  return born && dying;
}

bool memplan_joint_window_holds(const memplan_joint_graph *whole, int32_t item, const int32_t *ops, int32_t n_ops) {
  const memplan_joint_item *entry = &whole->items[item];
  for (int32_t k = 0; k < n_ops && !entry->unread; k++) {
    if (is_surely_live(whole, entry, ops[k])) {
      return true;
    }
  }
  return false;
}

memplan_status memplan_joint_window_order(memplan_joint_graph *window, const memplan_joint_graph *whole,
                                          const int32_t *ops, memplan_arena *arena, memplan_error *error) {
  int32_t n = window->n_ops;
  int32_t *leader = MEMPLAN_NEW(arena, int32_t, n), *twin = MEMPLAN_NEW(arena, int32_t, n);
  int32_t *earliest = MEMPLAN_NEW(arena, int32_t, n), *latest = MEMPLAN_NEW(arena, int32_t, n);
  window->before = MEMPLAN_NEW(arena, bool, (int64_t)n *n);
  if (leader == NULL || twin == NULL || earliest == NULL || latest == NULL || window->before == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t a = 0; a < n; a++) {
    twin[a] = -1;
    leader[a] = a;
    latest[a] += n - 1;
    for (int32_t b = 0; b < n; b++) {
      bool same = b < a && whole->leader[ops[b]] == whole->leader[ops[a]];
      leader[a] = same && leader[a] == a ? b : leader[a];
      if (a != b && memplan_joint_graph_before(whole, ops[a], ops[b])) {
        window->before[(int64_t)a * n + b] = true;
        earliest[b]++;
        latest[a]--;
      }
    }
  }
  window->leader = leader;
  window->twin = twin;
  window->earliest = earliest;
  window->latest = latest;
  return MEMPLAN_OK;
}

const int32_t *memplan_joint_window_outermost(const memplan_joint_graph *window, const int32_t *ops, int32_t count,
                                              bool last, memplan_arena *arena, int32_t *kept) {
  int32_t *result = MEMPLAN_NEW(arena, int32_t, count);
  *kept = 0;
  for (int32_t k = 0; result != NULL && k < count; k++) {
    bool outer = true;
    for (int32_t l = 0; l < count && outer; l++) {
      outer = last ? !memplan_joint_graph_before(window, ops[k], ops[l])
                   : !memplan_joint_graph_before(window, ops[l], ops[k]);
    }
    if (outer) {
      result[(*kept)++] = ops[k];
    }
  }
  return result;
}

// Adds the item if it is live anywhere. `live`: room for all operators of the window.
static bool cut_item(cutting *work, int32_t item, int32_t *live, int32_t *item_of) {
  const memplan_joint_item *entry = &work->whole->items[item];
  memplan_joint_graph *window = work->window;
  int32_t count = 0;
  item_of[item] = -1;
  for (int32_t k = 0; k < window->n_ops && !entry->unread; k++) {
    if (is_surely_live(work->whole, entry, work->ops[k])) {
      live[count++] = k;
    }
  }
  if (count == 0) {
    return true;
  }
  item_of[item] = window->n_items;
  memplan_joint_item *made = &window->items[window->n_items++];
  *made = *entry;
  made->births = made->deaths = NULL;
  made->n_births = made->n_deaths = 0;
  if (!entry->init) {
    made->births = memplan_joint_window_outermost(window, live, count, false, work->arena, &made->n_births);
  }
  if (!entry->keep) {
    made->deaths = memplan_joint_window_outermost(window, live, count, true, work->arena, &made->n_deaths);
  }
  return (entry->init || made->births != NULL) && (entry->keep || made->deaths != NULL);
}

void memplan_joint_window_pairs(memplan_joint_graph *window, const memplan_joint_graph *whole, const int32_t *ops,
                                const int32_t *item_of) {
  for (int32_t op = 0; op < window->n_ops; op++) {
    for (int32_t k = 0; k < whole->n_pairs; k++) {
      memplan_joint_pair pair = whole->pairs[k];
      if (pair.op == ops[op] && item_of[pair.born] >= 0 && item_of[pair.dying] >= 0) {
        pair.op = op;
        pair.born = item_of[pair.born];
        pair.dying = item_of[pair.dying];
        window->pairs[window->n_pairs++] = pair;
      }
    }
  }
}

memplan_status memplan_joint_window_init(memplan_joint_graph *window, const memplan_joint_graph *whole,
                                         const int32_t *ops, int32_t n_ops, memplan_arena *arena,
                                         memplan_error *error) {
  *window = (memplan_joint_graph){.ordering = whole->ordering, .n_ops = n_ops, .unit = whole->unit};
  cutting work = {window, whole, ops, arena};
  int32_t *live = MEMPLAN_NEW(arena, int32_t, n_ops), *item_of = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  window->items = MEMPLAN_NEW(arena, memplan_joint_item, whole->n_items);
  window->pairs = MEMPLAN_NEW(arena, memplan_joint_pair, whole->n_pairs);
  if (live == NULL || item_of == NULL || window->items == NULL || window->pairs == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_joint_window_order(window, whole, ops, arena, error));
  for (int32_t item = 0; item < whole->n_items; item++) {
    if (!cut_item(&work, item, live, item_of)) {
      return memplan_fail_nomem(error);
    }
  }
  memplan_joint_window_pairs(window, whole, ops, item_of);
  memplan_joint_graph_divide(window);
  return MEMPLAN_OK;
}
