// SPDX-License-Identifier: Apache-2.0
// dsa-solver's allocation classes, said in memplan's terms.
//
// In a dsa-solver problem colocated buffers form a class: it takes the bytes of its largest member whenever one member
// is live, and a separation or an exclusive pin of one member is one of the class. Pairs of buffers may be excluded
// from living together although their lifetimes overlap. Here the largest member takes over the lifetimes of its class,
// and of two classes with an exclusion between them one gives up its lifetimes for explicit conflicts with all the
// others that it can meet. Both are exact: the same placements are allowed as before.
#ifndef MEMPLAN_INSTANCES_DSA_CLASSES_H
#define MEMPLAN_INSTANCES_DSA_CLASSES_H

#include "model/base/status.h"
#include "model/instance.h"

typedef struct memplan_dsa_pair {
  int32_t first, second;
} memplan_dsa_pair;

// Rewrites the lifetimes, separations and conflicts of an instance whose buffers have merged lifetimes as the file
// gives them and whose colocate rules all have distance 0. `exclusive`: by buffer, pinned for all time. `exclusions`
// may be put in order. *n_converted: classes whose lifetimes became conflicts. MEMPLAN_UNSUPPORTED if there are
// too many: buffers in them times lifetimes of all above 2^26.
memplan_status memplan_dsa_classes_apply(memplan_instance *instance, const bool *exclusive,
                                         memplan_dsa_pair *exclusions, int32_t n_exclusions, int32_t *n_converted,
                                         memplan_error *error);

#endif
