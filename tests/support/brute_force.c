// SPDX-License-Identifier: Apache-2.0
// What is live while an operator runs after a set of others hangs on the two alone, and so does which in-place pairs
// are legal there: so loads, and the least largest load of all ways to go on, are tables over sets. An order is left as
// soon as its loads, or those of every way on, reach the best peak so far, since no placement is below its load.
// Orders with the same overlaps of lifetimes and the same pairs have the same placements: each is searched once.
#include "tests/support/brute_force.h"

#include "tests/support/brute_graph.h"
#include "tests/support/brute_place.h"

#include <stdlib.h>
#include <string.h>

enum { most_steps = 100000 };
enum { sets = 1 << ORACLE_OPS, key_words = 1 + (BRUTE_APARTS + 63) / 64 };

#define NEVER INT64_C(1000000000000)

typedef struct brute {
  brute_graph of;
  int64_t load[sets][ORACLE_OPS]; // with the best choice; NEVER: the operator cannot come next
  int64_t rest[sets];             // least largest load from here on
  int64_t cap, best;              // peaks of interest are below both
  int64_t most_orders, steps;
  int32_t order[ORACLE_OPS], start[ORACLE_ITEMS], end[ORACLE_ITEMS];
  brute_result *result;
  uint64_t (*keys)[key_words];
  int32_t *slots; // 1 + key, 0: none
  int32_t n_keys, n_slots;
} brute;

static void *need(void *memory) {
  if (memory == NULL) {
    abort();
  }
  return memory;
}

static void fill_tables(brute *all) {
  int32_t n = all->of.n_ops;
  uint32_t full = (UINT32_C(1) << n) - 1;
  for (uint32_t set = full;; set--) {
    all->rest[set] = set == full ? 0 : NEVER;
    for (int32_t op = 0; op < n; op++) {
      all->load[set][op] = NEVER;
      if (brute_may_follow(&all->of, set, op) && all->rest[set | UINT32_C(1) << op] < NEVER) {
        int64_t load = brute_best_load(&all->of, set, op), rest = all->rest[set | UINT32_C(1) << op];
        all->load[set][op] = load;
        rest = rest > load ? rest : load;
        all->rest[set] = rest < all->rest[set] ? rest : all->rest[set];
      }
    }
    if (set == 0) {
      break;
    }
  }
}

// ---- placements of an order

static void find_lives(brute *all) {
  for (int32_t k = 0; k < all->of.n_items; k++) {
    uint32_t set = 0;
    all->start[k] = all->end[k] = 0;
    bool live = false;
    for (int32_t t = 0; t < all->of.n_ops; t++) {
      if (brute_is_live(&all->of.items[k], set, all->order[t])) {
        all->start[k] = live ? all->start[k] : t;
        all->end[k] = t + 1;
        live = true;
      }
      set |= UINT32_C(1) << all->order[t];
    }
  }
}

// Do two items share a step at which they may share no byte?
static bool collide(const brute *all, uint32_t choice, int32_t a, int32_t b) {
  int32_t start = all->start[a] > all->start[b] ? all->start[a] : all->start[b];
  int32_t end = all->end[a] < all->end[b] ? all->end[a] : all->end[b];
  for (int32_t t = start; t < end; t++) {
    bool excused = false;
    for (int32_t k = 0; k < all->of.n_pairs; k++) {
      const brute_pair *one = &all->of.pairs[k];
      excused = excused || (brute_holds(choice, k) && one->op == all->order[t] &&
                            ((one->born == a && one->dying == b) || (one->born == b && one->dying == a)));
    }
    if (!excused) {
      return true;
    }
  }
  return false;
}

// Where the items of a choice lie in their blocks.
typedef struct blocks_of {
  int32_t block[ORACLE_ITEMS];
  int64_t delta[ORACLE_ITEMS];
} blocks_of;

