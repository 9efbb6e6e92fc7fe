// SPDX-License-Identifier: Apache-2.0
// OpenMP ends the process when it cannot create a thread (a limit on processes or address space), with an exit code
// that means something else here. So threads are created and joined first, as plain ones that may fail: what the system
// gave a moment ago it gives again, and OpenMP then keeps its threads.
#include "heuristics/crew.h"

#include <omp.h>
#include <pthread.h>

enum { LEAST_WORK = 4096, MOST_THREADS = 1024 };

int32_t memplan_crew_most(const memplan_limits *limits) {
  int most = limits->threads;
  if (most <= 0) {
    most = omp_get_max_threads() < omp_get_thread_limit() ? omp_get_max_threads() : omp_get_thread_limit();
  }
  return most < MOST_THREADS ? most : MOST_THREADS;
}

static void *wait_for_all(void *gate) {
  (void)pthread_mutex_lock(gate);
  (void)pthread_mutex_unlock(gate);
  return NULL;
}

// How many of `wanted` threads can run at once, the caller's among them.
static int32_t probe(int32_t wanted) {
  pthread_t threads[MOST_THREADS];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  int32_t n_threads = 0;
  (void)pthread_mutex_lock(&gate);
  while (n_threads < wanted - 1 && pthread_create(&threads[n_threads], NULL, wait_for_all, &gate) == 0) {
    n_threads++;
  }
  (void)pthread_mutex_unlock(&gate);
  for (int32_t k = 0; k < n_threads; k++) {
    (void)pthread_join(threads[k], NULL);
  }
  (void)pthread_mutex_destroy(&gate);
  return n_threads + 1;
}

int32_t memplan_crew_size(const memplan_limits *limits, int64_t work) {
  int32_t most = memplan_crew_most(limits);
  return work < LEAST_WORK || most <= 1 || omp_in_parallel() ? 1 : probe(most);
}
