// SPDX-License-Identifier: Apache-2.0
// In an optimal placement each pair lies one way or the other. Once the ways of all pairs are fixed, what remains are
// differences from below, `offset of b >= offset of a + d`, and one lattice (or one point) for each block. The minimum
// of two solutions of these is a solution, so there is a least one, which a fixpoint from 0 finds; no other has a lower
// height. So it is enough to branch over ways, and only over those that the least solution so far violates: where it
// violates none, nothing that a further way could bring is lower. Alignments and pins need no case of their own.
#include "tests/support/brute_place.h"

#include <stddef.h>

typedef struct sides {
  int8_t taken[BRUTE_APARTS]; // 0: open, 1: second above first, 2: first above second
  int64_t low[BRUTE_BLOCKS];  // least offsets
  int64_t high[BRUTE_BLOCKS]; // largest ones below the best height
} sides;

typedef struct search {
  const brute_blocks *all;
  int64_t best;
  int64_t *steps;
} search;

static int64_t raise_to(const brute_block *block, int64_t offset) {
  int64_t over = (offset - block->residue) % block->period;
  return over == 0 ? offset : over < 0 ? offset - over : offset - over + block->period;
}

static int64_t lower_to(const brute_block *block, int64_t offset) {
  int64_t over = (offset - block->residue) % block->period;
  return over == 0 ? offset : over < 0 ? offset - over - block->period : offset - over;
}

static bool start_ranges(const search *state, sides *now) {
  for (int32_t k = 0; k < state->all->n_blocks; k++) {
    const brute_block *block = &state->all->blocks[k];
    now->low[k] = raise_to(block, block->pin >= 0 ? block->pin : 0);
    now->high[k] = lower_to(block, state->best - 1 - block->bytes);
    if (block->pin >= 0) {
      now->high[k] = block->pin < now->high[k] ? block->pin : now->high[k];
    }
    if (now->low[k] > now->high[k]) {
      return false;
    }
  }
  return true;
}

static bool may_lie_above(const search *state, const sides *now, int32_t lower, int32_t upper, int64_t distance) {
  return raise_to(&state->all->blocks[upper], now->low[lower] + distance) <= now->high[upper];
}

// Puts `upper` above `lower`: the ranges shrink. False: one is empty.
static bool pull(const search *state, sides *now, int32_t lower, int32_t upper, int64_t distance, bool *changed) {
  int64_t low = raise_to(&state->all->blocks[upper], now->low[lower] + distance);
  int64_t high = lower_to(&state->all->blocks[lower], now->high[upper] - distance);
  if (low > now->low[upper]) {
    now->low[upper] = low;
    *changed = true;
  }
  if (high < now->high[lower]) {
    now->high[lower] = high;
    *changed = true;
  }
  return now->low[upper] <= now->high[upper] && now->low[lower] <= now->high[lower];
}

// Shrinks the ranges by the sides taken, and takes those that are the only ones left. False: nothing is left.
static bool settle(const search *state, sides *now) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t k = 0; k < state->all->n_aparts; k++) {
      const brute_apart *apart = &state->all->aparts[k];
      if (now->taken[k] == 0) {
        bool up = may_lie_above(state, now, apart->first, apart->second, apart->up);
        bool down = may_lie_above(state, now, apart->second, apart->first, apart->down);
        if (!up && !down) {
          return false;
        }
        now->taken[k] = up && down ? 0 : up ? 1 : 2;
      }
      if ((now->taken[k] == 1 && !pull(state, now, apart->first, apart->second, apart->up, &changed)) ||
          (now->taken[k] == 2 && !pull(state, now, apart->second, apart->first, apart->down, &changed))) {
        return false;
      }
    }
  }
  return true;
}

// The pair that the least offsets violate, that with the most bytes; -1: none.
static int32_t find_violated(const search *state, const sides *now) {
  int32_t found = -1;
  int64_t most = -1;
  for (int32_t k = 0; k < state->all->n_aparts; k++) {
    const brute_apart *apart = &state->all->aparts[k];
    int64_t first = now->low[apart->first], second = now->low[apart->second];
    if (now->taken[k] == 0 && second < first + apart->up && first < second + apart->down &&
        apart->up + apart->down > most) {
      found = k;
      most = apart->up + apart->down;
    }
  }
  return found;
}

// Recursion depth: pairs.
static void take_sides(search *state, const sides *before) {
  sides now = *before;
  if (--*state->steps < 0 || state->best <= state->all->least || !start_ranges(state, &now) || !settle(state, &now)) {
    return;
  }
  int32_t violated = find_violated(state, &now);
  if (violated >= 0) {
    for (int8_t side = 1; side <= 2; side++) {
      now.taken[violated] = side;
      take_sides(state, &now);
    }
    return;
  }
  int64_t height = 0;
  for (int32_t k = 0; k < state->all->n_blocks; k++) {
    int64_t top = now.low[k] + state->all->blocks[k].bytes;
    height = top > height ? top : height;
  }
  state->best = height;
}

int64_t brute_place(const brute_blocks *blocks, int64_t limit, int64_t *steps) {
  search state = {.all = blocks, .best = limit, .steps = steps};
  sides none = {.taken = {0}};
  take_sides(&state, &none);
  return state.best < limit ? state.best : -1;
}
