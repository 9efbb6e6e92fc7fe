// SPDX-License-Identifier: Apache-2.0
// An ideal X after which operator v runs holds the ancestors of v, and neither v nor a descendant. The cells that v
// touches are live while it runs; what else is live is a sum over cells of bytes x [a birth is in X, and not all deaths
// are]: the capacity out of X of edges from births to deaths. Where a cell has several, a node stands for them, tied to
// them by infinite edges; where one of them implies another by a direct edge, only the one that matters is tied. An
// infinite edge from each operator to its predecessors makes the sets of finite cuts ideals.
//
// In-place: v saves at most what the best matching of its pairs saves that are not ruled out by its ancestors and
// descendants. A pair is lost if another death of its dying cell is not in X. Of each set of pairs entangled by common
// cells one pair is chosen, and its loss - how much less the others save - is the capacity of an edge from the source
// to a node that is tied to those deaths. Reference: the per-operator cut bound of the submodular live bytes.
#include "solvers/cut_network.h"

#include "model/base/number.h"

#include <string.h>

enum { most_entangled = 64 }; // pairs of one operator among which losses are looked for

typedef struct memplan_cut_room {
  int32_t n_added, most_added;
  int32_t *added_before, *added_after;           // heads by operator: lists of added edges
  int32_t *next_before, *next_after, *from, *to; // by added edge
  int32_t *stack;
  memplan_flow_side *wanted;
  bool *marked;                // by operator, clear between uses
  int32_t *focused, n_focused; // cells whose edges are closed
  bool *touched;               // by cell
  memplan_pair *pairs;         // of one operator
  bool *possible, *conditional;
  int32_t *chosen, *component;
} memplan_cut_room;

// ---- building

typedef struct sizes {
  int64_t nodes, edges;
} sizes;

// Members of a list that no other member stands for: births without a predecessor among the births, deaths without a
// successor among the deaths.
static int32_t essential(const memplan_order_lists *lists, int32_t cell, const memplan_order_lists *neighbours,
                         bool *marked, int32_t *members) {
  int32_t count = 0, first = lists->first[cell], end = lists->first[cell + 1];
  if (end - first == 1) {
    members[0] = lists->list[first];
    return 1;
  }
  for (int32_t k = first; k < end; k++) {
    marked[lists->list[k]] = true;
  }
  for (int32_t k = first; k < end; k++) {
    int32_t member = lists->list[k];
    bool implied = false;
    for (int32_t n = neighbours->first[member]; n < neighbours->first[member + 1] && !implied; n++) {
      implied = marked[neighbours->list[n]];
    }
    if (!implied) {
      members[count++] = member;
    }
  }
  for (int32_t k = first; k < end; k++) {
    marked[lists->list[k]] = false;
  }
  return count;
}

static sizes measure(const memplan_order_problem *problem, int32_t most_added, int64_t *bytes) {
  sizes all = {(int64_t)problem->n_ops + 2, (int64_t)problem->pred.first[problem->n_ops] + most_added};
  *bytes = 0;
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    all.nodes += 2;
    all.edges += 1 + (int64_t)(problem->births.first[cell + 1] - problem->births.first[cell]) +
                 (problem->deaths.first[cell + 1] - problem->deaths.first[cell]);
    *bytes = memplan_add_saturated(*bytes, problem->cells[cell].bytes);
  }
  for (int32_t k = 0; k < problem->n_pairs; k++) {
    int32_t dying = problem->pairs[k].dying;
    all.nodes++;
    all.edges += problem->deaths.first[dying + 1] - problem->deaths.first[dying];
    *bytes = memplan_add_saturated(*bytes, problem->pairs[k].saving);
  }
  return all;
}

// The node that stands for some operators, tied to them by infinite edges (from them for births, to them for deaths).
static int32_t tie(memplan_flow *flow, const int32_t *members, int32_t count, bool births, int32_t *next_node) {
  if (count == 1) {
    return members[0];
  }
  int32_t node = (*next_node)++;
  for (int32_t k = 0; k < count; k++) {
    (void)memplan_flow_add(flow, births ? members[k] : node, births ? node : members[k], MEMPLAN_FLOW_INFINITE);
  }
  return node;
}

