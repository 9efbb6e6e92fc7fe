// SPDX-License-Identifier: Apache-2.0
// Ids are looked up first, so that messages about dependencies can name the lines of both operators.
#include "model/listed_order.h"

#include "model/base/names.h"
#include "model/base/options.h"
#include "model/base/quote.h"

#include <sys/types.h>

#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COMPARED = 4096 }; // ids that a misspelt one is compared with

void memplan_listed_order_init(memplan_listed_order *listed) {
  *listed = (memplan_listed_order){0};
  memplan_plan_init(&listed->own);
}

void memplan_listed_order_free(memplan_listed_order *listed) {
  memplan_plan_free(&listed->own);
  memplan_arena_free(&listed->arena);
  memplan_listed_order_init(listed);
}

void memplan_listed_order_set_digest(memplan_listed_order *listed, const char *text, size_t length) {
  SHA256_CTX hash;
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256Init(&hash);
  SHA256Update(&hash, (const uint8_t *)text, length);
  SHA256Final(digest, &hash);
  memcpy(listed->digest, "sha256:", 7);
  for (size_t i = 0; i < sizeof digest; i++) {
    (void)snprintf(listed->digest + 7 + 2 * i, 3, "%02x", digest[i]);
  }
}

typedef struct place_text {
  char text[40];
} place_text;

static place_text place_of(const memplan_listed_order *listed, int32_t step) {
  place_text place;
  if (listed->line != NULL) {
    (void)snprintf(place.text, sizeof place.text, "line %" PRId64, listed->line[step]);
  } else {
    (void)snprintf(place.text, sizeof place.text, "step %" PRId32 " of its order", step);
  }
  return place;
}

static memplan_status fail_unknown(const memplan_listed_order *listed, const memplan_graph *graph, int32_t t,
                                   memplan_error *error) {
  const char *names[MOST_COMPARED];
  int32_t n = 0;
  for (; n < graph->n_ops && n < MOST_COMPARED; n++) {
    names[n] = graph->ops[n].id;
  }
  int32_t nearest = n == graph->n_ops ? memplan_nearest_name(listed->ops[t], names, n) : -1;
  const memplan_quoted_path path = memplan_quote_path(listed->path);
  if (nearest >= 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "%s: %s: the model has no operator '%s'; is '%s' meant?", path.text,
                        place_of(listed, t).text, memplan_quote(listed->ops[t]).text,
                        memplan_quote(names[nearest]).text);
  }
  return memplan_fail(error, MEMPLAN_INPUT,
                      "%s: %s: the model has no operator '%s'; `memplan solve MODEL -o -` shows the ids, under order",
                      path.text, place_of(listed, t).text, memplan_quote(listed->ops[t]).text);
}

static memplan_status find_ops(const memplan_listed_order *listed, const memplan_ordering *ordering,
                               const memplan_names *ids, int32_t *order, int32_t *step, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  for (int32_t t = 0; t < listed->n_ops; t++) {
    int32_t op = memplan_names_find(ids, listed->ops[t]);
    if (op < 0) {
      return fail_unknown(listed, graph, t, error);
    }
    if (step[op] >= 0) {
      return memplan_fail(error, MEMPLAN_INPUT, "%s: %s: operator '%s' stands there again, after %s: leave it out once",
                          memplan_quote_path(listed->path).text, place_of(listed, t).text,
                          memplan_quote(listed->ops[t]).text, place_of(listed, step[op]).text);
    }
    order[t] = op;
    step[op] = t;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    if (step[op] < 0) {
      int32_t missing = graph->n_ops - listed->n_ops;
      char others[48] = "";
      if (missing > 1) {
        (void)snprintf(others, sizeof others, ", and %" PRId32 " more", missing - 1);
      }
      return memplan_fail(error, MEMPLAN_INPUT, "%s: operator '%s' is missing%s: an order names every operator once",
                          memplan_quote_path(listed->path).text, memplan_quote(graph->ops[op].id).text, others);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_dependencies(const memplan_listed_order *listed, const memplan_ordering *ordering,
                                         const int32_t *order, const int32_t *step, memplan_error *error) {
  const memplan_op *ops = ordering->graph->ops;
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    for (int32_t k = ordering->pred_first[order[t]]; k < ordering->pred_first[order[t] + 1]; k++) {
      int32_t before = ordering->pred[k];
      if (step[before] > t) {
        return memplan_fail(
            error, MEMPLAN_INPUT, "%s: %s: operator '%s' stands before '%s' (%s), which must run first: move it behind",
            memplan_quote_path(listed->path).text, place_of(listed, t).text, memplan_quote(ops[order[t]].id).text,
            memplan_quote(ops[before].id).text, place_of(listed, step[before]).text);
      }
    }
  }
  memplan_status status = memplan_ordering_check(ordering, order, error); // groups
  if (status == MEMPLAN_INPUT) {
    memplan_error_prefix(error, "%s", memplan_quote_path(listed->path).text);
  }
  return status;
}

memplan_status memplan_listed_order_resolve(const memplan_listed_order *listed, const memplan_ordering *ordering,
                                            int32_t *order, memplan_error *error) {
  memplan_arena scratch = {0};
  memplan_names ids = {0};
  int32_t *found = MEMPLAN_NEW(&scratch, int32_t, listed->n_ops),
          *step = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops);
  memplan_status status = found == NULL || step == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  for (int32_t op = 0; op < ordering->n_ops && status == MEMPLAN_OK; op++) {
    step[op] = -1;
    status = memplan_names_add(&ids, ordering->graph->ops[op].id, op) == -2 ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    status = find_ops(listed, ordering, &ids, found, step, error);
  }
  if (status == MEMPLAN_OK && ordering->n_ops > 0) {
    memcpy(order, found, (size_t)ordering->n_ops * sizeof *order);
    status = check_dependencies(listed, ordering, order, step, error);
  }
  memplan_names_free(&ids);
  memplan_arena_free(&scratch);
  return status;
}

bool memplan_listed_order_of_body(const memplan_listed_order *outer, const char *op, const char *body,
                                  memplan_listed_order *inner) {
  const memplan_plan *plan = memplan_plan_find_body(outer->plan, op, body);
  if (plan == NULL) {
    return false;
  }
  *inner = (memplan_listed_order){.path = outer->path, .ops = plan->order, .plan = plan, .n_ops = plan->n_order};
  return true;
}
