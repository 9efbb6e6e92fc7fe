// SPDX-License-Identifier: Apache-2.0
#include "eval/summary_keys.h"

#include "eval/fragmentation.h"
#include "eval/numbers.h"
#include "eval/plan_map.h"
#include "heuristics/portfolio.h"

enum { many_buffers = 65536 }; // their free space takes a tenth of a second to measure

static const struct {
  const char *name, *text;
} keys[MEMPLAN_KEY_COUNT] = {
    [MEMPLAN_KEY_TOOL] = {"tool", "memplan"},
    [MEMPLAN_KEY_VERSION] = {"version", "of memplan"},
    [MEMPLAN_KEY_INPUT] = {"input", "object: path, format, fingerprint of the problem, ops and tensors (null for "
                                    "lifetimes), buffers to be placed"},
    [MEMPLAN_KEY_STATUS] = {"status", "optimal, feasible, infeasible or unknown"},
    [MEMPLAN_KEY_PEAK] =
        {"peak", "bytes of the arena, with several pools the largest of their peaks; null without a plan, as all "
                 "that follows from it"},
    [MEMPLAN_KEY_LOWER_BOUND] =
        {"lower_bound", "bytes that no plan can go below; with several pools of the largest of their peaks, which "
                        "an optimal plan need not meet"},
    [MEMPLAN_KEY_GAP] = {"gap", "(peak - lower_bound) / peak"},
    [MEMPLAN_KEY_ORDER_PEAK] = {"order_peak",
                                "largest load of the plan's order; of lifetimes the load; with several pools of all of "
                                "them together"},
    [MEMPLAN_KEY_ORDER_LOWER_BOUND] = {"order_lower_bound", "bytes that no order's largest load can go below"},
    [MEMPLAN_KEY_ORDER_STATUS] = {"order_status", "as status, of the order peak alone"},
    [MEMPLAN_KEY_NAIVE_BYTES] = {"naive_bytes", "sum of all buffers: memory without any reuse"},
    [MEMPLAN_KEY_REUSE_RATIO] = {"reuse_ratio",
                                 "1 - peak / naive_bytes; with several pools the peak is that of one of them"},
    [MEMPLAN_KEY_METHOD] = {"method", "ORDER+PLACEMENT methods that gave the plan"},
    [MEMPLAN_KEY_SEED] = {"seed", "--seed"},
    [MEMPLAN_KEY_THREADS] = {"threads", "threads used"},
    [MEMPLAN_KEY_STOP_REASON] = {"stop_reason", "done, time, work, memory or interrupted"},
    [MEMPLAN_KEY_TIME_S] = {"time_s", "seconds from opening the file to the verified plan; in bench of the solve "
                                      "alone"},
    [MEMPLAN_KEY_STAGES_S] = {"stages_s",
                              "object: seconds of the stages of the search (of time_s; those that run side by side "
                              "share it by their work), bounds, orders, placement, engine (order and placement of the "
                              "whole model together), windows (of parts of it), nogoods (orders cut off by what cannot "
                              "be placed), program (integer program); and certificate, after time_s, null without one"},
    [MEMPLAN_KEY_NODES] = {"nodes", "of all searches"},
    [MEMPLAN_KEY_CERTIFICATE] = {"certificate",
                                 "object: kind of the bound's proof, problem (joint or placement), "
                                 "bytes, and step or op that witness it; with --certificate what the file holds "
                                 "(problem may then be order: its "
                                 "placements alone), with a reason if more was not written, or kind none and a reason"},
    [MEMPLAN_KEY_CAPACITY] = {"capacity", "--capacity in bytes, or null"},
    [MEMPLAN_KEY_FITS] = {"fits", "whether there is a plan, and within the capacity if there is one"},
    [MEMPLAN_KEY_WEIGHT_BYTES] = {"weight_bytes", "of the weights, wherever they lie"},
    [MEMPLAN_KEY_EXTERNAL_BYTES] = {"external_bytes", "of inputs and outputs that lie outside the arena"},
    [MEMPLAN_KEY_FRAGMENTATION] = {"fragmentation", "peak - order_peak; null with several pools, or without lifetimes"},
    [MEMPLAN_KEY_FREE_SPACE] = {"free_space_fragmentation", "F = 1 - largest free block / all free bytes, at its worst "
                                                            "step; null if the run was interrupted and there are more "
                                                            "than 65,536 buffers"},
    [MEMPLAN_KEY_DEVICE_MEMORY] = {"device_memory", "--device-memory in bytes, or null"},
    [MEMPLAN_KEY_DEVICE_SHARE] = {"device_share", "peak / device_memory"},
    [MEMPLAN_KEY_REUSE_COST] = {"reuse_cost", "sum of the file's reuse penalties that the plan incurs; null "
                                              "where the problem has none"},
    [MEMPLAN_KEY_FLOATING_BOUND] =
        {"floating_bound", "of methods ilp-…: bytes that what the method minimises (arena, placement on the plan's "
                           "order, or order peak) cannot go below, by a solver that counts in floating point; no "
                           "proof; null for others"},
    [MEMPLAN_KEY_INSTANCE] = {"instance", "path of the file"},
    [MEMPLAN_KEY_ORDER] = {"order", "order method that was run; null for lifetimes"},
    [MEMPLAN_KEY_PLACE] = {"place", "placement method that was run"},
    [MEMPLAN_KEY_OPTIONS] = {"options", "object: the options that make the problem of the file, as in plans; null if "
                                        "it could not be read"},
    [MEMPLAN_KEY_LIMITS] =
        {"limits", "object: time_ms, work, threads, seed, capacity, gap_millionths, score_weights, minimize as "
                   "they were asked for, own_objective if --minimize peak was; memory if it was given; with --order "
                   "FILE order_file, its path, and "
                   "order_digest, the SHA-256 of its text; and without, a list, if techniques were switched off"},
    [MEMPLAN_KEY_ERROR] = {"error", "message; solve prints it for files that failed, bench always (null: none)"},
};

