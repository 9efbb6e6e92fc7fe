// SPDX-License-Identifier: Apache-2.0
// States are the operators that have run and the nogoods that are broken, together one set of bits, known by number.
// Each that a line depends on is noted as wanted until some line closes it; at the end nothing may be wanted. As states
// only grow from a line to those that it depends on, no line can be a reason for itself. What an operator decides about
// a nogood is asked of the sets before and after it, from the definitions, each time.
//
// A line closes two states at most: more than the rest of the certificate has room to close are never noted, so that a
// short one cannot make many of them. What is looked at is counted where it is, in the end each operator and each
// overlap, and the meter asked after every step that a line alone bounds.
#include "eval/check_nogood_search.h"

#include "eval/order_replay.h"
#include "model/base/grow.h"
#include "model/base/set_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  most_asked = 10,
  wanted = 1,
  closed = 2,
  closed_by_line = 2,
  shortest_line = 10 // {"run":0} and its end
};

typedef struct id_lists {
  int32_t *first, *list; // of i: list[first[i]] ... list[first[i + 1] - 1]
} id_lists;

// A line on the way from the empty set, and how many operators have run in its state.
typedef struct level {
  int32_t line, n_done;
} level;

struct memplan_nogood_search {
  memplan_arena arena;
  const memplan_check_joint_model *model;
  const memplan_check_nogood *nogoods;
  int32_t n_nogoods;
  memplan_check_meter *meter;
  memplan_check_result *result;
  memplan_order_replay replay;
  memplan_set_table sets;
  uint8_t *marks; // by state
  int64_t mark_room, n_wanted, most_wanted;
  int64_t threshold;
  int32_t done_words, words; // of the operators, and with the nogoods
  id_lists touching;         // by operator: nogoods that it holds
  id_lists speaking;         // by pair: nogoods that speak of it
  id_lists pairs;            // by operator: its pairs
  level *levels;
  uint64_t *broken; // by level
  int32_t n_levels, n_lines;
  uint64_t *state, *next; // scratch: a state, and what is broken after a move
  bool *chosen;           // by pair, for the operator that is looked at
  bool *available;        // scratch
  int32_t *matched;
  bool nomem;
};

static bool fail(memplan_nogood_search *search, const char *reason) {
  if (search->result->reason[0] == '\0') {
    (void)snprintf(search->result->reason, sizeof search->result->reason, "%s", reason);
  }
  return false;
}

static bool fail_nomem(memplan_nogood_search *search) {
  search->nomem = true;
  return false;
}

static void spend(const memplan_nogood_search *search, int64_t looks) {
  (void)memplan_check_meter_spend(search->meter, looks);
}

static bool is_spent(const memplan_nogood_search *search) { return !memplan_check_meter_spend(search->meter, 0); }

// Looked at after each step that has a bound of its own.
static bool has_left(memplan_nogood_search *search) {
  return !is_spent(search) || fail(search, memplan_check_meter_spent);
}

// ---- tables

static bool speaks_of(const memplan_nogood_search *search, const memplan_check_nogood *nogood, int32_t pair) {
  spend(search, nogood->n_links + nogood->n_overlaps);
  for (int32_t k = 0; k < nogood->n_links; k++) {
    if (nogood->links[k] == pair) {
      return true;
    }
  }
  for (int32_t k = 0; k < nogood->n_overlaps; k++) {
    if (memplan_check_joint_pair_ties(&search->model->pairs[pair], nogood->overlaps[2 * k],
                                      nogood->overlaps[2 * k + 1])) {
      return true;
    }
  }
  return false;
}

// What brings an item, seen in the direction of the search.
static const int32_t *births_of(const memplan_nogood_search *search, int32_t item, int32_t *n) {
  const memplan_check_joint_item *entry = &search->model->items[item];
  *n = search->replay.reversed ? entry->n_deaths : entry->n_births;
  return search->replay.reversed ? entry->deaths : entry->births;
}

