// SPDX-License-Identifier: Apache-2.0
// Only items of nogoods are followed: how many of their births have run, and how many of their deaths are missing.
// Turned, births and deaths change places. An undo repeats a run backwards: an item that is unborn again takes back
// what was decided with those that are still born.
#include "solvers/joint_watch.h"

#include <string.h>

typedef struct literal {
  int32_t nogood;
  int32_t other; // item
} literal;

// Lists of something by something: those of i are entries first[i] ... first[i + 1] - 1.
typedef struct lists {
  int32_t *first, *list;
} lists;

typedef struct run {
  int32_t op, n_broken; // broken by then, before it
  int32_t n_decided;    // pairs decided by then, before it
} run;

struct memplan_joint_watch {
  const memplan_joint_graph *whole;
  const memplan_joint_nogood *const *nogoods;
  int32_t n_nogoods, words;
  bool turned;
  // tables
  bool *watched;          // by item
  lists births, deaths;   // by operator: watched items
  int32_t *n_deaths;      // by item
  int32_t *first_literal; // by item, and one more
  literal *literals;      // overlaps, from both items
  lists pairs;            // by operator: pairs that nogoods speak of
  lists speakers;         // by pair: these nogoods
  lists links;            // by operator: nogoods with a link of it, and
  int32_t *link_pairs;    // beside them the pair
  lists holders;          // by nogood: operators that it holds
  // the state
  int32_t *born, *missing; // by item: births that have run, deaths that have not
  int32_t *undecided;      // by nogood
  uint64_t *broken;
  int32_t *held;
  uint8_t *decision;
  run *runs;
  int32_t n_runs;
  int32_t *broken_log, n_broken;
  int32_t *decided_log, n_decided;
};

static const int32_t *births_of(const memplan_joint_watch *watch, int32_t item, int32_t *n) {
  const memplan_joint_item *entry = &watch->whole->items[item];
  *n = watch->turned ? entry->n_deaths : entry->n_births;
  return watch->turned ? entry->deaths : entry->births;
}

static const int32_t *deaths_of(const memplan_joint_watch *watch, int32_t item, int32_t *n) {
  const memplan_joint_item *entry = &watch->whole->items[item];
  *n = watch->turned ? entry->n_births : entry->n_deaths;
  return watch->turned ? entry->births : entry->deaths;
}

static bool is_init(const memplan_joint_watch *watch, int32_t item) {
  const memplan_joint_item *entry = &watch->whole->items[item];
  return watch->turned ? entry->keep : entry->init;
}

static bool is_keep(const memplan_joint_watch *watch, int32_t item) {
  const memplan_joint_item *entry = &watch->whole->items[item];
  return watch->turned ? entry->init : entry->keep;
}

// ---- tables

// Lists are counted in a first pass and filled in a second one: counts stand two places up.
static bool lists_start(lists *made, int32_t n, memplan_arena *arena) {
  made->first = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 2);
  return made->first != NULL;
}

static bool lists_sum(lists *made, int32_t n, memplan_arena *arena) {
  for (int32_t k = 0; k < n; k++) {
    made->first[k + 2] += made->first[k + 1];
  }
  made->list = MEMPLAN_NEW(arena, int32_t, made->first[n + 1]);
  return made->list != NULL;
}

static int32_t lists_add(lists *made, int32_t at, int32_t entry) {
  int32_t place = made->first[at + 1]++;
  made->list[place] = entry;
  return place;
}

static bool is_linkable(const memplan_joint_graph *whole, int32_t pair, memplan_joint_overlap overlap) {
  return memplan_joint_may_link(&whole->pairs[pair], overlap.first, overlap.second);
}

static bool speaks_of_pair(const memplan_joint_watch *watch, const memplan_joint_nogood *nogood, int32_t pair) {
  for (int32_t k = 0; k < nogood->n_links; k++) {
    if (nogood->links[k] == pair) {
      return true;
    }
  }
  for (int32_t k = 0; k < nogood->n_open; k++) {
    if (is_linkable(watch->whole, pair, nogood->overlaps[k])) {
      return true;
    }
  }
  return false;
}

