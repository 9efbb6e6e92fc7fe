// SPDX-License-Identifier: Apache-2.0
// Both directions by turns, reversed first, in slices that double, so that the shorter of the two is found at no more
// than about four times its cost. Time and interrupts are looked at between parts of a slice.
#include "solvers/search_proof.h"

#include "model/base/json_write.h"

#include <stdlib.h>

static const int64_t first_slice = 200000, part = 4000000, most_memory = INT64_C(1) << 30; // of a search

memplan_status memplan_search_proof_begin(memplan_search_proof *proof, const memplan_ordering *ordering,
                                          const memplan_order_edge *edges, int32_t n_edges, int64_t claim, int64_t most,
                                          int64_t memory, memplan_error *error) {
  int64_t share = memory > 0 && memory < 2 * most_memory ? memory / 2 : most_memory;
  *proof = (memplan_search_proof){.closed = -1, .slice = first_slice};
  memplan_order_rules rules = memplan_order_rules_default();
  for (int32_t k = 0; k < 2; k++) {
    memplan_order_problem plain, *own = &proof->problems[k];
    MEMPLAN_TRY(memplan_order_problem_init(&plain, ordering, k == 1, &proof->arena, error));
    *own = plain;
    if (n_edges > 0) {
      MEMPLAN_TRY(memplan_order_extend(&plain, edges, n_edges, &proof->arena, own, error));
    }
    MEMPLAN_TRY(memplan_order_tables_init(&proof->tables[k], own, &rules, &proof->arena, error));
    MEMPLAN_TRY(memplan_order_log_new(&proof->tables[k], claim - 1, most, share, &proof->logs[k], error));
  }
  return MEMPLAN_OK;
}

void memplan_search_proof_free(memplan_search_proof *proof) {
  memplan_order_log_free(proof->logs[0]);
  memplan_order_log_free(proof->logs[1]);
  memplan_arena_free(&proof->arena);
  *proof = (memplan_search_proof){.closed = -1};
}

// A slice of one direction.
static memplan_status run_one(memplan_search_proof *proof, int32_t direction, const memplan_limits *limits,
                              memplan_error *error) {
  memplan_order_log *log = proof->logs[direction];
  for (int64_t done = 0; done < proof->slice && memplan_limits_reached(limits) == MEMPLAN_STOP_DONE; done += part) {
    int64_t ticks = proof->slice - done < part ? proof->slice - done : part;
    if (memplan_order_log_state(log) != MEMPLAN_ORDER_LOG_RUNNING) {
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(memplan_order_log_run(log, ticks, error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_search_proof_run(memplan_search_proof *proof, int64_t ticks, const memplan_limits *limits,
                                        memplan_error *error) {
  for (int64_t done = 0; done < ticks && memplan_limits_reached(limits) == MEMPLAN_STOP_DONE; proof->slice *= 2) {
    proof->slice = proof->slice < ticks - done ? proof->slice : ticks - done;
    for (int32_t direction = 1; direction >= 0; direction--) {
      MEMPLAN_TRY(run_one(proof, direction, limits, error));
      if (memplan_order_log_state(proof->logs[direction]) == MEMPLAN_ORDER_LOG_CLOSED) {
        proof->closed = direction;
        return MEMPLAN_OK;
      }
      if (memplan_order_log_state(proof->logs[direction]) == MEMPLAN_ORDER_LOG_FOUND) {
        proof->ended = true;
        return MEMPLAN_OK;
      }
      done += proof->slice;
    }
    proof->ended = memplan_order_log_state(proof->logs[0]) != MEMPLAN_ORDER_LOG_RUNNING &&
                   memplan_order_log_state(proof->logs[1]) != MEMPLAN_ORDER_LOG_RUNNING;
    if (proof->ended) {
      return MEMPLAN_OK;
    }
  }
  return MEMPLAN_OK;
}

bool memplan_search_proof_write(const memplan_search_proof *proof, const memplan_graph *graph, FILE *out) {
  const memplan_order_tables *tables = &proof->tables[proof->closed];
  json_t *line = json_object(), *ops = json_array(), *lazy = json_array();
  bool good = memplan_json_set_string(line, "search", proof->closed == 1 ? "reversed" : "forward") && ops != NULL &&
              lazy != NULL;
  for (int32_t op = 0; op < graph->n_ops && good; op++) {
    good = memplan_json_add(ops, json_string(graph->ops[op].id)) &&
           (!tables->lazy[op] || memplan_json_add(lazy, json_integer(op)));
  }
  good = memplan_json_set(line, "ops", memplan_json_finish(ops, good)) && good;
  good = memplan_json_set(line, "lazy", memplan_json_finish(lazy, good)) && good;
  char *text = good ? json_dumps(line, JSON_COMPACT) : NULL;
  json_decref(line);
  if (text == NULL) {
    return false;
  }
  fprintf(out, "%s\n", text);
  free(text);
  memplan_order_log_write(proof->logs[proof->closed], out);
  return true;
}
