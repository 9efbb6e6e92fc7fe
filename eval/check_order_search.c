// SPDX-License-Identifier: Apache-2.0
// The replay stands at the set of the line before and goes back to that which a line comes from. Sets are kept whole
// and are known by number: each that a line depends on is noted as wanted until some line closes it. At the end nothing
// may be wanted. As sets only grow from a line to those that it depends on, no line can be a reason for itself.
//
// A line closes two sets at most, and has to be written: more sets than the rest of the certificate has room to close
// are never noted, so that a short one cannot make many of them.
#include "eval/check_order_search.h"

#include "eval/order_replay.h"
#include "model/base/compiler.h"
#include "model/base/grow.h"
#include "model/base/names.h"
#include "model/base/set_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  most_interval = 14,
  most_chain = 256,
  wanted = 1,
  closed = 2,
  closed_by_line = 2,
  shortest_line = 11 // {"run":[]} and its end
};

// A line on the way from the empty set, and how many operators have run in its set.
typedef struct level {
  int32_t line, n_done;
} level;

// A cell that the operators of a commit touch, seen from the set before it.
typedef struct local_cell {
  int64_t bytes;
  uint32_t births, deaths; // by place in the commit
  bool born, endless;      // begun before; outlives the commit
} local_cell;

struct memplan_search_check {
  memplan_arena arena;
  memplan_check_result *result;
  memplan_order_replay replay;
  memplan_set_table sets;
  uint8_t *marks; // by set
  int64_t mark_room, n_wanted, most_wanted;
  int64_t threshold;
  int32_t *op_of; // by number of the certificate: operator
  level *levels;
  int32_t n_levels, n_lines;
  int32_t *commit; // operators of one
  // intervals
  local_cell *local;
  int32_t *place;                   // by cell: in `local`, or -1
  int32_t *touched;                 // by `local`, for one operator after the other
  int64_t live[1 << most_interval]; // by set of operators of a commit, -1: it cannot have run
  bool nomem;
};

static bool fail(memplan_search_check *check, const char *reason) {
  if (check->result->reason[0] == '\0') {
    (void)snprintf(check->result->reason, sizeof check->result->reason, "%.255s", reason);
  }
  return false;
}

static bool fail_nomem(memplan_search_check *check) {
  check->nomem = true;
  return false;
}

// ---- the first line

