// SPDX-License-Identifier: Apache-2.0
#include "instances/generators.h"

#include <stdio.h>
#include <string.h>

static const memplan_generator *const generators[] = {&memplan_generator_tight, &memplan_generator_random,
                                                      &memplan_generator_gap};

int32_t memplan_generator_count(void) { return (int32_t)(sizeof generators / sizeof generators[0]); }

const memplan_generator *memplan_generator_at(int32_t index) {
  return index >= 0 && index < memplan_generator_count() ? generators[index] : NULL;
}

const memplan_generator *memplan_generator_find(const char *name) {
  for (int32_t i = 0; i < memplan_generator_count(); i++) {
    if (strcmp(generators[i]->name, name) == 0) {
      return generators[i];
    }
  }
  return NULL;
}

static memplan_status check_wishes(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                   memplan_error *error) {
  if (wishes->n != 0 && (wishes->n < generator->least_n || wishes->n > generator->most_n)) {
    return memplan_fail(error, MEMPLAN_INPUT, "the family %s has problems of %lld to %lld %s, not of %lld",
                        generator->name, (long long)generator->least_n, (long long)generator->most_n, generator->things,
                        (long long)wishes->n);
  }
  if (wishes->fill != 0 && !generator->takes_fill) {
    return memplan_fail(error, MEMPLAN_INPUT, "the family %s fills nothing; leave --fill out", generator->name);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_generate(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                memplan_instance *instance, memplan_error *error) {
  MEMPLAN_TRY(check_wishes(generator, wishes, error));
  if (generator->make == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "the family %s makes graphs, not placement problems", generator->name);
  }
  MEMPLAN_TRY(generator->make(wishes, instance, error));
  return memplan_instance_resolve(instance, 1, error);
}

memplan_status memplan_generate_problem(const memplan_generator *generator, const memplan_generator_wishes *wishes,
                                        memplan_problem *problem, memplan_error *error) {
  problem->path = generator->name;
  problem->options = memplan_problem_options_default();
  if (generator->make != NULL) {
    problem->has_instance = true;
    problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
    return memplan_generate(generator, wishes, &problem->instance, error);
  }
  problem->has_graph = true;
  MEMPLAN_TRY(check_wishes(generator, wishes, error));
  MEMPLAN_TRY(generator->make_graph(wishes, &problem->graph, error));
  problem->graph.name = generator->name;
  return memplan_graph_resolve(&problem->graph, error);
}

memplan_status memplan_generator_allocate(memplan_instance *instance, int64_t count, memplan_error *error) {
  enum { id_size = 12 };
  memplan_arena *arena = &instance->arena;
  memplan_interval *live = MEMPLAN_NEW(arena, memplan_interval, count);
  char *ids = MEMPLAN_NEW(arena, char, count *id_size);
  instance->buffers = MEMPLAN_NEW(arena, memplan_buffer, count);
  if (live == NULL || ids == NULL || instance->buffers == NULL || count > INT32_MAX / 4) {
    return memplan_fail_nomem(error);
  }
  for (int64_t i = 0; i < count; i++) {
    char *id = ids + i * id_size;
    (void)snprintf(id, id_size, "%d", (int)i);
    instance->buffers[i] =
        (memplan_buffer){.id = id, .align = 1, .pin = -1, .offset = -1, .hint = -1, .live = &live[i], .n_live = 1};
  }
  instance->n_buffers = (int32_t)count;
  return MEMPLAN_OK;
}

void memplan_generator_set(memplan_instance *instance, int64_t index, int64_t bytes, int64_t start, int64_t end) {
  memplan_buffer *buffer = &instance->buffers[index];
  memplan_interval *live = (memplan_interval *)(uintptr_t)buffer->live; // made by memplan_generator_allocate
  buffer->bytes = bytes;
  *live = (memplan_interval){start, end};
}
