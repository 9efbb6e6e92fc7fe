// SPDX-License-Identifier: Apache-2.0
// The report on one file, for people.
#include "eval/fragmentation.h"
#include "eval/numbers.h"
#include "eval/plan_map.h"
#include "eval/summary.h"
#include "eval/witness.h"
#include "model/base/number.h"
#include "model/base/quote.h"
#include "solvers/objective.h"

#include <inttypes.h>
#include <string.h>

enum { LARGEST_SHOWN = 5 };

static void write_bytes(FILE *out, const char *title, int64_t bytes, const char *remark) {
  char grouped[MEMPLAN_NUMBER_SIZE], human[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "  %-15s %s bytes", title, memplan_grouped_text(bytes, grouped));
  if (bytes >= 1024) {
    fprintf(out, " (%s)", memplan_bytes_text(bytes, human));
  }
  fprintf(out, "%s%s\n", remark[0] == '\0' ? "" : ", ", remark);
}

static void write_head(const memplan_summary *summary, FILE *out) {
  const memplan_problem *problem = summary->problem;
  const memplan_solution *solution = summary->solution;
  fprintf(out, "%s (%s): ", memplan_quote_path(summary->path).text, problem->format);
  if (problem->has_graph) {
    fprintf(out, "%" PRId32 " operators, %" PRId32 " tensors", problem->graph.n_ops, problem->graph.n_tensors);
    if (solution->has_instance) {
      fprintf(out, ", %" PRId32 " buffers in the arena", solution->instance.n_buffers);
    }
  } else {
    fprintf(out, "%" PRId32 " buffer%s", problem->instance.n_buffers, problem->instance.n_buffers == 1 ? "" : "s");
  }
  fputs("\n\n", out);
}

// Is the reuse cost what is made small?
static bool asks_low_reuse(const memplan_summary *summary) {
  return summary->problem->has_instance &&
         memplan_objective_is_reuse(&summary->settings->solve, &summary->problem->instance);
}

static const char *outcome_remark(const memplan_summary *summary) {
  const memplan_solution *solution = summary->solution;
  if (solution->outcome == MEMPLAN_INFEASIBLE) {
    return "no plan can fit";
  }
  if (!solution->has_plan) {
    return solution->unplaced != NULL ? "no place was found for every buffer, nothing proven"
                                      : "no plan found, nothing proven";
  }
  if (!memplan_summary_fits(summary)) {
    return "the plan below does not fit the capacity";
  }
  bool by_cost = asks_low_reuse(summary) && memplan_summary_has_reuse(summary);
  if (by_cost && memplan_summary_reuse_cost(summary) == 0) {
    return solution->plan.peak > solution->plan.lower_bound
               ? "no plan has a lower reuse cost, as the file asks; a smaller one may exist"
               : "no plan has a lower reuse cost, as the file asks, and none can be smaller";
  }
  bool pools = memplan_solution_instance(summary->problem, solution)->n_pools > 1;
  if (solution->outcome != MEMPLAN_OPTIMAL) {
    return by_cost ? "a plan with a lower reuse cost, as the file asks, may exist"
           : pools ? "a better plan, in the order of --minimize, may exist"
                   : "a smaller plan may exist";
  }
  if (pools) {
    return solution->of_order ? "no plan on the given order has smaller pools, in the order of --minimize"
                              : "no plan has smaller pools, in the order of --minimize";
  }
  return summary->problem->has_graph && !solution->plan.bound.joint ? "no plan on the given order can be smaller"
                                                                    : "no plan can be smaller";
}

static void write_reason(const memplan_solution *solution, FILE *out) {
  fprintf(out, "  %-15s ", "because");
  memplan_text_write(out, solution->infeasible);
  fputc('\n', out);
}

