// SPDX-License-Identifier: Apache-2.0
// Sets of pools as the bits of a number: what bounds and the joint search of several pools can tell apart.
#ifndef MEMPLAN_SOLVERS_POOL_MASK_H
#define MEMPLAN_SOLVERS_POOL_MASK_H

#include <stdint.h>

enum { MEMPLAN_MASK_POOLS = 64 }; // at most

static inline uint64_t memplan_pool_mask_all(int32_t n_pools) {
  return n_pools >= MEMPLAN_MASK_POOLS ? UINT64_MAX : ((uint64_t)1 << n_pools) - 1;
}

// Of a list of admissible pools, which is empty where all are.
static inline uint64_t memplan_pool_mask(const int32_t *pools, int32_t n, int32_t n_pools) {
  uint64_t mask = n > 0 ? 0 : memplan_pool_mask_all(n_pools);
  for (int32_t k = 0; k < n; k++) {
    mask |= (uint64_t)1 << pools[k];
  }
  return mask;
}

#endif
