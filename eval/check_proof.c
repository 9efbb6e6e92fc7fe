// SPDX-License-Identifier: Apache-2.0
// Certificates of a placement are replayed here; the first line of those of every plan of a graph is read here too, the
// rest by the checkers of their kinds.
#include "eval/check_proof.h"

#include "eval/check_bodies.h"
#include "eval/check_clauses.h"
#include "eval/check_cut.h"
#include "eval/check_joint.h"
#include "eval/check_log.h"
#include "eval/check_meter.h"
#include "eval/check_nogoods.h"
#include "eval/check_order.h"
#include "eval/check_pools.h"
#include "eval/check_replay.h"
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"
#include "model/clique.h"
#include "model/graph_pool.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUFFERS = 20000 };

typedef struct checker {
  const memplan_problem *problem;
  const memplan_instance *instance; // the problem's, or what its graph became
  memplan_instance lowered;
  memplan_check_result *result;
  memplan_arena arena;
  memplan_check_model model;
  memplan_replay *replay;
  int64_t top;                // units
  size_t length;              // of the certificate
  memplan_check_meter own;    // started with the clauses, unless the check is part of another one
  memplan_check_meter *meter; // or that one's
  memplan_check_clauses clauses;
  uint8_t *exchanged;        // by item: named as a twin
  int32_t turned[2];         // the pair decided by turning upside down, -1
  int32_t pool;              // that is spoken of
  bool every_order;          // another checker's, which takes the rest from here
  bool of_pools;             // so too
  memplan_problem spoken_of; // shares all with the problem, but of several pools its graph is one of them
  int64_t *workspace;        // with that of bodies
} checker;

static bool fail(checker *check, const char *reason) { return memplan_check_clauses_refuse(&check->clauses, reason); }

static bool spend(checker *check, int64_t looks) { return memplan_check_clauses_spend(&check->clauses, looks); }

// ---- numbers

// The only number that may be as large as a problem.
static bool read_claim(const json_t *value, int64_t *claim) {
  *claim = json_integer_value(value);
  return json_is_integer(value) && *claim >= 0 && *claim <= MEMPLAN_SIZE_LIMIT;
}

static int64_t size_of(const void *owner, int32_t item) {
  const checker *check = owner;
  return check->model.items[item].size;
}

static bool pairwise_apart(checker *check, const memplan_check_window *members, int32_t n) {
  if (!spend(check, (int64_t)n * n)) {
    return false;
  }
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < i; j++) {
      if (!memplan_check_windows_apart(&check->model, members[i].item, members[i].low, members[i].high, members[j].item,
                                       members[j].low, members[j].high)) {
        return false;
      }
    }
  }
  return true;
}

// [0, A, B, members]: a contradiction if all lie inside.
static bool use_overload(checker *check, int64_t n, memplan_check_window *members) {
  int32_t count = 0;
  int64_t at = 3, sum = 0;
  bool premises = true;
  if (n < 3) {
    return fail(check, "a lemma is too short");
  }
  while (at < n) {
    memplan_check_window *member = &members[count++];
    if (!memplan_check_clauses_read_window(&check->clauses, n, &at, member)) {
      return fail(check, "a lemma names a member that is none");
    }
    sum += member->high - member->low;
    if (sum > 2 * memplan_check_number_limit) {
      return fail(check, "a lemma is longer than any arena");
    }
    premises = premises && memplan_check_clauses_starts_from(&check->clauses, member, 0, check->clauses.log.lemma[1]) &&
               memplan_check_clauses_ends_by(&check->clauses, member, 0, check->clauses.log.lemma[2]);
  }
  if (sum == 0 || sum <= check->clauses.log.lemma[2] - check->clauses.log.lemma[1] ||
      !pairwise_apart(check, members, count)) {
    return fail(check, "an overload lemma is wrong: it has no members, they fit, or may share bytes");
  }
  if (premises) {
    memplan_check_bounds_contradict(check->clauses.bounds);
  }
  return true;
}

