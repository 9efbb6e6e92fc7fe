// SPDX-License-Identifier: Apache-2.0
// What is kept is not a flow but a set of numbers on edges between 0 and their capacities; a node's imbalance is what
// flows in less what flows out. For every set Y of nodes, capacity out of Y = residual capacity out of Y - imbalances
// in Y. So where a free node with a surplus counts as a source of it, and one with a deficit as a sink, and nothing
// more can be routed from sources to sinks in the residual network, the nodes that sources reach are a minimum cut: no
// residual edge leaves them, and they hold every surplus and no deficit of a free node. Nodes on the source side give
// and those on the sink side take without end; their imbalances are kept in the books, so that a node can be taken off
// its side again and simply is a sink or source of what it gave or took.
//
// Invariant: residual[2e] + residual[2e + 1] = capacity of edge e; residual[2e + 1] is what it carries.
#include "solvers/flow.h"

#include <string.h>

typedef struct network {
  int64_t *residual; // by half edge: 2e runs along edge e, 2e + 1 against it
  int64_t *surplus;  // by node
  uint8_t *side;     // by node
  int64_t pending;   // what nodes put on a side gave at once
  int64_t routed;    // since the last reset
  bool maximum;
} network;

struct memplan_flow {
  int32_t n_nodes, n_edges, node_room;
  network now, saved;
  int32_t *head, *next, *to; // half edges by node, in lists
  int32_t *level;            // distance to a sink, -1: none
  int32_t *current, *queue, *path;
  int64_t work;
};

static bool make_network(network *made, int32_t n_nodes, int32_t n_edges, memplan_arena *arena) {
  made->residual = MEMPLAN_NEW(arena, int64_t, 2 * (int64_t)n_edges);
  made->surplus = MEMPLAN_NEW(arena, int64_t, n_nodes);
  made->side = MEMPLAN_NEW(arena, uint8_t, n_nodes);
  return made->residual != NULL && made->surplus != NULL && made->side != NULL;
}

memplan_flow *memplan_flow_new(int32_t n_nodes, int32_t n_edges, memplan_arena *arena) {
  memplan_flow *flow = MEMPLAN_NEW(arena, memplan_flow, 1);
  if (flow == NULL || !make_network(&flow->now, n_nodes, n_edges, arena) ||
      !make_network(&flow->saved, n_nodes, n_edges, arena)) {
    return NULL;
  }
  flow->head = MEMPLAN_NEW(arena, int32_t, n_nodes);
  flow->next = MEMPLAN_NEW(arena, int32_t, 2 * (int64_t)n_edges);
  flow->to = MEMPLAN_NEW(arena, int32_t, 2 * (int64_t)n_edges);
  flow->level = MEMPLAN_NEW(arena, int32_t, n_nodes);
  flow->current = MEMPLAN_NEW(arena, int32_t, n_nodes);
  flow->queue = MEMPLAN_NEW(arena, int32_t, n_nodes);
  flow->path = MEMPLAN_NEW(arena, int32_t, n_nodes);
  if (flow->head == NULL || flow->next == NULL || flow->to == NULL || flow->level == NULL || flow->current == NULL ||
      flow->queue == NULL || flow->path == NULL) {
    return NULL;
  }
  flow->node_room = n_nodes;
  memplan_flow_clear(flow, n_nodes);
  return flow;
}

void memplan_flow_clear(memplan_flow *flow, int32_t n_nodes) {
  flow->n_nodes = n_nodes;
  flow->n_edges = 0;
  for (int32_t node = 0; node < n_nodes; node++) {
    flow->head[node] = -1;
    flow->now.surplus[node] = 0;
    flow->now.side[node] = MEMPLAN_FLOW_FREE;
  }
  flow->now.pending = flow->now.routed = 0;
  flow->now.maximum = false;
}

int32_t memplan_flow_add(memplan_flow *flow, int32_t from, int32_t to, int64_t capacity) {
  int32_t edge = flow->n_edges++;
  flow->now.residual[2 * edge] = capacity;
  flow->now.residual[2 * edge + 1] = 0;
  flow->to[2 * edge] = to;
  flow->next[2 * edge] = flow->head[from];
  flow->head[from] = 2 * edge;
  flow->to[2 * edge + 1] = from;
  flow->next[2 * edge + 1] = flow->head[to];
  flow->head[to] = 2 * edge + 1;
  flow->now.maximum = false;
  return edge;
}

