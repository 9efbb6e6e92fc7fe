// SPDX-License-Identifier: Apache-2.0
// One bit for each pair of the buffers named says that a rule keeps it apart; pairs without it have to be live, with
// all of their bytes, at one time.
#include "model/clique.h"

#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"
#include "model/occupancy.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct checker {
  const memplan_instance *instance;
  const char *const *ids;
  int32_t n_ids;
  memplan_arena arena;
  int32_t *buffer; // by rank in ids
  int32_t *rank;   // by buffer, -1: not named
  memplan_occupancy *occupancy;
  uint64_t *apart; // bits by pair_bit
  char *reason;
  size_t size;
} checker;

static int64_t pair_bit(int32_t a, int32_t b) {
  int64_t low = a < b ? a : b, high = a < b ? b : a;
  return high * (high - 1) / 2 + low;
}

static memplan_status find_buffers(checker *check, bool *good, memplan_error *error) {
  const memplan_instance *instance = check->instance;
  memplan_names names = {0};
  bool nomem = false;
  for (int32_t k = 0; k < instance->n_buffers && !nomem; k++) {
    check->rank[k] = -1;
    nomem = memplan_names_add(&names, instance->buffers[k].id, k) == -2;
  }
  for (int32_t k = 0; k < check->n_ids && *good && !nomem; k++) {
    int32_t buffer = memplan_names_find(&names, check->ids[k]);
    *good = buffer >= 0 && check->rank[buffer] < 0;
    if (!*good) {
      (void)snprintf(check->reason, check->size, "'%s' is %s", memplan_quote(check->ids[k]).text,
                     buffer < 0 ? "no buffer of the problem" : "named twice");
    } else {
      check->buffer[k] = buffer;
      check->rank[buffer] = k;
      nomem = !memplan_buffer_occupancy(&instance->buffers[buffer], &check->arena, &check->occupancy[k]);
    }
  }
  memplan_names_free(&names);
  return nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

static void mark_rules(checker *check, const memplan_rule *rules, int32_t n_rules) {
  for (int32_t k = 0; k < n_rules; k++) {
    int32_t a = check->rank[rules[k].first], b = check->rank[rules[k].second];
    if (a >= 0 && b >= 0 && a != b) {
      check->apart[pair_bit(a, b) / 64] |= UINT64_C(1) << (pair_bit(a, b) % 64);
    }
  }
}

static bool live_together(const memplan_occupancy *a, const memplan_occupancy *b) {
  if (a->n_gaps > 0 || b->n_gaps > 0) {
    return false;
  }
  for (int32_t i = 0, j = 0; i < a->n_live && j < b->n_live;) {
    if (a->live[i].end <= b->live[j].start) {
      i++;
    } else if (b->live[j].end <= a->live[i].start) {
      j++;
    } else {
      return true;
    }
  }
  return false;
}

static bool check_pairs(checker *check) {
  for (int32_t b = 1; b < check->n_ids; b++) {
    for (int32_t a = 0; a < b; a++) {
      int64_t bit = pair_bit(a, b);
      bool apart = (check->apart[bit / 64] >> (bit % 64) & 1) != 0;
      if (!apart && !live_together(&check->occupancy[a], &check->occupancy[b])) {
        (void)snprintf(check->reason, check->size, "'%s' and '%s' may share bytes", memplan_quote(check->ids[a]).text,
                       memplan_quote(check->ids[b]).text);
        return false;
      }
    }
  }
  return true;
}

static memplan_status run(checker *check, int64_t bytes, bool *proven, memplan_error *error) {
  const memplan_instance *instance = check->instance;
  int64_t n = check->n_ids, sum = 0;
  check->buffer = MEMPLAN_NEW(&check->arena, int32_t, n);
  check->rank = MEMPLAN_NEW(&check->arena, int32_t, instance->n_buffers);
  check->occupancy = MEMPLAN_NEW(&check->arena, memplan_occupancy, n);
  check->apart = MEMPLAN_NEW(&check->arena, uint64_t, n * (n + 1) / 128 + 1);
  if (check->buffer == NULL || check->rank == NULL || check->occupancy == NULL || check->apart == NULL) {
    return memplan_fail_nomem(error);
  }
  bool good = true;
  MEMPLAN_TRY(find_buffers(check, &good, error));
  if (!good) {
    return MEMPLAN_OK;
  }
  for (int32_t k = 0; k < n; k++) {
    sum = memplan_add_saturated(sum, instance->buffers[check->buffer[k]].bytes);
  }
  if (sum < bytes) {
    (void)snprintf(check->reason, check->size, "the buffers named have %" PRId64 " bytes together", sum);
    return MEMPLAN_OK;
  }
  mark_rules(check, instance->separate, instance->n_separate);
  mark_rules(check, instance->conflicts, instance->n_conflicts);
  *proven = check_pairs(check);
  return MEMPLAN_OK;
}

memplan_status memplan_clique_check(const memplan_instance *instance, const char *const *ids, int32_t n_ids,
                                    int64_t bytes, bool *proven, char *reason, size_t size, memplan_error *error) {
  *proven = false;
  reason[0] = '\0';
  if (instance->n_pools > 1) {
    (void)snprintf(reason, size, "buffers that conflict may lie in different pools");
    return MEMPLAN_OK;
  }
  if (n_ids > MEMPLAN_CLIQUE_MOST) {
    (void)snprintf(reason, size, "more than %d buffers are named", (int)MEMPLAN_CLIQUE_MOST);
    return MEMPLAN_OK;
  }
  checker check = {.instance = instance, .ids = ids, .n_ids = n_ids, .reason = reason, .size = size};
  memplan_status status = run(&check, bytes, proven, error);
  memplan_arena_free(&check.arena);
  return status;
}
