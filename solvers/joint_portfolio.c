// SPDX-License-Identifier: Apache-2.0
// Each round gives some jobs (a candidate and its placements) the same slice of work, all with the incumbent and the
// bound that were known when it began. Their results are taken over in the order of the jobs up to the first one that
// meets the goal, so that threads change nothing but the time.
//
// What a round leaves open is tried on more orders in the next one: the best order smoothed, within its peak or later
// within any peak that would improve the incumbent, since the best arena need not lie on an order with the least peak.
#include "solvers/joint_portfolio.h"

#include "heuristics/crew.h"
#include "model/base/grow.h"
#include "solvers/graph_bound.h"
#include "solvers/graph_incumbent.h"
#include "solvers/graph_orders.h"
#include "solvers/graph_stages.h"
#include "solvers/joint_choice.h"
#include "solvers/joint_exhaust.h"
#include "solvers/joint_job.h"
#include "solvers/joint_repair.h"
#include "solvers/joint_smooth.h"
#include "solvers/joint_whole.h"
#include "solvers/joint_windows.h"
#include "solvers/place_optimal.h"
#include "solvers/techniques.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  first_slice = 1 << 21,
  most_slice = 1 << 27,
  most_running = 8,
  new_orders = MEMPLAN_SMOOTH_COSTS, // a round
  new_choices = 2,                   // a round, where there are in-place pairs
  most_orders = 96,                  // that are smoothed in all
  first_moves = 20000,
  most_moves = 200000,
  wider_from = 3,   // round
  few_ops = 100,    // with no more of them its search begins at once, else in a later round
  whole_from = 2,   // round
  whole_share = 4,  // slices
  windows_from = 1, // round
  exhaust_from = 3, // round
  share_while_open = 8,
  // of the memory: all of these hold theirs at one time, and the exact order search a quarter of all besides
  memory_part = 2,
  whole_part = 2,
  windows_part = 8,
  repair_part = 8,
  exhaust_part = 8,
  job_part = 2 * most_running
};

struct memplan_joint_portfolio {
  memplan_graph_search *state;
  memplan_limits limits; // of all parts: they report nothing
  memplan_joint_job **jobs;
  int32_t n_jobs;
  int64_t job_capacity;
  int32_t n_known; // candidates of the search that have become jobs
  int32_t n_smoothed, n_chosen, round, threads;
  int64_t slice, ticks;
  int64_t stage_ticks[MEMPLAN_STAGE_COUNT]; // of this round
  memplan_joint_whole *whole;               // NULL: not begun, or nothing for it
  bool whole_asked, whole_closed;
  int64_t whole_conflicts;
  memplan_joint_windows *windows; // NULL: not begun, or nothing for it
  memplan_joint_repair *repair;   // goes with them
  bool windows_asked;
  memplan_joint_exhaust *exhaust; // NULL: not begun
  bool exhaust_ended;
};

static bool uses(const memplan_joint_portfolio *all, uint64_t technique) {
  return (all->state->solve->without & technique) == 0;
}

static void add_ticks(memplan_joint_portfolio *all, memplan_stage stage, int64_t ticks) {
  all->ticks += ticks;
  all->stage_ticks[stage] += ticks;
}

// ---- jobs

static memplan_status add_job(memplan_joint_portfolio *all, const memplan_candidate *entry, memplan_error *error) {
  memplan_joint_job **jobs = memplan_grow_heap(all->jobs, all->n_jobs, &all->job_capacity, sizeof *jobs);
  if (jobs == NULL) {
    return memplan_fail_nomem(error);
  }
  all->jobs = jobs;
  jobs[all->n_jobs] = memplan_joint_job_new(entry);
  if (jobs[all->n_jobs] == NULL) {
    return memplan_fail_nomem(error);
  }
  all->n_jobs++;
  return MEMPLAN_OK;
}

// ---- new candidates

typedef struct smoothing {
  memplan_smooth_task task;
  int32_t *order;
  int64_t ticks;
  memplan_status status;
  memplan_error error;
} smoothing;

