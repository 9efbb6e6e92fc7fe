// SPDX-License-Identifier: Apache-2.0
// Conflict analysis to the first unique implication point (Marques-Silva and Sakallah, GRASP, 1999), on bounds: of each
// side only the largest value needed counts, since a stronger need implies a weaker one; reasons are asked for the
// value needed and not for the bound that they gave.
//
// Removal of literals that follow from the rest: a literal counts as implied by a stronger one on the same side only if
// that one is older than what it helps to remove. Otherwise two literals could justify each other: a needs side s at 5,
// the clause holds s at 7, and s at 7 was reached by a. With that rule every removed literal follows from older ones,
// and by induction along the trail from those that stay.
#include "solvers/engine_state.h"

#include "model/base/grow.h"
#include "solvers/engine_log.h"

#include <stdlib.h>
#include <string.h>

static const int32_t deepest = 6;
static const int32_t minimise_steps = 150;

void memplan_literals_push(memplan_engine *engine, memplan_literals *literals, memplan_literal literal) {
  memplan_literal *list = memplan_grow_heap(literals->list, literals->n, &literals->capacity, sizeof *list);
  if (list == NULL) {
    engine->nomem = true;
    return;
  }
  literals->list = list;
  list[literals->n++] = literal;
}

void memplan_engine_push(memplan_engine *engine, memplan_literal literal) {
  memplan_literals_push(engine, &engine->premises, literal);
}

void memplan_engine_explain(memplan_engine *engine, memplan_reason reason, int32_t position, memplan_literal needed) {
  engine->premises.n = 0;
  if (engine->log != NULL) {
    engine->log->n_lemma = 0;
  }
  int32_t side = memplan_literal_side(needed);
  if (reason.kind == MEMPLAN_REASON_CLAUSE) {
    memplan_clause *clause = memplan_engine_clause(engine, reason.argument);
    const memplan_literal *literals = memplan_clause_literals(clause);
    for (int32_t k = 0; k < clause->n; k++) {
      if (memplan_literal_side(literals[k]) != side) {
        memplan_engine_push(engine, memplan_literal_negate(literals[k]));
      }
    }
  } else if (reason.kind == MEMPLAN_REASON_ROOF) {
    memplan_engine_push(engine, memplan_literal_make(2 * engine->roof + 1,
                                                     memplan_literal_value(needed) - engine->roof_distance[side]));
  } else if (reason.kind >= MEMPLAN_REASON_PROPAGATOR) {
    const memplan_propagator *propagator = &engine->propagators[reason.kind - MEMPLAN_REASON_PROPAGATOR];
    propagator->explain(propagator->state, engine, reason.argument, position, needed);
  }
}

// The literal as analysis wants it, and the entry that made it true; -1 if that was at the root.
static int32_t settle(const memplan_engine *engine, memplan_literal *literal) {
  memplan_literal weak = memplan_engine_weaken(engine, *literal);
  int32_t root = memplan_engine_root_length(engine);
  int32_t entry = memplan_engine_find_entry(engine, weak);
  *literal = weak;
  if (entry < root) {
    return -1;
  }
  int64_t distance = engine->roof_distance[memplan_literal_side(weak)];
  if (distance >= 0) {
    memplan_literal roof = memplan_literal_make(2 * engine->roof + 1, memplan_literal_value(weak) - distance);
    if (memplan_engine_is_true(engine, roof)) {
      *literal = roof;
      entry = memplan_engine_find_entry(engine, roof);
    }
  }
  return entry < root ? -1 : entry;
}

// Adds a need; counts those of the level that is analysed.
static void add(memplan_engine *engine, memplan_literal literal, int32_t level, int32_t *count) {
  int32_t entry = settle(engine, &literal);
  if (entry < 0) {
    return;
  }
  int32_t side = memplan_literal_side(literal), other = engine->need_entry[side];
  int64_t value = memplan_literal_value(literal);
  if (other >= 0 && engine->need_value[side] >= value) {
    return;
  }
  if (engine->seen_value[side] == INT64_MIN) {
    engine->seen_value[side] = value;
    engine->touched[engine->n_touched++] = side;
  }
  *count += (engine->trail[entry].level == level) - (other >= 0 && engine->trail[other].level == level);
  engine->need_entry[side] = entry;
  engine->need_value[side] = value;
}