static bool make_items(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  int32_t n_items = whole->n_items;
  watch->watched = MEMPLAN_NEW(arena, bool, n_items);
  watch->n_deaths = MEMPLAN_NEW(arena, int32_t, n_items);
  watch->first_literal = MEMPLAN_NEW(arena, int32_t, (int64_t)n_items + 2);
  if (watch->watched == NULL || watch->n_deaths == NULL || watch->first_literal == NULL ||
      !lists_start(&watch->births, whole->n_ops, arena) || !lists_start(&watch->deaths, whole->n_ops, arena)) {
    return false;
  }
  for (int32_t g = 0; g < watch->n_nogoods; g++) {
    const memplan_joint_nogood *nogood = watch->nogoods[g];
    for (int32_t k = 0; k < nogood->n_open; k++) {
      watch->watched[nogood->overlaps[k].first] = watch->watched[nogood->overlaps[k].second] = true;
      watch->first_literal[nogood->overlaps[k].first + 2]++;
      watch->first_literal[nogood->overlaps[k].second + 2]++;
    }
    for (int32_t k = 0; k < nogood->n_links; k++) {
      const memplan_joint_pair *pair = &whole->pairs[nogood->links[k]];
      watch->watched[pair->born] = watch->watched[pair->dying] = true;
    }
  }
  for (int32_t item = 0; item < n_items; item++) {
    watch->first_literal[item + 2] += watch->first_literal[item + 1];
  }
  watch->literals = MEMPLAN_NEW(arena, literal, watch->first_literal[n_items + 1]);
  if (watch->literals == NULL) {
    return false;
  }
  for (int32_t g = 0; g < watch->n_nogoods; g++) {
    const memplan_joint_nogood *nogood = watch->nogoods[g];
    for (int32_t k = 0; k < nogood->n_open; k++) {
      memplan_joint_overlap overlap = nogood->overlaps[k];
      watch->literals[watch->first_literal[overlap.first + 1]++] = (literal){g, overlap.second};
      watch->literals[watch->first_literal[overlap.second + 1]++] = (literal){g, overlap.first};
    }
  }
  return true;
}

static bool make_lives(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t item = 0; item < whole->n_items; item++) {
      int32_t n_births, n_deaths;
      const int32_t *births = births_of(watch, item, &n_births), *deaths = deaths_of(watch, item, &n_deaths);
      for (int32_t k = 0; k < n_births && watch->watched[item]; k++) {
        if (pass == 0) {
          watch->births.first[births[k] + 2]++;
        } else {
          lists_add(&watch->births, births[k], item);
        }
      }
      for (int32_t k = 0; k < n_deaths && watch->watched[item]; k++) {
        if (pass == 0) {
          watch->deaths.first[deaths[k] + 2]++;
        } else {
          lists_add(&watch->deaths, deaths[k], item);
        }
      }
      watch->n_deaths[item] = n_deaths;
    }
    if (pass == 0 &&
        (!lists_sum(&watch->births, whole->n_ops, arena) || !lists_sum(&watch->deaths, whole->n_ops, arena))) {
      return false;
    }
  }
  return true;
}

