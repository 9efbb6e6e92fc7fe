// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <string.h>

static const memplan_pool *pool_of(const memplan_graph *graph, int32_t pool) {
  static const memplan_pool whole = {.id = "", .capacity = -1};
  return graph->n_pools > 0 ? &graph->pools[pool] : &whole;
}

static bool admits(const int32_t *pools, int32_t n_pools, int32_t pool) {
  for (int32_t k = 0; k < n_pools; k++) {
    if (pools[k] == pool) {
      return true;
    }
  }
  return n_pools == 0;
}

static bool fits_pool(const memplan_pool *pool, const memplan_problem_options *options, int64_t bytes, int64_t offset) {
  for (int64_t byte = offset; byte < offset + bytes; byte++) {
    if ((pool->capacity >= 0 && byte >= pool->capacity) || (options->capacity >= 0 && byte >= options->capacity)) {
      return false;
    }
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      if (pool->reserved[k].start <= byte && byte < pool->reserved[k].end) {
        return false;
      }
    }
  }
  return true;
}

static bool fits_tensors(const memplan_graph *graph, const oracle_item *item, int64_t offset, int32_t pool) {
  int64_t base = pool_of(graph, pool)->base;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    const memplan_tensor *tensor = &graph->tensors[i];
    if (oracle_root(graph, i) != item->tensor) {
      continue;
    }
    int64_t own = offset + oracle_offset(graph, i);
    if ((base + own) % tensor->align != 0 || (tensor->pin >= 0 && tensor->pin != own)) {
      return false;
    }
  }
  return true;
}

static bool admits_all(const memplan_graph *graph, const oracle_item *item, int32_t pool) {
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (oracle_root(graph, i) == item->tensor && !admits(graph->tensors[i].pools, graph->tensors[i].n_pools, pool)) {
      return false;
    }
  }
  return true;
}

static int64_t pin_of(const memplan_graph *graph, const oracle_item *item) {
  int64_t pin = -1;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (oracle_root(graph, i) == item->tensor && graph->tensors[i].pin >= 0) {
      pin = graph->tensors[i].pin - oracle_offset(graph, i);
    }
  }
  return pin;
}

// All that concerns one item alone. Empty ones are at 0, unless they are pinned.
static bool fits_alone(const memplan_graph *graph, const memplan_problem_options *options, const oracle_item *item,
                       const oracle_place *place) {
  if (item->bytes == 0) {
    int64_t pin = pin_of(graph, item);
    return place->offset == (pin >= 0 ? pin : 0) && admits_all(graph, item, place->pool);
  }
  const memplan_pool *pool = pool_of(graph, place->pool);
  if (place->offset < 0 || !fits_pool(pool, options, item->bytes, place->offset) ||
      (pool->base + place->offset) % options->align != 0) {
    return false;
  }
  if (item->tensor >= 0) {
    return fits_tensors(graph, item, place->offset, place->pool) && admits_all(graph, item, place->pool);
  }
  const memplan_op *op = &graph->ops[item->op];
  return (pool->base + place->offset) % op->workspace_align == 0 &&
         admits(op->workspace_pools, op->n_workspace_pools, place->pool);
}

static const oracle_pair *pair_of(const memplan_graph *graph, const oracle_choice *choice, const oracle_item *output,
                                  const oracle_item *input) {
  for (int32_t k = 0; k < choice->count; k++) {
    const oracle_pair *pair = &choice->pairs[k];
    if (output->tensor >= 0 && input->tensor >= 0 && pair->output == output->tensor &&
        oracle_root(graph, pair->input) == input->tensor) {
      return pair;
    }
  }
  return NULL;
}

// At which steps may the two share no byte?
static bool conflict_at(const memplan_graph *graph, const int32_t *order, const oracle_choice *choice,
                        const oracle_item *a, const oracle_item *b, int32_t step) {
  if (step < a->start || step >= a->end || step < b->start || step >= b->end) {
    return false;
  }
  const oracle_pair *pair = pair_of(graph, choice, a, b);
  if (pair == NULL) {
    pair = pair_of(graph, choice, b, a);
  }
  return pair == NULL || order[step] != pair->op;
}

static bool share_a_byte(const oracle_item *a, const oracle_place *at, const oracle_item *b, const oracle_place *bt) {
  for (int64_t byte = at->offset; byte < at->offset + a->bytes; byte++) {
    if (at->pool == bt->pool && byte >= bt->offset && byte < bt->offset + b->bytes) {
      return true;
    }
  }
  return false;
}

