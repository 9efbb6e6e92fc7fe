// SPDX-License-Identifier: Apache-2.0
// The flow of one operator is found anew, without what other operators would leave in it, so that all that the
// ancestors give ends at the operator and its descendants.
//
// For a bound that a search has found, a short search that keeps a log is tried first, then little probing, then the
// search again at more length; then more probing, and a search that takes the precedences with it which probing has
// found.
#include "solvers/cut_proof.h"

#include "model/base/json_write.h"
#include "model/problem_json.h"
#include "solvers/cut_network.h"
#include "solvers/search_proof.h"
#include "solvers/text_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { patience = 100 };

static const int64_t most_work = INT64_C(1) << 32; // of probing, in edges looked at
static const int64_t flow_part = INT64_C(1) << 24; // edges looked at between two looks at the limits

memplan_proof_effort memplan_proof_effort_default(void) {
  return (memplan_proof_effort){.first = INT64_C(1) << 22, .probing = INT64_C(1) << 26, .search = INT64_C(1) << 27};
}

typedef struct writer {
  const memplan_problem *problem;
  const memplan_proof_scope *scope;
  const memplan_bound *bound;
  const memplan_limits *limits; // started
  const memplan_proof_effort *effort;
  int64_t most; // bytes
  const memplan_ordering *ordering;
  const memplan_cut_network *network;
  memplan_text_sink sink;
  FILE *out;        // into the sink
  const char *kind; // of what was written, NULL: nothing
  bool nomem, too_large;
  bool is_beyond; // an order is below the claim, which rests on more than orders
} writer;

// Is there no sense in going on?
static bool is_over(const writer *work) {
  return work->nomem || work->is_beyond || ferror(work->out) ||
         memplan_limits_reached(work->limits) != MEMPLAN_STOP_DONE;
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
  for (int32_t cell = 0; cell < work->network->problem->n_cells && !is_over(work); cell++) {
    write_cell(work, cell);
  }
  write_pairs(work, work->network->op);
  write_precedences(work);
}

// False: the limits have been reached.
static bool run_flow(writer *work, memplan_flow *flow, bool *endless) {
  *endless = false;
  do {
    if (is_over(work)) {
      return false;
    }
    *endless = memplan_flow_run(flow, INT64_MAX, memplan_flow_work(flow) + flow_part) == MEMPLAN_FLOW_INFINITE;
  } while (!*endless && !memplan_flow_is_maximum(flow));
  return true;
}

static void write_head(writer *work, const char *kind) {
  const memplan_problem *problem = work->problem;
  const memplan_bound *bound = work->bound;
  const memplan_proof_scope *scope = work->scope;
  json_t *head = json_object();
  bool good = memplan_json_set_string(head, "format", "memplan-certificate") &&
              memplan_json_set_integer(head, "version", 1) &&
              memplan_json_set_string(head, "fingerprint", problem->fingerprint) &&
              memplan_json_set(head, "problem", memplan_problem_reading_json(problem)) &&
              memplan_json_set_string(head, "kind", kind) && memplan_json_set_integer(head, "claim", bound->bytes) &&
              (strcmp(kind, "cut") != 0 || memplan_json_set_text(head, "op", bound->op)) &&
              (scope->pool == NULL || memplan_json_set_string(head, "pool", scope->pool)) &&
              (scope->bodies == NULL || memplan_json_set(head, "bodies", json_loads(scope->bodies, 0, NULL)));
  write_line(work, memplan_json_finish(head, good));
}

static memplan_status write_cut(writer *work, const memplan_order_problem *flat, memplan_arena *arena,
                                memplan_error *error) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_bound *bound = work->bound;
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
  bool *inside = MEMPLAN_NEW(arena, bool, memplan_flow_nodes(network->flow)), endless;
  if (inside == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_cut_network_focus(network, op);
  if (!run_flow(work, network->flow, &endless) || memplan_cut_network_bound(network) < bound->bytes) {
    return MEMPLAN_OK;
  }
  memplan_flow_smallest(network->flow, inside);
  write_head(work, "cut");
  write_ideal(work, inside);
  write_flow(work);
  work->kind = is_over(work) ? NULL : "cut";
  return MEMPLAN_OK;
}