static memplan_status write_capacity(const memplan_summary *summary, FILE *out, memplan_error *error) {
  const memplan_problem *problem = summary->problem;
  const memplan_solution *solution = summary->solution;
  int64_t capacity = problem->options.capacity;
  if (capacity < 0) {
    if (solution->infeasible != NULL) {
      write_reason(solution, out);
    } else if (solution->unplaced != NULL) {
      fprintf(out, "  %-15s '%s' fits into none of its pools beside what is there\n", "unplaced",
              memplan_quote(solution->unplaced).text);
    } else if (solution->refused != NULL) {
      fprintf(out, "  %-15s on the orders tried; on one of them ", "refused");
      memplan_text_write(out, solution->refused);
      fputc('\n', out);
    }
    return MEMPLAN_OK;
  }
  char grouped[MEMPLAN_NUMBER_SIZE], text[512];
  const memplan_bound *bound = &solution->plan.bound;
  if (memplan_summary_fits(summary)) {
    snprintf(text, sizeof text, "fits, %s bytes to spare",
             memplan_grouped_text(capacity - solution->plan.peak, grouped));
    write_bytes(out, "capacity", capacity, text);
    return MEMPLAN_OK;
  }
  if (solution->outcome != MEMPLAN_INFEASIBLE || bound->bytes <= capacity) {
    bool refuted = solution->outcome == MEMPLAN_INFEASIBLE && solution->infeasible != NULL;
    write_bytes(out, "capacity", capacity, refuted ? "no plan fits" : "no plan that fits was found");
    if (refuted) {
      write_reason(solution, out);
    }
    return MEMPLAN_OK;
  }
  snprintf(text, sizeof text, "needs %s, %" PRId64 " byte%s short", memplan_grouped_text(bound->bytes, grouped),
           bound->bytes - capacity, bound->bytes - capacity == 1 ? "" : "s");
  write_bytes(out, "capacity", capacity, text);
  memplan_witness witness = {0};
  memplan_bounds bounds = {.n_bounds = 0};
  memplan_status status = MEMPLAN_OK;
  if (bound->kind == MEMPLAN_BOUND_CUT) { // a plan does not keep what has run before
    status = memplan_find_bounds(problem, NULL, &bounds, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_witness_of_bound(problem, &bounds, bound, &witness, error);
  }
  memplan_bounds_free(&bounds);
  if (status == MEMPLAN_OK && witness.n_items > 0) {
    char reason[160];
    fprintf(out, "  %-15s %s: %s\n", "because", memplan_bound_text(bound, problem->has_graph, reason, sizeof reason),
            memplan_witness_text(&witness, LARGEST_SHOWN, text, sizeof text));
  }
  memplan_witness_free(&witness);
  return status;
}

// The load that the placement is measured against; with several pools there is none.
static void write_load(const memplan_summary *summary, FILE *out) {
  const memplan_solution *solution = summary->solution;
  char text[160], number[MEMPLAN_NUMBER_SIZE];
  if (summary->problem->has_graph) {
    // Of a fixed order others were not looked at: what is known of them then is less than bound would tell.
    if (summary->settings->solve.fixed_order) {
      snprintf(text, sizeof text, "largest load of this order");
    } else {
      snprintf(text, sizeof text, "largest load of this order; %s at least in every order",
               memplan_grouped_text(solution->order_lower_bound, number));
    }
    write_bytes(out, "order peak", solution->order_peak, text);
  } else {
    write_bytes(out, "load", solution->order_peak, "largest sum of the buffers live at one time");
  }
  write_bytes(out, "fragmentation", solution->plan.peak - solution->order_peak, "peak less that load");
}

// What the plan pays for the memory that its buffers share, of all that the file could charge.
static void write_reuse(const memplan_summary *summary, FILE *out) {
  const memplan_instance *instance = &summary->problem->instance;
  char number[MEMPLAN_NUMBER_SIZE], all[MEMPLAN_NUMBER_SIZE];
  int64_t most = 0;
  for (int32_t k = 0; k < instance->n_reuse; k++) {
    most = memplan_add_saturated(most, instance->reuse[k].cost);
  }
  fprintf(out, "  %-15s %s of %s%s\n", "reuse cost", memplan_grouped_text(memplan_summary_reuse_cost(summary), number),
          memplan_grouped_text(most, all),
          asks_low_reuse(summary)      ? ", lowered within the capacity, as the file asks"
          : instance->prefer_low_reuse ? ", lowered within the peaks that --minimize asks for"
                                       : "");
}

// Conflicts instead of lifetimes: then nothing is live at any time.
static bool is_timeless(const memplan_summary *summary) {
  const memplan_instance *instance = memplan_solution_instance(summary->problem, summary->solution);
  return instance != NULL && memplan_instance_is_timeless(instance);
}

static void write_sizes(const memplan_summary *summary, FILE *out) {
  const memplan_solution *solution = summary->solution;
  const memplan_plan *plan = &solution->plan;
  char text[160], number[MEMPLAN_NUMBER_SIZE], other[MEMPLAN_NUMBER_SIZE];
  if (solution->has_plan) {
    write_bytes(out, "peak", plan->peak, "");
  }
  write_bytes(out, "lower bound", plan->lower_bound,
              memplan_bound_text(&plan->bound, summary->problem->has_graph, text, sizeof text));
  if (solution->floating_bound > 0) {
    write_bytes(out, "ILP bound", solution->floating_bound, "claimed in floating point, which proves nothing");
  }
  if (!solution->has_plan) {
    return;
  }
  if (memplan_solution_instance(summary->problem, solution)->n_pools == 1) {
    fprintf(out, "  %-15s %s\n", "gap", memplan_percent_text(memplan_gap_ratio(plan->peak, plan->lower_bound), number));
    if (!is_timeless(summary)) {
      write_load(summary, out);
    }
  }
  write_bytes(out, "naive size", solution->naive_bytes,
              solution->naive_saturated ? "or more: the sum does not fit into 63 bits" : "without any reuse");
  fprintf(out, "  %-15s %s\n", "reuse ratio",
          memplan_ratio_text(memplan_reuse_ratio(plan->peak, solution->naive_bytes), 1, 2, number));
  if (memplan_summary_has_reuse(summary)) {
    write_reuse(summary, out);
  }
  if (summary->settings->device_memory > 0) {
    fprintf(out, "  %-15s %s of %s\n", "device memory",
            memplan_percent_text((memplan_ratio){plan->peak, summary->settings->device_memory}, number),
            memplan_bytes_text(summary->settings->device_memory, other));
  }
}

static void write_rules(const memplan_summary *summary, FILE *out) {
  const memplan_problem *problem = summary->problem;
  const memplan_problem_options *options = &problem->options;
  static const char *const io[] = {"in the arena while needed", "outside the arena", "in the arena throughout"};
  if (problem->has_graph) {
    fprintf(out, "  %-15s %s\n", "inputs, outputs", io[options->io]);
    if (options->io == MEMPLAN_IO_EXTERNAL) {
      write_bytes(out, "", summary->solution->external_bytes, "not in the peak");
    }
    if (summary->solution->weight_bytes > 0) {
      write_bytes(out, "weights", summary->solution->weight_bytes,
                  options->weights == MEMPLAN_WEIGHTS_EXTERNAL ? "outside the arena" : "in the arena throughout");
    }
    fprintf(out, "  %-15s %" PRId32 " taken of %" PRId32 " possible\n", "in-place", summary->solution->plan.n_inplace,
            options->inplace == MEMPLAN_INPLACE_SAFE ? problem->graph.n_pairs : 0);
  }
  fprintf(out, "  %-15s %s\n", "lifetimes",
          is_timeless(summary) ? "none: pairs that conflict are all that keeps buffers apart"
          : options->lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE ? "given inclusive in the file; below half-open"
                                                              : "half-open: [first step, step after the last)");
}

// Where the arena itself may start, so that offsets are aligned as planned.
static void write_alignment(const memplan_instance *instance, FILE *out) {
  int64_t align = 1;
  char number[MEMPLAN_NUMBER_SIZE], rest[MEMPLAN_NUMBER_SIZE];
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    int64_t joined;
    if (instance->buffers[index].bytes > 0 && memplan_lcm(align, instance->buffers[index].align, &joined)) {
      align = joined;
    }
  }
  for (int32_t pool = 0; pool < instance->n_pools && align > 1; pool++) {
    int64_t beyond = instance->pools[pool].base % align;
    fprintf(out, "  %-15s the arena starts %s%sa multiple of %s bytes%s%s\n", pool == 0 ? "base" : "",
            beyond > 0 ? memplan_grouped_text(beyond, rest) : "at ", beyond > 0 ? " past " : "",
            memplan_grouped_text(align, number), instance->default_pool ? "" : " in pool ",
            instance->default_pool ? "" : memplan_quote(instance->pools[pool].id).text);
  }
}

