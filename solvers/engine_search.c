// SPDX-License-Identifier: Apache-2.0
// The loop: propagate, learn, restart, reduce, decide. Restarts follow Luby's sequence (Luby, Sinclair and Zuckerman,
// IPL 1993). The assumption is the first decision, so that a learned clause in which it occurs holds whatever is
// assumed later.
#include "solvers/engine_state.h"

#include "model/base/grow.h"
#include "solvers/engine_log.h"

#include <stdlib.h>

static const int32_t more_clauses = 300; // kept after each reduction than before

memplan_engine_settings memplan_engine_settings_default(void) {
  return (memplan_engine_settings){
      .luby = 100, .decay_part = 19, .clauses = 4000, .bound_branching = true, .minimise = true, .check_older = true};
}

memplan_engine *memplan_engine_new(const memplan_engine_settings *settings) {
  memplan_engine *engine = calloc(1, sizeof *engine);
  if (engine == NULL) {
    return NULL;
  }
  engine->settings = *settings;
  engine->roof = -1;
  engine->learned_limit = settings->clauses;
  engine->step = UINT64_C(1) << 20;
  engine->clause_step = 1;
  if (settings->proof) {
    engine->log = memplan_log_new();
    if (engine->log == NULL) {
      free(engine);
      return NULL;
    }
  }
  return engine;
}

void memplan_engine_free(memplan_engine *engine) {
  if (engine == NULL) {
    return;
  }
  for (int32_t k = 0; k < engine->n_propagators; k++) {
    engine->propagators[k].release(engine->propagators[k].state);
  }
  for (int32_t k = 0; k < engine->n_variables; k++) {
    free(engine->variables[k].keys);
  }
  for (int32_t k = 0; k < engine->n_atoms; k++) {
    free(engine->atoms[k].watches[0].list);
    free(engine->atoms[k].watches[1].list);
  }
  void *const parts[] = {engine->variables,     engine->bound,      engine->last,        engine->roofed,
                         engine->roof_distance, engine->trail,      engine->level_start, engine->memory,
                         engine->clauses,       engine->atoms,      engine->heap,        engine->need_value,
                         engine->need_entry,    engine->seen_value, engine->touched,     engine->premises.list,
                         engine->learned.list,  engine->stack.list, engine->memos,       engine->level_stamp,
                         engine->news.list};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    free(parts[k]);
  }
  memplan_log_free(engine->log);
  free(engine);
}

// ---- setting up

// Room for two more sides in each array by side.
static bool grow_sides(memplan_engine *engine) {
  int64_t sides = 2 * (int64_t)engine->n_variables;
  if (sides + 2 <= engine->bound_capacity) {
    return true;
  }
  int64_t capacity = sides < 32 ? 64 : 2 * sides;
  size_t bytes = (size_t)capacity * sizeof(int64_t), small = (size_t)capacity * sizeof(int32_t);
  void **wide[] = {(void **)&engine->bound, (void **)&engine->roof_distance, (void **)&engine->need_value,
                   (void **)&engine->seen_value};
  void **narrow[] = {(void **)&engine->last, (void **)&engine->need_entry, (void **)&engine->touched};
  for (size_t k = 0; k < 7; k++) {
    void **array = k < 4 ? wide[k] : narrow[k - 4];
    void *grown = realloc(*array, k < 4 ? bytes : small);
    if (grown == NULL) {
      return false;
    }
    *array = grown;
  }
  engine->bound_capacity = capacity;
  return true;
}

