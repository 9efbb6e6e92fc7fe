// SPDX-License-Identifier: Apache-2.0
// The lowest values of the objective come first: under a low ceiling most decisions follow from others, and what is
// refuted there needs no search any more. Each window that holds no solution raises the bound, and the next one is
// twice as wide, so that few are needed however far the bound lies off.
#include "solvers/ilp_search.h"

#include "solvers/techniques.h"

enum { windows = 32 };

static const int64_t most_looks = 40000000; // of probing in one window

typedef struct search {
  const memplan_ilp_run *run;
  memplan_ilp_answer *answer;
  memplan_ilp_propagator guide;
  memplan_ilp_prober prober;
  int64_t low, high; // of the objective: what is still open
} search;

// What is left of the limits.
static memplan_limits limits_left(const search *state) {
  memplan_limits limits = *state->run->limits;
  if (limits.work >= 0) {
    limits.work = limits.work > state->answer->work ? limits.work - state->answer->work : 0;
  }
  return limits;
}

static memplan_stop reached(const search *state) {
  const memplan_limits *limits = state->run->limits;
  memplan_stop stop = memplan_limits_reached(limits);
  return stop == MEMPLAN_STOP_DONE && limits->work >= 0 && state->answer->work > limits->work ? MEMPLAN_STOP_WORK
                                                                                              : stop;
}

static bool presolve(search *state, int64_t first, int64_t last) {
  int64_t before = state->guide.looked;
  memplan_limits limits = limits_left(state);
  int64_t looks = limits.work >= 0 && limits.work < most_looks ? limits.work : most_looks;
  bool probes = (state->run->without & MEMPLAN_TECHNIQUE_ILP_PROBING) == 0;
  bool good = memplan_ilp_tighten(&state->guide, state->run->objective, first, last) &&
              memplan_ilp_propagate(&state->guide) && (!probes || memplan_ilp_probe(&state->prober, looks, &limits));
  state->answer->work += state->guide.looked - before;
  return good;
}

static memplan_status solve_window(search *state, int64_t first, int64_t last, memplan_ilp_answer *part,
                                   memplan_error *error) {
  memplan_ilp_answer *answer = state->answer;
  memplan_status status = MEMPLAN_OK;
  *part = (memplan_ilp_answer){.outcome = MEMPLAN_INFEASIBLE, .stop = MEMPLAN_STOP_DONE, .best = MEMPLAN_ILP_NONE};
  memplan_ilp_mark(&state->guide);
  if (presolve(state, first, last)) {
    memplan_limits limits = limits_left(state);
    memplan_ilp_run run = *state->run;
    run.limits = &limits;
    run.guide = &state->prober;
    run.goal = run.goal > first ? run.goal : first;
    status = memplan_ilp_solve(&run, part, error);
  }
  memplan_ilp_undo(&state->guide);
  answer->nodes += part->nodes;
  answer->iterations += part->iterations;
  answer->work += part->work;
  answer->lazy_rows += part->lazy_rows;
  answer->cuts += part->cuts;
  answer->rounded += part->rounded;
  answer->best = part->best < answer->best ? part->best : answer->best;
  return status;
}

static memplan_status climb(search *state, memplan_error *error) {
  memplan_ilp_answer *answer = state->answer, part;
  bool whole = (state->run->without & MEMPLAN_TECHNIQUE_ILP_WINDOWS) != 0;
  int64_t width = (state->high - state->low) / (whole ? 1 : windows) + 1;
  while (state->low <= state->high && state->low < answer->best) {
    answer->stop = reached(state);
    if (answer->stop != MEMPLAN_STOP_DONE) {
      answer->bound = state->low;
      return MEMPLAN_OK;
    }
    int64_t last = state->high - state->low < width ? state->high : state->low + width - 1;
    MEMPLAN_TRY(solve_window(state, state->low, last, &part, error));
    if (answer->best <= state->low) {
      break;
    }
    // A plan made by rounding may lie above the window, which then is refuted all the same.
    bool refuted = part.outcome == MEMPLAN_INFEASIBLE || (part.outcome == MEMPLAN_OPTIMAL && part.best > last);
    if (!refuted) {
      answer->outcome = part.outcome;
      answer->stop = part.stop;
      answer->bound = part.bound > state->low ? part.bound : state->low;
      return MEMPLAN_OK;
    }
    state->low = last + 1;
    width *= 2;
  }
  answer->outcome = answer->best == MEMPLAN_ILP_NONE ? MEMPLAN_INFEASIBLE : MEMPLAN_OPTIMAL;
  answer->bound = state->low < answer->best ? state->low : answer->best;
  return MEMPLAN_OK;
}

static memplan_status search_program(search *state, memplan_arena *arena, memplan_error *error) {
  const memplan_ilp_run *run = state->run;
  MEMPLAN_TRY(memplan_ilp_propagator_init(&state->guide, run->model, arena, error));
  MEMPLAN_TRY(memplan_ilp_prober_init(&state->prober, &state->guide, arena, error));
  bool good = memplan_ilp_propagate(&state->guide);
  state->answer->work = state->guide.looked;
  state->low = state->guide.lower[run->objective];
  state->high = good ? state->guide.upper[run->objective] : state->low - 1;
  return climb(state, error);
}

memplan_status memplan_ilp_search(const memplan_ilp_run *run, memplan_ilp_answer *answer, memplan_error *error) {
  memplan_arena arena = {0};
  *answer = (memplan_ilp_answer){.outcome = MEMPLAN_UNKNOWN, .stop = MEMPLAN_STOP_DONE, .best = MEMPLAN_ILP_NONE};
  MEMPLAN_TRY(memplan_ilp_status(run->model, error));
  search state = {.run = run, .answer = answer};
  memplan_status status = search_program(&state, &arena, error);
  memplan_arena_free(&arena);
  return status;
}
