// SPDX-License-Identifier: Apache-2.0
#include "model/problem.h"

#include "model/base/ids.h"
#include "model/base/json.h"
#include "model/base/json_write.h"
#include "model/form_json.h"
#include "model/problem_json.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memplan_problem_init(memplan_problem *problem) {
  memset(problem, 0, sizeof *problem);
  memplan_arena_init(&problem->arena);
  memplan_graph_init(&problem->graph);
  memplan_instance_init(&problem->instance);
  problem->path = "";
  problem->format = "";
  problem->options = memplan_problem_options_default();
}

void memplan_problem_free(memplan_problem *problem) {
  memplan_graph_free(&problem->graph);
  memplan_instance_free(&problem->instance);
  memplan_arena_free(&problem->arena);
}

static bool copy_dims(memplan_arena *arena, const memplan_dim **list, int32_t count) {
  memplan_dim *copy = MEMPLAN_NEW(arena, memplan_dim, count);
  for (int32_t i = 0; copy != NULL && i < count; i++) {
    copy[i].value = (*list)[i].value;
    copy[i].name = memplan_arena_text(arena, (*list)[i].name, strlen((*list)[i].name));
    if (copy[i].name == NULL) {
      return false;
    }
  }
  *list = copy;
  return copy != NULL;
}

static bool copy_shapes(memplan_arena *arena, const memplan_shape **list, int32_t count) {
  memplan_shape *copy = MEMPLAN_NEW(arena, memplan_shape, count);
  for (int32_t i = 0; copy != NULL && i < count; i++) {
    const memplan_shape *shape = &(*list)[i];
    int64_t *dims = MEMPLAN_NEW(arena, int64_t, shape->rank);
    copy[i].name = memplan_arena_text(arena, shape->name, strlen(shape->name));
    if (dims == NULL || copy[i].name == NULL) {
      return false;
    }
    for (int32_t j = 0; j < shape->rank; j++) {
      dims[j] = shape->dims[j];
    }
    copy[i].rank = shape->rank;
    copy[i].dims = dims;
  }
  *list = copy;
  return copy != NULL;
}

static bool copy_pins(memplan_arena *arena, const memplan_pin_pool **list, int32_t count) {
  memplan_pin_pool *copy = MEMPLAN_NEW(arena, memplan_pin_pool, count);
  for (int32_t i = 0; copy != NULL && i < count; i++) {
    copy[i].buffer = memplan_arena_text(arena, (*list)[i].buffer, strlen((*list)[i].buffer));
    copy[i].pool = memplan_arena_text(arena, (*list)[i].pool, strlen((*list)[i].pool));
    if (copy[i].buffer == NULL || copy[i].pool == NULL) {
      return false;
    }
  }
  *list = copy;
  return copy != NULL;
}

memplan_problem memplan_problem_of_body(const memplan_problem *outer, const memplan_body *body) {
  memplan_problem problem = {.graph = *body->graph,
                             .has_graph = true,
                             .path = outer->path,
                             .format = outer->format,
                             .options = outer->options};
  problem.options.io = body->io_external ? MEMPLAN_IO_EXTERNAL : MEMPLAN_IO_ARENA;
  problem.options.weights = MEMPLAN_WEIGHTS_EXTERNAL;
  problem.options.capacity = -1;
  return problem;
}

bool memplan_problem_set_options(memplan_problem *problem, const memplan_problem_options *options) {
  memplan_problem_options copy = *options;
  if (!copy_dims(&problem->arena, &copy.dims, copy.n_dims) ||
      !copy_shapes(&problem->arena, &copy.shapes, copy.n_shapes) ||
      !copy_pins(&problem->arena, &copy.pin_pools, copy.n_pin_pools)) {
    return false;
  }
  if (copy.conflicts_path != NULL) {
    copy.conflicts_path = memplan_arena_text(&problem->arena, copy.conflicts_path, strlen(copy.conflicts_path));
    if (copy.conflicts_path == NULL) {
      return false;
    }
  }
  problem->options = copy;
  return true;
}

// Takes ownership of `value`; NULL is memory that ran out.
static bool hash_json(SHA256_CTX *hash, json_t *value) {
  char *text = value != NULL ? memplan_json_text(value) : NULL;
  json_decref(value);
  if (text == NULL) {
    return false;
  }
  SHA256Update(hash, (const uint8_t *)text, strlen(text));
  free(text);
  return true;
}