// The flow of an operator on the assumption that `other` runs before it or not before it (-1: no assumption). False if
// it proves less than the claim, or the limits have been reached.
static bool write_section(writer *work, memplan_cut_network *network, int32_t op, int32_t other, bool before) {
  memplan_cut_network_focus(network, op);
  if (other >= 0) {
    memplan_flow_put(network->flow, other, before ? MEMPLAN_FLOW_SOURCE : MEMPLAN_FLOW_SINK);
  }
  memplan_flow_reset(network->flow);
  bool endless;
  if (!run_flow(work, network->flow, &endless) ||
      (endless ? other >= 0 : memplan_cut_network_bound(network) < work->bound->bytes)) {
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
  return !is_over(work);
}

// The sections of all precedences found, and the last one if they refute all orders below the claim. *good: each of
// them was written.
static memplan_status write_sections(writer *work, const memplan_order_problem *flat, const memplan_order_probe *probe,
                                     memplan_arena *arena, bool *good, memplan_error *error) {
  memplan_cut_network *network;
  *good = false;
  MEMPLAN_TRY(memplan_cut_network_new(flat, probe->n_edges, arena, &network, error));
  if (network == NULL) {
    return MEMPLAN_OK;
  }
  work->network = network;
  *good = true;
  for (int32_t k = 0; k < probe->n_edges && *good; k++) {
    memplan_order_edge edge = probe->edges[k];
    bool late = probe->focus[k] == edge.before; // the other one runs after the operator in focus
    *good = write_section(work, network, probe->focus[k], late ? edge.after : edge.before, late) &&
            memplan_cut_network_add(network, edge.before, edge.after);
  }
  *good = *good && (!probe->refuted || write_section(work, network, probe->op, -1, false));
  return MEMPLAN_OK;
}

memplan_status memplan_cut_write_precedences(const memplan_ordering *ordering, const memplan_order_problem *flat,
                                             int64_t claim, const memplan_order_probe *probe,
                                             const memplan_limits *limits, FILE *out, memplan_arena *arena, bool *good,
                                             memplan_error *error) {
  const memplan_bound bound = {.bytes = claim};
  writer work = {.bound = &bound, .limits = limits, .ordering = ordering, .out = out};
  MEMPLAN_TRY(write_sections(&work, flat, probe, arena, good, error));
  return work.nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

// Probing within so much work; a certificate, if that refutes all orders below the claim.
static memplan_status write_probe(writer *work, const memplan_order_problem *flat, int64_t effort,
                                  memplan_order_probe *probe, memplan_arena *arena, memplan_error *error) {
  bool good = false;
  effort = work->limits->work >= 0 && work->limits->work < effort ? work->limits->work : effort;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, flat->n_ops);
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < flat->n_ops; op++) {
    order[op] = op;
  }
  MEMPLAN_TRY(memplan_order_probe_run(flat, work->bound->bytes - 1, order, NULL, 0, patience, effort, work->limits,
                                      arena, probe, error));
  if (probe->refuted) {
    write_head(work, "probe");
    MEMPLAN_TRY(write_sections(work, flat, probe, arena, &good, error));
  }
  if (good) {
    work->kind = "probe";
  } else {
    memplan_text_sink_clear(&work->sink, work->out);
  }
  return MEMPLAN_OK;
}

// A search with the precedences of probing (NULL: without any) in so many ticks; a certificate, if it is closed.
static memplan_status write_search(writer *work, const memplan_order_problem *flat, const memplan_order_probe *probe,
                                   memplan_search_proof *proof, int64_t ticks, memplan_arena *arena,
                                   memplan_error *error) {
  bool good = true;
  MEMPLAN_TRY(memplan_search_proof_run(proof, ticks, work->limits, error));
  for (int32_t k = 0; k < 2; k++) {
    memplan_order_log_outcome outcome = memplan_order_log_state(proof->logs[k]);
    work->too_large = work->too_large || outcome == MEMPLAN_ORDER_LOG_TOO_LARGE;
    work->is_beyond = work->is_beyond || outcome == MEMPLAN_ORDER_LOG_FOUND;
  }
  if (proof->closed < 0) {
    return MEMPLAN_OK;
  }
  work->too_large = false;
  write_head(work, "order-search");
  if (probe != NULL) {
    MEMPLAN_TRY(write_sections(work, flat, probe, arena, &good, error));
  }
  if (good) {
    work->nomem = !memplan_search_proof_write(proof, work->ordering->graph, work->out) || work->nomem;
    work->kind = "order-search";
  }
  return MEMPLAN_OK;
}

// With more work than before: probing, then the search with what probing has found, or on without.
static memplan_status write_at_length(writer *work, const memplan_order_problem *flat, memplan_search_proof *plain,
                                      int64_t ticks, memplan_arena *arena, memplan_error *error) {
  memplan_order_probe probe;
  memplan_search_proof narrowed;
  MEMPLAN_TRY(write_probe(work, flat, most_work, &probe, arena, error));
  if (work->kind != NULL || is_over(work)) {
    return MEMPLAN_OK;
  }
  if (probe.n_edges == 0 || probe.refuted) {
    return write_search(work, flat, NULL, plain, ticks, arena, error);
  }
  memplan_search_proof_free(plain);
  memplan_status status = memplan_search_proof_begin(&narrowed, work->ordering, probe.edges, probe.n_edges,
                                                     work->bound->bytes, work->most, work->limits->memory, error);
  if (status == MEMPLAN_OK) {
    status = write_search(work, flat, &probe, &narrowed, ticks, arena, error);
  }
  memplan_search_proof_free(&narrowed);
  return status;
}