// Births, then the cell, then deaths: the edge of the cell needs the node of the deaths, whose ties come after it.
static void add_cell(memplan_cut_network *network, int32_t cell, int32_t *next_node, int32_t *next_edge) {
  const memplan_order_problem *problem = network->problem;
  const memplan_order_cell *entry = &problem->cells[cell];
  memplan_cut_room *room = network->room;
  int32_t from = network->source, to = network->sink;
  network->cell_first[cell] = *next_edge;
  network->cell_edge[cell] = -1;
  int32_t *members = room->stack;
  if (!entry->init) {
    int32_t count = essential(&problem->births, cell, &problem->pred, room->marked, members);
    from = tie(network->flow, members, count, true, next_node);
    *next_edge += count > 1 ? count : 0;
  }
  int32_t count = 0;
  if (!entry->keep) {
    count = essential(&problem->deaths, cell, &problem->succ, room->marked, members);
    to = count == 1 ? members[0] : (*next_node)++;
  }
  if (from != to) {
    network->cell_edge[cell] = memplan_flow_add(network->flow, from, to, entry->bytes);
    (*next_edge)++;
  }
  for (int32_t k = 0; k < count && count > 1; k++) {
    (void)memplan_flow_add(network->flow, to, members[k], MEMPLAN_FLOW_INFINITE);
    (*next_edge)++;
  }
}

static void add_pair(memplan_cut_network *network, int32_t index, int32_t *next_node, int32_t *next_edge) {
  const memplan_order_problem *problem = network->problem;
  const memplan_order_pair *pair = &problem->pairs[index];
  int32_t node = (*next_node)++;
  network->pair_first[index] = memplan_flow_add(network->flow, network->source, node, 0);
  (*next_edge)++;
  for (int32_t k = problem->deaths.first[pair->dying]; k < problem->deaths.first[pair->dying + 1]; k++) {
    if (problem->deaths.list[k] != pair->op) {
      (void)memplan_flow_add(network->flow, node, problem->deaths.list[k], MEMPLAN_FLOW_INFINITE);
      (*next_edge)++;
    }
  }
}

static void build(memplan_cut_network *network, int32_t n_nodes) {
  const memplan_order_problem *problem = network->problem;
  int32_t next_node = problem->n_ops + 2, next_edge = 0;
  memplan_flow_clear(network->flow, n_nodes);
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    add_cell(network, cell, &next_node, &next_edge);
  }
  network->cell_first[problem->n_cells] = next_edge;
  for (int32_t k = 0; k < problem->n_pairs; k++) {
    add_pair(network, k, &next_node, &next_edge);
  }
  network->pair_first[problem->n_pairs] = next_edge;
  network->first_precedence = next_edge;
  for (int32_t op = 0; op < problem->n_ops; op++) {
    for (int32_t k = problem->pred.first[op]; k < problem->pred.first[op + 1]; k++) {
      (void)memplan_flow_add(network->flow, op, problem->pred.list[k], MEMPLAN_FLOW_INFINITE);
    }
  }
  memplan_flow_put(network->flow, network->source, MEMPLAN_FLOW_SOURCE);
  memplan_flow_put(network->flow, network->sink, MEMPLAN_FLOW_SINK);
}

