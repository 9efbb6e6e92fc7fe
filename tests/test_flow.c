// SPDX-License-Identifier: Apache-2.0
// Flows against all cuts of small networks, through long rows of changes.
#include "solvers/flow.h"

#include "tests/support/random_problem.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { seed = 20240611, most_nodes = 9, most_edges = 30 };

typedef struct net {
  memplan_flow *flow;
  int32_t n_nodes, n_edges;
  int32_t from[most_edges], to[most_edges];
  int64_t capacity[most_edges];
  memplan_flow_side side[most_nodes];
} small_net;

// Bytes out of a set, -1: it is no cut, or an infinite one.
static int64_t cut_of(const small_net *net, uint32_t set) {
  int64_t sum = 0;
  for (int32_t node = 0; node < net->n_nodes; node++) {
    bool in = (set >> node & 1) != 0;
    if ((net->side[node] == MEMPLAN_FLOW_SOURCE && !in) || (net->side[node] == MEMPLAN_FLOW_SINK && in)) {
      return -1;
    }
  }
  for (int32_t k = 0; k < net->n_edges; k++) {
    if ((set >> net->from[k] & 1) != 0 && (set >> net->to[k] & 1) == 0) {
      if (net->capacity[k] == MEMPLAN_FLOW_INFINITE) {
        return -1;
      }
      sum += net->capacity[k];
    }
  }
  return sum;
}

typedef struct cuts {
  int64_t least; // -1: all are infinite
  uint32_t smallest, largest;
} cuts;

static cuts all_cuts(const small_net *net) {
  cuts found = {-1, 0, 0};
  for (uint32_t set = 0; set < 1U << net->n_nodes; set++) {
    int64_t bytes = cut_of(net, set);
    if (bytes >= 0 && (found.least < 0 || bytes < found.least)) {
      found = (cuts){bytes, set, set};
    } else if (bytes >= 0 && bytes == found.least) {
      found.smallest &= set;
      found.largest |= set;
    }
  }
  return found;
}

static uint32_t as_set(const small_net *net, const bool *inside) {
  uint32_t set = 0;
  for (int32_t node = 0; node < net->n_nodes; node++) {
    set |= inside[node] ? 1U << node : 0;
  }
  return set;
}

// What the flow on edges proves of every cut: what the source side gives, less what free nodes keep.
static int64_t proven_by_edges(const small_net *net) {
  int64_t surplus[most_nodes] = {0}, proven = 0;
  for (int32_t k = 0; k < net->n_edges; k++) {
    int64_t on = memplan_flow_on(net->flow, k);
    assert_true(on >= 0 && on <= net->capacity[k]);
    surplus[net->from[k]] -= on;
    surplus[net->to[k]] += on;
  }
  for (int32_t node = 0; node < net->n_nodes; node++) {
    if (net->side[node] == MEMPLAN_FLOW_SOURCE || (net->side[node] == MEMPLAN_FLOW_FREE && surplus[node] > 0)) {
      proven -= surplus[node];
    }
  }
  return proven;
}

static int64_t random_capacity(random_state *random, bool huge) {
  if (random_chance(random, 20)) {
    return MEMPLAN_FLOW_INFINITE;
  }
  return random_below(random, 9) * (huge ? INT64_C(1) << 53 : 1);
}

static void make_net(random_state *random, small_net *net, bool huge) {
  net->n_nodes = 2 + random_below(random, most_nodes - 1);
  net->n_edges = random_below(random, most_edges + 1);
  memplan_flow_clear(net->flow, net->n_nodes);
  memset(net->side, 0, sizeof net->side);
  for (int32_t k = 0; k < net->n_edges; k++) {
    net->from[k] = random_below(random, net->n_nodes);
    net->to[k] = (net->from[k] + 1 + random_below(random, net->n_nodes - 1)) % net->n_nodes;
    net->capacity[k] = random_capacity(random, huge);
    assert_int_equal(memplan_flow_add(net->flow, net->from[k], net->to[k], net->capacity[k]), k);
  }
}

static void put(small_net *net, int32_t node, memplan_flow_side side) {
  if (net->side[node] != MEMPLAN_FLOW_FREE) {
    memplan_flow_put(net->flow, node, MEMPLAN_FLOW_FREE);
  }
  memplan_flow_put(net->flow, node, side);
  net->side[node] = side;
}