// [1, d, F, P, B, goal, member, (pushes, member)…]
static bool use_edge(checker *check, int64_t n, memplan_check_window *members) {
  const int64_t *lemma = check->clauses.log.lemma;
  if (n < 7 || lemma[1] < 0 || lemma[1] > 1) {
    return fail(check, "a lemma is too short");
  }
  int64_t d = lemma[1], floor = lemma[2], push = lemma[3], end = lemma[4], goal = lemma[5];
  int64_t at = 6, sum = 0, push_sum = 0;
  int32_t count = 1;
  if (!memplan_check_clauses_read_window(&check->clauses, n, &at, &members[0])) {
    return fail(check, "a lemma names a member that is none");
  }
  bool premises = memplan_check_clauses_starts_from(&check->clauses, &members[0], d, floor);
  while (at < n) {
    memplan_check_window *member = &members[count++];
    int64_t pushes = lemma[at++];
    if (pushes < 0 || pushes > 1 || !memplan_check_clauses_read_window(&check->clauses, n, &at, member)) {
      return fail(check, "a lemma names a member that is none");
    }
    int64_t length = member->high - member->low;
    sum += length;
    if (sum > 2 * memplan_check_number_limit) {
      return fail(check, "a lemma is longer than any arena");
    }
    push_sum += pushes == 1 ? length : 0;
    premises = premises && memplan_check_clauses_starts_from(&check->clauses, member, d, pushes == 1 ? push : floor) &&
               memplan_check_clauses_ends_by(&check->clauses, member, d, end);
  }
  int64_t own = members[0].high - members[0].low;
  if (push < floor || push_sum == 0 || floor + sum + own <= end || push + push_sum < goal ||
      !pairwise_apart(check, members, count)) {
    return fail(check, "an edge lemma is wrong: there is room, or its members may share bytes");
  }
  if (premises) {
    int64_t shift = d == 0 ? members[0].low : -members[0].high;
    memplan_check_bounds_raise(check->clauses.bounds, 2 * members[0].item + (int32_t)d, goal - shift);
  }
  return true;
}

static bool use_lemma(void *owner, const json_t *array) {
  checker *check = owner;
  int64_t n;
  if (!memplan_check_clauses_read_lemma(&check->clauses, array, &n)) {
    return false;
  }
  memplan_check_window *members = malloc(((size_t)n + 1) * sizeof *members);
  if (members == NULL) {
    check->clauses.nomem = true;
    return false;
  }
  bool good;
  if (n > 0 && check->clauses.log.lemma[0] == 0) {
    good = use_overload(check, n, members);
  } else if (n > 0 && check->clauses.log.lemma[0] == 1) {
    good = use_edge(check, n, members);
  } else {
    good = fail(check, "a lemma of unknown kind");
  }
  free(members);
  return good;
}

// ---- steps

// a below b by symmetry: as twins, or once by turning the whole upside down. Sorting twins must not move the pair that
// was turned.
static bool check_given(checker *check, const json_t *pair) {
  int64_t numbers[2] = {-1, -1};
  for (size_t k = 0; k < 2; k++) {
    if (!json_is_array(pair) || json_array_size(pair) != 2 ||
        !memplan_check_read_number(json_array_get(pair, k), &numbers[k]) || numbers[k] < 0 ||
        numbers[k] >= check->model.n_items) {
      return fail(check, "a pair of buffers is not given as two of their numbers");
    }
  }
  int32_t a = (int32_t)numbers[0], b = (int32_t)numbers[1];
  const int32_t *touch = check->model.first_touch;
  if (!spend(check, touch[a + 1] - touch[a] + touch[b + 1] - touch[b])) {
    return false;
  }
  int32_t index = check->model.first_pair[a];
  while (index < check->model.first_pair[a + 1] && check->model.pairs[index].b != b) {
    index++;
  }
  if (a >= b || index == check->model.first_pair[a + 1]) {
    return fail(check, "a pair given by symmetry never meets");
  }
  if (memplan_check_twins(&check->model, a, b)) {
    check->exchanged[a] = check->exchanged[b] = 1;
  } else if (check->turned[0] < 0 && memplan_check_turnable(&check->model, check->top)) {
    check->turned[0] = a;
    check->turned[1] = b;
  } else {
    return fail(check, "a pair is given that no symmetry gives");
  }
  if (check->turned[0] >= 0 && (check->exchanged[check->turned[0]] != 0 || check->exchanged[check->turned[1]] != 0)) {
    return fail(check, "a pair is given by two symmetries that disturb each other");
  }
  return memplan_check_clauses_add(&check->clauses, 2 * (check->model.n_items + 1 + index), 1);
}

// ---- the first line

// Has the block to lie in the pool that is spoken of, wherever others lie?
static bool lies_in(const checker *check, int32_t block) {
  const memplan_block *entry = &check->instance->blocks[block];
  return check->instance->n_pools == 1 ||
         (entry->n_pools == 1 && check->instance->block_pools[entry->first_pool] == check->pool);
}

