// SPDX-License-Identifier: Apache-2.0
#include "solvers/joint_whole.h"

#include "solvers/joint_pools.h"
#include "solvers/joint_probe.h"
#include "solvers/techniques.h"

#include <stdlib.h>
#include <string.h>

enum { piece = 1 << 20 }; // ticks between looks at the limits of the run

struct memplan_joint_whole {
  memplan_arena arena;
  memplan_joint_graph graph;
  memplan_joint_search *search;
  memplan_joint_probe *probe; // NULL: switched off, or too large
  int64_t probed;             // work of it
  bool closed;
};

// One more than any plan needs: what lies one behind the other, above all that is fixed, always fits; nothing may lie
// past the capacity.
static int64_t needed(const memplan_joint_graph *graph, int64_t upper) {
  const memplan_graph *own = graph->ordering->graph;
  if (graph->naive < INT64_MAX / graph->unit - 1 && (graph->naive + 1) * graph->unit < upper) {
    upper = (graph->naive + 1) * graph->unit;
  }
  return own->n_pools == 1 && own->pools[0].capacity >= 0 && own->pools[0].capacity < upper - 1
             ? own->pools[0].capacity + 1
             : upper;
}

static memplan_status set_up(memplan_joint_whole *whole, const memplan_ordering *ordering,
                             const memplan_joint_plan *start, int64_t lower, int64_t upper,
                             const memplan_limits *limits, uint64_t without, memplan_error *error) {
  MEMPLAN_TRY(memplan_joint_graph_init(&whole->graph, ordering, true, &whole->arena, error));
  memplan_joint_settings settings = memplan_joint_settings_without(without);
  settings.seed = limits->seed;
  settings.memory = memplan_limits_memory(limits);
  MEMPLAN_TRY(
      memplan_joint_search_new(&whole->graph, lower, needed(&whole->graph, upper), &settings, &whole->search, error));
  if (start != NULL) {
    MEMPLAN_TRY(memplan_joint_search_start(whole->search, start, error));
  }
  bool probes = (without & MEMPLAN_TECHNIQUE_JOINT_PROBING) == 0;
  return probes ? memplan_joint_probe_new(ordering, start != NULL ? start->order : NULL, &whole->probe, error)
                : MEMPLAN_OK;
}

memplan_status memplan_joint_whole_new(const memplan_ordering *ordering, const memplan_joint_plan *start, int64_t lower,
                                       int64_t upper, const memplan_limits *limits, uint64_t without,
                                       memplan_joint_whole **whole, memplan_error *error) {
  char reason[256];
  *whole = NULL;
  if (lower >= upper || !memplan_joint_search_accepts(ordering, reason)) {
    return MEMPLAN_OK;
  }
  memplan_joint_whole *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = set_up(made, ordering, start, lower, upper, limits, without, error);
  if (status != MEMPLAN_OK) {
    memplan_joint_whole_free(made);
    return status == MEMPLAN_UNSUPPORTED ? MEMPLAN_OK : status;
  }
  *whole = made;
  return MEMPLAN_OK;
}

void memplan_joint_whole_free(memplan_joint_whole *whole) {
  if (whole != NULL) {
    memplan_joint_search_free(whole->search);
    memplan_joint_probe_free(whole->probe);
    memplan_arena_free(&whole->arena);
    free(whole);
  }
}