const char *memplan_summary_key_name(memplan_summary_key key) { return keys[key].name; }

const char *memplan_summary_key_of(memplan_summary_key key) {
  return key < MEMPLAN_KEY_INSTANCE || key == MEMPLAN_KEY_ERROR ? "solve, bench" : "bench";
}

const char *memplan_summary_key_text(memplan_summary_key key) { return keys[key].text; }

static void put_input(const memplan_summary *summary, const char *key, memplan_writer *writer) {
  const memplan_problem *problem = summary->problem;
  bool graph = problem != NULL && problem->has_graph;
  memplan_writer_open(writer, key, '{');
  memplan_writer_put_text(writer, "path", summary->path);
  memplan_writer_put_text(writer, "format", problem == NULL ? NULL : problem->format);
  memplan_writer_put_text(writer, "fingerprint", problem == NULL ? NULL : problem->fingerprint);
  if (graph) {
    memplan_writer_put_integer(writer, "ops", problem->graph.n_ops);
    memplan_writer_put_integer(writer, "tensors", problem->graph.n_tensors);
  } else {
    memplan_writer_put_number(writer, "ops", NULL);
    memplan_writer_put_number(writer, "tensors", NULL);
  }
  if (problem != NULL && problem->has_instance) {
    memplan_writer_put_integer(writer, "buffers", problem->instance.n_buffers);
  } else if (summary->solution != NULL && summary->solution->has_instance) {
    memplan_writer_put_integer(writer, "buffers", summary->solution->instance.n_buffers);
  } else {
    memplan_writer_put_number(writer, "buffers", NULL);
  }
  memplan_writer_close(writer, '}');
}

// What the file written holds.
static void put_written(const memplan_summary *summary, memplan_writer *writer) {
  const memplan_certificate *written = &summary->certificate;
  const memplan_bound *bound = &summary->solution->plan.bound;
  const char *scope = written->every_order ? "joint" : summary->problem->has_graph ? "order" : "placement";
  memplan_writer_put_text(writer, "kind", written->kind);
  memplan_writer_put_text(writer, "problem", scope);
  memplan_writer_put_integer(writer, "bytes", written->claim);
  if (written->missing != NULL) {
    memplan_writer_put_text(writer, "reason", written->missing);
  }
  bool same = written->claim == bound->bytes && (written->every_order == bound->joint || !summary->problem->has_graph);
  if (same && bound->step >= 0) {
    memplan_writer_put_integer(writer, "step", bound->step);
  }
  if (same && bound->op != NULL) {
    memplan_writer_put_text(writer, "op", bound->op);
  }
}

static void put_bound(const memplan_summary *summary, memplan_writer *writer) {
  const memplan_bound *bound = &summary->solution->plan.bound;
  memplan_writer_put_text(writer, "kind", summary->certified ? "none" : memplan_bound_kind_name(bound->kind));
  if (summary->certified) {
    memplan_writer_put_text(writer, "reason", summary->certificate.missing);
  }
  if (bound->kind != MEMPLAN_BOUND_NONE) {
    memplan_writer_put_text(writer, "problem", bound->joint ? "joint" : "placement");
    memplan_writer_put_integer(writer, "bytes", bound->bytes);
    if (bound->step >= 0) {
      memplan_writer_put_integer(writer, "step", bound->step);
    }
    if (bound->op != NULL) {
      memplan_writer_put_text(writer, "op", bound->op);
    }
  }
}

