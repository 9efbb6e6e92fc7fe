// SPDX-License-Identifier: Apache-2.0
// A job begins anew in each of its rounds, from its best placement and with twice the slice: that costs no more than
// what it does last.
#include "solvers/joint_job.h"

#include "heuristics/skyline_search.h"
#include "solvers/place_optimal.h"

#include <stdlib.h>

enum {
  ticks_of_block = 32,
  first_sampling = 32 // part of the default work of the sampling of skylines
};

memplan_joint_job *memplan_joint_job_new(const memplan_candidate *entry) {
  memplan_joint_job *job = calloc(1, sizeof *job);
  if (job != NULL) {
    job->entry = entry;
    job->bound = entry->peak;
    job->best = (memplan_place_result){.peak = INT64_MAX};
    memplan_instance_init(&job->instance);
  }
  return job;
}

void memplan_joint_job_free(memplan_joint_job *job) {
  if (job != NULL) {
    memplan_joint_job_release(job);
    free(job);
  }
}

void memplan_joint_job_release(memplan_joint_job *job) {
  memplan_instance_free(&job->instance);
  memplan_arena_free(&job->arena);
  job->lowered = false;
  job->best = (memplan_place_result){.peak = INT64_MAX};
}

// A candidate whose rules contradict each other, or pass a limit of the model, cannot be placed, which proves nothing.
static memplan_status lower(const memplan_joint_round *round, memplan_joint_job *job) {
  const memplan_candidate *candidate = job->entry;
  memplan_status status = memplan_ordering_lower(round->ordering, candidate->order, candidate->choice,
                                                 candidate->n_choices, &job->instance, NULL, NULL, &job->error);
  job->lowered = status == MEMPLAN_OK;
  job->closed = status == MEMPLAN_INPUT;
  if (!job->lowered) {
    memplan_instance_free(&job->instance); // whatever has been written of it
  }
  return status == MEMPLAN_INPUT ? MEMPLAN_OK : status;
}

static memplan_status sample(const memplan_joint_round *round, memplan_joint_job *job, int64_t goal,
                             memplan_arena *arena) {
  const memplan_instance *instance = &job->instance;
  int32_t n = instance->n_blocks;
  int64_t part = first_sampling >> (job->rounds < 5 ? job->rounds : 5);
  memplan_skyline_wishes wishes = {.work = memplan_skyline_search_work(n) / part, .goal = goal};
  memplan_method_result result = {.offset = MEMPLAN_NEW(arena, int64_t, n), .pool = MEMPLAN_NEW(arena, int32_t, n)};
  if (result.offset == NULL || result.pool == NULL) {
    return memplan_fail_nomem(&job->error);
  }
  memplan_limits limits = *round->limits;
  limits.seed += (uint64_t)job->rounds;
  memplan_skyline_outcome outcome;
  job->ticks += ((int64_t)round->ordering->n_ops + n) * ticks_of_block; // for the lowering
  MEMPLAN_TRY(memplan_skyline_search(instance, &wishes, &limits, &result, &outcome, &job->error));
  job->ticks += result.nodes * ticks_of_block;
  if (outcome.peak < job->best.peak) {
    job->best = (memplan_place_result){.method = memplan_heuristic_find(MEMPLAN_METHOD_PLACE, "skyline-search"),
                                       .peak = outcome.peak,
                                       .placement = {.offset = result.offset, .pool = result.pool}};
  }
  return MEMPLAN_OK;
}

// The best placement lives in `arena` afterwards, whatever arena it lived in.
static memplan_status improve(const memplan_joint_round *round, memplan_joint_job *job, int64_t goal,
                              memplan_arena *arena) {
  memplan_limits limits = *round->limits;
  limits.work = round->work;
  memplan_optimal_task task = {.instance = &job->instance,
                               .limits = &limits,
                               .goal = goal,
                               .capacity = -1,
                               .bound = job->bound,
                               .without = round->without};
  memplan_optimal_result result;
  MEMPLAN_TRY(memplan_place_improve(&task, arena, &job->best, &result, &job->error));
  job->ticks += result.ticks;
  job->nodes += result.nodes;
  job->bound = result.bound > job->bound ? result.bound : job->bound;
  job->closed = result.outcome == MEMPLAN_OPTIMAL || result.outcome == MEMPLAN_INFEASIBLE;
  return MEMPLAN_OK;
}

static memplan_status run(const memplan_joint_round *round, memplan_joint_job *job) {
  job->ticks = job->nodes = 0;
  if (!job->lowered && !job->closed) {
    MEMPLAN_TRY(lower(round, job));
  }
  if (job->closed) {
    return MEMPLAN_OK;
  }
  memplan_arena fresh = {0};
  int64_t goal = round->goal > job->bound ? round->goal : job->bound;
  memplan_status status = sample(round, job, goal, &fresh);
  if (status == MEMPLAN_OK && job->best.peak > goal) {
    status = improve(round, job, goal, &fresh);
  }
  if (status == MEMPLAN_OK && job->best.method != NULL) {
    status = memplan_placement_copy(&job->best.placement, job->instance.n_blocks, &fresh, &job->error);
  }
  memplan_arena_free(&job->arena);
  job->arena = fresh;
  job->closed = job->closed || job->best.peak <= job->bound;
  job->rounds++;
  return status;
}

void memplan_joint_job_run(memplan_joint_job *job, const memplan_joint_round *round) { job->status = run(round, job); }
