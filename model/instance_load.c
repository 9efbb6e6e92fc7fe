// SPDX-License-Identifier: Apache-2.0
// Load bounds of an instance with their witness.
//
// Aligned load. Take the parts live at one time that begin at their block's offset, and an alignment a that divides the
// alignment of each of their blocks while their residues agree modulo a: their offsets are congruent modulo a, so each
// but the topmost occupies its size rounded up to a. Hence the sum of the rounded sizes, less the largest rounding, is
// a lower bound. It is tried for each alignment that occurs (the most frequent ones first, up to a fixed number).
#include "model/base/number.h"
#include "model/instance.h"

#include <stdlib.h>
#include <string.h>

enum { most_alignments = 16 };

static memplan_load largest(const memplan_instance *instance, const int64_t *load) {
  memplan_load best = {0, instance->n_times > 0 ? instance->times[0] : 0};
  for (int32_t time = 0; time < instance->n_times; time++) {
    if (load[time] > best.bytes) {
      best = (memplan_load){load[time], instance->times[time]};
    }
  }
  return best;
}

typedef struct frequency {
  int64_t align, count;
} frequency;

static int compare_align(const void *a, const void *b) {
  const frequency *x = a, *y = b;
  return (x->align > y->align) - (x->align < y->align);
}

static int compare_count(const void *a, const void *b) {
  const frequency *x = a, *y = b;
  if (x->count != y->count) {
    return (x->count < y->count) - (x->count > y->count);
  }
  return compare_align(a, b);
}

static int32_t find_alignments(const memplan_instance *instance, frequency *found) {
  int32_t count = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].align > 1 && instance->blocks[block].n_parts > 0) {
      found[count++] = (frequency){instance->blocks[block].align, 1};
    }
  }
  if (count > 1) {
    qsort(found, (size_t)count, sizeof *found, compare_align);
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < count; k++) {
    if (kept > 0 && found[kept - 1].align == found[k].align) {
      found[kept - 1].count++;
    } else {
      found[kept++] = found[k];
    }
  }
  if (kept > 1) {
    qsort(found, (size_t)kept, sizeof *found, compare_count);
  }
  return kept < most_alignments ? kept : most_alignments;
}

typedef struct rounding {
  int64_t waste;
  int32_t start, end;
} rounding;

static int compare_waste(const void *a, const void *b) {
  const rounding *x = a, *y = b;
  if (x->waste != y->waste) {
    return (x->waste < y->waste) - (x->waste > y->waste);
  }
  return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end > y->end) - (x->end < y->end);
}

static int32_t next_free(int32_t *next, int32_t at) {
  while (next[at] != at) {
    next[at] = next[next[at]];
    at = next[at];
  }
  return at;
}

typedef struct scratch_arrays {
  int64_t *load; // n_times + 1
  int32_t *next; // n_times + 1
  rounding *roundings;
} scratch_arrays;

// Bounds for one alignment and residue class: the parts' rounded sizes summed over time; then the largest rounding at
// each time is subtracted by painting the roundings from the largest down, each time once.
static memplan_load bound_for(const memplan_instance *instance, int64_t align, int64_t residue,
                              scratch_arrays *scratch) {
  memset(scratch->load, 0, sizeof *scratch->load * ((size_t)instance->n_times + 1));
  int32_t count = 0;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->align % align != 0 || block->residue % align != residue) {
      continue;
    }
    for (int32_t k = 0; k < block->n_parts; k++) {
      const memplan_part *part = &instance->parts[block->first_part + k];
      if (part->low == 0) {
        int64_t rounded = memplan_align_up(part->high, align, 0);
        scratch->load[part->start] += rounded;
        scratch->load[part->end] -= rounded;
        scratch->roundings[count++] = (rounding){rounded - part->high, part->start, part->end};
      }
    }
  }
  if (count > 1) {
    qsort(scratch->roundings, (size_t)count, sizeof *scratch->roundings, compare_waste);
  }
  for (int32_t time = 0; time <= instance->n_times; time++) {
    scratch->next[time] = time;
    scratch->load[time] += time > 0 ? scratch->load[time - 1] : 0;
  }
  for (int32_t k = 0; k < count; k++) {
    const rounding *entry = &scratch->roundings[k];
    for (int32_t time = next_free(scratch->next, entry->start); time < entry->end;
         time = next_free(scratch->next, time)) {
      scratch->load[time] -= entry->waste;
      scratch->next[time] = time + 1;
    }
  }
  return largest(instance, scratch->load);
}

// With several pools of different bases a block's residue says nothing of its offset's.
static bool bases_agree(const memplan_instance *instance) {
  for (int32_t pool = 1; pool < instance->n_pools; pool++) {
    if (instance->pools[pool].base != instance->pools[0].base) {
      return false;
    }
  }
  return true;
}

// The residue that most blocks of this alignment have (the majority vote of Boyer and Moore); any choice is valid.
static int64_t common_residue(const memplan_instance *instance, int64_t align) {
  int64_t candidate = 0, votes = 0;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->n_parts > 0 && block->align % align == 0) {
      int64_t residue = block->residue % align;
      if (votes == 0) {
        candidate = residue;
      }
      votes += residue == candidate ? 1 : -1;
    }
  }
  return candidate;
}

static memplan_status find_aligned(const memplan_instance *instance, memplan_arena *arena, memplan_load *load,
                                   memplan_error *error) {
  frequency *alignments = MEMPLAN_NEW(arena, frequency, instance->n_blocks);
  scratch_arrays scratch = {.load = MEMPLAN_NEW(arena, int64_t, instance->n_times + 1),
                            .next = MEMPLAN_NEW(arena, int32_t, instance->n_times + 1),
                            .roundings = MEMPLAN_NEW(arena, rounding, instance->n_parts)};
  if (alignments == NULL || scratch.load == NULL || scratch.next == NULL || scratch.roundings == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = bases_agree(instance) ? find_alignments(instance, alignments) : 0;
  for (int32_t k = 0; k < count; k++) {
    int64_t align = alignments[k].align;
    memplan_load bound = bound_for(instance, align, common_residue(instance, align), &scratch);
    if (bound.bytes > load->bytes) {
      *load = bound;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_instance_load(const memplan_instance *instance, bool aligned, memplan_load *load,
                                     memplan_error *error) {
  memplan_arena arena = {0};
  int64_t *profile = memplan_instance_profile(instance, &arena);
  memplan_status status = profile != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    *load = largest(instance, profile);
    if (aligned) {
      status = find_aligned(instance, &arena, load, error);
    }
  }
  memplan_arena_free(&arena);
  return status;
}