static bool read_blocks(checker *check, const json_t *buffers, int32_t *blocks, int32_t n) {
  const memplan_instance *instance = check->instance;
  uint8_t *used = MEMPLAN_NEW(&check->arena, uint8_t, instance->n_blocks);
  memplan_names names = {0};
  check->clauses.nomem = used == NULL;
  for (int32_t k = 0; k < instance->n_buffers && !check->clauses.nomem; k++) {
    check->clauses.nomem = memplan_names_add(&names, instance->buffers[k].id, k) == -2;
  }
  bool good = !check->clauses.nomem;
  for (int32_t k = 0; k < n && good; k++) {
    const char *id = json_string_value(json_array_get(buffers, (size_t)k));
    int32_t buffer = id == NULL ? -1 : memplan_names_find(&names, id);
    blocks[k] = buffer < 0 ? -1 : instance->block_of[buffer];
    if (blocks[k] < 0 || used[blocks[k]] != 0 || instance->blocks[blocks[k]].bytes <= 0) {
      good = fail(check, "a buffer is named that the problem does not have, that is empty, or twice");
    } else if (!lies_in(check, blocks[k])) {
      good = fail(check, "a buffer is named that may lie in another pool");
    } else {
      used[blocks[k]] = 1;
    }
  }
  memplan_names_free(&names);
  return good;
}

