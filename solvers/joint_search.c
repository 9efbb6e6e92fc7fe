// SPDX-License-Identifier: Apache-2.0
// Each try is the assumption `height <= K`. The conflict that ends it leaves the unit clause `height >= h + 1` with
// h >= K at the root, or the root is contradictory. Every Boolean decided and the bounds at rest, the turns are a total
// order, since transitivity has been drawn, and the lower bounds of the offsets are a placement: every difference that
// holds has pushed them.
#include "solvers/joint_search.h"

#include "solvers/engine_state.h"
#include "solvers/joint_load.h"
#include "solvers/joint_model.h"
#include "solvers/joint_order.h"
#include "solvers/techniques.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ops = 400, most_storages = 4000, few_steps = 64 };

struct memplan_joint_search {
  memplan_joint_model model;
  memplan_arena arena;
  int64_t lower, upper; // units
  int64_t upper_bytes;
  int64_t capacity; // assumed, units, -1: none
  bool closed, has_plan, tried_lower;
  int32_t *order, *choice; // of the plan: by step, and pairs of the graph
  int32_t n_choices;
  int64_t *offset; // by item, units
};

memplan_joint_settings memplan_joint_settings_default(void) {
  return (memplan_joint_settings){.driver = MEMPLAN_JOINT_AUTO,
                                  .load = true,
                                  .overload = true,
                                  .edges = true,
                                  .symmetry = true,
                                  .minimise = true,
                                  .bound_branching = true};
}

memplan_joint_settings memplan_joint_settings_without(uint64_t without) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.load = (without & MEMPLAN_TECHNIQUE_JOINT_LOAD) == 0;
  settings.overload = (without & MEMPLAN_TECHNIQUE_OVERLOAD) == 0;
  settings.edges = (without & MEMPLAN_TECHNIQUE_EDGES) == 0;
  settings.symmetry = (without & MEMPLAN_TECHNIQUE_SYMMETRY) == 0;
  settings.minimise = (without & MEMPLAN_TECHNIQUE_MINIMISATION) == 0;
  settings.bound_branching = (without & MEMPLAN_TECHNIQUE_BOUND_BRANCHING) == 0;
  return settings;
}

bool memplan_joint_search_accepts(const memplan_ordering *ordering, char *reason) {
  if (ordering->graph->n_pools > 1) {
    (void)snprintf(reason, 256, "it has %d pools, the joint search takes one", ordering->graph->n_pools);
    return false;
  }
  return memplan_joint_search_takes(ordering, reason);
}

bool memplan_joint_search_takes(const memplan_ordering *ordering, char *reason) {
  const memplan_graph *graph = ordering->graph;
  if (ordering->n_ops == 0) {
    (void)snprintf(reason, 256, "it has no operators");
    return false;
  }
  if (ordering->n_ops > most_ops) {
    (void)snprintf(reason, 256, "it has %d operators, the joint search takes at most %d", ordering->n_ops,
                   (int)most_ops);
    return false;
  }
  if (graph->n_storages > most_storages) {
    (void)snprintf(reason, 256, "it has %d buffers, the joint search takes at most %d", graph->n_storages,
                   (int)most_storages);
    return false;
  }
  if (ordering->one_order) {
    (void)snprintf(reason, 256, "all its sizes together pass 2^62 bytes");
    return false;
  }
  return true;
}

// ---- making

static int64_t units(const memplan_joint_search *search, int64_t bytes) {
  int64_t unit = search->model.graph->unit;
  return bytes / unit + (bytes % unit != 0);
}

static bool build(memplan_joint_search *search) {
  memplan_joint_model *model = &search->model;
  return memplan_joint_model_start(model) && memplan_joint_model_fill(model) && memplan_joint_model_arcs(model) &&
         memplan_joint_add_transitivity(model) && (!model->settings.load || memplan_joint_add_loads(model)) &&
         (!model->settings.overload || memplan_joint_add_sections(model));
}