static const int32_t *deaths_of(const memplan_nogood_search *search, int32_t item, int32_t *n) {
  const memplan_check_joint_item *entry = &search->model->items[item];
  *n = search->replay.reversed ? entry->n_births : entry->n_deaths;
  return search->replay.reversed ? entry->births : entry->deaths;
}

static bool is_init(const memplan_nogood_search *search, int32_t item) {
  const memplan_check_joint_item *entry = &search->model->items[item];
  return search->replay.reversed ? entry->keep : entry->init;
}

static bool is_keep(const memplan_nogood_search *search, int32_t item) {
  const memplan_check_joint_item *entry = &search->model->items[item];
  return search->replay.reversed ? entry->init : entry->keep;
}

static void mark_births(const memplan_nogood_search *search, int32_t item, bool *marked) {
  int32_t n;
  const int32_t *births = births_of(search, item, &n);
  for (int32_t k = 0; k < n; k++) {
    marked[births[k]] = true;
  }
  spend(search, n + 1);
}

// The pairs that the nogood speaks of. Most lack an item of it, which is seen at once.
static void mark_spoken(const memplan_nogood_search *search, const memplan_check_nogood *nogood, bool *held,
                        bool *spoken) {
  const memplan_check_joint_pair *pairs = search->model->pairs;
  memset(held, 0, (size_t)search->model->n_items * sizeof *held);
  for (int32_t k = 0; k < 2 * nogood->n_overlaps; k++) {
    held[nogood->overlaps[k]] = true;
  }
  for (int32_t k = 0; k < nogood->n_links; k++) {
    held[pairs[nogood->links[k]].born] = held[pairs[nogood->links[k]].dying] = true;
  }
  for (int32_t pair = 0; pair < search->model->n_pairs; pair++) {
    spoken[pair] = held[pairs[pair].born] && held[pairs[pair].dying] && speaks_of(search, nogood, pair);
  }
  spend(search, search->model->n_items + search->model->n_pairs);
}

// The operators that bring an item of the nogood, or run a pair that it speaks of.
static void mark_touching(const memplan_nogood_search *search, const memplan_check_nogood *nogood, const bool *spoken,
                          bool *marked) {
  memset(marked, 0, (size_t)search->model->n_ops * sizeof *marked);
  for (int32_t k = 0; k < 2 * nogood->n_overlaps; k++) {
    mark_births(search, nogood->overlaps[k], marked);
  }
  for (int32_t pair = 0; pair < search->model->n_pairs; pair++) {
    if (spoken[pair]) {
      marked[search->model->pairs[pair].op] = true;
      mark_births(search, search->model->pairs[pair].born, marked);
      mark_births(search, search->model->pairs[pair].dying, marked);
    }
  }
}

static bool start_lists(memplan_nogood_search *search, id_lists *lists, int32_t n) {
  lists->first = MEMPLAN_NEW(&search->arena, int32_t, (int64_t)n + 2);
  return lists->first != NULL || fail_nomem(search);
}

static bool sum_lists(memplan_nogood_search *search, id_lists *lists, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    lists->first[k + 2] += lists->first[k + 1];
  }
  lists->list = MEMPLAN_NEW(&search->arena, int32_t, lists->first[n + 1]);
  return lists->list != NULL || fail_nomem(search);
}

static void put(id_lists *lists, bool counting, int32_t at, int32_t entry) {
  if (counting) {
    lists->first[at + 2]++;
  } else {
    lists->list[lists->first[at + 1]++] = entry;
  }
}

