// SPDX-License-Identifier: Apache-2.0
// A pair goes one of two ways: all operators that the one buffer needs run before all that write the other, or the
// other way round. A way is impossible if one of these precedences would close a circle with those known; then the
// other way holds, and its precedences join the known ones, until nothing changes; what is looked at again are the
// pairs of operators before which, or after which, more is known than before. What is left open is decided pair by
// pair, first as the given order has it, and the last decision that can still be turned is turned when neither way of
// some pair is left. If all have been turned, no order is possible.
//
// Invariant: what is known is closed under transitivity, and under groups, whose members run consecutively: what runs
// before (after) one of them from outside runs before (after) all.
#include "solvers/pin_order.h"

#include "model/base/grow.h"
#include "model/base/lists.h"

#include <stdlib.h>
#include <string.h>

enum {
  most_ops = 16384,
  most_collisions = 1 << 16,
  most_edges_of_way = 1 << 16,
  most_words = 1 << 28,   // looked at by the decisions, and four times as many before them
  words_of_poll = 1 << 16 // until the limits are asked again
};

typedef enum pin_way { WAY_OPEN = -1, WAY_FIRST = 0, WAY_SECOND = 1 } pin_way; // which of the two ends before

typedef struct collision {
  int32_t cell[2];
  pin_way way;
} collision;

typedef struct edge {
  int32_t before, after;
} edge;

typedef struct decision {
  int32_t pair;
  pin_way way;
  bool turned;
} decision;

typedef struct pin_search {
  const memplan_ordering *ordering;
  memplan_arena *arena; // of the orderings that are made
  memplan_arena scratch;
  size_t words;
  uint64_t *after; // by operator: those that run after it
  collision *pairs;
  int32_t n_pairs;
  edge *edges;
  int64_t n_edges, edge_room;
  memplan_lists pairs_of; // by cell
  int32_t *queue;         // pairs to look at: a ring of n_pairs
  int32_t queue_first, n_queued;
  bool *queued;                           // by pair
  int64_t looked, most_looked, next_poll; // at words, precedences and pairs
  const memplan_limits *limits;
  bool nomem, stopped;
} pin_search;

// Is the work spent, or a limit reached?
static bool is_spent(pin_search *search) {
  if (!search->stopped && search->looked >= search->next_poll) {
    search->next_poll = search->looked + words_of_poll;
    search->stopped =
        search->looked > search->most_looked || memplan_limits_reached(search->limits) != MEMPLAN_STOP_DONE;
  }
  return search->stopped;
}

// ---- what is known

static bool is_after(const pin_search *search, int32_t before, int32_t op) {
  return (search->after[(size_t)before * search->words + (size_t)op / 64] >> (op % 64) & 1) != 0;
}

static void queue_pair(pin_search *search, int32_t k) {
  if (!search->queued[k]) {
    search->queued[k] = true;
    search->queue[(search->queue_first + search->n_queued++) % search->n_pairs] = k;
  }
}

// The pairs of the cells that are born or die at the operator.
static void queue_pairs_at(pin_search *search, int32_t op) {
  const memplan_ordering *ordering = search->ordering;
  const memplan_lists *pairs = &search->pairs_of;
  for (int32_t i = ordering->op_cell_first[op]; i < ordering->op_cell_first[op + 1]; i++) {
    int32_t cell = ordering->op_cells[i];
    for (int32_t k = pairs->first[cell]; k < pairs->first[cell + 1]; k++) {
      if (search->pairs[pairs->list[k]].way == WAY_OPEN) {
        queue_pair(search, pairs->list[k]);
      }
    }
    search->looked += 1 + pairs->first[cell + 1] - pairs->first[cell];
  }
}

static void insert(pin_search *search, int32_t before, int32_t after) {
  size_t words = search->words;
  const uint64_t *below = search->after + (size_t)after * words;
  for (int32_t op = 0; op < search->ordering->n_ops; op++) {
    if (op == before || is_after(search, op, before)) {
      uint64_t *own = search->after + (size_t)op * words, news = 0;
      for (size_t word = 0; word < words; word++) {
        news |= below[word] & ~own[word];
        own[word] |= below[word];
      }
      news |= ~own[after / 64] & UINT64_C(1) << (after % 64);
      own[after / 64] |= UINT64_C(1) << (after % 64);
      search->looked += (int64_t)words;
      if (news != 0) {
        queue_pairs_at(search, op);
      }
    }
  }
  search->looked += search->ordering->n_ops;
}

