// SPDX-License-Identifier: Apache-2.0
// The engine runs once more, for the one capacity below the claim and with a log: without the order bound, which the
// log could not justify, and without symmetry, but with the precedences that probing shows, which have proofs of their
// own. Names of its Booleans become numbers that the model gives them, or the window of it.
#include "solvers/joint_proof.h"

#include "solvers/cut_proof.h"
#include "solvers/engine_proof.h"
#include "solvers/joint_lists.h"
#include "solvers/joint_model.h"
#include "solvers/joint_probe.h"
#include "solvers/joint_search.h"
#include "solvers/joint_window.h"
#include "solvers/proof.h"
#include "solvers/text_sink.h"

#include "model/base/names.h"
#include "model/problem_json.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { piece = 1 << 20 };                      // ticks between looks at the limits
static const int64_t most_variables = 1 << 22; // that a checker takes

typedef struct writer {
  const memplan_problem *problem;
  const memplan_joint_claim *claim;
  memplan_arena arena;
  memplan_ordering ordering;
  int32_t *ops;              // of a window, or NULL
  memplan_joint_graph whole; // that a window is cut from
  memplan_joint_graph graph;
  memplan_joint_search *search;
  memplan_joint_probe *probe; // NULL: of a window
  int64_t probed;
  memplan_proof proof;
  FILE *out;
} writer;

// ---- names

static int64_t count_variables(const memplan_joint_graph *graph) {
  int64_t n = graph->n_ops, m = graph->n_items;
  return m + 1 + n * n + graph->n_pairs + 2 * m * n + 2 * m * m;
}

static int64_t number_name(const memplan_joint_graph *graph, const memplan_joint_name *name) {
  int64_t n = graph->n_ops, m = graph->n_items;
  int64_t turns = m + 1, choices = turns + n * n, dead = choices + graph->n_pairs, unborn = dead + m * n;
  int64_t gone = unborn + m * n, below = gone + m * m;
  switch (name->kind) {
  case MEMPLAN_JOINT_TURN:
    return turns + name->a * n + name->b;
  case MEMPLAN_JOINT_CHOICE:
    return choices + name->a;
  case MEMPLAN_JOINT_UNBORN:
    return unborn + name->a * n + name->b;
  case MEMPLAN_JOINT_GONE:
    return gone + name->a * m + name->b;
  case MEMPLAN_JOINT_BELOW:
    return below + name->a * m + name->b;
  default:
    return dead + name->a * n + name->b;
  }
}

static void write_literal(const writer *work, const int64_t *literal, FILE *out) {
  const memplan_joint_model *model = memplan_joint_search_model(work->search);
  int64_t variable = literal[0] / 2, side = literal[0], value = literal[1];
  if (variable > work->graph.n_items) {
    const memplan_joint_name *name = &model->names[variable - work->graph.n_items - 1];
    side = 2 * number_name(&work->graph, name) + (literal[0] & 1);
    if (name->kind == MEMPLAN_JOINT_ALIVE) {
      side ^= 1;
      value = 1 - value;
    }
  }
  fprintf(out, "%" PRId64 ",%" PRId64, side, value);
}

// ---- lines

static bool write_head(const writer *work) {
  const memplan_joint_claim *claim = work->claim;
  fputs("{\"format\":\"memplan-certificate\",\"version\":1", work->out);
  bool good = memplan_joint_lists_member(json_string(work->problem->fingerprint), "fingerprint", work->out) &&
              memplan_joint_lists_member(memplan_problem_reading_json(work->problem), "problem", work->out);
  fprintf(work->out, ",\"kind\":\"joint-clauses\",\"claim\":%" PRId64 ",\"unit\":%" PRId64 "%s", claim->bytes,
          work->graph.unit, claim->ops != NULL ? ",\"window\":true" : "");
  good = memplan_joint_lists_write(&work->graph, work->ops, work->out) && good;
  good = memplan_joint_lists_scope(&claim->scope, work->out) && good;
  fputs("}\n", work->out);
  return good;
}