// In later rounds every other draw may use any peak below the incumbent's.
static int64_t choose_limit(const memplan_joint_portfolio *all, const memplan_candidate *from, int32_t draw) {
  int64_t most = all->state->best.candidate != NULL ? all->state->best.peak - 1 : from->order_peak;
  bool wider = all->round >= wider_from && draw % 2 == 1;
  return wider && most > from->order_peak ? most : from->order_peak;
}

static memplan_status smooth_orders(memplan_joint_portfolio *all, memplan_error *error) {
  const memplan_candidate *from = memplan_candidates_best(&all->state->candidates);
  const memplan_ordering *ordering = all->state->ordering;
  smoothing made[new_orders];
  if (from == NULL || all->n_smoothed >= most_orders) {
    return MEMPLAN_OK;
  }
  if (!uses(all, MEMPLAN_TECHNIQUE_JOINT_SMOOTHING)) {
    all->n_smoothed += new_orders; // the rounds end all the same
    return MEMPLAN_OK;
  }
  int64_t moves = (int64_t)first_moves << (all->round < 4 ? all->round : 4);
  for (int32_t k = 0; k < new_orders; k++) {
    made[k] = (smoothing){.order = MEMPLAN_NEW(all->state->arena, int32_t, ordering->n_ops)};
    if (made[k].order == NULL) {
      return memplan_fail_nomem(error);
    }
    memcpy(made[k].order, from->order, (size_t)ordering->n_ops * sizeof *made[k].order);
    made[k].task = (memplan_smooth_task){.ordering = ordering,
                                         .limits = &all->limits,
                                         .limit = choose_limit(all, from, all->n_smoothed / new_orders + k),
                                         .cost = (memplan_smooth_cost)k,
                                         .seed = all->limits.seed + (uint64_t)all->n_smoothed,
                                         .moves = moves < most_moves ? moves : most_moves,
                                         .ticks = all->slice};
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(all->threads)
  for (int32_t k = 0; k < new_orders; k++) {
    made[k].status = memplan_joint_smooth(&made[k].task, made[k].order, &made[k].ticks, &made[k].error);
  }
  for (int32_t k = 0; k < new_orders; k++) {
    if (made[k].status != MEMPLAN_OK) {
      return memplan_fail(error, made[k].status, "%s", made[k].error.message);
    }
    add_ticks(all, MEMPLAN_STAGE_ORDERS, made[k].ticks);
    MEMPLAN_TRY(memplan_ordering_check(ordering, made[k].order, error));
    MEMPLAN_TRY(memplan_candidates_add(&all->state->candidates, made[k].order, from->method, error));
    all->n_smoothed++;
  }
  return MEMPLAN_OK;
}

static memplan_status draw_choices(memplan_joint_portfolio *all, memplan_error *error) {
  const memplan_candidate *from = memplan_candidates_best(&all->state->candidates);
  if (from == NULL || from->peak > from->order_peak || from->n_choices == 0 ||
      !uses(all, MEMPLAN_TECHNIQUE_JOINT_CHOICES)) {
    return MEMPLAN_OK;
  }
  for (int32_t k = 0; k < new_choices; k++) {
    memplan_candidate *entry = MEMPLAN_NEW(all->state->arena, memplan_candidate, 1);
    if (entry == NULL) {
      return memplan_fail_nomem(error);
    }
    uint64_t seed = all->limits.seed + (uint64_t)all->n_chosen++;
    MEMPLAN_TRY(memplan_joint_choose(all->state->ordering, from, choose_limit(all, from, k), seed, all->state->arena,
                                     entry, error));
    MEMPLAN_TRY(add_job(all, entry, error));
  }
  return MEMPLAN_OK;
}

static memplan_status add_known(memplan_joint_portfolio *all, memplan_error *error) {
  const memplan_candidates *list = &all->state->candidates;
  for (; all->n_known < list->count; all->n_known++) {
    MEMPLAN_TRY(add_job(all, list->entries[all->n_known], error));
  }
  return MEMPLAN_OK;
}

// ---- the whole graph

static memplan_joint_plan best_plan(const memplan_graph_search *state) {
  return (memplan_joint_plan){.order = state->best.candidate->order,
                              .choice = state->best.candidate->choice,
                              .n_choices = state->best.candidate->n_choices,
                              .placement = state->best.placement,
                              .n_blocks = state->best.instance.n_blocks,
                              .peak = state->best.peak};
}

static memplan_status start_whole(memplan_joint_portfolio *all, memplan_error *error) {
  memplan_graph_search *state = all->state;
  bool early = state->ordering->n_ops <= few_ops;
  if (all->whole_asked || state->best.candidate == NULL || (!early && all->round < whole_from) ||
      !uses(all, MEMPLAN_TECHNIQUE_JOINT_ENGINE)) {
    return MEMPLAN_OK;
  }
  all->whole_asked = true;
  memplan_joint_plan start = best_plan(state);
  memplan_limits limits = memplan_limits_part(&all->limits, whole_part);
  return memplan_joint_whole_new(state->plain, &start, state->bound, state->best.peak, &limits, state->solve->without,
                                 &all->whole, error);
}

// Windows and slices are those of the best plan known.
static memplan_status start_windows(memplan_joint_portfolio *all, memplan_error *error) {
  memplan_graph_search *state = all->state;
  if (state->best.candidate == NULL || all->round < windows_from) {
    return MEMPLAN_OK;
  }
  if (!all->windows_asked) {
    all->windows_asked = true;
    MEMPLAN_TRY(memplan_joint_windows_new(state->plain, MEMPLAN_WINDOW_NARROWEST, &all->windows, error));
    if (all->windows != NULL) {
      all->repair = memplan_joint_repair_new(memplan_joint_windows_outline(all->windows), MEMPLAN_REPAIR_NARROWEST,
                                             MEMPLAN_REPAIR_WIDEST);
    }
    if (all->windows != NULL && all->repair == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  if (all->windows == NULL) {
    return MEMPLAN_OK;
  }
  memplan_joint_plan plan = best_plan(state);
  MEMPLAN_TRY(memplan_joint_windows_set_plan(all->windows, &plan, error));
  return memplan_joint_repair_set_plan(all->repair, &plan, error);
}

// Orders cut off by what cannot be placed: for what the engine does not finish, once orders themselves are settled.
static memplan_status start_exhaust(memplan_joint_portfolio *all, memplan_error *error) {
  memplan_graph_search *state = all->state;
  if (all->exhaust != NULL || all->windows == NULL || all->round < exhaust_from || memplan_graph_wants_order(state) ||
      !uses(all, MEMPLAN_TECHNIQUE_JOINT_NOGOODS)) {
    return MEMPLAN_OK;
  }
  memplan_joint_exhaust_task task = {.whole = memplan_joint_windows_outline(all->windows),
                                     .lower = state->bound,
                                     .upper = state->best.peak,
                                     .memory = memplan_limits_part(&all->limits, exhaust_part).memory,
                                     .without = state->solve->without,
                                     .commits = true,
                                     .limits = &all->limits};
  return memplan_joint_exhaust_new(&task, &all->exhaust, error);
}

static bool is_exhausting(const memplan_joint_portfolio *all) {
  return all->exhaust != NULL &&
         (!all->exhaust_ended || memplan_joint_exhaust_can_run(all->exhaust, all->state->bound, all->state->best.peak));
}

static bool is_searching(const memplan_joint_portfolio *all) { return all->whole != NULL && !all->whole_closed; }

static bool is_windowing(const memplan_joint_portfolio *all) {
  return all->windows != NULL && !memplan_joint_windows_is_exhausted(all->windows) &&
         uses(all, MEMPLAN_TECHNIQUE_JOINT_WINDOWS);
}

static bool is_repairing(const memplan_joint_portfolio *all) {
  return all->repair != NULL && !memplan_joint_repair_is_exhausted(all->repair) &&
         uses(all, MEMPLAN_TECHNIQUE_JOINT_SLICES);
}

// A plan in memory of the search's arena.
static memplan_status take_plan(memplan_joint_portfolio *all, const memplan_joint_plan *plan, memplan_error *error) {
  if (plan->peak >= all->state->best.peak) {
    return MEMPLAN_OK;
  }
  const memplan_graph_plan found = {.method = &memplan_joint_engine_method,
                                    .order = plan->order,
                                    .choice = plan->choice,
                                    .n_choices = plan->n_choices,
                                    .placement = plan->placement};
  return memplan_graph_take_plan(all->state, &found, error);
}

static memplan_status take_whole(memplan_joint_portfolio *all, const memplan_joint_whole_news *news,
                                 memplan_error *error) {
  memplan_graph_search *state = all->state;
  add_ticks(all, MEMPLAN_STAGE_ENGINE, news->ticks);
  state->nodes += news->conflicts - all->whole_conflicts;
  all->whole_conflicts = news->conflicts;
  all->whole_closed = news->closed;
  if (news->improved) {
    memplan_joint_plan plan;
    MEMPLAN_TRY(memplan_joint_whole_read(all->whole, state->arena, &plan, error));
    MEMPLAN_TRY(take_plan(all, &plan, error));
  }
  memplan_graph_raise_bound(state, news->lower < state->best.peak ? news->lower : state->best.peak);
  if (news->full) {
    memplan_joint_whole_free(all->whole);
    all->whole = NULL;
  }
  return MEMPLAN_OK;
}

static memplan_status take_windows(memplan_joint_portfolio *all, const memplan_joint_windows_news *news,
                                   memplan_error *error) {
  memplan_graph_search *state = all->state;
  add_ticks(all, MEMPLAN_STAGE_WINDOWS, news->work.ticks);
  state->nodes += news->work.conflicts;
  return memplan_graph_raise_window_bound(state, news->lower < state->best.peak ? news->lower : state->best.peak,
                                          news->ops, news->n_ops, error);
}

static memplan_status take_repair(memplan_joint_portfolio *all, const memplan_joint_repair_news *news,
                                  memplan_error *error) {
  memplan_graph_search *state = all->state;
  add_ticks(all, MEMPLAN_STAGE_WINDOWS, news->work.ticks);
  state->nodes += news->work.conflicts;
  if (!news->improved) {
    return MEMPLAN_OK;
  }
  memplan_joint_plan plan;
  MEMPLAN_TRY(memplan_joint_repair_read(all->repair, state->arena, &plan, error));
  return take_plan(all, &plan, error);
}

// A plan that does not stay: its order and choice are copied.
static memplan_status take_copy(memplan_joint_portfolio *all, const memplan_joint_plan *plan, memplan_error *error) {
  memplan_graph_search *state = all->state;
  int32_t n = state->ordering->n_ops;
  int32_t *order = MEMPLAN_NEW(state->arena, int32_t, n), *choice = MEMPLAN_NEW(state->arena, int32_t, plan->n_choices);
  if (order == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(order, plan->order, (size_t)n * sizeof *order);
  memcpy(choice, plan->choice, (size_t)plan->n_choices * sizeof *choice);
  const memplan_graph_plan found = {.method = &memplan_joint_nogoods_method,
                                    .order = order,
                                    .choice = choice,
                                    .n_choices = plan->n_choices,
                                    .placement = plan->placement};
  return memplan_graph_take_plan(state, &found, error);
}

static memplan_status take_exhaust(memplan_joint_portfolio *all, const memplan_joint_exhaust_news *news,
                                   memplan_error *error) {
  memplan_graph_search *state = all->state;
  add_ticks(all, MEMPLAN_STAGE_NOGOODS, news->ticks);
  state->nodes += news->states;
  all->exhaust_ended = news->ended;
  if (news->improved) {
    const memplan_joint_plan *plan = memplan_joint_exhaust_plan(all->exhaust);
    if (plan->peak < state->best.peak) {
      MEMPLAN_TRY(take_copy(all, plan, error));
    }
  }
  memplan_graph_raise_bound(state, news->lower < state->best.peak ? news->lower : state->best.peak);
  return MEMPLAN_OK;
}

// ---- rounds

static bool is_useful(const memplan_joint_portfolio *all, const memplan_joint_job *entry) {
  return !entry->closed && entry->bound < all->state->best.peak;
}

// Jobs without a placement first, by their load; then those with the smallest peak; the earlier one of equals.
static bool comes_before(const memplan_joint_job *a, const memplan_joint_job *b) {
  if ((a->rounds == 0) != (b->rounds == 0)) {
    return a->rounds == 0;
  }
  int64_t x = a->rounds == 0 ? a->entry->peak : a->best.peak, y = b->rounds == 0 ? b->entry->peak : b->best.peak;
  return x < y;
}

static int32_t choose_jobs(const memplan_joint_portfolio *all, memplan_joint_job **chosen) {
  int32_t count = 0;
  for (int32_t k = 0; k < all->n_jobs; k++) {
    memplan_joint_job *entry = all->jobs[k];
    if (!is_useful(all, entry)) {
      if (entry->lowered) {
        memplan_joint_job_release(entry);
      }
      continue;
    }
    int32_t at = count;
    while (at > 0 && comes_before(entry, chosen[at - 1])) {
      at--;
    }
    if (at == most_running) {
      continue;
    }
    count = count < most_running ? count + 1 : count;
    memmove(&chosen[at + 1], &chosen[at], (size_t)(count - 1 - at) * sizeof *chosen);
    chosen[at] = entry;
  }
  return count;
}

static memplan_status take(memplan_joint_portfolio *all, memplan_joint_job *entry, memplan_error *error) {
  memplan_graph_search *state = all->state;
  if (entry->best.method == NULL || (state->best.candidate != NULL && entry->best.peak >= state->best.peak)) {
    return MEMPLAN_OK;
  }
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = memplan_ordering_lower(state->ordering, entry->entry->order, entry->entry->choice,
                                                 entry->entry->n_choices, &instance, NULL, NULL, error);
  if (status == MEMPLAN_OK) {
    status = memplan_graph_set_incumbent(state, entry->entry, &instance, &entry->best, error);
  }
  memplan_instance_free(&instance);
  return status;
}

static void report(const memplan_joint_portfolio *all) {
  const memplan_graph_search *state = all->state;
  const memplan_limits *limits = &state->solve->limits;
  if (limits->progress != NULL && state->best.candidate != NULL) {
    char source[MEMPLAN_SOURCE_SIZE];
    memplan_place_news news = {.order = state->best.candidate->method};
    memplan_place_source(&news, state->best.method, source);
    memplan_progress now = {source, state->best.peak, state->bound, state->nodes, 0};
    limits->progress(limits->context, &now);
  }
}

typedef struct whole_task {
  bool runs;
  memplan_joint_whole_news news;
  memplan_status status;
  memplan_error error;
} whole_task;

typedef struct windows_task {
  bool runs;
  memplan_joint_windows_news news;
  memplan_status status;
  memplan_error error;
} windows_task;

typedef struct repair_task {
  bool runs;
  memplan_joint_repair_news news;
  memplan_status status;
  memplan_error error;
} repair_task;

typedef struct exhaust_task {
  bool runs;
  memplan_joint_exhaust_news news;
  memplan_status status;
  memplan_error error;
} exhaust_task;

// Beside the placements of a round.
typedef struct round_tasks {
  repair_task repair;
  whole_task whole;
  windows_task windows;
  exhaust_task exhaust;
} round_tasks;

enum { round_tasks_count = 4 };

// What the tasks of a round have found, up to the first one that meets the goal.
static memplan_status merge(memplan_joint_portfolio *all, memplan_joint_job **chosen, int32_t count,
                            const round_tasks *tasks, memplan_error *error) {
  memplan_graph_search *state = all->state;
  for (int32_t k = 0; k < count && !memplan_graph_goal_met(state); k++) {
    if (chosen[k]->status != MEMPLAN_OK) {
      return memplan_fail(error, chosen[k]->status, "%s", chosen[k]->error.message);
    }
    add_ticks(all, MEMPLAN_STAGE_PLACEMENT, chosen[k]->ticks);
    state->nodes += chosen[k]->nodes;
    MEMPLAN_TRY(take(all, chosen[k], error));
  }
  if (!memplan_graph_goal_met(state) && tasks->repair.runs) {
    if (tasks->repair.status != MEMPLAN_OK) {
      return memplan_fail(error, tasks->repair.status, "%s", tasks->repair.error.message);
    }
    MEMPLAN_TRY(take_repair(all, &tasks->repair.news, error));
  }
  if (!memplan_graph_goal_met(state) && tasks->whole.runs) {
    if (tasks->whole.status != MEMPLAN_OK) {
      return memplan_fail(error, tasks->whole.status, "%s", tasks->whole.error.message);
    }
    MEMPLAN_TRY(take_whole(all, &tasks->whole.news, error));
  }
  if (!memplan_graph_goal_met(state) && tasks->windows.runs) {
    if (tasks->windows.status != MEMPLAN_OK) {
      return memplan_fail(error, tasks->windows.status, "%s", tasks->windows.error.message);
    }
    MEMPLAN_TRY(take_windows(all, &tasks->windows.news, error));
  }
  if (!memplan_graph_goal_met(state) && tasks->exhaust.runs) {
    if (tasks->exhaust.status != MEMPLAN_OK) {
      return memplan_fail(error, tasks->exhaust.status, "%s", tasks->exhaust.error.message);
    }
    MEMPLAN_TRY(take_exhaust(all, &tasks->exhaust.news, error));
  }
  return MEMPLAN_OK;
}

// Work for windows and slices: little while a better order could be all that is missing.
static int64_t window_share(const memplan_joint_portfolio *all) {
  return memplan_graph_wants_order(all->state) ? all->slice / share_while_open : all->slice;
}

// `which`: 0 repair, 1 the whole graph, 2 windows, 3 orders and nogoods. True if a plan at the goal was found.
static bool run_task(const memplan_joint_portfolio *all, int32_t which, int64_t goal, round_tasks *tasks) {
  const memplan_graph_search *state = all->state;
  if (which == 0 && tasks->repair.runs) {
    repair_task *task = &tasks->repair;
    memplan_limits limits = memplan_limits_part(&all->limits, repair_part);
    task->status = memplan_joint_repair_run(all->repair, goal, window_share(all), &limits, &task->news, &task->error);
    return memplan_joint_repair_peak(all->repair) <= goal;
  }
  if (which == 1 && tasks->whole.runs) {
    whole_task *task = &tasks->whole;
    task->status = memplan_joint_whole_run(all->whole, state->bound, state->best.peak, goal, whole_share * all->slice,
                                           &all->limits, &task->news, &task->error);
  }
  if (which == 2 && tasks->windows.runs) {
    windows_task *task = &tasks->windows;
    memplan_limits limits = memplan_limits_part(&all->limits, windows_part);
    task->status =
        memplan_joint_windows_run(all->windows, state->bound, window_share(all), &limits, &task->news, &task->error);
  }
  if (which == 3 && tasks->exhaust.runs) {
    exhaust_task *task = &tasks->exhaust;
    task->status = memplan_joint_exhaust_run(all->exhaust, state->bound, state->best.peak, goal, window_share(all),
                                             &task->news, &task->error);
    return task->status == MEMPLAN_OK && task->news.improved && memplan_joint_exhaust_plan(all->exhaust)->peak <= goal;
  }
  return false;
}

static memplan_status run_round(memplan_joint_portfolio *all, memplan_joint_job **chosen, int32_t count,
                                memplan_error *error) {
  memplan_graph_search *state = all->state;
  int64_t goal = memplan_graph_goal(state);
  const memplan_limits part = memplan_limits_part(&all->limits, job_part);
  const memplan_joint_round round = {
      .ordering = state->ordering, .limits = &part, .without = state->solve->without, .work = all->slice, .goal = goal};
  round_tasks tasks = {.repair = {.runs = is_repairing(all)},
                       .whole = {.runs = is_searching(all)},
                       .windows = {.runs = is_windowing(all)},
                       .exhaust = {.runs = is_exhausting(all)}};
  const int32_t n_tasks = count + round_tasks_count;
  _Atomic int32_t winner = n_tasks;
#pragma omp parallel for schedule(dynamic, 1) num_threads(all->threads)
  for (int32_t k = 0; k < n_tasks; k++) {
    if (atomic_load(&winner) < k) {
      continue;
    }
    bool met;
    if (k < count) {
      memplan_joint_job_run(chosen[k], &round);
      met = chosen[k]->best.peak <= goal;
    } else {
      met = run_task(all, k - count, goal, &tasks);
    }
    int32_t least = atomic_load(&winner);
    while (met && k < least && !atomic_compare_exchange_weak(&winner, &least, k)) {
    }
  }
  MEMPLAN_TRY(merge(all, chosen, count, &tasks, error));
  report(all);
  return MEMPLAN_OK;
}

// Can another candidate be better than the incumbent, as far as the orders known tell?
static bool has_hope(const memplan_joint_portfolio *all) {
  const memplan_candidate *best = memplan_candidates_best(&all->state->candidates);
  return all->state->best.candidate == NULL || (best != NULL && best->order_peak < all->state->best.peak);
}

memplan_status memplan_joint_portfolio_run(memplan_joint_portfolio *all, int64_t work, int64_t *ticks,
                                           memplan_error *error) {
  memplan_graph_search *state = all->state;
  int64_t before = all->ticks;
  while (!memplan_graph_goal_met(state) && all->ticks - before < work && state->solution->infeasible == NULL &&
         memplan_limits_reached(&state->solve->limits) == MEMPLAN_STOP_DONE) {
    memplan_joint_job *chosen[most_running + 1];
    MEMPLAN_TRY(add_known(all, error));
    MEMPLAN_TRY(start_whole(all, error));
    MEMPLAN_TRY(start_windows(all, error));
    MEMPLAN_TRY(start_exhaust(all, error));
    int32_t count = choose_jobs(all, chosen);
    bool more = has_hope(all) && all->n_smoothed < most_orders;
    bool runs = is_searching(all) || is_windowing(all) || is_repairing(all) || is_exhausting(all);
    if (all->whole_closed || (!runs && count == 0 && !more)) {
      break;
    }
    MEMPLAN_TRY(run_round(all, chosen, count, error));
    if (more && !memplan_graph_goal_met(state)) {
      MEMPLAN_TRY(smooth_orders(all, error));
      MEMPLAN_TRY(draw_choices(all, error));
    }
    memplan_graph_share_lap(state, all->stage_ticks, MEMPLAN_STAGE_PLACEMENT);
    memset(all->stage_ticks, 0, sizeof all->stage_ticks);
    all->slice = 2 * all->slice < most_slice ? 2 * all->slice : most_slice;
    all->round++;
  }
  *ticks = all->ticks - before;
  return MEMPLAN_OK;
}

memplan_joint_portfolio *memplan_joint_portfolio_new(memplan_graph_search *state) {
  memplan_joint_portfolio *all = calloc(1, sizeof *all);
  if (all != NULL) {
    all->state = state;
    all->limits = memplan_limits_part(&state->solve->limits, memory_part);
    all->limits.progress = NULL;
    all->slice = first_slice;
    all->threads = memplan_crew_size(&state->solve->limits, INT64_MAX);
  }
  return all;
}

void memplan_joint_portfolio_free(memplan_joint_portfolio *all) {
  if (all == NULL) {
    return;
  }
  for (int32_t k = 0; k < all->n_jobs; k++) {
    memplan_joint_job_free(all->jobs[k]);
  }
  memplan_joint_whole_free(all->whole);
  memplan_joint_repair_free(all->repair);
  memplan_joint_exhaust_free(all->exhaust);
  memplan_joint_windows_free(all->windows);
  free(all->jobs);
  free(all);
}
