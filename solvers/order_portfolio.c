// SPDX-License-Identifier: Apache-2.0
// Each round gives every part of the portfolio the same number of ticks, with the bound and the peak that were known
// when it began; what the parts have found is taken over in a fixed order afterwards. So threads change nothing but the
// time. Rounds grow, so that small graphs end early and large ones are not held up by the exchange. All parts work on
// the reduced problem; orders are measured, and told, as ones of the given problem.
#include "solvers/order_portfolio.h"

#include "heuristics/crew.h"
#include "model/base/compiler.h"
#include "solvers/bound_cut.h"
#include "solvers/order_beam.h"
#include "solvers/order_reduce.h"
#include "solvers/order_threshold.h"
#include "solvers/order_window.h"
#include "solvers/place_optimal.h"
#include "solvers/techniques.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  first_slice = 200000,
  most_slice = 10000000,
  first_decision = 5, // round
  first_window = 1,
  first_width = 16,
  first_probe = 2, // round
  most_idle = 8,   // rounds after which a job runs in one of `idle_share` only
  idle_share = 4,
  probe_share = 4, // slices
  most_width = 1 << 16,
  most_doublings = 12,    // of the width of beams: first_width to most_width
  cut_share = 4,          // of the work
  slice_growth_above = 8, // a round gets 8/5 of the work of the one before
  slice_growth_below = 5
};

typedef enum job_kind {
  job_beam = 0,
  job_reversed,
  job_forward,
  job_decide_reversed,
  job_decide_forward,
  job_probe,
  job_window,
  n_jobs
} job_kind;

static const char *const names[n_jobs] = {
    "beam", "reversed search", "forward search", "reversed decision", "forward decision", "probing", "windows"};

typedef struct order_job {
  memplan_order_search *search; // or
  memplan_order_beam *beam;     // or
  memplan_order_window *window;
  bool reversed, closed; // closed: ended without an answer, or too large
  int32_t idle;          // rounds in a row that have brought nothing
  int64_t ticks, states; // of those before
  memplan_status status;
  memplan_error error;
} order_job;

struct memplan_order_portfolio {
  memplan_order_optimal_task task;
  memplan_limits limits;               // of the task; those of the run
  memplan_order_optimal_result result; // as far as it is known
  bool begun;
  memplan_arena own;                 // of what lasts
  memplan_order_problem problems[2]; // forwards, reversed
  memplan_order_reduction reduced;   // what is searched in their place
  memplan_order_tables tables[2];    // of it
  memplan_order_rules rules;
  order_job jobs[n_jobs];
  int32_t threads, n_beams, round;
  int64_t slice, memory;
  memplan_order_threshold threshold; // of the decisions
  memplan_order_targets targets;     // of probing
  int64_t *upper;                    // by operator: least load at it in the orders known
  int32_t *scratch;                  // an order
  int32_t *windowed;                 // the one that windows work on
  int32_t *projected;                // the best one, of what is searched; after it room to find it
  int64_t ticks;                     // of greedy orders, cuts and probing
};

typedef memplan_order_portfolio portfolio;

// ---- orders

// Measures an order and keeps it if it is the best.
static memplan_status offer_given(portfolio *all, const int32_t *order, const char *by, memplan_error *error) {
  const memplan_ordering *ordering = all->task.ordering;
  memplan_order_optimal_result *result = &all->result;
  int32_t n = ordering->n_ops;
  memplan_arena arena = {0};
  memplan_profile profile;
  memplan_status status = memplan_ordering_check(ordering, order, error);
  if (status == MEMPLAN_OK) {
    status = memplan_ordering_profile(ordering, order, &arena, &profile, error);
  }
  if (status == MEMPLAN_OK) {
    for (int32_t t = 0; t < n; t++) {
      int64_t *upper = &all->upper[order[t]];
      *upper = profile.load[t] < *upper ? profile.load[t] : *upper;
    }
    if (profile.peak < result->peak) {
      result->peak = profile.peak;
      result->order_by = by;
      memcpy(result->order, order, (size_t)n * sizeof *result->order);
    }
  }
  memplan_arena_free(&arena);
  return status;
}

