// SPDX-License-Identifier: Apache-2.0
// A walk through the bodies with the ids on the way as the prefix of what is
// found.
#include "model/verify_residents.h"

#include "model/base/grow.h"
#include "model/verify_layout.h"

#include <stdio.h>
#include <string.h>

typedef struct resident_walk {
  memplan_arena *arena;
  memplan_residents *found;
  int64_t item_capacity, demand_capacity;
  memplan_error *error;
} resident_walk;

static const char *join(memplan_arena *arena, const char *first, const char *second) {
  size_t size = strlen(first) + strlen(second) + 2;
  char *text = MEMPLAN_NEW(arena, char, size);
  if (text != NULL) {
    (void)snprintf(text, size, "%s#%s", first, second);
  }
  return text;
}

static memplan_status add_resident(resident_walk *walk, const char *prefix, const memplan_layout *layout,
                                   int32_t buffer) {
  memplan_residents *found = walk->found;
  const memplan_graph *body = layout->graph;
  memplan_resident *items =
      memplan_grow_in(walk->arena, found->items, found->n_items, &walk->item_capacity, sizeof *items);
  const memplan_tensor *root = &body->tensors[layout->root[buffer]];
  const char *id = join(walk->arena, prefix, root->id);
  if (items == NULL || id == NULL) {
    return memplan_fail_nomem(walk->error);
  }
  if (found->n_items > INT32_MAX / 4) {
    return memplan_fail(walk->error, MEMPLAN_UNSUPPORTED, "the bodies hold more than 2^29 weights");
  }
  found->items = items;
  items[found->n_items++] = (memplan_resident){id, root->bytes};
  return MEMPLAN_OK;
}

static memplan_status add_demand(resident_walk *walk, const memplan_layout *layout, int32_t tensor, int32_t resident) {
  memplan_residents *found = walk->found;
  memplan_resident_demand *demands =
      memplan_grow_in(walk->arena, found->demands, found->n_demands, &walk->demand_capacity, sizeof *demands);
  if (demands == NULL) {
    return memplan_fail_nomem(walk->error);
  }
  const memplan_tensor *entry = &layout->graph->tensors[tensor];
  found->demands = demands;
  demands[found->n_demands++] = (memplan_resident_demand){resident, entry->id, layout->offset[tensor], entry->align};
  return MEMPLAN_OK;
}

// The weights of one body that are its own.
static memplan_status add_body(resident_walk *walk, const char *prefix, const memplan_graph *body,
                               memplan_arena *scratch) {
  memplan_layout layout;
  MEMPLAN_TRY(memplan_layout_init(&layout, body, scratch, walk->error));
  int32_t *resident = MEMPLAN_NEW(scratch, int32_t, layout.n_buffers);
  if (resident == NULL) {
    return memplan_fail_nomem(walk->error);
  }
  for (int32_t buffer = 0; buffer < layout.n_buffers; buffer++) {
    resident[buffer] = -1;
    bool touched = layout.first_access[buffer] < layout.first_access[buffer + 1];
    if (touched && (layout.roles[buffer] & MEMPLAN_ROLE_WEIGHT) != 0 && !body->tensors[layout.root[buffer]].captured) {
      resident[buffer] = (int32_t)walk->found->n_items;
      MEMPLAN_TRY(add_resident(walk, prefix, &layout, buffer));
    }
  }
  for (int32_t tensor = 0; tensor < body->n_tensors; tensor++) {
    if (resident[layout.buffer[tensor]] >= 0) {
      MEMPLAN_TRY(add_demand(walk, &layout, tensor, resident[layout.buffer[tensor]]));
    }
  }
  return MEMPLAN_OK;
}

// Bodies are nested at most MEMPLAN_MAX_NESTING deep, and with them this
// recursion.
static memplan_status walk_bodies(resident_walk *walk, const char *prefix, const memplan_graph *graph, int32_t depth) {
  if (depth > MEMPLAN_MAX_NESTING) {
    return memplan_fail(walk->error, MEMPLAN_UNSUPPORTED, "bodies are nested more than %d deep",
                        (int)MEMPLAN_MAX_NESTING);
  }
  for (int32_t k = 0; k < graph->n_bodies; k++) {
    const memplan_body *body = &graph->bodies[k];
    const char *op = graph->ops[body->op].id;
    const char *inner = prefix != NULL ? join(walk->arena, prefix, op) : op;
    inner = inner != NULL ? join(walk->arena, inner, body->name) : NULL;
    if (inner == NULL) {
      return memplan_fail_nomem(walk->error);
    }
    memplan_arena scratch = {0};
    memplan_status status = add_body(walk, inner, body->graph, &scratch);
    memplan_arena_free(&scratch);
    MEMPLAN_TRY(status);
    MEMPLAN_TRY(walk_bodies(walk, inner, body->graph, depth + 1));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_residents_find(const memplan_graph *graph, memplan_arena *arena, memplan_residents *residents,
                                      memplan_error *error) {
  *residents = (memplan_residents){0};
  resident_walk walk = {.arena = arena, .found = residents, .error = error};
  return walk_bodies(&walk, NULL, graph, 0);
}
