// SPDX-License-Identifier: Apache-2.0
// Only items of nogoods are followed: how many of their births have run, and how many of their deaths are missing.
// Turned, births and deaths change places. An undo repeats a run backwards: an item that is unborn again takes back
// what was decided with those that are still born.
#include "solvers/joint_watch.h"

#include "model/base/lists.h"

#include <string.h>

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
  bool *watched;                  // by item
  memplan_lists births, deaths;   // by operator: watched items
  int32_t *n_deaths;              // by item
  memplan_lists literals, others; // by item: nogoods with an overlap of it, and beside them the other item
  memplan_lists spoken;           // by nogood: pairs that it speaks of
  memplan_lists speakers;         // by pair: nogoods that speak of it
  memplan_lists pairs;            // by operator: pairs that nogoods speak of
  memplan_lists links;            // by operator: nogoods with a link of it, and
  memplan_lists link_pairs;       // beside them the pair
  memplan_lists holders;          // by nogood: operators that it holds
  int64_t ticks;                  // entries looked at to make them
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

static bool make_items(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  int32_t n_items = whole->n_items;
  watch->watched = MEMPLAN_NEW(arena, bool, n_items);
  watch->n_deaths = MEMPLAN_NEW(arena, int32_t, n_items);
  if (watch->watched == NULL || watch->n_deaths == NULL || !memplan_lists_begin(&watch->literals, n_items, arena) ||
      !memplan_lists_begin(&watch->others, n_items, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t g = 0; g < watch->n_nogoods; g++) {
      const memplan_joint_nogood *nogood = watch->nogoods[g];
      for (int32_t k = 0; k < nogood->n_open; k++) {
        memplan_joint_overlap overlap = nogood->overlaps[k];
        watch->watched[overlap.first] = watch->watched[overlap.second] = true;
        memplan_lists_put(&watch->literals, overlap.first, g);
        memplan_lists_put(&watch->others, overlap.first, overlap.second);
        memplan_lists_put(&watch->literals, overlap.second, g);
        memplan_lists_put(&watch->others, overlap.second, overlap.first);
      }
      for (int32_t k = 0; k < nogood->n_links; k++) {
        const memplan_joint_pair *pair = &whole->pairs[nogood->links[k]];
        watch->watched[pair->born] = watch->watched[pair->dying] = true;
      }
      watch->ticks += nogood->n_open + nogood->n_links;
    }
    if (pass == 0 && (!memplan_lists_store(&watch->literals, arena) || !memplan_lists_store(&watch->others, arena))) {
      return false;
    }
  }
  return true;
}

static bool make_lives(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  if (!memplan_lists_begin(&watch->births, whole->n_ops, arena) ||
      !memplan_lists_begin(&watch->deaths, whole->n_ops, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t item = 0; item < whole->n_items; item++) {
      int32_t n_births, n_deaths;
      const int32_t *births = births_of(watch, item, &n_births), *deaths = deaths_of(watch, item, &n_deaths);
      for (int32_t k = 0; k < n_births && watch->watched[item]; k++) {
        memplan_lists_put(&watch->births, births[k], item);
      }
      for (int32_t k = 0; k < n_deaths && watch->watched[item]; k++) {
        memplan_lists_put(&watch->deaths, deaths[k], item);
      }
      watch->n_deaths[item] = n_deaths;
      watch->ticks += watch->watched[item] ? n_births + n_deaths : 1;
    }
    if (pass == 0 && (!memplan_lists_store(&watch->births, arena) || !memplan_lists_store(&watch->deaths, arena))) {
      return false;
    }
  }
  return true;
}

// What is needed to find the pairs that a nogood speaks of.
typedef struct speech {
  memplan_lists by_born; // by item: pairs whose output it is
  int32_t *met;          // by pair: the last round that met it
  int32_t round;
} speech;

static bool start_speech(const memplan_joint_watch *watch, memplan_arena *arena, speech *said) {
  const memplan_joint_graph *whole = watch->whole;
  said->met = MEMPLAN_NEW(arena, int32_t, whole->n_pairs);
  if (said->met == NULL || !memplan_lists_begin(&said->by_born, whole->n_items, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t pair = 0; pair < whole->n_pairs; pair++) {
      memplan_lists_put(&said->by_born, whole->pairs[pair].born, pair);
    }
    if (pass == 0 && !memplan_lists_store(&said->by_born, arena)) {
      return false;
    }
  }
  return true;
}

static void speak_of(memplan_joint_watch *watch, int32_t g, int32_t pair, speech *said) {
  if (said->met[pair] != said->round) {
    said->met[pair] = said->round;
    memplan_lists_put(&watch->spoken, g, pair);
  }
}

static void speak_of_links(memplan_joint_watch *watch, int32_t g, int32_t born, int32_t dying, speech *said) {
  for (int32_t k = said->by_born.first[born]; k < said->by_born.first[born + 1]; k++) {
    if (watch->whole->pairs[said->by_born.list[k]].dying == dying) {
      speak_of(watch, g, said->by_born.list[k], said);
    }
  }
  watch->ticks += 1 + said->by_born.first[born + 1] - said->by_born.first[born];
}