// The same with an order of the reduced problem, in its own direction.
static memplan_status offer(portfolio *all, const int32_t *order, bool reversed, const char *by, memplan_error *error) {
  memplan_order_reduction_expand(&all->reduced, order, reversed, all->scratch);
  return offer_given(all, all->scratch, by, error);
}

// The best order, as one of the reduced problem.
static const int32_t *project(portfolio *all) {
  int32_t *room = all->projected + all->task.ordering->n_ops;
  memplan_order_reduction_project(&all->reduced, all->result.order, room, all->projected);
  return all->projected;
}

static void raise_bound(portfolio *all, int64_t bound, const char *by) {
  if (bound > all->result.bound) {
    all->result.bound = bound;
    all->result.bound_by = by;
  }
}

static bool is_done(const portfolio *all) {
  return all->result.peak <= memplan_goal(all->result.bound, -1, all->task.gap_millionths);
}

static memplan_status try_greedy_orders(portfolio *all, memplan_arena *arena, memplan_error *error) {
  int32_t *order = MEMPLAN_NEW(arena, int32_t, all->task.ordering->n_ops);
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < 4 && !is_done(all); k++) {
    int64_t ticks;
    MEMPLAN_TRY(memplan_order_greedy(&all->tables[k % 2], k >= 2, order, &ticks, error));
    MEMPLAN_TRY(offer(all, order, k % 2 != 0, "greedy", error));
    all->ticks += ticks;
  }
  return MEMPLAN_OK;
}

static memplan_status find_cut(portfolio *all, memplan_error *error) {
  memplan_arena scratch = {0};
  memplan_cut cut;
  const memplan_limits *limits = all->task.limits;
  int64_t work = limits->work >= 0 ? limits->work / cut_share : INT64_MAX;
  memplan_status status = memplan_cut_bound(&all->problems[0], all->result.order, all->upper, all->result.bound, work,
                                            limits, &scratch, &cut, error);
  if (status == MEMPLAN_OK) {
    raise_bound(all, cut.op >= 0 ? cut.bytes : 0, "cut");
    all->ticks += cut.work;
  }
  memplan_arena_free(&scratch);
  return status;
}

// ---- jobs

static void look(const order_job *job, memplan_order_search_look *now) {
  *now = (memplan_order_search_look){.outcome = MEMPLAN_ORDER_RUNNING};
  if (job->search != NULL) {
    memplan_order_search_state(job->search, now);
  } else if (job->beam != NULL) {
    memplan_order_beam_look beam;
    memplan_order_beam_state(job->beam, &beam);
    *now = (memplan_order_search_look){.outcome = beam.outcome,
                                       .order = beam.order,
                                       .states = beam.states,
                                       .ticks = beam.ticks,
                                       .memory = beam.memory};
  } else if (job->window != NULL) {
    memplan_order_window_look window;
    memplan_order_window_state(job->window, &window);
    now->states = window.states;
    now->ticks = window.ticks;
  }
}

// Frees what the job works on; what that has cost stays counted.
static void drop(order_job *job) {
  memplan_order_search_look now;
  look(job, &now);
  job->ticks += now.ticks;
  job->states += now.states;
  memplan_order_search_free(job->search);
  memplan_order_beam_free(job->beam);
  memplan_order_window_free(job->window);
  job->window = NULL;
  job->search = NULL;
  job->beam = NULL;
}

// Reversed beams first, which win nearly always; each pair of them twice as wide as the one before.
static memplan_status start_beam(portfolio *all, order_job *job, memplan_error *error) {
  enum { n_noises = 4 };
  static const int64_t noise[n_noises] = {0, 20000, 6000, 60000}; // in millionths of the peak
  int32_t pair = all->n_beams / 2;
  job->reversed = all->n_beams % 2 == 0;
  memplan_order_beam_options options = {
      .width = pair < most_doublings ? first_width << pair : most_width,
      .noise = (int64_t)((memplan_int128)all->result.peak * noise[pair % n_noises] / 1000000),
      .salt = (uint64_t)all->n_beams,
      .ceiling = all->result.peak};
  all->n_beams++;
  return memplan_order_beam_new(&all->tables[job->reversed], &all->rules, &options, &job->beam, error);
}