static bool make_lists(memplan_nogood_search *search) {
  const memplan_check_joint_model *model = search->model;
  bool *marked = MEMPLAN_NEW(&search->arena, bool, model->n_ops);
  bool *held = MEMPLAN_NEW(&search->arena, bool, model->n_items);
  bool *spoken = MEMPLAN_NEW(&search->arena, bool, model->n_pairs);
  if (marked == NULL || held == NULL || spoken == NULL) {
    return fail_nomem(search);
  }
  if (!start_lists(search, &search->touching, model->n_ops) || !start_lists(search, &search->pairs, model->n_ops) ||
      !start_lists(search, &search->speaking, model->n_pairs)) {
    return false;
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t pair = 0; pair < model->n_pairs; pair++) {
      put(&search->pairs, pass == 0, model->pairs[pair].op, pair);
    }
    for (int32_t g = 0; g < search->n_nogoods; g++) {
      mark_spoken(search, &search->nogoods[g], held, spoken);
      mark_touching(search, &search->nogoods[g], spoken, marked);
      spend(search, model->n_ops);
      if (!has_left(search)) {
        return false;
      }
      for (int32_t op = 0; op < model->n_ops; op++) {
        if (marked[op]) {
          put(&search->touching, pass == 0, op, g);
        }
      }
      for (int32_t pair = 0; pair < model->n_pairs; pair++) {
        if (spoken[pair]) {
          put(&search->speaking, pass == 0, pair, g);
        }
      }
    }
    if (pass == 0 &&
        (!sum_lists(search, &search->touching, model->n_ops) || !sum_lists(search, &search->pairs, model->n_ops) ||
         !sum_lists(search, &search->speaking, model->n_pairs))) {
      return false;
    }
  }
  return true;
}

static bool allocate(memplan_nogood_search *search) {
  const memplan_check_joint_model *model = search->model;
  memplan_arena *arena = &search->arena;
  search->done_words = model->n_ops / 64 + 1;
  search->words = search->done_words + search->n_nogoods / 64 + 1;
  int64_t broken_words = search->words - search->done_words;
  search->levels = MEMPLAN_NEW(arena, level, (int64_t)model->n_ops + 2);
  search->broken = MEMPLAN_NEW(arena, uint64_t, ((int64_t)model->n_ops + 2) * broken_words);
  search->state = MEMPLAN_NEW(arena, uint64_t, search->words + 1);
  search->next = MEMPLAN_NEW(arena, uint64_t, broken_words);
  search->chosen = MEMPLAN_NEW(arena, bool, model->n_pairs);
  search->available = MEMPLAN_NEW(arena, bool, model->ordering->n_pairs);
  search->matched = MEMPLAN_NEW(arena, int32_t, model->ordering->n_pairs);
  memplan_set_table_init(&search->sets, 64 * search->words);
  return (search->levels != NULL && search->broken != NULL && search->state != NULL && search->next != NULL &&
          search->chosen != NULL && search->available != NULL && search->matched != NULL) ||
         fail_nomem(search);
}

// ---- states

static int32_t broken_words(const memplan_nogood_search *search) { return search->words - search->done_words; }

// What is broken at the level that the replay stands at.
static uint64_t *broken_now(const memplan_nogood_search *search) {
  return search->broken + (int64_t)(search->n_levels - 1) * broken_words(search);
}

// Notes the operators that have run, with what is broken, as wanted or closed. *was: its marks before.
static bool mark_state(memplan_nogood_search *search, const uint64_t *done, const uint64_t *broken, uint8_t mark,
                       uint8_t *was) {
  bool is_new;
  spend(search, search->words);
  memcpy(search->state, done, (size_t)search->done_words * sizeof *done);
  memcpy(search->state + search->done_words, broken, (size_t)broken_words(search) * sizeof *broken);
  int32_t set = memplan_set_table_add(&search->sets, search->state, &is_new);
  uint8_t *marks = set >= 0 ? memplan_grow_heap(search->marks, set, &search->mark_room, sizeof *marks) : NULL;
  if (marks == NULL) {
    return fail_nomem(search);
  }
  search->marks = marks;
  *was = is_new ? 0 : marks[set];
  search->n_wanted += (*was == 0 && mark == wanted) - (*was == wanted && mark == closed);
  marks[set] = *was | mark;
  return mark == closed || search->n_wanted <= search->most_wanted ||
         fail(search,
              "the certificate ends before its claim is proven: more states are open than the rest of it can close");
}

static bool has_run(const uint64_t *done, int32_t op) { return (done[op / 64] >> (op % 64) & 1) != 0; }