int32_t memplan_engine_add_variable(memplan_engine *engine, int64_t low, int64_t high, const memplan_offset_set *set) {
  int32_t index = engine->n_variables;
  memplan_variable *variables =
      memplan_grow_heap(engine->variables, index, &engine->variable_capacity, sizeof *variables);
  if (variables == NULL || index >= MEMPLAN_ENGINE_VARIABLES) {
    engine->nomem = true;
    return -1;
  }
  engine->variables = variables;
  if (!grow_sides(engine)) {
    engine->nomem = true;
    return -1;
  }
  // a set of one range without steps has no holes between its ends
  bool holes = set != NULL && (set->n_ranges != 1 || set->step > 1);
  variables[index] = (memplan_variable){.set = holes ? set : NULL, .boolean = -1};
  engine->n_variables++;
  for (int32_t side = 2 * index; side < 2 * index + 2; side++) {
    engine->bound[side] = (side & 1) == 0 ? low : -high;
    engine->last[side] = -1;
    engine->roof_distance[side] = -1;
    engine->need_entry[side] = -1;
    engine->seen_value[side] = INT64_MIN;
  }
  return index;
}

void memplan_engine_set_roof(memplan_engine *engine, int32_t variable, int32_t roof, int64_t distance) {
  int32_t *roofed = memplan_grow_heap(engine->roofed, engine->n_roofed, &engine->roofed_capacity, sizeof *roofed);
  if (roofed == NULL) {
    engine->nomem = true;
    return;
  }
  engine->roofed = roofed;
  roofed[engine->n_roofed++] = variable;
  engine->roof_distance[2 * variable + 1] = distance;
  engine->roof = roof;
}

int32_t memplan_engine_add_propagator(memplan_engine *engine, const memplan_propagator *propagator) {
  if (engine->n_propagators == MEMPLAN_ENGINE_PROPAGATORS) {
    return -1;
  }
  engine->propagators[engine->n_propagators] = *propagator;
  return MEMPLAN_REASON_PROPAGATOR + engine->n_propagators++;
}

bool memplan_engine_add_clause(memplan_engine *engine, const memplan_literal *literals, int32_t n) {
  memplan_engine_backtrack(engine, 0);
  if (n == 1) {
    return memplan_engine_assert(engine, literals[0]);
  }
  return memplan_engine_store_clause(engine, literals, n, 0) >= 0;
}

void memplan_engine_assume(memplan_engine *engine, memplan_literal assumption) {
  memplan_engine_backtrack(engine, 0);
  engine->assumption = assumption;
  engine->has_assumption = true;
}

bool memplan_engine_assert(memplan_engine *engine, memplan_literal fact) {
  memplan_engine_backtrack(engine, 0);
  if (engine->log != NULL) {
    (void)memplan_log_finish(engine, &fact, 1, true);
  }
  bool good = memplan_engine_raise(engine, memplan_literal_side(fact), memplan_literal_value(fact),
                                   (memplan_reason){MEMPLAN_REASON_NONE, 0});
  engine->root_conflict = engine->root_conflict || !good;
  return good;
}

// ---- the loop

// 1 1 2 1 1 2 4 …, from index 1.
static int64_t luby(int64_t index) {
  for (;;) {
    int64_t power = 1;
    while (2 * power - 1 < index) {
      power *= 2;
    }
    if (2 * power - 1 == index) {
      return power;
    }
    index -= power - 1;
  }
}

static int64_t count_memory(const memplan_engine *engine) {
  const int64_t side = 4 * (int64_t)sizeof(int64_t) + 3 * (int64_t)sizeof(int32_t);
  return 8 * engine->memory_capacity + engine->clause_capacity * (int64_t)sizeof *engine->clauses + engine->list_bytes +
         engine->atom_capacity * (int64_t)sizeof *engine->atoms +
         engine->heap_capacity * (int64_t)sizeof *engine->heap +
         engine->variable_capacity * (int64_t)sizeof *engine->variables + engine->bound_capacity * side +
         engine->trail_capacity * (int64_t)sizeof *engine->trail +
         engine->memo_capacity * (int64_t)sizeof *engine->memos;
}

bool memplan_engine_is_full(const memplan_engine *engine) {
  return engine->settings.memory > 0 && count_memory(engine) > engine->settings.memory;
}

static bool is_crowded(const memplan_engine *engine) {
  return engine->settings.memory > 0 && count_memory(engine) > engine->settings.memory / 2;
}

