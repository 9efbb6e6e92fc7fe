// SPDX-License-Identifier: Apache-2.0
// One pass serves both directions: in direction 1 the axis is reversed, a member's start is its end. In direction d the
// start of a member is bound[2x + d] + shift, its end is -bound[(2x + d) ^ 1] + shift + length.
//
// A pass takes each end B in turn and runs through the members by falling start, adding up those that end by B (the set
// of all so far). If start + sum passes B: overload. A member that ends later and that the set leaves no room for,
// since min(start, its start) + sum + its length passes B, lies behind all of them, and so starts at or after the
// largest start + sum of any set for this B. That this largest set may be another than the one that showed it is
// harmless: if it starts later it is a part of that one, if earlier then it shows the same by itself.
#include "solvers/engine_section.h"

#include "model/base/grow.h"
#include "solvers/engine_log.h"
#include "solvers/engine_state.h"
#include "solvers/proof.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
  int32_t variable;
  int64_t shift[2]; // by direction
  int64_t length;
} member;

// What an edge was found by.
typedef struct record {
  int32_t section, member; // member: in the section, -1: overload
  int32_t direction;
  int32_t position; // of the trail
  int64_t start, end;
} record;

// A member in the order of starts, as one pass sees it.
typedef struct span {
  int64_t start, end, length;
  int32_t member;
} span;

// The same from the least start on, where the numbers are small enough.
typedef struct narrow {
  int32_t start, end, length;
} narrow;

enum { lanes = 8 };

typedef struct found {
  int32_t member;
  int64_t start; // of the set that showed it
} found;

typedef struct sections {
  int32_t kind;
  memplan_section_settings settings;
  int32_t n_sections, n_variables;
  int32_t *first_member;
  member *members;
  int32_t *by_start[2];                     // members of each section, by start in each direction
  int32_t *first_of_variable, *of_variable; // members of each variable
  int32_t *section_of;                      // by member
  int32_t *first_condition;                 // by member, and one more; NULL: no conditions
  memplan_literal *conditions;
  int32_t *first_of_side, *of_side; // members with a condition on each side below n_sides
  int32_t n_sides;
  int32_t *queue; // ring of sections to be looked at
  bool *queued;
  int32_t queue_head, n_queued;
  record *records;
  int64_t record_capacity;
  int32_t n_records;
  span *spans;
  found *founds;
  int32_t *absent; // members
  int64_t *ends;   // of a pass, each once
  narrow *narrows; // by place in the order of starts
  int32_t *loud;   // by end: the scan finds something, or may
  int64_t *size;   // by variable
  int64_t *work;   // by member, twice: explanation
} sections;

static int64_t member_start(const memplan_engine *engine, const member *one, int32_t direction) {
  return engine->bound[2 * one->variable + direction] + one->shift[direction];
}

static int64_t member_end(const memplan_engine *engine, const member *one, int32_t direction) {
  return one->shift[direction] + one->length - engine->bound[2 * one->variable + 1 - direction];
}

static bool is_present(const sections *all, const memplan_engine *engine, int32_t index) {
  if (all->first_condition == NULL) {
    return true;
  }
  for (int32_t k = all->first_condition[index]; k < all->first_condition[index + 1]; k++) {
    if (!memplan_engine_is_true(engine, all->conditions[k])) {
      return false;
    }
  }
  return true;
}

static bool was_present(const sections *all, const memplan_engine *engine, int32_t index, int32_t position) {
  if (all->first_condition == NULL) {
    return true;
  }
  for (int32_t k = all->first_condition[index]; k < all->first_condition[index + 1]; k++) {
    memplan_literal literal = all->conditions[k];
    if (memplan_engine_bound_before(engine, memplan_literal_side(literal), position) < memplan_literal_value(literal)) {
      return false;
    }
  }
  return true;
}

static int32_t add_record(sections *all, memplan_engine *engine, int32_t section, int32_t index, int32_t direction,
                          int64_t start, int64_t end) {
  record *records = memplan_grow_heap(all->records, all->n_records, &all->record_capacity, sizeof *records);
  if (records == NULL) {
    engine->nomem = true;
    return -1;
  }
  all->records = records;
  records[all->n_records] = (record){section, index, direction, engine->n_trail, start, end};
  return all->n_records++;
}

