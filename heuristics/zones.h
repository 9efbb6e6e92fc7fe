// SPDX-License-Identifier: Apache-2.0
// Repairs a placement where it is too high. In a long instance the load comes near its largest value in a few short
// zones only, and a ranking that packs all of them well is rare, while one that packs one of them well is not. So each
// zone in which something lies above the goal is packed anew by itself, and what lies around it is fitted in again.
#ifndef MEMPLAN_ZONES_H
#define MEMPLAN_ZONES_H

#include "heuristics/sections.h"
#include "model/base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Places the blocks (ascending) as if they were alone, to the goal or as close as it gets, and fills their entries of
// `offset` (by block); *peak: INT64_MAX if it has no placement.
typedef memplan_status memplan_zone_pack(void *context, const int32_t *blocks, int32_t n, int64_t goal, int64_t *offset,
                                         int64_t *peak, memplan_error *error);

typedef struct memplan_zones {
  const memplan_instance *instance; // one pool, plain blocks (valleys.h)
  const memplan_sections *sections; // of all its blocks that have lifetime and bytes
  int64_t *offset;                  // by item: a placement of all, improved in place
  int64_t goal;                     // peaks that are no larger are good enough
  int32_t depth;                    // a zone is where the load is above the largest one less so many 32nds of it
  int32_t reach; // how far beyond, in 8ths of the time in which some of its blocks are live, its ends look for low load
  memplan_zone_pack *pack;
  void *context;
  int64_t peak;    // out
  int64_t work;    // out: blocks fitted in again
  int32_t n_zones; // out: 0: nothing lies above the goal, or the zones are no small part of all
} memplan_zones;

// Never makes the peak larger. Memory O(blocks) while it runs; time O(blocks) for a handful of passes, what packing the
// zones takes, and bounded work around each of them. A function of its input alone. MEMPLAN_NOMEM or what `pack`
// returns.
memplan_status memplan_zones_repair(memplan_zones *task, memplan_error *error);

#endif