static void write_certificate(const memplan_summary *summary, FILE *out) {
  const memplan_certificate *certificate = &summary->certificate;
  char claim[MEMPLAN_NUMBER_SIZE], size[MEMPLAN_NUMBER_SIZE];
  if (!summary->certified) {
    return;
  }
  if (certificate->text == NULL) {
    fprintf(out, "  %-15s none: %s\n", "certificate", certificate->missing);
    return;
  }
  const char *what = certificate->every_order      ? "plan"
                     : summary->problem->has_graph ? "placement on this order with its in-place pairs"
                                                   : "placement";
  fprintf(out, "  %-15s %s, %s bytes: no %s ", "certificate", certificate->kind,
          memplan_grouped_text((int64_t)certificate->length, size), what);
  if (strcmp(certificate->kind, "pools") == 0 && certificate->missing == NULL) {
    fputs("has a smaller peak in any pool\n", out);
  } else {
    fprintf(out, "is below %s bytes\n", memplan_grouped_text(certificate->claim, claim));
  }
  if (certificate->missing != NULL) {
    fprintf(out, "  %-15s nothing that says more: %s\n", "", certificate->missing);
  }
}

// Only the stages that took a thousandth of the time, and a millisecond.
static void write_stages(const memplan_summary *summary, FILE *out) {
  const memplan_solution *solution = summary->solution;
  char number[MEMPLAN_NUMBER_SIZE];
  const char *before = "";
  fprintf(out, "  %-15s ", "of which");
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    int64_t us = solution->stage_us[stage];
    if (us >= 1000 && us >= summary->time_us / 1000) {
      fprintf(out, "%s%s %s s", before, memplan_stage_name((memplan_stage)stage),
              memplan_ratio_text((memplan_ratio){us, 1000000}, 1, 3, number));
      before = ", ";
    }
  }
  fprintf(out, "%s", before[0] == '\0' ? "nothing took a millisecond" : "");
  if (summary->certified) {
    fprintf(out, "; then certificate %s s",
            memplan_ratio_text((memplan_ratio){summary->certificate_us, 1000000}, 1, 3, number));
  }
  fputc('\n', out);
}