// Sorts the members that take part by start and copies them out; returns how many there are. They were sorted at the
// last run, and few have moved.
static int32_t sort_members(sections *all, const memplan_engine *engine, int32_t section, int32_t direction) {
  int32_t first = all->first_member[section], n = all->first_member[section + 1] - first;
  const member *members = &all->members[first];
  int32_t *order = &all->by_start[direction][first];
  span *spans = all->spans;
  int32_t n_present = 0, n_absent = 0;
  for (int32_t k = 0; k < n; k++) {
    if (!is_present(all, engine, first + order[k])) {
      all->absent[n_absent++] = order[k];
      continue;
    }
    const member *one = &members[order[k]];
    span own = {member_start(engine, one, direction), member_end(engine, one, direction), one->length, order[k]};
    int32_t at = n_present++;
    while (at > 0 && (spans[at - 1].start > own.start ||
                      (spans[at - 1].start == own.start && spans[at - 1].member > own.member))) {
      spans[at] = spans[at - 1];
      at--;
    }
    spans[at] = own;
  }
  for (int32_t k = 0; k < n; k++) {
    order[k] = k < n_present ? spans[k].member : all->absent[k - n_present];
  }
  return n_present;
}

typedef struct pass {
  int32_t section, direction, n;
  int32_t n_found;
  int64_t end;                // B
  int64_t reach, reach_start; // largest start + sum, and the start
} pass;

// For each end from ends[first] on: does its scan find anything? The same inequalities, for `lanes` ends at a time and
// without a branch: most scans end here.
static void find_loud(const sections *all, int32_t n, int32_t first, int32_t n_ends) {
  int32_t end[lanes], sum[lanes] = {0}, longest[lanes] = {0}, loud[lanes] = {0};
  for (int32_t l = 0; l < lanes; l++) {
    end[l] = first + l < n_ends ? (int32_t)(all->ends[first + l] - all->spans[0].start) : INT32_MAX;
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    narrow one = all->narrows[k];
    for (int32_t l = 0; l < lanes; l++) {
      int32_t inside = -(int32_t)(one.end <= end[l]);
      int32_t outside = one.length & ~inside;
      sum[l] += one.length & inside;
      longest[l] = outside > longest[l] ? outside : longest[l];
      loud[l] |= (int32_t)(sum[l] > 0) & (int32_t)(one.start + sum[l] + longest[l] > end[l]);
    }
  }
  for (int32_t l = 0; l < lanes && first + l < n_ends; l++) {
    all->loud[first + l] = loud[l];
  }
}

// The ends of a pass, each once, and which of them need a scan. Returns how many there are.
static int32_t find_ends(sections *all, int32_t n) {
  int32_t n_ends = 0;
  int64_t base = n > 0 ? all->spans[0].start : 0, total = 0, last = 0;
  for (int32_t k = 0; k < n; k++) {
    const span *one = &all->spans[k];
    bool again = false;
    for (int32_t b = 0; b < n_ends; b++) {
      again |= all->ends[b] == one->end;
    }
    all->ends[n_ends] = one->end;
    n_ends += !again;
    total += one->length;
    last = one->end - base > last ? one->end - base : last;
    all->narrows[k] = (narrow){(int32_t)(one->start - base), (int32_t)(one->end - base), (int32_t)one->length};
  }
  // starts lie below ends
  bool fits = total + last < INT32_MAX / 2;
  for (int32_t b = 0; b < n_ends; b += fits ? lanes : 1) {
    if (fits) {
      find_loud(all, n, b, n_ends);
    } else {
      all->loud[b] = 1;
    }
  }
  return n_ends;
}

// One B. False: overload, with the start of the set in reach_start.
static bool scan(sections *all, pass *now) {
  const span *spans = all->spans;
  int64_t end = now->end, sum = 0, longest = 0;
  int32_t candidate = -1;
  now->reach = INT64_MIN;
  now->n_found = 0;
  for (int32_t k = now->n - 1; k >= 0; k--) {
    const span *one = &spans[k];
    if (one->end > end) {
      if (sum > 0 && one->start + sum + one->length > end) {
        all->founds[now->n_found++] = (found){k, INT64_MAX};
      }
      if (one->length > longest) {
        longest = one->length;
        candidate = k;
      }
      continue;
    }
    sum += one->length;
    int64_t reach = one->start + sum;
    if (reach > now->reach) {
      now->reach = reach;
      now->reach_start = one->start;
      if (reach > end) {
        return false;
      }
    }
    if (candidate >= 0 && reach + longest > end) {
      all->founds[now->n_found++] = (found){candidate, one->start};
      candidate = -1;
      longest = 0;
    }
  }
  return true;
}