// What proves the lower bound, and for which problem it holds; once a certificate is written, what that proves.
static void put_certificate(const memplan_summary *summary, const char *key, memplan_writer *writer) {
  if (summary->solution == NULL) {
    memplan_writer_put_number(writer, key, NULL);
    return;
  }
  memplan_writer_open(writer, key, '{');
  if (summary->certified && summary->certificate.text != NULL) {
    put_written(summary, writer);
  } else {
    put_bound(summary, writer);
  }
  memplan_writer_close(writer, '}');
}

static void put_seconds(memplan_writer *writer, const char *key, int64_t us) {
  char text[MEMPLAN_NUMBER_SIZE];
  memplan_writer_put_number(writer, key, memplan_ratio_text((memplan_ratio){us, 1000000}, 1, 6, text));
}

static void put_stages(const memplan_summary *summary, const char *key, memplan_writer *writer) {
  if (summary->solution == NULL) {
    memplan_writer_put_number(writer, key, NULL);
    return;
  }
  memplan_writer_open(writer, key, '{');
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    put_seconds(writer, memplan_stage_name((memplan_stage)stage), summary->solution->stage_us[stage]);
  }
  if (summary->certified) {
    put_seconds(writer, "certificate", summary->certificate_us);
  } else {
    memplan_writer_put_number(writer, "certificate", NULL);
  }
  memplan_writer_close(writer, '}');
}

static void put_ratio(memplan_writer *writer, const char *key, bool known, memplan_ratio ratio) {
  char text[MEMPLAN_NUMBER_SIZE];
  memplan_writer_put_number(writer, key, known ? memplan_ratio_text(ratio, 1, 6, text) : NULL);
}

static void put_integer(memplan_writer *writer, const char *key, bool known, int64_t value) {
  if (known) {
    memplan_writer_put_integer(writer, key, value);
  } else {
    memplan_writer_put_number(writer, key, NULL);
  }
}

bool memplan_summary_is_short(const memplan_summary *summary) {
  return summary->solution->stop == MEMPLAN_STOP_INTERRUPTED && summary->solution->plan.n_placed > many_buffers;
}

memplan_status memplan_summary_measure(memplan_summary *summary, memplan_error *error) {
  summary->has_free_space = false;
  if (summary->solution == NULL || !summary->solution->has_plan || memplan_summary_is_short(summary) ||
      memplan_instance_is_timeless(memplan_solution_instance(summary->problem, summary->solution))) {
    return MEMPLAN_OK;
  }
  memplan_plan_map map;
  memplan_fragmentation worst;
  memplan_status status = memplan_plan_map_init(&map, summary->problem, summary->solution, error);
  if (status == MEMPLAN_OK) {
    status = memplan_fragmentation_find(&map, &worst, error);
  }
  if (status == MEMPLAN_OK) {
    summary->has_free_space = true;
    summary->free_space = worst.value;
  }
  memplan_plan_map_free(&map);
  return status;
}

// The keys that only a plan has a value for.
static void put_planned(const memplan_summary *summary, memplan_summary_key key, memplan_writer *writer) {
  static const memplan_solution nothing;
  const memplan_solution *solution = summary->solution == NULL ? &nothing : summary->solution;
  const memplan_plan *plan = &solution->plan;
  const char *name = keys[key].name;
  bool planned = solution->has_plan;
  int64_t device = summary->settings->device_memory;
  char text[128];
  switch (key) {
  case MEMPLAN_KEY_PEAK:
    put_integer(writer, name, planned, plan->peak);
    break;
  case MEMPLAN_KEY_GAP:
    put_ratio(writer, name, planned, memplan_gap_ratio(plan->peak, plan->lower_bound));
    break;
  case MEMPLAN_KEY_ORDER_PEAK:
    put_integer(writer, name, planned, solution->order_peak);
    break;
  case MEMPLAN_KEY_REUSE_RATIO:
    put_ratio(writer, name, planned, memplan_reuse_ratio(plan->peak, solution->naive_bytes));
    break;
  case MEMPLAN_KEY_METHOD:
    memplan_writer_put_text(writer, name, planned ? memplan_summary_method(summary, text, sizeof text) : NULL);
    break;
  case MEMPLAN_KEY_FRAGMENTATION:
    planned = planned && memplan_solution_instance(summary->problem, solution)->n_pools == 1 &&
              !memplan_instance_is_timeless(memplan_solution_instance(summary->problem, solution));
    put_integer(writer, name, planned, plan->peak - solution->order_peak);
    break;
  case MEMPLAN_KEY_REUSE_COST:
    planned = planned && memplan_summary_has_reuse(summary);
    put_integer(writer, name, planned, planned ? memplan_summary_reuse_cost(summary) : 0);
    break;
  case MEMPLAN_KEY_FREE_SPACE:
    put_ratio(writer, name, summary->has_free_space, summary->free_space);
    break;
  default:
    put_ratio(writer, name, planned && device > 0, (memplan_ratio){plan->peak, device});
    break;
  }
}

