// SPDX-License-Identifier: Apache-2.0
// One capacity at a time, the bound itself first: what is exhausted there raises the bound to the least that would have
// changed the search, a load that was turned away or the height of a nogood. Nogoods carry over to every capacity below
// their height. Orders are sought from both ends by turns, in slices that double. An order whose placement stays
// undecided is asked about again with more work; until it is decided nothing is said about its capacity.
#include "solvers/joint_exhaust.h"

#include "model/base/grow.h"
#include "solvers/joint_job.h"
#include "solvers/joint_orders.h"

#include <stdlib.h>
#include <string.h>

enum {
  first_slice = 200000,     // of a search for orders
  first_place = 1 << 22,    // of placing an order
  first_question = 1 << 18, // of a window of it
  growth = 2,               // binary digits, of both from attempt to attempt
  most_attempts = 5,
  upwards = 4, // bounds before capacities in the middle of the gap are tried
  most_nogoods = 4096,
  parts = 2 // as a method: of the memory, the other one is that of placements
};

static const int64_t default_memory = INT64_C(1) << 30;

struct memplan_joint_exhaust {
  memplan_joint_exhaust_task task;
  memplan_limits limits;
  memplan_arena arena;               // of tables and nogoods
  memplan_order_problem problems[2]; // forwards, turned
  memplan_order_tables tables[2];
  memplan_joint_nogood *nogoods;
  int32_t n_nogoods;
  int64_t nogood_capacity;
  int64_t lower, upper;
  int32_t n_raised;
  int64_t nogood_bytes;
  bool full;  // of nogoods
  bool ended; // at this capacity, or full
  bool improved;
  int64_t ticks, states;
  // one capacity
  int64_t capacity; // -1: none is being asked about
  const memplan_joint_nogood **active;
  int32_t n_active;
  memplan_joint_orders *orders[2];
  int32_t turn;
  int64_t slice;
  // one order
  memplan_arena order_arena;
  memplan_candidate entry;
  memplan_joint_job *job;
  int32_t attempt;
  // the best plan
  memplan_arena plan_arena;
  memplan_joint_plan plan;
};

// One more than any plan needs: what lies one behind the other, above all that is fixed, always fits; nothing may lie
// past the capacity of the pool.
static int64_t needed(const memplan_joint_graph *whole) {
  const memplan_graph *graph = whole->ordering->graph;
  int64_t high = 0, sum, most = MEMPLAN_SIZE_LIMIT - 2;
  if (graph->n_pools == 1 && graph->pools[0].capacity >= 0 && graph->pools[0].capacity < most) {
    most = graph->pools[0].capacity;
  }
  for (int32_t k = 0; k < whole->n_items; k++) {
    const memplan_joint_item *item = &whole->items[k];
    int64_t end = item->pin >= 0 ? memplan_add_saturated(item->pin, item->bytes) : 0;
    high = end > high ? end : high;
  }
  sum = high;
  for (int32_t k = 0; k < whole->n_items; k++) {
    sum = memplan_add_saturated(sum, memplan_add_saturated(whole->items[k].bytes, whole->items[k].align - 1));
  }
  return (sum < most ? sum : most) + 1;
}

