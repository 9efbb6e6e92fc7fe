// SPDX-License-Identifier: Apache-2.0
// The middle of the gap, as in bisection: an answer halves it. A value that gets none in its rounds is given up, and
// the next one lies above it; when all up to the best peak are, they get more rounds and the search begins anew.
#include "solvers/order_threshold.h"

#include "solvers/order_extend.h"

enum {
  first_patience = 3,  // rounds that a value gets
  undecided_share = 64 // of the gap: nearer to the best peak no further value is tried
};

void memplan_order_threshold_init(memplan_order_threshold *threshold) {
  *threshold = (memplan_order_threshold){.value = -1, .undecided = -1, .patience = first_patience};
}

void memplan_order_threshold_free(memplan_order_threshold *threshold) { memplan_arena_free(&threshold->arena); }

// The middle of the gap, or of its upper part if no answer has come there.
static int64_t choose(const memplan_order_threshold *threshold, int64_t bound, int64_t peak) {
  int64_t low = threshold->undecided >= bound ? threshold->undecided + 1 : bound;
  return low < peak ? low + (peak - 1 - low) / 2 : -1;
}

bool memplan_order_threshold_has_next(const memplan_order_threshold *threshold, int64_t bound, int64_t peak) {
  return choose(threshold, bound, peak) >= 0;
}

bool memplan_order_threshold_move(memplan_order_threshold *threshold, int64_t bound, int64_t peak, bool ended,
                                  const memplan_order_targets *targets) {
  bool stale = threshold->value < bound || threshold->value >= peak;
  bool tired = !stale && ++threshold->rounds > threshold->patience;
  const memplan_order_edges *edges = memplan_order_targets_edges(targets, threshold->value);
  bool probed = edges != NULL && edges->count > threshold->n_edges;
  if (!stale && !probed && !tired && !ended) {
    return false;
  }
  if (!stale && !probed) {
    threshold->undecided = threshold->value;
  }
  threshold->value = probed && !stale ? threshold->value : choose(threshold, bound, peak);
  if (threshold->value < 0 || peak - 1 - threshold->value < (peak - bound) / undecided_share) {
    threshold->undecided = -1;
    threshold->patience *= 2;
    threshold->value = choose(threshold, bound, peak);
  }
  threshold->rounds = 0;
  return true;
}

memplan_status memplan_order_threshold_narrow(memplan_order_threshold *threshold,
                                              const memplan_order_problem problems[2], const memplan_order_rules *rules,
                                              const memplan_order_targets *targets, memplan_error *error) {
  const memplan_order_edges *edges = memplan_order_targets_edges(targets, threshold->value);
  threshold->n_edges = edges != NULL ? edges->count : 0;
  memplan_arena_free(&threshold->arena);
  for (int32_t k = 0; k < 2 && edges != NULL; k++) {
    MEMPLAN_TRY(memplan_order_extend(&problems[k], edges->list, edges->count, &threshold->arena,
                                     &threshold->problems[k], error));
    MEMPLAN_TRY(
        memplan_order_tables_init(&threshold->tables[k], &threshold->problems[k], rules, &threshold->arena, error));
  }
  return MEMPLAN_OK;
}

int64_t memplan_order_threshold_bound(const memplan_order_threshold *threshold, int64_t bound) {
  return threshold->n_edges > 0 && bound > threshold->value ? threshold->value + 1 : bound;
}