static void write_step(const writer *work, const memplan_proof_step *step) {
  FILE *out = work->out;
  fputs("{\"c\":[", out);
  for (int64_t k = 0; k < step->n_literals; k++) {
    fputs(k > 0 ? "," : "", out);
    write_literal(work, &work->proof.literal_numbers[step->first_literal + 2 * k], out);
  }
  fputs("],\"h\":[", out);
  for (int64_t k = 0; k < step->n_hints; k++) {
    int32_t hint = work->proof.hints[step->first_hint + k];
    fputs(k > 0 ? "," : "", out);
    if (hint > 0) {
      fprintf(out, "%" PRId32, hint);
      continue;
    }
    for (int64_t at = work->proof.lemma_starts[-1 - hint]; at < work->proof.lemma_starts[-hint]; at++) {
      fprintf(out, at == work->proof.lemma_starts[-1 - hint] ? "[%" PRId64 : ",%" PRId64,
              work->proof.lemma_numbers[at]);
    }
    fputc(']', out);
  }
  fputs("]}\n", out);
}

// ---- the proof

// Orders with a peak that is not below the claim, of which there may be none, do not matter to the proof.
static memplan_status probe(writer *work, const memplan_limits *limits, memplan_error *error) {
  int64_t ticks, allowed = memplan_joint_probe_allowance(memplan_joint_search_count(work->search).ticks,
                                                         work->probed - work->claim->probing);
  bool refuted;
  if (work->probe == NULL || allowed == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_joint_probe_run(work->probe, work->search, work->claim->bytes - 1, allowed, limits, &ticks,
                                      &refuted, error));
  work->probed += ticks;
  return MEMPLAN_OK;
}

// Runs until no plan below the claim is left.
static memplan_status refute(writer *work, const memplan_limits *limits, bool *refuted, memplan_error *error) {
  int64_t all = memplan_limits_work(limits);
  for (;;) {
    MEMPLAN_TRY(probe(work, limits, error));
    int64_t left = all - memplan_joint_search_count(work->search).ticks;
    switch (memplan_joint_search_run(work->search, left < piece ? left : piece)) {
    case MEMPLAN_JOINT_NOMEM:
      return memplan_fail_nomem(error);
    case MEMPLAN_JOINT_CLOSED:
      *refuted = true;
      return MEMPLAN_OK;
    case MEMPLAN_JOINT_IMPROVED:
    case MEMPLAN_JOINT_FULL:
      return MEMPLAN_OK;
    default:
      break;
    }
    if (memplan_joint_search_count(work->search).ticks >= all || memplan_limits_reached(limits) != MEMPLAN_STOP_DONE) {
      return MEMPLAN_OK;
    }
  }
}

// *known: they are operators of the graph.
static memplan_status find_ops(writer *work, bool *known, memplan_error *error) {
  const memplan_graph *model = &work->problem->graph;
  const memplan_joint_claim *claim = work->claim;
  memplan_names names = {0};
  work->ops = MEMPLAN_NEW(&work->arena, int32_t, claim->n_ops);
  bool good = work->ops != NULL;
  for (int32_t op = 0; op < model->n_ops && good; op++) {
    good = memplan_names_add(&names, model->ops[op].id, op) != -2;
  }
  *known = claim->n_ops > 0;
  for (int32_t k = 0; k < claim->n_ops && good; k++) {
    work->ops[k] = memplan_names_find(&names, claim->ops[k]);
    *known = *known && work->ops[k] >= 0;
  }
  memplan_names_free(&names);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_status make_graph(writer *work, bool *made, memplan_error *error) {
  char reason[256];
  if (work->claim->ops == NULL) {
    *made = memplan_joint_search_accepts(&work->ordering, reason);
    return *made ? memplan_joint_graph_init(&work->graph, &work->ordering, true, &work->arena, error) : MEMPLAN_OK;
  }
  MEMPLAN_TRY(find_ops(work, made, error));
  if (!*made) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_joint_graph_outline(&work->whole, &work->ordering, &work->arena, error));
  return memplan_joint_window_init(&work->graph, &work->whole, work->ops, work->claim->n_ops, &work->arena, error);
}

