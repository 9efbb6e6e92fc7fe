// SPDX-License-Identifier: Apache-2.0
// Each nogood watches one literal that was false when it was last looked at, and hangs in a list of that literal's
// item. As long as the bound of the item stays below the least watched number of its list, no nogood of the list can
// hold. Bounds that fall, and items that become placed, only make literals false; an item that becomes unplaced again
// is found because the test is made for every unplaced item.
#include "solvers/place_nogood.h"

#include <string.h>

typedef struct links {
  int32_t before, after; // -1: none
} links;

struct memplan_nogoods {
  int32_t n_items, capacity, longest, n_stored;
  int64_t n_added;
  memplan_literal *literals; // `longest` for each nogood
  int32_t *length;
  int32_t *watched; // by nogood: index of its watched literal
  int32_t *needed;  // by nogood: least of its watched literal
  links *use;       // by nogood: by recency of use
  links *watch;     // by nogood: list of the watched item
  int32_t *head;    // by item: list of nogoods
  int32_t *lowest;  // by item: no nogood of its list needs less
  int32_t newest, oldest;
};

memplan_nogoods *memplan_nogoods_new(int32_t n_items, int32_t capacity, int32_t longest, memplan_arena *arena) {
  memplan_nogoods *store = MEMPLAN_NEW(arena, memplan_nogoods, 1);
  if (store == NULL) {
    return NULL;
  }
  store->n_items = n_items;
  store->capacity = capacity;
  store->longest = longest;
  store->literals = MEMPLAN_NEW_RAW(arena, memplan_literal, (size_t)capacity * (size_t)longest);
  store->length = MEMPLAN_NEW(arena, int32_t, capacity);
  store->watched = MEMPLAN_NEW(arena, int32_t, capacity);
  store->needed = MEMPLAN_NEW(arena, int32_t, capacity);
  store->use = MEMPLAN_NEW(arena, links, capacity);
  store->watch = MEMPLAN_NEW(arena, links, capacity);
  store->head = MEMPLAN_NEW(arena, int32_t, n_items);
  store->lowest = MEMPLAN_NEW(arena, int32_t, n_items);
  if (store->literals == NULL || store->length == NULL || store->watched == NULL || store->needed == NULL ||
      store->use == NULL || store->watch == NULL || store->head == NULL || store->lowest == NULL) {
    return NULL;
  }
  memplan_nogoods_clear(store);
  return store;
}

void memplan_nogoods_clear(memplan_nogoods *store) {
  store->n_stored = 0;
  store->n_added = 0;
  store->newest = store->oldest = -1;
  for (int32_t item = 0; item < store->n_items; item++) {
    store->head[item] = -1;
    store->lowest[item] = INT32_MAX;
  }
}

static void use_push(memplan_nogoods *store, int32_t nogood) {
  store->use[nogood] = (links){-1, store->newest};
  if (store->newest >= 0) {
    store->use[store->newest].before = nogood;
  } else {
    store->oldest = nogood;
  }
  store->newest = nogood;
}

static void use_pop(memplan_nogoods *store, int32_t nogood) {
  links link = store->use[nogood];
  if (link.before >= 0) {
    store->use[link.before].after = link.after;
  } else {
    store->newest = link.after;
  }
  if (link.after >= 0) {
    store->use[link.after].before = link.before;
  } else {
    store->oldest = link.before;
  }
}

static int32_t watched_item(const memplan_nogoods *store, int32_t nogood) {
  return store->literals[(size_t)nogood * (size_t)store->longest + (size_t)store->watched[nogood]].item;
}

static void watch_pop(memplan_nogoods *store, int32_t nogood) {
  links link = store->watch[nogood];
  if (link.before >= 0) {
    store->watch[link.before].after = link.after;
  } else {
    store->head[watched_item(store, nogood)] = link.after;
  }
  if (link.after >= 0) {
    store->watch[link.after].before = link.before;
  }
}

