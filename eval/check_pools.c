// SPDX-License-Identifier: Apache-2.0
// Each line after the first is a certificate by itself. Those about one order of a graph have to mean the same
// placement problem: its order, its in-place pairs, and what is proven of bodies.
#include "eval/check_pools.h"

#include "eval/check_log.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

typedef struct checker {
  const memplan_problem *problem;
  memplan_check_result *result;
  json_t *order; // the first line of the first one about one order, or NULL
} checker;

static bool fail(checker *check, const char *reason) {
  if (check->result->reason[0] == '\0') {
    (void)snprintf(check->result->reason, sizeof check->result->reason, "%s", reason);
  }
  return false;
}

static bool is_same(const json_t *a, const json_t *b, const char *key) {
  const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
  return (x == NULL && y == NULL) || json_equal(x, y) == 1;
}

// Is it about the order that the others are about?
static bool check_order(checker *check, json_t *head) {
  if (check->order == NULL) {
    check->order = json_incref(head);
    return true;
  }
  return (is_same(check->order, head, "order") && is_same(check->order, head, "inplace") &&
          is_same(check->order, head, "bodies")) ||
         fail(check, "two of its certificates are about different orders, in-place pairs or bodies");
}

static int32_t find_pool(const memplan_problem *problem, const char *id) {
  const memplan_pool *pools = problem->has_graph ? problem->graph.pools : problem->instance.pools;
  int32_t n_pools = problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools;
  return memplan_pool_find(pools, n_pools, id);
}

static bool add_part(checker *check, json_t *head, const memplan_check_result *part) {
  memplan_check_result *result = check->result;
  int32_t pool = find_pool(check->problem, json_string_value(json_object_get(head, "pool")));
  for (int32_t k = 0; k < result->n_pools; k++) {
    if (result->pools[k].pool == pool) {
      return fail(check, "two of its certificates are of the same pool");
    }
  }
  if (pool < 0) {
    return fail(check, "one of its certificates names no pool of the problem");
  }
  result->pools[result->n_pools++] = (memplan_check_pool){pool, part->claim};
  result->steps += part->steps;
  result->every_order = result->every_order && part->every_order;
  result->on_order = result->on_order || part->on_order;
  return !part->on_order || check_order(check, head);
}

static memplan_status check_part(checker *check, const json_t *line, memplan_error *error) {
  const json_t *lines = json_object_get(line, "certificate");
  json_t *head = json_array_get(lines, 0);
  const char *kind = json_string_value(json_object_get(head, "kind"));
  if (!json_is_object(head) || kind == NULL || strcmp(kind, "pools") == 0) {
    (void)fail(check, "the line is no certificate of one pool");
    return MEMPLAN_OK;
  }
  if (check->result->n_pools == MEMPLAN_MOST_CERTIFIED_POOLS) {
    (void)snprintf(check->result->reason, sizeof check->result->reason, "it has certificates of more than %d pools",
                   (int)MEMPLAN_MOST_CERTIFIED_POOLS);
    return MEMPLAN_OK;
  }
  memplan_check_result part;
  MEMPLAN_TRY(memplan_check_certificate_lines(check->problem, lines, NULL, &part, error));
  if (!part.proven) {
    (void)snprintf(check->result->reason, sizeof check->result->reason, "line %lld of the certificate in it: %.200s",
                   (long long)part.line, part.reason);
    return MEMPLAN_OK;
  }
  (void)add_part(check, head, &part);
  return MEMPLAN_OK;
}

static bool is_claimed(const memplan_check_result *result) {
  int64_t most = -1;
  for (int32_t k = 0; k < result->n_pools; k++) {
    most = result->pools[k].claim > most ? result->pools[k].claim : most;
  }
  return most >= result->claim;
}

memplan_status memplan_check_pools(const memplan_problem *problem, const char *text, size_t length,
                                   memplan_check_result *result, memplan_error *error) {
  checker check = {.problem = problem, .result = result};
  size_t at = 0;
  memplan_status status = MEMPLAN_OK;
  result->every_order = problem->has_graph;
  if ((problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools) <= 1) {
    (void)fail(&check, "a certificate of pools is of a problem with several");
  }
  json_decref(memplan_check_read_line(text, length, &at)); // the first line
  while (status == MEMPLAN_OK && at < length && result->reason[0] == '\0') {
    json_t *line = memplan_check_read_line(text, length, &at);
    result->line++;
    status = check_part(&check, line, error);
    json_decref(line);
  }
  if (result->n_pools == 0 || !is_claimed(result)) {
    (void)fail(&check, "the certificate ends before its claim is proven");
  }
  json_decref(check.order);
  result->proven = status == MEMPLAN_OK && result->reason[0] == '\0';
  return status;
}
