// SPDX-License-Identifier: Apache-2.0
// A buffer occupies all of its bytes while it is live, but only a window of them during a gap. Between two neighbouring
// ends of its intervals and gaps nothing changes, so each such piece of time is one rectangle, or none.
#include "model/verify_instance.h"

#include "model/base/number.h"
#include "model/clique.h"
#include "model/verify_check.h"
#include "model/verify_overlap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct instance_check {
  memplan_check check;
  const memplan_instance *instance;
  memplan_rectangle *rectangles;
  int32_t n_rectangles;
} instance_check;

static memplan_status make_items(instance_check *state, memplan_error *error) {
  const memplan_instance *instance = state->instance;
  memplan_check *check = &state->check;
  check->items = MEMPLAN_NEW(check->arena, memplan_check_item, instance->n_buffers);
  if (check->items == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    bool lives = false;
    for (int32_t k = 0; k < buffer->n_live; k++) {
      lives = lives || buffer->live[k].start < buffer->live[k].end;
    }
    check->items[i] = (memplan_check_item){.id = buffer->id,
                                           .bytes = buffer->bytes,
                                           .tied = buffer->pin >= 0,
                                           .apart = buffer->pin >= 0 || !lives || buffer->n_gaps > 0};
  }
  check->n_items = instance->n_buffers;
  check->least_reuse = instance->prefer_low_reuse ? instance : NULL;
  for (int32_t i = 0; i < instance->n_colocate; i++) {
    memplan_check_item *first = &check->items[instance->colocate[i].first];
    memplan_check_item *second = &check->items[instance->colocate[i].second];
    first->tied = first->apart = true;
    second->tied = second->apart = true;
  }
  return MEMPLAN_OK;
}

static memplan_status check_demands(const instance_check *state, memplan_error *error) {
  const memplan_instance *instance = state->instance;
  const memplan_check *check = &state->check;
  memplan_check_demand *demands = MEMPLAN_NEW(check->arena, memplan_check_demand, 2 * (size_t)instance->n_buffers);
  if (demands == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n_demands = 0;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    demands[n_demands++] = (memplan_check_demand){.item = i,
                                                  .id = buffer->id,
                                                  .align = buffer->align,
                                                  .residue = buffer->residue,
                                                  .pin = buffer->pin,
                                                  .pools = buffer->pools,
                                                  .n_pools = buffer->n_pools};
    // Resolving has put it into the buffer's own alignment; if so, one violation is enough.
    int64_t align = check->options->align;
    if (align > 1 && (buffer->align % align != 0 || buffer->residue % align != 0)) {
      demands[n_demands++] = (memplan_check_demand){.item = i, .id = buffer->id, .align = align, .pin = -1};
    }
  }
  return memplan_check_demands(check, demands, n_demands, error);
}

static int compare_intervals(const void *left, const void *right) {
  const memplan_interval *a = left;
  const memplan_interval *b = right;
  if (a->start != b->start) {
    return a->start < b->start ? -1 : 1;
  }
  return a->end < b->end ? -1 : a->end > b->end;
}

static int compare_gaps(const void *left, const void *right) {
  const memplan_gap *a = left;
  const memplan_gap *b = right;
  if (a->start != b->start) {
    return a->start < b->start ? -1 : 1;
  }
  if (a->end != b->end) {
    return a->end < b->end ? -1 : 1;
  }
  return a->low != b->low ? (a->low < b->low ? -1 : 1) : (a->high < b->high ? -1 : a->high > b->high);
}

// Arrays with room for the largest buffer, and the rectangles of all.
typedef struct piece_space {
  memplan_interval *live;
  memplan_gap *gaps;
  int64_t *times;
} piece_space;