static bool make_pairs(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  if (!lists_start(&watch->pairs, whole->n_ops, arena) || !lists_start(&watch->speakers, whole->n_pairs, arena) ||
      !lists_start(&watch->links, whole->n_ops, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t pair = 0; pair < whole->n_pairs; pair++) {
      int32_t op = whole->pairs[pair].op, n_speakers = 0;
      for (int32_t g = 0; g < watch->n_nogoods; g++) {
        if (!speaks_of_pair(watch, watch->nogoods[g], pair)) {
          continue;
        }
        n_speakers++;
        if (pass == 0) {
          watch->speakers.first[pair + 2]++;
        } else {
          lists_add(&watch->speakers, pair, g);
        }
      }
      if (n_speakers > 0 && pass == 0) {
        watch->pairs.first[op + 2]++;
      } else if (n_speakers > 0) {
        lists_add(&watch->pairs, op, pair);
      }
    }
    for (int32_t g = 0; g < watch->n_nogoods; g++) {
      for (int32_t k = 0; k < watch->nogoods[g]->n_links; k++) {
        int32_t pair = watch->nogoods[g]->links[k], op = whole->pairs[pair].op;
        if (pass == 0) {
          watch->links.first[op + 2]++;
        } else {
          watch->link_pairs[lists_add(&watch->links, op, g)] = pair;
        }
      }
    }
    if (pass == 0) {
      if (!lists_sum(&watch->pairs, whole->n_ops, arena) || !lists_sum(&watch->speakers, whole->n_pairs, arena) ||
          !lists_sum(&watch->links, whole->n_ops, arena)) {
        return false;
      }
      watch->link_pairs = MEMPLAN_NEW(arena, int32_t, watch->links.first[whole->n_ops + 1]);
      if (watch->link_pairs == NULL) {
        return false;
      }
    }
  }
  return true;
}

// Marks the operators that bring the item.
static void mark_births(const memplan_joint_watch *watch, int32_t item, bool *marked) {
  int32_t n;
  const int32_t *births = births_of(watch, item, &n);
  for (int32_t k = 0; k < n && !is_init(watch, item); k++) {
    marked[births[k]] = true;
  }
}

static void mark_held(const memplan_joint_watch *watch, int32_t g, bool *marked) {
  const memplan_joint_graph *whole = watch->whole;
  const memplan_joint_nogood *nogood = watch->nogoods[g];
  memset(marked, 0, (size_t)whole->n_ops * sizeof *marked);
  for (int32_t k = 0; k < nogood->n_open; k++) {
    mark_births(watch, nogood->overlaps[k].first, marked);
    mark_births(watch, nogood->overlaps[k].second, marked);
  }
  for (int32_t pair = 0; pair < whole->n_pairs; pair++) {
    if (speaks_of_pair(watch, nogood, pair)) {
      marked[whole->pairs[pair].op] = true;
      mark_births(watch, whole->pairs[pair].born, marked);
      mark_births(watch, whole->pairs[pair].dying, marked);
    }
  }
}

static bool make_holders(memplan_joint_watch *watch, memplan_arena *arena) {
  int32_t n_ops = watch->whole->n_ops;
  bool *marked = MEMPLAN_NEW(arena, bool, n_ops);
  if (marked == NULL || !lists_start(&watch->holders, watch->n_nogoods, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t g = 0; g < watch->n_nogoods; g++) {
      mark_held(watch, g, marked);
      for (int32_t op = 0; op < n_ops; op++) {
        if (marked[op] && pass == 0) {
          watch->holders.first[g + 2]++;
        } else if (marked[op]) {
          lists_add(&watch->holders, g, op);
        }
      }
    }
    if (pass == 0 && !lists_sum(&watch->holders, watch->n_nogoods, arena)) {
      return false;
    }
  }
  return true;
}

static bool make_state(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  watch->born = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  watch->missing = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  watch->undecided = MEMPLAN_NEW(arena, int32_t, watch->n_nogoods);
  watch->broken = MEMPLAN_NEW(arena, uint64_t, watch->words);
  watch->held = MEMPLAN_NEW(arena, int32_t, whole->n_ops);
  watch->decision = MEMPLAN_NEW(arena, uint8_t, whole->n_pairs);
  watch->runs = MEMPLAN_NEW(arena, run, whole->n_ops);
  watch->broken_log = MEMPLAN_NEW(arena, int32_t, watch->n_nogoods);
  watch->decided_log = MEMPLAN_NEW(arena, int32_t, whole->n_pairs);
  if (watch->born == NULL || watch->missing == NULL || watch->undecided == NULL || watch->broken == NULL ||
      watch->held == NULL || watch->decision == NULL || watch->runs == NULL || watch->broken_log == NULL ||
      watch->decided_log == NULL) {
    return false;
  }
  for (int32_t item = 0; item < whole->n_items; item++) {
    watch->born[item] = is_init(watch, item) ? 1 : 0;
    watch->missing[item] = watch->n_deaths[item];
  }
  for (int32_t g = 0; g < watch->n_nogoods; g++) {
    watch->undecided[g] = watch->nogoods[g]->n_open + watch->nogoods[g]->n_links;
    for (int32_t k = watch->holders.first[g]; k < watch->holders.first[g + 1]; k++) {
      watch->held[watch->holders.list[k]]++;
    }
  }
  return true;
}