static bool is_born(const memplan_nogood_search *search, int32_t item, const uint64_t *done) {
  int32_t n;
  const int32_t *births = births_of(search, item, &n);
  for (int32_t k = 0; k < n; k++) {
    if (has_run(done, births[k])) {
      spend(search, k);
      return true;
    }
  }
  spend(search, n);
  return is_init(search, item);
}

// `but`: an operator that does not count, -1.
static bool is_dead(const memplan_nogood_search *search, int32_t item, const uint64_t *done, int32_t but) {
  int32_t n;
  const int32_t *deaths = deaths_of(search, item, &n);
  for (int32_t k = 0; k < n; k++) {
    if (deaths[k] != but && !has_run(done, deaths[k])) {
      spend(search, k);
      return false;
    }
  }
  spend(search, n);
  return !is_keep(search, item);
}

static bool is_among(const int32_t *list, int32_t n, int32_t entry) {
  for (int32_t k = 0; k < n; k++) {
    if (list[k] == entry) {
      return true;
    }
  }
  return false;
}

static bool is_broken(const uint64_t *broken, int32_t g) { return (broken[g / 64] >> (g % 64) & 1) != 0; }

// ---- choices

// May the pair be chosen if its operator runs next: is its output not there yet, and is nobody else to end its input?
static bool is_available(const memplan_nogood_search *search, const memplan_check_joint_pair *pair) {
  const uint64_t *done = search->replay.done;
  int32_t born = search->replay.reversed ? pair->dying : pair->born;
  int32_t dying = search->replay.reversed ? pair->born : pair->dying;
  int32_t n_births, n_deaths;
  const int32_t *births = births_of(search, born, &n_births), *deaths = deaths_of(search, dying, &n_deaths);
  spend(search, n_births + (int64_t)n_deaths);
  return !is_born(search, born, done) && is_dead(search, dying, done, pair->op) &&
         is_among(births, n_births, pair->op) && is_among(deaths, n_deaths, pair->op);
}

// The pairs of the operator whose choice decides something. Their number, or -1: too many.
static int32_t find_asked(const memplan_nogood_search *search, int32_t op, int32_t *asked) {
  const uint64_t *broken = broken_now(search);
  int32_t n = 0;
  for (int32_t k = search->pairs.first[op]; k < search->pairs.first[op + 1]; k++) {
    int32_t pair = search->pairs.list[k];
    bool active = false;
    int32_t first = search->speaking.first[pair], s = first;
    for (; s < search->speaking.first[pair + 1] && !active; s++) {
      active = !is_broken(broken, search->speaking.list[s]);
    }
    spend(search, s - first + 1);
    if (active && is_available(search, &search->model->pairs[pair])) {
      if (n == most_asked) {
        return -1;
      }
      asked[n++] = pair;
    }
  }
  return n;
}

// Sets what is chosen of the pairs asked about. False: these exclude each other.
static bool choose(memplan_nogood_search *search, const int32_t *asked, int32_t n, uint32_t mask) {
  const memplan_check_joint_pair *pairs = search->model->pairs;
  spend(search, n * n / 2);
  for (int32_t k = 0; k < n; k++) {
    search->chosen[asked[k]] = (mask >> k & 1) != 0;
    for (int32_t l = 0; l < k; l++) {
      bool both = (mask >> k & 1) != 0 && (mask >> l & 1) != 0;
      if (both && (pairs[asked[k]].born == pairs[asked[l]].born || pairs[asked[k]].dying == pairs[asked[l]].dying)) {
        return false;
      }
    }
  }
  return true;
}

static void forget_choice(memplan_nogood_search *search, const int32_t *asked, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    search->chosen[asked[k]] = false;
  }
}

