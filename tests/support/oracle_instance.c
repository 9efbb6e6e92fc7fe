// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <string.h>

// Which of its own bytes does the buffer occupy during [time, time + 1)?
static bool occupies(const memplan_buffer *buffer, int64_t time, int64_t byte) {
  bool live = false;
  for (int32_t k = 0; k < buffer->n_live; k++) {
    live |= buffer->live[k].start <= time && time < buffer->live[k].end;
  }
  if (!live || byte < 0 || byte >= buffer->bytes) {
    return false;
  }
  for (int32_t k = 0; k < buffer->n_gaps; k++) {
    const memplan_gap *gap = &buffer->gaps[k];
    if (gap->start <= time && time < gap->end && (byte < gap->low || byte >= gap->high)) {
      return false;
    }
  }
  return true;
}

static bool fits_alone(const memplan_instance *instance, const memplan_problem_options *options, int32_t index,
                       const oracle_place *place) {
  const memplan_buffer *buffer = &instance->buffers[index];
  const memplan_pool *pool = &instance->pools[place->pool];
  bool admissible = buffer->n_pools == 0;
  for (int32_t k = 0; k < buffer->n_pools; k++) {
    admissible |= buffer->pools[k] == place->pool;
  }
  bool tied = buffer->pin >= 0;
  for (int32_t k = 0; k < instance->n_colocate; k++) {
    tied |= instance->colocate[k].first == index || instance->colocate[k].second == index;
  }
  if (!admissible || place->offset < 0 || (buffer->pin >= 0 && place->offset != buffer->pin)) {
    return false;
  }
  if (buffer->bytes == 0) {
    return tied || place->offset == 0;
  }
  if ((pool->base + place->offset) % buffer->align != buffer->residue ||
      (pool->base + place->offset) % options->align != 0) {
    return false;
  }
  for (int64_t byte = place->offset; byte < place->offset + buffer->bytes; byte++) {
    if ((pool->capacity >= 0 && byte >= pool->capacity) || (options->capacity >= 0 && byte >= options->capacity)) {
      return false;
    }
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      if (pool->reserved[k].start <= byte && byte < pool->reserved[k].end) {
        return false;
      }
    }
  }
  return true;
}

static bool is_apart(const memplan_instance *instance, int32_t a, int32_t b) {
  for (int32_t k = 0; k < instance->n_separate; k++) {
    const memplan_rule *rule = &instance->separate[k];
    if ((rule->first == a && rule->second == b) || (rule->first == b && rule->second == a)) {
      return true;
    }
  }
  for (int32_t k = 0; k < instance->n_conflicts; k++) {
    const memplan_rule *rule = &instance->conflicts[k];
    if ((rule->first == a && rule->second == b) || (rule->first == b && rule->second == a)) {
      return true;
    }
  }
  return false;
}

static bool go_together(const memplan_instance *instance, int32_t a, int32_t b, const oracle_place *places) {
  const memplan_buffer *first = &instance->buffers[a];
  const memplan_buffer *second = &instance->buffers[b];
  const oracle_place *at = &places[a];
  const oracle_place *bt = &places[b];
  for (int32_t k = 0; k < instance->n_colocate; k++) {
    const memplan_rule *rule = &instance->colocate[k];
    if (rule->first == a && rule->second == b && (at->pool != bt->pool || bt->offset != at->offset + rule->delta)) {
      return false;
    }
  }
  if (at->pool != bt->pool) {
    return true;
  }
  bool apart = is_apart(instance, a, b);
  for (int64_t byte = at->offset; byte < at->offset + first->bytes; byte++) {
    if (byte < bt->offset || byte >= bt->offset + second->bytes) {
      continue;
    }
    if (apart) {
      return false;
    }
    for (int64_t time = 0; time < ORACLE_STEPS; time++) {
      if (occupies(first, time, byte - at->offset) && occupies(second, time, byte - bt->offset)) {
        return false;
      }
    }
  }
  return true;
}

bool oracle_instance_placement_is_valid(const memplan_instance *instance, const memplan_problem_options *options,
                                        const oracle_place *places) {
  for (int32_t a = 0; a < instance->n_buffers; a++) {
    if (!fits_alone(instance, options, a, &places[a])) {
      return false;
    }
    for (int32_t b = 0; b < instance->n_buffers; b++) {
      if (a != b && !go_together(instance, a, b, places)) {
        return false;
      }
    }
  }
  return true;
}

int64_t oracle_instance_load(const memplan_instance *instance) {
  int64_t largest = 0;
  for (int64_t time = 0; time < ORACLE_STEPS; time++) {
    int64_t load = 0;
    for (int32_t i = 0; i < instance->n_buffers; i++) {
      for (int64_t byte = 0; byte < instance->buffers[i].bytes; byte++) {
        load += occupies(&instance->buffers[i], time, byte) ? 1 : 0;
      }
    }
    largest = load > largest ? load : largest;
  }
  return largest;
}

enum { tries_of_one_search = 400000 };

// Recursion depth: buffers. `budget`: offsets that may still be tried.
static bool place_rest(const memplan_instance *instance, const memplan_problem_options *options, int32_t index,
                       int64_t arena, oracle_place *places, int64_t *budget) {
  if (index == instance->n_buffers) {
    return true;
  }
  // An empty buffer may be tied to a place behind the others.
  int64_t end = instance->buffers[index].bytes == 0 ? arena + 16 : arena;
  for (int64_t offset = 0; offset + instance->buffers[index].bytes <= end && *budget > 0; offset++) {
    places[index] = (oracle_place){offset, 0};
    (*budget)--;
    bool fits = fits_alone(instance, options, index, &places[index]);
    for (int32_t other = 0; other < index && fits; other++) {
      fits = go_together(instance, index, other, places) && go_together(instance, other, index, places);
    }
    if (fits && place_rest(instance, options, index + 1, arena, places, budget)) {
      return true;
    }
  }
  return false;
}

int64_t oracle_instance_optimum(const memplan_instance *instance, const memplan_problem_options *options, int64_t limit,
                                oracle_place *places) {
  memset(places, 0, ORACLE_ITEMS * sizeof *places);
  int64_t budget = tries_of_one_search;
  for (int64_t arena = oracle_instance_load(instance); arena < limit && budget > 0; arena++) {
    if (place_rest(instance, options, 0, arena, places, &budget)) {
      return arena;
    }
  }
  return budget > 0 ? -1 : ORACLE_TOO_LONG;
}