// A nogood speaks of its links and of the pairs that can link the two items of an open overlap.
static bool make_spoken(memplan_joint_watch *watch, memplan_arena *arena) {
  speech said = {.round = 0};
  if (!start_speech(watch, arena, &said) || !memplan_lists_begin(&watch->spoken, watch->n_nogoods, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t g = 0; g < watch->n_nogoods; g++) {
      const memplan_joint_nogood *nogood = watch->nogoods[g];
      said.round++;
      for (int32_t k = 0; k < nogood->n_links; k++) {
        speak_of(watch, g, nogood->links[k], &said);
      }
      for (int32_t k = 0; k < nogood->n_open; k++) {
        speak_of_links(watch, g, nogood->overlaps[k].first, nogood->overlaps[k].second, &said);
        speak_of_links(watch, g, nogood->overlaps[k].second, nogood->overlaps[k].first, &said);
      }
    }
    if (pass == 0 && !memplan_lists_store(&watch->spoken, arena)) {
      return false;
    }
  }
  return true;
}

static bool make_links(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  if (!memplan_lists_begin(&watch->speakers, whole->n_pairs, arena) ||
      !memplan_lists_begin(&watch->links, whole->n_ops, arena) ||
      !memplan_lists_begin(&watch->link_pairs, whole->n_ops, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t g = 0; g < watch->n_nogoods; g++) {
      for (int32_t k = watch->spoken.first[g]; k < watch->spoken.first[g + 1]; k++) {
        memplan_lists_put(&watch->speakers, watch->spoken.list[k], g);
      }
      for (int32_t k = 0; k < watch->nogoods[g]->n_links; k++) {
        int32_t pair = watch->nogoods[g]->links[k];
        memplan_lists_put(&watch->links, whole->pairs[pair].op, g);
        memplan_lists_put(&watch->link_pairs, whole->pairs[pair].op, pair);
      }
    }
    if (pass == 0 && (!memplan_lists_store(&watch->speakers, arena) || !memplan_lists_store(&watch->links, arena) ||
                      !memplan_lists_store(&watch->link_pairs, arena))) {
      return false;
    }
  }
  return true;
}

static bool make_pairs(memplan_joint_watch *watch, memplan_arena *arena) {
  const memplan_joint_graph *whole = watch->whole;
  if (!make_spoken(watch, arena) || !make_links(watch, arena) ||
      !memplan_lists_begin(&watch->pairs, whole->n_ops, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t pair = 0; pair < whole->n_pairs; pair++) {
      if (watch->speakers.first[pair] < watch->speakers.first[pair + 1]) {
        memplan_lists_put(&watch->pairs, whole->pairs[pair].op, pair);
      }
    }
    if (pass == 0 && !memplan_lists_store(&watch->pairs, arena)) {
      return false;
    }
  }
  watch->ticks += whole->n_pairs + 2 * (int64_t)watch->spoken.first[watch->n_nogoods];
  return true;
}

// What is needed to find the operators that a nogood holds, each once.
typedef struct holding {
  int32_t *met; // by operator: the last round that met it
  int32_t round;
} holding;

static void hold_op(memplan_joint_watch *watch, int32_t g, int32_t op, holding *held) {
  if (held->met[op] != held->round) {
    held->met[op] = held->round;
    memplan_lists_put(&watch->holders, g, op);
  }
  watch->ticks++;
}

// The operators that bring the item.
static void hold_births(memplan_joint_watch *watch, int32_t g, int32_t item, holding *held) {
  int32_t n;
  const int32_t *births = births_of(watch, item, &n);
  for (int32_t k = 0; k < n && !is_init(watch, item); k++) {
    hold_op(watch, g, births[k], held);
  }
}

static bool make_holders(memplan_joint_watch *watch, memplan_arena *arena) {
  holding held = {.met = MEMPLAN_NEW(arena, int32_t, watch->whole->n_ops)};
  if (held.met == NULL || !memplan_lists_begin(&watch->holders, watch->n_nogoods, arena)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t g = 0; g < watch->n_nogoods; g++) {
      const memplan_joint_nogood *nogood = watch->nogoods[g];
      held.round++;
      for (int32_t k = 0; k < nogood->n_open; k++) {
        hold_births(watch, g, nogood->overlaps[k].first, &held);
        hold_births(watch, g, nogood->overlaps[k].second, &held);
      }
      for (int32_t k = watch->spoken.first[g]; k < watch->spoken.first[g + 1]; k++) {
        const memplan_joint_pair *pair = &watch->whole->pairs[watch->spoken.list[k]];
        hold_op(watch, g, pair->op, &held);
        hold_births(watch, g, pair->born, &held);
        hold_births(watch, g, pair->dying, &held);
      }
    }
    if (pass == 0 && !memplan_lists_store(&watch->holders, arena)) {
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

// May the pair be chosen if its operator runs now: is its output (turned: its input) not there yet, and does nobody
// else have to end the other one?
static bool is_available(const memplan_joint_watch *watch, const memplan_joint_pair *pair) {
  int32_t born = watch->turned ? pair->dying : pair->born, dying = watch->turned ? pair->born : pair->dying;
  return watch->born[born] == 0 && watch->missing[dying] == 1 && !is_keep(watch, dying) &&
         memplan_joint_pair_is_direct(watch->whole, pair);
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
int64_t memplan_joint_watch_ticks(const memplan_joint_watch *watch) { return watch->ticks; }
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
  for (int32_t k = watch->literals.first[item]; k < watch->literals.first[item + 1]; k++) {
    int32_t other = watch->others.list[k];
    if (watch->born[other] > 0) {
      bool alive = is_keep(watch, other) || watch->missing[other] > 0;
      good = decide(watch, watch->literals.list[k], alive && !is_linked_at(watch, op, item, other)) && good;
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
    bool chosen = watch->decision[watch->link_pairs.list[k]] == MEMPLAN_WATCH_CHOSEN;
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
    for (int32_t l = watch->literals.first[item]; l < watch->literals.first[item + 1]; l++) {
      watch->undecided[watch->literals.list[l]] += watch->born[watch->others.list[l]] > 0;
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