// Load while the operator runs next with this choice, and of its other pairs what saves most; -1 if memory is out.
static int64_t find_load(memplan_nogood_search *search, int32_t op, const int32_t *asked, int32_t n_asked) {
  const memplan_order_replay *replay = &search->replay;
  const memplan_ordering *ordering = search->model->ordering;
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  spend(search, replay->op_births.first[op + 1] - replay->op_births.first[op] + (int64_t)count * (n_asked + 2));
  if (n_asked == 0) {
    return memplan_order_replay_load(&search->replay, op);
  }
  int64_t load = replay->live + ordering->workspace[op];
  for (int32_t k = replay->op_births.first[op]; k < replay->op_births.first[op + 1]; k++) {
    int32_t cell = replay->op_births.list[k];
    load += replay->born[cell] == 0 ? ordering->cells[cell].bytes : 0;
  }
  load += replay->n_done == 0 ? replay->first : 0;
  load += replay->n_done == ordering->n_ops - 1 ? replay->last : 0;
  memset(search->available, 0, (size_t)count * sizeof *search->available);
  for (int32_t k = search->pairs.first[op]; k < search->pairs.first[op + 1]; k++) {
    int32_t pair = search->pairs.list[k];
    const memplan_check_joint_pair *own = &search->model->pairs[pair];
    bool free = !is_among(asked, n_asked, pair) && is_available(search, own);
    for (int32_t l = 0; l < n_asked; l++) {
      const memplan_check_joint_pair *other = &search->model->pairs[asked[l]];
      free = free && !(search->chosen[asked[l]] && (own->born == other->born || own->dying == other->dying));
    }
    search->available[own->index - first] = free;
  }
  for (int32_t k = 0; k < n_asked; k++) {
    load -= search->chosen[asked[k]] ? search->model->pairs[asked[k]].shared : 0;
  }
  memplan_matching matching = {.most = 0};
  if (!memplan_pairs_match(ordering->pairs, first, count, search->available, search->matched, &matching)) {
    return -1;
  }
  return load - matching.most;
}

// ---- what an operator decides

static bool is_linked(const memplan_nogood_search *search, int32_t op, int32_t a, int32_t b) {
  spend(search, search->pairs.first[op + 1] - search->pairs.first[op]);
  for (int32_t k = search->pairs.first[op]; k < search->pairs.first[op + 1]; k++) {
    int32_t pair = search->pairs.list[k];
    if (search->chosen[pair] && memplan_check_joint_pair_ties(&search->model->pairs[pair], a, b)) {
      return true;
    }
  }
  return false;
}

// `done`: what has run with the operator; the replay stands before it. *broken: it breaks the nogood, else *complete:
// all of the nogood is decided. Nothing is said once the meter is spent.
static void decide(const memplan_nogood_search *search, int32_t g, int32_t op, const uint64_t *done, bool *broken,
                   bool *complete) {
  const memplan_check_nogood *nogood = &search->nogoods[g];
  const uint64_t *before = search->replay.done;
  *broken = false;
  *complete = true;
  for (int32_t k = 0; k < nogood->n_links && !*broken; k++) {
    int32_t own = search->model->pairs[nogood->links[k]].op;
    *complete = *complete && has_run(done, own);
    *broken = own == op && !search->chosen[nogood->links[k]];
    spend(search, 1);
  }
  for (int32_t k = 0; k < nogood->n_overlaps && !*broken && !is_spent(search); k++) {
    int32_t a = nogood->overlaps[2 * k], b = nogood->overlaps[2 * k + 1];
    bool both = is_born(search, a, done) && is_born(search, b, done);
    *complete = *complete && both;
    if (both && !(is_born(search, a, before) && is_born(search, b, before))) {
      *broken = is_dead(search, a, before, -1) || is_dead(search, b, before, -1) || is_linked(search, op, a, b);
    }
    spend(search, 1);
  }
}

// What is broken after the operator, into `next`. True: a nogood is violated. `done` as above.
static bool decide_all(memplan_nogood_search *search, int32_t op, const uint64_t *done) {
  const uint64_t *broken = broken_now(search);
  bool violated = false;
  memcpy(search->next, broken, (size_t)broken_words(search) * sizeof *broken);
  spend(search, search->touching.first[op + 1] - search->touching.first[op] + (int64_t)broken_words(search));
  for (int32_t k = search->touching.first[op]; k < search->touching.first[op + 1]; k++) {
    int32_t g = search->touching.list[k];
    bool breaks, complete;
    if (is_broken(broken, g)) {
      continue;
    }
    decide(search, g, op, done, &breaks, &complete);
    if (breaks) {
      search->next[g / 64] |= UINT64_C(1) << (g % 64);
    }
    violated = violated || (complete && !breaks);
  }
  return violated;
}