void memplan_flow_set_capacity(memplan_flow *flow, int32_t edge, int64_t capacity) {
  int64_t *residual = flow->now.residual;
  int64_t carried = residual[2 * edge + 1];
  if (carried > capacity) {
    flow->now.surplus[flow->to[2 * edge + 1]] += carried - capacity;
    flow->now.surplus[flow->to[2 * edge]] -= carried - capacity;
    carried = capacity;
  }
  residual[2 * edge + 1] = carried;
  residual[2 * edge] = capacity - carried;
  flow->now.maximum = false;
}

void memplan_flow_put(memplan_flow *flow, int32_t node, memplan_flow_side side) {
  int64_t surplus = flow->now.surplus[node];
  if (side == MEMPLAN_FLOW_SOURCE && surplus < 0) {
    flow->now.pending -= surplus;
  } else if (side == MEMPLAN_FLOW_SINK && surplus > 0) {
    flow->now.pending += surplus;
  }
  flow->now.side[node] = (uint8_t)side;
  flow->now.maximum = false;
}

void memplan_flow_reset(memplan_flow *flow) {
  for (int32_t edge = 0; edge < flow->n_edges; edge++) {
    flow->now.residual[2 * edge] += flow->now.residual[2 * edge + 1];
    flow->now.residual[2 * edge + 1] = 0;
  }
  memset(flow->now.surplus, 0, (size_t)flow->n_nodes * sizeof *flow->now.surplus);
  flow->now.pending = flow->now.routed = 0;
  flow->now.maximum = false;
}

bool memplan_flow_needs_reset(const memplan_flow *flow) { return flow->now.routed > INT64_C(1) << 61; }

static bool gives(const memplan_flow *flow, int32_t node) {
  uint8_t side = flow->now.side[node];
  return side == MEMPLAN_FLOW_SOURCE || (side == MEMPLAN_FLOW_FREE && flow->now.surplus[node] > 0);
}

static bool takes(const memplan_flow *flow, int32_t node) {
  uint8_t side = flow->now.side[node];
  return side == MEMPLAN_FLOW_SINK || (side == MEMPLAN_FLOW_FREE && flow->now.surplus[node] < 0);
}

// Levels of all nodes no farther from a sink than the nearest source is. False if no source reaches a sink.
static bool make_levels(memplan_flow *flow) {
  int32_t first = 0, count = 0, nearest = INT32_MAX;
  for (int32_t node = 0; node < flow->n_nodes; node++) {
    flow->level[node] = takes(flow, node) ? 0 : -1;
    if (flow->level[node] == 0) {
      flow->queue[count++] = node;
    }
  }
  while (first < count && flow->level[flow->queue[first]] < nearest) {
    int32_t node = flow->queue[first++];
    for (int32_t half = flow->head[node]; half >= 0; half = flow->next[half]) {
      int32_t other = flow->to[half];
      flow->work++;
      if (flow->level[other] < 0 && flow->now.residual[half ^ 1] > 0) {
        flow->level[other] = flow->level[node] + 1;
        flow->queue[count++] = other;
        nearest = gives(flow, other) && flow->level[other] < nearest ? flow->level[other] : nearest;
      }
    }
  }
  flow->work += flow->n_nodes;
  return nearest < INT32_MAX;
}

// Sends along the path to `sink` what fits; returns how many of its edges stay usable, MEMPLAN_FLOW_INFINITE in
// *amount if all of it is infinite.
static int32_t augment(memplan_flow *flow, int32_t source, int32_t sink, int32_t length, int64_t *amount) {
  int64_t *residual = flow->now.residual, *surplus = flow->now.surplus;
  bool endless = flow->now.side[source] == MEMPLAN_FLOW_SOURCE;
  int64_t least = endless ? INT64_MAX : surplus[source];
  if (flow->now.side[sink] != MEMPLAN_FLOW_SINK && -surplus[sink] < least) {
    least = -surplus[sink];
  }
  for (int32_t k = 0; k < length; k++) {
    least = residual[flow->path[k]] < least ? residual[flow->path[k]] : least;
  }
  if (least > INT64_C(1) << 62) {
    *amount = MEMPLAN_FLOW_INFINITE;
    return 0;
  }
  int32_t usable = length;
  for (int32_t k = length - 1; k >= 0; k--) {
    residual[flow->path[k]] -= least;
    residual[flow->path[k] ^ 1] += least;
    usable = residual[flow->path[k]] == 0 ? k : usable;
  }
  surplus[source] -= least;
  surplus[sink] += least;
  flow->now.routed += least;
  *amount = least;
  return usable;
}