static bool raise_found(sections *all, memplan_engine *engine, const pass *now) {
  const member *members = &all->members[all->first_member[now->section]];
  for (int32_t k = 0; k < now->n_found; k++) {
    const span *one = &all->spans[all->founds[k].member];
    const member *own = &members[one->member];
    int32_t side = 2 * own->variable + now->direction;
    int64_t value = now->reach - own->shift[now->direction];
    if (engine->bound[side] >= value) {
      continue;
    }
    int64_t start = all->founds[k].start < now->reach_start ? all->founds[k].start : now->reach_start;
    if (all->founds[k].start == INT64_MAX) {
      start = now->reach_start < one->start ? now->reach_start : one->start;
    }
    int32_t index = add_record(all, engine, now->section, one->member, now->direction, start, now->end);
    if (index < 0 || !memplan_engine_raise(engine, side, value, (memplan_reason){all->kind, index})) {
      return false;
    }
  }
  return true;
}

static bool run_pass(sections *all, memplan_engine *engine, int32_t section, int32_t direction) {
  int32_t n = sort_members(all, engine, section, direction);
  pass now = {.section = section, .direction = direction, .n = n};
  int32_t n_ends = find_ends(all, n);
  engine->counts.ticks += n * n / 8;
  for (int32_t b = 0; b < n_ends; b++) {
    now.end = all->ends[b];
    if (all->loud[b] == 0) {
      continue;
    }
    if (!scan(all, &now)) {
      if (!all->settings.overload) {
        continue;
      }
      int32_t index = add_record(all, engine, section, -1, direction, now.reach_start, now.end);
      return index >= 0 && memplan_engine_clash(engine, (memplan_reason){all->kind, index});
    }
    if (all->settings.edges && now.n_found > 0 && !raise_found(all, engine, &now)) {
      return false;
    }
  }
  return true;
}

static bool propagate(void *state, memplan_engine *engine, bool *done) {
  sections *all = state;
  *done = all->n_queued == 0;
  if (*done) {
    return true;
  }
  int32_t section = all->queue[all->queue_head];
  all->queue_head = all->queue_head + 1 == all->n_sections ? 0 : all->queue_head + 1;
  all->n_queued--;
  all->queued[section] = false;
  return run_pass(all, engine, section, 0) && (!all->settings.edges || run_pass(all, engine, section, 1));
}

static void queue_members(sections *all, const memplan_engine *engine, const int32_t *list, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    int32_t section = all->section_of[list[k]];
    if (!all->queued[section] && is_present(all, engine, list[k])) {
      all->queued[section] = true;
      int32_t at = all->queue_head + all->n_queued++;
      all->queue[at >= all->n_sections ? at - all->n_sections : at] = section;
    }
  }
}

static bool wake(void *state, memplan_engine *engine, int32_t side) {
  sections *all = state;
  int32_t variable = side >> 1;
  if (variable < all->n_variables) {
    int32_t first = all->first_of_variable[variable];
    queue_members(all, engine, &all->of_variable[first], all->first_of_variable[variable + 1] - first);
  }
  if (side < all->n_sides) {
    int32_t first = all->first_of_side[side];
    queue_members(all, engine, &all->of_side[first], all->first_of_side[side + 1] - first);
  }
  return true;
}

// After a conflict the bounds are those of a level on which all sections had been looked at.
static void backtrack(void *state, memplan_engine *engine) {
  sections *all = state;
  for (; all->n_queued > 0; all->n_queued--) {
    all->queued[all->queue[all->queue_head]] = false;
    all->queue_head = all->queue_head + 1 == all->n_sections ? 0 : all->queue_head + 1;
  }
  while (all->n_records > 0 && all->records[all->n_records - 1].position >= engine->n_trail) {
    all->n_records--;
  }
}

// ---- reasons

typedef struct reason_set {
  const member *members;
  int32_t first; // its number among all members
  int32_t direction;
  int64_t *start; // of the chosen ones at that time
  int32_t *chosen;
  int32_t n;
  int64_t sum;
} reason_set;