// ---- moves

static bool check_move(memplan_nogood_search *search, int32_t op, const int32_t *asked, int32_t n_asked) {
  int64_t load = find_load(search, op, asked, n_asked);
  if (load < 0) {
    return fail_nomem(search);
  }
  if (load > search->threshold) {
    return true;
  }
  // The bit is set in the replay's own set only while its state is looked up.
  uint64_t *done = search->replay.done, bit = UINT64_C(1) << (op % 64);
  memcpy(search->state, done, (size_t)search->done_words * sizeof *done);
  search->state[op / 64] |= bit;
  bool violated = decide_all(search, op, search->state);
  if (!has_left(search)) {
    return false;
  }
  if (violated) {
    return true;
  }
  uint8_t was;
  done[op / 64] |= bit;
  bool good = mark_state(search, done, search->next, wanted, &was);
  done[op / 64] &= ~bit;
  return good;
}

static bool check_moves(memplan_nogood_search *search) {
  const memplan_order_replay *replay = &search->replay;
  if (replay->n_done == search->model->n_ops) {
    return fail(search, "an order ends below the claim and violates no nogood");
  }
  spend(search, search->model->n_ops);
  for (int32_t op = 0; op < search->model->n_ops; op++) {
    int32_t asked[most_asked];
    if (!memplan_order_replay_may_run(replay, op)) {
      continue;
    }
    int32_t n = find_asked(search, op, asked);
    if (n < 0) {
      return fail(search, "more than 10 in-place pairs of one operator are spoken of");
    }
    for (uint32_t mask = 0; mask < UINT32_C(1) << n; mask++) {
      bool good = has_left(search) && (!choose(search, asked, n, mask) || check_move(search, op, asked, n));
      forget_choice(search, asked, n);
      if (!good) {
        return false;
      }
    }
  }
  return true;
}

// ---- lines

static bool read_number(const json_t *value, int32_t limit, int32_t *number) {
  json_int_t stated = json_is_integer(value) ? json_integer_value(value) : -1;
  *number = stated >= 0 && stated < limit ? (int32_t)stated : -1;
  return *number >= 0;
}

static void go_back(memplan_nogood_search *search, int32_t n_done) {
  while (search->replay.n_done > n_done) {
    memplan_order_replay_undo(&search->replay);
  }
}

// Goes to the state of the line that this one comes from.
static bool go_to_origin(memplan_nogood_search *search, const json_t *line) {
  const json_t *from = json_object_get(line, "from");
  json_int_t origin = from == NULL ? search->n_lines : json_is_integer(from) ? json_integer_value(from) : -1;
  while (search->n_levels > 0 && search->levels[search->n_levels - 1].line > origin) {
    search->n_levels--;
  }
  if (search->n_levels == 0 || search->levels[search->n_levels - 1].line != origin) {
    return fail(search, "a line comes from one that is not on its way from the empty set");
  }
  go_back(search, search->levels[search->n_levels - 1].n_done);
  return true;
}

// With its undoing.
static void run(memplan_nogood_search *search, int32_t op) {
  const memplan_order_replay *replay = &search->replay;
  spend(search, 2 * ((int64_t)replay->succ.first[op + 1] - replay->succ.first[op] + replay->op_births.first[op + 1] -
                     replay->op_births.first[op] + replay->op_deaths.first[op + 1] - replay->op_deaths.first[op]));
  memplan_order_replay_run(&search->replay, op);
}