static void change(random_state *random, small_net *net, bool huge) {
  for (int32_t count = 1 + random_below(random, 4); count > 0; count--) {
    if (net->n_edges > 0 && random_chance(random, 40)) {
      int32_t edge = random_below(random, net->n_edges);
      net->capacity[edge] = random_capacity(random, huge);
      memplan_flow_set_capacity(net->flow, edge, net->capacity[edge]);
    } else {
      static const memplan_flow_side sides[] = {MEMPLAN_FLOW_FREE, MEMPLAN_FLOW_FREE, MEMPLAN_FLOW_SOURCE,
                                                MEMPLAN_FLOW_SINK};
      put(net, random_below(random, net->n_nodes), sides[random_below(random, 4)]);
    }
  }
}

static void check(small_net *net, const cuts *expected) {
  bool inside[most_nodes];
  assert_true(memplan_flow_is_maximum(net->flow));
  assert_int_equal(proven_by_edges(net), expected->least);
  assert_int_equal(memplan_flow_value(net->flow), expected->least);
  memplan_flow_smallest(net->flow, inside);
  assert_int_equal(as_set(net, inside), expected->smallest);
  memplan_flow_largest(net->flow, inside);
  assert_int_equal(as_set(net, inside), expected->largest);
}

// One more node on a side, from a saved state: the run gives the growth of the least cut, and stops beyond a limit.
static void force(random_state *random, small_net *net, const cuts *before) {
  int32_t node = random_below(random, net->n_nodes);
  if (net->side[node] != MEMPLAN_FLOW_FREE) {
    return;
  }
  memplan_flow_save(net->flow);
  put(net, node, random_chance(random, 50) ? MEMPLAN_FLOW_SOURCE : MEMPLAN_FLOW_SINK);
  cuts after = all_cuts(net);
  int64_t limit = random_below(random, 6), routed = memplan_flow_run(net->flow, limit, INT64_MAX);
  if (after.least >= 0 && after.least - before->least <= limit) {
    assert_int_equal(routed, after.least - before->least);
    check(net, &after);
  } else {
    assert_true(routed > limit);
  }
  memplan_flow_restore(net->flow);
  net->side[node] = MEMPLAN_FLOW_FREE;
  check(net, before);
}

static void flows_are_least_cuts(void **state) {
  (void)state;
  memplan_arena arena = {0};
  small_net net = {.flow = memplan_flow_new(most_nodes, most_edges, &arena)};
  assert_non_null(net.flow);
  int64_t finite = 0;
  for (uint64_t index = 0; index < 3000; index++) {
    random_state random = random_start(seed, index);
    bool huge = random_chance(&random, 10);
    make_net(&random, &net, huge);
    for (int32_t round = 0; round < 8; round++) {
      change(&random, &net, huge);
      if (memplan_flow_needs_reset(net.flow) || random_chance(&random, 10)) {
        memplan_flow_reset(net.flow);
      }
      cuts expected = all_cuts(&net);
      int64_t routed = memplan_flow_run(net.flow, INT64_MAX, INT64_MAX);
      assert_int_equal(routed == MEMPLAN_FLOW_INFINITE, expected.least < 0);
      if (expected.least < 0) {
        break;
      }
      finite++;
      check(&net, &expected);
      force(&random, &net, &expected);
    }
  }
  assert_true(finite > 6000);
  memplan_arena_free(&arena);
}

// What a run has routed when its work is spent is no more than the least cut, and going on ends at it.
static void runs_can_be_cut_short(void **state) {
  (void)state;
  memplan_arena arena = {0};
  small_net net = {.flow = memplan_flow_new(most_nodes, most_edges, &arena)};
  assert_non_null(net.flow);
  int64_t short_runs = 0;
  for (uint64_t index = 0; index < 1000; index++) {
    random_state random = random_start(seed + 1, index);
    make_net(&random, &net, false);
    put(&net, 0, MEMPLAN_FLOW_SOURCE);
    put(&net, net.n_nodes - 1, MEMPLAN_FLOW_SINK);
    cuts expected = all_cuts(&net);
    if (expected.least < 0) {
      continue;
    }
    int64_t sum = memplan_flow_run(net.flow, INT64_MAX, memplan_flow_work(net.flow) + random_below(&random, 30));
    short_runs += memplan_flow_is_maximum(net.flow) ? 0 : 1;
    assert_true(sum <= expected.least && proven_by_edges(&net) <= expected.least);
    assert_int_equal(memplan_flow_value(net.flow), proven_by_edges(&net));
    sum += memplan_flow_run(net.flow, INT64_MAX, INT64_MAX);
    assert_int_equal(sum, expected.least);
    check(&net, &expected);
  }
  assert_true(short_runs > 100);
  memplan_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flows_are_least_cuts),
      cmocka_unit_test(runs_can_be_cut_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