static void push_start(memplan_engine *engine, const member *one, int32_t direction, int64_t start) {
  memplan_engine_push(engine, memplan_literal_make(2 * one->variable + direction, start - one->shift[direction]));
}

static void push_end(memplan_engine *engine, const member *one, int32_t direction, int64_t end) {
  memplan_engine_push(
      engine, memplan_literal_make(2 * one->variable + 1 - direction, one->shift[direction] + one->length - end));
}

// The members that lay inside [start, end) at the time.
static reason_set choose(sections *all, const memplan_engine *engine, const record *from, int32_t position) {
  int32_t first = all->first_member[from->section], n = all->first_member[from->section + 1] - first;
  reason_set set = {.members = &all->members[first],
                    .first = first,
                    .direction = from->direction,
                    .start = all->work,
                    .chosen = (int32_t *)(void *)(all->work + n)};
  for (int32_t k = 0; k < n; k++) {
    const member *one = &set.members[k];
    int32_t side = 2 * one->variable + from->direction;
    int64_t start = memplan_engine_bound_before(engine, side, position) + one->shift[from->direction];
    if (k == from->member || start < from->start || !was_present(all, engine, first + k, position)) {
      continue;
    }
    int64_t end = one->shift[from->direction] + one->length - memplan_engine_bound_before(engine, side ^ 1, position);
    if (end <= from->end) {
      set.start[set.n] = start;
      set.chosen[set.n++] = k;
      set.sum += one->length;
    }
  }
  return set;
}

static void push_conditions(const sections *all, memplan_engine *engine, int32_t index) {
  if (all->first_condition != NULL) {
    for (int32_t k = all->first_condition[index]; k < all->first_condition[index + 1]; k++) {
      memplan_engine_push(engine, all->conditions[k]);
    }
  }
}

// For the proof: the item, or -1 - item and its window.
static void name_member(const sections *all, memplan_engine *engine, const member *one) {
  bool whole = one->shift[0] == 0 && one->length == all->size[one->variable];
  memplan_engine_lemma(engine, whole ? one->variable : -1 - one->variable);
  if (!whole) {
    memplan_engine_lemma(engine, one->shift[0]);
    memplan_engine_lemma(engine, -one->shift[1]);
  }
}

// Where members depend on the section it belongs to the lemma.
static void name_section(const sections *all, memplan_engine *engine, int32_t section) {
  if (all->first_condition != NULL) {
    memplan_engine_lemma(engine, section);
  }
}

static void explain_overload(sections *all, memplan_engine *engine, const record *from, int32_t position) {
  reason_set set = choose(all, engine, from, position);
  int64_t spare = set.sum - (from->end - from->start) - 1;
  for (int32_t k = 0; k < set.n && all->settings.drop; k++) {
    int64_t length = set.members[set.chosen[k]].length;
    if (length <= spare) {
      spare -= length;
      set.chosen[k] = -1;
    }
  }
  int64_t start = from->start - (all->settings.lift ? spare : 0);
  memplan_engine_lemma(engine, MEMPLAN_LEMMA_OVERLOAD);
  name_section(all, engine, from->section);
  memplan_engine_lemma(engine, from->direction == 0 ? start : -from->end);
  memplan_engine_lemma(engine, from->direction == 0 ? from->end : -start);
  for (int32_t k = 0; k < set.n; k++) {
    if (set.chosen[k] >= 0) {
      const member *one = &set.members[set.chosen[k]];
      push_start(engine, one, from->direction, start);
      push_end(engine, one, from->direction, from->end);
      push_conditions(all, engine, set.first + set.chosen[k]);
      name_member(all, engine, one);
    }
  }
}