static memplan_status start_decisions(portfolio *all, memplan_error *error) {
  memplan_order_threshold *threshold = &all->threshold;
  order_job *jobs = &all->jobs[job_decide_reversed];
  int64_t bound = all->result.bound, peak = all->result.peak;
  if (!memplan_order_threshold_move(threshold, bound, peak, jobs[0].closed && jobs[1].closed, &all->targets)) {
    return MEMPLAN_OK;
  }
  drop(&jobs[0]);
  drop(&jobs[1]);
  MEMPLAN_TRY(memplan_order_threshold_narrow(threshold, all->reduced.problems, &all->rules, &all->targets, error));
  for (int32_t k = 0; k < 2; k++) {
    jobs[k].reversed = k == 0;
    jobs[k].closed = threshold->value < 0;
    if (!jobs[k].closed) {
      const memplan_order_tables *tables = threshold->n_edges > 0 ? threshold->tables : all->tables;
      MEMPLAN_TRY(memplan_order_search_new(&tables[jobs[k].reversed], &all->rules, bound, threshold->value, peak,
                                           &jobs[k].search, error));
    }
  }
  return MEMPLAN_OK;
}

// Windows go on with their order unless a better one has come up.
static memplan_status start_windows(portfolio *all, memplan_error *error) {
  order_job *job = &all->jobs[job_window];
  memplan_order_window_look now = {.peak = INT64_MAX};
  if (job->window == NULL) {
    job->window = memplan_order_window_new(all->tables, &all->rules);
    if (job->window == NULL) {
      return memplan_fail_nomem(error);
    }
  } else {
    memplan_order_window_state(job->window, &now);
  }
  if (all->result.peak < now.peak) {
    memcpy(all->windowed, project(all), (size_t)all->reduced.problems[0].n_ops * sizeof *all->windowed);
  }
  return MEMPLAN_OK;
}

static memplan_status start_probing(portfolio *all, memplan_error *error) {
  bool wants;
  MEMPLAN_TRY(memplan_order_targets_choose(&all->targets, all->result.bound, all->result.peak, &wants, error));
  return wants ? memplan_order_targets_begin(&all->targets, &all->reduced.problems[0], project(all), error)
               : MEMPLAN_OK;
}

static memplan_status merge_probing(portfolio *all, memplan_error *error) {
  int64_t bound = 0;
  memplan_status status = memplan_order_targets_merge(&all->targets, &bound, &all->ticks, error);
  raise_bound(all, bound, names[job_probe]);
  return status;
}

static bool uses(const memplan_order_optimal_task *task, uint64_t technique) {
  return (task->without & technique) == 0;
}

static memplan_status start_jobs(portfolio *all, memplan_error *error) {
  const memplan_order_optimal_result *result = &all->result;
  if (all->jobs[job_beam].beam == NULL && !all->jobs[job_beam].closed) {
    MEMPLAN_TRY(start_beam(all, &all->jobs[job_beam], error));
  }
  for (int32_t k = job_reversed; k <= job_forward; k++) {
    order_job *job = &all->jobs[k];
    job->reversed = k == job_reversed;
    if (job->search == NULL && !job->closed) {
      MEMPLAN_TRY(memplan_order_search_new(&all->tables[job->reversed], &all->rules, result->bound, result->bound,
                                           result->peak, &job->search, error));
    }
  }
  if (all->round >= first_window && uses(&all->task, MEMPLAN_TECHNIQUE_ORDER_WINDOWS)) {
    MEMPLAN_TRY(start_windows(all, error));
  }
  if (all->round >= first_decision && uses(&all->task, MEMPLAN_TECHNIQUE_ORDER_DECISIONS)) {
    MEMPLAN_TRY(start_decisions(all, error));
  }
  if (all->round >= first_probe && uses(&all->task, MEMPLAN_TECHNIQUE_ORDER_PROBING)) {
    MEMPLAN_TRY(start_probing(all, error));
  }
  for (int32_t k = job_reversed; k < n_jobs; k++) {
    if (all->jobs[k].search != NULL) {
      memplan_order_search_tell(all->jobs[k].search, result->bound, result->peak);
    }
  }
  return MEMPLAN_OK;
}