static memplan_status make_tables(memplan_joint_exhaust *all, memplan_error *error) {
  memplan_order_rules rules = {.lazy = false, .intervals = all->task.commits, .commits = all->task.commits};
  for (int32_t k = 0; k < 2; k++) {
    MEMPLAN_TRY(memplan_order_problem_init(&all->problems[k], all->task.whole->ordering, k == 1, &all->arena, error));
    MEMPLAN_TRY(memplan_order_tables_init(&all->tables[k], &all->problems[k], &rules, &all->arena, error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_joint_exhaust_new(const memplan_joint_exhaust_task *task, memplan_joint_exhaust **exhaust,
                                         memplan_error *error) {
  memplan_joint_exhaust *made = calloc(1, sizeof *made);
  *exhaust = made;
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t most = needed(task->whole);
  made->task = *task;
  made->limits = *task->limits;
  made->limits.progress = NULL;
  made->lower = task->lower;
  made->upper = task->upper < most ? task->upper : most;
  made->capacity = -1;
  memplan_status status = make_tables(made, error);
  if (status != MEMPLAN_OK) {
    memplan_joint_exhaust_free(made);
    *exhaust = NULL;
  }
  return status;
}

static void close_order(memplan_joint_exhaust *all) {
  memplan_joint_job_free(all->job);
  memplan_arena_free(&all->order_arena);
  all->job = NULL;
  all->order_arena = (memplan_arena){0};
}

static void close_capacity(memplan_joint_exhaust *all) {
  close_order(all);
  for (int32_t k = 0; k < 2; k++) {
    memplan_joint_orders_free(all->orders[k]);
    all->orders[k] = NULL;
  }
  free(all->active);
  all->active = NULL;
  all->n_active = 0;
  all->capacity = -1;
}

void memplan_joint_exhaust_free(memplan_joint_exhaust *all) {
  if (all != NULL) {
    close_capacity(all);
    free(all->nogoods);
    memplan_arena_free(&all->plan_arena);
    memplan_arena_free(&all->arena);
    free(all);
  }
}

static void raise_lower(memplan_joint_exhaust *all, int64_t lower) {
  if (lower > all->lower) {
    all->lower = lower < all->upper ? lower : all->upper;
  }
}

static int64_t memory_of(const memplan_joint_exhaust *all) {
  return all->task.memory > 0 ? all->task.memory : default_memory;
}

static bool is_outdated(const memplan_joint_exhaust *all, int64_t lower, int64_t upper) {
  return all->capacity >= 0 && (all->capacity < lower || all->capacity >= upper);
}

// What ended at a capacity that is no longer asked about may go on at another one.
static void drop_outdated(memplan_joint_exhaust *all) {
  if (is_outdated(all, all->lower, all->upper)) {
    close_capacity(all);
    all->ended = all->full;
  }
}

// ---- one capacity

static memplan_status open_capacity(memplan_joint_exhaust *all, memplan_error *error) {
  int64_t room = all->upper - 1 - all->lower;
  all->capacity = all->n_raised < upwards ? all->lower : all->lower + room / 2;
  all->slice = first_slice;
  all->active = calloc((size_t)all->n_nogoods + 1, sizeof *all->active);
  if (all->active == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < all->n_nogoods; k++) {
    if (all->nogoods[k].height > all->capacity && !memplan_joint_nogood_is_static(&all->nogoods[k])) {
      all->active[all->n_active++] = &all->nogoods[k];
    }
  }
  for (int32_t k = 0; k < 2; k++) {
    memplan_joint_orders_task task = {.whole = all->task.whole,
                                      .tables = &all->tables[k],
                                      .nogoods = all->active,
                                      .n_nogoods = all->n_active,
                                      .threshold = all->capacity,
                                      .most_memory = (memory_of(all) - all->nogood_bytes) / 2,
                                      .commits = all->task.commits};
    MEMPLAN_TRY(memplan_joint_orders_new(&task, &all->orders[k], error));
    all->ticks += memplan_joint_orders_state(all->orders[k]).ticks;
  }
  return MEMPLAN_OK;
}

// The least capacity for which the search would have gone otherwise.
static int64_t next_capacity(const memplan_joint_exhaust *all, int64_t rejected) {
  for (int32_t k = 0; k < all->n_active; k++) {
    rejected = all->active[k]->height < rejected ? all->active[k]->height : rejected;
  }
  return rejected;
}

static memplan_status take_order(memplan_joint_exhaust *all, memplan_joint_orders *from, memplan_error *error) {
  const memplan_joint_graph *whole = all->task.whole;
  int32_t *order = MEMPLAN_NEW(&all->order_arena, int32_t, whole->n_ops);
  int32_t *choice = MEMPLAN_NEW(&all->order_arena, int32_t, whole->ordering->n_pairs);
  if (order == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  all->entry = (memplan_candidate){.order = order, .choice = choice, .method = "nogoods"};
  all->attempt = 0;
  MEMPLAN_TRY(memplan_joint_orders_read(from, order, choice, &all->entry.n_choices, error));
  all->job = memplan_joint_job_new(&all->entry);
  return all->job != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// A slice of one of the two searches.
static memplan_status search(memplan_joint_exhaust *all, int64_t ticks, memplan_error *error) {
  memplan_joint_orders *orders = all->orders[all->turn], *other = all->orders[1 - all->turn];
  memplan_joint_orders_look before = memplan_joint_orders_state(orders);
  int64_t slice = all->slice < ticks ? all->slice : ticks;
  MEMPLAN_TRY(memplan_joint_orders_run(orders, slice, error));
  memplan_joint_orders_look now = memplan_joint_orders_state(orders);
  all->ticks += now.ticks - before.ticks + 1;
  all->states += now.states - before.states;
  switch (now.outcome) {
  case MEMPLAN_JOINT_ORDERS_FOUND:
    return take_order(all, orders, error);
  case MEMPLAN_JOINT_ORDERS_EXHAUSTED:
    raise_lower(all, next_capacity(all, now.rejected));
    all->n_raised++;
    close_capacity(all);
    return MEMPLAN_OK;
  case MEMPLAN_JOINT_ORDERS_FULL:
    all->ended = memplan_joint_orders_state(other).outcome == MEMPLAN_JOINT_ORDERS_FULL;
    all->turn = 1 - all->turn;
    return MEMPLAN_OK;
  case MEMPLAN_JOINT_ORDERS_RUNNING:
    break;
  }
  if (memplan_joint_orders_state(other).outcome == MEMPLAN_JOINT_ORDERS_RUNNING) {
    all->turn = 1 - all->turn;
    all->slice += all->turn == 0 ? all->slice : 0;
  }
  return MEMPLAN_OK;
}

// ---- one order

static memplan_status take_plan(memplan_joint_exhaust *all, memplan_error *error) {
  const memplan_place_result *best = &all->job->best;
  if (best->method == NULL || best->peak >= all->upper) {
    return MEMPLAN_OK;
  }
  memplan_arena arena = {0};
  int32_t n = all->task.whole->n_ops;
  int32_t *order = MEMPLAN_NEW(&arena, int32_t, n), *choice = MEMPLAN_NEW(&arena, int32_t, all->entry.n_choices);
  memplan_placement placement = best->placement;
  memplan_status status = order == NULL || choice == NULL
                              ? memplan_fail_nomem(error)
                              : memplan_placement_copy(&placement, all->job->instance.n_blocks, &arena, error);
  if (status != MEMPLAN_OK) {
    memplan_arena_free(&arena);
    return status;
  }
  memcpy(order, all->entry.order, (size_t)n * sizeof *order);
  memcpy(choice, all->entry.choice, (size_t)all->entry.n_choices * sizeof *choice);
  memplan_arena_free(&all->plan_arena);
  all->plan_arena = arena;
  all->plan = (memplan_joint_plan){.order = order,
                                   .choice = choice,
                                   .n_choices = all->entry.n_choices,
                                   .placement = placement,
                                   .n_blocks = all->job->instance.n_blocks,
                                   .peak = best->peak};
  all->upper = best->peak;
  all->improved = true;
  return MEMPLAN_OK;
}

static memplan_status add_nogood(memplan_joint_exhaust *all, memplan_joint_nogood nogood, memplan_error *error) {
  memplan_joint_nogood *nogoods =
      memplan_grow_heap(all->nogoods, all->n_nogoods, &all->nogood_capacity, sizeof *nogoods);
  if (nogoods == NULL) {
    return memplan_fail_nomem(error);
  }
  all->nogoods = nogoods;
  nogoods[all->n_nogoods++] = nogood;
  all->nogood_bytes += (int64_t)sizeof nogood + (int64_t)sizeof *nogood.items * nogood.n_items +
                       (int64_t)sizeof *nogood.overlaps * nogood.n_overlaps +
                       (int64_t)sizeof *nogood.links * nogood.n_links;
  all->full = all->n_nogoods == most_nogoods || all->nogood_bytes > memory_of(all) / 2;
  all->ended = all->full;
  if (memplan_joint_nogood_is_static(&nogood)) {
    raise_lower(all, nogood.height);
    all->n_raised++;
  }
  return MEMPLAN_OK;
}

// Where the items end in the best placement of the order.
static memplan_status find_ends(const memplan_joint_exhaust *all, int64_t *end, memplan_error *error) {
  const memplan_joint_graph *whole = all->task.whole;
  const memplan_joint_plan plan = {
      .order = all->entry.order, .choice = all->entry.choice, .n_choices = all->entry.n_choices};
  memplan_joint_lowered lowered;
  memplan_status status = memplan_joint_lower(whole, &plan, &lowered, error);
  for (int32_t item = 0; status == MEMPLAN_OK && item < whole->n_items; item++) {
    end[item] = memplan_joint_lowered_offset(&lowered, &all->job->best.placement, item) + whole->items[item].bytes;
  }
  memplan_joint_lowered_free(&lowered);
  return status;
}

static memplan_status find_nogood(memplan_joint_exhaust *all, bool *found, memplan_error *error) {
  const memplan_joint_graph *whole = all->task.whole;
  const memplan_place_result *best = &all->job->best;
  memplan_arena scratch = {0};
  int64_t *end = MEMPLAN_NEW(&scratch, int64_t, whole->n_items);
  memplan_status status = end != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK && best->method != NULL) {
    status = find_ends(all, end, error);
  }
  memplan_joint_nogood_task task = {.whole = whole,
                                    .order = all->entry.order,
                                    .choice = all->entry.choice,
                                    .n_choices = all->entry.n_choices,
                                    .end = best->method != NULL ? end : NULL,
                                    .capacity = all->capacity,
                                    .upper = all->upper,
                                    .ticks = (int64_t)first_question << (growth * all->attempt),
                                    .without = all->task.without,
                                    .limits = &all->limits};
  memplan_joint_nogood nogood;
  memplan_joint_nogood_news news = {.found = false};
  if (status == MEMPLAN_OK) {
    status = memplan_joint_nogood_find(&task, &all->arena, &nogood, &news, error);
  }
  memplan_arena_free(&scratch);
  all->ticks += news.ticks;
  *found = news.found;
  return status == MEMPLAN_OK && news.found ? add_nogood(all, nogood, error) : status;
}

static memplan_status place(memplan_joint_exhaust *all, memplan_error *error) {
  const memplan_joint_round round = {.ordering = all->task.whole->ordering,
                                     .limits = &all->limits,
                                     .without = all->task.without,
                                     .work = (int64_t)first_place << (growth * all->attempt),
                                     .goal = all->capacity};
  memplan_joint_job *job = all->job;
  bool found = false;
  memplan_joint_job_run(job, &round);
  if (job->status != MEMPLAN_OK) {
    return memplan_fail(error, job->status, "%s", job->error.message);
  }
  all->ticks += job->ticks + 1;
  MEMPLAN_TRY(take_plan(all, error));
  if (all->upper > all->capacity) {
    MEMPLAN_TRY(find_nogood(all, &found, error));
    if (!found && memplan_limits_reached(&all->limits) == MEMPLAN_STOP_DONE) {
      all->ended = ++all->attempt == most_attempts;
      return MEMPLAN_OK;
    }
  }
  if (found || all->upper <= all->capacity) {
    close_capacity(all);
  }
  return MEMPLAN_OK;
}

// ---- the whole

memplan_status memplan_joint_exhaust_run(memplan_joint_exhaust *all, int64_t lower, int64_t upper, int64_t goal,
                                         int64_t ticks, memplan_joint_exhaust_news *news, memplan_error *error) {
  int64_t before = all->ticks, states = all->states;
  all->upper = upper < all->upper ? upper : all->upper;
  all->improved = false;
  raise_lower(all, lower);
  drop_outdated(all);
  while (!all->ended && all->lower < all->upper && all->upper > goal && all->ticks - before < ticks &&
         memplan_limits_reached(&all->limits) == MEMPLAN_STOP_DONE) {
    drop_outdated(all);
    if (all->capacity < 0) {
      MEMPLAN_TRY(open_capacity(all, error));
    }
    MEMPLAN_TRY(all->job != NULL ? place(all, error) : search(all, ticks - (all->ticks - before), error));
  }
  *news = (memplan_joint_exhaust_news){.lower = all->lower < all->upper ? all->lower : all->upper,
                                       .closed = all->lower >= all->upper,
                                       .ended = all->ended || all->lower >= all->upper,
                                       .improved = all->improved,
                                       .ticks = all->ticks - before,
                                       .states = all->states - states};
  return MEMPLAN_OK;
}

bool memplan_joint_exhaust_can_run(const memplan_joint_exhaust *exhaust, int64_t lower, int64_t upper) {
  int64_t low = lower > exhaust->lower ? lower : exhaust->lower, high = upper < exhaust->upper ? upper : exhaust->upper;
  return low < high && !exhaust->full && (!exhaust->ended || is_outdated(exhaust, low, high));
}

const memplan_joint_plan *memplan_joint_exhaust_plan(const memplan_joint_exhaust *exhaust) { return &exhaust->plan; }

const memplan_joint_nogood *memplan_joint_exhaust_nogood(const memplan_joint_exhaust *exhaust, int32_t index) {
  return index < exhaust->n_nogoods ? &exhaust->nogoods[index] : NULL;
}

// ---- as a method

static bool accepts(const memplan_task *task, memplan_error *error) {
  const memplan_ordering *ordering = task->ordering;
  if (ordering->graph->n_pools > 1) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d pools, the search by nogoods takes one",
                       ordering->graph->n_pools);
    return false;
  }
  if (ordering->n_ops == 0 || ordering->n_ops > MEMPLAN_JOINT_OUTLINED) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d operators, the search by nogoods takes 1 to %d",
                       ordering->n_ops, (int)MEMPLAN_JOINT_OUTLINED);
    return false;
  }
  if (ordering->one_order) {
    (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "all its sizes together pass 2^62 bytes");
    return false;
  }
  return true;
}

static void copy_plan(const memplan_joint_plan *plan, const memplan_ordering *ordering, memplan_method_result *result) {
  memcpy(result->order, plan->order, (size_t)ordering->n_ops * sizeof *result->order);
  memcpy(result->offset, plan->placement.offset, (size_t)plan->n_blocks * sizeof *result->offset);
  memset(result->pool, 0, (size_t)plan->n_blocks * sizeof *result->pool);
  if (plan->n_choices > 0) {
    memcpy(result->choice, plan->choice, (size_t)plan->n_choices * sizeof *result->choice);
  }
  result->n_choices = plan->n_choices;
}

static memplan_status run_on(const memplan_joint_graph *whole, const memplan_task *task, const memplan_limits *limits,
                             memplan_method_result *result, memplan_error *error) {
  int64_t upper = task->below > 0 ? task->below : INT64_MAX;
  memplan_joint_exhaust_task own = {.whole = whole,
                                    .lower = task->bound,
                                    .upper = upper,
                                    .memory = memplan_limits_part(limits, parts).memory,
                                    .without = task->without,
                                    .commits = true,
                                    .limits = limits};
  memplan_joint_exhaust *exhaust;
  MEMPLAN_TRY(memplan_joint_exhaust_new(&own, &exhaust, error));
  int64_t work = memplan_limits_work(limits);
  memplan_joint_exhaust_news news;
  memplan_status status = memplan_joint_exhaust_run(exhaust, task->bound, upper, 0, work, &news, error);
  if (status == MEMPLAN_OK) {
    memplan_stop stop = memplan_limits_reached(limits);
    bool found = exhaust->plan.order != NULL;
    result->stop = news.closed ? MEMPLAN_STOP_DONE : stop != MEMPLAN_STOP_DONE ? stop : MEMPLAN_STOP_WORK;
    result->nodes = news.states;
    result->bound = news.closed && !found && task->below <= 0 ? 0 : news.lower;
    result->outcome = found         ? (news.closed ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE)
                      : news.closed ? MEMPLAN_INFEASIBLE
                                    : MEMPLAN_UNKNOWN;
    if (found) {
      copy_plan(&exhaust->plan, whole->ordering, result);
    }
  }
  memplan_joint_exhaust_free(exhaust);
  return status;
}

static memplan_status run_method(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                                 memplan_error *error) {
  memplan_limits started = memplan_limits_start(limits);
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_status status = memplan_joint_graph_outline(&whole, task->ordering, &arena, error);
  if (status == MEMPLAN_OK) {
    status = run_on(&whole, task, &started, result, error);
  }
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_joint_nogoods_method = {
    .name = "joint-nogoods",
    .kind = MEMPLAN_METHOD_JOINT,
    .summary = "orders within a capacity, cut off by what cannot be placed, until one can be or none is left",
    .reference = "logic-based Benders decomposition (Hooker and Ottosson)",
    .complexity = "exponential at worst",
    .exact = true,
    .seeded = true,
    .anytime = true,
    .on_request = true,
    .declines = "several pools; more than 4000 operators; lifetimes",
    .accepts = accepts,
    .run = run_method};