static void add_pieces(instance_check *state, int32_t index, const piece_space *space) {
  const memplan_buffer *buffer = &state->instance->buffers[index];
  const memplan_check_item *item = &state->check.items[index];
  int32_t n_times = 0;
  for (int32_t i = 0; i < buffer->n_live; i++) {
    space->live[i] = buffer->live[i];
    space->times[n_times++] = buffer->live[i].start;
    space->times[n_times++] = buffer->live[i].end;
  }
  for (int32_t i = 0; i < buffer->n_gaps; i++) {
    space->gaps[i] = buffer->gaps[i];
    space->times[n_times++] = buffer->gaps[i].start;
    space->times[n_times++] = buffer->gaps[i].end;
  }
  qsort(space->live, (size_t)buffer->n_live, sizeof *space->live, compare_intervals);
  qsort(space->gaps, (size_t)buffer->n_gaps, sizeof *space->gaps, compare_gaps);
  qsort(space->times, (size_t)n_times, sizeof *space->times, memplan_compare_int64);
  int32_t next_live = 0;
  int32_t next_gap = 0;
  int64_t live_until = INT64_MIN;
  memplan_gap gap = {INT64_MIN, INT64_MIN, 0, 0};
  for (int32_t i = 0; i + 1 < n_times; i++) {
    int64_t time = space->times[i];
    for (; next_live < buffer->n_live && space->live[next_live].start <= time; next_live++) {
      live_until = space->live[next_live].end > live_until ? space->live[next_live].end : live_until;
    }
    for (; next_gap < buffer->n_gaps && space->gaps[next_gap].start <= time; next_gap++) {
      gap = space->gaps[next_gap].end > gap.end ? space->gaps[next_gap] : gap;
    }
    if (live_until > time) {
      bool in_gap = gap.end > time;
      state->rectangles[state->n_rectangles++] = (memplan_rectangle){time,
                                                                     space->times[i + 1],
                                                                     item->offset + (in_gap ? gap.low : 0),
                                                                     item->offset + (in_gap ? gap.high : buffer->bytes),
                                                                     item->pool,
                                                                     index};
    }
  }
}

static memplan_status make_rectangles(instance_check *state, memplan_error *error) {
  const memplan_instance *instance = state->instance;
  memplan_arena *arena = state->check.arena;
  size_t total = 0;
  size_t most_live = 1;
  size_t most_gaps = 1;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    size_t n_live = (size_t)instance->buffers[i].n_live;
    size_t n_gaps = (size_t)instance->buffers[i].n_gaps;
    total += 2 * (n_live + n_gaps);
    most_live = n_live > most_live ? n_live : most_live;
    most_gaps = n_gaps > most_gaps ? n_gaps : most_gaps;
  }
  if (total > INT32_MAX / 4) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "more than 2^28 lifetimes and gaps");
  }
  state->rectangles = MEMPLAN_NEW(arena, memplan_rectangle, total);
  piece_space space = {.live = MEMPLAN_NEW(arena, memplan_interval, most_live),
                       .gaps = MEMPLAN_NEW(arena, memplan_gap, most_gaps),
                       .times = MEMPLAN_NEW(arena, int64_t, 2 * (most_live + most_gaps))};
  if (state->rectangles == NULL || space.live == NULL || space.gaps == NULL || space.times == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    if (memplan_check_takes_bytes(&state->check.items[i])) {
      add_pieces(state, i, &space);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_overlaps(instance_check *state, memplan_error *error) {
  const memplan_check *check = &state->check;
  MEMPLAN_TRY(make_rectangles(state, error));
  memplan_overlap *overlaps;
  int32_t n_overlaps;
  MEMPLAN_TRY(memplan_rectangles_overlap(state->rectangles, state->n_rectangles, MEMPLAN_REPORT_KEPT, check->arena,
                                         &overlaps, &n_overlaps, error));
  for (int32_t i = 0; i < n_overlaps; i++) {
    const memplan_overlap *overlap = &overlaps[i];
    const char *first = check->items[overlap->first].id;
    const char *second = check->items[overlap->second].id;
    memplan_violation violation = {
        MEMPLAN_VIOLATION_OVERLAP, first, second, overlap->time, overlap->low, overlap->high, NULL};
    MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error,
                                     "'%s' and '%s' both use bytes [%" PRId64 ", %" PRId64 ") at step %" PRId64, first,
                                     second, overlap->low, overlap->high, overlap->time));
  }
  return MEMPLAN_OK;
}