static memplan_joint_search *allocate(const memplan_joint_graph *graph, const memplan_joint_settings *settings) {
  memplan_joint_search *search = calloc(1, sizeof *search);
  if (search == NULL) {
    return NULL;
  }
  memplan_engine_settings engine = memplan_engine_settings_default();
  engine.minimise = settings->minimise;
  engine.bound_branching = settings->bound_branching;
  engine.proof = settings->proof;
  engine.seed = settings->seed;
  engine.memory = settings->memory;
  memplan_joint_model *model = &search->model;
  model->graph = graph;
  model->settings = *settings;
  model->arena = &search->arena;
  model->engine = memplan_engine_new(&engine);
  model->step = MEMPLAN_NEW(&search->arena, int32_t, graph->n_ops);
  search->order = MEMPLAN_NEW(&search->arena, int32_t, graph->n_ops);
  search->choice = MEMPLAN_NEW(&search->arena, int32_t, graph->n_pairs);
  search->offset = MEMPLAN_NEW(&search->arena, int64_t, graph->n_items);
  search->capacity = -1;
  if (model->engine == NULL || model->step == NULL || search->order == NULL || search->choice == NULL ||
      search->offset == NULL) {
    memplan_joint_search_free(search);
    return NULL;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    model->step[op] = op;
  }
  return search;
}

memplan_status memplan_joint_search_new(const memplan_joint_graph *graph, int64_t lower, int64_t upper,
                                        const memplan_joint_settings *settings, memplan_joint_search **result,
                                        memplan_error *error) {
  *result = NULL;
  memplan_joint_search *search = allocate(graph, settings);
  if (search == NULL) {
    return memplan_fail_nomem(error);
  }
  search->upper_bytes = upper;
  search->lower = units(search, lower > 0 ? lower : 0);
  search->upper = units(search, upper);
  search->model.lower = search->lower;
  search->model.upper = search->upper;
  search->closed = search->lower >= search->upper;
  bool wide = search->upper >= MEMPLAN_ENGINE_VALUES / 4;
  if (!search->closed && !wide && !build(search)) {
    bool too_many = search->model.too_many;
    memplan_joint_search_free(search);
    return too_many ? memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has more decisions than the joint search takes")
                    : memplan_fail_nomem(error);
  }
  if (wide && !search->closed) {
    memplan_joint_search_free(search);
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "its arena has more units of size than the joint search takes");
  }
  search->closed = search->closed || search->model.contradiction;
  *result = search;
  return MEMPLAN_OK;
}

void memplan_joint_search_free(memplan_joint_search *search) {
  if (search != NULL) {
    memplan_engine_free(search->model.engine);
    memplan_joint_model_free(&search->model);
    memplan_arena_free(&search->arena);
    free(search);
  }
}

// ---- running

static int64_t next_capacity(const memplan_joint_search *search) {
  int64_t last = search->upper - 1, room = last - search->lower;
  switch (search->model.settings.driver) {
  case MEMPLAN_JOINT_UP:
    return search->lower;
  case MEMPLAN_JOINT_DOWN:
    return last;
  case MEMPLAN_JOINT_BISECT:
    return search->lower + room / 2;
  default: // where the bound is met, no other capacity has to be tried
    return room < few_steps || !search->tried_lower ? search->lower : search->lower + room / 2;
  }
}

static bool is_true(const memplan_joint_search *search, memplan_literal literal) {
  return literal == MEMPLAN_JOINT_YES ||
         (literal != MEMPLAN_JOINT_NO && memplan_engine_is_true(search->model.engine, literal));
}