static bool allocate(memplan_cut_network *network, int32_t most_added, memplan_arena *arena) {
  const memplan_order_problem *problem = network->problem;
  memplan_cut_room *room = network->room;
  int64_t n_ops = problem->n_ops, n_cells = problem->n_cells, n_pairs = problem->n_pairs;
  network->cell_first = MEMPLAN_NEW(arena, int32_t, n_cells + 1);
  network->cell_edge = MEMPLAN_NEW(arena, int32_t, n_cells);
  network->pair_first = MEMPLAN_NEW(arena, int32_t, n_pairs + 1);
  network->pair_loss = MEMPLAN_NEW(arena, int64_t, n_pairs);
  network->side = MEMPLAN_NEW(arena, memplan_flow_side, n_ops);
  room->most_added = most_added;
  room->added_before = MEMPLAN_NEW(arena, int32_t, n_ops);
  room->added_after = MEMPLAN_NEW(arena, int32_t, n_ops);
  room->next_before = MEMPLAN_NEW(arena, int32_t, most_added);
  room->next_after = MEMPLAN_NEW(arena, int32_t, most_added);
  room->from = MEMPLAN_NEW(arena, int32_t, most_added);
  room->to = MEMPLAN_NEW(arena, int32_t, most_added);
  room->stack = MEMPLAN_NEW(arena, int32_t, n_ops);
  room->wanted = MEMPLAN_NEW(arena, memplan_flow_side, n_ops);
  room->marked = MEMPLAN_NEW(arena, bool, n_ops);
  room->focused = MEMPLAN_NEW(arena, int32_t, n_cells);
  room->touched = MEMPLAN_NEW(arena, bool, n_cells);
  room->pairs = MEMPLAN_NEW(arena, memplan_pair, n_pairs);
  room->possible = MEMPLAN_NEW(arena, bool, n_pairs);
  room->conditional = MEMPLAN_NEW(arena, bool, n_pairs);
  room->chosen = MEMPLAN_NEW(arena, int32_t, n_pairs);
  room->component = MEMPLAN_NEW(arena, int32_t, n_pairs);
  return network->cell_first != NULL && network->cell_edge != NULL && network->pair_first != NULL &&
         network->pair_loss != NULL && network->side != NULL && room->added_before != NULL &&
         room->added_after != NULL && room->next_before != NULL && room->next_after != NULL && room->from != NULL &&
         room->to != NULL && room->stack != NULL && room->wanted != NULL && room->marked != NULL &&
         room->focused != NULL && room->touched != NULL && room->pairs != NULL && room->possible != NULL &&
         room->conditional != NULL && room->chosen != NULL && room->component != NULL;
}

