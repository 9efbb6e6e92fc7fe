// SPDX-License-Identifier: Apache-2.0
#include "tests/support/failing_malloc.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static int64_t left = INT64_MAX; // allocations until one fails
static bool all_after, failed;
static int64_t n_blocks;

static void start(int64_t k, bool all) {
  left = k;
  all_after = all;
  failed = false;
}

void failing_malloc_once(int64_t k) { start(k, false); }

void failing_malloc_from(int64_t k) { start(k, true); }

bool failing_malloc_stop(void) {
  left = INT64_MAX;
  return failed;
}

int64_t failing_malloc_blocks(void) { return n_blocks; }

static bool fails_now(void) {
  if (left == INT64_MAX || left-- > 0) {
    return false;
  }
  left = all_after ? 0 : INT64_MAX;
  failed = true;
  return true;
}

void *__wrap_malloc(size_t size) {
  void *block = fails_now() ? NULL : __real_malloc(size);
  n_blocks += block != NULL;
  return block;
}

void *__wrap_calloc(size_t count, size_t size) {
  void *block = fails_now() ? NULL : __real_calloc(count, size);
  n_blocks += block != NULL;
  return block;
}

void *__wrap_realloc(void *old, size_t size) {
  void *block = fails_now() ? NULL : __real_realloc(old, size);
  n_blocks += old == NULL && block != NULL;
  return block;
}

void __wrap_free(void *block) {
  n_blocks -= block != NULL;
  __real_free(block);
}
