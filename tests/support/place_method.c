// SPDX-License-Identifier: Apache-2.0
#include "tests/support/place_method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

bool place_run(const memplan_method *method, const memplan_instance *instance, placement *placed) {
  memplan_params params = memplan_params_default();
  memplan_task task = {.instance = instance, .params = &params};
  memplan_limits limits = memplan_limits_default();
  memplan_error error = {.message = ""};
  *placed = (placement){.result = {.failed_block = -1}};
  placed->result.offset = MEMPLAN_NEW(&placed->arena, int64_t, instance->n_blocks);
  placed->result.pool = MEMPLAN_NEW(&placed->arena, int32_t, instance->n_blocks);
  placed->result.slot = MEMPLAN_NEW(&placed->arena, int32_t, instance->n_blocks);
  assert_non_null(placed->result.offset);
  assert_non_null(placed->result.pool);
  assert_non_null(placed->result.slot);
  if (method->accepts != NULL && !method->accepts(&task, &error)) {
    assert_int_equal(error.status, MEMPLAN_UNSUPPORTED);
    assert_true(strlen(error.message) > 0);
    memplan_arena_free(&placed->arena);
    return false;
  }
  memplan_status status = method->run(&task, &limits, &placed->result, &error);
  if (status != MEMPLAN_OK) {
    print_error("%s: %s\n", method->name, error.message);
  }
  assert_int_equal(status, MEMPLAN_OK);
  assert_int_equal(placed->result.stop, MEMPLAN_STOP_DONE);
  assert_int_equal(placed->result.outcome, placed->result.failed_block < 0 ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN);
  return true;
}

const memplan_method *place_find(const char *name) {
  const memplan_method *method = memplan_heuristic_find(MEMPLAN_METHOD_PLACE, name);
  assert_non_null(method);
  return method;
}

int32_t place_block_of(const memplan_instance *instance, const char *id) {
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    if (strcmp(instance->buffers[k].id, id) == 0) {
      return instance->block_of[k];
    }
  }
  fail_msg("no buffer %s", id);
  return -1;
}

int64_t place_peak(const char *name, const memplan_instance *instance) {
  placement placed;
  assert_true(place_run(place_find(name), instance, &placed));
  assert_int_equal(placed.result.failed_block, -1);
  int64_t peak = memplan_instance_peak(instance, placed.result.offset);
  memplan_arena_free(&placed.arena);
  return peak;
}

void place_make_many(random_state *random, int32_t n, int32_t horizon, bool rich, many *made) {
  memplan_instance_init(&made->instance);
  for (int32_t k = 0; k < n; k++) {
    (void)snprintf(made->ids[k], sizeof made->ids[k], "b%d", (int)k);
    int64_t start = random_below(random, horizon);
    int64_t end = start + 1 + random_below(random, random_chance(random, 20) ? horizon : 12);
    made->live[k][0] = (memplan_interval){start, end};
    int64_t again = end + 1 + random_below(random, 5);
    made->live[k][1] = (memplan_interval){again, end + 7 + random_below(random, 5)};
    made->gaps[k] = (memplan_gap){start, start + 1, 0, 1};
    made->buffers[k] = (memplan_buffer){.id = made->ids[k],
                                        .bytes = 1 + random_below(random, random_chance(random, 30) ? 4000 : 60),
                                        .align = 1,
                                        .pin = -1,
                                        .offset = -1,
                                        .hint = -1,
                                        .live = made->live[k],
                                        .n_live = 1,
                                        .gaps = &made->gaps[k]};
    if (rich) {
      made->buffers[k].align = INT64_C(1) << random_below(random, 7);
      made->buffers[k].n_live = random_chance(random, 20) ? 2 : 1;
      made->buffers[k].n_gaps = random_chance(random, 20) ? 1 : 0;
    }
  }
  for (int32_t k = 0; k < 20 && rich; k++) {
    made->separate[k] = (memplan_rule){2 * k, n - 1 - k, 0};
    made->instance.n_separate++;
    // The second begins when the first has ended.
    int32_t first = 41 + 2 * k;
    int32_t second = first + 1;
    made->buffers[second].n_live = 1;
    made->buffers[first].n_live = 1;
    made->live[second][0].start = made->live[first][0].end;
    made->live[second][0].end = made->live[first][0].end + 3;
    made->gaps[second] = (memplan_gap){made->live[second][0].start, made->live[second][0].start + 1, 0, 1};
    made->buffers[first].align = 1;
    made->buffers[second].align = 1;
    made->colocate[k] = (memplan_rule){first, second, random_below(random, 30)};
    made->instance.n_colocate++;
  }
  made->instance.separate = made->separate;
  made->instance.colocate = made->colocate;
  made->instance.buffers = made->buffers;
  made->instance.n_buffers = n;
  memplan_error error = {.message = ""};
  if (memplan_instance_resolve(&made->instance, 1, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

static bool share(int64_t low_a, int64_t high_a, int64_t low_b, int64_t high_b) {
  return low_a < high_b && low_b < high_a;
}

bool place_agree(const memplan_instance *instance, int32_t a, int64_t offset_a, int32_t b, int64_t offset_b) {
  const memplan_block *block_a = &instance->blocks[a];
  const memplan_block *block_b = &instance->blocks[b];
  for (int32_t i = block_a->first_part; i < block_a->first_part + block_a->n_parts; i++) {
    for (int32_t j = block_b->first_part; j < block_b->first_part + block_b->n_parts; j++) {
      const memplan_part *p = &instance->parts[i];
      const memplan_part *q = &instance->parts[j];
      if (share(p->start, p->end, q->start, q->end) &&
          share(offset_a + p->low, offset_a + p->high, offset_b + q->low, offset_b + q->high)) {
        return false;
      }
    }
  }
  for (int32_t k = block_a->first_apart; k < block_a->first_apart + block_a->n_apart; k++) {
    const memplan_apart *rule = &instance->apart[k];
    if (rule->block == b &&
        share(offset_a + rule->low, offset_a + rule->high, offset_b + rule->other_low, offset_b + rule->other_high)) {
      return false;
    }
  }
  return true;
}