static void find_block(const brute *all, uint32_t choice, int32_t index, int32_t *root, int64_t *delta) {
  *root = index;
  *delta = 0;
  for (int32_t k = 0; k < all->of.n_pairs; k++) {
    if (brute_holds(choice, k) && all->of.pairs[k].born == *root) {
      *root = all->of.pairs[k].dying;
      *delta += all->of.pairs[k].delta;
      k = -1;
    }
  }
}

// False: the items of a block want different places.
static bool make_blocks(const brute *all, uint32_t choice, blocks_of *of, brute_blocks *blocks) {
  int32_t root[ORACLE_ITEMS], block_of_root[ORACLE_ITEMS];
  for (int32_t k = 0; k < all->of.n_items; k++) {
    find_block(all, choice, k, &root[k], &of->delta[k]);
    block_of_root[k] = blocks->n_blocks;
    if (root[k] == k && all->of.items[k].bytes > 0) {
      blocks->blocks[blocks->n_blocks++] = (brute_block){.period = 1, .pin = -1};
    }
  }
  for (int32_t k = 0; k < all->of.n_items; k++) {
    const brute_item *one = &all->of.items[k];
    if (one->bytes == 0) {
      continue;
    }
    brute_block *block = &blocks->blocks[of->block[k] = block_of_root[root[k]]];
    block->bytes = of->delta[k] + one->bytes > block->bytes ? of->delta[k] + one->bytes : block->bytes;
    if (!brute_add_alignment(of->delta[k] - one->residue, one->period, &block->period, &block->residue)) {
      return false;
    }
    if (one->pin >= 0) {
      int64_t pin = one->pin - of->delta[k];
      if (pin < 0 || (block->pin >= 0 && block->pin != pin)) {
        return false;
      }
      block->pin = pin;
    }
  }
  return true;
}

