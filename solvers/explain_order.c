// SPDX-License-Identifier: Apache-2.0
// "x is gone before y is born" asks for every death of x before every birth of y. Such an order exists iff the graph
// with these edges added has one. Groups run consecutively, so that two things must be free of cycles: the graph with
// each group drawn together to one node, and the operators within each group.
#include "solvers/explain_order.h"

#include <string.h>

enum { most_edges = 1 << 22 };

typedef struct network {
  const memplan_ordering *ordering;
  const memplan_presence *earlier, *later;
  bool *is_death, *is_birth; // by operator
  int32_t *missing;          // by node: predecessors that have not been taken
  int32_t *queue;
  int32_t n_nodes;
} network;

// Groups first, then the operators without one.
static int32_t node_of(const network *net, int32_t op) {
  int32_t group = net->ordering->graph->ops[op].group;
  return group >= 0 ? group : net->ordering->graph->n_groups + op;
}

// Does the edge from -> to lie within a group, or between nodes?
static bool counts(const network *net, int32_t from, int32_t to, bool within) {
  return (node_of(net, from) == node_of(net, to)) == within;
}

static void add_edge(network *net, int32_t from, int32_t to, bool within, int32_t change) {
  if (counts(net, from, to, within)) {
    net->missing[within ? to : node_of(net, to)] += change;
  }
}

// All edges out of `op`, those added among them.
static void add_edges(network *net, int32_t op, bool within, int32_t change) {
  const memplan_ordering *ordering = net->ordering;
  for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
    add_edge(net, op, ordering->succ[k], within, change);
  }
  for (int32_t k = 0; net->is_death[op] && k < net->later->n_births; k++) {
    add_edge(net, op, net->later->births[k], within, change);
  }
}

static int32_t enqueue_free(network *net, int32_t node, int32_t count) {
  if (net->missing[node] == 0) {
    net->missing[node] = -1;
    net->queue[count++] = node;
  }
  return count;
}

// Takes the nodes without predecessors until none is left; true if all were taken.
static bool is_acyclic(network *net, bool within) {
  const memplan_ordering *ordering = net->ordering;
  const memplan_graph *graph = ordering->graph;
  net->n_nodes = within ? graph->n_ops : graph->n_groups + graph->n_ops;
  memset(net->missing, 0, (size_t)net->n_nodes * sizeof *net->missing);
  for (int32_t op = 0; op < graph->n_ops; op++) {
    add_edges(net, op, within, 1);
  }
  int32_t count = 0, unused = 0;
  for (int32_t node = 0; node < net->n_nodes; node++) {
    if (!within && node >= graph->n_groups && graph->ops[node - graph->n_groups].group >= 0) {
      unused++; // its group is the node
    } else {
      count = enqueue_free(net, node, count);
    }
  }
  for (int32_t at = 0; at < count; at++) {
    int32_t node = net->queue[at], one = within ? node : node - graph->n_groups;
    bool group = !within && node < graph->n_groups;
    int32_t first = group ? ordering->group_first[node] : 0, last = group ? ordering->group_first[node + 1] : 1;
    for (int32_t k = first; k < last; k++) {
      int32_t op = group ? ordering->group_ops[k] : one;
      add_edges(net, op, within, -1);
    }
    // What has become free is among the targets just counted down.
    for (int32_t k = first; k < last; k++) {
      int32_t op = group ? ordering->group_ops[k] : one;
      for (int32_t s = ordering->succ_first[op]; s < ordering->succ_first[op + 1]; s++) {
        int32_t to = ordering->succ[s];
        count = counts(net, op, to, within) ? enqueue_free(net, within ? to : node_of(net, to), count) : count;
      }
      for (int32_t b = 0; net->is_death[op] && b < net->later->n_births; b++) {
        int32_t to = net->later->births[b];
        count = counts(net, op, to, within) ? enqueue_free(net, within ? to : node_of(net, to), count) : count;
      }
    }
  }
  return count + unused == net->n_nodes;
}

