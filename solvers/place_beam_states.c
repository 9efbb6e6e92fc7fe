// SPDX-License-Identifier: Apache-2.0
#include "solvers/place_beam_states.h"

#include <string.h>

bool memplan_beam_states_make(memplan_beam_states *states, int32_t width, const memplan_beam_sizes *sizes,
                              memplan_arena *arena) {
  size_t n = (size_t)width;
  states->level = MEMPLAN_NEW_RAW(arena, int32_t, n * (size_t)sizes->n_sections);
  states->slack = MEMPLAN_NEW_RAW(arena, int32_t, n * (size_t)sizes->n_sections);
  states->least = MEMPLAN_NEW_RAW(arena, int32_t, n * (size_t)sizes->n_items);
  states->sorted = MEMPLAN_NEW_RAW(arena, uint16_t, n * (size_t)sizes->n_items);
  states->placed = MEMPLAN_NEW_RAW(arena, uint64_t, n * (size_t)sizes->item_words);
  states->closed = MEMPLAN_NEW_RAW(arena, uint64_t, n * (size_t)sizes->section_words);
  states->lost = MEMPLAN_NEW_RAW(arena, int64_t, n);
  states->worth = MEMPLAN_NEW_RAW(arena, int64_t, n);
  states->key = MEMPLAN_NEW_RAW(arena, uint64_t, n);
  states->last = MEMPLAN_NEW_RAW(arena, int32_t, n);
  return states->level != NULL && states->slack != NULL && states->least != NULL && states->sorted != NULL &&
         states->placed != NULL && states->closed != NULL && states->lost != NULL && states->worth != NULL &&
         states->key != NULL && states->last != NULL;
}

void memplan_beam_states_copy(memplan_beam_states *to, const memplan_beam_states *from, int32_t n,
                              const memplan_beam_sizes *sizes) {
  size_t count = (size_t)n, sections = count * (size_t)sizes->n_sections, items = count * (size_t)sizes->n_items;
  memcpy(to->level, from->level, sections * sizeof *to->level);
  memcpy(to->slack, from->slack, sections * sizeof *to->slack);
  memcpy(to->least, from->least, items * sizeof *to->least);
  memcpy(to->sorted, from->sorted, items * sizeof *to->sorted);
  memcpy(to->placed, from->placed, count * (size_t)sizes->item_words * sizeof *to->placed);
  memcpy(to->closed, from->closed, count * (size_t)sizes->section_words * sizeof *to->closed);
  memcpy(to->lost, from->lost, count * sizeof *to->lost);
  memcpy(to->worth, from->worth, count * sizeof *to->worth);
  memcpy(to->key, from->key, count * sizeof *to->key);
  memcpy(to->last, from->last, count * sizeof *to->last);
}

int64_t memplan_beam_states_bytes(const memplan_beam_sizes *sizes) {
  int64_t words = (int64_t)sizes->item_words + sizes->section_words;
  return 8 * (int64_t)sizes->n_sections + 6 * (int64_t)sizes->n_items + 8 * words + 28;
}