static int32_t conflict_level(const memplan_engine *engine) {
  int32_t level = 0;
  for (int32_t k = 0; k < engine->premises.n; k++) {
    memplan_literal literal = engine->premises.list[k];
    int32_t entry = settle(engine, &literal);
    if (entry >= 0 && engine->trail[entry].level > level) {
      level = engine->trail[entry].level;
    }
  }
  return level;
}

static void note(memplan_engine *engine, memplan_reason reason, int32_t position) {
  if (reason.kind == MEMPLAN_REASON_CLAUSE) {
    memplan_engine_bump_clause(engine, memplan_engine_clause(engine, reason.argument));
  }
  if (engine->log != NULL) {
    memplan_log_add_use(engine, reason, position);
  }
}

// Resolves needs of the level until one is left; returns its entry, -1 if the conflict lies at the root.
static int32_t resolve(memplan_engine *engine, int32_t *level) {
  int32_t count = 0;
  const memplan_conflict *conflict = &engine->conflict;
  memplan_engine_explain(engine, conflict->reason, engine->n_trail, conflict->needed);
  note(engine, conflict->reason, engine->n_trail);
  if (conflict->needed != 0) {
    memplan_engine_push(engine, memplan_literal_negate(conflict->needed));
  }
  *level = conflict_level(engine);
  if (*level == 0) {
    return -1;
  }
  for (int32_t k = 0; k < engine->premises.n; k++) {
    add(engine, engine->premises.list[k], *level, &count);
  }
  int32_t position = *level < engine->n_levels ? engine->level_start[*level] : engine->n_trail;
  for (;;) {
    int32_t side;
    do {
      side = engine->trail[--position].side;
    } while (engine->need_entry[side] != position);
    if (count == 1) {
      return position;
    }
    memplan_literal needed = memplan_literal_make(side, engine->need_value[side]);
    memplan_reason reason = engine->trail[position].reason;
    memplan_engine_bump_literal(engine, needed);
    engine->need_entry[side] = -1;
    count--;
    memplan_engine_explain(engine, reason, position, needed);
    note(engine, reason, position);
    for (int32_t k = 0; k < engine->premises.n; k++) {
      add(engine, engine->premises.list[k], *level, &count);
    }
  }
}

// ---- minimisation

static bool is_covered(const memplan_engine *engine, memplan_literal literal, int32_t than) {
  int32_t side = memplan_literal_side(literal);
  return engine->need_entry[side] >= 0 && engine->need_value[side] >= memplan_literal_value(literal) &&
         (engine->need_entry[side] < than || !engine->settings.check_older);
}

static bool follows(memplan_engine *engine, int32_t entry, memplan_literal literal, int32_t depth);

// Do all premises of the literal follow from the clause, by literals older than `entry`?
static bool premises_follow(memplan_engine *engine, int32_t entry, memplan_literal literal, int32_t depth) {
  memplan_engine_explain(engine, engine->trail[entry].reason, entry, literal);
  int32_t first = engine->stack.n, n = engine->premises.n;
  for (int32_t k = 0; k < n; k++) {
    memplan_literal premise = engine->premises.list[k];
    int32_t cause = settle(engine, &premise);
    if (cause >= 0 && !is_covered(engine, premise, entry)) {
      if (engine->trail[cause].reason.kind == MEMPLAN_REASON_NONE ||
          engine->level_stamp[engine->trail[cause].level] != engine->level_stamp_now) {
        engine->stack.n = first;
        return false;
      }
      memplan_literals_push(engine, &engine->stack, premise);
    }
  }
  bool good = !engine->nomem;
  for (int32_t k = engine->stack.n - 1; k >= first && good; k--) {
    memplan_literal premise = engine->stack.list[k];
    good = follows(engine, memplan_engine_find_entry(engine, premise), premise, depth);
  }
  engine->stack.n = first;
  return good;
}

