// SPDX-License-Identifier: Apache-2.0
// An allocator that fails on demand, for programs that are linked with --wrap for malloc and its relatives. Counts what
// the program's own code allocates; shared libraries keep theirs. One thread.
#ifndef MEMPLAN_TESTS_FAILING_MALLOC_H
#define MEMPLAN_TESTS_FAILING_MALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// From now on allocation k (from 0) fails, and no other: code that goes on regardless is found out.
void failing_malloc_once(int64_t k);

// From now on allocation k and all after it fail.
void failing_malloc_from(int64_t k);

// Allocations work again. Did one fail?
bool failing_malloc_stop(void);

// Blocks that are allocated and not freed.
int64_t failing_malloc_blocks(void);

// What malloc and free are in such a program, to be handed to a library.
void *__wrap_malloc(size_t size);
void __wrap_free(void *block);

#endif