static void write_methods(const memplan_summary *summary, bool verbose, FILE *out) {
  const memplan_solution *solution = summary->solution;
  char number[MEMPLAN_NUMBER_SIZE];
  if (solution->has_plan) {
    const char *order = solution->order_method, *place = solution->place_method;
    fprintf(out, "  %-15s ", "methods");
    if (order != NULL) {
      fprintf(out, "order %s, ", order);
    }
    fprintf(out, "placement %s\n", place == NULL ? "" : place);
  }
  fprintf(out, "  %-15s %s, %" PRId64 " node%s\n", "stopped", memplan_stop_name(solution->stop), solution->nodes,
          solution->nodes == 1 ? "" : "s");
  fprintf(out, "  %-15s %s s\n", "time", memplan_ratio_text((memplan_ratio){summary->time_us, 1000000}, 1, 3, number));
  if (verbose) {
    write_stages(summary, out);
  }
}

static void write_live(const memplan_plan_map *map, const memplan_witness *witness, int32_t limit, FILE *out) {
  char number[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "  %15s %15s  %-16s %-10s %s\n", "bytes", "offset", "lifetime", "class", "buffer");
  for (int32_t i = 0; i < witness->n_items && i < limit; i++) {
    int32_t index = witness->items[i].buffer;
    const memplan_buffer *buffer = &map->instance->buffers[index];
    char lifetime[64];
    snprintf(lifetime, sizeof lifetime, "[%" PRId64 ", %" PRId64 ")%s", buffer->live[0].start,
             buffer->live[buffer->n_live - 1].end, buffer->n_live > 1 ? " .." : "");
    fprintf(out, "  %15s ", memplan_grouped_text(witness->items[i].bytes, number));
    fprintf(out, "%15s  %-16s %-10s %s", memplan_grouped_text(map->offset[index], number), lifetime,
            memplan_buffer_class_name((memplan_buffer_class)map->class_of[index]), memplan_quote(buffer->id).text);
    if (map->instance->n_pools > 1) {
      fprintf(out, " in pool %s", memplan_quote(map->instance->pools[map->pool[index]].id).text);
    }
    fputc('\n', out);
  }
  if (witness->n_items > limit) {
    fprintf(out, "  %15s %" PRId32 " more\n", "and", witness->n_items - limit);
  }
}