// Is the key new?
static bool remember(brute *all, const uint64_t *key) {
  if (2 * all->n_keys >= all->n_slots) {
    all->n_slots = all->n_slots > 0 ? 4 * all->n_slots : 64;
    all->keys = need(realloc(all->keys, (size_t)all->n_slots * sizeof *all->keys));
    free(all->slots);
    all->slots = need(calloc((size_t)all->n_slots, sizeof *all->slots));
    int32_t n_keys = all->n_keys;
    for (all->n_keys = 0; all->n_keys < n_keys;) {
      (void)remember(all, all->keys[all->n_keys]);
    }
  }
  uint64_t hash = 0;
  for (int32_t k = 0; k < key_words; k++) {
    hash = (hash ^ key[k]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  int32_t slot = (int32_t)(hash % (uint64_t)all->n_slots);
  for (; all->slots[slot] != 0; slot = (slot + 1) % all->n_slots) {
    if (memcmp(all->keys[all->slots[slot] - 1], key, sizeof *all->keys) == 0) {
      return false;
    }
  }
  memmove(all->keys[all->n_keys], key, sizeof *all->keys);
  all->slots[slot] = ++all->n_keys;
  return true;
}

static void place_choice(brute *all, uint32_t choice, int64_t load) {
  uint64_t key[key_words] = {choice};
  int32_t bit = 64;
  blocks_of of;
  brute_blocks blocks = {.n_blocks = 0, .least = load};
  bool fits = make_blocks(all, choice, &of, &blocks);
  for (int32_t b = 0; b < all->of.n_items; b++) {
    for (int32_t a = 0; a < b; a++, bit++) {
      int64_t a_bytes = all->of.items[a].bytes, b_bytes = all->of.items[b].bytes;
      if (a_bytes == 0 || b_bytes == 0 || !collide(all, choice, a, b)) {
        continue;
      }
      key[bit / 64] |= UINT64_C(1) << (bit % 64);
      int64_t up = of.delta[a] + a_bytes - of.delta[b], down = of.delta[b] + b_bytes - of.delta[a];
      if (of.block[a] != of.block[b]) {
        blocks.aparts[blocks.n_aparts++] = (brute_apart){of.block[a], of.block[b], up, down};
      } else {
        fits = fits && (up <= 0 || down <= 0);
      }
    }
  }
  if (fits && remember(all, key)) {
    int64_t height = brute_place(&blocks, all->best, &all->steps);
    all->best = height >= 0 ? height : all->best;
    all->result->placements++;
  }
}

static void look_at_order(brute *all) {
  uint32_t set = 0, legal = 0;
  int64_t plain[ORACLE_OPS];
  find_lives(all);
  for (int32_t t = 0; t < all->of.n_ops; t++) {
    plain[t] = brute_plain_load(&all->of, set, all->order[t]);
    legal |= brute_legal_pairs(&all->of, set, all->order[t]);
    set |= UINT32_C(1) << all->order[t];
  }
  for (uint32_t choice = legal;; choice = (choice - 1) & legal) {
    int64_t load = 0;
    for (int32_t t = 0; t < all->of.n_ops; t++) {
      int64_t own = plain[t] - all->of.saving[choice & all->of.pairs_of[all->order[t]]];
      load = own > load ? own : load;
    }
    if (load < all->best && load < all->cap && all->of.together[choice]) {
      place_choice(all, choice, load);
    }
    if (choice == 0) {
      break;
    }
  }
}

// Recursion depth: operators.
static void walk(brute *all, int32_t step, uint32_t set) {
  if (step == all->of.n_ops) {
    all->result->orders++;
    all->result->gave_up = all->result->orders > all->most_orders || all->steps < 0;
    look_at_order(all);
    return;
  }
  for (int32_t op = 0; op < all->of.n_ops && !all->result->gave_up; op++) {
    int64_t load = all->load[set][op], rest = load < NEVER ? all->rest[set | UINT32_C(1) << op] : NEVER;
    load = rest > load ? rest : load;
    if (load < all->best && load < all->cap) {
      all->order[step] = op;
      walk(all, step + 1, set | UINT32_C(1) << op);
    }
  }
}

void brute_force(const memplan_graph *graph, const memplan_problem_options *options,
                 const oracle_precedence *precedence, int64_t most_orders, brute_result *result) {
  brute *all = need(calloc(1, sizeof *all));
  *result = (brute_result){.optimum = -1};
  brute_graph_read(graph, options, precedence, &all->of);
  all->result = result;
  all->most_orders = most_orders;
  all->steps = most_steps;
  fill_tables(all);
  result->order_optimum = all->rest[0];
  int64_t limit = 1, period = 1, residue = 0; // nothing that lies on others or on the ground ends at the limit
  for (int32_t k = 0; k < all->of.n_items; k++) {
    (void)brute_add_alignment(0, all->of.items[k].period, &period, &residue);
  }
  for (int32_t k = 0; k < all->of.n_items; k++) {
    limit += all->of.items[k].bytes + period + (all->of.items[k].pin >= 0 ? all->of.items[k].pin : 0);
  }
  // Orders of the least peak first: where one of them has a placement of that height, nothing else is to be looked at.
  all->best = limit;
  all->cap = result->order_optimum + 1;
  if (!all->of.hopeless) {
    walk(all, 0, 0);
    all->cap = INT64_MAX;
    walk(all, 0, 0);
  }
  result->gave_up = result->gave_up || all->steps < 0;
  result->optimum = all->best < limit ? all->best : -1;
  free(all->keys);
  free(all->slots);
  free(all);
}

// Recursion depth: operators.
static void walk_loads(brute *all, int32_t step, uint32_t set, int64_t peak) {
  if (step == all->of.n_ops) {
    all->best = peak;
    return;
  }
  for (int32_t op = 0; op < all->of.n_ops; op++) {
    if (brute_may_follow(&all->of, set, op)) {
      int64_t load = brute_best_load(&all->of, set, op);
      load = load > peak ? load : peak;
      if (load < all->best) {
        walk_loads(all, step + 1, set | UINT32_C(1) << op, load);
      }
    }
  }
}

int64_t brute_order_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_precedence *precedence) {
  brute *all = need(calloc(1, sizeof *all));
  brute_graph_read(graph, options, precedence, &all->of);
  all->best = NEVER;
  walk_loads(all, 0, 0, 0);
  int64_t best = all->best;
  free(all);
  return best;
}