static memplan_status start_clauses(checker *check, const json_t *head, memplan_error *error) {
  const json_t *buffers = json_object_get(head, "buffers");
  int64_t unit = 0;
  size_t n = json_array_size(buffers);
  if (!memplan_check_read_number(json_object_get(head, "unit"), &unit) || unit < 1 || !json_is_array(buffers) ||
      n > MOST_BUFFERS) {
    fail(check, "the first line lacks a unit, or the list of at most 20000 buffers");
    return MEMPLAN_OK;
  }
  int32_t *blocks = MEMPLAN_NEW(&check->arena, int32_t, n);
  check->exchanged = MEMPLAN_NEW(&check->arena, uint8_t, n);
  if (blocks == NULL || check->exchanged == NULL) {
    return memplan_fail_nomem(error);
  }
  if (!read_blocks(check, buffers, blocks, (int32_t)n)) {
    return check->clauses.nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  int64_t claim = check->result->claim;
  memplan_status status = memplan_check_model_build(check->instance, check->pool, blocks, (int32_t)n, unit,
                                                    claim > 0 ? claim - 1 : 0, &check->arena, &check->model, error);
  if (status == MEMPLAN_INPUT) {
    fail(check, error->message);
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(status);
  check->top = claim > 0 ? (claim - 1) / unit : 0;
  int64_t size = check->model.n_items + (int64_t)check->model.n_pairs;
  check->own = memplan_check_meter_start(check->length, size);
  check->meter = check->meter != NULL ? check->meter : &check->own;
  check->replay =
      memplan_replay_new(&check->model, check->top, check->meter, memplan_check_meter_changes(check->length, size));
  if (check->replay == NULL) {
    return memplan_fail_nomem(error);
  }
  check->clauses.bounds = memplan_replay_bounds(check->replay);
  check->clauses.proven = claim <= 0 || memplan_check_bounds_failed(check->clauses.bounds);
  return MEMPLAN_OK;
}

static int64_t bytes_at(const memplan_instance *instance, int32_t block, int64_t time) {
  const memplan_block *entry = &instance->blocks[block];
  int64_t bytes = 0;
  for (int32_t k = entry->first_part; k < entry->first_part + entry->n_parts; k++) {
    const memplan_part *part = &instance->parts[k];
    bool live = instance->times[part->start] <= time && time < instance->times[part->end];
    bytes += live ? part->high - part->low : 0;
  }
  return bytes;
}

// Bytes that are live at a time.
static void check_load(checker *check, const json_t *head) {
  const memplan_instance *instance = check->instance;
  const json_t *stated = json_object_get(head, "time");
  int64_t time = json_integer_value(stated), load = 0;
  if (!json_is_integer(stated)) {
    fail(check, "the first line lacks a time");
    return;
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    load += lies_in(check, block) ? bytes_at(instance, block, time) : 0;
  }
  check->clauses.proven = load >= check->result->claim;
  if (!check->clauses.proven) {
    fail(check, "less than the claim is live at that time");
  }
}

// Buffers that pairwise conflict.
static memplan_status check_clique(checker *check, const json_t *head, memplan_error *error) {
  const json_t *buffers = json_object_get(head, "buffers");
  size_t n = json_array_size(buffers);
  if (!json_is_array(buffers) || n > MEMPLAN_CLIQUE_MOST) {
    fail(check, "the first line lacks the list of at most 20000 buffers");
    return MEMPLAN_OK;
  }
  const char **ids = MEMPLAN_NEW(&check->arena, const char *, n);
  if (ids == NULL) {
    return memplan_fail_nomem(error);
  }
  for (size_t k = 0; k < n; k++) {
    ids[k] = json_string_value(json_array_get(buffers, k));
    if (ids[k] == NULL) {
      fail(check, "a buffer is not named by its id");
      return MEMPLAN_OK;
    }
  }
  char reason[256];
  MEMPLAN_TRY(memplan_clique_check(check->instance, ids, (int32_t)n, check->result->claim, &check->clauses.proven,
                                   reason, sizeof reason, error));
  if (!check->clauses.proven) {
    fail(check, reason);
  }
  return MEMPLAN_OK;
}

static bool find_pool(checker *check, const json_t *head, const memplan_pool *pools, int32_t n_pools) {
  memplan_check_result *result = check->result;
  const char *id = json_string_value(json_object_get(head, "pool"));
  int32_t pool = memplan_pool_find(pools, n_pools, id);
  if (pool < 0) {
    return fail(check, "the first line names no pool of the problem, which has several");
  }
  check->pool = pool;
  (void)snprintf(result->pool, sizeof result->pool, "%s", memplan_quote(id).text);
  return true;
}

// The placement problem that is spoken of, and the pool. False: there is none.
static bool find_instance(checker *check, const json_t *head, memplan_status *status, memplan_error *error) {
  memplan_check_result *result = check->result;
  bool good = true;
  if (check->problem->has_graph) {
    result->every_order = check->problem->graph.n_ops == 0; // there is but one
    result->on_order = !result->every_order;
    *status =
        memplan_check_lower(check->problem, head, &check->lowered, &good, result->reason, sizeof result->reason, error);
  }
  if (*status != MEMPLAN_OK || !good) {
    return false;
  }
  if (check->instance->n_pools == 1) {
    return true;
  }
  return find_pool(check, head, check->instance->pools, check->instance->n_pools);
}

static bool is_of_every_order(const char *kind) {
  return strcmp(kind, "cut") == 0 || strcmp(kind, "probe") == 0 || strcmp(kind, "order-search") == 0 ||
         strcmp(kind, "inputs") == 0 || strcmp(kind, "outputs") == 0 || strcmp(kind, "joint-clauses") == 0 ||
         strcmp(kind, "nogoods") == 0;
}

// The graph that is spoken of: of several pools, one; and what is proven of bodies.
static memplan_status start_every_order(checker *check, const json_t *head, memplan_error *error) {
  check->spoken_of = *check->problem;
  const memplan_graph *graph = &check->problem->graph;
  if (graph->n_pools > 1 && !find_pool(check, head, graph->pools, graph->n_pools)) {
    return MEMPLAN_OK;
  }
  bool good;
  MEMPLAN_TRY(memplan_check_bodies_workspace(check->problem, head, &check->workspace, &good, check->result->reason,
                                             sizeof check->result->reason, error));
  check->every_order = good;
  if (!good || graph->n_pools <= 1) {
    return MEMPLAN_OK;
  }
  if (check->workspace != NULL) {
    memplan_graph_pool_workspace(graph, check->pool, check->workspace);
  }
  return memplan_graph_of_pool(graph, check->pool, &check->arena, &check->spoken_of.graph) ? MEMPLAN_OK
                                                                                           : memplan_fail_nomem(error);
}

static memplan_status read_head(checker *check, const json_t *head, memplan_error *error) {
  const char *format = json_string_value(json_object_get(head, "format"));
  const char *fingerprint = json_string_value(json_object_get(head, "fingerprint"));
  const char *kind = json_string_value(json_object_get(head, "kind"));
  if (format == NULL || strcmp(format, "memplan-certificate") != 0 ||
      json_integer_value(json_object_get(head, "version")) != 1 || kind == NULL || fingerprint == NULL) {
    fail(check, "this is no certificate, as `memplan solve --certificate` writes it: no memplan-certificate of "
                "version 1");
    return MEMPLAN_OK;
  }
  if (!read_claim(json_object_get(head, "claim"), &check->result->claim)) {
    fail(check, "the claim is no number of bytes from 0 to 2^62");
    return MEMPLAN_OK;
  }
  (void)snprintf(check->result->kind, sizeof check->result->kind, "%s", kind);
  if (strcmp(fingerprint, check->problem->fingerprint) != 0) {
    check->result->other = true;
    fail(check, "the certificate is for another problem: the fingerprints differ");
    return MEMPLAN_OK;
  }
  if (strcmp(kind, "pools") == 0) {
    check->of_pools = true;
    return MEMPLAN_OK;
  }
  if (check->problem->has_graph && is_of_every_order(kind)) {
    return start_every_order(check, head, error);
  }
  memplan_status status = MEMPLAN_OK;
  if (!find_instance(check, head, &status, error)) {
    return status;
  }
  if (strcmp(kind, "load") == 0) {
    check_load(check, head);
    return MEMPLAN_OK;
  }
  if (strcmp(kind, "clique") == 0 && check->instance->n_pools == 1) {
    return check_clique(check, head, error);
  }
  if (strcmp(kind, "clauses") != 0) {
    fail(check, check->instance->n_pools == 1 ? "certificates are of kind load, clique or clauses"
                                              : "of several pools, certificates are of kind load, clauses or pools");
    return MEMPLAN_OK;
  }
  return start_clauses(check, head, error);
}

// ---- the whole

static bool check_step(checker *check, const json_t *step) {
  const json_t *given = json_object_get(step, "g");
  check->result->steps++;
  return given != NULL ? check_given(check, given) : memplan_check_clauses_step(&check->clauses, step);
}

static memplan_status check_lines(checker *check, const char *text, size_t length, memplan_error *error) {
  memplan_status status = MEMPLAN_OK;
  size_t at = 0;
  while (status == MEMPLAN_OK && at < length && !check->clauses.proven && check->result->reason[0] == '\0' &&
         !check->clauses.nomem && !check->every_order && !check->of_pools) {
    json_t *line = memplan_check_read_line(text, length, &at);
    check->result->line++;
    if (!json_is_object(line)) {
      fail(check, check->result->line == 1
                      ? "the line is no JSON object: this is no certificate, as `memplan solve --certificate` writes it"
                      : "the line is no JSON object");
    } else if (check->result->line == 1) {
      status = read_head(check, line, error);
    } else {
      (void)check_step(check, line);
    }
    json_decref(line);
  }
  if (status == MEMPLAN_OK && check->clauses.nomem) {
    status = memplan_fail_nomem(error);
  }
  return status;
}

static memplan_status check_within(const memplan_problem *problem, const char *text, size_t length,
                                   memplan_check_meter *meter, memplan_check_result *result, memplan_error *error) {
  *result = (memplan_check_result){.proven = false};
  checker check = {.problem = problem, .result = result, .length = length, .meter = meter, .turned = {-1, -1}};
  check.clauses =
      (memplan_check_clauses){.result = result, .use_lemma = use_lemma, .size_of = size_of, .owner = &check};
  memplan_instance_init(&check.lowered);
  check.instance = problem->has_graph ? &check.lowered : &problem->instance;
  memplan_status status = check_lines(&check, text, length, error);
  result->proven = status == MEMPLAN_OK && check.clauses.proven && result->reason[0] == '\0';
  if (status == MEMPLAN_OK && check.of_pools) {
    status = memplan_check_pools(problem, text, length, result, error);
  } else if (status == MEMPLAN_OK && check.every_order) {
    bool joint = strcmp(result->kind, "joint-clauses") == 0, nogoods = strcmp(result->kind, "nogoods") == 0;
    status = joint     ? memplan_check_joint(&check.spoken_of, check.workspace, text, length, result, error)
             : nogoods ? memplan_check_nogoods(&check.spoken_of, check.workspace, text, length, result, error)
                       : memplan_check_cut(&check.spoken_of, check.workspace, text, length, result, error);
  } else if (!result->proven && status == MEMPLAN_OK) {
    fail(&check, "the certificate ends before its claim is proven");
  }
  free(check.workspace);
  memplan_replay_free(check.replay);
  memplan_check_clauses_free(&check.clauses);
  memplan_instance_free(&check.lowered);
  memplan_arena_free(&check.arena);
  return status;
}

memplan_status memplan_check_certificate(const memplan_problem *problem, const char *text, size_t length,
                                         memplan_check_result *result, memplan_error *error) {
  return check_within(problem, text, length, NULL, result, error);
}

static bool join_lines(const json_t *lines, char **text, size_t *length) {
  FILE *out = open_memstream(text, length);
  bool good = out != NULL;
  for (size_t k = 0; k < json_array_size(lines) && good; k++) {
    good = json_dumpf(json_array_get(lines, k), out, JSON_COMPACT | JSON_ENCODE_ANY) == 0 && fputc('\n', out) != EOF;
  }
  good = good && fflush(out) == 0;
  return out != NULL && fclose(out) == 0 && good;
}

memplan_status memplan_check_certificate_lines(const memplan_problem *problem, const json_t *lines,
                                               memplan_check_meter *meter, memplan_check_result *result,
                                               memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  memplan_status status = join_lines(lines, &text, &length) ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    status = check_within(problem, text, length, meter, result, error);
  }
  free(text);
  return status;
}