// Runs the operator of the line with what it chooses; `next` is what is broken then.
static bool run_move(memplan_nogood_search *search, const json_t *line) {
  const json_t *chosen = json_object_get(line, "choose");
  int32_t op, asked[most_asked];
  if (!read_number(json_object_get(line, "run"), search->model->n_ops, &op) ||
      !memplan_order_replay_may_run(&search->replay, op)) {
    return fail(search, "an operator runs before it can");
  }
  int32_t n = find_asked(search, op, asked);
  uint32_t mask = 0;
  for (size_t k = 0; k < json_array_size(chosen) && n >= 0; k++) {
    int32_t pair, at = 0;
    if (!read_number(json_array_get(chosen, k), search->model->n_pairs, &pair)) {
      return fail(search, "a pair is chosen that the model does not have");
    }
    while (at < n && asked[at] != pair) {
      at++;
    }
    if (at == n) {
      return fail(search, "a pair is chosen that nothing is asked about");
    }
    mask |= UINT32_C(1) << at;
  }
  if (n < 0 || !choose(search, asked, n, mask)) {
    return fail(search, "pairs are chosen that exclude each other");
  }
  uint64_t *done = search->state;
  memcpy(done, search->replay.done, (size_t)search->done_words * sizeof *done);
  done[op / 64] |= UINT64_C(1) << (op % 64);
  bool violated = decide_all(search, op, done);
  forget_choice(search, asked, n);
  run(search, op);
  return !violated || fail(search, "a line goes on from where a nogood is violated");
}

// Does the operator bring the item, which is not there yet?
static bool brings(const memplan_nogood_search *search, int32_t item, int32_t op) {
  int32_t n;
  const int32_t *births = births_of(search, item, &n);
  spend(search, n + 1);
  return is_among(births, n, op) && !is_born(search, item, search->replay.done);
}

// Would the operator decide something of the nogood?
static bool holds(const memplan_nogood_search *search, int32_t g, int32_t op) {
  const memplan_check_nogood *nogood = &search->nogoods[g];
  for (int32_t k = 0; k < 2 * nogood->n_overlaps; k++) {
    if (brings(search, nogood->overlaps[k], op)) {
      return true;
    }
  }
  for (int32_t k = 0; k < nogood->n_links; k++) {
    const memplan_check_joint_pair *pair = &search->model->pairs[nogood->links[k]];
    if (brings(search, pair->born, op) || brings(search, pair->dying, op)) {
      return true;
    }
  }
  for (int32_t k = search->pairs.first[op]; k < search->pairs.first[op + 1]; k++) {
    if (speaks_of(search, nogood, search->pairs.list[k])) {
      return true;
    }
  }
  return false;
}

static bool is_held(const memplan_nogood_search *search, int32_t op, const uint64_t *broken) {
  for (int32_t k = search->touching.first[op]; k < search->touching.first[op + 1]; k++) {
    int32_t g = search->touching.list[k];
    if (is_spent(search) || (!is_broken(broken, g) && holds(search, g, op))) {
      return true;
    }
  }
  return false;
}

// Would others of its group have to follow at once?
static bool opens_group(const memplan_nogood_search *search, int32_t op) {
  const memplan_order_replay *replay = &search->replay;
  int32_t group = search->model->ordering->graph->ops[op].group;
  return group >= 0 && replay->open_group < 0 && replay->group_size[group] > 1;
}

static bool run_commit(memplan_nogood_search *search, int32_t op, const uint64_t *broken) {
  memplan_order_replay *replay = &search->replay;
  if (replay->n_done == 0 && replay->first > 0) {
    return fail(search, "nothing is safe before the first step, which bears more than others");
  }
  if (!memplan_order_replay_may_run(replay, op)) {
    return fail(search, "an operator is committed before it can run");
  }
  if (opens_group(search, op)) {
    return fail(search, "an operator is committed that its group keeps from it");
  }
  bool held = is_held(search, op, broken);
  if (!has_left(search)) {
    return false;
  }
  if (held || (replay->last > 0 && replay->succ.first[op + 1] == replay->succ.first[op])) {
    return fail(search, "an operator is committed that a nogood, or the last step, keeps from it");
  }
  int64_t live = replay->live, load = find_load(search, op, NULL, 0);
  if (load < 0) {
    return fail_nomem(search);
  }
  run(search, op);
  return (load <= search->threshold && replay->live <= live) ||
         fail(search, "a committed operator passes the claim, or more is live after it than before it");
}