static bool lies_on_input(const memplan_graph *graph, const oracle_pair *pair, const oracle_item *output,
                          const oracle_place *at, const oracle_item *input, const oracle_place *bt) {
  return output->bytes == 0 || input->bytes == 0 ||
         (at->pool == bt->pool && at->offset == bt->offset + oracle_offset(graph, pair->input));
}

bool oracle_placement_is_valid(const memplan_graph *graph, const memplan_problem_options *options,
                               const oracle_items *items, const int32_t *order, const oracle_choice *choice,
                               const oracle_place *places) {
  int32_t n_steps = graph->n_ops > 0 ? graph->n_ops : 1;
  for (int32_t i = 0; i < items->count; i++) {
    const oracle_item *a = &items->items[i];
    if (!fits_alone(graph, options, a, &places[i])) {
      return false;
    }
    for (int32_t j = 0; j < items->count; j++) {
      const oracle_item *b = &items->items[j];
      const oracle_pair *pair = pair_of(graph, choice, a, b);
      if (pair != NULL && !lies_on_input(graph, pair, a, &places[i], b, &places[j])) {
        return false;
      }
      for (int32_t t = 0; t < n_steps && i != j; t++) {
        if (conflict_at(graph, order, choice, a, b, t) && share_a_byte(a, &places[i], b, &places[j])) {
          return false;
        }
      }
    }
  }
  return true;
}

// ---- minima by trying all offsets

typedef struct placement_search {
  const memplan_graph *graph;
  const memplan_problem_options *options;
  const oracle_items *items;
  const oracle_choice *choice;
  bool conflict[ORACLE_ITEMS][ORACLE_ITEMS];
  int32_t by_size[ORACLE_ITEMS]; // items with bytes, large ones first
  int32_t n_sized;
  oracle_place places[ORACLE_ITEMS];
  int64_t budget; // offsets that may still be tried
} placement_search;

enum { tries_of_one_search = 200000 };

static void start_search(placement_search *search, const int32_t *order) {
  const oracle_items *items = search->items;
  memset(search->conflict, 0, sizeof search->conflict);
  search->n_sized = 0;
  for (int32_t i = 0; i < items->count; i++) {
    int64_t pin = items->items[i].bytes == 0 ? pin_of(search->graph, &items->items[i]) : -1;
    search->places[i] = (oracle_place){pin >= 0 ? pin : 0, 0};
    if (items->items[i].bytes > 0) {
      int32_t at = search->n_sized++;
      for (; at > 0 && items->items[search->by_size[at - 1]].bytes < items->items[i].bytes; at--) {
        search->by_size[at] = search->by_size[at - 1];
      }
      search->by_size[at] = i;
    }
    for (int32_t j = 0; j < items->count; j++) {
      for (int32_t t = 0; (t < search->graph->n_ops || t == 0) && i != j; t++) {
        search->conflict[i][j] |=
            conflict_at(search->graph, order, search->choice, &items->items[i], &items->items[j], t);
      }
    }
  }
}

static bool goes_with(const placement_search *search, int32_t i, int32_t j) {
  const oracle_item *a = &search->items->items[i];
  const oracle_item *b = &search->items->items[j];
  const oracle_place *at = &search->places[i];
  const oracle_place *bt = &search->places[j];
  if (search->conflict[i][j] && at->offset < bt->offset + b->bytes && bt->offset < at->offset + a->bytes) {
    return false;
  }
  const oracle_pair *forward = pair_of(search->graph, search->choice, a, b);
  const oracle_pair *backward = pair_of(search->graph, search->choice, b, a);
  return (forward == NULL || lies_on_input(search->graph, forward, a, at, b, bt)) &&
         (backward == NULL || lies_on_input(search->graph, backward, b, bt, a, at));
}

// Recursion depth: items.
static bool place_rest(placement_search *search, int32_t level, int64_t arena) {
  if (level == search->n_sized) {
    return true;
  }
  int32_t index = search->by_size[level];
  const oracle_item *item = &search->items->items[index];
  for (int64_t offset = 0; offset + item->bytes <= arena && search->budget > 0; offset++) {
    search->places[index].offset = offset;
    search->budget--;
    bool fits = fits_alone(search->graph, search->options, item, &search->places[index]);
    for (int32_t k = 0; k < level && fits; k++) {
      fits = goes_with(search, index, search->by_size[k]);
    }
    if (fits && place_rest(search, level + 1, arena)) {
      return true;
    }
  }
  return false;
}