// Jobs that have brought nothing for long leave the work to the others.
static bool has_turn(const portfolio *all, job_kind kind) {
  return all->jobs[kind].idle < most_idle || all->round % idle_share == (int32_t)kind % idle_share;
}

static void run_job(portfolio *all, job_kind kind, int64_t slice) {
  order_job *job = &all->jobs[kind];
  job->status = MEMPLAN_OK;
  if (!has_turn(all, kind)) {
    return;
  }
  if (kind == job_probe) {
    job->status = memplan_order_targets_run(&all->targets, probe_share * slice, all->task.limits, &job->error);
  } else if (job->search != NULL) {
    job->status = memplan_order_search_run(job->search, slice, &job->error);
  } else if (job->beam != NULL) {
    job->status = memplan_order_beam_run(job->beam, slice, &job->error);
  } else if (job->window != NULL) {
    job->status = memplan_order_window_run(job->window, all->windowed, all->result.bound, slice, &job->error);
  }
}

static memplan_status merge(portfolio *all, job_kind kind, memplan_error *error) {
  order_job *job = &all->jobs[kind];
  memplan_order_search_look now;
  if (job->status != MEMPLAN_OK) {
    return memplan_fail(error, job->status, "%s", job->error.message);
  }
  if (kind == job_probe) {
    return merge_probing(all, error);
  }
  if (job->window != NULL) {
    memplan_order_window_look window;
    memplan_order_window_state(job->window, &window);
    return window.peak < all->result.peak ? offer(all, all->windowed, false, names[kind], error) : MEMPLAN_OK;
  }
  look(job, &now);
  bool decides = kind == job_decide_reversed || kind == job_decide_forward;
  raise_bound(all, decides ? memplan_order_threshold_bound(&all->threshold, now.bound) : now.bound, names[kind]);
  if (now.outcome == MEMPLAN_ORDER_FOUND) {
    MEMPLAN_TRY(offer(all, now.order, job->reversed, names[kind], error));
  }
  if (job->beam != NULL && now.outcome == MEMPLAN_ORDER_EXHAUSTED) {
    memplan_order_beam_look beam;
    memplan_order_beam_state(job->beam, &beam);
    raise_bound(all, beam.complete ? beam.bound : 0, names[kind]);
  }
  if (now.outcome != MEMPLAN_ORDER_RUNNING) {
    drop(job);
    job->closed = job->closed || kind != job_beam;
  }
  return MEMPLAN_OK;
}

// The largest job gives way until the rest keeps within the budget; a beam that is too large is followed by small ones.
static void keep_within_memory(portfolio *all) {
  for (;;) {
    int64_t sum = 0, most = -1;
    int32_t largest = 0;
    for (int32_t k = 0; k < n_jobs; k++) {
      memplan_order_search_look now;
      look(&all->jobs[k], &now);
      sum += now.memory;
      largest = now.memory > most ? k : largest;
      most = now.memory > most ? now.memory : most;
    }
    if (sum <= all->memory) {
      return;
    }
    drop(&all->jobs[largest]);
    all->jobs[largest].closed = true;
  }
}

static int64_t count_ticks(const portfolio *all) {
  int64_t ticks = all->ticks;
  for (int32_t k = 0; k < n_jobs; k++) {
    memplan_order_search_look now;
    look(&all->jobs[k], &now);
    ticks += all->jobs[k].ticks + now.ticks;
  }
  return ticks;
}

static bool is_stuck(const portfolio *all) {
  for (int32_t k = 0; k < n_jobs; k++) {
    bool waits = k >= job_decide_reversed && all->round < first_decision;
    if (k < job_probe && (waits || !all->jobs[k].closed)) {
      return false;
    }
  }
  return !memplan_order_threshold_has_next(&all->threshold, all->result.bound, all->result.peak) &&
         all->targets.prober == NULL;
}