static void restart_if_due(memplan_engine *engine) {
  if (engine->restart_conflicts < luby(engine->restart_index + 1) * engine->settings.luby) {
    return;
  }
  engine->restart_index++;
  engine->restart_conflicts = 0;
  engine->counts.restarts++;
  memplan_engine_backtrack(engine, engine->has_assumption && engine->n_levels > 0 ? 1 : 0);
  if (engine->n_learned > engine->learned_limit) {
    engine->learned_limit += more_clauses;
    memplan_engine_reduce_clauses(engine);
  } else if (is_crowded(engine)) {
    memplan_engine_reduce_clauses(engine);
  }
}

// Decides something. False: `*result` says what there is to report.
static bool decide(memplan_engine *engine, memplan_engine_result *result) {
  if (engine->has_assumption && engine->n_levels == 0) {
    if (memplan_engine_is_false(engine, engine->assumption)) {
      *result = MEMPLAN_ENGINE_FAILED;
      return false;
    }
    return memplan_engine_decide(engine, engine->assumption);
  }
  if (engine->n_undecided == 0) {
    *result = MEMPLAN_ENGINE_SOLUTION;
    return false;
  }
  memplan_literal literal = memplan_engine_pick(engine);
  engine->counts.decisions++;
  return memplan_engine_decide(engine, literal);
}

static bool draw(memplan_engine *engine) {
  while (!memplan_engine_propagate(engine)) {
    if (engine->nomem) {
      return false;
    }
    engine->counts.conflicts++;
    engine->restart_conflicts++;
    if (!memplan_engine_learn(engine)) {
      return false;
    }
    memplan_engine_grow_step(engine);
    engine->clause_step += engine->clause_step / 1024 + 1;
  }
  return true;
}

// Wakes everything once: what follows from the first bounds alone.
static bool start(memplan_engine *engine) {
  engine->started = true;
  for (int32_t side = 0; side < 2 * engine->n_variables; side++) {
    for (int32_t k = 0; k < engine->n_propagators; k++) {
      if (!engine->propagators[k].wake(engine->propagators[k].state, engine, side)) {
        return false;
      }
    }
  }
  return true;
}

memplan_engine_result memplan_engine_run(memplan_engine *engine, int64_t ticks) {
  int64_t until = engine->counts.ticks + ticks;
  memplan_engine_result result = MEMPLAN_ENGINE_SPENT;
  if (!engine->started && !start(engine) && !engine->nomem && !memplan_engine_learn(engine)) {
    engine->root_conflict = true;
  }
  while (!engine->nomem && !engine->root_conflict) {
    if (!draw(engine)) {
      engine->root_conflict = !engine->nomem;
      break;
    }
    if (engine->counts.ticks >= until) {
      return MEMPLAN_ENGINE_SPENT;
    }
    restart_if_due(engine);
    if (engine->restart_conflicts == 0 && memplan_engine_is_full(engine)) {
      return MEMPLAN_ENGINE_FULL;
    }
    if (engine->head < engine->n_trail) {
      continue;
    }
    if (!decide(engine, &result) && result != MEMPLAN_ENGINE_SPENT) {
      return result;
    }
  }
  return engine->nomem ? MEMPLAN_ENGINE_NOMEM : MEMPLAN_ENGINE_EMPTY;
}

memplan_engine_counts memplan_engine_count(const memplan_engine *engine) {
  memplan_engine_counts counts = engine->counts;
  counts.clauses = engine->n_learned;
  return counts;
}

int64_t memplan_engine_bound(const memplan_engine *engine, int32_t side) { return engine->bound[side]; }

int64_t memplan_engine_root_bound(const memplan_engine *engine, int32_t side) {
  return memplan_engine_bound_before(engine, side, memplan_engine_root_length(engine));
}

void memplan_engine_watch_learning(memplan_engine *engine,
                                   void (*look)(void *context, const memplan_literal *literals, int32_t n),
                                   void *context) {
  engine->look = look;
  engine->look_context = context;
}