static void read_solution(memplan_joint_search *search) {
  const memplan_joint_graph *graph = search->model.graph;
  int64_t n = graph->n_ops, height = 0;
  for (int32_t op = 0; op < n; op++) {
    int32_t step = 0;
    for (int32_t other = 0; other < n; other++) {
      step += is_true(search, search->model.turn[other * n + op]);
    }
    search->order[step] = op;
  }
  for (int32_t item = 0; item < graph->n_items; item++) {
    search->offset[item] = memplan_engine_bound(search->model.engine, 2 * item);
    int64_t end = search->offset[item] + graph->items[item].bytes;
    height = end > height && !graph->items[item].reserved ? end : height;
  }
  search->n_choices = 0;
  for (int32_t step = 0; step < n; step++) {
    int32_t op = search->order[step];
    for (int32_t k = search->model.first_pair[op]; k < search->model.first_pair[op + 1]; k++) {
      if (is_true(search, search->model.choice[k])) {
        search->choice[search->n_choices++] = k;
      }
    }
  }
  search->has_plan = true;
  if (height < search->upper) {
    search->upper = height;
    search->upper_bytes = height * graph->unit;
  }
}

memplan_joint_result memplan_joint_search_run(memplan_joint_search *search, int64_t ticks) {
  if (search->closed || search->lower >= search->upper) {
    search->lower = search->upper;
    return MEMPLAN_JOINT_CLOSED;
  }
  memplan_engine *engine = search->model.engine;
  int32_t height = 2 * search->model.graph->n_items;
  int64_t capacity = next_capacity(search);
  if (capacity != search->capacity) {
    memplan_engine_assume(engine, memplan_literal_make(height + 1, -capacity));
    search->capacity = capacity;
  }
  switch (memplan_engine_run(engine, ticks)) {
  case MEMPLAN_ENGINE_SOLUTION:
    read_solution(search);
    return MEMPLAN_JOINT_IMPROVED;
  case MEMPLAN_ENGINE_FAILED: {
    int64_t root = memplan_engine_root_bound(engine, height);
    search->tried_lower = true;
    search->lower = root > search->lower ? root : search->lower;
    search->capacity = -1;
    return search->lower >= search->upper ? MEMPLAN_JOINT_CLOSED : MEMPLAN_JOINT_RAISED;
  }
  case MEMPLAN_ENGINE_EMPTY:
    search->closed = true;
    search->lower = search->upper;
    return MEMPLAN_JOINT_CLOSED;
  case MEMPLAN_ENGINE_FULL:
    return MEMPLAN_JOINT_FULL;
  case MEMPLAN_ENGINE_NOMEM:
    return MEMPLAN_JOINT_NOMEM;
  default:
    return MEMPLAN_JOINT_SPENT;
  }
}

int64_t memplan_joint_search_lower(const memplan_joint_search *search) {
  return search->lower >= search->upper ? search->upper_bytes : search->lower * search->model.graph->unit;
}

int64_t memplan_joint_search_upper(const memplan_joint_search *search) { return search->upper_bytes; }

void memplan_joint_search_set_lower(memplan_joint_search *search, int64_t lower) {
  int64_t own = units(search, lower > 0 ? lower : 0);
  search->lower = own > search->lower ? own : search->lower;
}

void memplan_joint_search_set_upper(memplan_joint_search *search, int64_t upper) {
  if (upper < search->upper_bytes) {
    int64_t own = units(search, upper);
    search->upper_bytes = upper;
    search->upper = own < search->upper ? own : search->upper;
  }
}

int64_t memplan_joint_search_capacity(const memplan_joint_search *search) {
  bool closed = search->closed || search->lower >= search->upper;
  return closed ? -1 : next_capacity(search) * search->model.graph->unit;
}

bool memplan_joint_search_precede(memplan_joint_search *search, int64_t capacity, int32_t before, int32_t after) {
  memplan_joint_model *model = &search->model;
  int64_t most = capacity / model->graph->unit; // units
  if (search->closed || most >= model->upper) {
    return true;
  }
  const memplan_literal either[2] = {memplan_literal_make(2 * model->graph->n_items, most + 1),
                                     model->turn[(int64_t)before * model->graph->n_ops + after]};
  memplan_engine_backtrack(model->engine, 0);
  bool good = memplan_joint_clause(model, either, 2);
  search->closed = search->closed || model->contradiction;
  return good;
}

// ---- plans

bool memplan_joint_search_has_plan(const memplan_joint_search *search) { return search->has_plan; }