static bool follows(memplan_engine *engine, int32_t entry, memplan_literal literal, int32_t depth) {
  int64_t value = memplan_literal_value(literal);
  memplan_memo *memo = &engine->memos[entry];
  if (memo->stamp != engine->stamp) {
    *memo = (memplan_memo){INT64_MIN, INT64_MAX, engine->stamp};
  }
  if (value <= memo->good) {
    return true;
  }
  if (value >= memo->bad || depth == 0 || engine->minimise_budget-- <= 0) {
    return false;
  }
  bool good = premises_follow(engine, entry, literal, depth - 1);
  if (good) {
    memo->good = value;
  } else {
    memo->bad = value;
  }
  return good;
}

// For the proof: the reasons by which a removed literal follows.
static void note_removed(memplan_engine *engine, int32_t entry, memplan_literal literal) {
  memplan_engine_explain(engine, engine->trail[entry].reason, entry, literal);
  memplan_log_add_use(engine, engine->trail[entry].reason, entry);
  int32_t first = engine->stack.n, n = engine->premises.n;
  for (int32_t k = 0; k < n; k++) {
    memplan_literal premise = engine->premises.list[k];
    if (settle(engine, &premise) >= 0 && !is_covered(engine, premise, entry)) {
      memplan_literals_push(engine, &engine->stack, premise);
    }
  }
  for (int32_t k = engine->stack.n - 1; k >= first; k--) {
    memplan_literal premise = engine->stack.list[k];
    note_removed(engine, memplan_engine_find_entry(engine, premise), premise);
  }
  engine->stack.n = first;
}

static bool prepare_memos(memplan_engine *engine) {
  if (engine->memo_capacity < engine->n_trail) {
    memplan_memo *memos = realloc(engine->memos, (size_t)engine->trail_capacity * sizeof *memos);
    if (memos == NULL) {
      engine->nomem = true;
      return false;
    }
    memset(&memos[engine->memo_capacity], 0, (size_t)(engine->trail_capacity - engine->memo_capacity) * sizeof *memos);
    engine->memos = memos;
    engine->memo_capacity = engine->trail_capacity;
  }
  return true;
}

// Removes literals from `learned` (needs, true ones; the first stays).
static void minimise(memplan_engine *engine) {
  memplan_literals *learned = &engine->learned;
  if (!engine->settings.minimise || !prepare_memos(engine)) {
    return;
  }
  engine->stamp++;
  engine->stack.n = 0;
  engine->minimise_budget = minimise_steps;
  int32_t kept = 1;
  for (int32_t k = 1; k < learned->n; k++) {
    memplan_literal literal = learned->list[k];
    int32_t entry = engine->need_entry[memplan_literal_side(literal)];
    bool removed = engine->trail[entry].reason.kind != MEMPLAN_REASON_NONE && follows(engine, entry, literal, deepest);
    if (removed && engine->log != NULL) {
      note_removed(engine, entry, literal);
    }
    if (!removed) {
      learned->list[kept++] = literal;
    }
  }
  learned->n = kept;
}

// ---- learning

// Stamps the levels of the needs and returns how many there are.
static int32_t stamp_levels(memplan_engine *engine, const memplan_literals *needs) {
  if (engine->level_stamp_capacity <= engine->n_levels) {
    uint32_t *stamps = realloc(engine->level_stamp, (size_t)(engine->level_capacity + 1) * sizeof *stamps);
    if (stamps == NULL) {
      engine->nomem = true;
      return 0;
    }
    memset(&stamps[engine->level_stamp_capacity], 0,
           (size_t)(engine->level_capacity + 1 - engine->level_stamp_capacity) * sizeof *stamps);
    engine->level_stamp = stamps;
    engine->level_stamp_capacity = engine->level_capacity + 1;
  }
  engine->level_stamp_now++;
  int32_t n = 0;
  for (int32_t k = 0; k < needs->n; k++) {
    int32_t level = engine->trail[engine->need_entry[memplan_literal_side(needs->list[k])]].level;
    n += engine->level_stamp[level] != engine->level_stamp_now;
    engine->level_stamp[level] = engine->level_stamp_now;
  }
  return n;
}

