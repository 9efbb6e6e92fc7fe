// SPDX-License-Identifier: Apache-2.0
// Arrays that grow by doubling, so that appending costs amortised O(1).
#ifndef MEMPLAN_BASE_GROW_H
#define MEMPLAN_BASE_GROW_H

#include "model/base/arena.h"

#include <stddef.h>
#include <stdint.h>

// Room for one more entry of `size` bytes behind the `count` that the array holds: the array itself, or a larger one
// with its contents, and *capacity then says for how many entries. An array without capacity may be NULL. NULL, and
// nothing changed, if memory is out or the length would pass what can be addressed. New entries of the arena's arrays
// are zeroed, those of the heap's are not.
void *memplan_grow_in(memplan_arena *arena, void *entries, int64_t count, int64_t *capacity, size_t size);
void *memplan_grow_heap(void *entries, int64_t count, int64_t *capacity, size_t size); // by realloc

#endif