// As oracle_placement_optimum; `gave_up` tells the two meanings of -1 apart.
static int64_t place_least(const memplan_graph *graph, const memplan_problem_options *options,
                           const oracle_items *items, const int32_t *order, const oracle_choice *choice, int64_t limit,
                           oracle_place *places, bool *gave_up) {
  placement_search search = {.graph = graph, .options = options, .items = items, .choice = choice};
  search.budget = tries_of_one_search;
  start_search(&search, order);
  for (int64_t arena = oracle_load(graph, items, order, choice); arena < limit && search.budget > 0; arena++) {
    if (place_rest(&search, 0, arena)) {
      if (places != NULL) {
        memcpy(places, search.places, sizeof search.places);
      }
      return arena;
    }
  }
  *gave_up |= search.budget <= 0;
  return -1;
}

int64_t oracle_placement_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                                 const oracle_items *items, const int32_t *order, const oracle_choice *choice,
                                 int64_t limit, oracle_place *places) {
  bool gave_up = false;
  return place_least(graph, options, items, order, choice, limit, places, &gave_up);
}

int64_t oracle_pool_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_items *items, const int32_t *order, const oracle_choice *choice, int32_t pool,
                            const bool *within, int64_t limit) {
  placement_search search = {.graph = graph, .options = options, .items = items, .choice = choice};
  search.budget = tries_of_one_search;
  start_search(&search, order);
  int32_t kept = 0;
  for (int32_t k = 0; k < search.n_sized; k++) {
    if (within[search.by_size[k]]) {
      search.by_size[kept++] = search.by_size[k];
    }
  }
  search.n_sized = kept;
  for (int32_t k = 0; k < items->count; k++) {
    search.places[k].pool = pool;
  }
  for (int64_t arena = 0; arena < limit; arena++) {
    bool fits = place_rest(&search, 0, arena);
    if (search.budget <= 0) {
      return ORACLE_TOO_LONG;
    }
    if (fits) {
      return arena;
    }
  }
  return -1;
}

typedef struct joint_search {
  const memplan_graph *graph;
  const memplan_problem_options *options;
  const int64_t *workspace;
  const oracle_items *items;
  const int32_t *order;
  int64_t limit; // no placement below it is known
  int64_t order_optimum;
  bool gave_up; // on some placement
} joint_search;

static void try_choice(void *context, const oracle_choice *choice) {
  joint_search *search = context;
  int64_t load = oracle_load(search->graph, search->items, search->order, choice);
  search->order_optimum = load < search->order_optimum ? load : search->order_optimum;
  int64_t peak = place_least(search->graph, search->options, search->items, search->order, choice, search->limit, NULL,
                             &search->gave_up);
  search->limit = peak >= 0 ? peak : search->limit;
}

static bool try_order(void *context, const int32_t *order) {
  joint_search *search = context;
  oracle_items items;
  oracle_find_items(search->graph, search->options, search->workspace, order, &items);
  search->items = &items;
  search->order = order;
  oracle_for_each_choice(search->graph, search->options, &items, order, try_choice, search);
  return true;
}

int64_t oracle_joint_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                             const int64_t *workspace, const oracle_precedence *precedence, int64_t limit,
                             int64_t *order_optimum) {
  joint_search search = {
      .graph = graph, .options = options, .workspace = workspace, .limit = limit, .order_optimum = INT64_MAX};
  (void)oracle_for_each_order(graph, precedence, try_order, &search);
  *order_optimum = search.order_optimum;
  return search.limit < limit && !search.gave_up ? search.limit : -1;
}

bool oracle_small_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                          const oracle_precedence *precedence, int32_t most_items, int64_t limit, int64_t *optimum,
                          int64_t *order_optimum) {
  int64_t workspace[ORACLE_OPS];
  int32_t given[ORACLE_OPS];
  oracle_items items;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = graph->ops[op].workspace;
    given[op] = op;
  }
  oracle_find_items(graph, options, workspace, given, &items);
  if (items.count > most_items) {
    return false;
  }
  *optimum = oracle_joint_optimum(graph, options, workspace, precedence, limit, order_optimum);
  return true;
}