static memplan_status write_peak_step(const memplan_summary *summary, const memplan_plan_map *map, bool verbose,
                                      FILE *out, memplan_error *error) {
  memplan_load load;
  memplan_witness witness;
  const memplan_solution *solution = summary->solution;
  MEMPLAN_TRY(memplan_instance_load(map->instance, false, &load, error));
  memplan_status status = memplan_witness_at_time(map->instance, load.time, &witness, error);
  if (status == MEMPLAN_OK && witness.n_items > 0) {
    char number[MEMPLAN_NUMBER_SIZE];
    if (summary->problem->has_graph) {
      const memplan_op *op = memplan_graph_op_at(&summary->problem->graph, solution->order, load.time);
      fprintf(out, "\n  The fullest step is %" PRId64, load.time);
      if (op != NULL) {
        fprintf(out, ", operator '%s'", memplan_quote(op->id).text);
      }
      if (op != NULL && op->type != NULL) {
        fprintf(out, " (%s)", memplan_quote(op->type).text);
      }
    } else {
      fprintf(out, "\n  The fullest time is %" PRId64, load.time);
    }
    fprintf(out, ": %" PRId32 " buffer%s live, %s bytes.\n", witness.n_items, witness.n_items == 1 ? "" : "s",
            memplan_grouped_text(load.bytes, number));
    write_live(map, &witness, verbose ? witness.n_items : LARGEST_SHOWN, out);
  }
  memplan_witness_free(&witness);
  return status;
}

static void write_pools(const memplan_plan_map *map, FILE *out) {
  const memplan_instance *instance = map->instance;
  for (int32_t i = 0; i < instance->n_pools && instance->n_pools > 1; i++) {
    char text[200], number[MEMPLAN_NUMBER_SIZE];
    memplan_quoted id = memplan_quote(instance->pools[i].id);
    snprintf(text, sizeof text, "%s", id.text);
    if (instance->pools[i].capacity >= 0) {
      snprintf(text, sizeof text, "%s, of %s", id.text, memplan_grouped_text(instance->pools[i].capacity, number));
    }
    write_bytes(out, i == 0 ? "pools" : "", map->pool_peak[i], text);
  }
}

static memplan_status write_free_space(const memplan_summary *summary, const memplan_plan_map *map, FILE *out,
                                       memplan_error *error) {
  memplan_fragmentation worst;
  char number[MEMPLAN_NUMBER_SIZE];
  MEMPLAN_TRY(memplan_fragmentation_find(map, &worst, error));
  fprintf(out, "  %-15s F = %s", "free space", memplan_ratio_text(worst.value, 1, 2, number));
  if (worst.time >= 0) {
    int64_t free_bytes = worst.value.denominator, scattered = worst.value.numerator;
    fprintf(out, ", worst at %s %" PRId64 ": of", summary->problem->has_graph ? "step" : "time", worst.time);
    fprintf(out, " %s free bytes", memplan_grouped_text(free_bytes, number));
    fprintf(out, " %s lie in one block", memplan_grouped_text(free_bytes - scattered, number));
  }
  fputc('\n', out);
  return MEMPLAN_OK;
}

memplan_status memplan_summary_write_text(const memplan_summary *summary, bool verbose, FILE *out,
                                          memplan_error *error) {
  const memplan_solution *solution = summary->solution;
  write_head(summary, out);
  fprintf(out, "  %-15s %s: %s\n", "status", memplan_outcome_name(solution->outcome), outcome_remark(summary));
  MEMPLAN_TRY(write_capacity(summary, out, error));
  write_sizes(summary, out);
  if (!solution->has_plan) {
    write_certificate(summary, out);
    write_methods(summary, verbose, out);
    return MEMPLAN_OK;
  }
  memplan_plan_map map;
  memplan_status status = memplan_plan_map_init(&map, summary->problem, solution, error);
  if (status == MEMPLAN_OK) {
    write_pools(&map, out);
    status = is_timeless(summary) || memplan_summary_is_short(summary) ? MEMPLAN_OK
                                                                       : write_free_space(summary, &map, out, error);
  }
  if (status == MEMPLAN_OK) {
    write_rules(summary, out);
    write_alignment(map.instance, out);
    write_certificate(summary, out);
    write_methods(summary, verbose, out);
    status = write_peak_step(summary, &map, verbose, out, error);
  }
  memplan_plan_map_free(&map);
  return status;
}