memplan_status memplan_cut_network_new(const memplan_order_problem *problem, int32_t most_added, memplan_arena *arena,
                                       memplan_cut_network **network, memplan_error *error) {
  int64_t bytes;
  sizes all = measure(problem, most_added, &bytes);
  *network = NULL;
  if (all.nodes > 1 << 28 || all.edges > 1 << 28 || bytes > MEMPLAN_SIZE_LIMIT) {
    return MEMPLAN_OK;
  }
  memplan_cut_network *made = MEMPLAN_NEW(arena, memplan_cut_network, 1);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->problem = problem;
  made->source = problem->n_ops;
  made->sink = problem->n_ops + 1;
  made->op = -1;
  made->room = MEMPLAN_NEW(arena, memplan_cut_room, 1);
  made->flow = memplan_flow_new((int32_t)all.nodes, (int32_t)all.edges, arena);
  if (made->room == NULL || made->flow == NULL || !allocate(made, most_added, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < problem->n_ops; op++) {
    made->room->added_before[op] = made->room->added_after[op] = -1;
  }
  build(made, (int32_t)all.nodes);
  *network = made;
  return MEMPLAN_OK;
}

bool memplan_cut_network_add(memplan_cut_network *network, int32_t before, int32_t after) {
  memplan_cut_room *room = network->room;
  if (room->n_added == room->most_added) {
    return false;
  }
  int32_t edge = room->n_added++;
  room->from[edge] = before;
  room->to[edge] = after;
  room->next_before[edge] = room->added_before[after];
  room->added_before[after] = edge;
  room->next_after[edge] = room->added_after[before];
  room->added_after[before] = edge;
  (void)memplan_flow_add(network->flow, after, before, MEMPLAN_FLOW_INFINITE);
  return true;
}

memplan_cut_edges memplan_cut_network_added(const memplan_cut_network *network, int32_t op, bool before) {
  const memplan_cut_room *room = network->room;
  return before ? (memplan_cut_edges){room->next_before, room->from, room->added_before[op]}
                : (memplan_cut_edges){room->next_after, room->to, room->added_after[op]};
}

int32_t memplan_cut_edges_next(memplan_cut_edges *edges) {
  int32_t at = edges->at;
  if (at < 0) {
    return -1;
  }
  edges->at = edges->next[at];
  return edges->ends[at];
}

// ---- focus

static void want(memplan_cut_room *room, int32_t op, memplan_flow_side side, int32_t *count) {
  if (room->wanted[op] == MEMPLAN_FLOW_FREE) {
    room->wanted[op] = side;
    room->stack[(*count)++] = op;
  }
}

static void want_reached(memplan_cut_network *network, int32_t start, memplan_flow_side side) {
  const memplan_order_problem *problem = network->problem;
  memplan_cut_room *room = network->room;
  bool before = side == MEMPLAN_FLOW_SOURCE;
  const memplan_order_lists *lists = before ? &problem->pred : &problem->succ;
  int32_t count = 0;
  room->stack[count++] = start;
  while (count > 0) {
    int32_t op = room->stack[--count];
    for (int32_t k = lists->first[op]; k < lists->first[op + 1]; k++) {
      want(room, lists->list[k], side, &count);
    }
    memplan_cut_edges walk = memplan_cut_network_added(network, op, before);
    for (int32_t other = memplan_cut_edges_next(&walk); other >= 0; other = memplan_cut_edges_next(&walk)) {
      want(room, other, side, &count);
    }
  }
}

static void set_sides(memplan_cut_network *network, int32_t op) {
  int32_t n_ops = network->problem->n_ops;
  memplan_flow_side *wanted = network->room->wanted;
  for (int32_t k = 0; k < n_ops; k++) {
    wanted[k] = MEMPLAN_FLOW_FREE;
  }
  wanted[op] = MEMPLAN_FLOW_SINK;
  want_reached(network, op, MEMPLAN_FLOW_SOURCE);
  want_reached(network, op, MEMPLAN_FLOW_SINK);
  for (int32_t k = 0; k < n_ops; k++) {
    if (wanted[k] != network->side[k]) {
      memplan_flow_put(network->flow, k, MEMPLAN_FLOW_FREE);
      memplan_flow_put(network->flow, k, wanted[k]);
      network->side[k] = wanted[k];
    }
  }
}

static void touch(memplan_cut_network *network, const memplan_order_lists *cells, int32_t op) {
  memplan_cut_room *room = network->room;
  for (int32_t k = cells->first[op]; k < cells->first[op + 1]; k++) {
    int32_t cell = cells->list[k];
    if (!room->touched[cell]) {
      room->touched[cell] = true;
      room->focused[room->n_focused++] = cell;
      network->constant += network->problem->cells[cell].bytes;
      if (network->cell_edge[cell] >= 0) {
        memplan_flow_set_capacity(network->flow, network->cell_edge[cell], 0);
      }
    }
  }
}

static void leave(memplan_cut_network *network) {
  const memplan_order_problem *problem = network->problem;
  memplan_cut_room *room = network->room;
  for (int32_t k = 0; k < room->n_focused; k++) {
    int32_t cell = room->focused[k];
    room->touched[cell] = false;
    if (network->cell_edge[cell] >= 0) {
      memplan_flow_set_capacity(network->flow, network->cell_edge[cell], problem->cells[cell].bytes);
    }
  }
  room->n_focused = 0;
  for (int32_t k = problem->pair_first[network->op]; k < problem->pair_first[network->op + 1]; k++) {
    if (network->pair_loss[k] > 0) {
      memplan_flow_set_capacity(network->flow, network->pair_first[k], 0);
      network->pair_loss[k] = 0;
    }
  }
}

// ---- in-place

// What the possible pairs save at most, without the one at `except`.
static int64_t best_saving(memplan_cut_room *room, int32_t count, int32_t except) {
  bool kept = except >= 0 && room->possible[except];
  if (except >= 0) {
    room->possible[except] = false;
  }
  memplan_matching matching;
  if (!memplan_pairs_match(room->pairs, 0, count, room->possible, room->chosen, &matching)) {
    matching.most = 0;
    for (int32_t k = 0; k < count; k++) {
      matching.most = memplan_add_saturated(matching.most, room->possible[k] ? room->pairs[k].saving : 0);
    }
  }
  if (except >= 0) {
    room->possible[except] = kept;
  }
  return matching.most;
}

// Entangled pairs get the number of the first of them.
static void find_components(memplan_cut_room *room, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    room->component[k] = k;
    for (int32_t other = 0; other < k && room->possible[k]; other++) {
      int32_t mine = room->component[k], old = room->component[other];
      if (!room->possible[other] || mine == old ||
          (room->pairs[k].input_storage != room->pairs[other].input_storage &&
           room->pairs[k].output_storage != room->pairs[other].output_storage)) {
        continue;
      }
      int32_t low = mine < old ? mine : old, high = mine < old ? old : mine;
      for (int32_t m = 0; m <= k; m++) {
        room->component[m] = room->component[m] == high ? low : room->component[m];
      }
    }
  }
}

