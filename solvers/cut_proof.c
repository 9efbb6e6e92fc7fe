// SPDX-License-Identifier: Apache-2.0
// The flow of one operator is found anew, without what other operators would leave in it, so that all that the
// ancestors give ends at the operator and its descendants.
#include "solvers/cut_proof.h"

#include "model/base/json_write.h"
#include "model/problem_json.h"
#include "solvers/cut_network.h"
#include "solvers/order_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { patience = 100 };

static const int64_t most_work = INT64_C(1) << 32; // of probing, in edges looked at

typedef struct writer {
  const memplan_ordering *ordering;
  const memplan_cut_network *network;
  FILE *out;
  bool nomem;
} writer;

const char *memplan_cut_proof_kind(memplan_bound_kind kind) {
  switch (kind) {
  case MEMPLAN_BOUND_CUT:
  case MEMPLAN_BOUND_OPERATOR:
    return "cut";
  case MEMPLAN_BOUND_INPUTS:
    return "inputs";
  case MEMPLAN_BOUND_OUTPUTS:
    return "outputs";
  case MEMPLAN_BOUND_SEARCH:
    return "probe";
  default:
    return NULL;
  }
}

static void write_line(writer *work, json_t *line) {
  char *text = line != NULL ? json_dumps(line, JSON_COMPACT) : NULL;
  json_decref(line);
  work->nomem = work->nomem || text == NULL;
  if (text != NULL) {
    fprintf(work->out, "%s\n", text);
  }
  free(text);
}

static const char *name_of(const writer *work, int32_t node) { return work->ordering->graph->ops[node].id; }

static bool add_share(const writer *work, json_t *shares, int32_t op, int64_t bytes) {
  json_t *share = json_array();
  bool good = memplan_json_add(share, json_string(name_of(work, op))) && memplan_json_add(share, json_integer(bytes));
  return memplan_json_add(shares, memplan_json_finish(share, good));
}

// What edges first … end - 1 carry, by the operator at their start (`births`) or at their end.
static json_t *shares_of(const writer *work, int32_t first, int32_t end, bool births) {
  const memplan_flow *flow = work->network->flow;
  json_t *shares = json_array();
  bool good = shares != NULL;
  for (int32_t edge = first; edge < end && good; edge++) {
    int32_t op = births ? memplan_flow_from(flow, edge) : memplan_flow_to(flow, edge);
    int64_t bytes = memplan_flow_on(flow, edge);
    good = bytes == 0 || add_share(work, shares, op, bytes);
  }
  return memplan_json_finish(shares, good);
}

static const char *cell_name(const writer *work, int32_t cell) {
  const memplan_cell *entry = &work->ordering->cells[work->network->problem->cells[cell].source];
  const memplan_graph *graph = work->ordering->graph;
  return entry->storage >= 0 ? graph->tensors[graph->storages[entry->storage].root].id
                             : work->ordering->workspace_name[entry->op];
}

static void write_cell(writer *work, int32_t cell) {
  const memplan_cut_network *network = work->network;
  int32_t own = network->cell_edge[cell], first = network->cell_first[cell], end = network->cell_first[cell + 1];
  int64_t bytes = own >= 0 ? memplan_flow_on(network->flow, own) : 0;
  if (bytes == 0) {
    return;
  }
  const memplan_order_cell *entry = &network->problem->cells[cell];
  json_t *line = json_object();
  bool good =
      memplan_json_set_string(line, "cell", cell_name(work, cell)) && memplan_json_set_integer(line, "bytes", bytes);
  if (good && !entry->init) {
    bool tied = own > first;
    good = memplan_json_set(line, "in", shares_of(work, tied ? first : own, tied ? own : own + 1, true));
  }
  if (good && !entry->keep) {
    bool tied = end > own + 1;
    good = memplan_json_set(line, "out", shares_of(work, tied ? own + 1 : own, tied ? end : own + 1, false));
  }
  write_line(work, memplan_json_finish(line, good));
}

static void write_pairs(writer *work, int32_t op) {
  const memplan_graph *graph = work->ordering->graph;
  const memplan_cut_network *network = work->network;
  const memplan_order_problem *problem = network->problem;
  for (int32_t k = problem->pair_first[op]; k < problem->pair_first[op + 1]; k++) {
    const memplan_pair *pair = &work->ordering->pairs[problem->pairs[k].source];
    int32_t own = network->pair_first[k], end = network->pair_first[k + 1];
    int64_t bytes = memplan_flow_on(network->flow, own);
    if (bytes > 0) {
      json_t *line = json_object();
      bool good =
          memplan_json_set(line, "pair",
                           memplan_json_strings(graph->tensors[pair->output].id, graph->tensors[pair->input].id)) &&
          memplan_json_set_integer(line, "bytes", bytes) &&
          memplan_json_set(line, "out", shares_of(work, own + 1, end, false));
      write_line(work, memplan_json_finish(line, good));
    }
  }
}