// Never a byte in common, whatever the lifetimes.
static memplan_status check_apart(const instance_check *state, const memplan_rule *rules, int32_t n_rules,
                                  const char *name, memplan_error *error) {
  for (int32_t i = 0; i < n_rules; i++) {
    const memplan_check_item *first = &state->check.items[rules[i].first];
    const memplan_check_item *second = &state->check.items[rules[i].second];
    if (!memplan_check_takes_bytes(first) || !memplan_check_takes_bytes(second) || first->pool != second->pool) {
      continue;
    }
    int64_t low = first->offset > second->offset ? first->offset : second->offset;
    int64_t first_end = first->offset + first->bytes;
    int64_t second_end = second->offset + second->bytes;
    int64_t high = first_end < second_end ? first_end : second_end;
    if (low < high) {
      memplan_violation violation = {MEMPLAN_VIOLATION_SEPARATE, first->id, second->id, -1, low, high, NULL};
      MEMPLAN_TRY(memplan_findings_add(state->check.findings, &violation, error,
                                       "'%s' and '%s' share bytes [%" PRId64 ", %" PRId64 "), against `%s`", first->id,
                                       second->id, low, high, name));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_colocate(const instance_check *state, memplan_error *error) {
  for (int32_t i = 0; i < state->instance->n_colocate; i++) {
    const memplan_rule *rule = &state->instance->colocate[i];
    const memplan_check_item *first = &state->check.items[rule->first];
    const memplan_check_item *second = &state->check.items[rule->second];
    if (!memplan_check_is_placed(first) || !memplan_check_is_placed(second) ||
        (first->pool == second->pool && second->offset - first->offset == rule->delta)) {
      continue;
    }
    memplan_violation violation = {
        MEMPLAN_VIOLATION_COLOCATE, first->id, second->id, -1, first->offset, second->offset, NULL};
    MEMPLAN_TRY(memplan_findings_add(state->check.findings, &violation, error,
                                     "'%s' at %" PRId64 " has to lie %" PRId64 " bytes after '%s' at %" PRId64
                                     ", in the same pool (`colocate`)",
                                     second->id, second->offset, rule->delta, first->id, first->offset));
  }
  return MEMPLAN_OK;
}

// The witness of a bound that names buffers.
static memplan_status check_clique(instance_check *state, memplan_error *error) {
  const memplan_plan *plan = state->check.plan;
  const memplan_bound *bound = &plan->bound;
  bool proven = true;
  char reason[256];
  if (bound->kind == MEMPLAN_BOUND_CLIQUE) {
    MEMPLAN_TRY(memplan_clique_check(state->instance, bound->buffers, bound->n_buffers, plan->lower_bound, &proven,
                                     reason, sizeof reason, error));
  }
  if (proven) {
    return MEMPLAN_OK;
  }
  memplan_violation violation = {MEMPLAN_VIOLATION_BOUND, NULL, NULL, -1, plan->lower_bound, plan->peak, NULL};
  return memplan_findings_add(state->check.findings, &violation, error,
                              "the clique of the plan does not prove its lower bound %" PRId64 ": %s",
                              plan->lower_bound, reason);
}

static memplan_status check_all(instance_check *state, memplan_error *error) {
  const memplan_instance *instance = state->instance;
  MEMPLAN_TRY(make_items(state, error));
  for (int32_t t = 0; t < state->check.plan->n_order; t++) {
    const char *id = state->check.plan->order[t];
    memplan_violation violation = {MEMPLAN_VIOLATION_ORDER, id, NULL, t, -1, -1, NULL};
    MEMPLAN_TRY(memplan_findings_add(state->check.findings, &violation, error,
                                     "the plan orders operator '%s', but the problem has no operators", id));
  }
  for (int32_t i = 0; i < state->check.plan->n_inplace; i++) {
    const memplan_plan_pair *pair = &state->check.plan->inplace[i];
    memplan_violation violation = {MEMPLAN_VIOLATION_INPLACE, pair->output, pair->input, -1, -1, -1, NULL};
    MEMPLAN_TRY(memplan_findings_add(state->check.findings, &violation, error,
                                     "'%s' may not take over '%s': the problem has no operators", pair->output,
                                     pair->input));
  }
  for (int32_t i = 0; i < state->check.plan->n_bodies; i++) {
    const memplan_body_plan *body = &state->check.plan->bodies[i];
    memplan_violation violation = {MEMPLAN_VIOLATION_BODY, body->op, body->body, -1, -1, -1, NULL};
    MEMPLAN_TRY(memplan_findings_add(state->check.findings, &violation, error,
                                     "body '%s' of operator '%s' has a plan, but the problem has no operators",
                                     body->body, body->op));
  }
  MEMPLAN_TRY(memplan_check_placement(&state->check, error));
  MEMPLAN_TRY(check_demands(state, error));
  MEMPLAN_TRY(check_overlaps(state, error));
  MEMPLAN_TRY(check_apart(state, instance->separate, instance->n_separate, "separate", error));
  MEMPLAN_TRY(check_apart(state, instance->conflicts, instance->n_conflicts, "conflicts", error));
  MEMPLAN_TRY(check_colocate(state, error));
  return check_clique(state, error);
}

memplan_status memplan_instance_verify(const memplan_instance *instance, const memplan_problem_options *options,
                                       const memplan_plan *plan, memplan_findings *findings, int64_t *peak,
                                       memplan_error *error) {
  memplan_arena arena = {0};
  bool pools = instance->n_pools > 0;
  instance_check state = {.instance = instance};
  state.check = (memplan_check){.plan = plan,
                                .options = options,
                                .findings = findings,
                                .arena = &arena,
                                .pools = pools ? instance->pools : &memplan_check_whole_arena,
                                .n_pools = pools ? instance->n_pools : 1};
  memplan_status status = check_all(&state, error);
  *peak = state.check.peak;
  memplan_arena_free(&arena);
  return status;
}