// Members of the operator's group, or itself alone.
static const int32_t *members_of(const memplan_ordering *ordering, const int32_t *op, int32_t *count) {
  int32_t group = ordering->graph->ops[*op].group;
  *count = group < 0 ? 1 : ordering->group_first[group + 1] - ordering->group_first[group];
  return group < 0 ? op : ordering->group_ops + ordering->group_first[group];
}

static void close_under_groups(pin_search *search, int32_t before, int32_t after) {
  const memplan_ordering *ordering = search->ordering;
  const memplan_op *ops = ordering->graph->ops;
  int32_t n_before = 1, n_after = 1;
  const int32_t *all_before = &before, *all_after = &after;
  if (ops[before].group < 0 || ops[before].group != ops[after].group) {
    all_before = members_of(ordering, &before, &n_before);
    all_after = members_of(ordering, &after, &n_after);
  }
  for (int32_t i = 0; i < n_before && !is_spent(search); i++) {
    search->looked += n_after;
    for (int32_t k = 0; k < n_after && !is_spent(search); k++) {
      if (!is_after(search, all_before[i], all_after[k])) {
        insert(search, all_before[i], all_after[k]);
      }
    }
  }
}

// False: a circle, memory is out, or the work is spent.
static bool add_edge(pin_search *search, int32_t before, int32_t after) {
  search->looked++;
  if (is_spent(search) || before == after || is_after(search, after, before)) {
    return false;
  }
  if (is_after(search, before, after)) {
    return true;
  }
  edge *edges = memplan_grow_in(&search->scratch, search->edges, search->n_edges, &search->edge_room, sizeof *edges);
  if (edges == NULL) {
    search->nomem = true;
    return false;
  }
  search->edges = edges;
  edges[search->n_edges++] = (edge){before, after};
  close_under_groups(search, before, after);
  return !search->stopped;
}

// First those that the given order respects, backwards, so that what stands behind is closed; then the others, if any.
static void close_precedences(pin_search *search) {
  const memplan_ordering *ordering = search->ordering;
  for (int32_t op = ordering->n_ops - 1; op >= 0; op--) {
    uint64_t *own = search->after + (size_t)op * search->words;
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1] && !is_spent(search); k++) {
      int32_t next = ordering->succ[k];
      if (next < op) {
        continue;
      }
      search->looked += (int64_t)search->words;
      const uint64_t *below = search->after + (size_t)next * search->words;
      for (size_t word = 0; word < search->words; word++) {
        own[word] |= below[word];
      }
      own[next / 64] |= UINT64_C(1) << (next % 64);
    }
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1] && !is_spent(search); k++) {
      if (ordering->succ[k] < op || ordering->graph->n_groups > 0) {
        close_under_groups(search, op, ordering->succ[k]);
      }
    }
  }
}

// ---- pairs

typedef struct pinned {
  int64_t start, end;
  int32_t cell;
} pinned;

static int compare_pinned(const void *a, const void *b) {
  const pinned *x = a, *y = b;
  if (x->start != y->start) {
    return x->start > y->start ? 1 : -1;
  }
  return (x->cell > y->cell) - (x->cell < y->cell);
}

// Pairs of cells that are pinned to bytes in common; none if there are too many. False: memory is out.
static bool find_collisions(pin_search *search) {
  const memplan_ordering *ordering = search->ordering;
  pinned *list = MEMPLAN_NEW(&search->scratch, pinned, ordering->n_cells);
  int64_t room = 0;
  int32_t count = 0;
  for (int32_t cell = 0; cell < ordering->n_cells && list != NULL; cell++) {
    int32_t storage = ordering->cells[cell].storage;
    int64_t pin = storage >= 0 ? ordering->graph->storages[storage].pin : -1;
    if (pin >= 0 && ordering->cells[cell].bytes > 0) {
      list[count++] = (pinned){pin, pin + ordering->cells[cell].bytes, cell};
    }
  }
  if (count > 1) {
    qsort(list, (size_t)count, sizeof *list, compare_pinned);
  }
  for (int32_t i = 0; i < count && list != NULL; i++) {
    for (int32_t k = i + 1; k < count && list[k].start < list[i].end; k++) {
      collision *pairs = memplan_grow_in(&search->scratch, search->pairs, search->n_pairs, &room, sizeof *pairs);
      if (pairs == NULL) {
        return false;
      }
      search->pairs = pairs;
      pairs[search->n_pairs++] = (collision){{list[i].cell, list[k].cell}, WAY_OPEN};
      if (search->n_pairs > most_collisions) {
        search->n_pairs = 0;
        return true;
      }
    }
  }
  return list != NULL;
}