// A birth of the later one from which an edge or a path leads to a death of the earlier one.
static bool find_path(network *net, int32_t *origin, memplan_precede *precede) {
  const memplan_ordering *ordering = net->ordering;
  int32_t count = 0;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    origin[op] = net->is_birth[op] ? op : -1;
    if (net->is_birth[op]) {
      net->queue[count++] = op;
    }
  }
  for (int32_t at = 0; at < count; at++) {
    int32_t op = net->queue[at];
    if (net->is_death[op]) {
      precede->birth = origin[op];
      precede->death = op;
      return true;
    }
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
      int32_t next = ordering->succ[k];
      if (origin[next] < 0) {
        origin[next] = origin[op];
        net->queue[count++] = next;
      }
    }
  }
  return false;
}

// Can an operator that does not give birth to `later` be the very first?
static bool another_starts(const network *net) {
  const memplan_ordering *ordering = net->ordering;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t group = ordering->graph->ops[op].group;
    bool first = ordering->pred_first[op + 1] == ordering->pred_first[op] && !net->is_birth[op];
    for (int32_t k = group >= 0 ? ordering->group_first[group] : 0;
         first && group >= 0 && k < ordering->group_first[group + 1]; k++) {
      int32_t member = ordering->group_ops[k];
      for (int32_t p = ordering->pred_first[member]; p < ordering->pred_first[member + 1]; p++) {
        first &= ordering->graph->ops[ordering->pred[p]].group == group;
      }
    }
    if (first) {
      return true;
    }
  }
  return false;
}

static void decide(network *net, int32_t *origin, memplan_precede *precede) {
  if (net->earlier->keep) {
    precede->result = MEMPLAN_PRECEDE_KEPT;
  } else if (net->later->init || net->later->first_only) {
    precede->result = MEMPLAN_PRECEDE_INIT;
  } else if (net->earlier->first_only) {
    precede->result = another_starts(net) ? MEMPLAN_PRECEDE_POSSIBLE : MEMPLAN_PRECEDE_INIT;
  } else if (find_path(net, origin, precede)) {
    precede->result = MEMPLAN_PRECEDE_OPS;
  } else if ((int64_t)net->earlier->n_deaths * net->later->n_births > most_edges) {
    precede->result = MEMPLAN_PRECEDE_UNKNOWN;
  } else {
    precede->result =
        is_acyclic(net, false) && is_acyclic(net, true) ? MEMPLAN_PRECEDE_POSSIBLE : MEMPLAN_PRECEDE_GROUPS;
  }
}

memplan_status memplan_presence_precede(const memplan_ordering *ordering, const memplan_presence *earlier,
                                        const memplan_presence *later, memplan_precede *precede, memplan_error *error) {
  int64_t n_nodes = (int64_t)ordering->n_ops + ordering->graph->n_groups;
  memplan_arena scratch = {0};
  network net = {.ordering = ordering,
                 .earlier = earlier,
                 .later = later,
                 .is_death = MEMPLAN_NEW(&scratch, bool, ordering->n_ops),
                 .is_birth = MEMPLAN_NEW(&scratch, bool, ordering->n_ops),
                 .missing = MEMPLAN_NEW(&scratch, int32_t, n_nodes),
                 .queue = MEMPLAN_NEW(&scratch, int32_t, n_nodes)};
  int32_t *origin = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops);
  memplan_status status = MEMPLAN_OK;
  *precede = (memplan_precede){.result = MEMPLAN_PRECEDE_UNKNOWN, .birth = -1, .death = -1};
  if (net.is_death == NULL || net.is_birth == NULL || net.missing == NULL || net.queue == NULL || origin == NULL) {
    status = memplan_fail_nomem(error);
  } else {
    for (int32_t k = 0; k < earlier->n_deaths; k++) {
      net.is_death[earlier->deaths[k]] = true;
    }
    for (int32_t k = 0; k < later->n_births; k++) {
      net.is_birth[later->births[k]] = true;
    }
    decide(&net, origin, precede);
  }
  memplan_arena_free(&scratch);
  return status;
}