static memplan_status write_in_turn(writer *work, const memplan_order_problem *flat, memplan_search_proof *plain,
                                    memplan_arena *arena, memplan_error *error) {
  const memplan_proof_effort *effort = work->effort;
  memplan_order_probe probe;
  int64_t left = memplan_limits_work(work->limits);
  int64_t first = left < effort->first ? left : effort->first;
  left -= first;
  MEMPLAN_TRY(write_search(work, flat, NULL, plain, first, arena, error));
  if (work->kind != NULL || is_over(work)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(write_probe(work, flat, effort->probing, &probe, arena, error));
  if (work->kind != NULL || is_over(work)) {
    return MEMPLAN_OK;
  }
  int64_t more = left < effort->search ? left : effort->search;
  MEMPLAN_TRY(write_search(work, flat, NULL, plain, more, arena, error));
  if (work->kind != NULL || is_over(work)) {
    return MEMPLAN_OK;
  }
  return write_at_length(work, flat, plain, left - more, arena, error);
}

// Bounds that a search has found.
static memplan_status write_exhausted(writer *work, const memplan_order_problem *flat, memplan_arena *arena,
                                      memplan_error *error) {
  memplan_search_proof plain;
  memplan_status status = memplan_search_proof_begin(&plain, work->ordering, NULL, 0, work->bound->bytes, work->most,
                                                     work->limits->memory, error);
  if (status == MEMPLAN_OK) {
    status = write_in_turn(work, flat, &plain, arena, error);
  }
  memplan_search_proof_free(&plain);
  return status;
}

static memplan_status write_bound(writer *work, memplan_arena *arena, memplan_error *error) {
  memplan_order_problem flat;
  memplan_bound_kind kind = work->bound->kind;
  if (kind == MEMPLAN_BOUND_INPUTS || kind == MEMPLAN_BOUND_OUTPUTS) {
    work->kind = kind == MEMPLAN_BOUND_INPUTS ? "inputs" : "outputs";
    write_head(work, work->kind);
    return MEMPLAN_OK;
  }
  if (!work->bound->joint || work->ordering->one_order) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_order_problem_init(&flat, work->ordering, false, arena, error));
  if (kind == MEMPLAN_BOUND_CUT || kind == MEMPLAN_BOUND_OPERATOR) {
    return write_cut(work, &flat, arena, error);
  }
  return kind == MEMPLAN_BOUND_SEARCH ? write_exhausted(work, &flat, arena, error) : MEMPLAN_OK;
}

static memplan_status write_certificate(writer *work, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_ordering ordering;
  const memplan_problem *problem = work->problem;
  memplan_status status =
      memplan_ordering_init(&ordering, &problem->graph, &problem->options, work->scope->workspace, error);
  work->ordering = &ordering;
  if (status == MEMPLAN_OK) {
    status = write_bound(work, &arena, error);
  }
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  return status;
}

memplan_status memplan_cut_certify(const memplan_problem *problem, const memplan_bound *bound,
                                   const memplan_limits *limits, const memplan_proof_effort *effort, int64_t most,
                                   memplan_certificate *certificate, memplan_error *error) {
  return memplan_cut_certify_within(problem, NULL, bound, limits, effort, most, certificate, error);
}

memplan_status memplan_cut_certify_within(const memplan_problem *problem, const memplan_proof_scope *scope,
                                          const memplan_bound *bound, const memplan_limits *limits,
                                          const memplan_proof_effort *effort, int64_t most,
                                          memplan_certificate *certificate, memplan_error *error) {
  static const memplan_proof_scope all;
  memplan_limits started = limits != NULL ? memplan_limits_start(limits) : memplan_limits_default();
  memplan_proof_effort usual = memplan_proof_effort_default();
  writer work = {.problem = problem,
                 .scope = scope != NULL ? scope : &all,
                 .bound = bound,
                 .limits = &started,
                 .effort = effort != NULL ? effort : &usual,
                 .most = most};
  *certificate = (memplan_certificate){.kind = "none"};
  work.out = memplan_text_sink_open(&work.sink, most);
  if (work.out == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = write_certificate(&work, error);
  bool written = ferror(work.out) == 0 && !work.nomem;
  written = fclose(work.out) == 0 && written;
  if (status == MEMPLAN_OK && !written && !work.sink.too_large) {
    status = memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK && written && work.kind != NULL) {
    *certificate = (memplan_certificate){.text = work.sink.text,
                                         .length = work.sink.length,
                                         .kind = work.kind,
                                         .claim = bound->bytes,
                                         .every_order = true};
    return MEMPLAN_OK;
  }
  free(work.sink.text);
  certificate->missing = work.sink.too_large || work.too_large ? memplan_certificate_too_large : NULL;
  return status;
}