static int64_t count_states(const portfolio *all) {
  int64_t states = 0;
  for (int32_t k = 0; k < n_jobs; k++) {
    memplan_order_search_look now;
    look(&all->jobs[k], &now);
    states += all->jobs[k].states + now.states;
  }
  return states;
}

// An order is no plan yet, so that no peak of a plan is told.
static void report(const portfolio *all) {
  const memplan_limits *limits = all->task.limits;
  if (limits->progress != NULL) {
    char source[64];
    (void)snprintf(source, sizeof source, "order, %s", all->result.bound_by);
    memplan_progress now = {.source = source,
                            .peak = -1,
                            .lower_bound = all->result.bound,
                            .nodes = count_states(all),
                            .order_peak = all->result.peak};
    limits->progress(limits->context, &now);
  }
}

static memplan_status run_rounds(portfolio *all, int64_t before, memplan_error *error) {
  const memplan_limits *limits = all->task.limits;
  for (; !is_done(all); all->round++) {
    memplan_stop stop = memplan_limits_reached(limits);
    int64_t left = limits->work >= 0 ? limits->work - (count_ticks(all) - before) : INT64_MAX;
    stop = stop == MEMPLAN_STOP_DONE && left <= 0 ? MEMPLAN_STOP_WORK : stop;
    stop = stop == MEMPLAN_STOP_DONE && is_stuck(all) ? MEMPLAN_STOP_MEMORY : stop;
    if (stop != MEMPLAN_STOP_DONE) {
      all->result.stop = stop;
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(start_jobs(all, error));
    int64_t slice = left / (n_jobs + 1) + 1 < all->slice ? left / (n_jobs + 1) + 1 : all->slice;
#pragma omp parallel for schedule(dynamic, 1) num_threads(all->threads)
    for (int32_t k = 0; k < n_jobs; k++) {
      run_job(all, (job_kind)k, slice);
    }
    for (int32_t k = 0; k < n_jobs; k++) {
      int64_t gap = all->result.peak - all->result.bound;
      MEMPLAN_TRY(merge(all, (job_kind)k, error));
      bool decides = k == job_decide_reversed || k == job_decide_forward || k == job_probe;
      all->jobs[k].idle = decides || all->result.peak - all->result.bound < gap ? 0 : all->jobs[k].idle + 1;
    }
    report(all);
    keep_within_memory(all);
    int64_t more = all->slice * slice_growth_above / slice_growth_below + 1;
    all->slice = more < most_slice ? more : most_slice;
  }
  return MEMPLAN_OK;
}

// ---- the whole

static memplan_status allocate(portfolio *all, memplan_error *error) {
  const memplan_ordering *ordering = all->task.ordering;
  int32_t n = ordering->n_ops;
  all->result.order = MEMPLAN_NEW(&all->own, int32_t, n);
  all->upper = MEMPLAN_NEW(&all->own, int64_t, n);
  all->scratch = MEMPLAN_NEW(&all->own, int32_t, n);
  all->windowed = MEMPLAN_NEW(&all->own, int32_t, n);
  all->projected = MEMPLAN_NEW(&all->own, int32_t, 3 * ((int64_t)n + 1));
  int32_t *given = MEMPLAN_NEW(&all->own, int32_t, n);
  if (all->result.order == NULL || all->upper == NULL || all->scratch == NULL || all->windowed == NULL ||
      all->projected == NULL || given == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t reversed = 0; reversed < 2; reversed++) {
    MEMPLAN_TRY(memplan_order_problem_init(&all->problems[reversed], ordering, reversed != 0, &all->own, error));
  }
  for (int32_t op = 0; op < n; op++) {
    all->upper[op] = INT64_MAX;
    given[op] = op;
  }
  return offer_given(all, all->task.start != NULL ? all->task.start : given, "start", error);
}

static memplan_status begin(portfolio *all, memplan_error *error) {
  // The cut bound of a good order costs a few flows only, and mostly ends it where the given order is one.
  MEMPLAN_TRY(find_cut(all, error));
  if (is_done(all)) {
    return MEMPLAN_OK;
  }
  int32_t rules = (uses(&all->task, MEMPLAN_TECHNIQUE_ORDER_CHAINS) ? MEMPLAN_ORDER_CHAINS : 0) |
                  (all->rules.passes ? MEMPLAN_ORDER_VALLEYS : 0);
  MEMPLAN_TRY(memplan_order_reduce(all->problems, rules, &all->own, &all->reduced, error));
  all->ticks += all->reduced.work;
  for (int32_t k = 0; k < 2; k++) {
    MEMPLAN_TRY(memplan_order_tables_init(&all->tables[k], &all->reduced.problems[k], &all->rules, &all->own, error));
  }
  MEMPLAN_TRY(try_greedy_orders(all, &all->own, error));
  report(all);
  all->threads = memplan_crew_size(all->task.limits, INT64_MAX);
  all->begun = true;
  return MEMPLAN_OK;
}

static memplan_order_rules rules_of(const memplan_order_optimal_task *task) {
  return (memplan_order_rules){.lazy = uses(task, MEMPLAN_TECHNIQUE_ORDER_LAZY),
                               .intervals = uses(task, MEMPLAN_TECHNIQUE_ORDER_INTERVALS),
                               .commits = uses(task, MEMPLAN_TECHNIQUE_ORDER_COMMITS),
                               .passes = uses(task, MEMPLAN_TECHNIQUE_ORDER_VALLEYS)};
}

void memplan_order_portfolio_free(memplan_order_portfolio *all) {
  if (all == NULL) {
    return;
  }
  for (int32_t k = 0; k < n_jobs; k++) {
    drop(&all->jobs[k]);
  }
  memplan_arena_free(&all->own);
  memplan_order_threshold_free(&all->threshold);
  memplan_order_targets_free(&all->targets);
  free(all);
}

memplan_status memplan_order_portfolio_new(const memplan_order_optimal_task *task, memplan_order_portfolio **made,
                                           memplan_error *error) {
  portfolio *all = calloc(1, sizeof *all);
  *made = NULL;
  if (all == NULL) {
    return memplan_fail_nomem(error);
  }
  *all = (portfolio){.task = *task,
                     .limits = *task->limits,
                     .result = {.peak = INT64_MAX, .bound = task->bound, .bound_by = "start"},
                     .rules = rules_of(task),
                     .slice = task->slice > 0 ? task->slice : first_slice,
                     .memory = memplan_limits_memory(task->limits),
                     .threads = 1};
  memplan_order_threshold_init(&all->threshold);
  memplan_order_targets_init(&all->targets);
  all->task.limits = &all->limits;
  all->jobs[job_beam].closed = !uses(task, MEMPLAN_TECHNIQUE_ORDER_BEAM);
  all->jobs[job_reversed].closed = !uses(task, MEMPLAN_TECHNIQUE_ORDER_REVERSED);
  memplan_status status = allocate(all, error);
  if (status != MEMPLAN_OK) {
    memplan_order_portfolio_free(all);
    return status;
  }
  *made = all;
  return MEMPLAN_OK;
}

static void tell(const portfolio *all, memplan_order_optimal_result *result) {
  *result = all->result;
  result->ticks = count_ticks(all);
  result->states = count_states(all);
  result->bound = result->bound < result->peak ? result->bound : result->peak;
  result->outcome = result->peak == result->bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
}

memplan_status memplan_order_portfolio_run(memplan_order_portfolio *all, const int32_t *order, int64_t bound,
                                           int64_t work, memplan_order_optimal_result *result, memplan_error *error) {
  int64_t before = count_ticks(all);
  all->limits.work = work;
  all->result.stop = MEMPLAN_STOP_DONE;
  raise_bound(all, bound, "start");
  if (order != NULL) {
    MEMPLAN_TRY(offer_given(all, order, "start", error));
  }
  if (!is_done(all) && !all->begun) {
    MEMPLAN_TRY(begin(all, error));
  }
  if (!is_done(all)) {
    MEMPLAN_TRY(run_rounds(all, before, error));
  }
  tell(all, result);
  return MEMPLAN_OK;
}