static memplan_status prove(writer *work, const memplan_limits *limits, bool *found, memplan_error *error) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.driver = MEMPLAN_JOINT_DOWN;
  settings.symmetry = false;
  settings.proof = true;
  settings.memory = memplan_limits_memory(limits);
  bool refuted = false, made = false;
  *found = false;
  MEMPLAN_TRY(memplan_ordering_init(&work->ordering, &work->problem->graph, &work->problem->options,
                                    work->claim->scope.workspace, error));
  if (work->claim->bytes > 0) {
    MEMPLAN_TRY(make_graph(work, &made, error));
  }
  if (!made || count_variables(&work->graph) > most_variables) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_joint_search_new(&work->graph, 0, work->claim->bytes, &settings, &work->search, error));
  if (work->claim->ops == NULL) {
    MEMPLAN_TRY(memplan_joint_probe_new(&work->ordering, NULL, &work->probe, error));
  }
  MEMPLAN_TRY(refute(work, limits, &refuted, error));
  const memplan_joint_model *model = memplan_joint_search_model(work->search);
  if (refuted && model->contradiction) { // of the sizes, or of the precedences, alone
    *found = true;
    return MEMPLAN_OK;
  }
  memplan_literal fact = memplan_literal_make(2 * work->graph.n_items, model->upper);
  return !refuted || memplan_engine_prove(model->engine, fact, &work->arena, &work->proof, found)
             ? MEMPLAN_OK
             : memplan_fail_nomem(error);
}

// Was the engine told anything that it did not know?
static bool has_given(const writer *work) {
  bool given = memplan_joint_search_model(work->search)->contradiction;
  for (int64_t k = 0; k < work->proof.n_steps && !given; k++) {
    given = work->proof.steps[k].given;
  }
  return given;
}

// What shows the precedences that the engine was told.
static memplan_status write_precedences(writer *work, const memplan_limits *limits, bool *found, memplan_error *error) {
  const memplan_order_probe *probe = work->probe != NULL ? memplan_joint_probe_look(work->probe) : NULL;
  if (probe == NULL || probe->n_edges == 0 || !has_given(work)) {
    return MEMPLAN_OK;
  }
  memplan_order_problem flat;
  memplan_order_probe told = *probe;
  told.refuted = false;
  MEMPLAN_TRY(memplan_order_problem_init(&flat, &work->ordering, false, &work->arena, error));
  return memplan_cut_write_precedences(&work->ordering, &flat, work->claim->bytes, &told, limits, work->out,
                                       &work->arena, found, error);
}

static memplan_status write_certificate(writer *work, const memplan_limits *limits, bool *found, memplan_error *error) {
  memplan_status status = prove(work, limits, found, error);
  if (status == MEMPLAN_UNSUPPORTED || status == MEMPLAN_INPUT) {
    *found = false;
    return MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK && *found && !write_head(work)) {
    return memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK && *found) {
    status = write_precedences(work, limits, found, error);
  }
  for (int64_t k = 0; status == MEMPLAN_OK && *found && k < work->proof.n_steps && ferror(work->out) == 0; k++) {
    write_step(work, &work->proof.steps[k]);
  }
  return status;
}

memplan_status memplan_joint_certify_claim(const memplan_problem *problem, const memplan_joint_claim *claim,
                                           const memplan_limits *limits, int64_t most, memplan_certificate *certificate,
                                           memplan_error *error) {
  *certificate = (memplan_certificate){.kind = "none"};
  writer work = {.problem = problem, .claim = claim};
  memplan_text_sink sink;
  memplan_limits started = limits != NULL ? memplan_limits_start(limits) : memplan_limits_default();
  work.out = memplan_text_sink_open(&sink, most);
  if (work.out == NULL) {
    return memplan_fail_nomem(error);
  }
  bool found = false;
  memplan_status status = write_certificate(&work, &started, &found, error);
  bool written = ferror(work.out) == 0;
  written = fclose(work.out) == 0 && written;
  memplan_joint_search_free(work.search);
  memplan_joint_probe_free(work.probe);
  memplan_ordering_free(&work.ordering);
  memplan_arena_free(&work.arena);
  if (sink.too_large) {
    status = MEMPLAN_OK;
  } else if (status == MEMPLAN_OK && !written) {
    status = memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK && written && found) {
    *certificate = (memplan_certificate){
        .text = sink.text, .length = sink.length, .kind = "joint-clauses", .claim = claim->bytes, .every_order = true};
    return MEMPLAN_OK;
  }
  free(sink.text);
  certificate->missing = sink.too_large ? memplan_certificate_too_large : NULL;
  return status;
}

memplan_status memplan_joint_certify(const memplan_problem *problem, int64_t claim, const memplan_limits *limits,
                                     int64_t most, memplan_certificate *certificate, memplan_error *error) {
  const memplan_joint_claim all = {.bytes = claim};
  return memplan_joint_certify_claim(problem, &all, limits, most, certificate, error);
}