static void explain_edge(sections *all, memplan_engine *engine, const record *from, int32_t position, int64_t goal) {
  reason_set set = choose(all, engine, from, position);
  const member *own = &set.members[from->member];
  int64_t own_start =
      memplan_engine_bound_before(engine, 2 * own->variable + from->direction, position) + own->shift[from->direction];
  // the part that pushes: the starts from which on start + sum is largest
  int64_t best = INT64_MIN, cut = 0, lowest = own_start;
  int32_t n_pushing = 0;
  for (int32_t k = 0; k < set.n; k++) {
    int64_t sum = 0;
    for (int32_t l = 0; l < set.n; l++) {
      sum += set.start[l] >= set.start[k] ? set.members[set.chosen[l]].length : 0;
    }
    if (set.start[k] + sum > best) {
      best = set.start[k] + sum;
      cut = set.start[k];
    }
    lowest = set.start[k] < lowest ? set.start[k] : lowest;
  }
  for (int32_t k = 0; k < set.n; k++) {
    n_pushing += set.start[k] >= cut;
  }
  int64_t part = best - cut, base = from->end - set.sum - own->length + 1;
  int64_t spare = lowest - base, push_spare = best - goal;
  for (int32_t k = 0; k < set.n && all->settings.drop; k++) {
    int64_t length = set.members[set.chosen[k]].length;
    bool pushes = set.start[k] >= cut;
    // one that pushes has to stay: the first comes after it because there is no room before it
    if (length <= spare && (!pushes || (length <= push_spare && n_pushing > 1))) {
      spare -= length;
      base += length;
      push_spare -= pushes ? length : 0;
      part -= pushes ? length : 0;
      n_pushing -= pushes;
      set.chosen[k] = -1;
    }
  }
  int64_t floor = all->settings.lift ? base : lowest;
  int64_t push_floor = all->settings.lift ? goal - part : cut;
  push_floor = push_floor > floor ? push_floor : floor;
  push_start(engine, own, from->direction, floor);
  push_conditions(all, engine, set.first + from->member);
  memplan_engine_lemma(engine, MEMPLAN_LEMMA_EDGE);
  name_section(all, engine, from->section);
  const int64_t numbers[5] = {from->direction, floor, push_floor, from->end, goal};
  for (int32_t k = 0; k < 5; k++) {
    memplan_engine_lemma(engine, numbers[k]);
  }
  name_member(all, engine, own);
  for (int32_t k = 0; k < set.n; k++) {
    if (set.chosen[k] >= 0) {
      memplan_engine_lemma(engine, set.start[k] >= cut);
      name_member(all, engine, &set.members[set.chosen[k]]);
      const member *one = &set.members[set.chosen[k]];
      push_start(engine, one, from->direction, set.start[k] >= cut ? push_floor : floor);
      push_end(engine, one, from->direction, from->end);
      push_conditions(all, engine, set.first + set.chosen[k]);
    }
  }
}

static void explain(void *state, memplan_engine *engine, int32_t argument, int32_t position, memplan_literal needed) {
  sections *all = state;
  const record *from = &all->records[argument];
  if (from->member < 0) {
    explain_overload(all, engine, from, position);
    return;
  }
  const member *own = &all->members[all->first_member[from->section] + from->member];
  explain_edge(all, engine, from, position, memplan_literal_value(needed) + own->shift[from->direction]);
}

// ---- making

static void release(void *state) {
  sections *all = state;
  if (all != NULL) {
    void *const parts[] = {all->first_member,
                           all->members,
                           all->by_start[0],
                           all->by_start[1],
                           all->first_of_variable,
                           all->of_variable,
                           all->section_of,
                           all->first_condition,
                           all->conditions,
                           all->first_of_side,
                           all->of_side,
                           all->queue,
                           all->queued,
                           all->records,
                           all->spans,
                           all->founds,
                           all->absent,
                           all->ends,
                           all->narrows,
                           all->loud,
                           all->work,
                           all->size};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      free(parts[k]);
    }
    free(all);
  }
}

static void *copy(const void *from, int64_t n, size_t size) {
  void *made = malloc(((size_t)n + 1) * size);
  if (made != NULL && n > 0) {
    memcpy(made, from, (size_t)n * size);
  }
  return made;
}