static void hash_text(void *context, const char *text, size_t length) {
  SHA256Update(context, (const uint8_t *)text, length);
}

static bool hash_problem(SHA256_CTX *hash, const memplan_problem *problem) {
  if (problem->has_graph) {
    return hash_json(hash, memplan_graph_canonical_json(&problem->graph));
  }
  bool inclusive = problem->options.lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE;
  return memplan_form_instance_put(&problem->instance, inclusive, hash_text, hash);
}

typedef struct named_body {
  const char *op; // id
  const memplan_body *body;
} named_body;

static int compare_bodies(const void *left, const void *right) {
  const named_body *a = left, *b = right;
  int order = strcmp(a->op, b->op);
  if (order == 0) {
    order = strcmp(a->body->name, b->body->name);
  }
  return order != 0 ? order : (a->body > b->body) - (a->body < b->body); // both lie in one array
}

static memplan_status hash_bodies(SHA256_CTX *hash, const memplan_graph *graph, int depth, memplan_error *error);

// Ids of the tensors that the body captures, sorted.
static json_t *captured_json(const memplan_graph *graph) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, graph->n_tensors);
  json_t *array = json_array();
  bool good = ids != NULL && array != NULL;
  int32_t count = 0;
  for (int32_t i = 0; good && i < graph->n_tensors; i++) {
    if (graph->tensors[i].captured) {
      ids[count++] = (memplan_id){graph->tensors[i].id, i};
    }
  }
  if (good) {
    memplan_ids_sort(ids, count);
  }
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_add(array, json_string(ids[i].text));
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(array, good);
}

// Each body is preceded by what it is: operator, name, where its inputs and
// outputs lie, and what it captures.
static memplan_status hash_body(SHA256_CTX *hash, const memplan_graph *graph, const memplan_body *body, int depth,
                                memplan_error *error) {
  json_t *captured = captured_json(body->graph);
  json_t *title = captured == NULL ? NULL
                                   : json_pack("[s, s, b, o]", graph->ops[body->op].id, body->name,
                                               body->io_external ? 1 : 0, captured);
  if (!hash_json(hash, title) || !hash_json(hash, memplan_graph_canonical_json(body->graph))) {
    return memplan_fail_nomem(error);
  }
  return hash_bodies(hash, body->graph, depth + 1, error);
}

static memplan_status hash_bodies(SHA256_CTX *hash, const memplan_graph *graph, int depth, memplan_error *error) {
  if (graph->n_bodies == 0) {
    return MEMPLAN_OK;
  }
  if (depth >= MEMPLAN_MAX_NESTING) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "bodies of control flow are nested more than %d deep",
                        (int)MEMPLAN_MAX_NESTING);
  }
  named_body *list = malloc((size_t)graph->n_bodies * sizeof *list);
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < graph->n_bodies; i++) {
    list[i] = (named_body){graph->ops[graph->bodies[i].op].id, &graph->bodies[i]};
  }
  qsort(list, (size_t)graph->n_bodies, sizeof *list, compare_bodies);
  memplan_status status = MEMPLAN_OK;
  for (int32_t i = 0; i < graph->n_bodies && status == MEMPLAN_OK; i++) {
    status = hash_body(hash, graph, list[i].body, depth, error);
  }
  free(list);
  return status;
}

memplan_status memplan_problem_fingerprint(memplan_problem *problem, memplan_error *error) {
  SHA256_CTX hash;
  SHA256Init(&hash);
  if (!hash_problem(&hash, problem)) {
    return memplan_fail_nomem(error);
  }
  // A body that is not counted does not change the problem.
  if (problem->has_graph && problem->options.bodies != MEMPLAN_BODIES_IGNORE) {
    MEMPLAN_TRY(hash_bodies(&hash, &problem->graph, 0, error));
  }
  if (!hash_json(&hash, memplan_problem_options_json(problem))) {
    return memplan_fail_nomem(error);
  }
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256Final(digest, &hash);
  memcpy(problem->fingerprint, "sha256:", 7);
  for (size_t i = 0; i < sizeof digest; i++) {
    (void)snprintf(problem->fingerprint + 7 + 2 * i, 3, "%02x", digest[i]);
  }
  return MEMPLAN_OK;
}