// Everything that a source can send down the levels, up to `limit`.
static int64_t drain(memplan_flow *flow, int32_t source, int64_t limit, int64_t work) {
  int64_t sent = 0, amount;
  int32_t length = 0, node = source;
  while (gives(flow, source) && sent <= limit && flow->work <= work) {
    if (flow->level[node] == 0 && takes(flow, node)) {
      length = augment(flow, source, node, length, &amount);
      if (amount == MEMPLAN_FLOW_INFINITE) {
        return amount;
      }
      sent += amount;
      node = length == 0 ? source : flow->to[flow->path[length - 1]];
      continue;
    }
    int32_t half = flow->current[node];
    while (half >= 0 && (flow->now.residual[half] == 0 || flow->level[flow->to[half]] != flow->level[node] - 1)) {
      half = flow->next[half];
      flow->work++;
    }
    flow->current[node] = half;
    if (half >= 0 && flow->level[node] > 0) {
      flow->path[length++] = half;
      node = flow->to[half];
    } else if (length == 0) {
      break;
    } else {
      int32_t back = flow->path[--length];
      node = flow->to[back ^ 1];
      flow->current[node] = flow->next[back];
    }
  }
  return sent;
}

int64_t memplan_flow_run(memplan_flow *flow, int64_t limit, int64_t work) {
  int64_t sent = flow->now.pending;
  flow->now.pending = 0;
  flow->now.maximum = false;
  while (sent <= limit && flow->work <= work) {
    if (!make_levels(flow)) {
      flow->now.maximum = true;
      break;
    }
    memcpy(flow->current, flow->head, (size_t)flow->n_nodes * sizeof *flow->current);
    for (int32_t node = 0; node < flow->n_nodes && sent <= limit && flow->work <= work; node++) {
      if (flow->level[node] > 0 && gives(flow, node)) {
        int64_t more = drain(flow, node, limit - sent, work);
        if (more == MEMPLAN_FLOW_INFINITE) {
          return more;
        }
        sent += more;
      }
    }
  }
  return sent;
}

int32_t memplan_flow_nodes(const memplan_flow *flow) { return flow->n_nodes; }

int32_t memplan_flow_edges(const memplan_flow *flow) { return flow->n_edges; }

bool memplan_flow_is_maximum(const memplan_flow *flow) { return flow->now.maximum; }

int64_t memplan_flow_work(const memplan_flow *flow) { return flow->work; }

int64_t memplan_flow_on(const memplan_flow *flow, int32_t edge) { return flow->now.residual[2 * edge + 1]; }

int32_t memplan_flow_from(const memplan_flow *flow, int32_t edge) { return flow->to[2 * edge + 1]; }

int32_t memplan_flow_to(const memplan_flow *flow, int32_t edge) { return flow->to[2 * edge]; }

int64_t memplan_flow_value(const memplan_flow *flow) {
  int64_t value = 0;
  for (int32_t node = 0; node < flow->n_nodes; node++) {
    value -= gives(flow, node) ? flow->now.surplus[node] : 0;
  }
  return value;
}

// Marks what the sources reach (`against` 0), or what reaches the sinks (1).
static void reach(memplan_flow *flow, bool (*starts)(const memplan_flow *, int32_t), int32_t against, bool *reached) {
  int32_t count = 0;
  for (int32_t node = 0; node < flow->n_nodes; node++) {
    reached[node] = starts(flow, node);
    if (reached[node]) {
      flow->queue[count++] = node;
    }
  }
  while (count > 0) {
    int32_t node = flow->queue[--count];
    for (int32_t half = flow->head[node]; half >= 0; half = flow->next[half]) {
      if (!reached[flow->to[half]] && flow->now.residual[half ^ against] > 0) {
        reached[flow->to[half]] = true;
        flow->queue[count++] = flow->to[half];
      }
    }
  }
  flow->work += flow->n_nodes + flow->n_edges;
}

void memplan_flow_smallest(memplan_flow *flow, bool *inside) { reach(flow, gives, 0, inside); }

void memplan_flow_largest(memplan_flow *flow, bool *inside) {
  reach(flow, takes, 1, inside);
  for (int32_t node = 0; node < flow->n_nodes; node++) {
    inside[node] = !inside[node];
  }
}

static void copy(const memplan_flow *flow, network *to, const network *from) {
  memcpy(to->residual, from->residual, 2 * (size_t)flow->n_edges * sizeof *to->residual);
  memcpy(to->surplus, from->surplus, (size_t)flow->n_nodes * sizeof *to->surplus);
  memcpy(to->side, from->side, (size_t)flow->n_nodes * sizeof *to->side);
  to->pending = from->pending;
  to->routed = from->routed;
  to->maximum = from->maximum;
}

void memplan_flow_save(memplan_flow *flow) { copy(flow, &flow->saved, &flow->now); }

void memplan_flow_restore(memplan_flow *flow) { copy(flow, &flow->now, &flow->saved); }
