// SPDX-License-Identifier: Apache-2.0
// The search by orders and nogoods runs once more, for the one capacity below the claim; then its nogoods are proven by
// the precedence engine, and the search of orders that they leave nothing of is told, from the end of the graph whose
// log is closed first.
#include "solvers/nogood_proof.h"

#include "model/problem_json.h"
#include "solvers/joint_exhaust.h"
#include "solvers/joint_lists.h"
#include "solvers/joint_orders.h"
#include "solvers/place_optimal.h"
#include "solvers/text_sink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  piece = 1 << 20,
  first_slice = 200000, // ticks
  // Of the memory: the search holds half of it, and then little but its nogoods.
  exhaust_parts = 2,
  log_parts = 4, // each
  certify_parts = 8
};

static const int64_t most_proof = INT64_C(1) << 28; // bytes

typedef struct writer {
  const memplan_problem *problem;
  const memplan_proof_scope *scope;
  int64_t claim, most;
  memplan_limits limits; // started
  int64_t left;          // ticks
  memplan_arena arena;
  memplan_ordering ordering;
  memplan_joint_graph whole;
  memplan_joint_exhaust *exhaust;
  const memplan_joint_nogood **nogoods; // that reach the claim
  int32_t n_nogoods;
  memplan_order_problem problems[2]; // forwards, turned
  memplan_order_tables tables[2];
  memplan_joint_log *logs[2];
  memplan_joint_orders *orders[2];
  int32_t closed; // the direction whose search is closed, -1
  FILE *out;
} writer;

// ---- the search once more

// *refuted: no plan below the claim is left.
static memplan_status refute(writer *work, bool *refuted, memplan_error *error) {
  memplan_joint_exhaust_task task = {.whole = &work->whole,
                                     .lower = work->claim - 1,
                                     .upper = work->claim,
                                     .memory = memplan_limits_part(&work->limits, exhaust_parts).memory,
                                     .commits = true,
                                     .limits = &work->limits};
  memplan_joint_exhaust_news news = {.ended = false};
  MEMPLAN_TRY(memplan_joint_exhaust_new(&task, &work->exhaust, error));
  while (!news.ended && work->left > 0 && memplan_limits_reached(&work->limits) == MEMPLAN_STOP_DONE) {
    MEMPLAN_TRY(memplan_joint_exhaust_run(work->exhaust, work->claim - 1, work->claim, 0,
                                          work->left < piece ? work->left : piece, &news, error));
    work->left -= news.ticks + 1;
  }
  *refuted = news.closed && memplan_joint_exhaust_plan(work->exhaust)->order == NULL;
  return MEMPLAN_OK;
}

