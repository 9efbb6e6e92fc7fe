// SPDX-License-Identifier: Apache-2.0
// Overlaps become conflicts of buffers without lifetimes, links colocations: an instance that the exact placement
// takes as any other.
#include "solvers/joint_refute.h"

#include <stdio.h>
#include <stdlib.h>

enum { id_size = 16, ticks_of_pair = 4 };

static int compare_items(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Place of an item in the question.
static int32_t find_item(const memplan_joint_question *question, int32_t item) {
  const int32_t *found =
      bsearch(&item, question->items, (size_t)question->n_items, sizeof *question->items, compare_items);
  return found != NULL ? (int32_t)(found - question->items) : -1;
}

static void fill_buffer(const memplan_joint_question *question, int32_t place, char *id, memplan_buffer *buffer) {
  const memplan_joint_item *item = &question->whole->items[question->items[place]];
  const memplan_ordering *ordering = question->whole->ordering;
  (void)snprintf(id, id_size, "%d", place);
  *buffer = (memplan_buffer){.id = id, .bytes = item->bytes, .align = 1, .pin = -1, .offset = -1, .hint = -1};
  if (item->storage >= 0) {
    const memplan_storage *storage = &ordering->graph->storages[item->storage];
    buffer->align = storage->align;
    buffer->residue = storage->residue;
    buffer->pin = storage->pin;
  } else if (item->op >= 0) {
    buffer->align = ordering->graph->ops[item->op].workspace_align;
  } else if (item->resident >= 0) {
    buffer->align = ordering->residents[item->resident].align;
    buffer->residue = ordering->residents[item->resident].residue;
  }
}

memplan_status memplan_joint_refute_instance(const memplan_joint_question *question, memplan_instance *instance,
                                             memplan_error *error) {
  const memplan_joint_graph *whole = question->whole;
  const memplan_graph *graph = whole->ordering->graph;
  memplan_arena *arena = &instance->arena;
  char *ids = MEMPLAN_NEW(arena, char, (int64_t)question->n_items *id_size);
  instance->name = graph->name;
  instance->source = graph->source;
  instance->pools = graph->pools;
  instance->n_pools = graph->n_pools;
  instance->buffers = MEMPLAN_NEW(arena, memplan_buffer, question->n_items);
  instance->conflicts = MEMPLAN_NEW(arena, memplan_rule, question->n_overlaps);
  instance->colocate = MEMPLAN_NEW(arena, memplan_rule, question->n_links);
  if (ids == NULL || instance->buffers == NULL || instance->conflicts == NULL || instance->colocate == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t place = 0; place < question->n_items; place++) {
    fill_buffer(question, place, ids + (int64_t)place * id_size, &instance->buffers[place]);
  }
  instance->n_buffers = question->n_items;
  for (int32_t k = 0; k < question->n_overlaps; k++) {
    const memplan_joint_overlap *overlap = &question->overlaps[k];
    instance->conflicts[k] =
        (memplan_rule){.first = find_item(question, overlap->first), .second = find_item(question, overlap->second)};
  }
  instance->n_conflicts = question->n_overlaps;
  for (int32_t k = 0; k < question->n_links; k++) {
    const memplan_joint_pair *pair = &whole->pairs[question->links[k]];
    instance->colocate[k] =
        (memplan_rule){find_item(question, pair->dying), find_item(question, pair->born), pair->delta};
  }
  instance->n_colocate = question->n_links;
  return memplan_instance_resolve(instance, whole->ordering->options.align, error);
}

static memplan_status search(const memplan_instance *instance, int64_t capacity, bool further, int64_t ticks,
                             uint64_t without, const memplan_limits *limits, memplan_joint_answer *answer,
                             memplan_error *error) {
  memplan_arena arena = {0};
  int32_t *blocks = MEMPLAN_NEW(&arena, int32_t, instance->n_blocks), n = 0;
  memplan_duel *duel = NULL;
  int64_t own = instance->pools[0].capacity;
  bool bounded = own >= 0 && own < capacity;
  int64_t limit = bounded ? own : capacity;
  for (int32_t block = 0; blocks != NULL && block < instance->n_blocks; block++) {
    blocks[n] = block;
    n += instance->blocks[block].bytes > 0;
  }
  memplan_status status =
      blocks == NULL ? memplan_fail_nomem(error)
                     : memplan_duel_new(instance, blocks, n, &limit, NULL, false, without, limits, &duel, error);
  if (status == MEMPLAN_OK && duel != NULL) {
    const memplan_duel_state *now = memplan_duel_look(duel);
    while (status == MEMPLAN_OK && !now->finished && (further || !now->found) && now->ticks < ticks &&
           memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
      status = memplan_duel_step(duel, error);
    }
    answer->fit = now->found ? MEMPLAN_FIT_YES : now->finished ? MEMPLAN_FIT_NO : MEMPLAN_FIT_UNKNOWN;
    // The unit was made for heights up to the limit: what was proven of them says nothing of those above.
    int64_t height = now->bound <= limit ? now->bound : limit + 1;
    answer->height = answer->fit == MEMPLAN_FIT_NO && bounded ? INT64_MAX : height;
    answer->ticks += now->ticks;
  }
  memplan_duel_free(duel);
  memplan_arena_free(&arena);
  return status;
}

memplan_status memplan_joint_refute(const memplan_joint_question *question, int64_t capacity, bool further,
                                    int64_t ticks, uint64_t without, const memplan_limits *limits,
                                    memplan_joint_answer *answer, memplan_error *error) {
  *answer = (memplan_joint_answer){.fit = MEMPLAN_FIT_UNKNOWN};
  memplan_instance instance;
  memplan_instance_init(&instance);
  answer->ticks = ticks_of_pair * ((int64_t)question->n_items * question->n_items / 2 + question->n_overlaps + 1);
  memplan_error contradiction = {.message = ""};
  memplan_status status = memplan_joint_refute_instance(question, &instance, &contradiction);
  if ((status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED) && !instance.contradiction) {
    status = MEMPLAN_OK; // past a limit: nothing is known
  } else if (status == MEMPLAN_INPUT) {
    answer->fit = MEMPLAN_FIT_NO;
    answer->height = INT64_MAX;
    status = MEMPLAN_OK;
  } else if (status != MEMPLAN_OK) {
    status = memplan_fail(error, status, "%s", contradiction.message);
  } else {
    status = search(&instance, capacity, further, ticks, without, limits, answer, error);
  }
  memplan_instance_free(&instance);
  return status;
}