static void write_precedences(writer *work) {
  const memplan_cut_network *network = work->network;
  for (int32_t edge = network->first_precedence; edge < memplan_flow_edges(network->flow); edge++) {
    int64_t bytes = memplan_flow_on(network->flow, edge);
    if (bytes > 0) {
      json_t *line = json_object();
      bool good = memplan_json_set_string(line, "before", name_of(work, memplan_flow_to(network->flow, edge))) &&
                  memplan_json_set_string(line, "after", name_of(work, memplan_flow_from(network->flow, edge))) &&
                  memplan_json_set_integer(line, "bytes", bytes);
      write_line(work, memplan_json_finish(line, good));
    }
  }
}

static void write_ideal(writer *work, const bool *inside) {
  json_t *line = json_object(), *ideal = json_array();
  bool good = line != NULL && ideal != NULL;
  for (int32_t op = 0; op < work->ordering->n_ops && good; op++) {
    good = !inside[op] || memplan_json_add(ideal, json_string(name_of(work, op)));
  }
  good = memplan_json_set(line, "ideal", memplan_json_finish(ideal, good));
  write_line(work, memplan_json_finish(line, good));
}

static void write_flow(writer *work) {
  for (int32_t cell = 0; cell < work->network->problem->n_cells; cell++) {
    write_cell(work, cell);
  }
  write_pairs(work, work->network->op);
  write_precedences(work);
}

static void write_head(writer *work, const memplan_problem *problem, const memplan_bound *bound) {
  const char *kind = memplan_cut_proof_kind(bound->kind);
  json_t *head = json_object();
  bool good = memplan_json_set_string(head, "format", "memplan-certificate") &&
              memplan_json_set_integer(head, "version", 1) &&
              memplan_json_set_string(head, "fingerprint", problem->fingerprint) &&
              memplan_json_set(head, "problem", memplan_problem_reading_json(problem)) &&
              memplan_json_set_string(head, "kind", kind) && memplan_json_set_integer(head, "claim", bound->bytes) &&
              (strcmp(kind, "cut") != 0 || memplan_json_set_text(head, "op", bound->op));
  write_line(work, memplan_json_finish(head, good));
}