// May the operator have the one take over the bytes of the other?
static bool may_take_over(pin_search *search, const memplan_cell *input, const memplan_cell *output, int32_t op) {
  const memplan_ordering *ordering = search->ordering;
  search->looked += ordering->pair_first[op + 1] - ordering->pair_first[op];
  for (int32_t k = ordering->pair_first[op]; k < ordering->pair_first[op + 1]; k++) {
    if (ordering->pairs[k].input_storage == input->storage && ordering->pairs[k].output_storage == output->storage) {
      return true;
    }
  }
  return false;
}

typedef enum answer { NEVER = 0, POSSIBLE, CERTAIN } answer;

// Does the one cell end before the other one begins?
static answer ends_before(pin_search *search, int32_t first, int32_t second) {
  const memplan_ordering *ordering = search->ordering;
  const memplan_cell *ends = &ordering->cells[first], *begins = &ordering->cells[second];
  if (ends->keep || begins->init) {
    return NEVER;
  }
  answer all = CERTAIN;
  for (int32_t i = ends->first_death; i < ends->first_death + ends->n_deaths; i++) {
    search->looked += begins->n_births;
    for (int32_t k = begins->first_birth; k < begins->first_birth + begins->n_births; k++) {
      int32_t before = ordering->deaths[i], after = ordering->births[k];
      if (before == after ? !may_take_over(search, ends, begins, before) : is_after(search, after, before)) {
        return NEVER;
      }
      all = before == after || is_after(search, before, after) ? all : POSSIBLE;
    }
  }
  return all;
}