// Of each set of entangled pairs the conditional one whose loss is largest.
static void set_losses(memplan_cut_network *network, int32_t first, int32_t count, int64_t saving) {
  memplan_cut_room *room = network->room;
  find_components(room, count);
  for (int32_t component = 0; component < count; component++) {
    int32_t best = -1;
    int64_t most = 0;
    for (int32_t k = component; k < count; k++) {
      if (room->component[k] == component && room->possible[k] && room->conditional[k]) {
        int64_t loss = saving - best_saving(room, count, k);
        if (loss > most) {
          most = loss;
          best = k;
        }
      }
    }
    if (best >= 0) {
      network->pair_loss[first + best] = most;
      memplan_flow_set_capacity(network->flow, network->pair_first[first + best], most);
    }
  }
}

static void set_pairs(memplan_cut_network *network, int32_t op) {
  const memplan_order_problem *problem = network->problem;
  memplan_cut_room *room = network->room;
  int32_t first = problem->pair_first[op], count = problem->pair_first[op + 1] - first;
  bool any = false;
  for (int32_t k = 0; k < count; k++) {
    const memplan_order_pair *pair = &problem->pairs[first + k];
    room->pairs[k] = (memplan_pair){.op = op,
                                    .output = pair->born,
                                    .input = pair->dying,
                                    .output_storage = pair->born,
                                    .input_storage = pair->dying,
                                    .saving = pair->saving};
    room->possible[k] = true;
    room->conditional[k] = false;
    for (int32_t d = problem->deaths.first[pair->dying]; d < problem->deaths.first[pair->dying + 1]; d++) {
      int32_t other = problem->deaths.list[d];
      room->possible[k] = room->possible[k] && (other == op || network->side[other] != MEMPLAN_FLOW_SINK);
      room->conditional[k] = room->conditional[k] || network->side[other] == MEMPLAN_FLOW_FREE;
    }
    for (int32_t b = problem->births.first[pair->born]; b < problem->births.first[pair->born + 1]; b++) {
      room->possible[k] = room->possible[k] && network->side[problem->births.list[b]] != MEMPLAN_FLOW_SOURCE;
    }
    any = any || (room->possible[k] && room->conditional[k]);
  }
  int64_t saving = count > 0 ? best_saving(room, count, -1) : 0;
  network->constant -= saving;
  if (any && count <= most_entangled) {
    set_losses(network, first, count, saving);
  }
}

void memplan_cut_network_focus(memplan_cut_network *network, int32_t op) {
  const memplan_order_problem *problem = network->problem;
  if (network->op >= 0) {
    leave(network);
  }
  if (memplan_flow_needs_reset(network->flow)) {
    memplan_flow_reset(network->flow);
  }
  network->op = op;
  network->constant = problem->base + problem->workspace[op];
  set_sides(network, op);
  touch(network, &problem->op_births, op);
  touch(network, &problem->op_deaths, op);
  set_pairs(network, op);
}

int64_t memplan_cut_network_bound(const memplan_cut_network *network) {
  return network->constant + memplan_flow_value(network->flow);
}