static void put_key(const memplan_summary *summary, memplan_summary_key key, memplan_writer *writer) {
  static const memplan_solution nothing;
  const memplan_solution *solution = summary->solution == NULL ? &nothing : summary->solution;
  const memplan_settings *settings = summary->settings;
  const char *name = keys[key].name;
  bool solved = summary->solution != NULL;
  switch (key) {
  case MEMPLAN_KEY_TOOL:
    memplan_writer_put_text(writer, name, "memplan");
    break;
  case MEMPLAN_KEY_VERSION:
    memplan_writer_put_text(writer, name, memplan_version());
    break;
  case MEMPLAN_KEY_INPUT:
    put_input(summary, name, writer);
    break;
  case MEMPLAN_KEY_STATUS:
    memplan_writer_put_text(writer, name, memplan_outcome_name(solution->outcome));
    break;
  case MEMPLAN_KEY_LOWER_BOUND:
    put_integer(writer, name, solved, solution->plan.lower_bound);
    break;
  case MEMPLAN_KEY_ORDER_LOWER_BOUND:
    put_integer(writer, name, solved, solution->order_lower_bound);
    break;
  case MEMPLAN_KEY_ORDER_STATUS:
    memplan_writer_put_text(writer, name, solved ? memplan_outcome_name(solution->order_outcome) : NULL);
    break;
  case MEMPLAN_KEY_NAIVE_BYTES:
    put_integer(writer, name, solved, solution->naive_bytes);
    break;
  case MEMPLAN_KEY_SEED:
    memplan_writer_put_integer(writer, name, (int64_t)settings->solve.limits.seed);
    break;
  case MEMPLAN_KEY_THREADS:
    memplan_writer_put_integer(writer, name, memplan_portfolio_threads(&settings->solve.limits));
    break;
  case MEMPLAN_KEY_STOP_REASON:
    memplan_writer_put_text(writer, name, solved ? memplan_stop_name(solution->stop) : NULL);
    break;
  case MEMPLAN_KEY_TIME_S:
    put_seconds(writer, name, summary->time_us);
    break;
  case MEMPLAN_KEY_STAGES_S:
    put_stages(summary, name, writer);
    break;
  case MEMPLAN_KEY_NODES:
    put_integer(writer, name, solved, solution->nodes);
    break;
  case MEMPLAN_KEY_CERTIFICATE:
    put_certificate(summary, name, writer);
    break;
  case MEMPLAN_KEY_CAPACITY:
    put_integer(writer, name, settings->problem.capacity >= 0, settings->problem.capacity);
    break;
  case MEMPLAN_KEY_FITS:
    if (solved) {
      memplan_writer_put_boolean(writer, name, memplan_summary_fits(summary));
    } else {
      memplan_writer_put_number(writer, name, NULL);
    }
    break;
  case MEMPLAN_KEY_WEIGHT_BYTES:
    put_integer(writer, name, solved, solution->weight_bytes);
    break;
  case MEMPLAN_KEY_EXTERNAL_BYTES:
    put_integer(writer, name, solved, solution->external_bytes);
    break;
  case MEMPLAN_KEY_DEVICE_MEMORY:
    put_integer(writer, name, settings->device_memory > 0, settings->device_memory);
    break;
  case MEMPLAN_KEY_FLOATING_BOUND:
    put_integer(writer, name, solution->floating_bound > 0, solution->floating_bound);
    break;
  default:
    put_planned(summary, key, writer);
    break;
  }
}

void memplan_summary_write_keys(const memplan_summary *summary, memplan_writer *writer) {
  for (int32_t key = 0; key < MEMPLAN_KEY_INSTANCE; key++) {
    put_key(summary, (memplan_summary_key)key, writer);
  }
}
