// SPDX-License-Identifier: Apache-2.0
// The least height of rigid blocks that may not overlap, by trying both sides of every pair. Straight from the model's
// chapter "Semantics": shares no code with the library. Never benchmark.
#ifndef MEMPLAN_TESTS_BRUTE_PLACE_H
#define MEMPLAN_TESTS_BRUTE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum { BRUTE_BLOCKS = 48, BRUTE_APARTS = 1128 };

// Its offset is `residue` modulo `period`, and `pin` unless that is -1.
typedef struct brute_block {
  int64_t bytes, period, residue, pin;
} brute_block;

// `second` begins at least `up` above the first one's offset, or `first` at least `down` above the second one's.
typedef struct brute_apart {
  int32_t first, second;
  int64_t up, down;
} brute_apart;

typedef struct brute_blocks {
  brute_block blocks[BRUTE_BLOCKS];
  brute_apart aparts[BRUTE_APARTS];
  int32_t n_blocks, n_aparts;
  int64_t least; // height that no placement can be below: a search that reaches it ends
} brute_blocks;

// The least height below `limit`, -1 if there is none. *steps is lowered by each side that is taken; < 0: it gave up.
int64_t brute_place(const brute_blocks *blocks, int64_t limit, int64_t *steps);

#endif