// Those that reach the claim; if one of them is of every order, that one alone.
static memplan_status find_nogoods(writer *work, memplan_error *error) {
  const memplan_joint_nogood *nogood;
  int32_t n = 0;
  while (memplan_joint_exhaust_nogood(work->exhaust, n) != NULL) {
    n++;
  }
  work->nogoods = MEMPLAN_NEW(&work->arena, const memplan_joint_nogood *, n);
  if (work->nogoods == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; (nogood = memplan_joint_exhaust_nogood(work->exhaust, k)) != NULL; k++) {
    if (nogood->height >= work->claim && memplan_joint_nogood_is_static(nogood)) {
      work->nogoods[0] = nogood;
      work->n_nogoods = 1;
      return MEMPLAN_OK;
    }
    if (nogood->height >= work->claim) {
      work->nogoods[work->n_nogoods++] = nogood;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status start_direction(writer *work, int32_t direction, memplan_error *error) {
  memplan_order_rules rules = {.lazy = false, .intervals = false, .commits = true};
  memplan_arena *arena = &work->arena;
  MEMPLAN_TRY(memplan_order_problem_init(&work->problems[direction], &work->ordering, direction == 1, arena, error));
  MEMPLAN_TRY(memplan_order_tables_init(&work->tables[direction], &work->problems[direction], &rules, arena, error));
  work->logs[direction] = memplan_joint_log_new((int32_t)work->tables[direction].words, work->n_nogoods / 64 + 1);
  if (work->logs[direction] == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_joint_orders_task task = {.whole = &work->whole,
                                    .tables = &work->tables[direction],
                                    .nogoods = work->nogoods,
                                    .n_nogoods = work->n_nogoods,
                                    .threshold = work->claim - 1,
                                    .most_memory = memplan_limits_part(&work->limits, log_parts).memory,
                                    .commits = true,
                                    .log = work->logs[direction]};
  MEMPLAN_TRY(memplan_joint_orders_new(&task, &work->orders[direction], error));
  work->left -= memplan_joint_orders_state(work->orders[direction]).ticks;
  return MEMPLAN_OK;
}

// Both directions by turns, in slices that double, until the log of one is closed or too large.
static memplan_status close_log(writer *work, memplan_error *error) {
  int64_t slice = first_slice;
  MEMPLAN_TRY(start_direction(work, 0, error));
  MEMPLAN_TRY(start_direction(work, 1, error));
  bool open[2] = {true, true};
  while ((open[0] || open[1]) && work->left > 0) {
    for (int32_t k = 1; k >= 0; k--) {
      if (!open[k] || memplan_limits_reached(&work->limits) != MEMPLAN_STOP_DONE) {
        continue;
      }
      int64_t before = memplan_joint_orders_state(work->orders[k]).ticks;
      MEMPLAN_TRY(memplan_joint_orders_run(work->orders[k], slice < work->left ? slice : work->left, error));
      memplan_joint_orders_look now = memplan_joint_orders_state(work->orders[k]);
      work->left -= now.ticks - before + 1;
      if (now.outcome == MEMPLAN_JOINT_ORDERS_EXHAUSTED) {
        work->closed = k;
        return MEMPLAN_OK;
      }
      open[k] = now.outcome == MEMPLAN_JOINT_ORDERS_RUNNING && memplan_joint_log_text(work->logs[k]) <= work->most;
    }
    slice *= 2;
    if (memplan_limits_reached(&work->limits) != MEMPLAN_STOP_DONE) {
      return MEMPLAN_OK;
    }
  }
  return MEMPLAN_OK;
}

// ---- nogoods

static memplan_joint_question question_of(const writer *work, const memplan_joint_nogood *nogood) {
  return (memplan_joint_question){.whole = &work->whole,
                                  .items = nogood->items,
                                  .n_items = nogood->n_items,
                                  .overlaps = nogood->overlaps,
                                  .n_overlaps = nogood->n_overlaps,
                                  .links = nogood->links,
                                  .n_links = nogood->n_links};
}

// *found: what is written proves that the nogood's items cannot be placed below the claim.
static memplan_status write_proof(writer *work, const memplan_joint_nogood *nogood, bool *found, memplan_error *error) {
  memplan_joint_question question = question_of(work, nogood);
  memplan_error contradiction = {.message = ""};
  memplan_instance instance;
  memplan_text_sink sink;
  memplan_instance_init(&instance);
  *found = false;
  memplan_status status = memplan_joint_refute_instance(&question, &instance, &contradiction);
  if (status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED) {
    fputs("null", work->out);
    *found = instance.contradiction;
    memplan_instance_free(&instance);
    return MEMPLAN_OK;
  }
  memplan_limits limits = memplan_limits_part(&work->limits, certify_parts);
  int64_t most = limits.memory < most_proof ? limits.memory : most_proof;
  FILE *into = status == MEMPLAN_OK ? memplan_text_sink_open(&sink, most) : NULL;
  if (into == NULL) {
    memplan_instance_free(&instance);
    return memplan_fail_nomem(error);
  }
  limits.work = work->left;
  status = memplan_place_certify(&instance, work->claim, "", NULL, &limits, into, found, error);
  bool written = fclose(into) == 0;
  if (status == MEMPLAN_OK && *found && written) {
    memplan_text_sink_lines(sink.text, sink.length, work->out);
  } else if (status == MEMPLAN_OK && *found && !sink.too_large) {
    status = memplan_fail_nomem(error);
  }
  *found = *found && written;
  free(sink.text);
  memplan_instance_free(&instance);
  return status;
}

static void write_overlaps(const writer *work, const memplan_joint_nogood *nogood) {
  FILE *out = work->out;
  fputs("],\"overlaps\":[", out);
  for (int32_t k = 0; k < nogood->n_open; k++) {
    fprintf(out, k == 0 ? "%" PRId32 ",%" PRId32 : ",%" PRId32 ",%" PRId32, nogood->overlaps[k].first,
            nogood->overlaps[k].second);
  }
  fputs("],\"always\":[", out);
  for (int32_t k = nogood->n_open; k < nogood->n_overlaps; k++) {
    int32_t at = -1;
    (void)memplan_joint_overlap_always(&work->whole, nogood->overlaps[k].first, nogood->overlaps[k].second, &at);
    fprintf(out, k == nogood->n_open ? "%" PRId32 ",%" PRId32 ",%" PRId32 : ",%" PRId32 ",%" PRId32 ",%" PRId32,
            nogood->overlaps[k].first, nogood->overlaps[k].second, at);
  }
  fputs("],\"links\":[", out);
  for (int32_t k = 0; k < nogood->n_links; k++) {
    fprintf(out, k == 0 ? "%" PRId32 : ",%" PRId32, nogood->links[k]);
  }
}

static memplan_status write_nogood(writer *work, const memplan_joint_nogood *nogood, bool *found,
                                   memplan_error *error) {
  fputs("{\"items\":[", work->out);
  for (int32_t k = 0; k < nogood->n_items; k++) {
    fprintf(work->out, k == 0 ? "%" PRId32 : ",%" PRId32, nogood->items[k]);
  }
  write_overlaps(work, nogood);
  fputs("],\"proof\":", work->out);
  MEMPLAN_TRY(write_proof(work, nogood, found, error));
  fputs("}\n", work->out);
  return MEMPLAN_OK;
}

static bool write_head(const writer *work) {
  fputs("{\"format\":\"memplan-certificate\",\"version\":1", work->out);
  bool good = memplan_joint_lists_member(json_string(work->problem->fingerprint), "fingerprint", work->out) &&
              memplan_joint_lists_member(memplan_problem_reading_json(work->problem), "problem", work->out);
  fprintf(work->out, ",\"kind\":\"nogoods\",\"claim\":%" PRId64, work->claim);
  good = good && memplan_joint_lists_write(&work->whole, NULL, work->out) &&
         memplan_joint_lists_scope(work->scope, work->out);
  fputs("}\n", work->out);
  return good;
}

// ---- the whole

static bool is_taken(const writer *work) {
  const memplan_ordering *ordering = &work->ordering;
  return work->claim > 0 && ordering->n_ops > 0 && ordering->n_ops <= MEMPLAN_JOINT_OUTLINED &&
         ordering->graph->n_pools <= 1 && !ordering->one_order;
}

static memplan_status write_all(writer *work, bool *found, memplan_error *error) {
  bool refuted = false;
  *found = false;
  MEMPLAN_TRY(memplan_ordering_init(&work->ordering, &work->problem->graph, &work->problem->options,
                                    work->scope->workspace, error));
  if (!is_taken(work)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_joint_graph_outline(&work->whole, &work->ordering, &work->arena, error));
  MEMPLAN_TRY(refute(work, &refuted, error));
  if (!refuted) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(find_nogoods(work, error));
  bool fixed = work->n_nogoods == 1 && memplan_joint_nogood_is_static(work->nogoods[0]);
  if (!fixed) {
    MEMPLAN_TRY(close_log(work, error));
    if (work->closed < 0) {
      return MEMPLAN_OK;
    }
  }
  if (!write_head(work)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < work->n_nogoods; k++) {
    MEMPLAN_TRY(write_nogood(work, work->nogoods[k], found, error));
    if (!*found) {
      return MEMPLAN_OK;
    }
  }
  if (!fixed) {
    fprintf(work->out, "{\"search\":\"%s\"}\n", work->closed == 1 ? "reversed" : "forward");
    memplan_joint_log_write(work->logs[work->closed], work->out);
  }
  *found = true;
  return MEMPLAN_OK;
}

static void free_writer(writer *work) {
  for (int32_t k = 0; k < 2; k++) {
    memplan_joint_orders_free(work->orders[k]);
    memplan_joint_log_free(work->logs[k]);
  }
  memplan_joint_exhaust_free(work->exhaust);
  memplan_ordering_free(&work->ordering);
  memplan_arena_free(&work->arena);
}

memplan_status memplan_nogood_certify(const memplan_problem *problem, int64_t claim, const memplan_limits *limits,
                                      int64_t most, memplan_certificate *certificate, memplan_error *error) {
  return memplan_nogood_certify_within(problem, NULL, claim, limits, most, certificate, error);
}

memplan_status memplan_nogood_certify_within(const memplan_problem *problem, const memplan_proof_scope *scope,
                                             int64_t claim, const memplan_limits *limits, int64_t most,
                                             memplan_certificate *certificate, memplan_error *error) {
  static const memplan_proof_scope all;
  *certificate = (memplan_certificate){.kind = "none"};
  memplan_limits usual = memplan_limits_default();
  writer work = {.problem = problem, .scope = scope != NULL ? scope : &all, .claim = claim, .most = most, .closed = -1};
  work.limits = memplan_limits_start(limits != NULL ? limits : &usual);
  work.left = memplan_limits_work(&work.limits);
  memplan_text_sink sink;
  work.out = memplan_text_sink_open(&sink, most);
  if (work.out == NULL) {
    return memplan_fail_nomem(error);
  }
  bool found = false;
  memplan_status status = write_all(&work, &found, error);
  bool written = ferror(work.out) == 0;
  written = fclose(work.out) == 0 && written;
  free_writer(&work);
  if (sink.too_large) {
    status = MEMPLAN_OK;
  } else if (status == MEMPLAN_OK && !written) {
    status = memplan_fail_nomem(error);
  }
  if (status == MEMPLAN_OK && written && found) {
    *certificate = (memplan_certificate){
        .text = sink.text, .length = sink.length, .kind = "nogoods", .claim = claim, .every_order = true};
    return MEMPLAN_OK;
  }
  free(sink.text);
  certificate->missing = sink.too_large ? memplan_certificate_too_large : NULL;
  return status;
}
