// SPDX-License-Identifier: Apache-2.0
// Bounds and their history. Each rise of a bound is an entry of the trail that points to the entry before it on the
// same side, so that what made a literal true, and what a bound was at any earlier time, is found by a walk along that
// chain. A variable with holes only ever has bounds that are allowed values: rises are rounded, and reasons are asked
// for the weakest bound that rounds to the same.
#include "solvers/engine_state.h"

#include "model/base/grow.h"

static int64_t round_up(const memplan_variable *variable, int32_t side, int64_t value) {
  if (variable->set == NULL) {
    return value;
  }
  if ((side & 1) == 0) {
    return memplan_offset_set_up(variable->set, value);
  }
  int64_t down = value > 0 ? -1 : memplan_offset_set_down(variable->set, -value);
  return down < 0 ? INT64_MAX : -down;
}

memplan_literal memplan_engine_weaken(const memplan_engine *engine, memplan_literal literal) {
  int32_t side = memplan_literal_side(literal);
  int64_t value = memplan_literal_value(literal);
  const memplan_offset_set *set = engine->variables[side >> 1].set;
  if (set != NULL) {
    if ((side & 1) == 0) {
      value = memplan_offset_set_weaken(set, value);
    } else if (value <= 0) {
      int64_t above = memplan_offset_set_up(set, 1 - value);
      value = above == INT64_MAX ? 1 - MEMPLAN_ENGINE_VALUES : 1 - above;
    }
    literal = memplan_literal_make(side, value);
  }
  return literal;
}

static bool append_entry(memplan_engine *engine, int32_t side, int64_t value, memplan_reason reason) {
  if (engine->n_trail == engine->trail_capacity) {
    memplan_entry *trail =
        memplan_grow_heap(engine->trail, engine->n_trail, &engine->trail_capacity, sizeof *engine->trail);
    if (trail == NULL || engine->n_trail == INT32_MAX) {
      engine->nomem = true;
      return false;
    }
    engine->trail = trail;
  }
  engine->trail[engine->n_trail] = (memplan_entry){.old = engine->bound[side],
                                                   .new = value,
                                                   .side = side,
                                                   .before = engine->last[side],
                                                   .level = engine->n_levels,
                                                   .reason = reason};
  engine->bound[side] = value;
  engine->last[side] = engine->n_trail++;
  engine->n_undecided -= engine->variables[side >> 1].boolean >= 0;
  return true;
}

static bool store_conflict(memplan_engine *engine, memplan_reason reason, memplan_literal needed) {
  engine->conflict = (memplan_conflict){reason, needed};
  return false;
}

bool memplan_engine_clash(memplan_engine *engine, memplan_reason reason) { return store_conflict(engine, reason, 0); }

bool memplan_engine_raise(memplan_engine *engine, int32_t side, int64_t value, memplan_reason reason) {
  if (engine->bound[side] >= value) {
    return true;
  }
  int64_t rounded = round_up(&engine->variables[side >> 1], side, value);
  int64_t most = -engine->bound[side ^ 1];
  if (rounded > most) {
    // what contradicts the opposite bound is the value itself: the smaller the literal, the weaker its reason, but the
    // stronger the opposite literal; the opposite bound often follows from the roof alone.
    value = value < MEMPLAN_ENGINE_VALUES ? value : MEMPLAN_ENGINE_VALUES;
    return store_conflict(engine, reason, memplan_literal_make(side, value));
  }
  return append_entry(engine, side, rounded, reason);
}

int32_t memplan_engine_find_entry(const memplan_engine *engine, memplan_literal literal) {
  int64_t value = memplan_literal_value(literal);
  int32_t entry = engine->last[memplan_literal_side(literal)];
  while (entry >= 0 && engine->trail[entry].old >= value) {
    entry = engine->trail[entry].before;
  }
  return entry;
}

int64_t memplan_engine_bound_before(const memplan_engine *engine, int32_t side, int32_t position) {
  int64_t bound = engine->bound[side];
  for (int32_t entry = engine->last[side]; entry >= position; entry = engine->trail[entry].before) {
    bound = engine->trail[entry].old;
  }
  return bound;
}

bool memplan_engine_decide(memplan_engine *engine, memplan_literal literal) {
  int32_t *levels = memplan_grow_heap(engine->level_start, engine->n_levels, &engine->level_capacity, sizeof *levels);
  if (levels == NULL) {
    engine->nomem = true;
    return false;
  }
  engine->level_start = levels;
  levels[engine->n_levels++] = engine->n_trail;
  return memplan_engine_raise(engine, memplan_literal_side(literal), memplan_literal_value(literal),
                              (memplan_reason){MEMPLAN_REASON_NONE, 0});
}

void memplan_engine_backtrack(memplan_engine *engine, int32_t level) {
  if (level >= engine->n_levels) {
    return;
  }
  int32_t length = engine->level_start[level];
  for (int32_t k = engine->n_trail - 1; k >= length; k--) {
    const memplan_entry *entry = &engine->trail[k];
    engine->bound[entry->side] = entry->old;
    engine->last[entry->side] = entry->before;
    engine->n_undecided += engine->variables[entry->side >> 1].boolean >= 0;
    memplan_engine_reopen_atoms(engine, entry->side, entry->old, entry->new);
  }
  engine->n_trail = length;
  engine->head = length;
  engine->n_levels = level;
  for (int32_t k = 0; k < engine->n_propagators; k++) {
    engine->propagators[k].backtrack(engine->propagators[k].state, engine);
  }
}

static bool lower_roofs(memplan_engine *engine) {
  int64_t bound = engine->bound[2 * engine->roof + 1];
  for (int32_t k = 0; k < engine->n_roofed; k++) {
    int32_t side = 2 * engine->roofed[k] + 1;
    if (!memplan_engine_raise(engine, side, bound + engine->roof_distance[side],
                              (memplan_reason){MEMPLAN_REASON_ROOF, 0})) {
      return false;
    }
  }
  return true;
}

// Consequences of the entries that have not been looked at.
static bool draw_entries(memplan_engine *engine) {
  while (engine->head < engine->n_trail) {
    memplan_entry entry = engine->trail[engine->head++];
    engine->counts.propagations++;
    engine->counts.ticks++;
    if (!memplan_engine_visit_clauses(engine, entry.side, entry.old, entry.new) ||
        (entry.side == 2 * engine->roof + 1 && !lower_roofs(engine))) {
      return false;
    }
    for (int32_t k = 0; k < engine->n_propagators; k++) {
      if (!engine->propagators[k].wake(engine->propagators[k].state, engine, entry.side)) {
        return false;
      }
    }
  }
  return true;
}

bool memplan_engine_propagate(memplan_engine *engine) {
  for (int32_t k = 0; k < engine->n_propagators;) {
    if (!draw_entries(engine)) {
      return false;
    }
    bool done = false;
    if (!engine->propagators[k].propagate(engine->propagators[k].state, engine, &done)) {
      return false;
    }
    if (engine->head < engine->n_trail) {
      k = 0;
    } else {
      k += done;
    }
  }
  return draw_entries(engine);
}