memplan_status memplan_joint_search_read(const memplan_joint_search *search, memplan_arena *arena,
                                         memplan_joint_plan *plan, memplan_error *error) {
  const memplan_joint_graph *graph = search->model.graph;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, graph->n_ops), *choice = MEMPLAN_NEW(arena, int32_t, search->n_choices);
  if (order == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(order, search->order, (size_t)graph->n_ops * sizeof *order);
  for (int32_t k = 0; k < search->n_choices; k++) {
    choice[k] = graph->pairs[search->choice[k]].index;
  }
  *plan = (memplan_joint_plan){.order = order, .choice = choice, .n_choices = search->n_choices};
  memplan_joint_lowered own;
  memplan_status status = memplan_joint_lower(graph, plan, &own, error);
  if (status == MEMPLAN_OK) {
    status = memplan_joint_lowered_place(&own, search->offset, graph->unit, arena, plan, error);
  }
  memplan_joint_lowered_free(&own);
  return status;
}

// ---- first choices

static void set_phase(memplan_engine *engine, int32_t side, bool value) {
  engine->atoms[engine->variables[side >> 1].boolean].phase = value == ((side & 1) == 0);
}

static void start_turns(memplan_joint_search *search, const memplan_joint_plan *plan) {
  const memplan_joint_model *model = &search->model;
  for (int32_t step = 0; step < model->graph->n_ops; step++) {
    model->step[plan->order[step]] = step;
  }
  for (int32_t turn = 0; turn < model->n_turns; turn++) {
    set_phase(model->engine, 2 * (model->first_turn + turn),
              model->step[model->turn_first[turn]] < model->step[model->turn_second[turn]]);
  }
  for (int32_t k = 0; k < model->graph->n_pairs; k++) {
    bool chosen = memplan_joint_plan_chooses(plan, model->graph->pairs[k].index);
    set_phase(model->engine, memplan_literal_side(model->choice[k]), chosen);
  }
}

static void start_offsets(memplan_joint_search *search, const memplan_joint_plan *plan,
                          const memplan_joint_lowered *own) {
  const memplan_joint_model *model = &search->model;
  const memplan_joint_graph *graph = model->graph;
  for (int32_t item = 0; item < graph->n_items; item++) {
    search->offset[item] = memplan_joint_lowered_offset(own, &plan->placement, item) / graph->unit;
  }
  for (int32_t k = 0; k < model->n_arcs - 2 * graph->n_pairs; k++) { // behind them stand the ties of pairs
    const memplan_arc *arc = &model->arcs[k];
    int32_t first[2], last[2];
    memplan_joint_life(model, arc->from, &first[0], &last[0]);
    memplan_joint_life(model, arc->to, &first[1], &last[1]);
    bool meet = first[0] <= last[1] && first[1] <= last[0];
    set_phase(model->engine, arc->guard, meet && search->offset[arc->from] + arc->distance <= search->offset[arc->to]);
  }
}

memplan_status memplan_joint_search_start(memplan_joint_search *search, const memplan_joint_plan *plan,
                                          memplan_error *error) {
  if (search->closed) {
    return MEMPLAN_OK;
  }
  start_turns(search, plan);
  if (plan->placement.offset == NULL) {
    return MEMPLAN_OK;
  }
  memplan_joint_lowered own;
  memplan_status status = memplan_joint_lower(search->model.graph, plan, &own, error);
  if (status == MEMPLAN_OK) {
    start_offsets(search, plan, &own);
  }
  memplan_joint_lowered_free(&own);
  return status;
}

memplan_joint_solution memplan_joint_search_look(const memplan_joint_search *search) {
  return (memplan_joint_solution){search->order, search->choice, search->n_choices, search->offset};
}

const memplan_joint_model *memplan_joint_search_model(const memplan_joint_search *search) { return &search->model; }

memplan_engine_counts memplan_joint_search_count(const memplan_joint_search *search) {
  return memplan_engine_count(search->model.engine);
}