static void collect(memplan_engine *engine, int32_t implication_point) {
  engine->learned.n = 0;
  int32_t first_side = engine->trail[implication_point].side;
  memplan_literals_push(engine, &engine->learned, memplan_literal_make(first_side, engine->need_value[first_side]));
  for (int32_t k = 0; k < engine->n_touched; k++) {
    int32_t side = engine->touched[k];
    if (engine->need_entry[side] >= 0 && side != first_side) {
      memplan_literals_push(engine, &engine->learned, memplan_literal_make(side, engine->need_value[side]));
    }
  }
  for (int32_t k = 0; k < engine->learned.n; k++) {
    memplan_engine_bump_literal(engine, engine->learned.list[k]);
  }
}

// Puts a literal of the highest level but the first's at place 1 and returns that level.
static int32_t order_literals(memplan_engine *engine) {
  memplan_literal *list = engine->learned.list;
  int32_t best = 0, level = 0;
  for (int32_t k = 1; k < engine->learned.n; k++) {
    int32_t own = engine->trail[engine->need_entry[memplan_literal_side(list[k])]].level;
    if (own > level) {
      level = own;
      best = k;
    }
  }
  if (best > 0) {
    memplan_literal literal = list[1];
    list[1] = list[best];
    list[best] = literal;
  }
  return level;
}

static void forget_needs(memplan_engine *engine) {
  for (int32_t k = 0; k < engine->n_touched; k++) {
    engine->need_entry[engine->touched[k]] = -1;
    engine->seen_value[engine->touched[k]] = INT64_MIN;
  }
  engine->n_touched = 0;
}

bool memplan_engine_learn(memplan_engine *engine) {
  int32_t level;
  if (engine->log != NULL) {
    memplan_log_root(engine);
  }
  int32_t implication_point = resolve(engine, &level);
  if (implication_point < 0 || engine->nomem) {
    forget_needs(engine);
    if (engine->log != NULL && !engine->nomem) {
      (void)memplan_log_finish(engine, NULL, 0, false);
    }
    return false;
  }
  collect(engine, implication_point);
  (void)stamp_levels(engine, &engine->learned);
  if (!engine->nomem) {
    minimise(engine);
  }
  int32_t target = order_literals(engine);
  int32_t distance = stamp_levels(engine, &engine->learned);
  forget_needs(engine);
  if (engine->nomem) {
    return false;
  }
  memplan_literal *list = engine->learned.list;
  int32_t n = engine->learned.n;
  for (int32_t k = 0; k < n; k++) {
    list[k] = memplan_literal_negate(list[k]);
  }
  if (engine->look != NULL) {
    engine->look(engine->look_context, list, n);
  }
  memplan_engine_keep_news(engine, list, n, distance);
  int32_t id = engine->log != NULL ? memplan_log_finish(engine, list, n, false) : 0;
  memplan_engine_backtrack(engine, target);
  memplan_reason reason = {MEMPLAN_REASON_NONE, 0};
  engine->counts.learned_literals += n;
  if (n > 1) {
    int32_t clause = memplan_engine_store_clause(engine, list, n, distance > 0 ? distance : 1);
    if (clause < 0) {
      return false;
    }
    memplan_engine_clause(engine, clause)->id = id;
    reason = (memplan_reason){MEMPLAN_REASON_CLAUSE, clause};
  }
  return memplan_engine_raise(engine, memplan_literal_side(list[0]), memplan_literal_value(list[0]), reason);
}