// *found: something was written.
static memplan_status write_cut(writer *work, const memplan_problem *problem, const memplan_order_problem *flat,
                                const memplan_bound *bound, memplan_arena *arena, bool *found, memplan_error *error) {
  const memplan_ordering *ordering = work->ordering;
  int32_t op = 0;
  while (op < ordering->n_ops && (bound->op == NULL || strcmp(name_of(work, op), bound->op) != 0)) {
    op++;
  }
  memplan_cut_network *network;
  MEMPLAN_TRY(memplan_cut_network_new(flat, 0, arena, &network, error));
  if (network == NULL || op == ordering->n_ops) {
    return MEMPLAN_OK;
  }
  work->network = network;
  bool *inside = MEMPLAN_NEW(arena, bool, memplan_flow_nodes(network->flow));
  if (inside == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_cut_network_focus(network, op);
  (void)memplan_flow_run(network->flow, INT64_MAX, INT64_MAX);
  if (memplan_cut_network_bound(network) < bound->bytes) {
    return MEMPLAN_OK;
  }
  memplan_flow_smallest(network->flow, inside);
  write_head(work, problem, bound);
  write_ideal(work, inside);
  write_flow(work);
  *found = true;
  return MEMPLAN_OK;
}

// The flow of an operator on the assumption that `other` runs before it or not before it (-1: no assumption). False if
// it proves less than the claim.
static bool write_section(writer *work, memplan_cut_network *network, int32_t op, int32_t other, bool before,
                          int64_t claim) {
  memplan_cut_network_focus(network, op);
  if (other >= 0) {
    memplan_flow_put(network->flow, other, before ? MEMPLAN_FLOW_SOURCE : MEMPLAN_FLOW_SINK);
  }
  memplan_flow_reset(network->flow);
  bool endless = memplan_flow_run(network->flow, INT64_MAX, INT64_MAX) == MEMPLAN_FLOW_INFINITE;
  if (endless ? other >= 0 : memplan_cut_network_bound(network) < claim) {
    return false;
  }
  json_t *line = json_object();
  bool good = memplan_json_set_string(line, "op", name_of(work, op)) &&
              (other < 0 || memplan_json_set_string(line, before ? "before" : "not_before", name_of(work, other)));
  write_line(work, memplan_json_finish(line, good));
  if (!endless) {
    write_flow(work);
  }
  if (other >= 0) {
    memplan_flow_put(network->flow, other, MEMPLAN_FLOW_FREE);
  }
  return true;
}

static memplan_status write_sections(writer *work, const memplan_problem *problem, const memplan_order_problem *flat,
                                     const memplan_order_probe *probe, const memplan_bound *bound, memplan_arena *arena,
                                     bool *found, memplan_error *error) {
  memplan_cut_network *network;
  MEMPLAN_TRY(memplan_cut_network_new(flat, probe->n_edges, arena, &network, error));
  if (network == NULL) {
    return MEMPLAN_OK;
  }
  work->network = network;
  write_head(work, problem, bound);
  bool good = true;
  for (int32_t k = 0; k < probe->n_edges && good; k++) {
    memplan_order_edge edge = probe->edges[k];
    bool late = probe->focus[k] == edge.before; // the other one runs after the operator in focus
    good = write_section(work, network, probe->focus[k], late ? edge.after : edge.before, late, bound->bytes) &&
           memplan_cut_network_add(network, edge.before, edge.after);
  }
  *found = good && write_section(work, network, probe->op, -1, false, bound->bytes);
  return MEMPLAN_OK;
}

// Bounds that a search has found: probing may find the reason again.
static memplan_status write_probe(writer *work, const memplan_problem *problem, const memplan_order_problem *flat,
                                  const memplan_bound *bound, const memplan_limits *limits, memplan_arena *arena,
                                  bool *found, memplan_error *error) {
  memplan_order_probe probe;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, flat->n_ops);
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < flat->n_ops; op++) {
    order[op] = op;
  }
  memplan_limits started = limits != NULL ? memplan_limits_start(limits) : memplan_limits_default();
  MEMPLAN_TRY(memplan_order_probe_run(flat, bound->bytes - 1, order, NULL, 0, patience, most_work, &started, arena,
                                      &probe, error));
  return probe.refuted ? write_sections(work, problem, flat, &probe, bound, arena, found, error) : MEMPLAN_OK;
}

static memplan_status write_bound(writer *work, const memplan_problem *problem, const memplan_bound *bound,
                                  const memplan_limits *limits, memplan_arena *arena, bool *found,
                                  memplan_error *error) {
  memplan_order_problem flat;
  if (bound->kind == MEMPLAN_BOUND_INPUTS || bound->kind == MEMPLAN_BOUND_OUTPUTS) {
    write_head(work, problem, bound);
    *found = true;
    return MEMPLAN_OK;
  }
  if (!bound->joint || work->ordering->one_order) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_order_problem_init(&flat, work->ordering, false, arena, error));
  if (bound->kind == MEMPLAN_BOUND_CUT || bound->kind == MEMPLAN_BOUND_OPERATOR) {
    return write_cut(work, problem, &flat, bound, arena, found, error);
  }
  return bound->kind == MEMPLAN_BOUND_SEARCH ? write_probe(work, problem, &flat, bound, limits, arena, found, error)
                                             : MEMPLAN_OK;
}

static memplan_status write_certificate(writer *work, const memplan_problem *problem, const memplan_bound *bound,
                                        const memplan_limits *limits, bool *found, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_ordering ordering;
  memplan_status status = memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, error);
  work->ordering = &ordering;
  if (status == MEMPLAN_OK) {
    status = write_bound(work, problem, bound, limits, &arena, found, error);
  }
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  return status;
}

memplan_status memplan_cut_certify(const memplan_problem *problem, const memplan_bound *bound,
                                   const memplan_limits *limits, char **certificate, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  bool found = false;
  writer work = {.out = open_memstream(&text, &length)};
  *certificate = NULL;
  if (work.out == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = write_certificate(&work, problem, bound, limits, &found, error);
  bool written = ferror(work.out) == 0 && !work.nomem;
  written = fclose(work.out) == 0 && written;
  if (status == MEMPLAN_OK && !written) {
    status = memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK && found) {
    *certificate = text;
  } else {
    free(text);
  }
  return status;
}
