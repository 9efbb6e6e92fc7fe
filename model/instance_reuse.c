// SPDX-License-Identifier: Apache-2.0
// A penalty is due when two buffers share bytes, which in a valid placement they can only do at different times. Where
// buffers are colocated the whole block counts, as in dsa-solver's allocation classes.
#include "model/base/number.h"
#include "model/instance.h"

int64_t memplan_instance_reuse_cost(const memplan_instance *instance, const int64_t *block_offset,
                                    const int32_t *block_pool) {
  int64_t cost = 0;
  for (int32_t k = 0; k < instance->n_reuse; k++) {
    const memplan_reuse *reuse = &instance->reuse[k];
    int32_t first = instance->block_of[reuse->first], second = instance->block_of[reuse->second];
    bool same_pool = block_pool == NULL || block_pool[first] == block_pool[second];
    if (first != second && same_pool && block_offset[first] < block_offset[second] + instance->blocks[second].bytes &&
        block_offset[second] < block_offset[first] + instance->blocks[first].bytes) {
      cost = memplan_add_saturated(cost, reuse->cost);
    }
  }
  return cost;
}