memplan_status memplan_joint_watch_new(const memplan_joint_graph *whole, const memplan_joint_nogood *const *nogoods,
                                       int32_t n_nogoods, bool turned, memplan_arena *arena,
                                       memplan_joint_watch **watch, memplan_error *error) {
  memplan_joint_watch *made = MEMPLAN_NEW(arena, memplan_joint_watch, 1);
  *watch = made;
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  *made = (memplan_joint_watch){
      .whole = whole, .nogoods = nogoods, .n_nogoods = n_nogoods, .words = n_nogoods / 64 + 1, .turned = turned};
  if (!make_items(made, arena) || !make_lives(made, arena) || !make_pairs(made, arena) || !make_holders(made, arena) ||
      !make_state(made, arena)) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

// ---- questions

static bool is_broken(const memplan_joint_watch *watch, int32_t g) {
  return (watch->broken[g / 64] >> (g % 64) & 1) != 0;
}

static bool is_among(const int32_t *list, int32_t n, int32_t entry) {
  for (int32_t k = 0; k < n; k++) {
    if (list[k] == entry) {
      return true;
    }
  }
  return false;
}

// May the pair be chosen if its operator runs now: is its output (turned: its input) not there yet, and does nobody
// else have to end the other one?
static bool is_available(const memplan_joint_watch *watch, const memplan_joint_pair *pair) {
  int32_t born = watch->turned ? pair->dying : pair->born, dying = watch->turned ? pair->born : pair->dying;
  int32_t n_births, n_deaths;
  const int32_t *births = births_of(watch, born, &n_births), *deaths = deaths_of(watch, dying, &n_deaths);
  return watch->born[born] == 0 && watch->missing[dying] == 1 && !is_keep(watch, dying) &&
         is_among(births, n_births, pair->op) && is_among(deaths, n_deaths, pair->op);
}

int32_t memplan_joint_watch_ask(const memplan_joint_watch *watch, int32_t op, int32_t *pairs, int32_t most) {
  int32_t n = 0;
  for (int32_t k = watch->pairs.first[op]; k < watch->pairs.first[op + 1]; k++) {
    int32_t pair = watch->pairs.list[k];
    bool active = false;
    for (int32_t s = watch->speakers.first[pair]; s < watch->speakers.first[pair + 1] && !active; s++) {
      active = !is_broken(watch, watch->speakers.list[s]);
    }
    if (active && is_available(watch, &watch->whole->pairs[pair])) {
      if (n < most) {
        pairs[n] = pair;
      }
      n++;
    }
  }
  return n;
}

const uint64_t *memplan_joint_watch_broken(const memplan_joint_watch *watch) { return watch->broken; }
int32_t memplan_joint_watch_words(const memplan_joint_watch *watch) { return watch->words; }
const int32_t *memplan_joint_watch_held(const memplan_joint_watch *watch) { return watch->held; }
const uint8_t *memplan_joint_watch_decisions(const memplan_joint_watch *watch) { return watch->decision; }

// ---- running

static void hold(memplan_joint_watch *watch, int32_t g, int32_t by) {
  for (int32_t k = watch->holders.first[g]; k < watch->holders.first[g + 1]; k++) {
    watch->held[watch->holders.list[k]] += by;
  }
}

// One more of the nogood's overlaps and links is decided. False: it is violated.
static bool decide(memplan_joint_watch *watch, int32_t g, bool holds) {
  watch->undecided[g]--;
  if (!holds && !is_broken(watch, g)) {
    watch->broken[g / 64] |= UINT64_C(1) << (g % 64);
    watch->broken_log[watch->n_broken++] = g;
    hold(watch, g, -1);
  }
  return watch->undecided[g] > 0 || is_broken(watch, g);
}

static bool is_linked_at(const memplan_joint_watch *watch, int32_t op, int32_t a, int32_t b) {
  for (int32_t k = watch->pairs.first[op]; k < watch->pairs.first[op + 1]; k++) {
    int32_t pair = watch->pairs.list[k];
    if (watch->decision[pair] == MEMPLAN_WATCH_CHOSEN && memplan_joint_may_link(&watch->whole->pairs[pair], a, b)) {
      return true;
    }
  }
  return false;
}

static bool bear(memplan_joint_watch *watch, int32_t op, int32_t item) {
  bool good = true;
  for (int32_t k = watch->first_literal[item]; k < watch->first_literal[item + 1]; k++) {
    int32_t other = watch->literals[k].other;
    if (watch->born[other] > 0) {
      bool alive = is_keep(watch, other) || watch->missing[other] > 0;
      good = decide(watch, watch->literals[k].nogood, alive && !is_linked_at(watch, op, item, other)) && good;
    }
  }
  return good;
}

bool memplan_joint_watch_run(memplan_joint_watch *watch, int32_t op, const int32_t *pairs, int32_t n_pairs,
                             uint64_t mask) {
  bool good = true;
  watch->runs[watch->n_runs++] = (run){op, watch->n_broken, watch->n_decided};
  for (int32_t k = 0; k < n_pairs; k++) {
    watch->decision[pairs[k]] = (mask >> k & 1) != 0 ? MEMPLAN_WATCH_CHOSEN : MEMPLAN_WATCH_REFUSED;
    watch->decided_log[watch->n_decided++] = pairs[k];
  }
  for (int32_t k = watch->births.first[op]; k < watch->births.first[op + 1]; k++) {
    int32_t item = watch->births.list[k];
    good = (watch->born[item] > 0 || bear(watch, op, item)) && good;
    watch->born[item]++;
  }
  for (int32_t k = watch->links.first[op]; k < watch->links.first[op + 1]; k++) {
    bool chosen = watch->decision[watch->link_pairs[k]] == MEMPLAN_WATCH_CHOSEN;
    good = decide(watch, watch->links.list[k], chosen) && good;
  }
  for (int32_t k = watch->deaths.first[op]; k < watch->deaths.first[op + 1]; k++) {
    watch->missing[watch->deaths.list[k]]--;
  }
  return good;
}

void memplan_joint_watch_undo(memplan_joint_watch *watch) {
  const run *last = &watch->runs[--watch->n_runs];
  int32_t op = last->op;
  for (int32_t k = watch->deaths.first[op]; k < watch->deaths.first[op + 1]; k++) {
    watch->missing[watch->deaths.list[k]]++;
  }
  for (int32_t k = watch->links.first[op]; k < watch->links.first[op + 1]; k++) {
    watch->undecided[watch->links.list[k]]++;
  }
  for (int32_t k = watch->births.first[op + 1]; k > watch->births.first[op]; k--) {
    int32_t item = watch->births.list[k - 1];
    if (--watch->born[item] > 0) {
      continue;
    }
    for (int32_t l = watch->first_literal[item]; l < watch->first_literal[item + 1]; l++) {
      watch->undecided[watch->literals[l].nogood] += watch->born[watch->literals[l].other] > 0;
    }
  }
  while (watch->n_broken > last->n_broken) {
    int32_t g = watch->broken_log[--watch->n_broken];
    watch->broken[g / 64] &= ~(UINT64_C(1) << (g % 64));
    hold(watch, g, 1);
  }
  while (watch->n_decided > last->n_decided) {
    watch->decision[watch->decided_log[--watch->n_decided]] = MEMPLAN_WATCH_FREE;
  }
}