static bool fill(sections *all, const memplan_place_problem *problem) {
  int32_t n_members = problem->first_member[problem->n_sections], most = 0;
  size_t members = (size_t)n_members + 1;
  all->first_member = copy(problem->first_member, problem->n_sections + 1, sizeof(int32_t));
  all->size = copy(problem->size, problem->n_items, sizeof(int64_t));
  all->members = malloc(members * sizeof *all->members);
  all->section_of = malloc(members * sizeof *all->section_of);
  all->by_start[0] = malloc(members * sizeof(int32_t));
  all->by_start[1] = malloc(members * sizeof(int32_t));
  all->queue = malloc(((size_t)problem->n_sections + 1) * sizeof *all->queue);
  all->queued = calloc((size_t)problem->n_sections + 1, sizeof *all->queued);
  if (all->size == NULL || all->first_member == NULL || all->members == NULL || all->section_of == NULL ||
      all->by_start[0] == NULL || all->by_start[1] == NULL || all->queue == NULL || all->queued == NULL) {
    return false;
  }
  for (int32_t section = 0; section < problem->n_sections; section++) {
    int32_t first = problem->first_member[section], n = problem->first_member[section + 1] - first;
    most = n > most ? n : most;
    for (int32_t k = 0; k < n; k++) {
      const memplan_section_member *from = &problem->members[first + k];
      all->members[first + k] = (member){from->item, {from->low, -from->high}, from->high - from->low};
      all->section_of[first + k] = section;
      all->by_start[0][first + k] = k;
      all->by_start[1][first + k] = k;
    }
  }
  all->spans = malloc(((size_t)most + 1) * sizeof *all->spans);
  all->founds = malloc((2 * (size_t)most + 1) * sizeof *all->founds);
  all->absent = malloc(((size_t)most + 1) * sizeof *all->absent);
  all->ends = malloc(((size_t)most + 1) * sizeof *all->ends);
  all->narrows = malloc(((size_t)most + 1) * sizeof *all->narrows);
  all->loud = malloc(((size_t)most + 1) * sizeof *all->loud);
  all->work = malloc((2 * (size_t)most + 1) * sizeof *all->work);
  return all->ends != NULL && all->narrows != NULL && all->loud != NULL && all->spans != NULL && all->founds != NULL &&
         all->absent != NULL && all->work != NULL;
}

static bool index_variables(sections *all) {
  int32_t n = all->first_member[all->n_sections];
  all->first_of_variable = calloc((size_t)all->n_variables + 2, sizeof(int32_t));
  all->of_variable = malloc(((size_t)n + 1) * sizeof(int32_t));
  if (all->first_of_variable == NULL || all->of_variable == NULL) {
    return false;
  }
  int32_t *first = all->first_of_variable + 1; // filled one place ahead, so that filling moves it home
  for (int32_t k = 0; k < n; k++) {
    first[all->members[k].variable + 1]++;
  }
  for (int32_t variable = 0; variable < all->n_variables; variable++) {
    first[variable + 1] += first[variable];
  }
  for (int32_t k = 0; k < n; k++) {
    all->of_variable[first[all->members[k].variable]++] = k;
  }
  return true;
}

static bool index_conditions(sections *all, const memplan_section_conditions *conditions) {
  int32_t n = all->first_member[all->n_sections], n_literals = conditions->first[n];
  all->first_condition = copy(conditions->first, n + 1, sizeof(int32_t));
  all->conditions = copy(conditions->literals, n_literals, sizeof *all->conditions);
  for (int32_t k = 0; k < n_literals; k++) {
    int32_t side = memplan_literal_side(conditions->literals[k]);
    all->n_sides = side >= all->n_sides ? side + 1 : all->n_sides;
  }
  all->first_of_side = calloc((size_t)all->n_sides + 2, sizeof(int32_t));
  all->of_side = malloc(((size_t)n_literals + 1) * sizeof(int32_t));
  if (all->first_condition == NULL || all->conditions == NULL || all->first_of_side == NULL || all->of_side == NULL) {
    return false;
  }
  int32_t *first = all->first_of_side + 1;
  for (int32_t k = 0; k < n_literals; k++) {
    first[memplan_literal_side(all->conditions[k]) + 1]++;
  }
  for (int32_t side = 0; side < all->n_sides; side++) {
    first[side + 1] += first[side];
  }
  for (int32_t k = 0; k < n; k++) {
    for (int32_t l = all->first_condition[k]; l < all->first_condition[k + 1]; l++) {
      all->of_side[first[memplan_literal_side(all->conditions[l])]++] = k;
    }
  }
  return true;
}

bool memplan_engine_add_sections(memplan_engine *engine, const memplan_place_problem *problem,
                                 const memplan_section_conditions *conditions,
                                 const memplan_section_settings *settings) {
  sections *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return false;
  }
  all->settings = *settings;
  all->n_sections = problem->n_sections;
  all->n_variables = problem->n_items;
  const memplan_propagator propagator = {all, wake, propagate, explain, backtrack, release};
  if (!fill(all, problem) || !index_variables(all) || (conditions != NULL && !index_conditions(all, conditions)) ||
      (all->kind = memplan_engine_add_propagator(engine, &propagator)) < 0) {
    release(all);
    return false;
  }
  return true;
}