static bool run_commits(memplan_nogood_search *search, const json_t *commits, const uint64_t *broken) {
  for (size_t k = 0; k < json_array_size(commits); k++) {
    int32_t op;
    if (!read_number(json_array_get(commits, k), search->model->n_ops, &op)) {
      return fail(search, "an operator is named that the model does not have");
    }
    if (!run_commit(search, op, broken)) {
      return false;
    }
  }
  return true;
}

static bool check_line(memplan_nogood_search *search, const json_t *line) {
  uint8_t was;
  bool root = search->n_lines == 0;
  if (search->n_lines == INT32_MAX || !go_to_origin(search, line)) {
    return fail(search, "too many lines");
  }
  uint64_t *broken = search->broken + (int64_t)search->n_levels * broken_words(search);
  if (root) {
    memset(search->next, 0, (size_t)broken_words(search) * sizeof *search->next);
  } else if (!run_move(search, line)) {
    return false;
  }
  memcpy(broken, search->next, (size_t)broken_words(search) * sizeof *broken);
  search->levels[search->n_levels++] = (level){search->n_lines + 1, search->replay.n_done};
  if (!mark_state(search, search->replay.done, broken, closed, &was)) {
    return false;
  }
  int32_t met = search->replay.n_done;
  if (!run_commits(search, json_object_get(line, "commit"), broken) ||
      (search->replay.n_done > met && !mark_state(search, search->replay.done, broken, closed, &was))) {
    return false;
  }
  search->levels[search->n_levels - 1].n_done = search->replay.n_done;
  search->n_lines++;
  return has_left(search) && ((was & closed) != 0 || check_moves(search));
}

memplan_status memplan_nogood_search_line(memplan_nogood_search *search, const json_t *line, size_t rest,
                                          memplan_error *error) {
  search->most_wanted = closed_by_line * (((int64_t)rest + 1) / shortest_line);
  (void)check_line(search, line);
  return search->nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

bool memplan_nogood_search_is_closed(const memplan_nogood_search *search) {
  return search->n_lines > 0 && search->n_wanted == 0;
}

memplan_status memplan_nogood_search_new(const memplan_check_joint_model *model, const memplan_check_nogood *nogoods,
                                         int32_t n_nogoods, const json_t *line, memplan_check_meter *meter,
                                         memplan_check_result *result, memplan_nogood_search **search,
                                         memplan_error *error) {
  const char *direction = json_string_value(json_object_get(line, "search"));
  bool cyclic, forward = direction != NULL && strcmp(direction, "forward") == 0;
  memplan_nogood_search *made = calloc(1, sizeof *made);
  *search = made;
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->model = model;
  made->nogoods = nogoods;
  made->n_nogoods = n_nogoods;
  made->meter = meter;
  made->result = result;
  made->threshold = result->claim - 1;
  made->most_wanted = INT64_MAX;
  MEMPLAN_TRY(
      memplan_order_replay_init(&made->replay, model->ordering, !forward, NULL, NULL, 0, &cyclic, &made->arena, error));
  if (direction == NULL || (!forward && strcmp(direction, "reversed") != 0)) {
    (void)fail(made, "the search is neither forward nor reversed");
  } else if (allocate(made) && make_lists(made)) {
    uint8_t was;
    memplan_order_replay_begin(&made->replay);
    made->n_levels = 1; // nothing has run, and no line has been read
    (void)mark_state(made, made->replay.done, made->next, wanted, &was);
  }
  return made->nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

void memplan_nogood_search_free(memplan_nogood_search *search) {
  if (search != NULL) {
    memplan_set_table_free(&search->sets);
    free(search->marks);
    memplan_arena_free(&search->arena);
    free(search);
  }
}