static bool go(pin_search *search, collision *pair, pin_way way) {
  const memplan_ordering *ordering = search->ordering;
  const memplan_cell *ends = &ordering->cells[pair->cell[way]], *begins = &ordering->cells[pair->cell[1 - way]];
  pair->way = way;
  for (int32_t i = ends->first_death; i < ends->first_death + ends->n_deaths; i++) {
    for (int32_t k = begins->first_birth; k < begins->first_birth + begins->n_births; k++) {
      int32_t before = ordering->deaths[i], after = ordering->births[k];
      if (before != after && !add_edge(search, before, after)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_manageable(const memplan_ordering *ordering, const collision *pair) {
  const memplan_cell *a = &ordering->cells[pair->cell[0]], *b = &ordering->cells[pair->cell[1]];
  return (int64_t)a->n_deaths * b->n_births <= most_edges_of_way &&
         (int64_t)b->n_deaths * a->n_births <= most_edges_of_way;
}

// False: memory is out.
static bool index_pairs(pin_search *search) {
  memplan_arena *arena = &search->scratch;
  memplan_lists *pairs = &search->pairs_of;
  search->queue = MEMPLAN_NEW(arena, int32_t, search->n_pairs);
  search->queued = MEMPLAN_NEW(arena, bool, search->n_pairs);
  if (search->queue == NULL || search->queued == NULL ||
      !memplan_lists_begin(pairs, search->ordering->n_cells, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t k = 0; k < search->n_pairs; k++) {
      memplan_lists_put(pairs, search->pairs[k].cell[0], k);
      memplan_lists_put(pairs, search->pairs[k].cell[1], k);
    }
    if (pass == 0 && !memplan_lists_store(pairs, arena)) {
      return false;
    }
  }
  return true;
}

// Draws what follows from what the pairs in the queue have become. False: some pair has no way left, memory is out, or
// the work is spent.
static bool propagate(pin_search *search) {
  while (search->n_queued > 0) {
    int32_t k = search->queue[search->queue_first];
    collision *pair = &search->pairs[k];
    search->queue_first = (search->queue_first + 1) % search->n_pairs;
    search->n_queued--;
    search->queued[k] = false;
    search->looked++;
    if (is_spent(search)) {
      return false;
    }
    if (pair->way != WAY_OPEN) {
      continue;
    }
    answer first = ends_before(search, pair->cell[0], pair->cell[1]);
    answer second = first == CERTAIN ? NEVER : ends_before(search, pair->cell[1], pair->cell[0]);
    if (first == NEVER && second == NEVER) {
      return false;
    }
    if ((first == NEVER || second == NEVER) && !go(search, pair, first != NEVER ? WAY_FIRST : WAY_SECOND)) {
      return false;
    }
  }
  return true;
}

// ---- decisions

static int32_t first_birth(pin_search *search, int32_t cell) {
  const memplan_ordering *ordering = search->ordering;
  const memplan_cell *entry = &ordering->cells[cell];
  search->looked += entry->n_births;
  int32_t first = entry->init ? -1 : INT32_MAX;
  for (int32_t k = entry->first_birth; k < entry->first_birth + entry->n_births; k++) {
    first = ordering->births[k] < first ? ordering->births[k] : first;
  }
  return first;
}

// The first open pair from `k` on; n_pairs if there is none.
static int32_t find_open(pin_search *search, int32_t k) {
  while (k < search->n_pairs && search->pairs[k].way != WAY_OPEN) {
    k++;
    search->looked++;
  }
  return k;
}

// What was known before the decisions.
typedef struct root {
  uint64_t *after;
  pin_way *way;
  int64_t n_edges;
} root;

static bool keep_root(pin_search *search, root *kept) {
  size_t n = (size_t)search->ordering->n_ops * search->words;
  kept->after = MEMPLAN_NEW_RAW(&search->scratch, uint64_t, n);
  kept->way = MEMPLAN_NEW_RAW(&search->scratch, pin_way, search->n_pairs);
  if (kept->after == NULL || kept->way == NULL) {
    return false;
  }
  memcpy(kept->after, search->after, n * sizeof *kept->after);
  for (int32_t k = 0; k < search->n_pairs; k++) {
    kept->way[k] = search->pairs[k].way;
  }
  kept->n_edges = search->n_edges;
  return true;
}

// Back to the root, and down again along the decisions. False: the last one contradicts the others.
static bool descend(pin_search *search, const root *kept, const decision *decisions, int32_t n_decisions) {
  size_t n = (size_t)search->ordering->n_ops * search->words;
  memcpy(search->after, kept->after, n * sizeof *kept->after);
  search->looked += (int64_t)n + search->n_pairs;
  search->n_edges = kept->n_edges;
  search->n_queued = 0;
  for (int32_t k = 0; k < search->n_pairs; k++) {
    search->pairs[k].way = kept->way[k];
    search->queued[k] = false;
  }
  bool good = true;
  for (int32_t k = 0; k < n_decisions && good; k++) {
    collision *pair = &search->pairs[decisions[k].pair];
    good = (pair->way != WAY_OPEN || go(search, pair, decisions[k].way)) && propagate(search);
  }
  return good;
}

typedef enum verdict { GAVE_UP = 0, FOUND, REFUTED } verdict;

static verdict decide(pin_search *search) {
  root kept;
  decision *stack = MEMPLAN_NEW_RAW(&search->scratch, decision, search->n_pairs);
  int32_t depth = 0, open = 0;
  if (stack == NULL || !keep_root(search, &kept)) {
    search->nomem = true;
    return GAVE_UP;
  }
  search->most_looked = search->looked + most_words;
  for (;;) {
    open = find_open(search, open);
    if (open == search->n_pairs) {
      return FOUND;
    }
    const collision *pair = &search->pairs[open];
    bool first = first_birth(search, pair->cell[0]) <= first_birth(search, pair->cell[1]);
    stack[depth++] = (decision){open, first ? WAY_FIRST : WAY_SECOND, false};
    bool good = go(search, &search->pairs[open], stack[depth - 1].way) && propagate(search);
    while (!good) {
      if (search->nomem || search->stopped) {
        return GAVE_UP;
      }
      while (depth > 0 && stack[depth - 1].turned) {
        depth--;
      }
      if (depth == 0) {
        return REFUTED;
      }
      stack[depth - 1].turned = true;
      stack[depth - 1].way = stack[depth - 1].way == WAY_FIRST ? WAY_SECOND : WAY_FIRST;
      good = descend(search, &kept, stack, depth);
      open = 0;
    }
  }
}

// ---- orderings

static int compare_edges(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->before != y->before) {
    return x->before > y->before ? 1 : -1;
  }
  return (x->after > y->after) - (x->after < y->after);
}

// Lists by `before` of sorted edges, each once.
static bool make_lists(edge *edges, int64_t count, int32_t n_ops, memplan_arena *arena, const int32_t **firsts,
                       const int32_t **lists) {
  int32_t *first = MEMPLAN_NEW(arena, int32_t, (int64_t)n_ops + 1), *list = MEMPLAN_NEW(arena, int32_t, count);
  if (first == NULL || list == NULL) {
    return false;
  }
  if (count > 1) {
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  }
  int32_t kept = 0;
  for (int64_t k = 0; k < count; k++) {
    if (k == 0 || compare_edges(&edges[k - 1], &edges[k]) != 0) {
      list[kept++] = edges[k].after;
      first[edges[k].before + 1]++;
    }
  }
  for (int32_t op = 0; op < n_ops; op++) {
    first[op + 1] += first[op];
  }
  *firsts = first;
  *lists = list;
  return true;
}

static bool extend(const pin_search *search, memplan_ordering *made) {
  const memplan_ordering *ordering = search->ordering;
  memplan_arena scratch = {0};
  int32_t n = ordering->n_ops;
  int64_t count = ordering->succ_first[n] + search->n_edges;
  edge *edges = count < INT32_MAX ? MEMPLAN_NEW_RAW(&scratch, edge, count) : NULL;
  bool good = edges != NULL;
  int64_t at = 0;
  for (int32_t op = 0; op < n && good; op++) {
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
      edges[at++] = (edge){op, ordering->succ[k]};
    }
  }
  for (int64_t k = 0; k < search->n_edges && good; k++) {
    edges[at++] = search->edges[k];
  }
  *made = *ordering;
  made->arena = (memplan_arena){0};
  good = good && make_lists(edges, count, n, search->arena, &made->succ_first, &made->succ);
  for (int64_t k = 0; k < count && good; k++) {
    edges[k] = (edge){edges[k].after, edges[k].before};
  }
  good = good && make_lists(edges, count, n, search->arena, &made->pred_first, &made->pred);
  memplan_arena_free(&scratch);
  return good;
}

// False: memory is out.
static bool run(pin_search *search, memplan_pin_orders *found) {
  int32_t n = search->ordering->n_ops, n_collisions = search->n_pairs, kept = 0;
  for (int32_t k = 0; k < n_collisions; k++) {
    if (is_manageable(search->ordering, &search->pairs[k])) {
      search->pairs[kept++] = search->pairs[k];
    }
  }
  search->n_pairs = kept;
  if (kept == 0) {
    return true;
  }
  search->words = (size_t)n / 64 + 1;
  search->after = MEMPLAN_NEW(&search->scratch, uint64_t, (size_t)n * search->words);
  search->most_looked = 4 * (int64_t)most_words;
  if (search->after == NULL || !index_pairs(search)) {
    return false;
  }
  close_precedences(search);
  for (int32_t k = 0; k < kept; k++) {
    queue_pair(search, k);
  }
  bool good = propagate(search);
  if (search->nomem || search->stopped) {
    return !search->nomem;
  }
  if (!good) {
    found->none = true;
    return true;
  }
  found->narrows = search->n_edges > 0;
  if (found->narrows && !extend(search, &found->forced)) {
    return false;
  }
  if (find_open(search, 0) == kept) {
    return true;
  }
  verdict end = decide(search);
  found->none = end == REFUTED;
  found->branches = end == FOUND;
  return !search->nomem && (!found->branches || extend(search, &found->decided));
}

memplan_status memplan_pin_orders_find(const memplan_ordering *ordering, const memplan_limits *limits,
                                       memplan_arena *arena, memplan_pin_orders *found, memplan_error *error) {
  *found = (memplan_pin_orders){.none = false};
  if (ordering->graph->n_pools > 1 || ordering->n_ops > most_ops || ordering->n_ops < 2) {
    return MEMPLAN_OK;
  }
  pin_search search = {.ordering = ordering, .arena = arena, .limits = limits};
  bool good = find_collisions(&search) && (search.n_pairs == 0 || run(&search, found));
  memplan_arena_free(&search.scratch);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}
