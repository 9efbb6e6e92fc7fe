// SPDX-License-Identifier: Apache-2.0
// Tasks share nothing but their const problems. Each writes into its own slot, with memory that was there before the
// threads started, and keeps its scratch memory in an arena of its own.
#include "heuristics/portfolio.h"

#include "heuristics/crew.h"

#include <stddef.h>

typedef struct portfolio {
  memplan_portfolio_task *tasks;
  int32_t n_tasks;
  const memplan_limits *limits;
} portfolio;

static bool allocate(memplan_portfolio_task *task, memplan_arena *arena) {
  memplan_method_result *result = &task->result;
  *result = (memplan_method_result){.failed_block = -1};
  if (task->method->kind == MEMPLAN_METHOD_ORDER) {
    result->order = MEMPLAN_NEW(arena, int32_t, task->task.ordering->n_ops);
    return result->order != NULL;
  }
  int32_t n_blocks = task->task.instance->n_blocks;
  result->offset = MEMPLAN_NEW(arena, int64_t, n_blocks);
  result->pool = MEMPLAN_NEW(arena, int32_t, n_blocks);
  result->slot = MEMPLAN_NEW(arena, int32_t, n_blocks);
  if (result->offset == NULL || result->pool == NULL || result->slot == NULL) {
    return false;
  }
  for (int32_t block = 0; block < n_blocks; block++) {
    result->slot[block] = -1;
  }
  return true;
}

static memplan_status measure(memplan_portfolio_task *task) {
  const memplan_method_result *result = &task->result;
  if (result->outcome != MEMPLAN_FEASIBLE && result->outcome != MEMPLAN_OPTIMAL) {
    return MEMPLAN_OK;
  }
  if (task->method->kind != MEMPLAN_METHOD_ORDER) {
    task->peak = memplan_instance_peak(task->task.instance, result->offset);
    return MEMPLAN_OK;
  }
  memplan_arena scratch = {0};
  memplan_profile profile = {0};
  memplan_status status =
      memplan_ordering_profile(task->task.ordering, result->order, &scratch, &profile, &task->error);
  if (status == MEMPLAN_OK) {
    task->peak = profile.peak;
  }
  memplan_arena_free(&scratch);
  return status;
}

// Fills the slot of one task. A task that was not started or not finished keeps the reason in its result.
static void run_task(const portfolio *all, int32_t index) {
  memplan_portfolio_task *task = &all->tasks[index];
  memplan_stop stop = index > 0 ? memplan_limits_reached(all->limits) : MEMPLAN_STOP_DONE;
  if (stop != MEMPLAN_STOP_DONE) {
    task->result.stop = stop;
    return;
  }
  if (task->method->accepts != NULL && !task->method->accepts(&task->task, &task->error)) {
    return;
  }
  task->status = task->method->run(&task->task, all->limits, &task->result, &task->error);
  if (task->status == MEMPLAN_OK) {
    task->ran = task->result.outcome != MEMPLAN_UNKNOWN || task->result.stop == MEMPLAN_STOP_DONE;
    task->status = measure(task);
  }
}

// Methods that search for as long as they may share out their own work among the threads.
static bool runs_alone(const memplan_portfolio_task *task) { return task->method->anytime; }

static void run_turn(const portfolio *all, int32_t index) {
  if (!runs_alone(&all->tasks[index])) {
    run_task(all, index);
  }
}

// The order of starting: the first task, then the last but for those that run alone, then the others. Where time is
// short, the last placement registered is worth most.
static int32_t choose_task(int32_t turn, int32_t last) {
  if (turn == 0 || turn > last) {
    return turn;
  }
  return turn == 1 ? last : turn - 1;
}

static void run_together(const portfolio *all) {
  int64_t steps = 0;
  int32_t last = 0;
  for (int32_t k = 0; k < all->n_tasks; k++) {
    const memplan_task *task = &all->tasks[k].task;
    bool orders = all->tasks[k].method->kind == MEMPLAN_METHOD_ORDER;
    if (!runs_alone(&all->tasks[k])) {
      steps += orders ? task->ordering->n_ops : task->instance->n_blocks;
      last = k;
    }
  }
  int32_t crew = memplan_crew_size(all->limits, steps);
  if (crew > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(crew)
    for (int32_t turn = 0; turn < all->n_tasks; turn++) {
      run_turn(all, choose_task(turn, last));
    }
  } else {
    for (int32_t turn = 0; turn < all->n_tasks; turn++) {
      run_turn(all, choose_task(turn, last));
    }
  }
}

// Is a placement of this instance found that none can beat?
static memplan_status is_settled(const portfolio *all, const memplan_instance *instance, bool *settled,
                                 memplan_error *error) {
  *settled = false;
  int32_t best = memplan_portfolio_best(all->tasks, all->n_tasks);
  if (best < 0 || instance->n_pools > 1) {
    return MEMPLAN_OK;
  }
  memplan_load load;
  MEMPLAN_TRY(memplan_instance_load(instance, true, &load, error));
  *settled = all->tasks[best].peak <= load.bytes;
  return MEMPLAN_OK;
}

static memplan_status run_all(const portfolio *all, memplan_error *error) {
  run_together(all);
  for (int32_t k = 0; k < all->n_tasks; k++) {
    bool settled = false;
    if (!runs_alone(&all->tasks[k])) {
      continue;
    }
    if (all->tasks[k].method->kind == MEMPLAN_METHOD_PLACE) {
      MEMPLAN_TRY(is_settled(all, all->tasks[k].task.instance, &settled, error));
    }
    if (!settled) {
      run_task(all, k);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_portfolio_run(memplan_portfolio_task *tasks, int32_t n_tasks, const memplan_limits *limits,
                                     memplan_arena *arena, memplan_stop *stop, memplan_error *error) {
  *stop = MEMPLAN_STOP_DONE;
  for (int32_t k = 0; k < n_tasks; k++) {
    tasks[k].status = MEMPLAN_OK;
    tasks[k].ran = false;
    tasks[k].peak = INT64_MAX;
    tasks[k].error = (memplan_error){.status = MEMPLAN_OK};
    if (!allocate(&tasks[k], arena)) {
      return memplan_fail_nomem(error);
    }
  }
  memplan_limits started = memplan_limits_start(limits);
  portfolio all = {.tasks = tasks, .n_tasks = n_tasks, .limits = &started};
  MEMPLAN_TRY(run_all(&all, error));
  for (int32_t k = 0; k < n_tasks; k++) {
    if (tasks[k].status != MEMPLAN_OK) {
      if (error != NULL) {
        *error = tasks[k].error;
      }
      return tasks[k].status;
    }
    if (*stop == MEMPLAN_STOP_DONE) {
      *stop = tasks[k].result.stop;
    }
  }
  return MEMPLAN_OK;
}

int32_t memplan_portfolio_threads(const memplan_limits *limits) { return memplan_crew_most(limits); }

int32_t memplan_portfolio_best(const memplan_portfolio_task *tasks, int32_t n_tasks) {
  int32_t best = -1;
  for (int32_t k = 0; k < n_tasks; k++) {
    if (tasks[k].ran && tasks[k].peak != INT64_MAX && (best < 0 || tasks[k].peak < tasks[best].peak)) {
      best = k;
    }
  }
  return best;
}