// What can be known of orders at the capacity that is being tried; where that is quickly decided, there is no probing.
static memplan_status probe(memplan_joint_whole *whole, const memplan_limits *limits, memplan_error *error) {
  memplan_joint_search *search = whole->search;
  int64_t capacity = memplan_joint_search_capacity(search), ticks;
  int64_t allowed = memplan_joint_probe_allowance(memplan_joint_search_count(search).ticks, whole->probed);
  bool refuted;
  if (whole->probe == NULL || capacity < 0 || allowed == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_joint_probe_run(whole->probe, search, capacity, allowed, limits, &ticks, &refuted, error));
  whole->probed += ticks;
  if (refuted) {
    memplan_joint_search_set_lower(search, capacity + 1);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_joint_whole_run(memplan_joint_whole *whole, int64_t lower, int64_t upper, int64_t goal,
                                       int64_t ticks, const memplan_limits *limits, memplan_joint_whole_news *news,
                                       memplan_error *error) {
  memplan_joint_search *search = whole->search;
  int64_t before = memplan_joint_search_count(search).ticks, probed = whole->probed, spent = 0;
  memplan_joint_search_set_lower(search, lower);
  memplan_joint_search_set_upper(search, upper);
  *news = (memplan_joint_whole_news){.closed = whole->closed};
  while (!news->closed && !news->full && spent < ticks && memplan_joint_search_upper(search) > goal &&
         memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
    MEMPLAN_TRY(probe(whole, limits, error));
    memplan_joint_result result = memplan_joint_search_run(search, ticks - spent < piece ? ticks - spent : piece);
    if (result == MEMPLAN_JOINT_NOMEM) {
      return memplan_fail_nomem(error);
    }
    news->improved = news->improved || result == MEMPLAN_JOINT_IMPROVED;
    news->closed = whole->closed = result == MEMPLAN_JOINT_CLOSED;
    news->full = result == MEMPLAN_JOINT_FULL;
    spent = memplan_joint_search_count(search).ticks - before + (whole->probed - probed);
  }
  memplan_engine_counts counts = memplan_joint_search_count(search);
  news->ticks = counts.ticks - before + (whole->probed - probed);
  news->conflicts = counts.conflicts;
  news->lower = memplan_joint_search_lower(search);
  return MEMPLAN_OK;
}

memplan_status memplan_joint_whole_read(const memplan_joint_whole *whole, memplan_arena *arena,
                                        memplan_joint_plan *plan, memplan_error *error) {
  return memplan_joint_search_read(whole->search, arena, plan, error);
}

// ---- as a method

// Several pools are searched by solvers/joint_pools.h.
static bool accepts(const memplan_task *task, memplan_error *error) {
  char reason[256];
  bool several = task->ordering->graph->n_pools > 1;
  if (several ? !memplan_joint_pools_accepts(task->ordering, reason)
              : !memplan_joint_search_accepts(task->ordering, reason)) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "%s", reason);
    return false;
  }
  return true;
}

static memplan_status copy_plan(const memplan_joint_whole *whole, const memplan_ordering *ordering,
                                memplan_method_result *result, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_joint_plan plan;
  memplan_status status = memplan_joint_whole_read(whole, &arena, &plan, error);
  if (status == MEMPLAN_OK) {
    memcpy(result->order, plan.order, (size_t)ordering->n_ops * sizeof *result->order);
    memcpy(result->offset, plan.placement.offset, (size_t)plan.n_blocks * sizeof *result->offset);
    memset(result->pool, 0, (size_t)plan.n_blocks * sizeof *result->pool);
    if (plan.n_choices > 0) {
      memcpy(result->choice, plan.choice, (size_t)plan.n_choices * sizeof *result->choice);
    }
    result->n_choices = plan.n_choices;
  }
  memplan_arena_free(&arena);
  return status;
}

// Without a plan to beat the largest need is one too many.
static memplan_status run_method(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                                 memplan_error *error) {
  memplan_joint_whole *whole;
  memplan_limits started = memplan_limits_start(limits);
  int64_t upper = task->below > 0 ? task->below : INT64_MAX;
  MEMPLAN_TRY(memplan_joint_whole_new(task->ordering, NULL, task->bound, upper, limits, task->without, &whole, error));
  if (whole == NULL && limits->memory > 0) { // its decisions would pass the limit
    result->stop = MEMPLAN_STOP_MEMORY;
    result->outcome = MEMPLAN_UNKNOWN;
    result->bound = task->bound;
    return MEMPLAN_OK;
  }
  if (whole == NULL) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "the joint search has too many decisions to make");
  }
  memplan_joint_whole_news news;
  int64_t work = limits->work >= 0 ? limits->work : INT64_MAX;
  memplan_status status = memplan_joint_whole_run(whole, task->bound, upper, task->bound, work, &started, &news, error);
  if (status == MEMPLAN_OK) {
    bool met = news.closed || (news.improved && memplan_joint_search_upper(whole->search) <= news.lower);
    memplan_stop stop = memplan_limits_reached(&started);
    memplan_stop own = news.full ? MEMPLAN_STOP_MEMORY : MEMPLAN_STOP_WORK;
    result->stop = met ? MEMPLAN_STOP_DONE : stop != MEMPLAN_STOP_DONE ? stop : own;
    result->nodes = news.conflicts;
    result->bound = news.lower;
    result->outcome =
        news.improved ? (met ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE) : (met ? MEMPLAN_INFEASIBLE : MEMPLAN_UNKNOWN);
    status = news.improved ? copy_plan(whole, task->ordering, result, error) : MEMPLAN_OK;
  }
  memplan_joint_whole_free(whole);
  return status;
}

const memplan_method memplan_joint_engine_method = {
    .name = "joint-engine",
    .kind = MEMPLAN_METHOD_JOINT,
    .summary = "clause learning over order, in-place choices and offsets at once",
    .reference = "lazy clause generation (Ohrimenko, Stuckey and Codish)",
    .complexity = "exponential at worst",
    .exact = true,
    .seeded = true,
    .anytime = true,
    .on_request = true,
    .declines = "more than 64 pools; more than 400 operators; lifetimes",
    .accepts = accepts,
    .run = run_method};
