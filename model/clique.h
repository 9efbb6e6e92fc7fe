// SPDX-License-Identifier: Apache-2.0
// Buffers that pairwise share no byte in any placement: a peak of one pool is no smaller than the sum of their bytes.
#ifndef MEMPLAN_CLIQUE_H
#define MEMPLAN_CLIQUE_H

#include "model/instance.h"

#include <stddef.h>

enum { MEMPLAN_CLIQUE_MOST = 20000 }; // buffers

// Do the buffers with these ids prove that no peak lies below `bytes`? If not, `reason` says why. From the buffers'
// lifetimes and the rules alone. A status is returned only for what keeps the check from being made (MEMPLAN_NOMEM).
// O(n ids^2 + rules + n) and the lifetimes of the buffers named.
memplan_status memplan_clique_check(const memplan_instance *instance, const char *const *ids, int32_t n_ids,
                                    int64_t bytes, bool *proven, char *reason, size_t size, memplan_error *error);

#endif