static void watch_push(memplan_nogoods *store, int32_t nogood, int32_t literal) {
  const memplan_literal *chosen = &store->literals[(size_t)nogood * (size_t)store->longest + (size_t)literal];
  store->watched[nogood] = literal;
  store->needed[nogood] = chosen->least;
  store->watch[nogood] = (links){-1, store->head[chosen->item]};
  if (store->head[chosen->item] >= 0) {
    store->watch[store->head[chosen->item]].before = nogood;
  }
  store->head[chosen->item] = nogood;
  store->lowest[chosen->item] =
      chosen->least < store->lowest[chosen->item] ? chosen->least : store->lowest[chosen->item];
}

// The false literal farthest from being true, unplaced items before placed ones; -1 if all are true.
static int32_t choose_watch(const memplan_literal *literals, int32_t n_literals, const int32_t *bound) {
  int32_t best = -1, best_gap = -1;
  for (int32_t k = 0; k < n_literals; k++) {
    int32_t now = bound[literals[k].item];
    if (now >= literals[k].least) {
      continue;
    }
    int32_t gap = now < 0 ? 0 : literals[k].least - now;
    if (gap > best_gap) {
      best = k;
      best_gap = gap;
    }
  }
  return best;
}

bool memplan_nogoods_add(memplan_nogoods *store, const memplan_literal *literals, int32_t n_literals,
                         const int32_t *bound) {
  int32_t watch = choose_watch(literals, n_literals, bound);
  if (watch < 0) {
    return false;
  }
  if (n_literals > store->longest || store->capacity == 0) {
    return true;
  }
  int32_t nogood = store->n_stored;
  if (nogood == store->capacity) {
    nogood = store->oldest;
    watch_pop(store, nogood);
    use_pop(store, nogood);
  } else {
    store->n_stored++;
  }
  memcpy(&store->literals[(size_t)nogood * (size_t)store->longest], literals, (size_t)n_literals * sizeof *literals);
  store->length[nogood] = n_literals;
  store->n_added++;
  use_push(store, nogood);
  watch_push(store, nogood, watch);
  return true;
}

static bool all_among(const memplan_literal *literals, int32_t n_literals, const int32_t *items, int32_t n_items) {
  for (int32_t k = 0; k < n_literals; k++) {
    int32_t low = 0, high = n_items;
    while (low < high) {
      int32_t middle = low + (high - low) / 2;
      if (items[middle] < literals[k].item) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == n_items || items[low] != literals[k].item) {
      return false;
    }
  }
  return true;
}

int32_t memplan_nogoods_find(memplan_nogoods *store, const int32_t *items, int32_t n_items, const int32_t *bound) {
  for (int32_t i = 0; i < n_items; i++) {
    int32_t item = items[i];
    if (bound[item] < store->lowest[item]) {
      continue;
    }
    int32_t lowest = INT32_MAX;
    for (int32_t nogood = store->head[item], after; nogood >= 0; nogood = after) {
      after = store->watch[nogood].after;
      if (store->needed[nogood] > bound[item]) {
        lowest = store->needed[nogood] < lowest ? store->needed[nogood] : lowest;
        continue;
      }
      const memplan_literal *literals = &store->literals[(size_t)nogood * (size_t)store->longest];
      int32_t watch = choose_watch(literals, store->length[nogood], bound);
      if (watch >= 0) {
        watch_pop(store, nogood);
        watch_push(store, nogood, watch);
        continue;
      }
      lowest = store->needed[nogood] < lowest ? store->needed[nogood] : lowest;
      if (all_among(literals, store->length[nogood], items, n_items)) {
        use_pop(store, nogood);
        use_push(store, nogood);
        return nogood; // `lowest` of the item stays a lower bound: it has not been raised
      }
    }
    store->lowest[item] = lowest;
  }
  return -1;
}

const memplan_literal *memplan_nogoods_get(const memplan_nogoods *store, int32_t nogood, int32_t *n_literals) {
  *n_literals = store->length[nogood];
  return &store->literals[(size_t)nogood * (size_t)store->longest];
}

int64_t memplan_nogoods_added(const memplan_nogoods *store) { return store->n_added; }

int32_t memplan_nogoods_first(const memplan_nogoods *store) { return store->newest; }

int32_t memplan_nogoods_next(const memplan_nogoods *store, int32_t nogood) { return store->use[nogood].after; }