static bool read_ops(memplan_search_check *check, const json_t *ops) {
  const memplan_graph *graph = check->replay.ordering->graph;
  memplan_names names = {0};
  bool good =
      json_array_size(ops) == (size_t)graph->n_ops || fail(check, "the list of operators is not that of the graph");
  for (int32_t op = 0; op < graph->n_ops && good; op++) {
    good = memplan_names_add(&names, graph->ops[op].id, op) != -2 || fail_nomem(check);
  }
  for (int32_t k = 0; k < graph->n_ops && good; k++) {
    const char *id = json_string_value(json_array_get(ops, (size_t)k));
    int32_t op = id != NULL ? memplan_names_find(&names, id) : -1;
    good = (op >= 0 && !check->replay.marked[op]) ||
           fail(check, "an operator is listed that the graph does not have, or twice");
    if (good) {
      check->replay.marked[op] = true;
      check->op_of[k] = op;
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    check->replay.marked[op] = false;
  }
  memplan_names_free(&names);
  return good;
}

static bool read_op(memplan_search_check *check, const json_t *value, int32_t *op) {
  json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
  if (number < 0 || number >= check->replay.ordering->n_ops) {
    return fail(check, "an operator is named that the list does not have");
  }
  *op = check->op_of[number];
  return true;
}

static bool read_lazy(memplan_search_check *check, const json_t *lazy) {
  for (size_t k = 0; k < json_array_size(lazy); k++) {
    int32_t op;
    if (!read_op(check, json_array_get(lazy, k), &op)) {
      return false;
    }
    if (!memplan_order_replay_set_lazy(&check->replay, op)) {
      return fail(check, "an operator is called lazy that is not, or twice");
    }
  }
  return true;
}

static bool allocate(memplan_search_check *check) {
  const memplan_ordering *ordering = check->replay.ordering;
  memplan_arena *arena = &check->arena;
  check->op_of = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  check->levels = MEMPLAN_NEW(arena, level, (int64_t)ordering->n_ops + 2);
  check->commit = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  check->place = MEMPLAN_NEW(arena, int32_t, ordering->n_cells);
  check->local = MEMPLAN_NEW(arena, local_cell, ordering->n_cells);
  check->touched = MEMPLAN_NEW(arena, int32_t, (int64_t)most_interval * ordering->n_cells);
  for (int32_t cell = 0; cell < ordering->n_cells && check->place != NULL; cell++) {
    check->place[cell] = -1;
  }
  return check->op_of != NULL && check->levels != NULL && check->commit != NULL && check->place != NULL &&
         check->local != NULL && check->touched != NULL;
}

// ---- sets

// Notes the set that has run as wanted or closed. *was: its marks before.
static bool mark_set(memplan_search_check *check, uint8_t mark, uint8_t *was) {
  bool is_new;
  int32_t set = memplan_set_table_add(&check->sets, check->replay.done, &is_new);
  uint8_t *marks = set >= 0 ? memplan_grow_heap(check->marks, set, &check->mark_room, sizeof *marks) : NULL;
  if (marks == NULL) {
    return fail_nomem(check);
  }
  check->marks = marks;
  *was = is_new ? 0 : marks[set];
  check->n_wanted += (*was == 0 && mark == wanted) - (*was == wanted && mark == closed);
  marks[set] = *was | mark;
  return mark == closed || check->n_wanted <= check->most_wanted ||
         fail(check,
              "the certificate ends before its claim is proven: more sets are open than the rest of it can close");
}

memplan_status memplan_search_check_new(const memplan_ordering *ordering, const int32_t *before, const int32_t *after,
                                        int32_t n_edges, const json_t *line, memplan_check_result *result,
                                        memplan_search_check **check, memplan_error *error) {
  const char *search = json_string_value(json_object_get(line, "search"));
  bool cyclic, forward = search != NULL && strcmp(search, "forward") == 0;
  memplan_search_check *made = calloc(1, sizeof *made);
  *check = made;
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->result = result;
  made->threshold = result->claim - 1;
  made->most_wanted = INT64_MAX;
  memplan_set_table_init(&made->sets, ordering->n_ops);
  MEMPLAN_TRY(memplan_order_replay_init(&made->replay, ordering, !forward, before, after, n_edges, &cyclic,
                                        &made->arena, error));
  if (!allocate(made)) {
    return memplan_fail_nomem(error);
  }
  uint8_t was;
  bool good = search != NULL && (forward || strcmp(search, "reversed") == 0);
  if (cyclic || !good) {
    (void)fail(made, cyclic ? "the precedences form a circle" : "the search is neither forward nor reversed");
  } else if (read_ops(made, json_object_get(line, "ops")) && read_lazy(made, json_object_get(line, "lazy"))) {
    memplan_order_replay_begin(&made->replay);
    made->n_levels = 1;
    (void)mark_set(made, wanted, &was);
  }
  return made->nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

void memplan_search_check_free(memplan_search_check *check) {
  if (check != NULL) {
    memplan_set_table_free(&check->sets);
    free(check->marks);
    memplan_arena_free(&check->arena);
    free(check);
  }
}

static void go_back(memplan_search_check *check, int32_t n_done) {
  while (check->replay.n_done > n_done) {
    memplan_order_replay_undo(&check->replay);
  }
}

// ---- commits

static local_cell *find_local(memplan_search_check *check, int32_t cell, int32_t *count) {
  const memplan_order_replay *replay = &check->replay;
  if (check->place[cell] < 0) {
    bool init = replay->reversed ? replay->ordering->cells[cell].keep : replay->ordering->cells[cell].init;
    check->place[cell] = *count;
    check->local[(*count)++] =
        (local_cell){.bytes = replay->ordering->cells[cell].bytes, .born = init || replay->born[cell] > 0};
  }
  return &check->local[check->place[cell]];
}

static int compare_local_cells(const void *a, const void *b) {
  const local_cell *x = a, *y = b;
  if (x->births != y->births) {
    return x->births > y->births ? 1 : -1;
  }
  if (x->deaths != y->deaths) {
    return x->deaths > y->deaths ? 1 : -1;
  }
  return x->born != y->born ? x->born - y->born : x->endless - y->endless;
}

// Cells that the same operators begin and end count as one.
static int32_t merge_local_cells(local_cell *local, int32_t count) {
  int32_t kept = 0;
  if (count > 1) {
    qsort(local, (size_t)count, sizeof *local, compare_local_cells);
  }
  for (int32_t k = 0; k < count; k++) {
    if (kept > 0 && compare_local_cells(&local[kept - 1], &local[k]) == 0) {
      local[kept - 1].bytes += local[k].bytes;
    } else {
      local[kept++] = local[k];
    }
  }
  return kept;
}

// The cells that the operators touch; the replay stands before them.
static int32_t find_local_cells(memplan_search_check *check, int32_t n) {
  const memplan_order_replay *replay = &check->replay;
  int32_t count = 0;
  for (int32_t at = 0; at < n; at++) {
    int32_t op = check->commit[at];
    for (int32_t k = replay->op_births.first[op]; k < replay->op_births.first[op + 1]; k++) {
      find_local(check, replay->op_births.list[k], &count)->births |= UINT32_C(1) << at;
    }
    for (int32_t k = replay->op_deaths.first[op]; k < replay->op_deaths.first[op + 1]; k++) {
      find_local(check, replay->op_deaths.list[k], &count)->deaths |= UINT32_C(1) << at;
    }
  }
  for (int32_t at = 0; at < n; at++) {
    int32_t op = check->commit[at];
    for (int32_t side = 0; side < 2; side++) {
      const memplan_replay_lists *lists = side == 0 ? &replay->op_births : &replay->op_deaths;
      for (int32_t k = lists->first[op]; k < lists->first[op + 1]; k++) {
        int32_t cell = lists->list[k];
        if (check->place[cell] >= 0) {
          local_cell *local = &check->local[check->place[cell]];
          int32_t ends = memplan_bit_count(local->deaths);
          local->endless = ends == 0 || ends < replay->to_die[cell];
          check->place[cell] = -1;
        }
      }
    }
  }
  return merge_local_cells(check->local, count);
}

static int64_t bytes_of(const local_cell *local, uint32_t mask) {
  bool born = local->born || (local->births & mask) != 0, ended = !local->endless && (local->deaths & ~mask) == 0;
  return born && !ended ? local->bytes : 0;
}

static uint32_t before_mask(const memplan_search_check *check, int32_t at) {
  const memplan_order_replay *replay = &check->replay;
  int32_t op = check->commit[at];
  uint32_t mask = 0;
  for (int32_t other = 0; other < at; other++) {
    for (int32_t k = replay->pred.first[op]; k < replay->pred.first[op + 1]; k++) {
      mask |= replay->pred.list[k] == check->commit[other] ? UINT32_C(1) << other : 0;
    }
  }
  return mask;
}

// Has none of the sets between fewer live bytes than the last one? The replay stands before the commit; its operators
// can run as they stand.
static bool is_valley(memplan_search_check *check, int32_t n) {
  uint32_t before[most_interval], full = (UINT32_C(1) << n) - 1;
  int32_t n_local = find_local_cells(check, n), first[most_interval + 1] = {0};
  for (int32_t at = 0; at < n; at++) {
    before[at] = before_mask(check, at);
    first[at + 1] = first[at];
    for (int32_t k = 0; k < n_local; k++) {
      if (((check->local[k].births | check->local[k].deaths) >> at & 1) != 0) {
        check->touched[first[at + 1]++] = k;
      }
    }
  }
  check->live[0] = 0;
  for (int32_t k = 0; k < n_local; k++) {
    check->live[0] += bytes_of(&check->local[k], 0);
  }
  int64_t least = check->live[0];
  int32_t top = 0;
  for (uint32_t mask = 1; mask <= full; mask++) {
    top += mask >> (top + 1) != 0;
    uint32_t rest = mask ^ UINT32_C(1) << top;
    check->live[mask] = -1;
    if (check->live[rest] >= 0 && (before[top] & ~mask) == 0) {
      int64_t live = check->live[rest];
      for (int32_t k = first[top]; k < first[top + 1]; k++) {
        const local_cell *local = &check->local[check->touched[k]];
        live += bytes_of(local, mask) - bytes_of(local, rest);
      }
      check->live[mask] = live;
      least = live < least ? live : least;
    }
  }
  return check->live[full] == least;
}

// Are all operators but the last one lazy, and needed by it? Then nothing ends before it runs, and it needs them all.
static bool is_lazy_chain(const memplan_search_check *check, int32_t n) {
  const memplan_order_replay *replay = &check->replay;
  for (int32_t at = 0; at < n - 1; at++) {
    int32_t op = check->commit[at];
    bool needed = false;
    for (int32_t k = replay->succ.first[op]; k < replay->succ.first[op + 1] && !needed; k++) {
      for (int32_t other = at + 1; other < n && !needed; other++) {
        needed = replay->succ.list[k] == check->commit[other];
      }
    }
    if (!needed || !replay->lazy[op]) {
      return false;
    }
  }
  return true;
}

// May the operator be committed, as far as groups and the ends of the order are concerned?
static bool may_commit(const memplan_search_check *check, int32_t op, int32_t n) {
  const memplan_order_replay *replay = &check->replay;
  int32_t group = replay->ordering->graph->ops[op].group;
  if (replay->last > 0 && replay->succ.first[op + 1] == replay->succ.first[op]) {
    return false;
  }
  if (replay->open_group >= 0) {
    return n == 1 && group == replay->open_group;
  }
  return group < 0 || (replay->group_size[group] == 1 && n == 1);
}

// Runs the operators of a commit.
static bool check_commit(memplan_search_check *check, int32_t n) {
  memplan_order_replay *replay = &check->replay;
  int64_t live = replay->live;
  if (replay->n_done == 0 && replay->first > 0) {
    return fail(check, "nothing is safe before the first step, which bears more than others");
  }
  for (int32_t at = 0; at < n; at++) {
    if (!may_commit(check, check->commit[at], n)) {
      return fail(check, "an operator is committed that its group, or the last step, keeps from it");
    }
  }
  int32_t start = replay->n_done;
  for (int32_t at = 0; at < n; at++) {
    int32_t op = check->commit[at];
    if (!memplan_order_replay_may_run(replay, op)) {
      return fail(check, "an operator is committed before it can run");
    }
    int64_t load = memplan_order_replay_load(replay, op);
    if (load < 0) {
      return fail_nomem(check);
    }
    if (load > check->threshold) {
      return fail(check, "the load of a committed operator is not below the claim");
    }
    memplan_order_replay_run(replay, op);
  }
  if (replay->live > live) {
    return fail(check, "more is live after a commit than before it");
  }
  if (n == 1 || (n <= most_chain && is_lazy_chain(check, n))) {
    return true;
  }
  go_back(check, start);
  if (n > most_interval || !is_valley(check, n)) {
    return fail(check, "a commit passes over a set with fewer live bytes, or is longer than 14 operators");
  }
  for (int32_t at = 0; at < n; at++) {
    memplan_order_replay_run(replay, check->commit[at]);
  }
  return true;
}

static bool read_commits(memplan_search_check *check, const json_t *commits) {
  for (size_t k = 0; k < json_array_size(commits); k++) {
    const json_t *commit = json_array_get(commits, k);
    size_t n = json_is_array(commit) ? json_array_size(commit) : 1;
    if (n == 0 || n > (size_t)check->replay.ordering->n_ops) {
      return fail(check, "a commit is empty, or longer than the graph");
    }
    for (size_t at = 0; at < n; at++) {
      if (!read_op(check, json_is_array(commit) ? json_array_get(commit, at) : commit, &check->commit[at])) {
        return false;
      }
    }
    if (!check_commit(check, (int32_t)n)) {
      return false;
    }
  }
  return true;
}

// ---- moves

// Wants the set after the operator, if its load is below the claim.
static bool check_move(memplan_search_check *check, int32_t op) {
  memplan_order_replay *replay = &check->replay;
  int32_t start = replay->n_done;
  uint8_t was;
  if (replay->missing[op] > 0) {
    int32_t n = memplan_order_replay_find_needs(replay, op);
    for (int32_t k = 0; k < n; k++) {
      memplan_order_replay_run(replay, replay->needs[k]);
    }
  }
  int64_t load = memplan_order_replay_load(replay, op);
  bool good = load >= 0 || fail_nomem(check);
  if (good && load <= check->threshold) {
    uint64_t bit = UINT64_C(1) << (op % 64);
    replay->done[op / 64] |= bit;
    good = mark_set(check, wanted, &was);
    replay->done[op / 64] &= ~bit;
  }
  go_back(check, start);
  return good;
}

// Lazy operators alone are left: does running them pass the threshold? Nothing dies by them, so that any order will do.
static bool check_rest(memplan_search_check *check) {
  memplan_order_replay *replay = &check->replay;
  int32_t start = replay->n_done;
  bool passed = false;
  for (int32_t place = 0; place < replay->ordering->n_ops && !passed; place++) {
    int32_t op = replay->by_place[place];
    if (!memplan_order_replay_may_run(replay, op)) {
      continue;
    }
    int64_t load = memplan_order_replay_load(replay, op);
    if (load < 0) {
      return fail_nomem(check);
    }
    passed = load > check->threshold;
    memplan_order_replay_run(replay, op);
  }
  go_back(check, start);
  return passed || fail(check, "an order ends below the claim");
}

static bool check_moves(memplan_search_check *check) {
  memplan_order_replay *replay = &check->replay;
  if (replay->n_done == 0 && replay->first > 0) {
    for (int32_t op = 0; op < replay->ordering->n_ops; op++) {
      if (memplan_order_replay_may_run(replay, op) && !check_move(check, op)) {
        return false;
      }
    }
    return replay->ordering->n_ops > 0 || fail(check, "the graph has no operators");
  }
  if (replay->n_hard_done == replay->n_hard) {
    return check_rest(check);
  }
  for (int32_t at = 0; at < replay->n_ready; at++) {
    int32_t op = replay->ready[at];
    if (memplan_order_replay_admits(replay, op) && !check_move(check, op)) {
      return false;
    }
  }
  return true;
}

// ---- lines

// Goes to the set of the line that this one comes from.
static bool go_to_origin(memplan_search_check *check, const json_t *line) {
  const json_t *from = json_object_get(line, "from");
  json_int_t origin = from == NULL ? check->n_lines : json_is_integer(from) ? json_integer_value(from) : -1;
  while (check->n_levels > 0 && check->levels[check->n_levels - 1].line > origin) {
    check->n_levels--;
  }
  if (check->n_levels == 0 || check->levels[check->n_levels - 1].line != origin) {
    return fail(check, "a line comes from one that is not on its way from the empty set");
  }
  go_back(check, check->levels[check->n_levels - 1].n_done);
  return true;
}

static bool run_steps(memplan_search_check *check, const json_t *run) {
  for (size_t k = 0; k < json_array_size(run); k++) {
    int32_t op;
    if (!read_op(check, json_array_get(run, k), &op)) {
      return false;
    }
    if (!memplan_order_replay_may_run(&check->replay, op)) {
      return fail(check, "an operator runs before it can");
    }
    memplan_order_replay_run(&check->replay, op);
  }
  return true;
}

static bool check_line(memplan_search_check *check, const json_t *line) {
  uint8_t was;
  if (!json_is_array(json_object_get(line, "run")) || check->n_lines == INT32_MAX) {
    return fail(check, "the line does not say what has run");
  }
  if (!go_to_origin(check, line) || !run_steps(check, json_object_get(line, "run")) || !mark_set(check, closed, &was)) {
    return false;
  }
  int32_t met = check->replay.n_done;
  if (!read_commits(check, json_object_get(line, "commit")) ||
      (check->replay.n_done > met && !mark_set(check, closed, &was))) {
    return false;
  }
  if ((was & closed) == 0 && !check_moves(check)) {
    return false;
  }
  check->n_lines++;
  // A line without steps comes to the set of another one: the way does not grow by it.
  if (check->levels[check->n_levels - 1].n_done < check->replay.n_done || check->n_lines == 1) {
    check->levels[check->n_levels++] = (level){check->n_lines, check->replay.n_done};
  } else {
    check->levels[check->n_levels - 1].line = check->n_lines;
  }
  return true;
}

memplan_status memplan_search_check_line(memplan_search_check *check, const json_t *line, size_t rest,
                                         memplan_error *error) {
  check->most_wanted = closed_by_line * (((int64_t)rest + 1) / shortest_line);
  (void)check_line(check, line);
  return check->nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

bool memplan_search_check_is_closed(const memplan_search_check *check) {
  return check->n_levels > 0 && check->n_lines > 0 && check->n_wanted == 0;
}
